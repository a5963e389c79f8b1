//! Compares the images in a mirror with those that it needs.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::place::{Destination, Image, Mirrored};

/// An image of a mirror, or one that it should have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Holding {
    /// Whether it is there, and needed.
    pub status: HoldingStatus,
    /// Its reference at its origin; empty for an image that nothing needs.
    pub image: String,
    /// Its actual or wanted place in the mirror.
    pub at: String,
    /// Bytes of manifest, configuration and layers, if the mirror reports them.
    pub size: u64,
    /// The reason why it could not be looked up; empty if it was.
    pub message: String,
}

/// Whether an image is there, and needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HoldingStatus {
    /// It is needed, and is not there.
    Missing,
    /// It is needed, and it is unknown whether it is there.
    Unknown,
    /// It is there, and nothing of the configuration needs it.
    Unneeded,
    /// It is needed, and there.
    Present,
}

impl HoldingStatus {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Unknown => "unknown",
            Self::Unneeded => "unneeded",
            Self::Present => "present",
        }
    }
}

/// The needs of a mirror, by repository there: tags and digests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NeededPlaces {
    by_location: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)>,
}

impl NeededPlaces {
    /// The destination of images.
    #[must_use]
    pub fn new<'i>(images: impl IntoIterator<Item = &'i Mirrored>, to: &Destination) -> Self {
        let mut places = Self::default();
        for it in images {
            places.add(&to.of(it), it.image.digest.as_deref());
        }
        places
    }

    /// Adds an image at its place.
    pub fn add(&mut self, at: &Image, digest: Option<&str>) {
        let (tags, digests) = self.by_location.entry(at.location()).or_default();
        tags.extend(at.tag.clone());
        digests.extend(digest.map(str::to_owned));
    }

    /// Whether something of a repository is needed.
    #[must_use]
    pub fn has_location(&self, location: &str) -> bool {
        self.by_location.contains_key(location)
    }

    /// Whether a tag is needed; a digest may be, too. Signatures and attestations follow the image that they belong to:
    /// `sha256-….sig`.
    #[must_use]
    pub fn has_tag(&self, location: &str, tag: &str) -> bool {
        let Some((tags, digests)) = self.by_location.get(location) else { return false };
        let of_digest = || {
            let (algorithm, rest) = tag.split_once('-')?;
            let digest = format!("{algorithm}:{}", rest.split('.').next().unwrap_or_default());
            Some(digests.contains(&digest))
        };
        tags.contains(tag) || of_digest().unwrap_or(false)
    }

    /// Whether a digest is needed in a repository.
    #[must_use]
    pub fn has_digest_at(&self, location: &str, digest: &str) -> bool {
        self.by_location.get(location).is_some_and(|it| it.1.contains(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_an_image_is_needed_with_it() {
        let digest = format!("sha256:{}", "1".repeat(64));
        let image = |text: &str| Mirrored::from(Image::parse(text).unwrap());
        let elsewhere =
            Mirrored { target_repo: "e".to_owned(), target_tag: "v9".to_owned(), ..image("quay.io/a/f:v1") };
        let images = [image(&format!("quay.io/a/b@{digest}")), image("quay.io/a/c:v1"), elsewhere];
        let to = Destination::parse("mirror.example.com:5000/m", None).unwrap();
        let places = NeededPlaces::new(&images, &to);
        let (b, c) = ("mirror.example.com:5000/m/a/b", "mirror.example.com:5000/m/a/c");
        for (location, tag, wanted) in [
            (b, format!("sha256-{}", "1".repeat(64)), true),
            (b, format!("sha256-{}.sig", "1".repeat(64)), true),
            (b, format!("sha256-{}.sig", "2".repeat(64)), false),
            (b, "v1".to_owned(), false),
            (c, "v1".to_owned(), true),
            (c, "v2".to_owned(), false),
            ("mirror.example.com:5000/m/a/d", "v1".to_owned(), false),
            ("mirror.example.com:5000/m/a/f", "v1".to_owned(), false),
            ("mirror.example.com:5000/m/e", "v9".to_owned(), true),
        ] {
            assert_eq!(places.has_tag(location, &tag), wanted, "{location}:{tag}");
        }
        assert!(places.has_digest_at(b, &digest) && !places.has_digest_at(c, &digest));
    }
}
