//! Surveys as bytes, which a caller keeps until the next question about the same files.
//!
//! The bytes do not tell which files they were made from. Those of whole catalogs have only those provisions of
//! packages that another package demands; no question needs the rest.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::dependents::Survey;
use olmdex_constraint::Leaf;
use olmdex_fbc::{Api, Origin, Syntax};

/// File, line, column, whether it is YAML, offset and length.
type Numbers = (u32, u32, u32, bool, u64, u64);

#[derive(Debug, Serialize, Deserialize)]
struct SurveyRecord {
    is_whole: bool,
    /// The numbers of the files that were read; none if all were.
    seen: Vec<usize>,
    searched: Vec<String>,
    packages: Vec<PackageRecord>,
    /// The demands; packages refer to them by number.
    leaves: Vec<LeafRecord>,
}

#[derive(Debug, Serialize, Deserialize)]
struct PackageRecord {
    name: String,
    /// Whether it has a document of its own.
    is_package: bool,
    documents: Vec<Numbers>,
    bundles: Vec<String>,
    says: Vec<usize>,
    demands: Vec<usize>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum LeafRecord {
    Api(String, String, String),
    Package(String, String),
    Label(String),
    Rule(String),
}

impl LeafRecord {
    fn of(leaf: &Leaf) -> Self {
        match leaf.clone() {
            Leaf::Api(Api { group, version, kind }) => Self::Api(group, version, kind),
            Leaf::Package(name, range) => Self::Package(name, range),
            Leaf::Label(label) => Self::Label(label),
            Leaf::Rule(rule) => Self::Rule(rule),
        }
    }

    fn into_leaf(self) -> Leaf {
        match self {
            Self::Api(group, version, kind) => Leaf::Api(Api { group, version, kind }),
            Self::Package(name, range) => Leaf::Package(name, range),
            Self::Label(label) => Leaf::Label(label),
            Self::Rule(rule) => Leaf::Rule(rule),
        }
    }
}

impl Survey {
    /// Surveys as bytes; `None` if something in them could not be read.
    #[must_use]
    pub fn several_to_bytes(surveys: &[Self]) -> Option<Vec<u8>> {
        // A file that is read later may demand anything; of whole catalogs, all demands are known.
        let is_whole = surveys.iter().all(|it| it.is_whole);
        let demanded = is_whole.then(|| surveys.iter().flat_map(|it| it.demands.values().flatten()).collect());
        let records: Option<Vec<SurveyRecord>> =
            surveys.iter().map(|it| it.is_readable().then(|| it.record(demanded.as_ref()))).collect();
        serde_json::to_vec(&records?).ok()
    }

    /// Surveys that were kept as bytes; `None` if they are damaged.
    #[must_use]
    pub fn several_of_bytes(bytes: &[u8]) -> Option<Vec<Self>> {
        let records: Vec<SurveyRecord> = serde_json::from_slice(bytes).ok()?;
        records.into_iter().map(Self::of_record).collect()
    }

    /// The record, with those provisions that are demanded; with all of them if that is not known.
    fn record(&self, demanded: Option<&BTreeSet<&Leaf>>) -> SurveyRecord {
        let says = self.saying.keys().filter(|it| demanded.is_none_or(|all| all.contains(it)));
        let leaves: BTreeSet<&Leaf> = self.demands.values().flatten().chain(says).collect();
        let numbers: HashMap<&Leaf, usize> = leaves.iter().copied().zip(0..).collect();
        let mut says: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (leaf, packages) in &self.saying {
            let Some(number) = numbers.get(leaf) else { continue };
            packages.iter().for_each(|it| says.entry(it).or_default().push(*number));
        }
        let mut bundles: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (bundle, packages) in &self.bundles {
            packages.iter().for_each(|it| bundles.entry(it).or_default().push(bundle.clone()));
        }
        let names: BTreeSet<&String> = self.documents.keys().chain(&self.packages).collect();
        let package = |name: &String| PackageRecord {
            name: name.clone(),
            is_package: self.packages.contains(name),
            documents: self.documents.get(name).into_iter().flatten().map(numbers_of).collect(),
            bundles: sorted(bundles.remove(name.as_str())),
            says: sorted(says.remove(name.as_str())),
            demands: self.demands.get(name).into_iter().flatten().filter_map(|it| numbers.get(it).copied()).collect(),
        };
        let packages = names.into_iter().map(package).collect();
        let is_part = !self.is_whole;
        SurveyRecord {
            is_whole: self.is_whole,
            seen: self.seen.iter().copied().filter(|_| is_part).collect(),
            searched: self.searched.iter().filter(|_| is_part).cloned().collect(),
            packages,
            leaves: leaves.into_iter().map(LeafRecord::of).collect(),
        }
    }

