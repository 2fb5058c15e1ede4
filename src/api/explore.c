/* Exploring orders.
 *
 * Takes a context and how its program is run, runs it in orders that are drawn, leaves what came of it: how
 * many results there were, and for the first order that is at fault the fewest decisions that make it so.
 * Half of the orders take all decisions that their seed draws; the others take a few of them at random
 * places, which finds mistakes that need one switch at the right moment (Burckhardt and others, "A Randomized
 * Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010). What is at fault is reduced by
 * leaving out parts of its decisions, smaller and smaller ones, as long as the rest is at fault too (Zeller
 * and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002). */
#include "api/explore.h"

#include "api/replay.h"
#include "base/crc32.h"
#include "base/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEDULES_DEFAULT 100
#define FEW_DECISIONS     4   /* an order with few decisions has up to so many, in the mean */
#define REDUCING_RUNS     600 /* at most; what is left by then is shown */

/* ---- One run ------------------------------------------------------------------------------------------- */

static int go_on(void *user, const hx_violation_event *event)
{
    (void)user;
    (void)event;
    return 1;
}

/* What the checker `sync` lets by. */
static void let_by(void *user, const hx_fault_event *event)
{
    const int kind = event->fault->kind;
    (void)user;
    if (event->is_let_by &&
        (kind == HX_FAULT_BARRIER_DEADLOCK || kind == HX_FAULT_BARRIER_COUNT || kind == HX_FAULT_MEMBER_MASK))
        *event->is_let_by = 1;
}

/* The last run has the checks, which let faults by; the others must go as far. */
static void leave_checks_out(hx_run_options *options)
{
    static const hx_listener memory = {.size = sizeof memory,
                                       .events = HX_EVENT_VIOLATION,
                                       .violation = go_on},
                             sync = {.size = sizeof sync,
                                     .events = HX_EVENT_FAULT | HX_EVENT_STUCK,
                                     .fault = let_by};
    static const hx_listener *const both[] = {&memory, &sync};
    const uint32_t kinds = options->checks ? hx_checks_kinds(options->checks) : 0;
    const bool has_memory = kinds & HX_CHECK_MEMORY, has_sync = kinds & HX_CHECK_SYNC;
    options->launch.listeners = has_memory ? both : both + 1;
    options->launch.listener_count = (size_t)has_memory + has_sync;
    options->checks = NULL;
}

static hx_status run(struct exploring *exploring, bool is_last)
{
    static const hx_run_options defaults = {.size = sizeof defaults};
    hx_exploration *exploration = exploring->exploration;
    hx_run_options options = exploring->options->run ? *exploring->options->run : defaults;
    options.launch.seed = exploring->seed;
    options.launch.schedule = &exploring->schedule;
    options.launch.workers = 1;
    options.replay = NULL;
    if (!is_last) {
        leave_checks_out(&options);
        options.launched = NULL;
        options.launch.print = NULL;
    }
    hx_diag_clear(exploring->said);
    context_start_over(exploring->context);
    schedule_restart(&exploring->schedule);
    exploration->result = (hx_run_result){.size = sizeof exploration->result};
    exploration->runs += !is_last;
    exploring->status = hx_context_run(exploring->context, &options, exploring->said, &exploration->result);
    if (exploring->schedule.lacks_memory)
        exploring->status = diag_no_memory(exploring->said);
    return exploring->status == HX_FAULT ? HX_OK : exploring->status;
}

static hx_status run_listed(struct exploring *exploring, const uint64_t *keys, size_t count, bool is_last)
{
    uint64_t *sorted = exploring->sorted;
    memcpy(sorted, keys, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, schedule_compare_keys);
    exploring->schedule.rule = SCHEDULE_LISTED;
    exploring->schedule.listed = sorted;
    exploring->schedule.listed_count = count;
    return run(exploring, is_last);
}

/* ---- Results ------------------------------------------------------------------------------------------- */

static uint64_t hash_result(const struct exploring *exploring)
{
    uint64_t hash = (uint64_t)exploring->status;
    hx_array_view view;
    for (size_t i = 0; (view = hx_context_buffer_at(exploring->context, i)).name; i++)
        hash = random_seed(hash, crc32_of(view.data, view.count * hx_type_bytes(view.type)), i);
    return hash;
}

