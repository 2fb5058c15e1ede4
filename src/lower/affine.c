/* Finds webs that are the same in all lanes of a converged gang, or affine in the thread's place.
 *
 * Takes webs, leaves their forms. A web's value is, from the best guess to the last resort: not known yet, a
 * pattern (pattern 0: the same in all lanes), varying. Values only move down that list, so going over the
 * code until nothing changes ends. Then, backwards, which affine webs are worth their same part (those that
 * addresses are made of) and which are needed as vectors (all other uses). */
#include "lower/affine.h"
#include "lower/sides.h"

#include <string.h>

#define VALUE_UNKNOWN (-1)
#define VALUE_SAME    0 /* 1 to LANE_SUMS_MAX: a pattern */
#define VALUE_VARIES  ((int)LANE_SUMS_MAX + 1)
/* Rounds over the code; a chain through many loops that needs more is left to vary. */
#define ROUNDS_MAX 32

struct analysis {
    struct lowering *lowering;
    int16_t *values;            /* of each web */
    bool *is_based, *is_vector; /* needed as the same part; as a vector */
};

static bool has_pattern(int value)
{
    return value > VALUE_SAME && value != VALUE_VARIES;
}

/* ---- Patterns ------------------------------------------------------------------------------------------ */

static int intern(struct analysis *analysis, struct lane_sum sum)
{
    struct lowering *lowering = analysis->lowering;
    if (sum.x == 0 && sum.y == 0 && sum.z == 0)
        return VALUE_SAME;
    for (size_t i = 0; i < lowering->patterns.count; i++) {
        const struct lane_sum *known = &lowering->patterns.items[i];
        if (known->x == sum.x && known->y == sum.y && known->z == sum.z)
            return (int)i + 1;
    }
    if (lowering->patterns.count == LANE_SUMS_MAX)
        return VALUE_VARIES;
    if (!LIST_PUSH(lowering->allocator, &lowering->patterns, sum)) {
        lowering->status = diag_no_memory(lowering->diag);
        return VALUE_VARIES;
    }
    return (int)lowering->patterns.count;
}

static struct lane_sum sum_of(const struct analysis *analysis, int value)
{
    return has_pattern(value) ? analysis->lowering->patterns.items[value - 1] : (struct lane_sum){0, 0, 0};
}

