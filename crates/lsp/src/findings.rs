//! The findings about catalogs, templates and bundles, by document. Each finding is that of the command for the same
//! input.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::analysis::FileDocument;
use super::catalog::{Catalog, Key, OpenText, text_of};
use super::graph::graphs;
use olmdex_ask::{check_graph, cut_advice, judge_template};
use olmdex_base::diag::{Finding, Place, Severity};
use olmdex_bundle::bundle::rules::{Contents, Options, Validation, Validator};
use olmdex_fbc::{Input, Spot};
use olmdex_index::query::NamesWithoutWay;
use olmdex_rules::check::practice::practice_drafts;
use olmdex_rules::check::{Checker, Draft, Facts, rules};

/// Findings by document; a document without findings may be absent.
pub(super) type FindingsByFile = BTreeMap<Key, Vec<Finding>>;

/// The findings about a catalog: by the rules of `validate`, for packages without errors those of `check-graph`, and
/// those of good practice that are `wanted`. No document is parsed, and texts are read only for places that nobody has
/// asked for yet.
pub(super) fn of_catalog(
    catalog: &Catalog,
    open: &BTreeMap<Key, OpenText>,
    wanted: &[&'static olmdex_base::diag::Rule],
) -> FindingsByFile {
    let mut checker = Checker::new().advised_by(Some(cut_advice));
    let mut documents = Vec::new();
    let mut names = Vec::new();
    for (key, file) in &catalog.files {
        let number = u32::try_from(names.len()).unwrap_or(u32::MAX);
        names.push(Input::bytes(&key.shown(), Arc::from(Vec::new())));
        for document in &file.documents {
            let mut inspected = document.analysis.inspected.clone();
            inspected.origin = document.origin;
            inspected.origin.file = number;
            checker.add(inspected);
            documents.push((key, document));
        }
    }
    let input = Input { files: names.into_iter().flat_map(|it| it.files).collect(), ..Input::default() };
    let drafts = checker.drafts(&input);
    let mut broken = BTreeSet::new();
    let mut is_broken = false;
    let mut found = FindingsByFile::new();
    let mut texts = Texts { open, read: HashMap::new() };
    for of_document in drafts.chunk_by(|(a, _), (b, _)| a == b) {
        let Some((key, document)) = of_document.first().and_then(|it| documents.get(it.0)) else { continue };
        let package = document.analysis.inspected.facts.package();
        if of_document.iter().any(|it| it.1.rule.severity == Severity::Error) {
            is_broken |= package.is_empty();
            broken.insert(package);
        }
        found.entry((*key).clone()).or_default().extend(texts.findings(key, document, of_document));
    }
    if !wanted.is_empty() {
        // Documents that are in no file are in no directory either.
        let directory = |key: &Key| key.path().and_then(Path::parent).map(Path::to_owned);
        let directories: Vec<Option<PathBuf>> = documents.iter().map(|(key, _)| directory(key)).collect();
        let practice = documents
            .iter()
            .zip(&directories)
            .map(|((_, it), directory)| (directory.as_deref(), &it.analysis.practice));
        for of_document in practice_drafts(&practice.collect::<Vec<_>>(), wanted).chunk_by(|(a, _), (b, _)| a == b) {
            let Some((key, document)) = of_document.first().and_then(|it| documents.get(it.0)) else { continue };
            let mut new = texts.findings(key, document, of_document);
            // The order of the command.
            new.sort_by_key(|it| it.place.as_ref().map(|it| (it.line, it.column)));
            found.entry((*key).clone()).or_default().extend(new);
        }
    }
    let is_readable = catalog.unreadable().is_none() && !is_broken;
    if is_readable {
        let has_document: BTreeSet<&str> = documents
            .iter()
            .filter_map(|it| match &it.1.analysis.inspected.facts {
                Facts::Package(it) => Some(it.name.as_str()),
                _ => None,
            })
            .collect();
        let keys: HashMap<String, &Key> = catalog.files.keys().map(|it| (it.shown(), it)).collect();
        for (package, graph) in graphs(catalog, None) {
            if broken.contains(package.as_str()) || !has_document.contains(package.as_str()) {
                continue;
            }
            for finding in check_graph(&graph, None, &NamesWithoutWay::new()) {
                let key = finding.place.as_ref().and_then(|it| keys.get(&it.file));
                if let Some(key) = key {
                    found.entry((*key).clone()).or_default().push(finding);
                }
            }
        }
    }
    found
}

/// The texts of files, each read when it is needed first.
struct Texts<'c> {
    open: &'c BTreeMap<Key, OpenText>,
    read: HashMap<&'c Key, Arc<[u8]>>,
}

impl<'c> Texts<'c> {
    /// The findings in one document, at its places.
    fn findings(&mut self, key: &'c Key, document: &FileDocument, drafts: &[(usize, Draft)]) -> Vec<Finding> {
        let Self { open, read } = self;
        let spots: Vec<&Spot> = drafts.iter().map(|it| &it.1.spot).collect();
        let text = || Arc::clone(read.entry(key).or_insert_with(|| bytes_of(key, open)));
        let package = document.analysis.inspected.facts.package();
        let located = document.locate(&spots, text).into_iter().zip(drafts);
        located.map(|(located, (_, draft))| draft.finding(located.in_file(&key.shown()), package)).collect()
    }
}

