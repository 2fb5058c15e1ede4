/* The YAML document: from what is written to an hx_program.
 *
 * libcyaml fills structures of strings; this file checks names, types and numbers, each with the place of its
 * node, and hands code to the assembler. Every problem is noted and reading goes on, so that one run tells
 * them all. */
#include "program/parts.h"
#include "yaml/load.h"

#include <math.h>
#include <string.h>

/* ---- The document as libcyaml sees it ------------------------------------------------------------------ */

struct words {
    char **items;
    uint32_t count;
};
struct yaml_param {
    char *name, *type, *value;
};
struct yaml_array {
    char *name, *type, *count_text, *fill, *seed, *minimum, *maximum, *file, *access;
    struct words values;
};
struct yaml_arrays {
    struct yaml_array *items;
    uint32_t count;
};
struct yaml_launch {
    struct words grid, block;
    char *dynamic_shared, *kernel, *repeat;
};
struct yaml_kernel {
    char *name, *code;
    struct yaml_arrays shared, local;
};
struct yaml_expect {
    char *buffer, *file, *crc32, *rtol, *atol;
    struct words values;
};
struct yaml_program {
    char *name, *description, *code;
    struct yaml_launch *launch;
    struct yaml_param *params;
    struct yaml_arrays buffers, constants, shared, local;
    struct yaml_kernel *kernels;
    struct yaml_launch *run;
    struct yaml_expect *expect;
    uint32_t param_count, kernel_count, run_count, expect_count;
};

#define TEXT(key, flags, type, member)                                                                       \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | (flags), type, member, 0, CYAML_UNLIMITED)
#define LIST_OF(key, flags, type, items, count, schema, least, most)                                         \
    CYAML_FIELD_SEQUENCE_COUNT(key, CYAML_FLAG_POINTER | (flags), type, items, count, &(schema), least, most)
#define MAY CYAML_FLAG_OPTIONAL

static const cyaml_schema_value_t word_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};

static const cyaml_schema_field_t param_fields[] = {
    TEXT("name", 0, struct yaml_param, name), TEXT("type", 0, struct yaml_param, type),
    TEXT("value", MAY, struct yaml_param, value), CYAML_FIELD_END};
static const cyaml_schema_value_t param_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_param, param_fields)};

static const cyaml_schema_field_t array_fields[] = {
    TEXT("name", 0, struct yaml_array, name),
    TEXT("type", 0, struct yaml_array, type),
    TEXT("count", MAY, struct yaml_array, count_text),
    TEXT("fill", MAY, struct yaml_array, fill),
    TEXT("seed", MAY, struct yaml_array, seed),
    TEXT("min", MAY, struct yaml_array, minimum),
    TEXT("max", MAY, struct yaml_array, maximum),
    LIST_OF("values", MAY, struct yaml_array, values.items, values.count, word_schema, 0, CYAML_UNLIMITED),
    TEXT("file", MAY, struct yaml_array, file),
    TEXT("access", MAY, struct yaml_array, access),
    CYAML_FIELD_END};
static const cyaml_schema_value_t array_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_array, array_fields)};

#define SHAPE_FIELDS                                                                                         \
    LIST_OF("grid", MAY, struct yaml_launch, grid.items, grid.count, word_schema, 1, 3),                     \
        LIST_OF("block", MAY, struct yaml_launch, block.items, block.count, word_schema, 1, 3),              \
        TEXT("dynamic_shared", MAY, struct yaml_launch, dynamic_shared)
static const cyaml_schema_field_t launch_fields[] = {SHAPE_FIELDS, CYAML_FIELD_END};
static const cyaml_schema_field_t run_fields[] = {SHAPE_FIELDS, TEXT("kernel", 0, struct yaml_launch, kernel),
                                                  TEXT("repeat", MAY, struct yaml_launch, repeat),
                                                  CYAML_FIELD_END};
static const cyaml_schema_value_t run_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_launch, run_fields)};

#define ARRAYS(key, type, member)                                                                            \
    LIST_OF(key, MAY, type, member.items, member.count, array_schema, 0, CYAML_UNLIMITED)
