//! What the checks find in a catalog.

use std::sync::Arc;

use maud::{Markup, html};

use super::channel::found;
use super::command::Command;
use super::index_cache::IndexCache;
use super::parts::{link, shown};
use super::reply::PageError;
use super::route::Route;
use super::site::{Page, PageContext};
use olmdex_base::diag::{Finding, Tally, counted};
use olmdex_version::by_numbers;

/// The findings about a catalog, with their places in its files.
pub(super) fn answer(
    context: PageContext<'_>,
    named: Option<&String>,
) -> Result<(String, Arc<Vec<Finding>>), PageError> {
    let catalog = chosen(context, named)?;
    let findings = context.cache().findings(context.index(), &catalog)?.ok_or_else(|| too_large(&catalog))?;
    Ok((catalog, findings))
}

/// The catalog that is named; else the preferred one of those that can be checked for a page, if there is any.
fn chosen(context: PageContext<'_>, named: Option<&String>) -> Result<String, PageError> {
    let having: Vec<String> = context.catalogs().map(str::to_owned).collect();
    let none = || PageError::Failed("the index has no catalog".to_owned());
    if named.is_none() {
        let mut checkable = Vec::new();
        for name in &having {
            if IndexCache::is_checkable(context.index(), name)? {
                checkable.push(name.clone());
            }
        }
        if !checkable.is_empty() {
            return context.choose(None, &checkable, none);
        }
    }
    context.choose(named, &having, none)
}

/// The findings about all catalogs: what `validate` gives.
pub(super) fn of_all(context: PageContext<'_>) -> Result<Vec<Finding>, PageError> {
    let mut all = Vec::new();
    for catalog in context.catalogs() {
        let found = context.cache().findings(context.index(), catalog)?.ok_or_else(|| too_large(catalog))?;
        all.extend(found.iter().cloned());
    }
    Ok(all)
}

/// A page is no place for what takes as much memory as the catalog.
fn too_large(catalog: &str) -> PageError {
    PageError::TooLarge(format!(
        "catalog `{catalog}` is too large to be checked for a page; `olmdex validate` checks it"
    ))
}

pub(super) fn page(context: PageContext<'_>, named: Option<&String>) -> Result<Page, PageError> {
    let catalog = chosen(context, named)?;
    let findings = context.cache().findings(context.index(), &catalog)?;
    let is_all = named.is_none() && of_all(context).is_ok();
    let preferred = context.cache().choose(&[], context.catalogs()).unwrap_or_default();
    let body = html! {
        h1 { "Findings in " (shown(&catalog)) }
        (tabs(context, &catalog))
        @if findings.is_none() {
            p.lead { "Catalog " strong { (shown(&catalog)) } " is too large to be checked for a page. "
                @if context.has_several() { "The command below checks it together with the other catalogs." }
                @else { "The command below checks it." } }
        } @else if named.is_none() && preferred != catalog {
            p { "Catalog " strong { (shown(preferred)) } " is too large to be checked for a page, so this is " strong { (shown(&catalog)) }
                ". The command below checks all catalogs." }
        }
        @if let Some(findings) = &findings { (groups(context, findings)) }
    };
    Ok(Page {
        title: format!("Findings in {catalog}"),
        trail: vec![("Catalogs".to_owned(), Route::Home)],
        commands: vec![Command::of_sources("validate", 1)],
        more_data: Vec::new(),
        is_data: findings.is_some(),
        // Without a catalog the address is about all of them, which only a page of small ones can be.
        data: (named.is_none() && !is_all).then(|| Route::Lint { catalog: Some(catalog.clone()) }),
        about: String::new(),
        body,
    })
}

fn tabs(context: PageContext<'_>, catalog: &str) -> Markup {
    let mut names: Vec<&str> = context.catalogs().collect();
    names.sort_by_key(|it| by_numbers(it));
    html! {
        @if names.len() > 1 {
            nav.tabs aria-label="Catalogs" {
                @for name in &names {
                    @if let Some(address) = context.to(&Route::Lint { catalog: Some((*name).to_owned()) }) {
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
