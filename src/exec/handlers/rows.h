/* How the objects of a CPU level hand their handlers to handlers.c: each has a list of its rows. */
#pragma once

#include "exec/op.h"

struct handler_pair {
    op_handler full, masked; /* NULL: the row is not written over that type */
};

struct handler_row {
    int semantic;
    bool converts;                      /* pairs[type][source_type] instead of pairs[type] */
    const struct handler_pair *pairs;   /* HX_TYPE_COUNT of them, or that many rows of them */
    const struct handler_pair *indexed; /* loads and stores: of an address with a row of indices */
    const op_handler *affine, *same;    /* the same with a affine_part; loads of one element */
    const op_handler *affine_masked;
    const op_body *bodies; /* NULL: not of this shape */
};

struct handler_list {
    const struct handler_row *rows;
    size_t count;
};

/* handlers_integer_v4: the list of an object at the level that it is compiled for. */
#define HANDLER_NAME(name)               HANDLER_NAME_AT(name, HANDLER_LEVEL)
#define HANDLER_NAME_AT(name, level)     HANDLER_NAME_JOINED(name, level)
#define HANDLER_NAME_JOINED(name, level) handlers_##name##_##level

/* handlers_fused.c: what heads of chains of multiply-adds run. */
const struct op *HANDLER_NAME(multiply_add)(const struct op *op, struct gang *gang, char *rows);
/* handlers_guarded.c */
const struct op *HANDLER_NAME(guarded)(const struct op *op, struct gang *gang, char *rows);

/* The objects: X(name). */
#define HANDLER_OBJECTS(X)                                                                                   \
    X(integer) X(logic) X(compare) X(float) X(convert) X(directed) X(math) X(memory) X(atomic) X(warp)
