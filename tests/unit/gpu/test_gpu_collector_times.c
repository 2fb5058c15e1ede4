/* What is measured, by what must hold of it whatever the machine does. */
#include "profile_unit.h"

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

START_TEST(test_histograms)
{
    struct profile_unit unit = profile_unit_new(BUSY, BLOCK);
    for (uint32_t collect = HX_COLLECT_TIME; collect <= (HX_COLLECT_TIME | HX_COLLECT_WARPS); collect += 2) {
        unit.collect = collect;
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
            ck_assert_int_eq(profile->warps > 0, (collect & HX_COLLECT_WARPS) && profile->issues > 0);
            sampled += profile->sampled;
        }
        ck_assert_uint_gt(sampled, 0); /* of 3,400 issues at least */
    }
    profile_unit_done(&unit);
}
END_TEST

static void check_worker(const hx_worker_profile *profile)
{
    const double parts = profile->running_ns + profile->scheduling_ns + profile->instrumentation_ns +
                         profile->idle_ns + profile->off_core_ns;
    ck_assert(profile->running_ns >= 0 && profile->scheduling_ns >= 0);
    ck_assert(profile->instrumentation_ns >= 0 && profile->idle_ns >= 0 && profile->off_core_ns >= 0);
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
    unit->workers = profiles;
    profile_unit_launch(unit, GRID, BLOCK);
    unit->workers = NULL;
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
            hx_instruction_profile *const profile = unit.profile;
            unit.profile = NULL;
            check_workers(&unit, workers);
            unit.profile = profile;
            for (size_t c = 0; c < HX_COUNT_OF(collects); c++) {
                unit.collect = collects[c];
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
    unit.workers = profiles;
    ck_assert_int_eq(profile_unit_try(&unit, 100, 64), HX_FAULT);
    for (uint32_t w = 0; w < unit.exec.result.workers; w++)
        check_worker(&profiles[w]);
    /* a thread that stores beyond x has been counted */
    ck_assert_uint_ge(unit.profile[1].requests, 1);
    profile_unit_done(&unit);
}
END_TEST

static hx_status run_with(const hx_program *program, const hx_allocator *allocator)
{
    hx_instruction_profile profile[7] = {{0}};
    hx_worker_profile workers[2] = {{0}};
    hx_launch_options launch = {.size = sizeof launch, .grid = {2}, .block = {BLOCK}, .workers = 1};
    hx_collector collector = {.size = sizeof collector,
                              .collect = HX_COLLECT_TIME | HX_COLLECT_WARPS | HX_COLLECT_MEMORY,
                              .profile = profile,
                              .workers = workers};
    const hx_listener listener = hx_collector_listener(&collector, &launch);
    const hx_listener *const listeners[] = {&listener};
    launch.listeners = listeners;
    launch.listener_count = 1;
    return exec_unit_run(program, allocator, &launch);
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

UNIT_MAIN("gpu_collector_times", test_histograms, test_workers, test_launch_that_fails,
          test_memory_that_runs_out)
