/* The micro-ops of one instruction, one function for each group of shapes.
 *
 * Takes the current instruction, leaves its micro-ops. Most instructions are one row of src/semantics and
 * become one micro-op; what modifiers and forms add (flushing, saturation, a comparison that is combined,
 * vectors, halves of halves) becomes micro-ops before and behind it. Results are written last, so that an
 * operand may have the row of a result. */
#include "lower/converged/affine.h"

static const struct operand *operand_at(const struct lowering *lowering, unsigned index)
{
    return &lowering->instruction->operands[index];
}

/* The first operand of a form; the entries were checked when the instruction set was loaded. */
static unsigned find_form(const struct lowering *lowering, enum form_kind kind)
{
    const struct isa_opcode *opcode = lowering->instruction->opcode;
    unsigned index = 0;
    while (index + 1u < opcode->form_count && opcode->forms[index].kind != kind)
        index++;
    return index;
}

/* A helping micro-op of one or two sources. */
static void add_step(struct lowering *lowering, int semantic, enum hx_type type, struct row d, struct row a,
                     struct row b)
{
    lower_emit(lowering, (struct micro_op){
                             .semantic = (int16_t)semantic, .type = (uint8_t)type, .d = d, .a = a, .b = b});
}
static const struct row no_row = {ROW_NONE, 0};

