/* The order of streams, for the checker `race`.
 *
 * Takes work as streams get it, tells the session what it comes behind: what its stream got before, the
 * record of an event that it waits for, and by the rules of the default stream. That one comes behind all
 * streams that wait for it, and they behind it. */
#include "devices/libcuda/order.h"

#include "devices/cuda/machine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct last {
    unsigned long long stream;
    bool is_apart;
    uint64_t number; /* of the last work */
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct last *lasts; /* of each stream that has got work; guarded, as all below, by lock */
static size_t count, room;
static bool is_stopped;

/* With the lock. NULL: no memory. */
static struct last *find(struct queue_stream stream)
{
    for (size_t i = 0; i < count; i++)
        if (lasts[i].stream == stream.number)
            return &lasts[i];
    if (count == room) {
        struct last *const grown = realloc(lasts, (2 * room + 16) * sizeof *grown);
        if (!grown)
            return NULL;
        lasts = grown;
        room = 2 * room + 16;
    }
    lasts[count] = (struct last){.stream = stream.number, .is_apart = stream.is_apart};
    return &lasts[count++];
}

/* With the lock. */
static void give(uint64_t number, struct queue_stream stream, uint64_t event)
{
    struct last *const own = find(stream);
    uint64_t *const behind = own ? malloc((count + 2) * sizeof *behind) : NULL;
    size_t behind_count = 0;
    char name[32];
    if (!behind) { /* then the order is not known any more */
        is_stopped = true;
        return;
    }
    behind[behind_count++] = own->number; /* first: it goes on there */
    behind[behind_count++] = event;
    for (size_t i = 0; i < count; i++)
        if (!stream.is_apart && !lasts[i].is_apart && (stream.number == 0 || lasts[i].stream == 0))
            behind[behind_count++] = lasts[i].number;
    if (stream.number == 0)
        snprintf(name, sizeof name, "the default stream");
    else
        snprintf(name, sizeof name, "stream %llu", stream.number);
    hx_session_command(machine_session(), number, name, behind, behind_count);
    own->number = number;
    free(behind);
}

void order_give(uint64_t number, struct queue_stream stream, uint64_t event)
{
    if (!(hx_session_has_checks(machine_session()) & HX_CHECK_RACE))
        return;
    pthread_mutex_lock(&lock);
    if (!is_stopped)
        give(number, stream, event);
    pthread_mutex_unlock(&lock);
}

void order_stop(void)
{
    pthread_mutex_lock(&lock);
    is_stopped = true;
    pthread_mutex_unlock(&lock);
}

static void waited(bool for_default)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        if (!for_default || !lasts[i].is_apart)
            hx_session_waited(machine_session(), lasts[i].number);
    pthread_mutex_unlock(&lock);
}

void order_waited_for_all(void)
{
    waited(false);
}

void order_waited_for_default(void)
{
    waited(true);
}
