/* Making LLVM IR of a kernel: what the files of it use from each other. */
#pragma once

#include "exec/tier/llvm/graph.h"

#include <llvm-c/Core.h>

#include <stddef.h>

/* Types and values that are used throughout. A vector has TIER_LANES elements. */
struct lines;
/* Addresses that have been checked for several accesses of a block, at micro-op `at`. */
struct known_check {
    LLVMValueRef good; /* NULL: none */
    uint32_t block, at;
    int layout;
    int64_t from, to; /* offsets */
    LLVMValueRef distances[GROUPS_MAX];
};
/* The last load of a block that fetches ahead from the addresses of a row. */
struct known_fetch {
    bool exists;
    uint32_t block, at;
};
/* Micro-ops whose steps share code (steps.c). */
struct step_group {
    uint32_t end;                    /* exclusive */
    uint64_t *steady, *live;         /* rows that the group does not write; those that its steps need */
    struct row_form *forms;          /* of steady rows */
    uint8_t *nans;                   /* enum nan_state of steady rows */
    LLVMBasicBlockRef shared, leave; /* of the group's steps, and of those of the block; or NULL */
};
struct emitter {
    const struct graph *graph;
    const char *symbol;  /* of the function */
    struct lines *lines; /* NULL: no lines are wanted */
    bool counts, samples;
    bool has_scatter;      /* scatter: the machine has stores to many places */
    bool fetches_straight; /* code outside loops fetches what comes next: the machine gains by it */
    uint32_t warp_lanes;
    LLVMContextRef context;
    LLVMModuleRef module;
    /* allocas: at the end of the function's first block; begins: where each gang begins */
    LLVMBuilderRef builder, allocas, begins;
    LLVMValueRef function, frame, gang, here; /* the gang's frame and number, and frame->here */
    LLVMValueRef entered;                     /* the block at which gangs begin now */
    LLVMValueRef frames, uniform_memory;      /* of the first gang; frame->uniforms */
    LLVMTypeRef i1, i8, i16, i32, i64, pointer, v1, v8, v16, v32, v64, vpointer;
    LLVMValueRef numbers;        /* 0, 1, 2, ... of i32 */
    struct known_check *checks;  /* of each row of indices, and one for all other operands */
    struct known_fetch *fetches; /* the same */
    LLVMValueRef *rows;          /* of each row an alloca: a vector, or for predicates 64 bits */
    LLVMValueRef *number_places; /* of each row GROUPS_MAX allocas, or NULL: if its form is known */
    struct row_form *state;      /* of each row where code is made */
    uint8_t *nans;               /* the same: enum nan_state */
    LLVMValueRef *lanes;         /* of each block an alloca: those that stand there */
    LLVMValueRef fuel;           /* an alloca */
    LLVMValueRef stage; /* an alloca: the block behind the barrier where gangs before this one wait, or
                           STAGE_NONE, STAGE_MIXED */
    LLVMValueRef returns_to[TIER_LEVELS]; /* the same, as in tier_frame */
    LLVMValueRef row_memory;              /* frame->rows */
    LLVMBasicBlockRef *bodies;
    struct step_group steps;
    /* of a loop that lanes go through alone: where they go together, jumps back to block together_of from
     * blocks up to together_last go there (scalar_rounds.c) */
    LLVMBasicBlockRef together;
    uint32_t together_of, together_last;
    LLVMBasicBlockRef done, next; /* the gang has exited; the next one is run */
    uint32_t block;               /* that is made now */
    LLVMValueRef active, guard;   /* its lanes; those whose guard is true, or NULL */
    uint32_t written; /* of code that is sampled: the row that the last instruction wrote, or TIER_NONE */
    uint32_t first_access; /* micro-op of the instruction's first access */
    bool failed;
};

/* No gang waits at a barrier; or they wait at several, or at one that exec has to do something for. */
#define STAGE_NONE  UINT32_MAX
#define STAGE_MIXED (UINT32_MAX - 1)

