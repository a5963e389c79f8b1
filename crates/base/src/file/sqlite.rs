//! The files that SQLite may leave beside a database.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The endings of their names.
const JOURNALS: [&str; 2] = ["-journal", "-wal"];

/// The path of a file beside a database.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(suffix);
    PathBuf::from(name)
}

/// A journal with content beside a database: its writer was stopped, and the next process that opens the database plays
/// it back. `None` if there is none.
pub fn journal_of(path: &Path) -> Option<PathBuf> {
    let has_content = |it: &PathBuf| std::fs::metadata(it).is_ok_and(|it| it.is_file() && it.len() > 0);
    JOURNALS.iter().map(|suffix| beside(path, suffix)).find(has_content)
}
