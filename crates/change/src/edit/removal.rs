//! Removes bundles and channels, and joins the entries around them.

use std::collections::{BTreeSet, HashSet};

use super::deprecation::drop_about;
use super::documents::PackageDocuments;
use super::error::EditError;
use super::object::{items, list, text, texts, with, with_text, with_texts};
use super::target::{BUNDLE, CHANNEL, PACKAGE};
use olmdex_olm::upgrade::either_range;

/// Takes a bundle out of the package. The entry that replaced it now replaces what the bundle replaced, and skips the
/// bundle and everything that it skipped, so that all its users have a way on.
pub(super) fn bundle(package: &mut PackageDocuments, name: &str) -> Result<(), EditError> {
    package.one(BUNDLE, "bundle", name)?.remove();
    for channel in package.of_mut(CHANNEL) {
        let mut entries = items(&channel.json, "entries");
        let Some(at) = entries.iter().position(|it| text(it, "name") == name) else { continue };
        let gone = entries.remove(at);
        if entries.is_empty() {
            let message = format!("channel `{}` would be empty", channel.name);
            return Err(EditError::unfit(message, "remove the channel instead"));
        }
        for entry in entries.iter_mut().filter(|it| text(it, "replaces") == name) {
            *entry = in_its_place(entry, &gone);
        }
        channel.set(with(&channel.json, "entries", Some(&list(&entries))));
    }
    drop_about(package, |about| about.schema == BUNDLE && about.name == name);
    Ok(())
}

/// An entry with direct edges instead of those that led through another one.
fn in_its_place(entry: &str, gone: &str) -> String {
    let mut skips = texts(entry, "skips");
    let mut known: HashSet<String> = skips.iter().cloned().collect();
    for skipped in [text(gone, "name")].into_iter().chain(texts(gone, "skips")) {
        if known.insert(skipped.clone()) {
            skips.push(skipped);
        }
    }
    let ranges: Vec<String> =
        [entry, gone].map(|it| text(it, "skipRange")).into_iter().filter(|it| !it.is_empty()).collect();
    let range = match ranges.as_slice() {
        [one, other] => either_range(one, other),
        _ => ranges.concat(),
    };
    let entry = with_text(entry, "replaces", &text(gone, "replaces"));
    with_text(&with_texts(&entry, "skips", &skips), "skipRange", &range)
}

/// Takes a channel out of the package, with the bundles that no other channel has.
pub(super) fn channel(package: &mut PackageDocuments, name: &str) -> Result<(), EditError> {
    let document = package.one(CHANNEL, "channel", name)?;
    let own: BTreeSet<String> = items(&document.json, "entries").iter().map(|it| text(it, "name")).collect();
    document.remove();
    if package.of(PACKAGE).any(|it| text(&it.json, "defaultChannel") == name) {
        let message = format!("`{name}` is the default channel");
        return Err(EditError::unfit(
            message,
            "make another one the default first, with `olmdex edit default-channel`",
        ));
    }
    let kept: BTreeSet<String> =
        package.of(CHANNEL).flat_map(|it| items(&it.json, "entries")).map(|it| text(&it, "name")).collect();
    let gone: BTreeSet<&str> = own.difference(&kept).map(String::as_str).collect();
    package.of_mut(BUNDLE).filter(|it| gone.contains(&*it.name)).for_each(super::documents::Document::remove);
    drop_about(package, |about| match about.schema {
        CHANNEL => about.name == name,
        BUNDLE => gone.contains(about.name),
        _ => false,
    });
    Ok(())
}
