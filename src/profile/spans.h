/* Launches with spans: an observer that turns issues into perf spans, when tracing wants them. */
#pragma once

#include "exec/observer.h"
#include "hexec/trace.h"

/* A launch on a stream. */
struct spans_call {
    hx_device *device;
    const hx_kernel *kernel;
    const hx_launch_options *options;
    hx_buffer *const *buffers; /* or */
    const uint64_t *gathered;  /* what exec_gather gave */
    uint32_t stream;           /* its number; 0: the default one, or none */
};
HX_MUST_CHECK hx_status spans_launch_call(const struct spans_call *call, hx_diag *diag,
                                          hx_launch_result *ret_result);
/* As hx_launch; with perf spans on, each issue and the launch are recorded. */
HX_MUST_CHECK hx_status spans_launch(hx_device *device, const hx_kernel *kernel,
                                     const hx_launch_options *options, hx_buffer *const *buffers,
                                     hx_diag *diag, hx_launch_result *ret_result);
/* As exec_launch; the launch is recorded, its issues are not, whatever tracing wants of them. */
HX_MUST_CHECK hx_status spans_launch_watched(hx_device *device, const hx_kernel *kernel,
                                             const hx_launch_options *options, hx_buffer *const *buffers,
                                             const struct observer *observer, hx_diag *diag,
                                             hx_launch_result *ret_result);
