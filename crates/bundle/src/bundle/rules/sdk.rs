//! The verdict of `operator-sdk bundle validate`, in our words.

use super::content::{is_supported, unsupported};
use super::options::Options;
use super::problem::Problem;
use super::validator::{Validation, Validator};
use olmdex_base::diag::Severity;

/// A finding that operator-sdk has, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Error or warning.
    pub level: Severity,
    /// operator-sdk's name for findings of this type, for example `CSVFileNotValid`; empty if it has none.
    pub kind: &'static str,
    /// Our words.
    pub message: String,
}

impl Output {
    fn of(problem: Problem) -> Option<Self> {
        Some(Self { level: problem.rule.severity, kind: problem.kind?, message: problem.message })
    }
}

/// The type, if there is one, and the words.
impl std::fmt::Display for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.kind.is_empty() {
            write!(f, "{}: ", self.kind)?;
        }
        f.write_str(&self.message)
    }
}

/// The findings of one of its validators, in the order of the problems.
pub fn answer(validation: &Validation<'_>, validator: Validator, options: &Options) -> Vec<Output> {
    let mut found: Vec<Output> = validation.ask(validator, options).into_iter().filter_map(Output::of).collect();
    if validator == Validator::OperatorHub {
        let message = "the validator `operatorhub` is deprecated: name `operatorhub/v2`, `standardcapabilities` and \
            `standardcategories` instead";
        found.push(Output { level: Severity::Warning, kind: "DeprecatedValidator", message: message.to_owned() });
    }
    found
}

/// All of its findings about a bundle.
///
/// # Errors
/// Why its loader has no bundle, which ends its run before any finding.
pub fn outputs(validation: &Validation<'_>, optional: &[Validator], options: &Options) -> Result<Vec<Output>, String> {
    let refusals = answer(validation, Validator::Loader, options);
    if !refusals.is_empty() {
        let messages: Vec<String> = refusals.into_iter().map(|refusal| refusal.message).collect();
        return Err(messages.join("; "));
    }
    // Objects are handed to optional validators twice.
    let n_times = |validator: Validator| if validator == Validator::Objects { 2 } else { 1 };
    let optional = optional.iter().flat_map(|validator| std::iter::repeat_n(*validator, n_times(*validator)));
    let mut outputs = Vec::new();
    for validator in [Validator::Format, Validator::Default].into_iter().chain(optional) {
        let mut found = answer(validation, validator, options);
        if validator == Validator::Default {
            let others = validation.objects().iter().filter(|object| !is_supported(&object.kind()));
            found.extend(others.map(|object| unsupported(object).reported_as("BundleNotValid")).filter_map(Output::of));
        }
        // Warnings of a validator come before its errors.
        let (warnings, errors): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|output| output.level == Severity::Warning);
        outputs.extend(warnings.into_iter().chain(errors));
    }
    Ok(outputs)
}
