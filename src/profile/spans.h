/* Launches with spans: a listener that turns issues into perf spans, when tracing wants them. */
#pragma once

#include "exec/launch.h"
#include "hexec/trace.h"

struct spans_call {
    hx_device *device;
    const hx_kernel *kernel;
    const hx_launch_options *options;
    hx_buffer *const *buffers;             /* or */
    const uint64_t *gathered;              /* what exec_gather gave */
    const struct exec_listener *listeners; /* of the launch besides; may be NULL */
    uint32_t stream;                       /* its number; 0: the default one, or none */
};
/* As exec_launch; the launch is recorded, and with perf spans on each of its issues. */
HX_MUST_CHECK hx_status spans_launch(const struct spans_call *call, hx_diag *diag,
                                     hx_launch_result *ret_result);
