/* Forms.
 *
 * Takes what a kind of marks has in common, once a launch, and gives it a number; takes marks from the writer
 * thread and leaves records, letter for letter those that hx_trace_perf_put would have made. Everything that
 * can be known beforehand is decided here, so that a mark costs its thread no call: by the filter, for each
 * instruction; by the threshold, as a number of ticks. */
#include "trace/forms.h"

#if HX_TRACING
#include "trace/registry.h"

#include <string.h>

#define FORMS_MAX   4096
#define FIELDS_MAX  6
#define CHAINS      256
#define TAPE_MARKED (UINT64_C(1) << 63) /* ids of marks are no ids of ring_next_id */

struct form {
    const struct form *next; /* in its chain */
    const hx_perf_site *site;
    size_t count;
    struct form_field fields[FIELDS_MAX];
    uint16_t number;
};

/* The registry's lock guards all but the reading of a form by its number. */
static struct {
    _Atomic(const struct form *) of[FORMS_MAX];
    uint16_t count;
    const struct form *chains[CHAINS];
} forms = {.count = TAPE_FORMS};

static bool same_fields(const struct form *form, const struct form_field *fields)
{
    for (size_t i = 0; i < form->count; i++)
        if (form->fields[i].name != fields[i].name || form->fields[i].number != fields[i].number ||
            form->fields[i].divisor != fields[i].divisor || form->fields[i].factor != fields[i].factor)
            return false;
    return true;
}

/* The registry's lock is held. */
static uint16_t find(const hx_perf_site *site, const struct form_field *fields, size_t count)
{
    const struct form **chain = &forms.chains[((uintptr_t)site >> 4) % CHAINS];
    for (const struct form *form = *chain; form; form = form->next)
        if (form->site == site && form->count == count && same_fields(form, fields))
            return form->number;
    struct form *form =
        forms.count < FORMS_MAX && count <= FIELDS_MAX ? memory_allocate(NULL, 1, sizeof *form) : NULL;
    if (!form)
        return TAPE_ASK;
    *form = (struct form){.next = *chain, .site = site, .count = count, .number = forms.count++};
    memcpy(form->fields, fields, count * sizeof *fields);
    atomic_store_explicit(&forms.of[form->number], form, memory_order_release);
    *chain = form;
    return form->number;
}

uint16_t forms_find(hx_perf_site *site, const struct form_field *fields, size_t count)
{
    registry_lock(); /* for the answer too: it is of the session of forms_epoch, or that is over */
    const enum filter_answer answer = span_site_answer(site);
    const uint16_t form = answer == FILTER_ALWAYS  ? find(site, fields, count)
                          : answer == FILTER_NEVER ? TAPE_NOTHING
                                                   : TAPE_ASK;
    registry_unlock();
    return form;
}

uint32_t forms_epoch(void)
{
    return atomic_load_explicit(registry_epoch(), memory_order_acquire);
}

bool forms_open_tape(struct tape *ret_tape, uint32_t epoch, const uint16_t *of_instructions, uint32_t track)
{
    const struct session *session = registry_session();
    struct form_context context = {.track = track};
    /* files want to know of blocks and workers besides, and their threads may have to wait */
    if (!session || session->config.file_count > 0 || !span_context(&context.parent, &context.parent_id))
        return false;
    *ret_tape = (struct tape){.forms = of_instructions,
                              .least_ticks = span_least_ticks(session),
                              .block = UINT32_MAX,
                              .epoch = epoch,
                              .epoch_now = registry_epoch()};
    return ring_open_tape(ret_tape, &context);
}

/* A context's form is none. */
struct tape_mark forms_context_mark(const struct form_context *context)
{
    return (struct tape_mark){.taken = (uintptr_t)context->parent,
                              .issue = context->parent_id,
                              .rest = (uint64_t)context->track << 32 | TAPE_NOTHING};
}

bool forms_is_context(const struct tape_mark *mark, struct form_context *context)
{
    if (tape_mark_form(mark) != TAPE_NOTHING)
        return false;
    *context = (struct form_context){.parent = (const char *)(uintptr_t)mark->taken,
                                     .parent_id = mark->issue,
                                     .track = (uint32_t)(mark->rest >> 32)};
    return true;
}

static uint64_t value_of(const struct form_field *field, const struct tape_mark *mark)
{
    const uint32_t numbers[] = {[FORM_LANES] = (uint16_t)(mark->rest >> 16),
                                [FORM_INSTRUCTION] = (uint32_t)(mark->issue >> 32),
                                [FORM_BLOCK] = (uint32_t)(mark->taken >> 32),
                                [FORM_THREAD] = (uint16_t)(mark->rest >> 32)};
    return (uint64_t)(field->factor * numbers[field->number]) / field->divisor;
}

void forms_expand(const struct tape_mark *mark, const struct form_context *context, uint32_t thread,
                  uint64_t id, struct record *ret_record)
{
    const struct form *form = atomic_load_explicit(&forms.of[tape_mark_form(mark)], memory_order_acquire);
    const uint32_t group = (uint32_t)(mark->taken >> 32) + 1;
    const uint32_t part = (uint32_t)mark->issue / FORM_PART_ISSUES;
    ret_record->head = (struct record_head){.target = SPAN_PERF_TARGET,
                                            .name = span_site_name(form->site),
                                            .parent = context->parent,
                                            .start_ticks = tape_mark_start(mark),
                                            .end_ticks = mark->end_ticks,
                                            .id = TAPE_MARKED | id,
                                            .parent_id = context->parent_id,
                                            .group = group,
                                            .first_part = part,
                                            .last_part = part,
                                            .track = (uint16_t)context->track,
                                            .kind = HX_RECORD_PERF,
                                            .level = HX_DEBUG};
    ret_record->head.thread = thread;
    ret_record->wanted = WANTED_LOG;
    ret_record->field_count = (uint8_t)form->count;
    for (size_t i = 0; i < form->count; i++) {
        ret_record->kinds[i] = HX_FIELD_U64;
        ret_record->fields[i].name = form->fields[i].name;
        ret_record->fields[i].value = value_of(&form->fields[i], mark);
    }
}
#endif
