//! Dangers that an index must survive: a kill, a full disk, a directory that cannot be written to, two builders.
//!
//! The program is killed, refused or out of space; the library reads the files that it leaves.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use olmdex::fbc::Input;
use olmdex::index::query::Filter;
use olmdex::index::{Builder, CatalogSpec, Index, IndexError, Mode};

use crate::support::{TempDir, olmdex, scratch, without_own};

/// A catalog of `n` packages whose texts hardly compress.
fn text(n: u64) -> String {
    let mut text = String::new();
    let mut state = n;
    for package in 0..n {
        let mut noise = String::new();
        for _ in 0..300 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            write!(noise, "{:x}", state >> 16).unwrap();
        }
        writeln!(
            text,
            r#"{{"schema":"olm.package","name":"p{package}","defaultChannel":"stable","description":"{noise}"}}"#
        )
        .unwrap();
        writeln!(
            text,
            r#"{{"schema":"olm.channel","package":"p{package}","name":"stable","entries":[{{"name":"p{package}.v1.0.0"}}]}}"#
        )
        .unwrap();
        writeln!(
            text,
            r#"{{"schema":"olm.bundle","package":"p{package}","name":"p{package}.v1.0.0","image":"quay.io/p/p:{package}","properties":[{{"type":"olm.package","value":{{"packageName":"p{package}","version":"1.0.0"}}}}]}}"#
        )
        .unwrap();
    }
    text
}

fn build(path: &Path, n: u64) -> Result<(), IndexError> {
    let mut builder = Builder::open(path)?;
    let spec = CatalogSpec { name: "a".to_owned(), ..CatalogSpec::default() };
    let catalog = Input::bytes("catalog.json", Arc::from(text(n).into_bytes()));
    assert!(!builder.add_catalog(&spec, &catalog, Mode::Strict)?.refused);
    builder.finish().map(drop)
}

fn count(path: &Path) -> usize {
    Index::open(path).unwrap().packages(&Filter::default()).unwrap().len()
}

/// The program as a child that builds an index of `n` packages.
struct Builds {
    sources: TempDir,
}

impl Builds {
    fn new() -> Self {
        Self { sources: scratch() }
    }

    /// The command, behind words for a shell.
    fn command(&self, shell: &str, target: &Path, n: u64) -> Command {
        let source = self.sources.path().join(format!("{n}.json"));
        if !source.exists() {
            fs::write(&source, text(n)).unwrap();
        }
        let mut command = Command::new("sh");
        without_own(&mut command)
            .arg("-c")
            .arg(format!("{shell} exec \"$0\" build -q \"a=$1\" -o \"$2\""))
            .arg(env!("CARGO_BIN_EXE_olmdex"))
            .args([source.as_path(), target])
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }
}

fn kill_loop(rounds: u64) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    build(&path, 10).unwrap();
    let builds = Builds::new();
    for round in 0..rounds {
        let mut child = builds.command("", &path, if round % 2 == 0 { 900 } else { 1000 }).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(5 + (round * 37) % 400));
        child.kill().unwrap();
        child.wait().unwrap();
        let n = count(&path);
        assert!([10, 900, 1000].contains(&n), "{n}");
        let check: String = rusqlite::Connection::open(&path)
            .unwrap()
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(check, "ok");
    }
    // Leftovers do not stand in the way, and are gone then.
    build(&path, 20).unwrap();
    assert_eq!(count(&path), 20);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_killed_build_leaves_the_old_file_or_the_new() {
    kill_loop(8);
}

#[test]
#[ignore = "needs minutes"]
fn many_killed_builds_leave_the_old_file_or_the_new() {
    kill_loop(400);
}

#[test]
fn a_full_disk_is_an_error_and_leaves_the_old_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    build(&path, 3).unwrap();
    let before = fs::read(&path).unwrap();
    let builds = Builds::new();
    // Blocks of 512 bytes (in some shells 1024); the signal that would kill the child is ignored.
    for blocks in [100, 1000, 4000] {
        let output = builds.command(&format!("trap '' XFSZ; ulimit -f {blocks};"), &path, 3000).output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(3) && words.contains("cannot write"), "{blocks}: {words}");
        assert!(fs::read(&path).unwrap() == before);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "{blocks}");
    }
}

