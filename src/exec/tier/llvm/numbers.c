/* Rows whose form is known, as numbers in place of vectors.
 *
 * Takes what uniformity.c has found, leaves code for one number, or one for each group of lanes. Such a row
 * has allocas for its numbers. What is written there is written to the row's vector too, and so the vector
 * holds wherever code is met by other code that knows less; LLVM drops those that nobody reads. */
#include "exec/tier/llvm/emit.h"

#include <stdio.h>

LLVMTypeRef emit_number_type(const struct emitter *emitter, enum row_kind kind)
{
    return kind == ROW_8 || kind == ROW_UNIFORM_8 || kind == ROW_SPECIAL_8 ? emitter->i64
           : kind == ROW_PREDICATE                                         ? emitter->i8
                                                                           : emitter->i32;
}

LLVMValueRef emit_number_place(struct emitter *emitter, uint32_t row, uint32_t group)
{
    LLVMValueRef *place = &emitter->number_places[(size_t)row * GROUPS_MAX + group];
    if (!*place) {
        LLVMTypeRef type = emit_number_type(emitter, graph_row_kind(emitter->graph, row));
        *place = LLVMBuildAlloca(emitter->allocas, type, "number");
        LLVMBuildStore(emitter->begins, LLVMConstNull(type), *place);
    }
    return *place;
}

static struct row_form form_of(const struct emitter *emitter, struct row row)
{
    return uniformity_operand((struct graph *)emitter->graph, emitter->state, row);
}

LLVMValueRef emit_number(struct emitter *emitter, struct row row, struct op_row bound,
                         enum row_form_kind kind, uint32_t group)
{
    const struct row_form form = form_of(emitter, row);
    const uint32_t number = graph_row(emitter->graph, row);
    LLVMTypeRef type = emit_number_type(emitter, (enum row_kind)row.kind);
    LLVMValueRef value;
    if (number != TIER_NONE)
        value = emit_load(emitter, type,
                          emit_number_place(emitter, number, form.kind == FORM_GROUPS ? group : 0));
    else if (row.kind == ROW_UNIFORM_4 || row.kind == ROW_UNIFORM_8)
        return emit_uniform(emitter, row, bound);
    else /* of the first lane */
        value = emit_constant_load(emitter, type,
                                   emit_at(emitter, emitter->row_memory, emit_i64(emitter, bound.at)), 4);
    const int64_t more = emitter->graph->addends[form.addend].by[group * emitter->graph->group_lanes];
    if (kind == FORM_GROUPS && form.kind == FORM_ONE && more != 0)
        value = LLVMBuildAdd(emitter->builder, value, LLVMConstInt(type, (uint64_t)more, false), "");
    return value;
}

static LLVMValueRef addend_vector(const struct emitter *emitter, uint32_t addend, LLVMTypeRef type)
{
    LLVMValueRef cells[TIER_LANES];
    for (uint32_t l = 0; l < TIER_LANES; l++)
        cells[l] = LLVMConstInt(type, (uint64_t)emitter->graph->addends[addend].by[l], false);
    return LLVMConstVector(cells, TIER_LANES);
}

static LLVMValueRef spread_groups(struct emitter *emitter, const LLVMValueRef *numbers, uint32_t count)
{
    const uint32_t lanes = TIER_LANES / count;
    LLVMValueRef parts[GROUPS_MAX], first = LLVMConstNull(LLVMVectorType(emitter->i32, lanes));
    LLVMTypeRef part = LLVMVectorType(LLVMTypeOf(numbers[0]), lanes);
    for (uint32_t g = 0; g < count; g++) {
        LLVMValueRef one = LLVMBuildInsertElement(emitter->builder, LLVMGetPoison(part), numbers[g],
                                                  emit_i32(emitter, 0), "");
        parts[g] = LLVMBuildShuffleVector(emitter->builder, one, LLVMGetPoison(part), first, "");
    }
    return emit_together(emitter, parts, count);
}

