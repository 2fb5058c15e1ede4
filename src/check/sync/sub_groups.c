/* Calls of whole sub-groups: barriers, votes, broadcasts, reductions and scans of OpenCL C.
 *
 * Takes the notes of threads, leaves findings: work-items of one sub-group that are not at one call together,
 * and broadcasts of different work-items' values.
 *
 * A sub-group has 32 work-items, whatever a warp has, and the last one of a block may have fewer. The first
 * calls of all its work-items since the last barrier of the block belong together, and so do the second ones.
 * What belongs together is a meeting. It is over when all have come; the lowest work-items that differ are
 * reported, so that a finding does not depend on the order in which they ran. Once a sub-group was not
 * together, nothing can be said of its later calls: they count again behind the block's next barrier.
 *
 * Meetings of a sub-group end in the order of their numbers. Of those that are not over, MEETINGS_MOST are
 * kept; calls of a work-item that is further ahead of the last one are not counted. */
#include "check/sync/sub_groups.h"

#include "base/memory.h"
#include "check/notes.h"

#include <string.h>

#define SUB_GROUP     32u
#define MEETINGS_MOST 64u

struct meeting {
    uint32_t group;
    uint32_t here; /* who has come */
    uint32_t instructions[SUB_GROUP], ids[SUB_GROUP];
};
struct sub_group {
    bool is_apart;        /* its work-items were not at one call */
    bool is_full;         /* calls from `most` on are not counted */
    uint32_t first, end;  /* the numbers of the meetings that are not over */
    uint32_t most;        /* if is_full */
    struct meeting *ring; /* MEETINGS_MOST, by their numbers; NULL: there were none */
};
struct sub_group_log {
    uint32_t threads;
    bool is_used;
    struct sub_group *groups;
    uint32_t *calls; /* of each thread, so far */
};

static uint32_t groups_of(uint32_t threads)
{
    return (threads + SUB_GROUP - 1) / SUB_GROUP;
}

/* Those that a sub-group has. */
static uint32_t members_of(const struct sub_group_log *log, uint32_t group)
{
    const uint32_t left = log->threads - group * SUB_GROUP;
    return left < SUB_GROUP ? (UINT32_C(1) << left) - 1 : UINT32_MAX;
}

static struct sub_group_log *make_log(const hx_allocator *allocator, uint32_t threads)
{
    struct sub_group_log *log = memory_allocate(allocator, 1, sizeof *log);
    if (!log)
        return NULL;
    log->threads = threads;
    log->groups = memory_allocate(allocator, groups_of(threads), sizeof *log->groups);
    log->calls = memory_allocate(allocator, threads, sizeof *log->calls);
    if (log->groups && log->calls)
        return log;
    memory_free(allocator, log->groups);
    memory_free(allocator, log->calls);
    memory_free(allocator, log);
    return NULL;
}

void sub_groups_free(hx_checks *checks, struct sub_group_log *log)
{
    if (!log)
        return;
    for (uint32_t i = 0; i < groups_of(log->threads); i++)
        memory_free(check_allocator(checks), log->groups[i].ring);
    memory_free(check_allocator(checks), log->groups);
    memory_free(check_allocator(checks), log->calls);
    memory_free(check_allocator(checks), log);
}

/* ---- Findings ------------------------------------------------------------------------------------------ */

static void describe(void *user, const struct check_finding *finding, struct check_words *words)
{
    (void)user;
    if (finding->kind == CHECK_SYNC_DIVERGENT_BROADCAST) {
        text_print(&words->message, "work-items of one sub-group broadcast the values of different ones");
        text_print(&words->hint,
                   "all work-items of a sub-group give sub_group_broadcast the same id; sub_group_shuffle "
                   "takes one of each");
        return;
    }
    text_print(&words->message, "work-items of one sub-group are not at one call of it together");
    text_print(&words->hint, "put the call where all work-items of the sub-group pass it, or use a function "
                             "of those that are there, such as sub_group_non_uniform_reduce_add");
}

