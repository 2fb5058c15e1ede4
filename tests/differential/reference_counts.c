/* What warps would do, found out afterwards from what each thread did.
 *
 * Takes the way of every thread of a block, one instruction after the other, which does not depend on which
 * thread ran when. Leaves counts: the ways of a warp's threads are gone along together once more, those at
 * the deepest call and then the lowest instruction first, and those at one place at once. Where lanes wait
 * for each other they do so here; which lanes went on together was noted when it happened. */
#include "reference_accesses.h"
#include "reference_machine.h"

#include <stdlib.h>

#define WARP 32u

bool reference_traces_init(struct machine *machine)
{
    if (!machine->launch->counts)
        return true;
    machine->traces = calloc(machine->thread_count, sizeof *machine->traces);
    return machine->traces != NULL;
}

void reference_traces_done(struct machine *machine)
{
    for (uint32_t t = 0; machine->traces && t < machine->thread_count; t++)
        free(machine->traces[t].events);
    free(machine->traces);
    machine->traces = NULL;
}

static struct trace *trace_of(const struct machine *machine, const struct thread *thread)
{
    return &machine->traces[thread - machine->threads];
}

static enum event_kind kind_of(const struct step *step, bool takes_part)
{
    if (reference_meets(step))
        return EVENT_MEETING;
    if (!takes_part)
        return EVENT_PLAIN;
    switch (step->meaning) {
    case MEANING_WARP:
    case MEANING_WARP_SYNC:
        return EVENT_NAMED;
    case MEANING_BARRIER:
    case MEANING_BARRIER_RED_POPC:
    case MEANING_BARRIER_RED_AND:
    case MEANING_BARRIER_RED_OR:
    case MEANING_COLLECTIVE:
        return EVENT_BARRIER;
    default:
        return EVENT_PLAIN;
    }
}

enum reference_end reference_note(struct machine *machine, const struct thread *thread, uint32_t at)
{
    if (!machine->traces)
        return REFERENCE_DONE;
    struct trace *trace = trace_of(machine, thread);
    if (trace->count == trace->room) {
        const size_t room = trace->room ? 2 * trace->room : 64;
        struct event *events = realloc(trace->events, room * sizeof *events);
        if (!events)
            return REFERENCE_NO_MEMORY;
        trace->events = events;
        trace->room = room;
    }
    trace->events[trace->count++] =
        (struct event){.at = at,
                       .depth = thread->depth,
                       .kind = (uint8_t)kind_of(&machine->steps[at], thread->takes_part),
                       .takes_part = thread->takes_part};
    return REFERENCE_DONE;
}

void reference_note_access(const struct machine *machine, const struct thread *thread, enum hx_space space,
                           uint64_t address)
{
    if (!machine->traces)
        return;
    struct trace *trace = trace_of(machine, thread);
    struct event *event = &trace->events[trace->count - 1];
    event->space = (uint8_t)reference_space(space, &address);
    event->address = address;
}

void reference_note_group(struct machine *machine, const struct thread *lanes, uint32_t together,
                          uint32_t gone)
{
    uint32_t count = 0;
    machine->groups++;
    for (uint32_t lane = 0; lane < WARP; lane++)
        count += together >> lane & 1;
    for (uint32_t lane = 0; lane < WARP && machine->traces; lane++)
        if (together >> lane & 1) {
            struct trace *trace = trace_of(machine, &lanes[lane]);
            trace->events[trace->count - 1].group = machine->groups;
            trace->events[trace->count - 1].group_lanes = count;
            trace->events[trace->count - 1].gone = gone;
        }
}

struct warp {
    const struct machine *machine;
    const struct trace *traces;
    uint32_t lanes;
    size_t next[WARP]; /* each lane's next event */
    bool waits[WARP];  /* at a barrier, behind its last event */
    uint64_t jumps;    /* back, and calls; a pause is PAUSE_JUMPS */
};

static const struct event *event_of(const struct warp *warp, uint32_t lane)
{
    return warp->next[lane] < warp->traces[lane].count && !warp->waits[lane]
               ? &warp->traces[lane].events[warp->next[lane]]
               : NULL;
}

static bool has_come(const struct warp *warp, const struct event *event)
{
    uint32_t here = 0;
    for (uint32_t lane = 0; lane < warp->lanes; lane++) {
        const struct event *other = event_of(warp, lane);
        here += other && other->kind == EVENT_NAMED && other->group == event->group;
        if ((event->gone >> lane & 1) && (other || warp->waits[lane]))
            return false;
    }
    return here == event->group_lanes;
}

/* Lanes that may do their next event; with `meetings` those that wait for any other. */
static uint32_t ready_lanes(const struct warp *warp, bool meetings)
{
    uint32_t ready = 0;
    for (uint32_t lane = 0; lane < warp->lanes; lane++) {
        const struct event *event = event_of(warp, lane);
        if (event && (event->kind == EVENT_MEETING) == meetings &&
            (event->kind != EVENT_NAMED || has_come(warp, event)))
            ready |= 1u << lane;
    }
    return ready;
}

