//! `legacy/`: legacy SQLite catalogs, rendered and migrated; and `fbc/07-migrate-init`: catalogs in files, migrated.
//!
//! Every file that is found is a case: `NAME.index.db` with the files of the same name beside it, every database in
//! `edge`, `historic` and `schemas`, every digest of a rendered catalog whose database is at hand. Instead of a
//! database there may be the SQL that makes it (`NAME.sql`), so that people can read and review it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use sha2::{Digest as _, Sha256};

use crate::command::{Answer, olmdex, with_links};
use crate::inputs::shared;
use crate::observed;
use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const WHOLE: Folder = Folder { name: "legacy", run: run_whole };
pub(crate) const EDGE: Folder = Folder { name: "legacy/edge", run: run_edge };
pub(crate) const HISTORIC: Folder = Folder { name: "legacy/historic", run: run_historic };
pub(crate) const SCHEMAS: Folder = Folder { name: "legacy/schemas", run: run_schemas };
pub(crate) const MIGRATE: Folder = Folder { name: "fbc/07-migrate-init", run: run_migrate };

fn unpacked(path: &Path) -> Vec<u8> {
    if path.extension().is_some_and(|it| it == "zst") {
        return fs::File::open(path).and_then(zstd::stream::decode_all).expect("a readable recording");
    }
    fs::read(path).expect("a readable recording")
}

fn run(arguments: &[&str]) -> Answer {
    olmdex(Path::new("."), arguments).expect("the program starts")
}

fn first_difference(ours: &[u8], theirs: &[u8]) -> String {
    let n_same = ours.iter().zip(theirs).take_while(|(a, b)| a == b).count();
    let line = theirs[..n_same].iter().filter(|&&byte| byte == b'\n').count() + 1;
    let around = |text: &[u8]| {
        String::from_utf8_lossy(&text[n_same.saturating_sub(60)..text.len().min(n_same + 60)]).into_owned()
    };
    format!("line {line}: expected {:?}\n     got {:?}", around(theirs), around(ours))
}

fn compare(answer: &Answer, expected: &[u8]) -> Outcome {
    if answer.exit_code != 0 {
        return Outcome::Failed(format!("exit code {}: {}", answer.exit_code, answer.stderr));
    }
    if answer.stdout == expected {
        Outcome::Passed
    } else {
        Outcome::Failed(first_difference(&answer.stdout, expected))
    }
}

/// The tables at their last schema, for SQL that makes none.
const LAST_SCHEMA: &str = include_str!("../../crates/legacy/src/schema.sql");

/// The SQL of a file, after that of the file in its first line (`-- on NAME`).
fn statements(path: &Path) -> String {
    let mut parts = Vec::new();
    let mut next = Some(path.to_owned());
    while let Some(path) = next {
        let text = fs::read_to_string(&path).expect("readable SQL");
        let below = text.lines().next().and_then(|it| it.strip_prefix("-- on "));
        next = below.map(|it| path.with_file_name(it.trim()));
        if next.is_none() && !text.contains("CREATE TABLE") {
            parts.push(text);
            parts.push(LAST_SCHEMA.to_owned());
        } else {
            parts.push(text);
        }
    }
    parts.reverse();
    parts.concat()
}

/// The databases of a folder by name, in any form; `kept` holds those that were made.
fn databases(folder: &Path, suffix: &str, kept: &tempfile::TempDir) -> Vec<(String, PathBuf)> {
    let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
    for (name, path) in entries(folder, "", &format!("{suffix}.db")) {
        found.insert(name.trim_end_matches(".db").trim_end_matches(suffix).to_owned(), path);
    }
    for (name, path) in entries(folder, "", &format!("{suffix}.sql")) {
        let stem = name.trim_end_matches(".sql").trim_end_matches(suffix).to_owned();
        // Beside a recorded database, its SQL is there for people.
        if found.contains_key(&stem) {
            continue;
        }
        let database = kept.path().join(format!("{stem}.db"));
        let connection = Connection::open(&database).expect("a scratch database");
        connection.pragma_update(None, "synchronous", false).expect("a pragma");
        connection.pragma_update(None, "foreign_keys", false).expect("a pragma");
        connection.execute_batch(&statements(&path)).expect("SQL that runs");
        connection.close().expect("a closed database");
        found.insert(stem, database);
    }
    found.into_iter().collect()
}

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a scratch directory")
}

