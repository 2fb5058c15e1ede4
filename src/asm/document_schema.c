/* Which keys the YAML of a program may have, as tables of libcyaml. What their values must be is checked by
 * document.c. */
#include "asm/asm.h"
#include "asm/document.h"
#include "yaml/load.h"

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

/* What arrays have in common; what is in them, which those of shared and local memory do not say. */
#define ARRAY_FIELDS                                                                                         \
    TEXT("name", 0, struct yaml_array, name), TEXT("type", 0, struct yaml_array, type),                      \
        TEXT("count", MAY, struct yaml_array, count_text)
#define FILL_FIELDS                                                                                          \
    TEXT("fill", MAY, struct yaml_array, fill), TEXT("seed", MAY, struct yaml_array, seed),                  \
        TEXT("min", MAY, struct yaml_array, minimum), TEXT("max", MAY, struct yaml_array, maximum),          \
        LIST_OF("values", MAY, struct yaml_array, values.items, values.count, word_schema, 0,                \
                CYAML_UNLIMITED),                                                                            \
        TEXT("file", MAY, struct yaml_array, file), TEXT("text", MAY, struct yaml_array, text)
static const cyaml_schema_field_t buffer_fields[] = {
    ARRAY_FIELDS, FILL_FIELDS, TEXT("access", MAY, struct yaml_array, access), CYAML_FIELD_END};
#define ALIGN_FIELD TEXT("align", MAY, struct yaml_array, align)
static const cyaml_schema_field_t constant_fields[] = {ARRAY_FIELDS, FILL_FIELDS, ALIGN_FIELD,
                                                       CYAML_FIELD_END};
static const cyaml_schema_field_t scratch_fields[] = {ARRAY_FIELDS, ALIGN_FIELD, CYAML_FIELD_END};
static const cyaml_schema_value_t buffer_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_array, buffer_fields)};
static const cyaml_schema_value_t constant_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_array, constant_fields)};
static const cyaml_schema_value_t scratch_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_array, scratch_fields)};

#define SHAPE_FIELDS                                                                                         \
    LIST_OF("grid", MAY, struct yaml_launch, grid.items, grid.count, word_schema, 1, 3),                     \
        LIST_OF("block", MAY, struct yaml_launch, block.items, block.count, word_schema, 1, 3),              \
        TEXT("dynamic_shared", MAY, struct yaml_launch, dynamic_shared)
static const cyaml_schema_field_t launch_fields[] = {SHAPE_FIELDS, CYAML_FIELD_END};
static const cyaml_schema_field_t until_fields[] = {TEXT("buffer", 0, struct yaml_until, buffer),
                                                    TEXT("index", MAY, struct yaml_until, index),
                                                    CYAML_FIELD_END};
/* The values of a launch's parameters, by name. */
static const cyaml_schema_field_t setting_fields[] = {
    {.key = "parameter", .value = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)}},
    CYAML_FIELD_END};
static const cyaml_schema_value_t run_schema; /* an entry of a list of such */
static const cyaml_schema_field_t run_fields[] = {
    SHAPE_FIELDS,
    TEXT("kernel", MAY, struct yaml_launch, kernel),
    TEXT("repeat", MAY, struct yaml_launch, repeat),
    YAML_FREE_KEYS("params", setting_fields),
    {.key = "args", .value = {.type = CYAML_IGNORE, .flags = CYAML_FLAG_OPTIONAL}},
    TEXT("counter", MAY, struct yaml_launch, counter),
    CYAML_FIELD_MAPPING_PTR("until", CYAML_FLAG_POINTER | MAY, struct yaml_launch, until, until_fields),
    LIST_OF("run", MAY, struct yaml_launch, run, run_count, run_schema, 1, LIMIT_STEPS),
    CYAML_FIELD_END};
static const cyaml_schema_value_t run_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_launch, run_fields)};

