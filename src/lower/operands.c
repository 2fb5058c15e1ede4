/* Rows for operands.
 *
 * Takes operands of the current instruction, leaves rows, and micro-ops where a value must change its width
 * on the way. A register that data flow found to be as wide as it is read needs nothing; literals, parameters
 * and special registers have rows that exec fills. Temporary rows are those that no web lives in at the
 * instruction. */
#include "lower/converged/converged.h"
#include "lower/lowering.h"

void lower_emit(struct lowering *lowering, struct micro_op op)
{
    op.instruction = lowering->at;
    if (lowering->status == HX_OK && !LIST_PUSH(lowering->allocator, &lowering->ops, op))
        lowering->status = diag_no_memory(lowering->diag);
}

static void fail_too_many(struct lowering *lowering)
{
    if (lowering->status == HX_OK)
        lowering->status = rows_too_many(lowering->kernel, lowering->diag);
}

bool lower_has_8_bytes(struct row row)
{
    return row.kind == ROW_8 || row.kind == ROW_SAME_8 || row.kind == ROW_UNIFORM_8 ||
           row.kind == ROW_SPECIAL_8;
}

bool lower_is_same(struct row row)
{
    return (row.kind >= ROW_SAME_4 && row.kind <= ROW_SAME_PREDICATE) || row.kind == ROW_UNIFORM_4 ||
           row.kind == ROW_UNIFORM_8;
}

/* ---- Temporaries --------------------------------------------------------------------------------------- */

static void take_web(struct lowering *lowering, uint32_t number)
{
    const struct web_plan *plan = &lowering->plans[number];
    lowering->taken[ROW_CLASS(plan->kind)][plan->row] = lowering->at + 1;
    if (plan->form & WEB_SAME)
        lowering->taken[ROW_CLASS(ROW_SAME_OF(plan->kind))][plan->same_row] = lowering->at + 1;
}

/* The cursor stands behind the instruction: what is live there, and what the instruction itself reads and
 * writes, is all that must be left alone. */
static void take_rows(struct lowering *lowering)
{
    const struct web_list *webs = &lowering->webs;
    const struct flow_set *live = &webs->live_after[lowering->at];
    for (uint32_t m = flow_set_next(live, 0); m < FLOW_SET_BITS; m = flow_set_next(live, m + 1))
        take_web(lowering, lowering->cursor.current[m]);
    for (uint32_t i = webs->first[lowering->at]; i < webs->first[lowering->at + 1]; i++)
        take_web(lowering, webs->references[i].web);
    lowering->knows_rows = true;
}

struct row lower_temporary(struct lowering *lowering, enum row_kind kind)
{
    const int class = ROW_CLASS(kind);
    if (!lowering->knows_rows)
        take_rows(lowering);
    /* what an instruction needs while its lanes wait must not be written over by lanes that go on */
    const enum semantic_shape shape = lowering->instruction->opcode->shape;
    const bool waits = shape == SHAPE_FLOW || shape_gathers_warp(shape) || shape_is_collective(shape);
    const uint32_t used = lowering->web_counts.used[class];
    const uint32_t end = used + (waits ? 2 : 1) * TEMPORARIES_MAX;
    /* in the first arm of a branch, rows of one value may hold what the second arm still needs */
    const bool is_first = kind >= ROW_SAME_4 && converged_second_arm(lowering, lowering->at) != FLOW_NONE;
    uint32_t row = waits ? used + TEMPORARIES_MAX : is_first ? used : lowering->web_counts.settled[class];
    while (row < end && lowering->taken[class][row] == lowering->at + 1)
        row++;
    if (row == end || row >= ROW_COUNT_MAX) {
        fail_too_many(lowering);
        return (struct row){ROW_NONE, 0};
    }
    lowering->taken[class][row] = lowering->at + 1;
    if (row + 1 > lowering->counts.used[class])
        lowering->counts.used[class] = row + 1;
    return (struct row){(uint8_t)kind, (uint16_t)row};
}

/* Lanes that wait in the middle of an instruction may part there: then what was made before must be where the
 * general code has it. */
static bool waits_inside(const struct lowering *lowering)
{
    const enum semantic_shape shape = lowering->instruction->opcode->shape;
    return shape_gathers_warp(shape) || shape_is_collective(shape) ||
           instruction_semantic(lowering->instruction) == SEM_warp_sync;
}

struct row lower_temporary_like(struct lowering *lowering, enum row_kind kind, struct row from)
{
    const bool may_same = lowering->is_converged && !waits_inside(lowering);
    return lower_temporary(lowering,
                           may_same && lower_is_same(from) ? (enum row_kind)ROW_SAME_OF(kind) : kind);
}

