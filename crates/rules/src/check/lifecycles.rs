//! Checks between lifecycles and the packages of their catalog (`docs/behaviour/platform.md` 1.3).

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Draft, Facts, LifecycleFacts};
use super::graph::head;
use super::inspect::draft;
use super::model::PackageModel;
use crate::openshift::{coerce, rules};
use olmdex_constraint::openshift::Minor;
use olmdex_text::calendar::Day;
use olmdex_version::first_of;

/// A mismatch.
pub(super) struct Unfit<'a> {
    /// The number of the document.
    pub(super) number: usize,
    pub(super) package: &'a str,
    pub(super) draft: Draft,
    /// Whether it is about the package being absent.
    pub(super) is_absence: bool,
}

/// Judges the lifecycles of a catalog; whether heads are supported only on a day.
pub(super) fn lifecycles<'a>(
    facts: &'a [Facts],
    models: &BTreeMap<&'a str, PackageModel<'a>>,
    day: Option<Day>,
) -> Vec<Unfit<'a>> {
    let mut found = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (number, it) in facts.iter().enumerate() {
        let Facts::Lifecycle(lifecycle) = it else { continue };
        let package = lifecycle.package.as_str();
        if package.is_empty() {
            continue;
        }
        let mut add = |draft: Draft, is_absence| found.push(Unfit { number, package, draft, is_absence });
        if !seen.insert(package) {
            let message = format!("package `{package}` has more than one lifecycle");
            add(draft(rules::LIFECYCLE_TWICE, message).at(vec!["package".into()]).help("merge them into one"), false);
            continue;
        }
        match models.get(package).filter(|it| it.document.is_some()) {
            None => {
                let message = format!("a lifecycle names package `{package}`, which is not in the catalog");
                add(draft(rules::PACKAGE_UNKNOWN, message).at(vec!["package".into()]), true);
            }
            Some(model) => {
                for it in of_package(lifecycle, model, day) {
                    add(it, false);
                }
            }
        }
    }
    found
}

fn of_package(lifecycle: &LifecycleFacts, model: &PackageModel<'_>, day: Option<Day>) -> Vec<Draft> {
    let package = &lifecycle.package;
    let mut known: BTreeMap<Minor, Option<Day>> = BTreeMap::new();
    for (name, ends) in &lifecycle.versions {
        if let Some(minor) = coerce(name) {
            // The first entry of a minor version counts.
            known.entry(minor).or_insert(*ends);
        }
    }
    let mut drafts = Vec::new();
    let minor_of = |name: &str| coerce(model.bundles.get(name)?.1.version.as_deref()?);
    let entries = model.channels.iter().flat_map(|(_, it)| it.entries.iter());
    let missing: BTreeSet<Minor> =
        entries.filter_map(|it| minor_of(&it.name)).filter(|it| !known.contains_key(it)).collect();
    // A lifecycle without versions makes no statement, which has been reported.
    if !missing.is_empty() && !known.is_empty() {
        let list = first_of(missing.iter().map(ToString::to_string), missing.len());
        let message = format!("the lifecycle of `{package}` does not list {list}, although its channels hold them");
        drafts.push(draft(rules::MINOR_WITHOUT_LIFECYCLE, message).at(vec!["versions".into()]));
    }
    let Some(day) = day else { return drafts };
    for (_, channel) in &model.channels {
        let Ok(head) = head(&channel.entries) else { continue };
        let Some(minor) = minor_of(&head.name) else { continue };
        let Some(ends) = known.get(&minor).copied().flatten().filter(|it| *it < day) else { continue };
        let message = format!(
            "on {day}, the head of channel `{}`, `{}`, is not supported: the support of {minor} ended on {ends}",
            channel.name, head.name
        );
        drafts.push(draft(rules::HEAD_SUPPORT_ENDED, message).at(vec!["versions".into()]));
    }
    drafts
}
