/* Schedules: which of the decisions of a drawn order are taken.
 *
 * With a seed, cuts.c, paths.c and others draw decisions: where a turn ends, which path goes on, in which
 * order blocks start. A launch without a schedule takes all of them. With one, each decision is offered to it
 * first; one that it refuses is made as without a seed. So an order can be searched for, recorded, and
 * reduced to the few decisions that matter. Decisions are known by keys, which depend on nothing but the
 * launch, the block, the gang and the turn: a key is the same decision in another run that went the same way
 * until there. */
#pragma once

#include "exec/gang.h"
#include "hexec/explore.h"

#define SCHEDULE_DECISIONS_MAX (1u << 20) /* that are recorded of a run */

/* What decisions a schedule takes. */
enum schedule_rule {
    SCHEDULE_ALL,
    SCHEDULE_SOME, /* orders of blocks and widths of gangs; of the others one in `one_in`, drawn */
    SCHEDULE_LISTED
};

struct hx_schedule {
    const hx_allocator *allocator;
    enum schedule_rule rule;
    uint64_t seed, one_in;  /* SCHEDULE_SOME */
    const uint64_t *listed; /* SCHEDULE_LISTED: listed_count keys, in order; borrowed */
    size_t listed_count;
    uint64_t offered;        /* decisions, of all launches */
    LIST(hx_decision) taken; /* in the order in which they were made */
    bool awaits_next;        /* who goes on behind the last of them is not known yet */
    bool lacks_memory;
};

/* Of two uint64_t, for qsort. */
int schedule_compare_keys(const void *a, const void *b);
/* Begins anew, with another rule; keeps the memory. */
void schedule_restart(struct hx_schedule *schedule);
void schedule_done(struct hx_schedule *schedule);

/* Is a decision made as it was drawn? True without a schedule. `path` and `instruction` say whom it is about;
 * `state` and `path` may be NULL. */
struct schedule_offer {
    hx_decision_kind kind;
    uint64_t block, number, turn; /* number: of the gang */
    const struct gang_state *state;
    const uint64_t *lanes;
    uint32_t instruction;
};
bool schedule_takes(const struct launch *launch, const struct schedule_offer *offer);
/* A turn of a gang begins: of the running path, at `instruction`. */
void schedule_turn(const struct gang_state *state, const uint64_t *lanes, uint32_t instruction);
