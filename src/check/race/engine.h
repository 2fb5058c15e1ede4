/* Data races: which accesses of two threads nothing orders.
 *
 * Takes what threads do (accesses, barriers, fences), in the order in which they do it, and tells of each
 * pair of accesses to one byte of which one writes, that are not ordered by happens-before, and that are not
 * morally strong (PTX ISA, Memory Consistency Model). Knows nothing of kernels and findings: race.c does.
 *
 * *Strong* accesses are atomics and those that are volatile, relaxed, acquire or release; their scope is the
 * block's (also a cluster's, which is one block here) or *wide*: the device or the system. Two of them do not
 * race if each one's scope includes the other's thread, and they are of the same bytes.
 *
 * Not for two threads at once. Addresses of shared memory are offsets in that of the block. */
#pragma once

#include "base/memory.h"

/* Which threads can be ordered by something less than a barrier of the whole block: the closer, the less has
 * to be remembered. A kernel has the last one that applies. */
enum race_level {
    RACE_BY_BLOCK, /* only whole blocks */
    RACE_BY_WARP,  /* lanes of a warp */
    RACE_IN_BLOCK, /* barriers of parts of a block */
    RACE_ANYWHERE  /* fences, acquire and release */
};

enum race_kind {
    RACE_SAME_VALUE, /* two stores of the same bits: benign */
    RACE_WRITE_WRITE,
    RACE_READ_WRITE,
    RACE_ATOMIC, /* one is strong, the other is not */
    RACE_SCOPE,  /* both are strong, but a scope does not include the other thread */
    RACE_OVERLAP /* both are strong, but not of the same bytes */
};

struct race_side {
    uint64_t block;
    uint32_t thread; /* in the block */
    uint32_t instruction;
    bool is_store, is_strong, is_wide;
};
struct race_pair {
    enum race_kind kind;
    struct race_side first, second; /* in the order in which they happened; the second is about to */
    bool is_shared;
    uint64_t address; /* of the second access */
    uint32_t bytes;
    bool is_passed;  /* a barrier of their block is between them, which does not order this memory */
    bool has_values; /* the first and the second stored this in the bytes at `word`: */
    uint32_t before, after;
    uint64_t word;
};
typedef void (*race_function)(void *user, const struct race_pair *pair);

struct race_options {
    const hx_allocator *allocator;
    uint64_t blocks, shared_bytes;
    uint32_t block_threads, warp_size;
    enum race_level level;
    bool has_narrow;        /* some fences or strong accesses are not wide */
    bool has_narrow_global; /* some strong accesses that may be of global memory are not */
    bool lockstep;          /* lanes of a warp are ordered by each instruction */
    bool asks_apart;        /* threads may ask a barrier for different memory; level: RACE_IN_BLOCK or more */
    race_function found;
    void *user;
};

/* An instruction that accesses memory. */
struct race_op {
    uint32_t instruction;   /* below RACE_INSTRUCTIONS; greater ones are taken as that */
    bool is_load, is_store; /* both: an atomic */
    bool is_strong, is_wide, acquires, releases;
    bool is_sc;    /* of a fence: it acquires and releases, and has an order with all of its like */
    bool observes; /* of an atomic: its thread may do this or that by what it found */
    uint8_t element_bytes, elements; /* 1, 2, 4, 8; 1, 2, 4 */
};
#define RACE_INSTRUCTIONS (1u << 22)

/* Threads first + l of a block, for each bit l of lanes. */
struct race_lanes {
    uint64_t block;
    uint32_t first;
    uint64_t lanes;
};

struct race_engine;
/* One for each launch. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status race_engine_new(const struct race_options *options, struct race_engine **ret_engine);
void race_engine_free(struct race_engine *engine);
/* Memory was lacking: races may have been missed. */
bool race_engine_failed(const struct race_engine *engine);
/* Global memory from `low` on is new: what was done there before is forgotten. */
void race_renew(struct race_engine *engine, uint64_t low, uint64_t bytes);
/* Accesses, by one thread each, that are not remembered: their words have too many already. */
uint64_t race_engine_unkept(const struct race_engine *engine);
/* Bytes that it has for its shadow of memory, and that are accessed: for measurements. */
size_t race_engine_bytes(const struct race_engine *engine);

/* addresses: of lane l. stored: of a store, the bytes of lane l from l * element_bytes * elements on, or
 * NULL. Lanes of an atomic are done in ascending order. Misaligned elements are left out: they are faults. */
void race_access(struct race_engine *engine, const struct race_op *op, const struct race_lanes *who,
                 bool is_shared, const uint64_t *addresses, const uint8_t *stored);

/* One thread takes global memory from `low` on from all others: a store to what has been accessed of it. */
void race_take(struct race_engine *engine, const struct race_op *op, const struct race_lanes *who,
               uint64_t low, uint64_t bytes);

