//! Data that the pages of one package share while all of them are made: a part of each page is about the whole package,
//! and reading it anew for each page would make the cost quadratic.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::highest::HighestInChannels;
use super::reply::PageError;
use olmdex_ask::{BundleNeeds, NeedsOfCatalogs, NeedsOfPackage, package_findings};
use olmdex_base::diag::{Finding, grouped};
use olmdex_change::draw::Catalog;
use olmdex_index::Index;
use olmdex_index::query::{Filter, Neighbour, PackageRow};
use olmdex_text::tally;

/// The facts about a package besides its rows.
pub(super) trait OfPackage {
    /// The package in each catalog that has it.
    fn rows(&self) -> Result<Rc<[PackageRow]>, PageError>;

    /// The findings about its upgrades in a catalog.
    fn findings(&self, catalog: &str) -> Result<Arc<[Finding]>, PageError>;

    /// All its channels in a catalog, as they are drawn.
    fn drawn(&self, catalog: &str) -> Result<Rc<Catalog>, PageError>;

    /// The bundles whose description a newer one of the catalog repeats, each with the newest that has it.
    fn described(&self, catalog: &str) -> Result<Rc<HashMap<String, Neighbour>>, PageError>;

    /// The highest version in each of its channels in a catalog.
    fn highest(&self, catalog: &str) -> Result<Rc<HighestInChannels>, PageError>;

    /// The demands of a bundle in a catalog.
    fn demands(&self, catalog: &str, bundle: &str) -> Result<Vec<BundleNeeds>, PageError>;
}

/// A package in each catalog that has it. The index counts its bundles for that.
pub(super) fn read_rows(index: &Index, package: &str) -> Result<Rc<[PackageRow]>, PageError> {
    Ok(index.packages(&Filter::of_package(package))?.into())
}

/// The findings about the upgrades of a package in a catalog.
pub(super) fn read_findings(index: &Index, catalog: &str, package: &str) -> Result<Vec<Finding>, PageError> {
    refuse_many_skips(index, catalog, package)?;
    Ok(package_findings(index, &[catalog.to_owned()], package)?)
}

/// All channels of a package in a catalog, as they are drawn.
pub(super) fn read_drawn(index: &Index, catalog: &str, package: &str) -> Result<Catalog, PageError> {
    refuse_many_skips(index, catalog, package)?;
    let graphs = index.package_graphs(&Filter::of_catalog(catalog), package)?;
    Catalog::from_graphs(&graphs).map_err(|error| PageError::Failed(error.to_string()))
}

/// The most names that the entries of a package may skip on a page; real packages skip some thousands. A graph takes a
/// kilobyte for each.
const MAX_SKIPS: u64 = 50_000;

/// Refuses a package whose graph would cost a page too much.
fn refuse_many_skips(index: &Index, catalog: &str, package: &str) -> Result<(), PageError> {
    let n_skips = index.n_skips(catalog, package)?;
    if n_skips <= MAX_SKIPS {
        return Ok(());
    }
    let (n, most) = (grouped(n_skips), grouped(MAX_SKIPS));
    Err(PageError::TooLarge(format!("The package skips {n} bundles, and a page reads at most {most}")))
}

/// The part of a page that is left out if the package is too large for it.
pub(super) fn unless_too_large<T>(found: Result<T, PageError>) -> Result<Result<T, String>, PageError> {
    match found {
        Ok(found) => Ok(Ok(found)),
        Err(PageError::TooLarge(why)) => Ok(Err(why)),
        Err(error) => Err(error),
    }
}

/// The facts about a package, each read when a page first needs it.
pub(super) struct Shared<'w> {
    index: &'w Index,
    pub(super) package: String,
    /// Under no name.
    rows: RefCell<HashMap<String, Rc<[PackageRow]>>>,
    findings: RefCell<HashMap<String, Arc<[Finding]>>>,
    drawn: RefCell<HashMap<String, Rc<Catalog>>>,
    described: RefCell<HashMap<String, Rc<HashMap<String, Neighbour>>>>,
    highest: RefCell<HashMap<String, Rc<HighestInChannels>>>,
    needs: NeedsOfPackage<'w>,
}

impl<'w> Shared<'w> {
    pub(super) fn new(index: &'w Index, catalogs: &'w NeedsOfCatalogs<'w>, package: &str) -> Self {
        Self {
            index,
            package: package.to_owned(),
            rows: RefCell::default(),
            findings: RefCell::default(),
            drawn: RefCell::default(),
            described: RefCell::default(),
            highest: RefCell::default(),
            needs: NeedsOfPackage::new(catalogs, package),
        }
    }
}

