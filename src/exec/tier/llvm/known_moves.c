/* Moving elements whose places are known and have been checked.
 *
 * Takes where a gang's elements lie (struct places), leaves code that loads or stores them: vectors for what
 * lies in a row, one element for what lies at one place. */
#include "exec/tier/llvm/known_access.h"

#include <stdio.h>

#define LINE_BYTES    64u
#define MACHINE_BYTES 64u /* of a vector, at most */

static LLVMTypeRef element_type(const struct emitter *emitter, const struct places *places)
{
    return places->bytes == 1   ? emitter->i8
           : places->bytes == 2 ? emitter->i16
           : places->bytes == 4 ? emitter->i32
                                : emitter->i64;
}

static LLVMValueRef host_of(struct emitter *emitter, const struct places *places, uint32_t group)
{
    return emit_at(emitter, emit_at(emitter, places->window.host, places->distances[group]),
                   emit_i64(emitter, (uint64_t)places->op->immediate));
}

static LLVMValueRef load_from(struct emitter *emitter, LLVMTypeRef type, LLVMValueRef host)
{
    LLVMValueRef value = LLVMBuildLoad2(emitter->builder, type, host, "");
    LLVMSetAlignment(value, 1);
    return value;
}

static LLVMValueRef widened(struct emitter *emitter, const struct places *places, LLVMValueRef value,
                            LLVMTypeRef type)
{
    if (places->bytes >= 4)
        return value;
    return type_is_signed((enum hx_type)places->op->type) ? LLVMBuildSExt(emitter->builder, value, type, "")
                                                          : LLVMBuildZExt(emitter->builder, value, type, "");
}

static bool groups_are_equal(const struct emitter *emitter, const struct places *places)
{
    const struct row_form form =
        uniformity_operand((struct graph *)emitter->graph, emitter->state, places->row);
    const struct addend *addend = &emitter->graph->addends[form.addend];
    for (uint32_t g = 0; g < TIER_LANES; g += emitter->graph->group_lanes)
        if (form.kind != FORM_ONE || addend->by[g] != addend->by[0])
            return false;
    return true;
}

/* The same of active lanes alone. */
LLVMValueRef emit_load_active(struct emitter *emitter, const struct places *places)
{
    char name[64];
    LLVMValueRef parts[GROUPS_MAX], numbers[TIER_LANES];
    const uint32_t lanes = TIER_LANES / places->groups;
    LLVMTypeRef part = LLVMVectorType(element_type(emitter, places), lanes);
    LLVMValueRef all = emit_lanes_of(emitter, emit_mask(emitter));
    snprintf(name, sizeof name, "llvm.masked.load.v%ui%u.p0", lanes, 8 * places->bytes);
    for (uint32_t g = 0; g < places->groups; g++) {
        for (uint32_t l = 0; l < lanes; l++)
            numbers[l] = emit_i32(emitter, g * lanes + l);
        LLVMValueRef mask =
            LLVMBuildShuffleVector(emitter->builder, all, all, LLVMConstVector(numbers, lanes), "");
        LLVMValueRef arguments[] = {host_of(emitter, places, g), emit_i32(emitter, 1), mask,
                                    LLVMConstNull(part)};
        parts[g] = emit_call(emitter, name, part, arguments, 4);
    }
    return widened(emitter, places, emit_together(emitter, parts, places->groups), emitter->v32);
}

/* Elements with others between them: vectors of all of them, from which theirs are taken. None reads beyond
 * the last element, which ends where the check has looked. */
static LLVMValueRef load_strided(struct emitter *emitter, const struct places *places, LLVMTypeRef type,
                                 LLVMValueRef host)
{
    const uint32_t lanes = LLVMGetVectorSize(type), stride = places->stride;
    LLVMValueRef taken = NULL, which[TIER_LANES];
    for (uint32_t piece = 0; piece < stride; piece++) {
        const uint32_t from = piece + 1 < stride ? piece * lanes : (lanes - 1) * stride + 1 - lanes;
        LLVMValueRef value = load_from(
            emitter, type, emit_at(emitter, host, emit_i64(emitter, (uint64_t)from * places->bytes)));
        for (uint32_t l = 0; l < lanes; l++) {
            const bool is_here = l * stride >= piece * lanes && l * stride < from + lanes;
            which[l] = emit_i32(emitter, is_here ? lanes + l * stride - from : l);
        }
        taken =
            taken ? LLVMBuildShuffleVector(emitter->builder, taken, value, LLVMConstVector(which, lanes), "")
                  : LLVMBuildShuffleVector(emitter->builder, value, value, LLVMConstVector(which, lanes), "");
    }
    return taken;
}

