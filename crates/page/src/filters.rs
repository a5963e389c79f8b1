//! What a list of packages can be narrowed by: each value with the number of packages that have it.
//!
//! What it deliberately does not do: it lists no package.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::parts::{link, shown};
use super::reply::PageError;
use super::route::{List, Route, Sort};
use super::site::PageContext;
use olmdex_index::query::FacetKind;

/// Values of a field that are shown at once; the others can be unfolded.
const SHOWN: usize = 8;

/// Something that a list can be narrowed by.
struct Field {
    label: &'static str,
    /// `None` for the catalog, whose packages are counted without it.
    kind: Option<FacetKind>,
    get: fn(&List) -> &Option<String>,
    set: fn(&mut List) -> &mut Option<String>,
}

const FIELDS: [Field; 8] = [
    Field { label: "Catalog", kind: None, get: |it| &it.catalog, set: |it| &mut it.catalog },
    Field { label: "Category", kind: Some(FacetKind::Category), get: |it| &it.category, set: |it| &mut it.category },
    Field {
        label: "Capability level",
        kind: Some(FacetKind::Capability),
        get: |it| &it.capability,
        set: |it| &mut it.capability,
    },
    Field { label: "Feature", kind: Some(FacetKind::Feature), get: |it| &it.feature, set: |it| &mut it.feature },
    Field { label: "Architecture", kind: Some(FacetKind::Architecture), get: |it| &it.arch, set: |it| &mut it.arch },
    Field { label: "Install mode", kind: Some(FacetKind::InstallMode), get: |it| &it.mode, set: |it| &mut it.mode },
    Field { label: "Status", kind: Some(FacetKind::Status), get: |it| &it.status, set: |it| &mut it.status },
    Field { label: "Provider", kind: Some(FacetKind::Provider), get: |it| &it.provider, set: |it| &mut it.provider },
];

/// Values, with the number of packages that have them.
type Values = Vec<(String, Option<usize>)>;

/// The list with another value of a field, from its first page.
fn with(list: &List, field: &Field, value: Option<&str>) -> Route {
    let mut list = List { page: 0, ..list.clone() };
    *(field.set)(&mut list) = value.map(str::to_owned);
    Route::Packages(list)
}

/// What the list is narrowed by, each with a link to the list without it.
pub(super) fn chosen(context: PageContext<'_>, list: &List) -> Markup {
    let all: Vec<(&Field, &String)> =
        FIELDS.iter().filter_map(|field| Some((field, (field.get)(list).as_ref()?))).collect();
    html! {
        @if !all.is_empty() {
            ul.chosen aria-label="The list is narrowed by" {
                @for (field, value) in all {
                    li {
                        span.quiet { (field.label) } " " strong { (shown(value)) } " "
                        (link(context, &with(list, field, None), html! {
                            span aria-hidden="true" { "×" } span.away { "without " (field.label) " " (shown(value)) }
                        }))
                    }
                }
            }
        }
    }
}

/// Links to the same list in other orders.
pub(super) fn sorting(context: PageContext<'_>, list: &List) -> Markup {
    let first = if list.words.is_empty() { None } else { Some(("relevance", Sort::Best)) };
    let by_name = if list.words.is_empty() { Sort::Best } else { Sort::Name };
    let all = first.into_iter().chain([("name", by_name), ("provider", Sort::Provider)]);
    let is_now = |sort: Sort| list.sort == sort || (sort == by_name && list.sort == Sort::Name);
    html! {
        p.sorting { "Sorted by "
            @for (idx, (word, sort)) in all.enumerate() {
                @if idx > 0 { " · " }
                @if is_now(sort) { strong aria-current="true" { (word) } }
                @else { (link(context, &Route::Packages(List { sort, page: 0, ..list.clone() }), word)) }
            }
        }
    }
}

/// The values that the packages of the list have, the most frequent first.
pub(super) fn facets(context: PageContext<'_>, list: &List, packages: &BTreeSet<&str>) -> Result<Markup, PageError> {
    let facets = context.cache().facets(context.index())?;
    let mut counts: BTreeMap<FacetKind, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    let is_asked = |catalog: &String| list.catalog.as_ref().is_none_or(|it| it == catalog);
    for facet in facets.iter().filter(|it| packages.contains(&*it.package) && is_asked(&it.catalog)) {
        counts.entry(facet.kind).or_default().entry(&facet.value).or_default().insert(&facet.package);
    }
    let mut groups: Vec<(&Field, Values)> = Vec::new();
    for field in FIELDS.iter().filter(|it| (it.get)(list).is_none()) {
        let values: Values = match field.kind {
            None if context.has_several() => context.catalogs().map(|it| (it.to_owned(), None)).collect(),
            None => Vec::new(),
            Some(kind) => {
                let mut values: Vec<(String, usize)> =
                    counts.remove(&kind).into_iter().flatten().map(|it| (it.0.to_owned(), it.1.len())).collect();
                values.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
                values.into_iter().map(|(value, n)| (value, Some(n))).collect()
            }
        };
        // What all have narrows nothing.
        let is_all = matches!(values.as_slice(), [(_, Some(n))] if *n == packages.len());
        if !values.is_empty() && !is_all {
            groups.push((field, values));
        }
    }
    let item = |field: &Field, value: &str, n: Option<usize>| {
        html! {
            li {
                (link(context, &with(list, field, Some(value)), shown(value)))
                @if let Some(n) = n { " " span.quiet { (n) } }
            }
        }
    };
    Ok(html! {
        aside.facets aria-label="Narrow the list" {
            h2 { "Narrow the list" }
            @for (field, values) in &groups {
                section {
                    h3 { (field.label) }
                    ul { @for (value, n) in values.iter().take(SHOWN) { (item(field, value, *n)) } }
                    @if values.len() > SHOWN {
                        details {
                            summary { (values.len() - SHOWN) " more" }
                            ul { @for (value, n) in &values[SHOWN..] { (item(field, value, *n)) } }
                        }
                    }
                }
            }
        }
    })
}
