//! Fixes findings with one safe answer at their places, and nowhere else.

use std::collections::HashSet;

use super::documents::PackageDocuments;
use super::object::{items, list, read, text, with};
use super::target::{BUNDLE, CHANNEL};
use olmdex_base::diag::Rule;
use olmdex_rules::check::practice::rules::{BUNDLE_IMAGE_NOT_RELATED, REPEATED_RELATED_IMAGE};
use olmdex_rules::check::rules::EMPTY_FIELD;
use olmdex_text::json::quoted;

/// The possible fixes in a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PackageFix {
    /// The first of several identical related images stays, and the others go.
    RepeatedImages,
    /// The image of a bundle joins its related images, without a name, as opm lists it.
    OwnImage,
    /// `replaces` and `skipRange` that are empty texts go.
    EmptyEdges,
}

impl PackageFix {
    /// The fix for findings of a rule, if there is one.
    #[must_use]
    pub fn of(rule: &Rule) -> Option<Self> {
        let all = [
            (REPEATED_RELATED_IMAGE, Self::RepeatedImages),
            (BUNDLE_IMAGE_NOT_RELATED, Self::OwnImage),
            (EMPTY_FIELD, Self::EmptyEdges),
        ];
        all.into_iter().find(|it| it.0.id == rule.id).map(|it| it.1)
    }

    pub(super) fn apply(self, package: &mut PackageDocuments) {
        let (schema, mend): (_, fn(&str) -> String) = match self {
            Self::RepeatedImages => (BUNDLE, without_repeated_images),
            Self::OwnImage => (BUNDLE, with_own_image),
            Self::EmptyEdges => (CHANNEL, without_empty_edges),
        };
        for document in package.of_mut(schema) {
            document.set(mend(&document.json));
        }
    }
}

fn without_repeated_images(bundle: &str) -> String {
    let all = items(bundle, "relatedImages");
    let mut seen = HashSet::new();
    let kept: Vec<String> = all.iter().filter(|it| seen.insert(it.as_str())).cloned().collect();
    if kept.len() == all.len() { bundle.to_owned() } else { with(bundle, "relatedImages", Some(&list(&kept))) }
}

fn with_own_image(bundle: &str) -> String {
    let image = text(bundle, "image");
    let mut all = items(bundle, "relatedImages");
    if image.is_empty() || all.iter().any(|it| text(it, "image") == image) {
        return bundle.to_owned();
    }
    all.push(format!(r#"{{"name":"","image":{}}}"#, quoted(&image)));
    with(bundle, "relatedImages", Some(&list(&all)))
}

fn without_empty_edges(channel: &str) -> String {
    let mut entries = items(channel, "entries");
    let mut is_changed = false;
    for entry in &mut entries {
        for field in ["replaces", "skipRange"] {
            let is_empty = |it: olmdex_text::json::Value<'_>| {
                it.get_field(field).and_then(|it| it.as_str()).is_some_and(|it| it.is_empty())
            };
            if read(entry, is_empty) == Some(true) {
                *entry = with(entry, field, None);
                is_changed = true;
            }
        }
    }
    if is_changed { with(channel, "entries", Some(&list(&entries))) } else { channel.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_wrong_changes() {
        type Mending = fn(&str) -> String;
        let cases: [(Mending, &str, &str); 9] = [
            (
                without_repeated_images,
                r#"{"relatedImages":[{"name":"a","image":"x"},{"name":"a","image":"x"}],"z":1}"#,
                r#"{"relatedImages":[{"image":"x","name":"a"}],"z":1}"#,
            ),
            (without_repeated_images, r#"{"relatedImages":[{"name":"a","image":"x"},{"name":"b","image":"x"}]}"#, ""),
            (without_repeated_images, r#"{"relatedImages":null}"#, ""),
            (
                with_own_image,
                r#"{"image":"x","relatedImages":[{"name":"a","image":"y"}]}"#,
                r#"{"image":"x","relatedImages":[{"image":"y","name":"a"},{"name":"","image":"x"}]}"#,
            ),
            (with_own_image, r#"{"image":"x"}"#, r#"{"image":"x","relatedImages":[{"name":"","image":"x"}]}"#),
            (with_own_image, r#"{"image":"x","relatedImages":[{"name":"a","image":"x"}]}"#, ""),
            (with_own_image, r#"{"image":""}"#, ""),
            (
                without_empty_edges,
                r#"{"entries":[{"name":"a","replaces":"","skipRange":"","skips":[""]},{"name":"b","replaces":"a"}]}"#,
                r#"{"entries":[{"name":"a","skips":[""]},{"name":"b","replaces":"a"}]}"#,
            ),
            (without_empty_edges, r#"{"entries":[{"name":"a","replaces":null}]}"#, ""),
        ];
        for (mend, before, after) in cases {
            assert_eq!(mend(before), if after.is_empty() { before } else { after });
        }
    }
}
