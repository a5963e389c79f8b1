#!/usr/bin/env python3
"""Measures the past of catalogs: how long and how large `build --git` is, a further day, and questions on days.

    benches/past/run.py PROGRAM                       a repository that is made here: a year of four families of catalogs
    benches/past/run.py PROGRAM --repo NAME=REPO ...  repositories that exist, with catalogs in `catalogs/*`

The made repository has the churn of the public ones in summer 2026: 32 catalogs change a day, about six of them by one commit,
since a bundle comes to several versions of OpenShift at once. `--days` says for how long; ten years are ten times as much.
"""

import argparse
import base64
import hashlib
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

FAMILIES = ["redhat", "certified", "community", "marketplace"]
MINORS = [f"v4.{minor}" for minor in range(12, 23)]
PACKAGES = 60
FIRST_BUNDLES = 10
STATES_A_DAY = 32
# A commit brings a bundle to so many versions of OpenShift on average.
VERSIONS_A_COMMIT = 6
START = 1_735_689_600  # 2025-01-01


class Package:
    """An operator: its file is the same in all catalogs that have the same bundles."""

    def __init__(self, name, chance):
        self.name, self.chance, self.bundles = name, chance, []
        # What stays from version to version, and what no compression makes smaller.
        words = [hashlib.sha256(f"{name}{n}".encode()).hexdigest()[:9] for n in range(400)]
        self.description = " ".join(chance.choice(words) for _ in range(700))

    def add(self):
        version = f"1.{len(self.bundles) // 20}.{len(self.bundles) % 20}"
        name = f"{self.name}.v{version}"
        images = "".join(
            f"- name: part{n}\n  image: registry.example.com/{self.name}/part{n}@sha256:"
            f"{hashlib.sha256(f'{name}{n}'.encode()).hexdigest()}\n"
            for n in range(8)
        )
        noise = base64.b64encode(hashlib.sha512(name.encode()).digest() * 2).decode()
        self.bundles.append(
            (
                name,
                f"---\nschema: olm.bundle\npackage: {self.name}\nname: {name}\nimage: registry.example.com/{self.name}/bundle:v{version}\n"
                f"properties:\n- type: olm.package\n  value: {{packageName: {self.name}, version: {version}}}\n"
                f"- type: olm.gvk\n  value: {{group: {self.name}.example.com, version: v1, kind: Thing}}\n"
                f"- type: olm.csv.metadata\n  value:\n    displayName: {self.name}\n    annotations: {{createdAt: '{version}', noise: {noise}}}\n"
                f"    description: >-\n      {self.description}\nrelatedImages:\n{images}",
            )
        )

    def text(self):
        entries = "".join(
            f"- name: {name}\n" + (f"  replaces: {self.bundles[at - 1][0]}\n  skipRange: '<{name.split('.v')[1]}'\n" if at else "")
            for at, (name, _) in enumerate(self.bundles)
        )
        head = f"schema: olm.package\nname: {self.name}\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: {self.name}\nname: stable\nentries:\n"
        return head + entries + "".join(text for _, text in self.bundles)


def make(repository, days):
    """A repository of catalogs that change every day."""
    chance = random.Random(38)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", repository], check=True)
    importer = subprocess.Popen(["git", "-C", repository, "fast-import", "--quiet", "--depth=50"], stdin=subprocess.PIPE)
    out = importer.stdin
    families = {family: [Package(f"{family}-operator-{n}", chance) for n in range(PACKAGES)] for family in FAMILIES}

    def commit(moment, message, files):
        lines = [f"commit refs/heads/main\ncommitter a <a@example.com> {moment} +0000\ndata {len(message)}\n{message}\n"]
        out.write("".join(lines).encode())
        blobs = {}
        for path, text in files:
            if text not in blobs:
                data = text.encode()
                blobs[text] = data
            out.write(f"M 644 inline {path}\ndata {len(blobs[text])}\n".encode() + blobs[text] + b"\n")

    everything = []
    for family, packages in families.items():
        for package in packages:
            for _ in range(FIRST_BUNDLES):
                package.add()
            everything += [(f"catalogs/{family}-{minor}/{package.name}/catalog.yaml", package.text()) for minor in MINORS]
    commit(START, "begin", everything)
    n_commits = 1
    for day in range(1, days + 1):
        n_states = 0
        while n_states < STATES_A_DAY:
            family = chance.choice(FAMILIES)
            package = chance.choice(families[family])
            package.add()
            n = min(STATES_A_DAY - n_states, chance.randint(1, 2 * VERSIONS_A_COMMIT - 1))
            minors = MINORS[-n:]
            moment = START + day * 86_400 + n_states * 600
            text = package.text()
            commit(moment, f"add {package.bundles[-1][0]}", [(f"catalogs/{family}-{it}/{package.name}/catalog.yaml", text) for it in minors])
            n_states += n
            n_commits += 1
    out.close()
    if importer.wait():
        sys.exit("git fast-import failed")
    return n_commits