#[test]
fn a_builder_is_refused_while_another_one_builds() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    let builds = Builds::new();
    let mut commands: Vec<Command> = (0..4).map(|n| builds.command("", &path, 500 + n)).collect();
    let children: Vec<_> = commands.iter_mut().map(|it| it.spawn().unwrap()).collect();
    let outputs: Vec<_> = children.into_iter().map(|it| it.wait_with_output().unwrap()).collect();
    assert!(outputs.iter().any(|it| it.status.success()));
    for output in outputs.iter().filter(|it| !it.status.success()) {
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(words.contains("another process is writing"), "{words}");
    }
    assert!((500..504).contains(&count(&path)));
}

#[test]
fn a_read_only_file_in_a_read_only_directory_can_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let inner = directory.path().join("with ? # % and ü");
    fs::create_dir(&inner).unwrap();
    let path = inner.join("index.db");
    build(&path, 5).unwrap();
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(&path, 0o444);
    mode(&inner, 0o555);
    assert_eq!(count(&path), 5);
    assert_eq!(fs::read_dir(&inner).unwrap().count(), 1);
    mode(&inner, 0o755);
    // The new file has the permissions of the old one.
    build(&path, 6).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o444);
}

#[test]
fn through_a_link_the_file_is_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let real = directory.path().join("real.db");
    let link = directory.path().join("link.db");
    build(&real, 2).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    build(&link, 4).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(count(&real), 4);
}

/// Finding S5: texts and rows were changed and their digests left, and every check passed.
#[test]
fn what_somebody_changed_afterwards_is_found_and_named() {
    let directory = scratch();
    let root = directory.path();
    let catalog = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/guides/catalog");
    let run = |args: &[&str]| olmdex(args).in_directory(root).arg(&catalog).answer();
    run(&["build", "-O", "index.db"]).expect_code(0);
    olmdex(["info", "--verify", "index.db"]).in_directory(root).answer().expect_code(0).expect_words("verified: ");
    run(&["build", "-O", "index.db", "--verify"]).expect_code(0).expect_words("up to date");
    let bundle = "SELECT document FROM bundle WHERE image IS NOT NULL ORDER BY document LIMIT 1";
    let of_bundle = format!("WHERE document = ({bundle})");
    let text = |sql: &str| format!("UPDATE packed_text SET codec = 0, {sql} {of_bundle}");
    for (table, sql) in [
        ("row of table `catalog", "DELETE FROM catalog".to_owned()),
        ("table `catalog_document`", "DELETE FROM file".to_owned()),
        ("table `catalog_package`", "DELETE FROM catalog_document".to_owned()),
        (
            "digest in table `graph`",
            "UPDATE graph SET digest = x'0102' WHERE id = (SELECT min(id) FROM graph)".to_owned(),
        ),
        ("digest in table `profile`", "UPDATE profile SET digest = x'0102' WHERE id = 1".to_owned()),
        ("the text of", text("bytes = CAST('{}' AS BLOB), size = 2")),
        ("the text of", text("bytes = zeroblob(10)")),
        ("table `document`", format!("UPDATE document SET name = 'evil' WHERE id = ({bundle})")),
        (
            "table `bundle`",
            format!("UPDATE image SET reference = 'evil.io/x' WHERE id = (SELECT image FROM bundle {of_bundle})"),
        ),
        ("table `bundle`", format!("UPDATE bundle SET version = '9.9.9' {of_bundle}")),
        (
            "table `related_image`",
            format!("INSERT INTO related_image SELECT ({bundle}), 99, 'x', (SELECT min(id) FROM image)"),
        ),
        ("table `property`", format!("DELETE FROM property {of_bundle}")),
        ("table `entry`", "UPDATE entry SET replaces = 'evil' WHERE replaces <> ''".to_owned()),
        ("table `edge`", "DELETE FROM edge".to_owned()),
        ("table `edge`", "UPDATE edge SET kind = 'skips' WHERE kind = 'replaces'".to_owned()),
        ("table `search`", "INSERT INTO search (rowid, name) SELECT max(id), 'evil' FROM profile".to_owned()),
        ("table `node`", "UPDATE node SET name = 'evil' WHERE number = 0".to_owned()),
        (
            "table `catalog_package`",
            "DELETE FROM catalog_package WHERE package = (SELECT min(package) FROM catalog_package)".to_owned(),
        ),
    ] {
        fs::copy(root.join("index.db"), root.join("forged.db")).unwrap();
        let forged = rusqlite::Connection::open(root.join("forged.db")).unwrap();
        forged.pragma_update(None, "foreign_keys", false).unwrap();
        assert!(forged.execute(&sql, []).unwrap() > 0, "{sql}");
        drop(forged);
        let mut answers = vec![
            run(&["build", "-O", "forged.db", "--verify"]),
            olmdex(["info", "--verify", "forged.db"]).in_directory(root).answer(),
        ];
        if table == "the text of" {
            answers.push(olmdex(["validate", "forged.db"]).in_directory(root).answer());
            answers.push(olmdex(["render", "forged.db"]).in_directory(root).answer());
            answers.push(olmdex(["diff", "index.db", "forged.db"]).in_directory(root).answer());
            answers.push(olmdex(["diff", "forged.db"]).in_directory(root).arg(&catalog).answer());
        }
        for answer in answers {
            answer.expect_code(3).expect_words(table).expect_words("`");
        }
        // Both sides hold the same text, so their digests need not be true.
        let code = if sql == "DELETE FROM catalog" { 3 } else { 0 };
        olmdex(["diff", "forged.db", "forged.db"]).in_directory(root).answer().expect_code(code);
    }
}

