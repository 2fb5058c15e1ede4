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
 * Version 3 has outcomes behind the expectations; version 2 has what version 1 lacked: loops, parameters of
 * launches, alignments, dynamic arrays and addresses as values. A program is written as the first version
 * that has all of it, so that it has one form alone.
 *
 * Writing and reading are one walk over the program: `visit_...` functions that append when writing and take
 * when reading, so the two cannot disagree. Nothing that is read is trusted: the checksum guards against
 * damage; against hostility every count, string, index and word is checked, then the program is checked as
 * one from YAML is, and in the end it must give the same bytes when it is written again. */
#include "asm/tables.h"
#include "base/crc32.h"
#include "hexec/launch.h"
#include "program/names.h"

#include <math.h>
#include <string.h>

#define MAGIC        "HXB\x1a"
#define VERSION_LAST 3u /* of a program with outcomes */
#define VERSION_RUN  2u
#define HEADER_BYTES 24u
#define AT_VERSION   4u
#define AT_CHECKSUM  8u
#define AT_ISA       12u
#define AT_SIZE      16u
#define AT_STRINGS   20u

/* The least that an entry of a table takes. */
#define LABEL_BYTES       8u
#define LINE_BYTES        12u
#define KERNEL_BYTES      28u
#define EXPECTATION_BYTES 19u
#define OUTCOME_BYTES     21u

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
    kernel->place = visit_nowhere(stream);
    kernel->index = (uint16_t)(kernel - stream->program->kernels);
    if (lines != kernel->code_count || lines == 0)
        visit_refuse(stream, "a kernel has no instructions, or other lines than instructions");
    else
        decode_kernel(stream, kernel);
}

/* ---- Expectations -------------------------------------------------------------------------------------- */

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
            expectation->place = visit_nowhere(stream);
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
    expectation->place = expectation->file.place = visit_nowhere(stream);
    expectation->file.kind = FILL_FILE;
    if (stream->status == HX_OK && expectation->kind == EXPECT_VALUES && expectation->value_count == 0)
        visit_refuse(stream, "an expectation has no values");
}

static void visit_outcome(struct stream *stream, struct outcome *outcome)
{
    visit_string(stream, &outcome->name);
    VISIT(stream, outcome->is, 0, OUTCOME_REQUIRED);
    visit_expectation(stream, &outcome->expects);
    if (!stream->reading)
        return;
    outcome->place = visit_nowhere(stream);
    if (stream->status == HX_OK &&
        (outcome->expects.kind != EXPECT_VALUES || outcome->expects.rtol != 0 || outcome->expects.atol != 0))
        visit_refuse(stream, "an outcome has no values, or a tolerance");
}

static bool arrays_need_version_2(const struct array_list *list)
{
    bool needs = false;
    for (size_t i = 0; i < list->count; i++)
        needs |= list->items[i].align != 0 || list->items[i].is_dynamic ||
                 list->items[i].fill.relocation_count > 0;
    return needs;
}

/* Has the program what version 1 of the form lacks? */
static bool needs_version_2(const hx_program *program)
{
    bool needs = program->loop_count > 0 || arrays_need_version_2(&program->buffers) ||
                 arrays_need_version_2(&program->constants);
    for (size_t i = 0; i < program->kernel_count; i++)
        needs |= arrays_need_version_2(&program->kernels[i].shared) ||
                 arrays_need_version_2(&program->kernels[i].local);
    for (size_t i = 0; i < program->step_count; i++)
        needs |= program->steps[i].setting_count > 0;
    for (size_t i = 0; i < program->param_count; i++)
        needs |= program->params[i].target.kind != TARGET_NONE || program->params[i].follows;
    return needs;
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
    if (stream->version > BINARY_VERSION)
        VISIT_LIST(stream, program->loops, program->loop_count, LIMIT_STEPS * LIMIT_LOOP_DEPTH, LOOP_BYTES,
                   visit_loop);
    VISIT_LIST(stream, program->expectations, program->expectation_count, LIMIT_LIST, EXPECTATION_BYTES,
               visit_expectation);
    if (stream->version == VERSION_LAST)
        VISIT_LIST(stream, program->outcomes, program->outcome_count, LIMIT_LIST, OUTCOME_BYTES,
                   visit_outcome);
    if (!stream->reading || stream->status != HX_OK)
        return;
    if (stream->at != stream->end)
        visit_refuse(stream, "something stands behind the tables");
    visit_check_loops(stream);
    visit_check_addresses(stream);
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
    if (get_u32(file, AT_VERSION) < BINARY_VERSION || get_u32(file, AT_VERSION) > VERSION_LAST)
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
                            .version = program->outcome_count > 0 ? VERSION_LAST
                                       : needs_version_2(program) ? VERSION_RUN
                                                                  : BINARY_VERSION};
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