/* Vectors become one. */
LLVMValueRef emit_together(struct emitter *emitter, LLVMValueRef *parts, uint32_t count)
{
    LLVMValueRef numbers[TIER_LANES];
    for (uint32_t lanes = LLVMGetVectorSize(LLVMTypeOf(parts[0])); count > 1; count /= 2, lanes *= 2) {
        for (uint32_t l = 0; l < 2 * lanes; l++)
            numbers[l] = emit_i32(emitter, l);
        for (uint32_t i = 0; i < count / 2; i++)
            parts[i] = LLVMBuildShuffleVector(emitter->builder, parts[2 * i], parts[2 * i + 1],
                                              LLVMConstVector(numbers, 2 * lanes), "");
    }
    return parts[0];
}

static LLVMValueRef predicate_bits(struct emitter *emitter, const LLVMValueRef *numbers, uint32_t count)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMValueRef bits = emit_i64(emitter, 0);
    for (uint32_t g = 0; g < count; g++) {
        const uint32_t lanes = TIER_LANES / count;
        const uint64_t group = lanes == TIER_LANES ? UINT64_MAX : ((UINT64_C(1) << lanes) - 1) << (g * lanes);
        LLVMValueRef is_true = LLVMBuildICmp(builder, LLVMIntNE, numbers[g], LLVMConstNull(emitter->i8), "");
        bits = LLVMBuildOr(
            builder, bits,
            LLVMBuildSelect(builder, is_true, emit_i64(emitter, group), emit_i64(emitter, 0), ""), "");
    }
    return bits;
}

LLVMValueRef emit_known_vector(struct emitter *emitter, struct row_form form, enum row_kind kind,
                               const LLVMValueRef *numbers)
{
    const uint32_t count = emit_number_count(emitter, form);
    if (kind == ROW_PREDICATE)
        return predicate_bits(emitter, numbers, count);
    LLVMValueRef value =
        count == 1 ? emit_splat(emitter, numbers[0]) : spread_groups(emitter, numbers, count);
    if (form.addend != 0)
        value = LLVMBuildAdd(emitter->builder, value,
                             addend_vector(emitter, form.addend, LLVMTypeOf(numbers[0])), "");
    return value;
}

LLVMValueRef emit_row_vector(struct emitter *emitter, uint32_t row, struct row_form form)
{
    const enum row_kind kind = graph_row_kind(emitter->graph, row);
    LLVMValueRef numbers[GROUPS_MAX];
    for (uint32_t g = 0; g < emit_number_count(emitter, form); g++)
        numbers[g] = emit_load(emitter, emit_number_type(emitter, kind), emit_number_place(emitter, row, g));
    return emit_known_vector(emitter, form, kind, numbers);
}

void emit_write_known(struct emitter *emitter, uint32_t at, struct row row, struct row_form form,
                      const LLVMValueRef *numbers)
{
    const uint32_t number = graph_row(emitter->graph, row);
    LLVMValueRef vector = emit_known_vector(emitter, form, (enum row_kind)row.kind, numbers);
    if (number != TIER_NONE && uniformity_is_shared(emitter->graph, emitter->block, at, row))
        for (uint32_t g = 0; g < emit_number_count(emitter, form); g++)
            emit_store(emitter, numbers[g], emit_number_place(emitter, number, g));
    emit_write(emitter, row, vector, nans_result(emitter->graph, at, emitter->nans));
}

/* ---- Micro-ops ----------------------------------------------------------------------------------------- */

static LLVMValueRef place_of_number(struct emitter *emitter, struct row row, struct op_row bound,
                                    struct row_form form, uint32_t group)
{
    if (row.kind == ROW_NONE)
        return LLVMConstPointerNull(emitter->pointer);
    LLVMValueRef value = emit_number(emitter, row, bound, (enum row_form_kind)form.kind, group);
    LLVMValueRef place = LLVMBuildAlloca(emitter->allocas, LLVMTypeOf(value), "");
    emit_store(emitter, value, place);
    return place;
}

