/* Sectors, lines and passes over banks of accesses whose figures follow from the rules of gpu/access.h by
 * hand. x lies at a multiple of 256 bytes; shared memory is addressed from its begin. */
#include "profile_unit.h"

#define TID  "mov.u32 r0, %tid.x\n"
#define EXIT "\nexit"

static const struct known_memory global[] = {
    /* 32 * 4 bytes in a run: 128 bytes are 4 sectors, one line */
    {"stride 1", TID "ldg.u32 r1, [$x + r0*4]" EXIT, 32, 1, 1, 4, 1, 4, 0, 0},
    /* every second word: 256 bytes are touched in part, 128 of them needed */
    {"stride 2", TID "shl.u32 r0, r0, 1\nldg.u32 r1, [$x + r0*4]" EXIT, 32, 2, 1, 8, 2, 4, 0, 0},
    /* 128 bytes from lane to lane: each lane has a sector, and a line, of its own */
    {"stride 32", TID "shl.u32 r0, r0, 5\nldg.u32 r1, [$x + r0*4]" EXIT, 32, 2, 1, 32, 32, 4, 0, 0},
    /* a run that begins 4 bytes behind a sector's begin reaches into a fifth sector, and a second line */
    {"off by one", TID "ldg.u32 r1, [$x + r0*4 + 4]" EXIT, 32, 1, 1, 5, 2, 4, 0, 0},
    /* from 32 bytes on: still 4 whole sectors, but of two lines */
    {"off by a sector", TID "ldg.u32 r1, [$x + r0*4 + 32]" EXIT, 32, 1, 1, 4, 2, 4, 0, 0},
    /* all lanes at one word: one sector, and 4 bytes fit one */
    {"broadcast", "ldg.u32 r1, [$x]" EXIT, 32, 0, 1, 1, 1, 1, 0, 0},
    /* the order of lanes within the line does not matter: 13 * tid mod 32 is a permutation */
    {"permuted within a line", TID "mul.u32 r0, r0, 13\nand.u32 r0, r0, 31\nldg.u32 r1, [$x + r0*4]" EXIT, 32,
     3, 1, 4, 1, 4, 0, 0},
    /* backwards is a permutation too */
    {"backwards", TID "sub.u32 r0, 31, r0\nldg.u32 r1, [$x + r0*4]" EXIT, 32, 2, 1, 4, 1, 4, 0, 0},
    /* bytes in a run: 32 bytes are one sector */
    {"bytes", TID "ldg.u8 r1, [$x + r0]" EXIT, 32, 1, 1, 1, 1, 1, 0, 0},
    {"halves", TID "stg.u16 [$x + r0*2], r0" EXIT, 32, 1, 1, 2, 1, 2, 0, 0},
    /* 32 * 8 bytes: 8 sectors of two lines */
    {"64 bits", TID "ldg.u64 r2, [$x + r0*8]" EXIT, 32, 1, 1, 8, 2, 8, 0, 0},
    /* a vector is one access of 16 bytes a lane: 512 bytes, 16 sectors of 4 lines */
    {"128 bits", TID "ldg.v4.u32 r4, [$x + r0*16]" EXIT, 32, 1, 1, 16, 4, 16, 0, 0},
    {"v2 of 32 bits", TID "ldg.v2.u32 r4, [$x + r0*8]" EXIT, 32, 1, 1, 8, 2, 8, 0, 0},
    /* rows of 3 words: 384 bytes in all, 12 sectors of 3 lines, of which a third is needed */
    {"stride 3", TID "mul.u32 r0, r0, 3\nldg.u32 r1, [$x + r0*4]" EXIT, 32, 2, 1, 12, 3, 4, 0, 0},
    /* pairs of lanes at one word: 16 words, 64 bytes */
    {"pairs", TID "shr.u32 r0, r0, 1\nldg.u32 r1, [$x + r0*4]" EXIT, 32, 2, 1, 2, 1, 2, 0, 0},
    /* an address in a register, and a signed index that goes down from the middle of x */
    {"signed index",
     TID "neg.i32 r1, r0\nmov.u64 r2, $x\nadd.u64 r2, r2, 4092\nldg.u32 r3, [r2 + r1.i32*4]" EXIT, 32, 4, 1,
     4, 1, 4, 0, 0},
    /* 40 threads: a whole warp, and 8 lanes whose 32 bytes are one sector */
    {"partial last warp", TID "stg.u32 [$x + r0*4], r0" EXIT, 40, 1, 2, 5, 2, 5, 0, 0},
    /* lanes 0 to 15 of the first warp only: 64 bytes; the second warp makes no request */
    {"predicated", TID "setp.lt.u32 p0, r0, 16\n@p0 ldg.u32 r1, [$x + r0*4]" EXIT, 64, 2, 1, 2, 1, 2, 0, 0},
    /* every second lane, a word each, from a run: all 4 sectors are touched for 64 bytes */
    {"every second lane", TID "and.u32 r1, r0, 1\nsetp.eq.u32 p0, r1, 0\n@p0 ldg.u32 r1, [$x + r0*4]" EXIT,
     32, 3, 1, 4, 1, 2, 0, 0},
    /* each way of a branch is a request of its own: 16 lanes of every second word, twice */
    {"on a arm of a branch",
     TID "and.u32 r1, r0, 1\nsetp.eq.u32 p0, r1, 0\n@p0 bra even\nldg.u32 r1, [$x + r0*4]\nbra out\n"
         "even: stg.u32 [$x + r0*4], r0\nout: exit",
     32, 6, 1, 4, 1, 2, 0, 0},
    /* all lanes add to one word: one sector, of which 4 bytes are needed */
    {"atomics at one place", TID "redg.add.u32 [$x], r0" EXIT, 32, 1, 1, 1, 1, 1, 0, 0},
    {"atomics in a run", TID "atomg.add.u32 r1, [$x + r0*4], r0" EXIT, 32, 1, 1, 4, 1, 4, 0, 0},
    /* four times round a loop, 128 bytes further each time */
    {"in a loop",
     TID "mov.u32 r2, 4\nagain: ldg.u32 r1, [$x + r0*4]\nadd.u32 r0, r0, 32\nloop.u32 r2, again" EXIT, 32, 2,
     4, 16, 4, 16, 0, 0},
    /* a generic address of global memory is one of global memory */
    {"generic", TID "cvta.u64.global r2, $x\nld.u32 r1, [r2 + r0*4]" EXIT, 32, 2, 1, 4, 1, 4, 0, 0},
    /* and one of shared memory has banks */
    {"generic, in shared memory", TID "mov.u64 r2, 0\ncvta.u64.shared r2, r2\nst.u32 [r2 + r0*4], r0" EXIT,
     32, 3, 1, 0, 0, 0, 1, 1},
    /* 16 lanes there, 16 in global memory: one request */
    {"generic, in both",
     TID "mov.u64 r2, 0\ncvta.u64.shared r2, r2\nsetp.lt.u32 p0, r0, 16\nmov.u64 r4, $x\n"
         "sel.u64 r2, r2, r4, p0\nst.u32 [r2 + r0*4], r0" EXIT,
     32, 6, 1, 2, 1, 2, 1, 1},
    /* constant memory has neither */
    {"constant", "ldc.u32 r1, [lut]" EXIT, 32, 0, 1, 0, 0, 0, 0, 0},
    {"no access", TID EXIT, 32, 0, 0, 0, 0, 0, 0, 0},
};

