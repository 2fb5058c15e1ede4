/* A kernel of PTX as a kernel of hexec.
 *
 * Takes an .entry, leaves code whose registers are real ones, with the lines that it came from. What hexec
 * cannot run is listed in the kernel, which then is a single `trap`. */
#include "base/demangle.h"
#include "program/limits.h"
#include "ptx/importer.h"

#include <string.h>

/* --- arrays --------------------------------------------------------------------------------------------- */

static void add_shared(struct ptx_importer *importer, const struct ptx_variable *variable)
{
    struct ptx_binding *binding = &importer->bindings[variable->number];
    if (binding->kind == PTX_BINDING_ARRAY && binding->kernel == importer->kernel)
        return; /* a function that is inlined several times has one */
    *binding = (struct ptx_binding){.kind = PTX_BINDING_ARRAY,
                                    .base = BASE_SHARED,
                                    .symbol = (uint16_t)importer->shared.count,
                                    .kernel = importer->kernel};
    if (!LIST_PUSH(importer->code.arena->allocator, &importer->shared,
                   ptx_make_array(importer->loading, variable)))
        importer->code.status = HX_NO_MEMORY;
    ptx_note_place(importer, variable);
}

/* Arrays in shared memory are each kernel's own; those in local memory also each function's that is called.
 */
void ptx_bind_variables(struct ptx_importer *importer, const struct ptx_function *function)
{
    for (uint32_t i = 0; i < function->variable_count; i++) {
        const struct ptx_variable *variable = function->variables[i];
        struct ptx_binding *binding = &importer->bindings[variable->number];
        if (variable->space == PTX_SPACE_PARAM && !ptx_is_memory(variable))
            *binding = (struct ptx_binding){.kind = PTX_BINDING_REGISTER,
                                            .reg = ptx_code_register(&importer->code, false, 1)};
        else if (variable->space == PTX_SPACE_SHARED)
            add_shared(importer, variable);
        else if (variable->space == PTX_SPACE_LOCAL || variable->space == PTX_SPACE_PARAM)
            *binding = ptx_take_local(importer, variable);
        if (variable->space == PTX_SPACE_LOCAL)
            ptx_note_place(importer, variable);
    }
}

static bool names_variable(const struct ptx_operand *operands, uint32_t count,
                           const struct ptx_variable *variable)
{
    for (uint32_t i = 0; i < count; i++)
        if ((operands[i].kind == PTX_OPERAND_VARIABLE && operands[i].variable == variable) ||
            names_variable(operands[i].items, operands[i].count, variable))
            return true;
    return false;
}

/* Does the kernel, or a function that it may call, name a variable of the module? */
static bool is_named(const struct ptx_importer *importer, const struct ptx_variable *variable)
{
    const struct ptx_module *module = importer->module;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = module->functions[f];
        if (function->is_kernel && function->sites == 0 && function != importer->function)
            continue;
        for (uint32_t s = 0; s < function->statement_count; s++)
            if (names_variable(function->statements[s].operands, function->statements[s].operand_count,
                               variable))
                return true;
    }
    return false;
}

/* Shared and local variables of the module; a shared array without a size is last: the dynamic shared memory
 * begins there. */
static void bind_module_variables(struct ptx_importer *importer)
{
    const struct ptx_module *module = importer->module;
    for (int sized = 1; sized >= 0; sized--)
        for (uint32_t i = 0; i < module->variable_count; i++) {
            const struct ptx_variable *variable = module->variables[i];
            const bool is_local = variable->space == PTX_SPACE_LOCAL;
            if ((variable->space != PTX_SPACE_SHARED && !is_local) || (variable->bytes > 0) != sized ||
                !is_named(importer, variable))
                continue;
            if (!is_local) {
                add_shared(importer, variable);
            } else {
                importer->bindings[variable->number] = ptx_take_local(importer, variable);
                ptx_note_place(importer, variable);
            }
        }
}

static bool has_shared(struct ptx_variable *const *variables, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (variables[i]->space == PTX_SPACE_SHARED || variables[i]->is_shared)
            return true;
    return false;
}

