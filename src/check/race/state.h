/* What the files of the race engine share. */
#pragma once

#include "check/race/clock.h"
#include "check/race/engine.h"

#define GROUP_LANES 32 /* records are of up to so many threads: a warp, or part of one */
#define BARRIERS    32

/* Some threads of a group that did the same at the same time of their block. */
struct record {
    uint32_t group; /* in the grid; in shared memory in the block */
    uint32_t lanes; /* 0: no record */
    uint32_t time;
    uint32_t what; /* instruction and WHAT_... */
};
#define WHAT_STORE       (1u << 31)
#define WHAT_STRONG      (1u << 30)
#define WHAT_WIDE        (1u << 29)
#define WHAT_BYTES_AT    27 /* log2 of an element's bytes */
#define WHAT_MASK_AT     23 /* which bytes of the word */
#define WHAT_MASK        (15u << WHAT_MASK_AT)
#define WHAT_CHAIN       (1u << 22) /* a strong store that only read-modify-writes have followed */
#define WHAT_INSTRUCTION (RACE_INSTRUCTIONS - 1)

/* The shadow of a word of 4 bytes: the accesses that a later one may race with. */
struct cell {
    struct record records[2];
    uint32_t more;  /* index of a node; 0: none */
    uint32_t value; /* what weak stores have stored, of the bytes that have a record of one */
};
struct node {
    struct record record;
    uint32_t next;
};

/* Words that are next to each other, and are accessed by lanes that are: what is known of one of them says
 * what is known of all. */
struct alike {
    uint16_t first, count; /* those that have been accessed */
    uint32_t seen;         /* of each of them: SEEN_... */
    struct cell
        cell; /* of the first; where its records have a thread, the next word's have the next thread */
};

/* Global memory: a page, its lines and their words are split only when they are not alike. */
#define LINE_WORDS 16
struct line_words {
    uint32_t seen[LINE_WORDS];
    struct cell cells[LINE_WORDS];
};
struct line {
    struct line_words *words; /* NULL: they are */
    struct alike alike;
};
#define PAGE_LOG2  10
#define PAGE_WORDS ((1u << PAGE_LOG2) / 4)
#define PAGE_LINES (PAGE_WORDS / LINE_WORDS)
struct page {
    uint64_t number;
    struct line *lines; /* NULL: they are */
    struct alike alike;
    uint32_t values[PAGE_WORDS]; /* of words that have no cell of their own: as in struct cell */
};

/* What is known of a word without its cell, of whatever accessed it last:
 * - twice an epoch of a block: it was accessed then; in shared memory, by nobody since;
 * - SEEN_SETTLED and that: loads in this epoch add nothing to the cell;
 * - SEEN_BY_ALL and an instruction, in global memory: loads by this instruction add nothing to the cell,
 *   whatever block they are in, since two blocks have done it. */
#define SEEN_SETTLED 1u
#define SEEN_BY_ALL  (1u << 31)
#define EPOCHS_MAX   ((SEEN_BY_ALL >> 1) - 1)

#define RACE_ORDERS_ALL  (RACE_ORDERS_GLOBAL | RACE_ORDERS_SHARED)
#define RACE_ORDERS_PART 4u /* somebody has asked */

/* The shadow of a word. */
struct word {
    struct cell *cell; /* NULL: no memory, or a fault */
    uint32_t *seen;
};

/* Of fence.sc: what was before those that come before now, and before those behind which the writes are that
 * have been read, which is known behind a fence.sc; of the block, wide. */
struct race_fences {
    struct clock *before[2], *read[2];
};

/* What fences and strong accesses leave a thread with. */
struct race_thread {
    struct clock *known;          /* beyond what its block's barriers say */
    struct clock *known_of[2];    /* and of accesses to global, to shared memory alone */
    struct clock *pending[2];     /* seen by strong reads, known behind a fence: of the block, wide */
    struct {                      /* the last fence that releases: of any scope, wide */
        uint32_t time, full_time; /* time 0: there was none */
        struct clock *known, *common;
        bool is_sc; /* and it is not in `fences` yet */
    } fence[2];
    struct race_fences fences; /* beyond what its block has */
};

struct of_block {
    uint64_t block;
    struct clock *clock, *before; /* as location has it, for fences of any scope */
};

