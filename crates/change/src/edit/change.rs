//! The possible changes to a package, and their effects on its documents.

use std::collections::HashMap;

use super::documents::PackageDocuments;
use super::entries::{change_entries, head};
use super::error::EditError;
use super::repair::PackageFix;
use super::target::{BUNDLE, CHANNEL, PACKAGE, Target};
use super::{deprecation, promotion, removal};
use olmdex_fbc::blob::Blob;
use olmdex_fbc::service_version::CsvView;
use olmdex_fbc::{self as fbc, CSV_METADATA, Entry, Typed};
use olmdex_text::json::{self, Reader, Tree};
use olmdex_text::yaml;

/// The edges of an entry. A field that is `None` stays as it is; an empty field is removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edges {
    /// The entry that it replaces.
    pub replaces: Option<String>,
    /// The entries that it skips.
    pub skips: Option<Vec<String>>,
    /// The versions that it skips.
    pub skip_range: Option<String>,
}

impl Edges {
    /// The edges that the ClusterServiceVersion in a blob states: `replaces`, `skips` and `olm.skipRange`. Edges that
    /// it does not state are `None`. A blob whose ClusterServiceVersion has become a property has lost `replaces` and
    /// `skips`.
    pub(super) fn stated_in(bundle: &Blob<'_>) -> Self {
        let Typed::Bundle(bundle) = &bundle.typed else { return Self::default() };
        if let Ok(Some(csv)) = fbc::cluster_service_version(bundle) {
            let mut text = json::decode_utf8(&csv);
            let (mut reader, mut converted) = (Reader::new(), Vec::new());
            // A text that starts as an object may still be YAML.
            if reader.read(&text).is_err() && yaml::to_json(&csv, &mut converted).is_ok() {
                text = json::decode_utf8(&converted);
            }
            return reader.read(&text).map(|it| Self::of(&CsvView::of_manifest(it))).unwrap_or_default();
        }
        let metadata = bundle.properties.iter().find(|it| it.kind == CSV_METADATA).and_then(|it| it.value);
        metadata.map(|it| Self::of(&CsvView::of_metadata(it))).unwrap_or_default()
    }

    fn of(csv: &CsvView<'_>) -> Self {
        let skips: Vec<String> = csv.skips().collect();
        let named = |text: String| (!text.is_empty()).then_some(text);
        Self {
            replaces: named(csv.text("replaces")),
            skips: (!skips.is_empty()).then_some(skips),
            skip_range: named(csv.annotation("olm.skipRange").unwrap_or_default().into_owned()),
        }
    }

    /// An entry with them.
    pub(super) fn as_entry(&self, name: &str) -> Tree {
        let mut entry = Tree::object().with("name", name);
        self.put_into(&mut entry);
        entry
    }

    /// Gives them to an entry.
    fn put_into(&self, entry: &mut Tree) {
        if let Some(replaces) = &self.replaces {
            entry.set_text("replaces", replaces);
        }
        if let Some(skips) = &self.skips {
            entry.set_texts("skips", skips);
        }
        if let Some(range) = &self.skip_range {
            entry.set_text("skipRange", range);
        }
    }

    /// Takes the edges of another one for all that are `None`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            replaces: self.replaces.or(other.replaces),
            skips: self.skips.or(other.skips),
            skip_range: self.skip_range.or(other.skip_range),
        }
    }
}

/// A change of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Something is deprecated, with a message for its users.
    Deprecate { target: Target, message: String },
    /// Something is not deprecated any more.
    Undeprecate(Target),
    /// Another channel is the default.
    DefaultChannel(String),
    /// A channel gets another name.
    RenameChannel { from: String, to: String },
    /// An entry gets other edges.
    SetEdges { channel: String, entry: String, edges: Edges },
    /// A channel gets other entries. An existing entry keeps its other fields.
    SetEntries { channel: String, entries: Vec<Entry> },
    /// A bundle joins channels of the package.
    Add {
        /// The blob of the bundle.
        bundle: Tree,
        channels: Vec<String>,
        /// The edges of its entries. Without `replaces` and `skips`, it replaces the head of each channel.
        edges: Edges,
        /// Whether an entry of its name keeps the edges that it has.
        keeps_edges: bool,
        /// Whether channels that are not there yet begin with it.
        creates_channels: bool,
        /// Whether the bundle replaces an entry and a blob of its name.
        replaces_itself: bool,
    },
    /// Copies the entries of a channel up to a bundle into another one, on top of its head.
    Promote {
        bundle: String,
        /// The source channel; without one, the only other channel that has the bundle.
        from: Option<String>,
        /// The target channel, which is created if it does not exist.
        to: String,
        /// Whether only the bundle is copied, and skips the entries between.
        only: bool,
    },
    /// Something goes, and its neighbours are joined.
    Remove(Target),
    /// Bundles get a property.
    AddProperty { bundles: Vec<String>, kind: String, value: Tree },
    /// Fixes a finding that has one safe answer.
    PackageFix(PackageFix),
}

