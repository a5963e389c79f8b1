//! The input of a pipeline, and its outcome.

use std::fmt;
use std::path::Path;

use super::build::Build;
use super::dockerfile::Dockerfile;
use olmdex_base::diag::{Finding, Place, Rule};
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::Input;

/// The input of a check beside the catalog. A check whose input is absent is skipped, and the outcome says so.
#[derive(Debug, Clone, Copy, Default)]
pub struct Target<'t> {
    /// The OpenShift that the catalog is for.
    pub openshift: Option<Minor>,
    /// The index that the catalog goes into.
    pub index: Option<&'t [Input]>,
    /// The Dockerfile that the image of the catalog is built from.
    pub dockerfile: Option<&'t Dockerfile>,
    /// The catalog in that image, if the Dockerfile copies it; otherwise the directory counts.
    pub build: Option<&'t Build>,
    /// Whether the repository has Dockerfiles, and none is known to copy the catalog: its place in an image is unknown.
    pub is_unplaced: bool,
    /// The directory of the catalog, if it is one of the system's.
    pub directory: Option<&'t Path>,
}

/// The outcome of a pipeline.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The findings.
    pub findings: Vec<Finding>,
    /// The checks that were skipped.
    pub unchecked: Vec<Unchecked>,
}

/// A check that was not made, or only in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unchecked {
    /// The pipeline's name for the check, if it is one of a pipeline.
    pub check: Option<&'static str>,
    /// The missing input.
    pub why: String,
}

impl Unchecked {
    /// A check of a pipeline.
    pub fn new(check: &'static str, why: impl Into<String>) -> Self {
        Self { check: Some(check), why: why.into() }
    }

    /// Something that no pipeline has a name for.
    pub fn unnamed(what: impl Into<String>) -> Self {
        Self { check: None, why: what.into() }
    }
}

impl fmt::Display for Unchecked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.check {
            Some(check) => write!(out, "{check}: {}", self.why),
            None => out.write_str(&self.why),
        }
    }
}

impl Outcome {
    /// Adds the outcome of another part.
    pub(super) fn add(&mut self, mut other: Self) {
        self.findings.append(&mut other.findings);
        self.unchecked.append(&mut other.unchecked);
    }
}

/// A finding at a line of a file, or at a file as a whole.
pub(super) fn finding(rule: &'static Rule, file: &str, line: u32, message: String, help: &str) -> Finding {
    rule.finding(message).at(Place::at_line(file, line.max(1))).help(help).check(super::rules::check_of(rule))
}
