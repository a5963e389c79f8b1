//! The bundles, and the operators of a cluster, that may stay when the cluster goes to a later version of OpenShift,
//! and the way out for those that may not.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

#[cfg(feature = "clap")]
use super::command_line::one_of;
use super::diagnosis::{states_of, worlds_of};
use super::error::AskError;
use super::hint::{Help, Hint};
use super::name::{PackageName, no_channel, no_package, no_version};
use super::openshift::openshift_of;
use super::plan::must_lead_on;
use super::plan_replay::replay_way;
use super::question::{Answer, Question, State, Verdict, answer, as_text};
use super::resolution::{DEFAULT_WORK, options_of_work};
use super::upgrade::{GateOptions, installed};
use olmdex_base::diag::Listed;
use olmdex_base::olm::OlmSet;
use olmdex_base::variant_name;
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::Name;
use olmdex_index::Index;
use olmdex_index::query::{BundleRow, Filter, PackageGraph};
use olmdex_olm::catalog_source::{CatalogSources, SourceMeaning};
use olmdex_olm::namespace::{NamespaceState, ObstacleCode, first_obstacle, lasting_obstacle, next_bundle};
use olmdex_olm::resolve::World;
use olmdex_olm::upgrade::compat::Compatibility;
use olmdex_olm::upgrade::v1::{Installation, ServedCatalog};
use olmdex_olm::upgrade::{InstalledBundle, Move, Olm, PackageView, Stay, bundles_that_stay, installed_that_stays};
use olmdex_plan::plan::{PlanCatalog, StayingOperator, catalogs_of_move, way_out};
use olmdex_rules::cluster::{BundleStatus, Cluster, ClusterExtension, ClusterServiceVersion, Subscription};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The bundles, and the operators of a cluster, that may stay when it goes to a later version of OpenShift
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct CompatQuestion {
    /// Only these packages, versions or channels of them, or bundles
    #[cfg_attr(feature = "clap", arg(value_name = "PKG[@VERSION|/CHANNEL]"))]
    pub name: Vec<String>,
    /// The cluster's version of OpenShift. Default: that of the ClusterVersion of `--cluster`, or the one before `--to`
    #[cfg_attr(feature = "clap", arg(long, value_name = "VERSION", required_unless_present_any = ["cluster", "fleet", "to"]))]
    #[serde(with = "as_text")]
    #[schemars(with = "Option<String>")]
    pub openshift: Option<Minor>,
    /// The target version. Default: the next minor version
    #[cfg_attr(feature = "clap", arg(long, value_name = "VERSION"))]
    #[serde(with = "as_text")]
    #[schemars(with = "Option<String>")]
    pub to: Option<Minor>,
    /// An installed operator, as PKG@VERSION or by its bundle's name; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "BUNDLE", conflicts_with = "name"))]
    pub installed: Vec<String>,
    /// Only with this verdict; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_parser = one_of::<VerdictWord>(), value_name = "VERDICT"))]
    pub verdict: Vec<VerdictWord>,
    /// The generation of OLM that installed the operators: both read olm.maxOpenShiftVersion differently
    #[cfg_attr(feature = "clap", arg(long, value_parser = one_of::<OlmSet>(), default_value = "both"))]
    pub olm: OlmSet,
    /// The feature gates of operator-controller.
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub gates: GateOptions,
    /// Only this catalog; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub catalog: Vec<String>,
}

/// A [`Compatibility`], by its word for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum VerdictWord {
    /// OpenShift refuses the update while it is installed
    Blocks,
    /// Its metadata excludes the version
    Excluded,
    /// Its metadata does not mention the version
    Unknown,
    /// Its metadata states a lowest version only
    #[serde(alias = "notExcluded")]
    NotExcluded,
    /// Its metadata states support for the version
    Stated,
}

/// The bundles that may stay, and those that may not.
#[derive(Debug, Default)]
pub(super) struct CompatAnswers {
    /// A row for each bundle and verdict.
    pub(super) rows: Vec<Stay>,
    /// The reasons why installed bundles could not be judged by their catalog, in words.
    pub(super) unjudged: Vec<Unjudged>,
    /// Whether an installed operator keeps the cluster from the step, or is not known well enough.
    pub(super) is_blocked: bool,
    /// The obstacles between operators and any upgrade, in words.
    pub(super) stuck: Vec<String>,
}

