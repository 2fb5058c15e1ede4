/* Finds webs that are the same in all lanes of a converged gang, or affine in the thread's place.
 *
 * Takes webs, leaves their forms. A web's value is, from the best guess to the last resort: not known yet, an
 * affine part (0: the same in all lanes), varying. Values only move down that list, so going over
 * the code until nothing changes ends. Then, backwards, which affine webs are worth their same part (those
 * that addresses are made of) and which are needed as vectors (all other uses). */
#include "lower/converged/inner.h"

#include <string.h>

#define VALUE_UNKNOWN (-1)
#define VALUE_SAME    0 /* 1 to LANE_SUMS_MAX: an affine part */
#define VALUE_VARIES  ((int)LANE_SUMS_MAX + 1)
/* Rounds over the code; a chain through many loops that needs more is left to vary. */
#define ROUNDS_MAX 32

struct analysis {
    struct lowering *lowering;
    int16_t *values;            /* of each web */
    bool *is_based, *is_vector; /* needed as the same part; as a vector */
};

static bool is_affine(int value)
{
    return value > VALUE_SAME && value != VALUE_VARIES;
}

/* ---- Affine parts -------------------------------------------------------------------------------------- */

unsigned affine_intern(struct lowering *lowering, struct lane_sum sum)
{
    if (sum.count == 0)
        return VALUE_SAME;
    for (size_t i = 0; i < lowering->affine_parts.count; i++)
        if (lane_sum_is_equal(&sum, &lowering->affine_parts.items[i]))
            return (unsigned)i + 1;
    if (lowering->affine_parts.count == LANE_SUMS_MAX)
        return VALUE_VARIES;
    if (!LIST_PUSH(lowering->allocator, &lowering->affine_parts, sum)) {
        lowering->status = diag_no_memory(lowering->diag);
        return VALUE_VARIES;
    }
    return (unsigned)lowering->affine_parts.count;
}

static struct lane_sum sum_of(const struct analysis *analysis, int value)
{
    return is_affine(value) ? analysis->lowering->affine_parts.items[value - 1] : (struct lane_sum){0};
}

static int intern(const struct analysis *analysis, struct lane_sum sum)
{
    return (int)affine_intern(analysis->lowering, sum);
}

