//! `authoring/bundles` and `authoring/bad-bundles`: the findings of the validators of opm and operator-sdk about bundle
//! directories.
//!
//! Levels, types and the names in texts are compared as [`crate::verdicts`] says, for each validator by itself. opm's
//! validators have neither levels nor types. A finding about a field of a definition names that field on both sides. If
//! operator-sdk's loader refuses a bundle, our words name each file that the loader names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use olmdex::bundle::rules::{Contents, Options, Problem, Validation, Validator, sdk};
use serde::Deserialize;

use crate::bundles::unpacked;
use crate::outcome::{Case, Folder, Outcome};
use crate::verdicts::{Verdict, compare};

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
    load_error: Option<String>,
    #[serde(default)]
    default: Option<Vec<Said>>,
    #[serde(default)]
    optional: BTreeMap<String, Vec<Said>>,
}

/// A finding of a real validator.
#[derive(Clone, Deserialize)]
struct Said {
    level: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    field: String,
    text: String,
}

impl Said {
    fn verdict(&self) -> Verdict {
        Verdict::new(format!("{} {}", self.level, self.kind), &self.text)
    }

    /// Level, type and field, if it is about a field of a definition.
    fn about(&self) -> Option<String> {
        self.kind.starts_with("FieldValue").then(|| format!("{} {} {}", self.level, self.kind, self.field))
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
        let bundle = validation.name();
        // If opm crashed, there is nothing to compare.
        for (validator, texts) in [(Validator::Format, &expected.format), (Validator::Content, &expected.content)] {
            let Some(texts) = texts else { continue };
            cases.push(Case::run(id(validator.name()), || {
                let plain = |text: &String| Verdict::new("", text.replace("DIR/", ""));
                compare(&of_opm(&validation, validator), &texts.iter().map(plain).collect::<Vec<_>>(), &bundle)
            }));
        }
        cases.push(Case::run(id("media type"), || {
            Outcome::of_equal(&validation.media_type(), &expected.mediatype.as_deref())
        }));
        cases.push(Case::run(id("loader"), || loader(&contents, &validation, expected.load_error.as_deref())));
        if let Some(default) = &expected.default {
            let found = sdk::answer(&validation, Validator::Default, &Options::default());
            cases.push(Case::run(id("default"), || judge(found, default, &bundle)));
        }
        for (name, wanted) in &expected.optional {
            cases.push(Case::run(id(name), || optional(&validation, &directory, name, wanted)));
        }
    }
    cases
}

/// The findings of a validator of opm.
fn of_opm(validation: &Validation<'_>, validator: Validator) -> Vec<Verdict> {
    let found = validation.ask(validator, &Options::default()).into_iter().filter(|problem| problem.kind.is_some());
    found.map(|problem| Verdict::new("", headless(&problem.message))).collect()
}

/// Our words without the name of the definition that they are about, which the real validators do not give.
fn headless(message: &str) -> &str {
    let rest = message.strip_prefix("definition `").and_then(|rest| rest.split_once("`: "));
    rest.map_or(message, |(_, rest)| rest)
}

/// Whether both refuse the files, and each file that the real loader names is a place or in the words of ours.
fn loader(contents: &Contents, validation: &Validation<'_>, wanted: Option<&str>) -> Outcome {
    let refusals = validation.ask(Validator::Loader, &Options::default());
    let place = |problem: &Problem| problem.finding(contents).place.map(|place| place.file).unwrap_or_default();
    let ours: Vec<String> = refusals.iter().map(|it| format!("{} {}", place(it), it.message)).collect();
    let words = wanted.unwrap_or_default().split([' ', ':', ',', ']']);
    let mut files = words.map(|word| word.trim_start_matches("DIR/")).filter(|word| word.contains(['.', '/']));
    let missing = files.find(|file| !ours.iter().any(|it| it.contains(file)));
    match missing {
        _ if ours.is_empty() != wanted.is_none() => Outcome::Failed(format!("expected {wanted:?}\n     got {ours:?}")),
        Some(file) => Outcome::Failed(format!("{file} is not in {ours:?}")),
        None => Outcome::Passed,
    }
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
    let mut found = sdk::answer(validation, validator, &options);
    if variant == "root" {
        return with_channels(validation, found, wanted);
    }
    // The real driver hands the objects over twice.
    if validator == Validator::Objects {
        found.extend(found.clone());
    }
    judge(found, wanted, &validation.name())
}

/// The real validator's finding about channels in a bundle that was loaded with its `metadata/`, which operator-sdk
/// does not do: it names the channels of our finding, which is none of operator-sdk.
fn with_channels(validation: &Validation<'_>, found: Vec<sdk::Output>, wanted: &[Said]) -> Outcome {
    const WORDS: &str = "are not following the recommended naming convention";
    let is_about_channels = |said: &&Said| said.text.contains(WORDS);
    let problems = validation.ask(Validator::GoodPractices, &Options::default());
    let ours = problems.iter().find_map(|problem| problem.message.split_once("fast or stable: "));
    let ours: Vec<BTreeSet<&str>> =
        ours.iter().map(|(_, names)| names.split(", ").map(|name| name.trim_matches('`')).collect()).collect();
    // The list in brackets, whose order is chance.
    let listed = |said: &Said| {
        let list = said.text.split_once("channel(s) [").and_then(|(_, rest)| rest.split_once(']'));
        list.map(|(list, _)| list.split(' ').map(|name| name.trim_matches('"').to_owned()).collect::<BTreeSet<_>>())
    };
    let theirs: Vec<BTreeSet<String>> = wanted.iter().filter(is_about_channels).filter_map(listed).collect();
    if ours.len() != theirs.len() || !ours.iter().zip(&theirs).all(|(ours, theirs)| ours.iter().eq(theirs)) {
        return Outcome::Failed(format!("expected {theirs:?}\n     got {ours:?}"));
    }
    let others: Vec<Said> = wanted.iter().filter(|said| !is_about_channels(said)).cloned().collect();
    judge(found, &others, &validation.name())
}

fn index_path(directory: &Path, path: &str) -> PathBuf {
    directory.join(path)
}

/// Compares the findings of one validator of operator-sdk.
fn judge(found: Vec<sdk::Output>, wanted: &[Said], bundle: &str) -> Outcome {
    let group = |output: &sdk::Output| format!("{:?} {}", output.level, output.kind);
    // Our words begin with the field, in quotes.
    let field = |output: &sdk::Output| {
        let field = headless(&output.message).split('`').nth(1).unwrap_or_default();
        output.kind.starts_with("FieldValue").then(|| format!("{} {field}", group(output)))
    };
    let (mut ours, mut theirs): (Vec<_>, Vec<_>) =
        (found.iter().filter_map(field).collect(), wanted.iter().filter_map(Said::about).collect());
    ours.sort();
    theirs.sort();
    if ours != theirs {
        return Outcome::Failed(format!("expected {theirs:?}\n     got {ours:?}"));
    }
    let ours: Vec<Verdict> =
        found.iter().map(|output| Verdict::new(group(output), headless(&output.message))).collect();
    // The first OpenShift that does not serve some APIs is in texts for any bundle.
    compare(&ours, &wanted.iter().map(Said::verdict).collect::<Vec<_>>(), &format!("{bundle} 4.9"))
}