/* For a result that is dropped: of one value, if the others of the instruction are, so that one handler can
 * write them all. */
static struct row lower_temporary_beside(struct lowering *lowering, enum row_kind kind)
{
    const struct web_list *webs = &lowering->webs;
    for (uint32_t i = webs->first[lowering->at]; i < webs->first[lowering->at + 1]; i++) {
        const struct web_plan *plan = &lowering->plans[webs->references[i].web];
        if (webs->references[i].writes && (plan->form & WEB_SAME))
            return lower_temporary_like(lowering, kind,
                                        (struct row){(uint8_t)ROW_SAME_OF(plan->kind), plan->same_row});
    }
    return lower_temporary(lowering, kind);
}

/* ---- Registers ----------------------------------------------------------------------------------------- */

const struct web_plan *lower_plan(const struct lowering *lowering, uint32_t at, uint32_t member, bool writes)
{
    const uint32_t web = web_of(&lowering->webs, at, member, writes);
    return web == WEB_NONE ? NULL : &lowering->plans[web];
}

struct row lower_member(struct lowering *lowering, uint32_t member, bool writes)
{
    const struct web_plan *plan = lower_plan(lowering, lowering->at, member, writes);
    if (!plan)
        return (struct row){ROW_NONE, 0};
    if (!writes && plan->is_known)
        return lower_uniform(lowering, plan->known);
    if (lowering->is_converged && (plan->form & WEB_SAME) &&
        (writes || lowering->makes_same || plan->affine_part == 0))
        return (struct row){(uint8_t)ROW_SAME_OF(plan->kind), plan->same_row};
    return (struct row){plan->kind, plan->row};
}

/* The row as one of 8 or 4 bytes: zero-extended, or the lower half. */
static struct row resize(struct lowering *lowering, struct row row, enum hx_type type)
{
    const bool wide = type_bits(type) == 64;
    if (type == HX_TYPE_PRED || lower_has_8_bytes(row) == wide)
        return row;
    struct row sized = lower_temporary_like(lowering, wide ? ROW_8 : ROW_4, row);
    lower_emit(lowering, (struct micro_op){.semantic = SEM_cvt,
                                           .type = wide ? HX_TYPE_U64 : HX_TYPE_U32,
                                           .source_type = wide ? HX_TYPE_U32 : HX_TYPE_U64,
                                           .d = sized,
                                           .a = row});
    return sized;
}

struct row lower_register(struct lowering *lowering, uint32_t member, enum hx_type type)
{
    return resize(lowering, lower_member(lowering, member, false), type);
}

/* ---- Operands but registers ---------------------------------------------------------------------------- */

static bool is_equal(const struct uniform *a, const struct uniform *b)
{
    return a->kind == b->kind && a->width == b->width && a->space == b->space && a->symbol == b->symbol &&
           a->bits == b->bits;
}

struct row lower_uniform(struct lowering *lowering, struct uniform uniform)
{
    const uint8_t kind = uniform.width == 8 ? ROW_UNIFORM_8 : ROW_UNIFORM_4;
    const uint64_t mixed =
        (uniform.bits ^ uniform.bits >> 32 ^ uniform.symbol ^ uniform.kind * 64u) * 2654435761u;
    uint32_t *bucket = &lowering->uniform_heads[mixed >> 16 & (UNIFORM_BUCKETS - 1)];
    for (uint32_t i = *bucket; i != 0; i = lowering->uniform_next.items[i - 1])
        if (is_equal(&lowering->uniforms.items[i - 1], &uniform))
            return (struct row){kind, (uint16_t)(i - 1)};
    if (lowering->uniforms.count == ROW_COUNT_MAX) {
        fail_too_many(lowering);
        return (struct row){ROW_NONE, 0};
    }
    if (!LIST_PUSH(lowering->allocator, &lowering->uniform_next, *bucket) ||
        !LIST_PUSH(lowering->allocator, &lowering->uniforms, uniform)) {
        lowering->status = diag_no_memory(lowering->diag);
        return (struct row){ROW_NONE, 0};
    }
    *bucket = (uint32_t)lowering->uniforms.count;
    return (struct row){kind, (uint16_t)(*bucket - 1)};
}

static uint8_t width_of(enum hx_type type)
{
    return type_bits(type) == 64 ? 8 : 4;
}

struct row lower_immediate(struct lowering *lowering, uint64_t bits, enum hx_type type)
{
    const uint8_t width = width_of(type);
    return lower_uniform(lowering, (struct uniform){.kind = UNIFORM_IMMEDIATE,
                                                    .width = width,
                                                    .bits = width == 4 ? bits & UINT32_MAX : bits});
}

