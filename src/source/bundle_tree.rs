//! A tree of bundle directories, and which of them an image was built from (`docs/behaviour/authoring.md` C.5).
//!
//! Trees come from other people: no link is followed, no path leads out, and what is looked at is limited.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::bundle::{Registration, is_bundle};
use crate::file::open_below;
use crate::oci::Reference;

/// What says which directory an image was built from.
const TABLE: &str = "images.json";

/// No such file is larger.
const MAX_TABLE: u64 = 16 << 20;

/// How deep bundles are looked for. A repository has them at the third level.
const MAX_DEPTH: usize = 6;

/// How many directories are looked at.
const MAX_DIRECTORIES: usize = 200_000;

/// A tree of bundle directories.
#[derive(Debug)]
pub(super) struct BundleTree {
    root: PathBuf,
    /// Directories by reference, relative to the root.
    table: BTreeMap<String, String>,
    found: OnceLock<Vec<Candidate>>,
}

/// A bundle directory.
#[derive(Debug)]
struct Candidate {
    path: PathBuf,
    /// Package and version of the bundle, which are read when they are needed.
    identity: OnceLock<(String, String)>,
}

/// Which directory an image was built from.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Match {
    None,
    One(PathBuf),
    Several(Vec<PathBuf>),
}

impl BundleTree {
    /// That below a directory.
    ///
    /// # Errors
    /// If its table cannot be read.
    pub(super) fn open(root: &Path) -> io::Result<Self> {
        if !root.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let mut text = Vec::new();
        match open_below(root, TABLE) {
            Ok(file) => {
                file.take(MAX_TABLE + 1).read_to_end(&mut text)?;
                if text.len() as u64 > MAX_TABLE {
                    return Err(io::Error::other(format!("`{TABLE}` is larger than 16 MiB")));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => text.extend_from_slice(b"{}"),
            Err(error) => return Err(io::Error::other(format!("`{TABLE}` cannot be read: {error}"))),
        }
        let table = serde_json::from_slice(&text)
            .map_err(|error| io::Error::other(format!("`{TABLE}` is not an object of references: {error}")))?;
        Ok(Self { root: root.to_owned(), table, found: OnceLock::new() })
    }

    /// The directory that an image was built from: by the table, else by names. What is named by its digest is never guessed.
    ///
    /// # Errors
    /// If the table names what is not a bundle directory below the root.
    pub(super) fn find(&self, image: &str) -> Result<Match, String> {
        if let Some(relative) = self.table.get(image) {
            let path = below(&self.root, relative).filter(|it| is_bundle(it));
            let wrong = || format!("`{TABLE}` says `{relative}`, which is not a bundle directory below it");
            return path.map(Match::One).ok_or_else(wrong);
        }
        let Ok(Reference { repository, tag: Some(tag), digest: None, .. }) = image.parse::<Reference>() else {
            return Ok(Match::None);
        };
        let name = repository.rsplit('/').next().unwrap_or_default();
        let name = name.strip_suffix("-bundle").unwrap_or(name);
        let version = tag.strip_prefix('v').unwrap_or(&tag);
        let candidates = self.found.get_or_init(|| bundles_below(&self.root));
        let fits = candidates.iter().filter(|it| it.is_called(name, version)).map(|it| it.path.clone());
        let mut fits: Vec<PathBuf> = fits.collect();
        Ok(match fits.len() {
            0 => Match::None,
            1 => Match::One(fits.remove(0)),
            _ => Match::Several(fits),
        })
    }
}

impl Candidate {
    fn is_called(&self, name: &str, version: &str) -> bool {
        let own = self.path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        let above = self.path.parent().and_then(Path::file_name).and_then(|it| it.to_str()).unwrap_or_default();
        if above == name && own.strip_prefix('v').unwrap_or(own) == version {
            return true;
        }
        let (package, found) = self
            .identity
            .get_or_init(|| Registration::read(&self.path).map(|it| (it.package, it.version)).unwrap_or_default());
        (above == name || package == name) && (own == version || found == version)
    }
}

/// A directory below another one, by a relative path that no link is part of.
fn below(root: &Path, relative: &str) -> Option<PathBuf> {
    let mut path = root.to_owned();
    for name in relative.trim_end_matches('/').split('/') {
        if matches!(name, "" | "." | "..") {
            return None;
        }
        path.push(name);
        if !path.symlink_metadata().is_ok_and(|it| it.is_dir()) {
            return None;
        }
    }
    Some(path)
}

/// All bundle directories below a directory, by path. What cannot be listed has none.
fn bundles_below(root: &Path) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut n_seen = 0;
    let mut open = vec![(root.to_owned(), 0)];
    while let Some((path, depth)) = open.pop() {
        n_seen += 1;
        if n_seen > MAX_DIRECTORIES {
            break;
        }
        if is_bundle(&path) {
            found.push(Candidate { path, identity: OnceLock::new() });
            continue;
        }
        if depth == MAX_DEPTH {
            continue;
        }
        for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
            // That of a link is not that of a directory.
            if entry.file_type().is_ok_and(|it| it.is_dir()) {
                open.push((entry.path(), depth + 1));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(root: &Path, path: &str) {
        for name in ["manifests", "metadata"] {
            std::fs::create_dir_all(root.join(path).join(name)).unwrap();
        }
    }

    #[test]
    fn images_find_their_directories() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("tree");
        bundle(&root, "operators/shop/1.0.0");
        bundle(&root, "operators/shop/2.0.0");
        bundle(&root, "more/shop/2.0.0");
        bundle(scratch.path(), "outside");
        std::os::unix::fs::symlink(scratch.path().join("outside"), root.join("link")).unwrap();
        let table = r#"{"q.io/a:1": "operators/shop/1.0.0/", "q.io/b:1": "../outside", "q.io/c:1": "link", "q.io/d:1": "/etc"}"#;
        std::fs::write(root.join(TABLE), table).unwrap();
        let tree = BundleTree::open(&root).unwrap();

        let first = Ok(Match::One(root.join("operators/shop/1.0.0")));
        assert_eq!(tree.find("q.io/a:1"), first);
        assert_eq!(tree.find("quay.io/org/shop-bundle:v1.0.0"), first);
        assert_eq!(tree.find("quay.io/org/shop:1.0.0"), first);
        assert_eq!(tree.find("quay.io/org/shop:1.0.1"), Ok(Match::None));
        assert!(matches!(tree.find("quay.io/org/shop:v2.0.0"), Ok(Match::Several(it)) if it.len() == 2));
        let digest = format!("quay.io/org/shop:v1.0.0@sha256:{}", "0".repeat(64));
        assert_eq!(tree.find(&digest), Ok(Match::None));
        for outside in ["q.io/b:1", "q.io/c:1", "q.io/d:1"] {
            assert!(tree.find(outside).is_err(), "{outside}");
        }
    }
}