/* What was released by the writes to a place whose last one is now there. */
struct location {
    uint64_t address; /* of its first byte, + 1; 0: free */
    uint32_t bytes;
    uint64_t writer;              /* key of the last thread */
    struct clock *wide, *before;  /* before: what was before the wide fence.sc behind which they are */
    LIST(struct of_block) blocks; /* what the threads of each block released; unless all is wide */
};
struct locations {
    struct location *items;
    size_t count, room; /* room: a power of two, or 0 */
};

struct race_barrier {
    uint64_t *arrived, *waiting; /* a bit for each thread; NULL: none yet */
};

/* An access of a gang that is put off: deferred.c. */
struct race_entry {
    const struct race_op *op;
    struct race_many many;
    uint64_t low, end; /* its bytes lie there */
    size_t values_at;  /* of a store, what; of a load whose lanes are in no groups, where */
    bool is_apart;     /* no two lanes have the same element */
};
struct race_values {
    uint32_t of[64];
};
struct race_bytes {
    uint64_t low, end; /* end 0: none */
};
struct race_deferred {
    LIST(struct race_entry) entries;
    LIST(struct race_values) values;
    struct race_bytes loaded, stored; /* by all entries together */
    bool is_off;                      /* until the next barrier */
};

/* Where loads were last looked for that another one is behind, when, and by whom. */
struct race_tried {
    const struct cell *cell;
    const struct race_thread *thread; /* NULL: by any that knows what all of the block know */
    uint32_t learned;                 /* the block's then */
};

struct race_block {
    uint64_t number;
    bool is_used;
    uint32_t time; /* of the block; it goes on when some thread gets to know what was done before */
    /* of global and of shared memory: all that was done before this time is known to all its threads */
    uint32_t full_time[2];
    uint32_t epoch[2];    /* of the block and full_time, unlike all others of the launch */
    uint32_t passed;      /* the time behind the last barrier of the block */
    uint32_t asked;       /* RACE_ORDERS_...: of the next barrier; 0: nobody has asked */
    uint64_t *asking[3];  /* bits of the threads that want global, shared, any memory ordered */
    struct clock *common; /* what all know of other blocks */
    bool has_known;       /* some thread has `known` */
    uint32_t learned;     /* goes on when some thread gets to know what others have done */
    struct race_tried tried;
    bool has_fences;           /* some thread has `fences`, or a fence that is not in them yet */
    struct race_fences fences; /* of all its threads */
    struct race_thread *threads;
    struct race_barrier barriers[BARRIERS];
    struct cell *cells; /* of shared memory */
    uint32_t *seen;     /* as struct page has it */
    struct locations locations;
    struct race_deferred deferred;
};

struct race_engine {
    struct race_options options;
    struct clock_pool clocks;
    bool failed;
    uint64_t unkept;
    uint32_t epochs; /* so far; EPOCHS_MAX: there are no more */
    uint32_t block_groups;
    LIST(struct race_block *) blocks;
    struct race_block *last;
    struct page **pages; /* by number; page_room entries, a power of two */
    size_t page_count, page_room;
    struct page *last_page;
    size_t split_pages, split_lines;
    LIST(struct node) nodes; /* the first is none */
    uint32_t free_node;
    struct locations locations;
    uint64_t given_up, dropped; /* barrier intervals in which deferred accesses had to be done, and others */
    bool gives_up;              /* nothing is deferred any more */
};

/* Who accesses, for cells: groups are counted from `first_group` of the block's on, keys from `key_base`. */
struct accessor {
    struct race_engine *engine;
    struct race_block *block;
    const struct race_thread *thread; /* NULL: knows nothing more */
    bool is_shared, knows;
    uint32_t first_group;
    uint64_t key_base;
};

/* The block's state; NULL: no memory. */
struct race_block *race_block_of(struct race_engine *engine, uint64_t number);
/* Its threads; NULL: no memory. */
struct race_thread *race_threads_of(struct race_engine *engine, struct race_block *block);
uint64_t race_thread_key(const struct race_engine *engine, uint64_t block, uint32_t thread);
/* Of what is known to all threads of the block. */
uint64_t race_block_key(const struct race_engine *engine, uint64_t block);
/* Times do not come again: a launch that needs more of them is not checked further. */
uint32_t race_next_time(struct race_engine *engine, struct race_block *block);
/* Where lanes of a warp are ordered by each instruction, and clocks must say so: they meet. */
void race_keep_step(struct race_engine *engine, const struct race_lanes *who);
/* What strong accesses say and learn, before the access; `lane` is the thread in the block. */
void race_synchronize(struct race_engine *engine, struct race_block *block, uint32_t thread,
                      const struct race_op *op, bool is_shared, uint64_t address);
