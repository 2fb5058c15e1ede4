/* Entries of DWARF 2 to 4, as compilers write them into PTX: what functions, scopes, variables and types a
 * program has (DWARF Debugging Information Format, Version 4). */
#pragma once

#include "base/memory.h"
#include "program/debug_info.h"

/* Those that matter; section 7.5.4 has all. */
enum dwarf_tag {
    DWARF_ARRAY = 0x01,
    DWARF_CLASS = 0x02,
    DWARF_ENUMERATION = 0x04,
    DWARF_PARAMETER = 0x05,
    DWARF_BLOCK = 0x0b,
    DWARF_MEMBER = 0x0d,
    DWARF_POINTER = 0x0f,
    DWARF_REFERENCE = 0x10,
    DWARF_UNIT = 0x11,
    DWARF_STRUCTURE = 0x13,
    DWARF_FUNCTION_TYPE = 0x15,
    DWARF_TYPEDEF = 0x16,
    DWARF_UNION = 0x17,
    DWARF_INHERITANCE = 0x1c,
    DWARF_INLINED = 0x1d,
    DWARF_SUBRANGE = 0x21,
    DWARF_BASE = 0x24,
    DWARF_CONST = 0x26,
    DWARF_ENUMERATOR = 0x28,
    DWARF_FUNCTION = 0x2e,
    DWARF_VARIABLE = 0x34,
    DWARF_VOLATILE = 0x35,
    DWARF_RESTRICT = 0x37,
    DWARF_NAMESPACE = 0x39,
    DWARF_RVALUE_REFERENCE = 0x42
};
enum dwarf_encoding {
    DWARF_BOOLEAN = 0x02,
    DWARF_FLOAT = 0x04,
    DWARF_SIGNED = 0x05,
    DWARF_SIGNED_CHAR = 0x06,
    DWARF_UNSIGNED = 0x07,
    DWARF_UNSIGNED_CHAR = 0x08
};
enum { DWARF_OP_ADDR = 0x03, DWARF_OP_DEREF = 0x06, DWARF_OP_PLUS = 0x23 };

#define DWARF_NONE UINT32_MAX
struct dwarf_entry {
    uint32_t offset; /* in .debug_info */
    uint32_t parent; /* index of an entry; DWARF_NONE: of a unit */
    uint32_t end;    /* index behind its children, and theirs */
    uint32_t type;   /* index of an entry; DWARF_NONE: void, or it has none */
    uint32_t origin; /* of what it is a copy, or the definition; DWARF_NONE: of nothing */
    uint16_t tag;
    uint8_t encoding;
    uint8_t address_class; /* of a pointer or variable, as the PTX back end of LLVM has them; 0: none */
    bool is_artificial, is_declaration, is_vector, has_constant, has_high_distance;
    bool has_bit_offset; /* `bit_at` is of DWARF 2 and 3 */
    uint16_t bits;       /* of a bit-field; 0: it is none */
    int32_t bit_at; /* its first bit: from the begin of the structure; of DWARF 2 and 3 its last one, from
                       the highest of the storage unit at member_at, whose bytes are `bytes` */
    struct slice name, symbol; /* symbol: of a function of C++, as the PTX has it */
    struct slice location;     /* an expression; empty: it has no place */
    uint64_t low, high;        /* addresses of its code: from `low` to before `high`; both 0: none */
    uint64_t bytes, count;     /* of a type; of a subrange */
    uint64_t member_at;        /* bytes from the begin of the structure */
    uint64_t constant;
    uint32_t line, file; /* of the declaration; of what is inlined those of its call */
};
struct dwarf {
    const hx_allocator *allocator;
    LIST(struct dwarf_entry) entries; /* in the order of the section: an entry before its children */
};

/* HX_NO_MEMORY; HX_INVALID: it is not DWARF, or of a version that is not known. Then there are no entries. */
HX_MUST_CHECK hx_status dwarf_read(const struct program_debug *debug, const hx_allocator *allocator,
                                   struct dwarf *ret_dwarf);
void dwarf_done(struct dwarf *dwarf);

/* Bytes that are read from one end on. Behind the end everything is 0, and `failed` is set. */
struct dwarf_bytes {
    const uint8_t *at, *end;
    bool failed;
};
uint64_t dwarf_take(struct dwarf_bytes *bytes, unsigned count); /* little-endian, at most 8 */
uint64_t dwarf_take_unsigned(struct dwarf_bytes *bytes);        /* LEB128 */
int64_t dwarf_take_signed(struct dwarf_bytes *bytes);
