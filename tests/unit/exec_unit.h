/* Launches for tests: a kernel of kernel_unit.h, a device, and one buffer `x` of 32-bit elements. */
#pragma once

#include "hexec/launch.h"
#include "kernel_unit.h"

/* r0: the thread in the grid; r2: in its block; both along x. r1 is used. */
#define THREAD                                                                                               \
    "mov.u32 r0, %ctaid.x\n"                                                                                 \
    "mov.u32 r1, %ntid.x\n"                                                                                  \
    "mov.u32 r2, %tid.x\n"                                                                                   \
    "mad.u32 r0, r0, r1, r2\n"

struct exec_unit {
    struct loaded_kernel loaded;
    hx_kernel *kernel;
    hx_device *device;
    hx_buffer *x;
    hx_launch_options options;
    hx_launch_result result;
};

/* `elements` of x, all 0; two workers at most. `more` is a line of the program, "" for none. */
static inline struct exec_unit exec_unit_new_with(const char *more, const char *code, uint32_t elements)
{
    struct exec_unit unit = {.loaded = kernel_load(more, code)};
    const hx_device_options options = {.size = sizeof options, .workers = 2};
    hx_status status = hx_kernel_new(unit.loaded.program, 0, NULL, unit.loaded.diag, &unit.kernel);
    for (size_t i = 0; i < hx_diag_count_of(unit.loaded.diag, HX_ERROR); i++)
        fprintf(stderr, "%s\n", hx_diag_at(unit.loaded.diag, i)->message);
    ck_assert_ok(status);
    ck_assert_ok(hx_device_new(&options, NULL, &unit.device));
    ck_assert_ok(hx_buffer_new(unit.device, "x", 4ull * elements, HX_ACCESS_READWRITE, NULL, &unit.x));
    unit.options = (hx_launch_options){.size = sizeof unit.options, .counts = 1};
    return unit;
}

static inline struct exec_unit exec_unit_new(const char *code, uint32_t elements)
{
    return exec_unit_new_with("", code, elements);
}

static inline void exec_unit_done(struct exec_unit *unit)
{
    hx_device_free(unit->device);
    hx_kernel_free(unit->kernel);
    kernel_unload(&unit->loaded);
}

static inline uint32_t *exec_unit_x(struct exec_unit *unit)
{
    return hx_buffer_data(unit->x);
}

static inline hx_status exec_unit_launch(struct exec_unit *unit, uint32_t grid, uint32_t block)
{
    unit->options.grid[0] = grid;
    unit->options.block[0] = block;
    unit->result = (hx_launch_result){.size = sizeof unit->result};
    hx_diag_clear(unit->loaded.diag);
    return hx_launch(unit->device, unit->kernel, &unit->options, &unit->x, unit->loaded.diag, &unit->result);
}

/* One launch, with x zeroed before: x[i] must be want(i). */
static inline void exec_unit_check_launch(struct exec_unit *unit, uint32_t grid, uint32_t block,
                                          uint32_t (*want)(uint32_t))
{
    const hx_launch_options *options = &unit->options;
    const size_t bytes = hx_buffer_bytes(unit->x);
    memset(exec_unit_x(unit), 0, bytes);
    const hx_status status = exec_unit_launch(unit, grid, block);
    ck_assert_msg(status == HX_OK, "gangs of %u, %u workers, seed %llu: %s", options->gang_lanes,
                  options->workers, (unsigned long long)options->seed,
                  hx_diag_count(unit->loaded.diag) ? hx_diag_at(unit->loaded.diag, 0)->message
                                                   : hx_status_name(status));
    for (uint32_t i = 0; i < bytes / 4; i++)
        ck_assert_msg(exec_unit_x(unit)[i] == want(i),
                      "gangs of %u, %u workers, seed %llu: x[%u] is %u, not %u", options->gang_lanes,
                      options->workers, (unsigned long long)options->seed, i, exec_unit_x(unit)[i], want(i));
}

/* The same with every way of forming gangs, one and two workers, in natural and in drawn order with turns cut
 * and whole. */