/* a * by + b, in each lane. */
static int combine(struct analysis *analysis, int a, uint64_t by, int b, bool is_wide)
{
    const struct lane_sum one = sum_of(analysis, a), two = sum_of(analysis, b);
    struct lane_sum sum;
    return lane_sum_combine(&one, by, &two, is_wide, &sum) ? intern(analysis, sum) : VALUE_VARIES;
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

static int value_of(const struct analysis *analysis, const struct web_plan *plan)
{
    return plan ? analysis->values[plan - analysis->lowering->plans] : VALUE_VARIES;
}

static int special_value(struct analysis *analysis, enum special_register special)
{
    struct lowering *lowering = analysis->lowering;
    if (special >= SPECIAL_TID_X && special <= SPECIAL_TID_Z)
        return intern(analysis, lane_sum_of((enum lane_basis)(LANE_TID_X + (special - SPECIAL_TID_X))));
    if (special == SPECIAL_GTID)
        return intern(analysis, lane_sum_of(LANE_THREAD));
    if (special == SPECIAL_CTAID_X && lowering->lowered->packs_blocks)
        return intern(analysis, lane_sum_of(LANE_BLOCK));
    return special_is_clock(special) || lower_special_varies(lowering, special) ? VALUE_VARIES : VALUE_SAME;
}

static int operand_value(struct analysis *analysis, uint32_t at, const struct operand *operand)
{
    if (operand->kind == OPERAND_SPECIAL)
        return special_value(analysis, (enum special_register)operand->symbol);
    if (operand->kind != OPERAND_REGISTER)
        return VALUE_SAME;
    return value_of(analysis, lower_plan(analysis->lowering, at, operand->reg, false));
}

/* ---- Forward: values ----------------------------------------------------------------------------------- */

/* Is the operand a number that is known here? */
static bool is_number(const struct analysis *analysis, uint32_t at, const struct operand *operand,
                      uint64_t *ret_bits)
{
    const struct web_plan *plan =
        operand->kind == OPERAND_REGISTER ? lower_plan(analysis->lowering, at, operand->reg, false) : NULL;
    const bool is_known = plan && plan->is_known && plan->known.kind == UNIFORM_IMMEDIATE;
    *ret_bits = is_known ? plan->known.bits : operand->bits;
    return is_known || operand->kind == OPERAND_IMMEDIATE;
}

static bool is_size(uint16_t special)
{
    return (special >= SPECIAL_NTID_X && special <= SPECIAL_NTID_Z) ||
           (special >= SPECIAL_NCTAID_X && special <= SPECIAL_NCTAID_Z);
}

/* Is the operand an integer that is the same for all threads of a launch? */
static bool find_factor(const struct analysis *analysis, uint32_t at, const struct operand *operand,
                        struct uniform *ret_factor)
{
    const struct lowering *lowering = analysis->lowering;
    const struct web_plan *plan =
        operand->kind == OPERAND_REGISTER ? lower_plan(lowering, at, operand->reg, false) : NULL;
    *ret_factor = (struct uniform){.width = 4, .symbol = operand->symbol};
    if (operand->kind == OPERAND_SPECIAL)
        ret_factor->kind = UNIFORM_SPECIAL;
    else if (operand->kind == OPERAND_PARAMETER)
        ret_factor->kind = UNIFORM_PARAMETER;
    else if (plan && plan->is_known && plan->known.width == 4 && plan->known.bits == 0)
        *ret_factor = plan->known;
    if (ret_factor->kind == UNIFORM_SPECIAL)
        return is_size(ret_factor->symbol);
    const hx_program *program = lowering->program;
    return ret_factor->kind == UNIFORM_PARAMETER && ret_factor->symbol < program->param_count &&
           !type_is_float(program->params[ret_factor->symbol].type) &&
           type_bits(program->params[ret_factor->symbol].type) == 32;
}

#define FACTORS_MAX 255u

/* 1 + the factor's index; 0: there are too many. */
static uint8_t intern_factor(struct lowering *lowering, struct uniform factor)
{
    for (size_t i = 0; i < lowering->factors.count; i++)
        if (lowering->factors.items[i].kind == factor.kind &&
            lowering->factors.items[i].symbol == factor.symbol)
            return (uint8_t)(i + 1);
    if (lowering->factors.count == FACTORS_MAX)
        return 0;
    if (!LIST_PUSH(lowering->allocator, &lowering->factors, factor)) {
        lowering->status = diag_no_memory(lowering->diag);
        return 0;
    }
    return (uint8_t)lowering->factors.count;
}

/* a * operand + b */
static int multiply_by(struct analysis *analysis, uint32_t at, int a, const struct operand *operand, int b,
                       bool is_wide)
{
    uint64_t by;
    struct uniform factor;
    if (is_number(analysis, at, operand, &by))
        return combine(analysis, a, by, b, is_wide);
    if (!is_affine(a) || !find_factor(analysis, at, operand, &factor))
        return VALUE_VARIES;
    const uint8_t number = intern_factor(analysis->lowering, factor);
    const bool is_small = factor.kind == UNIFORM_SPECIAL && factor.symbol == SPECIAL_NTID_X;
    const struct lane_sum one = sum_of(analysis, a), two = sum_of(analysis, b);
    struct lane_sum sum;
    if (!number || !lane_sum_multiply(&one, number, is_small, is_wide, &sum) ||
        !lane_sum_combine(&sum, 1, &two, is_wide, &sum))
        return VALUE_VARIES;
    return intern(analysis, sum);
}

static int multiply(struct analysis *analysis, uint32_t at, const struct operand *const *operands,
                    const int *values, bool is_wide)
{
    if (values[0] == VALUE_SAME && values[1] == VALUE_SAME)
        return values[2];
    if (values[1] == VALUE_SAME)
        return multiply_by(analysis, at, values[0], operands[1], values[2], is_wide);
    if (values[0] == VALUE_SAME)
        return multiply_by(analysis, at, values[1], operands[0], values[2], is_wide);
    return VALUE_VARIES;
}

/* An affine part holds for a value of its own width: 32 bits that are read as 64 may have wrapped. */
static bool is_resized(const struct analysis *analysis, uint32_t at, const struct operand *operand,
                       bool is_wide)
{
    return operand->kind == OPERAND_REGISTER &&
           (lower_plan(analysis->lowering, at, operand->reg, false)->kind == ROW_8) != is_wide;
}

static int linear_value(struct analysis *analysis, uint32_t at)
{
    const struct instruction *instruction = &analysis->lowering->kernel->code[at];
    const struct operand *operands[3];
    int values[3] = {VALUE_SAME, VALUE_SAME, VALUE_SAME};
    const bool is_wide = type_bits((enum hx_type)instruction->type) == 64;
    bool is_unknown = false;
    uint64_t by;
    for (int i = 0; i < 3; i++) {
        operands[i] = affine_operand(instruction, (enum semantic_operand)(OPERAND_A + i));
        if (!operands[i])
            continue;
        values[i] = operand_value(analysis, at, operands[i]);
        is_unknown |= values[i] == VALUE_UNKNOWN;
        if (values[i] == VALUE_VARIES ||
            (is_affine(values[i]) && is_resized(analysis, at, operands[i], is_wide)))
            return VALUE_VARIES;
    }
    if (is_unknown)
        return VALUE_UNKNOWN;
    switch (instruction_semantic(instruction)) {
    case SEM_mov:
        return values[0];
    case SEM_add:
        return combine(analysis, values[0], 1, values[1], is_wide);
    case SEM_sub:
        return combine(analysis, values[1], UINT64_MAX, values[0], is_wide);
    case SEM_shl:
        if (values[0] == VALUE_SAME && values[1] == VALUE_SAME)
            return VALUE_SAME;
        if (!is_number(analysis, at, operands[1], &by) || by > 31)
            return VALUE_VARIES;
        return combine(analysis, values[0], UINT64_C(1) << by, VALUE_SAME, is_wide);
    default:
        return multiply(analysis, at, operands, values, is_wide);
    }
}

/* Is all that the instruction reads the same in all lanes? */
static int read_value(struct analysis *analysis, uint32_t at)
{
    const struct web_list *list = &analysis->lowering->webs;
    const struct instruction *instruction = &analysis->lowering->kernel->code[at];
    int value = VALUE_SAME;
    for (unsigned i = 0; i < instruction->opcode->form_count; i++)
        if (instruction->operands[i].kind == OPERAND_SPECIAL &&
            operand_value(analysis, at, &instruction->operands[i]) != VALUE_SAME)
            return VALUE_VARIES;
    for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++) {
        if (list->references[i].writes)
            continue;
        const int read = analysis->values[list->references[i].web];
        if (read > VALUE_SAME)
            return VALUE_VARIES;
        value = read == VALUE_UNKNOWN ? VALUE_UNKNOWN : value;
    }
    return value;
}

