/* Copies and fills.
 *
 * A call that is asynchronous gives its work to the stream; any other waits for all work before it, and is
 * done when it returns, as are copies of memory that the system may page: only memory that cuMemHostAlloc
 * gave or cuMemHostRegister was given stays where it is until the queue reaches it. */
#include "devices/libcuda/array.h"
#include "devices/libcuda/capture.h"

#include "devices/cuda/machine.h"
#include "devices/libcuda/graph_memory.h"
#include "devices/libcuda/per_thread.h"

#include <stdlib.h>
#include <string.h>

/* Ends of a copy of one row. */
static struct work_end device_end(CUdeviceptr address)
{
    return (struct work_end){.is_device = true, .address = address};
}
static struct work_end host_end(const void *host)
{
    return (struct work_end){.is_device = false, .address = (uintptr_t)host};
}
/* An address of either: those of allocations are the device's. */
static struct work_end any_end(uint64_t address)
{
    return (struct work_end){.is_device = memory_place(address, 0) || graph_memory_has(address, 0),
                             .address = address};
}

static bool may_move(const struct work_end *end)
{
    return !end->is_device && !memory_is_pinned((const void *)(uintptr_t)end->address);
}

/* In the stream of the calling thread, and waits for it. */
static CUresult do_in_stream_of_thread(const struct work *work)
{
    const CUstream stream = (CUstream)(uintptr_t)STREAM_PER_THREAD;
    const CUresult error = stream_need_uncaptured(stream),
                   given = error == CUDA_SUCCESS ? stream_give(stream, work) : error;
    return given == CUDA_SUCCESS ? cuStreamSynchronize(stream) : given;
}

/* Now, behind all work; in a stream when it is asynchronous. */
static CUresult do_now(const struct work *work)
{
    if (per_thread_is_asked())
        return do_in_stream_of_thread(work);
    CUresult error = driver_check();
    if (error == CUDA_SUCCESS)
        error = work_check(work);
    if (error != CUDA_SUCCESS)
        return error;
    queue_wait_for_default();
    error = driver_check();
    if (error != CUDA_SUCCESS)
        return error;
    const uint64_t number = queue_begin_now();
    machine_do(number);
    error = work_run(work);
    machine_do(0);
    hx_session_waited(machine_session(), number);
    return error;
}

static CUresult do_later(CUstream stream, const struct work *work)
{
    const bool is_copy = work->kind == WORK_COPY;
    const bool may_end_later = !is_copy || (!may_move(&work->as.copy.to) && !may_move(&work->as.copy.from)) ||
                               stream_check_uncaptured(stream) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    const CUresult error = stream_give(stream, work);
    return error != CUDA_SUCCESS || may_end_later ? error : cuStreamSynchronize(stream);
}

