"""What the tests of --trace share: a program that is traced into all kinds of files at once, and broken ones."""
import json

from clients import HEXEC, expect, run

PROGRAM = "programs/multi_kernel.yaml"


def write(work, *options, program=PROGRAM):
    """Traces a run; the paths of its files, and what the Chrome trace says of itself."""
    files = {"chrome": work / "trace.json", "perfetto": work / "trace.perfetto-trace", "firefox": work / "trace.firefox.json"}
    run(HEXEC, program, "--quiet", *options, *(f"--trace={kind}:{path}" for kind, path in files.items()))
    document = json.loads(files["chrome"].read_text())
    return files, document


def totals(document):
    """Of what is timed by instruction, gang, block and launch, curves apart."""
    return {total["name"]: total for total in document["otherData"]["totals"]
            if total["target"] == "hexec::performance" and total["name"] not in ("active", "bytes")}


def spans(document):
    return [event for event in document["traceEvents"] if event["ph"] == "X"]


def break_overlapping(document, path):
    """The first trap: complete events that overlap on a track."""
    instruction = next(event for event in spans(document) if event["name"] == "cpu_mov")
    document["traceEvents"].append({**instruction, "ts": instruction["ts"] + instruction["dur"] / 2,
                                    "dur": instruction["dur"] + 1000000})
    path.write_text(json.dumps(document))


def check_same(what, one, other):
    expect(one == other, f"{what}: {one} and {other}")
