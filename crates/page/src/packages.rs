//! The list of packages: searched, narrowed by the values of their bundles, with the heads in all catalogs.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::filters::{chosen, facets, sorting};
use super::listing::{Listing, command, listing};
use super::markdown::first_words;
use super::parts::{catalogs_in_words, deprecated, higher_than_head, link, monogram, pages, shown, to_mirror};
use super::reply::PageError;
use super::route::{List, PackagePage, Route, Sort};
use super::site::{Page, PageContext};
use olmdex_ask::{Retry, nearest_names, of_version, retries};
use olmdex_base::diag::counted;
use olmdex_index::query::{BundleRow, HeadDays, PackageRow};
use olmdex_text::calendar::Day;
use olmdex_version::{Version, by_numbers};

/// Packages of a page of the list.
const PER_PAGE: usize = 50;

/// A package in all catalogs that were asked.
struct Line<'r> {
    rows: Vec<&'r PackageRow>,
    score: f64,
}

impl<'r> Line<'r> {
    fn name(&self) -> &str {
        self.rows.first().map_or("", |it| &it.package)
    }

    /// The row of the catalog that visitors see first.
    fn shown(&self, context: PageContext<'_>) -> Option<&'r PackageRow> {
        let preferred = context.cache().choose(&[], self.rows.iter().map(|it| it.catalog.as_str()))?;
        self.rows.iter().copied().find(|it| it.catalog == preferred)
    }
}

/// How many similar packages a page names if the requested one does not exist.
const N_LIKE: usize = 6;

/// The packages that a search for a name finds, or else those with the nearest names. An error here is ignored, since
/// the page is about something else.
pub(super) fn like(context: PageContext<'_>, name: &str) -> Markup {
    let list = List { words: name.to_owned(), ..List::default() };
    let (words, found) = match listing(context, &list) {
        Ok(found) if !found.rows.is_empty() => (format!("Packages that mention “{}”:", shown(name)), Some(found)),
        _ => ("Similar packages:".to_owned(), second_try(context, &list).ok().flatten().map(|it| it.found)),
    };
    let names = found.unwrap_or_default().best_names();
    html! {
        @if !names.is_empty() {
            p { (words) }
            ul { @for it in names.iter().take(N_LIKE) { li { (link(context, &Route::package_of(it), shown(it))) } } }
        }
    }
}

/// The result that is shown for a search that finds nothing.
struct SecondTry<'c> {
    /// The search that finds something, if it is one of words.
    list: List,
    found: Listing<'c>,
    /// The result in words, as the continuation of a sentence.
    words: String,
}

/// The same search with other words, or else the packages with the nearest names.
fn second_try<'c>(context: PageContext<'c>, list: &List) -> Result<Option<SecondTry<'c>>, PageError> {
    if list.words.is_empty() {
        return Ok(None);
    }
    let search = |words: &str| {
        let list = List { words: words.to_owned(), page: 0, ..list.clone() };
        let found = listing(context, &list)?;
        Ok::<_, PageError>((list, found))
    };
    for retry in retries(&list.words, context.cache().words(context.index())?) {
        let (better, found, words) = match retry {
            Retry::Words(words) => {
                let (better, found) = search(&words)?;
                (better, found, "no package matches".to_owned())
            }
            Retry::Any(words) => {
                let mut found = Listing::default();
                for word in &words {
                    found.extend(search(word)?.1);
                }
                (list.clone(), found, "these match one of the words; no package matches all of".to_owned())
            }
        };
        if !found.rows.is_empty() {
            return Ok(Some(SecondTry { list: better, found, words }));
        }
    }
    nearest(context, list)
}

/// The packages with the nearest names, if no filter narrows the list.
fn nearest<'c>(context: PageContext<'c>, list: &List) -> Result<Option<SecondTry<'c>>, PageError> {
    if (List { words: list.words.clone(), sort: list.sort, page: list.page, ..List::default() }) != *list {
        return Ok(None);
    }
    let names = context.index().package_names()?;
    let mut found = Listing::default();
    for name in nearest_names(&list.words, names.iter().map(String::as_str), N_LIKE) {
        let mut of_name = listing(context, &List { words: name.to_owned(), ..List::default() })?;
        of_name.rows.retain(|it| it.package == name);
        found.extend(of_name);
    }
    let words = "these have the most similar names; no package matches".to_owned();
    Ok((!found.rows.is_empty()).then(|| SecondTry { list: list.clone(), found, words }))
}

