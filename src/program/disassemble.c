/* The disassembler: a program as a YAML file that assembles to the same words and tables.
 *
 * It knows forms, not opcodes: each operand is printed by its kind. Floats are printed as raw bits, so that
 * every number comes back as it was; labels keep their names, and targets without one get names of their own.
 */
#include "program/parts.h"

#include <string.h>

struct output {
    const hx_program *program;
    const struct kernel *kernel;
    struct text text;
};

static void print_quoted(struct text *text, const char *string)
{
    text_print_json_string(text, string, strlen(string)); /* JSON's strings are YAML's double-quoted ones */
}

/* ---- Instructions -------------------------------------------------------------------------------------- */

static const char *label_of(const struct kernel *kernel, uint64_t target)
{
    for (size_t i = 0; i < kernel->label_count; i++)
        if (kernel->labels[i].target == target)
            return kernel->labels[i].name;
    return NULL;
}

static bool name_is_taken(const struct kernel *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->label_count; i++)
        if (strcmp(kernel->labels[i].name, name) == 0)
            return true;
    return false;
}

static void print_label(struct output *output, uint64_t target)
{
    const char *name = label_of(output->kernel, target);
    struct text made = {0};
    text_print(&made, "L%llu", (unsigned long long)target);
    while (!made.failed && name_is_taken(output->kernel, made.at))
        text_append(&made, "_", 1);
    text_print(&output->text, "%s", name ? name : made.failed ? "" : made.at);
    text_done(&made);
}

static const char *array_name(const struct output *output, enum hx_space space, uint16_t symbol)
{
    const struct array_list *list = space == SPACE_SHARED     ? &output->kernel->shared
                                    : space == SPACE_CONSTANT ? &output->program->constants
                                                              : &output->kernel->local;
    return list->items[symbol].name;
}

static void print_address(struct output *output, const struct operand *operand)
{
    static const enum hx_space spaces[] = {
        [BASE_SHARED] = SPACE_SHARED, [BASE_CONSTANT] = SPACE_CONSTANT, [BASE_LOCAL] = SPACE_LOCAL};
    static const char *const suffixes[] = {[INDEX_U32] = ".u32", [INDEX_I32] = ".i32"};
    struct text *text = &output->text;
    const char *plus = " + ";
    text_print(text, "[");
    if (operand->base_kind == BASE_REGISTER)
        text_print(text, "r%u", operand->reg);
    else if (operand->base_kind == BASE_PARAMETER)
        text_print(text, "$%s", program_symbol_name(output->program, operand->symbol));
    else if (operand->base_kind == BASE_NONE)
        plus = "0 + "; /* a first number is no base */
    else
        text_print(text, "%s", array_name(output, spaces[operand->base_kind], operand->symbol));
    if (operand->index_kind != INDEX_NONE) {
        text_print(text, "%sr%u%s", plus, operand->index_reg,
                   operand->index_kind == INDEX_64 ? "" : suffixes[operand->index_kind]);
        if (operand->scale > 1)
            text_print(text, "*%u", operand->scale);
        plus = " + ";
    }
    if (operand->offset != 0 || (operand->base_kind == BASE_NONE && operand->index_kind == INDEX_NONE)) {
        int64_t offset = operand->offset;
        bool alone = operand->base_kind == BASE_NONE && operand->index_kind == INDEX_NONE;
        text_print(text, "%s%lld",
                   alone        ? ""
                   : offset < 0 ? " - "
                                : " + ",
                   (long long)(offset < 0 && !alone ? -offset : offset));
    }
    text_print(text, "]");
}

static void print_immediate(struct text *text, enum hx_type type, uint64_t bits)
{
    if (type == HX_TYPE_F32)
        text_print(text, "0f%08llx", (unsigned long long)bits);
    else if (type == HX_TYPE_F64)
        text_print(text, "0d%016llx", (unsigned long long)bits);
    else
        values_print(text, &bits, type == HX_TYPE_NONE ? HX_TYPE_U64 : type);
}

