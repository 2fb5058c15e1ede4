/* Typed loading.
 *
 * libcyaml stops at its first error and gives wrong places for some, so the tree of the places pass is first
 * walked along the very schema that libcyaml will use: what it would refuse is reported here, all of it, with
 * exact places. libcyaml then fills the structures, in memory of the owner's arena. */
#include "yaml/load.h"

#include <stdio.h>
#include <string.h>

static hx_status check_node(const struct yaml_node *node, const cyaml_schema_value_t *schema, hx_diag *diag);

static void worse(hx_status *status, hx_status other)
{
    if (*status == HX_OK)
        *status = other;
}

static const char *key_at(void *user, size_t index)
{
    const cyaml_schema_field_t *fields = user;
    return fields[index].key; /* the list ends with a NULL key */
}

static hx_status report_unknown_key(const struct yaml_node *child, const cyaml_schema_field_t *fields,
                                    hx_diag *diag)
{
    char hint[512];
    const char *near = text_suggest(child->key, key_at, (void *)(uintptr_t)fields);
    if (near) {
        snprintf(hint, sizeof hint, "did you mean '%s'?", near);
    } else {
        size_t used = (size_t)snprintf(hint, sizeof hint, "keys here are");
        for (size_t i = 0; fields[i].key && used < sizeof hint - 1; i++)
            used += (size_t)snprintf(hint + used, sizeof hint - used, "%s %s", i ? "," : "", fields[i].key);
    }
    return diag_report(diag, DIAG_YAML_UNKNOWN_KEY, child->key_place, hint, "unknown key '" SLICE_FORMAT "'",
                       SLICE_ARGS(child->key));
}

static hx_status check_mapping(const struct yaml_node *node, const cyaml_schema_value_t *schema,
                               hx_diag *diag)
{
    const cyaml_schema_field_t *fields = schema->mapping.fields;
    hx_status status = HX_OK;
    for (const struct yaml_node *child = node->first; child; child = child->next) {
        const cyaml_schema_field_t *field = fields;
        while (field->key && !slice_equal(child->key, field->key))
            field++;
        worse(&status,
              field->key ? check_node(child, &field->value, diag) : report_unknown_key(child, fields, diag));
    }
    for (const cyaml_schema_field_t *field = fields; field->key; field++)
        if (!(field->value.flags & CYAML_FLAG_OPTIONAL) && !yaml_get(node, field->key))
            worse(&status, diag_report(diag, DIAG_YAML_MISSING_KEY, node->place, NULL,
                                       "key '%s' is missing here", field->key));
    return status;
}

static hx_status check_sequence(const struct yaml_node *node, const cyaml_schema_value_t *schema,
                                hx_diag *diag)
{
    hx_status status = HX_OK;
    if (node->count < schema->sequence.min || node->count > schema->sequence.max)
        status = schema->sequence.max == CYAML_UNLIMITED
                     ? diag_report(diag, DIAG_YAML_COUNT, node->place, NULL,
                                   "this list has %zu entries, at least %u are wanted", node->count,
                                   schema->sequence.min)
                     : diag_report(diag, DIAG_YAML_COUNT, node->place, NULL,
                                   "this list has %zu entries, %u to %u are wanted", node->count,
                                   schema->sequence.min, schema->sequence.max);
    for (const struct yaml_node *child = node->first; child; child = child->next)
        worse(&status, check_node(child, schema->sequence.entry, diag));
    return status;
}

static hx_status check_enum(const struct yaml_node *node, const cyaml_schema_value_t *schema, hx_diag *diag)
{
    char hint[256];
    size_t used = (size_t)snprintf(hint, sizeof hint, "one of");
    for (uint32_t i = 0; i < schema->enumeration.count; i++) {
        const char *word = schema->enumeration.strings[i].str;
        if (slice_equal(node->text, word))
            return HX_OK;
        if (used < sizeof hint)
            used += (size_t)snprintf(hint + used, sizeof hint - used, "%s %s", i ? "," : "", word);
    }
    return diag_report(diag, DIAG_YAML_ENUM, node->place, hint, "'" SLICE_FORMAT "' is not allowed here",
                       SLICE_ARGS(node->text));
}

