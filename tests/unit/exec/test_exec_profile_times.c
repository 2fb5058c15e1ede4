/* What is measured, by what must hold of it whatever the machine does; and what observers are told. */
#include "profile_unit.h"

#include "exec/observer.h"

#define BUSY                                                                                                 \
    "mov.u32 r0, %tid.x\n"                                                                                   \
    "mov.u32 r1, 40\n"                                                                                       \
    "again: mad.u32 r2, r0, r1, r2\n"                                                                        \
    "loop.u32 r1, again\n"                                                                                   \
    "bar.sync 0\n"                                                                                           \
    "stg.u32 [$x + r0*4], r2\n"                                                                              \
    "exit"
#define GRID  40u
#define BLOCK 96u
#define WARPS 3u

/* ---- Times of instructions ----------------------------------------------------------------------------- */

START_TEST(test_histograms)
{
    struct profile_unit unit = profile_unit_new(BUSY, BLOCK);
    for (uint32_t collect = 0; collect <= HX_COLLECT_TIME; collect++) { /* 0 is HX_COLLECT_TIME */
        unit.exec.options.collect = collect;
        profile_unit_launch(&unit, GRID, BLOCK);
        uint64_t sampled = 0;
        for (uint32_t i = 0; i < unit.count; i++) {
            const hx_instruction_profile *profile = &unit.profile[i];
            uint64_t in_buckets = 0;
            double least = 0;
            for (int b = 0; b < HX_TIME_BUCKETS; b++) {
                in_buckets += profile->histogram[b];
                least += b == 0 ? 0 : profile->histogram[b] * (double)(1u << b / 4); /* of whole octaves */
            }
            ck_assert_uint_eq(in_buckets, profile->sampled);
            ck_assert(least <= profile->sampled_ns * (1 + 1e-9));
            ck_assert_uint_eq(profile->warps, 0); /* not asked for */
            sampled += profile->sampled;
        }
        ck_assert_uint_gt(sampled, 0); /* of 3,400 issues at least */
    }
    profile_unit_done(&unit);
}
END_TEST

/* ---- Times of workers ---------------------------------------------------------------------------------- */

static void check_worker(const hx_worker_profile *profile)
{
    const double parts =
        profile->running_ns + profile->scheduling_ns + profile->instrumentation_ns + profile->idle_ns;
    ck_assert(profile->running_ns >= 0 && profile->scheduling_ns >= 0);
    ck_assert(profile->instrumentation_ns >= 0 && profile->idle_ns >= 0);
    ck_assert(parts > profile->wall_ns * (1 - 1e-9) && parts < profile->wall_ns * (1 + 1e-9));
    ck_assert(profile->barrier_warp_ns >= 0);
    ck_assert(profile->barrier_warp_ns <= profile->resident_warp_ns * (1 + 1e-9));
}

static void check_workers(struct profile_unit *unit, uint32_t workers)
{
    hx_worker_profile profiles[2] = {{0}};
    uint64_t blocks = 0;
    double busy = 0, resident = 0, waiting = 0;
    unit->exec.options.workers = workers;
    unit->exec.options.worker_profile = profiles;
    profile_unit_launch(unit, GRID, BLOCK);
    ck_assert_uint_eq(unit->exec.result.workers, workers);
    for (uint32_t w = 0; w < workers; w++) {
        check_worker(&profiles[w]);
        blocks += profiles[w].blocks;
        busy += profiles[w].wall_ns - profiles[w].idle_ns;
        resident += profiles[w].resident_warp_ns;
        waiting += profiles[w].barrier_warp_ns;
        ck_assert(profiles[w].wall_ns == profiles[0].wall_ns); /* from one begin to one end */
    }
    ck_assert_uint_eq(blocks, GRID);
    /* a worker runs one block of this kernel after the other */
    ck_assert(resident > 0 && resident <= busy * WARPS * (1 + 1e-9));
    if (unit->exec.options.gang_lanes == 32) /* the first gang waits while the others come */
        ck_assert(waiting > 0);
}

START_TEST(test_workers)
{
    static const uint32_t collects[] = {HX_COLLECT_TIME, HX_COLLECT_WARPS,
                                        HX_COLLECT_WARPS | HX_COLLECT_MEMORY | HX_COLLECT_TIME};
    struct profile_unit unit = profile_unit_new(BUSY, BLOCK);
    for (uint32_t gang = 32; gang <= 256; gang *= 8)
        for (uint32_t workers = 1; workers <= 2; workers++) {
            unit.exec.options.gang_lanes = gang;
            unit.exec.options.profile = NULL;
            check_workers(&unit, workers);
            for (size_t c = 0; c < HX_COUNT_OF(collects); c++) {
                unit.exec.options.profile = unit.profile;
                unit.exec.options.collect = collects[c];
                check_workers(&unit, workers);
            }
        }
    profile_unit_done(&unit);
}
END_TEST

