//! Documents on their way into the index: the work that needs no database, done by many threads.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};

use super::compression::{Compressor, Digest, Stored, digest};
use super::service_version::{self, CsvFacts};
use olmdex_fbc::service_version::CsvView;
use olmdex_fbc::{
    Api, BUNDLE_OBJECT, Blob, Bundle, CSV_METADATA, Consumer, Defect, DefectKind, Document, Entry, Failure, Input,
    Origin, PropertyView, Provenance, Syntax, Typed, layout_of, layout_of_made, start_in_file,
};
use olmdex_rules::check::{self, Facts, Inspected};
use olmdex_rules::openshift::{self, Lifecycle};
use olmdex_text::json;
use olmdex_text::yaml::Position;
use olmdex_version::{Release, Version, VersionRelease};

/// The documents that the index holds, by the digests of their raw texts and of their normal forms.
#[derive(Debug, Default)]
pub(super) struct KnownDocuments {
    pub(super) by_raw: HashMap<Digest, Source>,
    pub(super) by_digest: HashMap<Digest, i64>,
}

/// The meaning of a raw text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    pub(super) document: i64,
    pub(super) layout: Option<i64>,
}

/// A document that is ready to be written.
pub(super) struct Prepared {
    pub(super) origin: Origin,
    /// The position of its first content.
    pub(super) start: Position,
    /// Digest of the raw text with its syntax.
    pub(super) raw: Digest,
    /// Whether all of the text is read. If not, that must be reported again, so the index does not remember the text.
    pub(super) is_read: bool,
    pub(super) plan: RowPlan,
}

/// The rows to write.
pub(super) enum RowPlan {
    /// A raw text that the index knows: no rows.
    Known(Source),
    /// A document that the index knows, from a text that it does not know.
    Same(i64, Box<Inspected>, Layout),
    /// A document that the index did not know when the import began.
    New(Box<NewDocument>, Box<Inspected>, Layout),
    /// A text without blob: no rows.
    Unreadable(Box<Inspected>),
}

/// The places of those parts of a document that answers point to, if there are any.
pub(super) type Layout = Option<Vec<u8>>;

/// A document as rows.
pub(super) struct NewDocument {
    pub(super) digest: Digest,
    pub(super) schema: String,
    pub(super) package: String,
    pub(super) name: String,
    /// Its normal form, compressed; `None` in an index that holds no documents.
    pub(super) text: Option<Stored>,
    pub(super) rows: Rows,
}

/// The rows that are derived from a document.
pub(super) enum Rows {
    Package(Box<PackageRows>),
    Channel(ChannelRows),
    Bundle(Box<BundleRows>),
    /// Schema, name and message of each deprecation.
    Deprecations(Vec<[String; 3]>),
    Lifecycle(Lifecycle),
    Other,
}

impl Rows {
    /// The same without icons and the words by which people search.
    pub(super) fn without_words(self) -> Self {
        match self {
            Self::Package(rows) => Self::Package(Box::new(PackageRows { icon: None, profile: None, ..*rows })),
            other => other,
        }
    }
}

pub(super) struct PackageRows {
    pub(super) default_channel: String,
    pub(super) icon: Option<(String, Vec<u8>)>,
    pub(super) properties: Vec<PropertyRow>,
    pub(super) profile: Option<Profile>,
}

pub(super) struct ChannelRows {
    pub(super) entries: Arc<[Entry]>,
    pub(super) properties: Vec<PropertyRow>,
}

#[derive(Default)]
pub(super) struct BundleRows {
    pub(super) image: String,
    pub(super) version: String,
    pub(super) release: String,
    pub(super) version_key: Option<Vec<u8>>,
    pub(super) max_openshift_version: String,
    pub(super) facts_from: &'static str,
    pub(super) csv: CsvFacts,
    pub(super) properties: Vec<PropertyRow>,
    pub(super) provided: Vec<Api>,
    pub(super) required: Vec<Api>,
    /// Position, package and range.
    pub(super) required_packages: Vec<(usize, String, String)>,
    /// Name and reference.
    pub(super) related_images: Vec<(String, String)>,
    pub(super) profile: Option<Profile>,
}

/// Type and value of a property.
pub(super) type PropertyRow = (String, Option<String>);

