/* Vector files as written.
 *
 * Takes the document, leaves cases with the bits of every operand. What an operand is follows from the
 * instruction that `op` names; values are read as that type: numbers as in assembly, bits in hex, true and
 * false for predicates. */
#include "asm/assembly.h"
#include "vectors/vectors.h"
#include "yaml/load.h"

#include <stdio.h>
#include <string.h>

/* ---- The document as libcyaml's tables have it: yaml_check and `hexec schema` read them -------------------
 */

struct no_data {
    int nothing;
};
#define ANY(text, options)                                                                                   \
    {                                                                                                        \
        .key = (text), .value = {.type = CYAML_IGNORE, .flags = (options) }                                  \
    }
#define WORD(text, options)                                                                                  \
    {                                                                                                        \
        .key = (text), .value = {                                                                            \
            .type = CYAML_STRING,                                                                            \
            .flags = CYAML_FLAG_POINTER | (options),                                                         \
            .string = {.max = CYAML_UNLIMITED}                                                               \
        }                                                                                                    \
    }
#define LIST_IN(text, options, schema, least)                                                                \
    {                                                                                                        \
        .key = (text), .value = {                                                                            \
            .type = CYAML_SEQUENCE,                                                                          \
            .flags = CYAML_FLAG_POINTER | (options),                                                         \
            .sequence = {.entry = &(schema), .min = (least), .max = CYAML_UNLIMITED}                         \
        }                                                                                                    \
    }
#define MAY CYAML_FLAG_OPTIONAL

static const cyaml_schema_value_t word_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};
static const cyaml_schema_field_t vector_fields[] = {ANY("in", MAY),
                                                     ANY("out", MAY),
                                                     WORD("at", MAY),
                                                     LIST_IN("memory", MAY, word_schema, 1),
                                                     LIST_IN("after", MAY, word_schema, 1),
                                                     WORD("fault", MAY),
                                                     CYAML_FIELD_END};
static const cyaml_schema_value_t vector_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct no_data, vector_fields)};
static const cyaml_schema_field_t case_fields[] = {WORD("op", 0), WORD("ulp", MAY),
                                                   LIST_IN("memory", MAY, word_schema, 1),
                                                   LIST_IN("vectors", 0, vector_schema, 1), CYAML_FIELD_END};
static const cyaml_schema_value_t case_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct no_data, case_fields)};
static const cyaml_schema_field_t file_fields[] = {WORD("vectors", 0), WORD("description", MAY),
                                                   LIST_IN("cases", 0, case_schema, 1), CYAML_FIELD_END};
static const cyaml_schema_value_t file_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct no_data, file_fields)};

