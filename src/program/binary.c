/* The binary form (.hxb).
 *
 * A header (magic, version, the instruction set's checksum, the checksum of what follows) and then one stream
 * of records in a fixed order. Writing and reading are the same walk over the program: `visit_...` functions
 * that append when writing and take when reading, so the two cannot disagree. Reading takes nothing on trust:
 * the checksum guards against damage, and every count, string, index and word is checked against hostility.
 */
#include "base/crc32.h"
#include "program/parts.h"

#include <string.h>

#define MAGIC        "HXB\x1a"
#define VERSION      1u
#define HEADER_BYTES 20u /* magic, version, isa crc, payload bytes, payload crc */
#define ITEMS_MAX    1000000u

struct stream {
    bool reading;
    hx_program *program;
    hx_diag *diag;
    struct text out;      /* writing */
    const char *at, *end; /* reading */
    const char *start;
    hx_status status;
    const char *why;
};

static void refuse(struct stream *stream, const char *why)
{
    if (stream->status == HX_OK) {
        stream->status = HX_INVALID;
        stream->why = why;
    }
}

static void visit_bytes(struct stream *stream, void *bytes, size_t size)
{
    if (stream->status != HX_OK)
        return;
    if (!stream->reading) {
        text_append(&stream->out, bytes, size);
    } else if ((size_t)(stream->end - stream->at) < size) {
        refuse(stream, "it is cut off");
    } else {
        memcpy(bytes, stream->at, size);
        stream->at += size;
    }
}

static void visit_u64(struct stream *stream, uint64_t *value, uint64_t most)
{
    visit_bytes(stream, value, sizeof *value); /* little-endian, as all of hexec's hosts */
    if (*value > most)
        refuse(stream, "a number is out of range");
}

/* A number of any width through a 64-bit one. */
#define VISIT(stream, lvalue, most)                                                                          \
    do {                                                                                                     \
        uint64_t visited = (uint64_t)(lvalue);                                                               \
        visit_u64(stream, &visited, most);                                                                   \
        if ((stream)->reading && (stream)->status == HX_OK)                                                  \
            (lvalue) = (__typeof__(lvalue))visited;                                                          \
    } while (0)

static void *take_memory(struct stream *stream, size_t count, size_t size)
{
    /* every item takes at least a byte of the stream, so a count beyond it is a lie and costs no memory */
    if (stream->status == HX_OK && count > (size_t)(stream->end - stream->at))
        refuse(stream, "a count is larger than the file");
    void *memory = stream->status == HX_OK ? arena_allocate(&stream->program->arena, count, size) : NULL;
    if (!memory && stream->status == HX_OK)
        stream->status = HX_NO_MEMORY;
    return memory;
}

static void visit_blob(struct stream *stream, const void **bytes, size_t size)
{
    if (!stream->reading) {
        visit_bytes(stream, (void *)(uintptr_t)*bytes, size);
        return;
    }
    char *copy = take_memory(stream, size + (size == 0 && stream->at < stream->end), 1);
    if (copy)
        visit_bytes(stream, copy, size);
    *bytes = copy;
}

/* A string: its length + 1, or 0 for NULL. */
static void visit_string(struct stream *stream, const char **string)
{
    uint64_t length = !stream->reading && *string ? strlen(*string) + 1 : 0;
    visit_u64(stream, &length, UINT32_MAX);
    if (stream->status != HX_OK || length == 0) {
        *string = stream->reading ? NULL : *string;
        return;
    }
    length--;
    if (!stream->reading) {
        visit_bytes(stream, (void *)(uintptr_t)*string, length);
        return;
    }
    if (length > (size_t)(stream->end - stream->at) || memchr(stream->at, 0, length)) {
        refuse(stream, "a string is cut off or holds a NUL");
        return;
    }
    *string = arena_copy(&stream->program->arena, stream->at, length);
    stream->at += length;
    if (!*string)
        stream->status = HX_NO_MEMORY;
}

static void visit_name(struct stream *stream, const char **name)
{
    visit_string(stream, name);
    if (stream->reading && stream->status == HX_OK && (!*name || !program_is_name(slice_of(*name))))
        refuse(stream, "a name is no name");
}

