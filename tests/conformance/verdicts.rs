//! Compares findings of a real tool with ours, which are in other words.
//!
//! - Each group (a level with a type of findings or a check) has as many findings on both sides.
//! - A name is a file, a field, a version or a value: a word with a dot, a digit or a capital letter behind a small
//!   one. For each name that both sides have in a group, the same number of findings names it. A recorded text that was
//!   cut may have had any name.
//!
//! Names are compared without letter case, without `csv.` and a `v` before a version, and part by part if they have
//! slashes. A caller leaves out names that head the texts of one side, such as that of the bundle.

use std::collections::{BTreeMap, BTreeSet};

use crate::outcome::Outcome;

/// A finding of one side.
pub(crate) struct Verdict {
    /// The level, and the type of findings or the check.
    pub(crate) group: String,
    pub(crate) text: String,
}

impl Verdict {
    pub(crate) fn new(group: impl Into<String>, text: impl Into<String>) -> Self {
        Self { group: group.into(), text: text.into() }
    }
}

/// The findings of a group: their number, how many texts are cut, and how many have each name.
#[derive(Default)]
struct Group {
    n: usize,
    n_cut: usize,
    names: BTreeMap<String, usize>,
}

fn groups<'v>(verdicts: &'v [Verdict], without: &str) -> BTreeMap<&'v str, Group> {
    let without = names(without);
    let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
    for verdict in verdicts {
        let group = groups.entry(&verdict.group).or_default();
        group.n += 1;
        group.n_cut += usize::from(verdict.text.ends_with('…'));
        for name in names(&verdict.text).difference(&without) {
            *group.names.entry(name.clone()).or_default() += 1;
        }
    }
    groups
}

/// The names in a text. Addresses of pages are none.
fn names(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let words = text.split_whitespace().filter(|word| !word.contains("://"));
    let is_part = |c: char| c.is_alphanumeric() || ".-_[]".contains(c);
    for part in words.flat_map(|word| word.split(|c| !is_part(c))) {
        let part = part.trim_matches(['.', '-', '[', ']']);
        let is_mixed = part.chars().zip(part.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
        let is_name = is_mixed || part.contains(|c: char| c == '.' || c.is_ascii_digit());
        let small = part.to_lowercase();
        let small = small.strip_prefix("csv.").unwrap_or(&small);
        let version = small.strip_prefix('v').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let name = version.unwrap_or(small);
        // A number may count things.
        if is_name && !name.bytes().all(|byte| byte.is_ascii_digit()) {
            names.insert(name.to_owned());
        }
    }
    names
}

/// The differences between findings, in words. The names in `without` are not compared.
pub(crate) fn differences(found: &[Verdict], wanted: &[Verdict], without: &str) -> Vec<String> {
    let (ours, theirs) = (groups(found, without), groups(wanted, without));
    let mut differences = Vec::new();
    for name in ours.keys().chain(theirs.keys()).collect::<BTreeSet<_>>() {
        let none = Group::default();
        let (our, their) = (ours.get(name).unwrap_or(&none), theirs.get(name).unwrap_or(&none));
        let texts = |side: &[Verdict]| {
            let of_group = side.iter().filter(|verdict| verdict.group == **name);
            of_group.map(|verdict| verdict.text.clone()).collect::<Vec<_>>()
        };
        let mut differ = |what: String| {
            let (expected, got) = (texts(wanted), texts(found));
            differences.push(format!("{name}: {what}\nexpected {expected:#?}\n     got {got:#?}"));
        };
        if our.n != their.n {
            differ(format!("{} findings, not {}", our.n, their.n));
        }
        for (word, n) in &our.names {
            if let Some(n_theirs) = their.names.get(word)
                && !(*n_theirs..=*n_theirs + their.n_cut).contains(n)
            {
                differ(format!("{n} findings name {word}, not {n_theirs}"));
            }
        }
    }
    differences
}

/// Compares findings. The names in `without` are not compared.
pub(crate) fn compare(found: &[Verdict], wanted: &[Verdict], without: &str) -> Outcome {
    match differences(found, wanted, without) {
        differences if differences.is_empty() => Outcome::Passed,
        differences => Outcome::Failed(differences.join("\n")),
    }
}
