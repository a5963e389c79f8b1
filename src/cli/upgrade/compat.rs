//! `olmdex compat`

use std::borrow::Cow;
use std::path::PathBuf;

use clap::Args;

use crate::ask::{Olm, PackageName, guess_bundle, installed, no_channel, no_package, no_version};
use crate::catalog_source::{CATALOG_NAME_LABEL, CatalogSources, SourceMeaning};
use crate::cli::args::cluster::{read_cluster, shown};
use crate::cli::args::formats::choices;
use crate::cli::args::name::package;
use crate::cli::args::source_map::SourceMapOption;
use crate::cli::args::sources::AskOptions;
use crate::cli::args::upgrade::{GateOptions, parse_minor};
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::cluster::{Cluster, Subscription};
use crate::constraint::openshift::{MAX_OPENSHIFT_VERSION, Minor};
use crate::diag::counted;
use crate::fbc::Name;
use crate::index::Index;
use crate::index::query::{BundleRow, Filter, PackageGraph};
use crate::plan::{PlanCatalog, StayingOperator, catalogs_of_move, way_out};
use crate::upgrade::compat::Compatibility;
use crate::upgrade::v1::Installation;
use crate::upgrade::{
    Generation, InstalledBundle, Move, PackageView, Stay, Stop, Target, bundles_that_stay, installed_that_stays,
};

/// Check which operators block a cluster upgrade to a later OpenShift version
///
/// What decides is olm.maxOpenShiftVersion, com.redhat.openshift.versions and minKubeVersion of each bundle; every verdict
/// names its signal. That a catalog lists a bundle proves nothing. With installed operators, exits with 1 if one of
/// them blocks the cluster, and shows the fewest steps that lift the block.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex compat --openshift 4.16 --verdict blocks
  olmdex compat keda --openshift 4.16 --to 4.18 -o wide
  olmdex compat --openshift 4.16 --installed keda@2.8.1
  olmdex compat --cluster must-gather/ --to 4.18")]
pub(crate) struct CompatArgs {
    /// Only this package, this version or this channel of it, or this bundle
    #[arg(value_name = "PKG[@VERSION|/CHANNEL]")]
    package: Option<String>,
    /// The cluster's version of OpenShift. Default: that of the ClusterVersion of `--cluster`
    #[arg(long, value_name = "VERSION", value_parser = parse_minor, required_unless_present = "cluster")]
    openshift: Option<Minor>,
    /// The target version. Default: the next minor version
    #[arg(long, value_name = "VERSION", value_parser = parse_minor)]
    to: Option<Minor>,
    /// An installed operator, as PKG@VERSION or by its bundle's name; may be repeated
    #[arg(long, value_name = "BUNDLE", conflicts_with = "package")]
    installed: Vec<String>,
    /// What is installed, in manifests: ClusterServiceVersions and ClusterExtensions as `kubectl get -o yaml` prints them,
    /// or a must-gather; may be repeated
    #[arg(long, value_name = "FILE|DIR|-", conflicts_with = "package")]
    cluster: Vec<PathBuf>,
    #[command(flatten)]
    source_map: SourceMapOption,
    /// Only with this verdict; may be repeated
    #[arg(long, value_enum, value_name = "VERDICT")]
    verdict: Vec<Compatibility>,
    /// Which generation of OLM installed the operators: they read olm.maxOpenShiftVersion differently
    #[arg(long, value_enum, default_value_t = Olm::Both)]
    olm: Olm,
    #[command(flatten)]
    gates: GateOptions,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

choices! { Compatibility =>
    Blocks: "blocks", "The cluster is not upgraded while it is installed";
    Excluded: "excluded", "It says that it does not support the version";
    Unknown: "unknown", "It says nothing about it";
    NotExcluded: "not-excluded" | "notExcluded", "It says from which version on it works";
    Stated: "stated", "It says that it supports the version";
}

/// The way out, by the steps of the cluster: what must be installed before each of them.
fn stops_in_words(row: &Stay) -> String {
    let mut stops: Vec<(&Stop, &str)> = Vec::new();
    for stop in &row.stops {
        match stops.last_mut() {
            Some((first, last)) if first.bundle == stop.bundle => *last = &stop.openshift,
            _ => stops.push((stop, &stop.openshift)),
        }
    }
    let words = stops.into_iter().map(|(stop, last)| {
        let steps = counted(stop.steps as u64, "step");
        let Stop { openshift, version, .. } = stop;
        match last == openshift {
            true => format!("before {openshift}: {version} ({steps})"),
            false => format!("before {openshift} to {last}: {version} ({steps})"),
        }
    });
    words.collect::<Vec<_>>().join("; ")
}

impl Row for Stay {
    const KIND: &'static str = "CompatList";