static const struct known_memory shared[] = {
    /* successive words lie in successive banks: one pass */
    {"stride 1", TID "sts.u32 [tile + r0*4], r0" EXIT, 32, 1, 1, 0, 0, 0, 1, 1},
    /* lanes 0 and 16 meet in bank 0, and so on: two ways */
    {"stride 2", TID "sts.u32 [tile + r0*8], r0" EXIT, 32, 1, 1, 0, 0, 0, 2, 1},
    /* an odd stride meets every bank once */
    {"stride 3", TID "mul.u32 r1, r0, 3\nsts.u32 [tile + r1*4], r0" EXIT, 32, 2, 1, 0, 0, 0, 1, 1},
    /* a column of a 32 wide tile is one bank: 32 passes */
    {"stride 32", TID "shl.u32 r1, r0, 5\nsts.u32 [tile + r1*4], r0" EXIT, 32, 2, 1, 0, 0, 0, 32, 1},
    /* which a row of 33 words cures */
    {"stride 33", TID "mul.u32 r1, r0, 33\nsts.u32 [tile + r1*4], r0" EXIT, 32, 2, 1, 0, 0, 0, 1, 1},
    /* one word for all */
    {"broadcast", "lds.u32 r1, [tile]" EXIT, 32, 0, 1, 0, 0, 0, 1, 1},
    /* two words of one bank, each for half of the lanes: two passes */
    {"two words of a bank", TID "and.u32 r1, r0, 1\nshl.u32 r1, r1, 5\nlds.u32 r2, [tile + r1*4]" EXIT, 32, 3,
     1, 0, 0, 0, 2, 1},
    /* four lanes share each word */
    {"bytes", TID "sts.u8 [tile + r0], r0" EXIT, 32, 1, 1, 0, 0, 0, 1, 1},
    {"halves", TID "lds.u16 r1, [tile + r0*2]" EXIT, 32, 1, 1, 0, 0, 0, 1, 1},
    /* each half of the warp takes 16 * 2 words, all banks once: two passes, and no fewer would do */
    {"64 bits", TID "sts.u64 [tile + r0*8], r0" EXIT, 32, 1, 1, 0, 0, 0, 2, 2},
    /* lanes l and l + 8 of a half meet: four passes */
    {"64 bits, stride 2", TID "shl.u32 r1, r0, 4\nlds.u64 r2, [tile + r1]" EXIT, 32, 2, 1, 0, 0, 0, 4, 2},
    /* each quarter takes 8 * 4 words */
    {"128 bits", TID "lds.v4.u32 r4, [tile + r0*16]" EXIT, 32, 1, 1, 0, 0, 0, 4, 4},
    /* lanes l and l + 4 of a quarter meet */
    {"128 bits, stride 2", TID "shl.u32 r1, r0, 5\nlds.v4.u32 r4, [tile + r1]" EXIT, 32, 2, 1, 0, 0, 0, 8, 4},
    /* of one warp a half, whose lanes are in one half of the warp: one pass of 64 bits */
    {"64 bits, half a warp", TID "sts.u64 [tile + r0*8], r0" EXIT, 16, 1, 1, 0, 0, 0, 1, 1},
    /* to one word, one after the other */
    {"atomics at one place", TID "reds.add.u32 [tile], r0" EXIT, 32, 1, 1, 0, 0, 0, 32, 1},
    {"atomics in a run", TID "atoms.add.u32 r1, [tile + r0*4], r0" EXIT, 32, 1, 1, 0, 0, 0, 1, 1},
    /* 8 counters, each of which 4 lanes change */
    {"atomics, 8 places", TID "and.u32 r1, r0, 7\nreds.add.u32 [tile + r1*4], r0" EXIT, 32, 2, 1, 0, 0, 0, 4,
     1},
    /* 3 warps, the last of them of 6 lanes */
    {"partial last warp", TID "sts.u32 [tile + r0*8], r0" EXIT, 70, 1, 3, 0, 0, 0, 2 + 2 + 1, 3},
};

