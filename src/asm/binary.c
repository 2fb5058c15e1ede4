/* The binary form (.hxb).
 *
 * Numbers are little-endian, without padding:
 *
 * - header (4 bytes each): "HXB\x1a", version, checksum of all that follows it, checksum of the instruction
 * set, bytes of the file, where the strings begin
 * - tables: the program, parameters, buffers, constants; for each kernel its arrays, labels, code (16 bytes
 * an instruction) and lines; launches; loops; expectations: each a count and its entries
 * - strings: all names, expressions and paths, each with a NUL; tables have their distances from the first
 *
 * Version 2 has what version 1 lacked: loops, parameters of launches, alignments and dynamic arrays. A
 * program without them is written as version 1, so that it has one form alone.
 *
 * Writing and reading are one walk over the program: `visit_...` functions that append when writing and take
 * when reading, so the two cannot disagree. Nothing that is read is trusted: the checksum guards against
 * damage; against hostility every count, string, index and word is checked, then the program is checked as
 * one from YAML is, and in the end it must give the same bytes when it is written again. */
#include "asm/stream.h"
#include "base/crc32.h"
#include "hexec/launch.h"
#include "program/names.h"

#include <math.h>
#include <string.h>

#define MAGIC        "HXB\x1a"
#define VERSION      1u /* of a program without what version 2 adds */
#define VERSION_LAST 2u
#define HEADER_BYTES 24u
#define AT_VERSION   4u
#define AT_CHECKSUM  8u
#define AT_ISA       12u
#define AT_SIZE      16u
#define AT_STRINGS   20u

/* ---- Parameters and arrays ----------------------------------------------------------------------------- */

/* Of what stands in tables no more is known than the file it is in. */
static struct place nowhere(const struct stream *stream)
{
    return (struct place){&stream->program->source, 0, 0, 0};
}

static void visit_param(struct stream *stream, struct program_param *param)
{
    visit_name(stream, &param->name);
    visit_type(stream, &param->type);
    VISIT(stream, param->has_value, 0, 1);
    if (stream->status == HX_OK && param->has_value)
        visit_bits(stream, &param->bits, param->type);
    if (stream->reading)
        param->place = nowhere(stream);
}

static void visit_random(struct stream *stream, struct fill *fill, enum hx_type type)
{
    VISIT(stream, fill->seed, 0, UINT64_MAX);
    visit_bits(stream, &fill->minimum, type);
    visit_bits(stream, &fill->maximum, type);
    if (stream->reading && stream->status == HX_OK && fill_check_random(fill, type, NULL) != HX_OK)
        visit_refuse(stream, "a random fill has no range");
}

static void visit_fill(struct stream *stream, struct fill *fill, enum hx_type type)
{
    VISIT(stream, fill->kind, 0, FILL_FILE);
    if (stream->reading)
        fill->place = nowhere(stream);
    if (stream->status != HX_OK)
        return;
    switch (fill->kind) {
    case FILL_ZERO:
    case FILL_IOTA:
        break;
    case FILL_RANDOM:
        visit_random(stream, fill, type);
        break;
    case FILL_NUMBER:
        visit_bits(stream, &fill->number_bits, type);
        break;
    case FILL_VALUES:
        visit_elements(stream, &fill->values, &fill->value_count, type);
        break;
    case FILL_FILE:
        visit_string(stream, &fill->path);
        break;
    }
}

/* What shared and local arrays have; the others have what is in them as well. */
static void visit_scratch(struct stream *stream, struct array *array)
{
    bool is_counted = array->count_text != NULL;
    visit_name(stream, &array->name);
    visit_type(stream, &array->type);
    VISIT(stream, is_counted, 0, 1);
    if (stream->status == HX_OK && is_counted)
        visit_string(stream, &array->count_text);
    if (stream->version > VERSION) {
        VISIT(stream, array->align, 0, LIMIT_ALIGN);
        VISIT(stream, array->is_dynamic, 0, 1);
    }
    if (array->align & (array->align - 1) || (array->align && array->align < hx_type_bytes(array->type)))
        visit_refuse(stream, "an alignment is not one");
    if (array->is_dynamic && is_counted)
        visit_refuse(stream, "a dynamic array has a count");
    if (stream->reading) {
        array->place = array->count_place = array->fill.place = nowhere(stream);
        array->access = ACCESS_READWRITE;
    }
}

