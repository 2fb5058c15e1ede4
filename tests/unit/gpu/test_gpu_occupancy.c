/* Registers, and occupancy: what NVIDIA's calculator gives for the same numbers, by its formulas. */
#include "gpu/occupancy.h"
#include "kernel_unit.h"

static struct occupancy occupancy(const char *name, uint32_t threads, uint32_t registers, uint64_t shared)
{
    struct gpu *gpu = NULL;
    struct occupancy result;
    ck_assert_ok(gpu_load(name, NULL, NULL, &gpu));
    occupancy_of(gpu, &(struct occupancy_need){threads, 32, registers, shared}, &result);
    gpu_free(gpu);
    return result;
}

/* Blocks of an SM, as cudaOccupancyMaxActiveBlocksPerMultiprocessor has them. */
static const struct {
    const char *name;
    uint32_t threads, registers;
    uint64_t shared, blocks;
    enum occupancy_limit limit;
} known[] = {
    /* 7.0: 64 warps. 256 threads of 32 registers: 8 warps, 8 * 1024 registers a block: 8 and 8 blocks */
    {"v100", 256, 32, 0, 8, OCCUPANCY_WARPS},
    /* 33 registers are 1056 a warp, given as 1280: 12 warps for each of 4 schedulers, 48 in all, 6 blocks */
    {"v100", 256, 33, 0, 6, OCCUPANCY_REGISTERS},
    {"v100", 256, 64, 0, 4, OCCUPANCY_REGISTERS},
    {"v100", 1024, 64, 0, 1, OCCUPANCY_REGISTERS},
    {"v100", 1024, 65, 0, 0, OCCUPANCY_REGISTERS}, /* 32 * 2304 registers are more than there are */
    {"v100", 256, 255, 0, 1, OCCUPANCY_REGISTERS},
    {"v100", 32, 16, 0, 32, OCCUPANCY_BLOCKS}, /* half of the warps */
    {"v100", 128, 32, 48 << 10, 2, OCCUPANCY_SHARED},
    {"v100", 128, 32, (48 << 10) + 1, 1, OCCUPANCY_SHARED}, /* rounded up to 256 bytes */
    {"v100", 128, 32, 98304, 1, OCCUPANCY_SHARED},
    {"v100", 128, 32, 98305, 0, OCCUPANCY_SHARED}, /* more than a block may have */
    {"v100", 96, 168, 0, 4, OCCUPANCY_REGISTERS},  /* 5376 a warp: 3 for a scheduler, 12 warps */
    /* 7.5: 32 warps, 16 blocks */
    {"t4", 256, 32, 0, 4, OCCUPANCY_WARPS},
    {"t4", 32, 32, 0, 16, OCCUPANCY_BLOCKS},
    {"t4", 64, 32, 16 << 10, 4, OCCUPANCY_SHARED},
    /* 8.0: 1 KiB of each block is the system's: 164 / (16 + 1) */
    {"a100", 128, 32, 16 << 10, 9, OCCUPANCY_SHARED},
    {"a100", 128, 32, 166912, 1, OCCUPANCY_SHARED},
    {"a100", 128, 40, 0, 12, OCCUPANCY_REGISTERS}, /* 1280 a warp: 48 warps */
    /* 8.9: 48 warps, 24 blocks, 100 KiB */
    {"rtx4090", 256, 32, 0, 6, OCCUPANCY_WARPS},
    {"rtx4090", 1024, 32, 0, 1, OCCUPANCY_WARPS}, /* two thirds of the warps */
    {"rtx4090", 32, 32, 0, 24, OCCUPANCY_BLOCKS},
    {"rtx4090", 128, 32, 32 << 10, 3, OCCUPANCY_SHARED},
    /* 9.0: 228 / (64 + 1) */
    {"h100", 128, 32, 64 << 10, 3, OCCUPANCY_SHARED},
    {"h200", 384, 168, 0, 1, OCCUPANCY_REGISTERS}, /* 12 warps for blocks of 12 */
};

