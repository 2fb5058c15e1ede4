/* Loads and stores whose addresses have a known form: what known_access.c and known_moves.c use from each
 * other. */
#pragma once

#include "exec/tier/llvm/emit.h"

enum layout { LAYOUT_NONE, LAYOUT_PLACES, LAYOUT_RUN, LAYOUT_RUNS };

struct places {
    const struct micro_op *op;
    const struct op *bound;
    uint32_t at;
    bool has_index;
    struct row row; /* of the index, or the address */
    struct row_form form;
    enum layout layout;
    unsigned bytes, scale_log2;
    unsigned stride;     /* of runs: from one lane's element to the next one's, in elements; stores have 1 */
    int64_t least, most; /* of the addend in a group */
    uint32_t groups;
    struct window window;
    LLVMValueRef base, begin; /* of indices: an address, and from the window's begin */
    /* of each group's first element from the window's begin, in bytes, but for the instruction's offset */
    LLVMValueRef distances[GROUPS_MAX];
};

/* Does micro-op `at` access the same addresses with another offset, if the row has not changed between? */
bool places_are_like(const struct graph *graph, const struct places *places, uint32_t at);
/* Which of emitter->checks and fetches is that of the access's row. */
uint32_t places_entry(const struct emitter *emitter, const struct places *places);

/* Moving elements that have been checked (known_moves.c). All lanes load, or those that are active: */
LLVMValueRef emit_load_runs(struct emitter *emitter, const struct places *places);
LLVMValueRef emit_load_active(struct emitter *emitter, const struct places *places);
/* Lanes of the mask store. */
void emit_store_runs(struct emitter *emitter, const struct places *places);
void emit_store_active(struct emitter *emitter, const struct places *places);
/* The row of the micro-op gets a number for each group. */
void emit_load_places(struct emitter *emitter, const struct places *places);
/* Fetches elements ahead that lanes are likely to access soon: those of the next round of a loop, or of gangs
 * that come next. */
void emit_prefetch(struct emitter *emitter, const struct places *places, bool is_store);
