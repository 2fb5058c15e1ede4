/* An expression while it is read: what expression.c (grammar) and source/operators.c (values with types of
 * the source) share. */
#pragma once

#include "debug/debug.h"

struct reader {
    const struct asker *asker;
    const char *at, *end;
    char *wrong;
    size_t room;
    bool failed;
    bool is_check; /* names and grammar only: values are not there yet */
    unsigned depth;
};
/* The first failure is kept. */
void reader_fail(struct reader *reader, const char *format, ...) HX_PRINTF(2, 3);

/* ---- source/operators.c: values with types of the source */
/* False: the source has no variable of this name here. */
bool reader_variable(struct reader *reader, struct slice name, struct value *ret_value);
/* Is it of the source, and has it members, elements, or a place that it leads to? */
bool reader_has_members(const struct reader *reader, const struct value *value);
bool reader_has_elements(const struct reader *reader, const struct value *value);
struct value reader_member(struct reader *reader, const struct value *value, struct slice name);
/* A member that dwarf_type_next_member found. */
struct value reader_part(struct reader *reader, const struct value *value,
                         const struct dwarf_type_member *member);
struct value reader_element(struct reader *reader, const struct value *value, const struct value *index);
struct value reader_target(struct reader *reader, const struct value *value);
/* pointer + number, pointer - number: false, it is something else. */
bool reader_moves_pointer(struct reader *reader, const char *operator, const struct value * a,
                          const struct value *b, struct value *ret_value);
/* The entry of a type as it is written, "float", "struct item *"; DWARF_NONE: there is none. */
uint32_t reader_type(const struct dwarf *dwarf, struct slice text);
/* The entry of a pointer to the type; DWARF_NONE: the program has none. */
uint32_t reader_pointer_to(const struct dwarf *dwarf, uint32_t type);
struct value reader_converted(struct reader *reader, const struct value *value, uint32_t type);
