//! Tables of rules: each rule a constant, and a list of them all; and a rule with another severity.

use std::sync::{Mutex, PoisonError};

use super::{Rule, Severity};

/// Declares the rules of a module: identifier, name, severity, a sentence that holds if the rule is kept, the reason
/// for the rule, and an example that breaks it. `ALL` lists them in their order.
#[macro_export]
macro_rules! rules {
    ($($constant:ident: $id:literal, $name:literal, $severity:ident, $summary:literal, $explanation:literal, $example:literal;)*) => {
        $(
            #[doc = $summary]
            pub const $constant: &$crate::diag::Rule = &$crate::diag::Rule {
                id: $id,
                name: $name,
                severity: $crate::diag::Severity::$severity,
                summary: $summary,
                explanation: $explanation,
                example: $example,
            };
        )*

        /// All rules of this module, by identifier.
        pub const ALL: &[&$crate::diag::Rule] = &[$($constant),*];
    };
}
pub use rules;

/// A rule as it is, but for its severity. A finding points at its rule for good, so the other form of a rule is made
/// once and stays: there are never more of them than rules.
pub fn with_severity(rule: &'static Rule, severity: Severity) -> &'static Rule {
    static OTHERS: Mutex<Vec<&'static Rule>> = Mutex::new(Vec::new());
    if rule.severity == severity {
        return rule;
    }
    let wanted = Rule { severity, ..*rule };
    let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    match others.iter().find(|it| ***it == wanted) {
        Some(made) => made,
        None => {
            let made: &'static Rule = Box::leak(Box::new(wanted));
            others.push(made);
            made
        }
    }
}
