/* The variables that make streams wait: they are read when a stream is made. */
#include "api/blocking.h"

#include <stdlib.h>

hx_status blocking_read(hx_diag *diag, bool *ret_is_blocking)
{
    static const char *const names[] = {"HEXEC_LAUNCH_BLOCKING", "HOLOGRAM_LAUNCH_BLOCKING",
                                        "CUDA_LAUNCH_BLOCKING"};
    *ret_is_blocking = false;
    for (size_t i = 0; i < HX_COUNT_OF(names); i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value)
            continue;
        if (boolean_parse(slice_trim(slice_of(value)), ret_is_blocking))
            return HX_OK;
        return diag_report(diag, DIAG_TRACE_VARIABLE, (struct place){0}, "it can be 1 or 0",
                           "%s=%s is not understood; 0 is taken", names[i], value);
    }
    return HX_OK;
}
