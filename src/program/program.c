/* Programs: loading either form, their parts by name, parameters and layouts. */
#include "base/crc32.h"
#include "base/file.h"
#include "program/parts.h"

#include <ctype.h>
#include <string.h>

bool program_is_name(struct slice text)
{
    bool good =
        text.length > 0 && text.length < 64 && (isalpha((unsigned char)text.at[0]) || text.at[0] == '_');
    for (size_t i = 0; i < text.length; i++)
        good = good && (isalnum((unsigned char)text.at[i]) || text.at[i] == '_');
    return good;
}

/* ---- Loading ------------------------------------------------------------------------------------------- */

hx_status hx_program_load_bytes(const char *name, const char *directory, const void *bytes, size_t size,
                                const hx_isa *isa, const hx_allocator *allocator, hx_diag *diag,
                                hx_program **ret_program)
{
    hx_program *program = memory_allocate(allocator, 1, sizeof *program);
    if (!program)
        return diag_no_memory(diag);
    arena_init(&program->arena, allocator);
    program->isa = isa;
    program->crc = crc32_of(bytes, size);
    program->source.text = arena_copy(&program->arena, bytes, size);
    program->source.name = program->path = arena_copy(&program->arena, name, strlen(name));
    program->source.bytes = size;
    program->directory =
        arena_copy(&program->arena, directory ? directory : ".", strlen(directory ? directory : "."));
    program->is_binary = binary_is(bytes, size);
    hx_status status = HX_NO_MEMORY;
    if (program->source.text && program->source.name && program->directory)
        status = program->is_binary ? binary_load(program, diag) : document_load(program, diag);
    if (status == HX_OK)
        status = program_layout(program, diag);
    if (status != HX_OK) {
        hx_program_free(program);
        return status == HX_NO_MEMORY ? diag_no_memory(diag) : status;
    }
    *ret_program = program;
    return HX_OK;
}

hx_status hx_program_load(const char *path, const hx_isa *isa, const hx_allocator *allocator, hx_diag *diag,
                          hx_program **ret_program)
{
    char *bytes;
    size_t size;
    hx_status status =
        file_read(path, FILE_TEXT_LIMIT_BYTES, allocator, diag, (struct place){0}, &bytes, &size);
    if (status != HX_OK)
        return status;
    HX_AUTO(text_done) struct text directory = {.allocator = allocator};
    const char *slash = strrchr(path, '/');
    text_append(&directory, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
    if (directory.length == 0)
        text_append(&directory, "/", 1);
    status = directory.failed
                 ? diag_no_memory(diag)
                 : hx_program_load_bytes(path, directory.at, bytes, size, isa, allocator, diag, ret_program);
    memory_free(allocator, bytes);
    return status;
}

void hx_program_free(hx_program *program)
{
    if (!program)
        return;
    const hx_allocator *allocator = program->arena.allocator;
    arena_done(&program->arena);
    memory_free(allocator, program);
}

void hx_program_free_bytes(const hx_program *program, void *bytes)
{
    memory_free(program->arena.allocator, bytes);
}

/* ---- Parts --------------------------------------------------------------------------------------------- */

const char *hx_program_name(const hx_program *program)
{
    return program->name;
}

const char *hx_program_kernel_name(const hx_program *program, size_t index)
{
    return index < program->kernel_count ? program->kernels[index].name : NULL;
}

size_t hx_program_kernel_count(const hx_program *program)
{
    return program->kernel_count;
}

size_t hx_program_instruction_count(const hx_program *program, size_t kernel)
{
    return kernel < program->kernel_count ? program->kernels[kernel].code_count : 0;
}

const char *program_symbol_name(const hx_program *program, unsigned symbol)
{
    if (symbol < program->param_count)
        return program->params[symbol].name;
    symbol -= (unsigned)program->param_count;
    return symbol < program->buffers.count ? program->buffers.items[symbol].name : NULL;
}

/* ---- Layout -------------------------------------------------------------------------------------------- */

static hx_status count_array(hx_program *program, struct array *array, hx_diag *diag)
{
    if (array->count_text)
        return program_evaluate_count(program, slice_of(array->count_text), array->count_place, diag,
                                      &array->count);
    if (array->fill.kind == FILL_FILE)
        return npy_count(program, &array->fill, array->type, program->arena.allocator, diag, &array->count);
    array->count = array->fill.value_count;
    return HX_OK;
}

#define SHARED_BYTES_MAX   (UINT64_C(228) << 10)
#define CONSTANT_BYTES_MAX (UINT64_C(16) << 20)
#define LOCAL_BYTES_MAX    (UINT64_C(512) << 10)

static hx_status lay_out(hx_program *program, struct array_list *list, uint64_t most, const char *what,
                         hx_diag *diag)
{
    hx_status worst = HX_OK;
    list->bytes = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct array *array = &list->items[i];
        hx_status status = count_array(program, array, diag);
        uint64_t element = hx_type_bytes(array->type);
        array->offset = (list->bytes + element - 1) / element * element;
        list->bytes = array->offset + array->count * element; /* a count is at most 2^40 */
        if (status == HX_OK && list->bytes > most)
            status = diag_report(diag, DIAG_PROGRAM_SHARED, array->place, NULL,
                                 "with '%s' the %s memory is %llu bytes; it may be %llu", array->name, what,
                                 (unsigned long long)list->bytes, (unsigned long long)most);
        worst = worst == HX_OK ? status : worst;
        if (status != HX_OK)
            list->bytes = 0;
    }
    return worst;
}

