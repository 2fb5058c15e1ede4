/* Commands that let the program run, forward and back in time.
 *
 * Backwards a command is done in several runs: some that record the last step at which the command would have
 * stopped, each of a piece of the past between two snapshots, the last piece first; and one up to that step.
 */
#include "debug/table.h"
#include "device/window.h"
#include "program/parts.h"

/* The moment that the run is before: the step it stands at, or what would have been the next one. */
static uint64_t present(const struct engine *engine)
{
    const bool is_behind = engine->state == RUN_ENDED || engine->found.reason == REASON_FAULT;
    return engine->now + (is_behind ? 1 : 0);
}

hx_status travel_report(struct hx_debugger *debugger, hx_status status)
{
    if (status != HX_OK)
        return debug_wrong(debugger, NULL, "the system refuses a thread for the program");
    debug_print_stop(debugger);
    return HX_OK;
}

hx_status travel_go(struct hx_debugger *debugger, const struct goal *goal)
{
    struct engine *engine = &debugger->engine;
    if (engine->state == RUN_ENDED)
        return debug_wrong(debugger, "run begins again; reverse-continue goes back", "the program has ended");
    return travel_report(debugger, engine_resume(engine, goal));
}

hx_status travel_to(struct engine *engine, uint64_t time)
{
    const struct goal goal = {.stop_time = time};
    const struct snapshot *from = snapshots_before(&engine->snapshots, time);
    const bool is_ahead = engine->state == RUN_STOPPED && time > engine->now;
    return is_ahead && (!from || from->time <= engine->now) ? engine_resume(engine, &goal)
                                                            : engine_again(engine, from, &goal);
}

/* To a step although the run is interrupted on the way, which the command learns of then. */
static hx_status travel_through(struct engine *engine, uint64_t time)
{
    bool came = false, again;
    hx_status status;
    do {
        status = travel_to(engine, time);
        again = status == HX_OK && engine->state == RUN_STOPPED && engine->found.reason == REASON_INTERRUPT;
        came |= again;
    } while (again);
    if (came)
        atomic_store(&engine->interrupted, true);
    return status;
}

/* The last snapshot from which a run to `end` has a step of which all is known. */
static const struct snapshot *last_piece(const struct engine *engine, uint64_t end)
{
    return end > 2 ? snapshots_before(&engine->snapshots, end - 2) : NULL;
}

/* The first step of a later piece is on another line than the scope's last one before it. */
static bool is_other_line(const struct engine *engine, const struct finding *unsure)
{
    const struct stepping *step = &engine->goal.step;
    return !step->has_line || unsure->at.depth != step->last_depth || unsure->line != step->last_line;
}

/* The scope's first step behind the one of the time `begin`. */
static hx_status find_first(struct engine *engine, const struct goal *wanted, uint64_t begin, uint64_t end,
                            struct finding *ret_found)
{
    struct goal goal = *wanted;
    goal.step.by_line = goal.step.is_blind = goal.step.has_line = false;
    goal.stop_time = end;
    hx_status status = travel_through(engine, begin);
    if (status == HX_OK && engine->found.reason == REASON_TIME)
        status = engine_resume(engine, &goal);
    if (status == HX_OK && engine->found.reason == REASON_STEP)
        *ret_found = engine->found;
    return status;
}

/* What is known of the pieces before the one that was run last. */
struct unsure {
    struct finding step; /* the first of the scope, if its line is another than that before; or none */
    uint64_t begin;      /* not 0: it is not that one, but the first behind this time */
};

/* The end of the last pieces before `end` in which the goal can find something. Pieces that have only the
 * line of the unsure step have its predecessors, if any: which of them is the first is found in the end. */
static const struct snapshot *pass_over(struct engine *engine, const struct goal *wanted,
                                        struct unsure *unsure, uint64_t *end)
{
    const struct snapshot *from;
    while ((from = last_piece(engine, *end))) {
        const bool is_one_line = wanted->step.by_line && unsure->step.reason == REASON_STEP &&
                                 past_is_one_line(from, &unsure->step);
        if (!is_one_line && !past_is_without(engine, from, wanted))
            return from;
        if (is_one_line && !past_is_without(engine, from, wanted))
            unsure->begin = from->time;
        *end = from->time + (wanted->points ? 2 : 1);
    }
    return from;
}

