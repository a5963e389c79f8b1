//! Making images and artifacts: the same content gives the same bytes (`docs/behaviour/serving.md` A.1, A.5).

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::digest::Digest;
use super::document::{Descriptor, Document, Manifest, PlatformOf};
use super::error::OciError;
use super::image::{CONFIGS, DATABASE, ImageOptions, config_text, read, read_listed};
use super::layers::{OPAQUE, WHITEOUT, apply};
use super::store::{ImageSelector, Store, read_again_if_damaged};
use super::verified::{Hashed, Verified};
use olmdex_base::archive::{ArchiveWriter, Decompressed, Limits, PathTarget, Spool, Tree};
use olmdex_base::file::{NewDirectory, Text};

/// The media types of the documents that are made.
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
const EMPTY: &str = "application/vnd.oci.empty.v1+json";
const SQLITE: &str = "application/vnd.sqlite";
/// The media type of a configuration without a type of artifact.
const UNKNOWN_CONFIG: &str = "application/vnd.unknown.config.v1+json";

/// The content that an image serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payload {
    /// The files of a catalog.
    Catalog,
    /// A legacy database, in the file `index.db`.
    Database,
}

impl Payload {
    /// The label that names it, with its path.
    fn label(self) -> (&'static str, &'static str) {
        match self {
            Self::Catalog => (CONFIGS, "/configs"),
            Self::Database => (DATABASE, "/database/index.db"),
        }
    }

    /// The directory that it is in.
    fn directory(self) -> &'static str {
        match self {
            Self::Catalog => "configs",
            Self::Database => "database",
        }
    }

    /// The arguments with which a program serves it. With `--cache-dir` opm insists on a cache of these files, which
    /// only opm can make.
    fn arguments(self, program: &str) -> &'static [&'static str] {
        match (self, is_opm(program)) {
            (Self::Catalog, true) => &["serve", "/configs"],
            (Self::Catalog, false) => &["serve", "/configs", "--as-opm"],
            (Self::Database, true) => &["registry", "serve", "--database", "/database/index.db"],
            (Self::Database, false) => &["serve", "/database/index.db", "--as-opm"],
        }
    }
}

fn is_opm(program: &str) -> bool {
    program.rsplit('/').next() == Some("opm")
}

/// The usual places of the programs that serve catalogs.
const PROGRAMS: [&str; 4] = ["/bin/opm", "/usr/bin/opm", "/usr/bin/olmdex", "/bin/olmdex"];

/// The directory of the cache in images of catalogs (`docs/behaviour/serving.md` A.1).
const CACHE: &str = "/tmp/cache";

/// Notes on a layer and on a manifest.
const TITLE: &str = "org.opencontainers.image.title";
const CREATED: &str = "org.opencontainers.image.created";

/// A document of an image, with its descriptor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// The reference to it.
    pub descriptor: Descriptor,
    /// Its text.
    pub text: Vec<u8>,
}

/// An image that is made, in memory but for its layers.
#[derive(Debug)]
pub struct PackedImage {
    /// The document that gets the tag.
    pub root: Packed,
    /// The manifests that the root names, if it is an index.
    pub manifests: Vec<Packed>,
    /// Configurations and layers.
    pub blobs: Vec<(Descriptor, Text)>,
    /// The command line that serves the catalog in the image, if something there can.
    pub server: Option<Vec<String>>,
}

/// Layers in memory, or in temporary files.
struct HeldLayers<'l>(&'l [(Descriptor, Text)]);

impl Store for HeldLayers<'_> {
    fn root(&self, _: &ImageSelector) -> Result<Descriptor, OciError> {
        Err(OciError::Missing("the manifest".to_owned()))
    }

    fn blob(&self, wanted: &Descriptor) -> Result<Box<dyn Read + Send>, OciError> {
        match self.0.iter().find(|(descriptor, _)| descriptor.digest == wanted.digest) {
            Some((_, text)) => Ok(Box::new(text.reader())),
            None => Err(OciError::Missing(wanted.digest.to_string())),
        }
    }
}

/// The first image, if it has several platforms: their catalogs are equal.
impl Store for PackedImage {
    fn root(&self, _: &ImageSelector) -> Result<Descriptor, OciError> {
        Ok(self.manifests.first().unwrap_or(&self.root).descriptor.clone())
    }

