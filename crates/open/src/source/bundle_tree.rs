//! A tree of bundle directories, and which of them an image was built from (`docs/behaviour/authoring.md` C.5).
//!
//! Trees come from other people: no link is followed, no path leads out, and the search has limits.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use crate::oci::Reference;
use olmdex_base::file::open_below;
use olmdex_bundle::bundle::{Bundle, is_bundle, package_in, stated_version_in};
use olmdex_version::first_of;

/// The table of the directories that images were built from.
const TABLE: &str = "images.json";

/// No such file is larger.
const MAX_TABLE: u64 = 16 << 20;

/// The depth to which bundles are searched for. A repository has them at the third level.
const MAX_DEPTH: usize = 6;

/// The number of bundles that a message names.
const MAX_NAMED: usize = 10;

/// The number of directories that are searched.
const MAX_DIRECTORIES: usize = 200_000;

/// A tree of bundle directories.
#[derive(Debug)]
pub(super) struct BundleTree {
    root: PathBuf,
    /// Directories by reference, relative to the root.
    table: BTreeMap<String, String>,
    found: OnceLock<Vec<Candidate>>,
}

/// A bundle directory. Its content is read when it is needed.
#[derive(Debug)]
struct Candidate {
    path: PathBuf,
    bundle: OnceLock<Arc<Bundle>>,
    package: OnceLock<String>,
    version: OnceLock<String>,
}

/// The directory that an image was built from.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Match {
    None,
    One(PathBuf),
    Several(Vec<PathBuf>),
}

impl BundleTree {
    /// Opens the tree below a directory.
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

    /// The directory that an image was built from: by the table, or else by names. An image that is named by its digest
    /// is never guessed.
    ///
    /// # Errors
    /// If the table names a path that is not a bundle directory below the root.
    pub(super) fn find(&self, image: &str) -> Result<Match, String> {
        if let Some(relative) = self.table.get(image) {
            let path = below(&self.root, relative).filter(|it| is_bundle(it));
            let wrong = || format!("`{TABLE}` names `{relative}`, which is not a bundle directory below it");
            return path.map(Match::One).ok_or_else(wrong);
        }
        let Some((name, version)) = guessed(image) else { return Ok(Match::None) };
        let fits = self.candidates().iter().filter(|it| it.is_it(&name, &version)).map(|it| it.path.clone());
        let mut fits: Vec<PathBuf> = fits.collect();
        Ok(match fits.len() {
            0 => Match::None,
            1 => Match::One(fits.remove(0)),
            _ => Match::Several(fits),
        })
    }

    /// A list of the bundles that are there instead of the bundle of an image, in words.
    pub(super) fn unlike(&self, image: &str) -> String {
        let root = self.root.display();
        let candidates = self.candidates();
        if candidates.is_empty() {
            return format!("`{root}` holds no bundle directory");
        }
        let shown = candidates.iter().take(MAX_NAMED).map(|it| format!("{} {}", it.package(), it.version()));
        let holds = first_of(shown, candidates.len());
        match guessed(image) {
            Some((name, version)) => {
                format!("`{root}` holds {holds}, but no `{name}` {version}, which the name of the image asks for")
            }
            None => {
                format!("`{root}` holds {holds}; an image that is named by its digest needs a line in `{root}/{TABLE}`")
            }
        }
    }

    fn candidates(&self) -> &[Candidate] {
        self.found.get_or_init(|| bundles_below(&self.root))
    }

    /// Reads the bundles that some images certainly mean, because their directories have the same name and version. The
    /// search opens other bundles to identify them, and need not open these once more for that.
    pub(super) fn load(&self, images: &[&str], read: &(dyn Fn(&Path) -> Option<Bundle> + Sync)) {
        let names = images.iter().filter(|it| !self.table.contains_key(**it)).filter_map(|it| guessed(it));
        let wanted: BTreeSet<(String, String)> = names.collect();
        if wanted.is_empty() {
            return;
        }
        let called = self.candidates().par_iter().filter(|it| {
            let (name, version) = it.called();
            wanted.contains(&(name.to_owned(), version.to_owned()))
        });
        called.for_each(|it| {
            if let Some(bundle) = read(&it.path) {
                it.bundle.get_or_init(|| Arc::new(bundle));
            }
        });
    }

    /// The bundle of a directory that [`Self::find`] named, if it has been read.
    pub(super) fn loaded(&self, path: &Path) -> Option<Arc<Bundle>> {
        let candidates = self.found.get()?;
        let place = candidates.binary_search_by(|it| it.path.as_path().cmp(path)).ok()?;
        candidates[place].bundle.get().cloned()
    }
}

