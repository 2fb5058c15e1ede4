/* Calling listeners.
 *
 * Takes the listeners that a launch is given, leaves one list of them with the union of what they want, and
 * calls those that want an event. An event without a function counts as not wanted, so that a call needs to
 * test only the event's bit. */
#include "exec/listener.h"

#include <string.h>

/* Every event and the member that receives it. */
/* clang-format off */
#define LISTENER_FUNCTIONS(X)                                                                                \
    X(SAMPLE, sample) X(BLOCK, block) X(GANG, gang) X(ISSUE, issue) X(STEP, step) X(BRANCH, branch)          \
    X(CALL, call) X(RETURN, returned) X(EXIT, exited) X(FENCE, fence) X(WARP_SYNC, warp_sync)                \
    X(STACK, stack) X(ACCESS, access) X(ATOMIC, atomic) X(WRITE, write) X(PRINT, print) X(FAULT, fault)      \
    X(BUFFER, buffer) X(VIOLATION, violation) X(MICRO_OP, micro_op) X(NOTE, note)
/* clang-format on */

/* The events that a listener wants and has a function for. */
static uint32_t wanted_of(const hx_listener *listener)
{
    uint32_t has = HX_EVENT_IN_ORDER | HX_EVENT_STUCK;
#define HAS(EVENT, member) has |= listener->member ? (uint32_t)HX_EVENT_##EVENT : 0u;
    LISTENER_FUNCTIONS(HAS)
#undef HAS
    has |= listener->begin || listener->end ? (uint32_t)HX_EVENT_LAUNCH : 0u;
    has |= listener->end ? (uint32_t)(HX_EVENT_COUNTS | HX_EVENT_WORKERS) : 0u;
    has |= listener->arrive || listener->release ? (uint32_t)HX_EVENT_BARRIER : 0u;
    return listener->events & has;
}

static void add(struct listener_set *set, const hx_listener *listener)
{
    set->items[set->count++] = listener;
    set->wanted |= wanted_of(listener);
}

static void find_tape(const struct exec_listener *chain, struct listener_set *set)
{
    size_t users = 0;
    for (size_t i = 0; i < set->count; i++)
        users += (wanted_of(set->items[i]) & HX_EVENT_ISSUE) != 0;
    for (; chain && users == 1; chain = chain->next)
        if (chain->tape && (wanted_of(&chain->calls) & HX_EVENT_ISSUE))
            set->with_tape = chain;
}

static void find_access_op(struct listener_set *set)
{
    size_t users = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (!(wanted_of(set->items[i]) & HX_EVENT_ACCESS))
            continue;
        users++;
        set->with_access_op =
            users == 1 && set->items[i]->size >= sizeof(hx_listener) && set->items[i]->access_op
                ? set->items[i]
                : NULL;
    }
}

hx_status listener_set_make(const struct listener_sources *sources, struct arena *arena, hx_diag *diag,
                            struct listener_set *ret_set)
{
    struct listener_set set = {0};
    size_t count = sources->asked_count + sources->device_count;
    for (const struct exec_listener *at = sources->chain; at; at = at->next)
        count++;
    if (count > 0 && !(set.items = ARENA_ARRAY(arena, const hx_listener *, count)))
        return diag_no_memory(diag);
    set.chain = sources->chain;
    for (const struct exec_listener *at = sources->chain; at; at = at->next) {
        add(&set, &at->calls);
        set.wants_block_begins |= at->block_begins != NULL;
        set.wants_block_ends |= at->block_ends != NULL;
        set.wants_turns |= at->turn != NULL;
    }
    for (size_t i = 0; i < sources->asked_count; i++)
        if (!sources->asked || !sources->asked[i])
            return diag_missing(diag, "a launch", "listeners");
        else
            add(&set, sources->asked[i]);
    for (size_t i = 0; i < sources->device_count; i++)
        add(&set, sources->of_device[i]);
    find_tape(sources->chain, &set);
    find_access_op(&set);
    *ret_set = set;
    return HX_OK;
}

hx_status listener_begin(struct listener_set *set, const hx_launch_begin *event)
{
    for (; set->begun < set->count; set->begun++) {
        const hx_listener *listener = set->items[set->begun];
        if (!(listener->events & HX_EVENT_LAUNCH) || !listener->begin)
            continue;
        const hx_status status = listener->begin(listener->user, event);
        if (status != HX_OK)
            return status;
    }
    return HX_OK;
}

