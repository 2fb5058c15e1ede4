/* Commands: when they run.
 *
 * A command counts the events that it waits for: those of its list, the one before it in a queue that keeps
 * order, a barrier. When none is left it is ready, and one of two threads runs it: one for launches, of which
 * hexec's device runs one at a time, and one for all else, so that copies go on beside a launch. */
#include "devices/opencl/opencl.h"

#include "devices/calls/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct waiter {
    struct waiter *next;
    cl_event command;
    bool is_listed; /* the event is in the command's list: its failure is the command's */
};

enum lane { LANE_LAUNCH, LANE_OTHER, LANE_COUNT };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* an event is complete */
static struct ready {
    pthread_cond_t offered;
    cl_event first, last;
    bool has_thread, is_busy; /* is_busy: one of its commands runs */
} ready[LANE_COUNT] = {{.offered = PTHREAD_COND_INITIALIZER}, {.offered = PTHREAD_COND_INITIALIZER}};

static uint64_t orders;       /* numbers for hx_checks_command; guarded, as the next two, by lock */
static unsigned order_queues; /* queues that have one */
static bool is_order_unknown; /* commands wait for the host in ways that are not followed */
static size_t unfinished;     /* commands with something to do that are not done; guarded by lock */
static _Thread_local uint64_t doing;

uint64_t command_doing(void)
{
    return doing;
}

static cl_ulong now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (cl_ulong)now.tv_sec * 1000000000 + (cl_ulong)now.tv_nsec;
}

/* ---- Freeing ------------------------------------------------------------------------------------------- */

static void drop_contents(cl_event event)
{
    if (event->run == launch_run)
        launch_done(event);
    for (size_t i = 0; i < 2; i++)
        if (event->memories[i])
            memory_drop(event->memories[i]);
    free(event->allocated);
    event->allocated = NULL;
    event->run = NULL;
    event->memories[0] = event->memories[1] = NULL;
}

void event_drop(cl_event event)
{
    if (!object_drop(event))
        return;
    while (event->callbacks) {
        struct callback *callback = event->callbacks;
        event->callbacks = callback->next;
        free(callback);
    }
    if (event->queue)
        queue_drop(event->queue);
    context_drop(event->context);
    event->object.kind = 0;
    free(event);
}

/* ---- Completing ---------------------------------------------------------------------------------------- */

/* With the lock, as the functions up to the next line of dashes. */
static void push_ready(cl_event command)
{
    struct ready *list = &ready[command->run == launch_run ? LANE_LAUNCH : LANE_OTHER];
    command->status = CL_SUBMITTED;
    command->times[1] = now_ns();
    command->next_ready = NULL;
    if (list->first)
        list->last->next_ready = command;
    else
        list->first = command;
    list->last = command;
    pthread_cond_signal(&list->offered);
}

static void leave_queue(cl_event command)
{
    cl_command_queue queue = command->queue;
    if (!queue)
        return;
    *(command->previous ? &command->previous->next : &queue->first) = command->next;
    *(command->next ? &command->next->previous : &queue->last) = command->previous;
    if (queue->barrier == command)
        queue->barrier = NULL;
}

static void release_waiters(cl_event event)
{
    while (event->waiters) {
        struct waiter *waiter = event->waiters;
        cl_event command = waiter->command;
        event->waiters = waiter->next;
        if (event->status < 0 && waiter->is_listed)
            command->failed = event->status;
        if (--command->pending == 0)
            push_ready(command);
        free(waiter);
    }
}

/* Those that are to be called at this status, in the order in which they were set. */
static struct callback *take_callbacks(cl_event event)
{
    struct callback *taken = NULL;
    for (struct callback **at = &event->callbacks; *at;) {
        struct callback *callback = *at;
        if (event->status > callback->status) {
            at = &callback->next;
            continue;
        }
        *at = callback->next;
        callback->next = taken;
        taken = callback;
    }
    return taken;
}

/* ---- Without the lock ---------------------------------------------------------------------------------- */

static void call_callbacks(cl_event event, cl_int status, struct callback *callbacks)
{
    if (callbacks && status <= CL_COMPLETE) /* what they do comes behind it */
        hx_session_waited(device_session(), event->order);
    while (callbacks) {
        struct callback *callback = callbacks;
        callbacks = callback->next;
        ((void(CL_CALLBACK *)(cl_event, cl_int, void *))callback->function)(
            event, status < 0 ? status : callback->status, callback->user);
        free(callback);
    }
}

static void complete(cl_event event, cl_int status)
{
    drop_contents(event); /* before anybody who waits frees what it has */
    pthread_mutex_lock(&lock);
    event->status = status;
    event->times[3] = now_ns();
    leave_queue(event);
    release_waiters(event);
    struct callback *callbacks = take_callbacks(event);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    call_callbacks(event, status, callbacks);
}

