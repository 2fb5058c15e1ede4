/* Lanes of a warp that wait for each other: whom a shuffle, vote or redux waits for does not depend on gangs,
 * workers and the order of paths. What one of them computes, the vectors of isa/tests say. */
#include "exec_unit.h"

/* r0: the thread in the grid; r1: in its warp; r2: in its block */
#define LANE THREAD "mov.u32 r1, %laneid\n"

/* Lane 5 counts to 5000, more than a path may jump in one turn: in front of the shuffle, or far behind it. */
static uint32_t counted_by_lane_5(uint32_t i)
{
    return 5000 + i % 80;
}
START_TEST(test_long_loops_are_waited_for)
{
    exec_unit_check_code(LANE "mov.u32 r4, 0\n"
                              "setp.ne.u32 p0, r1, 5\n@p0 bra meet\n"
                              "mov.u32 r3, 5000\n"
                              "again: add.u32 r4, r4, 1\n"
                              "loop.u32 r3, again\n"
                              "meet: mov.u32 r6, 5\n"
                              "shfl.idx.u32 r5, r4, r6\n"
                              "add.u32 r5, r5, r2\n"
                              "stg.u32 [$x + r0*4], r5\nexit",
                         2, 80, 2 * 80, counted_by_lane_5);
    exec_unit_check_code(LANE "mov.u32 r4, 0\n"
                              "setp.eq.u32 p0, r1, 5\n@p0 bra far\n"
                              "meet: mov.u32 r6, 5\n"
                              "shfl.idx.u32 r5, r4, r6\n"
                              "add.u32 r5, r5, r2\n"
                              "stg.u32 [$x + r0*4], r5\nexit\n"
                              "far: mov.u32 r3, 5000\n"
                              "again: add.u32 r4, r4, 1\n"
                              "loop.u32 r3, again\n"
                              "bra meet",
                         2, 80, 2 * 80, counted_by_lane_5);
}
END_TEST

/* Sums of lane numbers: of the odd lanes among themselves, of the even ones, and then of all. */
static uint32_t odd_even_all(uint32_t i)
{
    return (i % 2 ? 256 : 240) + 1000 * 496;
}
EXEC_TEST(test_lanes_that_parted, odd_even_all, 2, 96, 2 * 96,
          LANE "and.u32 r3, r1, 1\nsetp.eq.u32 p0, r3, 0\n@p0 bra even\n"
               "redux.add.u32 r4, r1\n"
               "bra meet\n"
               "even: redux.add.u32 r4, r1\n"
               "meet: redux.add.u32 r5, r1\n"
               "mad.u32 r4, r5, 1000, r4\n"
               "stg.u32 [$x + r0*4], r4\nexit")

/* One lane after the other leaves the loop; each round's ballot has those that are left. */
static uint32_t left_in_rounds(uint32_t i)
{
    const uint32_t lane = i % 32;
    uint32_t sum = 0;
    for (uint32_t round = 0; round <= lane; round++)
        sum += 32 - round;
    return sum + 100000 * 32;
}
EXEC_TEST(test_loops_of_different_length, left_in_rounds, 2, 64, 2 * 64,
          LANE "mov.u32 r3, 0\nmov.u32 r4, 0\n"
               "setp.eq.u32 p1, r4, r4\n"
               "again: vote.ballot.u32 r5, p1\n"
               "popc.u32 r5, r5\n"
               "add.u32 r4, r4, r5\n"
               "add.u32 r3, r3, 1\n"
               "setp.le.u32 p0, r3, r1\n@p0 bra again\n"
               "vote.ballot.u32 r5, p1\n"
               "popc.u32 r5, r5\n"
               "mad.u32 r4, r5, 100000, r4\n"
               "stg.u32 [$x + r0*4], r4\nexit")

/* At depth n vote the lanes that go n deep; those that are back at the top sum up what they counted. */
static uint32_t counted_by_depth(uint32_t i)
{
    static const uint32_t counts[] = {0, 24, 24 + 16, 24 + 16 + 8};
    return counts[i % 4] + 1000 * 8 * (24 + 24 + 16 + 24 + 16 + 8);
}
EXEC_TEST(test_votes_within_recursion, counted_by_depth, 2, 64, 2 * 64,
          LANE "and.u32 r3, r1, 3\n"
               "mov.u32 r4, 0\nmov.u32 r5, 0\n"
               "setp.eq.u32 p1, r4, r4\n"
               "call deeper\n"
               "redux.add.u32 r6, r4\n"
               "mad.u32 r4, r6, 1000, r4\n"
               "stg.u32 [$x + r0*4], r4\nexit\n"
               "deeper: setp.ge.u32 p0, r5, r3\n@p0 ret\n"
               "add.u32 r5, r5, 1\n"
               "call deeper\n"
               "vote.ballot.u32 r6, p1\n"
               "popc.u32 r6, r6\n"
               "add.u32 r4, r4, r6\n"
               "ret")

