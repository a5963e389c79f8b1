//! Legacy files as sources: of every schema, form and state, and never changed.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::legacy::{SCHEMA, legacy_file, old_legacy_file, query};
use crate::support::{Answer, olmdex, scratch, write};
use rusqlite::Connection;

fn render(path: &Path) -> Answer {
    olmdex(["render", "-q"]).arg(path).answer()
}

/// The rendering of a fixture, after more SQL.
fn rendered(fixture: &str, sql: &str) -> Answer {
    let directory = scratch();
    render(&legacy_file(directory.path(), fixture, sql))
}

#[test]
fn storage_classes_do_not_matter() {
    let plain = rendered("two-packages", "");
    plain.expect_code(0);
    let mixed = "UPDATE operatorbundle SET csv = CAST(csv AS TEXT), bundle = CAST(bundle AS TEXT),
                     version = CAST(version AS BLOB), bundlepath = CAST(bundlepath AS BLOB);
                 UPDATE properties SET value = CAST(value AS BLOB), type = CAST(type AS BLOB);
                 UPDATE dependencies SET value = CAST(value AS TEXT);
                 UPDATE channel_entry SET channel_name = CAST(channel_name AS BLOB);
                 UPDATE package SET default_channel = CAST(default_channel AS BLOB)";
    let mixed = rendered("two-packages", mixed);
    assert_eq!(plain.out(), mixed.expect_code(0).out());
    // Unchanged values keep their keys and escapes.
    plain.expect_words("\"b\": 1,\n                \"a\": \"\\u003cx\\u003e\"");
}

#[test]
fn one_broken_package_does_not_stop_the_others() {
    let directory = scratch();
    let path =
        legacy_file(directory.path(), "two-packages", "INSERT INTO channel VALUES ('empty', 'foo', 'foo.v1.0.0')");
    render(&path).expect_code(1).expect_words("channel must contain at least one bundle");
    let answer = olmdex(["render", "--keep-going"]).arg(&path).answer();
    answer.expect_code(1).expect_words("package `foo` is left out");
    assert!(answer.out().contains("bar.v0.1.0") && !answer.out().contains("foo.v1.0.0"));
    let out = directory.path().join("out");
    olmdex(["migrate"]).arg(&path).arg(&out).answer().expect_code(1);
    assert!(!out.exists(), "nothing is written");
    olmdex(["migrate", "--keep-going", "--prove"]).arg(&path).arg(&out).answer().expect_code(1);
    assert!(out.join("bar/catalog.json").is_file() && !out.join("foo").exists());
    olmdex(["migrate"]).arg(&path).arg(&out).answer().expect_code(2).expect_words("must be empty");
}

#[test]
fn migration_is_proved_and_losses_are_named() {
    let directory = scratch();
    let path = legacy_file(
        directory.path(),
        "two-packages",
        "UPDATE operatorbundle SET substitutesfor = 'x' WHERE name = 'foo.v1.1.0'",
    );
    for (level, words) in [("none", "both sides hold the same"), ("all", "2 manifests are lost")] {
        let out = directory.path().join(level);
        let answer = olmdex(["migrate", "--prove", "--migrate-level", level]).arg(&path).arg(&out).answer();
        answer.expect_code(0).expect_words(words);
        answer.expect_words("the dependency `olm.label` {\"label\":\"x\"} is lost");
        answer.expect_words("its `substitutesfor` `x` is lost");
    }
}

#[test]
fn any_command_takes_a_legacy_file() {
    let directory = scratch();
    let path = legacy_file(directory.path(), "two-packages", "");
    let before = std::fs::read(&path).unwrap();
    olmdex(["list", "bundles", "-o", "name", "-i"]).arg(&path).answer().expect_code(0).expect_words("foo.v1.1.0");
    olmdex(["validate"]).arg(&path).answer().expect_code(0);
    olmdex(["graph", "-i"]).arg(&path).answer().expect_code(0).expect_words("foo.v1.0.0");
    olmdex(["updates", "foo", "--from", "1.0.0", "-i"]).arg(&path).answer();
    let index = directory.path().join("index.db");
    olmdex(["build", "-o"]).arg(&index).arg(&path).answer().expect_code(0);
    let stored = olmdex(["list", "channels", "--no-headers", "-i"]).arg(&index).answer();
    assert_eq!(stored.out().lines().count(), 2, "{}", stored.both());
    olmdex(["info"]).arg(&path).answer().expect_code(0).expect_words("schema 13");
    olmdex(["doctor"]).arg(&path).answer().expect_code(0).expect_words("W0602");
    assert!(before == std::fs::read(&path).unwrap(), "the input was changed");
    let names: Vec<_> = std::fs::read_dir(directory.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "nothing else is left behind: {names:?}");
}

