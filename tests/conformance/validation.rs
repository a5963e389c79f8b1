//! `authoring/bundles` and `authoring/bad-bundles`: the findings of the validators of opm and operator-sdk about bundle
//! directories.
//!
//! Texts are compared as multisets. Lists without a fixed order in the real validators may come in another one,
//! pointers are `PTR`, and texts that end with `…` were cut when they were recorded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use olmdex::bundle::rules::{Contents, Observed, Options, Problem, Validation, Validator};
use olmdex::diag::Severity;
use serde::Deserialize;

use crate::bundles::unpacked;
use crate::outcome::{Case, Folder, Outcome};

pub(crate) const FOLDER: Folder = Folder {
    name: "authoring/validation",
    run: |root| ["bundles", "bad-bundles"].into_iter().flat_map(|area| unpacked(root, area, cases)).collect(),
};

#[derive(Deserialize)]
struct Expected {
    id: String,
    #[serde(default)]
    format: Option<Vec<String>>,
    content: Option<Vec<String>>,
    mediatype: Option<String>,
    mediatype_error: Option<String>,
    load_error: Option<String>,
    #[serde(default)]
    default: Option<Vec<Said>>,
    #[serde(default)]
    optional: BTreeMap<String, Vec<Said>>,
}

/// A finding of a real validator.
#[derive(Deserialize)]
struct Said {
    level: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    field: String,
    text: String,
}

impl Said {
    fn line(&self) -> String {
        format!("{} {} {} {}", self.level, self.kind, self.field, self.text)
    }
}

fn cases(folder: &Path, area: &str) -> Vec<Case> {
    let Ok(text) = std::fs::read_to_string(folder.join("validation.jsonl")) else { return Vec::new() };
    let mut cases = Vec::new();
    for line in text.lines() {
        let expected: Expected = serde_json::from_str(line).expect("a recording");
        let directory = folder.join("dirs").join(&expected.id);
        let contents = Contents::read(&directory).expect("a readable bundle");
        let validation = Validation::new(&contents);
        let id = |what: &str| format!("authoring/{area}/{} validation: {what}", expected.id);
        let dir = directory.display().to_string();
        let plain = |texts: Vec<String>| texts.into_iter().map(|it| it.replace(&dir, "DIR")).collect::<Vec<_>>();
        if let Some(format) = &expected.format {
            let found = texts(validation.ask(Validator::Format, &Options::default()));
            cases.push(Case::run(id("format"), || compare(plain(found), format)));
        }
        // If opm crashed, there is nothing to compare.
        if let Some(content) = &expected.content {
            let found = texts(validation.ask(Validator::Content, &Options::default()));
            cases.push(Case::run(id("content"), || compare(plain(found), content)));
        }
        cases.push(Case::run(id("media type"), || {
            let found = validation.media_type().map(str::to_owned).map_err(|it| it.replace(&dir, "DIR"));
            let wanted = match &expected.mediatype {
                Some(it) => Ok(it.clone()),
                None => Err(expected.mediatype_error.clone().unwrap_or_default()),
            };
            Outcome::of_equal(&found, &wanted)
        }));
        cases.push(Case::run(id("loader"), || {
            let found = validation.load_error().map(|it| it.replace(&dir, "DIR"));
            Outcome::of_equal(&found, &expected.load_error)
        }));
        if let Some(default) = &expected.default {
            let found = said(validation.ask(Validator::Default, &Options::default()));
            cases.push(Case::run(id("default"), || compare(found, &expected_texts(default))));
        }
        for (name, wanted) in &expected.optional {
            cases.push(Case::run(id(name), || optional(&validation, &directory, name, wanted)));
        }
    }
    cases
}

