#!/usr/bin/env python3
"""Small programs, each with exactly the findings that it is marked with.

    run.py --hexec HEXEC [--programs] [--by-turns] FOLDER [NAME ...]

A program of tests/check/CHECKER is run with `--check CHECKER`, in gangs of several widths and with one worker and two; with --by-turns each program in one of these ways.
What must be found is in comments of its lines:

    ... # expect KIND xCOUNT [also -2 +4]   a finding whose first place is this line, and the others two lines above and
                                            four below; there may be several
    ... # expect KIND x* [also +3]          the same, however often: of races, that is a matter of the order
    ... # expect-kinds KIND                 one of that kind, wherever it is and how often

    ... # decides ROLE FORM xCOUNT from -3  so many threads are decided here (branch, address, barrier) by the result that a
                                            GPU may give otherwise of the instruction three lines above

In the folder `fidelity` decisions must be those that are marked. A file without such a comment must be clean. `// run OPTIONS` in a file of OpenCL C, CUDA C or PTX says how it is launched,
`# check NAME` that another check is meant. With --programs the files of FOLDER are programs that must be clean under
--check all and meet what they expect. NAMEs are files of the folder, without their endings; else all are run.
"""
import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

WAYS = [("1", "1"), ("32", "2"), ("64", "1"), ("256", "2")]  # gang, workers
SLOW = ("init", "race")  # these have more programs than others, and leave the first out
WARNINGS = ("race.same_value",)  # the exit code is 0 with these alone
TIME_LIMIT = 300


def read_marks(path):
    """(findings as (kind, lines, count), kinds, options, check); count 0: any"""
    findings, kinds, options, check = [], [], [], path.parent.name
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := re.search(r"^// run (.*)", line):
            options = shlex.split(match[1])
        if match := re.search(r"^# check (\S+)", line):
            check = match[1]
        if match := re.search(r"(?:#|//) expect-kinds (\S+)", line):
            kinds.append(match[1])
        line = re.sub(r"decides .*", "", line)
        for kind, count, also in re.findall(r"(\w+\.\w+) x(\d+|\*)((?: also(?: [+-]\d+)+)?)", line):
            others = [number + int(word) for word in also.split()[1:]]
            findings.append((kind, [number] + others, 0 if count == "*" else int(count)))
    return sorted(findings), sorted(kinds), options, check


def found_by(document):
    """In the form of read_marks; only as many places as marks have lines are compared."""
    return sorted((one["kind"], [place["line"] for place in one["places"]], one["count"])
                  for one in document["check"]["findings"])


def read_decisions(path):
    """(role, form, line of the result, line of the decision, count)"""
    return sorted((role, form, number + int(above), number, int(count))
                  for number, line in enumerate(path.read_text().splitlines(), 1)
                  for role, form, count, above in re.findall(r"decides (\w+) (\S+) x(\d+) from (-?\d+)", line))


def decided_by(document):
    return sorted((one["decides"], one["form"], one["from"]["line"], one["at"]["line"], one["count"])
                  for one in document["check"]["decisions"])


def run(hexec, path, *options):
    return subprocess.run([hexec, "run", str(path), *options, "--json"], capture_output=True, text=True,
                          timeout=TIME_LIMIT, check=False)


def compare(found, findings, kinds):
    if kinds:
        return sorted(one[0] for one in found) == kinds
    if findings and findings[0][2] == 0:  # pairs of accesses, in any order, once
        pairs = [{(kind, *sorted(lines)) for kind, lines, _ in some} for some in (found, findings)]
        return pairs[0] == pairs[1]
    if len(found) != len(findings):
        return False
    return all(a[0] == b[0] and a[1][:len(b[1])] == b[1] and a[2] == b[2] for a, b in zip(found, findings))


def check_marked(hexec, path, ways):
    findings, kinds, options, check = read_marks(path)
    problems = []
    for gang, workers in ways:
        done = run(hexec, path, *options, "--check", check, "--gang", gang, "--workers", workers)
        way = f"{path.name}, gang {gang}, {workers} workers"
        try:
            document = json.loads(done.stdout)
            found, decided = found_by(document), decided_by(document)
        except (ValueError, KeyError):
            problems.append(f"{way}: no document; {done.stderr.strip()[:300]}")
            continue
        if not compare(found, findings, kinds):
            problems.append(f"{way}: found {found}, not {findings or kinds}")
        if path.parent.name == "fidelity" and decided != read_decisions(path):
            problems.append(f"{way}: decided {decided}, not {read_decisions(path)}")
        wanted = int(any(one[0] not in WARNINGS for one in findings) or any(kind not in WARNINGS for kind in kinds))
        if done.returncode != wanted:
            problems.append(f"{way}: exit code {done.returncode}, not {wanted}")
    return problems


def check_clean(hexec, path):
    done = run(hexec, path, "--check", "all", "--strict", "--verify")
    if done.returncode == 0:
        return []
    try:
        found = found_by(json.loads(done.stdout))
    except (ValueError, KeyError):
        found = "no document"
    return [f"{path.name}: exit code {done.returncode}, {found}; {done.stderr.strip()[:300]}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hexec", required=True)
    parser.add_argument("--programs", action="store_true")
    parser.add_argument("--by-turns", action="store_true")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    paths = sorted(path for path in options.folder.iterdir()
                   if (path.suffix == ".yaml" or (not options.programs and path.suffix in (".cl", ".ocl", ".cu", ".ptx")))
                   and (not options.names or path.stem in options.names))
    if not (shutil.which("clang-14") or shutil.which("clang")):
        print("note: programs in OpenCL C and CUDA C are left out: there is no clang")
        paths = [path for path in paths if path.suffix in (".yaml", ".ptx") and path.parent.name not in ("opencl", "cuda")]
    # what clang makes of the programs is the same for all builds, and more than one cache for all of them would keep
    os.environ.setdefault("HEXEC_CACHE", str(Path(options.hexec).absolute().parent.parent / "cache" / options.folder.name))
    problems = []
    for number, path in enumerate(paths):
        ways = WAYS[path.parent.name in SLOW:]
        if options.by_turns:
            ways = [ways[number % len(ways)]]
        problems += check_clean(options.hexec, path) if options.programs else check_marked(options.hexec, path, ways)
    for problem in problems:
        print(problem)
    print(f"{len(paths)} programs, {len(problems)} wrong")
    return 1 if problems or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
