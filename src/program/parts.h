/* What the files of this module share with those of asm, which make programs of the forms. */
#pragma once

#include "program/limits.h"
#include "program/program.h"
#include "yaml/load.h"

/* A name: a letter or _, then letters, digits and _; at most 63. */
bool program_is_name(struct slice text);
/* A name that operands could mistake for something else: r0, p15, inf, nan. */
bool program_is_reserved(struct slice text);
/* What any program must be, whichever form it came from: names differ, launches have threads. HX_INVALID. */
HX_MUST_CHECK hx_status program_check(const hx_program *program, hx_diag *diag);
/* What is wrong with an operand of an instruction, given the program's names and arrays; NULL: nothing. */
const char *program_operand_problem(const hx_program *program, const struct kernel *kernel,
                                    const struct instruction *instruction, unsigned operand);

/* The file that the code's lines are of, without folders, which differ from machine to machine. */
const char *program_origin_name(const hx_program *program);
/* What the code's lines are lines of: the first kernel's, of several files; a binary has its name alone. */
const struct source *program_code_source(const hx_program *program);

/* The bits of a number for a type; not OK when it does not fit. */
enum number_result values_number_bits(struct slice text, enum hx_type type, uint64_t *ret_bits);
/* The same for a number that stands in code: of a type without a sign it may be negative, too, and then is
 * its two's complement (as PTX takes it). */
enum number_result values_immediate_bits(struct slice text, enum hx_type type, uint64_t *ret_bits);
/* Which numbers fit a type, in words; of those in code. */
const char *values_range(enum hx_type type);
const char *values_immediate_range(enum hx_type type);
/* Rounds a double to a float type's bits, once, to nearest even. */
uint64_t values_float_bits(double value, enum hx_type type);
/* An element's bits, and as a double. */
uint64_t values_bits(const void *element, enum hx_type type);
double values_to_f64(const void *element, enum hx_type type);

/* `fill: none`, zeros that count as written by nobody (HX_CHECK_INIT): values of which there is none. */
static inline bool fill_is_none(const struct fill *fill)
{
    return fill->kind == FILL_VALUES && fill->value_count == 0;
}
/* Reads the words of a fill: zero, none, iota, a number; HX_INVALID. `random`, `values` and `file` are read
 * by the caller, which has their keys. */
HX_MUST_CHECK hx_status fill_read_word(struct slice text, enum hx_type type, struct place place,
                                       hx_diag *diag, struct fill *fill);
/* The text of --buffer. */
HX_MUST_CHECK hx_status program_read_fill(hx_program *program, struct slice word, enum hx_type type,
                                          struct fill *fill, hx_diag *diag);
/* A random fill with the bounds that it has when none are given: 0 to 1, integers 0 to 100. */
void fill_set_random(struct fill *fill, enum hx_type type);
/* Are the bounds finite, in order, and not too far apart to count between them? */
HX_MUST_CHECK hx_status fill_check_random(const struct fill *fill, enum hx_type type, hx_diag *diag);

/* The path that a file is opened by: relative to the program's folder, unless it is absolute or was typed. */
void npy_path(const hx_program *program, const struct fill *file, struct text *ret_path);
/* Reads .npy or raw bytes: exactly `count` elements, and never more than one byte behind them. */
HX_MUST_CHECK hx_status npy_read(const hx_program *program, const struct fill *file, enum hx_type type,
                                 void *elements, uint64_t count, const struct file_wait *wait,
                                 const hx_allocator *allocator, hx_diag *diag);
/* Has a file as many elements, of that type? Of a pipe and of what else has no size, nothing is known: HX_OK.
 */
HX_MUST_CHECK hx_status npy_check(const hx_program *program, const struct fill *file, enum hx_type type,
                                  uint64_t count, const hx_allocator *allocator, hx_diag *diag);
/* How many elements a regular file has. */
HX_MUST_CHECK hx_status npy_count(const hx_program *program, const struct fill *file, enum hx_type type,
                                  const hx_allocator *allocator, hx_diag *diag, uint64_t *ret_count);
