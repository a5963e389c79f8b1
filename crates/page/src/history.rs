//! When the versions of a package came and went, catalog by catalog.

use std::collections::HashMap;

use maud::{Markup, html};

use super::command::Command;
use super::header::{Heading, header};
use super::parts::{badge, shown, table, version_link};
use super::reply::PageError;
use super::route::{List, Route};
use super::site::{Page, PageContext};
use olmdex_index::query::HistoryRow;
use olmdex_text::calendar::Day;

/// The answer as data: what `history PKG` gives.
pub(super) fn answer(context: PageContext<'_>, package: &str) -> Result<Vec<HistoryRow>, PageError> {
    let order = context.index().catalog_names_in_time()?;
    let rows = context.index().history(package, &order)?;
    if rows.is_empty() { Err(context.unknown_package(package)) } else { Ok(rows) }
}

pub(super) fn page(context: PageContext<'_>, package: &str) -> Result<Page, PageError> {
    let answers = answer(context, package)?;
    let days: HashMap<String, Day> =
        context.index().dated_of_package(package)?.into_iter().map(|it| (it.bundle, it.day)).collect();
    let newest_first: Vec<&HistoryRow> = answers.iter().rev().collect();
    let runs: Vec<&[&HistoryRow]> = newest_first.chunk_by(|a, b| fate(a) == fate(b)).collect();
    let has = |holds: fn(&HistoryRow) -> bool| answers.iter().any(holds);
    let (has_gaps, has_deprecated) = (has(|it| !it.missing_in.is_empty()), has(|it| !it.deprecated_in.is_empty()));
    let mut headers = vec!["Versions", "Released", "First in", "Last in", "Now"];
    headers.extend(has_gaps.then_some("Missing in between"));
    headers.extend(has_deprecated.then_some("Deprecated in"));
    let to = |it: &HistoryRow| version_link(context, package, (&it.bundle, &it.version), &it.last);
    let rows = html! {
        @for run in &runs {
            @if let [it, ..] = run {
                tr {
                    th scope="row" {
                        @match run {
                            [high, .., low] => { (to(low)) " to " (to(high)) span.quiet { " (" (run.len()) ")" } }
                            _ => { (to(it)) }
                        }
                        @if it.contents > 1 { " " (badge("warn", "content changed")) }
                    }
                    td { (released(run, &days)) }
                    td { (shown(&it.first)) }
                    td { (shown(&it.last)) }
                    td { @if it.is_current { "available" } @else { (badge("warn", "removed")) } }
                    @if has_gaps { td { (shown(&it.missing_in.join(", "))) } }
                    @if has_deprecated { td { (shown(&it.deprecated_in.join(", "))) } }
                }
            }
        }
    };
    let kept = match context.here {
        Route::History(kept) => kept.catalog.as_deref(),
        _ => None,
    };
    let header = header(context, &Heading::new(package, kept, html! { "History of " (shown(package)) }))?;
    let body = html! {
        (header)
        @if context.has_several() {
            p { "The first and the last catalog that have each version; versions with the same history share a row." }
        } @else {
            p { "There is only one catalog, so there is no history. An index of several catalogs has one, for example with a catalog for each OpenShift version." }
        }
        (table("Versions, the highest first", &headers, rows))
    };
    Ok(Page {
        title: format!("History of {package}"),
        trail: vec![
            ("Catalogs".to_owned(), Route::Home),
            ("Packages".to_owned(), Route::Packages(List::default())),
            (package.to_owned(), Route::Package(package.to_owned())),
        ],
        commands: vec![Command::new("history").name(package)],
        more_data: Vec::new(),
        is_data: true,
        data: None,
        about: String::new(),
        body,
    })
}

/// When versions were released, as far as their bundles say it: a day, or from the first to the last.
fn released(run: &[&HistoryRow], days: &HashMap<String, Day>) -> Markup {
    let known = || run.iter().filter_map(|it| days.get(&it.bundle));
    let day = |it: &Day| html! { time datetime=(it) { (it) } };
    html! {
        @if let (Some(first), Some(last)) = (known().min(), known().max()) {
            (day(first)) @if first != last { " to " (day(last)) }
        }
    }
}

/// What versions share that came and went together.
fn fate(it: &HistoryRow) -> (&str, &str, bool, &[String], &[String], bool) {
    (&it.first, &it.last, it.is_current, &it.missing_in, &it.deprecated_in, it.contents > 1)
}