static hx_status count_result(struct exploring *exploring)
{
    hx_exploration *exploration = exploring->exploration;
    const uint64_t hash = hash_result(exploring);
    for (size_t i = 0; i < exploration->results.count; i++)
        if (exploration->results.items[i] == hash)
            return HX_OK;
    return LIST_PUSH(exploration->allocator, &exploration->results, hash) ? HX_OK
                                                                          : diag_no_memory(exploring->diag);
}

static hx_status keep_natural(struct exploring *exploring)
{
    hx_array_view view;
    size_t bytes = 0, at = 0;
    for (size_t i = 0; (view = hx_context_buffer_at(exploring->context, i)).name; i++)
        bytes += view.count * hx_type_bytes(view.type);
    exploring->natural = memory_allocate(exploring->exploration->allocator, bytes + 1, 1);
    if (!exploring->natural)
        return diag_no_memory(exploring->diag);
    for (size_t i = 0; (view = hx_context_buffer_at(exploring->context, i)).name; i++) {
        memcpy(exploring->natural + at, view.data, view.count * hx_type_bytes(view.type));
        at += view.count * hx_type_bytes(view.type);
    }
    return HX_OK;
}

/* The first buffer that is not as in the natural order, and its first element that differs; its name is NULL
 * if there is none. *ret_natural: what it was there. */
static hx_array_view find_difference(const struct exploring *exploring, uint64_t *ret_element,
                                     const void **ret_natural)
{
    hx_array_view view;
    size_t at = 0;
    for (size_t i = 0; (view = hx_context_buffer_at(exploring->context, i)).name; i++) {
        const size_t size = hx_type_bytes(view.type), bytes = view.count * size;
        const uint8_t *natural = exploring->natural + at, *now = view.data;
        at += bytes;
        if (bytes == 0 || memcmp(natural, now, bytes) == 0)
            continue;
        for (uint64_t k = 0; k < view.count; k++)
            if (memcmp(natural + k * size, now + k * size, size) != 0) {
                *ret_element = k;
                *ret_natural = natural + k * size;
                return view;
            }
    }
    return (hx_array_view){0};
}

static bool meets_expectations(struct exploring *exploring)
{
    size_t checked = 0;
    return hx_context_program(exploring->context)->expectation_count > 0 &&
           hx_context_check_expectations(exploring->context, exploring->said, &checked) == HX_OK;
}

static bool has_outcome(struct exploring *exploring, const struct outcome *outcome)
{
    size_t count = 0;
    hx_buffer *const *buffers = context_buffers(exploring->context, &count);
    const struct file_wait wait = context_wait(exploring->context);
    return exploring->status == HX_OK && outcome->expects.buffer < count &&
           program_check_expectation(hx_context_program(exploring->context), &outcome->expects,
                                     hx_buffer_data(buffers[outcome->expects.buffer]), &wait,
                                     exploring->exploration->allocator, exploring->said) == HX_OK;
}

/* What is at fault with the run that was: 0, nothing; 1, its result; 2 + i, the outcome i, which is
 * forbidden. */
static size_t find_fault(struct exploring *exploring)
{
    const hx_program *program = hx_context_program(exploring->context);
    uint64_t element;
    const void *natural;
    if (exploring->status != HX_OK)
        return 1;
    for (size_t i = 0; i < program->outcome_count; i++)
        if (program->outcomes[i].is == OUTCOME_FORBIDDEN && has_outcome(exploring, &program->outcomes[i]))
            return 2 + i;
    return program->outcome_count == 0 && find_difference(exploring, &element, &natural).name &&
           !meets_expectations(exploring);
}

static void count_outcomes(struct exploring *exploring)
{
    const hx_program *program = hx_context_program(exploring->context);
    for (size_t i = 0; i < program->outcome_count; i++)
        exploring->exploration->outcomes[i].runs += has_outcome(exploring, &program->outcomes[i]);
}

/* ---- Reducing ------------------------------------------------------------------------------------------ */

static hx_status take_keys(struct exploring *exploring)
{
    const hx_allocator *allocator = exploring->exploration->allocator;
    exploring->keys.count = 0;
    if (!LIST_RESERVE(allocator, &exploring->keys, exploring->schedule.taken.count + 1))
        return diag_no_memory(exploring->diag);
    for (size_t i = 0; i < exploring->schedule.taken.count; i++)
        exploring->keys.items[exploring->keys.count++] = exploring->schedule.taken.items[i].key;
    return HX_OK;
}