/* The mask in force. */
static inline LLVMValueRef emit_mask(const struct emitter *emitter)
{
    return emitter->guard ? emitter->guard : emitter->active;
}
LLVMValueRef emit_i32(const struct emitter *emitter, uint32_t value);
LLVMValueRef emit_i64(const struct emitter *emitter, uint64_t value);
LLVMBasicBlockRef emit_new_block(struct emitter *emitter, const char *name);
/* One value in all lanes. */
LLVMValueRef emit_splat(struct emitter *emitter, LLVMValueRef value);
/* 64 bits as a vector of i1, and back. */
LLVMValueRef emit_lanes_of(struct emitter *emitter, LLVMValueRef bits);
LLVMValueRef emit_bits_of(struct emitter *emitter, LLVMValueRef lanes);
LLVMValueRef emit_at(struct emitter *emitter, LLVMValueRef base, LLVMValueRef bytes);
/* A load of what does not change while compiled code runs. */
LLVMValueRef emit_constant_load(struct emitter *emitter, LLVMTypeRef type, LLVMValueRef at, unsigned align);
LLVMValueRef emit_frame_field(struct emitter *emitter, LLVMTypeRef type, size_t offset);
/* The same of what all gangs of a block have in common. */
LLVMValueRef emit_common_field(struct emitter *emitter, LLVMTypeRef type, size_t offset);
void emit_frame_store(struct emitter *emitter, LLVMValueRef value, size_t offset);
LLVMValueRef emit_load(struct emitter *emitter, LLVMTypeRef type, LLVMValueRef from);
void emit_store(struct emitter *emitter, LLVMValueRef value, LLVMValueRef to);
void emit_make_types(struct emitter *emitter);
/* emitter->rows and all else that has one entry for each row or block. False without memory. */
bool emit_make_allocas(struct emitter *emitter);
/* What a row of this kind is in registers, and moving it between them and memory. */
LLVMTypeRef emit_row_type(const struct emitter *emitter, enum row_kind kind);
LLVMValueRef emit_row_in_memory(struct emitter *emitter, uint32_t row);
void emit_load_row(struct emitter *emitter, uint32_t row);
/* NaNs of `canonical`, lanes or NULL, become the canonical one. */
void emit_spill_row(struct emitter *emitter, uint32_t row, struct row_form form, LLVMValueRef canonical);
/* A place for what a row function makes, and what it has made, as emit_write takes it. */
LLVMValueRef emit_new_place(struct emitter *emitter, struct row row);
LLVMValueRef emit_made_value(struct emitter *emitter, struct row row, LLVMValueRef place);
/* The function of rows.c for micro-op `at`: the result is at d, a second one at e. `places` are those of the
 * operands a, b, c and f. */
void emit_call_row(struct emitter *emitter, uint32_t at, const char *name, LLVMValueRef d, LLVMValueRef e,
                   const LLVMValueRef *places);

/* Rows whose form is known (numbers.c). */
/* One cell of an operand or row of that kind. */
LLVMTypeRef emit_number_type(const struct emitter *emitter, enum row_kind kind);
/* The function of rows.c that makes one cell of a micro-op's result, "one_add_U32". */
void emit_name_of_one(const struct micro_op *op, char *name, size_t room);
/* How many numbers a row of that form has. */
static inline uint32_t emit_number_count(const struct emitter *emitter, struct row_form form)
{
    return form.kind == FORM_GROUPS ? TIER_LANES / emitter->graph->group_lanes : 1;
}
/* The alloca of a row's number of that group. */
LLVMValueRef emit_number_place(struct emitter *emitter, uint32_t row, uint32_t group);
/* The operand's number of that group, as a row of `kind` has it; its addend is not added for FORM_ONE, and
 * is for FORM_GROUPS. */
LLVMValueRef emit_number(struct emitter *emitter, struct row row, struct op_row bound,
                         enum row_form_kind kind, uint32_t group);
