//! What every command needs besides its arguments.
//!
//! What it deliberately does not do: no options of single commands.

use std::path::Path;

use crate::cli::speak::report::Reporter;
use crate::cluster::Archives;
use crate::source::{Opener, Source, SourceError};

/// What every command needs.
pub(crate) struct Context {
    pub(crate) reporter: Reporter,
    /// Opens sources.
    pub(crate) opener: Opener,
}

impl Context {
    /// How archives of manifests are read.
    pub(crate) fn archives(&self) -> Archives<'_> {
        Archives { scratch: self.opener.scratch(), limits: self.opener.images.limits }
    }

    /// Opens a source; `-` is standard input.
    pub(crate) fn open(&self, path: &Path) -> Result<Source, SourceError> {
        self.opener.open(path, &mut std::io::stdin().lock())
    }
}
