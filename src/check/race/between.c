/* Findings of races between commands.
 *
 * Takes pairs of accesses, word by word, leaves a finding for those of the same instructions and buffer, with
 * both launches, or the launch and the copy. */
#include "check/race/between.h"

#include <inttypes.h>

static struct between_side side_of(const struct past_launch *launch, uint32_t groups, uint32_t group,
                                   uint32_t lane, uint32_t what)
{
    const bool is_store = what & WHAT_STORE, is_strong = what & WHAT_STRONG;
    return (struct between_side){.by = &launch->by,
                                 .launch = launch,
                                 .what = is_store ? is_strong ? "strong store" : "store"
                                                  : (is_strong ? "strong load" : "load"),
                                 .instruction = what & WHAT_INSTRUCTION,
                                 .thread = group % groups * GROUP_LANES + lane,
                                 .element_bytes = 1u << (what >> WHAT_BYTES_AT & 3),
                                 .block = group / groups};
}

struct between_side between_side(const struct past_launch *launch, const struct past_access *access)
{
    return side_of(launch, launch->block_groups, access->group, access->lane, access->what);
}

struct between_side between_now(const struct race_launches *launches, const struct race_engine *engine,
                                const struct record *record)
{
    return side_of(&launches->launches.items[launches->launches.count - 1], engine->block_groups,
                   record->group, (uint32_t)__builtin_ctz(record->lanes), record->what);
}

struct between_side between_range(const struct past_range *range)
{
    return (struct between_side){.by = &range->by, .what = range->what};
}

/* ---- Words --------------------------------------------------------------------------------------------- */

static void print_side(struct text *text, const struct between_side *side)
{
    text_print(text, "%s", side->what);
    if (side->launch)
        text_print(text, " of launch %" PRIu64 " (%s)", side->launch->launch->number,
                   side->launch->launch->code->kernel);
    text_print(text, " in %s", side->by->queue);
}

static void describe(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct between *const pair = user;
    const struct check_buffer *const buffer = check_find_buffer(pair->launches->checks, pair->address);
    hx_finding_object *const object = &words->object;
    (void)finding;
    print_side(&words->message, &pair->first);
    text_print(&words->message, " and ");
    print_side(&words->message, &pair->second);
    text_print(&words->message, " that nothing orders, of ");
    if (buffer && pair->address - buffer->low < buffer->size) {
        text_put(words->name, sizeof words->name, buffer->name);
        object->low = buffer->low;
        object->size = buffer->size;
        object->offset = (int64_t)(pair->address - buffer->low);
        object->element_bytes = finding->bytes;
        object->element = object->offset / (int64_t)finding->bytes;
        text_print(&words->message, "element %" PRId64 " of ", object->element);
        check_print_buffer(&words->message, buffer->name);
    } else {
        text_print(&words->message, "global address 0x%" PRIx64, pair->address);
    }
    text_print(
        &words->hint,
        "let the second command wait for an event behind the first one (cuEventRecord and cuStreamWaitEvent; "
        "in OpenCL the event in its list, or a barrier), or let the host wait for the first one");
}

enum { GLOBAL = 1 }; /* hx_finding_object.space */

/* ---- Findings ------------------------------------------------------------------------------------------ */

static const char *name_at(const struct between *pair)
{
    const struct check_buffer *const buffer = check_find_buffer(pair->launches->checks, pair->address);
    return buffer ? buffer->name : "";
}

static bool is_like(const struct between_side *a, const struct between_side *b)
{
    return a->launch == b->launch && a->what == b->what && a->instruction == b->instruction;
}

void between_add(const struct between *pair)
{
    struct race_launches *const launches = pair->launches;
    const struct between *const pending = &launches->pending;
    const bool is_swapped = !pair->first.launch && pair->second.launch;
    if (launches->found > 0 && is_like(&pair->first, is_swapped ? &pending->second : &pending->first) &&
        is_like(&pair->second, is_swapped ? &pending->first : &pending->second) &&
        name_at(pair) == name_at(pending)) {
        launches->found++;
        return;
    }
    between_flush(launches);
    launches->pending = *pair;
    if (is_swapped) { /* which of them was first hangs on the schedule */
        launches->pending.first = pair->second;
        launches->pending.second = pair->first;
    }
    launches->found = 1;
}

static void add_site(struct check_finding *finding, const struct between_side *side)
{
    if (!side->launch)
        return;
    finding->sites[finding->site_count++] = (struct check_site){.launch = side->launch->launch,
                                                                .instruction = side->instruction,
                                                                .thread = side->thread,
                                                                .block = side->block,
                                                                .role = side->what};
    finding->bytes = side->element_bytes;
}

void between_flush(struct race_launches *launches)
{
    struct between *const pair = &launches->pending;
    if (launches->found == 0)
        return;
    struct check_finding finding = {.kind = CHECK_RACE_LAUNCHES,
                                    .subject = check_name_hash(name_at(pair)),
                                    .count = launches->found,
                                    .describe = describe,
                                    .user = pair,
                                    .space = GLOBAL,
                                    .address = pair->address,
                                    .bytes = 1};
    add_site(&finding, &pair->first);
    add_site(&finding, &pair->second);
    /* of copies, there is no instruction that tells them apart */
    finding.subject ^= pair->first.launch ? 0 : check_name_hash(pair->first.what) << 1;
    finding.subject ^= pair->second.launch ? 0 : check_name_hash(pair->second.what) << 2;
    check_found(launches->checks, &finding);
    launches->found = 0;
}
