//! What the pipelines say of a catalog before they take it: Konflux's `validate-fbc`, `fbc-target-index-pruning-check` and
//! `fbc-inject-lifecycle`, and the service that builds index images (IIB).
//!
//! What the pipelines of the community and of certified operators say is in the crate `bundle`, since they look at repositories.
//!
//! What it deliberately does not do: it opens no images and asks no service. What cannot be checked is said, never passed over.

mod bundles;
mod dockerfile;
mod documents;
mod image;
mod konflux;
mod layout;
mod outcome;
mod pruning;
pub mod rules;

pub use bundles::{Added, added, not_added};
pub use dockerfile::Dockerfile;
pub use image::openshift_of;
pub use outcome::{Outcome, Target};

use super::practice::rules as practice;
use documents::Documents;
use layout::Layout;
use olmdex_base::diag::{Finding, Place, Rule};
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::{Input, InputFile};

/// Leaves out what a pipeline's own rule says better: tags and missing metadata where it refuses them, and objects where the OpenShift
/// decides about them.
pub fn leave_out_said_twice(findings: &mut Vec<Finding>, openshift: Option<Minor>) {
    let at = |findings: &[Finding], rule: &Rule| -> Vec<Option<Place>> {
        findings.iter().filter(|it| it.rule.id == rule.id).map(|it| it.place.clone()).collect()
    };
    let (tags, missing) = (at(findings, rules::BUNDLE_NOT_PINNED), at(findings, rules::METADATA_MISSING));
    findings.retain(|it| {
        let said = match it.rule.id {
            id if id == practice::BUNDLE_IMAGE_BY_TAG.id => tags.contains(&it.place),
            id if id == practice::BUNDLE_WITHOUT_CSV_METADATA.id => missing.contains(&it.place),
            id if id == practice::BUNDLE_OBJECT_PROPERTIES.id => openshift.is_some(),
            _ => false,
        };
        !said
    });
}

/// What Konflux says of a fragment. `shown` is how it is called in messages.
#[must_use]
pub fn konflux(input: &Input, target: &Target<'_>, shown: &str) -> Outcome {
    let documents = Documents::read(input);
    let openshift = target.openshift.or_else(|| openshift_of(target.dockerfile?));
    let package = target.dockerfile.zip(target.directory).and_then(|(file, it)| file.package_of(it));
    let mut outcome = konflux::check(&documents, openshift, shown);
    if is_tree(input, target) {
        let layout = Layout::of(input, target.directory, package.as_deref(), shown);
        outcome.findings.extend(layout.konflux());
    } else {
        outcome.unchecked.push(no_tree(rules::VALIDATE_FBC, shown));
    }
    outcome.add(pruning::check(&documents, target.index));
    outcome.add(image::check(target.dockerfile));
    outcome
}

/// What IIB says of a fragment that is added to an index. `shown` is how it is called in messages.
#[must_use]
pub fn iib(input: &Input, target: &Target<'_>, shown: &str) -> Outcome {
    let documents = Documents::read(input);
    let package = target.dockerfile.zip(target.directory).and_then(|(file, it)| file.package_of(it));
    let mut outcome = Outcome::default();
    if is_tree(input, target) {
        let layout = Layout::of(input, target.directory, package.as_deref(), shown);
        outcome.findings = layout.iib(input);
        outcome.add(layout::directories(&documents, target, package.as_deref()));
    } else {
        outcome.unchecked.push(no_tree("fbc-operations", shown));
    }
    outcome
}

/// Whether the files of a catalog are in directories: what was made of a database, or is one file, is in none.
fn is_tree(input: &Input, target: &Target<'_>) -> bool {
    let is_placed = |it: &InputFile| it.made_of().is_none() && it.shown != it.relative();
    target.directory.is_some() || input.files.iter().all(is_placed)
}

fn no_tree(check: &str, shown: &str) -> String {
    format!("{check}: the directories of the packages: `{shown}` is not a directory")
}