/// The bytes of a document: those in the editor, or else those of its file.
pub(super) fn bytes_of(key: &Key, open: &BTreeMap<Key, OpenText>) -> Arc<[u8]> {
    match open.get(key) {
        Some(it) => Arc::from(Arc::clone(&it.text)),
        None => Arc::from(key.path().and_then(text_of).unwrap_or_default().into_bytes()),
    }
}

/// The findings about a template.
pub(super) fn of_template(key: &Key, text: &Arc<str>) -> FindingsByFile {
    let findings = judge_template(&key.shown(), Arc::from(Arc::clone(text)), None).findings;
    FindingsByFile::from([(key.clone(), findings)])
}

/// The findings about a bundle, as `bundle` reports them when it asks these validators too. `open` are the open
/// documents of its two directories.
pub(super) fn of_bundle(directory: &Path, open: &BTreeMap<Key, OpenText>, optional: &[Validator]) -> FindingsByFile {
    let mut found = FindingsByFile::new();
    let mut contents = match Contents::read(directory) {
        Ok(contents) => contents,
        Err(error) => {
            // The author who edits the bundle sees why there are no other findings.
            for key in open.keys() {
                let unreadable = rules::UNREADABLE_FILE.finding(error.to_string()).at(Place::at_line(&key.shown(), 1));
                let help = "olmdex checks the bundle once all of it is readable";
                found.entry(key.clone()).or_default().push(unreadable.help(help));
            }
            return found;
        }
    };
    for (key, it) in open {
        if let Some(path) = key.path() {
            contents.set_text(path, it.text.as_bytes().to_vec());
        }
    }
    for finding in Validation::new(&contents).findings(optional, &Options::default()) {
        let Some(place) = &finding.place else { continue };
        let path = Path::new(&place.file);
        // A finding about a directory as a whole is shown in the file that describes the bundle, or in the one that is
        // open.
        let key = if path.is_file() || open.contains_key(&Key::File(path.to_owned())) {
            Key::File(path.to_owned())
        } else {
            let described = Key::File(directory.join("metadata/annotations.yaml"));
            let is_there = described.path().is_some_and(Path::is_file);
            match open.keys().next() {
                Some(first) if !is_there => first.clone(),
                _ => described,
            }
        };
        found.entry(key).or_default().push(finding);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use olmdex_rules::check::judge;
    use olmdex_rules::check::practice::rules;

    const TEXT: &str = "schema: olm.package\nname: till\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: till\nname: stable\nentries:\n- name: till.v1.0.0\n  skipRange: <1.0.0\n---\nschema: olm.bundle\nname: till.v1.0.0\npackage: till\nimage: example.com/till:1\nproperties:\n- type: olm.package\n  value: {packageName: till, version: 1.0.0}\n";

    fn key() -> Key {
        Key::Address("untitled:a".to_owned())
    }

    fn shown(catalog: &Catalog, text: &str, serial: u64) -> Vec<String> {
        let open = BTreeMap::from([(key(), OpenText { text: Arc::from(text), serial })]);
        let found = of_catalog(catalog, &open, rules::ALL).remove(&key()).unwrap_or_default();
        let line = |it: &Finding| (it.rule.id, it.place.as_ref().map(|it| it.line), it.message.clone());
        found.iter().map(|it| format!("{:?}", line(it))).collect()
    }

    #[test]
    fn after_a_key_only_the_document_that_was_changed_is_looked_at() {
        let mut catalog = Catalog::new(None);
        let refresh = |catalog: &mut Catalog, text: &str, serial: u64| {
            catalog.refresh(&BTreeMap::from([(key(), OpenText { text: Arc::from(text), serial })]));
        };
        let analyses =
            |catalog: &Catalog| -> Vec<_> { catalog.file_documents().map(|it| Arc::clone(&it.2.analysis)).collect() };
        refresh(&mut catalog, TEXT, 1);
        let before = (analyses(&catalog), shown(&catalog, TEXT, 1));
        let of_practice = before.1.iter().filter(|it| it.contains("W18")).count();
        let report = judge(&Input::bytes("a", Arc::from(TEXT.as_bytes())), None, None, rules::ALL, &mut |_| {});
        assert_eq!(of_practice, report.practices.len());
        assert!(of_practice > 3, "{:?}", before.1);
        // A key in the first document.
        let typed = TEXT.replace("name: till\ndefault", "name: till\ndescription: A till.\ndefault");
        refresh(&mut catalog, &typed, 2);
        let now = analyses(&catalog);
        let n_same = now.iter().zip(&before.0).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
        assert_eq!((now.len(), n_same), (3, 2));
        assert_eq!(shown(&catalog, &typed, 2).len() + 1, before.1.len());
        // The text is not read again: places and findings of the documents are known.
        assert_eq!(shown(&catalog, "not that text", 2), shown(&catalog, &typed, 2));
    }
}
