//! Deprecations: one document of a package has all of them.

use super::documents::PackageDocuments;
use super::error::EditError;
use super::object::{items, list, read, text, with, with_text};
use super::target::{BUNDLE, CHANNEL, PACKAGE, Target};
use olmdex_text::json::quoted;

const DEPRECATIONS: &str = "olm.deprecations";

/// The reference of an entry.
fn reference(entry: &str) -> String {
    read(entry, |it| it.get_field("reference").map(|value| value.compact())).flatten().unwrap_or_default()
}

/// The subject of a deprecation entry.
#[derive(Clone, Copy)]
pub(super) struct Reference<'a> {
    pub(super) schema: &'a str,
    pub(super) name: &'a str,
}

impl<'a> Reference<'a> {
    fn to(target: &'a Target) -> Self {
        let (schema, name) = match target {
            Target::Package => (PACKAGE, ""),
            Target::Channel(name) => (CHANNEL, name.as_str()),
            Target::Bundle(name) => (BUNDLE, name.as_str()),
        };
        Self { schema, name }
    }

    /// Whether both refer to the same thing. A reference to a package has no name.
    fn is_same(self, other: Self) -> bool {
        self.schema == other.schema && (self.schema == PACKAGE || self.name == other.name)
    }

    /// Whether an entry is about the same.
    fn is_of(self, entry: &str) -> bool {
        let reference = reference(entry);
        self.is_same(Reference { schema: &text(&reference, "schema"), name: &text(&reference, "name") })
    }
}

/// Checks that the package has the thing to deprecate.
fn must_be_there(package: &mut PackageDocuments, target: &Target) -> Result<(), EditError> {
    match target {
        Target::Package => Ok(()),
        Target::Channel(name) => package.one(CHANNEL, "channel", name).map(drop),
        Target::Bundle(name) => package.one(BUNDLE, "bundle", name).map(drop),
    }
}

pub(super) fn deprecate(package: &mut PackageDocuments, target: &Target, message: &str) -> Result<(), EditError> {
    must_be_there(package, target)?;
    let about = Reference::to(target);
    let Reference { schema, name } = about;
    let reference = with_text(&format!(r#"{{"schema":"{schema}"}}"#), "name", name);
    let entry = format!(r#"{{"reference":{reference},"message":{}}}"#, quoted(message));
    let owner = quoted(&package.package);
    let Some(document) = package.of_mut(DEPRECATIONS).next() else {
        package.add("", format!(r#"{{"schema":"{DEPRECATIONS}","package":{owner},"entries":[{entry}]}}"#));
        return Ok(());
    };
    let mut entries = items(&document.json, "entries");
    match entries.iter_mut().find(|it| about.is_of(it)) {
        Some(old) => *old = with_text(old, "message", message),
        None => entries.push(entry),
    }
    document.set(with(&document.json, "entries", Some(&list(&entries))));
    Ok(())
}

pub(super) fn undeprecate(package: &mut PackageDocuments, target: &Target) -> Result<(), EditError> {
    let wanted = Reference::to(target);
    if !drop_about(package, |about| wanted.is_same(about)) {
        let what = match target {
            Target::Package => format!("package `{}`", package.package),
            Target::Channel(name) => format!("channel `{name}`"),
            Target::Bundle(name) => format!("`{name}`"),
        };
        return Err(EditError::unfit(format!("{what} is not deprecated"), "`olmdex show` lists the deprecations"));
    }
    Ok(())
}

/// Removes the deprecations of things, by schema and name; a document without entries goes. Returns whether there was
/// one.
pub(super) fn drop_about(package: &mut PackageDocuments, is_meant: impl Fn(Reference<'_>) -> bool) -> bool {
    let mut is_found = false;
    for document in package.of_mut(DEPRECATIONS) {
        let mut entries = items(&document.json, "entries");
        let before = entries.len();
        entries.retain(|it| {
            let reference = reference(it);
            !is_meant(Reference { schema: &text(&reference, "schema"), name: &text(&reference, "name") })
        });
        if entries.len() == before {
            continue;
        }
        is_found = true;
        if entries.is_empty() {
            document.remove();
        } else {
            document.set(with(&document.json, "entries", Some(&list(&entries))));
        }
    }
    is_found
}

/// Lets the deprecations of something refer to its new name.
pub(super) fn rename(package: &mut PackageDocuments, schema: &str, from: &str, to: &str) {
    for document in package.of_mut(DEPRECATIONS) {
        let mut entries = items(&document.json, "entries");
        for entry in entries.iter_mut().filter(|it| Reference { schema, name: from }.is_of(it)) {
            *entry = with(entry, "reference", Some(&with_text(&reference(entry), "name", to)));
        }
        document.set(with(&document.json, "entries", Some(&list(&entries))));
    }
}
