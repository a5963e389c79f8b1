//! `breaking`: `diff --breaking` and `check-graph --old` name the same lost upgrades. Nothing is recorded: the cases
//! are all pairs of catalogs, those of the repository and the real ones beside the whole record, and random edits of
//! their packages.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::olmdex;
use crate::outcome::{Case, Folder, Outcome};

pub(crate) const FOLDER: Folder = Folder { name: "breaking", run };

/// How many random edits of a package are tried.
const EDITS: u64 = 2;

/// How many packages of a real catalog are edited.
const PACKAGES: usize = 6;

fn run(root: &Path) -> Vec<Case> {
    let catalogs = catalogs(root);
    let mut cases = Vec::new();
    for old in &catalogs {
        for new in catalogs.iter().filter(|it| *it != old) {
            let id = format!("breaking/{} to {}", shown(old), shown(new));
            cases.push(Case::run(id, || check(old, new)));
        }
    }
    for catalog in &catalogs {
        for package in packages(catalog) {
            for seed in 0..EDITS {
                let id = format!("breaking/edit {seed} of {}", shown(&package));
                cases.push(Case::run(id, || check_edit(&package, seed)));
            }
        }
    }
    cases
}

/// The catalogs that are compared with each other.
fn catalogs(root: &Path) -> Vec<PathBuf> {
    let fixtures = root.with_file_name("");
    let own = ["help/old-catalog", "help/my-catalog", "guides/catalog", "guides/next", "shop/in", "shop-next/in"];
    let own: Vec<PathBuf> = own.map(|it| fixtures.join(it)).into_iter().filter(|it| it.is_dir()).collect();
    let mut real: Vec<PathBuf> = fs::read_dir(root.join("../catalogs"))
        .map(|all| all.filter_map(|it| Some(it.ok()?.path())).filter(|it| it.is_dir()).collect())
        .unwrap_or_default();
    real.retain(|it| !own.iter().any(|own| own.starts_with(it)) && !it.starts_with(fixtures.join("catalogs")));
    real.sort();
    if own.is_empty() { real } else { own }
}

/// The parts of a catalog to edit: its directories, or the catalog as a whole.
fn packages(catalog: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(catalog)
        .map(|all| all.filter_map(|it| Some(it.ok()?.path())).filter(|it| it.is_dir()).collect())
        .unwrap_or_default();
    found.sort();
    found.truncate(PACKAGES);
    if found.is_empty() { vec![catalog.to_owned()] } else { found }
}

