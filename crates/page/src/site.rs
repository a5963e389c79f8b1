//! The data that a page is made from: an index, the facts about it, and the address of the page.

use maud::Markup;

use super::index_cache::IndexCache;
use super::links::Links;
use super::one_package::OfPackage;
use super::reply::PageError;
use super::route::{Form, Route};
use olmdex_ask::CommandLine;
use olmdex_index::Index;

/// The data that pages are made from.
#[derive(Debug, Clone, Copy)]
pub struct Site<'s> {
    /// The catalogs.
    pub index: &'s Index,
    /// The facts about them.
    pub cache: &'s IndexCache,
    /// How pages lead to each other.
    pub links: &'s Links,
    /// The scheme and host by which the site was asked, such as `https://catalogs.example.com`; empty if that is
    /// unknown.
    pub base: &'s str,
}

/// A page before it gets its frame.
pub(super) struct Page {
    /// The subject, for its title and first heading.
    pub(super) title: String,
    /// The command that gives the same answer.
    pub(super) commands: Vec<CommandLine>,
    /// Other forms of it as data, with a word for each.
    pub(super) more_data: Vec<(&'static str, Route)>,
    /// Whether it is available as data itself.
    pub(super) is_data: bool,
    /// The address of its data, unless it is its own.
    pub(super) data: Option<Route>,
    /// The text that other sites show beside its title, or empty.
    pub(super) about: String,
    /// Its content.
    pub(super) body: Markup,
}

impl Page {
    pub(super) fn new(title: String, body: Markup) -> Self {
        let (commands, more_data) = (Vec::new(), Vec::new());
        Self { title, commands, more_data, is_data: false, data: None, about: String::new(), body }
    }
}

/// A page in progress: the site, and the place of the page in it.
#[derive(Clone, Copy)]
pub(super) struct PageContext<'s> {
    pub(super) site: Site<'s>,
    pub(super) here: &'s Route,
    /// The data that the pages of a package share while all of them are made.
    pub(super) shared: Option<&'s dyn OfPackage>,
}

impl<'s> PageContext<'s> {
    pub(super) fn index(&self) -> &'s Index {
        self.site.index
    }

    pub(super) fn cache(&self) -> &'s IndexCache {
        self.site.cache
    }

    /// The address of another page.
    pub(super) fn to(&self, route: &Route) -> Option<String> {
        self.site.links.from(self.here, route, Form::Page)
    }

    /// The whole address of another page, for readers elsewhere; without a known base it begins at the root of the
    /// site, and among files at the page itself.
    pub(super) fn absolute(&self, route: &Route) -> String {
        match self.is_served() {
            true => format!("{}{}", self.site.base, route.address(Form::Page)),
            // The later address of a file is unknown.
            false => self.to(route).unwrap_or_default(),
        }
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
        self.site.cache.catalogs.iter().map(|it| it.catalog.as_str())
    }

    /// Whether a command must name a catalog, because there are several.
    pub(super) fn has_several(&self) -> bool {
        self.site.cache.catalogs.len() > 1
    }

    /// A catalog for a command, which need not name the only one.
    pub(super) fn catalog_choice(&self, catalog: &str) -> Option<String> {
        self.has_several().then(|| catalog.to_owned())
    }

    /// Chooses the catalog to show among those that have the subject.
    pub(super) fn choose(
        &self,
        named: Option<&String>,
        having: &[String],
        missing: impl FnOnce() -> PageError,
    ) -> Result<String, PageError> {
        self.must_have_catalog(named)?;
        let found =
            self.cache().choose(named.map(std::slice::from_ref).unwrap_or_default(), having.iter().map(String::as_str));
        match found {
            Some(name) => Ok(name.to_owned()),
            None => Err(missing()),
        }
    }
}
