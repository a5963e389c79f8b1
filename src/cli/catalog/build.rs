//! `olmdex build`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use crate::check;
use crate::cli::args::cache;
use crate::cli::args::choice::{ChoiceOptions, Whole, report};
use crate::cli::args::composition;
use crate::cli::args::lifecycles::{lifecycle_input, lifecycle_spec, warn_of_differences};
use crate::cli::args::output_file::OutputFileAndFormat;
use crate::cli::args::past::{PastCatalog, PastOptions};
use crate::cli::args::sources::{NamedSource, refuse_equal_names};
use crate::cli::args::update_graph::{open_updates, read};
use crate::cli::args::words::SourceOption;
use crate::cli::print::findings::{FindingFormat, print_chosen, wanted};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::cli::terminal::progress::Progress;
use crate::compose::{Choice, Chosen, Config, NamedCatalog};
use crate::diag::baseline::Scope;
use crate::diag::envelope::FindingsMetadata;
use crate::diag::repeated::Shown;
use crate::diag::{Finding, Rule, Severity, Tally, counted};
use crate::fbc::Input;
use crate::file::Cache;
use crate::git::GitError;
use crate::index::query::{Filter, LIFECYCLES_LABEL};
use crate::index::{Builder, CatalogSpec, HeldUpdates, Import, Index, Mode, Outcome};
use crate::openshift::{self, SavedUpdates};
use crate::source::{ImageSource, Opened, Source};
use crate::upgrade::cut_advice;
use crate::version::first_of;

/// Build an index of catalogs, one SQLite file, or update it
///
/// A catalog that the index has under the same name is replaced, others stay. Documents that are already there are
/// neither parsed nor stored again; if nothing has changed, the file is not touched. The file is replaced as a whole, or
/// not at all (without `-O`, ./index.db): invalid catalogs are refused with their findings, unless `--keep-going` leaves out what is broken. Only
/// warnings can be chosen from: what cannot be stored is always reported.
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
    /// Lifecycles in files, as a catalog `lifecycles` of lowest priority: what the other catalogs say of a package goes before it; may be
    /// repeated
    #[arg(long, value_name = "FILE")]
    lifecycles: Vec<PathBuf>,
    /// Known updates of OpenShift, for `platform-path` and `plan`, in the place of those that the index has: saved answers of the update
    /// service, or a copy of the graph data (directory or tar); may be repeated
    #[arg(long, value_name = "FILE|DIR")]
    graph_data: Vec<PathBuf>,
    /// Remove what the index knows of updates of OpenShift
    #[arg(long, conflicts_with = "graph_data")]
    no_graph_data: bool,
    /// Label of a catalog; may be repeated
    #[arg(long, value_name = "NAME:KEY=VALUE", value_parser = parse_label)]
    label: Vec<(String, String, String)>,
    /// Remove a catalog; may be repeated
    #[arg(long, value_name = "NAME")]
    remove: Vec<String>,
    /// Upgrade an index made by an older olmdex, if nothing else is to be done with it
    #[arg(long)]
    migrate: bool,
    /// Leave broken packages out instead of refusing the catalog, and states of `--git` that cannot be read; the exit code is 1 then
    #[arg(short, long)]
    keep_going: bool,
    /// Read all files, even those whose size, inode and time stamps are those of the last build
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
    what: What<'c>,
}

/// What it is made of.
enum What<'c> {
    Files(Input),
    /// What it was in a commit.
    Past(PastCatalog),
    /// An image that the index seems to have already, and which is read only if it does not.
    Image(ImageSource<'c>),
}

/// What goes into an index.
#[derive(Default)]
struct Additions<'c> {
    catalogs: Vec<Addition<'c>>,
    /// What sources that are indexes know of updates of OpenShift.
    updates: Vec<HeldUpdates>,
}

