/* Loops whose lanes go through it one after the other.
 *
 * Takes a block that scalar_loops.c has found, leaves two loops: one over the lanes, and in it one of a
 * lane's rounds. They are tried when lanes enter the block. They change nothing until all lanes are through:
 * where an access is not one for compiled code, what has been done is dropped and all lanes run together.
 * They do, too, where they load neighbouring elements, which is one load of a vector.
 *
 * Counts and fuel are those of lanes that run together: rounds are counted as many as the longest lane's, and
 * no lane goes round more often than there is fuel. */
#include "exec/tier/llvm/scalar_loops.h"

/* What the code for one loop has in hand. */
struct making {
    struct emitter *emitter;
    struct scalar_loop loop;
    struct one_lane one;
    LLVMValueRef *arrays;                /* of each row an alloca of TIER_LANES numbers, or NULL */
    LLVMValueRef rounds;                 /* that a lane may go */
    LLVMValueRef left, most, all, again; /* where the loop over lanes begins: lanes; rounds; lanes */
    LLVMBasicBlockRef before, each, done;
};

static LLVMTypeRef array_type(const struct emitter *emitter, uint32_t row)
{
    const enum row_kind kind = graph_row_kind(emitter->graph, row);
    return kind == ROW_PREDICATE ? emitter->v8 : emit_row_type(emitter, kind);
}

/* Lanes that load neighbours, or all the same, run together. */
static void check_begins(struct making *making, LLVMBasicBlockRef together)
{
    struct emitter *emitter = making->emitter;
    LLVMBuilderRef builder = emitter->builder;
    const struct graph *graph = emitter->graph;
    const struct tier_block *range = graph_block(graph, making->loop.block);
    uint64_t *seen = making->loop.begins;
    for (uint32_t i = range->op; i + 1 < range->end; i++) {
        const struct micro_op *op = &graph->ops[i];
        const struct row row = scalar_load_address(op);
        const uint32_t number = graph_row(graph, row);
        if (graph->kinds[i] != OP_MEMORY || number == TIER_NONE || !set_has(seen, number))
            continue;
        seen[number / 64] &= ~(UINT64_C(1) << (number % 64));
        LLVMValueRef places = emit_operand(emitter, row, graph->bound->ops[i].a);
        LLVMTypeRef type = LLVMTypeOf(places);
        const uint64_t step = op->source_type != HX_TYPE_NONE ? 1 : type_bytes((enum hx_type)op->type);
        LLVMValueRef steps[TIER_LANES], find[] = {emitter->active, LLVMConstInt(emitter->i1, 1, false)};
        for (uint32_t l = 0; l < TIER_LANES; l++)
            steps[l] = LLVMConstInt(LLVMGetElementType(type), l * step, false);
        LLVMValueRef origins = LLVMBuildSub(builder, places, LLVMConstVector(steps, TIER_LANES), "");
        LLVMValueRef lane = emit_call(emitter, "llvm.cttz.i64", emitter->i64, find, 2), parted[2];
        LLVMValueRef vectors[] = {places, origins};
        for (size_t k = 0; k < HX_COUNT_OF(vectors); k++) {
            LLVMValueRef first = LLVMBuildExtractElement(builder, vectors[k], lane, "");
            LLVMValueRef differs =
                LLVMBuildICmp(builder, LLVMIntNE, vectors[k], emit_splat(emitter, first), "");
            parted[k] = emit_is_nonzero(
                emitter, LLVMBuildAnd(builder, emit_bits_of(emitter, differs), emitter->active, ""));
        }
        LLVMBasicBlockRef alone = emit_new_block(emitter, "lanes_alone");
        LLVMBuildCondBr(builder, LLVMBuildAnd(builder, parted[0], parted[1], ""), alone, together);
        LLVMPositionBuilderAtEnd(builder, alone);
    }
}

/* The rows that the loop uses, to where one lane finds its numbers. */
static void begin_rows(struct making *making)
{
    struct emitter *emitter = making->emitter;
    const struct graph *graph = emitter->graph;
    for (uint32_t row = 0; row < graph->row_count; row++) {
        if (!set_has(making->loop.used, row))
            continue;
        const bool is_predicate = graph_row_kind(graph, row) == ROW_PREDICATE;
        LLVMTypeRef type = array_type(emitter, row);
        making->arrays[row] = LLVMBuildAlloca(emitter->allocas, type, "");
        making->one.cells[row] = LLVMBuildAlloca(emitter->allocas, LLVMGetElementType(type), "");
        LLVMValueRef value =
            form_is_known(emitter->state[row])
                ? emit_row_vector(emitter, row, emitter->state[row])
                : emit_load(emitter, emit_row_type(emitter, graph_row_kind(graph, row)), emitter->rows[row]);
        if (is_predicate)
            value = LLVMBuildZExt(emitter->builder, emit_lanes_of(emitter, value), type, "");
        emit_store(emitter, value, making->arrays[row]);
    }
}

