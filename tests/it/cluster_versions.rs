//! The ClusterVersion's data about updates, beside the other known updates.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use serde_json::Value;

use crate::support::{Answer, olmdex, scratch, write};

/// A cluster at 4.16.3 whose ClusterVersion has this in its status, and other objects beside it.
fn cluster(status: &str, others: &str) -> String {
    format!(
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: config.openshift.io/v1\n  kind: ClusterVersion\n  metadata: {{name: version}}\n  \
         status:\n    history: [{{state: Completed, version: 4.16.3}}]\n    {}\n{others}",
        status.replace('\n', "\n    ")
    )
}

const GRAPH: &str = r#"{"nodes": [{"version": "4.16.3"}, {"version": "4.17.1"}], "edges": [],
 "conditionalEdges": [{"edges": [{"from": "4.16.3", "to": "4.17.1"}],
  "risks": [{"name": "Slow", "url": "u", "message": "It is slow.", "matchingRules": [{"type": "PromQL", "promql": {"promql": "up"}}]}]}]}"#;

fn plan(cluster: &str, more: &[&str]) -> (Answer, Value) {
    let directory = scratch();
    let root = directory.path();
    write(root, "cluster.yaml", cluster);
    write(root, "shop.yaml", "schema: olm.package\nname: till\ndefaultChannel: s\n");
    write(root, "graph.json", GRAPH);
    let fixed = [
        "plan",
        "--cluster",
        "cluster.yaml",
        "--to",
        "4.17",
        "-i",
        "4.16=shop.yaml",
        "-i",
        "4.17=shop.yaml",
        "-o",
        "json",
    ];
    let answer = olmdex(fixed.iter().chain(more).copied()).in_directory(root).answer();
    let value = serde_json::from_str(&answer.out()).unwrap_or_else(|_| panic!("{}", answer.both()));
    (answer, value)
}

/// Code, subject and text of a list in a plan.
fn listed(plan: &Value, of: &str) -> Vec<(String, String)> {
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    plan[of].as_array().unwrap().iter().map(|it| (text(&it["code"]), text(&it["text"]))).collect()
}

/// An update with a risk that every cluster judges for itself.
fn conditional(recommended: &str) -> String {
    let conditions = match recommended {
        "" => String::new(),
        status => format!("\n  conditions: [{{type: Recommended, status: '{status}', message: said}}]"),
    };
    format!(
        "desired: {{version: 4.16.3}}\nconditionalUpdates:\n- release: {{version: 4.17.1}}\n  risks: [{{name: Slow, url: u, message: It is slow., matchingRules: [{{type: PromQL, promql: {{promql: up}}}}]}}]{conditions}"
    )
}

/// Only the cluster can evaluate the queries of risks, and nobody can offline: an update that it recommends has no risk
/// any more.
#[test]
fn what_the_cluster_has_evaluated_is_settled() {
    let graph: &[&str] = &["--graph", "graph.json"];
    for (status, more, words) in [
        (conditional(""), &[][..], Some("only the cluster can tell")),
        (conditional("Unknown"), &[], Some("only the cluster can tell")),
        (conditional("False"), &[], Some("the cluster itself does not recommend")),
        (conditional("True"), &[], None),
        // The cluster's evaluation also settles the same risk in other sources.
        (conditional("True"), graph, None),
        (conditional("False"), graph, Some("the cluster itself does not recommend")),
        ("desired: {version: 4.16.3}".to_owned(), graph, Some("only the cluster can tell")),
        // An update in both lists is recommended.
        (format!("{}\navailableUpdates: [{{version: 4.17.1}}]", conditional("")), &[], None),
        (format!("{}\navailableUpdates: [{{version: 4.17.1}}]", conditional("")), graph, None),
    ] {
        let (answer, plan) = plan(&cluster(&status, ""), more);
        let decisions = listed(&plan, "decisions");
        match words {
            Some(words) => {
                assert_eq!(decisions.len(), 1, "{status} {more:?} {decisions:?}");
                assert!(
                    decisions[0].0 == "conditional-risk" && decisions[0].1.contains(words),
                    "{status} {decisions:?}"
                );
            }
            None => assert_eq!(decisions, [], "{status} {more:?}"),
        }
        answer.expect_code(i32::from(words.is_some()));
        assert_eq!(plan["steps"][0]["release"], "4.17.1", "{status}");
    }
}

