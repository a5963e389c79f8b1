//! Why a ClusterExtension does not resolve, in the real system's words (`docs/behaviour/olm-v1.md` 2.3, 2.8).

use std::fmt;

use olmdex_version::Quoted;
use olmdex_version::masterminds::ConstraintError;

/// The reasons why there is no bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResolveError {
    /// The selector of catalogs is invalid.
    Selector(String),
    /// The version range is invalid.
    VersionRange { range: String, error: ConstraintError },
    /// A selected catalog cannot be read, which stops everything.
    Catalog { package: String, catalog: String, reason: String },
    /// The version or release of the installed bundle cannot be read.
    Installed(String),
    /// No catalog has a bundle that is allowed, or several have and none has the highest priority by itself.
    NotOne {
        /// The installed version, if there is one.
        installed: Option<String>,
        package: String,
        /// The version range, or empty.
        version: String,
        channels: Vec<String>,
        /// The catalogs that each have one, sorted; empty if none has.
        catalogs: Vec<String>,
    },
    /// The version of the chosen bundle cannot be read.
    BundleVersion { bundle: String, reason: String },
    /// The chosen bundle declares a dependency, which OLM v1 does not support. No other bundle is tried.
    Dependency {
        bundle: String,
        /// The type of the first such property.
        property: String,
    },
}

impl ResolveError {
    /// The part of the text that several catalogs of one priority cause.
    pub const SEVERAL_CATALOGS: &str = " in multiple catalogs with the same priority [";

    /// A short word for the kind of error, for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Selector(_) => "InvalidSelector",
            Self::VersionRange { .. } => "InvalidVersionRange",
            Self::Catalog { .. } => "CatalogError",
            Self::Installed(_) => "InvalidInstalledVersion",
            Self::NotOne { catalogs, .. } if catalogs.is_empty() => "NotFound",
            Self::NotOne { .. } => "Ambiguous",
            Self::BundleVersion { .. } => "InvalidBundleVersion",
            Self::Dependency { .. } => "UnsupportedDependency",
        }
    }
}

impl std::error::Error for ResolveError {}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Selector(reason) => write!(f, "desired catalog selector is invalid: {reason}"),
            Self::VersionRange { range, error } => {
                write!(f, "desired version range {} is invalid: {error}", Quoted(range))
            }
            Self::Catalog { package, catalog, reason } => write!(
                f,
                "error walking catalogs: error getting package {} from catalog {}: {reason}",
                Quoted(package),
                Quoted(catalog)
            ),
            Self::Installed(reason) => write!(f, "error walking catalogs: error finding upgrade edges: {reason}"),
            Self::NotOne { installed, package, version, channels, catalogs } => {
                if let Some(installed) = installed {
                    write!(f, "error upgrading from currently installed version {}: ", Quoted(installed))?;
                }
                let found = if catalogs.is_empty() { "no bundles found" } else { "found bundles" };
                write!(f, "{found} for package {}", Quoted(package))?;
                if !version.is_empty() {
                    write!(f, " matching version {}", Quoted(version))?;
                }
                if !channels.is_empty() {
                    write!(f, " in channels [{}]", channels.join(" "))?;
                }
                if !catalogs.is_empty() {
                    write!(f, "{}{}]", Self::SEVERAL_CATALOGS, catalogs.join(" "))?;
                }
                Ok(())
            }
            Self::BundleVersion { bundle, reason } => {
                write!(f, "error getting resolved bundle version for bundle {}: {reason}", Quoted(bundle))
            }
            Self::Dependency { bundle, property } => write!(
                f,
                "validating bundle {0}: bundle {0} has a dependency declared via property {1} which is currently not supported",
                Quoted(bundle),
                Quoted(property)
            ),
        }
    }
}
