//! Good practice: rules of catalogs that hold only on request.

mod document;
mod profile;
pub mod rules;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

pub use profile::Profile;

pub use self::document::practice_facts;
pub use super::facts::PracticeFacts;

/// The rules about copies of one truth, which `check` keeps for every catalog.
pub const OF_COPIES: &[&Rule] =
    &[rules::RANGE_NOT_OF_CSV, rules::TEST_REGISTRY, rules::VERSION_LACKING_BETWEEN, rules::TEMPLATE_NOT_RENDERED];

use super::facts::{Draft, Facts};
use super::inspect::draft;
use super::places;
use olmdex_base::diag::{Finding, Rule};
use olmdex_fbc::{Input, Origin};
use olmdex_version::first_of;

/// The breaches of the wanted rules in documents that have been looked at, in their order.
pub(super) fn findings(input: &Input, all: Vec<(Origin, PracticeFacts)>, wanted: &[&'static Rule]) -> Vec<Finding> {
    // Files that were made of a database or an index have no directories.
    let directory = |origin: Origin| {
        let file = input.files.get(origin.file as usize).filter(|it| it.made_of().is_none())?;
        Some(Path::new(&file.shown).parent().unwrap_or(Path::new("")))
    };
    let seen: Vec<(Option<&Path>, &PracticeFacts)> = all.iter().map(|(origin, it)| (directory(*origin), it)).collect();
    let drafts = practice_drafts(&seen, wanted);
    let origins: Vec<Origin> = all.iter().map(|it| it.0).collect();
    let facts: Vec<Facts> = all.into_iter().map(|it| Facts::Other { package: it.1.package }).collect();
    places::resolve(drafts, &facts, &origins, input)
}

/// The breaches of the wanted rules in documents that have been looked at, each with the directory of its file, if it
/// is in one. This is for callers that find places by themselves: each finding comes with the number of its document.
pub fn practice_drafts(all: &[(Option<&Path>, &PracticeFacts)], wanted: &[&'static Rule]) -> Vec<(usize, Draft)> {
    let is_wanted = |it: &Draft| wanted.iter().any(|rule| rule.id == it.rule.id);
    let mut drafts: Vec<(usize, Draft)> = Vec::new();
    for (number, (_, it)) in all.iter().enumerate() {
        drafts.extend(it.drafts.iter().filter(|it| is_wanted(it)).map(|it| (number, it.clone())));
    }
    let whole = deprecated_defaults(all).into_iter().chain(shared_directories(all)).chain(other_ranges(all));
    drafts.extend(whole.filter(|it| is_wanted(&it.1)));
    // The sort is stable: findings of one document stay in the order of the rules.
    drafts.sort_by_key(|(number, _)| *number);
    drafts
}

/// Default channels that are deprecated, each reported at its deprecation.
fn deprecated_defaults(all: &[(Option<&Path>, &PracticeFacts)]) -> Vec<(usize, Draft)> {
    let defaults: BTreeMap<&str, &str> =
        all.iter().filter_map(|(_, it)| Some((it.package.as_str(), it.default_channel.as_deref()?))).collect();
    let mut found = Vec::new();
    for (number, (_, it)) in all.iter().enumerate() {
        for (idx, channel) in &it.deprecated_channels {
            if defaults.get(it.package.as_str()) == Some(&channel.as_str()) {
                let message = format!("`{channel}`, the default channel of package `{}`, is deprecated", it.package);
                let draft = draft(rules::DEPRECATED_DEFAULT_CHANNEL, message).at(vec![
                    "entries".into(),
                    (*idx).into(),
                    "reference".into(),
                    "name".into(),
                ]);
                found.push((number, draft.help("make another channel the default: `olmdex edit default-channel`")));
            }
        }
    }
    found
}

/// Ranges of entries that are not those of their bundles.
fn other_ranges(all: &[(Option<&Path>, &PracticeFacts)]) -> Vec<(usize, Draft)> {
    let of_csvs: HashMap<(&str, &str), &str> = all
        .iter()
        .filter_map(|(_, facts)| {
            let (name, range) = facts.csv_range.as_ref()?;
            Some(((facts.package.as_str(), name.as_str()), range.as_str()))
        })
        .collect();
    let mut found = Vec::new();
    for (number, (_, facts)) in all.iter().enumerate() {
        for (idx, name, range) in &facts.ranges {
            let Some(other) = of_csvs.get(&(facts.package.as_str(), name.as_str())) else { continue };
            if parts_of_range(range) == parts_of_range(other) {
                continue;
            }
            let message = format!(
                "the skipRange of `{name}` is `{range}`, but the ClusterServiceVersion has `olm.skipRange: {other}`"
            );
            let at = vec!["entries".into(), (*idx).into(), "skipRange".into()];
            let help = "OLM reads the entry; correct the one that was left behind";
            found.push((number, draft(rules::RANGE_NOT_OF_CSV, message).at(at).help(help)));
        }
    }
    found
}

/// The alternatives of a range, each with its comparators, whatever their order and the spaces between them.
fn parts_of_range(range: &str) -> BTreeSet<BTreeSet<String>> {
    let comparators = |alternative: &str| {
        let mut found: Vec<String> = Vec::new();
        for word in alternative.split_whitespace() {
            match found.last_mut() {
                // The operator may stand by itself.
                Some(last) if last.ends_with(['<', '>', '=', '!']) => last.push_str(word),
                _ => found.push(word.to_owned()),
            }
        }
        found.into_iter().collect()
    };
    range.split("||").map(comparators).collect()
}

/// Packages that share a directory with others, each reported at its `olm.package`.
fn shared_directories(all: &[(Option<&Path>, &PracticeFacts)]) -> Vec<(usize, Draft)> {
    let mut of_directory: BTreeMap<&Path, BTreeSet<&str>> = BTreeMap::new();
    for (directory, it) in all.iter().filter(|(_, it)| it.default_channel.is_some() && !it.package.is_empty()) {
        if let Some(directory) = directory {
            of_directory.entry(directory).or_default().insert(&it.package);
        }
    }
    let mut found = Vec::new();
    for (number, (directory, it)) in all.iter().enumerate().filter(|(_, it)| it.1.default_channel.is_some()) {
        let Some(others) = directory.and_then(|it| of_directory.get(it)) else { continue };
        let others: Vec<&str> = others.iter().copied().filter(|other| *other != it.package).collect();
        if others.is_empty() || it.package.is_empty() {
            continue;
        }
        let names = first_of(others.iter().map(|it| format!("`{it}`")), others.len());
        let message = format!("package `{}` shares its directory with {names}", it.package);
        let draft = draft(rules::PACKAGES_IN_ONE_DIRECTORY, message).at(vec!["name".into()]);
        found.push((number, draft.help(format!("move it to a separate directory, `{}/`", it.package))));
    }
    found
}
