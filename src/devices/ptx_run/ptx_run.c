/* libgpuocelot.so: the one function that users of GPU Ocelot 0.1 call.
 *
 * Takes the text of a module with every launch, so that modules are kept by their contents. Pointers are the
 * host's: the device is unified. The caller has no way to learn that a launch failed, so that the process
 * ends with a message. */
#include "devices/calls/calls.h"
#include "devices/cuda/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))
#define BUCKETS  1024

EXPORTED void ptx_run(const char *source, int n_args, void *args[], int block_x, int block_y, int block_z,
                      int grid_x, int grid_y, int grid_z, int shared_bytes);

/* A module that was loaded. They are kept until the process ends. */
struct kept {
    struct kept *next;
    uint64_t hash;
    size_t length;
    char *source;
    struct module *module;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *table[BUCKETS]; /* guarded by lock */

_Noreturn static void give_up(const char *why)
{
    fprintf(stderr, "hexec: ptx_run: %s\n", why);
    fflush(NULL);
    abort();
}

/* Every launch is done when ptx_run returns. */
void machine_drain(void)
{
}

/* Kernels reach all of the host's memory. */
bool machine_may_change(void)
{
    return true;
}

void machine_watch_calls(hx_session *session)
{
    static struct call calls[] = {{(void *)ptx_run, "ptx_run"}};
    calls_watch(session, calls, 1);
}

/* The steps of FNV-1a, but for eight bytes each: the text is read with every launch. A multiplication moves
 * nothing to lower bits, so that the upper half is added to them. */
static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ length;
    for (size_t i = 0; i < length; i += sizeof hash) {
        uint64_t next = 0;
        memcpy(&next, text + i, length - i < sizeof next ? length - i : sizeof next);
        hash = (hash ^ next) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

static struct module *load(const char *source)
{
    struct module *module = NULL;
    hx_diag *diag = NULL;
    if (hx_diag_new(NULL, &diag) != HX_OK)
        give_up("out of memory");
    const hx_status status = module_new(source, strlen(source), diag, &module);
    machine_complain(diag);
    hx_diag_free(diag);
    if (status != HX_OK)
        give_up("the module cannot be loaded");
    return module;
}

static struct module *module_of(const char *source)
{
    const size_t length = strlen(source);
    const uint64_t hash = hash_of(source, length);
    pthread_mutex_lock(&lock);
    struct kept *kept = table[hash % BUCKETS];
    while (kept &&
           (kept->hash != hash || kept->length != length || memcmp(kept->source, source, length) != 0))
        kept = kept->next;
    if (!kept) {
        kept = malloc(sizeof *kept);
        char *copy = strdup(source);
        if (!kept || !copy)
            give_up("out of memory");
        *kept = (struct kept){table[hash % BUCKETS], hash, length, copy, load(source)};
        table[hash % BUCKETS] = kept;
    }
    struct module *module = kept->module;
    pthread_mutex_unlock(&lock);
    return module;
}

/* An argument is the value itself, not a pointer to it: a number lies in the pointer's low bytes. */
void ptx_run(const char *source, int n_args, void *args[], int block_x, int block_y, int block_z, int grid_x,
             int grid_y, int grid_z, int shared_bytes)
{
    if (!source || n_args < 0 || (n_args > 0 && !args) || shared_bytes < 0)
        give_up("bad arguments of the call");
    if (block_x < 1 || block_y < 1 || block_z < 1 || grid_x < 1 || grid_y < 1 || grid_z < 1)
        give_up("the grid or the block is empty");
    if (!machine_start(true))
        give_up("there is no device");
    struct module *module = module_of(source);
    hx_argument *arguments = calloc((size_t)n_args + 1, sizeof *arguments);
    if (!arguments)
        give_up("out of memory");
    for (int i = 0; i < n_args; i++) {
        hx_parameter parameter = {.size = sizeof parameter};
        if (hx_program_parameter(module->program, 0, (size_t)i, &parameter) == HX_OK &&
            parameter.bytes > sizeof args[i])
            give_up("the kernel takes a structure, which no argument of ptx_run can be");
        arguments[i] = (hx_argument){&args[i], (size_t)parameter.bytes};
    }
    const struct module_launch launch = {
        .grid = {(uint32_t)grid_x, (uint32_t)grid_y, (uint32_t)grid_z},
        .block = {(uint32_t)block_x, (uint32_t)block_y, (uint32_t)block_z},
        .shared_bytes = (uint32_t)shared_bytes,
        .arguments = arguments,
        .argument_count = (size_t)n_args,
    };
    hx_launch_result result = {.size = sizeof result};
    const hx_status status = module_run(module, &launch, &result);
    free(arguments);
    if (status != HX_OK)
        give_up("the launch failed");
}