static LLVMValueRef cell_of(struct making *making, uint32_t row)
{
    LLVMTypeRef type = LLVMGetElementType(array_type(making->emitter, row));
    return LLVMBuildGEP2(making->emitter->builder, type, making->arrays[row], &making->one.lane, 1, "");
}

/* Numbers of the rows in `set` from or to the arrays. */
static void move_cells(struct making *making, const uint64_t *set, bool back)
{
    struct emitter *emitter = making->emitter;
    for (uint32_t row = 0; row < emitter->graph->row_count; row++) {
        if (!set_has(set, row))
            continue;
        LLVMTypeRef type = LLVMGetElementType(array_type(emitter, row));
        LLVMValueRef from = back ? making->one.cells[row] : cell_of(making, row);
        emit_store(emitter, emit_load(emitter, type, from),
                   back ? cell_of(making, row) : making->one.cells[row]);
    }
}

/* Rows whose bits the next round needs. */
static void end_nans(struct making *making)
{
    struct emitter *emitter = making->emitter;
    const struct graph *graph = emitter->graph;
    const uint32_t block = making->loop.block;
    for (uint32_t row = 0; row < graph->row_count; row++) {
        if (!set_has(making->loop.written, row) || emitter->nans[row] != NAN_ANY ||
            graph_nans(graph, block)[row] != NAN_EXACT)
            continue;
        LLVMTypeRef type = LLVMGetElementType(array_type(emitter, row));
        LLVMValueRef cell = making->one.cells[row];
        emit_store(emitter, emit_canonical(emitter, emit_load(emitter, type, cell)), cell);
    }
}

/* What a lane does in a round. */
static void make_round(struct making *making)
{
    struct emitter *emitter = making->emitter;
    const struct graph *graph = emitter->graph;
    const struct tier_block *range = graph_block(graph, making->loop.block);
    memcpy(emitter->nans, graph_nans(graph, making->loop.block), graph->row_count);
    for (uint32_t i = range->op; i + 1 < range->end; i++) {
        emit_place(emitter, i);
        one_lane_op(&making->one, i);
        nans_step(graph, i, emitter->nans);
    }
    end_nans(making);
}

/* Does the lane go round again? An i1. */
static LLVMValueRef goes_round(struct making *making)
{
    const uint32_t last = graph_block(making->emitter->graph, making->loop.block)->end - 1;
    LLVMValueRef jumps = one_lane_guard(&making->one, last);
    return making->loop.back == TIER_NONE ? jumps : LLVMBuildNot(making->emitter->builder, jumps, "");
}

/* One lane goes round until it leaves the loop or has gone as often as it may. Gives its rounds, and its bit
 * in the second case. */
static void make_rounds(struct making *making, LLVMValueRef *ret_rounds, LLVMValueRef *ret_again)
{
    struct emitter *emitter = making->emitter;
    LLVMBuilderRef builder = emitter->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), round = emit_new_block(emitter, "lane_round"),
                      more = emit_new_block(emitter, "lane_more"), out = emit_new_block(emitter, "lane_out"),
                      behind = emit_new_block(emitter, "lane_done");
    LLVMBuildBr(builder, round);
    LLVMPositionBuilderAtEnd(builder, round);
    LLVMValueRef left = LLVMBuildPhi(builder, emitter->i32, "");
    make_round(making);
    LLVMValueRef goes_on = goes_round(making);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(builder);
    LLVMBuildCondBr(builder, goes_on, more, behind);
    LLVMPositionBuilderAtEnd(builder, more);
    LLVMValueRef rest = LLVMBuildSub(builder, left, emit_i32(emitter, 1), "");
    LLVMValueRef may = LLVMBuildICmp(builder, LLVMIntNE, rest, emit_i32(emitter, 0), "");
    emit_likely(emitter, may, round, out);
    LLVMAddIncoming(left, (LLVMValueRef[]){making->rounds, rest}, (LLVMBasicBlockRef[]){before, more}, 2);
    LLVMPositionBuilderAtEnd(builder, out);
    LLVMValueRef bit = LLVMBuildShl(builder, emit_i64(emitter, 1), making->one.lane, "");
    LLVMBuildBr(builder, behind);
    LLVMPositionBuilderAtEnd(builder, behind);
    LLVMValueRef last_left = LLVMBuildPhi(builder, emitter->i32, "");
    *ret_again = LLVMBuildPhi(builder, emitter->i64, "");
    LLVMBasicBlockRef from[] = {end, out};
    LLVMAddIncoming(last_left, (LLVMValueRef[]){left, emit_i32(emitter, 1)}, from, 2);
    LLVMAddIncoming(*ret_again, (LLVMValueRef[]){emit_i64(emitter, 0), bit}, from, 2);
    LLVMValueRef gone = LLVMBuildSub(builder, making->rounds, last_left, "");
    *ret_rounds = LLVMBuildAdd(builder, gone, emit_i32(emitter, 1), "");
}

