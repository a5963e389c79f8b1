//! Packages as blobs, byte for byte as the real tool writes what it converts.
//!
//! Unlike blobs that are read from files, values of properties keep their keys in the order and their strings in the
//! form in which the legacy file has them (`docs/behaviour/legacy-index.md` 3.5, rule 8); only white space is ours. In
//! YAML, which the real tool makes of the JSON, that difference is gone.
//!
//! What it deliberately does not do: it reads nothing.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::package::{BundleModel, PackageModel};
use crate::fbc::{Format, Level, csv_metadata};
use crate::json::{self, Reader};
use crate::version::Quoted;
use crate::yaml;

/// An object that is being written, compact; white space comes later.
struct Object {
    out: Vec<u8>,
}

impl Object {
    fn open(schema: &str) -> Self {
        let mut it = Self { out: vec![b'{'] };
        it.text("schema", schema);
        it
    }

    fn key(&mut self, key: &str) {
        if !matches!(self.out.last(), Some(b'{')) {
            self.out.push(b',');
        }
        json::write_string(key, &mut self.out);
        self.out.push(b':');
    }

    fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        json::write_string(text, &mut self.out);
    }

    fn optional(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.text(key, text);
        }
    }

    fn list<T>(&mut self, key: &str, items: impl IntoIterator<Item = T>, mut item: impl FnMut(&mut Self, T)) {
        self.key(key);
        self.out.push(b'[');
        for (idx, it) in items.into_iter().enumerate() {
            if idx > 0 {
                self.out.push(b',');
            }
            item(self, it);
        }
        self.out.push(b']');
    }
}

/// Writes the blob of a package and those of its channels.
pub(super) fn write_head(package: &PackageModel, format: Format, out: &mut Vec<u8>) -> Result<(), String> {
    let mut it = Object::open("olm.package");
    it.text("name", &package.name);
    it.text("defaultChannel", package.default_channel.as_deref().unwrap_or_default());
    if let Some((data, mediatype)) = &package.icon {
        it.key("icon");
        it.out.push(b'{');
        it.text("base64data", &STANDARD.encode(data));
        it.text("mediatype", mediatype);
        it.out.push(b'}');
    }
    finish(it, format, out)?;
    for (name, entries) in &package.channels {
        let mut it = Object::open("olm.channel");
        it.text("name", name);
        it.text("package", &package.name);
        it.list("entries", entries, |it, entry| {
            it.out.push(b'{');
            it.text("name", &entry.name);
            it.optional("replaces", &entry.replaces);
            if !entry.skips.is_empty() {
                it.list("skips", &entry.skips, |it, skip| json::write_string(skip, &mut it.out));
            }
            it.optional("skipRange", &entry.skip_range);
            it.out.push(b'}');
        });
        finish(it, format, out)?;
    }
    Ok(())
}

/// Writes the blob of a bundle, given its manifests as they are in the file.
///
/// # Errors
/// In words, if the ClusterServiceVersion does not fit its type, or if a character cannot be written as YAML.
pub(super) fn write_bundle(
    package: &str,
    bundle: &BundleModel,
    manifests: &[u8],
    level: Level,
    format: Format,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    let text = json::decode_utf8(manifests);
    let object = |idx: usize| bundle.survey.objects.get(idx).and_then(|it| text.get(it.clone())).unwrap_or_default();
    let becomes_metadata = level == Level::CsvMetadata
        && !bundle.image.is_empty()
        && bundle.survey.csv.is_some()
        && !bundle.properties.iter().any(|(kind, _)| kind == "olm.csv.metadata");
    let mut objects: Vec<String> = Vec::new();
    let mut metadata = None;
    if becomes_metadata {
        let csv = object(bundle.survey.csv.unwrap_or_default());
        let mut reader = Reader::new();
        let value = reader.read(csv).map_err(|error| super::survey::go_words(&error));
        let made = value.and_then(csv_metadata::write);
        metadata = Some(made.map_err(|error| format!("migrate: {error} (bundle {})", Quoted(&bundle.name)))?);
    } else {
        objects.extend((0..bundle.survey.objects.len()).map(|idx| STANDARD.encode(object(idx))));
        objects.sort_unstable();
        objects.dedup();
    }
    let is_late = |kind: &str| kind == "olm.bundle.object" || kind == "olm.csv.metadata";
    let mut it = Object::open("olm.bundle");
    it.optional("name", &bundle.name);
    it.optional("package", package);
    it.text("image", &bundle.image);
    it.key("properties");
    it.out.push(b'[');
    let mut is_first = true;
    let mut property = |it: &mut Object, kind: &str, value: &dyn Fn(&mut Vec<u8>)| {
        if !std::mem::take(&mut is_first) {
            it.out.push(b',');
        }
        it.out.push(b'{');
        it.text("type", kind);
        it.key("value");
        value(&mut it.out);
        it.out.push(b'}');
    };
    for (kind, value) in bundle.properties.iter().filter(|(kind, _)| !is_late(kind)) {
        property(&mut it, kind, &|out| out.extend_from_slice(value.as_bytes()));
    }
    // Stored properties of the two late types mix with the manifests in the order of their text.
    let stored = |kind: &str| {
        let values = bundle.properties.iter().filter(move |it| it.0 == kind);
        values.map(|(_, value)| value.clone()).collect::<Vec<_>>()
    };
    let mut late = if becomes_metadata { Vec::new() } else { stored("olm.bundle.object") };
    if late.is_empty() {
        for data in &objects {
            property(&mut it, "olm.bundle.object", &|out| {
                out.extend_from_slice(b"{\"data\":\"");
                out.extend_from_slice(data.as_bytes());
                out.extend_from_slice(b"\"}");
            });
        }
    } else {
        late.extend(objects.iter().map(|data| format!("{{\"data\":\"{data}\"}}")));
        late.sort_unstable();
        late.dedup();
        for value in &late {
            property(&mut it, "olm.bundle.object", &|out| out.extend_from_slice(value.as_bytes()));
        }
    }
    for value in stored("olm.csv.metadata").iter().chain(&metadata) {
        property(&mut it, "olm.csv.metadata", &|out| out.extend_from_slice(value.as_bytes()));
    }
    it.out.push(b']');
    if !bundle.related_images.is_empty() {
        it.list("relatedImages", &bundle.related_images, |it, (name, image)| {
            it.out.push(b'{');
            it.text("name", name);
            it.text("image", image);
            it.out.push(b'}');
        });
    }
    finish(it, format, out)
}

/// Closes the object and writes it in a format.
fn finish(mut object: Object, format: Format, out: &mut Vec<u8>) -> Result<(), String> {
    object.out.push(b'}');
    match format {
        Format::Json => {
            json::indent(&object.out, out);
            out.push(b'\n');
            Ok(())
        }
        Format::Yaml => {
            let text = json::decode_utf8(&object.out);
            let mut reader = Reader::new();
            let value = reader.read(&text).map_err(|error| error.to_string())?;
            out.extend_from_slice(b"---\n");
            yaml::write(value, out).map_err(|error| error.to_string())
        }
    }
}
