/* The micro-ops of one instruction, one function for each group of shapes.
 *
 * Takes the current instruction, leaves its micro-ops. Most instructions are one row of src/semantics and
 * become one micro-op; what modifiers and forms add (flushing, saturation, a comparison that is combined,
 * vectors, halves of halves) becomes micro-ops before and behind it. Results are written last, so that an
 * operand may have the row of a result. */
#include "lower/converged/converged.h"
#include "lower/lowering.h"

const struct operand *lower_operand(const struct lowering *lowering, unsigned index)
{
    return &lowering->instruction->operands[index];
}

unsigned lower_form(const struct lowering *lowering, enum form_kind kind)
{
    const struct isa_opcode *opcode = lowering->instruction->opcode;
    unsigned index = 0;
    while (index + 1u < opcode->form_count && opcode->forms[index].kind != kind)
        index++;
    return index;
}

void lower_step(struct lowering *lowering, int semantic, enum hx_type type, struct row d, struct row a,
                struct row b)
{
    lower_emit(lowering, (struct micro_op){
                             .semantic = (int16_t)semantic, .type = (uint8_t)type, .d = d, .a = a, .b = b});
}
/* The row and modifiers that the instruction means. */
static void choose_semantic(struct lowering *lowering)
{
    const struct instruction *instruction = lowering->instruction;
    const struct isa_opcode *opcode = instruction->opcode;
    const struct slice name = slice_of(opcode->semantics_name);
    const uint8_t rounding = instruction->modifiers[GROUP_ROUNDING];
    const enum hx_type type = type_half((enum hx_type)instruction->type);
    lowering->semantic = instruction_semantic(instruction);
    lowering->rounding = ROUNDING_NONE;
    lowering->saturates = false;
    if (instruction->modifiers[GROUP_SATURATE] && type_is_float(type)) {
        const char *text = modifier_text(GROUP_SATURATE, instruction->modifiers[GROUP_SATURATE]);
        lowering->saturates = lowering->semantic != semantic_find_variant(name, slice_of(text));
    }
    if (!opcode->has_directed || rounding < ROUNDING_RZ || rounding > ROUNDING_RP)
        return;
    const int directed = semantic_find_variant(name, slice_of("directed"));
    if (directed == SEMANTIC_NONE || !(semantic_at(directed)->types & TYPE_BIT(type)))
        return;
    lowering->semantic = directed;
    lowering->rounding = rounding;
    lowering->saturates = instruction->modifiers[GROUP_SATURATE] != 0;
}

struct micro_op lower_primary(const struct lowering *lowering)
{
    const struct instruction *instruction = lowering->instruction;
    const bool typed =
        instruction->type != HX_TYPE_NONE || lowering->instruction->opcode->shape == SHAPE_FLOW;
    return (struct micro_op){.semantic = (int16_t)lowering->semantic,
                             .type = typed ? instruction->type : (uint8_t)HX_TYPE_PRED,
                             .source_type = instruction->source_type,
                             .rounding = lowering->rounding,
                             .flags = MICRO_PRIMARY};
}

struct row lower_own_source(struct lowering *lowering, unsigned index)
{
    const enum hx_type type = instruction_operand_type(lowering->instruction, index);
    const struct row row = lower_source(lowering, index, type, 0);
    if (!lower_flushes(lowering, type))
        return row;
    struct row flushed = lower_temporary_like(lowering, row_kind_of(type), row);
    lower_step(lowering, SEM_flush, type, flushed, row, ROW_ABSENT);
    return flushed;
}

struct row *lower_row_of(struct micro_op *op, enum semantic_operand letter)
{
    switch (letter) {
    case OPERAND_D:
        return &op->d;
    case OPERAND_E:
        return &op->e;
    case OPERAND_A:
        return &op->a;
    case OPERAND_B:
        return &op->b;
    case OPERAND_C:
        return &op->c;
    default:
        return &op->f;
    }
}

/* One row of the semantics, operand for operand. */
static void lower_plain(struct lowering *lowering)
{
    const struct isa_opcode *opcode = lowering->instruction->opcode;
    struct micro_op op = lower_primary(lowering);
    struct result results[FORM_COUNT_MAX];
    unsigned count = 0;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct form *form = &opcode->forms[i];
        if (lower_operand(lowering, i)->kind == OPERAND_ABSENT)
            continue;
        if (form->kind == FORM_SOURCE || form->kind == FORM_ANY_SOURCE || form->kind == FORM_PREDICATE_SOURCE)
            *lower_row_of(&op, form->letter) = lower_own_source(lowering, i);
        else if (form->kind == FORM_IMM8)
            op.immediate = (int64_t)lower_operand(lowering, i)->bits;
    }
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct form *form = &opcode->forms[i];
        if (form->kind != FORM_DESTINATION && form->kind != FORM_PREDICATE_DESTINATION)
            continue;
        results[count] = lower_result(lowering, i, instruction_operand_type(lowering->instruction, i), 0);
        *lower_row_of(&op, form->letter) = results[count++].to;
    }
    lower_emit(lowering, op);
    for (unsigned i = 0; i < count; i++)
        lower_finish(lowering, &results[i]);
}

