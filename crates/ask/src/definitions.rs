//! Whether upgrades change CustomResourceDefinitions in a way that OLM refuses: of one bundle to another, and of whole
//! catalogs.

use std::collections::BTreeMap;

use super::error::AskError;
use super::name::{no_package, no_version};
use olmdex_base::diag::{Finding, Place};
use olmdex_base::olm::OlmSet;
use olmdex_fbc::service_version::CsvView;
use olmdex_index::query::{ApiPattern, Filter};
use olmdex_index::{Index, IndexError};
use olmdex_olm::upgrade::{BundleObjects, DefinitionUpgrades, definition_upgrades};
use olmdex_rules::cluster::AnyObject;
use olmdex_rules::crd::classic::Overwork;
use olmdex_rules::crd::findings::{LocatedCrd, judge};
use olmdex_rules::crd::{Crd, CrdError, Resource, check_manifests};
use olmdex_text::json::{Reader, Step};

/// A question about upgrades that change definitions.
#[derive(Debug, Default)]
pub struct DefinitionQuestion {
    /// The generations of OLM to ask.
    pub olm: OlmSet,
    /// The catalogs; all of them, if none is named.
    pub catalogs: Vec<String>,
    /// The objects of bundles that the catalogs do not carry, by the names of the bundles.
    pub bundles: BundleObjects,
}

impl DefinitionQuestion {
    /// The answer: every edge of every channel for which both bundles are available.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn answer(&self, index: &Index) -> Result<DefinitionUpgrades, AskError> {
        let filter = Filter { catalogs: self.catalogs.clone(), ..Filter::default() };
        Ok(definition_upgrades(index, &filter, self.olm, &self.bundles)?)
    }
}

/// The definitions of a bundle or of a directory, with the objects that they were read with.
#[derive(Debug)]
pub struct Definitions {
    objects: Vec<AnyObject>,
    /// The definitions, each with the number of its object.
    found: Vec<(LocatedCrd, usize)>,
}

impl Definitions {
    /// The definitions among objects.
    ///
    /// # Errors
    /// The first definition that cannot be read: its place and its fault.
    pub fn of(objects: Vec<AnyObject>) -> Result<Self, (Place, CrdError)> {
        let mut found = Vec::new();
        let owned = owned_versions(&objects);
        for (number, AnyObject { json, place, .. }) in objects.iter().enumerate() {
            match Crd::from_json(json) {
                Ok(crd) => {
                    let owned = owned.as_ref().map(|all| {
                        let its = all.iter().filter(|(name, _)| *name == crd.name);
                        its.map(|(_, version)| version.clone()).collect()
                    });
                    found.push((LocatedCrd { crd, place: place.clone(), owned }, number));
                }
                Err(CrdError::OtherKind) => {}
                Err(error) => return Err((place.clone(), error)),
            }
        }
        Ok(Self { objects, found })
    }

    /// The names of the definitions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.found.iter().map(|it| it.0.crd.name.as_str())
    }

    /// Those that `old` also has, each with its predecessor.
    fn pairs<'d>(&'d self, old: &'d Self) -> impl Iterator<Item = (&'d LocatedCrd, &'d LocatedCrd, &'d AnyObject)> {
        self.found.iter().filter_map(|(next, number)| {
            let (before, _) = old.found.iter().find(|it| it.0.crd.name == next.crd.name)?;
            Some((before, next, &self.objects[*number]))
        })
    }
}

/// The definitions, each with a version, that the ClusterServiceVersions among objects own; `None` without any.
fn owned_versions(objects: &[AnyObject]) -> Option<Vec<(String, String)>> {
    let mut reader = Reader::new();
    let mut owned: Option<Vec<(String, String)>> = None;
    for object in objects.iter().filter(|object| object.json.contains("ClusterServiceVersion")) {
        let Ok(value) = reader.read(&object.json) else { continue };
        if value.text_of("kind") == "ClusterServiceVersion" {
            let csv = CsvView::of_object(value);
            let listed = csv.definitions("owned").map(|listed| (listed.name, listed.api.version));
            owned.get_or_insert_default().extend(listed);
        }
    }
    owned
}

