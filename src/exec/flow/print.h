/* What kernels print: texts of threads, in the order of blocks and threads. */
#pragma once

#include "exec/gang.h"

/* The handlers of print and assert; NULL for every other semantic. */
op_handler print_handler(int semantic);

/* What a format takes from a block of arguments (vprint) when a lane prints: generic addresses, in order,
 * with the number of the argument from 1 on; a vector's elements have the same. */
void print_each_argument(const struct gang_state *state, uint32_t lane, uint64_t format_at, uint64_t block,
                         void (*take)(void *user, unsigned number, uint64_t address, uint32_t bytes),
                         void *user);

/* Hands over what a block's threads printed, in their order; the block is done, or will not go on. */
void print_finish_block(struct block *block);
/* At the launch's end: what is left, of blocks that others before them never reached. */
void print_finish_launch(struct launch *launch);
void print_block_done(struct block *block);
