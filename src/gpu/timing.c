/* Modelled time.
 *
 * Two ideas, both old. Throughput: a resource that does so much in a clock needs at least the work divided by
 * that (the roofline of Williams, Waterman and Patterson, 2009, with a roof for each resource). Latency: one
 * warp's instructions, issued in order, each when what it reads is there, take a time that other warps can
 * fill but not shorten (interval analysis; for GPUs Huang, Lee, Kim and Lee, GPUMech, MICRO 2014). The launch
 * takes as long as the longest. What is shorter overlaps with it, but for the part of one warp of those that
 * an SM holds: while the first warp is on its way to the resource and when the last one has left it, nothing
 * else is there to do (Sim, Dasgupta, Kim and Vuduc, A performance analysis framework for identifying
 * potential benefits in GPGPU applications, PPoPP 2012: of N warps, N - 1 overlap). */
#include "gpu/timing.h"

#include "verify/flow.h"

#include <string.h>

/* What the instruction set's `issue` is for one pass through the unit: the special function unit is a quarter
 * as wide as the others there. */
#define SPECIAL_ISSUE 4.0
/* Steps of the walk along a warp's instructions, for each instruction of the kernel: loops are walked twice.
 */
#define WALK_STEPS_MAX 16u
/* A pass over the banks of shared memory. */
#define BANKS_BYTES 128.0
/* Passes through the units for integers that a 64-bit multiply-add takes, as all of 64 bits. */
#define POINTER_PASSES 2.0

static bool is_class(const struct instruction *instruction, const char *name)
{
    return strcmp(instruction->opcode->class_name, name) == 0;
}

static enum gpu_unit_kind float_unit(const struct instruction *instruction)
{
    const enum hx_type type = type_half((enum hx_type)instruction->type);
    if (type == HX_TYPE_F64)
        return GPU_DOUBLE;
    if (instruction->opcode->issue_cycles >= SPECIAL_ISSUE)
        return GPU_SPECIAL;
    return type == HX_TYPE_F16 || type == HX_TYPE_BF16 ? GPU_HALF : GPU_FLOAT;
}

enum gpu_unit_kind timing_unit_of(const struct instruction *instruction)
{
    const enum semantic_shape shape = instruction->opcode->shape;
    if (shape_is_memory(shape))
        return GPU_LOAD_STORE;
    if (shape_is_warp(shape))
        return GPU_SHUFFLE;
    if (shape == SHAPE_CONVERT)
        return GPU_CONVERT;
    if (is_class(instruction, "math"))
        return type_bits((enum hx_type)instruction->type) == 64 ? GPU_DOUBLE : GPU_SPECIAL;
    if (is_class(instruction, "float") ||
        (is_class(instruction, "compare") && type_is_float(type_half((enum hx_type)instruction->type))))
        return float_unit(instruction);
    if (is_class(instruction, "control") || is_class(instruction, "sync") || is_class(instruction, "special"))
        return GPU_UNIT_COUNT;
    return GPU_INTEGER;
}

double timing_slots_of(const struct instruction *instruction)
{
    const double issue = instruction->opcode->issue_cycles;
    double slots = issue;
    switch (timing_unit_of(instruction)) {
    case GPU_LOAD_STORE: /* what more it takes is counted as sectors and wavefronts */
        return 1;
    case GPU_SHUFFLE:
        return 1;
    case GPU_SPECIAL:
        slots = issue / SPECIAL_ISSUE;
        break;
    case GPU_INTEGER: /* 64 bits are two passes of 32 */
        slots = type_bits((enum hx_type)instruction->type) == 64 ? 2 * issue : issue;
        break;
    default:
        break;
    }
    return slots > 1 ? slots : 1;
}

static double arithmetic_latency(const struct gpu *gpu, const struct instruction *instruction)
{
    const enum gpu_unit_kind unit = timing_unit_of(instruction);
    if (unit == GPU_UNIT_COUNT || gpu->units[unit].latency == 0)
        return instruction->opcode->latency_cycles;
    return gpu->units[unit].latency + timing_slots_of(instruction) - 1;
}