impl OfPackage for Shared<'_> {
    fn rows(&self) -> Result<Rc<[PackageRow]>, PageError> {
        kept(&self.rows, "", || read_rows(self.index, &self.package))
    }

    fn findings(&self, catalog: &str) -> Result<Arc<[Finding]>, PageError> {
        kept(&self.findings, catalog, || Ok(read_findings(self.index, catalog, &self.package)?.into()))
    }

    fn drawn(&self, catalog: &str) -> Result<Rc<Catalog>, PageError> {
        kept(&self.drawn, catalog, || read_drawn(self.index, catalog, &self.package).map(Rc::new))
    }

    fn described(&self, catalog: &str) -> Result<Rc<HashMap<String, Neighbour>>, PageError> {
        kept(&self.described, catalog, || Ok(Rc::new(self.index.repeated_descriptions(catalog, &self.package)?)))
    }

    fn highest(&self, catalog: &str) -> Result<Rc<HighestInChannels>, PageError> {
        kept(&self.highest, catalog, || {
            let (catalogs, package) = (vec![catalog.to_owned()], Some(self.package.clone()));
            let bundles = self.index.bundles(&Filter { catalogs, package, ..Filter::default() })?;
            Ok(Rc::new(HighestInChannels::of(&bundles)))
        })
    }

    fn demands(&self, catalog: &str, bundle: &str) -> Result<Vec<BundleNeeds>, PageError> {
        Ok(self.needs.of(catalog, bundle)?)
    }
}

