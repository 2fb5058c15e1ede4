/* From YAML to the opcode table.
 *
 * Takes the bytes of an instruction set, leaves an hx_isa that is checked in full and constant from then on.
 * libcyaml fills plain structures; this file turns their words into enums, sets and numbers, each problem
 * with the place of its word. What an entry means is check.c's question. */
#include "isa/load.h"

#include "base/crc32.h"
#include "base/file.h"
#include "base/machine.h"
#include "hexec/trace.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- The document as libcyaml sees it ------------------------------------------------------------------ */

struct words {
    char **items;
    uint32_t count;
};
struct yaml_field {
    char *name, *at, *bits;
};
struct yaml_group {
    char *name, *at, *bits;
    struct words values;
};
struct yaml_encoding {
    struct yaml_field *fields;
    uint32_t field_count;
    struct yaml_group *groups;
    uint32_t group_count;
};
struct yaml_cost {
    char *issue, *latency;
};
struct yaml_opcode {
    char *mnemonic, *code, *class_name, *semantics, *span, *flops, *summary, *detail, *see;
    struct words aliases, operands, types, source_types, modifiers, metrics, expansion;
    struct yaml_cost *cost;
    struct yaml_fidelity *fidelity;
    uint32_t fidelity_count;
};
struct yaml_isa {
    char *name, *version, *description;
    struct yaml_encoding encoding;
    struct yaml_opcode *opcodes;
    uint32_t opcode_count;
};

static const cyaml_schema_value_t word_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};

#define TEXT(key, flags, type, member)                                                                       \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | (flags), type, member, 0, CYAML_UNLIMITED)
#define WORDS(key, flags, type, member)                                                                      \
    CYAML_FIELD_SEQUENCE_COUNT(key, CYAML_FLAG_POINTER | (flags), type, member.items, member.count,          \
                               &word_schema, 0, CYAML_UNLIMITED)

static const cyaml_schema_field_t field_fields[] = {
    TEXT("name", 0, struct yaml_field, name), TEXT("at", 0, struct yaml_field, at),
    TEXT("bits", 0, struct yaml_field, bits), CYAML_FIELD_END};
static const cyaml_schema_value_t field_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_field, field_fields)};

static const cyaml_schema_field_t group_fields[] = {
    TEXT("name", 0, struct yaml_group, name), TEXT("at", 0, struct yaml_group, at),
    TEXT("bits", 0, struct yaml_group, bits), WORDS("values", 0, struct yaml_group, values), CYAML_FIELD_END};
static const cyaml_schema_value_t group_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_group, group_fields)};

static const cyaml_schema_field_t encoding_fields[] = {
    CYAML_FIELD_SEQUENCE_COUNT("fields", CYAML_FLAG_POINTER, struct yaml_encoding, fields, field_count,
                               &field_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE_COUNT("modifier_groups", CYAML_FLAG_POINTER, struct yaml_encoding, groups,
                               group_count, &group_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END};

static const cyaml_schema_field_t cost_fields[] = {TEXT("issue", 0, struct yaml_cost, issue),
                                                   TEXT("latency", 0, struct yaml_cost, latency),
                                                   CYAML_FIELD_END};

static const cyaml_schema_field_t opcode_fields[] = {
    TEXT("mnemonic", 0, struct yaml_opcode, mnemonic),
    WORDS("aliases", CYAML_FLAG_OPTIONAL, struct yaml_opcode, aliases),
    TEXT("code", CYAML_FLAG_OPTIONAL, struct yaml_opcode, code),
    TEXT("class", 0, struct yaml_opcode, class_name),
    TEXT("semantics", CYAML_FLAG_OPTIONAL, struct yaml_opcode, semantics),
    WORDS("operands", 0, struct yaml_opcode, operands),
    WORDS("types", CYAML_FLAG_OPTIONAL, struct yaml_opcode, types),
    WORDS("source_types", CYAML_FLAG_OPTIONAL, struct yaml_opcode, source_types),
    WORDS("modifiers", CYAML_FLAG_OPTIONAL, struct yaml_opcode, modifiers),
    TEXT("span", CYAML_FLAG_OPTIONAL, struct yaml_opcode, span),
    WORDS("metrics", CYAML_FLAG_OPTIONAL, struct yaml_opcode, metrics),
    TEXT("flops", CYAML_FLAG_OPTIONAL, struct yaml_opcode, flops),
    CYAML_FIELD_MAPPING_PTR("cost", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct yaml_opcode, cost,
                            cost_fields),
    CYAML_FIELD_SEQUENCE_COUNT("fidelity", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct yaml_opcode,
                               fidelity, fidelity_count, &isa_fidelity_schema, 0, CYAML_UNLIMITED),
    TEXT("summary", 0, struct yaml_opcode, summary),
    TEXT("detail", CYAML_FLAG_OPTIONAL, struct yaml_opcode, detail),
    TEXT("see", CYAML_FLAG_OPTIONAL, struct yaml_opcode, see),
    WORDS("expand", CYAML_FLAG_OPTIONAL, struct yaml_opcode, expansion),
    CYAML_FIELD_END};
static const cyaml_schema_value_t opcode_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_opcode, opcode_fields)};

