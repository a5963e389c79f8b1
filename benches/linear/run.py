#!/usr/bin/env python3
"""Measures how work grows with its input: each kind of work on catalogs of 1, 4, 16 and 64 times a size.

    benches/linear/run.py PROGRAM [--write docs/figures.md] [--work NAME ...] [--runs N]

The catalogs are made here from nothing but a number, so anybody gets the same ones. A catalog of size N has 25 packages for each
1 of N; a channel of size N has 250 entries for each 1 of N. Processor time counts, the least of the runs, without what the
program takes to start. An input that is k times as large may cost k * log(k * base) / log(base) times as much; the table shows
the factor from each size to the next, and the run fails if one is above that by more than measuring explains.
"""

import argparse
import math
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

SIZES = [1, 4, 16, 64]
PACKAGES = 25
BUNDLES = 20
ENTRIES = 250
BEGIN, END = "<!-- begin: benches/linear -->", "<!-- end: benches/linear -->"
# Of work below so many seconds of processor time the next size tells nothing: the clock has steps of 10 ms.
LEAST = 0.02
# A machine is not the same from one second to the next.
SLACK = 1.35


def bundle(package, n, requires):
    name, version = f"{package}.v1.{n}.0", f"1.{n}.0"
    lines = [
        "---", "schema: olm.bundle", f"package: {package}", f"name: {name}",
        f"image: registry.example.com/{package}/bundle@sha256:{n:064x}", "properties:",
        f"- type: olm.package\n  value: {{packageName: {package}, version: {version}}}",
        f"- type: olm.gvk\n  value: {{group: {package}.example.com, version: v1, kind: Thing}}",
    ]
    if requires:
        lines.append(f"- type: olm.package.required\n  value: {{packageName: {requires}, versionRange: '>=1.0.0'}}")
    lines.append("relatedImages:")
    lines += [f"- name: part{i}\n  image: registry.example.com/{package}/part{i}@sha256:{n * 7 + i:064x}" for i in range(4)]
    return "\n".join(lines) + "\n"


def package(name, n_bundles, requires=None, first=0):
    """A package with one channel, in which each bundle replaces the one before."""
    text = f"---\nschema: olm.package\nname: {name}\ndefaultChannel: stable\n"
    text += f"---\nschema: olm.channel\npackage: {name}\nname: stable\nentries:\n"
    for n in range(first, n_bundles):
        text += f"- name: {name}.v1.{n}.0\n" + (f"  replaces: {name}.v1.{n - 1}.0\n" if n > first else "")
    return text + "".join(bundle(name, n, requires) for n in range(first, n_bundles))


def catalog(directory, n_packages, n_bundles=BUNDLES):
    """A catalog in which each package requires the next one, in groups of ten."""
    for n in range(n_packages):
        name = f"operator-{n:05d}"
        requires = f"operator-{n + 1:05d}" if n % 10 < 9 and n + 1 < n_packages else None
        os.makedirs(os.path.join(directory, name), exist_ok=True)
        with open(os.path.join(directory, name, "catalog.yaml"), "w", encoding="utf-8") as file:
            file.write(package(name, n_bundles, requires))


def run(program, *words, codes=(0,), directory=None):
    """Runs it; the seconds of processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, *words], cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(words)}: exit {done.returncode}\n{done.stderr.decode()}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


class Inputs:
    """The catalogs and indexes of one size, each made when it is first asked for."""

    def __init__(self, program, root, size):
        self.program, self.root, self.size = program, os.path.join(root, str(size)), size
        os.makedirs(self.root)

    def path(self, name, make):
        path = os.path.join(self.root, name)
        if not os.path.exists(path):
            make(path)
        return path

    def files(self):
        return self.path("catalog", lambda it: catalog(it, PACKAGES * self.size))

    def next_files(self):
        return self.path("next", lambda it: catalog(it, PACKAGES * self.size, BUNDLES + 1))

    def index(self):
        files = self.files()
        return self.path("index.db", lambda it: run(self.program, "build", "-q", f"shop={files}", "-O", it))

    def both(self):
        files, changed = self.files(), self.next_files()
        make = lambda it: run(self.program, "build", "-q", f"old={files}", f"new={changed}", "-O", it)
        return self.path("both.db", make)

    def channel(self):
        def make(path):
            os.makedirs(path)
            with open(os.path.join(path, "catalog.yaml"), "w", encoding="utf-8") as file:
                file.write(package("long", ENTRIES * self.size))
        return self.path("channel", make)

    def channel_index(self):
        files = self.channel()
        return self.path("channel.db", lambda it: run(self.program, "build", "-q", f"shop={files}", "-O", it))

    def last(self):
        return f"1.{ENTRIES * self.size - 1}.0"


def build(it):
    target = os.path.join(it.root, "built.db")
    seconds = run(it.program, "build", "-q", f"shop={it.files()}", "-O", target)
    os.remove(target)
    return seconds


def update(it):
    """A build after a change in each package of one in 25."""
    files, target = it.files(), os.path.join(it.root, "updated.db")
    run(it.program, "build", "-q", f"shop={files}", "-O", target)
    changed = [os.path.join(files, f"operator-{n:05d}", "catalog.yaml") for n in range(0, PACKAGES * it.size, 25)]
    before = {}
    for path in changed:
        with open(path, encoding="utf-8") as file:
            before[path] = file.read()
        name = os.path.basename(os.path.dirname(path))
        with open(path, "w", encoding="utf-8") as file:
            file.write(package(name, BUNDLES + 1))
    seconds = run(it.program, "build", "-q", f"shop={files}", "-O", target)
    for path, text in before.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    os.remove(target)
    return seconds


def resolve(it):
    """The dependencies of every first package of a group of ten, a Subscription each."""
    names = [f"operator-{n:05d}" for n in range(0, PACKAGES * it.size, 10)]
    return run(it.program, "resolve", *[word for name in names for word in ("--install", name)], "-i", it.index())


def serve(it):
    """From the start to the first page of the list, its JSON and a package."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [it.program, "serve", it.index(), "--http", f"127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        for _ in range(3000):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).read()
                break
            except OSError:
                time.sleep(0.02)
        for page in ("/", "/packages", "/packages.json", "/p/operator-00003", "/apis", "/lint", "/search.json?q=operator"):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}{page}", timeout=60).read()
            except urllib.error.HTTPError:
                pass
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


