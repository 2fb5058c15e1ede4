/* Typed loading.
 *
 * Takes a document that the places pass has read, leaves the structures that a libcyaml schema describes.
 * libcyaml reads the same bytes once more. It allocates memory one list entry at a time, without
 * a bound: what it gets are blocks of the owner's arena that double as they grow, under a budget. */
#include "yaml/load.h"

#include <stdio.h>
#include <string.h>

#define BUDGET_BYTES ((size_t)512 << 20)

struct loading {
    struct arena *arena;
    size_t spent_bytes;
    bool has_overspent, has_no_memory;
    char words[256]; /* of libcyaml's first complaint */
};

struct block {
    size_t capacity;
    _Alignas(16) char bytes[];
};

static struct block *new_block(struct loading *loading, size_t capacity)
{
    size_t total;
    if (!size_add(capacity, sizeof(struct block), &total) || total > BUDGET_BYTES - loading->spent_bytes) {
        loading->has_overspent = true;
        return NULL;
    }
    struct block *block = arena_allocate(loading->arena, 1, total);
    if (!block) {
        loading->has_no_memory = true;
        return NULL;
    }
    loading->spent_bytes += total;
    block->capacity = capacity;
    return block;
}

/* What libcyaml frees stays in the arena until that is done. */
static void *take_memory(void *user, void *pointer, size_t size)
{
    struct block *old = pointer ? (struct block *)((char *)pointer - offsetof(struct block, bytes)) : NULL;
    if (size == 0)
        return NULL;
    if (old && old->capacity >= size)
        return pointer;
    struct block *block = new_block(user, old && size < old->capacity * 2 ? old->capacity * 2 : size);
    if (!block)
        return NULL;
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
    if (loading.has_overspent)
        return diag_report(diag, DIAG_YAML_LIMIT, document->root->place, NULL,
                           "the document needs more than %zu MiB of memory", BUDGET_BYTES >> 20);
    /* what libyaml read before (places.c) it reads again, unless memory runs out */
    const bool is_libyaml = error == CYAML_ERR_LIBYAML_PARSER || error == CYAML_ERR_LIBYAML_PARSER_INIT ||
                            error == CYAML_ERR_LIBYAML_EVENT_INIT;
    if (error == CYAML_ERR_OOM || loading.has_no_memory || is_libyaml)
        return diag_no_memory(diag);
    if (error != CYAML_OK || !data)
        return diag_report(diag, DIAG_YAML_LOAD, document->root->place, NULL, "%s (%s)",
                           cyaml_strerror(error), loading.words);
    *ret_data = data;
    return HX_OK;
}
