#!/usr/bin/env python3
"""Compiled kernels are kept from run to run; disasm shows their code, and gdb and perf know them by name and line."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from clients import HEXEC, LIMIT, ROOT, expect, run, skip

COLLATZ = ROOT / "programs" / "collatz.yaml"
COMPILED = [HEXEC, "run", COLLATZ, "--tier", "compiled"]


def with_variables(*command, **variables):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, **variables}, timeout=LIMIT, check=False)


if "was interpreted" in run(*COMPILED, "--verbose", "--no-cache").stdout:
    skip("this build has no compiled tier")

# the cache
with tempfile.TemporaryDirectory() as folder:
    def entries(*options):
        done = with_variables(*COMPILED, "--verify", "--verbose", *options, HEXEC_CACHE=folder)
        expect(done.returncode == 0 and "collatz ran compiled" in done.stdout, done.stdout)
        return sorted(pathlib.Path(folder).glob("code-*"))

    expect(not entries("--no-cache"), "--no-cache has kept code")
    kept = entries()
    expect(len(kept) == 1, f"one kernel has {len(kept)} entries")
    expect(entries() == kept, "the same kernel has another entry")
    whole = kept[0].read_bytes()
    kept[0].write_bytes(whole[:-64] + bytes(64))
    expect(entries() == kept, "a damaged entry is no harm")
    expect(with_variables(*COMPILED, "--gang", "32", HEXEC_CACHE=folder).returncode == 0, "--gang 32")

# disasm
listing = run(HEXEC, "disasm", COLLATZ, "--compiled").stdout
expect(listing.startswith("kernel collatz, for blocks of 128 threads\nhexec_collatz:\n"), listing[:200])
source = COLLATZ.read_text().splitlines()
shown = re.findall(r"^(\d+): (\S+)", listing, re.M)
expect(len(shown) > 10, f"only {len(shown)} lines are shown")
for number, word in shown:
    expect(word in source[int(number) - 1] or source[int(number) - 1].startswith("program:"), f"line {number} has no {word}")
expect("%zmm" in listing or "%ymm" in listing, "no vector instructions")
listing = run(HEXEC, "disasm", ROOT / "programs" / "warp_reduce.yaml", "--compiled").stdout # lanes of warps work together
expect(listing.startswith("kernel warp_reduce, for blocks of "), listing[:200])
ir = run(HEXEC, "disasm", ROOT / "programs" / "vector_add.yaml", "--compiled=ir").stdout
expect("define i32 @hexec_vector_add(" in ir, ir[:200])
refused = with_variables(HEXEC, "disasm", COLLATZ, "--compiled", HEXEC_LLVM="/nowhere.so")
expect(refused.returncode == 2 and "HX1609" in refused.stdout and "'collatz' cannot be compiled" in refused.stdout, refused.stdout)

# perf
with subprocess.Popen([str(word) for word in [*COMPILED, "--quiet", "--no-cache"]],
                      env={**os.environ, "HEXEC_TIER_TOOLS": "1"}) as process:
    expect(process.wait(timeout=LIMIT) == 0, "hexec failed")
    names = pathlib.Path(f"/tmp/perf-{process.pid}.map")
    expect(re.fullmatch(r"[0-9a-f]+ [0-9a-f]+ hexec_collatz\n", names.read_text()), names.read_text())
    names.unlink()

# gdb
if not shutil.which("gdb"):
    print("note: gdb is not installed")
else:
    steps = [word for step in ("set breakpoint pending on", "break hexec_collatz", "run", "next", "next") for word in ("-ex", step)]
    done = with_variables("gdb", "-nx", "-q", "-batch", *steps, "--args", *COMPILED, "--quiet", "--workers", "1",
                          HEXEC_TIER_TOOLS="1", DEBUGINFOD_URLS="")
    if "ptrace" in done.stdout:
        print("note: gdb may not run programs here")
    else:
        expect(re.search(r"hexec_collatz \(\) at .*collatz\.yaml:\d+", done.stdout), done.stdout)
        expect("mad.u32" in done.stdout, done.stdout)
