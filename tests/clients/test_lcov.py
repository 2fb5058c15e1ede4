#!/usr/bin/env python3
"""genhtml takes the coverage of a program and of the instruction set, and colours lines and branches of both."""
import re

from clients import HEXEC, ROOT, expect, folder, must_refuse, run, tool

genhtml, lcov = tool("genhtml", "lcov"), tool("lcov", "lcov")
with folder() as work:
    files = []
    for name in ("collatz", "multi_kernel"):
        files.append(work / f"{name}.lcov")
        run(HEXEC, "run", f"programs/{name}.yaml", "--isa", "isa/hexec.yaml", "--quiet", f"--coverage={files[-1]}")
    pages = work / "pages"
    said = run(genhtml, "--branch-coverage", files[0], "-o", pages).stdout
    expect(re.search(r"lines\.+: +\d+\.\d% \(\d+ of \d+ lines\)", said), said)
    page = next(pages.rglob("collatz.yaml.gcov.html")).read_text()
    expect('class="lineCov"' in page and "class=\"branchCov\"" in page, "no coloured line or branch of the program")
    page = next(pages.rglob("hexec.yaml.gcov.html")).read_text()
    expect('class="lineCov"' in page and 'class="lineNoCov"' in page, "no coloured opcodes of the instruction set")

    # lcov adds runs up: of the instruction set, both programs' opcodes are covered then
    sums = []
    both = work / "both.lcov"
    run(lcov, "-a", files[0], "-a", files[1], "-o", both)
    for file in (*files, both):
        record = re.search(r"SF:[^\n]*/isa/hexec\.yaml\n.*?end_of_record", file.read_text(), re.DOTALL)[0]
        sums.append(sum(int(count) for count in re.findall(r"^DA:\d+,(\d+)", record, re.MULTILINE)))
    expect(sums[0] + sums[1] == sums[2], f"the warp issues of two runs do not add up: {sums}")

    broken = work / "broken.lcov"
    broken.write_text(files[0].read_text().replace(str(ROOT / "programs/collatz.yaml"), "/nowhere/collatz.yaml"))
    must_refuse("a source that is not there", genhtml, broken, "-o", work / "broken")
