/* Commands that run to a place: start, until, advance.
 *
 * Takes a place as break has it, leaves the run there. A breakpoint of the command alone is made for the
 * thread in focus, and taken away before it is said where the program stands. */
#include "debug/table.h"
#include "program/parts.h"

/* The stop is not said to be at a breakpoint that nobody has made. */
static void forget_own(struct finding *found, uint32_t number)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < found->also_count; i++)
        if (found->also[i] != number)
            found->also[kept++] = found->also[i];
    found->also_count = kept;
    if (found->reason != REASON_POINT || found->point != number)
        return;
    if (kept == 0) {
        found->reason = REASON_STEP;
        return;
    }
    found->point = found->also[0];
    found->also_count--;
    memmove(found->also, found->also + 1, found->also_count * sizeof *found->also);
}

static void remove_own(struct engine *engine, uint32_t number)
{
    for (size_t i = 0; i < engine->points.count; i++)
        if (engine->points.items[i]->number == number) {
            points_remove(engine, i);
            break;
        }
    engine->next_point--;
    forget_own(&engine->found, number);
    engine_mark(engine);
}

/* To a breakpoint like `made`, or to where the goal stops. */
static hx_status run_to(struct hx_debugger *debugger, const struct point *made, const struct goal *goal,
                        bool begins)
{
    struct engine *engine = &debugger->engine;
    const struct point *own =
        points_add(engine, made, (struct slice){"", 0}, (struct slice){0}, (struct slice){0});
    if (!own)
        return diag_no_memory(debugger->diag);
    const uint32_t number = own->number;
    const hx_status status = begins ? engine_again(engine, NULL, goal) : engine_resume(engine, goal);
    remove_own(engine, number);
    return travel_report(debugger, status);
}

hx_status command_start(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    const struct goal goal = {.points = true};
    struct point point = {.kind = POINT_BREAK, .block = ANY_BLOCK, .thread = ANY_THREAD};
    hx_status status = points_read_kernels(debugger, &point);
    if (status == HX_OK) {
        engine_kill(&debugger->engine);
        change_forget_all(&debugger->engine);
        status = run_to(debugger, &point, &goal, true);
    }
    memory_free(debugger->engine.allocator, point.places);
    return status;
}

/* The thread in focus, where there is one, its warp or its block, to a place; out of its call as well, if
 * that is wanted. */
static hx_status go_to_place(struct hx_debugger *debugger, struct slice place, enum scope scope,
                             bool ends_with_call)
{
    struct engine *engine = &debugger->engine;
    const bool is_live = engine_is_live(engine);
    struct point point = {.kind = POINT_BREAK,
                          .block = is_live ? engine->focus_block : ANY_BLOCK,
                          .thread = is_live && scope == SCOPE_THREAD ? engine->focus_thread : ANY_THREAD};
    struct goal goal = {.points = true};
    if (engine->state == RUN_ENDED)
        return debug_need_live(debugger);
    const bool is_call = ends_with_call && is_live && travel_aim_out(engine, &goal);
    goal.points = true;
    goal.step.is_on &= is_call;
    goal.is_limited = scope == SCOPE_WARP;
    goal.step.scope = scope;
    goal.step.block = engine->focus_block;
    goal.step.thread = engine->focus_thread;
    hx_status status = points_read_place(debugger, place, &point);
    if (status == HX_OK)
        status = run_to(debugger, &point, &goal, false);
    memory_free(engine->allocator, point.places);
    return status;
}

hx_status command_advance(struct hx_debugger *debugger, struct slice rest)
{
    if (rest.length == 0)
        return debug_wrong(debugger, "advance 24, advance saxpy.cl:24, advance twice",
                           "advance needs a place");
    return go_to_place(debugger, rest, SCOPE_THREAD, false);
}

/* Without a place: as next, but not back to where a loop begins again. */
static hx_status until_behind(struct hx_debugger *debugger, enum scope scope)
{
    const struct engine *engine = &debugger->engine;
    struct stand stand;
    const hx_status status = debug_find_stand(debugger, &stand);
    if (status != HX_OK)
        return status;
    struct goal goal = {
        .step = {
            .is_on = true, .scope = scope, .block = engine->focus_block, .thread = engine->focus_thread}};
    travel_aim(engine, &goal, true, true, false);
    goal.step.has_left = true;
    goal.step.left_line = goal.step.last_line;
    goal.step.left_depth = goal.step.last_depth;
    return travel_go(debugger, &goal);
}

/* Where the thread, or one of its warp or block, is in the line next, at whatever instruction of it, or has
 * left its call. */
static hx_status until_line(struct hx_debugger *debugger, uint64_t line, enum scope scope)
{
    const struct engine *engine = &debugger->engine;
    const struct source *source = points_present_source(debugger);
    struct goal goal = {.step = {.is_on = true,
                                 .scope = scope,
                                 .depth_most = UINT32_MAX,
                                 .block = engine->focus_block,
                                 .thread = engine->focus_thread}};
    const int next = line > 0 && line <= INT32_MAX
                         ? points_next_line(hx_context_program(engine->context), source, (int)line)
                         : 0;
    if (next == 0)
        return debug_wrong(debugger, "list shows the source", "there is no code at line %llu or behind it",
                           (unsigned long long)line);
    travel_aim(engine, &goal, false, false, false);
    goal.step.until_line = next;
    goal.step.left_depth = goal.step.last_depth;
    return travel_go(debugger, &goal);
}

hx_status command_until(struct hx_debugger *debugger, struct slice rest)
{
    uint64_t line;
    const hx_status status = debug_need_live(debugger);
    if (status != HX_OK)
        return status;
    struct slice place = rest;
    enum scope scope = travel_scope(debug_word(&place));
    if (scope >= SCOPE_ANY) { /* a place that begins so */
        scope = SCOPE_THREAD;
        place = rest;
    }
    if (place.length == 0 && scope == SCOPE_BLOCK)
        return debug_wrong(debugger, "until block 24", "until block needs a line or a place");
    if (place.length == 0)
        return until_behind(debugger, scope);
    if (number_parse_u64(place, &line) == NUMBER_OK)
        return until_line(debugger, line, scope);
    return go_to_place(debugger, place, scope, true);
}