/// Databases with opm's output beside them.
fn run_whole(root: &Path) -> Vec<Case> {
    let folder = root.join("legacy");
    let mut cases = Vec::new();
    let kept = scratch();
    for (name, path) in databases(&folder, ".index", &kept) {
        for (format, suffix) in [("json", "render.json"), ("yaml", "render.yaml")] {
            for ending in ["", ".zst"] {
                let expected = folder.join(format!("{name}.{suffix}{ending}"));
                if expected.is_file() {
                    cases.push(Case::run(format!("legacy/{name}.{suffix}"), || {
                        compare(&run(&["render", &path.to_string_lossy(), "-o", format]), &unpacked(&expected))
                    }));
                }
            }
        }
        for (directory, expected) in entries(&folder, &format!("{name}.migrated"), "") {
            let level = if directory.ends_with("csv-metadata") { "bundle-object-to-csv-metadata" } else { "none" };
            cases.push(Case::run(format!("legacy/{directory}"), || migrated(&path, level, &expected)));
        }
    }
    for (name, digest) in entries(&folder, "", ".render.json.sha256") {
        let stem = name.trim_end_matches(".render.json.sha256").to_owned();
        let packed = shared(root, &format!("../catalogs/{stem}.index.db.zst"));
        cases.push(Case::run(format!("legacy/{name}"), || rendered_digest(&packed, &digest)));
        cases.push(Case::run(format!("legacy/{stem} as metadata"), || metadata_of(&packed, &stem)));
    }
    cases
}

fn migrated(path: &Path, level: &str, expected: &Path) -> Outcome {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let out = scratch.path().join("out");
    let format = if has_extension(expected, "yaml") { "yaml" } else { "json" };
    let arguments =
        ["migrate", &*path.to_string_lossy(), &*out.to_string_lossy(), "--migrate-level", level, "-o", format];
    let answer = run(&arguments);
    if answer.exit_code != 0 {
        return Outcome::Failed(format!("exit code {}: {}", answer.exit_code, answer.stderr));
    }
    compare_trees(&out, expected)
}

fn has_extension(root: &Path, extension: &str) -> bool {
    tree(root).keys().any(|it| it.ends_with(&format!(".{extension}")))
}

/// The files below a directory.
fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        let Ok(listing) = fs::read_dir(&directory) else { continue };
        for path in listing.filter_map(|it| it.ok().map(|it| it.path())) {
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
                files.insert(name, fs::read(&path).expect("a readable file"));
            }
        }
    }
    files
}

fn compare_trees(ours: &Path, theirs: &Path) -> Outcome {
    let (ours, theirs) = (tree(ours), tree(theirs));
    let names = |it: &BTreeMap<String, Vec<u8>>| it.keys().cloned().collect::<Vec<_>>();
    if names(&ours) != names(&theirs) {
        return Outcome::Failed(format!("expected the files {:?}\n     got {:?}", names(&theirs), names(&ours)));
    }
    for (name, expected) in &theirs {
        if ours[name] != *expected {
            return Outcome::Failed(format!("{name}: {}", first_difference(&ours[name], expected)));
        }
    }
    Outcome::Passed
}

/// A packed database on a disk, for as long as the case runs.
fn unpack(packed: &Path) -> Option<(tempfile::TempDir, PathBuf)> {
    if !packed.is_file() {
        return None;
    }
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let path = scratch.path().join("index.db");
    let mut file = fs::File::create(&path).expect("a writable file");
    let packed = fs::File::open(packed).expect("a readable recording");
    zstd::stream::copy_decode(packed, &mut file).expect("a readable recording");
    Some((scratch, path))
}

