//! Opening the bundle that a name means, with the reference of its image.

use std::path::{Path, PathBuf};

use super::{Opener, RecognisedSource, SourceError};
use crate::oci::Content;
use olmdex_bundle::bundle::rules::Contents;
use olmdex_bundle::bundle::{self, Bundle, BundleError, Registration};
use olmdex_fbc::BundleFiles;

impl Opener {
    /// Looks at the target of `path` and reads it as a bundle: a bundle directory without links, or the image of a
    /// bundle.
    ///
    /// # Errors
    /// [`SourceError`] if it is not a bundle.
    pub(super) fn read_bundle(&self, path: &Path) -> Result<Bundle, SourceError> {
        let wrong = |error: BundleError| SourceError::Bundle { path: path.to_owned(), error };
        let files = match self.find(path)? {
            RecognisedSource::BundleDirectory(path) => bundle::read_unlinked_files(&path).map_err(wrong)?,
            found => self.bundle_in(found, path)?.0,
        };
        Bundle::of_files(&files.manifests, &files.metadata).map_err(wrong)
    }

    /// The files of the bundle that an image or an archive holds, and the name of the image in a registry, if it has
    /// one.
    fn bundle_in(
        &self,
        found: RecognisedSource<'_>,
        path: &Path,
    ) -> Result<(BundleFiles, Option<String>), SourceError> {
        let (content, reference) = match found {
            RecognisedSource::Image(image) => (image.content(&self.images)?.0, image.reference),
            RecognisedSource::Archived(content, _) => (content, None),
            _ => return Err(SourceError::NotABundle(path.display().to_string())),
        };
        match content {
            Content::Bundle(files) => Ok((files, reference)),
            _ => Err(SourceError::NotABundle(path.display().to_string())),
        }
    }

    /// The files of the bundle that `path` names, for the rules of bundles; `None` if it is not a bundle, for example a
    /// catalog of one bundle.
    ///
    /// # Errors
    /// [`SourceError`] if it cannot be read.
    pub fn contents_of_bundle(&self, path: &Path) -> Result<Option<Contents>, SourceError> {
        let wrong = |error: BundleError| SourceError::Bundle { path: path.to_owned(), error };
        if path.as_os_str() == super::STDIN {
            return Ok(None);
        }
        match self.find(path)? {
            RecognisedSource::BundleDirectory(path) => Contents::read(&path).map(Some).map_err(wrong),
            found @ (RecognisedSource::Image(_) | RecognisedSource::Archived(..)) => {
                match self.bundle_in(found, path) {
                    Ok((files, _)) => Ok(Some(Contents::of_files(path, &files))),
                    Err(SourceError::NotABundle(_)) => Ok(None),
                    Err(error) => Err(error),
                }
            }
            _ => Ok(None),
        }
    }

    /// Looks at the target of `path` and reads it as a bundle: a bundle directory, or the image of a bundle. The second
    /// value is the reference of the image: that of the template, or else its name in a registry, or else empty.
    ///
    /// # Errors
    /// [`SourceError`] if it is not a bundle.
    pub fn open_bundle(&self, path: &Path) -> Result<(Registration, String), SourceError> {
        let wrong = |path: PathBuf| move |error: BundleError| SourceError::Bundle { path, error };
        let (bundle, reference) = match self.find(path)? {
            RecognisedSource::BundleDirectory(path) => (Registration::read(&path).map_err(wrong(path))?, None),
            found => {
                let (files, reference) = self.bundle_in(found, path)?;
                let bundle = Registration::of_files(&files.manifests, &files.metadata);
                (bundle.map_err(wrong(path.to_owned()))?, reference)
            }
        };
        let image = match &self.bundle_image {
            Some(template) => template.fill_with(&bundle.package, &bundle.name, &bundle.version),
            None => reference.unwrap_or_default(),
        };
        Ok((bundle, image))
    }
}
