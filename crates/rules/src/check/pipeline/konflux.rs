//! The checks of Konflux's `validate-fbc` on the documents of a fragment (0.1 and 0.2, as of July 2026).

use super::super::facts::Draft;
use super::super::inspect::draft;
use super::super::property::draft_at;
use super::documents::{BundleOutline, Documents};
use super::outcome::{Outcome, Unchecked, finding};
use super::rules;
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::BUNDLE_OBJECT;

/// From here on, catalogs have `olm.csv.metadata`.
const WITHOUT_OBJECTS: Minor = Minor { major: 4, minor: 17 };

/// The outcome for images, metadata and packages. `shown` is the catalog's name.
pub(super) fn check(documents: &Documents<'_>, openshift: Option<Minor>, shown: &str) -> Outcome {
    let mut drafts = Vec::new();
    for (number, bundle) in documents.bundles() {
        drafts.extend(images(bundle).into_iter().map(|it| (number, it)));
    }
    let mut outcome = Outcome::default();
    match openshift {
        Some(openshift) => metadata(documents, openshift, &mut drafts),
        None => outcome.unchecked.push(Unchecked::new(
            rules::VALIDATE_FBC,
            "whether bundles have the metadata for their OpenShift version; name the version with `--openshift`, \
            or name a Dockerfile whose base image has its tag",
        )),
    }
    outcome.findings = documents.findings(drafts);
    if documents.packages().next().is_none() {
        let message = "the fragment has no package".to_owned();
        outcome.findings.push(finding(rules::NO_PACKAGE, shown, 1, message, "add an `olm.package`"));
    }
    outcome
}

fn images(bundle: &BundleOutline) -> Vec<Draft> {
    let BundleOutline { name, image, .. } = bundle;
    let mut found = Vec::new();
    if image.is_empty() {
        return found;
    }
    if !is_pinned(image) {
        let message = format!("bundle `{name}` does not name its image by the sha256 digest: `{image}`");
        let help = "write `NAME@sha256:…`; `skopeo inspect` prints the digest";
        found.push(draft(rules::BUNDLE_NOT_PINNED, message).at(vec!["image".into()]).help(help));
    }
    if !["registry.redhat.io/", "registry.stage.redhat.io/"].iter().any(|it| image.starts_with(it)) {
        let message = format!("the image of bundle `{name}` is not in registry.redhat.io: `{image}`");
        let help = "name the image by its name after the release, in registry.redhat.io";
        found.push(draft(rules::BUNDLE_OF_OTHER_REGISTRY, message).at(vec!["image".into()]).help(help));
    }
    found
}

fn is_pinned(image: &str) -> bool {
    let digest = image.rsplit_once("@sha256:").map(|it| it.1);
    digest.is_some_and(|it| it.len() == 64 && it.bytes().all(|it| it.is_ascii_hexdigit()))
}

fn metadata(documents: &Documents<'_>, openshift: Minor, drafts: &mut Vec<(usize, Draft)>) {
    let is_new = (openshift.major, openshift.minor) >= (WITHOUT_OBJECTS.major, WITHOUT_OBJECTS.minor);
    let (wanted, unwanted) =
        if is_new { ("olm.csv.metadata", BUNDLE_OBJECT) } else { (BUNDLE_OBJECT, "olm.csv.metadata") };
    let split = |it: &BundleOutline| {
        let (objects, metadata) = (it.objects.clone(), it.metadata.clone());
        if is_new { (metadata, objects) } else { (objects, metadata) }
    };
    for (number, bundle) in documents.bundles() {
        if let Some(first) = split(bundle).1.first() {
            let message = format!(
                "bundle `{}` has `{unwanted}`, which catalogs for OpenShift {openshift} must not have",
                bundle.name
            );
            let it = draft_at(draft(rules::METADATA_OF_OTHER_OPENSHIFT, message), *first, Vec::new());
            drafts.push((number, it.help(migrate(is_new))));
        }
    }
    let n_bundles = documents.bundles().count();
    let n_wanted: usize = documents.bundles().map(|it| split(it.1).0.len()).sum();
    // The pipeline compares the sums, not bundle by bundle.
    let is_refused = if is_new { n_wanted != n_bundles } else { n_wanted < n_bundles };
    if !is_refused {
        return;
    }
    for (number, bundle) in documents.bundles() {
        let message = match split(bundle).0.as_slice() {
            [] => format!(
                "bundle `{}` has no `{wanted}`, which catalogs for OpenShift {openshift} must have",
                bundle.name
            ),
            [_, _, ..] if is_new => format!("bundle `{}` has `{wanted}` more than once", bundle.name),
            _ => continue,
        };
        let it = draft(rules::METADATA_MISSING, message).at(vec!["properties".into()]);
        drafts.push((number, it.help(migrate(is_new))));
    }
}

fn migrate(is_new: bool) -> &'static str {
    if is_new {
        "rewrite the catalog: `olmdex render --migrate-level bundle-object-to-csv-metadata`"
    } else {
        "render the bundles again from their images, without `--migrate-level`"
    }
}

#[cfg(test)]
mod tests {
    use super::is_pinned;

    #[test]
    fn a_digest_ends_the_name_of_an_image() {
        let digest = "0123456789abcdefABCDEF0123456789abcdef0123456789abcdef0123456789";
        for (image, expected) in [
            (format!("registry.redhat.io/a/b@sha256:{digest}"), true),
            (format!("registry.redhat.io/a/b:v1@sha256:{digest}"), true),
            (format!("registry.redhat.io/a/b@sha256:{}", &digest[1..]), false),
            (format!("registry.redhat.io/a/b@sha256:{digest}0"), false),
            (format!("registry.redhat.io/a/b@sha512:{digest}"), false),
            ("registry.redhat.io/a/b:v1".to_owned(), false),
            ("registry.redhat.io/a/b".to_owned(), false),
        ] {
            assert_eq!(is_pinned(&image), expected, "{image}");
        }
    }
}
