/* Cost files.
 *
 * Takes the YAML that `hexec bench isa --write-costs` writes, leaves the models; and the other way round.
 * Numbers are written so that they read back to the same bits, so a file that is read and written again is
 * the same file. */
#include "costs/costs.h"

#include "base/file.h"
#include "base/machine.h"
#include "yaml/load.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct no_data {
    int nothing;
};
#define WORD(text, options)                                                                                  \
    {                                                                                                        \
        .key = (text), .value = {                                                                            \
            .type = CYAML_STRING,                                                                            \
            .flags = CYAML_FLAG_POINTER | (options),                                                         \
            .string = {.max = CYAML_UNLIMITED}                                                               \
        }                                                                                                    \
    }
#define MAY CYAML_FLAG_OPTIONAL

static const cyaml_schema_field_t form_fields[] = {
    WORD("form", 0),      WORD("issue_ns", 0),        WORD("lane_ns", 0),   WORD("masked_ns", 0),
    WORD("sector_ns", 0), WORD("conflict_ns", 0),     WORD("same_ns", MAY), WORD("samples", MAY),
    WORD("r2", MAY),      WORD("largest_error", MAY), CYAML_FIELD_END};
static const cyaml_schema_value_t form_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct no_data, form_fields)};
static const cyaml_schema_field_t machine_fields[] = {WORD("cpu", MAY), WORD("cpu_level", MAY),
                                                      WORD("cores", MAY), WORD("gang", MAY), CYAML_FIELD_END};
static const cyaml_schema_field_t file_fields[] = {
    WORD("costs", 0),
    {.key = "machine",
     .value = {.type = CYAML_MAPPING,
               .flags = CYAML_FLAG_POINTER,
               .data_size = sizeof(struct no_data),
               .mapping = {.fields = machine_fields}}},
    {.key = "forms",
     .value = {.type = CYAML_SEQUENCE,
               .flags = CYAML_FLAG_POINTER,
               .sequence = {.entry = &form_schema, .min = 0, .max = CYAML_UNLIMITED}}},
    CYAML_FIELD_END};
static const cyaml_schema_value_t file_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct no_data, file_fields)};

const cyaml_schema_value_t *costs_document_schema(void)
{
    return &file_schema;
}

/* The numbers of a model that is written and read. */
static const struct {
    const char *key;
    size_t at;
    bool is_share; /* of something: no time */
} numbers[] = {
    {"issue_ns", offsetof(hx_cost_model, issue_ns), false},
    {"lane_ns", offsetof(hx_cost_model, lane_ns), false},
    {"masked_ns", offsetof(hx_cost_model, masked_ns), false},
    {"sector_ns", offsetof(hx_cost_model, sector_ns), false},
    {"conflict_ns", offsetof(hx_cost_model, conflict_ns), false},
    {"same_ns", offsetof(hx_cost_model, same_ns), false},
    {"r2", offsetof(hx_cost_model, r2), true},
    {"largest_error", offsetof(hx_cost_model, largest_error), true},
};

struct reading {
    hx_costs *costs;
    hx_diag *diag;
    hx_status status;
};

static void note(struct reading *reading, hx_status status)
{
    if (reading->status == HX_OK || status == HX_NO_MEMORY)
        reading->status = status;
}

static void read_number(struct reading *reading, const struct yaml_node *node, bool is_share,
                        double *ret_value)
{
    double value = 0;
    if (!node)
        return;
    const hx_status status = yaml_number_f64(node, reading->diag, &value);
    note(reading, status);
    if (status != HX_OK)
        return;
    if (!isfinite(value) || (value < 0 && !is_share))
        note(reading, diag_report(reading->diag, DIAG_COSTS_VALUE, node->place,
                                  is_share ? "a finite number" : "a finite number of nanoseconds, 0 or more",
                                  "'" SLICE_FORMAT "' cannot be '" SLICE_FORMAT "'", SLICE_ARGS(node->key),
                                  SLICE_ARGS(node->text)));
    *ret_value = value;
}

static void read_count(struct reading *reading, const struct yaml_node *node, uint32_t *ret_value)
{
    uint64_t value = 0;
    if (!node)
        return;
    note(reading, yaml_number_u64(node, reading->diag, 0, UINT32_MAX, &value));
    *ret_value = (uint32_t)value;
}

/* Words that are too long for their place are cut: they are for people. */
static void read_word(const struct yaml_node *node, char *ret_text, size_t room)
{
    if (node)
        snprintf(ret_text, room, SLICE_FORMAT, SLICE_ARGS(node->text));
}

