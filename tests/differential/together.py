#!/usr/bin/env python3
"""What threads of warps and blocks do together runs compiled as it runs interpreted.

usage: together.py HEXEC

Shuffles, votes, matches, sums of warps, reductions and scans of blocks, barriers with a result, and jumps through tables:
with all threads, under guards, behind branches on which threads part, with masks, in warps of several sizes. Buffers, counts,
messages and exit codes must be the same. Fails also when compiled code has left any of it to the interpreter."""
import sys
import tempfile

sys.dont_write_bytecode = True
import both_tiers

BLOCKS = ("64", "100", "16,5", "1", "256")
WARPS = ("32", "8", "64")
# (mnemonic and operands of a warp; r2, r3: the thread's values; p0, p1: some threads'; f4: a float)
OF_WARPS = """
      shfl.up.u32  r10, p5, r2, 3
      shfl.down.u32 r11, r2, r8
      shfl.bfly.u64 r50, r40, 5
      shfl.idx.f32 r12, r4, r8, 0x1807
      vote.all     p6, p0
      vote.any     p7, p0
      vote.uni     p8, p1
      vote.ballot.u32 r13, p0
      match.any.u32 r14, r3
      match.all.u32 r15, p9, r3
      redux.add.i32 r16, r2
      redux.max.f32 r17, r4
      redux.xor.u32 r18, r2
      activemask.u32 r19
"""
PROGRAM = """program: together
launch: {grid: [3], block: [64]}
params:
  - {name: bad, type: u32, value: BAD}
shared:
  - {name: bins, type: u16, count: 64}
buffers:
  - {name: x, type: u32, access: read, count: 512, fill: random, seed: 5, max: 4000}
  - {name: y, type: u32, count: 32768, access: write}
code: |
      mov.u32      r0, %tid.y
      mov.u32      r1, %ntid.x
      mov.u32      r2, %tid.x
      mad.u32      r0, r0, r1, r2
      mov.u64      r42, %gtid
      cvt.u32.u64  r1, r42
      mul.u32      r1, r1, 128
      cvt.u64.u32  r44, r1
      mov.u64      r46, $y
      add.u64      r46, r46, r44           # where the thread writes
      and.u32      r2, r0, 511
      ldg.u32      r2, [$x + r2*4]
      and.u32      r3, r2, 3
      cvt.f32.u32  r4, r2
      div.f32      r4, r4, 7
      cvt.u64.u32  r40, r2
      mul.u64      r40, r40, 0x100000001
      and.u32      r8, r0, 7
      setp.lt.u32  p0, r3, 2
      setp.ge.u32  p1, r2, 0
      mov.u32      r30, 0
  again:
ALL
      add.u32      r30, r30, 1
      setp.lt.u32  p2, r30, 3
  @p2 bra          again
      setp.gt.u32  p3, r8, 3
  @p3 bra          half
PART
      bra          met
  half:
      add.u32      r2, r2, 1
PART
  met:
      mov.u32      r31, 0
      sub.u32      r31, r31, 1
SYNC
      add.rz.f32   r4, r4, 0.1             # the handler's
      fma.rm.f32   r4, r4, r4, 0.3
      reduce.add.u32 r20, r2
      reduce.max.f32 r21, r4
      scan.add.incl.u32 r22, r2
      scan.min.excl.i32 r23, r2
      scan.add.excl.u64 r52, r40
      bar.red.popc.u32 r24, 0, p0
      bar.red.and  p10, 0, p1
      bar.red.or   p11, 0, p0
      sel.u32      r25, r24, r22, p10
      sel.u32      r26, r24, r23, p11
      st.u32       [r46], r20
      st.f32       [r46 + 4], r21
      st.u32       [r46 + 8], r25
      st.u32       [r46 + 12], r26
      st.u64       [r46 + 16], r52
      mov.u32      r32, 0
  table:                                   # each thread in turn through all entries
      add.u32      r33, r32, r3
      and.u32      r33, r33, 3
      setp.eq.u32  p4, r2, $bad
  @p4 mov.u32      r33, 9                  # a fault
      brx          r33, entries, 4
  entries:
      bra          one
      bra          two
      bra          three
      bra          two
  three:
      mad.u32      r20, r20, 3, r32
      bra          done
  one:
      add.u32      r20, r20, r22
  two:
      xor.u32      r20, r20, r33
  done:
      and.u32      r34, r32, 1             # the same in all threads
  @p3 brx          r34, others, 2
      add.u32      r20, r20, 7
      bra          next
  others:
      bra          even
      bra          odd
  even:
      add.u32      r20, r20, 11
      bra          next
  odd:
      mul.u32      r20, r20, 5
  next:
  @p0 brx          r34, behind, 2          # others go on with the first entry
  behind:
      bra          some
      bra          more
  more:
      add.u32      r20, r20, 13
  some:
      xor.u32      r20, r20, 3
      brx          r34, all, 2             # all threads
  all:
      bra          left
      bra          right
  left:
      add.u32      r20, r20, r34
      bra          end
  right:
      xor.u32      r20, r20, 0x55
  end:
      add.u32      r32, r32, 1
      setp.lt.u32  p2, r32, 5
  @p2 bra          table
      st.u32       [r46 + 24], r20
      st.u32       [r46 + 28], r2
      exit
"""
MIX = """
      add.u32      r2, r2, r10
      xor.u32      r2, r2, r11
      add.f32      r4, r4, r12
      add.u32      r2, r2, r13
      add.u32      r2, r2, r14
      add.u32      r2, r2, r15
      add.u32      r2, r2, r16
      add.f32      r4, r4, r17
      xor.u32      r2, r2, r18
      add.u32      r2, r2, r19
      xor.u64      r40, r40, r50
  @p5 add.u32      r2, r2, 1
  @p6 add.u32      r2, r2, 2
  @p7 add.u32      r2, r2, 4
  @p8 add.u32      r2, r2, 8
  @p9 add.u32      r2, r2, 16
"""


def guarded(text, guard):
    return "\n".join(f"  {guard} {line.strip()}" if line.strip() else line for line in text.split("\n"))


def program(bad):
    part = OF_WARPS + MIX
    masks = OF_WARPS.replace("\n      activemask.u32 r19", "")
    synchronous = "\n".join(line + (", r31" if line.strip().startswith(("vote", "match", "redux")) else "")
                            for line in masks.split("\n")) + MIX
    under = guarded(OF_WARPS, "@p0") + MIX
    return (PROGRAM.replace("ALL", part + under).replace("PART", part).replace("SYNC", synchronous).replace("BAD", str(bad)))


def main():
    hexec = sys.argv[1]
    failures = launches = 0
    with tempfile.TemporaryDirectory() as name:
        for bad, block, warp in ([(0xffffffff, block, "32") for block in BLOCKS] + [(0xffffffff, "100", warp) for warp in WARPS[1:]] +
                                 [(-1, "64", "32")]):
            text = program(bad)
            if bad < 0:
                text = text.replace("-1", "0").replace("r2, $bad", "r2, r2")
            shape = ("--block", block, "--warp-size", warp)
            interpreted, compiled = both_tiers.launches(hexec, name, text, ["y"], *shape)
            said = both_tiers.said(hexec, name, *shape)
            ran = " ran compiled\n" in said or interpreted.code != 0
            launches += 1
            if interpreted != compiled or interpreted.code != (both_tiers.FAULT if bad < 0 else 0) or not ran:
                print(f"block {block}, warp {warp}, bad {bad}: {both_tiers.both(interpreted, compiled)}; {said}")
                failures += 1
    print(f"{launches} launches, {failures} failures")
    return failures > 0


sys.exit(main())
