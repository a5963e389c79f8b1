//! The conditions for a move to OLM v1: a case for each condition and each of its three answers, against the library;
//! and a check that all commands about OLM v1 agree.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;
use std::sync::Arc;

use olmdex::ask::{self, Question as _, ReadinessQuestion, light_builder};
use olmdex::cluster::read_text;
use olmdex::fbc::Input;
use olmdex::index::{Builder, CatalogSpec, Index, Mode};
use olmdex::page::{self, Ask, IndexCache, Links, Site};
use olmdex::readiness::{Acknowledgement, Conversion, Met, Readiness, State};
use olmdex::upgrade::v1::Gates;
use serde_json::Value;

use crate::support::{olmdex, scratch, write};

/// A Subscription that can move, with all objects that show this.
const CLUSTER: &str = "
apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: {name: shop, namespace: market}
spec: {sourceType: grpc, image: 'registry.example.com/shop:v1', priority: 5}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: group, namespace: light}
spec: {}
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: lamp, namespace: light, annotations: {}}
spec: {name: lamp, channel: stable, source: shop, sourceNamespace: market}
status: {installedCSV: lamp.v1.0.0, currentCSV: lamp.v1.1.0, state: AtLatestKnown}
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: lamp.v1.0.0, namespace: light, annotations: {}}
spec:
  version: 1.0.0
  installModes: [{type: AllNamespaces, supported: true}]
  install: {strategy: deployment, spec: {}}
status: {phase: Succeeded}
---
apiVersion: operators.coreos.com/v2
kind: OperatorCondition
metadata: {name: lamp.v1.0.0, namespace: light}
status: {}
---
apiVersion: operators.coreos.com/v1alpha1
kind: InstallPlan
metadata: {name: install-1, namespace: light}
spec: {clusterServiceVersionNames: [lamp.v1.0.0]}
status: {bundleLookups: [{identifier: lamp.v1.0.0, catalogSourceRef: {name: shop, namespace: market}}]}
";

const CATALOG: &str = "
schema: olm.package
name: lamp
defaultChannel: stable
---
schema: olm.channel
package: lamp
name: stable
entries: [{name: lamp.v1.1.0, replaces: lamp.v1.0.0}]
---
schema: olm.bundle
package: lamp
name: lamp.v1.1.0
image: registry.example.com/lamp@sha256:1111111111111111111111111111111111111111111111111111111111111111
properties: [{type: olm.package, value: {packageName: lamp, version: 1.1.0}}]
";

const GROUP: &str = "kind: OperatorGroup\nmetadata: {name: group, namespace: light}\nspec: {}";
const INSTALL: &str = "  install: {strategy: deployment, spec: {}}";
const STATUS: &str = "metadata: {name: lamp.v1.0.0, namespace: light}\nstatus: {}";
const MODES: &str = "  installModes: [{type: AllNamespaces, supported: true}]\n";
const NOTES: &str = "metadata: {name: lamp.v1.0.0, namespace: light, annotations: {}}";

/// A condition, whether it is met, the state of the Subscription, and the differences from a cluster without problems.
type Case = (&'static str, Met, State, &'static [(&'static str, &'static str)]);

const GONE: &str = "kind: Nothing";

