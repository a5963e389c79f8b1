//! Opens sources for a user who waits.

use std::path::Path;

use crate::cli::terminal::context::Context;
#[cfg(feature = "oci")]
use crate::cli::terminal::progress::Progress;
use crate::source::{ImageSource, Source, SourceError, SourceOrImage};

impl Context {
    /// Opens a source; `-` is standard input.
    pub(crate) fn open(&self, path: &Path) -> Result<Source, SourceError> {
        let progress = self.fetching(path);
        let source = self.shown(self.opener.open(path, &mut std::io::stdin().lock())?);
        drop(progress);
        self.note_git(path, &source);
        Ok(source)
    }

    /// A source of which messages show as much as the user may see.
    fn shown(&self, source: Source) -> Source {
        match source {
            Source::Catalog(input) => Source::Catalog(input.seen_as(self.sight)),
            index => index,
        }
    }

    /// Notes that a source is a checkout of git, whose `.git` is not read.
    pub(crate) fn note_git(&self, path: &Path, source: &Source) {
        if matches!(source, Source::Catalog(input) if input.skips_git) {
            let path = crate::diag::printable(&path.to_string_lossy()).into_owned();
            self.reporter.note(&format!("`{path}` is a git checkout: olmdex does not read its `.git`"));
        }
    }

    /// Reads an image that [`Self::look`] has found at `path`.
    pub(crate) fn read(&self, path: &Path, image: &ImageSource<'_>) -> Result<Source, SourceError> {
        let _progress = self.fetching(path);
        self.opener.read(image).map(|source| self.shown(source))
    }

    /// Shows the progress of fetching if the source may be in a registry.
    #[cfg(feature = "oci")]
    fn fetching(&self, path: &Path) -> Option<Progress> {
        let name = path.to_str().filter(|it| it.starts_with("docker://"))?;
        Some(Progress::fetching(self, format!("fetching {name}"), self.opener.registries.fetched()))
    }

    /// A program without registries fetches nothing.
    #[cfg(not(feature = "oci"))]
    fn fetching(&self, _: &Path) {}

    /// Finds a source, of an image only its manifest.
    pub(crate) fn look(&self, path: &Path) -> Result<SourceOrImage<'_>, SourceError> {
        let opened = match self.opener.look(path, &mut std::io::stdin().lock())? {
            SourceOrImage::Source(source) => SourceOrImage::Source(self.shown(source)),
            image => image,
        };
        if let SourceOrImage::Source(source) = &opened {
            self.note_git(path, source);
        }
        Ok(opened)
    }
}
