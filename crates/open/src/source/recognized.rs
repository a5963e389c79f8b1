//! The kind of a checkable path, recognized by its content.

use std::io;
use std::path::{Path, PathBuf};

use olmdex_bundle::bundle::{FirstDocument, is_bundle, nested_bundles};
use olmdex_bundle::community::{directories, is_settings};
use olmdex_fbc::{Input, InputFile};
use olmdex_legacy as legacy;
use olmdex_text::json::{Expansion, Reader, Value};
use olmdex_text::yaml;
use olmdex_version::Version;

use super::STDIN;
use crate::oci::{Layout, SkopeoDirectory};
use crate::template::template_text;

/// The kinds of paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recognized {
    /// A catalog, or anything else that [`super::Opener::open`] reads as one: an image, an archive, an index.
    Catalog,
    /// Templates of catalogs, and nothing else.
    Templates,
    /// Bundle directories: the path itself, or those one level below it.
    Bundles(Vec<PathBuf>),
    /// A repository of operators, or the directory of one of them.
    Repository,
    /// A legacy SQLite catalog.
    Legacy,
    /// The settings of an operator that is published elsewhere: `ci.yaml`, or a release configuration.
    Settings,
    /// Objects of Kubernetes: of a cluster, a must-gather, CustomResourceDefinitions.
    Manifests,
    /// Configurations of oc-mirror, and nothing else.
    ImageSets,
}

impl Recognized {
    /// Recognizes the content of a path.
    ///
    /// # Errors
    /// If the path cannot be read.
    pub fn at(path: &Path) -> io::Result<Self> {
        // Names of images are not names of files.
        let is_named = path.as_os_str() == STDIN || super::local_path(path).is_none_or(|it| it != path);
        if is_named {
            return Ok(Self::Catalog);
        }
        let metadata = std::fs::metadata(path)?;
        if metadata.is_dir() {
            return Self::of_directory(path);
        }
        if !metadata.is_file() {
            return Ok(Self::Catalog);
        }
        if legacy::is_legacy(path) {
            return Ok(Self::Legacy);
        }
        if is_settings(path) {
            return Ok(Self::Settings);
        }
        Ok(Self::of_files(&Input::file(path)))
    }

    /// The kind of a directory that its own layout tells.
    pub fn of_layout(path: &Path) -> Option<Self> {
        if is_bundle(path) {
            return Some(Self::Bundles(vec![path.to_owned()]));
        }
        if Layout::is_in(path) || SkopeoDirectory::is_in(path) {
            return Some(Self::Catalog);
        }
        let below = if path.ends_with("operators") { path.to_owned() } else { path.join("operators") };
        if is_operator(path) || directories(&below).iter().any(|(_, it)| is_operator(it)) {
            return Some(Self::Repository);
        }
        // Most of a must-gather are logs.
        let is_gathered =
            |it: &Path| ["namespaces", "cluster-scoped-resources"].iter().any(|name| it.join(name).is_dir());
        if is_gathered(path) || directories(path).iter().any(|(_, it)| is_gathered(it)) {
            return Some(Self::Manifests);
        }
        None
    }

    fn of_directory(path: &Path) -> io::Result<Self> {
        if let Some(found) = Self::of_layout(path) {
            return Ok(found);
        }
        let input = Input::directory(path)?;
        let bundles = nested_bundles(Some(path), &input);
        if !bundles.is_empty() {
            return Ok(Self::Bundles(bundles.iter().map(|it| path.join(it)).collect()));
        }
        Ok(Self::of_files(&input))
    }

    /// The kind of files: one with a blob makes a catalog of all; without any, the kind is that of the others.
    pub fn of_files(input: &Input) -> Self {
        let (mut n_objects, mut n_templates, mut n_image_sets) = (0, 0, 0);
        for file in &input.files {
            match FirstDocument::of(file) {
                FirstDocument::Object | FirstDocument::Other if is_image_set(file) => n_image_sets += 1,
                FirstDocument::Object => n_objects += 1,
                _ if template_text(file).is_some() => n_templates += 1,
                FirstDocument::Blob => return Self::Catalog,
                FirstDocument::Other => {}
            }
        }
        match (n_objects, n_templates, n_image_sets) {
            (0, 1.., 0) => Self::Templates,
            (1.., 0, _) => Self::Manifests,
            (0, 0, 1..) => Self::ImageSets,
            _ => Self::Catalog,
        }
    }
}

