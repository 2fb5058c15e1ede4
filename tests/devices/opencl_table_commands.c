/* The table of errors of commands and events; opencl_table.c has that of objects. */
#include "opencl_table_unit.h"

/* ---- Commands on buffers ------------------------------------------------------------------------------- */

/* What all commands refuse: tried with those of `call`, whose queue, count and list are Q, N and L. */
#define COMMAND_ROWS(function, ...)                                                                          \
    do {                                                                                                     \
        cl_event none = NULL, *L = NULL, no_event = NOT_AN_EVENT;                                            \
        cl_command_queue Q = NOT_A_QUEUE;                                                                    \
        cl_uint N = 0;                                                                                       \
        ROW(function, CL_INVALID_COMMAND_QUEUE, "no queue", __VA_ARGS__);                                    \
        Q = unit.queue;                                                                                      \
        N = 1;                                                                                               \
        ROW(function, CL_INVALID_EVENT_WAIT_LIST, "no list", __VA_ARGS__);                                   \
        L = &user_event;                                                                                     \
        N = 0;                                                                                               \
        ROW(function, CL_INVALID_EVENT_WAIT_LIST, "a list of none", __VA_ARGS__);                            \
        N = 1;                                                                                               \
        L = &no_event;                                                                                       \
        ROW(function, CL_INVALID_EVENT_WAIT_LIST, "no event", __VA_ARGS__);                                  \
        L = &none;                                                                                           \
        ROW(function, CL_INVALID_EVENT_WAIT_LIST, "NULL for an event", __VA_ARGS__);                         \
        L = &other_event;                                                                                    \
        ROW(function, CL_INVALID_CONTEXT, "an event of another context", __VA_ARGS__);                       \
    } while (0)

