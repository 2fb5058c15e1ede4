/* From which array the address of an access is made, where it comes from a register. */
#pragma once

#include "verify/webs.h"

struct array_origin {
    uint8_t space; /* SPACE_SHARED, SPACE_LOCAL, SPACE_CONSTANT; SPACE_NONE: nothing is known */
    uint16_t array;
};

/* For each instruction of the kernel; in `arena`, `webs` needs to live until then only. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status origins_find(const struct web_list *webs, struct arena *arena, hx_diag *diag,
                                     struct array_origin **ret_origins);
