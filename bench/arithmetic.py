#!/usr/bin/env python3
"""Prints the ratio of the arithmetic of a derivative to that of its primal, counted in the plans of the GradBench programs.

    python bench/arithmetic.py PM

Per element an operation on floats counts 1, a multiply-add 2, an elementary function 10. Loads, stores, constants, selections and integers count
nothing, a product of matrices 2 b m n k. The body of a loop counts once per iteration. CASES has the trip counts of loops that compute them.
"""

import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[1] / "examples/gradbench"
FREE = {"load", "constant", "index", "convert", "select", "broadcast"}
COSTLY = {"exp", "tanh", "logistic", "log", "sin", "cos", "sqrt"}
# Name, primal, derivative, input (z(shape) is an array), trip count of loops that compute it.
CASES = [
    ("gmm", "objective", "jacobian", "{x: z((1000, 10)), alpha: z(25), mu: z((25, 10)), q: z((25, 10)), l: z((25, 45)), m: 0i64, gamma: 1f64}", 1),
    ("gmm", "objective", "jacobian", "{x: z((1000, 64)), alpha: z(100), mu: z((100, 64)), q: z((100, 64)), l: z((100, 2016)), m: 0i64, gamma: 1f64}", 1),
    ("lstm", "objective", "jacobian", "{main_params: z((4, 56)), extra_params: z((3, 14)), state: z((4, 14)), sequence: z((101, 14))}", 2),
    ("ode", "primal", "gradient", "{x: z(1000), s: 50i64}", 50),
    ("kmeans", "cost", "dir", "{points: z((1000, 8)), centroids: z((10, 8))}", 1),
]


def numbers(text):
    return [int(n) for n in text.split(",") if n.strip()]


def arithmetic(plan, function, iterations):
    """The arithmetic of the program `function` in the text of a plan."""
    total, inside = 0, False
    # For each open brace, how often its content runs.
    times = [1]
    for line in map(str.strip, plan.splitlines()):
        if start := re.match(r'program "(.*?)"', line):
            inside, times = start.group(1) == function, [1]
        elif not inside:
            continue
        elif line.endswith("{"):
            if line.startswith("}"):  # the body of a while, after its condition
                times.pop()
            known = re.search(r"iterations=(\d+)", line)
            again = int(known.group(1)) if known else iterations if line.startswith(("loop", "} {")) else 1
            sizes = re.search(r"(?:grid|stage loops)=\[(.*?)\]", line)
            times.append(times[-1] * again * math.prod(numbers(sizes.group(1)) if sizes else []))
        elif line == "}":
            times.pop()
        elif line.startswith("dot"):
            total += 2 * times[-1] * math.prod(numbers(re.search(r"integers=\[(.*?)\]", line).group(1))[:4])
        elif (step := re.match(r"%\d+: f\d+ = (\w+)", line)) and step.group(1) not in FREE:
            total += times[-1] * (10 if step.group(1) in COSTLY else 2 if step.group(1) == "fma" else 1)
    return total


def main():
    pm = str(Path(sys.argv[1]).resolve())
    print("| eval | input | derivative / primal |\n|---|---|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, primal, derivative, value, iterations in CASES:
            counts = []
            for function in (primal, derivative):
                file = Path(folder) / "case.pm"
                source = (PROGRAMS / f"{name}.pm").read_text()
                file.write_text(f"{source}\nfn z(shape) = ones(shape, dtype=f64)\nlet input = {value}\nlet y = {function}(input)\n")
                plan = subprocess.run([pm, "ir", "--after=plan", str(file)], capture_output=True, text=True, check=True).stdout
                counts.append(arithmetic(plan, function, iterations))
            print(f"| {name} | `{value}` | {counts[1] / counts[0]:.2f} |")


if __name__ == "__main__":
    main()