/* A parameter has the bits of its own type, without the extension that a register would have seen. */
static struct row parameter(struct lowering *lowering, uint16_t symbol, enum hx_type type)
{
    const struct row row = lower_uniform(
        lowering, (struct uniform){.kind = UNIFORM_PARAMETER, .width = width_of(type), .symbol = symbol});
    const enum hx_type own =
        symbol < lowering->program->param_count ? lowering->program->params[symbol].type : HX_TYPE_U64;
    if (!type_is_signed(own) || type_bits(own) >= 32 || type_bits(own) >= type_bits(type))
        return row;
    struct row narrow =
        lower_uniform(lowering, (struct uniform){.kind = UNIFORM_PARAMETER, .width = 4, .symbol = symbol});
    struct row extended = lower_temporary_like(lowering, ROW_4, narrow);
    lower_emit(lowering,
               (struct micro_op){.semantic = SEM_mov, .type = (uint8_t)own, .d = extended, .a = narrow});
    return resize(lowering, extended, type);
}

bool lower_special_varies(const struct lowering *lowering, enum special_register special)
{
    return verify_special_varies(special) || (lowering->lowered->packs_blocks && special == SPECIAL_CTAID_X);
}

/* Filled with the value of the gang's first thread. */
static bool has_first(enum special_register number)
{
    return number == SPECIAL_GTID || number == SPECIAL_CTAID_X;
}

static struct row special(struct lowering *lowering, enum special_register number, enum hx_type type)
{
    const enum hx_type own = special_type(number);
    const bool wide = type_bits(own) == 64;
    const int clock = number == SPECIAL_CLOCK         ? SEM_clock
                      : number == SPECIAL_CLOCK64     ? SEM_clock64
                      : number == SPECIAL_GLOBALTIMER ? SEM_globaltimer
                                                      : SEMANTIC_NONE;
    if (clock != SEMANTIC_NONE) {
        struct row row = lower_temporary(lowering, wide ? ROW_8 : ROW_4);
        lower_emit(lowering, (struct micro_op){.semantic = (int16_t)clock, .type = (uint8_t)own, .d = row});
        return resize(lowering, row, type);
    }
    if (!lower_special_varies(lowering, number) || (lowering->makes_same && has_first(number)))
        return lower_uniform(
            lowering,
            (struct uniform){.kind = UNIFORM_SPECIAL, .width = width_of(type), .symbol = (uint16_t)number});
    if (lowering->makes_same) /* a thread's place: all of it is in the affine part */
        return lower_immediate(lowering, 0, type);
    lowering->lowered->specials |= 1u << number;
    return resize(lowering, (struct row){wide ? ROW_SPECIAL_8 : ROW_SPECIAL_4, (uint16_t)number}, type);
}

struct row lower_source(struct lowering *lowering, unsigned index, enum hx_type type, unsigned extra)
{
    const struct operand *operand = &lowering->instruction->operands[index];
    struct uniform uniform = {.width = width_of(type), .symbol = operand->symbol, .space = operand->space};
    switch ((enum operand_kind)operand->kind) {
    case OPERAND_REGISTER:
        return lower_register(lowering, operand->reg + extra, type);
    case OPERAND_PREDICATE:
        return lower_predicate(lowering, operand);
    case OPERAND_IMMEDIATE:
        return lower_immediate(lowering, operand->bits, type);
    case OPERAND_PARAMETER:
        return parameter(lowering, operand->symbol, type);
    case OPERAND_SPECIAL:
        return special(lowering, (enum special_register)operand->symbol, type);
    case OPERAND_ARRAY:
        uniform.kind = UNIFORM_ARRAY;
        return lower_uniform(lowering, uniform);
    default:
        return (struct row){ROW_NONE, 0};
    }
}

struct row lower_predicate(struct lowering *lowering, const struct operand *operand)
{
    struct row row = lower_member(lowering, REGISTER_COUNT + operand->reg, false);
    if (!operand->negated)
        return row;
    struct row negated = lower_temporary_like(lowering, ROW_PREDICATE, row);
    lower_emit(lowering,
               (struct micro_op){.semantic = SEM_pnot, .type = HX_TYPE_PRED, .d = negated, .a = row});
    return negated;
}

static struct row address_base(struct lowering *lowering, const struct operand *operand)
{
    struct uniform uniform = {.width = 8, .symbol = operand->symbol};
    switch ((enum address_base)operand->base_kind) {
    case BASE_REGISTER:
        return lower_register(lowering, operand->reg, HX_TYPE_U64);
    case BASE_PARAMETER:
        return parameter(lowering, operand->symbol, HX_TYPE_U64);
    case BASE_SHARED:
    case BASE_CONSTANT:
    case BASE_LOCAL:
        uniform.kind = UNIFORM_ARRAY;
        uniform.space = operand->base_kind == BASE_SHARED     ? SPACE_SHARED
                        : operand->base_kind == BASE_CONSTANT ? SPACE_CONSTANT
                                                              : SPACE_LOCAL;
        return lower_uniform(lowering, uniform);
    default:
        return lower_immediate(lowering, 0, HX_TYPE_U64);
    }
}

