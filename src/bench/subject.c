/* The instruction that a form is measured by.
 *
 * Takes an entry of the opcode table with its types, leaves the decoded instruction: operands follow from the
 * entry's forms and nothing here knows an opcode by name, so an opcode that is added is measured at once. The
 * disassembler prints it, and the set's own assembler reads that again: what runs is what a programmer of
 * that set would have written. */
#include "bench/bench.h"

#include "asm/asm.h"

#include <stdio.h>
#include <string.h>

/* What changes the flow, by what it means. */
static enum subject_way way_of(int semantic)
{
    switch (semantic) {
    case SEM_branch:
        return WAY_BRANCH;
    case SEM_jump_table:
        return WAY_TABLE;
    case SEM_call:
        return WAY_CALL;
    case SEM_call_table:
        return WAY_CALL_TABLE;
    case SEM_return:
        return WAY_RETURN;
    case SEM_loop:
        return WAY_LOOP;
    case SEM_exit:
        return WAY_BLOCK;
    case SEM_trap:
        return WAY_NEVER;
    default:
        return WAY_PLAIN;
    }
}

static void tell_way(struct subject *subject)
{
    static const struct {
        double parts;
        const char *remark;
    } ways[] = {
        [WAY_PLAIN] = {1, NULL},
        [WAY_BRANCH] = {1, "jumps to the instruction behind it"},
        [WAY_TABLE] = {1, "a table of one entry"},
        [WAY_CALL] = {2, "half of a call and the return from it"},
        [WAY_CALL_TABLE] = {3, "a third of it, the branch of its table and the return"},
        [WAY_RETURN] = {2, "half of a call and the return from it"},
        [WAY_LOOP] = {1, NULL},
        [WAY_BLOCK] = {1, "a whole block: its begin, this instruction, its end"},
        [WAY_NEVER] = {1, "its guard is false: it is issued and does nothing"},
    };
    subject->parts = ways[subject->way].parts;
    subject->remark = ways[subject->way].remark;
    if (shape_is_print(subject->instruction.opcode->shape))
        subject->remark = "prints to nobody";
}

static bool is_result(enum form_kind kind)
{
    return kind == FORM_DESTINATION || kind == FORM_PREDICATE_DESTINATION;
}

unsigned subject_access_bytes(const struct instruction *instruction)
{
    const size_t bytes = hx_type_bytes((hx_type)instruction->type);
    return bytes > 0 ? (unsigned)bytes : 1; /* of a hint */
}

static struct operand make_operand(const struct instruction *instruction, unsigned index)
{
    const struct form *form = &instruction->opcode->forms[index];
    const uint8_t step = (uint8_t)(REG_STEP * index);
    /* results in front may be dropped, sources at the end may be left out */
    if (form->optional)
        return (struct operand){.kind = is_result(form->kind) ? OPERAND_SINK : OPERAND_ABSENT};
    switch (form->kind) {
    case FORM_DESTINATION:
        return (struct operand){.kind = OPERAND_REGISTER, .reg = (uint8_t)(REG_RESULT + index)};
    case FORM_PREDICATE_DESTINATION:
        return (struct operand){.kind = OPERAND_PREDICATE, .reg = (uint8_t)(P_RESULT + index)};
    case FORM_PREDICATE_SOURCE:
        return (struct operand){.kind = OPERAND_PREDICATE, .reg = (uint8_t)(P_SOURCE + index)};
    case FORM_ADDRESS:
        return (struct operand){.kind = OPERAND_ADDRESS,
                                .base_kind = BASE_REGISTER,
                                .reg = REG_BASE,
                                .index_kind = INDEX_64,
                                .index_reg = REG_AT,
                                .scale = (uint8_t)subject_access_bytes(instruction)};
    case FORM_SMALL: /* a barrier's number, how long a table is, bytes of a hint */
        return (struct operand){.kind = OPERAND_IMMEDIATE, .bits = form->maximum == 128 ? 128 : 1};
    case FORM_IMM8:
        return (struct operand){.kind = OPERAND_IMMEDIATE, .bits = 0xca}; /* of lop3: a choice */
    case FORM_LABEL:
        return (struct operand){.kind = OPERAND_TARGET};
    default:
        return (struct operand){.kind = OPERAND_REGISTER, .reg = (uint8_t)(REG_SOURCE + step)};
    }
}

