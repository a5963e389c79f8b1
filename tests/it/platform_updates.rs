//! Updates of OpenShift in an index: what is read from it is what is read from the files, and what is known is not read again.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::older_index::downgrade;
use crate::support::{olmdex, scratch, write};
use olmdex::index::query::{SqlLimits, SqlValue};
use olmdex::index::{Builder, Index, Outcome};
use olmdex::platform::{Day, Graph, SavedFiles, SavedUpdates, UpdateSource};

/// All that the rows must tell apart: two channels of a release and none, an update with two risks, rules of every type, an update to
/// what is no node, and texts that are not plain.
const ANSWER: &str = r#"{"nodes": [
  {"version": "4.16.30", "metadata": {"io.openshift.upgrades.graph.release.channels": "eus-4.16,stable-4.17"}},
  {"version": "4.17.1+amd64", "metadata": {"url": "https://errata.example.com/'; DROP TABLE update_source; --"}},
  {"version": "not a version"}],
 "edges": [[0, 1], [1, 2]],
 "conditionalEdges": [
  {"edges": [{"from": "4.16.30", "to": "4.17.9"}],
   "risks": [{"name": "A", "url": "u", "message": "line\n\u0000\u202e", "matchingRules": [{"type": "PromQL", "promql": {"promql": "x == 1"}}, {"type": "Moon"}]},
             {"name": "B", "matchingRules": [{"type": "Always"}]}]}]}"#;

const DATA: &[(&str, &str)] = &[
    ("version", "1.1.0\n"),
    ("channels/stable-4.17.yaml", "name: stable-4.17\nversions: [4.16.1, 4.16.2+arm64, 4.17.0, 4.17.1, 4.17.1, odd]\n"),
    ("channels/eus-4.16.yaml", "name: eus-4.16\nversions: []\n"),
    ("blocked-edges/4.17.0-Slow.yaml", "to: 4.17.0\nfrom: 4[.]16[.].*\nname: Slow\nmatchingRules: [{type: Always}]\n"),
    ("blocked-edges/4.17.1.yaml", "to: 4.17.1\nfrom: ^4[.]16[.]1[+]amd64$\n"),
    ("blocked-edges/ahead.yaml", "to: 4.17.1\nfrom: (?=4)\n"),
    (
        "build-suggestions/4.17.yaml",
        "default: {minor_min: 4.16.1, z_max: 4.17.9, z_block_list: [4.17.0]}\narm64: {minor_min: 4.16.9}\n",
    ),
];

fn saved() -> Vec<SavedUpdates> {
    let answer = SavedFiles::Answer(ANSWER.as_bytes().to_vec());
    let files = DATA.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    let source = |name: &str, files| SavedUpdates { name: name.to_owned(), as_of: Day::parse("2026-02-03"), files };
    vec![source("graph.json", answer), source("graph-data", SavedFiles::Data(files))]
}

fn read(saved: &[SavedUpdates]) -> Vec<UpdateSource> {
    saved.iter().map(|it| it.read().unwrap()).collect()
}

/// What the sources tell, in whatever question.
fn told(sources: &[UpdateSource]) -> String {
    let of = |it: &UpdateSource| -> Vec<Graph> {
        [("stable-4.17", "amd64"), ("stable-4.17", "arm64"), ("eus-4.16", "amd64"), ("none", "amd64")]
            .map(|(channel, arch)| it.graph(&[channel.to_owned()], arch))
            .into()
    };
    sources.iter().map(|it| format!("{} {:#?}\n", it.title(), of(it))).collect()
}

/// As `build --graph-data` does it.
fn build(path: &Path, saved: &[SavedUpdates]) -> Outcome {
    let mut builder = Builder::open(path).unwrap();
    if builder.kept_updates(saved).unwrap().is_none() {
        let sources: Vec<_> = saved.iter().cloned().zip(read(saved)).collect();
        builder.set_updates(&sources).unwrap();
    }
    builder.finish().unwrap()
}

