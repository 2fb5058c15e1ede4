/* Threads that part and meet again, and values that were the same in all of them before: what a thread
 * computes is what plain C computes for it. Arms of branches that run under masks, barriers and warps behind
 * parting, faults of some threads. */
#include "converge_unit.h"

static uint32_t thread_of(uint32_t i)
{
    return i % block_size;
}

/* The counter goes up by the same in all threads, but they leave in different rounds, and come together
 * behind the loop. There it is a loop's bound, an index, and a number. */
static uint32_t rounds(uint32_t i)
{
    const uint32_t left = thread_of(i) % 5 + 1;
    return left * 100 + left * 7 + 10;
}
CONVERGE_TEST(test_counters_of_different_rounds, rounds,
              THREAD_AND_10 "rem.u32 r3, r1, 5\n"
                            "mov.u32 r4, 0\n"
                            "again: setp.lt.u32 p0, r4, r3\n"
                            "add.u32 r4, r4, 1\n"
                            "@p0 bra again\n"
                            "mul.u32 r6, r4, 100\n"
                            "more: add.u32 r6, r6, 7\n"
                            "loop.u32 r4, more\n"
                            "add.u32 r6, r6, r5\n"
                            "stg.u32 [$x + r0*4], r6\nexit")

/* One counter for all, from which threads drop out; then all go on with what is left of it. */
static uint32_t dropped(uint32_t i)
{
    const uint32_t out = thread_of(i) % 7;
    return out < 4 ? 20 - out : 1000 + 16;
}
static uint32_t twice_the_same(uint32_t i)
{
    (void)i;
    return 5 * 10 + 4;
}
START_TEST(test_one_counter_for_all)
{
    check_blocks(THREAD_AND_10 "rem.u32 r3, r1, 7\n"
                               "mov.u32 r4, 20\nmov.u32 r6, 0\n"
                               "again: setp.eq.u32 p0, r6, r3\n@p0 bra out\n"
                               "add.u32 r6, r6, 1\n"
                               "setp.eq.u32 p1, r6, 4\n"
                               "loop.i32 r4, here\n"
                               "here: @!p1 bra again\n"
                               "add.u32 r4, r4, 1000\n"
                               "out: stg.u32 [$x + r0*4], r4\nexit",
                 dropped);
    check_blocks(THREAD_AND_10 "mov.i64 r4, 5\nmov.u32 r6, 0\n"
                               "again: add.u32 r6, r6, r5\n"
                               "loop.i64 r4, again\n"
                               "mov.u32 r4, 4\n"
                               "once: add.u32 r6, r6, 1\n"
                               "loop.u32 r4, once\n"
                               "loop.u32 r4, once\n" /* of 0: not again */
                               "stg.u32 [$x + r0*4], r6\nexit",
                 twice_the_same);
}
END_TEST

/* The counter counts in the loop, with what each thread has of its own. */
static uint32_t counted(uint32_t i)
{
    return (5 + 4 + 3 + 2 + 1) * thread_of(i) + (3 + 2 + 1) * thread_of(i);
}
CONVERGE_TEST(test_counters_are_read, counted,
              THREAD_AND_10 "mov.u32 r4, 5\nmov.u32 r6, 0\n"
                            "again: mad.u32 r6, r4, r1, r6\n"
                            "loop.u32 r4, again\n"
                            "mov.i64 r4, 3\nmov.u64 r7, 0\n"
                            "mov.u64 r8, r1\n"
                            "more: mad.u64 r7, r4, r8, r7\n"
                            "loop.i64 r4, more\n"
                            "cvt.u32.u64 r7, r7\n"
                            "add.u32 r6, r6, r7\n"
                            "stg.u32 [$x + r0*4], r6\nexit")

