/* Letting the program run: requests that begin or go on with a run, forward and back, and what is said when
 * it stops. */
#include "debug/dap/dap.h"
#include "debug/script.h"

/* ---- Requests ------------------------------------------------------------------------------------------ */

hx_status dap_configuration_done(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)arguments;
    (void)body;
    dap->next = dap->stops_on_entry ? DAP_ENTRY : DAP_BEGIN;
    return HX_OK;
}

hx_status dap_continue(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)arguments;
    const hx_status status = dap_need_stop(dap);
    if (status != HX_OK)
        return status;
    dap->goal = (struct goal){.points = true};
    dap->next = DAP_RUN;
    json_key(body, "allThreadsContinued");
    json_bool(body, true);
    return HX_OK;
}

/* The thread of a request; steps are its own. */
static hx_status focus_on_thread(struct dap *dap, const json_t *arguments)
{
    struct engine *engine = &dap->debugger->engine;
    const int64_t id = dap_integer(arguments, "threadId", -1);
    if (!dap_find_thread(dap, id, &dap->scope, &engine->focus_block, &engine->focus_thread))
        return dap_wrong(dap, "threads lists them", "there is no thread %lld", (long long)id);
    engine->focus_level = 0; /* whatever call was looked into */
    return HX_OK;
}

static hx_status step(struct dap *dap, const json_t *arguments, bool over_calls, bool backwards)
{
    const struct engine *engine = &dap->debugger->engine;
    const char *granularity = dap_string(arguments, "granularity");
    const bool by_line = !granularity || strcmp(granularity, "instruction") != 0;
    hx_status status = HX_OK;
    if (backwards && dap_has_ended(dap))
        dap->scope = SCOPE_ANY;
    else
        status = dap_need_stop(dap);
    if (status == HX_OK && engine->state != RUN_ENDED)
        status = focus_on_thread(dap, arguments);
    if (status != HX_OK)
        return status;
    dap->goal = (struct goal){.step = {.is_on = true,
                                       .scope = dap->scope,
                                       .depth_most = UINT32_MAX,
                                       .block = engine->focus_block,
                                       .thread = engine->focus_thread}};
    travel_aim(engine, &dap->goal, by_line, over_calls, backwards);
    dap->next = backwards ? DAP_BACK : DAP_RUN;
    return HX_OK;
}

hx_status dap_next_step(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)body;
    return step(dap, arguments, true, false);
}

hx_status dap_step_in(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)body;
    return step(dap, arguments, false, false);
}

hx_status dap_step_back(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)body;
    return step(dap, arguments, true, true);
}

/* Outside of a call there is nothing to return to, and the program runs on. */
hx_status dap_step_out(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)body;
    hx_status status = dap_need_stop(dap);
    if (status == HX_OK)
        status = focus_on_thread(dap, arguments);
    if (status != HX_OK)
        return status;
    if (!travel_aim_out(&dap->debugger->engine, &dap->goal))
        dap->goal = (struct goal){.points = true};
    dap->goal.points = true;
    dap->next = DAP_RUN;
    return HX_OK;
}

hx_status dap_reverse_continue(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)arguments;
    (void)body;
    const hx_status status = dap_need_buffers(dap);
    dap->goal = (struct goal){.points = true};
    dap->next = DAP_BACK;
    return status;
}

hx_status dap_pause(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)arguments;
    (void)body;
    dap->is_paused = true;
    return HX_OK;
}

hx_status dap_restart(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)arguments;
    (void)body;
    dap->is_running = false; /* the run that is interrupted does not go on */
    dap->next = dap->stops_on_entry ? DAP_ENTRY : DAP_BEGIN;
    return HX_OK;
}

/* The client disconnects when it has heard that the program has ended. */
hx_status dap_terminate(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)arguments;
    (void)body;
    dap->is_running = false;
    dap->next = DAP_END;
    return HX_OK;
}

bool dap_is_at_split(const struct dap *dap)
{
    const struct finding *found = &dap->debugger->engine.found;
    enum dap_group group;
    if (found->reason != REASON_POINT)
        return false;
    bool is_split = dap_is_own_point(dap, found->point, &group) && group == DAP_DIVERGE;
    for (uint32_t i = 0; i < found->also_count && !is_split; i++)
        is_split = dap_is_own_point(dap, found->also[i], &group) && group == DAP_DIVERGE;
    return is_split;
}