    fn of_record(record: SurveyRecord) -> Option<Self> {
        let SurveyRecord { is_whole, seen, searched, packages, leaves } = record;
        let leaves: Vec<Leaf> = leaves.into_iter().map(LeafRecord::into_leaf).collect();
        let (seen, searched) = (seen.into_iter().collect(), searched.into_iter().collect());
        let mut survey = Self { is_whole, seen, searched, ..Self::default() };
        for it in packages {
            if it.is_package {
                survey.packages.insert(it.name.clone());
            }
            if !it.documents.is_empty() {
                survey.documents.insert(it.name.clone(), it.documents.into_iter().map(origin_of).collect());
            }
            for bundle in it.bundles {
                survey.bundles.entry(bundle).or_default().insert(it.name.clone());
            }
            for number in it.says {
                survey.saying.entry(leaves.get(number)?.clone()).or_default().insert(it.name.clone());
            }
            let demands: Option<BTreeSet<Leaf>> =
                it.demands.iter().map(|number| leaves.get(*number).cloned()).collect();
            let demands = demands?;
            if !demands.is_empty() {
                survey.demands.insert(it.name, demands);
            }
        }
        Some(survey)
    }
}

fn sorted<T: Ord>(list: Option<Vec<T>>) -> Vec<T> {
    let mut list = list.unwrap_or_default();
    list.sort_unstable();
    list
}

fn numbers_of(origin: &Origin) -> Numbers {
    let Origin { file, line, column, syntax, offset, len } = *origin;
    (file, line, column, syntax == Syntax::Yaml, offset, len)
}

fn origin_of((file, line, column, is_yaml, offset, len): Numbers) -> Origin {
    let syntax = if is_yaml { Syntax::Yaml } else { Syntax::Json };
    Origin { file, line, column, syntax, offset, len }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::edit::Reach;
    use olmdex_fbc::{Input, Name};

    const TEXT: &str = r#"
schema: olm.package
name: lamp
---
{schema: olm.bundle, name: lamp.v1, package: lamp, properties: [
  {type: olm.gvk, value: {group: light.example.com, version: v1, kind: Lamp}},
  {type: olm.gvk, value: {group: light.example.com, version: v1, kind: Wick}}]}
---
schema: olm.package
name: shade
---
{schema: olm.bundle, name: shade.v1, package: shade, properties: [
  {type: olm.gvk.required, value: {group: light.example.com, version: v1, kind: Lamp}},
  {type: olm.package.required, value: {packageName: wall, versionRange: '>1'}}]}
---
schema: example.com/note
"#;

    #[test]
    fn what_is_kept_answers_as_what_was_read() {
        let read = Survey::of_files(&Input::bytes("c.yaml", Arc::from(TEXT.as_bytes())));
        let bytes = Survey::several_to_bytes(std::slice::from_ref(&read)).unwrap();
        let [kept] = Survey::several_of_bytes(&bytes).unwrap().try_into().unwrap();
        for package in ["lamp", "shade", "wall", ""] {
            assert_eq!(read.within(package, Reach::Around), kept.within(package, Reach::Around), "{package}");
            assert_eq!(read.dependants(package), kept.dependants(package), "{package}");
            let packages = BTreeSet::from([package.to_owned()]);
            assert_eq!(read.documents_of(&packages), kept.documents_of(&packages), "{package}");
        }
        assert_eq!(kept.within("lamp", Reach::Around).len(), 3);
        for (word, package) in [
            ("lamp", "lamp"),
            ("lamp.v1", "lamp"),
            ("lamp.v1@stable", "lamp"),
            ("shade/stable", "shade"),
            ("shade@1", "shade"),
        ] {
            assert_eq!(kept.meant(&Name::parse(word)), BTreeSet::from([package.to_owned()]), "{word}");
        }
        assert!(kept.meant(&Name::parse("wall")).is_empty());
        // Nobody demands it.
        assert!(!String::from_utf8(bytes).unwrap().contains("Wick"));
    }

    #[test]
    fn a_part_that_was_kept_finds_as_much_as_one_that_was_not() {
        let mut input = Input::default();
        // A document without a package is of the part only if something else in its file is.
        for text in TEXT.split("---\n").filter(|it| !it.contains("note")) {
            input.files.extend(Input::bytes("c.yaml", Arc::from(text.as_bytes())).files);
        }
        let all = Survey::of_files(&input);
        let mut part = Survey::default();
        // Nothing that was read demands the API at this time.
        Survey::find(std::slice::from_mut(&mut part), &[&input], &["lamp.v1"], Reach::Own);
        assert_eq!(part.n_files(), 2, "those of the package");
        let questions = [Reach::Own, Reach::Needs, Reach::Around]
            .into_iter()
            .flat_map(|reach| ["lamp", "shade.v1", "lamp.v1", "wall"].map(|name| (name, reach)));
        for (name, reach) in questions {
            let bytes = Survey::several_to_bytes(std::slice::from_ref(&part)).unwrap();
            [part] = Survey::several_of_bytes(&bytes).unwrap().try_into().unwrap();
            let mut fresh = Survey::default();
            for survey in [&mut part, &mut fresh] {
                Survey::find(std::slice::from_mut(survey), &[&input], &[name], reach);
                let named = Name::parse(name);
                assert_eq!(survey.meant(&named), all.meant(&named), "{name}");
                for package in all.meant(&named) {
                    let within = all.within(&package, reach);
                    assert_eq!(survey.within(&package, reach), within, "{package} {reach:?}");
                    let documents = |it: &Survey| BTreeSet::from_iter(it.documents_of(&within));
                    assert_eq!(documents(survey), documents(&all), "{package} {reach:?}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_kept() {
        let broken = format!("{TEXT}---\nname: no schema\n");
        let survey = Survey::of_files(&Input::bytes("c.yaml", Arc::from(broken.as_bytes())));
        assert_eq!(Survey::several_to_bytes(&[survey]), None);
        assert_eq!(Survey::several_of_bytes(b"{}"), None);
    }
}