pub(crate) fn run(context: &Context, args: &BuildArgs) -> CommandResult {
    if args.output.format() == FindingFormat::Yaml {
        return Err(CommandError::usage("findings are written as table, json, sarif or github"));
    }
    // Everything that can be wrong with the command line or the sources is, before the target is opened.
    let named: Vec<NamedSource> = args.sources.iter().map(|it| NamedSource::parse(it)).collect();
    let paths: Vec<PathBuf> = named.iter().map(|it| it.path.clone()).collect();
    let config = args.choice.config(context, &paths)?;
    let choice = args.choice.choice(context, config.as_ref(), Whole::Catalogs)?;
    let of_file = if named.is_empty() { catalogs_of_file(args, config)? } else { None };
    let Additions { mut catalogs, updates: known } = additions(context, args, named, of_file.as_ref())?;
    add_states_and_lifecycles(context, args, &mut catalogs)?;
    if args.migrate && !args.index().exists() {
        let error = CommandError::new(Exit::Input, format!("there is no index {}", args.index().display()));
        return Err(error.help("name the index to bring up to date with `-O`"));
    }
    refuse_blank(&catalogs)?;
    let updates = open_updates(context, &args.graph_data)?;
    interrupt::undo_writes(context);
    let mut builder = opened_index(context, args, &known, updates)?;
    let mut imported = Imported::default();
    for addition in catalogs {
        imported.add(context, args, &mut builder, addition)?;
    }
    // What was not read or not judged is not left out in silence, whatever is kept going.
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

/// Adds the states of repositories, and the catalog that `--lifecycles` makes.
fn add_states_and_lifecycles(
    context: &Context,
    args: &BuildArgs,
    additions: &mut Vec<Addition<'_>>,
) -> Result<(), CommandError> {
    for (spec, catalog) in args.past.catalogs(context, args.index())? {
        if additions.iter().any(|it| it.spec.name == spec.name) {
            let message = format!("two catalogs would be called `{}`", spec.name);
            return Err(CommandError::usage(message).help("give the repository another name, as in `--git NAME=REPO`"));
        }
        additions.push(Addition { spec, what: What::Past(catalog) });
    }
    if let Some(input) = lifecycle_input(&args.lifecycles)? {
        if additions.iter().any(|it| it.spec.name == LIFECYCLES_LABEL) {
            let message = format!("`{LIFECYCLES_LABEL}` is the name of the catalog that `--lifecycles` makes");
            return Err(CommandError::usage(message).help("give the other catalog another name, as in NAME=SOURCE"));
        }
        additions.push(Addition { spec: lifecycle_spec(&args.lifecycles), what: What::Files(input) });
    }
    Ok(())
}

/// Opens the index to write, takes out what is to be removed, and puts in the updates of OpenShift. `known` are those that sources
/// hold, `updates` those that the command line names.
fn opened_index(
    context: &Context,
    args: &BuildArgs,
    known: &[HeldUpdates],
    updates: Vec<SavedUpdates>,
) -> Result<Builder, CommandError> {
    let mut builder = Builder::open(args.index())?.advised_by(cut_advice);
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

/// What came of the catalogs of the command.
#[derive(Default)]
struct Imported {
    /// By the names of the catalogs.
    imports: Vec<(String, Import)>,
    findings: Vec<Finding>,
    /// How many states of the past were left out.
    n_unreadable: u64,
}

impl Imported {
    fn add(
        &mut self,
        context: &Context,
        args: &BuildArgs,
        builder: &mut Builder,
        addition: Addition<'_>,
    ) -> Result<(), CommandError> {
        let Addition { spec, what } = addition;
        let started = Instant::now();
        let mut is_past = false;
        let input = match what {
            What::Files(input) => input,
            What::Past(PastCatalog { repository, revision, is_newest }) => {
                is_past = !is_newest;
                let found = repository.borrow_mut().catalog(&revision);
                match found {
                    Ok(input) => input,
                    // Other states lose nothing.
                    Err(error) if args.keep_going && !matches!(error, GitError::Limit(_)) => {
                        let message = format!("left out `{}`, which cannot be read: {error}", spec.name);
                        context.reporter.warning(&message);
                        self.n_unreadable += 1;
                        return Ok(());
                    }
                    Err(error) => return Err(unreadable_past(&spec, error)),
                }
            }
            What::Image(image) => {
                if let Some(import) = builder.keep_image(&spec, &image.origin())? {
                    let digest = image.origin().digest;
                    context.reporter.detail(&format!("skipped {}: the index has this image, {digest}", spec.source));
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
        let n_files = counted(input.files.len() as u64, "file");
        context.reporter.detail(&if import.was_read {
            format!("read {n_files} of {} in {:.0?}", spec.source, started.elapsed())
        } else {
            format!("skipped {n_files} of {}: size, inode and time stamps are those of the last build", spec.source)
        });
        if is_past {
            // Nobody can change the past; what is refused is said all the same.
            import.report.findings.retain(|it| it.rule.severity == Severity::Error);
        }
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

    /// Says what each catalog has, and what was left out of it, which the exit code says too.
    fn summary(&self, context: &Context) -> Exit {
        let mut exit = Exit::Yes;
        if self.n_unreadable > 0 {
            let n = counted(self.n_unreadable, "state");
            context.reporter.warning(&format!("{n} of the past left out; {PARTIAL}"));
            exit = Exit::No;
        }
        for (name, import) in &self.imports {
            if !import.left_out.is_empty() {
                let packages = import.left_out.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
                context.reporter.warning(&format!("catalog `{name}`: left out {packages}"));
                exit = Exit::No;
            } else if import.report.has_errors() {
                context.reporter.warning(&format!("catalog `{name}`: left out what cannot be read"));
                exit = Exit::No;
            }
            for channel in &import.without_range_edges {
                let message = format!(
                    "catalog `{name}`: {channel} has over 250000 edges by skipRange, which `v_edge` leaves out"
                );
                context.reporter.warning(&message);
            }
            summary(context, name, import);
        }
        exit
    }
}

/// Shows the findings, and refuses to write the index if one of them keeps a catalog out.
fn judge(context: &Context, args: &BuildArgs, mut choice: Choice, imported: &mut Imported) -> Result<(), CommandError> {
    let findings = std::mem::take(&mut imported.findings);
    // What keeps a catalog out is said and counts, whatever was chosen.
    let tally = Tally::of(&findings);
    let (errors, rules): (Vec<&Rule>, Vec<&Rule>) =
        check::all_rules().into_iter().partition(|it| it.severity == Severity::Error);
    choice.selection.exempt(&errors);
    let chosen = choice.apply(findings, &Scope { rules: &rules, package: None, is_whole: true })?;
    show(context, args, &chosen)?;
    report(context, &choice, &chosen);
    let Imported { imports, n_unreadable, .. } = imported;
    let refused: Vec<&str> = imports.iter().filter(|(_, it)| it.refused).map(|(name, _)| name.as_str()).collect();
    if !refused.is_empty() {
        // A past has a catalog for each day.
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
        let message = format!("{n} treated as errors; {} was not written", args.index().display());
        let help = "fix them, or leave out `--strict` and whatever else turns warnings into errors";
        return Err(CommandError::new(Exit::No, message).help(help));
    }
    if *n_unreadable > 0 && imports.is_empty() {
        let n = counted(*n_unreadable, "state");
        let message = format!("nothing of {n} can be read; {} was not written", args.index().display());
        return Err(CommandError::new(Exit::Input, message).help(PARTIAL));
    }
    Ok(())
}

/// What a partial clone needs.
const PARTIAL: &str = "a partial clone lacks objects: `git fetch --refetch --no-filter` brings them";

/// Why a state of the past keeps all from being written.
fn unreadable_past(spec: &CatalogSpec, error: GitError) -> CommandError {
    let help = match error {
        GitError::Limit(_) => return CommandError::from(error).at(&format!("`{}`", spec.name)),
        GitError::Missing { .. } => format!("{PARTIAL}; `--keep-going` leaves such states out"),
        _ => "`--keep-going` leaves such states out".to_owned(),
    };
    CommandError::new(Exit::Input, format!("`{}` cannot be read: {error}", spec.name)).help(help)
}

/// Refuses catalogs without documents: more likely a slip than a catalog of nothing.
fn refuse_blank(additions: &[Addition<'_>]) -> Result<(), CommandError> {
    let is_blank = |it: &&Addition<'_>| {
        !it.spec.labels.contains_key(LIFECYCLES_LABEL) && matches!(&it.what, What::Files(input) if input.is_blank())
    };
    let blank: Vec<String> = additions.iter().filter(is_blank).map(|it| format!("`{}`", it.spec.source)).collect();
    if blank.is_empty() {
        return Ok(());
    }
    let error = CommandError::new(Exit::No, format!("nothing to build: {} holds no documents", blank.join(", ")));
    Err(error.help("name the directory or the file of the catalog; `.indexignore` may hide what is there"))
}

/// Puts updates of OpenShift into the index, unless it has just these.
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

/// An image has one digest and may still hold something else for another platform.
fn is_index_now(spec: &CatalogSpec) -> CommandError {
    let message = format!("`{}` holds an index for this platform, and the catalog `{}` before", spec.source, spec.name);
    CommandError::new(Exit::Input, message).help(format!("start with `olmdex build --remove {}`", spec.name))
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

fn show(context: &Context, args: &BuildArgs, chosen: &Chosen) -> Result<(), CommandError> {
    let all = args.choice.all || !context.reporter.is_text();
    if args.output.format() != FindingFormat::Text {
        let metadata = FindingsMetadata::default();
        return print_chosen(context, args.output.format(), &check::all_rules(), chosen, all, metadata);
    }
    for Shown { finding, n_more } in wanted(&chosen.findings, all) {
        context.reporter.finding_of_many(finding, n_more, "`--all`");
    }
    Ok(())
}

/// The file whose catalogs are built, unless something else is to be done.
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
    refuse_equal_names(&sources)?;
    let held = if args.verify { BTreeMap::new() } else { images_of(args.index()) };
    let (mut additions, mut updates) = (Vec::new(), Vec::new());
    for (config, catalog) in config.iter().flat_map(|it| it.catalogs.iter().map(move |of| (*it, of))) {
        config.check_inputs(catalog)?;
        if catalog.source().is_none() {
            let source = format!("{}#{}", config.path.display(), catalog.name);
            let spec = spec(args, catalogs, &catalog.name, &source);
            let input = composition::compose(context, config, catalog)?.input();
            additions.push(Addition { spec, what: What::Files(input) });
        }
    }
    for source in sources {
        let spec_of_source = || spec(args, catalogs, &source.name, &source.path.display().to_string());
        let opened = match context.look(&source.path)? {
            Opened::Source(opened) => opened,
            Opened::Image(image) if held.get(&source.name) == Some(&image.origin().digest) => {
                additions.push(Addition { spec: spec_of_source(), what: What::Image(image) });
                continue;
            }
            Opened::Image(image) => context.read(&source.path, &image)?,
        };
        match opened {
            Source::Catalog(input) => additions.push(Addition { spec: spec_of_source(), what: What::Files(input) }),
            Source::Index(path) => {
                let index = Index::open(&path)?;
                updates.extend(index.held_updates()?);
                let held = index.catalog_names()?;
                if source.is_named && held.len() != 1 {
                    let message = format!(
                        "`{}` has {} catalogs, which cannot all be named `{}`",
                        path.display(),
                        held.len(),
                        source.name
                    );
                    return Err(CommandError::usage(message).help("leave the name out: they keep theirs"));
                }
                for name in &held {
                    let new_name = if source.is_named { &source.name } else { name };
                    let spec = spec(args, catalogs, new_name, &format!("{}#{name}", path.display()));
                    additions.push(Addition { spec, what: What::Files(index.catalog_input(name)?) });
                }
            }
        }
    }
    // In the order of their names, however they are made.
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
    Ok(Additions { catalogs: additions, updates })
}

/// The images that the catalogs of an index came from, by the names of the catalogs. Whatever else is wrong with the file is said
/// when it is written.
fn images_of(path: &Path) -> BTreeMap<String, String> {
    let rows = Index::open(path).and_then(|it| it.catalogs(&Filter::default())).unwrap_or_default();
    rows.into_iter().map(|it| (it.catalog, it.image)).filter(|it| !it.1.is_empty()).collect()
}

/// A catalog as the options say, and where they say nothing as the file says.
fn spec(args: &BuildArgs, catalogs: &[NamedCatalog], name: &str, source: &str) -> CatalogSpec {
    let of_file = catalogs.iter().find(|it| it.name == name);
    let priority = args.priority.iter().rev().find(|(it, _)| it == name).map(|(_, number)| *number);
    let priority = priority.or(of_file.map(|it| it.priority)).unwrap_or_default();
    let mut labels: BTreeMap<String, String> = of_file.map(|it| it.labels.clone()).unwrap_or_default();
    labels
        .extend(args.label.iter().filter(|(it, _, _)| it == name).map(|(_, key, value)| (key.clone(), value.clone())));
    CatalogSpec { name: name.to_owned(), priority, labels, source: source.to_owned() }
}
