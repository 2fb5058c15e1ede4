/* What work is, and how it is done. */
#include "devices/libcuda/work.h"

#include "devices/cuda/machine.h"
#include "devices/libcuda/graph_memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Copies of work ------------------------------------------------------------------------------------ */

static CUresult copy_list(const struct work *work, struct work *copy)
{
    const size_t count = work->as.list.count;
    copy->as.list.count = 0;
    copy->as.list.items = calloc(count + 1, sizeof *copy);
    CUresult error = copy->as.list.items ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && error == CUDA_SUCCESS; i++) {
        error = work_copy(&work->as.list.items[i], &copy->as.list.items[i]);
        copy->as.list.count += error == CUDA_SUCCESS;
    }
    if (error != CUDA_SUCCESS)
        work_done(copy);
    return error;
}

CUresult work_copy(const struct work *work, struct work *ret_copy)
{
    struct work copy = *work;
    if (work->kind == WORK_LIST) {
        const CUresult error = copy_list(work, &copy);
        if (error != CUDA_SUCCESS)
            return error;
    } else if (work->kind == WORK_LAUNCH && work->as.launch.values) {
        copy.as.launch.values = malloc(work->as.launch.value_bytes + 1);
        if (!copy.as.launch.values)
            return CUDA_ERROR_OUT_OF_MEMORY;
        memcpy(copy.as.launch.values, work->as.launch.values, work->as.launch.value_bytes);
    } else if (work->kind == WORK_RECORD || work->kind == WORK_WAIT_EVENT)
        event_keep(work->as.event);
    else if (work->kind == WORK_ALLOC)
        graph_memory_keep(work->as.memory);
    *ret_copy = copy;
    return CUDA_SUCCESS;
}

void work_done(struct work *work)
{
    if (work->kind == WORK_LAUNCH)
        free(work->as.launch.values);
    if (work->kind == WORK_RECORD || work->kind == WORK_WAIT_EVENT)
        event_release(work->as.event);
    if (work->kind == WORK_ALLOC)
        graph_memory_release(work->as.memory);
    if (work->kind == WORK_LIST) {
        for (size_t i = 0; i < work->as.list.count; i++)
            work_done(&work->as.list.items[i]);
        free(work->as.list.items);
    }
    *work = (struct work){.kind = WORK_NOTHING};
}

/* ---- Doing it ------------------------------------------------------------------------------------------ */

/* From the first byte to the last that a copy or fill of these rows touches; SIZE_MAX: more than memory has.
 */
static size_t extent(size_t width, size_t height, size_t depth, size_t pitch, size_t slice)
{
    size_t planes = 0, rows = 0, all = 0;
    if (width == 0 || height == 0 || depth == 0)
        return 0;
    if (__builtin_mul_overflow(depth - 1, slice, &planes) ||
        __builtin_mul_overflow(height - 1, pitch, &rows) || __builtin_add_overflow(planes, rows, &all) ||
        __builtin_add_overflow(all, width, &all))
        return SIZE_MAX;
    return all;
}

static char *end_place(const struct copy_work *copy, const struct work_end *end)
{
    const size_t bytes = extent(copy->width, copy->height, copy->depth, end->pitch, end->slice);
    if (bytes == SIZE_MAX)
        return NULL;
    return end->is_device ? memory_place(end->address, bytes) : (char *)(uintptr_t)end->address;
}

/* Is it memory of the device, now or when a graph that has nodes for it runs? */
static bool is_known(CUdeviceptr address, size_t bytes)
{
    return memory_place(address, bytes) || graph_memory_has(address, bytes);
}

static bool end_is_known(const struct copy_work *copy, const struct work_end *end)
{
    const size_t bytes = extent(copy->width, copy->height, copy->depth, end->pitch, end->slice);
    return bytes != SIZE_MAX && (end->is_device ? is_known(end->address, bytes) : end->address != 0);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A row of a copy: which bytes of which buffers. */
static void tell_row(const struct copy_work *copy, size_t to, size_t from)
{
    const CUdeviceptr target = copy->to.is_device ? copy->to.address + to : 0;
    const CUdeviceptr source = copy->from.is_device ? copy->from.address + from : 0;
    if (!target)
        memory_changed(HX_BUFFER_COPIED_OUT, source, copy->width, 0);
    else
        memory_changed(source ? HX_BUFFER_COPIED : HX_BUFFER_COPIED_IN, target, copy->width, source);
}

static CUresult run_copy(const struct copy_work *copy)
{
    const uint64_t start = now_ns();
    char *to = end_place(copy, &copy->to);
    const char *from = end_place(copy, &copy->from);
    if (!to || !from)
        return CUDA_ERROR_INVALID_VALUE;
    const bool is_one_row = copy->height == 1 && copy->depth == 1;
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++) {
            char *row = to + z * copy->to.slice + y * copy->to.pitch;
            const char *source = from + z * copy->from.slice + y * copy->from.pitch;
            (void)(is_one_row ? memmove(row, source, copy->width) : memcpy(row, source, copy->width));
            tell_row(copy, z * copy->to.slice + y * copy->to.pitch,
                     z * copy->from.slice + y * copy->from.pitch);
        }
    const char *direction = !copy->from.is_device ? "H2D" : copy->to.is_device ? "D2D" : "D2H";
    hx_session_transferred(machine_session(), direction, copy->width * copy->height * copy->depth,
                           now_ns() - start);
    return CUDA_SUCCESS;
}