/* Of these, the ones at the place that comes first. */
static uint32_t first_place(const struct warp *warp, uint32_t ready)
{
    const struct event *best = NULL;
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < warp->lanes; lane++) {
        const struct event *event = ready >> lane & 1 ? event_of(warp, lane) : NULL;
        if (event &&
            (!best || event->depth > best->depth || (event->depth == best->depth && event->at < best->at)))
            best = event;
    }
    for (uint32_t lane = 0; lane < warp->lanes; lane++) {
        const struct event *event = ready >> lane & 1 ? event_of(warp, lane) : NULL;
        if (event && event->at == best->at && event->depth == best->depth)
            lanes |= 1u << lane;
    }
    return lanes;
}

/* Where a lane goes on; UINT32_MAX: nowhere. */
static uint32_t place_behind(const struct warp *warp, uint32_t lane)
{
    const size_t next = warp->next[lane] + 1;
    return next < warp->traces[lane].count ? warp->traces[lane].events[next].at : UINT32_MAX;
}

/* Does the lane do what the instruction says: of a loop, jump? */
static bool does_it(const struct warp *warp, uint32_t lane)
{
    const struct event *event = event_of(warp, lane);
    const bool is_loop = warp->machine->steps[event->at].meaning == MEANING_LOOP;
    return event->takes_part &&
           (!is_loop || place_behind(warp, lane) == warp->machine->steps[event->at].target);
}

static void count_accesses(const struct warp *warp, uint32_t lanes, const struct step *step,
                           struct reference_count *count)
{
    const struct isa_opcode *opcode = step->instruction->opcode;
    struct lane_access accesses[WARP];
    uint32_t access_count = 0;
    if (!shape_is_memory(opcode->shape) || lanes == 0)
        return;
    for (uint32_t lane = 0; lane < warp->lanes; lane++)
        if (lanes >> lane & 1) {
            const struct event *event = event_of(warp, lane);
            accesses[access_count++] = (struct lane_access){lane, event->space, event->address};
        }
    const uint32_t bytes = step->bytes * step->count;
    count->loaded += opcode->shape == SHAPE_STORE ? 0 : (uint64_t)access_count * bytes;
    count->stored += opcode->shape == SHAPE_LOAD ? 0 : (uint64_t)access_count * bytes;
    reference_count_accesses(accesses, access_count, bytes, shape_is_atomic(opcode->shape), count);
}

#define PAUSE_JUMPS 64

/* How much of its turn a warp uses up. */
static uint64_t jumps_of(const struct warp *warp, uint32_t lanes, const struct step *step, uint32_t at)
{
    if (lanes == 0)
        return 0;
    switch (step->meaning) {
    case MEANING_CALL:
    case MEANING_CALL_TABLE:
        return 1;
    case MEANING_YIELD:
        return PAUSE_JUMPS;
    case MEANING_RETURN:
        return 0;
    default:
        for (uint32_t lane = 0; lane < warp->lanes; lane++)
            if ((lanes >> lane & 1) && place_behind(warp, lane) <= at)
                return 1;
        return 0;
    }
}

static void issue(struct warp *warp, uint32_t lanes)
{
    uint32_t doing = 0, standing = 0, at = 0, to = 0;
    bool apart = false;
    for (uint32_t lane = 0; lane < warp->lanes; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        at = event_of(warp, lane)->at;
        standing++;
        if (!does_it(warp, lane))
            continue;
        apart |= doing != 0 && place_behind(warp, lane) != to;
        to = place_behind(warp, lane);
        doing |= 1u << lane;
    }
    const struct step *step = &warp->machine->steps[at];
    struct reference_count *count = &warp->machine->launch->counts[at];
    const bool by_table = step->meaning == MEANING_JUMP_TABLE || step->meaning == MEANING_CALL_TABLE;
    count->warps++;
    count->standing += standing;
    count->none += doing == 0;
    count->partial += doing != 0 && (doing != lanes || (by_table && apart));
    for (uint32_t left = doing; left; left &= left - 1)
        count->doing++;
    count_accesses(warp, doing, step, count);
    warp->jumps += jumps_of(warp, doing, step, at);
    for (uint32_t lane = 0; lane < warp->lanes; lane++)
        if (lanes >> lane & 1) {
            warp->waits[lane] = event_of(warp, lane)->kind == EVENT_BARRIER;
            warp->next[lane]++;
        }
}

static void count_warp(struct warp *warp)
{
    for (;;) {
        uint32_t ready = ready_lanes(warp, false);
        if (!ready)
            ready = ready_lanes(warp, true);
        if (ready) {
            issue(warp, first_place(warp, ready));
            continue;
        }
        /* no lane of the warp can go on before the barriers where its lanes wait are complete */
        bool any = false;
        for (uint32_t lane = 0; lane < warp->lanes; lane++) {
            any |= warp->waits[lane];
            warp->waits[lane] = false;
        }
        if (!any)
            return;
    }
}

void reference_count_block(struct machine *machine)
{
    if (!machine->traces)
        return;
    for (uint32_t first = 0; first < machine->thread_count; first += WARP) {
        const uint32_t left = machine->thread_count - first;
        struct warp warp = {
            .machine = machine, .traces = machine->traces + first, .lanes = left < WARP ? left : WARP};
        if (machine->result.end == REFERENCE_DONE)
            count_warp(&warp);
        if (machine->result.warp_jumps < warp.jumps)
            machine->result.warp_jumps = warp.jumps;
    }
    for (uint32_t t = 0; t < machine->thread_count; t++)
        machine->traces[t].count = 0;
}
