//! `resolve` on namespaces with problems: stranded operators, remedies, and later failures.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use serde_json::Value;

use crate::support::catalog::Catalog;
use crate::support::{Answer, TempDir, olmdex, scratch, write};

/// A Subscription `PACKAGE` in the namespace `ns`, and its installed bundle.
fn subscribed(package: &str, channel: &str, installed: &str) -> String {
    let version = installed.split_once(".v").map_or("1.0.0", |it| it.1);
    let properties = format!(
        r#"{{"properties":[{{"type":"olm.package","value":{{"packageName":"{package}","version":"{version}"}}}}]}}"#
    );
    let mut text = format!(
        "---\napiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {{name: {package}, namespace: ns}}\n\
         spec: {{name: {package}, channel: {channel}, source: c, sourceNamespace: olm}}\n"
    );
    if !installed.is_empty() {
        text.push_str(&format!(
            "status: {{installedCSV: {installed}, currentCSV: {installed}}}\n---\n\
             apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n\
             metadata: {{name: {installed}, namespace: ns, annotations: {{operatorframework.io/properties: '{properties}'}}}}\n\
             spec: {{version: {version}}}\nstatus: {{phase: Succeeded}}\n"
        ));
    }
    text
}

fn resolve(catalog: Catalog, manifests: &str, more: &[&str]) -> (TempDir, Answer) {
    let dir = scratch();
    write(dir.path(), "c.yaml", catalog.yaml());
    write(dir.path(), "ns.yaml", manifests);
    let answer = olmdex(["resolve", "--cluster", "ns.yaml", "-i", "c=c.yaml"]).args(more);
    let answer = answer.in_directory(dir.path()).answer();
    (dir, answer)
}

fn items(answer: &Answer) -> Vec<Value> {
    let json: Value = serde_json::from_slice(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.both()));
    json["items"].as_array().unwrap().clone()
}

/// Channels `r1.5`, which leads on from 1.4.0, and the default channel `r1.7`, which does not.
fn catalog_of_m() -> Catalog {
    Catalog::default()
        .package("m", "r1.7")
        .channel("m", "r1.5", &["{name: m.v1.5.0, replaces: m.v1.4.0}"])
        .channel("m", "r1.7", &["{name: m.v1.7.0, replaces: m.v1.6.0}"])
        .bundle("m", "1.5.0", &[])
        .bundle("m", "1.7.0", &[])
}

/// B3: a change to a channel in which nothing leads on from the operator is no remedy.
#[test]
fn a_repair_leads_on() {
    let manifests = subscribed("m", "r1.4", "m.v1.4.0");
    let (_dir, answer) = resolve(catalog_of_m(), &manifests, &["-o", "json"]);
    answer.expect_code(1);
    let repairs = items(&answer)[0]["conflict"]["repairs"].clone();
    let changes: Vec<&str> = repairs.as_array().unwrap().iter().map(|it| it["change"].as_str().unwrap()).collect();
    assert!(changes.contains(&"change the channel of the Subscription `m` to r1.5"), "{changes:?}");
    assert!(!changes.iter().any(|it| it.contains("r1.7")), "{changes:?}");
    assert!(changes.iter().any(|it| it.contains("uninstall")), "{changes:?}");
}

/// B4: a bundle that nothing leads on from differs from one at the head.
#[test]
fn stranded_is_told_from_up_to_date() {
    for (channel, installed, code, position, words) in [
        (
            "r1.7",
            "m.v1.4.0",
            1,
            "stranded",
            "no entry of m/r1.7 replaces or skips m.v1.4.0, or has a skipRange that includes 1.4.0",
        ),
        ("r1.7", "m.v1.7.0", 0, "head", "m.v1.7.0 is the head of m/r1.7"),
        ("''", "m.v1.3.0", 1, "stranded", "no entry of any channel of m replaces or skips m.v1.3.0"),
    ] {
        let manifests = subscribed("m", channel, installed);
        let (_dir, answer) = resolve(catalog_of_m(), &manifests, &["-o", "json"]);
        answer.expect_code(code);
        let standing = items(&answer)[0]["standings"][0].clone();
        assert_eq!(standing["position"], position, "{installed}");
        assert!(standing["reason"].as_str().unwrap().contains(words), "{standing}");
        let (_dir, answer) = resolve(catalog_of_m(), &manifests, &[]);
        answer.expect_code(code).expect_words(words);
        // The same package without trouble: an operator with an update is not listed.
    }
    let (_dir, answer) = resolve(catalog_of_m(), &subscribed("m", "r1.5", "m.v1.4.0"), &["-o", "json"]);
    answer.expect_code(0);
    assert_eq!(items(&answer)[0]["standings"], serde_json::json!([]));
}

