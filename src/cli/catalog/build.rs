//! `olmdex build`

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use crate::cli::args::cache;
use crate::cli::args::sources::{NamedSource, refuse_equal_names};
use crate::cli::print::findings::{FindingFormat, print_findings};
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::cli::speak::interrupt;
use crate::cli::speak::progress::Progress;
use crate::diag::{Finding, Severity, Tally, counted};
use crate::fbc::Input;
use crate::file::Cache;
use crate::index::{Builder, CatalogSpec, Import, Index, Mode, Outcome};
use crate::source::Source;

/// Build an index of catalogs, one SQLite file, or update it
///
/// A catalog that the index has under the same name is replaced, others stay. Documents that are already there are
/// neither parsed nor stored again; if nothing has changed, the file is not touched. The file is replaced as a whole, or
/// not at all: invalid catalogs are refused with their findings, unless `--keep-going` leaves out what is broken.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex build community=my-catalog/ -o index.db
  olmdex build v4.19=old-catalog/ v4.20=my-catalog/ --priority v4.20=10 -o versions.db
  olmdex build --remove v4.19 -o versions.db")]
pub(crate) struct BuildArgs {
    /// Catalogs: directories, files, other indexes, or `-` for standard input. The name is that of the directory or
    /// file unless it is given
    #[arg(value_name = "[NAME=]SOURCE", required_unless_present_any = ["remove", "migrate"])]
    sources: Vec<String>,
    /// The index to write
    #[arg(short, long, value_name = "FILE", default_value = "index.db")]
    output: PathBuf,
    /// Priority of a catalog, higher is preferred; may be repeated
    #[arg(long, value_name = "NAME=N", value_parser = parse_priority)]
    priority: Vec<(String, i64)>,
    /// Label of a catalog; may be repeated
    #[arg(long, value_name = "NAME:KEY=VALUE", value_parser = parse_label)]
    label: Vec<(String, String, String)>,
    /// Take a catalog out; may be repeated
    #[arg(long, value_name = "NAME")]
    remove: Vec<String>,
    /// Bring an index that an older olmdex has made up to date, if nothing else is to be done with it
    #[arg(long)]
    migrate: bool,
    /// Leave broken packages out instead of refusing the catalog
    #[arg(short, long)]
    keep_going: bool,
    /// Read all files, even those whose size, inode and time stamps are those of the last build
    #[arg(long)]
    verify: bool,
    /// Format of the findings: text goes to standard error, the others to standard output
    #[arg(long, value_enum, default_value_t = FindingFormat::Text, value_name = "FORMAT")]
    message_format: FindingFormat,
}

fn parse_priority(text: &str) -> Result<(String, i64), String> {
    let (name, number) = text.split_once('=').ok_or("write it as NAME=N")?;
    let number = number.parse().map_err(|_| format!("`{number}` is not a whole number"))?;
    Ok((name.to_owned(), number))
}

fn parse_label(text: &str) -> Result<(String, String, String), String> {
    let (name, label) = text.split_once(':').ok_or("write it as NAME:KEY=VALUE")?;
    let (key, value) = label.split_once('=').ok_or("write it as NAME:KEY=VALUE")?;
    Ok((name.to_owned(), key.to_owned(), value.to_owned()))
}

/// A catalog to add.
struct Addition {
    spec: CatalogSpec,
    input: Input,
}

