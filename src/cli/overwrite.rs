//! Refusing to write over what is read.

use std::path::{Component, Path, PathBuf};

use super::error::CommandError;

/// Refuses an output that is its own input, by whatever name.
pub(crate) fn refuse_same_file(source: &Path, output: &Path, help: &str) -> Result<(), CommandError> {
    if !is_same_file(source, output) {
        return Ok(());
    }
    let message = format!("`{}` is the input, and would be replaced", output.display());
    Err(CommandError::usage(message).help(help))
}

/// Refuses a directory to write in a directory that is read: the next reader would find both catalogs in it.
pub(crate) fn refuse_inside(source: &Path, directory: &Path) -> Result<(), CommandError> {
    let Ok(root) = source.canonicalize() else { return Ok(()) };
    if !root.is_dir() || !resolved(directory).starts_with(&root) {
        return Ok(());
    }
    let message = format!("`{}` is in the catalog that is read, `{}`", directory.display(), source.display());
    Err(CommandError::usage(message).help("name a directory outside of it"))
}

#[cfg(unix)]
fn is_same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    // Hard links have one number, and links are followed.
    matches!((a.metadata(), b.metadata()), (Ok(a), Ok(b)) if (a.dev(), a.ino()) == (b.dev(), b.ino()))
}

#[cfg(not(unix))]
fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// A path without links as far as it exists; what is to be made below that is taken by its words.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let Some((base, real)) = path.ancestors().find_map(|it| Some((it, it.canonicalize().ok()?))) else { return path };
    let mut resolved = real;
    for part in path.strip_prefix(base).into_iter().flat_map(Path::components) {
        match part {
            Component::ParentDir => drop(resolved.pop()),
            Component::Normal(name) => resolved.push(name),
            _ => {}
        }
    }
    resolved
}
