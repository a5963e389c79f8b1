//! `--cluster @`: a live cluster, read with the user's own `oc` or `kubectl`. A stub replaces them, and records its
//! calls.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::support::{Answer, olmdex, scratch, write};

const CATALOG: &str = "---\nschema: olm.package\nname: shop\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: shop\nname: stable\nentries:\n- name: \
    shop.v1.0.0\n- name: shop.v1.1.0\n  replaces: shop.v1.0.0\n---\nschema: olm.bundle\npackage: shop\nname: shop.v1.0.0\nimage: q.io/shop:v1.0.0\nproperties:\n- type: \
    olm.package\n  value: {packageName: shop, version: 1.0.0}\n---\nschema: olm.bundle\npackage: shop\nname: shop.v1.1.0\nimage: q.io/shop:v1.1.0\nproperties:\n- type: \
    olm.package\n  value: {packageName: shop, version: 1.1.0}\n";

const SUBSCRIPTIONS: &str = r#"{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "operators.coreos.com/v1alpha1",
"kind": "Subscription", "metadata": {"name": "shop", "namespace": "market"}, "spec": {"name": "shop", "channel": "stable",
"source": "community", "sourceNamespace": "openshift-marketplace"}, "status": {"installedCSV": "shop.v1.0.0"}}]}"#;

const CSVS: &str = r#"{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "operators.coreos.com/v1alpha1",
"kind": "ClusterServiceVersion", "metadata": {"name": "shop.v1.0.0", "namespace": "market"}, "spec": {"version": "1.0.0"}}]}"#;

/// Puts a program of this name into `bin/` that answers like the cluster, and records each word of a call between
/// brackets.
fn stub(root: &Path, name: &str) -> PathBuf {
    write(root, "subscriptions.json", SUBSCRIPTIONS);
    write(root, "csvs.json", CSVS);
    let root_of = root.display();
    let script = format!(
        r#"#!/bin/sh
{{ printf '{name}'; printf ' [%s]' "$@"; echo; }} >> '{root_of}/calls'
case "$2" in
  --client) ;;
  *)
    if [ -e '{root_of}/forbidden' ] && /bin/grep -q "$2" '{root_of}/forbidden'; then
      echo "Error from server (Forbidden): $2 is forbidden" >&2; exit 1
    fi ;;
esac
case "$2" in
  --client) ;;
  subscriptions.operators.coreos.com) exec /bin/cat '{root_of}/subscriptions.json' ;;
  clusterserviceversions.operators.coreos.com) exec /bin/cat '{root_of}/csvs.json' ;;
  nodes) echo 'Error from server (Forbidden): nodes is forbidden: User "ann" cannot list resource "nodes"' >&2; exit 1 ;;
  configmaps) echo 'Error from server (NotFound): namespaces "openshift-config" not found' >&2; exit 1 ;;
  clusterversions.config.openshift.io)
    case "$*" in *'--context nosuch'*) echo 'error: context was not found for specified context: nosuch' >&2; exit 1 ;; esac
    [ ! -e '{root_of}/unreachable' ] || {{ echo 'Unable to connect to the server: dial tcp: no such host' >&2; exit 1; }}
    echo "error: the server doesn't have a resource type \"clusterversions\"" >&2; exit 1 ;;
  *) echo "error: the server doesn't have a resource type \"$2\"" >&2; exit 1 ;;
esac
"#
    );
    let program = write(root, &format!("bin/{name}"), script);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    root.join("bin")
}

fn ask(root: &Path, command: &str, cluster: &str) -> Answer {
    let input = format!("community={}", write(root, "catalog/shop.yaml", CATALOG).parent().unwrap().display());
    olmdex([command, "--cluster", cluster, "-i", &input, "-o", "json"])
        .env("PATH", root.join("bin").to_str().unwrap())
        .answer()
}

fn calls(root: &Path) -> String {
    std::fs::read_to_string(root.join("calls")).unwrap_or_default()
}

#[test]
fn a_live_cluster_is_asked_as_its_manifests_are() {
    let root = scratch();
    stub(root.path(), "kubectl");
    let live = ask(root.path(), "updates", "@");
    live.expect_code(0);
    let manifests = write(root.path(), "saved.json", format!("{SUBSCRIPTIONS}\n{CSVS}"));
    let saved = ask(root.path(), "updates", manifests.to_str().unwrap());
    assert_eq!(live.out(), saved.out());
    assert!(live.out().contains("shop.v1.1.0"), "{}", live.out());
    live.expect_words("unknown: Nodes; the cluster does not let this user read them");
}

