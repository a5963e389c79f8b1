//! The history of a package's versions, catalog by catalog.

use std::collections::{BTreeSet, HashMap};

use maud::{Markup, html};

use super::header::{Heading, header};
use super::parts::{badge, link, matrix, shown, table, version_link};
use super::reply::PageError;
use super::route::{Comparison, PackagePage, Route};
use super::site::{Page, PageContext};
use olmdex_ask::CommandLine;
use olmdex_index::query::{BlameRow, HistoryRow};
use olmdex_text::calendar::Day;
use olmdex_text::encoding::hex::short;
use olmdex_version::version_or_name;

/// The answer as data: that of `history PKG`.
pub(super) fn answer(context: PageContext<'_>, asked: &PackagePage) -> Result<Vec<HistoryRow>, PageError> {
    let package = &asked.package;
    let order = context.index().catalog_names_in_time()?;
    let rows = context.index().history(package, &order)?;
    if rows.is_empty() { Err(context.unknown_package(package)) } else { Ok(rows) }
}

pub(super) fn page(context: PageContext<'_>, asked: &PackagePage) -> Result<Page, PageError> {
    let answers = answer(context, asked)?;
    let package = asked.package.as_str();
    let has_days = answers.iter().any(|it| it.first_day.is_some());
    let command = |name| CommandLine::of(name).names([package]);
    let commits = if has_days { commits(context, package)? } else { Markup::default() };
    let heading = Heading::new(package, asked.catalog.as_deref()).of_part(html! { "History" });
    let header = header(context, &heading)?;
    let body = html! {
        (header)
        @if !has_days && !context.has_several() {
            p { "There is only one catalog, so there is no history. An index of several catalogs has one, for example \
                an index with a catalog for each OpenShift version." }
        }
        (section(context, package, &answers)?)
        (commits)
    };
    Ok(Page {
        commands: if has_days { vec![command("history"), command("blame")] } else { vec![command("history")] },
        is_data: true,
        ..Page::new(format!("History of {package}"), body)
    })
}

/// In which catalogs each version is, and since when: versions with the same history share a row.
pub(super) fn section(context: PageContext<'_>, package: &str, answers: &[HistoryRow]) -> Result<Markup, PageError> {
    let days: HashMap<String, Day> =
        context.index().dated_of_package(package)?.into_iter().map(|it| (it.bundle, it.day)).collect();
    let newest_first: Vec<&HistoryRow> = answers.iter().rev().collect();
    let is_same = |a: &HistoryRow, b: &HistoryRow| a.fate() == b.fate() && (a.contents > 1) == (b.contents > 1);
    let runs: Vec<&[&HistoryRow]> = newest_first.chunk_by(|a, b| is_same(a, b)).collect();
    let has = |holds: fn(&HistoryRow) -> bool| answers.iter().any(holds);
    let (has_gaps, has_deprecated) = (has(|it| !it.missing_in.is_empty()), has(|it| !it.deprecated_in.is_empty()));
    let has_removed = has(|row| !row.is_current);
    let mut headers = vec!["Versions", "Created", "Catalogs"];
    headers.extend(has_removed.then_some("Now"));
    headers.extend(has_gaps.then_some("Missing in between"));
    headers.extend(has_deprecated.then_some("Deprecated in"));
    let has_days = has(|it| it.first_day.is_some());
    let has_gone = has(|it| it.gone_day.is_some());
    headers.splice(2..2, [has_days.then_some("Came"), has_gone.then_some("Went")].into_iter().flatten());
    // A version that exists only in the past has no page.
    let to = |it: &HistoryRow| match &it.gone_day {
        None => version_link(context, package, (&it.bundle, &it.version), &it.last),
        Some(_) => html! { (shown(&it.version)) },
    };
    let rows = html! {
        @for run in &runs {
            @if let [it, ..] = run {
                tr {
                    th scope="row" {
                        @match run {
                            [high, .., low] => { (to(low)) " to " (to(high)) span.quiet { " (" (run.len()) ")" } }
                            _ => { (to(it)) }
                        }
                        @if it.contents > 1 && has_days { " " (badge("warn", "content changed")) }
                        @else if it.contents > 1 {
                            @let pair = Comparison { old: Some(it.first.clone()), new: Some(it.last.clone()), package: Some(package.to_owned()), kind: None };
                            " " (link(context, &Route::Diff(pair), badge("warn", "differs between catalogs")))
                        }
                    }
                    td { (released(run, &days)) }
                    @if has_days { td { (dated(it.first_day.as_deref(), it.first_commit.as_deref())) } }
                    @if has_gone { td { (dated(it.gone_day.as_deref(), it.gone_commit.as_deref())) } }
                    td {
                        @let (first, last) = (place_of(&it.first, has_days), place_of(&it.last, has_days));
                        @match it.catalogs.as_slice() {
                            _ if first == last => { "only " (shown(first)) }
                            few if !has_days && few.len() <= NAMED_CATALOGS => {
                                (few.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", "))
                            }
                            _ => { (shown(first)) " to " (shown(last)) }
                        }
                    }
                    @if has_removed { td { @if it.is_current { "available" } @else { (badge("warn", "removed")) } } }
                    @if has_gaps { td { (shown(&places_of(&it.missing_in, has_days))) } }
                    @if has_deprecated { td { (shown(&places_of(&it.deprecated_in, has_days))) } }
                }
            }
        }
    };
    Ok(matrix("In which catalogs each version is, the highest first", &headers, rows))
}

