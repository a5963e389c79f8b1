//! The targets of a name, and the places where an item is named.

use super::catalog::{Catalog, Key, Named};
use super::symbols::{Mention, Role, Thing};

/// The targets of the name at a byte. An entry leads to its bundle; an edge to the entry of its channel, or to the
/// bundle if the channel has no such entry; a bundle to the entries that list it; anything else to the document of that
/// name.
pub(super) fn definitions<'c>(catalog: &'c Catalog, key: &Key, offset: usize) -> Vec<Named<'c>> {
    let Some(at) = catalog.name_at(key, offset) else { return Vec::new() };
    let mention = at.mention;
    let of_role =
        |role: Role| -> Vec<Named<'c>> { same(catalog, mention).filter(|it| it.mention.role == role).collect() };
    let is_edge = matches!(mention.role, Role::Replaces | Role::Skips);
    let found = if mention.role == Role::Own && mention.thing == Thing::Bundle {
        of_role(Role::Entry)
    } else if is_edge {
        let entries = of_role(Role::Entry).into_iter();
        entries.filter(|it| it.mention.channel == mention.channel).collect()
    } else {
        of_role(Role::Own)
    };
    if found.is_empty() { of_role(Role::Own) } else { found }
}

/// Everywhere the thing at a byte is named.
pub(super) fn references<'c>(catalog: &'c Catalog, key: &Key, offset: usize) -> Vec<Named<'c>> {
    match catalog.name_at(key, offset) {
        Some(at) => same(catalog, at.mention).collect(),
        None => Vec::new(),
    }
}

/// The names of the same thing.
pub(super) fn same<'c>(catalog: &'c Catalog, of: &Mention) -> impl Iterator<Item = Named<'c>> {
    let (thing, name, package) = (of.thing, of.name.clone(), of.package.clone());
    // A substitution names a bundle without its package.
    let is_anywhere = of.role == Role::Base;
    catalog.names().filter(move |it| {
        let is_of_package = thing == Thing::Package || is_anywhere || it.mention.package == package;
        let is_of_package = is_of_package || it.mention.role == Role::Base;
        it.mention.thing == thing && it.mention.name == name && is_of_package
    })
}
