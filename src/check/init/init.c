/* The checker `init`: from events to shadows.
 *
 * Takes launches, buffers and the micro-ops of gangs, leaves shadows and findings. Each worker has the
 * shadows of the blocks that it runs; they are used again for its next blocks. Global memory has one shadow
 * for all. */
#include "check/init/init.h"

#include "base/memory.h"
#include "check/notes.h"
#include "exec/flow/flow.h"
#include "exec/kernel.h"

#include <string.h>

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static void free_block(const hx_allocator *allocator, struct init_block *block)
{
    for (uint32_t g = 0; block->gangs && g < block->gang_count; g++) {
        struct init_gang *gang = &block->gangs[g];
        memory_free(allocator, gang->undefined);
        memory_free(allocator, gang->unwritten);
        memory_free(allocator, gang->bits);
        memory_free(allocator, gang->origins);
    }
    for (uint32_t i = 0; block->locals && i < block->local_count; i++)
        init_area_done(allocator, &block->locals[i]);
    init_area_done(allocator, &block->shared);
    memory_free(allocator, block->judged);
    fidelity_free_block(allocator, block);
    memory_free(allocator, block->gangs);
    memory_free(allocator, block->locals);
    memory_free(allocator, block);
}

static bool make_gang(const hx_allocator *allocator, uint32_t rows, struct init_gang *gang)
{
    gang->undefined = memory_allocate(allocator, rows, sizeof *gang->undefined);
    gang->unwritten = memory_allocate(allocator, rows, sizeof *gang->unwritten);
    gang->bits = memory_allocate(allocator, rows, sizeof *gang->bits);
    gang->origins = memory_allocate(allocator, rows, sizeof *gang->origins);
    return gang->undefined && gang->unwritten && gang->bits && gang->origins;
}

static struct init_block *make_block(struct init *init, const struct gang_state *state)
{
    const struct launch *launch = gang_launch(state);
    struct init_block *block = memory_allocate(init->allocator, 1, sizeof *block);
    if (!block)
        return NULL;
    block->gang_count = state->block->gang_count;
    block->rows = init->code.rows;
    block->local_count = state->gang.local_stride ? (uint32_t)launch->threads_per_block : 0;
    block->gangs = memory_allocate(init->allocator, block->gang_count, sizeof *block->gangs);
    block->shared.bytes = state->gang.shared.size;
    bool is_made = block->gangs != NULL;
    for (uint32_t g = 0; is_made && g < block->gang_count; g++)
        is_made = make_gang(init->allocator, block->rows, &block->gangs[g]);
    if (is_made && block->local_count)
        is_made =
            (block->locals = memory_allocate(init->allocator, block->local_count, sizeof *block->locals));
    if (is_made && block->shared.bytes)
        is_made = (block->shared.state = memory_allocate(init->allocator, block->shared.bytes, 1));
    if (is_made)
        return block;
    free_block(init->allocator, block);
    return NULL;
}

/* What stands at 0 for NULL, and gaps, are no memory: the checker `memory` looks there. */
static void begin_shared(const struct init *init, struct init_block *block)
{
    const struct shared_regions *regions = &init->regions;
    const uint64_t bytes = block->shared.bytes;
    const struct shared_region whole = {.low = init->code.kernel->null_bytes,
                                        .size = bytes - init->code.kernel->null_bytes};
    block->shared.left = 0;
    if (bytes == 0 || bytes < whole.low)
        return;
    memset(block->shared.state, INIT_IS_DEFINED, bytes);
    for (size_t i = 0; i < (regions->count ? regions->count : 1); i++) {
        const struct shared_region *region = regions->count ? &regions->items[i] : &whole;
        memset(block->shared.state + region->low, INIT_IS_UNWRITTEN, region->size);
        block->shared.left += region->size;
    }
}

/* A block begins: nobody has written its registers, its shared and its local memory. */
static void begin_block(const struct init *init, const struct gang_state *state, struct init_block *block)
{
    block->slot = state->block;
    block->number = state->block->number;
    for (uint32_t g = 0; g < block->gang_count; g++) {
        struct init_gang *gang = &block->gangs[g];
        gang->has_undefined = init->code.unwritten_count > 0;
        memset(gang->undefined, 0, block->rows * sizeof *gang->undefined);
        memset(gang->unwritten, 0, block->rows * sizeof *gang->unwritten);
        for (uint32_t i = 0; i < init->code.unwritten_count; i++) {
            memset(gang->undefined[init->code.unwritten[i]], 255, sizeof *gang->undefined);
            memset(gang->unwritten[init->code.unwritten[i]], 255, sizeof *gang->unwritten);
        }
    }
    begin_shared(init, block);
    for (uint32_t i = 0; i < block->local_count; i++)
        block->locals[i].left = 0;
    if (block->judged)
        memset(block->judged, 0, block->local_count * sizeof *block->judged);
    fidelity_begin_block(block);
}

/* Of a gang whose rows are all defined, in a block whose shared memory is, only those micro-ops are wanted
 * that may change it: accesses to other memory, and what threads of other gangs are a part of. */
