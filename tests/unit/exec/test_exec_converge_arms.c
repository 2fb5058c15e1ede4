/* Converged code and the way between it and the general one: what is kept once in a gang, arms of branches
 * that run under masks, lanes that part in the middle of an instruction. Whatever the gangs are, threads must
 * see the same. */
#include "exec_unit.h"

/* p0: every third thread; r3: the remainder */
#define THIRDS                                                                                               \
    "rem.u32 r3, r2, 3\n"                                                                                    \
    "setp.eq.u32 p0, r3, 2\n"

static bool is_third(uint32_t i)
{
    return i % 100 % 3 == 2;
}

/* A value of one arm is on its way through the other one, which widens another. */
static uint32_t kept_through_first(uint32_t i)
{
    return is_third(i) ? 12 : 14;
}
EXEC_TEST(test_kept_through_first, kept_through_first, 2, 100, 2 * 100,
          THREAD THIRDS "mov.u32 r4, $n\n"
                        "mul.u32 r4, r4, 1\n"
                        "mov.u64 r6, $n\n"
                        "add.u64 r6, r6, 4\n"
                        "@p0 bra other\n"
                        "add.u64 r8, r4, r4\n"
                        "bra end\n"
                        "other: add.u64 r8, r6, 1\n"
                        "end: stg.u32 [$x + r0*4], r8\nexit")

/* What is the same in a arm is computed by way of predicates, halves and quarters. */
static uint32_t parts_in_arm(uint32_t i)
{
    return is_third(i) ? 0 : 1 + 7 + 7 * 3 + 100;
}
EXEC_TEST(test_parts_in_arm, parts_in_arm, 2, 100, 2 * 100,
          THREAD THIRDS "mov.u32 r4, $n\n"
                        "setp.eq.u32 p3, r4, 7\n"
                        "mov.u32 r8, 0\n"
                        "@p0 bra end\n"
                        "set.eq.u32.u32 r5, r4, 7\n"
                        "pack.u64.u16 r6, r4, r5, r4, r5\n"
                        "unpack.u16.u64 r10, r11, r12, r13, r6\n"
                        "setp.ne.and.u32 p1, r4, 8, p3\n"
                        "mov.u32 r14, 100\n"
                        "sel.u32 r14, r14, 200, p1\n"
                        "and.u32 r5, r5, 1\n"
                        "add.u32 r9, r5, r10\n"
                        "mad.u32 r9, r12, 3, r9\n"
                        "add.u32 r9, r9, r14\n"
                        "add.u32 r8, r8, r9\n"
                        "end: stg.u32 [$x + r0*4], r8\nexit")

static uint32_t carried_in_arm(uint32_t i)
{
    return is_third(i) ? 0 : 1 + 3;
}
EXEC_TEST(test_carry_in_arm, carried_in_arm, 2, 100, 2 * 100,
          THREAD THIRDS "mov.u32 r4, $n\n"
                        "setp.eq.u32 p3, r4, 7\n"
                        "mov.u32 r8, 0\n"
                        "@p0 bra end\n"
                        "addc.u32 r5, p1, r4, 0xfffffff8, p3\n"
                        "mov.u32 r9, 1\n"
                        "sel.u32 r9, r9, 2, p1\n"
                        "add.u32 r9, r9, r5\n"
                        "add.u32 r8, r8, r9\n"
                        "add.u32 r8, r8, 3\n"
                        "end: stg.u32 [$x + r0*4], r8\nexit")

/* A list of pairs, a link and a number each: the link goes where the address was. */
static uint32_t linked(uint32_t i)
{
    return i < 12 ? 0 : 5 + 6 + 7;
}
EXEC_TEST(test_linked_list, linked, 1, 100, 112,
          "mov.u32 r2, %tid.x\n"
          "mov.u64 r4, $x\n"
          "add.u64 r6, r4, 16\n"
          "stg.u64 [r4], r6\n"
          "add.u64 r6, r4, 32\n"
          "stg.u64 [r4 + 16], r6\n"
          "mov.u64 r6, 0\n"
          "stg.u64 [r4 + 32], r6\n"
          "mov.u64 r6, 5\n"
          "stg.u64 [r4 + 8], r6\n"
          "mov.u64 r6, 6\n"
          "stg.u64 [r4 + 24], r6\n"
          "mov.u64 r6, 7\n"
          "stg.u64 [r4 + 40], r6\n"
          "mov.u64 r8, $x\n"
          "mov.u64 r10, 0\n"
          "mov.u32 r12, $n\n"
          "sub.u32 r12, r12, 7\n"
          "bar.sync 0\n"
          "again: ldg.v2.u64 r8, [r8 + r12*8]\n"
          "add.u64 r10, r10, r9\n"
          "setp.ne.u64 p1, r8, 0\n@p1 bra again\n"
          "bar.sync 0\n"
          "cvt.u32.u64 r10, r10\n"
          "add.u32 r6, r2, 12\n"
          "stg.u32 [$x + r6*4], r10\n"
          "setp.lt.u32 p1, r2, 12\n"
          "mov.u32 r10, 0\n"
          "@p1 stg.u32 [$x + r2*4], r10\nexit")