static void run(cl_event command)
{
    pthread_mutex_lock(&lock);
    command->status = CL_RUNNING;
    command->times[2] = now_ns();
    struct callback *callbacks = take_callbacks(command);
    const bool has_failed = command->failed != CL_SUCCESS;
    pthread_mutex_unlock(&lock);
    call_callbacks(command, CL_RUNNING, callbacks);
    cl_int status = CL_COMPLETE;
    if (has_failed)
        status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    else if (command->run) {
        doing = command->order;
        status = command->run(command);
        doing = 0;
    }
    if (command->run) {
        pthread_mutex_lock(&lock);
        unfinished--;
        pthread_mutex_unlock(&lock);
    }
    complete(command, status);
    event_drop(command);
}

/* With the lock, which is free while the command runs. */
static void run_next(struct ready *list)
{
    cl_event command = list->first;
    list->first = command->next_ready;
    list->is_busy = true;
    pthread_mutex_unlock(&lock);
    run(command);
    pthread_mutex_lock(&lock);
    list->is_busy = false;
    if (list->first)
        pthread_cond_signal(&list->offered);
}

static void *thread_main(void *user)
{
    struct ready *list = user;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!list->first || list->is_busy)
            pthread_cond_wait(&list->offered, &lock);
        run_next(list);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

/* With the lock. The threads end with the process. */
static bool start_threads(void)
{
    for (size_t i = 0; i < LANE_COUNT; i++) {
        if (!ready[i].has_thread)
            ready[i].has_thread = threads_start(thread_main, &ready[i]);
        if (!ready[i].has_thread)
            return false;
    }
    return true;
}

/* ---- Giving commands ----------------------------------------------------------------------------------- */

cl_int event_list_check(cl_context context, cl_uint count, const cl_event *events)
{
    if ((count == 0) != (events == NULL))
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < count; i++)
        if (!object_is(events[i], OBJECT_EVENT))
            return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < count; i++)
        if (events[i]->context != context)
            return CL_INVALID_CONTEXT;
    return CL_SUCCESS;
}

static cl_event event_new(cl_context context, cl_command_queue queue, cl_command_type type)
{
    cl_event event = object_new(OBJECT_EVENT, sizeof *event);
    if (!event)
        return NULL;
    event->context = object_keep(context);
    event->queue = queue ? object_keep(queue) : NULL;
    event->type = type;
    event->status = queue ? CL_QUEUED : CL_SUBMITTED;
    event->times[0] = now_ns();
    return event;
}

