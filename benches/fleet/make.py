#!/usr/bin/env python3
"""Makes synthetic must-gathers of many clusters, for `olmdex plan --fleet` and the like.

    benches/fleet/make.py INDEX OUT [--clusters 200] [--operators 15] [--olmdex olmdex] [--seed 1]

The operators are bundles of the index, in old and new versions by chance; everything else is made up. The same seed makes the same files.
Each must-gather also has what nobody reads: pods and logs.
"""

import argparse
import json
import pathlib
import random
import subprocess

LOREM = "The operator watches its custom resources and brings the cluster to the state that they describe. "


def bundles_of(olmdex, index):
    """The bundles of each package of the last catalog of the index, in the order of their versions."""
    text = subprocess.run([olmdex, "list", "bundles", "-i", index, "-o", "jsonl"], check=True, capture_output=True, text=True).stdout
    packages = {}
    for line in text.splitlines():
        row = json.loads(line)
        if row["channels"]:
            packages.setdefault(row["package"], {}).setdefault(row["bundle"], row)
    return {package: list(rows.values()) for package, rows in sorted(packages.items())}


def write(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) if isinstance(document, dict) else document)


def cluster_objects(root, rng, name):
    config = root / "cluster-scoped-resources" / "config.openshift.io"
    version = f"4.{rng.choice([19, 19, 19, 19, 20])}.{rng.randint(1, 20)}"
    write(config / "clusterversions" / "version.yaml", {
        "apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
        "spec": {"channel": "stable-4.19", "clusterID": f"{rng.getrandbits(128):032x}"},
        "status": {"desired": {"version": version}, "history": [{"state": "Completed", "version": version}]},
    })
    write(config / "infrastructures" / "cluster.yaml", {
        "apiVersion": "config.openshift.io/v1", "kind": "Infrastructure", "metadata": {"name": "cluster"},
        "status": {"infrastructureName": name},
    })
    for number in range(33):
        write(config / "clusteroperators" / f"operator-{number}.yaml", {
            "apiVersion": "config.openshift.io/v1", "kind": "ClusterOperator", "metadata": {"name": f"operator-{number}"},
            "status": {"conditions": [{"type": "Upgradeable", "status": "True"}, {"type": "Degraded", "status": "False"}]},
        })
    for number in range(rng.randint(3, 30)):
        write(root / "cluster-scoped-resources" / "core" / "nodes" / f"node-{number}.yaml", {
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{number}"},
            "status": {"nodeInfo": {"architecture": "amd64"}, "images": [{"names": [f"quay.io/x/{n}"]} for n in range(40)]},
        })


def operator(root, rng, package, row):
    namespace = root / "namespaces" / f"{package}-system"
    olm = namespace / "operators.coreos.com"
    meta = {"namespace": namespace.name}
    write(olm / "operatorgroups" / "group.yaml", {
        "apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"name": "group", **meta}, "spec": {},
    })
    write(olm / "subscriptions" / f"{package}.yaml", {
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"name": package, **meta},
        "spec": {"name": package, "channel": row["channels"][0], "source": "community-operators",
                 "sourceNamespace": "openshift-marketplace", "installPlanApproval": rng.choice(["Automatic", "Manual"])},
        "status": {"installedCSV": row["bundle"], "currentCSV": row["bundle"], "state": "AtLatestKnown"},
    })
    properties = {"properties": [{"type": "olm.package", "value": {"packageName": package, "version": row["version"]}}]}
    if rng.random() < 0.05:
        properties["properties"].append({"type": "olm.maxOpenShiftVersion", "value": "4.19"})
    write(olm / "clusterserviceversions" / f"{row['bundle']}.yaml", {
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {"name": row["bundle"], **meta,
                     "annotations": {"operatorframework.io/properties": json.dumps(properties)}},
        "spec": {"version": row["version"], "displayName": package, "description": LOREM * 60,
                 "icon": [{"base64data": "A" * 8000, "mediatype": "image/png"}],
                 "customresourcedefinitions": {"owned": [
                     {"name": f"kinds{n}.{package}.example.com", "kind": f"Kind{n}", "version": "v1", "description": LOREM}
                     for n in range(8)]}},
        "status": {"phase": "Succeeded", "conditions": [{"phase": "Succeeded", "message": LOREM} for _ in range(20)]},
    })
    for number in range(4):
        write(namespace / "core" / "pods" / f"pod-{number}.yaml", {"apiVersion": "v1", "kind": "Pod", "spec": {"x": LOREM * 20}})
        write(namespace / "pods" / f"pod-{number}" / "manager.log", LOREM * 400)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--clusters", type=int, default=200)
    parser.add_argument("--operators", type=int, default=15)
    parser.add_argument("--olmdex", default="olmdex")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    packages = bundles_of(args.olmdex, args.index)
    rng = random.Random(args.seed)
    for number in range(args.clusters):
        root = args.out / f"cluster-{number:03}" / "quay-io-must-gather-sha256-1"
        if number % 100 == 42:
            # One that cannot be judged.
            write(root / "cluster-scoped-resources" / "config.openshift.io" / "clusterversions" / "version.yaml", "{{{")
            continue
        cluster_objects(root, rng, f"cluster-{number:03}")
        for package in rng.sample(sorted(packages), min(args.operators, len(packages))):
            rows = packages[package]
            # Most clusters run one of a few versions, as fleets do.
            operator(root, rng, package, rows[-1 - min(rng.choice([0, 0, 0, 1, 2]), len(rows) - 1)])


if __name__ == "__main__":
    main()