static void print_operand(struct output *output, const struct instruction *instruction, unsigned index)
{
    const struct operand *operand = &instruction->operands[index];
    struct text *text = &output->text;
    switch ((enum operand_kind)operand->kind) {
    case OPERAND_ABSENT:
        break;
    case OPERAND_REGISTER:
        text_print(text, "r%u", operand->reg);
        break;
    case OPERAND_PREDICATE:
        text_print(text, "%sp%u", operand->negated ? "!" : "", operand->reg);
        break;
    case OPERAND_IMMEDIATE:
        print_immediate(text, instruction_operand_type(instruction, index), operand->bits);
        break;
    case OPERAND_PARAMETER:
        text_print(text, "$%s", program_symbol_name(output->program, operand->symbol));
        break;
    case OPERAND_SPECIAL:
        text_print(text, "%%%s", special_name(operand->symbol));
        break;
    case OPERAND_ARRAY:
        text_print(text, "%s", array_name(output, operand->space, operand->symbol));
        break;
    case OPERAND_ADDRESS:
        print_address(output, operand);
        break;
    case OPERAND_TARGET:
        print_label(output, operand->bits);
        break;
    case OPERAND_SINK:
        text_print(text, "_");
        break;
    }
}

static void print_instruction(struct output *output, const struct instruction *instruction,
                              const char *indent)
{
    const struct isa_opcode *opcode = instruction->opcode;
    struct text *text = &output->text;
    text_print(text, "%s      ", indent);
    if (instruction->guard >= 0)
        text_print(text, "@%sp%d ", instruction->guard_negated ? "!" : "", instruction->guard);
    text_print(text, "%s", opcode->mnemonic);
    for (int group = 0; group < GROUP_COUNT; group++)
        if (instruction->modifiers[group])
            text_print(text, ".%s", modifier_text(group, instruction->modifiers[group]));
    if (opcode->types)
        text_print(text, ".%s", hx_type_name(instruction->type));
    if (opcode->source_types)
        text_print(text, ".%s", hx_type_name(instruction->source_type));
    for (unsigned i = 0; i < opcode->form_count && instruction->operands[i].kind != OPERAND_ABSENT; i++) {
        text_print(text, i ? ", " : " ");
        print_operand(output, instruction, i);
    }
    text_print(text, "\n");
}

static void print_code(struct output *output, const struct kernel *kernel, const char *indent)
{
    output->kernel = kernel;
    text_print(&output->text, "%scode: |\n", indent);
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        bool wanted = false;
        for (uint32_t k = 0; k < kernel->code_count && !label_of(kernel, i); k++)
            for (unsigned o = 0; o < kernel->code[k].opcode->form_count; o++)
                wanted |= kernel->code[k].operands[o].kind == OPERAND_TARGET &&
                          kernel->code[k].operands[o].bits == i;
        for (size_t k = 0; k < kernel->label_count; k++)
            if (kernel->labels[k].target == i)
                text_print(&output->text, "%s    %s:\n", indent, kernel->labels[k].name);
        if (wanted) {
            text_print(&output->text, "%s    ", indent);
            print_label(output, i);
            text_print(&output->text, ":\n");
        }
        print_instruction(output, &kernel->code[i], indent);
    }
}

/* ---- Tables -------------------------------------------------------------------------------------------- */

static void print_values(struct text *text, const void *values, size_t count, enum hx_type type)
{
    text_print(text, "[");
    for (size_t i = 0; i < count; i++) {
        text_print(text, i ? ", " : "");
        values_print(text, (const char *)values + i * hx_type_bytes(type), type);
    }
    text_print(text, "]");
}

static void print_fill(struct text *text, const struct fill *fill, enum hx_type type)
{
    switch (fill->kind) {
    case FILL_ZERO:
        break;
    case FILL_IOTA:
        text_print(text, ", fill: iota");
        break;
    case FILL_RANDOM:
        text_print(text, ", fill: random, seed: %llu, min: ", (unsigned long long)fill->seed);
        text_print_f64(text, fill->minimum);
        text_print(text, ", max: ");
        text_print_f64(text, fill->maximum);
        break;
    case FILL_NUMBER:
        text_print(text, ", fill: ");
        values_print(text, &fill->number_bits, type);
        break;
    case FILL_VALUES:
        text_print(text, ", values: ");
        print_values(text, fill->values, fill->value_count, type);
        break;
    case FILL_FILE:
        text_print(text, ", file: ");
        print_quoted(text, fill->path);
        break;
    }
}

