#!/usr/bin/env python3
"""usage: documents.py HEXEC ROOT

Profiles of all programs: the JSON document is valid by its schema (where python3-jsonschema is installed), its sums agree
with one another and with a plain run, what has no value says why, and the other formats tell the same.
"""
import csv
import io
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

HEXEC, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
LONG = {"spin_lock"}  # its workers wait for each other
NO_SUMS = {"wall_ns", "occupancy", "achieved_occupancy", "barrier_wait_share", "parallel_efficiency", "block_balance"}  # medians and shares
OF_LAUNCHES = {"workers_used", "gang_lanes"}
problems = []


def hexec(*arguments):
    return subprocess.run([HEXEC, *map(str, arguments)], capture_output=True, text=True, check=False)


def number(value):
    return value["value"] if isinstance(value, dict) else value


def things(document):
    """All objects that have metrics, with what they are."""
    for kernel in document["kernels"]:
        yield "kernel", kernel
        for kind in ("instructions", "lines", "opcodes"):
            yield from ((kind, thing) for thing in kernel[kind])
    yield from (("launch", launch) for launch in document["launches"])


def check_reasons(name, document):
    for kind, thing in things(document):
        empty = {metric for metric, value in thing["metrics"].items() if value is None}
        if empty != set(thing.get("why", {})):
            problems.append(f"{name}: {kind}: empty are {empty}, a reason have {set(thing.get('why', {}))}")
        for metric, value in thing["metrics"].items():
            if isinstance(value, dict) and not value["low"] <= value["value"] <= value["high"]:
                problems.append(f"{name}: {kind}: {metric} is outside of its interval: {value}")


def check_launches(name, document, kernel):
    """Each figure of a kernel is the sum of its launches', unless it is a quotient or named above."""
    launches = [launch for launch in document["launches"] if launch["kernel"] == kernel["name"]]
    summed = 0
    for row in document["metrics"]:
        metric = row["name"]
        if "/" in row["formula"] or metric in NO_SUMS or metric in OF_LAUNCHES or metric not in launches[0]["metrics"]:
            continue
        parts = [number(launch["metrics"][metric]) for launch in launches]
        whole = number(kernel["metrics"][metric])
        summed += 1
        if None in parts or whole is None:
            if parts.count(None) != len(parts) or whole is not None:
                problems.append(f"{name}: {metric} of launches is {parts}, of the kernel {whole}")
        elif abs(sum(parts) - whole) > (0 if row["kind"] == "exact" else 1e-9 * whole):
            problems.append(f"{name}: {metric} of launches is {sum(parts)}, of the kernel {whole}")
    if summed < 19:
        problems.append(f"{name}: only {summed} metrics of launches were compared")
    for metric, most, least in (("workers_used", "workers", "workers_least"), ("gang_lanes", "gang", "gang_least")):
        options = document["options"]
        for launch in document["launches"]:
            if not options[least] <= launch["metrics"][metric] <= options[most]:
                problems.append(f"{name}: {metric} is {launch['metrics'][metric]}, the run's {options[least]} to {options[most]}")
        if {options[least], options[most]} - {launch["metrics"][metric] for launch in document["launches"]}:
            problems.append(f"{name}: no launch has the run's least and most {metric}: {options}")


def check_sums(name, document, exact):
    """Instructions, lines and opcodes add up to their kernel, kernels to what a run tells."""
    additive = [row["name"] for row in document["metrics"] if row["kind"] == "exact" and "/" not in row["formula"]]
    for kernel in document["kernels"]:
        for metric in additive:
            if metric in OF_LAUNCHES:
                continue
            whole = kernel["metrics"][metric]
            for kind in ("instructions", "lines", "opcodes"):
                total = sum(thing["metrics"][metric] for thing in kernel[kind])
                if total != whole:
                    problems.append(f"{name}: {metric} of {kind} is {total}, of the kernel {whole}")
        check_launches(name, document, kernel)
        for branch in kernel["branches"]:
            issues = kernel["instructions"][branch["pc"]]["metrics"]["issues"]
            if branch["taken"] + branch["not_taken"] + branch["both"] != issues:
                problems.append(f"{name}: the ways of {branch} are not its {issues} issues")
    run = {"lanes": exact["thread_instructions"], "bytes_loaded": sum(exact["loaded_bytes"].values()),
           "bytes_stored": sum(exact["stored_bytes"].values()), "flops": exact["flops"]}
    for metric, wanted in run.items():
        total = sum(kernel["metrics"][metric] for kernel in document["kernels"])
        if total != wanted:
            problems.append(f"{name}: {metric} is {total}, a run has {wanted}")


def check_time(name, document):
    wall = document["wall"]
    parts = sum(part["ns"] for part in wall["parts"])
    if abs(parts - wall["total_ns"]) > 0.02 * wall["total_ns"]:
        problems.append(f"{name}: parts of {parts} ns are not the whole of {wall['total_ns']} ns")
    if len(wall["samples_ns"]) != document["options"]["runs"]:
        problems.append(f"{name}: {len(wall['samples_ns'])} samples of {document['options']['runs']} runs")


def check_formats(name, path):
    table = hexec("profile", path, "--runs", 1, "--csv", "--by", "line").stdout
    document = json.loads(hexec("profile", path, "--runs", 1, "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(table)))
    lines = {(kernel["name"], line["line"]): line for kernel in document["kernels"] for line in kernel["lines"]}
    if len(rows) != len(lines):
        problems.append(f"{name}: {len(rows)} rows of CSV, {len(lines)} lines in the document")
    for row in rows:
        line = lines[row["kernel"], int(row["line"])]
        for metric in ("issues", "lanes", "bytes", "sectors"):
            if float(row[metric]) != line["metrics"][metric]:
                problems.append(f"{name}: line {row['line']}: {metric} is {row[metric]} in CSV")
    for what in ("all", "kernel", "opcode", "line", "instruction", "launch"):
        text = hexec("profile", path, "--runs", 1, "--by", what, "--top", 1000).stdout
        problems.extend(f"{name}: --by {what}: wider than 80: {line}" for line in text.splitlines() if len(line) > 80)


schema = json.loads(hexec("schema", "profile").stdout)
if jsonschema:
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    if validator.is_valid({"format": "hexec-profile", "version": 1}):
        problems.append("a document without kernels is valid")
programs = sorted(path for path in (ROOT / "programs").glob("*.yaml") if path.stem not in LONG)
for path in programs:
    result = hexec("profile", path, "--runs", 1, "--workers", 2, "--json")
    run = hexec("run", path, "--workers", 1, "--json")
    if result.returncode:
        problems.append(f"{path.stem}: {result.stderr}")
        continue
    profile = json.loads(result.stdout)
    if jsonschema:
        problems += [f"{path.stem}: {error.json_path}: {error.message[:200]}" for error in validator.iter_errors(profile)]
        if not validator.is_valid({**profile, "threshold": 2.5}) or validator.is_valid({**profile, "threshold": 0}):
            problems.append(f"{path.stem}: the threshold of a baseline is not what the schema says")
    check_reasons(path.stem, profile)
    check_sums(path.stem, profile, json.loads(run.stdout))
    check_time(path.stem, profile)
for name in ("saxpy", "matmul_tiled", "multi_kernel"):
    check_formats(name, ROOT / f"programs/{name}.yaml")
if not jsonschema:
    print("note: not validated by the schema: python3-jsonschema is missing")
print("\n".join(problems[:50]) or f"{len(programs)} profiles are right")
sys.exit(1 if problems or len(programs) < 30 else 0)
