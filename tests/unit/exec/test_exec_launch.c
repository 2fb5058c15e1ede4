/* What a launch tells and keeps: exact counts, bounds, interruption, memory that runs out, devices arm by
 * arm. */
#include "exec_unit.h"

#include <pthread.h>
#include <unistd.h>

#define ENDLESS "again: bra again\nexit"

START_TEST(test_counts)
{
    /* 2 blocks of 40: 6 instructions for all, 3 more for the 10 threads of a block with tid < 10 */
    struct exec_unit unit = exec_unit_new("mov.u32 r0, %tid.x\n"
                                          "setp.ge.u32 p0, r0, 10\n"
                                          "mov.f32 r1, 2\n"
                                          "@p0 bra out\n"
                                          "fma.f32 r1, r1, r1, r1\n"
                                          "sts.u16 [bytes], r0\n"
                                          "ldg.u8 r2, [$x + r0]\n"
                                          "out: stg.u64 [$x + r0*8], r0\nexit",
                                          2 * 40);
    static const uint32_t gangs[] = {1, 32, 256};
    for (size_t g = 0; g < HX_COUNT_OF(gangs); g++)
        for (uint32_t workers = 1; workers <= 2; workers++) {
            unit.options.gang_lanes = gangs[g];
            unit.options.workers = workers;
            ck_assert_ok(exec_unit_launch(&unit, 2, 40));
            const hx_counts *counts = &unit.result.counts;
            ck_assert_uint_eq(counts->thread_instructions, 2 * (40 * 6 + 10 * 3));
            ck_assert_uint_eq(counts->stored_bytes[1], 2 * 40 * 8);
            ck_assert_uint_eq(counts->loaded_bytes[1], 2 * 10);
            ck_assert_uint_eq(counts->stored_bytes[2], 2 * 10 * 2);
            ck_assert_uint_eq(counts->loaded_bytes[2], 0);
            ck_assert_uint_eq(counts->flops, 2 * 10 * 2);
            ck_assert_uint_eq(unit.result.gang_lanes, gangs[g] < 40 ? gangs[g] : 40);
            if (gangs[g] == 256) /* one gang a block: 9 issues */
                ck_assert_uint_eq(counts->issues, 2 * 9);
            if (gangs[g] == 1)
                ck_assert_uint_eq(counts->issues, counts->thread_instructions);
        }
    exec_unit_done(&unit);
}
END_TEST

START_TEST(test_bounds)
{
    struct exec_unit unit = exec_unit_new(ENDLESS, 1);
    unit.options.max_instructions = 100000;
    ck_assert_int_eq(exec_unit_launch(&unit, 4, 64), HX_LIMIT);
    ck_assert_uint_ge(unit.result.counts.thread_instructions, 100000);
    ck_assert_uint_lt(unit.result.counts.thread_instructions, 100000000);
    ck_assert_uint_eq(hx_diag_count_of(unit.loaded.diag, HX_ERROR), 1);
    unit.options.max_instructions = 0;
    unit.options.timeout_ns = 20 * 1000 * 1000;
    ck_assert_int_eq(exec_unit_launch(&unit, 4, 64), HX_LIMIT);
    ck_assert_uint_ge(unit.result.duration_ns, 20 * 1000 * 1000);
    exec_unit_done(&unit);
}
END_TEST

static void *interrupt(void *user)
{
    struct exec_unit *unit = user;
    usleep(20000);
    hx_device_interrupt(unit->device);
    return NULL;
}

START_TEST(test_interruption_from_another_thread)
{
    struct exec_unit unit = exec_unit_new(ENDLESS, 1);
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, interrupt, &unit), 0);
    ck_assert_int_eq(exec_unit_launch(&unit, 4, 64), HX_INTERRUPTED);
    pthread_join(thread, NULL);
    exec_unit_done(&unit);
}
END_TEST

static void interrupt_at_end(void *user, const hx_launch_end *event)
{
    (void)event;
    hx_device_interrupt(user);
}

/* One that comes when the last block is done ends the next launch, and that one alone. */
START_TEST(test_interruption_that_comes_late)
{
    struct exec_unit unit = exec_unit_new("mov.u32 r0, 7\nstg.u32 [$x], r0\nexit", 1);
    const hx_listener listener = {
        .size = sizeof listener, .events = HX_EVENT_LAUNCH, .user = unit.device, .end = interrupt_at_end};
    const hx_listener *const listeners[] = {&listener};
    unit.options.listeners = listeners;
    unit.options.listener_count = 1;
    ck_assert_ok(exec_unit_launch(&unit, 2, 64));
    unit.options.listener_count = 0;
    ck_assert_int_eq(exec_unit_launch(&unit, 2, 64), HX_INTERRUPTED);
    ck_assert_ok(exec_unit_launch(&unit, 2, 64));
    exec_unit_done(&unit);
}
END_TEST

START_TEST(test_faults_of_several_workers)
{
    /* every block past the first 3 stores beyond x */
    struct exec_unit unit =
        exec_unit_new("mov.u32 r0, %ctaid.x\nmov.u32 r1, 7\nstg.u32 [$x + r0*4], r1\nexit", 3);
    for (uint32_t workers = 1; workers <= 2; workers++) {
        unit.options.workers = workers;
        ck_assert_int_eq(exec_unit_launch(&unit, 100, 1), HX_FAULT);
        ck_assert_int_eq(unit.result.fault.kind, HX_FAULT_OUT_OF_RANGE);
        ck_assert_uint_ge(unit.result.fault.block[0], 3);
        ck_assert_int_eq(unit.result.fault.is_store, 1);
        ck_assert_str_eq(unit.result.fault.nearest, "x");
        ck_assert_uint_eq(unit.result.fault.address,
                          hx_buffer_address(unit.x) + 4ull * unit.result.fault.block[0]);
        ck_assert_uint_eq(exec_unit_x(&unit)[0], 7);
        ck_assert_int_eq(hx_diag_at(unit.loaded.diag, 0)->line, kernel_line(3));
    }
    ck_assert_ok(exec_unit_launch(&unit, 3, 1)); /* the device goes on */
    exec_unit_done(&unit);
}
END_TEST

