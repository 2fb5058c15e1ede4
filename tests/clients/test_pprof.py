#!/usr/bin/env python3
"""`go tool pprof` reads what --pprof writes: functions, lines of the YAML file, labels, every figure."""
import re

from clients import HEXEC, expect, folder, must_refuse, run, skip, tool

go = tool("go", "golang-go")
with folder() as work:
    profile = work / "call_ret.pb.gz"
    made = run(HEXEC, "run", "programs/call_ret.yaml", "--quiet", f"--pprof={profile}", check=False)
    if "HX1981" in made.stderr:
        skip("hexec was built without protobuf-c")
    expect(made.returncode == 0, made.stderr)
    env = {"PPROF_TMPDIR": str(work), "HOME": str(work), "PATH": "/usr/bin:/bin"}

    top = run(go, "tool", "pprof", "-top", "-sample_index=issues", profile, env=env).stdout
    for function in ("call_ret", "call_ret.two_squares", "call_ret.square", "call_ret.factorial"):
        expect(re.search(rf"\s{re.escape(function)}$", top, re.MULTILINE), f"no {function} in\n{top}")
    # 64 threads are two warps: two square calls each of mul and ret, in two_squares of 6 instructions
    expect(re.search(r"^\s+8\s+\S+\s+\S+\s+8\s+\S+  call_ret.square$", top, re.MULTILINE), top)
    expect(re.search(r"^\s+12\s+\S+\s+\S+\s+20\s+\S+  call_ret.two_squares$", top, re.MULTILINE), top)

    listed = run(go, "tool", "pprof", "-list=square", "-sample_index=lanes", profile, env=env).stdout
    expect(re.search(r"^\s+128\s+128\s+41:\s+mul.u32\s+r2, r1, r1$", listed, re.MULTILINE), listed)
    expect(re.search(r"^\s+64\s+320\s+32:\s+call\s+square$", listed, re.MULTILINE) is None, listed)
    expect(re.search(r"^\s+64\s+192\s+32:\s+call\s+square$", listed, re.MULTILINE), listed)
    tags = run(go, "tool", "pprof", "-tags", "-sample_index=issues", profile, env=env).stdout
    expect("mul.u32" in tags and "opcode" in tags and "class" in tags, tags)
    for figure in ("time", "issues", "lanes", "stored"):
        run(go, "tool", "pprof", "-raw", f"-sample_index={figure}", profile, env=env)

    broken = work / "broken.pb.gz"
    broken.write_bytes(profile.read_bytes()[:-20])
    must_refuse("a profile that is cut off", go, "tool", "pprof", "-top", broken, env=env)
