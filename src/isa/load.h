/* Loading, in two steps: load.c makes the table from YAML, check.c makes sure that it means something. */
#pragma once

#include "isa/isa.h"
#include "yaml/load.h"

/* What the two share while an instruction set is being loaded. */
struct isa_loading {
    hx_isa *isa;
    hx_diag *diag;
    const struct yaml_node *opcodes; /* the list in the document, for places */
    hx_status status;                /* of the first error */
};
static inline void isa_note(struct isa_loading *loading, hx_status status)
{
    if (loading->status == HX_OK)
        loading->status = status;
}
/* The table that says what the YAML of an instruction set may have. */
const cyaml_schema_value_t *isa_document_schema(void);
/* Types from their names, as bits. */
uint32_t isa_load_types(struct isa_loading *loading, const struct yaml_node *list);
/* `fidelity` of an entry, whose types and modifiers are there; `list` may be NULL. */
struct yaml_fidelity {
    char *result, *error, *with, *why;
    struct {
        char **items;
        uint32_t count;
    } types;
};
extern const cyaml_schema_value_t isa_fidelity_schema;
void isa_load_fidelity(struct isa_loading *loading, const struct yaml_node *list, struct isa_opcode *opcode);
/* The semantics of an entry: row, shape, variants; that its form, types and modifiers fit it. */
void isa_check_opcode(struct isa_loading *loading, struct isa_opcode *opcode, const struct yaml_node *node);
/* Across entries: clashes, codes, macros' cycles, overlaps in the encoding. */
void isa_check_set(struct isa_loading *loading);
/* The bits of a word that an instruction of this entry may use; false when two fields overlap. */
bool isa_word_bits(const hx_isa *isa, const struct isa_opcode *opcode, const char **ret_first,
                   const char **ret_second);
/* Indices of mnemonics and aliases; HX_NO_MEMORY. */
hx_status isa_index_build(hx_isa *isa);
