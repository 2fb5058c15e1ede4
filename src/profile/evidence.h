/* What two measurements say of their difference. */
#pragma once

#include "base/memory.h"
#include "base/spread.h"
#include "hexec/compare.h"

/* The runs of one side, in the order in which they were measured, the share of the machine that others used,
 * and what a loop of constant work took beside them (machine_loop_ns; 0: not known). */
struct evidence_side {
    const double *times;
    size_t count;
    double others, loop_ns;
};

/* Fills in all of `wall` but its band, which it reads. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status evidence_weigh(const struct evidence_side *before, const struct evidence_side *now,
                                       const hx_allocator *allocator, hx_compare_wall *wall);
/* How likely a difference is at least so far from 0 if there is none: by its 95 % interval. */
double evidence_chance(hx_compare_interval difference);
/* Of so many hypotheses, of which these chances are known: which may be rejected so that all true ones are
 * kept with 95 % (Holm). NaN is no hypothesis. `ret_rejected` has room for `count`. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status evidence_reject(const double *chances, size_t count, const hx_allocator *allocator,
                                        bool *ret_rejected);
