/* What a launch is in the middle of: counters, resident blocks, their gangs, paths, rows and memory.
 *
 * Takes a worker between two turns, leaves its state with a port; or the other way round. Blocks are made and
 * started as always when they are loaded, and get what they had then: so all that is the same in each run,
 * and pointers, need not be kept. */
#include "exec/snapshot.h"

#include "exec/block.h"
#include "exec/flow/calls.h"
#include "exec/grid.h"

bool snapshot_is_possible(const struct launch *launch)
{
    return launch->workers == 1 && launch->is_plain && !launch->tier && launch->packed_blocks == 1 &&
           launch->bound->chunks == 1 && launch->bound->converged_at == launch->bound->op_count &&
           !launch->options.schedule && !(launch->wanted & (HX_EVENT_STUCK | HX_EVENT_WORKERS));
}

/* ---- Gangs --------------------------------------------------------------------------------------------- */

static bool move_calls(struct snapshot_port *port, struct gang_state *state)
{
    uint32_t depths = state->return_depths;
    if (!SNAPSHOT_MOVE(port, depths) || (port->loads && !calls_reserve(state, depths)))
        return false;
    for (uint32_t i = 0; i < depths; i++)
        if (!port->move(port, state->returns[i].lanes, sizeof state->returns[i].lanes) ||
            !SNAPSHOT_MOVE(port, state->returns[i].instruction) ||
            !port->move(port, state->returns[i].own, state->gang.lanes * sizeof *state->returns[i].own))
            return false;
    return true;
}

/* Of stacks what was reached: the rest is as block_start leaves it. */
static bool move_local(struct snapshot_port *port, struct gang_state *state)
{
    const struct gang *gang = &state->gang;
    if (!state->stack_ends)
        return port->move(port, gang->local.host, gang->local.size ? gang->local_stride * gang->lanes : 0);
    if (!SNAPSHOT_MOVE(port, state->stack_most) || state->stack_most > gang->local.size ||
        !port->move(port, state->stack_ends, gang->lanes * sizeof *state->stack_ends))
        return false;
    for (uint32_t lane = 0; lane < gang->lanes; lane++)
        if (!port->move(port, gang->local.host + lane * gang->local_stride, state->stack_most))
            return false;
    return true;
}

