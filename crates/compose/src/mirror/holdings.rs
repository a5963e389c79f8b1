//! Compares the images in a mirror with those that it needs.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::configuration::{Configuration, Operator};
use super::outputs::catalog_image;
use super::place::{Destination, Image, Mirrored};
use olmdex_open::oci::{Digest, Layout, OciError, Presence, Status};

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
    /// The configurations and the installed operators that need an image which another configuration deletes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needed_by: Vec<String>,
    /// The reason why it could not be looked up, or was not compared; empty if it was.
    pub message: String,
}

/// Whether an image is there, and needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HoldingStatus {
    /// A configuration deletes it, and another one or an installed operator needs it.
    StillNeeded,
    /// A configuration deletes it, and it is unknown whether something else needs it.
    MaybeNeeded,
    /// It is needed, and is not there.
    Missing,
    /// It is needed, and it is unknown whether it is there.
    Unknown,
    /// It is there, the configurations could have put it there, and none of them needs it.
    Unneeded,
    /// It is there or asked for, and nobody knows whether it is needed: no configuration names such an image, or it
    /// belongs to what olmdex does not list.
    NotCompared,
    /// A configuration deletes it, and nothing else that was given needs it.
    Deletable,
    /// A configuration deletes it, and it is not there.
    Absent,
    /// It is needed, and there.
    Present,
}

olmdex_base::named!(HoldingStatus => as_str);

impl Holding {
    fn needed(image: &Image, at: &str, presence: Presence) -> Self {
        let (status, message) = match presence.status {
            Status::Found => (HoldingStatus::Present, String::new()),
            Status::Missing => (HoldingStatus::Missing, String::new()),
            Status::Unknown => (HoldingStatus::Unknown, presence.message),
        };
        Self {
            status,
            image: image.to_string(),
            at: at.to_owned(),
            size: presence.size,
            needed_by: Vec::new(),
            message,
        }
    }

    /// A wish that olmdex does not list, in words.
    pub fn of_unlisted(wish: &str) -> Self {
        let message = format!("the configuration asks for {wish}, which olmdex does not list");
        Self::not_compared(message)
    }

    /// Something that is not compared, in words.
    pub fn not_compared(message: String) -> Self {
        Self::other(HoldingStatus::NotCompared, String::new(), message)
    }

    /// Something that is there, and which nothing needs, as far as that is known.
    fn other(status: HoldingStatus, at: String, message: String) -> Self {
        Self { status, image: String::new(), at, size: 0, needed_by: Vec::new(), message }
    }
}

/// The repositories of oc-mirror for releases of OpenShift and their graph.
const OF_RELEASES: [&str; 3] = ["openshift/release", "openshift/release-images", "openshift/graph-image"];

/// Whether a name, at its origin or in a mirror, is of a release of OpenShift that oc-mirror has put there.
pub fn is_of_release(name: &str) -> bool {
    let is_it =
        |path: &str, release: &str| path.strip_suffix(release).is_some_and(|it| it.is_empty() || it.ends_with('/'));
    Image::parse(name).is_some_and(|image| OF_RELEASES.iter().any(|release| is_it(&image.path, release)))
}

/// The images that configurations could have put into a mirror.
#[derive(Debug, Clone, Default)]
pub struct PossibleImages {
    /// Those that catalogs and configurations name.
    images: BTreeSet<Mirrored>,
    /// Whether a configuration also asks for something that olmdex does not list.
    has_unlisted: bool,
}

impl PossibleImages {
    /// Those of configurations, of all that their catalogs have, and the catalogs themselves.
    pub fn of<'c>(
        configurations: &'c [Configuration],
        names: impl IntoIterator<Item = &'c String>,
        catalogs: impl IntoIterator<Item = &'c Operator>,
    ) -> Self {
        let additional = configurations.iter().flat_map(|it| &it.additional_images);
        let additional = additional.map(|it| (&it.name, it.target_repo.as_str()));
        let catalogs = catalogs.into_iter().map(|it| (&it.catalog, it.target_catalog.as_str()));
        let named = names.into_iter().map(|name| (name, ""));
        let place = |(name, target_repo): (&String, &str)| {
            Some(Mirrored { target_repo: target_repo.to_owned(), ..Mirrored::from(Image::parse(name)?) })
        };
        let images = additional.chain(catalogs).chain(named).filter_map(place).collect();
        Self { images, has_unlisted: configurations.iter().any(|it| !it.unlisted.is_empty()) }
    }
}

