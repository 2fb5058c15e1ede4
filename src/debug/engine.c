/* The engine: runs the program step by step, and stops it.
 *
 * Takes a context and a goal, leaves the run stopped at a step, its threads to be read. The run is a thread
 * that calls context_run with a listener. At a stop the listener's call does not return until the front wants
 * the run to go on. To go back in time the run is ended and begun anew: with one worker, gangs of a warp and
 * the same addresses each run does the same steps in the same order, so a time names the same step in all of
 * them; and a run may begin where a snapshot was made of another one (past.c). What threads have in registers
 * is kept as they write it, because rows are used again. */
#include "base/thread.h"
#include "check/frame.h"
#include "debug/debug.h"
#include "exec/flow/paths.h"
#include "lower/micro_op.h"

/* ---- Stopping ------------------------------------------------------------------------------------------ */

/* Called by the run: waits until the front wants it to go on. */
static void stop(struct engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    engine->state = RUN_STOPPED;
    pthread_cond_broadcast(&engine->changed);
    while (engine->state == RUN_STOPPED)
        pthread_cond_wait(&engine->changed, &engine->lock);
    pthread_mutex_unlock(&engine->lock);
}

static void stop_for(struct engine *engine, const struct finding *finding)
{
    engine->found = *finding;
    engine->focus_block = finding->at.block;
    engine->focus_thread = finding->thread;
    engine->focus_level = 0;
    stop(engine);
}

/* ---- Events -------------------------------------------------------------------------------------------- */

static bool in_scope(const struct engine *engine, const struct stepping *step, const struct moment *at)
{
    const uint32_t lane = step->thread - at->first_thread;
    if (step->scope == SCOPE_ANY)
        return true;
    if (at->block != step->block)
        return false;
    if (step->scope == SCOPE_BLOCK)
        return true;
    if (step->scope == SCOPE_WARP)
        return at->standing & state_lanes_of_warp(engine, step->thread, at->first_thread);
    return step->thread >= at->first_thread && lane < LANES_PER_CHUNK && (at->standing >> lane & 1);
}

/* Of a step: the focus stays where it is if its thread is there, or else is the first thread that is. */
static uint32_t thread_of(const struct engine *engine, const struct moment *at)
{
    const uint64_t lanes = at->lanes ? at->lanes : at->standing;
    const uint32_t lane = engine->focus_thread - at->first_thread;
    if (at->block == engine->focus_block && engine->focus_thread >= at->first_thread &&
        lane < LANES_PER_CHUNK && (at->standing >> lane & 1))
        return engine->focus_thread;
    return at->first_thread + (uint32_t)__builtin_ctzll(lanes);
}

static bool step_stops(struct engine *engine, const struct moment *at)
{
    struct stepping *step = &engine->goal.step;
    if (!step->is_on || !in_scope(engine, step, at) || at->depth > step->depth_most)
        return false;
    if (step->by_line && (engine->marked[at->instruction] & MARK_HEAD))
        return false; /* parameters have no values yet */
    const int line = state_line(engine->kernel, at->instruction);
    const bool is_new = !step->has_line || line != step->last_line || at->depth != step->last_depth;
    const bool is_unsure = step->is_blind && !step->has_line && step->by_line;
    step->has_line = true;
    step->last_line = line;
    step->last_depth = at->depth;
    if (is_unsure)
        engine->unsure =
            (struct finding){.reason = REASON_STEP, .at = *at, .thread = thread_of(engine, at), .line = line};
    if (is_unsure)
        return false;
    if (step->has_left)
        return is_new && (at->depth < step->left_depth || line > step->left_line);
    if (step->until_line)
        return is_new && (line == step->until_line || at->depth < step->left_depth);
    return is_new || !step->by_line;
}

/* A watchpoint that stops here, unless something else does, and then besides it. */
static void add_access(struct engine *engine, struct finding *found)
{
    struct finding access = {.reason = REASON_NONE};
    if (!points_after_access(engine, &access))
        return;
    if (found->reason == REASON_NONE) {
        *found = access;
        return;
    }
    points_note(found, access.point);
    for (uint32_t i = 0; i < access.also_count; i++)
        points_note(found, access.also[i]);
}

