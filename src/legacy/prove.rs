//! The proof of a migration: the legacy file and the blobs that were made of it, each read by a reader of its own, say
//! the same.
//!
//! The legacy side is read here by plain queries, and its properties from the rows as they were read; nothing of the
//! conversion (its graph, its choice of bundles, its survey of manifests) is used. The blobs are read as any catalog is. What one side has and the other has not is either one of the known losses, which are named,
//! or the proof fails.
//!
//! What it deliberately does not do: it does not ask whether the catalog is valid.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use sha2::{Digest as _, Sha256};

use super::catalog::LegacyCatalog;
use super::error::LegacyError;
use super::rows::{each, text};
use super::rules;
use super::survey::with_column;
use crate::diag::{Finding, Rule};
use crate::fbc::{BUNDLE_OBJECT, Blob, Bundle, Consumer, Document, Input, Typed, for_each_object, load};
use crate::json::{self, Reader, Value};

/// Type of the property that stands for a ClusterServiceVersion.
const CSV_METADATA: &str = "olm.csv.metadata";

/// One side: facts by what they are about.
#[derive(Debug, Default)]
struct Side {
    /// Package and default channel.
    packages: BTreeMap<String, String>,
    /// Package, channel.
    channels: BTreeSet<(String, String)>,
    /// Package, channel, bundle.
    members: BTreeSet<(String, String, String)>,
    /// Package, channel, bundle that comes, bundle that goes.
    edges: BTreeSet<(String, String, String, String)>,
    bundles: BTreeMap<String, BundleSide>,
}

/// What one side says of a bundle.
#[derive(Debug, Default, Clone)]
struct BundleSide {
    image: String,
    version: String,
    skip_ranges: BTreeSet<String>,
    /// Type and value in normal form.
    properties: BTreeSet<(String, String)>,
    images: BTreeSet<String>,
    /// Digests of manifests, in normal form.
    manifests: BTreeSet<[u8; 32]>,
    has_csv_metadata: bool,
}

/// Compares a legacy catalog with the blobs that were made of it. Losses are warnings, anything else is an error.
///
/// # Errors
/// If the legacy file cannot be read.
pub fn prove(catalog: &LegacyCatalog, blobs: &Input) -> Result<Vec<Finding>, LegacyError> {
    let mut proof = Proof { findings: Vec::new() };
    let new = new_side(blobs, &mut proof);
    let old = old_side(catalog, &mut proof)?;
    proof.compare(&old, &new, catalog);
    Ok(proof.findings)
}

struct Proof {
    findings: Vec<Finding>,
}

impl Proof {
    fn say(&mut self, rule: &'static Rule, message: String, package: Option<&str>) {
        self.findings.push(rules::finding(rule, message, package));
    }

    fn differs(&mut self, message: String, package: &str) {
        self.say(rules::NOT_PROVED, message, Some(package));
    }

    fn compare(&mut self, old: &Side, new: &Side, catalog: &LegacyCatalog) {
        let left_out: BTreeSet<&str> =
            old.packages.keys().map(String::as_str).filter(|it| !new.packages.contains_key(*it)).collect();
        for package in &left_out {
            let why = catalog.problems().iter().find(|it| it.package.as_deref() == Some(*package));
            match why {
                Some(problem) => {
                    let message = format!("package `{package}` is left out: {}", problem.text);
                    self.say(rules::INCONVERTIBLE, message, Some(package));
                }
                None => self.differs(format!("package `{package}` is missing"), package),
            }
        }
        for (package, default) in &new.packages {
            match old.packages.get(package) {
                Some(it) if it == default => {}
                Some(it) => self.differs(
                    format!(
                        "package `{package}` has the default channel `{it}` in the old file and `{default}` in the new"
                    ),
                    package,
                ),
                None => self.differs(format!("package `{package}` is not in the old file"), package),
            }
        }
        self.compare_sets(
            "channel",
            &old.channels,
            &new.channels,
            |it| (&it.0, format!("`{}` of `{}`", it.1, it.0)),
            &left_out,
        );
        let member = |it: &(String, String, String)| format!("`{}` in channel `{}` of `{}`", it.2, it.1, it.0);
        self.compare_sets("entry", &old.members, &new.members, |it| (&it.0, member(it)), &left_out);
        self.compare_edges(old, new, &left_out);
        let converted: BTreeSet<&str> = new.members.iter().map(|it| it.2.as_str()).collect();
        for name in &converted {
            match (old.bundles.get(*name), new.bundles.get(*name)) {
                (Some(old), Some(new)) => self.compare_bundle(name, old, new),
                (None, _) => self.differs(format!("bundle `{name}` is not in the old file"), name),
                (_, None) => self.differs(format!("bundle `{name}` is missing"), name),
            }
        }
    }

