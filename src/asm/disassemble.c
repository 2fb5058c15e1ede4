/* The disassembler: a program as a YAML file that assembles to the same bytes.
 *
 * It knows forms, not opcodes: each operand is printed by its kind. Numbers are printed so that they come
 * back as they were; labels keep their names. Where instructions came from stands apart, as `lines`. */
#include "asm/asm.h"
#include "base/machine.h"
#include "base/source_lines.h"
#include "hexec/launch.h"
#include "program/address.h"

#include <math.h>
#include <string.h>

struct output {
    const hx_program *program;
    const struct kernel *kernel;
    struct text *text;
    struct source_lines *lines; /* of the source, as comments; or NULL */
    struct shown *shown;        /* NULL: nobody wants to know where instructions are in the text */
};

/* Where the text has the instructions of the kernels. */
struct shown {
    struct arena *arena;
    struct code_line **lines; /* of each kernel */
    size_t counted;           /* bytes of the text before which */
    int line;                 /* this line is counted */
};

/* Characters that YAML 1.1 does not take as they are, or takes for line ends (5.1, 5.4). */
static bool is_printable(uint32_t character)
{
    return (character >= 0x20 && character < 0x7f) ||
           (character >= 0xa0 && character < 0xd800 && character != 0x2028 && character != 0x2029) ||
           (character >= 0xe000 && character < 0xfffe && character != 0xfeff) || character >= 0x10000;
}

/* A string in double quotes. */
static void print_quoted(struct text *text, const char *string)
{
    uint32_t character = 0;
    text_append(text, "\"", 1);
    for (size_t left = strlen(string), length; left > 0; string += length, left -= length) {
        length = text_utf8_length(string, left, &character);
        if (length == 0) { /* names of files need not be UTF-8 */
            length = 1;
            character = (unsigned char)*string;
        }
        if (character == '"' || character == '\\')
            text_append(text, "\\", 1);
        if (is_printable(character))
            text_append(text, string, length);
        else
            text_print(text, character > 0xffff ? "\\U%08x" : "\\u%04x", character);
    }
    text_append(text, "\"", 1);
}

/* A number that reads back as these bits: NaNs but the canonical one as raw bits. */
static void print_number(struct text *text, const void *element, enum hx_type type)
{
    const uint64_t bits = values_bits(element, type);
    if (!type_is_float(type) || !isnan(values_to_f64(element, type)) ||
        bits == values_float_bits((double)NAN, type)) {
        values_print(text, element, type);
        return;
    }
    const unsigned width = type_bits(type);
    text_print(text, "0%c%0*llx",
               width == 16   ? 'h'
               : width == 32 ? 'f'
                             : 'd',
               (int)width / 4, (unsigned long long)bits);
}

/* ---- Instructions -------------------------------------------------------------------------------------- */

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
    struct text *text = output->text;
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

static void print_operand(struct output *output, const struct instruction *instruction, unsigned index)
{
    const struct operand *operand = &instruction->operands[index];
    const enum hx_type type = instruction_operand_type(instruction, index);
    struct text *text = output->text;
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
        if (type < HX_TYPE_PRED)
            print_number(text, &operand->bits, type);
        else
            text_print(text, "%llu", (unsigned long long)operand->bits);
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
        text_print(text, "%s", program_find_label(output->kernel, operand->bits)->name);
        break;
    case OPERAND_SINK:
        text_print(text, "_");
        break;
    }
}

void disassemble_form(const struct instruction *instruction, struct text *text)
{
    const struct isa_opcode *opcode = instruction->opcode;
    text_print(text, "%s", opcode->mnemonic);
    for (int group = 0; group < GROUP_COUNT; group++)
        if (instruction->modifiers[group])
            text_print(text, ".%s", modifier_text(group, instruction->modifiers[group]));
    if (opcode->types)
        text_print(text, ".%s", hx_type_name(instruction->type));
    if (opcode->source_types)
        text_print(text, ".%s", hx_type_name(instruction->source_type));
}

