//! Deprecations: one document of a package has all of them.

use super::documents::PackageDocuments;
use super::error::EditError;
use super::target::{BUNDLE, CHANNEL, PACKAGE, Target};
use olmdex_text::json::Tree;

const DEPRECATIONS: &str = "olm.deprecations";

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

    /// The subject of an entry.
    fn of(entry: &'a Tree) -> Self {
        let text = |field| entry.get_field("reference").map(|it| it.text_of_field(field)).unwrap_or_default();
        Self { schema: text("schema"), name: text("name") }
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
    let reference = Tree::object().with("schema", about.schema).with_text("name", about.name);
    let entry = Tree::object().with("reference", reference).with("message", message);
    let owner = package.package.clone();
    let Some(document) = package.of_mut(DEPRECATIONS).next() else {
        let document = Tree::object().with("schema", DEPRECATIONS).with("package", owner);
        package.add("", document.with("entries", Tree::list([entry])));
        return Ok(());
    };
    document.change(|it| {
        it.change_list("entries", |entries| match entries.iter_mut().find(|it| about.is_same(Reference::of(it))) {
            Some(old) => old.set_text("message", message),
            None => entries.push(entry),
        });
    });
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
        let n_meant = document.tree().items_of("entries").iter().filter(|it| is_meant(Reference::of(it))).count();
        if n_meant == 0 {
            continue;
        }
        is_found = true;
        if n_meant == document.tree().items_of("entries").len() {
            document.remove();
        } else {
            document
                .change(|it| it.change_list("entries", |entries| entries.retain(|it| !is_meant(Reference::of(it)))));
        }
    }
    is_found
}

/// Lets the deprecations of something refer to its new name.
pub(super) fn rename(package: &mut PackageDocuments, schema: &str, from: &str, to: &str) {
    let old = Reference { schema, name: from };
    for document in package.of_mut(DEPRECATIONS) {
        document.change(|it| {
            it.change_list("entries", |entries| {
                for entry in entries.iter_mut().filter(|it| old.is_same(Reference::of(it))) {
                    if let Some(reference) = entry.get_field_mut("reference") {
                        reference.set_text("name", to);
                    }
                }
            });
        });
    }
}
