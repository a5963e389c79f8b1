//! Resources: the catalogs, their packages, and the findings about the upgrades of a package.

use olmdex_ask::package_findings;
use olmdex_base::diag::json::FindingJson;
use olmdex_index::query::Filter;
use olmdex_text::encoding::percent;

use super::answer::{Answer, AnswerError};
use super::question::known_catalogs;
use super::world::World;

/// The address of the list of catalogs.
pub(crate) const CATALOGS: &str = "olmdex://catalogs";

/// Addresses of the resources of each catalog and package.
pub(crate) const PACKAGES: &str = "olmdex://catalogs/{catalog}/packages";
pub(crate) const FINDINGS: &str = "olmdex://findings/{package}";

/// The address of the packages of a catalog.
pub(crate) fn packages_of(catalog: &str) -> String {
    format!("{CATALOGS}/{}/packages", encoded(catalog))
}

/// The answer at an address, with the command that gives the same; `None` if there is nothing like it. A page but the
/// first has `?cursor=…` behind it.
pub(crate) fn read(world: &World, address: &str) -> Option<Result<(Answer, String), AnswerError>> {
    let rest = address.strip_prefix("olmdex://")?;
    let parts: Vec<&str> = rest.split('/').collect();
    match parts.as_slice() {
        ["catalogs"] => Some(catalogs(world)),
        ["catalogs", catalog, "packages"] => Some(packages(world, &decoded(catalog)?)),
        ["findings", package] => Some(findings(world, &decoded(package)?)),
        _ => None,
    }
}

fn catalogs(world: &World) -> Result<(Answer, String), AnswerError> {
    let rows = world.index().catalogs(&Filter::default())?;
    Ok((Answer::of("CatalogList", &rows)?, world.words().names([&"catalogs".to_owned()]).line("list")))
}

fn packages(world: &World, catalog: &str) -> Result<(Answer, String), AnswerError> {
    let index = world.index();
    known_catalogs(&index, &[catalog.to_owned()])?;
    let rows = index.packages(&Filter::of_catalog(catalog))?;
    let words = world.words().option("--catalog", Some(catalog));
    Ok((Answer::of("PackageList", &rows)?, words.names([&"packages".to_owned()]).line("list")))
}

fn findings(world: &World, package: &str) -> Result<(Answer, String), AnswerError> {
    let index = world.index();
    if !index.package_names()?.iter().any(|it| it == package) {
        return Err(olmdex_ask::no_package(&index, package)?.into());
    }
    let found = package_findings(&index, &[], package)?;
    let found: Vec<FindingJson> = found.iter().map(FindingJson::from).collect();
    let command = world.words().option("--package", Some(package)).line("check-graph");
    Ok((Answer::of("Findings", &found)?, command))
}

/// A name as a part of an address.
fn encoded(name: &str) -> String {
    percent::encoded(name, percent::IN_SEGMENT)
}

/// The name that a part of an address means.
fn decoded(part: &str) -> Option<String> {
    String::from_utf8(percent::decoded(part, false)?).ok()
}

#[cfg(test)]
mod tests {
    use super::{decoded, encoded};

    #[test]
    fn names_survive_addresses() {
        for name in ["shop", "a/b c", "ü%2F", ""] {
            assert_eq!(decoded(&encoded(name)).as_deref(), Some(name));
        }
        assert_eq!(decoded("%4"), None);
        assert_eq!(decoded("%zz"), None);
    }
}