    fn blob(&self, wanted: &Descriptor) -> Result<Box<dyn Read + Send>, OciError> {
        match self.manifests.iter().chain([&self.root]).find(|it| it.descriptor.digest == wanted.digest) {
            Some(document) => Ok(Box::new(io::Cursor::new(document.text.clone()))),
            None => HeldLayers(&self.blobs).blob(wanted),
        }
    }
}

/// The settings for making an artifact.
#[derive(Debug, Clone, Default)]
pub struct ArtifactOptions {
    /// The name of the file, without directories.
    pub title: String,
    /// Notes on it.
    pub annotations: BTreeMap<String, String>,
    /// The time at which it was made, as RFC 3339; left out if absent.
    pub created: Option<String>,
    /// The manifest that it belongs to.
    pub subject: Option<Descriptor>,
    /// Whether the manifest is one of version 1.0 of the specification, which knows no artifacts.
    pub is_version_1_0: bool,
}

/// A database as an artifact.
///
/// # Errors
/// If the file cannot be read.
pub fn database(text: &Text, options: &ArtifactOptions) -> Result<PackedImage, OciError> {
    let mut layer = Descriptor::new(SQLITE, digest_of(&mut text.reader())?, text.len());
    layer.annotations.insert(TITLE.to_owned(), options.title.clone());
    let empty = b"{}";
    let config_type = if options.is_version_1_0 { UNKNOWN_CONFIG } else { EMPTY };
    let config = Descriptor::new(config_type, Digest::of(empty), empty.len() as u64);
    let mut annotations = options.annotations.clone();
    annotations.extend(options.created.clone().map(|it| (CREATED.to_owned(), it)));
    let mut manifest = Map::new();
    manifest.insert("schemaVersion".to_owned(), json!(2));
    manifest.insert("mediaType".to_owned(), json!(MANIFEST));
    if !options.is_version_1_0 {
        manifest.insert("artifactType".to_owned(), json!(SQLITE));
    }
    let mut described = json!(config);
    described["data"] = json!("e30=");
    manifest.insert("config".to_owned(), if options.is_version_1_0 { json!(config) } else { described });
    manifest.insert("layers".to_owned(), json!([layer]));
    if let Some(subject) = &options.subject {
        manifest.insert("subject".to_owned(), json!(subject));
    }
    if !annotations.is_empty() {
        manifest.insert("annotations".to_owned(), json!(annotations));
    }
    Ok(PackedImage {
        root: packed(MANIFEST, &manifest)?,
        manifests: Vec::new(),
        blobs: vec![(config, Text::Bytes(empty.as_slice().into())), (layer, text.clone())],
        server: None,
    })
}

/// A layer.
#[derive(Debug)]
pub struct PackedLayer {
    descriptor: Descriptor,
    diff_id: Digest,
    text: Text,
    payload: Payload,
}

/// A layer that is made, file by file.
#[derive(Debug)]
pub struct LayerWriter {
    archive: ArchiveWriter,
    payload: Payload,
    /// The file whose pieces are still added.
    open: Option<(PathBuf, Vec<u8>)>,
}

impl LayerWriter {
    /// Begins one above these images, in a temporary file in `scratch`. Their catalogs and caches are hidden.
    ///
    /// # Errors
    /// An error of the system.
    pub fn begin(scratch: &Path, bases: &[Base], payload: Payload) -> io::Result<Self> {
        let mut archive = ArchiveWriter::begin(scratch)?;
        archive.directory(payload.directory(), 0o755)?;
        let caches: BTreeSet<&str> = bases.iter().filter_map(|base| base.cache.as_deref()).collect();
        for (cache, at) in caches.iter().flat_map(|cache| cache.match_indices('/').map(move |(at, _)| (cache, at))) {
            // An entry replaces the permissions that a directory has below, and everybody writes to this one.
            let is_for_all = cache[..at].rsplit('/').next() == Some("tmp");
            archive.directory(&cache[..at], if is_for_all { 0o1777 } else { 0o755 })?;
        }
        let hidden = (!bases.is_empty()).then_some((payload.directory(), 0o755)).into_iter();
        for (directory, mode) in hidden.chain(caches.into_iter().map(|cache| (cache, 0o777))) {
            archive.directory(directory, mode)?;
            archive.file(&format!("{directory}/{OPAQUE}"), 0, &mut io::empty())?;
        }
        Ok(Self { archive, payload, open: None })
    }

