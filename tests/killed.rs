//! Every command survives a kill at any moment: its input stays as it is, its output is the old or the new one as a
//! whole, and no leftover stands in the way of the next run, or stays after it.
//!
//! A command without a row in the table is killed in the first example of its help. An example that writes fails, since
//! the table must say what is written.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "it/support/mod.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use support::examples::{examples, workspace};
use support::legacy::legacy_file;
use support::{TempDir, left_workspace, olmdex, program, scratch};

/// A command with the data of its test.
struct Row {
    /// Its name, with that of the command above it.
    command: &'static str,
    /// Its arguments. `{}` stands for a source: a directory, an index, a legacy file, or a text that is not a source.
    args: &'static [&'static str],
    /// The file or directory that it writes.
    output: Option<&'static str>,
}

const fn reads(command: &'static str, args: &'static [&'static str]) -> Row {
    Row { command, args, output: None }
}

const fn writes(command: &'static str, args: &'static [&'static str], output: &'static str) -> Row {
    Row { command, args, output: Some(output) }
}

/// The values of `{}`: catalogs of the shop, and catalogs with dependencies.
const SHOP: &[&str] = &["shop", "shop.db", "shop-legacy.db", "text.txt"];
const NEEDS: &[&str] = &["needs", "needs.db", "needs-legacy.db", "text.txt"];

/// Known findings, which are not a catalog.
const BASELINE: &str = "known.json";

const ROWS: &[Row] = &[
    writes("build", &["shop", "-o", "new.db"], "new.db"),
    writes("build", &["more=next", "-o", "shop.db"], "shop.db"),
    writes("build", &["two-packages.db", "hot.db", "-o", "new.db"], "new.db"),
    writes("build", &["--git", "shop=repo", "--git-path", "catalog", "-o", "new.db"], "new.db"),
    writes("build", &["shop", "--graph-data", "graph.json", "-o", "new.db"], "new.db"),
    reads("check", &["{}"]),
    reads("validate", &["{}"]),
    writes("validate", &["shop", "--select", "W1803", "--fix"], "shop"),
    reads("template render", &["shop-template.yaml", "--bundles", "operators"]),
    writes(
        "release",
        &["operators/shop/1.1.0", "--image", "quay.io/example/shop:v1.1.0", "--templates-only"],
        "operators",
    ),
    writes("onboard", &["kiosk", "--image-template", "quay.io/example/{{.Package}}:{{.Version}}"], "kiosk"),
    writes("edit add", &["new-bundle.yaml", "--channel", "candidate", "-i", "shop"], "shop"),
    writes("edit add-property", &["tested=true", "--where", "package = 'till'", "-i", "shop"], "shop"),
    writes("edit default-channel", &["till/candidate", "-i", "shop"], "shop"),
    writes("edit deprecate", &["till", "-m", "old", "-i", "shop"], "shop"),
    writes("edit promote", &["till.v1.2.0", "--to", "stable", "-i", "shop"], "shop"),
    writes("edit remove", &["ledger.v1.0.0", "-i", "shop"], "shop"),
    writes("edit rename-channel", &["ledger/stable", "fast", "-i", "shop"], "shop"),
    writes(
        "edit set-edges",
        &["till/candidate", "till.v1.2.0", "--skip-range", ">=1.0.0 <1.2.0 || 0.9.0", "-i", "shop"],
        "shop",
    ),
    writes("edit undeprecate", &["till.v1.0.0", "-i", "shop"], "shop"),
    reads("init", &["shop", "-o", "yaml"]),
    writes("generate dockerfile", &["shop"], "shop.Dockerfile"),
    reads("render", &["{}"]),
    reads("render", &["hot.db"]),
    writes("render", &["--config", "compositions.toml"], "composed"),
    // A directory with something in it, which is exchanged.
    writes("render", &["--config", "recompositions.toml"], "recomposed"),
    reads("render", &["--config", "compositions.toml", "--catalog", "composed"]),
    writes("image", &["--config", "compositions.toml"], "composed.Dockerfile"),
    writes("image", &["--config", "compositions.toml", "--to", "oci:image"], "image"),
    writes("migrate", &["two-packages.db", "out", "--prove"], "out"),
    writes("migrate", &["shop", "empty", "-o", "yaml"], "empty"),
    // A directory that cannot be replaced.
    writes("migrate", &["two-packages.db", "link"], "linked"),
    writes("export", &["--legacy", "shop", "-o", "new-legacy.db"], "new-legacy.db"),
    writes("export", &["--legacy", "next", "-o", "shop-legacy.db"], "shop-legacy.db"),
    writes("export", &["--site", "site", "shop"], "site"),
    writes("export", &["--site", "site", "shop.db", "--packages", "t*"], "site"),
    writes("push", &["shop", "oci:image"], "image"),
    writes("push", &["shop.db", "oci:image"], "image"),
    writes("pull", &["oci:database", "-o", "shop.db"], "shop.db"),
    reads("cache prune", &["--older-than", "0"]),
    writes("legacy add", &["two-packages.db", "bundle", "--mode", "semver", "-o", "new-legacy.db"], "new-legacy.db"),
    writes("legacy add", &["two-packages.db", "bundle", "--mode", "semver", "--in-place"], "two-packages.db"),
    writes("legacy rm", &["two-packages.db", "-p", "foo", "-o", "new-legacy.db"], "new-legacy.db"),
    writes("legacy rm", &["two-packages.db", "-p", "foo", "--in-place"], "two-packages.db"),
    writes("legacy prune", &["two-packages.db", "-p", "foo", "--in-place"], "two-packages.db"),
    writes("legacy prune-stranded", &["two-packages.db", "--in-place"], "two-packages.db"),
    writes("legacy prune-stranded", &["two-packages.db", "-o", "shop-legacy.db"], "shop-legacy.db"),
    writes(
        "legacy deprecate-truncate",
        &["two-packages.db", "-b", "example.com/bar:v0.1.0", "--allow-package-removal", "--in-place"],
        "two-packages.db",
    ),
    reads("doctor", &["{}"]),
    reads("doctor", &["hot.db"]),
    reads("list", &["packages", "-i", "{}"]),
    reads("list", &["bundles", "-i", "hot.db"]),
    reads("show", &["till", "-i", "{}"]),
    reads("search", &["receipt", "-i", "{}"]),
    reads("updates", &["till", "--installed", "1.0.0", "-i", "{}"]),
    reads("path", &["till", "--from", "1.0.0", "--to", "1.2.0", "--shortest", "-i", "{}"]),
    reads("why-not", &["till@1.0.0", "--installed", "1.1.0", "-i", "{}"]),
    reads("graph", &["till", "-o", "svg", "-i", "{}"]),
    reads("diff", &["{}", "next"]),
    reads("whereis", &["till", "-i", "{}"]),
    reads("history", &["till", "-i", "now={}", "-i", "next=next"]),
    reads("check-graph", &["till", "-i", "{}"]),
    writes("check-graph", &["-i", "shop", "--baseline", BASELINE, "--write-baseline"], BASELINE),
    reads("compat", &["--openshift", "4.16", "-i", "{}"]),
    reads("z-stream", &["till", "--channel", "stable", "-i", "{}"]),
    writes("z-stream", &["till", "--channel", "stable", "--apply", "-i", "shop"], "shop"),
    reads("resolve", &["--install", "web-shop", "-i", "shop={}"]),
    reads("why", &["database", "--install", "web-shop", "-i", "shop={}"]),
    reads("deps", &["web-shop", "--closure", "-i", "{}"]),
    reads("provides", &["Database", "-i", "{}"]),
    reads("requires", &["database", "-i", "{}"]),
    reads("images", &["web-shop", "--with-deps", "-i", "{}"]),
    reads("filter", &["--package", "till", "-i", "{}"]),
    writes("filter", &["--package", "till", "-i", "shop", "--into", "new.db"], "new.db"),
    writes("filter", &["--package", "till", "-i", "shop", "--into", "out"], "out"),
    reads("mirror", &["--package", "till", "-i", "{}", "--at", "oci:database"]),
    writes("lock", &["till@1.0.0", "--lock-file", "new.lock", "-i", "shop"], "new.lock"),
    writes("lock update", &["--lock-file", "old.lock", "-i", "shop"], "old.lock"),
    writes("renovate", &["till", "--into", "versions", "-i", "shop"], "versions"),
    reads(
        "explain-message",
        &["no operators found in channel gone of package keda in the catalog referenced by subscription keda"],
    ),
    reads("sql", &["SELECT bundle FROM v_bundle ORDER BY 1", "-i", "{}"]),
    writes("serve", &["shop", "--cache-dir", "cache", "--cache-only"], "cache"),
    #[cfg(feature = "mcp")]
    reads("mcp", &["-i", "{}"]),
    reads("v1 check", &["-i", "{}"]),
    reads("v1 check", &["--cluster", "must-gather", "-i", "shop", "-o", "script"]),
    reads("info", &["{}"]),
    reads("info", &["hot.db"]),
    reads("completion", &["bash"]),
    reads("man", &[]),
    reads("complete", &["--current=t", "--", "show", "-i", "{}"]),
];

/// Words and verbs in the help that run a command which help does not show, and that command.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("edit impact", "simulate"),
    ("edit new-package", "init"),
    ("edit prune", "legacy prune"),
    ("edit prune-stranded", "legacy prune-stranded"),
    ("edit release", "release"),
    ("edit repair", "simulate"),
    ("edit truncate", "legacy deprecate-truncate"),
    ("edit z-stream", "z-stream"),
    ("image build", "image"),
    ("image dockerfile", "generate dockerfile"),
    ("image pull", "pull"),
    ("image push", "push"),
    ("list apis", "provides"),
    ("list installed", "installed"),
    ("lock outdated", "outdated"),
    ("lock renovate", "renovate"),
    ("log", "history"),
    ("mirror filter", "filter"),
    ("mirror status", "mirror"),
    ("template onboard", "onboard"),
    ("upgrades", "updates"),
];

/// The other commands that help does not show.
const HIDDEN: &[&str] = &[
    "bisect",
    "blame",
    "bundle",
    "check-graph",
    "compat",
    "complete",
    "completion",
    "crd-check",
    "doctor",
    "explain-message",
    "info",
    "legacy add",
    "legacy rm",
    "lifecycle",
    "lsp",
    "man",
    #[cfg(feature = "mcp")]
    "mcp",
    "path",
    "platform-path",
    "repo",
    "requires",
    "stranded",
    "v1 check",
    "whereis",
    "why",
    "why-not",
];

/// The commands in the help, below others with the name of their parent.
fn commands_below(above: &[&str]) -> BTreeSet<String> {
    let help = olmdex(above).arg("--help").answer().out();
    let mut found = BTreeSet::new();
    // Names are indented by two blanks; continued texts are indented further. The root lists them by task, below its
    // usage; the others have one heading.
    let listed: Vec<&str> = if above.is_empty() {
        let lists = help.lines().skip_while(|it| !it.starts_with("Usage:")).take_while(|it| *it != "Options:");
        lists.filter(|it| it.starts_with("  ")).collect()
    } else {
        help.lines().skip_while(|it| *it != "Commands:").skip(1).take_while(|it| it.starts_with("  ")).collect()
    };
    for line in listed.into_iter().filter(|it| !it.starts_with("   ")) {
        let name = line.split_whitespace().next().unwrap();
        if name == "help" {
            continue;
        }
        let path = [above, &[name]].concat();
        let below = commands_below(&path);
        // A command with commands below it may also do something itself.
        let is_whole = || {
            let help = olmdex(&path).arg("--help").answer().out();
            help.lines().any(|it| it.starts_with("Usage:") && !it.ends_with("<COMMAND>"))
        };
        if below.is_empty() || is_whole() {
            found.insert(path.join(" "));
        }
        found.extend(below);
    }
    found
}

#[test]
fn every_row_is_of_a_command_and_every_other_command_has_an_example() {
    let commands = commands();
    assert!(commands.contains("legacy rm") && commands.contains("sql"), "{commands:?}");
    let gone: Vec<_> = ROWS.iter().map(|it| it.command).filter(|it| !commands.contains(*it)).collect();
    assert!(gone.is_empty(), "rows of commands that are no more: {gone:?}");
    let with_row: BTreeSet<&str> = ROWS.iter().map(|it| it.command).collect();
    let without = commands.iter().filter(|it| !with_row.contains(it.as_str()));
    let missing: Vec<_> = without.filter(|it| plain_example(it).is_none()).collect();
    assert!(missing.is_empty(), "commands without a row in the table or a plain example: {missing:?}");
}

/// All commands, with those that help does not show.
fn commands() -> BTreeSet<String> {
    let mut commands = commands_below(&[]);
    for (word, _) in OTHER_WORDS {
        assert!(commands.remove(*word), "help does not show `{word}`");
    }
    let hidden = OTHER_WORDS.iter().map(|it| it.1).chain(HIDDEN.iter().copied());
    commands.extend(hidden.map(str::to_owned));
    commands
}

/// The arguments of the first example of a command that needs neither a shell nor a network.
fn plain_example(command: &str) -> Option<Vec<String>> {
    let is_plain =
        |line: &String| !line.contains(['"', '\'', '|', '>', '<', '$', '&', ';', '*']) && !line.contains("docker://");
    let line =
        examples(command).into_iter().filter(|it| it.starts_with(&format!("olmdex {command}"))).find(is_plain)?;
    Some(line.split_whitespace().skip(1).map(str::to_owned).collect())
}

/// A row with a source in its place, or an example.
struct Case {
    args: Vec<String>,
    output: Option<&'static str>,
    is_example: bool,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for row in ROWS {
        let needs = ["resolve", "why", "deps", "provides", "requires", "images"].contains(&row.command);
        let sources = if needs { NEEDS } else { SHOP };
        let has_source = row.args.iter().any(|it| it.contains("{}"));
        for source in if has_source { sources } else { &[""] } {
            let words = row.command.split(' ').map(str::to_owned);
            let args = words.chain(row.args.iter().map(|it| it.replace("{}", source))).collect();
            cases.push(Case { args, output: row.output, is_example: false });
        }
    }
    let with_row: BTreeSet<&str> = ROWS.iter().map(|it| it.command).collect();
    let without = commands().into_iter().filter(|it| !with_row.contains(it.as_str()));
    let examples = without.filter_map(|it| plain_example(&it));
    cases.extend(examples.map(|args| Case { args, output: None, is_example: true }));
    cases
}

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    Directory,
    File(Vec<u8>),
    Link(PathBuf),
}

