//! The images that a configuration deletes from a mirror, and those of them that are still needed.
//!
//! oc-mirror deletes the manifest that a name stands for (`internal/pkg/delete/delete_images.go`), so every other name
//! of the manifest in its repository is lost with it. It does not delete catalogs (`internal/pkg/operator/common.go`).

use std::collections::{BTreeMap, BTreeSet};

use super::holdings::{Holding, HoldingStatus};
use super::place::{Destination, Image, Mirrored};
use olmdex_base::diag::Listed;
use olmdex_open::oci::{Presence, Status};

/// An image at its place in a mirror.
#[derive(Debug)]
struct PlacedImage {
    image: Image,
    /// The place, with a tag.
    at: Image,
    /// The digest of its manifest, if it is known.
    digest: Option<String>,
    /// The answer of the mirror, if it was asked.
    presence: Option<Presence>,
}

impl PlacedImage {
    fn new(mirrored: &Mirrored, to: &Destination) -> Self {
        let image = mirrored.image.clone();
        Self { at: to.of(mirrored), digest: image.digest.clone(), image, presence: None }
    }

    /// The name under which a mirror is asked for it.
    fn reference(&self, is_registry: bool) -> String {
        match (is_registry, &self.image.digest) {
            (false, _) => self.image.to_string(),
            (true, Some(digest)) => format!("{}@{digest}", self.at.location()),
            (true, None) => self.at.to_string(),
        }
    }

    fn found(&mut self, presence: Presence) {
        if presence.status == Status::Found && self.digest.is_none() {
            self.digest = Some(presence.digest.clone()).filter(|digest| !digest.is_empty());
        }
        self.presence = Some(presence);
    }

    fn has(&self, status: Status) -> bool {
        self.presence.as_ref().is_some_and(|presence| presence.status == status)
    }
}

/// The images that are deleted, beside those that are needed.
#[derive(Debug)]
pub struct Deletions<'d> {
    to: &'d Destination,
    deleted: Vec<PlacedImage>,
    /// Their repositories.
    locations: BTreeSet<String>,
    /// The needed ones by their repositories, with those who need them.
    needed: BTreeMap<String, Vec<(PlacedImage, String)>>,
}

impl<'d> Deletions<'d> {
    /// Those of images that go to a mirror.
    pub fn new<'i>(images: impl IntoIterator<Item = &'i Mirrored>, to: &'d Destination) -> Self {
        let deleted: Vec<_> = images.into_iter().map(|image| PlacedImage::new(image, to)).collect();
        let locations = deleted.iter().map(|deleted| deleted.at.location()).collect();
        Self { to, deleted, locations, needed: BTreeMap::new() }
    }

    /// Takes images that somebody needs.
    pub fn need<'i>(&mut self, images: impl IntoIterator<Item = &'i Mirrored>, by: &str) {
        for image in images {
            let placed = PlacedImage::new(image, self.to);
            let location = placed.at.location();
            if self.locations.contains(&location) {
                self.needed.entry(location).or_default().push((placed, by.to_owned()));
            }
        }
    }

    fn placed(&mut self) -> impl Iterator<Item = &mut PlacedImage> {
        self.deleted.iter_mut().chain(self.needed.values_mut().flatten().map(|(placed, _)| placed))
    }

    /// The names under which a mirror is asked for all of them; in a layout, these are their own.
    pub fn references(&mut self, is_registry: bool) -> Vec<String> {
        self.placed().map(|placed| placed.reference(is_registry)).collect()
    }

    /// Takes what the mirror has, in the order of [`Self::references`].
    pub fn found(&mut self, presences: impl IntoIterator<Item = Presence>) {
        self.placed().zip(presences).for_each(|(placed, presence)| placed.found(presence));
    }

    /// The deleted images, each judged.
    pub fn holdings(&self) -> Vec<Holding> {
        let needs: BTreeMap<&String, Needs<'_>> =
            self.needed.iter().map(|(location, needed)| (location, Needs::of(needed))).collect();
        self.deleted.iter().map(|deleted| self.judged(deleted, needs.get(&deleted.at.location()))).collect()
    }

    fn judged(&self, deleted: &PlacedImage, needs: Option<&Needs<'_>>) -> Holding {
        let by = needs.map(|needs| needs.by(deleted)).unwrap_or_default();
        let unsure = needs.map(|needs| needs.unsure(deleted)).unwrap_or_default();
        let (status, message) = match &deleted.presence {
            Some(presence) if presence.status == Status::Missing => (HoldingStatus::Absent, String::new()),
            _ if !by.is_empty() => (HoldingStatus::StillNeeded, String::new()),
            Some(presence) if presence.status == Status::Unknown => {
                (HoldingStatus::MaybeNeeded, presence.message.clone())
            }
            _ if !unsure.is_empty() => {
                let needs = unsure.iter().take(NAMED).map(|(needed, who)| format!("{} of {who}", needed.image));
                let more = match unsure.len().saturating_sub(NAMED) {
                    0 => String::new(),
                    n_more => format!(" and {n_more} more"),
                };
                let needs = Listed::of(needs);
                let message = format!("this may be the same manifest as {needs}{more}; `--at` compares them");
                (HoldingStatus::MaybeNeeded, message)
            }
            _ => (HoldingStatus::Deletable, String::new()),
        };
        let at = if self.to.host.is_empty() { String::new() } else { deleted.at.to_string() };
        let is_needed = status == HoldingStatus::StillNeeded;
        let needed_by = by.into_iter().filter(|_| is_needed).cloned().collect();
        let size = deleted.presence.as_ref().map_or(0, |presence| presence.size);
        Holding { status, image: deleted.image.to_string(), at, size, needed_by, message }
    }
}