static void choose_followed(const struct init *init, const struct gang_state *state, struct init_block *block)
{
    block->has_open_shared = block->shared.left != 0;
    for (uint32_t g = 0; g < block->gang_count; g++) {
        struct init_gang *const gang = &block->gangs[g];
        gang->was_undefined = gang->has_undefined;
        state->block->gangs[g].followed = gang->has_undefined      ? FOLLOW_ALL
                                          : block->has_open_shared ? FOLLOW_OTHERS | FOLLOW_SHARED
                                                                   : FOLLOW_OTHERS;
        state->block->gangs[g].followed |= fidelity_follows(init, block, g);
    }
}

static struct init_block *find_block(struct init *init, const struct gang_state *state)
{
    struct init_worker *worker = &init->workers[state->block->worker->number];
    struct init_block *block = NULL;
    for (size_t i = 0; i < worker->blocks.count && !block; i++)
        if (worker->blocks.items[i]->slot == state->block)
            block = worker->blocks.items[i];
    if (!block) {
        block = make_block(init, state);
        if (!block || !LIST_PUSH(init->allocator, &worker->blocks, block)) {
            if (block)
                free_block(init->allocator, block);
            atomic_store(&init->has_failed, true);
            return NULL;
        }
        begin_block(init, state, block);
    } else if (block->number != state->block->number) {
        begin_block(init, state, block);
    }
    choose_followed(init, state, block);
    return worker->last = block;
}

/* ---- Micro-ops ----------------------------------------------------------------------------------------- */

void init_keep_guarded(struct init_step *step)
{
    const bool negated = step->event->op->flags & MICRO_GUARD_NEGATED;
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++)
        for (uint64_t left = step->lanes[chunk]; left; left &= left - 1) {
            const uint32_t lane = chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(left);
            if ((init_cell_value(step, OPERAND_C, lane) & 1) == negated)
                step->lanes[chunk] &= ~(left & -left);
        }
}

static void step_flow(struct init_step *step)
{
    const bool is_branch = step->op->semantic == SEM_jump_table || step->op->semantic == SEM_call_table;
    const enum check_kind kind = is_branch ? CHECK_INIT_BRANCH : CHECK_INIT_BARRIER;
    if (step->event->op->flags & MICRO_GUARDED) {
        init_decide(step, OPERAND_C, CHECK_INIT_BRANCH);
        init_keep_guarded(step);
    }
    if (step->op->semantic == SEM_loop)
        init_decide(step, OPERAND_D, CHECK_INIT_BRANCH);
    init_decide(step, OPERAND_A, kind);
    init_decide(step, OPERAND_B, kind);
    init_define(step, OPERAND_D);
}

static void step_words(struct init_step *step)
{
    for (enum semantic_operand o = OPERAND_A; o < OPERAND_LETTERS; o++)
        init_decide(step, o, CHECK_INIT_PRINT);
}

static void step_arguments(struct init_step *step)
{
    step_words(step);
    init_step_arguments(step);
}

static void step_defined(struct init_step *step)
{
    init_define(step, OPERAND_D);
    init_define(step, OPERAND_E);
}

static void step_guard(struct init_step *step)
{
    init_decide(step, OPERAND_C, CHECK_INIT_BRANCH);
}

/* Is every operand, and what is there for the results so far, defined? */
static bool is_all_defined(const struct init_gang *gang, const struct init_op *op, const uint64_t *lanes,
                           uint32_t chunks)
{
    uint64_t any = 0;
    for (uint32_t chunk = 0; gang->has_undefined && chunk < chunks; chunk++) {
        uint64_t of_chunk = 0;
        for (int o = 0; o < OPERAND_LETTERS; o++)
            of_chunk |= gang->undefined[op->rows[o]][chunk];
        any |= of_chunk & lanes[chunk];
    }
    return any == 0;
}

/* Does nothing change? */
static bool is_quiet(const struct init *init, const struct init_block *block, const struct init_gang *gang,
                     const struct init_op *op, const hx_micro_op_event *event)
{
    if (op->class > INIT_ATOMIC || !is_all_defined(gang, op, event->lanes, event->state->gang.chunks))
        return false;
    return op->class <= INIT_MATRIX || init_memory_is_defined(init, block, event->op);
}

