#!/usr/bin/env python3
"""NaNs of compiled kernels have the bits that interpreted ones have.

usage: nans.py HEXEC

Compiled code makes a computed NaN the canonical one only where somebody sees its bits. This kernel brings computed NaNs
and loaded ones, whose bits are kept, together in all the ways that there are: paths that meet, guards, loops that
threads leave at different times, barriers, moves, selections, stores, instructions on bits. Fails also when a launch
has not run compiled, or when no NaN of either kind comes out."""
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
import both_tiers

BLOCKS = ("64", "100", "16,16", "7,5")
SPECIAL = [0x7F800000, 0xFF800000, 0x7FC00001, 0xFFC12345, 0, 0x80000000, 0x3F800000, 0x7F812345, 0xC0490FDB, 0x7FFFFFFF, 1]
PROGRAM = """program: nans
launch: {grid: [2], block: [64]}
shared:
  - {name: tile, type: f32, count: 256}
buffers:
  - {name: x, type: u32, access: read, values: [VALUES]}
  - {name: y, type: u32, count: 18432, access: write}
code: |
      mov.u32      r0, %tid.y
      mov.u32      r1, %ntid.x
      mov.u32      r2, %tid.x
      mad.u32      r0, r0, r1, r2
      mov.u64      r40, %gtid
      cvt.u32.u64  r1, r40
      mul.u32      r1, r1, 18
      rem.u32      r2, r0, COUNT
      mul.u32      r3, r0, 7
      add.u32      r3, r3, 3
      rem.u32      r3, r3, COUNT
      ldg.f32      r4, [$x + r2*4]
      ldg.f32      r5, [$x + r3*4]
      sub.f32      r6, r4, r5              # computed
      mul.f32      r7, r4, r5
      and.u32      r8, r0, 7
      setp.lt.u32  p0, r8, 3
      setp.eq.f32  p1, r6, r6
  @p0 mov.f32      r9, r4                  # a loaded one, or a computed one
  @!p0 add.f32     r9, r6, r7
      stg.f32      [$y + r1*4], r9
      mov.f32      r10, r4
  @p0 fma.f32      r10, r4, r5, r6         # over a loaded one
      stg.f32      [$y + r1*4 + 4], r10
      fma.f32      r11, r4, r5, r6
  @p0 mov.f32      r11, r5                 # over a computed one
      stg.f32      [$y + r1*4 + 8], r11
      sel.f32      r12, r6, r4, p0
      stg.f32      [$y + r1*4 + 12], r12
      sel.f32      r12, r6, r7, p1
      neg.f32      r12, r12                # instructions on bits
      stg.f32      [$y + r1*4 + 16], r12
      mul.f32      r13, r6, r7
      xor.u32      r13, r13, 0x00400001
      stg.u32      [$y + r1*4 + 20], r13
      max.f32      r14, r6, r4
      stg.f32      [$y + r1*4 + 24], r14
  @p0 bra          other
      add.f32      r15, r4, r5
      bra          met
  other:
      mov.f32      r15, r5
  met:
      stg.f32      [$y + r1*4 + 28], r15
      mov.f32      r16, 0                  # computed in a loop that threads leave at different times
      mov.u32      r17, 0
      mov.f32      r18, r4
  again:
      fma.f32      r16, r4, r5, r16
      setp.eq.u32  p2, r17, 2
  @p2 add.f32      r18, r16, r18           # now and then
      add.u32      r17, r17, 1
      setp.lt.u32  p3, r17, r8
  @p3 bra          again
      stg.f32      [$y + r1*4 + 32], r16
      stg.f32      [$y + r1*4 + 36], r18
      add.u32      r3, r0, 0
      sts.f32      [tile + r3*4], r6
      mul.f32      r19, r6, 2
      bar.sync     0
      lds.f32      r20, [tile + r3*4]
      stg.f32      [$y + r1*4 + 40], r20
      stg.f32      [$y + r1*4 + 44], r19   # computed in front of the barrier
      cvt.f64.f32  r42, r6
      add.f64      r42, r42, r42
      mov.u64      r44, r42
      shr.u64      r44, r44, 32
      cvt.u32.u64  r45, r44
      stg.u32      [$y + r1*4 + 48], r45
      cvt.i32.f32  r21, r6
      stg.i32      [$y + r1*4 + 52], r21
      sqrt.f32     r22, r4
      stg.u32      [$y + r1*4 + 56], r22
      mul.f32      r23, r6, r7
      setp.gt.u32  p4, r0, 4000            # true nowhere
  @p4 ldg.f32      r23, [$x]
      xor.u32      r23, r23, 1             # the computed one's bits
      stg.u32      [$y + r1*4 + 60], r23
      mov.i8       r24, -48                # extended to 32 bits that a NaN may have
      mov.i16      r25, r6
  @p0 bra          narrow
      mul.f32      r24, r6, r7
      mul.f32      r25, r6, r7
  narrow:
      stg.u32      [$y + r1*4 + 64], r24
      stg.u32      [$y + r1*4 + 68], r25
      exit
"""


def main():
    hexec = sys.argv[1]
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        text = PROGRAM.replace("VALUES", ", ".join(map(str, SPECIAL))).replace("COUNT", str(len(SPECIAL)))
        for block in BLOCKS:
            interpreted, compiled = both_tiers.launches(hexec, name, text, ["y"], "--block", block)
            words, others = (struct.unpack(f"<{len(bits) // 4}I", bits) for bits in (interpreted.buffers[0], compiled.buffers[0]))
            wrong = [f"word {i % 18} of thread {i // 18}: {a:#x}, compiled {b:#x}" for i, (a, b) in enumerate(zip(words, others)) if a != b]
            if interpreted.code or interpreted != compiled or " ran compiled" not in both_tiers.said(hexec, name, "--block", block):
                print(f"block {block}: {both_tiers.both(interpreted, compiled)}", *wrong[:20], sep="\n  ")
                failures += 1
            elif not {0x7FFFFFFF, 0xFFC12345, 0xFFFFFFFF} <= set(words):
                print(f"block {block}: no NaN came out")
                failures += 1
    print(f"{len(BLOCKS)} blocks, {failures} failures")
    return failures > 0


sys.exit(main())
