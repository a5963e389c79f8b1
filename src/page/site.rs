//! What a page is made from: an index, what is known of it, and where the page is.
//!
//! What it deliberately does not do: it makes no page.

use maud::Markup;

use super::command::Command;
use super::links::Links;
use super::one_package::OfPackage;
use super::reply::PageError;
use super::route::{Form, Release, Route, Stream};
use super::shelf::Shelf;
use crate::ask::AskError;
use crate::diag::closest;
use crate::index::Index;
use crate::version::{Version, nearest};

/// What pages are made from.
#[derive(Debug, Clone, Copy)]
pub struct Site<'s> {
    /// The catalogs.
    pub index: &'s Index,
    /// What is known of them.
    pub shelf: &'s Shelf,
    /// How pages lead to each other.
    pub links: &'s Links,
}

/// A page before it gets its frame.
pub(super) struct Page {
    /// What it is about, for its title and first heading.
    pub(super) title: String,
    /// What stands above it: words and where they lead.
    pub(super) trail: Vec<(String, Route)>,
    /// The command that gives the same answer.
    pub(super) commands: Vec<Command>,
    /// Other forms of it as data, with a word for each.
    pub(super) more_data: Vec<(&'static str, Route)>,
    /// Whether it is itself to be had as data.
    pub(super) is_data: bool,
    /// The address whose data it is, if that is not its own.
    pub(super) data: Option<Route>,
    /// Its content.
    pub(super) body: Markup,
}

/// A page that is being made: the site, and where the page is in it.
#[derive(Clone, Copy)]
pub(super) struct Desk<'s> {
    pub(super) site: Site<'s>,
    pub(super) here: &'s Route,
    /// What the pages of a package share while all of them are made.
    pub(super) shared: Option<&'s dyn OfPackage>,
}

impl<'s> Desk<'s> {
    pub(super) fn index(&self) -> &'s Index {
        self.site.index
    }

    pub(super) fn shelf(&self) -> &'s Shelf {
        self.site.shelf
    }

    /// The address of another page.
    pub(super) fn to(&self, route: &Route) -> Option<String> {
        self.site.links.from(self.here, route, Form::Page)
    }

    /// The address of another page as data.
    pub(super) fn data(&self, route: &Route) -> Option<String> {
        self.site.links.from(self.here, route, Form::Json)
    }

    /// Whether there is a server to ask.
    pub(super) fn is_served(&self) -> bool {
        matches!(self.site.links, Links::Served)
    }

    /// The names of the catalogs.
    pub(super) fn catalogs(&self) -> impl Iterator<Item = &'s str> {
        self.site.shelf.catalogs.iter().map(|it| it.catalog.as_str())
    }

    /// Whether a catalog must be said, because there are several.
    pub(super) fn has_several(&self) -> bool {
        self.site.shelf.catalogs.len() > 1
    }

    /// A catalog for a command, which need not say it if there is no other.
    pub(super) fn said(&self, catalog: &str) -> Option<String> {
        self.has_several().then(|| catalog.to_owned())
    }

    /// A catalog that was named must be there.
    pub(super) fn must_have_catalog(&self, name: Option<&String>) -> Result<(), PageError> {
        match name {
            Some(name) if !self.catalogs().any(|it| it == name) => {
                let meant = closest(name, self.catalogs()).map(|it| (it.to_owned(), String::new()));
                Err(PageError::Unknown {
                    what: "catalog",
                    name: name.clone(),
                    meant: meant.map(Box::new),
                    near: String::new(),
                })
            }
            _ => Ok(()),
        }
    }

    /// Of catalogs that have something the one to show.
    pub(super) fn choose(
        &self,
        named: Option<&String>,
        having: &[String],
        missing: impl FnOnce() -> Result<PageError, PageError>,
    ) -> Result<String, PageError> {
        self.must_have_catalog(named)?;
        let found =
            self.shelf().choose(named.map(std::slice::from_ref).unwrap_or_default(), having.iter().map(String::as_str));
        match found {
            Some(name) => Ok(name.to_owned()),
            None => Err(missing()?),
        }
    }

    /// Why a question about a package has no answer; `parameter` says what is installed.
    pub(super) fn refused(&self, package: &str, parameter: &str, error: AskError) -> Result<PageError, PageError> {
        match error {
            AskError::NoPackage { package, .. } => self.unknown_package(&package),
            AskError::NoChannel { channel, .. } => self.unknown_channel(package, &channel),
            AskError::NoVersion { version: name, .. } | AskError::NoBundle { name, .. } => {
                self.unknown_version(package, &name)
            }
            AskError::SeveralBundles(_) => Ok(PageError::parameter(parameter, &error.to_string())),
            error => Ok(error.into()),
        }
    }

    /// That there is no such package, and which was meant.
    pub(super) fn unknown_package(&self, name: &str) -> Result<PageError, PageError> {
        let names = self.index().package_names()?;
        let meant = closest(name, names.iter().map(String::as_str).filter(|it| *it != name));
        let meant = meant.map(|it| (it.to_owned(), Route::Package(it.to_owned()).address(Form::Page)));
        Ok(PageError::Unknown {
            what: "package",
            name: name.to_owned(),
            meant: meant.map(Box::new),
            near: String::new(),
        })
    }

    /// That a package has no such version, and which was meant.
    pub(super) fn unknown_version(&self, package: &str, version: &str) -> Result<PageError, PageError> {
        let names = self.index().names(Some(package))?;
        if names.bundles.is_empty() {
            return self.unknown_package(package);
        }
        let filter = crate::index::query::Filter { package: Some(package.to_owned()), ..Default::default() };
        let versions: Vec<String> = self.index().bundles(&filter)?.into_iter().map(|it| it.version).collect();
        let all = versions.iter().chain(&names.bundles).map(String::as_str).filter(|it| *it != version);
        let meant = closest(version, all).map(|it| {
            let release = Release { package: package.to_owned(), version: it.to_owned(), catalog: None };
            (it.to_owned(), Route::Version(release, super::route::Part::Whole).address(Form::Page))
        });
        let wanted = Version::parse_tolerant(version).ok();
        let near = wanted.and_then(|it| nearest(Some(&it), versions.iter().map(String::as_str))).unwrap_or_default();
        Ok(PageError::Unknown {
            what: "version",
            name: format!("{package} {version}"),
            meant: meant.map(Box::new),
            near,
        })
    }

    /// That a package has no such channel, and which was meant.
    pub(super) fn unknown_channel(&self, package: &str, channel: &str) -> Result<PageError, PageError> {
        if self.index().names(Some(package))?.bundles.is_empty() {
            return self.unknown_package(package);
        }
        let names = self.index().names(Some(package))?.channels;
        let meant = closest(channel, names.iter().map(String::as_str).filter(|it| *it != channel)).map(|it| {
            let stream = Stream { package: package.to_owned(), channel: it.to_owned(), catalog: None };
            (it.to_owned(), Route::Channel(stream).address(Form::Page))
        });
        Ok(PageError::Unknown {
            what: "channel",
            name: format!("{package}/{channel}"),
            meant: meant.map(Box::new),
            near: String::new(),
        })
    }
}