/// Everything below a directory.
type Tree = BTreeMap<PathBuf, Entry>;

fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for path in std::fs::read_dir(directory).unwrap().map(|it| it.unwrap().path()) {
            let name = path.strip_prefix(root).unwrap().to_owned();
            let entry = if path.is_symlink() {
                Entry::Link(std::fs::read_link(&path).unwrap())
            } else if path.is_dir() {
                open.push(path);
                Entry::Directory
            } else {
                Entry::File(std::fs::read(&path).unwrap())
            };
            found.insert(name, entry);
        }
    }
    found
}

fn plant(tree: &Tree, root: &Path) {
    for (name, entry) in tree {
        let path = root.join(name);
        // Directories come before their contents.
        match entry {
            Entry::Directory => std::fs::create_dir(path),
            Entry::File(content) => std::fs::write(path, content),
            Entry::Link(target) => std::os::unix::fs::symlink(target, path),
        }
        .unwrap();
    }
}

/// The files that the examples start from.
fn seeds_of_examples() -> Tree {
    let directory = workspace();
    std::fs::create_dir(directory.path().join("scratch")).unwrap();
    tree(directory.path())
}

/// The files that all commands start from.
fn seeds() -> (TempDir, Tree) {
    let directory = scratch();
    let root = directory.path().join("seeds");
    std::fs::create_dir(&root).unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for (from, to) in [
        ("shop/in", "shop"),
        ("shop-next/in", "next"),
        ("guides/bundle", "bundle"),
        ("help/operators", "operators"),
        ("help/must-gather", "must-gather"),
        ("help/lifecycles.yaml", "lifecycles.yaml"),
        ("help/graph.json", "graph.json"),
        ("help/shop-template.yaml", "shop-template.yaml"),
        ("dependencies/no-way-out/catalog", "needs"),
        ("definitions/one-version/maximum-20.yaml", "crd.yaml"),
        ("definitions/one-version/maximum-9.yaml", "crd-next.yaml"),
    ] {
        let copied = Command::new("cp").arg("-rL").arg(fixtures.join(from)).arg(root.join(to)).status().unwrap();
        assert!(copied.success());
    }
    // An operator that has bundles and no catalog yet.
    let (operator, bare) = (root.join("operators/shop"), root.join("kiosk"));
    std::fs::create_dir(&bare).unwrap();
    for version in ["1.0.0", "1.1.0"] {
        let copied = Command::new("cp").arg("-r").arg(operator.join(version)).arg(&bare).status().unwrap();
        assert!(copied.success());
    }
    for name in ["shop", "needs"] {
        let index = format!("{name}.db");
        olmdex(["build", "-q", name, "-o", &index]).in_directory(&root).answer().expect_code(0);
        let legacy = format!("{name}-legacy.db");
        olmdex(["export", "-q", "--legacy", name, "-o", &legacy]).in_directory(&root).answer().expect_code(0);
    }
    let mut import = Command::new("sh");
    import.args(["-c", "git init -q --bare repo -b main && git -C repo fast-import --quiet --date-format=rfc2822"]);
    let export = std::fs::File::open(fixtures.join("past/shop.export")).unwrap();
    assert!(import.current_dir(&root).stdin(export).status().unwrap().success());
    let past = ["build", "-q", "--git", "shop=repo", "--git-path", "catalog", "-o", "past.db"];
    olmdex(past).in_directory(&root).answer().expect_code(0);
    let compositions = "[catalogs.composed]\ndestination = 'composed'\ncomponents = [{ source = 'shop', packages = ['till'] }, { source = 'needs' }]\n";
    std::fs::write(root.join("compositions.toml"), compositions).unwrap();
    let recompositions = "[catalogs.recomposed]\ndestination = 'recomposed'\nsource = 'shop'\n";
    std::fs::write(root.join("recompositions.toml"), recompositions).unwrap();
    let rendered = olmdex(["render", "-q", "--config", "recompositions.toml"]).in_directory(&root).answer();
    rendered.expect_code(0);
    std::fs::write(root.join("recompositions.toml"), format!("{recompositions}packages = ['till']\n")).unwrap();
    olmdex(["push", "-q", "needs.db", "oci:database"]).in_directory(&root).answer().expect_code(0);
    let bundle = "schema: olm.bundle\nname: till.v1.3.0\npackage: till\nimage: quay.io/shop/till@sha256:8888888888888888888888888888888888888888888888888888888888888888\nproperties: [{type: olm.package, value: {packageName: till, version: 1.3.0}}]\n";
    std::fs::write(root.join("new-bundle.yaml"), bundle).unwrap();
    let locked =
        olmdex(["lock", "-q", "till@1.0.0", "--lock-file", "old.lock", "-i", "shop"]).in_directory(&root).answer();
    locked.expect_code(0);
    let text = std::fs::read_to_string(root.join("old.lock")).unwrap().replace("constraint = \"1.0.0\"\n", "");
    std::fs::write(root.join("old.lock"), text).unwrap();
    let imageset = "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n  - catalog: example.com/shop:v1\n    packages: [{name: till}]\n";
    std::fs::write(root.join("imageset.yaml"), imageset).unwrap();
    std::fs::write(root.join("text.txt"), "neither a catalog nor an index: [\n").unwrap();
    // Some content, so that writing takes a while.
    let content = "UPDATE operatorbundle SET bundle = CAST(bundle AS TEXT) || '{\"kind\":\"X\",\"x\":\"' || hex(zeroblob(100000)) || '\"}'";
    let legacy = legacy_file(directory.path(), "two-packages", content);
    std::fs::copy(&legacy, root.join("two-packages.db")).unwrap();
    // A database whose writer was stopped: a reader takes a private copy.
    let writer = rusqlite::Connection::open(&legacy).unwrap();
    let statements = "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; DELETE FROM channel_entry;
                      UPDATE operatorbundle SET bundle = zeroblob(200000)";
    writer.execute_batch(statements).unwrap();
    std::fs::copy(&legacy, root.join("hot.db")).unwrap();
    std::fs::copy(directory.path().join("legacy.db-journal"), root.join("hot.db-journal")).unwrap();
    drop(writer);
    for name in ["empty", "linked", "scratch"] {
        std::fs::create_dir(root.join(name)).unwrap();
    }
    std::os::unix::fs::symlink("linked", root.join("link")).unwrap();
    let seeds = tree(&root);
    (directory, seeds)
}

