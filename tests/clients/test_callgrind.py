#!/usr/bin/env python3
"""callgrind_annotate prints the kernel's YAML lines with their costs, and its calls."""
import re

from clients import HEXEC, expect, folder, must_refuse, run, tool

annotate = tool("callgrind_annotate", "valgrind")
with folder() as work:
    profile = work / "callgrind.out.hexec"
    run(HEXEC, "run", "programs/call_ret.yaml", "--quiet", f"--callgrind={profile}")
    text = run(annotate, "--show-percs=no", "--show=WarpInstr,ThreadInstr,Stored", "--sort=WarpInstr", profile).stdout
    expect(re.search(r"^\s*224\s+4,088\s+512\s+PROGRAM TOTALS$", text, re.MULTILINE), text)
    expect(re.search(r"^\s*4\s+128\s+0\s+mul.u32\s+r2, r1, r1$", text, re.MULTILINE), text)
    expect(re.search(r"^\s*20\s+640\s+0\s+=> \S*call_ret.yaml:call_ret.two_squares \(64x\)$", text, re.MULTILINE), text)
    expect(re.search(r"^\s*2\s+64\s+256\s+stg.u32\s+\[\$squares \+ r0\*4\], r2$", text, re.MULTILINE), text)
    inclusive = run(annotate, "--show-percs=no", "--inclusive=yes", "--show=WarpInstr", "--sort=WarpInstr", profile).stdout
    expect(re.search(r"^\s*224\s+\S*call_ret.yaml:call_ret\b", inclusive, re.MULTILINE), inclusive)

    broken = work / "callgrind.out.broken"
    broken.write_text(profile.read_text().replace("events:", "events of this file:"))
    must_refuse("a profile without events", annotate, broken)
    broken.write_text(re.sub(r"^41 ", "forty-one ", profile.read_text(), flags=re.MULTILINE))
    must_refuse("a position that is no line", annotate, broken, said="WARNING")