static void read_form(struct reading *reading, const struct yaml_node *list, const struct yaml_node *node)
{
    hx_cost_model model = {0};
    const struct yaml_node *form = yaml_get(node, "form");
    for (size_t i = 0; i < HX_COUNT_OF(numbers); i++)
        read_number(reading, yaml_get(node, numbers[i].key), numbers[i].is_share,
                    (double *)((char *)&model + numbers[i].at));
    read_count(reading, yaml_get(node, "samples"), &model.samples);
    if (form->text.length == 0 || form->text.length >= HX_COST_FORM_BYTES) {
        note(reading, diag_report(reading->diag, DIAG_COSTS_VALUE, form->place, "a name such as add.f32",
                                  "a form has a name of 1 to %d bytes", HX_COST_FORM_BYTES - 1));
        return;
    }
    if (hx_costs_find(reading->costs, form->text.at)) {
        const struct yaml_node *first = list->first;
        while (!slice_equal(yaml_get(first, "form")->text, form->text.at))
            first = first->next;
        note(reading, diag_report_noted(reading->diag, DIAG_COSTS_TWICE, form->place, "remove one of the two",
                                        yaml_get(first, "form")->place, "the first one",
                                        "form '" SLICE_FORMAT "' stands twice", SLICE_ARGS(form->text)));
        return;
    }
    if (hx_costs_add(reading->costs, form->text.at, &model) != HX_OK)
        note(reading, diag_no_memory(reading->diag));
}

static hx_status read_document(const struct yaml_document *document, const hx_allocator *allocator,
                               hx_diag *diag, hx_costs **ret_costs)
{
    hx_cost_machine machine = {.cpu = ""};
    struct reading reading = {.diag = diag, .status = yaml_check(document, &file_schema, diag)};
    if (reading.status != HX_OK)
        return reading.status;
    const struct yaml_node *about = yaml_get(document->root, "machine"),
                           *list = yaml_get(document->root, "forms");
    read_word(yaml_get(about, "cpu"), machine.cpu, sizeof machine.cpu);
    read_word(yaml_get(about, "cpu_level"), machine.cpu_level, sizeof machine.cpu_level);
    read_count(&reading, yaml_get(about, "cores"), &machine.cores);
    read_count(&reading, yaml_get(about, "gang"), &machine.gang_lanes);
    if (hx_costs_new(yaml_get(document->root, "costs")->text.at, &machine, allocator, &reading.costs) !=
        HX_OK)
        return diag_no_memory(diag);
    for (const struct yaml_node *node = list->first; node && reading.status != HX_NO_MEMORY;
         node = node->next)
        read_form(&reading, list, node);
    if (reading.status == HX_OK)
        *ret_costs = reading.costs;
    else
        hx_costs_free(reading.costs);
    return reading.status;
}

hx_status hx_costs_load_text(const char *name, const char *yaml, size_t bytes, const hx_allocator *allocator,
                             hx_diag *diag, hx_costs **ret_costs)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, yaml);
    DIAG_REQUIRE(diag, ret_costs);
    HX_AUTO(arena_done) struct arena arena = {.allocator = allocator};
    /* diagnostics borrow nothing of it: they copy the lines that they show */
    const struct source source = {.name = name, .text = yaml, .bytes = bytes};
    struct yaml_document *document = NULL;
    const hx_status status = yaml_document_read(&arena, diag, &source, NULL, &document);
    return status == HX_OK ? read_document(document, allocator, diag, ret_costs) : status;
}

hx_status hx_costs_load(const char *path, const hx_allocator *allocator, hx_diag *diag, hx_costs **ret_costs)
{
    DIAG_REQUIRE(diag, path);
    DIAG_REQUIRE(diag, ret_costs);
    diag_step(diag, "while reading", path, 0, (struct place){0});
    char *bytes;
    size_t size;
    hx_status status =
        file_read(path, FILE_TEXT_LIMIT_BYTES, allocator, diag, (struct place){0}, &bytes, &size);
    if (status != HX_OK)
        return status;
    status = hx_costs_load_text(path, bytes, size, allocator, diag, ret_costs);
    memory_free(allocator, bytes);
    return status;
}

static void print_form(struct text *text, const struct cost_entry *entry)
{
    text_print(text, "  - {form: ");
    text_print_json_string(text, entry->form, strlen(entry->form));
    for (size_t i = 0; i < HX_COUNT_OF(numbers); i++) {
        const double value = *(const double *)((const char *)&entry->model + numbers[i].at);
        text_print(text, ", %s: ", numbers[i].key);
        text_print_f64(text, value);
    }
    text_print(text, ", samples: %u}\n", entry->model.samples);
}

hx_status hx_costs_print(const hx_costs *costs, hx_write_function write, void *user)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(NULL, costs);
    DIAG_REQUIRE(NULL, write);
    HX_AUTO(text_done) struct text text = {.allocator = costs->allocator};
    text_print(
        &text,
        "# What an issue of each form costs: issue_ns + lane_ns * active lanes + masked_ns * lanes whose\n"
        "# guard is false + sector_ns * sectors + conflict_ns * bank conflicts; same_ns where all lanes\n"
        "# compute the same.\ncosts: ");
    text_print_json_string(&text, costs->isa, strlen(costs->isa));
    text_print(&text, "\nmachine:\n  cpu: ");
    text_print_json_string(&text, costs->machine.cpu, strlen(costs->machine.cpu));
    text_print(&text, "\n  cpu_level: ");
    text_print_json_string(&text, costs->machine.cpu_level, strlen(costs->machine.cpu_level));
    text_print(&text, "\n  cores: %u\n  gang: %u\nforms:%s\n", costs->machine.cores,
               costs->machine.gang_lanes, costs->forms.count ? "" : " []");
    for (size_t i = 0; i < costs->forms.count; i++)
        print_form(&text, &costs->forms.items[i]);
    return text.failed ? HX_NO_MEMORY : write(user, text.at, text.length);
}