static void visit_shared(struct stream *stream, struct array *array)
{
    visit_scratch(stream, array);
    if (stream->status == HX_OK && !array->count_text && !array->is_dynamic)
        visit_refuse(stream, "an array has no count");
}

static void visit_local(struct stream *stream, struct array *array)
{
    visit_scratch(stream, array);
    if (stream->status == HX_OK && !array->count_text)
        visit_refuse(stream, "an array has no count");
}

static void visit_constant(struct stream *stream, struct array *array)
{
    visit_scratch(stream, array);
    if (stream->status == HX_OK)
        visit_fill(stream, &array->fill, array->type);
    if (stream->status == HX_OK && array->is_dynamic)
        visit_refuse(stream, "an array is dynamic that is not shared");
    if (stream->status == HX_OK && !array->count_text && array->fill.kind != FILL_VALUES &&
        array->fill.kind != FILL_FILE)
        visit_refuse(stream, "an array has no count");
}

static void visit_buffer(struct stream *stream, struct array *array)
{
    visit_constant(stream, array);
    VISIT(stream, array->access, ACCESS_READ, ACCESS_READWRITE);
}

/* The least that an entry of a table takes. */
#define PARAM_BYTES       6u
#define ARRAY_BYTES       6u
#define LABEL_BYTES       8u
#define LINE_BYTES        12u
#define KERNEL_BYTES      28u
#define STEP_BYTES        16u
#define EXPECTATION_BYTES 19u
#define SETTING_BYTES     4u
#define LOOP_BYTES        14u

/* ---- Kernels ------------------------------------------------------------------------------------------- */

static void visit_word(struct stream *stream, struct word *word)
{
    visit_bytes(stream, word->bytes, sizeof word->bytes);
}

static void visit_line(struct stream *stream, struct code_line *line)
{
    VISIT(stream, line->place.line, 0, INT32_MAX);
    VISIT(stream, line->place.column, 0, INT32_MAX);
    VISIT(stream, line->place.length, 0, INT32_MAX);
    if (stream->reading)
        line->place.source = &stream->program->origin;
}

static void visit_label(struct stream *stream, struct code_label *label)
{
    visit_name(stream, &label->name);
    VISIT(stream, label->target, 0, LIMIT_CODE);
    if (stream->reading && stream->status == HX_OK && program_is_reserved(slice_of(label->name)))
        visit_refuse(stream, "a label has a reserved name");
}

/* Labels stand in order, have different names, and lie within the code. */
static void check_labels(struct stream *stream, const struct kernel *kernel)
{
    struct names names HX_AUTO(names_done) = {.allocator = stream->program->arena.allocator};
    for (size_t i = 0; i < kernel->label_count; i++) {
        const struct code_label *label = &kernel->labels[i];
        if (label->target >= kernel->code_count || (i > 0 && label[-1].target > label->target))
            visit_refuse(stream, "a label is behind the end or out of order");
        if (!names_add(&names, slice_of(label->name), (uint32_t)i))
            visit_no_memory(stream);
    }
    size_t at = 0;
    names_sort(&names);
    if (names_twice(&names, &at))
        visit_refuse(stream, "two labels have one name");
}

static void decode(struct stream *stream, const struct kernel *kernel, uint32_t index)
{
    const char *why;
    struct instruction *instruction = &kernel->code[index];
    if (!instruction_decode(stream->program->isa, &kernel->words[index], instruction, &why)) {
        visit_refuse(stream, why);
        return;
    }
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        const char *problem = program_operand_problem(stream->program, kernel, instruction, i);
        if (problem)
            visit_refuse(stream, problem);
        if (operand->kind == OPERAND_TARGET && !program_find_label(kernel, operand->bits))
            visit_refuse(stream, "a jump leads to no label");
    }
}