static inline void exec_unit_check(struct exec_unit *unit, uint32_t grid, uint32_t block,
                                   uint32_t (*want)(uint32_t))
{
    static const uint32_t gangs[] = {0, 1, 7, 32, 64, 200, 256};
    for (size_t g = 0; g < HX_COUNT_OF(gangs); g++)
        for (uint32_t workers = 1; workers <= 2; workers++)
            for (uint64_t seed = 0; seed < 3; seed++) {
                unit->options.gang_lanes = gangs[g];
                unit->options.workers = workers;
                unit->options.seed = seed;
                unit->options.turns = seed == 2 ? HX_TURNS_WHOLE : HX_TURNS_LONG;
                exec_unit_check_launch(unit, grid, block, want);
            }
}

/* The same in many orders more; what waits in vain is stopped by a bound on instructions. */
static inline void exec_unit_check_orders(struct exec_unit *unit, uint32_t grid, uint32_t block,
                                          uint32_t (*want)(uint32_t))
{
    static const uint32_t gangs[] = {1, 32, 64, 256, 0};
    unit->options.max_instructions = 100 * 1000 * 1000;
    exec_unit_check(unit, grid, block, want);
    for (uint64_t seed = 3; seed < 40; seed++) {
        unit->options.seed = seed * UINT64_C(0x9e3779b97f4a7c15);
        unit->options.workers = 1 + seed % 2;
        unit->options.turns = seed % 4 < 2 ? HX_TURNS_WHOLE : HX_TURNS_LONG;
        unit->options.gang_lanes = gangs[seed % HX_COUNT_OF(gangs)];
        exec_unit_check_launch(unit, grid, block, want);
    }
}

/* The same for a kernel's code, and x of `elements`. */
static inline void exec_unit_check_code(const char *code, uint32_t grid, uint32_t block, uint32_t elements,
                                        uint32_t (*want)(uint32_t))
{
    struct exec_unit unit = exec_unit_new(code, elements);
    exec_unit_check_orders(&unit, grid, block, want);
    exec_unit_done(&unit);
}

/* Device, buffer x of 128 elements, kernel and launch, with memory of `allocator`; all is freed again. */
static inline hx_status exec_unit_run(const hx_program *program, const hx_allocator *allocator,
                                      const hx_launch_options *launch)
{
    const hx_device_options options = {.size = sizeof options, .allocator = allocator, .workers = 2};
    hx_device *device = NULL;
    hx_kernel *kernel = NULL;
    hx_buffer *x = NULL;
    hx_launch_result result = {.size = sizeof result};
    hx_status status = hx_device_new(&options, NULL, &device);
    if (status == HX_OK)
        status = hx_buffer_new(device, "x", 4 * 128, HX_ACCESS_READWRITE, NULL, &x);
    if (status == HX_OK)
        status = hx_kernel_new(program, 0, allocator, NULL, &kernel);
    if (status == HX_OK)
        status = hx_launch(device, kernel, launch, &x, NULL, &result);
    hx_kernel_free(kernel);
    hx_device_free(device);
    return status;
}

/* A test that is one kernel: x[i] must be want(i). */
#define EXEC_TEST(name, want, grid, block, elements, code)                                                   \
    START_TEST(name)                                                                                         \
    {                                                                                                        \
        exec_unit_check_code(code, grid, block, elements, want);                                             \
    }                                                                                                        \
    END_TEST

/* The first diagnostic of the last launch. `in_note`: NULL when there is to be no note. */
static inline void exec_unit_check_message(const struct exec_unit *unit, int code, const char *in_message,
                                           const char *in_note)
{
    const hx_diagnostic *first = hx_diag_at(unit->loaded.diag, 0);
    ck_assert_ptr_nonnull(first);
    ck_assert_int_eq(first->code, code);
    ck_assert_msg(strstr(first->message, in_message), "%s", first->message);
    if (in_note)
        ck_assert_msg(first->note && strstr(first->note, in_note), "%s", first->note);
    else
        ck_assert_ptr_null(first->note);
}
