/* Barriers with results, barriers that some only count at, reductions and scans: the same for every way of
 * forming gangs, with threads that have exited, come late or come from deep calls. */
#include "exec_unit.h"

/* Every fifth thread has exited. Of the others, multiples of three vote yes, then all, then none. */
static uint32_t ayes_of_those_left(uint32_t i)
{
    uint32_t ayes = 0;
    for (uint32_t thread = 0; thread < 100; thread++)
        ayes += thread % 5 != 4 && thread % 3 == 0;
    /* and: 4 for all; or: 1 for some */
    return i % 100 % 5 == 4 ? 0 : ayes * 100 + 4 + 1;
}
EXEC_TEST(test_results, ayes_of_those_left, 2, 100, 2 * 100,
          THREAD "rem.u32 r3, r2, 5\nsetp.eq.u32 p0, r3, 4\n@p0 exit\n"
                 "rem.u32 r3, r2, 3\nsetp.eq.u32 p0, r3, 0\n"
                 "bar.red.popc.u32 r4, 1, p0\n"
                 "mul.u32 r4, r4, 100\n"
                 "bar.red.and p1, 1, p0\n"
                 "@p1 add.u32 r4, r4, 2\n"
                 "setp.lt.u32 p2, r2, 100\n"
                 "bar.red.and p1, 15, p2\n"
                 "@p1 add.u32 r4, r4, 4\n"
                 "bar.red.or p1, 15, p0\n"
                 "@p1 add.u32 r4, r4, 1\n"
                 "bar.red.or p1, 0, !p2\n"
                 "@p1 add.u32 r4, r4, 8\n"
                 "stg.u32 [$x + r0*4], r4\nexit")

/* Threads reach one barrier at three places and depths, some of them late. */
static uint32_t ayes_of_all(uint32_t i)
{
    (void)i;
    return 34;
}
EXEC_TEST(test_results_in_calls, ayes_of_all, 2, 100, 2 * 100,
          THREAD "rem.u32 r3, r2, 3\nsetp.eq.u32 p0, r3, 0\n"
                 "setp.eq.u32 p1, r3, 1\n"
                 "@p0 bra here\n"
                 "@p1 call meet\n"
                 "@!p1 call late\n"
                 "bra write\n"
                 "here: bar.red.popc.u32 r4, 7, p0\n"
                 "write: stg.u32 [$x + r0*4], r4\nexit\n"
                 "late: mov.u32 r5, 3000\n"
                 "again: loop.u32 r5, again\n"
                 "call meet\n"
                 "ret\n"
                 "meet: bar.red.popc.u32 r4, 7, p0\n"
                 "ret")

/* Odd threads alone, by a guard, and as many as the count says. */
static uint32_t ayes_of_odd_threads(uint32_t i)
{
    return i % 2 ? 17 : 1000 + i % 100;
}
EXEC_TEST(test_guards_and_counts, ayes_of_odd_threads, 2, 100, 2 * 100,
          THREAD "and.u32 r3, r2, 1\nsetp.eq.u32 p0, r3, 0\n"
                 "rem.u32 r3, r2, 3\nsetp.eq.u32 p1, r3, 0\n"
                 "add.u32 r4, r2, 1000\n"
                 "mov.u32 r5, 50\n"
                 "@!p0 bar.red.popc.u32 r4, 3, p1, r5\n"
                 "bar.sync 4\n"
                 "stg.u32 [$x + r0*4], r4\nexit")

/* 64 threads make ten rounds of numbers in x, the 32 behind them add them up. */
static uint32_t made_and_added(uint32_t i)
{
    const uint32_t thread = i % 96;
    return thread < 64 ? 10 * thread : 55 * (2 * (thread - 64) + 32);
}
EXEC_TEST(test_producers_and_consumers, made_and_added, 2, 96, 2 * 96,
          THREAD "mov.u32 r3, 1\nmov.u32 r4, 96\nmov.u32 r5, 0\n"
                 "setp.ge.u32 p0, r2, 64\n@p0 bra consumer\n"
                 "producer: bar.sync 1, r4\n"
                 "mul.u32 r6, r3, r2\n"
                 "stg.u32 [$x + r0*4], r6\n"
                 "bar.arrive 2, r4\n"
                 "add.u32 r3, r3, 1\n"
                 "setp.le.u32 p1, r3, 10\n@p1 bra producer\n"
                 "exit\n"
                 "consumer: bar.arrive 1, r4\n"
                 "bar.sync 2, r4\n"
                 "ldg.u32 r6, [$x + r0*4 - 256]\n"
                 "ldg.u32 r7, [$x + r0*4 - 128]\n"
                 "add.u32 r5, r5, r6\n"
                 "add.u32 r5, r5, r7\n"
                 "add.u32 r3, r3, 1\n"
                 "setp.le.u32 p1, r3, 10\n@p1 bra consumer\n"
                 "stg.u32 [$x + r0*4], r5\nexit")

