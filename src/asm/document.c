/* The YAML document: from its text to an hx_program.
 *
 * libcyaml fills structures of strings, in step with the tree of places; this file checks names, types and
 * numbers, each with the place of its node, and hands code to the assembler. Every problem is noted and
 * reading goes on, so that one run reports them all. */
#include "asm/reading.h"
#include "yaml/load.h"

#include <math.h>
#include <string.h>

/* ---- Reading ------------------------------------------------------------------------------------------- */

hx_status reading_note(struct reading *reading, hx_status status)
{
    if (reading->status == HX_OK || status == HX_NO_MEMORY)
        reading->status = status;
    return status;
}

void *reading_allocate(struct reading *reading, size_t count, size_t size)
{
    void *memory = arena_allocate(&reading->program->arena, count, size);
    if (!memory)
        reading_note(reading, diag_no_memory(reading->diag));
    return memory;
}

static const char *read_name(struct reading *reading, const char *name, const struct yaml_node *node)
{
    if (!program_is_name(slice_of(name)))
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_NAME, node->place,
                                          "a letter or _, then at most 62 letters, digits and _",
                                          "'%s' is no name", name));
    return name;
}

static const char *next_type(void *user, size_t index)
{
    (void)user;
    return type_is_element((enum hx_type)index) ? hx_type_name((enum hx_type)index) : NULL;
}

static enum hx_type read_type(struct reading *reading, const char *name, const struct yaml_node *node)
{
    const enum hx_type type = hx_type_find(name);
    if (type_is_element(type))
        return type;
    char space[TEXT_HINT_BYTES];
    const char *hint = text_did_you_mean(text_suggest(slice_of(name), next_type, NULL), space);
    reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_TYPE, node->place,
                                      hint ? hint : "i8 u8 i16 u16 f16 bf16 i32 u32 f32 i64 u64 f64",
                                      type == HX_TYPE_NONE ? "there is no type '%s'"
                                                           : "'%s' is a type of instructions alone",
                                      name));
    return HX_TYPE_NONE;
}

/* A number as the bits of a type; nothing when the type itself is wrong. */
static void read_bits(struct reading *reading, const char *text, enum hx_type type,
                      const struct yaml_node *node, uint64_t *ret_bits)
{
    if (type != HX_TYPE_NONE)
        reading_note(reading,
                     program_number_bits(slice_of(text), type, node->place, reading->diag, ret_bits));
}

/* The number, from 1, of a parameter before this one that the word names, and which does not follow another.
 */
static uint32_t find_followed(const struct reading *reading, struct slice word,
                              const struct program_param *of)
{
    const struct program_param *params = reading->program->params;
    for (uint32_t i = 0; &params[i] < of; i++)
        if (slice_equal(word, params[i].name) && !params[i].follows &&
            type_bytes(params[i].type) == type_bytes(of->type))
            return i + 1;
    return 0;
}

static void read_value(struct reading *reading, const struct yaml_node *node, struct program_param *param)
{
    param->follows = find_followed(reading, node->text, param);
    if (param->follows)
        return;
    const struct pending_address pending = {
        .word = piece_of_scalar(node->text, node->place), .type = param->type, .param = param};
    if (address_is(node->text, param->type))
        reading_keep_address(reading, &pending);
    else
        read_bits(reading, node->text.at, param->type, node, &param->bits);
}

static void read_params(struct reading *reading, const struct yaml_program *from,
                        const struct yaml_node *list)
{
    hx_program *program = reading->program;
    const struct yaml_node *node = list ? list->first : NULL;
    program->params = reading_allocate(reading, from->param_count, sizeof *program->params);
    for (uint32_t i = 0; program->params && i < from->param_count; i++, node = node->next) {
        const struct yaml_param *written = &from->params[i];
        struct program_param *param = &program->params[program->param_count++];
        param->name = read_name(reading, written->name, yaml_get(node, "name"));
        param->type = read_type(reading, written->type, yaml_get(node, "type"));
        param->place = yaml_get(node, "name")->place;
        param->has_value = written->value != NULL;
        if (written->value)
            read_value(reading, yaml_get(node, "value"), param);
    }
}

