//! Findings that are known.

use std::borrow::Borrow;
use std::collections::HashSet;

use super::Finding;

/// The findings of an older state, with which those of a newer one are compared, whatever their places. It keeps less
/// than the findings: there may be hundreds of thousands.
#[derive(Debug)]
pub struct FindingSet(HashSet<String>);

impl<F: Borrow<Finding>> FromIterator<F> for FindingSet {
    fn from_iter<I: IntoIterator<Item = F>>(findings: I) -> Self {
        Self(findings.into_iter().map(|finding| key(finding.borrow())).collect())
    }
}

impl FindingSet {
    /// Whether it has one with the same rule, package and message.
    pub fn has(&self, finding: &Finding) -> bool {
        self.0.contains(&key(finding))
    }
}

fn key(finding: &Finding) -> String {
    format!("{}\0{}\0{}", finding.rule.id, finding.package.as_deref().unwrap_or_default(), finding.message)
}