/// The kept value of a catalog, or else that of `read`.
fn kept<V: Clone>(
    known: &RefCell<HashMap<String, V>>,
    catalog: &str,
    read: impl FnOnce() -> Result<V, PageError>,
) -> Result<V, PageError> {
    if let Some(known) = known.borrow().get(catalog) {
        return Ok(known.clone());
    }
    tally::step(1);
    let found = read()?;
    known.borrow_mut().insert(catalog.to_owned(), found.clone());
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use super::*;
    use crate::export::export_within;
    use crate::{ExportError, IndexCache, export};
    use olmdex_ask::{PAGE_WORK, Target, needs, options_of_work};
    use olmdex_fbc::Input;
    use olmdex_index::{Builder, CatalogSpec, Mode};

    /// An index of a package with so many channels, which all have the same chain of entries; every bundle is
    /// deprecated.
    fn index(n_channels: usize, n_entries: usize) -> Index {
        let mut text = String::from(r#"{"schema":"olm.package","name":"p","defaultChannel":"c0"}"#);
        let name = |at: usize| format!(r#""name":"p.v1.0.{at}""#);
        let listed = |of: &dyn Fn(usize) -> String| (0..n_entries).map(of).collect::<Vec<_>>().join(",");
        let entries = listed(&|at| match at.checked_sub(1) {
            Some(before) => format!(r#"{{{},"replaces":"p.v1.0.{before}"}}"#, name(at)),
            None => format!("{{{}}}", name(at)),
        });
        for at in 0..n_channels {
            write!(text, r#"{{"schema":"olm.channel","package":"p","name":"c{at}","entries":[{entries}]}}"#).unwrap();
        }
        for at in 0..n_entries {
            write!(
                text,
                r#"{{"schema":"olm.bundle","package":"p",{},"image":"example.com/p:{at}","properties":[
                 {{"type":"olm.package","value":{{"packageName":"p","version":"1.0.{at}"}}}},
                 {{"type":"olm.package.required","value":{{"packageName":"p","versionRange":">=1.0.0"}}}}]}}"#,
                name(at)
            )
            .unwrap();
        }
        let deprecated =
            listed(&|at| format!(r#"{{"reference":{{"schema":"olm.bundle",{}}},"message":"old"}}"#, name(at)));
        write!(text, r#"{{"schema":"olm.deprecations","package":"p","entries":[{deprecated}]}}"#).unwrap();
        let mut builder = Builder::in_memory();
        let spec = CatalogSpec { name: "c".to_owned(), ..CatalogSpec::default() };
        builder.add_catalog(&spec, &Input::bytes("c.json", Arc::from(text.as_bytes())), Mode::Strict).unwrap();
        builder.into_index().unwrap()
    }

    fn exported(index: &Index) -> u64 {
        let scratch = tempfile::tempdir().unwrap();
        let cache = IndexCache::new(index, Vec::new()).unwrap();
        export(index, &cache, &|_| true, &scratch.path().join("site")).unwrap().bytes
    }

    /// An index of a package with so many channels of one entry, or with one channel of so many heads.
    fn of_heads(n: usize, has_channels: bool) -> Index {
        let mut text = String::from(r#"{"schema":"olm.package","name":"p","defaultChannel":"c0"}"#);
        let entry = |at: usize| format!(r#"{{"name":"p.v1.0.{at}"}}"#);
        let channels: Vec<String> = match has_channels {
            true => (0..n).map(entry).collect(),
            false => vec![(0..n).map(entry).collect::<Vec<_>>().join(",")],
        };
        for (at, entries) in channels.iter().enumerate() {
            write!(text, r#"{{"schema":"olm.channel","package":"p","name":"c{at}","entries":[{entries}]}}"#).unwrap();
        }
        for at in 0..n {
            write!(
                text,
                r#"{{"schema":"olm.bundle","package":"p","name":"p.v1.0.{at}","image":"example.com/p:{at}","properties":[
                 {{"type":"olm.package","value":{{"packageName":"p","version":"1.0.{at}"}}}}]}}"#
            )
            .unwrap();
        }
        let mut builder = Builder::in_memory();
        let spec = CatalogSpec { name: "c".to_owned(), ..CatalogSpec::default() };
        builder.add_catalog(&spec, &Input::bytes("c.json", Arc::from(text.as_bytes())), Mode::Tolerant).unwrap();
        builder.into_index().unwrap()
    }

    #[test]
    fn pages_of_many_heads_do_not_all_name_all_of_them() {
        // Issue 51: 3,000 heads made 227 MB of one channel, and 2.5 GB of as many channels.
        for (n, has_channels) in [(150, false), (150, true)] {
            let [few, many] = [n, 2 * n].map(|n| exported(&of_heads(n, has_channels)));
            assert!(many < few * 5 / 2, "{few} and {many} bytes, {has_channels}");
        }
    }

    #[test]
    fn pages_beyond_their_budget_are_an_error_and_leave_nothing() {
        let index = index(2, 3);
        let scratch = tempfile::tempdir().unwrap();
        let target = scratch.path().join("site");
        let cache = IndexCache::new(&index, Vec::new()).unwrap();
        let error = export_within(&index, &cache, &|_| true, &target, &|n_pages| 100 * n_pages).unwrap_err();
        assert!(matches!(error, ExportError::TooLarge(_)), "{error}");
        assert!(error.to_string().starts_with("the pages take more than "), "{error}");
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
    }

    #[test]
    fn pages_of_many_channels_are_made_in_so_many_steps() {
        tally::assert_grows_with_input(40, |size| {
            let index = index(size, 3);
            move || {
                exported(&index);
            }
        });
    }

    #[test]
    fn pages_of_many_versions_are_made_in_so_many_steps() {
        // The size is above the number of steps of one path that a page shows.
        tally::assert_grows_with_input(500, |size| {
            let index = index(1, size);
            move || {
                exported(&index);
            }
        });
        tally::assert_grows_with_input(200, |size| {
            let index = of_heads(size, false);
            move || {
                exported(&index);
            }
        });
    }

    #[test]
    fn pages_of_many_packages_that_provide_and_require_are_made_in_so_many_steps() {
        let index = |size: usize| {
            let mut text = String::new();
            for at in 0..size {
                let kind = if at % 2 == 0 { "olm.gvk" } else { "olm.gvk.required" };
                write!(
                    text,
                    r#"{{"schema":"olm.package","name":"p{at}","defaultChannel":"c"}}
                    {{"schema":"olm.channel","package":"p{at}","name":"c","entries":[{{"name":"p{at}.v1.0.0"}}]}}
                    {{"schema":"olm.bundle","package":"p{at}","name":"p{at}.v1.0.0","image":"example.com/p:{at}","properties":[
                     {{"type":"olm.package","value":{{"packageName":"p{at}","version":"1.0.0"}}}},
                     {{"type":"{kind}","value":{{"group":"g.example.com","version":"v1","kind":"K"}}}}]}}"#
                )
                .unwrap();
            }
            let mut builder = Builder::in_memory();
            let spec = CatalogSpec { name: "c".to_owned(), ..CatalogSpec::default() };
            builder.add_catalog(&spec, &Input::bytes("c.json", Arc::from(text.as_bytes())), Mode::Strict).unwrap();
            builder.into_index().unwrap()
        };
        tally::assert_grows_with_input(50, |size| {
            let index = index(size);
            move || {
                exported(&index);
            }
        });
        // So many are named, and the rest is counted.
        let index = index(60);
        let catalogs = NeedsOfCatalogs::new(&index, std::iter::once("c")).unwrap();
        let found = Shared::new(&index, &catalogs, "p1").demands("c", "p1.v1.0.0").unwrap();
        let met = &found[0].needs[0].met;
        assert_eq!((met.n_packages, met.packages.len()), (30, olmdex_ask::MAX_NAMED));
        assert_eq!(met.first.as_ref().map(|it| it.package.as_str()), Some("p0"));
    }

    #[test]
    fn what_is_shared_is_what_each_page_would_read() {
        let index = index(3, 5);
        let catalogs = NeedsOfCatalogs::new(&index, std::iter::once("c")).unwrap();
        let shared = Shared::new(&index, &catalogs, "p");
        assert_eq!(*shared.findings("c").unwrap(), read_findings(&index, "c", "p").unwrap());
        let mut whole = read_drawn(&index, "c", "p").unwrap();
        let only = shared.drawn("c").unwrap().only("p", "c1");
        whole.keep(Some("p"), &["c1".to_owned()]);
        assert_eq!((only.channels, only.packages), (whole.channels, whole.packages));
        for bundle in ["p.v1.0.4", "p.v1.0.0", "p.v1.0.4", "none"] {
            let target = Target { package: "p".to_owned(), bundle: bundle.to_owned() };
            let alone = needs(&index, "c", &target, &options_of_work(PAGE_WORK)).unwrap();
            assert_eq!(shared.demands("c", bundle).unwrap(), alone, "{bundle}");
        }
    }
}