static void visit_place(struct stream *stream, struct place *place)
{
    VISIT(stream, place->line, INT32_MAX);
    VISIT(stream, place->column, INT32_MAX);
    VISIT(stream, place->length, INT32_MAX);
    if (stream->reading)
        place->source = &stream->program->source;
}

static void visit_type(struct stream *stream, enum hx_type *type)
{
    VISIT(stream, *type, HX_TYPE_F64);
}

/* ---- Parts of a program -------------------------------------------------------------------------------- */

static void visit_param(struct stream *stream, struct program_param *param)
{
    visit_name(stream, &param->name);
    visit_type(stream, &param->type);
    VISIT(stream, param->bits, UINT64_MAX);
    VISIT(stream, param->has_value, 1);
    visit_place(stream, &param->place);
    if (stream->status == HX_OK && type_bits(param->type) < 64 && param->bits >> type_bits(param->type))
        refuse(stream, "a parameter's value does not fit its type");
}

static void visit_f64(struct stream *stream, double *value)
{
    visit_bytes(stream, value, sizeof *value);
}

static void visit_fill(struct stream *stream, struct fill *fill, enum hx_type type)
{
    VISIT(stream, fill->kind, FILL_FILE);
    VISIT(stream, fill->seed, UINT64_MAX);
    visit_f64(stream, &fill->minimum);
    visit_f64(stream, &fill->maximum);
    VISIT(stream, fill->number_bits, UINT64_MAX);
    VISIT(stream, fill->value_count, UINT32_MAX);
    visit_blob(stream, &fill->values, fill->value_count * hx_type_bytes(type));
    visit_string(stream, &fill->path);
    visit_place(stream, &fill->place);
    if (stream->status != HX_OK)
        return;
    if (fill->kind == FILL_FILE && !fill->path)
        refuse(stream, "a fill lacks its file");
    if (!(fill->minimum <= fill->maximum) || fill->maximum - fill->minimum > 1.7e308)
        refuse(stream, "a random fill has no range");
}

static void visit_array(struct stream *stream, struct array *array)
{
    visit_name(stream, &array->name);
    visit_type(stream, &array->type);
    visit_string(stream, &array->count_text);
    VISIT(stream, array->access, ACCESS_READWRITE);
    visit_place(stream, &array->place);
    visit_place(stream, &array->count_place);
    if (stream->status == HX_OK)
        visit_fill(stream, &array->fill, array->type);
    if (stream->status == HX_OK && array->access == 0)
        refuse(stream, "an array has no access");
}

#define VISIT_LIST(stream, items, count, visit_item)                                                         \
    do {                                                                                                     \
        VISIT(stream, count, ITEMS_MAX);                                                                     \
        if ((stream)->reading)                                                                               \
            (items) = take_memory(stream, count, sizeof *(items));                                           \
        for (size_t item = 0; (stream)->status == HX_OK && item < (count); item++)                           \
            visit_item(stream, &(items)[item]);                                                              \
    } while (0)

static void visit_arrays(struct stream *stream, struct array_list *list)
{
    VISIT_LIST(stream, list->items, list->count, visit_array);
}

static void visit_word(struct stream *stream, struct word *word)
{
    visit_bytes(stream, word->bytes, sizeof word->bytes);
}

static void visit_line(struct stream *stream, struct code_line *line)
{
    visit_place(stream, &line->place);
    visit_string(stream, &line->text);
    if (stream->status == HX_OK && !line->text)
        refuse(stream, "a line has no text");
}

static void visit_label(struct stream *stream, struct code_label *label)
{
    visit_name(stream, &label->name);
    VISIT(stream, label->target, ITEMS_MAX);
}

/* What a decoded operand names must exist in the program. */
static bool operand_exists(const hx_program *program, const struct kernel *kernel,
                           const struct operand *operand)
{
    size_t symbols = program->param_count + program->buffers.count;
    switch (operand->kind) {
    case OPERAND_PARAMETER:
        return operand->symbol < symbols;
    case OPERAND_TARGET:
        return operand->bits < kernel->code_count;
    case OPERAND_ARRAY:
        return operand->symbol < (operand->space == SPACE_SHARED     ? kernel->shared.count
                                  : operand->space == SPACE_CONSTANT ? program->constants.count
                                                                     : kernel->local.count);
    case OPERAND_ADDRESS:
        switch (operand->base_kind) {
        case BASE_PARAMETER:
            return operand->symbol < symbols;
        case BASE_SHARED:
            return operand->symbol < kernel->shared.count;
        case BASE_CONSTANT:
            return operand->symbol < program->constants.count;
        case BASE_LOCAL:
            return operand->symbol < kernel->local.count;
        default:
            return true;
        }
    default:
        return true;
    }
}

