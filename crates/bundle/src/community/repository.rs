//! A repository as a whole: its settings, and the catalogs in it (`docs/behaviour/authoring.md` F.3).

use std::path::{Path, PathBuf};

use super::file::RepositoryFile;
use super::openshift::minor_of;
use super::operator::plain;
use crate::bundle::is_bundle;
use olmdex_constraint::openshift::Minor;
use olmdex_text::json::Reader;

/// Names of catalog files, as the pipelines know them.
pub(super) const CATALOG_NAMES: [&str; 3] = ["catalog.json", "catalog.yaml", "catalog.yml"];

/// A repository of operators.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Its path.
    pub root: PathBuf,
    /// The prefixes of the bundle images that are allowed in catalogs; if there are none, all are allowed.
    pub(super) allowed_registries: Vec<String>,
    /// The organization that owns it.
    pub(super) organization: Option<String>,
}

/// The catalog of an operator, of one of the catalogs of a repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperatorCatalog {
    /// The catalog, named by its OpenShift version, as `v4.20`.
    pub catalog: String,
    /// The operator.
    pub operator: String,
    /// Its directory.
    pub path: PathBuf,
}

impl Repository {
    /// The repository that a path is in or the root of: the nearest directory with `operators/`. One inside a
    /// contribution does not count, or its author would choose the settings by which it is checked.
    pub fn around(path: &Path) -> Option<Self> {
        let full = path.canonicalize().ok()?;
        let is_root = |above: &Path| above.join("operators").is_dir() && !is_contributed(above);
        let (n_up, root) = full.ancestors().enumerate().find(|(_, above)| is_root(above))?;
        // A path is shown as it was named, as far as it goes.
        let named = path.ancestors().nth(n_up).filter(|named| !named.as_os_str().is_empty());
        let named = named.filter(|named| named.canonicalize().is_ok_and(|named| named == root));
        Some(Self::read(named.unwrap_or(root).to_owned()))
    }

    /// Whether a path is its root.
    pub fn is_at(&self, path: &Path) -> bool {
        path.canonicalize().ok() == self.root.canonicalize().ok()
    }

    fn read(root: PathBuf) -> Self {
        let config = RepositoryFile::read(&root, "config.yaml").ok();
        let mut reader = Reader::new();
        let value = config.as_ref().and_then(|it| reader.read(&it.json).ok());
        let listed = value.and_then(|it| it.get("allowed_bundle_registries"));
        let allowed = listed.into_iter().flat_map(|it| it.items()).filter_map(|it| plain(it)).collect();
        let organization = value.and_then(|it| it.get("organization")).and_then(plain);
        Self { root, allowed_registries: allowed, organization }
    }

    /// The catalogs of operators, by catalog and operator. A directory without a catalog file does not count.
    pub fn catalogs(&self) -> Vec<OperatorCatalog> {
        let mut found = Vec::new();
        for (catalog, path) in directories(&self.root.join("catalogs")) {
            for (operator, path) in directories(&path) {
                if holds_catalog(&path) {
                    found.push(OperatorCatalog { catalog: catalog.clone(), operator, path });
                }
            }
        }
        found
    }

    /// The versions of OpenShift that it has a directory of catalogs for.
    pub fn openshift_versions(&self) -> Vec<Minor> {
        let mut minors: Vec<Minor> =
            directories(&self.root.join("catalogs")).iter().filter_map(|it| minor_of(&it.0)).collect();
        minors.sort();
        minors
    }

    /// Whether its operators are certified, or those of the marketplace.
    pub fn is_certified(&self) -> bool {
        self.organization.as_deref().is_some_and(|it| it != "community-operators")
    }
}

/// Whether a directory is, or lies in, an operator of `operators/` or its catalog in `catalogs/NAME/`.
fn is_contributed(directory: &Path) -> bool {
    let is_below =
        |path: &Path, n_up: usize, name: &str| path.ancestors().nth(n_up).is_some_and(|it| it.ends_with(name));
    directory.ancestors().any(|path| {
        (is_below(path, 1, "operators") && is_operator(path)) || (is_below(path, 2, "catalogs") && holds_catalog(path))
    })
}

fn holds_catalog(directory: &Path) -> bool {
    CATALOG_NAMES.iter().any(|name| directory.join(name).exists())
}

/// Whether a directory is that of an operator.
pub(super) fn is_operator(path: &Path) -> bool {
    path.join("ci.yaml").is_file() || directories(path).iter().any(|(_, below)| is_bundle(below))
}

/// The directories in a directory, by name; links are not followed.
pub fn directories(path: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let entries = entries.filter(|it| it.file_type().is_ok_and(|it| it.is_dir()));
    let mut found: Vec<(String, PathBuf)> =
        entries.map(|it| (it.file_name().to_string_lossy().into_owned(), it.path())).collect();
    found.sort();
    found
}
