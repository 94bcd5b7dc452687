#!/usr/bin/env python3
"""Applies the faults of tests/mutants/*.txt one at a time, and records which test finds each (README.md)."""

import argparse
import ctypes
import dataclasses
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import faults  # noqa: E402
from faults import FOLDER, ROOT, Problem

PLACE = ROOT / "build/mutants"
TREE = PLACE / "tree"
BUILD = TREE / "build/release"
RESULTS = FOLDER / "results.md"

# Each tier begins with the entries of the previous one.
TIERS = ["likely", "quick", "all"]

# The entries that are likely to find a list's faults, cheap ones first.
FIRST = {
    "runtime": ["unit/runtime", "gpu/device"],
    "syntax": ["unit/base", "unit/syntax", "format/check", "format/cli"],
    "ir": ["unit/ir", "unit/nest", "unit/plan", "unit/codegen"],
    "ops": ["unit/ops", "oracle/vocabulary_values", "oracle/complex_values", "oracle/derivatives"],
    "transform": ["unit/transform", "unit/ops", "devices/lang", "oracle/derivatives"],
    "optimize": ["unit/optimize", "unit/ops", "fuzz"],
    "stage": ["unit/stage", "unit/api", "lang/sessions"],
    "plan": ["unit/plan", "unit/codegen", "devices/lang"],
    "codegen": ["unit/codegen", "devices/lang"],
    "gpu": ["gpu/device", "gpu/golden", "any_order/gpu", "gpu/deferred"],
    "api": ["unit/api", "hostile"],
    "cli": ["unit/cli", "repl", "lang/command_line", "format/cli"],
    "stdlib": ["oracle/module_values", "oracle/prelude_values", "oracle/random_values", "oracle/complex_values"],
}

# This entry compares the sources with the lists. It fails with every fault, which shows nothing about the tests.
ALWAYS_FAILS = "mutants/lists"

BUILD_LIMIT = 3600  # seconds
PR_SET_CHILD_SUBREAPER = 36  # Linux, sys/prctl.h


def descendants():
    """The child processes of this process, and their descendants."""
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents.setdefault(int((folder / "stat").read_text().rpartition(")")[2].split()[1]), []).append(int(folder.name))
        except OSError:
            pass  # the process has ended
    found = parents.get(os.getpid(), [])
    for process in found:
        found += parents.get(process, [])
    return found


def end_all():
    """Ends all processes of a command. Orphans become children of this process (PR_SET_CHILD_SUBREAPER, set in main)."""
    while running := descendants():
        for process in running:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            pass


def run(command, limit, env=None, folder=TREE):
    """Runs a command and ends all its processes. Returns its exit status (None if it did not end in time) and its output."""
    log = PLACE / "log.txt"
    with open(log, "wb") as out:
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                 start_new_session=True, env={**os.environ, **(env or {})})
        status = None
        try:
            status = child.wait(limit)
        except subprocess.TimeoutExpired:
            pass
        finally:
            end_all()
    return status, log.read_text(errors="replace")


def git(*arguments, folder=ROOT):
    return subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True, text=True).stdout.strip()


def prepare():
    """Checks out the last commit into the worktree. Returns the commit."""
    commit = git("rev-parse", "HEAD")
    git("worktree", "prune")
    if not (TREE / ".git").exists():
        git("worktree", "add", "--detach", "--force", str(TREE), commit)
    git("checkout", "--quiet", "--detach", "--force", commit, folder=TREE)
    # The assembler of PTX that `./dev test` fetches.
    ptxas = ROOT / "build/cuda"
    if ptxas.exists() and not (TREE / "build/cuda").exists():
        (TREE / "build").mkdir(exist_ok=True)
        (TREE / "build/cuda").symlink_to(ptxas)
    if git("status", "--porcelain", "--", "compiler", "runtime", "stdlib", "tests/lang", "tests/unit", "CMakeLists.txt"):
        print("the last commit is tried, not what has changed since")
    return commit


@dataclasses.dataclass(frozen=True)
class Entry:
    """An entry of ctest, or a part of one: the name of the entry, then a program or the pattern of doctest's cases."""

    name: str
    command: list
    properties: dict
    targets: list  # the targets that ninja must build for it

    @property
    def quick(self):
        return "quick" in self.properties.get("LABELS", [])

    def part(self, rest):
        """The part of the entry that `rest` names. The entry fails if its part fails."""
        program = pathlib.Path(self.command[0]).name
        if program.startswith("test_"):
            words = [*self.command, f"--test-case={rest}"]
        elif program == "run_programs":
            words = [word for word in self.command if word.startswith(("/", "--")) and not word.startswith("--shard=")] + rest.split()
        elif program == "pm":
            words = [*self.command[:2], *rest.split()]
        else:
            raise Problem(f"{self.name} has no parts")
        return dataclasses.replace(self, name=f"{self.name} {rest}", command=words)

    def passes(self, limit):
        """Whether the entry passes (None if it does not end in time), and its seconds."""
        cache = PLACE / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        env = dict(pair.split("=", 1) for pair in self.properties.get("ENVIRONMENT", []))
        begin = time.monotonic()
        status, text = run(self.command, limit, {"XDG_CACHE_HOME": str(cache), "PM_CACHE": str(cache / "pm"), **env},
                           self.properties["WORKING_DIRECTORY"][0])
        seconds = time.monotonic() - begin
        if status is None:
            return None, seconds
        if wanted := self.properties.get("PASS_REGULAR_EXPRESSION"):
            return any(re.search(one, text) for one in wanted), seconds
        return str(status) in ("0", *self.properties.get("SKIP_RETURN_CODE", [])), seconds


