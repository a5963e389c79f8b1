//! Verdicts on OpenShift, and versions that share one.

use maud::{Markup, html};

use super::parts::{badge, shown, version_link};
use super::site::PageContext;
use olmdex_ask::{Compatibility, Stay};

/// The versions of a run: the only one, or from the lowest to the highest.
pub(super) fn versions(context: PageContext<'_>, rows: &[&Stay]) -> Markup {
    let to = |it: &Stay| version_link(context, &it.package, (&it.bundle, &it.version), &it.catalog);
    html! {
        @match rows {
            [] => {}
            [only] => { (to(only)) }
            [high, .., low] => { (to(low)) " to " (to(high)) span.quiet { " (" (rows.len()) ")" } }
        }
    }
}

/// A verdict as a highlighted word.
pub(super) fn verdict(verdict: Compatibility) -> Markup {
    let (kind, _) = look(verdict);
    badge(kind, verdict.words())
}

/// A verdict as a symbol, with its word for readers.
pub(super) fn symbol(verdict: Compatibility, reason: &str) -> Markup {
    let (kind, symbol) = look(verdict);
    html! {
        span class={ "tag " (kind) } title={ (verdict.words()) ": " (shown(reason)) } {
            span aria-hidden="true" { (symbol) } span.away { (verdict.words()) }
        }
    }
}

/// The meaning of the symbols that occur.
pub(super) fn legend(all: &[Compatibility]) -> Markup {
    html! {
        ul.chips { @for it in all { li { (symbol(*it, "")) " " (it.words()) } } }
    }
}

fn look(verdict: Compatibility) -> (&'static str, &'static str) {
    match verdict {
        Compatibility::Blocks => ("bad", "✕"),
        Compatibility::Excluded => ("warn", "!"),
        Compatibility::Unknown => ("", "–"),
        Compatibility::NotExcluded => ("", "~"),
        Compatibility::Stated => ("good", "✓"),
    }
}