static void try_transfers(void)
{
    cl_command_queue q = unit.queue;
    COMMAND_ROWS(clEnqueueReadBuffer, Q, x, CL_TRUE, 0, 8, host, N, L, NULL);
    COMMAND_ROWS(clEnqueueWriteBuffer, Q, x, CL_TRUE, 0, 8, host, N, L, NULL);
    COMMAND_ROWS(clEnqueueCopyBuffer, Q, x, y, 0, 0, 8, N, L, NULL);
    COMMAND_ROWS(clEnqueueFillBuffer, Q, x, host, 4, 0, 8, N, L, NULL);
    COMMAND_ROWS(clEnqueueMigrateMemObjects, Q, 1, &x, 0, N, L, NULL);
    ROW(clEnqueueReadBuffer, CL_INVALID_MEM_OBJECT, "no buffer", q, NOT_A_MEMORY, 1, 0, 8, host, 0, NULL,
        NULL);
    ROW(clEnqueueReadBuffer, CL_INVALID_CONTEXT, "of another context", q, of_other, 1, 0, 8, host, 0, NULL,
        NULL);
    ROW(clEnqueueReadBuffer, CL_INVALID_VALUE, "beyond the end", q, x, 1, 1020, 8, host, 0, NULL, NULL);
    ROW(clEnqueueReadBuffer, CL_INVALID_VALUE, "round the end", q, x, 1, SIZE_MAX, 8, host, 0, NULL, NULL);
    ROW(clEnqueueReadBuffer, CL_INVALID_VALUE, "NULL", q, x, 1, 0, 8, NULL, 0, NULL, NULL);
    ROW(clEnqueueReadBuffer, CL_INVALID_OPERATION, "host flags", q, no_host, 1, 0, 8, host, 0, NULL, NULL);
    ROW(clEnqueueReadBuffer, CL_INVALID_OPERATION, "host writes only", q, write_only_host, 1, 0, 8, host, 0,
        NULL, NULL);
    ROW(clEnqueueWriteBuffer, CL_INVALID_MEM_OBJECT, "no buffer", q, NOT_A_MEMORY, 1, 0, 8, host, 0, NULL,
        NULL);
    ROW(clEnqueueWriteBuffer, CL_INVALID_CONTEXT, "of another context", q, of_other, 1, 0, 8, host, 0, NULL,
        NULL);
    ROW(clEnqueueWriteBuffer, CL_INVALID_VALUE, "beyond the end", q, x, 1, 1020, 8, host, 0, NULL, NULL);
    ROW(clEnqueueWriteBuffer, CL_INVALID_VALUE, "NULL", q, x, 1, 0, 8, NULL, 0, NULL, NULL);
    ROW(clEnqueueWriteBuffer, CL_INVALID_OPERATION, "host reads only", q, read_only_host, 1, 0, 8, host, 0,
        NULL, NULL);
    ROW(clEnqueueCopyBuffer, CL_INVALID_MEM_OBJECT, "no source", q, NOT_A_MEMORY, y, 0, 0, 8, 0, NULL, NULL);
    ROW(clEnqueueCopyBuffer, CL_INVALID_MEM_OBJECT, "no target", q, x, NOT_A_MEMORY, 0, 0, 8, 0, NULL, NULL);
    ROW(clEnqueueCopyBuffer, CL_INVALID_CONTEXT, "of another context", q, x, of_other, 0, 0, 8, 0, NULL,
        NULL);
    ROW(clEnqueueCopyBuffer, CL_INVALID_VALUE, "source beyond the end", q, x, y, 1020, 0, 8, 0, NULL, NULL);
    ROW(clEnqueueCopyBuffer, CL_INVALID_VALUE, "target beyond the end", q, x, y, 0, 1020, 8, 0, NULL, NULL);
    ROW(clEnqueueCopyBuffer, CL_MEM_COPY_OVERLAP, "onto itself", q, x, x, 0, 4, 8, 0, NULL, NULL);
    ROW(clEnqueueCopyBuffer, CL_MEM_COPY_OVERLAP, "onto its part", q, x, part, 4, 0, 8, 0, NULL, NULL);
    ROW(clEnqueueFillBuffer, CL_INVALID_MEM_OBJECT, "no buffer", q, NOT_A_MEMORY, host, 4, 0, 8, 0, NULL,
        NULL);
    ROW(clEnqueueFillBuffer, CL_INVALID_CONTEXT, "of another context", q, of_other, host, 4, 0, 8, 0, NULL,
        NULL);
    ROW(clEnqueueFillBuffer, CL_INVALID_VALUE, "beyond the end", q, x, host, 4, 1020, 8, 0, NULL, NULL);
    ROW(clEnqueueFillBuffer, CL_INVALID_VALUE, "no pattern", q, x, NULL, 4, 0, 8, 0, NULL, NULL);
    ROW(clEnqueueFillBuffer, CL_INVALID_VALUE, "pattern of 0", q, x, host, 0, 0, 8, 0, NULL, NULL);
    ROW(clEnqueueFillBuffer, CL_INVALID_VALUE, "pattern of 3", q, x, host, 3, 0, 9, 0, NULL, NULL);
    ROW(clEnqueueFillBuffer, CL_INVALID_VALUE, "pattern of 256", q, x, host, 256, 0, 256, 0, NULL, NULL);
    ROW(clEnqueueFillBuffer, CL_INVALID_VALUE, "offset", q, x, host, 4, 2, 8, 0, NULL, NULL);
    ROW(clEnqueueFillBuffer, CL_INVALID_VALUE, "bytes", q, x, host, 4, 4, 6, 0, NULL, NULL);
    ROW(clEnqueueMigrateMemObjects, CL_INVALID_VALUE, "no list", q, 1, NULL, 0, 0, NULL, NULL);
    ROW(clEnqueueMigrateMemObjects, CL_INVALID_VALUE, "none", q, 0, &x, 0, 0, NULL, NULL);
    ROW(clEnqueueMigrateMemObjects, CL_INVALID_VALUE, "flags", q, 1, &x, 1 << 20, 0, NULL, NULL);
    ROW(clEnqueueMigrateMemObjects, CL_INVALID_CONTEXT, "of another context", q, 1, &of_other, 0, 0, NULL,
        NULL);
}

