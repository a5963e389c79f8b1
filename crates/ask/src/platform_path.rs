//! The updates of OpenShift from one version to another.

use super::error::AskError;
use olmdex_base::diag::counted;
use olmdex_constraint::openshift::Minor;
use olmdex_plan::plan::{add_updates_of, architecture, channels_of, path_by_name};
use olmdex_rules::cluster::Cluster;
use olmdex_rules::openshift::{
    ClusterChannels, Goal, Graph, PlatformHop, PlatformRoute, UpdateSource, coerce, known_minors, platform_path,
};
use olmdex_version::Version;

/// The ends of a way from one version of OpenShift to another.
#[derive(Debug, Clone)]
pub struct PlatformEnds<'q> {
    from: &'q str,
    to: &'q str,
    start: Minor,
    end: Minor,
}

impl<'q> PlatformEnds<'q> {
    /// Reads the present version and the target: a release, or a minor version. Without a present version, it is that
    /// of the cluster.
    ///
    /// # Errors
    /// [`AskError::NotOpenshift`], [`AskError::Downgrade`], and [`AskError::NoStartOfPath`] if neither the question nor
    /// the cluster has a version.
    pub fn read(from: Option<&'q str>, to: &'q str, cluster: &'q Cluster) -> Result<Self, AskError> {
        let from = match (from, cluster.openshift.as_str()) {
            (Some(from), _) => from,
            (None, "") => return Err(AskError::NoStartOfPath),
            (None, version) => version,
        };
        let (start, end) = (minor_of(from)?, minor_of(to)?);
        if end.is_before(start) {
            return Err(AskError::Downgrade { from: from.to_owned(), to: to.to_owned() });
        }
        Ok(Self { from, to, start, end })
    }
}

/// A question about the updates from one version of OpenShift to another.
pub struct PlatformPathQuestion<'q> {
    /// Both versions.
    pub ends: PlatformEnds<'q>,
    /// The cluster, whose ClusterVersion knows the next updates.
    pub cluster: &'q Cluster,
    /// The known updates.
    pub updates: &'q [UpdateSource],
    /// The channels of OpenShift, or their kind; none for the kind of the cluster's channel.
    pub channels: &'q [String],
    /// The architecture; `None` for that of the cluster.
    pub arch: Option<&'q str>,
}

impl PlatformPathQuestion<'_> {
    /// The route with the fewest updates, or the reason why there is none.
    pub fn answer(&self) -> PlatformRoute {
        let PlatformEnds { to, start, end, .. } = self.ends;
        let path = path_by_name(start, end, &known_minors(self.updates));
        let channels = ClusterChannels::asked(self.channels).unwrap_or_else(|| channels_of(self.cluster));
        let arch = architecture(self.cluster, self.arch);
        let mut graph = channels.graph(self.updates, &path, &arch);
        let mut sources: Vec<String> = self.updates.iter().map(UpdateSource::title).collect();
        if add_updates_of(self.cluster, &mut graph) {
            sources.push("ClusterVersion (the next step only)".to_owned());
        }
        if graph.is_empty() && sources.is_empty() {
            return self.by_minors(&path);
        }
        let goal = if Version::parse(to).is_ok() { Goal::Release(to.to_owned()) } else { Goal::Minor(end) };
        self.by_releases(&path, &graph, &goal, sources)
    }

    fn by_minors(&self, path: &[Minor]) -> PlatformRoute {
        let hop = |pair: &[Minor]| PlatformHop {
            from: pair[0].to_string(),
            to: pair[1].to_string(),
            risks: Vec::new(),
            is_estimated: true,
            url: String::new(),
        };
        PlatformRoute {
            from: self.ends.from.to_owned(),
            to: self.ends.to.to_owned(),
            is_reached: true,
            hops: path.windows(2).map(hop).collect(),
            sources: Vec::new(),
            reason: "no update graph given, so the plan has minor versions only; `--graph FILE` adds releases"
                .to_owned(),
        }
    }

    fn by_releases(&self, path: &[Minor], graph: &Graph, goal: &Goal, sources: Vec<String>) -> PlatformRoute {
        let PlatformEnds { from, to, .. } = self.ends;
        let found = platform_path(graph, from, goal);
        let reason = match &found {
            Some(found) => {
                let mut reason = match found.hops.len() {
                    0 => format!("the cluster is already at {from}"),
                    n => format!("{} is reachable in {}", found.to, counted(n as u64, "update")),
                };
                if found.hops.iter().any(|it| it.is_estimated) {
                    reason.push_str("; these updates probably exist");
                }
                reason
            }
            None if graph.releases.contains_key(from) || graph.edges.iter().any(|it| it.from == from) => {
                format!("no updates lead from {from} to {to}")
            }
            None => {
                format!("{from} is not a known release; name a release of one of the channels, such as {}.3", path[0])
            }
        };
        PlatformRoute {
            from: self.ends.from.to_owned(),
            to: self.ends.to.to_owned(),
            is_reached: found.is_some(),
            hops: found.map(|it| it.hops).unwrap_or_default(),
            sources,
            reason,
        }
    }
}

fn minor_of(text: &str) -> Result<Minor, AskError> {
    let found = coerce(text).filter(|_| text.contains('.') && text.starts_with(|c: char| c.is_ascii_digit()));
    found.ok_or_else(|| AskError::NotOpenshift(text.to_owned()))
}
