/* The models of real launches: exec makes the events. Counts and times are worked out by hand for small GPUs
 * and kernels, and do not depend on gangs. */
#include "exec_unit.h"
#include "gpu/model.h"
#include "gpu/pointers.h"
#include "gpu_unit.h"
#include "hexec/collector.h"

#define COUNTS_MAX 64

struct modelled {
    struct exec_unit unit;
    struct gpu *gpu;
    struct model *model;
    const struct model_launch *launch;
    hx_instruction_profile profile[COUNTS_MAX];
};

static struct model_options options_of(const struct gpu *gpu)
{
    return (struct model_options){.gpu = gpu};
}

static hx_status launch_again(struct modelled *modelled, uint32_t grid, uint32_t block)
{
    hx_launch_options options = modelled->unit.options;
    hx_collector collector = {.size = sizeof collector,
                              .collect = HX_COLLECT_WARPS | HX_COLLECT_MEMORY,
                              .profile = modelled->profile};
    const struct exec_listener modelling = model_listener(modelled->model, modelled->profile, &options),
                               collecting = {.calls = hx_collector_listener(&collector, &options),
                                             .next = &modelling};
    options.workers = modelled->unit.options.workers;
    options.grid[0] = grid;
    options.block[0] = block;
    return exec_launch(modelled->unit.device, modelled->unit.kernel, &options, &modelled->unit.x, &collecting,
                       modelled->unit.loaded.diag, &modelled->unit.result);
}

/* Lanes are 4 a warp; `gpu` is taken. */
static struct modelled *modelled_new(struct gpu *gpu, const char *code, uint32_t elements)
{
    struct modelled *modelled = calloc(1, sizeof *modelled);
    const struct model_options options = options_of(gpu);
    modelled->unit = exec_unit_new(code, elements);
    modelled->unit.options.warp_size = 4;
    modelled->unit.options.workers = 1;
    modelled->gpu = gpu;
    ck_assert_uint_le(hx_kernel_instructions(modelled->unit.kernel), COUNTS_MAX);
    ck_assert_ok(model_new(&options, NULL, NULL, &modelled->model));
    ck_assert_ok(model_set_buffers(modelled->model, &modelled->unit.x, 1, NULL));
    return modelled;
}

static struct modelled *modelled_run(struct gpu *gpu, const char *code, uint32_t elements, uint32_t grid,
                                     uint32_t block)
{
    struct modelled *modelled = modelled_new(gpu, code, elements);
    ck_assert_ok(launch_again(modelled, grid, block));
    ck_assert_ok(model_finish(modelled->model, NULL, &modelled->launch));
    return modelled;
}

static void modelled_done(struct modelled *modelled)
{
    model_free(modelled->model);
    gpu_free(modelled->gpu);
    exec_unit_done(&modelled->unit);
    free(modelled);
}

#define COPY                                                                                                 \
    THREAD                                                                                                   \
    "ldg.u32 r1, [$x + r0*4]\n"                                                                              \
    "stg.u32 [$x + r0*4], r1\n"                                                                              \
    "exit"
#define COPY_LOAD  4
#define COPY_STORE 5

START_TEST(a_copy_reads_each_sector_once)
{
    /* 2 blocks of 32 threads, 16 warps of 4: a warp has 16 bytes, half a sector */
    struct modelled *modelled = modelled_run(gpu_unit_new(2, 4096, 4, 65536), COPY, 64, 2, 32);
    const struct hierarchy_counts *load = model_instruction(modelled->model, COPY_LOAD);
    const struct hierarchy_counts *store = model_instruction(modelled->model, COPY_STORE);
    ck_assert_uint_eq(load->requests, 16);
    ck_assert_uint_eq(load->l1_sectors, 16);
    ck_assert_uint_eq(load->l1_hits, 8); /* the second half of each sector */
    ck_assert_uint_eq(load->dram_sectors, 8);
    ck_assert_uint_eq(store->stored_sectors, 16);
    ck_assert_uint_eq(model_buffer(modelled->model, 0)->requests, 32);
    ck_assert_uint_eq(modelled->launch->total.dram_sectors, 8);
    ck_assert_uint_eq(modelled->launch->total.written_sectors, 0); /* it stays in L2 */
    ck_assert_uint_eq(modelled->launch->dirty_sectors, 8);
    ck_assert_uint_eq(modelled->launch->registers, 3);
    ck_assert_uint_eq(modelled->launch->occupancy.blocks, 1); /* 8 warps of 8 */
    modelled_done(modelled);
}
END_TEST