/* `fill`: whose values they are, and which may be addresses; or NULL. */
static const void *read_values(struct reading *reading, const struct yaml_node *list, enum hx_type type,
                               struct fill *fill)
{
    const size_t element = hx_type_bytes(type);
    char *values = reading_allocate(reading, list->count, element ? element : 1);
    const struct yaml_node *node = list->first;
    for (size_t i = 0; values && element && i < list->count; i++, node = node->next) {
        uint64_t bits = 0;
        if (fill && address_is(node->text, type))
            reading_keep_address(reading,
                                 &(struct pending_address){.word = piece_of_scalar(node->text, node->place),
                                                           .type = type,
                                                           .fill = fill,
                                                           .element = i});
        else
            read_bits(reading, node->text.at, type, node, &bits);
        memcpy(values + i * element, &bits, element);
    }
    return values;
}

/* ---- Arrays -------------------------------------------------------------------------------------------- */

static void read_random(struct reading *reading, const struct yaml_array *written,
                        const struct yaml_node *node, enum hx_type type, struct fill *fill)
{
    const size_t errors = hx_diag_count_of(reading->diag, HX_ERROR);
    fill->kind = FILL_RANDOM;
    if (written->seed)
        reading_note(reading,
                     yaml_number_u64(yaml_get(node, "seed"), reading->diag, 0, UINT64_MAX, &fill->seed));
    if (type == HX_TYPE_NONE)
        return;
    fill_set_random(fill, type);
    if (written->minimum)
        read_bits(reading, written->minimum, type, yaml_get(node, "min"), &fill->minimum);
    if (written->maximum)
        read_bits(reading, written->maximum, type, yaml_get(node, "max"), &fill->maximum);
    if (hx_diag_count_of(reading->diag, HX_ERROR) == errors)
        reading_note(reading, fill_check_random(fill, type, reading->diag));
}

/* The bytes of a text and the 0 behind them, as C has strings. */
static void read_text(struct reading *reading, const char *text, enum hx_type type, struct fill *fill)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = reading_allocate(reading, bytes, 1);
    if (hx_type_bytes(type) > 1)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_FILL, fill->place, "make it type: u8",
                                          "a text is an array of bytes, not of %s", hx_type_name(type)));
    fill->kind = FILL_VALUES;
    fill->value_count = bytes;
    fill->values = copy;
    if (copy)
        memcpy(copy, text, bytes);
}

static void read_fill(struct reading *reading, const struct yaml_array *written, const struct yaml_node *node,
                      enum hx_type type, struct fill *fill)
{
    const bool has_values = yaml_get(node, "values") != NULL,
               random = written->fill && slice_equal(slice_of(written->fill), "random");
    const char *key = written->fill   ? "fill"
                      : has_values    ? "values"
                      : written->file ? "file"
                      : written->text ? "text"
                                      : "name";
    fill->place = yaml_get(node, key)->place;
    if ((written->fill != NULL) + has_values + (written->file != NULL) + (written->text != NULL) > 1)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_FILL, fill->place, NULL,
                                          "one of fill, values, file and text may be given, not several"));
    for (const struct yaml_node *child = node->first; child && !random; child = child->next)
        if (slice_equal(child->key, "seed") || slice_equal(child->key, "min") ||
            slice_equal(child->key, "max"))
            reading_note(reading,
                         diag_report(reading->diag, DIAG_PROGRAM_FILL, child->key_place, NULL,
                                     "'" SLICE_FORMAT "' goes with fill: random", SLICE_ARGS(child->key)));
    if (random) {
        read_random(reading, written, node, type, fill);
    } else if (has_values) {
        fill->kind = FILL_VALUES;
        fill->value_count = written->values.count;
        fill->values = read_values(reading, yaml_get(node, "values"), type, fill);
    } else if (written->text) {
        read_text(reading, written->text, type, fill);
    } else if (written->file) {
        fill->kind = FILL_FILE;
        fill->path = written->file;
    } else if (written->fill && type != HX_TYPE_NONE) {
        reading_note(reading,
                     fill_read_word(slice_of(written->fill), type, fill->place, reading->diag, fill));
    }
}

