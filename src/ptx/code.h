/* A kernel while it is imported: instructions of hexec whose registers are still virtual, any number of them.
 */
#pragma once

#include "program/program.h"
#include "ptx/module.h"

#define PTX_NO_REGISTER UINT32_MAX

/* Registers that calls use; no value lives in them across one. */
#define PTX_SLOT_COUNT     14  /* registers that parameters and results travel in */
#define PTX_SLOT_REGISTER  240 /* the first of them */
#define PTX_FRAME_TAKEN    254 /* the frame that a function has just taken */
#define PTX_FRAME_REGISTER 255 /* where the frame of the function that runs is in local memory */
#define PTX_FIXED_COUNT    (REGISTER_COUNT - PTX_SLOT_REGISTER)

struct ptx_op {
    struct instruction
        instruction; /* registers and predicates of its operands are not filled in, targets are labels */
    uint32_t regs[FORM_COUNT_MAX]; /* virtual, of operands of the kinds REGISTER, PREDICATE and ADDRESS; of a
                                      vector the first of consecutive ones */
    uint32_t guard;                /* a virtual predicate, or PTX_NO_REGISTER */
    const struct ptx_statement *from;
    const struct ptx_statement *call; /* that inlined it from the device library; NULL: it was not */
};

/* A virtual register. Members of a vector are consecutive virtual registers, and get consecutive real ones.
 */
struct ptx_register {
    bool is_predicate;
    uint8_t members; /* of the vector that begins here; 1: none does; 0: it belongs to the one before */
    uint8_t bits;    /* of the values that it holds; 0: not known, up to 64 */
    bool is_fixed;   /* `real` is given */
    uint8_t real;
};

/* A register that holds a value before and after a call. */
struct ptx_crossing {
    uint32_t call, reg; /* of an op; virtual */
};

struct ptx_code {
    struct arena *arena;
    const hx_isa *isa;
    LIST(struct ptx_op) ops;
    LIST(uint32_t) labels; /* of each label the op behind it */
    LIST(struct ptx_register) registers;
    uint32_t fixed[PTX_FIXED_COUNT]; /* 1 + the virtual register that is a fixed one; 0: none yet */
    bool is_function;                /* it is called: what a thread keeps lies in a frame */
    bool calls;                      /* there are calls in it */
    uint64_t frame_bytes;            /* of variables and spilled registers, of a function */
    uint32_t frame_align;
    uint32_t spill_array; /* index of the kernel's local array for spilled registers, of 8 bytes each */
    uint64_t spill_slots;
    unsigned register_limit; /* real registers below this one may be chosen */
    bool keeps_values;       /* for a debugger: if they suffice, no register has the values of two */
    uint32_t kept[2];        /* ... and those before these are other units'; of predicates in [1] */
    LIST(struct ptx_crossing) crossings; /* by calls, the last call first */
    hx_status status;                    /* HX_NO_MEMORY, or HX_OK */
};

/* `members` consecutive virtual registers; the first. */
uint32_t ptx_code_register(struct ptx_code *code, bool is_predicate, uint8_t members);
/* The virtual register that is the real one, PTX_SLOT_REGISTER or above. */
uint32_t ptx_code_fixed(struct ptx_code *code, unsigned real);
void ptx_code_done(struct ptx_code *code);
/* How an operand of an op meets its virtual register. */
struct ptx_use {
    uint32_t reg;
    uint8_t members; /* registers from `reg` on */
    bool reads, writes;
};
/* Fills the uses of an op, its guard among them; how many. A write under a guard reads, too: the old value
 * remains in other threads. */
#define PTX_USES_MAX (FORM_COUNT_MAX + 1)
unsigned ptx_code_uses(const struct ptx_op *op, struct ptx_use *ret_uses);

/* Is it a call? */
bool ptx_op_calls(const struct ptx_op *op);
/* Its semantic, if its shape is that of flow; else SEMANTIC_NONE. */
int ptx_op_flow(const struct ptx_op *op);
/* Does a basic block end behind it; may a thread go on there? */
bool ptx_op_ends_block(const struct ptx_op *op);
bool ptx_op_falls_through(const struct ptx_op *op);
/* The op that it jumps to; PTX_NO_TARGET: none, as of calls, which go on behind themselves. */
#define PTX_NO_TARGET UINT32_MAX
uint32_t ptx_op_target(const struct ptx_code *code, const struct ptx_op *op);

/* Gives basic blocks an order in which parted threads meet again (layout.c). Before registers are chosen.
 * HX_NO_MEMORY. */
HX_MUST_CHECK hx_status ptx_layout_blocks(struct ptx_code *code);

/* Chooses a real register for each virtual one, by liveness and a linear scan; what does not fit is spilled
 * to local memory, and predicates to registers, as are those that live across a call. Leaves the crossings of
 * calls. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status ptx_registers_choose(struct ptx_code *code);

/* A load or store of a spilled register's place in local memory. */
void ptx_code_push_slot(struct ptx_code *code, bool is_load, uint64_t slot, uint32_t reg,
                        const struct ptx_op *beside);

/* The op "mnemonic" of the instruction set with no operands yet; false (and code->status HX_INVALID) when the
 * set has no such instruction. */
bool ptx_op_make(struct ptx_code *code, const char *mnemonic, const struct ptx_statement *from,
                 struct ptx_op *ret_op);
/* Operands by their place in the form. */
void ptx_op_register(struct ptx_op *op, unsigned form, uint32_t reg);
void ptx_op_predicate(struct ptx_op *op, unsigned form, uint32_t reg, bool negated);
void ptx_op_number(struct ptx_op *op, unsigned form, uint64_t bits);
void ptx_op_array(struct ptx_op *op, unsigned form, enum address_base base, uint16_t symbol, int32_t offset);
void ptx_op_push(struct ptx_code *code, const struct ptx_op *op);

/* From where to where a virtual register holds a value: 2 i is the reading of op i, 2 i + 1 its writing. */
struct ptx_interval {
    uint32_t start, end; /* start > end: it is never used */
};
/* Of all registers, in `scratch`. NULL when memory runs out. */
struct ptx_interval *ptx_live_intervals(const struct ptx_code *code, struct arena *scratch);
/* Fills code->crossings. False when memory runs out. */
bool ptx_live_across_calls(struct ptx_code *code, struct arena *scratch);