/* Is the order without keys `from` to before `end` at fault as well? Then its keys are taken. */
static hx_status leave_out(struct exploring *exploring, size_t from, size_t end, bool *ret_is_at_fault)
{
    const size_t count = exploring->keys.count;
    uint64_t *rest = exploring->rest;
    memcpy(rest, exploring->keys.items, from * sizeof *rest);
    memcpy(rest + from, exploring->keys.items + end, (count - end) * sizeof *rest);
    const hx_status status = run_listed(exploring, rest, count - (end - from), false);
    *ret_is_at_fault = status == HX_OK && find_fault(exploring) == exploring->fault;
    return status == HX_OK && *ret_is_at_fault ? take_keys(exploring) : status;
}

static hx_status reduce(struct exploring *exploring)
{
    const hx_allocator *allocator = exploring->exploration->allocator;
    const size_t room = exploring->schedule.taken.count + 1;
    const uint64_t first_run = exploring->exploration->runs;
    hx_status status = take_keys(exploring);
    exploring->sorted = memory_allocate(allocator, room, sizeof *exploring->sorted);
    exploring->rest = memory_allocate(allocator, room, sizeof *exploring->rest);
    if (!exploring->sorted || !exploring->rest)
        return diag_no_memory(exploring->diag);
    for (size_t parts = 2; status == HX_OK && exploring->keys.count > 0;) {
        const size_t count = exploring->keys.count, part = (count + parts - 1) / parts;
        bool is_at_fault = false;
        for (size_t from = 0; status == HX_OK && from < count && !is_at_fault; from += part) {
            if (exploring->exploration->runs - first_run >= REDUCING_RUNS)
                break;
            status = leave_out(exploring, from, from + part < count ? from + part : count, &is_at_fault);
        }
        if (is_at_fault)
            parts = parts > 2 ? parts - 1 : 2;
        else if (part <= 1 || exploring->exploration->runs - first_run >= REDUCING_RUNS)
            break;
        else
            parts = parts * 2 < count ? parts * 2 : count;
    }
    exploring->exploration->runs = first_run; /* those were for one order */
    return status;
}

/* ---- Many runs ----------------------------------------------------------------------------------------- */

static void choose(struct exploring *exploring, uint64_t number, uint64_t offered)
{
    const uint64_t most = offered > 0 ? offered : 1, few = 1 + number / 2 % FEW_DECISIONS;
    exploring->seed = exploring->first_seed + number;
    exploring->schedule.seed = exploring->seed;
    exploring->schedule.rule = SCHEDULE_SOME;
    exploring->schedule.one_in = number % 2 == 1 || most <= few ? 1 : most / few;
}

/* The natural order: that of a seed of whose decisions none is taken. */
static hx_status run_natural(struct exploring *exploring)
{
    uint64_t none = 0;
    exploring->seed = exploring->first_seed;
    exploring->sorted = &none;
    hx_status status = run_listed(exploring, &none, 0, false);
    exploring->sorted = NULL;
    if (status == HX_OK)
        status = exploring->status;
    if (status == HX_OK)
        status = keep_natural(exploring);
    diag_append(exploring->diag, exploring->said);
    return status;
}

static hx_status run_all(struct exploring *exploring)
{
    const uint64_t schedules =
        exploring->options->schedules ? exploring->options->schedules : SCHEDULES_DEFAULT;
    uint64_t offered = 0, found_seed = 0, found_one_in = 0;
    hx_status status = HX_OK;
    for (uint64_t i = 0; status == HX_OK && i <= schedules; i++) {
        if (i > 0) {
            choose(exploring, i, offered);
            status = run(exploring, false);
        } else {
            status = run_natural(exploring);
        }
        if (status != HX_OK)
            return status;
        offered = exploring->schedule.offered > offered ? exploring->schedule.offered : offered;
        count_outcomes(exploring);
        status = count_result(exploring);
        const size_t fault = find_fault(exploring);
        exploring->exploration->at_fault += fault != 0;
        if (fault && !exploring->fault) {
            exploring->fault = fault;
            found_seed = exploring->seed;
            found_one_in = i > 0 ? exploring->schedule.one_in : 0;
        }
    }
    if (status != HX_OK || !exploring->fault)
        return status;
    exploring->seed = exploring->schedule.seed = found_seed;
    exploring->schedule.one_in = found_one_in;
    exploring->schedule.rule = found_one_in > 0 ? SCHEDULE_SOME : SCHEDULE_LISTED;
    exploring->schedule.listed_count = 0;
    status = run(exploring, false);
    exploring->exploration->runs--;
    return status == HX_OK ? reduce(exploring) : status;
}