    fn compare_sets<T: Ord>(
        &mut self,
        what: &str,
        old: &BTreeSet<T>,
        new: &BTreeSet<T>,
        name: impl Fn(&T) -> (&String, String),
        left_out: &BTreeSet<&str>,
    ) {
        for it in old.difference(new) {
            let (package, name) = name(it);
            if !left_out.contains(package.as_str()) {
                self.differs(format!("{what} {name} is missing"), package);
            }
        }
        for it in new.difference(old) {
            let (package, name) = name(it);
            self.differs(format!("{what} {name} is not in the old file"), package);
        }
    }

    fn compare_edges(&mut self, old: &Side, new: &Side, left_out: &BTreeSet<&str>) {
        for edge in new.edges.difference(&old.edges) {
            let (package, channel, to, from) = edge;
            let message = format!(
                "channel `{channel}` of `{package}`: an upgrade from `{from}` to `{to}` is not in the old file"
            );
            self.differs(message, package);
        }
        let is_member = |package: &str, channel: &str, bundle: &str| {
            new.members.contains(&(package.to_owned(), channel.to_owned(), bundle.to_owned()))
        };
        for (package, channel, to, from) in old.edges.difference(&new.edges) {
            if left_out.contains(package.as_str()) {
                continue;
            }
            let message = format!("channel `{channel}` of `{package}`: the upgrade from `{from}` to `{to}` is lost");
            let first = (package.clone(), channel.clone(), to.clone(), from.clone());
            let has_another = new
                .edges
                .range(first..)
                .take_while(|it| (&it.0, &it.1, &it.2) == (package, channel, to))
                .any(|it| it.3 > *from);
            if !is_member(package, channel, to) || has_another {
                self.say(rules::LOST_EDGE, message, Some(package));
            } else {
                self.differs(message, package);
            }
        }
    }

    fn compare_bundle(&mut self, name: &str, old: &BundleSide, new: &BundleSide) {
        let mut differs = |what: &str, old: &str, new: &str| {
            if old != new {
                let message = format!("bundle `{name}` has the {what} `{old}` in the old file and `{new}` in the new");
                self.findings.push(rules::finding(rules::NOT_PROVED, message, None));
            }
        };
        differs("image", &old.image, &new.image);
        differs("version", &old.version, &new.version);
        let list = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(", ");
        differs("skipRange", &list(&old.skip_ranges), &list(&new.skip_ranges));
        for (kind, value) in old.properties.difference(&new.properties) {
            self.differs(format!("bundle `{name}`: the property `{kind}` {value} is missing"), name);
        }
        for (kind, value) in new.properties.difference(&old.properties) {
            // One that names the package is made for bundles that have none, and one that stands for manifests for
            // those that have some.
            let is_made =
                matches!(kind.as_str(), "olm.package" | CSV_METADATA) && !old.properties.iter().any(|it| it.0 == *kind);
            if !is_made {
                self.differs(format!("bundle `{name}`: the property `{kind}` {value} is not in the old file"), name);
            }
        }
        for image in old.images.difference(&new.images) {
            self.differs(format!("bundle `{name}`: the related image `{image}` is missing"), name);
        }
        for image in new.images.difference(&old.images) {
            self.differs(format!("bundle `{name}`: the related image `{image}` is not in the old file"), name);
        }
        let n_lost = old.manifests.difference(&new.manifests).count();
        if n_lost > 0 {
            let message = format!("bundle `{name}`: {n_lost} manifests are lost");
            if new.has_csv_metadata {
                self.say(rules::LOST_MANIFESTS, message, None);
            } else {
                self.differs(message, name);
            }
        }
        let n_new = new.manifests.difference(&old.manifests).count();
        if n_new > 0 {
            self.differs(format!("bundle `{name}`: {n_new} manifests are not in the old file"), name);
        }
    }
}