/* a * by + b, in each lane. */
static int combine(struct analysis *analysis, int a, uint32_t by, int b)
{
    const struct lane_sum one = sum_of(analysis, a), two = sum_of(analysis, b);
    return intern(analysis, (struct lane_sum){one.x * by + two.x, one.y * by + two.y, one.z * by + two.z});
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

static int value_of(const struct analysis *analysis, const struct web *web)
{
    return web ? analysis->values[web - analysis->lowering->webs.webs] : VALUE_VARIES;
}

static int special_value(struct analysis *analysis, enum special_register special)
{
    if (special >= SPECIAL_TID_X && special <= SPECIAL_TID_Z)
        return intern(analysis, (struct lane_sum){special == SPECIAL_TID_X, special == SPECIAL_TID_Y,
                                                  special == SPECIAL_TID_Z});
    const bool is_clock =
        special == SPECIAL_CLOCK || special == SPECIAL_CLOCK64 || special == SPECIAL_GLOBALTIMER;
    return is_clock || verify_special_varies(special) ? VALUE_VARIES : VALUE_SAME;
}

static int operand_value(struct analysis *analysis, uint32_t at, const struct operand *operand)
{
    if (operand->kind == OPERAND_SPECIAL)
        return special_value(analysis, (enum special_register)operand->symbol);
    if (operand->kind != OPERAND_REGISTER)
        return VALUE_SAME;
    return value_of(analysis, web_of(&analysis->lowering->webs, at, operand->reg, false));
}

static const struct operand *operand_of_letter(const struct instruction *instruction,
                                               enum semantic_operand letter)
{
    const struct isa_opcode *opcode = instruction->opcode;
    for (unsigned i = 0; i < opcode->form_count; i++)
        if (opcode->forms[i].letter == letter &&
            (opcode->forms[i].kind == FORM_SOURCE || opcode->forms[i].kind == FORM_ANY_SOURCE))
            return &instruction->operands[i];
    return NULL;
}

/* ---- Forward: values ----------------------------------------------------------------------------------- */

bool affine_is_linear(const struct instruction *instruction)
{
    const int semantic = instruction_semantic(instruction);
    const bool is_word = instruction->type == HX_TYPE_U32 || instruction->type == HX_TYPE_I32;
    return is_word && instruction->guard < 0 &&
           (semantic == SEM_mov || semantic == SEM_add || semantic == SEM_sub || semantic == SEM_mul ||
            semantic == SEM_shl || semantic == SEM_mad);
}

static int multiply(struct analysis *analysis, const struct operand *a, const struct operand *b, int value_a,
                    int value_b, int added)
{
    if (value_a == VALUE_SAME && value_b == VALUE_SAME)
        return added;
    if (b->kind == OPERAND_IMMEDIATE)
        return combine(analysis, value_a, (uint32_t)b->bits, added);
    if (a->kind == OPERAND_IMMEDIATE)
        return combine(analysis, value_b, (uint32_t)a->bits, added);
    return VALUE_VARIES;
}

static int linear_value(struct analysis *analysis, uint32_t at)
{
    const struct instruction *instruction = &analysis->lowering->kernel->code[at];
    const struct operand *operands[3];
    int values[3] = {VALUE_SAME, VALUE_SAME, VALUE_SAME};
    bool is_unknown = false;
    for (int i = 0; i < 3; i++) {
        operands[i] = operand_of_letter(instruction, (enum semantic_operand)(OPERAND_A + i));
        if (!operands[i])
            continue;
        values[i] = operand_value(analysis, at, operands[i]);
        is_unknown |= values[i] == VALUE_UNKNOWN;
        if (values[i] == VALUE_VARIES)
            return VALUE_VARIES;
    }
    if (is_unknown)
        return VALUE_UNKNOWN;
    switch (instruction_semantic(instruction)) {
    case SEM_mov:
        return values[0];
    case SEM_add:
        return combine(analysis, values[0], 1, values[1]);
    case SEM_sub:
        return combine(analysis, values[1], UINT32_MAX, values[0]);
    case SEM_shl:
        if (values[0] == VALUE_SAME && values[1] == VALUE_SAME)
            return VALUE_SAME;
        if (operands[1]->kind != OPERAND_IMMEDIATE || operands[1]->bits > 31)
            return VALUE_VARIES;
        return combine(analysis, values[0], 1u << operands[1]->bits, VALUE_SAME);
    default:
        return multiply(analysis, operands[0], operands[1], values[0], values[1], values[2]);
    }
}

/* What everything that the instruction reads comes to: the same in all lanes, or not. */
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

/* Memory in which one address means one place for all threads of a block. */
static bool is_common_space(enum hx_space space)
{
    return space == SPACE_GLOBAL || space == SPACE_SHARED || space == SPACE_CONSTANT;
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
                             (shape == SHAPE_LOAD && is_common_space(instruction->opcode->space)) ||
                             instruction_semantic(instruction) == SEM_loop;
    return is_function ? read_value(analysis, at) : VALUE_VARIES;
}

static int join(int a, int b)
{
    return a == VALUE_UNKNOWN || a == b ? b : b == VALUE_UNKNOWN ? a : VALUE_VARIES;
}

/* Lanes on the other side of a branch keep what they have, if anybody asks for it where the sides join. */
static bool is_kept_by_others(const struct analysis *analysis, uint32_t at, uint32_t member)
{
    const struct lowering *lowering = analysis->lowering;
    const struct side *side = &lowering->sides[at];
    if (!sides_contain(lowering, at))
        return false;
    const int8_t guard = lowering->kernel->code[side->branch].guard;
    const struct web *decides =
        web_of(&lowering->webs, side->branch, REGISTER_COUNT + (uint32_t)guard, false);
    if (value_of(analysis, decides) != VALUE_VARIES)
        return false;
    const uint32_t join = lowering->verified->flow.node_of[side->join];
    /* rows of one value are given as if the second side did not come behind the first */
    return side->role == SIDE_FIRST || flow_set_has(&lowering->webs.live_before[join], member);
}

/* Results of one instruction are all kept once, or none is. */
static bool pass_forward(struct analysis *analysis, uint32_t at)
{
    const struct web_list *list = &analysis->lowering->webs;
    const uint32_t first = list->first[at], end = list->first[at + 1];
    int value = VALUE_UNKNOWN;
    bool changed = false, is_seen = false;
    for (uint32_t i = first; i < end; i++) {
        if (!list->references[i].writes)
            continue;
        const uint32_t web = list->references[i].web;
        value = join(is_seen ? value : result_value(analysis, at), analysis->values[web]);
        is_seen = true;
        if ((has_pattern(value) && list->webs[web].kind != ROW_4) ||
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

bool affine_fits_access(const struct lowering *lowering, uint32_t at, const struct web *index,
                        const struct web *base)
{
    const struct instruction *instruction = &lowering->kernel->code[at];
    const enum semantic_shape shape = instruction->opcode->shape;
    return (shape == SHAPE_LOAD || shape == SHAPE_STORE) && instruction->guard < 0 &&
           !sides_contain(lowering, at) && is_common_space(instruction->opcode->space) &&
           index->kind == ROW_4 && index->pattern != 0 && (index->form & WEB_SAME) &&
           (!base || (base->form == WEB_SAME && base->pattern == 0));
}

static const struct operand *address_of(const struct instruction *instruction)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++)
        if (instruction->opcode->forms[i].kind == FORM_ADDRESS)
            return &instruction->operands[i];
    return NULL;
}

/* The web of the access's index if its same part would do; NULL: it would not. */
static const struct web *based_index(struct analysis *analysis, uint32_t at)
{
    const struct lowering *lowering = analysis->lowering;
    const struct operand *address = address_of(&lowering->kernel->code[at]);
    if (!address || address->index_kind == INDEX_NONE)
        return NULL;
    const struct web *index = web_of(&lowering->webs, at, address->index_reg, false);
    const struct web *base =
        address->base_kind == BASE_REGISTER ? web_of(&lowering->webs, at, address->reg, false) : NULL;
    if (!index || !has_pattern(value_of(analysis, index)))
        return NULL;
    struct web as_based = *index;
    as_based.form = WEB_SAME;
    as_based.pattern = 1;
    const bool fits = affine_fits_access(lowering, at, &as_based, NULL) &&
                      (!base || value_of(analysis, base) == VALUE_SAME);
    return fits ? index : NULL;
}

/* The web that a linear instruction writes, if it is affine. */
static uint32_t linear_result(const struct analysis *analysis, uint32_t at)
{
    const struct web_list *list = &analysis->lowering->webs;
    if (affine_is_linear(&analysis->lowering->kernel->code[at]))
        for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++)
            if (list->references[i].writes && has_pattern(analysis->values[list->references[i].web]))
                return list->references[i].web;
    return UINT32_MAX;
}

static bool pass_backward(struct analysis *analysis, uint32_t at)
{
    const struct web_list *list = &analysis->lowering->webs;
    const struct web *index = based_index(analysis, at);
    bool changed = false;
    if (index) {
        bool *is_based = &analysis->is_based[index - list->webs];
        changed = !*is_based;
        *is_based = true;
    }
    const uint32_t result = linear_result(analysis, at);
    if (result == UINT32_MAX || !analysis->is_based[result])
        return changed;
    for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++) {
        const uint32_t web = list->references[i].web;
        if (list->references[i].writes || !has_pattern(analysis->values[web]))
            continue;
        changed |= !analysis->is_based[web];
        analysis->is_based[web] = true;
    }
    return changed;
}