/// An operator whose catalog is not known.
#[derive(Debug)]
pub(super) struct Unjudged {
    /// The source that it follows.
    source: Option<String>,
    package: String,
    /// The same in a sentence.
    pub(super) text: String,
}

impl Question for CompatQuestion {
    const NAME: &'static str = "compat";
    const KIND: &'static str = "CompatList";
    const OF_CLUSTER: Option<&'static str> = Some("true, unless `name` or `installed` is given");
    type Index = Index;
    type Item = Stay;

    fn is_of_cluster(&self) -> bool {
        self.name.is_empty() && self.installed.is_empty()
    }

    fn names(&self) -> Vec<&String> {
        self.name.iter().collect()
    }

    /// The bundles of catalogs, or the installed ones if there are any or a cluster: a row for each bundle and verdict.
    /// A name that no catalog has makes the answer a part; the verdict is negative if an installed operator keeps the
    /// cluster from the step, or is not known well enough.
    fn ask(&self, state: &State<'_>) -> Result<Answer<Stay>, AskError> {
        Ok(self.ask_counting(state)?.0)
    }
}

impl CompatQuestion {
    /// The answer, and how many of the installed operators their catalogs could not judge.
    ///
    /// # Errors
    /// Those of [`Question::ask`].
    pub fn ask_counting(&self, state: &State<'_>) -> Result<(Answer<Stay>, usize), AskError> {
        let step = self.step(state.cluster)?;
        if step.from == step.to {
            let Move { from, .. } = step;
            let words = format!("patch releases of OpenShift {from} are not blocked: OLM looks at minor versions only");
            return Ok((Answer { notes: vec![words], ..Answer::of(Vec::new()) }, 0));
        }
        let (mut warnings, mut n_unjudged) = (Vec::new(), 0);
        let found = match self.installed.is_empty() && state.cluster.is_none() {
            true => self.of_catalogs(state.index, step),
            false => self.of_installed(state, step, &CompatMemo::default(), &mut warnings).map(|found| {
                n_unjudged = found.unjudged.len();
                (found.rows, Verdict::negative_if(found.is_blocked))
            }),
        };
        let is_meant = |row: &Stay| self.verdict.iter().any(|it| variant_name(it) == row.verdict.as_str());
        let mut answer = answer(found, warnings)?;
        answer.items.retain(|row| self.verdict.is_empty() || is_meant(row));
        Ok((answer, n_unjudged))
    }

    /// The step of a cluster that it is about.
    ///
    /// # Errors
    /// If its start is not known, or it leads to an earlier version.
    pub fn step(&self, cluster: Option<(&Cluster, &str)>) -> Result<Move, AskError> {
        if !self.name.is_empty() && (!self.installed.is_empty() || cluster.is_some()) {
            return Err(AskError::Unfit {
                what: "a name asks about a catalog, but `--installed` and `--cluster` ask about installed operators",
                help: "leave out one of them",
            });
        }
        let from = match (self.openshift, cluster, self.to) {
            (Some(given), ..) => given,
            (None, Some((cluster, words)), _) => openshift_of(cluster, words)?,
            (None, None, Some(to)) => to.previous(),
            (None, None, None) => {
                return Err(AskError::Unfit {
                    what: "no version of OpenShift is given",
                    help: "give the cluster's version with `--openshift VERSION`",
                });
            }
        };
        let step = Move { from, to: self.to.unwrap_or_else(|| from.next()) };
        if step.from != step.to {
            must_lead_on(step)?;
        }
        Ok(step)
    }