/* Why a run stops before this step. `ended`: of a call whose variable is watched, if one has. */
static bool finds(struct engine *engine, const struct moment *at, const struct finding *ended,
                  struct finding *found)
{
    const struct goal *goal = &engine->goal;
    *found = (struct finding){.at = *at, .thread = thread_of(engine, at)};
    if (goal->points && engine->mistake.reason == REASON_MISTAKE && engine->stops_at_mistakes) {
        const struct finding mistake = engine->mistake;
        found->reason = REASON_MISTAKE;
        found->instruction = mistake.instruction;
        found->thread = mistake.thread;
        found->at.block = mistake.at.block;
    }
    if (goal->points && engine->pending.count > 0)
        add_access(engine, found);
    if (goal->points && (engine->marked[at->instruction] & MARK_POINT))
        (void)points_at_step(engine, at, found);
    if (found->reason != REASON_NONE)
        return true;
    if (goal->points && !goal->records && ended->reason != REASON_NONE) {
        *found = *ended;
        return true;
    }
    if (!step_stops(engine, at))
        return false;
    found->reason = REASON_STEP;
    return true;
}

static void record(struct engine *engine, const struct finding *found)
{
    const struct trail_step step = {found->at.time, found->at.depth};
    engine->recorded = *found;
    if (found->reason != REASON_STEP)
        return;
    if (engine->trail.count == TRAIL_MOST) {
        engine->trail.count /= 2;
        memmove(engine->trail.items, engine->trail.items + engine->trail.count,
                engine->trail.count * sizeof step);
    }
    if (!LIST_PUSH(engine->allocator, &engine->trail, step))
        engine->failed = true;
}

/* Of the threads that do the step, which may have come from different calls: of the one that is stepped, or
 * else of the first. */
static uint32_t depth_of(const struct engine *engine, const struct shadow_block *block,
                         const struct gang_state *gang)
{
    const uint32_t depth = gang->paths[gang->running].depth,
                   lane = engine->goal.step.thread - engine->at.first_thread;
    const bool is_stepped =
        engine->goal.step.is_on && lane < LANES_PER_CHUNK && (engine->at.standing >> lane & 1);
    const uint32_t thread = is_stepped
                                ? engine->goal.step.thread
                                : engine->at.first_thread + (uint32_t)__builtin_ctzll(engine->at.standing);
    return scope_depth(engine, block, thread, engine->at.instruction, depth);
}

static void on_step(void *user, const hx_lanes_event *event)
{
    struct engine *engine = user;
    struct finding found, ended = {.reason = REASON_NONE};
    if (atomic_load_explicit(&engine->dies, memory_order_relaxed))
        return;
    struct shadow_block *block = state_block(engine, event->at.block);
    const struct gang_state *gang = block ? state_gang(block, event->at.first_thread) : NULL;
    engine->now++;
    engine->at = (struct moment){.time = engine->now,
                                 .block = event->at.block,
                                 .first_thread = event->at.first_thread,
                                 .instruction = event->at.instruction,
                                 .standing = event->standing,
                                 .lanes = event->lanes};
    if (gang) {
        engine->at.depth = depth_of(engine, block, gang);
        (void)points_at_return(engine, &engine->at, gang->paths[gang->running].depth, &ended);
    }
    past_step(engine, &engine->at);
    change_step(engine);
    /* What stops here goes before an interruption: a run that goes on behind one must not pass it over. */
    const bool is_time = engine->now == engine->goal.stop_time;
    const bool is_found = !is_time && finds(engine, &engine->at, &ended, &found);
    if (is_found && engine->goal.records)
        record(engine, &found);
    const bool stops_itself = is_time || (is_found && !engine->goal.records);
    /* one that stops nothing here stays, for the command may go on */
    const bool is_interrupted = !stops_itself &&
                                atomic_load_explicit(&engine->interrupted, memory_order_relaxed) &&
                                atomic_exchange(&engine->interrupted, false);
    if (is_time || is_interrupted)
        found = (struct finding){.reason = is_time ? REASON_TIME : REASON_INTERRUPT,
                                 .at = engine->at,
                                 .thread = thread_of(engine, &engine->at)};
    if (stops_itself || is_interrupted)
        stop_for(engine, &found);
    engine->pending.count = 0;
    engine->mistake.reason = REASON_NONE;
}

/* The first of a step counts. The step behind it stops, when all that it did is there. */
static void on_mistake(void *user, const struct check_finding *finding, const char *kind, const char *message)
{
    struct engine *engine = user;
    if (engine->mistake.reason != REASON_NONE || finding->site_count == 0 || atomic_load(&engine->dies))
        return;
    const struct check_site *site = &finding->sites[0];
    engine->mistake = (struct finding){.reason = REASON_MISTAKE,
                                       .at = {.block = site->block},
                                       .thread = site->thread,
                                       .instruction = site->instruction};
    text_put(engine->mistake_kind, sizeof engine->mistake_kind, kind);
    text_put(engine->mistake_message, sizeof engine->mistake_message, message);
}

