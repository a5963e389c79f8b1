//! `compat`: the way out of a blocker of a cluster, over several catalogs.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::catalog::Catalog;
use crate::support::{Answer, TempDir, olmdex, scratch, write};

const MAX: &str = "{type: olm.maxOpenShiftVersion, value: \"4.18\"}";

/// `a` has the package, but no upgrade that leads on; `b` has the installed version and the way out.
fn two_catalogs() -> TempDir {
    let dir = scratch();
    let old = Catalog::default().package("w", "s").channel("w", "s", &["{name: w.v0.9.0}"]).bundle("w", "0.9.0", &[]);
    let entries = ["{name: w.v1.0.0, replaces: w.v0.9.0}", "{name: w.v1.1.0, replaces: w.v1.0.0}"];
    let new = Catalog::default().package("w", "s").channel("w", "s", &entries);
    let new = new.bundle("w", "1.0.0", &[MAX]).bundle("w", "1.1.0", &[]);
    write(dir.path(), "a.yaml", old.yaml());
    write(dir.path(), "b.yaml", new.yaml());
    dir
}

fn compat(dir: &TempDir, catalogs: &[&str], what: &[&str]) -> Answer {
    let mut args = vec!["compat", "--openshift", "4.18", "-o", "json", "--olm", "classic"];
    for catalog in catalogs {
        args.extend(["-i", catalog]);
    }
    olmdex(args).args(what).in_directory(dir.path()).answer()
}

/// The versions of the way out of the only row, with their catalogs.
fn way_out(answer: &Answer) -> Vec<(String, String)> {
    let json: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
    let text = |it: &serde_json::Value| it.as_str().unwrap().to_owned();
    let steps = json["items"][0]["way"].as_array().cloned().unwrap_or_default();
    steps.iter().map(|it| (text(&it["version"]), text(&it["catalog"]))).collect()
}

fn to(version: &str, catalog: &str) -> Vec<(String, String)> {
    vec![(version.to_owned(), catalog.to_owned())]
}

/// B2: every catalog is asked, whichever is named first.
#[test]
fn the_way_out_may_be_in_any_catalog() {
    let dir = two_catalogs();
    for catalogs in [&["a=a.yaml", "b=b.yaml"][..], &["b=b.yaml", "a=a.yaml"], &["b=b.yaml"]] {
        let answer = compat(&dir, catalogs, &["--installed", "w.v1.0.0"]);
        answer.expect_code(1);
        assert_eq!(way_out(&answer), to("1.1.0", "b"), "{catalogs:?}");
    }
}

/// B2: a Subscription takes updates only from its own catalog.
#[test]
fn a_subscription_s_catalog_counts() {
    let dir = two_catalogs();
    // The catalog `c` leads on too, in two steps: the shorter way of `b` does not concern the Subscription.
    let entries = ["{name: w.v1.0.0}", "{name: w.v1.0.5, replaces: w.v1.0.0}", "{name: w.v1.2.0, replaces: w.v1.0.5}"];
    let longer = Catalog::default().package("w", "s").channel("w", "s", &entries);
    let longer = longer.bundle("w", "1.0.0", &[MAX]).bundle("w", "1.0.5", &[MAX]).bundle("w", "1.2.0", &[]);
    write(dir.path(), "c.yaml", longer.yaml());
    let subscription = |source: &str| {
        format!(
            "kind: Subscription\napiVersion: operators.coreos.com/v1alpha1\nmetadata: {{name: w, namespace: ns}}\n\
             spec: {{name: w, channel: s, source: {source}, sourceNamespace: olm}}\nstatus: {{installedCSV: w.v1.0.0}}\n"
        )
    };
    let properties = r#"{\"properties\":[{\"type\":\"olm.maxOpenShiftVersion\",\"value\":\"4.18\"}]}"#;
    let csv = format!(
        "kind: ClusterServiceVersion\napiVersion: operators.coreos.com/v1alpha1\n\
         metadata: {{name: w.v1.0.0, namespace: ns, annotations: {{operatorframework.io/properties: \"{properties}\"}}}}\n\
         spec: {{version: 1.0.0}}\n"
    );
    write(dir.path(), "csv.yaml", csv);
    let all = ["a=a.yaml", "b=b.yaml", "c=c.yaml"];
    for (source, way) in [
        ("a", Vec::new()),
        ("b", to("1.1.0", "b")),
        ("c", [to("1.0.5", "c"), to("1.2.0", "c")].concat()),
        // No catalog is known to be its own, so none offers it a way.
        ("elsewhere", Vec::new()),
    ] {
        write(dir.path(), "subscription.yaml", subscription(source));
        // The Subscription is in a file of its own.
        let answer = compat(&dir, &all, &["--cluster", "csv.yaml", "--cluster", "subscription.yaml"]);
        answer.expect_code(1);
        assert_eq!(way_out(&answer), way, "{source}");
        let words = "follows the CatalogSource olm/elsewhere, which matches no catalog (`a`, `b`, `c`)";
        assert_eq!(answer.err().contains(words), source == "elsewhere", "{}", answer.both());
    }
}

