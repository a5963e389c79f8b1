//! The order of channels: the one with the highest head comes first.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::catalog::{Catalog, Channel};
use olmdex_version::Version;

/// The version of a channel's head; if there are several heads, the highest, and without a head that of the highest
/// entry.
fn head_version<'c>(catalog: &'c Catalog, channel: &Channel) -> Option<&'c Version> {
    let entries = &channel.entries;
    let left: HashSet<&str> =
        entries.iter().flat_map(|it| it.skips.iter().chain([&it.replaces])).map(String::as_str).collect();
    let heads = entries.iter().filter(|it| !left.contains(it.name.as_str()));
    let highest = |names: &mut dyn Iterator<Item = &str>| names.filter_map(|it| catalog.versions.get(it)).max();
    highest(&mut heads.map(|it| it.name.as_str())).or_else(|| highest(&mut entries.iter().map(|it| it.name.as_str())))
}

/// Channels by package, the default one first, then by the version of their head, the highest first, then by name.
pub(super) fn in_version_order(catalog: &Catalog) -> Vec<&Channel> {
    let mut channels: Vec<&Channel> = catalog.channels.iter().collect();
    channels.sort_by_cached_key(|it| {
        let (is_other, head) = (!catalog.is_default(it), Reverse(head_version(catalog, it)));
        (it.package.as_str(), is_other, head, it.name.as_str())
    });
    channels
}
