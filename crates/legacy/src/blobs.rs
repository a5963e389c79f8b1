//! Packages as blobs, byte for byte as the real tool writes converted ones.
//!
//! Unlike in blobs that are read from files, values of properties keep the order of their keys and the form of their
//! strings from the legacy file (`docs/behaviour/legacy-index.md` 3.5, rule 8); only white space is ours. In YAML,
//! which the real tool makes of the JSON, that difference is gone.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::package::{BundleModel, PackageModel};
use olmdex_fbc::{
    BUNDLE_OBJECT, CSV_METADATA, Format, Level, bundle_object, csv_metadata, raw_entry, raw_properties,
    raw_related_images, write_raw_blob,
};
use olmdex_text::json::{self, Reader, Tree};
use olmdex_version::Quoted;

/// Writes the blob of a package and those of its channels.
pub(super) fn write_head(package: &PackageModel, format: Format, out: &mut Vec<u8>) -> Result<(), String> {
    let default = package.default_channel.as_deref().unwrap_or_default();
    let blob = Tree::of_texts([("schema", "olm.package"), ("name", &package.name), ("defaultChannel", default)]);
    let icon = package
        .icon
        .as_ref()
        .map(|(data, mediatype)| Tree::object().with("base64data", STANDARD.encode(data)).with("mediatype", mediatype));
    write_raw_blob(&blob.with_some("icon", icon), format, out)?;
    for (name, entries) in &package.channels {
        let blob = Tree::of_texts([("schema", "olm.channel"), ("name", name), ("package", &package.name)]);
        let entries = entries.iter().map(|it| raw_entry(&it.name, &it.replaces, &it.skips, &it.skip_range));
        write_raw_blob(&blob.with("entries", Tree::list(entries)), format, out)?;
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
    let (objects, metadata) = if becomes_metadata(bundle, level) {
        (Vec::new(), Some(metadata(bundle, &text)?))
    } else {
        (objects(bundle, &text), None)
    };
    let early = bundle.properties.iter().filter(|(kind, _)| kind != BUNDLE_OBJECT && kind != CSV_METADATA);
    let early = early.map(|(kind, value)| (kind.as_str(), value.clone()));
    let objects = objects.into_iter().map(|it| (BUNDLE_OBJECT, it));
    let metadata = stored(bundle, CSV_METADATA).map(str::to_owned).chain(metadata).map(|it| (CSV_METADATA, it));
    let properties = raw_properties(early.chain(objects).chain(metadata));
    let blob = Tree::object().with("schema", "olm.bundle").with_text("name", &bundle.name);
    let blob = blob.with_text("package", package).with("image", &bundle.image).with("properties", properties);
    let blob = blob.with_some("relatedImages", raw_related_images(&bundle.related_images));
    write_raw_blob(&blob, format, out)
}

/// Whether a bundle's ClusterServiceVersion replaces all its manifests.
fn becomes_metadata(bundle: &BundleModel, level: Level) -> bool {
    level == Level::CsvMetadata
        && !bundle.image.is_empty()
        && bundle.survey.csv.is_some()
        && stored(bundle, CSV_METADATA).next().is_none()
}

/// The values of a bundle's properties of one type, as the file has them.
fn stored<'b>(bundle: &'b BundleModel, kind: &str) -> impl Iterator<Item = &'b str> {
    bundle.properties.iter().filter(move |it| it.0 == kind).map(|it| it.1.as_str())
}

/// A manifest by its number, in the text of all.
fn manifest<'t>(bundle: &BundleModel, text: &'t str, idx: usize) -> &'t str {
    bundle.survey.objects.get(idx).and_then(|it| text.get(it.clone())).unwrap_or_default()
}

/// The value of the property that the ClusterServiceVersion becomes.
fn metadata(bundle: &BundleModel, text: &str) -> Result<String, String> {
    let csv = manifest(bundle, text, bundle.survey.csv.unwrap_or_default());
    let mut reader = Reader::new();
    let value = reader.read(csv).map_err(|error| super::survey::go_words(&error));
    let made = value.and_then(csv_metadata::write);
    made.map_err(|error| format!("migrate: {error} (bundle {})", Quoted(&bundle.name)))
}

/// The values of the properties that manifests become, and of those that are stored as such, in the order of their
/// text.
fn objects(bundle: &BundleModel, text: &str) -> Vec<String> {
    let mut values: Vec<String> = stored(bundle, BUNDLE_OBJECT).map(str::to_owned).collect();
    values.extend((0..bundle.survey.objects.len()).map(|idx| bundle_object(manifest(bundle, text, idx))));
    values.sort_unstable();
    values.dedup();
    values
}
