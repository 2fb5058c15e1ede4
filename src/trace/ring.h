/* Rings: how records get from the threads that make them to the one that writes them. */
#pragma once

#include "base/machine.h"
#include "hexec/trace.h"

#include <stdbool.h>

#define RECORD_TEXT_BYTES 232 /* for the strings of one record, each with its NUL; longer ones are cut */

/* What a record says besides its fields. */
struct record_head {
    const char *target, *name, *parent;
    uint64_t start_ticks, end_ticks; /* the same for what has no duration */
    uint64_t id, parent_id;
    uint8_t kind, level; /* hx_record_kind, hx_level */
};
/* As it lies in a ring: of fixed size, so that writing one is copying, into as few cache lines as it needs.
 */
struct record {
    struct record_head head;
    uint32_t thread;
    uint8_t field_count;
    uint8_t kinds[HX_FIELDS_MAX]; /* hx_field_kind */
    struct {
        const char *name;
        uint64_t value; /* bits; of a string, where it starts in `text` */
    } fields[HX_FIELDS_MAX];
    char text[RECORD_TEXT_BYTES];
};

/* Receives records in order of their end. Called from the writer thread alone. */
typedef void (*ring_consumer)(const struct record *const *records, size_t count);
#define RING_BATCH 32 /* the most records in one call */

/* Starts the writer; rings made from now on hold `capacity` records (rounded to a power of two). What was
 * left in rings is forgotten. HX_SYSTEM when there can be no thread. */
HX_MUST_CHECK hx_status ring_start(const struct machine_timer *timer, size_t capacity, ring_consumer consume);
/* Lets the writer finish what was recorded and ends it. Fine when it does not run. */
void ring_stop(void);
/* Waits until what was recorded before the call was consumed. */
void ring_flush(void);

/* Writes a record to the calling thread's ring; a full one drops it. Never locks or allocates, but for a
 * thread's first record. */
void ring_put(const struct record_head *head, const hx_field *fields, size_t count);
/* A number for a span that is new in this process. */
uint64_t ring_next_id(void);
uint64_t ring_dropped(void);