/* Lanes 0 to 7 name each other, and 4 to 7 come late. All others wait for what comes of it: x[96 + warp]. */
static uint32_t eight_of_a_warp(uint32_t i)
{
    if (i >= 96)
        return 1;
    return i % 32 < 8 ? 1 + (i ^ 7) : 1;
}
EXEC_TEST(test_masks, eight_of_a_warp, 1, 96, 96 + 3,
          LANE "mov.u32 r9, %warpid\n"
               "mov.u32 r10, 1\n"
               "setp.ge.u32 p0, r1, 8\n@p0 bra wait\n"
               "setp.lt.u32 p1, r1, 4\n@p1 bra meet\n"
               "mov.u32 r3, 5000\n"
               "again: loop.u32 r3, again\n"
               "meet: mov.u32 r6, 7\nmov.u32 r7, 0x1f\nmov.u32 r8, 0xff\n"
               "shfl.bfly.u32 r5, r0, r6, r7, r8\n"
               "stg.volatile.u32 [$x + r9*4 + 384], r10\n"
               "add.u32 r10, r5, 1\n"
               "bra write\n"
               "wait: ldg.volatile.u32 r3, [$x + r9*4 + 384]\n"
               "setp.eq.u32 p1, r3, 0\n@p1 bra wait\n"
               "write: stg.u32 [$x + r0*4], r10\nexit")

/* A third of the lanes exit at once, a third after a long loop; the rest name all and count who is left. */
static uint32_t those_who_stay(uint32_t i)
{
    uint32_t count = 0;
    for (uint32_t other = i & ~31u; other < (i & ~31u) + 32; other++)
        count += other % 3 == 0;
    return i % 3 == 0 ? count : 0;
}
EXEC_TEST(test_lanes_that_have_exited, those_who_stay, 1, 96, 96,
          "mov.u32 r0, %tid.x\n"
          "rem.u32 r3, r0, 3\nsetp.eq.u32 p0, r3, 1\n@p0 exit\n"
          "setp.eq.u32 p0, r3, 0\n@p0 bra meet\n"
          "mov.u32 r3, 5000\n"
          "again: loop.u32 r3, again\n"
          "exit\n"
          "meet: mov.u32 r4, 0xffffffff\nmov.u32 r5, 1\n"
          "redux.add.u32 r5, r5, r4\n"
          "stg.u32 [$x + r0*4], r5\nexit")

/* Neighbours hand over through memory, the odd one late, and on to the one beyond: all lanes, or four by
 * four. */
#define HAND_OVER(mask, sync)                                                                                \
    LANE "add.u32 r3, r0, 100\n"                                                                             \
         "and.u32 r4, r1, 1\n"                                                                               \
         "setp.eq.u32 p0, r4, 0\n"                                                                           \
         "@p0 bra give\n"                                                                                    \
         "mov.u32 r4, 3000\n"                                                                                \
         "again: loop.u32 r4, again\n"                                                                       \
         "give: xor.u32 r5, r0, 1\n" mask "stg.u32 [$x + r5*4], r3\n" sync "\n"                              \
         "ldg.u32 r3, [$x + r0*4]\n" sync "\n"                                                               \
         "xor.u32 r5, r0, 3\n"                                                                               \
         "stg.u32 [$x + r5*4], r3\n" sync "\n"                                                               \
         "exit"
static uint32_t handed_over(uint32_t i)
{
    return 100 + (i ^ 3 ^ 1); /* what lane i ^ 3 got from its neighbour */
}
START_TEST(test_warpsync)
{
    exec_unit_check_code(HAND_OVER("", "warpsync"), 2, 64, 2 * 64, handed_over);
    exec_unit_check_code(HAND_OVER("and.u32 r6, r1, 28\nmov.u32 r7, 15\nshl.u32 r6, r7, r6\n", "warpsync r6"),
                         2, 64, 2 * 64, handed_over);
}
END_TEST

/* Odd lanes only, by a guard. Without a mask they are who is here; with one that names all, they wait until
 * the even lanes have exited. */
