//! Verdicts about definitions as findings: the refusals and warnings of OLM, in words.

use super::classic::{self, Overwork, Verdict};
use super::field::steps;
use super::{Crd, CrdVersion, Resource, preflight, rules};
use olmdex_base::diag::{Finding, Place};
use olmdex_base::olm::OlmSet;
use olmdex_text::json::Step;

/// A definition, and where it is written.
#[derive(Debug, Clone)]
pub struct LocatedCrd {
    /// The definition.
    pub crd: Crd,
    /// The place where it is written.
    pub place: Place,
    /// The versions that the ClusterServiceVersion beside it owns; `None` if there is none.
    pub owned: Option<Vec<String>>,
}

impl LocatedCrd {
    /// The definition that an object is; `None` if it is none, or cannot be read.
    pub fn read(json: &str, place: &Place) -> Option<Self> {
        Some(Self { crd: Crd::from_json(json).ok()?, place: place.clone(), owned: None })
    }
}

/// A finding, and the steps to its subject in the manifest of the new definition. Its place is that of the definition.
pub type FieldFinding = (Finding, Vec<Step>);

/// The verdicts of generations of OLM about the upgrade of a definition.
#[derive(Debug, Default)]
pub struct Judgement {
    /// Their refusals and warnings.
    pub findings: Vec<FieldFinding>,
    /// The points that cannot be decided, in words.
    pub unknown: Vec<String>,
    /// The number of objects of the definition that were checked.
    pub n_objects: usize,
}

/// Judges the upgrade of a definition that has these objects. `owners` are the packages that own it, if a catalog
/// was asked for them.
///
/// # Errors
/// [`Overwork`]
pub fn judge(
    olm: OlmSet,
    before: &LocatedCrd,
    next: &LocatedCrd,
    objects: &[Resource],
    owners: Option<&[String]>,
) -> Result<Judgement, Overwork> {
    let mut judgement = Judgement::default();
    if olm.is_v1() && next.crd.api_version == "v1" {
        judgement.findings = of_preflight(before, next);
    }
    if olm.is_classic() {
        judgement.n_objects = classic::count(&next.crd, objects);
        let (findings, unknown) = of_classic(before, next, objects, owners)?;
        judgement.findings.extend(findings);
        judgement.unknown = unknown;
    }
    for (finding, _) in &mut judgement.findings {
        finding.place = Some(next.place.clone());
    }
    Ok(judgement)
}

/// Judges the upgrade of a definition whose objects are not known.
pub fn judge_schemas(olm: OlmSet, before: &LocatedCrd, next: &LocatedCrd) -> Vec<Finding> {
    // Only checks of objects cost work, and there are none, so this cannot run into the limit.
    let judgement = judge(olm, before, next, &[], None).unwrap_or_default();
    judgement.findings.into_iter().map(|it| it.0).collect()
}

/// The refusals of OLM v1.
fn of_preflight(before: &LocatedCrd, next: &LocatedCrd) -> Vec<FieldFinding> {
    let refusals = preflight::preflight(&before.crd, &next.crd).into_iter();
    refusals
        .map(|it| {
            let message = format!("OLM v1 refuses {}: {it}", next.crd.name);
            (rules::PREFLIGHT.finding(message), it.field(&next.crd))
        })
        .collect()
}