/* Records the last step before `end` at which the goal would have stopped. Each run takes twice as many
 * pieces as the one before, so that there are few. Accesses of the last step before a snapshot are noticed
 * with the first one behind it, which the piece before has therefore, too. */
static hx_status search_back(struct engine *engine, const struct goal *wanted, uint64_t end,
                             struct finding *ret_found)
{
    struct unsure unsure = {.begin = 0};
    *ret_found = unsure.step;
    for (size_t further = 0;; further = 2 * further + 1) {
        const struct snapshot *from = pass_over(engine, wanted, &unsure, &end);
        if (from)
            from = snapshots_further(&engine->snapshots, from->time + 1, further);
        const uint64_t begin = from ? from->time : 0;
        struct goal goal = *wanted;
        goal.records = true;
        goal.stop_time = end;
        goal.step.is_blind = begin > 0;
        const hx_status status = engine_again(engine, from, &goal);
        const struct finding found = engine->recorded;
        if (status != HX_OK || engine->found.reason == REASON_INTERRUPT)
            return status;
        const bool has_step = engine->goal.step.has_line || begin == 0;
        if (unsure.step.reason == REASON_STEP && has_step && is_other_line(engine, &unsure.step)) {
            *ret_found = unsure.step;
            return unsure.begin ? find_first(engine, wanted, unsure.begin, unsure.step.at.time, ret_found)
                                : HX_OK;
        }
        if (found.reason != REASON_NONE && (begin == 0 || found.at.time > begin + 1 || !wanted->points))
            *ret_found = found;
        if (has_step)
            unsure = (struct unsure){.step = engine->unsure};
        if (ret_found->reason != REASON_NONE || begin == 0)
            return HX_OK;
        end = begin + (wanted->points ? 2 : 1);
    }
}

/* The step before `before` that the last search has recorded on its way; false: it has none. */
static bool take_recorded(struct engine *engine, uint64_t before, struct finding *ret_found)
{
    while (engine->trail.count > 0) {
        const struct trail_step step = engine->trail.items[--engine->trail.count];
        if (step.time >= before)
            continue;
        *ret_found = (struct finding){.reason = REASON_STEP, .at = {.time = step.time, .depth = step.depth}};
        return true;
    }
    return false;
}

/* What the goal finds last, and `times` - 1 times what it finds last before that. Most of them have been
 * recorded by the search for the one behind them. */
static hx_status search_times(struct engine *engine, const struct goal *wanted, uint64_t end, uint64_t times,
                              struct finding *ret_found, enum travel_end *ret_end)
{
    struct goal goal = *wanted;
    struct finding found = {.reason = REASON_NONE};
    hx_status status = HX_OK;
    *ret_end = TRAVEL_FOUND;
    *ret_found = found;
    for (uint64_t left = times; left > 0 && *ret_end == TRAVEL_FOUND && status == HX_OK; left--) {
        if (left == times || !take_recorded(engine, end, &found))
            status = search_back(engine, &goal, end, &found);
        const bool is_interrupted = engine->state == RUN_STOPPED && engine->found.reason == REASON_INTERRUPT;
        *ret_end = is_interrupted                ? TRAVEL_INTERRUPTED
                   : found.reason == REASON_NONE ? TRAVEL_AT_BEGINNING
                                                 : TRAVEL_FOUND;
        if (*ret_end != TRAVEL_FOUND)
            break;
        *ret_found = found;
        end = found.at.time;
        if (goal.step.is_on && found.at.depth < goal.step.depth_most && goal.step.depth_most != UINT32_MAX) {
            goal.step.depth_most = found.at.depth; /* of the caller: calls that it makes are passed over */
            engine->trail.count = 0;
        }
    }
    return status;
}