    const COLUMNS: &'static [Column<Self>] = &[
        wide("CATALOG", |it| Cow::from(&it.catalog)),
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("VERSION", |it| Cow::from(&it.version)),
        wide("BUNDLE", |it| Cow::from(&it.bundle)),
        column("OLM", |it| it.olm.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(",").into()),
        column("VERDICT", |it| it.verdict.as_str().into()),
        column("SIGNAL", |it| {
            let decisive = it.evidence.iter().filter(|evidence| evidence.verdict == it.verdict);
            decisive.map(|it| it.signal.as_str()).collect::<Vec<_>>().join(",").into()
        }),
        column("BECAUSE", |it| match &it.refusal {
            None => Cow::from(&it.reason),
            Some(refusal) => format!("{}; OLM v1 refuses it: {}", it.reason, refusal.replace('\n', " ")).into(),
        }),
        column("WAY OUT", |it| stops_in_words(it).into()),
        wide("STEPS", |it| {
            let way = it.way.iter().flatten().map(|step| {
                let Target { catalog, version, .. } = &step.target;
                // The catalog that holds the bundle needs no words.
                if it.catalog.is_empty() || *catalog == it.catalog {
                    version.clone()
                } else {
                    format!("{version} of {catalog}")
                }
            });
            way.collect::<Vec<_>>().join(" > ").into()
        }),
    ];

    fn name(&self) -> String {
        self.bundle.clone()
    }
}

pub(crate) fn run(context: &Context, args: &CompatArgs) -> CommandResult {
    let cluster = read_cluster(context, &args.cluster)?;
    let openshift = openshift(args, &cluster)?;
    let step = Move { from: openshift, to: args.to.unwrap_or_else(|| openshift.next()) };
    if !step.from.is_before(step.to) {
        let error = CommandError::usage(format!("OpenShift {} is not later than {}", step.to, step.from));
        return Err(error.help("`--to` names a later minor version"));
    }
    let index = args.ask.open(context)?;
    let filter = Filter { catalogs: args.ask.catalog.clone(), ..Filter::default() };
    let names = if filter.catalogs.is_empty() { index.catalog_names()? } else { filter.catalogs.clone() };
    let asking = Asking { index: &index, filter: &filter, catalogs: catalogs_of_move(&names, step), step };
    let installation = Installation { gates: args.gates.gates(), ..Installation::default() };
    let (mut rows, mut is_blocked) = (Vec::new(), false);
    if args.installed.is_empty() && args.cluster.is_empty() {
        let wanted = args.package.as_deref().map(|it| package(&index, it)).transpose()?;
        let packages = match &wanted {
            Some(wanted) => vec![wanted.package.clone()],
            None => index.package_names()?,
        };
        for package in &packages {
            let graphs = index.package_graphs(&filter, package)?;
            if graphs.is_empty() && wanted.is_some() {
                return Err(no_package(&index, package)?.into());
            }
            for graph in &graphs {
                let mut found = bundles_that_stay(generations(args.olm), graph, step, &installation);
                if let Some(wanted) = &wanted {
                    keep(&index, graph, wanted, &mut found)?;
                }
                rows.extend(found);
            }
        }
        if let (Some(PackageName { package, installed: Some(version), .. }), []) = (&wanted, rows.as_slice()) {
            return Err(no_version(&index, &filter.catalogs, package, version)?.into());
        }
    } else {
        let mut all = Vec::new();
        let bundles = bundles_by_name(args, &index, &filter)?;
        for text in &args.installed {
            let (view, installed) = find(&index, &filter, &bundles, text)?;
            let operator = StayingOperator {
                package: view.package.clone(),
                installed,
                olm: Generation::Classic,
                channels: Vec::new(),
                range: String::new(),
                own_max: None,
                installation: installation.clone(),
            };
            all.extend(asking.rows(generations(args.olm), &view, &operator, &asking.catalogs)?);
        }
        if !args.cluster.is_empty() {
            let (found, is_incomplete) = rows_of_cluster(context, args, &cluster, &asking, &bundles)?;
            all.extend(found);
            is_blocked |= is_incomplete;
        }
        for row in all.iter().filter(|it| it.verdict == Compatibility::Blocks) {
            is_blocked = true;
            let what = format!("{} blocks the upgrade from OpenShift {} to {}", row.bundle, step.from, step.to);
            context.reporter.warning(&format!("{what}: {}", row.reason));
        }
        // A Subscription is none of OLM v1's business.
        for (row, refusal) in all.iter().filter_map(|it| Some((it, it.refusal.as_ref()?))) {
            if row.olm == [Generation::V1] {
                is_blocked = true;
                context.reporter.warning(&format!("OLM v1 refuses {}: {refusal}", row.bundle));
            }
        }
        rows = all;
    }
    rows.retain(|row| args.verdict.is_empty() || args.verdict.contains(&row.verdict));
    table::print(rows, &args.rows)?;
    Ok(if is_blocked { Exit::No } else { Exit::Yes })
}