def run(*words):
    """Runs a command; gives seconds, processor seconds and the peak of its memory in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    process = subprocess.run(["/usr/bin/time", "-f", "peak %M", *words], capture_output=True, text=True)
    took = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode not in (0, 1):
        sys.exit(f"{' '.join(words)}: {process.stderr}")
    peak = int(re.findall(r"^peak (\d+)$", process.stderr, re.M)[-1]) // 1024
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took, cpu, peak, process


def best(n, *words):
    return min(run(*words)[0] for _ in range(n))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--repo", action="append", default=[], metavar="NAME=REPO")
    parser.add_argument("--keep", metavar="DIR", help="where the repository and the indexes stay")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    with tempfile.TemporaryDirectory() as temporary:
        directory = arguments.keep or temporary
        os.makedirs(directory, exist_ok=True)
        repositories = arguments.repo
        if not repositories:
            repository = os.path.join(directory, "made")
            if not os.path.exists(repository):
                started = time.monotonic()
                n_commits = make(repository, arguments.days)
                print(f"made {n_commits} commits of {arguments.days} days in {time.monotonic() - started:.0f} s (synthetic)")
            repositories = [f"made={repository}"]
        index = os.path.join(directory, "past.db")
        git = [word for it in repositories for word in ("--git", it)]
        build = lambda target, *more: run(program, "build", "-q", "-k", *git, "--git-path", "catalogs/*", "--every", "commit", "-O", target, *more)
        for path in (index, index + "-before"):
            if os.path.exists(path):
                os.remove(path)
        took, cpu, peak, _ = build(index)
        size = os.path.getsize(index)
        sql = lambda text: run(program, "sql", text, "-i", index, "-o", "csv")[3].stdout.splitlines()[1]
        counts = sql('SELECT (SELECT count(*) FROM git_commit), (SELECT count(*) FROM state), (SELECT count(DISTINCT catalog) FROM state)')
        print(f"commits, states, catalogs: {counts}")
        print(f"build: {took:.1f} s, {cpu:.1f} s CPU, {peak} MB; index {size / 1e6:.1f} MB")
        if len(repositories) == 1:
            path = repositories[0].split("=", 1)[1]
            newest = subprocess.run(["git", "-C", path, "log", "-1", "--format=%ct"], capture_output=True, text=True).stdout
            limit = int(newest) - 86_400
            before = subprocess.run(["git", "-C", path, "rev-list", "-1", f"--before={limit}", "HEAD"], capture_output=True, text=True).stdout.strip()
            # A branch that moves on, as a clone's does with each fetch.
            move = lambda commit: subprocess.run(["git", "-C", path, "update-ref", "refs/heads/olmdex-bench", commit], check=True)
            move(before)
            build(index + "-before", "--rev-list", "olmdex-bench")
            move("HEAD")
            took, cpu, peak, process = build(index + "-before", "--rev-list", "olmdex-bench")
            subprocess.run(["git", "-C", path, "update-ref", "-d", "refs/heads/olmdex-bench"], check=True)
            print(f"a further day: {took * 1000:.0f} ms, {cpu * 1000:.0f} ms CPU, {peak} MB")
        catalog, package, first, last = sql(
            "SELECT catalog, package, min(first_day), (SELECT max(day) FROM v_state) FROM v_past_package GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2 LIMIT 1"
        ).split(",")
        print(f"asked about {package} of {catalog}")
        print(f"updates now: {best(5, program, 'updates', package, '-i', index, '--catalog', catalog) * 1000:.0f} ms")
        for day in (first, last):
            one = best(5, program, "updates", package, "-i", index, "--catalog", catalog, "--on", day) * 1000
            every = best(5, program, "updates", package, "-i", index, "--on", day) * 1000
            print(f"updates --on {day}: {one:.0f} ms in one catalog, {every:.0f} ms with all as of that day")
        print(f"blame: {best(5, program, 'blame', package, '-i', index) * 1000:.0f} ms")
        print(f"stranded: {best(3, program, 'stranded', package, '-i', index, '--catalog', catalog) * 1000:.0f} ms in one catalog")


main()
