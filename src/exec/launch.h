/* Launches, for modules to the right of exec that bring listeners of their own. */
#pragma once

#include "exec/listener.h"
#include "hexec/launch.h"

/* Copies as many options as the caller knows of; the others are left as they are in `to`. */
void exec_take_options(hx_launch_options *to, const hx_launch_options *from);
/* What a launch gets from the program's parameters as they are now, from its arguments and from its buffers,
 * so that it can run later: how many values that is, and the values. Shared memory that arguments want is
 * added to the options'. HX_INVALID for a buffer of another device, for none, and for a bad argument. */
size_t exec_gathered_count(const hx_kernel *kernel, const hx_launch_options *options);
HX_MUST_CHECK hx_status exec_gather(hx_device *device, const hx_kernel *kernel, hx_launch_options *options,
                                    hx_buffer *const *buffers, hx_diag *diag, uint64_t *ret_values);

/* hx_launch with a chain of listeners (may be NULL), which come before those of the options. Borrowed for the
 * call. */
HX_MUST_CHECK hx_status exec_launch(hx_device *device, const hx_kernel *kernel,
                                    const hx_launch_options *options, hx_buffer *const *buffers,
                                    const struct exec_listener *listeners, hx_diag *diag,
                                    hx_launch_result *ret_result);
/* The same with the values that exec_gather gave in place of buffers. */
HX_MUST_CHECK hx_status exec_launch_gathered(hx_device *device, const hx_kernel *kernel,
                                             const hx_launch_options *options, const uint64_t *values,
                                             const struct exec_listener *listeners, hx_diag *diag,
                                             hx_launch_result *ret_result);