/// The cluster's version: what was given, else what its ClusterVersion says.
fn openshift(args: &CompatArgs, cluster: &Cluster) -> Result<Minor, CommandError> {
    match (args.openshift, cluster.openshift.as_str()) {
        (Some(given), _) => Ok(given),
        (None, "") => {
            let error = CommandError::usage(format!("{} has no ClusterVersion", shown(&args.cluster)));
            Err(error.help("give the cluster's version with `--openshift VERSION`"))
        }
        (None, read) => parse_minor(read).map_err(|error| CommandError::new(Exit::Input, error)),
    }
}

/// Leaves the bundles that an argument names, of those of a package.
fn keep(index: &Index, graph: &PackageGraph, wanted: &PackageName, rows: &mut Vec<Stay>) -> Result<(), CommandError> {
    if let Some(version) = &wanted.installed {
        rows.retain(|it| it.version == *version || it.bundle == *version);
    }
    if let Some(channel) = &wanted.channel {
        let Some(channel) = graph.channels.iter().find(|it| it.name == *channel) else {
            return Err(no_channel(index, &wanted.package, channel)?.into());
        };
        rows.retain(|it| channel.entries.iter().any(|entry| entry.name == it.bundle));
    }
    Ok(())
}

fn generations(olm: Olm) -> &'static [Generation] {
    match olm {
        Olm::Classic => &[Generation::Classic],
        Olm::V1 => &[Generation::V1],
        Olm::Both => &[Generation::Classic, Generation::V1],
    }
}

/// What all questions of one run have in common.
struct Asking<'a> {
    index: &'a Index,
    filter: &'a Filter,
    /// Which catalog counts for which version.
    catalogs: Vec<PlanCatalog>,
    step: Move,
}

