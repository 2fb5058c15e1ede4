/* Kernels whose threads part and meet: each is run in gangs of every kind, at every CPU level of the machine,
 * in natural and drawn order, by one and two workers, and must leave what plain C says and count what single
 * threads count. */
#pragma once

#include "exec_unit.h"

/* The block of a check; y and z may be 0 for 1. */
struct shape {
    uint32_t x, y, z;
};

static const char *const levels[] = {"plain", "v3", "v4"};

static inline uint32_t shape_threads(struct shape shape)
{
    return shape.x * (shape.y ? shape.y : 1) * (shape.z ? shape.z : 1);
}

/* The device of `unit` becomes one of this level; false when the machine or the build has none. */
static inline bool use_level(struct exec_unit *unit, const char *level)
{
    const hx_device_options options = {.size = sizeof options, .workers = 2, .cpu_level = level};
    const uint64_t bytes = hx_buffer_bytes(unit->x);
    hx_device *device = NULL;
    if (hx_device_new(&options, NULL, &device) != HX_OK)
        return false;
    hx_device_free(unit->device);
    unit->device = device;
    ck_assert_ok(hx_buffer_new(device, "x", bytes, HX_ACCESS_READWRITE, NULL, &unit->x));
    return true;
}

static inline void check_counts(const hx_counts *counts, const hx_counts *single, uint32_t gang_lanes)
{
    ck_assert_uint_eq(counts->thread_instructions, single->thread_instructions);
    ck_assert_mem_eq(counts->loaded_bytes, single->loaded_bytes, sizeof single->loaded_bytes);
    ck_assert_mem_eq(counts->stored_bytes, single->stored_bytes, sizeof single->stored_bytes);
    ck_assert_uint_le(counts->issues, single->issues);
    ck_assert_uint_ge(counts->issues * gang_lanes, counts->thread_instructions);
}

/* One launch, with x as `start` has it before (zeros when it is NULL), against want. */
static inline void check_launch(struct exec_unit *unit, uint32_t grid, uint32_t block, const uint32_t *start,
                                const uint32_t *want, const char *code)
{
    const size_t bytes = hx_buffer_bytes(unit->x);
    memset(exec_unit_x(unit), 0, bytes);
    if (start)
        memcpy(exec_unit_x(unit), start, bytes);
    const hx_status status = exec_unit_launch(unit, grid, block);
    ck_assert_msg(status == HX_OK, "gangs of %u: %s\n%s", unit->options.gang_lanes,
                  hx_diag_count(unit->loaded.diag) ? hx_diag_at(unit->loaded.diag, 0)->message
                                                   : hx_status_name(status),
                  code);
    for (uint32_t i = 0; i < bytes / 4; i++)
        ck_assert_msg(exec_unit_x(unit)[i] == want[i],
                      "%s, gangs of %u, %u workers, seed %u, block %u: x[%u] is %u, not %u\n%s",
                      hx_device_cpu_level(unit->device), unit->options.gang_lanes, unit->options.workers,
                      (unsigned)unit->options.seed, block, i, exec_unit_x(unit)[i], want[i], code);
}

/* All ways of running; `elements` of x, which hold `start` before and `want` after. Levels but the best take
 * whole gangs and a single lane. */
static inline void check_ways(const char *more, const char *code, uint32_t grid, struct shape shape,
                              uint32_t elements, const uint32_t *start, const uint32_t *want)
{
    static const uint32_t gangs[] = {1, 0, 64, 256, 7, 32, 200};
    struct exec_unit unit = exec_unit_new_with(more, code, elements);
    hx_counts single = {0};
    const char *const best = hx_device_cpu_level(unit.device);
    unit.options.block[1] = shape.y;
    unit.options.block[2] = shape.z;
    for (size_t level = 0; level < HX_COUNT_OF(levels); level++) {
        if (!use_level(&unit, levels[level]))
            continue;
        const bool is_best = strcmp(hx_device_cpu_level(unit.device), best) == 0;
        for (size_t g = 0; g < (is_best ? HX_COUNT_OF(gangs) : 2); g++)
            for (uint32_t way = 0; way < (is_best ? 4 : 1); way++) {
                unit.options.gang_lanes = gangs[g];
                unit.options.workers = 1 + (way == 1);
                unit.options.seed = way;
                unit.options.turns = way == 3 ? HX_TURNS_LONG : HX_TURNS_WHOLE;
                check_launch(&unit, grid, shape.x, start, want, code);
                if (single.issues == 0)
                    single = unit.result.counts;
                if (unit.options.turns == HX_TURNS_WHOLE)
                    check_counts(&unit.result.counts, &single, unit.result.gang_lanes);
                ck_assert_uint_eq(unit.result.counts.thread_instructions, single.thread_instructions);
            }
    }
    exec_unit_done(&unit);
}

/* The same with x[i] = want(i), from zeros; one element a thread. */
static inline void check_shape(const char *code, uint32_t grid, struct shape shape,
                               uint32_t (*want)(uint32_t))
{
    const uint32_t elements = grid * shape_threads(shape);
    uint32_t *const all = calloc(elements, sizeof *all);
    for (uint32_t i = 0; i < elements; i++)
        all[i] = want(i);
    check_ways("", code, grid, shape, elements, NULL, all);
    free(all);
}

/* r0: the thread in the grid; r1: in the block, along x; r5 is the same in all threads, 10 */
#define THREAD_AND_10                                                                                        \
    "mov.u64 r0, %gtid\n"                                                                                    \
    "cvt.u32.u64 r0, r0\n"                                                                                   \
    "mov.u32 r1, %tid.x\n"                                                                                   \
    "mov.u32 r5, $n\n"                                                                                       \
    "add.u32 r5, r5, 3\n"

/* Of the launch, for `want`. */
static uint32_t block_size;

/* The same in two blocks of several sizes. */
static inline void check_blocks(const char *code, uint32_t (*want)(uint32_t))
{
    static const uint32_t sizes[] = {1, 7, 33, 100, 250};
    for (size_t i = 0; i < HX_COUNT_OF(sizes); i++) {
        block_size = sizes[i];
        check_shape(code, 2, (struct shape){sizes[i], 0, 0}, want);
    }
}

/* A test that is one kernel, run like this. */
#define CONVERGE_TEST(name, want, code)                                                                      \
    START_TEST(name)                                                                                         \
    {                                                                                                        \
        check_blocks(code, want);                                                                            \
    }                                                                                                        \
    END_TEST
