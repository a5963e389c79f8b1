//! The choice among the images that a store lists: each is found by its digest and by its names, in one lookup.

use std::collections::HashMap;

use super::digest::Digest;
use super::document::Descriptor;
use super::error::OciError;
use super::store::ImageSelector;

/// The number of images that a message lists at most.
const MAX_LISTED: usize = 20;

/// The images of a store.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Each with its names.
    images: Vec<(Descriptor, Vec<String>)>,
    by_digest: HashMap<Digest, Vec<usize>>,
    /// By the part of a name behind its last colon.
    by_tag: HashMap<String, Vec<usize>>,
}

impl Listing {
    pub(super) fn new(images: impl IntoIterator<Item = (Descriptor, Vec<String>)>) -> Self {
        let mut this = Self::default();
        for (at, (descriptor, names)) in images.into_iter().enumerate() {
            this.by_digest.entry(descriptor.digest.clone()).or_default().push(at);
            for name in &names {
                let places = this.by_tag.entry(tag_of(name).to_owned()).or_default();
                if places.last() != Some(&at) {
                    places.push(at);
                }
            }
            this.images.push((descriptor, names));
        }
        this
    }

    /// The images in the order of the store, each with the first of its names.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Descriptor, Option<&String>)> {
        self.images.iter().map(|(descriptor, names)| (descriptor, names.first()))
    }

    /// The image that is meant.
    ///
    /// # Errors
    /// [`OciError::Choice`] if none or several could be.
    pub(super) fn choose(&self, wanted: &ImageSelector) -> Result<&Descriptor, OciError> {
        let mut found = self.candidates(wanted);
        found.dedup_by(|a, b| a.digest == b.digest);
        match found.as_slice() {
            [only] => Ok(only),
            several => Err(self.no_choice(wanted, several.len())),
        }
    }

    fn candidates(&self, wanted: &ImageSelector) -> Vec<&Descriptor> {
        let is_tag =
            |name: &String, tag: &str| name == tag || name.strip_suffix(tag).is_some_and(|it| it.ends_with(':'));
        let fits = |(descriptor, names): &&(Descriptor, Vec<String>)| {
            wanted.digest.as_ref().is_none_or(|it| *it == descriptor.digest)
                && wanted.tag.as_ref().is_none_or(|tag| names.iter().any(|name| is_tag(name, tag)))
        };
        let of = |places: Option<&Vec<usize>>| {
            let places = places.into_iter().flatten();
            places.filter_map(|at| self.images.get(*at)).filter(fits).map(|it| &it.0).collect()
        };
        match (&wanted.digest, &wanted.tag) {
            (Some(digest), _) => of(self.by_digest.get(digest)),
            (None, Some(tag)) => of(self.by_tag.get(tag_of(tag))),
            (None, None) => self.images.iter().map(|it| &it.0).collect(),
        }
    }

    fn no_choice(&self, wanted: &ImageSelector, n_found: usize) -> OciError {
        let shown = |(descriptor, name): (&Descriptor, Option<&String>)| match name {
            Some(name) => name.escape_default().to_string(),
            None => format!("@{}", descriptor.digest),
        };
        let there: Vec<String> = self.iter().take(MAX_LISTED).map(shown).collect();
        let more = match self.images.len().saturating_sub(MAX_LISTED) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let help = match there.as_slice() {
            [] => "it has no images: copy one into it with `skopeo copy`".to_owned(),
            there => format!("it has: {}{more}", there.join(", ")),
        };
        let message = match (&wanted.tag, &wanted.digest, n_found) {
            (None, None, 0) => "there is no image".to_owned(),
            (Some(tag), _, 0) => format!("there is no image `{}`", tag.escape_default()),
            (None, Some(digest), 0) => format!("there is no image {digest}"),
            (.., count) => format!("it has {count} images, and the name chooses none"),
        };
        let help = if n_found == 0 { help } else { format!("choose one with `:TAG` or `@DIGEST`; {help}") };
        OciError::Choice { message, help }
    }
}

/// The part of a name behind its last colon.
fn tag_of(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |it| it.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor(number: usize) -> Descriptor {
        Descriptor::new("", Digest::of(number.to_string().as_bytes()), 1)
    }

    fn wanted(tag: Option<&str>, digest: Option<usize>) -> ImageSelector {
        ImageSelector { tag: tag.map(str::to_owned), digest: digest.map(|it| descriptor(it).digest) }
    }

    #[test]
    fn an_image_is_found_by_digest_and_by_any_of_its_names() {
        let names: [&[&str]; 4] = [&["q.io/a:v1", "v2"], &["latest"], &[], &["localhost:5000/b:v3"]];
        let listing = Listing::new(
            names.iter().enumerate().map(|(at, it)| (descriptor(at), it.iter().map(|it| (*it).to_owned()).collect())),
        );
        for (tag, digest, expected) in [
            (Some("v1"), None, Ok(0)),
            (Some("q.io/a:v1"), None, Ok(0)),
            (Some("v2"), None, Ok(0)),
            (Some("latest"), None, Ok(1)),
            (Some("5000/b:v3"), None, Ok(3)),
            (Some("1"), None, Err("there is no image `1`")),
            (Some("b:v1"), None, Err("there is no image `b:v1`")),
            (None, Some(2), Ok(2)),
            (Some("v1"), Some(0), Ok(0)),
            (Some("v1"), Some(1), Err("there is no image `v1`")),
            (None, None, Err("it has 4 images, and the name chooses none")),
        ] {
            let found = listing.choose(&wanted(tag, digest));
            match (found, expected) {
                (Ok(found), Ok(number)) => assert_eq!(found.digest, descriptor(number).digest, "{tag:?}"),
                (Err(OciError::Choice { message, .. }), Err(expected)) => assert_eq!(message, expected),
                (found, _) => panic!("{tag:?} {digest:?}: {found:?}"),
            }
        }
    }

    #[test]
    fn a_message_lists_so_many_images_and_no_more() {
        let listing = Listing::new((0..4_000).map(|it| (descriptor(it), vec![format!("t{it}")])));
        let Err(OciError::Choice { help, .. }) = listing.choose(&wanted(Some("x"), None)) else { panic!() };
        assert!(help.starts_with("it has: t0, t1, ") && help.ends_with(", t19, and 3980 more"), "{help}");
    }
}