/* May the kernel compare where something is in shared memory with a null pointer? */
static bool may_compare_shared(const struct ptx_importer *importer)
{
    const struct ptx_module *module = importer->module;
    const struct ptx_function *kernel = importer->function;
    bool is_there = has_shared(module->variables, module->variable_count) ||
                    has_shared(kernel->params, kernel->param_count);
    for (uint32_t f = 0; f < module->function_count && !is_there; f++)
        is_there = (module->functions[f] == kernel || !module->functions[f]->is_kernel ||
                    module->functions[f]->sites > 0) &&
                   has_shared(module->functions[f]->variables, module->functions[f]->variable_count);
    return is_there && module->compares_addresses;
}

static bool asks_for_space(const struct ptx_module *module)
{
    for (uint32_t f = 0; f < module->function_count; f++)
        if (module->functions[f]->sites > 0 && (slice_equal(module->functions[f]->name, "__to_local") ||
                                                slice_equal(module->functions[f]->name, "__to_private")))
            return true;
    return false;
}

/* OpenCL C's null pointers of all spaces are 0. Where a program may ask whether a pointer to shared memory is
 * one, or of what space a pointer is, and for checks, some bytes that nobody uses stand at 0, so that no
 * variable is there. For checks as many are left between the variables of shared memory, too, which leave one
 * for another by nothing that the address tells. */
static void bind_null(struct ptx_importer *importer)
{
    enum { NULL_BYTES = 128 }; /* what follows is aligned as it was */
    static const struct ptx_variable null = {.name = {"null", 4},
                                             .space = PTX_SPACE_SHARED,
                                             .type = HX_TYPE_U8,
                                             .align = NULL_BYTES,
                                             .bytes = NULL_BYTES,
                                             .is_array = true};
    const struct ptx_module *module = importer->module;
    const bool is_checked = importer->program->for_checks && module->is_opencl;
    const bool is_of_both = is_checked || asks_for_space(module);
    const hx_allocator *allocator = importer->code.arena->allocator;
    if (!is_of_both && !(module->is_opencl && may_compare_shared(importer)))
        return;
    importer->kernel->null_bytes = NULL_BYTES;
    importer->kernel->gap_bytes = is_checked ? NULL_BYTES : 0;
    if (!LIST_PUSH(allocator, &importer->shared, ptx_make_array(importer->loading, &null)) ||
        (is_of_both && !LIST_PUSH(allocator, &importer->local, ptx_make_array(importer->loading, &null))))
        importer->code.status = HX_NO_MEMORY;
}

/* --- code ----------------------------------------------------------------------------------------------- */

static void choose_registers(const struct ptx_op *op, struct instruction *to)
{
    *to = op->instruction;
    for (unsigned i = 0; i < to->opcode->form_count; i++) {
        struct operand *operand = &to->operands[i];
        if (operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_PREDICATE ||
            (operand->kind == OPERAND_ADDRESS && operand->base_kind == BASE_REGISTER))
            operand->reg = (uint8_t)op->regs[i];
    }
    to->guard = op->guard == PTX_NO_REGISTER ? -1 : (int8_t)op->guard;
}

/* With .aligned, which bar implies, the threads of a warp execute one barrier together (PTX ISA, bar and
 * barrier). */
static bool is_unaligned_barrier(const struct ptx_statement *statement)
{
    return slice_starts_with(statement->opcode, "barrier.") && !ptx_has_part(statement, "aligned");
}

static struct code_line line_of(struct ptx_importer *importer, const struct ptx_op *op)
{
    const struct ptx_statement *from = op->from;
    if (!from)
        return (struct code_line){.place = importer->kernel->place, .text = "exit"};
    return (struct code_line){op->call ? op->call->origin : from->origin,
                              arena_copy(importer->code.arena, from->text.at, from->text.length),
                              is_unaligned_barrier(from)};
}

/* The parser takes a text of LF or CRLF; what is shown is one line, in which a break is one space. */
static void join_lines(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        const size_t blanks = *from == '\n' || *from == '\r' ? strspn(from, " \t\r\n") : 0;
        while (blanks && to > text && to[-1] == ' ')
            to--;
        *to++ = blanks || *from == '\t' ? ' ' : *from;
        from += blanks ? blanks - 1 : 0;
    }
    *to = '\0';
}

