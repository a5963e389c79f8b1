//! Ranges of versions in npm's language, as the pipelines read `olm.skipRange` (`docs/behaviour/authoring.md` F.2). OLM
//! reads it in another one, so the two can differ.

use std::cmp::Ordering;

use olmdex_version::Version;

/// A range: groups of clauses. One group must hold, and with it all of its clauses.
#[derive(Debug)]
pub(super) struct NpmRange {
    groups: Vec<Vec<Clause>>,
}

#[derive(Debug, Clone)]
struct Clause {
    operator: Operator,
    target: Version,
    /// Whether pre-releases of other patches count.
    any_prerelease: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    Greater,
    AtLeast,
    Less,
    AtMost,
}

impl Clause {
    fn new(operator: Operator, target: Version) -> Self {
        Self { operator, target, any_prerelease: false }
    }

    fn holds(&self, version: &Version) -> bool {
        if version.is_prerelease() && !self.any_prerelease && !numbers(version).eq(&numbers(&self.target)) {
            return false;
        }
        let order = version.cmp_precedence(&self.target);
        match self.operator {
            Operator::Equal if !self.target.build().is_empty() => version.is_identical(&self.target),
            Operator::Equal => order == Ordering::Equal,
            Operator::Greater => order == Ordering::Greater,
            Operator::AtLeast => order != Ordering::Less,
            Operator::Less => order == Ordering::Less,
            Operator::AtMost => order != Ordering::Greater,
        }
    }
}

fn numbers(version: &Version) -> [u64; 3] {
    [version.major(), version.minor(), version.patch()]
}

impl NpmRange {
    /// Reads a range; `None` if the text is not one in this language.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut groups = Vec::new();
        for group in text.split("||") {
            let group = match group.trim() {
                "" => ">=0.0.0",
                other => other,
            };
            let mut clauses = Vec::new();
            match group.split(" - ").collect::<Vec<_>>().as_slice() {
                [low, high] => {
                    clauses.extend(simple(&format!(">={low}"))?);
                    clauses.extend(simple(&format!("<={high}"))?);
                }
                [whole] => {
                    for block in whole.split(' ') {
                        clauses.extend(simple(block)?);
                    }
                }
                _ => return None,
            }
            let (mut of_prereleases, mut others) = (Vec::new(), Vec::new());
            for clause in clauses {
                if !clause.target.is_prerelease() {
                    others.push(clause);
                    continue;
                }
                let [major, minor, patch] = numbers(&clause.target);
                let bound = match clause.operator {
                    Operator::Greater | Operator::AtLeast => {
                        Some((Operator::Less, Version::new(major, minor, patch.saturating_add(1))))
                    }
                    Operator::Less | Operator::AtMost => Some((Operator::AtLeast, Version::new(major, minor, 0))),
                    Operator::Equal => None,
                };
                if let Some((operator, target)) = bound {
                    of_prereleases.push(Clause { operator, target, any_prerelease: true });
                }
                others.push(Clause::new(clause.operator, Version::new(major, minor, patch)));
                of_prereleases.push(clause);
            }
            if !of_prereleases.is_empty() {
                groups.push(of_prereleases);
            }
            groups.push(others);
        }
        Some(Self { groups })
    }

    /// Whether a version is in it.
    pub(super) fn contains(&self, version: &Version) -> bool {
        self.groups.iter().any(|group| group.iter().all(|it| it.holds(version)))
    }
}

