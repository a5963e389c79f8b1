//! Which bundles, and which operators of a cluster, may stay when the cluster goes to a later version of OpenShift, and the way out for
//! those that may not.

use super::error::AskError;
use super::hint::{Help, Hint};
use super::name::{PackageName, no_channel, no_package, no_version};
use super::plan::must_lead_on;
use super::upgrade::{Olm, Warn, installed};
use olmdex_constraint::openshift::MAX_OPENSHIFT_VERSION;
use olmdex_fbc::Name;
use olmdex_index::Index;
use olmdex_index::query::{BundleRow, Filter, PackageGraph};
use olmdex_olm::catalog_source::{CatalogSources, SourceMeaning};
use olmdex_olm::upgrade::compat::Compatibility;
use olmdex_olm::upgrade::v1::{Gates, Installation};
use olmdex_olm::upgrade::{
    Generation, InstalledBundle, Move, PackageView, Stay, bundles_that_stay, installed_that_stays,
};
use olmdex_plan::plan::{PlanCatalog, StayingOperator, catalogs_of_move, way_out};
use olmdex_rules::cluster::{Cluster, ClusterExtension, ClusterServiceVersion, Subscription};

/// What is asked about a step of the cluster.
#[derive(Debug)]
pub struct CompatQuestion {
    /// The step.
    pub step: Move,
    /// Which generations of OLM are asked.
    pub olm: Olm,
    /// The feature gates of operator-controller.
    pub gates: Gates,
    /// A package, with a version or channel of it; all packages, if there is none.
    pub name: Option<PackageName>,
    /// Installed operators, as PKG@VERSION or by the names of their bundles. If there are any, or a cluster, they are asked about.
    pub installed: Vec<String>,
    /// The cluster, with words for it in messages.
    pub cluster: Option<(Cluster, String)>,
    /// Ties of CatalogSources to catalogs, as NAMESPACE/NAME=CATALOG.
    pub source_map: Vec<String>,
    /// The catalogs to ask; all, if none is named.
    pub catalogs: Vec<String>,
    /// Whether the user gave the catalogs names of their own, see [`CatalogSources::new`].
    pub are_named: bool,
}

/// What may stay.
#[derive(Debug, Default)]
pub struct CompatAnswers {
    /// A row for each bundle and verdict.
    pub rows: Vec<Stay>,
    /// Whether an operator that is installed keeps the cluster from the step, or is not known enough.
    pub is_blocked: bool,
}

impl CompatQuestion {
    /// A question about what catalogs have, for both generations of OLM.
    #[must_use]
    pub fn of_package(package: &str, step: Move, catalogs: Vec<String>) -> Self {
        Self {
            step,
            olm: Olm::Both,
            gates: Gates::default(),
            name: Some(PackageName::of(package)),
            installed: Vec::new(),
            cluster: None,
            source_map: Vec::new(),
            catalogs,
            are_named: false,
        }
    }

    /// The answer.
    ///
    /// # Errors
    /// If something that is named does not exist, or the cluster has nothing installed.
    pub fn answer(&self, index: &Index, warn: Warn<'_>) -> Result<CompatAnswers, AskError> {
        must_lead_on(self.step)?;
        if self.installed.is_empty() && self.cluster.is_none() {
            let rows = self.of_catalogs(index)?;
            return Ok(CompatAnswers { rows, is_blocked: false });
        }
        let filter = Filter { catalogs: self.catalogs.clone(), ..Filter::default() };
        let names = if self.catalogs.is_empty() { index.catalog_names()? } else { self.catalogs.clone() };
        let catalogs = catalogs_of_move(&names, self.step);
        let bundles = self.bundles_by_name(index, &filter)?;
        let mut asking = Asking { asked: self, index, filter, catalogs, bundles, warn };
        let mut answers = CompatAnswers::default();
        for text in &self.installed {
            answers.rows.extend(asking.of_text(text)?);
        }
        if let Some((cluster, words)) = &self.cluster {
            asking.of_cluster(cluster, words, &mut answers)?;
        }
        asking.judge(&mut answers);
        Ok(answers)
    }