/* A group's elements. Each vector that is taken from others fits into one of the machine's. */
static LLVMValueRef load_run(struct emitter *emitter, const struct places *places, LLVMTypeRef part,
                             uint32_t group)
{
    LLVMValueRef host = host_of(emitter, places, group), parts[TIER_LANES];
    const uint32_t lanes = LLVMGetVectorSize(part), most = MACHINE_BYTES / places->bytes;
    const uint32_t at_once = most < lanes ? most : lanes;
    if (places->stride == 1)
        return load_from(emitter, part, host);
    for (uint32_t l = 0; l < lanes; l += at_once)
        parts[l / at_once] = load_strided(
            emitter, places, LLVMVectorType(LLVMGetElementType(part), at_once),
            emit_at(emitter, host, emit_i64(emitter, (uint64_t)l * places->stride * places->bytes)));
    return emit_together(emitter, parts, lanes / at_once);
}

LLVMValueRef emit_load_runs(struct emitter *emitter, const struct places *places)
{
    LLVMValueRef parts[GROUPS_MAX];
    const uint32_t lanes = TIER_LANES / places->groups;
    LLVMTypeRef part = LLVMVectorType(element_type(emitter, places), lanes);
    const bool is_equal = places->groups > 1 && groups_are_equal(emitter, places);
    for (uint32_t g = 0; g < places->groups; g++)
        parts[g] = is_equal && g > 0 ? parts[0] : load_run(emitter, places, part, g);
    LLVMValueRef value = emit_together(emitter, parts, places->groups);
    return widened(emitter, places, value, emitter->v32);
}

static void store_part(struct emitter *emitter, const struct places *places, LLVMValueRef value,
                       LLVMValueRef mask, uint32_t group)
{
    LLVMBuilderRef builder = emitter->builder;
    char name[64];
    const uint32_t lanes = TIER_LANES / places->groups;
    LLVMValueRef numbers[TIER_LANES];
    for (uint32_t l = 0; l < lanes; l++)
        numbers[l] = emit_i32(emitter, group * lanes + l);
    LLVMValueRef which = LLVMConstVector(numbers, lanes);
    value = LLVMBuildShuffleVector(builder, value, value, which, "");
    LLVMValueRef host = host_of(emitter, places, group);
    if (!mask) {
        LLVMSetAlignment(LLVMBuildStore(builder, value, host), 1);
        return;
    }
    mask = LLVMBuildShuffleVector(builder, mask, mask, which, "");
    snprintf(name, sizeof name, "llvm.masked.store.v%ui%u.p0", lanes, 8 * places->bytes);
    LLVMValueRef arguments[] = {value, host, emit_i32(emitter, 1), mask};
    (void)emit_call(emitter, name, LLVMVoidTypeInContext(emitter->context), arguments, 4);
}

static LLVMValueRef stored_elements(struct emitter *emitter, const struct places *places)
{
    LLVMValueRef value = emit_operand(emitter, places->op->b, places->bound->b);
    return places->bytes < 4 ? LLVMBuildTrunc(emitter->builder, value,
                                              LLVMVectorType(element_type(emitter, places), TIER_LANES), "")
                             : value;
}

/* ---- Stores that go by the caches ---------------------------------------------------------------------- */

/* Buffers of at least this size leave the caches before anybody reads them again. */
#define STREAM_BYTES (UINT64_C(32) << 20)

/* A kernel that goes over its buffers once and never reads the one that it stores to here. Nothing in it
 * orders its stores for others: that would take fences of its own. */
static bool is_streamed(const struct graph *graph, const struct places *places)
{
    if (places->bound->space != SPACE_GLOBAL || places->groups > 1 || places->op->a.kind != ROW_UNIFORM_8)
        return false;
    for (uint32_t i = 0; i < graph->op_count; i++) {
        const struct micro_op *op = &graph->ops[i];
        const enum op_kind kind = (enum op_kind)graph->kinds[i];
        const bool is_back = (kind == OP_BRANCH || kind == OP_LOOP) && op->target <= i;
        const bool is_load = kind == OP_MEMORY && semantic_at(op->semantic)->shape == SHAPE_LOAD;
        if (is_back || kind == OP_ATOMIC || kind == OP_FENCE || kind == OP_BARRIER || op_kind_is_call(kind) ||
            kind == OP_HELPED || (kind == OP_STEP && op->semantic != MICRO_END) ||
            (is_load && row_is_equal(op->a, places->op->a)))
            return false;
    }
    return true;
}

