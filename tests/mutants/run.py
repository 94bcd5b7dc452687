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

# The arguments of ctest that choose a tier's entries.
TIERS = {"quick": ["-L", "quick"], "all": []}

# The entries that are likely to find a list's faults, cheap ones first. The others of the tier follow by their seconds.
FIRST = {
    "runtime": ["unit/runtime", "lang/evaluate", "lang/compiled"],
    "syntax": ["unit/base", "unit/syntax", "format/check", "format/cli", "lang/evaluate"],
    "ir": ["unit/ir", "unit/nest", "unit/plan", "unit/codegen", "lang/compiled"],
    "ops": ["unit/ops", "oracle/vocabulary_values", "oracle/complex_values", "lang/evaluate", "lang/compiled"],
    "transform": ["unit/transform", "oracle/derivatives", "devices/lang", "lang/evaluate", "lang/compiled"],
    "optimize": ["unit/optimize", "unit/ops", "fuzz", "lang/compiled"],
    "stage": ["unit/stage", "unit/api", "lang/evaluate", "lang/compiled"],
    "plan": ["unit/plan", "unit/codegen", "devices/lang", "lang/compiled"],
    "codegen": ["unit/codegen", "devices/lang", "lang/compiled"],
    "gpu": ["gpu/device", "gpu/golden", "gpu/device/deferred", "gpu/deferred", "several/2", "several/3", "lang/gpu"],
    "api": ["unit/api", "hostile"],
    "cli": ["unit/cli", "repl", "lang/command_line", "format/cli"],
    "stdlib": ["oracle/module_values", "oracle/prelude_values", "oracle/random_values", "oracle/complex_values", "library", "devices/lang"],
}

GROUP = 8  # entries in one call of ctest
BUILD_LIMIT = 3600  # seconds
PR_SET_CHILD_SUBREAPER = 36  # of Linux, sys/prctl.h


def descendants():
    """The processes that this one has started, and theirs."""
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents.setdefault(int((folder / "stat").read_text().rpartition(")")[2].split()[1]), []).append(int(folder.name))
        except OSError:
            pass  # it has ended
    found = parents.get(os.getpid(), [])
    for process in found:
        found += parents.get(process, [])
    return found


def end_all():
    """Nothing is left of a command. Orphans are children of this process (PR_SET_CHILD_SUBREAPER, set in main)."""
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