/* Functions of 64 lanes alone take vectors of equal numbers. */
static LLVMValueRef place_of_splat(struct emitter *emitter, LLVMValueRef place, struct row row)
{
    if (row.kind == ROW_NONE)
        return place;
    LLVMValueRef value =
        emit_splat(emitter, emit_load(emitter, emit_number_type(emitter, (enum row_kind)row.kind), place));
    LLVMValueRef wide = LLVMBuildAlloca(emitter->allocas, LLVMTypeOf(value), "");
    emit_store(emitter, value, wide);
    return wide;
}

/* Numbers of lanes of that group are `least` to `most` above the group's. */
static LLVMValueRef is_in_range(struct emitter *emitter, LLVMValueRef number, int64_t least, int64_t most,
                                bool is_signed)
{
    LLVMBuilderRef builder = emitter->builder;
    const int64_t low = is_signed ? INT32_MIN : 0, high = is_signed ? INT32_MAX : UINT32_MAX;
    number = is_signed ? LLVMBuildSExt(builder, number, emitter->i64, "")
                       : LLVMBuildZExt(builder, number, emitter->i64, "");
    number = LLVMBuildSub(builder, number, emit_i64(emitter, (uint64_t)(low - least)), "");
    const uint64_t span = (uint64_t)((high - most) - (low - least));
    return LLVMBuildICmp(builder, LLVMIntULE, number, emit_i64(emitter, span), "");
}

/* What the extended number of a group is more by in all of its active lanes, where some wrap; *good becomes
 * false where others do not. */
static LLVMValueRef find_wrapped(struct emitter *emitter, LLVMValueRef number, const struct addend *addend,
                                 struct extension extension, uint64_t group, LLVMValueRef *good)
{
    LLVMBuilderRef builder = emitter->builder;
    const int64_t low = extension.is_signed ? INT32_MIN : 0,
                  high = extension.is_signed ? INT32_MAX : UINT32_MAX;
    LLVMValueRef cells[TIER_LANES], none = emit_i64(emitter, 0);
    LLVMValueRef lanes = LLVMBuildAnd(builder, emit_mask(emitter), emit_i64(emitter, group), "");
    for (uint32_t l = 0; l < TIER_LANES; l++)
        cells[l] = emit_i64(emitter, (uint64_t)addend->by[l]);
    number = extension.is_signed ? LLVMBuildSExt(builder, number, emitter->i64, "")
                                 : LLVMBuildZExt(builder, number, emitter->i64, "");
    LLVMValueRef values =
        LLVMBuildAdd(builder, emit_splat(emitter, number), LLVMConstVector(cells, TIER_LANES), "");
    LLVMValueRef above = LLVMBuildICmp(builder, LLVMIntSGT, values,
                                       emit_splat(emitter, emit_i64(emitter, (uint64_t)high)), "");
    LLVMValueRef below =
        LLVMBuildICmp(builder, LLVMIntSLT, values, emit_splat(emitter, emit_i64(emitter, (uint64_t)low)), "");
    above = LLVMBuildAnd(builder, emit_bits_of(emitter, above), lanes, "");
    below = LLVMBuildAnd(builder, emit_bits_of(emitter, below), lanes, "");
    LLVMValueRef is_above = LLVMBuildICmp(builder, LLVMIntEQ, above, lanes, ""),
                 is_below = LLVMBuildICmp(builder, LLVMIntEQ, below, lanes, ""),
                 is_inside =
                     LLVMBuildICmp(builder, LLVMIntEQ, LLVMBuildOr(builder, above, below, ""), none, "");
    LLVMValueRef any = LLVMBuildOr(builder, is_inside, LLVMBuildOr(builder, is_above, is_below, ""), "");
    *good = LLVMBuildAnd(builder, *good, any, "");
    const uint64_t round = UINT64_C(1) << 32;
    LLVMValueRef more =
        LLVMBuildSelect(builder, is_above, emit_i64(emitter, -round), emit_i64(emitter, round), "");
    return LLVMBuildSelect(builder, is_inside, none, more, "");
}