/// Whether a file is a configuration of oc-mirror, even one that oc-mirror would refuse.
pub fn is_image_set(file: &InputFile) -> bool {
    file.head(MAX_HEAD).is_ok_and(|head| names_image_set(&String::from_utf8_lossy(&head)))
}

/// How much of a file is searched for its kind: no manifest that decides is larger.
const MAX_HEAD: u64 = 4 << 20;

/// Whether the first document of a text says that it is a configuration of oc-mirror.
pub fn names_image_set(text: &str) -> bool {
    const KINDS: [&str; 2] = ["ImageSetConfiguration", "DeleteImageSetConfiguration"];
    let text = text.trim_start_matches('\u{feff}');
    if !text.contains(KINDS[0]) {
        return false;
    }
    let is_kind = |kind: &str| KINDS.contains(&kind);
    match first_kind(text) {
        Some(kind) => is_kind(&kind),
        None => written_kinds(text).any(|kind| is_kind(&kind)),
    }
}

/// The kind of the first document that is not empty; `None` if it cannot be read.
fn first_kind(text: &str) -> Option<String> {
    let mut reader = Reader::new();
    let kind =
        |value: Value<'_>| value.get_field("kind").and_then(|kind| kind.as_str()).unwrap_or_default().into_owned();
    let start = text.len() - text.trim_start().len();
    if text[start..].starts_with('{')
        && let Ok((value, _)) = reader.read_at(text, start)
    {
        return Some(kind(value));
    }
    for chunk in yaml::split(text.as_bytes(), 1) {
        let mut converted = Vec::new();
        yaml::to_json_within(&chunk.ok()?.text, &mut converted, &Expansion::default()).ok()?;
        let converted = String::from_utf8(converted).ok()?;
        let value = reader.read(&converted).ok()?;
        if !value.is_null() {
            return Some(kind(value));
        }
    }
    None
}

/// The values of the keys `kind` at the top of the first document, as far as its lines show them: the faults in it are
/// found later.
fn written_kinds(text: &str) -> impl Iterator<Item = String> {
    let is_flow = text.trim_start().starts_with('{');
    let is_content = |line: &&str| !line.trim().is_empty() && !line.starts_with('#') && !line.starts_with('%');
    let lines = text.lines().filter(is_content);
    let first = lines.skip_while(|line| line.starts_with("---")).take_while(|line| !line.starts_with("---"));
    // A mapping in braces may have all its keys on one line.
    let parts = first.flat_map(move |line| line.split(move |letter| is_flow && matches!(letter, '{' | ',' | '}')));
    let value = move |part: &str| {
        let part = if is_flow { part.trim_start() } else { part };
        let rest = part.trim_start_matches('"').strip_prefix("kind")?.trim_start_matches('"').trim_start();
        let value = rest.strip_prefix(':')?.split(" #").next().unwrap_or_default();
        Some(value.trim().trim_matches(['"', '\'']).to_owned())
    };
    parts.filter_map(value)
}