START_TEST(as_the_calculator_has_it)
{
    for (size_t i = 0; i < HX_COUNT_OF(known); i++) {
        const struct occupancy found =
            occupancy(known[i].name, known[i].threads, known[i].registers, known[i].shared);
        ck_assert_msg(found.blocks == known[i].blocks && found.limit == known[i].limit,
                      "row %zu: %llu blocks by %s", i, (unsigned long long)found.blocks,
                      occupancy_limit_name(found.limit));
    }
}
END_TEST

START_TEST(the_share_is_of_warps)
{
    ck_assert_double_eq(occupancy("v100", 256, 32, 0).share, 1);
    ck_assert_double_eq(occupancy("v100", 256, 33, 0).share, 0.75);
    ck_assert_double_eq(occupancy("v100", 32, 16, 0).share, 0.5);
    ck_assert_double_eq(occupancy("rtx4090", 1024, 32, 0).share, 32 / 48.0);
    ck_assert_uint_eq(occupancy("v100", 33, 16, 0).warps, 64); /* 2 warps, one of them of one thread */
}
END_TEST

START_TEST(what_would_raise_it)
{
    struct occupancy found = occupancy("v100", 256, 33, 0);
    ck_assert_uint_eq(found.registers_for_more, 32);
    ck_assert_uint_eq(found.shared_bytes_for_more, OCCUPANCY_NONE);
    found = occupancy("v100", 128, 32, (48 << 10) + 1);
    ck_assert_uint_eq(found.shared_bytes_for_more, 48 << 10);
    ck_assert_uint_eq(found.registers_for_more, OCCUPANCY_NONE);
    found = occupancy("v100", 32, 16, 0); /* 32 blocks of one warp: two warps a block fill the SM */
    ck_assert_uint_eq(found.block_threads_for_more, 64);
    found = occupancy("rtx4090", 1024, 32, 0);
    ck_assert_uint_eq(found.block_threads_for_more, 64); /* 24 blocks of 2 warps */
    found = occupancy("v100", 256, 32, 0);
    ck_assert_uint_eq(found.registers_for_more, OCCUPANCY_NONE);
    ck_assert_uint_eq(found.block_threads_for_more, OCCUPANCY_NONE);
    found = occupancy("v100", 1024, 65, 0); /* it cannot run at all */
    ck_assert_uint_eq(found.registers_for_more, 64);
}
END_TEST

START_TEST(shared_memory_takes_the_smallest_size_that_holds_the_blocks)
{
    ck_assert_uint_eq(occupancy("v100", 256, 32, 0).shared_size, 0);
    ck_assert_uint_eq(occupancy("v100", 256, 32, 0).l1_bytes, 128 << 10);
    ck_assert_uint_eq(occupancy("v100", 256, 32, 1024).shared_size, 8 << 10); /* 8 blocks of 1 KiB */
    ck_assert_uint_eq(occupancy("v100", 256, 32, 1025).shared_size, 16 << 10);
    ck_assert_uint_eq(occupancy("v100", 256, 32, 1025).l1_bytes, 112 << 10);
    ck_assert_uint_eq(occupancy("a100", 256, 32, 0).shared_size, 8 << 10); /* 8 times the system's 1 KiB */
    ck_assert_uint_eq(occupancy("t4", 256, 32, 0).shared_size, 32 << 10);  /* it never has less */
}
END_TEST

