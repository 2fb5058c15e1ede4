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
# on which track each instruction and each turn stands, and of which warp it says that it is
PLACES = ("select coalesce(h.name, t.name) as track, s.name != 'gang' as is_issue, "
          "extract_arg(s.arg_set_id, '{0}.block') as block, extract_arg(s.arg_set_id, '{0}.warp') as warp, count(*) as n, "
          "sum(p.name = 'gang') as inside from slice s join track t on s.track_id = t.id left join thread_track u on u.id = t.id "
          "left join thread h using (utid) left join slice p on s.parent_id = p.id "
          "where s.name = 'gang' or (s.name like 'cpu_%' and s.name != 'cpu_execute_program') group by 1, 2, 3, 4")
# spans that begin before the one before them on their track and at their depth has ended
OVERLAPS = ("select count(*) as n from (select ts + dur as e, lead(ts) over (partition by track_id, depth order by ts) as next "
            "from slice where dur >= 0) where next < e")
GROUPS = ("select count(distinct p.name) as n from process p where p.name like '%: block %'",
          "select count(distinct p.id) as n from track p join track t on t.parent_id = p.id where p.name like 'block %'")
CURVES = ("select t.name as name, max(value) as most from counter c join track t on c.track_id = t.id group by t.name "
          "order by t.name")


def ask(path, *queries):
    return [json.loads(line) for line in node("perfetto.js", path, *queries).stdout.splitlines()]


def check_file(path, document):
    wrong, slices, tracks, curves, *parents = ask(
        path, WRONG, SLICES, TRACKS, CURVES,
        *(PARENTS.format(name) for name in ("cpu_ldg", "gang", "block", "cpu_execute_program", "launch double", "fill")))
    expect(not wrong, f"{path.name}: stats: {wrong}")
    known = traces.totals(document)
    for row in slices:
        traces.check_same(f"{path.name}: {row['name']}", (row["n"], row["ns"]),
                          (known[row["name"]]["count"], known[row["name"]]["duration_ns"]))
    traces.check_same("names", {row["name"] for row in slices}, set(known))
    names = [[row["parent"] for row in rows] for rows in parents]
    traces.check_same("nesting", names, [["gang"], ["block"], ["add_all", "add_parts", "double"],
                                         ["launch add_all", "launch add_parts", "launch double"], ["hexec"],
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
        expect(path.suffix == ".json" or about_file[0]["n"] > 0, "the file does not say how it was made")
    traces.check_same("blocks in the totals", traces.totals(document)["block"]["count"], 400)


def check_placed(path, rows, warps):
    """Each instruction on the track of its warp, within a turn of it, and each warp with a track."""
    for row in rows:
        traces.check_same(f"{path.name}: track", row["track"], f"block {row['block']} warp {row['warp']}")
        expect(not row["is_issue"] or row["inside"] == row["n"], f"{path.name}: instructions outside of turns: {row}")
    traces.check_same(f"{path.name}: tracks", len({row["track"] for row in rows}), warps)


def check_warps(work):
    """A track for each warp; workers keep their blocks; nothing overlaps, and the totals are those of all formats."""
    files, document = traces.write(work, "--workers=2", "--trace-tracks=warps", "--grid=6", program="programs/vector_add.yaml")
    known = traces.totals(document)
    for path, arguments, groups in ((files["chrome"], "args", GROUPS[0]), (files["perfetto"], "debug", GROUPS[1])):
        wrong, rows, overlaps, slices, grouped, blocks = ask(
            path, WRONG, PLACES.format(arguments), OVERLAPS, SLICES, groups, PARENTS.format("block"))
        expect(not wrong, f"warps, {path.name}: stats: {wrong}")
        check_placed(path, rows, 6 * 256 // 32)
        traces.check_same("overlaps", overlaps, [{"n": 0}])
        traces.check_same("blocks that are groups", grouped, [{"n": 6}])
        traces.check_same("what is around blocks", blocks, [{"parent": "vector_add"}])
        for row in slices:
            traces.check_same(f"{path.name}: {row['name']}", (row["n"], row["ns"]),
                              (known[row["name"]]["count"], known[row["name"]]["duration_ns"]))
    profile = json.loads(files["firefox"].read_text())
    traces.check_same("threads", sum(" warp " in thread["name"] for thread in profile["threads"]), 48)
    for name, total in known.items():
        markers = sum(thread["markers"]["name"].count(thread["stringArray"].index(name)) for thread in profile["threads"]
                      if name in thread["stringArray"])
        traces.check_same(f"markers of {name}", markers, total["count"])
    # two warps that ran at the same time on one track, as if it were one warp's
    warps = {event["tid"]: event for event in traces.spans(document) if event["name"] == "gang"}
    first = next(iter(warps.values()))
    for event in traces.spans(document):
        if event["args"].get("block") is not None and event["pid"] >= first["pid"]:
            event.update(pid=first["pid"], tid=first["tid"])
    broken = work / "broken-warps.json"
    broken.write_text(json.dumps(document))
    rows, = ask(broken, PLACES.format("args"))
    expect(any(row["track"] != f"block {row['block']} warp {row['warp']}" for row in rows), "instructions of others are no matter")


npm()
with folder() as work:
    files, document = traces.write(work, "--workers=1")
    check_file(files["chrome"], document)
    check_file(files["perfetto"], document)
    check_merged(work)
    check_sampled(work)
    check_warps(work)
    files, document = traces.write(work, "--workers=1")
    broken = work / "broken.json"
    traces.break_overlapping(document, broken)
    expect(ask(broken, WRONG)[0], "overlapping spans are fine for the trace processor")
    whole = files["perfetto"].read_bytes()
    cut = pathlib.Path(work, "cut.perfetto-trace")
    cut.write_bytes(whole[:len(whole) // 2] + b"\xff" * 100)
    refused = node("perfetto.js", cut, WRONG, check=False)
    expect(refused.returncode != 0 or json.loads(refused.stdout.splitlines()[0]), "a damaged file is fine for the trace processor")
