//! `onboard`: templates of bundles, and the effects of support policies on them.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use olmdex::community::{Onboarding, OnboardingError, OnboardingWish, Operator, SupportPolicy, onboard};
use olmdex::constraint::openshift::Minor;
use serde_json::{Value, json};

use crate::support::{olmdex, scratch, write};

struct Made<'a> {
    version: &'a str,
    channels: &'a str,
    openshift: &'a str,
    /// Members of `spec`, as lines of YAML.
    spec: &'a str,
}

const fn made<'a>(version: &'a str, channels: &'a str, spec: &'a str) -> Made<'a> {
    Made { version, channels, openshift: "", spec }
}

fn put(root: &Path, bundles: &[Made<'_>]) {
    for Made { version, channels, openshift, spec } in bundles {
        let selector = if openshift.is_empty() {
            String::new()
        } else {
            format!("  com.redhat.openshift.versions: {openshift}\n")
        };
        let annotations = format!(
            "annotations:\n  operators.operatorframework.io.bundle.package.v1: kiosk\n  \
             operators.operatorframework.io.bundle.channels.v1: {channels}\n{selector}"
        );
        write(root, &format!("kiosk/{version}/metadata/annotations.yaml"), annotations);
        let csv = format!(
            "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: kiosk.v{version}}}\nspec:\n  version: \
             {version}\n{spec}"
        );
        write(root, &format!("kiosk/{version}/manifests/kiosk.clusterserviceversion.yaml"), csv);
    }
}

fn onboarded(root: &Path, openshift: &[u64], policy: SupportPolicy) -> Result<Onboarding, OnboardingError> {
    let wish = OnboardingWish {
        openshift: openshift.iter().map(|minor| Minor { major: 4, minor: *minor }).collect(),
        image: &|package, _, version| format!("q.io/{package}:{version}"),
        policy,
        unreleased: None,
    };
    onboard(&Operator::open(&root.join("kiosk")).unwrap(), &wish)
}

/// The entries of the channels of the first template, and its deprecations.
fn told(onboarding: &Onboarding) -> (Value, Value) {
    let mut json = Vec::new();
    olmdex::yaml::to_json(&onboarding.templates[0].text, &mut json).unwrap();
    let template: Value = serde_json::from_slice(&json).unwrap();
    let blobs = template["entries"].as_array().unwrap().clone();
    let channels: serde_json::Map<String, Value> = blobs
        .iter()
        .filter(|it| it["schema"] == "olm.channel")
        .map(|it| (it["name"].as_str().unwrap().to_owned(), it["entries"].clone()))
        .collect();
    let deprecated = blobs.iter().find(|it| it["schema"] == "olm.deprecations");
    let names =
        deprecated.map(|it| it["entries"].as_array().unwrap().iter().map(|it| it["reference"].clone()).collect());
    (Value::Object(channels), names.unwrap_or(Value::Null))
}

fn broken(versions: &[&str]) -> SupportPolicy {
    SupportPolicy { broken: versions.iter().map(|it| (*it).to_owned()).collect(), ..SupportPolicy::default() }
}

#[test]
fn edges_are_those_of_an_index_of_bundles() {
    let chain = [
        made("1.0.0", "a", ""),
        made("1.1.0", "a", "  replaces: kiosk.v1.0.0\n"),
        made("1.2.0", "a", "  replaces: kiosk.v1.1.0\n  skips: [kiosk.v1.1.1]\n"),
    ];
    let entry = |name: &str, replaces: &str| json!({"name": name, "replaces": replaces});
    let head = |skips: &[&str]| json!({"name": "kiosk.v1.2.0", "replaces": "kiosk.v1.0.0", "skips": skips});
    let cases = [
        (
            "a chain",
            &chain[..],
            SupportPolicy::default(),
            json!([{"name": "kiosk.v1.0.0"}, entry("kiosk.v1.1.0", "kiosk.v1.0.0"),
                   {"name": "kiosk.v1.2.0", "replaces": "kiosk.v1.1.0", "skips": ["kiosk.v1.1.1"]}]),
        ),
        (
            "a broken version is skipped, and its edge goes on",
            &chain[..],
            broken(&["1.1.0"]),
            json!([{"name": "kiosk.v1.0.0"}, head(&["kiosk.v1.1.1", "kiosk.v1.1.0"])]),
        ),
        (
            "broken versions that replace each other",
            &chain[..],
            broken(&["1.1.0", "v1.0.0"]),
            json!([{"name": "kiosk.v1.2.0", "skips": ["kiosk.v1.1.1", "kiosk.v1.1.0", "kiosk.v1.0.0"]}]),
        ),
        (
            "what only a range covers is no entry",
            &[made("1.0.0", "a", ""), made("1.1.0", "a", "")][..],
            SupportPolicy::default(),
            json!([{"name": "kiosk.v1.1.0"}]),
        ),
        (
            "what only a skipped version skips is no entry",
            &[
                made("1.0.0", "a", ""),
                made("1.1.0", "a", "  skips: [kiosk.v1.0.0]\n"),
                made("1.2.0", "a", "  skips: [kiosk.v1.1.0]\n"),
            ][..],
            SupportPolicy::default(),
            json!([{"name": "kiosk.v1.1.0", "skips": ["kiosk.v1.0.0"]}, {"name": "kiosk.v1.2.0", "skips": ["kiosk.v1.1.0"]}]),
        ),
        (
            "a circle ends",
            &[made("1.0.0", "a", "  replaces: kiosk.v1.1.0\n"), made("1.1.0", "a", "  replaces: kiosk.v1.0.0\n")][..],
            SupportPolicy::default(),
            json!([entry("kiosk.v1.0.0", "kiosk.v1.1.0"), entry("kiosk.v1.1.0", "kiosk.v1.0.0")]),
        ),
        (
            "a circle of broken versions ends",
            &[
                made("1.0.0", "a", "  replaces: kiosk.v1.1.0\n"),
                made("1.1.0", "a", "  replaces: kiosk.v1.0.0\n"),
                made("1.2.0", "a", "  replaces: kiosk.v1.1.0\n"),
            ][..],
            broken(&["1.0.0", "1.1.0"]),
            json!([{"name": "kiosk.v1.2.0", "replaces": "kiosk.v1.1.0", "skips": ["kiosk.v1.1.0", "kiosk.v1.0.0"]}]),
        ),
    ];
    for (what, bundles, policy, expected) in cases {
        let directory = scratch();
        put(directory.path(), bundles);
        let onboarding = onboarded(directory.path(), &[18], policy).unwrap();
        assert_eq!(told(&onboarding).0["a"], expected, "{what}");
    }
}

#[test]
fn semver_mode_follows_the_versions() {
    let directory = scratch();
    put(
        directory.path(),
        &[made("1.10.0", "a", "  replaces: nothing\n"), made("1.2.0", "a", ""), made("1.9.0", "a,b", "")],
    );
    write(directory.path(), "kiosk/ci.yaml", "updateGraph: semver-mode\n");
    let (channels, _) = told(&onboarded(directory.path(), &[18], broken(&["1.9.0"])).unwrap());
    let expected = json!([{"name": "kiosk.v1.2.0"}, {"name": "kiosk.v1.10.0", "replaces": "kiosk.v1.2.0", "skips": ["kiosk.v1.9.0"]}]);
    assert_eq!(channels, json!({"a": expected}));
}

#[test]
fn versions_without_support_are_deprecated_with_their_channels() {
    let directory = scratch();
    put(
        directory.path(),
        &[
            made("1.0.0", "a,old", ""),
            made("1.1.0", "a,old", "  replaces: kiosk.v1.0.0\n"),
            made("2.0.0", "a", "  replaces: kiosk.v1.1.0\n"),
        ],
    );
    let reference = |schema: &str, name: &str| json!({"schema": schema, "name": name});
    let old = || {
        json!([
            reference("olm.channel", "old"),
            reference("olm.bundle", "kiosk.v1.0.0"),
            reference("olm.bundle", "kiosk.v1.1.0")
        ])
    };
    let oldest = SupportPolicy { oldest_supported: Some("2.0.0".parse().unwrap()), ..SupportPolicy::default() };
    assert_eq!(told(&onboarded(directory.path(), &[18], oldest).unwrap()).1, old());
    let day = olmdex::calendar::Day::parse("2026-01-31").unwrap();
    let ended = SupportPolicy {
        ended: [("1.0".to_owned(), day), ("1.1".to_owned(), day)].into_iter().collect(),
        ..SupportPolicy::default()
    };
    assert_eq!(told(&onboarded(directory.path(), &[18], ended).unwrap()).1, old());
    assert_eq!(told(&onboarded(directory.path(), &[18], SupportPolicy::default()).unwrap()).1, Value::Null);
}

#[test]
fn catalogs_with_the_same_channels_share_a_template() {
    let directory = scratch();
    let first = Made { openshift: "v4.12-v4.16", ..made("1.0.0", "a", "") };
    let second = Made { openshift: "v4.16", ..made("1.1.0", "a", "  replaces: kiosk.v1.0.0\n") };
    put(directory.path(), &[first, second]);
    let onboarding = onboarded(directory.path(), &[12, 14, 16, 18, 11], SupportPolicy::default()).unwrap();
    let made: Vec<(&str, String)> =
        onboarding.templates.iter().map(|it| (it.name.as_str(), it.catalogs.join(" "))).collect();
    let expected = [("v4.12.yaml", "v4.12 v4.14"), ("v4.16.yaml", "v4.16"), ("v4.18.yaml", "v4.18")];
    assert_eq!(made, expected.map(|(name, catalogs)| (name, catalogs.to_owned())));
}

#[test]
fn settings_keep_their_comments_and_their_keys() {
    let mapping = "- template_name: basic.yaml\n    type: olm.template.basic\n    catalog_names:\n    - v4.18\n";
    let cases = [
        ("", format!("---\nfbc:\n  enabled: true\n  catalog_mapping:\n  {mapping}")),
        (
            "# who\nreviewers: [ada] # she\n",
            format!("# who\nreviewers: [ada] # she\nfbc:\n  enabled: true\n  catalog_mapping:\n  {mapping}"),
        ),
        (
            "fbc: # soon\n  enabled: false\n  version_promotion_strategy: never\n",
            format!(
                "fbc: # soon\n  enabled: true\n  version_promotion_strategy: never\n  catalog_mapping:\n  {mapping}"
            ),
        ),
    ];
    for (before, expected) in cases {
        let directory = scratch();
        put(directory.path(), &[made("1.0.0", "a", "")]);
        if !before.is_empty() {
            write(directory.path(), "kiosk/ci.yaml", before);
        }
        let onboarding = onboarded(directory.path(), &[18], SupportPolicy::default()).unwrap();
        assert_eq!(String::from_utf8(onboarding.ci_after).unwrap(), expected);
    }
}

#[test]
fn nothing_is_written_if_a_catalog_would_not_be_valid_or_a_link_leads_elsewhere() {
    let directory = scratch();
    let root = directory.path();
    put(root, &[made("1.0.0", "a", "  replaces: kiosk.v1.1.0\n"), made("1.1.0", "a", "  replaces: kiosk.v1.0.0\n")]);
    let run = || {
        let arguments =
            ["onboard", "kiosk", "--image-template", "q.io/{{.Package}}:{{.Version}}", "--openshift", "4.18"];
        olmdex(arguments).in_directory(root).answer()
    };
    let names = || {
        let mut names: Vec<String> = std::fs::read_dir(root.join("kiosk"))
            .unwrap()
            .map(|it| it.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let answer = run();
    answer.expect_code(1);
    assert!(answer.err().contains("nothing was written"), "{}", answer.err());
    assert_eq!(names(), ["1.0.0", "1.1.0"]);
    // A directory that is to be filled is a link to one outside.
    put(root, &[made("1.0.0", "a", "")]);
    std::fs::create_dir(root.join("outside")).unwrap();
    std::os::unix::fs::symlink(root.join("outside"), root.join("kiosk/catalogs")).unwrap();
    let answer = run();
    answer.expect_code(3);
    assert_eq!(std::fs::read_dir(root.join("outside")).unwrap().count(), 0, "{}", answer.err());
    assert_eq!(names(), ["1.0.0", "1.1.0", "catalogs"]);
}

#[test]
fn catalogs_of_other_operators_are_not_judged() {
    let directory = scratch();
    let root = directory.path();
    put(&root.join("operators"), &[made("1.0.0", "a", "")]);
    write(root, "config.yaml", "allowed_bundle_registries: [q.io/]\n");
    write(
        root,
        "catalogs/v4.18/shop/catalog.yaml",
        "schema: olm.bundle\nname: shop.v1\npackage: shop\nimage: x.io/shop:1\n",
    );
    let run = |path: &str| olmdex(["check", path, "--pipeline", "community"]).in_directory(root).answer();
    assert!(run("catalogs/v4.18").out().contains("x.io/shop:1"), "the other catalog is refused");
    let arguments = ["onboard", "operators/kiosk", "--image-template", "q.io/{{.Package}}:{{.Version}}", "--openshift"];
    let answer = olmdex(arguments.into_iter().chain(["4.18"])).in_directory(root).answer();
    assert!(root.join("catalogs/v4.18/kiosk/catalog.yaml").is_file(), "{}", answer.err());
    assert!(!answer.err().contains("shop"), "{}", answer.err());
}
