/* JSON Schemas of the YAML files that hexec reads, for editors that check and complete them, and of the JSON
 * documents that it writes. */
#pragma once

#include "hexec/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hx_schema_kind {
    HX_SCHEMA_PROGRAM,
    HX_SCHEMA_ISA,
    HX_SCHEMA_TEST,
    HX_SCHEMA_PROFILE,
    HX_SCHEMA_DEVICE,
    HX_SCHEMA_COSTS,
    HX_SCHEMA_FINDINGS,
    HX_SCHEMA_SUPPRESSIONS
} hx_schema_kind;

/* Writes the JSON Schema (draft 2020-12) of programs, instruction sets, vector files, descriptions of GPUs,
 * costs or suppressions, made from the tables that they are loaded with; of profiles, made from the table of
 * metrics; of findings (HX_CHECKS_JSON).
 * HX_INVALID for another kind, HX_NO_MEMORY, or what `write` returned. Any thread.
 */
HX_API HX_MUST_CHECK hx_status hx_schema_print(hx_schema_kind kind, hx_write_function write, void *user);

#ifdef __cplusplus
}
#endif
