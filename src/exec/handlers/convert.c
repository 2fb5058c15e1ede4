/* Handlers of conversions, for the CPU level HANDLER_LEVEL. Takes the rows of convert.def, leaves
 * handlers_convert_LEVEL, by template.h. */
#include "exec/handlers/template.h"

#include "semantics/convert.def"

#include "exec/handlers/list.h"

static const struct handler_row rows_here[] = {
#include "semantics/convert.def"
};
HANDLER_LIST(convert, rows_here)
