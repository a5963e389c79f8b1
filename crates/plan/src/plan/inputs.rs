//! The basis of plans, whatever the question: which catalogs are for which version of OpenShift, lifecycles, and
//! updates of the platform.

use std::collections::BTreeMap;

use thiserror::Error;

use super::answer::PlanOptions;
use super::question::{PlanQuestion, eus_goal, path_by_name};
use olmdex_constraint::openshift::Minor;
use olmdex_index::query::{CatalogRank, DATE_LABEL, Filter, TIME_LABEL};
use olmdex_index::{Index, IndexError};
use olmdex_olm::catalog_source::{PlanCatalog, SOURCE_LABEL, TieError, family_and_minor, read_ties};
use olmdex_olm::upgrade::v1::Gates;
use olmdex_rules::cluster::Cluster;
use olmdex_rules::openshift::{
    ClusterChannels, Edge, Graph, Lifecycle, Risk, SupportLevel, UpdateFacts, UpdateSource, known_channels,
    known_minors,
};
use olmdex_text::calendar::Day;
use olmdex_text::json;

/// The architecture of clusters that do not state theirs.
const USUAL_ARCH: &str = "amd64";

/// The basis of plans.
#[derive(Debug, Clone)]
pub struct PlanBasis {
    /// The catalogs whose names have a version.
    pub catalogs: Vec<PlanCatalog>,
    /// The family of catalogs of each CatalogSource (`NAMESPACE/NAME` or `NAME`).
    pub source_map: Vec<(String, String)>,
    /// The lifecycles of packages.
    pub lifecycles: Vec<Lifecycle>,
    /// The sources of the known updates of OpenShift.
    pub updates: Vec<UpdateSource>,
    /// The options of the command that concern this basis: a saved plan has them.
    pub options: PlanOptions,
    /// For each catalog of the past, its day and the time on that day.
    days: BTreeMap<String, (String, String)>,
}

/// The wishes for a plan.
#[derive(Debug, Clone)]
pub struct PlanWish {
    /// The version of the cluster.
    pub from: Minor,
    /// The version to upgrade to.
    pub to: Minor,
    /// Whether to go from one version with extended support to the next, with paused pools.
    pub eus: bool,
    /// The day on which support is judged.
    pub day: Day,
    /// Which phases count as supported.
    pub level: SupportLevel,
    /// The channels of its updates: a kind such as `fast`, or a channel; by default those of the cluster's kind.
    pub channel: Option<String>,
    /// The architecture; by default that of the cluster.
    pub arch: Option<String>,
    /// The namespaces to cover; all if there are none.
    pub scope: Vec<String>,
    /// The feature gates of operator-controller.
    pub gates: Gates,
    /// Blockers and decisions that count as settled, by their codes or `CODE:SUBJECT`.
    pub assume: Vec<String>,
}

