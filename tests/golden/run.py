#!/usr/bin/env python3
"""Golden tests: command lines of hexec and what they print.

usage: tests/golden/run.py --hexec PROGRAM [--record] [GROUP/NAME...]

A test is a file GROUP/NAME.cmd: a few lines of shell, run in a scratch copy of its group's folder, with hexec in
the PATH and the repository's programs and isa beside. What it prints must be NAME.out and NAME.err, its exit code
NAME.exit; a file that is missing stands for nothing printed and exit code 0. --record writes these files anew.

What differs from run to run is replaced before the comparison, by PATTERNS and nothing else. A test also fails,
whatever the files say, when it ends by a signal, takes longer than LIMIT seconds, when a sanitizer speaks, or,
in the group `bad`, when it succeeds or when no error names a place and a code.
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT = 120  # seconds, generous for sanitizers on a busy machine
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# (what varies, what stands in its place)
PATTERNS = [
    # summary: durations, rates, workers
    (r"^time     [0-9.]+ \S+ on \d+(?: to \d+)? workers?, [0-9,]+ threads a second$", "time     <time> on <n> workers, <rate> threads a second"),
    (r"^time     [0-9.]+ \S+ on \d+(?: to \d+)? workers?$", "time     <time> on <n> workers"), # of a run that was stopped
    (r"^(tracing  )\d+ %", r"\1<share>"),
    (r"^before   [0-9.]+ \S+ to load, [0-9.]+ \S+ to prepare$", "before   <time> to load, <time> to prepare"),
    # JSON document of a run
    (r'("(?:duration|load|prepare)_ns":)\d+', r"\1<ns>"),
    (r'("threads_per_second":)\d+', r"\1<rate>"),
    (r'("workers(?:_least)?":)\d+', r"\1<n>"),
    # log lines: clock and durations
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", "<clock>"),
    (r'("duration_us":)[0-9.]+', r"\1<us>"),
    (r'("duration_ms":)[0-9.]+', r"\1<ms>"),
    (r"duration_us=[0-9.]+", "duration_us=<us>"),
    (r"duration_ms=[0-9.]+", "duration_ms=<ms>"),
    (r"duration_ns=[0-9.]+", "duration_ns=<ns>"),
    (r"(\w+_per_sec|gflops|bandwidth_\w+)=[0-9.e-]+", r"\1=<rate>"),
    # profiles: machine, times, and what is worked out of them
    (r"^machine  .*$", "machine  <machine>"),
    (r"^(  llvm  +)(?:yes|no): .*$", r"\1<found>: kernels as machine code"),  # LLVM 19 may be missing
    (r"^(passes   .*; ).*$", r"\1<n> workers, gangs of <n>"),
    (r"^( {9}(?:in the first launch; )?on )\d+(?: to \d+)? workers?, gangs of \d+(?: to \d+)?$", r"\1<n> workers, gangs of <n>"),
    (r"^(wall     ).*(, (?:median|of 1 plain).*)$", r"\1<time>\2"),
    (r"^certain  .*$", "certain  <how certain>"),
    (r"^(  (?:instructions|scheduling|instrumentation|off core|idle) ) *[0-9.]+ [num]?s +[0-9.]+ % [#.]+", r"\1<time> <share>"),
    (r"^  of [0-9.]+ [num]?s of all workers", "  of <time> of all workers"),
    (r"^(kernel   .* launch(?:es)?, )[0-9.]+ [num]?s$", r"\1<time>"),
    (r"^(  \w+) +\S.* measured.*$", r"\1 <measured>"),
    (r"^(  (?:time_|p50_|p99_)\w+) .* fewer than two issues were timed$", r"\1 <measured>"),
    (r"^ +(?:[0-9.]+ %|-) [#.]{6} ", "<share> "),
    (r"^(\S+) +(?:[0-9.]+ [num]?s +\d+ %|- +-)  .*[#.]{10}.*$", r"\1 <times>"),
    (r"^(\S+ +[0-9,]+ +[0-9,]+ +[0-9.]+ % +[0-9,]+) +(?:[0-9.]+|-) +([0-9,]+) +(?:[0-9.]+|-)$", r"\1 <rate> \2 <rate>"),
    (r"^(\d+ \S+ [0-9,]+) +[0-9.]+ [num]?s +\d+ % +([0-9,]+) .*$", r"\1 <time> \2 <rates>"),
    # what the doctor says of the build and the machine
    (r"^(  (?:hexec|handlers for|cpu|cpu level|cores|memory|data caches|huge pages|compiler|libclc|source|a reading|a span)  +)\S.*$", r"\1<machine>"),
    (r"hash [0-9a-f]{8}, \d+ entries", "hash <hash>, <n> entries"),
    # what a bound on time or a signal left undone
    (r"after [0-9.]+ (?:s|ms|us|seconds)\b", "after <time>"),
]
PATTERNS = [(re.compile(what, re.MULTILINE), instead) for what, instead in PATTERNS]
SANITIZERS = re.compile(r"(Address|Leak|Memory|Thread|UndefinedBehavior)Sanitizer|runtime error:")
# "file.yaml:3:7: error[HX1203]: ..." or "error[HX1853]: --grid: ...": a place, or the name of what is wrong, and a code
PLACE = re.compile(r"^(\S.*: )?(error\[HX\d{4}\]|note\[HX1007\]): \S", re.MULTILINE)


def normalise(data: bytes, scratch: str) -> str:
    text = data.decode("utf-8", "backslashreplace").replace(scratch, "<scratch>").replace(str(ROOT), "<root>")
    for pattern, instead in PATTERNS:
        text = pattern.sub(instead, text)
    return text


def environment(scratch: str, hexec: pathlib.Path) -> dict:
    """The caller's variables that change what hexec does stay outside."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("HEXEC_", "HOLOGRAM_", "RUST_LOG", "CUDA_", "TRACEPARENT", "NO_COLOR"))}
    kept.update(PATH=f"{hexec.parent}:{kept.get('PATH', '/usr/bin:/bin')}", LC_ALL="C.UTF-8", TMPDIR=scratch, TERM="xterm")
    return kept


