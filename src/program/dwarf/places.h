/* From places in memory back to variables of the source, and to their members. */
#pragma once

#include "program/dwarf/types.h"

/* Where a variable is, as debug_info.h has it: DEBUG_SYMBOL, and a distance. False: that is not known. */
bool dwarf_variable_symbol(const struct dwarf *dwarf, uint32_t variable, uint64_t *ret_symbol);
/* Has a variable of the PTX the name that DWARF gives it? The PTX has "_$_" where LLVM has a dot. */
bool dwarf_symbol_is(struct slice symbol, struct slice name);
/* The variable whose bytes hold the one at an offset in a variable of the PTX; DWARF_NONE: none, or several.
 */
uint32_t dwarf_variable_at(const struct dwarf *dwarf, const struct program_debug *debug, struct slice name,
                           uint64_t offset, uint64_t *ret_offset);
/* Its name and type; those of the function's definition where it is a copy. */
struct slice dwarf_variable_name(const struct dwarf *dwarf, uint32_t variable);
uint32_t dwarf_variable_type(const struct dwarf *dwarf, uint32_t variable);

/* What one byte of a value is. */
enum dwarf_byte {
    DWARF_BYTE_UNKNOWN, /* of several members, all of a union among them */
    DWARF_BYTE_OF_VALUE,
    DWARF_BYTE_OF_SOME, /* members of a union; others of it are shorter */
    DWARF_BYTE_OF_PADDING
};
/* `path` gets the way to it, "[3].x", as far as there is one; NULL: nobody wants it. */
enum dwarf_byte dwarf_type_byte(const struct dwarf *dwarf, uint32_t type, uint64_t offset, struct text *path);
