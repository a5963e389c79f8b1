//! The parts of a document that have no rows of their own: descriptions, icons, the metadata of a
//! ClusterServiceVersion, and unknown fields.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rusqlite::Row;

use super::change::{Change, Subject};
use super::facts::Key;
use super::inventory::Pair;
use super::merge::of_both;
use crate::{Index, IndexError, compression};
use olmdex_text::json::{self, Value};

const TEXT: &str = "SELECT codec, size, bytes FROM document_text WHERE document = ?1";

/// Fields whose values are rows, or the document's name.
const IN_ROWS: [&str; 8] =
    ["schema", "name", "package", "defaultChannel", "entries", "image", "properties", "relatedImages"];

/// The two forms of a ClusterServiceVersion in a catalog: properties of these types.
const FORMS: [&str; 2] = ["olm.bundle.object", "olm.csv.metadata"];

/// Parts of things that are not the same in both catalogs: the values of each side, where it has the part.
pub(super) type DifferingParts = BTreeMap<Key, (Option<BTreeSet<String>>, Option<BTreeSet<String>>)>;

/// Parts of one document, by their fields.
type Parts<'d> = BTreeMap<Cow<'d, str>, BTreeSet<&'d str>>;

/// So many pairs are held packed at once, which bounds memory where catalogs differ in every bundle.
const CHUNK: usize = 512;

/// A document as an index holds it.
struct Packed {
    codec: i64,
    size: i64,
    bytes: Vec<u8>,
}

/// The parts in which the documents of pairs differ.
pub(super) fn differing_parts(old: &Index, new: &Index, pairs: &[Pair]) -> Result<DifferingParts, IndexError> {
    let mut found = DifferingParts::new();
    for pairs in pairs.chunks(CHUNK) {
        let read = |pair: &Pair| Ok((packed(old, pair.old)?, packed(new, pair.new)?));
        let texts = pairs.iter().map(read).collect::<Result<Vec<_>, IndexError>>()?;
        // Unpacking is most of the work.
        let compared: Vec<_> = pairs.par_iter().zip(&texts).map(|(pair, (old, new))| compare(pair, old, new)).collect();
        for parts in compared {
            found.extend(parts.map_err(|damaged| {
                let index = if damaged == Damaged::Old { old } else { new };
                index.damaged("a stored document cannot be unpacked")
            })?);
        }
    }
    Ok(found)
}

fn packed(index: &Index, document: i64) -> Result<Option<Packed>, IndexError> {
    let row = |row: &Row<'_>| Ok(Packed { codec: row.get(0)?, size: row.get(1)?, bytes: row.get(2)? });
    Ok(index.rows(TEXT, [document], row)?.pop())
}

/// The document of a pair that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damaged {
    Old,
    New,
}

/// The parts in which two documents differ.
fn compare(pair: &Pair, old: &Option<Packed>, new: &Option<Packed>) -> Result<DifferingParts, Damaged> {
    let unpack = |packed: &Option<Packed>| match packed {
        Some(it) => String::from_utf8(compression::load(it.codec, it.size, &it.bytes)?.into_owned()).ok(),
        None => Some("{}".to_owned()),
    };
    let old = unpack(old).ok_or(Damaged::Old)?;
    let new = unpack(new).ok_or(Damaged::New)?;
    let (mut old_reader, mut new_reader) = (json::Reader::new(), json::Reader::new());
    let mut old = parts(old_reader.read(&old).map_err(|_| Damaged::Old)?);
    let mut new = parts(new_reader.read(&new).map_err(|_| Damaged::New)?);
    if pair.key.subject == Subject::Bundle {
        settle_forms(&mut old, &mut new);
    }
    let owned = |values: &BTreeSet<&str>| values.iter().map(|it| (*it).to_owned()).collect();
    let differing = of_both(&old, &new).filter(|(_, old, new)| old != new).map(|(field, old, new)| {
        let key = Key { thing: pair.key.clone(), subject: pair.key.subject, field: field.clone().into_owned() };
        (key, (old.map(owned), new.map(owned)))
    });
    Ok(differing.collect())
}

/// Makes one part of the metadata of a bundle that has them in another form on each side: what the forms have in common
/// cannot be told from what only one of them holds.
fn settle_forms<'d>(old: &mut Parts<'d>, new: &mut Parts<'d>) {
    let (Some(old_form), Some(new_form)) = (only_form(old), only_form(new)) else { return };
    if old_form == new_form {
        return;
    }
    for (parts, form) in [(old, old_form), (new, new_form)] {
        parts.retain(|field, _| form_of(field).is_none());
        parts.insert(Change::METADATA_FORM.into(), BTreeSet::from([form]));
    }
}

/// The form of a bundle's metadata, if it has one only.
fn only_form(parts: &Parts<'_>) -> Option<&'static str> {
    let forms: BTreeSet<&str> = parts.keys().filter_map(|it| form_of(it)).collect();
    FORMS.into_iter().find(|it| forms.len() == 1 && forms.contains(it))
}

fn form_of(field: &str) -> Option<&'static str> {
    FORMS.into_iter().find(|form| field.strip_prefix(form).is_some_and(|it| it.is_empty() || it.starts_with('.')))
}

/// The parts of a document.
fn parts(document: Value<'_>) -> Parts<'_> {
    let mut parts = Parts::new();
    for (key, value) in document.members() {
        let key = key.as_str().unwrap_or_default();
        if !IN_ROWS.contains(&key.as_ref()) {
            parts.entry(key).or_default().insert(value.raw());
        }
    }
    for property in document.get("properties").iter().flat_map(Value::items) {
        let Some(value) = property.get("value") else { continue };
        match property.get("type").and_then(|it| it.as_str()).as_deref() {
            Some(kind @ "olm.csv.metadata") => {
                for (key, value) in value.members() {
                    let field = format!("{kind}.{}", key.as_str().unwrap_or_default());
                    parts.entry(field.into()).or_default().insert(value.raw());
                }
            }
            Some(kind @ "olm.bundle.object") => {
                parts.entry(kind.to_owned().into()).or_default().insert(value.raw());
            }
            _ => {}
        }
    }
    parts
}
