/* Handlers of floating-point arithmetic to nearest, for the CPU level HANDLER_LEVEL. Takes the rows of
 * float.def, leaves handlers_float_LEVEL, by template.h. */
#include "exec/handlers/template.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include "exec/handlers/lane_floats.h"
#endif

#include "semantics/float.def"

#include "exec/handlers/list.h"

static const struct handler_row rows_here[] = {
#include "semantics/float.def"
};
HANDLER_LIST(float, rows_here)
