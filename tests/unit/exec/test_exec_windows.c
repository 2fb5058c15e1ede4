/* What a kernel remembers of the buffers that it found: launches on others behave as the first one did. Each
 * buffer has the address of the one before, but may be smaller, or forbid what was allowed there. */
#include "exec_unit.h"

#define THREADS 100u

static const char code[] = THREAD "ldg.u32 r3, [$x + r0*4]\nadd.u32 r3, r3, 1\nstg.u32 [$x + r0*4], r3\nexit";

static const struct launched {
    uint32_t elements;
    hx_buffer_access access;
    hx_fault_kind fault;
} launched[] = {
    {THREADS, HX_ACCESS_READWRITE, HX_FAULT_NONE},
    {THREADS, HX_ACCESS_READWRITE, HX_FAULT_NONE},
    {THREADS, HX_ACCESS_READ, HX_FAULT_WRITE_DENIED},
    {THREADS, HX_ACCESS_READWRITE, HX_FAULT_NONE},
    {THREADS, HX_ACCESS_WRITE, HX_FAULT_READ_DENIED},
    {THREADS / 2, HX_ACCESS_READWRITE, HX_FAULT_OUT_OF_RANGE},
    {2 * THREADS, HX_ACCESS_READWRITE, HX_FAULT_NONE},
    {1, HX_ACCESS_READWRITE, HX_FAULT_OUT_OF_RANGE},
    {THREADS, HX_ACCESS_READWRITE, HX_FAULT_NONE},
};

/* Another device, whose first buffer has the address of the other's. */
static void replace(struct exec_unit *unit, const struct launched *next, uint64_t address)
{
    const hx_device_options options = {.size = sizeof options, .workers = 2};
    hx_device_free(unit->device);
    ck_assert_ok(hx_device_new(&options, NULL, &unit->device));
    ck_assert_ok(hx_buffer_new(unit->device, "x", 4ull * next->elements, next->access, NULL, &unit->x));
    ck_assert_uint_eq(hx_buffer_address(unit->x), address);
}

static void check(hx_tier tier, uint32_t workers)
{
    struct exec_unit unit = exec_unit_new(code, THREADS);
    const uint64_t address = hx_buffer_address(unit.x);
    unit.options.tier = tier;
    unit.options.workers = workers;
    for (size_t i = 0; i < HX_COUNT_OF(launched); i++) {
        replace(&unit, &launched[i], address);
        const hx_status status = exec_unit_launch(&unit, 2, THREADS / 2);
        ck_assert_int_eq(status, launched[i].fault ? HX_FAULT : HX_OK);
        ck_assert_int_eq(unit.result.fault.kind, launched[i].fault);
        const uint32_t *const x = exec_unit_x(&unit);
        for (uint32_t k = 0; k < launched[i].elements && !launched[i].fault; k++)
            ck_assert_uint_eq(x[k], k < THREADS);
    }
    exec_unit_done(&unit);
}

START_TEST(test_other_buffers)
{
    check(HX_TIER_INTERPRETER, 1);
    check(HX_TIER_INTERPRETER, 2);
    check(HX_TIER_COMPILED, 1);
    check(HX_TIER_COMPILED, 2);
}
END_TEST

/* Another buffer in front of the one that was there: the kernel's is found all the same. */
START_TEST(test_moved_buffer)
{
    struct exec_unit unit = exec_unit_new(code, THREADS);
    ck_assert_ok(exec_unit_launch(&unit, 1, THREADS));
    hx_buffer *const first = unit.x;
    ck_assert_ok(hx_buffer_new(unit.device, "x", 4ull * THREADS, HX_ACCESS_READWRITE, NULL, &unit.x));
    for (int i = 0; i < 3; i++)
        ck_assert_ok(exec_unit_launch(&unit, 1, THREADS));
    for (uint32_t k = 0; k < THREADS; k++) {
        ck_assert_uint_eq(exec_unit_x(&unit)[k], 3);
        ck_assert_uint_eq(((const uint32_t *)hx_buffer_data(first))[k], 1);
    }
    exec_unit_done(&unit);
}
END_TEST

UNIT_MAIN("exec_windows", test_other_buffers, test_moved_buffer)
