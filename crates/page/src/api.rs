//! A kind of objects: the packages that provide it, and those that require it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::links::api_place;
use super::parts::{catalogs_in_words, commas, link, shown, table, version_link, version_range};
use super::reply::PageError;
use super::route::{ApiKind, ApiList, Route};
use super::site::{Page, PageContext};
use olmdex_ask::CommandLine;
use olmdex_index::query::{ApiPattern, Filter, Provider};
use olmdex_version::{Version, latest_only, version_or_name};

/// The answer as data: that of `provides`.
pub(super) fn answer(context: PageContext<'_>, api: &ApiKind) -> Result<Vec<Provider>, PageError> {
    let rows = providers(context, api)?;
    Ok(latest_only(rows, |it| (it.catalog.clone(), it.package.clone(), it.api.clone()), |it| it.version.as_str()))
}

fn providers(context: PageContext<'_>, api: &ApiKind) -> Result<Vec<Provider>, PageError> {
    Ok(context.index().providers(&Filter::default(), &pattern(api))?)
}

fn pattern(api: &ApiKind) -> ApiPattern {
    ApiPattern { group: api.group.clone(), version: String::new(), kind: api.kind.clone() }
}

pub(super) fn page(context: PageContext<'_>, api: &ApiKind) -> Result<Page, PageError> {
    let providers = providers(context, api)?;
    let ApiKind { group, kind } = api;
    let name = format!("{group}//{kind}");
    let required = context.index().requirers(&Filter::default(), Some(&pattern(api)), &name)?;
    if providers.is_empty() && required.rows.is_empty() {
        return Err(context.unknown_api(group, kind));
    }
    let n_rules = required.n_rules;
    let provided = providers.iter().map(|Provider { catalog, package, bundle, version, api, .. }| -> Use<'_> {
        ((catalog, package), (bundle, version), &api.version)
    });
    let requiring = required.rows.iter();
    let requiring =
        requiring.map(|it| -> Use<'_> { ((&it.catalog, &it.package), (&it.bundle, &it.version), &it.requirement) });
    let body = html! {
        h1 { (shown(kind)) }
        p.lead { (shown(group)) }
        h2 #provided { "Provided by" }
        @if providers.is_empty() { p { "No package." } }
        @else { (users(context, "Packages with versions that provide it", "API version", provided)?) }
        h2 #required { "Required by" }
        @if required.rows.is_empty() { p { "No package." } }
        @else { (users(context, "Packages with versions that require it", "Requires", requiring)?) }
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
                    (commas(packages.iter().take(n_named).map(|it| link(context, &Route::package_of(it), shown(it)))))
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
        div #apis { (table("APIs by kind", &["Kind and group", "Provided by"], rows)) }
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

/// A bundle that provides or requires an API: its catalog and package, its name and version, and the version of the API
/// or the requirement.
type Use<'r> = ((&'r str, &'r str), (&'r str, &'r str), &'r str);

/// A row for each package: the versions of the catalog that visitors see first, and the catalogs that have some. Those
/// whose default head is one of them are first.
fn users<'r>(
    context: PageContext<'_>,
    caption: &str,
    what: &str,
    uses: impl Iterator<Item = Use<'r>>,
) -> Result<Markup, PageError> {
    let mut packages: BTreeMap<&str, Vec<Use<'_>>> = BTreeMap::new();
    uses.for_each(|it| packages.entry(it.0.1).or_default().push(it));
    let heads = context.cache().packages(context.index())?;
    let mut rows = Vec::new();
    for (package, uses) in packages {
        let catalogs: BTreeSet<&str> = uses.iter().map(|it| it.0.0).collect();
        let Some(catalog) = context.cache().choose(&[], catalogs.iter().copied()) else { continue };
        let own = uses.iter().filter(|it| it.0.0 == catalog);
        let whats: BTreeSet<&str> = own.clone().map(|it| it.2).collect();
        let mut versions: Vec<(&str, &str)> = own.map(|it| it.1).collect();
        versions.sort_by_cached_key(|it| Reverse((Version::parse(it.1).ok(), it.0)));
        versions.dedup();
        let head = heads.iter().find(|it| it.catalog == catalog && it.package == package);
        let has_head = head.is_some_and(|head| versions.iter().any(|it| it.0 == head.head));
        let row = html! {
            tr {
                th scope="row" { (link(context, &Route::package_of(package), shown(package))) }
                td { @match head {
                    Some(head) if has_head => { (version_link(context, package, (&head.head, &head.head_version), catalog)) }
                    Some(head) if !head.head.is_empty() => { span.quiet { "not " (shown(version_or_name(&head.head_version, &head.head))) } }
                    _ => { span.quiet { "no head" } }
                } }
                td { (version_range(context, package, catalog, &versions)) }
                td { (commas(whats.iter().map(|it| html! { (shown(it)) }))) }
                td.aside { (catalogs_in_words(context, &catalogs.into_iter().collect::<Vec<_>>(), context.catalogs().count())) }
            }
        };
        rows.push((!has_head, row));
    }
    rows.sort_by_key(|it| it.0);
    let headers = ["Package", "Default head", "Versions", what, "~Catalogs"];
    Ok(table(caption, &headers, html! { @for (_, row) in &rows { (row) } }))
}