static void decode_kernel(struct stream *stream, struct kernel *kernel)
{
    kernel->code = take_memory(stream, 0, 1);
    if (stream->status == HX_OK)
        kernel->code = arena_allocate(&stream->program->arena, kernel->code_count, sizeof *kernel->code);
    if (!kernel->code) {
        stream->status = stream->status == HX_OK ? HX_NO_MEMORY : stream->status;
        return;
    }
    for (uint32_t i = 0; i < kernel->code_count && stream->status == HX_OK; i++) {
        const char *why;
        struct instruction *instruction = &kernel->code[i];
        if (!instruction_decode(stream->program->isa, &kernel->words[i], instruction, &why)) {
            refuse(stream, why);
            continue;
        }
        for (unsigned k = 0; k < instruction->opcode->form_count; k++)
            if (!operand_exists(stream->program, kernel, &instruction->operands[k]))
                refuse(stream, "an operand names what is not there");
    }
    for (size_t i = 0; i < kernel->label_count && stream->status == HX_OK; i++)
        if (kernel->labels[i].target >= kernel->code_count)
            refuse(stream, "a label is behind the end");
}

static void visit_kernel(struct stream *stream, struct kernel *kernel)
{
    size_t lines = kernel->code_count;
    visit_name(stream, &kernel->name);
    visit_place(stream, &kernel->place);
    visit_arrays(stream, &kernel->shared);
    visit_arrays(stream, &kernel->local);
    VISIT_LIST(stream, kernel->words, kernel->code_count, visit_word);
    VISIT_LIST(stream, kernel->lines, lines, visit_line);
    VISIT_LIST(stream, kernel->labels, kernel->label_count, visit_label);
    if (stream->status != HX_OK || !stream->reading)
        return;
    if (lines != kernel->code_count || lines == 0)
        refuse(stream, "a kernel has no instructions, or other lines than instructions");
    else
        decode_kernel(stream, kernel);
}

static void visit_step(struct stream *stream, struct launch_step *step)
{
    uint64_t index = stream->reading ? 0 : (uint64_t)(step->kernel - stream->program->kernels);
    uint64_t kernels = stream->program->kernel_count;
    visit_u64(stream, &index, kernels ? kernels - 1 : 0);
    for (int i = 0; i < 3; i++)
        VISIT(stream, step->grid[i], INT32_MAX);
    for (int i = 0; i < 3; i++)
        VISIT(stream, step->block[i], 1024);
    VISIT(stream, step->repeat, UINT32_MAX);
    VISIT(stream, step->dynamic_shared, 228 << 10);
    visit_place(stream, &step->place);
    if (stream->reading && stream->status == HX_OK)
        step->kernel = &stream->program->kernels[index];
}

static void visit_expectation(struct stream *stream, struct expectation *expectation)
{
    const hx_program *program = stream->program;
    VISIT(stream, expectation->kind, EXPECT_CRC32);
    VISIT(stream, expectation->buffer, ITEMS_MAX);
    if (stream->status == HX_OK && expectation->buffer >= program->buffers.count)
        refuse(stream, "an expectation names no buffer");
    if (stream->status != HX_OK)
        return;
    VISIT(stream, expectation->value_count, UINT32_MAX);
    visit_blob(stream, &expectation->values,
               expectation->value_count * hx_type_bytes(program->buffers.items[expectation->buffer].type));
    visit_string(stream, &expectation->file.path);
    visit_place(stream, &expectation->file.place);
    VISIT(stream, expectation->crc32, UINT32_MAX);
    visit_f64(stream, &expectation->rtol);
    visit_f64(stream, &expectation->atol);
    visit_place(stream, &expectation->place);
    if (stream->status == HX_OK && expectation->kind == EXPECT_FILE && !expectation->file.path)
        refuse(stream, "an expectation lacks its file");
}

