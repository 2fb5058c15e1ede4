/* Several copies by one call: CUDA 12 reports which of them failed, CUDA 13 does not. */
#include "devices/libcudart/array.h"
#include "devices/libcudart/stream.h"

#if CUDART_VERSION >= 13000
#define FAILED
#define NUMBER_OF_FAILED NULL
#else
#define FAILED           size_t *failed,
#define NUMBER_OF_FAILED failed
#endif

/* One end of a copy of a box: memory, with lengths in texels of the other end's if that is an array; or an
 * array. */
typedef struct cudaMemcpy3DOperand {
    int type;
    union {
        struct {
            void *ptr;
            size_t rowLength, layerHeight;
            cudaMemLocation locHint;
        } ptr;
        struct {
            cudaArray_t array;
            cudaPos offset;
        } array;
    } op;
} cudaMemcpy3DOperand;
typedef struct cudaMemcpy3DBatchOp {
    cudaMemcpy3DOperand src, dst;
    cudaExtent extent;
    int srcAccessOrder;
    unsigned flags;
} cudaMemcpy3DBatchOp;
enum { OPERAND_MEMORY = 1, OPERAND_ARRAY };

#define COPY_FUNCTIONS(X)                                                                                    \
    X(cudaMemcpyBatchAsync, void *const *to, const void *const *from, const size_t *bytes, size_t count,     \
      CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count, FAILED cudaStream_t stream)     \
    X(cudaMemcpyBatchAsync_ptsz, void *const *to, const void *const *from, const size_t *bytes,              \
      size_t count, CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count,                   \
      FAILED cudaStream_t stream)                                                                            \
    X(cudaMemcpy3DBatchAsync, size_t count, cudaMemcpy3DBatchOp *list, FAILED unsigned long long flags,      \
      cudaStream_t stream)                                                                                   \
    X(cudaMemcpy3DBatchAsync_ptsz, size_t count, cudaMemcpy3DBatchOp *list, FAILED unsigned long long flags, \
      cudaStream_t stream)
COPY_FUNCTIONS(CUDART_DECLARE)

/* ---- Rows ---------------------------------------------------------------------------------------------- */

static cudaError_t copy_rows(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                             CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count,
                             size_t *failed, cudaStream_t stream)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuMemcpyBatchAsync((CUdeviceptr *)(uintptr_t)to, (CUdeviceptr *)(uintptr_t)from,
                                   (size_t *)(uintptr_t)bytes, count, attributes, first, attribute_count,
                                   failed, stream);
    return runtime_end(error);
}

/* The legacy default stream is not for these: the driver refuses it. */
cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                                 CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count,
                                 FAILED cudaStream_t stream)
{
    return copy_rows(to, from, bytes, count, attributes, first, attribute_count, NUMBER_OF_FAILED, stream);
}
cudaError_t cudaMemcpyBatchAsync_ptsz(void *const *to, const void *const *from, const size_t *bytes,
                                      size_t count, CUmemcpyAttributes *attributes, size_t *first,
                                      size_t attribute_count, FAILED cudaStream_t stream)
{
    return copy_rows(to, from, bytes, count, attributes, first, attribute_count, NUMBER_OF_FAILED,
                     stream_of_thread(stream));
}

/* ---- Boxes --------------------------------------------------------------------------------------------- */

static cudaError_t texel_bytes_of(const cudaMemcpy3DBatchOp *box, size_t *ret_bytes)
{
    struct array_size size = {.texel_bytes = 1};
    cudaError_t error = 0;
    if (box->src.type == OPERAND_ARRAY)
        error = array_size_of(box->src.op.array.array, &size);
    else if (box->dst.type == OPERAND_ARRAY)
        error = array_size_of(box->dst.op.array.array, &size);
    *ret_bytes = size.texel_bytes;
    return error;
}

static cudaError_t set_end(const cudaMemcpy3DOperand *end, cudaExtent extent, size_t texel_bytes,
                           cudaArray_t *array, cudaPos *at, cudaPitchedPtr *memory)
{
    if (end->type == OPERAND_ARRAY) {
        *array = end->op.array.array;
        *at = end->op.array.offset;
        return *array ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    const size_t length = end->op.ptr.rowLength ? end->op.ptr.rowLength : extent.width;
    memory->ptr = end->op.ptr.ptr;
    memory->ysize = end->op.ptr.layerHeight;
    if (end->type != OPERAND_MEMORY || !memory->ptr ||
        __builtin_mul_overflow(length, texel_bytes, &memory->pitch))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static cudaError_t copy_box(const cudaMemcpy3DBatchOp *box, cudaStream_t stream)
{
    size_t texel_bytes = 1;
    CUDA_MEMCPY3D copy;
    cudaMemcpy3DParms params = {.extent = box->extent, .kind = cudaMemcpyDefault};
    cudaError_t error = texel_bytes_of(box, &texel_bytes);
    if (!error)
        error =
            set_end(&box->src, box->extent, texel_bytes, &params.srcArray, &params.srcPos, &params.srcPtr);
    if (!error)
        error =
            set_end(&box->dst, box->extent, texel_bytes, &params.dstArray, &params.dstPos, &params.dstPtr);
    if (!error)
        error = box_of(&params, &copy);
    return error ? error : (cudaError_t)cuMemcpy3DAsync_v2(&copy, stream);
}

static cudaError_t copy_boxes(size_t count, const cudaMemcpy3DBatchOp *list, size_t *failed,
                              unsigned long long flags, cudaStream_t stream)
{
    enum { LEGACY = 1 };
    cudaError_t error = runtime_begin();
    if (failed)
        *failed = SIZE_MAX;
    if (!error && (!list || count == 0 || flags != 0 || (uintptr_t)stream <= LEGACY))
        error = CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && !error; i++) {
        error = copy_box(&list[i], stream);
        if (error && failed)
            *failed = i;
    }
    return runtime_end(error);
}

cudaError_t cudaMemcpy3DBatchAsync(size_t count, cudaMemcpy3DBatchOp *list, FAILED unsigned long long flags,
                                   cudaStream_t stream)
{
    return copy_boxes(count, list, NUMBER_OF_FAILED, flags, stream);
}
cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t count, cudaMemcpy3DBatchOp *list,
                                        FAILED unsigned long long flags, cudaStream_t stream)
{
    return copy_boxes(count, list, NUMBER_OF_FAILED, flags, stream_of_thread(stream));
}
