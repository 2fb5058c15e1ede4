/* What both drivers for CUDA have: hexec's device, modules, launches. */
#pragma once

#include "hexec/hexec.h"

#include <pthread.h>
#include <stdbool.h>

/* hexec's device, instruction set and session, which are the process's. They are made when they are first
 * needed; false, with a message on standard error, when they cannot be. Any thread. */
bool machine_start(bool is_unified);
/* Is this a child that was forked when the device was there? Then there is none, and no work is done. */
bool machine_is_lost(void);
hx_device *machine_device(void);
hx_session *machine_session(void);
/* Each driver's own: waits until what it was given is done, before the report of the process. */
void machine_drain(void);
/* Likewise: can the host, or other work, write what a kernel reads that runs now? From any thread. */
bool machine_may_change(void);
/* Likewise: the session gets the program's calls from now on, if it wants to know. */
void machine_watch_calls(hx_session *session);
/* What this thread does from now on, launches and copies, is this command (hx_checks_command); 0: none. */
void machine_do(uint64_t command);
uint64_t machine_doing(void);
/* Prints the messages on standard error. */
void machine_complain(const hx_diag *diag);

/* A module: PTX, or whatever hexec loads, and its variables on the device. */
struct module {
    hx_program *program;
    hx_buffer **buffers, **constants; /* of each variable in global and in constant memory */
    pthread_mutex_t lock;
    hx_kernel **kernels; /* prepared when they are first launched; guarded by lock */
};
/* *ret_module is given (module_free). */
hx_status module_new(const void *bytes, size_t count, hx_diag *diag, struct module **ret_module);
void module_free(struct module *module);

/* Makes a kernel ready to be launched; what is wrong with it is printed. */
hx_status module_prepare(struct module *module, size_t kernel);

/* What a launch is given. */
struct module_launch {
    size_t kernel;
    uint32_t grid[3], block[3], shared_bytes;
    const hx_argument *arguments;
    size_t argument_count;
};
/* Runs it to its end; what is wrong is also printed. */
hx_status module_run(struct module *module, const struct module_launch *launch, hx_launch_result *ret_result);
