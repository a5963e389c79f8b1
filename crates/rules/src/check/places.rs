//! From spots in documents to lines in files.

use super::facts::{Draft, Facts};
use olmdex_base::diag::{Finding, Place};
use olmdex_fbc::{Input, Origin, Spot, locate_all};

/// Turns drafts, which are sorted by document, into findings. Each document is read once more, however many findings
/// it has.
pub(super) fn resolve(drafts: Vec<(usize, Draft)>, facts: &[Facts], origins: &[Origin], input: &Input) -> Vec<Finding> {
    let mut findings: Vec<(usize, Finding)> = Vec::with_capacity(drafts.len());
    for of_document in drafts.chunk_by(|(a, _), (b, _)| a == b) {
        let Some(&(number, _)) = of_document.first() else { continue };
        let origin = origins[number];
        let file = input.files.get(origin.file as usize);
        let raw = file.map(|it| it.read_again(origin.offset, origin.len)).unwrap_or_default();
        let shown = file.map(|it| it.shown.clone()).unwrap_or_default();
        let is_hidden = file.is_some_and(|file| file.hides(&raw));
        let made_of = file.and_then(|it| it.made_of());
        let spots: Vec<&Spot> = of_document.iter().map(|(_, it)| &it.spot).collect();
        for (located, (_, draft)) in locate_all(&raw, origin, &spots).into_iter().zip(of_document) {
            let place = match made_of {
                Some(it) => it.spot(&draft.spot).clone(),
                None if is_hidden => Place { source: None, ..located.in_file(&shown) },
                None => located.in_file(&shown),
            };
            findings.push((number, draft.finding(place, facts[number].package())));
        }
    }
    // Within a document by place; documents are in order already.
    findings.sort_by(|(a_number, a), (b_number, b)| {
        let key = |it: &Finding| it.place.as_ref().map(|place| (place.file.clone(), place.line, place.column));
        a_number.cmp(b_number).then_with(|| key(a).cmp(&key(b)))
    });
    findings.into_iter().map(|(_, it)| it).collect()
}