def build(targets):
    """Builds the targets. Returns whether this succeeded."""
    status, text = run(["./dev", "build", *targets], BUILD_LIMIT) if targets else (0, "")
    if status != 0:
        (PLACE / "failed_build.txt").write_text(text)
    return status == 0


def all_entries():
    """The entries of ctest by their names, in its order."""
    if not build(["build.ninja"]):  # configures, if a list of tests has changed
        raise Problem(f"the unchanged sources do not build: {PLACE}/failed_build.txt")
    status, text = run(["ninja", "-C", str(BUILD), "-t", "targets", "all"], BUILD_LIMIT)
    if status != 0:
        raise Problem("ninja does not list its targets:\n" + text)
    known = set(re.findall(r"^([\w.]+): ", text, re.MULTILINE))
    # Reads CMake's files for ctest, since ctest does not print the command of a program that is not built.
    text = "".join(path.read_text() for path in sorted(BUILD.rglob("CTestTestfile.cmake")))
    properties = {}
    for name, rest in re.findall(r"^set_tests_properties\(\[=\[(.*?)\]=\] PROPERTIES (.*)\)$", text, re.MULTILINE):
        properties[name] = {key: value.split(";") for key, value in re.findall(r'(\w+) "((?:[^"\\]|\\.)*)"', rest)}
    found = {}
    for name, rest in re.findall(r"^add_test\(\[=\[(.*?)\]=\] (.*)\)$", text, re.MULTILINE):
        command = [re.sub(r"\\(.)", r"\1", word) for word in re.findall(r'"((?:[^"\\]|\\.)*)"', rest)]
        words = [*command, *properties[name].get("ENVIRONMENT", [])]
        names = {pathlib.Path(path).name for word in words for path in re.findall(re.escape(str(BUILD)) + r"[\w./]+", word)}
        if name == ALWAYS_FAILS:
            continue
        found[name] = Entry(name, command, properties[name], sorted(names & known))
    return found


class Baseline:
    """Results of the entries on the unchanged sources: their seconds, or None if they fail. Measured once for a commit."""

    def __init__(self, commit):
        self.path = PLACE / "baseline.json"
        self.stored = json.loads(self.path.read_text()) if self.path.exists() else {}
        if self.stored.get("commit") != commit:
            self.stored = {"commit": commit, "seconds": {}}
        self.seconds = self.stored["seconds"]

    def knows(self, entry):
        return entry.name in self.seconds

    def measure(self, entry):
        if not build(entry.targets):
            raise Problem(f"the unchanged sources do not build: {PLACE}/failed_build.txt")
        passed, seconds = entry.passes(3600)
        if not passed:
            print(f"({entry.name} fails without a fault and is left out) ", end="", flush=True)
        self.seconds[entry.name] = seconds if passed else None
        self.path.write_text(json.dumps(self.stored, indent=1))


def named(name, entries):
    """The entries for a name in the lists: an entry, its shards, or a part of an entry."""
    name, _, rest = name.partition(" ")
    found = [entries[one] for one in sorted(entries) if one == name or re.fullmatch(re.escape(name) + r"/(\d+|slow)", one)]
    if not found:
        raise Problem(f"ctest has no entry {name}")
    return [dataclasses.replace(found[0], name=name).part(rest)] if rest else found


def ordered(fault, entries, tier):
    """The entries of a tier: likely ones first, then `quick` ones, then the others."""
    chosen = {}
    for name in [*fault.likely, *FIRST[fault.layer]]:
        chosen |= {entry.name: entry for entry in named(name, entries)}
    if tier != "likely":
        chosen |= {name: entry for name, entry in entries.items() if entry.quick}
    if tier == "all":
        chosen |= entries
    return list(chosen.values())


@dataclasses.dataclass
class Result:
    name: str
    tier: str  # the first tier that finds it, or the last one tried
    verdict: str  # found, missed, broken
    by: str = ""
    seconds: float = 0  # of that entry

    def row(self):
        return f"| {self.name} | {self.tier} | {self.verdict} | {self.by} | {self.seconds:.1f} |"

    def enough(self, tier):
        """Whether a run with the tier would not add to this result."""
        return self.verdict != "missed" or TIERS.index(self.tier) >= TIERS.index(tier)