    /// What may stay of the bundles of catalogs.
    fn of_catalogs(&self, index: &Index) -> Result<Vec<Stay>, AskError> {
        let filter = Filter { catalogs: self.catalogs.clone(), ..Filter::default() };
        let installation = self.installation();
        let wanted = self.name.as_ref();
        let packages = match wanted {
            Some(wanted) => vec![wanted.package.clone()],
            None => index.package_names()?,
        };
        let mut rows = Vec::new();
        for package in &packages {
            let graphs = index.package_graphs(&filter, package)?;
            if graphs.is_empty() && wanted.is_some() {
                return Err(no_package(index, package)?);
            }
            for graph in &graphs {
                let mut found = bundles_that_stay(self.olm.generations(), graph, self.step, &installation);
                if let Some(wanted) = wanted {
                    keep(index, graph, wanted, &mut found)?;
                }
                rows.extend(found);
            }
        }
        match (wanted, rows.as_slice()) {
            (Some(PackageName { package, installed: Some(version), .. }), []) => {
                Err(no_version(index, &self.catalogs, package, version)?)
            }
            _ => Ok(rows),
        }
    }

    fn installation(&self) -> Installation {
        Installation { gates: self.gates, ..Installation::default() }
    }

    /// All bundles, by which packages are found: read once, and only if something is named without its package.
    fn bundles_by_name(&self, index: &Index, filter: &Filter) -> Result<Vec<BundleRow>, AskError> {
        let has_package = |text: &String| matches!(Name::parse(text), Name::Version(..));
        if self.cluster.is_none() && self.installed.iter().all(has_package) {
            return Ok(Vec::new());
        }
        Ok(index.bundles(filter)?)
    }
}

/// What may stay of the bundles of one catalog, by both generations of OLM, at each of several steps.
#[must_use]
pub fn stays_at(graph: &PackageGraph, steps: &[Move]) -> Vec<Vec<Stay>> {
    let at = |step: &Move| bundles_that_stay(Olm::Both.generations(), graph, *step, &Installation::default());
    steps.iter().map(at).collect()
}

/// Leaves the bundles that an argument names, of those of a package.
fn keep(index: &Index, graph: &PackageGraph, wanted: &PackageName, rows: &mut Vec<Stay>) -> Result<(), AskError> {
    if let Some(version) = &wanted.installed {
        rows.retain(|it| it.version == *version || it.bundle == *version);
    }
    if let Some(channel) = &wanted.channel {
        let Some(channel) = graph.channels.iter().find(|it| it.name == *channel) else {
            return Err(no_channel(index, &wanted.package, channel)?);
        };
        rows.retain(|it| channel.entries.iter().any(|entry| entry.name == it.bundle));
    }
    Ok(())
}

/// A question while it is worked out.
struct Asking<'a> {
    asked: &'a CompatQuestion,
    index: &'a Index,
    filter: Filter,
    /// Which catalog counts for which version.
    catalogs: Vec<PlanCatalog>,
    bundles: Vec<BundleRow>,
    warn: Warn<'a>,
}

