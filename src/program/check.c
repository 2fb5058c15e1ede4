/* What any program must be, whichever form it came from.
 *
 * The YAML form and the binary form are read by files that know nothing of each other; what makes a program
 * sound beyond its form is here, once, so that neither lets through what the other refuses. */
#include "program/names.h"
#include "program/parts.h"

#include <string.h>

const uint32_t limits_grid[3] = {2147483647u, 65535u, 65535u};
const uint32_t limits_block[3] = {1024u, 1024u, 64u};

bool program_is_name(struct slice text)
{
    bool good = text.length > 0 && text.length < 64 && !text_is_digit(text.at[0]);
    for (size_t i = 0; i < text.length; i++)
        good = good && text_is_word(text.at[i]);
    return good;
}

bool program_is_reserved(struct slice text)
{
    uint8_t number;
    return register_read(text, 'r', REGISTER_COUNT, &number) ||
           register_read(text, 'p', PREDICATE_COUNT, &number) || slice_equal_nocase(text, "inf") ||
           slice_equal_nocase(text, "nan") || slice_equal(text, "_");
}

struct checking {
    const hx_program *program;
    hx_diag *diag;
    hx_status status;
    struct names names;
    LIST(struct place) places; /* of the names; a name's number is an index here */
};

static void note(struct checking *checking, hx_status status)
{
    if (checking->status == HX_OK || status == HX_NO_MEMORY)
        checking->status = status;
}

static void add_name(struct checking *checking, const char *name, struct place place)
{
    const uint32_t number = (uint32_t)checking->places.count;
    if (!LIST_PUSH(checking->names.allocator, &checking->places, place) ||
        !names_add(&checking->names, slice_of(name), number))
        note(checking, diag_no_memory(checking->diag));
}

static void add_arrays(struct checking *checking, const struct array_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        add_name(checking, list->items[i].name, list->items[i].place);
}

/* Reports names from number `from` on that stand there twice; forgets all. */
static void finish_names(struct checking *checking, size_t from)
{
    const struct name *name;
    names_sort(&checking->names);
    for (size_t at = 0; (name = names_twice(&checking->names, &at)) && checking->status != HX_NO_MEMORY;)
        if (name->number >= from)
            note(checking, diag_report_noted(checking->diag, DIAG_PROGRAM_NAME,
                                             checking->places.items[name->number], "choose another name",
                                             checking->places.items[name[-1].number], "the other one is here",
                                             "the name '" SLICE_FORMAT "' is taken", SLICE_ARGS(name->text)));
    checking->names.list.count = 0;
    checking->places.count = 0;
}

static void refuse_reserved(struct checking *checking, const struct array_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (program_is_reserved(slice_of(list->items[i].name)))
            note(checking,
                 diag_report(checking->diag, DIAG_PROGRAM_NAME, list->items[i].place, "choose another name",
                             "an array cannot be called '%s', which means something else in code",
                             list->items[i].name));
}

static void check_names(struct checking *checking)
{
    const hx_program *program = checking->program;
    for (size_t i = 0; i < program->param_count; i++)
        add_name(checking, program->params[i].name, program->params[i].place);
    add_arrays(checking, &program->buffers);
    finish_names(checking, 0);
    for (size_t k = 0; k < program->kernel_count; k++)
        add_name(checking, program->kernels[k].name, program->kernels[k].place);
    finish_names(checking, 0);
    add_arrays(checking, &program->constants);
    finish_names(checking, 0);
    refuse_reserved(checking, &program->constants);
    for (size_t k = 0; k < program->kernel_count; k++) {
        const struct kernel *kernel = &program->kernels[k];
        add_arrays(checking, &program->constants);
        add_arrays(checking, &kernel->shared);
        add_arrays(checking, &kernel->local);
        finish_names(checking, program->constants.count);
        refuse_reserved(checking, &kernel->shared);
        refuse_reserved(checking, &kernel->local);
    }
}

hx_status program_check(const hx_program *program, hx_diag *diag)
{
    struct checking checking = {
        .program = program, .diag = diag, .names = {.allocator = program->arena.allocator}};
    check_names(&checking);
    for (size_t i = 0; i < program->step_count; i++) {
        const struct launch_step *step = &program->steps[i];
        if ((uint64_t)step->block[0] * step->block[1] * step->block[2] > LIMIT_THREADS)
            note(&checking,
                 diag_report(diag, DIAG_PROGRAM_SHAPE, step->block_place, "make it 1024 threads or fewer",
                             "a block of %u x %u x %u threads is too large", step->block[0], step->block[1],
                             step->block[2]));
    }
    LIST_DONE(program->arena.allocator, &checking.places);
    names_done(&checking.names);
    return checking.status;
}

