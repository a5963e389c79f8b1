//! Blobs whose values keep their written form, in opm's layout: those of legacy files and of bundle directories.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::write::Format;
use olmdex_text::json::{self, Reader, Tree};
use olmdex_text::yaml;

/// Writes a blob as it is.
///
/// # Errors
/// In words, if a character cannot be written as YAML, or the indentation of deep values is too large.
pub fn write_raw_blob(blob: &Tree, format: Format, out: &mut Vec<u8>) -> Result<(), String> {
    let text = blob.compact();
    match format {
        Format::Json => {
            json::indent(text.as_bytes(), out)?;
            out.push(b'\n');
            Ok(())
        }
        Format::Yaml => {
            let mut reader = Reader::new();
            let value = reader.read(&text).map_err(|error| error.to_string())?;
            out.extend_from_slice(b"---\n");
            yaml::write(value, out).map_err(|error| error.to_string())
        }
    }
}

/// The entry of a channel, with the edges that it has.
pub fn raw_entry(name: &str, replaces: &str, skips: &[impl AsRef<str>], skip_range: &str) -> Tree {
    let entry = Tree::object().with("name", name).with_text("replaces", replaces);
    let skips = (!skips.is_empty()).then(|| Tree::list(skips.iter().map(AsRef::as_ref)));
    entry.with_some("skips", skips).with_text("skipRange", skip_range)
}

/// The list of a bundle's properties: types and values, which are JSON.
pub fn raw_properties<'p>(properties: impl Iterator<Item = (&'p str, String)>) -> Tree {
    let property = |(kind, value): (&str, String)| Tree::object().with("type", kind).with("value", Tree::Raw(value));
    Tree::list(properties.map(property))
}

/// The list of a bundle's related images, if it has some: names and references.
pub fn raw_related_images(images: &[(String, String)]) -> Option<Tree> {
    let image = |(name, image): &(String, String)| Tree::of_texts([("name", name), ("image", image)]);
    (!images.is_empty()).then(|| Tree::list(images.iter().map(image)))
}

/// The value of an `olm.bundle.object` property.
pub fn bundle_object(manifest: &str) -> String {
    // Manifests are most of a catalog, so nothing is copied here.
    let mut value = "{\"data\":\"".to_owned();
    STANDARD.encode_string(manifest, &mut value);
    value.push_str("\"}");
    value
}
