//! Whether bundles can be added to a catalog of blobs: they are added to its packages in a temporary legacy file.
//!
//! Services that build index images add bundles to a database, even if the catalog is file-based by now.

use std::path::Path;
use std::sync::Arc;

use super::{AddOptions, Destination, Edit, NewBundle};
use crate::error::LegacyError;
use crate::export::Export;
use olmdex_base::diag::{Finding, Severity};
use olmdex_fbc::{Format, Input, Level, Rendering, RereadError, Selection, Sorted};
use olmdex_text::json::Expansion;

/// The result of a trial.
#[derive(Debug)]
pub enum Trial {
    /// The bundles can be added.
    Added,
    /// They cannot.
    Refused(LegacyError),
    /// The packages cannot be written as a legacy file, or not be read.
    Unknown(Vec<Finding>),
}

impl Edit {
    /// Tries to add bundles to catalogs; only the packages of the bundles are looked at. `scratch` is an empty
    /// directory of the caller's.
    ///
    /// # Errors
    /// [`LegacyError`] if `scratch` cannot be written to.
    pub fn try_to_add(
        catalogs: &[Input],
        bundles: &[NewBundle],
        options: AddOptions,
        scratch: &Path,
    ) -> Result<Trial, LegacyError> {
        let packages: Vec<String> = bundles.iter().map(|it| it.bundle.package.clone()).collect();
        let selection = Selection { packages: &packages };
        let expansion = Expansion::default();
        let how = Rendering { format: Format::Json, level: Level::None, selection, expansion: &expansion };
        let mut sorted = Sorted::new(how);
        let unread = catalogs.iter().map(|it| sorted.read(it).len()).sum::<usize>();
        let mut text = Vec::new();
        let written = sorted.write(|_, it| {
            text.extend_from_slice(it);
            Ok::<(), RereadError>(())
        });
        if unread > 0 || written.is_err() {
            return Ok(Trial::Unknown(Vec::new()));
        }
        let path = scratch.join("trial.db");
        let mut export = Export::begin(&path)?;
        export.write(&Input::bytes("index.json", Arc::from(text)))?;
        if !export.is_possible() {
            let errors = export.findings().iter().filter(|it| it.rule.severity == Severity::Error);
            return Ok(Trial::Unknown(errors.cloned().collect()));
        }
        export.finish()?;
        let mut edit = Self::begin(&path, scratch, &Destination::InPlace)?;
        // The edit is dropped, so nothing of the step stays.
        match edit.add(bundles, options) {
            Ok(()) => Ok(Trial::Added),
            Err(error @ (LegacyError::NotAdded(_) | LegacyError::Refused { .. })) => Ok(Trial::Refused(error)),
            Err(error) => Err(error),
        }
    }
}
