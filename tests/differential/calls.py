#!/usr/bin/env python3
"""Functions of compiled kernels run as interpreted ones do.

usage: calls.py HEXEC

Threads call functions from several places, by name and by number, together and under guards, return at different times, and leave
compiled code within a function: by long loops, instructions of warps, barriers, accesses to other buffers, exits and faults.
Buffers, counts, messages and exit codes must be the same. Fails also when a launch has not run compiled."""
import sys
import tempfile

sys.dont_write_bytecode = True
import both_tiers

BLOCKS = ("64", "100", "16,5", "1")
PROGRAM = """program: calls
launch: {grid: [3], block: [64]}
params:
  - {name: bad, type: u32, value: BAD}
  - {name: wrong, type: u32, value: WRONG}
shared:
  - {name: tile, type: u32, count: 128}
buffers:
  - {name: x, type: u32, access: read, count: 512, fill: random, seed: 5, max: 4000}
  - {name: z, type: u32, access: read, count: 512, fill: random, seed: 6, max: 4000}
  - {name: y, type: u32, count: 2048, access: write}
code: |
      mov.u32      r0, %tid.y
      mov.u32      r1, %ntid.x
      mov.u32      r2, %tid.x
      mad.u32      r0, r0, r1, r2
      mov.u64      r40, %gtid
      cvt.u32.u64  r1, r40
      and.u32      r2, r1, 511
      ldg.u32      r3, [$x + r2*4]
      and.u32      r4, r3, 7
      mov.u32      r10, r3
      call         halve                   # all threads
      mov.u32      r5, r11
      setp.lt.u32  p0, r4, 3
      mov.u32      r10, r0
  @p0 call         halve                   # some of them
      add.u32      r5, r5, r11
      setp.eq.u32  p1, r4, 9
  @p1 call         count                   # none
      mov.u32      r6, 0
  several:                                 # threads leave this loop at different times
      add.u32      r10, r6, r4
      call         count
      add.u32      r5, r5, r11
      add.u32      r6, r6, 1
      setp.le.u32  p2, r6, r4
  @p2 bra          several
      setp.gt.u32  p3, r4, 4
  @p3 bra          other
      call         neighbour
      bra          met
  other:
      mov.u32      r10, r4
      call         fetch
  met:
      add.u32      r5, r5, r11
      call         meet
      add.u32      r5, r5, r11
      mul.u32      r10, r4, 300
      call         count                   # more jumps than one turn has
      add.u32      r5, r5, r11
      mov.u32      r35, 0
  deeper:                                  # functions that call functions
      add.u32      r10, r3, r35
      call         nest
      add.u32      r5, r5, r11
      setp.gt.u32  p6, r4, r35
  @p6 call         nest
      xor.u32      r5, r5, r11
      add.u32      r35, r35, 3
      setp.lt.u32  p5, r35, 12
  @p5 bra          deeper
      mov.u32      r36, 1
      and.u32      r10, r3, 7
      mov.u32      r38, 0
  chosen:
      add.u32      r37, r4, r38
      rem.u32      r37, r37, 3
      setp.eq.u32  p7, r10, $wrong         # an index that the table has not
  @p7 mov.u32      r37, 3
      callx        r37, functions, 3       # threads call different functions
      add.u32      r5, r5, r11
      mov.u32      r37, %ctaid.x
      rem.u32      r37, r37, 3
      and.u32      r10, r3, 63
      callx        r37, functions, 3       # all threads the same
      add.u32      r5, r5, r11
      setp.gt.u32  p7, r4, r38
  @p7 callx        r37, functions, 3       # some of them
      xor.u32      r5, r5, r11
      setp.eq.u32  p7, r4, 9
  @p7 callx        r37, functions, 3       # none
      and.u32      r10, r3, 7
      add.u32      r38, r38, 1
      setp.lt.u32  p7, r38, 3
  @p7 bra          chosen
RECURSION
      add.u32      r5, r5, r36
      mov.u32      r10, r3
      call         finish
      stg.u32      [$y + r1*4], r5
      exit
  functions:
      bra          halve
      bra          count
      bra          fetch
  halve:                                   # r11 = r10 / 2, or three times it where that is odd
      and.u32      r20, r10, 1
      shr.u32      r11, r10, 1
      setp.eq.u32  p10, r20, 0
  @p10 ret
      mul.u32      r11, r10, 3
      setp.lt.u32  p10, r11, 40
  @p10 ret
      add.u32      r11, r11, 1
      ret
  count:                                   # r11 = r10 + (r10 - 1) + ... + 1
      mov.u32      r11, 0
  down:
      setp.eq.u32  p10, r10, 0
  @p10 ret
      add.u32      r11, r11, r10
      sub.u32      r10, r10, 1
      bra          down
  neighbour:                               # an instruction of warps
      mov.u32      r20, 1
      add.u32      r21, r5, r0
      shfl.down.u32 r11, r21, r20
      xor.u32      r11, r11, 5
      ret
  fetch:                                   # another buffer each time
      mov.u64      r50, $x
      and.u32      r20, r10, 1
      setp.eq.u32  p10, r20, 0
  @p10 mov.u64     r50, $z
      cvt.u64.u32  r52, r10
      mul.u64      r52, r52, 4
      add.u64      r50, r50, r52
      ldg.u32      r11, [r50]
      ret
  meet:
      and.u32      r20, r0, 127
      sts.u32      [tile + r20*4], r5
      bar.sync     0
      lds.u32      r11, [tile + r4*4]
      ret
  nest:
      mov.u32      r22, r10
      and.u32      r10, r10, 15
      setp.gt.u32  p12, r10, 5
  @p12 call        inner
  @!p12 call       other_inner
      add.u32      r11, r11, r22
      setp.eq.u32  p13, r10, 3
  @p13 ret
      add.u32      r10, r11, 1
      call         inner
      add.u32      r11, r11, r10
      ret
  inner:
      and.u32      r23, r10, 7
      mov.u32      r11, 1
  deep:
      setp.eq.u32  p14, r23, 0
  @p14 ret
      sub.u32      r23, r23, 1
      call         deepest
      bra          deep
  other_inner:
      mul.u32      r11, r10, 5
      setp.lt.u32  p14, r11, 20
  @p14 call        deepest
      mov.u64      r54, $x                 # one buffer or the other
      and.u32      r23, r10, 1
      setp.eq.u32  p14, r23, 0
  @p14 mov.u64     r54, $z
      ldg.u32      r24, [r54]
      add.u32      r11, r11, r24
      ret
  factorial:                               # calls itself
      setp.le.u32  p12, r10, 1
      mov.u32      r11, 1
  @p12 ret
      mul.u32      r36, r36, r10
      sub.u32      r10, r10, 1
      call         factorial
      add.u32      r11, r11, r36
      ret
  deepest:
      mad.u32      r11, r11, 3, r0
      and.u32      r11, r11, 0xffff
      setp.gt.u32  p15, r11, 0x8000
  @p15 ret
      add.u32      r11, r11, 9
      ret
  finish:
      setp.eq.u32  p10, r10, $bad          # a fault in a function
      mov.u32      r20, 0
  @p10 mov.u32     r20, 0x7fffff00
      ldg.u32      r21, [$x + r20*4]
      setp.lt.u32  p11, r10, 100
  @p11 exit
      add.u32      r5, r5, r21
      ret
"""