impl Change {
    /// Makes the change.
    ///
    /// # Errors
    /// [`EditError`] if something that it names does not exist, or exists already.
    pub fn apply(&self, package: &mut PackageDocuments) -> Result<(), EditError> {
        match self {
            Self::Deprecate { target, message } => deprecation::deprecate(package, target, message),
            Self::Undeprecate(target) => deprecation::undeprecate(package, target),
            Self::DefaultChannel(channel) => default_channel(package, channel),
            Self::RenameChannel { from, to } => rename_channel(package, from, to),
            Self::SetEdges { channel, entry, edges } => set_edges(package, channel, entry, edges),
            Self::SetEntries { channel, entries } => set_entries(package, channel, entries),
            Self::Add { bundle, channels, edges, keeps_edges, creates_channels, replaces_itself } => {
                let (keeps_edges, creates_channels) = (*keeps_edges, *creates_channels);
                let how = Added { edges, keeps_edges, creates_channels, replaces_itself: *replaces_itself };
                add(package, bundle, channels, how)
            }
            Self::Promote { bundle, from, to, only } => promotion::promote(package, bundle, from.as_deref(), to, *only),
            Self::Remove(Target::Package) => {
                package.all_mut().for_each(super::documents::Document::remove);
                Ok(())
            }
            Self::Remove(Target::Channel(channel)) => removal::channel(package, channel),
            Self::Remove(Target::Bundle(bundle)) => removal::bundle(package, bundle),
            Self::PackageFix(mend) => {
                mend.apply(package);
                Ok(())
            }
            Self::AddProperty { bundles, kind, value } => add_property(package, bundles, kind, value),
        }
    }
}

fn default_channel(package: &mut PackageDocuments, channel: &str) -> Result<(), EditError> {
    package.one(CHANNEL, "channel", channel)?;
    let name = package.package.clone();
    let document = package.one(PACKAGE, "package", &name)?;
    document.change(|it| it.set_text("defaultChannel", channel));
    Ok(())
}

fn rename_channel(package: &mut PackageDocuments, from: &str, to: &str) -> Result<(), EditError> {
    if package.of(CHANNEL).any(|it| it.name == to) {
        return Err(EditError::taken_in_package(&package.package, "a channel", to));
    }
    package.one(CHANNEL, "channel", from)?.change(|it| it.set_text("name", to));
    for document in package.of_mut(PACKAGE).filter(|it| it.tree().text_of_field("defaultChannel") == from) {
        document.change(|it| it.set_text("defaultChannel", to));
    }
    deprecation::rename(package, CHANNEL, from, to);
    Ok(())
}

fn set_edges(package: &mut PackageDocuments, channel: &str, name: &str, edges: &Edges) -> Result<(), EditError> {
    let set = |entries: &mut Vec<Tree>| {
        let is_it = |it: &&mut Tree| it.text_of_field("name") == name;
        if entries.iter_mut().filter(is_it).count() > 1 {
            return Err(EditError::Twice(name.to_owned()));
        }
        match entries.iter_mut().find(is_it) {
            Some(entry) => edges.put_into(entry),
            None => {
                let known = entries.iter().map(|it| it.text_of_field("name").to_owned()).collect();
                return Err(EditError::unknown_entry(channel, name, known));
            }
        }
        Ok(())
    };
    package.one(CHANNEL, "channel", channel)?.change(|it| it.change_list("entries", set))
}

fn set_entries(package: &mut PackageDocuments, channel: &str, entries: &[Entry]) -> Result<(), EditError> {
    package.one(CHANNEL, "channel", channel)?.change(|document| {
        document.change_list("entries", |old| {
            let mut by_name: HashMap<&str, &Tree> = HashMap::with_capacity(old.len());
            for entry in &*old {
                by_name.entry(entry.text_of_field("name")).or_insert(entry);
            }
            let new = entries.iter().map(|entry| {
                let known = by_name.get(entry.name.as_str()).map(|it| (*it).clone());
                let mut new = known.unwrap_or_else(|| Tree::object().with("name", &entry.name));
                new.set_text("replaces", &entry.replaces);
                new.set_texts("skips", &entry.skips);
                new.set_text("skipRange", &entry.skip_range);
                new
            });
            *old = new.collect();
        });
    });
    Ok(())
}

/// How a bundle is added, see [`Change::Add`].
struct Added<'e> {
    edges: &'e Edges,
    keeps_edges: bool,
    creates_channels: bool,
    replaces_itself: bool,
}

fn add(package: &mut PackageDocuments, bundle: &Tree, channels: &[String], how: Added<'_>) -> Result<(), EditError> {
    let Added { edges, keeps_edges, creates_channels, replaces_itself } = how;
    let name = bundle.text_of_field("name");
    for channel in channels {
        if !creates_channels && package.of(CHANNEL).all(|it| it.name != *channel) {
            package.one(CHANNEL, "channel", channel)?;
        }
        change_entries(package, channel, |entries| {
            match entries.iter_mut().find(|it| it.text_of_field("name") == name) {
                Some(_) if !replaces_itself => return Err(EditError::taken_entry(channel, name)),
                Some(_) if keeps_edges => {}
                Some(old) => *old = edges.as_entry(name),
                None if edges.replaces.is_none() && edges.skips.is_none() => {
                    let mut entry = Tree::object().with("name", name).with_text("replaces", &head(channel, entries)?);
                    edges.put_into(&mut entry);
                    entries.push(entry);
                }
                None => entries.push(edges.as_entry(name)),
            }
            Ok(())
        })?;
    }
    if package.of(BUNDLE).all(|it| it.name != name) {
        package.add(BUNDLE, bundle.clone());
    } else if replaces_itself {
        package.one(BUNDLE, "bundle", name)?.change(|it| it.clone_from(bundle));
    } else {
        return Err(EditError::taken_in_package(&package.package, "a bundle", name));
    }
    Ok(())
}

fn add_property(package: &mut PackageDocuments, bundles: &[String], kind: &str, value: &Tree) -> Result<(), EditError> {
    let property = Tree::object().with("type", kind).with("value", value.clone());
    let normal = property.normal();
    let is_same = |it: &Tree| it.text_of_field("type") == kind && it.compact() == normal;
    for name in bundles {
        let document = package.one(BUNDLE, "bundle", name)?;
        document.change(|bundle| {
            if !bundle.items_of("properties").iter().any(is_same) {
                bundle.change_list("properties", |properties| properties.push(property.clone()));
            }
        });
    }
    Ok(())
}
