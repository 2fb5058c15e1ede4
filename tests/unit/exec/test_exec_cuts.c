/* What a seed does to turns: a forgotten barrier is found, what is right stays right, and the same seed gives
 * the same. */
#include "exec_unit.h"

#define SEEDS 40

/* Each thread reads what its mirror image in the block has stored, in dynamic shared memory. */
#define MIRROR(between)                                                                                      \
    "mov.u32 r0, %tid.x\n"                                                                                   \
    "mov.u32 r1, %ntid.x\n"                                                                                  \
    "mul.u32 r2, r0, 3\n"                                                                                    \
    "sts.u32 [tile + r0*4 + 64], r2\n" between "\n"                                                          \
    "sub.u32 r3, r1, r0\n"                                                                                   \
    "sub.u32 r3, r3, 1\n"                                                                                    \
    "lds.u32 r4, [tile + r3*4 + 64]\n"                                                                       \
    "stg.u32 [$x + r0*4], r4\n"                                                                              \
    "exit"

static bool is_mirrored(struct exec_unit *unit, uint32_t threads)
{
    ck_assert_ok(exec_unit_launch(unit, 1, threads));
    for (uint32_t i = 0; i < threads; i++)
        if (exec_unit_x(unit)[i] != 3 * (threads - 1 - i))
            return false;
    return true;
}

/* With how many of SEEDS seeds a block of `threads` computes the right values. */
static uint32_t right_seeds(const char *code, uint32_t threads, uint32_t turns)
{
    struct exec_unit unit = exec_unit_new(code, threads);
    uint32_t right = 0;
    unit.options.dynamic_shared_bytes = 64 + 4 * threads;
    ck_assert(is_mirrored(&unit, threads));
    unit.options.turns = turns;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        unit.options.seed = seed;
        right += is_mirrored(&unit, threads);
    }
    exec_unit_done(&unit);
    return right;
}

/* A block of one warp too: since Volta its lanes need warpsync. */
START_TEST(test_forgotten_barriers)
{
    static const uint32_t threads[] = {2, 16, 32, 33, 64, 100, 256};
    for (size_t i = 0; i < HX_COUNT_OF(threads); i++) {
        const uint32_t right = right_seeds(MIRROR("nop"), threads[i], HX_TURNS_LONG);
        ck_assert_msg(right <= SEEDS / 8, "%u threads: %u seeds find nothing", threads[i], right);
    }
    ck_assert_uint_eq(right_seeds(MIRROR("nop"), 256, HX_TURNS_WHOLE), SEEDS);
}
END_TEST

START_TEST(test_barriers)
{
    static const uint32_t threads[] = {1, 2, 32, 33, 64, 100, 256};
    for (size_t i = 0; i < HX_COUNT_OF(threads); i++)
        ck_assert_uint_eq(right_seeds(MIRROR("bar.sync 0"), threads[i], HX_TURNS_LONG), SEEDS);
    ck_assert_uint_eq(right_seeds(MIRROR("warpsync 0xffffffff"), 32, HX_TURNS_LONG), SEEDS);
}
END_TEST

/* Between lanes that exchange values by shuffles, gangs are whole warps; paths part all the same. */
START_TEST(test_within_a_warp)
{
    const uint32_t right =
        right_seeds("mov.u32 r5, 1\nshfl.bfly.u32 r5, r5, r5\n" MIRROR("nop"), 32, HX_TURNS_LONG);
    ck_assert_uint_le(right, SEEDS - SEEDS / 8);
}
END_TEST

/* Elements are added to without an atomic: how often is a matter of the order. */
#define LOSING                                                                                               \
    "ldg.u32 r1, [$x]\n"                                                                                     \
    "add.u32 r1, r1, 1\n"                                                                                    \
    "stg.u32 [$x], r1\n"                                                                                     \
    "exit"

START_TEST(test_same_seed)
{
    struct exec_unit unit = exec_unit_new(LOSING, 1);
    uint32_t distinct = 0, before = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t first = 0;
        for (uint32_t again = 0; again < 2; again++) {
            unit.options.seed = seed;
            unit.options.workers = 1 + again;
            *exec_unit_x(&unit) = 0;
            ck_assert_ok(exec_unit_launch(&unit, 1, 200));
            ck_assert(again == 0 || *exec_unit_x(&unit) == first);
            first = *exec_unit_x(&unit);
        }
        distinct += first != before;
        before = first;
    }
    ck_assert_uint_gt(distinct, SEEDS / 2);
    exec_unit_done(&unit);
}
END_TEST

START_TEST(test_widths)
{
    struct exec_unit unit = exec_unit_new(LOSING, 1);
    uint32_t distinct = 0, before = 0;
    unit.options.seed = 5;
    for (uint32_t id = 0; id < 20; id++) {
        unit.options.launch_id = id;
        ck_assert_ok(exec_unit_launch(&unit, 1, 1024));
        ck_assert_uint_ge(unit.result.gang_lanes, 32);
        ck_assert_uint_le(unit.result.gang_lanes, 256);
        distinct += unit.result.gang_lanes != before;
        before = unit.result.gang_lanes;
        ck_assert_ok(exec_unit_launch(&unit, 1, 70));
        ck_assert_uint_le(unit.result.gang_lanes, 64);
    }
    ck_assert_uint_gt(distinct, 10);
    unit.options.gang_lanes = 200;
    ck_assert_ok(exec_unit_launch(&unit, 1, 1024));
    ck_assert_uint_eq(unit.result.gang_lanes, 200);
    exec_unit_done(&unit);
}
END_TEST

/* What activemask tells must not hang on where lanes part. */
static uint32_t all_lanes(uint32_t i)
{
    (void)i;
    return UINT32_MAX;
}
START_TEST(test_active_lanes)
{
    struct exec_unit unit = exec_unit_new(THREAD "activemask.b32 r4\nstg.u32 [$x + r0*4], r4\nexit", 256);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        unit.options.seed = seed;
        exec_unit_check_launch(&unit, 2, 128, all_lanes);
    }
    exec_unit_done(&unit);
}
END_TEST

/* A guard holds for its instruction wherever turns end. */
static uint32_t guarded_values(uint32_t i)
{
    return i % 64 < 10 ? 7 : 0;
}
START_TEST(test_guards)
{
    struct exec_unit unit = exec_unit_new(THREAD "setp.lt.u32 p0, r2, 10\n"
                                                 "@p0 mov.u32 r4, 3\n"
                                                 "@p0 add.u32 r4, r4, 4\n"
                                                 "@p0 stg.u32 [$x + r0*4], r4\n"
                                                 "exit",
                                          128);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        unit.options.seed = seed;
        exec_unit_check_launch(&unit, 2, 64, guarded_values);
    }
    exec_unit_done(&unit);
}
END_TEST

UNIT_MAIN("exec_cuts", test_forgotten_barriers, test_barriers, test_within_a_warp, test_same_seed,
          test_widths, test_active_lanes, test_guards)
