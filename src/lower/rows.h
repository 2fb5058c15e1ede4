/* Rows for webs: as few as possible, none shared by two webs that are live at once. */
#pragma once

#include "lower/micro_op.h"
#include "verify/webs.h"

/* What kind of row holds a value of a type. */
static inline enum row_kind row_kind_of(enum hx_type type)
{
    return (enum row_kind)(ROW_4 + web_kind_of(type));
}

/* What the converged code keeps of a web: its same part, its vector, or both. */
enum web_form { WEB_VECTOR = 1, WEB_SAME = 2 };

/* What lowering decides about a web: lowering.plans has one for each. */
struct web_plan {
    uint8_t kind;        /* of its vector: ROW_4, ROW_8 or ROW_PREDICATE */
    uint8_t form;        /* enum web_form; affine.c decides */
    bool is_known;       /* it is `known` wherever it is read: simplify.c */
    bool is_unread;      /* no instruction needs its row */
    uint8_t affine_part; /* of a web with a same part: what each lane adds to it; 0: nothing */
    uint16_t row;
    uint16_t same_row; /* of that part */
    struct uniform known;
};

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

struct lowering;
/* Fills in the plans' rows, and those of their same parts, when the plans' forms are known. HX_NO_MEMORY,
 * HX_LIMIT when there are too many. */
HX_MUST_CHECK hx_status rows_assign(struct lowering *lowering, struct row_counts *ret_counts);
/* Reports that a kernel needs too many rows of one kind: HX_LIMIT, or HX_NO_MEMORY. */
hx_status rows_too_many(const struct kernel *kernel, hx_diag *diag);