fn command(case: &Case, root: &Path) -> Command {
    let mut command = program();
    command.args(&case.args).current_dir(root).env("TMPDIR", root.join("scratch")).stdin(Stdio::null());
    // Nobody's cache is emptied.
    command.env("XDG_CACHE_HOME", root.join("scratch/cache"));
    command
}

/// The result of a run.
#[derive(Debug, PartialEq)]
struct Ended {
    code: Option<i32>,
    stdout: String,
}

fn run(case: &Case, root: &Path) -> Ended {
    let output = command(case, root).stderr(Stdio::null()).output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    Ended { code: output.status.code(), stdout }
}

/// The content of a written catalog: the files of a directory, or the documents that any file renders to.
fn content(root: &Path, name: &str) -> Option<String> {
    let path = root.join(if name == "cache" { "cache/olmdex.v1/index.db" } else { name });
    if !path.exists() {
        return None;
    }
    // These outputs are not catalogs.
    match name {
        "versions" => return Some(std::fs::read_to_string(path.join("till.json")).unwrap()),
        BASELINE | "shop.Dockerfile" | "composed.Dockerfile" | "old.lock" | "new.lock" => {
            return Some(std::fs::read_to_string(path).unwrap());
        }
        "site" => {
            let files = tree(&path).into_iter();
            let text = |entry| match entry {
                Entry::File(content) => String::from_utf8_lossy(&content).into_owned(),
                other => format!("{other:?}"),
            };
            return Some(files.map(|(name, entry)| format!("{name:?}\n{}\n", text(entry))).collect());
        }
        // Written last: with it, everything is written.
        "kiosk" => return std::fs::read_to_string(path.join("ci.yaml")).ok(),
        "operators" => return Some(std::fs::read_to_string(path.join("shop/catalog-templates/basic.yaml")).unwrap()),
        _ => {}
    }
    let answer = olmdex(["render", "-q"]).arg(&path).env("TMPDIR", &root.join("scratch").to_string_lossy()).answer();
    assert_eq!(answer.code, Some(0), "what was written cannot be read: {}", answer.both());
    Some(answer.out())
}