static void finish_code(struct ptx_importer *importer)
{
    struct kernel *kernel = importer->kernel;
    struct arena *arena = importer->code.arena;
    const size_t count = importer->code.ops.count;
    kernel->words = ARENA_ARRAY(arena, struct word, count);
    kernel->code = ARENA_ARRAY(arena, struct instruction, count);
    kernel->lines = ARENA_ARRAY(arena, struct code_line, count);
    if (!kernel->words || !kernel->code || !kernel->lines) {
        importer->code.status = HX_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        choose_registers(&importer->code.ops.items[i], &kernel->code[i]);
        kernel->words[i] = instruction_encode(importer->program->isa, &kernel->code[i]);
        kernel->lines[i] = line_of(importer, &importer->code.ops.items[i]);
        if (!kernel->lines[i].text)
            importer->code.status = HX_NO_MEMORY;
        else if (importer->code.ops.items[i].from)
            join_lines((char *)(uintptr_t)kernel->lines[i].text);
    }
    kernel->code_count = (uint32_t)count;
}

/* A label for each instruction that a jump goes to: the disassembler writes them. */
static void add_labels(struct ptx_importer *importer)
{
    struct kernel *kernel = importer->kernel;
    struct arena *arena = importer->code.arena;
    bool *is_target = ARENA_ARRAY(arena, bool, kernel->code_count + 1);
    kernel->labels = ARENA_ARRAY(arena, struct code_label, kernel->code_count + 1);
    if (!is_target || !kernel->labels) {
        importer->code.status = HX_NO_MEMORY;
        return;
    }
    for (uint32_t i = 0; i < kernel->code_count; i++)
        for (unsigned k = 0; k < kernel->code[i].opcode->form_count; k++)
            if (kernel->code[i].operands[k].kind == OPERAND_TARGET)
                is_target[kernel->code[i].operands[k].bits] = true;
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        if (!is_target[i])
            continue;
        const char *name = arena_format(arena, "L%zu", kernel->label_count + 1);
        if (!name)
            importer->code.status = HX_NO_MEMORY;
        kernel->labels[kernel->label_count++] = (struct code_label){name, i};
    }
}

/* Arrays whose size is known last. */
static void set_count(struct ptx_importer *importer, uint32_t array, uint64_t count)
{
    struct array *to = &importer->local.items[array];
    to->count = count;
    to->count_text = arena_format(importer->code.arena, "%llu", (unsigned long long)count);
    if (!to->count_text)
        importer->code.status = HX_NO_MEMORY;
}

void ptx_add_spill_array(struct ptx_importer *importer, uint64_t slots)
{
    const struct array array = {.name = "spilled_registers",
                                .type = HX_TYPE_U64,
                                .is_counted = true,
                                .fill = {.kind = FILL_ZERO},
                                .access = ACCESS_READWRITE};
    if (slots == 0)
        return;
    if (!LIST_PUSH(importer->code.arena->allocator, &importer->local, array))
        importer->code.status = HX_NO_MEMORY;
    else
        set_count(importer, importer->code.spill_array, slots);
}

/* clang tells no lines of variables: those of a compiled file stand where its kernel begins. */
static struct place place_of_array(const struct ptx_importer *importer, struct place place)
{
    const struct ptx_function *const function = importer->function;
    if (function->statement_count == 0 || place.source != function->place.source)
        return place;
    const struct place begin = function->statements[0].origin;
    return begin.source == place.source ? place : begin;
}

static void keep_arrays(struct ptx_importer *importer)
{
    struct array_list *lists[] = {&importer->kernel->shared, &importer->kernel->local};
    const struct array *items[] = {importer->shared.items, importer->local.items};
    const size_t counts[] = {importer->shared.count, importer->local.count};
    for (size_t i = 0; i < HX_COUNT_OF(lists); i++) {
        lists[i]->items = ARENA_ARRAY(importer->code.arena, struct array, counts[i] + 1);
        lists[i]->count = lists[i]->items ? counts[i] : 0;
        if (!lists[i]->items)
            importer->code.status = HX_NO_MEMORY;
        else if (counts[i] > 0)
            memcpy(lists[i]->items, items[i], counts[i] * sizeof **items);
        for (size_t k = 0; k < lists[i]->count; k++)
            lists[i]->items[k].place = place_of_array(importer, lists[i]->items[k].place);
    }
}

/* --- the kernel ----------------------------------------------------------------------------------------- */

/* In a source that was compiled nobody has written the statement: of a function that is missing its name is
 * shown. */