/// The page that a search by words alone asks for: the package with this name or the only one that matches, or the
/// upgrades from a version, as in `keda 2.8.1` or `keda@2.8.1`.
pub(super) fn answer_of(context: PageContext<'_>, list: &List) -> Result<Option<String>, PageError> {
    if list.words.is_empty() || (List { words: list.words.clone(), ..List::default() }) != *list {
        return Ok(None);
    }
    let best = |words: &str| -> Result<Vec<&str>, PageError> {
        let names = listing(context, &List { words: words.to_owned(), ..List::default() })?.best_names();
        let exact = names.iter().copied().find(|name| name.eq_ignore_ascii_case(words));
        Ok(exact.map_or(names, |name| vec![name]))
    };
    if let [only] = best(&list.words)?.as_slice() {
        return Ok(context.to(&Route::package_of(only)));
    }
    let Some((words, version)) = list.words.rsplit_once(['@', ' ']) else { return Ok(None) };
    let version = version.strip_prefix('v').unwrap_or(version);
    if Version::parse(version).is_err() {
        return Ok(None);
    }
    for package in best(words)?.into_iter().take(N_LIKE) {
        if !of_version(context.index(), &[], package, version)?.is_empty() {
            let asked = PackagePage { version: Some(version.to_owned()), ..PackagePage::of(package) };
            return Ok(context.to(&Route::Path(asked)));
        }
    }
    Ok(None)
}

pub(super) fn page(context: PageContext<'_>, list: &List) -> Result<Page, PageError> {
    let found = listing(context, list)?;
    if !list.words.is_empty()
        && found.rows.is_empty()
        && let Some(SecondTry { list: better, found, words }) = second_try(context, list)?
    {
        let better = List { page: list.page, ..better };
        return page_of(context, &better, &found, Some((&list.words, &words)));
    }
    page_of(context, list, &found, None)
}

/// The words of the search; corrected ones get a link to their own page.
fn found_with(context: PageContext<'_>, list: &List, is_corrected: bool) -> Markup {
    let words = shown(&list.words);
    if is_corrected {
        link(context, &Route::Packages(list.clone()), words)
    } else {
        html! { (words) }
    }
}

/// A row for each package, in the order of the list.
fn sorted<'c>(context: PageContext<'c>, list: &List, found: &Listing<'c>) -> Result<Vec<Line<'c>>, PageError> {
    let mut lines: BTreeMap<&str, Line<'_>> = BTreeMap::new();
    // Files of some packages only list these.
    let is_written = |row: &PackageRow| context.to(&Route::package_of(&row.package)).is_some();
    for row in found.rows.iter().copied().filter(|it| context.is_served() || is_written(it)) {
        let score = found.score(row);
        let line = lines.entry(&row.package).or_insert(Line { rows: Vec::new(), score });
        line.score = line.score.max(score);
        line.rows.push(row);
    }
    let mut lines: Vec<Line<'_>> = lines.into_values().collect();
    let provider = |line: &Line<'_>| line.rows.last().map_or(String::new(), |it| it.provider.to_lowercase());
    match list.sort {
        Sort::Best => lines.sort_by(|a, b| b.score.total_cmp(&a.score)),
        Sort::Name => {}
        Sort::Provider => lines.sort_by_cached_key(provider),
        Sort::Newest => {
            let days = context.cache().days(context.index())?;
            lines.sort_by_cached_key(|it| std::cmp::Reverse(it.shown(context).and_then(|row| day_of(days, row))));
        }
    }
    Ok(lines)
}

/// The page of an answer; `slip` is the typed text if that found nothing.
fn page_of(
    context: PageContext<'_>,
    list: &List,
    found: &Listing<'_>,
    slip: Option<(&String, &String)>,
) -> Result<Page, PageError> {
    let lines = sorted(context, list, found)?;
    let n_lines = lines.len();
    // A file has no next page to ask for.
    let per_page = if context.is_served() { PER_PAGE } else { usize::MAX };
    let n_pages = n_lines.div_ceil(per_page).max(1);
    if list.page >= n_pages {
        return Err(PageError::after_last(n_pages));
    }
    let shown_lines = &lines[list.page.saturating_mul(per_page).min(n_lines)..];
    let shown_lines = &shown_lines[..shown_lines.len().min(per_page)];
    let mut catalogs: Vec<&str> = context
        .catalogs()
        .filter(|it| list.catalogs.is_empty() || list.catalogs.iter().any(|name| name == it))
        .collect();
    catalogs.sort_by_key(|it| by_numbers(it));
    let title = if list.words.is_empty() { "Packages".to_owned() } else { format!("Packages: {}", list.words) };
    let facets = if context.is_served() {
        facets(context, list, found)?
    } else {
        // A script has the choices of a file.
        html! { aside.facets data-facets hidden aria-label="Filters" {} }
    };
    let body = html! {
        h1 { "Packages" }
        (chosen(context, list))
        // A file has its filters above the list.
        div.columns[context.is_served()] {
            // On phones the filters are shown on demand, which needs no script this way.
            @if context.is_served() {
                input.away.toggle #show-filters type="checkbox";
                label.toggle for="show-filters" { "Filters" }
            }
            (facets)
            div {
                div.above {
                    p role="status" { strong { (counted(n_lines as u64, "package")) }
                        @if !list.words.is_empty() && slip.is_none_or(|it| *it.0 != list.words) {
                            " with “" (found_with(context, list, slip.is_some())) "”"
                        }
                        @if let Some((slip, words)) = slip { "; " (words) " “" (shown(slip)) "”" }
                    }
                    @if context.is_served() { @if n_lines > 1 { (sorting(context, list)) } }
                    @else { label.filter hidden { span { "Filter" } input type="search" data-filter="packages"; } }
                }
                @if n_lines == 0 { p { "Nothing found. " (link(context, &Route::Packages(List::default()), "Show all packages")) } }
                @else { (rows(context, shown_lines, &catalogs)?) }
                (pages(context, list.page, n_pages, |page| Route::Packages(List { page, ..list.clone() })))
            }
        }
    };
    Ok(Page { commands: vec![command(list)], is_data: true, ..Page::new(title, body) })
}

