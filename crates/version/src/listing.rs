//! Lists of names in messages: the lowest version first, and no longer than people read.

use super::Version;

/// A bundle as people call it: its version, or its name if it has none.
pub fn version_or_name<'t>(version: &'t str, bundle: &'t str) -> &'t str {
    if version.is_empty() { bundle } else { version }
}

/// The number of names that a message has.
const MAX_NAMES: usize = 6;

/// The version at the end of a bundle's name, behind `.v`, `.` or `-v`: `keda.v2.10.1` has 2.10.1.
pub fn version_in_name(name: &str) -> Option<Version> {
    name.match_indices(['.', '-']).find_map(|(at, separator)| {
        let rest = &name[at + 1..];
        let digits = rest.strip_prefix('v').unwrap_or(rest);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        match separator {
            // In `a-2.0.0` this is a dot within a number.
            "." if ends_with_number(&name[..at]) => None,
            "." => Version::parse_tolerant(digits).ok(),
            // A `-` also joins words, and begins a pre-release.
            _ if digits.len() < rest.len() => Version::parse(digits).ok(),
            _ => None,
        }
    })
}

/// Whether a text ends with a number behind a hyphen, as in `a-2`.
fn ends_with_number(text: &str) -> bool {
    let rest = text.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    rest.len() < text.len() && rest.ends_with('-')
}

/// Names in the order of their versions; those without any first, by name.
pub fn by_version<S: AsRef<str>>(mut names: Vec<(S, Option<Version>)>) -> Vec<S> {
    let version = |(name, version): (S, Option<Version>)| {
        let version = version.or_else(|| version_in_name(name.as_ref()));
        (version, name)
    };
    let mut names: Vec<(Option<Version>, S)> = names.drain(..).map(version).collect();
    names.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.as_ref().cmp(b.1.as_ref())));
    names.into_iter().map(|it| it.1).collect()
}

/// The first of `n_names` names, joined with commas, and the number of the others. A single other name is written out:
/// its count would take the same room.
pub fn first_of<S: AsRef<str>>(names: impl Iterator<Item = S>, n_names: usize) -> String {
    let n_shown = if n_names == MAX_NAMES + 1 { n_names } else { MAX_NAMES };
    let mut text = String::new();
    for name in names.take(n_shown) {
        text.push_str(if text.is_empty() { "" } else { ", " });
        text.push_str(name.as_ref());
    }
    if n_names > n_shown {
        text.push_str(&format!(" and {} more", n_names - n_shown));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_by_version_and_cut() {
        let plain = |names: &[&'static str]| by_version(names.iter().map(|it| (*it, None)).collect()).join(" ");
        assert_eq!(plain(&["a.v1.10.0", "a.v1.9.0", "a.v1.2.0"]), "a.v1.2.0 a.v1.9.0 a.v1.10.0");
        assert_eq!(plain(&["b", "a.v2.0.0", "a"]), "a b a.v2.0.0");
        let given = vec![("x", Version::parse("2.0.0").ok()), ("y", Version::parse("1.0.0").ok())];
        assert_eq!(by_version(given), ["y", "x"]);
        let names: Vec<String> = (1..10).map(|it| format!("a.v1.{it}.0")).collect();
        let listed = |n: usize| first_of(names.iter(), n);
        assert_eq!(listed(7).matches(',').count(), 6);
        assert!(listed(8).ends_with("a.v1.6.0 and 2 more"), "{}", listed(8));
    }

    #[test]
    fn versions_are_found_at_the_end_of_names() {
        let cases = [
            ("keda.v2.10.1", Some("2.10.1")),
            ("a.b.v1.0.0-rc.1", Some("1.0.0-rc.1")),
            ("a.1.2.3", Some("1.2.3")),
            ("3scale-operator.v0.5.0", Some("0.5.0")),
            ("pg-v1.2.3", Some("1.2.3")),
            ("a-v2-b.v1.2.3", Some("1.2.3")),
            ("a-2.0.0", None),
            ("keda", None),
            ("a.very.odd", None),
        ];
        for (name, version) in cases {
            assert_eq!(version_in_name(name).map(|it| it.to_string()).as_deref(), version, "{name}");
        }
    }
}
