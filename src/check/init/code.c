/* What each micro-op does to the shadow.
 *
 * Takes the plain code of a kernel, leaves for each micro-op its class, and its rows numbered through: those
 * of 4 bytes, of 8, of predicates, then a row that is always defined, for uniform values and operands that
 * are not there, and a row for results that nobody wants. */
#include "check/init/init.h"

#include "check/notes.h"
#include "verify/flow.h"

static uint16_t row_number(const struct lowered_kernel *lowered, struct row row, bool is_written)
{
    const uint32_t four = lowered->rows_4, eight = four + lowered->rows_8;
    const uint32_t defined = eight + lowered->rows_predicate;
    switch (row.kind) {
    case ROW_4:
        return row.index;
    case ROW_8:
        return (uint16_t)(four + row.index);
    case ROW_PREDICATE:
        return (uint16_t)(eight + row.index);
    default:
        return (uint16_t)(is_written ? defined + 1 : defined);
    }
}

static enum init_class flow_class(int semantic)
{
    switch (semantic) {
    case SEM_trap:
    case SEM_nop:
    case SEM_note:
    case SEM_fence:
    case SEM_yield:
        return INIT_NOTHING;
    default:
        return INIT_FLOW;
    }
}

static enum init_class class_of(const struct micro_op *op)
{
    if (op->semantic == MICRO_GUARD_BEGIN)
        return INIT_GUARD;
    if (op->semantic == MICRO_WARP_WAIT || op->semantic == MICRO_COLLECTIVE)
        return INIT_FLOW;
    if (op->semantic < 0 || op->semantic >= SEMANTIC_COUNT)
        return INIT_NOTHING;
    if (init_has_rule(op->semantic))
        return INIT_RULED;
    switch (semantic_at(op->semantic)->shape) {
    case SHAPE_FLOW:
        return flow_class(op->semantic);
    case SHAPE_LOAD:
        return INIT_LOAD;
    case SHAPE_STORE:
        return INIT_STORE;
    case SHAPE_ATOMIC:
    case SHAPE_CAS:
        return INIT_ATOMIC;
    case SHAPE_SHUFFLE:
        return INIT_SHUFFLE;
    case SHAPE_VOTE:
    case SHAPE_BALLOT:
    case SHAPE_MATCH:
    case SHAPE_MATCH_ALL:
    case SHAPE_REDUX:
        return INIT_MEMBERS;
    case SHAPE_MATRIX:
        return INIT_MATRIX;
    case SHAPE_REDUCE:
    case SHAPE_SCAN:
    case SHAPE_SCAN_BEFORE:
        return INIT_COLLECTIVE;
    case SHAPE_PRINT_BLOCK:
        return INIT_ARGUMENTS;
    case SHAPE_PRINT:
    case SHAPE_CHECK:
    case SHAPE_STACK_RESTORE:
        return INIT_WORDS;
    case SHAPE_STACK_TAKE:
        return INIT_STACK;
    default:
        return INIT_DEFINED;
    }
}

/* Does the code there go on to notes of the compiler's checks, without a choice? */
static bool leads_to_note(const struct kernel *kernel, uint32_t at)
{
    enum { STEPS = 16 };
    for (int i = 0; i < STEPS && at < kernel->code_count; i++) {
        const struct instruction *const instruction = &kernel->code[at];
        if (instruction_semantic(instruction) == SEM_note)
            return note_is(instruction, NOTE_INDEX) || note_is(instruction, NOTE_POINTER) ||
                   note_is(instruction, NOTE_TYPE);
        const int flow = verify_flow_semantic(instruction);
        if (instruction->guard >= 0 || (flow != SEMANTIC_NONE && flow != SEM_branch))
            return false;
        at = flow == SEM_branch ? verify_flow_target(kernel, instruction) : at + 1;
    }
    return false;
}

/* A branch that the compiler put there for the checker `memory`: it is no decision of the program's. */
static bool is_of_compiler(const struct kernel *kernel, uint32_t at)
{
    const struct instruction *const branch = at < kernel->code_count ? &kernel->code[at] : NULL;
    return branch && instruction_semantic(branch) == SEM_branch && branch->guard >= 0 &&
           (leads_to_note(kernel, at + 1) || leads_to_note(kernel, verify_flow_target(kernel, branch)));
}

/* Stores of one instruction stand one after the other. */
static void find_groups(const struct lowered_kernel *lowered, struct init_code *code)
{
    for (uint32_t i = 0; i < code->op_count; i++) {
        struct init_op *op = &code->ops[i];
        if (op->class != INIT_STORE)
            continue;
        const bool follows = i > 0 && op[-1].class == INIT_STORE &&
                             lowered->general.ops[i - 1].instruction == lowered->general.ops[i].instruction;
        op->group = follows ? op[-1].group : i;
        for (uint32_t k = op->group; k <= i; k++)
            code->ops[k].group_count = i - op->group + 1;
    }
}

