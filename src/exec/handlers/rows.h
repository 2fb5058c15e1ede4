/* How the objects of a CPU level hand their handlers to table.c: each has a list of its rows. */
#pragma once

#include "exec/op.h"

struct handler_pair {
    op_handler full, masked; /* NULL: the row is not written over that type */
};

struct handler_row {
    int semantic;
    bool converts; /* forms[0][type][source_type] instead of forms[0][type] */
    /* by enum access_form, HX_TYPE_COUNT pairs each, or that many rows of them; NULL: not made in this form.
     * Only loads, stores and atomics have more than the first one */
    const struct handler_pair *forms[ACCESS_SAME + 1];
    const op_body *bodies; /* NULL: not of this shape */
};

struct handler_list {
    const struct handler_row *rows;
    size_t count;
};

#define HANDLER(function)   static const struct op *function(const struct op *op, struct gang *gang, char *rows)
#define FIRST_CHUNK(letter) (rows + op->letter.at + (size_t)chunk * op->letter.step)
#define SKIP(...)

/* handlers_integer_v4: the list of an object at the level that it is compiled for. */
#define HANDLER_NAME(name)                 HANDLER_NAME_AT(name, HANDLER_LEVEL)
#define HANDLER_NAME_AT(name, level)       HANDLER_NAME_EXPANDED(name, level)
#define HANDLER_NAME_EXPANDED(name, level) handlers_##name##_##level

/* fast/fused.c: what heads of chains of multiply-adds run. */
const struct op *HANDLER_NAME(multiply_add)(const struct op *op, struct gang *gang, char *rows);

/* The objects: X(name). */
#define HANDLER_OBJECTS(X)                                                                                   \
    X(integer)                                                                                               \
    X(logic) X(compare) X(float) X(convert) X(directed) X(math) X(memory) X(atomic) X(warp) X(matrix)
