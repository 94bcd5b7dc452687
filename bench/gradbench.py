#!/usr/bin/env python3
"""Runs GradBench's evals with Polymap's adapter and with the benchmark's JAX and PyTorch tools, and prints a table of medians.

    python bench/gradbench.py COPY ADAPTER [--evals gmm ode] [--tools polymap jax pytorch] [--sizes small|large|default] [--min-seconds S]

COPY is a checkout of github.com/gradbench/gradbench. Its `manual` tool, with which the evals validate, must be built (`make -C cpp && make -C
tools/manual`). ADAPTER is the program `gradbench` of examples/gradbench. This Python needs numpy, scipy, pydantic, dataclasses-json, jax and torch.
Each tool runs on one core, the default of the benchmark. JAX runs in bench/jax/gradbench_tool.py, which waits for the results, and has the programs
that the benchmark lacks (marked `own`).
"""

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The arguments of one or more runs of each eval, by size. `default` has those of the benchmark.
ARGUMENTS = {
    "hello": {"small": [""], "large": [""]},
    "gmm": {"small": ["-d 2 10 -k 5 25"], "large": ["-d 10 -k 25", "-d 64 -k 100"]},
    "ba": {"small": ["--max 1"], "large": ["--max 1", "--min 3 --max 3"]},
    "lstm": {"small": ["-l 2 -c 1024"], "large": ["-l 2 -c 1024", "-l 6 -c 4096"]},
    "kmeans": {"small": ["-k 10 -n 1000 -d 8"], "large": ["-k 10 -n 1000 -d 8", "-k 1000 -n 10000 -d 16"]},
    "ode": {"small": ["-n 1000 -s 1 10 100"], "large": ["-n 1000 100000 -s 10 100"]},
}
# Evals of a tool that fail or run for more than some minutes.
LACKING = {("jax", "ba"), ("jax", "lstm"), ("pytorch", "ba"), ("pytorch", "ode")}
OWN = {("jax", "ba"), ("jax", "lstm")}
NAMES = {"polymap": "Polymap", "jax": "JAX", "pytorch": "PyTorch"}


def tool_command(tool, args):
    if tool == "polymap":
        return [str(args.adapter)]
    if tool == "jax":
        return [sys.executable, str(HERE / "jax/gradbench_tool.py")]
    return [sys.executable, str(args.copy / "python/gradbench/gradbench/tools" / tool / "run.py")]


def tool_environment(tool, args):
    folder = args.copy / "python/gradbench"
    return os.environ | {
        "PYTHONPATH": f"{folder}:{folder}/gradbench/tools/{tool}",
        "JAX_PLATFORMS": "cpu",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }


def start(command, args, environment):
    return subprocess.Popen(
        command, cwd=args.copy, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def request(process, line):
    """The answer of a tool; empty if the tool has ended."""
    try:
        process.stdin.write(line)
        process.stdin.flush()
    except BrokenPipeError:
        return ""
    return process.stdout.readline()


def session(tool, eval_name, sizes, args):
    """Runs an eval with a tool. Returns for each request the seconds of each evaluation, and whether the result was valid."""
    eval_command = [sys.executable, f"python/gradbench/gradbench/evals/{eval_name}/run.py", *sizes.split()]
    if eval_name != "hello":
        eval_command += ["--min-seconds", str(args.min_seconds), "--min-runs", str(args.min_runs)]
    evaluation = start(eval_command, args, os.environ | {"PYTHONPATH": str(args.copy / "python/gradbench")})
    prefix = ["taskset", "-c", str(args.core)]
    tool_process = start(prefix + tool_command(tool, args), args, tool_environment(tool, args))
    results, keys = {}, {}
    try:
        for line in evaluation.stdout:
            message = json.loads(line)
            reply = request(tool_process, line)
            if not reply:
                print(f"{tool} ended at {eval_name} {message.get('function', message['kind'])}", file=sys.stderr)
                break
            answer = json.loads(reply)
            if answer.get("success") is False:
                print(f"{tool} {eval_name}: {answer.get('error')}", file=sys.stderr)
            if message["kind"] == "evaluate" and answer.get("success"):
                key = (eval_name, message.get("description", ""), message["function"])
                times = [t["nanoseconds"] * 1e-9 for t in answer["timings"] if t["name"] == "evaluate"]
                keys[message["id"]] = key
                # `hello` sends several requests without a description.
                results.setdefault(key, {"times": [], "valid": None})["times"] += times
            if message["kind"] == "analysis":
                key = keys[message["of"]]
                results[key]["valid"] = message["valid"] and results[key]["valid"] is not False
                if not message["valid"]:
                    print(f"{tool} {key}: {message.get('error')}", file=sys.stderr)
            evaluation.stdin.write(reply)
            evaluation.stdin.flush()
    finally:
        for process in (evaluation, tool_process):
            process.kill()
            process.wait()
    return results


def median(result):
    return statistics.median(result["times"]) if result else None


def shown(seconds):
    if seconds is None:
        return "-"
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1e3:.2f} ms" if seconds >= 1e-4 else f"{seconds * 1e6:.1f} us"


