#!/usr/bin/env python3
"""usage: app_ends.py HEXEC traced|untraced PROGRAM...

The reports of hexec app are complete however a program ends: each PROGRAM (opencl_end, cuda_end) launches `count` three times and
ends as its argument says."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

HEXEC, IS_TRACED, PROGRAMS = sys.argv[1], sys.argv[2] == "traced", sys.argv[3:]
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # the programs release nothing
# of `count`, with the exit code of hexec app
ENDS = {"return": (3, 3), "_exit": (3, 4), "quick_exit": (3, 5), "abort": (3, 128 + signal.SIGABRT),
        "kill": (3, 128 + signal.SIGKILL), "terminate": (3, 128 + signal.SIGTERM), "callback": (4, 6), "fork": (4, 0)}
folder = pathlib.Path(tempfile.mkdtemp())
output = folder / "report.json"
trace = folder / "trace.json"


def run(program, how, *options):
    output.unlink(missing_ok=True)
    done = subprocess.run([HEXEC, "app", "--json", "-o", output, *options, "--", program, how], capture_output=True, text=True,
                          timeout=60)
    assert "Sanitizer: " not in done.stderr and "runtime error" not in done.stderr, done.stderr
    assert output.exists(), f"{program} {how}: no report\n{done.stderr}"
    return done.returncode, json.loads(output.read_text(encoding="utf-8"))


def kernels(report):
    return {kernel["name"]: kernel for kernel in report["kernels"]}


def check_profile(profile, launches):
    """Counts of a profile are those of the table, and its lines are those of the kernel's source."""
    kernel, = [kernel for kernel in profile["kernels"] if kernel["name"] == "count"]
    assert kernel["launches"] == launches, kernel["launches"]
    source, = [source for source in profile["source"] if source["file"] == kernel["file"]]
    assert kernel["lines"] and all(1 <= line["line"] <= len(source["lines"]) for line in kernel["lines"]), kernel["lines"]
    lanes = sum(line["metrics"]["lanes"] for line in kernel["lines"])
    assert kernel["metrics"]["lanes"] == lanes > 0, lanes
    return lanes


def findings(report):
    return {found["kind"]: found["count"] for check in report["checks"] for found in check["findings"]}


def check_trace(events):
    spans = [event for event in events if event["ph"] == "X"]
    launched = [span for span in spans if span["name"] == "count"]
    assert len(launched) == 3 and all(span["args"]["threads"] == 64 for span in launched), launched
    called = [span for span in spans if span["name"] in ("clEnqueueNDRangeKernel", "cuLaunchKernel")]
    assert len(called) == 4, called
    first = min(called, key=lambda span: span["ts"])
    assert all(span["ts"] >= first["ts"] for span in launched), "a kernel runs before it is launched"


for program in PROGRAMS:
    for how, (launches, code) in ENDS.items():
        got, report = run(program, how)
        assert got == code, f"{program} {how}: exit code {got}, not {code}"
        assert report["processes"] == 1
        count = kernels(report)["count"]
        assert count["launches"] == launches and count["threads"] == 64 * launches and count["failed"] == 0, f"{how}: {count}"
    # a profile, and a page, however it ends
    page = folder / "page.html"
    for how in ("return", "abort", "kill", "callback"):
        page.unlink(missing_ok=True)
        got, report = run(program, how, "--profile", "--report", page)
        assert got == ENDS[how][1], got
        lanes = check_profile(report["profiles"][0], ENDS[how][0])
        assert lanes == kernels(report)["count"]["thread_instructions"], f"{program} {how}: {lanes} of {kernels(report)['count']}"
        assert "count" in page.read_text(encoding="utf-8")
    got, report = run(program, "wrong", "--profile", "--check", "memory,init")
    assert findings(report) == {"memory.out_of_range": 64} and check_profile(report["profiles"][0], 3)
    done = subprocess.run([HEXEC, "app", "--profile", "--by", "line", "--", program, "return"], capture_output=True, text=True, check=False)
    assert done.returncode == 3 and "kernel   count, 3 launches" in done.stderr, done
    # findings, and a trace, of a program that is killed
    got, report = run(program, "wrong", "--check", "memory,init", *([f"--trace=chrome:{trace}"] if IS_TRACED else []))
    assert got == 128 + signal.SIGKILL and findings(report) == {"memory.out_of_range": 64}, report
    if IS_TRACED:
        check_trace(json.loads(trace.read_text(encoding="utf-8"))["traceEvents"])
    # what nobody wrote, and the host reads
    got, report = run(program, "unwritten", "--check", "init")
    assert got == 1 and list(findings(report)) == ["init.store"], report
    # the same, known: the program finds the file wherever it is
    (folder / "known.yaml").write_text("suppressions:\n  - {kind: init.store, reason: padding, expires: 2099-01-01}\n", encoding="utf-8")
    got, report = run(program, "unwritten", "--check", "init", "--suppressions", os.path.relpath(folder / "known.yaml"))
    assert got == 0 and findings(report) == {} and sum(check["suppressed"] for check in report["checks"]) > 0, report
    got, report = run(program, "return", "--check", "all")
    assert got == 3 and findings(report) == {}, report
    # a list that is wrong is said once, before the program runs
    done = subprocess.run([HEXEC, "app", "--check", "memry", "--", program, "return"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "memry" in done.stderr, done
    (folder / "known.yaml").write_text("suppressions:\n  - {kind: init.stor}\n", encoding="utf-8")
    done = subprocess.run([HEXEC, "app", "--check", "all", "--suppressions", folder / "known.yaml", "--", program, "return"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "init.stor" in done.stderr, done

# a launch that has not ended is said, too; warnings are no errors, unless that is wanted
if "opencl_end" in PROGRAMS[0]:
    got, report = run(PROGRAMS[0], "same", "--check", "race")
    assert got == 0 and findings(report) == {"race.same_value": 63}, report
    got, report = run(PROGRAMS[0], "same", "--check", "race", "--strict")
    assert got == 1 and findings(report) == {"race.same_value": 63}, report
    got, report = run(PROGRAMS[0], "stop")
    assert got == 128 + signal.SIGKILL and kernels(report).get("spin", {"not_ended": 1})["not_ended"] == 1, report

# without a launch there is no profile, which is said
done = subprocess.run([HEXEC, "app", "--report", folder / "none.html", "--", "true"], capture_output=True, text=True, check=False)
assert done.returncode == 0 and "the program launched no kernel" in done.stderr and not (folder / "none.html").exists(), done

# several processes are one report
script = " & ".join(f"'{program}' return" for program in PROGRAMS * 2) + " & wait"
done = subprocess.run([HEXEC, "app", "--json", "-o", output, "--", "sh", "-c", script], check=False, timeout=60)
report = json.loads(output.read_text(encoding="utf-8"))
assert done.returncode == 0 and report["processes"] == 2 * len(PROGRAMS), report
assert kernels(report)["count"]["launches"] == 6 * len(PROGRAMS), report
done = subprocess.run([HEXEC, "app", "--json", "--profile", "-o", output, "--", "sh", "-c", script], check=False, timeout=60)
report = json.loads(output.read_text(encoding="utf-8"))
assert done.returncode == 0 and len(report["profiles"]) == 2 * len(PROGRAMS), report["profiles"]
assert all(check_profile(profile, 3) for profile in report["profiles"])
print("all as it should be")
