/* Names as C++ compilers write them into object files, for people: _Z3addPfi is add(float*, int). */
#pragma once

#include "base/text.h"

/* Appends the readable form of a name (Itanium C++ ABI, 5.1): other names as they are; of one whose
 * parameters are not understood what stands before them; of one that is not understood at all the name
 * itself. */
void demangle(struct text *out, const char *name);
