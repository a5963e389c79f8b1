//! A kind of objects: which packages provide it, and which require it.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::command::Command;
use super::links::api_place;
use super::parts::{channel_links, link, place, shown, table, version_link};
use super::reply::PageError;
use super::route::Route;
use super::site::{Page, PageContext};
use olmdex_index::query::{ApiPattern, Filter, Provider, Requirer};
use olmdex_version::latest_only;

/// The answer as data: what `provides` gives.
pub(super) fn answer(context: PageContext<'_>, group: &str, kind: &str) -> Result<Vec<Provider>, PageError> {
    let rows = context.index().providers(&Filter::default(), &pattern(group, kind))?;
    Ok(latest_only(rows, |it| (it.catalog.clone(), it.package.clone(), it.api.clone()), |it| it.version.as_str()))
}

fn pattern(group: &str, kind: &str) -> ApiPattern {
    ApiPattern { group: group.to_owned(), version: String::new(), kind: kind.to_owned() }
}

pub(super) fn page(context: PageContext<'_>, group: &str, kind: &str) -> Result<Page, PageError> {
    let providers = answer(context, group, kind)?;
    let name = format!("{group}//{kind}");
    let required = context.index().requirers(&Filter::default(), Some(&pattern(group, kind)), &name)?;
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
        @if providers.is_empty() { p { "Nobody." } } @else { (provided(context, &providers)) }
        h2 #required { "Required by" }
        @if requirers.is_empty() { p { "Nobody." } } @else { (required_by(context, &requirers)) }
        @if n_rules > 0 { p.quiet { (n_rules) " constraints are rules of CEL, which are not searched." } }
    };
    Ok(Page {
        title: format!("{kind} ({group})"),
        trail: vec![("Catalogs".to_owned(), Route::Home)],
        commands: vec![Command::new("provides").name(name.clone()), Command::new("requires").name(name)],
        more_data: Vec::new(),
        is_data: true,
        data: None,
        about: String::new(),
        body,
    })
}

/// All APIs, by group and kind, with the packages that provide each.
pub(super) fn all(context: PageContext<'_>) -> Result<Page, PageError> {
    let mut kinds: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for it in context.index().owners(&Filter::default(), &ApiPattern::default())? {
        kinds.entry((it.group, it.kind)).or_default().extend(it.packages);
    }
    let n_kinds = kinds.len();
    // A file leads to no page of a kind, so it names all packages.
    let n_named = if context.is_served() { N_NAMED } else { usize::MAX };
    let mut places: BTreeSet<String> = BTreeSet::new();
    let rows = html! {
        @for ((group, kind), packages) in &kinds {
            @let place = api_place(group, kind);
            // Two names may differ in what no place can hold.
            tr id=[places.insert(place.clone()).then_some(&place)] {
                th scope="row" {
                    @if context.is_served() { (link(context, &Route::Api { group: group.clone(), kind: kind.clone() }, shown(kind))) }
                    @else { (shown(kind)) }
                }
                td { (shown(group)) }
                td {
                    @for (at, it) in packages.iter().take(n_named).enumerate() {
                        @if at > 0 { ", " } (link(context, &Route::Package(it.clone()), shown(it)))
                    }
                    @if packages.len() > n_named { " and " (packages.len() - n_named) " more" }
                }
            }
        }
    };
    let body = html! {
        h1 { "APIs" }
        div.above {
            p role="status" { strong { (n_kinds) } " kinds of objects that operators provide." }
            label.filter hidden { span { "Filter" } input type="search" data-filter="apis"; }
        }
        div #apis { (table("APIs by group", &["Kind", "Group", "Provided by"], rows)) }
    };
    Ok(Page {
        title: "APIs".to_owned(),
        trail: vec![("Catalogs".to_owned(), Route::Home)],
        commands: Vec::new(),
        more_data: Vec::new(),
        is_data: false,
        data: None,
        about: "All APIs that the operators of these catalogs provide".to_owned(),
        body,
    })
}

/// Packages of an API that are named in the list of all.
const N_NAMED: usize = 3;

fn provided(context: PageContext<'_>, rows: &[Provider]) -> Markup {
    let rows = html! {
        @for it in rows {
            tr {
                th scope="row" { (link(context, &Route::Package(it.package.clone()), shown(&it.package))) }
                td { (version_link(context, &it.package, (&it.bundle, &it.version), &it.catalog)) }
                td { (shown(&it.api.version)) }
                td { (channel_links(context, &it.package, &it.channels, &it.catalog)) }
                td { (shown(&it.catalog)) }
            }
        }
    };
    table("Latest versions that provide it", &["Package", "Version", "API version", "Channels", "Catalog"], rows)
}

fn required_by(context: PageContext<'_>, rows: &[Requirer]) -> Markup {
    let rows = html! {
        @for it in rows {
            tr {
                th scope="row" { (link(context, &Route::Package(it.package.clone()), shown(&it.package))) }
                td { (version_link(context, &it.package, (&it.bundle, &it.version), &it.catalog)) }
                td { code { (shown(&it.requirement)) } }
                td { (shown(&it.catalog)) }
                td { (place(&it.place.file, it.place.line)) }
            }
        }
    };
    table("Latest versions that require it", &["Package", "Version", "Requires", "Catalog", "Place"], rows)
}
