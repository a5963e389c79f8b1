//! The path of a package's file in a directory of catalogs, and the rows of a channel in a legacy file.

use std::path::{Component, Path, PathBuf};

use super::error::LegacyError;
use olmdex_version::Quoted;

/// A row of `channel_entry`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) bundle: String,
    /// Index of the row that it replaces.
    pub(super) replaces: Option<usize>,
    pub(super) depth: i64,
}

/// The path of a package's file below the directory, as the real tool lays catalogs out.
///
/// # Errors
/// [`LegacyError::Refused`] if the name of the package would lead out of the directory.
pub fn package_file(package: &str, extension: &str) -> Result<PathBuf, LegacyError> {
    let mut depth = 0_usize;
    let mut is_local = !package.is_empty();
    for part in Path::new(package).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => is_local = false,
        }
    }
    if !is_local || package.contains('\0') {
        let text = format!("invalid package name {}: must be a single local path element", Quoted(package));
        return Err(LegacyError::Refused { text });
    }
    Ok(Path::new(package).join(format!("catalog.{extension}")))
}
