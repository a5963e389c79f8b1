//! All pages that need no question, as linked files that need no server.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};

use thiserror::Error;

use super::answer::made;
use super::icon;
use super::index_cache::IndexCache;
use super::links::{FileNames, Links};
use super::one_package::{OfPackage, Shared};
use super::reply::PageError;
use super::route::{
    ApiList, Checked, Comparison, Form, ImageSearch, List, PackagePage, PackageVersion, Route, RuleChecked, Stream,
};
use super::site::{PageContext, Site};
use olmdex_ask::{AskError, NeedsOfCatalogs, successions};
use olmdex_base::file::{FileError, NewDirectory};
use olmdex_index::query::{BundleRow, Filter};
use olmdex_index::{Index, IndexError};
use olmdex_text::budget::{Allowance, Budget, Exhausted};
use olmdex_text::json::unindent;
use olmdex_version::{by_numbers, version_or_name};

/// The written part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exported {
    /// How many packages have pages.
    pub packages: usize,
    /// How many files there are.
    pub files: usize,
    /// Bytes of all files.
    pub bytes: u64,
}

/// Why nothing was written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The catalogs cannot be read as worlds of their own.
    #[error(transparent)]
    Needs(#[from] AskError),
    /// A page cannot be made.
    #[error("cannot make the page {address}: {source}")]
    Page { address: String, source: PageError },
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The pages would be too large.
    #[error("the pages take {0}")]
    TooLarge(#[from] Exhausted),
    /// No package is wanted.
    #[error("no package selected")]
    NoPackage,
}

/// Writes the pages of an index into a new directory, which appears when all are written. Only wanted packages get
/// pages. The same index gives the same bytes.
///
/// # Errors
/// [`ExportError`]
pub fn export(
    index: &Index,
    cache: &IndexCache,
    is_wanted: &dyn Fn(&str) -> bool,
    target: &Path,
) -> Result<Exported, ExportError> {
    let allowed = |n_pages| MAX_BYTES + MAX_AVERAGE * n_pages;
    export_within(index, cache, is_wanted, target, &allowed)
}

/// Writes pages whose bytes are allowed for their number.
pub(super) fn export_within(
    index: &Index,
    cache: &IndexCache,
    is_wanted: &dyn Fn(&str) -> bool,
    target: &Path,
    allowed: &dyn Fn(u64) -> u64,
) -> Result<Exported, ExportError> {
    // Each page asks for other rows, so a cache of them is useless.
    index.limit_cache(CACHE)?;
    let packages: Vec<String> = index.package_names()?.into_iter().filter(|it| is_wanted(it)).collect();
    if packages.is_empty() {
        return Err(ExportError::NoPackage);
    }
    let mut directory = NewDirectory::begin(target)?;
    let (routes, same) = routes(index, cache, &packages)?;
    let links = Links::Files(FileNames::new(&routes).with_same(same));
    let site = Site { index, cache, links: &links, base: "" };
    let budget = Budget::new(Allowance { steps: 0, bytes: allowed(routes.len() as u64) });
    // While one page is written, the next is made.
    let (to, from) = sync_channel::<(String, Vec<u8>)>(WAITING);
    let (made, written) = std::thread::scope(|scope| {
        let writer = scope.spawn(move || {
            let mut bytes = 0;
            for (file, content) in from {
                bytes += content.len() as u64;
                directory.write(Path::new(&file), &content)?;
            }
            Ok::<_, FileError>((directory, bytes))
        });
        let made = make(site, &routes, &budget, &to);
        drop(to);
        (made, writer.join())
    });
    let (directory, bytes) = written.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    made?;
    Ok(Exported { packages: packages.len(), files: directory.finish()?, bytes })
}

/// Pages that are made and not yet written.
const WAITING: usize = 4;

/// Memory for pages of the index, in KiB.
const CACHE: i64 = 4 << 10;

/// The bytes of all pages beside those that each page may have on average. Pages of real catalogs have a quarter of
/// that, and those of a package whose parts all name each other would grow with the square of their number.
const MAX_BYTES: u64 = 64 << 20;
const MAX_AVERAGE: u64 = 32 << 10;

/// Makes all pages and sends them to the writer.
fn make(
    site: Site<'_>,
    routes: &BTreeSet<Route>,
    budget: &Budget,
    to: &SyncSender<(String, Vec<u8>)>,
) -> Result<(), ExportError> {
    let Links::Files(files) = site.links else { return Ok(()) };
    site.index.remember_packages();
    let catalogs = site.cache.catalogs.iter().map(|it| it.catalog.as_str());
    let needs = NeedsOfCatalogs::new(site.index, catalogs)?;
    let mut shared: Option<Shared<'_>> = None;
    // The pages of a package follow each other, because they share data.
    let mut ordered: Vec<(Option<String>, &Route)> = routes.iter().map(|it| (it.package(), it)).collect();
    ordered.sort();
    for (package, route) in &ordered {
        if shared.as_ref().map(|it| it.package.as_str()) != package.as_deref() {
            shared = package.as_deref().map(|it| Shared::new(site.index, &needs, it));
        }
        let context = PageContext { site, here: route, shared: shared.as_ref().map(|it| it as &dyn OfPackage) };
        let failed = |source| ExportError::Page { address: route.address(Form::Page), source };
        for form in [Form::Page, Form::Json] {
            let Some(file) = files.get(route, form) else { continue };
            let content = match (route, form, made(context, form)) {
                (Route::Icon(name), _, Ok((_, icon))) => icon::file(name, icon),
                (_, Form::Page, Ok((_, page))) => page,
                (_, Form::Json, Ok((_, data))) => unindent(&data),
                // Then the page has no link to it.
                (_, Form::Json, Err(PageError::TooLarge(_))) => continue,
                (_, _, Err(error)) => return Err(failed(error)),
            };
            budget.keep(content.len() as u64)?;
            // The writer hung up after an error; it reports that error itself.
            if to.send((file, content)).is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Pages, and those that would be the same as one of them.
type Routes = (BTreeSet<Route>, HashMap<Route, Route>);

/// Maps each catalog to the shown one that has the same documents of a package. If the package has requirements, other
/// packages could meet them differently, so only packages without requirements are mapped.
fn shown_for(index: &Index, cache: &IndexCache, package: &str) -> Result<HashMap<String, String>, IndexError> {
    let mut groups: BTreeMap<Vec<i64>, Vec<String>> = BTreeMap::new();
    for (catalog, documents) in index.documents_of_independent_package(package)? {
        groups.entry(documents).or_default().push(catalog);
    }
    let mut shown = HashMap::new();
    for names in groups.into_values() {
        let Some(best) = cache.choose(&[], names.iter().map(String::as_str)).map(str::to_owned) else { continue };
        shown.extend(names.into_iter().map(|it| (it, best.clone())));
    }
    Ok(shown)
}

/// All pages that need no question.
fn routes(index: &Index, cache: &IndexCache, packages: &[String]) -> Result<Routes, IndexError> {
    let mut routes = BTreeSet::from([
        Route::Home,
        Route::Packages(List::default()),
        // One file for all kinds instead of one for each: a catalog has thousands.
        Route::Apis(ApiList::default()),
        Route::Lint(Checked::default()),
        Route::Rules,
        Route::Style,
        Route::Script,
        Route::Images(ImageSearch::default()),
        Route::Favicon,
        Route::Names,
    ]);
    let mut names: Vec<String> = cache.catalogs.iter().map(|it| it.catalog.clone()).collect();
    names.sort_by_key(|it| by_numbers(it));
    for name in &names {
        let checks = cache.checks(index, name).ok();
        let findings = checks.iter().flat_map(|checks| checks.findings());
        routes.extend(findings.map(|finding| Route::Rule(RuleChecked::of(finding.rule.id))));
    }
    let has_several = names.len() > 1;
    routes.extend(names.iter().map(|it| Route::CatalogFeed(it.clone())));
    let mut same: HashMap<Route, Route> = HashMap::new();
    let catalog_choice = |catalog: String| has_several.then_some(catalog);
    if has_several {
        routes.insert(Route::Diff(Comparison::default()));
        routes.extend(names.iter().map(|it| Route::Lint(Checked { catalog: Some(it.clone()), package: None })));
        for (old, new) in successions(names.iter().map(String::as_str)) {
            let (old, new) = (Some(old.to_owned()), Some(new.to_owned()));
            routes.insert(Route::Diff(Comparison { old, new, ..Comparison::default() }));
        }
    }
    for package in packages {
        let filter = Filter::of_package(package);
        routes.insert(Route::package_of(package));
        routes.insert(Route::Versions(PackagePage::of(package)));
        routes.insert(Route::Path(PackagePage::of(package)));
        routes.insert(Route::Compat(PackagePage::of(package)));
        routes.insert(Route::PackageFeed(package.clone()));
        routes.insert(Route::VersionNames(package.clone()));
        let bundles = index.bundles(&filter)?;
        if !bundles.is_empty() {
            routes.insert(Route::History(PackagePage::of(package)));
        }
        let shown = if has_several { shown_for(index, cache, package)? } else { HashMap::new() };
        let mut add = |of: &dyn Fn(Option<String>) -> Route, catalog: String| {
            let route = of(catalog_choice(catalog.clone()));
            match shown.get(&catalog).filter(|it| **it != catalog) {
                Some(other) => drop(same.insert(route, of(Some(other.clone())))),
                None => drop(routes.insert(route)),
            }
        };
        for channel in index.channels(&filter)? {
            let of = |catalog| {
                Route::Channel(Stream { package: package.clone(), channel: channel.channel.clone(), catalog })
            };
            add(&of, channel.catalog.clone());
        }
        for BundleRow { bundle, version, catalog, .. } in bundles {
            let version = version_or_name(&version, &bundle);
            let of = |catalog| {
                Route::Version(PackageVersion { package: package.clone(), version: version.to_owned(), catalog })
            };
            add(&of, catalog);
        }
        for catalog in &names {
            routes.extend(cache.icon_of(index, catalog, package)?.map(Route::Icon));
        }
    }
    Ok((routes, same))
}
