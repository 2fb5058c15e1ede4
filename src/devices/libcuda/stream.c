/* Streams and events.
 *
 * The work of all streams is one queue (queue.c), which knows which stream each is of. */
#include "devices/libcuda/capture.h"
#include "devices/libcuda/context.h"

#include "devices/cuda/machine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct CUevent_st {
    atomic_uint users; /* the program, and work that names it */
    atomic_bool is_recorded;
    atomic_ullong ticket;  /* of the record that counts */
    atomic_ullong time_ns; /* when it came; 0: it has not */
    bool has_timing;
    struct capture_point point; /* where it was recorded in a capture */
};

static atomic_int blocking; /* 0: not asked yet; 1: calls return when their work is done, -1: at once */

static bool is_blocking(void)
{
    static const char *const names[] = {"HEXEC_LAUNCH_BLOCKING", "CUDA_LAUNCH_BLOCKING"};
    if (atomic_load(&blocking) == 0) {
        int found = -1;
        for (size_t i = 0; i < 2; i++) {
            const char *value = getenv(names[i]);
            found = value && strcmp(value, "1") == 0 ? 1 : found;
        }
        atomic_store(&blocking, found);
    }
    return atomic_load(&blocking) > 0;
}

static atomic_ullong stream_count;
static pthread_key_t of_thread; /* the stream of a thread, which ends with it */
static bool has_key;

static void end_of_thread(void *user)
{
    CUstream stream = user;
    capture_leave(&stream->point);
    free(stream);
}

static void make_key(void)
{
    has_key = pthread_key_create(&of_thread, end_of_thread) == 0;
}

static CUstream stream_new(unsigned flags)
{
    CUstream made = calloc(1, sizeof *made);
    if (made) {
        made->flags = flags;
        made->number = atomic_fetch_add(&stream_count, 1) + 3;
    }
    return made;
}

/* CU_STREAM_PER_THREAD of the calling thread; NULL, the default stream, where there is no memory for one. */
static CUstream stream_of_thread(void)
{
    static pthread_once_t made_key = PTHREAD_ONCE_INIT;
    pthread_once(&made_key, make_key);
    CUstream stream = has_key ? pthread_getspecific(of_thread) : NULL;
    if (stream || !has_key)
        return stream;
    stream = stream_new(0);
    if (stream && pthread_setspecific(of_thread, stream) != 0) {
        free(stream);
        stream = NULL;
    }
    return stream;
}

CUstream stream_of(CUstream handle)
{
    if ((uintptr_t)handle == STREAM_PER_THREAD)
        return stream_of_thread();
    return (uintptr_t)handle <= STREAM_LEGACY ? NULL : handle;
}

enum { NON_BLOCKING = 1 }; /* of the flags of a stream */

static struct queue_stream lane_of(CUstream handle)
{
    const CUstream stream = stream_of(handle);
    return stream ? (struct queue_stream){stream->number, stream->flags & NON_BLOCKING}
                  : (struct queue_stream){0, false};
}

CUresult stream_check_uncaptured(CUstream handle)
{
    CUstream stream = stream_of(handle);
    return stream && capture_is_running(&stream->point) ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                                                        : driver_check();
}

CUresult stream_need_uncaptured(CUstream handle)
{
    const CUresult error = stream_check_uncaptured(handle);
    return error == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED ? capture_spoil(&stream_of(handle)->point) : error;
}

CUresult stream_give(CUstream handle, const struct work *work)
{
    CUstream stream = stream_of(handle);
    CUresult error = driver_check();
    if (error == CUDA_SUCCESS)
        error = work_check(work);
    if (error != CUDA_SUCCESS)
        return error;
    if (stream && capture_is_running(&stream->point))
        return capture_add(&stream->point, work);
    uint64_t ticket = 0;
    error = queue_give(work, lane_of(handle), &ticket);
    if (error != CUDA_SUCCESS)
        return error;
    if (stream)
        atomic_store(&stream->last, ticket);
    if (is_blocking())
        queue_wait(ticket);
    return is_blocking() ? driver_check() : CUDA_SUCCESS;
}