static enum access read_access(struct reading *reading, const char *word, const struct yaml_node *node)
{
    static const char *const words[] = {"read", "write", "readwrite"};
    for (unsigned i = 0; word && i < HX_COUNT_OF(words); i++)
        if (slice_equal(slice_of(word), words[i]))
            return (enum access)(i + 1);
    if (word)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_ACCESS, node->place,
                                          "read, write or readwrite", "there is no access '%s'", word));
    return ACCESS_READWRITE;
}

static void read_align(struct reading *reading, const struct yaml_node *node, struct array *array)
{
    uint64_t align = 0;
    const uint64_t element = hx_type_bytes(array->type);
    if (!node || reading_note(reading, yaml_number_u64(node, reading->diag, 1, LIMIT_ALIGN, &align)) != HX_OK)
        return;
    array->align = (uint32_t)align;
    if (align & (align - 1))
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_ALIGN, node->place,
                                          "give 1, 2, 4, 8, ... or 4096",
                                          "%llu bytes are no alignment: it is a power of two",
                                          (unsigned long long)align));
    else if (align < element)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_ALIGN, node->place,
                                          "leave `align` out, or give more",
                                          "'%s' needs at least the %llu bytes of its type %s", array->name,
                                          (unsigned long long)element, hx_type_name(array->type)));
}

static void read_count(struct reading *reading, const char *text, const struct yaml_node *node,
                       bool is_shared, struct array *array)
{
    array->is_dynamic = text && slice_equal(slice_of(text), "dynamic");
    array->count_text = array->is_dynamic ? NULL : text;
    array->count_place = node ? node->place : array->place;
    if (array->is_dynamic && !is_shared)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_COUNT, array->count_place,
                                          "give a number, or make it a shared array",
                                          "only a shared array can be dynamic, not '%s'", array->name));
    if (!text && array->fill.kind != FILL_VALUES && array->fill.kind != FILL_FILE)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_COUNT, array->place,
                                          is_shared ? "add count: N, or count: dynamic" : "add count: N",
                                          "'%s' has no count, and nothing to take it from", array->name));
}

static void read_arrays(struct reading *reading, const struct yaml_arrays *from, const struct yaml_node *list,
                        struct array_list *ret_list)
{
    const bool is_shared = list && slice_equal(list->key, "shared");
    const struct yaml_node *node = list ? list->first : NULL;
    ret_list->items = reading_allocate(reading, from->count, sizeof *ret_list->items);
    for (uint32_t i = 0; ret_list->items && i < from->count; i++, node = node->next) {
        const struct yaml_array *written = &from->items[i];
        struct array *array = &ret_list->items[ret_list->count++];
        array->name = read_name(reading, written->name, yaml_get(node, "name"));
        array->type = read_type(reading, written->type, yaml_get(node, "type"));
        array->place = yaml_get(node, "name")->place;
        array->access = read_access(reading, written->access, yaml_get(node, "access"));
        read_fill(reading, written, node, array->type, &array->fill);
        read_count(reading, written->count_text, yaml_get(node, "count"), is_shared, array);
        read_align(reading, yaml_get(node, "align"), array);
    }
}

/* ---- Kernels ------------------------------------------------------------------------------------------- */

/* A kernel from the mapping `node`: an entry of `kernels`, or the document itself. */
static void read_kernel(struct reading *reading, const struct yaml_kernel *written,
                        const struct yaml_node *node, const char *name_key)
{
    hx_program *program = reading->program;
    struct kernel *kernel = &program->kernels[program->kernel_count];
    const struct yaml_node *name = yaml_get(node, name_key), *code = yaml_get(node, "code");
    kernel->index = (uint16_t)program->kernel_count++;
    kernel->name = read_name(reading, written->name, name);
    kernel->place = name->place;
    read_arrays(reading, &written->shared, yaml_get(node, "shared"), &kernel->shared);
    read_arrays(reading, &written->local, yaml_get(node, "local"), &kernel->local);
    if (reading->status != HX_NO_MEMORY && code)
        reading_note(reading, assemble_kernel(program, kernel, code, yaml_get(node, "lines"), reading->diag));
}

