/* Rings: one of fixed-size records for each thread that records, and the thread that writes them out.
 *
 * A ring has one writer (its thread) and one reader (the writer thread), so head and tail need no lock.
 * Records carry the time at which they were complete; the writer drains all rings and writes in that order.
 */
#include "trace/registry.h"

#if HX_TRACING
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DRAIN_INTERVAL_NS 20000000

struct ring {
    struct ring *next;
    _Atomic uint64_t head, tail; /* written and read so far */
    struct record records[RING_RECORDS];
};

/* The registry's share: rings are never freed while the process lives, because a thread may record at any
 * time. */
static struct {
    _Atomic(struct ring *) rings;
    _Atomic uint64_t dropped, generation;
    pthread_mutex_t lock;
    pthread_cond_t wake, drained;
    pthread_t thread;
    bool running, quit;
    uint64_t asked, done; /* numbers of flushes */
    void (*write)(const struct record *record);
    struct record *batch;
    size_t batch_capacity;
} rings = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .drained = PTHREAD_COND_INITIALIZER};

static _Thread_local struct ring *own;

static struct ring *own_ring(void)
{
    if (own)
        return own;
    struct ring *ring = memory_allocate(NULL, 1, sizeof *ring);
    if (!ring)
        return NULL;
    ring->next = atomic_load(&rings.rings);
    while (!atomic_compare_exchange_weak(&rings.rings, &ring->next, ring))
        ;
    return own = ring;
}

static void copy_fields(struct record *record, const hx_field *fields, size_t count)
{
    size_t used = 0;
    record->field_count = (uint8_t)(count < HX_FIELDS_MAX ? count : HX_FIELDS_MAX);
    for (size_t i = 0; i < record->field_count; i++) {
        record->fields[i] = fields[i];
        if (fields[i].kind != HX_FIELD_STR)
            continue;
        const char *string = fields[i].value.string ? fields[i].value.string : "";
        size_t length = strlen(string), room = RECORD_TEXT_BYTES - 1 - used;
        length = length < room ? length : room;
        memcpy(record->text + used, string, length);
        record->text[used + length] = 0;
        record->fields[i].value.u64 = used; /* an offset until the record is read */
        used += length + (length < room);
    }
}

void ring_put(enum record_kind kind, hx_level level, const char *target, const char *name,
              uint64_t start_ticks, uint64_t end_ticks, const hx_field *fields, size_t count)
{
    struct ring *ring = own_ring();
    uint64_t head = ring ? atomic_load_explicit(&ring->head, memory_order_relaxed) : 0;
    if (!ring || head - atomic_load_explicit(&ring->tail, memory_order_acquire) >= RING_RECORDS) {
        atomic_fetch_add_explicit(&rings.dropped, 1, memory_order_relaxed);
        return;
    }
    struct record *record = &ring->records[head % RING_RECORDS];
    record->kind = (uint8_t)kind;
    record->level = (uint8_t)level;
    record->target = target;
    record->name = name;
    record->start_ticks = start_ticks;
    record->end_ticks = end_ticks;
    copy_fields(record, fields, count);
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    if ((head + 1) % (RING_RECORDS / 4) == 0) { /* the writer sleeps: a ring that fills wakes it */
        pthread_mutex_lock(&rings.lock);
        pthread_cond_signal(&rings.wake);
        pthread_mutex_unlock(&rings.lock);
    }
}

static int compare_records(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->end_ticks != y->end_ticks)
        return x->end_ticks < y->end_ticks ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static size_t collect(void)
{
    size_t count = 0;
    for (struct ring *ring = atomic_load(&rings.rings); ring; ring = ring->next) {
        uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed),
                 head = atomic_load_explicit(&ring->head, memory_order_acquire);
        if (!memory_list_reserve(NULL, (void **)&rings.batch, count, &rings.batch_capacity,
                                 (size_t)(head - tail), sizeof(struct record)))
            continue; /* later, when there is memory */
        for (; tail < head; tail++) {
            rings.batch[count] = ring->records[tail % RING_RECORDS];
            rings.batch[count].order = count;
            count++;
        }
        atomic_store_explicit(&ring->tail, tail, memory_order_release);
    }
    return count;
}

static void drain(void)
{
    size_t count = collect();
    if (count > 1)
        qsort(rings.batch, count, sizeof *rings.batch, compare_records);
    for (size_t i = 0; i < count; i++) {
        struct record *record = &rings.batch[i];
        for (unsigned k = 0; k < record->field_count; k++)
            if (record->fields[k].kind == HX_FIELD_STR)
                record->fields[k].value.string = record->text + record->fields[k].value.u64;
        rings.write(record);
    }
}

static void *writer_main(void *user)
{
    (void)user;
    pthread_mutex_lock(&rings.lock);
    for (;;) {
        if (!rings.quit && rings.asked == rings.done) {
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_nsec += DRAIN_INTERVAL_NS;
            until.tv_sec += until.tv_nsec / 1000000000;
            until.tv_nsec %= 1000000000;
            pthread_cond_timedwait(&rings.wake, &rings.lock, &until);
        }
        uint64_t asked = rings.asked;
        bool quit = rings.quit;
        pthread_mutex_unlock(&rings.lock);
        drain();
        pthread_mutex_lock(&rings.lock);
        rings.done = asked;
        pthread_cond_broadcast(&rings.drained);
        if (quit)
            break;
    }
    pthread_mutex_unlock(&rings.lock);
    return NULL;
}

hx_status ring_start(void (*write)(const struct record *record))
{
    rings.write = write;
    rings.quit = false;
    rings.asked = rings.done = 0;
    atomic_store(&rings.dropped, 0);
    rings.running = pthread_create(&rings.thread, NULL, writer_main, NULL) == 0;
    return rings.running ? HX_OK : HX_SYSTEM;
}

void ring_flush(void)
{
    pthread_mutex_lock(&rings.lock);
    if (rings.running) {
        uint64_t mine = ++rings.asked;
        pthread_cond_signal(&rings.wake);
        while (rings.done < mine)
            pthread_cond_wait(&rings.drained, &rings.lock);
    }
    pthread_mutex_unlock(&rings.lock);
}

void ring_stop(void)
{
    if (!rings.running)
        return;
    pthread_mutex_lock(&rings.lock);
    rings.quit = true;
    pthread_cond_signal(&rings.wake);
    pthread_mutex_unlock(&rings.lock);
    pthread_join(rings.thread, NULL);
    rings.running = false;
    memory_free(NULL, rings.batch);
    rings.batch = NULL;
    rings.batch_capacity = 0;
}

uint64_t ring_dropped(void)
{
    return atomic_load(&rings.dropped);
}
#endif
