//! The versions that manifests of a repository pin: whether catalogs have them, whether upgrades lead there, and the
//! next upgrade.

use std::collections::BTreeMap;

use super::error::AskError;
use super::question::{Question as _, State};
use super::upgrade::{GateOptions, UpgradeOptions};
use super::upgrades::{PathQuestion, UpdatesQuestion};
use olmdex_base::diag::envelope::PinState;
use olmdex_base::diag::{Finding, Listed, Place, Rule, closest};
use olmdex_base::olm::OlmSet;
use olmdex_index::Index;
use olmdex_index::query::{Filter, GraphChannel, PackageGraph};
use olmdex_olm::catalog_source::CatalogSources;
use olmdex_olm::upgrade::v1::Gates;
use olmdex_olm::upgrade::{Updates, UpgradePath, Verdict};
use olmdex_rules::cluster::{BundleStatus, Cluster, ClusterExtension, Subscription, rules};
use olmdex_text::encoding::shell::word;
use olmdex_version::Version;

/// A question about the pins of manifests.
#[derive(Debug)]
pub struct PinQuestion<'a> {
    /// The manifests.
    pub now: &'a Cluster,
    /// The manifests before the change.
    pub before: Option<&'a Cluster>,
    /// Ties of CatalogSources to catalogs, as NAMESPACE/NAME=CATALOG.
    pub source_map: Vec<String>,
    /// Whether the user gave the catalogs names of their own, see [`CatalogSources::new`].
    pub are_named: bool,
    /// The feature gates of operator-controller.
    pub gates: Gates,
}

/// The findings about pins.
#[derive(Debug, Default)]
pub struct PinAnswers {
    /// The findings.
    pub findings: Vec<Finding>,
    /// Each Subscription and ClusterExtension with its pin.
    pub pins: Vec<PinState>,
}

/// An object whose pin is judged.
struct Pinned<'a> {
    object: String,
    package: &'a str,
    place: &'a Place,
}