void listener_end(const struct listener_set *set, const hx_launch_end *event)
{
    const uint32_t ends = HX_EVENT_LAUNCH | HX_EVENT_COUNTS | HX_EVENT_WORKERS;
    for (size_t i = 0; i < set->begun; i++)
        if ((set->items[i]->events & ends) && set->items[i]->end)
            set->items[i]->end(set->items[i]->user, event);
}

void listener_block_ends(const struct listener_set *set, const struct block *block)
{
    for (const struct exec_listener *at = set->chain; at; at = at->next)
        if (at->block_ends)
            at->block_ends(at->calls.user, block);
}

void listener_turn(const struct listener_set *set, struct worker *worker)
{
    for (const struct exec_listener *at = set->chain; at; at = at->next)
        if (at->turn)
            at->turn(at->calls.user, worker);
}

bool listener_resume(const struct listener_set *set, struct worker *worker)
{
    for (const struct exec_listener *at = set->chain; at; at = at->next)
        if (at->resume && at->resume(at->calls.user, worker))
            return true;
    return false;
}

void listener_block_begins(const struct listener_set *set, const struct block *block)
{
    for (const struct exec_listener *at = set->chain; at; at = at->next)
        if (at->block_begins)
            at->block_begins(at->calls.user, block);
}

#define LISTENER_CALL(name, EVENT, type)                                                                     \
    void listener_##name(const struct listener_set *set, const type *event)                                  \
    {                                                                                                        \
        for (size_t i = 0; i < set->count; i++)                                                              \
            if ((set->items[i]->events & HX_EVENT_##EVENT) && set->items[i]->name)                           \
                set->items[i]->name(set->items[i]->user, event);                                             \
    }
LISTENER_CALL(sample, SAMPLE, hx_sample_event)
LISTENER_CALL(block, BLOCK, hx_interval_event)
LISTENER_CALL(gang, GANG, hx_interval_event)
LISTENER_CALL(issue, ISSUE, hx_issue_event)
LISTENER_CALL(release, BARRIER, hx_release_event)
LISTENER_CALL(atomic, ATOMIC, hx_atomic_event)
LISTENER_CALL(write, WRITE, hx_write_event)
LISTENER_CALL(print, PRINT, hx_print_event)
LISTENER_CALL(fault, FAULT, hx_fault_event)
LISTENER_CALL(micro_op, MICRO_OP, hx_micro_op_event)

static hx_lanes_function lanes_function(const hx_listener *listener, hx_event_kind kind)
{
    return kind == HX_EVENT_STEP        ? listener->step
           : kind == HX_EVENT_BRANCH    ? listener->branch
           : kind == HX_EVENT_CALL      ? listener->call
           : kind == HX_EVENT_RETURN    ? listener->returned
           : kind == HX_EVENT_EXIT      ? listener->exited
           : kind == HX_EVENT_BARRIER   ? listener->arrive
           : kind == HX_EVENT_FENCE     ? listener->fence
           : kind == HX_EVENT_WARP_SYNC ? listener->warp_sync
           : kind == HX_EVENT_STACK     ? listener->stack
           : kind == HX_EVENT_NOTE      ? listener->note
                                        : NULL;
}

void listener_lanes(const struct listener_set *set, hx_event_kind kind, const hx_lanes_event *event)
{
    for (size_t i = 0; i < set->count; i++) {
        const hx_lanes_function function = lanes_function(set->items[i], kind);
        if ((set->items[i]->events & (uint32_t)kind) && function)
            function(set->items[i]->user, event);
    }
}

bool listener_access(const struct listener_set *set, const hx_access_event *event, hx_refusal *refusal)
{
    for (size_t i = 0; i < set->count; i++) {
        const hx_listener *listener = set->items[i];
        if ((listener->events & HX_EVENT_ACCESS) && listener->access &&
            listener->access(listener->user, event, refusal) != 0)
            return false;
    }
    return true;
}

bool listener_violation(const struct listener_set *set, const hx_violation_event *event)
{
    bool is_let_by = false;
    for (size_t i = 0; i < set->count; i++) {
        const hx_listener *listener = set->items[i];
        if ((listener->events & HX_EVENT_VIOLATION) && listener->violation)
            is_let_by |= listener->violation(listener->user, event) != 0;
    }
    return is_let_by;
}