static uint32_t odd_lanes(uint32_t i)
{
    return i % 2 ? 256 : i % 32;
}
#define ODD_LANES(parity, redux)                                                                             \
    LANE "and.u32 r3, r1, 1\nsetp.eq.u32 p0, r3, " parity "\n"                                               \
         "mov.u32 r4, r1\n" redux "stg.u32 [$x + r0*4], r4\nexit"
START_TEST(test_guards)
{
    static const char *const codes[] = {
        ODD_LANES("1", "@p0 redux.add.u32 r4, r1\n"),
        ODD_LANES("0", "mov.u32 r5, 0xaaaaaaaa\n@!p0 redux.add.u32 r4, r1, r5\n"),
        ODD_LANES("1", "mov.u32 r5, 0xffffffff\n@p0 redux.add.u32 r4, r1, r5\n"),
    };
    for (size_t i = 0; i < HX_COUNT_OF(codes); i++)
        exec_unit_check_code(codes[i], 2, 64, 2 * 64, odd_lanes);
}
END_TEST

/* Two words of x for a thread: the ballot of those whose number is a multiple of three. */
static uint32_t warp_size;
static uint32_t ballot_of_thirds(uint32_t i)
{
    const uint32_t first = i / 2 & ~(warp_size - 1);
    uint64_t ballot = 0;
    for (uint32_t thread = first; thread < first + warp_size && thread < 100; thread++)
        ballot |= (uint64_t)(thread % 3 == 0) << (thread - first);
    return (uint32_t)(ballot >> 32 * (i % 2));
}
START_TEST(test_warp_sizes)
{
    static const uint32_t sizes[] = {1, 2, 4, 8, 16, 32, 64};
    struct exec_unit unit = exec_unit_new("mov.u32 r0, %tid.x\n"
                                          "rem.u32 r3, r0, 3\nsetp.eq.u32 p0, r3, 0\n"
                                          "and.u32 r4, r0, 1\nsetp.eq.u32 p1, r4, 0\n@p1 bra vote\n"
                                          "mov.u32 r4, 3000\n"
                                          "again: loop.u32 r4, again\n"
                                          "vote: vote.ballot.u64 r4, p0\n"
                                          "stg.u64 [$x + r0*8], r4\nexit",
                                          2 * 100);
    for (size_t i = 0; i < HX_COUNT_OF(sizes); i++) {
        unit.options.warp_size = warp_size = sizes[i];
        exec_unit_check_orders(&unit, 1, 100, ballot_of_thirds);
    }
    exec_unit_done(&unit);
}
END_TEST

/* In a warp of 64 lanes each bit of a mask names two. */
static uint32_t with_its_twin(uint32_t i)
{
    return i < 64 ? i + (i ^ 32) : i;
}
START_TEST(test_masks_of_64_lanes)
{
    struct exec_unit unit = exec_unit_new("mov.u32 r0, %tid.x\n"
                                          "setp.lt.u32 p0, r0, 32\n@p0 bra meet\n"
                                          "mov.u32 r4, 3000\n"
                                          "again: loop.u32 r4, again\n"
                                          "meet: and.u32 r3, r0, 31\n"
                                          "mov.u32 r4, 1\n"
                                          "shl.u32 r4, r4, r3\n"
                                          "redux.add.u32 r3, r0, r4\n"
                                          "stg.u32 [$x + r0*4], r3\nexit",
                                          96);
    unit.options.warp_size = 64;
    exec_unit_check_orders(&unit, 1, 96, with_its_twin);
    exec_unit_done(&unit);
}
END_TEST

/* A lane that waited does its instruction again, and counts once: all do five, half of them two more. */
START_TEST(test_waiting_counts_once)
{
    struct exec_unit unit = exec_unit_new("mov.u32 r0, %tid.x\n"
                                          "setp.lt.u32 p0, r0, 16\n@p0 bra other\n"
                                          "meet: warpsync 0xffffffff\nexit\n"
                                          "other: nop\n"
                                          "bra meet",
                                          32);
    unit.options.counts = 1;
    for (uint64_t seed = 0; seed < 20; seed++) {
        unit.options.seed = seed;
        ck_assert_ok(exec_unit_launch(&unit, 1, 32));
        ck_assert_uint_eq(unit.result.counts.thread_instructions, 32 * 5 + 16 * 2);
    }
    exec_unit_done(&unit);
}
END_TEST

UNIT_MAIN("exec_warps", test_waiting_counts_once, test_long_loops_are_waited_for, test_lanes_that_parted,
          test_loops_of_different_length, test_votes_within_recursion, test_masks,
          test_lanes_that_have_exited, test_warpsync, test_guards, test_warp_sizes, test_masks_of_64_lanes)
