"""The lists of faults, *.txt: reads them, finds their positions in the sources, applies a fault."""

import dataclasses
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]


class Problem(Exception):
    """An error of a list or of a run, as a message for users."""


@dataclasses.dataclass(frozen=True)
class Fault:
    layer: str  # the name of its list
    where: str  # its first line, for messages
    name: str
    what: str
    path: str
    likely: tuple  # entries of ctest, or parts of them, that are tried first
    anchor: str  # empty: search the whole file
    old: str
    new: str

    def problem(self, text):
        return Problem(f"{self.where}: {self.name}: {self.path}: {text}")

    def scope(self, source):
        """The part of the file to search: from the anchor to the end of its function, or the whole file."""
        if not self.anchor:
            return 0, len(source)
        if source.count(self.anchor) != 1:
            raise self.problem(f"the anchor is found {source.count(self.anchor)} times: {self.anchor}")
        begin = source.index(self.anchor)
        end = source.find("\n}", begin)
        return begin, len(source) if end < 0 else end

    def applied(self, source):
        begin, end = self.scope(source)
        count = source.count(self.old, begin, end)
        if count != 1:
            raise self.problem(f"the original is found {count} times: {self.old}")
        at = source.index(self.old, begin, end)
        return source[:at] + self.new + source[at + len(self.old) :]


def parse(layer, where, lines):
    """Parses one entry: its name and description, the file, an optional anchor, the original and the change."""
    name, colon, what = lines[0].partition(": ")
    if not colon or not re.fullmatch(r"[a-z0-9_]+", name):
        raise Problem(f"{where}: an entry begins with `name: the fault in one line`")
    likely = tuple(line[2:] for line in lines[2:] if line.startswith("? "))
    changes = lines[2 + len(likely) :]
    parts = [line[:1] for line in changes]
    texts = [line[2:] for line in changes]
    if parts == ["-", "+"]:
        texts.insert(0, "")
    elif parts != ["@", "-", "+"]:
        raise Problem(f"{where}: {name}: an entry has a file, `? entry` or none, `@ anchor` or none, `- original` and `+ changed`")
    anchor, old, new = texts
    if not old or old == new:
        raise Problem(f"{where}: {name}: the original is empty or the same as the change")
    return Fault(layer, where, name, what, lines[1], likely, anchor, old, new)


def read():
    """All faults, in the order of the lists. Raises the first problem."""
    faults = []
    for path in sorted(FOLDER.glob("*.txt")):
        entry, begin = [], 0
        for number, line in enumerate([*path.read_text().split("\n"), ""], 1):
            if line and not (line.startswith("#") and not entry):
                begin = begin if entry else number
                entry.append(line)
            elif entry:
                faults.append(parse(path.stem, f"tests/mutants/{path.name}:{begin}", entry))
                entry = []
    seen = {}
    for fault in faults:
        if fault.name in seen:
            raise Problem(f"{fault.where}: {fault.name} is the name of {seen[fault.name].where} too")
        seen[fault.name] = fault
    return faults


def check(faults, root=ROOT):
    """The faults that do not match the sources at `root`, as messages."""
    problems, sources = [], {}
    for fault in faults:
        try:
            if fault.path not in sources:
                sources[fault.path] = (root / fault.path).read_text()
            fault.applied(sources[fault.path])
        except OSError:
            problems.append(str(fault.problem("there is no such file")))
        except Problem as problem:
            problems.append(str(problem))
    return problems
