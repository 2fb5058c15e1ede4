#!/usr/bin/env python3
"""usage: agree.py HEXEC PROGRAM...

All exports of one profile tell the same totals, to the last unit: of each figure that a format has, over folded stacks,
speedscope, pprof, callgrind, Prometheus, OpenMetrics and OTLP; and the counted ones are those of the JSON document. The
readers here are their own: nothing of hexec reads back what hexec wrote."""
import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

FIGURES = ("time", "issues", "lanes", "loaded", "stored", "flops")


def folded(path):
    return sum(int(line.rpartition(" ")[2]) for line in path.read_text().splitlines())


def speedscope(path):
    words = {"time in": "time", "warp instructions": "issues", "thread": "lanes", "bytes loaded": "loaded",
             "bytes stored": "stored", "floating": "flops"}
    totals = dict.fromkeys(FIGURES, 0)
    document = json.loads(path.read_text())
    for profile in document["profiles"]:
        figure = next(figure for start, figure in words.items() if profile["name"].startswith(start))
        assert profile["endValue"] == sum(profile["weights"]), profile["name"]
        assert len(profile["samples"]) == len(profile["weights"])
        assert all(0 <= frame < len(document["shared"]["frames"]) for stack in profile["samples"] for frame in stack)
        totals[figure] = sum(profile["weights"])
    return totals


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def message(data):
    """Fields of a protobuf message: number -> values, bytes or integers."""
    fields, at = collections.defaultdict(list), 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            raise ValueError(f"wire type {tag & 7}")
        fields[tag >> 3].append(value)
    return fields


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def pprof(path):
    profile = message(gzip.decompress(path.read_bytes()))
    strings = [text.decode() for text in profile[6]]
    assert strings[0] == ""
    types = [strings[message(kind)[1][0]] for kind in profile[1]]
    locations = {message(one)[1][0] for one in profile[4]}
    totals = dict.fromkeys(FIGURES, 0)
    for one in profile[2]:
        sample = message(one)
        assert set(packed(sample[1][0])) <= locations
        for figure, value in zip(types, packed(sample[2][0]), strict=True):
            totals[figure] += value
    return totals


def callgrind(path):
    names = {"Nanoseconds": "time", "WarpInstr": "issues", "ThreadInstr": "lanes", "Loaded": "loaded", "Stored": "stored",
             "Flops": "flops"}
    totals, inclusive, events = collections.Counter(), False, []
    for line in path.read_text().splitlines():
        if line.startswith("events:"):
            events = [names[word] for word in line.split()[1:]]
        elif line.startswith("summary:"):
            summary = dict(zip(events, map(int, line.split()[1:]), strict=True))
        elif line.startswith("calls="):
            inclusive = True
        elif re.match(r"\d", line):
            if not inclusive:
                totals.update(dict(zip(events, map(int, line.split()[1:]), strict=True)))
            inclusive = False
    assert dict(totals) == summary, f"{path.name}: lines add up to {dict(totals)}, the summary says {summary}"
    return summary


def prometheus(path):
    families = {"hexec_instruction_seconds_total": "time", "hexec_warp_instructions_total": "issues",
                "hexec_thread_instructions_total": "lanes", "hexec_loaded_bytes_total": "loaded",
                "hexec_stored_bytes_total": "stored", "hexec_floating_point_operations_total": "flops"}
    totals = dict.fromkeys(FIGURES, 0)
    for line in path.read_text().splitlines():
        found = re.match(r"(\w+)\{.*\} (\S+)$", line)
        if found and found[1] in families:
            whole, _, fraction = found[2].partition(".")
            totals[families[found[1]]] += int(whole + fraction) # nanoseconds have nine digits
    return totals


def otlp(path):
    names = {"hexec.instruction.time": "time", "hexec.warp.instructions": "issues", "hexec.thread.instructions": "lanes",
             "hexec.loaded": "loaded", "hexec.stored": "stored", "hexec.flops": "flops"}
    totals = dict.fromkeys(FIGURES, 0)
    for line in path.read_text().splitlines():
        for resource in json.loads(line)["resourceMetrics"]:
            for scope in resource["scopeMetrics"]:
                for metric in scope["metrics"]:
                    for point in metric["sum"]["dataPoints"]:
                        assert isinstance(point["asInt"], str)
                        totals[names[metric["name"]]] += int(point["asInt"])
    return totals


def document(text):
    metrics = {"issues": "issues", "lanes": "lanes", "loaded": "bytes_loaded", "stored": "bytes_stored", "flops": "flops"}
    kernels = json.loads(text)["kernels"]
    return {figure: sum(one["metrics"][name] for kernel in kernels for one in kernel["instructions"])
            for figure, name in metrics.items()}


def check(hexec, program, work):
    options = [f"--flamegraph={figure}:{work}/{figure}.folded" for figure in FIGURES]
    options += [f"--flamegraph={work}/all.speedscope.json", f"--callgrind={work}/callgrind.out", f"--otlp={work}/otlp.jsonl",
                f"--metrics=prometheus:{work}/metrics.prom", f"--metrics=openmetrics:{work}/metrics.txt"]
    with_pprof = subprocess.run([hexec, "run", program, "--quiet", f"--pprof={work}/pprof.pb.gz"], capture_output=True, check=False)
    if with_pprof.returncode == 0:
        options.append(f"--pprof={work}/pprof.pb.gz")
    else: # a build without protobuf-c says so
        assert b"HX1981" in with_pprof.stderr and b"protobuf-c" in with_pprof.stderr, with_pprof.stderr
    said = subprocess.run([hexec, "profile", program, "--json", *options], capture_output=True, check=True).stdout
    exports = {"folded": {figure: folded(work / f"{figure}.folded") for figure in FIGURES},
               "speedscope": speedscope(work / "all.speedscope.json"), "callgrind": callgrind(work / "callgrind.out"),
               "prometheus": prometheus(work / "metrics.prom"), "openmetrics": prometheus(work / "metrics.txt"),
               "otlp": otlp(work / "otlp.metrics.jsonl")}
    if with_pprof.returncode == 0:
        exports["pprof"] = pprof(work / "pprof.pb.gz")
    expected = {**exports["folded"], **document(said)}
    assert expected["lanes"] > 0 and expected["issues"] > 0, "the program did nothing"
    wrong = [f"{name}: {figure} is {totals[figure]}, not {expected[figure]}" for name, totals in exports.items()
             for figure in FIGURES if totals[figure] != expected[figure]]
    assert not wrong, "\n".join(wrong)


failed = 0
for program in sys.argv[2:]:
    with tempfile.TemporaryDirectory(prefix="hexec-agree-") as folder:
        try:
            check(sys.argv[1], program, pathlib.Path(folder))
        except (AssertionError, ValueError, KeyError, subprocess.CalledProcessError) as error:
            failed += 1
            print(f"{program}: {type(error).__name__}: {error}\n{getattr(error, 'stderr', b'')}")
sys.exit(1 if failed or len(sys.argv) < 3 else 0)
