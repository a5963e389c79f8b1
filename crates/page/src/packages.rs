//! The list of packages: searched, narrowed by what their bundles have, with the heads in all catalogs.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use maud::{Markup, html};

use super::command::Command;
use super::filters::{chosen, facets, sorting};
use super::parts::{deprecated, higher_than_head, link, pages, shown};
use super::reply::PageError;
use super::route::{List, Route, Sort};
use super::site::{Page, PageContext};
use olmdex_base::diag::{closest, counted};
use olmdex_index::query::{BundleRow, Filter, Hit, PackageRow, SearchQuery, Status};
use olmdex_version::by_numbers;

/// Packages of a page of the list.
const PER_PAGE: usize = 50;

/// The answer as data: what `search` gives for words, and `list packages` without.
pub(super) enum Answer {
    Found(Vec<Hit>),
    Listed(Vec<PackageRow>),
}

pub(super) fn answer(context: PageContext<'_>, list: &List) -> Result<Answer, PageError> {
    context.must_have_catalog(list.catalog.as_ref())?;
    let query = query(list);
    let status = list.status.as_deref().and_then(Status::from_word);
    if !list.words.is_empty() {
        let mut hits = context.index().search(&query)?;
        context.index().retain_with_status(&mut hits, status.as_slice())?;
        return Ok(Answer::Found(hits));
    }
    let mut rows = context.index().packages(&Filter { catalogs: query.catalogs.clone(), ..Filter::default() })?;
    rows.retain(|it| status.is_none_or(|status| it.status() == status));
    if let Some(matching) = context.index().matching(&query)? {
        let packages: HashSet<(&str, &str)> = matching.iter().map(|it| (&*it.0, &*it.1)).collect();
        rows.retain(|it| packages.contains(&(it.catalog.as_str(), it.package.as_str())));
    }
    Ok(Answer::Listed(rows))
}

fn query(list: &List) -> SearchQuery {
    let one = |it: &Option<String>| it.iter().cloned().collect::<Vec<_>>();
    SearchQuery {
        words: list.words.clone(),
        features: list.feature.iter().map(|it| (it.clone(), Some("true".to_owned()))).collect(),
        categories: one(&list.category),
        capabilities: one(&list.capability),
        architectures: one(&list.arch),
        providers: one(&list.provider),
        install_modes: one(&list.mode),
        catalogs: one(&list.catalog),
        ..SearchQuery::default()
    }
}

fn command(list: &List) -> Command {
    let command = match list.words.as_str() {
        "" => Command::new("list").name("packages"),
        words => words.split(' ').fold(Command::new("search"), |command, word| command.name(word)),
    };
    let feature = list.feature.as_ref().map(|it| format!("{it}=true"));
    command
        .given("--category", list.category.as_ref())
        .given("--provider", list.provider.as_ref())
        .given("--capability", list.capability.as_ref())
        .given("--feature", feature.as_ref())
        .given("--arch", list.arch.as_ref())
        .given("--install-mode", list.mode.as_ref())
        .given("--status", list.status.as_ref())
        .given("--catalog", list.catalog.as_ref())
}

/// A package in all catalogs that were asked.
struct Line<'r> {
    rows: Vec<&'r PackageRow>,
    score: f64,
}

impl Line<'_> {
    fn name(&self) -> &str {
        self.rows.first().map_or("", |it| &it.package)
    }
}

