//! The entries of a channel.

use std::collections::HashSet;

use super::documents::PackageDocuments;
use super::error::EditError;
use super::object::{items, list, text, texts, with};
use super::target::CHANNEL;
use olmdex_text::json::quoted;

/// Changes the entries of a channel; a channel that does not exist yet is created.
pub(super) fn change_entries(
    package: &mut PackageDocuments,
    channel: &str,
    change: impl FnOnce(&mut Vec<String>) -> Result<(), EditError>,
) -> Result<(), EditError> {
    let changed = |json: &str| {
        let mut entries = items(json, "entries");
        change(&mut entries)?;
        Ok::<_, EditError>(with(json, "entries", Some(&list(&entries))))
    };
    if let Some(new) = package.added_mut(CHANNEL, channel) {
        *new = changed(new)?;
    } else if package.of(CHANNEL).all(|it| it.name != channel) {
        let (name, owner) = (quoted(channel), quoted(&package.package));
        let json = format!(r#"{{"schema":"{CHANNEL}","name":{name},"package":{owner},"entries":[]}}"#);
        package.add(CHANNEL, changed(&json)?);
    } else {
        let document = package.one(CHANNEL, "channel", channel)?;
        document.set(changed(&document.json)?);
    }
    Ok(())
}

/// The one entry of a channel that no other one replaces or skips; an empty name if there are no entries.
pub(super) fn head(channel: &str, entries: &[String]) -> Result<String, EditError> {
    let names: Vec<String> = entries.iter().map(|it| text(it, "name")).collect();
    // Names that an entry of another name replaces or skips.
    let mut below: HashSet<String> = HashSet::new();
    for (name, entry) in names.iter().zip(entries) {
        let named = std::iter::once(text(entry, "replaces")).chain(texts(entry, "skips"));
        below.extend(named.filter(|it| it != name));
    }
    let mut heads: Vec<String> = names.into_iter().filter(|it| !below.contains(it)).collect();
    if heads.len() > 1 || (heads.is_empty() && !entries.is_empty()) {
        let message =
            format!("channel `{channel}` has {} heads, so it is unclear which one the new entry replaces", heads.len());
        return Err(EditError::unfit(message, "fix the channel first, or name the edges"));
    }
    Ok(heads.pop().unwrap_or_default())
}
