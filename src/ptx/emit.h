/* Short ways to add instructions of hexec, for statements of PTX that become several. Registers are virtual;
 * those that are returned are new. A mnemonic that the instruction set does not have is noted as a lack. */
#pragma once

#include "ptx/importer.h"

uint32_t ptx_new_register(struct ptx_importer *importer);
/* d := a op number; a op b; op a; number; a special register; the value of another lane of the warp. */
uint32_t ptx_emit_number(struct ptx_importer *importer, const char *mnemonic, uint32_t a, uint64_t number);
uint32_t ptx_emit_two(struct ptx_importer *importer, const char *mnemonic, uint32_t a, uint32_t b);
uint32_t ptx_emit_one(struct ptx_importer *importer, const char *mnemonic, uint32_t a);
uint32_t ptx_emit_constant(struct ptx_importer *importer, const char *mnemonic, uint64_t number);
uint32_t ptx_emit_special(struct ptx_importer *importer, enum special_register special);
uint32_t ptx_emit_shuffle(struct ptx_importer *importer, uint32_t value, uint32_t lane);
/* A note for checkers, of up to two values, PTX_NO_REGISTER: none; under the statement's guard. */
void ptx_emit_note(struct ptx_importer *importer, unsigned number, uint32_t a, uint32_t b);
/* Loads and stores at a register's address and an offset, under the statement's guard. */
uint32_t ptx_emit_load(struct ptx_importer *importer, const char *mnemonic, uint32_t address, int32_t offset);
void ptx_emit_load_to(struct ptx_importer *importer, const char *mnemonic, uint32_t to, uint32_t address,
                      int32_t offset);
void ptx_emit_store(struct ptx_importer *importer, const char *mnemonic, uint32_t address, int32_t offset,
                    uint32_t value);

/* The address of an operand in brackets, or of a variable, in a register of 64 bits: one in the space. */
uint32_t ptx_address_register(struct ptx_importer *importer, const struct ptx_operand *address,
                              enum ptx_space space);
/* The address of 32 bits in a register, of a module whose addresses have no more, as hexec has it: a generic
 * one (PTX_SPACE_NONE) or one in a space. */
uint32_t ptx_widen(struct ptx_importer *importer, uint32_t address, enum ptx_space space);
/* The elements of a vector, and how many; of any other operand itself. */
const struct ptx_operand *ptx_items(const struct ptx_operand *operand);
unsigned ptx_count(const struct ptx_operand *operand);
/* Values in `members` consecutive registers; and back to operands that are registers, under the guard. */
uint32_t ptx_gather(struct ptx_importer *importer, const struct ptx_operand *items, unsigned members,
                    enum hx_type type);
void ptx_scatter(struct ptx_importer *importer, const struct ptx_operand *items, uint32_t first,
                 unsigned members, enum hx_type type);

/* What the opcode of mma or wmma.mma says: types as PTX writes them, and how bits are combined. */
struct ptx_product {
    struct slice shape, d, a, b, c;
    const char *combine; /* "x", for b1 "and" or "xor" */
    bool saturates;
};
/* False when the types are none that a product has. */
bool ptx_read_product(const struct ptx_statement *statement, struct ptx_product *ret_product);
/* mma of hexec with this shape and the sums' type; operands are missing. */
bool ptx_begin_product(struct ptx_importer *importer, const struct ptx_product *product, const char *shape,
                       struct slice sum_type, struct ptx_op *ret_op);