hx_status program_layout(hx_program *program, hx_diag *diag)
{
    hx_status worst = HX_OK, status;
    for (size_t i = 0; i < program->buffers.count; i++)
        if ((status = count_array(program, &program->buffers.items[i], diag)) != HX_OK)
            worst = status;
    if ((status = lay_out(program, &program->constants, CONSTANT_BYTES_MAX, "constant", diag)) != HX_OK)
        worst = status;
    for (size_t k = 0; k < program->kernel_count; k++) {
        if ((status = lay_out(program, &program->kernels[k].shared, SHARED_BYTES_MAX, "shared", diag)) !=
            HX_OK)
            worst = status;
        if ((status = lay_out(program, &program->kernels[k].local, LOCAL_BYTES_MAX, "local", diag)) != HX_OK)
            worst = status;
    }
    return worst;
}

/* ---- Changing ------------------------------------------------------------------------------------------ */

static const char *param_name_at(void *user, size_t index)
{
    const hx_program *program = user;
    return index < program->param_count ? program->params[index].name : NULL;
}

static const char *buffer_name_at(void *user, size_t index)
{
    const hx_program *program = user;
    return index < program->buffers.count ? program->buffers.items[index].name : NULL;
}

static hx_status unknown(hx_program *program, const char *name, bool is_buffer, hx_diag *diag)
{
    const char *near = text_suggest(slice_of(name), is_buffer ? buffer_name_at : param_name_at, program);
    struct text text = {0};
    text_print(&text, "did you mean '%s'?", near ? near : "");
    hx_status status = diag_report(diag, is_buffer ? DIAG_PROGRAM_BUFFER : DIAG_PROGRAM_PARAM,
                                   (struct place){0}, near ? text.at : NULL, "program '%s' has no %s '%s'",
                                   program->name, is_buffer ? "buffer" : "scalar parameter", name);
    text_done(&text);
    return status;
}

hx_status hx_program_set_param(hx_program *program, const char *name, const char *value, hx_diag *diag)
{
    for (size_t i = 0; i < program->param_count; i++) {
        struct program_param *param = &program->params[i];
        if (strcmp(param->name, name) != 0)
            continue;
        uint64_t bits;
        hx_status status = program_number_bits(slice_of(value), param->type, (struct place){0}, diag, &bits);
        if (status != HX_OK)
            return status;
        param->bits = bits;
        param->has_value = true;
        return program_layout(program, diag);
    }
    return unknown(program, name, false, diag);
}

/* random:seed=1:min=0:max=1 */
static hx_status parse_random(struct slice text, enum hx_type type, struct fill *fill, hx_diag *diag)
{
    *fill = (struct fill){
        .kind = FILL_RANDOM, .minimum = 0, .maximum = type_is_float(type) ? 1 : 100, .place = fill->place};
    while (text.length > 0) {
        const char *colon = memchr(text.at, ':', text.length);
        struct slice part = {text.at, colon ? (size_t)(colon - text.at) : text.length};
        const char *equals = memchr(part.at, '=', part.length);
        struct slice key = {part.at, equals ? (size_t)(equals - part.at) : part.length};
        struct slice value = {equals ? equals + 1 : part.at + part.length,
                              equals ? part.length - key.length - 1 : 0};
        enum number_result result = NUMBER_NOT_A_NUMBER;
        if (slice_equal(key, "seed"))
            result = number_parse_u64(value, &fill->seed);
        else if (slice_equal(key, "min"))
            result = number_parse_f64(value, &fill->minimum);
        else if (slice_equal(key, "max"))
            result = number_parse_f64(value, &fill->maximum);
        if (result != NUMBER_OK)
            return diag_report(diag, DIAG_PROGRAM_FILL, fill->place, "random:seed=1:min=0:max=1",
                               "'" SLICE_FORMAT "' is no part of a random fill", SLICE_ARGS(part));
        text = (struct slice){part.at + part.length + (colon != NULL),
                              text.length - part.length - (colon != NULL)};
    }
    return fill->minimum <= fill->maximum
               ? HX_OK
               : diag_report(diag, DIAG_PROGRAM_FILL, fill->place, NULL, "min is larger than max");
}

hx_status hx_program_set_fill(hx_program *program, const char *buffer, const char *text, hx_diag *diag)
{
    struct array *array = NULL;
    for (size_t i = 0; i < program->buffers.count; i++)
        if (strcmp(program->buffers.items[i].name, buffer) == 0)
            array = &program->buffers.items[i];
    if (!array)
        return unknown(program, buffer, true, diag);
    struct fill fill = {.kind = FILL_ZERO};
    struct slice word = slice_of(text);
    hx_status status = HX_OK;
    if (slice_equal(word, "iota")) {
        fill.kind = FILL_IOTA;
    } else if (slice_equal(word, "random") || slice_starts_with(word, "random:")) {
        size_t skip = word.length > 6 ? 7 : 6;
        status = parse_random((struct slice){word.at + skip, word.length - skip}, array->type, &fill, diag);
    } else if (word.length > 1 && word.at[0] == '@') {
        fill.kind = FILL_FILE;
        fill.from_working_directory = true;
        fill.path = arena_copy(&program->arena, word.at + 1, word.length - 1);
        if (!fill.path)
            return diag_no_memory(diag);
    } else if (!slice_equal(word, "zero")) {
        fill.kind = FILL_NUMBER;
        status = program_number_bits(word, array->type, (struct place){0}, diag, &fill.number_bits);
    }
    if (status == HX_OK)
        array->fill = fill;
    return status == HX_OK ? program_layout(program, diag) : status;
}
