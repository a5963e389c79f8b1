//! The directory of an operator, with its versions (`docs/behaviour/authoring.md` A.5).

use std::cmp::Ordering;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::configuration::{Settings, unread_keys};
use super::file::{RepositoryFile, Unread};
use super::openshift;
use olmdex_base::diag::Place;
use olmdex_base::file::system_words;
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::Spot;
use olmdex_text::json::{Reader, Step, Value};
use olmdex_version::Version;

/// The number of versions that an operator may have.
const MAX_VERSIONS: usize = 2_000;

/// The directory of an operator.
#[derive(Debug)]
pub struct Operator {
    /// Its name.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    pub(super) ci: Result<RepositoryFile, Unread>,
    pub(super) settings: Settings,
    /// Its versions, by the names of their directories.
    pub versions: Vec<VersionDirectory>,
}

/// The bundle directory of a version.
#[derive(Debug)]
pub struct VersionDirectory {
    /// The name of the directory.
    pub name: String,
    /// Its `ClusterServiceVersion`, or the reason why there is none.
    pub(super) csv: Result<RepositoryFile, Unread>,
    pub(super) annotations: Result<RepositoryFile, Unread>,
    pub(super) release: Result<RepositoryFile, Unread>,
    pub(super) facts: Facts,
}

/// The facts in the files of a version.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// `metadata.name` of the ClusterServiceVersion.
    pub(super) csv_name: Option<String>,
    /// The parts of it before and after the first dot, without `v`s.
    pub(super) split_name: Option<(String, String)>,
    pub(super) replaces: Option<String>,
    pub(super) skips: Vec<String>,
    pub(super) skip_range: Option<String>,
    pub(super) version: String,
    pub(super) package: String,
    pub(super) channels: Vec<String>,
    pub(super) default_channel: Option<String>,
    /// The OpenShift versions that the bundle is for.
    pub(super) openshift: Option<String>,
    pub(super) min_kubernetes: Option<String>,
    /// When the bundle was made, as its author wrote it.
    pub(super) created: Option<String>,
}

/// The reasons why a directory is not that of an operator.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RepositoryError {
    /// It cannot be listed.
    #[error("cannot read `{}`: {}", .path.display(), system_words(.error))]
    Unreadable { path: PathBuf, error: io::Error },
    /// It has no `ci.yaml` and no bundle.
    #[error("`{}` has no `ci.yaml` and no bundle directories", .0.display())]
    NotAnOperator(PathBuf),
    /// The repository has no operator with the package.
    #[error("the repository has no operator `{package}`")]
    NoOperator { package: String, meant: Option<String> },
    /// It has more versions than any operator has.
    #[error("`{}` has more than {MAX_VERSIONS} versions", .0.display())]
    TooMany(PathBuf),
}

const PREFIX: &str = "operators.operatorframework.io.bundle.";

impl Operator {
    /// Reads the directory of an operator.
    ///
    /// # Errors
    /// [`RepositoryError`] if it is not one. Errors within its files are not an error here.
    pub fn open(path: &Path) -> Result<Self, RepositoryError> {
        let unreadable = |error: io::Error| RepositoryError::Unreadable { path: path.to_owned(), error };
        let ci = RepositoryFile::read(path, "ci.yaml");
        let mut names = Vec::new();
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
            if crate::bundle::is_bundle(&path.join(&name)) {
                names.push(name);
            }
            if names.len() > MAX_VERSIONS {
                return Err(RepositoryError::TooMany(path.to_owned()));
            }
        }
        if names.is_empty() && ci == Err(Unread::Absent) {
            return Err(RepositoryError::NotAnOperator(path.to_owned()));
        }
        names.sort();
        let full = std::fs::canonicalize(path).map_err(unreadable)?;
        let name = full.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self::of_versions(name, path, ci, names))
    }

    /// An operator with these versions.
    pub(super) fn of_versions(
        name: String,
        path: &Path,
        ci: Result<RepositoryFile, Unread>,
        versions: Vec<String>,
    ) -> Self {
        let settings = ci.as_ref().map(|file| Settings::read(&file.json)).unwrap_or_default();
        let versions = versions.into_iter().map(|version| VersionDirectory::read(path, version)).collect();
        Self { name, path: path.to_owned(), ci, settings, versions }
    }

    /// Whether its catalogs are made of templates (`fbc.enabled`).
    pub fn is_of_fbc(&self) -> bool {
        self.settings.is_fbc
    }

    /// The package that its bundles name, if one does.
    pub fn package(&self) -> Option<&str> {
        self.versions.iter().map(|it| it.facts.package.as_str()).find(|it| !it.is_empty())
    }

    /// The number of the version with a number, a name of its directory, or a name of its ClusterServiceVersion.
    pub(super) fn position(&self, version: &str) -> Option<usize> {
        let bare = version.trim_start_matches('v');
        self.versions.iter().position(|it| {
            [it.name.as_str(), &it.facts.version].iter().any(|it| it.trim_start_matches('v') == bare)
                || it.facts.csv_name.as_deref() == Some(version)
        })
    }

    /// The name of a version in messages.
    pub(super) fn called(&self, version: &VersionDirectory) -> String {
        format!("{}/{}", self.name, version.name)
    }
}