/// Every condition of `docs/behaviour/olm-v1.md` 7.2 with each of its answers.
const CASES: &[Case] = &[
    ("C1", Met::Yes, State::Eligible, &[]),
    // An empty selector selects everything.
    (
        "C1",
        Met::Yes,
        State::Eligible,
        &[(GROUP, "kind: OperatorGroup\nmetadata: {name: group, namespace: light}\nspec: {selector: {}}")],
    ),
    (
        "C1",
        Met::No,
        State::Ineligible,
        &[(GROUP, "kind: OperatorGroup\nmetadata: {name: group, namespace: light}\nspec: {targetNamespaces: [light]}")],
    ),
    (
        "C1",
        Met::No,
        State::Ineligible,
        &[(
            GROUP,
            "kind: OperatorGroup\nmetadata: {name: group, namespace: light}\nspec: {selector: {matchLabels: {a: b}}}",
        )],
    ),
    ("C1", Met::NotKnown, State::NotKnown, &[("kind: OperatorGroup", GONE)]),
    ("C1a", Met::Yes, State::Eligible, &[]),
    ("C1a", Met::No, State::Ineligible, &[("AllNamespaces, supported: true", "AllNamespaces, supported: false")]),
    ("C1a", Met::No, State::Ineligible, &[("AllNamespaces, supported: true", "OwnNamespace, supported: true")]),
    ("C1a", Met::NotKnown, State::NotKnown, &[(MODES, "")]),
    ("C2", Met::Yes, State::Eligible, &[]),
    (
        "C2",
        Met::No,
        State::Ineligible,
        &[(
            NOTES,
            "metadata: {name: lamp.v1.0.0, namespace: light, annotations: {operatorframework.io/properties: '{\"properties\":[{\"type\":\"olm.package.required\",\"value\":{\"packageName\":\"socket\",\"versionRange\":\">=1\"}}]}'}}",
        )],
    ),
    (
        "C2",
        Met::No,
        State::Ineligible,
        &[(
            NOTES,
            "metadata: {name: lamp.v1.0.0, namespace: light, annotations: {operatorframework.io/properties: '{\"properties\":[{\"type\":\"olm.gvk.required\",\"value\":{\"group\":\"a.b\",\"version\":\"v1\",\"kind\":\"C\"}}]}'}}",
        )],
    ),
    (
        "C2",
        Met::No,
        State::Ineligible,
        &[(
            NOTES,
            "metadata: {name: lamp.v1.0.0, namespace: light, annotations: {operatorframework.io/properties: '{\"properties\":[{\"type\":\"olm.constraint\",\"value\":{\"cel\":{\"rule\":\"true\"}}}]}'}}",
        )],
    ),
    (
        "C2",
        Met::No,
        State::Ineligible,
        &[(
            INSTALL,
            "  install: {strategy: deployment, spec: {}}\n  customresourcedefinitions: {required: [{name: cs.a.b, version: v1, kind: C}]}",
        )],
    ),
    (
        "C2",
        Met::NotKnown,
        State::NotKnown,
        &[(
            NOTES,
            "metadata: {name: lamp.v1.0.0, namespace: light, annotations: {operatorframework.io/properties: 'nonsense'}}",
        )],
    ),
    ("C2", Met::NotKnown, State::NotKnown, &[(INSTALL, "")]),
    ("C3", Met::Yes, State::Eligible, &[]),
    (
        "C3",
        Met::No,
        State::Ineligible,
        &[(
            INSTALL,
            "  install: {strategy: deployment, spec: {}}\n  apiservicedefinitions: {owned: [{name: readings, group: a.b, version: v1, kind: Reading}]}",
        )],
    ),
    // A required API service belongs to another condition.
    (
        "C3",
        Met::Yes,
        State::Ineligible,
        &[(
            INSTALL,
            "  install: {strategy: deployment, spec: {}}\n  apiservicedefinitions: {required: [{name: readings, group: a.b, version: v1, kind: Reading}]}",
        )],
    ),
    ("C3", Met::NotKnown, State::NotKnown, &[(INSTALL, ""), (MODES, "")]),
    ("C4", Met::Yes, State::Eligible, &[]),
    (
        "C4",
        Met::No,
        State::Ineligible,
        &[(
            STATUS,
            "metadata: {name: lamp.v1.0.0, namespace: light}\nstatus: {conditions: [{type: Upgradeable, status: 'True'}]}",
        )],
    ),
    // An administrator's override is not a report of the operator.
    (
        "C4",
        Met::Yes,
        State::Eligible,
        &[(
            STATUS,
            "metadata: {name: lamp.v1.0.0, namespace: light}\nspec: {overrides: [{type: Upgradeable, status: 'True'}]}",
        )],
    ),
    ("C4", Met::NotKnown, State::NotKnown, &[("kind: OperatorCondition", GONE)]),
    ("C5", Met::Yes, State::Eligible, &[]),
    (
        "C5",
        Met::No,
        State::Ineligible,
        &[(
            INSTALL,
            "  install: {strategy: deployment, spec: {clusterPermissions: [{serviceAccountName: a, rules: [{apiGroups: [operators.coreos.com], resources: [subscriptions], verbs: [get]}]}]}}",
        )],
    ),
    (
        "C5",
        Met::No,
        State::Ineligible,
        &[(
            INSTALL,
            "  install: {strategy: deployment, spec: {permissions: [{serviceAccountName: a, rules: [{apiGroups: [operators.coreos.com], resources: ['*'], verbs: ['*']}]}]}}",
        )],
    ),
    (
        "C5",
        Met::Yes,
        State::Eligible,
        &[(
            INSTALL,
            "  install: {strategy: deployment, spec: {clusterPermissions: [{serviceAccountName: a, rules: [{apiGroups: [operators.coreos.com], resources: [operatorconditions], verbs: [get]}]}]}}",
        )],
    ),
    (
        "C5",
        Met::Yes,
        State::Eligible,
        &[(
            INSTALL,
            "  install: {strategy: deployment, spec: {clusterPermissions: [{serviceAccountName: a, rules: [{apiGroups: [operators.coreos.com, olm.operatorframework.io], resources: ['*'], verbs: [get]}]}]}}",
        )],
    ),
    // A rule for everything applies to OLM v1, too.
    (
        "C5",
        Met::Yes,
        State::Eligible,
        &[(
            INSTALL,
            "  install: {strategy: deployment, spec: {clusterPermissions: [{serviceAccountName: a, rules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]}]}}",
        )],
    ),
    ("C5", Met::NotKnown, State::NotKnown, &[(INSTALL, "")]),
    ("C6", Met::Yes, State::Eligible, &[]),
    (
        "C6",
        Met::No,
        State::Ineligible,
        &[(GROUP, "kind: OperatorGroup\nmetadata: {name: group, namespace: light}\nspec: {serviceAccountName: weak}")],
    ),
    ("C6", Met::NotKnown, State::NotKnown, &[("kind: OperatorGroup", GONE)]),
    ("C7", Met::Yes, State::Eligible, &[]),
    ("C7", Met::No, State::Ineligible, &[("spec: {name: lamp, channel", "spec: {name: torch, channel")]),
    (
        "C7",
        Met::NotKnown,
        State::NotKnown,
        &[
            ("source: shop, sourceNamespace", "source: other, sourceNamespace"),
            ("metadata: {name: shop, namespace: market}", "metadata: {name: other, namespace: market}"),
            ("catalogSourceRef: {name: shop", "catalogSourceRef: {name: other"),
        ],
    ),
    ("C8", Met::Yes, State::Eligible, &[]),
    ("C8", Met::Yes, State::Eligible, &[("state: AtLatestKnown", "state: UpgradePending")]),
    ("C8", Met::No, State::Ineligible, &[("state: AtLatestKnown", "state: UpgradeFailed")]),
    ("C8", Met::No, State::Ineligible, &[("phase: Succeeded", "phase: Failed")]),
    ("C8", Met::No, State::Ineligible, &[("installedCSV: lamp.v1.0.0, ", "")]),
    ("C8", Met::NotKnown, State::NotKnown, &[(", state: AtLatestKnown", "")]),
    ("C8", Met::NotKnown, State::NotKnown, &[("status: {phase: Succeeded}", "")]),
    ("C8", Met::NotKnown, State::NotKnown, &[("kind: ClusterServiceVersion", GONE)]),
    ("C9", Met::Yes, State::Eligible, &[]),
    (
        "C9",
        Met::No,
        State::Ineligible,
        &[(
            "metadata: {name: lamp, namespace: light, annotations: {}}",
            "metadata: {name: lamp, namespace: light, annotations: {olm.generated-by: install-1}}",
        )],
    ),
    ("C10", Met::Yes, State::Eligible, &[]),
    ("C10", Met::No, State::Ineligible, &[("sourceType: grpc", "sourceType: configmap")]),
    ("C10", Met::No, State::Ineligible, &[("image: 'registry.example.com/shop:v1'", "address: 'shop:50051'")]),
    ("C10", Met::No, State::Ineligible, &[("priority: 5", "priority: 4000000000")]),
    // The source of the bundle is gone; that of the Subscription exists.
    ("C10", Met::No, State::Ineligible, &[("catalogSourceRef: {name: shop", "catalogSourceRef: {name: gone")]),
    ("C10", Met::NotKnown, State::NotKnown, &[("kind: CatalogSource", GONE)]),
];

