/* Costs from the inside: what costs.c keeps and document.c reads and writes. */
#pragma once

#include "base/memory.h"
#include "hexec/bench.h"
#include "yaml/load.h"

struct lowered_kernel;

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
/* What looking up an instruction's cost takes. */
struct cost_key {
    char form[HX_COST_FORM_BYTES];
    uint8_t parts; /* issues that it counts as: elements of a vector; 0: it is issued and does nothing */
    bool is_computed_once;
};
struct cost_key costs_key(const struct lowered_kernel *lowered, uint32_t instruction);
/* Adds the issues of an instruction to a prediction; returns their time. */
double costs_add_issues(const hx_costs *costs, const struct cost_key *key, const hx_instruction_profile *did,
                        hx_cost_prediction *prediction);
/* The table that says what a cost file may have. */
const cyaml_schema_value_t *costs_document_schema(void);
