//! A bundle's message, made from its document (`docs/behaviour/serving.md` B.4).

use super::message::{Bundle, Deprecation, GroupVersionKind, TypedValue};
use super::refusal::Refusal;
use olmdex_fbc::{self as fbc, BUNDLE_OBJECT, CarriedObject, PackageFacts, Typed, for_each_placed_object, rebuilt_csv};
use olmdex_index::query::ServedEntry;
use olmdex_index::{Index, IndexError};
use olmdex_text::json::{self, Reader, Value};

/// The requested part of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// One bundle: its objects in any case, and of its place in the channel only the range.
    Single,
    /// One of all: its edges, and its objects only if it has no image.
    Listed,
}

/// Makes the message of a bundle in a channel.
pub(super) fn message_of(index: &Index, catalog: &str, entry: ServedEntry, extent: Extent) -> Result<Bundle, Refusal> {
    let mut message = Bundle {
        csv_name: entry.bundle,
        package_name: entry.package,
        channel_name: entry.channel,
        version: entry.version,
        skip_range: entry.skip_range,
        deprecation: entry.deprecation.map(|message| Deprecation { message }),
        ..Bundle::default()
    };
    if extent == Extent::Listed {
        message.replaces = entry.replaces;
        message.skips = entry.skips;
    }
    let Some(document) = entry.document else { return Ok(message) };
    let mut reader = Reader::new();
    let unreadable = |message: String, bundle: &str| Refusal::Unreadable { bundle: bundle.to_owned(), message };
    // A bundle with an image is listed without its objects, and the rest of its document need not be parsed.
    if extent == Extent::Listed
        && let Some(listing) = index.served_listing(document)?
    {
        message.bundle_path = listing.image;
        for (kind, text) in listing.properties {
            if REPEATED.contains(&&*kind) {
                let value = reader.read(&text).map_err(|error| unreadable(error.to_string(), &message.csv_name))?;
                add_fields(&mut message, &kind, &text, value);
            }
            message.properties.push(TypedValue { kind, value: text });
        }
        return Ok(message);
    }
    let text = index.served_text(document)?;
    let value = reader.read(&text).map_err(|error| unreadable(error.to_string(), &message.csv_name))?;
    let blob = fbc::blob::decode(value, false).map_err(|_| unreadable("not a blob".to_owned(), &message.csv_name))?;
    let Typed::Bundle(bundle) = &blob.typed else {
        return Err(unreadable("not an olm.bundle".to_owned(), &message.csv_name));
    };
    message.bundle_path = bundle.image.to_string();
    for property in &bundle.properties {
        let Some(value) = property.value.filter(|_| !LARGE.contains(&&*property.kind)) else { continue };
        let text = value.compact();
        add_fields(&mut message, &property.kind, &text, value);
        message.properties.push(TypedValue { kind: property.kind.to_string(), value: text });
    }
    if extent == Extent::Single || message.bundle_path.is_empty() {
        let csv_name = message.csv_name.clone();
        let facts = Facts { index, catalog, package: &message.package_name };
        let (csv, objects) = objects_of(bundle, &message.version, &facts).map_err(|it| match it {
            ObjectsError::Index(error) => Refusal::Index(error),
            ObjectsError::Bundle(message) => unreadable(message, &csv_name),
        })?;
        (message.csv_json, message.object) = (csv, objects);
    }
    Ok(message)
}

/// Properties that are not among those of the message.
const LARGE: [&str; 2] = [BUNDLE_OBJECT, "olm.csv.metadata"];

/// Properties that fields of the message repeat.
const REPEATED: [&str; 3] = ["olm.gvk", "olm.gvk.required", "olm.package.required"];

/// Adds the fields that repeat a property, if it is one of [`REPEATED`]. `text` is its value as compact JSON.
fn add_fields(message: &mut Bundle, kind: &str, text: &str, value: Value<'_>) {
    let field = |key: &str| value.text_of_field(key);
    let api = || {
        let (group, version, kind) = (field("group"), field("version"), field("kind"));
        GroupVersionKind { group, version, kind, plural: String::new() }
    };
    match kind {
        "olm.gvk" => message.provided_apis.push(api()),
        "olm.gvk.required" => {
            message.required_apis.push(api());
            message.dependencies.push(TypedValue { kind: "olm.gvk".to_owned(), value: text.to_owned() });
        }
        "olm.package.required" => {
            let fields = [("packageName", "packageName"), ("version", "versionRange")];
            let value = json::Tree::of_texts(fields.map(|(key, from)| (key, field(from)))).compact();
            message.dependencies.push(TypedValue { kind: "olm.package".to_owned(), value });
        }
        _ => {}
    }
}

/// The reasons why there are no objects.
enum ObjectsError {
    Index(IndexError),
    Bundle(String),
}

/// The source of facts about a package, which only a rebuilt ClusterServiceVersion needs.
struct Facts<'a> {
    index: &'a Index,
    catalog: &'a str,
    package: &'a str,
}

/// The ClusterServiceVersion and all objects, each as JSON.
fn objects_of(
    bundle: &fbc::Bundle<'_>,
    version: &str,
    facts: &Facts<'_>,
) -> Result<(String, Vec<String>), ObjectsError> {
    let mut objects = Vec::new();
    let mut csv = None;
    let mut reader = Reader::new();
    for_each_placed_object(bundle, |CarriedObject { json: object, is_yaml, .. }| {
        let mut text = json::decode_utf8(object).into_owned();
        let mut sorted = Vec::new();
        let is_csv = reader.read(&text).is_ok_and(|it| {
            if is_yaml {
                json::write_unstructured(it, &mut sorted);
            }
            it.get_field("kind").and_then(|it| it.as_str()).is_some_and(|it| it == "ClusterServiceVersion")
        }) && csv.is_none();
        if is_yaml {
            text = String::from_utf8_lossy(&sorted).into_owned();
        }
        if is_csv {
            csv = Some(text.clone());
        }
        objects.push(text);
    })
    .map_err(|defect| ObjectsError::Bundle(defect.kind.to_string()))?;
    if let Some(csv) = csv {
        return Ok((csv, objects));
    }
    let mut failed = None;
    let package = || {
        let read = || {
            let description = facts.index.served_description(facts.catalog, facts.package)?;
            Ok(PackageFacts { description, icon: facts.index.served_icon(facts.catalog, facts.package)? })
        };
        read().unwrap_or_else(|error: IndexError| {
            failed = Some(error);
            PackageFacts::default()
        })
    };
    let rebuilt = rebuilt_csv(bundle, version, package).map_err(ObjectsError::Bundle)?;
    if let Some(error) = failed {
        return Err(ObjectsError::Index(error));
    }
    let csv = rebuilt.unwrap_or_default();
    if objects.is_empty() && !csv.is_empty() {
        objects.push(csv.clone());
    }
    Ok((csv, objects))
}