impl Asking<'_> {
    /// The rows of an installed bundle, with the ways out of what must not stay.
    fn rows(
        &self,
        olm: &[Generation],
        view: &PackageView,
        operator: &StayingOperator,
        catalogs: &[PlanCatalog],
    ) -> Result<Vec<Stay>, CommandError> {
        let mut rows = installed_that_stays(
            olm,
            view,
            &operator.installed,
            operator.own_max.as_ref(),
            self.step,
            &operator.installation,
        );
        for row in rows.iter_mut().filter(|it| !it.verdict.may_stay()) {
            let Some(&olm) = row.olm.first() else { continue };
            let operator = StayingOperator { olm, ..operator.clone() };
            if let Some(found) = way_out(self.index, catalogs, &operator, self.step)? {
                (row.way, row.stops) = (Some(found.way), found.stops);
            }
        }
        Ok(rows)
    }

    /// The catalogs that a source is on the way; all of them for what follows no source.
    fn of_source(&self, sources: &CatalogSources, source: Option<(&str, &str)>) -> Option<Vec<PlanCatalog>> {
        let Some((namespace, name)) = source else { return Some(self.catalogs.clone()) };
        let meaning = sources.meaning(namespace, name)?;
        let is_its = |it: &&PlanCatalog| match &meaning {
            SourceMeaning::Catalog(catalog) => it.catalog == *catalog,
            SourceMeaning::Family(family) => it.family == *family,
        };
        let own: Vec<PlanCatalog> = self.catalogs.iter().filter(is_its).cloned().collect();
        (!own.is_empty()).then_some(own)
    }

    /// The rows of an operator of a cluster, which follows a source; and what keeps the catalogs out of it. Without its catalog, the
    /// operator is judged by what it says itself.
    fn rows_of_installed(
        &self,
        sources: &CatalogSources,
        operator: &mut StayingOperator,
        source: Option<(&str, &str)>,
    ) -> Result<(Vec<Stay>, Option<String>), CommandError> {
        let package = &operator.package;
        let (catalogs, warning) = match (self.of_source(sources, source), source) {
            (Some(catalogs), _) => (catalogs, None),
            (None, of) => {
                let (namespace, name) = of.unwrap_or_default();
                let words = sources.unknown_words(namespace, name);
                (Vec::new(), Some(format!("the operator of `{package}` {words}; no catalog is asked about it")))
            }
        };
        let names: Vec<String> = catalogs.iter().map(|it| it.catalog.clone()).collect();
        // No catalog at all is not every catalog.
        let view = match names.is_empty() {
            true => PackageView::new(package, Vec::new(), &[]),
            false => PackageView::read(self.index, &Filter { catalogs: names.clone(), ..Filter::default() }, package)?,
        };
        let is_lacking = source.is_some() && warning.is_none() && view.graphs.is_empty();
        let warning = warning.or_else(|| {
            let names = names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
            is_lacking.then(|| format!("{names} does not have `{package}`, which is installed from there"))
        });
        operator.installed.is_in_catalog =
            view.find(&operator.installed.name).is_some_and(|it| it.0 == operator.installed.name);
        Ok((self.rows(&[operator.olm], &view, operator, &catalogs)?, warning))
    }
}