hx_status dap_exception_info(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)arguments;
    const struct engine *engine = &dap->debugger->engine;
    struct text details HX_AUTO(text_done) = {.allocator = dap->allocator};
    const hx_status status = dap_need_stop(dap);
    if (status != HX_OK)
        return status;
    if (engine->found.reason == REASON_MISTAKE) {
        json_member_str(body, "exceptionId", engine->mistake_kind);
        json_member_str(body, "description", engine->mistake_message);
        json_member_str(body, "breakMode", "always");
        return HX_OK;
    }
    if (dap_is_at_split(dap)) {
        json_member_str(body, "exceptionId", "diverge");
        json_member_str(body, "description", "Some lanes of the warp take the branch, and some do not");
        json_member_str(body, "breakMode", "always");
        return HX_OK;
    }
    if (engine->found.reason != REASON_FAULT)
        return dap_wrong(dap, NULL, "the program has stopped for no fault, no finding and no branch");
    text_print(&details, "%s, ", hx_fault_text(engine->fault.kind));
    state_print_thread(engine, engine->found.at.block, engine->found.thread, &details);
    if (details.failed)
        return HX_NO_MEMORY;
    json_member_str(body, "exceptionId", hx_fault_text(engine->fault.kind));
    json_member_str(body, "description", details.at);
    json_member_str(body, "breakMode", "always");
    return HX_OK;
}

/* ---- Stops --------------------------------------------------------------------------------------------- */

/* What kernels and breakpoints with messages have printed since the last time. */
static void flush_output(struct dap *dap)
{
    struct engine *engine = &dap->debugger->engine;
    dap_send_output(dap, "stdout", engine->printed.at, engine->printed.length);
    engine->printed.length = 0;
}

static void forget_stop(struct dap *dap)
{
    dap->frames.count = 0;
    dap->references.count = 0;
}

/* "step", "breakpoint", ...: the protocol's word for why it stopped. */
static const char *reason_word(const struct dap *dap)
{
    static const char *const of_groups[] = {[DAP_LINES] = "breakpoint",
                                            [DAP_FUNCTIONS] = "function breakpoint",
                                            [DAP_INSTRUCTIONS] = "instruction breakpoint",
                                            [DAP_DATA] = "data breakpoint",
                                            [DAP_DIVERGE] = "exception"};
    const struct finding *found = &dap->debugger->engine.found;
    enum dap_group group;
    switch (found->reason) {
    case REASON_POINT:
        return dap_is_own_point(dap, found->point, &group) ? of_groups[group] : "breakpoint";
    case REASON_RETURN:
        return "data breakpoint";
    case REASON_FAULT:
    case REASON_MISTAKE:
        return "exception";
    case REASON_INTERRUPT:
        return "pause";
    default:
        return dap->next == DAP_ENTRY ? "entry" : "step";
    }
}

/* Watchpoints whose calls have ended. */
static void send_removed(struct dap *dap)
{
    struct engine *engine = &dap->debugger->engine;
    struct text said HX_AUTO(text_done) = {.allocator = dap->allocator};
    for (size_t i = 0; i < engine->points.count; i++) {
        const struct point *point = engine->points.items[i];
        struct text text;
        struct json json;
        if (!point->call.has_ended || !dap_is_own_point(dap, point->number, NULL))
            continue;
        dap_begin_event(dap, &text, &json, "breakpoint");
        json_member_str(&json, "reason", "removed");
        json_member_object(&json, "breakpoint");
        json_member_u64(&json, "id", point->number);
        json_key(&json, "verified");
        json_bool(&json, false);
        json_close_object(&json);
        dap_end_event(dap, &text, &json);
    }
    points_remove_ended(engine, &said);
    dap_send_output(dap, "console", said.at, said.length);
}