START_TEST(test_bad_shapes)
{
    struct exec_unit unit = exec_unit_new("exit", 1);
    ck_assert_int_eq(exec_unit_launch(&unit, 1, 1025), HX_INVALID);
    ck_assert_int_eq(exec_unit_launch(&unit, UINT32_MAX, 1), HX_INVALID);
    unit.options.warp_size = 3;
    ck_assert_int_eq(exec_unit_launch(&unit, 1, 1), HX_INVALID);
    unit.options.warp_size = 32;
    unit.options.gang_lanes = 257;
    ck_assert_int_eq(exec_unit_launch(&unit, 1, 1), HX_INVALID);
    unit.options.gang_lanes = 0;
    unit.options.dynamic_shared_bytes = UINT64_MAX - 3;
    ck_assert_int_eq(exec_unit_launch(&unit, 1, 1), HX_INVALID);
    unit.options.dynamic_shared_bytes = 0;
    ck_assert_ok(exec_unit_launch(&unit, 1, 1));
    exec_unit_done(&unit);
}
END_TEST

static const hx_launch_options whole_run = {
    .size = sizeof whole_run, .grid = {2, 1, 1}, .block = {64, 1, 1}, .workers = 1, .counts = 1};

START_TEST(test_memory_that_runs_out)
{
    struct loaded_kernel loaded = kernel_load("", "mov.u32 r0, %tid.x\n"
                                                  "setp.lt.u32 p0, r0, 20\n@p0 call half\n"
                                                  "sts.u8 [bytes + r1], r0\n"
                                                  "bar.sync 0\n"
                                                  "stg.u32 [$x + r0*4], r1\nexit\n"
                                                  "half: alloca.u64 r2, 16\n"
                                                  "mov.u32 r1, 5\n"
                                                  "ret");
    hx_status status = HX_NO_MEMORY;
    for (size_t at = 1; status != HX_OK; at++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, at);
        status = exec_unit_run(loaded.program, &failing.hook, &whole_run);
        ck_assert_msg(status == HX_OK || status == HX_NO_MEMORY || status == HX_FAULT, "allocation %zu: %s",
                      at, hx_status_name(status));
        ck_assert_msg(failing.live == 0, "allocation %zu: %zu blocks are left", at, failing.live);
    }
    kernel_unload(&loaded);
}
END_TEST

static void *run_on_own_device(void *user)
{
    const hx_program *program = user;
    for (int i = 0; i < 20; i++)
        if (exec_unit_run(program, NULL, &whole_run) != HX_OK)
            return NULL;
    return user;
}

START_TEST(test_devices_arm_by_arm)
{
    struct loaded_kernel loaded = kernel_load("", "mov.u32 r0, %tid.x\nstg.u32 [$x + r0*4], r0\nexit");
    pthread_t threads[3];
    for (size_t i = 0; i < HX_COUNT_OF(threads); i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_on_own_device, loaded.program), 0);
    for (size_t i = 0; i < HX_COUNT_OF(threads); i++) {
        void *good = NULL;
        pthread_join(threads[i], &good);
        ck_assert_ptr_nonnull(good);
    }
    kernel_unload(&loaded);
}
END_TEST

START_TEST(test_buffers)
{
    const hx_device_options options = {.size = sizeof options, .workers = 1, .max_memory_bytes = 1 << 20};
    hx_device *device = NULL;
    hx_buffer *a = NULL, *b = NULL, *empty = NULL, *none = NULL;
    ck_assert_ok(hx_device_new(&options, NULL, &device));
    ck_assert_ok(hx_buffer_new(device, "a", 1000, HX_ACCESS_READ, NULL, &a));
    ck_assert_ok(hx_buffer_new(device, "empty", 0, HX_ACCESS_READ, NULL, &empty));
    ck_assert_ok(hx_buffer_new(device, "b", 1, HX_ACCESS_WRITE, NULL, &b));
    ck_assert_uint_eq(hx_buffer_address(a) % 256, 0);
    ck_assert_uint_ne(hx_buffer_address(a), 0);
    ck_assert_uint_eq(hx_buffer_bytes(a), 1000);
    ck_assert_uint_ge(hx_buffer_address(b) > hx_buffer_address(a)
                          ? hx_buffer_address(b) - hx_buffer_address(a)
                          : hx_buffer_address(a) - hx_buffer_address(b),
                      1000);
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(((const char *)hx_buffer_data(a))[i], 0);
    ck_assert_int_eq(hx_buffer_new(device, "much", 1 << 20, HX_ACCESS_READ, NULL, &none), HX_LIMIT);
    ck_assert_int_eq(hx_buffer_new(device, "more", UINT64_MAX - 10, HX_ACCESS_READ, NULL, &none), HX_LIMIT);
    ck_assert_ptr_null(none);
    hx_buffer_free(device, a);
    hx_buffer_free(device, NULL);
    hx_device_free(device);
    hx_device_free(NULL);
}
END_TEST

UNIT_MAIN("exec_launch", test_counts, test_bounds, test_interruption_from_another_thread,
          test_interruption_that_comes_late, test_faults_of_several_workers, test_bad_shapes,
          test_memory_that_runs_out, test_devices_arm_by_arm, test_buffers)
