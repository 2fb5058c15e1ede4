/* Copies of whole blocks, and broadcasts in them.
 *
 * Takes the notes of threads, leaves findings: threads that do not copy or wait alike, or take the values of
 * different ones, copies that nobody waits for, events that no copy has.
 *
 * Each thread has the list of what it did since the block's last barrier; lists are held against each other
 * when all threads have come, so that a finding does not depend on the order in which they ran. Only the
 * first calls of a list are kept, and of all of them a hash. */
#include "check/sync/copies.h"

#include "base/memory.h"
#include "check/notes.h"

#include <stdio.h>
#include <string.h>

#define CALLS_KEPT 6
#define KINDS      8u /* the numbers of the notes differ, divided by this */
_Static_assert(NOTE_BROADCAST % KINDS != NOTE_COPY % KINDS &&
                   NOTE_BROADCAST % KINDS != NOTE_COPY_EVENT % KINDS &&
                   NOTE_BROADCAST % KINDS != NOTE_COPY_WAIT % KINDS,
               "notes of calls differ");

struct call {
    uint32_t instruction, what; /* what: of its values, a hash */
};
struct caller {
    uint32_t count, hash;
    struct call calls[CALLS_KEPT]; /* the first ones; the last is also the last of all */
};
struct begun {
    uint32_t event, instruction, thread;
    bool is_waited; /* by some thread */
};
struct copy_log {
    uint32_t threads;
    bool is_used;
    LIST(struct begun) begun;
    struct caller *callers; /* of each thread */
};

static struct copy_log *make_log(const hx_allocator *allocator, uint32_t threads)
{
    struct copy_log *log = memory_allocate(allocator, 1, sizeof *log);
    if (!log)
        return NULL;
    log->threads = threads;
    log->callers = memory_allocate(allocator, threads, sizeof *log->callers);
    if (log->callers)
        return log;
    memory_free(allocator, log);
    return NULL;
}

void copies_free(hx_checks *checks, struct copy_log *log)
{
    if (!log)
        return;
    LIST_DONE(check_allocator(checks), &log->begun);
    memory_free(check_allocator(checks), log->callers);
    memory_free(check_allocator(checks), log);
}

/* ---- Findings ------------------------------------------------------------------------------------------ */

static void describe(void *user, const struct check_finding *finding, struct check_words *words)
{
    (void)user;
    switch (finding->kind) {
    case CHECK_SYNC_DIVERGENT_COPY:
        text_print(&words->message, "threads of one block do not copy, or wait for copies, alike");
        text_print(&words->hint,
                   "all work-items of a group call async_work_group_copy and wait_group_events, in "
                   "one order and with the same arguments");
        break;
    case CHECK_SYNC_DIVERGENT_BROADCAST:
        text_print(&words->message, "threads of one block broadcast the values of different ones");
        text_print(&words->hint, "all work-items of a group give work_group_broadcast the same ids");
        break;
    case CHECK_SYNC_UNWAITED_COPY:
        text_print(&words->message, "a copy that no thread waits for before the block ends");
        text_print(&words->hint, "give its event to wait_group_events, before what was copied is used");
        break;
    default:
        text_print(&words->message, "a wait for an event that no copy has");
        text_print(&words->hint, "wait for what async_work_group_copy returned, once");
        break;
    }
}

static void found_one(hx_checks *checks, enum check_kind kind, uint64_t count, struct check_site site)
{
    const struct check_finding finding = {
        .kind = kind, .sites = {site}, .site_count = 1, .count = count, .describe = describe};
    check_found(checks, &finding);
}

/* ---- Notes --------------------------------------------------------------------------------------------- */

static struct begun *find_begun(struct copy_log *log, uint32_t event)
{
    for (size_t i = 0; i < log->begun.count; i++)
        if (log->begun.items[i].event == event)
            return &log->begun.items[i];
    return NULL;
}

static bool note_event(hx_checks *checks, struct copy_log *log, const hx_lanes_event *event, uint32_t lane)
{
    struct begun *const begun = find_begun(log, event->noted[lane]);
    const struct begun new_one = {.event = event->noted[lane],
                                  .instruction = event->at.instruction,
                                  .thread = event->at.first_thread + lane};
    return begun || LIST_PUSH(check_allocator(checks), &log->begun, new_one);
}

static void add_call(struct caller *caller, uint32_t instruction, uint32_t what)
{
    const uint32_t at = caller->count < CALLS_KEPT ? caller->count : CALLS_KEPT - 1;
    caller->calls[at] = (struct call){instruction, what};
    caller->hash = (caller->hash ^ what) * 16777619u;
    caller->count++;
}

