#!/usr/bin/env python3
"""Traces of runs that end badly, on disks that are full, and that are far too long: each file is there in full or not at
all, what is left out is reported, and the same run leaves out the same."""
import collections
import json
import resource
import signal
import subprocess
import time

from clients import HEXEC, LIMIT, ROOT, expect, folder, run
import traces

FAULT = """
program: fault
launch: {grid: [4], block: [32]}
buffers: [{name: y, type: u32, count: 64, access: write}]
code: |
    mov.u32 r1, %ctaid.x
    mov.u32 r2, %ntid.x
    mov.u32 r3, %tid.x
    mad.u32 r1, r1, r2, r3
    stg.u32 [$y + r1*4], r1
    exit
"""


def left(work):
    """Temporary files that nobody removed."""
    return [path.name for path in work.iterdir() if path.name.startswith(".hexec-")]


def check_fault(work):
    program, path = work / "fault.yaml", work / "fault.json"
    program.write_text(FAULT)
    result = run(HEXEC, program, "--quiet", "--workers=1", f"--trace=chrome:{path}", check=False)
    traces.check_same("exit code of a fault", result.returncode, 3)
    document = json.loads(path.read_text())
    stores = [event for event in traces.spans(document) if event["name"] == "block"]
    expect(len(stores) == 3, f"{len(stores)} blocks, two that ended and one that faulted")


def check_interrupt(work):
    path = work / "interrupted.json"
    with subprocess.Popen([HEXEC, "programs/mandelbrot.yaml", "--quiet", "--repeat=1000000", "--trace-budget=1MiB",
                           f"--trace=chrome:{path}"], cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=LIMIT)
    traces.check_same("exit code of Ctrl-C", process.returncode, 4)
    expect("interrupted" in said, said)
    expect(traces.spans(json.loads(path.read_text())), "nothing is in the file")


def check_full_disk(work):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    for kind in ("chrome", "perfetto", "firefox"):
        path = work / f"full.{kind}"
        path.write_text("what was there before")
        result = subprocess.run([HEXEC, traces.PROGRAM, "--quiet", f"--trace={kind}:{path}"], cwd=ROOT, preexec_fn=limit,
                                capture_output=True, text=True, timeout=LIMIT, check=False)
        traces.check_same(f"{kind}: exit code on a full disk", result.returncode, 5)
        expect(str(path) in result.stderr, f"{kind}: the message does not name the file: {result.stderr}")
        traces.check_same("the file", path.read_text(), "what was there before")
    result = run(HEXEC, traces.PROGRAM, "--quiet", "--trace=chrome:/dev/full", check=False)
    traces.check_same("exit code for /dev/full", result.returncode, 5)
    expect(not left(work), f"left behind: {left(work)}")


def shown(document):
    return collections.Counter((event["name"], event["args"].get("block")) for event in traces.spans(document))


def check_sampling(work):
    """The same blocks are kept whatever the threads do; no block without its gangs, no gang without its instructions."""
    kept = []
    for workers in (1, 2, 2):
        path = work / f"sampled{len(kept)}.json"
        run(HEXEC, "programs/vector_add.yaml", "--quiet", "--grid=500", f"--workers={workers}", "--trace-budget=100KiB",
            f"--trace=chrome:{path}")
        document = json.loads(path.read_text())
        one_in = document["otherData"]["groups_kept_one_in"]
        expect(one_in > 1, "nothing was left out")
        blocks = {event["args"]["block"] for event in traces.spans(document) if event["name"] == "block"}
        traces.check_same("blocks", blocks, set(range(0, 500, one_in)))
        names = shown(document)
        kept.append({key: count for key, count in names.items() if key[1] is not None})
    traces.check_same("with one worker and with two", kept[0], kept[1])
    traces.check_same("with two workers twice", kept[1], kept[2])


def check_many(work):
    """Ten million spans: all are counted, and the file stays small."""
    path, budget = work / "many.json", 4 << 20
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    run(HEXEC, "programs/mandelbrot.yaml", "--quiet", "--repeat=850", f"--trace-budget={budget}", f"--trace=chrome:{path}")
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    document = json.loads(path.read_text())
    about, totals = document["otherData"], traces.totals(document)
    counted = sum(total["count"] for total in about["totals"])
    expect(counted > 10_000_000, f"{counted} records")
    traces.check_same("dropped", about["records_dropped"], 0)
    expect(path.stat().st_size < 1.5 * budget, f"{path.stat().st_size} bytes")
    traces.check_same("blocks", totals["block"]["count"], 850 * 12)
    traces.check_same("instructions, run after run", totals["cpu_setp"]["count"] % 850, 0)
    expect(memory < max(before, 100 << 10), f"{memory} KiB of memory")


with folder() as work:
    check_fault(work)
    check_interrupt(work)
    check_full_disk(work)
    check_sampling(work)
    check_many(work)
