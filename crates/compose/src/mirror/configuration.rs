//! The wishes of an ImageSetConfiguration (`docs/behaviour/authoring.md` D.1, D.2).

use std::collections::BTreeMap;

use super::document::ManifestValue;
use super::error::ConfigurationError;
use super::purpose::Purpose;
use olmdex_version::masterminds::Constraint;

/// Fields that are kept without being read, under the names of the format.
pub type Others = Vec<(String, ManifestValue)>;

/// A configuration that has been read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Configuration {
    /// Its kind.
    pub purpose: Purpose,
    /// Its version, for example `mirror.openshift.io/v2alpha1`.
    pub api_version: String,
    /// The catalogs that are mirrored.
    pub operators: Vec<Operator>,
    /// Additional images to mirror.
    pub additional_images: Vec<AdditionalImage>,
    /// Expressions: images that match one are not mirrored.
    pub blocked_images: Vec<String>,
    /// Its wishes for OpenShift's own images, as far as they are checked.
    pub platform: Platform,
    /// Its wishes for images that neither catalogs nor `additionalImages` name, in words: no list has them.
    pub unlisted: Vec<&'static str>,
    /// The other fields of `mirror`: the platform as a whole, Helm charts, samples.
    pub others_to_mirror: Others,
    /// The other fields at the top: the size of archives.
    pub others: Others,
    /// Paths of fields that only v1alpha2 has, so that they are lost when it is written as v2alpha1.
    pub old_fields: Vec<String>,
}

impl Configuration {
    /// Whether it is of the version that v1 of oc-mirror reads.
    pub fn is_old(&self) -> bool {
        self.purpose == Purpose::Mirror && self.api_version.ends_with("/v1alpha2")
    }

    /// # Errors
    /// [`ConfigurationError::Unlisted`] if no list could have anything of it.
    pub fn check_listed(&self) -> Result<(), ConfigurationError> {
        match self.operators.is_empty() && self.additional_images.is_empty() {
            true => Err(ConfigurationError::Unlisted(self.unlisted.clone())),
            false => Ok(()),
        }
    }
}

/// A catalog, and the parts to take from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operator {
    /// The reference of the catalog's image.
    pub catalog: String,
    /// Whether all versions are taken, not only the heads of channels.
    pub full: bool,
    /// How many versions before each head are taken, in channels without a range. The format has no field for it.
    pub previous: usize,
    /// Another name for the catalog's image at the destination.
    pub target_catalog: String,
    /// Another tag for it.
    pub target_tag: String,
    /// The packages to take; all packages if there are none.
    pub packages: Vec<Package>,
    /// The other fields of the entry.
    pub others: Others,
}

/// How much of a channel without a range is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Depth {
    /// Whether everything is.
    pub is_full: bool,
    /// If not, how many versions before the head.
    pub previous: usize,
}

impl Operator {
    /// Whether it asks v1 of oc-mirror to take no dependencies; v2 takes none anyway.
    pub fn skips_dependencies(&self) -> bool {
        self.others.iter().any(|(name, value)| {
            name == "skipDependencies" && matches!(value, ManifestValue::Json(text) if text == "true")
        })
    }

    /// How much of a channel without a range is kept.
    pub fn depth(&self) -> Depth {
        Depth { is_full: self.full, previous: self.previous }
    }
}

/// A package, and the parts to take from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its new default channel; unchanged if empty.
    pub default_channel: String,
    /// The range of versions for channels without a range of their own.
    pub range: Range,
    /// The channels; all of them if there are none.
    pub channels: Vec<Channel>,
    /// The bundle to begin with, which only v1alpha2 knows.
    pub min_bundle: String,
}

/// A channel, and the part to take from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// Which versions.
    pub range: Range,
    /// The bundle to begin with, which only v1alpha2 knows.
    pub min_bundle: String,
}

/// An additional image to mirror.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdditionalImage {
    /// Its reference.
    pub name: String,
    /// Another path for it at the destination.
    pub target_repo: String,
    /// Another tag for it there.
    pub target_tag: String,
    /// The other fields of the entry: the platforms.
    pub others: Others,
}

/// The wishes of a configuration for OpenShift's own images, as far as they are checked.
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
    pub fn new(min: &str, max: &str) -> Self {
        Self { min: min.to_owned(), max: max.to_owned() }
    }

    /// Whether it has no bound.
    pub fn is_empty(&self) -> bool {
        self.min.is_empty() && self.max.is_empty()
    }

    /// The single version, if both bounds have the same text.
    pub fn exact(&self) -> Option<&str> {
        (!self.min.is_empty() && self.min == self.max).then_some(&self.min)
    }

    /// The text in oc-mirror's errors, with its blank before an upper bound.
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
    pub fn constraint(&self) -> Option<Constraint> {
        if self.is_empty() { None } else { Constraint::parse(&self.text()).ok() }
    }
}

/// The names of catalogs: the last component of their references, with the tag if that alone is ambiguous.
pub fn catalog_names(operators: &[Operator]) -> Vec<String> {
    let last = |operator: &Operator| {
        let name = operator.catalog.rsplit('/').next().unwrap_or_default();
        name.split('@').next().unwrap_or_default().to_owned()
    };
    let short = |name: &str| {
        let name = name.split(':').next().unwrap_or_default();
        if name.is_empty() { "catalog".to_owned() } else { name.to_owned() }
    };
    let clean = |name: &str| -> String {
        name.chars()
            .map(|it| if it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-') { it } else { '-' })
            .collect()
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for operator in operators {
        *counts.entry(short(&last(operator))).or_default() += 1;
    }
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    let mut names = Vec::new();
    for operator in operators {
        let (long, short) = (last(operator), short(&last(operator)));
        let mut name = clean(if counts.get(&short).is_some_and(|it| *it > 1) { &long } else { &short });
        let n = used.entry(name.clone()).or_default();
        *n += 1;
        if *n > 1 {
            name = format!("{name}-{n}");
        }
        names.push(name);
    }
    names
}