/* Words to instructions, and to the text that stands for the source line, which a binary lacks. */
static void decode_kernel(struct stream *stream, struct kernel *kernel)
{
    struct arena *arena = &stream->program->arena;
    check_labels(stream, kernel);
    kernel->code = arena_allocate(arena, kernel->code_count, sizeof *kernel->code);
    if (!kernel->code)
        visit_no_memory(stream);
    struct text text HX_AUTO(text_done) = {.allocator = arena->allocator};
    for (uint32_t i = 0; i < kernel->code_count && stream->status == HX_OK; i++) {
        decode(stream, kernel, i);
        if (stream->status != HX_OK)
            return;
        text.length = 0;
        disassemble_instruction(stream->program, kernel, &kernel->code[i], &text);
        kernel->lines[i].text = text.failed ? NULL : arena_copy(arena, text.at, text.length);
        if (!kernel->lines[i].text)
            visit_no_memory(stream);
    }
}

static void visit_kernel(struct stream *stream, struct kernel *kernel)
{
    uint32_t lines = kernel->code_count;
    visit_name(stream, &kernel->name);
    VISIT_LIST(stream, kernel->shared.items, kernel->shared.count, LIMIT_LIST, ARRAY_BYTES, visit_shared);
    VISIT_LIST(stream, kernel->local.items, kernel->local.count, LIMIT_LIST, ARRAY_BYTES, visit_local);
    VISIT_LIST(stream, kernel->labels, kernel->label_count, UINT32_MAX, LABEL_BYTES, visit_label);
    VISIT_LIST(stream, kernel->words, kernel->code_count, LIMIT_CODE, sizeof(struct word), visit_word);
    VISIT_LIST(stream, kernel->lines, lines, LIMIT_CODE, LINE_BYTES, visit_line);
    if (!stream->reading || stream->status != HX_OK)
        return;
    kernel->place = nowhere(stream);
    kernel->index = (uint16_t)(kernel - stream->program->kernels);
    if (lines != kernel->code_count || lines == 0)
        visit_refuse(stream, "a kernel has no instructions, or other lines than instructions");
    else
        decode_kernel(stream, kernel);
}

/* ---- Launches and expectations ------------------------------------------------------------------------- */

static void visit_setting(struct stream *stream, struct param_setting *setting)
{
    const hx_program *program = stream->program;
    bool is_text = setting->text != NULL;
    VISIT(stream, setting->param, 0, LIMIT_LIST);
    VISIT(stream, is_text, 0, 1);
    if (stream->reading)
        setting->place = nowhere(stream);
    if (stream->status == HX_OK && setting->param >= program->param_count)
        visit_refuse(stream, "a launch sets no parameter");
    if (stream->status != HX_OK)
        return;
    const enum hx_type type = program->params[setting->param].type;
    if (!is_text)
        visit_bits(stream, &setting->bits, type);
    else if (type_is_float(type) || type == HX_TYPE_NONE)
        visit_refuse(stream, "an expression sets a parameter that is not an integer");
    else
        visit_string(stream, &setting->text);
}

static void visit_settings(struct stream *stream, struct launch_step *step)
{
    VISIT_LIST(stream, step->settings, step->setting_count, LIMIT_LIST, SETTING_BYTES, visit_setting);
    for (size_t i = 0; stream->status == HX_OK && i < step->setting_count; i++)
        for (size_t k = 0; k < i; k++)
            if (step->settings[i].param == step->settings[k].param)
                visit_refuse(stream, "a launch sets a parameter twice");
}

static void visit_step(struct stream *stream, struct launch_step *step)
{
    uint64_t kernel = stream->reading ? 0 : step->kernel->index;
    VISIT(stream, kernel, 0, LIMIT_KERNELS);
    for (int i = 0; i < 3; i++)
        VISIT(stream, step->grid[i], 1, limits_grid[i]);
    for (int i = 0; i < 3; i++)
        VISIT(stream, step->block[i], 1, limits_block[i]);
    VISIT(stream, step->repeat, 1, LIMIT_REPEAT);
    VISIT(stream, step->dynamic_shared, 0, LIMIT_SHARED_BYTES);
    if (stream->version > VERSION)
        visit_settings(stream, step);
    if (!stream->reading || stream->status != HX_OK)
        return;
    if (kernel >= stream->program->kernel_count)
        visit_refuse(stream, "a launch names no kernel");
    step->kernel = &stream->program->kernels[kernel];
    step->place = step->block_place = nowhere(stream);
}