#[test]
fn what_cannot_be_written_is_a_finding_everywhere() {
    let directory = scratch();
    let path = legacy_file(
        directory.path(),
        "two-packages",
        "UPDATE operatorbundle SET bundle = '{broken' WHERE name = 'foo.v1.0.0'",
    );
    olmdex(["validate"]).arg(&path).answer().expect_code(1).expect_words("E0601");
    olmdex(["list", "packages", "-i"]).arg(&path).answer().expect_code(0).expect_words("package `foo` is left out");
    let index = directory.path().join("index.db");
    olmdex(["build", "-o"]).arg(&index).arg(&path).answer().expect_code(1);
    assert!(!index.exists());
    olmdex(["build", "--keep-going", "-o"]).arg(&index).arg(&path).answer();
    assert!(index.exists());
}

#[test]
fn foreign_and_empty_files_are_refused_with_words() {
    let directory = scratch();
    let path = directory.path().join("foreign.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE things (name TEXT); INSERT INTO things VALUES ('x')")
        .unwrap();
    render(&path).expect_code(3).expect_words("another program");
    olmdex(["doctor"]).arg(&path).answer().expect_code(3).expect_words("without the tables of a catalog");
    let empty = write(directory.path(), "empty.db", "");
    olmdex(["doctor"]).arg(&empty).answer().expect_code(3).expect_words("empty");
    let part = directory.path().join("part.db");
    Connection::open(&part)
        .unwrap()
        .execute_batch("CREATE TABLE operatorbundle (name TEXT, csv TEXT, bundle TEXT)")
        .unwrap();
    render(&part).expect_code(3).expect_words("no such table: package");
}

#[test]
fn journals_count_and_stay() {
    let directory = scratch();
    let path = legacy_file(directory.path(), "two-packages", "");
    let whole = render(&path).out();
    // A write-ahead log without a checkpoint: only the log has the newest rows.
    let wal = directory.path().join("wal.db");
    std::fs::copy(&path, &wal).unwrap();
    let writer = Connection::open(&wal).unwrap();
    writer.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
    writer.execute_batch("UPDATE channel_entry SET replaces = NULL WHERE entry_id = 1").unwrap();
    let copy = directory.path().join("copy.db");
    std::fs::copy(&wal, &copy).unwrap();
    std::fs::copy(directory.path().join("wal.db-wal"), directory.path().join("copy.db-wal")).unwrap();
    drop(writer);
    render(&copy).expect_code(1).expect_words("multiple channel heads");
    assert!(directory.path().join("copy.db-wal").is_file());
    assert!(!directory.path().join("copy.db-shm").exists());
    // A hot journal: the file is half changed, and the journal has the former content.
    let hot = directory.path().join("hot.db");
    std::fs::copy(&path, &hot).unwrap();
    let writer = Connection::open(&hot).unwrap();
    writer.execute_batch("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; DELETE FROM channel_entry; UPDATE operatorbundle SET bundle = zeroblob(20000)").unwrap();
    let frozen = directory.path().join("frozen.db");
    let journal = directory.path().join("hot.db-journal");
    if journal.is_file() {
        std::fs::copy(&hot, &frozen).unwrap();
        std::fs::copy(&journal, directory.path().join("frozen.db-journal")).unwrap();
        drop(writer);
        let before = std::fs::read(&frozen).unwrap();
        assert_eq!(render(&frozen).expect_code(0).out(), whole);
        assert!(before == std::fs::read(&frozen).unwrap(), "the input was changed");
        olmdex(["info"]).arg(&frozen).answer().expect_words("writer was interrupted   yes");
    }
}