/* Some threads loop longer than a turn lasts, others wait behind the loop with the same counter. */
static uint32_t long_rounds(uint32_t i)
{
    return thread_of(i) % 16 == 5 ? 9000 + 10 : 3 + 10;
}
START_TEST(test_turns_end_in_loops)
{
    block_size = 40;
    check_shape(THREAD_AND_10 "rem.u32 r3, r1, 16\nsetp.eq.u32 p0, r3, 5\n"
                              "mov.u32 r7, 3\nmov.u32 r8, 9000\n"
                              "sel.u32 r3, r8, r7, p0\n"
                              "mov.u32 r4, 0\n"
                              "again: add.u32 r4, r4, 1\n"
                              "setp.lt.u32 p0, r4, r3\n@p0 bra again\n"
                              "add.u32 r4, r4, r5\n"
                              "stg.u32 [$x + r0*4], r4\nexit",
                1, (struct shape){40, 0, 0}, long_rounds);
}
END_TEST

/* A function, called from two places, returns early for some and changes what is the same in all. */
static uint32_t called(uint32_t i)
{
    const uint32_t thread = thread_of(i), third = thread % 3;
    const uint32_t own = third == 0 ? 10 + 1 : 10 + 1 + 2;
    const uint32_t again = third == 1 ? own : third == 0 ? own + 1 : own + 1 + 2;
    return again * 10 + 10;
}
START_TEST(test_calls)
{
    check_blocks(THREAD_AND_10 "rem.u32 r3, r1, 3\n"
                               "mov.u32 r6, r5\n"
                               "setp.eq.u32 p0, r3, 0\n"
                               "setp.eq.u32 p1, r3, 1\n"
                               "call f\n"
                               "@p1 bra skip\n"
                               "call f\n"
                               "skip: mad.u32 r6, r6, 10, r5\n"
                               "stg.u32 [$x + r0*4], r6\nexit\n"
                               "f: add.u32 r6, r6, 1\n"
                               "@p0 ret\n"
                               "add.u32 r6, r6, 2\n"
                               "ret",
                 called);
    check_blocks(THREAD_AND_10 "rem.u32 r3, r1, 3\n" /* guarded calls */
                               "mov.u32 r6, r5\n"
                               "setp.eq.u32 p0, r3, 0\n"
                               "setp.eq.u32 p1, r3, 1\n"
                               "call f\n"
                               "@!p1 call f\n"
                               "mad.u32 r6, r6, 10, r5\n"
                               "stg.u32 [$x + r0*4], r6\nexit\n"
                               "f: add.u32 r6, r6, 1\n"
                               "@!p0 add.u32 r6, r6, 2\n"
                               "ret",
                 called);
}
END_TEST

/* What is left of the block after exits, at barriers with and without results, and in sums. */
static uint32_t after_exits(uint32_t i)
{
    uint32_t left = 0, ayes = 0, before = 0;
    for (uint32_t t = 0; t < block_size; t++) {
        left += t % 4 != 3;
        ayes += t % 4 == 0;
        before += t % 4 != 3 && t <= thread_of(i) ? 11 : 0;
    }
    return thread_of(i) % 4 == 3 ? 0 : left * 11 + ayes * 1000 + before + (left == ayes) + 10;
}
CONVERGE_TEST(test_exits_and_barriers, after_exits,
              THREAD_AND_10 "and.u32 r3, r1, 3\nsetp.eq.u32 p0, r3, 3\n"
                            "setp.eq.u32 p1, r3, 0\n"
                            "bar.sync 0\n"
                            "@p0 exit\n"
                            "add.u32 r6, r5, 1\n"
                            "reduce.add.u32 r7, r6\n"
                            "bar.red.popc.u32 r8, 1, p1\n"
                            "scan.add.incl.u32 r9, r6\n"
                            "mad.u32 r7, r8, 1000, r7\n"
                            "add.u32 r7, r7, r9\n"
                            "bar.red.and p2, 2, p1\n"
                            "@p2 add.u32 r7, r7, 1\n"
                            "add.u32 r7, r7, r5\n"
                            "stg.u32 [$x + r0*4], r7\nexit")