/* What is stored, or given to an atomic, has a letter of its own in a micro-op: the first source is meant. */
static bool is_meant(const struct instruction *instruction, unsigned form, enum semantic_operand letter)
{
    const enum semantic_shape shape = instruction->opcode->shape;
    const struct form *at = &instruction->opcode->forms[form];
    if ((shape == SHAPE_STORE || shape_is_atomic(shape)) && letter == OPERAND_B)
        return at->kind == FORM_SOURCE && at->letter != OPERAND_F;
    return at->letter == letter && at->extra == 0;
}

static uint16_t form_member(const struct instruction *instruction, enum semantic_operand letter,
                            uint32_t element)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        if (operand->kind == OPERAND_ADDRESS) {
            if (letter == OPERAND_A && operand->base_kind == BASE_REGISTER)
                return operand->reg;
            if (letter == OPERAND_C && operand->index_kind != INDEX_NONE)
                return operand->index_reg;
        } else if (is_meant(instruction, i, letter)) {
            if (operand->kind == OPERAND_REGISTER)
                return (uint16_t)(operand->reg + element);
            if (operand->kind == OPERAND_PREDICATE)
                return (uint16_t)(REGISTER_COUNT + operand->reg);
        }
    }
    return INIT_NO_MEMBER;
}

uint16_t init_member(const struct init_step *step, enum semantic_operand letter)
{
    const uint32_t at = step->event->op->instruction;
    const struct init_code *code = &step->init->code;
    if (code->kernel->is_imported)
        return (uint16_t)(INIT_VARIABLE + letter);
    if (at >= code->kernel->code_count)
        return INIT_NO_MEMBER;
    const struct instruction *instruction = &code->kernel->code[at];
    const bool is_guard =
        letter == OPERAND_C && (step->op->class == INIT_GUARD || (step->event->op->flags & MICRO_GUARDED));
    if (is_guard && instruction->guard >= 0)
        return (uint16_t)(REGISTER_COUNT + instruction->guard);
    /* others, which prepare an operand or finish a result, have letters of their own */
    const bool is_stored = step->op->class == INIT_STORE && letter == OPERAND_B;
    const bool is_whole =
        (step->event->op->flags & MICRO_PRIMARY) || instruction->opcode->shape == SHAPE_FLOW;
    if (!is_whole && !is_stored)
        return INIT_NO_MEMBER;
    return form_member(instruction, letter,
                       is_stored ? (uint32_t)(step->op - code->ops) - step->op->group : 0);
}

hx_status init_code_make(const struct lowered_kernel *lowered, struct arena *arena,
                         struct init_code *ret_code)
{
    struct init_code code = {.op_count = lowered->general.op_count, .kernel = lowered->kernel};
    const uint32_t rows = lowered->rows_4 + lowered->rows_8 + lowered->rows_predicate + 2;
    code.ops = ARENA_ARRAY(arena, struct init_op, code.op_count);
    code.unwritten = ARENA_ARRAY(arena, uint16_t, lowered->zero_row_count);
    code.rows = rows;
    if (!code.ops || !code.unwritten || rows > UINT16_MAX)
        return HX_NO_MEMORY;
    for (uint32_t i = 0; i < code.op_count; i++) {
        const struct micro_op *from = &lowered->general.ops[i];
        const struct row operands[OPERAND_LETTERS] = {from->d, from->e, from->a, from->b, from->c, from->f};
        struct init_op *op = &code.ops[i];
        *op = (struct init_op){.class = (uint8_t)class_of(from),
                               .type = from->type,
                               .source_type = from->source_type,
                               .semantic = from->semantic};
        if ((op->class == INIT_FLOW || op->class == INIT_GUARD) &&
            is_of_compiler(lowered->kernel, from->instruction))
            op->class = INIT_NOTHING;
        for (int o = 0; o < OPERAND_LETTERS; o++)
            op->rows[o] = row_number(lowered, operands[o], o <= OPERAND_E);
        op->is_cleared =
            (from->semantic == SEM_xor || from->semantic == SEM_sub || from->semantic == SEM_pxor) &&
            row_is_equal(from->a, from->b);
    }
    find_groups(lowered, &code);
    for (uint32_t i = 0; i < lowered->zero_row_count; i++)
        code.unwritten[code.unwritten_count++] = row_number(lowered, lowered->zero_rows[i], false);
    *ret_code = code;
    return HX_OK;
}
