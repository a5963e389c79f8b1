//! The checks of pipelines before they accept a catalog: Konflux's `validate-fbc`, `fbc-target-index-pruning-check` and
//! `fbc-inject-lifecycle`, and the service that builds index images (IIB).
//!
//! The checks of the pipelines of the community and of certified operators are in the crate `bundle`, since those
//! pipelines look at repositories.

mod build;
mod build_context;
mod build_ignore;
mod bundles;
mod dockerfile;
mod dockerfile_reader;
mod dockerfile_stage;
mod documents;
mod image;
mod konflux;
mod layout;
mod outcome;
mod pruning;
pub mod rules;
mod tasks;

pub use build::{Build, BuiltFile};
pub use build_context::{BuildOptions, dockerfiles_near, is_dockerfile, is_hidden_source};
pub use bundles::{Added, added, not_added};
pub use dockerfile::Dockerfile;
pub use image::openshift_of;
pub use outcome::{Outcome, Target, Unchecked};
pub use tasks::{Checked, DETECT_CHANGES, STATIC_TESTS, VALIDATE_CATALOG, verdict};

use super::practice::rules as practice;
use documents::Documents;
use layout::Layout;
use olmdex_base::diag::{Finding, Place, Rule};
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::{Input, InputFile};

/// Leaves out findings for which a pipeline has a better rule of its own: tags and missing metadata if it refuses them,
/// and objects if the OpenShift version decides about them.
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

/// The outcome of Konflux for a fragment. `shown` is its name in messages.
pub fn konflux(input: &Input, target: &Target<'_>, shown: &str) -> Outcome {
    let documents = Documents::read(input);
    let openshift = target.openshift.or_else(|| openshift_of(target.dockerfile?));
    let mut outcome = konflux::check(&documents, openshift, shown);
    if is_tree(input, target) {
        let layout = Layout::of(input, target, shown);
        outcome.findings.extend(layout.konflux());
    } else {
        outcome.unchecked.push(no_tree(rules::VALIDATE_FBC, target, shown));
    }
    outcome.add(pruning::check(&documents, target.index));
    outcome.add(image::check(target.dockerfile));
    outcome
}

/// The outcome of IIB for a fragment that is added to an index. `shown` is its name in messages.
pub fn iib(input: &Input, target: &Target<'_>, shown: &str) -> Outcome {
    let documents = Documents::read(input);
    let mut outcome = Outcome::default();
    if is_tree(input, target) {
        let layout = Layout::of(input, target, shown);
        outcome.findings = layout.iib(input);
        outcome.add(layout::directories(&documents, target));
    } else {
        outcome.unchecked.push(no_tree(rules::FBC_OPERATIONS, target, shown));
    }
    outcome
}

/// Whether the files of a catalog are in directories. A catalog made of a database, or of one file, has none.
fn is_tree(input: &Input, target: &Target<'_>) -> bool {
    let is_placed = |it: &InputFile| it.made_of().is_none() && it.shown != it.relative();
    target.build.is_some() || !target.is_unplaced && (target.directory.is_some() || input.files.iter().all(is_placed))
}

fn no_tree(check: &'static str, target: &Target<'_>, shown: &str) -> Unchecked {
    let why = match target.is_unplaced {
        true => format!("no Dockerfile of the repository is known to copy `{shown}`"),
        false => format!("`{shown}` is not a directory"),
    };
    Unchecked::new(check, format!("the directories of the packages: {why}"))
}
