/* Launches that can only go round in loops (HX_EVENT_STUCK). */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct worker;

/* What a worker has seen of its blocks, each time that it had gone round all of them and all went on. */
struct stuck_worker {
    uint64_t rounds;
    uint64_t saved_at;      /* the last round that is compared with the state; then another one is kept */
    uint64_t state, memory; /* digests: of the blocks, of the device's memory */
    uint32_t repeats;       /* how often the state has come again, among this memory */
    uint64_t next_ns;       /* not before then */
    _Atomic uint64_t since; /* launch->changes when the state came again and again; 0: it has not */
    _Atomic uint64_t among; /* ... and the memory */
    _Atomic bool is_done;   /* it has no more blocks */
};

/* The worker has gone round its blocks: all run on, none has begun or ended. True: nothing can change any
 * more in the whole launch; a fault says so. */
bool stuck_round(struct worker *worker);
/* A block has begun or ended. */
void stuck_goes_on(struct worker *worker);