#[test]
fn a_read_only_file_in_a_read_only_directory_is_read() {
    let directory = scratch();
    let path = legacy_file(directory.path(), "two-packages", "");
    crate::support::open_to_all(directory.path());
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o555)).unwrap();
    let answer = crate::support::as_nobody(&["render".as_ref(), path.as_os_str()]);
    answer.expect_code(0).expect_words("foo.v1.1.0");
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn older_schemas_keep_their_data() {
    // Schema 2: no versions, no tables of required APIs, dependencies or properties.
    let more = "CREATE TABLE api (group_name TEXT, version TEXT, kind TEXT, plural TEXT NOT NULL);
                CREATE TABLE related_image (image TEXT, operatorbundle_name TEXT)";
    let directory = scratch();
    let path = old_legacy_file(directory.path(), "schema-2", more);
    let answer = render(&path);
    answer.expect_code(0);
    for words in ["\"skipRange\": \"<2.0.0\"", "\"olm.gvk\"", "\"olm.gvk.required\"", "\"version\": \"1.0.0\""] {
        answer.expect_words(words);
    }
    olmdex(["render", "--compat", "opm"])
        .arg(&path)
        .answer()
        .expect_code(1)
        .expect_words("FOREIGN KEY constraint failed");
    olmdex(["doctor"]).arg(&path).answer().expect_code(0).expect_words("database is locked");
    // A step of maintenance brings it to the last schema, with all its content.
    let new = directory.path().join("new.db");
    olmdex(["legacy", "prune-stranded", "-o"]).arg(&new).arg(&path).answer().expect_code(0);
    assert_eq!(query(&new, "SELECT version FROM schema_migrations"), "13");
    assert_eq!(render(&new).out(), answer.out());
}

