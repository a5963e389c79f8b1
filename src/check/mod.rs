//! The rules of a valid catalog, over blobs, as findings.
//!
//! The work has two halves. [`inspect`] looks at one document and can run in parallel; it yields [`Facts`] and drafts of
//! findings. A [`Checker`] takes the facts of all documents in order and judges the catalog as a whole.
//!
//! What it deliberately does not do: it reads no files except to find the line of a finding, it prints nothing, and it
//! keeps no blob.

mod facts;
mod image;
pub mod rules;

pub use facts::{
    BundleFacts, ChannelFacts, DeprecationFacts, DeprecationsFacts, Draft, EntryFacts, Facts, Inspected, OpmLine,
    PackageFacts, Phase,
};
pub use image::{ImageError, check_image};

use crate::diag::Finding;
use crate::fbc::{Document, Input};

/// Looks at one document by itself.
#[must_use]
pub fn inspect(document: &Document<'_>) -> Inspected {
    let facts = Facts::Other { package: document.blob.as_ref().map(|it| it.package.to_string()).unwrap_or_default() };
    Inspected { origin: document.origin, facts, drafts: Vec::new() }
}

/// Judges a catalog as a whole.
#[derive(Debug, Default)]
pub struct Checker {
    inspected: Vec<Inspected>,
}

/// What a [`Checker`] found.
#[derive(Debug, Clone)]
pub struct Report {
    /// The findings, in the order of their places.
    pub findings: Vec<Finding>,
    /// What the real tool's validation says; `None` if it accepts the catalog.
    pub opm: Option<String>,
    /// Names of packages with errors (of their own documents or of the package as a whole).
    pub broken_packages: std::collections::BTreeSet<String>,
    /// Whether there are errors that belong to no package, for example a file that cannot be parsed.
    pub has_other_errors: bool,
}

impl Checker {
    /// A checker that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next document. The order is that of the catalog.
    pub fn add(&mut self, inspected: Inspected) {
        self.inspected.push(inspected);
    }

    /// Judges what it has seen. `input` is read once more for the places of findings.
    #[must_use]
    pub fn finish(self, _input: &Input) -> Report {
        Report { findings: Vec::new(), opm: None, broken_packages: Default::default(), has_other_errors: false }
    }
}
