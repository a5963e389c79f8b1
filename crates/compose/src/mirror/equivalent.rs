//! The configuration that keeps the same as a request of the command line, or as a file in an old version.

use thiserror::Error;

use super::catalog::Catalog;
use super::configuration::{Configuration, Operator};
use super::error::ConfigurationError;
use super::filter::NamelessError;
use super::outputs::configuration;
use super::previous::as_ranges;
use super::verify::verify;

/// An ImageSetConfiguration, as YAML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EquivalentConfiguration {
    /// The text.
    pub text: String,
    /// The requests that it does not express, in words.
    pub losses: Vec<String>,
}

/// The reasons why there is no such configuration.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EquivalentError {
    /// A request is about something that no catalog could have.
    #[error(transparent)]
    Nameless(#[from] NamelessError),
    /// oc-mirror would refuse it.
    #[error("the configuration would not be valid: {0}")]
    Invalid(ConfigurationError),
}

impl EquivalentError {
    /// The remedy.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Nameless(_) => None,
            Self::Invalid(_) => Some("name the reference of the catalog's image: `-i REFERENCE=SOURCE`"),
        }
    }
}

/// The configuration that keeps the same of catalogs; those come with the requests for them.
///
/// # Errors
/// [`EquivalentError`]
pub fn equivalent<'c>(
    asked: &Configuration,
    catalogs: impl IntoIterator<Item = (&'c Catalog, &'c Operator)>,
) -> Result<EquivalentConfiguration, EquivalentError> {
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
    verify(&written).map_err(EquivalentError::Invalid)?;
    // The reader of the file has reported the fate of `minBundle` already.
    let old_fields = written.old_fields.iter().filter(|field| !field.to_ascii_lowercase().ends_with(".minbundle"));
    losses.extend(old_fields.map(|field| {
        format!("`{field}` is a field of v1alpha2 that v2alpha1 does not have: olmdex does not write it")
    }));
    Ok(EquivalentConfiguration { text: configuration(&written).to_yaml(), losses })
}