/// The rows of what manifests say is installed.
fn rows_of_cluster(
    context: &Context,
    args: &CompatArgs,
    cluster: &Cluster,
    asking: &Asking<'_>,
    bundles: &[BundleRow],
) -> Result<(Vec<Stay>, bool), CommandError> {
    let ranks = asking.index.catalog_ranks(asking.filter)?;
    let sources = CatalogSources::new(
        &ranks,
        &args.source_map.source_map,
        cluster,
        Some(asking.step.from),
        args.ask.names_catalogs(),
    )?;
    cluster.warnings.iter().for_each(|it| context.reporter.warning(it));
    let package_of = |name: &str| bundles.iter().find(|it| it.bundle == name).map(|it| it.package.clone());
    let is_in_catalog = false;
    let mut rows = Vec::new();
    let mut is_incomplete = false;
    let mut add = |mut operator: StayingOperator, source: Option<(&str, &str)>| {
        let (found, warning) = asking.rows_of_installed(&sources, &mut operator, source)?;
        warning.iter().for_each(|it| context.reporter.warning(it));
        is_incomplete |= warning.is_some();
        rows.extend(found);
        Ok::<(), CommandError>(())
    };
    for csv in cluster.csvs.iter().filter(|it| args.olm != Olm::V1 && !it.is_copied) {
        let is_its = |it: &&Subscription| it.installed == csv.name && it.namespace == csv.namespace;
        let subscription = cluster.subscriptions.iter().find(is_its);
        let package = subscription.map(|it| it.package.clone()).or_else(|| package_of(&csv.name)).unwrap_or_default();
        let values = csv.properties.iter().flatten().filter(|it| &*it.kind == MAX_OPENSHIFT_VERSION);
        let own = match &csv.failure {
            Some(error) => Err(error.clone()),
            None => Ok(values.map(|it| it.value.to_string()).collect()),
        };
        let operator = StayingOperator {
            package,
            installed: InstalledBundle::named(csv.name.clone(), csv.version.clone(), is_in_catalog),
            olm: Generation::Classic,
            channels: subscription.map(|it| it.channel.clone()).into_iter().filter(|it| !it.is_empty()).collect(),
            range: String::new(),
            own_max: Some(own),
            installation: Installation::default(),
        };
        // A catalog that is named is meant for every Subscription.
        let source = subscription.filter(|_| args.ask.catalog.is_empty());
        add(operator, source.map(|it| (it.source_namespace.as_str(), it.source.as_str())))?;
    }
    for extension in cluster.extensions.iter().filter(|_| args.olm != Olm::Classic) {
        if let Some((name, version)) = &extension.installed {
            let operator = StayingOperator {
                package: extension.package.clone(),
                installed: InstalledBundle::named(name.clone(), version.clone(), is_in_catalog),
                olm: Generation::V1,
                channels: extension.channels.clone(),
                range: extension.version.clone(),
                // The manifest does not say what the bundle says; the catalog does.
                own_max: None,
                installation: Installation {
                    gates: args.gates.gates(),
                    config: extension.config.clone(),
                    namespace: extension.namespace.clone(),
                },
            };
            let named = extension.match_labels.iter().find(|it| it.0 == CATALOG_NAME_LABEL);
            let named = named.filter(|_| args.ask.catalog.is_empty());
            add(operator, named.map(|it| ("", it.1.as_str())))?;
        }
    }
    if rows.is_empty() {
        let message = format!("nothing is installed according to {}", shown(&args.cluster));
        let error = CommandError::new(Exit::Input, message);
        return Err(
            error.help("it needs ClusterServiceVersions or ClusterExtensions, as `kubectl get -o yaml` prints them")
        );
    }
    Ok((rows, is_incomplete))
}

/// All bundles, by which packages are found: read once, and only if something is named without its package.
fn bundles_by_name(args: &CompatArgs, index: &Index, filter: &Filter) -> Result<Vec<BundleRow>, CommandError> {
    let has_package = |text: &String| matches!(Name::parse(text), Name::Version(..));
    if args.cluster.is_empty() && args.installed.iter().all(has_package) {
        return Ok(Vec::new());
    }
    Ok(index.bundles(filter)?)
}

/// The package and the bundle that a text names.
fn find(
    index: &Index,
    filter: &Filter,
    bundles: &[BundleRow],
    text: &str,
) -> Result<(PackageView, InstalledBundle), CommandError> {
    let (package, bundle) = match Name::parse(text) {
        Name::Version(package, version) => (package, version),
        _ => match bundles.iter().find(|it| it.bundle == text) {
            Some(found) => (found.package.clone(), text.to_owned()),
            None => {
                let error = CommandError::new(Exit::NotFound, format!("there is no bundle `{text}`"));
                let all: Vec<_> = bundles.iter().map(|it| (it.bundle.clone(), it.version.clone())).collect();
                return Err(error.help(guess_bundle(text, &all, "name it by its bundle, or as PKG@VERSION")));
            }
        },
    };
    let view = PackageView::read(index, filter, &package)?;
    if view.graphs.is_empty() {
        return Err(no_package(index, &package)?.into());
    }
    let installed = installed(index, &view, &bundle)?;
    Ok((view, installed))
}
