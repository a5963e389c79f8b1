//! A kind of objects: the packages that provide it, and those that require it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::links::api_place;
use super::parts::{catalogs_in_words, channel_links, link, place, shown, table, version_link};
use super::reply::PageError;
use super::route::{ApiKind, ApiList, Route};
use super::site::{Page, PageContext};
use olmdex_ask::CommandLine;
use olmdex_index::query::{ApiPattern, Filter, Provider, Requirer};
use olmdex_version::latest_only;

/// The answer as data: that of `provides`.
pub(super) fn answer(context: PageContext<'_>, api: &ApiKind) -> Result<Vec<Provider>, PageError> {
    let rows = context.index().providers(&Filter::default(), &pattern(api))?;
    Ok(latest_only(rows, |it| (it.catalog.clone(), it.package.clone(), it.api.clone()), |it| it.version.as_str()))
}

fn pattern(api: &ApiKind) -> ApiPattern {
    ApiPattern { group: api.group.clone(), version: String::new(), kind: api.kind.clone() }
}

pub(super) fn page(context: PageContext<'_>, api: &ApiKind) -> Result<Page, PageError> {
    let providers = answer(context, api)?;
    let ApiKind { group, kind } = api;
    let name = format!("{group}//{kind}");
    let required = context.index().requirers(&Filter::default(), Some(&pattern(api)), &name)?;
    if providers.is_empty() && required.rows.is_empty() {
        return Err(context.unknown_api(group, kind));
    }
    let n_rules = required.n_rules;
    let requirers = latest_only(
        required.rows,
        |it| (it.catalog.clone(), it.package.clone(), it.requirement.clone()),
        |it| it.version.as_str(),
    );
    let body = html! {
        h1 { (shown(kind)) }
        p.lead { (shown(group)) }
        h2 #provided { "Provided by" }
        @if providers.is_empty() { p { "No package." } } @else { (provided(context, &providers)) }
        h2 #required { "Required by" }
        @if requirers.is_empty() { p { "No package." } } @else { (required_by(context, &requirers)) }
        @if n_rules > 0 { p.quiet { (n_rules) " constraints are CEL rules, which this search skips." } }
    };
    Ok(Page {
        commands: vec![CommandLine::of("provides").names([name.clone()]), CommandLine::of("requires").names([name])],
        is_data: true,
        ..Page::new(format!("{kind} ({group})"), body)
    })
}

/// The first letter of a kind, by which kinds are listed.
fn letter(kind: &str) -> String {
    kind.chars().next().map(|it| it.to_uppercase().collect()).unwrap_or_default()
}

/// APIs by kind and group, with the packages that provide each: a file has all of them, other pages those of a letter
/// or with a text.
pub(super) fn all(context: PageContext<'_>, list: &ApiList) -> Result<Page, PageError> {
    let all = context.cache().apis(context.index())?;
    let mut letters: BTreeMap<String, usize> = BTreeMap::new();
    for (kind, _) in all.keys() {
        *letters.entry(letter(kind)).or_default() += 1;
    }
    let chosen = list.letter.clone().or_else(|| letters.keys().next().cloned()).unwrap_or_default();
    let text = list.text.to_lowercase();
    let is_listed = |kind: &str, group: &str| match (context.is_served(), text.is_empty()) {
        (false, _) => true,
        (true, true) => letter(kind) == chosen,
        (true, false) => kind.to_lowercase().contains(&text) || group.to_lowercase().contains(&text),
    };
    // A file does not link to pages of kinds, so it names all packages.
    let n_named = if context.is_served() { N_NAMED } else { usize::MAX };
    let mut places: BTreeSet<String> = BTreeSet::new();
    let mut n_listed = 0;
    let rows = html! {
        @for ((kind, group), packages) in all.iter().filter(|((kind, group), _)| is_listed(kind, group)).take(MAX_LISTED) {
            @let place = api_place(group, kind);
            @let () = n_listed += 1;
            // Two names may differ only in characters that an anchor cannot have.
            tr id=[places.insert(place.clone()).then_some(&place)] {
                th scope="row" {
                    @if context.is_served() { (link(context, &Route::Api(ApiKind { group: group.clone(), kind: kind.clone() }), shown(kind))) }
                    @else { (shown(kind)) }
                    span.line.quiet { (shown(group)) }
                }
                td {
                    @for (at, it) in packages.iter().take(n_named).enumerate() {
                        @if at > 0 { ", " } (link(context, &Route::package_of(it), shown(it)))
                    }
                    @if packages.len() > n_named { " and " (packages.len() - n_named) " more" }
                }
            }
        }
    };
    let body = html! {
        h1 { "APIs" }
        @if context.is_served() {
            (choices(context, list, &letters, &chosen))
            p role="status" { strong { (n_listed) } " of " (all.len()) " kinds of objects that operators provide"
                @if text.is_empty() { ", by their first letter." } @else { " with “" (shown(&list.text)) "” in kind or group." } }
        } @else {
            div.above {
                p role="status" { strong { (all.len()) } " kinds of objects that operators provide." }
                label.filter hidden { span { "Filter" } input type="search" data-filter="apis"; }
            }
        }
        div.stack #apis { (table("APIs by kind", &["Kind and group", "Provided by"], rows)) }
    };
    Ok(Page {
        about: "All APIs that the operators of these catalogs provide".to_owned(),
        ..Page::new("APIs".to_owned(), body)
    })
}

