/* Types of the source. */
#pragma once

#include "program/dwarf/dwarf.h"
#include "semantics/types.h"

/* A part of the bytes at an address, counted from the lowest bit of the first one. */
struct bit_range {
    uint8_t first, count; /* first: 0 to 7; count: 0: all of them */
};
/* The bytes that have them: at most 9. */
unsigned bit_range_bytes(struct bit_range range);
uint64_t bit_range_take(struct bit_range range, const char *bytes);
void bit_range_put(struct bit_range range, uint64_t bits, char *bytes);

/* What a type is without names, const and volatile: the index of its entry; DWARF_NONE: void. */
uint32_t dwarf_type_strip(const struct dwarf *dwarf, uint32_t type);
/* Bytes of a value; 0: not known. */
uint64_t dwarf_type_size(const struct dwarf *dwarf, uint32_t type);
bool dwarf_type_is_pointer(const struct dwarf *dwarf, uint32_t type);   /* or a reference */
bool dwarf_type_is_reference(const struct dwarf *dwarf, uint32_t type); /* of C++ */
bool dwarf_type_is_aggregate(const struct dwarf *dwarf, uint32_t type); /* a structure, union or array */
bool dwarf_type_is_boolean(const struct dwarf *dwarf, uint32_t type);
bool dwarf_type_is_array(const struct dwarf *dwarf, uint32_t type);
/* hexec's type of a number, pointer or enumeration, CUDA C's __half and __nv_bfloat16 among them;
 * HX_TYPE_NONE of others. */
enum hx_type dwarf_type_of_number(const struct dwarf *dwarf, uint32_t type);
/* The bits of a bit-field of a type as the type's number has them. */
uint64_t dwarf_type_extend_bits(const struct dwarf *dwarf, uint32_t type, struct bit_range range,
                                uint64_t bits);
/* What a pointer leads to, or an array has; DWARF_NONE: void. */
uint32_t dwarf_type_target(const struct dwarf *dwarf, uint32_t type);
/* The space that a pointer is an address of: enum hx_space. */
int dwarf_type_space(const struct dwarf *dwarf, uint32_t type);

/* An array's elements: of several dimensions those of the first. */
struct dwarf_type_elements {
    uint64_t count, bytes; /* bytes of one */
    uint32_t type;         /* of one, if there is one dimension left; else the array's own ... */
    uint32_t dimension;    /* ... with its next one */
};
bool dwarf_type_elements(const struct dwarf *dwarf, uint32_t type, uint32_t dimension,
                         struct dwarf_type_elements *ret_elements);
/* The member of a structure; those of a base class and of a structure without a name belong to it. x, y, z, w
 * and s0 to sF of a vector. */
struct dwarf_type_member {
    struct slice name;
    uint32_t type;
    uint64_t at;
    struct bit_range bits; /* of a bit-field, in the bytes from `at` on */
};
bool dwarf_type_find_member(const struct dwarf *dwarf, uint32_t type, struct slice name,
                            struct dwarf_type_member *ret_member);
/* Members one after the other: *cursor begins at 0. */
bool dwarf_type_next_member(const struct dwarf *dwarf, uint32_t type, uint32_t *cursor,
                            struct dwarf_type_member *ret_member);
/* "float4", "struct item *", "int [3]". */
void dwarf_type_print(const struct dwarf *dwarf, uint32_t type, struct text *out);
/* Is it `char`, whose arrays are texts? */
bool dwarf_type_is_text(const struct dwarf *dwarf, uint32_t type);

/* ---- made_types.c: types that the program may not have; DWARF_NONE: memory ran out. Entries move. */
/* A pointer to the type, in the generic space. */
uint32_t dwarf_made_pointer(struct dwarf *dwarf, uint32_t type);
/* An array, or vector, with these dimensions. */
uint32_t dwarf_made_array(struct dwarf *dwarf, uint32_t type, bool is_vector, const uint64_t *counts,
                          size_t dimensions);
/* An array's type from a dimension on, as an array of its own. */
uint32_t dwarf_made_rest(struct dwarf *dwarf, uint32_t type, uint32_t dimension);
/* A number of this name; DWARF_NONE: C has none. The caller has looked for it among the program's. */
uint32_t dwarf_made_base(struct dwarf *dwarf, struct slice name);
