/* Warp issues, standing and active lanes of kernels whose divergence is known by hand: the deepest call
 * first, then the lowest place in the code, lanes at one place together. */
#include "profile_unit.h"

#define TID  "mov.u32 r0, %tid.x\n"
#define EXIT "\nexit"

/* warps, standing, lanes, partial, none */
static const struct known_warps known[] = {
    {"all lanes", TID EXIT, 64, 0, 2, 64, 64, 0, 0},
    {"partial last warp", TID EXIT, 40, 0, 2, 40, 40, 0, 0},
    {"one lane", TID EXIT, 1, 0, 1, 1, 1, 0, 0},
    /* both warps issue it, the second one with no lane that does it */
    {"predicated", TID "setp.lt.u32 p0, r0, 16\n@p0 add.u32 r0, r0, 1" EXIT, 64, 2, 2, 64, 16, 1, 1},
    {"predicated, negated", TID "setp.lt.u32 p0, r0, 16\n@!p0 add.u32 r0, r0, 1" EXIT, 64, 2, 2, 64, 48, 1,
     0},
    {"a run under one guard", TID "setp.lt.u32 p0, r0, 16\n@p0 add.u32 r0, r0, 1\n@p0 mul.u32 r0, r0, 3" EXIT,
     64, 3, 2, 64, 16, 1, 1},
    /* the branch itself is done by all that come there; one warp diverges, the other does not jump */
    {"a branch", TID "setp.lt.u32 p0, r0, 16\n@p0 bra out\nadd.u32 r0, r0, 1\nout: exit", 64, 2, 2, 64, 64, 1,
     1},
    /* 16 lanes of the first warp, all of the second one */
    {"what it leads round", TID "setp.lt.u32 p0, r0, 16\n@p0 bra out\nadd.u32 r0, r0, 1\nout: exit", 64, 3, 2,
     48, 48, 0, 0},
    /* and they are together again */
    {"where lanes join", TID "setp.lt.u32 p0, r0, 16\n@p0 bra out\nadd.u32 r0, r0, 1\nout: exit", 64, 4, 2,
     64, 64, 0, 0},
#define IF_ELSE                                                                                              \
    TID "setp.lt.u32 p0, r0, 40\n@!p0 bra other\nadd.u32 r0, r0, 1\nbra out\n"                               \
        "other: mul.u32 r0, r0, 3\nout: stg.u32 [$x + r0*4], r0\nexit"
    /* 40 of 96 lanes: one warp whole, one in part, one not at all, which does not issue there */
    {"if", IF_ELSE, 96, 3, 2, 40, 40, 0, 0},
    {"the jump behind it", IF_ELSE, 96, 4, 2, 40, 40, 0, 0},
    {"else", IF_ELSE, 96, 5, 2, 56, 56, 0, 0},
    {"behind both", IF_ELSE, 96, 6, 3, 96, 96, 0, 0},
    {"the branch of both", IF_ELSE, 96, 2, 3, 96, 96, 1, 1},
    /* lane by lane: each warp issues both arms with half of its lanes */
    {"at the granularity of lanes",
     TID "and.u32 r1, r0, 1\nsetp.eq.u32 p0, r1, 0\n@p0 bra even\nadd.u32 r0, r0, 1\nbra out\n"
         "even: add.u32 r0, r0, 2\nout: exit",
     64, 6, 2, 32, 32, 0, 0},
    /* within warps nothing diverges: each arm is issued by one warp alone */
    {"at the granularity of warps",
     TID "shr.u32 r1, r0, 5\nsetp.eq.u32 p0, r1, 0\n@p0 bra even\nadd.u32 r0, r0, 1\nbra out\n"
         "even: add.u32 r0, r0, 2\nout: exit",
     64, 6, 1, 32, 32, 0, 0},
#define NESTED                                                                                               \
    TID "and.u32 r1, r0, 1\nsetp.eq.u32 p0, r1, 0\nand.u32 r1, r0, 2\nsetp.eq.u32 p1, r1, 0\n"               \
        "@p0 bra even\n@p1 bra one\nadd.u32 r2, r0, 3\nbra out\none: add.u32 r2, r0, 1\nbra out\n"           \
        "even: @p1 bra zero\nadd.u32 r2, r0, 2\nbra out\nzero: add.u32 r2, r0, 0\nout: exit"
    /* a quarter of the lanes on each of the four ways */
    {"nested, outer", NESTED, 64, 5, 2, 64, 64, 2, 0},
    {"nested, inner", NESTED, 64, 6, 2, 32, 32, 2, 0},
    {"nested, first way", NESTED, 64, 7, 2, 16, 16, 0, 0},
    {"nested, last way", NESTED, 64, 14, 2, 16, 16, 0, 0},
    {"nested, behind", NESTED, 64, 15, 2, 64, 64, 0, 0},
/* lane l goes round l mod 4 + 1 times: a warp goes round 4 times with 32, 24, 16, 8 lanes */
#define TRIPS                                                                                                \
    TID "and.u32 r1, r0, 3\nadd.u32 r1, r1, 1\nagain: add.u32 r2, r2, r1\nloop.u32 r1, again\n"              \
        "mul.u32 r2, r2, 2\nexit"
    {"different trip counts, body", TRIPS, 64, 3, 8, 160, 160, 0, 0},
    /* three times some lanes go on, at last none jumps */
    {"different trip counts, loop", TRIPS, 64, 4, 8, 160, 160, 6, 2},
    {"different trip counts, behind", TRIPS, 64, 5, 2, 64, 64, 0, 0},
    /* the same by a comparison and a branch */
    {"a branch back",
     TID "and.u32 r1, r0, 3\nagain: add.u32 r2, r2, 1\nsetp.le.u32 p0, r2, r1\n@p0 bra again\nexit", 64, 4, 8,
     160, 160, 6, 2},
    /* a third of the lanes goes to each entry */
    {"a table",
     TID "rem.u32 r1, r0, 3\nbrx r1, cases, 3\ncases: bra a\nbra b\nbra c\na: nop\nb: nop\nc: exit", 32, 2, 1,
     32, 32, 1, 0},
    {"an entry of a table",
     TID "rem.u32 r1, r0, 3\nbrx r1, cases, 3\ncases: bra a\nbra b\nbra c\na: nop\nb: nop\nc: exit", 32, 4, 1,
     11, 11, 0, 0},
    /* lanes 0, 3, ...: 11; with lanes 1, 4, ...: 22 */
    {"where the first way joins the second",
     TID "rem.u32 r1, r0, 3\nbrx r1, cases, 3\ncases: bra a\nbra b\nbra c\na: nop\nb: nop\nc: exit", 32, 7, 1,
     22, 22, 0, 0},
    {"a table whose lanes agree", TID "shr.u32 r1, r0, 5\nbrx r1, cases, 2\ncases: bra a\nbra a\na: exit", 64,
     2, 2, 64, 64, 0, 0},
    /* half of the lanes call; those that come back meet the others */
    {"a call", TID "setp.lt.u32 p0, r0, 16\n@p0 call sub\nadd.u32 r0, r0, 1\nexit\nsub: nop\nret", 32, 2, 1,
     32, 32, 1, 0},
    {"a subroutine", TID "setp.lt.u32 p0, r0, 16\n@p0 call sub\nadd.u32 r0, r0, 1\nexit\nsub: nop\nret", 32,
     5, 1, 16, 16, 0, 0},
    {"behind a call", TID "setp.lt.u32 p0, r0, 16\n@p0 call sub\nadd.u32 r0, r0, 1\nexit\nsub: nop\nret", 32,
     3, 1, 32, 32, 0, 0},
    /* from two places: twice */
    {"a subroutine, from two places",
     TID "setp.lt.u32 p0, r0, 16\n@p0 call sub\n@!p0 call sub\nexit\nsub: nop\nret", 32, 5, 2, 32, 32, 0, 0},
    {"an early exit", TID "setp.lt.u32 p0, r0, 40\n@p0 exit\nadd.u32 r0, r0, 1" EXIT, 64, 2, 2, 64, 64, 1, 0},
    {"behind an early exit", TID "setp.lt.u32 p0, r0, 40\n@p0 exit\nadd.u32 r0, r0, 1" EXIT, 64, 3, 1, 24, 24,
     0, 0},
    /* lanes that wait for each other do it together, wherever they come from */
    {"a vote behind divergence",
     TID "setp.lt.u32 p0, r0, 16\n@p0 bra vote\nadd.u32 r0, r0, 1\nvote: vote.ballot.u32 r1, p0\nexit", 32, 4,
     1, 32, 32, 0, 0},
    {"a barrier", TID "bar.sync 0" EXIT, 96, 1, 3, 96, 96, 0, 0},
};