/* Where the call of a watchpoint begins: behind the last step that its thread has done outside of it. */
static hx_status find_call(struct engine *engine, struct point *point)
{
    const struct goal goal = {.step = {.is_on = true,
                                       .depth_most = point->call.depth_in_source - 1,
                                       .block = point->block,
                                       .thread = point->thread}};
    struct finding found;
    const hx_status status = search_back(engine, &goal, point->call.known, &found);
    if (status != HX_OK || (engine->state == RUN_STOPPED && engine->found.reason == REASON_INTERRUPT))
        atomic_store(&engine->interrupted, status == HX_OK); /* what wanted to go back learns of it */
    else
        point->call.begin = found.reason == REASON_NONE ? 1 : found.at.time + 1;
    return status;
}

/* Before the program goes back. The run may stand elsewhere then. */
static hx_status find_calls(struct engine *engine)
{
    const uint64_t focus_block = engine->focus_block;
    const uint32_t focus_thread = engine->focus_thread, focus_level = engine->focus_level;
    hx_status status = HX_OK;
    for (size_t i = 0; i < engine->points.count && status == HX_OK; i++) {
        struct point *point = engine->points.items[i];
        if (point->call.depth > 0 && point->call.begin == 0 && !point->call.has_ended)
            status = find_call(engine, point);
    }
    engine->focus_block = focus_block;
    engine->focus_thread = focus_thread;
    engine->focus_level = focus_level;
    return status;
}

hx_status travel_back(struct engine *engine, const struct goal *wanted, uint64_t times,
                      enum travel_end *ret_end)
{
    struct finding found;
    const uint64_t now = present(engine), focus_block = engine->focus_block;
    const uint32_t focus_thread = engine->focus_thread;
    hx_status status = find_calls(engine);
    if (status != HX_OK)
        return status;
    status = search_times(engine, wanted, now, times, &found, ret_end);
    engine->focus_block = focus_block;
    engine->focus_thread = focus_thread;
    if (status != HX_OK)
        return status;
    const bool is_of_all = wanted->points || wanted->step.scope == SCOPE_ANY;
    if (*ret_end == TRAVEL_AT_BEGINNING && is_of_all)
        return travel_through(engine, 1);
    if (found.reason == REASON_NONE)
        return travel_through(engine, now);
    const hx_status moved = travel_through(engine, found.at.time);
    if (engine->state == RUN_STOPPED && (found.reason == REASON_POINT || found.reason == REASON_MISTAKE)) {
        engine->found = found;
        engine->focus_block = found.at.block;
        engine->focus_thread = found.thread;
    }
    return moved;
}

/* To what the goal finds last before the present. */
static hx_status go_back(struct hx_debugger *debugger, const struct goal *goal, uint64_t times,
                         const char *what)
{
    struct engine *engine = &debugger->engine;
    enum travel_end end;
    if (engine->state != RUN_STOPPED && engine->state != RUN_ENDED)
        return debug_wrong(debugger, "continue or step lets it run", "the program has not begun");
    const hx_status status = travel_back(engine, goal, times, &end);
    static const char *const whose[] = {"this thread", "this warp", "this block"};
    if (status == HX_OK && end == TRAVEL_AT_BEGINNING && (goal->points || goal->step.scope == SCOPE_ANY))
        text_print(debugger->out, "no %s before: at the beginning\n", what);
    else if (status == HX_OK && end == TRAVEL_AT_BEGINNING)
        text_print(debugger->out, "no %s of %s before\n", what, whose[goal->step.scope]);
    if (status == HX_OK && end == TRAVEL_INTERRUPTED)
        text_print(debugger->out, "interrupted on the way back\n");
    return travel_report(debugger, status);
}

/* ---- Forward ------------------------------------------------------------------------------------------- */

/* Between two steps of a command that does many: one that came while a step was done. */
static bool take_interruption(struct engine *engine)
{
    if (!atomic_exchange(&engine->interrupted, false))
        return false;
    engine->found.reason = REASON_INTERRUPT;
    return true;
}

