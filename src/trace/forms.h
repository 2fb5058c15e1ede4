/* Forms: what the marks of a tape mean, so that they become perf spans. */
#pragma once

#include "base/tape.h"
#include "trace/ring.h"

/* A field: a number of the mark, times `factor`, cut to an integer, and that by `divisor`, which is not 0. */
enum form_number { FORM_LANES, FORM_INSTRUCTION, FORM_BLOCK, FORM_THREAD };
struct form_field {
    const char *name;
    enum form_number number;
    uint32_t divisor;
    double factor;
};
#define FORM_PART_ISSUES 64 /* what event files leave out together when one block is too much for them */

/* The form of a site's spans with these fields, for the log and for functions: TAPE_NOTHING when the filter
 * wants none of them, TAPE_ASK when that depends on their fields, or memory or numbers have run out. Forms
 * live until the process ends, and those that are the same are one. */
uint16_t forms_find(hx_perf_site *site, const struct form_field *fields, size_t count);
/* To be read before the forms of a launch are found, and given to forms_open_tape. */
uint32_t forms_epoch(void);
/* A tape of the calling thread, until its work is done; `forms` of each instruction are borrowed. False: the
 * spans must be given to hx_trace_perf_put. */
bool forms_open_tape(struct tape *ret_tape, uint32_t epoch, const uint16_t *forms, uint32_t track);

/* What all marks of a thread have in common until the next such mark; on the tape itself, before all times.
 */
struct form_context {
    const char *parent;
    uint64_t parent_id;
    uint32_t track;
};
struct tape_mark forms_context_mark(const struct form_context *context);
bool forms_is_context(const struct tape_mark *mark, struct form_context *context);
/* A mark as the record that it stands for. */
void forms_expand(const struct tape_mark *mark, const struct form_context *context, uint32_t thread,
                  uint64_t id, struct record *ret_record);