/* Operands of each group, and whether none of its lanes wraps, active or not. */
static LLVMValueRef find_extended(struct emitter *emitter, uint32_t at, struct row_form form,
                                  struct extension extension, const struct addend *addend,
                                  LLVMValueRef *ret_numbers)
{
    const struct graph *graph = emitter->graph;
    const struct op *bound = &graph->bound->ops[at];
    const uint32_t groups = emit_number_count(emitter, form), lanes = TIER_LANES / groups;
    const struct op_row place = row_is_equal(extension.row, graph->ops[at].a) ? bound->a : bound->b;
    LLVMValueRef good = LLVMConstInt(emitter->i1, 1, false);
    for (uint32_t g = 0; g < groups; g++) {
        int64_t least = INT64_MAX, most = INT64_MIN;
        for (uint32_t l = g * lanes; l < (g + 1) * lanes; l++) {
            least = addend->by[l] < least ? addend->by[l] : least;
            most = addend->by[l] > most ? addend->by[l] : most;
        }
        LLVMValueRef number = emit_number(emitter, extension.row, place, (enum row_form_kind)form.kind, g);
        if (LLVMTypeOf(number) == emitter->i64) /* its low half is what is extended */
            number = LLVMBuildTrunc(emitter->builder, number, emitter->i32, "");
        LLVMValueRef inside = is_in_range(emitter, number, least, most, extension.is_signed);
        good = LLVMBuildAnd(emitter->builder, good, inside, "");
        ret_numbers[g] = number;
    }
    return good;
}

bool emit_check_extension(struct emitter *emitter, uint32_t at, struct row_form form, LLVMValueRef *ret_more)
{
    LLVMBuilderRef builder = emitter->builder;
    struct graph *graph = (struct graph *)emitter->graph;
    const struct extension extension = uniformity_extended(graph, emitter->state, at);
    if (extension.row.kind == ROW_NONE)
        return false;
    struct row_form operand = uniformity_operand(graph, emitter->state, extension.row);
    if (form.kind == FORM_GROUPS)
        operand = uniformity_in_groups(graph, operand);
    const struct addend *addend = &graph->addends[operand.addend];
    const uint32_t groups = emit_number_count(emitter, form), lanes = TIER_LANES / groups;
    LLVMValueRef numbers[GROUPS_MAX], wrapped[GROUPS_MAX], good = LLVMConstInt(emitter->i1, 1, false);
    LLVMValueRef inside = find_extended(emitter, at, form, extension, addend, numbers);
    LLVMBasicBlockRef from[2], wraps = emit_new_block(emitter, "wraps"),
                               on = emit_new_block(emitter, "extended");
    emit_likely(emitter, inside, on, wraps);
    from[0] = LLVMGetInsertBlock(builder);
    LLVMPositionBuilderAtEnd(builder, wraps);
    for (uint32_t g = 0; g < groups; g++) {
        const uint64_t all = lanes == TIER_LANES ? UINT64_MAX : ((UINT64_C(1) << lanes) - 1) << (g * lanes);
        wrapped[g] = LLVMBuildMul(builder, find_wrapped(emitter, numbers[g], addend, extension, all, &good),
                                  emit_i64(emitter, (uint64_t)extension.factor), "");
    }
    emit_check(emitter, good, at);
    from[1] = LLVMGetInsertBlock(builder);
    LLVMBuildBr(builder, on);
    LLVMPositionBuilderAtEnd(builder, on);
    for (uint32_t g = 0; g < groups; g++) {
        LLVMValueRef values[] = {emit_i64(emitter, 0), wrapped[g]};
        ret_more[g] = LLVMBuildPhi(builder, emitter->i64, "");
        LLVMAddIncoming(ret_more[g], values, from, 2);
    }
    return true;
}