/* The bytes from the first to the last; SIZE_MAX: it cannot be done. */
static size_t fill_extent(const struct fill_work *fill)
{
    size_t width = 0;
    const bool is_aligned =
        fill->to % fill->element == 0 && (fill->height < 2 || fill->pitch % fill->element == 0);
    if (!is_aligned || __builtin_mul_overflow(fill->width, (size_t)fill->element, &width))
        return SIZE_MAX;
    return extent(width, fill->height, 1, fill->pitch, 0);
}

static CUresult run_fill(const struct fill_work *fill)
{
    const size_t bytes = fill_extent(fill);
    char *place = bytes != SIZE_MAX ? memory_place(fill->to, bytes) : NULL;
    if (!place)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t y = 0; y < fill->height; y++) {
        char *row = place + y * fill->pitch;
        if (fill->element == 1)
            memset(row, (int)fill->value, fill->width);
        else
            for (size_t x = 0; x < fill->width; x++)
                memcpy(row + x * fill->element, &fill->value, fill->element);
        memory_changed(HX_BUFFER_FILLED, fill->to + y * fill->pitch, fill->width * fill->element, 0);
    }
    return CUDA_SUCCESS;
}

/* cuStreamWaitValue32: greater or equal (as a difference with sign), equal, and, nor. */
static bool value_has_come(const struct value_work *wanted, const void *place)
{
    uint64_t is = wanted->bytes == 4 ? __atomic_load_n((const uint32_t *)place, __ATOMIC_ACQUIRE)
                                     : __atomic_load_n((const uint64_t *)place, __ATOMIC_ACQUIRE);
    switch (wanted->flags & 3) {
    case 0:
        return wanted->bytes == 4 ? (int32_t)((uint32_t)is - (uint32_t)wanted->value) >= 0
                                  : (int64_t)(is - wanted->value) >= 0;
    case 1:
        return is == wanted->value;
    case 2:
        return (is & wanted->value) != 0;
    default:
        is = ~(is | wanted->value);
        return (wanted->bytes == 4 ? (uint32_t)is : is) != 0;
    }
}

bool work_waits(const struct work *work)
{
    if (work->kind != WORK_WAIT_VALUE || driver_stopped() != CUDA_SUCCESS)
        return false;
    const void *place = memory_place(work->as.value.address, work->as.value.bytes);
    return place && !value_has_come(&work->as.value, place);
}

static CUresult run_value(const struct work *work)
{
    const struct value_work *value = &work->as.value;
    void *place = memory_place(value->address, value->bytes);
    if (!place || value->address % value->bytes != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (work->kind == WORK_WAIT_VALUE)
        return CUDA_SUCCESS; /* it has come: work_waits */
    if (value->bytes == 4)
        __atomic_store_n((uint32_t *)place, (uint32_t)value->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint64_t *)place, value->value, __ATOMIC_RELEASE);
    memory_changed(HX_BUFFER_FILLED, value->address, value->bytes, 0);
    return CUDA_SUCCESS;
}

CUresult work_check(const struct work *work)
{
    CUresult error = CUDA_SUCCESS;
    switch (work->kind) {
    case WORK_LAUNCH:
        return launch_check(&work->as.launch);
    case WORK_COPY:
        return end_is_known(&work->as.copy, &work->as.copy.to) &&
                       end_is_known(&work->as.copy, &work->as.copy.from)
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    case WORK_FILL: {
        const size_t bytes = fill_extent(&work->as.fill);
        return bytes != SIZE_MAX && is_known(work->as.fill.to, bytes) ? CUDA_SUCCESS
                                                                      : CUDA_ERROR_INVALID_VALUE;
    }
    case WORK_WAIT_VALUE:
    case WORK_WRITE_VALUE:
        return is_known(work->as.value.address, work->as.value.bytes) ? CUDA_SUCCESS
                                                                      : CUDA_ERROR_INVALID_VALUE;
    case WORK_LIST:
        for (size_t i = 0; i < work->as.list.count && error == CUDA_SUCCESS; i++)
            error = work_check(&work->as.list.items[i]);
        return error;
    default:
        return CUDA_SUCCESS;
    }
}

CUresult work_run(const struct work *work)
{
    const CUresult stopped = driver_stopped();
    if (work->kind == WORK_HOST && work->as.host.callback)
        work->as.host.callback(work->as.host.stream, stopped, work->as.host.user);
    if (work->kind == WORK_RECORD)
        event_reach(work->as.event);
    if (stopped != CUDA_SUCCESS)
        return stopped;
    switch (work->kind) {
    case WORK_LAUNCH:
        return launch_run(&work->as.launch);
    case WORK_COPY:
        return run_copy(&work->as.copy);
    case WORK_FILL:
        return run_fill(&work->as.fill);
    case WORK_HOST:
        if (work->as.host.function)
            work->as.host.function(work->as.host.user);
        return CUDA_SUCCESS;
    case WORK_WAIT_VALUE:
    case WORK_WRITE_VALUE:
        return run_value(work);
    case WORK_ALLOC:
        return graph_memory_run(work->as.memory);
    case WORK_FREE:
        return memory_free(work->as.value.address);
    default:
        return CUDA_SUCCESS;
    }
}