static const cyaml_schema_field_t kernel_fields[] = {
    TEXT("name", 0, struct yaml_kernel, name), TEXT("code", 0, struct yaml_kernel, code),
    ARRAYS("shared", struct yaml_kernel, shared), ARRAYS("local", struct yaml_kernel, local),
    CYAML_FIELD_END};
static const cyaml_schema_value_t kernel_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_kernel, kernel_fields)};

static const cyaml_schema_field_t expect_fields[] = {
    TEXT("buffer", 0, struct yaml_expect, buffer),
    LIST_OF("values", MAY, struct yaml_expect, values.items, values.count, word_schema, 1, CYAML_UNLIMITED),
    TEXT("file", MAY, struct yaml_expect, file),
    TEXT("crc32", MAY, struct yaml_expect, crc32),
    TEXT("rtol", MAY, struct yaml_expect, rtol),
    TEXT("atol", MAY, struct yaml_expect, atol),
    CYAML_FIELD_END};
static const cyaml_schema_value_t expect_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_expect, expect_fields)};

static const cyaml_schema_field_t program_fields[] = {
    TEXT("program", 0, struct yaml_program, name),
    TEXT("description", MAY, struct yaml_program, description),
    CYAML_FIELD_MAPPING_PTR("launch", CYAML_FLAG_POINTER | MAY, struct yaml_program, launch, launch_fields),
    LIST_OF("params", MAY, struct yaml_program, params, param_count, param_schema, 0, CYAML_UNLIMITED),
    ARRAYS("buffers", struct yaml_program, buffers),
    ARRAYS("constants", struct yaml_program, constants),
    ARRAYS("shared", struct yaml_program, shared),
    ARRAYS("local", struct yaml_program, local),
    TEXT("code", MAY, struct yaml_program, code),
    LIST_OF("kernels", MAY, struct yaml_program, kernels, kernel_count, kernel_schema, 1, 1000),
    LIST_OF("run", MAY, struct yaml_program, run, run_count, run_schema, 1, 100000),
    LIST_OF("expect", MAY, struct yaml_program, expect, expect_count, expect_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END};
static const cyaml_schema_value_t program_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct yaml_program, program_fields)};

/* ---- Reading ------------------------------------------------------------------------------------------- */

struct reading {
    hx_program *program;
    hx_diag *diag;
    hx_status status; /* of the first problem */
};

static hx_status note(struct reading *reading, hx_status status)
{
    if (reading->status == HX_OK)
        reading->status = status;
    return status;
}

static void *allocate(struct reading *reading, size_t count, size_t size)
{
    void *memory = arena_allocate(&reading->program->arena, count, size);
    if (!memory)
        note(reading, diag_no_memory(reading->diag));
    return memory;
}

static const char *read_name(struct reading *reading, const struct yaml_node *node)
{
    if (!program_is_name(node->text))
        note(reading, diag_report(reading->diag, DIAG_PROGRAM_NAME, node->place,
                                  "a letter or _, then at most 62 letters, digits and _",
                                  "'" SLICE_FORMAT "' is no name", SLICE_ARGS(node->text)));
    return node->text.at;
}

static enum hx_type read_type(struct reading *reading, const struct yaml_node *node)
{
    enum hx_type type = hx_type_find(node->text.at);
    if (type == HX_TYPE_NONE)
        note(reading, diag_report(reading->diag, DIAG_PROGRAM_TYPE, node->place,
                                  "i8 u8 i16 u16 f16 bf16 i32 u32 f32 i64 u64 f64",
                                  "there is no type '" SLICE_FORMAT "'", SLICE_ARGS(node->text)));
    return type;
}

static void read_params(struct reading *reading, const struct yaml_node *list)
{
    hx_program *program = reading->program;
    program->params = list ? allocate(reading, list->count, sizeof *program->params) : NULL;
    for (const struct yaml_node *node = list && program->params ? list->first : NULL; node;
         node = node->next) {
        struct program_param *param = &program->params[program->param_count++];
        const struct yaml_node *value = yaml_get(node, "value");
        param->name = read_name(reading, yaml_get(node, "name"));
        param->type = read_type(reading, yaml_get(node, "type"));
        param->place = yaml_get(node, "name")->place;
        param->has_value = value != NULL;
        if (value && param->type != HX_TYPE_NONE)
            note(reading,
                 program_number_bits(value->text, param->type, value->place, reading->diag, &param->bits));
    }
}

