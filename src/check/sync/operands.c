/* Counts and masks.
 *
 * Takes events of lanes that arrive at barriers or execute a warp operation, leaves findings. All that is
 * needed is in one event: lanes that wait for each other in a warp go on together. */
#include "check/sync/operands.h"

#include "program/program.h"

#include <inttypes.h>

/* What describes a finding: a count, or the masks of two lanes of a warp. */
struct wrong_operands {
    uint32_t count, warp_size;
    uint32_t lane, other;
    uint64_t mask, other_mask;
};

static void describe_count(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct wrong_operands *of = user;
    (void)finding;
    text_print(&words->message, "a barrier with a bad thread count");
    text_print(&words->note, "its count is %u, and whole warps of %u threads are counted", of->count,
               of->warp_size);
    text_print(&words->hint, "the count is a multiple of the threads of a warp");
}

static void describe_masks(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct wrong_operands *of = user;
    (void)finding;
    text_print(&words->message, "lane %u names lane %u, whose member mask is another one", of->lane,
               of->other);
    text_print(&words->note, "their masks are 0x%08" PRIx64 " and 0x%08" PRIx64, of->mask, of->other_mask);
    text_print(&words->hint,
               "give all lanes that execute the instruction together the same mask, which names "
               "all of them");
}

/* Lane `lane` of the event is the first of `count`. */
static void found(hx_checks *checks, const hx_lanes_event *event, enum check_kind kind, uint32_t lane,
                  uint64_t count, const struct wrong_operands *of)
{
    const bool is_count = kind == CHECK_SYNC_COUNT;
    const struct check_finding finding = {
        .kind = kind,
        .sites = {{.launch = check_launch_now(checks),
                   .instruction = event->at.instruction,
                   .block = event->at.block,
                   .thread = event->at.first_thread + lane,
                   .role = is_count ? "barrier" : "warp operation"}},
        .site_count = 1,
        .count = count,
        .describe = is_count ? describe_count : describe_masks,
        .user = (void *)(uintptr_t)of,
    };
    check_found(checks, &finding);
}

void operands_check_counts(hx_checks *checks, const hx_lanes_event *event, uint32_t threads,
                           uint32_t warp_size)
{
    uint64_t wrong = 0;
    if (!event->noted || !check_kernel_now(checks)->is_imported)
        return;
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t count = event->noted[__builtin_ctzll(left)];
        if (count <= threads && count % warp_size != 0)
            wrong |= left & -left;
    }
    if (!wrong)
        return;
    const uint32_t lane = (uint32_t)__builtin_ctzll(wrong);
    const struct wrong_operands of = {.count = event->noted[lane], .warp_size = warp_size};
    found(checks, event, CHECK_SYNC_COUNT, lane, (uint64_t)__builtin_popcountll(wrong), &of);
}

/* Those of `lanes` that have the same mask as the first of them. */
static uint64_t lanes_of_first_mask(const hx_lanes_event *event, uint64_t lanes)
{
    const uint64_t mask = event->members[__builtin_ctzll(lanes)];
    uint64_t same = lanes & -lanes;
    for (uint64_t left = lanes & mask; left; left &= left - 1)
        if (event->members[__builtin_ctzll(left)] == mask)
            same |= left & -left;
    return same;
}

void operands_check_masks(hx_checks *checks, const hx_lanes_event *event, uint32_t warp_size)
{
    uint64_t wrong = 0;
    struct wrong_operands of = {0};
    for (uint64_t left = event->members ? event->lanes : 0, same; left; left &= ~same) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left), first = lane & ~(warp_size - 1);
        same = lanes_of_first_mask(event, left);
        const uint64_t others = event->members[lane] & event->lanes & ~same;
        if (others && !wrong) {
            const uint32_t other = (uint32_t)__builtin_ctzll(others);
            of = (struct wrong_operands){.lane = lane - first,
                                         .other = other - first,
                                         .mask = event->members[lane] >> first,
                                         .other_mask = event->members[other] >> first};
        }
        wrong |= others ? same : 0;
    }
    if (wrong)
        found(checks, event, CHECK_SYNC_DIFFERENT_MASKS, (uint32_t)__builtin_ctzll(wrong),
              (uint64_t)__builtin_popcountll(wrong), &of);
}
