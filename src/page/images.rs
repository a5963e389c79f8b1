//! Which bundles are an image, or use one.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::command::Command;
use super::parts::{channel_links, link, shown, table, version_link};
use super::reply::PageError;
use super::route::Route;
use super::site::{Desk, Page};
use crate::diag::counted;
use crate::index::query::{BundleRow, Filter, SearchQuery};

/// Bundles that are listed on a page; the answer as data has all.
const MAX_LISTED: usize = 500;

/// The answer as data: what `list bundles --image TEXT` gives.
pub(super) fn answer(desk: Desk<'_>, text: &str) -> Result<Vec<BundleRow>, PageError> {
    if text.is_empty() {
        return Err(PageError::parameter("q", "it is a part of the reference of an image"));
    }
    let query = SearchQuery { images: vec![text.to_owned()], ..SearchQuery::default() };
    let Some(matching) = desk.index().matching(&query)? else { return Ok(Vec::new()) };
    let mut rows = Vec::new();
    let packages: BTreeSet<&str> = matching.iter().map(|it| it.1.as_str()).collect();
    for package in packages {
        rows.extend(desk.index().bundles(&Filter { package: Some(package.to_owned()), ..Filter::default() })?);
    }
    rows.retain(|it| matching.contains(&(it.catalog.clone(), it.package.clone(), it.bundle.clone())));
    Ok(rows)
}

pub(super) fn page(desk: Desk<'_>, text: &str) -> Result<Page, PageError> {
    let is_asked = !text.is_empty();
    let found = if is_asked { answer(desk, text)? } else { Vec::new() };
    let listed = &found[..found.len().min(MAX_LISTED)];
    let body = html! {
        h1 { "Images" }
        form.question role="search" aria-label="Find images" action=[desk.to(&Route::Images(String::new()))] {
            label { span { "Part of a reference" } input.wide type="search" name="q" value=(text) placeholder="registry/organization/name, or a digest"; }
            button { "Find" }
        }
        @if is_asked {
            p role="status" { strong { (counted(found.len() as u64, "bundle")) }
                " with an image that has “" (shown(text)) "” in its reference." }
            @if !listed.is_empty() { (bundles(desk, listed, text)?) }
            @if listed.len() < found.len() {
                p { "The first " (MAX_LISTED) " are listed; a longer part of the reference finds fewer, and the answer as JSON has all." }
            }
        } @else {
            p { "Which bundles are this image, or use it? Whatever is between the first letter of the registry and the last of the digest will do." }
        }
    };
    let command = Command::new("list").name("bundles").option("--image", text);
    Ok(Page {
        title: "Images".to_owned(),
        trail: vec![("Catalogs".to_owned(), Route::Home)],
        commands: if is_asked { vec![command] } else { Vec::new() },
        more_data: Vec::new(),
        is_data: is_asked,
        body,
    })
}

fn bundles(desk: Desk<'_>, rows: &[BundleRow], text: &str) -> Result<Markup, PageError> {
    let mut lines = Vec::new();
    for row in rows {
        let place = (row.catalog.clone(), row.package.clone(), row.bundle.clone());
        let mut uses = desk.index().image_uses(&[place])?;
        uses.retain(|it| it.image.contains(text));
        lines.push((row, uses));
    }
    let rows = html! {
        @for (row, uses) in &lines {
            tr {
                th scope="row" { (link(desk, &Route::Package(row.package.clone()), shown(&row.package))) }
                td { (version_link(desk, &row.package, (&row.bundle, &row.version), &row.catalog)) }
                td { (channel_links(desk, &row.package, &row.channels, &row.catalog)) }
                @if desk.has_several() { td { (shown(&row.catalog)) } }
                td { @for (idx, it) in uses.iter().enumerate() { @if idx > 0 { br; } code { (shown(&it.image)) } } }
            }
        }
    };
    let mut headers = vec!["Package", "Version", "Channels", "Images"];
    if desk.has_several() {
        headers.insert(3, "Catalog");
    }
    Ok(table("Bundles with such an image", &headers, rows))
}
