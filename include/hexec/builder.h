/* Programs built instruction by instruction, for compilers and generators of tests.
 *
 *     hx_builder *builder;
 *     uint32_t i, value;
 *     hx_builder_new("add", isa, NULL, diag, &builder);
 *     hx_builder_add_buffer(builder, "x", HX_TYPE_U32, "64", HX_ACCESS_READWRITE, "iota", diag);
 *     hx_builder_begin_kernel(builder, "add", diag);
 *     hx_builder_new_register(builder, 1, diag, &i);
 *     hx_builder_new_register(builder, 1, diag, &value);
 *     const hx_operand mov[] = {hx_operand_register(i), hx_operand_special("tid.x")};
 *     hx_builder_add(builder, "mov.u32", NULL, mov, 2, diag);
 *     ...
 *     hx_builder_finish(builder, diag, &program);
 *
 * What is built is a program as docs/programs.md describes it: mnemonics, types, operands and their rules are
 * those of the assembler, and hx_builder_write shows the program as text. What is wrong with an instruction
 * is said by hx_builder_finish, at its line in that text; all that is wrong at once. Names and texts are
 * copied. A builder is for one thread at a time. */
#pragma once

#include "hexec/device.h"
#include "hexec/program.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hx_operand_kind {
    HX_OPERAND_REGISTER,  /* number: 0 to 255 */
    HX_OPERAND_PREDICATE, /* number: 0 to 15; is_negated */
    HX_OPERAND_INTEGER,   /* integer */
    HX_OPERAND_FLOAT,     /* real, in the nearest value of the instruction's type; a NaN is the usual one */
    HX_OPERAND_PARAM,     /* name: of a parameter, its value, or of a buffer, its address */
    HX_OPERAND_SPECIAL,   /* name: of a special register, "tid.x" */
    HX_OPERAND_LABEL,     /* name */
    HX_OPERAND_ARRAY,     /* name: of a shared, local or constant array, its address */
    HX_OPERAND_ADDRESS,   /* base, and what is added to it */
    HX_OPERAND_NOTHING    /* a result that is dropped, "_" */
} hx_operand_kind;

/* Where an address begins. */
typedef enum hx_operand_base {
    HX_BASE_NONE,     /* 0: the offset alone */
    HX_BASE_REGISTER, /* what register `number` has */
    HX_BASE_PARAM,    /* the buffer, or the address in the parameter, `name` */
    HX_BASE_ARRAY     /* the array `name` */
} hx_operand_base;

/* Members that the kind does not name are ignored. */
typedef struct hx_operand {
    hx_operand_kind kind;
    uint32_t number;
    int is_negated;
    int64_t integer; /* of an address: the offset in bytes */
    double real;
    const char *name;
    hx_operand_base base;
    int has_index;      /* of an address: not 0: register `index` times `scale` is added */
    uint32_t index;     /* ... */
    uint32_t scale;     /* 1, 2, 4, 8 or 16; 0 counts as 1 */
    hx_type index_type; /* HX_TYPE_I32, HX_TYPE_U32: of its low 32 bits; else all 64 */
} hx_operand;

static inline hx_operand hx_operand_of(hx_operand_kind kind)
{
    hx_operand operand;
    memset(&operand, 0, sizeof operand);
    operand.kind = kind;
    return operand;
}
static inline hx_operand hx_operand_register(uint32_t number)
{
    hx_operand operand = hx_operand_of(HX_OPERAND_REGISTER);
    operand.number = number;
    return operand;
}
static inline hx_operand hx_operand_predicate(uint32_t number, int is_negated)
{
    hx_operand operand = hx_operand_of(HX_OPERAND_PREDICATE);
    operand.number = number;
    operand.is_negated = is_negated;
    return operand;
}
static inline hx_operand hx_operand_integer(int64_t integer)
{
    hx_operand operand = hx_operand_of(HX_OPERAND_INTEGER);
    operand.integer = integer;
    return operand;
}
static inline hx_operand hx_operand_float(double real)
{
    hx_operand operand = hx_operand_of(HX_OPERAND_FLOAT);
    operand.real = real;
    return operand;
}
static inline hx_operand hx_operand_named(hx_operand_kind kind, const char *name)
{
    hx_operand operand = hx_operand_of(kind);
    operand.name = name;
    return operand;
}
static inline hx_operand hx_operand_param(const char *name)
{
    return hx_operand_named(HX_OPERAND_PARAM, name);
}
static inline hx_operand hx_operand_special(const char *name)
{
    return hx_operand_named(HX_OPERAND_SPECIAL, name);
}
static inline hx_operand hx_operand_label(const char *name)
{
    return hx_operand_named(HX_OPERAND_LABEL, name);
}
/* [$name + index*scale] */
static inline hx_operand hx_operand_element(const char *buffer, uint32_t index, uint32_t scale)
{
    hx_operand operand = hx_operand_named(HX_OPERAND_ADDRESS, buffer);
    operand.base = HX_BASE_PARAM;
    operand.has_index = 1;
    operand.index = index;
    operand.scale = scale;
    operand.index_type = HX_TYPE_NONE;
    return operand;
}