static const void *read_values(struct reading *reading, const struct yaml_node *list, enum hx_type type)
{
    size_t element = hx_type_bytes(type);
    char *values = allocate(reading, list->count + 1, element ? element : 1);
    size_t i = 0;
    for (const struct yaml_node *node = values && element ? list->first : NULL; node;
         node = node->next, i++) {
        uint64_t bits = 0;
        note(reading, program_number_bits(node->text, type, node->place, reading->diag, &bits));
        memcpy(values + i * element, &bits, element);
    }
    return values;
}

static void read_random(struct reading *reading, const struct yaml_node *node, enum hx_type type,
                        struct fill *fill)
{
    const struct yaml_node *seed = yaml_get(node, "seed"), *minimum = yaml_get(node, "min"),
                           *maximum = yaml_get(node, "max");
    fill->kind = FILL_RANDOM;
    fill->maximum = type_is_float(type) ? 1 : 100;
    if (seed)
        note(reading, yaml_number_u64(seed, reading->diag, 0, UINT64_MAX, &fill->seed));
    if (minimum)
        note(reading, yaml_number_f64(minimum, reading->diag, &fill->minimum));
    if (maximum)
        note(reading, yaml_number_f64(maximum, reading->diag, &fill->maximum));
    bool finite = isfinite(fill->minimum) && isfinite(fill->maximum);
    uint64_t bits;
    if (!finite || fill->minimum > fill->maximum)
        note(reading, diag_report(reading->diag, DIAG_PROGRAM_FILL, node->place, NULL,
                                  "min and max of a random fill must be finite, min the smaller"));
    for (int i = 0; i < 2 && finite && !type_is_float(type) && (i ? maximum : minimum); i++) {
        const struct yaml_node *bound = i ? maximum : minimum;
        note(reading, program_number_bits(bound->text, type, bound->place, reading->diag, &bits));
    }
}

static void read_fill(struct reading *reading, const struct yaml_node *node, enum hx_type type,
                      struct fill *fill)
{
    const struct yaml_node *word = yaml_get(node, "fill"), *values = yaml_get(node, "values"),
                           *file = yaml_get(node, "file");
    const struct yaml_node *given = word ? word : values ? values : file;
    bool random = word && slice_equal(word->text, "random");
    fill->place = given ? given->place : node->place;
    if ((word != NULL) + (values != NULL) + (file != NULL) > 1)
        note(reading, diag_report(reading->diag, DIAG_PROGRAM_FILL, fill->place, NULL,
                                  "one of fill, values and file may be given, not several"));
    for (const struct yaml_node *child = node->first; child && !random; child = child->next)
        if (slice_equal(child->key, "seed") || slice_equal(child->key, "min") ||
            slice_equal(child->key, "max"))
            note(reading, diag_report(reading->diag, DIAG_PROGRAM_FILL, child->key_place, NULL,
                                      "'" SLICE_FORMAT "' goes with fill: random", SLICE_ARGS(child->key)));
    if (values) {
        fill->kind = FILL_VALUES;
        fill->value_count = values->count;
        fill->values = read_values(reading, values, type);
    } else if (file) {
        fill->kind = FILL_FILE;
        fill->path = file->text.at;
    } else if (random) {
        read_random(reading, node, type, fill);
    } else if (word && slice_equal(word->text, "iota")) {
        fill->kind = FILL_IOTA;
    } else if (word && !slice_equal(word->text, "zero")) {
        fill->kind = FILL_NUMBER;
        if (type != HX_TYPE_NONE)
            note(reading,
                 program_number_bits(word->text, type, word->place, reading->diag, &fill->number_bits));
    }
}

static enum access read_access(struct reading *reading, const struct yaml_node *node)
{
    static const char *const words[] = {"read", "write", "readwrite"};
    for (unsigned i = 0; node && i < 3; i++)
        if (slice_equal(node->text, words[i]))
            return (enum access)(i + 1);
    if (node)
        note(reading, diag_report(reading->diag, DIAG_PROGRAM_ACCESS, node->place, "read, write or readwrite",
                                  "there is no access '" SLICE_FORMAT "'", SLICE_ARGS(node->text)));
    return ACCESS_READWRITE;
}

