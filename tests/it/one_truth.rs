//! One truth for a namespace: commands about one operator say what the diagnosis of its namespace says.

use std::collections::BTreeMap;

use crate::support::{olmdex, scratch};
use serde_json::Value;

const CATALOG: &str = "shop=fixtures/catalogs/shop-that-moves-on";
const CLUSTER: &str = "fixtures/clusters/stuck-in-many-ways.yaml";

/// The items of a command's answer about the cluster.
fn items(words: &[&str]) -> Vec<Value> {
    items_of(words, CLUSTER, CATALOG)
}

fn items_of(words: &[&str], cluster: &str, catalog: &str) -> Vec<Value> {
    let line: Vec<&str> = words.iter().copied().chain(["--cluster", cluster, "-i", catalog, "-o", "json"]).collect();
    let output = olmdex(&line).answer();
    let answer: Value = serde_json::from_str(&output.out()).unwrap_or_else(|error| panic!("{words:?}: {error}"));
    answer["items"].as_array().unwrap().clone()
}

/// Whether each Subscription is stuck, as the diagnosis says.
fn stuck() -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    for state in items(&["diagnose"]) {
        let namespace = state["namespace"].as_str().unwrap();
        for operator in state["operators"].as_array().unwrap().iter().filter(|it| it["name"] != "") {
            let name = format!("Subscription {namespace}/{}", operator["name"].as_str().unwrap());
            found.insert(name, operator["isStuck"] == true);
        }
    }
    found
}

/// The obstacles with which an answer says that nothing changes until somebody acts.
fn stops(item: &Value) -> bool {
    item["obstacle"]["effect"] == "stops"
}

#[test]
fn commands_about_one_operator_agree_with_the_diagnosis_of_its_namespace() {
    let stuck = stuck();
    assert!(stuck.values().any(|it| *it) && stuck.values().any(|it| !*it), "{stuck:?}");
    let of = |item: &Value| item["managedBy"].as_str().unwrap().to_owned();
    let mut seen = 0;
    for update in items(&["updates", "--olm", "classic"]) {
        seen += 1;
        let name = of(&update);
        assert_eq!(stops(&update), stuck[&name], "updates of {name}: {update}");
        if stuck[&name] {
            assert!(!matches!(update["verdict"].as_str(), Some("install" | "update")), "updates of {name}: {update}");
        }
    }
    assert!(seen >= 12, "{seen}");
    for path in items(&["path", "till", "--olm", "classic"]) {
        let (name, has_steps) = (of(&path), !path["steps"].as_array().unwrap().is_empty());
        assert_eq!(path["isReached"] == true, !(stuck[&name] && has_steps), "path of {name}: {path}");
    }
    for bundle in ["till.v1.2.0", "press.v2.0.0"] {
        for answer in items(&["why-not", bundle, "--olm", "classic"]) {
            let name = of(&answer);
            assert!(!(stuck[&name] && answer["isTaken"] == true), "why-not {bundle} in {name}: {answer}");
        }
    }
    for answer in items(&["resolve"]) {
        let namespace = answer["namespace"].as_str().unwrap();
        let is_stuck = stuck.iter().any(|(name, it)| *it && name.starts_with(&format!("Subscription {namespace}/")));
        let shows = answer["outcome"] != "resolved"
            || answer["obstacles"].as_array().is_some_and(|all| all.iter().any(|it| it["effect"] == "stops"))
            || answer["standings"].as_array().is_some_and(|all| all.iter().any(|it| it["position"] == "held"))
            || namespace == "source-gone";
        assert!(shows || !is_stuck, "resolve of {namespace}: {answer}");
    }
}