static void micro_op(void *user, const hx_micro_op_event *event)
{
    static void (*const functions[])(struct init_step *) = {
        [INIT_RULED] = init_step_rule,      [INIT_DEFINED] = step_defined,
        [INIT_GUARD] = step_guard,          [INIT_FLOW] = step_flow,
        [INIT_WORDS] = step_words,          [INIT_LOAD] = init_step_load,
        [INIT_STORE] = init_step_store,     [INIT_ATOMIC] = init_step_atomic,
        [INIT_SHUFFLE] = init_step_shuffle, [INIT_MEMBERS] = init_step_members,
        [INIT_MATRIX] = init_step_matrix,   [INIT_COLLECTIVE] = init_step_collective,
        [INIT_STACK] = init_step_stack,     [INIT_ARGUMENTS] = step_arguments};
    struct init *init = user;
    const struct gang_state *state = event->state;
    const struct launch *launch = gang_launch(state);
    const struct init_op *op = &init->code.ops[event->op - launch->bound->ops];
    if (op->class == INIT_NOTHING || atomic_load_explicit(&init->has_failed, memory_order_relaxed))
        return;
    struct init_block *block = init->workers[state->block->worker->number].last;
    if ((!block || block->slot != state->block || block->number != state->block->number) &&
        !(block = find_block(init, state)))
        return;
    struct init_gang *gang = &block->gangs[state->number];
    if (init->fidelity.is_on && fidelity_micro_op(init, block, op, event))
        choose_followed(init, state, block);
    if (is_quiet(init, block, gang, op, event))
        return;
    struct init_step step = {
        .init = init, .op = op, .event = event, .block = block, .gang = gang, .chunks = state->gang.chunks};
    memcpy(step.lanes, event->lanes, step.chunks * sizeof *step.lanes);
    functions[op->class](&step);
    if (block->has_open_shared != (block->shared.left != 0) || gang->was_undefined != gang->has_undefined)
        choose_followed(init, state, block);
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

static void free_workers(struct init *init)
{
    for (uint32_t w = 0; w < init->worker_count; w++) {
        for (size_t i = 0; i < init->workers[w].blocks.count; i++)
            free_block(init->allocator, init->workers[w].blocks.items[i]);
        LIST_DONE(init->allocator, &init->workers[w].blocks);
    }
    init->worker_count = 0;
    init->workers = NULL;
    arena_done(&init->arena);
}

/* The buffers that were made before anything was followed. */
static bool find_buffers(struct init *init)
{
    const struct check_buffer *buffer;
    for (size_t i = 0; !init->has_buffers && (buffer = check_buffer_at(init->checks, i)); i++)
        if (!init_add_buffer(init, buffer->low, buffer->size, buffer->name))
            return false;
    init->has_buffers = true;
    return true;
}

static hx_status begin(void *user, const hx_launch_begin *event)
{
    struct init *init = user;
    const struct lowered_kernel *plain = NULL;
    hx_diag *const diag = NULL;
    init->launch = check_launch_now(init->checks);
    hx_status status = kernel_plain(event->kernel, diag, &plain);
    if (status == HX_OK)
        status = init_code_make(plain, &init->arena, &init->code);
    if (status == HX_OK)
        status = init_keep_layout(init, plain->program, plain->kernel);
    if (status == HX_OK && !find_buffers(init))
        status = HX_NO_MEMORY;
    if (status == HX_OK &&
        !program_shared_regions(plain->program, plain->kernel, event->options, &init->arena, &init->regions))
        status = HX_NO_MEMORY;
    init->workers = ARENA_ARRAY(&init->arena, struct init_worker, event->workers);
    if (status == HX_OK)
        status = fidelity_begin(init, event->workers);
    if (status != HX_OK || !init->workers) {
        free_workers(init);
        return HX_NO_MEMORY;
    }
    init->worker_count = event->workers;
    return HX_OK;
}

static void end(void *user, const hx_launch_end *event)
{
    struct init *init = user;
    (void)event;
    if (atomic_load(&init->has_failed))
        check_lost(init->checks);
    fidelity_end(init);
    free_workers(init);
}

static void buffer(void *user, const hx_buffer_event *event)
{
    init_buffer_event(user, event);
}

static void note(void *user, const hx_lanes_event *event)
{
    if (event->value == NOTE_HEAP_MADE)
        init_heap_note(user, event);
}

/* ---- Open and close ------------------------------------------------------------------------------------ */

static void leave_device(struct checker *checker, bool leaks)
{
    struct init *init = (struct init *)checker;
    (void)leaks;
    for (size_t i = 0; i < init->buffers.count; i++)
        init_host_reads(init, init->buffers.items[i], 0, init->buffers.items[i]->size);
    init_buffers_done(init);
    init->has_buffers = false;
}

static void close_init(struct checker *checker)
{
    struct init *init = (struct init *)checker;
    free_workers(init);
    init_buffers_done(init);
    LIST_DONE(init->allocator, &init->layouts);
    init_sources_done(init);
    fidelity_done(init);
    arena_done(&init->kept);
    memory_free(init->allocator, init);
}

hx_status check_init_open(hx_checks *checks, hx_diag *diag, struct checker **ret_checker)
{
    const hx_allocator *allocator = check_allocator(checks);
    struct init *init = memory_allocate(allocator, 1, sizeof *init);
    if (!init)
        return diag_no_memory(diag);
    init->checks = checks;
    init->allocator = allocator;
    arena_init(&init->arena, allocator);
    arena_init(&init->kept, allocator);
    init->checker = (struct checker){
        .listener = {.size = sizeof init->checker.listener,
                     .events = HX_EVENT_LAUNCH | HX_EVENT_BUFFER | HX_EVENT_MICRO_OP | HX_EVENT_NOTE,
                     .user = init,
                     .begin = begin,
                     .end = end,
                     .buffer = buffer,
                     .note = note,
                     .micro_op = micro_op},
        .close = close_init,
        .leave = leave_device};
    *ret_checker = &init->checker;
    return HX_OK;
}
