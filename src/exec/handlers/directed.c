/* Handlers that round to zero, down or up, for the CPU level HANDLER_LEVEL. Takes the rows of directed.def,
 * leaves handlers_directed_LEVEL.
 *
 * The loops are the same C as those of float.c and convert.c; what differs is that the
 * machine's rounding mode is set around them. Why that is sound, although no compiler at hand implements
 * FENV_ACCESS: fesetround is a call that the compiler can't see into, and all operands are loaded from rows
 * behind the first call and all results are stored into rows before the second one. Rows are memory that the
 * call might read or write, so neither the loads nor the stores may move across it, and what is computed lies
 * between them. Constants that the compiler evaluates (with -frounding-math only exact ones) don't depend on
 * the mode, and -frounding-math keeps the compiler from rewriting -(a - b), x - x + c and the like. The mode
 * is a thread's own, and is put back before the handler returns, so nothing else ever runs under it.
 *
 * Halves go through float or double: rounding twice in one direction is rounding once. */
#define LANES_DIRECTED
#include "exec/handlers/template.h"

#include <fenv.h>

static int directed_begin(unsigned rounding)
{
    const int before = fegetround();
    fesetround(rounding == ROUNDING_RM ? FE_DOWNWARD : rounding == ROUNDING_RP ? FE_UPWARD : FE_TOWARDZERO);
    return before;
}
static void directed_end(int before)
{
    fesetround(before);
}

#include "semantics/directed.def"

#include "exec/handlers/list.h"

static const struct handler_row rows_here[] = {
#include "semantics/directed.def"
};
HANDLER_LIST(directed, rows_here)
