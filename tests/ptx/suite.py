#!/usr/bin/env python3
"""usage: suite.py HEXEC

tools/ptx/run_suite counts the kernels of a folder by the step that they reach. The folder has files of which each kernel's
step is known: kernels that run, one with textures, and two files that cannot be read."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOOL = HERE.parent.parent / "tools/ptx/run_suite"
HEXEC = sys.argv[1]
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
TEXTURE = """.entry samples()
{
    .reg .f32 %f<4>;
    .reg .b64 %rd<2>;
    .reg .b32 %r0;
    tex.a2dms.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd0, {%r0, %r1, %r2, %r3}];
    tex.a2dms.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {%r0, %r1, %r2, %r3}];
    tensormap.replace.global.add.u32 %f0, [%rd0];
    ret;
}
.entry plain() { ret; }
.entry samples_too()
{
    .reg .f32 %f<4>;
    .reg .b64 %rd<2>;
    .reg .b32 %r0;
    @!%p0 tex.a2dms.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd0, {%r0, %r1, %r2, %r3}];
    ret;
}
""".replace("    @!%p0", "    .reg .pred %p0;\n    @!%p0")
UNREAD = ".entry first()\n{\n    ret\n}\n// .entry none\n.visible .entry second()\n{\n    ret;\n}\n"


def suite(folder, *options):
    return subprocess.run([sys.executable, TOOL, "--hexec", HEXEC, *options, folder], capture_output=True, text=True, check=False)


def require(what, condition, seen):
    if not condition:
        sys.exit(f"{what}:\n{seen}")


def check_good(folder):
    """All kernels of what compilers wrote run."""
    shutil.copy(HERE / "opencl-O2-sm_70.ptx", folder)
    done = suite(folder)
    require("good files", done.returncode == 0 and "reason" not in done.stdout and done.stdout.startswith("1 files, "), done)


def check_mixed(folder):
    inner = folder / "inner"
    inner.mkdir()
    (inner / "texture.ptx").write_text(HEAD + TEXTURE, encoding="ascii")
    (folder / "unread.ptx").write_text(HEAD + UNREAD, encoding="ascii")
    (folder / "bytes.ptx").write_bytes(b"\x00\xff\n")
    (folder / "notes.txt").write_text("no PTX", encoding="ascii")
    before = json.loads(suite(folder, "--json").stdout)
    good = before["counts"]["lowered"] - 1
    require("files", before["files"] == 4 and good > 0, before)
    require("counts", before["counts"] == {"found": good + 6, "parsed": good + 3, "imported": good + 1, "lowered": good + 1},
            before["counts"])
    rows = [(row["reason"], row["kernels"], len(row["places"])) for row in before["reasons"]]
    require("reasons", rows[0] == ("an operand is expected here", 2, 2) and
            rows[1] == ("no equivalent: tex.a2dms.v4.f32.s32", 2, 3) and
            ("no equivalent: tensormap.replace.global.add.u32", 1, 1) in rows and len(rows) == 4, rows)
    place = before["reasons"][1]["places"][0]
    require("place", place["line"] == 9 and place["file"].endswith("inner/texture.ptx") and place["text"].startswith("tex."), place)
    plain = suite(folder, "--all")
    require("table", plain.returncode == 1 and "texture.ptx:10: tex.a2dms" in plain.stdout and "bytes.ptx:1" in plain.stdout, plain)


def check_mistakes(folder):
    done = suite(folder / "nothing")
    require("no folder", done.returncode == 2 and "is no folder" in done.stderr, done)
    empty = folder / "empty"
    empty.mkdir()
    done = suite(empty)
    require("no kernel", done.returncode == 1 and done.stdout.startswith("0 files, 0 kernels"), done)
    done = subprocess.run([sys.executable, TOOL, "--hexec", folder / "nothing", folder], capture_output=True, text=True, check=False)
    require("no hexec", done.returncode == 2 and "name it with --hexec" in done.stderr, done)


with tempfile.TemporaryDirectory() as scratch:
    check_good(pathlib.Path(scratch))
    check_mixed(pathlib.Path(scratch))
    check_mistakes(pathlib.Path(scratch))
print("the kernels of a folder are counted as they are")
