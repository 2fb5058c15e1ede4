#!/usr/bin/env python3
"""Blocks of many shapes run compiled as they run interpreted.

usage: shapes.py HEXEC

Compiled code is made for the shape of a block: what it takes for the same in all threads, or in a row of them, depends
on it. One kernel with the accesses of products of matrices, stencils and histograms runs in blocks of all kinds, in
gangs of 64 lanes interpreted and compiled. Buffers, counts, messages and exit codes must be the same. Fails also when a
launch has not run compiled."""
import sys
import tempfile

sys.dont_write_bytecode = True
import both_tiers

SHAPES = ("16,16", "8,8", "32,8", "64,4", "4,16", "12,5", "24,3", "128", "100", "1", "7,3,5", "8,4,4", "16,2,8", "33", "1,64")
PROGRAM = """program: shapes
launch: {grid: [3, 2], block: [16, 16]}
params:
  - {name: n, type: u32, value: 61}
  - {name: limit, type: u32, value: LIMIT}
shared:
  - {name: tile, type: u32, count: 1100}
  - {name: bins, type: u32, count: 16}
buffers:
  - {name: x, type: u32, count: 4096, fill: random, seed: 3, max: 999, access: read}
  - {name: bytes, type: u8, count: 4096, fill: random, seed: 4, max: 250, access: read}
  - {name: y, type: u32, count: 8192, access: readwrite}
  - {name: total, type: u32, count: 16, access: readwrite}
code: |
      mov.u32      r0, %tid.x
      mov.u32      r1, %tid.y
      mov.u32      r2, %tid.z
      mad.u32      r3, r1, $n, r0
      mad.u32      r3, r2, 7, r3
      mov.u32      r30, %ctaid.x
      mad.u32      r3, r30, 5, r3
      and.u32      r3, r3, 4095
      mov.u32      r30, %ntid.y
      mad.u32      r4, r2, r30, r1
      mov.u32      r30, %ntid.x
      mad.u32      r4, r4, r30, r0
      and.u32      r5, r4, 15
      mov.u32      r6, 0
      setp.lt.u32  p0, r4, 16
  @p0 sts.u32      [bins + r4*4], r6
      ldg.u32      r7, [$x + r3*4]
      sts.u32      [tile + r4*4], r7
      bar.sync     0
      mul.u32      r8, r4, 1
      mov.u32      r30, %ntid.x
      mul.u32      r9, r1, r30
      mov.u32      r10, 0
      mov.u32      r11, 0
  sum:
      lds.u32      r12, [tile + r9*4]
      lds.u32      r13, [tile + r9*4 + 4]
      lds.u32      r14, [tile + r0*4]
      mad.u32      r10, r12, r14, r10
      add.u32      r10, r10, r13
      ldg.u32      r12, [$x + r11*4]
      xor.u32      r10, r10, r12
      mad.u32      r15, r1, $n, r11
      ldg.u8       r13, [$bytes + r15]
      add.u32      r10, r10, r13
      add.u32      r11, r11, 1
      setp.lt.u32  p1, r11, 9
  @p1 bra          sum
      sub.u32      r16, r4, 1
      setp.ge.u32  p2, r4, 1
  @p2 lds.u32      r17, [tile + r16*4]
  @p2 add.u32      r10, r10, r17
      setp.ge.u32  p3, r4, $limit
  @p3 bra          out
      and.u32      r18, r10, 15
      mov.u32      r19, 1
      reds.add.u32 [bins + r18*4], r19
      ldg.u32      r20, [$x + r4*4 + 16]
      add.u32      r10, r10, r20
      mov.u32      r30, %ntid.x
      mov.u32      r31, %ntid.y
      mul.u32      r21, r30, r31
      mov.u32      r30, %ntid.z
      mul.u32      r21, r21, r30
      mov.u32      r30, %ctaid.y
      mov.u32      r31, %nctaid.x
      mov.u32      r32, %ctaid.x
      mad.u32      r22, r30, r31, r32
      mad.u32      r22, r22, r21, r4
      stg.u32      [$y + r22*4], r10
  out:
      bar.sync     0
      setp.lt.u32  p0, r4, 16
  @p0 lds.u32      r23, [bins + r4*4]
  @p0 redg.add.u32 [$total + r4*4], r23
      exit
"""


def main():
    hexec = sys.argv[1]
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        for limit in (4096, 50):
            text = PROGRAM.replace("LIMIT", str(limit))
            for shape in SHAPES:
                interpreted, compiled = both_tiers.launches(hexec, name, text, ["y", "total"], "--block", shape)
                said = both_tiers.said(hexec, name, "--block", shape)
                if interpreted != compiled or interpreted.code != 0 or " ran compiled" not in said:
                    print(f"block {shape}, limit {limit}: {both_tiers.both(interpreted, compiled)}")
                    failures += 1
    print(f"{len(SHAPES)} shapes, {failures} failures")
    return failures > 0


sys.exit(main())
