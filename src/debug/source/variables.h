/* Variables of the source: which a thread has where it stands, and where they are. */
#pragma once

#include "base/diag.h"
#include "program/dwarf/types.h"

struct asker;
struct debug_unit;
struct engine;
struct kernel;
struct shadow_block;

#define SCOPES_MOST 64 /* around each other: entries come from a file, and may lead in circles */

/* ---- Scopes: entries of functions, inlined functions and blocks */
/* Finds them; what is inlined of hidden files counts as a block of the function around it. False: memory ran
 * out. */
bool scopes_init(struct engine *engine);
/* The code that an instruction is of: the kernel's own, or that of a function. NULL: none. */
const struct debug_unit *unit_of(const struct kernel *kernel, uint32_t instruction);
/* The function around a scope, inlined or not; DWARF_NONE: none. */
uint32_t scope_function(const struct dwarf *dwarf, uint32_t scope);
/* The innermost scope around an instruction; DWARF_NONE: nothing is known there. */
uint32_t scope_at(const struct engine *engine, const struct kernel *kernel, uint32_t instruction);
/* The one around a scope as names are looked up: around an inlined function that of its declaration, and not
 * what calls it. DWARF_NONE: none. */
uint32_t scope_parent(const struct dwarf *dwarf, uint32_t scope);
/* How many calls a thread is in at an instruction, `depth` of which are calls of the machine: those that are
 * inlined among them. */
uint32_t scope_depth(const struct engine *engine, const struct shadow_block *block, uint32_t thread,
                     uint32_t instruction, uint32_t depth);
/* The call whose frame an address of local memory is in: how many calls of the machine the thread is in
 * there, and with inlined ones. 0: none, it is the kernel's own memory, or nobody's. */
uint32_t stand_depth_of(const struct asker *asker, uint64_t address, uint32_t *ret_depth_in_source);
/* Does an instruction go on with a line behind a call in it that is inlined, whose code is before it? */
bool scope_returns_to(const struct engine *engine, const struct kernel *kernel, uint32_t instruction,
                      int line);
/* Where the code of a scope begins from an instruction on: each copy of it in the kernel begins once. False:
 * not there or behind. */
bool scope_next_begin(const struct kernel *kernel, const struct dwarf_entry *scope, uint32_t *instruction);
/* The name of the function that a scope is of: "math::twice(int)". */
void scope_print_function(const struct dwarf *dwarf, uint32_t scope, struct text *out);
/* ... as the PTX has it, or of C as the source does. */
struct slice scope_symbol(const struct dwarf *dwarf, uint32_t scope);

/* Where a thread stands in a call: `level` 0 is the innermost one. */
struct stand {
    uint32_t instruction;
    uint32_t scope;     /* the innermost entry around it; DWARF_NONE: nothing is known there */
    struct place place; /* in the source: of a caller of an inlined function that of the call */
    bool is_caller;     /* ... which it is */
    bool has_frame;     /* `frame` is where the function's frame is, in local memory */
    uint64_t frame;
};
/* False: the thread has exited, or no block of it runs, or it is not so deep. */
bool stand_find(const struct asker *asker, struct stand *ret_stand);
/* The name of the function, and the line that it stands at. */
void stand_print_function(const struct engine *engine, const struct stand *stand, struct text *out);
struct slice stand_text(const struct engine *engine, const struct stand *stand);

/* The entry of a variable or parameter that a name means at a place, from the innermost scope outwards;
 * DWARF_NONE: none. */
uint32_t variable_find(const struct dwarf *dwarf, uint32_t scope, struct slice name);
/* One that has this name anywhere. */
bool variable_is_known(const struct dwarf *dwarf, struct slice name);
/* The variables of a stand, one after the other: *cursor begins as zeros. Those of inner scopes come first,
 * and those that they hide are left out; of the function alone, or with the file's own. */
struct variable_cursor {
    uint32_t scope, next, scopes;
    bool has_begun;
};
uint32_t variable_next(const struct dwarf *dwarf, const struct stand *stand, bool with_globals,
                       struct variable_cursor *cursor);
bool variable_is_parameter(const struct dwarf *dwarf, uint32_t variable);
struct slice variable_name(const struct dwarf *dwarf, uint32_t variable);
uint32_t variable_type(const struct dwarf *dwarf, uint32_t variable);
/* What a variable's place is in all threads that stand in a scope of a kernel. */
struct variable_place {
    bool is_known;     /* it was looked for */
    bool is_constant;  /* it is a number: `offset` */
    const char *wrong; /* why it has none, without its name: "is optimized out"; NULL: it has one */
    const struct debug_place *symbol;
    int64_t offset;
};
void variable_find_place(const struct engine *engine, const struct stand *stand, uint32_t variable,
                         struct variable_place *ret_place);
/* Where it is of a thread. NULL; or why it is nowhere. */
struct variable_home {
    int space;
    uint64_t address;
    bool is_constant; /* it is a number: `address` */
};
const char *variable_home(const struct asker *asker, const struct stand *stand,
                          const struct variable_place *place, struct variable_home *ret_home);
/* The bytes of a value as C would initialize it. `format`: 0, 'x' or 'b'. */
void value_print_typed(const struct dwarf *dwarf, uint32_t type, uint32_t dimension, const char *bytes,
                       uint64_t count, char format, struct text *out);
/* Behind the first of `count` elements: " <12 times>" where so many are the same. How many that are; 1: few.
 */
uint64_t value_print_repeats(const char *first, uint64_t bytes, uint64_t count, struct text *out);
/* "hello", without the zeros at its end. `is_cut`: there is more of it. */
void value_print_text(const char *bytes, uint64_t count, bool is_cut, struct text *out);
