//! OCI layouts: `oci-layout`, `index.json` and `blobs/`, in a directory or an archive.

use std::io::Read;
use std::path::Path;

use super::digest::Digest;
use super::document::{Descriptor, Index};
use super::error::OciError;
use super::files::Files;
use super::store::{Store, Wanted, plain_document};
use crate::archive::Tree;

/// The file that says what a directory is.
const MARK: &str = "oci-layout";

/// What holds the name of an image: the specification's, and containerd's.
const NAMES: [&str; 2] = ["org.opencontainers.image.ref.name", "io.containerd.image.name"];

/// A layout.
#[derive(Debug)]
pub struct Layout {
    files: Files,
    index: Index,
}

impl Layout {
    /// Whether a directory is one.
    #[must_use]
    pub fn is_in(directory: &Path) -> bool {
        directory.join(MARK).symlink_metadata().is_ok_and(|it| it.is_file())
    }

    /// Whether an archive holds one.
    #[must_use]
    pub fn is_archive(tree: &Tree) -> bool {
        tree.find(MARK.as_bytes()).is_ok()
    }

    /// That in a directory.
    ///
    /// # Errors
    /// [`OciError::Document`] if its index cannot be decoded; what keeps it from being read.
    pub fn open(directory: &Path) -> Result<Self, OciError> {
        Self::read(Files::Directory(directory.to_owned()))
    }

    /// That in an archive.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn of_archive(tree: Tree) -> Result<Self, OciError> {
        Self::read(Files::Archive(tree))
    }

    /// The images that it lists: their digests, and the first of their names, or nothing.
    pub fn images(&self) -> impl Iterator<Item = (&Digest, String)> {
        let name = |it: &Descriptor| NAMES.iter().find_map(|key| it.annotations.get(*key).cloned()).unwrap_or_default();
        self.index.manifests.iter().map(move |it| (&it.digest, name(it)))
    }

    fn read(files: Files) -> Result<Self, OciError> {
        let text = plain_document(files.open("index.json")?, "`index.json` of the layout")?;
        let index = serde_json::from_slice(&text)
            .map_err(|error| OciError::undecodable("`index.json` of the layout", &error))?;
        Ok(Self { files, index })
    }
}

impl Store for Layout {
    fn root(&self, wanted: &Wanted) -> Result<Descriptor, OciError> {
        let names = |it: &Descriptor| NAMES.iter().filter_map(|key| it.annotations.get(*key).cloned()).collect();
        let images: Vec<(&Descriptor, Vec<String>)> = self.index.manifests.iter().map(|it| (it, names(it))).collect();
        choose(&images, wanted).cloned()
    }

    fn blob(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + Send>, OciError> {
        self.files.open(&format!("blobs/{}/{}", descriptor.digest.algorithm(), descriptor.digest.hex()))
    }
}

/// The image that is meant of those that there are, with their names.
pub(super) fn choose<'d>(
    images: &[(&'d Descriptor, Vec<String>)],
    wanted: &Wanted,
) -> Result<&'d Descriptor, OciError> {
    let is_tag = |name: &String, tag: &str| name == tag || name.strip_suffix(tag).is_some_and(|it| it.ends_with(':'));
    let fits = |(descriptor, names): &&(&Descriptor, Vec<String>)| {
        wanted.digest.as_ref().is_none_or(|it| *it == descriptor.digest)
            && wanted.tag.as_ref().is_none_or(|tag| names.iter().any(|name| is_tag(name, tag)))
    };
    let mut found: Vec<&'d Descriptor> = images.iter().filter(fits).map(|it| it.0).collect();
    found.dedup_by(|a, b| a.digest == b.digest);
    if let [only] = found.as_slice() {
        return Ok(only);
    }
    let shown = |(descriptor, names): &(&Descriptor, Vec<String>)| match names.first() {
        Some(name) => name.escape_default().to_string(),
        None => format!("@{}", descriptor.digest),
    };
    let there: Vec<String> = images.iter().map(shown).collect();
    let help = match there.as_slice() {
        [] => "it has no images: copy one into it with `skopeo copy`".to_owned(),
        there => format!("it has: {}", there.join(", ")),
    };
    let message = match (&wanted.tag, &wanted.digest, found.len()) {
        (None, None, 0) => "it has no image".to_owned(),
        (Some(tag), _, 0) => format!("it has no image `{}`", tag.escape_default()),
        (None, Some(digest), 0) => format!("it has no image {digest}"),
        (.., count) => format!("it has {count} images, and none is named"),
    };
    let help =
        if found.is_empty() { help } else { format!("add the one that you mean, as `:TAG` or `@DIGEST`; {help}") };
    Err(OciError::Choice { message, help })
}
