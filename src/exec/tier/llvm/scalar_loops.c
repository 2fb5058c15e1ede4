/* Which loops lanes go through one after the other: those of one block that only load and compute, whose
 * rounds are up to each lane, and whose lanes load from anywhere.
 *
 * 64 lanes together go round as often as the last one, and a gather of a vector takes as long as loads one by
 * one. Takes a block, leaves what the code for it needs to know (scalar_rounds.c). */
#include "exec/tier/llvm/scalar_loops.h"

/* A round of all lanes with this many micro-ops for each gather takes as long as one lane after the other. */
#define OPS_PER_GATHER 8u
#define GATHERS_LEAST  2u

/* Can one lane do the micro-op, and drop what it did? */
static bool is_for_one_lane(const struct graph *graph, uint32_t at)
{
    const struct micro_op *op = &graph->ops[at];
    switch ((enum op_kind)graph->kinds[at]) {
    case OP_NOTHING:
        return op->semantic != MICRO_GUARD_END;
    case OP_VALUE:
        return op->e.kind == ROW_NONE && !row_is_of_lanes(op);
    case OP_MEMORY:
        return semantic_at(op->semantic)->shape == SHAPE_LOAD && !graph_may_be_local(graph, at) &&
               (op->source_type == HX_TYPE_NONE || op->align_log2 <= op->scale_log2);
    default:
        return false;
    }
}

/* Do lanes that go on behind the block jump back to it at once? */
static bool is_back(const struct graph *graph, uint32_t block, uint32_t target)
{
    const struct tier_block *range = graph_block(graph, block);
    const struct micro_op *op = &graph->ops[range->op];
    return range->end == range->op + 1 && op->semantic == SEM_branch && !(op->flags & MICRO_GUARDED) &&
           op->target == graph_block(graph, target)->op;
}

/* Fills in where lanes go. */
static bool is_loop(const struct graph *graph, struct scalar_loop *loop)
{
    const uint32_t block = loop->block;
    const struct tier_block *range = graph_block(graph, block);
    const uint32_t last = range->end - 1;
    const uint32_t target =
        graph->kinds[last] == OP_BRANCH ? graph->made->block_at[graph->ops[last].target] : TIER_NONE;
    if (target == TIER_NONE || !(graph->ops[last].flags & MICRO_GUARDED) || !graph->parts[block] ||
        range->level > 0 || graph->is_open[block] || block + 1 >= graph->made->block_count)
        return false;
    loop->back = target == block ? TIER_NONE : block + 1;
    loop->next = target == block ? block + 1 : target;
    if (loop->next <= block || !graph->is_emitted[loop->next] ||
        (loop->back != TIER_NONE && set_has(graph_waiting(graph, block), loop->back)) ||
        (loop->back != TIER_NONE && (target == block + 1 || !is_back(graph, block + 1, block))))
        return false;
    for (uint32_t i = range->op; i < last; i++)
        if (!is_for_one_lane(graph, i) || graph->made->guard_at[i] != TIER_NONE ||
            (graph->ops[i].flags & MICRO_GUARDED))
            return false;
    return true;
}

static void find_rows(const struct graph *graph, struct scalar_loop *loop)
{
    const struct tier_block *range = graph_block(graph, loop->block);
    for (uint32_t i = range->op; i < range->end; i++) {
        const struct micro_op *op = &graph->ops[i];
        const struct row rows[] = {op->a, op->b, op->c, op->f, op->d};
        const bool is_compare = graph->kinds[i] == OP_NOTHING;
        for (size_t k = 0; k < HX_COUNT_OF(rows); k++) {
            const uint32_t row = graph_row(graph, rows[k]);
            const bool is_result = k + 1 == HX_COUNT_OF(rows);
            if (row == TIER_NONE || (is_result && is_compare))
                continue;
            set_add(loop->used, row);
            if (is_result)
                set_add(loop->written, row);
        }
    }
}

/* Rows that differ from round to round by what has been loaded: a load from there waits for the one before
 * it, and only lanes together keep the memory busy. */
