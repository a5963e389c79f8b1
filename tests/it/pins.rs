//! `check --with`: the versions that manifests of a repository pin.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use olmdex::ask::{Gates, PinAnswers, PinQuestion};
use olmdex::cluster::{Cluster, read_text};
use olmdex::fbc::Input;
use olmdex::index::{Builder, CatalogSpec, Index, Mode};

use crate::support::catalog::Catalog;

fn index() -> Index {
    let catalog = Catalog::default()
        .package("kiosk", "stable")
        .channel(
            "kiosk",
            "stable",
            &[
                "{name: kiosk.v1.0.0}",
                "{name: kiosk.v1.1.0, replaces: kiosk.v1.0.0}",
                "{name: kiosk.v1.2.0, replaces: kiosk.v1.1.0}",
                "{name: kiosk.v2.0.0, replaces: kiosk.v1.2.0}",
            ],
        )
        .channel("kiosk", "fast", &["{name: kiosk.v3.0.0}"]);
    let modes = "{type: olm.csv.metadata, value: {installModes: [{type: AllNamespaces, supported: true}]}}";
    let versions = ["1.0.0", "1.1.0", "1.2.0", "2.0.0", "3.0.0"];
    let catalog = versions.iter().fold(catalog, |catalog, version| catalog.bundle("kiosk", version, &[modes]));
    let mut builder = Builder::in_memory();
    let spec = CatalogSpec { name: "community".to_owned(), ..CatalogSpec::default() };
    builder.add_catalog(&spec, &Input::bytes("c.yaml", Arc::from(catalog.yaml().into_bytes())), Mode::Strict).unwrap();
    builder.into_index().unwrap()
}

/// A Subscription with these lines in its `spec`.
fn subscription(spec: &str) -> String {
    let spec = spec.split("; ").map(|it| format!("  {it}\n")).collect::<String>();
    format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {{name: kiosk, namespace: a}}\nspec:\n  source: community\n  \
         sourceNamespace: openshift-marketplace\n{spec}"
    )
}

fn extension(catalog: &str) -> String {
    format!(
        "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata: {{name: kiosk}}\nspec:\n  namespace: kiosk\n  source: \
         {{sourceType: Catalog, catalog: {{{catalog}}}}}\n"
    )
}

fn answer(index: &Index, now: &str, before: &str, source_map: &[&str], are_named: bool) -> PinAnswers {
    let read = |text: &str| read_text("gitops/kiosk.yaml", text.as_bytes()).unwrap();
    let (now, before): (Cluster, Cluster) = (read(now), read(before));
    let question = PinQuestion {
        now: &now,
        before: Some(&before),
        source_map: source_map.iter().map(|it| (*it).to_owned()).collect(),
        are_named,
        gates: Gates::default(),
    };
    question.answer(index).unwrap()
}

struct Case {
    what: &'static str,
    now: String,
    before: String,
    /// The rules of the findings, with words of their messages and help.
    found: &'static [(&'static str, &'static str, &'static str)],
    path: &'static [&'static str],
    next: Option<&'static str>,
}

fn case(what: &'static str, now: String) -> Case {
    Case { what, now, before: String::new(), found: &[], path: &[], next: None }
}

