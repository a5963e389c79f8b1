//! `olmdex simulate`

use crate::cli::args::formats::{Formats, JSON, OutputFormat, YAML};
use std::collections::BTreeMap;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::ask::{OlmSet, RepairQuestion, SeenBundle, SimulationQuestion, one_of, only_catalog};
use crate::cli::args::one_catalog;
use crate::cli::args::sources::{AskOptions, source_path};
use crate::cli::print::repairs;
use crate::cli::print::simulation;
use crate::cli::print::table::write_data;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit, unless_reader_left};
use crate::edit::{CatalogEdit, Change, DescribedBundle, Effect, Simulation, Survey, before_and_after};
use crate::fbc::Input;
use crate::fbc::Name;

/// Show what a change would mean for everybody who has a version installed
///
/// For each channel and version: where upgrades lead now, and where they would lead. Operators that depend on the
/// package are resolved again, as OLM Classic does; OLM v1 resolves no dependencies and installs none of them, which
/// the answer states. For users who are newly stranded, the answer has the edge that was lost, and the smallest edge
/// that strands nobody. Exits with 1 if somebody is stranded who was not, or an operator that depends on the package
/// can no longer be installed. Nothing is written; `olmdex edit` does.
///
/// With `--repair-all`, nothing is changed: the command looks for the fewest edits of entries with which nobody who is
/// stranded now stays stranded. It tries each edit and follows the upgrades of everybody with it, in both generations
/// of OLM. It also says whether fewer edits could be enough. Exits with 1 if somebody stays stranded.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex simulate --add till.v1.2.0,replaces=till.v1.1.0,channel=stable -i my-catalog/
  olmdex simulate --remove till@1.1.0 -i my-catalog/ -o markdown
  olmdex simulate --old old-catalog/ --new my-catalog/
  olmdex simulate --repair-all -i my-catalog/")]
pub(crate) struct SimulateArgs {
    /// A bundle that is added: NAME,channel=…[,replaces=…][,skips=…][,skipRange=…][,version=…][,package=…]; several
    /// channels and skips are separated by `;`
    #[arg(long, value_name = "NAME,…", group = "what")]
    add: Option<String>,
    /// A package, channel or bundle that is removed, as `olmdex edit remove` does it
    #[arg(long, value_name = "NAME", group = "what")]
    remove: Option<String>,
    /// A package, channel or bundle that is deprecated
    #[arg(long, value_name = "NAME", group = "what")]
    deprecate: Option<String>,
    /// The catalog as it is
    #[arg(long, value_name = "SOURCE", requires = "new", group = "what", value_parser = source_path())]
    old: Option<PathBuf>,
    /// The catalog as it would be
    #[arg(long, value_name = "SOURCE", requires = "old", value_parser = source_path())]
    new: Option<PathBuf>,
    /// Find the fewest edits that strand nobody, in the named packages, or in all
    #[arg(long, group = "what", conflicts_with_all = ["installed", "seen"])]
    repair_all: bool,
    /// With `--repair-all`: only these packages
    #[arg(value_name = "PKG", requires = "repair_all")]
    packages: Vec<String>,
    /// The catalog: any kind of source
    #[arg(short, long = "input", value_name = "SOURCE", default_value = ".", value_parser = source_path())]
    input: PathBuf,
    /// The catalog of an index that has several; versions that the others have in a channel of the same name count as
    /// installed too
    #[arg(long, value_name = "NAME")]
    catalog: Option<String>,
    /// Bundles that users may also have installed: a bundle's name, a version, or NAME@VERSION; may be repeated
    #[arg(long, value_name = "NAME|VERSION")]
    installed: Vec<String>,
    /// A source whose versions may be installed too, channel by channel; may be repeated
    #[arg(long, value_name = "SOURCE")]
    seen: Vec<PathBuf>,
    /// Which generation of OLM to ask
    #[arg(long, value_parser = one_of::<OlmSet>(), default_value = "both")]
    olm: OlmSet,
    /// Also list users for whom nothing changes
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(short, long, value_parser = FORMATS, default_value = "table")]
    output: OutputFormat,
}

