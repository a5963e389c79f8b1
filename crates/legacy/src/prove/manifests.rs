//! The facts that the old side takes from manifests: the list of manifests, and the content of ClusterServiceVersions.

use base64::Engine as _;

use super::forms::{BASE64, BundleFacts, Digest, Icon, digest, digest_manifest, digest_value, text_in};
use super::report::Report;
use crate::rules;
use olmdex_text::json::{self, Reader, Tree, Value};

/// Reads the manifests, and compares the ClusterServiceVersion of the other column with them. Returns the first
/// ClusterServiceVersion among them.
pub(super) fn read_manifests(
    name: &str,
    manifests: &str,
    column: &str,
    facts: &mut BundleFacts,
    report: &mut Report,
) -> Option<String> {
    let mut reader = Reader::new();
    let mut csv = None;
    let mut has_column = column.is_empty();
    let mut n_found = 0;
    let mut at = 0;
    while let Ok((value, end)) = reader.read_at(manifests, at) {
        let raw = manifests[at..end].trim_ascii();
        if csv.is_none() && value.get("kind").and_then(|it| it.as_str()).as_deref() == Some("ClusterServiceVersion") {
            csv = Some(raw.to_owned());
        }
        has_column |= raw == column;
        facts.manifests.insert(digest_value(value));
        n_found += 1;
        at = end;
    }
    if !manifests[at..].trim_ascii().is_empty() {
        let message = format!("bundle `{name}`: the content after its manifests is not JSON and is lost");
        report.say(rules::LOST_MANIFESTS, message, None);
    }
    if n_found == 0 && !has_column {
        let message = format!("bundle `{name}`: its ClusterServiceVersion is lost, as it has no manifests");
        report.say(rules::LOST_MANIFESTS, message, None);
    } else if !has_column && !facts.manifests.contains(&digest_manifest(column.as_bytes(), &mut reader)) {
        let message = format!("bundle `{name}`: its `csv` column holds none of its manifests, and is lost");
        report.say(rules::LOST_MANIFESTS, message, None);
    }
    csv
}

/// The value at a path of fields.
pub(super) fn at<'d>(value: Value<'d>, path: &[&str]) -> Option<Value<'d>> {
    path.iter().try_fold(value, |it, key| it.get_field(key))
}

pub(super) fn skip_range_of(csv: Value<'_>) -> String {
    let annotations = at(csv, &["metadata", "annotations"]);
    let range = annotations.and_then(|it| it.get("olm.skipRange")).and_then(|it| it.as_str());
    range.unwrap_or_default().into_owned()
}

/// The APIs that a ClusterServiceVersion requires, in normal form.
pub(super) fn required_apis(csv: Value<'_>) -> impl Iterator<Item = String> {
    let list = |kind: &str| at(csv, &["spec", kind, "required"]).into_iter().flat_map(|it| it.items());
    let definitions = list("customresourcedefinitions").map(|it| {
        // The plural, a dot and the group.
        let name = text_in(it, "name");
        (name.split_once('.').map_or("", |it| it.1).to_owned(), it)
    });
    let services = list("apiservicedefinitions").map(|it| (text_in(it, "group"), it));
    definitions.chain(services).map(|(group, it)| {
        Tree::of_texts([("group", &group), ("kind", &text_in(it, "kind")), ("version", &text_in(it, "version"))])
            .compact()
    })
}

/// The images in a ClusterServiceVersion's deployments and list.
pub(super) fn used_images(csv: Value<'_>) -> impl Iterator<Item = String> {
    let install = at(csv, &["spec", "install"]).filter(|it| text_in(*it, "strategy") == "deployment");
    let deployments = install.and_then(|it| at(it, &["spec", "deployments"])).into_iter().flat_map(|it| it.items());
    let containers = deployments.flat_map(|it| {
        let of = move |kind| at(it, &["spec", "template", "spec", kind]).into_iter().flat_map(|it| it.items());
        of("containers").chain(of("initContainers"))
    });
    let listed = at(csv, &["spec", "relatedImages"]).into_iter().flat_map(|it| it.items());
    containers.chain(listed).map(|it| text_in(it, "image"))
}

/// The icon in a ClusterServiceVersion, if there is one; an error if it is not base64.
pub(super) fn icon(csv: &[u8]) -> Option<Result<Icon, ()>> {
    let csv = json::decode_utf8(csv);
    let mut reader = Reader::new();
    let icon = at(reader.read(&csv).ok()?, &["spec", "icon"])?.items().next()?;
    let data = text_in(icon, "base64data").replace(['\r', '\n'], "");
    let Ok(data) = BASE64.decode(&data).or_else(|_| BASE64.decode(data.replace(' ', ""))) else { return Some(Err(())) };
    (!data.is_empty()).then(|| Ok((digest(&data), text_in(icon, "mediatype"))))
}

/// The digest of a manifest that is stored as a property.
pub(super) fn stored_manifest(value: &str, reader: &mut Reader) -> Option<Digest> {
    let data = reader.read(value).ok()?.get_field("data")?.as_str()?.into_owned();
    let manifest = BASE64.decode(data.replace(['\r', '\n'], "")).ok()?;
    Some(digest_manifest(&manifest, reader))
}