/* The policy that all accesses have: nobody keeps what the operands say. */
static void lower_policy(struct lowering *lowering)
{
    const enum hx_type type = (enum hx_type)lowering->instruction->type;
    const struct result result = lower_result(lowering, lower_form(lowering, FORM_DESTINATION), type, 0);
    struct micro_op op = lower_primary(lowering);
    op.semantic = SEM_mov;
    op.d = result.to;
    op.a = lower_immediate(lowering, POLICY_EVICT_NORMAL, type);
    lower_emit(lowering, op);
    lower_finish(lowering, &result);
}

/* ---- Comparisons --------------------------------------------------------------------------------------- */

static int combining_semantic(unsigned combine)
{
    return combine == COMBINE_AND ? SEM_pand : combine == COMBINE_OR ? SEM_por : SEM_pxor;
}

/* A comparison into a register: into a predicate, then a choice of two numbers. */
static void select_numbers(struct lowering *lowering, struct micro_op compare, unsigned index)
{
    const enum hx_type type = (enum hx_type)lowering->instruction->type;
    const uint64_t one_bits = type == HX_TYPE_F32    ? 0x3f800000u /* 1.0, or all ones */
                              : type == HX_TYPE_F16  ? 0x3c00u
                              : type == HX_TYPE_BF16 ? 0x3f80u
                                                     : UINT32_MAX;
    const struct result result = lower_result(lowering, index, type, 0);
    compare.d = lower_temporary_like(lowering, ROW_PREDICATE, result.final);
    lower_emit(lowering, compare);
    lower_emit(lowering, (struct micro_op){.semantic = SEM_sel,
                                           .type = (uint8_t)type,
                                           .d = result.to,
                                           .a = lower_immediate(lowering, one_bits, type),
                                           .b = lower_immediate(lowering, 0, type),
                                           .c = compare.d});
    lower_finish(lowering, &result);
}

static void combine_predicates(struct lowering *lowering, struct row d, struct row truth, struct row other)
{
    lower_step(lowering, combining_semantic(lowering->instruction->modifiers[GROUP_COMBINE]), HX_TYPE_PRED, d,
               truth, other);
}

/* Both results of a comparison, of which `truth` is what was found; the second one is written last, and what
 * they are combined with may be in the row of either. */
static void add_results(struct lowering *lowering, unsigned opposite, struct row truth, struct row combined,
                        struct row p)
{
    const struct row q = lower_result(lowering, opposite, HX_TYPE_PRED, 0).to;
    if (combined.kind == ROW_NONE) { /* p is written */
        lower_step(lowering, SEM_pnot, HX_TYPE_PRED, q, truth, ROW_ABSENT);
        return;
    }
    struct row inverse = lower_temporary_like(lowering, ROW_PREDICATE, p);
    lower_step(lowering, SEM_pnot, HX_TYPE_PRED, inverse, truth, ROW_ABSENT);
    if (row_is_equal(combined, p)) {
        combine_predicates(lowering, inverse, inverse, combined);
        combine_predicates(lowering, p, truth, combined);
        lower_step(lowering, SEM_pmov, HX_TYPE_PRED, q, inverse, ROW_ABSENT);
        return;
    }
    combine_predicates(lowering, p, truth, combined);
    combine_predicates(lowering, q, inverse, combined);
}

static void lower_compare(struct lowering *lowering)
{
    const struct instruction *instruction = lowering->instruction;
    const struct isa_opcode *opcode = instruction->opcode;
    struct micro_op op = lower_primary(lowering);
    op.type = opcode->source_types ? instruction->source_type : instruction->type;
    struct row combined = ROW_ABSENT;
    unsigned destination = 0, opposite = 0; /* which is never the first operand */
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct form *form = &opcode->forms[i];
        if (form->letter == OPERAND_E)
            opposite = lower_operand(lowering, i)->kind == OPERAND_SINK ? 0 : i;
        else if (form->kind == FORM_DESTINATION || form->kind == FORM_PREDICATE_DESTINATION)
            destination = i;
        else if (form->kind == FORM_PREDICATE_SOURCE && lower_operand(lowering, i)->kind == OPERAND_PREDICATE)
            combined = lower_predicate(lowering, lower_operand(lowering, i));
        else if (form->kind == FORM_SOURCE)
            *lower_row_of(&op, form->letter) = lower_own_source(lowering, i);
    }
    converged_take_comparison(lowering, &op);
    if (opcode->forms[destination].kind == FORM_DESTINATION) {
        select_numbers(lowering, op, destination);
        return;
    }
    const struct row p = lower_result(lowering, destination, HX_TYPE_PRED, 0).to;
    op.d = combined.kind == ROW_NONE ? p : lower_temporary_like(lowering, ROW_PREDICATE, p);
    if (lowering->deferred_compares[lowering->at] && !op.affine_part)
        op.flags |= MICRO_DEFERRED_COMPARE;
    lower_emit(lowering, op);
    if (opposite)
        add_results(lowering, opposite, op.d, combined, p);
    else if (combined.kind != ROW_NONE)
        combine_predicates(lowering, p, op.d, combined);
}

