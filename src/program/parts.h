/* What the files of this module share. */
#pragma once

#include "program/program.h"

/* A name: a letter or _, then letters, digits and _. */
bool program_is_name(struct slice text);
/* Assembles a kernel's text. `place_at(user, line, column, length)` gives the place of a run of bytes in it.
 */
struct code_places {
    struct place (*at)(const void *user, int line, int column, int length);
    const void *user;
};
HX_MUST_CHECK hx_status assemble_kernel(hx_program *program, struct kernel *kernel, struct slice text,
                                        const struct code_places *places, hx_diag *diag);
/* A copy of a YAML source in which every code block says how far it is indented. */
HX_MUST_CHECK hx_status code_blocks_indent(const struct source *source, struct text *ret_text);
/* Loads the YAML form, the binary form. */
HX_MUST_CHECK hx_status document_load(hx_program *program, hx_diag *diag);
HX_MUST_CHECK hx_status binary_load(hx_program *program, hx_diag *diag);
bool binary_is(const void *bytes, size_t size);
/* The bits of a number for a type; false when it does not fit. */
enum number_result values_number_bits(struct slice text, enum hx_type type, uint64_t *ret_bits);
/* Which numbers fit a type, in words. */
const char *values_range(enum hx_type type);
/* Rounds a double to a float type's bits, once, to nearest even. */
uint64_t values_float_bits(double value, enum hx_type type);
/* An element as a double (floats) and as text that reads back. */
double values_to_f64(const void *element, enum hx_type type);
/* Reads .npy or raw bytes: exactly `bytes` bytes of elements. */
HX_MUST_CHECK hx_status npy_read(const hx_program *program, const struct fill *file, enum hx_type type,
                                 void *elements, uint64_t count, const hx_allocator *allocator,
                                 hx_diag *diag);
/* How many elements a file has. */
HX_MUST_CHECK hx_status npy_count(const hx_program *program, const struct fill *file, enum hx_type type,
                                  const hx_allocator *allocator, hx_diag *diag, uint64_t *ret_count);