const BROKEN: &str = "{type: olm.constraint, value: {foo: 1}}";

/// B8: the generations before a failed resolution are shown.
#[test]
fn steps_before_a_failure_are_shown() {
    let entries = ["{name: p.v1.0.0}", "{name: p.v2.0.0, replaces: p.v1.0.0}", "{name: p.v3.0.0, replaces: p.v2.0.0}"];
    let catalog = || {
        let catalog = Catalog::default().package("p", "s").channel("p", "s", &entries);
        catalog.bundle("p", "1.0.0", &[]).bundle("p", "2.0.0", &[]).bundle("p", "3.0.0", &[BROKEN])
    };
    let manifests = subscribed("p", "s", "p.v1.0.0");
    let (_dir, answer) = resolve(catalog(), &manifests, &["--until-stable", "-o", "json"]);
    answer.expect_code(1);
    let items = items(&answer);
    let outcomes: Vec<_> = items.iter().map(|it| (it["outcome"].as_str().unwrap(), &it["installed"])).collect();
    let after = serde_json::json!(["p.v2.0.0"]);
    assert_eq!(outcomes, [("resolved", &after), ("failed", &after)]);
    assert_eq!(items[1]["generation"], 2);
    let (_dir, answer) = resolve(catalog(), &manifests, &["--until-stable"]);
    answer.expect_words("Subscription p goes from p.v1.0.0 to p.v2.0.0").expect_words("unknown field \"foo\"");
}

/// B8: every entry that OLM cannot read is named.
#[test]
fn all_malformed_entries_are_named() {
    let bad = ["{type: olm.constraint, value: {bar: 1}}", "{type: olm.constraint, value: {baz: 1}}"];
    let entries = ["{name: p.v1.0.0}", "{name: p.v2.0.0, replaces: p.v1.0.0}"];
    let catalog = Catalog::default()
        .package("p", "s")
        .channel("p", "s", &entries)
        .bundle("p", "1.0.0", &[BROKEN])
        .bundle("p", "2.0.0", &bad)
        .package("q", "s")
        .channel("q", "s", &["{name: q.v1.0.0}"])
        .bundle("q", "1.0.0", &["{type: olm.constraint, value: {qux: 1}}"]);
    let manifests = [subscribed("p", "s", ""), subscribed("q", "s", "")].concat();
    let (_dir, answer) = resolve(catalog, &manifests, &["-o", "json"]);
    answer.expect_code(1);
    let failure = items(&answer)[0]["failure"].clone();
    let parts = failure["parts"].as_array().unwrap();
    let named: Vec<_> = parts
        .iter()
        .map(|it| (it["operator"].as_str().unwrap().rsplit('/').next().unwrap(), it["line"].as_u64()))
        .collect();
    assert_eq!(named.iter().map(|it| it.0).collect::<Vec<_>>(), ["p.v2.0.0", "p.v2.0.0", "p.v1.0.0", "q.v1.0.0"]);
    assert!(named.iter().all(|it| it.1 > Some(1)), "{named:?}");
    let message = failure["olmMessage"].as_str().unwrap();
    assert!(message.starts_with('[') && message.ends_with(']'), "{message}");
    for field in ["foo", "bar", "baz", "qux"] {
        assert!(message.contains(field), "{message}");
    }
}

