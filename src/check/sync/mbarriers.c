/* Barriers in shared memory that nobody has initialized, or that are initialized where one is.
 *
 * Takes the notes of threads, in the order in which they ran, leaves findings. A barrier is a word like any
 * other here, so that one that was never made has zeros or what was in its place: its phase may never end, or
 * be over at once. One that is initialized again behind a barrier of the block is let by: the class of CUDA
 * C++ has no other way to end one than a destructor, which a shared variable cannot have here. */
#include "check/sync/mbarriers.h"

#include "base/memory.h"
#include "check/notes.h"

#include <inttypes.h>

static struct mbarrier *find(struct mbarriers *mbarriers, uint32_t offset)
{
    for (size_t i = 0; i < mbarriers->places.count; i++)
        if (mbarriers->places.items[i].offset == offset)
            return &mbarriers->places.items[i];
    return NULL;
}

static void describe_none(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct mbarrier *const was = user;
    text_print(&words->message, "%s of a barrier in shared memory, at offset %" PRIu64 ", that ",
               finding->sites[0].role, finding->address);
    text_print(&words->message, was ? "was invalidated" : "nobody has initialized");
    text_print(&words->hint, "let one thread initialize it (mbarrier.init, init of cuda::barrier), and all "
                             "threads of the block meet behind that, before it is used");
}

static void describe_live(void *user, const struct check_finding *finding, struct check_words *words)
{
    (void)user;
    text_print(&words->message, "a barrier in shared memory, at offset %" PRIu64 ", is initialized again",
               finding->address);
    text_print(&words->hint, "let one thread initialize it; to use its memory for another one, invalidate it "
                             "before (mbarrier.inval), behind the last use");
}

/* Lane `lane` of the event has found a place that is not as it must be; `was` is who left it so, or NULL. */
static void found(hx_checks *checks, const hx_lanes_event *event, uint32_t lane, const struct mbarrier *was)
{
    const struct check_launch *const launch = check_launch_now(checks);
    const bool is_live = event->value == NOTE_MBARRIER_INIT;
    struct check_finding finding = {.kind = is_live ? CHECK_SYNC_LIVE_MBARRIER : CHECK_SYNC_NO_MBARRIER,
                                    .sites = {{.launch = launch,
                                               .instruction = event->at.instruction,
                                               .block = event->at.block,
                                               .thread = event->at.first_thread + lane,
                                               .role = is_live ? "initialization"
                                                       : event->value == NOTE_MBARRIER_INVAL ? "invalidation"
                                                                                             : "use"}},
                                    .site_count = 1,
                                    .count = 1,
                                    .describe = is_live ? describe_live : describe_none,
                                    .user = (void *)(uintptr_t)was,
                                    .address = event->noted[lane]};
    if (was)
        finding.sites[finding.site_count++] =
            (struct check_site){.launch = launch,
                                .instruction = was->instruction,
                                .block = event->at.block,
                                .thread = was->thread,
                                .role = is_live ? "initialization before" : "invalidation"};
    check_found(checks, &finding);
}

bool mbarriers_note(hx_checks *checks, struct mbarriers *mbarriers, const hx_lanes_event *event)
{
    const bool makes = event->value == NOTE_MBARRIER_INIT, ends = event->value == NOTE_MBARRIER_INVAL;
    if (!(makes || ends || event->value == NOTE_MBARRIER_USE) || !event->noted)
        return true;
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const struct mbarrier now = {.offset = event->noted[lane],
                                     .instruction = event->at.instruction,
                                     .thread = event->at.first_thread + lane,
                                     .is_live = makes};
        struct mbarrier *const place = find(mbarriers, now.offset);
        const bool is_live = place && place->is_live;
        if (makes ? is_live && !place->is_met : !is_live)
            found(checks, event, lane, place);
        if (place && (makes || (ends && is_live)))
            *place = now;
        else if (makes && !LIST_PUSH(check_allocator(checks), &mbarriers->places, now))
            return false;
    }
    return true;
}

void mbarriers_release(struct mbarriers *mbarriers)
{
    for (size_t i = 0; i < mbarriers->places.count; i++)
        mbarriers->places.items[i].is_met = true;
}

void mbarriers_clear(struct mbarriers *mbarriers)
{
    mbarriers->places.count = 0;
}

void mbarriers_free(hx_checks *checks, struct mbarriers *mbarriers)
{
    LIST_DONE(check_allocator(checks), &mbarriers->places);
}
