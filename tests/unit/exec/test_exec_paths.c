/* Threads that take different ways: what each computes does not depend on how they were put together, waiting
 * for a neighbour ends, and barriers hold. Expected values are formulas of the thread's number. */
#include "exec_unit.h"

/* A loop of i % 7 rounds around a loop of i % 3 rounds; odd rounds count once, even ones ten times. */
static uint32_t nested(uint32_t i)
{
    uint32_t sum = 0;
    for (uint32_t a = 0; a < i % 7; a++)
        for (uint32_t b = 0; b < i % 3; b++)
            sum += (a + b) % 2 ? 1 : 10;
    return sum;
}
EXEC_TEST(test_nested_loops, nested, 3, 100, 3 * 100,
          THREAD "rem.u32 r3, r0, 7\n"
                 "rem.u32 r4, r0, 3\n"
                 "mov.u32 r5, 0\nmov.u32 r6, 0\n"
                 "outer: setp.ge.u32 p0, r6, r3\n@p0 bra out\n"
                 "mov.u32 r7, 0\n"
                 "inner: setp.ge.u32 p1, r7, r4\n@p1 bra next\n"
                 "add.u32 r8, r6, r7\n"
                 "and.u32 r8, r8, 1\nsetp.eq.u32 p2, r8, 0\n@p2 bra even\n"
                 "add.u32 r5, r5, 1\n"
                 "bra on\n"
                 "even: add.u32 r5, r5, 10\n"
                 "on: add.u32 r7, r7, 1\n"
                 "bra inner\n"
                 "next: add.u32 r6, r6, 1\n"
                 "bra outer\n"
                 "out: stg.u32 [$x + r0*4], r5\nexit")

/* Threads leave one by one; the last instruction is for those that are left. */
static uint32_t leaving(uint32_t i)
{
    return i % 5 < 3 ? i % 5 + 1 : 77;
}
EXEC_TEST(test_early_exits, leaving, 1, 130, 130,
          THREAD "rem.u32 r3, r0, 5\n"
                 "mov.u32 r4, 0\n"
                 "again: setp.eq.u32 p0, r3, r4\n"
                 "add.u32 r4, r4, 1\n"
                 "@p0 stg.u32 [$x + r0*4], r4\n"
                 "@p0 exit\n"
                 "setp.lt.u32 p1, r4, 3\n@p1 bra again\n"
                 "mov.u32 r5, 77\nstg.u32 [$x + r0*4], r5\nexit")

/* Depth i % 9 of recursion: 1 + 2 + ... on the way back. */
static uint32_t recursion(uint32_t i)
{
    const uint32_t n = i % 9;
    return n * (n + 1) / 2 + 1;
}
EXEC_TEST(test_recursion_of_different_depth, recursion, 1, 64, 64,
          THREAD "rem.u32 r3, r0, 9\n"
                 "mov.u32 r4, 1\nmov.u32 r5, 0\n"
                 "call sum\n"
                 "stg.u32 [$x + r0*4], r4\nexit\n"
                 "sum: setp.ge.u32 p0, r5, r3\n@p0 ret\n"
                 "add.u32 r5, r5, 1\n"
                 "call sum\n"
                 "add.u32 r4, r4, r5\n"
                 "sub.u32 r5, r5, 1\n"
                 "ret")

/* Every thread but the last waits for the one above it: in a warp this needs progress of those that do not
 * wait. */
static uint32_t chained(uint32_t i)
{
    return 12 - i;
}
EXEC_TEST(test_lanes_wait_for_lanes, chained, 1, 12, 12,
          "mov.u32 r0, %tid.x\n"
          "mov.u32 r3, 0\n"
          "setp.eq.u32 p0, r0, 11\n@p0 bra write\n"
          "wait: ldg.volatile.u32 r3, [$x + r0*4 + 4]\n"
          "setp.eq.u32 p1, r3, 0\n@p1 bra wait\n"
          "write: add.u32 r3, r3, 1\n"
          "stg.volatile.u32 [$x + r0*4], r3\nexit")

/* The first block waits for the last: blocks that wait must not keep others from running. */
static uint32_t between_blocks(uint32_t i)
{
    return 100 + i;
}
EXEC_TEST(test_blocks_wait_for_blocks, between_blocks, 4, 1, 4,
          "mov.u32 r0, %ctaid.x\n"
          "mov.u32 r4, %nctaid.x\n"
          "sub.u32 r4, r4, 1\n"
          "setp.eq.u32 p0, r0, r4\n@p0 bra last\n"
          "wait: ldg.volatile.u32 r3, [$x + r0*4 + 4]\n"
          "setp.eq.u32 p1, r3, 0\n@p1 bra wait\n"
          "sub.u32 r3, r3, 1\n"
          "stg.volatile.u32 [$x + r0*4], r3\nexit\n"
          "last: add.u32 r3, r0, 100\n"
          "stg.volatile.u32 [$x + r0*4], r3\nexit")

