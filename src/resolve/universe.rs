//! The part of the catalogs that matters, read as it is needed, and the installed operators beside it.
//!
//! What it deliberately does not do: no preferences, no problem to be solved.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::cel::{Fuel, OutOfFuel, Value};
use super::constraint::{Facts, Node, Reach};
use super::installed::Installed;
use super::property::{Meaning, Requirement, read};
use super::rows::{ChannelRows, EntryRow, PackageRows, Rows, World};
use crate::cluster::{Api, Place, Property};
use crate::index::IndexError;
use crate::upgrade::classic::{Channel as Chain, Entry as Link, OrderError};
use crate::version::Version;
use crate::version::blang::Range;

/// An entry of a channel, or an installed operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct EntryId(u32);

/// A channel of a package in a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ChannelId(u32);

/// Where an entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Channel(ChannelId),
    /// Its place among the installed operators.
    Installed(usize),
}

/// What is known of a bundle, whichever channel it is in.
#[derive(Debug)]
pub(super) struct Bundle {
    pub(super) package: String,
    pub(super) version: Option<Version>,
    pub(super) image: String,
    pub(super) place: Place,
    pub(super) properties: Vec<Property>,
    pub(super) meanings: Vec<Meaning>,
    /// Its properties as rules see them; made when the first rule asks.
    value: OnceCell<Value>,
}

/// An entry.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) origin: Origin,
    pub(super) bundle: usize,
    pub(super) replaces: String,
    pub(super) skips: Vec<String>,
    pub(super) skip_range: String,
}

/// A channel.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) catalog: usize,
    pub(super) package: String,
    pub(super) name: String,
    pub(super) is_default: bool,
    pub(super) entries: Vec<EntryId>,
    pub(super) place: Place,
    order: OnceCell<Result<Rc<[EntryId]>, OrderError>>,
}

/// What was read so far.
pub(super) struct Universe<'w> {
    pub(super) world: &'w World,
    rows: &'w dyn Rows,
    pub(super) installed: Vec<Installed>,
    pub(super) bundles: Vec<Bundle>,
    pub(super) entries: Vec<Entry>,
    pub(super) channels: Vec<Channel>,
    by_package: HashMap<String, Vec<ChannelId>>,
    providers: HashMap<Api, Vec<EntryId>>,
    labelled: HashMap<String, Vec<EntryId>>,
    claimants: HashMap<String, Vec<EntryId>>,
    /// What was asked of the rows already.
    asked_apis: HashSet<Api>,
    asked_labels: HashSet<String>,
    asked_names: HashSet<String>,
    has_all: bool,
    meanings: HashMap<Property, Meaning>,
    n_requirements: usize,
    /// Warnings about what was read, in order, each once.
    pub(super) warnings: Vec<String>,
    pub(super) fuel: Fuel,
}

impl<'w> Universe<'w> {
    pub(super) fn new(world: &'w World, rows: &'w dyn Rows, installed: Vec<Installed>, fuel: Fuel) -> Self {
        let mut universe = Self {
            world,
            rows,
            installed: Vec::new(),
            bundles: Vec::new(),
            entries: Vec::new(),
            channels: Vec::new(),
            by_package: HashMap::new(),
            providers: HashMap::new(),
            labelled: HashMap::new(),
            claimants: HashMap::new(),
            asked_apis: HashSet::new(),
            asked_labels: HashSet::new(),
            asked_names: HashSet::new(),
            has_all: false,
            meanings: HashMap::new(),
            n_requirements: 0,
            warnings: Vec::new(),
            fuel,
        };
        for (idx, it) in installed.iter().enumerate() {
            let place = world.installed.get(it.csv).map(|it| it.place.clone()).unwrap_or_default();
            let bundle = universe.add_bundle(&it.package, &it.version, "", place, it.properties.clone());
            universe.add_entry(Entry {
                name: it.name.clone(),
                origin: Origin::Installed(idx),
                bundle,
                replaces: String::new(),
                skips: Vec::new(),
                skip_range: String::new(),
            });
        }
        universe.installed = installed;
        universe
    }

