//! Directories and files of a fragment, regardless of their content: `validate-fbc` and IIB check them before they read
//! anything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::super::inspect::draft;
use super::build::Build;
use super::dockerfile::Dockerfile;
use super::documents::Documents;
use super::outcome::{Outcome, Target, Unchecked, finding};
use super::rules;
use olmdex_base::diag::{Finding, Listed, Rule};
use olmdex_base::file::read_regular_of;
use olmdex_fbc::Input;
use olmdex_text::{json::Expansion, yaml};

/// Names of catalog files that all pipelines know.
const CATALOG_NAMES: [&str; 3] = ["catalog.json", "catalog.yaml", "catalog.yml"];

/// No file of a catalog that is read as a whole is larger.
const MAX_FILE: u64 = 1 << 30;

/// The content of the directory of a fragment, or of `/configs` in the image that is built of it.
#[derive(Debug, Default)]
pub(super) struct Layout<'t> {
    /// The name of the fragment.
    shown: String,
    /// The directories in it, each with the names in it.
    packages: BTreeMap<String, BTreeSet<String>>,
    /// The files beside them.
    files: BTreeSet<String>,
    /// All files below it by directory: their paths below it, and those in the file system.
    all: BTreeMap<String, PathBuf>,
    /// The Dockerfile that makes it.
    built: Option<(&'t Dockerfile, &'t Build)>,
}

impl<'t> Layout<'t> {
    /// The layout of an image, of a directory, or of files that lie in none.
    pub(super) fn of(input: &Input, target: &Target<'t>, shown: &str) -> Self {
        let built = target.dockerfile.zip(target.build);
        let mut it = Self { shown: shown.to_owned(), built, ..Self::default() };
        match (built, target.directory) {
            (Some((_, build)), _) => {
                it.all = build.files.iter().map(|(path, file)| (path.clone(), file.path.clone())).collect();
                build.directories.keys().for_each(|path| it.add_directory(path));
            }
            (None, Some(root)) => it.walk(root),
            (None, None) => {
                it.all = input.files.iter().map(|it| (it.relative().to_owned(), PathBuf::from(&it.shown))).collect();
            }
        }
        for path in it.all.keys() {
            match path.split_once('/') {
                Some((first, rest)) => {
                    let name = rest.split('/').next().unwrap_or(rest);
                    it.packages.entry(first.to_owned()).or_default().insert(name.to_owned());
                }
                None => {
                    it.files.insert(path.clone());
                }
            }
        }
        it
    }

    fn add_directory(&mut self, path: &str) {
        match path.split_once('/') {
            Some((package, name)) if !name.contains('/') => {
                self.packages.entry(package.to_owned()).or_default().insert(name.to_owned());
            }
            Some(_) => {}
            None => drop(self.packages.entry(path.to_owned()).or_default()),
        }
    }

