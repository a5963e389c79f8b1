//! A catalog is read once for all checks.

use std::convert::Infallible;

use super::Report;
use super::catalog::Checker;
use super::facts::{CutAdvice, Inspected};
use olmdex_base::diag::Rule;
use olmdex_fbc::{Consumer, Document, Input, load};
use olmdex_text::calendar::Day;

/// Reads documents for all checks.
struct Inspection<'p> {
    practices: &'p [&'static Rule],
}

impl Consumer for Inspection<'_> {
    type Output = Inspected;

    fn document(&self, document: Document<'_>) -> Inspected {
        Checker::inspect(self.practices, &document)
    }
}

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
    let done: Result<(), Infallible> = load(input, &Inspection { practices }, |inspected| {
        note(&inspected);
        checker.add(inspected);
        Ok(())
    });
    match done {
        Ok(()) => checker.finish(input),
    }
}
