//! The OpenShift versions that a bundle is for, by `com.redhat.openshift.versions`, and the Kubernetes versions of
//! these (`docs/behaviour/authoring.md` A.3 and F.2).

use std::collections::BTreeSet;

use olmdex_constraint::openshift::Minor;

/// The first and the last version of OpenShift that has catalogs.
const CATALOGS: std::ops::RangeInclusive<u64> = 12..=22;

/// The last version whose Kubernetes the pipelines know.
const KNOWN: u64 = 17;

/// The Kubernetes of a version of OpenShift 4.
fn kubernetes(minor: u64) -> u64 {
    // There was none with Kubernetes 1.15.
    minor.saturating_add(if minor <= 2 { 12 } else { 13 })
}

/// The Kubernetes of a version of OpenShift, as `1.N`; without one, or for another than 4.N, of the newest that has
/// catalogs.
pub fn kubernetes_of(openshift: Option<Minor>) -> String {
    let known = openshift.filter(|minor| minor.major == 4).map_or(*CATALOGS.end(), |minor| minor.minor);
    format!("1.{}", kubernetes(known))
}

/// The version of OpenShift in the name of a catalog: `v4.20`.
pub(super) fn minor_of(name: &str) -> Option<Minor> {
    let (major, minor) = name.strip_prefix('v')?.split_once('.')?;
    let number = |it: &str| it.bytes().all(|it| it.is_ascii_digit()).then(|| it.parse().ok()).flatten();
    Some(Minor { major: number(major)?, minor: number(minor)? })
}

/// A minor version of OpenShift 4.
fn of_4(minor: u64) -> Minor {
    Minor { major: 4, minor }
}

/// The versions that have catalogs.
pub(super) fn all_catalogs() -> impl Iterator<Item = Minor> {
    CATALOGS.map(of_4)
}

/// The versions whose catalogs accept a bundle.
pub(super) fn catalogs(selector: Option<&str>) -> BTreeSet<Minor> {
    all_catalogs().filter(|it| takes(selector, *it)).collect()
}

/// Whether the catalog of a version takes a bundle.
pub(super) fn takes(selector: Option<&str>, minor: Minor) -> bool {
    match selector.map(Selector::of) {
        None => true,
        Some(Selector::Exact(exact)) => exact == Some(minor),
        Some(Selector::Range(Some(first), Some(last))) => (first..=last).contains(&minor),
        Some(Selector::Range(..)) => false,
        Some(Selector::From(first)) => first.is_some_and(|it| minor >= it),
    }
}

/// The selector that takes this version too, and none that the other one does not take.
pub(super) fn widened(selector: &str, minor: Minor) -> String {
    let range = |first: Minor, last: Minor| format!("v{}-v{}", first.min(minor), last.max(minor));
    match Selector::of(selector) {
        Selector::Exact(Some(exact)) => range(exact, exact),
        Selector::Range(Some(first), Some(last)) if first <= last => range(first, last),
        Selector::From(Some(first)) => format!("v{}", first.min(minor)),
        _ => format!("=v{minor}"),
    }
}

/// The choice of catalogs by `com.redhat.openshift.versions`. A version that cannot be read chooses none.
enum Selector {
    /// This one.
    Exact(Option<Minor>),
    /// From the first to the last.
    Range(Option<Minor>, Option<Minor>),
    /// From this one on: of a list its lowest.
    From(Option<Minor>),
}

impl Selector {
    fn of(text: &str) -> Self {
        let version = |text: &str| {
            let (major, minor) = text.trim().strip_prefix('v').unwrap_or(text.trim()).split_once('.')?;
            Some(Minor { major: major.parse().ok()?, minor: minor.parse().ok()? })
        };
        let text = text.trim();
        if let Some(exact) = text.strip_prefix('=') {
            return Self::Exact(version(exact));
        }
        if let Some((first, last)) = text.split_once('-') {
            return Self::Range(version(first), version(last));
        }
        Self::From(text.split(',').filter_map(version).min())
    }
}

/// The forms of the choice, for people.
pub(crate) const FORMS: &str =
    "write `v4.N` for that version and all later ones, `=v4.N` for that one alone, or a range `v4.A-v4.B`";

/// How a choice reads to the pipelines.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Good,
    /// A list that means its lowest version and all later ones.
    List,
    Unreadable,
}

/// The form of a choice.
pub(crate) fn openshift_form(text: &str) -> Form {
    match Selector::of(text) {
        // The pipelines know this list alone.
        _ if text.trim() == "v4.5,v4.6" => Form::Good,
        Selector::From(Some(_)) if text.contains(',') => {
            match text.split(',').all(|it| openshift_form(it) == Form::Good) {
                true => Form::List,
                false => Form::Unreadable,
            }
        }
        Selector::Exact(Some(_)) | Selector::From(Some(_)) => Form::Good,
        Selector::Range(Some(first), Some(last)) if first <= last => Form::Good,
        _ => Form::Unreadable,
    }
}

/// The objections of the pipelines to a bundle's lowest Kubernetes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Conflict {
    /// The lowest Kubernetes is not a version.
    BadKubernetes(String),
    /// There is one, and no OpenShift versions.
    NoOpenShift,
    /// The OpenShift versions cannot be read.
    BadOpenShift(String),
    /// A list of versions, which only one list may be.
    List,
    /// These have an older Kubernetes.
    Older(String, String),
}

