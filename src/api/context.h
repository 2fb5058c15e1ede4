/* Running a context's program with listeners for each launch. */
#pragma once

#include "base/file.h"
#include "exec/launch.h"
#include "hexec/hexec.h"

struct context_watch {
    void *user;
    /* Before a launch, whose options it may change; *ret_listeners, which is NULL, may be set. The buffers
     * hold what the launch will find. Other than HX_OK ends the run. */
    hx_status (*launching)(void *user, hx_device *device, const hx_kernel *kernel, hx_launch_options *options,
                           const struct exec_listener **ret_listeners);
    /* After it, however it ended. */
    void (*launched)(void *user, const hx_launch_options *options, const hx_launch_result *result);
    /* May be NULL. Before `launching`: is the launch passed over, as if it was done? Who says so puts into
     * the buffers what it would have left there. */
    bool (*skips)(void *user);
};

/* As hx_context_run. `watch` may be NULL. */
HX_MUST_CHECK hx_status context_run(hx_context *context, const hx_run_options *options,
                                    const struct context_watch *watch, hx_diag *diag,
                                    hx_run_result *ret_result);
/* HX_INVALID, said in `diag`, before a program is loaded. */
HX_MUST_CHECK hx_status context_check_loaded(const hx_context *context, hx_diag *diag);
/* The buffers of the run that goes on or was the last, in the program's order. */
hx_buffer *const *context_buffers(const hx_context *context, size_t *ret_count);
/* For pipes behind a run: as long as a launch may take. An interruption would be the next run's. */
struct file_wait context_wait(const hx_context *context);
const hx_allocator *context_allocator(const hx_context *context);
/* Frees the buffers and the device, and begins to number launches again: the next run is like the first one
 * of a new context, down to the addresses of its buffers. */
void context_start_over(hx_context *context);