void emit_name_of_one(const struct micro_op *op, char *name, size_t room)
{
    snprintf(name, room, "one_%s", row_function_name(op) + strlen("row_"));
}

void emit_known_value(struct emitter *emitter, uint32_t at, struct row_form form, LLVMValueRef *ret_numbers)
{
    const struct micro_op *op = &emitter->graph->ops[at];
    const struct op *bound = &emitter->graph->bound->ops[at];
    const struct row rows[] = {op->a, op->b, op->c, op->f};
    const struct op_row at_rows[] = {bound->a, bound->b, bound->c, bound->f};
    const char *name = row_function_name(op);
    const bool has_one = !row_is_of_lanes(op);
    const enum row_kind kind = op->d.kind == ROW_NONE ? ROW_PREDICATE : (enum row_kind)op->d.kind;
    LLVMTypeRef type = emit_number_type(emitter, kind);
    char one[64];
    emit_name_of_one(op, one, sizeof one);
    for (uint32_t g = 0; g < emit_number_count(emitter, form); g++) {
        LLVMValueRef places[HX_COUNT_OF(rows)];
        LLVMValueRef d =
            LLVMBuildAlloca(emitter->allocas, has_one ? type : LLVMVectorType(type, TIER_LANES), "");
        for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
            places[i] = place_of_number(emitter, rows[i], at_rows[i], form, g);
            if (!has_one)
                places[i] = place_of_splat(emitter, places[i], rows[i]);
        }
        emit_call_row(emitter, at, has_one ? one : name, d, LLVMConstPointerNull(emitter->pointer), places);
        ret_numbers[g] = emit_load(emitter, type, d);
        if (row_is_float(op) && kind != ROW_PREDICATE)
            ret_numbers[g] = emit_canonical(emitter, ret_numbers[g]);
    }
}

/* ---- From run to run ----------------------------------------------------------------------------------- */

static LLVMValueRef frame_number(struct emitter *emitter, const struct tier_known *known, uint32_t group)
{
    LLVMValueRef all = emit_frame_field(emitter, emitter->pointer, offsetof(struct tier_frame, numbers));
    const uint64_t index = (uint64_t)known->slot * emitter->graph->made->group_count + group;
    return emit_at(emitter, all, emit_i64(emitter, index * 8));
}

static uint32_t row_of(const struct graph *graph, const struct tier_known *known)
{
    return graph->row_of_slot[known->slot];
}

void emit_load_numbers(struct emitter *emitter, uint32_t block)
{
    const struct tier_kernel *made = emitter->graph->made;
    for (uint32_t i = made->known_from[block]; i < made->known_from[block + 1]; i++)
        for (uint32_t g = 0; g < made->known[i].groups; g++) {
            const uint32_t row = row_of(emitter->graph, &made->known[i]);
            LLVMTypeRef type = emit_number_type(emitter, graph_row_kind(emitter->graph, row));
            emit_store(emitter, emit_load(emitter, type, frame_number(emitter, &made->known[i], g)),
                       emit_number_place(emitter, row, g));
        }
}

void emit_save_numbers(struct emitter *emitter, uint32_t block)
{
    const struct tier_kernel *made = emitter->graph->made;
    for (uint32_t i = made->known_from[block]; i < made->known_from[block + 1]; i++)
        for (uint32_t g = 0; g < made->known[i].groups; g++) {
            const uint32_t row = row_of(emitter->graph, &made->known[i]);
            LLVMTypeRef type = emit_number_type(emitter, graph_row_kind(emitter->graph, row));
            emit_store(emitter, emit_load(emitter, type, emit_number_place(emitter, row, g)),
                       frame_number(emitter, &made->known[i], g));
        }
}