static bool follows_pointers(const struct graph *graph, const struct scalar_loop *loop, uint64_t *loaded,
                             uint64_t *carried)
{
    const struct tier_block *range = graph_block(graph, loop->block);
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t i = range->op; i + 1 < range->end; i++) {
            const struct micro_op *op = &graph->ops[i];
            const struct row rows[] = {op->a, op->b, op->c, op->f};
            const uint32_t d = graph_row(graph, op->d), address = graph_row(graph, scalar_load_address(op));
            bool is_loaded = graph->kinds[i] == OP_MEMORY, is_carried = false;
            if (is_loaded && address != TIER_NONE && set_has(carried, address))
                return true;
            for (size_t k = 0; k < HX_COUNT_OF(rows); k++) {
                const uint32_t row = graph_row(graph, rows[k]);
                is_loaded |= row != TIER_NONE && set_has(loaded, row);
                is_carried |= row != TIER_NONE && set_has(carried, row);
            }
            if (d == TIER_NONE)
                continue;
            loaded[d / 64] &= ~(UINT64_C(1) << (d % 64));
            carried[d / 64] &= ~(UINT64_C(1) << (d % 64));
            if (is_loaded)
                set_add(loaded, d);
            if (is_carried)
                set_add(carried, d);
            if (i + 2 == range->end) /* what the next round begins with */
                for (uint32_t w = 0; w < graph->row_words; w++)
                    carried[w] |= loaded[w];
        }
    return false;
}

/* Loads of each lane from its own place, and which of them begin at a row that lanes bring along. */
static uint32_t count_gathers(struct emitter *emitter, struct scalar_loop *loop)
{
    struct graph *graph = (struct graph *)emitter->graph;
    const struct tier_block *range = graph_block(graph, loop->block);
    uint64_t *written = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
    uint32_t count = 0;
    emitter->failed |= !written;
    memcpy(emitter->state, graph_forms(graph, loop->block), graph->row_count * sizeof *emitter->state);
    for (uint32_t i = range->op; written && i + 1 < range->end; i++) {
        const struct micro_op *op = &graph->ops[i];
        const uint32_t address = graph_row(graph, scalar_load_address(op)), d = graph_row(graph, op->d);
        if (graph->kinds[i] == OP_MEMORY && op->access_bytes > 0 && address != TIER_NONE &&
            !form_is_known(emitter->state[address])) {
            count++;
            if (!set_has(written, address))
                set_add(loop->begins, address);
        }
        if (d != TIER_NONE)
            set_add(written, d);
        uniformity_step(graph, loop->block, i, emitter->state);
    }
    return count;
}

/* Is a row that the loop writes taken for known behind it? Its number would have to be found again. */
static bool has_known_result(const struct graph *graph, const struct scalar_loop *loop)
{
    const uint64_t *live = graph->live + (size_t)loop->next * graph->row_words;
    for (uint32_t row = 0; row < graph->row_count; row++)
        if (set_has(loop->written, row) && set_has(live, row) &&
            form_is_known(graph_forms(graph, loop->next)[row]))
            return true;
    return false;
}

/* Do lanes in the loop or behind it need what the loop has written there? */
static bool is_live_behind(const struct graph *graph, const struct scalar_loop *loop, uint32_t row)
{
    return set_has(graph->live + (size_t)loop->block * graph->row_words, row) ||
           set_has(graph->live + (size_t)loop->next * graph->row_words, row);
}

uint32_t scalar_loop_step_of(const struct graph *graph, uint32_t from, uint32_t end, struct row row,
                             int64_t *ret_step)
{
    uint32_t found = TIER_NONE;
    for (uint32_t i = from; i < end; i++) {
        const struct micro_op *op = &graph->ops[i];
        if (!row_is_equal(op->d, row) || graph->kinds[i] == OP_NOTHING)
            continue;
        const bool has_number = op->b.kind == ROW_UNIFORM_4 || op->b.kind == ROW_UNIFORM_8;
        const struct uniform *number = has_number ? &graph->bound->lowered->uniforms[op->b.index] : NULL;
        if (found != TIER_NONE || op->semantic != SEM_add || !row_is_equal(op->a, row) || !number ||
            number->kind != UNIFORM_IMMEDIATE)
            return TIER_NONE;
        *ret_step = row.kind == ROW_4 ? (int32_t)(uint32_t)number->bits : (int64_t)number->bits;
        found = i;
    }
    return found;
}

