/* Typed loading: libcyaml over the bytes that the places pass has read.
 *
 * A schema has CYAML_STRING for every number and boolean that a person types: libcyaml takes "12abc" for 12
 * and "flase" for true. Read them with yaml_number_u64 and its like from the node, which yaml_find gives. */
#pragma once

#include "yaml/places.h"

#include <cyaml/cyaml.h>

/* Checks the document against a libcyaml schema and reports every unknown key, missing key, wrong kind, bad
 * word of an enumeration and wrong length of a list or text, each at its place. HX_INVALID when there was
 * any; HX_NO_MEMORY. */
HX_MUST_CHECK hx_status yaml_check(const struct yaml_document *document, const cyaml_schema_value_t *schema,
                                   hx_diag *diag);
/* A field that is a mapping with keys of any names, each with the value of the only field of `fields`.
 * libcyaml passes over it; its owner reads the nodes. */
#define YAML_FREE_KEYS(free_key, free_fields)                                                                \
    {                                                                                                        \
        .key = (free_key),                                                                                   \
        .value = {.type = CYAML_IGNORE, .flags = CYAML_FLAG_OPTIONAL, .mapping = {.fields = (free_fields)}}, \
    }
/* yaml_check, then libcyaml's load. The schema's value is a pointer to a mapping. *ret_data and all it points
 * to lives in `arena`; never free it with libcyaml. HX_INVALID, HX_NO_MEMORY. */
HX_MUST_CHECK hx_status yaml_load(const struct yaml_document *document, const cyaml_schema_value_t *schema,
                                  struct arena *arena, hx_diag *diag, void **ret_data);
