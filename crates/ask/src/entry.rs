//! The facts about the entries of a package's channels that follow from the package alone: the position of each, and
//! what OLM does where it is installed.

use olmdex_fbc as fbc;
use olmdex_index::query::{CatalogRank, PackageGraph};
use olmdex_olm::upgrade::classic::Package;
use olmdex_olm::upgrade::{EngineQuestion, NamedVersion, PackageView, Updates, classic_updates, v1_updates};
use olmdex_version::Version;
use olmdex_version::blang::Range;

/// The position of an entry in its channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryStanding {
    /// The channel has no order, for this reason.
    Unordered(String),
    /// It is the head.
    Head,
    /// It is in the chain below the head.
    Below { n_steps: usize, head: String },
    /// This entry skips it: OLM Classic never installs it.
    SkippedBy(String),
    /// It is below the end of the chain: only a Subscription that names it as `startingCSV` gets it.
    BelowTheEnd,
}

/// The updates that OLM makes where an entry is installed.
#[derive(Debug)]
pub struct EntryUpdates {
    /// The answer of OLM Classic.
    pub classic: Updates,
    /// The upgrades of OLM v1, which goes by versions: `None` if no bundles are known.
    pub v1: Option<Updates>,
}

/// The entries of a package in one catalog.
pub struct Entries<'g> {
    graph: &'g PackageGraph,
    package: Package,
}

impl<'g> Entries<'g> {
    /// The entries of a package.
    pub fn of(graph: &'g PackageGraph) -> Self {
        Self { graph, package: Package::new(graph) }
    }

    /// The version of an entry, in whatever channel it is.
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.package.channels.iter().find_map(|it| it.entry(name)?.version.as_ref())
    }

    /// The edges of an entry.
    pub fn edges(&self, channel: &str, name: &str) -> Option<&fbc::Entry> {
        let found = self.package.channels_named(channel).first()?;
        found.entry(name).map(|it| &*it.fields)
    }

    /// The number of a channel's entries, and its head, or the reason why it has none; `None` if there is no such
    /// channel.
    pub fn channel(&self, name: &str) -> Option<(usize, Result<Option<String>, String>)> {
        let found = self.package.channels_named(name).first()?;
        let head = match found.order() {
            Ok(order) => Ok(order.live.first().map(|it| it.fields.name.clone())),
            Err(error) => Err(error.to_string()),
        };
        Some((found.entries.as_slice().len(), head))
    }

    /// The position of an entry in its channel; `None` if there is no such channel.
    pub fn standing(&self, channel: &str, name: &str) -> Option<EntryStanding> {
        let found = self.package.channels_named(channel).first()?;
        let order = match found.order() {
            Ok(order) => order,
            Err(error) => return Some(EntryStanding::Unordered(error.to_string())),
        };
        Some(match order.live.iter().position(|it| it.fields.name == name) {
            Some(0) => EntryStanding::Head,
            Some(n_steps) => EntryStanding::Below { n_steps, head: order.live[0].fields.name.clone() },
            None => match order.skipped.get(name) {
                Some(by) => EntryStanding::SkippedBy(by.fields.name.clone()),
                None => EntryStanding::BelowTheEnd,
            },
        })
    }

    /// The updates that both generations of OLM make where the bundle is installed; `None` if it cannot be installed.
    pub fn updates(&self, channel: &str, name: &str) -> Option<EntryUpdates> {
        let view = self.view();
        let installed = view.find_installed(name).ok()?;
        let asked = EngineQuestion {
            installed: Some(installed),
            channels: vec![channel.to_owned()],
            ..EngineQuestion::default()
        };
        let v1 = (!self.graph.bundles.is_empty()).then(|| v1_updates(&view, &asked));
        Some(EntryUpdates { classic: classic_updates(&view, self.graph, &asked), v1 })
    }

    /// The bundles whose versions a range holds.
    pub fn in_range(&self, range: &Range) -> Vec<String> {
        let holds = |it: &&NamedVersion| {
            Version::parse(&it.version).is_ok_and(|version| range.contains(&version).unwrap_or(false))
        };
        self.view().bundles().iter().filter(holds).map(|it| it.name.clone()).collect()
    }

    fn view(&self) -> PackageView {
        PackageView::new(&self.graph.package, vec![self.graph.clone()], &[CatalogRank::default()])
    }
}
