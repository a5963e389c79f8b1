//! Good practice: rules of catalogs that hold only where somebody wants them to.
//!
//! What it deliberately does not do: it changes no verdict about a catalog, says nothing about documents that cannot be read, and
//! asks no registry.

mod document;
mod profile;
pub mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::{Path, PathBuf};

pub use profile::Profile;

use self::document::{Look, Seen};
use super::facts::{Draft, Facts};
use super::inspect::draft;
use super::places;
use crate::diag::{Finding, Rule};
use crate::fbc::{Input, Origin, load};
use crate::version::first_of;

/// What breaks the rules that are wanted, in the order of the documents. Nothing is read if none is.
#[must_use]
pub fn practices(input: &Input, wanted: &[&'static Rule]) -> Vec<Finding> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut all: Vec<Seen> = Vec::new();
    let done: Result<(), Infallible> = load(input, &Look, |it| {
        all.push(it);
        Ok(())
    });
    match done {
        Ok(()) => {}
    }
    let mut drafts: Vec<(usize, Draft)> = Vec::new();
    for (number, it) in all.iter_mut().enumerate() {
        drafts.extend(std::mem::take(&mut it.drafts).into_iter().map(|it| (number, it)));
    }
    drafts.extend(deprecated_defaults(&all));
    drafts.extend(shared_directories(&all, input));
    drafts.retain(|(_, it)| wanted.iter().any(|rule| rule.id == it.rule.id));
    // Stable: what was found in one document stays in the order of the rules.
    drafts.sort_by_key(|(number, _)| *number);
    let origins: Vec<Origin> = all.iter().map(|it| it.origin).collect();
    let facts: Vec<Facts> = all.into_iter().map(|it| Facts::Other { package: it.package }).collect();
    places::resolve(drafts, &facts, &origins, input)
}

/// Default channels that are deprecated, each said where it is.
fn deprecated_defaults(all: &[Seen]) -> Vec<(usize, Draft)> {
    let defaults: BTreeMap<&str, &str> =
        all.iter().filter_map(|it| Some((it.package.as_str(), it.default_channel.as_deref()?))).collect();
    let mut found = Vec::new();
    for (number, it) in all.iter().enumerate() {
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

/// Packages that share a directory with others, each said at its `olm.package`.
fn shared_directories(all: &[Seen], input: &Input) -> Vec<(usize, Draft)> {
    // What was made of a database or an index has no directories.
    let directory = |it: &Seen| -> Option<PathBuf> {
        let file = input.files.get(it.origin.file as usize).filter(|it| it.made_of().is_none())?;
        Some(Path::new(&file.shown).parent().unwrap_or(Path::new("")).to_owned())
    };
    let mut of_directory: BTreeMap<PathBuf, BTreeSet<&str>> = BTreeMap::new();
    for it in all.iter().filter(|it| it.default_channel.is_some() && !it.package.is_empty()) {
        if let Some(directory) = directory(it) {
            of_directory.entry(directory).or_default().insert(&it.package);
        }
    }
    let mut found = Vec::new();
    for (number, it) in all.iter().enumerate().filter(|(_, it)| it.default_channel.is_some()) {
        let Some(others) = directory(it).and_then(|it| of_directory.get(&it)) else { continue };
        let others: Vec<&str> = others.iter().copied().filter(|other| *other != it.package).collect();
        if others.is_empty() || it.package.is_empty() {
            continue;
        }
        let names = first_of(others.iter().map(|it| format!("`{it}`")), others.len());
        let message = format!("package `{}` shares its directory with {names}", it.package);
        let draft = draft(rules::PACKAGES_IN_ONE_DIRECTORY, message).at(vec!["name".into()]);
        found.push((number, draft.help(format!("move it to a directory of its own, `{}/`", it.package))));
    }
    found
}
