//! Opening the bundle that a name means, with the reference of its image.
//!
//! What it deliberately does not do: it makes no blob of it, and takes no catalog of one bundle for a bundle.

use std::path::{Path, PathBuf};

use super::{Found, Opener, SourceError};
use crate::bundle::{BundleError, Registration};
use crate::oci::Content;

impl Opener {
    /// Looks at what `path` names and reads it as a bundle: a bundle directory, or the image of a bundle. The second value is the
    /// reference of the image: that of the template, else its name in a registry, else empty.
    ///
    /// # Errors
    /// [`SourceError`] if it is not a bundle.
    pub fn open_bundle(&self, path: &Path) -> Result<(Registration, String), SourceError> {
        let wrong = |path: PathBuf| move |error: BundleError| SourceError::Bundle { path, error };
        let (bundle, reference) = match self.find(path)? {
            Found::BundleDirectory(path) => (Registration::read(&path).map_err(wrong(path))?, None),
            Found::Content(Content::Bundle(files), _, reference) => {
                let bundle = Registration::of_files(&files.manifests, &files.metadata);
                (bundle.map_err(wrong(path.to_owned()))?, reference)
            }
            Found::Archived(Content::Bundle(files), _) => {
                let bundle = Registration::of_files(&files.manifests, &files.metadata);
                (bundle.map_err(wrong(path.to_owned()))?, None)
            }
            _ => return Err(SourceError::NotABundle(path.display().to_string())),
        };
        let image = match &self.bundle_image {
            Some(template) => template.fill_with(&bundle.package, &bundle.name, &bundle.version),
            None => reference.unwrap_or_default(),
        };
        Ok((bundle, image))
    }
}