/// `oadp-operator.v1.5.1` is a bundle of the package `redhat-oadp-operator`.
#[test]
fn a_bundle_without_the_name_of_its_package_is_asked_about_in_its_namespace() {
    let directory = scratch();
    let place = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let text = std::fs::read_to_string("fixtures/catalogs/shop-that-moves-on/catalog.yaml").unwrap();
    let renamed = [("package: till\n", "package: shop-till\n"), ("name: till\n", "name: shop-till\n")];
    let text = renamed.iter().fold(text, |text, (old, new)| text.replace(old, new));
    let text = text.replace("\"packageName\": \"till\"", "\"packageName\": \"shop-till\"");
    std::fs::create_dir(place("shop")).unwrap();
    std::fs::write(place("shop/catalog.yaml"), text).unwrap();
    let cluster = std::fs::read_to_string(CLUSTER).unwrap().replace("spec: {name: till,", "spec: {name: shop-till,");
    std::fs::write(place("cluster.yaml"), cluster).unwrap();
    let obstacles = |name: &str| -> Vec<Value> {
        let words = ["why-not", name, "--olm", "classic"];
        let all = items_of(&words, &place("cluster.yaml"), &place("shop"));
        all.iter().map(|it| it["obstacle"].clone()).collect()
    };
    let named = obstacles("till.v1.2.0");
    assert!(named.iter().any(|it| it["effect"] == "stops"), "{named:?}");
    assert_eq!(named, obstacles("shop-till@1.2.0"));
}

/// OLM's own words about two heads name no remedy.
#[test]
fn a_channel_of_two_heads_has_a_remedy() {
    let directory = scratch();
    let place = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let channel = |name: &str, entries: &str| {
        format!("---\nschema: olm.channel\npackage: mill\nname: {name}\nentries: [{entries}]\n")
    };
    let bundle = |version: &str| {
        let value = format!("{{packageName: mill, version: {version}}}");
        format!(
            "---\nschema: olm.bundle\npackage: mill\nname: mill.v{version}\nimage: registry.example.com/mill:{version}\n\
             properties: [{{type: olm.package, value: {value}}}]\n"
        )
    };
    let text = [
        "schema: olm.package\nname: mill\ndefaultChannel: stable\n".to_owned(),
        channel("stable", "{name: mill.v1.0.0}, {name: mill.v2.0.0}"),
        channel("fast", "{name: mill.v1.0.0}, {name: mill.v2.0.0, replaces: mill.v1.0.0}"),
        bundle("1.0.0"),
        bundle("2.0.0"),
    ];
    std::fs::create_dir(place("mills")).unwrap();
    std::fs::write(place("mills/catalog.yaml"), text.concat()).unwrap();
    let object = |kind: &str, namespace: &str, rest: &str| {
        let (group, kind) = kind.split_once(' ').unwrap();
        format!(
            "---\napiVersion: operators.coreos.com/{group}\nkind: {kind}\nmetadata: {{name: mills, namespace: \
             {namespace}}}\n{rest}\n"
        )
    };
    let spec = "spec: {name: mill, channel: stable, source: mills, sourceNamespace: openshift-marketplace}";
    let objects = [
        object("v1alpha1 CatalogSource", "openshift-marketplace", ""),
        object("v1 OperatorGroup", "yard", "spec: {targetNamespaces: [yard]}"),
        object("v1alpha1 Subscription", "yard", spec),
    ];
    std::fs::write(place("cluster.yaml"), objects.concat()).unwrap();
    let states = items_of(&["diagnose"], &place("cluster.yaml"), &place("mills"));
    let remedy = &states[0]["obstacles"][0]["remedies"][0];
    assert_eq!(remedy["change"], "change the channel of the Subscription `mills` to fast", "{states:?}");
    assert_eq!(remedy["installs"], serde_json::json!(["mill.v2.0.0"]));
    let answers = items_of(&["resolve"], &place("cluster.yaml"), &place("mills"));
    assert!(answers[0]["failure"]["help"].as_str().unwrap().contains("one chain from one head"), "{answers:?}");
}

