/* The host's caches under launches whose bytes can be worked out: what fits a level comes from it. */
#include "costs/levels.h"
#include "exec_unit.h"

#define TURNS 10

/* L1 of 4 KiB, L2 of 32 KiB, no L3. */
static hx_host_peaks peaks_of(void)
{
    hx_host_peaks peaks = {.size = sizeof peaks};
    peaks.memory[HX_HOST_L1] = (hx_host_memory){.bytes = 2 << 10, .size_bytes = 4 << 10};
    peaks.memory[HX_HOST_L2] = (hx_host_memory){.bytes = 16 << 10, .size_bytes = 32 << 10};
    peaks.memory[HX_HOST_DRAM] = (hx_host_memory){.bytes = 1 << 20};
    return peaks;
}

/* One block of 64 threads goes TURNS times over `elements` of 4 bytes, a multiple of 64. */
static void sweep(uint32_t elements, bool is_filled, double ret_bytes[HX_HOST_LEVELS])
{
    char code[512];
    const hx_host_peaks peaks = peaks_of();
    struct levels *levels = NULL;
    snprintf(code, sizeof code,
             "mov.u32 r0, %%tid.x\nmov.u32 r5, %u\n"
             "turn: mov.u32 r1, r0\n"
             "next: ldg.u32 r3, [$x + r1*4]\n"
             "add.u32 r1, r1, 64\nsetp.lt.u32 p0, r1, %u\n@p0 bra next\n"
             "loop.u32 r5, turn\nexit",
             TURNS, elements);
    struct exec_unit unit = exec_unit_new(code, elements);
    ck_assert_ok(levels_new(&peaks, NULL, &levels));
    if (is_filled)
        levels_fill(levels, hx_buffer_address(unit.x), hx_buffer_bytes(unit.x));
    const struct exec_listener listener = levels_listener(levels);
    unit.options.workers = 1;
    unit.options.grid[0] = 1;
    unit.options.block[0] = 64;
    ck_assert_ok(exec_launch(unit.device, unit.kernel, &unit.options, &unit.x, &listener, unit.loaded.diag,
                             &unit.result));
    levels_take(levels, ret_bytes);
    double again[HX_HOST_LEVELS];
    levels_take(levels, again);
    for (int level = 0; level < HX_HOST_LEVELS; level++)
        ck_assert_double_eq(again[level], 0);
    levels_free(levels);
    exec_unit_done(&unit);
}

START_TEST(what_fits_a_level_comes_from_it)
{
    static const struct {
        uint32_t elements;
        bool is_filled;
        double l2, dram; /* of the buffer's bytes, how many times they come from there */
    } cases[] = {
        {512, true, 0, 0},      /* 2 KiB: filling left them in L1 */
        {512, false, 1, 1},     /* each line once, from DRAM through L2 */
        {4096, true, TURNS, 0}, /* 16 KiB go round and round: L1 has lost each line by the next turn */
        {4096, false, TURNS, 1}, {16384, true, TURNS, TURNS}, /* 64 KiB: L2, too */
    };
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        double bytes[HX_HOST_LEVELS];
        const double buffer = cases[i].elements * 4.0;
        sweep(cases[i].elements, cases[i].is_filled, bytes);
        ck_assert_double_eq(bytes[HX_HOST_L1], TURNS * buffer);
        ck_assert_double_eq(bytes[HX_HOST_L2], cases[i].l2 * buffer);
        ck_assert_double_eq(bytes[HX_HOST_L3], 0); /* there is none */
        ck_assert_double_eq(bytes[HX_HOST_DRAM], cases[i].dram * buffer);
    }
}
END_TEST

START_TEST(lack_of_memory_is_reported)
{
    const hx_host_peaks peaks = peaks_of();
    struct failing_allocator failing;
    hx_status status = HX_NO_MEMORY;
    for (size_t fail_at = 1; status != HX_OK; fail_at++) {
        struct levels *levels = NULL;
        failing_allocator_init(&failing, fail_at);
        status = levels_new(&peaks, &failing.hook, &levels);
        ck_assert(status == HX_OK || (status == HX_NO_MEMORY && !levels));
        levels_free(levels);
        ck_assert_uint_eq(failing.live, 0);
    }
    levels_free(NULL);
}
END_TEST

UNIT_MAIN("costs/levels", what_fits_a_level_comes_from_it, lack_of_memory_is_reported)