def stored_results():
    rows = re.findall(r"^\| (\w+) \| (\w+) \| (found|missed|broken) \| ([^|]*) \| ([\d.]+) \|$",
                      RESULTS.read_text() if RESULTS.exists() else "", re.MULTILINE)
    return {row[0]: Result(row[0], row[1], row[2], row[3].strip(), float(row[4])) for row in rows}


def store(results, known):
    rows = [results[fault.name] for fault in known if fault.name in results]
    quick = sum(row.verdict == "found" and row.tier == "quick" for row in rows)
    counts = ", ".join(f"{sum(row.verdict == verdict for row in rows)} {verdict}" for verdict in ("found", "missed", "broken"))
    untried = [fault.name for fault in known if fault.name not in results]
    RESULTS.write_text("\n".join([
        "# Faults and the tests that find them", "", "`tests/mutants/run.py` writes this file.", "",
        f"{len(known)} faults: {counts}, {len(untried)} not tried. The entries of `./dev test` find {quick}.", "",
        "| fault | tier | result | found by | s |", "|---|---|---|---|--:|", *(row.row() for row in rows), "",
        *(["Not tried: " + ", ".join(untried) + ".", ""] if untried else [])]))


class Attempt:
    """Tests one fault. Its file is changed before the first entry, and restored at the end."""

    def __init__(self, fault, baseline):
        self.fault, self.baseline = fault, baseline
        self.path = TREE / fault.path
        self.source = self.path.read_text()

    def write(self, text):
        if self.path.read_text() != text:
            self.path.write_text(text)

    def entry(self, entry):
        """The result if the entry finds the fault or the fault does not build; None if the entry passes."""
        if not self.baseline.knows(entry):
            self.write(self.source)
            self.baseline.measure(entry)
        usual = self.baseline.seconds[entry.name]
        if usual is None:
            return None
        self.write(self.fault.applied(self.source))
        if not build(entry.targets):
            return Result(self.fault.name, "likely", "broken", "does not build")
        passed, seconds = entry.passes(60 + 5 * usual)
        if passed:
            return None
        return Result(self.fault.name, "quick" if entry.quick else "all", "found", entry.name + (" (no end)" if passed is None else ""), seconds)

    def run(self, entries, tier):
        try:
            return next(filter(None, map(self.entry, entries)), Result(self.fault.name, tier, "missed"))
        finally:
            self.write(self.source)


def chosen_of(known, only):
    if not only:
        return known
    names = only.split(",")
    unknown = set(names) - {fault.name for fault in known} - set(FIRST)
    if unknown:
        raise Problem("there is no fault and no list " + ", ".join(sorted(unknown)))
    return [fault for fault in known if fault.name in names or fault.layer in names]


def try_all(given, known):
    PLACE.mkdir(parents=True, exist_ok=True)
    lock = open(PLACE / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Problem(f"another run is using {PLACE}") from None
    commit = prepare()
    problems = faults.check(known, TREE)
    if problems:
        raise Problem("\n".join(["the last commit does not have the lines of the lists:", *problems]))
    entries = all_entries()
    for fault in known:
        ordered(fault, entries, "likely")  # checks that the names exist
    baseline = Baseline(commit)
    results = stored_results()
    todo = chosen_of(known, given.only)
    if given.resume:
        todo = [fault for fault in todo if fault.name not in results or not results[fault.name].enough(given.tier)]
    tried = []
    for number, fault in enumerate(todo, 1):
        print(f"[{number}/{len(todo)}] {fault.name}: ", end="", flush=True)
        begin = time.monotonic()
        result = Attempt(fault, baseline).run(ordered(fault, entries, given.tier), given.tier)
        print(f"{result.verdict}{' by ' + result.by if result.by else ''}, {time.monotonic() - begin:.0f} s", flush=True)
        tried.append(result)
        results[fault.name] = result
        store(results, known)
    return 0 if all(result.verdict == "found" for result in tried) else 1


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--check", action="store_true", help="only verify that each original is found exactly once")
    options.add_argument("--list", action="store_true", help="only print the faults")
    options.add_argument("--tier", choices=TIERS, default="all", help="the entries of ctest (all)")
    options.add_argument("--only", metavar="NAME,...", help="these faults, or those of these lists")
    options.add_argument("--resume", action="store_true", help="leave out the faults of which results.md says as much")
    given = options.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        known = faults.read()
        if given.list:
            for fault in chosen_of(known, given.only):
                print(f"{fault.layer:10}{fault.name}: {fault.what}")
            return 0
        if given.check:
            problems = faults.check(known)
            problems += [f"run.py: FIRST has no list {name}" for name in {fault.layer for fault in known} ^ set(FIRST)]
            print("\n".join(problems) if problems else f"{len(known)} faults")
            return 1 if problems else 0
        return try_all(given, known)
    except KeyboardInterrupt:
        print("interrupted; --resume goes on")
        return 130
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