/// Whether a directory has the bundles of an operator, by their versions, or its settings. A project may keep `ci.yaml`
/// beside its `bundle/`, the name that `operator-sdk` gives; a version of that name is in a repository of operators.
fn is_operator(directory: &Path) -> bool {
    let mut bundles = directories(directory);
    bundles.retain(|(_, path)| is_bundle(path));
    let is_version = |(name, _): &(String, PathBuf)| Version::parse(name).is_ok();
    let is_in_repository =
        || directory.canonicalize().is_ok_and(|path| path.parent().is_some_and(|it| it.ends_with("operators")));
    let is_named = |(name, _): &(String, PathBuf)| name != "bundle" || is_in_repository();
    bundles.iter().any(is_version) || (bundles.iter().any(is_named) && directory.join("ci.yaml").is_file())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Recognized;
    use olmdex_fbc::Input;

    #[test]
    fn what_is_there_is_told_apart_by_its_content() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let at = |path: &str| Recognized::at(&root.join(path)).unwrap();
        for path in ["shop/in", "help/my-catalog/keda.yaml", "five-mistakes/in", "help/my-layout", "help/message.txt"] {
            assert_eq!(at(path), Recognized::Catalog, "{path}");
        }
        for path in ["help/operators", "help/operators/shop", "help"] {
            assert_eq!(at(path), Recognized::Repository, "{path}");
        }
        for path in ["help/must-gather", "help/new", "help/new/crd.yaml", "clusters", "definitions/unfit"] {
            assert_eq!(at(path), Recognized::Manifests, "{path}");
        }
        assert_eq!(at("help/shop-template.yaml"), Recognized::Templates);
        assert_eq!(at("help/imageset.yaml"), Recognized::ImageSets);
        let bundle = root.join("help/my-bundle");
        assert_eq!(at("help/my-bundle"), Recognized::Bundles(vec![bundle]));
        let version = "help/operators/shop/1.0.0";
        assert_eq!(at(version), Recognized::Bundles(vec![root.join(version)]));
        // Standard input and names of images are no paths.
        for name in ["-", "docker://quay.io/a/b", "oci:nowhere"] {
            assert_eq!(Recognized::at(Path::new(name)).unwrap(), Recognized::Catalog, "{name}");
        }
        assert!(Recognized::at(&root.join("nowhere")).is_err());
    }

    #[test]
    fn the_first_document_tells_a_configuration_of_oc_mirror() {
        for (text, is_one) in [
            ("kind: ImageSetConfiguration\n", true),
            ("\u{feff}# a comment\n---\nmirror:\nkind: 'DeleteImageSetConfiguration' # what goes\r\n", true),
            (r#"{"mirror": {}, "kind": "ImageSetConfiguration"}"#, true),
            ("kind: ImageSetConfiguration\nmirror: [\n", true),
            ("kind: ConfigMap\n---\nkind: ImageSetConfiguration\n", false),
            ("spec:\n  kind: ImageSetConfiguration\n", false),
            ("kind: ImageSetConfigurationList\n", false),
            (r#"{"items": [{"kind": "ImageSetConfiguration"}]}"#, false),
            ("{apiVersion: mirror.openshift.io/v2alpha1, kind: ImageSetConfiguration, mirror: {}}\n", true),
            ("---\n{kind: 'DeleteImageSetConfiguration',\n mirror: {}}\n", true),
            ("{apiVersion: mirror.openshift.io/v2alpha1, kind: ImageSetConfiguration, mirror: [\n", true),
            ("{\n  \"kind\": \"ImageSetConfiguration\",\n  \"mirror\": {\n", true),
            ("\"kind\": ImageSetConfiguration\nmirror: {}\n", true),
            ("spec: {kind: ImageSetConfiguration}\n", false),
            ("{kind: ConfigMap, data: 'ImageSetConfiguration'}\n", false),
        ] {
            assert_eq!(super::names_image_set(text), is_one, "{text}");
        }
        let mut text = "# a comment\n".repeat(10_000);
        text.push_str("kind: ImageSetConfiguration\n");
        let file = Input::bytes("set.yaml", text.into_bytes().into());
        assert!(super::is_image_set(&file.files[0]));
    }

    #[test]
    fn the_bundle_below_a_project_is_meant() {
        let directory = tempfile::tempdir().unwrap();
        let bundle = directory.path().join("bundle");
        for (name, text) in [
            ("manifests/csv.yaml", "kind: ClusterServiceVersion\n"),
            ("metadata/annotations.yaml", "annotations: {}\n"),
        ] {
            std::fs::create_dir_all(bundle.join(name).parent().unwrap()).unwrap();
            std::fs::write(bundle.join(name), text).unwrap();
        }
        std::fs::write(directory.path().join("PROJECT"), "layout: go\n").unwrap();
        assert_eq!(Recognized::at(directory.path()).unwrap(), Recognized::Bundles(vec![bundle.clone()]));
        // A project may be published by a repository of operators, whose settings it keeps.
        let settings = directory.path().join("ci.yaml");
        std::fs::write(&settings, "updateGraph: semver-mode\n").unwrap();
        assert_eq!(Recognized::at(directory.path()).unwrap(), Recognized::Bundles(vec![bundle]));
        assert_eq!(Recognized::at(&settings).unwrap(), Recognized::Settings);
        let operator = directory.path().join("operators/shop");
        std::fs::create_dir_all(operator.join("bundle/manifests")).unwrap();
        std::fs::create_dir_all(operator.join("bundle/metadata")).unwrap();
        std::fs::copy(&settings, operator.join("ci.yaml")).unwrap();
        assert_eq!(Recognized::at(&operator).unwrap(), Recognized::Repository);
    }
}