/// How many images that may be the same manifest a message names.
const NAMED: usize = 3;

/// The needed images of a repository, by their names.
#[derive(Debug, Default)]
struct Needs<'n> {
    by_tag: BTreeMap<&'n Option<String>, BTreeSet<&'n String>>,
    by_digest: BTreeMap<&'n String, BTreeSet<&'n String>>,
    /// Those that are not known to be absent.
    all: Vec<&'n (PlacedImage, String)>,
    /// Those of them without a known digest.
    by_tag_only: Vec<&'n (PlacedImage, String)>,
}

impl<'n> Needs<'n> {
    fn of(needed: &'n [(PlacedImage, String)]) -> Self {
        let mut needs = Self::default();
        for need @ (placed, who) in needed {
            needs.by_tag.entry(&placed.at.tag).or_default().insert(who);
            if let Some(digest) = &placed.digest {
                needs.by_digest.entry(digest).or_default().insert(who);
            }
            if !placed.has(Status::Missing) {
                needs.all.push(need);
                needs.by_tag_only.extend(placed.digest.is_none().then_some(need));
            }
        }
        needs
    }

    /// Everything that needs an image.
    fn by(&self, deleted: &PlacedImage) -> BTreeSet<&'n String> {
        let of_tag = self.by_tag.get(&deleted.at.tag).into_iter().flatten();
        let of_digest = deleted.digest.iter().filter_map(|digest| self.by_digest.get(digest)).flatten();
        of_tag.chain(of_digest).copied().collect()
    }

    /// The needed images that may be the same manifest: of one of both, the digest is not known.
    fn unsure(&self, deleted: &PlacedImage) -> &[&'n (PlacedImage, String)] {
        if deleted.digest.is_some() { &self.by_tag_only } else { &self.all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(text: &str) -> Mirrored {
        Mirrored::from(Image::parse(text).unwrap())
    }

    fn digest(n: char) -> String {
        format!("sha256:{}", n.to_string().repeat(64))
    }

    fn found(digest: &str) -> Presence {
        Presence { status: Status::Found, digest: digest.to_owned(), ..presence(Status::Found) }
    }

    fn presence(status: Status) -> Presence {
        Presence {
            image: String::new(),
            status,
            message: String::new(),
            digest: String::new(),
            size: 1,
            added: None,
            platforms: Vec::new(),
        }
    }

    #[test]
    fn what_somebody_needs_is_still_needed() {
        let to = Destination { host: String::new(), prefix: String::new(), max_nested: None };
        let (one, two) = (digest('1'), digest('2'));
        for (deleted, needed, status) in [
            (format!("quay.io/a/b@{one}"), format!("quay.io/a/b@{one}"), HoldingStatus::StillNeeded),
            // A mirror leaves out the registry.
            (format!("quay.io/a/b@{one}"), format!("docker.io/a/b@{one}"), HoldingStatus::StillNeeded),
            (format!("quay.io/a/b:v1@{one}"), format!("quay.io/a/b@{one}"), HoldingStatus::StillNeeded),
            // Both are at one tag.
            (format!("quay.io/a/b:v1@{one}"), format!("quay.io/a/b:v1@{two}"), HoldingStatus::StillNeeded),
            (format!("quay.io/a/b@{one}"), format!("quay.io/a/b@{two}"), HoldingStatus::Deletable),
            (format!("quay.io/a/b@{one}"), format!("quay.io/a/c@{one}"), HoldingStatus::Deletable),
            ("quay.io/a/b:v1".to_owned(), "quay.io/a/b:v1".to_owned(), HoldingStatus::StillNeeded),
            ("quay.io/a/b:v1".to_owned(), "quay.io/a/b:v2".to_owned(), HoldingStatus::MaybeNeeded),
            ("quay.io/a/b:v1".to_owned(), format!("quay.io/a/b@{one}"), HoldingStatus::MaybeNeeded),
        ] {
            let deleted_images = [image(&deleted)];
            let mut deletions = Deletions::new(&deleted_images, &to);
            deletions.need(&[image(&needed)], "x.yaml");
            let holdings = deletions.holdings();
            assert_eq!(holdings[0].status, status, "{deleted} {needed}");
            assert_eq!(holdings[0].needed_by.is_empty(), status != HoldingStatus::StillNeeded, "{deleted} {needed}");
        }
    }

    #[test]
    fn a_mirror_tells_which_manifest_a_tag_is() {
        let to = Destination::parse("mirror.example.com:5000/m", None).unwrap();
        let (one, two) = (digest('1'), digest('2'));
        for (of_deleted, of_needed, status) in [
            (found(&one), found(&one), HoldingStatus::StillNeeded),
            (found(&one), found(&two), HoldingStatus::Deletable),
            (found(&one), presence(Status::Missing), HoldingStatus::Deletable),
            (found(&one), presence(Status::Unknown), HoldingStatus::MaybeNeeded),
            (presence(Status::Missing), found(&one), HoldingStatus::Absent),
            (presence(Status::Unknown), found(&one), HoldingStatus::MaybeNeeded),
        ] {
            let deleted_images = [image("quay.io/a/b:v1")];
            let mut deletions = Deletions::new(&deleted_images, &to);
            deletions.need(&[image("quay.io/a/b:v2")], "x.yaml");
            let places = ["mirror.example.com:5000/m/a/b:v1", "mirror.example.com:5000/m/a/b:v2"];
            assert_eq!(deletions.references(true), places);
            deletions.found([of_deleted, of_needed]);
            assert_eq!(deletions.holdings()[0].status, status);
        }
    }
}