/* ---- Halves -------------------------------------------------------------------------------------------- */

static struct row pack_two(struct lowering *lowering, struct micro_op op, struct row low, struct row high,
                           struct row like)
{
    op.d = lower_temporary_like(lowering, ROW_4, like);
    op.a = low;
    op.b = high;
    lower_emit(lowering, op);
    return op.d;
}

/* Two parts become one value; of four, two and two become halves first. */
static void lower_pack(struct lowering *lowering)
{
    const struct isa_opcode *opcode = lowering->instruction->opcode;
    struct row parts[FORM_COUNT_MAX];
    unsigned count = 0;
    for (unsigned i = 0; i < opcode->form_count; i++)
        if (opcode->forms[i].kind == FORM_SOURCE)
            parts[count++] = lower_own_source(lowering, i);
    struct micro_op op = lower_primary(lowering);
    const struct result result = lower_result(lowering, lower_form(lowering, FORM_DESTINATION),
                                              (enum hx_type)lowering->instruction->type, 0);
    op.type = lowering->instruction->source_type;
    if (count == 4) {
        struct micro_op half = op;
        half.flags = 0;
        parts[0] = pack_two(lowering, half, parts[0], parts[1], result.final);
        parts[1] = pack_two(lowering, half, parts[2], parts[3], result.final);
        op.type = HX_TYPE_U32;
    }
    op.d = result.to;
    op.a = parts[0];
    op.b = parts[1];
    lower_emit(lowering, op);
    lower_finish(lowering, &result);
}

/* The low half of `from`, or the high one. */
static void take_part(struct lowering *lowering, struct micro_op *op, const struct result *result,
                      struct row from, bool high)
{
    op->semantic = high ? SEM_unpack_high : SEM_unpack_low;
    op->d = result->to;
    op->a = from;
    lower_emit(lowering, *op);
    op->flags = 0;
    lower_finish(lowering, result);
}

/* A part that goes where the whole is comes last. */
static void lower_unpack(struct lowering *lowering)
{
    const struct isa_opcode *opcode = lowering->instruction->opcode;
    const enum hx_type type = (enum hx_type)lowering->instruction->type;
    const struct row whole = lower_own_source(lowering, lower_form(lowering, FORM_SOURCE));
    struct row halves[2] = {whole, whole};
    if (opcode->form_count - 1 == 4)
        for (int h = 0; h < 2; h++) {
            halves[h] = lower_temporary_like(lowering, ROW_4, whole);
            lower_step(lowering, h == 0 ? SEM_unpack_low : SEM_unpack_high, HX_TYPE_U32, halves[h], whole,
                       ROW_ABSENT);
        }
    struct micro_op op = lower_primary(lowering);
    struct result last;
    int last_part = -1;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const unsigned part = opcode->forms[i].extra; /* from the lowest bits on */
        if (opcode->forms[i].kind != FORM_DESTINATION || lower_operand(lowering, i)->kind == OPERAND_SINK)
            continue;
        const struct result result = lower_result(lowering, i, type, 0);
        if (row_is_equal(result.final, halves[part / 2])) {
            last = result;
            last_part = (int)part;
        } else {
            take_part(lowering, &op, &result, halves[part / 2], part % 2 != 0);
        }
    }
    if (last_part >= 0)
        take_part(lowering, &op, &last, halves[last_part / 2], last_part % 2 != 0);
    if (op.flags & MICRO_PRIMARY) /* all of it is dropped */
        lower_emit(lowering,
                   (struct micro_op){.semantic = SEM_nop, .type = HX_TYPE_NONE, .flags = MICRO_PRIMARY});
}

void lower_instruction(struct lowering *lowering)
{
    choose_semantic(lowering);
    if (instruction_is_packed(lowering->instruction)) {
        lower_packed(lowering);
        return;
    }
    if (lowering->instruction->opcode->shape == SHAPE_MATRIX) {
        lower_matrix(lowering);
        return;
    }
    if (shape_is_warp(lowering->instruction->opcode->shape)) {
        lower_warp(lowering);
        return;
    }
    switch (lowering->instruction->opcode->shape) {
    case SHAPE_REDUCE:
    case SHAPE_SCAN:
    case SHAPE_SCAN_BEFORE:
        lower_collective(lowering);
        break;
    case SHAPE_COMPARE:
        lower_compare(lowering);
        break;
    case SHAPE_PAIR:
        lower_pack(lowering);
        break;
    case SHAPE_HALF:
        lower_unpack(lowering);
        break;
    case SHAPE_LOAD:
    case SHAPE_STORE:
        lower_memory(lowering);
        break;
    case SHAPE_ATOMIC:
    case SHAPE_CAS:
        lower_atomic(lowering);
        break;
    case SHAPE_POLICY:
    case SHAPE_POLICY_RANGE:
        lower_policy(lowering);
        break;
    case SHAPE_FLOW:
        lower_flow(lowering);
        break;
    default:
        lower_plain(lowering);
    }
}
