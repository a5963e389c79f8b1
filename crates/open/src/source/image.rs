//! An image that was found, before its content is read: often its digest is enough.

use super::error::SourceError;
use crate::oci::{Content, Image, ImageOptions, ImageSelector, OciError, Store};
use olmdex_base::diag::Finding;
use olmdex_fbc::FromImage;

/// An image with only its manifest and configuration read.
pub struct ImageSource<'o> {
    store: Box<dyn Store + 'o>,
    image: Box<Image>,
    /// Its name in messages.
    pub(super) shown: String,
    /// Its name in a registry, if it has one.
    pub(super) reference: Option<String>,
}

impl<'o> ImageSource<'o> {
    /// Looks an image up.
    pub(super) fn find(
        store: Box<dyn Store + 'o>,
        wanted: &ImageSelector,
        options: &ImageOptions,
        shown: &str,
        reference: Option<&str>,
    ) -> Result<Self, SourceError> {
        let wrong = |error: OciError| SourceError::Image { name: shown.to_owned(), error };
        let image = Image::open(&*store, wanted, options).map_err(wrong)?;
        Ok(Self { store, image: Box::new(image), shown: shown.to_owned(), reference: reference.map(str::to_owned) })
    }

    /// The image that it comes from.
    pub fn origin(&self) -> FromImage {
        FromImage {
            digest: self.image.digest.to_string(),
            content: Some(self.image.content()),
            created: self.image.config.created,
        }
    }

    /// Whether its content is a database. An image that no label says the content of is refused.
    pub(super) fn is_database(&self, options: &ImageOptions) -> Result<bool, SourceError> {
        if self.image.is_database(options) {
            return Ok(true);
        }
        let wrong = |error: OciError| SourceError::Image { name: self.shown.clone(), error };
        Content::must_be_labelled(&self.image).map_err(wrong)?;
        Ok(false)
    }

    /// Reads its content, and the remarks about it.
    pub(super) fn content(&self, options: &ImageOptions) -> Result<(Content, Vec<Finding>), SourceError> {
        let wrong = |error: OciError| SourceError::Image { name: self.shown.clone(), error };
        Content::read(&*self.store, &self.image, options, &self.shown).map_err(wrong)
    }
}

impl std::fmt::Debug for ImageSource<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ImageSource").field("image", &self.image).field("shown", &self.shown).finish_non_exhaustive()
    }
}
