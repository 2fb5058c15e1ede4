/* Events and the marks behind them.
 *
 * Recording an event makes a new mark, which the event, the stream's work and all waiting work share: so an
 * event may be recorded again or freed while work still waits for where it was, and no work waits for
 * anything but work that was given before, so that no circle of waiting can close. */
#include "api/mark.h"

#include "base/diag.h"
#include "base/machine.h"

#include <pthread.h>

struct mark {
    const hx_allocator *allocator;
    pthread_mutex_t lock;
    pthread_cond_t reached;
    uint32_t references; /* guarded, as all below, by lock */
    bool is_reached;
    uint64_t ns;
};

struct hx_event {
    const hx_allocator *allocator;
    pthread_mutex_t lock;
    struct mark *last; /* guarded by lock */
};

struct mark *mark_new(const hx_allocator *allocator)
{
    struct mark *mark = memory_allocate(allocator, 1, sizeof *mark);
    if (!mark)
        return NULL;
    mark->allocator = allocator;
    mark->references = 1;
    pthread_mutex_init(&mark->lock, NULL);
    pthread_cond_init(&mark->reached, NULL);
    return mark;
}

struct mark *mark_keep(struct mark *mark)
{
    pthread_mutex_lock(&mark->lock);
    mark->references++;
    pthread_mutex_unlock(&mark->lock);
    return mark;
}

void mark_drop(struct mark *mark)
{
    if (!mark)
        return;
    pthread_mutex_lock(&mark->lock);
    const uint32_t left = --mark->references;
    pthread_mutex_unlock(&mark->lock);
    if (left > 0)
        return;
    pthread_cond_destroy(&mark->reached);
    pthread_mutex_destroy(&mark->lock);
    memory_free(mark->allocator, mark);
}

void mark_reach(struct mark *mark)
{
    pthread_mutex_lock(&mark->lock);
    mark->is_reached = true;
    mark->ns = machine_now_ns();
    pthread_cond_broadcast(&mark->reached);
    pthread_mutex_unlock(&mark->lock);
}

void mark_wait(struct mark *mark)
{
    pthread_mutex_lock(&mark->lock);
    while (!mark->is_reached)
        pthread_cond_wait(&mark->reached, &mark->lock);
    pthread_mutex_unlock(&mark->lock);
}

bool mark_is_reached(struct mark *mark, uint64_t *ret_ns)
{
    pthread_mutex_lock(&mark->lock);
    const bool is_reached = mark->is_reached;
    *ret_ns = mark->ns;
    pthread_mutex_unlock(&mark->lock);
    return is_reached;
}

void mark_put(hx_event *event, struct mark *mark)
{
    mark_keep(mark);
    pthread_mutex_lock(&event->lock);
    struct mark *before = event->last;
    event->last = mark;
    pthread_mutex_unlock(&event->lock);
    mark_drop(before);
}

struct mark *mark_of(const hx_event *event)
{
    hx_event *self = (hx_event *)(uintptr_t)event; /* which is as it was when its lock is given back */
    pthread_mutex_lock(&self->lock);
    struct mark *mark = self->last ? mark_keep(self->last) : NULL;
    pthread_mutex_unlock(&self->lock);
    return mark;
}

const hx_allocator *mark_allocator(const hx_event *event)
{
    return event->allocator;
}

hx_status hx_event_new(const hx_allocator *allocator, hx_diag *diag, hx_event **ret_event)
{
    DIAG_REQUIRE(diag, ret_event);
    hx_event *event = memory_allocate(allocator, 1, sizeof *event);
    if (!event)
        return diag_no_memory(diag);
    event->allocator = allocator;
    pthread_mutex_init(&event->lock, NULL);
    *ret_event = event;
    return HX_OK;
}

void hx_event_free(hx_event *event)
{
    if (!event)
        return;
    mark_drop(event->last);
    pthread_mutex_destroy(&event->lock);
    memory_free(event->allocator, event);
}

void hx_event_synchronize(const hx_event *event)
{
    if (!event)
        return;
    struct mark *mark = mark_of(event);
    if (mark)
        mark_wait(mark);
    mark_drop(mark);
}

int hx_event_query(const hx_event *event)
{
    if (!event)
        return 1;
    uint64_t ns;
    struct mark *mark = mark_of(event);
    const bool is_reached = !mark || mark_is_reached(mark, &ns);
    mark_drop(mark);
    return is_reached;
}

hx_status hx_event_elapsed_ns(const hx_event *start, const hx_event *end, int64_t *ret_ns)
{
    DIAG_REQUIRE(NULL, start);
    DIAG_REQUIRE(NULL, end);
    DIAG_REQUIRE(NULL, ret_ns);
    struct mark *first = mark_of(start), *last = mark_of(end);
    uint64_t first_ns, last_ns;
    const bool are_reached =
        first && last && mark_is_reached(first, &first_ns) && mark_is_reached(last, &last_ns);
    if (are_reached)
        *ret_ns = (int64_t)(last_ns - first_ns);
    mark_drop(first);
    mark_drop(last);
    return are_reached ? HX_OK : HX_INVALID;
}