/// The objects that a catalog carries for the bundle of a version.
///
/// # Errors
/// [`AskError::NoPackage`], [`AskError::NoVersion`], [`AskError::Index`].
pub fn carried_objects(
    index: &Index,
    catalogs: &[String],
    package: &str,
    version: &str,
) -> Result<Vec<AnyObject>, AskError> {
    let filter = Filter { catalogs: catalogs.to_vec(), package: Some(package.to_owned()), channel: None };
    let bundles = index.bundles(&filter)?;
    if bundles.is_empty() {
        return Err(no_package(index, package)?);
    }
    let Some(bundle) = bundles.iter().find(|it| it.version == version || it.bundle == version) else {
        return Err(no_version(index, catalogs, package, version)?);
    };
    let objects = index.carried_objects(&bundle.catalog, &bundle.bundle)?.into_iter();
    Ok(objects.map(|(json, place)| AnyObject { json, place, text: None }).collect())
}

/// A question about the definitions of two bundles.
#[derive(Debug)]
pub struct DefinitionComparison<'q> {
    /// The generations of OLM to ask.
    pub olm: OlmSet,
    /// The definitions of the installed bundle.
    pub old: &'q Definitions,
    /// Those of its successor.
    pub new: &'q Definitions,
    /// The objects on the cluster.
    pub objects: &'q [Resource],
    /// The packages that own the definitions, if a catalog was asked for them.
    pub owners: Option<&'q DefinitionOwners>,
}

/// The verdicts about the definitions of two bundles.
#[derive(Debug, Default)]
pub struct ComparedDefinitions {
    /// The number of definitions that both have.
    pub n_definitions: u64,
    /// The number of objects that were checked.
    pub n_objects: usize,
    /// The faults of the new definitions by themselves, then those of their upgrades.
    pub findings: Vec<Finding>,
    /// The points that cannot be decided, in words.
    pub notes: Vec<String>,
}

impl DefinitionComparison<'_> {
    /// The answer. Definitions that only one bundle has are skipped.
    ///
    /// # Errors
    /// [`Overwork`] if an object takes too much work to check.
    pub fn answer(&self) -> Result<ComparedDefinitions, Overwork> {
        let mut compared =
            ComparedDefinitions { findings: check_manifests(&self.new.objects), ..ComparedDefinitions::default() };
        for (before, next, manifest) in self.new.pairs(self.old) {
            let owners = self.owners.map(|it| it.of(&next.crd.name));
            let judgement = judge(self.olm, before, next, self.objects, owners)?;
            compared.n_definitions += 1;
            compared.n_objects += judgement.n_objects;
            compared.notes.extend(judgement.unknown);
            let fields: Vec<&[Step]> = judgement.findings.iter().map(|it| it.1.as_slice()).collect();
            let mut places = manifest.places_of(&fields).into_iter();
            compared.findings.extend(judgement.findings.into_iter().map(|(mut finding, _)| {
                finding.place = places.next().or(finding.place);
                finding
            }));
        }
        Ok(compared)
    }
}

/// The packages that own definitions, by the names of these.
#[derive(Debug)]
pub struct DefinitionOwners(BTreeMap<String, Vec<String>>);

impl DefinitionOwners {
    /// Asks catalogs for the providers of the APIs of the definitions that both bundles have.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn find(index: &Index, catalogs: &[String], old: &Definitions, new: &Definitions) -> Result<Self, IndexError> {
        let filter = Filter { catalogs: catalogs.to_vec(), ..Filter::default() };
        let mut owners = BTreeMap::new();
        for (_, LocatedCrd { crd, .. }, _) in new.pairs(old) {
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
    pub fn by_definition(&self) -> &BTreeMap<String, Vec<String>> {
        &self.0
    }

    fn of(&self, definition: &str) -> &[String] {
        self.0.get(definition).map_or(&[], Vec::as_slice)
    }

    /// The owners in words, one sentence for each set of packages.
    pub fn words(&self) -> Vec<String> {
        let mut by_packages: BTreeMap<&[String], Vec<&str>> = BTreeMap::new();
        for (name, packages) in &self.0 {
            by_packages.entry(packages).or_default().push(name);
        }
        let sentence = |(packages, names): (&[String], Vec<&str>)| {
            let what = match names.as_slice() {
                few @ ([_] | [_, _] | [_, _, _]) => few.join(", "),
                many => format!("{} definitions", many.len()),
            };
            match packages {
                [] => format!("no package of the catalog owns {what}"),
                [only] => format!("only package `{only}` owns {what}"),
                several => format!("{} packages own {what}: {}", several.len(), several.join(", ")),
            }
        };
        by_packages.into_iter().map(sentence).collect()
    }
}