/* Is a register of the instruction read other than as its address's index? */
static bool is_read_elsewhere(const struct instruction *instruction, uint32_t member)
{
    const unsigned registers = instruction_vector(instruction);
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        const enum form_kind kind = instruction->opcode->forms[i].kind;
        if (kind == FORM_ADDRESS && operand->base_kind == BASE_REGISTER && operand->reg == member)
            return true;
        if (kind == FORM_SOURCE && operand->kind == OPERAND_REGISTER && member >= operand->reg &&
            member < operand->reg + registers)
            return true;
    }
    return false;
}

static void find_vectors(struct analysis *analysis, uint32_t at)
{
    const struct web_list *list = &analysis->lowering->webs;
    const struct instruction *instruction = &analysis->lowering->kernel->code[at];
    const uint32_t result = linear_result(analysis, at);
    if (result != UINT32_MAX && analysis->is_based[result])
        return;
    const struct web *index = based_index(analysis, at);
    for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++) {
        const struct web_reference *reference = &list->references[i];
        const bool is_index = index && index == &list->webs[reference->web] &&
                              !is_read_elsewhere(instruction, reference->member);
        if (!reference->writes && !is_index)
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
        struct web *web = &lowering->webs.webs[w];
        const int value = analysis->values[w];
        web->form = WEB_VECTOR;
        if (value == VALUE_SAME)
            web->form = WEB_SAME;
        else if (has_pattern(value) && analysis->is_based[w])
            web->form = (uint8_t)(WEB_SAME | (analysis->is_vector[w] ? WEB_VECTOR : 0));
        if (has_pattern(value) && (web->form & WEB_SAME))
            web->pattern = (uint8_t)value;
        lowering->has_same |= (web->form & WEB_SAME) != 0;
    }
}

void affine_analyse(struct lowering *lowering)
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
    sides_drop_uniform(lowering);
}
