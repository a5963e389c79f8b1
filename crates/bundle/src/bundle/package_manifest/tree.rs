//! The versions of a package-manifest directory: every directory with a ClusterServiceVersion, with all its files.
//!
//! For safety, links are skipped wherever they lead. This module knows no channels.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::file;
use super::manifest::is_package_manifest;
use super::rules;
use crate::bundle::blob::Bundle;
use crate::bundle::manifest::{Manifest, first_document};
use olmdex_base::diag::{Finding, Place, Rule};
use olmdex_fbc::service_version::CsvView;
use olmdex_fbc::{Input, InputFile};
use olmdex_text::json::{self, Reader};

/// A version of the operator.
pub(super) struct Version {
    pub(super) bundle: Bundle,
    /// The files that it was read from, with their names.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// The number of the ClusterServiceVersion among them.
    pub(super) csv: usize,
    pub(super) replaces: String,
    pub(super) skips: Vec<String>,
    pub(super) skip_range: String,
}

/// The files below a directory.
#[derive(Default)]
pub(super) struct Tree {
    /// By the name of the ClusterServiceVersion.
    pub(super) versions: BTreeMap<String, Version>,
    pub(super) findings: Vec<Finding>,
}

/// The annotations that a bundle would have.
fn annotations(package: &str) -> Vec<(String, Vec<u8>)> {
    let annotations = json::Tree::of_texts([("operators.operatorframework.io.bundle.package.v1", package)]);
    let document = json::Tree::object().with("annotations", annotations);
    vec![("annotations.yaml".to_owned(), document.compact().into_bytes())]
}

impl Tree {
    /// Reads all versions of a package. `root` is the directory, if it is one of the system's, and `manifest` the
    /// number of the package manifest.
    pub(super) fn read(root: Option<&Path>, input: &Input, manifest: usize, package: &str) -> Self {
        let mut this = Self::default();
        let mut directories: BTreeMap<&str, Vec<&InputFile>> = BTreeMap::new();
        for (number, file) in input.files.iter().enumerate() {
            let is_hidden = file.relative().split('/').any(|it| it.starts_with('.'));
            if number != manifest && !is_hidden {
                let directory = file.relative().rsplit_once('/').map_or("", |it| it.0);
                directories.entry(directory).or_default().push(file);
            }
        }
        for files in directories.into_values() {
            this.directory(root, &files, package);
        }
        this
    }

    fn add(&mut self, rule: &'static Rule, shown: &str, message: String, help: &str) {
        self.findings.push(rule.finding(message).at(Place::at_line(shown, 1)).help(help));
    }

    fn directory(&mut self, root: Option<&Path>, all: &[&InputFile], package: &str) {
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        let mut csvs = Vec::new();
        for file in all.iter().copied() {
            let text = match file::read(root, file) {
                Ok(text) => text,
                Err(error) => {
                    let message = format!("olmdex skips the file: {error}");
                    self.add(rules::PASSED_OVER, &file.shown, message, "replace it with a regular file");
                    continue;
                }
            };
            if first_document(&text).is_none() {
                let message = "olmdex skips the file: it is not YAML or JSON".to_owned();
                self.add(rules::PASSED_OVER, &file.shown, message, "correct the file, or move it out of the directory");
                continue;
            }
            if is_package_manifest(&text) {
                let message = "the directory has another package manifest".to_owned();
                self.add(rules::SEVERAL, &file.shown, message, "give each package a separate directory");
                continue;
            }
            if Manifest::read(&text, 0).is_some_and(|it| it.kind == "ClusterServiceVersion") {
                csvs.push(files.len());
            }
            files.push((file.shown.clone(), text));
        }
        let Some((&csv, more)) = csvs.split_first() else { return };
        for number in more {
            let message = "its directory has another ClusterServiceVersion".to_owned();
            let shown = files[*number].0.clone();
            self.add(rules::CSV_TWICE, &shown, message, "give each version a separate directory");
        }
        let shown = files[csv].0.clone();
        match Bundle::of_files(&files, &annotations(package)) {
            Err(error) => {
                let message = format!("the version is unreadable: {error}");
                self.add(rules::NO_BUNDLE, &shown, message, &error.help());
            }
            Ok(bundle) if self.versions.contains_key(&bundle.name) => {
                let other = self.versions.get(&bundle.name).map_or("", |it| it.files[it.csv].0.as_str());
                let message = format!("`{}` is also in {other}", bundle.name);
                self.add(rules::CSV_TWICE, &shown, message, "rename or remove one of them");
            }
            Ok(bundle) => {
                let version = Version::new(bundle, files, csv);
                self.versions.insert(version.bundle.name.clone(), version);
            }
        }
    }
}

impl Version {
    fn new(bundle: Bundle, files: Vec<(String, Vec<u8>)>, csv: usize) -> Self {
        let mut reader = Reader::new();
        let mut it = Self { files, csv, replaces: String::new(), skips: Vec::new(), skip_range: String::new(), bundle };
        // It was read before.
        if let Ok(value) = reader.read(it.bundle.csv()) {
            let view = CsvView::of_object(value);
            it.replaces = view.text("replaces");
            it.skip_range = view.annotation("olm.skipRange").unwrap_or_default().into_owned();
            let skips = value.get_field("spec").and_then(|it| it.get_field("skips")).into_iter();
            it.skips = skips.flat_map(|it| it.items()).filter_map(|it| it.as_str()).map(|it| it.into_owned()).collect();
        }
        let mut seen = BTreeSet::new();
        it.skips.retain(|it| !it.is_empty() && seen.insert(it.clone()));
        it
    }
}
