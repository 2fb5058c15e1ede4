/* Assembling, seen from the inside: what assemble.c (lines, labels), mnemonic.c and operands.c share. */
#pragma once

#include "asm/asm.h"
#include "asm/lexer.h"
#include "program/names.h"

struct label {
    struct piece name;
    uint32_t target;
};
/* An instruction, and the line it came from. */
struct assembled {
    struct instruction instruction;
    struct code_line line;
};
/* An operand that names a label, to be looked up when all labels are known. */
struct jump {
    uint32_t instruction;
    uint8_t operand;
    struct piece name;
};

struct assembly {
    hx_program *program;
    struct kernel *kernel;
    hx_diag *diag;
    hx_status status; /* of the first error; HX_NO_MEMORY comes first */
    size_t errors;
    struct names symbols; /* parameters and buffers, as program_symbol_name numbers them */
    struct names arrays;  /* number: index * SPACE_COUNT + space */
    LIST(struct assembled) code;
    LIST(struct label) labels;
    LIST(struct jump) jumps;
    int macro_depth;
};

/* Keeps count of what was reported; returns its argument. */
hx_status assembly_note(struct assembly *assembly, hx_status status);
/* Has the memory run out, or are there as many errors as are shown? */
bool assembly_is_over(const struct assembly *assembly);
/* A text for hints: with the program's allocator; text_done it. */
struct text assembly_text(const struct assembly *assembly);

/* A mnemonic with its types and modifiers, as far as they are known. */
#define MNEMONIC_PARTS_MAX 16
struct mnemonic {
    struct piece whole, name;
    struct piece types[2];
    unsigned type_count;
    struct piece modifiers[MNEMONIC_PARTS_MAX];
    unsigned modifier_count;
};
/* Reads "mnemonic.modifier.type": fills the opcode, types and modifiers of the instruction. False when there
 * is no such opcode; wrong modifiers are reported and left out. */
bool mnemonic_read(struct assembly *assembly, struct piece word, struct mnemonic *ret_mnemonic,
                   struct instruction *instruction);

/* A mnemonic alone, for instructions without a program. HX_INVALID, HX_NO_MEMORY. */
HX_MUST_CHECK hx_status mnemonic_parse(const hx_isa *isa, const hx_allocator *allocator, struct slice word,
                                       struct place place, hx_diag *diag,
                                       struct instruction *ret_instruction);

/* Reads one operand for form `index` of the instruction's opcode; reports what is wrong with it. The operand
 * of a label becomes an OPERAND_TARGET and an entry of assembly->jumps for the instruction that comes next.
 */
void operand_read(struct assembly *assembly, struct instruction *instruction, unsigned index,
                  struct piece piece);
/* "@p0", "@!p0". False without a report. */
bool operand_guard(struct slice text, struct instruction *instruction);