/// The operator and the version in the reference of an image, unless it is by digest.
fn guessed(image: &str) -> Option<(String, String)> {
    let Ok(Reference { repository, tag: Some(tag), digest: None, .. }) = image.parse::<Reference>() else {
        return None;
    };
    let name = repository.rsplit('/').next().unwrap_or_default();
    let name = name.strip_suffix("-bundle").unwrap_or(name);
    Some((name.to_owned(), tag.strip_prefix('v').unwrap_or(&tag).to_owned()))
}

impl Candidate {
    /// The names of its operator's directory and of its own, this without a leading `v`.
    fn called(&self) -> (&str, &str) {
        let own = self.path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        let above = self.path.parent().and_then(Path::file_name).and_then(|it| it.to_str()).unwrap_or_default();
        (above, own.strip_prefix('v').unwrap_or(own))
    }

    /// Whether it is a version of an operator, by its path or by its content. As little is read as decides that.
    fn is_it(&self, name: &str, version: &str) -> bool {
        let (above, own) = self.called();
        (above == name || self.package() == name) && (own == version || self.version() == version)
    }

    fn package(&self) -> &str {
        match self.bundle.get() {
            Some(bundle) => &bundle.package,
            None => self.package.get_or_init(|| package_in(&self.path)),
        }
    }

    fn version(&self) -> &str {
        match self.bundle.get() {
            Some(bundle) => bundle.stated_version(),
            None => self.version.get_or_init(|| stated_version_in(&self.path)),
        }
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

/// All bundle directories below a directory, by path. A directory that cannot be listed has none.
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
            let (bundle, package, version) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
            found.push(Candidate { path, bundle, package, version });
            continue;
        }
        if depth == MAX_DEPTH {
            continue;
        }
        for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
            // `file_type` does not follow links, so a link to a directory is not entered.
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
    fn each_bundle_is_read_once_and_others_are_only_recognised() {
        use std::sync::atomic::{AtomicUsize, Ordering};

        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        let annotations = "annotations:\n  operators.operatorframework.io.bundle.package.v1: shop\n";
        for (path, version) in
            [("shop/1.0.0", "1.0.0"), ("shop/2.0.0", "2.0.0"), ("odd/next", "3.0.0"), ("odd/2.0.0", "9.0.0")]
        {
            bundle(root, path);
            let csv = format!(
                "apiVersion: v1\nkind: ClusterServiceVersion\nmetadata: {{name: s.v{version}}}\nspec: {{version: {version}}}\n"
            );
            std::fs::write(root.join(path).join("manifests/csv.yaml"), csv).unwrap();
            // A file that nobody asks for is not parsed.
            std::fs::write(root.join(path).join("manifests/other.yaml"), "kind: [").unwrap();
            std::fs::write(root.join(path).join("metadata/annotations.yaml"), annotations).unwrap();
        }
        let n_read = AtomicUsize::new(0);
        let read = |path: &Path| {
            n_read.fetch_add(1, Ordering::Relaxed);
            Bundle::read(path).ok()
        };
        let tree = BundleTree::open(root).unwrap();
        let digest = format!("q.io/shop:1.0.0@sha256:{}", "0".repeat(64));
        tree.load(
            &["q.io/shop:v1.0.0", "q.io/org/shop-bundle:1.0.0", "q.io/shop:v3.0.0", "q.io/shop:v4.0.0", &digest],
            &read,
        );
        assert_eq!(n_read.load(Ordering::Relaxed), 1);
        assert_eq!(tree.find("q.io/shop:1.0.0"), Ok(Match::One(root.join("shop/1.0.0"))));
        assert_eq!(
            tree.loaded(&root.join("shop/1.0.0")).map(|it| it.stated_version().to_owned()).as_deref(),
            Some("1.0.0")
        );
        // These are found by their content.
        assert_eq!(tree.find("q.io/shop:3.0.0"), Ok(Match::One(root.join("odd/next"))));
        assert!(matches!(tree.find("q.io/shop:2.0.0"), Ok(Match::Several(it)) if it.len() == 2));
        assert_eq!(tree.find("q.io/shop:9.0.0"), Ok(Match::One(root.join("odd/2.0.0"))));
        assert!(tree.loaded(&root.join("odd/next")).is_none());
        assert_eq!(n_read.load(Ordering::Relaxed), 1);
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