static CUresult copy_row(struct work_end to, struct work_end from, size_t bytes, bool is_later,
                         CUstream stream)
{
    const struct work work = {.kind = WORK_COPY,
                              .as.copy = {.to = to, .from = from, .width = bytes, .height = 1, .depth = 1}};
    if (bytes == 0)
        return driver_check();
    return is_later ? do_later(stream, &work) : do_now(&work);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
    return copy_row(device_end(to), host_end(from), bytes, false, NULL);
}
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
    return copy_row(host_end(to), device_end(from), bytes, false, NULL);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return copy_row(device_end(to), device_end(from), bytes, false, NULL);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    return copy_row(device_end(to), host_end(from), bytes, true, stream);
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy_row(host_end(to), device_end(from), bytes, true, stream);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy_row(device_end(to), device_end(from), bytes, true, stream);
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return copy_row(any_end(to), any_end(from), bytes, false, NULL);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy_row(any_end(to), any_end(from), bytes, true, stream);
}
/* Contexts and devices share one memory. */
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                      size_t bytes)
{
    (void)to_context, (void)from_context;
    return cuMemcpyDtoD_v2(to, from, bytes);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                           size_t bytes, CUstream stream)
{
    (void)to_context, (void)from_context;
    return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

/* ---- Several copies ------------------------------------------------------------------------------------ */

/* Attributes say from which copy on they are of; of those of a GPU, where it may read ahead changes nothing
 * here. */
static CUresult check_attributes(const CUmemcpyAttributes *attributes, const size_t *first, size_t count,
                                 size_t copies)
{
    enum { IN_ORDER = 1, ANY_ORDER = 3, OVERLAP_WITH_COMPUTE = 1 };
    if (!attributes || !first || count == 0 || count > copies || first[0] != 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (attributes[i].srcAccessOrder < IN_ORDER || attributes[i].srcAccessOrder > ANY_ORDER ||
            attributes[i].flags > OVERLAP_WITH_COMPUTE || first[i] >= copies ||
            (i > 0 && first[i] <= first[i - 1]))
            return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count,
                            size_t *failed, CUstream stream)
{
    CUresult error = driver_check();
    if (failed)
        *failed = SIZE_MAX; /* none of the copies is to blame */
    if (error == CUDA_SUCCESS && (!to || !from || !bytes || count == 0 || (uintptr_t)stream <= STREAM_LEGACY))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
        error = check_attributes(attributes, first, attribute_count, count);
    for (size_t i = 0; i < count && error == CUDA_SUCCESS; i++) {
        error = copy_row(any_end(to[i]), any_end(from[i]), bytes[i], true, stream);
        if (error != CUDA_SUCCESS && failed)
            *failed = i;
    }
    return error;
}

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                               CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count,
                               CUstream stream)
{
    return cuMemcpyBatchAsync(to, from, bytes, count, attributes, first, attribute_count, NULL, stream);
}

/* ---- Arrays -------------------------------------------------------------------------------------------- */

/* Bytes of an array from `offset` on, as rows lie one behind the other. */
static CUresult array_end(CUarray array, size_t offset, size_t bytes, struct work_end *ret_end)
{
    if (!array || offset > array->bytes || bytes > array->bytes - offset)
        return CUDA_ERROR_INVALID_VALUE;
    *ret_end = device_end(array->address + offset);
    return CUDA_SUCCESS;
}

static CUresult copy_to_array(CUarray to, size_t offset, struct work_end from, size_t bytes, bool is_later,
                              CUstream stream)
{
    struct work_end end;
    const CUresult error = array_end(to, offset, bytes, &end);
    return error == CUDA_SUCCESS ? copy_row(end, from, bytes, is_later, stream) : error;
}

static CUresult copy_from_array(struct work_end to, CUarray from, size_t offset, size_t bytes, bool is_later,
                                CUstream stream)
{
    struct work_end end;
    const CUresult error = array_end(from, offset, bytes, &end);
    return error == CUDA_SUCCESS ? copy_row(to, end, bytes, is_later, stream) : error;
}

CUresult cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t bytes)
{
    return copy_to_array(to, offset, device_end(from), bytes, false, NULL);
}
CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void *from, size_t bytes)
{
    return copy_to_array(to, offset, host_end(from), bytes, false, NULL);
}
CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream)
{
    return copy_to_array(to, offset, host_end(from), bytes, true, stream);
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t bytes)
{
    return copy_from_array(device_end(to), from, offset, bytes, false, NULL);
}
CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t offset, size_t bytes)
{
    return copy_from_array(host_end(to), from, offset, bytes, false, NULL);
}
CUresult cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream)
{
    return copy_from_array(host_end(to), from, offset, bytes, true, stream);
}
CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes)
{
    struct work_end end;
    const CUresult error = array_end(to, to_offset, bytes, &end);
    return error == CUDA_SUCCESS ? copy_from_array(end, from, from_offset, bytes, false, NULL) : error;
}

/* ---- Two and three dimensions -------------------------------------------------------------------------- */

/* One end of a copy in three dimensions. */
struct corner {
    int type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, height;
};

/* Is it a part of the size? */
static bool is_within(size_t from, size_t count, size_t size)
{
    return from <= size && count <= size - from;
}

static CUresult corner_of_array(const struct corner *corner, const CUDA_MEMCPY3D *copy,
                                struct work_end *ret_end)
{
    const CUarray array = corner->array;
    if (!array)
        return CUDA_ERROR_INVALID_VALUE;
    const size_t planes = array->layers ? array->layers : array->depth;
    if (!is_within(corner->x, copy->WidthInBytes, array->row_bytes) ||
        !is_within(corner->y, copy->Height, array->height) || !is_within(corner->z, copy->Depth, planes))
        return CUDA_ERROR_INVALID_VALUE;
    *ret_end = device_end(array->address + corner->z * array->slice_bytes + corner->y * array->row_bytes +
                          corner->x);
    ret_end->pitch = array->row_bytes;
    ret_end->slice = array->slice_bytes;
    ret_end->array = array;
    return CUDA_SUCCESS;
}

static CUresult end_of(const struct corner *corner, const CUDA_MEMCPY3D *copy, struct work_end *ret_end)
{
    enum { HOST = 1, DEVICE = 2, ARRAY = 3, UNIFIED = 4 };
    if (corner->type == ARRAY)
        return corner_of_array(corner, copy, ret_end);
    if (corner->type != HOST && corner->type != DEVICE && corner->type != UNIFIED)
        return CUDA_ERROR_INVALID_VALUE;
    struct work_end end = corner->type == HOST     ? host_end(corner->host)
                          : corner->type == DEVICE ? device_end(corner->device)
                                                   : any_end(corner->device);
    const size_t rows = corner->height ? corner->height : copy->Height;
    size_t planes = 0, before = 0;
    end.pitch = corner->pitch ? corner->pitch : copy->WidthInBytes;
    if (end.pitch < copy->WidthInBytes + corner->x || (copy->Depth > 1 && rows < copy->Height + corner->y) ||
        __builtin_mul_overflow(end.pitch, rows, &end.slice) ||
        __builtin_mul_overflow(end.slice, corner->z, &planes) ||
        __builtin_mul_overflow(end.pitch, corner->y, &before))
        return CUDA_ERROR_INVALID_VALUE;
    end.address += planes + before + corner->x;
    *ret_end = end;
    return CUDA_SUCCESS;
}

