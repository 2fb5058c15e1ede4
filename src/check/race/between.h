/* What the files about races between commands share. */
#pragma once

#include "check/checks.h"
#include "check/race/state.h"

#define PAST_WORDS PAGE_WORDS

/* Which command: its place in its chain. */
struct past_by {
    uint32_t chain, at;
    char queue[32];
};
struct past_launch {
    const struct check_launch *launch;
    uint32_t block_groups;
    struct past_by by;
};
/* The last access of a chain to a word: struct record, of one thread. */
struct past_access {
    uint32_t launch; /* 1 + its index; 0: none */
    uint32_t group, what, lane;
};
struct past_page {
    uint64_t number;
    struct past_access *of[2]; /* loads, stores; of each word. NULL: none */
};
struct past_chain {
    struct past_page **pages; /* by number; room entries, a power of two */
    size_t room, count;
    uint32_t last; /* its last launch that is kept */
};
/* A copy or fill. */
struct past_range {
    uint64_t low, bytes;
    struct past_by by;
    bool is_store;
    const char *what;
};

/* A side of a race: an access of a launch, or a range. */
struct between_side {
    const struct past_by *by;
    const struct past_launch *launch; /* NULL: it is a range */
    const char *what;                 /* "load", "copy to the host" */
    uint32_t instruction, thread, element_bytes;
    uint64_t block;
};
struct between {
    struct race_launches *launches;
    uint64_t address;
    struct between_side first, second;
};

struct race_launches {
    hx_checks *checks;
    const hx_allocator *allocator;
    struct past_chain chains[CHECK_CHAINS];
    size_t page_count; /* of all chains */
    LIST(struct past_launch) launches;
    LIST(struct past_range) ranges;
    bool is_command; /* of the launch that runs: */
    struct check_order now;
    struct past_by by;
    /* What is to be reported: the first of `found` pairs of the same instructions. */
    struct between pending;
    uint64_t found;
};

struct between_side between_side(const struct past_launch *launch, const struct past_access *access);
/* An access of the launch that has just ended. */
struct between_side between_now(const struct race_launches *launches, const struct race_engine *engine,
                                const struct record *record);
struct between_side between_range(const struct past_range *range);
/* Pairs one after the other of the same instructions and buffer are reported together, by between_flush. */
void between_add(const struct between *pair);
void between_flush(struct race_launches *launches);
