//! Blobs back to text, exactly as `opm render` writes them (`docs/behaviour/fbc.md` 4.2 to 4.4).

use base64::Engine as _;
use thiserror::Error;

use super::blob::{Blob, Typed};
use super::csv_metadata;
use super::go_order::go_sort;
use super::objects::BUNDLE_OBJECT;
use super::property::PropertyView;
use super::typed::{Bundle, Channel, Deprecations, Package};
use olmdex_text::gotype::STANDARD_BASE64 as BASE64;
use olmdex_text::json::{self, Anchor, Expansion, Reader};
use olmdex_text::yaml;

/// The format of written blobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Objects indented by four blanks, one after another.
    Json,
    /// Documents that each start with `---`.
    Yaml,
}

impl Format {
    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Yaml => "yaml",
        }
    }
}

/// The reasons why a blob cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WriteError {
    /// It holds a character that YAML cannot carry.
    #[error(transparent)]
    Unwritable(#[from] yaml::YamlWriteError),
    /// Its indentation is larger than the input may become.
    #[error("{0}")]
    Expands(&'static str),
}

/// Writes a blob, and counts its indentation.
///
/// # Errors
/// [`WriteError`]
pub fn write_blob(blob: &Blob<'_>, format: Format, expansion: &Expansion, out: &mut Vec<u8>) -> Result<(), WriteError> {
    check_indentation(blob, format, expansion).map_err(WriteError::Expands)?;
    match format {
        Format::Json => write_noting(blob, out, None),
        Format::Yaml => write_yaml(blob, None, out)?,
    }
    Ok(())
}

/// Counts the indentation of a blob before it is written.
pub(super) fn check_indentation(blob: &Blob<'_>, format: Format, expansion: &Expansion) -> Result<(), &'static str> {
    let n_blanks = match format {
        Format::Json => blob.value.indentation(WIDTH),
        Format::Yaml => blob.value.yaml_indentation(yaml::INDENT),
    };
    expansion.charge_indentation(n_blanks, blob.value.end() - blob.value.offset())
}

/// Blanks of a level in JSON.
const WIDTH: usize = 4;

/// Writes a blob as JSON; with `noted`, notes where long strings of its document are written.
pub(super) fn write_noting(blob: &Blob<'_>, out: &mut Vec<u8>, noted: Option<&mut Vec<Anchor>>) {
    write_json(blob, None, Some(WIDTH), out, noted);
    out.push(b'\n');
}

/// Writes the blob of a bundle and replaces its manifests by an `olm.csv.metadata` property with this value, in compact
/// JSON.
///
/// # Errors
/// The errors of [`write_blob`].
pub(super) fn write_migrated(
    blob: &Blob<'_>,
    metadata: &str,
    format: Format,
    out: &mut Vec<u8>,
) -> Result<(), yaml::YamlWriteError> {
    match format {
        Format::Json => {
            let mut compact = Vec::new();
            write_json(blob, Some(metadata), None, &mut compact, None);
            // The property keeps the order of its fields.
            json::indent(&compact, out).map_err(yaml::YamlWriteError::Expands)?;
            out.push(b'\n');
            Ok(())
        }
        Format::Yaml => write_yaml(blob, Some(metadata), out),
    }
}

pub(super) fn write_yaml(
    blob: &Blob<'_>,
    metadata: Option<&str>,
    out: &mut Vec<u8>,
) -> Result<(), yaml::YamlWriteError> {
    let mut compact = Vec::new();
    write_json(blob, metadata, None, &mut compact, None);
    let text = json::decode_utf8(&compact);
    let mut reader = Reader::new();
    let value = reader.read(&text).expect("our own writer writes valid JSON");
    out.extend_from_slice(b"---\n");
    match metadata {
        // The new property was not in the blob, so nobody has charged it.
        Some(_) => yaml::write(value, out),
        None => yaml::write_charged(value, out),
    }
}

/// Writes a blob as JSON, indented or compact, without the newline behind it: typed blobs with the fields that they
/// have, in their order, others with sorted keys.
fn write_json<'a>(
    blob: &Blob<'_>,
    metadata: Option<&'a str>,
    width: Option<usize>,
    out: &'a mut Vec<u8>,
    noted: Option<&'a mut Vec<Anchor>>,
) {
    let mut it = Writer { out, width, level: 0, metadata, noted };
    match &blob.typed {
        Typed::Package(package) => it.package(&blob.schema, package),
        Typed::Channel(channel) => it.channel(&blob.schema, channel),
        Typed::Bundle(bundle) => it.bundle(&blob.schema, bundle),
        Typed::Deprecations(deprecations) => it.deprecations(&blob.schema, deprecations),
        Typed::Other => it.any(blob.value),
    }
}

struct Writer<'a> {
    out: &'a mut Vec<u8>,
    width: Option<usize>,
    level: usize,
    /// The property that replaces a bundle's manifests, in compact JSON.
    metadata: Option<&'a str>,
    /// The places where long strings are written, if the caller wants them.
    noted: Option<&'a mut Vec<Anchor>>,
}

