//! Which bundles are an image, or use one.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::command::Command;
use super::parts::{channel_links, link, pages, shown, table, version_link};
use super::reply::PageError;
use super::route::{ImageSearch, Route};
use super::site::{Page, PageContext};
use olmdex_base::diag::counted;
use olmdex_index::query::{BundlePlace, BundleRow, Filter};

/// Bundles of a page of the list; the answer as data has all.
const PER_PAGE: usize = 50;

/// How many bundles of each package it is.
type Users = BTreeMap<String, usize>;

/// A bundle, and its document.
type User = (BundleRow, i64);

fn users(context: PageContext<'_>, text: &str) -> Result<Users, PageError> {
    if text.is_empty() {
        return Err(PageError::parameter("q", "required: a part of an image reference"));
    }
    Ok(context.index().users_of_images(text)?)
}

/// The answer as data: what `list bundles --image TEXT` gives.
pub(super) fn answer(context: PageContext<'_>, text: &str) -> Result<Vec<BundleRow>, PageError> {
    let found = listed(context, text, &users(context, text)?, 0, usize::MAX)?;
    Ok(found.into_iter().map(|it| it.0).collect())
}

/// So many of the bundles after the first ones, by package.
fn listed(
    context: PageContext<'_>,
    text: &str,
    users: &Users,
    n_before: usize,
    n_wanted: usize,
) -> Result<Vec<User>, PageError> {
    let mut n_skipped = 0;
    let mut listed: Vec<User> = Vec::new();
    for (package, n_users) in users {
        if listed.len() >= n_wanted {
            break;
        }
        if n_skipped + n_users <= n_before {
            n_skipped += n_users;
            continue;
        }
        let documents = context.index().users_of_images_in(package, text)?;
        let rows = context.index().bundles(&Filter { package: Some(package.clone()), ..Filter::default() })?;
        let found = rows.into_iter().filter_map(|it| documents.get(&place_of(&it)).map(|document| (it, *document)));
        listed.extend(found.skip(n_before - n_skipped));
        n_skipped = n_before;
    }
    listed.truncate(n_wanted);
    Ok(listed)
}

fn place_of(row: &BundleRow) -> BundlePlace {
    (row.catalog.clone(), row.package.clone(), row.bundle.clone())
}

pub(super) fn page(context: PageContext<'_>, search: &ImageSearch) -> Result<Page, PageError> {
    let ImageSearch { text, page } = search;
    let is_asked = !text.is_empty();
    let found = if is_asked { users(context, text)? } else { Users::new() };
    let n_found: usize = found.values().sum();
    let n_pages = n_found.div_ceil(PER_PAGE).max(1);
    if *page >= n_pages {
        return Err(PageError::after_last(n_pages));
    }
    let listed = listed(context, text, &found, page * PER_PAGE, PER_PAGE)?;
    let body = html! {
        h1 { "Images" }
        form.question role="search" aria-label="Find images" action=[context.to(&Route::Images(ImageSearch::default()))] {
            label { span { "Part of a reference" } input.wide type="search" name="q" value=(text) placeholder="registry/organization/name, or a digest"; }
            button { "Find" }
        }
        @if is_asked {
            p role="status" { strong { (counted(n_found as u64, "bundle")) }
                " with “" (shown(text)) "” in the reference of an image." }
            @if !listed.is_empty() { (bundles(context, &listed, text)?) }
            (pages(context, *page, n_pages, |page| Route::Images(ImageSearch { page, ..search.clone() })))
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
        data: None,
        about: String::new(),
        body,
    })
}

fn bundles(context: PageContext<'_>, listed: &[User], text: &str) -> Result<Markup, PageError> {
    let mut rows = Vec::new();
    for (row, document) in listed {
        rows.push((row, context.index().images_with(*document, text)?));
    }
    let rows = html! {
        @for (row, uses) in &rows {
            tr {
                th scope="row" { (link(context, &Route::Package(row.package.clone()), shown(&row.package))) }
                td { (version_link(context, &row.package, (&row.bundle, &row.version), &row.catalog)) }
                td { (channel_links(context, &row.package, &row.channels, &row.catalog)) }
                @if context.has_several() { td { (shown(&row.catalog)) } }
                td { @for (idx, it) in uses.iter().enumerate() { @if idx > 0 { br; } code { (shown(it)) } } }
            }
        }
    };
    let mut headers = vec!["Package", "Version", "Channels", "Images"];
    if context.has_several() {
        headers.insert(3, "Catalog");
    }
    Ok(table("Bundles that use such an image", &headers, rows))
}