START_TEST(a_copys_time_is_what_its_latency_takes)
{
    /* One warp, alone. Issues at 0 (mov), 4 (mul waits for mov), 8 (add), 12 (ldg), 1012 (stg waits for
     * DRAM); then exit, for the 4 clocks that the instruction set says. 1000 MHz: a clock is a nanosecond. */
    struct modelled *modelled = modelled_run(gpu_unit_new(1, 4096, 4, 65536), COPY, 4, 1, 4);
    const struct timing *timing = &modelled->launch->timing;
    ck_assert_double_eq(timing->warp_ns, 1011 + 4);
    ck_assert_double_eq(timing->ns, timing->warp_ns);
    ck_assert_int_eq(timing->bound, TIMING_LATENCY);
    ck_assert_uint_eq(timing->rounds, 1);
    ck_assert_double_eq(timing->tail_share, 1 - 1 / 4.0); /* 4 blocks would fit */
    ck_assert_double_eq(timing->fill_ns, 0);
    ck_assert_double_eq(timing->parts_ns[TIMING_ISSUE], 8); /* the mad of THREAD has an address behind it */
    /* six integer instructions of 4 lanes at 32 a clock are less than two accesses at 8 a clock */
    ck_assert_int_eq(timing->unit, GPU_LOAD_STORE);
    ck_assert_double_eq(timing->parts_ns[TIMING_UNIT], 2 * 4 / 8.0);
    ck_assert_double_eq(timing->parts_ns[TIMING_L1], 2 + 1); /* the load, the store, and what DRAM brings */
    ck_assert_double_eq(timing->parts_ns[TIMING_L2], 2);     /* half a slot is a slot */
    ck_assert_double_eq(timing->parts_ns[TIMING_DRAM], 32 / 32.0);
    ck_assert_double_eq(timing->parts_ns[TIMING_SHARED], 0);
    modelled_done(modelled);
}
END_TEST

START_TEST(many_warps_are_bound_by_dram)
{
    /* Each lane has a sector of its own: 16384 sectors of 32 bytes at 32 bytes a clock. 64 blocks of 32
     * threads, one on an SM at a time: 8 warps of 8. */
    struct modelled *modelled = modelled_run(gpu_unit_new(16, 4096, 4, 1 << 20),
                                             THREAD "mul.u32 r0, r0, 8\n"
                                                    "ldg.u32 r1, [$x + r0*4]\nexit",
                                             16384, 64, 32);
    const struct timing *timing = &modelled->launch->timing;
    ck_assert_uint_eq(modelled->launch->total.dram_sectors, 2048);
    ck_assert_double_eq(timing->parts_ns[TIMING_DRAM], 2048);
    ck_assert_uint_eq(timing->rounds, 4);
    ck_assert_int_eq(timing->bound, TIMING_DRAM);
    ck_assert_double_eq(timing->tail_share, 0);
    ck_assert_double_gt(timing->fill_ns, 0);
    ck_assert_double_eq(timing->ns, 2048 + timing->fill_ns);
    ck_assert_double_eq(modelled->launch->occupancy.achieved, 1);
    ck_assert_uint_eq(modelled->launch->occupancy.busy_sms, 16);
    modelled_done(modelled);
}
END_TEST

START_TEST(a_loop_counts_at_its_second_time_round)
{
    /* sub needs its own result of the time before, 4 clocks; setp and the branch 4 each more, the branch
     * holds up for 8. mov at 0; 64 rounds of: sub (waits for the branch: nothing), setp at 4, bra at 8, next
     * at 16 */
    struct modelled *modelled = modelled_run(gpu_unit_new(1, 4096, 4, 65536),
                                             "mov.u32 r0, 64\n"
                                             "top: sub.u32 r0, r0, 1\n"
                                             "setp.ne.u32 p0, r0, 0\n@p0 bra top\n"
                                             "exit",
                                             4, 1, 4);
    /* 1 for mov, 16 for each round, 4 for exit; that the first round waits for mov is not modelled */
    ck_assert_double_eq(modelled->launch->timing.warp_ns, 1 + 64 * 16 + 4);
    modelled_done(modelled);
}
END_TEST

