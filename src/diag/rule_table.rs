//! Tables of rules: each rule a constant, and a list of them all.

/// Declares the rules of a module: identifier, name, severity, what holds if the rule is kept, why it matters, and an
/// example of what breaks it. `ALL` lists them in their order.
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
pub(crate) use rules;