static hx_status check_node(const struct yaml_node *node, const cyaml_schema_value_t *schema, hx_diag *diag)
{
    static const char *const names[] = {"a single value", "a list", "a mapping"};
    enum yaml_kind wanted = schema->type == CYAML_MAPPING ? YAML_MAPPING
                            : schema->type == CYAML_SEQUENCE || schema->type == CYAML_SEQUENCE_FIXED
                                ? YAML_SEQUENCE
                                : YAML_SCALAR;
    if (schema->type == CYAML_IGNORE)
        return HX_OK;
    if (node->kind != wanted)
        return diag_report(diag, DIAG_YAML_KIND, node->key.length ? node->key_place : node->place, NULL,
                           "%s is wanted here, this is %s", names[wanted], names[node->kind]);
    if (wanted == YAML_MAPPING)
        return check_mapping(node, schema, diag);
    if (wanted == YAML_SEQUENCE)
        return check_sequence(node, schema, diag);
    return schema->type == CYAML_ENUM ? check_enum(node, schema, diag) : HX_OK;
}

hx_status yaml_check(const struct yaml_document *document, const cyaml_schema_value_t *schema, hx_diag *diag)
{
    return check_node(document->root, schema, diag);
}

/* ---- libcyaml ------------------------------------------------------------------------------------------ */

struct loading {
    struct arena *arena;
    char words[256]; /* of libcyaml's first complaint */
    bool no_memory;
};

struct block {
    size_t capacity;
    _Alignas(16) char bytes[];
};

/* libcyaml grows a sequence by one entry at a time: room is doubled, and what is freed stays in the arena. */
static void *take_memory(void *user, void *pointer, size_t size)
{
    struct loading *loading = user;
    struct block *old = pointer ? (struct block *)((char *)pointer - offsetof(struct block, bytes)) : NULL;
    if (size == 0)
        return NULL;
    if (old && old->capacity >= size)
        return pointer;
    size_t capacity = old && size < old->capacity * 2 ? old->capacity * 2 : size, total;
    struct block *block =
        size_add(capacity, sizeof *block, &total) ? arena_allocate(loading->arena, 1, total) : NULL;
    if (!block) {
        loading->no_memory = true;
        return NULL;
    }
    block->capacity = capacity;
    if (old)
        memcpy(block->bytes, old->bytes, old->capacity);
    return block->bytes;
}

static void take_log(cyaml_log_t level, void *user, const char *format, va_list arguments)
{
    struct loading *loading = user;
    if (level < CYAML_LOG_ERROR || loading->words[0])
        return;
    vsnprintf(loading->words, sizeof loading->words, format, arguments);
    loading->words[strcspn(loading->words, "\n")] = 0;
}

hx_status yaml_load(const struct yaml_document *document, const cyaml_schema_value_t *schema,
                    struct arena *arena, hx_diag *diag, void **ret_data)
{
    hx_status status = yaml_check(document, schema, diag);
    if (status != HX_OK)
        return status;
    struct loading loading = {.arena = arena};
    cyaml_config_t config = {.log_fn = take_log,
                             .log_ctx = &loading,
                             .mem_fn = take_memory,
                             .mem_ctx = &loading,
                             .log_level = CYAML_LOG_ERROR};
    cyaml_data_t *data = NULL;
    cyaml_err_t error = cyaml_load_data((const uint8_t *)document->source->text, document->source->bytes,
                                        &config, schema, &data, NULL);
    if (error == CYAML_ERR_OOM || loading.no_memory)
        return diag_no_memory(diag);
    if (error != CYAML_OK || !data)
        return diag_report(diag, DIAG_YAML_LOAD, document->root->place, NULL, "%s (%s)",
                           cyaml_strerror(error), loading.words);
    *ret_data = data;
    return HX_OK;
}
