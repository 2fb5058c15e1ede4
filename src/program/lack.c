/* What imported kernels lack, for callers of the library.
 *
 * Takes a program and numbers, leaves copies of what the importer noted. */
#include "hexec/lack.h"
#include "program/program.h"

#include <string.h>

size_t hx_program_lack_count(const hx_program *program, size_t kernel)
{
    return program && kernel < program->kernel_count ? program->kernels[kernel].lack_count : 0;
}

hx_status hx_program_lack(const hx_program *program, size_t kernel, size_t index, hx_lack *ret_lack)
{
    if (!ret_lack || index >= hx_program_lack_count(program, kernel))
        return HX_INVALID;
    const struct kernel_lack *lack = &program->kernels[kernel].lacks[index];
    *ret_lack = (hx_lack){.file = lack->place.source ? lack->place.source->name : program->path,
                          .line = lack->place.line,
                          .column = lack->place.column,
                          .text = lack->text,
                          .why = lack->why};
    return HX_OK;
}

/* What the importer says of calls (src/ptx/join.c) and of variables (src/ptx/translate.c). */
bool hx_lack_is_undefined(const hx_lack *lack)
{
    return lack && lack->why &&
           (strstr(lack->why, "not in this module") || strstr(lack->why, "the module does not define it"));
}
