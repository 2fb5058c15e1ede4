#!/usr/bin/env python3
"""Perfetto's trace processor reads both formats, finds nothing wrong, and counts what hexec counted; blocks, gangs and
instructions nest; merged traces stand on one clock; and of an overlapping or damaged trace it says that something is wrong."""
import json
import os
import pathlib

from clients import HEXEC, expect, folder, node, npm, run
import traces

WRONG = "select name, value from stats where severity != 'info' and value > 0"
SUMS = "select count(*) as n, sum(dur) as ns from slice where dur > 0"
SLICES = ("select s.name as name, count(*) as n, sum(s.dur) as ns from slice s where s.category = 'hexec::performance' "
          "group by s.name order by s.name")
PARENTS = ("select distinct p.name as parent from slice s left join slice p on s.parent_id = p.id "
           "join thread_track t on s.track_id = t.id where s.name = '{}' order by 1")
TRACKS = "select distinct name from thread where tid > 0 and name is not null order by name"
CURVES = ("select t.name as name, max(value) as most from counter c join track t on c.track_id = t.id group by t.name "
          "order by t.name")


def ask(path, *queries):
    return [json.loads(line) for line in node("perfetto.js", path, *queries).stdout.splitlines()]


def check_file(path, document):
    wrong, slices, tracks, curves, *parents = ask(
        path, WRONG, SLICES, TRACKS, CURVES,
        *(PARENTS.format(name) for name in ("cpu_ldg", "gang", "block", "cpu_execute_program", "launch", "fill")))
    expect(not wrong, f"{path.name}: stats: {wrong}")
    known = traces.totals(document)
    for row in slices:
        traces.check_same(f"{path.name}: {row['name']}", (row["n"], row["ns"]),
                          (known[row["name"]]["count"], known[row["name"]]["duration_ns"]))
    traces.check_same("names", {row["name"] for row in slices}, set(known))
    names = [[row["parent"] for row in rows] for rows in parents]
    traces.check_same("nesting", names, [["gang"], ["block"], ["add_all", "add_parts", "double"], ["launch"], ["hexec"],
                                         ["hexec"]])
    expect([row["name"] for row in tracks] == ["main", "worker 0"], f"tracks are {tracks}")
    most = {row["name"]: row["most"] for row in curves}
    loads = sum(known[name].get("bytes", 0) for name in ("cpu_ldg", "cpu_lds"))
    traces.check_same("bytes loaded", most["bytes loaded"], loads)
    expect(most["active, worker 0 lanes"] == 256, f"lanes: {most}")


def check_merged(work):
    """Two runs, one after the other, as parts of one trace."""
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    parts = [work / "first.json", work / "second.json.gz"]
    for part in parts:
        run(HEXEC, traces.PROGRAM, "--quiet", f"--trace=chrome:{part}", env={**os.environ, "TRACEPARENT": parent})
    both = work / "both.json"
    run(HEXEC, "trace", "merge", *parts, "-o", both)
    wrong, processes, order = ask(
        both, WRONG, "select count(distinct upid) as n from process where name like 'hexec%'",
        "select s.ts as ts, s.dur as dur from slice s where s.name = 'hexec' order by s.ts")
    expect(not wrong, f"merged: stats: {wrong}")
    expect(processes == [{"n": 2}], f"processes: {processes}")
    expect(order[0]["ts"] + order[0]["dur"] <= order[1]["ts"], f"the second run does not come after the first: {order}")
    about = json.loads(both.read_text())["otherData"]["processes"]
    for one in about:
        traces.check_same("trace id", (one["trace_id"], one["parent_span_id"]), (parent[3:35], parent[36:52]))
    expect(about[0]["root_span_id"] != about[1]["root_span_id"], "two root spans with one id")


def check_sampled(work):
    """Too small a budget: whole blocks are left out, the totals are all there."""
    files, document = traces.write(work, "--workers=1", "--trace-budget=64KiB", "--grid=400", program="programs/vector_add.yaml")
    about = document["otherData"]
    expect(about["groups_kept_one_in"] > 1, f"nothing was left out: {about}")
    expect(files["chrome"].stat().st_size < 2 * 65536, f"{files['chrome'].stat().st_size} bytes")
    for path in (files["chrome"], files["perfetto"]):
        wrong, parents, blocks, about_file = ask(
            path, WRONG, PARENTS.format("cpu_ldg"), "select count(*) as n from slice where name = 'block'",
            "select count(*) as n from slice where name = 'about'")
        expect(not wrong, f"sampled {path.name}: stats: {wrong}")
        traces.check_same("parents", parents, [{"parent": "gang"}])
        expect(0 < blocks[0]["n"] < 400, f"{blocks} blocks")
        expect(path.suffix == ".json" or about_file[0]["n"] > 0, "the file does not say how it came to be")
    traces.check_same("blocks in the totals", traces.totals(document)["block"]["count"], 400)


npm()
with folder() as work:
    files, document = traces.write(work, "--workers=1")
    check_file(files["chrome"], document)
    check_file(files["perfetto"], document)
    check_merged(work)
    check_sampled(work)
    files, document = traces.write(work, "--workers=1")
    broken = work / "broken.json"
    traces.break_overlapping(document, broken)
    expect(ask(broken, WRONG)[0], "overlapping spans are fine for the trace processor")
    whole = files["perfetto"].read_bytes()
    cut = pathlib.Path(work, "cut.perfetto-trace")
    cut.write_bytes(whole[:len(whole) // 2] + b"\xff" * 100)
    refused = node("perfetto.js", cut, WRONG, check=False)
    expect(refused.returncode != 0 or json.loads(refused.stdout.splitlines()[0]), "a damaged file is fine for the trace processor")