/// Finding S18: `resolve` said "Nothing to install" about a cluster that forbids everything.
#[test]
fn what_may_not_be_read_is_not_known() {
    let root = scratch();
    stub(root.path(), "kubectl");
    let all = "subscriptions.operators.coreos.com clusterserviceversions.operators.coreos.com \
        clusterextensions.olm.operatorframework.io clusterversions.config.openshift.io";
    let input = format!("community={}", write(root.path(), "catalog/shop.yaml", CATALOG).parent().unwrap().display());
    let run = |args: &[&str]| {
        let args = [args, &["--cluster", "@", "-i", &input]].concat();
        olmdex(args).env("PATH", root.path().join("bin").to_str().unwrap()).answer()
    };
    let operators: &[&[&str]] = &[
        &["resolve"],
        &["resolve", "--install", "shop"],
        &["updates"],
        &["path"],
        &["why-not", "shop@1.1.0"],
        &["images", "--with-deps"],
        &["compat", "--openshift", "4.17"],
        &["plan", "--to", "4.18"],
    ];
    for forbidden in [all, "subscriptions.operators.coreos.com", "clusterserviceversions.operators.coreos.com"] {
        write(root.path(), "forbidden", forbidden);
        for args in operators {
            let answer = run(args);
            answer.expect_code(1).expect_words("not known: the cluster does not let this user read ");
            assert_eq!(answer.out(), "", "{args:?}");
        }
    }
    write(root.path(), "forbidden", all);
    run(&["v1", "check"]).expect_code(1).expect_words("not known");
    let mut platform = olmdex(["platform-path", "--to", "4.18", "--cluster", "@"]);
    platform = platform.env("PATH", root.path().join("bin").to_str().unwrap());
    platform.answer().expect_code(1).expect_words("not known").expect_words("ClusterVersions");
    // A question about something else is answered.
    write(root.path(), "forbidden", "clusterversions.config.openshift.io");
    run(&["updates"]).expect_code(0);
}

#[test]
fn only_get_is_run_and_no_secret_is_asked_for() {
    let root = scratch();
    stub(root.path(), "kubectl");
    ask(root.path(), "updates", "@prod/api:6443/ann").expect_code(0);
    let calls = calls(root.path());
    let mut lines = calls.lines();
    assert_eq!(lines.next(), Some("kubectl [version] [--client]"));
    let mut n = 0;
    for line in lines {
        assert!(line.starts_with("kubectl [get] ["), "{line}");
        assert!(line.contains(" [--output] [json] [--chunk-size] [500] [--request-timeout] [60s]"), "{line}");
        assert!(line.ends_with(" [--context] [prod/api:6443/ann]"), "{line}");
        assert!(!line.contains("secret"), "{line}");
        n += 1;
    }
    assert_eq!(n, 19, "{calls}");
}

#[test]
fn oc_goes_before_kubectl_and_a_strange_context_reaches_neither() {
    let root = scratch();
    stub(root.path(), "kubectl");
    stub(root.path(), "oc");
    for context in ["@--token=x", "@a b", "@-", "@$(id)"] {
        ask(root.path(), "updates", context).expect_code(2).expect_words("is not a valid name of a context");
        assert_eq!(calls(root.path()), "", "{context}");
    }
    ask(root.path(), "updates", "@").expect_code(0);
    assert!(calls(root.path()).lines().all(|it| it.starts_with("oc [") && !it.contains("--context")));
}

#[test]
fn what_fails_is_said_and_no_answer_is_made_up() {
    let root = scratch();
    std::fs::create_dir(root.path().join("bin")).unwrap();
    ask(root.path(), "updates", "@").expect_code(3).expect_words("which is not on PATH");
    stub(root.path(), "kubectl");
    write(root.path(), "unreachable", "");
    let answer = ask(root.path(), "updates", "@");
    answer.expect_code(3).expect_words("dial tcp: no such host");
    assert_eq!(answer.out(), "");
    // The advice is about the same context.
    let words = "`kubectl get clusterversions.config.openshift.io --context prod` shows whether";
    ask(root.path(), "updates", "@prod").expect_code(3).expect_words(words);
    ask(root.path(), "updates", "@nosuch")
        .expect_code(3)
        .expect_words("`kubectl config get-contexts` lists the contexts");
}
