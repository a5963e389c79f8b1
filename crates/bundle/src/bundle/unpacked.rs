//! The bundle directory of a bundle that a catalog holds: its manifests and metadata as files.
//!
//! The catalog is foreign. The names of files are made of harmless characters, and no two are the same on any file
//! system; nothing of a bundle decides about a directory.

use std::collections::{HashMap, HashSet};

use thiserror::Error;

use super::properties::annotated;
use olmdex_fbc::csv_metadata::squeeze;
use olmdex_fbc::{
    BUNDLE_OBJECT, Bundle, CSV_METADATA, MANIFESTS, METADATA, PackageFacts, for_each_placed_object, rebuilt_csv,
};
use olmdex_text::json::{Reader, Tree, Value};
use olmdex_text::yaml;

/// The files of a bundle directory.
#[derive(Debug, Default)]
pub struct UnpackedBundle {
    /// Their paths below the directory, with `/`, and their texts.
    pub files: Vec<(String, Vec<u8>)>,
    /// Whether the manifests are those of the bundle. Otherwise the catalog has only a part of the
    /// ClusterServiceVersion: without deployments, permissions and definitions.
    pub is_whole: bool,
}

/// Why a bundle has no directory.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum UnpackError {
    /// The catalog has neither manifests nor a part of a ClusterServiceVersion.
    #[error("the catalog holds no manifests of `{0}`, only its image")]
    OnlyImage(String),
    /// A manifest cannot be read.
    #[error("the manifests of `{bundle}` cannot be read: {reason}")]
    Unreadable { bundle: String, reason: String },
}

/// The channels of a bundle, as its annotations have them.
#[derive(Debug, Clone, Default)]
pub struct PublishedIn {
    /// The channels.
    pub channels: Vec<String>,
    /// The default channel of the package.
    pub default_channel: String,
}

/// The directory of a bundle.
///
/// # Errors
/// [`UnpackError`]
pub fn unpacked(bundle: &Bundle<'_>, published: &PublishedIn) -> Result<UnpackedBundle, UnpackError> {
    let unreadable = |reason: String| UnpackError::Unreadable { bundle: bundle.name.to_string(), reason };
    let mut objects = Vec::new();
    for_each_placed_object(bundle, |it| objects.push(String::from_utf8_lossy(it.json).into_owned()))
        .map_err(|defect| unreadable(defect.kind.to_string()))?;
    let is_whole = !objects.is_empty();
    if !is_whole {
        let csv = rebuilt_csv(bundle, &version(bundle), PackageFacts::default).map_err(unreadable)?;
        objects.extend(csv);
    }
    if objects.is_empty() {
        return Err(UnpackError::OnlyImage(bundle.name.to_string()));
    }
    let mut names = Names::default();
    let mut files = Vec::new();
    let mut stated = Vec::new();
    let mut reader = Reader::new();
    for object in &objects {
        let value = reader.read(object).map_err(|error| unreadable(error.to_string()))?;
        let kind = value.text_of_field("kind");
        let name = value.get_field("metadata").map(|it| it.text_of_field("name")).unwrap_or_default();
        let name = if kind == "ClusterServiceVersion" {
            let annotations = value.get_field("metadata").and_then(|it| it.get_field("annotations"));
            stated.extend(annotations.map(|it| annotated(&it.text_of_field("olm.properties"))).unwrap_or_default());
            names.of(&bundle.package, "clusterserviceversion")
        } else {
            names.of(&name, &kind.to_lowercase())
        };
        files.push((format!("{MANIFESTS}/{name}"), text(value)));
    }
    let annotations = text_of(&annotations(bundle, published));
    files.push((format!("{METADATA}/annotations.yaml"), annotations));
    let (dependencies, properties) = lists(bundle, &stated);
    for (key, list) in [("dependencies", dependencies), ("properties", properties)] {
        if !list.is_empty() {
            files.push((format!("{METADATA}/{key}.yaml"), text_of(&Tree::object().with(key, Tree::list(list)))));
        }
    }
    Ok(UnpackedBundle { files, is_whole })
}