const FORMATS: Formats =
    Formats(&[(OutputFormat::Table, "Columns"), JSON, YAML, (OutputFormat::Markdown, "Tables for a pull request")]);

pub(crate) fn run(context: &Context, args: &SimulateArgs) -> CommandResult {
    if args.repair_all {
        return repair_all(context, args);
    }
    let simulations = match (&args.old, &args.new) {
        (Some(old), Some(new)) => between(context, args, old, new)?,
        _ => vec![changed(context, args)?],
    };
    print_news(simulations, args.output, args.all)
}

/// Prints what the changes of an edit mean: the answer of `olmdex edit … --impact`.
pub(super) fn print_impact(context: &Context, before: &Input, edited: &CatalogEdit) -> CommandResult {
    let (index, errors) = before_and_after(before, edited.input())?;
    errors.iter().for_each(|error| context.reporter.finding(error));
    let question = SimulationQuestion { olm: OlmSet::default(), installed: &[], seen: &[] };
    let simulations = question.of_catalogs(&index, &mut |text| context.reporter.warning(text))?;
    print_news(simulations, OutputFormat::Table, false)
}

fn print_news(mut simulations: Vec<Simulation>, format: OutputFormat, prints_all: bool) -> CommandResult {
    CommandError::of_limit().map_or(Ok(()), Err)?;
    let is_negative = simulations.iter().any(Simulation::is_negative);
    let counts = simulation::counts(&simulations);
    if !prints_all {
        let is_news = |effect: Effect| !matches!(effect, Effect::Same | Effect::StrandedBefore);
        simulations.iter_mut().for_each(|of_package| of_package.users.retain(|user| is_news(user.effect)));
    }
    unless_reader_left(print(format, simulations, &counts))?;
    Ok(if is_negative { Exit::No } else { Exit::Yes })
}

/// Prints the edits that strand nobody.
fn repair_all(context: &Context, args: &SimulateArgs) -> CommandResult {
    let mut sources = AskOptions::of_sources(std::slice::from_ref(&args.input));
    sources.catalog.extend(args.catalog.clone());
    let index = sources.open_about(context, &args.packages)?;
    let question = RepairQuestion {
        olm: args.olm,
        packages: args.packages.clone(),
        catalogs: args.catalog.iter().cloned().collect(),
    };
    let answers = question.answer(&index)?;
    let is_negative = answers.is_negative();
    let mut out = BufWriter::new(std::io::stdout().lock());
    let printed = match args.output {
        format if format.is_data() => Ok(write_data(format, "Repairs", answers.items, &mut out)?),
        format => repairs::print(format, &answers, &mut out),
    };
    unless_reader_left(printed.and_then(|()| Ok(out.flush()?)))?;
    Ok(if is_negative { Exit::No } else { Exit::Yes })
}

fn print(
    format: OutputFormat,
    simulations: Vec<Simulation>,
    counts: &BTreeMap<Effect, u64>,
) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    if format.is_data() {
        write_data(format, "Simulation", simulations, &mut out)?;
    } else {
        simulation::print(format, &simulations, counts, &mut out)?;
    }
    Ok(out.flush()?)
}

/// Simulates the difference between two catalogs.
fn between(context: &Context, args: &SimulateArgs, old: &Path, new: &Path) -> Result<Vec<Simulation>, CommandError> {
    let (old, new) = (one_catalog::open(context, old, None)?, one_catalog::open(context, new, None)?);
    let (index, _) = before_and_after(&old, &new)?;
    let seen = seen_in(context, &args.seen)?;
    let warn = &mut |text: &str| context.reporter.warning(text);
    Ok(question(args, &seen).of_catalogs(&index, warn)?)
}

fn question<'q>(args: &'q SimulateArgs, seen: &'q [SeenBundle]) -> SimulationQuestion<'q> {
    SimulationQuestion { olm: args.olm, installed: &args.installed, seen }
}