    pub(super) fn entry(&self, id: EntryId) -> &Entry {
        &self.entries[id.0 as usize]
    }

    pub(super) fn bundle(&self, id: EntryId) -> &Bundle {
        &self.bundles[self.entry(id).bundle]
    }

    pub(super) fn channel(&self, id: ChannelId) -> &Channel {
        &self.channels[id.0 as usize]
    }

    /// The channel of an entry; `None` for what is installed.
    pub(super) fn channel_of(&self, id: EntryId) -> Option<&Channel> {
        match self.entry(id).origin {
            Origin::Channel(channel) => Some(self.channel(channel)),
            Origin::Installed(_) => None,
        }
    }

    /// The installed operator that an entry is.
    pub(super) fn installed_of(&self, id: EntryId) -> Option<&Installed> {
        match self.entry(id).origin {
            Origin::Channel(_) => None,
            Origin::Installed(idx) => self.installed.get(idx),
        }
    }

    /// The entries of what is installed.
    pub(super) fn installed_entries(&self) -> impl Iterator<Item = EntryId> + use<> {
        (0..self.installed.len() as u32).map(EntryId)
    }

    /// How OLM names an entry.
    pub(super) fn identifier(&self, id: EntryId) -> String {
        let entry = self.entry(id);
        match self.channel_of(id) {
            Some(channel) => {
                format!("{}/{}/{}", self.world.catalog_key(channel.catalog), channel.name, entry.name)
            }
            None => format!("@existing/{}//{}", self.world.namespace, entry.name),
        }
    }

    /// The channels of a package in all visible catalogs.
    pub(super) fn package(&mut self, name: &str) -> Result<Vec<ChannelId>, IndexError> {
        if let Some(known) = self.by_package.get(name) {
            return Ok(known.clone());
        }
        let mut channels = Vec::new();
        for rows in self.rows.package(name)? {
            let is_visible = self.world.catalogs.get(rows.catalog).is_some_and(|it| self.world.is_visible(it));
            if is_visible {
                channels.extend(self.add_package(rows));
            }
        }
        self.by_package.insert(name.to_owned(), channels.clone());
        Ok(channels)
    }

    /// Whether a catalog has anything that could be subscribed to.
    pub(super) fn has_entries(&self, catalog: usize) -> Result<bool, IndexError> {
        self.rows.has_entries(catalog)
    }

    /// How many entries of the catalog have the names of an entry and its channel.
    pub(super) fn copies(&self, id: EntryId) -> Result<usize, IndexError> {
        match self.channel_of(id) {
            Some(channel) => self.rows.copies(channel.catalog, &channel.name, &self.entry(id).name),
            None => Ok(1),
        }
    }

    fn add_package(&mut self, rows: PackageRows) -> Vec<ChannelId> {
        let first_bundle = self.bundles.len();
        let PackageRows { catalog, name, default_channel, channels, bundles } = rows;
        for bundle in bundles {
            self.add_bundle(&name, &bundle.version, &bundle.image, bundle.place, bundle.properties);
        }
        let add = |universe: &mut Self, rows: ChannelRows| {
            let id = ChannelId(universe.channels.len() as u32);
            let is_default = rows.name == default_channel;
            universe.channels.push(Channel {
                catalog,
                package: name.clone(),
                name: rows.name,
                is_default,
                entries: Vec::new(),
                place: rows.place,
                order: OnceCell::new(),
            });
            for EntryRow { name, replaces, skips, skip_range, bundle } in rows.entries {
                let (origin, bundle) = (Origin::Channel(id), first_bundle + bundle);
                let entry = universe.add_entry(Entry { name, origin, bundle, replaces, skips, skip_range });
                universe.channels[id.0 as usize].entries.push(entry);
            }
            id
        };
        channels.into_iter().map(|it| add(self, it)).collect()
    }

