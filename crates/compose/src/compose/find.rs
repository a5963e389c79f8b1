//! Finds the `olmdex.toml` to use: the one in the current directory, or in the nearest directory above it.
//!
//! A user trusts the directory that the command runs in. A file in a catalog came with that catalog, and one beside a
//! catalog elsewhere came from there. Such a file could hide the faults of the catalog, so it is passed over, with a
//! warning.

use std::path::{Path, PathBuf};

use olmdex_base::file;

/// The name of the file.
pub const FILE_NAME: &str = "olmdex.toml";

/// The result of the search for a file.
#[derive(Debug, Default)]
pub struct Search {
    /// The file to use.
    pub found: Option<PathBuf>,
    /// Files that are there and are not used.
    pub passed_over: Vec<PassedOver>,
}

/// A file that is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    /// The file.
    pub path: PathBuf,
    /// Why not.
    pub why: Why,
}

/// Why a file is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// It is in a catalog that is read.
    InSource,
    /// It belongs to another user.
    OfStranger,
    /// It is beside a catalog that is read, and neither in the current directory nor above it.
    Elsewhere,
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::InSource => "it is part of an input catalog",
            Self::OfStranger => "it belongs to another user",
            Self::Elsewhere => "it is neither in the current directory nor above it",
        })
    }
}

/// The directory of a file of options.
pub(super) fn directory_of(file: &Path) -> &Path {
    file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether a found file is a link that leads out of the directory in which it was found.
pub(super) fn is_link_out(file: &Path) -> bool {
    file.is_symlink() && !file::is_inside(file, directory_of(file))
}

/// Looks for the file. `current` is the path of the current directory, from the root; `sources` are the catalogs that
/// are read.
pub fn find(current: &Path, sources: &[PathBuf]) -> Search {
    let mut search = Search::default();
    let mut directory = PathBuf::new();
    for above in current.ancestors() {
        let path = directory.join(FILE_NAME);
        if path.symlink_metadata().is_ok() {
            let why = if sources.iter().any(|it| file::is_inside(above, it)) {
                Some(Why::InSource)
            } else {
                file::is_of_stranger(&path, current).then_some(Why::OfStranger)
            };
            match why {
                Some(why) => search.passed_over.push(PassedOver { path, why }),
                None => {
                    search.found = Some(path);
                    return search;
                }
            }
        }
        directory.push("..");
    }
    for source in sources {
        // If the source itself is a link, its name is beside the file.
        let Some(parent) = source.parent() else { continue };
        for (directory, why) in [(source.as_path(), Why::InSource), (parent, Why::Elsewhere)] {
            let path = directory.join(FILE_NAME);
            let is_said = || search.passed_over.iter().any(|it| file::is_same_file(&it.path, &path));
            if path.symlink_metadata().is_ok() && !is_said() {
                search.passed_over.push(PassedOver { path, why });
            }
        }
    }
    search
}
