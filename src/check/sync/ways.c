/* The ways that the threads of a block went where code branches.
 *
 * For each branch of the kernel there is a bit for each thread: it jumped when it was there last, and another
 * one: it did not. A thread that has returned was not there again. */
#include "check/sync/ways.h"

#include "check/sync/returns.h"
#include "verify/flow.h"

#include <string.h>

#define NO_ROW UINT32_MAX

/* What returns_find has found. */
struct way_answer {
    uint32_t barrier, end;
    struct return_ways ways;
};
struct way_log {
    uint32_t rows, chunks; /* of 64 threads */
    uint32_t *row_of;      /* of each instruction; NO_ROW: it does not branch */
    uint64_t *went;        /* at (2 * row + jumps) * chunks + thread / 64 */
    LIST(struct way_answer) answers;
};

static void number_rows(const struct kernel *code, struct way_log *log)
{
    for (uint32_t i = 0; i < code->code_count; i++) {
        const int semantic = verify_flow_semantic(&code->code[i]);
        log->row_of[i] = semantic == SEM_branch || semantic == SEM_loop ? log->rows++ : NO_ROW;
    }
}

static struct way_log *make_log(hx_checks *checks, uint32_t threads)
{
    const struct kernel *const code = check_kernel_now(checks);
    const hx_allocator *const allocator = check_allocator(checks);
    struct way_log *const log = memory_allocate(allocator, 1, sizeof *log);
    if (!log)
        return NULL;
    log->chunks = (threads + 63) / 64;
    log->row_of = memory_allocate(allocator, code->code_count, sizeof *log->row_of);
    if (log->row_of)
        number_rows(code, log);
    log->went = memory_allocate(allocator, 2 * (size_t)log->rows * log->chunks + 1, sizeof *log->went);
    if (log->row_of && log->went)
        return log;
    ways_free(checks, log);
    return NULL;
}

/* Of the threads from `first` on that stand there, those are in the row at `at` that went this way. */
static void note_lanes(struct way_log *log, size_t at, uint32_t first, uint64_t standing, uint64_t lanes)
{
    const uint32_t shift = first % 64;
    uint64_t *const row = &log->went[at + first / 64];
    row[0] = (row[0] & ~(standing << shift)) | ((standing & lanes) << shift);
    if (shift > 0 && standing >> (64 - shift))
        row[1] = (row[1] & ~(standing >> (64 - shift))) | (standing & lanes) >> (64 - shift);
}

bool ways_branch(hx_checks *checks, struct way_log **log, uint32_t threads, const hx_lanes_event *event)
{
    const uint32_t branch = event->at.instruction;
    if (!*log && !(*log = make_log(checks, threads)))
        return false;
    if ((*log)->row_of[branch] != NO_ROW)
        for (int jumps = 0; jumps < 2; jumps++)
            note_lanes(*log, (2 * (size_t)(*log)->row_of[branch] + (size_t)jumps) * (*log)->chunks,
                       event->at.first_thread, event->standing, jumps ? event->lanes : ~event->lanes);
    return true;
}

static const struct return_ways *find_ways(hx_checks *checks, struct way_log *log, uint32_t barrier,
                                           uint32_t end)
{
    const hx_allocator *const allocator = check_allocator(checks);
    for (size_t i = 0; i < log->answers.count; i++)
        if (log->answers.items[i].barrier == barrier && log->answers.items[i].end == end)
            return &log->answers.items[i].ways;
    struct way_answer answer = {barrier, end,
                                returns_find(allocator, check_kernel_now(checks), barrier, end)};
    if (LIST_PUSH(allocator, &log->answers, answer))
        return &log->answers.items[log->answers.count - 1].ways;
    returns_done(allocator, &answer.ways);
    return NULL;
}

static bool has_gone(const struct way_log *log, const struct return_way *way, uint32_t thread)
{
    const size_t at = (2 * (size_t)log->row_of[way->branch] + way->jumps) * log->chunks;
    return log->went[at + thread / 64] >> (thread % 64) & 1;
}

bool ways_has_skipped(hx_checks *checks, struct way_log **log, uint32_t threads, uint32_t thread,
                      uint32_t barrier, uint32_t end, bool may_return)
{
    if (!*log && !(*log = make_log(checks, threads)))
        return false;
    const struct return_ways *const ways = find_ways(checks, *log, barrier, end);
    if (!ways || !ways->is_behind || (may_return && ways->is_open))
        return false;
    for (size_t i = 0; may_return && i < ways->items.count; i++)
        if (has_gone(*log, &ways->items.items[i], thread))
            return false;
    return true;
}

void ways_clear(struct way_log *log)
{
    if (log)
        memset(log->went, 0, 2 * (size_t)log->rows * log->chunks * sizeof *log->went);
}

void ways_free(hx_checks *checks, struct way_log *log)
{
    if (!log)
        return;
    for (size_t i = 0; i < log->answers.count; i++)
        returns_done(check_allocator(checks), &log->answers.items[i].ways);
    LIST_DONE(check_allocator(checks), &log->answers);
    memory_free(check_allocator(checks), log->row_of);
    memory_free(check_allocator(checks), log->went);
    memory_free(check_allocator(checks), log);
}