WORK = {
    "validate": ("`validate` a catalog", lambda it: run(it.program, "validate", it.files())),
    "build": ("`build` an index of it", build),
    "update": ("`build` again after one package in 25 has changed", update),
    "list": ("`list bundles`, all of it", lambda it: run(it.program, "list", "bundles", "-i", it.index())),
    "question": ("`show` a package", lambda it: run(it.program, "show", "operator-00003", "-i", it.index())),
    "diff": (
        "`diff` two catalogs, each package changed",
        lambda it: run(it.program, "diff", it.both(), it.both(), "--old-catalog", "old", "--new-catalog", "new", codes=(0, 1)),
    ),
    "check-graph": ("`check-graph` of all packages", lambda it: run(it.program, "check-graph", "-i", it.index(), codes=(0, 1))),
    "resolve": ("`resolve`, a Subscription for ten packages", resolve),
    "serve": ("`serve`, seven pages", serve),
    "path": ("`path` through a channel", lambda it: run(it.program, "path", "long", "--from", "1.0.0", "--to", it.last(), "-i", it.channel_index())),
    "channel": ("`check-graph` of a channel", lambda it: run(it.program, "check-graph", "long", "-i", it.channel_index(), codes=(0, 1))),
    "z-stream": ("`z-stream` of a channel", lambda it: run(it.program, "z-stream", "long", "-i", it.channel(), codes=(0, 1))),
    "graph": ("`graph -o svg` of a channel", lambda it: run(it.program, "graph", "long", "-o", "svg", "-i", it.channel_index())),
}


def allowed(step, size):
    """How much more the next size may cost: n log n, with the entries of a channel as the least n."""
    n = size * ENTRIES
    return step * math.log(n * step) / math.log(n) * SLACK


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program, built with `cargo build --release`")
    parser.add_argument("--work", action="append", choices=sorted(WORK), help="only this; may be repeated")
    parser.add_argument("--runs", type=int, default=3, help="of so many runs the least counts")
    parser.add_argument("--write", metavar="FILE", help="put the table between its marks in FILE")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    start = min(run(program, "--version") for _ in range(5))
    lines, failures = ["| work | " + " | ".join(f"{size}×" for size in SIZES) + " | steps of four |", "|---|" + "---|" * (len(SIZES) + 1)], []
    with tempfile.TemporaryDirectory() as root:
        inputs = [Inputs(program, root, size) for size in SIZES]
        for name in options.work or WORK:
            title, work = WORK[name]
            seconds = [max(min(work(it) for _ in range(options.runs)) - start, 0.001) for it in inputs]
            factors = []
            for (size, a), b in zip(zip(SIZES, seconds), seconds[1:]):
                is_told = a >= LEAST
                factors.append(f"{b / a:.1f}" if is_told else "–")
                if is_told and b / a > allowed(4, size):
                    failures.append(f"{name}: {size}× takes {a:.3f} s, four times of it {b:.3f} s")
            line = f"| {title} | " + " | ".join(f"{it:.3f} s" for it in seconds) + " | " + ", ".join(factors) + " |"
            print(line, flush=True)
            lines.append(line)
    if options.write:
        with open(options.write, encoding="utf-8") as file:
            text = file.read()
        head, rest = text.split(BEGIN)
        tail = rest.split(END)[1]
        with open(options.write, "w", encoding="utf-8") as file:
            file.write(head + BEGIN + "\n" + "\n".join(lines) + "\n" + END + tail)
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