    /// Adds a file, by its path below the directory.
    ///
    /// # Errors
    /// An error of the system, or for a name that readers of layers take for a whiteout.
    pub fn add(&mut self, path: &str, len: u64, text: &mut dyn Read) -> io::Result<()> {
        if path.split('/').any(|name| name.as_bytes().starts_with(WHITEOUT)) {
            let message =
                format!("an image cannot have the file `{}`: its name takes others away", path.escape_debug());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        self.archive.file(&format!("{}/{path}", self.payload.directory()), len, text)
    }

    /// Adds a piece of a file of the catalog. The pieces of a file follow each other.
    ///
    /// # Errors
    /// An error of the system.
    pub fn add_piece(&mut self, path: &Path, text: &[u8]) -> io::Result<()> {
        match &mut self.open {
            Some((open, whole)) if open == path => whole.extend_from_slice(text),
            _ => {
                self.end_file()?;
                self.open = Some((path.to_owned(), text.to_vec()));
            }
        }
        Ok(())
    }

    fn end_file(&mut self) -> io::Result<()> {
        let Some((path, text)) = self.open.take() else { return Ok(()) };
        self.add(&path.to_string_lossy(), text.len() as u64, &mut &*text)
    }

    /// Ends it.
    ///
    /// # Errors
    /// An error of the system.
    pub fn finish(mut self) -> Result<PackedLayer, OciError> {
        self.end_file()?;
        let text = self.archive.finish()?;
        let digest = digest_of(&mut text.reader())?;
        let diff_id = digest_of(&mut Decompressed::new(text.reader(), Limits::NONE)?)?;
        Ok(PackedLayer { descriptor: Descriptor::new(LAYER, digest, text.len()), diff_id, text, payload: self.payload })
    }
}

/// An image that others are made from, with its layers' bytes.
#[derive(Debug)]
pub struct Base {
    /// The platform that it runs on, if it is one of several.
    pub platform: Option<PlatformOf>,
    /// Its configuration.
    pub config: Value,
    /// Its layers, the lowest first.
    pub layers: Vec<(Descriptor, Text)>,
    /// Its program that can serve a catalog, if it has one.
    program: Option<String>,
    /// The directory with the cache of its own catalog, without a slash in front.
    cache: Option<String>,
}

impl Base {
    /// The images that a name stands for, each with the bytes of its layers.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read(store: &dyn Store, wanted: &ImageSelector, options: &ImageOptions) -> Result<Vec<Self>, OciError> {
        let root = store.root(wanted)?;
        let mut bases = Vec::new();
        match read(store, &root)? {
            Document::Manifest(manifest) => bases.push(Self::of(store, None, &manifest, options)?),
            Document::Index(index) => {
                // An entry for no platform is not an image but an attestation.
                let is_image = |it: &&Descriptor| it.platform.as_ref().is_some_and(|it| it.os != "unknown");
                for descriptor in index.manifests.iter().filter(is_image) {
                    let manifest = read_listed(store, descriptor)?;
                    bases.push(Self::of(store, descriptor.platform.clone(), &manifest, options)?);
                }
            }
        }
        Ok(bases)
    }

    fn of(
        store: &dyn Store,
        platform: Option<PlatformOf>,
        manifest: &Manifest,
        options: &ImageOptions,
    ) -> Result<Self, OciError> {
        let text = config_text(store, manifest)?;
        let config: Value = serde_json::from_slice(&text)
            .map_err(|error| OciError::undecodable("configuration of the image", &error))?;
        let mut layers = Vec::with_capacity(manifest.layers.len());
        for descriptor in &manifest.layers {
            let text = read_again_if_damaged(store, descriptor, || {
                let mut verified = Verified::new(store.blob(descriptor)?, descriptor.digest.clone(), descriptor.size);
                let text = Spool::new(&options.scratch).keep_in_file(&mut verified)?;
                verified.finish()?;
                Ok(text)
            })?;
            layers.push((descriptor.clone(), text));
        }
        let (tree, _) = apply(&HeldLayers(&layers), &manifest.layers, &[], &[], options)?;
        let container = &config["config"];
        let program = program(container, &tree);
        // A cache above the program is none.
        let is_above = |cache: &String| {
            program.as_ref().is_some_and(|program| program.trim_start_matches('/').starts_with(cache.as_str()))
        };
        let cache = cache(container, &tree).filter(|cache| !is_above(cache));
        Ok(Self { platform, config, layers, program, cache })
    }