/* Code goes on where the elements are not to be stored that way. */
static void store_streamed(struct emitter *emitter, const struct places *places, LLVMValueRef value,
                           LLVMBasicBlockRef stored)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMValueRef host = host_of(emitter, places, 0);
    LLVMValueRef rest = LLVMBuildAnd(builder, LLVMBuildPtrToInt(builder, host, emitter->i64, ""),
                                     emit_i64(emitter, LINE_BYTES - 1), "");
    LLVMValueRef is_large =
        LLVMBuildICmp(builder, LLVMIntUGE, places->window.size, emit_i64(emitter, STREAM_BYTES), "");
    LLVMValueRef is_aligned = LLVMBuildICmp(builder, LLVMIntEQ, rest, emit_i64(emitter, 0), "");
    LLVMBasicBlockRef streams = emit_new_block(emitter, "store_streamed"),
                      other = emit_new_block(emitter, "store_cached");
    LLVMBuildCondBr(builder, LLVMBuildAnd(builder, is_large, is_aligned, ""), streams, other);
    LLVMPositionBuilderAtEnd(builder, streams);
    LLVMValueRef store = LLVMBuildStore(builder, value, host);
    LLVMValueRef one = emit_i32(emitter, 1);
    LLVMMetadataRef node = LLVMValueAsMetadata(one);
    LLVMSetAlignment(store, LINE_BYTES);
    LLVMSetMetadata(store, LLVMGetMDKindIDInContext(emitter->context, "nontemporal", 11),
                    LLVMMetadataAsValue(emitter->context, LLVMMDNodeInContext2(emitter->context, &node, 1)));
    LLVMBuildBr(builder, stored);
    LLVMPositionBuilderAtEnd(builder, other);
}

/* All lanes store, or those of the mask. */
void emit_store_runs(struct emitter *emitter, const struct places *places)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMValueRef value = stored_elements(emitter, places), mask = emit_mask(emitter);
    LLVMBasicBlockRef all = emit_new_block(emitter, "store_all"),
                      some = emit_new_block(emitter, "store_some"),
                      stored = emit_new_block(emitter, "stored");
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntEQ, mask, emit_i64(emitter, UINT64_MAX), ""), all,
                    some);
    LLVMPositionBuilderAtEnd(builder, all);
    if (is_streamed(emitter->graph, places))
        store_streamed(emitter, places, value, stored);
    for (uint32_t g = 0; g < places->groups; g++)
        store_part(emitter, places, value, NULL, g);
    LLVMBuildBr(builder, stored);
    LLVMPositionBuilderAtEnd(builder, some);
    LLVMValueRef lanes = emit_lanes_of(emitter, mask);
    for (uint32_t g = 0; g < places->groups; g++)
        store_part(emitter, places, value, lanes, g);
    LLVMBuildBr(builder, stored);
    LLVMPositionBuilderAtEnd(builder, stored);
}

/* A number for each group. */
void emit_load_places(struct emitter *emitter, const struct places *places)
{
    LLVMValueRef numbers[GROUPS_MAX];
    for (uint32_t g = 0; g < places->groups; g++) {
        LLVMValueRef value = load_from(emitter, element_type(emitter, places), host_of(emitter, places, g));
        numbers[g] = widened(emitter, places, value, emitter->i32);
    }
    emit_write_known(emitter, places->at, places->op->d, (struct row_form){.kind = places->form.kind},
                     numbers);
}

void emit_store_active(struct emitter *emitter, const struct places *places)
{
    LLVMValueRef value = stored_elements(emitter, places), lanes = emit_lanes_of(emitter, emit_mask(emitter));
    for (uint32_t g = 0; g < places->groups; g++)
        store_part(emitter, places, value, lanes, g);
}

/* ---- What comes next ----------------------------------------------------------------------------------- */

/* Of straight code, where gangs and blocks that come next mostly go on behind the elements of this one:
 * bytes. */
#define STREAM_AHEAD 2048u

/* Rounds of a loop until memory answers; with barriers in it all gangs of a block have their turns in each.
 */
