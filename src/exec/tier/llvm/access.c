/* Loads and stores.
 *
 * Takes a micro-op of memory, leaves code that checks all active lanes' elements against one window and moves
 * them: the space's, or of global memory the buffer of the last access. What does not fit is left to the
 * interpreter, which finds the buffer or reports the fault. Where the elements lie is found when the code
 * runs: one after the other as their lanes, all at one place, or anywhere.
 *
 * A generic address is mostly of the space that the first active lane's is of: that one's window is taken. Of
 * a thread's stack the window has nothing, as each lane's has an end of its own. What does not fit is done by
 * the interpreter's handler then, in place, if it is one element.
 *
 * The elements behind the first one of a vector are checked with it. Narrow elements that are scattered are
 * moved lane by lane. */
#include "exec/tier/llvm/access.h"

#include "semantics/semantics.h"

/* ---- Windows ------------------------------------------------------------------------------------------- */

static LLVMValueRef window_field(struct emitter *emitter, uint32_t at, size_t offset, LLVMTypeRef type)
{
    const struct op *bound = &emitter->graph->bound->ops[at];
    size_t frame_offset;
    switch (bound->space) {
    case SPACE_SHARED: /* it begins at address 0 (block.c) */
        if (offset == offsetof(struct memory_window, low))
            return emit_i64(emitter, 0);
        frame_offset = offsetof(struct tier_frame, shared);
        break;
    case SPACE_CONSTANT:
        frame_offset = offsetof(struct tier_frame, constant);
        break;
    case SPACE_LOCAL:
        return emit_frame_field(emitter, type, offsetof(struct tier_frame, local) + offset);
    default: {
        LLVMValueRef windows =
            emit_common_field(emitter, emitter->pointer, offsetof(struct tier_frame, windows));
        const uint64_t place = (uint64_t)bound->window_slot * sizeof(struct memory_window) + offset;
        return emit_constant_load(emitter, type, emit_at(emitter, windows, emit_i64(emitter, place)), 8);
    }
    }
    return emit_common_field(emitter, type, frame_offset + offset);
}

/* The window of the instruction's first access serves all of it. */
struct window emit_window(struct emitter *emitter, uint32_t op)
{
    const size_t low = offsetof(struct memory_window, low), size = offsetof(struct memory_window, size);
    const size_t host = offsetof(struct memory_window, host);
    if (emitter->graph->ops[op].access_bytes > 0)
        emitter->first_access = op;
    return (struct window){.low = window_field(emitter, emitter->first_access, low, emitter->i64),
                           .size = window_field(emitter, emitter->first_access, size, emitter->i64),
                           .host = window_field(emitter, emitter->first_access, host, emitter->pointer)};
}

/* ---- Checks -------------------------------------------------------------------------------------------- */

static LLVMValueRef none_of(struct emitter *emitter, LLVMValueRef bad, LLVMValueRef mask)
{
    LLVMValueRef bits = LLVMBuildAnd(emitter->builder, emit_bits_of(emitter, bad), mask, "");
    return LLVMBuildICmp(emitter->builder, LLVMIntEQ, bits, emit_i64(emitter, 0), "");
}

static LLVMValueRef at_most(struct emitter *emitter, LLVMValueRef x, int64_t most)
{
    LLVMValueRef bound = emit_i64(emitter, (uint64_t)most);
    return LLVMBuildSelect(emitter->builder, LLVMBuildICmp(emitter->builder, LLVMIntSLT, x, bound, ""), x,
                           bound, "");
}

static LLVMValueRef at_least(struct emitter *emitter, LLVMValueRef x, int64_t least)
{
    LLVMValueRef bound = emit_i64(emitter, (uint64_t)least);
    return LLVMBuildSelect(emitter->builder, LLVMBuildICmp(emitter->builder, LLVMIntSGT, x, bound, ""), x,
                           bound, "");
}

/* Farther than this from a base no index reaches: sums of indices and lanes then do not wrap. */
#define INDEX_MOST (INT64_C(1) << 30)