    fn walk(&mut self, root: &Path) {
        let mut waiting = vec![String::new()];
        while let Some(below) = waiting.pop() {
            for entry in std::fs::read_dir(root.join(&below)).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = if below.is_empty() { name } else { format!("{below}/{name}") };
                if entry.file_type().is_ok_and(|it| it.is_dir()) {
                    self.add_directory(&path);
                    waiting.push(path);
                } else {
                    self.all.insert(path, entry.path());
                }
            }
        }
    }

    /// The name of something below it; the whole has none.
    fn name(&self, below: &str) -> String {
        match (&self.built, below) {
            (Some(_), "") => "/configs".to_owned(),
            (Some(_), below) => format!("/configs/{below}"),
            (None, "") => self.shown.clone(),
            (None, below) => format!("{}/{below}", self.shown.trim_end_matches('/')),
        }
    }

    /// The place of something below it: its file, or the instruction that makes it.
    fn at(&self, below: &str) -> (String, u32) {
        let Some((dockerfile, build)) = &self.built else { return (self.name(below), 1) };
        match (build.files.get(below), build.directories.get(below)) {
            (Some(file), _) => (file.path.to_string_lossy().into_owned(), 1),
            (None, line) => (dockerfile.shown.clone(), line.copied().unwrap_or(1)),
        }
    }

    fn finding(&self, rule: &'static Rule, below: &str, message: String, help: &str) -> Finding {
        let (file, line) = self.at(below);
        finding(rule, &file, line, message, help)
    }

    /// The findings of `validate-fbc`.
    pub(super) fn konflux(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        if self.packages.is_empty() {
            let message = format!("`{}` holds no package directory", self.name(""));
            let help = match self.built {
                Some(_) => {
                    "copy each package to a separate directory: `COPY catalog/PACKAGE /configs/PACKAGE`".to_owned()
                }
                None => format!(
                    "move each package to a separate directory with {}; if this is the directory of a package, name \
                    its parent directory, or the Dockerfile that copies it",
                    names()
                ),
            };
            found.push(self.finding(rules::NO_PACKAGE_DIRECTORY, "", message, &help));
        }
        for (package, inside) in &self.packages {
            let name = self.name(package);
            if inside.is_empty() {
                let message = format!("`{name}` is empty");
                let help = format!("put {} into it, or remove it", names());
                found.push(self.finding(rules::NO_PACKAGE_DIRECTORY, package, message, &help));
            } else if !CATALOG_NAMES.iter().any(|it| inside.contains(*it)) {
                let message = format!("`{name}` has no {}", names());
                let below = format!("{package}/");
                let all = self.all.keys().filter_map(|file| file.strip_prefix(&below));
                let documents: Vec<&str> = all.filter(|file| is_document(file)).collect();
                let help = match documents[..] {
                    [] => format!("put {} into it, or leave it out of the image", names()),
                    [only] if !only.contains('/') => format!("rename `{only}`"),
                    [only] => format!("put the documents of `{only}` into a file of that name, directly in `{name}`"),
                    _ => format!("put the documents of its {} files into a file of that name", documents.len()),
                };
                found.push(self.finding(rules::NO_CATALOG_FILE, package, message, &help));
            }
        }
        found
    }

    /// The findings of IIB about the files.
    pub(super) fn iib(&self, input: &Input) -> Vec<Finding> {
        let mut found = Vec::new();
        if self.packages.is_empty() && self.files.is_empty() {
            let message = format!("`{}` holds no package directory", self.name(""));
            found.push(self.finding(rules::FILE_BESIDE_PACKAGES, "", message, "put each package into a directory"));
        }
        for file in &self.files {
            let message = format!("IIB takes `{file}` for the directory of a package");
            let help = "move it to the directory of a package, or leave it out of the image";
            found.push(self.finding(rules::FILE_BESIDE_PACKAGES, file, message, help));
        }
        let mut stems: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for path in self.all.keys() {
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
            if let Some(stem) = yaml_stem(name) {
                stems.entry((directory, stem)).or_default().push(path);
            }
        }
        for ((directory, stem), files) in &stems {
            if let [first, second, ..] = files.as_slice() {
                let message = format!("`{second}` and `{first}` would both become `{stem}.json`");
                found.push(self.finding(rules::SAME_STEM, second, message, "merge both into one file"));
            }
            let json = if directory.is_empty() { format!("{stem}.json") } else { format!("{directory}/{stem}.json") };
            if self.all.contains_key(&json) {
                let message = format!("IIB deletes `{json}` when it converts {}", Listed::quoted(files));
                found.push(self.finding(rules::REPLACED_JSON, &json, message, "rename one of them"));
            }
            for file in files {
                found.extend(self.blank(input, file));
            }
        }
        found
    }

    /// A finding about a YAML file as a whole.
    fn blank(&self, input: &Input, path: &str) -> Option<Finding> {
        let read = input.files.iter().find(|it| it.relative() == path);
        let text = match read {
            Some(file) => file.whole().ok()?.into_owned(),
            None => read_regular_of(self.all.get(path)?, MAX_FILE).ok()?,
        };
        let message = match has_document(&text) {
            Ok(true) => return None,
            Ok(false) => format!("`{path}` has no document"),
            // Other rules report errors in files that are part of the catalog.
            Err(_) if read.is_some() => return None,
            Err(error) => format!("`{path}`, which the catalog ignores, is unreadable: {error}"),
        };
        Some(self.finding(rules::BLANK_YAML, path, message, "remove it, or leave it out of the image"))
    }
}

fn names() -> String {
    let [json, yaml, yml] = CATALOG_NAMES;
    format!("`{json}`, `{yaml}` or `{yml}`")
}

/// Whether a file may hold documents, by its name.
fn is_document(name: &str) -> bool {
    yaml_stem(name).is_some() || name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("json"))
}

/// The name of a YAML file without its ending.
fn yaml_stem(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once('.')?;
    (["yaml", "yml"].iter().any(|it| ending.eq_ignore_ascii_case(it)) && !stem.is_empty()).then_some(stem)
}

fn has_document(text: &[u8]) -> Result<bool, String> {
    let expansion = Expansion::default();
    for chunk in yaml::split(text, 1) {
        let chunk = chunk.map_err(|error| error.to_string())?;
        let mut json = Vec::new();
        let document = yaml::to_json_within(&chunk.text, &mut json, &expansion).map_err(|error| error.message)?;
        if document != yaml::Document::Null {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Packages in directories of another name.
pub(super) fn directories(documents: &Documents<'_>, target: &Target<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    let known: Option<BTreeSet<String>> = target.index.map(|index| {
        let read: Vec<Documents<'_>> = index.iter().map(Documents::read).collect();
        read.iter().flat_map(|it| it.packages().map(|it| it.1.to_owned()).collect::<Vec<_>>()).collect()
    });
    let mut drafts = Vec::new();
    for (number, name, path) in documents.packages() {
        let Some((directory, _)) = path.split_once('/') else { continue };
        if directory == name || name.is_empty() {
            continue;
        }
        let help = format!("rename the directory to `{name}`");
        let it = match known.as_ref().is_some_and(|it| it.contains(name)) {
            true => {
                let message = format!(
                    "package `{name}` is in directory `{directory}`, but the index has it in `{name}`, and keeps that \
                    directory"
                );
                draft(rules::OTHER_DIRECTORY, message)
            }
            false => draft(rules::DIRECTORY_NAME, format!("package `{name}` is in directory `{directory}`")),
        };
        drafts.push((number, it.at(vec!["name".into()]).help(help)));
    }
    if known.is_none() {
        let missing = "no index to add the fragment to; name it with `--target-index`";
        outcome.unchecked.push(Unchecked::new(rules::FBC_OPERATIONS, missing));
    }
    outcome.findings = documents.findings(drafts);
    outcome
}