/// The words by which a bundle or package is found: the columns of the search table.
pub(super) struct Profile {
    pub(super) digest: Digest,
    pub(super) columns: [String; 6],
    /// Digest of the description, which has a table of its own.
    pub(super) description: Digest,
}

/// Place of the description in [`Profile::columns`].
pub(super) const DESCRIPTION: usize = 4;

impl Profile {
    fn new(columns: [String; 6]) -> Self {
        let mut hasher = Sha256::new();
        for column in &columns {
            hasher.update((column.len() as u64).to_le_bytes());
            hasher.update(column);
        }
        Self { digest: hasher.finalize().into(), description: digest(columns[DESCRIPTION].as_bytes()), columns }
    }
}

/// The digest of a document's text in its file.
pub(super) fn raw_digest(syntax: Syntax, raw: &[u8]) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update(match syntax {
        Syntax::Json => b"J",
        Syntax::Yaml => b"Y",
    });
    hasher.update(raw);
    hasher.finalize().into()
}

/// Memory that one document hands on to the next.
struct Scratch {
    text: Vec<u8>,
    reader: json::Reader,
    compressor: Compressor,
}

/// Prepares documents.
pub(super) struct Preparer<'k> {
    known: &'k KnownDocuments,
    input: &'k Input,
    scratches: Mutex<Vec<Scratch>>,
    keeps_all: bool,
}

impl<'k> Preparer<'k> {
    /// `keeps_all`: documents without a schema are kept too.
    pub(super) fn new(known: &'k KnownDocuments, input: &'k Input, keeps_all: bool) -> Self {
        Self { known, input, scratches: Mutex::default(), keeps_all }
    }

    /// The provenance of a document that was made of other files.
    fn made_of(&self, origin: Origin) -> Option<&'k Provenance> {
        self.input.files.get(origin.file as usize)?.made_of()
    }

    fn scratches(&self) -> MutexGuard<'_, Vec<Scratch>> {
        // A poisoned pool holds scratch memory only, which every use clears first.
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Consumer for Preparer<'_> {
    type Output = Prepared;

    fn recalls(&self) -> bool {
        !self.known.by_raw.is_empty()
    }

    fn wants_places(&self) -> bool {
        true
    }

    fn recall(&self, origin: Origin, raw: &[u8]) -> Option<Prepared> {
        // Equal texts that were made of other files have other places.
        if !self.recalls() || self.made_of(origin).is_some() {
            return None;
        }
        let digest = raw_digest(origin.syntax, raw);
        self.known.by_raw.get(&digest).map(|&source| Prepared {
            origin,
            start: start_in_file(origin, raw),
            raw: digest,
            is_read: true,
            plan: RowPlan::Known(source),
        })
    }

    fn document(&self, document: Document<'_>) -> Prepared {
        let origin = document.origin;
        let inspected = Box::new(check::inspect(&document));
        let raw = raw_digest(origin.syntax, document.raw);
        let made_of = self.made_of(origin);
        let start = match made_of.map(Provenance::start) {
            Some(it) => Position { line: it.line, column: it.column },
            None => start_in_file(origin, document.raw),
        };
        if let Err(failure) = &document.blob
            && self.keeps_all
            && let Some(new) = without_schema(failure)
        {
            let plan = match self.known.by_digest.get(&new.digest) {
                Some(&document) => RowPlan::Same(document, inspected, None),
                None => RowPlan::New(Box::new(new), inspected, None),
            };
            return Prepared { origin, start, raw, is_read: true, plan };
        }
        let Ok(blob) = &document.blob else {
            return Prepared { origin, start, raw, is_read: true, plan: RowPlan::Unreadable(inspected) };
        };
        let pooled = self.scratches().pop();
        let mut scratch = pooled.unwrap_or_else(|| Scratch {
            text: Vec::new(),
            reader: json::Reader::new(),
            compressor: Compressor::new(),
        });
        scratch.text.clear();
        json::write_compact(blob.value, &mut scratch.text);
        let digest = digest(&scratch.text);
        let layout = match made_of {
            Some(it) => layout_of_made(&document, it),
            None => layout_of(&document),
        };
        let plan = match self.known.by_digest.get(&digest) {
            Some(&document) => RowPlan::Same(document, inspected, layout),
            None => {
                let new = new_document(blob, &inspected.facts, digest, &mut scratch);
                RowPlan::New(Box::new(new), inspected, layout)
            }
        };
        self.scratches().push(scratch);
        let is_read = document.unread_from.is_none() && made_of.is_none();
        Prepared { origin, start, raw, is_read, plan }
    }
}

