//! The rights that operators need when they are installed, and those that a version needs and another one does not.

use super::error::AskError;
use super::name::PackageName;
use super::readiness::named;
use olmdex_index::Index;
use olmdex_index::query::{Filter, InstallModes, V1Bundle, V1Facts};
use olmdex_olm::permissions::{BundlePermissions, ComparedBundle, added, rules_of};

/// The rights that the bundles of a name need, in each catalog; for a package, those of the head of its default
/// channel. `against` is a version or bundle of the same package.
///
/// # Errors
/// If nothing has the name.
pub fn permissions_of(
    index: &Index,
    catalogs: &[String],
    name: &PackageName,
    against: Option<&str>,
) -> Result<Vec<BundlePermissions>, AskError> {
    let filter = Filter { catalogs: catalogs.to_vec(), ..Filter::default() };
    let found = named(index, &filter, name)?;
    let others = match against {
        None => Vec::new(),
        Some(version) => {
            let other = PackageName { installed: Some(version.to_owned()), ..PackageName::of(&name.package) };
            named(index, &filter, &other)?
        }
    };
    let mut answers = Vec::new();
    for V1Facts { catalog, package, bundle, .. } in found {
        let Some(bundle) = bundle else { continue };
        let other = others.iter().find(|it| it.catalog == catalog).and_then(|it| it.bundle.as_ref());
        answers.push(compared(index, catalog, package, &bundle, other)?);
    }
    Ok(answers)
}

fn compared(
    index: &Index,
    catalog: String,
    package: String,
    bundle: &V1Bundle,
    other: Option<&V1Bundle>,
) -> Result<BundlePermissions, AskError> {
    let own = index.permissions(bundle.document)?.map(|it| rules_of(&it));
    let others = other.map(|it| index.permissions(it.document)).transpose()?.flatten().map(|it| rules_of(&it));
    let added = own.as_ref().zip(others.as_ref()).map(|(own, others)| added(own, others));
    Ok(BundlePermissions {
        catalog,
        package,
        bundle: bundle.name.clone(),
        version: bundle.version.clone(),
        is_known: own.is_some(),
        is_for_all_namespaces: bundle.install_modes.is_some_and(InstallModes::is_all_namespaces_alone),
        rules: own.unwrap_or_default(),
        against: other.map(|it| ComparedBundle {
            bundle: it.name.clone(),
            version: it.version.clone(),
            is_known: others.is_some(),
        }),
        added,
    })
}
