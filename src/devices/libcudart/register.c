/* Modules that are part of the program, as nvcc and clang put them there: before main begins, the program
 * names each module (a fat binary), its kernels and its variables, each by the address of something of the
 * host's (CUDA Runtime API; LLVM, "Compiling CUDA with clang"). A module is loaded when one of them is first
 * used. */
#include "devices/libcudart/registered.h"

#include <pthread.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a program has for a fat binary. In version 2 the modules are still to be linked (nvcc -rdc=true). */
struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *parts; /* fat binaries; NULL behind the last */
};
struct binary {
    const struct wrapper *wrapper;
    CUmodule module;
    cudaError_t error; /* of loading it */
    bool is_loaded;
    struct symbol *symbols;
    struct binary *next;
};
/* A kernel or a variable. Those of one binary are a list. */
struct symbol {
    const void *host; /* the key */
    struct binary *binary;
    const char *name; /* the program's */
    void **managed;   /* of a managed variable: where the program wants its address */
    bool is_kernel;
    CUfunction function; /* NULL: nobody has asked */
    struct symbol *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct binary *binaries; /* guarded, as all below, by lock */
static void *symbols;           /* tsearch: by the address of the host's */

static int compare(const void *a, const void *b)
{
    const uintptr_t left = (uintptr_t)((const struct symbol *)a)->host,
                    right = (uintptr_t)((const struct symbol *)b)->host;
    return (left > right) - (left < right);
}

static struct symbol *find(const void *host)
{
    struct symbol **found = host ? tfind(&(struct symbol){.host = host}, &symbols, compare) : NULL;
    return found ? *found : NULL;
}

/* With the lock. A key that is there stays what it is. No caller can return that it failed. */
static void add(const struct symbol *symbol)
{
    if (find(symbol->host))
        return;
    struct symbol *made = malloc(sizeof *made);
    if (made)
        *made = *symbol;
    if (!made || !tsearch(made, &symbols, compare)) {
        fprintf(stderr, "hexec: no memory for a kernel or variable of the program\n");
        free(made);
        return;
    }
    if (made->binary) {
        made->next = made->binary->symbols;
        made->binary->symbols = made;
    }
}

/* ---- What programs call before main begins ------------------------------------------------------------- */

void **__cudaRegisterFatBinary(void *wrapper)
{
    struct binary *made = calloc(1, sizeof *made);
    if (!made) {
        fprintf(stderr, "hexec: no memory for a module of the program\n");
        return NULL;
    }
    made->wrapper = wrapper;
    pthread_mutex_lock(&lock);
    made->next = binaries;
    binaries = made;
    pthread_mutex_unlock(&lock);
    return (void **)made;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle; /* all that there is to load is loaded later */
}

void __cudaUnregisterFatBinary(void **handle)
{
    struct binary *binary = (struct binary *)handle;
    if (!binary)
        return;
    pthread_mutex_lock(&lock);
    for (struct binary **at = &binaries; *at; at = &(*at)->next)
        if (*at == binary) {
            *at = binary->next;
            break;
        }
    for (struct symbol *symbol = binary->symbols, *next; symbol; symbol = next) {
        next = symbol->next;
        (void)tdelete(symbol, &symbols, compare);
        free(symbol);
    }
    pthread_mutex_unlock(&lock);
    /* its work may go on while the process ends: the module stays */
    free(binary);
}

static void add_to(void **handle, const struct symbol *symbol)
{
    if (!handle)
        return;
    pthread_mutex_lock(&lock);
    struct symbol of_binary = *symbol;
    of_binary.binary = (struct binary *)handle;
    add(&of_binary);
    pthread_mutex_unlock(&lock);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                            void *thread, void *block, void *block_size, void *grid_size, int *warp_size)
{
    (void)device, (void)limit, (void)thread, (void)block, (void)block_size, (void)grid_size, (void)warp_size;
    add_to(handle, &(const struct symbol){.host = host, .name = name, .is_kernel = true});
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern, size_t bytes,
                       int is_constant, int is_global)
{
    (void)device, (void)is_extern, (void)bytes, (void)is_constant, (void)is_global;
    add_to(handle, &(const struct symbol){.host = host, .name = name});
}

void __cudaRegisterManagedVar(void **handle, void **managed, char *device, const char *name, int is_extern,
                              size_t bytes, int is_constant, int is_global)
{
    (void)device, (void)is_extern, (void)bytes, (void)is_constant, (void)is_global;
    add_to(handle, &(const struct symbol){.host = managed, .name = name, .managed = managed});
}

/* ---- Loading ------------------------------------------------------------------------------------------- */

/* A fat binary says its length in its head. */
static size_t bytes_of(const void *fat)
{
    struct {
        uint32_t magic;
        uint16_t version, head_bytes;
        uint64_t bytes; /* behind the head */
    } head;
    memcpy(&head, fat, sizeof head);
    return head.head_bytes + (size_t)head.bytes;
}

static cudaError_t link_parts(const void *const *parts, CUmodule *ret_module)
{
    enum { FAT_BINARY = 2 };
    CUlinkState state = NULL;
    void *image = NULL;
    size_t bytes = 0;
    cudaError_t error = cuLinkCreate_v2(0, NULL, NULL, &state);
    for (; !error && *parts; parts++)
        error = cuLinkAddData_v2(state, FAT_BINARY, (void *)(uintptr_t)*parts, bytes_of(*parts), "module", 0,
                                 NULL, NULL);
    if (!error)
        error = cuLinkComplete(state, &image, &bytes);
    if (!error)
        error = cuModuleLoadData(ret_module, image);
    if (state)
        (void)cuLinkDestroy(state);
    return error;
}

/* The program finds its managed variables by pointers, and names them by what these hold. */
static cudaError_t place_managed(struct binary *binary)
{
    cudaError_t error = CUDA_SUCCESS;
    for (struct symbol *symbol = binary->symbols; symbol && !error; symbol = symbol->next) {
        CUdeviceptr address = 0;
        if (!symbol->managed || symbol->host != symbol->managed)
            continue;
        error = cuModuleGetGlobal_v2(&address, NULL, binary->module, symbol->name);
        if (error)
            break;
        *symbol->managed = (void *)(uintptr_t)address;
        struct symbol by_address = *symbol;
        by_address.host = *symbol->managed;
        add(&by_address);
    }
    return error;
}

/* With the lock. */
static cudaError_t load(struct binary *binary)
{
    if (binary->is_loaded)
        return binary->error;
    const struct wrapper *wrapper = binary->wrapper;
    const bool is_linked = wrapper->version == 2 && wrapper->parts && wrapper->parts[0];
    binary->error = is_linked ? (cudaError_t)link_parts(wrapper->parts, &binary->module)
                              : (cudaError_t)cuModuleLoadFatBinary(&binary->module, wrapper);
    if (!binary->error)
        binary->error = place_managed(binary);
    binary->is_loaded = true;
    return binary->error;
}

char __cudaInitModule(void **handle)
{
    cudaError_t error = handle ? runtime_begin() : CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (!error)
        error = load((struct binary *)handle);
    pthread_mutex_unlock(&lock);
    return runtime_end(error) == CUDA_SUCCESS;
}

void registered_forget(void)
{
    pthread_mutex_lock(&lock);
    for (struct binary *binary = binaries; binary; binary = binary->next) {
        binary->is_loaded = false;
        for (struct symbol *symbol = binary->symbols; symbol; symbol = symbol->next)
            symbol->function = NULL;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- Lookup -------------------------------------------------------------------------------------------- */

cudaError_t registered_function(const void *symbol, CUfunction *ret_function)
{
    pthread_mutex_lock(&lock);
    struct symbol *found = find(symbol);
    cudaError_t error = found && found->is_kernel ? CUDA_SUCCESS : cudaErrorInvalidDeviceFunction;
    if (!error && !found->function) {
        error = load(found->binary);
        if (!error)
            error = cuModuleGetFunction(&found->function, found->binary->module, found->name);
        if (error == CUDA_ERROR_NOT_FOUND)
            error = cudaErrorInvalidDeviceFunction;
    }
    if (!error)
        *ret_function = found->function;
    pthread_mutex_unlock(&lock);
    return error;
}

const void *registered_symbol(CUfunction function)
{
    const void *host = NULL;
    pthread_mutex_lock(&lock);
    for (const struct binary *binary = binaries; binary && !host; binary = binary->next)
        for (const struct symbol *symbol = binary->symbols; symbol && !host; symbol = symbol->next)
            host = symbol->is_kernel && symbol->function == function ? symbol->host : NULL;
    pthread_mutex_unlock(&lock);
    return host;
}

void registered_give(CUfunction function)
{
    pthread_mutex_lock(&lock);
    add(&(const struct symbol){.host = function, .is_kernel = true, .function = function});
    pthread_mutex_unlock(&lock);
}

cudaError_t registered_variable(const void *symbol, CUdeviceptr *ret_address, size_t *ret_bytes)
{
    pthread_mutex_lock(&lock);
    const struct symbol *found = find(symbol);
    cudaError_t error = found && !found->is_kernel ? load(found->binary) : cudaErrorInvalidSymbol;
    if (!error)
        error = cuModuleGetGlobal_v2(ret_address, ret_bytes, found->binary->module, found->name);
    if (error == CUDA_ERROR_NOT_FOUND) /* others are those of kernels before, which stay */
        error = cudaErrorInvalidSymbol;
    pthread_mutex_unlock(&lock);
    return error;
}
