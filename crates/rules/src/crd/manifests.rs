//! The definitions among the manifests of a bundle, by themselves and against the ClusterServiceVersion beside them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::outline::{self, Manifest, Outline, Owned};
use super::ownership::{Complaint, Subject, check_definitions, check_owned};
use crate::cluster::AnyObject;
use olmdex_base::diag::Finding;
use olmdex_text::json::Step;

/// The objects of one directory, or of one bundle of a catalog.
#[derive(Default)]
struct Manifests<'o> {
    definitions: Vec<Outline>,
    objects: Vec<&'o AnyObject>,
    /// The ClusterServiceVersions, each with the definitions that it owns.
    csvs: Vec<(Vec<Owned>, &'o AnyObject)>,
}

/// The faults of the new definitions, and the contradictions between them and the ClusterServiceVersion beside them.
pub fn check_manifests(objects: &[AnyObject]) -> Vec<Finding> {
    let mut directories: BTreeMap<PathBuf, Manifests<'_>> = BTreeMap::new();
    for object in objects {
        let directory = Path::new(&object.place.file).parent().unwrap_or_else(|| Path::new("")).to_owned();
        let manifests = directories.entry(directory).or_default();
        match outline::read(object.json.as_bytes()) {
            Manifest::Definition(it) => {
                manifests.definitions.push(it);
                manifests.objects.push(object);
            }
            Manifest::Csv(owned) => manifests.csvs.push((owned, object)),
            Manifest::Other => {}
        }
    }
    let mut findings = Vec::new();
    for Manifests { definitions, objects, csvs } in directories.into_values().filter(|it| !it.definitions.is_empty()) {
        let mut complaints = check_definitions(&definitions);
        // With several ClusterServiceVersions, it is unknown which of them the definitions belong to.
        let csv = csvs.first().filter(|_| csvs.len() == 1);
        if let Some((owned, ..)) = csv {
            complaints.extend(check_owned(owned, &definitions));
        }
        for Complaint { finding, subject, field } in complaints {
            let field = field.iter().map(|it| Step::from(*it));
            let place = match subject {
                Subject::Owned(idx) => csv.map(|(_, object)| {
                    let entry = ["spec".into(), "customresourcedefinitions".into(), "owned".into(), idx.into()];
                    object.place_of(&entry.into_iter().chain(field).collect::<Vec<Step>>())
                }),
                Subject::Definition(idx) => Some(objects[idx].place_of(&field.collect::<Vec<Step>>())),
            };
            findings.push(finding.at(place));
        }
    }
    findings
}
