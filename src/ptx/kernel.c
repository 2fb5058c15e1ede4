/* A kernel of PTX as a kernel of hexec.
 *
 * Takes an .entry, leaves code whose registers are real ones, with the lines that it came from. What hexec
 * cannot run is listed in the kernel, which then is a single `trap`. */
#include "program/limits.h"
#include "ptx/importer.h"

#include <string.h>

/* --- arrays --------------------------------------------------------------------------------------------- */

static void add_array(struct ptx_importer *importer, const struct ptx_variable *variable)
{
    const bool is_shared = variable->space == PTX_SPACE_SHARED;
    const struct array array = ptx_make_array(importer->loading, variable);
    const size_t count = is_shared ? importer->shared.count : importer->local.count;
    importer->bindings[variable->number] = (struct ptx_binding){
        .kind = PTX_BINDING_ARRAY, .base = is_shared ? BASE_SHARED : BASE_LOCAL, .symbol = (uint16_t)count};
    const hx_allocator *allocator = importer->code.arena->allocator;
    if (!(is_shared ? LIST_PUSH(allocator, &importer->shared, array)
                    : LIST_PUSH(allocator, &importer->local, array)))
        importer->code.status = HX_NO_MEMORY;
}

/* Arrays in shared and local memory are each kernel's own. */
void ptx_bind_variables(struct ptx_importer *importer, const struct ptx_function *function)
{
    for (uint32_t i = 0; i < function->variable_count; i++) {
        const struct ptx_variable *variable = function->variables[i];
        struct ptx_binding *binding = &importer->bindings[variable->number];
        if (variable->space == PTX_SPACE_PARAM && !variable->is_array)
            *binding = (struct ptx_binding){.kind = PTX_BINDING_REGISTER,
                                            .reg = ptx_code_register(&importer->code, false, 1)};
        else if (variable->space == PTX_SPACE_SHARED || variable->space == PTX_SPACE_LOCAL ||
                 variable->space == PTX_SPACE_PARAM)
            add_array(importer, variable);
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

/* Shared variables of the module that any function of it names; an array without a size is last: the dynamic
 * shared memory begins there. */
static void bind_module_shared(struct ptx_importer *importer)
{
    const struct ptx_module *module = importer->module;
    for (int sized = 1; sized >= 0; sized--)
        for (uint32_t i = 0; i < module->variable_count; i++) {
            const struct ptx_variable *variable = module->variables[i];
            bool is_named = false;
            if (variable->space != PTX_SPACE_SHARED || (variable->bytes > 0) != sized)
                continue;
            for (uint32_t f = 0; f < module->function_count && !is_named; f++) {
                const struct ptx_function *function = module->functions[f];
                for (uint32_t s = 0; s < function->statement_count && !is_named; s++)
                    is_named = (!function->is_kernel || function == importer->function) &&
                               names_variable(function->statements[s].operands,
                                              function->statements[s].operand_count, variable);
            }
            if (is_named)
                add_array(importer, variable);
        }
}

/* --- code ----------------------------------------------------------------------------------------------- */

/* Execution must not run past the last instruction, where labels may be. */
static void end_kernel(struct ptx_importer *importer)
{
    const size_t count = importer->code.ops.count;
    const struct ptx_op *last = count ? &importer->code.ops.items[count - 1] : NULL;
    bool is_open =
        !last || last->guard != PTX_NO_REGISTER || instruction_semantic(&last->instruction) != SEM_exit;
    for (size_t i = 0; i < importer->code.labels.count; i++)
        is_open |= importer->code.labels.items[i] == count;
    struct ptx_op op;
    if (is_open && ptx_op_make(&importer->code, "exit", importer->statement, &op))
        ptx_op_push(&importer->code, &op);
}

static void choose_registers(const struct ptx_importer *importer, const struct ptx_op *op,
                             struct instruction *to)
{
    const struct ptx_register *registers = importer->code.registers.items;
    *to = op->instruction;
    for (unsigned i = 0; i < to->opcode->form_count; i++) {
        struct operand *operand = &to->operands[i];
        if (operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_PREDICATE ||
            (operand->kind == OPERAND_ADDRESS && operand->base_kind == BASE_REGISTER))
            operand->reg = registers[op->regs[i]].real;
        else if (operand->kind == OPERAND_TARGET)
            operand->bits = importer->code.labels.items[operand->bits];
    }
    to->guard = op->guard == PTX_NO_REGISTER ? -1 : (int8_t)registers[op->guard].real;
}

static struct code_line line_of(struct ptx_importer *importer, const struct ptx_op *op)
{
    const struct ptx_statement *from = op->from;
    if (!from)
        return (struct code_line){importer->kernel->place, "exit"};
    return (struct code_line){from->origin,
                              arena_copy(importer->code.arena, from->text.at, from->text.length)};
}

/* The parser takes a text of LF or CRLF; what is shown is one line. */
static void join_lines(char *text)
{
    for (; *text; text++)
        if (*text == '\n' || *text == '\r' || *text == '\t')
            *text = ' ';
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
        choose_registers(importer, &importer->code.ops.items[i], &kernel->code[i]);
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

static void add_spill_array(struct ptx_importer *importer)
{
    if (importer->code.spill_slots == 0)
        return;
    const struct array array = {.name = "spilled_registers",
                                .type = HX_TYPE_U64,
                                .count = importer->code.spill_slots,
                                .count_text = arena_format(importer->code.arena, "%llu",
                                                           (unsigned long long)importer->code.spill_slots),
                                .is_counted = true,
                                .fill = {.kind = FILL_ZERO},
                                .access = ACCESS_READWRITE};
    if (!array.count_text || !LIST_PUSH(importer->code.arena->allocator, &importer->local, array))
        importer->code.status = HX_NO_MEMORY;
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
    }
}

/* --- the kernel ----------------------------------------------------------------------------------------- */

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
        char *text = arena_copy(importer->code.arena, lack->statement->text.at, lack->statement->text.length);
        if (!text) {
            importer->code.status = HX_NO_MEMORY;
            return;
        }
        join_lines(text);
        kernel->lacks[kernel->lack_count++] = (struct kernel_lack){lack->statement->place, text, lack->why};
    }
    importer->code.ops.count = importer->code.labels.count = 0;
    struct ptx_op trap;
    if (ptx_op_make(&importer->code, "trap", importer->statement, &trap))
        ptx_op_push(&importer->code, &trap);
}