/// The holdings of a layout that a mirror needs, with the other ones. `presences` are those of the images there.
pub fn holdings_of_layout(
    images: &[Mirrored],
    presences: Vec<Presence>,
    layout: &Layout,
    possible: &PossibleImages,
) -> Vec<Holding> {
    let found = presences.iter().filter(|presence| presence.status == Status::Found);
    let found: BTreeSet<String> = found.map(|presence| presence.digest.clone()).collect();
    let needed = images.iter().zip(presences).map(|(it, presence)| Holding::needed(&it.image, "", presence));
    let others = layout.images().map(|(digest, name)| (digest.to_string(), name));
    let paths: BTreeSet<&str> = possible.images.iter().map(|it| it.image.path.as_str()).collect();
    // A name is a reference at the origin or at any mirror, so its path may begin with that of the mirror. Other names
    // say nothing about the repository.
    let is_possible = |name: &str| match Image::parse(name).filter(|_| name.contains('/')) {
        Some(Image { path, .. }) => {
            let ends = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
            ends.chain([path.as_str()]).any(|path| paths.contains(path))
        }
        None => !possible.has_unlisted,
    };
    let others = others.filter(|(digest, _)| !found.contains(digest)).map(|(digest, name)| {
        let is_possible = is_possible(&name);
        let at = if name.is_empty() { format!("@{digest}") } else { name };
        match is_possible {
            true => Holding::other(HoldingStatus::Unneeded, at, String::new()),
            false => Holding::other(HoldingStatus::NotCompared, at, FOREIGN.to_owned()),
        }
    });
    needed.chain(others).collect()
}

/// Why an image is not compared.
const FOREIGN: &str = "no given configuration could have put it there";

/// The needs of a mirror: each image with its place there, and the tags and digests of each repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NeededPlaces {
    wanted: BTreeSet<(Image, String)>,
    /// The repositories that the configurations could have filled.
    possible: BTreeSet<String>,
    /// Those of releases.
    of_releases: BTreeSet<String>,
    by_location: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)>,
}

