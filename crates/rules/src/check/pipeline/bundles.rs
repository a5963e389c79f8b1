//! IIB's checks of bundles that are added to an index, in replaces mode.

use super::documents::{DocumentOutline, Documents};
use super::outcome::{Outcome, Unchecked, finding};
use super::rules;
use olmdex_base::diag::{Finding, Place, Rule};
use olmdex_fbc::Input;

/// A bundle that is added.
#[derive(Debug, Clone)]
pub struct Added {
    /// Its package.
    pub package: String,
    /// The name of its ClusterServiceVersion.
    pub name: String,
    /// The bundle that it replaces.
    pub replaces: Option<String>,
    /// The place with these statements.
    pub place: Place,
}

impl Added {
    fn finding(&self, rule: &'static Rule, message: String, help: &str) -> Finding {
        finding(rule, "", 1, message, help).at(self.place.clone()).of_package(self.package.clone())
    }
}

/// The refusal of a whole addition, at the first of its bundles.
pub fn not_added(bundles: &[Added], message: String, help: &str) -> Option<Finding> {
    let first = bundles.first()?;
    Some(first.finding(rules::NOT_ADDED, message, help))
}

/// The outcome of adding bundles to an index.
pub fn added(bundles: &[Added], index: Option<&[Input]>) -> Outcome {
    let mut outcome = Outcome::default();
    if bundles.is_empty() {
        return outcome;
    }
    let Some(index) = index else {
        let missing = "no index to add bundles to; name it with `--target-index`";
        outcome.unchecked.push(Unchecked::new(rules::REGISTRY_ADD, missing));
        return outcome;
    };
    let read: Vec<Documents<'_>> = index.iter().map(Documents::read).collect();
    for bundle in bundles {
        let own = || read.iter().flat_map(Documents::bundles).map(|it| it.1).filter(|it| it.package == bundle.package);
        if own().any(|it| it.name == bundle.name) {
            let message = format!("the index already has a bundle `{}`", bundle.name);
            let help = "give it a new version; the pipeline skips an image with the same digest";
            outcome.findings.push(bundle.finding(rules::BUNDLE_IN_INDEX, message, help));
        }
        let Some(replaces) = bundle.replaces.as_deref().filter(|it| !it.is_empty()) else { continue };
        let is_known = own().any(|it| it.name == replaces)
            || bundles.iter().any(|it| it.package == bundle.package && it.name == replaces);
        if !is_known {
            let entries = read.iter().flat_map(Documents::each).filter(|(_, it)| match it {
                DocumentOutline::Channel { package, entries, .. } => {
                    *package == bundle.package && entries.iter().any(|it| it == replaces)
                }
                _ => false,
            });
            let also = if entries.count() > 0 { ": there it is an entry without a bundle" } else { "" };
            let message = format!("`{}` replaces `{replaces}`, which is not a bundle of the index{also}", bundle.name);
            outcome.findings.push(bundle.finding(
                rules::REPLACED_NOT_IN_INDEX,
                message,
                "publish that bundle first, or correct `replaces`",
            ));
        }
    }
    outcome
}
