/* Checking a document against a libcyaml schema.
 *
 * libcyaml stops at its first error and gives wrong places for some, so the tree of the places pass is walked
 * along the very schema that libcyaml will use: what it would refuse is reported here, all of it, with exact
 * places. What it takes too lightly (12abc for 12) is kept out by schemas that have strings for what people
 * type. */
#include "yaml/load.h"

#include <stdio.h>
#include <string.h>

struct check {
    hx_diag *diag;
    hx_status status;
};

static void check_node(struct check *check, const struct yaml_node *node, const cyaml_schema_value_t *schema);

static void note(struct check *check, hx_status status)
{
    if (check->status == HX_OK || status == HX_NO_MEMORY)
        check->status = status;
}

#define HINT_BYTES 512

typedef const char *(*word_function)(void *user, size_t index);

/* "did you mean 'grid'? keys here are grid, block"; cut between two words when there are too many. */
static void list_words(char *hint, struct slice word, const char *lead, word_function next, void *user)
{
    const char *near = text_suggest(word, next, user), *separator = " ", *known;
    int used = near ? snprintf(hint, HINT_BYTES, "did you mean '%s'? %s", near, lead)
                    : snprintf(hint, HINT_BYTES, "%s", lead);
    for (size_t i = 0; (known = next(user, i)) != NULL; i++, separator = ", ") {
        if ((size_t)used + strlen(known) + sizeof ", ..." >= HINT_BYTES) {
            snprintf(hint + used, HINT_BYTES - (size_t)used, ", ...");
            return;
        }
        used += snprintf(hint + used, HINT_BYTES - (size_t)used, "%s%s", separator, known);
    }
}

/* Hints take time; a hostile file shall not make us look for a million of them that nobody will see. */
static bool wants_hints(const struct check *check)
{
    return check->diag && !diag_is_full(check->diag);
}

static const char *next_key(void *user, size_t index)
{
    const cyaml_schema_field_t *fields = *(const cyaml_schema_field_t *const *)user;
    return fields[index].key; /* the list ends with a NULL key */
}

static const char *next_choice(void *user, size_t index)
{
    const cyaml_schema_value_t *schema = *(const cyaml_schema_value_t *const *)user;
    return index < schema->enumeration.count ? schema->enumeration.strings[index].str : NULL;
}

static bool ignores_case(const cyaml_schema_value_t *schema)
{
    return (schema->flags & CYAML_FLAG_CASE_INSENSITIVE) && !(schema->flags & CYAML_FLAG_CASE_SENSITIVE);
}

static bool is_word(const cyaml_schema_value_t *schema, struct slice text, const char *word)
{
    return ignores_case(schema) ? slice_equal_nocase(text, word) : slice_equal(text, word);
}

static const cyaml_schema_field_t *find_field(const cyaml_schema_value_t *schema, struct slice key)
{
    for (const cyaml_schema_field_t *field = schema->mapping.fields; field->key; field++)
        if (is_word(schema, key, field->key))
            return field;
    return NULL;
}

/* A missing key whose name stands there with a slip is one mistake, not two. */
static bool is_misspelt(const struct check *check, const struct yaml_node *mapping,
                        const cyaml_schema_value_t *schema, const char *key)
{
    const cyaml_schema_field_t *fields = schema->mapping.fields;
    for (const struct yaml_node *child = mapping->first; child && wants_hints(check); child = child->next)
        if (!find_field(schema, child->key) && text_suggest(child->key, next_key, &fields) == key)
            return true;
    return false;
}

static void check_mapping(struct check *check, const struct yaml_node *node,
                          const cyaml_schema_value_t *schema)
{
    const cyaml_schema_field_t *fields = schema->mapping.fields;
    char hint[HINT_BYTES] = "";
    for (const struct yaml_node *child = node->first; child; child = child->next) {
        const cyaml_schema_field_t *field = find_field(schema, child->key);
        if (field) {
            check_node(check, child, &field->value);
            continue;
        }
        if (wants_hints(check))
            list_words(hint, child->key, "keys here are", next_key, &fields);
        note(check, diag_report(check->diag, DIAG_YAML_UNKNOWN_KEY, child->key_place, hint,
                                "unknown key '" SLICE_FORMAT "'", SLICE_ARGS(child->key)));
    }
    for (const cyaml_schema_field_t *field = fields; field->key; field++) {
        bool is_given = (field->value.flags & CYAML_FLAG_OPTIONAL) != 0;
        for (const struct yaml_node *child = node->first; child && !is_given; child = child->next)
            is_given = is_word(schema, child->key, field->key);
        if (!is_given && !is_misspelt(check, node, schema, field->key))
            note(check, diag_report(check->diag, DIAG_YAML_MISSING_KEY, node->place, NULL,
                                    "key '%s' is missing here", field->key));
    }
}