/// An object that lacks nothing but a schema.
fn without_schema(failure: &Failure) -> Option<NewDocument> {
    let [Defect { kind: DefectKind::MissingSchema(line), .. }] = &failure.defects[..] else { return None };
    let text = line.trim_end_matches('\n');
    let mut reader = json::Reader::new();
    let value = reader.read(text).ok().filter(|it| it.kind() == json::Kind::Object)?;
    let field = |key| value.get_field(key).and_then(|it| it.as_str()).unwrap_or_default().into_owned();
    Some(NewDocument {
        digest: digest(text.as_bytes()),
        schema: String::new(),
        package: field("package"),
        name: field("name"),
        text: Some(Compressor::new().store(text.as_bytes())),
        rows: Rows::Other,
    })
}

fn new_document(blob: &Blob<'_>, facts: &Facts, digest: Digest, scratch: &mut Scratch) -> NewDocument {
    let text = Some(scratch.compressor.store(&scratch.text));
    let rows = rows_of(blob, Some(facts), &mut scratch.reader);
    NewDocument {
        digest,
        schema: blob.schema.to_string(),
        package: blob.package.to_string(),
        name: blob.name.to_string(),
        text,
        rows,
    }
}

/// The rows that are derived from a document. `facts` are those that its check has copied already; `reader` is for
/// reading its manifests.
pub(super) fn rows_of(blob: &Blob<'_>, facts: Option<&Facts>, reader: &mut json::Reader) -> Rows {
    match &blob.typed {
        Typed::Package(it) => {
            let icon = it.icon.as_ref().map(|icon| (icon.mediatype.to_string(), icon.data.clone().unwrap_or_default()));
            let columns = [
                it.name.to_string(),
                String::new(),
                String::new(),
                String::new(),
                it.description.to_string(),
                String::new(),
            ];
            Rows::Package(Box::new(PackageRows {
                default_channel: it.default_channel.to_string(),
                icon,
                properties: it.properties.iter().map(property).collect(),
                profile: Some(Profile::new(columns)),
            }))
        }
        Typed::Channel(it) => {
            let entries = match facts {
                Some(Facts::Channel(it)) => Arc::clone(&it.entries),
                _ => it.entries.iter().flatten().map(Entry::from).collect(),
            };
            Rows::Channel(ChannelRows { entries, properties: it.properties.iter().map(property).collect() })
        }
        Typed::Bundle(it) => Rows::Bundle(Box::new(bundle(it, reader))),
        Typed::Deprecations(it) => {
            let all = it.entries.iter().flatten();
            Rows::Deprecations(all.map(|it| [&it.schema, &it.name, &it.message].map(ToString::to_string)).collect())
        }
        Typed::Other if blob.schema == openshift::SCHEMA => Rows::Lifecycle(Lifecycle::read(blob.value)),
        Typed::Other => Rows::Other,
    }
}

