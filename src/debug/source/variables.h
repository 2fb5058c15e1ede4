/* Variables of the source: which a thread has where it stands, and where they are. */
#pragma once

#include "program/dwarf/types.h"

struct asker;
struct engine;

/* Where a thread stands in a call: `level` 0 is the innermost one. */
struct stand {
    uint32_t instruction;
    uint32_t scope; /* the innermost entry around it; DWARF_NONE: nothing is known there */
    bool has_frame; /* `frame` is where the function's frame is, in local memory */
    uint64_t frame;
};
/* False: the thread has exited, or no block of it runs, or it is not so deep. */
bool stand_find(const struct asker *asker, struct stand *ret_stand);

/* The entry of a variable or parameter that a name means at a place, from the innermost scope outwards;
 * DWARF_NONE: none. */
uint32_t variable_find(const struct dwarf *dwarf, uint32_t scope, struct slice name);
/* One that has this name anywhere. */
bool variable_is_known(const struct dwarf *dwarf, struct slice name);
/* The variables of a stand, one after the other: *cursor begins as zeros. Those of inner scopes come first,
 * and those that they hide are left out; of the function alone, or with the file's own. */
struct variable_cursor {
    uint32_t scope, next;
    bool has_begun;
};
uint32_t variable_next(const struct dwarf *dwarf, const struct stand *stand, bool with_globals,
                       struct variable_cursor *cursor);
bool variable_is_parameter(const struct dwarf *dwarf, uint32_t variable);
struct slice variable_name(const struct dwarf *dwarf, uint32_t variable);
uint32_t variable_type(const struct dwarf *dwarf, uint32_t variable);
/* Where it is. NULL; or why it has no place, without its name: "is optimized out". */
struct variable_home {
    int space;
    uint64_t address;
    bool is_constant; /* it is a number: `address` */
};
const char *variable_home(const struct asker *asker, const struct stand *stand, uint32_t variable,
                          struct variable_home *ret_home);
/* The function around a stand; empty when it is not known. */
struct slice variable_function(const struct dwarf *dwarf, const struct stand *stand);
/* The bytes of a value as C would initialize it. `format`: 0, 'x' or 'b'. */
void value_print_typed(const struct dwarf *dwarf, uint32_t type, uint32_t dimension, const char *bytes,
                       uint64_t count, char format, struct text *out);
/* "hello", without the zeros at its end. `is_cut`: there is more of it. */
void value_print_text(const char *bytes, uint64_t count, bool is_cut, struct text *out);
