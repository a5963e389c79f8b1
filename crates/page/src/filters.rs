//! The filters of a list of packages: each value with the number of packages that have it.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::listing::{Listing, listing};
use super::parts::{link, shown};
use super::reply::PageError;
use super::route::{List, Route, Sort};
use super::site::PageContext;
use olmdex_index::query::{Facet, FacetKind};
use olmdex_version::by_numbers;

/// The values of a field that are shown at once; the others can be unfolded.
const SHOWN: usize = 8;

/// Something that a list can be narrowed by.
struct Field {
    label: &'static str,
    kind: FacetKind,
    /// Whether any of several values is enough; otherwise a package has all of them.
    is_any: bool,
    get: fn(&List) -> &[String],
    set: fn(&mut List, Vec<String>),
}

impl Field {
    const fn new(
        label: &'static str,
        kind: FacetKind,
        is_any: bool,
        get: fn(&List) -> &[String],
        set: fn(&mut List, Vec<String>),
    ) -> Self {
        Self { label, kind, is_any, get, set }
    }
}

const FIELDS: [Field; 7] = [
    Field::new("Category", FacetKind::Category, false, |it| &it.categories, |it, all| it.categories = all),
    Field::new("Capability level", FacetKind::Capability, true, |it| &it.capabilities, |it, all| it.capabilities = all),
    Field::new("Feature", FacetKind::Feature, false, |it| &it.features, |it, all| it.features = all),
    Field::new("Architecture", FacetKind::Architecture, false, |it| &it.archs, |it, all| it.archs = all),
    Field::new("Install mode", FacetKind::InstallMode, false, |it| &it.modes, |it, all| it.modes = all),
    // Only one status can be chosen.
    Field::new(
        "Status",
        FacetKind::Status,
        true,
        |it| it.status.as_slice(),
        |it, all| it.status = all.into_iter().next_back(),
    ),
    Field::new("Provider", FacetKind::Provider, true, |it| &it.providers, |it, all| it.providers = all),
];

/// Values that people see as one choice: a provider in several spellings. With the number of packages that have one of
/// them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Choice {
    label: String,
    values: Vec<String>,
    n_packages: usize,
}

/// The list with other values of a field, from its first page.
fn with(list: &List, field: &Field, values: Vec<String>) -> Route {
    let mut list = List { page: 0, ..list.clone() };
    (field.set)(&mut list, values.into_iter().collect::<BTreeSet<_>>().into_iter().collect());
    Route::Packages(list)
}

/// A link to the list with other values. There are as many lists as sets of values, so `nofollow` keeps crawlers away.
fn narrowed(context: PageContext<'_>, route: &Route, part: &str, words: Markup) -> Markup {
    html! {
        @match context.to(route) {
            Some(address) => { a rel="nofollow" href={ (address) (part) } { (words) } }
            None => { (words) }
        }
    }
}

/// The list of other catalogs, from its first page.
fn in_catalogs(list: &List, catalogs: Vec<String>) -> Route {
    Route::Packages(List { page: 0, catalogs, ..list.clone() })
}

/// A key that is equal for spellings of one provider: without letter case, punctuation and the legal form of a company.
fn spelled(field: &Field, value: &str) -> String {
    const FORMS: [&str; 9] = ["inc", "llc", "ltd", "limited", "gmbh", "corp", "corporation", "co", "ag"];
    if field.kind != FacetKind::Provider {
        return value.to_owned();
    }
    let lower = value.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let n_words = words.iter().rposition(|it| !FORMS.contains(it)).map_or(words.len(), |it| it + 1);
    words[..n_words].join(" ")
}

