#!/usr/bin/env python3
"""Modules as compilers before CUDA 4 wrote them (PTX 1.4 to 2.1): old.py HEXEC."""
import pathlib
import subprocess
import sys
import tempfile

HEXEC = pathlib.Path(sys.argv[1]).resolve()

# Heads without a semicolon, registers of the module, .tex, a local variable of the module, whose address is a number of 32 bits.
MODULE = """\t.version 1.4
\t.target sm_13
\t.reg .u32 %ra<17>;
\t.reg .f64 %fda<17>, %other;

\t.func (.param .s32 result) triple (.param .s32 given)

\t.visible .func unused (.param .u64 a)
\t.tex .u64 image;
\t.file 1 "<command-line>"

\t.entry none () {
\texit;
\t}

\t.local .u32 %L1;

\t.func (.param .s32 result) triple (.param .s32 given)
\t{
\t.reg .s32 %r<4>;
\tld.param.s32 %r1, [given];
\tmul.lo.s32 %r2, %r1, 3;
\tst.param.s32 [result], %r2;
\tret;
\t}

\t.entry numbers (.param .u64 out)
\t{
\t.reg .u32 %r<8>;
\t.reg .u64 %rd<6>;
\tcvt.u32.u16 %r1, %tid.x;
\tmov.u32 %r2, %L1;
\tst.local.u32 [%r2], %r1;
\tmov.u32 %r1, 0;
\tld.local.u32 %r3, [%L1];
\t{
\t.param .s32 x;
\t.param .s32 y;
\tst.param.s32 [x], %r3;
\tcall (y), triple, (x);
\tld.param.s32 %r4, [y];
\t}
\tld.param.u64 %rd1, [out];
\tmul.wide.u32 %rd2, %r3, 4;
\tadd.u64 %rd3, %rd1, %rd2;
\tst.global.u32 [%rd3], %r4;
\texit;
\t}
"""
# Coordinates are four, of which a texture of one dimension takes one, and one of two dimensions two.
FETCH = """.version 2.1
.target sm_20
.entry fetch (.param .u64 image, .param .u64 out)
{
.reg .f32 %f<9>; .reg .s32 %x<5>; .reg .u64 %rd<4>;
ld.param.u64 %rd1, [image];
ld.param.u64 %rd2, [out];
mov.s32 %x1, 2; mov.s32 %x2, 1; mov.s32 %x3, 77; mov.s32 %x4, 99;
tex.WHAT.v4.f32.s32 {%f1,%f2,%f3,%f4},[%rd1,{%x1,%x2,%x3,%x4}];
st.global.f32 [%rd2], %f1;
exit;
}
"""


def run(folder, text, *words):
    path = folder / "old.ptx"
    path.write_text(text, encoding="utf-8")
    done = subprocess.run([HEXEC, "run", path, "--quiet", *words], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def main():
    failures = []
    cases = ((MODULE, ("--kernel", "numbers", "--block", "8", "--arg", "u32:8", "--print", "0"), "0 = 0 3 6 9 12 15 18 21\n"),
             (FETCH.replace("WHAT", "1d"), ("--arg", "image:f32:4,linear:iota", "--arg", "f32:1", "--print", "1"), "1 = 2\n"),
             (FETCH.replace("WHAT", "2d"), ("--arg", "image:f32:4x3,linear:iota", "--arg", "f32:1", "--print", "1"), "1 = 6\n"),
             (MODULE.replace("mul.lo.s32 %r2, %r1, 3;", "mul.lo.s32 %r2, %ra1, 3;"), ("--kernel", "numbers", "--arg", "u32:8"), "'%ra1'"))
    with tempfile.TemporaryDirectory() as name:
        for text, words, wanted in cases:
            if wanted not in (found := run(pathlib.Path(name), text, *words)):
                failures.append(f"{' '.join(words)}: {wanted!r} is looked for in\n{found}")
    print("\n".join(failures) or f"all {len(cases)} agree")
    return len(failures) > 0


sys.exit(main())