typedef struct hx_builder hx_builder;

/* Makes a builder of a program; *ret_builder is given (hx_builder_free). Borrows `isa` and `allocator` until
 * then and until the programs that it makes are freed. HX_INVALID for a name that is no identifier,
 * HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_builder_new(const char *name, const hx_isa *isa,
                                              const hx_allocator *allocator, hx_diag *diag,
                                              hx_builder **ret_builder);
HX_API void hx_builder_free(hx_builder *builder);

/* Texts of the functions below are those of a program file. Each returns HX_INVALID for a name that is no
 * identifier and for a text with quotes or control characters, and HX_NO_MEMORY. */

/* A scalar parameter; `value` may be NULL: it has none yet (hx_program_set_param). */
HX_API HX_MUST_CHECK hx_status hx_builder_add_param(hx_builder *builder, const char *name, hx_type type,
                                                    const char *value, hx_diag *diag);
/* A buffer of `count` elements, an expression, such as "64" or "n * 2". `fill` may be NULL: zeros. */
HX_API HX_MUST_CHECK hx_status hx_builder_add_buffer(hx_builder *builder, const char *name, hx_type type,
                                                     const char *count, hx_buffer_access access,
                                                     const char *fill, hx_diag *diag);
/* An array in constant memory with `count` values, at least one, as the host has elements of that type. */
HX_API HX_MUST_CHECK hx_status hx_builder_add_constant(hx_builder *builder, const char *name, hx_type type,
                                                       const void *values, size_t count, hx_diag *diag);
/* A launch, behind those that were added before. Without any the program launches its first kernel with one
 * thread. 0 counts
 * as 1. */
HX_API HX_MUST_CHECK hx_status hx_builder_add_launch(hx_builder *builder, const char *kernel,
                                                     const uint32_t grid[3], const uint32_t block[3],
                                                     hx_diag *diag);

/* Begins a kernel: the functions below are for the one that was begun last, and HX_INVALID before. */
HX_API HX_MUST_CHECK hx_status hx_builder_begin_kernel(hx_builder *builder, const char *name, hx_diag *diag);
/* An array of its blocks in shared memory, or of its threads in local memory. `count` as for buffers; in
 * shared memory also "dynamic". */
HX_API HX_MUST_CHECK hx_status hx_builder_add_shared(hx_builder *builder, const char *name, hx_type type,
                                                     const char *count, hx_diag *diag);
HX_API HX_MUST_CHECK hx_status hx_builder_add_local(hx_builder *builder, const char *name, hx_type type,
                                                    const char *count, hx_diag *diag);
/* The first of `count` registers, one behind the other (for vectors), that the kernel was not given before; a
 * predicate. HX_INVALID: there are no more. */
HX_API HX_MUST_CHECK hx_status hx_builder_new_register(hx_builder *builder, uint32_t count, hx_diag *diag,
                                                       uint32_t *ret_register);
HX_API HX_MUST_CHECK hx_status hx_builder_new_predicate(hx_builder *builder, hx_diag *diag,
                                                        uint32_t *ret_predicate);
/* Puts a label before the instruction that is added next; jumps may name it before and behind. */
HX_API HX_MUST_CHECK hx_status hx_builder_add_label(hx_builder *builder, const char *name, hx_diag *diag);
/* Adds an instruction: "fma.rn.f32", its guard, a predicate (NULL: none), and its operands in order. */
HX_API HX_MUST_CHECK hx_status hx_builder_add(hx_builder *builder, const char *mnemonic,
                                              const hx_operand *guard, const hx_operand *operands,
                                              size_t operand_count, hx_diag *diag);

/* Writes the program as it is now: the text of a program file. HX_NO_MEMORY, and what `write` returns. */
HX_API HX_MUST_CHECK hx_status hx_builder_write(const hx_builder *builder, hx_write_function write,
                                                void *user);
/* Assembles the program as it is now; the builder can go on. *ret_program is given (hx_program_free).
 * HX_INVALID with all that is wrong in `diag`, HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_builder_finish(const hx_builder *builder, hx_diag *diag,
                                                 hx_program **ret_program);

#ifdef __cplusplus
}
#endif