/* The comparison that the jump reads, or TIER_NONE. */
static uint32_t compare_of(const struct graph *graph, uint32_t from, uint32_t last)
{
    const struct micro_op *jump = &graph->ops[last];
    if (jump->flags & MICRO_DEFERRED_COMPARE)
        return last - 1;
    for (uint32_t i = last; i-- > from;)
        if (row_is_equal(graph->ops[i].d, jump->c))
            return i;
    return TIER_NONE;
}

/* A row that goes up or down by one each round, up to a number that stays the same. */
static void find_counter(const struct graph *graph, struct scalar_loop *loop)
{
    const struct tier_block *range = graph_block(graph, loop->block);
    const uint32_t last = range->end - 1, at = compare_of(graph, range->op, last);
    const struct micro_op *compare = &graph->ops[at == TIER_NONE ? last : at];
    const uint32_t limit = graph_row(graph, compare->b);
    const bool is_less = compare->semantic == SEM_setp_lt || compare->semantic == SEM_setp_ge;
    const bool is_other = compare->semantic == SEM_setp_ne || compare->semantic == SEM_setp_eq;
    const bool says_out = compare->semantic == SEM_setp_ge || compare->semantic == SEM_setp_eq;
    const bool jumps_out = loop->back != TIER_NONE,
               is_negated = (graph->ops[last].flags & MICRO_GUARD_NEGATED) != 0;
    int64_t step = 0;
    loop->add = TIER_NONE;
    loop->compare = at;
    if (at == TIER_NONE || (!is_less && !is_other) || says_out != (jumps_out != is_negated) ||
        compare->a.kind != ROW_4 || (limit != TIER_NONE && set_has(loop->written, limit)) ||
        (compare->type != HX_TYPE_U32 && compare->type != HX_TYPE_I32))
        return;
    const uint32_t add = scalar_loop_step_of(graph, range->op, range->end, compare->a, &step);
    if (add != TIER_NONE && add < at && (step == 1 || (step == -1 && is_other)))
        loop->add = add, loop->step = step;
}

bool scalar_loop_find(struct emitter *emitter, uint32_t block, struct scalar_loop *ret_loop)
{
    const struct graph *graph = emitter->graph;
    const struct tier_block *range = graph_block(graph, block);
    *ret_loop = (struct scalar_loop){.block = block};
    if (!is_loop(graph, ret_loop))
        return false;
    uint64_t *sets[6];
    for (size_t i = 0; i < HX_COUNT_OF(sets); i++) {
        sets[i] = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
        emitter->failed |= !sets[i];
    }
    if (emitter->failed)
        return false;
    ret_loop->used = sets[0], ret_loop->written = sets[1], ret_loop->begins = sets[2];
    ret_loop->kept = sets[5];
    find_rows(graph, ret_loop);
    for (uint32_t row = 0; row < graph->row_count; row++)
        if (set_has(ret_loop->written, row) && is_live_behind(graph, ret_loop, row))
            set_add(ret_loop->kept, row);
    find_counter(graph, ret_loop);
    const uint32_t gathers = count_gathers(emitter, ret_loop);
    bool begins = false;
    for (uint32_t w = 0; w < graph->row_words; w++)
        begins |= ret_loop->begins[w] != 0;
    return gathers >= GATHERS_LEAST && range->end - range->op <= OPS_PER_GATHER * gathers && begins &&
           !follows_pointers(graph, ret_loop, sets[3], sets[4]) && !has_known_result(graph, ret_loop);
}
