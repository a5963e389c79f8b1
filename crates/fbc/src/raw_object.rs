//! Blobs whose values keep their written form, in opm's layout: those of legacy files and of bundle directories.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::write::Format;
use olmdex_text::json::{self, Reader};
use olmdex_text::yaml;

/// An object that is being written, compact; white space comes later.
pub struct RawObject {
    /// Its text so far.
    pub out: Vec<u8>,
}

impl RawObject {
    /// Begins a blob of a schema.
    pub fn open(schema: &str) -> Self {
        let mut it = Self { out: vec![b'{'] };
        it.text("schema", schema);
        it
    }

    /// Writes a key, after which its value comes.
    pub fn key(&mut self, key: &str) {
        if !matches!(self.out.last(), Some(b'{')) {
            self.out.push(b',');
        }
        json::write_string(key, &mut self.out);
        self.out.push(b':');
    }

    /// Writes a key with a text.
    pub fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        json::write_string(text, &mut self.out);
    }

    /// Writes a key with a text, unless that is empty.
    pub fn optional(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.text(key, text);
        }
    }

    /// Writes a key with a list, whose items `item` writes.
    pub fn list<T>(&mut self, key: &str, items: impl IntoIterator<Item = T>, mut item: impl FnMut(&mut Self, T)) {
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

    /// The properties of a bundle: types and values.
    pub fn properties<'p>(&mut self, properties: impl Iterator<Item = (&'p str, &'p str)>) {
        self.list("properties", properties, |it, (kind, value)| {
            it.out.push(b'{');
            it.text("type", kind);
            it.key("value");
            it.out.extend_from_slice(value.as_bytes());
            it.out.push(b'}');
        });
    }

    /// The related images of a bundle, if it has some: names and references.
    pub fn related_images(&mut self, images: &[(String, String)]) {
        if !images.is_empty() {
            self.list("relatedImages", images, |it, (name, image)| {
                it.out.push(b'{');
                it.text("name", name);
                it.text("image", image);
                it.out.push(b'}');
            });
        }
    }

    /// Closes it and writes it in a format.
    ///
    /// # Errors
    /// In words, if a character cannot be written as YAML.
    pub fn finish(mut self, format: Format, out: &mut Vec<u8>) -> Result<(), String> {
        self.out.push(b'}');
        match format {
            Format::Json => {
                json::indent(&self.out, out);
                out.push(b'\n');
                Ok(())
            }
            Format::Yaml => {
                let text = json::decode_utf8(&self.out);
                let mut reader = Reader::new();
                let value = reader.read(&text).map_err(|error| error.to_string())?;
                out.extend_from_slice(b"---\n");
                yaml::write(value, out).map_err(|error| error.to_string())
            }
        }
    }
}

/// A JSON object of texts, as Go writes it without HTML escapes.
pub fn object_of_texts(members: &[(&str, &str)]) -> String {
    let mut out = vec![b'{'];
    for (key, value) in members {
        if out.len() > 1 {
            out.push(b',');
        }
        json::write_string(key, &mut out);
        out.push(b':');
        json::write_string(value, &mut out);
    }
    out.push(b'}');
    // Written from text, so it is text.
    String::from_utf8(out).unwrap_or_default()
}

/// The value of an `olm.bundle.object` property.
pub fn bundle_object(manifest: &str) -> String {
    let mut value = "{\"data\":\"".to_owned();
    STANDARD.encode_string(manifest, &mut value);
    value.push_str("\"}");
    value
}