/* Every fourth thread has exited, every eighth comes late: sums of the numbers before, with and of all. */
static uint32_t sums(uint32_t i)
{
    const uint32_t thread = i % 100;
    uint32_t before = 0, all = 0;
    for (uint32_t other = 0; other < 100; other++)
        if (other % 4 != 3) {
            before += other < thread ? other : 0;
            all += other;
        }
    return thread % 4 == 3 ? 0 : before * 3 + thread + all * 7;
}
EXEC_TEST(test_sums, sums, 3, 100, 3 * 100,
          THREAD "and.u32 r3, r2, 3\nsetp.eq.u32 p0, r3, 3\n@p0 exit\n"
                 "and.u32 r3, r2, 7\nsetp.ne.u32 p0, r3, 2\n@p0 bra meet\n"
                 "mov.u32 r3, 3000\n"
                 "again: loop.u32 r3, again\n"
                 "meet: scan.add.excl.u32 r4, r2\n"
                 "scan.add.incl.u32 r5, r2\n"
                 "reduce.add.u32 r6, r2\n"
                 "add.u32 r4, r4, r4\n"
                 "add.u32 r4, r4, r5\n"
                 "mad.u32 r4, r6, 7, r4\n"
                 "stg.u32 [$x + r0*4], r4\nexit")

/* Sums of floats are rounded in the order of threads, whatever the order of gangs is. */
static uint32_t float_sums(uint32_t i)
{
    float sum = 0;
    uint32_t bits;
    for (uint32_t thread = 0; thread <= (i < 200 ? i : 199); thread++)
        sum = thread ? sum + 1.0f / (float)(thread + 1) : 1.0f;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}
EXEC_TEST(test_sums_of_floats, float_sums, 1, 200, 201,
          "mov.u32 r0, %tid.x\n"
          "add.u32 r1, r0, 1\n"
          "cvt.f32.u32 r1, r1\n"
          "mov.f32 r2, 1\n"
          "div.f32 r1, r2, r1\n"
          "scan.add.incl.f32 r3, r1\n"
          "stg.f32 [$x + r0*4], r3\n"
          "reduce.add.f32 r3, r1\n"
          "setp.eq.u32 p0, r0, 0\n"
          "@p0 stg.f32 [$x + 800], r3\nexit")

/* One reduction, to which threads come from one call deep and from three; then one by a guard. */
static uint32_t sums_in_calls(uint32_t i)
{
    return i % 3 == 1 ? 4950 + 1617 : 4950;
}
EXEC_TEST(test_sums_in_calls, sums_in_calls, 1, 100, 100,
          "mov.u32 r2, %tid.x\n"
          "rem.u32 r3, r2, 3\nsetp.eq.u32 p0, r3, 1\n@p0 call add\n"
          "@!p0 call deeper\n"
          "mov.u32 r5, 0\n"
          "@p0 reduce.add.u32 r5, r2\n"
          "add.u32 r4, r4, r5\n"
          "stg.u32 [$x + r2*4], r4\nexit\n"
          "deeper: call deepest\n"
          "ret\n"
          "deepest: call add\n"
          "ret\n"
          "add: reduce.add.u32 r4, r2\n"
          "ret")

static struct exec_unit faulting(const char *code, hx_fault_kind kind)
{
    static const uint32_t gangs[] = {1, 32, 64, 7};
    struct exec_unit unit = exec_unit_new(code, 1);
    for (uint64_t seed = 0; seed < 8; seed++) {
        unit.options.seed = seed;
        unit.options.gang_lanes = gangs[seed % 4];
        ck_assert_int_eq(exec_unit_launch(&unit, 1, 64), HX_FAULT);
        ck_assert_msg(unit.result.fault.kind == kind, "%s", hx_fault_text(unit.result.fault.kind));
    }
    return unit;
}