fn version(bundle: &Bundle<'_>) -> String {
    let package = bundle.properties.iter().find(|it| it.kind == "olm.package").and_then(|it| it.value);
    package.map(|it| it.text_of_field("version")).unwrap_or_default()
}

fn annotations(bundle: &Bundle<'_>, published: &PublishedIn) -> Tree {
    const PREFIX: &str = "operators.operatorframework.io.bundle.";
    let of = |key: &str, value: &str| (format!("{PREFIX}{key}"), value.to_owned());
    let mut all = vec![
        of("mediatype.v1", "registry+v1"),
        of("manifests.v1", "manifests/"),
        of("metadata.v1", "metadata/"),
        of("package.v1", &bundle.package),
        of("channels.v1", &published.channels.join(",")),
    ];
    if published.channels.contains(&published.default_channel) {
        all.push(of("channel.default.v1", &published.default_channel));
    }
    Tree::object().with("annotations", Tree::of_texts(all))
}

/// The dependencies and properties that no manifest states.
fn lists(bundle: &Bundle<'_>, stated: &[(String, String)]) -> (Vec<Tree>, Vec<Tree>) {
    const OF_MANIFESTS: [&str; 5] = ["olm.package", "olm.gvk", "olm.gvk.required", BUNDLE_OBJECT, CSV_METADATA];
    let (mut dependencies, mut properties) = (Vec::new(), Vec::new());
    for property in &bundle.properties {
        let raw = property.value.map(|it| it.raw().to_owned()).unwrap_or_default();
        let known = (property.kind.to_string(), squeeze(&raw));
        if OF_MANIFESTS.contains(&&*property.kind) || stated.contains(&known) {
            continue;
        }
        let item = |kind: &str, value: Tree| Tree::of_texts([("type", kind)]).with("value", value);
        let value = || property.value.map_or_else(Tree::object, Tree::normal_of);
        match (&*property.kind, property.value) {
            ("olm.package.required", Some(required)) => {
                let range = required.text_of_field("versionRange");
                let package = required.text_of_field("packageName");
                let package = Tree::of_texts([("packageName", package), ("version", range)]);
                dependencies.push(item("olm.package", package));
            }
            ("olm.constraint", _) => dependencies.push(item("olm.constraint", value())),
            (kind, _) => properties.push(item(kind, value())),
        }
    }
    (dependencies, properties)
}

/// A document as YAML. JSON is YAML, too, and has a way to write each character.
fn text(value: Value<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    match yaml::write(value, &mut text) {
        Ok(()) => text,
        Err(_) => value.raw().as_bytes().to_vec(),
    }
}

fn text_of(tree: &Tree) -> Vec<u8> {
    let json = tree.compact();
    let mut reader = Reader::new();
    reader.read(&json).map_or_else(|_| json.as_bytes().to_vec(), text)
}

/// A text of a catalog as a name that means nothing to a file system: neither hidden nor a way out of a directory.
pub fn harmless(text: &str) -> String {
    const MAX: usize = 100;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let text: String = text.chars().map(|c| if is_plain(c) { c } else { '-' }).take(MAX).collect();
    match text.trim_start_matches(['.', '-']) {
        "" => "unnamed".to_owned(),
        text => text.to_owned(),
    }
}

/// The names of files so far.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// The number that the next object of a name gets.
    next: HashMap<String, usize>,
}

impl Names {
    /// A new name `NAME.KIND.yaml`, without characters that mean something to a file system.
    fn of(&mut self, name: &str, kind: &str) -> String {
        let stem = format!("{}.{}", harmless(name), harmless(kind));
        let number = self.next.entry(stem.to_lowercase()).or_default();
        loop {
            *number += 1;
            let name = if *number == 1 { format!("{stem}.yaml") } else { format!("{number}-{stem}.yaml") };
            // A name that differs in its letter case alone is the same to some file systems.
            if self.taken.insert(name.to_lowercase()) {
                return name;
            }
        }
    }
}
