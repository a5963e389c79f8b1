//! The configuration that keeps the same as a request of the command line, or as a file in an old version.

use super::catalog::Catalog;
use super::configuration::{Configuration, Operator};
use super::outputs::configuration;
use super::place::OutputError;
use super::previous::as_ranges;
use super::verify::verify;

/// The configuration that keeps the same of catalogs, as YAML, and the requests that it does not express, in words. The
/// catalogs come with the requests for them.
///
/// # Errors
/// [`OutputError`]
pub fn equivalent<'c>(
    asked: &Configuration,
    catalogs: impl IntoIterator<Item = (&'c Catalog, &'c Operator)>,
) -> Result<(String, Vec<String>), OutputError> {
    let (mut operators, mut losses) = (Vec::new(), Vec::new());
    for (catalog, operator) in catalogs {
        if operator.previous == 0 {
            operators.push(operator.clone());
            continue;
        }
        let (ranged, inexact) = as_ranges(catalog, operator)?;
        losses.extend(inexact.into_iter().map(|package| {
            format!(
                "package `{package}`: version ranges in a configuration keep other versions than `--previous` does; \
                `-o json` writes the catalog itself"
            )
        }));
        operators.push(ranged);
    }
    let written = Configuration { operators, ..asked.clone() };
    verify(&written).map_err(OutputError::Configuration)?;
    // The reader of the file has reported the fate of these already.
    let is_reported = |field: &str| [".minbundle", ".originalref"].iter().any(|it| field.to_lowercase().ends_with(it));
    let old_fields = written.old_fields.iter().filter(|field| !is_reported(field));
    losses.extend(old_fields.map(|field| {
        format!("`{field}` is a field of v1alpha2 that v2alpha1 does not have: olmdex does not write it")
    }));
    Ok((configuration(&written).to_yaml(), losses))
}
