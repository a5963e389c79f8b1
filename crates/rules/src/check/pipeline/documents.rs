//! The parts of a catalog that the pipelines read: packages, channels and bundles, in the order of their documents.

use super::super::facts::{Draft, Facts};
use super::super::places;
use super::rules::check_of;
use olmdex_base::diag::Finding;
use olmdex_fbc::{BUNDLE_OBJECT, Document, Input, Origin, Typed, load_all};

/// A document.
#[derive(Debug, Clone)]
pub(super) enum DocumentOutline {
    Package(String),
    Channel { package: String, name: String, entries: Vec<String> },
    Bundle(BundleOutline),
    Other(String),
}

/// The parts of a bundle that the pipelines look at.
#[derive(Debug, Clone)]
pub(super) struct BundleOutline {
    pub(super) package: String,
    pub(super) name: String,
    pub(super) image: String,
    /// The numbers of the properties of each kind.
    pub(super) objects: Vec<usize>,
    pub(super) metadata: Vec<usize>,
}

/// The documents of a catalog.
pub(super) struct Documents<'i> {
    input: &'i Input,
    all: Vec<(Origin, DocumentOutline)>,
}

fn outline(document: &Document<'_>) -> DocumentOutline {
    let Ok(blob) = &document.blob else { return DocumentOutline::Other(String::new()) };
    match &blob.typed {
        Typed::Package(it) => DocumentOutline::Package(it.name.to_string()),
        Typed::Channel(it) => DocumentOutline::Channel {
            package: it.package.to_string(),
            name: it.name.to_string(),
            entries: it.entries.iter().flatten().map(|it| it.name.to_string()).collect(),
        },
        Typed::Bundle(it) => {
            let of_kind = |kind: &str| {
                let all = it.properties.iter().enumerate();
                all.filter(|(_, it)| it.kind == kind).map(|(number, _)| number).collect()
            };
            DocumentOutline::Bundle(BundleOutline {
                package: it.package.to_string(),
                name: it.name.to_string(),
                image: it.image.to_string(),
                objects: of_kind(BUNDLE_OBJECT),
                metadata: of_kind("olm.csv.metadata"),
            })
        }
        _ => DocumentOutline::Other(blob.package.to_string()),
    }
}

impl<'i> Documents<'i> {
    pub(super) fn read(input: &'i Input) -> Self {
        Self { input, all: load_all(input, &|document: Document<'_>| (document.origin, outline(&document))) }
    }

    /// Each document with its number.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, &DocumentOutline)> {
        self.all.iter().enumerate().map(|(number, it)| (number, &it.1))
    }

    /// The bundles, each with the number of its document.
    pub(super) fn bundles(&self) -> impl Iterator<Item = (usize, &BundleOutline)> {
        self.each().filter_map(|(number, it)| match it {
            DocumentOutline::Bundle(it) => Some((number, it)),
            _ => None,
        })
    }

    /// The packages, each with the number of its document and the path of its file below the catalog.
    pub(super) fn packages(&self) -> impl Iterator<Item = (usize, &str, &str)> {
        self.each().filter_map(|(number, it)| match it {
            DocumentOutline::Package(name) => {
                let file = self.input.files.get(self.all[number].0.file as usize)?;
                Some((number, name.as_str(), file.relative()))
            }
            _ => None,
        })
    }

    /// Drafts at their places.
    pub(super) fn findings(&self, mut drafts: Vec<(usize, Draft)>) -> Vec<Finding> {
        drafts.sort_by_key(|it| it.0);
        let package = |it: &DocumentOutline| match it {
            DocumentOutline::Package(it) | DocumentOutline::Other(it) => it.clone(),
            DocumentOutline::Channel { package, .. } => package.clone(),
            DocumentOutline::Bundle(it) => it.package.clone(),
        };
        let facts: Vec<Facts> = self.all.iter().map(|it| Facts::Other { package: package(&it.1) }).collect();
        let origins: Vec<Origin> = self.all.iter().map(|it| it.0).collect();
        let mut findings = places::resolve(drafts, &facts, &origins, self.input);
        for finding in &mut findings {
            finding.check = check_of(finding.rule);
        }
        findings
    }
}