/// A Subscription in a cluster of OpenShift 4.18, with its installed bundle.
fn cluster_of(dir: &TempDir, max: &str) -> String {
    let properties = format!(r#"{{\"properties\":[{{\"type\":\"olm.maxOpenShiftVersion\",\"value\":\"{max}\"}}]}}"#);
    let text = format!(
        "apiVersion: v1\nkind: List\nitems:\n\
         - {{kind: ClusterVersion, apiVersion: config.openshift.io/v1, metadata: {{name: version}}, status: {{desired: {{version: 4.18.3}}}}}}\n\
         - {{kind: Subscription, apiVersion: operators.coreos.com/v1alpha1, metadata: {{name: w, namespace: ns}}, \
         spec: {{name: w, channel: a, source: shop, sourceNamespace: olm}}, status: {{installedCSV: w.v1.0.0}}}}\n\
         - {{kind: ClusterServiceVersion, apiVersion: operators.coreos.com/v1alpha1, metadata: {{name: w.v1.0.0, namespace: ns, \
         annotations: {{operatorframework.io/properties: \"{properties}\"}}}}, spec: {{version: 1.0.0}}, status: {{phase: Succeeded}}}}\n"
    );
    write(dir.path(), "cluster.yaml", text);
    "cluster.yaml".to_owned()
}

/// A bundle that may stay is reachable only over three channels, one after another.
fn three_channels(dir: &TempDir) {
    let catalog = Catalog::default()
        .package("w", "a")
        .channel("w", "a", &["{name: w.v1.0.0}", "{name: w.v1.1.0, replaces: w.v1.0.0}"])
        .channel("w", "b", &["{name: w.v1.1.0}", "{name: w.v1.2.0, replaces: w.v1.1.0}"])
        .channel("w", "c", &["{name: w.v1.2.0}", "{name: w.v1.3.0, replaces: w.v1.2.0}"]);
    let blocking = ["1.0.0", "1.1.0", "1.2.0"].iter().fold(catalog, |it, version| it.bundle("w", version, &[MAX]));
    write(dir.path(), "w.yaml", blocking.bundle("w", "1.3.0", &[]).yaml());
}

#[test]
fn a_plan_and_compat_find_the_same_way_out() {
    let dir = scratch();
    three_channels(&dir);
    let cluster = cluster_of(&dir, "4.18");
    let answer = compat(&dir, &["shop=w.yaml"], &["--cluster", &cluster]);
    answer.expect_code(1);
    let expected = ["1.1.0", "1.2.0", "1.3.0"].map(|it| (it.to_owned(), "shop".to_owned()));
    assert_eq!(way_out(&answer), expected, "{}", answer.both());
    let json: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
    let set = |step: usize| json["items"][0]["way"][step]["set"][0]["value"].as_str().map(str::to_owned);
    assert_eq!([set(0), set(1), set(2)], [None, Some("b".to_owned()), Some("c".to_owned())]);
    let plan = olmdex(["plan", "--cluster", &cluster, "--to", "4.19", "-i", "4.18/shop=w.yaml", "-o", "json"])
        .in_directory(dir.path())
        .answer();
    let plan: serde_json::Value = serde_json::from_slice(&plan.stdout).unwrap();
    let steps: Vec<String> = plan["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let bundles = if it["kind"] == "channel" { &it["then"] } else { &it["path"] };
            format!("{} {} {bundles}", it["kind"].as_str().unwrap(), it["to"].as_str().unwrap_or_default())
        })
        .collect();
    let expected =
        ["operator  [\"w.v1.1.0\"]", "channel b [\"w.v1.2.0\"]", "channel c [\"w.v1.3.0\"]", "platform 4.19 null"];
    assert_eq!(steps, expected, "{plan:#}");
    assert_eq!(
        (&plan["blockers"][0]["liftedBy"], &plan["blockers"][0]["verified"]),
        (&"w.v1.3.0".into(), &true.into())
    );
    assert_eq!(plan["verdict"], "attention");
}