#define ARRAYS(key, type, member, schema)                                                                    \
    LIST_OF(key, MAY, type, member.items, member.count, schema, 0, LIMIT_LIST)
static const cyaml_schema_field_t kernel_fields[] = {
    TEXT("name", 0, struct yaml_kernel, name),
    TEXT("code", 0, struct yaml_kernel, code),
    TEXT("lines", MAY, struct yaml_kernel, lines),
    ARRAYS("shared", struct yaml_kernel, shared, scratch_schema),
    ARRAYS("local", struct yaml_kernel, local, scratch_schema),
    CYAML_FIELD_END};
static const cyaml_schema_value_t kernel_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_kernel, kernel_fields)};

static const cyaml_schema_field_t expect_fields[] = {
    TEXT("buffer", MAY, struct yaml_expect, buffer),
    LIST_OF("values", MAY, struct yaml_expect, values.items, values.count, word_schema, 1, CYAML_UNLIMITED),
    TEXT("file", MAY, struct yaml_expect, file),
    TEXT("crc32", MAY, struct yaml_expect, crc32),
    TEXT("rtol", MAY, struct yaml_expect, rtol),
    TEXT("atol", MAY, struct yaml_expect, atol),
    TEXT("fault", MAY, struct yaml_expect, fault),
    CYAML_FIELD_END};
static const cyaml_schema_value_t expect_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_expect, expect_fields)};

static const cyaml_schema_field_t outcome_fields[] = {
    TEXT("name", 0, struct yaml_outcome, name), TEXT("buffer", 0, struct yaml_outcome, buffer),
    LIST_OF("values", 0, struct yaml_outcome, values.items, values.count, word_schema, 1, CYAML_UNLIMITED),
    TEXT("is", MAY, struct yaml_outcome, is), CYAML_FIELD_END};
static const cyaml_schema_value_t outcome_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_outcome, outcome_fields)};

static const cyaml_schema_field_t program_fields[] = {
    TEXT("program", 0, struct yaml_program, name),
    TEXT("description", MAY, struct yaml_program, description),
    CYAML_FIELD_MAPPING_PTR("launch", CYAML_FLAG_POINTER | MAY, struct yaml_program, launch, launch_fields),
    LIST_OF("params", MAY, struct yaml_program, params, param_count, param_schema, 0, LIMIT_LIST),
    ARRAYS("buffers", struct yaml_program, buffers, buffer_schema),
    ARRAYS("constants", struct yaml_program, constants, constant_schema),
    ARRAYS("shared", struct yaml_program, shared, scratch_schema),
    ARRAYS("local", struct yaml_program, local, scratch_schema),
    TEXT("code", MAY, struct yaml_program, code),
    TEXT("lines", MAY, struct yaml_program, lines),
    TEXT("source", MAY, struct yaml_program, source),
    TEXT("ptx", MAY, struct yaml_program, ptx),
    TEXT("kernel", MAY, struct yaml_program, kernel),
    TEXT("options", MAY, struct yaml_program, options),
    {.key = "args", .value = {.type = CYAML_IGNORE, .flags = CYAML_FLAG_OPTIONAL}},
    TEXT("origin", MAY, struct yaml_program, origin),
    LIST_OF("kernels", MAY, struct yaml_program, kernels, kernel_count, kernel_schema, 1, LIMIT_KERNELS),
    LIST_OF("run", MAY, struct yaml_program, run, run_count, run_schema, 1, LIMIT_STEPS),
    LIST_OF("expect", MAY, struct yaml_program, expect, expect_count, expect_schema, 0, LIMIT_LIST),
    LIST_OF("outcomes", MAY, struct yaml_program, outcomes, outcome_count, outcome_schema, 0, LIMIT_LIST),
    CYAML_FIELD_END};
static const cyaml_schema_value_t program_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct yaml_program, program_fields)};

const cyaml_schema_value_t *document_schema(void)
{
    return &program_schema;
}
