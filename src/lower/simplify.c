/* See simplify.h. Takes webs, leaves marks on them and on instructions.
 *
 * A web that one instruction writes, and that is never read before, is what that instruction makes wherever
 * it is read. If that is an immediate, a parameter or what is the same for a whole block, the readers take it
 * from where it is; and integers that are made of immediates are computed here. Then an instruction that does
 * nothing but write what nobody reads is dropped, and what only such instructions read is read by nobody. */
#include "lower/simplify.h"
#include "lower/constant.h"

struct simplifying {
    struct lowering *lowering;
    uint32_t *readers; /* of each web: references by instructions that are not dropped */
    uint32_t *writers; /* of each web: 1 + the instruction that writes it; MANY when there are several */
};
#define MANY UINT32_MAX

/* Rounds over the code; a longer chain of instructions that read what comes behind them is left alone. */
#define ROUNDS_MAX 16

static bool count_references(struct simplifying *simplifying)
{
    struct lowering *lowering = simplifying->lowering;
    const struct web_list *list = &lowering->webs;
    simplifying->readers = ARENA_ARRAY(&lowering->scratch, uint32_t, list->web_count);
    simplifying->writers = ARENA_ARRAY(&lowering->scratch, uint32_t, list->web_count);
    if (!simplifying->readers || !simplifying->writers)
        return false;
    for (uint32_t at = 0; at < lowering->kernel->code_count; at++)
        for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++) {
            const uint32_t web = list->references[i].web;
            if (!list->references[i].writes)
                simplifying->readers[web]++;
            else
                simplifying->writers[web] = simplifying->writers[web] ? MANY : at + 1;
        }
    return true;
}

static uint64_t narrowed(uint64_t bits, enum hx_type type)
{
    return type_bits(type) == 64 ? bits : bits & UINT32_MAX;
}

/* The operand of an instruction over `type`, if it is known. */
static bool find_known(const struct lowering *lowering, uint32_t at, const struct operand *operand,
                       enum hx_type type, struct uniform *ret_known)
{
    const uint8_t width = type_bits(type) == 64 ? 8 : 4;
    const struct web_plan *plan;
    switch ((enum operand_kind)operand->kind) {
    case OPERAND_IMMEDIATE:
        *ret_known = (struct uniform){
            .kind = UNIFORM_IMMEDIATE, .width = width, .bits = narrowed(operand->bits, type)};
        return true;
    case OPERAND_PARAMETER: /* a narrow one is extended as its type says */
        *ret_known = (struct uniform){.kind = UNIFORM_PARAMETER, .width = width, .symbol = operand->symbol};
        return operand->symbol >= lowering->program->param_count ||
               type_bits(lowering->program->params[operand->symbol].type) >= 32;
    case OPERAND_ARRAY:
        *ret_known = (struct uniform){
            .kind = UNIFORM_ARRAY, .width = width, .symbol = operand->symbol, .space = operand->space};
        return true;
    case OPERAND_SPECIAL:
        *ret_known = (struct uniform){.kind = UNIFORM_SPECIAL, .width = width, .symbol = operand->symbol};
        return !special_is_clock((enum special_register)operand->symbol) &&
               !lower_special_varies(lowering, (enum special_register)operand->symbol);
    case OPERAND_REGISTER: /* known bits fit any width; what else is known, its own */
        plan = lower_plan(lowering, at, operand->reg, false);
        if (!plan || !plan->is_known || (plan->known.kind != UNIFORM_IMMEDIATE && plan->known.width != width))
            return false;
        *ret_known = plan->known;
        ret_known->width = width;
        if (plan->known.kind == UNIFORM_IMMEDIATE)
            ret_known->bits = narrowed(plan->known.bits, type);
        return true;
    default:
        return false;
    }
}

/* What the instruction makes, if that is known. */
static bool find_result(const struct lowering *lowering, uint32_t at, struct uniform *ret_known)
{
    const struct instruction *instruction = &lowering->kernel->code[at];
    const struct isa_opcode *opcode = instruction->opcode;
    const int semantic = instruction_semantic(instruction);
    const enum hx_type type = (enum hx_type)instruction->type;
    uint64_t values[3] = {0};
    struct uniform known = {0};
    bool is_immediate = true;
    if (instruction->guard >= 0 || instruction_is_packed(instruction) || type_bits(type) < 32 ||
        opcode->shape > SHAPE_ADDRESS)
        return false;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct form *form = &opcode->forms[i];
        if (form->kind == FORM_DESTINATION)
            continue;
        const enum hx_type read = instruction_operand_type(instruction, i);
        if ((form->kind != FORM_SOURCE && form->kind != FORM_ANY_SOURCE) || form->letter < OPERAND_A ||
            form->letter > OPERAND_C || type_bits(read) < 32 ||
            !find_known(lowering, at, &instruction->operands[i], read, &known))
            return false;
        values[form->letter - OPERAND_A] = known.bits;
        is_immediate &= known.kind == UNIFORM_IMMEDIATE;
    }
    if (semantic == SEM_mov) {
        *ret_known = known;
        return true;
    }
    *ret_known = (struct uniform){.kind = UNIFORM_IMMEDIATE, .width = type_bits(type) == 64 ? 8 : 4};
    if (!is_immediate || !constant_compute(semantic, type, values, &ret_known->bits))
        return false;
    ret_known->bits = narrowed(ret_known->bits, type);
    return true;
}

