//! Plans from incomplete data: catalogs of one minor version, one family of several, clusters that contradict
//! themselves. The plan uses all known facts, and each unknown fact has a line. And in CI, a plan fails whenever work
//! is left.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::support::catalog::Catalog;
use crate::support::{Answer, olmdex, scratch, write};

/// `p` may always stay; `q` must be updated before the cluster leaves 4.17.
fn shop() -> String {
    let entries = |package: &str| {
        [format!("{{name: {package}.v1.0.0}}"), format!("{{name: {package}.v1.1.0, replaces: {package}.v1.0.0}}")]
    };
    let catalog = ["p", "q"].into_iter().fold(Catalog::default(), |it, package| {
        let entries = entries(package);
        it.package(package, "stable").channel(package, "stable", &[&entries[0], &entries[1]])
    });
    let max = |version: &str| format!("{{type: olm.maxOpenShiftVersion, value: \"{version}\"}}");
    catalog
        .bundle("p", "1.0.0", &[])
        .bundle("p", "1.1.0", &[])
        .bundle("q", "1.0.0", &[&max("4.17")])
        .bundle("q", "1.1.0", &[&max("4.20")])
        .yaml()
}

/// An installed operator with its Subscription.
fn operator(namespace: &str, package: &str, source: &str, properties: &str) -> String {
    format!(
        "- apiVersion: operators.coreos.com/v1alpha1\n  kind: Subscription\n  metadata: {{name: {package}, namespace: {namespace}}}\n  \
         spec: {{name: {package}, channel: stable, source: {source}, sourceNamespace: openshift-marketplace}}\n  \
         status: {{installedCSV: {package}.v1.0.0, currentCSV: {package}.v1.0.0}}\n\
         - apiVersion: operators.coreos.com/v1alpha1\n  kind: ClusterServiceVersion\n  \
         metadata: {{name: {package}.v1.0.0, namespace: {namespace}, annotations: {{operatorframework.io/properties: '{{\"properties\":[{properties}]}}'}}}}\n  \
         spec: {{version: 1.0.0}}\n  status: {{phase: Succeeded}}\n"
    )
}

const MAX_4_17: &str = r#"{"type":"olm.maxOpenShiftVersion","value":"4.17"}"#;

fn version(release: &str) -> String {
    format!(
        "- apiVersion: config.openshift.io/v1\n  kind: ClusterVersion\n  metadata: {{name: version}}\n  \
         spec: {{clusterID: one}}\n  status: {{desired: {{version: {release}}}}}\n"
    )
}

fn list(items: &[String]) -> String {
    format!("apiVersion: v1\nkind: List\nitems:\n{}", items.concat())
}

fn plan(root: &Path, clusters: &[&str], more: &[&str]) -> Answer {
    let clusters = clusters.iter().flat_map(|it| ["--cluster", it]);
    let fixed = ["plan", "--date", "2026-03-01"].into_iter().chain(clusters);
    olmdex(fixed.chain(more.iter().copied())).in_directory(root).answer()
}