fn index(catalog: &str) -> Index {
    let mut builder = Builder::in_memory();
    let input = Input::bytes("shop.yaml", Arc::from(catalog.as_bytes()));
    let spec = CatalogSpec { name: "shop".to_owned(), ..CatalogSpec::default() };
    builder.add_catalog(&spec, &input, Mode::Tolerant).unwrap();
    builder.into_index().unwrap()
}

fn answer(manifests: &str, acknowledged: &[Acknowledgement]) -> (Vec<Readiness>, Conversion) {
    let cluster = read_text("cluster.yaml", manifests.as_bytes()).unwrap();
    let question = ReadinessQuestion { acknowledge: acknowledged.to_vec(), ..ReadinessQuestion::default() };
    let index = index(CATALOG);
    let state = ask::State { cluster: Some((&cluster, "the cluster")), are_named: true, ..ask::State::of(&*index) };
    let (answer, conversion) = question.ask_converting(&state);
    (answer.unwrap().items, conversion)
}

fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(CLUSTER.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

fn only((items, _): (Vec<Readiness>, Conversion)) -> Readiness {
    let [only] = items.try_into().unwrap();
    only
}

#[test]
fn each_condition_has_each_of_its_answers() {
    for (id, met, state, changes) in CASES {
        let item = only(answer(&changed(changes), &[]));
        let condition = item.conditions.iter().find(|it| it.id == *id).unwrap();
        assert_eq!((condition.verdict, item.state), (*met, *state), "{id} with {changes:?}: {item:#?}");
        assert_eq!(item.conditions.len(), olmdex::readiness::RULES.len());
        assert!(!condition.reason.is_empty());
        assert_eq!(condition.way_out.is_some(), *met == Met::No, "{id}");
    }
    // Without catalogs it is unknown which of them serves the package.
    let (cluster, nothing) =
        (read_text("cluster.yaml", CLUSTER.as_bytes()).unwrap(), light_builder().into_index().unwrap());
    let state = ask::State { cluster: Some((&cluster, "")), ..ask::State::of(&nothing) };
    let alone = ReadinessQuestion::default().ask(&state).unwrap();
    let c7 = alone.items[0].conditions.iter().find(|it| it.id == "C7").unwrap();
    assert_eq!((c7.verdict, alone.items[0].state), (Met::NotKnown, State::NotKnown));
    assert_eq!(c7.reason, "no catalog given: name catalogs with `-i`");
    // Every condition can be unknown except for C9, which the Subscription itself decides.
    for rule in &olmdex::readiness::RULES {
        for met in [Met::Yes, Met::No, Met::NotKnown] {
            let is_there = CASES.iter().any(|it| it.0 == rule.id && it.1 == met);
            assert!(is_there || (rule.id == "C9" && met == Met::NotKnown), "{} {met:?}", rule.id);
        }
    }
}

/// Soft conditions can be acknowledged by their own words, hard ones cannot; the words become annotations.
#[test]
fn what_can_be_acknowledged_is() {
    use Acknowledgement::{
        CatalogPriority, NotSteadyState, Olmv0ApiAccess, OperatorCondition, ScopedServiceaccount, WatchScopeChange,
    };
    let all =
        [WatchScopeChange, OperatorCondition, Olmv0ApiAccess, ScopedServiceaccount, NotSteadyState, CatalogPriority];
    for (id, met, _, changes) in CASES.iter().filter(|it| it.1 != Met::Yes) {
        let text = changed(changes);
        let plain = only(answer(&text, &[]));
        let word = plain.conditions.iter().find(|it| it.id == *id).unwrap().acknowledgement;
        let others: Vec<Acknowledgement> = all.into_iter().filter(|it| Some(*it) != word).collect();
        assert!(!only(answer(&text, &others)).state.is_good(), "{id} {changes:?}");
        let (with_all, conversion) = answer(&text, &all);
        let open = plain.conditions.iter().filter(|it| it.decides() && it.acknowledgement.is_none()).count();
        assert_eq!(with_all[0].state.is_good(), open == 0, "{id} {met:?} {changes:?}");
        if let (0, Some(word), Met::No, Some(extension)) = (open, word, met, conversion.extensions.first()) {
            let name = format!("olm.operatorframework.io/acknowledged-{}", word.as_str());
            assert_eq!(extension.annotations.get(&name).map(String::as_str), Some("true"), "{id}");
        }
    }
}

#[test]
fn subscriptions_that_have_moved_are_told_apart() {
    let extension = |from: &str| {
        format!(
            "---\napiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata: {{name: x, annotations: {{olm.operatorframework.io/migrated-from-subscription: {from}}}}}\nspec: {{source: {{sourceType: Catalog, catalog: {{packageName: lamp}}}}}}\n"
        )
    };
    let states = |text: &str| answer(text, &[]).0.iter().map(|it| it.state).collect::<Vec<_>>();
    assert_eq!(states(&format!("{CLUSTER}{}", extension("light/lamp"))), [State::Conflict]);
    let both = [State::AlreadyMigrated, State::Eligible];
    assert_eq!(states(&format!("{CLUSTER}{}", extension("light/gone"))), both);
    // An operator that has moved needs no manifests any more.
    assert!(answer(&format!("{CLUSTER}{}", extension("light/lamp")), &[]).1.extensions.is_empty());
}

#[test]
fn catalogs_keep_their_names_where_they_can() {
    let source = |namespace: &str, name: &str, image: &str| {
        format!(
            "---\napiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\nmetadata: {{name: {name}, namespace: {namespace}}}\nspec: {{sourceType: grpc, image: '{image}', updateStrategy: {{registryPoll: {{interval: 90s}}}}}}\n"
        )
    };
    let catalog = |name: &str, image: &str| {
        format!(
            "---\napiVersion: olm.operatorframework.io/v1\nkind: ClusterCatalog\nmetadata: {{name: {name}}}\nspec: {{source: {{type: Image, image: {{ref: '{image}'}}}}}}\n"
        )
    };
    let digest = "registry.example.com/shop@sha256:00";
    let own = "image: 'registry.example.com/shop:v1', priority: 5";
    for (change, more, name, is_adopted, poll) in [
        (None, String::new(), "shop", false, None),
        // The same name and image elsewhere count as the same; another image is another source.
        (None, source("other", "shop", "registry.example.com/shop:v1"), "shop", false, None),
        (None, source("other", "shop", "registry.example.com/shop:v2"), "shop-market", false, None),
        (None, catalog("theirs", "registry.example.com/shop:v1"), "theirs", true, None),
        (None, catalog("shop", "registry.example.com/else:v1"), "shop-market", false, None),
        (
            Some("image: 'registry.example.com/shop:v1', updateStrategy: {registryPoll: {interval: 90s}}".to_owned()),
            String::new(),
            "shop",
            false,
            Some(2),
        ),
        (
            Some(format!("image: '{digest}', updateStrategy: {{registryPoll: {{interval: 90s}}}}")),
            String::new(),
            "shop",
            false,
            None,
        ),
    ] {
        let text = change.map_or_else(|| CLUSTER.to_owned(), |it| CLUSTER.replace(own, &it));
        let conversion = answer(&format!("{text}{more}"), &[]).1;
        let [found] = conversion.catalogs.as_slice() else { panic!("{conversion:?}") };
        assert_eq!((found.name.as_str(), found.is_adopted, found.poll_minutes), (name, is_adopted, poll), "{more}");
        assert_eq!(conversion.extensions[0].catalog, name);
    }
}

/// If a gate lifts a refusal, the condition goes too.
#[test]
fn gates_and_targets_decide() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/catalogs/ready-for-v1");
    let states = |args: &[&str]| {
        let answer = olmdex(["v1", "check", "-o", "json", "-i"]).arg(&path).args(args).answer();
        let json: Value = serde_json::from_slice(&answer.stdout).unwrap();
        json["items"][0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(states(&["lamp@1.0.0"]), "ineligible");
    assert_eq!(states(&["lamp@1.0.0", "--feature-gates", "SingleOwnNamespaceInstallSupport=true"]), "eligible");
    assert_eq!(states(&["gauge"]), "ineligible");
    assert_eq!(states(&["gauge", "--renders-api-services"]), "eligible");
}

/// `updates --olm v1` installs nothing that `v1 check` calls ineligible because of a condition that a bundle cannot
/// have acknowledged, and the other way round. This returns the pages of a catalog.
fn pages_of(catalog: &Path) -> impl Fn(&str) -> String {
    let mut builder = Builder::in_memory();
    let spec = CatalogSpec { name: "c".to_owned(), ..CatalogSpec::default() };
    builder.add_catalog(&spec, &Input::directory(catalog).unwrap(), Mode::Tolerant).unwrap();
    let index = builder.into_index().unwrap();
    let cache = IndexCache::new(&index, Vec::new()).unwrap();
    move |target| {
        let site = Site { index: &index, cache: &cache, links: &Links::Served, base: "" };
        let reply = page::answer(site, &Ask { method: "GET", target, if_none_match: None });
        String::from_utf8(reply.body.clone()).unwrap()
    }
}

#[test]
fn all_who_speak_of_olm_v1_agree() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/catalogs/ready-for-v1");
    let checked = olmdex(["v1", "check", "-o", "json", "-i"]).arg(&path).answer();
    let json: Value = serde_json::from_slice(&checked.stdout).unwrap();
    let items = json["items"].as_array().unwrap();
    assert!(items.len() > 5);
    let pages = pages_of(&path);
    for item in items {
        let package = item["package"].as_str().unwrap();
        let bundle = item["bundle"].as_str().unwrap();
        let conditions = item["conditions"].as_array().unwrap();
        let refuses = |it: &Value| it["verdict"] == "no" && it["acknowledgement"].is_null();
        let is_refused = conditions.iter().any(refuses);
        let updates = olmdex(["updates", package, "--olm", "v1", "-o", "json", "-i"]).arg(&path).answer();
        let json: Value = serde_json::from_slice(&updates.stdout).unwrap();
        assert_eq!(json["items"][0]["verdict"] != "install", is_refused, "updates {package}: {json:#}");
        let why_not = olmdex(["why-not", bundle, "--olm", "v1", "-o", "json", "-i"]).arg(&path).answer();
        let json: Value = serde_json::from_slice(&why_not.stdout).unwrap();
        assert_eq!(json["items"][0]["isTaken"] == false, is_refused, "why-not {bundle}: {}", why_not.both());
        let compat =
            olmdex(["compat", bundle, "--olm", "v1", "--openshift", "4.18", "-o", "json", "-i"]).arg(&path).answer();
        let json: Value = serde_json::from_slice(&compat.stdout).unwrap();
        assert_eq!(!json["items"][0]["refusal"].is_null(), is_refused, "compat {bundle}: {}", compat.both());
        let page = pages(&format!("/p/{package}/install"));
        assert_eq!(page.contains("OLM v1 refuses this version"), is_refused, "the page of {package}: {page}");
        let filtered = olmdex(["filter", "--package", package, "-o", "cluster-extension", "-i"]).arg(&path).answer();
        assert_eq!(
            filtered.err().contains("OLM v1 does not install"),
            is_refused,
            "filter {package}: {}",
            filtered.err()
        );
    }
}

/// Names in a cluster that a shell script could run as commands.
#[test]
fn no_name_escapes_from_the_script() {
    let dir = scratch();
    let hostile = CLUSTER.replace(
        "name: lamp, namespace: light",
        "name: \"lamp'; touch pwned; echo '\\nEOF\\ntouch pwned\\n\", namespace: light",
    );
    let hostile = hostile.replace("image: 'registry.example.com/shop:v1'", "image: \"a\\nEOF\\ntouch pwned\\n\"");
    write(dir.path(), "cluster.yaml", hostile);
    write(dir.path(), "shop.yaml", CATALOG);
    let args = ["v1", "check", "--cluster", "cluster.yaml", "-i", "shop=shop.yaml", "-o", "script"];
    let answer = olmdex(args).in_directory(dir.path()).answer();
    assert!(answer.out().contains("forward()"), "{}", answer.both());
    write(dir.path(), "script.sh", answer.stdout);
    let mut shell = std::process::Command::new("sh");
    shell.arg("script.sh").env("KUBECTL", "true").env("CONVERTER", "true").current_dir(dir.path());
    assert!(shell.status().unwrap().success());
    shell.arg("back");
    assert!(shell.status().unwrap().success());
    assert!(!dir.path().join("pwned").exists());
    assert_eq!(Gates::default(), "".parse().unwrap());
}