/* Through shared memory to the mirrored thread, twice, with two barriers of other numbers; a third of the
 * threads is gone by the second. */
static uint32_t mirrored(uint32_t i)
{
    return i % 3 == 2 ? 0 : 1000 + 63 - i;
}
EXEC_TEST(test_barriers, mirrored, 1, 64, 64,
          "mov.u32 r0, %tid.x\n"
          "mov.u32 r1, 63\n"
          "sub.u32 r1, r1, r0\n"
          "stg.u32 [$x + r0*4], r0\n"
          "bar.sync 3\n"
          "ldg.u32 r2, [$x + r1*4]\n"
          "bar.sync 0\n"
          "rem.u32 r3, r0, 3\nsetp.eq.u32 p0, r3, 2\n"
          "mov.u32 r4, 0\n@p0 stg.u32 [$x + r0*4], r4\n"
          "@p0 exit\n"
          "bar.sync 15\n"
          "add.u32 r2, r2, 1000\n"
          "stg.u32 [$x + r0*4], r2\nexit")

static uint32_t block_size;
static uint32_t numbered(uint32_t i)
{
    return 1 + i % block_size * 3 + i / block_size;
}
START_TEST(test_block_sizes)
{
    static const uint32_t sizes[] = {1, 2, 15, 16, 17, 31, 33, 63, 65, 127, 255, 257, 1000, 1024};
    struct exec_unit unit = exec_unit_new(THREAD "mul.u32 r2, r2, 3\nadd.u32 r2, r2, 1\n"
                                                 "mov.u32 r3, %ctaid.x\n"
                                                 "add.u32 r2, r2, r3\n"
                                                 "stg.u32 [$x + r0*4], r2\nexit",
                                          1);
    for (size_t i = 0; i < HX_COUNT_OF(sizes); i++) {
        block_size = sizes[i];
        hx_buffer_free(unit.device, unit.x);
        ck_assert_ok(
            hx_buffer_new(unit.device, "x", 4ull * 3 * block_size, HX_ACCESS_READWRITE, NULL, &unit.x));
        exec_unit_check(&unit, 3, block_size, numbered);
        ck_assert_uint_eq(unit.result.threads, 3 * block_size);
        ck_assert_uint_eq(unit.result.blocks_done, 3);
    }
    exec_unit_done(&unit);
}
END_TEST

/* Values that are the same in all lanes, computed in several steps by the later lanes of a gang only. */
static uint32_t some_arms(uint32_t i)
{
    const uint32_t n = 128; /* threads of the block */
    return i < 64 ? 7 : 0 + (n << 16 | n) + n + (0x100u << 16 | 0x100u) + i;
}
EXEC_TEST(test_same_values_on_one_arm, some_arms, 1, 128, 128,
          "mov.u32 r0, %tid.x\n"
          "mov.u32 r1, %ntid.x\n"
          "mov.u32 r9, 7\n"
          "setp.lt.u32 p1, r0, 64\n@p1 bra skip\n"
          "set.lt.u32.u32 r2, r1, 5\n"        /* 0 */
          "pack.u64.u16 r3, r1, r1, r1, r1\n" /* n four times */
          "unpack.u16.u64 _, _, r4, _, r3\n"  /* n */
          "cvt.u32.u64 r5, r3\n"
          "add.f16x2 r6, r5, r5\n" /* 2 n in each half: subnormals */
          "setp.lt.u32 p3, r1, 5\n"
          "setp.gt.or.u32 p2, r1, 500, p3\n" /* false */
          "sel.u32 r7, 1, r2, p2\n"
          "add.u32 r9, r7, r0\n"
          "add.u32 r9, r9, r5\n"
          "add.u32 r9, r9, r4\n"
          "add.u32 r9, r9, r6\n"
          "skip: stg.u32 [$x + r0*4], r9\nexit")

UNIT_MAIN("exec_paths", test_same_values_on_one_arm, test_nested_loops, test_early_exits,
          test_recursion_of_different_depth, test_lanes_wait_for_lanes, test_blocks_wait_for_blocks,
          test_barriers, test_block_sizes)