    fn add_bundle(
        &mut self,
        package: &str,
        version: &str,
        image: &str,
        place: Place,
        properties: Vec<Property>,
    ) -> usize {
        let mut meanings = Vec::with_capacity(properties.len());
        for property in &properties {
            let meaning = match self.meanings.get(property) {
                Some(known) => known.clone(),
                None => {
                    let meaning = read(property, self.n_requirements);
                    self.n_requirements += usize::from(matches!(meaning, Meaning::Requires(_)));
                    self.meanings.insert(property.clone(), meaning.clone());
                    meaning
                }
            };
            meanings.push(meaning);
        }
        self.bundles.push(Bundle {
            package: package.to_owned(),
            version: Version::parse_tolerant(version).ok(),
            image: image.to_owned(),
            place,
            properties,
            meanings,
            value: OnceCell::new(),
        });
        self.bundles.len() - 1
    }

    fn add_entry(&mut self, entry: Entry) -> EntryId {
        let id = EntryId(self.entries.len() as u32);
        for meaning in &self.bundles[entry.bundle].meanings {
            let list = match meaning {
                Meaning::Provides(api) => self.providers.entry(api.clone()).or_default(),
                Meaning::Label(label) => self.labelled.entry(label.clone()).or_default(),
                Meaning::Package { name, .. } => self.claimants.entry(name.clone()).or_default(),
                _ => continue,
            };
            if list.last() != Some(&id) {
                list.push(id);
            }
        }
        self.entries.push(entry);
        id
    }

