//! The plan of a cluster that the pages of `olmdex serve` show.

use std::path::PathBuf;

use crate::ask::NamedSource;
use crate::calendar::Day;
use crate::cli::args::cluster::shown;
use crate::cli::args::day::day;
use crate::cli::args::sources::words_of;
use crate::cli::args::upgrade::parse_minor;
use crate::cli::terminal::error::CommandError;
use crate::cluster::Cluster;
use crate::constraint::openshift::Minor;
use crate::index::Index;
use crate::index::query::Filter;
use crate::page::{Plans, in_command};
use crate::plan::PlanBasis;

/// A cluster that pages plan for.
pub(super) struct Planned {
    cluster: Cluster,
    from: Minor,
    to: Option<Minor>,
    ties: Vec<String>,
    words: Vec<(&'static str, String)>,
    hidden: Vec<String>,
}

impl Planned {
    pub(super) fn new(
        cluster: Cluster,
        paths: &[PathBuf],
        to: Option<Minor>,
        ties: &[String],
    ) -> Result<Self, CommandError> {
        let from = parse_minor(&cluster.openshift).map_err(|_| {
            let error = CommandError::usage(format!("{} holds no ClusterVersion", shown(paths)));
            error.help("add the ClusterVersion to the manifests: the plan begins at its version")
        })?;
        if let Some(to) = to.filter(|it| !from.is_before(*it)) {
            let error = CommandError::usage(format!("OpenShift {to} is not later than {from}"));
            return Err(error.help("`--to` names a later minor version"));
        }
        // Check it now, so that a bad value is an error at the start and not in a request.
        day(None)?;
        let words = paths.iter().map(|it| ("--cluster", in_command(it)));
        let words = words.chain(ties.iter().map(|it| ("--source-map", it.clone()))).collect();
        let parents = paths.iter().filter(|it| it.is_absolute()).filter_map(|it| it.parent());
        let hidden = parents.map(|it| format!("{}/", it.display())).filter(|it| it != "/" && it != "//").collect();
        Ok(Self { cluster, from, to, ties: ties.to_vec(), words, hidden })
    }

    /// The basis of plans, made from the current catalogs.
    pub(super) fn plans(&self, index: &Index, sources: &[NamedSource]) -> Result<Plans, CommandError> {
        let mut basis = PlanBasis::new(index, &self.ties, index.update_sources()?)?;
        basis.options.input = words_of(sources).into_iter().filter(|it| it != "-i").collect();
        let catalogs = basis.catalogs.iter().map(|it| it.catalog.clone()).collect();
        let lifecycles = index.lifecycles(&Filter { catalogs, ..Filter::default() })?;
        basis.lifecycles = lifecycles.into_iter().map(|it| it.1).collect();
        Ok(Plans {
            cluster: self.cluster.clone(),
            from: self.from,
            to: self.to,
            basis,
            words: self.words.clone(),
            hidden: self.hidden.clone(),
            today: || day(None).unwrap_or(Day::of_unix(0)),
        })
    }
}
