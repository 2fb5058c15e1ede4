/* Gangs of several blocks: blocks of few threads share a gang where their threads do nothing together, and
 * nothing but the width of gangs tells so. */
#include "converge_unit.h"

/* Each thread writes x[place] = f(place), place = gtid, by ctaid and tid. */
#define PLACE                                                                                                \
    "mov.u32 r0, %ctaid.x\n"                                                                                 \
    "mov.u32 r1, %ntid.x\n"                                                                                  \
    "mov.u32 r2, %tid.x\n"                                                                                   \
    "mad.u32 r3, r0, r1, r2\n"

/* Launches once; the width of its gangs. */
static uint32_t gang_of(struct exec_unit *unit, uint32_t grid, uint32_t block, uint32_t asked)
{
    unit->options.gang_lanes = asked;
    memset(exec_unit_x(unit), 0, hx_buffer_bytes(unit->x));
    ck_assert_ok(exec_unit_launch(unit, grid, block));
    ck_assert_uint_eq(unit->result.blocks,
                      (uint64_t)grid * (unit->options.grid[1] ? unit->options.grid[1] : 1));
    ck_assert_uint_eq(unit->result.blocks_done, unit->result.blocks);
    return unit->result.gang_lanes;
}

/* As many as there is room for, evenly; the last ones of a row are fewer. */
START_TEST(test_width)
{
    struct exec_unit unit =
        exec_unit_new(PLACE "add.u32 r4, r3, r0\nstg.u32 [$x + r3*4], r4\nexit", 64 * 100);
    static const struct {
        uint32_t grid, block, asked, gang;
    } wants[] = {{100, 64, 256, 256}, {100, 64, 128, 128}, {100, 64, 127, 64}, {100, 64, 32, 32},
                 {3, 64, 256, 192},   {1, 64, 256, 64},    {5, 64, 256, 192},  {100, 48, 256, 240},
                 {7, 1, 256, 7},      {11, 100, 256, 200}, {9, 129, 256, 129}, {100, 64, 0, 64}};
    for (size_t i = 0; i < HX_COUNT_OF(wants); i++) {
        const uint32_t threads = wants[i].grid * wants[i].block;
        ck_assert_msg(gang_of(&unit, wants[i].grid, wants[i].block, wants[i].asked) == wants[i].gang,
                      "grid %u, block %u, requested %u: gangs of %u", wants[i].grid, wants[i].block,
                      wants[i].asked, unit.result.gang_lanes);
        for (uint32_t t = 0; t < threads; t++)
            ck_assert_uint_eq(exec_unit_x(&unit)[t], t + t / wants[i].block);
        ck_assert_uint_eq(unit.result.counts.thread_instructions, 7ull * threads);
    }
    exec_unit_done(&unit);
}
END_TEST

/* Of its own accord only where many slots are left for each worker; never in a drawn order. */
START_TEST(test_many_blocks)
{
    struct exec_unit unit = exec_unit_new(PLACE "stg.u32 [$x + r3*4], r0\nexit", 64 * 1000);
    unit.options.workers = 2;
    ck_assert_uint_eq(gang_of(&unit, 1000, 64, 0), 256);
    ck_assert_uint_eq(gang_of(&unit, 190, 64, 0), 128);
    ck_assert_uint_eq(gang_of(&unit, 100, 64, 0), 64);
    unit.options.seed = 3;
    unit.options.turns = HX_TURNS_WHOLE;
    ck_assert_uint_eq(gang_of(&unit, 1000, 64, 0), 64);
    exec_unit_done(&unit);
}
END_TEST

/* Not where threads of a block have something in common. */
START_TEST(test_blocks_apart)
{
    static const char *const codes[] = {
        "mov.u32 r0, 1\nbar.sync 0\nexit",
        "mov.u32 r0, 1\nsts.u32 [tile], r0\nexit",
        "mov.u64 r0, tile\ncvta.shared.u64 r0, r0\nld.u32 r1, [r0]\nexit",
        "mov.u32 r0, 1\nreduce.add.u32 r1, r0\nexit",
    };
    for (size_t i = 0; i < HX_COUNT_OF(codes); i++) {
        struct exec_unit unit = exec_unit_new(codes[i], 64);
        ck_assert_msg(gang_of(&unit, 10, 64, 256) == 64, "%s", codes[i]);
        exec_unit_done(&unit);
    }
    struct exec_unit unit = exec_unit_new("mov.u32 r0, 1\nld.u32 r1, [$x]\nexit", 64);
    unit.options.dynamic_shared_bytes = 16;
    ck_assert_uint_eq(gang_of(&unit, 10, 64, 256), 64);
    exec_unit_done(&unit);
}
END_TEST

/* Warps are whole, or else blocks stay apart. */
static uint32_t warp_sum(uint32_t i)
{
    const uint32_t first = i / 32 * 32;
    return 32 * first + 31 * 32 / 2;
}
START_TEST(test_warps)
{
    static const char code[] = PLACE "redux.sync.add.u32 r4, r3, 0xffffffff\nstg.u32 [$x + r3*4], r4\nexit";
    struct exec_unit unit = exec_unit_new(code, 64 * 9);
    exec_unit_check(&unit, 9, 64, warp_sum);
    unit.options.seed = 0;
    ck_assert_uint_eq(gang_of(&unit, 9, 64, 256), 192);
    ck_assert_uint_eq(gang_of(&unit, 9, 40, 256), 40);
    exec_unit_done(&unit);
}
END_TEST

/* What threads of several blocks see of their places, in grids and blocks of two dimensions: each in a gang
 * of its own and together. */
