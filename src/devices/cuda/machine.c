/* What both drivers for CUDA have: hexec's device, modules, launches.
 *
 * Takes PTX and values of arguments, leaves launches. A process has one device, so that contexts of CUDA
 * share its memory. */
#include "devices/cuda/machine.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static hx_isa *isa; /* guarded, as all below, by starting; constant once they are there */
static hx_device *device;
static hx_session *session;
static pid_t process; /* that made them */
static atomic_bool is_child;

static _Thread_local uint64_t doing;

void machine_do(uint64_t command)
{
    doing = command;
}

uint64_t machine_doing(void)
{
    return doing;
}

static hx_status print(void *user, const char *text, size_t bytes)
{
    return fwrite(text, 1, bytes, user) == bytes ? HX_OK : HX_IO;
}

static void print_kernel(void *user, const char *text, size_t bytes)
{
    (void)fwrite(text, 1, bytes, user);
}

void machine_complain(const hx_diag *diag)
{
    for (size_t i = 0; i < hx_diag_count(diag); i++)
        (void)hx_diagnostic_render(hx_diag_at(diag, i), NULL, print, stderr);
}

static int may_change(void *user)
{
    (void)user;
    return machine_may_change();
}

static hx_status start(bool is_unified, hx_diag *diag)
{
    const hx_device_options options = {.size = sizeof options, .unified = is_unified};
    hx_status status = isa ? HX_OK : hx_isa_load(NULL, NULL, diag, &isa);
    if (status == HX_OK && !session)
        status = hx_session_new(NULL, diag, &session);
    if (status == HX_OK)
        status = hx_device_new(&options, diag, &device);
    if (status == HX_OK)
        status = hx_session_follow(session, device, diag);
    hx_device_may_change(device, may_change, NULL);
    if (status == HX_OK)
        machine_watch_calls(session);
    return status;
}

/* A child that was forked has none of the threads that work is done by, and what others had locked stays
 * locked: it has no device. */
static void be_child(void)
{
    atomic_store(&is_child, true);
}

bool machine_is_lost(void)
{
    return atomic_load(&is_child);
}

bool machine_start(bool is_unified)
{
    hx_diag *diag = NULL;
    if (machine_is_lost())
        return false;
    pthread_mutex_lock(&starting);
    if (!device && hx_diag_new(NULL, &diag) == HX_OK) {
        (void)start(is_unified, diag);
        process = getpid();
        (void)pthread_atfork(NULL, NULL, be_child);
        machine_complain(diag);
        hx_diag_free(diag);
    }
    const bool is_there = device != NULL;
    pthread_mutex_unlock(&starting);
    return is_there;
}

/* When the process ends, by whatever call of exit; a child that was forked has done nothing itself. */
__attribute__((destructor)) static void report(void)
{
    hx_diag *diag = NULL;
    if (machine_is_lost())
        return;
    machine_drain();
    if (!session || process != getpid() || hx_diag_new(NULL, &diag) != HX_OK)
        return;
    if (hx_session_report(session, diag, print, stderr) != HX_OK)
        machine_complain(diag);
    hx_diag_free(diag);
}

hx_device *machine_device(void)
{
    return device;
}

hx_session *machine_session(void)
{
    return session;
}

/* ---- Modules ------------------------------------------------------------------------------------------- */

void module_free(struct module *module)
{
    if (!module)
        return;
    const size_t kernels = hx_program_kernel_count(module->program);
    const size_t buffers = hx_program_buffer_count(module->program);
    const size_t constants = hx_program_constant_count(module->program);
    for (size_t i = 0; module->kernels && i < kernels; i++)
        hx_kernel_free(module->kernels[i]);
    for (size_t i = 0; module->buffers && i < buffers; i++)
        hx_buffer_free(device, module->buffers[i]);
    for (size_t i = 0; module->constants && i < constants; i++)
        hx_buffer_free(device, module->constants[i]);
    free(module->constants);
    free(module->kernels);
    free(module->buffers);
    hx_program_free(module->program);
    pthread_mutex_destroy(&module->lock);
    free(module);
}

hx_status module_new(const void *bytes, size_t count, hx_diag *diag, struct module **ret_module)
{
    struct module *module = calloc(1, sizeof *module);
    if (!module)
        return HX_NO_MEMORY;
    pthread_mutex_init(&module->lock, NULL);
    const hx_source_options options = {.size = sizeof options,
                                       .may_be_empty = true,
                                       .check_indexes = session && hx_session_has_checks(session)};
    hx_status status = hx_program_load_source_bytes("module.ptx", NULL, bytes, count, &options, isa, NULL,
                                                    diag, &module->program);
    if (status == HX_OK) {
        module->kernels = calloc(hx_program_kernel_count(module->program) + 1, sizeof(hx_kernel *));
        module->buffers = calloc(hx_program_buffer_count(module->program) + 1, sizeof(hx_buffer *));
        module->constants = calloc(hx_program_constant_count(module->program) + 1, sizeof(hx_buffer *));
        status = module->kernels && module->buffers && module->constants ? HX_OK : HX_NO_MEMORY;
    }
    if (status == HX_OK)
        status = hx_program_make_buffers(module->program, device, diag, module->buffers);
    if (status == HX_OK)
        status = hx_program_make_constants(module->program, device, module->buffers, diag, module->constants);
    if (status != HX_OK) {
        module_free(module);
        return status;
    }
    *ret_module = module;
    return HX_OK;
}

static hx_status prepare(struct module *module, size_t kernel, hx_diag *diag, const hx_kernel **ret_kernel)
{
    hx_status status = HX_OK;
    pthread_mutex_lock(&module->lock);
    if (!module->kernels[kernel])
        status = hx_kernel_new(module->program, kernel, NULL, diag, &module->kernels[kernel]);
    *ret_kernel = module->kernels[kernel];
    pthread_mutex_unlock(&module->lock);
    return status;
}

hx_status module_prepare(struct module *module, size_t kernel)
{
    const hx_kernel *prepared = NULL;
    hx_diag *diag = NULL;
    hx_status status = hx_diag_new(NULL, &diag);
    if (status == HX_OK)
        status = prepare(module, kernel, diag, &prepared);
    machine_complain(diag);
    hx_diag_free(diag);
    return status;
}

hx_status module_run(struct module *module, const struct module_launch *launch, hx_launch_result *ret_result)
{
    hx_launch_options options = {.size = sizeof options,
                                 .dynamic_shared_bytes = launch->shared_bytes,
                                 .arguments = launch->arguments,
                                 .argument_count = launch->argument_count,
                                 .constants = module->constants,
                                 .print = print_kernel,
                                 .print_user = stdout,
                                 .command = doing};
    hx_kernel_info info = {.size = sizeof info};
    const hx_kernel *kernel = NULL;
    hx_diag *diag = NULL;
    memcpy(options.grid, launch->grid, sizeof options.grid);
    memcpy(options.block, launch->block, sizeof options.block);
    hx_status status = hx_diag_new(NULL, &diag);
    if (status == HX_OK)
        status = hx_program_kernel_info(module->program, launch->kernel, &info);
    if (status == HX_OK)
        status = prepare(module, launch->kernel, diag, &kernel);
    if (status == HX_OK) {
        status = hx_session_launch(session, device, kernel, info.name, &options, module->buffers, diag,
                                   ret_result);
        fflush(stdout);
    }
    machine_complain(diag);
    hx_diag_free(diag);
    return status;
}
