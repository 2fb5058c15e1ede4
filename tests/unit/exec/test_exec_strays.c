/* Loads a little beside a buffer, where the device lets them be: they give 0, a warning names the first one
 * of the kernel, and what is farther away, and every store, is a fault as ever. */
#include "exec_unit.h"

#define ELEMENTS 64u
#define STRAY    64u /* bytes */

/* x[i] += x[i + FROM], and the last threads load from behind the end, or the first ones from before it */
#define KERNEL(from)                                                                                         \
    THREAD "ldg.u32 r3, [$x + r0*4]\nldg.u32 r4, [$x + r0*4 + " from "]\nadd.u32 r3, r3, r4\n"               \
           "stg.u32 [$x + r0*4], r3\nexit"

static hx_status launch(struct exec_unit *unit, hx_tier tier, uint32_t stray_bytes, uint32_t threads)
{
    for (uint32_t i = 0; i < ELEMENTS; i++)
        exec_unit_x(unit)[i] = i + 1;
    unit->options.tier = tier;
    hx_device_allow_strays(unit->device, stray_bytes);
    unit->options.workers = 1;
    return exec_unit_launch(unit, 1, threads);
}

static void check_behind(hx_tier tier)
{
    struct exec_unit unit = exec_unit_new(KERNEL("256"), ELEMENTS); /* x[i + 64]: all behind the end */
    ck_assert_int_eq(launch(&unit, tier, 0, 16), HX_FAULT);
    ck_assert_uint_eq(unit.result.stray_loads, 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_ok(launch(&unit, tier, STRAY, 16));
        ck_assert_uint_eq(unit.result.stray_loads, 16);
        ck_assert_uint_eq(hx_diag_count(unit.loaded.diag), i == 0); /* the second time it is known */
        if (i == 0) {
            ck_assert_int_eq(hx_diag_at(unit.loaded.diag, 0)->code, 1610);
            ck_assert_int_eq(hx_diag_at(unit.loaded.diag, 0)->severity, HX_WARNING);
        }
        for (uint32_t k = 0; k < ELEMENTS; k++)
            ck_assert_uint_eq(exec_unit_x(&unit)[k], k + 1);
    }
    ck_assert_int_eq(launch(&unit, tier, STRAY, 17), HX_FAULT); /* one is 64 bytes behind it */
    ck_assert_int_eq(unit.result.fault.kind, HX_FAULT_OUT_OF_RANGE);
    exec_unit_done(&unit);
}

static void check_before(hx_tier tier)
{
    struct exec_unit unit = exec_unit_new(KERNEL("-64"), ELEMENTS);
    ck_assert_ok(launch(&unit, tier, STRAY, 48));
    ck_assert_uint_eq(unit.result.stray_loads, 16);
    for (uint32_t k = 0; k < 16; k++)
        ck_assert_uint_eq(exec_unit_x(&unit)[k], k + 1);
    ck_assert_int_eq(launch(&unit, tier, STRAY - 4, 48), HX_FAULT);
    exec_unit_done(&unit);
}

static void check_stores(hx_tier tier)
{
    struct exec_unit unit = exec_unit_new(THREAD "stg.u32 [$x + r0*4 + 256], r0\nexit", ELEMENTS);
    ck_assert_int_eq(launch(&unit, tier, STRAY, 1), HX_FAULT);
    exec_unit_done(&unit);
    unit = exec_unit_new(THREAD "atomg.add.u32 r3, [$x + r0*4 + 256], r0\nexit", ELEMENTS);
    ck_assert_int_eq(launch(&unit, tier, STRAY, 1), HX_FAULT);
    ck_assert_uint_eq(unit.result.stray_loads, 0);
    exec_unit_done(&unit);
}

START_TEST(test_interpreted)
{
    check_behind(HX_TIER_INTERPRETER);
    check_before(HX_TIER_INTERPRETER);
    check_stores(HX_TIER_INTERPRETER);
}
END_TEST

START_TEST(test_compiled)
{
    check_behind(HX_TIER_COMPILED);
    check_before(HX_TIER_COMPILED);
    check_stores(HX_TIER_COMPILED);
}
END_TEST

UNIT_MAIN("exec_strays", test_interpreted, test_compiled)
