/* Loads and stores whose addresses have a known form.
 *
 * Takes a micro-op of memory, leaves code for what the form tells: elements at one place, at one place for
 * each group of lanes, one after the other in all lanes, or in each group. The addresses are checked as
 * numbers.
 *
 * Elements at one place are checked exactly: what does not fit is left to the interpreter. Of elements in
 * runs the check takes all lanes, active or not, and what does not fit goes to the code for any addresses. */
#include "exec/tier/llvm/known_access.h"

/* ---- What is known ------------------------------------------------------------------------------------- */

static bool is_run(const struct addend *addend, const struct places *places, uint32_t from, uint32_t to)
{
    for (uint32_t l = from; l < to; l++)
        if ((uint64_t)(addend->by[l] - addend->by[from]) << places->scale_log2 !=
            (uint64_t)(l - from) * places->bytes * places->stride)
            return false;
    return true;
}

/* Of elements further from each other a gather takes no longer than vectors that have all bytes between them.
 */
#define STRIDE_BYTES_MAX 32u

/* From the element of one lane to that of the next one, if it may be more than one. */
static unsigned stride_of(const struct addend *addend, const struct places *places, bool is_store)
{
    const uint64_t step = (uint64_t)(addend->by[1] - addend->by[0]) << places->scale_log2;
    const bool is_wide = places->bytes >= 4 && step <= STRIDE_BYTES_MAX && step % places->bytes == 0;
    return is_wide && !is_store && step > 0 ? (unsigned)(step / places->bytes) : 1;
}

static bool is_one_place(const struct addend *addend, uint32_t from, uint32_t to)
{
    for (uint32_t l = from; l < to; l++)
        if (addend->by[l] != addend->by[from])
            return false;
    return true;
}

/* Each multiple of the addend keeps the alignment of the first element. */
static bool keeps_alignment(const struct addend *addend, const struct places *places)
{
    for (uint32_t l = 0; l < TIER_LANES; l++)
        if (((uint64_t)addend->by[l] << places->scale_log2) & ((UINT64_C(1) << places->op->align_log2) - 1))
            return false;
    return true;
}

static void find_layout(struct graph *graph, struct places *places, bool is_store)
{
    const struct addend *addend = &graph->addends[places->form.addend];
    const uint32_t lanes = graph->group_lanes;
    bool are_runs = true, are_places = true;
    places->layout = LAYOUT_NONE;
    if (graph_may_be_local(graph, places->at) || !form_is_known(places->form) ||
        (places->has_index && !uniformity_is_near(places->op)))
        return;
    places->stride = stride_of(addend, places, is_store);
    /* elements of a vector but the first are not checked otherwise */
    const bool has_checks = places->op->access_bytes > 0 || places->stride > 1;
    if (places->form.kind == FORM_ONE && !is_store && is_one_place(addend, 0, TIER_LANES))
        places->layout = LAYOUT_PLACES;
    else if (places->form.kind == FORM_ONE && has_checks && is_run(addend, places, 0, TIER_LANES) &&
             keeps_alignment(addend, places))
        places->layout = LAYOUT_RUN;
    if (places->layout != LAYOUT_NONE)
        return;
    const bool is_aligned_in_groups = keeps_alignment(addend, places);
    places->form = uniformity_in_groups(graph, places->form);
    if (places->form.kind != FORM_GROUPS)
        return;
    addend = &graph->addends[places->form.addend];
    for (uint32_t g = 0; g < TIER_LANES; g += lanes) {
        are_runs &= is_run(addend, places, g, g + lanes);
        are_places &= is_one_place(addend, g, g + lanes);
    }
    if (are_places && !is_store)
        places->layout = LAYOUT_PLACES;
    else if (are_runs && has_checks && is_aligned_in_groups && keeps_alignment(addend, places))
        places->layout = LAYOUT_RUNS;
}

static void find_range(const struct graph *graph, struct places *places)
{
    const struct addend *addend = &graph->addends[places->form.addend];
    for (uint32_t l = 0; l < TIER_LANES; l++) {
        places->least = addend->by[l] < places->least ? addend->by[l] : places->least;
        places->most = addend->by[l] > places->most ? addend->by[l] : places->most;
    }
}

/* ---- Checks -------------------------------------------------------------------------------------------- */

static LLVMValueRef is_aligned(struct emitter *emitter, const struct places *places, LLVMValueRef address)
{
    LLVMValueRef rest = emit_i64(emitter, (UINT64_C(1) << places->op->align_log2) - 1);
    return LLVMBuildICmp(emitter->builder, LLVMIntEQ, LLVMBuildAnd(emitter->builder, address, rest, ""),
                         emit_i64(emitter, 0), "");
}