    /// The command line with which it serves something, if it can.
    fn server(&self, payload: Payload) -> Option<Vec<String>> {
        let program = self.program.as_deref()?;
        Some([program].iter().chain(payload.arguments(program)).map(|&word| word.to_owned()).collect())
    }
}

/// The program with which an image can serve a catalog: its own, or one at a usual place.
fn program(container: &Value, tree: &Tree) -> Option<String> {
    let own = container["Entrypoint"][0].as_str();
    let can_serve = |program: &&str| is_opm(program) || program.rsplit('/').next() == Some("olmdex");
    let is_file =
        |program: &&str| matches!(tree.find(program.as_bytes()), Ok(PathTarget::File(_) | PathTarget::Left(_)));
    own.into_iter().chain(PROGRAMS).filter(can_serve).find(is_file).map(str::to_owned)
}

/// The directory that an image keeps the cache of its catalog in.
fn cache(container: &Value, tree: &Tree) -> Option<String> {
    const OPTION: &str = "--cache-dir";
    let words = ["Entrypoint", "Cmd"].iter().filter_map(|it| container[*it].as_array()).flatten();
    let words: Vec<&str> = words.filter_map(Value::as_str).collect();
    let at = words.iter().position(|word| word.starts_with(OPTION));
    let named = at.and_then(|at| match words[at].strip_prefix(OPTION)? {
        "" => words.get(at + 1).copied(),
        rest => rest.strip_prefix('='),
    });
    match tree.find(named.unwrap_or(CACHE).as_bytes()) {
        Ok(PathTarget::Directory(path)) => String::from_utf8(path).ok().filter(|path| !path.is_empty()),
        _ => None,
    }
}