/* How often a lane goes round: up to the counter's limit, modulo 2^32, but once at least, and not more often
 * than it may. */
static LLVMValueRef count_rounds(struct making *making)
{
    struct emitter *emitter = making->emitter;
    LLVMBuilderRef builder = emitter->builder;
    const struct micro_op *ops = emitter->graph->ops;
    const struct op *bound = emitter->graph->bound->ops;
    const uint32_t add = making->loop.add, at = making->loop.compare;
    const bool is_less = ops[at].semantic == SEM_setp_lt || ops[at].semantic == SEM_setp_ge;
    LLVMValueRef zero = emit_i32(emitter, 0), one = emit_i32(emitter, 1);
    LLVMValueRef begin = one_lane_number(&making->one, ops[add].d, bound[add].d);
    LLVMValueRef limit = one_lane_number(&making->one, ops[at].b, bound[at].b);
    LLVMValueRef step = emit_i32(emitter, (uint32_t)making->loop.step);
    LLVMValueRef next = LLVMBuildAdd(builder, begin, step, "");
    const LLVMIntPredicate goes_on = !is_less                      ? LLVMIntNE
                                     : ops[at].type == HX_TYPE_U32 ? LLVMIntULT
                                                                   : LLVMIntSLT;
    LLVMValueRef way = making->loop.step > 0 ? LLVMBuildSub(builder, limit, next, "")
                                             : LLVMBuildSub(builder, next, limit, "");
    LLVMValueRef more =
        LLVMBuildSelect(builder, LLVMBuildICmp(builder, goes_on, next, limit, ""), way, zero, "");
    LLVMValueRef least[] = {more, LLVMBuildSub(builder, making->rounds, one, "")};
    return LLVMBuildAdd(builder, emit_call(emitter, "llvm.umin.i32", emitter->i32, least, 2), one, "");
}

/* The same of a lane whose rounds are known when it begins; so is where it loads, if that goes up with them.
 */
static void make_counted_rounds(struct making *making, LLVMValueRef *ret_rounds, LLVMValueRef *ret_again)
{
    struct emitter *emitter = making->emitter;
    LLVMBuilderRef builder = emitter->builder;
    *ret_rounds = count_rounds(making);
    one_lane_check_rounds(&making->one, *ret_rounds);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), round = emit_new_block(emitter, "lane_round"),
                      behind = emit_new_block(emitter, "lane_done");
    LLVMBuildBr(builder, round);
    LLVMPositionBuilderAtEnd(builder, round);
    LLVMValueRef left = LLVMBuildPhi(builder, emitter->i32, "");
    make_round(making);
    LLVMValueRef rest = LLVMBuildSub(builder, left, emit_i32(emitter, 1), "");
    LLVMAddIncoming(left, (LLVMValueRef[]){*ret_rounds, rest},
                    (LLVMBasicBlockRef[]){before, LLVMGetInsertBlock(builder)}, 2);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntNE, rest, emit_i32(emitter, 0), ""), round,
                    behind);
    LLVMPositionBuilderAtEnd(builder, behind);
    LLVMValueRef goes_on = LLVMBuildZExt(builder, goes_round(making), emitter->i64, "");
    *ret_again = LLVMBuildShl(builder, goes_on, making->one.lane, "");
}

