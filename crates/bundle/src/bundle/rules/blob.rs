//! The refusals of opm when it makes the blob of a bundle (`docs/behaviour/fbc.md` 4.5): no validator of opm decodes as
//! much as this step does.

use super::contents::{Contents, Entry, File};
use super::problem::{At, Problem};
use super::table as rules;
use crate::bundle::blob::refuse;
use crate::bundle::error::BundleError;
use crate::bundle::manifest::Manifest;
use crate::bundle::typed::{self, Wrong};
use olmdex_base::diag::Severity;
use olmdex_fbc::Spot;

/// The errors that prevent a blob. `known` are the findings of other checks.
pub(super) fn check(contents: &Contents, known: &[Problem]) -> Vec<Problem> {
    let manifests = manifests(contents);
    let mut found: Vec<Problem> = misfits(&manifests).iter().map(misfit).collect();
    found.retain(|it| !known.iter().any(|other| is_at(other, it)));
    if found.is_empty() {
        found.extend(refusal(contents, manifests, known));
    }
    found
}

/// The objects, as they have been decoded.
fn manifests(contents: &Contents) -> Vec<Manifest> {
    let files = contents.manifests().filter(|(_, it)| it.entry == Entry::File && !it.name.starts_with('.'));
    let object = |(number, file): (usize, &File)| {
        let document = file.document.as_ref().ok()?;
        Manifest::of_document(document.value(), document.json(), number)
    };
    files.filter_map(object).collect()
}

/// The manifests that do not fit their types: all messages that opm could give, step after step.
fn misfits(manifests: &[Manifest]) -> Vec<Wrong> {
    let Some(csv) = manifests.iter().find(|it| it.is_csv()) else { return typed::objects(manifests) };
    let (apis, version, images) = (typed::apis(csv), typed::version(csv), typed::images(csv));
    typed::objects(manifests).into_iter().chain(apis).chain(version).chain(images).collect()
}

fn misfit(wrong: &Wrong) -> Problem {
    let (file, path, message) = wrong.parts();
    let at = At::File(file, Spot::Path(path.to_vec()));
    Problem::new(rules::MISFIT, at, message, "give the field a value of its type")
}

fn is_at(other: &Problem, it: &Problem) -> bool {
    match (&other.at, &it.at) {
        (At::File(a, Spot::Path(one)), At::File(b, Spot::Path(two))) => {
            other.rule.id == rules::MISFIT.id && a == b && one == two
        }
        _ => false,
    }
}

/// The error that ends the making of the blob, if no rule has found it.
fn refusal(contents: &Contents, manifests: Vec<Manifest>, known: &[Problem]) -> Option<Problem> {
    // Manifests come first, so that the numbers of their files are those here.
    let of = |is_manifest: bool| -> Vec<(String, Vec<u8>)> {
        let files = contents.files.iter().filter(|it| it.is_manifest == is_manifest);
        files.filter(|it| is_manifest || it.entry == Entry::File).map(|it| (it.name.clone(), it.text.clone())).collect()
    };
    let error = refuse(manifests, &of(true), &of(false)).err()?;
    let message = format!("opm cannot make a blob of the bundle: {}", error.reason());
    let at = match &error {
        BundleError::Misfit { place, .. } | BundleError::Property { place: Some(place), .. } => {
            let at = contents.files.iter().enumerate().find(|(_, it)| it.path == place.file);
            let first = at.and_then(|(_, it)| it.origin).map_or(1, |it| it.line);
            let spot = Spot::Line(place.line.saturating_sub(first) + 1, place.column);
            at.map(|(number, _)| At::File(number, spot))
        }
        _ => None,
    };
    let at = at.unwrap_or_else(|| At::Path("manifests".to_owned()));
    let errors = || known.iter().filter(|it| it.rule.severity == Severity::Error);
    let is_known = match (&error, &at) {
        (BundleError::Required { .. }, _) => false,
        (BundleError::Property { .. }, At::File(file, _)) => {
            errors().any(|it| matches!(it.at, At::File(other, _) if other == *file))
        }
        (BundleError::Property { .. }, _) => false,
        // The others have rules of their own.
        _ => errors().next().is_some(),
    };
    (!is_known).then(|| Problem::new(rules::NOT_RENDERED, at, message, error.help()))
}