/// Why no plan can be made of an index.
#[derive(Debug, Error)]
pub enum BasisError {
    /// No catalog's name has a version.
    #[error("no catalog states its OpenShift version")]
    NoCatalog,
    /// A tie of a CatalogSource cannot be read, or leads nowhere.
    #[error(transparent)]
    Tie(#[from] TieError),
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl PlanBasis {
    /// The basis in an index. `ties` map CatalogSources to families of catalogs, as `NAMESPACE/NAME=CATALOG`; they take
    /// precedence over the labels of catalogs.
    ///
    /// # Errors
    /// [`BasisError`].
    pub fn new(index: &Index, ties: &[String], updates: Vec<UpdateSource>) -> Result<Self, BasisError> {
        let ranks = index.catalog_ranks(&Filter::default())?;
        let day_of = |it: &CatalogRank| {
            let time = it.labels.get(TIME_LABEL).cloned().unwrap_or_default();
            Some((it.catalog.clone(), (it.labels.get(DATE_LABEL)?.clone(), time)))
        };
        let days: BTreeMap<String, (String, String)> = ranks.iter().filter_map(day_of).collect();
        let of_version = |catalog: String| {
            // A catalog of the past is named after its day, too.
            let present = catalog.rsplit_once('@').filter(|_| days.contains_key(&catalog)).map_or(&*catalog, |it| it.0);
            let (family, minor) = family_and_minor(present)?;
            Some(PlanCatalog { catalog, minor, family })
        };
        let mut catalogs: Vec<PlanCatalog> = index.catalog_names()?.into_iter().filter_map(of_version).collect();
        if catalogs.is_empty() {
            return Err(BasisError::NoCatalog);
        }
        catalogs.sort_by(|a, b| (a.minor, &a.family).cmp(&(b.minor, &b.family)));
        let source_map = source_map(index, &catalogs, ties)?;
        let options = PlanOptions { source_map: ties.to_vec(), ..PlanOptions::default() };
        Ok(Self { catalogs, source_map, lifecycles: Vec::new(), updates, options, days })
    }

    /// The catalogs as they were on a day: among those of the past, the last ones that are not later.
    fn catalogs_on(&self, day: Day) -> Vec<PlanCatalog> {
        let day = day.to_string();
        let day_of = |it: &PlanCatalog| {
            let known = self.days.get(&it.catalog).filter(|it| it.0.as_str() <= day.as_str())?;
            Some((known.clone(), it.catalog.clone()))
        };
        let is_last = |it: &PlanCatalog| {
            let is_its = |other: &&PlanCatalog| (other.minor, &other.family) == (it.minor, &it.family);
            day_of(it).is_some() && self.catalogs.iter().filter(is_its).filter_map(day_of).max() == day_of(it)
        };
        let is_meant = |it: &&PlanCatalog| !self.days.contains_key(&it.catalog) || is_last(it);
        self.catalogs.iter().filter(is_meant).cloned().collect()
    }

    /// The options to save with a plan, so that the same question can be asked again.
    pub fn options_of(&self, wish: &PlanWish) -> PlanOptions {
        PlanOptions {
            scope: wish.scope.clone(),
            assume: wish.assume.clone(),
            channel: wish.channel.clone(),
            arch: wish.arch.clone(),
            eus: wish.eus,
            ..self.options.clone()
        }
    }

    /// The question about the plan of a cluster.
    pub fn question<'q>(&self, cluster: &'q Cluster, index: &'q Index, wish: PlanWish) -> PlanQuestion<'q> {
        let names = known_minors(&self.updates).into_iter().chain(self.catalogs.iter().map(|it| it.minor)).collect();
        let path = path_by_name(wish.from, wish.to, &names);
        let goals = (0..path.len()).filter_map(|idx| Some((*path.get(idx + 1)?, eus_goal(&path, idx)?)));
        let eus: Vec<(Minor, String)> = goals.map(|(minor, goal)| (minor, format!("eus-{goal}"))).collect();
        let channels = match &wish.channel {
            _ if wish.eus => ClusterChannels::Named(eus.iter().map(|it| it.1.clone()).collect()),
            Some(asked) => ClusterChannels::asked(std::slice::from_ref(asked)).unwrap_or_else(|| channels_of(cluster)),
            None => channels_of(cluster),
        };
        let arch = architecture(cluster, wish.arch.as_deref());
        let mut graph = channels.graph(&self.updates, &path, &arch);
        let known_channels = known_channels(&self.updates);
        let channels = if wish.eus { eus } else { channels.along(&path, &known_channels) };
        // A saved answer does not name its channel.
        let is_all_data = self.updates.iter().all(|it| matches!(it.facts, UpdateFacts::Data(_)));
        let is_unknown = |it: &&(Minor, String)| is_all_data && !known_channels.contains(&it.1);
        let unknown_channels =
            channels.iter().filter(is_unknown).filter(|_| !self.updates.is_empty()).cloned().collect();
        let mut sources: Vec<String> = self.updates.iter().map(UpdateSource::title).collect();
        if add_updates_of(cluster, &mut graph) {
            let day = cluster.newest.get(..10).map(|it| format!(" (of {it})")).unwrap_or_default();
            sources.push(format!("ClusterVersion{day}"));
        }
        PlanQuestion {
            cluster,
            from: wish.from,
            to: wish.to,
            path,
            eus: wish.eus,
            day: wish.day,
            level: wish.level,
            lifecycles: self.lifecycles.clone(),
            index,
            catalogs: self.catalogs_on(wish.day),
            source_map: self.source_map.clone(),
            graph,
            graph_source: sources.join(", "),
            channels,
            unknown_channels,
            arch,
            scope: wish.scope,
            gates: wish.gates,
            assume: wish.assume,
            namespaces: Vec::new(),
        }
    }
}

/// The families of CatalogSources. A catalog's own name also stands for its family.
fn source_map(index: &Index, catalogs: &[PlanCatalog], ties: &[String]) -> Result<Vec<(String, String)>, BasisError> {
    let known = catalogs.iter().map(|it| (it.catalog.as_str(), Some(it.family.as_str())));
    let tied = read_ties(ties, known)?.into_iter().filter_map(|(source, wanted)| {
        let found = catalogs.iter().find(|it| it.family == wanted || it.catalog == wanted)?;
        Some((source.to_owned(), found.family.clone()))
    });
    let mut map: Vec<(String, String)> = tied.collect();
    for rank in index.catalog_ranks(&Filter::default())? {
        let found = catalogs.iter().find(|it| it.catalog == rank.catalog);
        let sources = rank.labels.get(SOURCE_LABEL).map(String::as_str).into_iter().chain(rank.image());
        map.extend(sources.filter_map(|source| Some((source.to_owned(), found?.family.clone()))));
    }
    Ok(map)
}

/// The architecture in a question; without one, that of the cluster, or the usual one.
pub fn architecture(cluster: &Cluster, asked: Option<&str>) -> String {
    let asked = asked.map(str::to_owned).or_else(|| cluster.architecture());
    asked.unwrap_or_else(|| USUAL_ARCH.to_owned())
}

/// The channels of a cluster, by that of its ClusterVersion.
pub fn channels_of(cluster: &Cluster) -> ClusterChannels {
    ClusterChannels::of_cluster(cluster.cluster_version.as_ref().map(|it| it.channel.as_str()).unwrap_or_default())
}

/// Adds the updates that a cluster's ClusterVersion knows of: those of the next step. Returns whether it knows of any.
///
/// The evaluation of the cluster is final: an update that it recommends has none of the risks that it lists with it,
/// even if other sources report them.
pub fn add_updates_of(cluster: &Cluster, graph: &mut Graph) -> bool {
    let Some(version) = &cluster.cluster_version else { return false };
    let from = &version.version;
    let edge = |to: &str, risks: Vec<Risk>| Edge { from: from.clone(), to: to.to_owned(), risks, is_estimated: false };
    let mut known = Graph::default();
    known.edges.extend(version.available.iter().map(|it| edge(it, Vec::new())));
    let mut ruled_out = Vec::new();
    for (to, update) in &version.conditional {
        let mut reader = json::Reader::new();
        let read = reader.read(update).ok();
        let risks: Vec<Risk> =
            read.and_then(|it| Some(it.get("risks")?.items().map(Risk::read).collect())).unwrap_or_default();
        // An update in both lists is recommended.
        let is_recommended = version.available.contains(to) || recommended(update).is_some_and(|it| it.0 == "True");
        if is_recommended {
            ruled_out.push((to, risks.iter().map(|it| it.name.clone()).collect::<Vec<_>>()));
        }
        if !version.available.contains(to) {
            known.edges.push(edge(to, if is_recommended { Vec::new() } else { risks }));
        }
    }
    let is_known = !known.is_empty();
    graph.add(known);
    ruled_out.iter().for_each(|(to, names)| graph.rule_out(from, to, names));
    is_known
}

/// The cluster's evaluation of a conditional update: whether it is recommended (`True`, `False` or `Unknown`), and why.
pub(super) fn recommended(update: &str) -> Option<(String, String)> {
    let mut reader = json::Reader::new();
    let update = reader.read(update).ok()?;
    let conditions: Vec<json::Value<'_>> = update.get("conditions")?.items().collect();
    let found = conditions.into_iter().find(|it| it.text_of("type") == "Recommended")?;
    Some((found.text_of("status"), found.text_of("message")))
}