impl Writer<'_> {
    fn new_line(&mut self) {
        if let Some(width) = self.width {
            self.out.push(b'\n');
            self.out.resize(self.out.len() + width * self.level, b' ');
        }
    }

    fn open(&mut self, bracket: u8) {
        self.out.push(bracket);
        self.level += 1;
    }

    fn close(&mut self, bracket: u8) {
        self.level -= 1;
        // There is nothing between the brackets of an empty container.
        if !matches!(self.out.last(), Some(b'{' | b'[')) {
            self.new_line();
        }
        self.out.push(bracket);
    }

    /// Starts the next item or member of the innermost container.
    fn separate(&mut self) {
        if !matches!(self.out.last(), Some(b'{' | b'[')) {
            self.out.push(b',');
        }
        self.new_line();
    }

    fn key(&mut self, key: &str) {
        self.separate();
        json::write_string(key, self.out);
        self.out.extend_from_slice(if self.width.is_some() { b": " } else { b":" });
    }

    fn string(&mut self, key: &str, text: &str) {
        self.key(key);
        json::write_string(text, self.out);
    }

    fn optional(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.string(key, text);
        }
    }

    fn any(&mut self, value: json::Value<'_>) {
        match (self.width, &mut self.noted) {
            (Some(width), Some(noted)) => json::write_pretty_noting(value, width, self.level, self.out, noted),
            (Some(width), None) => json::write_pretty(value, width, self.level, self.out),
            (None, _) => json::write_compact(value, self.out),
        }
    }

    /// A list that is written also when it is empty.
    fn list<T>(&mut self, key: &str, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.key(key);
        self.open(b'[');
        for it in items {
            self.separate();
            item(self, it);
        }
        self.close(b']');
    }

    fn nullable_list<T>(&mut self, key: &str, items: Option<&[T]>, item: impl FnMut(&mut Self, &T)) {
        match items {
            Some(items) => self.list(key, items, item),
            None => {
                self.key(key);
                self.out.extend_from_slice(b"null");
            }
        }
    }

    fn properties<'d, 'p>(&mut self, properties: impl Iterator<Item = &'p PropertyView<'d>>)
    where
        'd: 'p,
    {
        let properties: Vec<_> = properties.collect();
        if properties.is_empty() {
            return;
        }
        self.list("properties", &properties, |it, property| it.property(property));
    }

    fn property(&mut self, property: &PropertyView<'_>) {
        self.open(b'{');
        self.string("type", &property.kind);
        self.key("value");
        match property.value {
            Some(value) => self.any(value),
            None => self.out.extend_from_slice(b"null"),
        }
        self.close(b'}');
    }

    fn package(&mut self, schema: &str, package: &Package<'_>) {
        self.open(b'{');
        self.string("schema", schema);
        self.string("name", &package.name);
        self.string("defaultChannel", &package.default_channel);
        if let Some(icon) = &package.icon {
            self.key("icon");
            self.open(b'{');
            match &icon.data {
                Some(data) => self.string("base64data", &BASE64.encode(data)),
                None => {
                    self.key("base64data");
                    self.out.extend_from_slice(b"null");
                }
            }
            self.string("mediatype", &icon.mediatype);
            self.close(b'}');
        }
        self.optional("description", &package.description);
        self.properties(package.properties.iter());
        self.close(b'}');
    }

    fn channel(&mut self, schema: &str, channel: &Channel<'_>) {
        self.open(b'{');
        self.string("schema", schema);
        self.string("name", &channel.name);
        self.string("package", &channel.package);
        self.nullable_list("entries", channel.entries.as_deref(), |it, entry| {
            it.open(b'{');
            it.string("name", &entry.name);
            it.optional("replaces", &entry.replaces);
            if !entry.skips.is_empty() {
                it.list("skips", &entry.skips, |it, skip| json::write_string(skip, it.out));
            }
            it.optional("skipRange", &entry.skip_range);
            it.close(b'}');
        });
        self.properties(channel.properties.iter());
        self.close(b'}');
    }

    fn bundle(&mut self, schema: &str, bundle: &Bundle<'_>) {
        self.open(b'{');
        self.string("schema", schema);
        self.optional("name", &bundle.name);
        self.optional("package", &bundle.package);
        self.string("image", &bundle.image);
        // Properties that describe the bundle as a whole move behind the others.
        let is_late = |it: &&PropertyView<'_>| it.kind == BUNDLE_OBJECT || it.kind == csv_metadata::CSV_METADATA;
        let early = bundle.properties.iter().filter(|it| !is_late(it));
        match self.metadata {
            None => self.properties(early.chain(bundle.properties.iter().filter(is_late))),
            Some(metadata) => {
                self.key("properties");
                self.open(b'[');
                for property in early {
                    self.separate();
                    self.property(property);
                }
                self.separate();
                self.open(b'{');
                self.string("type", csv_metadata::CSV_METADATA);
                self.key("value");
                self.out.extend_from_slice(metadata.as_bytes());
                self.close(b'}');
                self.close(b']');
            }
        }
        if !bundle.related_images.is_empty() {
            let mut images: Vec<_> = bundle.related_images.iter().collect();
            go_sort(&mut images, |a, b| a.image < b.image);
            self.list("relatedImages", &images, |it, related| {
                it.open(b'{');
                it.string("name", &related.name);
                it.string("image", &related.image);
                it.close(b'}');
            });
        }
        self.close(b'}');
    }

    fn deprecations(&mut self, schema: &str, deprecations: &Deprecations<'_>) {
        self.open(b'{');
        self.string("schema", schema);
        self.string("package", &deprecations.package);
        self.nullable_list("entries", deprecations.entries.as_deref(), |it, entry| {
            it.open(b'{');
            it.key("reference");
            it.open(b'{');
            it.string("schema", &entry.schema);
            it.optional("name", &entry.name);
            it.close(b'}');
            it.string("message", &entry.message);
            it.close(b'}');
        });
        self.close(b'}');
    }
}