impl Asking<'_> {
    /// The rows of an installed operator that a text names.
    fn of_text(&self, text: &str) -> Result<Vec<Stay>, AskError> {
        let (view, installed) = self.find(text)?;
        let operator = StayingOperator {
            package: view.package.clone(),
            installed,
            olm: Generation::Classic,
            channels: Vec::new(),
            range: String::new(),
            own_max: None,
            installation: self.asked.installation(),
        };
        self.rows(self.asked.olm.generations(), &view, &operator, &self.catalogs)
    }

    /// The package and the bundle that a text names.
    fn find(&self, text: &str) -> Result<(PackageView, InstalledBundle), AskError> {
        let (package, bundle) = match Name::parse(text) {
            Name::Version(package, version) => (package, version),
            _ => match self.bundles.iter().find(|it| it.bundle == text) {
                Some(found) => (found.package.clone(), text.to_owned()),
                None => {
                    let all: Vec<_> = self.bundles.iter().map(|it| (it.bundle.clone(), it.version.clone())).collect();
                    let help = Help::new(Hint::of_bundle(text, &all), "name it by its bundle, or as PKG@VERSION");
                    return Err(AskError::NoBundleOfAny { name: text.to_owned(), help });
                }
            },
        };
        let view = PackageView::read(self.index, &self.filter, &package)?;
        if view.graphs.is_empty() {
            return Err(no_package(self.index, &package)?);
        }
        let installed = installed(self.index, &view, &bundle)?;
        Ok((view, installed))
    }

    /// Adds the rows of what manifests say is installed.
    fn of_cluster(&mut self, cluster: &Cluster, words: &str, answers: &mut CompatAnswers) -> Result<(), AskError> {
        let CompatQuestion { source_map, step, are_named, catalogs, olm, .. } = self.asked;
        let ranks = self.index.catalog_ranks(&self.filter)?;
        let sources = CatalogSources::new(&ranks, source_map, cluster, Some(step.from), *are_named)?;
        cluster.warnings.iter().for_each(|it| (self.warn)(it));
        let n_before = answers.rows.len();
        for csv in cluster.csvs.iter().filter(|it| olm.is_classic() && !it.is_copied) {
            let subscription = cluster.subscription_of(csv);
            // A catalog that is named is meant for every Subscription.
            let source = subscription.filter(|_| catalogs.is_empty());
            let source = source.map(|it| (it.source_namespace.as_str(), it.source.as_str()));
            self.add(&sources, self.of_csv(csv, subscription), source, answers)?;
        }
        for extension in cluster.extensions.iter().filter(|_| olm.is_v1()) {
            let Some(operator) = self.of_extension(extension) else { continue };
            let source = extension.named_catalog().filter(|_| catalogs.is_empty()).map(|it| ("", it));
            self.add(&sources, operator, source, answers)?;
        }
        if answers.rows.len() == n_before {
            return Err(AskError::NothingInstalledIn(words.to_owned()));
        }
        Ok(())
    }

    fn of_csv(&self, csv: &ClusterServiceVersion, subscription: Option<&Subscription>) -> StayingOperator {
        let package_of = |name: &str| self.bundles.iter().find(|it| it.bundle == name).map(|it| it.package.clone());
        let values = csv.properties.iter().flatten().filter(|it| &*it.kind == MAX_OPENSHIFT_VERSION);
        let own = match &csv.failure {
            Some(error) => Err(error.clone()),
            None => Ok(values.map(|it| it.value.to_string()).collect()),
        };
        let package = subscription.map(|it| it.package.clone()).or_else(|| package_of(&csv.name));
        StayingOperator {
            package: package.unwrap_or_default(),
            installed: InstalledBundle::named(csv.name.clone(), csv.version.clone(), false),
            olm: Generation::Classic,
            channels: subscription.map(|it| it.channel.clone()).into_iter().filter(|it| !it.is_empty()).collect(),
            range: String::new(),
            own_max: Some(own),
            installation: Installation::default(),
        }
    }

    fn of_extension(&self, extension: &ClusterExtension) -> Option<StayingOperator> {
        let (name, version) = extension.installed.as_ref()?;
        Some(StayingOperator {
            package: extension.package.clone(),
            installed: InstalledBundle::named(name.clone(), version.clone(), false),
            olm: Generation::V1,
            channels: extension.channels.clone(),
            range: extension.version.clone(),
            // The manifest does not say what the bundle says; the catalog does.
            own_max: None,
            installation: Installation {
                gates: self.asked.gates,
                config: extension.config.clone(),
                namespace: extension.namespace.clone(),
            },
        })
    }

    fn add(
        &mut self,
        sources: &CatalogSources,
        mut operator: StayingOperator,
        source: Option<(&str, &str)>,
        answers: &mut CompatAnswers,
    ) -> Result<(), AskError> {
        let (found, warning) = self.rows_of_installed(sources, &mut operator, source)?;
        warning.iter().for_each(|it| (self.warn)(it));
        answers.is_blocked |= warning.is_some();
        answers.rows.extend(found);
        Ok(())
    }

    /// Says what keeps the cluster from the step.
    fn judge(&mut self, answers: &mut CompatAnswers) {
        let Move { from, to } = self.asked.step;
        for row in answers.rows.iter().filter(|it| it.verdict == Compatibility::Blocks) {
            answers.is_blocked = true;
            (self.warn)(&format!("{} blocks the upgrade from OpenShift {from} to {to}: {}", row.bundle, row.reason));
        }
        // OLM v1 refuses nothing that a Subscription has installed.
        for (row, refusal) in answers.rows.iter().filter_map(|it| Some((it, it.refusal.as_ref()?))) {
            if row.olm == [Generation::V1] {
                answers.is_blocked = true;
                (self.warn)(&format!("OLM v1 refuses {}: {refusal}", row.bundle));
            }
        }
    }

    /// The rows of an installed bundle, with the ways out of what must not stay.
    fn rows(
        &self,
        olm: &[Generation],
        view: &PackageView,
        operator: &StayingOperator,
        catalogs: &[PlanCatalog],
    ) -> Result<Vec<Stay>, AskError> {
        let mut rows = installed_that_stays(
            olm,
            view,
            &operator.installed,
            operator.own_max.as_ref(),
            self.asked.step,
            &operator.installation,
        );
        for row in rows.iter_mut().filter(|it| !it.verdict.may_stay()) {
            let Some(&olm) = row.olm.first() else { continue };
            let operator = StayingOperator { olm, ..operator.clone() };
            if let Some(found) = way_out(self.index, catalogs, &operator, self.asked.step)? {
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
    ) -> Result<(Vec<Stay>, Option<String>), AskError> {
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
