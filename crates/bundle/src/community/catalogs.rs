//! The findings of the pipelines about the catalogs in a repository (`docs/behaviour/authoring.md` F.3).

use super::openshift::minor_of;
use super::repository::{CATALOG_NAMES, OperatorCatalog, Repository};
use super::rules;
use olmdex_base::diag::{Finding, Listed, Rule};
use olmdex_fbc::{BUNDLE_OBJECT, Document, Input, Origin, Spot, Typed, load_all, locate};

/// A bundle of a catalog file.
struct CatalogBundle {
    name: String,
    package: String,
    image: String,
    /// The number of the first property with an object.
    object: Option<usize>,
}

fn bundle_of(document: Document<'_>) -> Option<(Origin, CatalogBundle)> {
    let Typed::Bundle(bundle) = document.blob.ok()?.typed else { return None };
    let object = bundle.properties.iter().position(|property| property.kind == BUNDLE_OBJECT);
    let (name, package, image) = (bundle.name.into_owned(), bundle.package.into_owned(), bundle.image.into_owned());
    Some((document.origin, CatalogBundle { name, package, image, object }))
}

/// The findings of the checks about these catalogs.
pub fn check_catalogs(repository: &Repository, catalogs: &[OperatorCatalog]) -> Vec<Finding> {
    let mut found = Vec::new();
    for catalog in catalogs {
        for name in CATALOG_NAMES {
            let path = catalog.path.join(name);
            if path.is_file() {
                check_file(repository, catalog, &Input::file(&path), &mut found);
            }
        }
    }
    found
}

fn check_file(repository: &Repository, catalog: &OperatorCatalog, input: &Input, found: &mut Vec<Finding>) {
    let bundles: Vec<(Origin, CatalogBundle)> = load_all(input, &bundle_of).into_iter().flatten().collect();
    let Some(file) = input.files.first() else { return };
    let at =
        |rule: &'static Rule, check, bundle: &(Origin, CatalogBundle), spot: Spot, message: String, help: String| {
            let (origin, bundle) = bundle;
            let located = locate(&file.read_again(origin.offset, origin.len), *origin, &spot);
            let finding = rule.finding(message).at(located.in_file(&file.shown)).help(help);
            finding.of_package(bundle.package.clone()).check(check)
        };
    let allowed = &repository.allowed_registries;
    for bundle in bundles.iter().filter(|it| !it.1.image.is_empty() && !allowed.is_empty()) {
        if !allowed.iter().any(|it| bundle.1.image.starts_with(it)) {
            let CatalogBundle { name, image, .. } = &bundle.1;
            let message = format!("the image of bundle `{name}` is not in an allowed registry: `{image}`");
            let help = format!("`config.yaml` allows {}", Listed::quoted(allowed));
            let spot = Spot::Path(vec!["image".into()]);
            found.push(at(rules::CATALOG_REGISTRY, "check_bundle_images_in_fbc", bundle, spot, message, help));
        }
    }
    if !is_without_objects(&catalog.catalog) {
        return;
    }
    for (number, bundle) in bundles.iter().enumerate() {
        let Some(property) = bundle.1.object else { continue };
        let rule = if number == 0 { rules::CATALOG_OBJECTS } else { rules::CATALOG_OBJECTS_LATER };
        let message = format!(
            "bundle `{}` has `{BUNDLE_OBJECT}`, which catalogs for OpenShift 4.17 and newer must not have",
            bundle.1.name
        );
        let help = "rewrite the catalog: `olmdex render --migrate-level bundle-object-to-csv-metadata`".to_owned();
        let spot = Spot::Path(vec!["properties".into(), property.into()]);
        found.push(at(rule, "check_olm_bundle_object_in_fbc", bundle, spot, message, help));
    }
}

/// Whether the name of a catalog is `vX.Y` and it is for OpenShift 4.17 or newer.
fn is_without_objects(catalog: &str) -> bool {
    minor_of(catalog).is_some_and(|it| (it.major, it.minor) >= (4, 17))
}

#[cfg(test)]
mod tests {
    use super::is_without_objects;

    #[test]
    fn catalogs_are_called_by_their_openshift() {
        for (name, expected) in [
            ("v4.17", true),
            ("v4.9", false),
            ("v4.16", false),
            ("v5.0", true),
            ("v3.19", false),
            ("4.18", false),
            ("v4.18-rc", false),
            ("v4.18.1", false),
            ("v4.", false),
            ("latest", false),
        ] {
            assert_eq!(is_without_objects(name), expected, "{name}");
        }
    }
}
