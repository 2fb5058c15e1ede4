/* Functions that a module may declare and need not have: hexec has them in PTX. */
#pragma once

#include "base/text.h"

/* What the source of these functions is called: no program's lines are there. */
#define PTX_LIBRARY_SOURCE "hexec's library"

/* The text of PTX that has the function, without .version; functions, variables and what they call. NULL: the
 * library does not have it. Several functions may be in one text. */
const char *ptx_library_text(struct slice function);