static const cyaml_schema_field_t isa_fields[] = {
    TEXT("isa", 0, struct yaml_isa, name),
    TEXT("version", CYAML_FLAG_OPTIONAL, struct yaml_isa, version),
    TEXT("description", CYAML_FLAG_OPTIONAL, struct yaml_isa, description),
    CYAML_FIELD_MAPPING("encoding", CYAML_FLAG_DEFAULT, struct yaml_isa, encoding, encoding_fields),
    CYAML_FIELD_SEQUENCE_COUNT("opcodes", CYAML_FLAG_POINTER, struct yaml_isa, opcodes, opcode_count,
                               &opcode_schema, 1, CYAML_UNLIMITED),
    CYAML_FIELD_END};
static const cyaml_schema_value_t isa_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct yaml_isa, isa_fields)};

const cyaml_schema_value_t *isa_document_schema(void)
{
    return &isa_schema;
}

/* ---- The encoding -------------------------------------------------------------------------------------- */

#define WORD_BITS 128

static void load_place(struct isa_loading *loading, const struct yaml_node *node, struct isa_field *ret_field)
{
    uint64_t at = 0, bits = 0;
    hx_status status = yaml_number_u64(yaml_get(node, "at"), loading->diag, 0, WORD_BITS - 1, &at);
    isa_note(loading, status);
    if (status == HX_OK)
        isa_note(loading, yaml_number_u64(yaml_get(node, "bits"), loading->diag, 1,
                                          WORD_BITS - at < 64 ? WORD_BITS - at : 64, &bits));
    *ret_field = (struct isa_field){(uint8_t)at, (uint8_t)bits};
}

static const char *const field_names[] = {
#define FIELD_NAME(name) #name,
    ISA_FIELDS(FIELD_NAME)
#undef FIELD_NAME
};

static void load_fields(struct isa_loading *loading, const struct yaml_node *list)
{
    struct isa_field *places = (struct isa_field *)&loading->isa->fields; /* declared in the list's order */
    _Static_assert(sizeof loading->isa->fields == sizeof(struct isa_field) * HX_COUNT_OF(field_names),
                   "one place a field");
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        const struct yaml_node *name = yaml_get(node, "name");
        size_t i = 0;
        while (i < HX_COUNT_OF(field_names) && !slice_equal(name->text, field_names[i]))
            i++;
        if (i == HX_COUNT_OF(field_names))
            isa_note(loading,
                     diag_report(loading->diag, DIAG_ISA_ENCODING, name->place,
                                 text_suggest_from(name->text, field_names, HX_COUNT_OF(field_names)),
                                 "there is no field '" SLICE_FORMAT "'", SLICE_ARGS(name->text)));
        else
            load_place(loading, node, &places[i]);
    }
    for (size_t i = 0; i < HX_COUNT_OF(field_names); i++)
        if (places[i].bits == 0)
            isa_note(loading, diag_report(loading->diag, DIAG_ISA_ENCODING, list->place, NULL,
                                          "field '%s' has no place", field_names[i]));
}

