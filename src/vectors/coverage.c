/* What tests have tried of an instruction set.
 *
 * A cell is an opcode over one type and source type, without a modifier or with one. Which cells mean
 * something is asked of the set itself: a cell counts when the assembler would take the instruction. */
#include "vectors/vectors.h"

#include <string.h>

#define TYPES_SLOTS     (HX_TYPE_COUNT + 1u) /* HX_TYPE_NONE too */
#define MODIFIERS_MAX   32u                  /* of one opcode, and none */
#define CELLS_OF_OPCODE (TYPES_SLOTS * TYPES_SLOTS * MODIFIERS_MAX)

/* Calls for each modifier of an opcode: its number in the cells (from 1 on), group and value. */
#define EACH_MODIFIER(opcode, number, group, value)                                                          \
    for (unsigned number = 0, group = 0; group < GROUP_COUNT; group++)                                       \
        for (unsigned value = 1; modifier_text((enum modifier_group)group, value); value++)                  \
            if (((opcode)->modifiers[group] >> value & 1) && ++number < MODIFIERS_MAX)

static size_t cell_of(const struct isa_opcode *opcode, unsigned type, unsigned source_type, unsigned modifier)
{
    return (((size_t)opcode->index * TYPES_SLOTS + type) * TYPES_SLOTS + source_type) * MODIFIERS_MAX +
           modifier;
}

bool coverage_init(struct coverage *coverage, const hx_isa *isa, const hx_allocator *allocator)
{
    coverage->isa = isa;
    coverage->cell_count = isa->opcode_count * CELLS_OF_OPCODE;
    coverage->tried = memory_allocate(allocator, coverage->cell_count + 1, 1);
    return coverage->tried != NULL;
}

void coverage_done(struct coverage *coverage, const hx_allocator *allocator)
{
    memory_free(allocator, coverage->tried);
    coverage->tried = NULL;
}

void coverage_add(struct coverage *coverage, const struct instruction *instruction)
{
    const struct isa_opcode *opcode = instruction->opcode;
    bool any = false;
    EACH_MODIFIER(opcode, number, group, value)
    {
        if (instruction->modifiers[group] != value)
            continue;
        coverage->tried[cell_of(opcode, instruction->type, instruction->source_type, number)] = 1;
        any = true;
    }
    if (!any)
        coverage->tried[cell_of(opcode, instruction->type, instruction->source_type, 0)] = 1;
}

void coverage_merge(struct coverage *into, const struct coverage *from)
{
    for (size_t i = 0; from->tried && i < into->cell_count; i++)
        into->tried[i] |= from->tried[i];
}

struct cell {
    struct instruction instruction;
    const char *modifier;   /* NULL: none */
    bool tried, form_tried; /* the cell; any cell of its types */
    bool is_form;           /* the first of its types */
};
typedef hx_status cell_function(void *user, const struct cell *cell);

static bool is_meant(const struct instruction *instruction)
{
    const struct isa_opcode *opcode = instruction->opcode;
    if (opcode->expansion_count > 0)
        return true;
    const uint8_t rounding = instruction->modifiers[GROUP_ROUNDING];
    const bool to_float = type_is_float((enum hx_type)instruction->type),
               from_float = type_is_float((enum hx_type)instruction->source_type);
    if (opcode->shape == SHAPE_CONVERT && rounding != ROUNDING_NONE &&
        (rounding >= ROUNDING_RNI ? !from_float : !to_float))
        return false;
    return instruction_semantic(instruction) != SEMANTIC_NONE;
}

static bool any_tried(const struct coverage *coverage, const struct isa_opcode *opcode, unsigned type,
                      unsigned source)
{
    return coverage->tried &&
           memchr(coverage->tried + cell_of(opcode, type, source, 0), 1, MODIFIERS_MAX) != NULL;
}

static bool is_tried(const struct coverage *coverage, const struct isa_opcode *opcode, unsigned type,
                     unsigned source, unsigned modifier)
{
    return coverage->tried && coverage->tried[cell_of(opcode, type, source, modifier)];
}

