//! The stores of the documents and layers of an image.

use std::io::Read;

use super::digest::Digest;
use super::document::Descriptor;
use super::error::OciError;
use super::verified::Verified;

/// No manifest, index or configuration is larger.
const MAX_DOCUMENT: u64 = 4 << 20;

/// The image of a store that is meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImageSelector {
    /// Its tag or name.
    pub tag: Option<String>,
    /// The digest of its manifest or index.
    pub digest: Option<Digest>,
}

/// Holds images.
pub trait Store: Sync {
    /// The manifest or index that is meant.
    ///
    /// # Errors
    /// [`OciError::Choice`] if none or several could be meant; or if it cannot be read.
    fn root(&self, wanted: &ImageSelector) -> Result<Descriptor, OciError>;

    /// The bytes of a configuration or a layer, as they are stored.
    ///
    /// # Errors
    /// [`OciError::Missing`]; or if they cannot be read.
    fn blob(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + Send>, OciError>;

    /// Deletes a copy of a blob whose bytes are wrong, if this store had kept it. Returns whether reading it once more
    /// may give other bytes.
    ///
    /// # Errors
    /// [`OciError::DamagedCopy`] if nothing else may be read.
    fn forget_damaged(&self, _descriptor: &Descriptor) -> Result<bool, OciError> {
        Ok(false)
    }

    /// The bytes of a manifest or an index, as they are stored.
    ///
    /// # Errors
    /// The errors of [`Self::blob`].
    fn manifest(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + Send>, OciError> {
        self.blob(descriptor)
    }
}

/// Reads a blob, and once more if its bytes were wrong because of a damaged copy, which is deleted.
pub(super) fn read_again_if_damaged<T>(
    store: &dyn Store,
    descriptor: &Descriptor,
    read: impl Fn() -> Result<T, OciError>,
) -> Result<T, OciError> {
    match read() {
        Err(OciError::WrongDigest { .. } | OciError::TooLong { .. }) if store.forget_damaged(descriptor)? => read(),
        other => other,
    }
}

/// Refuses a document that is too large according to its descriptor, before it is fetched.
pub(super) fn must_be_small(what: &'static str, descriptor: &Descriptor) -> Result<(), OciError> {
    match descriptor.size > MAX_DOCUMENT {
        true => Err(OciError::document(what, format!("is larger than {} MiB", MAX_DOCUMENT >> 20))),
        false => Ok(()),
    }
}

/// A document as a whole, if its bytes are those of its digest.
pub(super) fn document(
    bytes: Box<dyn Read + Send>,
    what: &'static str,
    descriptor: &Descriptor,
) -> Result<Vec<u8>, OciError> {
    let mut verified = Verified::new(bytes, descriptor.digest.clone(), MAX_DOCUMENT);
    let mut text = Vec::new();
    verified.read_to_end(&mut text).map_err(|error| match error.into() {
        OciError::TooLong { .. } => OciError::document(what, format!("is larger than {} MiB", MAX_DOCUMENT >> 20)),
        other => other,
    })?;
    verified.finish()?;
    Ok(text)
}

/// A document without a digest, as a whole.
pub(super) fn plain_document(bytes: impl Read, what: &'static str) -> Result<Vec<u8>, OciError> {
    let mut text = Vec::new();
    bytes.take(MAX_DOCUMENT + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_DOCUMENT {
        return Err(OciError::document(what, format!("is larger than {} MiB", MAX_DOCUMENT >> 20)));
    }
    Ok(text)
}
