/* A resident block: made once per worker and slot, then started for one block of the grid after another. */
#pragma once

#include "exec/gang.h"

enum block_outcome {
    BLOCK_DONE,
    BLOCK_YIELDED, /* all that can run have used up their turns: another block may have what they wait for */
    BLOCK_STOPPED  /* a fault, or the launch was stopped */
};

/* NULL when memory runs out. */
/* That a slot takes, about. */
uint64_t block_bytes(const struct launch *launch);
struct block *block_new(struct worker *worker);
void block_free(struct block *block);
/* Prepares it for work item `number` of the grid: one block, or those that share a gang
 * (exec/fast/pack_blocks.h). */
void block_start(struct block *block, uint64_t number);
/* The same where it may. */
void block_start_straight(struct block *block, uint64_t number);
/* Blocks begin without anything that watches them, or that has to be made anew for each but shared memory. */
bool block_may_start_straight(const struct launch *launch);
/* What the interpreter needs of a block that begins: its gangs' paths and its barriers. block_start does it,
 * but where compiled code may run the whole block that is left to the one who finds that it cannot. */
void block_start_gangs(struct block *block);
/* Rows of a gang that are the same for all blocks, and rows of all gangs that are not (block_rows.c). */
void block_fill_rows(struct block *block, struct gang_state *state);
void block_renew_rows(struct block *block);
/* Before the interpreter runs a gang of a block that compiled code has begun: the rows that it alone reads.
 */
void block_renew(struct gang_state *state);
/* What a uniform is while the block runs. */
uint64_t block_uniform_value(const struct block *block, const struct uniform *uniform);
/* What a thread of a block that runs reads from a special register; 0 of a clock. */
uint64_t block_special(const struct block *block, enum special_register special, uint32_t thread);
/* The block is done, or was stopped: reports it to listeners. */
void block_report(struct block *block);
enum gang_outcome { GANG_WAITS, GANG_GAVE_WAY, GANG_YIELDED, GANG_STOPPED };
/* Runs the gang's paths until all of them wait or have exited, or its turn is over; with state->wants_back
 * also until compiled code can take all of them back (exec/tier/run.h). */
enum gang_outcome block_run_paths(struct gang_state *state);
/* The gang has jumped back often: its other paths are next. True when the launch must stop. */
bool block_end_turn(struct gang_state *state);
/* Has the launch been stopped, by anybody or by a bound that is reached now? Asked after each block and turn.
 */
bool block_must_stop(struct worker *worker);
/* Runs until the block is done, has used up a turn, or must stop. */
enum block_outcome block_run(struct block *block);
