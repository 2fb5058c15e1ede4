/* Counts.
 *
 * Takes the counters of each worker and instruction, leaves sums: of the launch for its result, and of each
 * instruction and worker for listeners. Each worker counts for itself, so that no two write to one place. */
#include "exec/counts.h"

#include "exec/driver.h"
#include "exec/kernel.h"
#include "exec/tier/run.h"
#include "exec/times.h"

#include <string.h>

static uint32_t code_count(const struct launch *launch)
{
    return launch->bound->lowered->kernel->code_count;
}

hx_status counts_init(struct worker *worker, struct arena *arena, hx_diag *diag)
{
    const uint32_t count = code_count(worker->launch);
    worker->counts = ARENA_ARRAY(arena, hx_issue_counts, count);
    worker->chains = ARENA_ARRAY(arena, hx_issue_counts, count);
    driver_start_samples(worker);
    return worker->counts && worker->chains ? HX_OK : diag_no_memory(diag);
}

/* Each micro-op of a chain has been issued as often as the chain. */
static void add_chains(struct worker *worker)
{
    const struct bound_kernel *bound = worker->launch->bound;
    for (uint32_t i = 0; i < bound->op_count; i++) {
        const struct op *op = &bound->ops[i];
        for (uint32_t k = 1; op->fused && k <= op_chained(op); k++) {
            worker->counts[op[k].instruction].issues += worker->chains[op->instruction].issues;
            worker->counts[op[k].instruction].lanes += worker->chains[op->instruction].lanes;
        }
    }
    memset(worker->chains, 0, code_count(worker->launch) * sizeof *worker->chains);
}

void counts_add_chains(struct launch *launch)
{
    for (uint32_t w = 0; w < launch->workers; w++)
        add_chains(&launch->worker_states[w]);
}

void counts_end(struct launch *launch)
{
    counts_add_chains(launch);
    for (uint32_t w = 0; w < launch->workers; w++)
        tier_add_counts(&launch->worker_states[w]);
}

void counts_add(const struct launch *launch, hx_counts *counts)
{
    const struct kernel *code = launch->bound->lowered->kernel;
    for (uint32_t w = 0; w < launch->workers; w++)
        for (uint32_t i = 0; i < code->code_count; i++) {
            const hx_issue_counts *count = &launch->worker_states[w].counts[i];
            const struct instruction *instruction = &code->code[i];
            const struct isa_opcode *opcode = instruction->opcode;
            counts->issues += count->issues;
            counts->thread_instructions += count->lanes;
            counts->flops += (uint64_t)(instruction_flops(instruction) * (double)count->lanes);
            const uint64_t bytes = count->lanes * launch->access_bytes[i];
            counts->loaded_bytes[opcode->space] += opcode->shape == SHAPE_STORE ? 0 : bytes;
            counts->stored_bytes[opcode->space] += opcode->shape == SHAPE_LOAD ? 0 : bytes;
        }
}

const hx_issue_counts *counts_by_instruction(const struct launch *launch, struct arena *arena)
{
    hx_issue_counts *sums = ARENA_ARRAY(arena, hx_issue_counts, code_count(launch));
    for (uint32_t w = 0; sums && w < launch->workers; w++)
        for (uint32_t i = 0; i < code_count(launch); i++) {
            sums[i].issues += launch->worker_states[w].counts[i].issues;
            sums[i].lanes += launch->worker_states[w].counts[i].lanes;
        }
    return sums;
}

const hx_worker_profile *counts_of_workers(const struct launch *launch, struct arena *arena)
{
    const uint64_t end = times_now(launch);
    hx_worker_profile *profiles = ARENA_ARRAY(arena, hx_worker_profile, launch->workers);
    for (uint32_t w = 0; profiles && w < launch->workers; w++)
        times_add(&launch->worker_states[w], end, &profiles[w]);
    return profiles;
}

void counts_add_worker(hx_worker_profile *to, const hx_worker_profile *from)
{
    to->blocks += from->blocks;
    to->wall_ns += from->wall_ns;
    to->running_ns += from->running_ns;
    to->scheduling_ns += from->scheduling_ns;
    to->instrumentation_ns += from->instrumentation_ns;
    to->idle_ns += from->idle_ns;
    to->barrier_warp_ns += from->barrier_warp_ns;
    to->resident_warp_ns += from->resident_warp_ns;
    to->off_core_ns += from->off_core_ns;
}
