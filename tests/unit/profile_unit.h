/* Kernels whose profile is known by hand: run with every way of forming gangs and with one and two workers,
 * each time the counts of one instruction must be what the test says. */
#pragma once

#include "exec_unit.h"
#include "hexec/collector.h"

struct profile_unit {
    struct exec_unit exec;
    hx_instruction_profile *profile; /* NULL: not collected */
    hx_worker_profile *workers;      /* likewise */
    uint32_t collect;
    uint32_t count;
};

static inline struct profile_unit profile_unit_new(const char *code, uint32_t elements)
{
    struct profile_unit unit = {.exec = exec_unit_new(code, elements)};
    unit.count = hx_kernel_instructions(unit.exec.kernel);
    unit.profile = calloc(unit.count, sizeof *unit.profile);
    unit.collect = HX_COLLECT_WARPS | HX_COLLECT_MEMORY;
    return unit;
}

static inline void profile_unit_done(struct profile_unit *unit)
{
    free(unit->profile);
    exec_unit_done(&unit->exec);
}

/* A launch with a collector. What it makes of the options is gone behind it. */
static inline hx_status profile_unit_try(struct profile_unit *unit, uint32_t grid, uint32_t block)
{
    const hx_launch_options before = unit->exec.options;
    hx_collector collector = {.size = sizeof collector,
                              .collect = unit->collect,
                              .profile = unit->profile,
                              .workers = unit->workers};
    const hx_listener listener = hx_collector_listener(&collector, &unit->exec.options);
    const hx_listener *const listeners[] = {&listener};
    unit->exec.options.listeners = listeners;
    unit->exec.options.listener_count = 1;
    const hx_status status = exec_unit_launch(&unit->exec, grid, block);
    ck_assert_ptr_null(collector.state);
    unit->exec.options = before;
    unit->exec.options.grid[0] = grid;
    unit->exec.options.block[0] = block;
    return status;
}

static inline void profile_unit_launch(struct profile_unit *unit, uint32_t grid, uint32_t block)
{
    if (unit->profile)
        memset(unit->profile, 0, unit->count * sizeof *unit->profile);
    const hx_status status = profile_unit_try(unit, grid, block);
    ck_assert_msg(status == HX_OK, "%s",
                  hx_diag_count(unit->exec.loaded.diag) ? hx_diag_at(unit->exec.loaded.diag, 0)->message
                                                        : hx_status_name(status));
}

/* A kernel of one block of `block` threads, x of 4,096 elements, and what its instruction `at` does. */
struct known_warps {
    const char *what, *code;
    uint32_t block, at;
    uint64_t warps, standing, lanes, partial, none;
};
struct known_memory {
    const char *what, *code;
    uint32_t block, at;
    uint64_t requests, sectors, lines, sectors_least, wavefronts, wavefronts_least;
};
#define PROFILE_ELEMENTS 4096u

#define CHECK_KNOWN(member, expected)                                                                        \
    ck_assert_msg(have->member == (expected), "%s, gangs of %u, %u workers: " #member " is %llu, not %llu",  \
                  known->what, unit->exec.options.gang_lanes, unit->exec.options.workers,                    \
                  (unsigned long long)have->member, (unsigned long long)(expected))

static inline void check_known_warps(const struct profile_unit *unit, const void *user)
{
    const struct known_warps *known = user;
    const hx_instruction_profile *have = &unit->profile[known->at];
    const uint32_t blocks = unit->exec.options.grid[0];
    CHECK_KNOWN(warps, known->warps * blocks);
    CHECK_KNOWN(standing, known->standing * blocks);
    CHECK_KNOWN(lanes, known->lanes * blocks);
    CHECK_KNOWN(warps_partial, known->partial * blocks);
    CHECK_KNOWN(warps_none, known->none * blocks);
}

static inline void check_known_memory(const struct profile_unit *unit, const void *user)
{
    const struct known_memory *known = user;
    const hx_instruction_profile *have = &unit->profile[known->at];
    const uint32_t blocks = unit->exec.options.grid[0];
    CHECK_KNOWN(requests, known->requests * blocks);
    CHECK_KNOWN(sectors, known->sectors * blocks);
    CHECK_KNOWN(lines, known->lines * blocks);
    CHECK_KNOWN(sectors_least, known->sectors_least * blocks);
    CHECK_KNOWN(wavefronts, known->wavefronts * blocks);
    CHECK_KNOWN(wavefronts_least, known->wavefronts_least * blocks);
}

static inline void check_everywhere(const char *code, uint32_t block, const void *known,
                                    void (*check)(const struct profile_unit *unit, const void *known))
{
    static const uint32_t gangs[] = {0, 1, 7, 32, 64, 200, 256};
    struct profile_unit unit = profile_unit_new(code, PROFILE_ELEMENTS);
    unit.exec.options.dynamic_shared_bytes = 40960;
    for (size_t g = 0; g < HX_COUNT_OF(gangs); g++)
        for (uint32_t workers = 1; workers <= 2; workers++) {
            unit.exec.options.gang_lanes = gangs[g];
            unit.exec.options.workers = workers;
            profile_unit_launch(&unit, workers, block);
            check(&unit, known);
        }
    profile_unit_done(&unit);
}