/// The catalog of the next OpenShift has an upgrade that another operator of the namespace rules out.
#[test]
fn a_step_that_the_namespace_does_not_take_says_so() {
    let directory = scratch();
    let place = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let package = |name: &str, entries: &str| {
        format!(
            "---\nschema: olm.package\nname: {name}\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: {name}\n\
             name: stable\nentries: [{entries}]\n"
        )
    };
    let required = r#"{"type": "olm.package.required", "value": {"packageName": "mill", "versionRange": "<2.0.0"}}"#;
    let properties = |name: &str, version: &str| {
        let value = format!(r#"{{"packageName": "{name}", "version": "{version}"}}"#);
        let own = format!(r#"{{"type": "olm.package", "value": {value}}}"#);
        if name == "sail" { format!("[{own}, {required}]") } else { format!("[{own}]") }
    };
    let bundle = |name: &str, version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}\nimage: registry.example.com/{name}:\
             {version}\nproperties: {}\n",
            properties(name, version)
        )
    };
    let both = [bundle("mill", "1.0.0"), package("sail", "{name: sail.v1.0.0}"), bundle("sail", "1.0.0")].concat();
    let newer = "{name: mill.v1.0.0}, {name: mill.v2.0.0, replaces: mill.v1.0.0}";
    std::fs::write(place("4.18.yaml"), package("mill", "{name: mill.v1.0.0}") + &both).unwrap();
    std::fs::write(place("4.19.yaml"), package("mill", newer) + &both + &bundle("mill", "2.0.0")).unwrap();
    let mut objects = "apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\n\
        status: {desired: {version: 4.18.12}}\n---\napiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\n\
        metadata: {name: mills, namespace: openshift-marketplace}\n---\napiVersion: operators.coreos.com/v1\n\
        kind: OperatorGroup\nmetadata: {name: g, namespace: yard}\nspec: {targetNamespaces: [yard]}\n"
        .to_owned();
    for name in ["mill", "sail"] {
        let noted = properties(name, "1.0.0");
        objects.push_str(&format!(
            "---\napiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {{name: {name}, namespace: \
             yard}}\nspec: {{name: {name}, channel: stable, source: mills, sourceNamespace: openshift-marketplace}}\n\
             status: {{installedCSV: {name}.v1.0.0, currentCSV: {name}.v1.0.0}}\n---\n\
             apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: {name}.v1.0.0\n  \
             namespace: yard\n  annotations: {{operatorframework.io/properties: '{{\"properties\": {noted}}}'}}\n\
             spec: {{version: 1.0.0}}\nstatus: {{phase: Succeeded}}\n"
        ));
    }
    std::fs::write(place("cluster.yaml"), objects).unwrap();
    let catalogs = ["4.18", "4.19"].map(|it| format!("{it}/mills={}", place(&format!("{it}.yaml"))));
    let cluster = place("cluster.yaml");
    let line = ["plan", "--cluster", &cluster, "--to", "4.19", "-i", &catalogs[0], "-i", &catalogs[1], "-o", "json"];
    let plan: Value = serde_json::from_str(&olmdex(line).answer().out()).unwrap();
    let steps = plan["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["subject"] == "yard/mill").unwrap();
    let warning = step["warnings"][0].as_str().unwrap();
    assert!(warning.contains("it does not install mill.v2.0.0; ") && warning.contains("sail"), "{step}");
    assert_eq!(step["commands"], serde_json::json!([]), "an `oc wait` would not end: {step}");
}

#[test]
fn plans_begin_with_what_keeps_operators_from_their_next_version() {
    let directory = scratch();
    let version = "---\napiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\n\
                   spec: {channel: stable-4.18}\nstatus: {desired: {version: 4.18.12}}\n";
    let cluster = directory.path().join("cluster.yaml");
    std::fs::write(&cluster, std::fs::read_to_string(CLUSTER).unwrap() + version).unwrap();
    let catalogs = ["4.18", "4.19"].map(|it| format!("{it}/shop=fixtures/catalogs/shop-that-moves-on"));
    let cluster = cluster.to_str().unwrap();
    let line = ["plan", "--cluster", cluster, "--to", "4.19", "-i", &catalogs[0], "-i", &catalogs[1], "-o", "json"];
    let plan: Value = serde_json::from_str(&olmdex(line).answer().out()).unwrap();
    let steps = plan["steps"].as_array().unwrap();
    let mends = |namespace: &str| {
        let is_its =
            |step: &&Value| step["subject"].as_str().is_some_and(|it| it.starts_with(&format!("{namespace}/")));
        let before = steps.iter().take_while(|step| step["kind"] != "platform");
        before.filter(is_its).any(|step| matches!(step["kind"].as_str(), Some("mend" | "wait")))
    };
    for (name, is_stuck) in stuck() {
        let (_, name) = name.split_once(' ').unwrap();
        let (namespace, _) = name.split_once('/').unwrap();
        // Operators that are not installed, or whose catalog is not known, are no part of a plan.
        if !matches!(namespace, "source-gone" | "csv-gone" | "out-of-sight") {
            let waits = namespace.starts_with("plan-runs") || namespace.starts_with("waits");
            assert_eq!(mends(namespace), is_stuck || waits || namespace == "held", "{namespace}: {plan}");
        }
    }
    assert_eq!(plan["verdict"], "attention");
}