impl NeededPlaces {
    /// The places of images, and of the catalogs that they belong to.
    pub fn new<'i>(
        images: impl IntoIterator<Item = &'i Mirrored>,
        catalogs: impl IntoIterator<Item = &'i Operator>,
        possible: &PossibleImages,
        to: &Destination,
    ) -> Self {
        let mut places = Self::default();
        places.possible.extend(possible.images.iter().map(|it| to.of(it).location()));
        let of_releases = OF_RELEASES.map(|path| Image { path: path.to_owned(), ..Image::default() });
        places.of_releases.extend(of_releases.iter().map(|it| to.of_image(it).location()));
        for it in images {
            let at = to.of(it);
            places.add(&at, it.image.digest.as_deref());
            // Clusters pull images by digest.
            let text = match &it.image.digest {
                Some(digest) => format!("{}@{digest}", at.location()),
                None => at.to_string(),
            };
            places.wanted.insert((it.image.clone(), text));
        }
        for operator in catalogs {
            // A filtered catalog has another digest than its original, so it is named by its tag.
            if let (Some(at), Some(image)) = (catalog_image(operator, Some(to)), catalog_image(operator, None)) {
                places.add(&at, None);
                places.wanted.insert((image, at.to_string()));
            }
        }
        places
    }

    fn add(&mut self, at: &Image, digest: Option<&str>) {
        let (tags, digests) = self.by_location.entry(at.location()).or_default();
        tags.extend(at.tag.clone());
        digests.extend(digest.map(str::to_owned));
    }

    /// The names of the images at their places.
    pub fn references(&self) -> Vec<&str> {
        self.wanted.iter().map(|(_, at)| at.as_str()).collect()
    }

    /// The needed images. `presences` are those of [`Self::references`].
    pub fn holdings(&self, presences: impl IntoIterator<Item = Presence>) -> Vec<Holding> {
        self.wanted.iter().zip(presences).map(|((image, at), presence)| Holding::needed(image, at, presence)).collect()
    }

    /// A repository whose images are not compared.
    pub fn not_compared(&self, location: &str) -> Option<Holding> {
        let is_possible = self.possible.contains(location) || self.by_location.contains_key(location);
        let message = match (self.of_releases.contains(location), is_possible) {
            (true, _) => "olmdex does not list releases of OpenShift",
            (false, false) => FOREIGN,
            (false, true) => return None,
        };
        Some(Holding::other(HoldingStatus::NotCompared, location.to_owned(), message.to_owned()))
    }

    /// The images of a repository that nothing needs, and those of which that is unknown: `tags` are those of the
    /// repository, and `digest_of` finds the digest of an image by its name.
    pub fn unneeded(
        &self,
        location: &str,
        tags: Result<Vec<String>, OciError>,
        digest_of: impl Fn(&str) -> Result<Option<Digest>, OciError>,
    ) -> Vec<Holding> {
        let tags = match tags {
            Ok(tags) => tags,
            // A repository whose images have been deleted is still listed.
            Err(OciError::Unknown(_)) => Vec::new(),
            Err(error) => return vec![Holding::other(HoldingStatus::Unknown, location.to_owned(), error.to_string())],
        };
        let judged = tags.iter().filter(|tag| !self.has_tag(location, tag)).filter_map(|tag| {
            let at = format!("{location}:{tag}");
            if !self.by_location.contains_key(location) {
                return Some(Holding::other(HoldingStatus::Unneeded, at, String::new()));
            }
            match digest_of(&at) {
                Ok(Some(digest)) if self.has_digest_at(location, &digest.to_string()) => None,
                Ok(_) => Some(Holding::other(HoldingStatus::Unneeded, at, String::new())),
                Err(error) => Some(Holding::other(HoldingStatus::Unknown, at, error.to_string())),
            }
        });
        judged.collect()
    }

    /// Whether a tag is needed; a digest may be, too. Signatures and attestations follow the image that they belong to:
    /// `sha256-….sig`.
    fn has_tag(&self, location: &str, tag: &str) -> bool {
        let Some((tags, digests)) = self.by_location.get(location) else { return false };
        let of_digest = || {
            let (algorithm, rest) = tag.split_once('-')?;
            let digest = format!("{algorithm}:{}", rest.split('.').next().unwrap_or_default());
            Some(digests.contains(&digest))
        };
        tags.contains(tag) || of_digest().unwrap_or(false)
    }

    /// Whether a digest is needed in a repository.
    fn has_digest_at(&self, location: &str, digest: &str) -> bool {
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
        let places = NeededPlaces::new(&images, [], &PossibleImages::default(), &to);
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
        assert_eq!(places.references()[..2], [format!("{b}@{digest}"), format!("{c}:v1")]);
    }

    #[test]
    fn an_image_is_needed_by_its_digest_under_any_tag() {
        let digest = format!("sha256:{}", "1".repeat(64));
        let images = [Mirrored::from(Image::parse(&format!("quay.io/a/b@{digest}")).unwrap())];
        let to = Destination::parse("mirror.example.com", None).unwrap();
        let places = NeededPlaces::new(&images, [], &PossibleImages::default(), &to);
        let tags = || Ok(["known", "other", "broken"].map(str::to_owned).to_vec());
        let digest_of = |at: &str| match at.rsplit_once(':').unwrap().1 {
            "known" => Ok(Some(digest.parse().unwrap())),
            "other" => Ok(None),
            _ => Err(OciError::Missing("x".to_owned())),
        };
        let found = |location: &str, tags| -> Vec<(HoldingStatus, String)> {
            let holdings = places.unneeded(location, tags, digest_of);
            holdings.into_iter().map(|it| (it.status, it.at.rsplit_once('/').unwrap().1.to_owned())).collect()
        };
        let (unneeded, unknown) = (HoldingStatus::Unneeded, HoldingStatus::Unknown);
        assert_eq!(
            found("mirror.example.com/a/b", tags()),
            [(unneeded, "b:other".to_owned()), (unknown, "b:broken".to_owned())]
        );
        assert_eq!(found("mirror.example.com/a/c", tags()).iter().filter(|it| it.0 == unneeded).count(), 3);
        let failed = Err(OciError::Missing("x".to_owned()));
        assert_eq!(found("mirror.example.com/a/c", failed), [(unknown, "c".to_owned())]);
    }
}
