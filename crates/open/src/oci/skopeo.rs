//! The directories of skopeo's `dir:`: one image, its blobs named by their digits.

use std::io::Read;
use std::path::Path;

use super::digest::Digest;
use super::document::Descriptor;
use super::error::OciError;
use super::files::Files;
use super::listing::Listing;
use super::store::{ImageSelector, Store, plain_document};

/// The file that marks a directory as skopeo's, and its first bytes.
const MARK: (&str, &[u8]) = ("version", b"Directory Transport Version: ");

/// One image in a directory.
#[derive(Debug)]
pub struct SkopeoDirectory {
    files: Files,
    manifest: Descriptor,
}

impl SkopeoDirectory {
    /// Whether a directory is one.
    pub fn is_in(directory: &Path) -> bool {
        let mut head = Vec::new();
        let opened = Files::Directory(directory.to_owned()).open(MARK.0);
        opened.is_ok_and(|it| it.take(64).read_to_end(&mut head).is_ok()) && head.starts_with(MARK.1)
    }

    /// Opens the one in a directory.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(directory: &Path) -> Result<Self, OciError> {
        let files = Files::Directory(directory.to_owned());
        let text = plain_document(files.open("manifest.json")?, "manifest")?;
        let manifest = Descriptor::new("", Digest::of(&text), text.len() as u64);
        Ok(Self { files, manifest })
    }
}

impl Store for SkopeoDirectory {
    fn root(&self, wanted: &ImageSelector) -> Result<Descriptor, OciError> {
        Listing::new([(self.manifest.clone(), Vec::new())]).choose(wanted).cloned()
    }

    fn blob(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + Send>, OciError> {
        self.files.open(descriptor.digest.hex())
    }

    fn manifest(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + Send>, OciError> {
        // Those of an index are beside it.
        let beside = format!("{}.manifest.json", descriptor.digest.hex());
        if self.files.has(&beside) { self.files.open(&beside) } else { self.files.open("manifest.json") }
    }
}