fn json_of(answer: &Answer) -> Value {
    serde_json::from_str(&answer.out()).unwrap_or_else(|_| panic!("{}", answer.both()))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Code, subject and version of OpenShift of the unknown facts.
fn unknowns(plan: &Value) -> Vec<String> {
    let words = |it: &Value| ["code", "subject", "platform"].map(|key| text(&it[key])).join(" ").trim().to_owned();
    plan["unknowns"].as_array().unwrap().iter().map(|it| words(it).replace("  ", " ")).collect()
}

/// A case: the catalogs, the states of `p` at 4.16, 4.17 and 4.18, the steps, the verdict, and the lines about unknown
/// facts.
type Case<'c> = (&'c [&'c str], [&'c str; 3], &'c [&'c str], &'c str, &'c [&'c str]);

const CASES: &[Case<'_>] = &[
    (
        &["4.16"],
        ["behind", "unknown", "unknown"],
        &["operator qs/q", "platform 4.17", "platform 4.18"],
        "attention",
        &["catalog-missing 4.17", "catalog-missing 4.18", "compatibility-unstated ps/p 4.18"],
    ),
    (
        &["4.17"],
        ["unknown", "behind", "unknown"],
        &["platform 4.17", "operator qs/q", "platform 4.18"],
        "attention",
        &["catalog-missing 4.16", "catalog-missing 4.18", "compatibility-unstated ps/p 4.18"],
    ),
    // An update in the missing catalog may lift the block; none in the given ones does.
    (
        &["4.18"],
        ["unknown", "unknown", "behind"],
        &["platform 4.17", "platform 4.18", "operator ps/p optional"],
        "blocked",
        &["catalog-missing 4.16", "catalog-missing 4.17", "compatibility-unstated ps/p 4.18"],
    ),
    // A catalog of a version that is not on the way does not help, and the line lists the given ones.
    (
        &["4.15"],
        ["unknown", "unknown", "unknown"],
        &["platform 4.17", "platform 4.18"],
        "blocked",
        &["catalog-missing 4.16", "catalog-missing 4.17", "catalog-missing 4.18", "compatibility-unstated ps/p 4.18"],
    ),
    (
        &["4.16", "4.18"],
        ["behind", "unknown", "behind"],
        &["operator qs/q", "platform 4.17", "platform 4.18", "operator ps/p optional"],
        "attention",
        &["catalog-missing 4.17", "compatibility-unstated ps/p 4.18"],
    ),
    // One family is fully known, the other is unknown at two versions: each has its line.
    (
        &["4.16/shop", "4.17/shop", "4.18/shop", "4.17/stall"],
        ["behind", "behind", "behind"],
        &["platform 4.17", "operator qs/q", "platform 4.18", "operator ps/p optional"],
        "attention",
        &["catalog-missing stall 4.16", "catalog-missing stall 4.18", "compatibility-unstated ps/p 4.18"],
    ),
];

#[test]
fn catalogs_of_some_versions_answer_for_these() {
    let directory = scratch();
    let root = directory.path();
    write(root, "shop.yaml", shop());
    for (catalogs, states, steps, verdict, lines) in CASES {
        let source = if catalogs.iter().any(|it| it.contains("stall")) { "stall" } else { "shop" };
        let cluster =
            list(&[version("4.16.3"), operator("ps", "p", "shop", ""), operator("qs", "q", source, MAX_4_17)]);
        write(root, "cluster.yaml", cluster);
        let inputs: Vec<String> = catalogs.iter().map(|it| format!("{it}=shop.yaml")).collect();
        let more: Vec<&str> = inputs.iter().flat_map(|it| ["-i", it]).chain(["--to", "4.18", "-o", "json"]).collect();
        let plan = json_of(&plan(root, &["cluster.yaml"], &more));
        let of_p = plan["operators"].as_array().unwrap().iter().find(|it| it["package"] == "p").unwrap();
        assert_eq!(["4.16", "4.17", "4.18"].map(|it| text(&of_p["state"][it])), *states, "{catalogs:?}");
        let step = |it: &Value| {
            let what =
                [text(&it["subject"]), if it["kind"] == "platform" { text(&it["to"]) } else { String::new() }].concat();
            let optional = if it["optional"] == true { " optional" } else { "" };
            format!("{} {what}{optional}", text(&it["kind"]))
        };
        let found: Vec<String> = plan["steps"].as_array().unwrap().iter().map(step).collect();
        assert_eq!(found, *steps, "{catalogs:?}");
        assert_eq!(plan["verdict"], *verdict, "{catalogs:?}");
        let found: BTreeSet<String> = unknowns(&plan).into_iter().collect();
        assert_eq!(found, lines.iter().map(|it| (*it).to_owned()).collect(), "{catalogs:?}");
        if *catalogs == ["4.15"] {
            assert!(plan["unknowns"].to_string().contains("those given are for 4.15"), "{plan}");
        }
    }
}

/// How often something failed, as CI counts it.
fn failures(junit: &str) -> u64 {
    let line = junit.lines().find(|it| it.starts_with("<testsuites ")).unwrap_or_else(|| panic!("{junit}"));
    let of = |key: &str| -> u64 {
        line.split_once(&format!(" {key}=\"")).unwrap().1.split('"').next().unwrap().parse().unwrap()
    };
    assert_eq!(of("errors"), 0, "{junit}");
    assert_eq!(of("failures"), junit.matches("<failure ").count() as u64, "{junit}");
    of("failures")
}

/// A case failed if and only if the plan is not ready, which is also when the command exits with 1.
#[test]
fn a_plan_fails_in_ci_exactly_when_it_is_not_ready() {
    let directory = scratch();
    let root = directory.path();
    write(root, "shop.yaml", shop());
    write(
        root,
        "small.yaml",
        Catalog::default()
            .package("p", "stable")
            .channel("p", "stable", &["{name: p.v1.0.0}"])
            .bundle("p", "1.0.0", &[])
            .yaml(),
    );
    let (p, q) = (operator("ps", "p", "shop", ""), operator("qs", "q", "shop", MAX_4_17));
    let extension = "- apiVersion: olm.operatorframework.io/v1\n  kind: ClusterExtension\n  metadata: {name: e}\n  \
                     spec: {namespace: es, source: {sourceType: Catalog, catalog: {packageName: p}}}\n  \
                     status: {install: {bundle: {name: p.v1.0.0, version: 1.0.0}}}\n";
    let clusters = [
        ("none", list(&[version("4.16.3")])),
        ("fine", list(&[version("4.16.3"), p.clone()])),
        ("both", list(&[version("4.16.3"), p.clone(), q.clone()])),
        ("failed", list(&[version("4.16.3"), p.replace("Succeeded", "Failed")])),
        ("one-namespace", list(&[version("4.16.3"), p.replace("namespace: ps", "namespace: qs"), q.clone()])),
        (
            "twice",
            list(&[version("4.16.3"), p.clone(), p.replace("name: p, namespace: ps", "name: p2, namespace: ps")]),
        ),
        ("no-subscription", list(&[version("4.16.3"), q.replace("kind: Subscription", "kind: Other")])),
        ("source", list(&[version("4.16.3"), p.clone(), q.replace("source: shop", "source: elsewhere")])),
        ("channel", list(&[version("4.16.3"), p.replace("channel: stable", "channel: gone")])),
        ("extension", list(&[version("4.16.3"), extension.to_owned()])),
    ];
    for (name, text) in &clusters {
        write(root, &format!("{name}.yaml"), text);
    }
    let catalogs: &[&[&str]] = &[
        &["-i", "4.16=shop.yaml", "-i", "4.17=shop.yaml", "-i", "4.18=shop.yaml"],
        &["-i", "4.16=shop.yaml"],
        &["-i", "4.17=shop.yaml"],
        &["-i", "4.16=small.yaml", "-i", "4.17=small.yaml", "-i", "4.18=small.yaml"],
        &["-i", "4.16/shop=shop.yaml", "-i", "4.17/shop=small.yaml", "-i", "4.18/shop=small.yaml"],
    ];
    let mut verdicts = BTreeSet::new();
    for (name, _) in &clusters {
        for catalogs in catalogs {
            for to in [&["--to", "4.17"][..], &["--to", "4.18"], &["--to", "4.18", "--eus"]] {
                let run = |format| plan(root, &[&format!("{name}.yaml")], &[catalogs, to, &["-o", format]].concat());
                let verdict = text(&json_of(&run("json"))["verdict"]);
                let junit = run("junit");
                let is_ready = verdict == "ready";
                assert_eq!(
                    failures(&junit.out()) == 0,
                    is_ready,
                    "{name} {catalogs:?} {to:?}: {verdict}\n{}",
                    junit.out()
                );
                assert_eq!(junit.code, Some(i32::from(!is_ready)), "{name} {catalogs:?} {to:?}: {verdict}");
                verdicts.insert(verdict);
            }
        }
    }
    assert_eq!(verdicts.into_iter().collect::<Vec<_>>(), ["attention", "blocked", "ready", "unknown"]);
}

/// Objects that contradict each other: the plan uses one of them, and a line reports that.
#[test]
fn contradictions_between_objects_are_said() {
    let directory = scratch();
    let root = directory.path();
    write(root, "shop.yaml", shop());
    let p = operator("ps", "p", "shop", "");
    let of_q = r#"{"type":"olm.package","value":{"packageName":"q","version":"1.0.0"}}"#;
    let copy = |it: &str| it.replace("annotations:", "labels: {olm.copiedFrom: home}, annotations:");
    let other = version("4.16.9").replace("clusterID: one", "clusterID: two");
    let run = |clusters: &[String]| -> Value {
        let names: Vec<String> = (0..clusters.len()).map(|it| format!("{it}.yaml")).collect();
        names.iter().zip(clusters).for_each(|(name, text)| drop(write(root, name, text)));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        json_of(&plan(root, &names, &["--to", "4.17", "-i", "4.16=shop.yaml", "-i", "4.17=shop.yaml", "-o", "json"]))
    };
    let warnings = |plan: &Value| plan["metadata"]["warnings"].to_string();

    // The Subscription is to another package than that of the ClusterServiceVersion.
    let plan = run(&[list(&[version("4.16.3"), operator("ps", "p", "shop", of_q)])]);
    assert!(unknowns(&plan).contains(&"package-contradicts ps/p".to_owned()), "{plan}");
    assert_eq!(plan["operators"][0]["package"], "p");

    // The ClusterServiceVersion of the Subscription is only a copy there.
    let plan = run(&[list(&[version("4.16.3"), copy(&p)])]);
    assert_eq!(
        (unknowns(&plan), plan["operators"].as_array().unwrap().len()),
        (vec!["csv-missing ps/p".to_owned()], 0)
    );

    // The same object twice: the later one counts, and nothing is listed twice.
    let plan = run(&[list(&[version("4.16.3"), p.clone()]), list(&[p.replace("Succeeded", "Failed")])]);
    assert_eq!(plan["operators"].as_array().unwrap().len(), 1);
    assert_eq!(plan["steps"][0]["kind"], "mend");

    // Manifests of two clusters describe no single cluster.
    let plan = run(&[list(&[version("4.16.3"), p.clone()]), list(std::slice::from_ref(&other))]);
    assert!(warnings(&plan).contains("two clusters, `one` and `two`"), "{plan}");
    assert_eq!(plan["metadata"]["from"], "4.16.9");
    let plan = run(&[list(&[version("4.16.3"), other])]);
    assert!(warnings(&plan).contains("two clusters, `one` and `two`"), "{plan}");
    // The same cluster twice, as after a step, gets no warning.
    let plan = run(&[list(&[version("4.16.3")]), list(&[version("4.16.9"), p])]);
    assert!(!warnings(&plan).contains("two clusters"), "{plan}");
}

/// Each command that takes a cluster has an answer for one without OLM.
#[test]
fn a_cluster_without_olm_has_an_answer() {
    let directory = scratch();
    let root = directory.path();
    write(root, "shop.yaml", shop());
    write(root, "cluster.yaml", list(&[version("4.16.3")]));
    let run = |arguments: &[&str]| olmdex(arguments.iter().copied()).in_directory(root).answer();
    let cluster = ["--cluster", "cluster.yaml"];
    plan(root, &cluster[1..], &["--to", "4.17", "-i", "4.16=shop.yaml", "-i", "4.17=shop.yaml"])
        .expect_code(0)
        .expect_words("no installed operators");
    run(&[&["resolve", "-i", "shop=shop.yaml"], &cluster[..]].concat())
        .expect_code(0)
        .expect_words("Nothing to install");
    for command in ["updates", "path", "compat"] {
        let more: &[&str] = if command == "compat" { &["--to", "4.17"] } else { &[] };
        let answer = run(&[&[command, "-i", "shop=shop.yaml"], &cluster[..], more].concat());
        assert!(matches!(answer.code, Some(0..=4)) && !answer.both().is_empty(), "{command}: {}", answer.both());
        assert!(!answer.both().contains("internal error"), "{command}: {}", answer.both());
    }
}