bool copies_note(hx_checks *checks, struct copy_log **log_of, uint32_t threads, const hx_lanes_event *event)
{
    struct copy_log *log = *log_of;
    uint64_t wrong = 0;
    const bool is_of_copy = event->value >= NOTE_COPY && event->value <= NOTE_COPY_WAIT;
    if (!(is_of_copy || event->value == NOTE_BROADCAST) || !event->noted)
        return true;
    if (!log && !(log = *log_of = make_log(check_allocator(checks), threads)))
        return false;
    log->is_used = true;
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left), value = event->noted[lane];
        add_call(&log->callers[event->at.first_thread + lane], event->at.instruction,
                 value * KINDS + event->value % KINDS);
        struct begun *const begun = event->value == NOTE_COPY_WAIT ? find_begun(log, value) : NULL;
        if (event->value == NOTE_COPY_EVENT && !note_event(checks, log, event, lane))
            return false;
        if (begun)
            begun->is_waited = true;
        else if (event->value == NOTE_COPY_WAIT)
            wrong |= left & -left;
    }
    if (wrong)
        found_one(checks, CHECK_SYNC_NO_EVENT, (uint64_t)__builtin_popcountll(wrong),
                  sync_site(checks, event->at.instruction, event->at.block,
                            event->at.first_thread + (uint32_t)__builtin_ctzll(wrong), "wait"));
    return true;
}

/* ---- Comparing ----------------------------------------------------------------------------------------- */

/* Both broadcast, and of different threads? */
static bool are_broadcasts(const struct caller *a, const struct caller *b, uint32_t call)
{
    const uint32_t at = call < CALLS_KEPT ? call : CALLS_KEPT - 1, kind = NOTE_BROADCAST % KINDS;
    return call < a->count && call < b->count && a->calls[at].what % KINDS == kind &&
           b->calls[at].what % KINDS == kind;
}

/* The first call in which the two differ: both counts when they do not. */
static uint32_t first_difference(const struct caller *a, const struct caller *b)
{
    const uint32_t count = a->count < b->count ? a->count : b->count;
    const uint32_t kept = count < CALLS_KEPT - 1 ? count : CALLS_KEPT - 1;
    for (uint32_t i = 0; i < kept; i++)
        if (a->calls[i].what != b->calls[i].what)
            return i;
    if (a->count == b->count && a->hash == b->hash)
        return a->count;
    return kept;
}

static struct check_site site_in(hx_checks *checks, const struct copy_log *log, uint32_t thread,
                                 uint32_t call, uint64_t block, const struct sync_places *at)
{
    const struct caller *const caller = &log->callers[thread];
    if (call < caller->count)
        return sync_site(checks, caller->calls[call].instruction, block, thread, "what one does");
    const uint32_t place = at->exited[thread] ? at->exited[thread] : at->arrived[thread];
    return sync_site(checks, place ? place - 1 : 0, block, thread,
                     at->exited[thread] ? "end of one that does not" : "barrier of one that does not");
}

static void compare(hx_checks *checks, const struct copy_log *log, uint64_t block,
                    const struct sync_places *at)
{
    uint32_t other = log->threads, count = 0, call = 0;
    for (uint32_t thread = 1; thread < log->threads; thread++) {
        const uint32_t differs = first_difference(&log->callers[0], &log->callers[thread]);
        if (differs == log->callers[0].count && differs == log->callers[thread].count)
            continue;
        call = count++ == 0 ? differs : call;
        other = count == 1 ? thread : other;
    }
    if (count == 0)
        return;
    const bool is_first = call < log->callers[0].count;
    const uint32_t a = is_first ? 0 : other, b = is_first ? other : 0;
    struct check_finding finding = {
        .kind = are_broadcasts(&log->callers[a], &log->callers[b], call) ? CHECK_SYNC_DIVERGENT_BROADCAST
                                                                         : CHECK_SYNC_DIVERGENT_COPY,
        .sites = {site_in(checks, log, a, call, block, at), site_in(checks, log, b, call, block, at)},
        .site_count = 2,
        .count = count,
        .describe = describe};
    if (call < log->callers[b].count)
        finding.sites[1].role = "what another one does";
    check_found(checks, &finding);
}

void copies_release(hx_checks *checks, struct copy_log *log, uint64_t block, const struct sync_places *at)
{
    size_t kept = 0;
    if (!log || !log->is_used)
        return;
    compare(checks, log, block, at);
    for (size_t i = 0; i < log->begun.count; i++)
        if (!log->begun.items[i].is_waited)
            log->begun.items[kept++] = log->begun.items[i];
    log->begun.count = kept;
    log->is_used = kept > 0;
    memset(log->callers, 0, log->threads * sizeof *log->callers);
}

void copies_end(hx_checks *checks, struct copy_log *log, uint64_t block, const struct sync_places *at)
{
    copies_release(checks, log, block, at);
    for (size_t i = 0; log && i < log->begun.count; i++)
        found_one(
            checks, CHECK_SYNC_UNWAITED_COPY, 1,
            sync_site(checks, log->begun.items[i].instruction, block, log->begun.items[i].thread, "copy"));
    if (log) {
        log->begun.count = 0;
        log->is_used = false;
    }
}
