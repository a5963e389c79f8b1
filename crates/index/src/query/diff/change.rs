//! A difference between two catalogs.

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

/// The treatment of changes that only list the parts of an added or removed package, channel or bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NestedChanges {
    /// They are reported, each as a detail.
    Told,
    /// They are left out, and most of them are not read.
    Skipped,
}

/// The kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// Only the new catalog has it.
    Added,
    /// Only the old catalog has it.
    Removed,
    /// Both have it, with other values.
    Changed,
    /// A version that could be upgraded in its channel, or was its head, and can no longer be upgraded there; or a
    /// channel in which nothing can be upgraded.
    Stranded,
}

olmdex_base::named!(ChangeKind => word);

/// The kind of item that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Subject {
    /// A package, or a field of it.
    Package,
    /// A channel, or a field of it: its head.
    Channel,
    /// An entry of a channel, or a field of it: `replaces`, `skips`, `skipRange`.
    Entry,
    /// A bundle, or a part of it. The field `content` means that it is no longer the same bundle; the field
    /// `metadata form` means that only the form of its ClusterServiceVersion differs.
    Bundle,
    /// An image of a bundle: the field is `image` for its own, or else the name of the related image.
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
    /// The kind of difference, in words.
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
    /// The kind of change.
    pub change: ChangeKind,
    /// The kind of item that it is about.
    pub subject: Subject,
    /// The channel, if it is about one.
    pub channel: Option<String>,
    /// The bundle, if it is about one.
    pub bundle: Option<String>,
    /// Version of the bundle, with its release if it has one; absent if no bundle of that name is in either catalog.
    pub version: Option<String>,
    /// The field; absent if it is about the whole.
    pub field: Option<String>,
    /// The value in the old catalog, absent if there is none or if it is a long text. For a whole item, its main
    /// property: the version that a package's default channel leads to, the head of a channel, the edges of an entry,
    /// the image of a bundle, or the upgrade that a stranded version had.
    pub old: Option<String>,
    /// The value in the new catalog, in the same form.
    pub new: Option<String>,
    /// Whether it breaks something that users may rely on: a stranded version, a package or channel that is gone, a
    /// bundle with other content under the same name.
    pub breaking: bool,
    /// Whether it only lists a part of an added or removed package, channel or bundle.
    pub detail: bool,
}

impl Change {
    /// The field of a bundle that is not the same any more.
    pub const CONTENT: &'static str = "content";
    /// The field of a bundle whose ClusterServiceVersion has another form: `olm.bundle.object` or `olm.csv.metadata`.
    /// `opm` changes the form when it migrates a catalog; the bundle is the same.
    pub const METADATA_FORM: &'static str = "metadata form";
    /// The field of a stranded version: the bundle that OLM upgrades it to in the channel.
    pub(crate) const UPGRADE: &'static str = "upgrade";
    /// The old upgrade of a stranded version, if it was the head of its channel.
    pub const HEAD: &'static str = "none, it was the head";
    /// The new upgrade of a stranded version.
    pub(crate) const NO_UPGRADE: &'static str = "none";
    /// The upgrade of the versions of a channel without a single chain.
    pub const NO_ORDER: &'static str = "none, the channel has no single head";
}
