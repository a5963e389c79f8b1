//! The rules of a valid catalog, over blobs, as findings.
//!
//! The work has two halves. [`inspect`] looks at one document and can run in parallel; it yields [`Facts`] and drafts
//! of findings. A [`Checker`] takes the facts of all documents in order and judges the catalog as a whole. Both note
//! the message of the real tool, so that its verdict comes out of the same pass.

mod bundle;
mod catalog;
mod catalog_overlaps;
mod definitions;
mod deprecations;
mod facts;
pub mod graph;
mod inspect;
mod judge;
mod lifecycles;
mod model;
mod package_rules;
pub mod pipeline;
mod places;
pub mod practice;
mod property;
pub mod rules;
mod tree;
mod unknown_names;

use std::collections::BTreeSet;

pub use catalog::Checker;
pub use catalog_overlaps::{SeveralCatalogs, Shared};
pub use facts::{
    BundleFacts, ChannelFacts, CutAdvice, CutChannel, DeprecationFacts, DeprecationsFacts, Draft, Facts, Inspected,
    LifecycleFacts, OpmLine, PROPERTIES_STEP, PackageFacts, Phase,
};
pub use inspect::inspect;
pub use judge::{judge, refusal_of_opm};
pub use olmdex_fbc::{ImageError, check_image};

use olmdex_base::diag::{Finding, Rule};
use olmdex_fbc::{Document, Failure, Input, Origin};

/// All rules that a catalog is judged by: [`rules`], those of the CustomResourceDefinitions in its bundles, and those
/// of its lifecycles.
pub fn all_rules() -> Vec<&'static Rule> {
    [rules::ALL, crate::crd::bundle_rules::ALL, crate::openshift::rules::ALL].concat()
}

/// Whether a rule is about something that could not be read: then no other rule has looked at it.
pub fn is_unread(rule: &Rule) -> bool {
    // `E00` is the group of the rules of reading.
    rule.id.starts_with("E00")
}

/// The findings of a [`Checker`].
#[derive(Debug, Clone)]
pub struct Report {
    /// The findings, in the order of their places.
    pub findings: Vec<Finding>,
    /// The message of the real tool's validation; `None` if it accepts the catalog.
    pub opm: Option<String>,
    /// Names of packages with errors.
    pub broken_packages: BTreeSet<String>,
    /// Whether there are errors that belong to no package, for example a file that cannot be parsed.
    pub has_other_errors: bool,
    /// The extent of the checked content.
    pub extent: Extent,
    /// The breaches of good practice, as far as they were asked for, in the order of the documents.
    pub practices: Vec<Finding>,
}

/// The numbers of items in a catalog.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// Documents of packages.
    pub packages: u64,
    /// Documents of channels.
    pub channels: u64,
    /// Documents of bundles.
    pub bundles: u64,
}

impl std::ops::AddAssign for Extent {
    fn add_assign(&mut self, other: Self) {
        self.packages += other.packages;
        self.channels += other.channels;
        self.bundles += other.bundles;
    }
}

impl Report {
    /// Whether there are errors.
    pub fn has_errors(&self) -> bool {
        self.has_other_errors || !self.broken_packages.is_empty()
    }
}

/// The findings about a document that could not be decoded.
pub fn failure_findings(input: &Input, origin: Origin, failure: &Failure) -> Vec<Finding> {
    let document = Document::broken(origin, &[], failure.clone());
    let Inspected { facts, drafts, .. } = inspect(&document);
    places::resolve(drafts.into_iter().map(|it| (0, it)).collect(), &[facts], &[origin], input)
}

/// The words of the real tool for a value that does not have the form of its property's type.
pub fn property_misfit(property_type: &str, value: olmdex_text::json::Value<'_>) -> Option<String> {
    property::check(property_type, Some(value)).map(|it| it.opm)
}