static void visit_until(struct stream *stream, struct run_loop *loop)
{
    bool has_index = loop->index_text != NULL;
    VISIT(stream, loop->until_buffer, 0, LIMIT_LIST);
    VISIT(stream, has_index, 0, 1);
    if (stream->status == HX_OK && has_index)
        visit_string(stream, &loop->index_text);
    if (stream->status == HX_OK && loop->until_buffer >= stream->program->buffers.count)
        visit_refuse(stream, "a loop waits for no buffer");
}

static void visit_loop(struct stream *stream, struct run_loop *loop)
{
    const hx_program *program = stream->program;
    bool counts = loop->counter != LOOP_NO_COUNTER;
    VISIT(stream, loop->first, 0, LIMIT_STEPS);
    VISIT(stream, loop->end, 1, LIMIT_STEPS);
    visit_string(stream, &loop->repeat_text);
    VISIT(stream, counts, 0, 1);
    if (stream->reading) {
        loop->counter = LOOP_NO_COUNTER;
        loop->place = loop->repeat_place = loop->until_place = loop->index_place = nowhere(stream);
    }
    if (counts)
        VISIT(stream, loop->counter, 0, LIMIT_LIST);
    if (stream->status == HX_OK && counts &&
        (loop->counter >= program->param_count || type_is_float(program->params[loop->counter].type) ||
         program->params[loop->counter].type == HX_TYPE_NONE))
        visit_refuse(stream, "a counter is not an integer parameter");
    VISIT(stream, loop->has_until, 0, 1);
    if (stream->status == HX_OK && loop->has_until)
        visit_until(stream, loop);
}

/* Loops lie in each other or apart, outer ones first, and not too deep. */
static void check_loops(struct stream *stream)
{
    const hx_program *program = stream->program;
    uint32_t ends[LIMIT_LOOP_DEPTH];
    unsigned depth = 0;
    for (size_t i = 0; i < program->loop_count && stream->status == HX_OK; i++) {
        const struct run_loop *loop = &program->loops[i];
        while (depth > 0 && ends[depth - 1] <= loop->first)
            depth--;
        if (loop->first >= loop->end || loop->end > program->step_count || depth == LIMIT_LOOP_DEPTH ||
            (depth > 0 && loop->end > ends[depth - 1]) || (i > 0 && loop->first < loop[-1].first))
            visit_refuse(stream, "a loop is not where it should be");
        else
            ends[depth++] = loop->end;
    }
}

static bool needs_alignment(const struct array_list *list)
{
    bool needs = false;
    for (size_t i = 0; i < list->count; i++)
        needs |= list->items[i].align != 0 || list->items[i].is_dynamic;
    return needs;
}

/* Has the program what version 1 of the form lacks? */
static bool needs_version_2(const hx_program *program)
{
    bool needs = program->loop_count > 0 || needs_alignment(&program->constants);
    for (size_t i = 0; i < program->kernel_count; i++)
        needs |= needs_alignment(&program->kernels[i].shared) || needs_alignment(&program->kernels[i].local);
    for (size_t i = 0; i < program->step_count; i++)
        needs |= program->steps[i].setting_count > 0;
    return needs;
}

static void visit_expectation(struct stream *stream, struct expectation *expectation)
{
    const hx_program *program = stream->program;
    VISIT(stream, expectation->kind, 0, EXPECT_FAULT);
    VISIT(stream, expectation->buffer, 0, LIMIT_LIST);
    visit_f64(stream, &expectation->rtol);
    visit_f64(stream, &expectation->atol);
    if (stream->status == HX_OK && expectation->kind == EXPECT_FAULT) {
        VISIT(stream, expectation->fault, 1, HX_FAULT_STACK);
        if (stream->reading)
            expectation->place = nowhere(stream);
        if (expectation->buffer != 0 || expectation->rtol != 0 || expectation->atol != 0)
            visit_refuse(stream, "an expected fault has no buffer");
        return;
    }
    if (stream->status == HX_OK && expectation->buffer >= program->buffers.count)
        visit_refuse(stream, "an expectation names no buffer");
    if (stream->status != HX_OK)
        return;
    const enum hx_type type = program->buffers.items[expectation->buffer].type;
    const double larger = expectation->rtol > expectation->atol ? expectation->rtol : expectation->atol;
    const bool is_sound = expectation->rtol >= 0 && expectation->atol >= 0 && isfinite(larger);
    if (stream->reading && (!is_sound || (larger > 0 && !type_is_float(type))))
        visit_refuse(stream, "a tolerance is no tolerance");
    if (expectation->kind == EXPECT_VALUES)
        visit_elements(stream, &expectation->values, &expectation->value_count, type);
    else if (expectation->kind == EXPECT_FILE)
        visit_string(stream, &expectation->file.path);
    else
        VISIT(stream, expectation->crc32, 0, UINT32_MAX);
    if (!stream->reading)
        return;
    expectation->place = expectation->file.place = nowhere(stream);
    expectation->file.kind = FILL_FILE;
    if (stream->status == HX_OK && expectation->kind == EXPECT_VALUES && expectation->value_count == 0)
        visit_refuse(stream, "an expectation has no values");
}

