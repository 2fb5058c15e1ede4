/* The past of a run: snapshots, and runs that begin at one of them.
 *
 * Takes the run between two turns of warps, leaves now and then a snapshot: buffers, what exec/snapshot.h
 * says of the launch, and what the debugger knows of registers. A run that begins at one passes over the
 * launches before, and puts all of that back. What checkers know is not in it, so a run with checkers has
 * none. */
#include "debug/debug.h"
#include "device/device.h"
#include "lower/micro_op.h"

/* Loops end by what buffers hold, which launches that are passed over have not written. */
static bool can_pass_over(const struct engine *engine)
{
    return engine->launches <= 1 || hx_context_program(engine->context)->loop_count == 0;
}

/* ---- The state ----------------------------------------------------------------------------------------- */

static bool move_buffers(struct snapshot_stream *stream, hx_device *device)
{
    const struct device_memory *memory = device_memory(device);
    bool good = true;
    for (size_t i = 0; good && i < memory->buffers.count; i++) {
        const struct memory_window *window = &memory->buffers.items[i]->window;
        good = stream->port.move(&stream->port, window->host, window->size) && snapshots_align(stream);
    }
    return good;
}

static bool move_shadow(struct snapshot_port *port, const struct engine *engine, struct shadow_block *block)
{
    bool good = true;
    for (uint32_t i = 0; good && i < block->warp_count; i++)
        good =
            port->move(port, block->warps[i].members, engine->member_count * sizeof *block->warps[i].members);
    return good;
}

static bool move_shadows(struct snapshot_port *port, struct engine *engine)
{
    size_t count = engine->blocks.count;
    bool good = SNAPSHOT_MOVE(port, count);
    for (size_t i = 0; good && i < count; i++) {
        uint64_t number = port->loads ? 0 : engine->blocks.items[i].block->number;
        good = SNAPSHOT_MOVE(port, number);
        struct shadow_block *block = good ? state_block(engine, number) : NULL;
        good = block && move_shadow(port, engine, block);
    }
    return good;
}

static bool move_all(struct snapshot_stream *stream, struct engine *engine, struct worker *worker)
{
    struct snapshot_port *port = &stream->port;
    return move_buffers(stream, worker->launch->device) && snapshot_move_worker(port, worker) &&
           SNAPSHOT_MOVE(port, engine->at) && snapshots_align(stream) && move_shadows(port, engine);
}

/* ---- Making them --------------------------------------------------------------------------------------- */

/* The piece that a step of the present would be in. */
static void find_piece(struct engine *engine)
{
    struct snapshot *last = snapshots_before(&engine->snapshots, engine->now + 1);
    engine->piece = last && last->launch == engine->launches ? last : NULL;
}

void past_turn(void *user, struct worker *worker)
{
    struct engine *engine = user;
    struct snapshot_stream stream;
    if (atomic_load_explicit(&engine->dies, memory_order_relaxed) || engine->options.checks)
        return;
    const bool wants = snapshots_want(&engine->snapshots, engine->now) && engine->pending.count == 0 &&
                       can_pass_over(engine) && snapshot_is_possible(worker->launch);
    if (wants) {
        const bool good = snapshots_begin(&engine->snapshots, &stream, engine->now, engine->launches,
                                          engine->kernel) != NULL;
        if (good)
            snapshots_end(&engine->snapshots, &stream, move_all(&stream, engine, worker));
    }
    if (wants || !engine->piece || engine->piece->time != engine->now)
        find_piece(engine);
}

void past_step(struct engine *engine, const struct moment *at)
{
    struct snapshot *piece = engine->piece;
    if (!piece)
        return;
    piece->did[at->instruction] = 1;
    piece->first_block = at->block < piece->first_block ? at->block : piece->first_block;
    piece->last_block = at->block > piece->last_block ? at->block : piece->last_block;
    piece->most_depth = at->depth > piece->most_depth ? at->depth : piece->most_depth;
    piece->least_depth = at->depth < piece->least_depth ? at->depth : piece->least_depth;
}

void past_access(const struct engine *engine, const hx_access_event *event)
{
    struct snapshot *piece = engine->piece;
    if (!piece)
        return;
    piece->has_others |= event->space != SPACE_GLOBAL;
    for (uint64_t left = event->space == SPACE_GLOBAL ? event->lanes : 0; left; left &= left - 1) {
        const uint64_t at = event->addresses[__builtin_ctzll(left)], end = at + event->lane_bytes;
        piece->low = at < piece->low ? at : piece->low;
        piece->end = end > piece->end ? end : piece->end;
    }
}

void past_launched(struct engine *engine)
{
    struct snapshot *last = snapshots_before(&engine->snapshots, engine->now + 1);
    if (last && !atomic_load(&engine->dies))
        last->kernel = NULL; /* what another launch does is in its piece, too */
    engine->piece = NULL;
}

/* ---- Beginning at one ---------------------------------------------------------------------------------- */

bool past_skips(void *user)
{
    struct engine *engine = user;
    if (!engine->from || engine->launches + 1 >= engine->from->launch)
        return false;
    engine->launches++;
    return true;
}

bool past_resume(void *user, struct worker *worker)
{
    struct engine *engine = user;
    struct snapshot_stream stream;
    const struct snapshot *from = engine->from;
    if (!from)
        return false;
    engine->from = NULL;
    snapshots_read(&engine->snapshots, &stream, from);
    if (!move_all(&stream, engine, worker)) {
        uint32_t running = STOP_NO;
        atomic_compare_exchange_strong(&worker->launch->stop, &running, STOP_NO_MEMORY);
        engine->failed = true;
    }
    engine->now = from->time;
    find_piece(engine);
    return worker->slots.count > 0;
}

/* ---- Searching ----------------------------------------------------------------------------------------- */

static bool has_breakpoint(const struct point *point, const struct snapshot *piece)
{
    for (uint32_t i = 0; i < piece->kernel->code_count; i++)
        if (piece->did[i] && points_match(point, piece->kernel, i))
            return true;
    return false;
}

static bool can_meet(const struct point *point, const struct snapshot *piece)
{
    if (point->kind == POINT_BREAK)
        return has_breakpoint(point, piece);
    if (point->kind == POINT_DIVERGE)
        return true;
    return point->space == SPACE_GLOBAL
               ? point->address < piece->end && piece->low < point->address + point->bytes
               : piece->has_others;
}

bool past_is_one_line(const struct snapshot *piece, const struct finding *step)
{
    if (!piece->kernel || piece->least_depth != step->at.depth || piece->most_depth != step->at.depth)
        return false;
    for (uint32_t i = 0; i < piece->kernel->code_count; i++)
        if (piece->did[i] && state_line(piece->kernel, i) != step->line)
            return false;
    return true;
}

bool past_is_without(const struct engine *engine, const struct snapshot *piece, const struct goal *goal)
{
    if (!piece->kernel)
        return false;
    if (goal->step.is_on && !goal->points)
        return piece->least_depth > goal->step.depth_most ||
               (goal->step.scope != SCOPE_ANY &&
                (goal->step.block < piece->first_block || goal->step.block > piece->last_block));
    for (size_t i = 0; i < engine->points.count; i++) {
        const struct point *point = engine->points.items[i];
        if (point->is_enabled && can_meet(point, piece))
            return false;
    }
    return !goal->step.is_on;
}