/// Simulates a change, with the edges that would help.
fn changed(context: &Context, args: &SimulateArgs) -> Result<Simulation, CommandError> {
    let seen_elsewhere = seen_in(context, &args.seen)?;
    let (input, mut seen, package) = part(context, args).map_err(|error| {
        let is_guessed = args.add.as_deref().is_some_and(|it| !it.contains(",package=") && !it.contains(",replaces="));
        match error.help.clone().filter(|_| is_guessed && error.exit == Exit::NotFound) {
            Some(help) => error.help(format!("name the package of the bundle with `package=`: {help}")),
            None => error,
        }
    })?;
    seen.extend(seen_elsewhere.into_iter().filter(|it| it.package == package));
    let mut catalog = CatalogEdit::new(input.clone());
    let (package, change) = change(args, &catalog)?;
    catalog.change_unjudged(&package, &[change])?;
    let (index, errors) = before_and_after(&input, catalog.input())?;
    errors.iter().for_each(|it| context.reporter.finding(it));
    let warn = &mut |text: &str| context.reporter.warning(text);
    Ok(question(args, &seen).of_package(&index, &package, warn)?)
}

/// The versions that other sources have.
fn seen_in(context: &Context, paths: &[PathBuf]) -> Result<Vec<SeenBundle>, CommandError> {
    let mut seen = Vec::new();
    for path in paths {
        let index = AskOptions::of_sources(std::slice::from_ref(path)).open(context)?;
        for package in index.package_names()? {
            seen.extend(SeenBundle::of_package(&index, &package, None)?);
        }
    }
    Ok(seen)
}

/// The part of a catalog that a change can affect, the bundles of other catalogs of its index, and the changed package.
fn part(context: &Context, args: &SimulateArgs) -> Result<(Input, Vec<SeenBundle>, String), CommandError> {
    let named = named(args)?;
    let source = context.open(&args.input)?;
    let catalog = only_catalog(&args.input, &source, args.catalog.as_deref(), None)?;
    let Some((index, of_index)) = catalog.index() else {
        let input = catalog.input()?;
        let survey = Survey::of_files(&input);
        // Without some of the documents, the effects are not those of the change.
        CommandError::of_limit().map_or(Ok(()), Err)?;
        let package = survey.package_of(&named)?;
        let files = survey.files_of(&survey.around(&package));
        return Ok((input.only(&files), Vec::new(), package));
    };
    let mut survey = Survey::of_index(index)?;
    if let Name::Plain(name) = &named {
        survey.add_bundle(name, index.packages_of_bundle(name)?);
    }
    let package = survey.package_of(&named)?;
    let around = survey.around(&package);
    let input = index.packages_without_manifests(of_index, around.iter().map(String::as_str))?;
    let seen = SeenBundle::of_package(index, &package, Some(of_index))?;
    Ok((input, seen, package))
}

/// The name of the changed thing, as far as it tells the package.
fn named(args: &SimulateArgs) -> Result<Name, CommandError> {
    if let Some(text) = args.remove.as_ref().or(args.deprecate.as_ref()) {
        return Ok(Name::parse(text));
    }
    let Some(text) = &args.add else {
        let error = CommandError::usage("nothing to simulate: no change given");
        return Err(error.help("name `--add`, `--remove`, `--deprecate`, or `--base` and `--new`"));
    };
    Ok(DescribedBundle::parse(text)?.package_or_neighbour())
}

fn change(args: &SimulateArgs, catalog: &CatalogEdit) -> Result<(String, Change), CommandError> {
    let find = |text: &str| catalog.find(&Name::parse(text)).map_err(CommandError::from);
    if let Some(text) = &args.remove {
        let (package, target) = find(text)?;
        return Ok((package, Change::Remove(target)));
    }
    if let Some(text) = &args.deprecate {
        let (package, target) = find(text)?;
        return Ok((package, Change::Deprecate { target, message: "It is deprecated.".to_owned() }));
    }
    Ok(DescribedBundle::parse(args.add.as_deref().unwrap_or_default())?.addition(catalog)?)
}
