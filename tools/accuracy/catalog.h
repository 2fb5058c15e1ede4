/* Which opcodes are measured. */
#pragma once

#include "functions.h"

enum { CATALOG_MAX = 96 };

struct opcode {
    char name[32];
    unsigned sources; /* 1 or 2 */
    bool types[HX_TYPE_COUNT];
    bool is_library;                 /* a function of the device library: __nv_NAME, and __nv_NAMEf for f32 */
    const struct function *function; /* NULL: the table of functions lacks it */
};

struct catalog {
    struct opcode opcodes[CATALOG_MAX];
    size_t count;
};

/* Every opcode of class math, and rcp, sqrt, rsqrt; with `library` the device library's functions instead. */
hx_status catalog_read(const hx_isa *isa, bool library, hx_diag *diag, struct catalog *ret_catalog);
