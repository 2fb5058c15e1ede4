/* The queue: what streams were given, until it is done.
 *
 * One thread empties it in the order in which work was given, which keeps every order that streams and events
 * want. Work that waits for a value in memory is left where it is while there is none, with all that must
 * come behind it: what its stream got later, what waits for events among that, and the default stream's work
 * where the stream is one that it waits for. Other work goes on, so that it can write the value. */
#include "devices/libcuda/work.h"

#include "devices/calls/threads.h"
#include "devices/cuda/machine.h"
#include "devices/libcuda/order.h"

#include <stdlib.h>
#include <time.h>

struct queued {
    struct queued *next;
    uint64_t number;
    struct queue_stream stream;
    uint64_t after; /* WORK_WAIT_EVENT: the record's number */
    struct work work;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t offered = PTHREAD_COND_INITIALIZER, ended = PTHREAD_COND_INITIALIZER;
static struct queued *first, *last;  /* guarded, as all below, by lock; numbers grow */
static uint64_t given;               /* how much work was, ever */
static const struct queued *running; /* it is in the list no more; NULL: nothing is being done */
static bool has_thread;
static _Thread_local bool is_working; /* this thread does it */

/* ---- What is next -------------------------------------------------------------------------------------- */

/* Streams that have work which has to wait, while one looks through the list. */
struct held {
    unsigned long long *streams; /* owned */
    size_t count, room;
    bool has_default, has_other; /* the default stream is one; one of those that wait for it is */
};

static bool is_held(const struct held *held, struct queue_stream stream)
{
    if (stream.number == 0)
        return held->has_default || held->has_other;
    if (held->has_default && !stream.is_apart)
        return true;
    for (size_t i = 0; i < held->count; i++)
        if (held->streams[i] == stream.number)
            return true;
    return false;
}

/* False: there is no memory to look further. */
static bool hold(struct held *held, struct queue_stream stream)
{
    held->has_default |= stream.number == 0;
    held->has_other |= stream.number != 0 && !stream.is_apart;
    if (held->count == held->room) {
        const size_t room = 2 * held->room + 16;
        unsigned long long *grown = realloc(held->streams, room * sizeof *grown);
        if (!grown)
            return false;
        held->streams = grown;
        held->room = room;
    }
    held->streams[held->count++] = stream.number;
    return true;
}

static bool is_listed(uint64_t number)
{
    const struct queued *at = first;
    while (at && at->number < number)
        at = at->next;
    return at && at->number == number;
}

static bool has_to_wait(const struct queued *queued)
{
    if (queued->work.kind == WORK_WAIT_EVENT)
        return is_listed(queued->after);
    return work_waits(&queued->work);
}

/* With the lock, while nothing is being done: where the work that is next stands; NULL: there is none that
 * need not wait. */
static struct queued **choose(void)
{
    if (!first || !has_to_wait(first))
        return first ? &first : NULL;
    struct held held = {0};
    struct queued **at = &first;
    bool can_look = true, is_found = false;
    while (*at && can_look && !is_found) {
        const bool is_behind = is_held(&held, (*at)->stream);
        is_found = !is_behind && !has_to_wait(*at);
        if (!is_found && !is_behind)
            can_look = hold(&held, (*at)->stream);
        if (!is_found)
            at = &(*at)->next;
    }
    free(held.streams);
    return is_found ? at : NULL;
}

/* With the lock, which is free while the work is done. False: there is none that can be done now. */
static bool do_next(void)
{
    struct queued **place = running ? NULL : choose();
    if (!place)
        return false;
    struct queued *queued = *place;
    *place = queued->next;
    if (last == queued) {
        last = first;
        while (last && last->next)
            last = last->next;
    }
    running = queued;
    is_working = true;
    pthread_mutex_unlock(&lock);
    machine_do(queued->number);
    if (queued->work.kind == WORK_HOST) /* it knows what was done before */
        hx_session_waited(machine_session(), queued->number);
    const CUresult error = work_run(&queued->work);
    machine_do(0);
    if (error != CUDA_SUCCESS && driver_stopped() == CUDA_SUCCESS)
        driver_stop(error);
    work_done(&queued->work);
    pthread_mutex_lock(&lock);
    running = NULL;
    is_working = false;
    free(queued);
    pthread_cond_broadcast(&ended);
    if (first)
        pthread_cond_signal(&offered);
    return true;
}

/* With the lock: until the condition, or for so long as a value may take to come without one. */
static void wait_shortly(pthread_cond_t *condition)
{
    enum { NS = 50000, SECOND = 1000000000 };
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += NS;
    until.tv_sec += until.tv_nsec / SECOND;
    until.tv_nsec %= SECOND;
    (void)pthread_cond_timedwait(condition, &lock, &until);
}

static void *empty_queue(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!first || running)
            pthread_cond_wait(&offered, &lock);
        if (!do_next())
            wait_shortly(&offered);
    }
    return NULL;
}

/* ---- Giving -------------------------------------------------------------------------------------------- */

/* With the lock. The thread ends with the process. */
static bool start_thread(void)
{
    if (has_thread)
        return true;
    has_thread = threads_start(empty_queue, NULL);
    return has_thread;
}

static void free_list(struct queued *list)
{
    while (list) {
        struct queued *next = list->next;
        work_done(&list->work);
        free(list);
        list = next;
    }
}