void disassemble_instruction(const hx_program *program, const struct kernel *kernel,
                             const struct instruction *instruction, struct text *text)
{
    struct output output = {.program = program, .kernel = kernel, .text = text};
    const struct isa_opcode *opcode = instruction->opcode;
    if (instruction->guard >= 0)
        text_print(text, "@%sp%d ", instruction->guard_negated ? "!" : "", instruction->guard);
    disassemble_form(instruction, text);
    for (unsigned i = 0; i < opcode->form_count && instruction->operands[i].kind != OPERAND_ABSENT; i++) {
        if (instruction->operands[i].kind == OPERAND_SINK && opcode->forms[i].optional)
            continue; /* the assembler drops the result as well */
        text_print(text, i ? ", " : " ");
        print_operand(&output, instruction, i);
    }
}

/* The source's line as a comment, where it is another one than that of the instruction before. */
static void print_source_line(const struct output *output, const struct kernel *kernel, uint32_t index,
                              const char *indent)
{
    const struct place *place = &kernel->lines[index].place;
    const struct place *before = index > 0 ? &kernel->lines[index - 1].place : NULL;
    if (!place->source || (before && before->source == place->source && before->line == place->line))
        return;
    const struct slice line = slice_trim(source_lines_at(output->lines, place->source, place->line));
    if (line.length > 0)
        text_print(output->text, "%s  # %d: " SLICE_FORMAT "\n", indent, place->line, SLICE_ARGS(line));
}

/* Notes where the text has instruction `at`, which begins at `start` and ends where the text does. */
static void note_line(struct output *output, uint32_t at, size_t start, size_t column)
{
    struct text *text = output->text;
    struct shown *shown = output->shown;
    if (text->failed)
        return;
    for (; shown->counted < start; shown->counted++)
        shown->line += text->at[shown->counted] == '\n';
    const size_t length = text->length - start;
    const char *line = arena_copy(shown->arena, text->at + start, length);
    shown->lines[output->kernel->index][at] =
        (struct code_line){{NULL, shown->line, (int)column, (int)length}, line, false};
    text->failed |= !line;
}

static void print_code(struct output *output, const struct kernel *kernel, const char *indent)
{
    struct text *text = output->text;
    size_t label = 0;
    text_print(text, "%scode: |\n%s  # %u instruction%s\n", indent, indent, kernel->code_count,
               kernel->code_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        for (; label < kernel->label_count && kernel->labels[label].target == i; label++)
            text_print(text, "%s  %s:\n", indent, kernel->labels[label].name);
        if (output->lines)
            print_source_line(output, kernel, i, indent);
        text_print(text, "%s      ", indent);
        const size_t start = text->length;
        disassemble_instruction(output->program, kernel, &kernel->code[i], text);
        if (output->shown)
            note_line(output, i, start, strlen(indent) + 7);
        text_append(text, "\n", 1);
    }
}

/* For each instruction line, column and length of what it was made of in the file called `origin`. */
static void print_lines(struct output *output, const struct kernel *kernel, const char *indent)
{
    struct text *text = output->text;
    text_print(text, "%slines: |", indent);
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        const struct place *place = &kernel->lines[i].place;
        if (i % 8 == 0)
            text_print(text, "\n%s ", indent);
        text_print(text, " %d:%d:%d", place->line, place->column, place->length);
    }
    text_append(text, "\n", 1);
}

/* ---- Tables -------------------------------------------------------------------------------------------- */

/* `fill`: whose values they are, with its addresses; or NULL. */
static void print_values(const struct output *output, const void *values, size_t count, enum hx_type type,
                         const struct fill *fill)
{
    struct text *text = output->text;
    text_print(text, "[");
    for (size_t i = 0, address = 0; i < count; i++) {
        text_print(text, i ? ", " : "");
        if (fill && address < fill->relocation_count && fill->relocations[address].element == i)
            address_print(text, output->program, &fill->relocations[address++].address, type);
        else
            print_number(text, (const char *)values + i * hx_type_bytes(type), type);
    }
    text_print(text, "]");
}