START_TEST(the_launchs_own_counts_are_separated_from_those_before)
{
    struct modelled *modelled = modelled_run(gpu_unit_new(1, 4096, 4, 65536), COPY, 64, 2, 32);
    const struct timing first = modelled->launch->timing;
    for (int i = 0; i < 2; i++) {
        ck_assert_ok(launch_again(modelled, 2, 32));
        ck_assert_ok(model_finish(modelled->model, NULL, &modelled->launch));
        ck_assert_mem_eq(&modelled->launch->timing, &first, sizeof first);
    }
    ck_assert_uint_eq(modelled->profile[0].warps, 3 * 16);
    modelled_done(modelled);
}
END_TEST

/* Divergent, with a barrier, shared memory, atomics and several blocks: what comes out is the same whatever
 * gangs the launch requests. */
START_TEST(gangs_change_nothing)
{
    static const uint32_t gangs[] = {0, 1, 4, 32, 64, 256};
    static const char code[] = "mov.u32 r0, %tid.x\n"
                               "mul.u32 r1, r0, 7\n"
                               "and.u32 r1, r1, 63\n"
                               "and.u32 r2, r0, 3\nsetp.eq.u32 p0, r2, 1\n@p0 bra other\n"
                               "ldg.u32 r3, [$x + r1*4]\n"
                               "bra join\n"
                               "other: ldg.u32 r3, [$x + r0*4]\n"
                               "join: and.u32 r4, r0, 3\n"
                               "sts.u32 [tile + r4*4], r3\n"
                               "bar.sync 0\n"
                               "redg.add.u32 [$x + r4*4], r3\nexit";
    struct timing timing = {0};
    struct hierarchy_counts total = {0};
    for (size_t i = 0; i < HX_COUNT_OF(gangs); i++) {
        struct modelled *modelled = modelled_new(gpu_unit_new(2, 1024, 2, 4096), code, 64);
        modelled->unit.options.gang_lanes = gangs[i];
        ck_assert_ok(launch_again(modelled, 5, 32));
        ck_assert_ok(model_finish(modelled->model, NULL, &modelled->launch));
        if (i == 0) {
            timing = modelled->launch->timing;
            total = modelled->launch->total;
        }
        ck_assert_mem_eq(&modelled->launch->total, &total, sizeof total);
        ck_assert_mem_eq(&modelled->launch->timing, &timing, sizeof timing);
        modelled_done(modelled);
    }
    ck_assert_uint_gt(total.l1_hits, 0);
    ck_assert_double_gt(timing.parts_ns[TIMING_SHARED], 0);
}
END_TEST

START_TEST(addresses_are_computed_where_their_index_is)
{
    static const struct {
        const char *code;
        uint16_t counts[4]; /* of the first four instructions */
    } cases[] = {
        {"mov.u32 r0, 1\nldg.u32 r1, [$x + r0*4]\nexit", {1, 0, 0}},
        {"mov.u32 r0, 1\nldg.u32 r1, [$x + r0*4]\nldg.u32 r2, [$x + r0*4 + 8]\nexit", {1, 0, 0}},
        {"mov.u32 r0, 1\nldg.u32 r1, [$x + r0*4]\nldg.u8 r2, [$x + r0]\nexit", {2, 0, 0}},
        {"mov.u32 r0, 1\nlds.u32 r1, [tile + r0*4]\nldg.u32 r2, [$x]\nexit", {0, 0, 0}},
        {"mov.u64 r0, $x\nldg.u32 r1, [r0 + 4]\nmov.u32 r2, 1\nexit", {0, 0, 0}},
        /* both writes of the index, once each: the second round needs a new address */
        {"mov.u32 r0, 0\ntop: ldg.u32 r1, [$x + r0*4]\nadd.u32 r0, r0, 1\nsetp.lt.u32 p0, r0, 9\n@p0 bra "
         "top\n"
         "exit",
         {1, 0, 1, 0}},
    };
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        struct loaded_kernel loaded = kernel_load("", cases[i].code);
        struct verified_kernel *verified = NULL;
        uint16_t counts[16];
        ck_assert_ok(verify_kernel(loaded.program, loaded.kernel, NULL, NULL, &verified));
        ck_assert_ok(pointers_count(verified, NULL, NULL, counts));
        for (size_t at = 0; at < 3; at++)
            ck_assert_msg(counts[at] == cases[i].counts[at], "case %zu: instruction %zu has %u", i, at,
                          counts[at]);
        verify_free(verified);
        kernel_unload(&loaded);
    }
}
END_TEST