/* Reads and writes of rectangles refuse the same. */
#define RECT_ROWS(function)                                                                                  \
    do {                                                                                                     \
        const size_t big[] = {8, 2, 2}, flat[] = {4, 0, 1}, wide[] = {4, 3, 1}, deep[] = {4, 1, 3};          \
        const size_t far[] = {0, SIZE_MAX / 2, 0}, half = SIZE_MAX / 2 + 1, outside[] = {1020, 0, 0};        \
        COMMAND_ROWS(function, Q, x, 1, zero3, zero3, big, 0, 0, 0, 0, host, N, L, NULL);                    \
        ROW(function, CL_INVALID_MEM_OBJECT, "no buffer", unit.queue, NOT_A_MEMORY, 1, zero3, zero3, big, 0, \
            0, 0, 0, host, 0, NULL, NULL);                                                                   \
        ROW(function, CL_INVALID_CONTEXT, "of another context", unit.queue, of_other, 1, zero3, zero3, big,  \
            0, 0, 0, 0, host, 0, NULL, NULL);                                                                \
        ROW(function, CL_INVALID_VALUE, "NULL", unit.queue, x, 1, zero3, zero3, big, 0, 0, 0, 0, NULL, 0,    \
            NULL, NULL);                                                                                     \
        ROW(function, CL_INVALID_VALUE, "no rows", unit.queue, x, 1, zero3, zero3, flat, 0, 0, 0, 0, host,   \
            0, NULL, NULL);                                                                                  \
        ROW(function, CL_INVALID_VALUE, "beyond the end", unit.queue, x, 1, outside, zero3, big, 0, 0, 0, 0, \
            host, 0, NULL, NULL);                                                                            \
        ROW(function, CL_INVALID_VALUE, "rows too near", unit.queue, x, 1, zero3, zero3, big, 4, 0, 0, 0,    \
            host, 0, NULL, NULL);                                                                            \
        ROW(function, CL_INVALID_VALUE, "rows of the host too near", unit.queue, x, 1, zero3, zero3, big, 0, \
            0, 4, 0, host, 0, NULL, NULL);                                                                   \
        ROW(function, CL_INVALID_VALUE, "slices too near", unit.queue, x, 1, zero3, zero3, big, 8, 8, 0, 0,  \
            host, 0, NULL, NULL);                                                                            \
        ROW(function, CL_INVALID_VALUE, "slices of no whole rows", unit.queue, x, 1, zero3, zero3, big, 8,   \
            20, 0, 0, host, 0, NULL, NULL);                                                                  \
        ROW(function, CL_INVALID_VALUE, "slices of the host of no whole rows", unit.queue, x, 1, zero3,      \
            zero3, big, 0, 0, 8, 20, host, 0, NULL, NULL);                                                   \
        ROW(function, CL_INVALID_VALUE, "rows round the end", unit.queue, x, 1, zero3, zero3, wide, half, 0, \
            0, 0, host, 0, NULL, NULL);                                                                      \
        ROW(function, CL_INVALID_VALUE, "slices round the end", unit.queue, x, 1, zero3, zero3, deep, 4,     \
            half, 0, 0, host, 0, NULL, NULL);                                                                \
        ROW(function, CL_INVALID_VALUE, "origin round the end", unit.queue, x, 1, far, zero3, one3, 4, 0, 0, \
            0, host, 0, NULL, NULL);                                                                         \
        ROW(function, CL_INVALID_OPERATION, "host flags", unit.queue, no_host, 1, zero3, zero3, big, 0, 0,   \
            0, 0, host, 0, NULL, NULL);                                                                      \
    } while (0)