static void check_group_values(struct isa_loading *loading, enum modifier_group group,
                               const struct yaml_node *values)
{
    unsigned value = 1;
    for (const struct yaml_node *word = values->first; word; word = word->next, value++) {
        const char *known = modifier_text(group, value);
        if (!known || !slice_equal(word->text, known))
            isa_note(loading, diag_report(loading->diag, DIAG_ISA_ENCODING, word->place, NULL,
                                          "value %u of modifier group '%s' is %s, not '" SLICE_FORMAT "'",
                                          value, modifier_group_name(group), known ? known : "nothing",
                                          SLICE_ARGS(word->text)));
    }
    if (value - 1 > (1u << loading->isa->group_fields[group].bits) - 1)
        isa_note(loading, diag_report(loading->diag, DIAG_ISA_ENCODING, values->place, NULL,
                                      "%u values do not fit %u bits (0 means none)", value - 1,
                                      loading->isa->group_fields[group].bits));
}

static void load_groups(struct isa_loading *loading, const struct yaml_node *list)
{
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        const struct yaml_node *name = yaml_get(node, "name");
        int group = 0;
        while (group < GROUP_COUNT && !slice_equal(name->text, modifier_group_name(group)))
            group++;
        if (group == GROUP_COUNT) {
            isa_note(loading,
                     diag_report(loading->diag, DIAG_ISA_ENCODING, name->place, NULL,
                                 "there is no modifier group '" SLICE_FORMAT "'", SLICE_ARGS(name->text)));
            continue;
        }
        load_place(loading, node, &loading->isa->group_fields[group]);
        check_group_values(loading, group, yaml_get(node, "values"));
    }
}

/* ---- Entries ------------------------------------------------------------------------------------------- */

static const char *lower_case(struct isa_loading *loading, const char *text)
{
    char *copy = arena_copy(&loading->isa->arena, text, strlen(text));
    for (char *at = copy; at && *at; at++)
        *at = (char)tolower((unsigned char)*at);
    if (!copy)
        isa_note(loading, diag_no_memory(loading->diag));
    return copy ? copy : "";
}

static void check_name(struct isa_loading *loading, const char *name, const struct yaml_node *node)
{
    bool good = isalpha((unsigned char)name[0]) && name[strlen(name) - 1] != '.' && !strstr(name, "..");
    for (const char *at = name; *at; at++)
        good = good && (isalnum((unsigned char)*at) || *at == '.' || *at == '_');
    if (!good)
        isa_note(loading, diag_report(loading->diag, DIAG_ISA_NAME, node->place, NULL,
                                      "'%s' is no name for an opcode", name));
}

uint32_t isa_load_types(struct isa_loading *loading, const struct yaml_node *list)
{
    uint32_t types = 0;
    for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next) {
        hx_type type = hx_type_find(node->text.at);
        if (type == HX_TYPE_NONE)
            isa_note(loading, diag_report(loading->diag, DIAG_ISA_TYPE, node->place, NULL,
                                          "there is no type '" SLICE_FORMAT "'", SLICE_ARGS(node->text)));
        else if (types & TYPE_BIT(type))
            isa_note(loading,
                     diag_report(loading->diag, DIAG_ISA_TYPE, node->place, NULL,
                                 "type '" SLICE_FORMAT "' stands here twice", SLICE_ARGS(node->text)));
        else
            types |= TYPE_BIT(type);
    }
    return types;
}

