//! Copies bundles of one channel on top of another one.

use std::collections::{HashMap, HashSet};

use super::documents::{Document, PackageDocuments};
use super::entries::{change_entries, head};
use super::error::EditError;
use super::target::CHANNEL;
use olmdex_text::json::Tree;

/// Copies the entries of a channel from the head of the other one up to a bundle, or only that bundle, which then skips
/// the entries between.
pub(super) fn promote(
    package: &mut PackageDocuments,
    bundle: &str,
    from: Option<&str>,
    to: &str,
    only: bool,
) -> Result<(), EditError> {
    let source = source(package, bundle, from, to)?;
    let entries = package.one(CHANNEL, "channel", &source)?.tree().items_of("entries").to_vec();
    let top = match package.added_mut(CHANNEL, to) {
        Some(added) => head(to, added.items_of("entries"))?,
        None => {
            let held = package.of(CHANNEL).find(|it| it.name == to).map(|it| it.tree().items_of("entries"));
            head(to, held.unwrap_or_default())?
        }
    };
    // The chain from the bundle down to the entry after the head.
    let mut by_name: HashMap<&str, &Tree> = HashMap::with_capacity(entries.len());
    for entry in &entries {
        by_name.entry(entry.text_of_field("name")).or_insert(entry);
    }
    let mut chain: Vec<&Tree> = Vec::new();
    let mut at = bundle;
    let mut is_above = top.is_empty();
    let mut passed: HashSet<&str> = HashSet::new();
    while let Some(entry) = by_name.get(at).copied().filter(|_| passed.insert(at)) {
        chain.push(entry);
        let replaces = entry.text_of_field("replaces");
        if !top.is_empty() && (replaces == top || entry.texts_of("skips").any(|it| it == top)) {
            is_above = true;
            break;
        }
        at = replaces;
    }
    if !is_above {
        let message = format!("in `{source}`, no upgrade leads from `{top}`, the head of `{to}`, to `{bundle}`");
        return Err(EditError::unfit(
            message,
            "only an entry that upgrades the head can follow it; set other edges with `olmdex edit add`",
        ));
    }
    change_entries(package, to, |held| {
        let mut there: HashSet<String> = held.iter().map(|it| it.text_of_field("name").to_owned()).collect();
        if there.contains(bundle) {
            return Err(EditError::taken_entry(to, bundle));
        }
        if only {
            let between = chain.iter().skip(1).map(|it| it.text_of_field("name"));
            let mut skips: Vec<&str> = chain[0].texts_of("skips").chain(between).filter(|it| *it != top).collect();
            skips.dedup();
            let mut entry = chain[0].clone();
            entry.set_text("replaces", &top);
            entry.set_texts("skips", &skips);
            held.push(entry);
            return Ok(());
        }
        for &entry in chain.iter().rev() {
            let name = entry.text_of_field("name");
            if !there.insert(name.to_owned()) {
                continue;
            }
            let replaced = entry.text_of_field("replaces");
            let mut entry = entry.clone();
            // An entry that replaces itself hangs on nothing.
            if !replaced.is_empty() && (!there.contains(replaced) || replaced == name) {
                entry.set_text("replaces", &top);
            }
            held.push(entry);
        }
        Ok(())
    })
}

/// The channel that a bundle comes from.
fn source(package: &mut PackageDocuments, bundle: &str, from: Option<&str>, to: &str) -> Result<String, EditError> {
    let has = |it: &Document| it.tree().items_of("entries").iter().any(|it| it.text_of_field("name") == bundle);
    let having: Vec<String> =
        package.of(CHANNEL).filter(|it| it.name != to && has(it)).map(|it| it.name.clone()).collect();
    match (from, having.as_slice()) {
        (Some(from), _) => {
            let document = package.one(CHANNEL, "channel", from)?;
            if !has(document) {
                let known = document.tree().items_of("entries").iter();
                let known = known.map(|it| it.text_of_field("name").to_owned()).collect();
                return Err(EditError::unknown_entry(from, bundle, known));
            }
            Ok(from.to_owned())
        }
        (None, [only]) => Ok(only.clone()),
        (None, []) => {
            let message = format!("no other channel has `{bundle}`");
            Err(EditError::unfit(message, "`olmdex edit add` adds a bundle to a channel"))
        }
        (None, several) => {
            let message = format!("`{bundle}` is in several channels: {}", several.join(", "));
            Err(EditError::unfit(message, "choose the source channel with `--from-channel`"))
        }
    }
}