static bool move_gang(struct snapshot_port *port, struct gang_state *state)
{
    return SNAPSHOT_MOVE(port, state->path_count) && state->path_count <= state->gang.lanes &&
           port->move(port, state->paths, state->path_count * sizeof *state->paths) &&
           SNAPSHOT_MOVE(port, state->running) && SNAPSHOT_MOVE(port, state->turn) &&
           SNAPSHOT_MOVE(port, state->rotate) && SNAPSHOT_MOVE(port, state->has_parted) &&
           SNAPSHOT_MOVE(port, state->is_cut) && SNAPSHOT_MOVE(port, state->fuel) &&
           SNAPSHOT_MOVE(port, state->followed) && move_calls(port, state) && move_local(port, state);
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static bool move_count(struct snapshot_port *port, size_t *count)
{
    return port->move(port, count, sizeof *count);
}

static bool move_text(struct snapshot_port *port, struct text *text)
{
    size_t length = text->length;
    if (!move_count(port, &length) || (port->loads && !text_reserve(text, length)))
        return false;
    if (length > 0 && !port->move(port, text->at, length))
        return false;
    if (port->loads && length > 0)
        text->at[length] = 0;
    text->length = length;
    return true;
}

/* Where in that text is what each thread has printed. */
static bool move_prints(struct snapshot_port *port, struct block *block)
{
    size_t count = block->prints.count;
    if (!move_count(port, &count) ||
        (port->loads &&
         !LIST_RESERVE(device_allocator(block->worker->launch->device), &block->prints, count)) ||
        !port->move(port, block->prints.items, count * sizeof *block->prints.items))
        return false;
    block->prints.count = count;
    return true;
}

/* What blocks that are not active have in rows is what the next one finds in registers that it does not
 * write. */
static bool move_rows(struct snapshot_port *port, struct block *block)
{
    const size_t bytes = block->worker->launch->bound->rows_bytes;
    bool good = true;
    for (uint32_t i = 0; good && i < block->gang_count; i++)
        good = port->move(port, block->gangs[i].rows, bytes);
    return good;
}

static bool move_block(struct snapshot_port *port, struct block *block)
{
    const struct launch *launch = block->worker->launch;
    uint64_t number = block->number;
    bool active = block->active;
    if (!SNAPSHOT_MOVE(port, active) || !SNAPSHOT_MOVE(port, number))
        return false;
    if (port->loads && active)
        block_start(block, number);
    bool good = move_rows(port, block);
    if (!active)
        return good;
    good = good && SNAPSHOT_MOVE(port, block->live) && SNAPSHOT_MOVE(port, block->rounds) &&
           SNAPSHOT_MOVE(port, block->round) && SNAPSHOT_MOVE(port, block->barriers) &&
           port->move(port, block->shared, launch->shared_bytes) && move_text(port, &block->printed) &&
           move_prints(port, block);
    for (uint32_t i = 0; good && i < block->gang_count; i++)
        good = move_gang(port, &block->gangs[i]);
    return good;
}

static bool move_slots(struct snapshot_port *port, struct worker *worker)
{
    size_t count = worker->slots.count;
    if (!move_count(port, &count))
        return false;
    while (port->loads && worker->slots.count < count)
        if (!grid_new_slot(worker))
            return false;
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = move_block(port, worker->slots.items[i]);
    return good;
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

/* What blocks that are done have printed, and others before them have not. */
static bool move_outputs(struct snapshot_port *port, struct launch *launch)
{
    const hx_allocator *allocator = device_allocator(launch->device);
    size_t count = launch->outputs.count;
    bool good = SNAPSHOT_MOVE(port, launch->next_output) && move_count(port, &count) &&
                (!port->loads || LIST_RESERVE(allocator, &launch->outputs, count));
    for (size_t i = 0; good && i < count; i++) {
        if (port->loads)
            launch->outputs.items[launch->outputs.count++] =
                (struct output){.text = {.allocator = allocator}};
        good = SNAPSHOT_MOVE(port, launch->outputs.items[i].block) &&
               move_text(port, &launch->outputs.items[i].text);
    }
    return good;
}

static bool move_counts(struct snapshot_port *port, struct worker *worker)
{
    const size_t bytes = worker->launch->bound->lowered->kernel->code_count * sizeof *worker->counts;
    return port->move(port, worker->counts, bytes) && port->move(port, worker->chains, bytes) &&
           SNAPSHOT_MOVE(port, worker->instructions) && SNAPSHOT_MOVE(port, worker->instructions_reported);
}

bool snapshot_move_worker(struct snapshot_port *port, struct worker *worker)
{
    struct launch *launch = worker->launch;
    struct worker_progress *known = &worker->progress;
    uint64_t next = atomic_load(&launch->next_item), instructions = atomic_load(&launch->instructions),
             done = atomic_load(&known->blocks_done);
    const bool good = SNAPSHOT_MOVE(port, next) && SNAPSHOT_MOVE(port, instructions) &&
                      SNAPSHOT_MOVE(port, done) && SNAPSHOT_MOVE(port, worker->next_turn) &&
                      SNAPSHOT_MOVE(port, worker->end_turn) && SNAPSHOT_MOVE(port, worker->round) &&
                      move_counts(port, worker) && move_outputs(port, launch) && move_slots(port, worker);
    if (port->loads) {
        atomic_store(&launch->next_item, next);
        atomic_store(&launch->instructions, instructions);
        atomic_store(&known->blocks_done, done);
    }
    return good;
}
