#!/usr/bin/env python3
"""Runs olmdex and its peers on the same catalogs, in pairs, and writes the table in docs/figures.md.

    benches/peers/run.py --olmdex target/release/olmdex --opm /path/to/opm --catalogs ../shared/catalogs

Each pair runs one after the other, so that what else the machine does meets both; the table has the median of each and the median of the
ratios of the pairs. CPU is user and system time, memory the peak of the process. A peer that is not named is missing from the table, and
the table says so. `--write` puts it into docs/figures.md; otherwise it is printed.
"""

import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- begin: benches/peers -->\n", "<!-- end: benches/peers -->\n"


# A package of each catalog, by the form of the catalog.
PACKAGES = {"YAML": "sailoperator", "JSON": "keda"}


class Run:
    """What a command took."""

    def __init__(self, seconds, cpu, memory):
        self.seconds, self.cpu, self.memory = seconds, cpu, memory


def run(command, directory, cache):
    """Runs a command once; what it prints goes nowhere."""
    environment = dict(os.environ, XDG_CACHE_HOME=str(cache), HOME=str(cache))
    with open(os.devnull, "r+b") as nothing:
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=directory, stdin=nothing, stdout=nothing, stderr=nothing, env=environment)
        _, status, used = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"`{' '.join(map(str, command))}` ends with {child.returncode}")
    return Run(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def unpacked(catalogs, name, directory):
    """The directory of a catalog, which may have come as an archive; None if there is neither."""
    archive = catalogs / f"{name}.tar.zst"
    if (catalogs / name).is_dir() or not archive.is_file():
        return catalogs / name if (catalogs / name).is_dir() else None
    subprocess.run(["tar", "--zstd", "-xf", archive, "-C", directory], check=True)
    return next((it for it in pathlib.Path(directory).iterdir() if it.is_dir() and it.name != "cache"), None)


def cases(catalogs, directory):
    """The work, with the arguments of olmdex and of opm; None where opm has no such command."""
    found = []
    for name, form in [("community-v4.20", "YAML"), ("community-full", "JSON")]:
        path = unpacked(catalogs, name, directory)
        if path is None:
            print(f"missing: {catalogs / name}", file=sys.stderr)
            continue
        name = f"{name} ({form})"
        found += [
            (f"`validate` {name}", ["validate", path], ["validate", path]),
            (f"`render` {name} as JSON", ["render", path, "-o", "json"], ["render", path, "-o", "json"]),
            (f"`render` {name} as YAML", ["render", path, "-o", "yaml"], ["render", path, "-o", "yaml"]),
            (f"`build` {name}", ["build", path, "-O", "new.db", "-q"], None),
            (f"`list packages` {name}, files not asked before", ["list", "packages", "-i", path, "--no-cache"],
             ["alpha", "list", "packages", path]),
            (f"`list packages` {name}, files asked before", ["list", "packages", "-i", path],
             ["alpha", "list", "packages", path]),
            (f"`list bundles` {name} of a package, files not asked before",
             ["list", "bundles", PACKAGES[form], "-i", path, "--no-cache"], ["alpha", "list", "bundles", path, PACKAGES[form]]),
            (f"`diff` {name} and itself", ["diff", path, path], None),
        ]
    return found


def measured(args, case, directory, cache):
    _, ours, theirs = case
    commands = [[args.olmdex, *map(str, ours)]]
    if args.opm and theirs:
        commands.append([args.opm, *map(str, theirs)])
    runs = [[] for _ in commands]
    for number in range(args.pairs + 1):
        for command, found in zip(commands, runs):
            (pathlib.Path(directory) / "new.db").unlink(missing_ok=True)
            one = run(command, directory, cache)
            if number > 0:  # The first pair warms the cache of the system.
                found.append(one)
    return runs


def cell(runs):
    median = lambda name: statistics.median(getattr(it, name) for it in runs)
    return f"{median('seconds'):.3f} s, {median('cpu'):.3f} s CPU, {max(it.memory for it in runs):.0f} MB"


def row(args, case, directory, cache):
    runs = measured(args, case, directory, cache)
    if len(runs) == 1:
        return f"| {case[0]} | {'–' if case[2] is None else 'not measured'} | {cell(runs[0])} | |"
    ratios = [theirs.cpu / ours.cpu for ours, theirs in zip(*runs) if ours.cpu > 0]
    ratio = f"{statistics.median(ratios):.1f}" if ratios else "–"
    return f"| {case[0]} | {cell(runs[1])} | {cell(runs[0])} | {ratio} |"


def circumstances(n_pairs):
    """The day, the machine and its load: figures of different machines do not compare."""
    model = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    processor = f"{os.cpu_count()} cores of {model[1] if model else 'an unknown processor'}"
    return f"{n_pairs} pairs on {time.strftime('%Y-%m-%d')}, {processor}, load {os.getloadavg()[0]:.1f} at the start."


def table(args):
    lines = []
    if args.opm:
        version = subprocess.run([args.opm, "version"], capture_output=True, text=True, check=False).stdout
        number = re.search(r'OpmVersion:"([^"]*)"', version)
        peer = args.peer or f"opm {number[1] if number else version.strip()}"
        lines.append(f"Peer: {peer}. {circumstances(args.pairs)}\n")
    else:
        lines.append("No peer was named for this run (`--opm`), so its column is empty.\n")
    lines.append("| work | opm | olmdex | CPU of opm / CPU of olmdex |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        cache = pathlib.Path(directory) / "cache"
        lines += [row(args, case, directory, cache) for case in cases(args.catalogs.resolve(), directory)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--olmdex", default=ROOT / "target/release/olmdex", type=pathlib.Path)
    parser.add_argument("--opm", help="the program to compare with")
    parser.add_argument("--peer", help="its name and version for the table, if it does not know them")
    parser.add_argument("--catalogs", default=ROOT.parent / "shared/catalogs", type=pathlib.Path)
    parser.add_argument("--pairs", default=11, type=int)
    parser.add_argument("--write", action="store_true", help="write the table into docs/figures.md")
    args = parser.parse_args()
    args.olmdex = args.olmdex.resolve()
    if args.opm and not shutil.which(args.opm):
        sys.exit(f"there is no program `{args.opm}`")
    found = table(args)
    if not args.write:
        print(found, end="")
        return
    path = ROOT / "docs/figures.md"
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    path.write_text(f"{before}{BEGIN}{found}{END}{after}", encoding="utf-8")


main()
