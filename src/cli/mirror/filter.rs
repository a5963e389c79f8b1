//! `olmdex filter`

use std::collections::BTreeSet;
use std::io::{BufWriter, Write as _};

use super::arguments::AskedFor;
pub(crate) use super::arguments::FilterArgs;
use super::deps;
use super::entries::{self, Entry};
use super::output;
use super::repair;
use super::target;
use crate::ask::check_catalog;
use crate::cli::args::formats::OutputFormat;
use crate::cli::args::text::text_of;
use crate::cli::print::table::write_data;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::diag::{Severity, counted};
use crate::fbc::{Format, Input};
use crate::mirror::{
    self, Blobs, Configuration, ConfigurationError, Dialect, FilterExplanation, FilterVersion, Filtered, Mirrored,
    Missing,
};

impl From<ConfigurationError> for CommandError {
    fn from(error: ConfigurationError) -> Self {
        Self::new(Exit::Input, error.to_string()).with_help(error.help())
    }
}

pub(crate) fn run(context: &Context, args: &FilterArgs) -> CommandResult {
    if args.repair {
        let Some(path) = &args.asked.imageset else { return Err(CommandError::usage("`--repair` needs `-c FILE`")) };
        return repair::run(context, args, path, &text_of(path)?);
    }
    let dialect = if args.compat.is_some() { Dialect::OcMirror } else { Dialect::Named };
    let configuration = args.asked.configuration(context, dialect)?;
    let entries =
        entries::open(context, configuration.operators.clone(), &args.asked.input, args.asked.catalog.as_deref())?;
    let mut entries = args.asked.take_bundles(entries)?;
    if args.compat.is_none() {
        args.asked.choose_defaults(context, &mut entries);
    }
    let mut exit = Exit::Yes;
    if args.with_deps {
        exit = deps::add(context, args, &mut entries)?;
    }
    if args.compat.is_some() {
        return compat(context, args, &configuration, &entries);
    }
    if args.explain {
        let explained = explain(context, args, &entries)?;
        return Ok(if exit == Exit::Yes { explained } else { exit });
    }
    let mut kept = Vec::new();
    for entry in &entries {
        let (filtered, blobs, is_whole) = filter(context, &args.asked, args.release(), entry)?;
        if is_whole != Exit::Yes {
            exit = is_whole;
        }
        kept.push((filtered, blobs));
    }
    let has_packages = |it: &Filtered| it.packages.keys().any(|it| !it.is_empty());
    if exit != Exit::Yes && !kept.iter().any(|it| has_packages(&it.0)) {
        let exit = if exit == Exit::NotFound { exit } else { Exit::No };
        return Err(CommandError::new(exit, "no package is left, so nothing was written"));
    }
    let format = args.output.unwrap_or(OutputFormat::Json);
    if let Some(target) = &args.into {
        let written: Vec<(&Entry, &Blobs)> = entries.iter().zip(&kept).map(|(entry, it)| (entry, &it.1)).collect();
        target::write(context, target, &written)?;
        if args.output.is_none() {
            return Ok(exit);
        }
    }
    let kept: Vec<output::FilteredCatalog<'_>> = entries
        .iter()
        .zip(kept)
        .map(|(entry, (filtered, blobs))| output::FilteredCatalog { entry, filtered, blobs })
        .collect();
    let is_complete = output::print(context, args.to()?.as_ref(), format, &configuration, &kept, args.openshift)?;
    Ok(if exit == Exit::Yes && !is_complete { Exit::No } else { exit })
}