/// More catalogs of a version are given by the first and the last.
const NAMED_CATALOGS: usize = 3;

/// A state as the table shows it: its catalog alone if its day stands in a column of its own.
fn place_of(state: &str, has_days: bool) -> &str {
    if has_days { state.split('@').next().unwrap_or(state) } else { state }
}

/// Some states as the table shows them, each once.
fn places_of(states: &[String], has_days: bool) -> String {
    let mut places: Vec<&str> = states.iter().map(|it| place_of(it, has_days)).collect();
    places.dedup();
    places.join(", ")
}

/// The most commits of a page; the command lists all.
const MAX_COMMITS: usize = 50;

/// The commits that changed a package, the newest first: a line for each kind of change.
fn commits(context: PageContext<'_>, package: &str) -> Result<Markup, PageError> {
    let all = context.index().blame(package, None, &[])?;
    let newest: Vec<&BlameRow> = all.iter().rev().collect();
    let commits: Vec<&[&BlameRow]> = newest.chunk_by(|a, b| a.commit == b.commit).collect();
    let rows = html! {
        @for commit in commits.iter().take(MAX_COMMITS) {
            @if let Some(first) = commit.first() {
                tr {
                    th scope="row" { time datetime=(first.day) { (first.day) } }
                    td { code { (short(&first.commit)) } " " (shown(&first.subject)) }
                    td { @for it in *commit { (what(it)) br; } }
                    td { (shown(&catalogs(commit))) }
                }
            }
        }
    };
    let caption = match commits.len() {
        n if n > MAX_COMMITS => format!("Commits, the newest {MAX_COMMITS} of {n}"),
        _ => "Commits, the newest first".to_owned(),
    };
    Ok(html! {
        h2 { "Commits" }
        (table(&caption, &["Day", "Commit", "Changes", "Catalogs"], rows))
    })
}

/// One change of a commit: `bundle keda.v2.10.0 appeared`.
fn what(it: &BlameRow) -> Markup {
    let name = version_or_name(&it.version, &it.name);
    let is_package = it.what == "package";
    html! { (it.what) @if !is_package && !name.is_empty() { " " (shown(name)) } " " (it.change.word()) }
}

/// The catalogs that a commit changed.
fn catalogs(commit: &[&BlameRow]) -> String {
    let all: BTreeSet<&str> = commit.iter().flat_map(|it| &it.catalogs).map(String::as_str).collect();
    all.into_iter().collect::<Vec<_>>().join(", ")
}

/// When it came or went, with the commit as a title.
fn dated(day: Option<&str>, commit: Option<&str>) -> Markup {
    html! { @if let Some(day) = day { time datetime=(day) title=[commit] { (day) } } }
}

/// The release days of versions, as far as their bundles state them: one day, or the first and the last.
fn released(run: &[&HistoryRow], days: &HashMap<String, Day>) -> Markup {
    let known = || run.iter().filter_map(|it| days.get(&it.bundle));
    let day = |it: &Day| html! { time datetime=(it) { (it) } };
    html! {
        @if let (Some(first), Some(last)) = (known().min(), known().max()) {
            (day(first)) @if first != last { " to " (day(last)) }
        }
    }
}
