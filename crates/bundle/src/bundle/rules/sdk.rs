//! The answers of `operator-sdk bundle validate`.

use super::content::is_supported;
use super::options::Options;
use super::problem::Observed;
use super::validator::{Validation, Validator};
use olmdex_base::diag::Severity;

/// A message with its level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Error or warning.
    pub level: Severity,
    /// The text.
    pub message: String,
}

/// All of its messages about a bundle.
///
/// # Errors
/// The loader's error, which ends its run before any message.
pub fn outputs(validation: &Validation<'_>, optional: &[Validator], options: &Options) -> Result<Vec<Output>, String> {
    if let Some(error) = validation.load_error() {
        return Err(error.to_owned());
    }
    let mut outputs = Vec::new();
    let mut add = |observed: Vec<Observed>| {
        // Warnings of a validator come before its errors.
        let (warnings, errors): (Vec<_>, Vec<_>) = observed.into_iter().partition(|it| it.level == Severity::Warning);
        let output = |it: Observed| Output { level: it.level, message: it.to_string() };
        outputs.extend(warnings.into_iter().chain(errors).map(output));
    };
    let ask = |validator: Validator| -> Vec<Observed> {
        validation.ask(validator, options).into_iter().filter_map(|it| it.observed).collect()
    };
    add(ask(Validator::Format));
    let mut found = ask(Validator::Default);
    for gvk in validation.kinds().filter(|it| !is_supported(&it.kind)) {
        let detail = "unsupported media type registry+v1 for bundle object";
        found.push(Observed::new(Severity::Error, "BundleNotValid", gvk.to_string(), detail));
    }
    add(found);
    for validator in optional {
        let found = ask(*validator);
        // Objects are handed to optional validators twice.
        if *validator == Validator::Objects {
            add(found.clone());
        }
        add(found);
    }
    Ok(outputs)
}