#[test]
fn hostile_rows_are_survived() {
    let statements = [
        "UPDATE channel_entry SET replaces = entry_id",
        "UPDATE channel_entry SET replaces = 999",
        "UPDATE channel_entry SET replaces = 1 WHERE entry_id = 2",
        "UPDATE channel_entry SET depth = -9223372036854775807 WHERE entry_id = 2",
        "UPDATE channel_entry SET depth = 9223372036854775807",
        "UPDATE channel_entry SET depth = 'deep', replaces = 'x'",
        "UPDATE channel_entry SET depth = NULL",
        "UPDATE channel_entry SET channel_name = NULL",
        "UPDATE channel_entry SET package_name = NULL",
        "UPDATE channel_entry SET operatorbundle_name = NULL",
        "UPDATE channel_entry SET operatorbundle_name = ''",
        "UPDATE operatorbundle SET name = NULL",
        "UPDATE operatorbundle SET name = '' WHERE name = 'foo.v1.1.0'",
        "UPDATE operatorbundle SET name = x'ff00fe' WHERE name = 'foo.v1.1.0'",
        "UPDATE operatorbundle SET version = 1.5, bundlepath = 7, skiprange = 3",
        "UPDATE operatorbundle SET version = NULL, bundlepath = NULL, skiprange = NULL, csv = NULL, bundle = NULL",
        "UPDATE operatorbundle SET bundle = x'ff', csv = x'ff'",
        "UPDATE operatorbundle SET bundle = x'7b22ff223a317d'",
        "UPDATE operatorbundle SET bundle = 12345, csv = 1.5",
        "UPDATE operatorbundle SET bundle = '[]{}'",
        "UPDATE operatorbundle SET bundle = '}', csv = '{}'",
        "UPDATE operatorbundle SET bundle = printf('%.*c', 200000, '[')",
        "UPDATE operatorbundle SET csv = '{\"spec\":{\"icon\":[{\"base64data\":5}]}}'",
        "UPDATE operatorbundle SET csv = '{\"spec\":{\"icon\":5}}'",
        "UPDATE operatorbundle SET csv = '[1,2]'",
        "UPDATE properties SET type = NULL, value = NULL",
        "UPDATE properties SET value = ''",
        "UPDATE properties SET value = '{\"packageName\":5}'",
        "UPDATE properties SET operatorbundle_name = NULL",
        "UPDATE dependencies SET value = NULL",
        "UPDATE dependencies SET value = '5', type = 'olm.gvk'",
        "UPDATE related_image SET image = NULL",
        "UPDATE package SET name = NULL",
        "UPDATE package SET name = '../evil' WHERE name = 'foo'; UPDATE channel SET package_name = '../evil' WHERE package_name = 'foo'; UPDATE channel_entry SET package_name = '../evil' WHERE package_name = 'foo'",
        "UPDATE package SET default_channel = NULL",
        "UPDATE channel SET name = NULL",
        "UPDATE channel SET head_operatorbundle_name = NULL",
        "UPDATE schema_migrations SET version = 'abc'",
        "UPDATE schema_migrations SET version = -7",
        "UPDATE schema_migrations SET version = 201909251211",
        "UPDATE schema_migrations SET version = 4",
        "DELETE FROM schema_migrations",
        "DROP TABLE schema_migrations",
        "DROP TABLE properties",
        "DROP TABLE dependencies; DROP TABLE related_image; DROP TABLE deprecated; DROP TABLE api; DROP TABLE api_provider; DROP TABLE api_requirer",
        "DROP TABLE package",
        "DROP TABLE channel_entry; CREATE TABLE channel_entry (entry_id INTEGER PRIMARY KEY)",
        "DROP INDEX pk; ALTER TABLE operatorbundle DROP COLUMN version",
        "DROP INDEX pk; ALTER TABLE operatorbundle DROP COLUMN bundlepath",
        "ALTER TABLE operatorbundle DROP COLUMN bundle",
        "CREATE VIEW v AS SELECT * FROM package; CREATE TABLE \"x\"\"y\" (a)",
    ];
    for sql in statements {
        let directory = scratch();
        let path = legacy_file(directory.path(), "two-packages", sql);
        let before = std::fs::read(&path).unwrap();
        let out = directory.path().join("out");
        let db = directory.path().join("out.db");
        let runs = [
            olmdex(["render", "-q"]).arg(&path),
            olmdex(["render", "-q", "--compat", "opm"]).arg(&path),
            olmdex(["render", "-q", "-o", "yaml", "--keep-going", "--migrate-level", "all"]).arg(&path),
            olmdex(["migrate", "-q", "--keep-going", "--prove"]).arg(&path).arg(&out),
            olmdex(["validate", "-q"]).arg(&path),
            olmdex(["list", "bundles", "-i"]).arg(&path),
            olmdex(["info"]).arg(&path),
            olmdex(["doctor"]).arg(&path),
            olmdex(["export", "--legacy", "-q", "-o"]).arg(&db).arg(&path),
            olmdex(["legacy", "rm", "-q", "-p", "foo", "-o"]).arg(&db).arg(&path),
            olmdex(["legacy", "deprecate-truncate", "-q", "-b", "example.com/foo:v1.0.0", "-o"]).arg(&db).arg(&path),
        ];
        for run in runs {
            let answer = run.answer();
            assert!(matches!(answer.code, Some(0 | 1 | 3 | 4)), "{sql}\n{}", answer.both());
            assert!(!answer.both().contains("E0602"), "{sql}\n{}", answer.both());
        }
        assert!(!directory.path().join("evil").exists() && !directory.path().join("../evil").exists());
        assert!(before == std::fs::read(&path).unwrap(), "{sql}: the input was changed");
    }
}

/// Finding S4: a computed column of a foreign file took gigabytes, and did not end.
#[test]
fn text_that_sqlite_would_run_is_refused() {
    for (what, sql) in [
        ("a computed column", "ALTER TABLE operatorbundle ADD COLUMN bomb AS (hex(zeroblob(400000000)))"),
        ("a computed column", "CREATE TABLE more (a, b AS (hex(zeroblob(400000000))) STORED)"),
        // A table that SQLite cannot read must not keep the others from being looked at.
        (
            "a computed column",
            "CREATE TABLE more (a, b AS (hex(zeroblob(400000000)))); PRAGMA writable_schema = ON;
             INSERT INTO sqlite_schema VALUES ('table', 'aaa', 'aaa', 0, 'CREATE VIRTUAL TABLE aaa USING nosuchmodule(x)')",
        ),
        ("a CHECK", "CREATE TABLE more (a CHECK (hex(zeroblob(400000000)) <> a))"),
        ("a computed default", "CREATE TABLE more (a DEFAULT (hex(zeroblob(400000000))))"),
        ("an index of a computed value", "CREATE INDEX more ON package (hex(name))"),
        ("an index with a condition", "CREATE INDEX more ON package (name) WHERE length(name) > 3"),
    ] {
        let directory = scratch();
        let path = legacy_file(directory.path(), "two-packages", sql);
        let out = directory.path().join("out");
        for run in [
            olmdex(["render"]).arg(&path),
            olmdex(["validate"]).arg(&path),
            olmdex(["migrate", "--keep-going"]).arg(&path).arg(&out),
            olmdex(["list", "bundles", "-i"]).arg(&path),
            olmdex(["info"]).arg(&path),
            olmdex(["doctor"]).arg(&path),
            olmdex(["legacy", "rm", "-p", "foo", "--in-place"]).arg(&path),
        ] {
            let answer = run.answer();
            assert!(matches!(answer.code, Some(1 | 3)), "{sql}\n{}", answer.both());
            answer.expect_words(what).expect_words("which SQLite would run");
        }
        assert!(!out.exists());
    }
}