static void print_fill(const struct output *output, const struct fill *fill, enum hx_type type)
{
    struct text *text = output->text;
    switch (fill->kind) {
    case FILL_ZERO:
        break;
    case FILL_IOTA:
        text_print(text, ", fill: iota");
        break;
    case FILL_RANDOM:
        text_print(text, ", fill: random, seed: %llu, min: ", (unsigned long long)fill->seed);
        print_number(text, &fill->minimum, type);
        text_print(text, ", max: ");
        print_number(text, &fill->maximum, type);
        break;
    case FILL_NUMBER:
        text_print(text, ", fill: ");
        print_number(text, &fill->number_bits, type);
        break;
    case FILL_VALUES:
        if (fill_is_none(fill)) {
            text_print(text, ", fill: none");
            break;
        }
        text_print(text, ", values: ");
        print_values(output, fill->values, fill->value_count, type, fill);
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
    struct text *text = output->text;
    if (list->count > 0)
        text_print(text, "%s%s:\n", indent, key);
    for (size_t i = 0; i < list->count; i++) {
        const struct array *array = &list->items[i];
        text_print(text, "%s  - {name: %s, type: %s", indent, array->name, hx_type_name(array->type));
        if (array->count_text) {
            text_print(text, ", count: ");
            print_quoted(text, array->count_text);
        }
        if (array->is_dynamic)
            text_print(text, ", count: dynamic");
        if (array->align)
            text_print(text, ", align: %u", array->align);
        print_fill(output, &array->fill, array->type);
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
    struct text *text = output->text;
    text_print(text, program->expectation_count > 0 ? "expect:\n" : "");
    for (size_t i = 0; i < program->expectation_count; i++) {
        const struct expectation *expectation = &program->expectations[i];
        if (expectation->kind == EXPECT_FAULT) {
            text_print(text, "  - {fault: %s}\n", hx_fault_name((hx_fault_kind)expectation->fault));
            continue;
        }
        const struct array *array = &program->buffers.items[expectation->buffer];
        text_print(text, "  - {buffer: %s, ", array->name);
        if (expectation->kind == EXPECT_CRC32)
            text_print(text, "crc32: 0x%08x", expectation->crc32);
        else if (expectation->kind == EXPECT_FILE) {
            text_print(text, "file: ");
            print_quoted(text, expectation->file.path);
        } else {
            text_print(text, "values: ");
            print_values(output, expectation->values, expectation->value_count, array->type, NULL);
        }
        text_print(text, ", rtol: ");
        text_print_f64(text, expectation->rtol);
        text_print(text, ", atol: ");
        text_print_f64(text, expectation->atol);
        text_print(text, "}\n");
    }
}

static void print_outcomes(struct output *output)
{
    for (size_t i = 0; i < output->program->outcome_count; i++) {
        const struct outcome *outcome = &output->program->outcomes[i];
        const struct array *array = &output->program->buffers.items[outcome->expects.buffer];
        text_print(output->text, "%s  - {name: ", i == 0 ? "outcomes:\n" : "");
        print_quoted(output->text, outcome->name);
        text_print(output->text, ", is: %s, ", outcome_words[outcome->is]);
        text_print(output->text, "buffer: %s, values: ", array->name);
        print_values(output, outcome->expects.values, outcome->expects.value_count, array->type, NULL);
        text_print(output->text, "}\n");
    }
}

static void print_kernel(struct output *output, const struct kernel *kernel, const char *indent)
{
    output->kernel = kernel;
    print_arrays(output, indent, "shared", &kernel->shared, false);
    print_arrays(output, indent, "local", &kernel->local, false);
    print_code(output, kernel, indent);
    if (!output->shown)
        print_lines(output, kernel, indent);
}

/* Expressions as they are written: in quotes, so that no character of theirs is one of YAML's. */
static void print_loop(struct output *output, const struct run_loop *loop, unsigned indent)
{
    const hx_program *program = output->program;
    struct text *text = output->text;
    text_print(text, "%*s- repeat: ", (int)indent, "");
    print_quoted(text, loop->repeat_text);
    if (loop->counter != LOOP_NO_COUNTER)
        text_print(text, "\n%*s  counter: %s", (int)indent, "", program->params[loop->counter].name);
    if (loop->has_until) {
        text_print(text, "\n%*s  until: {buffer: %s", (int)indent, "",
                   program->buffers.items[loop->until_buffer].name);
        if (loop->index_text) {
            text_print(text, ", index: ");
            print_quoted(text, loop->index_text);
        }
        text_print(text, "}");
    }
    text_print(text, "\n%*s  run:\n", (int)indent, "");
}

/* "$x + 4 * n": the target stands in the place of the first 0. */
static void print_distant(struct text *text, const hx_program *program, const struct param_setting *setting)
{
    struct text address HX_AUTO(text_done) = {.allocator = program->arena.allocator};
    address_print_target(&address, program, &setting->target);
    text_print(&address, "%s", setting->text ? setting->text + 1 : "");
    if (address.failed)
        text->failed = true;
    else
        print_quoted(text, address.at);
}

static void print_step(struct output *output, const struct launch_step *step, unsigned indent)
{
    const hx_program *program = output->program;
    struct text *text = output->text;
    text_print(text, "%*s- {kernel: %s, ", (int)indent, "", step->kernel->name);
    print_shape(text, step);
    for (size_t i = 0; i < step->setting_count; i++) {
        const struct param_setting *setting = &step->settings[i];
        const struct program_param *param = &program->params[setting->param];
        text_print(text, "%s%s: ", i ? ", " : ", params: {", param->name);
        if (setting->from)
            text_print(text, "%s", program->params[setting->from - 1].name);
        else if (setting->target.kind != TARGET_NONE)
            print_distant(text, program, setting);
        else if (setting->text)
            print_quoted(text, setting->text);
        else
            print_number(text, &setting->bits, param->type);
    }
    text_print(text, "%s, repeat: %u}\n", step->setting_count ? "}" : "", step->repeat);
}

static void print_run(struct output *output)
{
    const hx_program *program = output->program;
    uint32_t ends[LIMIT_LOOP_DEPTH];
    unsigned depth = 0;
    size_t loop = 0;
    text_print(output->text, "run:\n");
    for (size_t i = 0; i < program->step_count; i++) {
        while (depth > 0 && ends[depth - 1] == i)
            depth--;
        for (; loop < program->loop_count && program->loops[loop].first == i; loop++) {
            print_loop(output, &program->loops[loop], 2 + 4 * depth);
            ends[depth++] = program->loops[loop].end;
        }
        print_step(output, &program->steps[i], 2 + 4 * depth);
    }
}

static void print_kernels(struct output *output)
{
    const hx_program *program = output->program;
    struct text *text = output->text;
    const bool is_one = program->kernel_count == 1 && program->step_count == 1 && program->loop_count == 0 &&
                        program->steps[0].setting_count == 0 && program->steps[0].repeat == 1 &&
                        strcmp(program->kernels[0].name, program->name) == 0;
    if (is_one) {
        text_print(text, "launch: {");
        print_shape(text, &program->steps[0]);
        text_print(text, "}\n");
        print_kernel(output, &program->kernels[0], "");
        return;
    }
    text_print(text, "kernels:\n");
    for (size_t i = 0; i < program->kernel_count; i++) {
        text_print(text, "  - name: %s\n", program->kernels[i].name);
        print_kernel(output, &program->kernels[i], "    ");
    }
    print_run(output);
}

static void print_param(const struct output *output, const struct program_param *param)
{
    const unsigned shift = 64 - type_bits(param->type);
    const struct address address = {.target = param->target,
                                    .addend = (int64_t)(param->bits << shift) >> shift};
    if (param->follows)
        text_print(output->text, "%s", output->program->params[param->follows - 1].name);
    else if (param->target.kind == TARGET_NONE)
        print_number(output->text, &param->bits, param->type);
    else
        address_print(output->text, output->program, &address, param->type);
}

static void print_params(struct output *output)
{
    const hx_program *program = output->program;
    struct text *text = output->text;
    if (program->param_count > 0)
        text_print(text, "params:\n");
    for (size_t i = 0; i < program->param_count; i++) {
        const struct program_param *param = &program->params[i];
        text_print(text, "  - {name: %s, type: %s", param->name, hx_type_name(param->type));
        if (param->has_value) {
            text_print(text, ", value: ");
            print_param(output, param);
        }
        text_print(text, "}\n");
    }
}

static void print_all(struct output *output)
{
    const hx_program *program = output->program;
    struct text *text = output->text;
    text_print(text, "program: %s\norigin: ", program->name);
    print_quoted(text, program_origin_name(program));
    text_print(text, "\n");
    if (program->description[0]) {
        text_print(text, "description: ");
        print_quoted(text, program->description);
        text_print(text, "\n");
    }
    print_params(output);
    print_arrays(output, "", "buffers", &program->buffers, true);
    print_arrays(output, "", "constants", &program->constants, false);
    print_kernels(output);
    print_expectations(output);
    print_outcomes(output);
}

static hx_status print_program(const hx_program *program, bool with_source, hx_write_function write,
                               void *user)
{
    MACHINE_FLOATS;
    struct text text HX_AUTO(text_done) = {.allocator = program->arena.allocator};
    struct source_lines lines HX_AUTO(source_lines_done) = {.allocator = text.allocator};
    struct output output = {.program = program, .text = &text, .lines = with_source ? &lines : NULL};
    print_all(&output);
    return text.failed ? HX_NO_MEMORY : write(user, text.at, text.length);
}

/* --- as the source of itself ---------------------------------------------------------------------------- */

static void take_lines(hx_program *program, const struct shown *shown, const struct source *source)
{
    for (size_t k = 0; k < program->kernel_count; k++)
        for (uint32_t i = 0; program->kernels[k].is_imported && i < program->kernels[k].code_count; i++) {
            program->kernels[k].lines[i] = shown->lines[k][i];
            program->kernels[k].lines[i].place.source = source;
        }
}

hx_status disassemble_as_source(hx_program *program)
{
    struct arena *arena = &program->arena;
    struct text text HX_AUTO(text_done) = {.allocator = arena->allocator};
    struct shown shown = {.arena = arena,
                          .lines = ARENA_ARRAY(arena, struct code_line *, program->kernel_count + 1),
                          .line = 1};
    struct output output = {.program = program, .text = &text, .shown = &shown};
    struct source *source = ARENA_NEW(arena, struct source);
    bool is_made = shown.lines && source;
    for (size_t k = 0; is_made && k < program->kernel_count; k++) {
        shown.lines[k] = ARENA_ARRAY(arena, struct code_line, program->kernels[k].code_count + 1);
        is_made = shown.lines[k] != NULL;
    }
    if (is_made)
        print_all(&output);
    is_made = is_made && !text.failed;
    if (is_made)
        *source = (struct source){.name = arena_format(arena, "%s.hexec", program_origin_name(program)),
                                  .text = arena_copy(arena, text.at, text.length),
                                  .bytes = text.length};
    if (!is_made || !source->name || !source->text)
        return HX_NO_MEMORY;
    take_lines(program, &shown, source);
    return HX_OK;
}

hx_status hx_program_disassemble(const hx_program *program, hx_write_function write, void *user)
{
    DIAG_REQUIRE(NULL, program);
    DIAG_REQUIRE(NULL, write);
    return print_program(program, false, write, user);
}

hx_status hx_program_disassemble_source(const hx_program *program, hx_write_function write, void *user)
{
    DIAG_REQUIRE(NULL, program);
    DIAG_REQUIRE(NULL, write);
    return print_program(program, true, write, user);
}
