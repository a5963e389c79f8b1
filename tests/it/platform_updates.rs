//! Updates of OpenShift in an index: the updates in it equal those in the files, and known updates are not read again.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::older_index::downgrade;
use crate::support::{olmdex, scratch, write};
use olmdex::calendar::Day;
use olmdex::index::query::{SqlLimits, SqlValue};
use olmdex::index::{Builder, Index, Outcome};
use olmdex::openshift::{Graph, SavedFiles, SavedUpdates, UpdateSource};

/// All cases that the rows must distinguish: releases with two channels and with none, an update with two risks, rules
/// of every type, an update to a missing node, and texts that are not plain.
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

/// The updates of the sources, for several questions.
fn told(sources: &[UpdateSource]) -> String {
    let of = |it: &UpdateSource| -> Vec<Graph> {
        [("stable-4.17", "amd64"), ("stable-4.17", "arm64"), ("eus-4.16", "amd64"), ("none", "amd64")]
            .map(|(channel, arch)| it.graph(&[channel.to_owned()], arch))
            .into()
    };
    sources.iter().map(|it| format!("{} {:#?}\n", it.title(), of(it))).collect()
}

/// In the same way as `build --graph-data`.
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

    // A second run writes nothing, and repeats the warning about the unreadable part.
    let before = std::fs::read(&path).unwrap();
    assert_eq!(build(&path, &saved), Outcome::Unchanged);
    let warnings = Builder::open(&path).unwrap().kept_updates(&saved).unwrap().unwrap();
    assert!(warnings.len() == 1 && warnings[0].contains("blocked-edges/ahead.yaml"), "{warnings:?}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // The same bytes elsewhere.
    let other = directory.path().join("other.db");
    build(&other, &saved);
    assert_eq!(std::fs::read(&other).unwrap(), before);

    // Another order is another answer; with fewer sources, the rest is gone.
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
    // The files have the present time.
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

    // Catalogs join it without changing it; a plan finds the release.
    run(&["build", "4.16=shop", "4.17=shop", "-o", "known.db"]).expect_code(0);
    let plan = ["plan", "--cluster", "cluster.yaml", "--to", "4.17", "--date", "2026-01-01", "-o", "json"];
    let planned = run(&[&plan[..], &["-i", "known.db"]].concat()).out();
    assert!(
        planned.contains("4.17.1") && planned.contains("graph.json (of 2026-01-01), data (graph data of 2026-01-01"),
        "{planned}"
    );
    // The report states its options, which are the only difference between the two.
    let without_options = |text: &str| -> serde_json::Value {
        let mut report: serde_json::Value = serde_json::from_str(text).unwrap();
        report["metadata"].as_object_mut().unwrap().remove("options").unwrap();
        report
    };
    let of_files = run(&[&plan[..], &["-i", "known.db", "--graph", "graph.json", "--graph", "data"]].concat()).out();
    assert_eq!(without_options(&of_files), without_options(&planned));
    // The day of the files is part of them; the same knowledge on another day is new.
    run_on(first_day + 86_400, &["build", "--graph-data", "graph.json", "--graph-data", "data", "-o", "known.db"])
        .expect_code(0)
        .expect_words("wrote");
    let info = run(&["info", "known.db"]).out();
    assert!(info.contains("graph.json") && info.contains("answer   2026-01-02"), "{info}");
    run(&["build", "--graph-data", "graph.json", "--graph-data", "data", "-o", "known.db"]).expect_code(0);
    // An index that is made from it takes the updates over.
    run(&["build", "known.db", "4.18=shop", "-o", "more.db"]).expect_code(0);
    let info_of =
        |it: &str| -> serde_json::Value { serde_json::from_str(&run(&["info", it, "-o", "json"]).out()).unwrap() };
    assert_eq!(info_of("more.db")["items"][0]["updateSources"], info_of("known.db")["items"][0]["updateSources"]);
    run(&["build", "known.db", "4.18=shop", "-o", "more.db"]).expect_code(0).expect_words("up to date");
    // The updates still come from the index if there is another source.
    assert!(run(&[&plan[..], &["-i", "known.db", "-i", "4.18=shop"]].concat()).out().contains("4.17.1"));

    run(&["build", "--no-graph-data", "-o", "known.db"]).expect_code(0).expect_words("wrote");
    run(&["build", "--no-graph-data", "-o", "known.db"]).expect_code(0).expect_words("up to date");
    assert!(!run(&[&way[..], &["-i", "known.db"]].concat()).out().contains("4.17.1"));
    // A file that is not an answer is refused before anything is written.
    run(&["build", "--graph-data", "shop/catalog.json", "-o", "known.db"]).expect_code(3).expect_words("not an answer");
    run(&["build", "--graph-data", "shop", "-o", "never.db"]).expect_code(3).expect_words("graph data");
    assert!(!root.join("never.db").exists());
}