/// Finding S4: SQLite reads statistics with the schema, before anybody can compare it. Both kinds of files are opened
/// to see which of them they are.
#[test]
fn statistics_that_compute_do_not_run() {
    let directory = scratch();
    let root = directory.path();
    let catalog = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/guides/catalog");
    olmdex(["build", "-O", "good.db"]).in_directory(root).arg(&catalog).answer().expect_code(0);
    for computed in [
        "hex(zeroblob(400000000))",
        "instr(zeroblob(400000000), CAST(zeroblob(200000000) || x'01' AS BLOB))",
        "instr(zeroblob(60000000), CAST(zeroblob(30000000) || x'01' AS BLOB))",
    ] {
        let sql = format!(
            "ANALYZE; PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = 'CREATE TABLE sqlite_stat1 (tbl, idx, stat AS ({}))' WHERE name = 'sqlite_stat1'",
            computed.replace('\'', "''")
        );
        let legacy = legacy_file(root, "two-packages", &sql);
        let mut files = vec![legacy];
        for (name, more) in [
            ("index.db", ""),
            ("older.db", "; PRAGMA user_version = 9"),
            ("unmarked.db", "; PRAGMA application_id = 0"),
        ] {
            let path = root.join(name);
            std::fs::copy(root.join("good.db"), &path).unwrap();
            let forged = rusqlite::Connection::open(&path).unwrap();
            forged.execute_batch(&format!("{sql}{more}")).unwrap();
            files.push(path);
        }
        for path in files {
            for words in [&["info"][..], &["validate"], &["render"], &["check"], &["list", "bundles", "-i"]] {
                let run = olmdex(words).arg(&path).in_directory(root).after("ulimit -v 1000000; ulimit -t 20");
                let answer = run.answer();
                assert!(
                    matches!(answer.code, Some(1..=3)),
                    "{computed} {words:?} {}\n{}",
                    path.display(),
                    answer.both()
                );
            }
            let answer = olmdex(["build", "--migrate", "-O"]).arg(&path).arg(&catalog).in_directory(root);
            let answer = answer.after("ulimit -v 1000000; ulimit -t 20").answer();
            assert!(matches!(answer.code, Some(1..=4)), "{computed} build {}\n{}", path.display(), answer.both());
        }
    }
}

#[test]
fn mutated_databases_are_survived() {
    let directory = scratch();
    let path = legacy_file(directory.path(), "two-packages", "");
    let whole = std::fs::read(&path).unwrap();
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    let broken = directory.path().join("broken.db");
    for round in 0..120 {
        let mut bytes = whole.clone();
        match round % 4 {
            0 => bytes.truncate(next(bytes.len())),
            1 => {
                for _ in 0..8 {
                    let at = next(bytes.len());
                    bytes[at] ^= 1 << next(8);
                }
            }
            2 => {
                let at = next(bytes.len() / 4096) * 4096;
                bytes[at..at + 4096].fill(0);
            }
            _ => {
                let (from, to) = (next(bytes.len() / 4096) * 4096, next(bytes.len() / 4096) * 4096);
                bytes.copy_within(from..from + 4096, to);
            }
        }
        std::fs::write(&broken, &bytes).unwrap();
        for command in ["render", "doctor"] {
            let answer = olmdex([command, "-q"]).arg(&broken).answer();
            assert!(matches!(answer.code, Some(0 | 1 | 3)), "round {round} {command}\n{}", answer.both());
        }
        assert!(std::fs::read(&broken).unwrap() == bytes, "round {round}: the input was changed");
    }
}