/* The last of those that are there come from a branch to the sum, with a value that is the same in all; those
 * whose guard is false go on and exit. */
static uint32_t guarded(uint32_t i)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < block_size; t++)
        count += t % 3 != 0;
    return thread_of(i) % 3 ? count * 10 + (uint32_t)-3 * count : 5;
}
CONVERGE_TEST(test_guards_of_sums, guarded,
              THREAD_AND_10 "rem.u32 r3, r1, 3\nsetp.ne.u32 p0, r3, 0\n"
                            "mov.u32 r4, 5\n"
                            "mov.u64 r7, r5\n"
                            "@p0 reduce.add.u32 r4, r7\n"
                            "@!p0 bra write\n"
                            "reduce.add.i32 r6, $tiny\n"
                            "add.u32 r4, r4, r6\n"
                            "write: stg.u32 [$x + r0*4], r4\nexit")

/* A switch with an index that all have, and one that they disagree on, some by a guard not at all. */
static uint32_t switched(uint32_t i)
{
    static const uint32_t third[] = {100, 200, 300};
    return third[thread_of(i) % 3] + 10 + (thread_of(i) % 2 ? 200 : 0);
}
CONVERGE_TEST(test_switches, switched,
              THREAD_AND_10 "rem.u32 r3, r1, 3\n"
                            "and.u32 r4, r1, 1\nsetp.eq.u32 p0, r4, 1\n"
                            "mov.u32 r6, 0\n"
                            "brx r3, t, 3\n"
                            "t: bra a\n"
                            "bra b\n"
                            "bra c\n"
                            "a: add.u32 r6, r6, 100\n"
                            "bra on\n"
                            "b: add.u32 r6, r6, 200\n"
                            "bra on\n"
                            "c: add.u32 r6, r6, 300\n"
                            "on: sub.u32 r7, r5, 9\n"
                            "@p0 brx r7, s, 2\n"
                            "bra end\n"
                            "s: bra d\n"
                            "bra e\n"
                            "d: add.u32 r6, r6, 1000\n"
                            "e: add.u32 r6, r6, 200\n"
                            "end: add.u32 r6, r6, r5\n"
                            "stg.u32 [$x + r0*4], r6\nexit")

/* What lanes tell each other: a value of all, behind a branch and with some that do not take part. */
static uint32_t sent(uint32_t i)
{
    const uint32_t thread = thread_of(i), first = thread / 32 * 32;
    const uint32_t end = first + 32 < block_size ? first + 32 : block_size;
    uint32_t odd = 0, odd_sum = 0;
    for (uint32_t t = first; t < end; t++) {
        odd |= (t % 2) << (t - first);
        odd_sum += t % 2 ? 10 : 0;
    }
    return 10 + (thread % 2 ? odd_sum : 5) + odd;
}
CONVERGE_TEST(test_warps, sent,
              THREAD_AND_10 "and.u32 r3, r1, 1\nsetp.eq.u32 p0, r3, 1\n"
                            "mov.u32 r4, 5\n"
                            "@!p0 bra meet\n"
                            "redux.add.u32 r4, r5\n"
                            "meet: vote.ballot.u32 r6, p0\n"
                            "add.u32 r4, r4, r6\n"
                            "mov.u32 r7, 0\n"
                            "shfl.idx.u32 r8, r5, r7\n"
                            "add.u32 r4, r4, r8\n"
                            "stg.u32 [$x + r0*4], r4\nexit")

/* Lanes wait in the midst of the instruction for those that their mask names, which go on and exit. */
static uint32_t sent_by_members(uint32_t i)
{
    return thread_of(i) % 3 ? 10 : 5;
}
CONVERGE_TEST(test_guards_of_shuffles, sent_by_members,
              THREAD_AND_10 "mov.u32 r10, 1\nmov.u64 r6, 0xffffffff\n"
                            "rem.u32 r3, r1, 3\nsetp.ne.u32 p0, r3, 0\n"
                            "mov.u32 r4, 5\n"
                            "@p0 shfl.idx.u32 r4, r5, r10, 31, r6\n"
                            "stg.u32 [$x + r0*4], r4\nexit")