START_TEST(test_global)
{
    for (size_t i = 0; i < HX_COUNT_OF(global); i++)
        check_everywhere(global[i].code, global[i].block, &global[i], check_known_memory);
}
END_TEST

START_TEST(test_shared)
{
    for (size_t i = 0; i < HX_COUNT_OF(shared); i++)
        check_everywhere(shared[i].code, shared[i].block, &shared[i], check_known_memory);
}
END_TEST

/* Word w of lane l is beside word w of lane l + 1. */
static const struct known_memory local[] = {
    /* all lanes at one offset: 32 words in a run */
    {"one offset", TID "stl.u32 [mine], r0" EXIT, 32, 1, 1, 4, 1, 4, 0, 0},
    /* two words a lane: two runs */
    {"64 bits", TID "stl.u64 [mine], r0" EXIT, 32, 1, 1, 8, 2, 8, 0, 0},
    /* 32 bytes are needed, one of each lane's word: all 4 sectors are touched */
    {"bytes", TID "stl.u8 [mine + 1], r0" EXIT, 32, 1, 1, 4, 1, 1, 0, 0},
    /* lane l at word l: of 32 runs one word each */
    {"each at its own", TID "stl.u32 [mine + r0*4], r0" EXIT, 32, 1, 1, 32, 32, 4, 0, 0},
};

START_TEST(test_local)
{
    for (size_t i = 0; i < HX_COUNT_OF(local); i++) {
        struct profile_unit unit = {
            .exec = exec_unit_new_with("local: [{name: mine, type: u32, count: 32}]", local[i].code, 1)};
        unit.count = hx_kernel_instructions(unit.exec.kernel);
        unit.profile = calloc(unit.count, sizeof *unit.profile);
        unit.collect = HX_COLLECT_MEMORY;
        profile_unit_launch(&unit, 1, local[i].block);
        check_known_memory(&unit, &local[i]);
        ck_assert_uint_eq(unit.profile[local[i].at].warps, 0); /* not collected */
        profile_unit_done(&unit);
    }
}
END_TEST

/* Two warps of 16 lanes, 64 bytes each; one of 64, 256 bytes, and two passes over shared memory. */
START_TEST(test_other_warps)
{
    struct profile_unit unit =
        profile_unit_new(TID "ldg.u32 r1, [$x + r0*4]\nsts.u32 [tile + r0*4], r0" EXIT, PROFILE_ELEMENTS);
    unit.exec.options.dynamic_shared_bytes = 4096;
    unit.exec.options.warp_size = 16;
    profile_unit_launch(&unit, 1, 32);
    ck_assert_uint_eq(unit.profile[1].requests, 2);
    ck_assert_uint_eq(unit.profile[1].sectors, 4);
    ck_assert_uint_eq(unit.profile[1].lines, 2);
    ck_assert_uint_eq(unit.profile[2].wavefronts, 2);
    unit.exec.options.warp_size = 64;
    profile_unit_launch(&unit, 1, 64);
    ck_assert_uint_eq(unit.profile[1].requests, 1);
    ck_assert_uint_eq(unit.profile[1].sectors, 8);
    ck_assert_uint_eq(unit.profile[1].lines, 2);
    ck_assert_uint_eq(unit.profile[2].wavefronts, 2);
    ck_assert_uint_eq(unit.profile[2].wavefronts_least, 2);
    profile_unit_done(&unit);
}
END_TEST

UNIT_MAIN("gpu_collector_memory", test_global, test_shared, test_local, test_other_warps)