/// The words of a search in which each that no name has is the nearest one that a name has; `None` if there is nothing to correct.
fn corrected(context: PageContext<'_>, list: &List) -> Result<Option<String>, PageError> {
    let rows = context.index().packages(&Filter::default())?;
    let texts = rows.iter().flat_map(|it| [it.package.to_lowercase(), it.display_name.to_lowercase()]);
    let is_word = |it: &&str| it.chars().count() > 2 && !it.bytes().all(|it| it.is_ascii_digit());
    let known: BTreeSet<String> = texts
        .flat_map(|it| it.split(|c: char| !c.is_alphanumeric()).filter(is_word).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let nearest = |word: &str| closest(word, known.iter().map(String::as_str));
    let words = list.words.to_lowercase();
    let better: Vec<&str> =
        words.split_whitespace().map(|it| if known.contains(it) { it } else { nearest(it).unwrap_or(it) }).collect();
    let better = better.join(" ");
    Ok(Some(better).filter(|it| *it != words))
}

/// How many packages a page names that was asked for one that is not there.
const N_LIKE: usize = 6;

/// The packages that a search for a name finds. Whatever goes wrong with that is not what the page is about.
pub(super) fn like(context: PageContext<'_>, name: &str) -> Markup {
    let search = |words: String| answer(context, &List { words, ..List::default() }).ok();
    let list = List { words: name.to_owned(), ..List::default() };
    let mut found = search(name.to_owned());
    if !matches!(&found, Some(Answer::Found(hits)) if !hits.is_empty()) {
        found = corrected(context, &list).ok().flatten().and_then(search);
    }
    let Some(Answer::Found(hits)) = found else { return html! {} };
    let mut seen: HashSet<&str> = HashSet::new();
    let names: Vec<&str> = hits.iter().map(|it| it.package.as_str()).filter(|it| seen.insert(it)).collect();
    html! {
        @if !names.is_empty() {
            p { "Packages like it:" }
            ul { @for it in names.iter().take(N_LIKE) { li { (link(context, &Route::Package((*it).to_owned()), shown(it))) } } }
        }
    }
}

/// What is shown for a search that finds nothing: the same with its slips corrected, if that finds something.
fn second_try(context: PageContext<'_>, list: &List) -> Result<Option<(List, Answer)>, PageError> {
    if list.words.is_empty() {
        return Ok(None);
    }
    let Some(words) = corrected(context, list)? else { return Ok(None) };
    let better = List { words, page: 0, ..list.clone() };
    let found = answer(context, &better)?;
    let is_any = matches!(&found, Answer::Found(hits) if !hits.is_empty());
    Ok(is_any.then_some((better, found)))
}

pub(super) fn page(context: PageContext<'_>, list: &List) -> Result<Page, PageError> {
    let found = answer(context, list)?;
    if matches!(&found, Answer::Found(hits) if hits.is_empty())
        && let Some((better, found)) = second_try(context, list)?
    {
        return page_of(context, &better, found, Some(&list.words));
    }
    page_of(context, list, found, None)
}

/// The words that were found: of corrected ones the way to their own page.
fn found_with(context: PageContext<'_>, list: &List, is_corrected: bool) -> Markup {
    let words = shown(&list.words);
    if is_corrected {
        link(context, &Route::Packages(list.clone()), words)
    } else {
        html! { (words) }
    }
}

/// The page of an answer; `slip` is what was typed if that found nothing.
fn page_of(context: PageContext<'_>, list: &List, found: Answer, slip: Option<&String>) -> Result<Page, PageError> {
    let filter = Filter { catalogs: list.catalog.iter().cloned().collect(), ..Filter::default() };
    let (all, scores) = match found {
        Answer::Listed(rows) => (rows, HashMap::new()),
        Answer::Found(hits) => {
            let mut scores: HashMap<(String, String), f64> = HashMap::new();
            for hit in hits {
                scores.insert((hit.package, hit.catalog), hit.score);
            }
            let mut rows = context.index().packages(&filter)?;
            rows.retain(|it| scores.contains_key(&(it.package.clone(), it.catalog.clone())));
            (rows, scores)
        }
    };
    let mut lines: BTreeMap<&str, Line<'_>> = BTreeMap::new();
    // Files of some packages only list these.
    for row in all.iter().filter(|it| context.is_served() || context.to(&Route::Package(it.package.clone())).is_some())
    {
        let score = scores.get(&(row.package.clone(), row.catalog.clone())).copied().unwrap_or(0.0);
        let line = lines.entry(&row.package).or_insert(Line { rows: Vec::new(), score });
        line.score = line.score.max(score);
        line.rows.push(row);
    }
    let packages: BTreeSet<&str> = lines.keys().copied().collect();
    let mut lines: Vec<Line<'_>> = lines.into_values().collect();
    let provider = |line: &Line<'_>| line.rows.last().map_or(String::new(), |it| it.provider.to_lowercase());
    match list.sort {
        Sort::Best => lines.sort_by(|a, b| b.score.total_cmp(&a.score)),
        Sort::Name => {}
        Sort::Provider => lines.sort_by_cached_key(provider),
    }
    let n_lines = lines.len();
    // A file has no next page to ask for.
    let per_page = if context.is_served() { PER_PAGE } else { usize::MAX };
    let n_pages = n_lines.div_ceil(per_page).max(1);
    if list.page >= n_pages {
        return Err(PageError::after_last(n_pages));
    }
    let shown_lines = &lines[list.page.saturating_mul(per_page).min(n_lines)..];
    let shown_lines = &shown_lines[..shown_lines.len().min(per_page)];
    let mut catalogs: Vec<&str> =
        context.catalogs().filter(|it| list.catalog.as_ref().is_none_or(|name| name == it)).collect();
    catalogs.sort_by_key(|it| by_numbers(it));
    let title = if list.words.is_empty() { "Packages".to_owned() } else { format!("Packages: {}", list.words) };
    let facets = if context.is_served() {
        facets(context, list, &packages)?
    } else {
        html! {}
    };
    let body = html! {
        h1 { "Packages" }
        (chosen(context, list))
        div.columns {
            div {
                div.above {
                    p role="status" { strong { (counted(n_lines as u64, "package")) }
                        @if !list.words.is_empty() { " with “" (found_with(context, list, slip.is_some())) "”" }
                        @if let Some(slip) = slip { "; nothing has “" (shown(slip)) "”" } }
                    @if context.is_served() { (sorting(context, list)) }
                    @else { label.filter hidden { span { "Filter" } input type="search" data-filter="packages"; } }
                }
                @if n_lines == 0 { p { "Nothing found. " (link(context, &Route::Packages(List::default()), "Show all packages")) } }
                @else { (rows(context, shown_lines, &catalogs)?) }
                (pages(context, list.page, n_pages, |page| Route::Packages(List { page, ..list.clone() })))
            }
            (facets)
        }
    };
    Ok(Page {
        title,
        trail: vec![("Catalogs".to_owned(), Route::Home)],
        commands: vec![command(list)],
        more_data: Vec::new(),
        is_data: true,
        data: None,
        about: String::new(),
        body,
    })
}

fn rows(context: PageContext<'_>, lines: &[Line<'_>], catalogs: &[&str]) -> Result<Markup, PageError> {
    let mut icons = Vec::new();
    let mut heads: HashMap<(&str, &str), Markup> = HashMap::new();
    for row in lines.iter().flat_map(|it| &it.rows) {
        let highest = context.cache().highest(context.index(), &row.catalog, &row.package)?;
        heads.insert((&row.catalog, &row.package), head(context, row, highest));
    }
    for line in lines {
        let preferred = context.cache().choose(&[], line.rows.iter().map(|it| it.catalog.as_str())).unwrap_or_default();
        let name = context.cache().icon_of(context.index(), preferred, line.name())?;
        icons.push((name.and_then(|it| context.to(&Route::Icon(it))), preferred));
    }
    Ok(html! {
        div.scroll tabindex="0" role="region" aria-label="Packages" {
            table.packages #packages {
                caption { "Packages, with the head of the default channel in each catalog" }
                thead { tr {
                    th scope="col" { "Package" }
                    th scope="col" { "Provider" }
                    @if let [only] = catalogs { th scope="col" { "Channel" } th scope="col" { "Default head" span.away { " in " (shown(only)) } } }
                    @else { @for catalog in catalogs { th scope="col" { (shown(catalog)) } } }
                } }
                tbody {
                    @for (line, (icon, preferred)) in lines.iter().zip(&icons) {
                        @let row = line.rows.iter().find(|it| it.catalog == *preferred);
                        tr {
                            th scope="row" {
                                div.named {
                                    @if let Some(address) = icon { img src=(address) alt="" width="32" height="32" loading="lazy"; }
                                    @else { span.no-icon aria-hidden="true" {} }
                                    div {
                                        (link(context, &Route::Package(line.name().to_owned()), shown(line.name())))
                                        " " (deprecated(row.and_then(|it| it.deprecation.as_ref())))
                                        @if row.is_some_and(|it| !it.is_valid) { " " (super::parts::badge("bad", "invalid")) }
                                        @if let Some(row) = row { span.quiet { (shown(&row.display_name)) } }
                                    }
                                }
                            }
                            td { (row.map(|it| shown(&it.provider)).unwrap_or_default()) }
                            @if catalogs.len() == 1 { td { (row.map(|it| shown(&it.default_channel)).unwrap_or_default()) } }
                            @for catalog in catalogs {
                                td { @match heads.get(&(*catalog, line.name())) {
                                    Some(head) => { (head) }
                                    None => { span.quiet title="not in this catalog" { "–" } }
                                } }
                            }
                        }
                    }
                }
            }
        }
    })
}

/// The head of the default channel, and the highest version if that is another one.
fn head(context: PageContext<'_>, row: &PackageRow, highest: Option<&BundleRow>) -> Markup {
    html! {
        @if row.head.is_empty() { span.quiet { "no head" } }
        @else { (super::parts::version_link(context, &row.package, (&row.head, &row.head_version), &row.catalog)) }
        @if let Some(highest) = higher_than_head(context, row, highest) { span.higher { "Highest " (highest) } }
    }
}
