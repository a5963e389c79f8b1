//! A catalog is read once for all checks.

use super::Report;
use super::catalog::Checker;
use super::facts::{CutAdvice, Inspected};
use olmdex_base::diag::Rule;
use olmdex_fbc::{Document, Input, load_each};
use olmdex_text::calendar::Day;

/// The message with which opm refuses a catalog; `None` if it does not.
pub fn refusal_of_opm(input: &Input) -> Option<String> {
    judge(input, None, None, &[], &mut |_| {}).opm
}

/// Reads a catalog and judges it: all findings in one run. Advice about a channel that is cut comes from a higher
/// crate, so callers use `olmdex::ask::check_catalog`. `note` takes note of each document, in their order; with a
/// day, the heads of channels must be supported on it. Rules of good practice are judged if they are wanted.
pub fn judge(
    input: &Input,
    day: Option<Day>,
    advice: Option<CutAdvice>,
    practices: &[&'static Rule],
    note: &mut dyn FnMut(&Inspected),
) -> Report {
    let mut checker = Checker::new().on(day).advised_by(advice).with_practices(practices);
    load_each(input, &|document: Document<'_>| Checker::inspect(practices, &document), |inspected| {
        note(&inspected);
        checker.add(inspected);
    });
    checker.finish(input)
}
