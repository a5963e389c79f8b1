//! The parts of a document that have no rows of their own: descriptions, icons, the metadata of a
//! ClusterServiceVersion, and fields that nobody knows.
//!
//! What it deliberately does not do: parts that are rows (`facts.rs`) are not looked at again, and no part is looked
//! into further than the fields of `olm.csv.metadata`.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::Key;
use super::inventory::Pair;
use super::thing::Thing;
use super::{Change, Subject};
use crate::error::NotAnIndex;
use crate::{Index, IndexError, compression};
use olmdex_text::json;

const TEXT: &str = "SELECT codec, size, bytes FROM document_text WHERE document = ?1";

/// Fields whose values are rows, or the document's name.
const IN_ROWS: [&str; 8] =
    ["schema", "name", "package", "defaultChannel", "entries", "image", "properties", "relatedImages"];

/// The two forms in which a catalog gives a ClusterServiceVersion: properties of these types.
const FORMS: [&str; 2] = ["olm.bundle.object", "olm.csv.metadata"];

type Parts = BTreeMap<Key, BTreeSet<String>>;

/// Makes one part of the metadata of a bundle that has them in another form on each side: what the forms have in common
/// cannot be told from what only one of them holds.
pub(super) fn settle_forms(pairs: &[Pair], old: &mut Parts, new: &mut Parts) {
    for pair in pairs.iter().filter(|it| it.key.subject == Subject::Bundle) {
        let (Some(old_form), Some(new_form)) = (only_form(old, &pair.key), only_form(new, &pair.key)) else { continue };
        if old_form == new_form {
            continue;
        }
        for (parts, form) in [(&mut *old, old_form), (&mut *new, new_form)] {
            for key in keys_of(parts, &pair.key).filter(|it| form_of(it).is_some()).cloned().collect::<Vec<_>>() {
                parts.remove(&key);
            }
            let field = Change::METADATA_FORM.to_owned();
            let key = Key { thing: pair.key.clone(), subject: Subject::Bundle, field };
            parts.entry(key).or_default().insert(form.to_owned());
        }
    }
}

/// The form of a bundle's metadata, if it has one only.
fn only_form(parts: &Parts, bundle: &Thing) -> Option<&'static str> {
    let forms: BTreeSet<&str> = keys_of(parts, bundle).filter_map(form_of).collect();
    FORMS.into_iter().find(|it| forms.len() == 1 && forms.contains(it))
}

fn form_of(key: &Key) -> Option<&'static str> {
    FORMS.into_iter().find(|form| key.field.strip_prefix(form).is_some_and(|it| it.is_empty() || it.starts_with('.')))
}

fn keys_of<'p>(parts: &'p Parts, thing: &'p Thing) -> impl Iterator<Item = &'p Key> {
    // Nothing sorts before this key of the thing.
    let first = Key { thing: thing.clone(), subject: Subject::Package, field: String::new() };
    parts.range(first..).map(|(key, _)| key).take_while(move |key| key.thing == *thing)
}

/// Adds the parts of a document.
pub(super) fn read(index: &Index, document: i64, thing: &Thing, parts: &mut Parts) -> Result<(), IndexError> {
    let damaged = || {
        let message = "a stored document cannot be unpacked".to_owned();
        IndexError::not_an_index(index.path(), NotAnIndex::Damaged { message })
    };
    let mut add = |field: String, value: &str| {
        let key = Key { thing: thing.clone(), subject: thing.subject, field };
        parts.entry(key).or_default().insert(value.to_owned());
    };
    let rows = index.rows(TEXT, [document], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, Vec<u8>>(2)?)))?;
    for (codec, size, bytes) in rows {
        let text = compression::load(codec, size, &bytes).ok_or_else(damaged)?;
        let text = std::str::from_utf8(&text).map_err(|_| damaged())?;
        let mut reader = json::Reader::new();
        let value = reader.read(text).map_err(|_| damaged())?;
        for (key, value) in value.members() {
            let key = key.as_str().unwrap_or_default();
            if !IN_ROWS.contains(&key.as_ref()) {
                add(key.into_owned(), value.raw());
            }
        }
        for property in value.get("properties").iter().flat_map(json::Value::items) {
            let Some(value) = property.get("value") else { continue };
            match property.get("type").and_then(|it| it.as_str()).as_deref() {
                Some(kind @ "olm.csv.metadata") => {
                    for (key, value) in value.members() {
                        add(format!("{kind}.{}", key.as_str().unwrap_or_default()), value.raw());
                    }
                }
                Some(kind @ "olm.bundle.object") => add(kind.to_owned(), value.raw()),
                _ => {}
            }
        }
    }
    Ok(())
}
