/* JSON Schemas of YAML files, for editors.
 *
 * Takes the schema that libcyaml loads a file with, leaves the same as JSON Schema (draft 2020-12): which
 * keys there are, which must be, what they hold. Numbers and booleans that people type are strings for
 * libcyaml and read by us, so a text may be any scalar here. */
#include "yaml/schema.h"

#include <string.h>

/* Schemas around the one that is printed, the innermost first, with the path from there to it. One that
 * stands in itself is printed once. */
struct around {
    const struct around *outer;
    const cyaml_schema_value_t *schema;
    const char *path, *key; /* "properties/" and its name; "items" and "" */
};

static void print_value(struct text *text, const cyaml_schema_value_t *schema, const struct around *outer,
                        const char *path, const char *key);

static void print_name(struct text *text, const char *name)
{
    text_print_json_string(text, name, strlen(name));
}

static void print_mapping(struct text *text, const cyaml_schema_value_t *schema, const struct around *around)
{
    const char *separator = "";
    text_print(text, "\"type\":\"object\",\"properties\":{");
    for (const cyaml_schema_field_t *field = schema->mapping.fields; field->key; field++) {
        text_print(text, "%s", separator);
        print_name(text, field->key);
        text_print(text, ":{");
        print_value(text, &field->value, around, "/properties/", field->key);
        text_print(text, "}");
        separator = ",";
    }
    text_print(text, "},\"required\":[");
    separator = "";
    for (const cyaml_schema_field_t *field = schema->mapping.fields; field->key; field++) {
        if (field->value.flags & CYAML_FLAG_OPTIONAL)
            continue;
        text_print(text, "%s", separator);
        print_name(text, field->key);
        separator = ",";
    }
    text_print(text, "],\"additionalProperties\":false");
}

static void print_sequence(struct text *text, const cyaml_schema_value_t *schema, const struct around *around)
{
    text_print(text, "\"type\":\"array\",\"items\":{");
    print_value(text, schema->sequence.entry, around, "/items", "");
    text_print(text, "}");
    if (schema->sequence.min > 0)
        text_print(text, ",\"minItems\":%u", schema->sequence.min);
    if (schema->sequence.max != CYAML_UNLIMITED)
        text_print(text, ",\"maxItems\":%u", schema->sequence.max);
}

static void print_words(struct text *text, const cyaml_schema_value_t *schema)
{
    text_print(text, "\"enum\":[");
    for (uint32_t i = 0; i < schema->enumeration.count; i++) {
        text_print(text, i ? "," : "");
        print_name(text, schema->enumeration.strings[i].str);
    }
    text_print(text, "]");
}

static void print_path(struct text *text, const struct around *around)
{
    if (!around)
        return;
    print_path(text, around->outer);
    text_print(text, "%s%s", around->path, around->key);
}

/* A list, in each of whose entries there may be such a list, has the entries of the first. */
static bool print_again(struct text *text, const cyaml_schema_value_t *schema, const struct around *outer)
{
    while (outer && outer->schema != schema)
        outer = outer->outer;
    if (!outer)
        return false;
    text_print(text, "\"$ref\":\"#");
    print_path(text, outer);
    text_print(text, "\"");
    return true;
}

static void print_free_keys(struct text *text, const cyaml_schema_value_t *schema)
{
    text_print(text, "\"type\":\"object\",\"additionalProperties\":{");
    print_value(text, &schema->mapping.fields[0].value, NULL, "", "");
    text_print(text, "}");
}

static void print_value(struct text *text, const cyaml_schema_value_t *schema, const struct around *outer,
                        const char *path, const char *key)
{
    const struct around around = {outer, schema, path, key};
    if (print_again(text, schema, outer))
        return;
    switch (schema->type) {
    case CYAML_MAPPING:
        print_mapping(text, schema, &around);
        break;
    case CYAML_SEQUENCE:
    case CYAML_SEQUENCE_FIXED:
        print_sequence(text, schema, &around);
        break;
    case CYAML_ENUM:
        print_words(text, schema);
        break;
    case CYAML_IGNORE: /* a value or a list of them */
        if (schema->mapping.fields)
            print_free_keys(text, schema);
        else
            text_print(text, "\"type\":[\"string\",\"number\",\"boolean\",\"array\"]");
        break;
    default:
        text_print(text, "\"type\":[\"string\",\"number\",\"boolean\"]");
    }
}

void yaml_schema_print(const cyaml_schema_value_t *schema, const char *title, struct text *text)
{
    text_print(text, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":");
    print_name(text, title);
    text_print(text, ",");
    print_value(text, schema, NULL, "", "");
    text_print(text, "}\n");
}
