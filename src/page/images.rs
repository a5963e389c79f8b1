//! Which bundles are an image, or use one.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::command::Command;
use super::parts::{channel_links, link, shown, table, version_link};
use super::reply::PageError;
use super::route::Route;
use super::site::{Desk, Page};
use crate::diag::counted;
use crate::index::query::{BundlePlace, BundleRow, Filter};

/// Bundles that are listed on a page; the answer as data has all.
const MAX_LISTED: usize = 500;

/// Bundles by their places, with what they have of what was asked.
type Users = BTreeMap<BundlePlace, BTreeSet<String>>;

fn users(desk: Desk<'_>, text: &str) -> Result<Users, PageError> {
    if text.is_empty() {
        return Err(PageError::parameter("q", "required: a part of an image reference"));
    }
    Ok(desk.index().users_of_images(text)?)
}

/// The answer as data: what `list bundles --image TEXT` gives.
pub(super) fn answer(desk: Desk<'_>, text: &str) -> Result<Vec<BundleRow>, PageError> {
    rows_of(desk, &users(desk, text)?, usize::MAX)
}

/// The bundles by package; of many the first, at least so many.
fn rows_of(desk: Desk<'_>, users: &Users, n_wanted: usize) -> Result<Vec<BundleRow>, PageError> {
    let packages: BTreeSet<&str> = users.keys().map(|it| it.1.as_str()).collect();
    let mut rows: Vec<BundleRow> = Vec::new();
    for package in packages {
        if rows.len() >= n_wanted {
            break;
        }
        let found = desk.index().bundles(&Filter { package: Some(package.to_owned()), ..Filter::default() })?;
        rows.extend(found.into_iter().filter(|it| users.contains_key(&place_of(it))));
    }
    Ok(rows)
}

fn place_of(row: &BundleRow) -> BundlePlace {
    (row.catalog.clone(), row.package.clone(), row.bundle.clone())
}

pub(super) fn page(desk: Desk<'_>, text: &str) -> Result<Page, PageError> {
    let is_asked = !text.is_empty();
    let found = if is_asked { users(desk, text)? } else { Users::new() };
    let mut listed = rows_of(desk, &found, MAX_LISTED)?;
    listed.truncate(MAX_LISTED);
    let body = html! {
        h1 { "Images" }
        form.question role="search" aria-label="Find images" action=[desk.to(&Route::Images(String::new()))] {
            label { span { "Part of a reference" } input.wide type="search" name="q" value=(text) placeholder="registry/organization/name, or a digest"; }
            button { "Find" }
        }
        @if is_asked {
            p role="status" { strong { (counted(found.len() as u64, "bundle")) }
                " with “" (shown(text)) "” in the reference of an image." }
            @if !listed.is_empty() { (bundles(desk, &listed, &found)) }
            @if listed.len() < found.len() {
                p { "Only the first " (MAX_LISTED) " are listed. Enter more of the reference to narrow the search; the JSON lists all." }
            }
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

fn bundles(desk: Desk<'_>, rows: &[BundleRow], users: &Users) -> Markup {
    let rows = html! {
        @for row in rows {
            @let uses = users.get(&place_of(row)).into_iter().flatten();
            tr {
                th scope="row" { (link(desk, &Route::Package(row.package.clone()), shown(&row.package))) }
                td { (version_link(desk, &row.package, (&row.bundle, &row.version), &row.catalog)) }
                td { (channel_links(desk, &row.package, &row.channels, &row.catalog)) }
                @if desk.has_several() { td { (shown(&row.catalog)) } }
                td { @for (idx, it) in uses.enumerate() { @if idx > 0 { br; } code { (shown(it)) } } }
            }
        }
    };
    let mut headers = vec!["Package", "Version", "Channels", "Images"];
    if desk.has_several() {
        headers.insert(3, "Catalog");
    }
    table("Bundles that use such an image", &headers, rows)
}
