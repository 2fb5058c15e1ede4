/* Addresses as initial values: what stands for one in a file, and the number that it is in a run.
 *
 * `$x` is a buffer's address. `lut`, an array's name, is its address in its own space, as `mov` gives it;
 * `generic(lut)` is the one that generic accesses take. `narrow($x)` and `narrow(generic(lut))` are those of
 * kernels whose addresses have 32 bits. Behind each may stand `+ 8` or `- 8`, in bytes. An
 * array of one kernel among several is `kernel.array`. Around it all, `0xff00(...)` is a byte of the address.
 */
#pragma once

#include "program/names.h"
#include "program/piece.h"
#include "program/program.h"

/* What a program has that addresses may name. Borrows the program. */
struct address_names {
    const hx_program *program;
    struct names buffers, arrays;
    LIST(struct address_target) targets; /* of the arrays; a name's number is an index here */
};
HX_MUST_CHECK hx_status address_names_make(const hx_program *program, hx_diag *diag,
                                           struct address_names *ret_names);
void address_names_done(struct address_names *names);

/* Is it meant as an address where a number of the type could stand? */
bool address_is(struct slice word, enum hx_type type);
/* The same where an expression of parameters could stand, whose names come before those of arrays. */
bool address_begins(const struct address_names *names, struct slice word);
/* All of a word: for an element of the type; for a parameter, which then has a value. HX_INVALID with the
 * place in the word. */
HX_MUST_CHECK hx_status address_read(const struct address_names *names, struct piece word, enum hx_type type,
                                     hx_diag *diag, struct address *ret_address);
HX_MUST_CHECK hx_status address_read_param(const struct address_names *names, struct piece word,
                                           struct program_param *param, hx_diag *diag);
/* What it leads to alone, for a parameter, and how many bytes of the word say it. */
HX_MUST_CHECK hx_status address_read_target(const struct address_names *names, struct piece word,
                                            enum hx_type type, hx_diag *diag,
                                            struct address_target *ret_target, size_t *ret_length);
/* What is wrong with an address of a program as a value of the type; NULL: nothing. */
const char *address_problem(const hx_program *program, const struct address *address, enum hx_type type);
/* As address_read takes them. */
void address_print(struct text *text, const hx_program *program, const struct address *address,
                   enum hx_type type);
void address_print_target(struct text *text, const hx_program *program, const struct address_target *target);

/* The number, given the addresses of the program's buffers: 0 of TARGET_NONE. */
uint64_t address_of_target(const hx_program *program, const struct address_target *target,
                           const uint64_t *buffers);
/* A parameter's bits, with the address that belongs to them. */
uint64_t address_of_param(const hx_program *program, const struct program_param *param,
                          const uint64_t *buffers);
/* HX_LIMIT where a parameter of 32 bits is the address of a buffer that lies too far up for it. */
HX_MUST_CHECK hx_status address_check_narrow(const hx_program *program, const uint64_t *buffers,
                                             hx_diag *diag);
/* Writes those of an array's fill into its elements. */
void address_fill(const hx_program *program, const struct array *array, void *elements,
                  const uint64_t *buffers);