static void read_arrays(struct reading *reading, const struct yaml_node *list, struct array_list *ret_list)
{
    ret_list->items = list ? allocate(reading, list->count, sizeof *ret_list->items) : NULL;
    for (const struct yaml_node *node = list && ret_list->items ? list->first : NULL; node;
         node = node->next) {
        struct array *array = &ret_list->items[ret_list->count++];
        const struct yaml_node *count = yaml_get(node, "count");
        array->name = read_name(reading, yaml_get(node, "name"));
        array->type = read_type(reading, yaml_get(node, "type"));
        array->place = yaml_get(node, "name")->place;
        array->access = read_access(reading, yaml_get(node, "access"));
        read_fill(reading, node, array->type, &array->fill);
        array->count_text = count ? count->text.at : NULL;
        array->count_place = count ? count->place : array->place;
        if (!count && array->fill.kind != FILL_VALUES && array->fill.kind != FILL_FILE)
            note(reading,
                 diag_report(reading->diag, DIAG_PROGRAM_COUNT, array->place, "add count: N",
                             "'%s' has no count, and no values or file to take it from", array->name));
    }
}

/* ---- Names that meet ----------------------------------------------------------------------------------- */

static void check_twice(struct reading *reading, const char *name, struct place place, const char *other,
                        struct place first)
{
    if (strcmp(name, other) == 0)
        note(reading, diag_report_noted(reading->diag, DIAG_PROGRAM_NAME, place, NULL, first,
                                        "the first one is here", "the name '%s' is taken", name));
}

static void check_arrays(struct reading *reading, const struct array_list *a, const struct array_list *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < (a == b ? i : b->count); j++)
            check_twice(reading, a->items[i].name, a->items[i].place, b->items[j].name, b->items[j].place);
}

static void check_names(struct reading *reading)
{
    const hx_program *program = reading->program;
    for (size_t i = 0; i < program->param_count; i++) {
        const struct program_param *param = &program->params[i];
        for (size_t j = 0; j < i; j++)
            check_twice(reading, param->name, param->place, program->params[j].name,
                        program->params[j].place);
        for (size_t j = 0; j < program->buffers.count; j++)
            check_twice(reading, program->buffers.items[j].name, program->buffers.items[j].place, param->name,
                        param->place);
    }
    check_arrays(reading, &program->buffers, &program->buffers);
    check_arrays(reading, &program->constants, &program->constants);
    for (size_t k = 0; k < program->kernel_count; k++) {
        const struct kernel *kernel = &program->kernels[k];
        check_arrays(reading, &kernel->shared, &kernel->shared);
        check_arrays(reading, &kernel->local, &kernel->local);
        check_arrays(reading, &kernel->shared, &program->constants);
        check_arrays(reading, &kernel->local, &kernel->shared);
        for (size_t j = 0; j < k; j++)
            check_twice(reading, kernel->name, kernel->place, program->kernels[j].name,
                        program->kernels[j].place);
    }
}

/* ---- Kernels and launches ------------------------------------------------------------------------------ */

static struct place place_in_code(const void *user, int line, int column, int length)
{
    return yaml_place_in_scalar(user, line, column, length);
}

static void read_kernel(struct reading *reading, const struct yaml_node *node, const struct yaml_node *name,
                        struct kernel *kernel)
{
    const struct yaml_node *code = yaml_get(node, "code");
    kernel->name = read_name(reading, name);
    kernel->place = name->place;
    read_arrays(reading, yaml_get(node, "shared"), &kernel->shared);
    read_arrays(reading, yaml_get(node, "local"), &kernel->local);
    if (reading->status == HX_NO_MEMORY)
        return;
    struct code_places places = {place_in_code, code};
    note(reading, assemble_kernel(reading->program, kernel, code->text, &places, reading->diag));
}