START_TEST(test_known)
{
    for (size_t i = 0; i < HX_COUNT_OF(known); i++)
        check_everywhere(known[i].code, known[i].block, &known[i], check_known_warps);
}
END_TEST

/* Issues, lanes, results are those of a launch without a collector, in gangs of a warp. */
START_TEST(test_same_counts)
{
    struct profile_unit unit = profile_unit_new(IF_ELSE, PROFILE_ELEMENTS);
    profile_unit_launch(&unit, 3, 96);
    const hx_counts watched = unit.exec.result.counts;
    ck_assert_uint_eq(unit.exec.result.gang_lanes, 32);
    unit.exec.options.gang_lanes = 32;
    ck_assert_ok(exec_unit_launch(&unit.exec, 3, 96));
    ck_assert_uint_eq(watched.issues, unit.exec.result.counts.issues);
    ck_assert_uint_eq(watched.thread_instructions, unit.exec.result.counts.thread_instructions);
    ck_assert_uint_eq(watched.stored_bytes[1], unit.exec.result.counts.stored_bytes[1]);
    unit.exec.options.gang_lanes = 0;
    ck_assert_ok(exec_unit_launch(&unit.exec, 3, 96));
    ck_assert_uint_eq(watched.thread_instructions, unit.exec.result.counts.thread_instructions);
    profile_unit_done(&unit);
}
END_TEST