/// The findings of OLM Classic about a definition with these objects, and the points that cannot be decided.
fn of_classic(
    before: &LocatedCrd,
    next: &LocatedCrd,
    objects: &[Resource],
    owners: Option<&[String]>,
) -> Result<(Vec<FieldFinding>, Vec<String>), Overwork> {
    let name = &next.crd.name;
    let mut unknown = Vec::new();
    let versions = || steps(&["spec", "versions"]);
    let verdicts = classic::check(&before.crd, &next.crd, objects)?.into_iter();
    let findings = verdicts
        .filter_map(|verdict| {
            Some(match verdict {
                Verdict::StoredVersionRemoved { version } => {
                    let known = if before.crd.is_stored_known {
                        ""
                    } else {
                        " (taken from the old definition, which has no status)"
                    };
                    let message = format!(
                        "OLM Classic refuses {name}: version {version} was removed while objects are still stored in it{known}"
                    );
                    let help = format!(
                        "keep {version} with `served: false` until status.storedVersions no longer lists it{}",
                        stored_on(before)
                    );
                    (rules::STORED_VERSION.finding(message).help(help), versions())
                }
                Verdict::ServedVersionRemoved { version } => {
                    let message = format!("{name} no longer has version {version}, which is served");
                    let help = help_for_removed(&version, owners) + &stored_on(before);
                    (rules::SERVED_VERSION.finding(message).help(help), versions())
                }
                Verdict::ServiceEnded { version } => {
                    if before.owned.as_ref().is_some_and(|owned| !owned.contains(&version)) {
                        return None;
                    }
                    let message = format!("{name} no longer serves version {version}");
                    (rules::SERVICE.finding(message).help(format!(
                        "serve {version} until no installed ClusterServiceVersion owns it: one that does fails, and a \
                         newer one that follows it stays in Pending"
                    )), versions())
                }
                Verdict::ObjectInvalid { api, object, reason, is_exempt, field } => {
                    let (rule, who) = match is_exempt {
                        false => (rules::OBJECT, format!("OLM Classic refuses {name}")),
                        true => (
                            rules::OBJECT_CONVERTED,
                            format!("OLM Classic warns about {name}, which a webhook converts"),
                        ),
                    };
                    (rule.finding(format!("{who}: {object} ({api}) does not fit: {reason}")), field)
                }
                Verdict::SchemaUnusable { version, reason, field } => {
                    let message = format!("objects of {name} cannot be checked against version {version}: {reason}");
                    (rules::NO_VALIDATOR.finding(message), field)
                }
                Verdict::NotConverted { version, count } => {
                    unknown.push(format!(
                        "{name}: whether {} at version {version} is unknown without the webhook that converts",
                        if count == 1 { "1 object fits".to_owned() } else { format!("{count} objects fit") }
                    ));
                    return None;
                }
            })
        })
        .collect();
    unknown.extend(storage_unknown(before, next));
    Ok((findings, unknown))
}

/// The versions that the new definition lacks and in which objects may be stored, if the old one is not from a cluster.
fn storage_unknown(before: &LocatedCrd, next: &LocatedCrd) -> Vec<String> {
    let (name, stored) = (&next.crd.name, &before.crd.stored_versions);
    let is_lost = |version: &&CrdVersion| next.crd.version(&version.name).is_none() && !stored.contains(&version.name);
    let lost = before.crd.versions.iter().filter(|version| !before.crd.is_stored_known && is_lost(version));
    let words = lost.map(|CrdVersion { name: version, .. }| {
        format!(
            "{name}: whether objects are stored in version {version}, which the new definition does not have, is \
             unknown; if they are, OLM Classic refuses it{}",
            stored_on(before)
        )
    });
    words.collect()
}

/// Where the stored versions are, if the old definition is not from a cluster.
fn stored_on(before: &LocatedCrd) -> String {
    if before.crd.is_stored_known {
        return String::new();
    }
    let name = &before.crd.name;
    format!(
        "; the cluster knows its stored versions, which decide: `kubectl get crd {name} -o jsonpath={{.status.storedVersions}}`"
    )
}

/// The advice about a served version that is gone. The documentation asks for more than OLM checks, but only for
/// definitions with several owners; `owners` is `None` if no catalog was asked.
fn help_for_removed(version: &str, owners: Option<&[String]>) -> String {
    let keep = format!("keep {version} with `served: false` for a release");
    match owners {
        None => format!(
            "{keep}; the documentation asks for it if several operators own the definition: `-i CATALOG` shows whether \
            they do"
        ),
        Some([]) => {
            format!(
                "{keep}; the documentation asks for it if several operators own the definition, but no operator in the \
                catalog does"
            )
        }
        Some([only]) => format!(
            "the documentation does not ask to keep it, since only package `{only}` owns the definition; for the sake of \
             its clients, {keep}"
        ),
        Some(several) => {
            format!(
                "{keep}, as the documentation asks since several packages own the definition: {}",
                several.join(", ")
            )
        }
    }
}