fn rendered_digest(packed: &Path, digest: &Path) -> Outcome {
    let Some((_scratch, path)) = unpack(packed) else {
        return Outcome::NotRunnable("the database is absent".to_owned());
    };
    let expected = String::from_utf8_lossy(&unpacked(digest)).split_whitespace().next().unwrap_or_default().to_owned();
    let answer = run(&["render", &path.to_string_lossy()]);
    if answer.exit_code != 0 {
        return Outcome::Failed(format!("exit code {}: {}", answer.exit_code, answer.stderr));
    }
    let found: String = Sha256::digest(&answer.stdout).iter().map(|byte| format!("{byte:02x}")).collect();
    Outcome::of_equal(&found, &expected)
}

/// The same catalog also exists as files with metadata instead of manifests.
fn metadata_of(packed: &Path, stem: &str) -> Outcome {
    let archive = packed.with_file_name(format!("{stem}.tar.zst"));
    let Some((scratch, path)) = unpack(packed).filter(|_| archive.is_file()) else {
        return Outcome::NotRunnable("the database or its catalog is absent".to_owned());
    };
    if let Err(error) = crate::inputs::unpack_into(&archive, scratch.path()) {
        return Outcome::Failed(format!("{}: {error}", archive.display()));
    }
    let expected = fs::read_dir(scratch.path())
        .expect("a readable directory")
        .filter_map(|it| it.ok().map(|it| it.path()))
        .find(|it| it.is_dir())
        .expect("the archive holds a directory");
    let out = scratch.path().join("out");
    let level = "bundle-object-to-csv-metadata";
    let answer =
        run(&["migrate", &path.to_string_lossy(), &out.to_string_lossy(), "--migrate-level", level, "--prove"]);
    if answer.exit_code != 0 {
        return Outcome::Failed(format!("exit code {}: {}", answer.exit_code, answer.stderr));
    }
    compare_trees(&out, &expected)
}

/// The schema that a database claims to have; below 9 opm's migrations lose data, and ours do so only on request.
fn is_before_nine(path: &Path) -> bool {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let version = Connection::open_with_flags(path, flags)
        .and_then(|it| it.query_row("SELECT version FROM schema_migrations LIMIT 1", [], |row| row.get::<_, i64>(0)));
    version.unwrap_or(-1) < 9
}

fn render_as_opm(path: &Path) -> Answer {
    let before = fs::read(path).expect("a readable file");
    let shown = path.to_string_lossy();
    let mut arguments = vec!["render", &*shown];
    if is_before_nine(path) {
        arguments.extend(["--compat", "opm"]);
    }
    let answer = run(&arguments);
    assert!(fs::read(path).expect("a readable file") == before, "the input was changed");
    answer
}

/// opm's last words, without time and reference.
fn message(stderr: &str) -> &str {
    let stderr = stderr.trim();
    match stderr.find("render reference \"") {
        Some(at) => stderr[at..].split_once("\": ").map_or(stderr, |(_, rest)| rest),
        None => stderr,
    }
}

fn compare_with_recording(answer: &Answer, stdout: &[u8], stderr: &str) -> Outcome {
    let said = message(stderr);
    if !stdout.is_empty() || !stderr.contains("render reference") && !stderr.contains("panic:") {
        return compare(answer, stdout);
    }
    if answer.exit_code == 0 || !answer.stdout.is_empty() {
        return Outcome::Failed(format!("expected a refusal: {said}\n     got exit code {}", answer.exit_code));
    }
    // A crash of the real tool is not an answer, so any refusal is right.
    if said.starts_with("panic:") || answer.stderr.contains(said) {
        return Outcome::Passed;
    }
    Outcome::Failed(format!("expected {said}\n     got {}", answer.stderr))
}

fn run_edge(root: &Path) -> Vec<Case> {
    let folder = root.join("legacy/edge");
    let mut cases = Vec::new();
    let kept = scratch();
    for (stem, path) in databases(&folder, "", &kept) {
        let beside = |suffix: &str| unpacked(&folder.join(format!("{stem}{suffix}")));
        cases.push(Case::run(format!("legacy/edge/{stem}"), || {
            let stderr = String::from_utf8_lossy(&beside(".err.txt")).into_owned();
            compare_with_recording(&render_as_opm(&path), &beside(".out.json"), &stderr)
        }));
    }
    cases
}