/* A pass gives 128 bytes at most, and takes as long as the measured bandwidth says. */
static double shared_pass(const struct gpu *gpu)
{
    return BANKS_BYTES / gpu->shared.bytes_per_clock;
}

static double l1_pass(const struct gpu *gpu)
{
    return BANKS_BYTES / gpu->l1.bytes_per_clock;
}

/* Instructions of 64-bit address arithmetic behind an instruction, which the listing does not have. */
static double pointers_of(const struct timing_launch *launch, uint32_t at)
{
    return launch->pointers ? launch->pointers[at] : 0;
}

/* Clocks until what an instruction loads is there, as the mean of its requests. */
static double memory_latency(const struct timing_launch *launch, uint32_t at)
{
    const struct gpu *gpu = launch->gpu;
    const struct hierarchy_counts *counts = hierarchy_of_instruction(launch->hierarchy, at);
    const hx_instruction_profile *profile = &launch->counts[at];
    const double levels[HIERARCHY_LEVELS] = {gpu->l1.latency, gpu->l2.latency, gpu->dram.latency};
    double clocks = 0, requests = 0;
    for (int i = 0; i < HIERARCHY_LEVELS; i++) {
        clocks += levels[i] * (double)counts->levels[i];
        requests += (double)counts->levels[i];
    }
    if (counts->passes > counts->requests) /* each pass behind the first delays the last lane */
        clocks += (double)(counts->passes - counts->requests) * l1_pass(gpu);
    if (profile->wavefronts > 0) {
        const double shared = profile->requests > counts->requests
                                  ? (double)(profile->requests - counts->requests)
                                  : (double)profile->requests;
        clocks += gpu->shared.latency * shared + ((double)profile->wavefronts - shared) * shared_pass(gpu);
        requests += shared;
    }
    return requests > 0 ? clocks / requests : launch->kernel->code[at].opcode->latency_cycles;
}

static double latency_of(const struct timing_launch *launch, uint32_t at)
{
    const struct instruction *instruction = &launch->kernel->code[at];
    return timing_unit_of(instruction) == GPU_LOAD_STORE ? memory_latency(launch, at)
                                                         : arithmetic_latency(launch->gpu, instruction);
}

/* A warp on its way: when it issued last, when each register and predicate can be read, and how long what
 * instruction `at` wrote took. */
struct walk {
    double now, ready[FLOW_SET_BITS];
    double *results; /* for each instruction: clocks until its result was there; 0 for those without one */
};

/* The warp's next instruction: the clocks from the issue before it to its own. */
static double walk_step(struct walk *walk, const struct timing_launch *launch, uint32_t at)
{
    const struct instruction *instruction = &launch->kernel->code[at];
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const size_t count = instruction_accesses(instruction, accesses);
    double start = walk->now;
    for (size_t i = 0; i < count; i++)
        for (unsigned r = 0; accesses[i].reads && r < accesses[i].registers; r++) {
            const double ready = walk->ready[flow_member(&accesses[i], r)];
            start = ready > start ? ready : start;
        }
    const double latency = latency_of(launch, at),
                 slots = timing_slots_of(instruction) + pointers_of(launch, at);
    for (size_t i = 0; i < count; i++)
        for (unsigned r = 0; accesses[i].writes && r < accesses[i].registers; r++) {
            walk->ready[flow_member(&accesses[i], r)] = start + latency;
            walk->results[at] = latency;
        }
    const bool holds_up = is_class(instruction, "control") || is_class(instruction, "sync");
    const double end = start + (holds_up && latency > slots ? latency : slots);
    const double clocks = end - walk->now;
    walk->now = end;
    return clocks;
}

/* What the walk leaves of an average warp. */
struct walked {
    double clocks;
    double in_flight; /* mean results that it waits for at a time (Little's law), at least 1 */
};