static void send_stop(struct dap *dap)
{
    const struct engine *engine = &dap->debugger->engine;
    const struct finding *found = &engine->found;
    struct text text;
    struct json json;
    const bool is_step =
        found->reason == REASON_STEP || (found->reason == REASON_TIME && dap->next == DAP_BACK);
    const enum scope scope = is_step && dap->scope != SCOPE_ANY ? dap->scope : SCOPE_THREAD;
    dap_begin_event(dap, &text, &json, "stopped");
    json_member_str(&json, "reason", engine->state == RUN_ENDED ? "pause" : reason_word(dap));
    if (engine->state == RUN_ENDED)
        json_member_str(&json, "description", "The program has ended");
    else if (found->reason == REASON_FAULT) {
        json_member_str(&json, "description", "Stopped at a fault");
        json_member_str(&json, "text", hx_fault_text(engine->fault.kind));
    } else if (found->reason == REASON_MISTAKE) {
        json_member_str(&json, "description", "Stopped behind a finding");
        json_member_str(&json, "text", engine->mistake_message);
    } else if (dap_is_at_split(dap))
        json_member_str(&json, "description", "Stopped at a branch that splits a warp");
    json_key(&json, "threadId");
    json_i64(&json, engine->state == RUN_ENDED
                        ? dap_thread_id(dap, SCOPE_BLOCK, 0, 0) /* the one that threads lists then */
                        : dap_thread_id(dap, scope, engine->focus_block, engine->focus_thread));
    json_key(&json, "allThreadsStopped");
    json_bool(&json, true);
    if (found->reason == REASON_POINT || found->also_count > 0) {
        json_member_array(&json, "hitBreakpointIds");
        if (found->reason == REASON_POINT)
            json_u64(&json, found->point);
        for (uint32_t i = 0; i < found->also_count; i++)
            json_u64(&json, found->also[i]);
        json_close_array(&json);
    }
    dap_end_event(dap, &text, &json);
}

/* What went wrong, and how the run ended. */
static void send_errors(struct dap *dap)
{
    static const hx_render_options plain = {0};
    const struct engine *engine = &dap->debugger->engine;
    struct text text HX_AUTO(text_done) = {.allocator = dap->allocator};
    for (size_t i = 0; i < hx_diag_count(engine->said); i++)
        if (hx_diag_at(engine->said, i)->severity == HX_ERROR)
            (void)hx_diagnostic_render(hx_diag_at(engine->said, i), &plain, text_write, &text);
    dap_send_output(dap, "stderr", text.at, text.length);
}

/* What --check has found. *how is HX_MISMATCH then, as it is of `hexec run`. */
static void send_findings(struct dap *dap, hx_status *how)
{
    static const hx_checks_render_options plain = {.size = sizeof plain};
    struct text text HX_AUTO(text_done) = {.allocator = dap->allocator};
    hx_checks *checks = dap->debugger->engine.options.checks;
    hx_diag_clear(dap->diag);
    if (!checks || hx_checks_finish(checks, dap->diag) != HX_OK ||
        hx_checks_finding_total(checks, NULL) == 0 ||
        hx_checks_render(checks, &plain, text_write, &text) != HX_OK)
        return;
    dap_send_output(dap, "stdout", text.at ? text.at : "", text.length);
    if (*how == HX_OK && hx_checks_error_total(checks) > 0)
        *how = HX_MISMATCH;
}

static void send_end(struct dap *dap, hx_status how)
{
    struct text text;
    struct json json;
    dap_begin_event(dap, &text, &json, "exited");
    json_key(&json, "exitCode");
    json_i64(&json, hx_status_exit_code(how));
    dap_end_event(dap, &text, &json);
    dap_begin_event(dap, &text, &json, "terminated");
    dap_end_event(dap, &text, &json);
}

/* Commands of the breakpoint that the program has stopped at, unless a line of the console has done them.
 * They may let the program run. */
static void do_commands(struct dap *dap)
{
    static const hx_render_options plain = {0};
    struct text out HX_AUTO(text_done) = {.allocator = dap->allocator};
    if (dap->next == DAP_ANNOUNCE || dap->next == DAP_STAY)
        return;
    hx_diag_clear(dap->diag);
    const hx_status status = script_do_at_stop(dap->debugger, text_write, &out, dap->diag);
    dap->debugger->diag = dap->diag;
    dap_send_output(dap, "console", out.at, out.length);
    out.length = 0;
    for (size_t i = 0; status != HX_OK && i < hx_diag_count(dap->diag); i++)
        (void)hx_diagnostic_render(hx_diag_at(dap->diag, i), &plain, text_write, &out);
    dap_send_output(dap, "stderr", out.at, out.length);
    hx_diag_clear(dap->diag);
    dap->is_done |= hx_debugger_is_done(dap->debugger) != 0;
}

