/* Snapshots of a run: what it takes to go on from a step without doing those before it again.
 *
 * They are kept at steps some way apart. What is the same in two of them that follow each other is kept once,
 * in pages. When there are too many, or they take too much memory, every second one is given up, and later
 * ones lie twice as far apart. */
#pragma once

#include "base/memory.h"
#include "exec/snapshot.h"
#include "program/program.h"

#define SNAPSHOT_DISTANCE   UINT64_C(32768) /* steps between two of them, at first */
#define SNAPSHOT_COUNT_MAX  256
#define SNAPSHOT_COST_SHARE 16 /* of the run's time, at most one part in so many goes into them */
#define SNAPSHOT_BYTES_MAX  (UINT64_C(256) << 20)
#define SNAPSHOT_PAGE_BYTES 4096

struct snapshot_page {
    uint32_t uses;
    char bytes[SNAPSHOT_PAGE_BYTES];
};

struct snapshot {
    uint64_t time;   /* steps that have begun */
    uint32_t launch; /* from 1 on */
    LIST(struct snapshot_page *) pages;
    /* Of its *piece* of the run, from here on to the next snapshot; or more than that: */
    const struct kernel *kernel;      /* NULL: what follows is not known */
    uint8_t *did;                     /* for each of its instructions: a warp has reached it */
    uint64_t first_block, last_block; /* the lowest and the highest that had a step */
    uint32_t least_depth, most_depth; /* of calls, of all steps */
    uint64_t low, end;                /* of the addresses in global memory that were accessed */
    bool has_others;                  /* other memory was accessed */
};

struct snapshots {
    const hx_allocator *allocator;
    LIST(struct snapshot *) items; /* by time */
    uint64_t distance;             /* steps, at least */
    uint64_t bytes;                /* of pages */
    uint64_t cost_share;           /* SNAPSHOT_COST_SHARE */
    uint64_t cost_ns, last_ns;     /* of the last one that was made, and when */
    bool is_off;                   /* even one takes too much */
};

void snapshots_init(struct snapshots *snapshots, const hx_allocator *allocator);
void snapshots_done(struct snapshots *snapshots);
/* Forgets those behind a time. */
void snapshots_forget(struct snapshots *snapshots, uint64_t time);
/* The last one before a time; NULL: there is none. */
struct snapshot *snapshots_before(const struct snapshots *snapshots, uint64_t time);
/* The one so many before that one; the first if there are fewer. */
struct snapshot *snapshots_further(const struct snapshots *snapshots, uint64_t time, size_t further);
/* Should one be made now? */
bool snapshots_want(const struct snapshots *snapshots, uint64_t time);

/* Writes a snapshot, or reads one. `move` of the port pads nothing; snapshots_align goes to the next
 * page, so that large objects are compared as they lie. */
struct snapshot_stream {
    struct snapshot_port port; /* first */
    struct snapshots *snapshots;
    const struct snapshot *like; /* shares pages that are the same; may be NULL */
    struct snapshot *of;
    size_t page, filled; /* the present one */
    bool failed;
    char bytes[SNAPSHOT_PAGE_BYTES];
};
/* The new one, with time and launch; NULL: memory has run out. */
struct snapshot *snapshots_begin(struct snapshots *snapshots, struct snapshot_stream *stream, uint64_t time,
                                 uint32_t launch, const struct kernel *kernel);
void snapshots_read(struct snapshots *snapshots, struct snapshot_stream *stream,
                    const struct snapshot *snapshot);
bool snapshots_align(struct snapshot_stream *stream);
/* Keeps what was written, or drops it if it is not `good`; makes room if there are too many. */
void snapshots_end(struct snapshots *snapshots, struct snapshot_stream *stream, bool good);
