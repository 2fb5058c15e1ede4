/* The spool: what an event file will hold, kept until it is written.
 *
 * A trace must stay small enough to be opened, and which part of it is shown must not depend on chance. So
 * records are kept in a compact form, and when they would make the file larger than its budget, whole groups
 * of them are removed: those of every second group are kept, then of every fourth, and so on; when one group
 * is too much by itself, every second part of it. What is kept follows from the numbers of groups and parts
 * and from the budget alone. Sums over everything are kept aside.
 *
 * Not for two threads at once. */
#pragma once

#include "base/memory.h"
#include "hexec/trace.h"

/* What a record costs in the file, in bytes: so much, and so much for each field; and a row's track. */
struct spool_costs {
    uint32_t record, field, track;
};

/* What records of one kind, name and list of fields have in common. */
struct spool_shape {
    const char *target, *name;
    const char *title; /* what a viewer shows: the name, and of a span about a kernel that of the kernel */
    uint8_t kind;      /* hx_record_kind */
    uint8_t field_count;
    uint32_t total; /* index in spool.totals */
    uint8_t kinds[HX_FIELDS_MAX];
    const char *names[HX_FIELDS_MAX];
    uint64_t sums[HX_FIELDS_MAX]; /* of a counter, so far */
};

/* All that was recorded under one name, whether it is in the file or not. */
enum spool_amount { SPOOL_BYTES, SPOOL_LANES, SPOOL_FLOPS, SPOOL_AMOUNTS };
struct spool_total {
    const char *target, *name;
    uint8_t kind;
    uint64_t count, duration_ns, kept;
    uint64_t amounts[SPOOL_AMOUNTS]; /* sums of u64 fields with the names of spool_amount_name */
};

/* A line of a viewer: a thread, or a named track; or what holds the curves of the process. Of rows of groups
 * (hx_trace_place) there are only those on which something stands that is kept, so that their number is
 * bounded as the file is. They come last, in order of groups and then of rows. */
#define SPOOL_PROCESS UINT32_MAX
struct spool_track {
    const char *name; /* NULL: a thread's own, or number is SPOOL_PROCESS */
    uint32_t number;
    uint32_t group, row; /* row 0: it is no row's */
    uint32_t entries;    /* that stand on it */
    uint32_t index;      /* in spool.tracks when things were added */
    uint32_t sorted;     /* of the track that had this place: where it went */
    /* Of rows, once sorted: its number among them, and its group's among theirs. */
    uint32_t row_number, group_number;
};

struct spool_entry {
    uint64_t start_ns, duration_ns; /* start: since the spool's */
    uint32_t group, first_part, last_part;
    uint32_t order;  /* of arrival: records come in order of their ends */
    uint32_t values; /* the first one's index in spool.values */
    uint16_t shape, track;
    uint8_t depth; /* entries around it on its track, at most 255; known once sorted */
};

struct spool {
    const hx_allocator *allocator;
    struct spool_costs costs;
    uint64_t budget_bytes, kept_bytes, start_unix_ns;
    LIST(struct spool_entry) entries;
    LIST(uint64_t) values; /* bits of fields; of a string its index in strings */
    LIST(struct spool_shape) shapes;
    LIST(struct spool_total) totals;
    LIST(struct spool_track) tracks;
    LIST(const char *) strings; /* each once, in the arena */
    struct arena arena;
    uint32_t *shape_slots, *string_slots, *track_slots; /* hash tables of indexes + 1 */
    size_t shape_slot_count, string_slot_count, track_slot_count;
    size_t row_count;                 /* of the tracks */
    unsigned group_level, part_level; /* every 2^level-th is kept */
    uint32_t arrived;                 /* records that were kept at first */
    uint64_t left_out;                /* beyond the budget, although no sampling could choose between them */
    uint64_t shortened;               /* spans that ended after the one around them */
    uint64_t end_ns;                  /* of the last record, since the start */
    bool failed;                      /* no memory: the rest was not kept */
};

void spool_init(struct spool *spool, const hx_allocator *allocator, struct spool_costs costs,
                uint64_t budget_bytes, uint64_t start_unix_ns);
void spool_done(struct spool *spool);
void spool_add(struct spool *spool, const hx_trace_record *record);
/* In order of tracks, then of starts, the outer before the inner; spans nest afterwards. Once, at the end. */
void spool_sort(struct spool *spool);
/* The i-th field of an entry as it was recorded; of a counter the sum so far. */
hx_field spool_field(const struct spool *spool, const struct spool_entry *entry, unsigned index);
const char *spool_amount_name(enum spool_amount amount);