static void on_branch(void *user, const hx_lanes_event *event)
{
    struct engine *engine = user;
    struct finding found = {.at = engine->at};
    if (atomic_load_explicit(&engine->dies, memory_order_relaxed) || !engine->goal.points || !event->lanes ||
        event->lanes == event->standing)
        return;
    engine->at.lanes = event->lanes;
    found.at = engine->at;
    found.thread = engine->at.first_thread + (uint32_t)__builtin_ctzll(event->lanes);
    if (!points_at_branch(engine, &engine->at, &found))
        return;
    if (engine->goal.records)
        engine->recorded = found;
    else if (engine->now != engine->goal.stop_time)
        stop_for(engine, &found);
}

static int on_access(void *user, const hx_access_event *event, hx_refusal *refusal)
{
    struct engine *engine = user;
    (void)refusal;
    if (atomic_load_explicit(&engine->dies, memory_order_relaxed))
        return 1; /* ends the launch at once */
    past_access(engine, event);
    if (engine->goal.points)
        points_at_access(engine, event);
    return 0;
}

static void on_write(void *user, const hx_write_event *event)
{
    registers_keep(user, event);
}

static void on_fault(void *user, const hx_fault_event *event)
{
    struct engine *engine = user;
    if (atomic_load_explicit(&engine->dies, memory_order_relaxed))
        return;
    engine->fault = *event->fault;
    const uint32_t *shape = engine->options.launch.block, *grid = engine->options.launch.grid;
    const hx_fault *fault = event->fault;
    struct finding found = {.reason = REASON_FAULT,
                            .at = engine->at,
                            .thread = fault->thread[0] +
                                      shape[0] * (fault->thread[1] + shape[1] * fault->thread[2])};
    found.at.block =
        fault->block[0] + (uint64_t)grid[0] * (fault->block[1] + (uint64_t)grid[1] * fault->block[2]);
    if (!engine->goal.records)
        stop_for(engine, &found);
}

/* What was printed once is printed again where a command lets the program run forward, and not on the way
 * to a step where it stands. */