static void try_rectangles(void)
{
    const size_t two[] = {8, 2, 1}, next[] = {4, 0, 0}, beside[] = {8, 0, 0}, below[] = {4, 1, 0};
    const size_t beyond[] = {1020, 0, 0};
    cl_command_queue q = unit.queue;
    RECT_ROWS(clEnqueueReadBufferRect);
    RECT_ROWS(clEnqueueWriteBufferRect);
    COMMAND_ROWS(clEnqueueCopyBufferRect, Q, x, y, zero3, zero3, two, 0, 0, 0, 0, N, L, NULL);
    ROW(clEnqueueCopyBufferRect, CL_INVALID_MEM_OBJECT, "no source", q, NOT_A_MEMORY, y, zero3, zero3, two, 0,
        0, 0, 0, 0, NULL, NULL);
    ROW(clEnqueueCopyBufferRect, CL_INVALID_CONTEXT, "of another context", q, x, of_other, zero3, zero3, two,
        0, 0, 0, 0, 0, NULL, NULL);
    ROW(clEnqueueCopyBufferRect, CL_INVALID_VALUE, "source beyond the end", q, x, y, beyond, zero3, two, 0, 0,
        0, 0, 0, NULL, NULL);
    ROW(clEnqueueCopyBufferRect, CL_INVALID_VALUE, "target beyond the end", q, x, y, zero3, beyond, two, 0, 0,
        0, 0, 0, NULL, NULL);
    ROW(clEnqueueCopyBufferRect, CL_INVALID_VALUE, "no rows", q, x, y, zero3, zero3, zero3, 0, 0, 0, 0, 0,
        NULL, NULL);
    ROW(clEnqueueCopyBufferRect, CL_INVALID_VALUE, "rows too near", q, x, y, zero3, zero3, two, 4, 0, 0, 0, 0,
        NULL, NULL);
    ROW(clEnqueueCopyBufferRect, CL_INVALID_VALUE, "other rows in one buffer", q, x, x, zero3, beside, two,
        32, 0, 64, 0, 0, NULL, NULL);
    ROW(clEnqueueCopyBufferRect, CL_MEM_COPY_OVERLAP, "onto itself", q, x, x, zero3, next, two, 32, 0, 32, 0,
        0, NULL, NULL);
    ROW(clEnqueueCopyBufferRect, CL_MEM_COPY_OVERLAP, "a row below", q, x, x, zero3, below, two, 32, 0, 32, 0,
        0, NULL, NULL);
    ROW(clEnqueueCopyBufferRect, CL_MEM_COPY_OVERLAP, "onto its part", q, x, part, zero3, next, two, 32, 0,
        32, 0, 0, NULL, NULL);
    ROW(clEnqueueCopyBufferRect, CL_SUCCESS, "beside itself", q, x, x, zero3, beside, two, 32, 0, 32, 0, 0,
        NULL, NULL);
    OK(clFinish(q));
}

/* Where two rectangles of one buffer overlap, byte by byte. */
static int have_common_byte(const size_t *from, const size_t *to, const size_t *region)
{
    static char bytes[1024];
    int common = 0;
    memset(bytes, 0, sizeof bytes);
    for (int side = 0; side < 2; side++)
        for (size_t z = 0; z < region[2]; z++)
            for (size_t r = 0; r < region[1]; r++)
                for (size_t b = 0; b < region[0]; b++) {
                    const size_t *at = side ? to : from;
                    common |= bytes[(at[2] + z) * 64 + (at[1] + r) * 16 + at[0] + b]++ > 0;
                }
    return common;
}

static void try_overlaps(void)
{
    const size_t region[] = {8, 2, 2}, from[] = {3, 1, 2};
    for (size_t at = 0; at < 16 * 4 * 6; at++) {
        const size_t to[] = {at % 16, at / 16 % 4, at / 64};
        char how[64];
        snprintf(how, sizeof how, "to %zu, %zu, %zu", to[0], to[1], to[2]);
        row("clEnqueueCopyBufferRect", how, "an answer",
            have_common_byte(from, to, region) ? CL_MEM_COPY_OVERLAP : CL_SUCCESS,
            clEnqueueCopyBufferRect(unit.queue, x, x, from, to, region, 16, 64, 16, 64, 0, NULL, NULL));
    }
    OK(clFinish(unit.queue));
}