pub(crate) fn run(context: &Context, args: &BuildArgs) -> CommandResult {
    if args.message_format == FindingFormat::Yaml {
        return Err(CommandError::usage("findings are written as text, json, sarif or github"));
    }
    // Everything that can be wrong with the command line or the sources is, before the target is opened.
    let additions = additions(context, args)?;
    if args.migrate && !args.output.exists() {
        let error = CommandError::new(Exit::Input, format!("there is no index {}", args.output.display()));
        return Err(error.help("name the index to bring up to date with `-o`"));
    }
    interrupt::undo_writes(context);
    let mut builder = Builder::open(&args.output)?;
    if !args.verify
        && let Some(directory) = cache::directory()
    {
        builder = builder.with_cache(Cache::at(&directory));
    }
    for name in &args.remove {
        builder.remove_catalog(name)?;
    }
    let mode = if args.keep_going { Mode::KeepGoing } else { Mode::Strict };
    let mut findings: Vec<Finding> = Vec::new();
    let mut imports = Vec::new();
    for Addition { spec, input } in additions {
        let started = Instant::now();
        let _progress = Progress::reading(context, format!("reading {}", spec.source), &input);
        let mut import = builder.add_catalog(&spec, &input, mode)?;
        let n_files = counted(input.files.len() as u64, "file");
        context.reporter.detail(&if import.was_read {
            format!("read {n_files} of {} in {:.0?}", spec.source, started.elapsed())
        } else {
            format!("skipped {n_files} of {}: size, inode and time stamps are those of the last build", spec.source)
        });
        let is_whole = input.remarks.iter().all(|it| it.rule.severity != Severity::Error);
        import.refused |= !is_whole && !args.keep_going;
        findings.extend(input.remarks.iter().cloned());
        findings.append(&mut import.report.findings);
        imports.push((spec.name, import));
    }
    report(context, args.message_format, &findings)?;
    let refused: Vec<&str> = imports.iter().filter(|(_, it)| it.refused).map(|(name, _)| name.as_str()).collect();
    if !refused.is_empty() {
        let names = refused.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
        let tally = Tally::of(&findings);
        let message = format!("{names} not stored: {tally}; {} was not written", args.output.display());
        let error = CommandError::new(Exit::No, message);
        return Err(error.help("fix the errors, or leave the broken packages out with `--keep-going`"));
    }
    let outcome = builder.finish()?;
    let mut exit = Exit::Yes;
    for (name, import) in &imports {
        if !import.left_out.is_empty() {
            let packages = import.left_out.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
            context.reporter.warning(&format!("catalog `{name}`: left out {packages}"));
            exit = Exit::No;
        } else if import.report.has_errors() {
            context.reporter.warning(&format!("catalog `{name}`: left out what cannot be read"));
            exit = Exit::No;
        }
        for channel in &import.without_range_edges {
            let message =
                format!("catalog `{name}`: {channel} has over 250000 edges by skipRange, which `v_edge` leaves out");
            context.reporter.warning(&message);
        }
        summary(context, name, import);
    }
    match outcome {
        Outcome::Unchanged => context.reporter.note(&format!("{} is up to date", args.output.display())),
        Outcome::Written => context.reporter.note(&format!("wrote {}", args.output.display())),
    }
    Ok(exit)
}

fn summary(context: &Context, name: &str, import: &Import) {
    let counts = import.counts;
    let news = match (import.changed, counts.new) {
        (false, _) => "unchanged".to_owned(),
        (true, new) => format!("{new} of {} documents new", counts.documents),
    };
    context.reporter.note(&format!(
        "catalog `{name}`: {}, {}, {}; {news}",
        counted(counts.packages, "package"),
        counted(counts.channels, "channel"),
        counted(counts.bundles, "bundle")
    ));
}

fn report(context: &Context, format: FindingFormat, findings: &[Finding]) -> Result<(), CommandError> {
    if format != FindingFormat::Text {
        return print_findings(context, format, &crate::check::all_rules(), findings);
    }
    for finding in findings {
        context.reporter.finding(finding);
    }
    Ok(())
}

fn additions(context: &Context, args: &BuildArgs) -> Result<Vec<Addition>, CommandError> {
    let sources: Vec<NamedSource> = args.sources.iter().map(|it| NamedSource::parse(it)).collect();
    refuse_equal_names(&sources)?;
    let mut additions = Vec::new();
    for source in sources {
        match context.open(&source.path)? {
            Source::Catalog(input) => {
                let spec = spec(args, &source.name, &source.path.display().to_string());
                additions.push(Addition { spec, input });
            }
            Source::Index(path) => {
                let index = Index::open(&path)?;
                let catalogs = index.catalog_names()?;
                if source.is_named && catalogs.len() != 1 {
                    let message = format!(
                        "`{}` has {} catalogs, which cannot all be named `{}`",
                        path.display(),
                        catalogs.len(),
                        source.name
                    );
                    return Err(CommandError::usage(message).help("leave the name out: they keep theirs"));
                }
                for name in &catalogs {
                    let new_name = if source.is_named { &source.name } else { name };
                    let spec = spec(args, new_name, &format!("{}#{name}", path.display()));
                    additions.push(Addition { spec, input: index.catalog_input(name)? });
                }
            }
        }
    }
    let known: Vec<&str> = additions.iter().map(|it| it.spec.name.as_str()).collect();
    let named = args.priority.iter().map(|(name, _)| name).chain(args.label.iter().map(|(name, _, _)| name));
    for name in named {
        if !known.contains(&name.as_str()) {
            let message = format!("`{name}` is not one of the catalogs of this command: {}", known.join(", "));
            return Err(CommandError::usage(message));
        }
    }
    Ok(additions)
}

fn spec(args: &BuildArgs, name: &str, source: &str) -> CatalogSpec {
    let priority = args.priority.iter().rev().find(|(it, _)| it == name).map_or(0, |(_, number)| *number);
    let labels: BTreeMap<String, String> =
        args.label.iter().filter(|(it, _, _)| it == name).map(|(_, key, value)| (key.clone(), value.clone())).collect();
    CatalogSpec { name: name.to_owned(), priority, labels, source: source.to_owned() }
}
