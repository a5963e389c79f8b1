//! Turns errors of `ask` into pages that explain why there is no other, with the address of the probable meaning.

use super::reply::PageError;
use super::route::{ApiKind, ClusterPart, Form, PackageVersion, Route, Stream};
use super::site::PageContext;
use olmdex_ask::{AskError, Help, Hint, must_have, no_api, no_channel, no_package, no_version};

impl From<AskError> for PageError {
    fn from(error: AskError) -> Self {
        match error {
            AskError::NoCatalog { catalog, help } => unknown("catalog", catalog, help, |_| None),
            AskError::NoPackage { package, help } => {
                unknown("package", package, help, |it| Some(Route::package_of(&it)))
            }
            AskError::NoApi { group, kind, help } => {
                unknown("API", format!("{kind} of {group}"), help, |it| Some(Route::Api(ApiKind { group, kind: it })))
            }
            AskError::NoChannel { package, channel, help } => {
                unknown("channel", format!("{package}/{channel}"), help, |it| {
                    Some(Route::Channel(Stream { package, channel: it, catalog: None }))
                })
            }
            AskError::NoVersion { package, version: name, help } | AskError::NoBundle { package, name, help } => {
                unknown("version", format!("{package} {name}"), help, |it| {
                    Some(Route::Version(PackageVersion { package, version: it, catalog: None }))
                })
            }
            AskError::NotInCluster { name, help, .. } => {
                unknown("part of the cluster", name, help, |it| Some(Route::Diagnose(ClusterPart { name: vec![it] })))
            }
            AskError::Index(error) => Self::Index(error),
            AskError::Failure(error) if error.is_limit() => Self::TooLarge(error.to_string()),
            error => Self::Failed(error.to_string()),
        }
    }
}

/// The error about a missing thing, with a link to the page of the probable meaning.
fn unknown(what: &'static str, name: String, help: Help, page: impl FnOnce(String) -> Option<Route>) -> PageError {
    let (meant, near) = match help.hint {
        Hint::Meant(meant) => {
            let address = page(meant.clone()).map(|it| it.address(Form::Page)).unwrap_or_default();
            (Some(Box::new((meant, address))), String::new())
        }
        Hint::Near(words) => (None, format!("; {words}")),
        Hint::Elsewhere(names) => (
            None,
            format!(" in that catalog; {} {} it", names.join(", "), if names.len() == 1 { "has" } else { "have" }),
        ),
        Hint::Unlike => (None, String::new()),
    };
    PageError::Unknown { what, name, meant, near }
}

/// The error about a name, or about the catalogs that could not be read to explain it.
fn explained(error: Result<AskError, AskError>) -> PageError {
    match error {
        Ok(error) | Err(error) => error.into(),
    }
}

impl PageContext<'_> {
    /// It is an error if a named catalog does not exist.
    pub(super) fn must_have_catalog(&self, name: Option<&String>) -> Result<(), PageError> {
        let names: Vec<&str> = self.catalogs().collect();
        Ok(name.map_or(Ok(()), |it| must_have(it, &names))?)
    }

    /// The reason why a question about a package has no answer; `parameter` is the one with the installed bundle.
    pub(super) fn refused(parameter: &str, error: AskError) -> PageError {
        match error {
            AskError::SeveralBundles(_) => PageError::parameter(parameter, &error.to_string()),
            error => error.into(),
        }
    }

    /// The error about a missing package, with the probable meaning.
    pub(super) fn unknown_package(&self, name: &str) -> PageError {
        explained(no_package(self.index(), name))
    }

    /// The error about an API that nothing provides or requires, with the probable kind.
    pub(super) fn unknown_api(&self, group: &str, kind: &str) -> PageError {
        explained(no_api(self.index(), group, kind))
    }

    /// The error about a version that a package does not have, with the probable one.
    pub(super) fn unknown_version(&self, package: &str, version: &str, catalog: Option<&String>) -> PageError {
        explained(no_version(self.index(), catalog.map(std::slice::from_ref).unwrap_or_default(), package, version))
    }

    /// The error about a channel that a package does not have, with the probable one.
    pub(super) fn unknown_channel(&self, package: &str, channel: &str) -> PageError {
        explained(no_channel(self.index(), package, channel))
    }
}
