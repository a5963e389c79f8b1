//! `olmdex build`

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use crate::ask;
use crate::ask::{CatalogNames, NamedSource};
use crate::check;
use crate::cli::args::cache;
use crate::cli::args::choice::{ChoiceOptions, Whole, report};
use crate::cli::args::composition;
use crate::cli::args::formats::OutputFormat;
use crate::cli::args::lifecycles::{lifecycle_input, lifecycle_spec, warn_of_differences};
use crate::cli::args::output_file::OutputFileAndFormat;
use crate::cli::args::past::PastOptions;
use crate::cli::args::update_graph::{open_updates, read};
use crate::cli::args::words::SourceOption;
use crate::cli::print::findings::{print_chosen, wanted};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::cli::terminal::progress::Progress;
use crate::compose::{Choice, Chosen, Config, NamedCatalog};
use crate::diag::baseline::Scope;
use crate::diag::envelope::FindingsMetadata;
use crate::diag::repeated::Representative;
use crate::diag::{Finding, Rule, Severity, Tally, counted};
use crate::fbc::{Input, Sight};
use crate::file::Cache;
use crate::index::query::{Filter, LIFECYCLES_LABEL};
use crate::index::{
    Builder, CatalogSpec, Counts, HeldUpdates, Import, Index, IndexError, Mode, NotAnIndex, Outcome, PastImport,
};
use crate::openshift::{self, SavedUpdates};
use crate::source::{ImageSource, Source, SourceOrImage};
use crate::version::first_of;

/// Build an index of catalogs, one SQLite file, or update it
///
/// A catalog replaces the one that the index has under the same name, and others stay. Known documents are neither
/// parsed nor stored again; if nothing has changed, the file is not touched. The file is replaced as a whole, or not at
/// all (without `-O`, ./index.db): invalid catalogs are refused with their findings, unless `--keep-going` leaves out
/// the broken parts. Options can choose only among warnings: packages that cannot be stored are always reported.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex build community=my-catalog/ -O index.db
  olmdex build v4.19=old-catalog/ v4.20=my-catalog/ --priority v4.20=10 -O versions.db
  olmdex build --remove v4.19 -O versions.db
  olmdex build    # the catalogs of olmdex.toml")]
pub(crate) struct BuildArgs {
    /// Catalogs: directories, files, other indexes, or `-` for standard input. The name is that of the directory or
    /// file unless it is given. Without any, the catalogs that olmdex.toml names
    #[arg(value_name = "[NAME=]SOURCE")]
    sources: Vec<String>,
    #[command(flatten)]
    _source_option: SourceOption,
    #[command(flatten)]
    output: OutputFileAndFormat,
    /// Priority of a catalog, higher is preferred; may be repeated
    #[arg(long, value_name = "NAME=N", value_parser = parse_priority)]
    priority: Vec<(String, i64)>,
    /// Lifecycles in files, as a catalog `lifecycles` of lowest priority: other catalogs take precedence over them; may
    /// be repeated
    #[arg(long, value_name = "FILE")]
    lifecycles: Vec<PathBuf>,
    /// Known updates of OpenShift, for `plan`, instead of those that the index has: saved answers of the update
    /// service, or a copy of the graph data (directory or tar); may be repeated
    #[arg(long, value_name = "FILE|DIR")]
    graph_data: Vec<PathBuf>,
    /// Remove the known updates of OpenShift from the index
    #[arg(long, conflicts_with = "graph_data")]
    no_graph_data: bool,
    /// Label of a catalog; may be repeated
    #[arg(long, value_name = "NAME:KEY=VALUE", value_parser = parse_label)]
    label: Vec<(String, String, String)>,
    /// Remove a catalog; may be repeated
    #[arg(long, value_name = "NAME")]
    remove: Vec<String>,
    /// Upgrade an index of an older olmdex, even if there is nothing else to do with it
    #[arg(long)]
    migrate: bool,
    /// Leave broken packages out instead of refusing the catalog, and files of `--git` that the repository lacks; the
    /// exit code is 1 then
    #[arg(short, long)]
    keep_going: bool,
    /// Read all files, even those whose size, inode and time stamps are those of the last build, and compare the texts
    /// and rows that the index already has with their digests
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    past: PastOptions,
    #[command(flatten)]
    choice: ChoiceOptions,
}

