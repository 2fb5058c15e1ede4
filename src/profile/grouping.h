/* Instructions of a kernel in groups that are shown together: of one form, or of one line. */
#pragma once

#include "profile/profile.h"

/* Those of one group stand side by side. */
struct grouping {
    const hx_profile_instruction **order;
    size_t count, groups;
    bool lines;
};

/* By lines, or by forms; in `scratch`. False without memory. */
bool grouping_make(const struct profile_kernel *kernel, bool lines, struct arena *scratch,
                   struct grouping *ret_grouping);
/* Are the instructions at these places of `order` in one group? */
bool grouping_same(const struct grouping *grouping, size_t a, size_t b);