fn run_historic(root: &Path) -> Vec<Case> {
    let folder = root.join("legacy/historic");
    let mut cases = Vec::new();
    for (name, packed) in entries(&folder, "", ".db.zst") {
        let stem = name.trim_end_matches(".db.zst").to_owned();
        let Some((_scratch, path)) = unpack(&packed) else { continue };
        cases.extend(historic(&folder, &stem, &path));
    }
    let kept = scratch();
    for (stem, path) in databases(&folder, "", &kept) {
        cases.extend(historic(&folder, &stem, &path));
    }
    cases
}

fn historic(folder: &Path, stem: &str, path: &Path) -> [Case; 2] {
    let recorded = |suffix: &str| {
        let packed = folder.join(format!("{stem}{suffix}.zst"));
        if packed.is_file() { packed } else { folder.join(format!("{stem}{suffix}")) }
    };
    let as_opm = Case::run(format!("legacy/historic/{stem}"), || {
        let (stdout, stderr) = (recorded(".render.json"), recorded(".render.err"));
        if !stdout.is_file() || !stderr.is_file() {
            return Outcome::NotRunnable("nothing is recorded of it".to_owned());
        }
        let said = String::from_utf8_lossy(&unpacked(&stderr)).into_owned();
        compare_with_recording(&render_as_opm(path), &unpacked(&stdout), &said)
    });
    // A correct reading of each is a catalog, proved against its rows.
    let kept = Case::run(format!("legacy/historic/{stem} kept"), || {
        let scratch = scratch();
        let out = scratch.path().join("out");
        let answer = run(&["migrate", &path.to_string_lossy(), &out.to_string_lossy(), "--prove"]);
        match answer.exit_code {
            0 => Outcome::Passed,
            code => Outcome::Failed(format!("exit code {code}: {}", answer.stderr)),
        }
    });
    [as_opm, kept]
}

/// Empty databases of every schema are catalogs without packages.
fn run_schemas(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    let kept = scratch();
    for (name, path) in databases(&root.join("legacy/schemas"), "", &kept) {
        for compat in [&[][..], &["--compat", "opm"]] {
            let shown = if compat.is_empty() { String::new() } else { " as opm".to_owned() };
            cases.push(Case::run(format!("legacy/schemas/{name}.db{shown}"), || {
                compare(&run(&[&["render", &*path.to_string_lossy()], compat].concat()), b"")
            }));
        }
    }
    cases
}

/// The recorded migrations of catalogs in files.
fn run_migrate(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, path) in entries(&root.join("fbc/07-migrate-init"), "", "") {
        let Ok(text) = fs::read_to_string(path.join("observed.txt")) else { continue };
        if text.contains("opm migrate ") {
            cases.push(Case::run(format!("fbc/07-migrate-init/{name}"), || migrate_case(&path, &text)));
        }
    }
    cases
}

fn migrate_case(path: &Path, text: &str) -> Outcome {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let copy = with_links(path, scratch.path()).expect("a copy");
    let exchanges = match observed::parse(text) {
        Ok(exchanges) => exchanges,
        Err(error) => return Outcome::NotRunnable(error),
    };
    let commands: Vec<_> = exchanges.into_iter().filter(|it| it.command.contains("opm migrate ")).collect();
    let words = |command: &str| command.split_whitespace().skip(2).map(str::to_owned).collect::<Vec<_>>();
    // The outputs of the commands must not exist before.
    for exchange in &commands {
        if let Some(out) = words(&exchange.command).get(1) {
            let _ = fs::remove_dir_all(copy.join(out));
        }
    }
    for exchange in &commands {
        let arguments = words(&exchange.command);
        let all: Vec<&str> = ["migrate"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
        let answer = olmdex(&copy, &all).expect("the program starts");
        if (answer.exit_code == 0) != (exchange.exit_code == 0) {
            return Outcome::Failed(format!("{}: exit code {}: {}", exchange.command, answer.exit_code, answer.stderr));
        }
        let Some(out) = arguments.get(1) else { continue };
        if exchange.exit_code == 0
            && let Outcome::Failed(why) = compare_trees(&copy.join(out), &path.join(out))
        {
            return Outcome::Failed(format!("{}: {why}", exchange.command));
        }
    }
    Outcome::Passed
}