impl PartialEq for RepositoryFile {
    fn eq(&self, other: &Self) -> bool {
        self.shown == other.shown && self.text == other.text
    }
}

impl VersionDirectory {
    /// The unused keys of its release configuration: their places, their names, and the keys that may be meant.
    pub fn unread_keys(&self) -> Vec<(Place, String, Option<&'static str>)> {
        let Ok(file) = &self.release else { return Vec::new() };
        let found = unread_keys(&file.json).into_iter().filter_map(|(path, meant)| {
            let Some(Step::Key(key)) = path.last().cloned() else { return None };
            Some((file.place(&Spot::Key(path)), key, meant))
        });
        found.collect()
    }

    /// The advice about its missing ClusterServiceVersion, if it has none: a file that is one may only have the wrong
    /// name.
    pub(super) fn csv_help(&self, operator: &Path) -> Option<String> {
        if self.csv != Err(Unread::Absent) {
            return None;
        }
        let relative = format!("{}/manifests", self.name);
        let is_csv = |name: &String| {
            let is_manifest = [".yaml", ".yml", ".json"].iter().any(|it| name.ends_with(it));
            let file = is_manifest.then(|| RepositoryFile::read(operator, &format!("{relative}/{name}")));
            let mut reader = Reader::new();
            let kind = file.and_then(Result::ok).and_then(|it| text(reader.read(&it.json).ok(), "kind"));
            kind.as_deref() == Some("ClusterServiceVersion")
        };
        Some(match names_in(&operator.join(&relative)).unwrap_or_default().into_iter().find(is_csv) {
            Some(name) => {
                let stem = name.split('.').next().unwrap_or_default();
                format!(
                    "`manifests/{name}` is one, but its name must end in `.clusterserviceversion.yaml`: rename it, for \
                    example to `{stem}.clusterserviceversion.yaml`"
                )
            }
            None => "add it to `manifests/` as `NAME.clusterserviceversion.yaml`".to_owned(),
        })
    }

    /// Whether the catalog of a version of OpenShift takes it.
    pub(super) fn takes(&self, minor: Minor) -> bool {
        openshift::takes(self.facts.openshift.as_deref(), minor)
    }

    /// The package that the annotations of a version name.
    pub(super) fn package_of(operator: &Path, name: &str) -> Option<String> {
        let annotations = annotations_of(operator, &format!("{name}/")).ok()?;
        Some(Facts::of(None, Some(&annotations)).package)
    }

    fn read(operator: &Path, name: String) -> Self {
        let csv = match csv_name(&operator.join(&name).join("manifests")) {
            Some(file) => RepositoryFile::read(operator, &format!("{name}/manifests/{file}")),
            None => Err(Unread::Absent),
        };
        let annotations = annotations_of(operator, &format!("{name}/"));
        let release = RepositoryFile::read(operator, &format!("{name}/release-config.yaml"));
        let facts = Facts::of(csv.as_ref().ok(), annotations.as_ref().ok());
        Self { name, csv, annotations, release, facts }
    }
}