static uint32_t first_of(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

/* Of those that have come, who differ from the first one. */
static uint32_t different(const uint32_t *values, uint32_t here)
{
    uint32_t found = 0;
    for (uint32_t left = here; left; left &= left - 1)
        if (values[first_of(left)] != values[first_of(here)])
            found |= left & -left;
    return found;
}

static void found_two(hx_checks *checks, enum check_kind kind, uint32_t count, struct check_site first,
                      struct check_site second)
{
    const struct check_finding finding = {
        .kind = kind, .sites = {first, second}, .site_count = 2, .count = count, .describe = describe};
    check_found(checks, &finding);
}

static struct check_site call_of(const hx_checks *checks, const struct meeting *meeting, uint64_t block,
                                 uint32_t lane, const char *role)
{
    return sync_site(checks, meeting->instructions[lane], block, meeting->group * SUB_GROUP + lane, role);
}

/* Those that are at one call are held against the first one that is elsewhere. */
static void found_apart(hx_checks *checks, const struct meeting *meeting, uint64_t block, uint32_t others)
{
    const uint32_t first = first_of(meeting->here), other = first_of(others);
    const bool is_in_order = meeting->instructions[first] < meeting->instructions[other];
    const uint32_t upper = is_in_order ? first : other, lower = is_in_order ? other : first;
    found_two(checks, CHECK_SYNC_DIVERGENT_SUB_GROUP, (uint32_t)__builtin_popcount(others),
              call_of(checks, meeting, block, upper, "what one calls"),
              call_of(checks, meeting, block, lower, "what another one calls"));
}

/* All have come. */
static void finish(hx_checks *checks, struct sub_group_log *log, const struct meeting *meeting,
                   uint64_t block)
{
    const uint32_t elsewhere = different(meeting->instructions, meeting->here);
    const uint32_t ids = elsewhere ? 0 : different(meeting->ids, meeting->here);
    if (elsewhere && !log->groups[meeting->group].is_apart)
        found_apart(checks, meeting, block, elsewhere);
    log->groups[meeting->group].is_apart |= elsewhere != 0;
    if (ids && !log->groups[meeting->group].is_apart)
        found_two(checks, CHECK_SYNC_DIVERGENT_BROADCAST, (uint32_t)__builtin_popcount(ids),
                  call_of(checks, meeting, block, first_of(meeting->here), "what one does"),
                  call_of(checks, meeting, block, first_of(ids), "what another one does"));
}

/* Does one of those that have come wait in its call? Else it went on, as the others have ended. */
static bool is_waited_in(const struct meeting *meeting, const struct sync_places *at)
{
    for (uint32_t left = meeting->here; left; left &= left - 1) {
        const uint32_t thread = meeting->group * SUB_GROUP + first_of(left);
        if (!at->arrived[thread] && !at->exited[thread])
            return true;
    }
    return false;
}

/* Not all have come, and no more will. False: that is said already, or nobody waits for them. */
static bool give_up(hx_checks *checks, struct sub_group_log *log, const struct meeting *meeting,
                    uint64_t block, const struct sync_places *at)
{
    const uint32_t elsewhere = different(meeting->instructions, meeting->here);
    const uint32_t missing = members_of(log, meeting->group) & ~meeting->here;
    const uint32_t thread = meeting->group * SUB_GROUP + first_of(missing);
    const uint32_t place = at->exited[thread] ? at->exited[thread] : at->arrived[thread];
    if (log->groups[meeting->group].is_apart)
        return false;
    log->groups[meeting->group].is_apart = true;
    if (elsewhere)
        found_apart(checks, meeting, block, elsewhere);
    else
        found_two(checks, CHECK_SYNC_DIVERGENT_SUB_GROUP, (uint32_t)__builtin_popcount(missing),
                  call_of(checks, meeting, block, first_of(meeting->here), "what one calls"),
                  sync_site(checks, place ? place - 1 : meeting->instructions[first_of(meeting->here)], block,
                            thread,
                            at->exited[thread] ? "end of one that does not"
                            : place            ? "barrier of one that does not"
                                               : "call that one does not reach"));
    return is_waited_in(meeting, at);
}

/* ---- Notes --------------------------------------------------------------------------------------------- */

static struct meeting *meeting_of(const struct sub_group *group, uint32_t number)
{
    return &group->ring[number % MEETINGS_MOST];
}

/* False: no memory. *ret_meeting is NULL: it is not counted. */
static bool find_meeting(hx_checks *checks, struct sub_group *group, uint32_t number,
                         struct meeting **ret_meeting)
{
    *ret_meeting = NULL;
    if (!group->ring)
        group->ring = memory_allocate(check_allocator(checks), MEETINGS_MOST, sizeof *group->ring);
    if (!group->ring)
        return false;
    if (!group->is_full && number - group->first >= MEETINGS_MOST) {
        group->is_full = true;
        group->most = group->first + MEETINGS_MOST;
    }
    if (group->is_full && number >= group->most)
        return true;
    group->end = number >= group->end ? number + 1 : group->end;
    *ret_meeting = meeting_of(group, number);
    return true;
}

bool sub_groups_note(hx_checks *checks, struct sub_group_log **log_of, uint32_t threads,
                     const hx_lanes_event *event)
{
    struct sub_group_log *log = *log_of;
    if (event->value != NOTE_SUB_GROUP || !event->lanes)
        return true;
    if (!log && !(log = *log_of = make_log(check_allocator(checks), threads)))
        return false;
    log->is_used = true;
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left), thread = event->at.first_thread + lane;
        const uint32_t group = thread / SUB_GROUP, member = thread % SUB_GROUP;
        struct meeting *meeting;
        if (!find_meeting(checks, &log->groups[group], log->calls[thread]++, &meeting))
            return false;
        if (!meeting)
            continue;
        meeting->group = group;
        meeting->here |= UINT32_C(1) << member;
        meeting->instructions[member] = event->at.instruction;
        meeting->ids[member] = event->noted ? event->noted[lane] : 0;
        if (meeting->here != members_of(log, group))
            continue;
        finish(checks, log, meeting, event->at.block);
        meeting->here = 0;
        log->groups[group].first++;
    }
    return true;
}

uint32_t sub_groups_end(hx_checks *checks, struct sub_group_log *log, uint64_t block,
                        const struct sync_places *at)
{
    uint32_t count = 0;
    if (!log || !log->is_used)
        return 0;
    for (uint32_t i = 0; i < groups_of(log->threads); i++) {
        struct sub_group *const group = &log->groups[i];
        for (uint32_t number = group->first; number < group->end; number++) {
            count += give_up(checks, log, meeting_of(group, number), block, at);
            meeting_of(group, number)->here = 0;
        }
        *group = (struct sub_group){.ring = group->ring};
    }
    log->is_used = false;
    memset(log->calls, 0, log->threads * sizeof *log->calls);
    return count;
}

bool sub_groups_is_apart(const struct sub_group_log *log, uint32_t thread)
{
    if (!log || !log->is_used)
        return false;
    const struct sub_group *const group = &log->groups[thread / SUB_GROUP];
    for (uint32_t number = group->first; number < group->end; number++)
        if (meeting_of(group, number)->here >> thread % SUB_GROUP & 1)
            return true;
    return group->is_apart;
}