    /// The entries that could meet a requirement: all that do, and perhaps others.
    fn within_reach(&mut self, requirement: &Requirement) -> Result<Vec<EntryId>, IndexError> {
        let mut found: Vec<EntryId> = Vec::new();
        let leaves = match requirement.tree.reach() {
            Reach::Everywhere => {
                if !self.has_all {
                    for name in self.rows.all()? {
                        self.package(&name)?;
                    }
                    self.has_all = true;
                }
                return Ok((0..self.entries.len() as u32).map(EntryId).collect());
            }
            Reach::Leaves(leaves) => leaves,
        };
        for leaf in leaves {
            match &requirement.tree.nodes[leaf] {
                Node::Api(api) => {
                    if self.asked_apis.insert(api.clone()) {
                        self.load(self.rows.providers(api)?)?;
                    }
                    found.extend(self.providers.get(api).into_iter().flatten());
                }
                Node::Label(label) => {
                    if self.asked_labels.insert(label.clone()) {
                        self.load(self.rows.labelled(label)?)?;
                    }
                    found.extend(self.labelled.get(label).into_iter().flatten());
                }
                Node::Package { name, .. } => {
                    if self.asked_names.insert(name.clone()) {
                        self.load(self.rows.named(name)?)?;
                    }
                    found.extend(self.claimants.get(name).into_iter().flatten());
                    for channel in self.package(name)? {
                        found.extend(&self.channels[channel.0 as usize].entries);
                    }
                }
                Node::All(_) | Node::Any(_) | Node::Not(_) | Node::Cel { .. } => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn load(&mut self, packages: Vec<String>) -> Result<(), IndexError> {
        packages.into_iter().try_for_each(|it| self.package(&it).map(drop))
    }

    /// The entries that meet a requirement, in the order in which they were read: what is installed first.
    pub(super) fn matches(&mut self, requirement: &Requirement) -> Result<Vec<EntryId>, MatchError> {
        if let Some(warning) = &requirement.warning
            && !self.warnings.contains(warning)
        {
            self.warnings.push(warning.clone());
        }
        let within_reach = self.within_reach(requirement)?;
        let mut found = Vec::new();
        // Copies of a bundle in several channels meet the same requirements.
        let mut known: HashMap<usize, bool> = HashMap::new();
        for id in within_reach {
            let bundle = self.entry(id).bundle;
            let holds = match known.get(&bundle) {
                Some(holds) => *holds,
                None => {
                    let facts = BundleFacts { bundle: &self.bundles[bundle], fuel: &self.fuel };
                    self.fuel.spend(requirement.tree.nodes.len() as u64)?;
                    let holds = requirement.tree.holds(&facts)?;
                    known.insert(bundle, holds);
                    holds
                }
            };
            if holds {
                found.push(id);
            }
        }
        Ok(found)
    }

    /// The entries of a channel that count, head first.
    pub(super) fn order(&self, id: ChannelId) -> Result<Rc<[EntryId]>, OrderError> {
        let channel = self.channel(id);
        let order = channel.order.get_or_init(|| {
            let links = channel.entries.iter().map(|it| self.link(*it)).collect();
            let chain = Chain {
                package: channel.package.clone(),
                name: channel.name.clone(),
                entries: links,
                file: String::new(),
                line: 0,
            };
            let order = chain.order()?;
            let by_name: HashMap<&str, EntryId> =
                channel.entries.iter().rev().map(|it| (self.entry(*it).name.as_str(), *it)).collect();
            Ok(order.live.iter().filter_map(|it| by_name.get(it.name.as_str()).copied()).collect())
        });
        order.clone()
    }

    /// An entry as the order of channels needs it.
    pub(super) fn link(&self, id: EntryId) -> Link {
        let entry = self.entry(id);
        Link {
            name: entry.name.clone(),
            version: None,
            replaces: entry.replaces.clone(),
            skips: entry.skips.clone(),
            skip_range: String::new(),
            range: None,
        }
    }

    /// Whether an entry leads on from what is installed (`spec/olm-classic.md` 2.5.4).
    pub(super) fn leads_on(&self, id: EntryId, from: EntryId) -> bool {
        let (entry, installed) = (self.entry(id), self.entry(from));
        let in_range = || {
            let version = self.bundle(from).version.as_ref();
            let range = Range::parse(&entry.skip_range).ok();
            matches!((range, version), (Some(range), Some(version)) if range.contains(version).unwrap_or(false))
        };
        entry.replaces == installed.name
            || entry.skips.contains(&installed.name)
            || (!entry.skip_range.is_empty() && in_range())
    }
}

/// Why matching stopped.
#[derive(Debug)]
pub(super) enum MatchError {
    Index(IndexError),
    OutOfFuel(OutOfFuel),
}

impl From<IndexError> for MatchError {
    fn from(error: IndexError) -> Self {
        Self::Index(error)
    }
}

impl From<OutOfFuel> for MatchError {
    fn from(error: OutOfFuel) -> Self {
        Self::OutOfFuel(error)
    }
}

struct BundleFacts<'b> {
    bundle: &'b Bundle,
    fuel: &'b Fuel,
}

impl Facts<OutOfFuel> for BundleFacts<'_> {
    fn leaf(&self, node: &Node) -> Result<bool, OutOfFuel> {
        let says = |is_it: &dyn Fn(&Meaning) -> bool| self.bundle.meanings.iter().any(is_it);
        Ok(match node {
            Node::Api(api) => says(&|it| matches!(it, Meaning::Provides(it) if it == api)),
            Node::Label(label) => says(&|it| matches!(it, Meaning::Label(it) if it == label)),
            // Name and version may come from different places.
            Node::Package { name, range, .. } => {
                let is_in = |it: &Version| range.contains(it).unwrap_or(false);
                let is_named = self.bundle.package == *name
                    || says(&|it| matches!(it, Meaning::Package { name: it, .. } if it == name));
                is_named
                    && (self.bundle.version.as_ref().is_some_and(is_in)
                        || says(&|it| matches!(it, Meaning::Package { version: Some(it), .. } if is_in(it))))
            }
            Node::Cel { rule, .. } => {
                let properties = self.bundle.value.get_or_init(|| {
                    Value::properties(self.bundle.properties.iter().map(|it| (it.kind.as_str(), it.value.as_str())))
                });
                rule.holds(properties, self.fuel)?.unwrap_or(false)
            }
            Node::All(_) | Node::Any(_) | Node::Not(_) => false,
        })
    }
}