#[test]
fn a_truncated_file_is_damaged_not_foreign() {
    let directory = scratch();
    let path = legacy_file(directory.path(), "two-packages", "");
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    render(&path).expect_code(3).expect_words("damaged");
    let doctor = olmdex(["doctor"]).arg(&path).answer();
    doctor.expect_code(1).expect_words("E0603");
    // Lines of SQLite are lines here, and a table that can be read is no error (first-use e7).
    assert!(!doctor.both().contains("\\n"), "{}", doctor.both());
    let errors = doctor.both();
    assert!(errors.lines().all(|it| !(it.contains("error") && it.contains("is readable"))), "{errors}");
    let bytes = whole.len();
    let damaged = directory.path().join("damaged.db");
    let mut torn = whole.clone();
    torn[bytes - 4096..].fill(0xff);
    std::fs::write(&damaged, &torn).unwrap();
    let doctor = olmdex(["doctor"]).arg(&damaged).answer();
    assert!(!doctor.both().contains("\\n"), "{}", doctor.both());
}

#[test]
fn a_directory_that_cannot_be_replaced_is_filled() {
    let directory = scratch();
    let path = legacy_file(directory.path(), "two-packages", "");
    let out = directory.path().join("out");
    std::fs::create_dir(&out).unwrap();
    // The leftovers of a killed run do not count.
    crate::support::left_workspace(&out.join(".olmdex"));
    write(&out, ".olmdex/files/foo/catalog.json", "half");
    olmdex(["migrate", "--prove"])
        .arg(&path)
        .arg(".")
        .in_directory(&out)
        .answer()
        .expect_code(0)
        .expect_words("both sides");
    let names = |path: &Path| {
        let mut names: Vec<_> = std::fs::read_dir(path).unwrap().map(|it| it.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&out), ["bar", "foo"]);
    let (link, target) = (directory.path().join("link"), directory.path().join("target"));
    std::fs::create_dir(&target).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    olmdex(["migrate"]).arg(&path).arg(&link).answer().expect_code(0);
    assert_eq!(names(&target), ["bar", "foo"]);
    assert!(link.is_symlink());
    let empty = directory.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    olmdex(["migrate"]).arg(&path).arg(&empty).answer().expect_code(0);
    assert_eq!(names(&empty), ["bar", "foo"]);
}

#[test]
fn an_empty_catalog_renders_to_nothing() {
    let directory = scratch();
    let path = directory.path().join("empty.db");
    Connection::open(&path).unwrap().execute_batch(SCHEMA).unwrap();
    assert_eq!(render(&path).expect_code(0).out(), "");
    let out = directory.path().join("out");
    olmdex(["migrate"]).arg(&path).arg(&out).answer().expect_code(0);
    assert!(out.is_dir());
}

#[test]
fn damage_that_sqlite_does_not_see_is_told_by_doctor_and_proof() {
    let rename = |to: &str| {
        let tables = [("package", "name"), ("channel", "package_name"), ("channel_entry", "package_name")];
        let update = |it: (&str, &str)| format!("UPDATE {} SET {1} = '{to}' WHERE {1} = 'foo';", it.0, it.1);
        tables.map(update).concat()
    };
    let evil = rename("../evil");
    // Statements, the findings of `doctor`, and the finding of the proof if the blobs lack something.
    let cases: [(&str, &[&str], Option<&str>); 9] = [
        ("", &[], None),
        (
            "DROP TABLE properties",
            &[
                "E0603]: the table `properties`, which schema 13 has, is missing, and with it the properties of bundles",
                "no such table: properties",
            ],
            Some("the table `properties`"),
        ),
        (
            "ALTER TABLE operatorbundle DROP COLUMN skiprange",
            &["E0603]: the column `skiprange` of the table `operatorbundle`", "the skipRange of bundles"],
            Some("the column `skiprange`"),
        ),
        (
            "DROP TABLE related_image; DROP TABLE deprecated; DROP TABLE dependencies",
            &["the table `related_image`", "the table `dependencies`", "the table `deprecated`"],
            Some("the table `dependencies`"),
        ),
        ("DROP TABLE api_requirer", &["the table `api_requirer`"], None),
        (&evil, &["package `../evil`: invalid package name \"../evil\""], None),
        (
            "UPDATE channel_entry SET depth = -5 WHERE entry_id = 2",
            &["E0604]: channel `", "has entries of impossible depths: `foo.v", ": -5`"],
            None,
        ),
        ("UPDATE channel_entry SET depth = 9223372036854775807 WHERE entry_id = 2", &[": 9223372036854775807`"], None),
        ("UPDATE channel_entry SET depth = NULL WHERE entry_id = 2", &["E0604", ": none`"], None),
    ];
    for (sql, said, lost) in cases {
        let directory = scratch();
        let path = legacy_file(directory.path(), "two-packages", sql);
        let answer = olmdex(["doctor"]).arg(&path).answer();
        answer.expect_code(i32::from(!said.is_empty()));
        for words in said {
            answer.expect_words(words);
        }
        if let Some(lost) = lost {
            let out = directory.path().join("out");
            let answer = olmdex(["migrate", "--prove", "--keep-going"]).arg(&path).arg(&out).answer();
            answer.expect_code(1).expect_words("not proved").expect_words(lost).expect_words("which is lost");
            // Without a proof the loss is reported, too.
            olmdex(["render"]).arg(&path).answer().expect_words(lost);
        }
    }
}