enum scope travel_scope(struct slice word)
{
    static const char *const scopes[] = {"thread", "warp", "block", "any"};
    size_t scope = 0;
    while (scope < HX_COUNT_OF(scopes) && !slice_equal(word, scopes[scope]))
        scope++;
    return (enum scope)scope;
}

hx_status travel_read_steps(struct hx_debugger *debugger, struct slice rest, struct stepping *ret_step,
                            uint64_t *ret_times)
{
    const struct engine *engine = &debugger->engine;
    *ret_step = (struct stepping){.is_on = true,
                                  .depth_most = UINT32_MAX,
                                  .block = engine->focus_block,
                                  .thread = engine->focus_thread};
    *ret_times = 1;
    while (rest.length > 0) {
        const struct slice word = debug_word(&rest);
        const enum scope scope = travel_scope(word);
        if (scope != SCOPE_COUNT)
            ret_step->scope = scope;
        else if (number_parse_u64(word, ret_times) != NUMBER_OK || *ret_times == 0)
            return debug_wrong(debugger, "write thread, warp, block or any, and how often",
                               "'" SLICE_FORMAT "' is neither of whom nor how often", SLICE_ARGS(word));
    }
    return HX_OK;
}

/* To breakpoints and watchpoints: of a thread, a warp or a block only to those that stop it. */
static hx_status aim_at_points(struct hx_debugger *debugger, struct slice rest, struct goal *ret_goal,
                               uint64_t *ret_times)
{
    *ret_goal = (struct goal){.points = true};
    hx_status status = travel_read_steps(debugger, rest, &ret_goal->step, ret_times);
    ret_goal->step.is_on = false;
    struct slice words = rest;
    while (words.length > 0)
        ret_goal->is_limited |= travel_scope(debug_word(&words)) < SCOPE_ANY;
    if (status == HX_OK && ret_goal->is_limited)
        status = debug_need_live(debugger);
    return status;
}

hx_status command_run(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    const struct goal goal = {.points = true};
    engine_kill(&debugger->engine);
    change_forget_all(&debugger->engine);
    return travel_report(debugger, engine_again(&debugger->engine, NULL, &goal));
}

hx_status command_continue(struct hx_debugger *debugger, struct slice rest)
{
    struct goal goal;
    uint64_t times;
    hx_status status = aim_at_points(debugger, rest, &goal, &times);
    if (status != HX_OK)
        return status;
    struct engine *engine = &debugger->engine;
    if (engine->state == RUN_ENDED)
        return travel_go(debugger, &goal);
    for (bool goes_on = true; goes_on; times--) {
        status = engine_resume(engine, &goal);
        goes_on = status == HX_OK && times > 1 && engine->state != RUN_ENDED &&
                  engine->found.reason == REASON_POINT && !take_interruption(engine);
    }
    return travel_report(debugger, status);
}

/* Where the thread in focus is, for steps that go by lines and calls. */
static void add_place(const struct engine *engine, struct stepping *step)
{
    const struct shadow_block *block = engine_is_live(engine) ? state_block(engine, step->block) : NULL;
    struct thread_place place;
    if (!block || !state_place(engine, block, step->thread, &place))
        return;
    step->has_line = true;
    step->last_line = state_line(engine->kernel, place.instruction);
    step->last_depth = scope_depth(engine, block, step->thread, place.instruction, place.depth);
}

void travel_aim(const struct engine *engine, struct goal *goal, bool by_line, bool over_calls, bool backwards)
{
    goal->points = !backwards;
    goal->step.has_line = false;
    goal->step.by_line = by_line;
    add_place(engine, &goal->step);
    if (over_calls && goal->step.has_line)
        goal->step.depth_most = goal->step.last_depth;
    goal->step.has_line &= !backwards;
}

