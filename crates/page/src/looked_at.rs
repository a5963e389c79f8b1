//! The chosen version of a visitor: the pages that are about one, and the same page about another one.

use super::query::Query;
use super::reply::PageError;
use super::route::{Fit, PackagePage, PackageVersion, Part, PathQuery, Rights, Route};

impl PackagePage {
    pub(super) fn read(package: &str, query: &mut Query) -> Self {
        Self { package: package.to_owned(), version: query.take("version"), catalog: query.take("catalog") }
    }
}

impl Route {
    /// The page of a version that a form names; its parameter `tab` chooses the page, as [`Self::tab`] names it.
    pub(super) fn chosen(package: &str, query: &mut Query) -> Result<Self, PageError> {
        let tab = query.take("tab");
        let kept = PackagePage::read(package, query);
        let version = kept.version.clone().ok_or(PageError::NoPage)?;
        let way = PathQuery { package: package.to_owned(), catalog: kept.catalog.clone(), ..PathQuery::default() };
        let whole = PackageVersion { package: package.to_owned(), version, catalog: kept.catalog.clone() };
        let start = match tab.as_deref() {
            Some("path") => Self::Path(way),
            Some("permissions") => Self::Permissions(Rights { package: package.to_owned(), ..Rights::default() }),
            Some("compat") => Self::Compat(Fit { package: package.to_owned(), ..Fit::default() }),
            Some("versions") => Self::Versions(PackagePage::of(package)),
            Some("history") => Self::History(PackagePage::of(package)),
            _ => Self::Version(whole.clone(), Part::Whole),
        };
        Ok(start.at(&whole))
    }

    /// The same page about another version; if it is not about a version, the page of the version.
    #[must_use]
    pub(super) fn at(&self, of: &PackageVersion) -> Self {
        let (version, catalog) = (Some(of.version.clone()), of.catalog.clone());
        match self {
            Self::Path(way) => Self::Path(PathQuery { from: version, catalog, channel: None, ..way.clone() }),
            Self::Permissions(rights) => Self::Permissions(Rights { version, catalog, ..rights.clone() }),
            Self::Compat(fit) => Self::Compat(Fit { version, catalog, ..fit.clone() }),
            Self::Versions(kept) => Self::Versions(PackagePage { version, catalog, ..kept.clone() }),
            Self::History(kept) => Self::History(PackagePage { version, catalog, ..kept.clone() }),
            _ => Self::Version(of.clone(), Part::Whole),
        }
    }

    /// The word by which a form asks for the same page about another version.
    #[must_use]
    pub(super) fn tab(&self) -> Option<&'static str> {
        match self {
            Self::Path(_) => Some("path"),
            Self::Permissions(_) => Some("permissions"),
            Self::Compat(_) => Some("compat"),
            Self::Versions(_) => Some("versions"),
            Self::History(_) => Some("history"),
            _ => None,
        }
    }

    /// The version that it names, if there is one.
    #[must_use]
    pub(super) fn version(&self) -> Option<&str> {
        match self {
            Self::Path(way) => way.from.as_deref(),
            Self::Permissions(rights) => rights.version.as_deref(),
            Self::Compat(fit) => fit.version.as_deref(),
            Self::Versions(kept) | Self::History(kept) => kept.version.as_deref(),
            Self::Version(of, _) => Some(&of.version),
            _ => None,
        }
    }
}