#[test]
fn a_stop_is_where_something_must_be_done() {
    let dir = scratch();
    let entries = ["{name: w.v1.0.0}", "{name: w.v1.1.0, replaces: w.v1.0.0}"];
    let catalog = Catalog::default().package("w", "a").channel("w", "a", &entries);
    write(dir.path(), "w.yaml", catalog.bundle("w", "1.0.0", &[]).bundle("w", "1.1.0", &[]).yaml());
    let cluster = cluster_of(&dir, "4.19");
    let answer = compat(&dir, &["shop=w.yaml"], &["--cluster", &cluster, "--to", "4.20"]);
    let json: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
    let stops = serde_json::json!([{"openshift": "4.20", "bundle": "w.v1.1.0", "version": "1.1.0", "steps": 1}]);
    assert_eq!(json["items"][0]["stops"], stops, "{}", answer.both());
}

/// The catalog of the next version is not served before the cluster has that version.
#[test]
fn catalogs_that_are_named_after_versions_count_for_these() {
    let dir = scratch();
    let old =
        Catalog::default().package("w", "a").channel("w", "a", &["{name: w.v1.0.0}"]).bundle("w", "1.0.0", &[MAX]);
    write(dir.path(), "old.yaml", old.yaml());
    let entries = ["{name: w.v1.0.0}", "{name: w.v1.1.0, replaces: w.v1.0.0}"];
    let new = Catalog::default().package("w", "a").channel("w", "a", &entries);
    write(dir.path(), "new.yaml", new.bundle("w", "1.0.0", &[MAX]).bundle("w", "1.1.0", &[]).yaml());
    let cluster = cluster_of(&dir, "4.18");
    let both = compat(&dir, &["shop-4.18=old.yaml", "shop-4.19=new.yaml"], &["--cluster", &cluster]);
    assert_eq!(way_out(&both), Vec::new(), "{}", both.both());
    assert!(!both.err().contains("not given or lacks it"), "{}", both.err());
    let swapped = compat(&dir, &["shop-4.18=new.yaml", "shop-4.19=old.yaml"], &["--cluster", &cluster]);
    assert_eq!(way_out(&swapped), to("1.1.0", "shop-4.18"), "{}", swapped.both());
    // The bundle may stay at 4.19, and leaves there.
    let cluster = cluster_of(&dir, "4.19");
    let catalogs = ["shop-4.18=old.yaml", "shop-4.19=new.yaml", "shop-4.20=new.yaml"];
    let later = compat(&dir, &catalogs, &["--cluster", &cluster, "--to", "4.20"]);
    assert_eq!(way_out(&later), to("1.1.0", "shop-4.19"), "{}", later.both());
    let cluster = cluster_of(&dir, "4.18");
    // Names without a version: each catalog may be served now.
    let plain = compat(&dir, &["shop=new.yaml", "other=old.yaml"], &["--cluster", &cluster]);
    assert_eq!(way_out(&plain), to("1.1.0", "shop"), "{}", plain.both());
}

/// An upgrade that is under way ends by itself; one that has failed does not.
#[test]
fn what_is_being_replaced_blocks_nothing() {
    let dir = scratch();
    three_channels(&dir);
    let cluster = cluster_of(&dir, "4.18");
    let text = std::fs::read_to_string(dir.path().join(&cluster)).unwrap();
    for (phase, code) in [("Installing", 0), ("Failed", 1)] {
        let newer = format!(
            "- {{kind: ClusterServiceVersion, apiVersion: operators.coreos.com/v1alpha1, metadata: {{name: w.v1.3.0, namespace: ns}}, \
             spec: {{version: 1.3.0, replaces: w.v1.0.0}}, status: {{phase: {phase}}}}}\n"
        );
        write(dir.path(), "cluster.yaml", format!("{text}{newer}"));
        let answer = compat(&dir, &["shop=w.yaml"], &["--cluster", &cluster]);
        answer.expect_code(code);
        let json: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
        let bundles: Vec<&str> =
            json["items"].as_array().unwrap().iter().filter_map(|it| it["bundle"].as_str()).collect();
        assert_eq!(bundles.contains(&"w.v1.0.0"), phase == "Failed", "{phase}: {}", answer.both());
        assert_eq!(answer.err().contains("is left out: w.v1.3.0 is replacing it"), phase == "Installing");
    }
}