START_TEST(several_workers_and_seeds_are_refused)
{
    struct modelled *modelled = modelled_new(gpu_unit_new(1, 4096, 4, 65536), COPY, 64);
    hx_diag *diag = modelled->unit.loaded.diag;
    ck_assert_int_eq(model_finish(modelled->model, diag, &modelled->launch), HX_INVALID);
    modelled->unit.options.workers = 2;
    ck_assert_int_eq(launch_again(modelled, 2, 32), HX_INVALID);
    modelled->unit.options.workers = 1;
    modelled->unit.options.seed = 3;
    ck_assert_int_eq(launch_again(modelled, 2, 32), HX_INVALID);
    hx_diag_clear(diag);
    ck_assert_int_eq(model_finish(modelled->model, diag, &modelled->launch), HX_INVALID);
    ck_assert_int_eq(hx_diag_at(diag, 0)->code, DIAG_MODEL_WORKERS);
    modelled->unit.options.seed = 0;
    ck_assert_ok(launch_again(modelled, 2, 32));
    ck_assert_ok(model_finish(modelled->model, diag, &modelled->launch));
    modelled_done(modelled);
}
END_TEST

START_TEST(a_fault_leaves_what_was_done_until_then)
{
    struct modelled *modelled = modelled_new(gpu_unit_new(1, 4096, 4, 65536), COPY, 64);
    ck_assert_int_eq(launch_again(modelled, 3, 32), HX_FAULT); /* the third block is beyond the end */
    ck_assert_ok(model_finish(modelled->model, NULL, &modelled->launch));
    ck_assert_uint_ge(model_instruction(modelled->model, COPY_LOAD)->requests, 16);
    modelled_done(modelled);
}
END_TEST

START_TEST(registers_that_a_compiler_gave_are_taken)
{
    struct gpu *gpu = gpu_unit_new(1, 4096, 4, 65536);
    struct modelled *modelled = modelled_new(gpu, COPY, 64);
    const struct model_options options = {.gpu = gpu, .registers = 99};
    model_free(modelled->model);
    ck_assert_ok(model_new(&options, NULL, NULL, &modelled->model));
    ck_assert_ok(launch_again(modelled, 2, 32));
    ck_assert_ok(model_finish(modelled->model, NULL, &modelled->launch));
    ck_assert_uint_eq(modelled->launch->registers, 99);
    ck_assert_uint_eq(model_buffer(modelled->model, 0)->requests, 32); /* no buffers were set: other memory */
    modelled_done(modelled);
}
END_TEST

START_TEST(lack_of_memory_is_reported)
{
    struct modelled *modelled = modelled_new(gpu_unit_new(1, 4096, 4, 65536), COPY, 64);
    const struct model_options options = options_of(modelled->gpu);
    struct failing_allocator failing;
    hx_status status = HX_NO_MEMORY;
    size_t fail_at = 1;
    model_free(modelled->model);
    for (; status != HX_OK; fail_at++) {
        failing_allocator_init(&failing, fail_at);
        modelled->model = NULL;
        status = model_new(&options, &failing.hook, NULL, &modelled->model);
        if (status == HX_OK)
            status = model_set_buffers(modelled->model, &modelled->unit.x, 1, NULL);
        if (status == HX_OK)
            status = launch_again(modelled, 2, 32);
        if (status == HX_OK)
            status = model_finish(modelled->model, NULL, &modelled->launch);
        ck_assert(status == HX_OK || status == HX_NO_MEMORY);
        model_free(modelled->model);
        modelled->model = NULL;
        ck_assert_uint_eq(failing.live, 0);
    }
    ck_assert_uint_gt(fail_at, 20);
    modelled_done(modelled);
}
END_TEST

UNIT_MAIN("profile/model", a_copy_reads_each_sector_once, a_copys_time_is_what_its_latency_takes,
          many_warps_are_bound_by_dram, a_loop_counts_at_its_second_time_round,
          the_launchs_own_counts_are_separated_from_those_before, gangs_change_nothing,
          addresses_are_computed_where_their_index_is, several_workers_and_seeds_are_refused,
          a_fault_leaves_what_was_done_until_then, registers_that_a_compiler_gave_are_taken,
          lack_of_memory_is_reported)