static uint32_t place(uint32_t i)
{
    const uint32_t thread = i % 12, block = i / 12, cta_x = block % 5, cta_y = block / 5;
    return thread % 4 + 10 * (thread / 4) + 100 * cta_x + 1000 * cta_y + 10000 * (thread % 32) +
           (thread < 5 ? 7 : cta_x * 5);
}
START_TEST(test_places)
{
    struct exec_unit unit =
        exec_unit_new_with("local:\n  - {name: mine, type: u32, count: 2}",
                           "mov.u32 r0, %ctaid.x\nmov.u32 r1, %ctaid.y\nmov.u32 r2, %tid.x\n"
                           "mov.u32 r3, %tid.y\nmov.u64 r4, %gtid\ncvt.u32.u64 r4, r4\n"
                           "mov.u32 r5, %laneid\n"
                           "mad.u32 r6, r3, 10, r2\nmad.u32 r6, r0, 100, r6\n"
                           "mad.u32 r6, r1, 1000, r6\nmad.u32 r6, r5, 10000, r6\n"
                           "setp.ge.u32 p0, r5, 5\n@p0 bra other\nadd.u32 r6, r6, $n\nbra join\n"
                           "other: mul.u32 r7, r0, 5\nstl.u32 [mine], r7\nldl.u32 r7, [mine]\n"
                           "add.u32 r6, r6, r7\n"
                           "join: stg.u32 [$x + r4*4], r6\nexit",
                           5 * 3 * 12);
    unit.options.grid[1] = 3;
    unit.options.block[1] = 3;
    exec_unit_check(&unit, 5, 4, place);
    exec_unit_done(&unit);
}
END_TEST

/* A branch that whole blocks take, loops whose rounds hang on the block: threads part where blocks meet. */
static uint32_t rounds(uint32_t i)
{
    const uint32_t block = i / 32;
    return block % 2 ? 3 * (block + 1) : 1000 + i % 32;
}
START_TEST(test_parting_blocks)
{
    struct exec_unit unit =
        exec_unit_new(PLACE "and.u32 r4, r0, 1\nsetp.eq.u32 p0, r4, 0\nmov.u32 r5, 0\n@p0 bra even\n"
                            "add.u32 r6, r0, 1\nagain: add.u32 r5, r5, 3\nloop.u32 r6, again\nbra join\n"
                            "even: add.u32 r5, r2, 1000\n"
                            "join: stg.u32 [$x + r3*4], r5\nexit",
                      32 * 21);
    exec_unit_check(&unit, 21, 32, rounds);
    exec_unit_done(&unit);
}
END_TEST

/* A thread's fault names its own block; instructions counted before it are those of whole gangs. */
START_TEST(test_faults)
{
    struct exec_unit unit =
        exec_unit_new(PLACE "setp.ne.u32 p0, r3, 421\n@p0 exit\nldg.u32 r4, [$x + 4000000]\nexit", 64);
    unit.options.workers = 1; /* a thread of each row has a fault: the first row's is the first */
    for (uint32_t gang = 0; gang <= 256; gang += 64) {
        unit.options.gang_lanes = gang;
        unit.options.grid[1] = 2;
        ck_assert_int_eq(exec_unit_launch(&unit, 9, 64), HX_FAULT);
        const hx_fault *fault = &unit.result.fault;
        ck_assert_uint_eq(fault->block[0], 6);
        ck_assert_uint_eq(fault->block[1], 0);
        ck_assert_uint_eq(fault->thread[0], 421 - 6 * 64);
        ck_assert_uint_eq(fault->instruction, 6);
    }
    exec_unit_done(&unit);
}
END_TEST

/* Lanes of a warp that wait for each other, in the second block of a gang: thread 37 of that block. */
START_TEST(test_deadlock)
{
    struct exec_unit unit =
        exec_unit_new("mov.u32 r0, %ctaid.x\nmov.u32 r2, %tid.x\nsetp.ne.u32 p0, r0, 1\n@p0 exit\n"
                      "setp.lt.u32 p0, r2, 37\n@p0 exit\nmov.u32 r3, 0xffffffff\nsetp.gt.u32 p1, r2, 40\n"
                      "@p1 bra other\nredux.sync.add.u32 r4, r2, r3\nexit\nother: bar.warp.sync r3\nexit",
                      1);
    for (uint32_t gang = 64; gang <= 256; gang += 192) {
        ck_assert_int_eq((unit.options.gang_lanes = gang, exec_unit_launch(&unit, 3, 64)), HX_FAULT);
        ck_assert_int_eq(unit.result.fault.kind, HX_FAULT_BARRIER_DEADLOCK);
        ck_assert_uint_eq(unit.result.gang_lanes, gang == 64 ? 64 : 192);
        ck_assert_uint_eq(unit.result.fault.block[0], 1);
        exec_unit_check_message(&unit, 1654, "wait", "4 threads (first: thread 37) wait for lanes");
    }
    exec_unit_done(&unit);
}
END_TEST

/* A block that waits for another one in its gang, before it and behind it. */
static uint32_t sent(uint32_t i)
{
    return i < 3 ? 8 : 0;
}
EXEC_TEST(test_waiting_for_a_block, sent, 3, 32, 8,
          "mov.u32 r0, %ctaid.x\nmov.u32 r2, %tid.x\nsetp.ne.u32 p0, r2, 0\n"
          "@p0 exit\nmov.u32 r1, 8\nsetp.eq.u32 p1, r0, 1\n@p1 bra tell\n"
          "wait: ldg.volatile.u32 r3, [$x + 4]\nsetp.ne.u32 p2, r3, 8\n"
          "@p2 bra wait\ntell: stg.u32 [$x + r0*4], r1\nexit")

UNIT_MAIN("exec_pack_blocks", test_width, test_many_blocks, test_blocks_apart, test_warps, test_places,
          test_parting_blocks, test_faults, test_deadlock, test_waiting_for_a_block)
