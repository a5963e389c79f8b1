//! What every command needs besides its arguments.
//!
//! What it deliberately does not do: no options of single commands.

use std::path::{Path, PathBuf};

use crate::cli::speak::report::Reporter;
use crate::source::{self, Source, SourceError};

/// What every command needs.
pub(crate) struct Context {
    pub(crate) reporter: Reporter,
    /// The directory for copies that a reader needs.
    pub(crate) scratch: PathBuf,
}

impl Context {
    /// Opens a source; `-` is standard input.
    pub(crate) fn open(&self, path: &Path) -> Result<Source, SourceError> {
        source::open(path, &self.scratch, &mut std::io::stdin().lock())
    }
}