/* The vector of a row of that form, or 64 bits of a predicate. */
LLVMValueRef emit_known_vector(struct emitter *emitter, struct row_form form, enum row_kind kind,
                               const LLVMValueRef *numbers);
/* One vector of `count` ones, which are overwritten. */
LLVMValueRef emit_together(struct emitter *emitter, LLVMValueRef *parts, uint32_t count);
/* The same of numbers in their allocas. */
LLVMValueRef emit_row_vector(struct emitter *emitter, uint32_t row, struct row_form form);
/* row := what has that form, as emit_write does it. */
void emit_write_known(struct emitter *emitter, uint32_t at, struct row row, struct row_form form,
                      const LLVMValueRef *numbers);
/* A micro-op whose result has that form: one call for each number. */
void emit_known_value(struct emitter *emitter, uint32_t at, struct row_form form, LLVMValueRef *ret_numbers);
/* The same micro-op: code goes on where an operand that it extends to 64 bits wraps in no lane, or in all
 * active lanes of a group. Then each group's result is more by *ret_more. False: there is none. */
bool emit_check_extension(struct emitter *emitter, uint32_t at, struct row_form form, LLVMValueRef *ret_more);
/* Numbers that live lanes need, from and to the frame. */
void emit_load_numbers(struct emitter *emitter, uint32_t block);
void emit_save_numbers(struct emitter *emitter, uint32_t block);
/* The value of an operand: a vector; of a uniform one, one element. `bound` is the operand of struct op. */
LLVMValueRef emit_operand(struct emitter *emitter, struct row row, struct op_row bound);
LLVMValueRef emit_uniform(struct emitter *emitter, struct row row, struct op_row bound);
/* A row's `value` in lanes of `mask`, 64 bits, and `old` in others. */
LLVMValueRef emit_selected(struct emitter *emitter, LLVMValueRef mask, LLVMValueRef value, LLVMValueRef old);
/* row := value under the mask in force, or in all lanes where nobody needs the others. */
void emit_write(struct emitter *emitter, struct row row, LLVMValueRef value, enum nan_state made);
/* A number or a vector, as integers, with the canonical NaN in place of any; in those lanes alone. */
LLVMValueRef emit_canonical(struct emitter *emitter, LLVMValueRef value);
LLVMValueRef emit_canonical_in(struct emitter *emitter, LLVMValueRef value, LLVMValueRef lanes);
/* Lanes of a row in which any NaN stands for the canonical one: of `active`, if not NULL, and of those that
 * stand at `places`. NULL: none. */
LLVMValueRef emit_nan_lanes(struct emitter *emitter, uint32_t row, LLVMValueRef active,
                            const uint64_t *places);
/* At the end of a block: rows of which a block behind it needs the bits; emitter->nans is that behind it. */
void emit_nans_at_end(struct emitter *emitter);
/* A jump that mostly goes to `here`. */
void emit_likely(struct emitter *emitter, LLVMValueRef condition, LLVMBasicBlockRef here,
                 LLVMBasicBlockRef there);
/* Where compiled code leaves an instruction to the interpreter (steps.c). False without memory. */
bool steps_make(struct emitter *emitter);
/* In front of each micro-op of a block, and behind the block. */
void steps_begin(struct emitter *emitter, uint32_t at);
void steps_end(struct emitter *emitter);
/* The interpreter does the instruction of micro-op `op`, which stands where code is made now. */
LLVMBasicBlockRef steps_at(struct emitter *emitter, uint32_t op);
/* Goes on where `condition` is true; where it is false the interpreter does the instruction of `op`. */
void emit_check(struct emitter *emitter, LLVMValueRef condition, uint32_t op);
LLVMValueRef emit_call(struct emitter *emitter, const char *name, LLVMTypeRef result, LLVMValueRef *arguments,
                       unsigned count);
/* The lanes that stand at a block. */
LLVMValueRef emit_lanes_at(struct emitter *emitter, uint32_t block);
LLVMValueRef emit_is_nonzero(struct emitter *emitter, LLVMValueRef value);
/* The lanes whose guard is true, of a flow micro-op or guard_begin; of a guard that is the same for all, an
 * i1. */
