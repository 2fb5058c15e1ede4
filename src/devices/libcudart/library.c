/* Libraries, which are modules that a program loads itself, and functions of the driver by their names. */
#include "devices/libcudart/forward.h"

RUNTIME_FORWARD(cudaLibraryLoadData,
                (cudaLibrary_t * library, const void *image, int *options, void **values, unsigned count,
                 int *library_options, void **library_values, unsigned library_count),
                cuLibraryLoadData(library, image, options, values, count, library_options, library_values,
                                  library_count))
RUNTIME_FORWARD(cudaLibraryLoadFromFile,
                (cudaLibrary_t * library, const char *path, int *options, void **values, unsigned count,
                 int *library_options, void **library_values, unsigned library_count),
                cuLibraryLoadFromFile(library, path, options, values, count, library_options, library_values,
                                      library_count))
RUNTIME_FORWARD(cudaLibraryUnload, (cudaLibrary_t library), cuLibraryUnload(library))

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuLibraryGetKernel(kernel, library, name);
    if (!error)
        registered_give(*kernel);
    return runtime_end(error);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned count, cudaLibrary_t library)
{
    unsigned known = 0;
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuLibraryEnumerateKernels(kernels, count, library);
    if (!error)
        error = cuLibraryGetKernelCount(&known, library);
    for (unsigned i = 0; i < count && i < known && !error; i++)
        registered_give(kernels[i]);
    return runtime_end(error);
}

RUNTIME_FORWARD(cudaLibraryGetKernelCount, (unsigned *count, cudaLibrary_t library),
                cuLibraryGetKernelCount(count, library))

/* Either result may be left out. */
cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library, const char *name)
{
    CUdeviceptr found = 0;
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuLibraryGetGlobal(&found, bytes, library, name);
    if (!error && address)
        *address = (void *)(uintptr_t)found;
    return runtime_end(error);
}

cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library, const char *name)
{
    CUdeviceptr found = 0;
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuLibraryGetManaged(&found, bytes, library, name);
    if (!error && address)
        *address = (void *)(uintptr_t)found;
    return runtime_end(error);
}

RUNTIME_FORWARD(cudaLibraryGetUnifiedFunction, (void **function, cudaLibrary_t library, const char *name),
                cuLibraryGetUnifiedFunction(function, library, name))

/* ---- Functions of the driver --------------------------------------------------------------------------- */

/* A name that the driver does not know is no error: the function is NULL then, and the status says it. */
static cudaError_t find(const char *name, void **function, int version, uint64_t flags, int *status)
{
    enum { PER_THREAD_DEFAULT_STREAM = 2 };
    if (!name || !function || flags > PER_THREAD_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = cuGetProcAddress_v2(name, function, version, flags, status);
    return error == CUDA_ERROR_NOT_FOUND ? CUDA_SUCCESS : (cudaError_t)error;
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, int *status)
{
    int version = 0;
    cudaError_t error = runtime_begin();
    if (!error)
        error = cudaRuntimeGetVersion(&version);
    if (!error)
        error = find(name, function, version, flags, status);
    return runtime_end(error);
}

RUNTIME_FORWARD(cudaGetDriverEntryPointByVersion,
                (const char *name, void **function, unsigned version, unsigned long long flags, int *status),
                find(name, function, (int)version, flags, status))
