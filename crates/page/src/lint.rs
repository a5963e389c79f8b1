//! The findings of the checks in a catalog.

use maud::{Markup, html};

use super::channel::found;
use super::parts::{link, shown, table};
use super::reply::PageError;
use super::route::{Checked, Route};
use super::site::{Page, PageContext};
use olmdex_ask::CommandLine;
use olmdex_base::diag::{Finding, Tally, counted};
use olmdex_version::by_numbers;

/// The answer as data: the findings about a package, about a catalog, or about all of them as `validate` has them.
pub(super) fn listed(context: PageContext<'_>, checked: &Checked) -> Result<Vec<Finding>, PageError> {
    let of = |catalog: &str| {
        let found = context.cache().findings(context.index(), catalog)?.ok_or_else(|| too_large(catalog))?;
        Ok::<_, PageError>(found.to_vec())
    };
    match (&checked.catalog, &checked.package) {
        (named, Some(package)) => Ok(of_package(context, named.as_ref(), package)?.1),
        (Some(_), None) => of(&chosen(context, checked.catalog.as_ref())?),
        (None, None) => Ok(context.catalogs().map(of).collect::<Result<Vec<_>, _>>()?.concat()),
    }
}

/// The named catalog; without one, the preferred catalog that is small enough to check for a page, if there is one.
fn chosen(context: PageContext<'_>, named: Option<&String>) -> Result<String, PageError> {
    let having: Vec<String> = context.catalogs().map(str::to_owned).collect();
    let none = || PageError::Failed("the index has no catalog".to_owned());
    if named.is_none() {
        let mut checkable = Vec::new();
        for name in &having {
            if context.cache().is_checkable(context.index(), name)? {
                checkable.push(name.clone());
            }
        }
        if !checkable.is_empty() {
            return context.choose(None, &checkable, none);
        }
    }
    context.choose(named, &having, none)
}

/// A page must not use as much memory as a whole catalog takes.
fn too_large(catalog: &str) -> PageError {
    PageError::TooLarge(format!(
        "catalog `{catalog}` is too large to check for a page; check it with `olmdex validate`"
    ))
}

/// The findings about a package in a catalog, of whatever size.
fn of_package(
    context: PageContext<'_>,
    named: Option<&String>,
    package: &str,
) -> Result<(String, Vec<Finding>), PageError> {
    let having = context.index().catalogs_of_package(package)?;
    let catalog = context.choose(named, &having, || context.unknown_package(package))?;
    let findings = context.cache().findings_of_package(context.index(), &catalog, package)?;
    Ok((catalog, findings))
}

/// Whether all catalogs can be checked for a page.
fn is_all_checkable(context: PageContext<'_>) -> Result<bool, PageError> {
    for catalog in context.catalogs() {
        if !context.cache().is_checkable(context.index(), catalog)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn page_of_package(context: PageContext<'_>, named: Option<&String>, package: &str) -> Result<Page, PageError> {
    let (catalog, findings) = of_package(context, named, package)?;
    let tally = Tally::of(&findings);
    let body = html! {
        h1 { "Findings in " (shown(package)) }
        p.lead { (counted(tally.errors as u64, "error")) ", " (counted(tally.warnings as u64, "warning")) " in catalog " (shown(&catalog)) "." }
        (found(&findings))
        p { (link(context, &Route::Package(package.to_owned()), "The package")) ", "
            (link(context, &Route::Lint(Checked { catalog: Some(catalog.clone()), package: None }), "all findings of the catalog")) }
    };
    Ok(Page {
        commands: vec![CommandLine::of_sources("validate", 1)],
        is_data: true,
        ..Page::new(format!("Findings in {package}"), body)
    })
}

pub(super) fn page(context: PageContext<'_>, checked: &Checked) -> Result<Page, PageError> {
    let named = checked.catalog.as_ref();
    if let Some(package) = &checked.package {
        return page_of_package(context, named, package);
    }
    let catalog = chosen(context, named)?;
    let findings = context.cache().findings(context.index(), &catalog)?;
    let is_all = named.is_none() && is_all_checkable(context)?;
    let preferred = context.cache().choose(&[], context.catalogs()).unwrap_or_default();
    let body = html! {
        h1 { "Findings in " (shown(&catalog)) }
        (tabs(context, &catalog))
        @if findings.is_none() {
            (by_package(context, &catalog)?)
        } @else if named.is_none() && preferred != catalog {
            p { "Catalog " strong { (shown(preferred)) } " is too large to check as a whole, so this page \
                shows " strong { (shown(&catalog)) }
                ". The command below checks all catalogs." }
        }
        @if let Some(findings) = &findings { (groups(context, findings)) }
    };
    Ok(Page {
        commands: vec![CommandLine::of_sources("validate", 1)],
        is_data: findings.is_some(),
        // Without a catalog, the address of the data is about all of them, which only works for small ones.
        data: (named.is_none() && !is_all)
            .then(|| Route::Lint(Checked { catalog: Some(catalog.clone()), package: None })),
        ..Page::new(format!("Findings in {catalog}"), body)
    })
}

/// The packages of a catalog that is too large to be checked at once: each is checked on demand.
fn by_package(context: PageContext<'_>, catalog: &str) -> Result<Markup, PageError> {
    let counts = context.index().stored_finding_counts(catalog)?;
    let mut packages: Vec<(String, u64)> = context
        .index()
        .packages_of_catalog(catalog)?
        .into_iter()
        .map(|it| (counts.get(&it).copied().unwrap_or_default(), it))
        .map(|(n, package)| (package, n))
        .collect();
    packages.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
    let rows = html! {
        @for (package, n) in &packages {
            tr {
                th scope="row" { (link(context, &Route::Lint(Checked { catalog: Some(catalog.to_owned()), package: Some(package.clone()) }), shown(package))) }
                td.amount { @if *n > 0 { (n) } @else { "not checked" } }
            }
        }
    };
    Ok(html! {
        p { "Catalog " strong { (shown(catalog)) } " is too large to check as a whole for a page: olmdex checks each \
            package on request. "
            "The numbers count only the findings that building the index has seen in single documents." }
        (table("Packages, most findings first", &["Package", "#Findings in documents"], rows))
    })
}

fn tabs(context: PageContext<'_>, catalog: &str) -> Markup {
    let mut names: Vec<&str> = context.catalogs().collect();
    names.sort_by_key(|it| by_numbers(it));
    html! {
        @if names.len() > 1 {
            nav.tabs aria-label="Catalogs" {
                @for name in &names {
                    @if let Some(address) = context.to(&Route::Lint(Checked { catalog: Some((*name).to_owned()), package: None })) {
                        a href=(address) aria-current=[(*name == catalog).then_some("page")] { (shown(name)) }
                    }
                }
            }
        }
    }
}

/// The findings, by package.
fn groups(context: PageContext<'_>, findings: &[Finding]) -> Markup {
    let tally = Tally::of(findings);
    let groups: Vec<&[Finding]> = findings.chunk_by(|a, b| a.package == b.package).collect();
    html! {
        p.lead { (counted(tally.errors as u64, "error")) ", " (counted(tally.warnings as u64, "warning")) "." }
        @for group in &groups {
            details open[groups.len() <= 5] {
                summary { strong { (group.first().and_then(|it| it.package.as_deref()).map_or("The whole catalog".to_owned(), shown)) }
                    " " span.quiet { (counted(group.len() as u64, "finding")) } }
                @if let Some(package) = group.first().and_then(|it| it.package.as_ref()) {
                    p { (link(context, &Route::Package(package.clone()), "The package")) }
                }
                (found(group))
            }
        }
    }
}