struct index_range emit_index_range(struct emitter *emitter, const struct micro_op *op, LLVMValueRef size,
                                    LLVMValueRef begin, LLVMValueRef base)
{
    LLVMBuilderRef builder = emitter->builder;
    const unsigned scale = op->scale_log2;
    LLVMValueRef scale_value = emit_i64(emitter, scale);
    LLVMValueRef room = LLVMBuildSub(builder, size, emit_i64(emitter, op->access_bytes), "");
    LLVMValueRef high = LLVMBuildAShr(builder, LLVMBuildSub(builder, room, begin, ""), scale_value, "");
    LLVMValueRef round = emit_i64(emitter, (UINT64_C(1) << scale) - 1);
    LLVMValueRef low = LLVMBuildAShr(builder, LLVMBuildSub(builder, round, begin, ""), scale_value, "");
    high = at_most(emitter, high, INDEX_MOST);
    low = at_least(emitter, low, op->source_type == HX_TYPE_I32 ? -INDEX_MOST : 0);
    struct index_range range = {
        .first = LLVMBuildTrunc(builder, low, emitter->i32, ""),
        .span = LLVMBuildTrunc(builder, LLVMBuildSub(builder, high, low, ""), emitter->i32, ""),
        .good = LLVMBuildICmp(builder, LLVMIntSLE, low, high, "")};
    if (op->align_log2 <= scale) {
        const uint64_t rest = (UINT64_C(1) << op->align_log2) - 1;
        LLVMValueRef odd = LLVMBuildAnd(builder, base, emit_i64(emitter, rest), "");
        range.good = LLVMBuildAnd(builder, range.good,
                                  LLVMBuildICmp(builder, LLVMIntEQ, odd, emit_i64(emitter, 0), ""), "");
    }
    return range;
}

/* Code goes on where the access fits. */
static void check_access(struct emitter *emitter, struct element_access *access, LLVMValueRef good)
{
    if (!access->is_helped) {
        emit_check(emitter, good, access->at);
        return;
    }
    LLVMBasicBlockRef fits = emit_new_block(emitter, "fits");
    access->other = emit_new_block(emitter, "other");
    emit_likely(emitter, good, fits, access->other);
    LLVMPositionBuilderAtEnd(emitter->builder, fits);
}

/* A base and an index for each lane. */
static void check_indices(struct emitter *emitter, struct element_access *access, LLVMValueRef begin,
                          LLVMValueRef base)
{
    LLVMBuilderRef builder = emitter->builder;
    const struct micro_op *op = access->op;
    const unsigned scale = op->scale_log2;
    const struct index_range range = emit_index_range(emitter, op, access->size, begin, base);
    LLVMValueRef beyond = LLVMBuildICmp(
        builder, LLVMIntUGT, LLVMBuildSub(builder, access->distances, emit_splat(emitter, range.first), ""),
        emit_splat(emitter, range.span), "");
    LLVMValueRef good = LLVMBuildAnd(builder, none_of(emitter, beyond, access->mask), range.good, "");
    if (op->align_log2 > scale) {
        const uint64_t rest = (UINT64_C(1) << op->align_log2) - 1;
        LLVMValueRef places =
            LLVMBuildShl(builder, access->distances, emit_splat(emitter, emit_i32(emitter, scale)), "");
        places = LLVMBuildAdd(builder, places,
                              emit_splat(emitter, LLVMBuildTrunc(builder, base, emitter->i32, "")), "");
        places = LLVMBuildAnd(builder, places, emit_splat(emitter, emit_i32(emitter, (uint32_t)rest)), "");
        LLVMValueRef odd = LLVMBuildICmp(builder, LLVMIntNE, places, LLVMConstNull(emitter->v32), "");
        good = LLVMBuildAnd(builder, good, none_of(emitter, odd, access->mask), "");
    }
    check_access(emitter, access, good);
}

/* An address for each lane. */
static void check_addresses(struct emitter *emitter, struct element_access *access, LLVMValueRef addresses)
{
    LLVMBuilderRef builder = emitter->builder;
    const struct micro_op *op = access->op;
    LLVMValueRef size = access->size, bytes = emit_i64(emitter, op->access_bytes);
    LLVMValueRef beyond = LLVMBuildICmp(builder, LLVMIntUGT, access->distances,
                                        emit_splat(emitter, LLVMBuildSub(builder, size, bytes, "")), "");
    LLVMValueRef good = LLVMBuildAnd(builder, none_of(emitter, beyond, access->mask),
                                     LLVMBuildICmp(builder, LLVMIntUGE, size, bytes, ""), "");
    if (op->align_log2 > 0) {
        LLVMValueRef rest = emit_splat(emitter, emit_i64(emitter, (UINT64_C(1) << op->align_log2) - 1));
        LLVMValueRef odd = LLVMBuildICmp(builder, LLVMIntNE, LLVMBuildAnd(builder, addresses, rest, ""),
                                         LLVMConstNull(emitter->v64), "");
        good = LLVMBuildAnd(builder, good, none_of(emitter, odd, access->mask), "");
    }
    check_access(emitter, access, good);
}

