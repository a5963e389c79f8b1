//! Newer bundles for the locked ones, and those of them that OLM can upgrade to.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::LockError;
use super::file::Lock;
use super::update::lock_path;
use super::verify::check_catalogs;
use olmdex_index::Index;
use olmdex_index::query::Filter;
use olmdex_olm::upgrade::{PackageView, classic};
use olmdex_version::Version;

/// An operator with newer bundles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Outdated {
    /// The package.
    pub package: String,
    /// The catalog.
    pub catalog: String,
    /// The channel, or empty.
    pub channel: String,
    /// The locked version.
    pub locked: String,
    /// The version that `olmdex lock update` reaches.
    pub reachable: String,
    /// The newest version of the channel; of the default one without a channel.
    pub latest: String,
    /// The newest version of the package, whichever channel has it.
    pub newest: String,
    /// Why it goes no further.
    pub reason: String,
}

/// The operators of a lock that have newer bundles.
///
/// # Errors
/// [`LockError`]
pub fn outdated(index: &Index, lock: &Lock) -> Result<Vec<Outdated>, LockError> {
    check_catalogs(index, lock)?;
    let mut found = Vec::new();
    for locked in &lock.operators {
        let filter = Filter::of_catalog(&locked.catalog);
        let view = PackageView::read(index, &filter, &locked.package)?;
        let Some(graph) = view.graphs.first() else { continue };
        let channel = if locked.channel.is_empty() { &graph.default_channel } else { &locked.channel };
        let package = classic::Package::new(graph);
        let of_channel = package.channels_named(channel).first();
        let versions = of_channel.into_iter().flat_map(|it| &it.entries).filter_map(|it| it.version.as_ref());
        let latest = versions.max_by(|a, b| a.cmp_precedence(b)).map(ToString::to_string).unwrap_or_default();
        let newest = view.bundles().first().map(|it| it.version.clone()).unwrap_or_default();
        let lock_path = lock_path(index, locked, None)?;
        let reachable = lock_path.steps.last().map_or_else(|| locked.version.clone(), |it| it.version.clone());
        let is_newer = |text: &str| match (Version::parse(text), Version::parse(&locked.version)) {
            (Ok(a), Ok(b)) => a.cmp_precedence(&b).is_gt(),
            _ => false,
        };
        if [&reachable, &latest, &newest].into_iter().any(|it| is_newer(it)) {
            found.push(Outdated {
                package: locked.package.clone(),
                catalog: locked.catalog.clone(),
                channel: locked.channel.clone(),
                locked: locked.version.clone(),
                reason: if reachable == newest { String::new() } else { lock_path.reason },
                reachable,
                latest,
                newest,
            });
        }
    }
    Ok(found)
}
