//! Removes bundles and channels, and joins the entries around them.

use std::collections::{BTreeSet, HashSet};

use super::deprecation::drop_about;
use super::documents::{Document, PackageDocuments};
use super::error::EditError;
use super::target::{BUNDLE, CHANNEL, PACKAGE};
use olmdex_olm::upgrade::either_range;
use olmdex_text::json::Tree;

/// Takes a bundle out of the package. The entry that replaced it now replaces what the bundle replaced, and skips the
/// bundle and everything that it skipped, so that all its users have a way on.
pub(super) fn bundle(package: &mut PackageDocuments, name: &str) -> Result<(), EditError> {
    package.one(BUNDLE, "bundle", name)?.remove();
    for channel in package.of_mut(CHANNEL) {
        let entries = channel.tree().items_of("entries");
        let Some(at) = entries.iter().position(|it| it.text_of_field("name") == name) else { continue };
        if entries.len() == 1 {
            let message = format!("channel `{}` would be empty", channel.name);
            return Err(EditError::unfit(message, "remove the channel instead"));
        }
        channel.change(|it| {
            it.change_list("entries", |entries| {
                let gone = entries.remove(at);
                for entry in entries.iter_mut().filter(|it| it.text_of_field("replaces") == name) {
                    take_its_place(entry, &gone);
                }
            });
        });
    }
    drop_about(package, |about| about.schema == BUNDLE && about.name == name);
    Ok(())
}

/// Gives an entry direct edges instead of those that led through another one.
fn take_its_place(entry: &mut Tree, gone: &Tree) {
    let mut skips: Vec<String> = entry.texts_of("skips").map(str::to_owned).collect();
    let mut known: HashSet<String> = skips.iter().cloned().collect();
    for skipped in std::iter::once(gone.text_of_field("name")).chain(gone.texts_of("skips")) {
        if known.insert(skipped.to_owned()) {
            skips.push(skipped.to_owned());
        }
    }
    let ranges = [&*entry, gone].map(|it| it.text_of_field("skipRange"));
    let range = match ranges {
        [one, other] if !one.is_empty() && !other.is_empty() => either_range(one, other),
        _ => ranges.concat(),
    };
    entry.set_text("replaces", gone.text_of_field("replaces"));
    entry.set_texts("skips", &skips);
    entry.set_text("skipRange", &range);
}

/// Takes a channel out of the package, with the bundles that no other channel has.
pub(super) fn channel(package: &mut PackageDocuments, name: &str) -> Result<(), EditError> {
    let document = package.one(CHANNEL, "channel", name)?;
    let names = |it: &Document| -> BTreeSet<String> {
        it.tree().items_of("entries").iter().map(|it| it.text_of_field("name").to_owned()).collect()
    };
    let own = names(document);
    document.remove();
    if package.of(PACKAGE).any(|it| it.tree().text_of_field("defaultChannel") == name) {
        let message = format!("`{name}` is the default channel");
        return Err(EditError::unfit(
            message,
            "make another one the default first, with `olmdex edit default-channel`",
        ));
    }
    let kept: BTreeSet<String> = package.of(CHANNEL).flat_map(names).collect();
    let gone: BTreeSet<&str> = own.difference(&kept).map(String::as_str).collect();
    package.of_mut(BUNDLE).filter(|it| gone.contains(&*it.name)).for_each(Document::remove);
    drop_about(package, |about| match about.schema {
        CHANNEL => about.name == name,
        BUNDLE => gone.contains(about.name),
        _ => false,
    });
    Ok(())
}