static hx_status steps(struct hx_debugger *debugger, struct slice rest, bool by_line, bool over_calls,
                       bool backwards)
{
    struct engine *engine = &debugger->engine;
    struct goal goal = {.stop_time = 0};
    uint64_t times;
    hx_status status = travel_read_steps(debugger, rest, &goal.step, &times);
    if (status != HX_OK)
        return status;
    const enum scope wanted = goal.step.scope;
    const bool by_lines = by_line && (wanted == SCOPE_THREAD || wanted == SCOPE_WARP);
    if (!engine_is_live(engine))
        goal.step.scope = SCOPE_ANY;
    debugger->is_by_instruction = !by_line || wanted == SCOPE_BLOCK;
    if (backwards) {
        travel_aim(engine, &goal, by_lines, over_calls, true);
        status = go_back(debugger, &goal, times, "step");
    }
    for (bool goes_on = !backwards; goes_on && status == HX_OK; times--) {
        travel_aim(engine, &goal, by_lines, over_calls, false);
        status = times > 1 && engine->state != RUN_ENDED ? engine_resume(engine, &goal)
                                                         : travel_go(debugger, &goal);
        goes_on = status == HX_OK && times > 1 && engine->state != RUN_ENDED &&
                  engine->found.reason == REASON_STEP && !take_interruption(engine);
        if (times > 1 && !goes_on && status == HX_OK)
            debug_print_stop(debugger);
        if (wanted == SCOPE_THREAD && goal.step.scope == SCOPE_ANY && engine_is_live(engine)) {
            goal.step.scope = SCOPE_THREAD; /* the one that the first step has found */
            goal.step.block = engine->focus_block;
            goal.step.thread = engine->focus_thread;
        }
    }
    debugger->is_by_instruction = false;
    return status;
}

hx_status command_step(struct hx_debugger *debugger, struct slice rest)
{
    return steps(debugger, rest, true, false, false);
}

hx_status command_stepi(struct hx_debugger *debugger, struct slice rest)
{
    return steps(debugger, rest, false, false, false);
}

hx_status command_next(struct hx_debugger *debugger, struct slice rest)
{
    return steps(debugger, rest, true, true, false);
}

hx_status command_nexti(struct hx_debugger *debugger, struct slice rest)
{
    return steps(debugger, rest, false, true, false);
}

hx_status command_reverse_nexti(struct hx_debugger *debugger, struct slice rest)
{
    return steps(debugger, rest, false, true, true);
}

hx_status command_reverse_step(struct hx_debugger *debugger, struct slice rest)
{
    return steps(debugger, rest, true, false, true);
}

hx_status command_reverse_stepi(struct hx_debugger *debugger, struct slice rest)
{
    return steps(debugger, rest, false, false, true);
}

hx_status command_reverse_next(struct hx_debugger *debugger, struct slice rest)
{
    return steps(debugger, rest, true, true, true);
}

bool travel_aim_out(const struct engine *engine, struct goal *ret_goal)
{
    *ret_goal =
        (struct goal){.step = {.is_on = true, .block = engine->focus_block, .thread = engine->focus_thread}};
    add_place(engine, &ret_goal->step);
    if (!ret_goal->step.has_line || ret_goal->step.last_depth <= engine->focus_level)
        return false;
    ret_goal->step.depth_most = ret_goal->step.last_depth - engine->focus_level - 1;
    ret_goal->step.has_line = false;
    return true;
}

static hx_status out_of_call(struct hx_debugger *debugger, struct goal *ret_goal)
{
    struct stand stand;
    const hx_status status = debug_find_stand(debugger, &stand);
    if (status != HX_OK || travel_aim_out(&debugger->engine, ret_goal))
        return status;
    return debugger->engine.focus_level > 0
               ? debug_wrong(debugger, "down takes a call below", "the kernel itself is in focus")
               : debug_wrong(debugger, "where shows the calls", "the thread in focus is in no call");
}

hx_status command_finish(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    struct goal goal;
    struct stand stand;
    hx_status status = out_of_call(debugger, &goal);
    if (status == HX_OK)
        status = debug_find_stand(debugger, &stand);
    if (status != HX_OK)
        return status;
    const uint32_t type = result_type(&debugger->engine, &stand);
    goal.points = true;
    status = travel_go(debugger, &goal);
    if (status == HX_OK && engine_is_live(&debugger->engine))
        result_print(debugger, type);
    return status;
}

