//! What plans are made of, whatever is asked: which catalogs are for which version of OpenShift, lifecycles, and updates of the platform.
//!
//! What it deliberately does not do: it opens nothing, and knows no day.

use std::collections::BTreeMap;

use thiserror::Error;

use super::family::{PlanCatalog, family_and_minor};
use super::question::PlanQuestion;
use crate::cluster::Cluster;
use crate::constraint::openshift::Minor;
use crate::index::query::{DATE_LABEL, Filter};
use crate::index::{Index, IndexError};
use crate::json;
use crate::platform::{Day, Edge, Graph, Lifecycle, Risk, SupportLevel, UpdateSource};
use crate::resolve::SOURCE_LABEL;

/// What plans are made of.
#[derive(Debug, Clone)]
pub struct PlanBasis {
    /// The catalogs that say for which version they are.
    pub catalogs: Vec<PlanCatalog>,
    /// Which CatalogSource (`NAMESPACE/NAME` or `NAME`) is which family of catalogs.
    pub source_map: Vec<(String, String)>,
    /// The lifecycles of packages.
    pub lifecycles: Vec<Lifecycle>,
    /// Where updates of OpenShift are known from.
    pub updates: Vec<UpdateSource>,
    /// Of catalogs of the past, the days that they are of.
    days: BTreeMap<String, String>,
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct PlanWish {
    /// Where the cluster is.
    pub from: Minor,
    /// Where it shall go.
    pub to: Minor,
    /// Whether from one version with extended support to the next, with paused pools.
    pub eus: bool,
    /// The day on which support is judged.
    pub day: Day,
    /// What counts as supported.
    pub level: SupportLevel,
    /// The architecture of a copy of the graph data.
    pub arch: String,
    /// The namespaces that are looked at; all if there are none.
    pub scope: Vec<String>,
    /// Blockers and decisions that are taken as settled, by their codes or `CODE:SUBJECT`.
    pub assume: Vec<String>,
}

/// Why no plan can be made of an index.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BasisError {
    /// No catalog says for which version it is.
    #[error("no catalog says for which OpenShift version it is")]
    NoCatalog,
    /// A text has not the form `NAMESPACE/NAME=FAMILY`.
    #[error("`{0}` does not tie a CatalogSource to a catalog")]
    Tie(String),
    /// A CatalogSource is tied to what is not there.
    #[error("there is no catalog and no family `{name}`")]
    NoFamily {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl PlanBasis {
    /// What an index holds. `ties` say which CatalogSource is which family, as `NAMESPACE/NAME=FAMILY`; they go before the labels of
    /// catalogs.
    ///
    /// # Errors
    /// [`BasisError`].
    pub fn new(index: &Index, ties: &[String], updates: Vec<UpdateSource>) -> Result<Self, BasisError> {
        let ranks = index.catalog_ranks(&Filter::default())?;
        let days: BTreeMap<String, String> =
            ranks.iter().filter_map(|it| Some((it.catalog.clone(), it.labels.get(DATE_LABEL)?.clone()))).collect();
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
        Ok(Self { catalogs, source_map, lifecycles: Vec::new(), updates, days })
    }

    /// The catalogs as they were on a day: of those of the past, the last ones that are not later.
    fn catalogs_on(&self, day: Day) -> Vec<PlanCatalog> {
        let day = day.to_string();
        let day_of = |it: &PlanCatalog| self.days.get(&it.catalog).filter(|it| it.as_str() <= day.as_str());
        let is_last = |it: &PlanCatalog| {
            let is_its = |other: &&PlanCatalog| (other.minor, &other.family) == (it.minor, &it.family);
            day_of(it).is_some() && self.catalogs.iter().filter(is_its).filter_map(day_of).max() == day_of(it)
        };
        let is_meant = |it: &&PlanCatalog| !self.days.contains_key(&it.catalog) || is_last(it);
        self.catalogs.iter().filter(is_meant).cloned().collect()
    }

    /// The question after the plan of a cluster.
    #[must_use]
    pub fn question<'q>(&self, cluster: &'q Cluster, index: &'q Index, wish: PlanWish) -> PlanQuestion<'q> {
        let kind = if wish.eus { "eus" } else { "stable" };
        let channels = [format!("{kind}-{}", wish.to)];
        let mut graph = Graph::default();
        self.updates.iter().for_each(|it| graph.add(it.graph(&channels, &wish.arch)));
        let mut sources: Vec<String> = self.updates.iter().map(UpdateSource::title).collect();
        let known = graph_of_cluster(cluster);
        if !known.is_empty() {
            graph.add(known);
            let day = cluster.newest.get(..10).map(|it| format!(" (of {it})")).unwrap_or_default();
            sources.push(format!("ClusterVersion{day}"));
        }
        PlanQuestion {
            cluster,
            from: wish.from,
            to: wish.to,
            eus: wish.eus,
            day: wish.day,
            level: wish.level,
            lifecycles: self.lifecycles.clone(),
            index,
            catalogs: self.catalogs_on(wish.day),
            source_map: self.source_map.clone(),
            graph,
            graph_source: sources.join(", "),
            scope: wish.scope,
            assume: wish.assume,
        }
    }
}

/// The families of CatalogSources. A catalog's own name stands for its family.
fn source_map(index: &Index, catalogs: &[PlanCatalog], ties: &[String]) -> Result<Vec<(String, String)>, BasisError> {
    let mut map = Vec::new();
    for text in ties {
        let Some((source, wanted)) = text.split_once('=') else { return Err(BasisError::Tie(text.clone())) };
        let Some(found) = catalogs.iter().find(|it| it.family == wanted || it.catalog == wanted) else {
            let names = catalogs.iter().flat_map(|it| [&it.family, &it.catalog]).filter(|it| !it.is_empty());
            let mut known: Vec<String> = names.cloned().collect();
            known.sort_unstable();
            known.dedup();
            return Err(BasisError::NoFamily { name: wanted.to_owned(), known });
        };
        map.push((source.to_owned(), found.family.clone()));
    }
    for rank in index.catalog_ranks(&Filter::default())? {
        let found = catalogs.iter().find(|it| it.catalog == rank.catalog);
        if let (Some(found), Some(source)) = (found, rank.labels.get(SOURCE_LABEL)) {
            map.push((source.clone(), found.family.clone()));
        }
    }
    Ok(map)
}

/// The updates that a cluster's ClusterVersion knows of: those of the next step.
#[must_use]
pub fn graph_of_cluster(cluster: &Cluster) -> Graph {
    let mut graph = Graph::default();
    let Some(version) = &cluster.cluster_version else { return graph };
    let edge = |to: &String, risks: Vec<Risk>| Edge {
        from: version.version.clone(),
        to: to.clone(),
        risks,
        is_estimated: false,
    };
    graph.edges.extend(version.available.iter().map(|it| edge(it, Vec::new())));
    for (to, update) in &version.conditional {
        let mut reader = json::Reader::new();
        let risks = reader.read(update).ok().and_then(|it| Some(it.get("risks")?.items().map(Risk::read).collect()));
        graph.edges.push(edge(to, risks.unwrap_or_default()));
    }
    graph
}
