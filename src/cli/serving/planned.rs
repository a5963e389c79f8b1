//! The cluster that the pages of `olmdex serve` show.

use std::path::PathBuf;
use std::sync::Arc;

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
use crate::page::{IndexCache, Plans, ServedCluster, in_command};
use crate::plan::{BasisError, PlanBasis};

/// A cluster that pages diagnose and plan for.
pub(super) struct Planned {
    of: Arc<ServedCluster>,
    from: Option<Minor>,
    to: Option<Minor>,
}

impl Planned {
    pub(super) fn new(
        cluster: Cluster,
        paths: &[PathBuf],
        to: Option<Minor>,
        ties: &[String],
    ) -> Result<Self, CommandError> {
        let from = parse_minor(&cluster.openshift).ok();
        let has_operators = !cluster.namespaces().is_empty() || !cluster.extensions.is_empty();
        match (from, to) {
            (None, to) if to.is_some() || !has_operators => {
                let error = CommandError::usage(format!("{} holds no ClusterVersion", shown(paths)));
                return Err(error.help("add the ClusterVersion to the manifests: the plan begins at its version"));
            }
            (Some(from), Some(to)) if !from.is_before(to) => {
                let error = CommandError::usage(format!("OpenShift {to} is not later than {from}"));
                return Err(error.help("`--to` names a later minor version"));
            }
            _ => {}
        }
        // Check it now, so that a bad value is an error at the start and not in a request.
        day(None)?;
        let words = paths.iter().map(|it| ("--cluster", in_command(it)));
        let words = words.chain(ties.iter().map(|it| ("--source-map", it.clone()))).collect();
        let parents = paths.iter().filter(|it| it.is_absolute()).filter_map(|it| it.parent());
        let hidden = parents.map(|it| format!("{}/", it.display())).filter(|it| it != "/" && it != "//").collect();
        Ok(Self { of: Arc::new(ServedCluster { cluster, ties: ties.to_vec(), words, hidden }), from, to })
    }

    /// The pages with the cluster, and with plans if its version and that of a catalog are known.
    pub(super) fn add_to(
        &self,
        cache: IndexCache,
        index: &Index,
        sources: &[NamedSource],
    ) -> Result<IndexCache, CommandError> {
        let basis = match PlanBasis::new(index, &self.of.ties, index.update_sources()?) {
            Err(BasisError::NoCatalog) if self.to.is_none() => None,
            basis => Some(basis?),
        };
        let (Some(mut basis), Some(from)) = (basis, self.from) else {
            return Ok(cache.with_cluster(Arc::clone(&self.of), None));
        };
        basis.options.input = words_of(sources).into_iter().filter(|it| it != "-i").collect();
        let catalogs = basis.catalogs.iter().map(|it| it.catalog.clone()).collect();
        let lifecycles = index.lifecycles(&Filter { catalogs, ..Filter::default() })?;
        basis.lifecycles = lifecycles.into_iter().map(|it| it.1).collect();
        let of = Arc::clone(&self.of);
        let plans = Plans { of, from, to: self.to, basis, today: || day(None).unwrap_or(Day::of_unix(0)) };
        Ok(cache.with_cluster(Arc::clone(&self.of), Some(plans)))
    }
}
