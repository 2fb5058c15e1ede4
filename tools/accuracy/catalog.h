/* Which opcodes are measured. */
#pragma once

#include "functions.h"

enum { CATALOG_MAX = 64 };

struct opcode {
    char name[32];
    unsigned sources; /* 1 or 2 */
    bool types[HX_TYPE_COUNT];
    const struct function *function; /* NULL: the table of functions lacks it */
};

struct catalog {
    struct opcode opcodes[CATALOG_MAX];
    size_t count;
};

/* Every opcode of class math, and rcp, sqrt, rsqrt. */
hx_status catalog_read(const hx_isa *isa, hx_diag *diag, struct catalog *ret_catalog);