START_TEST(a_grid_achieves_what_its_blocks_make)
{
    struct gpu *gpu = NULL; /* an SM of an A100 holds 8 blocks of 256 threads; there are 108 */
    static const struct {
        uint64_t blocks, busy;
        double achieved;
    } grids[] = {{16, 16, 1 / 8.0}, {108, 108, 1 / 8.0},           {109, 108, 109 / 864.0},
                 {864, 108, 1},     {865, 108, 865 / (109 * 8.0)}, /* one SM is filled a second time */
                 {2 * 864, 108, 1}};
    const struct occupancy_need need = {.block_threads = 256, .warp_size = 32, .registers = 32};
    ck_assert_ok(gpu_load("a100", NULL, NULL, &gpu));
    for (size_t i = 0; i < HX_COUNT_OF(grids); i++) {
        struct occupancy found;
        occupancy_of(gpu, &need, &found);
        ck_assert_double_eq(found.share, 1);
        occupancy_achieve(gpu, &need, grids[i].blocks, &found);
        ck_assert_double_eq_tol(found.achieved, grids[i].achieved, 1e-12);
        ck_assert_uint_eq(found.busy_sms, grids[i].busy);
    }
    gpu_free(gpu);
}
END_TEST

static uint32_t registers(const char *code)
{
    struct loaded_kernel loaded = kernel_load("", code);
    struct verified_kernel *verified = NULL;
    uint32_t count = 0;
    ck_assert_ok(verify_kernel(loaded.program, loaded.kernel, NULL, NULL, &verified));
    ck_assert_ok(occupancy_registers(verified, NULL, NULL, &count));
    verify_free(verified);
    kernel_unload(&loaded);
    return count;
}

START_TEST(registers_are_those_live_at_once)
{
    ck_assert_uint_eq(registers("exit"), 0);
    ck_assert_uint_eq(registers("mov.u32 r0, 1\nexit"),
                      1); /* nobody reads it, and yet it has to go somewhere */
    /* one after the other: one register, whatever its names are */
    ck_assert_uint_eq(registers("mov.u32 r0, 1\nstg.u32 [$x], r0\nmov.u32 r9, 2\nstg.u32 [$x], r9\nexit"), 1);
    ck_assert_uint_eq(registers("mov.u32 r0, 1\nmov.u32 r1, 2\nadd.u32 r2, r0, r1\nstg.u32 [$x], r2\nexit"),
                      2);
    ck_assert_uint_eq(registers("mov.u64 r0, 1\nmov.u32 r1, 2\nstg.u64 [$x], r0\nstg.u32 [$x], r1\nexit"),
                      3); /* 64 bits: 2 */
    /* r0 is live around the loop, r1 in it; predicates are not counted */
    ck_assert_uint_eq(registers("mov.u32 r0, 4\ntop: mov.u32 r1, 5\nstg.u32 [$x], r1\nsub.u32 r0, r0, 1\n"
                                "setp.ne.u32 p0, r0, 0\n@p0 bra top\nexit"),
                      2);
}
END_TEST

START_TEST(registers_without_memory)
{
    struct loaded_kernel loaded = kernel_load("", "mov.u32 r0, 1\nstg.u32 [$x], r0\nexit");
    struct verified_kernel *verified = NULL;
    struct failing_allocator failing;
    hx_status status = HX_NO_MEMORY;
    ck_assert_ok(verify_kernel(loaded.program, loaded.kernel, NULL, NULL, &verified));
    for (size_t fail_at = 1; status != HX_OK; fail_at++) {
        uint32_t count = 7;
        failing_allocator_init(&failing, fail_at);
        status = occupancy_registers(verified, &failing.hook, NULL, &count);
        ck_assert(status == HX_OK ? count == 1 : status == HX_NO_MEMORY && count == 7);
        ck_assert_uint_eq(failing.live, 0);
        ck_assert_uint_lt(fail_at, 1000);
    }
    verify_free(verified);
    kernel_unload(&loaded);
}
END_TEST

UNIT_MAIN("profile/occupancy", as_the_calculator_has_it, the_share_is_of_warps, what_would_raise_it,
          shared_memory_takes_the_smallest_size_that_holds_the_blocks, registers_are_those_live_at_once,
          a_grid_achieves_what_its_blocks_make, registers_without_memory)
