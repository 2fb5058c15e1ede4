/* Typed loading: libcyaml over the bytes that the places pass has read. */
#pragma once

#include "yaml/places.h"

#include <cyaml/cyaml.h>

/* Checks the document against a libcyaml schema and reports every unknown key, missing key, wrong kind and
 * bad enumeration value, each at its place. HX_INVALID when there was any. */
HX_MUST_CHECK hx_status yaml_check(const struct yaml_document *document, const cyaml_schema_value_t *schema,
                                   hx_diag *diag);
/* yaml_check, then libcyaml's load. *ret_data lives in `arena`. */
HX_MUST_CHECK hx_status yaml_load(const struct yaml_document *document, const cyaml_schema_value_t *schema,
                                  struct arena *arena, hx_diag *diag, void **ret_data);
