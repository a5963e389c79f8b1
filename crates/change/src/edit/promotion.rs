//! Copies bundles of one channel on top of another one.

use std::collections::{HashMap, HashSet};

use super::documents::PackageDocuments;
use super::entries::{change_entries, head};
use super::error::EditError;
use super::object::{items, text, texts, with_text, with_texts};
use super::target::CHANNEL;

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
    let entries = items(&package.one(CHANNEL, "channel", &source)?.json, "entries");
    let held = package.of(CHANNEL).find(|it| it.name == to).map(|it| items(&it.json, "entries")).unwrap_or_default();
    let held = package.added_mut(CHANNEL, to).map_or(held, |it| items(it, "entries"));
    let top = head(to, &held)?;
    // The chain from the bundle down to the entry after the head.
    let mut by_name: HashMap<String, &String> = HashMap::with_capacity(entries.len());
    for it in &entries {
        by_name.entry(text(it, "name")).or_insert(it);
    }
    let mut chain: Vec<String> = Vec::new();
    let mut at = bundle.to_owned();
    let mut is_above = top.is_empty();
    let mut passed: HashSet<String> = HashSet::new();
    while let Some(entry) = by_name.get(&at).map(|it| (*it).clone()) {
        if !passed.insert(at.clone()) {
            break;
        }
        let (replaces, skips) = (text(&entry, "replaces"), texts(&entry, "skips"));
        chain.push(entry);
        if !top.is_empty() && (replaces == top || skips.contains(&top)) {
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
        let mut there: HashSet<String> = held.iter().map(|it| text(it, "name")).collect();
        if there.contains(bundle) {
            return Err(EditError::taken_entry(to, bundle));
        }
        if only {
            let between = chain.iter().skip(1).map(|it| text(it, "name"));
            let mut skips = texts(&chain[0], "skips");
            skips.extend(between.filter(|it| *it != top));
            skips.retain(|it| *it != top);
            skips.dedup();
            held.push(with_texts(&with_text(&chain[0], "replaces", &top), "skips", &skips));
            return Ok(());
        }
        for entry in chain.iter().rev() {
            if !there.insert(text(entry, "name")) {
                continue;
            }
            let replaced = text(entry, "replaces");
            // An entry that replaces itself hangs on nothing.
            let hangs = !replaced.is_empty() && (!there.contains(&replaced) || replaced == text(entry, "name"));
            held.push(if hangs { with_text(entry, "replaces", &top) } else { entry.clone() });
        }
        Ok(())
    })
}

/// The channel that a bundle comes from.
fn source(package: &mut PackageDocuments, bundle: &str, from: Option<&str>, to: &str) -> Result<String, EditError> {
    let has = |json: &str| items(json, "entries").iter().any(|it| text(it, "name") == bundle);
    let having: Vec<String> =
        package.of(CHANNEL).filter(|it| it.name != to && has(&it.json)).map(|it| it.name.clone()).collect();
    match (from, having.as_slice()) {
        (Some(from), _) => {
            let document = package.one(CHANNEL, "channel", from)?;
            if !has(&document.json) {
                let known = items(&document.json, "entries").iter().map(|it| text(it, "name")).collect();
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