/* Loads or stores of elements of 4 bytes by lanes of one block: what is the same for all of them. */
struct race_spans {
    struct race_engine *engine;
    struct race_block *block;
    uint32_t what, time, full_time[2], seen[2]; /* of global and of shared memory */
    uint32_t groups, first_group;               /* of the block, and in the grid */
    bool is_load;
};
/* Lanes whose elements lie one behind the other, or at one place. */
struct race_span {
    uint32_t first; /* thread of lane 0 in the block, a multiple of 32 */
    uint32_t lane,
        count;      /* a run: so many lanes from `lane` on, each 4 bytes behind the one before; else 0 */
    uint64_t lanes; /* bits of all lanes. A run may come again for the lanes 16, 32 and 48 further on */
    bool is_shared;
    uint64_t address;       /* of the lowest lane */
    const uint32_t *stored; /* of a store: of lane l */
};
/* May race_span_access do something for this op? */
bool race_takes_spans(const struct race_engine *engine, const struct race_op *op);
/* False: no memory. */
bool race_spans_begin(struct race_engine *engine, const struct race_op *op, uint64_t block,
                      struct race_spans *ret_spans);
/* Does the accesses of the span's lanes as far as they race with nothing that is remembered and what has to
 * be remembered is simple; that takes little time. Returns the lanes that are left, for race_access. */
uint64_t race_span_access(const struct race_spans *spans, const struct race_span *span);
/* The same for a run of lanes of a gang, in global memory: lane and count up to all of its lanes, and no run
 * comes again. The lanes that are left are added to those of each 64. False: the
 * address is misaligned, or the like; then nothing was done. */
#define RACE_CHUNKS 4
bool race_run_access(const struct race_spans *spans, const struct race_span *run, uint64_t left[RACE_CHUNKS]);
/* The same for loads whose lanes load one place in each group of 16 lanes: addresses of the groups. */
uint64_t race_groups_access(const struct race_spans *spans, uint32_t first, uint64_t lanes, bool is_shared,
                            const uint64_t addresses[4]);
/* Accesses of a gang to shared memory, whose lanes are in groups of 16: each is a run of elements, or all of
 * it is at one place. Or loads of any places. */
struct race_many {
    uint32_t first;              /* thread of lane 0 in the block */
    uint32_t chunks;             /* of 64 lanes */
    uint64_t lanes[RACE_CHUNKS]; /* bits of all lanes */
    uint64_t base;               /* a group's first element is groups[i] << scale_log2 bytes from here */
    const int32_t *groups;       /* valid until the block ends; NULL: the lanes are in no groups */
    const uint32_t *places;      /* then: of each lane, so many << scale_log2 from `base` */
    int32_t least, most;         /* that any lane adds */
    uint8_t scale_log2;
    bool is_run, is_one_run; /* one: all groups' lanes are a single run */
    const uint32_t *stored;  /* of a store: of lane l of the first chunk; */
    uint32_t stored_step;    /* of the next chunk, so many further on */
};
/* The bytes that they lie in; more, if the lanes are no run. False: there are no lanes. */
bool race_many_bytes(const struct race_many *many, uint64_t *ret_low, uint64_t *ret_end);
/* Are accesses put off now? */
bool race_defers(const struct race_spans *spans);
/* Takes accesses that need not be done if the block reaches a barrier first. False: they are to be done now.
 */
bool race_defer(const struct race_spans *spans, const struct race_op *op, const struct race_many *many);
/* Of the op: is_wide, acquires, releases, is_sc. */
void race_fence(struct race_engine *engine, const struct race_lanes *who, const struct race_op *op);
/* Arrivals at a barrier of which some threads of the block are a part; `waits`: until it is complete. */
void race_arrive(struct race_engine *engine, const struct race_lanes *who, uint32_t barrier, bool waits);
/* A barrier is complete, and those that wait go on; all threads of the block, when none has called
 * race_arrive. */
void race_complete(struct race_engine *engine, uint64_t block, uint32_t barrier);
/* Threads arrive at a barrier of their whole block that may order a part of memory: RACE_ORDERS_... What they
 * want is ordered, between those that want it; when nobody says what, all is. */
#define RACE_ORDERS_SHARED 1u
#define RACE_ORDERS_GLOBAL 2u
void race_ask(struct race_engine *engine, const struct race_lanes *who, uint32_t orders);
/* Lanes wait for each other, and go on together; the memory of `orders` is ordered. */
void race_meet(struct race_engine *engine, const struct race_lanes *who, uint32_t orders);
/* All threads of the block have arrived at a barrier, and go on. */
void race_whole_block(struct race_engine *engine, uint64_t block);
/* All its threads have exited. */
void race_block_end(struct race_engine *engine, uint64_t block);