/// A catalog, or a legacy database, as an image for each platform, from nothing or on top of other images.
///
/// # Errors
/// [`OciError::Document`] if the configuration of a base is not one.
pub fn catalog(
    layer: &PackedLayer,
    platforms: &[PlatformOf],
    bases: Vec<Base>,
    labels: &BTreeMap<String, String>,
    created: Option<&str>,
) -> Result<PackedImage, OciError> {
    let from_nothing = |platform: &PlatformOf| {
        let mut config = json!({"architecture": platform.architecture, "os": platform.os});
        if !platform.variant.is_empty() {
            config["variant"] = json!(platform.variant);
        }
        Base { platform: Some(platform.clone()), config, layers: Vec::new(), program: None, cache: None }
    };
    let bases = if bases.is_empty() { platforms.iter().map(from_nothing).collect() } else { bases };
    let mut blobs: Vec<(Descriptor, Text)> = Vec::new();
    let mut manifests = Vec::new();
    let can_serve = bases.iter().all(|base| base.program.is_some());
    let server = bases.first().filter(|_| can_serve).and_then(|base| base.server(layer.payload));
    for base in bases {
        let config = config(&base, layer, labels, created)?;
        let mut layers: Vec<Descriptor> = base.layers.iter().map(|it| it.0.clone()).collect();
        layers.push(layer.descriptor.clone());
        let mut manifest = Map::new();
        manifest.insert("schemaVersion".to_owned(), json!(2));
        manifest.insert("mediaType".to_owned(), json!(MANIFEST));
        manifest.insert("config".to_owned(), json!(config.descriptor));
        manifest.insert("layers".to_owned(), json!(layers));
        let mut manifest = packed(MANIFEST, &manifest)?;
        manifest.descriptor.platform = base.platform;
        blobs.push((config.descriptor, Text::Bytes(config.text.into())));
        blobs.extend(base.layers);
        manifests.push(manifest);
    }
    blobs.push((layer.descriptor.clone(), layer.text.clone()));
    blobs.sort_by(|a, b| a.0.digest.cmp(&b.0.digest));
    blobs.dedup_by(|a, b| a.0.digest == b.0.digest);
    let root = match manifests.as_slice() {
        [_] => {
            let mut root = manifests.remove(0);
            root.descriptor.platform = None;
            root
        }
        several => {
            let described: Vec<&Descriptor> = several.iter().map(|it| &it.descriptor).collect();
            packed(INDEX, &json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": described}))?
        }
    };
    Ok(PackedImage { root, manifests, blobs, server })
}

/// The configuration of an image: that of its base, with one more layer, other labels, and the command that serves the
/// catalog.
fn config(
    base: &Base,
    layer: &PackedLayer,
    labels: &BTreeMap<String, String>,
    created: Option<&str>,
) -> Result<Packed, OciError> {
    let wrong = || OciError::document("configuration of the base", "is not that of an image");
    let mut config = base.config.clone();
    let object = config.as_object_mut().ok_or_else(wrong)?;
    match created {
        Some(created) => object.insert("created".to_owned(), json!(created)),
        None => object.remove("created"),
    };
    let container = object.entry("config").or_insert_with(|| json!({}));
    if container.is_null() {
        *container = json!({});
    }
    let container = container.as_object_mut().ok_or_else(wrong)?;
    if let Some([program, arguments @ ..]) = base.server(layer.payload).as_deref() {
        container.insert("Entrypoint".to_owned(), json!([program]));
        container.insert("Cmd".to_owned(), json!(arguments));
    }
    let all = container.entry("Labels").or_insert_with(|| json!({}));
    if all.is_null() {
        *all = json!({});
    }
    let all = all.as_object_mut().ok_or_else(wrong)?;
    // With both labels, opm would serve the database.
    all.remove(DATABASE);
    all.remove(CONFIGS);
    let (label, path) = layer.payload.label();
    all.insert(label.to_owned(), json!(path));
    all.extend(labels.iter().map(|(key, value)| (key.clone(), json!(value))));
    let rootfs = object.entry("rootfs").or_insert_with(|| json!({"type": "layers", "diff_ids": []}));
    let diff_ids = rootfs.get_mut("diff_ids").and_then(Value::as_array_mut).ok_or_else(wrong)?;
    diff_ids.push(json!(layer.diff_id));
    let history = object.entry("history").or_insert_with(|| json!([]));
    let mut step = json!({"created_by": "olmdex push"});
    if let Some(created) = created {
        step["created"] = json!(created);
    }
    history.as_array_mut().ok_or_else(wrong)?.push(step);
    packed(CONFIG, &config)
}

/// Writes an image as a layout with a tag.
///
/// # Errors
/// If it cannot be read or written.
pub fn write_layout(image: &PackedImage, tag: &str, directory: &mut NewDirectory) -> Result<(), OciError> {
    let failed = |error: olmdex_base::file::FileError| OciError::Io(io::Error::other(error));
    let path = |it: &Descriptor| Path::new("blobs").join(it.digest.algorithm()).join(it.digest.hex());
    directory.write(Path::new("oci-layout"), b"{\"imageLayoutVersion\":\"1.0.0\"}").map_err(failed)?;
    let mut root = image.root.descriptor.clone();
    root.annotations.insert("org.opencontainers.image.ref.name".to_owned(), tag.to_owned());
    let index = packed(INDEX, &json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": [root]}))?;
    directory.write(Path::new("index.json"), &index.text).map_err(failed)?;
    for it in image.manifests.iter().chain([&image.root]) {
        directory.write(&path(&it.descriptor), &it.text).map_err(failed)?;
    }
    for (descriptor, text) in &image.blobs {
        let mut reader = text.reader();
        let mut buffer = vec![0; 128 << 10];
        loop {
            let n = reader.read(&mut buffer)?;
            if n == 0 {
                break;
            }
            directory.write(&path(descriptor), &buffer[..n]).map_err(failed)?;
        }
        if text.is_empty() {
            directory.write(&path(descriptor), b"").map_err(failed)?;
        }
    }
    Ok(())
}

fn packed(media_type: &str, value: &impl Serialize) -> Result<Packed, OciError> {
    let text = serde_json::to_vec(value).map_err(|error| OciError::document("manifest", error.to_string()))?;
    Ok(Packed { descriptor: Descriptor::new(media_type, Digest::of(&text), text.len() as u64), text })
}

fn digest_of(bytes: &mut dyn Read) -> io::Result<Digest> {
    let mut hashed = Hashed::new(bytes);
    io::copy(&mut hashed, &mut io::sink())?;
    Ok(hashed.finish())
}
