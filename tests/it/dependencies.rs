//! What `images`, `updates` and `search` say of catalogs that lack something, and of messages.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use olmdex::version::Release;

use crate::support::catalog::Catalog;
use crate::support::{Answer, TempDir, olmdex, scratch, write};

fn run(catalog: &str, args: &[&str]) -> (TempDir, Answer) {
    let dir = scratch();
    write(dir.path(), "c.yaml", catalog);
    let answer = olmdex(args).args(["-i", "c=c.yaml"]).in_directory(dir.path()).answer();
    (dir, answer)
}

fn needs(package: &str) -> String {
    format!("{{type: olm.package.required, value: {{packageName: {package}, versionRange: \">=1.0.0\"}}}}")
}

/// B13: one dependency that is missing hides nothing else, however deep it is.
#[test]
fn images_are_listed_without_what_is_missing() {
    let one = |catalog: Catalog, package: &str, properties: &[&str]| {
        let entry = format!("{{name: {package}.v1.0.0}}");
        catalog.package(package, "s").channel(package, "s", &[&entry]).bundle(package, "1.0.0", properties)
    };
    let (a, b, nowhere) = (needs("a"), needs("b"), needs("nowhere"));
    let catalog = one(Catalog::default(), "shop", &[&a, &nowhere]);
    let catalog = one(one(catalog, "a", &[&b]), "b", &[&nowhere]).yaml();
    let (_dir, answer) = run(&catalog, &["images", "shop", "--with-deps"]);
    answer.expect_code(1);
    for package in ["shop", "a", "b"] {
        answer.expect_words(&format!("quay.io/x/{package}:1.0.0"));
    }
    answer.expect_words("shop.v1.0.0 requires").expect_words("b.v1.0.0 requires").expect_words("nothing provides that");
    // The command that is named speaks of this version, not of another.
    answer.expect_words("olmdex resolve --install shop@shop.v1.0.0");
    let (_dir, answer) = run(&catalog, &["resolve", "--install", "shop@shop.v1.0.0"]);
    answer.expect_code(1);
}

/// B10: a ClusterExtension with several channels takes what those that exist have.
#[test]
fn a_channel_that_does_not_exist_leaves_the_others() {
    let catalog =
        Catalog::default().package("p", "s").channel("p", "s", &["{name: p.v1.0.0}"]).bundle("p", "1.0.0", &[]);
    let catalog = catalog.yaml();
    for (channels, code) in [(&["s", "gone"][..], 0), (&["gone", "s"], 0), (&["gone"], 4), (&["gone", "away"], 4)] {
        let mut args = vec!["updates", "p", "--olm", "v1"];
        channels.iter().for_each(|it| args.extend(["--channel", it]));
        let (_dir, answer) = run(&catalog, &args);
        answer.expect_code(code).expect_words("no channel `gone`");
        assert_eq!(answer.out().contains("installs p.v1.0.0"), code == 0, "{}", answer.both());
    }
    let (_dir, answer) = run(&catalog, &["updates", "p", "--olm", "classic", "--channel", "gone"]);
    answer.expect_code(4);
}

/// B10: all bad segments of a release are named.
#[test]
fn every_bad_segment_of_a_release_is_named() {
    for (text, expected) in [
        ("..", "0: Prerelease is empty\nsegment 1: Prerelease is empty\nsegment 2: Prerelease is empty"),
        ("1..2", "1: Prerelease is empty"),
    ] {
        let error = Release::parse(text).unwrap_err().to_string();
        assert_eq!(error, format!("invalid release \"{text}\": segment {expected}"));
    }
}

/// B14: the older annotation counts where the newer one says nothing that can be understood.
#[test]
fn the_older_annotation_of_features_is_not_forgotten() {
    const OLDER: &str = r#""operators.openshift.io/infrastructure-features": "[\"disconnected\", \"fips\"]""#;
    for (newer, is_found) in [
        ("", true),
        ("\"true\"", true),
        ("\"True\"", true),
        ("\" true\"", true),
        ("\"ture\"", true),
        ("\"\"", true),
        ("\"false\"", false),
        ("\"False\"", false),
    ] {
        let newer = if newer.is_empty() {
            String::new()
        } else {
            format!(", \"features.operators.openshift.io/disconnected\": {newer}")
        };
        let metadata = format!("{{type: olm.csv.metadata, value: {{annotations: {{{OLDER}{newer}}}}}}}");
        let catalog = Catalog::default().package("p", "s").channel("p", "s", &["{name: p.v1.0.0}"]).bundle(
            "p",
            "1.0.0",
            &[&metadata],
        );
        let catalog = catalog.yaml();
        let (_dir, answer) = run(&catalog, &["search", "--feature", "disconnected=true"]);
        assert_eq!(answer.code == Some(0), is_found, "{newer}: {}", answer.both());
        let (_dir, answer) = run(&catalog, &["search", "--feature", "fips-compliant=true"]);
        answer.expect_code(0);
    }
}

/// B15: a message that is not known gets a next step too.
#[test]
fn an_unknown_message_leads_somewhere() {
    let answer = olmdex(["explain-message", "the installplan sneezed"]).answer();
    answer.expect_code(1).expect_words("This message is not known.").expect_words("kubectl get installplans -A");
}
