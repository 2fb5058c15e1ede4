/* Cutting the assembly language's lines into pieces, each with its place. */
#pragma once

#include "program/piece.h"

/* A line that is being cut: what is left of it. */
struct line {
    struct slice text, rest;
    const struct yaml_node *code; /* whose text it is a line of */
    int number;                   /* from 0 */
    const struct place *fixed;    /* of a macro's expansion: the place of all pieces; else NULL */
};

#define STATEMENT_OPERANDS_MAX 8
struct statement {
    struct piece whole;    /* from the guard to the last operand */
    struct piece guard;    /* "@p0", "@!p0"; empty when there is none */
    struct piece mnemonic; /* with its modifiers and types; empty when nothing follows the guard */
    struct piece operands[STATEMENT_OPERANDS_MAX];
    unsigned operand_count; /* as many as were written, which may be more than the array holds */
};

/* A line of a block of code, and one of a macro's expansion. */
struct line line_of_code(const struct yaml_node *code, struct slice text, int number);
struct line line_of_macro(struct slice text, const struct place *place);
/* Takes "name:" off the front of what is left; false when none stands there. */
bool line_take_label(struct line *line, struct piece *ret_name);
/* Cuts what is left of the line; false when it is empty. */
bool line_cut(const struct line *line, struct statement *ret_statement);