/// An operator and a version, parts of which may be left out.
fn simple(block: &str) -> Option<Vec<Clause>> {
    let block = block.strip_prefix('v').unwrap_or(block);
    let operators = ["<=", ">=", "<", ">", "=", "^", "~"];
    let operator = operators.into_iter().find(|it| block.starts_with(it)).unwrap_or_default();
    let rest = &block[operator.len()..];
    let end = rest.find(['-', '+']).unwrap_or(rest.len());
    let (core, suffix) = rest.split_at(end);
    let is_suffix = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '-' | '+');
    if !suffix.chars().all(is_suffix) {
        return None;
    }
    let mut parts: [Option<u64>; 3] = [None; 3];
    let words: Vec<&str> = core.split('.').collect();
    if words.len() > 3 {
        return None;
    }
    for (part, word) in parts.iter_mut().zip(words) {
        *part = match word {
            "x" | "X" | "*" => None,
            _ if word.len() > 1 && word.starts_with('0') => return None,
            _ if word.bytes().all(|it| it.is_ascii_digit()) => Some(word.parse().ok()?),
            _ => return None,
        };
    }
    use Operator::{AtLeast, AtMost, Equal, Greater, Less};
    let [Some(major), minor, patch] = parts else {
        let is_any = suffix.is_empty() && matches!(operator, "" | "=" | ">=");
        return is_any.then(|| vec![Clause::new(AtLeast, Version::new(0, 0, 0))]);
    };
    let next_major = Version::new(major.checked_add(1)?, 0, 0);
    let (minor, patch) = match (minor, patch) {
        (None, _) => (None, None),
        it => it,
    };
    let next_minor = Version::new(major, minor.unwrap_or(0).checked_add(1)?, 0);
    let is_whole = patch.is_some();
    if !is_whole && !suffix.is_empty() {
        return None;
    }
    let bare = Version::new(major, minor.unwrap_or(0), patch.unwrap_or(0));
    let mut target = bare.clone();
    if !suffix.is_empty() {
        let (pre, build) = suffix.split_once('+').unwrap_or((suffix, ""));
        let pre = if pre == "-" { "" } else { pre };
        // Build metadata counts only where versions are to be equal.
        let keeps_build = matches!(operator, "" | "=") && !build.is_empty();
        let build = if keeps_build { format!("+{build}") } else { String::new() };
        target = Version::parse(&format!("{}.{}.{}{pre}{build}", bare.major(), bare.minor(), bare.patch())).ok()?;
    }
    // The first version that no longer has the given parts.
    let after = if minor.is_none() { next_major.clone() } else { next_minor.clone() };
    let clause = Clause::new;
    Some(match operator {
        "^" => {
            let high = match (major, minor, patch) {
                (1.., ..) | (_, None, _) => next_major,
                (_, Some(1..), _) | (_, _, None) => next_minor,
                (_, _, Some(patch)) => Version::new(0, 0, patch.checked_add(1)?),
            };
            vec![clause(AtLeast, target), clause(Less, high)]
        }
        "~" => vec![clause(AtLeast, target), clause(Less, after)],
        ">" if !is_whole => vec![clause(AtLeast, after)],
        ">" => vec![clause(Greater, target)],
        ">=" => vec![clause(AtLeast, target)],
        "<" => vec![clause(Less, target)],
        "<=" if !is_whole => vec![clause(Less, after)],
        "<=" => vec![clause(AtMost, target)],
        _ if is_whole => vec![clause(Equal, target)],
        _ => vec![clause(AtLeast, target), clause(Less, after)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_as_npm_says() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            (">=1.0.0 <2.0.0", &["1.0.0", "1.9.9"], &["0.9.9", "2.0.0", "1.1.0-rc1"]),
            ("<1.23.0", &["1.22.9", "0.0.0"], &["1.23.0", "1.22.0-rc1"]),
            (">2.5.3-final", &["2.5.3", "2.6.0"], &["2.5.3-alpha", "2.5.2"]),
            ("~1.2.3", &["1.2.9"], &["1.3.0"]),
            ("^0.2", &["0.2.9"], &["0.3.0"]),
            ("1.x || 3", &["1.5.0", "3.1.0"], &["2.0.0"]),
            ("1.2.3 - 1.4", &["1.4.9"], &["1.5.0"]),
            ("", &["0.0.0"], &[]),
        ];
        for (range, inside, outside) in cases {
            let parsed = NpmRange::parse(range).unwrap();
            for version in *inside {
                assert!(parsed.contains(&Version::parse(version).unwrap()), "{version} in {range}");
            }
            for version in *outside {
                assert!(!parsed.contains(&Version::parse(version).unwrap()), "{version} not in {range}");
            }
        }
        for text in ["<v1.0.0", ">=1.0.0, <2.0.0", ">=1.0.0  <2.0.0", "01.0.0", "a", "1.2.3.4", "> 1.0.0"] {
            assert!(NpmRange::parse(text).is_none(), "{text}");
        }
    }
}
