//! The part of the catalogs that matters, read as it is needed, and the installed operators beside it. A package is
//! read when it comes within reach; the content of one of its bundles is read when the bundle is looked at.

mod matching;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::installed::Installed;
use super::rows::{PackageRows, Rows, World};
use crate::upgrade::classic::{Channel as Chain, Entry as Link, OrderError};
use olmdex_base::budget::Budget;
use olmdex_base::diag::Place;
use olmdex_constraint::cel::Value;
use olmdex_constraint::property::{Meaning, Requirement, read};
use olmdex_fbc::{self as fbc, Api, ChannelPlaces, Property, SharedEntry};
use olmdex_index::IndexError;
use olmdex_index::query::{DependencyBundle, GraphChannel};
use olmdex_text::tally;
use olmdex_version::Version;
use olmdex_version::blang::Range;

/// An entry of a channel, or an installed operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct EntryId(u32);

/// A channel of a package in a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ChannelId(u32);

/// The origin of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Channel(ChannelId),
    /// Its place among the installed operators.
    Installed(usize),
}

/// The known facts about a bundle, the same in every channel.
#[derive(Debug)]
pub(super) struct Bundle {
    pub(super) package: String,
    pub(super) version: Option<Version>,
    row: DependencyBundle,
    /// Read on first use.
    wording: OnceCell<Wording>,
}

impl Bundle {
    pub(super) fn image(&self) -> &str {
        &self.row.image
    }

    pub(super) fn place(&self) -> &Place {
        &self.row.place
    }
}

/// The content of a bundle, with its demands.
#[derive(Debug)]
pub(super) struct Wording {
    pub(super) properties: Vec<Property>,
    pub(super) meanings: Rc<[Meaning]>,
    /// The first property that makes each demand, by the number of the demand.
    by_demand: HashMap<usize, usize>,
    /// The properties as rules see them; made when the first rule asks.
    value: OnceCell<Value>,
}

/// An entry.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) fields: SharedEntry,
    pub(super) origin: Origin,
    pub(super) bundle: usize,
}

/// A channel.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) catalog: usize,
    pub(super) package: String,
    pub(super) name: String,
    pub(super) is_default: bool,
    pub(super) entries: Vec<EntryId>,
    places: Arc<ChannelPlaces>,
    order: OnceCell<Result<Rc<[EntryId]>, OrderError>>,
}

/// A part of a requirement, as far as the entries that meet it can be looked up.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Leaf {
    Api(Api),
    Label(String),
    Package(String),
}

impl Leaf {
    fn is(&self, meaning: &Meaning) -> bool {
        match (self, meaning) {
            (Self::Api(api), Meaning::Provides(it)) => it == api,
            (Self::Label(label), Meaning::Label(it)) => it == label,
            (Self::Package(package), Meaning::Package { name, .. }) => name == package,
            _ => false,
        }
    }
}

/// Everything that was read so far.
pub(super) struct Universe<'w> {
    pub(super) world: &'w World,
    rows: &'w dyn Rows,
    pub(super) installed: Vec<Installed>,
    pub(super) bundles: Vec<Bundle>,
    pub(super) entries: Vec<Entry>,
    pub(super) channels: Vec<Channel>,
    by_package: HashMap<String, Vec<ChannelId>>,
    /// The entries that match a leaf, for the leaves that were met.
    saying: HashMap<Leaf, Rc<[EntryId]>>,
    has_all: bool,
    /// The meanings of the properties that were read already.
    meanings: RefCell<HashMap<Property, Meaning>>,
    n_requirements: Cell<usize>,
    /// Warnings about what was read, in order, each once.
    pub(super) warnings: Vec<String>,
    /// The messages of the unmet parts of unmet requirements, by the number of the requirement.
    pub(super) unmet: HashMap<usize, Vec<String>>,
    pub(super) budget: Budget,
}

