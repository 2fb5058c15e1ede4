/* Costs from the inside: what costs.c keeps and document.c reads and writes. */
#pragma once

#include "base/memory.h"
#include "exec/kernel.h"
#include "hexec/bench.h"
#include "yaml/load.h"

struct cost_entry {
    char *form; /* of its own memory */
    hx_cost_model model;
};
struct hx_costs {
    const hx_allocator *allocator;
    char *isa;
    hx_cost_machine machine;
    LIST(struct cost_entry) forms; /* in order of their names */
};

/* Is the instruction's result computed once for all lanes, where a gang's threads stand together? */
bool costs_computed_once(const struct lowered_kernel *lowered, uint32_t instruction);
/* The table that says what a cost file may have. */
const cyaml_schema_value_t *costs_document_schema(void);