def ratio(ours, theirs):
    if not ours or not theirs:
        return "-"
    return f"{ours / theirs:.2f}" if ours > 0.095 * theirs else f"{ours / theirs:.1g}"


def table(results, args):
    others = [tool for tool in args.tools if tool != "polymap"]
    keys = list(dict.fromkeys(key for tool in args.tools for key in results[tool]))
    print("".join(f"| {head} " for head in ["eval", "size", "function", "Polymap"] + [h for tool in others for h in (NAMES[tool], "ratio")]) + "|")
    print("|---|---|---|---:|" + "---:|---:|" * len(others))
    for key in keys:
        ours = median(results["polymap"].get(key))
        row = [*key, shown(ours)]
        for tool in others:
            theirs = median(results[tool].get(key))
            own = " own" if theirs is not None and (tool, key[0]) in OWN else ""
            row += [shown(theirs) + own, ratio(ours, theirs)]
        print("| " + " | ".join(row) + " |")
    wrong = [key for key in keys if results["polymap"].get(key, {}).get("valid") is not True]
    print(f"\nPolymap's answers that the evals did not find valid: {wrong or 'none'}.")
    print("\nThe derivative's time beside its primal's:\n\n| eval | size | " + " | ".join(NAMES[tool] for tool in args.tools) + " |")
    print("|---|---|" + "---:|" * len(args.tools))
    pairs = {}
    for key in keys:
        pairs.setdefault(key[:2], []).append(key)
    for size, (primal, derivative) in ((s, p) for s, p in pairs.items() if len(p) == 2):
        row = []
        for tool in args.tools:
            a, b = median(results[tool].get(primal)), median(results[tool].get(derivative))
            row.append(f"{b / a:.1f}" if a and b else "-")
        print("| " + " | ".join([*size, *row]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("copy", type=lambda p: Path(p).resolve())
    parser.add_argument("adapter", type=lambda p: Path(p).resolve())
    parser.add_argument("--evals", nargs="+", default=list(ARGUMENTS), choices=list(ARGUMENTS))
    parser.add_argument("--tools", nargs="+", default=["polymap", "jax", "pytorch"], choices=["polymap", "jax", "pytorch"])
    parser.add_argument("--sizes", default="small", choices=["small", "large", "default"])
    parser.add_argument("--min-runs", type=int, default=3)
    parser.add_argument("--min-seconds", type=float, default=1)
    parser.add_argument("--core", type=int, default=0, help="the core that tools run on")
    args = parser.parse_args()
    results = {"polymap": {}} | {tool: {} for tool in args.tools}
    for eval_name in args.evals:
        for tool in args.tools:
            if (tool, eval_name) in LACKING - OWN:
                continue
            print(f"{eval_name} {tool}", file=sys.stderr)
            for sizes in ARGUMENTS[eval_name].get(args.sizes, [""]):
                results[tool] |= session(tool, eval_name, sizes, args)
    cpu = next((l.split(": ")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.processor())
    load = os.getloadavg()[2]
    print(f"Measured {datetime.date.today()} on one core of {cpu}; load average of the last 15 minutes {load:.1f}.\n")
    table(results, args)


if __name__ == "__main__":
    main()