/// The most characters of the line that describes a package.
const MAX_ABOUT: usize = 120;

/// The data of a line besides its rows.
struct LineDetails {
    icon: Option<String>,
    about: String,
    heads: Markup,
    day: Option<Day>,
}

/// The day of the row's default head.
fn day_of(days: &HeadDays, row: &PackageRow) -> Option<Day> {
    days.get(&(row.catalog.clone(), row.package.clone())).copied()
}

fn rows(context: PageContext<'_>, lines: &[Line<'_>], catalogs: &[&str]) -> Result<Markup, PageError> {
    let days = context.cache().days(context.index())?;
    let mut all = Vec::new();
    for line in lines {
        let Some(row) = line.shown(context) else { continue };
        let name = context.cache().icon_of(context.index(), &row.catalog, line.name())?;
        let about = first_words(&context.index().head_description(row)?, MAX_ABOUT);
        let shown = LineDetails {
            icon: name.and_then(|it| context.to(&Route::Icon(it))),
            about,
            heads: heads(context, line, catalogs)?,
            day: day_of(days, row),
        };
        all.push((line, row, shown));
    }
    Ok(html! {
        div.scroll tabindex="0" role="region" aria-label="Packages" {
            table.packages #packages {
                caption { "Packages, with the head of the default channel" }
                thead { tr {
                    th scope="col" { "Package" }
                    th scope="col" { "Default head" @if let [only] = catalogs { span.away { " in " (shown(only)) } } }
                    th scope="col" { "Created" }
                } }
                tbody {
                    @for (line, row, it) in &all {
                        tr data-name=[(!context.is_served()).then(|| line.name())] {
                            th scope="row" {
                                div.named {
                                    @if let Some(address) = &it.icon { img src=(address) alt="" width="32" height="32" loading="lazy"; }
                                    @else { (monogram(if row.display_name.is_empty() { line.name() } else { &row.display_name })) }
                                    div {
                                        @let name = if row.display_name.is_empty() { line.name() } else { &row.display_name };
                                        (link(context, &Route::package_of(line.name()), shown(name)))
                                        " " span.of { @if name != line.name() { code { (shown(line.name())) } }
                                            @if !row.provider.is_empty() { " by " (shown(&row.provider)) } }
                                        " " (deprecated(row.deprecation.as_ref()))
                                        @if !row.is_valid { " " (super::parts::badge("bad", "invalid")) }
                                        @if !it.about.is_empty() { span.quiet dir="auto" { (shown(&it.about)) } }
                                    }
                                }
                            }
                            td { (it.heads) }
                            td { @if let Some(day) = it.day { time datetime=(day) { (day) } }
                                (to_mirror(context, line.name(), &row.catalog)) }
                        }
                    }
                }
            }
        }
    })
}

/// The heads of the default channels: catalogs with the same one together, and the highest version if it is not the
/// head.
fn heads(context: PageContext<'_>, line: &Line<'_>, catalogs: &[&str]) -> Result<Markup, PageError> {
    let mut rows: Vec<&PackageRow> = line.rows.clone();
    rows.sort_by_key(|it| by_numbers(&it.catalog));
    let mut groups: Vec<(&PackageRow, Option<&BundleRow>, Vec<&str>)> = Vec::new();
    for row in rows {
        let highest = context.cache().highest(context.index(), &row.catalog, &row.package)?;
        let highest = highest.filter(|it| it.bundle != row.head);
        let is_same = |it: &&mut (&PackageRow, Option<&BundleRow>, Vec<&str>)| {
            it.0.head == row.head && it.1.map(|it| &it.bundle) == highest.map(|it| &it.bundle)
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.2.push(&row.catalog),
            None => groups.push((row, highest, vec![&row.catalog])),
        }
    }
    Ok(html! {
        @for (row, highest, names) in &groups {
            span.line {
                (head(context, row, *highest))
                @if catalogs.len() > 1 { span.of { " in " (catalogs_in_words(context, names, catalogs.len())) } }
            }
        }
    })
}

/// The head of the default channel, and the highest version if it is not the head.
fn head(context: PageContext<'_>, row: &PackageRow, highest: Option<&BundleRow>) -> Markup {
    html! {
        @if row.head.is_empty() { span.quiet { "no head" } }
        @else { (super::parts::version_link(context, &row.package, (&row.head, &row.head_version), &row.catalog)) }
        @if let Some(highest) = higher_than_head(context, row, highest) { span.of { " (highest " (highest) ")" } }
    }
}