static bool is_same_row(struct row a, struct row b)
{
    return a.kind == b.kind && a.index == b.index;
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

/* The micro-op that the instruction is about. */
static struct micro_op primary(const struct lowering *lowering)
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

/* Operand `index` as a source of its own type, flushed if the instruction says so. */
static struct row source(struct lowering *lowering, unsigned index)
{
    const enum hx_type type = instruction_operand_type(lowering->instruction, index);
    const struct row row = lower_source(lowering, index, type, 0);
    if (!lower_flushes(lowering, type))
        return row;
    struct row flushed = lower_temporary_like(lowering, row_kind_of(type), row);
    add_step(lowering, SEM_flush, type, flushed, row, no_row);
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
    struct micro_op op = primary(lowering);
    struct result results[FORM_COUNT_MAX];
    unsigned count = 0;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct form *form = &opcode->forms[i];
        if (operand_at(lowering, i)->kind == OPERAND_ABSENT)
            continue;
        if (form->kind == FORM_SOURCE || form->kind == FORM_ANY_SOURCE || form->kind == FORM_PREDICATE_SOURCE)
            *lower_row_of(&op, form->letter) = source(lowering, i);
        else if (form->kind == FORM_IMM8)
            op.immediate = (int64_t)operand_at(lowering, i)->bits;
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
    const struct result result = lower_result(lowering, find_form(lowering, FORM_DESTINATION), type, 0);
    struct micro_op op = primary(lowering);
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
    add_step(lowering, combining_semantic(lowering->instruction->modifiers[GROUP_COMBINE]), HX_TYPE_PRED, d,
             truth, other);
}

/* Both results of a comparison, of which `truth` is what was found; the second one is written last, and what
 * they are combined with may be in the row of either. */
static void add_results(struct lowering *lowering, unsigned opposite, struct row truth, struct row combined,
                        struct row p)
{
    const struct row q = lower_result(lowering, opposite, HX_TYPE_PRED, 0).to;
    if (combined.kind == ROW_NONE) { /* p is written */
        add_step(lowering, SEM_pnot, HX_TYPE_PRED, q, truth, no_row);
        return;
    }
    struct row inverse = lower_temporary_like(lowering, ROW_PREDICATE, p);
    add_step(lowering, SEM_pnot, HX_TYPE_PRED, inverse, truth, no_row);
    if (is_same_row(combined, p)) {
        combine_predicates(lowering, inverse, inverse, combined);
        combine_predicates(lowering, p, truth, combined);
        add_step(lowering, SEM_pmov, HX_TYPE_PRED, q, inverse, no_row);
        return;
    }
    combine_predicates(lowering, p, truth, combined);
    combine_predicates(lowering, q, inverse, combined);
}

/* Of what is compared, the same part and the affine_part do if the other operand is one value. */
static void compare_same(const struct lowering *lowering, struct micro_op *op)
{
    const struct affine_use use = affine_use_of(lowering, lowering->at);
    if (!lowering->is_converged || !affine_fits(&use))
        return;
    op->a = (struct row){(uint8_t)ROW_SAME_OF(use.plan->kind), use.plan->same_row};
    op->affine_part = use.plan->affine_part;
    op->e = (struct row){ROW_AFFINE, op->affine_part};
}

static void lower_compare(struct lowering *lowering)
{
    const struct instruction *instruction = lowering->instruction;
    const struct isa_opcode *opcode = instruction->opcode;
    struct micro_op op = primary(lowering);
    op.type = opcode->source_types ? instruction->source_type : instruction->type;
    struct row combined = no_row;
    unsigned destination = 0, opposite = 0; /* which is never the first operand */
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct form *form = &opcode->forms[i];
        if (form->letter == OPERAND_E)
            opposite = operand_at(lowering, i)->kind == OPERAND_SINK ? 0 : i;
        else if (form->kind == FORM_DESTINATION || form->kind == FORM_PREDICATE_DESTINATION)
            destination = i;
        else if (form->kind == FORM_PREDICATE_SOURCE && operand_at(lowering, i)->kind == OPERAND_PREDICATE)
            combined = lower_predicate(lowering, operand_at(lowering, i));
        else if (form->kind == FORM_SOURCE)
            *lower_row_of(&op, form->letter) = source(lowering, i);
    }
    compare_same(lowering, &op);
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
            parts[count++] = source(lowering, i);
    struct micro_op op = primary(lowering);
    const struct result result = lower_result(lowering, find_form(lowering, FORM_DESTINATION),
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
    const struct row whole = source(lowering, find_form(lowering, FORM_SOURCE));
    struct row halves[2] = {whole, whole};
    if (opcode->form_count - 1 == 4)
        for (int h = 0; h < 2; h++) {
            halves[h] = lower_temporary_like(lowering, ROW_4, whole);
            add_step(lowering, h == 0 ? SEM_unpack_low : SEM_unpack_high, HX_TYPE_U32, halves[h], whole,
                     no_row);
        }
    struct micro_op op = primary(lowering);
    struct result last;
    int last_part = -1;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const unsigned part = opcode->forms[i].extra; /* from the lowest bits on */
        if (opcode->forms[i].kind != FORM_DESTINATION || operand_at(lowering, i)->kind == OPERAND_SINK)
            continue;
        const struct result result = lower_result(lowering, i, type, 0);
        if (is_same_row(result.final, halves[part / 2])) {
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

/* ---- Memory -------------------------------------------------------------------------------------------- */

static struct row copy_of(struct lowering *lowering, struct row row)
{
    const struct row copy = lower_temporary(lowering, (enum row_kind)row.kind);
    add_step(lowering, SEM_mov, lower_has_8_bytes(row) ? HX_TYPE_U64 : HX_TYPE_U32, copy, row, no_row);
    return copy;
}

/* Element by element; the first one checks the access as a whole. */
static void lower_memory(struct lowering *lowering)
{
    const struct instruction *instruction = lowering->instruction;
    const bool loads = instruction->opcode->shape == SHAPE_LOAD;
    const unsigned address = find_form(lowering, FORM_ADDRESS), count = instruction_vector(instruction);
    const unsigned value = find_form(lowering, loads ? FORM_DESTINATION : FORM_SOURCE);
    const enum hx_type type = (enum hx_type)instruction->type;
    const unsigned bytes = type_bytes(type);
    struct micro_op op = primary(lowering);
    lower_address(lowering, operand_at(lowering, address), &op);
    op.access_bytes = (uint8_t)(bytes * count);
    op.align_log2 = (uint8_t)__builtin_ctz(bytes * count);
    struct result results[4];
    bool overwrites_a = false, overwrites_c = false;
    for (unsigned i = 0; i < count && loads; i++) {
        results[i] = lower_result(lowering, value, type, i);
        overwrites_a |= i + 1 < count && is_same_row(results[i].final, op.a);
        overwrites_c |= i + 1 < count && is_same_row(results[i].final, op.c);
    }
    if (overwrites_a)
        op.a = copy_of(lowering, op.a);
    if (overwrites_c)
        op.c = copy_of(lowering, op.c);
    for (unsigned i = 0; i < count; i++) {
        const bool is_register = operand_at(lowering, value)->kind == OPERAND_REGISTER;
        if (loads)
            op.d = results[i].to;
        else
            op.b = lower_source(lowering, value, type, is_register ? i : 0);
        lower_emit(lowering, op);
        if (loads)
            lower_finish(lowering, &results[i]);
        op.immediate += bytes;
        op.access_bytes = op.align_log2 = op.flags = 0;
    }
}

/* The result goes to a row of its own when nobody wants it. */
static void lower_atomic(struct lowering *lowering)
{
    const struct instruction *instruction = lowering->instruction;
    const struct isa_opcode *opcode = instruction->opcode;
    const enum hx_type type = (enum hx_type)instruction->type;
    struct micro_op op = primary(lowering);
    struct result result = {.type = type};
    lower_address(lowering, operand_at(lowering, find_form(lowering, FORM_ADDRESS)), &op);
    op.access_bytes = (uint8_t)type_bytes(type);
    op.align_log2 = (uint8_t)__builtin_ctz(type_bytes(type));
    for (unsigned i = 0; i < opcode->form_count; i++)
        if (opcode->forms[i].kind == FORM_SOURCE)
            *(opcode->forms[i].letter == OPERAND_F ? &op.f : &op.b) = lower_source(lowering, i, type, 0);
    if (opcode->forms[find_form(lowering, FORM_DESTINATION)].kind == FORM_DESTINATION)
        result = lower_result(lowering, find_form(lowering, FORM_DESTINATION), type, 0);
    else
        result.to = lower_temporary(lowering, row_kind_of(type));
    op.d = result.to;
    lower_emit(lowering, op);
    lower_finish(lowering, &result);
}

/* ---- Control flow -------------------------------------------------------------------------------------- */

static void add_guard(struct lowering *lowering, struct micro_op *op)
{
    const struct instruction *instruction = lowering->instruction;
    if (instruction->guard < 0)
        return;
    op->c = lower_member(lowering, REGISTER_COUNT + (uint32_t)instruction->guard, false);
    op->flags |= MICRO_GUARDED | (instruction->guard_negated ? MICRO_GUARD_NEGATED : 0);
    if (lowering->at > 0 && lowering->deferred_compares[lowering->at - 1]) {
        const struct micro_op *comparison = &lowering->ops.items[lowering->ops.count - 1];
        op->flags |= comparison->flags & MICRO_DEFERRED_COMPARE;
        op->affine_part = comparison->affine_part;
    }
}

/* A 32-bit loop over a register that has 64 bits elsewhere: its counter is the lower half, and the upper half
 * goes when the counter changes. So the step is made by hand, and what is left is a branch. */
static void lower_wide_loop(struct lowering *lowering, struct micro_op op)
{
    const struct instruction *instruction = lowering->instruction;
    const struct row counter = op.d;
    const struct row old = lower_register(lowering, operand_at(lowering, 0)->reg, HX_TYPE_U32);
    const struct row zero = lower_immediate(lowering, 0, HX_TYPE_U32);
    const struct row one = lower_immediate(lowering, 1, HX_TYPE_U32);
    const struct row runs = lower_temporary(lowering, ROW_PREDICATE);
    const struct row stays = lower_temporary(lowering, ROW_PREDICATE);
    const struct row less = lower_temporary(lowering, ROW_4), wide = lower_temporary(lowering, ROW_8);
    const enum hx_type type = type_is_signed((enum hx_type)instruction->type) ? HX_TYPE_I32 : HX_TYPE_U32;
    add_step(lowering, SEM_setp_gt, type, runs, old, zero);
    if (instruction->guard >= 0) {
        struct operand guard = {.reg = (uint8_t)instruction->guard, .negated = instruction->guard_negated};
        add_step(lowering, SEM_pand, HX_TYPE_PRED, runs, runs, lower_predicate(lowering, &guard));
    }
    add_step(lowering, SEM_sub, HX_TYPE_U32, less, old, one);
    add_step(lowering, SEM_setp_gt, type, stays, less, zero);
    add_step(lowering, SEM_pand, HX_TYPE_PRED, stays, stays, runs);
    lower_emit(
        lowering,
        (struct micro_op){
            .semantic = SEM_cvt, .type = HX_TYPE_U64, .source_type = HX_TYPE_U32, .d = wide, .a = less});
    lower_emit(
        lowering,
        (struct micro_op){
            .semantic = SEM_sel, .type = HX_TYPE_U64, .d = counter, .a = wide, .b = counter, .c = runs});
    op.semantic = SEM_branch;
    op.type = HX_TYPE_NONE;
    op.d = no_row;
    op.c = stays;
    op.flags |= MICRO_GUARDED;
    lower_emit(lowering, op);
}

void lower_arm_branch(struct lowering *lowering, bool begins)
{
    struct micro_op op = primary(lowering);
    op.semantic = begins ? MICRO_ARM_BEGIN : MICRO_ARM_OTHER;
    op.target = verify_flow_target(lowering->kernel, lowering->instruction);
    if (begins)
        add_guard(lowering, &op);
    lower_emit(lowering, op);
}

static void lower_flow(struct lowering *lowering)
{
    const struct instruction *instruction = lowering->instruction;
    const struct isa_opcode *opcode = instruction->opcode;
    struct micro_op op = primary(lowering);
    struct result result;
    bool has_result = false;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct operand *operand = operand_at(lowering, i);
        switch (opcode->forms[i].kind) {
        case FORM_LABEL:
            op.target = verify_flow_target(lowering->kernel, instruction);
            break;
        case FORM_ADDRESS:
            break; /* of a hint: nobody goes there */
        case FORM_SMALL:
            op.immediate = (int64_t)operand->bits;
            break;
        case FORM_READ_WRITE:
            op.d = lower_member(lowering, operand->reg, true);
            break;
        case FORM_PREDICATE_SOURCE:
            op.b = lower_predicate(lowering, operand);
            break;
        case FORM_DESTINATION:
        case FORM_PREDICATE_DESTINATION:
            result = lower_result(lowering, i, instruction_operand_type(instruction, i), 0);
            op.d = result.to;
            has_result = true;
            break;
        default:
            op.a = lower_source(lowering, i, HX_TYPE_U32, 0);
        }
    }
    if (lowering->semantic == SEM_fence)
        op.immediate = instruction->modifiers[GROUP_SCOPE];
    if (lower_has_8_bytes(op.d) && row_kind_of((enum hx_type)op.type) == ROW_4) {
        lower_wide_loop(lowering, op);
        return;
    }
    add_guard(lowering, &op);
    if (lowering->semantic == SEM_warp_sync) { /* lanes that wait come again: counted is what comes behind */
        op.semantic = MICRO_WARP_WAIT;
        op.flags &= (uint8_t)~MICRO_PRIMARY;
        lower_emit(lowering, op);
        op = (struct micro_op){.semantic = SEM_nop, .type = HX_TYPE_NONE, .flags = MICRO_PRIMARY};
        add_guard(lowering, &op);
    }
    lower_emit(lowering, op);
    if (has_result)
        lower_finish(lowering, &result);
}

/* ---- Warps and blocks ---------------------------------------------------------------------------------- */

/* The mask is the last source. */
static struct row member_mask(struct lowering *lowering)
{
    const unsigned last = lowering->instruction->opcode->form_count - 1u;
    return operand_at(lowering, last)->kind == OPERAND_ABSENT ? no_row
                                                              : lower_source(lowering, last, HX_TYPE_U32, 0);
}

void lower_warp_wait(struct lowering *lowering)
{
    struct micro_op op = {.semantic = MICRO_WARP_WAIT, .type = HX_TYPE_U32, .a = member_mask(lowering)};
    add_guard(lowering, &op);
    lower_emit(lowering, op);
}

/* What may be left out: a mask names all lanes, a shuffle's bound is the warp's end (up: its begin). */
static struct row warp_source(struct lowering *lowering, unsigned index)
{
    const bool is_up = lowering->semantic == SEM_shfl_up;
    if (operand_at(lowering, index)->kind != OPERAND_ABSENT)
        return source(lowering, index);
    const bool is_bound = lowering->instruction->opcode->forms[index].letter == OPERAND_C;
    return lower_immediate(lowering, !is_bound ? UINT32_MAX : is_up ? 0 : 63, HX_TYPE_U32);
}

static void lower_warp(struct lowering *lowering)
{
    const struct isa_opcode *opcode = lowering->instruction->opcode;
    struct micro_op op = primary(lowering);
    struct result results[2];
    unsigned count = 0;
    for (unsigned i = 0; i < opcode->form_count; i++)
        if (opcode->forms[i].kind == FORM_SOURCE || opcode->forms[i].kind == FORM_PREDICATE_SOURCE)
            *lower_row_of(&op, opcode->forms[i].letter) = warp_source(lowering, i);
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

/* First the wait, which is what is counted, then the row that exec does when all have come. */
static void lower_collective(struct lowering *lowering)
{
    const enum hx_type type = (enum hx_type)lowering->instruction->type;
    struct micro_op op = primary(lowering), wait = {.semantic = MICRO_COLLECTIVE, .flags = MICRO_PRIMARY};
    op.flags = 0;
    op.a = source(lowering, find_form(lowering, FORM_SOURCE));
    const struct result result = lower_result(lowering, find_form(lowering, FORM_DESTINATION), type, 0);
    op.d = result.to;
    wait.type = (uint8_t)type;
    add_guard(lowering, &wait);
    lower_emit(lowering, wait);
    lower_emit(lowering, op);
    lower_finish(lowering, &result);
}

void lower_instruction(struct lowering *lowering)
{
    choose_semantic(lowering);
    if (instruction_is_packed(lowering->instruction)) {
        lower_packed(lowering);
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
