/* The host's peaks: that they are measured and stand in relations that hold on any machine; no time is
 * tested. */
#include "costs/loops.h"
#include "hexec/bench.h"
#include "unit.h"

#include <string.h>

static hx_host_options quick_options(void)
{
    return (hx_host_options){.size = sizeof(hx_host_options), .budget_ns = 2000000, .dram_bytes = 4u << 20};
}

START_TEST(test_everything_is_measured)
{
    const hx_host_options options = quick_options();
    hx_host_peaks peaks = {.size = sizeof peaks};
    ck_assert_ok(hx_host_measure(&options, NULL, &peaks));
    ck_assert_uint_ge(peaks.cores, 1);
    hx_device *device;
    ck_assert_ok(hx_device_new(NULL, NULL, &device));
    ck_assert_str_eq(peaks.cpu_level, hx_device_cpu_level(device)); /* the best that machine and build have */
    hx_device_free(device);
    ck_assert_double_gt(peaks.f32_flops.one, 0);
    ck_assert_double_gt(peaks.f64_flops.one, 0);
    ck_assert_uint_gt(peaks.memory[HX_HOST_L1].bytes, 0);
    ck_assert_uint_gt(peaks.memory[HX_HOST_DRAM].bytes, 0);
    ck_assert_uint_le(peaks.memory[HX_HOST_DRAM].bytes * peaks.cores, 4u << 20);
    for (int level = 0; level < HX_HOST_LEVELS; level++)
        for (int way = 0; way < HX_HOST_WAYS; way++) {
            const hx_host_rate *rate = &peaks.memory[level].rates[way];
            ck_assert((rate->one > 0) == (peaks.memory[level].bytes > 0));
            ck_assert((rate->all > 0) == (peaks.memory[level].bytes > 0));
        }
    ck_assert(peaks.is_dram_cached || peaks.memory[HX_HOST_L3].size_bytes < 4u << 20);
    ck_assert_uint_gt(peaks.duration_ns, 0);
}
END_TEST

START_TEST(test_levels)
{
    hx_host_options options = quick_options();
    hx_host_peaks peaks = {.size = sizeof peaks};
    options.cpu_level = "plain";
    ck_assert_ok(hx_host_measure(&options, NULL, &peaks));
    ck_assert_str_eq(peaks.cpu_level, "plain");
    options.cpu_level = "v9";
    hx_diag *diag;
    ck_assert_ok(hx_diag_new(NULL, &diag));
    ck_assert_int_eq(hx_host_measure(&options, diag, &peaks), HX_INVALID);
    ck_assert_ptr_nonnull(strstr(hx_diag_at(diag, 0)->message, "v9"));
    hx_diag_free(diag);
}
END_TEST

/* The loops do what they count: so many operations a round, bytes of one half in the other. */
START_TEST(test_loops_do_their_work)
{
    static _Alignas(64) unsigned char memory[4 * LOOPS_STEP];
    for (int level = CPU_LEVEL_PLAIN; level <= (int)machine_cpu_level(); level++) {
        const struct loops *loops = loops_at((enum cpu_level)level);
        ck_assert_uint_eq(loops->f32(10), 10 * loops->f32(1));
        ck_assert_uint_eq(loops->f32(3), 2 * loops->f64(3));
        for (size_t i = 0; i < sizeof memory; i++)
            memory[i] = (unsigned char)(i * 7 + (i >> 8));
        unsigned char before[sizeof memory];
        memcpy(before, memory, sizeof memory);
        loops->read(memory, sizeof memory);
        ck_assert_mem_eq(memory, before, sizeof memory);
        loops->copy(memory, sizeof memory);
        ck_assert_mem_eq(memory, before, sizeof memory / 2);
        ck_assert_mem_eq(memory + sizeof memory / 2, before, sizeof memory / 2);
        loops->write(memory, LOOPS_STEP);
        ck_assert_mem_ne(memory, before, LOOPS_STEP);
        ck_assert_mem_eq(memory + LOOPS_STEP, before + LOOPS_STEP, LOOPS_STEP);
    }
}
END_TEST

START_TEST(test_memory_runs_out)
{
    hx_status status = HX_NO_MEMORY;
    for (size_t fail_at = 1; status == HX_NO_MEMORY; fail_at++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, fail_at);
        hx_host_options options = quick_options();
        options.allocator = &failing.hook;
        options.budget_ns = 100000;
        hx_host_peaks peaks = {.size = sizeof peaks};
        status = hx_host_measure(&options, NULL, &peaks);
        ck_assert(status == HX_OK || status == HX_NO_MEMORY);
        ck_assert_uint_eq(failing.live, 0);
    }
}
END_TEST

START_TEST(test_names)
{
    ck_assert_str_eq(hx_host_level_name(HX_HOST_L1), "L1");
    ck_assert_str_eq(hx_host_level_name(HX_HOST_DRAM), "DRAM");
    ck_assert_str_eq(hx_host_level_name(HX_HOST_LEVELS), "?");
    ck_assert_str_eq(hx_host_way_name(HX_HOST_COPY), "copy");
    ck_assert_str_eq(hx_host_way_name(HX_HOST_WAYS), "?");
}
END_TEST

UNIT_MAIN("costs_host", test_everything_is_measured, test_levels, test_loops_do_their_work,
          test_memory_runs_out, test_names)
