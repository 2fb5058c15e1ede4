/* Collectors.
 *
 * Takes events of a launch, leaves for each instruction what all its issues did. Each worker adds up for
 * itself, in arrays that are made when a launch begins and are the collector's until it ends; then they are
 * added to the caller's. Warps are counted by their steps, memory by what the accesses cost a GPU
 * (gpu/access.h). */
#include "hexec/collector.h"

#include "base/bits.h"
#include "exec/counts.h"
#include "exec/kernel.h"
#include "gpu/access.h"

#include <math.h>

struct collecting {
    struct arena arena;
    double ns_per_tick;
    const struct kernel *code;
    uint32_t warp_size, workers, instructions;
    hx_instruction_profile *sums; /* of worker w and instruction i: sums[w * instructions + i] */
};

static hx_status begin(void *user, const hx_launch_begin *event)
{
    hx_collector *collector = user;
    const hx_allocator *allocator = event->kernel->allocator;
    struct collecting *state = memory_allocate(allocator, 1, sizeof *state);
    if (!state)
        return HX_NO_MEMORY;
    arena_init(&state->arena, allocator);
    state->ns_per_tick = event->ns_per_tick;
    state->code = kernel_code(event->kernel);
    state->warp_size = event->options->warp_size;
    state->workers = event->workers;
    state->instructions = hx_kernel_instructions(event->kernel);
    state->sums =
        arena_allocate(&state->arena, (size_t)state->workers * state->instructions, sizeof *state->sums);
    if (!state->sums) {
        arena_done(&state->arena);
        memory_free(allocator, state);
        return HX_NO_MEMORY;
    }
    collector->state = state;
    return HX_OK;
}

static hx_instruction_profile *sum_of(void *user, uint32_t worker, uint32_t instruction)
{
    const struct collecting *state = ((const hx_collector *)user)->state;
    return &state->sums[(size_t)worker * state->instructions + instruction];
}

/* See HX_TIME_BUCKETS. */
static uint32_t bucket_of(double ns)
{
    static const double quarters[] = {1.189207115002721, 1.4142135623730951, 1.681792830507429};
    int octave;
    if (ns < 1)
        return 0;
    const double in_octave = 2 * frexp(ns, &octave);
    uint32_t bucket = 4 * (uint32_t)(octave - 1);
    for (size_t i = 0; i < HX_COUNT_OF(quarters); i++)
        bucket += in_octave >= quarters[i];
    return bucket < HX_TIME_BUCKETS ? bucket : HX_TIME_BUCKETS - 1;
}

static void sample(void *user, const hx_sample_event *event)
{
    const struct collecting *state = ((const hx_collector *)user)->state;
    hx_instruction_profile *sum = sum_of(user, event->worker, event->instruction);
    const double ns = (double)event->ticks * state->ns_per_tick;
    sum->sampled++;
    sum->sampled_ns += ns;
    sum->sampled_ns_squares += ns * ns;
    sum->histogram[bucket_of(ns)]++;
}

static void step(void *user, const hx_lanes_event *event)
{
    hx_instruction_profile *sum = sum_of(user, event->at.worker, event->at.instruction);
    sum->warps++;
    sum->standing += bits_count(event->standing);
    sum->warps_none += event->lanes == 0;
    sum->warps_partial += event->lanes != 0 && (event->lanes != event->standing || event->targets > 1);
    sum->requests += event->lanes != 0;
}

static int access(void *user, const hx_access_event *event, hx_refusal *refusal)
{
    const struct collecting *state = ((const hx_collector *)user)->state;
    hx_instruction_profile *sum = sum_of(user, event->at.worker, event->at.instruction);
    const struct access_cost cost = access_cost(event, state->warp_size);
    (void)refusal;
    sum->sectors += cost.sectors;
    sum->lines += cost.lines;
    sum->sectors_least += cost.sectors_least;
    sum->wavefronts += cost.wavefronts;
    sum->wavefronts_least += cost.wavefronts_least;
    return 0;
}

static void add_times(const hx_instruction_profile *from, hx_instruction_profile *to)
{
    to->sampled += from->sampled;
    to->sampled_ns += from->sampled_ns;
    to->sampled_ns_squares += from->sampled_ns_squares;
    for (int bucket = 0; bucket < HX_TIME_BUCKETS; bucket++)
        to->histogram[bucket] += from->histogram[bucket];
}

static void add_warps(const hx_instruction_profile *from, hx_instruction_profile *to)
{
    to->warps += from->warps;
    to->standing += from->standing;
    to->warps_partial += from->warps_partial;
    to->warps_none += from->warps_none;
}

static void add_memory(const hx_instruction_profile *from, bool is_access, hx_instruction_profile *to)
{
    to->requests += is_access ? from->requests : 0;
    to->sectors += from->sectors;
    to->lines += from->lines;
    to->sectors_least += from->sectors_least;
    to->wavefronts += from->wavefronts;
    to->wavefronts_least += from->wavefronts_least;
}

static void end(void *user, const hx_launch_end *event)
{
    hx_collector *collector = user;
    struct collecting *state = collector->state;
    for (uint32_t i = 0; collector->profile && i < event->instructions; i++) {
        hx_instruction_profile *to = &collector->profile[i];
        const bool is_access = kernel_access_bytes(&state->code->code[i]) != 0;
        to->issues += event->counts ? event->counts[i].issues : 0;
        to->lanes += event->counts ? event->counts[i].lanes : 0;
        for (uint32_t w = 0; w < state->workers; w++) {
            const hx_instruction_profile *from = sum_of(user, w, i);
            if (collector->collect & HX_COLLECT_TIME)
                add_times(from, to);
            if (collector->collect & HX_COLLECT_WARPS)
                add_warps(from, to);
            if (collector->collect & HX_COLLECT_MEMORY)
                add_memory(from, is_access, to);
        }
    }
    for (uint32_t w = 0; collector->workers && event->worker_profile && w < event->workers; w++)
        counts_add_worker(&collector->workers[w], &event->worker_profile[w]);
    const hx_allocator *allocator = state->arena.allocator;
    arena_done(&state->arena);
    memory_free(allocator, state);
    collector->state = NULL;
}

hx_listener hx_collector_listener(hx_collector *collector, hx_launch_options *options)
{
    if (!collector || !options)
        return (hx_listener){0};
    const bool by_warp = collector->collect & (HX_COLLECT_WARPS | HX_COLLECT_MEMORY);
    hx_listener listener = {.size = sizeof listener,
                            .events = HX_EVENT_LAUNCH,
                            .user = collector,
                            .begin = begin,
                            .end = end,
                            .sample = sample,
                            .step = step,
                            .access = access};
    if (collector->workers)
        listener.events |= HX_EVENT_WORKERS;
    if (!collector->profile)
        return listener;
    listener.events |= HX_EVENT_COUNTS | (by_warp ? (uint32_t)HX_EVENT_STEP : 0u) |
                       (collector->collect & HX_COLLECT_TIME ? (uint32_t)HX_EVENT_SAMPLE : 0u) |
                       (collector->collect & HX_COLLECT_MEMORY ? (uint32_t)HX_EVENT_ACCESS : 0u);
    if (by_warp)
        options->gang_lanes = HX_GANG_OF_WARP;
    return listener;
}
