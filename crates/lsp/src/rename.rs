//! Another name for a bundle or a channel, wherever the catalog names it.
//!
//! Either all places are renamed or none: if a document cannot be read, or names come from aliases, some places would
//! be left behind, so the answer is no.

use std::collections::BTreeMap;
use std::ops::Range;

use thiserror::Error;

use super::catalog::{Catalog, Key, Named};
use super::definition::same;
use super::symbols::{Mention, Role, Thing};
use olmdex_text::json;
use olmdex_text::yaml::{Scalar, resolve_plain};

/// The reasons why something cannot get another name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum RenameError {
    #[error("no bundle or channel at this place")]
    Nothing,
    #[error("image references and other catalogs name a package: olmdex cannot rename it here")]
    Package,
    #[error("a name in a bundle is part of its image, and other bundles may name it: change it by hand")]
    InBundle,
    #[error("the new name is empty")]
    Empty,
    #[error("the new name has white space or a character that is not printable")]
    Unprintable,
    #[error("package `{package}` already has a {thing} `{name}`")]
    Taken { package: String, thing: &'static str, name: String },
    #[error("{0} is unreadable: correct it first, since the rename would miss names in it")]
    Unreadable(String),
    #[error("{0} has names in aliases, tags or over several lines, which the rename would miss")]
    Hidden(String),
    #[error("the directory has more files than olmdex reads here: rename with `olmdex edit`")]
    TooLarge,
}

/// The name at a byte, if it can get another one.
///
/// # Errors
/// [`RenameError`]
pub(super) fn prepare<'c>(catalog: &'c Catalog, key: &Key, offset: usize) -> Result<Named<'c>, RenameError> {
    let at = catalog.name_at(key, offset).ok_or(RenameError::Nothing)?;
    match at.mention.thing {
        Thing::Package => Err(RenameError::Package),
        Thing::Channel | Thing::Bundle => Ok(at),
    }
}

/// The changes of each document: bytes, and their replacement.
pub(super) type Changes = BTreeMap<Key, Vec<(Range<usize>, String)>>;

/// Renames the item that is named at a byte.
///
/// # Errors
/// [`RenameError`]
pub(super) fn rename(catalog: &Catalog, key: &Key, offset: usize, new: &str) -> Result<Changes, RenameError> {
    let at = prepare(catalog, key, offset)?.mention;
    if new.is_empty() {
        return Err(RenameError::Empty);
    }
    if new.chars().any(|it| it.is_control() || it.is_whitespace()) {
        return Err(RenameError::Unprintable);
    }
    if catalog.is_too_large() {
        return Err(RenameError::TooLarge);
    }
    if let Some(key) = catalog.unreadable() {
        return Err(RenameError::Unreadable(key.shown()));
    }
    let hidden = catalog.file_documents().find(|(_, _, document)| {
        let facts = &document.analysis.inspected.facts;
        document.analysis.mentions.is_incomplete && (facts.package() == at.package || facts.package().is_empty())
    });
    if let Some((key, ..)) = hidden {
        return Err(RenameError::Hidden(key.shown()));
    }
    let taken = Mention { name: new.to_owned(), ..at.clone() };
    if new != at.name && same(catalog, &taken).any(|it| matches!(it.mention.role, Role::Own | Role::Entry)) {
        let (package, thing) = (at.package.clone(), at.thing.word());
        return Err(RenameError::Taken { package, thing, name: new.to_owned() });
    }
    let mut changes = Changes::new();
    for it in same(catalog, at) {
        changes.entry(it.key.clone()).or_default().push((it.start..it.end, written(new, it.mention.quote)));
    }
    Ok(changes)
}

/// A name as it is written: with the quotes that were there, or with some where it would be no text without.
fn written(name: &str, quote: char) -> String {
    let in_double = || json::quoted(name);
    match quote {
        '"' => in_double(),
        '\'' => format!("'{}'", name.replace('\'', "''")),
        _ if is_plain(name) => name.to_owned(),
        _ => in_double(),
    }
}

/// Whether a name is a text of YAML without quotes, at any place.
fn is_plain(name: &str) -> bool {
    let is_safe = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.' | '+');
    let starts = name.starts_with(|it: char| it.is_ascii_alphanumeric());
    starts && name.chars().all(is_safe) && matches!(resolve_plain(name), Scalar::Str(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_texts() {
        for (name, quote, expected) in [
            ("till.v1.0.0", ' ', "till.v1.0.0"),
            ("till.v1.0.0", '"', "\"till.v1.0.0\""),
            ("it's", '\'', "'it''s'"),
            ("1.0", ' ', "\"1.0\""),
            ("true", ' ', "\"true\""),
            ("2020-01-01", ' ', "\"2020-01-01\""),
            ("a:b", ' ', "\"a:b\""),
            ("a\"b", ' ', "\"a\\\"b\""),
            ("- a", ' ', "\"- a\""),
            ("<<", ' ', "\"<<\""),
        ] {
            assert_eq!(written(name, quote), expected);
        }
    }
}