/// The attack: an index of other documents says that it was made of the good ones, or one of them is gone.
#[test]
fn an_index_that_lies_about_its_sources_is_found() {
    let directory = scratch();
    let root = directory.path();
    let catalog = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/guides/catalog");
    let build = |file: &str, catalog: &Path| {
        let source = format!("c={}", catalog.display());
        olmdex(["build", &source, "-O", file, "--verify"]).in_directory(root).answer()
    };
    fs::create_dir(root.join("evil")).unwrap();
    for entry in fs::read_dir(&catalog).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        let text = fs::read_to_string(entry.path()).unwrap().replace("quay.io/", "evil.io/");
        fs::write(root.join("evil").join(entry.file_name()), text).unwrap();
    }
    build("good.db", &catalog).expect_code(0);
    build("evil.db", &root.join("evil")).expect_code(0);
    let open = |name: &str| rusqlite::Connection::open(root.join(name)).unwrap();
    let forged = open("evil.db");
    forged.execute("ATTACH ?1 AS good", [root.join("good.db").to_str().unwrap()]).unwrap();
    let of_good = "SELECT g.raw_digest FROM good.document_source g JOIN good.document d ON d.id = g.document
        JOIN main.document e USING (schema, package, name) WHERE e.id = main.document_source.document";
    forged
        .execute_batch(&format!(
            "UPDATE main.catalog SET source_digest = (SELECT source_digest FROM good.catalog);
             UPDATE main.document_source SET raw_digest = ({of_good})"
        ))
        .unwrap();
    drop(forged);
    let before = fs::read(root.join("evil.db")).unwrap();
    build("evil.db", &catalog).expect_code(3).expect_words("is not in its sources");
    assert_eq!(fs::read(root.join("evil.db")).unwrap(), before);
    let lost = open("good.db");
    lost.execute_batch("DELETE FROM catalog_document WHERE document = (SELECT max(document) FROM catalog_document)")
        .unwrap();
    drop(lost);
    build("good.db", &catalog).expect_code(3);
    build("moved.db", &catalog).expect_code(0);
    let moved = open("moved.db");
    moved.execute_batch("UPDATE catalog_document SET line = line + 1").unwrap();
    drop(moved);
    build("moved.db", &catalog).expect_code(3).expect_words("has another place in its sources");
}