/* ---- Generic addresses --------------------------------------------------------------------------------- */

/* Local memory as far as all lanes have it. */
static LLVMValueRef local_bytes(struct emitter *emitter)
{
    const struct lowered_kernel *lowered = emitter->graph->bound->lowered;
    return lowered->uses_stack
               ? emit_i64(emitter, lowered->kernel->local.bytes)
               : emit_frame_field(emitter, emitter->i64,
                                  offsetof(struct tier_frame, local) + offsetof(struct memory_window, size));
}

/* Where the first active lane's address is in the window of generic addresses that begins at `low`, the
 * space's window is the access's. Gives that truth. */
static LLVMValueRef choose_window(struct emitter *emitter, struct element_access *access, LLVMValueRef first,
                                  uint64_t low, LLVMValueRef size, LLVMValueRef host)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMValueRef begin = emit_i64(emitter, low);
    LLVMValueRef is_there =
        LLVMBuildICmp(builder, LLVMIntULT, LLVMBuildSub(builder, first, begin, ""), size, "");
    access->low = LLVMBuildSelect(builder, is_there, begin, access->low, "");
    access->size = LLVMBuildSelect(builder, is_there, size, access->size, "");
    access->host = LLVMBuildSelect(builder, is_there, host, access->host, "");
    return is_there;
}

/* The window of generic addresses; gives the truth that it is local memory's, or NULL. */
static LLVMValueRef find_generic(struct emitter *emitter, struct element_access *access,
                                 LLVMValueRef addresses)
{
    const struct kernel *kernel = emitter->graph->bound->lowered->kernel;
    const size_t host = offsetof(struct memory_window, host), size = offsetof(struct memory_window, size);
    LLVMValueRef find[] = {access->mask, LLVMConstInt(emitter->i1, 1, false)};
    LLVMValueRef lane = emit_call(emitter, "llvm.cttz.i64", emitter->i64, find, 2);
    LLVMValueRef first = LLVMBuildExtractElement(emitter->builder, addresses, lane, ""), is_local = NULL;
    if (kernel->shared.count > 0)
        (void)choose_window(
            emitter, access, first, SHARED_WINDOW,
            emit_common_field(emitter, emitter->i64, offsetof(struct tier_frame, shared) + size),
            emit_common_field(emitter, emitter->pointer, offsetof(struct tier_frame, shared) + host));
    if (kernel->local.bytes > 0)
        is_local = choose_window(
            emitter, access, first, LOCAL_WINDOW, local_bytes(emitter),
            emit_frame_field(emitter, emitter->pointer, offsetof(struct tier_frame, local) + host));
    return is_local;
}

/* In local memory each lane has its own bytes; `is_local`, unless it is NULL, says whether it is that. */
static void add_strides(struct emitter *emitter, struct element_access *access, LLVMValueRef is_local)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMValueRef stride = emit_common_field(emitter, emitter->i64, offsetof(struct tier_frame, local_stride));
    LLVMValueRef number = LLVMBuildZExt(builder, emitter->numbers, emitter->v64, "");
    LLVMValueRef apart = LLVMBuildAdd(builder, access->distances,
                                      LLVMBuildMul(builder, number, emit_splat(emitter, stride), ""), "");
    access->distances = is_local ? LLVMBuildSelect(builder, is_local, apart, access->distances, "") : apart;
}

/* ---- Moving elements ----------------------------------------------------------------------------------- */

static LLVMValueRef places_of(struct emitter *emitter, const struct element_access *access)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMValueRef distances = access->distances;
    LLVMTypeRef unit = access->scale_log2 == 0   ? emitter->i8
                       : access->scale_log2 == 1 ? emitter->i16
                       : access->scale_log2 == 2 ? emitter->i32
                                                 : emitter->i64;
    if (access->scale_log2 > 3) {
        distances = LLVMBuildSExt(builder, distances, emitter->v64, "");
        distances =
            LLVMBuildShl(builder, distances, emit_splat(emitter, emit_i64(emitter, access->scale_log2)), "");
        unit = emitter->i8;
    }
    return LLVMBuildGEP2(builder, unit, access->host, &distances, 1, "");
}