static bool pass_known(struct simplifying *simplifying)
{
    struct lowering *lowering = simplifying->lowering;
    bool changed = false;
    for (uint32_t w = 0; w < lowering->webs.web_count; w++) {
        const struct web *web = &lowering->webs.webs[w];
        struct web_plan *plan = &lowering->plans[w];
        const uint32_t writer = simplifying->writers[w];
        if (plan->is_known || web->zeroed || web->kind == WEB_PREDICATE || writer == 0 || writer == MANY ||
            !find_result(lowering, writer - 1, &plan->known))
            continue;
        plan->is_known = true;
        changed = true;
    }
    return changed;
}

/* Is there nothing to it but its results? */
static bool has_no_effect(const struct instruction *instruction)
{
    return instruction->guard < 0 && instruction->opcode->shape <= SHAPE_ADDRESS;
}

/* The instruction reads its operands no more; of webs that are known nobody reads anything. */
static void drop(struct simplifying *simplifying, uint32_t at)
{
    struct lowering *lowering = simplifying->lowering;
    const struct web_list *list = &lowering->webs;
    lowering->drops[at] = true;
    for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++)
        if (!list->references[i].writes)
            simplifying->readers[list->references[i].web]--;
}

static bool pass_unread(struct simplifying *simplifying)
{
    struct lowering *lowering = simplifying->lowering;
    const struct web_list *list = &lowering->webs;
    bool changed = false;
    for (uint32_t at = lowering->kernel->code_count; at-- > 0;) {
        bool writes = false, is_read = false;
        for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++) {
            const uint32_t web = list->references[i].web;
            writes |= list->references[i].writes;
            is_read |=
                list->references[i].writes && simplifying->readers[web] > 0 && !lowering->plans[web].is_known;
        }
        if (lowering->drops[at] || !writes || is_read || !has_no_effect(&lowering->kernel->code[at]))
            continue;
        drop(simplifying, at);
        changed = true;
    }
    return changed;
}

/* A result that nobody reads has a row all the same if the instruction is done for another reason. */
static void mark_unread(struct simplifying *simplifying)
{
    struct lowering *lowering = simplifying->lowering;
    const struct web_list *list = &lowering->webs;
    for (uint32_t w = 0; w < list->web_count; w++)
        lowering->plans[w].is_unread = lowering->plans[w].is_known || simplifying->readers[w] == 0;
    for (uint32_t at = 0; at < lowering->kernel->code_count; at++)
        for (uint32_t i = list->first[at]; i < list->first[at + 1] && !lowering->drops[at]; i++)
            if (list->references[i].writes)
                lowering->plans[list->references[i].web].is_unread = false;
}

/* The predicate that is all the comparison makes; -1: there is more to it. */
static int compared_predicate(const struct instruction *instruction)
{
    const struct isa_opcode *opcode = instruction->opcode;
    int predicate = -1;
    if (opcode->shape != SHAPE_COMPARE || instruction->guard >= 0 || instruction_is_packed(instruction))
        return -1;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        const enum form_kind kind = opcode->forms[i].kind;
        if (kind == FORM_DESTINATION ||
            (kind == FORM_PREDICATE_SOURCE && operand->kind == OPERAND_PREDICATE) ||
            (kind == FORM_PREDICATE_DESTINATION && operand->kind == OPERAND_PREDICATE && predicate >= 0))
            return -1;
        if (kind == FORM_PREDICATE_DESTINATION && operand->kind == OPERAND_PREDICATE)
            predicate = operand->reg;
    }
    return predicate;
}

/* No path stops between the two: nothing jumps there, and the first one waits for nobody. */
static void find_deferred_compares(struct simplifying *simplifying)
{
    struct lowering *lowering = simplifying->lowering;
    const struct flow *flow = &lowering->verified->flow;
    for (uint32_t at = 0; at + 1 < lowering->kernel->code_count; at++) {
        const struct instruction *behind = &lowering->kernel->code[at + 1];
        const int predicate = compared_predicate(&lowering->kernel->code[at]);
        const int semantic = instruction_semantic(behind);
        if (predicate < 0 || behind->guard != predicate || (semantic != SEM_branch && semantic != SEM_exit) ||
            flow->node_of[at] != flow->node_of[at + 1])
            continue;
        const uint32_t web = web_of(&lowering->webs, at, REGISTER_COUNT + (uint32_t)predicate, true);
        lowering->deferred_compares[at] = simplifying->readers[web] == 1;
    }
}

void simplify_find(struct lowering *lowering)
{
    struct simplifying simplifying = {.lowering = lowering};
    if (!count_references(&simplifying)) {
        lowering->status = diag_no_memory(lowering->diag);
        return;
    }
    for (int round = 0; round < ROUNDS_MAX && pass_known(&simplifying); round++) {
    }
    for (int round = 0; round < ROUNDS_MAX && pass_unread(&simplifying); round++) {
    }
    mark_unread(&simplifying);
    find_deferred_compares(&simplifying);
}