const cyaml_schema_value_t *vectors_document_schema(void)
{
    return &file_schema;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

struct reading {
    struct vector_file *file;
    hx_diag *diag;
    hx_status status;
};

static void note(struct reading *reading, hx_status status)
{
    if (reading->status == HX_OK || status == HX_NO_MEMORY)
        reading->status = status;
}

static void wrong(struct reading *reading, struct place place, const char *hint, const char *message)
{
    note(reading, diag_report(reading->diag, DIAG_VECTORS, place, hint, "%s", message));
}

bool vectors_is_text(const char *text)
{
    static const char key[] = "vectors:";
    const char *found = strstr(text, key);
    while (found && found != text && found[-1] != '\n')
        found = strstr(found + 1, key);
    return found != NULL;
}

/* ---- Values -------------------------------------------------------------------------------------------- */

static uint64_t read_value(struct reading *reading, const struct yaml_node *node, enum hx_type type)
{
    uint64_t bits = 0;
    bool truth;
    const struct slice text = node->text;
    if (node->kind != YAML_SCALAR) {
        wrong(reading, node->place, NULL, "one value is wanted here");
    } else if (type == HX_TYPE_PRED) {
        if (!boolean_parse(text, &truth))
            wrong(reading, node->place, "true or false", "a predicate is wanted here");
        else
            bits = truth;
    } else if (text.length > 2 && text.at[0] == '0' && (text.at[1] | 32) == 'x') {
        const unsigned width = type_bits(type);
        if (number_parse_u64(text, &bits) != NUMBER_OK || (width < 64 && bits >> width))
            note(reading, diag_report(reading->diag, DIAG_VECTORS, node->place, NULL,
                                      "'" SLICE_FORMAT "' are no bits of type %s", SLICE_ARGS(text),
                                      hx_type_name(type)));
    } else {
        note(reading, program_number_bits(text, type, node->place, reading->diag, &bits));
    }
    return bits;
}

/* A list of values, or one alone. */
static void read_values(struct reading *reading, const struct yaml_node *node, const char *what,
                        const struct vector_operand *operands, unsigned count, uint64_t *ret_bits)
{
    if (!node) {
        return;
    } else if (node->kind == YAML_SCALAR && count == 1) {
        ret_bits[0] = read_value(reading, node, operands[0].type);
    } else if (node->kind == YAML_SEQUENCE && node->count == count) {
        unsigned i = 0;
        for (const struct yaml_node *child = node->first; child; child = child->next, i++)
            ret_bits[i] = read_value(reading, child, operands[i].type);
    } else {
        note(reading, diag_report(reading->diag, DIAG_VECTORS, node->place, NULL, "%u value%s wanted in '%s'",
                                  count, count == 1 ? " is" : "s are", what));
    }
}

/* Elements of the instruction's type, as they lie in memory. */
static const uint8_t *read_memory(struct reading *reading, const struct yaml_node *node, enum hx_type type,
                                  size_t *ret_bytes)
{
    const size_t element = hx_type_bytes(type);
    if (!node)
        return NULL;
    if (node->kind != YAML_SEQUENCE || node->count == 0 || node->count * element > VECTOR_MEMORY_MAX) {
        wrong(reading, node->place, NULL,
              "a list of at least one element, and at most 1024 bytes, is wanted");
        return NULL;
    }
    uint8_t *bytes = ARENA_ARRAY(&reading->file->arena, uint8_t, node->count * element);
    size_t at = 0;
    for (const struct yaml_node *child = node->first; child && bytes; child = child->next, at += element) {
        const uint64_t bits = read_value(reading, child, type);
        memcpy(bytes + at, &bits, element);
    }
    if (!bytes)
        note(reading, diag_no_memory(reading->diag));
    *ret_bytes = at;
    return bytes;
}

static hx_fault_kind read_fault(struct reading *reading, const struct yaml_node *node)
{
    const hx_fault_kind kind = node ? (hx_fault_kind)program_find_fault(node->text) : HX_FAULT_NONE;
    if (node && kind == HX_FAULT_NONE)
        wrong(reading, node->place, "out_of_range, misaligned, ...", "there is no such fault");
    return kind;
}

/* ---- Cases --------------------------------------------------------------------------------------------- */

/* What the operands of the instruction are, in the order in which they are written. */
static bool find_operands(struct vector_case *test)
{
    const struct isa_opcode *opcode = test->instruction.opcode;
    const unsigned vector = shape_is_memory(opcode->shape) ? instruction_vector(&test->instruction) : 1;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct form *form = &opcode->forms[i];
        const bool is_macro = opcode->expansion_count > 0,
                   is_result = form->kind == FORM_DESTINATION || form->kind == FORM_PREDICATE_DESTINATION;
        struct vector_operand operand = {.form = (uint8_t)i,
                                         .type = instruction_operand_type(&test->instruction, i)};
        if (is_macro && operand.type != HX_TYPE_PRED)
            operand.type = (enum hx_type)test->instruction.type;
        if (form->kind == FORM_ADDRESS) {
            test->has_address = true;
            continue;
        }
        if (form->kind == FORM_LABEL || form->kind == FORM_SMALL || form->kind == FORM_READ_WRITE)
            return false;
        if (form->kind == FORM_IMM8) {
            operand.type = HX_TYPE_U8;
            operand.is_immediate = true;
        }
        struct vector_operand *list = is_result ? test->out : test->in;
        unsigned *count = is_result ? &test->out_count : &test->in_count;
        const unsigned elements = form->kind == FORM_PREDICATE_SOURCE ? 1 : vector;
        for (unsigned k = 0; k < elements && *count < VECTOR_OPERANDS_MAX; k++) {
            operand.element = (uint8_t)k;
            list[(*count)++] = operand;
        }
    }
    return true;
}

