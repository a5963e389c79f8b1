//! Fixes findings with one safe answer at their places, and nowhere else.

use std::collections::HashSet;

use super::documents::PackageDocuments;
use super::target::{BUNDLE, CHANNEL};
use olmdex_base::diag::Rule;
use olmdex_rules::check::check_image;
use olmdex_rules::check::practice::rules::{BUNDLE_IMAGE_NOT_RELATED, REPEATED_RELATED_IMAGE};
use olmdex_rules::check::rules::{EMPTY_FIELD, INVALID_IMAGE};
use olmdex_text::json::Tree;

/// The possible fixes in a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PackageFix {
    /// The first of several identical related images stays, and the others go.
    RepeatedImages,
    /// The image of a bundle joins its related images, without a name, as opm lists it.
    OwnImage,
    /// `replaces` and `skipRange` that are empty texts go.
    EmptyEdges,
    /// White space around the images of a bundle goes, where the rest is an image.
    WhiteSpace,
}

impl PackageFix {
    /// The fix for findings of a rule, if there is one.
    pub fn of(rule: &Rule) -> Option<Self> {
        let all = [
            (REPEATED_RELATED_IMAGE, Self::RepeatedImages),
            (BUNDLE_IMAGE_NOT_RELATED, Self::OwnImage),
            (EMPTY_FIELD, Self::EmptyEdges),
            (INVALID_IMAGE, Self::WhiteSpace),
        ];
        all.into_iter().find(|it| it.0.id == rule.id).map(|it| it.1)
    }

    pub(super) fn apply(self, package: &mut PackageDocuments) {
        let (schema, mend): (_, fn(&mut Tree)) = match self {
            Self::RepeatedImages => (BUNDLE, without_repeated_images),
            Self::OwnImage => (BUNDLE, with_own_image),
            Self::EmptyEdges => (CHANNEL, without_empty_edges),
            Self::WhiteSpace => (BUNDLE, without_white_space),
        };
        for document in package.of_mut(schema) {
            document.change(mend);
        }
    }
}

fn without_repeated_images(bundle: &mut Tree) {
    let all = bundle.items_of("relatedImages");
    let mut seen = HashSet::new();
    let kept: Vec<Tree> = all.iter().filter(|it| seen.insert(*it)).cloned().collect();
    if kept.len() < all.len() {
        bundle.set("relatedImages", Tree::List(kept));
    }
}

fn with_own_image(bundle: &mut Tree) {
    let image = bundle.text_of_field("image").to_owned();
    if image.is_empty() || bundle.items_of("relatedImages").iter().any(|it| it.text_of_field("image") == image) {
        return;
    }
    let own = Tree::object().with("name", "").with("image", image);
    bundle.change_list("relatedImages", |all| all.push(own));
}

fn without_empty_edges(channel: &mut Tree) {
    let is_empty = |entry: &Tree, field: &str| entry.get_field(field).and_then(Tree::as_str) == Some("");
    let fields = ["replaces", "skipRange"];
    if !channel.items_of("entries").iter().any(|entry| fields.iter().any(|field| is_empty(entry, field))) {
        return;
    }
    channel.change_list("entries", |entries| {
        for entry in entries {
            for field in fields {
                if is_empty(entry, field) {
                    entry.remove(field);
                }
            }
        }
    });
}

fn without_white_space(bundle: &mut Tree) {
    let plain = |object: &Tree| {
        let image = object.text_of_field("image");
        Some(image.trim()).filter(|plain| *plain != image && check_image(plain).is_ok()).map(str::to_owned)
    };
    if let Some(image) = plain(bundle) {
        bundle.set("image", image);
    }
    if bundle.items_of("relatedImages").iter().any(|related| plain(related).is_some()) {
        bundle.change_list("relatedImages", |all| {
            for related in all {
                if let Some(image) = plain(related) {
                    related.set("image", image);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_wrong_changes() {
        type Mending = fn(&mut Tree);
        let cases: [(Mending, &str, &str); 11] = [
            (
                without_white_space,
                r#"{"image":"q.io/b/c ","relatedImages":[{"name":"a","image":"q.io/x:1\n"},{"name":"b","image":"x y"}]}"#,
                r#"{"image":"q.io/b/c","relatedImages":[{"image":"q.io/x:1","name":"a"},{"image":"x y","name":"b"}]}"#,
            ),
            (without_white_space, r#"{"image":" ","relatedImages":[{"name":"a","image":"A B"}]}"#, ""),
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
            let before = Tree::read(&Tree::read(before).unwrap().normal()).unwrap();
            let mut document = before.clone();
            mend(&mut document);
            assert_eq!(document.compact(), if after.is_empty() { before.compact() } else { after.to_owned() });
        }
    }
}