/* Clocks of an average warp. Its instructions are walked in their order, every backward jump taken once, so
 * that a loop's second time round is what counts: with what its first left unfinished. `clocks`, `results`
 * and `jumped` are 0, one for each instruction. */
static struct walked walk_warp(const struct timing_launch *launch, double warps, double *clocks,
                               double *results, bool *jumped)
{
    const struct kernel *kernel = launch->kernel;
    struct walk walk = {.results = results};
    uint64_t steps = (uint64_t)kernel->code_count * WALK_STEPS_MAX;
    for (uint32_t at = 0; at < kernel->code_count && steps > 0; steps--) {
        const struct instruction *instruction = &kernel->code[at];
        if (launch->counts[at].warps == 0) { /* no warp issued it: it costs no time */
            at++;
            continue;
        }
        clocks[at] = walk_step(&walk, launch, at);
        const uint32_t target =
            verify_flow_calls(instruction) ? FLOW_NONE : verify_flow_target(kernel, instruction);
        if (target != FLOW_NONE && target <= at && !jumped[at]) {
            jumped[at] = true;
            at = target;
        } else {
            at++;
        }
    }
    double sum = 0, waiting = 0;
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        sum += clocks[i] * (double)launch->counts[i].warps / warps;
        waiting += results[i] * (double)launch->counts[i].warps / warps;
    }
    return (struct walked){sum, waiting > sum && sum > 0 ? waiting / sum : 1};
}

static void bound_units(const struct timing_launch *launch, double share, double *clocks,
                        struct timing *timing)
{
    double units[GPU_UNIT_COUNT] = {0}, slots = 0, wavefronts = 0;
    for (uint32_t i = 0; i < launch->kernel->code_count; i++) {
        const struct instruction *instruction = &launch->kernel->code[i];
        const double warps = (double)launch->counts[i].warps, pointers = warps * pointers_of(launch, i);
        const double issued = warps * timing_slots_of(instruction);
        const enum gpu_unit_kind unit = timing_unit_of(instruction);
        slots += issued + pointers;
        units[GPU_INTEGER] +=
            pointers * POINTER_PASSES * launch->warp_size / launch->gpu->units[GPU_INTEGER].rate;
        wavefronts += (double)launch->counts[i].wavefronts;
        if (unit != GPU_UNIT_COUNT)
            units[unit] += issued * launch->warp_size / launch->gpu->units[unit].rate;
    }
    clocks[TIMING_ISSUE] = slots * share / (double)launch->gpu->sm.schedulers;
    clocks[TIMING_SHARED] = wavefronts * share * shared_pass(launch->gpu);
    timing->unit = GPU_INTEGER;
    for (int i = 0; i < GPU_UNIT_COUNT; i++)
        if (units[i] > units[timing->unit])
            timing->unit = (enum gpu_unit_kind)i;
    clocks[TIMING_UNIT] = units[timing->unit] * share;
}

static void bound_memory(const struct timing_launch *launch, double share, double *clocks)
{
    const struct gpu *gpu = launch->gpu;
    const struct hierarchy_counts *total = hierarchy_total(launch->hierarchy);
    const double sector = (double)gpu->sector_bytes;
    const double dram_sectors = (double)(total->dram_sectors + total->written_sectors);
    const double dram_bytes_per_clock = gpu->dram.gbps * 1e9 / (gpu->clock_mhz * 1e6);
    /* one memory and one pipe serve both (V100 white paper, L1 cache and shared memory) */
    clocks[TIMING_L1] = clocks[TIMING_SHARED] + (double)(total->passes + total->fills) * share * l1_pass(gpu);
    clocks[TIMING_L2] = (double)total->l2_slots * HIERARCHY_L2_SLOT / gpu->l2.bytes_per_clock;
    clocks[TIMING_DRAM] = dram_sectors * sector / dram_bytes_per_clock;
}