static void print_arrays(struct output *output, const char *indent, const char *key,
                         const struct array_list *list, bool access)
{
    static const char *const accesses[] = {
        [ACCESS_READ] = "read", [ACCESS_WRITE] = "write", [ACCESS_READWRITE] = "readwrite"};
    struct text *text = &output->text;
    if (list->count > 0)
        text_print(text, "%s%s:\n", indent, key);
    for (size_t i = 0; i < list->count; i++) {
        const struct array *array = &list->items[i];
        text_print(text, "%s  - {name: %s, type: %s", indent, array->name, hx_type_name(array->type));
        if (array->count_text) {
            text_print(text, ", count: ");
            print_quoted(text, array->count_text);
        }
        print_fill(text, &array->fill, array->type);
        if (access && array->access != ACCESS_READWRITE)
            text_print(text, ", access: %s", accesses[array->access]);
        text_print(text, "}\n");
    }
}

static void print_shape(struct text *text, const struct launch_step *step)
{
    text_print(text, "grid: [%u, %u, %u], block: [%u, %u, %u]", step->grid[0], step->grid[1], step->grid[2],
               step->block[0], step->block[1], step->block[2]);
    if (step->dynamic_shared)
        text_print(text, ", dynamic_shared: %llu", (unsigned long long)step->dynamic_shared);
}

static void print_expectations(struct output *output)
{
    const hx_program *program = output->program;
    struct text *text = &output->text;
    if (program->expectation_count > 0)
        text_print(text, "expect:\n");
    for (size_t i = 0; i < program->expectation_count; i++) {
        const struct expectation *expectation = &program->expectations[i];
        const struct array *array = &program->buffers.items[expectation->buffer];
        text_print(text, "  - {buffer: %s, ", array->name);
        if (expectation->kind == EXPECT_CRC32)
            text_print(text, "crc32: 0x%08x", expectation->crc32);
        else if (expectation->kind == EXPECT_FILE) {
            text_print(text, "file: ");
            print_quoted(text, expectation->file.path);
        } else {
            text_print(text, "values: ");
            print_values(text, expectation->values, expectation->value_count, array->type);
        }
        text_print(text, ", rtol: ");
        text_print_f64(text, expectation->rtol);
        text_print(text, ", atol: ");
        text_print_f64(text, expectation->atol);
        text_print(text, "}\n");
    }
}

static void print_kernels(struct output *output)
{
    const hx_program *program = output->program;
    struct text *text = &output->text;
    bool shorthand = program->kernel_count == 1 && program->step_count == 1 &&
                     program->steps[0].repeat == 1 && strcmp(program->kernels[0].name, program->name) == 0;
    if (shorthand) {
        text_print(text, "launch: {");
        print_shape(text, &program->steps[0]);
        text_print(text, "}\n");
        print_arrays(output, "", "shared", &program->kernels[0].shared, false);
        print_arrays(output, "", "local", &program->kernels[0].local, false);
        print_code(output, &program->kernels[0], "");
        return;
    }
    text_print(text, "kernels:\n");
    for (size_t i = 0; i < program->kernel_count; i++) {
        text_print(text, "  - name: %s\n", program->kernels[i].name);
        print_arrays(output, "    ", "shared", &program->kernels[i].shared, false);
        print_arrays(output, "    ", "local", &program->kernels[i].local, false);
        print_code(output, &program->kernels[i], "    ");
    }
    text_print(text, "run:\n");
    for (size_t i = 0; i < program->step_count; i++) {
        text_print(text, "  - {kernel: %s, ", program->steps[i].kernel->name);
        print_shape(text, &program->steps[i]);
        text_print(text, ", repeat: %u}\n", program->steps[i].repeat);
    }
}

hx_status hx_program_disassemble(const hx_program *program, hx_write_function write, void *user)
{
    struct output output = {.program = program};
    struct text *text = &output.text;
    text_init(text, program->arena.allocator);
    text_print(text, "program: %s\n", program->name);
    if (program->description[0]) {
        text_print(text, "description: ");
        print_quoted(text, program->description);
        text_print(text, "\n");
    }
    if (program->param_count > 0)
        text_print(text, "params:\n");
    for (size_t i = 0; i < program->param_count; i++) {
        const struct program_param *param = &program->params[i];
        text_print(text, "  - {name: %s, type: %s", param->name, hx_type_name(param->type));
        if (param->has_value) {
            text_print(text, ", value: ");
            values_print(text, &param->bits, param->type);
        }
        text_print(text, "}\n");
    }
    print_arrays(&output, "", "buffers", &program->buffers, true);
    print_arrays(&output, "", "constants", &program->constants, false);
    print_kernels(&output);
    print_expectations(&output);
    hx_status status = text->failed ? HX_NO_MEMORY : write(user, text->at, text->length);
    text_done(text);
    return status;
}
