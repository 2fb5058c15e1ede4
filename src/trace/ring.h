/* Rings: how records get from the threads that make them to the one that writes them. */
#pragma once

#include "base/machine.h"
#include "hexec/trace.h"

#include <stdbool.h>

#define RECORD_TEXT_BYTES 216 /* for the strings of one record, each with its NUL; longer ones are cut */

/* What a record says besides its fields. */
struct record_head {
    const char *target, *name, *parent;
    uint64_t start_ticks, end_ticks; /* the same for what has no duration */
    uint64_t id, parent_id;
    uint32_t group, first_part, last_part; /* hx_trace_place */
    uint32_t thread;                       /* the ring fills it in */
    uint16_t track, row;
    uint8_t kind, level;      /* hx_record_kind, hx_level */
    const hx_perf_site *site; /* whose constant fields files get; NULL: none */
};
/* Which sinks take a record. A ring that is full drops it, but not one that is for a file: then the thread
 * waits. */
enum wanted { WANTED_LOG = 1, WANTED_FILES = 2, WANTED_BY_ALL = 3 };
/* As it lies in a ring: of fixed size, so that writing one is copying, into as few cache lines as it needs.
 */
struct record {
    struct record_head head;
    uint8_t field_count;
    uint8_t wanted;               /* by whom: enum wanted */
    uint8_t kinds[HX_FIELDS_MAX]; /* hx_field_kind */
    struct {
        const char *name;
        uint64_t value; /* bits; of a string, where it starts in `text` */
    } fields[HX_FIELDS_MAX];
    char text[RECORD_TEXT_BYTES];
};

/* Receives records in order of their end; none (count 0) when there are no more for now. Called from the
 * writer thread alone. */
typedef void (*ring_consumer)(const struct record *const *records, size_t count);
/* Does any sink take records that are WANTED_LOG? If not, marks of tapes are not made into records. */
typedef bool (*ring_has_listener)(void);
#define RING_BATCH 32 /* the most records in one call */

/* Starts the writer; rings made from now on hold `capacity` records (rounded to a power of two). What was
 * left in rings is forgotten. HX_SYSTEM when there can be no thread. */
HX_MUST_CHECK hx_status ring_start(const struct machine_timer *timer, size_t capacity, ring_consumer consume,
                                   ring_has_listener has_listener);
/* Lets the writer finish what was recorded and ends it. Fine when it does not run. */
void ring_stop(void);
/* Waits until what was recorded before the call was consumed. */
void ring_flush(void);

/* Writes a record to the calling thread's ring; of a full one see enum wanted. Never locks or allocates, but
 * for a thread's first record. */
void ring_put(const struct record_head *head, unsigned wanted, const hx_field *fields, size_t count);
/* Makes `tape` one of the calling thread, for the log alone: of a full one marks are dropped. Its marks take
 * their turn among the records. False when memory runs out. */
struct tape;
struct form_context;
bool ring_open_tape(struct tape *tape, const struct form_context *context);
/* A number for a span that is new in this process. */
uint64_t ring_next_id(void);
uint64_t ring_dropped(void);
/* How long threads have waited for room, all together, since ring_start. */
uint64_t ring_waited_ns(void);