/// The chosen filters, each with a link to the list without it.
pub(super) fn chosen(context: PageContext<'_>, list: &List) -> Markup {
    let mut all: Vec<(&str, String, Route)> = Vec::new();
    for it in &list.catalogs {
        let others = list.catalogs.iter().filter(|other| *other != it).cloned().collect();
        all.push(("Catalog", it.clone(), in_catalogs(list, others)));
    }
    for field in &FIELDS {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for value in (field.get)(list) {
            let key = spelled(field, value);
            let others = (field.get)(list).iter().filter(|it| spelled(field, it) != key).cloned().collect();
            if seen.insert(key) {
                all.push((field.label, value.clone(), with(list, field, others)));
            }
        }
    }
    html! {
        @if !all.is_empty() {
            ul.chosen aria-label="Filtered by" {
                @for (label, value, route) in &all {
                    li {
                        span.quiet { (label) } " " strong { (shown(value)) } " "
                        (narrowed(context, route, "", html! {
                            span aria-hidden="true" { "×" } span.away { "without " (label) " " (shown(value)) }
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
    let all = first.into_iter().chain([("name", by_name), ("newest", Sort::Newest), ("provider", Sort::Provider)]);
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

/// The choices of a field among packages, the most frequent first.
fn choices(facets: &[Facet], field: &Field, is_counted: impl Fn(&Facet) -> bool) -> Vec<Choice> {
    type Spellings<'f> = BTreeMap<&'f str, BTreeSet<&'f str>>;
    let mut counts: BTreeMap<String, Spellings<'_>> = BTreeMap::new();
    for facet in facets.iter().filter(|it| it.kind == field.kind && is_counted(it)) {
        let spellings = counts.entry(spelled(field, &facet.value)).or_default();
        spellings.entry(&facet.value).or_default().insert(&facet.package);
    }
    let mut all: Vec<Choice> = counts
        .into_values()
        .filter_map(|spellings| {
            // The most frequent spelling represents all of them.
            let label = spellings.iter().max_by_key(|it| (it.1.len(), std::cmp::Reverse(it.0)))?.0;
            let packages: BTreeSet<&str> = spellings.values().flatten().copied().collect();
            let values = spellings.keys().map(|it| (*it).to_owned()).collect();
            Some(Choice { label: (*label).to_owned(), values, n_packages: packages.len() })
        })
        .collect();
    all.sort_by(|a, b| (b.n_packages, &a.label).cmp(&(a.n_packages, &b.label)));
    all
}

/// The values of the packages in the list, the most frequent first. A value can be added to the chosen ones.
pub(super) fn facets(context: PageContext<'_>, list: &List, found: &Listing<'_>) -> Result<Markup, PageError> {
    let packages = found.names();
    let facets = context.cache().facets(context.index())?;
    let is_asked = |catalog: &String| list.catalogs.is_empty() || list.catalogs.contains(catalog);
    let mut groups: Vec<(&'static str, Vec<(Choice, Route)>)> = Vec::new();
    let catalogs = catalogs(context, list, found)?;
    if context.has_several() && !catalogs.is_empty() {
        groups.push(("Catalog", catalogs));
    }
    for field in &FIELDS {
        let chosen = (field.get)(list);
        // If any of several values is enough, the counts of further values ignore the chosen ones.
        let without = if field.is_any && !chosen.is_empty() {
            let mut wider = list.clone();
            (field.set)(&mut wider, Vec::new());
            Some(listing(context, &wider)?.names())
        } else {
            None
        };
        let counted = without.as_ref().unwrap_or(&packages);
        let keys: BTreeSet<String> = chosen.iter().map(|it| spelled(field, it)).collect();
        let mut all = choices(facets, field, |it| counted.contains(&*it.package) && is_asked(&it.catalog));
        all.retain(|it| !keys.contains(&spelled(field, &it.label)));
        // A value that all packages have narrows nothing.
        if !field.is_any || chosen.is_empty() {
            all.retain(|it| it.n_packages < packages.len());
        }
        let to = |it: &Choice| with(list, field, chosen.iter().chain(&it.values).cloned().collect());
        if !all.is_empty() {
            groups.push((
                field.label,
                all.into_iter()
                    .map(|it| {
                        let route = to(&it);
                        (it, route)
                    })
                    .collect(),
            ));
        }
    }
    // On phones the filters stay open for the next choice, and a list from elsewhere begins with its packages.
    let item = |(choice, route): &(Choice, Route)| {
        let link = narrowed(context, route, "#filters", html! { (shown(&choice.label)) });
        html! { li { (link) " " span.quiet { (choice.n_packages) } } }
    };
    let has_chosen = FIELDS.iter().any(|it| !(it.get)(list).is_empty());
    Ok(html! {
        aside.facets #filters aria-label="Filters" {
            h2 { "Filters" }
            p.quiet { "They ask about the default head, which you would install." @if has_chosen { " More filters narrow the list. Several providers, states or levels widen it." } }
            @for (label, values) in &groups {
                section {
                    h3 { (label) }
                    ul { @for it in values.iter().take(SHOWN) { (item(it)) } }
                    @if values.len() > SHOWN {
                        details {
                            summary { (values.len() - SHOWN) " more" }
                            ul { @for it in &values[SHOWN..] { (item(it)) } }
                        }
                    }
                }
            }
        }
    })
}

/// The catalogs that are not chosen, each with the number of its packages in the list without a choice of catalogs.
fn catalogs(context: PageContext<'_>, list: &List, listed: &Listing<'_>) -> Result<Vec<(Choice, Route)>, PageError> {
    let wider;
    let rows = if list.catalogs.is_empty() {
        &listed.rows
    } else {
        wider = listing(context, &List { catalogs: Vec::new(), ..list.clone() })?;
        &wider.rows
    };
    let mut found: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for it in rows {
        found.entry(it.catalog.clone()).or_default().insert(&it.package);
    }
    let mut all: Vec<(Choice, Route)> = Vec::new();
    for (catalog, packages) in found {
        if !list.catalogs.contains(&catalog) {
            let chosen = list.catalogs.iter().chain([&catalog]).cloned().collect::<BTreeSet<_>>();
            let route = in_catalogs(list, chosen.into_iter().collect());
            let values = vec![catalog.clone()];
            all.push((Choice { label: catalog, values, n_packages: packages.len() }, route));
        }
    }
    all.sort_by_key(|it| by_numbers(&it.0.label));
    Ok(all)
}