#define ROUNDS_AHEAD_LOG2 2u

/* Tiles until memory answers, of accesses by rows of a tile whose place is computed anew in each round of a
 * loop: the next block has the tile to the right. */
#define TILES_AHEAD 2u

/* Is the block run again and again? *ret_has_barrier: gangs take turns in each round. */
static bool is_in_loop(const struct graph *graph, uint32_t block, bool *ret_has_barrier)
{
    *ret_has_barrier = false;
    for (uint32_t b = block; b < graph->made->block_count; b++) {
        const uint32_t last = graph_block(graph, b)->end - 1;
        const enum op_kind kind = (enum op_kind)graph->kinds[last];
        if (kind != OP_BRANCH && kind != OP_LOOP)
            continue;
        const uint32_t target = graph->ops[last].target;
        if (graph->made->block_at[target] > block)
            continue;
        for (uint32_t i = target; i < last; i++)
            *ret_has_barrier |= graph->kinds[i] == OP_BARRIER;
        return true;
    }
    return false;
}

/* What the block adds to the addresses behind the access, if it is a number: it is in force when the block is
 * run again. */
struct step {
    struct row row;
    struct op_row bound;
    uint64_t scale; /* bytes of 1 */
};

/* The row that the addresses are computed from, where the block does it: that of an index. */
static struct row find_index(const struct graph *graph, uint32_t block, const struct places *places,
                             uint64_t *ret_scale)
{
    *ret_scale = UINT64_C(1) << places->scale_log2;
    for (uint32_t i = places->at; i-- > graph_block(graph, block)->op && !places->has_index;) {
        const struct micro_op *op = &graph->ops[i];
        if (!row_is_equal(op->d, places->row))
            continue;
        if (op->semantic != SEM_address)
            break;
        *ret_scale = (uint64_t)op->immediate;
        return op->b;
    }
    return places->row;
}

static bool find_step(const struct emitter *emitter, const struct places *places, struct step *ret_step)
{
    const struct graph *graph = emitter->graph;
    const struct row row = find_index(graph, emitter->block, places, &ret_step->scale);
    for (uint32_t i = places->at + 1; i < graph_block(graph, emitter->block)->end; i++) {
        const struct micro_op *op = &graph->ops[i];
        if (!row_is_equal(op->d, row))
            continue;
        ret_step->row = op->b;
        ret_step->bound = graph->bound->ops[i].b;
        return op->semantic == SEM_add && row_is_equal(op->a, op->d) &&
               form_is_equal(uniformity_operand((struct graph *)graph, emitter->state, op->b),
                             (struct row_form){.kind = FORM_ONE});
    }
    return false;
}

/* Does the block both load and store the elements? */
static bool is_changed(const struct graph *graph, uint32_t block, const struct places *places, bool is_store)
{
    for (uint32_t i = graph_block(graph, block)->op; i < graph_block(graph, block)->end; i++) {
        const struct micro_op *op = &graph->ops[i];
        if (graph->kinds[i] == OP_MEMORY && row_is_equal(op->a, places->op->a) &&
            row_is_equal(op->c, places->op->c) && op->immediate == places->op->immediate &&
            (semantic_at(op->semantic)->shape == SHAPE_STORE) != is_store)
            return true;
    }
    return false;
}

/* Where what comes next is likely to lie. */
struct ahead {
    LLVMValueRef bytes; /* from the access; NULL: nobody knows */
    uint32_t run;       /* how much to fetch */
};

/* The rounds in which a loop goes through what lies between one lane's element and the next one's, or 1. */
static uint32_t rounds_between_lanes(const struct graph *graph, const struct places *places,
                                     const struct step *step)
{
    const bool is_uniform = step->row.kind == ROW_UNIFORM_4 || step->row.kind == ROW_UNIFORM_8;
    const struct uniform *uniform = is_uniform ? &graph->bound->lowered->uniforms[step->row.index] : NULL;
    if (!uniform || uniform->kind != UNIFORM_IMMEDIATE || places->groups > 1)
        return 1;
    const uint64_t between = (uint64_t)places->bytes * places->stride, by = uniform->bits * step->scale;
    return by > 0 && by < between && between % by == 0 ? (uint32_t)(between / by) : 1;
}

/* The first of those rounds has loaded all lines of this gang. Each fetches a part of those of the next one.
 */
