/* The JSON Schemas of all files that hexec reads, and of the documents that it writes. */
#include "hexec/schema.h"

#include "asm/asm.h"
#include "check/schema.h"
#include "check/suppressions.h"
#include "costs/costs.h"
#include "gpu/gpu.h"
#include "isa/load.h"
#include "report/schema.h"
#include "vectors/vectors.h"
#include "yaml/schema.h"

hx_status hx_schema_print(hx_schema_kind kind, hx_write_function write, void *user)
{
    DIAG_REQUIRE(NULL, write);
    const struct {
        const cyaml_schema_value_t *schema;
        const char *title;
    } files[] = {
        [HX_SCHEMA_PROGRAM] = {document_schema(), "hexec program"},
        [HX_SCHEMA_ISA] = {isa_document_schema(), "hexec instruction set"},
        [HX_SCHEMA_TEST] = {vectors_document_schema(), "hexec test vectors"},
        [HX_SCHEMA_COSTS] = {costs_document_schema(), "hexec costs"},
        [HX_SCHEMA_SUPPRESSIONS] = {check_suppressions_schema(), "hexec suppressions"},
        [HX_SCHEMA_DEVICE] = {gpu_document_schema(), "hexec description of a GPU"},
    };
    HX_AUTO(text_done) struct text text = {0};
    if (kind == HX_SCHEMA_PROFILE)
        schema_print_profile(&text);
    else if (kind == HX_SCHEMA_FINDINGS)
        check_schema_print(&text);
    else if ((unsigned)kind < HX_COUNT_OF(files) && files[kind].schema)
        yaml_schema_print(files[kind].schema, files[kind].title, &text);
    else
        return HX_INVALID;
    return text.failed ? HX_NO_MEMORY : write(user, text.at, text.length);
}