/// A running update, a refused release, updates that could not be retrieved.
#[test]
fn conditions_of_the_cluster_version_are_said() {
    let quiet = cluster("desired: {version: 4.16.3}\nconditions: [{type: Upgradeable, status: 'True'}]", "");
    let (answer, ready) = plan(&quiet, &[]);
    answer.expect_code(0);
    assert_eq!((listed(&ready, "blockers"), listed(&ready, "unknowns")), (vec![], vec![]));

    let busy = cluster("desired: {version: 4.16.9}", "");
    let (answer, busy) = plan(&busy, &[]);
    answer.expect_code(1);
    assert_eq!(listed(&busy, "blockers")[0].0, "platform-updating");
    assert!(listed(&busy, "blockers")[0].1.contains("from 4.16.3 to 4.16.9"), "{busy}");
    assert_eq!(busy["verdict"], "attention");

    let refused = "desired: {version: 4.16.3}\nconditions:\n- {type: ReleaseAccepted, status: 'False', reason: RetrievePayload, message: no signature}\n\
                   - {type: RetrievedUpdates, status: 'False', reason: NoChannel, message: no channel}";
    let (answer, refused) = plan(&cluster(refused, ""), &[]);
    answer.expect_code(1);
    assert_eq!(listed(&refused, "blockers"), [("release-not-accepted".to_owned(), "no signature".to_owned())]);
    assert_eq!(listed(&refused, "unknowns")[0].0, "updates-not-retrieved");
}

/// `Upgradeable=False` of the ClusterVersion sums up other objects. Only reasons that no other object has are reported
/// for it.
#[test]
fn only_what_nobody_else_says_is_told_of_upgradeable() {
    let upgradeable = |message: &str| {
        let message = serde_json::to_string(message).unwrap();
        format!(
            "desired: {{version: 4.16.3}}\nconditions: [{{type: Upgradeable, status: 'False', reason: R, message: {message}}}]"
        )
    };
    let operator = "- apiVersion: config.openshift.io/v1\n  kind: ClusterOperator\n  metadata: {name: ingress}\n  \
                    status: {conditions: [{type: Upgradeable, status: 'False', reason: Old, message: old certificate}]}\n";
    let gate = "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: admin-gates, namespace: openshift-config-managed}\n  \
                data: {ack-4.16-kube-1.30-api-removals-in-4.17: Kubernetes 1.30 removes APIs.}\n";
    let of_operator = "Cluster operator ingress should not be upgraded between minor versions: old certificate";
    let several = format!(
        "Cluster should not be upgraded between minor versions for multiple reasons: A,B,C\n* {of_operator}\n* Kubernetes 1.30 removes APIs.\n\
         * Disabling ownership via cluster version overrides prevents upgrades."
    );
    let overrides = "Disabling ownership via cluster version overrides prevents upgrades.";
    for (message, others, expected) in [
        (of_operator, operator.to_owned(), None),
        ("Kubernetes 1.30 removes APIs.", gate.to_owned(), None),
        (overrides, String::new(), Some(overrides)),
        (several.as_str(), [operator, gate].concat(), Some(overrides)),
        // A reason whose own object is missing is reported as it is.
        (of_operator, String::new(), Some(of_operator)),
    ] {
        let (_, plan) = plan(&cluster(&upgradeable(message), &others), &[]);
        let own: Vec<String> =
            listed(&plan, "blockers").into_iter().filter(|it| it.0 == "clusterversion").map(|it| it.1).collect();
        assert_eq!(own, expected.into_iter().collect::<Vec<_>>(), "{message}");
        let is_blocked = plan["verdict"] == "blocked";
        assert_eq!(is_blocked, expected.is_some() || others.contains("ClusterOperator"), "{message}: {plan}");
    }
}

/// `--eus` is for one step between versions with extended support.
#[test]
fn extended_support_is_reached_one_by_one() {
    let directory = scratch();
    let root = directory.path();
    write(root, "cluster.yaml", cluster("desired: {version: 4.16.3}", ""));
    write(root, "shop.yaml", "schema: olm.package\nname: till\ndefaultChannel: s\n");
    let run = |to: &str| {
        olmdex(["plan", "--cluster", "cluster.yaml", "--to", to, "--eus", "-i", "4.16=shop.yaml"])
            .in_directory(root)
            .answer()
    };
    run("4.17").expect_code(2).expect_words("as from 4.16 to 4.18");
    run("4.19").expect_code(2).expect_words("as from 4.16 to 4.18");
    run("4.20").expect_code(1).expect_words("eus-4.18").expect_words("eus-4.20");
    run("4.18").expect_code(1).expect_words("eus-4.18");
}