static size_t count_of(const struct yaml_node *values)
{
    return !values ? 0 : values->kind == YAML_SEQUENCE ? values->count : 1;
}

/* Operands that may be left out, results among them, are left out in all vectors of a case, or in none. */
static void leave_out(struct vector_case *test, const struct yaml_node *vectors)
{
    const struct isa_opcode *opcode = test->instruction.opcode;
    const struct yaml_node *first = vectors->first;
    const size_t in = first ? count_of(yaml_get(first, "in")) : 0,
                 out = first ? count_of(yaml_get(first, "out")) : 0;
    while (test->in_count > in && opcode->forms[test->in[test->in_count - 1].form].optional)
        test->in_count--;
    while (test->out_count > out && opcode->forms[test->out[test->out_count - 1].form].optional)
        test->out_count--;
}

static void read_vector(struct reading *reading, const struct yaml_node *node, const struct yaml_node *shared,
                        const struct vector_case *test, struct vector *vector)
{
    const enum hx_type type = (enum hx_type)test->instruction.type;
    size_t after_bytes = 0;
    vector->place = node->place;
    const struct yaml_node *out = yaml_get(node, "out"), *at = yaml_get(node, "at"),
                           *in = yaml_get(node, "in");
    const struct yaml_node *memory = yaml_get(node, "memory"), *fault = yaml_get(node, "fault");
    vector->fault = read_fault(reading, fault);
    if (!in && test->in_count > 0)
        wrong(reading, node->place, NULL, "'in' is missing");
    if (!out && test->out_count > 0 && !fault)
        wrong(reading, node->place, NULL, "'out' is missing");
    read_values(reading, in, "in", test->in, test->in_count, vector->in);
    read_values(reading, out, "out", test->out, test->out_count, vector->out);
    if (!test->has_address)
        return;
    if (at)
        note(reading, yaml_number_i64(at, reading->diag, INT64_MIN, INT64_MAX, &vector->at));
    vector->memory = read_memory(reading, memory ? memory : shared, type, &vector->memory_bytes);
    vector->after = read_memory(reading, yaml_get(node, "after"), type, &after_bytes);
    if (!vector->memory)
        wrong(reading, node->place, NULL, "'memory' is missing: here, or in the case");
    else if (vector->after && after_bytes != vector->memory_bytes)
        wrong(reading, node->place, NULL, "'after' must have as many elements as memory");
}

static void read_case(struct reading *reading, const struct yaml_node *node, struct vector_case *test)
{
    const struct yaml_node *op = yaml_get(node, "op"), *ulp = yaml_get(node, "ulp");
    const struct yaml_node *list = yaml_get(node, "vectors");
    test->place = node->place;
    test->op = op->text.at;
    const hx_status known = mnemonic_parse(reading->file->isa, reading->file->arena.allocator, op->text,
                                           op->place, reading->diag, &test->instruction);
    note(reading, known);
    if (known != HX_OK)
        return;
    if (!find_operands(test)) {
        wrong(reading, op->place, "write a program with expect for it",
              "vectors cannot test this instruction");
        return;
    }
    leave_out(test, list);
    if (ulp)
        note(reading, yaml_number_f64(ulp, reading->diag, &test->ulp));
    test->vectors = ARENA_ARRAY(&reading->file->arena, struct vector, list->count);
    if (!test->vectors) {
        note(reading, diag_no_memory(reading->diag));
        return;
    }
    for (const struct yaml_node *child = list->first; child; child = child->next)
        read_vector(reading, child, yaml_get(node, "memory"), test, &test->vectors[test->vector_count++]);
}

hx_status vectors_read(const struct yaml_document *document, hx_diag *diag, struct vector_file *file)
{
    struct reading reading = {.file = file, .diag = diag, .status = yaml_check(document, &file_schema, diag)};
    const struct yaml_node *list = yaml_get(document->root, "cases");
    if (reading.status != HX_OK)
        return reading.status;
    file->cases = ARENA_ARRAY(&file->arena, struct vector_case, list->count);
    if (!file->cases)
        return diag_no_memory(diag);
    for (const struct yaml_node *child = list->first; child && reading.status != HX_NO_MEMORY;
         child = child->next)
        read_case(&reading, child, &file->cases[file->case_count++]);
    return reading.status;
}