/* Either `code`, perhaps with shared and local, or `kernels` with `run`. */
static void check_keys(struct reading *reading, const struct yaml_node *root)
{
    static const char *const of_one[] = {"code", "shared", "local", "lines"};
    const struct yaml_node *list = yaml_get(root, "kernels"), *run = yaml_get(root, "run");
    static const char *const of_source[] = {"kernel", "options", "args"};
    const char *cure =
        "give `code`, or `kernels` and `run` (with shared and local in each kernel), or `source`";
    if (!list && !yaml_get(root, "code"))
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_KERNELS, root->place, cure,
                                          "the program has no code"));
    if (!list && run)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_KERNELS, run->key_place, cure,
                                          "`run` goes with `kernels`; for one kernel it is `launch`"));
    if (list && !run)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_KERNELS, list->key_place, cure,
                                          "`kernels` needs `run`, the list of launches"));
    for (size_t i = 0; i < HX_COUNT_OF(of_source); i++)
        if (yaml_get(root, of_source[i]))
            reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_SOURCE,
                                              yaml_get(root, of_source[i])->key_place, NULL,
                                              "`%s` goes with `source` or `ptx`", of_source[i]));
    for (size_t i = 0; list && i < HX_COUNT_OF(of_one); i++) {
        const struct yaml_node *stray = yaml_get(root, of_one[i]);
        if (stray)
            reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_KERNELS, stray->key_place, cure,
                                              "`%s` does not go with `kernels`", of_one[i]));
    }
}

static void read_kernels(struct reading *reading, const struct yaml_program *from,
                         const struct yaml_node *root)
{
    hx_program *program = reading->program;
    const struct yaml_kernel only = {from->name, from->code, from->lines, from->shared, from->local};
    const struct yaml_node *list = yaml_get(root, "kernels");
    check_keys(reading, root);
    program->kernels = reading_allocate(reading, list ? from->kernel_count : 1, sizeof *program->kernels);
    if (!program->kernels)
        return;
    if (!list)
        read_kernel(reading, &only, root, "program");
    const struct yaml_node *node = list ? list->first : NULL;
    for (uint32_t i = 0; i < from->kernel_count && node; i++, node = node->next)
        read_kernel(reading, &from->kernels[i], node, "name");
}

/* ---- Expectations -------------------------------------------------------------------------------------- */

static const char *next_buffer(void *user, size_t index)
{
    const hx_program *program = user;
    return index < program->buffers.count ? program->buffers.items[index].name : NULL;
}

const struct array *reading_buffer(struct reading *reading, const char *name, const struct yaml_node *node)
{
    const struct array_list *buffers = &reading->program->buffers;
    for (size_t i = 0; i < buffers->count; i++)
        if (strcmp(name, buffers->items[i].name) == 0)
            return &buffers->items[i];
    char space[TEXT_HINT_BYTES];
    const char *hint = text_did_you_mean(text_suggest(slice_of(name), next_buffer, reading->program), space);
    reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_BUFFER, node->place, hint,
                                      "there is no buffer '%s'", name));
    return NULL;
}

static void read_tolerance(struct reading *reading, const struct yaml_node *node, enum hx_type type,
                           double *ret_tolerance)
{
    if (!node || reading_note(reading, yaml_number_f64(node, reading->diag, ret_tolerance)) != HX_OK)
        return;
    if (!(*ret_tolerance >= 0) || isinf(*ret_tolerance))
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_EXPECT, node->place, NULL,
                                          "a tolerance is a finite number from 0 on"));
    else if (*ret_tolerance > 0 && type != HX_TYPE_NONE && !type_is_float(type))
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_EXPECT, node->place, NULL,
                                          "tolerances are for floats; integers are compared exactly"));
}