def main():
    hexec = sys.argv[1]
    failures = launches = 0
    with tempfile.TemporaryDirectory() as name:
        recursive = "      call         factorial\n      call         deepest\n"
        for bad, wrong, recursion in ((5000, 5000, ""), (1, 5000, ""), (5000, 1, ""), (5000, 5000, recursive)):
            text = PROGRAM.replace("BAD", str(bad)).replace("WRONG", str(wrong)).replace("RECURSION\n", recursion)
            text = text.replace("seed: 5, max: 4000", "seed: 5, max: " + ("4000" if min(bad, wrong) > 1 else "30"))
            for block in BLOCKS:
                launches += 1
                interpreted, compiled = both_tiers.launches(hexec, name, text, ["y"], "--block", block)
                said = both_tiers.said(hexec, name, "--block", block)
                ran = (" ran compiled, but for call\n" if recursion else " ran compiled\n") in said or interpreted.code != 0
                if interpreted != compiled or interpreted.code not in (0, min(bad, wrong) < 5000 and both_tiers.FAULT) or not ran:
                    print(f"block {block}, bad {bad}, wrong {wrong}: {both_tiers.both(interpreted, compiled)}; ran compiled: {ran}")
                    failures += 1
    print(f"{launches} launches, {failures} failures")
    return failures > 0


sys.exit(main())