/* One lane goes round 1,500 times while 31 wait behind the loop, after 1,500 times all together: no turn is
 * used up in either, wherever the warp stood in its turn when they parted. */
START_TEST(test_lanes_that_wait_long)
{
    struct profile_unit unit = profile_unit_new("mov.u32 r0, %tid.x\n"
                                                "mov.u32 r1, 1500\n"
                                                "first: loop.u32 r1, first\n"
                                                "mov.u32 r1, 1500\n"
                                                "setp.ne.u32 p0, r0, 5\n"
                                                "@p0 mov.u32 r1, 1\n"
                                                "second: loop.u32 r1, second\n"
                                                "add.u32 r0, r0, 1\nexit",
                                                1);
    for (uint32_t bound = 0; bound < 2; bound++) {
        unit.exec.options.max_instructions = bound * 10000000;
        profile_unit_launch(&unit, 1, 32);
        ck_assert_uint_eq(unit.profile[2].warps, 1500);
        ck_assert_uint_eq(unit.profile[6].warps, 1500);
        ck_assert_uint_eq(unit.profile[6].standing, 1500 + 31);
        ck_assert_uint_eq(unit.profile[7].warps, 1);
    }
    profile_unit_done(&unit);
}
END_TEST

/* The same after blocks that left a turn half used, on one worker as on several: each block begins a turn. */
START_TEST(test_blocks_begin_their_turns)
{
    struct profile_unit unit = profile_unit_new("mov.u32 r0, %tid.x\n"
                                                "mov.u32 r1, 3000\n"
                                                "setp.ne.u32 p0, r0, 5\n"
                                                "@p0 mov.u32 r1, 1\n"
                                                "again: loop.u32 r1, again\n"
                                                "add.u32 r0, r0, 1\nexit",
                                                1);
    for (uint32_t blocks = 1; blocks <= 12; blocks++)
        for (uint32_t workers = 1; workers <= 2; workers++) {
            unit.exec.options.workers = workers;
            profile_unit_launch(&unit, blocks, 32);
            ck_assert_uint_eq(unit.profile[4].warps, 3000 * blocks);
            ck_assert_uint_eq(unit.profile[5].warps, blocks);
        }
    profile_unit_done(&unit);
}
END_TEST

/* What waits for a neighbour of its own warp gets it all the same. */
START_TEST(test_lanes_that_spin)
{
    struct profile_unit unit = profile_unit_new("mov.u32 r3, 0\nmov.u32 r4, 1\n"
                                                "try: atomg.cas.u32 r1, [$x], r3, r4\n"
                                                "setp.ne.u32 p0, r1, 0\n@p0 bra try\n"
                                                "ldg.volatile.u32 r2, [$x + 4]\n"
                                                "add.u32 r2, r2, 1\n"
                                                "stg.volatile.u32 [$x + 4], r2\n"
                                                "atomg.exch.u32 r1, [$x], r3\nexit",
                                                2);
    profile_unit_launch(&unit, 1, 64);
    ck_assert_uint_eq(exec_unit_x(&unit.exec)[1], 64);
    ck_assert_uint_eq(unit.profile[5].lanes, 64);
    ck_assert_uint_ge(unit.profile[5].warps, 2);
    profile_unit_done(&unit);
}
END_TEST

/* A launch with a collector ends at its bounds as any other does, and keeps what it collected. */
START_TEST(test_bounds)
{
    struct profile_unit unit =
        profile_unit_new("again: ldg.volatile.u32 r0, [$x]\nnanosleep\nbra again\nexit", 1);
    unit.exec.options.max_instructions = 1000000;
    ck_assert_int_eq(profile_unit_try(&unit, 4, 64), HX_LIMIT);
    ck_assert_uint_ge(unit.exec.result.counts.thread_instructions, 1000000);
    ck_assert_uint_ge(unit.profile[0].warps + unit.profile[1].warps + unit.profile[2].warps, 1000000 / 32);
    unit.exec.options.max_instructions = 0;
    unit.exec.options.timeout_ns = 20 * 1000 * 1000;
    ck_assert_int_eq(profile_unit_try(&unit, 4, 64), HX_LIMIT);
    profile_unit_done(&unit);
}
END_TEST

UNIT_MAIN("gpu_collector", test_known, test_same_counts, test_lanes_that_wait_long,
          test_blocks_begin_their_turns, test_lanes_that_spin, test_bounds)
