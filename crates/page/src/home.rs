//! The first page: the catalogs, and first steps.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::parts::{link, shown, table, version_link};
use super::reply::PageError;
use super::route::{ApiList, ClusterPart, Journey, List, Route};
use super::site::{Page, PageContext};
use olmdex_ask::CommandLine;
use olmdex_base::diag::{counted, grouped};
use olmdex_index::query::{CatalogRow, DatedBundle, FacetKind};
use olmdex_version::by_numbers;

/// The answer as data: that of `list catalogs`.
pub(super) fn answer(context: PageContext<'_>) -> Vec<&CatalogRow> {
    context.cache().catalogs.iter().collect()
}

pub(super) fn page(context: PageContext<'_>) -> Result<Page, PageError> {
    let mut catalogs = answer(context);
    catalogs.sort_by_key(|it| by_numbers(&it.catalog));
    let of_catalog = |name: &str| {
        Route::Packages(List { catalogs: context.catalog_choice(name).into_iter().collect(), ..List::default() })
    };
    let n_packages = context.index().package_names()?.len() as u64;
    let days = context.cache().catalog_days(context.index())?;
    let has_sources = !context.cache().is_public;
    let rows = html! {
        @for it in &catalogs {
            tr {
                th scope="row" { (link(context, &of_catalog(&it.catalog), shown(&it.catalog)))
                    @if let Some(feed) = context.to(&Route::CatalogFeed(it.catalog.clone())) {
                        " " a.of href=(feed) { "feed" span.away { " of " (shown(&it.catalog)) } }
                    } }
                td { @if let Some(day) = days.get(&it.catalog) { time datetime=(day) { (day) } } }
                td.amount { (grouped(it.packages)) }
                td.aside { (grouped(it.channels)) }
                td.aside { (grouped(it.bundles)) }
                @if has_sources {
                    td.aside { code { (shown(&it.source)) } @if !it.image.is_empty() { br; code.quiet { (shown(&it.image)) } } }
                }
            }
        }
    };
    let mut headers = vec!["Catalog", "Newest from", "#Packages", "~Channels", "~Bundles"];
    headers.extend(has_sources.then_some("~Source"));
    let body = html! {
        h1 { "Operator catalogs" }
        p.lead { (grouped(n_packages)) " packages in "
            @match catalogs.len() { 1 => "one catalog", n => { (n) " catalogs" } }
            ": their contents, the upgrades that OLM makes, the dependencies that an operator pulls in, and the \
            reasons why an upgrade is not possible." }
        @if let Some(address) = context.to(&Route::Packages(List::default())).filter(|_| context.is_served()) {
            form.big role="search" action=(address) aria-label="Search all packages" {
                label { span { "Find an operator" }
                    input type="search" name="q" placeholder="A name, a keyword, an API…" autocomplete="off" autofocus data-names=[context.data(&Route::Packages(List::default()))]; }
                button { "Search" }
            }
        }
        // The menu leads to the other pages.
        p { (link(context, &Route::Packages(List::default()), "All packages")) ", "
            (link(context, &Route::Apis(ApiList::default()), "all APIs that they provide"))
            @if context.cache().cluster.is_some() { ", " (link(context, &Route::Diagnose(ClusterPart::default()), "why operators of the cluster are stuck")) }
            @if context.cache().plans.is_some() { ", " (link(context, &Route::Plan(Journey::default()), "the plan of its upgrade")) }
            "." }
        (categories(context)?)
        (newest(context)?)
        h2 { "Catalogs" }
        (table("Catalogs of this index", &headers, rows))
    };
    Ok(Page {
        commands: vec![CommandLine::of("list").names(["catalogs"])],
        is_data: true,
        about: "Operators for Kubernetes and OpenShift: versions, channels, upgrades and dependencies".to_owned(),
        ..Page::new("Operator catalogs".to_owned(), body)
    })
}

/// How many categories are shown at once.
const SHOWN_CATEGORIES: usize = 12;

/// The categories with the most packages first, each with a list of its own.
fn categories(context: PageContext<'_>) -> Result<Markup, PageError> {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for it in context.cache().facets(context.index())?.iter().filter(|it| it.kind == FacetKind::Category) {
        found.entry(&it.value).or_default().insert(&it.package);
    }
    let mut all: Vec<(&str, usize)> = found.into_iter().map(|(name, packages)| (name, packages.len())).collect();
    all.sort_by_key(|it| (Reverse(it.1), it.0));
    let item = |(name, n): &(&str, usize)| {
        let route = Route::Packages(List { categories: vec![(*name).to_owned()], ..List::default() });
        html! { li { (link(context, &route, shown(name))) " " span.quiet { (n) } } }
    };
    Ok(html! {
        // The files have one list for all, without categories.
        @if context.is_served() && !all.is_empty() {
            h2 #categories { "Categories" }
            ul.categories { @for it in all.iter().take(SHOWN_CATEGORIES) { (item(it)) } }
            @if all.len() > SHOWN_CATEGORIES {
                details { summary { (counted((all.len() - SHOWN_CATEGORIES) as u64, "other")) }
                    ul.categories { @for it in &all[SHOWN_CATEGORIES..] { (item(it)) } } }
            }
        }
    })
}

/// The news: a version for each of the packages that changed last.
fn newest(context: PageContext<'_>) -> Result<Markup, PageError> {
    let all = context.cache().newest(context.index())?;
    Ok(html! {
        @if !all.is_empty() {
            h2 #new { "News" }
            ul.versions.news {
                @for it in all {
                    li {
                        (version_link(context, &it.package, (&it.bundle, &it.version), &it.catalog)) " "
                        (link(context, &Route::package_of(&it.package),
                            shown(if it.display_name.is_empty() { &it.package } else { &it.display_name })))
                        " " time.quiet datetime=(day(it)) { (day(it)) }
                    }
                }
            }
        }
    })
}

/// The day of a bundle as a text.
fn day(it: &DatedBundle) -> &str {
    it.created_at.get(..10).unwrap_or_default()
}