impl<'w> Universe<'w> {
    pub(super) fn new(world: &'w World, rows: &'w dyn Rows, installed: Vec<Installed>, budget: Budget) -> Self {
        let mut universe = Self {
            world,
            rows,
            installed: Vec::new(),
            bundles: Vec::new(),
            entries: Vec::new(),
            channels: Vec::new(),
            by_package: HashMap::new(),
            saying: HashMap::new(),
            has_all: false,
            meanings: RefCell::default(),
            n_requirements: Cell::new(0),
            warnings: Vec::new(),
            unmet: HashMap::new(),
            budget,
        };
        for (idx, it) in installed.iter().enumerate() {
            let place = world.installed.get(it.csv).map(|it| it.place.clone()).unwrap_or_default();
            let row = DependencyBundle { version: it.version.clone(), place, ..DependencyBundle::default() };
            let bundle = universe.add_bundle(&it.package, row);
            let wording = universe.said_by(it.properties.clone());
            let _ = universe.bundles[bundle].wording.set(wording);
            universe.add_entry(Entry {
                fields: fbc::Entry { name: it.name.clone(), ..fbc::Entry::default() }.into(),
                origin: Origin::Installed(idx),
                bundle,
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

    /// The channel of an entry; `None` for an installed operator.
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

    /// The entries of the installed operators.
    pub(super) fn installed_entries(&self) -> impl Iterator<Item = EntryId> + use<> {
        (0..self.installed.len() as u32).map(EntryId)
    }

    /// All entries that were read, and those of the installed operators.
    pub(super) fn all_entries(&self) -> impl Iterator<Item = EntryId> + use<> {
        (0..self.entries.len() as u32).map(EntryId)
    }

    /// OLM's name for an entry.
    pub(super) fn identifier(&self, id: EntryId) -> String {
        let entry = self.entry(id);
        match self.channel_of(id) {
            Some(channel) => {
                format!("{}/{}/{}", self.world.catalog_key(channel.catalog), channel.name, entry.fields.name)
            }
            None => format!("@existing/{}//{}", self.world.namespace, entry.fields.name),
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

    /// The number of entries of the catalog that have the names of an entry and its channel.
    pub(super) fn copies(&self, id: EntryId) -> Result<usize, IndexError> {
        match self.channel_of(id) {
            Some(channel) => self.rows.copies(channel.catalog, &channel.name, &self.entry(id).fields.name),
            None => Ok(1),
        }
    }

    fn add_package(&mut self, rows: PackageRows) -> Vec<ChannelId> {
        let PackageRows { catalog, graph } = rows;
        let first_bundle = self.bundles.len();
        let bundles = graph.bundles_by_name();
        let mut ids = Vec::with_capacity(graph.channels.len());
        for GraphChannel { name, entries, places } in &graph.channels {
            let id = ChannelId(self.channels.len() as u32);
            let add = |fields: SharedEntry| {
                let bundle = first_bundle + bundles.get(fields.name.as_str())?;
                Some(self.add_entry(Entry { fields, origin: Origin::Channel(id), bundle }))
            };
            let entries = SharedEntry::each(entries).filter_map(add).collect();
            self.channels.push(Channel {
                catalog,
                package: graph.package.clone(),
                name: name.clone(),
                is_default: *name == graph.default_channel,
                entries,
                places: Arc::clone(places),
                order: OnceCell::new(),
            });
            ids.push(id);
        }
        for bundle in graph.bundles {
            self.add_bundle(&graph.package, bundle);
        }
        ids
    }

    fn add_bundle(&mut self, package: &str, row: DependencyBundle) -> usize {
        let version = Version::parse_tolerant(&row.version).ok();
        self.bundles.push(Bundle { package: package.to_owned(), version, row, wording: OnceCell::new() });
        self.bundles.len() - 1
    }

    fn add_entry(&mut self, entry: Entry) -> EntryId {
        tally::step(1);
        let id = EntryId(self.entries.len() as u32);
        self.entries.push(entry);
        id
    }

    /// The content of the bundle of an entry.
    pub(super) fn wording(&self, id: EntryId) -> Result<&Wording, IndexError> {
        let bundle = self.bundle(id);
        if let Some(wording) = bundle.wording.get() {
            return Ok(wording);
        }
        let properties = self.rows.properties(&bundle.package, &[&bundle.row])?.pop().unwrap_or_default();
        Ok(bundle.wording.get_or_init(|| self.said_by(properties)))
    }

    /// Reads the content of the bundles of entries, at once.
    pub(super) fn learn(&self, ids: &[EntryId]) -> Result<(), IndexError> {
        let mut unknown: BTreeMap<&str, Vec<&Bundle>> = BTreeMap::new();
        let mut seen: HashSet<usize> = HashSet::new();
        for id in ids {
            let bundle = self.bundle(*id);
            if bundle.wording.get().is_none() && seen.insert(self.entry(*id).bundle) {
                unknown.entry(&bundle.package).or_default().push(bundle);
            }
        }
        for (package, bundles) in unknown {
            let rows: Vec<&DependencyBundle> = bundles.iter().map(|it| &it.row).collect();
            for (bundle, properties) in bundles.iter().zip(self.rows.properties(package, &rows)?) {
                let _ = bundle.wording.set(self.said_by(properties));
            }
        }
        Ok(())
    }

    fn said_by(&self, properties: Vec<Property>) -> Wording {
        let meanings: Rc<[Meaning]> = properties.iter().map(|it| self.meaning(it)).collect();
        let mut by_demand = HashMap::new();
        for (at, meaning) in meanings.iter().enumerate() {
            if let Meaning::Requires(demand) = meaning {
                by_demand.entry(demand.number).or_insert(at);
            }
        }
        Wording { properties, meanings, by_demand, value: OnceCell::new() }
    }

    /// The meaning of a property. A property that is read again yields the same demand.
    fn meaning(&self, property: &Property) -> Meaning {
        if let Some(known) = self.meanings.borrow().get(property) {
            return known.clone();
        }
        let number = self.n_requirements.get();
        let meaning = read(&property.kind, &property.value, number);
        self.n_requirements.set(number + usize::from(matches!(meaning, Meaning::Requires(_))));
        self.meanings.borrow_mut().insert(property.clone(), meaning.clone());
        meaning
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
                places: Arc::default(),
            };
            let order = chain.order()?;
            let by_name: HashMap<&str, EntryId> =
                channel.entries.iter().rev().map(|it| (self.entry(*it).fields.name.as_str(), *it)).collect();
            Ok(order.live.iter().filter_map(|it| by_name.get(it.fields.name.as_str()).copied()).collect())
        });
        order.clone()
    }

    /// An entry as the order of channels needs it, which looks at no versions.
    pub(super) fn link(&self, id: EntryId) -> Link {
        Link { fields: self.entry(id).fields.clone(), version: None, range: None }
    }

    /// The place of an entry; for an installed operator, the place of its object.
    pub(super) fn place_of_entry(&self, id: EntryId) -> Place {
        match self.channel_of(id) {
            Some(channel) => channel.places.entry(self.entry(id).fields.number()),
            None => self.bundle(id).place().clone(),
        }
    }

    /// The place where an entry states an upgrade from another.
    pub(super) fn place_of_edge(&self, id: EntryId, from: EntryId) -> Place {
        let (entry, from) = (self.entry(id), &self.entry(from).fields.name);
        let Some(channel) = self.channel_of(id) else { return self.bundle(id).place().clone() };
        match entry.fields.skips.iter().position(|it| it == from) {
            _ if entry.fields.replaces == *from => channel.places.replaces(entry.fields.number()),
            Some(item) => channel.places.skip(entry.fields.number(), item),
            None => channel.places.skip_range(entry.fields.number()),
        }
    }

    /// The place where the bundle of an entry states a meaning; the place of the bundle, if that is not known.
    pub(super) fn place_of_meaning(&self, id: EntryId, is_meant: impl Fn(&Meaning) -> bool) -> Place {
        let bundle = self.bundle(id);
        let wording = bundle.wording.get();
        let found = wording.and_then(|it| it.meanings.iter().zip(&it.properties).find(|it| is_meant(it.0)));
        found.map_or_else(|| bundle.place().clone(), |(_, property)| self.rows.place_of(&bundle.row, property))
    }

    /// The place where the bundle of an entry makes a demand.
    pub(super) fn place_of_demand(&self, id: EntryId, demand: &Requirement) -> Place {
        let bundle = self.bundle(id);
        let property = bundle
            .wording
            .get()
            .and_then(|wording| wording.by_demand.get(&demand.number).and_then(|at| wording.properties.get(*at)));
        property.map_or_else(|| bundle.place().clone(), |property| self.rows.place_of(&bundle.row, property))
    }

    /// Whether an entry is an upgrade of an installed operator (`docs/behaviour/olm-classic.md` 2.5.4).
    pub(super) fn leads_on(&self, id: EntryId, from: EntryId) -> bool {
        let (entry, installed) = (self.entry(id), self.entry(from));
        let in_range = || {
            let version = self.bundle(from).version.as_ref();
            let range = Range::parse(&entry.fields.skip_range).ok();
            matches!((range, version), (Some(range), Some(version)) if range.contains(version).unwrap_or(false))
        };
        entry.fields.replaces == installed.fields.name
            || entry.fields.skips.contains(&installed.fields.name)
            || (!entry.fields.skip_range.is_empty() && in_range())
    }
}
