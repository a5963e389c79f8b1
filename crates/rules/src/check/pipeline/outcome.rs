//! What a pipeline is asked with, and what it would say.
//!
//! What it deliberately does not do: it checks nothing.

use std::path::Path;

use super::dockerfile::Dockerfile;
use olmdex_base::diag::{Finding, Place, Rule};
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::Input;

/// What a check may need beside the catalog. What is absent is not checked, and said.
#[derive(Debug, Clone, Copy, Default)]
pub struct Target<'t> {
    /// The OpenShift that the catalog is for.
    pub openshift: Option<Minor>,
    /// The index that the catalog goes into.
    pub index: Option<&'t [Input]>,
    /// What the image of the catalog is built from.
    pub dockerfile: Option<&'t Dockerfile>,
    /// The directory of the catalog, if it is one of the system's.
    pub directory: Option<&'t Path>,
}

/// What a pipeline would say.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// What could not be checked, with what is missing: one sentence each.
    pub unchecked: Vec<String>,
}

impl Outcome {
    /// Adds what another part says.
    pub(super) fn add(&mut self, mut other: Self) {
        self.findings.append(&mut other.findings);
        self.unchecked.append(&mut other.unchecked);
    }
}

/// A finding at a line of a file, or at a file as a whole.
pub(super) fn finding(rule: &'static Rule, file: &str, line: u32, message: String, help: &str) -> Finding {
    let help = Some(help.to_owned()).filter(|it| !it.is_empty());
    let check = super::rules::check_of(rule);
    Finding { rule, message, place: Some(Place::at_line(file, line.max(1))), help, package: None, check }
}