LLVMValueRef emit_element_place(struct emitter *emitter, const struct element_access *access,
                                LLVMValueRef distance)
{
    LLVMBuilderRef builder = emitter->builder;
    if (LLVMGetIntTypeWidth(LLVMTypeOf(distance)) == 32)
        distance = LLVMBuildSExt(builder, distance, emitter->i64, "");
    return emit_at(emitter, access->host,
                   LLVMBuildShl(builder, distance, emit_i64(emitter, access->scale_log2), ""));
}

static LLVMValueRef in_run(struct emitter *emitter, const struct element_access *access, LLVMValueRef at)
{
    static const char *const loads[] = {"llvm.masked.load.v64i8.p0", "llvm.masked.load.v64i16.p0",
                                        "llvm.masked.load.v64i32.p0", "llvm.masked.load.v64i64.p0"};
    static const char *const stores[] = {"llvm.masked.store.v64i8.p0", "llvm.masked.store.v64i16.p0",
                                         "llvm.masked.store.v64i32.p0", "llvm.masked.store.v64i64.p0"};
    const int width = __builtin_ctz(access->bytes);
    LLVMValueRef load[] = {at, emit_i32(emitter, 1), access->lanes, LLVMConstNull(access->vector)};
    LLVMValueRef store[] = {access->value, at, emit_i32(emitter, 1), access->lanes};
    return access->is_store
               ? emit_call(emitter, stores[width], LLVMVoidTypeInContext(emitter->context), store, 4)
               : emit_call(emitter, loads[width], access->vector, load, 4);
}

/* Lane by lane, the lowest first, by way of memory. */
static LLVMValueRef one_by_one(struct emitter *emitter, const struct element_access *access)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMTypeRef distance_type = LLVMGetElementType(LLVMTypeOf(access->distances));
    LLVMValueRef distances = LLVMBuildAlloca(emitter->allocas, LLVMTypeOf(access->distances), "");
    LLVMValueRef values = LLVMBuildAlloca(emitter->allocas, access->vector, "");
    LLVMBuildStore(builder, access->distances, distances);
    LLVMBuildStore(builder, access->is_store ? access->value : LLVMConstNull(access->vector), values);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), loop = emit_new_block(emitter, "each_lane"),
                      behind = emit_new_block(emitter, "all_lanes");
    LLVMBuildBr(builder, loop);
    LLVMPositionBuilderAtEnd(builder, loop);
    LLVMValueRef left = LLVMBuildPhi(builder, emitter->i64, "");
    LLVMValueRef find[] = {left, LLVMConstInt(emitter->i1, 1, false)};
    LLVMValueRef lane = emit_call(emitter, "llvm.cttz.i64", emitter->i64, find, 2);
    LLVMValueRef distance = LLVMBuildLoad2(
        builder, distance_type, LLVMBuildGEP2(builder, distance_type, distances, &lane, 1, ""), "");
    LLVMValueRef at = emit_element_place(emitter, access, distance);
    LLVMValueRef cell = LLVMBuildGEP2(builder, access->element, values, &lane, 1, "");
    LLVMValueRef value = LLVMBuildLoad2(builder, access->element, access->is_store ? cell : at, "");
    LLVMSetAlignment(value, 1);
    LLVMSetAlignment(LLVMBuildStore(builder, value, access->is_store ? at : cell), 1);
    LLVMValueRef rest =
        LLVMBuildAnd(builder, left, LLVMBuildSub(builder, left, emit_i64(emitter, 1), ""), "");
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntNE, rest, emit_i64(emitter, 0), ""), loop, behind);
    LLVMValueRef incoming[] = {access->mask, rest};
    LLVMBasicBlockRef from[] = {before, loop};
    LLVMAddIncoming(left, incoming, from, 2);
    LLVMPositionBuilderAtEnd(builder, behind);
    return access->is_store ? NULL : LLVMBuildLoad2(builder, access->vector, values, "");
}

