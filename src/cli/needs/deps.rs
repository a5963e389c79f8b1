//! `olmdex deps`

use std::collections::BTreeSet;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::Context;
use crate::cli::args::sources::AskOptions;
use crate::cli::args::upgrade::AnswerFormat;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::cli::args::name::{NameArgument, unknown_package};
use crate::cli::args::namespace::WorkOptions;
use crate::cli::print::envelope::print_answers;
use crate::cli::print::sheet::Sheet;
use crate::index::Index;
use crate::index::query::{BundleSelector, Filter};
use crate::resolve::{
    Because, Failure, IndexRows, Install, Named, Options, Question, Verdict, World, demanders, demands, resolve,
};

/// Show what a bundle requires and who provides it; all that comes with it; or who requires something that it provides
///
/// Exits with 1 if something that it requires is provided by nobody, or cannot be had.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex deps alloydb-omni-operator@1.4.1
  olmdex deps a-operator --closure -i shop=catalog/
  olmdex deps cert-manager --invert -o json")]
pub(crate) struct DepsArgs {
    /// PKG (the head of its default channel), PKG@VERSION, PKG/CHANNEL (its head) or the name of a bundle
    #[arg(value_name = "PKG@V")]
    name: String,
    /// All that OLM installs with it in an empty namespace
    #[arg(long, conflicts_with = "invert")]
    closure: bool,
    /// The bundles that require something that it provides
    #[arg(long)]
    invert: bool,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    ask: AskOptions,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = AnswerFormat::Text)]
    output: AnswerFormat,
}

/// What a bundle requires, or who requires it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Dependencies {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// What it requires.
    pub requires: Vec<DependencyAnswer>,
    /// What OLM installs with it, itself included; only if asked for.
    pub closure: Vec<ClosureAnswer>,
    /// Who requires something that it provides; only if asked for.
    pub required_by: Vec<DemanderAnswer>,
}

/// Something that is required.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DependencyAnswer {
    /// What is required, or what is wrong with the requirement.
    pub requirement: String,
    /// What its author says, or empty.
    pub message: String,
    /// Whether it cannot be read.
    pub is_broken: bool,
    /// Whether one operator must be several things at once.
    pub is_all: bool,
    /// Who provides it, the preferred ones first.
    pub provided_by: Vec<PlaceAnswer>,
}

/// A bundle with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlaceAnswer {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The bundle.
    pub bundle: String,
}

/// An operator that comes with a bundle.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClosureAnswer {
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// Its package.
    pub package: String,
    /// Its channel.
    pub channel: String,
    /// Its catalog.
    pub catalog: String,
    /// Who requires it, and what; empty for the bundle itself.
    pub because: Vec<String>,
}

/// A bundle that requires something.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DemanderAnswer {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// The channels that have it.
    pub channels: Vec<String>,
    /// What it requires.
    pub requirement: String,
}

/// The types of properties that demand something.
const DEMANDING: [&str; 4] = ["olm.gvk.required", "olm.package.required", "olm.label.required", "olm.constraint"];

pub(crate) fn run(context: &Context, args: &DepsArgs) -> CommandResult {
    let index = args.ask.open(context)?;
    let target = Target::find(&index, &args.ask.catalog, &args.name)?;
    let world = bare_world(&index, &args.ask.catalog)?;
    let rows = IndexRows::new(&index, &world);
    let options = args.work.options();
    let mut answers = Vec::new();
    let mut is_met = true;
    let found = match demands(&world, &rows, &options, &target.package, &target.bundle) {
        // What it requires itself is not asked.
        Err(Failure::Work(overwork)) if args.invert => {
            context.reporter.warning(&overwork.to_string());
            let catalog = crate::cli::needs::images::catalog_of(&index, &args.ask.catalog, &target)?;
            let (package, bundle) = (target.package.clone(), target.bundle.clone());
            let (requires, closure, required_by) = (Vec::new(), Vec::new(), Vec::new());
            answers.push(Dependencies { catalog, package, bundle, requires, closure, required_by });
            Vec::new()
        }
        found => found?,
    };
    for found in found {
        is_met &= found.demands.iter().all(|it| !it.candidates.is_empty());
        answers.push(Dependencies {
            catalog: found.bundle.catalog.clone(),
            package: target.package.clone(),
            bundle: found.bundle.name.clone(),
            requires: found
                .demands
                .into_iter()
                .map(|it| DependencyAnswer {
                    requirement: it.text,
                    message: it.message,
                    is_broken: it.is_broken,
                    is_all: it.is_all,
                    provided_by: it.candidates.iter().map(place).collect(),
                })
                .collect(),
            closure: Vec::new(),
            required_by: Vec::new(),
        });
    }
    if args.closure {
        for answer in &mut answers {
            match closure(&index, &answer.catalog, &target, &options)? {
                Some(found) => answer.closure = found,
                None => is_met = false,
            }
        }
        if !is_met {
            let name = &target.bundle;
            context.reporter.note(&format!("{name} cannot be installed; `olmdex resolve --install` says why"));
        }
    }
    if args.invert {
        is_met = true;
        let mut packages = Vec::new();
        for kind in DEMANDING {
            packages.extend(index.packages_with_property(kind)?.into_iter().map(|it| it.0));
        }
        packages.sort();
        packages.dedup();
        let (found, left_out) = demanders(&world, &rows, &options, (&target.package, &target.bundle), &packages)?;
        for it in left_out {
            context.reporter.warning(&format!("left out: {it}; a higher `--max-work` allows for more"));
        }
        if let Some(answer) = answers.first_mut() {
            answer.required_by = found
                .into_iter()
                .map(|it| DemanderAnswer {
                    catalog: it.bundle.catalog,
                    package: it.bundle.package,
                    bundle: it.bundle.name,
                    channels: it.channels,
                    requirement: it.text,
                })
                .collect();
        }
        answers.truncate(1);
    }
    print_answers(args.output, "Dependencies", answers, |it| sheet(it, args))?;
    Ok(if is_met { Exit::Yes } else { Exit::No })
}

