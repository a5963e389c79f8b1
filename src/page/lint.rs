//! What the checks find in a catalog.

use std::sync::Arc;

use maud::html;

use super::channel::found;
use super::command::Command;
use super::parts::{link, shown};
use super::reply::PageError;
use super::route::Route;
use super::site::{Desk, Page};
use crate::diag::{Finding, Tally, counted};
use crate::version::by_numbers;

/// The findings about a catalog, with their places in its files.
pub(super) fn answer(desk: Desk<'_>, named: Option<&String>) -> Result<(String, Arc<Vec<Finding>>), PageError> {
    let having: Vec<String> = desk.catalogs().map(str::to_owned).collect();
    let none = || Ok(PageError::Failed("the index has no catalog".to_owned()));
    let catalog = desk.choose(named, &having, none)?;
    let findings = desk.shelf().findings(desk.index(), &catalog)?.ok_or_else(|| too_large(&catalog))?;
    Ok((catalog, findings))
}

/// The findings about all catalogs: what `validate` gives.
pub(super) fn of_all(desk: Desk<'_>) -> Result<Vec<Finding>, PageError> {
    let mut all = Vec::new();
    for catalog in desk.catalogs() {
        let found = desk.shelf().findings(desk.index(), catalog)?.ok_or_else(|| too_large(catalog))?;
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

pub(super) fn page(desk: Desk<'_>, named: Option<&String>) -> Result<Page, PageError> {
    let (catalog, findings) = match answer(desk, named) {
        Err(PageError::TooLarge(message)) => return Ok(unchecked(&message)),
        found => found?,
    };
    let tally = Tally::of(&findings);
    let mut names: Vec<&str> = desk.catalogs().collect();
    names.sort_by_key(|it| by_numbers(it));
    let groups: Vec<&[Finding]> = findings.chunk_by(|a, b| a.package == b.package).collect();
    let body = html! {
        h1 { "Findings in " (shown(&catalog)) }
        @if names.len() > 1 {
            nav.tabs aria-label="Catalogs" {
                @for name in &names {
                    @if let Some(address) = desk.to(&Route::Lint { catalog: Some((*name).to_owned()) }) {
                        a href=(address) aria-current=[(*name == catalog).then_some("page")] { (shown(name)) }
                    }
                }
            }
        }
        p.lead { (counted(tally.errors as u64, "error")) ", " (counted(tally.warnings as u64, "warning")) "." }
        @for group in &groups {
            details open[groups.len() <= 5] {
                summary { strong { (group.first().and_then(|it| it.package.as_deref()).map_or("The whole catalog".to_owned(), shown)) }
                    " " span.quiet { (counted(group.len() as u64, "finding")) } }
                @if let Some(package) = group.first().and_then(|it| it.package.as_ref()) {
                    p { (link(desk, &Route::Package(package.clone()), "The package")) }
                }
                (found(group))
            }
        }
    };
    Ok(Page {
        title: format!("Findings in {catalog}"),
        trail: vec![("Catalogs".to_owned(), Route::Home)],
        commands: vec![Command::of_sources("validate", 1)],
        more_data: Vec::new(),
        is_data: named.is_some() || of_all(desk).is_ok(),
        data: None,
        body,
    })
}

/// The page of a catalog that is not checked.
fn unchecked(message: &str) -> Page {
    Page {
        title: "Findings".to_owned(),
        trail: vec![("Catalogs".to_owned(), Route::Home)],
        commands: vec![Command::of_sources("validate", 1)],
        more_data: Vec::new(),
        is_data: false,
        data: None,
        body: html! { h1 { "Findings" } p.lead { (shown(message)) "." } },
    }
}