static void read_kernels(struct reading *reading, const struct yaml_node *root)
{
    hx_program *program = reading->program;
    const struct yaml_node *list = yaml_get(root, "kernels"), *code = yaml_get(root, "code"),
                           *run = yaml_get(root, "run");
    const struct yaml_node *stray =
        yaml_get(root, "shared") ? yaml_get(root, "shared") : yaml_get(root, "local");
    if ((list != NULL) == (code != NULL) || (list == NULL) != (run == NULL) || (list && stray)) {
        struct place place = list && stray ? stray->key_place
                             : run         ? run->key_place
                             : list        ? list->key_place
                                           : root->place;
        note(reading,
             diag_report(reading->diag, DIAG_PROGRAM_KERNELS, place,
                         "give `code`, or `kernels` and `run` (with shared and local in each kernel)",
                         list || code || run ? "these keys do not go together" : "the program has no code"));
        return;
    }
    program->kernels = allocate(reading, list ? list->count : 1, sizeof *program->kernels);
    if (!program->kernels)
        return;
    if (!list) {
        program->kernel_count = 1;
        read_kernel(reading, root, yaml_get(root, "program"), &program->kernels[0]);
        return;
    }
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        struct kernel *kernel = &program->kernels[program->kernel_count];
        kernel->index = (uint16_t)program->kernel_count++;
        read_kernel(reading, node, yaml_get(node, "name"), kernel);
    }
}

static void read_extent(struct reading *reading, const struct yaml_node *list, const uint32_t *most,
                        uint32_t *extent)
{
    uint64_t value;
    for (unsigned i = 0; list && i < list->count && i < 3; i++)
        if (note(reading, yaml_number_u64(yaml_at(list, i), reading->diag, 1, most[i], &value)) == HX_OK)
            extent[i] = (uint32_t)value;
}

static void read_shape(struct reading *reading, const struct yaml_node *node, struct launch_step *step)
{
    static const uint32_t grid_most[] = {2147483647u, 65535u, 65535u}, block_most[] = {1024u, 1024u, 64u};
    const struct yaml_node *block = yaml_get(node, "block"), *shared = yaml_get(node, "dynamic_shared");
    read_extent(reading, yaml_get(node, "grid"), grid_most, step->grid);
    read_extent(reading, block, block_most, step->block);
    if ((uint64_t)step->block[0] * step->block[1] * step->block[2] > 1024)
        note(reading,
             diag_report(reading->diag, DIAG_PROGRAM_SHAPE, block->place, "make it 1024 threads or fewer",
                         "a block of %u x %u x %u threads is too large", step->block[0], step->block[1],
                         step->block[2]));
    if (shared)
        note(reading, yaml_number_u64(shared, reading->diag, 0, 228 << 10, &step->dynamic_shared));
}

static void read_steps(struct reading *reading, const struct yaml_node *root)
{
    hx_program *program = reading->program;
    const struct yaml_node *run = yaml_get(root, "run"), *launch = yaml_get(root, "launch");
    program->steps = allocate(reading, run ? run->count : 1, sizeof *program->steps);
    if (!program->steps || program->kernel_count == 0)
        return;
    struct launch_step base = {.kernel = &program->kernels[0],
                               .grid = {1, 1, 1},
                               .block = {1, 1, 1},
                               .repeat = 1,
                               .place = root->place};
    if (launch)
        read_shape(reading, launch, &base);
    if (!run) {
        program->steps[program->step_count++] = base;
        return;
    }
    for (const struct yaml_node *node = run->first; node; node = node->next) {
        struct launch_step *step = &program->steps[program->step_count++];
        const struct yaml_node *name = yaml_get(node, "kernel"), *repeat = yaml_get(node, "repeat");
        uint64_t times = 1;
        *step = base;
        step->kernel = NULL;
        step->place = name->place;
        read_shape(reading, node, step);
        for (size_t k = 0; k < program->kernel_count; k++)
            if (slice_equal(name->text, program->kernels[k].name))
                step->kernel = &program->kernels[k];
        if (!step->kernel)
            note(reading, diag_report(reading->diag, DIAG_PROGRAM_KERNELS, name->place, NULL,
                                      "there is no kernel '" SLICE_FORMAT "'", SLICE_ARGS(name->text)));
        if (repeat)
            note(reading, yaml_number_u64(repeat, reading->diag, 1, 1000000000, &times));
        step->repeat = (uint32_t)times;
    }
}

