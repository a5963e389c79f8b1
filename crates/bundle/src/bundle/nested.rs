//! Directories that hold bundles one level down: a repository with its `bundle/`, or all versions of an operator.

use std::path::{Path, PathBuf};

use super::directory::is_bundle;
use super::manifest::{begins_as_json, first_document, first_json};
use olmdex_fbc::{Input, InputFile, MANIFESTS, METADATA};
use olmdex_text::json::{Kind, Reader};

/// No manifest that decides is larger.
const MAX_HEAD: u64 = 4 << 20;

/// The bundles one level below a directory, by name, if they are the reason why it is not a catalog: objects of
/// Kubernetes have no `schema`. There are none if the catalog does not reach into them. Files of an archive have no
/// `root`.
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
        is_decided = is_decided
            || (bundles.last().is_some_and(|it| it.ends_with(directory))
                && FirstDocument::of(file) == FirstDocument::Object);
    }
    if is_decided { bundles } else { Vec::new() }
}

/// The kind of the first document of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstDocument {
    /// An object of Kubernetes: it has a `kind` and no `schema`.
    Object,
    /// A blob of a catalog, or a template: it has a `schema`.
    Blob,
    /// Neither, or larger than any that decides.
    Other,
}

impl FirstDocument {
    /// Reads the beginning of a file.
    pub fn of(file: &InputFile) -> Self {
        let Ok(text) = file.head(MAX_HEAD) else { return Self::Other };
        // A document that is cut off would be read as YAML in vain.
        let is_cut =
            text.len() as u64 >= MAX_HEAD && (begins_as_json(&text) || memchr::memmem::find(&text, b"\n---").is_none());
        let document = if is_cut { first_json(&text) } else { first_document(&text) };
        let Some((document, _)) = document else { return Self::Other };
        let mut reader = Reader::new();
        let Ok(value) = reader.read(&document) else { return Self::Other };
        let has = |key: &str| value.get_field(key).and_then(|it| it.as_str()).is_some_and(|it| !it.is_empty());
        match value.kind() == Kind::Object {
            true if has("schema") => Self::Blob,
            true if has("kind") => Self::Object,
            _ => Self::Other,
        }
    }
}