#[test]
fn what_a_file_claims_and_shows_is_told_as_opm_meets_it() {
    let duplicate = "duplicate column name: bundlepath";
    let scan =
        "sql: Scan error on column index 0, name \"version\": converting driver.Value type string (\"abc\") to a int";
    // Statements, opm's message, and words of our message about the tables, if there is one.
    let cases = [
        ("", None, None),
        ("UPDATE schema_migrations SET version = 12", None, None),
        ("UPDATE schema_migrations SET version = 99", None, Some("12 or 13")),
        ("DROP TABLE schema_migrations", Some(duplicate), Some("12 or 13")),
        ("DELETE FROM schema_migrations", Some(duplicate), Some("12 or 13")),
        ("UPDATE schema_migrations SET version = 'abc'", Some(scan), Some("12 or 13")),
        ("UPDATE schema_migrations SET version = 8", Some("duplicate column name: substitutesfor"), Some("12 or 13")),
    ];
    for (sql, opm, shown) in cases {
        let directory = scratch();
        let path = legacy_file(directory.path(), "two-packages", sql);
        let (info, doctor) = (olmdex(["info"]).arg(&path).answer(), olmdex(["doctor"]).arg(&path).answer());
        info.expect_code(0);
        let told =
            info.out().lines().find_map(|it| it.trim().strip_prefix("tables show").map(|it| it.trim().to_owned()));
        assert_eq!(told, shown.map(|it| format!("schema {it}")), "{sql}\n{}", info.both());
        let Some(opm) = opm else {
            assert!(!info.both().contains("opm's error"), "{sql}\n{}", info.both());
            continue;
        };
        for answer in [&info, &doctor] {
            answer.expect_words(opm).expect_words("an unknown release");
            assert!(!answer.both().contains("v1.5.0"), "{sql}\n{}", answer.both());
            assert!(!answer.both().contains("FOREIGN KEY"), "{sql}\n{}", answer.both());
        }
        olmdex(["render", "--compat", "opm"]).arg(&path).answer().expect_code(1).expect_words(opm);
    }
}

#[test]
fn doctor_shows_a_tree_as_lines_and_names_a_broken_bundle_once() {
    let directory = scratch();
    let path = legacy_file(
        directory.path(),
        "two-packages",
        "UPDATE channel_entry SET replaces = 1 WHERE entry_id = 2;
         UPDATE operatorbundle SET bundle = '{broken' WHERE name = 'bar.v0.1.0';
         INSERT INTO channel VALUES ('beta', 'bar', 'bar.v0.1.0');
         INSERT INTO channel_entry VALUES (9, 'beta', 'bar', 'bar.v0.1.0', NULL, 0)",
    );
    let answer = olmdex(["doctor"]).arg(&path).answer();
    answer.expect_code(1);
    let out = answer.out();
    assert!(!out.contains("\\n"), "{out}");
    assert!(out.lines().any(|it| it.starts_with("    └── ")), "{out}");
    let broken: Vec<&str> = out.lines().filter(|it| it.contains("populate channels")).collect();
    assert_eq!(broken.len(), 1, "{out}");
    assert!(broken[0].contains("package `bar`: bundle `bar.v0.1.0`: "), "{out}");
}
