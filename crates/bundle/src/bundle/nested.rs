//! Directories that hold bundles one level down: a repository with its `bundle/`, or all versions of an operator.

use std::path::{Path, PathBuf};

use super::directory::is_bundle;
use super::manifest::first_document;
use olmdex_fbc::{Input, InputFile, MANIFESTS, METADATA};
use olmdex_text::json::{Kind, Reader};

/// No manifest that decides is larger.
const MAX_HEAD: u64 = 4 << 20;

/// The bundles one level below a directory, by name, if they are the reason why it is not a catalog: objects of
/// Kubernetes have no `schema`. There are none if the catalog does not reach into them. Files of an archive have no
/// `root`.
#[must_use]
pub fn nested_bundles(root: Option<&Path>, catalog: &Input) -> Vec<PathBuf> {
    let has_metadata = |directory: &str| {
        let metadata = format!("{directory}/{METADATA}/");
        catalog.files.iter().any(|it| it.relative().starts_with(&metadata))
    };
    let mut bundles: Vec<PathBuf> = Vec::new();
    let mut is_decided = false;
    let mut last = "";
    for file in &catalog.files {
        let mut names = file.relative().splitn(3, '/');
        let (Some(directory), Some(MANIFESTS), Some(_)) = (names.next(), names.next(), names.next()) else { continue };
        let is_new = directory != last;
        last = directory;
        if is_new && root.map_or_else(|| has_metadata(directory), |root| is_bundle(&root.join(directory))) {
            bundles.push(PathBuf::from(directory));
        }
        // One such document makes the catalog invalid.
        is_decided = is_decided || (bundles.last().is_some_and(|it| it.ends_with(directory)) && is_object(file));
    }
    if is_decided { bundles } else { Vec::new() }
}

/// Whether a file is an object of Kubernetes and no blob.
#[must_use]
pub fn is_object(file: &InputFile) -> bool {
    fields(file) == Some((true, false))
}

/// Whether a file is a blob of a catalog, or a template: its first document has a `schema`.
#[must_use]
pub fn is_blob(file: &InputFile) -> bool {
    matches!(fields(file), Some((_, true)))
}

/// Whether the first document of a file has a `kind` and a `schema`; `None` if it is not an object.
fn fields(file: &InputFile) -> Option<(bool, bool)> {
    let text = file.head(MAX_HEAD).ok()?;
    let (document, _) = first_document(&text)?;
    let mut reader = Reader::new();
    let value = reader.read(&document).ok()?;
    let has = |key: &str| value.get_field(key).and_then(|it| it.as_str()).is_some_and(|it| !it.is_empty());
    (value.kind() == Kind::Object).then(|| (has("kind"), has("schema")))
}