#[test]
fn pins_are_judged_by_what_the_catalog_has() {
    let manual = |channel: &str, pin: &str| {
        subscription(&format!("name: kiosk; channel: {channel}; installPlanApproval: Manual; startingCSV: {pin}"))
    };
    let exact = |version: &str| extension(&format!("packageName: kiosk, version: {version}"));
    let cases = [
        Case { next: Some("kiosk.v1.2.0"), ..case("a pin that is held", manual("stable", "kiosk.v1.1.0")) },
        case("a pin at the head", manual("stable", "kiosk.v2.0.0")),
        Case {
            before: manual("stable", "kiosk.v1.0.0"),
            path: &["kiosk.v1.1.0", "kiosk.v1.2.0"],
            next: Some("kiosk.v2.0.0"),
            ..case("each upgrade to the new pin is approved", manual("stable", "kiosk.v1.2.0"))
        },
        Case {
            found: &[("E1905", "channel `stable` of catalog `community` has no `kiosk.v1.3.0`", "did you mean")],
            ..case("a pin that is not there", manual("stable", "kiosk.v1.3.0"))
        },
        Case {
            found: &[("E1905", "has no `kiosk.v3.0.0`", "it is in `fast`")],
            ..case("a pin of another channel", manual("stable", "kiosk.v3.0.0"))
        },
        Case {
            found: &[("E1905", "package `kiosk` has no channel `stabel`", "did you mean `stable`?")],
            ..case("a channel that is not there", manual("stabel", "kiosk.v1.0.0"))
        },
        Case {
            found: &[("E1905", "catalog `community` has no package `kisk`", "olmdex search kisk")],
            ..case("a package that is not there", subscription("name: kisk; channel: stable"))
        },
        Case {
            found: &[("E1906", "no upgrade leads from `kiosk.v2.0.0` to `kiosk.v1.0.0`", "olmdex upgrades kiosk")],
            before: manual("stable", "kiosk.v2.0.0"),
            next: Some("kiosk.v1.1.0"),
            ..case("a pin that goes back", manual("stable", "kiosk.v1.0.0"))
        },
        Case {
            found: &[("W1907", "it upgrades to `kiosk.v2.0.0` at once", "installPlanApproval: Manual")],
            next: Some("kiosk.v1.1.0"),
            ..case("a pin that OLM leaves", subscription("name: kiosk; channel: stable; startingCSV: kiosk.v1.0.0"))
        },
        Case {
            found: &[("W1907", "the first approved one installs `kiosk.v2.0.0`", "startingCSV: kiosk.v2.0.0")],
            ..case("approvals without a pin", subscription("name: kiosk; installPlanApproval: Manual"))
        },
        case("no pin is wanted", subscription("name: kiosk; channel: fast")),
        Case { next: Some("kiosk.v1.1.0"), ..case("an exact version", exact("1.0.0")) },
        Case {
            before: exact("1.0.0"),
            path: &["1.1.0"],
            next: Some("kiosk.v1.2.0"),
            ..case("the next exact version", exact("1.1.0"))
        },
        Case {
            found: &[("E1905", "no bundles", "olmdex list versions kiosk")],
            ..case("a version that no bundle has", exact("1.7.0"))
        },
        Case {
            found: &[("E1906", "no upgrade leads from 1.0.0 to 2.0.0", "olmdex upgrades kiosk@1.0.0 --steps --olm v1")],
            before: exact("1.0.0"),
            ..case("a version that no upgrade reaches", exact("2.0.0"))
        },
        Case {
            before: extension("packageName: kiosk, version: 2.0.0, upgradeConstraintPolicy: SelfCertified"),
            path: &["1.0.0"],
            next: Some("kiosk.v3.0.0"),
            ..case(
                "an owner who answers for it",
                extension("packageName: kiosk, version: 1.0.0, upgradeConstraintPolicy: SelfCertified"),
            )
        },
        Case {
            found: &[("E1905", "no catalog has the package `kisk`", "olmdex search kisk")],
            ..case("a package that no catalog has", extension("packageName: kisk, version: 1.0.0"))
        },
    ];
    let index = index();
    for Case { what, now, before, found, path, next } in cases {
        let PinAnswers { findings, pins } = answer(&index, &now, &before, &[], false);
        let told: Vec<_> = findings.iter().map(|it| (it.rule.id, it.message.as_str(), it.help.as_deref())).collect();
        assert_eq!(told.len(), found.len(), "{what}: {told:?}");
        for ((rule, message, help), (expected, words, todo)) in told.iter().zip(found) {
            assert_eq!(rule, expected, "{what}");
            assert!(message.contains(words), "{what}: {message}");
            assert!(help.is_some_and(|it| it.contains(todo)), "{what}: {help:?}");
        }
        assert!(findings.iter().all(|it| it.place.as_ref().is_some_and(|it| it.file == "gitops/kiosk.yaml")), "{what}");
        assert_eq!(
            (pins.len(), &pins[0].path[..], pins[0].next.as_deref()),
            (1, &path.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()[..], next),
            "{what}"
        );
    }
}

#[test]
fn a_source_that_is_not_known_is_said_and_can_be_tied() {
    let index = index();
    let now = subscription("name: kiosk; startingCSV: kiosk.v9.0.0; installPlanApproval: Manual");
    let rules = |ties: &[&str]| -> Vec<&str> {
        answer(&index, &now, "", ties, true).findings.iter().map(|it| it.rule.id).collect()
    };
    // The user and the Subscription have different names for the catalog.
    let other = now.replace("source: community", "source: internal");
    let found = answer(&index, &other, "", &[], true).findings;
    assert_eq!(found.iter().map(|it| it.rule.id).collect::<Vec<_>>(), ["W1908"], "{found:?}");
    assert_eq!(rules(&["openshift-marketplace/community=community"]), ["E1905"]);
    let tied = answer(&index, &other, "", &["openshift-marketplace/internal=community"], true).findings;
    assert_eq!(tied.iter().map(|it| it.rule.id).collect::<Vec<_>>(), ["E1905"], "{tied:?}");
}