/// Two packages whose operators own one definition, and a cluster in which two namespaces want one each.
const ONE_DEFINITION: &str = r#"
{"schema":"olm.package","name":"red","defaultChannel":"stable"}
{"schema":"olm.channel","package":"red","name":"stable","entries":[{"name":"red.v1.0.0"}]}
{"schema":"olm.bundle","package":"red","name":"red.v1.0.0","image":"registry.example.com/red:v1","properties":[{"type":"olm.package","value":{"packageName":"red","version":"1.0.0"}},{"type":"olm.gvk","value":{"group":"example.com","version":"v1","kind":"Paint"}}]}
{"schema":"olm.package","name":"blue","defaultChannel":"stable"}
{"schema":"olm.channel","package":"blue","name":"stable","entries":[{"name":"blue.v1.0.0"}]}
{"schema":"olm.bundle","package":"blue","name":"blue.v1.0.0","image":"registry.example.com/blue:v1","properties":[{"type":"olm.package","value":{"packageName":"blue","version":"1.0.0"}},{"type":"olm.gvk","value":{"group":"example.com","version":"v1","kind":"Paint"}}]}
"#;

fn cluster_of_two(targets_of_blue: &str) -> String {
    let subscription = |namespace: &str, package: &str| {
        format!(
            "- apiVersion: operators.coreos.com/v1alpha1\n  kind: Subscription\n  metadata: {{name: {package}, namespace: {namespace}}}\n  spec: {{name: {package}, channel: stable, source: paints, sourceNamespace: openshift-marketplace}}\n"
        )
    };
    let group = |namespace: &str, targets: &str| {
        format!(
            "- apiVersion: operators.coreos.com/v1\n  kind: OperatorGroup\n  metadata: {{name: {namespace}, namespace: {namespace}}}\n  spec: {{targetNamespaces: [{targets}]}}\n"
        )
    };
    let extension = "- apiVersion: olm.operatorframework.io/v1\n  kind: ClusterExtension\n  metadata: {name: mine}\n  spec: {namespace: x, source: {sourceType: Catalog, catalog: {packageName: red}}}\n";
    let items = [
        subscription("a", "red"),
        subscription("b", "blue"),
        group("a", "a"),
        group("b", targets_of_blue),
        extension.to_owned(),
    ];
    format!("apiVersion: v1\nkind: List\nitems:\n{}", items.concat())
}

#[test]
fn all_namespaces_are_resolved_and_their_conflicts_said() {
    let directory = crate::support::scratch();
    let root = directory.path();
    crate::support::write(root, "paints/catalog.json", ONE_DEFINITION);
    crate::support::write(root, "apart.yaml", cluster_of_two("b"));
    crate::support::write(root, "over.yaml", cluster_of_two("a, b"));
    let run = |cluster: &str, source: &str, more: &[&str]| {
        let fixed = ["resolve", "--cluster", cluster, "-i", source, "-o", "json"];
        crate::support::olmdex(fixed.iter().chain(more).copied()).in_directory(root).answer()
    };
    let apart = run("apart.yaml", "paints=paints", &[]);
    apart
        .expect_code(0)
        .expect_words("own Paint.example.com: the definition that is applied last serves both, newer or not");
    apart.expect_words("the ClusterExtension mine and the Subscription red in the namespace a both install `red`");
    assert!(!apart.err().contains("InterOperatorGroupOwnerConflict"), "{}", apart.err());
    let value: serde_json::Value = serde_json::from_str(&apart.out()).unwrap();
    let namespaces: Vec<&str> =
        value["items"].as_array().unwrap().iter().map(|it| it["namespace"].as_str().unwrap()).collect();
    assert_eq!(namespaces, ["a", "b"]);
    run("over.yaml", "paints=paints", &[]).expect_words("InterOperatorGroupOwnerConflict");

    // A question about one namespace does not know of the conflict, and another name of the catalog needs an option.
    let alone = run("over.yaml", "paints=paints", &["--namespace", "a"]);
    assert!(!alone.expect_code(0).err().contains("own Paint"), "{}", alone.err());
    run("over.yaml", "colours=paints", &["--namespace", "a"]).expect_code(4);
    let map = ["--namespace", "a", "--source-map", "openshift-marketplace/paints=colours"];
    run("over.yaml", "colours=paints", &map).expect_code(0);
    // So does a label.
    let label =
        ["build", "colours=paints", "--label", "colours:catalogsource=openshift-marketplace/paints", "-o", "index.db"];
    crate::support::olmdex(label).in_directory(root).answer().expect_code(0);
    run("over.yaml", "index.db", &["--namespace", "a"]).expect_code(0);
    // Unknown facts about one namespace do not keep the others back.
    let words = "follows the CatalogSource openshift-marketplace/paints, which matches no catalog (`colours`)";
    run("over.yaml", "colours=paints", &[]).expect_code(1).expect_words(words);
}

