//! The picture of the crates in ARCHITECTURE.md must agree with their manifests.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::support::recording::expect_recorded;

const BEGIN: &str = "<!-- crates -->\n";
const END: &str = "<!-- /crates -->\n";

/// The dependencies of each of our packages according to its manifest; the program is `olmdex`, other names are without
/// the prefix.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = std::fs::read_dir(home.join("crates")).unwrap();
    let mut manifests: Vec<_> = crates.map(|it| it.unwrap().path().join("Cargo.toml")).collect();
    manifests.push(home.join("Cargo.toml"));
    let short = |name: &str| name.strip_prefix("olmdex-").unwrap_or(name).to_owned();
    let manifest = |path: &std::path::PathBuf| {
        let table: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
        let name = short(table["package"]["name"].as_str().unwrap());
        let uses = table["dependencies"].as_table().into_iter().flatten();
        (name, uses.filter_map(|(name, _)| name.strip_prefix("olmdex-").map(str::to_owned)).collect())
    };
    manifests.iter().map(manifest).collect()
}

/// All direct and indirect dependencies of each package.
fn closure(direct: &BTreeMap<String, BTreeSet<String>>) -> BTreeMap<&str, BTreeSet<&str>> {
    let reach = |from: &str| {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&str> = direct[from].iter().map(String::as_str).collect();
        while let Some(at) = open.pop() {
            if seen.insert(at) {
                open.extend(direct[at].iter().map(String::as_str));
            }
        }
        seen
    };
    direct.keys().map(|it| (it.as_str(), reach(it))).collect()
}

/// The picture in Mermaid: an arrow for each dependency that is not implied by others.
fn picture() -> String {
    let direct = dependencies();
    let all = closure(&direct);
    let mut text = "```mermaid\nflowchart TD\n".to_owned();
    let mut names: Vec<&str> = direct.keys().map(String::as_str).collect();
    names.sort_by_key(|it| (std::cmp::Reverse(all[it].len()), *it));
    for name in names {
        let uses = direct[name].iter().map(String::as_str);
        let needed: Vec<&str> =
            uses.filter(|it| !direct[name].iter().any(|other| all[other.as_str()].contains(it))).collect();
        if !needed.is_empty() {
            writeln!(text, "  {name} --> {}", needed.join(" & ")).unwrap();
        }
    }
    text + "```\n"
}

#[test]
fn the_picture_of_the_crates_is_that_of_their_manifests() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the place of the picture");
    let (_, after) = rest.split_once(END).expect("the end of the picture");
    expect_recorded("architecture", &[(path, format!("{before}{BEGIN}{}{END}{after}", picture()))]);
}

#[test]
fn the_architecture_is_read_in_one_sitting() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let len = std::fs::read_to_string(path).unwrap().len();
    assert!((8_000..=12_500).contains(&len), "{len} bytes");
}

#[test]
fn the_folders_that_it_names_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let row = text.lines().find(|it| it.starts_with("| `olmdex` |")).expect("the row of the program");
    let names: Vec<&str> = row.split('`').skip(1).step_by(2).skip(1).collect();
    assert!(names.len() > 3, "{row}");
    for name in names {
        assert!(root.join(name).exists() || root.join("src/cli").join(name).is_dir(), "`{name}` is no folder");
    }
}
