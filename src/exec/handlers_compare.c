/* Handlers of comparisons and predicates, for the CPU level HANDLER_LEVEL. Takes the rows of compare.def,
 * leaves handlers_compare_LEVEL; how, stands in handler_template.h. */
#include "exec/handler_template.h"

#include "semantics/compare.def"

#include "exec/handler_list.h"

static const struct handler_row rows_here[] = {
#include "semantics/compare.def"
};
HANDLER_LIST(compare, rows_here)