/* A load whose result has the row of its index, before the window is known. */
static uint32_t followed(uint32_t i)
{
    return i < 100 ? 9 + 1 : 0;
}
EXEC_TEST(test_load_over_its_index, followed, 1, 100, 112,
          "mov.u32 r2, %tid.x\n"
          "mov.u32 r3, $n\n"
          "mov.u32 r4, 9\n"
          "stg.u32 [$x + r3*4 + 400], r4\n"
          "bar.sync 0\n"
          "ldg.u32 r3, [$x + r3*4 + 400]\n"
          "add.u32 r3, r3, 1\n"
          "bar.sync 0\n"
          "stg.u32 [$x + r2*4], r3\n"
          "mov.u32 r4, 0\n"
          "stg.u32 [$x + 428], r4\nexit")

static uint32_t summed_by_some(uint32_t i)
{
    return i % 100 % 3 == 2 ? 1 : 7 * 67 + 1;
}
START_TEST(test_some_reduce)
{
    exec_unit_check_code(THREAD THIRDS "mov.u32 r4, $n\n"
                                       "mul.u32 r4, r4, 1\n"
                                       "mov.u32 r5, 0\n"
                                       "@!p0 reduce.add.u32 r5, r4\n"
                                       "add.u32 r5, r5, 1\n"
                                       "@p0 bra some\n"
                                       "some: stg.u32 [$x + r0*4], r5\nexit",
                         2, 100, 2 * 100, summed_by_some);
    exec_unit_check_code(THREAD THIRDS "mov.u64 r4, $n\n"
                                       "mul.u64 r4, r4, 1\n"
                                       "mov.u32 r5, 0\n"
                                       "@!p0 reduce.add.u32 r5, r4\n"
                                       "add.u32 r5, r5, 1\n"
                                       "stg.u32 [$x + r0*4], r5\nexit",
                         2, 100, 2 * 100, summed_by_some);
    exec_unit_check_code(THREAD THIRDS "mov.u32 r5, 0\n"
                                       "mov.u32 r4, $n\n"
                                       "mul.u32 r4, r4, 1\n"
                                       "@!p0 reduce.add.i32 r5, $tiny\n"
                                       "sub.u32 r5, 0, r5\n"
                                       "div.u32 r5, r5, 3\n"
                                       "mad.u32 r5, r5, r4, 1\n"
                                       "stg.u32 [$x + r0*4], r5\nexit",
                         2, 100, 2 * 100, summed_by_some);
}
END_TEST

/* Lanes whose guard is true name those whose guard is false, which exit: then they go on. */
static uint32_t shuffled_by_some(uint32_t i)
{
    return is_third(i) ? 0 : 7;
}
EXEC_TEST(test_some_shuffle, shuffled_by_some, 2, 100, 2 * 100,
          THREAD THIRDS "mov.u64 r4, $n\n"
                        "mul.u64 r4, r4, 1\n"
                        "mov.u64 r6, 0xffffffff\n"
                        "mul.u64 r6, r6, 1\n"
                        "@!p0 shfl.idx.b32 r5, r4, r4, 31, r6\n"
                        "@p0 exit\n"
                        "stg.u32 [$x + r0*4], r5\nexit")

EXEC_TEST(test_some_sync, shuffled_by_some, 2, 100, 2 * 100,
          THREAD THIRDS "mov.u64 r6, 0xffffffff\n"
                        "mul.u64 r6, r6, 1\n"
                        "mov.u32 r5, 7\n"
                        "@!p0 warpsync r6\n"
                        "@p0 exit\n"
                        "stg.u32 [$x + r0*4], r5\nexit")

/* All lanes of an arm load from one place that no buffer has: the fault names the first of them. */
START_TEST(test_fault_in_arm)
{
    static const uint32_t gangs[] = {1, 32, 256};
    for (size_t i = 0; i < HX_COUNT_OF(gangs); i++) {
        struct exec_unit unit = exec_unit_new("mov.u32 r2, %tid.x\n"
                                              "setp.lt.u32 p0, r2, 70\n"
                                              "mov.u32 r8, 0\n"
                                              "mov.u32 r4, $n\n"
                                              "@p0 bra end\n"
                                              "ldg.u32 r5, [$x + r4*4 + 1000]\n"
                                              "add.u32 r8, r5, r2\n"
                                              "end: stg.u32 [$x + r2*4], r8\nexit",
                                              100);
        unit.options.gang_lanes = gangs[i];
        unit.options.workers = 1;
        ck_assert_int_ne(exec_unit_launch(&unit, 1, 100), HX_OK);
        ck_assert_int_eq(unit.result.fault.kind, HX_FAULT_OUT_OF_RANGE);
        ck_assert_int_eq(unit.result.fault.thread[0], 70);
        ck_assert_int_eq(unit.result.fault.instruction, 5);
        exec_unit_done(&unit);
    }
}
END_TEST

UNIT_MAIN("exec_converge_arms", test_kept_through_first, test_parts_in_arm, test_carry_in_arm,
          test_linked_list, test_load_over_its_index, test_some_reduce, test_some_shuffle, test_some_sync,
          test_fault_in_arm)