/* The same of warpsync, which is counted again for lanes that waited. */
START_TEST(test_guards_of_warpsync)
{
    struct exec_unit unit = exec_unit_new(THREAD_AND_10 "mov.u64 r6, 0xffffffff\n"
                                                        "rem.u32 r3, r1, 3\nsetp.ne.u32 p0, r3, 0\n"
                                                        "mov.u32 r4, 5\n"
                                                        "@p0 warpsync r6\n"
                                                        "@p0 mov.u32 r4, r5\n"
                                                        "stg.u32 [$x + r0*4], r4\nexit",
                                          2 * 96);
    block_size = 96;
    exec_unit_check_orders(&unit, 2, 96, sent_by_members);
    exec_unit_done(&unit);
}
END_TEST

/* A block's place is the same in all its threads, and another one in the next block. */
static uint32_t placed(uint32_t i)
{
    const uint32_t block = i / 5;
    return block % 7 + 100 * (block / 7 % 11) + 10000 * (block / 77) + i % 5 + 10;
}
START_TEST(test_places_of_blocks)
{
    struct exec_unit unit = exec_unit_new(THREAD_AND_10 "mov.u32 r3, %ctaid.x\n"
                                                        "mov.u32 r4, %ctaid.y\n"
                                                        "mad.u32 r3, r4, 100, r3\n"
                                                        "mov.u32 r4, %ctaid.z\n"
                                                        "mad.u32 r3, r4, 10000, r3\n"
                                                        "add.u32 r3, r3, r5\n"
                                                        "add.u32 r3, r3, r1\n"
                                                        "stg.u32 [$x + r0*4], r3\nexit",
                                          7 * 11 * 13 * 5);
    unit.options.grid[1] = 11;
    unit.options.grid[2] = 13;
    exec_unit_check(&unit, 7, 5, placed);
    ck_assert_uint_eq(unit.result.blocks_done, 7 * 11 * 13);
    exec_unit_done(&unit);
}
END_TEST

/* Every other block waits for the one behind it, which its worker may have taken together with it. */
static uint32_t sent_by_the_next(uint32_t i)
{
    return i % 2 ? i : i + 2;
}
START_TEST(test_blocks_wait_in_their_handful)
{
    struct exec_unit unit = exec_unit_new("mov.u32 r0, %ctaid.x\n"
                                          "and.u32 r3, r0, 1\nsetp.eq.u32 p0, r3, 1\n"
                                          "mov.u32 r4, r0\n"
                                          "@p0 bra write\n"
                                          "wait: ldg.volatile.u32 r4, [$x + r0*4 + 4]\n"
                                          "setp.eq.u32 p1, r4, 0\n@p1 bra wait\n"
                                          "add.u32 r4, r4, 1\n"
                                          "write: stg.volatile.u32 [$x + r0*4], r4\nexit",
                                          600);
    for (uint32_t workers = 1; workers <= 2; workers++) {
        unit.options.workers = workers;
        memset(exec_unit_x(&unit), 0, 4 * 600);
        ck_assert_ok(exec_unit_launch(&unit, 600, 1));
        ck_assert_uint_eq(unit.result.blocks_done, 600);
        for (uint32_t i = 0; i < 600; i++)
            ck_assert_uint_eq(exec_unit_x(&unit)[i], sent_by_the_next(i));
    }
    exec_unit_done(&unit);
}
END_TEST

UNIT_MAIN("exec_converge", test_counters_of_different_rounds, test_one_counter_for_all,
          test_counters_are_read, test_turns_end_in_loops, test_calls, test_exits_and_barriers,
          test_guards_of_sums, test_switches, test_warps, test_guards_of_shuffles, test_guards_of_warpsync,
          test_places_of_blocks, test_blocks_wait_in_their_handful)