fn compact(value: json::Value<'_>) -> String {
    let mut text = Vec::new();
    json::write_compact(value, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

fn property(property: &PropertyView<'_>) -> PropertyRow {
    let is_big = property.kind == CSV_METADATA || property.kind == BUNDLE_OBJECT;
    (property.kind.to_string(), property.value.filter(|_| !is_big).map(compact))
}

fn bundle(bundle: &Bundle<'_>, reader: &mut json::Reader) -> BundleRows {
    let mut rows = light_bundle(bundle, reader, service_version::facts);
    rows.profile = Some(bundle_profile(bundle, &rows));
    rows
}

/// The rows of a bundle without the words by which people search.
pub(super) fn light_bundle(
    bundle: &Bundle<'_>,
    reader: &mut json::Reader,
    facts: impl Fn(CsvView<'_>) -> CsvFacts,
) -> BundleRows {
    let mut rows = named_bundle(bundle, reader, facts);
    rows.properties = bundle.properties.iter().map(property).collect();
    rows.related_images = bundle.related_images.iter().map(|it| (it.name.to_string(), it.image.to_string())).collect();
    for (position, property) in bundle.properties.iter().enumerate() {
        let Some(value) = property.value else { continue };
        match &*property.kind {
            "olm.gvk" => rows.provided.push(Api::of_fields(value)),
            "olm.gvk.required" => rows.required.push(Api::of_fields(value)),
            "olm.package.required" => {
                rows.required_packages.push((position, text(value, "packageName"), text(value, "versionRange")));
            }
            "olm.maxOpenShiftVersion" => {
                rows.max_openshift_version = match value.as_str() {
                    Some(text) => text.into_owned(),
                    None => compact(value),
                };
            }
            _ => {}
        }
    }
    rows
}

/// The image and the version of a bundle, with those facts of its ClusterServiceVersion that `facts` takes.
pub(super) fn named_bundle(
    bundle: &Bundle<'_>,
    reader: &mut json::Reader,
    facts: impl Fn(CsvView<'_>) -> CsvFacts,
) -> BundleRows {
    let mut rows = image_and_version(bundle);
    if let Some((facts_from, csv)) = from_csv(bundle, reader, facts) {
        (rows.facts_from, rows.csv) = (facts_from, csv);
    }
    rows
}

/// The facts that `read` takes from the ClusterServiceVersion of a bundle, and the type of the property that has it;
/// `None` if the bundle has none.
pub(super) fn from_csv<T>(
    bundle: &Bundle<'_>,
    reader: &mut json::Reader,
    read: impl Fn(CsvView<'_>) -> T,
) -> Option<(&'static str, T)> {
    if let Some(metadata) = first_property(bundle, CSV_METADATA) {
        return Some((CSV_METADATA, read(CsvView::of_metadata(metadata))));
    }
    let object = service_version::find_object(bundle)?;
    let text = json::decode_utf8(&object);
    let value = reader.read(&text).ok()?;
    Some((BUNDLE_OBJECT, read(CsvView::of_object(value))))
}

/// The rows of a bundle that decide about its place in upgrade graphs: all of its versions.
pub(super) fn versioned_bundle(bundle: &Bundle<'_>) -> BundleRows {
    let of_version = bundle.properties.iter().filter(|property| property.kind == "olm.package");
    BundleRows { properties: of_version.map(property).collect(), ..image_and_version(bundle) }
}

fn image_and_version(bundle: &Bundle<'_>) -> BundleRows {
    let mut rows = BundleRows { image: bundle.image.to_string(), ..BundleRows::default() };
    if let Some(package) = first_property(bundle, "olm.package") {
        rows.version = text(package, "version");
        rows.release = text(package, "release");
        rows.version_key = version_key(&rows.version, &rows.release);
    }
    rows
}

fn first_property<'b>(bundle: &Bundle<'b>, kind: &str) -> Option<json::Value<'b>> {
    bundle.properties.iter().filter(|property| property.kind == kind).find_map(|property| property.value)
}

/// The text in a field; empty if there is none.
fn text(value: json::Value<'_>, field: &str) -> String {
    value.get_field(field).and_then(|it| it.as_str()).map(Cow::into_owned).unwrap_or_default()
}

fn version_key(version: &str, release: &str) -> Option<Vec<u8>> {
    let version = Version::parse(version).ok()?;
    let release = Release::parse_optional(release).ok()?;
    Some(VersionRelease { version, release }.sort_key())
}

fn bundle_profile(bundle: &Bundle<'_>, rows: &BundleRows) -> Profile {
    // The names of a package's bundles differ in the version only; the part before it is worth searching.
    let stem = bundle.name.split('.').next().unwrap_or_default();
    let name = if stem == bundle.package { stem.to_owned() } else { format!("{} {stem}", bundle.package) };
    let mut words: Vec<&str> = rows.csv.keywords.iter().chain(&rows.csv.categories).map(String::as_str).collect();
    words.dedup();
    let mut apis: Vec<&Api> = rows.provided.iter().collect();
    apis.sort();
    apis.dedup();
    let apis: Vec<String> = apis.into_iter().map(|it| format!("{} {}/{}", it.kind, it.group, it.version)).collect();
    Profile::new([
        name,
        rows.csv.display_name.clone(),
        rows.csv.provider.clone(),
        words.join(" "),
        rows.csv.description.clone(),
        apis.join(" "),
    ])
}