/// The files except for the output, its journal, and the files under its hidden name.
fn others(tree: &Tree, output: Option<&str>) -> Tree {
    let is_other = |name: &Path| {
        let first = name.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        let is_of = |output: &str| {
            first == output || first == format!("{output}-journal") || first.starts_with(&format!(".{output}."))
        };
        first != "scratch" && !output.is_some_and(is_of)
    };
    tree.iter().filter(|it| is_other(it.0)).map(|(name, content)| (name.clone(), content.clone())).collect()
}

/// The part of the tree that belongs to the output.
fn part(tree: &Tree, output: &str) -> Tree {
    let others = others(tree, Some(output));
    tree.iter().filter(|it| !others.contains_key(it.0)).map(|(name, it)| (name.clone(), it.clone())).collect()
}

/// Kills a command several times, each at another moment of its run.
fn survives(case: &Case, seeds: &Tree, number: usize, rounds: usize) {
    let fresh = || {
        let directory = scratch();
        plant(seeds, directory.path());
        directory
    };
    let shown = case.args.join(" ");
    let whole = fresh();
    let old = case.output.and_then(|it| content(whole.path(), it));
    let started = Instant::now();
    let expected = run(case, whole.path());
    let took = started.elapsed();
    // A source that is not a catalog is refused, in the same way each time.
    let is_refused = case.args.iter().any(|it| it.contains("text.txt"));
    assert!(is_refused || matches!(expected.code, Some(0 | 1)) || shown.starts_with("doctor"), "{shown}: {expected:?}");
    let new = case.output.and_then(|it| content(whole.path(), it));
    let after = tree(whole.path());
    // Run it once more on its own output, if that is also its input.
    let again = case.output.map(|_| run(case, whole.path()));
    for round in 0..rounds {
        let directory = fresh();
        let root = directory.path();
        let mut child = command(case, root).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let moment = (number * 29 + round * 37) % 110;
        std::thread::sleep(Duration::from_secs_f64(took.as_secs_f64() * moment as f64 / 100.0));
        let _ = child.kill();
        child.wait().unwrap();
        let when = format!("{shown}, killed after {moment} % of its time");
        let left = tree(root);
        assert!(others(&left, case.output) == others(seeds, case.output), "{when}: something else has changed");
        // The same bytes have the same content, and need not be read.
        let content_in = |found: &Tree, output: &str| match part(found, output) {
            it if it == part(seeds, output) => old.clone(),
            it if it == part(&after, output) => new.clone(),
            _ => content(root, output),
        };
        // A directory that cannot be replaced is filled entry by entry, and its workspace shows that meanwhile.
        let is_being_filled = case.output.is_some_and(|it| root.join(it).join(".olmdex/moving").exists());
        let is_new = match case.output {
            Some(output) if !is_being_filled => {
                let found = content_in(&left, output);
                // An empty directory and none are the same.
                let is =
                    |it: &Option<String>| found.as_deref().unwrap_or_default() == it.as_deref().unwrap_or_default();
                assert!(is(&old) || is(&new), "{when}: the output is neither the old nor the new");
                is(&new)
            }
            _ => false,
        };
        let ended = run(case, root);
        assert!(
            ended == expected || (is_new && again.as_ref() == Some(&ended)),
            "{when}: the next run gives {ended:?}, not {expected:?}"
        );
        let found = tree(root);
        if let Some(output) = case.output {
            assert!(content_in(&found, output) == new, "{when}: the next run makes another output");
        }
        let names = |tree: &Tree| tree.keys().cloned().collect::<BTreeSet<_>>();
        let more: Vec<_> = names(&found).difference(&names(&after)).cloned().collect();
        assert!(more.is_empty(), "{when}: the next run leaves {more:?}");
        assert!(names(&found) == names(&after), "{when}: files are missing");
    }
}

