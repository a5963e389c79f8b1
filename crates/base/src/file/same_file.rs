//! Whether two paths lead to the same place, and which user owns a file.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

/// Whether two paths lead to one file, through any links.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.metadata(), b.metadata()), (Ok(a), Ok(b)) if (a.dev(), a.ino()) == (b.dev(), b.ino()))
}

/// Whether a path that need not exist is a directory, or in it.
pub fn is_inside(path: &Path, directory: &Path) -> bool {
    directory.canonicalize().is_ok_and(|root| root.is_dir() && resolved(path).starts_with(root))
}

/// Whether a file, or the link to it, belongs to neither this user, nor root, nor the owner of a directory that this
/// user has chosen to be in.
pub fn is_of_stranger(path: &Path, directory: &Path) -> bool {
    let owner = directory.metadata().map(|it| it.uid()).ok();
    let own = rustix::process::geteuid().as_raw();
    let is_strange = |it: std::fs::Metadata| it.uid() != own && it.uid() != 0 && Some(it.uid()) != owner;
    [path.symlink_metadata(), path.metadata()].into_iter().flatten().any(is_strange)
}

/// A path without links as far as it exists; the part that does not exist yet is taken literally.
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