/* The offsets of accesses that are checked together: these bytes from each element on. */
struct extent {
    int64_t from, to;
};

static struct extent own_extent(const struct places *places)
{
    const unsigned bytes = places->op->access_bytes;
    return (struct extent){places->op->immediate, places->op->immediate + (bytes ? bytes : places->bytes)};
}

bool places_are_like(const struct graph *graph, const struct places *places, uint32_t at)
{
    const struct micro_op *op = &graph->ops[at];
    return graph->kinds[at] == OP_MEMORY && row_is_equal(op->a, places->op->a) &&
           row_is_equal(op->c, places->op->c) && op->source_type == places->op->source_type &&
           op->scale_log2 == places->op->scale_log2 && graph->bound->ops[at].space == places->bound->space;
}

/* Such accesses can be checked together. */
static bool is_like(const struct graph *graph, const struct places *places, uint32_t at)
{
    return places_are_like(graph, places, at) && graph->ops[at].align_log2 == places->op->align_log2 &&
           uniformity_is_near(&graph->ops[at]);
}

static bool has_one_window(const struct places *places)
{
    return places->bound->space == SPACE_SHARED || places->bound->space == SPACE_CONSTANT;
}

static bool is_guarded(const struct graph *graph, uint32_t at)
{
    return (graph->ops[at].flags & MICRO_GUARDED) != 0 || graph->made->guard_at[at] != TIER_NONE;
}

/* That access and those behind it in the block that differ from it in their offsets alone. Of global memory
 * each has a window of its own. What is behind a guard may not be done. */
static struct extent common_extent(const struct emitter *emitter, const struct places *places)
{
    const struct graph *graph = emitter->graph;
    struct extent extent = own_extent(places);
    const bool is_common = has_one_window(places) && !emitter->guard;
    for (uint32_t i = places->at; is_common && i < graph_block(graph, emitter->block)->end; i++) {
        const struct micro_op *op = &graph->ops[i];
        if (is_like(graph, places, i) && !is_guarded(graph, i)) {
            const int64_t to = op->immediate + op->access_bytes;
            extent.from = op->immediate < extent.from ? op->immediate : extent.from;
            extent.to = to > extent.to ? to : extent.to;
        }
        if (row_is_equal(op->d, places->row) || row_is_equal(op->e, places->row))
            break;
    }
    return extent;
}

/* What the distance of the least element must be below: all of them are inside then. It is 0 where none is,
 * or where sums of indices may wrap. */
static LLVMValueRef room_of(struct emitter *emitter, const struct places *places, struct extent extent)
{
    LLVMBuilderRef builder = emitter->builder;
    const uint64_t far = UINT64_C(1) << 31;
    const uint64_t span = ((uint64_t)(places->most - places->least) << places->scale_log2) +
                          (uint64_t)(extent.to - extent.from);
    LLVMValueRef size = places->window.size;
    LLVMValueRef good = LLVMBuildICmp(builder, LLVMIntUGE, size, emit_i64(emitter, span), "");
    if (places->has_index) {
        good = LLVMBuildAnd(builder, good,
                            LLVMBuildICmp(builder, LLVMIntULT, size, emit_i64(emitter, far), ""), "");
        LLVMValueRef from = LLVMBuildAdd(builder, places->begin, emit_i64(emitter, far), "");
        good = LLVMBuildAnd(builder, good,
                            LLVMBuildICmp(builder, LLVMIntULT, from, emit_i64(emitter, 2 * far), ""), "");
        good = LLVMBuildAnd(builder, good, is_aligned(emitter, places, places->base), "");
    }
    LLVMValueRef room = LLVMBuildSub(builder, size, emit_i64(emitter, span - 1), "");
    return LLVMBuildSelect(builder, good, room, emit_i64(emitter, 0), "");
}

