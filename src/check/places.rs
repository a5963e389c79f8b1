//! From spots in documents to lines in files.

use super::catalog::package_of;
use super::facts::{Draft, Facts};
use crate::diag::{Finding, Place};
use crate::fbc::{Input, Origin, locate};

/// Turns drafts, which are sorted by document, into findings. Each document is read once more, however many findings
/// it has.
pub(super) fn resolve(drafts: Vec<(usize, Draft)>, facts: &[Facts], origins: &[Origin], input: &Input) -> Vec<Finding> {
    let mut findings: Vec<(usize, Finding)> = Vec::with_capacity(drafts.len());
    let mut current: Option<(usize, Vec<u8>)> = None;
    for (number, draft) in drafts {
        let origin = origins[number];
        if current.as_ref().is_none_or(|(it, _)| *it != number) {
            let raw = match input.files.get(origin.file as usize) {
                Some(file) => file.read_again(origin.offset, origin.len),
                None => Vec::new(),
            };
            current = Some((number, raw));
        }
        let raw = current.as_ref().map(|(_, raw)| raw.as_slice()).unwrap_or_default();
        let located = locate(raw, origin, &draft.spot);
        let file = input.files.get(origin.file as usize).map(|it| it.shown.clone()).unwrap_or_default();
        let place = Place { file, line: located.line, column: located.column, source: Some(located.text) };
        let package = Some(package_of(&facts[number])).filter(|it| !it.is_empty()).map(str::to_owned);
        let finding =
            Finding { rule: draft.rule, message: draft.message, place: Some(place), help: draft.help, package };
        findings.push((number, finding));
    }
    // Within a document by place; documents are in order already.
    findings.sort_by(|(a_number, a), (b_number, b)| {
        let key = |it: &Finding| it.place.as_ref().map(|place| (place.line, place.column));
        a_number.cmp(b_number).then_with(|| key(a).cmp(&key(b)))
    });
    findings.into_iter().map(|(_, it)| it).collect()
}
