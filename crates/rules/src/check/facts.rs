//! The facts about each document that a check across documents needs: names, edges, versions. They take a few hundred
//! bytes where the document may have megabytes, so that a catalog can be judged as a whole without being held as a
//! whole.

use std::collections::HashMap;
use std::sync::Arc;

use olmdex_base::diag::{Finding, Place, Rule};
use olmdex_fbc::{Entry, Origin, Spot};
use olmdex_text::calendar::Day;
use olmdex_version::{Release, Version, VersionRelease};

/// The facts of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Facts {
    /// An `olm.package`.
    Package(PackageFacts),
    /// An `olm.channel`.
    Channel(ChannelFacts),
    /// An `olm.bundle`.
    Bundle(BundleFacts),
    /// An `olm.deprecations`.
    Deprecations(DeprecationsFacts),
    /// A lifecycle.
    Lifecycle(LifecycleFacts),
    /// Any other schema.
    Other {
        /// The package that it belongs to, or empty.
        package: String,
    },
    /// The document could not be decoded. These are the known parts of its schema and package.
    Broken {
        /// Its schema, or empty.
        schema: String,
        /// Its package (of a package: its name), or empty.
        package: String,
    },
}

impl Facts {
    /// The package that the document belongs to, or the empty text.
    pub fn package(&self) -> &str {
        match self {
            Self::Package(it) => &it.name,
            Self::Channel(it) => &it.package,
            Self::Bundle(it) => &it.package,
            Self::Deprecations(it) => &it.package,
            Self::Lifecycle(it) => &it.package,
            Self::Other { package } | Self::Broken { package, .. } => package,
        }
    }
}

/// Facts of a package.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PackageFacts {
    /// Its name.
    pub name: String,
    /// Name of its default channel.
    pub default_channel: String,
}

/// Facts of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChannelFacts {
    /// The package that it belongs to.
    pub package: String,
    /// Its name.
    pub name: String,
    /// Its entries, in order; shared with callers that keep them after the check.
    pub entries: Arc<[Entry]>,
}

/// Facts of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BundleFacts {
    /// The package that it belongs to.
    pub package: String,
    /// Its name.
    pub name: String,
    /// Its version, with `-<release>` if it has one, as two bundles may not share it; `None` if it has no valid one.
    pub version: Option<String>,
    /// The release in that version; empty if there is none.
    pub release: String,
    /// The findings of the real tool's second pass, which repeats them under each channel that lists the bundle: the
    /// rank among such complaints (the rule's number in `docs/behaviour/fbc.md` 3.3) and the real tool's words.
    pub complaints: Vec<(u8, String)>,
    /// The packages that it requires, with the places of the properties that say so.
    pub required_packages: Vec<(usize, String)>,
}

/// Facts of the deprecations of a package.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeprecationsFacts {
    /// The package.
    pub package: String,
    /// The deprecated items, in order.
    pub entries: Vec<DeprecationFacts>,
}

/// Facts of one deprecated thing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeprecationFacts {
    /// Schema of the deprecated item.
    pub schema: String,
    /// Its name, or empty.
    pub name: String,
    /// Whether there is a message.
    pub has_message: bool,
}

/// Facts of a lifecycle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LifecycleFacts {
    /// The package.
    pub package: String,
    /// The names of its minor versions in order, with the last day of support.
    pub versions: Vec<(String, Option<Day>)>,
}

/// A channel with entries from which nothing leads to the head, and the versions of its bundles.
#[derive(Debug, Clone, Copy)]
pub struct CutChannel<'f> {
    /// The channel.
    pub channel: &'f ChannelFacts,
    /// The bundles of its package by name.
    pub bundles: &'f HashMap<&'f str, (usize, &'f BundleFacts)>,
}

impl CutChannel<'_> {
    /// The version of an entry's bundle, if it has one, with the release as build metadata, which no range looks at.
    pub fn version(&self, name: &str) -> Option<Version> {
        let (_, facts) = self.bundles.get(name)?;
        let text = facts.version.as_deref()?;
        let Ok(Some(release)) = Release::parse_optional(&facts.release) else { return Version::parse(text).ok() };
        let version = Version::parse(text.strip_suffix(release.as_str())?.strip_suffix('-')?).ok()?;
        Some(VersionRelease { version, release: Some(release) }.to_build_metadata())
    }
}

/// Gives advice about a channel that is cut, if there is something that certainly helps. A caller that knows how OLM
/// upgrades passes it to the checks, which do not know.
pub type CutAdvice = fn(&CutChannel<'_>) -> Option<String>;

/// A finding in the making: its place is a spot in a document, to be looked up when it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The fault.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
    /// The place in the document.
    pub spot: Spot,
    /// The real tool's message, with the step at which it comes.
    pub opm: Option<OpmLine>,
}

impl Draft {
    /// The finding at a place; `package` is that of the document, or empty.
    pub fn finding(&self, place: Place, package: &str) -> Finding {
        let package = Some(package.to_owned()).filter(|name| !name.is_empty());
        Finding { help: self.help.clone(), ..self.rule.finding(&*self.message).at(place).of_package(package) }
    }
}

/// A message with which the real tool stops at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpmLine {
    /// When it comes: the real tool goes through loading, packages, channels, bundles, entries and deprecations in
    /// this order, each in the order of documents.
    pub phase: Phase,
    /// Rank among the messages about one document.
    pub step: u32,
    /// The words.
    pub text: String,
}

/// The step of [`OpmLine`] at which the real tool says that it cannot read a property of a bundle.
pub const PROPERTIES_STEP: u32 = 10;

/// The passes of the real tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Reading files.
    Load,
    /// Packages.
    Packages,
    /// Channels.
    Channels,
    /// Bundles.
    Bundles,
    /// Entries without bundle.
    Entries,
    /// Deprecations.
    Deprecations,
}

/// The facts of a document for rules of good practice.
#[derive(Debug, Clone, PartialEq)]
pub struct PracticeFacts {
    pub(super) package: String,
    /// The default channel of a package, which may be empty.
    pub(super) default_channel: Option<String>,
    /// The channels of deprecations, with the numbers of their entries.
    pub(super) deprecated_channels: Vec<(usize, String)>,
    /// The entries of a channel with a `skipRange`: number, name and range.
    pub(super) ranges: Vec<(usize, String, String)>,
    /// The name of a bundle, and the range of its ClusterServiceVersion.
    pub(super) csv_range: Option<(String, String)>,
    pub(super) drafts: Vec<Draft>,
}

/// The results for one document.
#[derive(Debug, Clone, PartialEq)]
pub struct Inspected {
    /// The origin of the document.
    pub origin: Origin,
    /// Its facts.
    pub facts: Facts,
    /// The findings about it by itself.
    pub drafts: Vec<Draft>,
    /// The image of a bundle, for comparisons of catalogs; empty for other documents and for rows of an index.
    pub image: String,
    /// The facts for rules of good practice, if these are judged.
    pub practice: Option<Box<PracticeFacts>>,
}