static int result_value(struct analysis *analysis, uint32_t at)
{
    const struct instruction *instruction = &analysis->lowering->kernel->code[at];
    const enum semantic_shape shape = instruction->opcode->shape;
    if (instruction->guard >= 0) /* other lanes keep what they have */
        return VALUE_VARIES;
    if (affine_is_linear(instruction))
        return linear_value(analysis, at);
    const bool is_function = shape <= SHAPE_ADDRESS ||
                             (shape == SHAPE_LOAD && space_is_common(instruction->opcode->space)) ||
                             instruction_semantic(instruction) == SEM_loop;
    return is_function ? read_value(analysis, at) : VALUE_VARIES;
}

static int merge(int a, int b)
{
    return a == VALUE_UNKNOWN || a == b ? b : b == VALUE_UNKNOWN ? a : VALUE_VARIES;
}

/* Do lanes of the other arm keep the register as it was, and is it read behind the arms? */
static bool is_kept_by_others(const struct analysis *analysis, uint32_t at, uint32_t member)
{
    const struct lowering *lowering = analysis->lowering;
    const struct arm *arm = &lowering->arms[at];
    if (!converged_in_arm(lowering, at))
        return false;
    const int8_t guard = lowering->kernel->code[arm->branch].guard;
    const struct web_plan *decides =
        lower_plan(lowering, arm->branch, REGISTER_COUNT + (uint32_t)guard, false);
    if (value_of(analysis, decides) != VALUE_VARIES)
        return false;
    const uint32_t behind = lowering->verified->flow.node_of[arm->end];
    return flow_set_has(&lowering->webs.live_before[behind], member);
}

