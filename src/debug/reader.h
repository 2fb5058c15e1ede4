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

/* ---- literals.c: what begins with a digit or a point; what stands behind an opening quote */
struct value reader_number(struct reader *reader);
struct value reader_character(struct reader *reader);

/* ---- source/operators.c: values with types of the source */
/* False: the source has no variable of this name here. */
bool reader_variable(struct reader *reader, struct slice name, struct value *ret_value);
/* The same of an entry that is found; `name` is for what is wrong. False: no thread is there. */
bool reader_entry(struct reader *reader, uint32_t variable, struct slice name, struct value *ret_value);
/* Where only names and grammar are checked: a value of any type. */
struct value reader_unknown(void);
/* A member of threadIdx, blockIdx, blockDim or gridDim. */
struct value reader_coordinate(struct reader *reader, const struct value *triple, struct slice name);
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
uint32_t reader_type(struct reader *reader, struct slice text);
/* The address of a value of the source, as a pointer to its type. */
struct value reader_address(struct reader *reader, const struct value *value);
/* What the program has at names of the source that are no variables: enumerators, `threadIdx` of CUDA C, and
 * members of the structure that the function is a method of. False: it is none. */
bool reader_source_name(struct reader *reader, struct slice name, struct value *ret_value);
/* `count` elements from a value's place on: value@count. */
struct value reader_repeated(struct reader *reader, const struct value *value, uint64_t count);
struct value reader_converted(struct reader *reader, const struct value *value, uint32_t type);
