//! A difference between two catalogs.
//!
//! What it deliberately does not do: it finds none.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Index;

/// A catalog that is compared.
#[derive(Debug, Clone, Copy)]
pub struct Side<'i> {
    /// The index that holds it.
    pub index: &'i Index,
    /// Its name there.
    pub catalog: &'i str,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// Only the new catalog has it.
    Added,
    /// Only the old catalog has it.
    Removed,
    /// Both have it, with other values.
    Changed,
    /// A version that could be upgraded in its channel, or was its head, and can no longer be upgraded there; or a channel in which
    /// nothing can.
    Stranded,
}

impl ChangeKind {
    /// How something differs, in a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Stranded => "stranded",
        }
    }
}

/// What it happened to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Subject {
    /// A package, or a field of it.
    Package,
    /// A channel, or a field of it: its head.
    Channel,
    /// An entry of a channel, or a field of it: `replaces`, `skips`, `skipRange`.
    Entry,
    /// A bundle, or a part of it; the field `content` says that it is not the same bundle any more, the field
    /// `metadata form` that its ClusterServiceVersion is only given otherwise.
    Bundle,
    /// An image of a bundle: the field is `image` for its own, else the name of the related image.
    Image,
    /// An API that a bundle `provides` or `requires`: the field.
    Api,
    /// A package that a bundle requires; the field is its name, the value the range.
    RequiredPackage,
    /// An `olm.constraint` of a bundle.
    Constraint,
    /// Another property; the field is its type.
    Property,
    /// A deprecation of a package, channel or bundle.
    Deprecation,
    /// A document of another schema; the field is its schema and name.
    Document,
}

impl Subject {
    /// What differs, in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Channel => "channel",
            Self::Entry => "entry",
            Self::Bundle => "bundle",
            Self::Image => "image",
            Self::Api => "API",
            Self::RequiredPackage => "required package",
            Self::Constraint => "constraint",
            Self::Property => "property",
            Self::Deprecation => "deprecation",
            Self::Document => "document",
        }
    }
}

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The package; empty for a document of none.
    pub package: String,
    /// What happened.
    pub change: ChangeKind,
    /// To what.
    pub subject: Subject,
    /// The channel, if it is about one.
    pub channel: Option<String>,
    /// The bundle, if it is about one.
    pub bundle: Option<String>,
    /// Version of the bundle, with its release if it has one; absent if no bundle of that name is in either catalog.
    pub version: Option<String>,
    /// The field; absent if it is about the whole.
    pub field: Option<String>,
    /// The value in the old catalog, absent if it has none or a long text. Of a whole, what it mainly is: the version
    /// that a package's default channel leads to, the head of a channel, the edges of an entry, the image of a bundle,
    /// what a stranded version was upgraded to.
    pub old: Option<String>,
    /// The value in the new catalog, likewise.
    pub new: Option<String>,
    /// Whether it breaks what users may rely on: a stranded version, a package or channel that is gone, a bundle with other
    /// content under the same name.
    pub breaking: bool,
    /// Whether it only says what an added or removed package, channel or bundle consists of.
    pub detail: bool,
}

impl Change {
    /// The field of a bundle that is not the same any more.
    pub const CONTENT: &'static str = "content";
    /// The field of a bundle whose ClusterServiceVersion is given in another form: as `olm.bundle.object` or as
    /// `olm.csv.metadata`. `opm` changes that when it migrates a catalog; it is no other bundle.
    pub const METADATA_FORM: &'static str = "metadata form";
    /// The field of a stranded version: what OLM upgrades it to in the channel.
    pub(crate) const UPGRADE: &'static str = "upgrade";
    /// What a stranded version was upgraded to, if it was the head of its channel.
    pub const HEAD: &'static str = "none, it was the head";
    /// What a stranded version is upgraded to.
    pub(crate) const NO_UPGRADE: &'static str = "none";
    /// What the versions of a channel without a single chain are upgraded to.
    pub const NO_ORDER: &'static str = "none, the channel has no single head";
}