static char *text_of_lack(struct ptx_importer *importer, const struct ptx_lack *lack, bool is_compiled)
{
    const struct ptx_statement *statement = lack->statement;
    for (uint32_t i = 0; is_compiled && i < statement->operand_count; i++) {
        const struct ptx_function *const callee = statement->operands[i].function;
        if (!callee || ptx_function_meant(callee)->has_body)
            continue;
        const char *const name = arena_copy(importer->code.arena, callee->name.at, callee->name.length);
        struct text readable;
        text_init(&readable, importer->code.arena->allocator);
        if (name)
            demangle(&readable, name);
        char *const text =
            name && !readable.failed ? arena_copy(importer->code.arena, readable.at, readable.length) : NULL;
        text_done(&readable);
        return text;
    }
    char *const text = arena_copy(importer->code.arena, statement->text.at, statement->text.length);
    if (text)
        join_lines(text);
    return text;
}

static void keep_lacks(struct ptx_importer *importer)
{
    struct kernel *kernel = importer->kernel;
    kernel->lacks = ARENA_ARRAY(importer->code.arena, struct kernel_lack, importer->lacks.count + 1);
    if (!kernel->lacks) {
        importer->code.status = HX_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < importer->lacks.count; i++) {
        const struct ptx_lack *lack = &importer->lacks.items[i];
        const struct ptx_statement *statement = lack->statement;
        const bool is_compiled = statement->origin.source != statement->place.source;
        const char *text = text_of_lack(importer, lack, is_compiled);
        if (!text) {
            importer->code.status = HX_NO_MEMORY;
            return;
        }
        kernel->lacks[kernel->lack_count++] =
            (struct kernel_lack){is_compiled ? statement->origin : statement->place, text, lack->why};
    }
    importer->code.ops.count = 0;
    struct ptx_op trap;
    if (ptx_op_make(&importer->code, "trap", importer->statement, &trap))
        ptx_op_push(&importer->code, &trap);
}

static void import(struct ptx_importer *importer)
{
    bind_null(importer);
    bind_module_variables(importer);
    ptx_import_units(importer);
    importer->code.spill_array = (uint32_t)importer->local.count;
    if (importer->lacks.count > 0)
        keep_lacks(importer);
    else
        ptx_join_units(importer);
    if (importer->code.status == HX_OK && importer->more_slots > 0)
        set_count(importer, importer->slot_array, importer->more_slots);
    if (importer->code.status == HX_OK)
        keep_arrays(importer);
    if (importer->code.status == HX_OK)
        finish_code(importer);
    if (importer->code.status == HX_OK)
        add_labels(importer);
    if (importer->code.status == HX_OK && importer->module->debug && importer->lacks.count == 0)
        ptx_keep_places(importer);
}

void ptx_import_kernel(struct ptx_loading *loading, const struct ptx_function *function,
                       struct kernel *kernel)
{
    const hx_allocator *allocator = loading->arena->allocator;
    struct ptx_importer importer = {.loading = loading,
                                    .program = loading->program,
                                    .kernel = kernel,
                                    .module = &loading->module,
                                    .function = function,
                                    .unit = DEBUG_ANY_UNIT,
                                    .code = {.arena = loading->arena, .isa = loading->program->isa},
                                    .bindings = loading->bindings};
    import(&importer);
    kernel->is_imported = true;
    if (importer.code.status == HX_NO_MEMORY)
        loading->status = diag_no_memory(loading->diag);
    else if (importer.shared.count > LIMIT_LIST || importer.local.count > LIMIT_LIST)
        loading->status = diag_report(loading->diag, DIAG_PTX_TOO_LARGE, function->place,
                                      "make one array of several variables",
                                      "kernel '" SLICE_FORMAT "' has more than %d variables in a space",
                                      SLICE_ARGS(function->name), LIMIT_LIST);
    else if (importer.code.status != HX_OK || importer.code.ops.count > LIMIT_CODE)
        loading->status =
            diag_report(loading->diag, DIAG_PTX_TOO_LARGE, function->place, NULL,
                        "kernel '" SLICE_FORMAT "' has more code or live values than hexec takes",
                        SLICE_ARGS(function->name));
    ptx_code_done(&importer.code);
    for (size_t i = 0; i < importer.units.count; i++)
        ptx_code_done(&importer.units.items[i].code);
    LIST_DONE(allocator, &importer.units);
    LIST_DONE(allocator, &importer.lacks);
    LIST_DONE(allocator, &importer.places);
    LIST_DONE(allocator, &importer.bodies);
    LIST_DONE(allocator, &importer.registers);
    LIST_DONE(allocator, &importer.shared);
    LIST_DONE(allocator, &importer.local);
}