/// Behaves like the real tool: prints the kept part, or its first error.
fn compat(context: &Context, args: &FilterArgs, configuration: &Configuration, entries: &[Entry]) -> CommandResult {
    let format = match args.output {
        None | Some(OutputFormat::Json) => Format::Json,
        Some(OutputFormat::Yaml) => Format::Yaml,
        Some(_) => {
            let error = CommandError::usage("`--compat` applies only to the catalog itself");
            return Err(error.help("use `-o json` or `-o yaml`, or leave `--compat` out"));
        }
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    debug_assert_eq!(configuration.operators.len(), entries.len());
    for entry in entries {
        let filtered = mirror::filter(&entry.catalog, &entry.operator, args.release())
            .map_err(|error| CommandError::new(Exit::No, format!("failed to validate catalog filter: {error}")))?;
        if let Some(error) = filtered.first_error() {
            return Err(CommandError::new(Exit::No, format!("failed to filter catalog: {error}")));
        }
        // The real tool makes these warnings and shows them to nobody.
        filtered.warnings.iter().for_each(|it| context.reporter.warning(&it.to_string()));
        let blobs = mirror::write(&entry.input, &entry.catalog, &filtered, format)?;
        for (_, text) in blobs.texts() {
            out.write_all(text)?;
        }
    }
    out.flush()?;
    Ok(Exit::Yes)
}

/// The images of the kept parts of catalogs, and of the configuration itself; parts that are left out are reported.
pub(super) fn kept_images(
    context: &Context,
    asked: &AskedFor,
    configuration: &Configuration,
    entries: &[Entry],
) -> Result<(Vec<Mirrored>, Exit), CommandError> {
    let mut exit = Exit::Yes;
    let mut kept = Vec::new();
    for entry in entries {
        let (filtered, blobs, is_whole) = filter(context, asked, FilterVersion::default(), entry)?;
        if is_whole != Exit::Yes {
            exit = is_whole;
        }
        kept.push(output::FilteredCatalog { entry, filtered, blobs });
    }
    let images = output::images(context, None, configuration, &kept);
    let exit = if exit == Exit::Yes && !images.refused.is_empty() { Exit::No } else { exit };
    Ok((images.all().into_iter().cloned().collect(), exit))
}

/// Filters and repairs a catalog, leaves out the parts that are not valid, and reports what it did.
fn filter(
    context: &Context,
    asked: &AskedFor,
    release: FilterVersion,
    entry: &Entry,
) -> Result<(Filtered, Blobs, Exit), CommandError> {
    let catalog = &entry.catalog;
    let mut filtered = mirror::filter(catalog, &entry.operator, release)
        .map_err(|error| CommandError::new(Exit::Input, error.to_string()))?;
    let mut exit = Exit::Yes;
    for message in unknown(entry) {
        context.reporter.error(&message);
        exit = Exit::NotFound;
    }
    for (origin, failure) in &catalog.broken {
        for it in crate::check::failure_findings(&entry.input, *origin, failure) {
            context.reporter.finding(&it);
        }
        exit = Exit::No;
    }
    for (name, kept) in &filtered.packages {
        if let (Err(error), Some(facts)) = (kept, catalog.packages.get(name)) {
            let message = format!("left out package `{name}`: {}", mirror::refused(&error.error, facts));
            let help = match asked.imageset {
                Some(_) => "`--explain` shows why, and `--repair` corrects the configuration",
                None => "`--explain` shows why, and what would help",
            };
            context.reporter.error(&CommandError::new(Exit::No, message).help(help));
            exit = Exit::No;
        }
    }
    filtered.packages.retain(|_, kept| kept.is_ok());
    for it in &filtered.warnings {
        context.reporter.warning(&it.in_words());
    }
    for it in filtered.hidden_channels(catalog) {
        context.reporter.warning(&it);
    }
    for it in mirror::mend(catalog, &mut filtered) {
        context.reporter.warning(&it.to_string());
    }
    let mut blobs = mirror::write(&entry.input, catalog, &filtered, Format::Json)?;
    let report = check_catalog(&Input::bytes(&entry.name, blobs.to_vec().into()), None);
    let errors = report.findings.iter().filter(|it| it.rule.severity == Severity::Error);
    let mut said = BTreeSet::new();
    for finding in errors {
        let package = finding.package.clone().unwrap_or_default();
        if said.insert(package.clone()) {
            let message = format!("left out package `{package}`, which is not valid: {}", finding.message);
            let help = "the fault is in the catalog itself; `olmdex validate` shows where";
            context.reporter.error(&CommandError::new(Exit::No, message).help(help));
        }
        exit = Exit::No;
    }
    if report.has_errors() {
        blobs.retain(|it| !report.broken_packages.contains(it));
        filtered.packages.retain(|name, _| !report.broken_packages.contains(name));
    }
    let n_packages = filtered.packages.keys().filter(|it| !it.is_empty()).count();
    let n_bundles = mirror::bundles(catalog, &filtered).count();
    let n_images = mirror::images(catalog, &filtered).len();
    context.reporter.note(&format!(
        "{}: kept {}, {}, {}",
        entry.name,
        counted(n_packages as u64, "package"),
        counted(n_bundles as u64, "bundle"),
        counted(n_images as u64, "image")
    ));
    Ok((filtered, blobs, exit))
}

/// Names that the catalog does not have: the real filter ignores them.
fn unknown(entry: &Entry) -> Vec<CommandError> {
    let names = entry.catalog.names.iter().map(String::as_str);
    let missing = mirror::missing(&entry.catalog, &entry.operator, names);
    let did_you_mean = |meant: String| format!("did you mean `{meant}`?");
    let error = |it: Missing| match it {
        Missing::Package { package, meant } => {
            let message = format!("catalog `{}` has no package `{package}`", entry.name);
            let help = meant.map_or("`olmdex list packages` lists them".to_owned(), did_you_mean);
            CommandError::new(Exit::NotFound, message).help(help)
        }
        Missing::Channel { package, channel, meant, known } => {
            let message = format!("package `{package}` has no channel `{channel}`");
            let help = meant.map_or_else(|| format!("it has {}", known.join(", ")), did_you_mean);
            CommandError::new(Exit::NotFound, message).help(help)
        }
    };
    missing.into_iter().map(error).collect()
}

/// Explains for each package what is kept and why.
fn explain(context: &Context, args: &FilterArgs, entries: &[Entry]) -> CommandResult {
    if args.output.is_some_and(|format| !format.is_data()) {
        return Err(CommandError::usage("an explanation has the formats text, `-o json` and `-o yaml` only"));
    }
    let mut answers: Vec<FilterExplanation> = Vec::new();
    let mut exit = Exit::Yes;
    for entry in entries {
        for message in unknown(entry) {
            context.reporter.error(&message);
            exit = Exit::NotFound;
        }
        let explained = mirror::explained(&entry.name, &entry.catalog, &entry.operator, args.release())
            .map_err(|error| CommandError::new(Exit::Input, error.to_string()))?;
        if explained.has_refused() {
            exit = Exit::No;
        }
        for it in explained.filtered.hidden_channels(&entry.catalog) {
            context.reporter.warning(&it);
        }
        for it in &explained.mends {
            context.reporter.warning(&it.to_string());
        }
        answers.extend(explained.packages);
    }
    match args.output {
        Some(format) => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            write_data(format, "FilterExplanation", answers, &mut out)?;
            out.flush()?;
        }
        None => output::explanations(&answers)?,
    }
    Ok(exit)
}
