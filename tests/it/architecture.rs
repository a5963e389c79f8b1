//! The picture of the crates in ARCHITECTURE.md must agree with their manifests, and the command line takes no
//! decision.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::circles::uses;
use crate::support::recording::expect_recorded;
use crate::tidy::sources;

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

/// Modules of engines, each with the functions and modules of it that the command line uses: they read, name or lay
/// out. Functions that decide are called by `ask`, or by the crate that has them. Types are free, except for
/// [`DECIDING`].
const ENGINES: &[(&str, &[&str])] = &[
    ("catalog_source", &["family_and_minor"]),
    ("fleet", &["markdown"]),
    ("permissions", &[]),
    ("plan", &["folded_commands", "junit", "manifests", "markdown", "progress", "script"]),
    ("readiness", &[]),
    ("resolve", &["with_origin"]),
    ("solve", &[]),
    ("upgrade", &["rules"]),
    // Configurations.
    (
        "mirror",
        &["catalog_names", "decode", "differences", "packages", "put", "read", "read_deletion", "rename", "wanted"],
    ),
    // Lists of the kept part.
    (
        "mirror",
        &[
            "bundles",
            "documents",
            "equivalent",
            "explained",
            "holdings_of_layout",
            "images",
            "is_of_release",
            "unlisted_comment",
        ],
    ),
    // The objects of one catalog.
    ("mirror", &["catalog_image", "catalog_name", "catalog_source", "cluster_catalog", "installer", "installs"]),
    // Repairs, and defaults, of which the command tells.
    ("mirror", &["choose_defaults", "in_words", "meant", "repairs", "trouble"]),
];

/// Types and functions with which the command line would decide what is kept, and what an image holds.
const DECIDING: &[&str] =
    &["mirror::Catalog", "mirror::Filtered", "mirror::PackageExtent", "oci::pack::LayerWriter", "oci::pack::catalog"];

/// The paths that a file of the command line uses, from the root of the library.
fn paths_of(code: &str) -> BTreeSet<String> {
    let imported = uses(code).into_iter().filter_map(|(_, path)| Some(path.strip_prefix("crate::")?.to_owned()));
    let mut found: BTreeSet<String> = imported.collect();
    let modules: Vec<String> = found.iter().map(|path| path.trim_end_matches("::self").to_owned()).collect();
    let root = "crate".to_owned();
    for module in modules.iter().chain([&root]) {
        let name = module.rsplit("::").next().unwrap();
        for (at, _) in code.match_indices(&format!("{name}::")) {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            if code[..at].ends_with(is_part) {
                continue;
            }
            let path = &code[at + name.len() + 2..];
            let (path, rest) = path.split_at(path.find(|c| !is_part(c)).unwrap_or(path.len()));
            if rest.starts_with('{') {
                continue;
            }
            found.insert(if module == "crate" { path.to_owned() } else { format!("{module}::{path}") });
        }
    }
    found
}

#[test]
fn the_command_line_takes_no_decision() {
    let mut faults = Vec::new();
    let mut used: BTreeSet<(&str, &str)> = BTreeSet::new();
    for file in sources().iter().filter(|file| file.path.starts_with("src/cli/")) {
        let code: Vec<String> = file.bare_code().map(|(_, line)| line).collect();
        for path in paths_of(&code.join("\n")) {
            let is_it =
                |named: &&str| path == **named || path.strip_prefix(*named).is_some_and(|it| it.starts_with("::"));
            let is_deciding = DECIDING.iter().any(&is_it);
            let own: Vec<_> = ENGINES.iter().filter(|(module, _)| path != *module && is_it(module)).collect();
            let is_type = path.split("::").any(|part| part.starts_with(char::is_uppercase));
            let function = path.rsplit("::").next().filter(|name| *name != "self" && !is_type);
            let known = own.iter().find_map(|(module, functions)| {
                Some((*module, *functions.iter().find(|name| Some(**name) == function)?))
            });
            used.extend(known);
            if is_deciding || !own.is_empty() && function.is_some() && known.is_none() {
                faults.push(format!("{}: {path}", file.path));
            }
        }
    }
    assert!(faults.is_empty(), "the library decides; ask it:\n  {}", faults.join("\n  "));
    let all = ENGINES.iter().flat_map(|(module, functions)| functions.iter().map(move |name| (*module, *name)));
    let idle: Vec<_> = all.filter(|it| !used.contains(it)).collect();
    assert!(idle.is_empty(), "no command uses these: {idle:?}");
}

#[test]
fn paths_are_found_in_uses_and_in_code() {
    let code = "use crate::mirror::{self, Range};\nuse crate::oci::pack;\nfn f() { mirror::filter(x); pack::catalog(y); \
        crate::resolve::resolve(z); a::mirror::b(); }";
    let wanted =
        ["mirror::Range", "mirror::filter", "mirror::self", "oci::pack", "oci::pack::catalog", "resolve::resolve"];
    let found = paths_of(code);
    for path in wanted {
        assert!(found.contains(path), "{path}: {found:?}");
    }
    assert!(!found.contains("mirror::b"), "{found:?}");
}