void lower_address(struct lowering *lowering, const struct operand *operand, struct micro_op *op)
{
    op->immediate = operand->offset;
    op->a = address_base(lowering, operand);
    op->source_type = HX_TYPE_NONE;
    if (converged_take_address(lowering, operand, op) || operand->index_kind == INDEX_NONE)
        return;
    struct row index = lower_member(lowering, operand->index_reg, false);
    enum hx_type type = operand->index_kind == INDEX_I32 ? HX_TYPE_I32 : HX_TYPE_U32;
    if (operand->index_kind == INDEX_64 && lower_has_8_bytes(index))
        type = HX_TYPE_U64; /* of 64 bits, or 32 that count as unsigned */
    index = resize(lowering, index, type);
    if (lower_is_same(op->a) && type != HX_TYPE_U64) {
        op->c = index;
        op->source_type = (uint8_t)type;
        op->scale_log2 = (uint8_t)__builtin_ctz(operand->scale);
        return;
    }
    struct row address = lower_is_same(op->a) ? lower_temporary_like(lowering, ROW_8, index)
                                              : lower_temporary(lowering, ROW_8);
    lower_emit(lowering, (struct micro_op){.semantic = SEM_address,
                                           .type = (uint8_t)type,
                                           .d = address,
                                           .a = op->a,
                                           .b = index,
                                           .immediate = operand->scale});
    op->a = address;
}

/* ---- Results ------------------------------------------------------------------------------------------- */

/* A conversion flushes f32 alone (PTX cvt.ftz), a choice only tests a number; other instructions flush
 * whatever float they work on. */
bool lower_flushes(const struct lowering *lowering, enum hx_type type)
{
    if (!lowering->instruction->modifiers[GROUP_FLUSH])
        return false;
    const enum semantic_shape shape = lowering->instruction->opcode->shape;
    return shape == SHAPE_CONVERT ? type == HX_TYPE_F32 : shape != SHAPE_CHOOSE && type_is_float(type);
}

struct result lower_result(struct lowering *lowering, unsigned index, enum hx_type type, unsigned extra)
{
    const struct operand *operand = &lowering->instruction->operands[index];
    const enum row_kind kind = row_kind_of(type);
    struct result result = {.type = type};
    if (operand->kind == OPERAND_SINK) {
        result.to = result.final = lower_temporary_beside(lowering, kind);
        return result;
    }
    const uint32_t number = operand->reg + extra;
    result.final =
        lower_member(lowering, operand->kind == OPERAND_PREDICATE ? REGISTER_COUNT + number : number, true);
    result.saturates = lowering->saturates;
    result.flushes = lower_flushes(lowering, type);
    result.widens = lower_has_8_bytes(result.final) && kind == ROW_4;
    result.to = result.saturates || result.flushes || result.widens
                    ? lower_temporary_like(lowering, kind, result.final)
                    : result.final;
    if (lowering->makes_same) {
        const struct web_plan *plan = lower_plan(lowering, lowering->at, number, true);
        result.affine_part = plan->affine_part;
        result.vector =
            plan->form & WEB_VECTOR ? (struct row){plan->kind, plan->row} : (struct row){ROW_NONE, 0};
    }
    return result;
}

void lower_finish(struct lowering *lowering, const struct result *result)
{
    struct micro_op steps[3];
    int count = 0;
    if (result->saturates)
        steps[count++] = (struct micro_op){.semantic = SEM_saturate, .type = (uint8_t)result->type};
    if (result->flushes)
        steps[count++] = (struct micro_op){.semantic = SEM_flush, .type = (uint8_t)result->type};
    if (result->widens)
        steps[count++] =
            (struct micro_op){.semantic = SEM_cvt, .type = HX_TYPE_U64, .source_type = HX_TYPE_U32};
    for (int i = 0; i < count; i++) {
        steps[i].a = result->to;
        steps[i].d = i + 1 == count ? result->final : result->to;
        lower_emit(lowering, steps[i]);
    }
    if (result->vector.kind == ROW_NONE)
        return;
    const bool wide = lower_has_8_bytes(result->vector);
    lower_emit(lowering, (struct micro_op){.semantic = wide ? SEM_address : SEM_add,
                                           .type = wide ? HX_TYPE_I32 : HX_TYPE_U32,
                                           .immediate = 1,
                                           .d = result->vector,
                                           .a = result->final,
                                           .b = {ROW_AFFINE, result->affine_part}});
}
