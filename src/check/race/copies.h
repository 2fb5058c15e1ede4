/* Findings of accesses to what a copy under way writes or reads. */
#pragma once

#include "check/checks.h"
#include "program/regions.h"

/* The launch that they are of. */
struct race_copy_launch {
    hx_checks *checks;
    const struct shared_regions *regions; /* of its shared memory; stays */
    uint64_t shared_bytes;
    uint32_t block_threads;
};

struct race_copy {
    const hx_access_event *event; /* that meets the copy, by this lane */
    uint32_t lane;
    uint32_t instruction, thread; /* of the copy, in the same block */
    bool reads;                   /* what is accessed; else it writes it */
    /* Adds the note and the hint. */
    void (*advise)(const void *user, struct check_words *words);
    const void *user;
};

void race_copy_report(const struct race_copy_launch *of, const struct race_copy *copy);

/* Is it the note of a copy in bulk that writes global memory, by which that arrives (async.h)? */
bool race_copy_arrives(const struct kernel *code, uint32_t instruction);
/* Of such a note the first store of the copy, so that one finding is for all of them; else the instruction.
 */
uint32_t race_copy_store(const struct kernel *code, uint32_t instruction);
