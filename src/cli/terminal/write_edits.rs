//! Writes the changed files of a catalog: all of them or none.

use std::io::Write as _;
use std::path::Path;

use crate::cli::terminal::error::{CommandError, Exit};
use crate::edit::FileEdit;
use crate::fbc::{Input, InputFile, Stamp};
use crate::file::{FileError, Replacement, allow_many_files, finish_together, is_inside, make_way_below};
use crate::source::Source;

/// A source that can be written: a catalog of regular files, whose states are remembered. `help` names the sources to
/// use instead of another one.
pub(crate) fn in_files(path: &Path, source: Source, help: &str) -> Result<Input, CommandError> {
    let error = CommandError::usage(format!("`{}` is not a catalog in files", path.display())).help(help);
    let Source::Catalog(input) = source else { return Err(error) };
    let mut without_path = input.files.iter().filter(|it| it.path().is_none()).peekable();
    if without_path.peek().is_none() {
        remember(&input);
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

/// Remembers the states of a catalog's files before anything is read: a command reads them more than once, and an edit
/// based on two states would have a part of each.
pub(crate) fn remember(input: &Input) {
    for file in input.files.iter().filter(|it| it.path().is_some()) {
        // Opening it is enough.
        let _ = file.read_again(0, 0);
    }
}

/// Writes files of a remembered catalog. A link out of the catalog is followed only if the user wants that.
pub(crate) fn write_edits(
    catalog: &Path,
    input: &Input,
    edits: &[&FileEdit],
    follow: bool,
) -> Result<(), CommandError> {
    write_all(edits.iter().map(|it| (catalog, input, *it)), follow)
}

/// As [`write_edits()`], for several catalogs: each file comes with its own.
pub(crate) fn write_all<'e>(
    edits: impl Iterator<Item = (&'e Path, &'e Input, &'e FileEdit)>,
    follow: bool,
) -> Result<(), CommandError> {
    allow_many_files();
    let mut ready = Vec::new();
    // New files come first: the list of all files is beside the last one, and the next run looks beside the files that
    // it knows. Beyond that, all writers take the files in one order, so that no two wait for each other.
    let mut edits: Vec<_> = edits.collect();
    edits.sort_by(|a, b| (!a.2.is_new, &a.2.path).cmp(&(!b.2.is_new, &b.2.path)));
    for (catalog, input, edit) in edits {
        if leads_out(catalog, edit) && !follow {
            let message = format!("`{}` is a symbolic link out of the catalog", edit.path.display());
            let error = CommandError::new(Exit::Input, message);
            return Err(error.help("name its target, or change it with `--follow`"));
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
        let remembered = input.files.get(edit.file).and_then(InputFile::stamp);
        let now = std::fs::metadata(&edit.path).map_err(failed)?;
        if remembered.is_some_and(|it| it != Stamp::of(&now)) {
            return Err(FileError::Changed { path: edit.path.clone() }.into());
        }
        new.file().write_all(edit.after.as_bytes()).map_err(failed)?;
        ready.push(new);
    }
    Ok(finish_together(ready)?)
}

/// Whether a file of the catalog is elsewhere.
pub(crate) fn leads_out(catalog: &Path, edit: &FileEdit) -> bool {
    if edit.is_new {
        return false;
    }
    if catalog.is_dir() { !is_inside(&edit.path, catalog) } else { edit.path.is_symlink() }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_file_that_changed_after_it_was_remembered_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.yaml");
        let put = |text: &str| {
            let new = folder.path().join("new");
            std::fs::write(&new, text).unwrap();
            std::fs::rename(new, &path).unwrap();
        };
        // Another process may change a file between the decision and the edit, so the edit would be based on an unknown
        // text.
        for (then, is_refused) in [(None, false), (Some("a: 2\n"), true)] {
            put("a: 1\n");
            let input = Input::file(&path);
            remember(&input);
            then.into_iter().for_each(put);
            let before = std::fs::read_to_string(&path).unwrap();
            let path = PathBuf::from(&path);
            let edit = FileEdit { file: 0, path, before, after: "a: 3\n".to_owned(), rewritten: None, is_new: false };
            let written = write_edits(folder.path(), &input, &[&edit], false);
            assert_eq!(written.is_err(), is_refused, "{then:?}");
        }
    }
}
