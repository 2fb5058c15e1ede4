/* Atomics when many meet: nothing is lost between workers, each old value is seen once, and wrong places
 * fault as they do for stores. What one atomic computes, the random programs compare with the reference. */
#include "exec_unit.h"

/* Each thread draws a ticket from x[0] and marks x[1 + ticket]. */
static uint32_t tickets(uint32_t i)
{
    return i == 0 ? 6 * 150 : 1;
}
EXEC_TEST(test_every_old_value_is_seen_once, tickets, 6, 150, 1 + 6 * 150,
          "mov.u32 r0, 1\n"
          "atomg.add.u32 r1, [$x], r0\n"
          "redg.add.u32 [$x + r1*4 + 4], r0\nexit")

/* 1000 rounds of every kind at one place each, all threads of 4 blocks. */
static uint32_t totals(uint32_t i)
{
    static const uint32_t want[] = {4 * 64 * 100, UINT32_MAX - 4 * 64 * 100 + 1, 4 * 64 - 1, 0, 0x43c80000};
    return want[i]; /* the last one is 400 as f32 */
}
EXEC_TEST(test_nothing_is_lost, totals, 4, 64, 5,
          "mov.u32 r0, %ctaid.x\n"
          "mov.u32 r1, %ntid.x\n"
          "mov.u32 r2, %tid.x\n"
          "mad.u32 r0, r0, r1, r2\n"
          "mov.u32 r3, 1\nmov.u32 r4, 100\n"
          "mov.f32 r5, 0.015625\n"
          "again: redg.add.u32 [$x], r3\n"
          "redg.sub.u32 [$x + 4], r3\n"
          "redg.max.u32 [$x + 8], r0\n"
          "redg.xor.u32 [$x + 12], r0\n"
          "redg.add.f32 [$x + 16], r5\n"
          "loop.u32 r4, again\n"
          "exit")

/* Each half of a packed sum by itself: 256 threads add 1 and -0.5, seven times in f16x2. */
static uint32_t packed_totals(uint32_t i)
{
    static const uint32_t want[] = {0xe3006700, 0xc3004380}; /* 1792 and -896, 256 and -128 */
    return want[i];
}
EXEC_TEST(test_halves_are_summed_alone, packed_totals, 4, 64, 2,
          "mov.u32 r1, 0xb8003c00\nmov.u32 r2, 0xbf003f80\nmov.u32 r4, 7\n"
          "again: redg.add.f16x2 [$x], r1\n"
          "loop.u32 r4, again\n"
          "mov.u64 r3, $x\n"
          "atom.add.bf16x2 r5, [r3 + 4], r2\nexit")

/* A block's own count in shared memory; inc wraps at the bound. */
static uint32_t counted(uint32_t i)
{
    return i % 2 ? 70 % 8 : 70;
}
EXEC_TEST(test_shared_counts, counted, 3, 70, 3 * 2,
          "mov.u32 r0, %tid.x\n"
          "mov.u32 r1, 0\n"
          "setp.lt.u32 p0, r0, 2\n"
          "@p0 sts.u32 [tile + r0*4], r1\n"
          "bar.sync 0\n"
          "mov.u32 r2, 1\nmov.u32 r3, 7\n"
          "reds.add.u32 [tile], r2\n"
          "reds.inc.u32 [tile + 4], r3\n"
          "bar.sync 0\n"
          "@p0 lds.u32 r4, [tile + r0*4]\n"
          "mov.u32 r5, %ctaid.x\n"
          "mad.u32 r5, r5, 2, r0\n"
          "@p0 stg.u32 [$x + r5*4], r4\nexit")

static void check_fault(const char *code, hx_fault_kind kind)
{
    struct exec_unit unit = exec_unit_new(code, 4);
    ck_assert_int_eq(exec_unit_launch(&unit, 1, 64), HX_FAULT);
    ck_assert_int_eq(unit.result.fault.kind, kind);
    ck_assert_uint_eq(unit.result.fault.bytes, 4);
    exec_unit_done(&unit);
}
START_TEST(test_wrong_places)
{
    check_fault("mov.u32 r0, %tid.x\natomg.add.u32 r1, [$x + r0*4], r0\nexit", HX_FAULT_OUT_OF_RANGE);
    check_fault("mov.u32 r0, %tid.x\nredg.add.u32 [$x + r0*2], r0\nexit", HX_FAULT_MISALIGNED);
    check_fault("mov.u32 r0, %tid.x\nreds.add.u32 [tile + r0*4], r0\nexit", HX_FAULT_OUT_OF_RANGE);
    check_fault("mov.u64 r2, 0\nmov.u32 r0, 1\nredg.add.u32 [r2], r0\nexit", HX_FAULT_OUT_OF_RANGE);
}
END_TEST

START_TEST(test_buffers_that_forbid_it)
{
    static const struct {
        hx_buffer_access access;
        hx_fault_kind kind;
    } cases[] = {{HX_ACCESS_READ, HX_FAULT_WRITE_DENIED},
                 {HX_ACCESS_WRITE, HX_FAULT_READ_DENIED},
                 {HX_ACCESS_READWRITE, HX_FAULT_NONE}};
    struct exec_unit unit = exec_unit_new("mov.u32 r0, 1\nredg.add.u32 [$x], r0\nexit", 1);
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        hx_buffer_free(unit.device, unit.x);
        ck_assert_ok(hx_buffer_new(unit.device, "x", 4, cases[i].access, NULL, &unit.x));
        ck_assert_int_eq(exec_unit_launch(&unit, 1, 1), cases[i].kind ? HX_FAULT : HX_OK);
        ck_assert_int_eq(unit.result.fault.kind, cases[i].kind);
    }
    exec_unit_done(&unit);
}
END_TEST

START_TEST(test_counts)
{
    struct exec_unit unit =
        exec_unit_new("mov.u64 r0, 1\natomg.add.u64 r1, [$x], r0\nreds.or.u32 [tile], r0\nexit", 2);
    ck_assert_ok(exec_unit_launch(&unit, 2, 10));
    ck_assert_uint_eq(unit.result.counts.loaded_bytes[1], 20 * 8);
    ck_assert_uint_eq(unit.result.counts.stored_bytes[1], 20 * 8);
    ck_assert_uint_eq(unit.result.counts.loaded_bytes[2], 20 * 4);
    ck_assert_uint_eq(unit.result.counts.stored_bytes[2], 20 * 4);
    exec_unit_done(&unit);
}
END_TEST

UNIT_MAIN("exec_atomics", test_every_old_value_is_seen_once, test_nothing_is_lost,
          test_halves_are_summed_alone, test_shared_counts, test_wrong_places, test_buffers_that_forbid_it,
          test_counts)