static void load_metrics(struct isa_loading *loading, const struct yaml_node *list, struct isa_opcode *opcode)
{
    static const char *const names[] = {"bytes", "lanes", "flops"};
    for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next) {
        size_t i = 0;
        while (i < HX_COUNT_OF(names) && !slice_equal(node->text, names[i]))
            i++;
        if (i == HX_COUNT_OF(names))
            isa_note(loading,
                     diag_report(loading->diag, DIAG_ISA_METRIC, node->place, "bytes, lanes or flops",
                                 "there is no metric '" SLICE_FORMAT "'", SLICE_ARGS(node->text)));
        else
            opcode->metrics |= (uint8_t)(1u << i);
    }
}

/* A word may be a value of several groups (nan): it belongs to the one of which the list has most. */
static void load_modifiers(struct isa_loading *loading, const struct yaml_node *list,
                           struct isa_opcode *opcode)
{
    unsigned have[GROUP_COUNT] = {0};
    for (int pass = 0; pass < 2; pass++)
        for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next) {
            int best = -1;
            unsigned best_value = 0;
            for (int group = 0; group < GROUP_COUNT; group++)
                for (unsigned value = 1; modifier_text(group, value); value++)
                    if (slice_equal(node->text, modifier_text(group, value))) {
                        have[group] += pass == 0;
                        if (best < 0 || have[group] > have[best]) {
                            best = group;
                            best_value = value;
                        }
                    }
            if (pass == 1 && best < 0)
                isa_note(loading,
                         diag_report(loading->diag, DIAG_ISA_MODIFIER, node->place, NULL,
                                     "there is no modifier '" SLICE_FORMAT "'", SLICE_ARGS(node->text)));
            else if (pass == 1)
                opcode->modifiers[best] |= UINT64_C(1) << best_value;
        }
}

struct form_word {
    const char *text;
    struct form form;
};
static const struct form_word form_words[] = {
    {"d", {FORM_DESTINATION, OPERAND_D, 0, false, false, false, 0}},
    {"e", {FORM_DESTINATION, OPERAND_E, 0, false, false, false, 0}},
    {"d2", {FORM_DESTINATION, OPERAND_D, 1, false, true, false, 0}},
    {"d3", {FORM_DESTINATION, OPERAND_D, 2, false, true, false, 0}},
    {"d4", {FORM_DESTINATION, OPERAND_D, 3, false, true, false, 0}},
    {"a", {FORM_SOURCE, OPERAND_A, 0, false, false, false, 0}},
    {"b", {FORM_SOURCE, OPERAND_B, 0, false, false, false, 0}},
    {"c", {FORM_SOURCE, OPERAND_C, 0, false, false, false, 0}},
    {"f", {FORM_SOURCE, OPERAND_F, 0, false, false, false, 0}},
    {"ra", {FORM_SOURCE, OPERAND_A, 0, false, false, true, 0}},
    {"rb", {FORM_SOURCE, OPERAND_B, 0, false, false, true, 0}},
    {"rc", {FORM_SOURCE, OPERAND_C, 0, false, false, true, 0}},
    {"pd", {FORM_PREDICATE_DESTINATION, OPERAND_D, 0, false, false, false, 0}},
    {"pe", {FORM_PREDICATE_DESTINATION, OPERAND_E, 0, false, false, false, 0}},
    {"pa", {FORM_PREDICATE_SOURCE, OPERAND_A, 0, false, false, false, 0}},
    {"pb", {FORM_PREDICATE_SOURCE, OPERAND_B, 0, false, false, false, 0}},
    {"pc", {FORM_PREDICATE_SOURCE, OPERAND_C, 0, false, false, false, 0}},
    {"pf", {FORM_PREDICATE_SOURCE, OPERAND_F, 0, false, false, false, 0}},
    {"x", {FORM_READ_WRITE, OPERAND_D, 0, false, false, false, 0}},
    {"m", {FORM_ANY_SOURCE, OPERAND_A, 0, false, false, false, 0}},
    {"mb", {FORM_ANY_SOURCE, OPERAND_B, 0, false, false, false, 0}},
    {"[a]", {FORM_ADDRESS, OPERAND_A, 0, false, false, false, 0}},
    {"imm8", {FORM_IMM8, OPERAND_D, 0, false, false, true, 0}},
    {"label", {FORM_LABEL, OPERAND_D, 0, false, false, true, 0}},
};