/* ---- The program --------------------------------------------------------------------------------------- */

static void visit_program(struct stream *stream)
{
    hx_program *program = stream->program;
    const char *origin = stream->reading ? NULL : program_origin_name(program);
    visit_string(stream, &origin);
    visit_name(stream, &program->name);
    visit_string(stream, &program->description);
    if (stream->reading)
        program->origin.name = origin;
    VISIT_LIST(stream, program->params, program->param_count, LIMIT_LIST, PARAM_BYTES, visit_param);
    VISIT_LIST(stream, program->buffers.items, program->buffers.count, LIMIT_LIST, ARRAY_BYTES, visit_buffer);
    VISIT_LIST(stream, program->constants.items, program->constants.count, LIMIT_LIST, ARRAY_BYTES,
               visit_constant);
    VISIT_LIST(stream, program->kernels, program->kernel_count, LIMIT_KERNELS, KERNEL_BYTES, visit_kernel);
    VISIT_LIST(stream, program->steps, program->step_count, LIMIT_STEPS, STEP_BYTES, visit_step);
    if (stream->version > VERSION)
        VISIT_LIST(stream, program->loops, program->loop_count, LIMIT_STEPS * LIMIT_LOOP_DEPTH, LOOP_BYTES,
                   visit_loop);
    VISIT_LIST(stream, program->expectations, program->expectation_count, LIMIT_LIST, EXPECTATION_BYTES,
               visit_expectation);
    if (!stream->reading || stream->status != HX_OK)
        return;
    if (stream->at != stream->end)
        visit_refuse(stream, "something stands behind the tables");
    check_loops(stream);
    if (stream->status == HX_OK &&
        (origin[0] == 0 || strchr(origin, '/') || program->kernel_count == 0 || program->step_count == 0))
        visit_refuse(stream, "it has no origin, kernel or launch");
}

/* ---- The file ------------------------------------------------------------------------------------------ */

bool binary_is(const void *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, MAGIC, 4) == 0;
}

