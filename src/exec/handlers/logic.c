/* Handlers of bits and of moving them, for the CPU level HANDLER_LEVEL. Takes the rows of data.def and
 * logic.def, leaves handlers_logic_LEVEL, by template.h. */
#include "exec/handlers/template.h"

#include "semantics/data.def"
#include "semantics/logic.def"

#include "exec/handlers/list.h"

static const struct handler_row rows_here[] = {
#include "semantics/data.def"
#include "semantics/logic.def"
};
HANDLER_LIST(logic, rows_here)
