//! `olmdex filter`

use std::io::{BufWriter, Write as _};

use super::arguments::AskedFor;
pub(crate) use super::arguments::FilterArgs;
use super::entries;
use super::output;
use super::repair;
use super::target;
use crate::ask::{KeepError, KeptPart, KeptRemark, MirrorCatalog, MirrorRemark, with_mirror_needs};
use crate::cli::args::formats::OutputFormat;
use crate::cli::args::text::text_of;
use crate::cli::print::table::write_part;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::progress::Progress;
use crate::diag::{counted, printable};
use crate::fbc::Format;
use crate::mirror::{self, Configuration, Dialect, FilterExplanation, FilterVersion, Mirrored, Missing, Purpose};

pub(crate) fn run(context: &Context, args: &FilterArgs) -> CommandResult {
    if args.repair {
        let [path] = args.asked.imageset.as_slice() else { return Err(one_configuration()) };
        return repair::run(context, args, path, &text_of(path)?);
    }
    let dialect = if args.compat.is_some() { Dialect::OcMirror } else { Dialect::Named };
    let configurations = args.asked.configurations(context, dialect)?;
    let [configuration] = configurations.as_slice() else { return Err(one_configuration()) };
    let entries =
        entries::open(context, configuration.operators.clone(), &args.asked.input, args.asked.catalog.as_deref())?;
    let mut entries = args.asked.complete(context, entries)?;
    if args.asked.imageset.is_empty() && args.output.is_some_and(output::needs_references) {
        args.asked.complete_by_name(context, &mut entries)?;
    }
    if args.compat.is_none() {
        args.asked.choose_defaults(context, &mut entries);
    }
    let mut exit = Exit::Yes;
    if args.with_deps {
        refuse_skipped(configuration)?;
        (entries, exit) = with_dependencies(context, args, entries)?;
    }
    if args.compat.is_some() {
        return compat(context, args, configuration, &entries);
    }
    if args.explain {
        let explained = explain(context, args, configuration, &entries)?;
        return Ok(if exit == Exit::Yes { explained } else { exit });
    }
    let mut kept = Vec::new();
    for entry in &entries {
        let (part, is_whole) = keep(context, (&args.asked, Purpose::Mirror), args.release(), entry)?;
        if is_whole != Exit::Yes {
            exit = is_whole;
        }
        kept.push((entry, part));
    }
    let has_packages = |part: &KeptPart| part.filtered.packages.keys().any(|package| !package.is_empty());
    if exit != Exit::Yes && !kept.iter().any(|(_, part)| has_packages(part)) {
        let exit = if exit == Exit::NotFound { exit } else { Exit::No };
        return Err(CommandError::new(exit, "no package is left, so nothing was written"));
    }
    let format = args.output.unwrap_or(OutputFormat::Json);
    let mut has_server = false;
    if let Some(target) = &args.into {
        has_server = target::write(context, target, args.base.as_deref(), &kept)?;
        if args.output.is_none() {
            return Ok(exit);
        }
    }
    let is_complete =
        output::print(context, args.to()?.as_ref(), format, configuration, &kept, (args.openshift, has_server))?;
    Ok(if exit == Exit::Yes && !is_complete { Exit::No } else { exit })
}

fn one_configuration() -> CommandError {
    CommandError::usage("`mirror filter` takes one configuration").help("`olmdex mirror status` takes several")
}

/// Refuses dependencies for a file of v1alpha2 that asks for none.
fn refuse_skipped(configuration: &Configuration) -> Result<(), CommandError> {
    let mut skipping = configuration.operators.iter().filter(|operator| operator.skips_dependencies());
    match skipping.next().filter(|_| configuration.is_old()) {
        None => Ok(()),
        Some(operator) => {
            let catalog = printable(&operator.catalog);
            let message = format!("`skipDependencies` of catalog `{catalog}` contradicts `--with-deps`");
            Err(CommandError::usage(message).help("leave out one of them"))
        }
    }
}

/// Adds the dependencies of the kept operators, and reports them.
fn with_dependencies(
    context: &Context,
    args: &FilterArgs,
    entries: Vec<MirrorCatalog>,
) -> Result<(Vec<MirrorCatalog>, Exit), CommandError> {
    let progress = Progress::start(context, "looking for dependencies".to_owned());
    let (entries, remarks) = with_mirror_needs(entries, args.release(), &args.work.options())?;
    drop(progress);
    let mut exit = Exit::Yes;
    for remark in &remarks {
        match remark {
            MirrorRemark::Added(text) => context.reporter.note(text),
            MirrorRemark::Missing(text) => {
                context.reporter.warning(text);
                exit = Exit::No;
            }
        }
    }
    Ok((entries, exit))
}