static void try_maps(void)
{
    cl_command_queue q = unit.queue;
    const cl_map_flags both = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    OBJECT_ROW(clEnqueueMapBuffer, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE, x, 1, 1, 0, 8, 0, NULL,
               NULL);
    OBJECT_ROW(clEnqueueMapBuffer, CL_INVALID_MEM_OBJECT, "no buffer", q, NOT_A_MEMORY, 1, 1, 0, 8, 0, NULL,
               NULL);
    OBJECT_ROW(clEnqueueMapBuffer, CL_INVALID_CONTEXT, "of another context", q, of_other, 1, 1, 0, 8, 0, NULL,
               NULL);
    OBJECT_ROW(clEnqueueMapBuffer, CL_INVALID_VALUE, "beyond the end", q, x, 1, 1, 1020, 8, 0, NULL, NULL);
    OBJECT_ROW(clEnqueueMapBuffer, CL_INVALID_VALUE, "0 bytes", q, x, 1, 1, 0, 0, 0, NULL, NULL);
    OBJECT_ROW(clEnqueueMapBuffer, CL_INVALID_VALUE, "unknown flag", q, x, 1, 1 << 20, 0, 8, 0, NULL, NULL);
    OBJECT_ROW(clEnqueueMapBuffer, CL_INVALID_VALUE, "flags", q, x, 1, both, 0, 8, 0, NULL, NULL);
    OBJECT_ROW(clEnqueueMapBuffer, CL_INVALID_OPERATION, "host flags", q, no_host, 1, 1, 0, 8, 0, NULL, NULL);
    OBJECT_ROW(clEnqueueMapBuffer, CL_INVALID_OPERATION, "host reads only", q, read_only_host, 1,
               CL_MAP_WRITE, 0, 8, 0, NULL, NULL);
    OBJECT_ROW(clEnqueueMapBuffer, CL_INVALID_OPERATION, "host writes only", q, write_only_host, 1,
               CL_MAP_READ, 0, 8, 0, NULL, NULL);
    OBJECT_ROW(clEnqueueMapBuffer, CL_INVALID_EVENT_WAIT_LIST, "no list", q, x, 1, 1, 0, 8, 1, NULL, NULL);
    OBJECT_ROW(clEnqueueMapBuffer, CL_INVALID_CONTEXT, "event of another context", q, x, 1, 1, 0, 8, 1,
               &other_event, NULL);
    COMMAND_ROWS(clEnqueueUnmapMemObject, Q, x, host, N, L, NULL);
    ROW(clEnqueueUnmapMemObject, CL_INVALID_VALUE, "nothing mapped there", q, x, host, 0, NULL, NULL);
    ROW(clEnqueueUnmapMemObject, CL_INVALID_MEM_OBJECT, "no buffer", q, NOT_A_MEMORY, host, 0, NULL, NULL);
    ROW(clEnqueueUnmapMemObject, CL_INVALID_CONTEXT, "of another context", q, of_other, host, 0, NULL, NULL);
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

static void CL_CALLBACK run_on_host(void *arguments)
{
    (void)arguments;
}

static void try_launches(void)
{
    const size_t eight = 8, three = 3, many = 4096, all[] = {8, 8, 8}, deep[] = {1, 1, 128},
                 big[] = {64, 64, 1}, four = 4;
    const size_t far[] = {SIZE_MAX};
    const void *place = host;
    cl_command_queue q = unit.queue;
    cl_kernel shaped = unit_kernel(program, "shaped");
    OK(clSetKernelArg(shaped, 0, sizeof x, &x));
    COMMAND_ROWS(clEnqueueNDRangeKernel, Q, complete, 1, NULL, &eight, NULL, N, L, NULL);
    ROW(clEnqueueNDRangeKernel, CL_INVALID_KERNEL, "no kernel", q, NOT_A_KERNEL, 1, NULL, &eight, NULL, 0,
        NULL, NULL);
    ROW(clEnqueueNDRangeKernel, CL_INVALID_CONTEXT, "of another context", other.queue, complete, 1, NULL,
        &eight, NULL, 0, NULL, NULL);
    ROW(clEnqueueNDRangeKernel, CL_INVALID_KERNEL_ARGS, "arguments", q, kernel, 1, NULL, &eight, NULL, 0,
        NULL, NULL);
    ROW(clEnqueueNDRangeKernel, CL_INVALID_WORK_DIMENSION, "0 dimensions", q, complete, 0, NULL, all, NULL, 0,
        NULL, NULL);
    ROW(clEnqueueNDRangeKernel, CL_INVALID_WORK_DIMENSION, "4 dimensions", q, complete, 4, NULL, all, NULL, 0,
        NULL, NULL);
    ROW(clEnqueueNDRangeKernel, CL_INVALID_GLOBAL_OFFSET, "offset", q, complete, 1, far, &eight, NULL, 0,
        NULL, NULL);
    ROW(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, "not a multiple", q, complete, 1, NULL, &eight,
        &three, 0, NULL, NULL);
    ROW(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, "not the required size", q, shaped, 1, NULL,
        &many, &four, 0, NULL, NULL);
    ROW(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, "too many work-items", q, complete, 2, NULL, big,
        big, 0, NULL, NULL);
    ROW(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, "groups of 0", q, complete, 1, NULL, &eight,
        zero3, 0, NULL, NULL);
    ROW(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, "too long", q, complete, 1, NULL, &many, &many, 0,
        NULL, NULL);
    ROW(clEnqueueNDRangeKernel, CL_INVALID_WORK_ITEM_SIZE, "too deep", q, complete, 3, NULL, deep, deep, 0,
        NULL, NULL);
    COMMAND_ROWS(clEnqueueTask, Q, complete, N, L, NULL);
    ROW(clEnqueueTask, CL_INVALID_KERNEL, "no kernel", q, NOT_A_KERNEL, 0, NULL, NULL);
    COMMAND_ROWS(clEnqueueNativeKernel, Q, run_on_host, NULL, 0, 0, NULL, NULL, N, L, NULL);
    ROW(clEnqueueNativeKernel, CL_INVALID_VALUE, "no function", q, NULL, NULL, 0, 0, NULL, NULL, 0, NULL,
        NULL);
    ROW(clEnqueueNativeKernel, CL_INVALID_VALUE, "bytes of none", q, run_on_host, NULL, 8, 0, NULL, NULL, 0,
        NULL, NULL);
    ROW(clEnqueueNativeKernel, CL_INVALID_VALUE, "0 bytes", q, run_on_host, host, 0, 0, NULL, NULL, 0, NULL,
        NULL);
    ROW(clEnqueueNativeKernel, CL_INVALID_VALUE, "no buffers", q, run_on_host, host, 8, 1, NULL, &place, 0,
        NULL, NULL);
    cl_mem not_one = NOT_A_MEMORY;
    ROW(clEnqueueNativeKernel, CL_INVALID_MEM_OBJECT, "no buffer", q, run_on_host, host, 8, 1, &not_one,
        &place, 0, NULL, NULL);
    OK(clReleaseKernel(shaped));
}

/* ---- Events -------------------------------------------------------------------------------------------- */

static void try_events(void)
{
    cl_event not_one = NOT_AN_EVENT, two[] = {user_event, other_event}, marker, done;
    cl_int error;
    COMMAND_ROWS(clEnqueueMarkerWithWaitList, Q, N, L, NULL);
    COMMAND_ROWS(clEnqueueBarrierWithWaitList, Q, N, L, NULL);
    ROW(clEnqueueMarker, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE, &marker);
    ROW(clEnqueueMarker, CL_INVALID_VALUE, "NULL", unit.queue, NULL);
    ROW(clEnqueueBarrier, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE);
    ROW(clEnqueueWaitForEvents, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE, 1, &user_event);
    ROW(clEnqueueWaitForEvents, CL_INVALID_VALUE, "none", unit.queue, 0, &user_event);
    ROW(clEnqueueWaitForEvents, CL_INVALID_EVENT, "no event", unit.queue, 1, &not_one);
    ROW(clEnqueueWaitForEvents, CL_INVALID_CONTEXT, "of another context", unit.queue, 1, &other_event);
    ROW(clWaitForEvents, CL_INVALID_VALUE, "none", 0, &user_event);
    ROW(clWaitForEvents, CL_INVALID_VALUE, "no list", 1, NULL);
    ROW(clWaitForEvents, CL_INVALID_EVENT, "no event", 1, &not_one);
    ROW(clWaitForEvents, CL_INVALID_CONTEXT, "of two contexts", 2, two);
    OBJECT_ROW(clCreateUserEvent, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT);
    ROW(clRetainEvent, CL_INVALID_EVENT, "no event", NOT_AN_EVENT);
    ROW(clReleaseEvent, CL_INVALID_EVENT, "no event", NOT_AN_EVENT);
    ROW(clGetEventInfo, CL_INVALID_EVENT, "no event", NOT_AN_EVENT, CL_EVENT_CONTEXT, 0, NULL, NULL);
    ROW(clGetEventInfo, CL_INVALID_VALUE, "unknown name", user_event, 1, 0, NULL, NULL);
    ROW(clGetEventInfo, CL_INVALID_VALUE, "little room", user_event, CL_EVENT_CONTEXT, 1, host, NULL);
    ROW(clSetEventCallback, CL_INVALID_EVENT, "no event", NOT_AN_EVENT, CL_COMPLETE, NULL, NULL);
    ROW(clSetEventCallback, CL_INVALID_VALUE, "no function", user_event, CL_COMPLETE, NULL, NULL);
    ROW(clSetUserEventStatus, CL_INVALID_EVENT, "no event", NOT_AN_EVENT, CL_COMPLETE);
    ROW(clSetUserEventStatus, CL_INVALID_VALUE, "neither complete nor an error", user_event, CL_RUNNING);
    ROW(clGetEventProfilingInfo, CL_INVALID_EVENT, "no event", NOT_AN_EVENT, CL_PROFILING_COMMAND_END, 0,
        NULL, NULL);
    ROW(clGetEventProfilingInfo, CL_PROFILING_INFO_NOT_AVAILABLE, "a user event", user_event,
        CL_PROFILING_COMMAND_END, 8, host, NULL);
    OK(clEnqueueMarkerWithWaitList(unit.queue, 0, NULL, &marker));
    OK(clFinish(unit.queue));
    ROW(clGetEventProfilingInfo, CL_PROFILING_INFO_NOT_AVAILABLE, "a queue without profiling", marker,
        CL_PROFILING_COMMAND_END, 8, host, NULL);
    ROW(clGetEventProfilingInfo, CL_INVALID_VALUE, "unknown name", marker, 1, 8, host, NULL);
    ROW(clSetUserEventStatus, CL_INVALID_EVENT, "an event of a command", marker, CL_COMPLETE);
    OK(clReleaseEvent(marker));
    done = clCreateUserEvent(unit.context, &error);
    OK(error);
    OK(clEnqueueReadBuffer(unit.queue, x, CL_FALSE, 0, 8, host, 1, &done, &marker));
    OK(clSetUserEventStatus(done, -5));
    ROW(clSetUserEventStatus, CL_INVALID_OPERATION, "a second time", done, CL_COMPLETE);
    ROW(clWaitForEvents, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "a failed one", 1, &marker);
    ROW(clEnqueueReadBuffer, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "waits for a failed one",
        unit.queue, x, CL_TRUE, 0, 8, host, 1, &marker, NULL);
    OK(clReleaseEvent(marker));
    OK(clReleaseEvent(done));
}

int main(void)
{
    set_up();
    try_transfers();
    try_rectangles();
    try_overlaps();
    try_maps();
    try_launches();
    try_events();
    return finish();
}