fn kill_all(rounds: usize) {
    const THREADS: usize = 4;
    let ((_directory, seeds), of_examples) = (seeds(), seeds_of_examples());
    let cases = cases();
    let (next, n_failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((number, case)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    cases.get(at).map(|it| (at, it))
                } {
                    // Those that write have more to lose.
                    let rounds = if case.output.is_some() { rounds * 3 } else { rounds };
                    let seeds = if case.is_example { &of_examples } else { &seeds };
                    let test = || survives(case, seeds, number, rounds);
                    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(test)).is_err() {
                        n_failed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    // Each failure has been printed already.
    assert_eq!(n_failed.into_inner(), 0, "commands that do not survive");
}

#[test]
fn every_command_survives_being_killed() {
    kill_all(1);
}

#[test]
#[ignore = "needs minutes"]
fn every_command_survives_being_killed_at_many_moments() {
    kill_all(40);
}

#[test]
fn leftovers_of_a_killed_change_are_no_part_of_the_catalog() {
    let (directory, seeds) = seeds();
    let root = directory.path().join("again");
    std::fs::create_dir(&root).unwrap();
    plant(&seeds, &root);
    let whole = content(&root, "shop");
    let hidden = root.join("shop/till/.package.yaml.olmdex");
    let file = root.join("shop/till/package.yaml");
    assert!(file.is_file());
    left_workspace(&hidden);
    std::fs::copy(&file, hidden.join("new")).unwrap();
    assert_eq!(content(&root, "shop"), whole);
    // A process may end at any point of writing its lock.
    let inside = root.join("linked/.olmdex");
    left_workspace(&inside);
    let lock = inside.join(".indexignore");
    let text = std::fs::read_to_string(&lock).unwrap();
    for length in 0..=text.len() {
        std::fs::write(&lock, &text[..length]).unwrap();
        assert_eq!(content(&root, "linked").as_deref(), Some(""), "the first {length} bytes of a lock");
    }
    for _ in 0..2 {
        let apply = ["z-stream", "till", "--channel", "stable", "--apply", "-i", "shop"];
        olmdex(apply).in_directory(&root).answer().expect_code(0);
        assert!(!hidden.exists());
        left_workspace(&hidden);
    }
}

#[test]
fn the_next_run_removes_the_leftovers_of_a_kill_after_the_last_rename() {
    let (directory, seeds) = seeds();
    for (number, (args, left)) in [
        ("edit add-property tested=true --where package='till' -i shop", "shop/till/.package.yaml.olmdex"),
        ("edit remove ledger.v1.0.0 -i shop", "shop/ledger/.catalog.json.olmdex"),
        ("generate dockerfile shop", ".shop.Dockerfile.olmdex"),
        (
            "release operators/shop/1.1.0 --image quay.io/example/shop:v1.1.0 --templates-only",
            "operators/shop/catalog-templates/.basic.yaml.olmdex",
        ),
        ("filter -c imageset.yaml --repair -i shop", ".imageset.yaml.olmdex"),
        ("onboard kiosk --image-template quay.io/example/{{.Package}}:{{.Version}}", "kiosk/.ci.yaml.olmdex"),
    ]
    .into_iter()
    .enumerate()
    {
        let root = directory.path().join(number.to_string());
        std::fs::create_dir(&root).unwrap();
        plant(&seeds, &root);
        let run = || olmdex(args.split(' ')).in_directory(&root).answer();
        run().expect_code(0);
        left_workspace(&root.join(left));
        run();
        assert!(!root.join(left).exists(), "{args}");
    }
}

#[test]
fn a_migration_killed_while_it_moves_its_files_is_begun_anew() {
    let (directory, seeds) = seeds();
    let root = directory.path().join("again");
    std::fs::create_dir(&root).unwrap();
    plant(&seeds, &root);
    let keep = root.join("keep");
    std::fs::write(&keep, "").unwrap();
    let linked = root.join("linked");
    for target in ["link", "linked"] {
        // One package has been moved, one not; and the list names more files than its own.
        std::fs::create_dir_all(linked.join("foo")).unwrap();
        std::fs::write(linked.join("foo/catalog.json"), "half").unwrap();
        let workspace = linked.join(".olmdex");
        left_workspace(&workspace);
        std::fs::create_dir_all(workspace.join("files/bar")).unwrap();
        std::fs::write(workspace.join("files/bar/catalog.json"), "half").unwrap();
        let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&std::fs::symlink_metadata(path).unwrap());
        let line = |name: &str, path: &Path| format!("{:016x}{name}\0", inode(path));
        let lines = [
            line("bar", &workspace.join("files/bar")),
            line("foo", &linked.join("foo")),
            line("..", &root),
            line("../keep", &keep),
            line(".", &linked),
        ];
        std::fs::write(workspace.join("moving"), lines.concat()).unwrap();
        let migrate = ["migrate", "-q", "two-packages.db", target];
        olmdex(migrate).in_directory(&root).answer().expect_code(0);
        let names: Vec<_> = tree(&linked).into_keys().collect();
        assert_eq!(names, ["bar", "bar/catalog.json", "foo", "foo/catalog.json"].map(PathBuf::from), "{target}");
        assert!(keep.exists() && root.join("shop.db").exists());
        std::fs::remove_dir_all(&linked).unwrap();
        std::fs::create_dir(&linked).unwrap();
        // Nothing was moving this file, so it is not ours to remove.
        std::fs::write(linked.join("mine"), "").unwrap();
        left_workspace(&linked.join(".olmdex"));
        olmdex(migrate).in_directory(&root).answer().expect_code(2).expect_words("must be empty");
        assert!(!linked.join(".olmdex").exists());
        std::fs::remove_file(linked.join("mine")).unwrap();
    }
}
