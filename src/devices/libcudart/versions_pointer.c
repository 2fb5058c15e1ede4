/* Advice and prefetches, whose place is a device's number in CUDA 12, and a location since. */
#include "devices/libcudart/forward.h"
#include "devices/libcudart/stream.h"

CUDART_DEVICE_VERSIONED_FUNCTIONS(CUDART_DECLARE)

#if CUDART_VERSION >= 13000
#define ADVISE_AT        cudaMemAdvise
#define PREFETCH_AT      cudaMemPrefetchAsync
#define PREFETCH_AT_PTSZ cudaMemPrefetchAsync_ptsz
#else
#define ADVISE_AT        cudaMemAdvise_v2
#define PREFETCH_AT      cudaMemPrefetchAsync_v2
#define PREFETCH_AT_PTSZ cudaMemPrefetchAsync_v2_ptsz

RUNTIME_FORWARD(cudaMemAdvise, (const void *pointer, size_t bytes, int advice, int device),
                cuMemAdvise(DEVICE_ADDRESS(pointer), bytes, advice, device))
RUNTIME_FORWARD(cudaMemPrefetchAsync, (const void *pointer, size_t bytes, int device, cudaStream_t stream),
                cuMemPrefetchAsync(DEVICE_ADDRESS(pointer), bytes, device, stream))
RUNTIME_FORWARD(cudaMemPrefetchAsync_ptsz,
                (const void *pointer, size_t bytes, int device, cudaStream_t stream),
                cuMemPrefetchAsync(DEVICE_ADDRESS(pointer), bytes, device, stream_of_thread(stream)))
#endif

RUNTIME_FORWARD(ADVISE_AT, (const void *pointer, size_t bytes, int advice, cudaMemLocation location),
                cuMemAdvise_v2(DEVICE_ADDRESS(pointer), bytes, advice, location))
RUNTIME_FORWARD(PREFETCH_AT,
                (const void *pointer, size_t bytes, cudaMemLocation location, unsigned flags,
                 cudaStream_t stream),
                cuMemPrefetchAsync_v2(DEVICE_ADDRESS(pointer), bytes, location, flags, stream))
RUNTIME_FORWARD(PREFETCH_AT_PTSZ,
                (const void *pointer, size_t bytes, cudaMemLocation location, unsigned flags,
                 cudaStream_t stream),
                cuMemPrefetchAsync_v2(DEVICE_ADDRESS(pointer), bytes, location, flags,
                                      stream_of_thread(stream)))