START_TEST(test_launch_that_fails)
{
    struct profile_unit unit =
        profile_unit_new("mov.u32 r0, %ctaid.x\nstg.u32 [$x + r0*4], r0\nbar.sync 0\nexit", 3);
    hx_worker_profile profiles[2] = {{0}};
    unit.exec.options.worker_profile = profiles;
    ck_assert_int_eq(exec_unit_launch(&unit.exec, 100, 64), HX_FAULT);
    for (uint32_t w = 0; w < unit.exec.result.workers; w++)
        check_worker(&profiles[w]);
    /* whoever stores beyond x has been counted */
    ck_assert_uint_ge(unit.profile[1].requests, 1);
    profile_unit_done(&unit);
}
END_TEST

/* ---- Observers ----------------------------------------------------------------------------------------- */

struct seen {
    uint64_t blocks, block_numbers, gangs, issues, accesses, lanes, stored_places, begun, ended;
    uint64_t last_end, x;
    bool good;
};

static hx_status see_begin(void *user, const hx_program *program, const struct kernel *kernel,
                           const hx_launch_options *options)
{
    struct seen *seen = user;
    seen->good = program && kernel && options->block[0] == BLOCK;
    seen->begun++;
    return HX_OK;
}
static void see_end(void *user, const hx_launch_result *result)
{
    ((struct seen *)user)->ended += result->blocks_done == GRID;
}
static void see_block(void *user, uint32_t worker, const struct stay *stay)
{
    struct seen *seen = user;
    seen->blocks++;
    seen->block_numbers += stay->block;
    seen->good &= worker == 0 && stay->start_ticks < stay->end_ticks && stay->first_thread == 0;
    seen->good &= stay->start_ticks >= seen->last_end; /* one worker runs one after the other */
    seen->last_end = stay->end_ticks;
}
static void see_gang(void *user, uint32_t worker, const struct stay *stay)
{
    struct seen *seen = user;
    seen->gangs++;
    seen->good &= worker == 0 && stay->start_ticks <= stay->end_ticks && stay->block < GRID;
    seen->good &= stay->first_thread % 32 == 0 && stay->first_thread < BLOCK;
}
static void see_issue(void *user, uint32_t worker, const struct issue *issue)
{
    struct seen *seen = user;
    seen->issues++;
    seen->good &= worker == 0 && issue->lanes <= 32;
}
static void see_access(void *user, uint32_t worker, const struct warp_access *access)
{
    struct seen *seen = user;
    seen->accesses++;
    seen->good &= worker == 0 && access->instruction == 5 && access->lane_bytes == 4 && access->is_store &&
                  !access->is_load && access->space == SPACE_GLOBAL && access->block < GRID;
    for (uint32_t lane = 0; lane < 32; lane++) {
        seen->lanes += access->lanes >> lane & 1;
        seen->stored_places += access->addresses[lane] == seen->x + 4ull * (access->first_thread + lane);
    }
}

static void observe(struct profile_unit *unit, struct seen *seen, uint32_t events)
{
    const struct observer observer = {.events = events,
                                      .user = seen,
                                      .begin = see_begin,
                                      .end = see_end,
                                      .issue = see_issue,
                                      .access = see_access,
                                      .block = see_block,
                                      .gang = see_gang};
    hx_launch_options options = {
        .size = sizeof options, .grid = {GRID}, .block = {BLOCK}, .workers = 1, .gang_lanes = 32};
    hx_launch_result result = {.size = sizeof result};
    *seen = (struct seen){.good = true, .x = hx_buffer_address(unit->exec.x)};
    ck_assert_int_eq(
        exec_launch(unit->exec.device, unit->exec.kernel, &options, &unit->exec.x, &observer, NULL, &result),
        HX_OK);
    ck_assert(seen->good);
}