/// A copy of the graph data with channels of several kinds and architectures, which different releases distinguish.
fn many_channels(root: &Path) {
    for (name, versions) in [
        ("stable-4.17", "4.16.1, 4.17.1"),
        ("stable-4.18", "4.17.1, 4.18.1"),
        ("stable-4.19", "4.18.1, 4.19.1"),
        ("fast-4.17", "4.16.1, 4.17.2, 4.17.3+arm64, 4.17.4+multi"),
        // This release is only in the channel of the next version, so no cluster gets it on the way from 4.16.
        ("fast-4.18", "4.16.1, 4.17.2, 4.17.9, 4.18.2"),
        ("fast-4.19", "4.18.2, 4.19.2"),
        ("eus-4.18", "4.16.1, 4.17.5, 4.18.5"),
    ] {
        write(root, &format!("data/channels/{name}.yaml"), format!("name: {name}\nversions: [{versions}]\n"));
    }
}

fn cluster_version(channel: &str, more: &str) -> String {
    format!(
        "apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {{name: version}}\nspec: {{channel: {channel}}}\n\
         status: {{desired: {{version: 4.16.1{more}}}}}\n"
    )
}

/// Both `plan` and `platform-path` keep a cluster on its own kind of channel and its own architecture.
#[test]
fn a_cluster_stays_with_its_channels_and_architecture() {
    const ACCEPTED: &str = "}, conditions: [{type: ReleaseAccepted, status: 'True', message: 'Payload loaded \
                            version=\"4.16.1\" image=\"registry.example.com/release\" architecture=\"arm64\"'}], x: {y: z";
    let node = |name: &str, arch: &str| {
        format!(
            "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\nstatus: {{nodeInfo: {{architecture: {arch}}}}}\n"
        )
    };
    let directory = scratch();
    let root = directory.path();
    many_channels(root);
    let of_two = |one: &str, other: &str| [cluster_version("fast-4.16", ""), node("a", one), node("b", other)].concat();
    let table: Vec<(String, &str, &[&str], &[&str])> = vec![
        // Every step is in the channel of its version, and releases that only a later channel has do not count.
        (cluster_version("fast-4.16", ""), "4.19", &[], &["4.17.2", "4.18.2", "4.19.2"]),
        (cluster_version("stable-4.16", ""), "4.19", &[], &["4.17.1", "4.18.1", "4.19.1"]),
        (cluster_version("''", ""), "4.17", &[], &["4.17.1"]),
        (cluster_version("eus-4.16", ""), "4.18", &[], &["4.17.5", "4.18.5"]),
        // Without extended support, releases come from the stable channel.
        (cluster_version("eus-4.16", ""), "4.17", &[], &["4.17.1"]),
        (cluster_version("fast-4.16", ", architecture: Multi"), "4.17", &[], &["4.17.4"]),
        (cluster_version("fast-4.16", ACCEPTED), "4.17", &[], &["4.17.3"]),
        (of_two("arm64", "arm64"), "4.17", &[], &["4.17.3"]),
        // Nodes of two kinds do not show the architecture of the release.
        (of_two("arm64", "amd64"), "4.17", &[], &["4.17.2"]),
        (cluster_version("fast-4.16", ACCEPTED), "4.17", &["--arch", "amd64"], &["4.17.2"]),
        (cluster_version("fast-4.16", ""), "4.18", &["--channel", "stable"], &["4.17.1", "4.18.1"]),
        (cluster_version("fast-4.16", ""), "4.18", &["--channel", "eus-4.18"], &["4.17.5", "4.18.5"]),
    ];
    for (cluster, to, more, expected) in table {
        write(root, "cluster.yaml", &cluster);
        let run = |command: &[&str]| {
            let fixed = ["--cluster", "cluster.yaml", "--to", to, "--graph", "data", "-o", "json"];
            let all = command.iter().chain(&fixed).chain(more).copied();
            let answer = olmdex(all).in_directory(root).answer();
            let value: serde_json::Value =
                serde_json::from_str(&answer.out()).unwrap_or_else(|_| panic!("{}", answer.both()));
            value
        };
        let text = |it: &serde_json::Value| it.as_str().map(str::to_owned);
        let path = run(&["platform-path"]);
        let hops: Vec<String> =
            path["items"][0]["hops"].as_array().unwrap().iter().filter_map(|it| text(&it["to"])).collect();
        assert_eq!(hops, expected, "{cluster} {more:?}");
        write(root, "shop.yaml", "schema: olm.package\nname: till\ndefaultChannel: s\n");
        let plan = run(&["plan", "-i", "4.16=shop.yaml", "--date", "2026-01-01"]);
        let releases: Vec<String> =
            plan["steps"].as_array().unwrap().iter().filter_map(|it| text(&it["release"])).collect();
        assert_eq!(releases, expected, "{cluster} {more:?}");
    }
}

