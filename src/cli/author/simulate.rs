//! `olmdex simulate`

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::cli::args::formats::DataFormat;
use crate::cli::args::name::NameArgument;
use crate::cli::print::table::{write_data, write_fitted, write_markdown};
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::diag::counted;
use crate::edit::{CatalogEdit, Change, Edges, Effect, ExtraEdge, Simulated, Target, Way, extra_edges, simulate};
use crate::fbc::Input;
use crate::index::Index;
use crate::source::Source;

/// Show what a change would mean for everybody who has a version installed
///
/// For each channel and version: where upgrades lead now, and where they would lead. Whoever is stranded makes it exit with 1, with the
/// smallest edge that strands nobody. Nothing is written; `olmdex edit` does.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex simulate --add till.v1.2.0,replaces=till.v1.1.0,channel=stable -i my-catalog/
  olmdex simulate --remove till@1.1.0 -i my-catalog/ -o markdown
  olmdex simulate --old old-catalog/ --new my-catalog/")]
pub(crate) struct SimulateArgs {
    /// A bundle that is added: NAME,channel=…[,replaces=…][,skips=…][,skipRange=…][,version=…][,package=…]; several channels and
    /// skips are separated by `;`
    #[arg(long, value_name = "NAME,…", group = "what")]
    add: Option<String>,
    /// A package, channel or bundle that is removed, as `olmdex edit remove` does it
    #[arg(long, value_name = "NAME", group = "what")]
    remove: Option<String>,
    /// A package, channel or bundle that is deprecated
    #[arg(long, value_name = "NAME", group = "what")]
    deprecate: Option<String>,
    /// The catalog as it is
    #[arg(long, value_name = "SOURCE", requires = "new", group = "what")]
    old: Option<PathBuf>,
    /// The catalog as it would be
    #[arg(long, value_name = "SOURCE", requires = "old")]
    new: Option<PathBuf>,
    /// The catalog: anything that is a source
    #[arg(short, long = "input", value_name = "SOURCE", default_value = ".")]
    input: PathBuf,
    /// Also those for whom nothing changes
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = SimulateFormat::Table)]
    output: SimulateFormat,
}

/// How it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SimulateFormat {
    /// Columns
    Table,
    /// JSON envelope
    Json,
    /// YAML of the JSON envelope
    Yaml,
    /// A table for a pull request
    Markdown,
}