    /// The answer about what is installed. The memo is for many clusters with the same catalogs.
    pub(super) fn of_installed(
        &self,
        state: &State<'_>,
        step: Move,
        memo: &CompatMemo,
        warnings: &mut Vec<String>,
    ) -> Result<CompatAnswers, AskError> {
        let index = state.index;
        let filter = Filter { catalogs: self.catalog.clone(), ..Filter::default() };
        let names = if self.catalog.is_empty() { index.catalog_names()? } else { self.catalog.clone() };
        let catalogs = catalogs_of_move(&names, step);
        let bundles = match memo.bundles.get() {
            Some(known) => Rc::clone(known),
            None => self.bundles_by_name(state, &filter)?,
        };
        let bundles = memo.bundles.get_or_init(|| bundles);
        let (worlds, namespaces) = self.namespaces(state, step)?;
        let tries = MAX_TRIED;
        let mut inquiry = CompatInquiry {
            asked: self,
            state,
            step,
            filter,
            catalogs,
            bundles,
            namespaces,
            worlds,
            tries,
            memo,
            warnings,
        };
        let mut answers = CompatAnswers::default();
        for text in &self.installed {
            answers.rows.extend(inquiry.of_text(text)?);
        }
        if let Some((cluster, words)) = state.cluster {
            inquiry.of_cluster(cluster, words, &mut answers)?;
        }
        inquiry.warn_of_unjudged(&answers.unjudged);
        inquiry.judge(&mut answers);
        Ok(answers)
    }

    /// The cluster's namespaces with the catalogs of its present version, and their states.
    fn namespaces(&self, state: &State<'_>, step: Move) -> Result<(Vec<World>, Vec<NamespaceState>), AskError> {
        if !self.olm.is_classic() {
            return Ok((Vec::new(), Vec::new()));
        }
        let found = worlds_of(&state.light(), &self.catalog, Some(step.from))?;
        let states = states_of(&found, &state.light(), &options_of_work(DEFAULT_WORK), |_| true)?;
        Ok((found.worlds, states))
    }

    /// Judges the bundles of catalogs.
    fn of_catalogs(&self, index: &Index, step: Move) -> Result<(Vec<Stay>, Verdict), AskError> {
        let (mut rows, mut faults) = (Vec::new(), Vec::new());
        if self.name.is_empty() {
            for package in index.package_names()? {
                rows.extend(self.of_package(index, step, &package)?.into_iter().flat_map(|it| it.1));
            }
        }
        for name in &self.name {
            match self.of_name(index, step, name) {
                Ok(found) => rows.extend(found),
                Err(error) if self.name.len() > 1 && error.is_not_found() => faults.push(error),
                Err(error) => return Err(error),
            }
        }
        Ok((rows, if faults.is_empty() { Verdict::Yes } else { Verdict::Part(faults) }))
    }

    fn of_package(&self, index: &Index, step: Move, package: &str) -> Result<Vec<(PackageGraph, Vec<Stay>)>, AskError> {
        let filter = Filter { catalogs: self.catalog.clone(), ..Filter::default() };
        let stays = |graph: PackageGraph| {
            let found = bundles_that_stay(self.olm.each(), &graph, step, &self.installation());
            (graph, found)
        };
        Ok(index.package_graphs(&filter, package)?.into_iter().map(stays).collect())
    }

    /// The rows of the bundles that a word names.
    fn of_name(&self, index: &Index, step: Move, name: &str) -> Result<Vec<Stay>, AskError> {
        let PackageName { package, installed, channel } = PackageName::find(index, name)?;
        let graphs = self.of_package(index, step, &package)?;
        if graphs.is_empty() {
            return Err(no_package(index, &package)?);
        }
        let mut rows = Vec::new();
        for (graph, mut found) in graphs {
            if let Some(version) = &installed {
                found.retain(|it| it.version == *version || it.bundle == *version);
            }
            if let Some(channel) = &channel {
                let Some(channel) = graph.channels.iter().find(|it| it.name == *channel) else {
                    return Err(no_channel(index, &package, channel)?);
                };
                found.retain(|it| channel.entries.iter().any(|entry| entry.name == it.bundle));
            }
            rows.extend(found);
        }
        match installed {
            Some(version) if rows.is_empty() => Err(no_version(index, &self.catalog, &package, &version)?),
            _ => Ok(rows),
        }
    }

    fn installation(&self) -> Installation {
        Installation { gates: self.gates.gates(), ..Installation::default() }
    }