cl_int command_new(const struct enqueue *enqueue, cl_event *ret_command)
{
    if (!object_is(enqueue->queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    const cl_int error = event_list_check(enqueue->queue->context, enqueue->wait_count, enqueue->wait_list);
    if (error != CL_SUCCESS)
        return error;
    cl_event command = event_new(enqueue->queue->context, enqueue->queue, enqueue->type);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    *ret_command = command;
    return CL_SUCCESS;
}

void command_discard(cl_event command)
{
    drop_contents(command);
    event_drop(command);
}

/* With the lock. Takes a waiter from the list unless the event is complete. */
static void wait_for(cl_event command, cl_event event, bool is_listed, struct waiter **spare)
{
    if (event->status <= CL_COMPLETE) {
        if (event->status < 0 && is_listed)
            command->failed = event->status;
        return;
    }
    struct waiter *waiter = *spare;
    *spare = waiter->next;
    *waiter = (struct waiter){.next = event->waiters, .command = command, .is_listed = is_listed};
    event->waiters = waiter;
    command->pending++;
}

static struct waiter *make_waiters(size_t count)
{
    struct waiter *list = NULL;
    while (count-- > 0) {
        struct waiter *waiter = malloc(sizeof *waiter);
        if (!waiter)
            return list;
        waiter->next = list;
        list = waiter;
    }
    return list;
}

static size_t count_waiters(const struct waiter *list)
{
    size_t count = 0;
    for (; list; list = list->next)
        count++;
    return count;
}

/* With the lock: tells what the command comes behind. Of a queue out of order, one more number stands for all
 * that it has got. Behind a user's event comes what the host has done before it sets that, which is not known
 * now: from then on all commands count as ordered. */
static void tell_order(const struct enqueue *enqueue, cl_event command)
{
    cl_command_queue queue = enqueue->queue;
    hx_session *const session = device_session();
    const bool is_ordered = !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const bool waits_for_all = is_ordered || (enqueue->is_barrier && enqueue->wait_count == 0);
    if (!(hx_session_has_checks(session) & HX_CHECK_RACE))
        return;
    uint64_t *const behind = malloc(((size_t)enqueue->wait_count + 1) * sizeof *behind);
    is_order_unknown |= !behind;
    for (cl_uint i = 0; i < enqueue->wait_count && behind; i++) {
        const cl_event event = enqueue->wait_list[i];
        is_order_unknown |= event->type == CL_COMMAND_USER && event->status > CL_COMPLETE;
        behind[i + 1] = event->order;
    }
    if (!is_order_unknown) {
        char name[32];
        queue->number = queue->number ? queue->number : ++order_queues;
        snprintf(name, sizeof name, "queue %u", queue->number);
        behind[0] = waits_for_all ? queue->all : queue->barrier_order;
        command->order = ++orders;
        hx_session_command(session, command->order, name, behind, enqueue->wait_count + (size_t)1);
        const uint64_t both[2] = {queue->all, command->order};
        queue->all = is_ordered ? command->order : ++orders;
        if (!is_ordered)
            hx_session_command(session, queue->all, name, both, 2);
        if (enqueue->type == CL_COMMAND_BARRIER)
            queue->barrier_order = command->order;
    }
    free(behind);
}

/* With the lock. A barrier, and a marker, without a list waits for all that came before. */
static bool attach(const struct enqueue *enqueue, cl_event command)
{
    cl_command_queue queue = enqueue->queue;
    const bool is_ordered = !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const bool waits_for_all = enqueue->is_barrier && enqueue->wait_count == 0;
    size_t most = enqueue->wait_count + 2;
    for (cl_event other = queue->first; waits_for_all && other; other = other->next)
        most++;
    struct waiter *spare = make_waiters(most);
    const bool is_complete = count_waiters(spare) == most;
    if (is_complete) {
        for (cl_uint i = 0; i < enqueue->wait_count; i++)
            wait_for(command, enqueue->wait_list[i], true, &spare);
        for (cl_event other = queue->first; waits_for_all && other; other = other->next)
            wait_for(command, other, false, &spare);
        if (is_ordered && queue->last)
            wait_for(command, queue->last, false, &spare);
        else if (queue->barrier)
            wait_for(command, queue->barrier, false, &spare);
    }
    while (spare) {
        struct waiter *next = spare->next;
        free(spare);
        spare = next;
    }
    return is_complete;
}

/* With the lock: a list whose next command nobody runs yet, and which is the event or one that it must come
 * behind; NULL: there is none. */
static struct ready *find_idle(cl_event event)
{
    const bool is_ordered =
        event->queue && !(event->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (size_t i = 0; i < LANE_COUNT; i++) {
        const cl_event next = ready[i].is_busy ? NULL : ready[i].first;
        if (next && (next == event || (is_ordered && next->queue == event->queue)))
            return &ready[i];
    }
    return NULL;
}

/* A thread that waits does what it waits for: to wake another one takes longer than most commands. */
static cl_int wait_until_complete(cl_event event)
{
    if (device_is_lost())
        return CL_OUT_OF_RESOURCES;
    threads_wait_begin();
    pthread_mutex_lock(&lock);
    while (event->status > CL_COMPLETE) {
        struct ready *idle = find_idle(event);
        if (idle)
            run_next(idle);
        else
            pthread_cond_wait(&changed, &lock);
    }
    const cl_int status = event->status;
    pthread_mutex_unlock(&lock);
    threads_wait_end();
    hx_session_waited(device_session(), event->order);
    return status;
}

cl_int command_give(const struct enqueue *enqueue, cl_event command)
{
    cl_command_queue queue = enqueue->queue;
    if (device_is_lost()) {
        command_discard(command);
        return CL_OUT_OF_RESOURCES;
    }
    threads_join();
    pthread_mutex_lock(&lock);
    const bool has_threads = start_threads(), is_attached = has_threads && attach(enqueue, command);
    if (!is_attached) {
        pthread_mutex_unlock(&lock);
        command_discard(command);
        return has_threads ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES;
    }
    tell_order(enqueue, command);
    unfinished += command->run != NULL;
    command->previous = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = command;
    queue->last = command;
    if (enqueue->type == CL_COMMAND_BARRIER)
        queue->barrier = command;
    if (enqueue->ret_event)
        *enqueue->ret_event = object_keep(command);
    if (enqueue->is_blocking)
        object_keep(command);
    if (command->pending == 0)
        push_ready(command);
    pthread_mutex_unlock(&lock);
    if (!enqueue->is_blocking)
        return CL_SUCCESS;
    const cl_int status = wait_until_complete(command);
    event_drop(command);
    return status < 0 ? status : CL_SUCCESS;
}

bool command_is_alone(cl_event command)
{
    const bool is_ordered = !(command->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    pthread_mutex_lock(&lock);
    size_t behind = is_ordered ? 0 : 1;
    for (cl_event at = command->queue->first; at && is_ordered; at = at->next)
        behind += at->run != NULL;
    const bool is_alone = unfinished <= behind;
    pthread_mutex_unlock(&lock);
    return is_alone && threads_all_wait();
}

cl_int queue_finish(cl_command_queue queue)
{
    const struct enqueue enqueue = {
        .queue = queue, .type = CL_COMMAND_MARKER, .is_blocking = true, .is_barrier = true};
    cl_event command = NULL;
    const cl_int error = command_new(&enqueue, &command);
    return error == CL_SUCCESS ? command_give(&enqueue, command) : error;
}

/* ---- Events -------------------------------------------------------------------------------------------- */

cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *events)
{
    if (count == 0 || !events)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!object_is(events[i], OBJECT_EVENT))
            return CL_INVALID_EVENT;
    for (cl_uint i = 1; i < count; i++)
        if (events[i]->context != events[0]->context)
            return CL_INVALID_CONTEXT;
    cl_int result = CL_SUCCESS;
    for (cl_uint i = 0; i < count; i++)
        if (wait_until_complete(events[i]) < 0)
            result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return result;
}

static cl_int status_of(cl_event event)
{
    if (device_is_lost()) /* what the parent does with it is not known here */
        return CL_OUT_OF_RESOURCES;
    pthread_mutex_lock(&lock);
    const cl_int status = event->status;
    pthread_mutex_unlock(&lock);
    if (status <= CL_COMPLETE)
        hx_session_waited(device_session(), event->order);
    return status;
}

cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t room, void *value,
                                  size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    if (!object_is(event, OBJECT_EVENT))
        return CL_INVALID_EVENT;
    switch (name) {
    case CL_EVENT_COMMAND_QUEUE:
        return ANSWER(&answer, cl_command_queue, event->queue);
    case CL_EVENT_CONTEXT:
        return ANSWER(&answer, cl_context, event->context);
    case CL_EVENT_COMMAND_TYPE:
        return ANSWER(&answer, cl_command_type, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return ANSWER(&answer, cl_int, status_of(event));
    case CL_EVENT_REFERENCE_COUNT:
        return ANSWER(&answer, cl_uint, atomic_load(&event->object.references));
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t room, void *value,
                                           size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    if (!object_is(event, OBJECT_EVENT))
        return CL_INVALID_EVENT;
    if (name < CL_PROFILING_COMMAND_QUEUED || name > CL_PROFILING_COMMAND_COMPLETE)
        return CL_INVALID_VALUE;
    if (!event->queue || !(event->queue->properties & CL_QUEUE_PROFILING_ENABLE) ||
        status_of(event) != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    const size_t place = name == CL_PROFILING_COMMAND_COMPLETE ? 3 : name - CL_PROFILING_COMMAND_QUEUED;
    return ANSWER(&answer, cl_ulong, event->times[place]);
}

cl_int CL_API_CALL clRetainEvent(cl_event event)
{
    if (!object_is(event, OBJECT_EVENT))
        return CL_INVALID_EVENT;
    object_keep(event);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clReleaseEvent(cl_event event)
{
    if (!object_is(event, OBJECT_EVENT))
        return CL_INVALID_EVENT;
    event_drop(event);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int status,
                                      void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *user)
{
    if (!object_is(event, OBJECT_EVENT))
        return CL_INVALID_EVENT;
    if (!function || (status != CL_SUBMITTED && status != CL_RUNNING && status != CL_COMPLETE))
        return CL_INVALID_VALUE;
    if (device_is_lost())
        return CL_OUT_OF_RESOURCES;
    pthread_mutex_lock(&lock);
    const cl_int error = callback_add(&event->callbacks, (void *)function, user, status), now = event->status;
    struct callback *callbacks = take_callbacks(event);
    pthread_mutex_unlock(&lock);
    call_callbacks(event, now, callbacks);
    return error;
}

cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *ret_error)
{
    const bool is_good = object_is(context, OBJECT_CONTEXT);
    cl_event event = is_good ? event_new(context, NULL, CL_COMMAND_USER) : NULL;
    if (ret_error)
        *ret_error = !is_good ? CL_INVALID_CONTEXT : event ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    return event;
}

cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status)
{
    if (!object_is(event, OBJECT_EVENT) || event->type != CL_COMMAND_USER)
        return CL_INVALID_EVENT;
    if (status > CL_COMPLETE)
        return CL_INVALID_VALUE;
    if (status_of(event) <= CL_COMPLETE)
        return CL_INVALID_OPERATION;
    complete(event, status);
    return CL_SUCCESS;
}