fn place(it: &Named) -> PlaceAnswer {
    PlaceAnswer {
        catalog: it.catalog.clone(),
        package: it.package.clone(),
        channel: it.channel.clone(),
        bundle: it.name.clone(),
    }
}

/// A namespace in which nothing is.
pub(crate) fn bare_world(index: &Index, catalogs: &[String]) -> Result<World, CommandError> {
    let ranks = index.catalog_ranks(&Filter { catalogs: catalogs.to_vec(), ..Filter::default() })?;
    Ok(Question::default().world(&ranks)?.0)
}

/// The bundle that a name means.
pub(crate) struct Target {
    pub(crate) package: String,
    pub(crate) bundle: String,
}

impl Target {
    pub(crate) fn find(index: &Index, catalogs: &[String], name: &str) -> Result<Self, CommandError> {
        let not_found = |what: String| CommandError::new(Exit::NotFound, what);
        let filter = Filter { catalogs: catalogs.to_vec(), ..Filter::default() };
        let head = |package: &str, channel: Option<&str>| -> Result<Option<String>, CommandError> {
            for graph in index.package_graphs(&filter, package)? {
                let wanted = channel.unwrap_or(&graph.default_channel).to_owned();
                let found = crate::upgrade::classic::Package::new(&graph);
                let order = found.channels.iter().find(|it| it.name == wanted).and_then(|it| it.order().ok());
                if let Some(head) = order.and_then(|it| it.live.first().map(|it| it.name.clone())) {
                    return Ok(Some(head));
                }
            }
            Ok(None)
        };
        match NameArgument::parse(name) {
            NameArgument::Plain(name) => {
                if let Some(bundle) = head(&name, None)? {
                    return Ok(Self { package: name, bundle });
                }
                match index.packages_of_bundle(&name)?.into_iter().next() {
                    Some(package) => Ok(Self { package, bundle: name }),
                    None => Err(unknown_package(index, &name)?),
                }
            }
            NameArgument::Channel(package, channel) => match head(&package, Some(&channel))? {
                Some(bundle) => Ok(Self { package, bundle }),
                None if index.package_graphs(&filter, &package)?.is_empty() => Err(unknown_package(index, &package)?),
                None => Err(crate::cli::args::name::unknown_channel(index, &package, &channel)?),
            },
            NameArgument::Version(package, version) => {
                let selector = |name: Option<String>, version: Option<String>| BundleSelector {
                    catalogs: catalogs.to_vec(),
                    package: Some(package.clone()),
                    name,
                    version,
                };
                let mut found = index.show_bundle(&selector(None, Some(version.clone())))?;
                if found.is_empty() {
                    found = index.show_bundle(&selector(Some(version.clone()), None))?;
                }
                match found.into_iter().next() {
                    Some(it) => Ok(Self { bundle: it.row.bundle, package }),
                    None if index.package_graphs(&filter, &package)?.is_empty() => {
                        Err(unknown_package(index, &package)?)
                    }
                    None => {
                        let error = not_found(format!("package `{package}` has no version `{version}`"));
                        Err(error.help(format!("`olmdex list bundles {package}` lists what there is")))
                    }
                }
            }
        }
    }
}