/// Compares the claims of a bundle about Kubernetes and about OpenShift.
pub(super) fn conflicts(kubernetes_version: &str, selector: Option<&str>) -> Vec<Conflict> {
    let Some([major, minor, patch]) = loose(kubernetes_version) else {
        return vec![Conflict::BadKubernetes(kubernetes_version.to_owned())];
    };
    let lowest = format!("{major}.{minor}.{patch}");
    let Some(selector) = selector.map(str::trim).filter(|it| !it.is_empty()) else {
        return vec![Conflict::NoOpenShift];
    };
    let mut found = Vec::new();
    let version = |text: &str| {
        let text = text.trim();
        let text = text.strip_prefix('v').unwrap_or(text);
        loose(text)
            .map(|[major, minor, _]| Minor { major, minor })
            .ok_or_else(|| Conflict::BadOpenShift(text.to_owned()))
    };
    let known = (1..=KNOWN).map(of_4);
    let mut chosen = || -> Result<Vec<Minor>, Conflict> {
        if let Some((first, last)) = selector.split_once('-') {
            let (first, last) = (version(first)?, version(last)?);
            return Ok(known.clone().filter(|it| (first..=last).contains(it)).collect());
        }
        if selector.contains(',') {
            let all = selector.split(',').map(version).collect::<Result<BTreeSet<_>, _>>()?;
            if all != BTreeSet::from([of_4(5), of_4(6)]) {
                found.push(Conflict::List);
            }
            return Ok(known.clone().filter(|it| all.first().is_none_or(|first| it >= first)).collect());
        }
        if let Some(exact) = selector.strip_prefix('=') {
            let exact = version(exact)?;
            // An unknown version counts as the nearest known one before it.
            return Ok(vec![known.clone().rfind(|it| *it <= exact).unwrap_or(of_4(1))]);
        }
        let first = version(selector)?;
        Ok(known.clone().filter(|it| *it >= first).collect())
    };
    match chosen() {
        Err(conflict) => found.push(conflict),
        Ok(chosen) => {
            let older = chosen.iter().filter(|it| [1, kubernetes(it.minor), 0] < [major, minor, patch]);
            let older: Vec<String> = older.map(Minor::to_string).collect();
            if !older.is_empty() {
                found.push(Conflict::Older(older.join(","), lowest));
            }
        }
    }
    found
}

/// A version whose minor and patch may be left out; the text behind them is ignored.
fn loose(text: &str) -> Option<[u64; 3]> {
    let text = text.trim();
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (core, suffix) = text.split_at(end);
    let is_suffix = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '-' | '+');
    if !suffix.chars().all(is_suffix) || suffix.len() == 1 {
        return None;
    }
    let mut numbers = [0; 3];
    let words: Vec<&str> = core.split('.').collect();
    if words.len() > 3 {
        return None;
    }
    for (number, word) in numbers.iter_mut().zip(words) {
        let is_number = !word.is_empty() && word.bytes().all(|it| it.is_ascii_digit());
        if !is_number || (word.len() > 1 && word.starts_with('0')) {
            return None;
        }
        *number = word.parse().ok()?;
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_choose_catalogs() {
        let first_and_last = |it: &str| {
            let all = catalogs(Some(it));
            (all.first().map(|it| it.minor), all.last().map(|it| it.minor))
        };
        assert_eq!(first_and_last("v4.14"), (Some(14), Some(22)));
        assert_eq!(first_and_last("4.13-v4.15"), (Some(13), Some(15)));
        assert_eq!(first_and_last("=v4.16"), (Some(16), Some(16)));
        assert_eq!(first_and_last("v4.5,v4.6"), (Some(12), Some(22)));
        assert_eq!(first_and_last("v4.5-v4.8"), (None, None));
        assert_eq!(catalogs(None).len(), 11);
    }

    #[test]
    fn forms_of_selectors_are_told_apart() {
        for text in ["v4.18", "4.18", "=v5.0", "v4.18-v5.0", "4.16-4.18", "v4.5,v4.6", " v4.12 "] {
            assert_eq!(openshift_form(text), Form::Good, "{text}");
        }
        for text in ["v4.10,v4.11", "v4.5,v4.7"] {
            assert_eq!(openshift_form(text), Form::List, "{text}");
        }
        for text in [">=v5.0", "", "v4", "v4.18-v4.16", "v4.9-v4.12,v4.14", "v4.10,latest", "=", "v4.x"] {
            assert_eq!(openshift_form(text), Form::Unreadable, "{text}");
        }
    }

    #[test]
    fn a_selector_is_widened_by_one_version() {
        for (selector, minor, expected) in [
            ("v4.12-v4.18", of_4(20), "v4.12-v4.20"),
            ("v4.12-v4.18", of_4(10), "v4.10-v4.18"),
            ("=v4.16", of_4(18), "v4.16-v4.18"),
            ("v4.14", of_4(12), "v4.12"),
            ("v4.5,v4.6", of_4(4), "v4.4"),
            ("nonsense", of_4(12), "=v4.12"),
        ] {
            assert!(!takes(Some(selector), minor), "{selector}");
            assert_eq!(widened(selector, minor), expected, "{selector}");
            assert!(takes(Some(expected), minor), "{expected}");
        }
    }

    #[test]
    fn an_older_kubernetes_is_a_conflict() {
        assert_eq!(conflicts("1.25.0", Some("v4.12")), []);
        assert_eq!(conflicts("1.25", Some("v4.11-v4.12")), [Conflict::Older("4.11".to_owned(), "1.25.0".to_owned())]);
        assert_eq!(conflicts("v1.25", None), [Conflict::BadKubernetes("v1.25".to_owned())]);
        assert_eq!(conflicts("1.25.0", None), [Conflict::NoOpenShift]);
        assert_eq!(conflicts("1.14.0", Some("=v4.2")), []);
    }
}