/* Elements anywhere. Of lanes that store to one place the highest one wins. */
static LLVMValueRef scattered(struct emitter *emitter, const struct element_access *access)
{
    const bool is_wide = access->bytes >= 4;
    LLVMValueRef align = emit_i32(emitter, 1);
    if (!is_wide || (access->is_store && !emitter->has_scatter))
        return one_by_one(emitter, access);
    LLVMValueRef places = places_of(emitter, access);
    const char *name =
        access->is_store
            ? (access->bytes == 8 ? "llvm.masked.scatter.v64i64.v64p0" : "llvm.masked.scatter.v64i32.v64p0")
            : (access->bytes == 8 ? "llvm.masked.gather.v64i64.v64p0" : "llvm.masked.gather.v64i32.v64p0");
    /* the machine's gathers need no alignment, but LLVM makes none of them without it */
    align = emit_i32(emitter, access->bytes);
    LLVMValueRef load[] = {places, align, access->lanes, LLVMConstNull(access->vector)};
    LLVMValueRef store[] = {access->value, places, align, access->lanes};
    return access->is_store ? emit_call(emitter, name, LLVMVoidTypeInContext(emitter->context), store, 4)
                            : emit_call(emitter, name, access->vector, load, 4);
}

/* The element at one place for all lanes, if they agree; else from anywhere. */
static LLVMValueRef load_other(struct emitter *emitter, const struct element_access *access,
                               LLVMValueRef first)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMBasicBlockRef one = emit_new_block(emitter, "one_place"), many = emit_new_block(emitter, "places"),
                      behind = emit_new_block(emitter, "loaded");
    LLVMValueRef differs =
        LLVMBuildICmp(builder, LLVMIntNE, access->distances, emit_splat(emitter, first), "");
    LLVMBuildCondBr(builder, none_of(emitter, differs, access->mask), one, many);
    LLVMPositionBuilderAtEnd(builder, one);
    LLVMValueRef element =
        LLVMBuildLoad2(builder, access->element, emit_element_place(emitter, access, first), "");
    LLVMSetAlignment(element, 1);
    LLVMValueRef values[2] = {emit_splat(emitter, element)};
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(builder)};
    LLVMBuildBr(builder, behind);
    LLVMPositionBuilderAtEnd(builder, many);
    values[1] = scattered(emitter, access);
    from[1] = LLVMGetInsertBlock(builder);
    LLVMBuildBr(builder, behind);
    LLVMPositionBuilderAtEnd(builder, behind);
    LLVMValueRef loaded = LLVMBuildPhi(builder, access->vector, "");
    LLVMAddIncoming(loaded, values, from, 2);
    return loaded;
}

/* The elements of active lanes, of which there are some; those of others are 0. */
static LLVMValueRef move(struct emitter *emitter, struct element_access *access)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMValueRef find[] = {access->mask, LLVMConstInt(emitter->i1, 1, false)};
    LLVMValueRef lane = emit_call(emitter, "llvm.cttz.i64", emitter->i64, find, 2);
    LLVMValueRef first = LLVMBuildExtractElement(builder, access->distances, lane, "");
    if (1u << access->scale_log2 != access->bytes &&
        LLVMGetElementType(LLVMTypeOf(access->distances)) == emitter->i32)
        return access->is_store ? scattered(emitter, access) : load_other(emitter, access, first);
    LLVMValueRef steps = emitter->numbers;
    if (LLVMGetElementType(LLVMTypeOf(access->distances)) == emitter->i64)
        steps = LLVMBuildMul(builder, LLVMBuildZExt(builder, steps, emitter->v64, ""),
                             emit_splat(emitter, emit_i64(emitter, access->bytes)), "");
    LLVMValueRef origins = LLVMBuildSub(builder, access->distances, steps, "");
    LLVMValueRef origin = LLVMBuildExtractElement(builder, origins, lane, "");
    LLVMValueRef differs = LLVMBuildICmp(builder, LLVMIntNE, origins, emit_splat(emitter, origin), "");
    LLVMBasicBlockRef run = emit_new_block(emitter, "run"), other = emit_new_block(emitter, "no_run"),
                      behind = emit_new_block(emitter, "moved");
    LLVMBuildCondBr(builder, none_of(emitter, differs, access->mask), run, other);
    LLVMPositionBuilderAtEnd(builder, run);
    LLVMValueRef values[2] = {in_run(emitter, access, emit_element_place(emitter, access, origin))};
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(builder)};
    LLVMBuildBr(builder, behind);
    LLVMPositionBuilderAtEnd(builder, other);
    values[1] = access->is_store ? scattered(emitter, access) : load_other(emitter, access, first);
    from[1] = LLVMGetInsertBlock(builder);
    LLVMBuildBr(builder, behind);
    LLVMPositionBuilderAtEnd(builder, behind);
    if (access->is_store)
        return NULL;
    LLVMValueRef loaded = LLVMBuildPhi(builder, access->vector, "");
    LLVMAddIncoming(loaded, values, from, 2);
    return loaded;
}