CUresult copy_of(const CUDA_MEMCPY3D *copy, struct work *ret_work)
{
    if (!copy || copy->srcLOD != 0 || copy->dstLOD != 0)
        return CUDA_ERROR_INVALID_VALUE;
    const struct corner to = {copy->dstMemoryType, copy->dstHost,     copy->dstDevice,
                              copy->dstArray,      copy->dstXInBytes, copy->dstY,
                              copy->dstZ,          copy->dstPitch,    copy->dstHeight};
    const struct corner from = {copy->srcMemoryType, copy->srcHost,     copy->srcDevice,
                                copy->srcArray,      copy->srcXInBytes, copy->srcY,
                                copy->srcZ,          copy->srcPitch,    copy->srcHeight};
    struct work work = {
        .kind = WORK_COPY,
        .as.copy = {.width = copy->WidthInBytes, .height = copy->Height, .depth = copy->Depth}};
    CUresult error = end_of(&to, copy, &work.as.copy.to);
    if (error == CUDA_SUCCESS)
        error = end_of(&from, copy, &work.as.copy.from);
    *ret_work = work;
    return error;
}

static CUresult copy_box(const CUDA_MEMCPY3D *copy, bool is_later, CUstream stream)
{
    struct work work;
    const CUresult error = copy_of(copy, &work);
    if (error != CUDA_SUCCESS || !copy->WidthInBytes || !copy->Height || !copy->Depth)
        return error;
    return is_later ? do_later(stream, &work) : do_now(&work);
}

static CUDA_MEMCPY3D box_of(const CUDA_MEMCPY2D *copy)
{
    return (CUDA_MEMCPY3D){.srcXInBytes = copy->srcXInBytes,
                           .srcY = copy->srcY,
                           .srcMemoryType = copy->srcMemoryType,
                           .srcHost = copy->srcHost,
                           .srcDevice = copy->srcDevice,
                           .srcArray = copy->srcArray,
                           .srcPitch = copy->srcPitch,
                           .dstXInBytes = copy->dstXInBytes,
                           .dstY = copy->dstY,
                           .dstMemoryType = copy->dstMemoryType,
                           .dstHost = copy->dstHost,
                           .dstDevice = copy->dstDevice,
                           .dstArray = copy->dstArray,
                           .dstPitch = copy->dstPitch,
                           .WidthInBytes = copy->WidthInBytes,
                           .Height = copy->Height,
                           .Depth = 1};
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy)
{
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D box = box_of(copy);
    return copy_box(&box, false, NULL);
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy)
{
    return cuMemcpy2D_v2(copy);
}
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D box = box_of(copy);
    return copy_box(&box, true, stream);
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy)
{
    return copy_box(copy, false, NULL);
}
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    return copy_box(copy, true, stream);
}

/* Contexts of both ends stand where others have nothing, and count for nothing. */
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D *copy)
{
    return cuMemcpy3D_v2(copy);
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    return cuMemcpy3DAsync_v2(copy, stream);
}

/* ---- Fills --------------------------------------------------------------------------------------------- */

static CUresult fill_rows(const struct fill_work *fill, bool is_later, CUstream stream)
{
    const struct work work = {.kind = WORK_FILL, .as.fill = *fill};
    if (fill->width == 0 || fill->height == 0)
        return driver_check();
    return is_later ? stream_give(stream, &work) : do_now(&work);
}

/* Each kind of element: one row and several, done at once or later. */
#define FILL_FUNCTIONS(bits, type)                                                                           \
    CUresult cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t count)                                  \
    {                                                                                                        \
        return fill_rows(&(const struct fill_work){to, 0, count, 1, bits / 8, value}, false, NULL);          \
    }                                                                                                        \
    CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count, CUstream stream)               \
    {                                                                                                        \
        return fill_rows(&(const struct fill_work){to, 0, count, 1, bits / 8, value}, true, stream);         \
    }                                                                                                        \
    CUresult cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height)   \
    {                                                                                                        \
        return fill_rows(&(const struct fill_work){to, pitch, width, height, bits / 8, value}, false, NULL); \
    }                                                                                                        \
    CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height, \
                                      CUstream stream)                                                       \
    {                                                                                                        \
        return fill_rows(&(const struct fill_work){to, pitch, width, height, bits / 8, value}, true,         \
                         stream);                                                                            \
    }
FILL_FUNCTIONS(8, unsigned char)
FILL_FUNCTIONS(16, unsigned short)
FILL_FUNCTIONS(32, unsigned)