/* ---- Telling ------------------------------------------------------------------------------------------- */

static void print_value(const hx_array_view *view, const void *element, char *text, size_t bytes)
{
    HX_AUTO(text_done) struct text out = {0};
    values_print(&out, element, (enum hx_type)view->type);
    snprintf(text, bytes, "%s", out.at ? out.at : "");
}

static void tell_difference(const struct exploring *exploring, char *message, size_t bytes)
{
    uint64_t element = 0;
    const void *natural = NULL;
    char then[64] = "", now[64] = "";
    const hx_array_view view = find_difference(exploring, &element, &natural);
    if (exploring->status != HX_OK) {
        snprintf(message, bytes, "one order ends with a fault: %s",
                 hx_fault_text(exploring->exploration->result.fault.kind));
        return;
    }
    if (!view.name) {
        snprintf(message, bytes, "results hang on the order of threads");
        return;
    }
    print_value(&view, natural, then, sizeof then);
    print_value(&view, (const uint8_t *)view.data + element * hx_type_bytes(view.type), now, sizeof now);
    snprintf(message, bytes,
             text_is_digit(view.name[0]) /* of --arg */
                 ? "element %" PRIu64
                   " of the buffer of argument %s is %s in the natural order, and %s in another one"
                 : "element %" PRIu64 " of buffer '%s' is %s in the natural order, and %s in another one",
             element, view.name, then, now);
}

/* The first decision about threads; NULL: there is none. */
static const hx_decision *find_switch(const hx_exploration *exploration)
{
    for (size_t i = 0; i < exploration->decision_count; i++)
        if (exploration->decisions[i].kind >= HX_DECISION_PICK)
            return &exploration->decisions[i];
    return NULL;
}

/* Where threads stop, and where those are that go on then. */
static void tell_fault(struct exploring *exploring)
{
    const hx_program *program = hx_context_program(exploring->context);
    const hx_exploration *exploration = exploring->exploration;
    const hx_decision *first = find_switch(exploration);
    const struct outcome *outcome = exploring->fault > 1 ? &program->outcomes[exploring->fault - 2] : NULL;
    char message[400], note[240] = "", hint[HX_REPLAY_TOKEN_BYTES + 64];
    struct place place = outcome ? outcome->place : program_kernel_place(&program->kernels[0]), next = {0};
    if (first) {
        place = program->kernels[first->kernel].lines[first->instruction].place;
        if (first->has_next)
            next = program->kernels[first->kernel].lines[first->next_instruction].place;
        explore_print_decision(program, first, note, sizeof note);
    }
    snprintf(hint, sizeof hint, "run this order again with --replay %s", exploration->token);
    if (outcome)
        snprintf(message, sizeof message, "outcome '%s' is forbidden, and some order gives it",
                 outcome->name);
    else
        tell_difference(exploring, message, sizeof message);
    diag_report_noted(exploring->diag, outcome ? DIAG_OUTCOME_FORBIDDEN : DIAG_EXPLORE_DIFFERS, place, hint,
                      next, note[0] ? note : NULL, "%s", message);
}

static hx_status tell_missing(struct exploring *exploring)
{
    const hx_program *program = hx_context_program(exploring->context);
    hx_status status = HX_OK;
    for (size_t i = 0; i < program->outcome_count; i++)
        if (program->outcomes[i].is == OUTCOME_REQUIRED && exploring->exploration->outcomes[i].runs == 0) {
            diag_report(exploring->diag, DIAG_OUTCOME_MISSING, program->outcomes[i].place,
                        "try more orders with --explore N",
                        "outcome '%s' is required, and none of %" PRIu64 " orders gave it",
                        program->outcomes[i].name, exploring->exploration->runs);
            status = HX_MISMATCH;
        }
    return status;
}