START_TEST(test_observers)
{
    struct profile_unit unit = profile_unit_new(BUSY, BLOCK);
    struct seen seen;
    for (uint32_t events = 0; events < 32; events++) {
        observe(&unit, &seen, events);
        ck_assert_uint_eq(seen.begun, events & OBSERVE_LAUNCH ? 1 : 0);
        ck_assert_uint_eq(seen.ended, events & OBSERVE_LAUNCH ? 1 : 0);
        ck_assert_uint_eq(seen.blocks, events & OBSERVE_BLOCK ? GRID : 0);
        ck_assert_uint_eq(seen.block_numbers, events & OBSERVE_BLOCK ? GRID * (GRID - 1) / 2 : 0);
        /* each gang has a turn up to the barrier, and one behind it; none jumps back so often that it ends */
        const uint32_t turns = events & OBSERVE_ACCESS ? 3 : 2; /* others have theirs behind the store */
        ck_assert_uint_eq(seen.gangs, events & OBSERVE_GANG ? GRID * WARPS * turns : 0);
        ck_assert_uint_eq(seen.accesses, events & OBSERVE_ACCESS ? GRID * WARPS : 0);
        ck_assert_uint_eq(seen.lanes, events & OBSERVE_ACCESS ? GRID * BLOCK : 0);
        ck_assert_uint_eq(seen.stored_places, events & OBSERVE_ACCESS ? GRID * BLOCK : 0);
        /* 2 before the loop, 2 of each round, 3 behind it */
        ck_assert_uint_eq(seen.issues, events & OBSERVE_ISSUE ? GRID * WARPS * (2 + 40 * 2 + 3) : 0);
    }
    profile_unit_done(&unit);
}
END_TEST

/* Two loads of three warps: each warp's first, then each one's second, as they would come to a cache. */
static void see_turn(void *user, uint32_t worker, const struct warp_access *access)
{
    struct seen *seen = user;
    const uint32_t instruction = seen->accesses / WARPS % 2 == 0 ? 1 : 2;
    seen->good &= worker == 0 && access->instruction == instruction;
    seen->good &= access->first_thread == seen->accesses % WARPS * 32;
    seen->good &= access->block == seen->accesses / (2 * WARPS);
    seen->accesses++;
}

START_TEST(test_turns)
{
    struct profile_unit unit = profile_unit_new("mov.u32 r0, %tid.x\n"
                                                "ldg.u32 r1, [$x + r0*4]\n"
                                                "ldg.u32 r2, [$x + r0*4 + 4]\n"
                                                "exit",
                                                BLOCK + 1);
    struct seen seen = {.good = true};
    const struct observer observer = {.events = OBSERVE_ACCESS, .user = &seen, .access = see_turn};
    hx_launch_options options = {.size = sizeof options, .grid = {GRID}, .block = {BLOCK}, .workers = 1};
    hx_launch_result result = {.size = sizeof result};
    ck_assert_int_eq(
        exec_launch(unit.exec.device, unit.exec.kernel, &options, &unit.exec.x, &observer, NULL, &result),
        HX_OK);
    ck_assert(seen.good);
    ck_assert_uint_eq(seen.accesses, GRID * WARPS * 2);
    profile_unit_done(&unit);
}
END_TEST

/* ---- Memory that runs out ------------------------------------------------------------------------------ */

static hx_status run_with(const hx_program *program, const hx_allocator *allocator)
{
    const hx_device_options options = {.size = sizeof options, .allocator = allocator, .workers = 2};
    hx_instruction_profile profile[7] = {{0}};
    hx_worker_profile workers[2] = {{0}};
    hx_device *device = NULL;
    hx_kernel *kernel = NULL;
    hx_buffer *x = NULL;
    hx_status status = hx_device_new(&options, NULL, &device);
    if (status == HX_OK)
        status = hx_buffer_new(device, "x", 4 * BLOCK, HX_ACCESS_READWRITE, NULL, &x);
    if (status == HX_OK)
        status = hx_kernel_new(program, 0, allocator, NULL, &kernel);
    if (status == HX_OK) {
        const hx_launch_options launch = {.size = sizeof launch,
                                          .grid = {2},
                                          .block = {BLOCK},
                                          .workers = 1,
                                          .profile = profile,
                                          .worker_profile = workers,
                                          .collect = HX_COLLECT_TIME | HX_COLLECT_WARPS | HX_COLLECT_MEMORY};
        hx_launch_result result = {.size = sizeof result};
        status = hx_launch(device, kernel, &launch, &x, NULL, &result);
    }
    hx_kernel_free(kernel);
    hx_device_free(device);
    return status;
}

START_TEST(test_memory_that_runs_out)
{
    struct loaded_kernel loaded = kernel_load("", BUSY);
    hx_status status = HX_NO_MEMORY;
    ck_assert_uint_eq(loaded.kernel->code_count, 7);
    for (size_t at = 1; status != HX_OK; at++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, at);
        status = run_with(loaded.program, &failing.hook);
        ck_assert_msg(status == HX_OK || status == HX_NO_MEMORY, "allocation %zu: %s", at,
                      hx_status_name(status));
        ck_assert_msg(failing.live == 0, "allocation %zu: %zu blocks are left", at, failing.live);
    }
    kernel_unload(&loaded);
}
END_TEST

UNIT_MAIN("exec_profile_times", test_histograms, test_workers, test_launch_that_fails, test_observers,
          test_turns, test_memory_that_runs_out)