/* A result that has the width of a source can be handed on to the next copy. */
static void find_chain(struct subject *subject)
{
    const struct instruction *instruction = &subject->instruction;
    const struct isa_opcode *opcode = instruction->opcode;
    subject->chain_from = subject->chain_to = -1;
    if (subject->way != WAY_PLAIN || opcode->expansion_count > 0)
        return;
    for (unsigned to = 0; to < opcode->form_count; to++)
        for (unsigned from = 0; from < opcode->form_count && subject->chain_from < 0; from++) {
            const enum form_kind source = opcode->forms[from].kind, result = opcode->forms[to].kind;
            const enum hx_type type = instruction_operand_type(instruction, to);
            const bool takes = source == FORM_SOURCE || source == FORM_ANY_SOURCE ||
                               source == FORM_PREDICATE_SOURCE ||
                               (source == FORM_ADDRESS && opcode->shape == SHAPE_LOAD);
            if (!is_result(result) || !takes || opcode->forms[to].optional || opcode->forms[from].optional ||
                (source == FORM_PREDICATE_SOURCE) != (result == FORM_PREDICATE_DESTINATION))
                continue;
            /* a load's result is the next one's place, where it is as wide as a place */
            const bool fits = source == FORM_ADDRESS
                                  ? !type_is_float(type) && type_bits(type) >= 32
                                  : type_bits(type) == type_bits(instruction_operand_type(instruction, from));
            if (fits) {
                subject->chain_from = (int)to;
                subject->chain_to = (int)from;
            }
        }
}

/* An address starts at an array or a buffer, which the instruction alone has no name of: the register that
 * stands for it becomes the name. */
static void put_base(struct subject *subject, const char *text)
{
    char base[8];
    snprintf(base, sizeof base, "[r%d", REG_BASE);
    const char *found = strstr(text, base);
    if (found)
        text_print(&subject->text, "%.*s[%s%s", (int)(found - text), text, frame_base(subject),
                   found + strlen(base));
    else
        text_print(&subject->text, "%s", text);
}

static hx_status assemble(struct subject *subject, const hx_isa *isa, const hx_allocator *allocator,
                          hx_diag *diag)
{
    HX_AUTO(text_done) struct text text = {.allocator = allocator};
    struct code_label label = {.name = "here"};
    const struct kernel kernel = {.labels = &label, .label_count = 1};
    disassemble_instruction(NULL, &kernel, &subject->instruction, &text);
    put_base(subject, text.at ? text.at : "");
    text_done(&text);
    text_print(&text, "program: subject\n");
    frame_declare(subject, &text);
    text_print(&text, "code: |\n  here: %s\n", subject->text.at ? subject->text.at : "");
    if (text.failed || subject->text.failed)
        return diag_no_memory(diag);
    const hx_status status = hx_program_load_bytes(subject->name, NULL, text.at, text.length, isa, allocator,
                                                   diag, &subject->program);
    if (status != HX_OK)
        return status;
    subject->code = subject->program->kernels[0].code;
    subject->count = subject->program->kernels[0].code_count;
    return HX_OK;
}

hx_status subject_init(struct subject *subject, const hx_isa *isa, const struct instruction *form,
                       const hx_allocator *allocator, hx_diag *diag)
{
    const struct isa_opcode *opcode = form->opcode;
    *subject = (struct subject){.instruction = *form, .text = {.allocator = allocator}};
    instruction_form(form, subject->name, sizeof subject->name);
    for (unsigned i = 0; i < opcode->form_count; i++)
        subject->instruction.operands[i] = make_operand(form, i);
    subject->semantic = opcode->expansion_count > 0 ? SEMANTIC_NONE : instruction_semantic(form);
    subject->way = way_of(subject->semantic);
    subject->space = shape_is_memory(opcode->shape) ? opcode->space : SPACE_NONE;
    tell_way(subject);
    find_chain(subject);
    return assemble(subject, isa, allocator, diag);
}

void subject_done(struct subject *subject)
{
    text_done(&subject->text);
    hx_program_free(subject->program);
    subject->program = NULL;
}

bool subject_may_be_guarded(const struct subject *subject)
{
    const enum semantic_shape shape = subject->instruction.opcode->shape;
    switch (subject->semantic) {
    case SEM_barrier_sync:
    case SEM_barrier_arrive:
    case SEM_barrier_red_popc:
    case SEM_barrier_red_and:
    case SEM_barrier_red_or:
        return false;
    default:
        return !shape_is_collective(shape) && subject->way != WAY_BLOCK && subject->way != WAY_LOOP;
    }
}
