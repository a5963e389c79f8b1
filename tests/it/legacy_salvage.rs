//! `doctor --salvage`: what can be read of a damaged file is saved, and what is lost is named.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::support::legacy::{SCHEMA, query};
use crate::support::{Answer, olmdex, scratch};

const PAGE: usize = 4096;
const BUNDLES: usize = 40;

/// A file of two packages in about 250 pages: the manifests of each bundle take several of their own.
fn large(directory: &Path) -> PathBuf {
    let path = directory.join("whole.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA page_size = 4096; PRAGMA synchronous = OFF").unwrap();
    connection.execute_batch(SCHEMA).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = FALSE; BEGIN").unwrap();
    for n in 0..BUNDLES {
        let (package, version) = (if n < 20 { "foo" } else { "bar" }, format!("1.{}.0", n % 20));
        let (name, image) = (format!("{package}.v{version}"), format!("example.com/{package}:v{version}"));
        let csv = format!(
            r#"{{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{{"name":"{name}"}},"spec":{{"description":"{}","version":"{version}"}}}}"#,
            "x".repeat(20_000)
        );
        connection
            .execute(
                "INSERT INTO operatorbundle VALUES (?1, ?2, NULL, ?3, '', ?4, '', '', '')",
                [&name, &csv, &image, &version],
            )
            .unwrap();
        let property = format!(r#"{{"packageName":"{package}","version":"{version}"}}"#);
        connection
            .execute(
                "INSERT INTO properties VALUES ('olm.package', ?1, ?2, ?3, ?4)",
                [&property, &name, &version, &image],
            )
            .unwrap();
        connection
            .execute(
                "INSERT INTO related_image VALUES (?1, ?2)",
                [&format!("example.com/operand-{}", "y".repeat(400)), &name],
            )
            .unwrap();
        // Entries of a chain: each replaces the one below.
        let below = (n % 20 > 0).then_some(n);
        connection
            .execute(
                "INSERT INTO channel_entry VALUES (?1, 'stable', ?2, ?3, ?4, ?5)",
                rusqlite::params![n + 1, package, name, below, 19 - n % 20],
            )
            .unwrap();
    }
    connection
        .execute_batch(
            "INSERT INTO channel VALUES ('stable', 'foo', 'foo.v1.19.0'), ('stable', 'bar', 'bar.v1.19.0');
             INSERT INTO package VALUES ('foo', 'stable'), ('bar', 'stable'); COMMIT",
        )
        .unwrap();
    connection.close().unwrap();
    path
}

/// Saves a damaged copy, and returns the answer with the file, if there is one.
fn salvage(directory: &Path, bytes: &[u8]) -> (Answer, Option<PathBuf>) {
    let (damaged, saved) = (directory.join("damaged.db"), directory.join("saved.db"));
    std::fs::write(&damaged, bytes).unwrap();
    let _ = std::fs::remove_file(&saved);
    let answer = olmdex(["doctor", "--salvage"]).arg(&damaged).arg("-O").arg(&saved).answer();
    assert!(!answer.both().contains("\\n"), "{}", answer.both());
    assert_eq!(std::fs::read(&damaged).unwrap(), bytes);
    let file = saved.exists().then_some(saved);
    (answer, file)
}

fn count(path: &Path, table: &str) -> usize {
    query(path, &format!("SELECT count(*) FROM {table}")).parse().unwrap()
}

const TABLES: [&str; 6] = ["operatorbundle", "properties", "related_image", "channel_entry", "channel", "package"];

#[test]
fn a_file_without_damage_is_saved_whole() {
    let directory = scratch();
    let bytes = std::fs::read(large(directory.path())).unwrap();
    let (answer, saved) = salvage(directory.path(), &bytes);
    answer.expect_code(0).expect_words("2 packages and 40 bundles; nothing is lost");
    let saved = saved.unwrap();
    let render = |path: &Path| olmdex(["render", "-q"]).arg(path).answer().expect_code(0).out();
    assert_eq!(render(&saved), render(&directory.path().join("whole.db")));
    assert_eq!(query(&saved, "PRAGMA integrity_check"), "ok");
}

/// Any page may be the damaged one.
#[test]
fn a_damaged_page_takes_its_own_rows_with_it_and_no_others() {
    let directory = scratch();
    let bytes = std::fs::read(large(directory.path())).unwrap();
    let n_pages = bytes.len() / PAGE;
    assert!(n_pages > 200, "{n_pages}");
    let (mut n_whole, mut n_definitions) = (0, 0);
    // Every page of tables and indexes, which come first, and some of the manifests.
    for page in (1..n_pages).filter(|page| *page < 45 || page % 9 == 0) {
        let mut torn = bytes.clone();
        torn[page * PAGE..(page + 1) * PAGE].fill(0xff);
        let (answer, saved) = salvage(directory.path(), &torn);
        // The tables are defined in three pages. Without the first, or without most of them, nothing can be found.
        let Some(saved) = saved else {
            answer.expect_code(3).expect_words("the definition of no table can be read");
            n_definitions += 1;
            continue;
        };
        if answer.both().contains("which schema 13 has, is missing") {
            n_definitions += 1;
            continue;
        }
        let lost: usize = TABLES.iter().map(|table| count(&saved, table)).sum();
        n_whole += usize::from(lost == 4 * BUNDLES + 4);
        // A page of rows holds a part of a table; the tables with few rows have one page.
        let found = count(&saved, "operatorbundle");
        assert!(found >= BUNDLES - 14, "page {page}: {found} bundles\n{}", answer.both());
        for table in ["channel_entry", "properties"] {
            let is_lost = count(&saved, table) < BUNDLES;
            let is_told = answer.both().contains(&format!("table `{table}`"));
            assert!(!is_lost || is_told, "page {page}: {table}\n{}", answer.both());
        }
        if answer.code == Some(0) {
            assert_eq!(lost, 4 * BUNDLES + 4, "page {page}: {}", answer.both());
        } else {
            answer.expect_code(1).expect_words("E0603");
        }
        // It can be read, and changed.
        assert_eq!(query(&saved, "PRAGMA integrity_check"), "ok");
        assert_eq!(
            query(
                &saved,
                "SELECT count(*) FROM channel_entry WHERE replaces NOT IN (SELECT entry_id FROM channel_entry)"
            ),
            "0"
        );
        let doctor = olmdex(["doctor", "-q"]).arg(&saved).answer();
        assert!(matches!(doctor.code, Some(0 | 1)) && !doctor.both().contains("disk image"), "{}", doctor.both());
    }
    // Indexes are not rows.
    assert!(n_whole > 3 && n_definitions <= 2, "{n_whole} {n_definitions}");
}

#[test]
fn a_bundle_whose_manifests_are_lost_keeps_its_name_version_and_image() {
    let directory = scratch();
    let whole = large(directory.path());
    let mut bytes = std::fs::read(&whole).unwrap();
    // The middle of the manifests of one bundle.
    let at = memchr_of(&bytes, br#""metadata":{"name":"foo.v1.7.0"}"#);
    let page = at / PAGE * PAGE;
    let next = u32::from_be_bytes(bytes[page + 2 * PAGE..page + 2 * PAGE + 4].try_into().unwrap());
    assert!(next != 0);
    bytes[page + 2 * PAGE..page + 2 * PAGE + 4].copy_from_slice(&u32::MAX.to_be_bytes());
    let (answer, saved) = salvage(directory.path(), &bytes);
    let saved = saved.unwrap();
    answer.expect_code(1).expect_words("these columns are lost: csv");
    assert_eq!(count(&saved, "operatorbundle"), BUNDLES);
    let lost = query(&saved, "SELECT name, version, bundlepath FROM operatorbundle WHERE csv IS NULL");
    let (name, image) = (lost.split('|').next().unwrap(), lost.split('|').nth(2).unwrap());
    assert!(image.replace(":v", ".v").ends_with(name), "{lost}");
    answer.expect_words(&format!("bundle `{name}`"));
    olmdex(["render", "-q"]).arg(&saved).answer().expect_code(0);
}

fn memchr_of(bytes: &[u8], needle: &[u8]) -> usize {
    bytes.windows(needle.len()).position(|it| it == needle).unwrap()
}

#[test]
fn a_truncated_file_is_saved_up_to_its_end() {
    let directory = scratch();
    let bytes = std::fs::read(large(directory.path())).unwrap();
    let mut counts = Vec::new();
    for part in [9, 7, 5, 3] {
        let (answer, saved) = salvage(directory.path(), &bytes[..bytes.len() * part / 10]);
        let saved = saved.unwrap_or_else(|| panic!("{part}: {}", answer.both()));
        answer.expect_code(1).expect_words("lost");
        counts
            .push(query(&saved, "SELECT count(*) FROM operatorbundle WHERE csv IS NOT NULL").parse::<usize>().unwrap());
    }
    assert!(counts.is_sorted_by(|a, b| a > b) && counts[0] > 25 && counts[3] > 5, "{counts:?}");
    // Nothing is left: no file is made.
    let (answer, saved) = salvage(directory.path(), &bytes[..100]);
    assert!(answer.code == Some(3) && saved.is_none(), "{}", answer.both());
}

#[test]
fn what_the_author_of_a_file_wrote_does_not_run_when_it_is_saved() {
    let directory = scratch();
    let whole = large(directory.path());
    Connection::open(&whole)
        .unwrap()
        .execute_batch(
            "DROP TABLE package; CREATE VIEW package AS SELECT 'evil' AS name, 'x' AS default_channel;
             CREATE TRIGGER t AFTER INSERT ON channel BEGIN INSERT INTO related_image VALUES ('evil', 'evil'); END;
             CREATE TABLE other (a)",
        )
        .unwrap();
    let (answer, saved) = salvage(directory.path(), &std::fs::read(&whole).unwrap());
    answer.expect_code(1);
    let saved = saved.unwrap();
    assert_eq!(query(&saved, "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%evil%' OR name = 'other'"), "0");
    assert_eq!(count(&saved, "package"), 0);
    assert_eq!(query(&saved, "SELECT count(*) FROM related_image WHERE image = 'evil'"), "0");
    // It replaces nothing but a legacy file, and not its own input.
    let doctor = |target: &Path| olmdex(["doctor", "--salvage"]).arg(&whole).arg("-O").arg(target).answer();
    doctor(&whole).expect_code(2).expect_words("is the input");
    let text = directory.path().join("letter.txt");
    std::fs::write(&text, "dear").unwrap();
    doctor(&text).expect_code(2);
    assert_eq!(std::fs::read(&text).unwrap(), b"dear");
    olmdex(["doctor", "--salvage"]).arg(&whole).answer().expect_code(2);
}

#[test]
fn rows_that_contradict_others_are_lost_by_name() {
    let directory = scratch();
    let whole = large(directory.path());
    Connection::open(&whole)
        .unwrap()
        .execute_batch(
            "CREATE TABLE copied AS SELECT * FROM package; DROP TABLE package; ALTER TABLE copied RENAME TO package;
             INSERT INTO package SELECT * FROM package",
        )
        .unwrap();
    let n_packages = count(&whole, "package");
    let (answer, saved) = salvage(directory.path(), &std::fs::read(&whole).unwrap());
    answer.expect_code(1).expect_words(&format!("table `package`: {} row", n_packages / 2));
    assert_eq!(count(&saved.unwrap(), "package"), n_packages / 2);
}

/// Every second page is damaged, inner ones too.
#[test]
fn rows_behind_many_gaps_are_found() {
    let directory = scratch();
    let whole = directory.path().join("whole.db");
    let connection = Connection::open(&whole).unwrap();
    connection.execute_batch("PRAGMA page_size = 4096; PRAGMA synchronous = OFF").unwrap();
    connection.execute_batch(SCHEMA).unwrap();
    let rows = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 30000)
                INSERT INTO operatorbundle (rowid, name, csv, bundlepath, version)
                SELECT n * 1000003, 'foo.v' || n, printf('%0100d', n), 'example.com/foo:' || n, n || '.0.0' FROM n";
    connection.execute_batch(&format!("PRAGMA foreign_keys = FALSE; {rows}")).unwrap();
    drop(connection);
    let mut damaged = std::fs::read(&whole).unwrap();
    for page in (41..damaged.len() / PAGE).step_by(2) {
        damaged[page * PAGE..page * PAGE + 8].fill(0xff);
    }
    let (answer, saved) = salvage(directory.path(), &damaged);
    let saved = saved.unwrap_or_else(|| panic!("{}", answer.both()));
    answer.expect_code(1);
    let n_saved: usize = query(&saved, "SELECT count(*) FROM operatorbundle WHERE csv IS NOT NULL").parse().unwrap();
    assert!(n_saved > 1000, "{n_saved}: {}", answer.both());
}

#[test]
fn a_damaged_file_is_sent_only_if_that_is_wanted() {
    let directory = scratch();
    let whole = large(directory.path());
    let mut bytes = std::fs::read(&whole).unwrap();
    for page in (40..bytes.len() / PAGE).step_by(2) {
        bytes[page * PAGE..page * PAGE + 8].fill(0xff);
    }
    std::fs::write(&whole, bytes).unwrap();
    let push = |more: &[&str]| {
        let words = [&["push", "whole.db", "oci:image:v1"], more].concat();
        olmdex(words).in_directory(directory.path()).answer()
    };
    push(&[]).expect_code(1).expect_words("--salvage");
    assert!(!directory.path().join("image").exists());
    push(&["--no-check"]).expect_code(0);
}