pub(crate) fn run(context: &Context, args: &SimulateArgs) -> CommandResult {
    let (mut simulated, edges) = match (&args.old, &args.new) {
        (Some(old), Some(new)) => (between(&files(context, old)?, &files(context, new)?)?, Vec::new()),
        _ => changed(context, args)?,
    };
    let is_stranded = simulated.iter().any(|it| it.effect == Effect::Stranded);
    let mut counts: BTreeMap<Effect, u64> = BTreeMap::new();
    simulated.iter().for_each(|it| *counts.entry(it.effect).or_default() += 1);
    if !args.all {
        simulated.retain(|it| it.effect != Effect::Same);
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    match args.output {
        SimulateFormat::Json => write_data(DataFormat::Json, "Simulation", simulated, &mut out)?,
        SimulateFormat::Yaml => write_data(DataFormat::Yaml, "Simulation", simulated, &mut out)?,
        SimulateFormat::Table | SimulateFormat::Markdown => print(args.output, &simulated, &counts, &edges, &mut out)?,
    }
    out.flush()?;
    Ok(if is_stranded { Exit::No } else { Exit::Yes })
}

fn print(
    format: SimulateFormat,
    simulated: &[Simulated],
    counts: &BTreeMap<Effect, u64>,
    edges: &[ExtraEdge],
    out: &mut impl std::io::Write,
) -> Result<(), CommandError> {
    let way = |it: &Way| {
        if it.target.is_empty() {
            return "nowhere".to_owned();
        }
        let deprecated = if it.is_deprecated { ", deprecated" } else { "" };
        let end = if it.is_head { "" } else { ", no way to the head" };
        match it.steps {
            0 => format!("stays{deprecated}{end}"),
            n => format!("{} ({}{deprecated}{end})", it.target, counted(n as u64, "step")),
        }
    };
    let rows: Vec<Vec<String>> = simulated
        .iter()
        .map(|it| {
            let channel = format!("{}/{}", it.package, it.channel);
            let effect = it.effect.word().to_owned();
            vec![channel, it.installed.clone(), effect, way(&it.before), way(&it.after)]
        })
        .collect();
    let headers = ["CHANNEL", "INSTALLED", "EFFECT", "BEFORE", "AFTER"].map(str::to_owned).to_vec();
    if !rows.is_empty() {
        match format {
            SimulateFormat::Markdown => write_markdown(Some(headers), &rows, out)?,
            _ => write_fitted(Some(headers), rows, 3, out)?,
        }
        writeln!(out)?;
    }
    let summary: Vec<String> = counts.iter().map(|(effect, n)| format!("{n} {}", effect.word())).collect();
    writeln!(out, "{}", if summary.is_empty() { "nobody has it".to_owned() } else { summary.join(", ") })?;
    for it in edges {
        let mut what = Vec::new();
        if !it.skips.is_empty() {
            what.push(format!("skips {}", it.skips.join(", ")));
        }
        if !it.skip_range.is_empty() {
            what.push(format!("has the skipRange `{}`", it.skip_range));
        }
        writeln!(out, "nobody in {} is stranded if {} {}", it.channel, it.entry, what.join(" and "))?;
    }
    Ok(())
}

/// What the difference between two catalogs means.
fn between(old: &Input, new: &Input) -> Result<Vec<Simulated>, CommandError> {
    let names: BTreeSet<String> = CatalogEdit::new(old.clone()).packages().into_iter().collect();
    let mut all = Vec::new();
    for package in names {
        all.extend(simulate(old, new, &package)?);
    }
    Ok(all)
}

/// What a change means, and which edges would help.
fn changed(context: &Context, args: &SimulateArgs) -> Result<(Vec<Simulated>, Vec<ExtraEdge>), CommandError> {
    let input = files(context, &args.input)?;
    let mut catalog = CatalogEdit::new(input.clone());
    let (package, change) = change(args, &catalog)?;
    for finding in catalog.change(&package, &[change])?.errors {
        context.reporter.finding(&finding);
    }
    let simulated = simulate(&input, catalog.input(), &package)?;
    let edges = extra_edges(&input, &catalog, &package, &simulated)?;
    Ok((simulated, edges))
}

fn change(args: &SimulateArgs, catalog: &CatalogEdit) -> Result<(String, Change), CommandError> {
    let find = |text: &str| catalog.find(&NameArgument::parse(text).into()).map_err(CommandError::from);
    if let Some(text) = &args.remove {
        let (package, target) = find(text)?;
        return Ok((package, Change::Remove(target)));
    }
    if let Some(text) = &args.deprecate {
        let (package, target) = find(text)?;
        return Ok((package, Change::Deprecate { target, message: "It is deprecated.".to_owned() }));
    }
    let Some(text) = &args.add else {
        let error = CommandError::usage("nothing is changed");
        return Err(error.help("name `--add`, `--remove`, `--deprecate`, or `--old` and `--new`"));
    };
    added(text, find)
}

/// A bundle as it is described in `--add`.
fn added(
    text: &str,
    find: impl Fn(&str) -> Result<(String, Target), CommandError>,
) -> Result<(String, Change), CommandError> {
    let mut parts = text.split(',');
    let name = parts.next().unwrap_or_default().to_owned();
    let mut fields: BTreeMap<&str, String> = BTreeMap::new();
    let mut last = "";
    for part in parts {
        match part.split_once('=') {
            Some((key, value))
                if ["channel", "replaces", "skips", "skipRange", "version", "package"].contains(&key) =>
            {
                fields.insert(key, value.to_owned());
                last = key;
            }
            // Ranges have commas too.
            _ if last == "skipRange" => fields.entry(last).or_default().push_str(&format!(",{part}")),
            _ => {
                let error = CommandError::usage(format!("`{part}` is not a part of a bundle"));
                return Err(error.help("write it as `NAME,channel=stable,replaces=…,skips=…,skipRange=…,version=…`"));
            }
        }
    }
    let list = |key: &str| -> Vec<String> {
        let text = fields.get(key).map(String::as_str).unwrap_or_default();
        text.split(';').filter(|it| !it.is_empty()).map(str::to_owned).collect()
    };
    let channels = list("channel");
    if channels.is_empty() {
        return Err(CommandError::usage("the bundle joins no channel").help("name one: `NAME,channel=stable`"));
    }
    let package = match (fields.get("package"), fields.get("replaces")) {
        (Some(package), _) => package.clone(),
        (None, Some(replaces)) => find(replaces)?.0,
        (None, None) => name.split_once(".v").map_or_else(|| name.clone(), |it| it.0.to_owned()),
    };
    let version = match fields.get("version") {
        Some(version) => version.clone(),
        None => name.split_once(".v").map(|it| it.1.to_owned()).unwrap_or_default(),
    };
    let property = serde_json::json!({"type": "olm.package", "value": {"packageName": package, "version": version}});
    let bundle = serde_json::json!({
        "schema": "olm.bundle", "name": name, "package": package, "image": "example.com/simulated@sha256:0000000000000000000000000000000000000000000000000000000000000000",
        "properties": [property],
    });
    let edges = Edges {
        replaces: fields.get("replaces").cloned(),
        skips: fields.contains_key("skips").then(|| list("skips")),
        skip_range: fields.get("skipRange").cloned(),
    };
    Ok((
        package,
        Change::Add { bundle: bundle.to_string(), channels, edges, creates_channels: false, replaces_itself: false },
    ))
}

/// The files of a catalog; those of an index are made of what it holds.
fn files(context: &Context, path: &Path) -> Result<Input, CommandError> {
    match context.open(path)? {
        Source::Catalog(input) => Ok(input),
        Source::Index(path) => {
            let index = Index::open(&path)?;
            match index.catalog_names()?.as_slice() {
                [only] => Ok(index.catalog_input(only)?),
                several => {
                    let message = format!("`{}` has {} catalogs", path.display(), several.len());
                    Err(CommandError::usage(message).help("name a source with one catalog"))
                }
            }
        }
    }
}
