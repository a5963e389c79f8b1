//! Which bundles are an image, or use one.

use std::collections::{BTreeMap, HashMap};

use maud::{Markup, html};

use super::command::Command;
use super::parts::{channel_links, link, pages, shown, table, version_link};
use super::reply::PageError;
use super::route::{ImageSearch, Route};
use super::site::{Desk, Page};
use crate::diag::counted;
use crate::index::query::{BundlePlace, BundleRow, Filter};

/// Bundles of a page of the list; the answer as data has all.
const PER_PAGE: usize = 50;

/// Bundles by their places, with their documents.
type Users = HashMap<BundlePlace, i64>;

fn users(desk: Desk<'_>, text: &str) -> Result<Users, PageError> {
    if text.is_empty() {
        return Err(PageError::parameter("q", "required: a part of an image reference"));
    }
    Ok(desk.index().users_of_images(text)?)
}

/// The answer as data: what `list bundles --image TEXT` gives.
pub(super) fn answer(desk: Desk<'_>, text: &str) -> Result<Vec<BundleRow>, PageError> {
    rows_of(desk, &users(desk, text)?, 0, usize::MAX)
}

/// So many of the bundles after the first ones, by package.
fn rows_of(desk: Desk<'_>, users: &Users, n_before: usize, n_wanted: usize) -> Result<Vec<BundleRow>, PageError> {
    let mut packages: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, package, _) in users.keys() {
        *packages.entry(package).or_default() += 1;
    }
    let mut n_skipped = 0;
    let mut rows: Vec<BundleRow> = Vec::new();
    for (package, n_users) in packages {
        if rows.len() >= n_wanted {
            break;
        }
        if n_skipped + n_users <= n_before {
            n_skipped += n_users;
            continue;
        }
        let found = desk.index().bundles(&Filter { package: Some(package.to_owned()), ..Filter::default() })?;
        let found = found.into_iter().filter(|it| users.contains_key(&place_of(it)));
        rows.extend(found.skip(n_before - n_skipped));
        n_skipped = n_before;
    }
    rows.truncate(n_wanted);
    Ok(rows)
}

fn place_of(row: &BundleRow) -> BundlePlace {
    (row.catalog.clone(), row.package.clone(), row.bundle.clone())
}

pub(super) fn page(desk: Desk<'_>, search: &ImageSearch) -> Result<Page, PageError> {
    let ImageSearch { text, page } = search;
    let is_asked = !text.is_empty();
    let found = if is_asked { users(desk, text)? } else { Users::new() };
    let n_pages = found.len().div_ceil(PER_PAGE).max(1);
    if *page >= n_pages {
        return Err(PageError::after_last(n_pages));
    }
    let listed = rows_of(desk, &found, page * PER_PAGE, PER_PAGE)?;
    let body = html! {
        h1 { "Images" }
        form.question role="search" aria-label="Find images" action=[desk.to(&Route::Images(ImageSearch::default()))] {
            label { span { "Part of a reference" } input.wide type="search" name="q" value=(text) placeholder="registry/organization/name, or a digest"; }
            button { "Find" }
        }
        @if is_asked {
            p role="status" { strong { (counted(found.len() as u64, "bundle")) }
                " with “" (shown(text)) "” in the reference of an image." }
            @if !listed.is_empty() { (bundles(desk, &listed, &found, text)?) }
            (pages(desk, *page, n_pages, |page| Route::Images(ImageSearch { page, ..search.clone() })))
        } @else {
            p { "Find the bundles that use an image. Any part of its reference will do, such as a repository or a digest." }
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

fn bundles(desk: Desk<'_>, rows: &[BundleRow], users: &Users, text: &str) -> Result<Markup, PageError> {
    let mut uses = Vec::new();
    for row in rows {
        uses.push(match users.get(&place_of(row)) {
            Some(&document) => desk.index().images_with(document, text)?,
            None => Vec::new(),
        });
    }
    let rows = html! {
        @for (row, uses) in rows.iter().zip(&uses) {
            tr {
                th scope="row" { (link(desk, &Route::Package(row.package.clone()), shown(&row.package))) }
                td { (version_link(desk, &row.package, (&row.bundle, &row.version), &row.catalog)) }
                td { (channel_links(desk, &row.package, &row.channels, &row.catalog)) }
                @if desk.has_several() { td { (shown(&row.catalog)) } }
                td { @for (idx, it) in uses.iter().enumerate() { @if idx > 0 { br; } code { (shown(it)) } } }
            }
        }
    };
    let mut headers = vec!["Package", "Version", "Channels", "Images"];
    if desk.has_several() {
        headers.insert(3, "Catalog");
    }
    Ok(table("Bundles that use such an image", &headers, rows))
}