static void announce(struct dap *dap)
{
    const struct engine *engine = &dap->debugger->engine;
    flush_output(dap);
    send_removed(dap);
    do_commands(dap);
    if (engine->state != RUN_ENDED) {
        send_stop(dap);
        return;
    }
    hx_status how = engine->status;
    send_errors(dap);
    send_findings(dap, &how);
    if (dap->stops_at_end)
        send_stop(dap);
    else
        send_end(dap, how);
}

/* ---- Runs ---------------------------------------------------------------------------------------------- */

/* Answers what came while the program ran. True: the run goes on. */
static bool serve_interrupted(struct dap *dap)
{
    dap->is_running = true;
    flush_output(dap);
    while (!dap->is_done && !dap->is_paused && dap->is_running && dap_serve_next(dap, false))
        ;
    const bool goes_on = dap->is_running && !dap->is_done && !dap->is_paused;
    dap->is_running = false;
    return goes_on;
}

/* A message that came just before must interrupt, too. */
static void allow_interruptions(struct dap *dap)
{
    pthread_mutex_lock(&dap->lock);
    atomic_store(&dap->runs, true);
    if (dap->queue.count > 0 || dap->input_has_ended)
        hx_debugger_interrupt(dap->debugger);
    pthread_mutex_unlock(&dap->lock);
}

/* Towards dap->goal. False: the session is over, or the run was begun anew. */
static bool run_forward(struct dap *dap, bool from_beginning)
{
    struct engine *engine = &dap->debugger->engine;
    for (;;) {
        allow_interruptions(dap);
        const struct goal goal = dap->goal;
        const hx_status status =
            from_beginning ? engine_again(engine, NULL, &goal) : engine_resume(engine, &goal);
        atomic_store(&dap->runs, false);
        from_beginning = false;
        if (status != HX_OK) {
            dap->status = status;
            dap->is_done = true;
            return false;
        }
        if (engine->state == RUN_STOPPED && engine->found.reason == REASON_FAULT &&
            (!dap->stops_on_fault || dap->no_debug)) {
            dap->goal = engine->goal;
            continue;
        }
        if (engine->state == RUN_ENDED || engine->found.reason != REASON_INTERRUPT)
            return true;
        dap->goal = engine->goal; /* which knows how far its step has come */
        const enum dap_next kept = dap->next;
        dap->next = DAP_STAY;
        if (!serve_interrupted(dap))
            return dap->is_paused && !dap->is_done;
        dap->next = kept;
    }
}

static bool run_back(struct dap *dap)
{
    struct engine *engine = &dap->debugger->engine;
    enum travel_end end;
    atomic_store(&engine->interrupted, false);
    const hx_status status = travel_back(engine, &dap->goal, 1, &end);
    dap->is_done |= status != HX_OK;
    dap->status = status;
    return status == HX_OK;
}

static bool run_to_entry(struct dap *dap)
{
    const struct goal goal = {
        .step = {.is_on = true, .by_line = true, .scope = SCOPE_ANY, .depth_most = UINT32_MAX}};
    dap->status = engine_again(&dap->debugger->engine, NULL, &goal);
    dap->is_done |= dap->status != HX_OK;
    return dap->status == HX_OK;
}

static void end_run(struct dap *dap)
{
    if (!dap->debugger)
        return;
    engine_kill(&dap->debugger->engine);
    send_end(dap, HX_INTERRUPTED);
}

/* Does what comes next; false when there is no stop to tell of. */
static bool go(struct dap *dap)
{
    switch (dap->next) {
    case DAP_RUN:
        return run_forward(dap, false);
    case DAP_BEGIN:
        dap->goal = (struct goal){.points = !dap->no_debug};
        return run_forward(dap, true);
    case DAP_BACK:
        return run_back(dap);
    case DAP_ENTRY:
        return run_to_entry(dap);
    case DAP_END:
        end_run(dap);
        dap->next = DAP_STAY;
        return false;
    case DAP_STAY:
    case DAP_ANNOUNCE:
        break;
    }
    return true;
}

void dap_go(struct dap *dap)
{
    bool has_stopped;
    do {
        forget_stop(dap);
        dap->is_paused = false;
        has_stopped = go(dap);
        if (has_stopped)
            announce(dap);
    } while (!has_stopped && !dap->is_done &&
             dap->next != DAP_STAY); /* a request ended the run for another */
    dap->next = DAP_STAY;
}