impl PinQuestion<'_> {
    /// The answer.
    ///
    /// # Errors
    /// If a tie of a CatalogSource cannot be read, or the catalogs cannot.
    pub fn answer(&self, index: &Index) -> Result<PinAnswers, AskError> {
        let ranks = index.catalog_ranks(&Filter::default())?;
        let sources = CatalogSources::new(&ranks, &self.source_map, self.now, None, self.are_named)?;
        let mut answers = PinAnswers::default();
        for subscription in &self.now.subscriptions {
            let old = self.before.and_then(|it| it.subscriptions.iter().find(|it| is_same(it, subscription)));
            let state = self.subscription(index, &sources, subscription, old, &mut answers.findings)?;
            answers.pins.push(state);
        }
        for extension in &self.now.extensions {
            let old = self.before.and_then(|it| it.extensions.iter().find(|it| it.name == extension.name));
            let state = self.extension(index, extension, old, &mut answers.findings)?;
            answers.pins.push(state);
        }
        Ok(answers)
    }

    fn subscription(
        &self,
        index: &Index,
        sources: &CatalogSources,
        subscription: &Subscription,
        old: Option<&Subscription>,
        findings: &mut Vec<Finding>,
    ) -> Result<PinState, AskError> {
        let Subscription { package, namespace, name, source, source_namespace, starting, .. } = subscription;
        let pinned = Pinned { object: format!("Subscription {namespace}/{name}"), package, place: &subscription.place };
        let mut state = PinState {
            object: pinned.object.clone(),
            package: package.clone(),
            pin: Some(starting.clone()).filter(|it| !it.is_empty()),
            exists: None,
            from: old.map(|it| it.starting.clone()).filter(|it| !it.is_empty() && it != starting),
            path: Vec::new(),
            next: None,
        };
        let Some(catalog) = sources.catalog(source_namespace, source) else {
            let message = format!("{} {}", pinned.object, sources.unknown_words(source_namespace, source));
            findings.push(pinned.finding(rules::PIN_NOT_KNOWN, message, "map it with `--source-map`"));
            return Ok(state);
        };
        let graphs = index.package_graphs(&Filter::of_catalog(&catalog), package)?;
        let placed = placed(graphs.first(), subscription, &catalog);
        state.exists = state.pin.as_ref().map(|_| placed.is_ok());
        match placed {
            Err((message, help)) => findings.push(pinned.finding(rules::PIN_MISSING, message, &help)),
            Ok(channel) => {
                let channels = index.channels(&Filter::in_catalog(&catalog, package))?;
                let heads = channels.into_iter().filter(|it| it.channel == channel);
                let head = heads.map(|it| it.head).find(|it| !it.is_empty());
                let ask = |installed: &str| self.of_subscription(subscription, installed);
                let (olm, catalog) = (OlmSet::Classic, vec![catalog.clone()]);
                let options = UpgradeOptions { olm, catalog, ..UpgradeOptions::default() };
                findings.extend(not_held(&pinned, subscription, &head));
                if let Some(pin) = &state.pin {
                    state.next = next(&self.state(index, &ask(pin)), &options);
                }
                if let (Some(from), Some(to)) = (&state.from, &state.pin) {
                    let way = path(&self.state(index, &ask(from)), &options, to);
                    findings.extend(pinned.unreachable(from, to, &way));
                    state.path = way.map(steps).unwrap_or_default();
                }
            }
        }
        Ok(state)
    }

    /// The manifests as a cluster.
    fn state<'s>(&'s self, index: &'s Index, cluster: &'s Cluster) -> State<'s> {
        let cluster = Some((cluster, "the manifests"));
        State { index, cluster, source_map: &self.source_map, are_named: self.are_named, namespaces: &[] }
    }

    /// The cluster of a Subscription with a bundle installed.
    fn of_subscription(&self, subscription: &Subscription, installed: &str) -> Cluster {
        let subscription = Subscription {
            installed: installed.to_owned(),
            current: installed.to_owned(),
            install_plan: String::new(),
            state: String::new(),
            ..subscription.clone()
        };
        Cluster { subscriptions: vec![subscription], ..self.around() }
    }

    /// The catalogs and the OpenShift version of the manifests, without other objects.
    fn around(&self) -> Cluster {
        Cluster {
            catalog_sources: self.now.catalog_sources.clone(),
            cluster_catalogs: self.now.cluster_catalogs.clone(),
            openshift: self.now.openshift.clone(),
            ..Cluster::default()
        }
    }

    fn extension(
        &self,
        index: &Index,
        extension: &ClusterExtension,
        old: Option<&ClusterExtension>,
        findings: &mut Vec<Finding>,
    ) -> Result<PinState, AskError> {
        let ClusterExtension { name, package, version, .. } = extension;
        let pinned = Pinned { object: format!("ClusterExtension {name}"), package, place: &extension.place };
        let from = old.map(|it| it.version.as_str()).filter(|it| is_exact(it) && it != version);
        let mut state = PinState {
            object: pinned.object.clone(),
            package: package.clone(),
            pin: Some(version.clone()).filter(|it| !it.is_empty()),
            exists: None,
            from: from.map(str::to_owned),
            path: Vec::new(),
            next: None,
        };
        let bundles = versions(index, package)?;
        state.exists = state.pin.as_ref().map(|_| false);
        if bundles.is_empty() {
            let message = format!("{}: no catalog has the package `{package}`", pinned.object);
            let help = format!("`olmdex search {package}` finds packages with similar names");
            findings.push(pinned.finding(rules::PIN_MISSING, message, &help));
            return Ok(state);
        }
        // Without an installed bundle, the question is whether the catalogs have a version in the range.
        let (olm, gates) = (OlmSet::V1, GateOptions { feature_gates: Some(self.gates) });
        let options = UpgradeOptions { olm, gates, ..UpgradeOptions::default() };
        let taken = match updates(&self.state(index, &self.of_extension(extension, None)), &options) {
            Ok(found) => found,
            Err(error) => {
                let help = error.help().unwrap_or_else(|| "name its catalogs with `--with`".to_owned());
                findings.push(pinned.finding(rules::PIN_MISSING, format!("{}: {error}", pinned.object), &help));
                return Ok(state);
            }
        };
        let Some(taken) = taken else {
            return Ok(state);
        };
        if taken.is_negative() && taken.verdict != Verdict::Refused {
            let message = format!("{}: {}", pinned.object, taken.reason);
            let help = format!("`olmdex list versions {package}` lists the available versions");
            findings.push(pinned.finding(rules::PIN_MISSING, message, &help));
            return Ok(state);
        }
        state.exists = state.pin.as_ref().map(|_| true);
        if let Some(target) = &taken.target {
            let free = ClusterExtension { version: String::new(), ..extension.clone() };
            let installed = Some(BundleStatus {
                name: target.bundle.clone(),
                version: target.version.clone(),
                release: target.release.clone(),
            });
            state.next = next(&self.state(index, &self.of_extension(&free, installed)), &options);
            if let Some((name, from)) = from.and_then(|it| Some((bundles.get(it)?.clone(), it))) {
                let installed = BundleStatus { name, version: from.to_owned(), release: None };
                let cluster = self.of_extension(extension, Some(installed));
                let found = updates(&self.state(index, &cluster), &options);
                if let Some(stuck) = found.ok().flatten().filter(|it| it.is_negative()) {
                    let message = format!(
                        "{}: no upgrade leads from {from} to {}: {}",
                        pinned.object, target.version, stuck.reason
                    );
                    let name = word(&format!("{package}@{from}"));
                    let help = format!("pin a version between them, or see `olmdex upgrades {name} --steps --olm v1`");
                    findings.push(pinned.finding(rules::PIN_UNREACHABLE, message, &help));
                } else {
                    state.path = vec![target.version.clone()];
                }
            }
        }
        Ok(state)
    }

    /// The cluster of a ClusterExtension with a bundle installed.
    fn of_extension(&self, extension: &ClusterExtension, installed: Option<BundleStatus>) -> Cluster {
        let extension = ClusterExtension { installed, ..extension.clone() };
        Cluster { extensions: vec![extension], ..self.around() }
    }
}