/* Results of one instruction are all kept once, or none is. */
static bool pass_forward(struct analysis *analysis, uint32_t at)
{
    const struct web_list *list = &analysis->lowering->webs;
    const uint32_t first = list->first[at], end = list->first[at + 1];
    const bool is_wide = type_bits((enum hx_type)analysis->lowering->kernel->code[at].type) == 64;
    int value = VALUE_UNKNOWN;
    bool changed = false, is_seen = false;
    for (uint32_t i = first; i < end; i++) {
        if (!list->references[i].writes)
            continue;
        const uint32_t web = list->references[i].web;
        value = merge(is_seen ? value : result_value(analysis, at), analysis->values[web]);
        is_seen = true;
        if ((is_affine(value) && (list->webs[web].kind == WEB_8_BYTES) != is_wide) ||
            is_kept_by_others(analysis, at, list->references[i].member))
            value = VALUE_VARIES;
    }
    for (uint32_t i = first; i < end && value != VALUE_UNKNOWN; i++) {
        if (!list->references[i].writes)
            continue;
        int16_t *known = &analysis->values[list->references[i].web];
        changed |= *known != value;
        *known = (int16_t)value;
    }
    return changed;
}

/* ---- Backward: what is needed -------------------------------------------------------------------------- */

/* How the instruction takes a same part, if it takes one: kind AFFINE_NONE otherwise. */
static struct affine_use based_use(struct analysis *analysis, uint32_t at)
{
    const struct affine_use use = affine_use_of(analysis->lowering, at);
    const bool fits = !analysis->lowering->drops[at] && use.kind != AFFINE_NONE &&
                      is_affine(value_of(analysis, use.plan)) &&
                      (!use.with || value_of(analysis, use.with) == VALUE_SAME);
    return fits ? use : (struct affine_use){0};
}

/* The web that a linear instruction writes, if it is affine. */
static uint32_t linear_result(const struct analysis *analysis, uint32_t at)
{
    const struct web_list *list = &analysis->lowering->webs;
    if (affine_is_linear(&analysis->lowering->kernel->code[at]))
        for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++)
            if (list->references[i].writes && is_affine(analysis->values[list->references[i].web]))
                return list->references[i].web;
    return UINT32_MAX;
}

static bool pass_backward(struct analysis *analysis, uint32_t at)
{
    const struct web_list *list = &analysis->lowering->webs;
    const struct affine_use use = based_use(analysis, at);
    bool changed = false;
    if (use.kind != AFFINE_NONE) {
        bool *is_based = &analysis->is_based[use.plan - analysis->lowering->plans];
        changed = !*is_based;
        *is_based = true;
    }
    const uint32_t result = linear_result(analysis, at);
    if (result == UINT32_MAX || !analysis->is_based[result])
        return changed;
    for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++) {
        const uint32_t web = list->references[i].web;
        if (list->references[i].writes || !is_affine(analysis->values[web]))
            continue;
        changed |= !analysis->is_based[web];
        analysis->is_based[web] = true;
    }
    return changed;
}

