#!/usr/bin/env python3
"""The USDT probes stand in the program with semaphores and run-time arguments, as readelf shows, and bpftrace, where it may
run, counts with them what hexec counts."""
import json
import re
import shutil

from clients import HEXEC, expect, must_refuse, run, skip, tool

PROBES = {"launch__begin": 4, "launch__end": 4, "block__end": 4, "instruction__end": 6}

notes = run(tool("readelf", "binutils"), "-n", HEXEC).stdout
if "stapsdt" not in notes:
    skip("hexec was built without sys/sdt.h (Debian: systemtap-sdt-dev)")
found = {}
for name, semaphore, arguments in re.findall(
        r"Provider: hexec\s+Name: (\w+)\s+Location: .* Semaphore: (\w+)\s+Arguments: (.*)", notes):
    found[name] = arguments.split()
    expect(int(semaphore, 16) != 0, f"{name} has no semaphore")
    expect(not any("@$" in one for one in found[name]), f"{name}: a constant where a value is wanted: {arguments}")
expect({name: len(arguments) for name, arguments in found.items()} == PROBES, f"probes: {found}")

bpftrace = shutil.which("bpftrace")
probe = f"usdt:{HEXEC}:hexec:"
program = ["-c", f"{HEXEC} run programs/saxpy.yaml --quiet"]


def count(script):
    """What the maps of a script hold when the program has ended; NULL: bpftrace may not run here."""
    answer = run(bpftrace, "-f", "json", "-e", script, *program, check=False)
    maps = [json.loads(line)["data"] for line in answer.stdout.splitlines() if '"type": "map"' in line]
    return {name: value for one in maps for name, value in one.items()} or None


lanes = bpftrace and count(f"{probe}instruction__end {{ @lanes = sum(arg3); @bytes = sum(arg4); }} "
                           f"{probe}block__end {{ @blocks = count(); }} {probe}launch__end {{ @end = sum(arg3); }}")
if not lanes:
    print("note: bpftrace is not installed or may not run here; readelf alone has looked")
else:
    counted = json.loads(run(HEXEC, "run", "programs/saxpy.yaml", "--json").stdout)
    blocks = counted["launches"][0]["grid"][0]
    expect(lanes["@lanes"] == lanes["@end"] > 0 and lanes["@blocks"] == blocks, f"{lanes} and {blocks} blocks")
    must_refuse("a probe that there is not", bpftrace, "-e", f"{probe}no_such_probe {{ @ = count(); }}", *program)
