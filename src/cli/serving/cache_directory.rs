//! The directory that `--cache-dir` names, which may be the one of opm's cache.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::terminal::error::{CommandError, Exit};
use crate::file::{FileError, make_way_below};

/// The contents of a directory for caches.
pub(super) enum CacheFound {
    Nothing,
    Ours,
    OfOpm,
}

impl CacheFound {
    /// The line that opm logs about it.
    pub(super) fn line(&self) -> &'static str {
        match self {
            Self::Nothing => "cache directory is empty, building cache",
            Self::Ours => "found existing cache contents",
            Self::OfOpm => "not using opm's cache: building another one next to it",
        }
    }
}

/// Looks for caches in a directory. A directory that is something else is never written to (`docs/behaviour/fbc.md`
/// 6.2).
pub(super) fn look_into_cache(directory: &Path) -> Result<CacheFound, CommandError> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Ok(CacheFound::Nothing) };
    let names = entries.filter_map(|it| Some(it.ok()?.file_name().to_string_lossy().into_owned()));
    let names: BTreeSet<String> = names.collect();
    let has = |name: &str| names.contains(name);
    match names.is_empty() {
        true => Ok(CacheFound::Nothing),
        false if has("olmdex.v1") => Ok(CacheFound::Ours),
        false if has("pogreb.v1") || (has("cache") && has("digest")) => Ok(CacheFound::OfOpm),
        false => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let message = format!("cache directory has unexpected contents: {}", names.join(", "));
            Err(CommandError::new(Exit::Input, message).help("name an empty directory, or one that does not exist yet"))
        }
    }
}

/// The path of the index below the directory of opm's cache; a missing directory is made.
pub(super) fn way_to_index(directory: &Path) -> Result<PathBuf, FileError> {
    const BELOW: &str = "olmdex.v1/index.db";
    match (directory.exists(), directory.parent(), directory.file_name().and_then(|it| it.to_str())) {
        (false, Some(parent), Some(name)) => {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            make_way_below(parent, &format!("{name}/{BELOW}"))
        }
        _ => make_way_below(directory, BELOW),
    }
}