LLVMValueRef emit_guard(struct emitter *emitter, uint32_t at);
LLVMValueRef emit_guard_of_all(struct emitter *emitter, uint32_t at);
/* Blocks that may have lanes when those of `block` have moved on, or before that. */
void emit_places(const struct emitter *emitter, uint32_t block, bool moved, uint64_t *ret_places);
/* Everything goes back to memory: the rows of `live`, whose forms are those of `state`, and the places; those
 * of lanes that wait there too, but before a step, which has done it. */
void emit_leave(struct emitter *emitter, uint64_t *live, const struct row_form *state, const uint64_t *places,
                enum tier_exit why);
/* A barrier for the whole block, `at`, is left with less where no lane waits at another place: compiled code
 * mostly goes on behind it. Where some do, code goes on here. */
void emit_barrier(struct emitter *emitter, uint32_t at);
/* Lanes reach a block; code goes on in the one of `places` whose lanes go first, as far as it has some.
 * `sure`, or TIER_NONE, is known to have some if those before it have none. */
void emit_add_lanes(struct emitter *emitter, uint32_t block, LLVMValueRef lanes);
void emit_go_on(struct emitter *emitter, const uint64_t *places, uint32_t sure);
/* Lanes return at the end of the block, the rest goes on behind; NULL: none does (calls.c). */
void emit_return(struct emitter *emitter, LLVMValueRef taken, LLVMValueRef rest);
/* The end of the block that is made now (flow.c). */
void emit_end(struct emitter *emitter);
/* Lanes that wait anywhere while the block runs, as bits; NULL: none can. */
LLVMValueRef emit_waiting_lanes(struct emitter *emitter);
/* Lanes of warps come together, what they give each other, and what handlers do (helped.c). */
void emit_wait(struct emitter *emitter, uint32_t at);
void emit_warp(struct emitter *emitter, uint32_t at);
void emit_helped(struct emitter *emitter, uint32_t at);
/* The call alone: results are in the rows in memory. */
void emit_help(struct emitter *emitter, uint32_t at);
/* Puts a row that a micro-op reads to memory: exec reads it there. */
void emit_give_operand(struct emitter *emitter, struct row row);
/* Lanes of a loop are tried one after the other (scalar_rounds.c): the code for all together begins where
 * this says. */
LLVMBasicBlockRef emit_scalar_loop(struct emitter *emitter, uint32_t block);
/* In front of micro-op `at`: its line, and the note of its instruction, where these are wanted. */
void emit_place(struct emitter *emitter, uint32_t at);
/* The same value, computed no later; for code that is sampled, else as it is. */
LLVMValueRef emit_made_here(struct emitter *emitter, LLVMValueRef value);
/* Adds to one of tier_frame.counts. */
void emit_count(struct emitter *emitter, uint64_t slot, LLVMValueRef more);
/* A load or store. */
void emit_access(struct emitter *emitter, uint32_t op);
/* The window of an access. */
struct window {
    LLVMValueRef low, size, host;
};
struct window emit_window(struct emitter *emitter, uint32_t op);
/* A load or store whose addresses have a form that is known (known_access.c): true when all of it has been
 * made. Else code goes on where they do not fit, and a load's value of lanes where they do comes back, with
 * the block that it comes from. */
struct known_access {
    LLVMValueRef value;
    LLVMBasicBlockRef from, behind; /* NULL: there is no such path */
    bool is_run;                    /* elements of lanes lie one after the other */
};
bool emit_known_access(struct emitter *emitter, uint32_t op, bool is_store, struct known_access *ret_access);
/* The access of such elements in active lanes alone, which have been checked; gives what is loaded. */
LLVMValueRef emit_known_active(struct emitter *emitter, uint32_t op, bool is_store);
/* The function `symbol` in emitter->module. False when the IR cannot be made. */
bool emit_kernel(struct emitter *emitter);