/* ---- Streams ------------------------------------------------------------------------------------------- */

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !stream || flags > 1)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    CUstream made = stream_new(flags);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->priority = priority < -5 ? -5 : priority > 0 ? 0 : priority;
    (void)cuCtxGetCurrent(&made->context);
    *stream = made;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy_v2(CUstream handle)
{
    if ((uintptr_t)handle <= STREAM_PER_THREAD)
        return CUDA_ERROR_INVALID_HANDLE;
    capture_leave(&handle->point);
    free(handle);
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream handle)
{
    CUstream stream = stream_of(handle);
    const CUresult error = stream_need_uncaptured(handle);
    if (error != CUDA_SUCCESS && error != driver_stopped())
        return error;
    if (stream)
        queue_wait(atomic_load(&stream->last));
    else
        queue_wait_for_default();
    return driver_check();
}

CUresult cuStreamQuery(CUstream handle)
{
    CUstream stream = stream_of(handle);
    const CUresult error = stream_need_uncaptured(handle);
    if (error != CUDA_SUCCESS)
        return error;
    const bool is_done = stream ? queue_is_done(atomic_load(&stream->last)) : queue_default_is_done();
    return is_done ? driver_check() : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamGetPriority(CUstream handle, int *priority)
{
    CUstream stream = stream_of(handle);
    if (!priority)
        return CUDA_ERROR_INVALID_VALUE;
    *priority = stream ? stream->priority : 0;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream handle, unsigned *flags)
{
    CUstream stream = stream_of(handle);
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = stream ? stream->flags : 0;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream handle, unsigned long long *number)
{
    CUstream stream = stream_of(handle);
    if (!number)
        return CUDA_ERROR_INVALID_VALUE;
    *number = stream ? stream->number : (uintptr_t)handle;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext *context)
{
    CUstream stream = stream_of(handle);
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (!stream || !stream->context) /* one of a thread is of whichever is current */
        return cuCtxGetCurrent(context);
    *context = stream->context;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    CUcontext context = NULL;
    const CUresult error = device ? cuStreamGetCtx(stream, &context) : CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS && context)
        *device = context->device;
    return error == CUDA_SUCCESS && !context ? CUDA_ERROR_INVALID_CONTEXT : error;
}

/* All streams see all memory. */
CUresult cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address, size_t bytes, unsigned flags)
{
    (void)handle, (void)bytes, (void)flags;
    const CUresult error = driver_check();
    return error == CUDA_SUCCESS && !memory_place(address, 0) ? CUDA_ERROR_INVALID_VALUE : error;
}