fn shown(path: &Path) -> String {
    let parts: Vec<_> = path.components().rev().take(2).map(|it| it.as_os_str().to_string_lossy()).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

fn check(old: &Path, new: &Path) -> Outcome {
    let (of_old, of_new) = (old.to_string_lossy(), new.to_string_lossy());
    let diff = olmdex(Path::new("."), &["diff", &of_old, &of_new, "--breaking", "-o", "json"]).expect("it starts");
    let graph = ["check-graph", "-i", &of_new, "--old", &of_old, "--select", "W0806", "-o", "json", "--all"];
    let graph = olmdex(Path::new("."), &graph).expect("it starts");
    let of_diff = match items(&diff.stdout) {
        Ok(items) => lost_of_diff(&items),
        Err(error) => return Outcome::Failed(format!("diff: {error}: {}", diff.stderr)),
    };
    let of_graph = match items(&graph.stdout) {
        Ok(items) => items.iter().map(|it| lost_of_message(it["message"].as_str().unwrap_or_default())).collect(),
        Err(error) => return Outcome::Failed(format!("check-graph: {error}: {}", graph.stderr)),
    };
    if !of_diff.is_empty() && (diff.exit_code != 1 || graph.exit_code != 1) {
        return Outcome::Failed(format!("exit codes {} and {}", diff.exit_code, graph.exit_code));
    }
    Outcome::of_equal(&of_diff, &without_gone_packages(of_graph, &items(&diff.stdout).unwrap_or_default()))
}

fn items(text: &[u8]) -> Result<Vec<Value>, serde_json::Error> {
    let value: Value = serde_json::from_slice(text)?;
    Ok(value["items"].as_array().cloned().unwrap_or_default())
}

/// Channels and versions that `diff` reports as lost, as `CHANNEL` and `CHANNEL: VERSION`.
fn lost_of_diff(items: &[Value]) -> BTreeSet<String> {
    let text = |it: &Value, key: &str| it[key].as_str().unwrap_or_default().to_owned();
    let is_lost = |it: &&Value| it["change"] == "stranded" || (it["subject"] == "channel" && it["change"] == "removed");
    let lost = items.iter().filter(is_lost).map(|it| {
        let channel = format!("{}/{}", text(it, "package"), text(it, "channel"));
        if it["bundle"].is_null() { channel } else { format!("{channel}: {}", text(it, "bundle")) }
    });
    lost.collect()
}

/// The same of a message of W0806.
fn lost_of_message(message: &str) -> String {
    match message.split_once(" has no upgrade from ") {
        Some((channel, rest)) => {
            format!("{channel}: {}", rest.split([':', ' ']).next().unwrap_or_default())
        }
        None => message.split(' ').nth(1).unwrap_or_default().to_owned(),
    }
}

/// `diff` names a removed package once, `check-graph` names each of its channels.
fn without_gone_packages(lost: BTreeSet<String>, items: &[Value]) -> BTreeSet<String> {
    let gone = items.iter().filter(|it| it["subject"] == "package" && it["change"] == "removed");
    let gone: Vec<String> = gone.map(|it| format!("{}/", it["package"].as_str().unwrap_or_default())).collect();
    lost.into_iter().filter(|it| !gone.iter().any(|package| it.starts_with(package))).collect()
}

fn check_edit(package: &Path, seed: u64) -> Outcome {
    let rendered = olmdex(Path::new("."), &["render", &package.to_string_lossy()]).expect("it starts");
    if rendered.exit_code != 0 {
        return Outcome::Failed(format!("render: {}", rendered.stderr));
    }
    let values = serde_json::Deserializer::from_slice(&rendered.stdout).into_iter::<Value>();
    let before: Vec<Value> = values.map(|it| it.expect("rendered JSON")).collect();
    let after =
        edited(before.clone(), &mut Chance(seed.wrapping_mul(7919).wrapping_add(package.as_os_str().len() as u64)));
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let write = |name: &str, documents: &[Value]| {
        let path = scratch.path().join(name);
        let text: String = documents.iter().map(|it| format!("{it}\n")).collect();
        fs::write(&path, text).expect("a file in a temporary directory");
        path
    };
    check(&write("old.json", &before), &write("new.json", &after))
}

/// A generator of numbers that are the same everywhere.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % bound.max(1)
    }
}

/// Changes channels like a careless edit: removes entries, edges and whole channels, and redirects edges.
fn edited(mut documents: Vec<Value>, chance: &mut Chance) -> Vec<Value> {
    for _ in 0..=chance.below(3) {
        let is_channel = |it: &Value| it["schema"] == "olm.channel";
        let channels: Vec<usize> = (0..documents.len()).filter(|it| is_channel(&documents[*it])).collect();
        if channels.is_empty() {
            break;
        }
        let at = channels[chance.below(channels.len())];
        let Some(entries) = documents[at]["entries"].as_array_mut().filter(|it| !it.is_empty()) else { continue };
        let entry = chance.below(entries.len());
        match chance.below(6) {
            0 => drop(entries.remove(entry)),
            1 => drop(entries[entry].as_object_mut().and_then(|it| it.remove("replaces"))),
            2 => drop(entries[entry].as_object_mut().and_then(|it| it.remove("skips"))),
            3 => drop(entries[entry].as_object_mut().and_then(|it| it.remove("skipRange"))),
            4 => {
                let other = entries[chance.below(entries.len())]["name"].clone();
                entries[entry]["replaces"] = other;
            }
            _ if channels.len() > 1 => drop(documents.remove(at)),
            _ => entries.truncate(entry + 1),
        }
    }
    documents
}