/* That the run ends in a fault; this stands alone. */
static void read_fault(struct reading *reading, const struct yaml_node *node, const struct yaml_node *fault,
                       struct expectation *expectation)
{
    expectation->kind = EXPECT_FAULT;
    expectation->place = fault ? fault->place : node->place;
    expectation->fault = fault ? program_find_fault(fault->text) : 0;
    if (!fault || node->count > 1)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_EXPECT, node->place, NULL,
                                          "an expectation has a buffer, or a fault alone"));
    else if (!expectation->fault)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_EXPECT, fault->place,
                                          "out_of_range, misaligned, trap, assert, ...",
                                          "there is no fault '" SLICE_FORMAT "'", SLICE_ARGS(fault->text)));
}

static void read_expectation(struct reading *reading, const struct yaml_expect *written,
                             const struct yaml_node *node, struct expectation *expectation)
{
    const struct yaml_node *values = yaml_get(node, "values"), *fault = yaml_get(node, "fault");
    if (fault || !written->buffer) {
        read_fault(reading, node, fault, expectation);
        return;
    }
    const struct array *buffer = reading_buffer(reading, written->buffer, yaml_get(node, "buffer"));
    const enum hx_type type = buffer ? buffer->type : HX_TYPE_NONE;
    expectation->place = yaml_get(node, "buffer")->place;
    expectation->buffer = buffer ? (size_t)(buffer - reading->program->buffers.items) : 0;
    if ((values != NULL) + (written->file != NULL) + (written->crc32 != NULL) != 1)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_EXPECT, expectation->place, NULL,
                                          "one of values, file and crc32 must be given"));
    read_tolerance(reading, yaml_get(node, "rtol"), type, &expectation->rtol);
    read_tolerance(reading, yaml_get(node, "atol"), type, &expectation->atol);
    uint64_t crc = 0;
    if (written->crc32) {
        expectation->kind = EXPECT_CRC32;
        reading_note(reading, yaml_number_u64(yaml_get(node, "crc32"), reading->diag, 0, UINT32_MAX, &crc));
        expectation->crc32 = (uint32_t)crc;
    } else if (written->file) {
        expectation->kind = EXPECT_FILE;
        expectation->file =
            (struct fill){.kind = FILL_FILE, .path = written->file, .place = yaml_get(node, "file")->place};
    } else if (values) {
        expectation->kind = EXPECT_VALUES;
        expectation->value_count = written->values.count;
        expectation->values = read_values(reading, values, type, NULL);
    }
}

static void read_expectations(struct reading *reading, const struct yaml_program *from,
                              const struct yaml_node *list)
{
    hx_program *program = reading->program;
    const struct yaml_node *node = list ? list->first : NULL;
    program->expectations = reading_allocate(reading, from->expect_count, sizeof *program->expectations);
    for (uint32_t i = 0; program->expectations && i < from->expect_count; i++, node = node->next)
        read_expectation(reading, &from->expect[i], node,
                         &program->expectations[program->expectation_count++]);
}

static enum outcome_kind read_outcome_kind(struct reading *reading, const struct yaml_node *node)
{
    for (size_t i = OUTCOME_COUNTED; node && i <= OUTCOME_REQUIRED; i++)
        if (slice_equal(node->text, outcome_words[i]))
            return (enum outcome_kind)i;
    if (node)
        reading_note(reading,
                     diag_report(reading->diag, DIAG_PROGRAM_EXPECT, node->place, NULL,
                                 "an outcome is forbidden, required or counted, not '" SLICE_FORMAT "'",
                                 SLICE_ARGS(node->text)));
    return OUTCOME_COUNTED;
}

static void read_outcome(struct reading *reading, const struct yaml_outcome *written,
                         const struct yaml_node *node, struct outcome *outcome)
{
    const struct array *buffer = reading_buffer(reading, written->buffer, yaml_get(node, "buffer"));
    const struct yaml_node *values = yaml_get(node, "values");
    outcome->name = written->name;
    outcome->is = read_outcome_kind(reading, yaml_get(node, "is"));
    outcome->place = outcome->expects.place = yaml_get(node, "name")->place;
    outcome->expects.kind = EXPECT_VALUES;
    outcome->expects.buffer = buffer ? (size_t)(buffer - reading->program->buffers.items) : 0;
    outcome->expects.value_count = written->values.count;
    outcome->expects.values = read_values(reading, values, buffer ? buffer->type : HX_TYPE_NONE, NULL);
}