void form_print(const struct form *form, char *ret_text)
{
    snprintf(ret_text, sizeof "b#255", "%s#%u", form->letter == OPERAND_B ? "b" : "",
             form->maximum & 255); /* the YAML allows no more */
    for (size_t i = 0; i < HX_COUNT_OF(form_words); i++) {
        const struct form *known = &form_words[i].form;
        if (form->kind != FORM_SMALL && known->kind == form->kind && known->letter == form->letter &&
            known->extra == form->extra && known->register_only == form->register_only)
            strcpy(ret_text, form_words[i].text);
    }
    if (form->optional)
        strcat(ret_text, "?");
}

static bool parse_form(struct slice word, struct form *ret_form)
{
    bool optional = word.length > 1 && word.at[word.length - 1] == '?';
    word.length -= optional;
    uint64_t maximum;
    const bool in_b = word.length > 1 && word.at[0] == 'b' && word.at[1] == '#';
    word.at += in_b;
    word.length -= in_b;
    if (word.length > 1 && word.at[0] == '#' &&
        number_parse_u64((struct slice){word.at + 1, word.length - 1}, &maximum) == NUMBER_OK &&
        maximum < 256) {
        *ret_form = (struct form){.kind = FORM_SMALL,
                                  .letter = in_b ? OPERAND_B : OPERAND_D,
                                  .optional = optional,
                                  .maximum = (uint32_t)maximum};
        return true;
    }
    for (size_t i = 0; i < HX_COUNT_OF(form_words); i++)
        if (slice_equal(word, form_words[i].text)) {
            *ret_form = form_words[i].form;
            ret_form->optional = optional;
            ret_form->may_sink |= optional && ret_form->kind == FORM_PREDICATE_DESTINATION;
            return true;
        }
    return false;
}

static void load_forms(struct isa_loading *loading, const struct yaml_node *list, struct isa_opcode *opcode)
{
    if (list->count > FORM_COUNT_MAX) {
        isa_note(loading, diag_report(loading->diag, DIAG_ISA_FORM, list->place, NULL,
                                      "an opcode has at most %d operands", FORM_COUNT_MAX));
        return;
    }
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        struct form form;
        if (!parse_form(node->text, &form))
            isa_note(loading, diag_report(loading->diag, DIAG_ISA_FORM, node->place, NULL,
                                          "'" SLICE_FORMAT "' is no operand form", SLICE_ARGS(node->text)));
        else
            opcode->forms[opcode->form_count++] = form;
    }
    bool several = false; /* destinations: then the first may be dropped too */
    for (unsigned i = 0; i < opcode->form_count; i++)
        several |= opcode->forms[i].extra > 0;
    if (several && opcode->forms[0].kind == FORM_DESTINATION)
        opcode->forms[0].may_sink = true;
}

static void load_numbers(struct isa_loading *loading, const struct yaml_node *node, struct isa_opcode *opcode)
{
    uint64_t code = 0;
    const struct yaml_node *code_node = yaml_get(node, "code"), *cost = yaml_get(node, "cost");
    opcode->code = -1;
    if (code_node) {
        isa_note(loading, yaml_number_u64(code_node, loading->diag, 0, 255, &code));
        opcode->code = (int16_t)code;
    }
    if (yaml_get(node, "flops"))
        isa_note(loading, yaml_number_f64(yaml_get(node, "flops"), loading->diag, &opcode->flops));
    opcode->issue_cycles = opcode->latency_cycles = 1;
    if (cost) {
        isa_note(loading, yaml_number_f64(yaml_get(cost, "issue"), loading->diag, &opcode->issue_cycles));
        isa_note(loading, yaml_number_f64(yaml_get(cost, "latency"), loading->diag, &opcode->latency_cycles));
    }
}

