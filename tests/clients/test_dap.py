#!/usr/bin/env python3
"""Visual Studio Code's test client for the Debug Adapter Protocol debugs programs: the sessions are those of dap.txt.

With --record as a third word dap.txt is written anew."""
import difflib
import sys

from clients import HERE, HEXEC, ROOT, expect, folder, must_refuse, node, npm, run, tool

OPENCL = """__kernel void twice(__global float *values)
{
    size_t i = get_global_id(0);
    values[i] = 2 * values[i];
}
"""
CUDA = """struct base { int id; };
struct node : base {
    union { int i; float f; };
    const node *next;
};
extern "C" __global__ void nodes(int *out)
{
    node a, b;
    a.id = 1;
    a.i = 2;
    a.next = &b;
    b.id = 3;
    b.next = nullptr;
    out[0] = a.id + a.next->id;
}
"""
ENDLESS = """program: endless
code: |
  mov.u32 r0, 0
  again:
  add.u32 r0, r0, 1
  bra again
"""

npm()
tool("clang", "clang")
with folder() as work:
    (work / "twice.cl").write_text(OPENCL)
    (work / "nodes.cu").write_text(CUDA)
    (work / "bad.cu").write_text("__global__ void bad(int *x) { x[0] = y; }\n")
    (work / "real").mkdir()
    (work / "real/twice.cl").write_text(OPENCL)
    (work / "link").symlink_to("real")
    (work / "endless.yaml").write_text(ENDLESS)
    (work / "wrong.yaml").write_text((ROOT / "programs/saxpy.yaml").read_text().replace("  @p0 exit\n", ""))
    (work / "server").write_text(f"exec '{HEXEC}' debug --dap\n")
    said = node("dap.js", work / "server", work).stdout
    (work / "none").write_text("echo no protocol\n")
    must_refuse("a server that speaks something else", "timeout", "20", "node", HERE / "dap.js", work / "none", work)
wanted = HERE / "dap.txt"
if "--record" in sys.argv:
    wanted.write_text(said)
else:
    difference = "\n".join(difflib.unified_diff(wanted.read_text().splitlines(), said.splitlines(), "dap.txt", "now", lineterm=""))
    expect(not difference, f"the sessions differ:\n{difference}")
garbage = run(HEXEC, "debug", "--dap", input="Content-Length: 5\r\n\r\nhello", check=False)
expect(garbage.returncode == 2 and "no object of JSON" in garbage.stderr.replace("not an", "no"), f"garbage is refused: {garbage}")