static struct ahead ahead_in_parts(struct emitter *emitter, const struct places *places, uint32_t run,
                                   uint32_t rounds)
{
    LLVMBuilderRef builder = emitter->builder;
    struct ahead ahead = {.run = run / rounds};
    if (!emitter->fetches_straight)
        return ahead;
    LLVMValueRef by = emit_i64(emitter, places->bytes * places->stride / rounds),
                 round = LLVMBuildUDiv(builder, places->distances[0], by, "");
    round = LLVMBuildURem(builder, round, emit_i64(emitter, rounds), "");
    ahead.bytes = LLVMBuildMul(builder, round, emit_i64(emitter, ahead.run), "");
    ahead.bytes = LLVMBuildAdd(builder, ahead.bytes, emit_i64(emitter, STREAM_AHEAD), "");
    return ahead;
}

/* Rows have `run` bytes. */
static struct ahead find_ahead(struct emitter *emitter, const struct places *places, uint32_t run,
                               bool is_store)
{
    struct ahead ahead = {.run = run};
    struct step step;
    bool has_barrier;
    if (!is_in_loop(emitter->graph, emitter->block, &has_barrier)) {
        ahead.bytes = emitter->fetches_straight ? emit_i64(emitter, STREAM_AHEAD) : NULL;
        return ahead;
    }
    if (!find_step(emitter, places, &step)) {
        ahead.bytes = places->groups > 1 && !is_store ? emit_i64(emitter, (uint64_t)TILES_AHEAD * run) : NULL;
        return ahead;
    }
    const uint32_t rounds = rounds_between_lanes(emitter->graph, places, &step);
    if (rounds > 1 && run % (rounds * LINE_BYTES) == 0)
        return ahead_in_parts(emitter, places, run, rounds);
    LLVMValueRef by = emit_number(emitter, step.row, step.bound, FORM_ONE, 0);
    if (LLVMTypeOf(by) == emitter->i32)
        by = LLVMBuildSExt(emitter->builder, by, emitter->i64, "");
    by = LLVMBuildMul(emitter->builder, by, emit_i64(emitter, step.scale), "");
    const unsigned rounds_log2 = has_barrier ? 0 : ROUNDS_AHEAD_LOG2;
    ahead.bytes = LLVMBuildShl(emitter->builder, by, emit_i64(emitter, rounds_log2), "");
    return ahead;
}

/* Has a load of the block already fetched these lines? Its offset differs by less than a line. If not, this
 * load is noted for those behind it. */
static bool is_fetched_before(struct emitter *emitter, const struct places *places)
{
    struct known_fetch *const last = &emitter->fetches[places_entry(emitter, places)];
    if (last->exists && last->block == emitter->block && places_are_like(emitter->graph, places, last->at)) {
        const int64_t apart = places->op->immediate - emitter->graph->ops[last->at].immediate;
        if (apart > -(int64_t)LINE_BYTES && apart < (int64_t)LINE_BYTES)
            return true;
    }
    if (!emitter->guard) /* else it may not be done */
        *last = (struct known_fetch){.exists = true, .block = emitter->block, .at = places->at};
    return false;
}

void emit_prefetch(struct emitter *emitter, const struct places *places, bool is_store)
{
    const uint32_t run = TIER_LANES / places->groups * places->bytes * places->stride;
    const bool is_both = is_changed(emitter->graph, emitter->block, places, is_store);
    /* the bytes between the elements of a vector's first one are those of the others */
    const bool is_fetched = places->stride > 1 && places->op->access_bytes == 0;
    if (places->bound->space != SPACE_GLOBAL || is_fetched ||
        (is_store && (is_both || is_streamed(emitter->graph, places))))
        return;
    const struct ahead ahead = find_ahead(emitter, places, run, is_store);
    if (!ahead.bytes || (!is_store && is_fetched_before(emitter, places)))
        return;
    for (uint32_t g = 0; g < places->groups; g++)
        for (uint32_t from = 0; from < ahead.run; from += LINE_BYTES) {
            LLVMValueRef at = emit_at(emitter, host_of(emitter, places, g), ahead.bytes);
            LLVMValueRef arguments[] = {emit_at(emitter, at, emit_i64(emitter, from)),
                                        emit_i32(emitter, is_store || is_both), emit_i32(emitter, 3),
                                        emit_i32(emitter, 1)};
            (void)emit_call(emitter, "llvm.prefetch.p0", LLVMVoidTypeInContext(emitter->context), arguments,
                            4);
        }
}
