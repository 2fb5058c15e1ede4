/* JSON Schemas of what libcyaml loads. */
#pragma once

#include "yaml/load.h"

/* Writes the JSON Schema of a libcyaml schema: one object and a line end. A failure is in text->failed. */
void yaml_schema_print(const cyaml_schema_value_t *schema, const char *title, struct text *text);