/// Behaves like the real tool: prints the kept part, or its first error.
fn compat(
    context: &Context,
    args: &FilterArgs,
    configuration: &Configuration,
    entries: &[MirrorCatalog],
) -> CommandResult {
    let format = match args.output {
        None | Some(OutputFormat::Json) => Format::Json,
        Some(OutputFormat::Yaml) => Format::Yaml,
        Some(_) => {
            let error = CommandError::usage("`--as` applies only to the catalog itself");
            return Err(error.help("use `-o json` or `-o yaml`, or leave `--as` out"));
        }
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    debug_assert_eq!(configuration.operators.len(), entries.len());
    for entry in entries {
        let kept = entry.keep_as_oc_mirror(args.release(), format).map_err(|error| match error {
            KeepError::Nameless(error) => {
                CommandError::new(Exit::No, format!("failed to validate catalog filter: {error}"))
            }
            KeepError::Filter(_) => CommandError::new(Exit::No, error.to_string()),
            error => error.into(),
        });
        let (blobs, warnings) = kept?;
        // The real tool makes these warnings and shows them to nobody.
        warnings.iter().for_each(|it| context.reporter.warning(&it.to_string()));
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
    entries: &[MirrorCatalog],
) -> Result<(Vec<Mirrored>, Exit), CommandError> {
    let mut exit = Exit::Yes;
    let mut kept = Vec::new();
    for entry in entries {
        let (part, is_whole) = keep(context, (asked, configuration.purpose), FilterVersion::default(), entry)?;
        if is_whole != Exit::Yes {
            exit = is_whole;
        }
        kept.push((entry, part));
    }
    let images = output::images(context, None, configuration, &kept);
    let exit = if exit == Exit::Yes && !images.refused.is_empty() { Exit::No } else { exit };
    Ok((images.all().into_iter().cloned().collect(), exit))
}

/// The part of a catalog that is kept. Losses and changes are reported.
fn keep(
    context: &Context,
    (asked, purpose): (&AskedFor, Purpose),
    release: FilterVersion,
    catalog: &MirrorCatalog,
) -> Result<(KeptPart, Exit), CommandError> {
    let kept = catalog.keep(release)?;
    let help = match asked.imageset.is_empty() {
        false => "`--explain` shows why, and `--repair` corrects the configuration",
        true => "`--explain` shows why, and what would help",
    };
    let verb = if purpose == Purpose::Delete { "deletes" } else { "kept" };
    let exit = report(context, catalog, &kept, (verb, help));
    Ok((kept, exit))
}

/// Reports losses and changes, and how much is kept. `help` is for packages whose requests cannot be met.
pub(super) fn report(context: &Context, catalog: &MirrorCatalog, kept: &KeptPart, (verb, help): (&str, &str)) -> Exit {
    let mut exit = Exit::Yes;
    for remark in &kept.remarks {
        match remark {
            KeptRemark::Warning(text) => context.reporter.warning(text),
            KeptRemark::Missing(missing) => {
                context.reporter.error(&unknown(catalog, missing));
                exit = Exit::NotFound;
            }
            KeptRemark::Broken(findings) => {
                findings.iter().for_each(|finding| context.reporter.finding(finding));
                exit = Exit::No;
            }
            KeptRemark::Refused { package, why } => {
                let error = CommandError::new(Exit::No, format!("left out package `{package}`: {why}"));
                context.reporter.error(&error.help(help));
                exit = Exit::No;
            }
            KeptRemark::Invalid { package, why } => {
                let message = format!("left out package `{package}`, which is not valid: {why}");
                let help = "the fault is in the catalog itself; `olmdex validate` shows where";
                context.reporter.error(&CommandError::new(Exit::No, message).help(help));
                exit = Exit::No;
            }
        }
    }
    let n_packages = kept.filtered.packages.keys().filter(|it| !it.is_empty()).count();
    let n_bundles = mirror::bundles(&catalog.catalog, &kept.filtered).count();
    let n_images = mirror::images(&catalog.catalog, &kept.filtered).len();
    context.reporter.note(&format!(
        "{}: {verb} {}, {}, {}",
        catalog.name,
        counted(n_packages as u64, "package"),
        counted(n_bundles as u64, "bundle"),
        counted(n_images as u64, "image")
    ));
    exit
}

impl From<KeepError> for CommandError {
    fn from(error: KeepError) -> Self {
        match error {
            KeepError::Reread(error) => error.into(),
            error => Self::new(Exit::Input, error.to_string()),
        }
    }
}

/// A name that the catalog does not have: the real filter ignores it.
fn unknown(catalog: &MirrorCatalog, missing: &Missing) -> CommandError {
    let did_you_mean = |meant: &String| format!("did you mean `{meant}`?");
    match missing {
        Missing::Package { package, meant } => {
            let message = format!("catalog `{}` has no package `{package}`", catalog.name);
            let help = meant.as_ref().map_or("`olmdex list packages` lists them".to_owned(), did_you_mean);
            CommandError::new(Exit::NotFound, message).help(help)
        }
        Missing::Channel { package, channel, meant, known } => {
            let message = format!("package `{package}` has no channel `{channel}`");
            let help = meant.as_ref().map_or_else(|| format!("it has {}", known.join(", ")), did_you_mean);
            CommandError::new(Exit::NotFound, message).help(help)
        }
    }
}

/// Explains for each package what is kept and why.
fn explain(
    context: &Context,
    args: &FilterArgs,
    configuration: &Configuration,
    entries: &[MirrorCatalog],
) -> CommandResult {
    if args.output.is_some_and(|format| !format.is_data()) {
        return Err(CommandError::usage("an explanation has the formats text, `-o json` and `-o yaml` only"));
    }
    let mut answers: Vec<FilterExplanation> = Vec::new();
    let mut exit = Exit::Yes;
    for entry in entries {
        for missing in entry.missing() {
            context.reporter.error(&unknown(entry, &missing));
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
            write_part(format, "FilterExplanation", answers, &configuration.unlisted, &mut out)?;
            out.flush()?;
        }
        None => output::explanations(&answers, &configuration.unlisted)?,
    }
    Ok(exit)
}
