//! Writing the files of a catalog that have been changed: all of them or none.

use std::io::Write as _;
use std::path::Path;

use crate::cli::speak::error::{CommandError, Exit};
use crate::edit::FileEdit;
use crate::fbc::Input;
use crate::file::{FileError, Replacement, allow_many_files, finish_together, is_inside, make_way_below};
use crate::source::Source;

/// A source that can be written: a catalog whose files are those of the system. `help` says what to name instead of another one.
pub(crate) fn in_files(path: &Path, source: Source, help: &str) -> Result<Input, CommandError> {
    let error = CommandError::usage(format!("`{}` is not a catalog in files", path.display())).help(help);
    let Source::Catalog(input) = source else { return Err(error) };
    let mut without_path = input.files.iter().filter(|it| it.path().is_none()).peekable();
    if without_path.peek().is_none() {
        return Ok(input);
    }
    // A directory that was listed and cannot be opened: another process may just have removed it.
    Err(match without_path.find(|it| it.size().is_none() && it.whole().is_err()) {
        Some(unreadable) => {
            let error = CommandError::new(Exit::Input, format!("cannot read `{}`", unreadable.shown));
            error.help("check its permissions; if another process was writing the catalog, try again")
        }
        None => error,
    })
}

/// Writes the files of a catalog. A link that leads out of it is followed only if that is wanted.
pub(crate) fn write_edits(catalog: &Path, edits: &[&FileEdit], follow: bool) -> Result<(), CommandError> {
    write_all(edits.iter().map(|it| (catalog, *it)), follow)
}

/// The same, of several catalogs, each file with its own.
pub(crate) fn write_all<'e>(
    edits: impl Iterator<Item = (&'e Path, &'e FileEdit)>,
    follow: bool,
) -> Result<(), CommandError> {
    allow_many_files();
    let mut ready = Vec::new();
    for (catalog, edit) in edits {
        if leads_out(catalog, edit) && !follow {
            let message = format!("`{}` is a link that leads out of the catalog", edit.path.display());
            let error = CommandError::new(Exit::Input, message);
            return Err(error.help("name what it leads to, or change it with `--follow`"));
        }
        let failed = |source: std::io::Error| FileError::Io { path: edit.path.clone(), source };
        if edit.is_new {
            let relative = edit.path.strip_prefix(catalog).unwrap_or(&edit.path).to_string_lossy();
            let path = make_way_below(catalog, &relative)?;
            if path.symlink_metadata().is_ok() {
                return Err(failed(std::io::ErrorKind::AlreadyExists.into()).into());
            }
            let mut new = Replacement::begin_over(&path, None)?;
            new.file().write_all(edit.after.as_bytes()).map_err(failed)?;
            ready.push(new);
            continue;
        }
        let mut new = Replacement::begin_over(&edit.path, Some(edit.before.as_bytes()))?;
        new.file().write_all(edit.after.as_bytes()).map_err(failed)?;
        ready.push(new);
    }
    Ok(finish_together(ready)?)
}

/// Whether the file of a catalog is elsewhere.
pub(crate) fn leads_out(catalog: &Path, edit: &FileEdit) -> bool {
    if edit.is_new {
        return false;
    }
    if catalog.is_dir() { !is_inside(&edit.path, catalog) } else { edit.path.is_symlink() }
}
