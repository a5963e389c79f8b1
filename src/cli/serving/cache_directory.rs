//! The directory that `--cache-dir` names, which may be the one that opm has its cache in.

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
            Self::OfOpm => "the cache of opm is not used, building another beside it",
        }
    }
}

/// Looks into a directory for caches. One that is something else is not written into (`docs/behaviour/fbc.md` 6.2).
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
            Err(CommandError::new(Exit::Input, message).help("name a directory that is empty, or that does not exist"))
        }
    }
}

/// Where the index is below the directory that opm has its cache in; the directory is made if it is not there.
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