/* Are the groups' elements inside, from the extent's begin to its end? */
static LLVMValueRef are_inside(struct emitter *emitter, const struct places *places, struct extent extent)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMValueRef good = LLVMConstInt(emitter->i1, 1, false), room = room_of(emitter, places, extent);
    const uint64_t more = ((uint64_t)places->least << places->scale_log2) + (uint64_t)extent.from;
    for (uint32_t g = 0; g < places->groups; g++) {
        LLVMValueRef from = LLVMBuildAdd(builder, places->distances[g], emit_i64(emitter, more), "");
        good = LLVMBuildAnd(builder, good, LLVMBuildICmp(builder, LLVMIntULT, from, room, ""), "");
    }
    for (uint32_t g = 0; g < places->groups && places->op->align_log2 > 0 && !places->has_index; g++) {
        LLVMValueRef address = LLVMBuildAdd(builder, places->distances[g], places->window.low, "");
        address = LLVMBuildAdd(builder, address, emit_i64(emitter, (uint64_t)places->op->immediate), "");
        good = LLVMBuildAnd(builder, good, is_aligned(emitter, places, address), "");
    }
    return good;
}

uint32_t places_entry(const struct emitter *emitter, const struct places *places)
{
    const uint32_t row = graph_row(emitter->graph, places->row);
    return row == TIER_NONE ? emitter->graph->row_count : row;
}

/* What has been found of such accesses, at one of them. */
static struct known_check *check_of(struct emitter *emitter, const struct places *places)
{
    return &emitter->checks[places_entry(emitter, places)];
}

/* NULL where nothing has been found that holds for this one. */
static const struct known_check *found_check(struct emitter *emitter, const struct places *places)
{
    const struct known_check *check = check_of(emitter, places);
    const struct extent own = own_extent(places);
    return has_one_window(places) && check->good && check->block == emitter->block &&
                   check->layout == (int)places->layout && is_like(emitter->graph, places, check->at) &&
                   check->from <= own.from && check->to >= own.to
               ? check
               : NULL;
}

static void keep_check(struct emitter *emitter, const struct places *places, LLVMValueRef good,
                       struct extent extent)
{
    struct known_check *check = check_of(emitter, places);
    if (emitter->guard) /* it may not have been made */
        return;
    *check = (struct known_check){.good = good,
                                  .block = emitter->block,
                                  .at = places->at,
                                  .layout = (int)places->layout,
                                  .from = extent.from,
                                  .to = extent.to};
    memcpy(check->distances, places->distances, sizeof check->distances);
}

/* Are they, and those of accesses that follow? */
static LLVMValueRef are_common_inside(struct emitter *emitter, const struct places *places)
{
    const struct known_check *found = found_check(emitter, places);
    if (found)
        return found->good;
    const struct extent extent = common_extent(emitter, places);
    LLVMValueRef good = are_inside(emitter, places, extent);
    keep_check(emitter, places, good, extent);
    return good;
}

/* The groups' elements as bytes from the window's begin. */
static void find_numbers(struct emitter *emitter, struct places *places, bool is_signed)
{
    LLVMBuilderRef builder = emitter->builder;
    const struct op_row at = places->has_index ? places->bound->c : places->bound->a;
    for (uint32_t g = 0; g < places->groups; g++) {
        LLVMValueRef number = emit_number(emitter, places->row, at, (enum row_form_kind)places->form.kind, g);
        if (places->has_index) {
            number = is_signed ? LLVMBuildSExt(builder, number, emitter->i64, "")
                               : LLVMBuildZExt(builder, number, emitter->i64, "");
            number = LLVMBuildShl(builder, number, emit_i64(emitter, places->scale_log2), "");
        }
        places->distances[g] = LLVMBuildAdd(builder, number, places->begin, "");
    }
}

/* Groups without active lanes get the number of one that has some: all are checked. */
static void fill_idle_groups(struct emitter *emitter, struct places *places)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMValueRef has_lanes[GROUPS_MAX], some = places->distances[places->groups - 1];
    const uint32_t lanes = TIER_LANES / places->groups;
    if (places->groups == 1)
        return;
    for (uint32_t g = places->groups; g-- > 0;) {
        LLVMValueRef group = LLVMBuildAnd(builder, emit_mask(emitter),
                                          emit_i64(emitter, ((UINT64_C(1) << lanes) - 1) << (g * lanes)), "");
        has_lanes[g] = LLVMBuildICmp(builder, LLVMIntNE, group, emit_i64(emitter, 0), "");
        some = LLVMBuildSelect(builder, has_lanes[g], places->distances[g], some, "");
    }
    for (uint32_t g = 0; g < places->groups; g++)
        places->distances[g] = LLVMBuildSelect(builder, has_lanes[g], places->distances[g], some, "");
}

/* Of elements that have been checked one by one the number for lane 0 may be below 0 (`is_checked`). */
static void find_elements(struct emitter *emitter, struct places *places, bool is_checked)
{
    const struct micro_op *op = places->op;
    places->base = places->has_index ? emit_uniform(emitter, op->a, places->bound->a) : emit_i64(emitter, 0);
    places->begin = LLVMBuildSub(emitter->builder, places->base, places->window.low, "");
    find_numbers(emitter, places, is_checked || op->source_type == HX_TYPE_I32);
}