/* The last run: the order at fault, or the natural one, with all that follows runs. */
static hx_status run_last(struct exploring *exploring)
{
    hx_exploration *exploration = exploring->exploration;
    uint64_t none = 0;
    uint64_t *sorted = exploring->sorted;
    exploring->sorted = sorted ? sorted : &none;
    exploring->seed = exploring->fault ? exploring->seed : exploring->first_seed;
    hx_status status =
        run_listed(exploring, exploring->fault ? exploring->keys.items : &none, exploring->keys.count, true);
    exploring->sorted = sorted;
    if (status != HX_OK)
        return status;
    const struct hx_schedule *schedule = &exploring->schedule;
    exploration->decisions =
        memory_allocate(exploration->allocator, schedule->taken.count + 1, sizeof *exploration->decisions);
    if (!exploration->decisions)
        return diag_no_memory(exploring->diag);
    exploration->decision_count = schedule->taken.count;
    if (schedule->taken.count > 0)
        memcpy(exploration->decisions, schedule->taken.items,
               schedule->taken.count * sizeof *exploration->decisions);
    memcpy(exploration->token, exploration->result.replay, sizeof exploration->token);
    exploration->result.replay[0] = 0; /* a token is complete with the decisions alone */
    if (!exploring->fault) {
        exploration->token[0] = 0;
        return tell_missing(exploring);
    }
    replay_add_decisions(schedule, exploration->token);
    tell_fault(exploring);
    (void)tell_missing(exploring);
    return HX_MISMATCH;
}

static hx_status begin(struct exploring *exploring, hx_exploration **ret_exploration)
{
    const hx_allocator *allocator = context_allocator(exploring->context);
    const hx_program *program = hx_context_program(exploring->context);
    hx_exploration *exploration = memory_allocate(allocator, 1, sizeof *exploration);
    if (!exploration)
        return diag_no_memory(exploring->diag);
    exploration->allocator = allocator;
    exploring->exploration = *ret_exploration = exploration;
    exploring->schedule.allocator = allocator;
    const hx_run_options *given = exploring->options->run;
    exploring->first_seed = given && given->launch.seed ? given->launch.seed : 1;
    arena_init(&exploration->arena, allocator);
    exploration->outcomes = ARENA_ARRAY(&exploration->arena, hx_outcome_count, program->outcome_count + 1);
    if (!exploration->outcomes || hx_diag_new(allocator, &exploring->said) != HX_OK)
        return diag_no_memory(exploring->diag);
    for (size_t i = 0; i < program->outcome_count; i++) {
        const struct expectation *expects = &program->outcomes[i].expects;
        const struct array *buffer = &program->buffers.items[expects->buffer];
        if (expects->value_count > buffer->count)
            return diag_report(exploring->diag, DIAG_PROGRAM_EXPECT, program->outcomes[i].place, NULL,
                               "the outcome has %zu values of '%s', which has %llu elements",
                               expects->value_count, buffer->name, (unsigned long long)buffer->count);
        const char *name = program->outcomes[i].name;
        exploration->outcomes[i].name = arena_copy(&exploration->arena, name, strlen(name));
        exploration->outcomes[i].is = outcome_words[program->outcomes[i].is];
        if (!exploration->outcomes[i].name)
            return diag_no_memory(exploring->diag);
    }
    exploration->outcome_count = program->outcome_count;
    return HX_OK;
}

hx_status hx_explore(hx_context *context, const hx_explore_options *options, hx_diag *diag,
                     hx_exploration **ret_exploration)
{
    static const hx_explore_options defaults = {.size = sizeof defaults};
    DIAG_REQUIRE(diag, context);
    DIAG_REQUIRE(diag, ret_exploration);
    hx_status status = context_check_loaded(context, diag);
    if (status != HX_OK)
        return status;
    struct exploring exploring = {.context = context, .options = options ? options : &defaults, .diag = diag};
    hx_exploration *exploration = NULL;
    status = begin(&exploring, &exploration);
    if (status == HX_OK)
        status = run_all(&exploring);
    if (status == HX_OK) {
        status = run_last(&exploring);
    } else if (exploring.exploration && exploring.exploration->runs > 1) { /* else it was said */
        diag_append(diag, exploring.said);
    }
    if (exploration)
        explore_describe(hx_context_program(context), exploration);
    const hx_allocator *allocator = context_allocator(context);
    memory_free(allocator, exploring.natural);
    memory_free(allocator, exploring.sorted);
    memory_free(allocator, exploring.rest);
    LIST_DONE(allocator, &exploring.keys);
    schedule_done(&exploring.schedule);
    hx_diag_free(exploring.said);
    if (status != HX_OK && status != HX_MISMATCH) {
        hx_exploration_free(exploration);
        return status;
    }
    *ret_exploration = exploration;
    return status;
}