    /// All bundles, in which packages are searched: read once, and only if something is named without its package.
    fn bundles_by_name(&self, state: &State<'_>, filter: &Filter) -> Result<Rc<[BundleRow]>, AskError> {
        let has_package = |text: &String| matches!(Name::parse(text), Name::Version(..));
        if state.cluster.is_none() && self.installed.iter().all(has_package) {
            return Ok(Rc::default());
        }
        Ok(state.index.bundles(filter)?.into())
    }
}

/// Judges the bundles of one catalog, for both generations of OLM, at each of several steps.
pub fn stays_at(graph: &PackageGraph, steps: &[Move]) -> Vec<Vec<Stay>> {
    let at = |step: &Move| bundles_that_stay(OlmSet::Both.each(), graph, *step, &Installation::default());
    steps.iter().map(at).collect()
}

/// Names of catalogs, and a package.
type InCatalogs = (Vec<String>, String);

/// The facts that are remembered for the next cluster.
#[derive(Debug, Default)]
pub(super) struct CompatMemo {
    bundles: OnceCell<Rc<[BundleRow]>>,
    /// The packages as the catalogs have them.
    views: RefCell<HashMap<InCatalogs, Rc<PackageView>>>,
}

/// The most packages that are kept for the next clusters of a fleet.
const MAX_REMEMBERED: usize = 400;

impl CompatMemo {
    fn view(&self, index: &Index, names: &[String], package: &str) -> Result<Rc<PackageView>, AskError> {
        let key = (names.to_vec(), package.to_owned());
        if let Some(known) = self.views.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        // No catalog at all is not every catalog.
        let view = Rc::new(match names.is_empty() {
            true => PackageView::new(package, Vec::new(), &[]),
            false => PackageView::read(index, &Filter { catalogs: names.to_vec(), ..Filter::default() }, package)?,
        });
        let mut views = self.views.borrow_mut();
        if views.len() >= MAX_REMEMBERED {
            views.clear();
        }
        views.insert(key, Rc::clone(&view));
        Ok(view)
    }
}

/// How many Subscriptions and ClusterServiceVersions may be resolved again for the ways out of one answer. Ways beyond
/// that are not tried: only their first steps are those of the namespace.
const MAX_TRIED: usize = 20_000;

/// A question in progress.
struct CompatInquiry<'a> {
    asked: &'a CompatQuestion,
    state: &'a State<'a>,
    step: Move,
    filter: Filter,
    /// The catalog that counts for each version.
    catalogs: Vec<PlanCatalog>,
    bundles: &'a [BundleRow],
    namespaces: Vec<NamespaceState>,
    /// The same namespaces, in which ways out are tried.
    worlds: Vec<World>,
    /// The rest of [`MAX_TRIED`].
    tries: usize,
    memo: &'a CompatMemo,
    warnings: &'a mut Vec<String>,
}