static const struct array_list *arrays_of(const hx_program *program, const struct kernel *kernel,
                                          enum hx_space space)
{
    return space == SPACE_SHARED     ? &kernel->shared
           : space == SPACE_CONSTANT ? &program->constants
           : space == SPACE_LOCAL    ? &kernel->local
                                     : NULL;
}

static const char *parameter_problem(const hx_program *program, enum hx_space space, unsigned symbol)
{
    if (symbol >= program->param_count + program->buffers.count)
        return "there is no such parameter";
    if (symbol >= program->param_count)
        return space == SPACE_GLOBAL || space == SPACE_GENERIC
                   ? NULL
                   : "a buffer is in global memory, which this opcode does not reach";
    const enum hx_type type = program->params[symbol].type;
    if (type_is_float(type))
        return "a parameter that is no integer is no address";
    return (space != SPACE_GLOBAL && space != SPACE_GENERIC) || type_bits(type) == 64
               ? NULL
               : "an address has 64 bits, this parameter has fewer";
}

static const char *address_problem(const hx_program *program, const struct kernel *kernel,
                                   enum hx_space space, const struct operand *operand)
{
    static const enum hx_space spaces[] = {
        [BASE_REGISTER] = SPACE_NONE,     [BASE_PARAMETER] = SPACE_NONE, [BASE_SHARED] = SPACE_SHARED,
        [BASE_CONSTANT] = SPACE_CONSTANT, [BASE_LOCAL] = SPACE_LOCAL,    [BASE_NONE] = SPACE_NONE};
    if (operand->base_kind == BASE_PARAMETER)
        return parameter_problem(program, space, operand->symbol);
    const struct array_list *arrays = arrays_of(program, kernel, spaces[operand->base_kind]);
    if (!arrays)
        return NULL;
    if (operand->symbol >= arrays->count)
        return "there is no such array";
    return spaces[operand->base_kind] == space ? NULL : "the array is in another space than the opcode's";
}

const char *program_operand_problem(const hx_program *program, const struct kernel *kernel,
                                    const struct instruction *instruction, unsigned operand)
{
    const struct operand *read = &instruction->operands[operand];
    const struct array_list *arrays;
    const enum hx_type type = instruction_operand_type(instruction, operand);
    const bool is_integer = type_is_element(type) && !type_is_float(type);
    switch ((enum operand_kind)read->kind) {
    case OPERAND_PARAMETER:
        return read->symbol < program->param_count + program->buffers.count ? NULL
                                                                            : "there is no such parameter";
    case OPERAND_ARRAY:
        arrays = arrays_of(program, kernel, read->space);
        if (!arrays || read->symbol >= arrays->count)
            return "there is no such array";
        return is_integer && type_bits(type) >= 32 ? NULL : "an array's address wants type u32 or u64";
    case OPERAND_SPECIAL:
        return is_integer && type_bits(type) >= type_bits(special_type(read->symbol))
                   ? NULL
                   : "this special register wants an integer type that holds it";
    case OPERAND_ADDRESS:
        return address_problem(
            program, kernel,
            shape_is_memory(instruction->opcode->shape) ? instruction->opcode->space : SPACE_GENERIC, read);
    default:
        return NULL;
    }
}

bool program_param_is_for_others(const hx_program *program, size_t param)
{
    bool is_used = false;
    for (size_t k = 0; k < program->kernel_count; k++) {
        const struct kernel *kernel = &program->kernels[k];
        bool is_launched = false, is_its = false;
        for (size_t i = 0; i < program->step_count; i++)
            is_launched |= program->steps[i].kernel == kernel;
        for (uint32_t i = 0; i < kernel->code_count; i++)
            for (unsigned o = 0; o < kernel->code[i].opcode->form_count; o++)
                is_its |= kernel->code[i].operands[o].kind == OPERAND_PARAMETER &&
                          kernel->code[i].operands[o].symbol == param;
        if (is_its && is_launched)
            return false;
        is_used |= is_its;
    }
    return is_used;
}