static hx_status visit_types(const struct coverage *coverage, const struct isa_opcode *opcode, unsigned type,
                             unsigned source, cell_function *function, void *user)
{
    struct cell cell = {
        .instruction = {.opcode = opcode, .type = (uint8_t)type, .source_type = (uint8_t)source, .guard = -1},
        .form_tried = any_tried(coverage, opcode, type, source),
        .is_form = true};
    hx_status status = HX_OK;
    if (is_meant(&cell.instruction)) {
        cell.tried = is_tried(coverage, opcode, type, source, 0);
        status = function(user, &cell);
        cell.is_form = false;
    }
    EACH_MODIFIER(opcode, number, group, value)
    {
        cell.instruction.modifiers[group] = (uint8_t)value;
        cell.modifier = modifier_text((enum modifier_group)group, value);
        cell.tried = is_tried(coverage, opcode, type, source, number);
        if (status == HX_OK && group != GROUP_COMBINE && is_meant(&cell.instruction)) {
            status = function(user, &cell);
            cell.is_form = false;
        }
        cell.instruction.modifiers[group] = 0;
    }
    return status;
}

static hx_status visit(const struct coverage *coverage, cell_function *function, void *user)
{
    hx_status status = HX_OK;
    for (size_t i = 0; i < coverage->isa->opcode_count; i++) {
        const struct isa_opcode *opcode = &coverage->isa->opcodes[i];
        const uint32_t types = opcode->types ? opcode->types : TYPE_BIT(HX_TYPE_NONE);
        const uint32_t sources = opcode->source_types ? opcode->source_types : TYPE_BIT(HX_TYPE_NONE);
        for (unsigned type = 0; type < TYPES_SLOTS; type++)
            for (unsigned source = 0; source < TYPES_SLOTS && status == HX_OK; source++)
                if ((types >> type & 1) && (sources >> source & 1))
                    status = visit_types(coverage, opcode, type, source, function, user);
    }
    return status;
}

struct form_call {
    hx_status (*function)(void *user, const struct instruction *form);
    void *user;
};

static hx_status call_for_form(void *user, const struct cell *cell)
{
    const struct form_call *call = user;
    return cell->is_form ? call->function(call->user, &cell->instruction) : HX_OK;
}

hx_status coverage_each_form(const hx_isa *isa,
                             hx_status (*function)(void *user, const struct instruction *form), void *user)
{
    const struct coverage nothing = {.isa = isa};
    struct form_call call = {function, user};
    return visit(&nothing, call_for_form, &call);
}

static hx_status count(void *user, const struct cell *cell)
{
    hx_test_coverage *counts = user;
    counts->forms += cell->is_form;
    counts->forms_tried += cell->is_form && cell->form_tried;
    counts->modified += cell->modifier != NULL;
    counts->modified_tried += cell->modifier && cell->tried;
    return HX_OK;
}

void coverage_count(const struct coverage *coverage, hx_test_coverage *ret_counts)
{
    (void)visit(coverage, count, ret_counts);
}

struct gaps {
    bool modified;
    hx_write_function write;
    void *user;
};

static hx_status tell_gap(void *user, const struct cell *cell)
{
    const struct gaps *gaps = user;
    const struct instruction *instruction = &cell->instruction;
    const bool is_gap = gaps->modified ? cell->modifier && !cell->tried : cell->is_form && !cell->form_tried;
    if (!is_gap)
        return HX_OK;
    HX_AUTO(text_done) struct text text = {0};
    text_print(&text, "%s", instruction->opcode->mnemonic);
    if (cell->modifier && gaps->modified)
        text_print(&text, ".%s", cell->modifier);
    if (instruction->type != HX_TYPE_NONE)
        text_print(&text, ".%s", hx_type_name((hx_type)instruction->type));
    if (instruction->source_type != HX_TYPE_NONE)
        text_print(&text, ".%s", hx_type_name((hx_type)instruction->source_type));
    return text.failed ? HX_NO_MEMORY : gaps->write(gaps->user, text.at, text.length);
}

hx_status coverage_gaps(const struct coverage *coverage, bool modified, hx_write_function write, void *user)
{
    struct gaps gaps = {modified, write, user};
    return visit(coverage, tell_gap, &gaps);
}