static uint32_t get_u32(const char *file, size_t at)
{
    const unsigned char *bytes = (const unsigned char *)file + at;
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void put_u32(char *file, size_t at, uint32_t value)
{
    for (size_t i = 0; i < 4; i++)
        file[at + i] = (char)(value >> (8 * i));
}

static hx_status damaged(const hx_program *program, hx_diag *diag, size_t offset, const char *why)
{
    const struct place place = {&program->source, 0, 0, 0};
    return diag_report(diag, DIAG_BINARY_FORMAT, place, "make it again with hexec asm",
                       "this binary cannot be used: %s (at byte %zu)", why, offset);
}

static hx_status check_header(const hx_program *program, const char *file, size_t size, hx_diag *diag)
{
    if (size < HEADER_BYTES)
        return damaged(program, diag, size, "it is cut off");
    if (get_u32(file, AT_VERSION) < VERSION || get_u32(file, AT_VERSION) > VERSION_LAST)
        return damaged(program, diag, AT_VERSION, "it is of another version");
    if (get_u32(file, AT_SIZE) != size)
        return damaged(program, diag, AT_SIZE, "it is longer or shorter than it says");
    if (get_u32(file, AT_CHECKSUM) != crc32_of(file + AT_ISA, size - AT_ISA))
        return damaged(program, diag, AT_CHECKSUM, "its checksum is wrong");
    if (get_u32(file, AT_ISA) != program->isa->crc)
        return diag_report(diag, DIAG_BINARY_ISA, (struct place){&program->source, 0, 0, 0},
                           "assemble it again, or give its instruction set with --isa",
                           "this binary was made with another instruction set than '%s'", program->isa->name);
    const uint32_t strings = get_u32(file, AT_STRINGS);
    if (strings < HEADER_BYTES || strings >= size || file[size - 1] != 0)
        return damaged(program, diag, AT_STRINGS, "its strings are not where they should be");
    return HX_OK;
}

/* The program must be what hexec would have written: nothing in the file is without meaning. */
static hx_status check_canonical(hx_program *program, const char *file, size_t size, hx_diag *diag)
{
    void *again;
    size_t again_size;
    hx_status status = hx_program_to_binary(program, diag, &again, &again_size);
    if (status != HX_OK)
        return status;
    size_t same = 0;
    while (same < size && same < again_size && ((const char *)again)[same] == file[same])
        same++;
    hx_program_free_bytes(program, again);
    return same == size && size == again_size ? HX_OK
                                              : damaged(program, diag, same, "it is not as hexec writes it");
}

hx_status binary_load(hx_program *program, hx_diag *diag)
{
    const char *file = program->source.text;
    const size_t size = program->source.bytes;
    program->source.text = NULL; /* diagnostics have no lines to show */
    program->source.bytes = 0;
    hx_status status = check_header(program, file, size, diag);
    if (status != HX_OK)
        return status;
    const size_t strings = get_u32(file, AT_STRINGS);
    struct stream stream = {.reading = true,
                            .program = program,
                            .version = get_u32(file, AT_VERSION),
                            .at = file + HEADER_BYTES,
                            .end = file + strings,
                            .strings = file + strings,
                            .string_bytes = size - strings};
    visit_program(&stream);
    if (stream.status == HX_INVALID)
        return damaged(program, diag, (size_t)(stream.at - file), stream.why);
    if (stream.status != HX_OK)
        return diag_no_memory(diag);
    status = program_check(program, diag);
    return status == HX_OK ? check_canonical(program, file, size, diag) : status;
}

/* A file that --buffer named is found from the working directory, of which a binary knows nothing. */
static hx_status check_fills(const hx_program *program, hx_diag *diag)
{
    for (size_t i = 0; i < program->buffers.count; i++)
        if (program->buffers.items[i].fill.from_working_directory)
            return diag_report(diag, DIAG_PROGRAM_FILL, program->buffers.items[i].place,
                               "name the file in the program",
                               "'%s' is filled from the working directory, which a binary cannot say",
                               program->buffers.items[i].name);
    return HX_OK;
}

hx_status hx_program_to_binary(const hx_program *program, hx_diag *diag, void **ret_bytes, size_t *ret_size)
{
    DIAG_REQUIRE(diag, program);
    DIAG_REQUIRE(diag, ret_bytes);
    DIAG_REQUIRE(diag, ret_size);
    hx_status status = check_fills(program, diag);
    if (status != HX_OK)
        return status;
    const hx_allocator *allocator = program->arena.allocator;
    struct stream stream = {.program = (hx_program *)(uintptr_t)program,
                            .version = needs_version_2(program) ? VERSION_LAST : VERSION};
    const char header[HEADER_BYTES] = MAGIC;
    text_init(&stream.out, allocator);
    text_init(&stream.out_strings, allocator);
    text_append(&stream.out, header, HEADER_BYTES);
    visit_program(&stream); /* writing changes nothing of the program */
    const size_t tables = stream.out.length;
    if (!stream.out_strings.failed)
        text_append(&stream.out, stream.out_strings.at, stream.out_strings.length);
    const bool failed = stream.out.failed || stream.out_strings.failed || stream.out.length > UINT32_MAX;
    text_done(&stream.out_strings);
    if (failed) {
        text_done(&stream.out);
        return diag_no_memory(diag);
    }
    char *file = stream.out.at;
    const size_t size = stream.out.length;
    put_u32(file, AT_VERSION, stream.version);
    put_u32(file, AT_ISA, program->isa->crc);
    put_u32(file, AT_SIZE, (uint32_t)size);
    put_u32(file, AT_STRINGS, (uint32_t)tables);
    put_u32(file, AT_CHECKSUM, crc32_of(file + AT_ISA, size - AT_ISA));
    *ret_bytes = file;
    *ret_size = size;
    return HX_OK;
}
