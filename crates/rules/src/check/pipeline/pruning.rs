//! The parts of an index that a fragment removes when it is added.

use std::collections::BTreeMap;

use super::super::inspect::draft;
use super::documents::{DocumentOutline, Documents};
use super::outcome::{Outcome, Unchecked};
use super::rules;
use olmdex_fbc::Input;

/// Parts of the names of channels that may lose entries.
const FREE: [&str; 3] = ["dev-preview", "pre-ga", "candidate"];

/// Package, channel, entries.
type Channels = BTreeMap<String, BTreeMap<String, Vec<String>>>;

fn channels(documents: &Documents<'_>, into: &mut Channels) {
    for (_, it) in documents.each() {
        if let DocumentOutline::Channel { package, name, entries } = it {
            let channel = into.entry(package.clone()).or_default().entry(name.clone()).or_default();
            channel.extend(entries.iter().cloned());
        }
    }
}

/// The outcome of `fbc-target-index-pruning-check`.
pub(super) fn check(documents: &Documents<'_>, index: Option<&[Input]>) -> Outcome {
    let Some(index) = index else {
        let missing = "no index to compare with; name it with `--target-index`";
        return Outcome { unchecked: vec![Unchecked::new(rules::PRUNING_CHECK, missing)], ..Outcome::default() };
    };
    let (mut ours, mut theirs) = (Channels::new(), Channels::new());
    channels(documents, &mut ours);
    for input in index {
        channels(&Documents::read(input), &mut theirs);
    }
    let mut drafts = Vec::new();
    for (package, own) in &ours {
        let Some(released) = theirs.get(package) else { continue };
        // A fragment may lack the document of its package.
        let of_package = documents.packages().find(|it| it.1 == package).map(|it| it.0);
        let of_channel =
            documents.each().find(|it| matches!(it.1, DocumentOutline::Channel { package: it, .. } if it == package));
        let Some(number) = of_package.or(of_channel.map(|it| it.0)) else { continue };
        for (rule, message) in lost(package, own, released) {
            let help =
                "keep the released channels and entries, and add to them; `olmdex diff` shows the whole difference";
            drafts.push((number, draft(rule, message).help(help)));
        }
    }
    Outcome { findings: documents.findings(drafts), unchecked: Vec::new() }
}

type Lost = (&'static olmdex_base::diag::Rule, String);

/// The losses of a package.
fn lost(package: &str, own: &BTreeMap<String, Vec<String>>, released: &BTreeMap<String, Vec<String>>) -> Vec<Lost> {
    let mut lost: Vec<Lost> = Vec::new();
    let names: Vec<&str> = own.keys().map(String::as_str).collect();
    for (channel, entries) in released {
        if FREE.iter().any(|it| channel.contains(it)) {
            continue;
        }
        let kept: Vec<&str> = own.get(channel).into_iter().flatten().map(String::as_str).collect();
        if !own.contains_key(channel) {
            let message =
                format!("the fragment removes channel `{channel}` of package `{package}`, which the index has");
            if !is_word_of(channel, &names) {
                lost.push((rules::PRUNED, message));
                continue;
            }
            lost.push((rules::PRUNED_UNSEEN, message));
        }
        for entry in entries.iter().filter(|it| !kept.contains(&it.as_str())) {
            let rule = if is_word_of(entry, &kept) { rules::PRUNED_UNSEEN } else { rules::PRUNED };
            let message = format!(
                "the fragment removes `{entry}` from channel `{channel}` of package `{package}`, where the index has it"
            );
            lost.push((rule, message));
        }
    }
    lost
}

/// Whether the pipeline finds a name in a list: as a word of the names that are joined with blanks. Letters, digits and
/// `_` make words.
fn is_word_of(name: &str, all: &[&str]) -> bool {
    let is_of_word = |it: char| it.is_alphanumeric() || it == '_';
    let line = all.join(" ");
    let mut from = 0;
    while let Some(at) = line.get(from..).and_then(|it| it.find(name)) {
        let (start, end) = (from + at, from + at + name.len());
        let before = line[..start].chars().next_back();
        let after = line[end..].chars().next();
        if !before.is_some_and(is_of_word) && !after.is_some_and(is_of_word) {
            return true;
        }
        let Some(first) = line[start..].chars().next() else { return true };
        from = start + first.len_utf8();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_words() {
        for (name, all, expected) in [
            ("stable", &["stable"][..], true),
            ("stable", &["fast", "stable-1.0"], true),
            ("stable", &["stable1"], false),
            ("stable", &["unstable", "a_stable"], false),
            ("stable", &["unstable", "x.stable"], true),
            ("foo.v1.0.0", &["foo.v1.0.0-1"], true),
            ("foo.v1.0.0", &["foo.v1.0.01"], false),
            ("foo.v1.0.0", &[], false),
        ] {
            assert_eq!(is_word_of(name, all), expected, "{name} in {all:?}");
        }
    }
}
