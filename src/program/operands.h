/* Assembling, seen from the inside: what assemble.c (lines, mnemonics) and operands.c (operands) share. */
#pragma once

#include "program/parts.h"

/* A token-wide slice of the text that is being assembled, with the place where it stands. */
struct piece {
    struct slice text;
    struct place place;
};

struct label {
    struct slice name;
    uint32_t target;
    struct place place;
};

struct assembly {
    hx_program *program;
    struct kernel *kernel;
    hx_diag *diag;
    const struct code_places *places;
    hx_status status;
    LIST(struct instruction) code;
    LIST(struct code_line) lines;
    LIST(struct label) labels;
    int macro_depth;
};

hx_status assembly_note(struct assembly *assembly, hx_status status);
/* Reads one operand for form `index` of the instruction's opcode; reports what is wrong with it. Labels are
 * looked up later: their operand is left OPERAND_TARGET with bits 0. */
void operand_read(struct assembly *assembly, struct instruction *instruction, unsigned index,
                  struct piece piece);
/* r0 to r255; p0 to p15. False without a report. */
bool operand_register(struct slice text, char letter, unsigned count, uint8_t *ret_number);
