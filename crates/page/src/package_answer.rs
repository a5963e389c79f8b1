//! The data that the pages of a package are made from: the answer of `show PKG`.

use super::reply::PageError;
use super::route::PackagePage;
use super::site::PageContext;
use olmdex_index::query::PackageDetail;

/// A package in the wanted catalog, or in each that has it.
pub(super) fn in_catalog(context: PageContext<'_>, asked: &PackagePage) -> Result<Vec<PackageDetail>, PageError> {
    context.must_have_catalog(asked.catalog.as_ref())?;
    let catalogs: Vec<String> = asked.catalog.iter().cloned().collect();
    let found = context.index().show_package(&catalogs, &asked.package)?;
    if found.is_empty() { Err(context.unknown_package(&asked.package)) } else { Ok(found) }
}

/// A package in each catalog that has it.
pub(super) fn answer(context: PageContext<'_>, package: &str) -> Result<Vec<PackageDetail>, PageError> {
    in_catalog(context, &PackagePage::of(package))
}
