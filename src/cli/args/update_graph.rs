//! Known updates of OpenShift, as an argument: saved answers of the update service, a ClusterVersion, or a copy of the
//! repository of the graph data.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use crate::archive::{self, PathTarget};
use crate::calendar::Day;
use crate::cli::args::day::epoch;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::file::{open_regular, read_regular_of, system_words};
use crate::openshift::{GraphData, SavedFiles, SavedUpdates, UpdateSource, UpdateSourceError};

/// How many bytes a file may have.
const MAX_FILE: u64 = 256 << 20;

/// Reads the sources that are named.
pub(crate) fn read_updates(context: &Context, paths: &[PathBuf]) -> Result<Vec<UpdateSource>, CommandError> {
    open_updates(context, paths)?.iter().map(read).collect()
}

/// Reads the opened updates.
pub(crate) fn read(saved: &SavedUpdates) -> Result<UpdateSource, CommandError> {
    saved.read().map_err(|error| {
        let help = match error {
            UpdateSourceError::NotData => {
                "name the repository that has `channels/`, `blocked-edges/` and `build-suggestions/`"
            }
            _ => {
                "save an answer with `curl \"$UPSTREAM?channel=CHANNEL&arch=ARCH\" -o FILE`, or name a copy of the graph data"
            }
        };
        CommandError::new(Exit::Input, format!("`{}`: {error}", saved.name)).help(help)
    })
}

/// Opens the sources that are named.
pub(crate) fn open_updates(context: &Context, paths: &[PathBuf]) -> Result<Vec<SavedUpdates>, CommandError> {
    let open = |path: &PathBuf| -> Result<SavedUpdates, CommandError> {
        let name = path.display().to_string();
        let latest = latest()?;
        let day_of = |path: &Path| Some(Day::of_unix(seconds_of(path)?.min(latest)));
        let unreadable = |error: std::io::Error| {
            CommandError::new(Exit::Input, format!("cannot read `{name}`: {}", system_words(&error)))
        };
        if path.is_dir() {
            let files = directory(path)?;
            let as_of = files.iter().filter_map(|it| day_of(&path.join(&it.0))).max();
            return Ok(SavedUpdates { files: SavedFiles::Data(files), as_of, name });
        }
        let file = open_regular(path).map_err(unreadable)?;
        if !archive::is_archive(&file) {
            let text = read_regular_of(path, MAX_FILE).map_err(unreadable)?;
            return Ok(SavedUpdates { files: SavedFiles::Answer(text), as_of: day_of(path), name });
        }
        let archives = context.opener.archives();
        let is_data = |name: &[u8]| below_root(name).is_some();
        let tree = archive::read(&Arc::new(file), archives.limits, archives.scratch, is_data)
            .map_err(|error| CommandError::new(Exit::Input, format!("cannot read the archive `{name}`: {error}")))?;
        let mut files = Vec::new();
        for full in tree.below(b"").map(|it| it.0) {
            if let (Some(below), Ok(PathTarget::File(text))) = (below_root(full), tree.find(full)) {
                files.push((below, text.whole(MAX_FILE).map_err(unreadable)?.into_owned()));
            }
        }
        Ok(SavedUpdates { files: SavedFiles::Data(files), as_of: day_of(path), name })
    };
    paths.iter().map(open).collect()
}

/// The time of a file's last change, in seconds since 1970-01-01T00:00:00Z.
fn seconds_of(path: &Path) -> Option<i64> {
    let changed = std::fs::metadata(path).ok()?.modified().ok()?;
    i64::try_from(changed.duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()
}

/// The latest possible day is that of `SOURCE_DATE_EPOCH`, so that an index has the same bytes wherever it is built.
fn latest() -> Result<i64, CommandError> {
    Ok(epoch()?.unwrap_or(i64::MAX))
}

/// The path of a file of the graph data below their root, which may be at any depth.
fn below_root(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    let mut rest = name;
    loop {
        if GraphData::wants(rest) {
            return Some(rest.to_owned());
        }
        rest = rest.split_once('/')?.1;
    }
}

/// The files of a directory with a copy of the graph data.
fn directory(root: &Path) -> Result<Vec<(String, Vec<u8>)>, CommandError> {
    let mut files = Vec::new();
    for folder in ["", "channels", "blocked-edges", "build-suggestions"] {
        let Ok(listing) = std::fs::read_dir(root.join(folder)) else { continue };
        let mut names: Vec<String> = listing.flatten().filter_map(|it| it.file_name().into_string().ok()).collect();
        names.sort();
        for name in names {
            let below = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let path = root.join(&below);
            if !GraphData::wants(&below) || !path.is_file() {
                continue;
            }
            let text = read_regular_of(&path, MAX_FILE).map_err(|error| {
                CommandError::new(Exit::Input, format!("cannot read `{}`: {}", path.display(), system_words(&error)))
            })?;
            files.push((below, text));
        }
    }
    Ok(files)
}
