//! `olmdex mcp`

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::sql_process::OwnSql;
use crate::calendar::Day;
use crate::cli::args::cluster::{read_cluster, shown};
use crate::cli::args::day::day;
use crate::cli::args::source_map::SourceMapOption;
use crate::cli::args::sources::{AskOptions, default_source};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cluster::Cluster;
use crate::file::system_words;
use crate::index::Index;
use crate::mcp::{self, CatalogWord, World};

/// Answer an assistant, over standard input and output
///
/// A server of the Model Context Protocol: tools for search, show, updates, path, standings, why-not, resolve, deps,
/// images, diff, compat, plan, v1 check, explain and sql, each with the answer of its command in pages of less than
/// 4 KiB. The assistant starts it. Texts of catalogs are marked as data. It writes no file and runs nothing that
/// changes anything.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex mcp < /dev/null
  olmdex mcp -i old=old-catalog -i new=my-catalog < /dev/null
  olmdex mcp --cluster must-gather/ -i 4.16=old-catalog -i 4.17=my-catalog < /dev/null")]
pub(crate) struct McpArgs {
    /// Manifests of a cluster, as `kubectl get -o yaml` or a must-gather has them: a file or a directory; may be
    /// repeated. `@` or `@CONTEXT` asks a live cluster. They are read once, when the server starts
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT")]
    cluster: Vec<PathBuf>,
    #[command(flatten)]
    source_map: SourceMapOption,
    #[command(flatten)]
    ask: AskOptions,
}

pub(crate) fn run(context: &Context, args: &McpArgs) -> CommandResult {
    if args.cluster.iter().any(|it| it.as_os_str() == crate::source::STDIN) {
        let error =
            CommandError::usage("standard input carries the assistant's requests, so the cluster cannot come from it");
        return Err(error.help("save the manifests to a file, and name the file"));
    }
    let cluster = read_cluster(context, &args.cluster)?;
    cluster.warnings.iter().for_each(|it| context.reporter.warning(it));
    let about = About {
        ask: args.ask.clone(),
        cluster: Some(cluster).filter(|_| !args.cluster.is_empty()),
        cluster_paths: args.cluster.clone(),
        source_map: args.source_map.source_map.clone(),
        scratch: context.opener.scratch().to_owned(),
    };
    let index = args.ask.open(context)?;
    mcp::serve(about.world(index)?).map_err(|error| {
        let error = CommandError::new(Exit::No, format!("cannot answer the assistant: {}", system_words(&error)));
        error.help("assistants start this server themselves")
    })?;
    Ok(Exit::Yes)
}

/// The catalogs and the cluster that an assistant asks about.
pub(super) struct About {
    pub(super) ask: AskOptions,
    pub(super) cluster: Option<Cluster>,
    pub(super) cluster_paths: Vec<PathBuf>,
    pub(super) source_map: Vec<String>,
    /// The directory for temporary files.
    pub(super) scratch: PathBuf,
}

impl About {
    /// The world of the questions, with the index of the catalogs as they are now.
    pub(super) fn world(&self, index: Index) -> Result<World, CommandError> {
        // A wrong `$SOURCE_DATE_EPOCH` is an error at the start, not in the middle of a question.
        day(None)?;
        let process = OwnSql::new(&self.scratch, &index);
        let mut world = World::new(index, today);
        world.sql = Some(Arc::new(process));
        world.catalogs = catalogs(&self.ask)?;
        world.sources = self.ask.given().to_vec();
        if world.sources.is_empty() {
            world.default_source = default_source()?.path.to_string_lossy().into_owned();
        }
        world.are_named = self.ask.names_catalogs();
        if let Some(cluster) = &self.cluster {
            // The warnings of a live cluster name the objects that this user may not read.
            if self.cluster_paths.iter().any(|it| it.as_os_str().as_encoded_bytes().starts_with(b"@")) {
                world.unknown.clone_from(&cluster.warnings);
            }
            world.cluster = Some((cluster.clone(), shown(&self.cluster_paths)));
            world.cluster_words = self.cluster_paths.iter().map(|it| it.to_string_lossy().into_owned()).collect();
            world.source_map.clone_from(&self.source_map);
        }
        Ok(world)
    }
}

/// The present day, as commands take it: `SOURCE_DATE_EPOCH` may set it.
fn today() -> Day {
    day(None).unwrap_or(Day::of_unix(0))
}

/// The source of each catalog.
fn catalogs(ask: &AskOptions) -> Result<Vec<CatalogWord>, CommandError> {
    let mut found = Vec::new();
    ask.refuse_day("`mcp` answers from the present state only")?;
    for named in ask.sources()? {
        let source = named.path.to_string_lossy().into_owned();
        let index = Some(&named.path).filter(|it| it.is_file()).and_then(|it| Index::open(it).ok());
        match index {
            Some(index) => {
                for name in index.catalog_names()? {
                    found.push(CatalogWord { catalog: name, source: source.clone(), is_index: true });
                }
            }
            None => found.push(CatalogWord { catalog: named.name, source, is_index: false }),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::mcp::{input_schema, names};

    /// Options of commands for layouts, files, sources and costs: an assistant reads data, and its server knows the
    /// catalogs and bounds the work.
    const OF_COMMANDS: &[&str] = &[
        "output",
        "quote_formulas",
        "no_headers",
        "sort_by",
        "input",
        "on",
        "source_map",
        "max_work",
        "manifests",
        "icon",
        "fleet",
        "explain",
    ];

    /// The same, of `images` alone. The images of a cluster are the default of its tool.
    const OF_IMAGES: &[&str] = &["cluster", "imageset", "old", "registry", "verify"];

    /// Tools that are no question of `ask` yet.
    const UNLIKE: &[&str] = &["resolve", "diff", "plan", "explain", "sql"];

    #[test]
    fn a_tool_has_the_arguments_of_its_command() {
        for tool in names().into_iter().filter(|tool| !UNLIKE.contains(tool)) {
            let command = match tool.strip_prefix("v1_") {
                None => crate::cli::arguments_of(&tool.replace('_', "-")),
                Some(verb) => crate::cli::arguments_of("v1").and_then(|it| it.find_subcommand(verb).cloned()),
            };
            let command = command.expect("each tool is a command");
            let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
            let of_command = shown.map(|argument| argument.get_id().to_string());
            let is_other = |it: &str| OF_COMMANDS.contains(&it) || tool == "images" && OF_IMAGES.contains(&it);
            let of_command: BTreeSet<String> = of_command.filter(|it| !is_other(it)).collect();
            let schema = input_schema(tool).expect("the tool has a schema");
            let properties = schema["properties"].as_object().expect("its arguments have names");
            let of_tool: BTreeSet<String> = properties.keys().filter(|it| *it != "cursor").cloned().collect();
            assert_eq!(of_command, of_tool, "{tool}");
            for argument in command.get_arguments().filter(|it| it.get_id() != "cluster") {
                let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string);
                let Some(property) = properties.get(argument.get_id().as_str()) else { continue };
                let about = property["description"].as_str().map(|about| about.replace('\n', " "));
                assert_eq!(about, help, "{tool} {}", argument.get_id());
            }
        }
    }
}