#[test]
fn rows_say_what_files_say() {
    let directory = scratch();
    let path = directory.path().join("index.db");
    let saved = saved();
    let expected = told(&read(&saved));
    for must in ["4.17.9", "Always", "Moon", "x == 1", "is_estimated: true", "DROP TABLE", "\"eus-4.16\""] {
        assert!(expected.contains(must), "{must}: {expected}");
    }
    assert_eq!(build(&path, &saved), Outcome::Written);
    assert_eq!(told(&Index::open(&path).unwrap().update_sources().unwrap()), expected);

    // Once more: nothing is written, and what could not be read is said again.
    let before = std::fs::read(&path).unwrap();
    assert_eq!(build(&path, &saved), Outcome::Unchanged);
    let warnings = Builder::open(&path).unwrap().kept_updates(&saved).unwrap().unwrap();
    assert!(warnings.len() == 1 && warnings[0].contains("blocked-edges/ahead.yaml"), "{warnings:?}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // The same bytes elsewhere.
    let other = directory.path().join("other.db");
    build(&other, &saved);
    assert_eq!(std::fs::read(&other).unwrap(), before);

    // In another order it is another answer; with less, the rest is gone.
    assert_eq!(build(&path, &saved[1..]), Outcome::Written);
    assert_eq!(told(&Index::open(&path).unwrap().update_sources().unwrap()), told(&read(&saved[1..])));
    assert_eq!(build(&path, &saved), Outcome::Written);
    assert_eq!(told(&Index::open(&path).unwrap().update_sources().unwrap()), expected);
}

#[test]
fn older_indexes_know_no_updates() {
    let directory = scratch();
    let path = directory.path().join("index.db");
    build(&path, &saved());
    downgrade(&path, 6);
    assert!(!Builder::open(&path).unwrap().has_updates().unwrap());
    assert!(Builder::open(&path).unwrap().kept_updates(&saved()).unwrap().is_none());
    Builder::open(&path).unwrap().finish().unwrap();
    assert!(Index::open(&path).unwrap().update_sources().unwrap().is_empty());
    assert_eq!(build(&path, &saved()), Outcome::Written);
}

#[test]
fn damaged_rows_are_said() {
    let directory = scratch();
    for change in [
        "UPDATE blocked_edge SET from_pattern = '(' WHERE position = 0",
        "UPDATE blocked_edge SET risk = 99",
        "UPDATE platform_update_risk SET risk = -1",
        "UPDATE update_risk SET matching_rules = '['",
        "UPDATE update_source SET kind = 'x'",
        "UPDATE build_suggestion SET z_block_list = '{}'",
        "UPDATE build_suggestion SET minor_block_list = ''",
        "UPDATE update_source SET as_of = 'soon'",
        "UPDATE build_suggestion SET minor = ''",
        "UPDATE platform_release SET version = x'ff'",
        "UPDATE platform_release SET channel = NULL WHERE source = 2",
    ] {
        let path = directory.path().join("index.db");
        drop(std::fs::remove_file(&path));
        build(&path, &saved());
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch(&format!("PRAGMA foreign_keys = OFF; {change}")).unwrap();
        let found = Index::open(&path).unwrap().update_sources();
        assert!(found.is_err(), "{change}: {found:?}");
    }
}

#[test]
fn views_show_them() {
    let directory = scratch();
    let path = directory.path().join("index.db");
    build(&path, &saved());
    let mut index = Index::open(&path).unwrap();
    let mut first = |sql: &str| index.sql(sql, SqlLimits::default()).unwrap().rows[0][0].clone();
    assert_eq!(
        first("SELECT count(*) FROM v_release WHERE channel = 'stable-4.17' AND source = 'graph-data'"),
        SqlValue::Integer(6)
    );
    assert_eq!(
        first("SELECT group_concat(risk, ' ') FROM v_update WHERE to_version = '4.17.9'"),
        SqlValue::Text("A B".to_owned())
    );
    assert_eq!(first("SELECT count(*) FROM v_update WHERE risk IS NULL"), SqlValue::Integer(2));
    assert_eq!(
        first("SELECT file FROM v_blocked_edge WHERE matching_rules = '[]'"),
        SqlValue::Text("blocked-edges/4.17.1.yaml".to_owned())
    );
    assert_eq!(
        first("SELECT json_extract(matching_rules, '$[0].promql.promql') FROM v_update WHERE risk = 'A'"),
        SqlValue::Text("x == 1".to_owned())
    );
    assert_eq!(
        first("SELECT minor_block_list || z_block_list FROM v_build_suggestion WHERE arch = 'default'"),
        SqlValue::Text("[][\"4.17.0\"]".to_owned())
    );
}

#[test]
fn commands_take_them_from_the_index() {
    let directory = scratch();
    let root = directory.path();
    write(root, "graph.json", ANSWER);
    for (path, text) in DATA {
        write(root, &format!("data/{path}"), text);
    }
    write(
        root,
        "shop/catalog.json",
        r#"{"schema":"olm.package","name":"till","defaultChannel":"s"}
{"schema":"olm.channel","package":"till","name":"s","entries":[{"name":"till.v1.0.0"}]}
{"schema":"olm.bundle","package":"till","name":"till.v1.0.0","image":"registry.example.com/till:1","properties":[{"type":"olm.package","value":{"packageName":"till","version":"1.0.0"}}]}"#,
    );
    write(
        root,
        "cluster.yaml",
        "apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\nstatus: {desired: {version: 4.16.30}, history: [{state: Completed, version: 4.16.30}]}\n",
    );
    // The files are of today.
    let run_on = |seconds: u64, arguments: &[&str]| {
        olmdex(arguments.iter().copied()).env("SOURCE_DATE_EPOCH", &seconds.to_string()).in_directory(root).answer()
    };
    // 2026-01-01
    let first_day = 1_767_225_600;
    let run = |arguments: &[&str]| run_on(first_day, arguments);
    // Updates alone are something to build.
    run(&["build", "--graph-data", "graph.json", "--graph-data", "data", "-o", "index.db"])
        .expect_code(0)
        .expect_words("blocked-edges/ahead.yaml");
    run(&["build", "--graph-data", "graph.json", "--graph-data", "data", "-o", "index.db"])
        .expect_code(0)
        .expect_words("index.db is up to date")
        .expect_words("blocked-edges/ahead.yaml");
    let way = ["platform-path", "--from", "4.16.30", "--to", "4.17", "-o", "json"];
    let of_files = run(&[&way[..], &["--graph", "graph.json", "--graph", "data"]].concat()).out();
    assert!(of_files.contains("4.17.1"), "{of_files}");
    assert_eq!(run(&way).out(), of_files, "from ./index.db");
    std::fs::rename(root.join("index.db"), root.join("known.db")).unwrap();
    assert_eq!(run(&[&way[..], &["-i", "known.db"]].concat()).out(), of_files);
    assert!(!run(&way).out().contains("4.17.1"), "nothing is known without an index");

    // Catalogs join it and leave it alone; a plan finds the release.
    run(&["build", "4.16=shop", "4.17=shop", "-o", "known.db"]).expect_code(0);
    let plan = ["plan", "--cluster", "cluster.yaml", "--to", "4.17", "--date", "2026-01-01", "-o", "json"];
    let planned = run(&[&plan[..], &["-i", "known.db"]].concat()).out();
    assert!(
        planned.contains("4.17.1") && planned.contains("graph.json (of 2026-01-01), data (graph data of 2026-01-01"),
        "{planned}"
    );
    assert_eq!(
        run(&[&plan[..], &["-i", "known.db", "--graph", "graph.json", "--graph", "data"]].concat()).out(),
        planned
    );
    // The day of the files is theirs; to know the same on another day is news.
    run_on(first_day + 86_400, &["build", "--graph-data", "graph.json", "--graph-data", "data", "-o", "known.db"])
        .expect_code(0)
        .expect_words("wrote");
    let info = run(&["info", "known.db"]).out();
    assert!(info.contains("graph.json") && info.contains("answer   2026-01-02"), "{info}");
    run(&["build", "--graph-data", "graph.json", "--graph-data", "data", "-o", "known.db"]).expect_code(0);
    // An index that is made of it takes it over.
    run(&["build", "known.db", "4.18=shop", "-o", "more.db"]).expect_code(0);
    let info_of =
        |it: &str| -> serde_json::Value { serde_json::from_str(&run(&["info", it, "-o", "json"]).out()).unwrap() };
    assert_eq!(info_of("more.db")["items"][0]["updateSources"], info_of("known.db")["items"][0]["updateSources"]);
    run(&["build", "known.db", "4.18=shop", "-o", "more.db"]).expect_code(0).expect_words("up to date");
    // Beside another source the index is still asked.
    assert!(run(&[&plan[..], &["-i", "known.db", "-i", "4.18=shop"]].concat()).out().contains("4.17.1"));

    run(&["build", "--no-graph-data", "-o", "known.db"]).expect_code(0).expect_words("wrote");
    run(&["build", "--no-graph-data", "-o", "known.db"]).expect_code(0).expect_words("up to date");
    assert!(!run(&[&way[..], &["-i", "known.db"]].concat()).out().contains("4.17.1"));
    // What is no answer is refused before anything is written.
    run(&["build", "--graph-data", "shop/catalog.json", "-o", "known.db"]).expect_code(3).expect_words("not an answer");
    run(&["build", "--graph-data", "shop", "-o", "never.db"]).expect_code(3).expect_words("graph data");
    assert!(!root.join("never.db").exists());
}
