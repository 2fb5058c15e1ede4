/* Which bits of a result are undefined: the rules of rules.def. */
#pragma once

#include "semantics/semantics.h"

/* One lane's operands, and what is undefined of them: their bits; of a predicate, bit 0. Operands that a row
 * does not have are 0. */
struct init_operands {
    uint64_t value[OPERAND_LETTERS];
    uint64_t undefined[OPERAND_LETTERS];
    uint8_t type, source_type; /* enum hx_type, of the row */
    int64_t immediate;
};
struct init_outcome {
    uint64_t d, e; /* undefined bits of the cells */
};

/* Does the row have a rule, and does that only move bits? */
bool init_has_rule(int semantic);
bool init_rule_moves(int semantic);
/* Applies the rule of a row that has one. */
struct init_outcome init_apply_rule(int semantic, const struct init_operands *operands);
/* A byte of bits for each bit of `bytes`, the lowest first; and back: a bit for each byte that has one. */
uint64_t init_spread(uint8_t bytes);
uint8_t init_gather(uint64_t bits);
/* The undefined bits of a cell that is given a value of `type`, whose undefined bits are `bits`. */
uint64_t init_cell(enum hx_type type, uint64_t bits);
