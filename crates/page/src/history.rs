//! When the versions of a package came and went, catalog by catalog.

use maud::html;

use super::command::Command;
use super::parts::{Ids, badge, shown, table, tabs, version_link};
use super::reply::PageError;
use super::route::{List, Route};
use super::site::{Page, PageContext};
use olmdex_index::query::HistoryRow;

/// The answer as data: what `history PKG` gives.
pub(super) fn answer(context: PageContext<'_>, package: &str) -> Result<Vec<HistoryRow>, PageError> {
    let order = context.index().catalog_names_in_time()?;
    let rows = context.index().history(package, &order)?;
    if rows.is_empty() { Err(context.unknown_package(package)) } else { Ok(rows) }
}

pub(super) fn page(context: PageContext<'_>, package: &str) -> Result<Page, PageError> {
    let answers = answer(context, package)?;
    let mut ids = Ids::default();
    let rows = html! {
        @for it in answers.iter().rev() {
            tr id=(ids.make("v", if it.version.is_empty() { &it.bundle } else { &it.version })) {
                th scope="row" { (version_link(context, package, (&it.bundle, &it.version), &it.last))
                    @if it.contents > 1 { " " (badge("warn", "content changed")) } }
                td { (shown(&it.first)) }
                td { (shown(&it.last)) }
                td { @if it.is_current { "there" } @else { (badge("warn", "gone")) } }
                td { (shown(&it.missing_in.join(", "))) }
                td { (shown(&it.deprecated_in.join(", "))) }
            }
        }
    };
    let body = html! {
        h1 { "History of " (shown(package)) }
        (tabs(context, package))
        @if context.has_several() {
            p { "The first and the last catalog that have each version. Catalogs are in the order of their days, then of their names." }
        } @else {
            p { "There is only one catalog, so there is no history. An index of several catalogs has one, for example with a catalog for each OpenShift version." }
        }
        (table("Versions, the highest first", &["Version", "First in", "Last in", "Now", "Missing in between", "Deprecated in"], rows))
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