static void read_outcomes(struct reading *reading, const struct yaml_program *from,
                          const struct yaml_node *list)
{
    hx_program *program = reading->program;
    const struct yaml_node *node = list ? list->first : NULL;
    program->outcomes = reading_allocate(reading, from->outcome_count, sizeof *program->outcomes);
    for (uint32_t i = 0; program->outcomes && i < from->outcome_count; i++, node = node->next)
        read_outcome(reading, &from->outcomes[i], node, &program->outcomes[program->outcome_count++]);
}

/* ---- The document -------------------------------------------------------------------------------------- */

/* Reads the tree and the structures from a text whose code blocks say how far they are indented; places are
 * shown in the text as it was written. */
static hx_status read_forms(hx_program *program, hx_diag *diag, struct yaml_document **ret_document,
                            void **ret_data)
{
    const struct source written = program->source;
    struct text indented HX_AUTO(text_done) = {.allocator = program->arena.allocator};
    hx_status status = code_blocks_indent(&written, &indented);
    if (status != HX_OK)
        return diag_no_memory(diag);
    if (indented.length > 0)
        program->source = (struct source){written.name, indented.at, indented.length};
    status = yaml_document_read(&program->arena, diag, &program->source, NULL, ret_document);
    if (status == HX_OK)
        status = yaml_load(*ret_document, document_schema(), &program->arena, diag, ret_data);
    program->source = written;
    return status;
}

static void read_origin(struct reading *reading, const struct yaml_program *from,
                        const struct yaml_node *root)
{
    hx_program *program = reading->program;
    const struct yaml_node *node = yaml_get(root, "origin");
    program->origin = program->source;
    if (node && (from->origin[0] == 0 || strchr(from->origin, '/')))
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_LINES, node->place, NULL,
                                          "`origin` is the name of a file, without folders"));
    if (node)
        program->origin = (struct source){from->origin, NULL, 0};
}

hx_status document_load(hx_program *program, const hx_source_options *options, hx_diag *diag)
{
    struct reading reading = {.program = program, .diag = diag, .source = options};
    struct yaml_document *document;
    void *data;
    hx_status status = read_forms(program, diag, &document, &data);
    if (status != HX_OK)
        return status;
    const struct yaml_program *from = data;
    const struct yaml_node *root = document->root;
    program->name = from->name;
    if (yaml_get(root, "kernels") || from->source ||
        from->ptx) /* else it is the kernel's name too, and checked as that */
        (void)read_name(&reading, from->name, yaml_get(root, "program"));
    program->description = from->description ? from->description : "";
    read_origin(&reading, from, root);
    read_params(&reading, from, yaml_get(root, "params"));
    read_arrays(&reading, &from->buffers, yaml_get(root, "buffers"), &program->buffers);
    read_arrays(&reading, &from->constants, yaml_get(root, "constants"), &program->constants);
    const bool is_compiled = from->source || from->ptx;
    if (reading.status != HX_NO_MEMORY && !is_compiled)
        read_kernels(&reading, from, root);
    if (reading.status != HX_NO_MEMORY)
        reading_addresses(&reading);
    if (reading.status == HX_OK && is_compiled)
        reading_source(&reading, from, root);
    if (is_compiled && program->kernel_count == 0) { /* nothing can be launched, nor checked */
        reading_done(&reading);
        return reading.status;
    }
    if (reading.status != HX_NO_MEMORY)
        reading_steps(&reading, from, root);
    if (reading.status == HX_OK && is_compiled)
        reading_arguments(&reading, root);
    if (reading.status != HX_NO_MEMORY)
        read_expectations(&reading, from, yaml_get(root, "expect"));
    if (reading.status != HX_NO_MEMORY)
        read_outcomes(&reading, from, yaml_get(root, "outcomes"));
    if (reading.status != HX_NO_MEMORY)
        reading_note(&reading, program_check(program, diag));
    reading_done(&reading);
    return reading.status;
}