/* Code goes on where each group's element is inside, or has no active lane, of this access and of those that
 * follow: an active lane will do them all. */
static void check_places(struct emitter *emitter, struct places *places)
{
    const struct known_check *found = found_check(emitter, places);
    if (found) {
        memcpy(places->distances, found->distances, sizeof places->distances);
        return;
    }
    if (places->op->access_bytes == 0) { /* it is checked with the vector's first one */
        fill_idle_groups(emitter, places);
        return;
    }
    const struct extent extent = common_extent(emitter, places);
    LLVMBasicBlockRef idle = emit_new_block(emitter, "some_outside"),
                      inside = emit_new_block(emitter, "inside");
    LLVMValueRef before[GROUPS_MAX];
    memcpy(before, places->distances, sizeof before);
    emit_likely(emitter, are_inside(emitter, places, extent), inside, idle);
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(emitter->builder)};
    LLVMPositionBuilderAtEnd(emitter->builder, idle);
    fill_idle_groups(emitter, places);
    emit_check(emitter, are_inside(emitter, places, extent), places->at);
    from[1] = LLVMGetInsertBlock(emitter->builder);
    LLVMBuildBr(emitter->builder, inside);
    LLVMPositionBuilderAtEnd(emitter->builder, inside);
    for (uint32_t g = 0; g < places->groups && places->groups > 1; g++) {
        LLVMValueRef distance = LLVMBuildPhi(emitter->builder, emitter->i64, ""),
                     values[] = {before[g], places->distances[g]};
        LLVMAddIncoming(distance, values, from, 2);
        places->distances[g] = distance;
    }
    keep_check(emitter, places, LLVMConstInt(emitter->i1, 1, false), extent);
}

/* ---- The access -----------------------------------------------------------------------------------------
 */

static void find_known(struct emitter *emitter, uint32_t at, bool is_store, struct places *places)
{
    struct graph *graph = (struct graph *)emitter->graph;
    const struct micro_op *op = &graph->ops[at];
    *places = (struct places){.op = op, .bound = &graph->bound->ops[at], .at = at};
    places->has_index = op->source_type != HX_TYPE_NONE;
    places->row = places->has_index ? op->c : op->a;
    places->form = uniformity_operand(graph, emitter->state, places->row);
    places->bytes = type_bytes((enum hx_type)op->type);
    places->scale_log2 = places->has_index ? op->scale_log2 : 0;
    find_layout(graph, places, is_store);
    if (places->layout == LAYOUT_NONE)
        return;
    find_range(graph, places);
    places->groups = emit_number_count(emitter, places->form);
    places->window = emit_window(emitter, at);
}

LLVMValueRef emit_known_active(struct emitter *emitter, uint32_t at, bool is_store)
{
    struct places places;
    find_known(emitter, at, is_store, &places);
    find_elements(emitter, &places, true);
    if (!is_store)
        return emit_load_active(emitter, &places);
    emit_store_active(emitter, &places);
    return NULL;
}

bool emit_known_access(struct emitter *emitter, uint32_t at, bool is_store, struct known_access *ret_access)
{
    struct places places;
    *ret_access = (struct known_access){0};
    find_known(emitter, at, is_store, &places);
    if (places.layout == LAYOUT_NONE)
        return false;
    find_elements(emitter, &places, false);
    if (places.layout == LAYOUT_PLACES) {
        check_places(emitter, &places);
        emit_load_places(emitter, &places);
        return true;
    }
    ret_access->is_run = places.stride == 1;
    LLVMValueRef good = are_common_inside(emitter, &places);
    LLVMBasicBlockRef runs = emit_new_block(emitter, "runs"), any = emit_new_block(emitter, "any");
    emit_likely(emitter, good, runs, any);
    LLVMPositionBuilderAtEnd(emitter->builder, runs);
    emit_prefetch(emitter, &places, is_store);
    if (is_store)
        emit_store_runs(emitter, &places);
    else
        ret_access->value = emit_load_runs(emitter, &places);
    ret_access->from = LLVMGetInsertBlock(emitter->builder);
    ret_access->behind = emit_new_block(emitter, "accessed");
    LLVMBuildBr(emitter->builder, ret_access->behind);
    LLVMPositionBuilderAtEnd(emitter->builder, any);
    return false;
}