/// The commands to run follow the channels that the updates were found in.
#[test]
fn commands_change_the_channel_where_it_changes() {
    let directory = scratch();
    let root = directory.path();
    many_channels(root);
    write(root, "shop.yaml", "schema: olm.package\nname: till\ndefaultChannel: s\n");
    let commands = |channel: &str, to: &str, more: &[&str]| -> Vec<String> {
        write(root, "cluster.yaml", cluster_version(channel, ""));
        let fixed = ["plan", "--cluster", "cluster.yaml", "--to", to, "-i", "4.16=shop.yaml", "-o", "script"];
        let answer = olmdex(fixed.iter().chain(more).copied()).in_directory(root).answer();
        let out = answer.out();
        out.lines().filter(|it| it.starts_with("oc adm upgrade")).map(str::to_owned).collect()
    };
    let data = ["--graph", "data"];
    assert_eq!(
        commands("fast-4.16", "4.18", &data),
        [
            "oc adm upgrade channel fast-4.17",
            "oc adm upgrade --to=4.17.2",
            "oc adm upgrade channel fast-4.18",
            "oc adm upgrade --to=4.18.2"
        ]
    );
    // One channel for both, which the cluster may have already.
    let both = ["oc adm upgrade channel eus-4.18", "oc adm upgrade --to=4.17.5", "oc adm upgrade --to=4.18.5"];
    assert_eq!(commands("eus-4.16", "4.18", &data), both);
    assert_eq!(commands("eus-4.18", "4.18", &data), both[1..]);
    // The same without known updates.
    assert_eq!(commands("candidate-4.16", "4.17", &[]), ["oc adm upgrade channel candidate-4.17", "oc adm upgrade"]);
    // A channel that is not in the data has no known updates, which is reported.
    let answer =
        olmdex(["plan", "--cluster", "cluster.yaml", "--to", "4.17", "-i", "4.17=shop.yaml", "--graph", "data"]);
    answer.in_directory(root).answer().expect_words("the graph data hold no channel candidate-4.17");
    olmdex(["plan", "--cluster", "cluster.yaml", "--to", "4.18", "--eus", "--channel", "fast", "-i", "4.17=shop.yaml"])
        .in_directory(root)
        .answer()
        .expect_code(2);
}

/// 4.23 and 5.0 are one release: it has the name under which something is known of it.
#[test]
fn after_4_22_comes_5_0() {
    let directory = scratch();
    let root = directory.path();
    write(root, "shop.yaml", "schema: olm.package\nname: till\ndefaultChannel: s\n");
    write(
        root,
        "cluster.yaml",
        "apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\nstatus: {desired: {version: 4.22.1}}\n",
    );
    for (at, versions) in [("new", ["5.0", "5.1"]), ("old", ["4.23", "5.1"])] {
        let mut before = "4.22.1".to_owned();
        for version in versions {
            let text = format!("name: stable-{version}\nversions: [{before}, {version}.1]\n");
            write(root, &format!("{at}/channels/stable-{version}.yaml"), text);
            before = format!("{version}.1");
        }
    }
    let path = |more: &[&str]| -> (Vec<String>, Vec<String>) {
        let fixed = ["plan", "--cluster", "cluster.yaml", "--to", "5.1", "-o", "json"];
        let answer = olmdex(fixed.iter().chain(more).copied()).in_directory(root).answer();
        let plan: serde_json::Value =
            serde_json::from_str(&answer.out()).unwrap_or_else(|_| panic!("{}", answer.both()));
        let texts =
            |it: &serde_json::Value| it.as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect();
        let releases =
            plan["steps"].as_array().unwrap().iter().filter_map(|it| it["release"].as_str().map(str::to_owned));
        (texts(&plan["metadata"]["path"]), releases.collect())
    };
    let is = |path: &[&str], releases: &[&str]| {
        let own = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        (own(path), own(releases))
    };
    let first = ["-i", "4.22=shop.yaml"];
    assert_eq!(path(&first), is(&["4.22", "5.0", "5.1"], &[]));
    assert_eq!(path(&[&first[..], &["--graph", "new"]].concat()), is(&["4.22", "5.0", "5.1"], &["5.0.1", "5.1.1"]));
    assert_eq!(path(&[&first[..], &["--graph", "old"]].concat()), is(&["4.22", "4.23", "5.1"], &["4.23.1", "5.1.1"]));
    // A catalog's name also counts, whichever of both it uses.
    assert_eq!(path(&["-i", "4.23=shop.yaml"]).0, ["4.22", "4.23", "5.1"]);
    let both = [&first[..], &["-i", "4.23=shop.yaml", "-i", "5.1=shop.yaml", "--graph", "new"]].concat();
    assert_eq!(path(&both), is(&["4.22", "5.0", "5.1"], &["5.0.1", "5.1.1"]));
    let fixed = ["plan", "--cluster", "cluster.yaml", "--to", "5.1", "-o", "text"];
    let answer = olmdex(fixed.iter().chain(&both).copied()).in_directory(root).answer();
    assert!(!answer.out().contains("catalog-missing"), "{}", answer.out());
    let answer = olmdex(["platform-path", "--from", "4.21", "--to", "5.1"]).in_directory(root).answer();
    answer.expect_code(0);
    assert!(answer.out().contains("5.0") && !answer.out().contains("4.23"), "{}", answer.out());
}
