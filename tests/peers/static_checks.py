"""Runs the static checks' own tests of operator-pipelines, and compares each verdict with ours.

A plugin of pytest. It wraps each `check_…` of `operatorcert.static_tests`, so that a test of a check also asks
`olmdex check --pipeline` about the same files. In a checkout of operator-pipelines with its dependencies:

    OLMDEX=…/olmdex PYTHONPATH=.:…/tests/peers python -m pytest -q -p static_checks tests/static_tests

A check of a bundle looks at one bundle; ours looks at all bundles of the operator. So what we find beyond the real check
counts only if the operator has one bundle.
"""

import contextlib
import functools
import importlib
import inspect
import json
import os
import subprocess

import yaml

SUITES = {
    "common.bundle": ["community", "certified"],
    "common.operator": ["community", "certified"],
    "common.operator_catalogs": ["community", "certified"],
    "community.bundle": ["community"],
    "community.operator": ["community"],
    "isv.bundle": ["certified"],
    "isv.operator": ["certified"],
}
SEVERITY = {"Fail": "error", "Warn": "warning"}
# The finding about a wrong `updateGraph` stands once in our report, under another of the checks that make it.
ONE_FOR_SEVERAL = {"check_ci_upgrade_graph", "check_dangling_bundles", "check_upgrade_graph_loop"}
COUNTS = {"equal": 0, "different": 0, "unreadable": 0}
DIFFERENCES = []


def place_of(target):
    """The directory that we check: that of an operator, or the repository for catalogs."""
    if hasattr(target, "_bundle_path"):
        return os.path.dirname(str(target._bundle_path))
    if hasattr(target, "_operator_path"):
        return str(target._operator_path)
    return str(next(iter(target)).catalog.repo.root)


def ours(place, suite):
    command = [os.environ["OLMDEX"], "check", place, "--pipeline", suite, "-o", "json"]
    printed = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(printed.stdout)["items"]


@contextlib.contextmanager
def mocked_settings(place, target):
    """Some tests replace the settings of the operator in memory; we read them in `ci.yaml`."""
    path = os.path.join(place, "ci.yaml")
    settings = getattr(getattr(target, "operator", target), "config", None)
    is_mocked = isinstance(settings, dict) and settings and not os.path.exists(path)
    if is_mocked:
        with open(path, "w", encoding="utf-8") as file:
            yaml.safe_dump(settings, file)
    try:
        yield
    finally:
        if is_mocked:
            os.remove(path)


def n_bundles(place):
    return sum(os.path.isdir(os.path.join(place, it, "manifests")) for it in os.listdir(place))


def compare(name, suite, target, results):
    place = place_of(target)
    try:
        with mocked_settings(place, target):
            found = ours(place, suite)
    except (json.JSONDecodeError, KeyError):
        COUNTS["unreadable"] += 1
        return
    of_check = {it["severity"] for it in found if it.get("check") == name}
    real = {SEVERITY[type(it).__name__] for it in results}
    if name in ONE_FOR_SEVERAL and "error" in real:
        of_check |= {"error" for it in found if it.get("check") in ONE_FOR_SEVERAL and it["severity"] == "error"}
    missing, more = real - of_check, of_check - real
    is_different = bool(missing) or (bool(more) and n_bundles(place) == 1)
    COUNTS["different" if is_different else "equal"] += 1
    if is_different:
        DIFFERENCES.append((os.environ.get("PYTEST_CURRENT_TEST"), suite, name, sorted(real), sorted(of_check)))


def wrapped(check, suites):
    @functools.wraps(check)
    def both(target, *args, **kwargs):
        results = list(check(target, *args, **kwargs))
        for suite in suites:
            compare(check.__name__, suite, target, results)
        return iter(results)

    return both


for _module, _suites in SUITES.items():
    _loaded = importlib.import_module(f"operatorcert.static_tests.{_module}")
    for _name, _check in list(vars(_loaded).items()):
        if _name.startswith("check_") and inspect.isfunction(_check) and _check.__module__ == _loaded.__name__:
            setattr(_loaded, _name, wrapped(_check, _suites))


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"verdicts: {COUNTS}")
    for difference in DIFFERENCES:
        terminalreporter.write_line(str(difference))


def pytest_sessionfinish(session):
    if DIFFERENCES and session.exitstatus == 0:
        session.exitstatus = 1