impl BuildArgs {
    /// The index to write.
    fn index(&self) -> &Path {
        self.output.path().unwrap_or(Path::new("index.db"))
    }
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
struct Addition<'c> {
    spec: CatalogSpec,
    source: AdditionSource<'c>,
}

/// The source of a catalog.
enum AdditionSource<'c> {
    Files(Input),
    /// An image that the index seems to have already; it is read only if the index does not have it.
    Image(ImageSource<'c>),
}

/// The additions to an index.
#[derive(Default)]
struct Additions<'c> {
    catalogs: Vec<Addition<'c>>,
    names: CatalogNames,
    /// The known updates of OpenShift in sources that are indexes.
    updates: Vec<HeldUpdates>,
}

pub(crate) fn run(context: &Context, args: &BuildArgs) -> CommandResult {
    // Every possible error of the command line or the sources is found before the target is opened.
    let named: Vec<NamedSource> = args.sources.iter().map(|it| NamedSource::parse(it)).collect();
    let paths: Vec<PathBuf> = named.iter().map(|it| it.path.clone()).collect();
    let config = args.choice.config(context, &paths)?;
    let choice = args.choice.choice(context, config.as_ref(), Whole::Catalogs)?;
    let of_file = if named.is_empty() { catalogs_of_file(args, config)? } else { None };
    let of_sources = of_file.as_ref().map_or_else(|| context.for_sight(Sight::Named), |it| context.for_config(it));
    let mut additions = additions(&of_sources, args, named, of_file.as_ref())?;
    add_lifecycles(args, &mut additions)?;
    let Additions { catalogs, names, updates: known } = additions;
    if args.migrate && !args.index().exists() {
        let error = CommandError::new(Exit::Input, format!("no index {}", args.index().display()));
        return Err(error.help("name the index to update with `-O`"));
    }
    refuse_blank(&catalogs)?;
    let updates = open_updates(context, &args.graph_data)?;
    interrupt::undo_writes(context);
    let verified = if args.verify { verified_base(args.index())? } else { None };
    let mut builder = opened_index(context, args, &known, updates)?;
    let mut imported = Imported { verified, ..Imported::default() };
    for addition in catalogs {
        imported.add(context, args, &mut builder, addition)?;
    }
    let of_past = |name: &str, source: &str| spec(args, &[], name, source);
    args.past.add(context, &mut builder, names, of_past, |name, import| imported.past.push((name, import)))?;
    imported.note_past(context, args)?;
    // A limit that stopped reading or checking is an error, also with `--keep-going`.
    if let Some(error) = CommandError::of_limit() {
        return Err(error);
    }
    judge(context, args, choice, &mut imported)?;
    let outcome = builder.finish()?;
    let exit = imported.summary(context);
    if !args.lifecycles.is_empty() {
        let all = Index::open(args.index())?.lifecycles(&Filter::default())?;
        warn_of_differences(context, &all);
    }
    match outcome {
        Outcome::Unchanged => context.reporter.note(&format!("{} is up to date", args.index().display())),
        Outcome::Written => context.reporter.note(&format!("wrote {}", args.index().display())),
    }
    Ok(exit)
}

/// Adds the catalog that `--lifecycles` makes.
fn add_lifecycles(args: &BuildArgs, additions: &mut Additions<'_>) -> Result<(), CommandError> {
    if let Some(input) = lifecycle_input(&args.lifecycles)? {
        additions.names.add(LIFECYCLES_LABEL, "--lifecycles")?;
        additions
            .catalogs
            .push(Addition { spec: lifecycle_spec(&args.lifecycles), source: AdditionSource::Files(input) });
    }
    Ok(())
}

/// Opens the index to write, removes catalogs as requested, and stores the updates of OpenShift. `known` are those in
/// sources, `updates` those of the command line.
fn opened_index(
    context: &Context,
    args: &BuildArgs,
    known: &[HeldUpdates],
    updates: Vec<SavedUpdates>,
) -> Result<Builder, CommandError> {
    let mut builder = ask::builder_of(args.index())?;
    if !args.verify
        && let Some(directory) = cache::directory()
    {
        builder = builder.with_cache(Cache::at(&directory));
    }
    for name in &args.remove {
        builder.remove_catalog(name)?;
    }
    if updates.is_empty() && !args.no_graph_data && !known.is_empty() {
        builder.adopt_updates(known)?;
    } else {
        set_updates(context, args, &mut builder, updates)?;
    }
    Ok(builder)
}

