/* Handlers of integer arithmetic, for the CPU level HANDLER_LEVEL. Takes the rows of integer.def, leaves
 * handlers_integer_LEVEL, by template.h. */
#include "exec/handlers/template.h"

#if defined(__AVX2__)
#include "exec/handlers/lane_multiply.h"
#endif

#include "semantics/integer.def"

#include "exec/handlers/list.h"

static const struct handler_row rows_here[] = {
#include "semantics/integer.def"
};
HANDLER_LIST(integer, rows_here)