def run(command, limit, env=None):
    """The command's exit status and what it printed; no status where it did not end in time, and nothing of it is left."""
    log = PLACE / "log.txt"
    with open(log, "wb") as out:
        child = subprocess.Popen(command, cwd=TREE, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
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
    """The worktree of the last commit, as it was committed."""
    commit = git("rev-parse", "HEAD")
    git("worktree", "prune")
    if not (TREE / ".git").exists():
        git("worktree", "add", "--detach", "--force", str(TREE), commit)
    git("checkout", "--quiet", "--detach", "--force", commit, folder=TREE)
    # The assembler of PTX that `./dev test` has fetched.
    ptxas = ROOT / "build/cuda"
    if ptxas.exists() and not (TREE / "build/cuda").exists():
        (TREE / "build").mkdir(exist_ok=True)
        (TREE / "build/cuda").symlink_to(ptxas)
    if git("status", "--porcelain", "--", "compiler", "runtime", "stdlib", "tests/lang", "tests/unit", "CMakeLists.txt"):
        print("the last commit is tried, not what has changed since")
    return commit


@dataclasses.dataclass
class Entry:
    name: str
    targets: list  # what ninja has to build for it
    seconds: float = 0


def build(targets):
    """Seconds, and whether it could be built."""
    begin = time.monotonic()
    status, text = run(["./dev", "build", *targets], BUILD_LIMIT)
    if status != 0:
        (PLACE / "failed_build.txt").write_text(text)
    return time.monotonic() - begin, status == 0


def entries_of(arguments):
    """The entries that ctest chooses, in its order."""
    if not (BUILD / "build.ninja").exists() and not build(["run_programs"])[1]:  # a small one, to configure
        raise Problem(f"the unchanged sources do not build: {PLACE}/failed_build.txt")
    status, text = run(["ninja", "-C", str(BUILD), "-t", "targets", "all"], 60)
    if status != 0:
        raise Problem("ninja does not list its targets:\n" + text)
    known = set(re.findall(r"^([\w.]+): ", text, re.MULTILINE))
    status, text = run(["ctest", "--test-dir", str(BUILD), "--show-only=json-v1", *arguments], 60)
    if status != 0:
        raise Problem("ctest does not list its entries:\n" + text)
    chosen = []
    for test in json.loads(text[text.index("{") :])["tests"]:
        words = list(test.get("command", []))
        for one in test["properties"]:
            words += one["value"] if one["name"] == "ENVIRONMENT" else []
        names = {pathlib.Path(path).name for word in words for path in re.findall(re.escape(str(BUILD)) + r"[\w./]+", word)}
        chosen.append(Entry(test["name"], sorted(names & known)))
    return chosen


def ctest(entries, jobs, limit, *arguments):
    """What ctest says: by entry whether it passed, and its seconds. An entry that did not end has no seconds."""
    cache = PLACE / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    names = "|".join(re.escape(entry.name) for entry in entries)
    _, text = run(["ctest", "--test-dir", str(BUILD), "-j", str(jobs), "-R", f"^({names})$", *arguments], limit,
                  {"XDG_CACHE_HOME": str(cache), "PM_CACHE": str(cache / "pm")})
    said = {name: (False, None) for name in re.findall(r"^ *Start +\d+: (\S+)", text, re.MULTILINE)}
    for name, how, seconds in re.findall(r"Test +#\d+: (\S+) \.*(.*?) +([\d.]+) sec", text):
        said[name] = ("Passed" in how or "Skipped" in how, float(seconds))
    return said


def baseline(entries, commit, jobs):
    """Entries that pass on the unchanged sources, with their seconds; measured once for a commit."""
    path = PLACE / "baseline.json"
    stored = json.loads(path.read_text()) if path.exists() else {}
    if stored.get("commit") != commit:
        stored = {"commit": commit, "seconds": {}}
    seconds = stored["seconds"]
    fresh = [entry for entry in entries if seconds.get(entry.name) is None]
    if fresh:
        print(f"{len(fresh)} entries on the unchanged sources", flush=True)
        if not build(sorted({target for entry in fresh for target in entry.targets}) or ["all"])[1]:
            raise Problem(f"the unchanged sources do not build: {PLACE}/failed_build.txt")
        for name, (passed, took) in ctest(fresh, jobs, 3 * 3600).items():
            seconds[name] = took if passed else None
        path.write_text(json.dumps(stored, indent=1))
    for entry in entries:
        entry.seconds = seconds.get(entry.name)
        if entry.seconds is None:
            print(f"{entry.name} fails without a fault and is left out")
    return [entry for entry in entries if entry.seconds is not None]


def groups(entries, layer):
    """In the order of their calls: likely ones, and their shards, alone, then the others by their seconds."""
    by_name = {entry.name: entry for entry in entries}
    first = [by_name.pop(name) for likely in FIRST[layer] for name in sorted(by_name)
             if name == likely or name.startswith(likely + "/")]
    rest = sorted(by_name.values(), key=lambda entry: entry.seconds)
    return [[entry] for entry in first] + [rest[i : i + GROUP] for i in range(0, len(rest), GROUP)]


@dataclasses.dataclass
class Result:
    name: str
    tier: str
    verdict: str  # found, missed, broken
    by: str = ""
    build: float = 0
    tests: float = 0

    def row(self):
        return f"| {self.name} | {self.tier} | {self.verdict} | {self.by} | {self.build:.0f} | {self.tests:.0f} |"


def stored_results():
    rows = re.findall(r"^\| (\w+) \| ([^|]+) \| (found|missed|broken) \| ([^|]*) \| (\d+) \| (\d+) \|$",
                      RESULTS.read_text() if RESULTS.exists() else "", re.MULTILINE)
    return {row[0]: Result(*(text.strip() for text in row[:4]), int(row[4]), int(row[5])) for row in rows}


def store(results, known):
    rows = [results[fault.name] for fault in known if fault.name in results]
    counts = ", ".join(f"{sum(row.verdict == verdict for row in rows)} {verdict}" for verdict in ("found", "missed", "broken"))
    RESULTS.write_text("\n".join([
        "# Faults and the tests that find them", "", f"{counts}, {len(known) - len(rows)} not tried. `tests/mutants/run.py` writes this file.", "",
        "| fault | tier | result | found by | s to build | s of tests |", "|---|---|---|---|--:|--:|", *(row.row() for row in rows), ""]))


def attempt(fault, entries, tier, jobs):
    """One fault, from its change to the restored file."""
    path = TREE / fault.path
    source = path.read_text()
    result = Result(fault.name, tier, "missed")
    path.write_text(fault.applied(source))
    try:
        for group in groups(entries, fault.layer):
            took, built = build(sorted({target for entry in group for target in entry.targets}) or ["all"])
            result.build += took
            if not built:
                return dataclasses.replace(result, verdict="broken", by="does not build")
            begin = time.monotonic()
            limit = 60 + 5 * sum(entry.seconds for entry in group)
            said = ctest(group, min(jobs, len(group)), limit, "--stop-on-failure")
            result.tests += time.monotonic() - begin
            failed = [name + (" (no end)" if took is None else "") for name, (passed, took) in said.items() if not passed]
            if failed:
                return dataclasses.replace(result, verdict="found", by=", ".join(failed))
    finally:
        path.write_text(source)
    return result


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
    tier = given.entries.replace("|", ", ") if given.entries else given.tier
    entries = baseline(entries_of(["-R", given.entries] if given.entries else TIERS[given.tier]), commit, given.jobs)
    if not entries:
        raise Problem(f"no entry of {tier} passes")
    results = stored_results()
    todo = chosen_of(known, given.only)
    if given.resume:
        todo = [fault for fault in todo if fault.name not in results or results[fault.name].tier != tier]
    tried = []
    for number, fault in enumerate(todo, 1):
        print(f"[{number}/{len(todo)}] {fault.name}: ", end="", flush=True)
        result = attempt(fault, entries, tier, given.jobs)
        print(f"{result.verdict}{' by ' + result.by if result.by else ''}, {result.build:.0f} s to build, {result.tests:.0f} s of tests", flush=True)
        tried.append(result)
        results[fault.name] = result
        store(results, known)
    return 0 if all(result.verdict == "found" for result in tried) else 1


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--check", action="store_true", help="only verify that each original is found exactly once")
    options.add_argument("--list", action="store_true", help="only print the faults")
    options.add_argument("--tier", choices=TIERS, default="quick", help="the entries of ctest (quick)")
    options.add_argument("--entries", metavar="REGEX", help="these entries instead of a tier")
    options.add_argument("--only", metavar="NAME,...", help="these faults, or those of these lists")
    options.add_argument("--resume", action="store_true", help="leave out what results.md has for the tier")
    options.add_argument("--jobs", type=int, default=os.cpu_count(), help="entries at a time")
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