impl CompatInquiry<'_> {
    /// The rows of an installed operator that a text names.
    fn of_text(&self, text: &str) -> Result<Vec<Stay>, AskError> {
        let (view, installed) = self.find(text)?;
        let (package, installation) = (view.package.clone(), self.asked.installation());
        let operator = StayingOperator { package, installed, installation, ..StayingOperator::default() };
        self.rows(self.asked.olm.each(), &view, &operator, &self.catalogs)
    }

    /// The package and the bundle that a text names.
    fn find(&self, text: &str) -> Result<(PackageView, InstalledBundle), AskError> {
        let (package, bundle) = match Name::parse(text) {
            Name::Version(package, version) => (package, version),
            _ => match self.bundles.iter().find(|it| it.bundle == text) {
                Some(found) => (found.package.clone(), text.to_owned()),
                None => {
                    let all = self.bundles.iter().map(|it| (&*it.bundle, &*it.version));
                    let help = Help::new(Hint::of_bundle(text, all), "name its bundle, or PKG@VERSION");
                    return Err(AskError::NoBundleOfAny { name: text.to_owned(), help });
                }
            },
        };
        let view = PackageView::read(self.state.index, &self.filter, &package)?;
        if view.graphs.is_empty() {
            return Err(no_package(self.state.index, &package)?);
        }
        let installed = installed(self.state.index, &view, &bundle)?;
        Ok((view, installed))
    }

    /// Adds the rows of the bundles that manifests show as installed.
    fn of_cluster(&mut self, cluster: &Cluster, words: &str, answers: &mut CompatAnswers) -> Result<(), AskError> {
        let CompatQuestion { catalog: catalogs, olm, .. } = self.asked;
        let State { source_map, are_named, .. } = *self.state;
        let ranks = self.state.index.catalog_ranks(&self.filter)?;
        let sources = CatalogSources::new(&ranks, source_map, cluster, Some(self.step.from), are_named)?;
        self.warnings.extend(cluster.warnings.iter().cloned());
        let n_before = answers.rows.len();
        let replacements = ClusterServiceVersion::replacements(cluster.csvs.iter());
        for csv in cluster.own_csvs().filter(|_| olm.is_classic()) {
            let newer = replacements.get(&(csv.namespace.as_str(), csv.name.as_str())).copied();
            // An upgrade that is under way ends by itself.
            if let Some(newer) = newer.filter(|newer| !newer.has_failed()) {
                let (name, namespace) = (&csv.name, &csv.namespace);
                self.warnings
                    .push(format!("{name} in the namespace {namespace} is left out: {} is replacing it", newer.name));
                continue;
            }
            let subscription = cluster.subscription_of(csv);
            // A named catalog applies to every Subscription.
            let source = subscription.filter(|_| catalogs.is_empty());
            let source = source.map(|it| (it.source_namespace.as_str(), it.source.as_str()));
            let n_before = answers.rows.len();
            self.add(&sources, self.of_csv(csv, subscription), source, answers)?;
            self.put_in_namespace(csv, newer, subscription, &mut answers.rows[n_before..], &mut answers.stuck);
            if subscription.is_some() {
                self.try_in_namespace(csv, &mut answers.rows[n_before..]);
            }
        }
        for extension in cluster.extensions.iter().filter(|_| olm.is_v1()) {
            let Some(mut operator) = self.of_extension(extension) else { continue };
            operator.served = self.served(cluster, &sources, extension);
            let source = extension.named_catalog().filter(|_| catalogs.is_empty()).map(|it| ("", it));
            self.add(&sources, operator, source, answers)?;
        }
        if answers.rows.len() == n_before {
            return Err(AskError::NothingInstalledIn(words.to_owned()));
        }
        Ok(())
    }

    /// Takes back ways out that OLM does not go, because the namespace keeps the operator from any upgrade.
    fn put_in_namespace(
        &mut self,
        csv: &ClusterServiceVersion,
        newer: Option<&ClusterServiceVersion>,
        subscription: Option<&Subscription>,
        rows: &mut [Stay],
        stuck: &mut Vec<String>,
    ) {
        let whose = format!("{} in the namespace {}", csv.name, csv.namespace);
        let subject = subscription.map_or(&csv.name, |it| &it.name);
        let obstacle = first_obstacle(&self.namespaces, &csv.namespace, subject)
            .or_else(|| lasting_obstacle(&self.namespaces, &csv.namespace, subject));
        let (words, permits) = match (obstacle, newer) {
            (Some(obstacle), _) => {
                let words = format!("{whose}: {}", obstacle.text);
                if obstacle.code != ObstacleCode::Unmanaged {
                    stuck.push(words.clone());
                }
                (words, obstacle.permits())
            }
            // OLM goes on from the newer one.
            (None, Some(newer)) => (format!("{whose}: {} ({}) replaces it", newer.name, newer.phase), false),
            (None, None) => return,
        };
        for row in rows.iter_mut().filter(|it| !permits && it.way.is_some()) {
            (row.way, row.stops) = (None, Vec::new());
            self.warnings.push(format!("{words}; until that is fixed, it has no way out"));
        }
    }

    /// Takes back ways out that OLM does not take in the whole namespace.
    fn try_in_namespace(&mut self, csv: &ClusterServiceVersion, rows: &mut [Stay]) {
        for row in rows.iter_mut().filter(|row| row.way.is_some()) {
            let Some(world) = self.worlds.iter().find(|world| world.namespace == csv.namespace) else { continue };
            let n_steps = row.way.as_ref().map_or(0, Vec::len);
            let Some(left) = self.tries.checked_sub((world.subscriptions.len() + world.installed.len()) * n_steps)
            else {
                continue;
            };
            self.tries = left;
            let options = options_of_work(DEFAULT_WORK);
            let why = replay_way(world, row, self.step, &self.catalogs, self.state.index, &options);
            if let Some(why) = why {
                (row.way, row.stops) = (None, Vec::new());
                let (name, namespace) = (&csv.name, &csv.namespace);
                let words = "OLM does not take it in the whole namespace";
                self.warnings.push(format!("{name} in the namespace {namespace} has no way out: {words}: {why}"));
            }
        }
    }

    fn of_csv(&self, csv: &ClusterServiceVersion, subscription: Option<&Subscription>) -> StayingOperator {
        let package_of = |name: &str| self.bundles.iter().find(|it| it.bundle == name).map(|it| it.package.clone());
        let package = subscription.map(|it| it.package.clone()).or_else(|| package_of(&csv.name));
        StayingOperator {
            package: package.unwrap_or_default(),
            installed: InstalledBundle::named(csv.name.clone(), csv.known_version(), false),
            channels: subscription.map(Subscription::channels).unwrap_or_default(),
            next: subscription
                .and_then(|it| next_bundle(&self.namespaces, &csv.namespace, &it.name))
                .map(str::to_owned),
            own_max: Some(csv.max_openshift_versions()),
            ..StayingOperator::default()
        }
    }

    fn of_extension(&self, extension: &ClusterExtension) -> Option<StayingOperator> {
        let BundleStatus { name, version, release } = extension.installed.clone()?;
        Some(StayingOperator {
            package: extension.package.clone(),
            installed: InstalledBundle::named(name, version, false).with_release(release),
            olm: Olm::V1,
            channels: extension.channels.clone(),
            range: extension.version.clone(),
            installation: Installation {
                gates: self.asked.gates.gates().on_openshift(Some(self.step.from)),
                config: extension.config.clone(),
                namespace: extension.namespace.clone(),
            },
            // The manifest does not contain the bundle's claim; the catalog does.
            ..StayingOperator::default()
        })
    }

    /// The ClusterCatalogs that a ClusterExtension selects and that are among the catalogs, each with its family.
    fn served(&self, cluster: &Cluster, sources: &CatalogSources, extension: &ClusterExtension) -> Vec<ServedCatalog> {
        let mut served = sources.served(cluster, extension);
        served.retain(|it| self.catalogs.iter().any(|known| it.catalog.as_ref() == Some(&known.family)));
        served
    }

    fn add(
        &mut self,
        sources: &CatalogSources,
        mut operator: StayingOperator,
        source: Option<(&str, &str)>,
        answers: &mut CompatAnswers,
    ) -> Result<(), AskError> {
        let (found, warning) = self.rows_of_installed(sources, &mut operator, source)?;
        answers.is_blocked |= warning.is_some();
        let (source, package) = (source.map(|(namespace, name)| format!("{namespace}/{name}")), operator.package);
        answers.unjudged.extend(warning.map(|text| Unjudged { source, package, text }));
        answers.rows.extend(found);
        Ok(())
    }

    /// Warns of operators whose catalogs are not known: those of one source share a warning.
    fn warn_of_unjudged(&mut self, unjudged: &[Unjudged]) {
        let mut of_source: Vec<(&Unjudged, Vec<&String>)> = Vec::new();
        for it in unjudged {
            match of_source.iter_mut().find(|(first, _)| first.source == it.source) {
                Some((first, others)) if first.package != it.package => others.push(&it.package),
                Some(_) => {}
                None => of_source.push((it, Vec::new())),
            }
        }
        self.warnings.extend(of_source.into_iter().map(|(first, others)| match others.as_slice() {
            [] => first.text.clone(),
            others => format!("{}; the same holds for {}", first.text, Listed::quoted(others)),
        }));
    }

    /// Judges whether the cluster is kept from the step.
    fn judge(&mut self, answers: &mut CompatAnswers) {
        let Move { from, to } = self.step;
        for row in answers.rows.iter().filter(|it| it.verdict == Compatibility::Blocks) {
            answers.is_blocked = true;
            self.warnings
                .push(format!("{} blocks the upgrade from OpenShift {from} to {to}: {}", row.bundle, row.reason));
        }
        // OLM v1 refuses nothing that a Subscription has installed.
        for (row, refusal) in answers.rows.iter().filter_map(|it| Some((it, it.refusal.as_ref()?))) {
            if row.olm == [Olm::V1] {
                answers.is_blocked = true;
                self.warnings.push(format!("OLM v1 refuses {}: {refusal}", row.bundle));
            }
        }
    }

    /// The rows of an installed bundle, with the ways out if it must not stay.
    fn rows(
        &self,
        olm: &[Olm],
        view: &PackageView,
        operator: &StayingOperator,
        catalogs: &[PlanCatalog],
    ) -> Result<Vec<Stay>, AskError> {
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
            if let Some(found) = way_out(self.state.index, catalogs, &operator, self.step)? {
                (row.way, row.stops) = (Some(found.way), found.stops);
            }
        }
        Ok(rows)
    }

    /// The catalogs that a source stands for on the way; all of them for an operator without a source.
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

    /// The rows of an operator of a cluster, which follows a source; and the reason if its catalogs are not known.
    /// Without its catalog, the operator is judged by its own claims.
    fn rows_of_installed(
        &mut self,
        sources: &CatalogSources,
        operator: &mut StayingOperator,
        source: Option<(&str, &str)>,
    ) -> Result<(Vec<Stay>, Option<String>), AskError> {
        let package = &operator.package;
        let is_served =
            |it: &&PlanCatalog| operator.served.iter().any(|served| served.catalog.as_ref() == Some(&it.family));
        let own = match operator.served.as_slice() {
            [] => self.of_source(sources, source),
            _ => Some(self.catalogs.iter().filter(is_served).cloned().collect()),
        };
        let (catalogs, warning) = match (own, source) {
            (Some(catalogs), _) => (catalogs, None),
            (None, of) => {
                let (namespace, name) = of.unwrap_or_default();
                let words = sources.unknown_words(namespace, name);
                (Vec::new(), Some(format!("the operator of `{package}` {words}; olmdex asks no catalog about it")))
            }
        };
        let names: Vec<String> = catalogs.iter().map(|it| it.catalog.clone()).collect();
        let view = self.memo.view(self.state.index, &names, package)?;
        let is_lacking = source.is_some() && warning.is_none() && view.graphs.is_empty();
        let warning = warning.or_else(|| {
            let names = Listed::quoted(names.iter());
            is_lacking.then(|| format!("{names} does not have `{package}`, although it is installed from that catalog"))
        });
        self.warnings.extend(view.deprecations(&operator.channels, Some(&operator.installed)));
        operator.installed.is_in_catalog =
            view.find(&operator.installed.name).is_some_and(|it| it.name == operator.installed.name);
        Ok((self.rows(&[operator.olm], &view, operator, &catalogs)?, warning))
    }
}

/// How many versions block an update, and that in a sentence.
pub fn blocking(rows: &[Stay], step: Move) -> (usize, String) {
    let bundle = |row: &Stay| (row.catalog.clone(), row.bundle.clone());
    let all: BTreeSet<_> = rows.iter().map(bundle).collect();
    let blocking: BTreeSet<_> = rows.iter().filter(|row| row.verdict == Compatibility::Blocks).map(bundle).collect();
    let Move { from, to } = step;
    let words = match (blocking.len(), all.len()) {
        (0, _) if rows.iter().all(|row| row.verdict.is_silent()) => {
            format!("no version says whether it blocks the update from {from} to {to}")
        }
        (0, _) => format!("no version blocks the update from {from} to {to}"),
        (n, all) if n == all => format!("all {all} versions block the update from {from} to {to}"),
        (n, all) => format!("{n} of {all} versions block the update from {from} to {to}"),
    };
    (blocking.len(), words)
}