/// Asks an optional validator by the name of the recording, which may have a variant behind it.
fn optional(validation: &Validation<'_>, directory: &Path, name: &str, wanted: &[Said]) -> Outcome {
    let (base, variant) = name.split_once(' ').unwrap_or((name, ""));
    let Some(validator) = Validator::ALL.into_iter().find(|it| it.name() == base) else {
        return Outcome::NotRunnable(format!("the validator {base}"));
    };
    let mut options = Options::default();
    match variant.split_once('=') {
        Some(("k8s-version", version)) => options.k8s_version = version.to_owned(),
        Some(("index-path", path)) => options.index_path = Some(index_path(directory, path)),
        _ => {}
    }
    let mut found = validation.ask(validator, &options);
    if variant == "root" {
        return with_channels(found, wanted);
    }
    // The real driver hands the objects over twice.
    if validator == Validator::Objects {
        found.extend(found.clone());
    }
    compare(said(found), &expected_texts(wanted))
}

/// The real validator's finding about channels in a bundle that was loaded with its `metadata/`, which operator-sdk
/// does not do: it names the channels of our finding, which has no words of the real tool.
fn with_channels(found: Vec<Problem>, wanted: &[Said]) -> Outcome {
    const WORDS: &str = "are not following the recommended naming convention";
    let is_about_channels = |it: &&Said| it.text.contains(WORDS);
    let ours = found.iter().find_map(|it| it.message.split_once("fast or stable: ")).map(|it| {
        let names: Vec<String> = it.1.split(", ").map(|name| format!("{:?}", name.trim_matches('`'))).collect();
        format!("channel(s) [{}] {WORDS}", names.join(" "))
    });
    // The part between the name of the ClusterServiceVersion and an address.
    let core = |it: &Said| {
        let text = it.text.split_once(": channel(s)").map_or("", |it| it.1);
        format!("channel(s){}", text.split_once(": https://").map_or(text, |it| it.0))
    };
    let theirs: Vec<String> = wanted.iter().filter(is_about_channels).map(core).collect();
    let ours: Vec<String> = ours.into_iter().collect();
    if ours.len() != theirs.len() || !ours.iter().zip(&theirs).all(|(ours, theirs)| is_same(ours, theirs)) {
        return Outcome::Failed(format!("expected {theirs:?}\n     got {ours:?}"));
    }
    let others = wanted.iter().filter(|it| !is_about_channels(it));
    compare(said(found), &others.map(Said::line).collect::<Vec<_>>())
}

fn index_path(directory: &Path, path: &str) -> PathBuf {
    directory.join(path)
}

fn texts(found: Vec<Problem>) -> Vec<String> {
    found.into_iter().filter_map(|it| it.observed).map(|it| it.to_string()).collect()
}

/// Level, type, field and text.
fn said(found: Vec<Problem>) -> Vec<String> {
    let line = |it: Observed| {
        let level = if it.level == Severity::Error { "Error" } else { "Warning" };
        format!("{level} {} {} {it}", it.kind, it.field)
    };
    found.into_iter().filter_map(|it| it.observed).map(line).collect()
}

fn expected_texts(said: &[Said]) -> Vec<String> {
    said.iter().map(Said::line).collect()
}

/// Removes equal texts one by one.
fn compare(found: Vec<String>, wanted: &[String]) -> Outcome {
    let mut left = found;
    let mut missing = Vec::new();
    for text in wanted {
        match left.iter().position(|it| is_same(it, text)) {
            Some(at) => drop(left.remove(at)),
            None => missing.push(text),
        }
    }
    if left.is_empty() && missing.is_empty() {
        return Outcome::Passed;
    }
    Outcome::Failed(format!("missing {missing:#?}\n    too many {left:#?}"))
}

fn is_same(found: &str, wanted: &str) -> bool {
    let words = |text: &str| {
        let separators = |c: char| c.is_whitespace() || "()[]{},".contains(c);
        let mut words: Vec<String> = text.split(separators).filter(|it| !it.is_empty()).map(str::to_owned).collect();
        words.sort();
        words
    };
    found == wanted || wanted.strip_suffix('…').is_some_and(|it| found.starts_with(it)) || words(found) == words(wanted)
}
