//! What an ImageSetConfiguration asks for (`docs/behaviour/authoring.md` D.1, D.2).
//!
//! What it deliberately does not do: it reads no text and judges nothing.

use super::document::ManifestValue;
use olmdex_version::masterminds::Constraint;

/// Fields that are kept and not looked at, under the names that the format gives them.
pub type Others = Vec<(String, ManifestValue)>;

/// A configuration that has been read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Configuration {
    /// What it says of its version, for example `mirror.openshift.io/v2alpha1`.
    pub api_version: String,
    /// The catalogs that are mirrored.
    pub operators: Vec<Operator>,
    /// Images that are mirrored besides.
    pub additional_images: Vec<AdditionalImage>,
    /// Expressions: images that match one are not mirrored.
    pub blocked_images: Vec<String>,
    /// What it says of OpenShift's own images, as far as that is checked.
    pub platform: Platform,
    /// What else stands in `mirror`: the platform as a whole, Helm charts, samples.
    pub others_to_mirror: Others,
    /// What else stands at the top: the size of archives.
    pub others: Others,
    /// Paths of fields that only v1alpha2 has, so that they are lost when it is written as v2alpha1.
    pub old_fields: Vec<String>,
}

/// A catalog, and what is taken from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operator {
    /// The reference of the catalog's image.
    pub catalog: String,
    /// Whether all versions are taken, not only the heads of channels.
    pub full: bool,
    /// Another name for the catalog's image at the destination.
    pub target_catalog: String,
    /// Another tag for it.
    pub target_tag: String,
    /// What is taken; all packages if there are none.
    pub packages: Vec<Package>,
    /// What else the entry says.
    pub others: Others,
}

/// A package, and what is taken of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// What its default channel becomes; as it is if empty.
    pub default_channel: String,
    /// Which versions, of channels that do not say so themselves.
    pub range: Range,
    /// The channels; all of them if there are none.
    pub channels: Vec<Channel>,
    /// The bundle to begin with, which only v1alpha2 knows.
    pub min_bundle: String,
}

/// A channel, and what is taken of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// Which versions.
    pub range: Range,
    /// The bundle to begin with, which only v1alpha2 knows.
    pub min_bundle: String,
}

/// An image that is mirrored besides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdditionalImage {
    /// Its reference.
    pub name: String,
    /// Another path for it at the destination.
    pub target_repo: String,
    /// Another tag for it there.
    pub target_tag: String,
    /// What else the entry says: the platforms.
    pub others: Others,
}

/// What a configuration says of OpenShift's own images, as far as that is checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Platform {
    /// Names of release channels.
    pub channels: Vec<String>,
    /// Whether there are `architectures`.
    pub has_architectures: bool,
    /// Whether there are `platforms`.
    pub has_platforms: bool,
}

/// Versions between two bounds, either of which may be absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// The lowest version, or empty.
    pub min: String,
    /// The highest version, or empty.
    pub max: String,
}

impl Range {
    /// A range of these bounds.
    #[must_use]
    pub fn new(min: &str, max: &str) -> Self {
        Self { min: min.to_owned(), max: max.to_owned() }
    }

    /// Whether it has no bound.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.is_empty() && self.max.is_empty()
    }

    /// The single version that is meant, if both bounds are the same text.
    #[must_use]
    pub fn exact(&self) -> Option<&str> {
        (!self.min.is_empty() && self.min == self.max).then_some(&self.min)
    }

    /// As oc-mirror writes it in errors, with the blank that it has before an upper bound.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        if !self.min.is_empty() {
            text.push_str(">=");
            text.push_str(&self.min);
        }
        if !self.max.is_empty() {
            text.push_str(" <=");
            text.push_str(&self.max);
        }
        text
    }

    /// As a constraint; `None` if there is no bound, or they are not versions.
    #[must_use]
    pub fn constraint(&self) -> Option<Constraint> {
        if self.is_empty() { None } else { Constraint::parse(&self.text()).ok() }
    }
}