/* The loop over the lanes; code goes on behind it. */
static void make_lanes(struct making *making)
{
    struct emitter *emitter = making->emitter;
    LLVMBuilderRef builder = emitter->builder;
    LLVMValueRef no_lanes = emit_i64(emitter, 0), rounds, more;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), each = emit_new_block(emitter, "lane"),
                      behind = emit_new_block(emitter, "lanes_done");
    LLVMBuildBr(builder, each);
    LLVMPositionBuilderAtEnd(builder, each);
    LLVMValueRef left = LLVMBuildPhi(builder, emitter->i64, ""),
                 most = LLVMBuildPhi(builder, emitter->i32, ""),
                 all = LLVMBuildPhi(builder, emitter->i64, ""),
                 again = LLVMBuildPhi(builder, emitter->i64, "");
    LLVMValueRef find[] = {left, LLVMConstInt(emitter->i1, 1, false)};
    making->one.lane = emit_call(emitter, "llvm.cttz.i64", emitter->i64, find, 2);
    move_cells(making, making->loop.used, false);
    (making->loop.add == TIER_NONE ? make_rounds : make_counted_rounds)(making, &rounds, &more);
    move_cells(making, making->loop.kept, true);
    LLVMValueRef is_more = LLVMBuildICmp(builder, LLVMIntSGT, rounds, most, "");
    LLVMValueRef most_now = LLVMBuildSelect(builder, is_more, rounds, most, "");
    LLVMValueRef all_now = LLVMBuildAdd(builder, all, LLVMBuildZExt(builder, rounds, emitter->i64, ""), "");
    LLVMValueRef again_now = LLVMBuildOr(builder, again, more, "");
    LLVMValueRef rest =
        LLVMBuildAnd(builder, left, LLVMBuildSub(builder, left, emit_i64(emitter, 1), ""), "");
    LLVMBasicBlockRef from[] = {before, LLVMGetInsertBlock(builder)};
    LLVMAddIncoming(left, (LLVMValueRef[]){emitter->active, rest}, from, 2);
    LLVMAddIncoming(most, (LLVMValueRef[]){emit_i32(emitter, 0), most_now}, from, 2);
    LLVMAddIncoming(all, (LLVMValueRef[]){no_lanes, all_now}, from, 2);
    LLVMAddIncoming(again, (LLVMValueRef[]){no_lanes, again_now}, from, 2);
    LLVMBuildCondBr(builder, emit_is_nonzero(emitter, rest), each, behind);
    LLVMPositionBuilderAtEnd(builder, behind);
    making->most = most_now, making->all = all_now, making->again = again_now;
}

/* Other lanes keep what they have. */
static void end_rows(struct making *making)
{
    struct emitter *emitter = making->emitter;
    LLVMBuilderRef builder = emitter->builder;
    const struct graph *graph = emitter->graph;
    for (uint32_t row = 0; row < graph->row_count; row++) {
        if (!set_has(making->loop.kept, row))
            continue;
        const enum row_kind kind = graph_row_kind(graph, row);
        LLVMValueRef value = emit_load(emitter, array_type(emitter, row), making->arrays[row]);
        if (kind == ROW_PREDICATE)
            value = emit_bits_of(emitter,
                                 LLVMBuildICmp(builder, LLVMIntNE, value, LLVMConstNull(emitter->v8), ""));
        if (graph_is_awaited(graph, emitter->block, row)) {
            LLVMValueRef old = emit_load(emitter, emit_row_type(emitter, kind), emitter->rows[row]);
            value = emit_selected(emitter, emitter->active, value, old);
        }
        emit_store(emitter, value, emitter->rows[row]);
    }
    emit_nans_at_end(emitter);
}

/* Lanes whose rounds are used up wait in the loop; the others are behind it. */
static void leave_without_fuel(struct making *making, uint64_t *places)
{
    struct emitter *emitter = making->emitter;
    const struct graph *graph = emitter->graph;
    uint64_t *live = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
    if (!live) {
        emitter->failed = true;
        return;
    }
    for (uint32_t row = 0; row < graph->row_count; row++)
        if (set_has(making->loop.written, row))
            emitter->state[row].kind = FORM_VARIES;
    emit_leave(emitter, live, emitter->state, places, TIER_FUEL);
}

