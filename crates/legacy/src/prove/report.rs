//! The findings of a proof so far.

use crate::rules;
use olmdex_base::diag::{Finding, Rule};

/// The findings.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) findings: Vec<Finding>,
}

impl Report {
    pub(super) fn say(&mut self, rule: &'static Rule, message: String, package: Option<&str>) {
        self.findings.push(rule.finding(message).of_package(package.map(str::to_owned)));
    }

    pub(super) fn differs(&mut self, message: String, package: &str) {
        self.say(rules::NOT_PROVED, message, Some(package));
    }
}
