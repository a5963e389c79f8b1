//! The data that the pages of a package are made from: the answer of `show PKG`.

use super::reply::PageError;
use super::site::PageContext;
use olmdex_index::query::PackageDetail;

/// A package in each catalog that has it.
pub(super) fn answer(context: PageContext<'_>, package: &str) -> Result<Vec<PackageDetail>, PageError> {
    let found = context.index().show_package(&[], package)?;
    if found.is_empty() { Err(context.unknown_package(package)) } else { Ok(found) }
}