/* The longest part, and of the others one share of `shares`; a warp that is alone has nothing to overlap
 * with, and its latency contains all. */
static void add_parts(const double *clocks, double shares, double clock_ns, struct timing *timing)
{
    double sum = 0;
    for (int i = 0; i < TIMING_PART_COUNT; i++) {
        timing->parts_ns[i] = clocks[i] * clock_ns;
        sum += timing->parts_ns[i];
        if (timing->parts_ns[i] > timing->parts_ns[timing->bound])
            timing->bound = (enum timing_part)i;
    }
    sum -= timing->parts_ns[TIMING_SHARED]; /* it is in that of the L1 caches */
    timing->fill_ns = shares > 1 ? (sum - timing->parts_ns[timing->bound]) / shares : 0;
    timing->ns = timing->parts_ns[timing->bound] + timing->fill_ns;
}

/* All clocks are those of the busiest SM, which has `share` of the launch's work. */
static void bound_all(const struct timing_launch *launch, const struct walked *walked, struct timing *timing)
{
    const struct gpu *gpu = launch->gpu;
    const uint64_t busiest = (launch->blocks + gpu->sms - 1) / gpu->sms;
    const uint64_t resident = launch->occupancy->blocks ? launch->occupancy->blocks : 1;
    const double share = (double)busiest / (double)launch->blocks;
    double clocks[TIMING_PART_COUNT];
    bound_units(launch, share, clocks, timing);
    bound_memory(launch, share, clocks);
    timing->rounds = (busiest + resident - 1) / resident;
    clocks[TIMING_LATENCY] = walked->clocks * (double)timing->rounds;
    timing->tail_share =
        1 - (double)launch->blocks / ((double)timing->rounds * (double)resident * (double)gpu->sms);
    const double clock_ns = 1e3 / gpu->clock_mhz;
    timing->warp_ns = walked->clocks * clock_ns;
    const uint64_t block_warps = (launch->block_threads + launch->warp_size - 1) / launch->warp_size;
    const uint64_t warps = block_warps * (busiest < resident ? busiest : resident);
    /* a warp with several results in flight counts as so many (Volkov, Better performance at lower occupancy)
     */
    add_parts(clocks, warps > 1 ? (double)warps * walked->in_flight : 1, clock_ns, timing);
}

hx_status timing_of(const struct timing_launch *launch, const hx_allocator *allocator,
                    struct timing *ret_timing)
{
    struct timing timing = {0};
    const uint64_t block_warps = (launch->block_threads + launch->warp_size - 1) / launch->warp_size;
    HX_AUTO(arena_done) struct arena arena = {.allocator = allocator};
    double *clocks = ARENA_ARRAY(&arena, double, launch->kernel->code_count);
    double *results = ARENA_ARRAY(&arena, double, launch->kernel->code_count);
    bool *jumped = ARENA_ARRAY(&arena, bool, launch->kernel->code_count);
    if (!clocks || !results || !jumped)
        return HX_NO_MEMORY;
    if (launch->blocks > 0 && block_warps > 0) {
        const double warps = (double)launch->blocks * (double)block_warps;
        const struct walked walked = walk_warp(launch, warps, clocks, results, jumped);
        bound_all(launch, &walked, &timing);
    }
    *ret_timing = timing;
    return HX_OK;
}

double timing_peak_gflops(const struct gpu *gpu)
{
    return 2 * gpu->units[GPU_FLOAT].rate * (double)gpu->sms * gpu->clock_mhz * 1e-3;
}

static const struct {
    const char *name, *help;
} parts[] = {
#define TIMING_TEXT(NAME, name, help) {name, help},
    TIMING_PARTS(TIMING_TEXT)
#undef TIMING_TEXT
};

const char *timing_part_name(enum timing_part part)
{
    return parts[part].name;
}

const char *timing_part_help(enum timing_part part)
{
    return parts[part].help;
}