/* Is the register that is taken by its same part read in another place, too? */
static bool is_read_again(const struct instruction *instruction, const struct affine_use *use)
{
    unsigned reads = 0;
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        const enum form_kind kind = instruction->opcode->forms[i].kind;
        if (kind == FORM_ADDRESS)
            reads += (operand->base_kind == BASE_REGISTER && operand->reg == use->member) +
                     (operand->index_kind != INDEX_NONE && operand->index_reg == use->member);
        if (kind == FORM_SOURCE && operand->kind == OPERAND_REGISTER)
            reads += use->member >= operand->reg &&
                     use->member < operand->reg + instruction_registers(instruction, i);
    }
    return reads > 1;
}

static void find_vectors(struct analysis *analysis, uint32_t at)
{
    const struct web_list *list = &analysis->lowering->webs;
    const struct instruction *instruction = &analysis->lowering->kernel->code[at];
    const uint32_t result = linear_result(analysis, at);
    if (analysis->lowering->drops[at] || (result != UINT32_MAX && analysis->is_based[result]))
        return;
    const struct affine_use use = based_use(analysis, at);
    const bool is_alone = use.kind != AFFINE_NONE && !is_read_again(instruction, &use);
    for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++) {
        const struct web_reference *reference = &list->references[i];
        if (!reference->writes && !(is_alone && &analysis->lowering->plans[reference->web] == use.plan))
            analysis->is_vector[reference->web] = true;
    }
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

static bool repeat(struct analysis *analysis, bool (*pass)(struct analysis *, uint32_t), bool is_backward)
{
    const uint32_t count = analysis->lowering->kernel->code_count;
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS_MAX; round++) {
        changed = false;
        for (uint32_t i = 0; i < count; i++)
            changed |= pass(analysis, is_backward ? count - 1 - i : i);
    }
    return !changed;
}

static void set_forms(struct analysis *analysis)
{
    struct lowering *lowering = analysis->lowering;
    for (uint32_t w = 0; w < lowering->webs.web_count; w++) {
        struct web_plan *plan = &lowering->plans[w];
        const int value = analysis->values[w];
        plan->form = WEB_VECTOR;
        if (value == VALUE_SAME)
            plan->form = WEB_SAME;
        else if (is_affine(value) && analysis->is_based[w])
            plan->form = (uint8_t)(WEB_SAME | (analysis->is_vector[w] ? WEB_VECTOR : 0));
        if (is_affine(value) && (plan->form & WEB_SAME))
            plan->affine_part = (uint8_t)value;
        lowering->has_same |= (plan->form & WEB_SAME) != 0;
    }
}

static void affine_analyse(struct lowering *lowering)
{
    const size_t count = lowering->webs.web_count;
    struct analysis analysis = {.lowering = lowering,
                                .values = ARENA_ARRAY(&lowering->scratch, int16_t, count),
                                .is_based = ARENA_ARRAY(&lowering->scratch, bool, count),
                                .is_vector = ARENA_ARRAY(&lowering->scratch, bool, count)};
    if (!analysis.values || !analysis.is_based || !analysis.is_vector) {
        lowering->status = diag_no_memory(lowering->diag);
        return;
    }
    for (size_t w = 0; w < count; w++)
        analysis.values[w] = lowering->webs.webs[w].zeroed ? VALUE_VARIES : VALUE_UNKNOWN;
    const bool is_known = repeat(&analysis, pass_forward, false) && repeat(&analysis, pass_backward, true);
    for (size_t w = 0; w < count && !is_known; w++)
        analysis.values[w] = VALUE_VARIES;
    for (uint32_t i = 0; i < lowering->kernel->code_count; i++)
        find_vectors(&analysis, i);
    set_forms(&analysis);
}

void converged_analyse(struct lowering *lowering)
{
    arms_find(lowering);
    if (lowering->status == HX_OK)
        affine_analyse(lowering);
    if (lowering->status == HX_OK)
        arms_drop_uniform(lowering);
}