static void import(struct ptx_importer *importer)
{
    struct ptx_frame frame = {.function = importer->function, .carry = PTX_NO_REGISTER};
    for (uint32_t i = 0; i < importer->function->register_count; i++)
        ptx_code_register(&importer->code, importer->function->registers[i] == HX_TYPE_PRED, 1);
    bind_module_shared(importer);
    ptx_bind_variables(importer, importer->function);
    ptx_import_body(importer, &frame);
    end_kernel(importer);
    importer->code.spill_array = (uint32_t)importer->local.count;
    if (importer->lacks.count > 0)
        keep_lacks(importer);
    if (importer->code.status == HX_OK)
        importer->code.status = ptx_registers_choose(&importer->code);
    add_spill_array(importer);
    if (importer->code.status == HX_OK)
        keep_arrays(importer);
    if (importer->code.status == HX_OK)
        finish_code(importer);
    if (importer->code.status == HX_OK)
        add_labels(importer);
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
                                    .code = {.arena = loading->arena, .isa = loading->program->isa},
                                    .bindings = loading->bindings};
    import(&importer);
    kernel->is_imported = true;
    if (importer.code.status == HX_NO_MEMORY)
        loading->status = diag_no_memory(loading->diag);
    else if (importer.code.status != HX_OK || importer.code.ops.count > LIMIT_CODE)
        loading->status =
            diag_report(loading->diag, DIAG_PTX_TOO_LARGE, function->place, NULL,
                        "kernel '" SLICE_FORMAT "' has more code or live values than hexec takes",
                        SLICE_ARGS(function->name));
    LIST_DONE(allocator, &importer.code.ops);
    LIST_DONE(allocator, &importer.code.labels);
    LIST_DONE(allocator, &importer.code.registers);
    LIST_DONE(allocator, &importer.lacks);
    LIST_DONE(allocator, &importer.shared);
    LIST_DONE(allocator, &importer.local);
}