impl Pinned<'_> {
    fn finding(&self, rule: &'static Rule, message: String, help: &str) -> Finding {
        let place = Some(self.place.clone()).filter(|it| !it.file.is_empty());
        rule.finding(message).at(place).help(help).of_package(self.package.to_owned())
    }

    /// The finding that no upgrades lead from the old pin to the new one.
    fn unreachable(&self, from: &str, to: &str, way: &Option<UpgradePath>) -> Option<Finding> {
        let way = way.as_ref().filter(|it| !it.is_reached)?;
        let message = format!("{}: no upgrade leads from `{from}` to `{to}`: {}", self.object, way.reason);
        let help = format!("`olmdex upgrades {} --steps` shows the upgrades from it", word(from));
        Some(self.finding(rules::PIN_UNREACHABLE, message, &help))
    }
}

fn is_same(one: &Subscription, other: &Subscription) -> bool {
    one.name == other.name && one.namespace == other.namespace
}

/// Whether a range is one version.
fn is_exact(version: &str) -> bool {
    Version::parse(version.trim_start_matches(['=', ' ', 'v'])).is_ok()
}

/// The bundles of a package by their versions.
fn versions(index: &Index, package: &str) -> Result<BTreeMap<String, String>, AskError> {
    Ok(index.bundles(&Filter::of_package(package))?.into_iter().map(|it| (it.version, it.bundle)).collect())
}

/// The channel that a Subscription follows, if that has its pin; else the fault and its remedy.
fn placed(
    graph: Option<&PackageGraph>,
    subscription: &Subscription,
    catalog: &str,
) -> Result<String, (String, String)> {
    let Subscription { namespace, name, package, starting, .. } = subscription;
    let object = format!("Subscription {namespace}/{name}");
    let Some(graph) = graph else {
        let message = format!("{object}: catalog `{catalog}` has no package `{package}`");
        return Err((message, format!("`olmdex search {package}` finds packages with similar names")));
    };
    let wanted = if subscription.channel.is_empty() { &graph.default_channel } else { &subscription.channel };
    let Some(channel) = graph.channels.iter().find(|it| it.name == *wanted) else {
        let names = graph.channels.iter().map(|it| it.name.as_str());
        let help = match closest(wanted, names.clone()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("its channels are {}", Listed::quoted(names)),
        };
        return Err((format!("{object}: package `{package}` has no channel `{wanted}` in catalog `{catalog}`"), help));
    };
    let has = |channel: &GraphChannel| channel.entries.iter().any(|it| it.name == *starting);
    if starting.is_empty() || has(channel) {
        return Ok(channel.name.clone());
    }
    let others: Vec<String> = graph.channels.iter().filter(|it| has(it)).map(|it| format!("`{}`", it.name)).collect();
    let help = match closest(starting, channel.entries.iter().map(|it| it.name.as_str())) {
        _ if !others.is_empty() => format!("it is in {}", others.join(", ")),
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("`olmdex show {package}/{wanted}` lists its entries"),
    };
    Err((format!("{object}: channel `{wanted}` of catalog `{catalog}` has no `{starting}`"), help))
}

/// The finding that OLM does not stay at a pin, or that a Subscription has none although each upgrade waits for an
/// approval.
fn not_held(pinned: &Pinned<'_>, subscription: &Subscription, head: &Option<String>) -> Option<Finding> {
    let Subscription { starting, is_manual, .. } = subscription;
    let head = head.as_deref().unwrap_or("the head of its channel");
    let (message, help) = match (starting.as_str(), is_manual) {
        ("", true) => (
            format!("{}: upgrades wait for an approval, and the first approved one installs `{head}`", pinned.object),
            format!("pin the version to install: `startingCSV: {head}`"),
        ),
        ("", false) => return None,
        (pin, false) if pin != head => (
            format!(
                "{}: OLM does not stay at `{pin}`: without approvals it upgrades to `{head}` at once",
                pinned.object
            ),
            "set `installPlanApproval: Manual`, or leave out `startingCSV`".to_owned(),
        ),
        _ => return None,
    };
    Some(pinned.finding(rules::PIN_NOT_HELD, message, &help))
}

/// The upgrade of the only object of a cluster.
fn updates(state: &State<'_>, options: &UpgradeOptions) -> Result<Option<Updates>, AskError> {
    let question = UpdatesQuestion { options: options.clone(), ..UpdatesQuestion::default() };
    Ok(question.ask(state)?.items.into_iter().next())
}

/// The bundle that OLM would upgrade to next.
fn next(state: &State<'_>, options: &UpgradeOptions) -> Option<String> {
    let found = updates(state, options).ok()??;
    let target = found.target.filter(|_| found.verdict == Verdict::Update)?;
    Some(target.bundle)
}

fn path(state: &State<'_>, options: &UpgradeOptions, to: &str) -> Option<UpgradePath> {
    let (to, options) = (Some(to.to_owned()), options.clone());
    PathQuestion { to, options, ..PathQuestion::default() }.ask(state).ok()?.items.into_iter().next()
}

fn steps(way: UpgradePath) -> Vec<String> {
    way.steps.into_iter().filter(|_| way.is_reached).map(|it| it.target.bundle).collect()
}