static void check_sequence(struct check *check, const struct yaml_node *node,
                           const cyaml_schema_value_t *schema)
{
    uint32_t least = schema->sequence.min, most = schema->sequence.max;
    const struct yaml_node *last = node->count > most ? yaml_at(node, most) : NULL;
    char wanted[64];
    if (most == CYAML_UNLIMITED)
        snprintf(wanted, sizeof wanted, "at least %u", least);
    else if (least == most)
        snprintf(wanted, sizeof wanted, "%u", least);
    else
        snprintf(wanted, sizeof wanted, "%u to %u", least, most);
    if (node->count < least || node->count > most)
        note(check, diag_report(check->diag, DIAG_YAML_COUNT, last ? last->place : node->place, NULL,
                                "this list has %zu entries, %s %s wanted", node->count, wanted,
                                least == most && most == 1 ? "is" : "are"));
    for (const struct yaml_node *child = node->first; child; child = child->next)
        check_node(check, child, schema->sequence.entry);
}

static void check_choice(struct check *check, const struct yaml_node *node,
                         const cyaml_schema_value_t *schema)
{
    for (uint32_t i = 0; i < schema->enumeration.count; i++)
        if (is_word(schema, node->text, schema->enumeration.strings[i].str))
            return;
    char hint[HINT_BYTES] = "";
    if (wants_hints(check))
        list_words(hint, node->text, "allowed are", next_choice, &schema);
    note(check, diag_report(check->diag, DIAG_YAML_ENUM, yaml_place(node), hint,
                            "'" SLICE_FORMAT "' is not allowed here", SLICE_ARGS(node->text)));
}

static void check_text(struct check *check, const struct yaml_node *node, const cyaml_schema_value_t *schema)
{
    if (node->text.length < schema->string.min)
        note(check, diag_report(check->diag, DIAG_YAML_COUNT, node->place, NULL,
                                "this text has %zu bytes, at least %u are wanted", node->text.length,
                                schema->string.min));
    if (node->text.length > schema->string.max)
        note(check, diag_report(check->diag, DIAG_YAML_COUNT, node->place, NULL,
                                "this text has %zu bytes, at most %u are wanted", node->text.length,
                                schema->string.max));
}

static bool has_free_keys(const cyaml_schema_value_t *schema)
{
    return schema->type == CYAML_IGNORE && schema->mapping.fields;
}

static enum yaml_kind kind_of(const cyaml_schema_value_t *schema)
{
    switch (schema->type) {
    case CYAML_IGNORE: /* with free keys */
    case CYAML_MAPPING:
    case CYAML_BITFIELD:
        return YAML_MAPPING;
    case CYAML_SEQUENCE:
    case CYAML_SEQUENCE_FIXED:
    case CYAML_FLAGS:
        return YAML_SEQUENCE;
    default:
        return YAML_SCALAR;
    }
}

/* Values that libcyaml makes a NULL pointer of, where the schema allows that: none at all, or null's names.
 */
static bool is_null(const struct yaml_node *node, const cyaml_schema_value_t *schema)
{
    static const char *const words[] = {"null", "Null", "NULL", "~"};
    if (node->kind != YAML_SCALAR ||
        (schema->flags & CYAML_FLAG_POINTER_NULL) != (unsigned)CYAML_FLAG_POINTER_NULL)
        return false;
    bool is_named = false;
    for (size_t i = 0; i < HX_COUNT_OF(words); i++)
        is_named |= slice_equal(node->text, words[i]);
    return node->text.length == 0 || (is_named && (schema->flags & CYAML_FLAG_POINTER_NULL_STR) ==
                                                      (unsigned)CYAML_FLAG_POINTER_NULL_STR);
}

static void check_node(struct check *check, const struct yaml_node *node, const cyaml_schema_value_t *schema)
{
    static const char *const names[] = {"a single value", "a list", "a mapping"};
    if ((schema->type == CYAML_IGNORE && !has_free_keys(schema)) || is_null(node, schema))
        return;
    enum yaml_kind wanted = kind_of(schema);
    if (node->kind != wanted) {
        bool is_empty = node->kind == YAML_SCALAR && node->is_plain && node->text.length == 0;
        note(check, diag_report(check->diag, DIAG_YAML_KIND, is_empty ? yaml_place_key(node) : node->place,
                                NULL, "%s is wanted here, this is %s", names[wanted],
                                is_empty ? "empty" : names[node->kind]));
        return;
    }
    switch (schema->type) {
    case CYAML_IGNORE:
        for (const struct yaml_node *child = node->first; child; child = child->next)
            check_node(check, child, &schema->mapping.fields[0].value);
        break;
    case CYAML_MAPPING:
        check_mapping(check, node, schema);
        break;
    case CYAML_SEQUENCE:
    case CYAML_SEQUENCE_FIXED:
        check_sequence(check, node, schema);
        break;
    case CYAML_ENUM:
        check_choice(check, node, schema);
        break;
    case CYAML_STRING:
        check_text(check, node, schema);
        break;
    default:
        break; /* left to libcyaml */
    }
}

hx_status yaml_check(const struct yaml_document *document, const cyaml_schema_value_t *schema, hx_diag *diag)
{
    struct check check = {.diag = diag};
    check_node(&check, document->root, schema);
    return check.status;
}