CUresult cuStreamAddCallback(CUstream handle, void (*function)(CUstream, CUresult, void *), void *user,
                             unsigned flags)
{
    const CUresult status = stream_need_uncaptured(handle);
    if (!function || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_ERROR_NOT_INITIALIZED || status == CUDA_ERROR_INVALID_CONTEXT ||
        status == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED || status == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
        return status;
    const struct work work = {.kind = WORK_HOST,
                              .as.host = {.callback = function, .stream = handle, .user = user}};
    uint64_t ticket = 0;
    const CUresult error =
        queue_give(&work, lane_of(handle), &ticket); /* also behind a kernel that was stopped */
    if (error == CUDA_SUCCESS && stream_of(handle))
        atomic_store(&stream_of(handle)->last, ticket);
    return error;
}

CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *), void *user)
{
    const struct work work = {.kind = WORK_HOST, .as.host = {.function = function, .user = user}};
    return function ? stream_give(stream, &work) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult give_value(CUstream stream, enum work_kind kind, const struct value_work *value)
{
    const struct work work = {.kind = kind, .as.value = *value};
    return value->address % value->bytes == 0 ? stream_give(stream, &work) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags)
{
    return give_value(stream, WORK_WAIT_VALUE, &(const struct value_work){address, value, 4, flags});
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags)
{
    return give_value(stream, WORK_WAIT_VALUE, &(const struct value_work){address, value, 8, flags});
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags)
{
    return give_value(stream, WORK_WRITE_VALUE, &(const struct value_work){address, value, 4, flags});
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags)
{
    return give_value(stream, WORK_WRITE_VALUE, &(const struct value_work){address, value, 8, flags});
}

/* ---- Events -------------------------------------------------------------------------------------------- */

void event_reach(CUevent event)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    atomic_store(&event->time_ns,
                 (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec);
}

void event_expect(CUevent event, uint64_t ticket)
{
    atomic_store(&event->time_ns, 0);
    atomic_store(&event->ticket, ticket);
    atomic_store(&event->is_recorded, true);
}

uint64_t event_ticket(CUevent event)
{
    return atomic_load(&event->ticket);
}

void event_keep(CUevent event)
{
    atomic_fetch_add(&event->users, 1);
}

void event_release(CUevent event)
{
    if (atomic_fetch_sub(&event->users, 1) == 1)
        free(event);
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    enum { DISABLE_TIMING = 2 };
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !event || flags > 7)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    CUevent made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    atomic_store(&made->users, 1);
    made->has_timing = !(flags & DISABLE_TIMING);
    *event = made;
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event)
{
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    capture_leave(&event->point);
    event_release(event);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream handle)
{
    CUstream stream = stream_of(handle);
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !event)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_HANDLE;
    capture_leave(&event->point);
    if (stream && capture_is_running(&stream->point))
        return capture_join(&event->point, &stream->point);
    const struct work work = {.kind = WORK_RECORD, .as.event = event};
    uint64_t ticket = 0;
    const CUresult given = queue_give(&work, lane_of(handle), &ticket);
    if (given == CUDA_SUCCESS && stream)
        atomic_store(&stream->last, ticket);
    return given;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    return flags <= 1 ? cuEventRecord(event, stream) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags)
{
    CUstream stream = stream_of(handle);
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !event)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_HANDLE;
    if (flags > 1)
        return CUDA_ERROR_INVALID_VALUE;
    if (capture_is_running(&event->point))
        return stream ? capture_join(&stream->point, &event->point) : CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    if (stream && capture_is_running(&stream->point))
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    if (!hx_session_has_checks(machine_session()) && queue_is_done(atomic_load(&event->ticket)))
        return CUDA_SUCCESS; /* checks want to know the order all the same */
    const struct work work = {.kind = WORK_WAIT_EVENT, .as.event = event};
    uint64_t ticket = 0;
    const CUresult given = queue_give(&work, lane_of(handle), &ticket);
    if (given == CUDA_SUCCESS && stream)
        atomic_store(&stream->last, ticket);
    return given;
}

CUresult cuEventQuery(CUevent event)
{
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    if (capture_is_running(&event->point)) {
        (void)capture_spoil(&event->point);
        return CUDA_ERROR_CAPTURED_EVENT;
    }
    const CUresult error = driver_check();
    return error == CUDA_SUCCESS && !queue_is_done(atomic_load(&event->ticket)) ? CUDA_ERROR_NOT_READY
                                                                                : error;
}

CUresult cuEventSynchronize(CUevent event)
{
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    if (capture_is_running(&event->point)) {
        (void)capture_spoil(&event->point);
        return CUDA_ERROR_CAPTURED_EVENT;
    }
    queue_wait(atomic_load(&event->ticket));
    return driver_check();
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    if (!milliseconds)
        return CUDA_ERROR_INVALID_VALUE;
    if (!start || !end || !atomic_load(&start->is_recorded) || !atomic_load(&end->is_recorded) ||
        !start->has_timing || !end->has_timing)
        return CUDA_ERROR_INVALID_HANDLE;
    const unsigned long long from = atomic_load(&start->time_ns), to = atomic_load(&end->time_ns);
    if (from == 0 || to == 0)
        return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)((double)(long long)(to - from) * 1e-6);
    return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
    return cuEventElapsedTime(milliseconds, start, end);
}