static void visit_program(struct stream *stream)
{
    hx_program *program = stream->program;
    visit_string(stream, &program->source.name);
    visit_name(stream, &program->name);
    visit_string(stream, &program->description);
    VISIT_LIST(stream, program->params, program->param_count, visit_param);
    visit_arrays(stream, &program->buffers);
    visit_arrays(stream, &program->constants);
    VISIT_LIST(stream, program->kernels, program->kernel_count, visit_kernel);
    VISIT_LIST(stream, program->steps, program->step_count, visit_step);
    VISIT_LIST(stream, program->expectations, program->expectation_count, visit_expectation);
    if (stream->status != HX_OK || !stream->reading)
        return;
    for (size_t i = 0; i < program->kernel_count; i++)
        program->kernels[i].index = (uint16_t)i;
    if (stream->at != stream->end)
        refuse(stream, "something stands behind its end");
    if (!program->source.name || !program->description || program->kernel_count == 0 ||
        program->step_count == 0)
        refuse(stream, "a part is missing");
}

/* ---- The file ------------------------------------------------------------------------------------------ */

bool binary_is(const void *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, MAGIC, 4) == 0;
}

static uint32_t get_u32(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static hx_status damaged(const hx_program *program, hx_diag *diag, size_t offset, const char *why)
{
    struct place place = {&program->source, 0, 0, 0};
    return diag_report(diag, DIAG_BINARY_FORMAT, place, "make it again with hexec asm",
                       "this binary cannot be used: %s (byte %zu)", why, offset);
}

hx_status binary_load(hx_program *program, hx_diag *diag)
{
    const char *bytes = program->source.text;
    size_t size = program->source.bytes;
    struct source *file = ARENA_NEW(&program->arena, struct source);
    if (!file)
        return diag_no_memory(diag);
    file->name = program->source.name;
    if (size < HEADER_BYTES)
        return damaged(program, diag, size, "it is cut off");
    if (get_u32(bytes + 4) != VERSION)
        return damaged(program, diag, 4, "it is of another version");
    if (get_u32(bytes + 12) != size - HEADER_BYTES)
        return damaged(program, diag, 12, "its length is not what it says");
    if (get_u32(bytes + 16) != crc32_of(bytes + HEADER_BYTES, size - HEADER_BYTES))
        return damaged(program, diag, 16, "its checksum is wrong");
    struct place place = {file, 0, 0, 0};
    if (get_u32(bytes + 8) != program->isa->crc)
        return diag_report(diag, DIAG_BINARY_ISA, place,
                           "assemble it again, or give its instruction set with --isa",
                           "this binary was made with another instruction set than '%s'", program->isa->name);
    struct stream stream = {.reading = true,
                            .program = program,
                            .diag = diag,
                            .start = bytes,
                            .at = bytes + HEADER_BYTES,
                            .end = bytes + size};
    program->source.text = NULL; /* places point into the YAML file it was made of, whose text is not here */
    visit_program(&stream);
    if (stream.status == HX_INVALID) {
        program->source = *file;
        return damaged(program, diag, (size_t)(stream.at - bytes), stream.why);
    }
    return stream.status == HX_NO_MEMORY ? diag_no_memory(diag) : stream.status;
}

hx_status hx_program_to_binary(const hx_program *program, hx_diag *diag, void **ret_bytes, size_t *ret_size)
{
    struct stream stream = {.program = (hx_program *)(uintptr_t)program};
    text_init(&stream.out, program->arena.allocator);
    text_append(&stream.out, MAGIC, 4);
    uint32_t header[4] = {VERSION, program->isa->crc, 0, 0};
    text_append(&stream.out, (const char *)header, sizeof header);
    visit_program(&stream); /* writing changes nothing of the program */
    if (stream.out.failed || stream.out.length - HEADER_BYTES > UINT32_MAX) {
        text_done(&stream.out);
        return diag_no_memory(diag);
    }
    header[2] = (uint32_t)(stream.out.length - HEADER_BYTES);
    header[3] = crc32_of(stream.out.at + HEADER_BYTES, header[2]);
    memcpy(stream.out.at + 4, header, sizeof header);
    *ret_bytes = stream.out.at;
    *ret_size = stream.out.length;
    return HX_OK;
}