/* A weak store to a place ends what was released there. */
void race_forget(struct race_engine *engine, struct race_block *block, bool is_shared, uint64_t address);
void race_locations_done(struct race_engine *engine, struct locations *locations);

/* All that a thread knows beyond its block's barriers, of global or of shared memory: a share. What it
 * releases is not kept by space. */
struct clock *race_knowledge_of(struct race_engine *engine, struct race_thread *thread);
/* Adds what the last fence of the thread has before it; takes the caller's share of `all`. */
struct clock *race_fenced(struct race_engine *engine, const struct race_block *block, uint32_t thread,
                          int scope, struct clock *all);

/* ---- fences.c; scope: 0 of the block, 1 wide */
void race_fences_drop(struct race_engine *engine, struct race_fences *fences);
/* The thread's last fence counts for those that it meets. */
void race_fences_settle(struct race_engine *engine, struct race_block *block, uint32_t thread, int scope);
/* What is before the fences that come before a write of the thread; the caller's share. */
struct clock *race_fences_before(struct race_engine *engine, struct race_block *block, uint32_t thread,
                                 int scope);
/* The thread has read a write that comes behind fences, and those behind `what`. */
void race_fences_read(struct race_engine *engine, struct race_block *block, uint32_t thread, int scope,
                      struct clock *what);
/* Threads of the block meet: what all of them have is added to *all, and is given to threads. */
void race_fences_gather(struct race_engine *engine, struct race_block *block, const struct race_lanes *who,
                        struct race_fences *all);
void race_fences_give(struct race_engine *engine, struct race_block *block, const struct race_lanes *who,
                      const struct race_fences *all);
/* The whole block meets. */
void race_fences_whole_block(struct race_engine *engine, struct race_block *block);

/* ---- deferred.c */
/* Does what the block has put off, before an access to shared memory. */
void race_do_deferred(struct race_engine *engine, struct race_block *block);
/* All threads of the block are behind it. */
void race_drop_deferred(struct race_engine *engine, struct race_block *block);
void race_deferred_done(const struct race_engine *engine, struct race_block *block);

/* A time of the block begins, before which all in the memory of `orders` is known to all its threads. */
void race_begin_epoch(struct race_engine *engine, struct race_block *block, uint32_t time, uint32_t orders);

/* WHAT_... of a record, without the bytes. */
uint32_t race_what(const struct race_op *op);

/* ---- shadow.c */
/* The shadow of the word at an address; those of the words behind it follow, to the end of shared memory or
 * of the line. From then on the line has a cell for each word. */
struct word race_word(struct race_engine *engine, struct race_block *block, bool is_shared, uint64_t address);
/* The page of an address of global memory; NULL: no memory. */
struct page *race_page(struct race_engine *engine, uint64_t address);
static inline uint32_t race_word_in_page(uint64_t address)
{
    return (uint32_t)(address & ((1u << PAGE_LOG2) - 1)) / 4;
}
/* The line of a page's word, once the page has been split; NULL: no memory. */
struct line *race_line(struct race_engine *engine, struct page *page, uint32_t word);
/* What the cell of a page's word is. */
struct cell race_cell(const struct page *page, uint32_t word);
void race_page_free(const hx_allocator *allocator, struct page *page);
/* Does global memory at the address have a shadow: has something near it been accessed? */
bool race_has_shadow(const struct race_engine *engine, uint64_t address);
/* The pairs of one thread's access. */
struct race_pairs {
    struct race_pair items[4];
    uint32_t count;
};
/* An access to a word. */
struct race_touched {
    const struct record *now;
    uint64_t word;  /* its address */
    bool observes;  /* it reads what the stores of WHAT_CHAIN have led to, as race_op has it; */
    bool cuts;      /* it is a strong store that does not, so that later ones do not either */
    bool has_value; /* it is a weak store of: */
    uint32_t value;
};
/* Adds it to the word's cell; the pairs that it makes go to *pairs. */
void race_touch(const struct accessor *by, struct cell *cell, const struct race_touched *touched,
                struct race_pairs *pairs);
