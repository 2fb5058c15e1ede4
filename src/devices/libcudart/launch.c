/* Launches. */
#include "devices/libcudart/registered.h"

/* What <<<...>>> says is kept until the kernel's stub takes it; arguments may have launches of their own. */
enum { PUSHED_MOST = 64 };
static _Thread_local struct {
    dim3 grid, block;
    size_t shared_bytes;
    void *stream;
} pushed[PUSHED_MOST];
static _Thread_local unsigned pushed_count;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void *stream)
{
    if (pushed_count == PUSHED_MOST)
        return 1; /* the stub is not called */
    pushed[pushed_count].grid = grid;
    pushed[pushed_count].block = block;
    pushed[pushed_count].shared_bytes = shared_bytes;
    pushed[pushed_count].stream = stream;
    pushed_count++;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
    if (pushed_count == 0)
        return runtime_end(cudaErrorMissingConfiguration);
    pushed_count--;
    *grid = pushed[pushed_count].grid;
    *block = pushed[pushed_count].block;
    *shared_bytes = pushed[pushed_count].shared_bytes;
    *(void **)stream = pushed[pushed_count].stream;
    return CUDA_SUCCESS;
}

/* The runtime has an error of its own for shapes that no device runs. */
static cudaError_t check_shape(dim3 grid, dim3 block)
{
    enum { MOST_X = 1, MOST_Y, MOST_Z, GRID_X = 5, GRID_Y, GRID_Z };
    const struct {
        int attribute;
        unsigned value;
    } rows[] = {{MOST_X + 1, block.x}, {MOST_Y + 1, block.y}, {MOST_Z + 1, block.z},
                {GRID_X, grid.x},      {GRID_Y, grid.y},      {GRID_Z, grid.z}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int most = 0;
        if (cuDeviceGetAttribute(&most, rows[i].attribute, runtime_device()) != CUDA_SUCCESS ||
            rows[i].value == 0 || rows[i].value > (unsigned)most)
            return cudaErrorInvalidConfiguration;
    }
    return (uint64_t)block.x * block.y * block.z <= 1024 ? CUDA_SUCCESS : cudaErrorInvalidConfiguration;
}

static cudaError_t launch(CUfunction function, const CUlaunchConfig *config, void **arguments)
{
    cudaError_t error = check_shape((dim3){config->gridDimX, config->gridDimY, config->gridDimZ},
                                    (dim3){config->blockDimX, config->blockDimY, config->blockDimZ});
    return error ? error : (cudaError_t)cuLaunchKernelEx(config, function, arguments, NULL);
}

static CUlaunchConfig config_of(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream)
{
    return (CUlaunchConfig){.gridDimX = grid.x,
                            .gridDimY = grid.y,
                            .gridDimZ = grid.z,
                            .blockDimX = block.x,
                            .blockDimY = block.y,
                            .blockDimZ = block.z,
                            .sharedMemBytes = (unsigned)shared_bytes,
                            .hStream = stream};
}

static cudaError_t launch_symbol(const void *symbol, const CUlaunchConfig *config, void **arguments)
{
    CUfunction function = NULL;
    cudaError_t error = runtime_begin();
    if (!error)
        error = registered_function(symbol, &function);
    return error ? error : launch(function, config, arguments);
}

cudaError_t cudaLaunchKernel(const void *symbol, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                             cudaStream_t stream)
{
    if (shared_bytes > UINT32_MAX)
        return runtime_end(CUDA_ERROR_INVALID_VALUE);
    const CUlaunchConfig config = config_of(grid, block, shared_bytes, stream);
    return runtime_end(launch_symbol(symbol, &config, arguments));
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

/* All blocks of a grid that wait for each other are resident at once, whatever the launch is called. */
cudaError_t cudaLaunchCooperativeKernel(const void *symbol, dim3 grid, dim3 block, void **arguments,
                                        size_t shared_bytes, cudaStream_t stream)
{
    return cudaLaunchKernel(symbol, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *symbol, void **arguments)
{
    if (!config || config->dynamicSmemBytes > UINT32_MAX)
        return runtime_end(CUDA_ERROR_INVALID_VALUE);
    CUlaunchConfig driver =
        config_of(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream);
    driver.attrs = config->attrs;
    driver.numAttrs = config->numAttrs;
    return runtime_end(launch_symbol(symbol, &driver, arguments));
}

/* ---- Handles ------------------------------------------------------------------------------------------- */

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    cudaError_t error = function ? runtime_begin() : CUDA_ERROR_INVALID_VALUE;
    if (!error)
        error = registered_function(symbol, function);
    if (!error)
        registered_give(*function);
    return runtime_end(error);
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *symbol)
{
    return cudaGetFuncBySymbol(kernel, symbol);
}

/* Programs ask once for each kernel, before the driver is started: the launch says what is wrong. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *symbol)
{
    *kernel = (cudaKernel_t)(uintptr_t)symbol;
    return CUDA_SUCCESS;
}