hx_status command_reverse_finish(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    struct goal goal;
    const hx_status status = out_of_call(debugger, &goal);
    return status == HX_OK ? go_back(debugger, &goal, 1, "step outside of this call") : status;
}

hx_status command_goto(struct hx_debugger *debugger, struct slice rest)
{
    uint64_t time;
    if (number_parse_u64(rest, &time) != NUMBER_OK || time == 0)
        return debug_wrong(debugger, "info time shows the present; the first step has time 1",
                           "'" SLICE_FORMAT "' is not a time", SLICE_ARGS(rest));
    struct engine *engine = &debugger->engine;
    const hx_status status = time < present(engine) ? find_calls(engine) : HX_OK;
    return travel_report(debugger, status == HX_OK ? travel_to(engine, time) : status);
}

/* ---- Back ---------------------------------------------------------------------------------------------- */

hx_status command_reverse_continue(struct hx_debugger *debugger, struct slice rest)
{
    struct goal goal;
    uint64_t times;
    const hx_status status = aim_at_points(debugger, rest, &goal, &times);
    return status == HX_OK ? go_back(debugger, &goal, times, "breakpoint was hit") : status;
}

/* A watchpoint on the place that is meant: what an expression names, as watch has it, or else an address. */
static hx_status aim_at_place(struct hx_debugger *debugger, struct slice place, struct point *ret_point)
{
    const struct engine *engine = &debugger->engine;
    const struct asker asker = debug_asker(debugger);
    struct value value;
    char wrong[160];
    if (expression_value(&asker, place, &value, wrong, sizeof wrong) != HX_OK)
        return debug_wrong(debugger, NULL, "%s", wrong);
    if (!value.has_address && type_is_float(value.type))
        return debug_wrong(debugger, NULL, "'" SLICE_FORMAT "' is no place in memory", SLICE_ARGS(place));
    if (!value.has_address) {
        value = (struct value){.type = HX_TYPE_U8, .count = 1, .space = SPACE_GENERIC, .address = value.bits};
        value.space = window_resolve(&value.address);
    }
    points_watch_value(engine, &value, WATCH_WRITE, ret_point);
    ret_point->is_enabled = true;
    return HX_OK;
}

hx_status command_last_write(struct hx_debugger *debugger, struct slice rest)
{
    struct engine *engine = &debugger->engine;
    struct point point;
    hx_status status = debug_need_buffers(debugger);
    if (status == HX_OK)
        status = aim_at_place(debugger, rest, &point);
    if (status != HX_OK)
        return status;
    struct point *one = &point;
    const uint64_t now = present(engine);
    status = find_calls(engine);
    const struct point_list kept = engine->points;
    engine->points = (struct point_list){&one, 1, 1}; /* this watchpoint, and no other point */
    if (status == HX_OK)
        status = find_calls(engine);
    /* a write is noticed with the step behind it */
    const struct goal goal = {.points = true};
    const bool stops_at_mistakes = engine->stops_at_mistakes;
    struct finding found = {.reason = REASON_NONE};
    engine->stops_at_mistakes = false;
    if (status == HX_OK)
        status = search_back(engine, &goal, now + 1, &found);
    engine->stops_at_mistakes = stops_at_mistakes;
    engine->points = kept;
    engine_mark(engine);
    const bool is_interrupted = engine->state == RUN_STOPPED && engine->found.reason == REASON_INTERRUPT;
    const bool is_found = !is_interrupted && found.reason != REASON_NONE;
    if (status == HX_OK && !is_found)
        text_print(debugger->out,
                   is_interrupted ? "interrupted on the way back\n" : "nothing has written there before\n");
    if (status == HX_OK)
        status = travel_through(engine, is_found ? found.at.time - 1 : now);
    if (status == HX_OK && is_found && engine->state == RUN_STOPPED) {
        engine->focus_block = found.at.block;
        engine->focus_thread = found.thread;
        text_print(debugger->out, "the last write before was this one:\n");
    }
    return travel_report(debugger, status);
}
