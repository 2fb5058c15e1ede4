/* The ways through a kernel's code.
 *
 * Where ways meet are the immediate post-dominators as seen from one end, found as in Cooper, Harvey and
 * Kennedy, A Simple, Fast Dominance Algorithm (2001), on the reversed graph. */
#include "check/sync/routes.h"

#include "verify/flow.h"

#include <string.h>

static bool is_guarded(const struct routes *ways, uint32_t at)
{
    return ways->code->code[at].guard >= 0;
}

bool routes_is_jump(const struct routes *ways, uint32_t at)
{
    return at < ways->count && !is_guarded(ways, at) &&
           verify_flow_semantic(&ways->code->code[at]) == SEM_branch;
}

static uint32_t count_jumps(const struct routes *ways, uint32_t at)
{
    switch (verify_flow_semantic(&ways->code->code[at])) {
    case SEM_branch:
    case SEM_loop:
        return 1;
    case SEM_jump_table:
        return verify_flow_table(&ways->code->code[at]);
    default:
        return 0;
    }
}

static bool goes_on(const struct routes *ways, uint32_t at)
{
    switch (verify_flow_semantic(&ways->code->code[at])) {
    case SEM_exit:
    case SEM_trap:
    case SEM_return:
    case SEM_branch:
    case SEM_jump_table:
        return is_guarded(ways, at);
    default:
        return true;
    }
}

uint32_t routes_out(const struct routes *ways, uint32_t at)
{
    return count_jumps(ways, at) + goes_on(ways, at);
}

static uint32_t inside(const struct routes *ways, uint32_t at)
{
    return at < ways->count ? at : ROUTES_NONE;
}

uint32_t routes_next(const struct routes *ways, uint32_t at, uint32_t i)
{
    if (i >= count_jumps(ways, at))
        return inside(ways, at + 1);
    const uint32_t target = verify_flow_target(ways->code, &ways->code->code[at]);
    return target < ways->count ? inside(ways, target + i) : ROUTES_NONE;
}

/* ---- The barrier --------------------------------------------------------------------------------------- */

/* Does it call a function that leads to the barrier? */
static bool calls_barrier(const struct routes *ways, uint32_t at)
{
    const struct instruction *const instruction = &ways->code->code[at];
    if (!verify_flow_calls(instruction))
        return false;
    const uint32_t target = verify_flow_target(ways->code, instruction),
                   entries = verify_flow_table(instruction);
    bool leads = target < ways->count && ways->leads[target];
    for (uint32_t i = 1; i < entries && !leads && target < ways->count; i++)
        leads = inside(ways, target + i) != ROUTES_NONE && ways->leads[target + i];
    return leads;
}

static bool leads_on(const struct routes *ways, uint32_t at)
{
    const uint32_t out = routes_out(ways, at);
    bool leads = false;
    for (uint32_t i = 0; i < out && !leads; i++) {
        const uint32_t next = routes_next(ways, at, i);
        leads = next != ROUTES_NONE && ways->leads[next];
    }
    return leads;
}

static void find_leads(struct routes *ways)
{
    ways->leads[ways->barrier] = ways->is_barrier[ways->barrier] = true;
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t at = ways->count; at-- > 0;) {
            if (ways->leads[at] && ways->is_barrier[at])
                continue;
            const bool calls = !ways->is_barrier[at] && calls_barrier(ways, at);
            const bool leads = !ways->leads[at] && (calls || leads_on(ways, at));
            ways->is_barrier[at] |= calls;
            ways->leads[at] |= calls || leads;
            changes |= calls || leads;
        }
    }
}

/* From the `tail` instructions in the queue. */
static void spread(struct routes *ways, uint32_t tail, uint32_t without, bool stops_at_barriers)
{
    memset(ways->from, 0xff, ways->count * sizeof *ways->from);
    for (uint32_t i = 0; i < tail; i++)
        ways->from[ways->queue[i]] = ways->queue[i];
    for (uint32_t head = 0; head < tail; head++) {
        const uint32_t at = ways->queue[head], out = routes_out(ways, at);
        for (uint32_t i = 0; i < out; i++) {
            const uint32_t next = routes_next(ways, at, i);
            if (next == ROUTES_NONE || next == without || ways->from[next] != ROUTES_NONE ||
                (stops_at_barriers && ways->is_barrier[next]))
                continue;
            ways->from[next] = at;
            ways->queue[tail++] = next;
        }
    }
}

void routes_reach(struct routes *ways, uint32_t start)
{
    ways->queue[0] = start;
    spread(ways, 1, ROUTES_NONE, true);
}

void routes_reach_behind(struct routes *ways, uint32_t without)
{
    uint32_t tail = 0;
    for (uint32_t at = 0; at < ways->count; at++)
        if (ways->is_barrier[at])
            ways->queue[tail++] = at;
    spread(ways, tail, without, false);
}

