//! OCI layouts: `oci-layout`, `index.json` and `blobs/`, in a directory or an archive.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use super::digest::Digest;
use super::document::{Descriptor, Index};
use super::error::OciError;
use super::files::Files;
use super::listing::Listing;
use super::store::{ImageSelector, Store, plain_document};
use olmdex_base::archive::Tree;

/// The file that marks a directory as a layout.
const MARK: &str = "oci-layout";

/// The directory of blobs.
const BLOBS: &str = "blobs";

/// The annotations with the name of an image: the specification's, and containerd's.
const NAMES: [&str; 2] = ["org.opencontainers.image.ref.name", "io.containerd.image.name"];

/// A layout.
#[derive(Debug)]
pub struct Layout {
    files: Files,
    images: Listing,
}

impl Layout {
    /// Whether a directory is one.
    pub fn is_in(directory: &Path) -> bool {
        directory.join(MARK).symlink_metadata().is_ok_and(|it| it.is_file())
    }

    /// Whether an archive holds one.
    pub fn is_archive(tree: &Tree) -> bool {
        tree.find(MARK.as_bytes()).is_ok()
    }

    /// Opens the layout in a directory.
    ///
    /// # Errors
    /// [`OciError::Choice`] if the directory is not a layout; [`OciError::Document`] if its index cannot be decoded; or
    /// if it cannot be read.
    pub fn open(directory: &Path) -> Result<Self, OciError> {
        if !Self::is_in(directory) && !directory.join("index.json").exists() {
            let message = match directory.is_dir() {
                true => "the directory is not an OCI layout: it has no `oci-layout` and no `index.json`",
                false => "no such directory",
            };
            let help = "name the directory of an OCI layout, as `skopeo copy … oci:DIR` writes it".to_owned();
            return Err(OciError::Choice { message: message.to_owned(), help });
        }
        Self::read(Files::Directory(directory.to_owned()))
    }

    /// Opens the layout in an archive.
    ///
    /// # Errors
    /// The errors of [`Self::open`].
    pub(crate) fn of_archive(tree: Tree) -> Result<Self, OciError> {
        Self::read(Files::Archive(Box::new(tree)))
    }

    /// The images that it lists: their digests, and the first of their names, or an empty text.
    pub fn images(&self) -> impl Iterator<Item = (&Digest, String)> {
        self.images.iter().map(|(it, name)| (&it.digest, name.cloned().unwrap_or_default()))
    }

    /// A reference to a manifest that it has, listed or not: an index lists some that the layout does not.
    pub fn manifest_of(&self, digest: &Digest) -> Option<Descriptor> {
        let wanted = ImageSelector { tag: None, digest: Some(digest.clone()) };
        let listed = self.images.choose(&wanted).ok().cloned();
        let is_there = || self.files.has(&path_of(digest));
        listed.or_else(|| is_there().then(|| Descriptor::new("", digest.clone(), 0)))
    }

    /// All blobs that it has, whether an image needs them or not, with their bytes on the disk.
    ///
    /// # Errors
    /// If a directory cannot be read.
    pub fn blobs(&self) -> Result<BTreeMap<Digest, u64>, OciError> {
        let mut found = BTreeMap::new();
        for algorithm in Digest::ALGORITHMS {
            for (name, size) in self.files.below(&format!("{BLOBS}/{algorithm}"))? {
                // A file that is still being written has another name.
                if let Ok(digest) = format!("{algorithm}:{name}").parse() {
                    found.insert(digest, size);
                }
            }
        }
        Ok(found)
    }

    fn read(files: Files) -> Result<Self, OciError> {
        let text = plain_document(files.open("index.json")?, "`index.json` of the layout")?;
        let index: Index = serde_json::from_slice(&text)
            .map_err(|error| OciError::undecodable("`index.json` of the layout", &error))?;
        let names = |it: &Descriptor| NAMES.iter().filter_map(|key| it.annotations.get(*key).cloned()).collect();
        let images = Listing::new(index.manifests.into_iter().map(|it| {
            let names = names(&it);
            (it, names)
        }));
        Ok(Self { files, images })
    }
}

impl Store for Layout {
    fn root(&self, wanted: &ImageSelector) -> Result<Descriptor, OciError> {
        self.images.choose(wanted).cloned()
    }

    fn blob(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + Send>, OciError> {
        self.files.open(&path_of(&descriptor.digest))
    }
}

/// The path of a blob's file.
fn path_of(digest: &Digest) -> String {
    format!("{BLOBS}/{}/{}", digest.algorithm(), digest.hex())
}