/// The index whose texts and rows will be kept, after their digests were recomputed. An older one is migrated first,
/// and all its texts are read again.
fn verified_base(path: &Path) -> Result<Option<Index>, CommandError> {
    match Index::open(path) {
        Ok(index) if index.verify()?.rows.is_some() => Ok(Some(index)),
        Ok(_) => {
            let message =
                format!("{}: another version of olmdex wrote the rows, so they cannot be compared", path.display());
            Err(CommandError::new(Exit::Input, message).help("build a new file, or build without `--verify`"))
        }
        Err(IndexError::NotAnIndex { reason: NotAnIndex::Older { .. } | NotAnIndex::Empty, .. }) => Ok(None),
        Err(IndexError::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The imported catalogs of the command.
#[derive(Default)]
struct Imported {
    /// The imports, by the names of the catalogs.
    imports: Vec<(String, Import)>,
    findings: Vec<Finding>,
    /// The imports of past states, by the names of the catalogs.
    past: Vec<(String, PastImport)>,
    /// How many files of the past were left out, because the repositories lack them.
    n_missing: u64,
    /// The index before the command, with `--verify`.
    verified: Option<Index>,
}

impl Imported {
    fn add(
        &mut self,
        context: &Context,
        args: &BuildArgs,
        builder: &mut Builder,
        addition: Addition<'_>,
    ) -> Result<(), CommandError> {
        let Addition { spec, source } = addition;
        let started = Instant::now();
        let input = match source {
            AdditionSource::Files(input) => input,
            AdditionSource::Image(image) => {
                // The index only says that it has the image.
                let kept = if self.verified.is_none() { builder.keep_image(&spec, &image.origin())? } else { None };
                if let Some(import) = kept {
                    let digest = image.origin().digest;
                    context
                        .reporter
                        .detail(&format!("skipped {}: the index already has this image, {digest}", spec.source));
                    self.note(spec.name, import);
                    return Ok(());
                }
                match context.read(Path::new(&spec.source), &image)? {
                    Source::Catalog(input) => input,
                    Source::Index(_) => return Err(is_index_now(&spec)),
                }
            }
        };
        let mode = if args.keep_going { Mode::KeepGoing } else { Mode::Strict };
        let _progress = Progress::reading(context, format!("reading {}", spec.source), &input);
        let mut import = builder.add_catalog(&spec, &input, mode)?;
        if let Some(base) = self.verified.as_ref().filter(|_| !import.changed && !import.refused) {
            // The index says that it was made of these files.
            let mut fresh = ask::builder();
            fresh.add_catalog(&spec, &input, mode)?;
            base.verify_documents(&spec.name, &fresh.into_index()?)?;
        }
        let n_files = counted(input.files.len() as u64, "file");
        context.reporter.detail(&if import.was_read {
            format!("read {n_files} of {} in {:.0?}", spec.source, started.elapsed())
        } else {
            format!(
                "skipped {n_files} of {}: size, inode and timestamps are the same as in the last build",
                spec.source
            )
        });
        if spec.labels.contains_key(LIFECYCLES_LABEL) {
            // It is about the packages of the other catalogs.
            import.report.findings.retain(|it| it.rule.id != openshift::rules::PACKAGE_UNKNOWN.id);
        }
        let is_whole = input.remarks.iter().all(|it| it.rule.severity != Severity::Error);
        import.refused |= !is_whole && !args.keep_going;
        self.findings.extend(input.remarks.iter().cloned());
        self.note(spec.name, import);
        Ok(())
    }

    fn note(&mut self, name: String, mut import: Import) {
        self.findings.append(&mut import.report.findings);
        self.imports.push((name, import));
    }

    /// Reports the parts of states that are left out, or refuses the states because of them.
    fn note_past(&mut self, context: &Context, args: &BuildArgs) -> Result<(), CommandError> {
        for (name, import) in &mut self.past {
            if let Some(first) = import.missing.first() {
                if !args.keep_going {
                    let of = format!("`{}` of `{name}@{}`", first.path, first.state);
                    let message = format!("{of} cannot be read: the object {} is not in the repository", first.content);
                    let help = format!("{PARTIAL}; `--keep-going` skips such files");
                    return Err(CommandError::new(Exit::Input, message).help(help));
                }
                let paths: BTreeSet<&str> = import.missing.iter().map(|it| it.path.as_str()).collect();
                let paths = first_of(paths.iter().map(|it| format!("`{it}`")), paths.len());
                let n = counted(import.missing.len() as u64, "text");
                let message = format!("catalog `{name}`: left out {n} of {paths}: missing in the repository");
                context.reporter.warning(&message);
                self.n_missing += import.missing.len() as u64;
            }
            self.findings.append(&mut import.findings);
        }
        Ok(())
    }

    /// Reports the contents of each catalog, and the parts that were left out. The exit code reflects those too.
    fn summary(&self, context: &Context) -> Exit {
        let mut exit = Exit::Yes;
        if self.n_missing > 0 {
            let n = counted(self.n_missing, "text");
            context.reporter.warning(&format!("left out {n} of the history; {PARTIAL}"));
            exit = Exit::No;
        }
        for (name, import) in &self.past {
            let packages: BTreeSet<&str> = import.left_out.iter().map(|it| it.package.as_str()).collect();
            if !packages.is_empty() {
                let packages = packages.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
                context
                    .reporter
                    .warning(&format!("catalog `{name}`: left out {packages} in some states of the history"));
                exit = Exit::No;
            }
            if import.n_new > 0 {
                summary(context, name, import.counts, &counted(import.n_states as u64, "state"));
            }
        }
        for (name, import) in &self.imports {
            if !import.left_out.is_empty() {
                let packages = import.left_out.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
                context.reporter.warning(&format!("catalog `{name}`: left out {packages}"));
                exit = Exit::No;
            } else if import.report.has_errors() {
                context.reporter.warning(&format!("catalog `{name}`: left out the unreadable parts"));
                exit = Exit::No;
            }
            for channel in &import.without_range_edges {
                let message = format!(
                    "catalog `{name}`: {channel} has over 250000 edges by skipRange, which `v_edge` leaves out"
                );
                context.reporter.warning(&message);
            }
            summary(context, name, import.counts, &news(import));
        }
        exit
    }
}

/// Shows the findings, and refuses to write the index if one of them keeps a catalog out.
fn judge(context: &Context, args: &BuildArgs, mut choice: Choice, imported: &mut Imported) -> Result<(), CommandError> {
    let findings = std::mem::take(&mut imported.findings);
    // An error that keeps a catalog out is shown and counts, whatever the options choose.
    let tally = Tally::of(&findings);
    let (errors, rules): (Vec<&Rule>, Vec<&Rule>) =
        check::all_rules().into_iter().partition(|it| it.severity == Severity::Error);
    choice.selection.exempt(&errors);
    let chosen = choice.apply(findings, &Scope { rules: &rules, packages: &[], is_whole: true })?;
    show(context, args, &chosen)?;
    report(context, &choice, &chosen);
    let Imported { imports, past, .. } = imported;
    let is_refused = |it: &PastImport| !args.keep_going && it.is_broken;
    let of_past = past.iter().filter(|it| is_refused(&it.1)).map(|(name, _)| name.as_str());
    let refused = imports.iter().filter(|(_, it)| it.refused).map(|(name, _)| name.as_str());
    let refused: Vec<&str> = refused.chain(of_past).collect();
    if !refused.is_empty() {
        let names = first_of(refused.iter().map(|it| format!("`{it}`")), refused.len());
        let message = format!("{names} not stored: {tally}; {} was not written", args.index().display());
        let help = match args.past.is_of_whole_repositories() {
            true => {
                "name the catalog's directory with `--git-path`, fix the errors, or leave broken packages out with `--keep-going`"
            }
            false => "fix the errors, or leave the broken packages out with `--keep-going`",
        };
        return Err(CommandError::new(Exit::No, message).help(help));
    }
    let counts = |it: &&Finding| choice.strict || it.rule.severity == Severity::Error;
    let warnings = chosen.findings.iter().filter(|it| rules.iter().any(|rule| rule.id == it.rule.id)).filter(counts);
    if let n @ 1.. = warnings.count() {
        let n = counted(n as u64, "warning");
        let message = format!("{n} treated as errors: {} was not written", args.index().display());
        let help = "fix them, or leave out `--strict` and other options that turn warnings into errors";
        return Err(CommandError::new(Exit::No, message).help(help));
    }
    Ok(())
}

/// The help for a partial clone.
const PARTIAL: &str = "a partial clone lacks objects: `git fetch --refetch --no-filter` fetches them";

/// Refuses catalogs without documents, which are more likely a slip than intended.
fn refuse_blank(additions: &[Addition<'_>]) -> Result<(), CommandError> {
    let is_blank = |it: &&Addition<'_>| {
        !it.spec.labels.contains_key(LIFECYCLES_LABEL)
            && matches!(&it.source, AdditionSource::Files(input) if input.is_blank())
    };
    let blank: Vec<String> = additions.iter().filter(is_blank).map(|it| format!("`{}`", it.spec.source)).collect();
    if blank.is_empty() {
        return Ok(());
    }
    let error = CommandError::new(Exit::No, format!("nothing to build: {} holds no documents", blank.join(", ")));
    Err(error.help("name the directory or the file of the catalog; `.indexignore` may hide its files"))
}

/// Stores updates of OpenShift in the index, unless it has the same ones already.
fn set_updates(
    context: &Context,
    args: &BuildArgs,
    builder: &mut Builder,
    saved: Vec<SavedUpdates>,
) -> Result<(), CommandError> {
    if saved.is_empty() {
        if args.no_graph_data && builder.has_updates()? {
            builder.set_updates(&[])?;
        }
        return Ok(());
    }
    let warnings = match builder.kept_updates(&saved)? {
        Some(warnings) => warnings,
        None => {
            let mut sources = Vec::new();
            for it in saved {
                let source = read(&it)?;
                sources.push((it, source));
            }
            builder.set_updates(&sources)?;
            sources.iter().flat_map(|it| it.1.warnings().to_vec()).collect()
        }
    };
    warnings.iter().for_each(|it| context.reporter.warning(it));
    Ok(())
}

/// An image has one digest, but may still hold other content for another platform.
fn is_index_now(spec: &CatalogSpec) -> CommandError {
    let message = format!(
        "`{}` now holds an index for this platform, but it held the catalog `{}` before",
        spec.source, spec.name
    );
    CommandError::new(Exit::Input, message).help(format!("first run `olmdex build --remove {}`", spec.name))
}

/// How much of a catalog is new.
fn news(import: &Import) -> String {
    let counts = import.counts;
    match (import.changed, counts.new) {
        (false, _) => "unchanged".to_owned(),
        (true, new) => format!("{new} of {} documents are new", counts.documents),
    }
}

fn summary(context: &Context, name: &str, counts: Counts, news: &str) {
    context.reporter.note(&format!(
        "catalog `{name}`: {}, {}, {}; {news}",
        counted(counts.packages, "package"),
        counted(counts.channels, "channel"),
        counted(counts.bundles, "bundle")
    ));
}

fn show(context: &Context, args: &BuildArgs, chosen: &Chosen) -> Result<(), CommandError> {
    let all = args.choice.all || !context.reporter.is_text();
    if args.output.format() != OutputFormat::Table {
        let metadata = FindingsMetadata::default();
        return print_chosen(context, args.output.format(), &check::all_rules(), chosen, all, metadata);
    }
    for Representative { finding, n_more } in wanted(&chosen.findings, all) {
        context.reporter.finding_of_many(finding, n_more, "`--all`");
    }
    Ok(())
}

/// The file whose catalogs are built, unless the command has another task.
fn catalogs_of_file(args: &BuildArgs, config: Option<Config>) -> Result<Option<Config>, CommandError> {
    if !args.remove.is_empty()
        || args.migrate
        || !args.lifecycles.is_empty()
        || args.past.is_given()
        || !args.graph_data.is_empty()
        || args.no_graph_data
    {
        return Ok(None);
    }
    composition::with_catalogs(config, "olmdex build my-catalog/").map(Some)
}

fn additions<'c>(
    context: &'c Context,
    args: &BuildArgs,
    mut sources: Vec<NamedSource>,
    config: Option<&Config>,
) -> Result<Additions<'c>, CommandError> {
    let catalogs: &[NamedCatalog] = config.map_or(&[], |it| &it.catalogs);
    let of_file = |it: &NamedCatalog| {
        let path = it.source()?.to_owned();
        Some(NamedSource { name: it.name.clone(), is_named: true, path })
    };
    sources.extend(catalogs.iter().filter_map(of_file));
    let mut names = CatalogNames::default();
    let held = if args.verify { BTreeMap::new() } else { images_of(args.index()) };
    let (mut additions, mut updates) = (Vec::new(), Vec::new());
    for (config, catalog) in config.iter().flat_map(|it| it.catalogs.iter().map(move |of| (*it, of))) {
        config.check_inputs(catalog)?;
        if catalog.source().is_none() {
            let source = format!("{}#{}", config.path.display(), catalog.name);
            let spec = spec(args, catalogs, &catalog.name, &source);
            names.add(&catalog.name, &source)?;
            let input = composition::compose(context, config, catalog)?.input();
            additions.push(Addition { spec, source: AdditionSource::Files(input) });
        }
    }
    for source in sources {
        let spec_of_source = || spec(args, catalogs, &source.name, &source.path.display().to_string());
        let opened = match context.look(&source.path)? {
            SourceOrImage::Source(opened) => opened,
            SourceOrImage::Image(image) if held.get(&source.name) == Some(&image.origin().digest) => {
                names.add(&source.name, &source.path.display().to_string())?;
                additions.push(Addition { spec: spec_of_source(), source: AdditionSource::Image(image) });
                continue;
            }
            SourceOrImage::Image(image) => context.read(&source.path, &image)?,
        };
        let loaded = names.load(&source, &opened)?;
        updates.extend(loaded.updates);
        for catalog in loaded.catalogs {
            let spec = spec(args, catalogs, &catalog.spec.name, &catalog.spec.source);
            additions.push(Addition { spec, source: AdditionSource::Files(catalog.input()?.into_owned()) });
        }
    }
    // The catalogs are in the order of their names, whatever their kind.
    if config.is_some() {
        additions.sort_by(|a, b| a.spec.name.cmp(&b.spec.name));
    }
    let known: Vec<&str> = additions.iter().map(|it| it.spec.name.as_str()).collect();
    let named = args.priority.iter().map(|(name, _)| name).chain(args.label.iter().map(|(name, _, _)| name));
    for name in named {
        if !known.contains(&name.as_str()) {
            let message = format!("`{name}` is not one of the catalogs of this command: {}", known.join(", "));
            return Err(CommandError::usage(message));
        }
    }
    Ok(Additions { catalogs: additions, names, updates })
}

/// The images that the catalogs of an index came from, by the names of the catalogs. Other faults of the file are
/// reported when it is written.
fn images_of(path: &Path) -> BTreeMap<String, String> {
    let rows = Index::open(path).and_then(|it| it.catalogs(&Filter::default())).unwrap_or_default();
    rows.into_iter().map(|it| (it.catalog, it.image)).filter(|it| !it.1.is_empty()).collect()
}

/// The specification of a catalog: the options, and the file for everything that they leave open.
fn spec(args: &BuildArgs, catalogs: &[NamedCatalog], name: &str, source: &str) -> CatalogSpec {
    let of_file = catalogs.iter().find(|it| it.name == name);
    let priority = args.priority.iter().rev().find(|(it, _)| it == name).map(|(_, number)| *number);
    let priority = priority.or(of_file.map(|it| it.priority)).unwrap_or_default();
    let mut labels: BTreeMap<String, String> = of_file.map(|it| it.labels.clone()).unwrap_or_default();
    labels
        .extend(args.label.iter().filter(|(it, _, _)| it == name).map(|(_, key, value)| (key.clone(), value.clone())));
    CatalogSpec { name: name.to_owned(), priority, labels, source: source.to_owned() }
}