/// A JSON text in normal form; other texts as they are.
fn normal(text: &str, reader: &mut Reader) -> String {
    match reader.read(text) {
        Ok(value) => normal_value(value),
        Err(_) => text.to_owned(),
    }
}

fn normal_value(value: Value<'_>) -> String {
    let mut out = Vec::new();
    json::write_compact(value, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn digest(text: &[u8], reader: &mut Reader) -> [u8; 32] {
    let text = json::decode_utf8(text);
    Sha256::digest(normal(&text, reader).as_bytes()).into()
}

/// The blobs, read as any catalog is.
fn new_side(blobs: &Input, proof: &mut Proof) -> Side {
    struct Read;
    /// What one document says.
    enum Fact {
        Side(Side),
        Broken(String),
    }
    impl Consumer for Read {
        type Output = Fact;

        fn document(&self, document: Document<'_>) -> Fact {
            match document.blob {
                Ok(blob) => Fact::Side(blob_side(&blob)),
                Err(failure) => Fact::Broken(failure.defects.first().map(|it| it.kind.to_string()).unwrap_or_default()),
            }
        }
    }
    let mut side = Side::default();
    let done: Result<(), std::convert::Infallible> = load(blobs, &Read, |fact| {
        match fact {
            Fact::Side(it) => {
                side.packages.extend(it.packages);
                side.channels.extend(it.channels);
                side.members.extend(it.members);
                side.edges.extend(it.edges);
                for (name, bundle) in it.bundles {
                    let entry = side.bundles.entry(name).or_default();
                    let ranges = std::mem::take(&mut entry.skip_ranges);
                    let is_channel = bundle.properties.is_empty() && bundle.image.is_empty();
                    if is_channel {
                        entry.skip_ranges = ranges.into_iter().chain(bundle.skip_ranges).collect();
                    } else {
                        *entry = BundleSide { skip_ranges: ranges, ..bundle };
                    }
                }
            }
            Fact::Broken(error) => proof.differs(format!("a blob cannot be read: {error}"), ""),
        }
        Ok(())
    });
    match done {
        Ok(()) => side,
    }
}

fn blob_side(blob: &Blob<'_>) -> Side {
    let mut side = Side::default();
    match &blob.typed {
        Typed::Package(it) => {
            side.packages.insert(it.name.to_string(), it.default_channel.to_string());
        }
        Typed::Channel(it) => {
            let (package, channel) = (it.package.to_string(), it.name.to_string());
            side.channels.insert((package.clone(), channel.clone()));
            for entry in it.entries.iter().flatten() {
                let name = entry.name.to_string();
                side.members.insert((package.clone(), channel.clone(), name.clone()));
                let gone = entry.skips.iter().chain([&entry.replaces]).filter(|it| !it.is_empty());
                for from in gone {
                    side.edges.insert((package.clone(), channel.clone(), name.clone(), from.to_string()));
                }
                if !entry.skip_range.is_empty() {
                    side.bundles.entry(name).or_default().skip_ranges.insert(entry.skip_range.to_string());
                }
            }
        }
        Typed::Bundle(it) => {
            side.bundles.insert(it.name.to_string(), bundle_side(it));
        }
        _ => {}
    }
    side
}

fn bundle_side(bundle: &Bundle<'_>) -> BundleSide {
    let mut side = BundleSide { image: bundle.image.to_string(), ..BundleSide::default() };
    for property in &bundle.properties {
        let Some(value) = property.value else { continue };
        match &*property.kind {
            BUNDLE_OBJECT => {}
            kind => {
                side.has_csv_metadata |= kind == CSV_METADATA;
                if kind == "olm.package" {
                    side.version = value.get("version").and_then(|it| it.as_str()).unwrap_or_default().into_owned();
                }
                side.properties.insert((kind.to_owned(), normal_value(value)));
            }
        }
    }
    side.images = bundle.related_images.iter().map(|it| it.image.to_string()).collect();
    let mut reader = Reader::new();
    // What cannot be read shows as missing.
    let _ = for_each_object(bundle, |object| {
        side.manifests.insert(digest(object, &mut reader));
    });
    side
}

/// The legacy file, by plain queries.
fn old_side(catalog: &LegacyCatalog, proof: &mut Proof) -> Result<Side, LegacyError> {
    let file = catalog.file();
    let connection = file.connect()?;
    let mut read = || -> rusqlite::Result<Side> {
        let mut side = Side::default();
        old_bundles(catalog, &connection, &mut side, proof)?;
        old_graph(&connection, &mut side, proof)?;
        Ok(side)
    };
    read().map_err(|error| LegacyError::sqlite(file.path(), &error))
}

fn old_graph(connection: &rusqlite::Connection, side: &mut Side, proof: &mut Proof) -> rusqlite::Result<()> {
    each(connection, "SELECT name, ifnull(default_channel, '') FROM package WHERE name IS NOT NULL", |row| {
        side.packages.insert(text(row, 0)?.unwrap_or_default(), text(row, 1)?.unwrap_or_default());
        Ok(())
    })?;
    let mut heads = Vec::new();
    each(connection, "SELECT package_name, name, head_operatorbundle_name FROM channel", |row| {
        if let (Some(package), Some(name)) = (text(row, 0)?, text(row, 1)?) {
            heads.push((package.clone(), name.clone(), text(row, 2)?));
            side.channels.insert((package, name));
        }
        Ok(())
    })?;
    let rows = "SELECT e.package_name, e.channel_name, e.operatorbundle_name, r.operatorbundle_name
                FROM channel_entry e LEFT JOIN channel_entry r ON r.entry_id = e.replaces ORDER BY e.entry_id";
    let mut lost: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    each(connection, rows, |row| {
        let (Some(package), Some(channel), Some(bundle)) = (text(row, 0)?, text(row, 1)?, text(row, 2)?) else {
            return Ok(());
        };
        if side.bundles.contains_key(&bundle) {
            side.members.insert((package.clone(), channel.clone(), bundle.clone()));
        } else {
            lost.entry(package.clone()).or_default().insert(bundle.clone());
        }
        if let Some(from) = text(row, 3)? {
            // A list of names with commas falls apart on the way; so it does here.
            for from in from.split(',').filter(|it| !it.is_empty()) {
                side.edges.insert((package.clone(), channel.clone(), bundle.clone(), from.to_owned()));
            }
        }
        Ok(())
    })?;
    for (package, channel, head) in heads {
        let none = String::new;
        let incoming: BTreeSet<&String> = side
            .edges
            .range((package.clone(), channel.clone(), none(), none())..)
            .take_while(|it| it.0 == package && it.1 == channel)
            .map(|it| &it.3)
            .collect();
        let tops: Vec<&String> = side
            .members
            .range((package.clone(), channel.clone(), none())..)
            .take_while(|it| it.0 == package && it.1 == channel)
            .filter(|it| !incoming.contains(&it.2))
            .map(|it| &it.2)
            .collect();
        if let ([top], Some(head)) = (tops.as_slice(), &head)
            && *top != head
        {
            let message = format!(
                "channel `{channel}` of `{package}` names `{head}` as its head, and its edges make it `{top}`: the name is lost"
            );
            proof.say(rules::GRAPH_IGNORES_COLUMN, message, Some(&package));
        }
    }
    Ok(())
}

fn old_bundles(
    catalog: &LegacyCatalog,
    connection: &rusqlite::Connection,
    side: &mut Side,
    proof: &mut Proof,
) -> rusqlite::Result<()> {
    let rows = &catalog.model.rows;
    let mut reader = Reader::new();
    let mut marked = BTreeSet::new();
    for bundle in &rows.bundles {
        let (Some(image), Some(version)) = (&bundle.image, &bundle.version) else { continue };
        let mut it = BundleSide { image: image.clone(), version: version.clone(), ..BundleSide::default() };
        it.skip_ranges.extend(bundle.skip_range.clone().filter(|it| !it.is_empty()));
        for (_, kind, value) in rows.properties.values(&bundle.name) {
            if kind == "olm.deprecated" {
                marked.insert(bundle.name.clone());
            }
            let value = value.unwrap_or_default();
            if kind == BUNDLE_OBJECT {
                it.manifests.extend(stored_manifest(value, &mut reader));
                continue;
            }
            let value = if kind == "olm.gvk" { api(value, &mut reader) } else { normal(value, &mut reader) };
            it.properties.insert((kind.to_owned(), value));
        }
        for (_, kind, value) in rows.dependencies.values(&bundle.name) {
            let value = value.unwrap_or_default();
            match kind {
                "olm.gvk" => {
                    it.properties.insert(("olm.gvk.required".to_owned(), api(value, &mut reader)));
                }
                "olm.package" => {
                    it.properties.insert(("olm.package.required".to_owned(), required(value, &mut reader)));
                }
                _ => {
                    let message = format!("bundle `{}`: the dependency `{kind}` {value} is lost", bundle.name);
                    proof.say(rules::LOST_DEPENDENCY, message, None);
                }
            }
        }
        it.images.extend(rows.images.get(&bundle.name).into_iter().flatten().cloned());
        if bundle.n_manifests > 0 {
            with_column(connection, "bundle", bundle.rowid, |manifests| {
                let manifests = json::decode_utf8(manifests);
                let mut at = 0;
                let mut scan = Reader::new();
                while let Ok((value, end)) = scan.read_at(&manifests, at) {
                    if value.get("kind").and_then(|it| it.as_str()).as_deref() == Some("ClusterServiceVersion") {
                        let listed = value.get_field("spec").and_then(|it| it.get_field("relatedImages"));
                        let images = listed.into_iter().flat_map(|it| it.items());
                        let image = |it: Value<'_>| {
                            it.get_field("image").and_then(|it| it.as_str()).unwrap_or_default().into_owned()
                        };
                        it.images.extend(images.map(image));
                    }
                    it.manifests.insert(Sha256::digest(normal_value(value).as_bytes()).into());
                    at = end;
                }
            })?;
        } else if bundle.n_csv > 0 {
            let message =
                format!("bundle `{}`: its ClusterServiceVersion is lost, as it has no manifests", bundle.name);
            proof.say(rules::LOST_MANIFESTS, message, None);
        }
        let substitutes = bundle.substitutes_for.as_deref().unwrap_or_default();
        if !substitutes.is_empty() {
            let message = format!("bundle `{}`: that it substitutes for `{substitutes}` is lost", bundle.name);
            proof.say(rules::LOST_COLUMN, message, None);
        }
        side.bundles.insert(bundle.name.clone(), it);
    }
    for name in marked {
        side.bundles.remove(&name);
        let message = format!("bundle `{name}` is deprecated, and lost");
        proof.say(rules::DEPRECATED_BUNDLE, message, None);
    }
    Ok(())
}

/// The digest of a manifest that is stored as a property.
fn stored_manifest(value: &str, reader: &mut Reader) -> Option<[u8; 32]> {
    let data = reader.read(value).ok()?.get_field("data")?.as_str()?.into_owned();
    let manifest = base64::engine::general_purpose::STANDARD.decode(data).ok()?;
    Some(digest(&manifest, reader))
}

/// An API in normal form.
fn api(text: &str, reader: &mut Reader) -> String {
    let Ok(value) = reader.read(text) else { return text.to_owned() };
    let field = |key: &str| value.get_field(key).and_then(|it| it.as_str()).unwrap_or_default().into_owned();
    super::properties::object(&[("group", &field("group")), ("kind", &field("kind")), ("version", &field("version"))])
}

/// A required package in normal form.
fn required(text: &str, reader: &mut Reader) -> String {
    let Ok(value) = reader.read(text) else { return text.to_owned() };
    let field = |key: &str| value.get_field(key).and_then(|it| it.as_str()).unwrap_or_default().into_owned();
    super::properties::object(&[("packageName", &field("packageName")), ("versionRange", &field("version"))])
}