static void check_class(struct isa_loading *loading, const struct yaml_node *node)
{
    static const char *const names[] = {"data",    "integer", "float",  "logic",  "compare",
                                        "control", "sync",    "memory", "atomic", "warp",
                                        "matrix",  "block",   "math",   "special"};
    for (size_t i = 0; i < HX_COUNT_OF(names); i++)
        if (slice_equal(node->text, names[i]))
            return;
    isa_note(loading, diag_report(loading->diag, DIAG_ISA_CLASS, node->place,
                                  text_suggest_from(node->text, names, HX_COUNT_OF(names)),
                                  "there is no class '" SLICE_FORMAT "'", SLICE_ARGS(node->text)));
}

static void load_opcode(struct isa_loading *loading, const struct yaml_opcode *from,
                        const struct yaml_node *node, struct isa_opcode *opcode)
{
    opcode->mnemonic = lower_case(loading, from->mnemonic);
    opcode->place = yaml_get(node, "mnemonic")->place;
    check_name(loading, opcode->mnemonic, yaml_get(node, "mnemonic"));
    const char **aliases = ARENA_ARRAY(&loading->isa->arena, const char *, from->aliases.count + 1);
    if (!aliases) {
        isa_note(loading, diag_no_memory(loading->diag));
        return;
    }
    for (uint32_t i = 0; i < from->aliases.count; i++) {
        aliases[i] = lower_case(loading, from->aliases.items[i]);
        check_name(loading, aliases[i], yaml_at(yaml_get(node, "aliases"), i));
    }
    opcode->aliases = aliases;
    opcode->alias_count = from->aliases.count;
    opcode->class_name = from->class_name;
    check_class(loading, yaml_get(node, "class"));
    opcode->summary = from->summary;
    opcode->detail = from->detail ? from->detail : "";
    opcode->see = from->see ? from->see : "";
    opcode->semantics_name = from->semantics ? from->semantics : "";
    opcode->span = from->span;
    opcode->expansion = (const char *const *)from->expansion.items;
    opcode->expansion_count = from->expansion.count;
    if (!opcode->span && !(opcode->span = arena_format(&loading->isa->arena, "cpu_%s", opcode->mnemonic)))
        isa_note(loading, diag_no_memory(loading->diag));
    load_numbers(loading, node, opcode);
    opcode->types = isa_load_types(loading, yaml_get(node, "types"));
    opcode->source_types = isa_load_types(loading, yaml_get(node, "source_types"));
    load_metrics(loading, yaml_get(node, "metrics"), opcode);
    load_modifiers(loading, yaml_get(node, "modifiers"), opcode);
    load_forms(loading, yaml_get(node, "operands"), opcode);
    isa_load_fidelity(loading, yaml_get(node, "fidelity"), opcode);
}

static hx_status load_tables(struct isa_loading *loading, const struct yaml_isa *from,
                             const struct yaml_node *root)
{
    hx_isa *isa = loading->isa;
    const struct yaml_node *encoding = yaml_get(root, "encoding");
    isa->name = from->name;
    isa->version = from->version ? from->version : "";
    load_fields(loading, yaml_get(encoding, "fields"));
    load_groups(loading, yaml_get(encoding, "modifier_groups"));
    struct isa_opcode *opcodes = ARENA_ARRAY(&isa->arena, struct isa_opcode, from->opcode_count);
    if (!opcodes)
        return diag_no_memory(loading->diag);
    isa->opcodes = opcodes;
    isa->opcode_count = from->opcode_count;
    loading->opcodes = yaml_get(root, "opcodes");
    const struct yaml_node *node = loading->opcodes->first;
    for (uint32_t i = 0; i < from->opcode_count; i++, node = node->next) {
        opcodes[i].index = (uint16_t)i;
        load_opcode(loading, &from->opcodes[i], node, &opcodes[i]);
        if (loading->status != HX_NO_MEMORY)
            isa_check_opcode(loading, &opcodes[i], node);
    }
    if (loading->status == HX_OK)
        isa_note(loading, isa_index_build(isa));
    if (loading->status == HX_OK)
        isa_check_set(loading);
    return loading->status;
}