/// The most kinds of a page.
const MAX_LISTED: usize = 500;

/// The letters, and a search among all kinds.
fn choices(context: PageContext<'_>, list: &ApiList, letters: &BTreeMap<String, usize>, chosen: &str) -> Markup {
    let of = |letter: &str| Route::Apis(ApiList { letter: Some(letter.to_owned()), ..ApiList::default() });
    html! {
        form.question role="search" aria-label="Find an API" action=[context.to(&Route::Apis(ApiList::default()))] {
            label { span { "Part of a kind or group" } input type="search" name="q" value=(list.text) placeholder="Kafka" autocomplete="off"; }
            button { "Find" }
        }
        nav.choices aria-label="First letter" {
            @for letter in letters.keys() {
                @if let Some(address) = context.to(&of(letter)) {
                    a href=(address) aria-current=[(letter == chosen && list.text.is_empty()).then_some("true")] { (shown(letter)) }
                }
            }
        }
    }
}

/// Packages of an API that are named in the list of all.
const N_NAMED: usize = 3;

/// Rows that differ only in their catalogs, each with these in words. The first of each is of the preferred catalog.
fn joined<'r, T, K: Ord>(
    context: PageContext<'_>,
    rows: &'r [T],
    catalog: fn(&T) -> &String,
    key: impl Fn(&'r T) -> K,
) -> Vec<(&'r T, String)> {
    let mut by_key: BTreeMap<K, Vec<&T>> = BTreeMap::new();
    for row in rows {
        by_key.entry(key(row)).or_default().push(row);
    }
    let joined = by_key.into_values().filter_map(|alike| {
        let names: Vec<&str> = alike.iter().map(|row| catalog(row).as_str()).collect();
        let preferred = context.cache().choose(&[], names.iter().copied())?;
        let row = alike.into_iter().find(|row| catalog(row) == preferred)?;
        Some((row, catalogs_in_words(context, &names, context.catalogs().count())))
    });
    joined.collect()
}

fn provided(context: PageContext<'_>, rows: &[Provider]) -> Markup {
    let key = |row: &'_ Provider| {
        (row.package.clone(), Reverse(row.bundle.clone()), row.api.version.clone(), row.channels.clone())
    };
    let rows = html! {
        @for (it, catalogs) in joined(context, rows, |row| &row.catalog, key) {
            tr {
                th scope="row" { (link(context, &Route::package_of(&it.package), shown(&it.package))) }
                td { (version_link(context, &it.package, (&it.bundle, &it.version), &it.catalog)) }
                td { (shown(&it.api.version)) }
                td { (channel_links(context, &it.package, &it.channels, &it.catalog)) }
                td { (catalogs) }
            }
        }
    };
    table("Latest versions that provide it", &["Package", "Version", "API version", "Channels", "Catalogs"], rows)
}

fn required_by(context: PageContext<'_>, rows: &[Requirer]) -> Markup {
    let key = |row: &'_ Requirer| (row.package.clone(), Reverse(row.bundle.clone()), row.requirement.clone());
    let rows = html! {
        @for (it, catalogs) in joined(context, rows, |row| &row.catalog, key) {
            tr {
                th scope="row" { (link(context, &Route::package_of(&it.package), shown(&it.package))) }
                td { (version_link(context, &it.package, (&it.bundle, &it.version), &it.catalog)) }
                td { code { (shown(&it.requirement)) } }
                td { (catalogs) }
                td.aside { (place(&it.place.file, it.place.line)) }
            }
        }
    };
    table("Latest versions that require it", &["Package", "Version", "Requires", "Catalogs", "~Source"], rows)
}