/// What OLM installs with a bundle of a catalog in an empty namespace; `None` if it cannot be had.
pub(crate) fn closure(
    index: &Index,
    catalog: &str,
    target: &Target,
    options: &Options,
) -> Result<Option<Vec<ClosureAnswer>>, CommandError> {
    let mut world = bare_world(index, &[])?;
    // The Subscription is to this catalog, whatever the priorities.
    let only = bare_world(index, &[catalog.to_owned()])?;
    let mut asked = only.clone();
    let question = Question {
        install: vec![Install { package: target.package.clone(), choice: Some(target.bundle.clone()) }],
        ..Question::default()
    };
    question.complete(&mut asked, &IndexRows::new(index, &only), index)?;
    world.subscriptions = asked.subscriptions;
    let rows = IndexRows::new(index, &world);
    let Verdict::Resolved(resolution) = resolve(&world, &rows, options)? else { return Ok(None) };
    let words = |it: &Because| match it {
        Because::Required { by, text, .. } => Some(format!("{by} requires {text}")),
        _ => None,
    };
    let answer = |it: &crate::resolve::Operator| ClosureAnswer {
        bundle: it.name.clone(),
        version: it.version.clone(),
        package: it.package.clone(),
        channel: it.channel.clone(),
        catalog: world.catalogs.get(it.catalog).map(|it| it.name.clone()).unwrap_or_default(),
        because: it.because.iter().filter_map(words).collect(),
    };
    Ok(Some(resolution.operators.iter().map(answer).collect()))
}

/// What can be had of what a bundle needs where not everything can.
pub(crate) struct PartialClosure {
    /// The first choice for each demand, and for the demands of those: catalog, package and bundle.
    pub(crate) bundles: Vec<(String, String, String)>,
    /// Demands that nothing meets, in words.
    pub(crate) missing: Vec<String>,
}

/// Follows each demand by itself: what OLM would take for it if there were nothing else.
pub(crate) fn partial_closure(
    index: &Index,
    catalog: &str,
    target: &Target,
    options: &Options,
) -> Result<PartialClosure, CommandError> {
    let world = bare_world(index, &[])?;
    let rows = IndexRows::new(index, &world);
    let mut found = PartialClosure { bundles: Vec::new(), missing: Vec::new() };
    let mut open = vec![(catalog.to_owned(), target.package.clone(), target.bundle.clone())];
    let mut seen: BTreeSet<(String, String, String)> = open.iter().cloned().collect();
    while let Some((catalog, package, bundle)) = open.pop() {
        let of_bundle = demands(&world, &rows, options, &package, &bundle)?;
        let mut own: Vec<_> = of_bundle.into_iter().filter(|it| it.bundle.catalog == catalog).collect();
        own.truncate(1);
        for demand in own.into_iter().flat_map(|it| it.demands) {
            let Some(first) = demand.candidates.first() else {
                let why = match (demand.is_broken, demand.is_all) {
                    (true, _) => "cannot be read",
                    (false, true) => "no single operator is all of that",
                    (false, false) => "nothing provides that",
                };
                let missing = format!("{bundle} requires {}: {why}", demand.text);
                if !found.missing.contains(&missing) {
                    found.missing.push(missing);
                }
                continue;
            };
            let place = (first.catalog.clone(), first.package.clone(), first.name.clone());
            if seen.insert(place.clone()) {
                found.bundles.push(place.clone());
                open.push(place);
            }
        }
    }
    Ok(found)
}

fn sheet(answer: &Dependencies, args: &DepsArgs) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line("catalog", &answer.catalog);
    sheet.line("package", &answer.package);
    sheet.line("bundle", &answer.bundle);
    if args.invert {
        let rows = answer.required_by.iter().map(|it| {
            let (catalog, package, bundle) = (it.catalog.clone(), it.package.clone(), it.bundle.clone());
            vec![catalog, package, bundle, it.channels.join(","), it.requirement.clone()]
        });
        sheet.line("required by", if answer.required_by.is_empty() { "nobody" } else { "" });
        sheet.table("Required by", &["CATALOG", "PACKAGE", "BUNDLE", "CHANNELS", "REQUIRES"], rows.collect());
        return sheet;
    }
    sheet.line("requires", if answer.requires.is_empty() { "nothing" } else { "" });
    let rows = answer.requires.iter().map(|it| {
        let mut packages: Vec<String> = Vec::new();
        for place in &it.provided_by {
            let text = format!("{} of {}", place.package, place.catalog);
            if !packages.contains(&text) {
                packages.push(text);
            }
        }
        let first = it.provided_by.first().map(|it| format!("{} ({})", it.bundle, it.channel));
        let nobody = match (it.is_broken, it.is_all) {
            (true, _) => "",
            (false, true) => "no single operator",
            (false, false) => "nobody",
        };
        vec![
            it.requirement.clone(),
            first.unwrap_or_else(|| nobody.to_owned()),
            packages.join(", "),
            it.message.clone(),
        ]
    });
    sheet.table("Requires", &["WHAT", "FIRST CHOICE", "PROVIDED BY", "MESSAGE"], rows.collect());
    let rows = answer.closure.iter().map(|it| {
        let (bundle, version) = (it.bundle.clone(), it.version.clone());
        vec![bundle, version, it.catalog.clone(), it.channel.clone(), it.because.join("; ")]
    });
    sheet.table("Installed together", &["BUNDLE", "VERSION", "CATALOG", "CHANNEL", "BECAUSE"], rows.collect());
    sheet
}