def run(test: pathlib.Path, hexec: pathlib.Path):
    """Returns what was printed and the exit code, and what is wrong whatever the golden files say."""
    with tempfile.TemporaryDirectory(prefix="hexec-golden-") as scratch:
        work = pathlib.Path(scratch, "work")
        work.mkdir()
        for source in test.parent.iterdir():
            if source.suffix not in (".cmd", ".out", ".err", ".exit") and source.is_file():
                shutil.copy(source, work)
        (work / "programs").symlink_to(ROOT / "programs")
        (work / "isa").symlink_to(ROOT / "isa")
        wrong = []
        with subprocess.Popen(["sh", str(test)], cwd=work, env=environment(scratch, hexec), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
            try:
                out, err = process.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                out, err = process.communicate()
                wrong.append(f"ran longer than {LIMIT} seconds")
        code = process.returncode
        seen = {"out": normalise(out, str(work)), "err": normalise(err, str(work)), "exit": f"{code}\n" if code else ""}
        seen = {kind: text.replace(scratch, "<scratch>") for kind, text in seen.items()}
    if code < 0 or code >= 126:
        wrong.append(f"ended by a signal or was not found: exit code {code}")
    if SANITIZERS.search(seen["err"]):
        wrong.append("a sanitizer spoke:\n" + seen["err"])
    if test.parent.name == "bad" and not wrong:
        if code == 0:
            wrong.append("bad input was taken for good")
        if not PLACE.search(seen["err"]):
            wrong.append("no error with a place and a code:\n" + seen["err"])
    return seen, wrong


def check(test: pathlib.Path, hexec: pathlib.Path, record: bool) -> str:
    seen, wrong = run(test, hexec)
    for kind, text in seen.items():
        golden = test.with_suffix("." + kind)
        if record and text:
            golden.write_text(text, encoding="utf-8")
        elif record:
            golden.unlink(missing_ok=True)
        else:
            expected = golden.read_text(encoding="utf-8") if golden.exists() else ""
            if text != expected:
                wrong.append("".join(difflib.unified_diff(expected.splitlines(True), text.splitlines(True),
                                                          f"{golden.name} (expected)", f"{golden.name} (now)")))
    return "\n".join(wrong)


def main() -> int:
    parser = argparse.ArgumentParser(description="run the golden tests")
    parser.add_argument("--hexec", required=True, type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("tests", nargs="*", metavar="GROUP/NAME")
    arguments = parser.parse_args()
    hexec = arguments.hexec.resolve()
    tests = [HERE / f"{name}.cmd" for name in arguments.tests] or sorted(HERE.glob("*/*.cmd"))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(test, pool.submit(check, test, hexec, arguments.record)) for test in tests]
        for test, job in jobs:
            wrong = job.result()
            if wrong:
                failed += 1
                print(f"{test.relative_to(HERE).with_suffix('')}: FAILED\n{wrong}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