uint32_t routes_place(struct routes *ways)
{
    uint32_t place = ROUTES_NONE;
    ways->queue[0] = 0;
    spread(ways, 1, ROUTES_NONE, false);
    if (ways->from[ways->barrier] != ROUTES_NONE)
        return ways->barrier;
    for (uint32_t at = ways->count; at-- > 0;)
        if (ways->is_barrier[at] && ways->from[at] != ROUTES_NONE)
            place = at;
    return place;
}

/* ---- Where ways meet ----------------------------------------------------------------------------------- */

struct meeting {
    struct routes *ways;
    uint32_t *first_in; /* of each instruction, and one behind: in `in` */
    uint32_t *in;       /* the instructions that lead to it */
    uint32_t *number;   /* in post-order from the end; ROUTES_NONE: does not lead there */
    uint32_t *order;
    uint32_t ordered;
};

static void list_in(const struct meeting *meeting)
{
    const struct routes *const ways = meeting->ways;
    for (uint32_t at = 0; at < ways->count; at++)
        for (uint32_t i = 0; i < routes_out(ways, at); i++) {
            const uint32_t next = routes_next(ways, at, i);
            if (next != ROUTES_NONE)
                meeting->first_in[next + 1]++;
        }
    for (uint32_t at = 0; at < ways->count; at++)
        meeting->first_in[at + 1] += meeting->first_in[at];
    memcpy(meeting->number, meeting->first_in, ways->count * sizeof *meeting->number);
    for (uint32_t at = 0; at < ways->count; at++)
        for (uint32_t i = 0; i < routes_out(ways, at); i++) {
            const uint32_t next = routes_next(ways, at, i);
            if (next != ROUTES_NONE)
                meeting->in[meeting->number[next]++] = at;
        }
}

/* ways->queue is the stack, ways->from the next of `in` that it reads. */
static void number_all(struct meeting *meeting)
{
    const struct routes *const ways = meeting->ways;
    uint32_t depth = 0;
    memset(meeting->number, 0xff, ways->count * sizeof *meeting->number);
    memset(ways->from, 0xff, ways->count * sizeof *ways->from);
    ways->from[ways->end] = meeting->first_in[ways->end];
    ways->queue[depth++] = ways->end;
    while (depth > 0) {
        const uint32_t at = ways->queue[depth - 1];
        if (ways->from[at] == meeting->first_in[at + 1]) {
            meeting->number[at] = meeting->ordered;
            meeting->order[meeting->ordered++] = at;
            depth--;
            continue;
        }
        const uint32_t next = meeting->in[ways->from[at]++];
        if (ways->from[next] == ROUTES_NONE) {
            ways->from[next] = meeting->first_in[next];
            ways->queue[depth++] = next;
        }
    }
}

static uint32_t meet_of(const struct meeting *meeting, uint32_t a, uint32_t b)
{
    const uint32_t *const meet = meeting->ways->meet;
    while (a != b) {
        while (meeting->number[a] < meeting->number[b])
            a = meet[a];
        while (meeting->number[b] < meeting->number[a])
            b = meet[b];
    }
    return a;
}

static void find_meets(const struct meeting *meeting)
{
    struct routes *const ways = meeting->ways;
    memset(ways->meet, 0xff, ways->count * sizeof *ways->meet);
    ways->meet[ways->end] = ways->end;
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t i = meeting->ordered - 1; i-- > 0;) {
            const uint32_t at = meeting->order[i], out = routes_out(ways, at);
            uint32_t meet = ROUTES_NONE;
            for (uint32_t k = 0; k < out; k++) {
                const uint32_t next = routes_next(ways, at, k);
                if (next != ROUTES_NONE && ways->meet[next] != ROUTES_NONE)
                    meet = meet == ROUTES_NONE ? next : meet_of(meeting, next, meet);
            }
            changes |= meet != ways->meet[at];
            ways->meet[at] = meet;
        }
    }
}

static bool meet_all(struct routes *ways)
{
    struct meeting meeting = {.ways = ways};
    size_t edges = 0;
    for (uint32_t at = 0; at < ways->count; at++)
        edges += routes_out(ways, at);
    uint32_t *const room =
        memory_allocate(ways->allocator, 3 * (size_t)ways->count + 1 + edges, sizeof *room);
    if (!room)
        return false;
    meeting.number = room;
    meeting.order = room + ways->count;
    meeting.first_in = meeting.order + ways->count;
    meeting.in = meeting.first_in + ways->count + 1;
    list_in(&meeting);
    number_all(&meeting);
    find_meets(&meeting);
    memory_free(ways->allocator, room);
    return true;
}

bool routes_make(struct routes *ways)
{
    const size_t count = ways->count = ways->code->code_count;
    ways->leads = memory_allocate(ways->allocator, 2 * count, sizeof *ways->leads);
    ways->meet = memory_allocate(ways->allocator, 3 * count, sizeof *ways->meet);
    if (!ways->leads || !ways->meet)
        return false;
    ways->is_barrier = ways->leads + count;
    ways->from = ways->meet + count;
    ways->queue = ways->from + count;
    find_leads(ways);
    return meet_all(ways);
}

void routes_done(struct routes *ways)
{
    memory_free(ways->allocator, ways->leads);
    memory_free(ways->allocator, ways->meet);
}