START_TEST(test_wrong_counts)
{
    static const char *const codes[] = {
        "mov.u32 r3, 32\n@p0 mov.u32 r3, 64\nbar.sync 0, r3\nexit",
        "mov.u32 r3, 65\nbar.sync 0, r3\nexit",
        "mov.u32 r3, 0\nbar.red.popc.u32 r4, 0, p0, r3\nexit",
        "mov.u32 r3, 0\nbar.arrive 4, r3\nexit",
        "mov.u32 r3, 64\n@p0 bra other\nbar.sync 0, r3\nexit\nother: bar.sync 0\nexit",
        "mov.u32 r3, 64\n@p0 bra other\nbar.arrive 0, r3\nexit\nother: mov.u32 r3, 48\nbar.sync 0, r3\nexit",
    };
    for (size_t i = 0; i < HX_COUNT_OF(codes); i++) {
        char code[300];
        snprintf(code, sizeof code, "mov.u32 r0, %%tid.x\nsetp.ge.u32 p0, r0, 40\n%s", codes[i]);
        struct exec_unit unit = faulting(code, HX_FAULT_BARRIER_COUNT);
        exec_unit_check_message(&unit, 1655, "bad thread count", "count");
        exec_unit_done(&unit);
    }
}
END_TEST

START_TEST(test_deadlocks)
{
    static const struct {
        const char *code, *first, *second;
        int first_line, second_line;
    } cases[] = {
        {"@p0 bra other\nreduce.add.u32 r3, r0\nexit\nother: reduce.add.u32 r3, r0\nexit",
         "for the block's threads", "for the block's threads", 4, 6},
        {"@p0 bra other\nreduce.add.u32 r3, r0\nexit\nother: scan.add.incl.u32 r3, r0\nexit",
         "for the block's threads", "for the block's threads", 4, 6},
        {"@p0 bra other\nscan.max.excl.u32 r3, r0\nexit\nother: bar.sync 5\nexit", "for the block's threads",
         "at barrier 5", 4, 6},
        {"@p0 bra other\nbar.red.and p1, 4, p0\nexit\nother: bar.sync 5\nexit", "at barrier 4",
         "at barrier 5", 4, 6},
    };
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        char code[300], place[60];
        snprintf(code, sizeof code, "mov.u32 r0, %%tid.x\nsetp.ge.u32 p0, r0, 40\n%s", cases[i].code);
        struct exec_unit unit = faulting(code, HX_FAULT_BARRIER_DEADLOCK);
        snprintf(place, sizeof place, "%s, line %d", cases[i].first, kernel_line(cases[i].first_line));
        exec_unit_check_message(&unit, 1654, "never be complete", place);
        snprintf(place, sizeof place, "%s, line %d", cases[i].second, kernel_line(cases[i].second_line));
        exec_unit_check_message(&unit, 1654, "never be complete", place);
        exec_unit_done(&unit);
    }
}
END_TEST

/* Those that only arrive do not wait: the one that waits for more than come is alone. */
START_TEST(test_too_few_that_arrive)
{
    struct exec_unit unit = faulting("mov.u32 r0, %tid.x\n"
                                     "mov.u32 r3, 64\n"
                                     "setp.lt.u32 p0, r0, 62\n@p0 bra giver\n"
                                     "setp.eq.u32 p0, r0, 62\n@p0 exit\n"
                                     "bar.sync 9, r3\n"
                                     "giver: bar.arrive 9, r3\n"
                                     "exit",
                                     HX_FAULT_BARRIER_DEADLOCK);
    exec_unit_check_message(&unit, 1654, "thread (63,0,0)", "1 thread (thread 63) waits at barrier 9");
    exec_unit_done(&unit);
}
END_TEST

UNIT_MAIN("exec_barriers", test_results, test_results_in_calls, test_guards_and_counts,
          test_producers_and_consumers, test_sums, test_sums_of_floats, test_sums_in_calls, test_wrong_counts,
          test_deadlocks, test_too_few_that_arrive)