/* Lanes that jump back do it together, `jumps` times; all do it but those of `left`, which leave once. */
static void count_lanes(struct making *making, LLVMValueRef jumps, LLVMValueRef left)
{
    struct emitter *emitter = making->emitter;
    LLVMBuilderRef builder = emitter->builder;
    const struct scalar_loop *loop = &making->loop;
    emit_count(emitter, 2ull * loop->block, LLVMBuildZExt(builder, making->most, emitter->i64, ""));
    emit_count(emitter, 2ull * loop->block + 1, making->all);
    if (loop->back == TIER_NONE)
        return;
    LLVMValueRef leaves = emit_call(emitter, "llvm.ctpop.i64", emitter->i64, &left, 1);
    emit_count(emitter, 2ull * loop->back, LLVMBuildZExt(builder, jumps, emitter->i64, ""));
    emit_count(emitter, 2ull * loop->back + 1, LLVMBuildSub(builder, making->all, leaves, ""));
}

/* As emit_end for all lanes. */
static void end_lanes(struct making *making)
{
    struct emitter *emitter = making->emitter;
    LLVMBuilderRef builder = emitter->builder;
    const uint32_t block = making->loop.block, next = making->loop.next;
    uint64_t *places = ARENA_ARRAY(emitter->graph->arena, uint64_t, emitter->graph->made->set_words);
    LLVMBasicBlockRef out = emit_new_block(emitter, "fuel"), on = emit_new_block(emitter, "lanes_behind");
    if (!places) {
        emitter->failed = true;
        return;
    }
    end_rows(making);
    LLVMValueRef is_out = emit_is_nonzero(emitter, making->again);
    LLVMValueRef is_through = LLVMBuildZExt(builder, LLVMBuildNot(builder, is_out, ""), emitter->i32, "");
    LLVMValueRef jumps = LLVMBuildSub(builder, making->most, is_through, "");
    LLVMValueRef left = LLVMBuildAnd(builder, emitter->active, LLVMBuildNot(builder, making->again, ""), "");
    if (emitter->counts)
        count_lanes(making, jumps, left);
    emit_store(emitter, LLVMBuildSub(builder, emit_load(emitter, emitter->i32, emitter->fuel), jumps, ""),
               emitter->fuel);
    emit_store(emitter, making->again, emitter->lanes[block]);
    emit_add_lanes(emitter, next, left);
    emit_places(emitter, block, false, places);
    set_add(places, next);
    LLVMBuildCondBr(builder, is_out, out, on);
    LLVMPositionBuilderAtEnd(builder, on);
    emit_go_on(emitter, places, next);
    LLVMPositionBuilderAtEnd(builder, out);
    set_add(places, block);
    leave_without_fuel(making, places);
}

LLVMBasicBlockRef emit_scalar_loop(struct emitter *emitter, uint32_t block)
{
    LLVMBuilderRef builder = emitter->builder;
    const struct graph *graph = emitter->graph;
    struct making making = {.emitter = emitter, .one = {.emitter = emitter}};
    if (!scalar_loop_find(emitter, block, &making.loop))
        return emitter->bodies[block];
    emitter->together_of = block;
    emitter->together_last = making.loop.back == TIER_NONE ? block : making.loop.back;
    LLVMBasicBlockRef together = emit_new_block(emitter, "lanes_together");
    making.arrays = ARENA_ARRAY(graph->arena, LLVMValueRef, graph->row_count + 1u);
    making.one.cells = ARENA_ARRAY(graph->arena, LLVMValueRef, graph->row_count + 1u);
    making.one.no = emitter->together = together;
    if (!making.arrays || !making.one.cells) {
        emitter->failed = true;
        return emitter->bodies[block];
    }
    LLVMPositionBuilderAtEnd(builder, emitter->bodies[block]);
    emitter->block = block;
    emitter->guard = NULL;
    emitter->active = emit_lanes_at(emitter, block);
    memcpy(emitter->state, graph_forms(graph, block), graph->row_count * sizeof *emitter->state);
    memcpy(emitter->nans, graph_nans(graph, block), graph->row_count);
    LLVMValueRef fuel = emit_load(emitter, emitter->i32, emitter->fuel), one = emit_i32(emitter, 1);
    making.rounds =
        LLVMBuildSelect(builder, LLVMBuildICmp(builder, LLVMIntSGT, fuel, one, ""), fuel, one, "");
    check_begins(&making, together);
    const struct tier_block *range = graph_block(graph, block);
    emitter->failed |= !one_lane_begin(&making.one, range->op, range->end - 1);
    if (emitter->failed)
        return together;
    begin_rows(&making);
    make_lanes(&making);
    end_lanes(&making);
    return together;
}