/// Wishes for several namespaces are answered together, beside the installed operators.
#[test]
fn new_subscriptions_of_several_namespaces_are_answered_together() {
    let directory = crate::support::scratch();
    let root = directory.path();
    crate::support::write(root, "paints/catalog.json", ONE_DEFINITION);
    crate::support::write(root, "over.yaml", cluster_of_two("a, b"));
    let run = |more: &[&str]| {
        let fixed = ["resolve", "-i", "paints=paints", "-o", "json"];
        crate::support::olmdex(fixed.iter().chain(more).copied()).in_directory(root).answer()
    };
    let namespaces = |answer: &Answer| -> Vec<(String, Vec<String>)> {
        let names =
            |it: &Value| it.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect();
        items(answer).iter().map(|it| (it["namespace"].as_str().unwrap().to_owned(), names(&it["operators"]))).collect()
    };
    let is = |namespace: &str, operators: &[&str]| {
        (namespace.to_owned(), operators.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
    };

    // Without manifests, each in its namespace.
    let both = run(&["--install", "one:red", "--install", "two:blue/stable"]);
    both.expect_code(0)
        .expect_words("red.v1.0.0 in the namespace one and blue.v1.0.0 in the namespace two both own Paint");
    assert_eq!(namespaces(&both), [is("one", &["red.v1.0.0"]), is("two", &["blue.v1.0.0"])]);
    for item in items(&both) {
        assert!(item["warnings"].to_string().contains("both own Paint.example.com"), "{item}");
    }
    assert_eq!(both.err().matches("both own").count(), 1, "{}", both.err());

    // Two in one namespace see each other as in OLM.
    let together = run(&["--install", "one:red", "--install", "one:blue"]);
    together.expect_code(1);
    assert_eq!(items(&together).len(), 1);
    assert_eq!(items(&together)[0]["namespace"], "one");

    // Added to a cluster, also in an empty namespace; a ClusterExtension of the same package is named.
    let beside = run(&["--cluster", "over.yaml", "--install", "new:red@1.0.0"]);
    beside.expect_code(0).expect_words("the Subscription red in the namespace new both install `red`");
    beside.expect_words("blue.v1.0.0 in the namespace b and red.v1.0.0 in the namespace new both own Paint");
    assert_eq!(namespaces(&beside), [is("a", &["red.v1.0.0"]), is("b", &["blue.v1.0.0"]), is("new", &["red.v1.0.0"])]);
    // Installed bundles may name a namespace in the same way.
    let settled = run(&["--installed", "one:red.v1.0.0", "--install", "two:blue"]);
    assert_eq!(namespaces(settled.expect_code(0)), [is("one", &[]), is("two", &["blue.v1.0.0"])]);

    // A name without a namespace needs one namespace only.
    run(&["--cluster", "over.yaml", "--install", "red"]).expect_code(2).expect_words("as in tools:backup");
    let home = run(&["--cluster", "over.yaml", "--namespace", "a", "--install", "blue"]);
    assert_eq!(items(&home).len(), 1);
    run(&["--cluster", "over.yaml", "--namespace", "a", "--install", "b:blue"]).expect_code(2);
    run(&["--install", "Two:blue"]).expect_code(2).expect_words("NAMESPACE:PACKAGE");
    run(&["--install", "two:green"]).expect_code(4).expect_words("no package `green`");
    // `why` is about one namespace.
    let why = |more: &[&str]| {
        let fixed = ["why", "blue", "-i", "paints=paints"];
        crate::support::olmdex(fixed.iter().chain(more).copied()).in_directory(root).answer()
    };
    why(&["--install", "two:blue"]).expect_code(0).expect_words("blue.v1.0.0");
    why(&["--install", "two:blue", "--install", "one:red"]).expect_code(2);
}