hx_status hx_isa_load_text(const char *name, const char *yaml, size_t bytes, const hx_allocator *allocator,
                           hx_diag *diag, hx_isa **ret_isa)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, yaml);
    DIAG_REQUIRE(diag, ret_isa);
    diag_step(diag, "while reading", name, 0, (struct place){0});
    HX_SPAN(HX_DEBUG, "hexec::isa", "load", HX_STR("file", name));
    hx_isa *isa = memory_allocate(allocator, 1, sizeof *isa);
    if (!isa)
        return diag_no_memory(diag);
    arena_init(&isa->arena, allocator);
    struct isa_loading loading = {.isa = isa, .diag = diag};
    struct source *source = ARENA_NEW(&isa->arena, struct source);
    struct yaml_document *document = NULL;
    void *data = NULL;
    hx_status status = HX_NO_MEMORY;
    if (source && (source->text = arena_copy(&isa->arena, yaml, bytes)) &&
        (source->name = arena_copy(&isa->arena, name, strlen(name)))) {
        source->bytes = bytes;
        isa->source_name = source->name;
        isa->crc = crc32_of(yaml, bytes);
        status = yaml_document_read(&isa->arena, diag, source, NULL, &document);
    }
    if (status == HX_OK)
        status = yaml_load(document, &isa_schema, &isa->arena, diag, &data);
    if (status == HX_OK)
        status = load_tables(&loading, data, document->root);
    if (status != HX_OK) {
        hx_isa_free(isa);
        return status == HX_NO_MEMORY ? diag_no_memory(diag) : status;
    }
    *ret_isa = isa;
    return HX_OK;
}

static hx_status copy_default(const hx_allocator *allocator, hx_diag *diag, hx_isa **ret_isa)
{
    HX_SPAN(HX_DEBUG, "hexec::isa", "load", HX_STR("file", isa_default.source_name));
    hx_isa *isa = memory_allocate(allocator, 1, sizeof *isa);
    if (!isa)
        return diag_no_memory(diag);
    *isa = isa_default;
    arena_init(&isa->arena, allocator);
    *ret_isa = isa;
    return HX_OK;
}

hx_status hx_isa_load(const char *path, const hx_allocator *allocator, hx_diag *diag, hx_isa **ret_isa)
{
    DIAG_REQUIRE(diag, ret_isa);
    diag_step(diag, path ? "while reading" : "for the instruction set", path, 0, (struct place){0});
    if (!path)
        return copy_default(allocator, diag, ret_isa);
    char *bytes;
    size_t size;
    hx_status status =
        file_read(path, FILE_TEXT_LIMIT_BYTES, allocator, diag, (struct place){0}, &bytes, &size);
    if (status != HX_OK)
        return status;
    status = hx_isa_load_text(path, bytes, size, allocator, diag, ret_isa);
    memory_free(allocator, bytes);
    return status;
}

void hx_isa_free(hx_isa *isa)
{
    if (!isa)
        return;
    const hx_allocator *allocator = isa->arena.allocator;
    arena_done(&isa->arena);
    memory_free(allocator, isa);
}

const char *hx_isa_name(const hx_isa *isa)
{
    if (!isa)
        return NULL;
    return isa->name;
}

size_t hx_isa_opcode_count(const hx_isa *isa)
{
    if (!isa)
        return 0;
    return isa->opcode_count;
}
