//! The findings of `crd-check` about the new bundle by itself, and about the packages that own its definitions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::args::sources::AskOptions;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::cluster::AnyObject;
use crate::crd::Crd;
use crate::crd::outline::{self, Manifest, Outline, Owned};
use crate::crd::ownership::{Complaint, Subject, check_definitions, check_owned};
use crate::diag::Finding;
use crate::index::Index;
use crate::index::query::{ApiPattern, Filter};
use crate::json::Step;

/// The objects of one directory, or of one bundle of a catalog.
#[derive(Default)]
struct Manifests<'o> {
    definitions: Vec<Outline>,
    objects: Vec<&'o AnyObject>,
    /// The ClusterServiceVersions, each with the definitions that it owns.
    csvs: Vec<(Vec<Owned>, &'o AnyObject)>,
}

/// The faults of the new definitions, and the contradictions between them and the ClusterServiceVersion beside them.
pub(in crate::cli) fn check(objects: &[AnyObject]) -> Vec<Finding> {
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
        for Complaint { rule, subject, field, message, help } in complaints {
            let field = field.iter().map(|it| Step::from(*it));
            let place = match subject {
                Subject::Owned(idx) => csv.map(|(_, object)| {
                    let entry = ["spec".into(), "customresourcedefinitions".into(), "owned".into(), idx.into()];
                    object.place_of(&entry.into_iter().chain(field).collect::<Vec<Step>>())
                }),
                Subject::Definition(idx) => Some(objects[idx].place_of(&field.collect::<Vec<Step>>())),
            };
            findings.push(Finding { rule, message, place, help: Some(help), package: None, check: None });
        }
    }
    findings
}

/// Packages by the names of the definitions that they own.
pub(in crate::cli) struct Owners(BTreeMap<String, Vec<String>>);

impl Owners {
    /// Asks an index for the providers of APIs of the definitions' groups and kinds.
    pub(in crate::cli) fn find(index: &Index, ask: &AskOptions, definitions: &[&Crd]) -> Result<Self, CommandError> {
        let filter = Filter { catalogs: ask.catalog.clone(), ..Filter::default() };
        let mut owners = BTreeMap::new();
        for crd in definitions {
            let api = ApiPattern { group: crd.group.clone(), version: String::new(), kind: crd.kind.clone() };
            let found = index.owners(&filter, &api)?.into_iter();
            let found = found.filter(|it| (&it.group, &it.kind) == (&crd.group, &crd.kind));
            let mut packages: Vec<String> = found.flat_map(|it| it.packages).collect();
            packages.sort_unstable();
            packages.dedup();
            owners.insert(crd.name.clone(), packages);
        }
        Ok(Self(owners))
    }

    /// The packages, by the name of the definition.
    pub(in crate::cli) fn by_definition(&self) -> &BTreeMap<String, Vec<String>> {
        &self.0
    }

    /// The packages that own a definition.
    pub(in crate::cli) fn of(&self, definition: &str) -> &[String] {
        self.0.get(definition).map_or(&[], Vec::as_slice)
    }

    /// Reports the owners of the definitions.
    pub(in crate::cli) fn report(&self, context: &Context) {
        let mut by_packages: BTreeMap<&[String], Vec<&str>> = BTreeMap::new();
        for (name, packages) in &self.0 {
            by_packages.entry(packages).or_default().push(name);
        }
        for (packages, names) in by_packages {
            let what = match names.as_slice() {
                few @ ([_] | [_, _] | [_, _, _]) => few.join(", "),
                many => format!("{} definitions", many.len()),
            };
            context.reporter.note(&match packages {
                [] => format!("no package of the catalog owns {what}"),
                [only] => format!("only package `{only}` owns {what}"),
                several => format!("{} packages own {what}: {}", several.len(), several.join(", ")),
            });
        }
    }
}
