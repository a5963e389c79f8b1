//! `compat`: the way out of what blocks a cluster, over several catalogs.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::catalog::Catalog;
use crate::support::{Answer, TempDir, olmdex, scratch, write};

const MAX: &str = "{type: olm.maxOpenShiftVersion, value: \"4.18\"}";

/// `a` has the package, but nothing that leads on; `b` has the installed version and the way out.
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

/// B2: a Subscription takes updates from its own catalog alone.
#[test]
fn a_subscription_s_catalog_counts() {
    let dir = two_catalogs();
    // The catalog `c` leads on too, in two steps: the shorter way of `b` is none of the Subscription's business.
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
        ("elsewhere", to("1.1.0", "b")),
    ] {
        write(dir.path(), "subscription.yaml", subscription(source));
        // The Subscription stands in a file of its own.
        let answer = compat(&dir, &all, &["--cluster", "csv.yaml", "--cluster", "subscription.yaml"]);
        answer.expect_code(1);
        assert_eq!(way_out(&answer), way, "{source}");
        assert_eq!(answer.err().contains("not given or lacks it"), source == "elsewhere", "{}", answer.both());
    }
}
