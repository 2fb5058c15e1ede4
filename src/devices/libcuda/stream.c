/* Streams and events.
 *
 * Every call is done when it returns, so that the work of all streams is in the order in which it was given:
 * an event that was recorded has happened. */
#include "devices/libcuda/cuda_driver.h"

#include <stdlib.h>
#include <time.h>

struct CUstream_st {
    unsigned flags;
};
struct CUevent_st {
    int is_recorded;
    struct timespec time;
};

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !stream || flags > 1)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    CUstream made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->flags = flags;
    *stream = made;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    (void)priority;
    return cuStreamCreate(stream, flags);
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    if (!stream)
        return CUDA_ERROR_INVALID_HANDLE;
    free(stream);
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    (void)stream;
    return driver_check();
}

CUresult cuStreamQuery(CUstream stream)
{
    (void)stream;
    return driver_check();
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    (void)stream, (void)flags;
    return event ? driver_check() : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamAddCallback(CUstream stream, void (*function)(CUstream, CUresult, void *), void *user,
                             unsigned flags)
{
    const CUresult status = driver_check();
    if (!function || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_ERROR_NOT_INITIALIZED || status == CUDA_ERROR_INVALID_CONTEXT)
        return status;
    function(stream, status, user);
    return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *), void *user)
{
    (void)stream;
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !function)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    function(user);
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    (void)flags;
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !event)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    CUevent made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *event = made;
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event)
{
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    free(event);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    (void)stream;
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !event)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_HANDLE;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    event->is_recorded = 1;
    return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event)
{
    return event ? driver_check() : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventSynchronize(CUevent event)
{
    return cuEventQuery(event);
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    if (!milliseconds)
        return CUDA_ERROR_INVALID_VALUE;
    if (!start || !end || !start->is_recorded || !end->is_recorded)
        return CUDA_ERROR_INVALID_HANDLE;
    const double seconds = (double)(end->time.tv_sec - start->time.tv_sec);
    *milliseconds = (float)(seconds * 1e3 + (double)(end->time.tv_nsec - start->time.tv_nsec) * 1e-6);
    return CUDA_SUCCESS;
}