/* ---- The instruction ----------------------------------------------------------------------------------- */

static void find_places(struct emitter *emitter, struct element_access *access)
{
    LLVMBuilderRef builder = emitter->builder;
    const struct micro_op *op = access->op;
    const struct op *bound = &emitter->graph->bound->ops[access->at];
    LLVMValueRef offset = emit_i64(emitter, (uint64_t)op->immediate);
    const struct window window = emit_window(emitter, access->at);
    access->low = window.low;
    access->size = window.size;
    access->host = window.host;
    if (op->source_type != HX_TYPE_NONE && bound->space != SPACE_LOCAL) {
        LLVMValueRef base = LLVMBuildAdd(builder, emit_uniform(emitter, op->a, bound->a), offset, "");
        LLVMValueRef begin = LLVMBuildSub(builder, base, access->low, "");
        access->distances = emit_operand(emitter, op->c, bound->c);
        access->scale_log2 = op->scale_log2;
        if (op->access_bytes > 0)
            check_indices(emitter, access, begin, base);
        access->host = emit_at(emitter, access->host, begin);
        return;
    }
    LLVMValueRef addresses = emit_operand(emitter, op->a, bound->a);
    if (op->source_type != HX_TYPE_NONE) {
        LLVMValueRef index = emit_operand(emitter, op->c, bound->c);
        index = op->source_type == HX_TYPE_I32 ? LLVMBuildSExt(builder, index, emitter->v64, "")
                                               : LLVMBuildZExt(builder, index, emitter->v64, "");
        index = LLVMBuildShl(builder, index, emit_splat(emitter, emit_i64(emitter, op->scale_log2)), "");
        addresses = LLVMBuildAdd(builder, addresses, index, "");
    }
    addresses = LLVMBuildAdd(builder, addresses, emit_splat(emitter, offset), "");
    LLVMValueRef is_local = NULL;
    if (bound->space == SPACE_GENERIC)
        is_local = find_generic(emitter, access, addresses);
    if (bound->space == SPACE_LOCAL)
        access->size = local_bytes(emitter);
    access->distances = LLVMBuildSub(builder, addresses, emit_splat(emitter, access->low), "");
    access->scale_log2 = 0;
    if (op->access_bytes > 0)
        check_addresses(emitter, access, addresses);
    if (is_local || bound->space == SPACE_LOCAL)
        add_strides(emitter, access, is_local);
}

static void begin_access(struct emitter *emitter, struct element_access *access)
{
    const enum hx_type type = (enum hx_type)access->op->type;
    access->bytes = type_bytes(type);
    access->element = access->bytes == 1   ? emitter->i8
                      : access->bytes == 2 ? emitter->i16
                      : access->bytes == 4 ? emitter->i32
                                           : emitter->i64;
    access->vector = LLVMVectorType(access->element, TIER_LANES);
    access->mask = emit_mask(emitter);
    access->lanes = emit_lanes_of(emitter, access->mask);
    const uint8_t space = emitter->graph->bound->ops[access->at].space;
    const bool is_whole = access->op->access_bytes == access->bytes;
    access->is_helped =
        is_whole && emitter->graph->kinds[access->at] == OP_MEMORY &&
        (space == SPACE_GENERIC || (space == SPACE_LOCAL && emitter->graph->bound->lowered->uses_stack));
}

/* The handler does it for lanes that do not fit; a load's value comes from there, or `value` from here. */
static LLVMValueRef help_others(struct emitter *emitter, const struct element_access *access,
                                LLVMValueRef value)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMBasicBlockRef behind = emit_new_block(emitter, "accessed"), from[2] = {LLVMGetInsertBlock(builder)};
    LLVMBuildBr(builder, behind);
    LLVMPositionBuilderAtEnd(builder, access->other);
    emit_help(emitter, access->at);
    LLVMValueRef values[2] = {value};
    if (value)
        values[1] = emit_row_in_memory(emitter, graph_row(emitter->graph, access->op->d));
    from[1] = LLVMGetInsertBlock(builder);
    LLVMBuildBr(builder, behind);
    LLVMPositionBuilderAtEnd(builder, behind);
    if (!value)
        return NULL;
    LLVMValueRef loaded = LLVMBuildPhi(builder, LLVMTypeOf(value), "");
    LLVMAddIncoming(loaded, values, from, 2);
    return loaded;
}

