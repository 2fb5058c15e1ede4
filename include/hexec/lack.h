/* What kernels in PTX need and hexec does not have: such a kernel loads and cannot be launched. */
#pragma once

#include "hexec/program.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An instruction that cannot run. The texts are borrowed from the program. */
typedef struct hx_lack {
    const char *file; /* where it is: a path, line and column from 1 */
    int line, column;
    const char *text; /* the instruction, on one line */
    const char *why;  /* a sentence without a full stop */
} hx_lack;

/* How many there are in kernel `kernel`, from 0; 0 beyond the end. Threads: as for reading a program. */
HX_API size_t hx_program_lack_count(const hx_program *program, size_t kernel);
/* Number `index`, from 0, of them. HX_INVALID: there is none; *ret_lack is left as it was. */
HX_API HX_MUST_CHECK hx_status hx_program_lack(const hx_program *program, size_t kernel, size_t index,
                                               hx_lack *ret_lack);
/* Does it name a function or a variable that nothing in the program defines? A linker would have failed. */
HX_API bool hx_lack_is_undefined(const hx_lack *lack);

#ifdef __cplusplus
}
#endif
