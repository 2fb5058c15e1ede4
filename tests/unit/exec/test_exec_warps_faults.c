/* Lanes of a warp that can never come together: masks without their own lane, and lanes that wait for lanes
 * that wait. */
#include "exec_unit.h"

/* Thread 37, which is lane 5, has a mask without itself. */
START_TEST(test_lanes_that_do_not_name_themselves)
{
    static const char *const codes[] = {"shfl.idx.u32 r4, r0, r6, r7, r3", "vote.any p1, p0, r3",
                                        "vote.ballot.u32 r4, p0, r3",      "match.any.u32 r4, r0, r3",
                                        "redux.min.u32 r4, r0, r3",        "warpsync r3"};
    for (size_t i = 0; i < HX_COUNT_OF(codes); i++) {
        char code[400];
        snprintf(code, sizeof code,
                 "mov.u32 r0, %%tid.x\nmov.u32 r6, 0\nmov.u32 r7, 31\nmov.u32 r3, 0xffffffff\n"
                 "setp.eq.u32 p0, r0, 37\n@p0 mov.u32 r3, 0xffffffdf\n%s\nexit",
                 codes[i]);
        struct exec_unit unit = exec_unit_new(code, 1);
        static const uint32_t gangs[] = {1, 32, 256};
        for (size_t g = 0; g < HX_COUNT_OF(gangs); g++) {
            unit.options.gang_lanes = gangs[g];
            ck_assert_int_eq(exec_unit_launch(&unit, 1, 64), HX_FAULT);
            ck_assert_int_eq(unit.result.fault.kind, HX_FAULT_MEMBER_MASK);
            ck_assert_uint_eq(unit.result.fault.thread[0], 37);
            ck_assert_uint_eq(unit.result.fault.instruction, 6);
            exec_unit_check_message(&unit, 1660, "thread (37,0,0)", "0xffffffdf");
        }
        exec_unit_done(&unit);
    }
    /* nor does it matter where the guard is false */
    struct exec_unit unit = exec_unit_new("mov.u32 r0, %tid.x\nmov.u32 r3, 0x1f\nsetp.lt.u32 p0, r0, 5\n"
                                          "@p0 warpsync r3\nredux.add.u32 r3, r0\nstg.u32 [$x + r0*4], r3\n"
                                          "exit",
                                          8);
    ck_assert_ok(exec_unit_launch(&unit, 1, 8));
    ck_assert_uint_eq(exec_unit_x(&unit)[0], 28);
    exec_unit_done(&unit);
}
END_TEST

START_TEST(test_lanes_that_wait_for_lanes_at_a_barrier)
{
    struct exec_unit unit = exec_unit_new("mov.u32 r0, %tid.x\n"
                                          "mov.u32 r3, 0xffffffff\n"
                                          "setp.ge.u32 p0, r0, 10\n@p0 bra other\n"
                                          "redux.add.u32 r4, r0, r3\nexit\n"
                                          "other: bar.sync 3\n"
                                          "exit",
                                          1);
    for (uint64_t seed = 0; seed < 20; seed++) {
        char place[40];
        unit.options.seed = seed;
        unit.options.gang_lanes = seed % 2 ? 32 : 256;
        ck_assert_int_eq(exec_unit_launch(&unit, 1, 64), HX_FAULT);
        ck_assert_int_eq(unit.result.fault.kind, HX_FAULT_BARRIER_DEADLOCK);
        snprintf(place, sizeof place, "for lanes of their warp, line %d", kernel_line(5));
        exec_unit_check_message(&unit, 1654, "wait", place);
        exec_unit_check_message(&unit, 1654, "wait", "10 threads (first: thread 0) wait for lanes");
        snprintf(place, sizeof place, "at barrier 3, line %d", kernel_line(7));
        exec_unit_check_message(&unit, 1654, "wait", place);
    }
    exec_unit_done(&unit);
}
END_TEST

/* Two groups of a warp that name each other, at two places. */
START_TEST(test_lanes_that_wait_for_each_other)
{
    struct exec_unit unit = exec_unit_new("mov.u32 r0, %tid.x\n"
                                          "mov.u32 r3, 0xffffffff\n"
                                          "setp.ge.u32 p0, r0, 10\n@p0 bra other\n"
                                          "redux.add.u32 r4, r0, r3\nexit\n"
                                          "other: warpsync r3\nexit",
                                          1);
    ck_assert_int_eq(exec_unit_launch(&unit, 1, 32), HX_FAULT);
    ck_assert_int_eq(unit.result.fault.kind, HX_FAULT_BARRIER_DEADLOCK);
    exec_unit_check_message(&unit, 1654, "wait", "10 threads (first: thread 0) wait for lanes");
    exec_unit_check_message(&unit, 1654, "wait", "22 threads (first: thread 10) wait for lanes");
    exec_unit_done(&unit);
}
END_TEST

UNIT_MAIN("exec_warps_faults", test_lanes_that_do_not_name_themselves,
          test_lanes_that_wait_for_lanes_at_a_barrier, test_lanes_that_wait_for_each_other)
