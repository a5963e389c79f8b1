//! Verdicts on OpenShift, and versions that share one.

use maud::{Markup, html};

use super::parts::{badge, shown, version_range};
use super::site::PageContext;
use olmdex_ask::{Compatibility, Stay};

/// The versions of a run: the only one, or from the lowest to the highest.
pub(super) fn versions(context: PageContext<'_>, rows: &[&Stay]) -> Markup {
    let Some(first) = rows.first() else { return html! {} };
    let versions: Vec<(&str, &str)> = rows.iter().map(|it| (it.bundle.as_str(), it.version.as_str())).collect();
    version_range(context, &first.package, &first.catalog, &versions)
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
        ul.versions { @for it in all { li { (symbol(*it, "")) " " (it.words()) span.quiet { ": " (it.meaning()) } } } }
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