/// The annotations of the bundle whose files begin with a prefix, below a directory.
pub(super) fn annotations_of(root: &Path, prefix: &str) -> Result<RepositoryFile, Unread> {
    let read = |ending: &str| RepositoryFile::read(root, &format!("{prefix}metadata/annotations.{ending}"));
    match read("yaml") {
        Err(Unread::Absent) => read("yml"),
        other => other,
    }
}

/// The names in a directory, sorted.
fn names_in(directory: &Path) -> Option<Vec<String>> {
    let entries = std::fs::read_dir(directory).ok()?;
    let mut names: Vec<String> =
        entries.filter_map(|it| Some(it.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.sort();
    Some(names)
}

/// The file of the ClusterServiceVersion: the first by its ending.
fn csv_name(manifests: &Path) -> Option<String> {
    let names = names_in(manifests)?;
    let ending = |ending: &str| names.iter().find(|it| it.ends_with(ending)).cloned();
    ending(".clusterserviceversion.yaml").or_else(|| ending(".clusterserviceversion.yml"))
}

impl Facts {
    fn of(csv: Option<&RepositoryFile>, annotations: Option<&RepositoryFile>) -> Self {
        let mut facts = Self::default();
        let mut reader = Reader::new();
        if let Some(Ok(value)) = csv.map(|it| reader.read(&it.json)) {
            let spec = value.get("spec");
            let metadata = value.get("metadata");
            facts.csv_name = text(metadata, "name");
            facts.split_name = facts.csv_name.as_deref().and_then(split_name);
            facts.replaces = text(spec, "replaces");
            let skips = spec.and_then(|it| it.get("skips"));
            facts.skips = skips.into_iter().flat_map(|it| it.items()).filter_map(plain).collect();
            let annotations = metadata.and_then(|it| it.get("annotations"));
            facts.skip_range = text(annotations, "olm.skipRange");
            facts.created = text(annotations, "createdAt").filter(|it| !it.is_empty());
            facts.version = text(spec, "version").unwrap_or_default();
            facts.min_kubernetes = text(spec, "minKubeVersion").filter(|it| !it.is_empty());
        }
        let mut reader = Reader::new();
        if let Some(Ok(value)) = annotations.map(|it| reader.read(&it.json)) {
            let all = value.get("annotations");
            let own = |key: &str| text(all, &format!("{PREFIX}{key}"));
            facts.package = own("package.v1").unwrap_or_default();
            let mut channels: Vec<String> =
                own("channels.v1").iter().flat_map(|it| it.split(',')).map(|it| it.trim().to_owned()).collect();
            channels.sort();
            channels.dedup();
            facts.channels = channels;
            facts.default_channel = own("channel.default.v1").map(|it| it.trim().to_owned());
            facts.openshift = text(all, "com.redhat.openshift.versions").filter(|it| !it.is_empty());
        }
        facts
    }

    /// The order of versions: by the name in the ClusterServiceVersion, then by version, or as text if one is not a
    /// version.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let (Some((name, version)), Some((other_name, other_version))) = (&self.split_name, &other.split_name) else {
            return self.split_name.is_some().cmp(&other.split_name.is_some());
        };
        let by_version = match (Version::parse(version), Version::parse(other_version)) {
            (Ok(version), Ok(other)) => version.cmp_precedence(&other),
            _ => version.cmp(other_version),
        };
        name.cmp(other_name).then(by_version)
    }
}

/// The parts before and after the first dot, without `v`s.
fn split_name(name: &str) -> Option<(String, String)> {
    let (name, version) = name.split_once('.')?;
    Some((name.to_owned(), version.trim_start_matches('v').to_owned()))
}

fn text(of: Option<Value<'_>>, key: &str) -> Option<String> {
    plain(of?.get(key)?)
}

/// A text, or the written form of a number or truth value.
pub(super) fn plain(value: Value<'_>) -> Option<String> {
    match value.as_str() {
        Some(text) => Some(text.into_owned()),
        None if value.is_null() => None,
        None => Some(value.raw().to_owned()),
    }
}

/// A path of keys.
pub(super) fn path<const N: usize>(keys: [&str; N]) -> Vec<Step> {
    keys.into_iter().map(|it| Step::Key(it.to_owned())).collect()
}
