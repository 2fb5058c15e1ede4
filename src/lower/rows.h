/* Rows for webs: as few as possible, none shared by two webs that are live at once. */
#pragma once

#include "lower/webs.h"

/* Classes of rows that webs are given: ROW_4, ROW_8 and ROW_PREDICATE, and behind them the ROW_SAME_* ones.
 */
#define ROW_CLASSES       6
#define ROW_SAME_OF(kind) ((kind)-ROW_4 + ROW_SAME_4)
#define ROW_CLASS(kind)   ((kind)-ROW_4)
#define ROW_COUNT_MAX     65535u

struct row_counts {
    uint32_t used[ROW_CLASSES]; /* rows of each class */
    uint32_t
        settled[ROW_CLASSES]; /* of which the first ones belong to webs that are live where paths may stop */
    uint32_t
        zeroed[ROW_CLASSES]; /* of which the first ones are cleared at the start and belong to one web each */
};

struct arm;
/* Gives each web of the list its row, and one for its same part if it has one; `arms` has each instruction's
 * role (arms.h). HX_NO_MEMORY, HX_LIMIT when there are too many. */
HX_MUST_CHECK hx_status rows_assign(struct web_list *list, const struct arm *arms,
                                    const hx_allocator *allocator, hx_diag *diag,
                                    struct row_counts *ret_counts);
/* Reports that a kernel needs too many rows of one kind: HX_LIMIT, or HX_NO_MEMORY. */
hx_status rows_too_many(const struct kernel *kernel, hx_diag *diag);
