//! Writes files below directories, all of them or none, or prints the changes.

use std::io::Write as _;
use std::path::PathBuf;

use crate::cli::print::difference::print_difference;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::cli::terminal::interrupt;
use crate::file::{
    MissingDirectories, Replacement, allow_many_files, finish_left, finish_together, make_way_below, read_regular,
};

/// A file to write, below a directory.
pub(crate) struct Change {
    pub(crate) root: PathBuf,
    pub(crate) relative: String,
    /// Its path as the user would write it.
    pub(crate) shown: PathBuf,
    pub(crate) before: Option<Vec<u8>>,
    pub(crate) after: Vec<u8>,
}

/// Writes the changes, or shows them. Returns the number of files.
pub(crate) fn write_changes(context: &Context, mut changes: Vec<Change>, is_dry: bool) -> Result<usize, CommandError> {
    if !is_dry {
        // A run that was killed after its last rename left nothing to write.
        let paths: Vec<PathBuf> = changes.iter().map(|it| it.root.join(&it.relative)).collect();
        finish_left(paths.iter().map(PathBuf::as_path));
    }
    changes.retain(|it| it.before.as_ref() != Some(&it.after));
    if is_dry {
        for change in &changes {
            let text = |it: &[u8]| String::from_utf8_lossy(it).into_owned();
            let before = change.before.as_deref().map(text).unwrap_or_default();
            print_difference(context, &change.shown, 1, &before, &text(&change.after))?;
        }
        return Ok(changes.len());
    }
    interrupt::undo_writes(context);
    allow_many_files();
    let missing = MissingDirectories::of(changes.iter().map(|it| (it.root.as_path(), it.relative.as_str())));
    if let Err(error) = write(&changes) {
        missing.remove();
        return Err(error);
    }
    for change in &changes {
        context.reporter.note(&format!("wrote {}", change.shown.display()));
    }
    Ok(changes.len())
}

fn write(changes: &[Change]) -> Result<(), CommandError> {
    let mut ready = Vec::with_capacity(changes.len());
    for change in changes {
        let path = make_way_below(&change.root, &change.relative)?;
        // The rest of a run that was killed between two renames is in its place by now.
        if read_regular(&path).is_ok_and(|it| it == change.after) {
            continue;
        }
        let mut new = Replacement::begin_over(&path, change.before.as_deref())?;
        new.file().write_all(&change.after)?;
        ready.push(new);
    }
    Ok(finish_together(ready)?)
}
