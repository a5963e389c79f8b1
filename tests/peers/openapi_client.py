"""Asks a server through a generated client, and compares each answer with the JSON of the same address.

    openapi_client.py BASE DIRECTORY

`DIRECTORY` holds the client that openapi-python-client has made of `/api.json`.
"""

import importlib
import json
import os
import sys
import urllib.request

# An operation, its arguments, and the address that it asks.
QUESTIONS = [
    ("list_catalogs", {}, "/index.json"),
    ("list_packages", {}, "/packages.json"),
    ("list_packages", {"q": "kafka"}, "/packages.json?q=kafka"),
    ("get_package", {"package": "keda"}, "/p/keda.json"),
    ("get_version", {"package": "keda", "version": "2.10.1"}, "/p/keda/v/2.10.1.json"),
    ("get_requirements", {"package": "till", "version": "1.1.0"}, "/p/till/v/1.1.0/deps.json"),
    ("get_images", {"package": "keda", "version": "2.10.1"}, "/p/keda/v/2.10.1/images.json"),
    ("get_channel", {"package": "keda", "channel": "stable"}, "/p/keda/c/stable.json"),
    ("get_upgrade_path", {"package": "keda", "from_": "2.8.1"}, "/p/keda/path.json?from=2.8.1"),
    ("get_why_not", {"package": "keda", "from_": "2.8.1", "to": "2.10.1"}, "/p/keda/why-not.json?from=2.8.1&to=2.10.1"),
    ("get_compatibility", {"package": "keda", "openshift": "4.17"}, "/p/keda/compat.json?openshift=4.17"),
    ("get_permissions", {"package": "keda"}, "/p/keda/permissions.json"),
    ("get_history", {"package": "keda"}, "/p/keda/history.json"),
    ("compare_catalogs", {"a": "4.16", "b": "4.17"}, "/diff.json?a=4.16&b=4.17"),
    ("get_api", {"group": "keda.sh", "kind": "ScaledObject"}, "/api/keda.sh/ScaledObject.json"),
    ("search_images", {"q": "keda"}, "/images.json?q=keda"),
    ("get_findings", {"catalog": "4.17"}, "/lint.json?catalog=4.17"),
    ("get_mirror_list", {"p": "keda"}, "/mirror.json?p=keda"),
]


def main():
    base, directory = sys.argv[1:]
    sys.path.insert(0, directory)
    name = next(it for it in os.listdir(directory) if it.endswith("_client"))
    client = importlib.import_module(name).Client(base_url=base)
    operations = {it[:-3] for it in os.listdir(f"{directory}/{name}/api/default") if not it.startswith("_")}
    failures = [f"nobody asks {it}" for it in sorted(operations - {it[0] for it in QUESTIONS})]
    for operation, arguments, address in QUESTIONS:
        ask = importlib.import_module(f"{name}.api.default.{operation}").sync
        try:
            found = ask(client=client, **arguments).to_dict()
        except Exception as error:  # Whatever a generated client does with an answer that it cannot read.
            failures.append(f"{operation}: {type(error).__name__}: {error}")
            continue
        with urllib.request.urlopen(base + address) as answer:
            expected = json.load(answer)
        if found != expected:
            failures.append(f"{operation}: {[it for it in expected if found.get(it) != expected[it]]}")
    sys.exit("\n".join(failures) or 0)


main()
