//! The entries of a channel.

use std::collections::HashSet;

use super::documents::PackageDocuments;
use super::error::EditError;
use super::target::CHANNEL;
use olmdex_text::json::Tree;

/// Changes the entries of a channel; a channel that does not exist yet is created.
pub(super) fn change_entries(
    package: &mut PackageDocuments,
    channel: &str,
    change: impl FnOnce(&mut Vec<Tree>) -> Result<(), EditError>,
) -> Result<(), EditError> {
    if let Some(new) = package.added_mut(CHANNEL, channel) {
        new.change_list("entries", change)
    } else if package.of(CHANNEL).all(|it| it.name != channel) {
        let mut new = new_channel(&package.package, channel, Vec::new());
        new.change_list("entries", change)?;
        package.add(CHANNEL, new);
        Ok(())
    } else {
        package.one(CHANNEL, "channel", channel)?.change(|it| it.change_list("entries", change))
    }
}

/// The document of a new channel.
pub(super) fn new_channel(package: &str, name: &str, entries: Vec<Tree>) -> Tree {
    let document = Tree::object().with("schema", CHANNEL).with("name", name).with("package", package);
    document.with("entries", Tree::List(entries))
}

/// The one entry of a channel that no other one replaces or skips; an empty name if there are no entries.
pub(super) fn head(channel: &str, entries: &[Tree]) -> Result<String, EditError> {
    // Names that an entry of another name replaces or skips.
    let mut below: HashSet<&str> = HashSet::new();
    for entry in entries {
        let named = std::iter::once(entry.text_of_field("replaces")).chain(entry.texts_of("skips"));
        below.extend(named.filter(|it| *it != entry.text_of_field("name")));
    }
    let names = entries.iter().map(|it| it.text_of_field("name"));
    let mut heads: Vec<&str> = names.filter(|it| !below.contains(it)).collect();
    if heads.len() > 1 || (heads.is_empty() && !entries.is_empty()) {
        let message =
            format!("channel `{channel}` has {} heads, so it is unclear which one the new entry replaces", heads.len());
        return Err(EditError::unfit(message, "fix the channel first, or name the edges"));
    }
    Ok(heads.pop().unwrap_or_default().to_owned())
}
