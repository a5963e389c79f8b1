//! Opening sources for a user who waits.

use std::path::Path;

use crate::cli::speak::context::Context;
#[cfg(feature = "oci")]
use crate::cli::speak::progress::Progress;
use crate::source::{ImageSource, Opened, Source, SourceError};

impl Context {
    /// Opens a source; `-` is standard input.
    pub(crate) fn open(&self, path: &Path) -> Result<Source, SourceError> {
        let _progress = self.fetching(path);
        self.opener.open(path, &mut std::io::stdin().lock())
    }

    /// Reads an image that [`Self::look`] has found at `path`.
    pub(crate) fn read(&self, path: &Path, image: &ImageSource<'_>) -> Result<Source, SourceError> {
        let _progress = self.fetching(path);
        self.opener.read(image)
    }

    /// Shows how much is fetched of what may be in a registry.
    #[cfg(feature = "oci")]
    fn fetching(&self, path: &Path) -> Option<Progress> {
        let name = path.to_str().filter(|it| it.starts_with("docker://"))?;
        Some(Progress::fetching(self, format!("fetching {name}"), self.opener.registries.fetched()))
    }

    /// Nothing is fetched by a program without registries.
    #[cfg(not(feature = "oci"))]
    fn fetching(&self, _: &Path) {}

    /// Finds a source, of an image only its manifest.
    pub(crate) fn look(&self, path: &Path) -> Result<Opened<'_>, SourceError> {
        self.opener.look(path, &mut std::io::stdin().lock())
    }
}