static void on_print(void *user, const char *text, size_t bytes)
{
    struct engine *engine = user;
    const bool is_forward = engine->goal.points && !engine->goal.records;
    if ((is_forward || engine->now > engine->printed_until) && !atomic_load(&engine->dies))
        text_append(&engine->printed, text, bytes);
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static void free_block(struct engine *engine, struct shadow_block *block)
{
    for (uint32_t i = 0; block->warps && i < block->warp_count; i++)
        memory_free(engine->allocator, block->warps[i].members);
    memory_free(engine->allocator, block->warps);
    *block = (struct shadow_block){0};
}

static void on_block_begins(void *user, const struct block *begun)
{
    struct engine *engine = user;
    const uint32_t *shape = engine->options.launch.block, width = state_warp_lanes(engine);
    struct shadow_block block = {.block = begun,
                                 .warp_count = (shape[0] * shape[1] * shape[2] + width - 1) / width};
    block.warps = memory_allocate(engine->allocator, block.warp_count, sizeof *block.warps);
    bool good = block.warps != NULL;
    for (uint32_t i = 0; good && i < block.warp_count && engine->member_count; i++)
        good = (block.warps[i].members = memory_allocate(engine->allocator, engine->member_count,
                                                         sizeof *block.warps[i].members)) != NULL;
    if (good && LIST_PUSH(engine->allocator, &engine->blocks, block)) {
        engine->last_block = NULL;
        return;
    }
    engine->failed = true;
    free_block(engine, &block);
}

static void on_block_ends(void *user, const struct block *ended)
{
    struct engine *engine = user;
    for (size_t i = 0; i < engine->blocks.count; i++)
        if (engine->blocks.items[i].block == ended) {
            free_block(engine, &engine->blocks.items[i]);
            engine->blocks.items[i] = engine->blocks.items[--engine->blocks.count];
            break;
        }
    engine->last_block = NULL;
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

static void forget_launch(struct engine *engine)
{
    for (size_t i = 0; i < engine->blocks.count; i++)
        free_block(engine, &engine->blocks.items[i]);
    engine->blocks.count = 0;
    engine->last_block = NULL;
    engine->kernel = NULL;
    engine->lowered = NULL;
    memory_free(engine->allocator, engine->marked);
    engine->marked = NULL;
    memory_free(engine->allocator, engine->write_types);
    engine->write_types = NULL;
    memory_free(engine->allocator, engine->scope_of);
    engine->scope_of = NULL;
}

void engine_mark(struct engine *engine)
{
    const hx_program *program = hx_context_program(engine->context);
    const struct kernel_debug *debug = engine->kernel ? engine->kernel->debug : NULL;
    for (uint32_t i = 0; engine->marked && i < engine->kernel->code_count; i++) {
        engine->marked[i] = 0;
        for (size_t k = 0; k < engine->points.count; k++)
            if (points_match(engine->points.items[k], engine->kernel, i))
                engine->marked[i] = MARK_POINT;
    }
    for (size_t u = 0; engine->marked && debug && u < debug->unit_count; u++)
        for (uint32_t i = debug->units[u].first,
                      end = points_begin(program, engine->kernel, &debug->units[u]);
             i < end; i++)
            engine->marked[i] |= MARK_HEAD;
}

static hx_status on_launching(void *user, hx_device *device, const hx_kernel *kernel,
                              hx_launch_options *options, const struct exec_listener **ret_listeners)
{
    struct engine *engine = user;
    if (atomic_load(&engine->dies))
        return HX_INTERRUPTED;
    const struct lowered_kernel *lowered = NULL;
    hx_status status = kernel_plain(kernel, engine->said, &lowered);
    if (status != HX_OK)
        return status;
    engine->device = device;
    engine->kernel = engine->last_kernel = kernel_code(kernel);
    engine->lowered = lowered;
    engine->verified = kernel->verified;
    engine->launches++;
    engine->marked = memory_allocate(engine->allocator, (size_t)engine->kernel->code_count + 1, 1);
    engine->scope_of =
        memory_allocate(engine->allocator, (size_t)engine->kernel->code_count + 1, sizeof *engine->scope_of);
    if (!engine->marked || !engine->scope_of || !registers_find_types(engine))
        return diag_no_memory(engine->said);
    engine->member_count = 0;
    memset(engine->member_index, 0, sizeof engine->member_index);
    for (uint32_t i = 0; i < lowered->write_count; i++)
        if (engine->member_index[lowered->writes[i].member] == 0)
            engine->member_index[lowered->writes[i].member] = (uint16_t)++engine->member_count;
    engine_mark(engine);
    options->workers = 1;
    if (!options->seed) /* whose order may have gangs of other widths */
        options->gang_lanes = HX_GANG_OF_WARP;
    options->tier = HX_TIER_INTERPRETER;
    options->timeout_ns = 0; /* a stop takes as long as it takes */
    options->print = on_print;
    options->print_user = engine;
    for (int i = 0; i < 3; i++) {
        engine->options.launch.grid[i] = options->grid[i] ? options->grid[i] : 1;
        engine->options.launch.block[i] = options->block[i] ? options->block[i] : 1;
    }
    *ret_listeners = &engine->listener;
    return HX_OK;
}

static void on_launched(void *user, const hx_launch_options *options, const hx_launch_result *result)
{
    struct engine *engine = user;
    (void)options;
    (void)result;
    past_launched(engine);
    if (!atomic_load(&engine->dies))
        points_end_calls(engine);
    forget_launch(user);
}

/* ---- Running ------------------------------------------------------------------------------------------- */

static void *run(void *user)
{
    struct engine *engine = user;
    const struct context_watch watch = {
        .user = engine, .skips = past_skips, .launching = on_launching, .launched = on_launched};
    hx_run_options options = engine->options;
    hx_run_result result = {.size = sizeof result};
    const hx_status status = context_run(engine->context, &options, &watch, engine->said, &result);
    pthread_mutex_lock(&engine->lock);
    engine->status = engine->failed ? HX_NO_MEMORY : status;
    engine->found = (struct finding){.reason = REASON_END, .at = {.time = engine->now + 1}};
    engine->state = RUN_ENDED;
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}

static void wait_for(struct engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    while (engine->state == RUN_GOING)
        pthread_cond_wait(&engine->changed, &engine->lock);
    pthread_mutex_unlock(&engine->lock);
}

void engine_kill(struct engine *engine)
{
    if (!engine->has_thread)
        return;
    atomic_store(&engine->dies, true);
    pthread_mutex_lock(&engine->lock);
    if (engine->state == RUN_STOPPED) {
        hx_context_interrupt(engine->context);
        engine->state = RUN_GOING;
        pthread_cond_broadcast(&engine->changed);
    }
    pthread_mutex_unlock(&engine->lock);
    pthread_join(engine->thread, NULL);
    engine->has_thread = false;
    engine->piece = NULL;
    forget_launch(engine);
    engine->state = RUN_NONE;
    atomic_store(&engine->dies, false);
}

static hx_status begin(struct engine *engine)
{
    const struct hx_fault nothing = {0};
    context_start_over(engine->context);
    hx_diag_clear(engine->said);
    engine->now = 0;
    engine->launches = 0;
    engine->at = (struct moment){0};
    engine->found = engine->mistake = (struct finding){0};
    engine->pending.count = 0;
    engine->fault = nothing;
    engine->failed = false;
    engine->state = RUN_GOING;
    if (!thread_start(&engine->thread, run, engine)) {
        engine->state = RUN_NONE;
        return HX_SYSTEM;
    }
    engine->has_thread = true;
    return HX_OK;
}

hx_status engine_resume(struct engine *engine, const struct goal *goal)
{
    engine->goal = *goal;
    engine->trail.count = 0;
    engine->found.reason = engine->recorded.reason = engine->unsure.reason = REASON_NONE;
    if (!engine->has_thread) {
        const hx_status status = begin(engine);
        if (status != HX_OK)
            return status;
    } else {
        pthread_mutex_lock(&engine->lock);
        if (engine->state == RUN_STOPPED)
            engine->state = RUN_GOING;
        pthread_cond_broadcast(&engine->changed);
        pthread_mutex_unlock(&engine->lock);
    }
    wait_for(engine);
    if (engine->now > engine->printed_until)
        engine->printed_until = engine->now;
    return HX_OK;
}

hx_status engine_again(struct engine *engine, const struct snapshot *from, const struct goal *goal)
{
    engine_kill(engine);
    engine->from = from;
    return engine_resume(engine, goal);
}

bool engine_is_live(const struct engine *engine)
{
    return engine->state == RUN_STOPPED && engine->kernel;
}

hx_status engine_init(struct engine *engine, hx_context *context, const hx_run_options *options,
                      hx_diag *diag)
{
    engine->context = context;
    engine->allocator = context_allocator(context);
    if (options)
        memcpy(&engine->options, options,
               options->size && options->size < sizeof engine->options ? options->size
                                                                       : sizeof engine->options);
    engine->options.size = sizeof engine->options;
    engine->options.launch.size = sizeof engine->options.launch;
    text_init(&engine->printed, engine->allocator);
    snapshots_init(&engine->snapshots, engine->allocator);
    engine->next_point = 1;
    engine->listener.calls = (hx_listener){.size = sizeof(hx_listener),
                                           .events = HX_EVENT_STEP | HX_EVENT_BRANCH | HX_EVENT_ACCESS |
                                                     HX_EVENT_WRITE | HX_EVENT_FAULT,
                                           .user = engine,
                                           .step = on_step,
                                           .branch = on_branch,
                                           .access = on_access,
                                           .write = on_write,
                                           .fault = on_fault};
    engine->listener.block_begins = on_block_begins;
    engine->listener.block_ends = on_block_ends;
    engine->listener.turn = past_turn;
    engine->listener.resume = past_resume;
    pthread_mutex_init(&engine->lock, NULL);
    pthread_cond_init(&engine->changed, NULL);
    engine->stops_at_mistakes = true;
    if (engine->options.checks)
        check_on_report(engine->options.checks, on_mistake, engine);
    const struct program_debug *debug = hx_context_program(context)->debug;
    engine->dwarf.allocator = engine->allocator;
    hx_status status = debug ? dwarf_read(debug, engine->allocator, &engine->dwarf) : HX_OK;
    if (status == HX_OK && !scopes_init(engine))
        status = HX_NO_MEMORY;
    if (status != HX_NO_MEMORY) /* what cannot be read is not known */
        status = hx_diag_new(engine->allocator, &engine->said);
    return status == HX_OK ? status : diag_no_memory(diag);
}

void engine_done(struct engine *engine)
{
    engine_kill(engine);
    dwarf_done(&engine->dwarf);
    LIST_DONE(engine->allocator, &engine->scopes);
    for (size_t i = 0; i < engine->points.count; i++)
        point_free(engine, engine->points.items[i]);
    LIST_DONE(engine->allocator, &engine->points);
    LIST_DONE(engine->allocator, &engine->blocks);
    LIST_DONE(engine->allocator, &engine->pending);
    LIST_DONE(engine->allocator, &engine->trail);
    snapshots_done(&engine->snapshots);
    LIST_DONE(engine->allocator, &engine->changes);
    text_done(&engine->printed);
    if (engine->options.checks)
        check_on_report(engine->options.checks, NULL, NULL);
    hx_diag_free(engine->said);
    pthread_cond_destroy(&engine->changed);
    pthread_mutex_destroy(&engine->lock);
}
