//! The form of the property values that OLM knows (`docs/behaviour/fbc.md` 2.1).

use super::facts::Draft;
use olmdex_fbc::BUNDLE_OBJECT;
use olmdex_text::gotype::GoType;
use olmdex_text::json::{Step, Value};

/// The reason why a property's value does not have its form.
pub(super) struct Misfit {
    /// The finding, in our words.
    pub(super) message: String,
    /// The path below the value.
    pub(super) path: Vec<Step>,
    /// The words of Go's decoder.
    pub(super) opm: String,
    /// Whether it is a string that YAML reads as another type.
    pub(super) wants_quotes: bool,
}

/// Checks a property's value against the form of its type. Types that OLM does not know only need a value. Bundle
/// objects are read elsewhere.
pub(super) fn check(property_type: &str, value: Option<Value<'_>>) -> Option<Misfit> {
    let Some(value) = value else {
        return Some(Misfit {
            message: "the property has no value".to_owned(),
            path: Vec::new(),
            opm: "unexpected end of JSON input".to_owned(),
            wants_quotes: false,
        });
    };
    if property_type == BUNDLE_OBJECT {
        return None;
    }
    let misfit = GoType::of_property(property_type)?.misfit_of_sorted(value)?;
    Some(Misfit {
        wants_quotes: misfit.wants_quotes(),
        message: misfit.expectation(),
        path: misfit.path,
        opm: misfit.go,
    })
}

/// A draft about the property at `idx`, at `path` below its value.
pub(super) fn draft_at(mut draft: Draft, idx: usize, below_value: Vec<Step>) -> Draft {
    let mut path: Vec<Step> = vec!["properties".into(), idx.into(), "value".into()];
    path.extend(below_value);
    draft.spot = olmdex_fbc::Spot::Path(path);
    draft
}