/* Any addresses, or with `is_run` those of a known run; gives a load's value as rows have it. */
static LLVMValueRef load_or_store_any(struct emitter *emitter, struct element_access *access, bool is_run)
{
    LLVMBuilderRef builder = emitter->builder;
    const struct micro_op *op = access->op;
    const struct op *bound = &emitter->graph->bound->ops[access->at];
    find_places(emitter, access);
    if (is_run)
        return emit_known_active(emitter, access->at, access->is_store);
    if (access->is_store) {
        access->value = emit_operand(emitter, op->b, bound->b);
        if (access->bytes < 4)
            access->value = LLVMBuildTrunc(builder, access->value, access->vector, "");
        return move(emitter, access);
    }
    LLVMValueRef value = move(emitter, access);
    if (access->bytes < 4)
        value = type_is_signed((enum hx_type)op->type) ? LLVMBuildSExt(builder, value, emitter->v32, "")
                                                       : LLVMBuildZExt(builder, value, emitter->v32, "");
    return value;
}

static void load_or_store(struct emitter *emitter, struct element_access *access)
{
    LLVMBuilderRef builder = emitter->builder;
    struct known_access known;
    if (emitter->graph->kinds[access->at] == OP_ATOMIC) {
        find_places(emitter, access);
        emit_atomic(emitter, access);
        return;
    }
    if (emit_known_access(emitter, access->at, access->is_store, &known))
        return;
    const bool is_generic = emitter->graph->bound->ops[access->at].space == SPACE_GENERIC;
    LLVMValueRef value = load_or_store_any(emitter, access, known.behind && known.is_run && !is_generic);
    if (access->other)
        value = help_others(emitter, access, access->is_store ? NULL : value);
    if (known.behind) {
        LLVMBasicBlockRef from[] = {known.from, LLVMGetInsertBlock(builder)};
        LLVMBuildBr(builder, known.behind);
        LLVMPositionBuilderAtEnd(builder, known.behind);
        if (!access->is_store) {
            LLVMValueRef values[] = {known.value, value};
            value = LLVMBuildPhi(builder, LLVMTypeOf(values[0]), "");
            LLVMAddIncoming(value, values, from, 2);
        }
    }
    if (!access->is_store)
        emit_write(emitter, access->op->d, value, NAN_EXACT);
}

/* NaNs of a row that lanes without the guard keep become canonical, also where the guard is false for all. */
static void settle_kept(struct emitter *emitter, struct row row)
{
    const uint32_t number = graph_row(emitter->graph, row);
    if (number == TIER_NONE || emitter->nans[number] != NAN_ANY)
        return;
    LLVMTypeRef type = emit_row_type(emitter, (enum row_kind)row.kind);
    LLVMValueRef kept = emit_load(emitter, type, emitter->rows[number]);
    emit_store(emitter, emit_canonical_in(emitter, kept, emitter->active), emitter->rows[number]);
    emitter->nans[number] = NAN_CANONICAL;
}

void emit_access(struct emitter *emitter, uint32_t at)
{
    LLVMBuilderRef builder = emitter->builder;
    struct element_access access = {.op = &emitter->graph->ops[at], .at = at};
    access.is_store = semantic_at(access.op->semantic)->shape == SHAPE_STORE;
    begin_access(emitter, &access);
    if (!emitter->guard) {
        load_or_store(emitter, &access);
        return;
    }
    settle_kept(emitter, access.op->d);
    /* a guard may be false for all lanes */
    LLVMBasicBlockRef some = emit_new_block(emitter, "some_lanes"),
                      behind = emit_new_block(emitter, "guarded");
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntNE, access.mask, emit_i64(emitter, 0), ""), some,
                    behind);
    LLVMPositionBuilderAtEnd(builder, some);
    load_or_store(emitter, &access);
    LLVMBuildBr(builder, behind);
    LLVMPositionBuilderAtEnd(builder, behind);
}