/* ---- Expectations -------------------------------------------------------------------------------------- */

static void read_expectation(struct reading *reading, const struct yaml_node *node,
                             struct expectation *expectation)
{
    const hx_program *program = reading->program;
    const struct yaml_node *buffer = yaml_get(node, "buffer"), *values = yaml_get(node, "values"),
                           *file = yaml_get(node, "file");
    const struct yaml_node *crc = yaml_get(node, "crc32"), *rtol = yaml_get(node, "rtol"),
                           *atol = yaml_get(node, "atol");
    expectation->place = buffer->place;
    while (expectation->buffer < program->buffers.count &&
           !slice_equal(buffer->text, program->buffers.items[expectation->buffer].name))
        expectation->buffer++;
    if (expectation->buffer == program->buffers.count) {
        note(reading, diag_report(reading->diag, DIAG_PROGRAM_BUFFER, buffer->place, NULL,
                                  "there is no buffer '" SLICE_FORMAT "'", SLICE_ARGS(buffer->text)));
        return;
    }
    if ((values != NULL) + (file != NULL) + (crc != NULL) != 1)
        note(reading, diag_report(reading->diag, DIAG_PROGRAM_EXPECT, buffer->place, NULL,
                                  "one of values, file and crc32 must be given"));
    if (rtol)
        note(reading, yaml_number_f64(rtol, reading->diag, &expectation->rtol));
    if (atol)
        note(reading, yaml_number_f64(atol, reading->diag, &expectation->atol));
    if (!(expectation->rtol >= 0) || !(expectation->atol >= 0))
        note(reading, diag_report(reading->diag, DIAG_PROGRAM_EXPECT, buffer->place, NULL,
                                  "rtol and atol must not be negative"));
    uint64_t sum = 0;
    if (crc) {
        expectation->kind = EXPECT_CRC32;
        note(reading, yaml_number_u64(crc, reading->diag, 0, UINT32_MAX, &sum));
        expectation->crc32 = (uint32_t)sum;
    } else if (file) {
        expectation->kind = EXPECT_FILE;
        expectation->file = (struct fill){.kind = FILL_FILE, .path = file->text.at, .place = file->place};
    } else if (values) {
        expectation->value_count = values->count;
        expectation->values = read_values(reading, values, program->buffers.items[expectation->buffer].type);
    }
}

static void read_expectations(struct reading *reading, const struct yaml_node *list)
{
    hx_program *program = reading->program;
    program->expectations = list ? allocate(reading, list->count, sizeof *program->expectations) : NULL;
    for (const struct yaml_node *node = list && program->expectations ? list->first : NULL; node;
         node = node->next)
        read_expectation(reading, node, &program->expectations[program->expectation_count++]);
}

hx_status document_load(hx_program *program, hx_diag *diag)
{
    struct reading reading = {.program = program, .diag = diag};
    struct yaml_document *document;
    void *data;
    struct text indented;
    text_init(&indented, program->arena.allocator);
    hx_status status = code_blocks_indent(&program->source, &indented);
    program->source.text =
        status == HX_OK ? arena_copy(&program->arena, indented.length ? indented.at : "", indented.length)
                        : NULL;
    program->source.bytes = indented.length;
    text_done(&indented);
    if (!program->source.text)
        return HX_NO_MEMORY;
    status = yaml_document_read(&program->arena, diag, &program->source, NULL, &document);
    if (status == HX_OK)
        status = yaml_load(document, &program_schema, &program->arena, diag, &data);
    if (status != HX_OK)
        return status;
    const struct yaml_program *from = data;
    const struct yaml_node *root = document->root;
    program->name = read_name(&reading, yaml_get(root, "program"));
    program->description = from->description ? from->description : "";
    read_params(&reading, yaml_get(root, "params"));
    read_arrays(&reading, yaml_get(root, "buffers"), &program->buffers);
    read_arrays(&reading, yaml_get(root, "constants"), &program->constants);
    if (reading.status != HX_NO_MEMORY)
        read_kernels(&reading, root);
    if (reading.status != HX_NO_MEMORY)
        read_steps(&reading, root);
    read_expectations(&reading, yaml_get(root, "expect"));
    check_names(&reading);
    return reading.status;
}