/* Copies of the work, of a list those of its items, behind **end, which becomes the new end. */
static CUresult make_list(const struct work *work, struct queue_stream stream, struct queued ***end)
{
    CUresult error = CUDA_SUCCESS;
    if (work->kind == WORK_LIST) {
        for (size_t i = 0; i < work->as.list.count && error == CUDA_SUCCESS; i++)
            error = make_list(&work->as.list.items[i], stream, end);
        return error;
    }
    struct queued *queued = calloc(1, sizeof *queued);
    if (!queued)
        return CUDA_ERROR_OUT_OF_MEMORY;
    queued->stream = stream;
    error = work_copy(work, &queued->work);
    if (error != CUDA_SUCCESS) {
        free(queued);
        return error;
    }
    **end = queued;
    *end = &queued->next;
    return CUDA_SUCCESS;
}

/* With the lock. */
static void append(struct queued *list)
{
    if (first)
        last->next = list;
    else
        first = list;
    for (struct queued *at = list; at; at = at->next) {
        at->number = ++given;
        if (at->work.kind == WORK_RECORD)
            event_expect(at->work.as.event, at->number);
        if (at->work.kind == WORK_WAIT_EVENT)
            at->after = event_ticket(at->work.as.event);
        if (at->work.kind == WORK_WAIT_VALUE)
            order_stop();
        order_give(at->number, at->stream, at->after);
        last = at;
    }
}

CUresult queue_give(const struct work *work, struct queue_stream stream, uint64_t *ret_ticket)
{
    struct queued *list = NULL, **end = &list;
    if (machine_is_lost())
        return CUDA_ERROR_NOT_INITIALIZED;
    CUresult error = make_list(work, stream, &end);
    if (error == CUDA_SUCCESS && !list) /* an empty list: it has an end all the same */
        error = make_list(&(const struct work){.kind = WORK_NOTHING}, stream, &end);
    pthread_mutex_lock(&lock);
    if (!is_working)
        threads_join();
    if (error == CUDA_SUCCESS && !start_thread())
        error = CUDA_ERROR_OUT_OF_MEMORY;
    if (error == CUDA_SUCCESS) {
        append(list);
        if (ret_ticket)
            *ret_ticket = given;
        pthread_cond_signal(&offered);
    }
    pthread_mutex_unlock(&lock);
    if (error != CUDA_SUCCESS)
        free_list(list);
    return error;
}

/* ---- Waiting ------------------------------------------------------------------------------------------- */

/* With the lock, as those below. */
static bool is_done(uint64_t number)
{
    return !(running && running->number == number) && !is_listed(number);
}

static bool all_is_done(uint64_t number)
{
    return !(running && running->number <= number) && !(first && first->number <= number);
}

/* A thread that waits does the work itself: to wake another one takes longer than most of it. */
static void wait_until(bool (*is_over)(uint64_t number), uint64_t number)
{
    if (is_working)
        return;
    threads_wait_begin();
    while (!is_over(number)) {
        if (running || !first)
            pthread_cond_wait(&ended, &lock);
        else if (!do_next())
            wait_shortly(&ended);
    }
    threads_wait_end();
}

/* A program can write what a kernel reads as long as one of its threads does not wait, where it has memory
 * that both reach, and by work of other streams, which waits here for the kernel, and on a GPU would not. */
bool machine_may_change(void)
{
    pthread_mutex_lock(&lock);
    bool may_change = !running || !threads_all_wait();
    for (const struct queued *at = first; at && !may_change; at = at->next)
        may_change = at->stream.number != running->stream.number;
    pthread_mutex_unlock(&lock);
    return may_change || memory_has_host_memory();
}

void queue_wait(uint64_t ticket)
{
    if (machine_is_lost())
        return;
    pthread_mutex_lock(&lock);
    wait_until(is_done, ticket);
    pthread_mutex_unlock(&lock);
    hx_session_waited(machine_session(), ticket);
}

uint64_t queue_begin_now(void)
{
    pthread_mutex_lock(&lock);
    const uint64_t number = ++given;
    order_give(number, (struct queue_stream){0, false}, 0);
    pthread_mutex_unlock(&lock);
    return number;
}

void queue_wait_for_all(void)
{
    if (machine_is_lost())
        return;
    pthread_mutex_lock(&lock);
    wait_until(all_is_done, given);
    order_waited_for_all();
    pthread_mutex_unlock(&lock);
}

static bool is_of_default(const struct queued *queued)
{
    return queued->stream.number == 0 || !queued->stream.is_apart;
}

static bool default_is_done(uint64_t number)
{
    bool is_over = !(running && running->number <= number && is_of_default(running));
    for (const struct queued *at = first; at && is_over && at->number <= number; at = at->next)
        is_over = !is_of_default(at);
    return is_over;
}

void queue_wait_for_default(void)
{
    if (machine_is_lost())
        return;
    pthread_mutex_lock(&lock);
    wait_until(default_is_done, given);
    order_waited_for_default();
    pthread_mutex_unlock(&lock);
}

bool queue_is_done(uint64_t ticket)
{
    pthread_mutex_lock(&lock);
    const bool is_over = is_done(ticket);
    pthread_mutex_unlock(&lock);
    if (is_over)
        hx_session_waited(machine_session(), ticket);
    return is_over;
}

bool queue_default_is_done(void)
{
    pthread_mutex_lock(&lock);
    const bool is_over = default_is_done(given);
    if (is_over)
        order_waited_for_default();
    pthread_mutex_unlock(&lock);
    return is_over;
}

/* When the process ends, work that waits for a value that nothing writes ends with it. */
void machine_drain(void)
{
    if (machine_is_lost())
        return;
    pthread_mutex_lock(&lock);
    const bool is_own = is_working;
    if (!is_own)
        threads_wait_begin();
    while (!is_working && (running || do_next()))
        if (running)
            pthread_cond_wait(&ended, &lock);
    if (!is_own)
        threads_wait_end();
    pthread_mutex_unlock(&lock);
}
