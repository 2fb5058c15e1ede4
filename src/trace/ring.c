/* Rings: one for each thread that records, and the thread that writes them out.
 *
 * Takes records from any thread, leaves them with one consumer in order of time. A ring has one producer (its
 * thread) and one reader (the writer), so that two counters are all they share; the writer merges the rings
 * by the times at which their records end, reading them where they lie. A record may be published a moment
 * after its end, so the writer leaves the last MARGIN_NS alone until a flush. A thread that ends
 * gives its ring back for the next one to take.
 *
 * A log may have holes, which are counted; a file with holes would be wrong without notice. So a
 * full ring drops what is for the log and waits for the writer with what is for a file: it sleeps between two
 * checks, without a lock, and how long is counted. */
#include "trace/ring.h"

#if HX_TRACING
#include "base/memory.h"
#include "base/thread.h"
#include "trace/forms.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define MARGIN_NS        50000
#define POLL_BUSY_NS     10000000  /* how often the writer checks while there are records */
#define POLL_IDLE_NS     100000000 /* and while there are none */
#define WAIT_NS          20000     /* between two checks of a full ring */
#define CAPACITY_LEAST   2
#define CAPACITY_MOST    (1u << 20)
#define MARKS_A_RECORD   4 /* a tape has room for so many marks for each record of the ring */
#define READS_MOST       8 /* how often counters that change are read again */
#define WAKES_A_TAPE     4 /* how often the writer is woken while one fills */
#define CACHE_LINE_BYTES 64
#define ID_BITS          40 /* of a ring's spans; above them its number */
#define ID_MASK          ((UINT64_C(1) << ID_BITS) - 1)

_Static_assert(sizeof(struct record) <= 8 * CACHE_LINE_BYTES, "a record is eight cache lines at most");

struct ring {
    struct ring *next;
    void *block;     /* what it was carved from */
    size_t capacity; /* a power of two */
    uint32_t number;
    bool is_taken; /* by a thread that lives */
    /* the producer's */
    _Alignas(CACHE_LINE_BYTES) _Atomic uint64_t head; /* records written */
    uint64_t seen_tail;                               /* `tail` when it was last read */
    uint64_t spans;                                   /* numbers given out by ring_next_id */
    _Atomic uint64_t dropped, waited_ns;
    _Alignas(CACHE_LINE_BYTES) _Atomic uint64_t marks_head; /* marks written, of the tape */
    _Atomic uint64_t contexts;                              /* of them, contexts */
    struct form_context context;                            /* the next one, while has_context */
    bool has_context;
    uint64_t woke_at; /* the mark for which the writer was last woken */
    /* the writer's */
    _Alignas(CACHE_LINE_BYTES) _Atomic uint64_t tail; /* records read */
    uint64_t next_read, end_read;                     /* during one merge */
    _Atomic uint64_t marks_tail;
    uint64_t next_mark, end_mark;
    uint64_t contexts_read;
    struct form_context read_context; /* of the marks that come */
    struct tape_mark *marks;          /* as many as fit MARKS_A_RECORD; NULL: it never had a tape */
    struct record records[];
};

/* The registry's rings. The lock guards the list and the lives of the rings, never a record. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t drained;
    pthread_key_t key; /* its destructor gives a thread's ring back */
    bool has_key, has_wake, is_running, must_quit;
    _Atomic bool may_wait; /* the writer runs */
    pthread_t writer;
    sem_t wake;
    struct ring *list;
    uint32_t count; /* rings ever made */
    _Atomic size_t capacity;
    _Atomic uint64_t dropped_without_ring;
    uint64_t flushes_asked, flushes_done;
    const struct machine_timer *timer;
    ring_consumer consume;
    ring_has_listener has_listener;
} rings = {.lock = PTHREAD_MUTEX_INITIALIZER, .drained = PTHREAD_COND_INITIALIZER};

static _Thread_local struct ring *own;

/* ---- A thread's ring ----------------------------------------------------------------------------------- */

static void give_back(void *ring)
{
    pthread_mutex_lock(&rings.lock);
    ((struct ring *)ring)->is_taken = false;
    pthread_mutex_unlock(&rings.lock);
    own = NULL;
}

/* When the library is unloaded, no thread that ends later may call into it. */
static void __attribute__((destructor)) forget_key(void)
{
    if (rings.has_key)
        pthread_key_delete(rings.key);
    rings.has_key = false;
}

static struct ring *find_free(size_t capacity)
{
    for (struct ring *ring = rings.list; ring; ring = ring->next)
        if (!ring->is_taken && ring->capacity == capacity)
            return ring;
    return NULL;
}

static struct ring *make_ring(size_t capacity)
{
    size_t bytes;
    if (!size_multiply(capacity, sizeof(struct record), &bytes) ||
        !size_add(bytes, sizeof(struct ring) + CACHE_LINE_BYTES, &bytes))
        return NULL;
    /* not cleared: most of a ring's pages are never touched */
    char *block = memory_resize(NULL, NULL, 1, bytes);
    if (!block)
        return NULL;
    struct ring *ring = (struct ring *)(block + (-(uintptr_t)block & (CACHE_LINE_BYTES - 1)));
    memset(ring, 0, sizeof *ring);
    ring->block = block;
    ring->capacity = capacity;
    ring->number = rings.count++;
    ring->next = rings.list;
    rings.list = ring;
    return ring;
}

/* The slow way, taken by a thread's first record, and by its first one after the capacity has changed. */
static struct ring *take_ring(size_t capacity)
{
    pthread_mutex_lock(&rings.lock);
    if (own)
        own->is_taken = false;
    struct ring *ring = find_free(capacity);
    if (!ring)
        ring = make_ring(capacity);
    if (ring) {
        ring->is_taken = true;
        if (rings.has_key)
            pthread_setspecific(rings.key, ring);
    }
    pthread_mutex_unlock(&rings.lock);
    return own = ring;
}

static inline struct ring *own_ring(void)
{
    size_t capacity = atomic_load_explicit(&rings.capacity, memory_order_relaxed);
    return __builtin_expect(own && own->capacity == capacity, 1) ? own : take_ring(capacity);
}

uint64_t ring_next_id(void)
{
    struct ring *ring = own_ring();
    return ring ? ((uint64_t)(ring->number + 1) << ID_BITS) + ++ring->spans : 0;
}

/* ---- Recording ----------------------------------------------------------------------------------------- */

/* Copies a string behind `used` bytes of the record's text; one that does not fit ends in "...". */
static size_t copy_text(struct record *record, size_t used, const char *string)
{
    size_t room = RECORD_TEXT_BYTES - used /* at least 1 */, length = string ? strnlen(string, room) : 0;
    if (length < room) {
        memcpy(record->text + used, string ? string : "", length + 1);
        return used + length + 1;
    }
    static const char cut[] = "...";
    size_t kept = room > sizeof cut ? room - sizeof cut : 0;
    while (kept > 0 && ((unsigned char)string[kept] & 0xc0) == 0x80) /* not within a character of UTF-8 */
        kept--;
    memcpy(record->text + used, string, kept);
    size_t dots = room - 1 - kept < sizeof cut - 1 ? room - 1 - kept : sizeof cut - 1;
    memcpy(record->text + used + kept, cut, dots);
    record->text[used + kept + dots] = 0;
    return used + kept + dots + 1;
}

static void copy_fields(struct record *record, const hx_field *fields, size_t count)
{
    size_t used = 0;
    count = count < HX_FIELDS_MAX ? count : HX_FIELDS_MAX;
    record->field_count = (uint8_t)count;
    for (size_t i = 0; i < count; i++) {
        record->fields[i].name = fields[i].name;
        record->kinds[i] = (uint8_t)fields[i].kind;
        switch (fields[i].kind) {
        case HX_FIELD_STR:
            used = used < RECORD_TEXT_BYTES ? used : RECORD_TEXT_BYTES - 1;
            record->fields[i].value = used;
            used = copy_text(record, used, fields[i].value.string);
            break;
        case HX_FIELD_BOOL:
            record->fields[i].value = fields[i].value.boolean != 0;
            break;
        default:
            memcpy(&record->fields[i].value, &fields[i].value, sizeof record->fields[i].value);
        }
    }
}

static bool has_room(struct ring *ring, uint64_t at)
{
    if (at - ring->seen_tail < ring->capacity)
        return true;
    ring->seen_tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    return at - ring->seen_tail < ring->capacity;
}

/* False when there is no writer that could make room. */
static bool wait_for_room(struct ring *ring, uint64_t at)
{
    static const struct timespec pause = {.tv_nsec = WAIT_NS};
    const uint64_t start = machine_now_ns();
    bool waits = true;
    while (!has_room(ring, at) && (waits = atomic_load(&rings.may_wait))) {
        sem_post(&rings.wake);
        nanosleep(&pause, NULL);
    }
    atomic_fetch_add_explicit(&ring->waited_ns, machine_now_ns() - start, memory_order_relaxed);
    return waits;
}

void ring_put(const struct record_head *head, unsigned wanted, const hx_field *fields, size_t count)
{
    struct ring *ring = own_ring();
    if (!ring) {
        atomic_fetch_add_explicit(&rings.dropped_without_ring, 1, memory_order_relaxed);
        return;
    }
    uint64_t at = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (!has_room(ring, at) && !((wanted & WANTED_FILES) && wait_for_room(ring, at))) {
        atomic_fetch_add_explicit(&ring->dropped, 1, memory_order_relaxed);
        return;
    }
    struct record *record = &ring->records[at & (ring->capacity - 1)];
    record->head = *head;
    record->head.thread = ring->number;
    record->wanted = (uint8_t)wanted;
    copy_fields(record, fields, count);
    atomic_store_explicit(&ring->head, at + 1, memory_order_release);
    if (((at + 1) & (ring->capacity / 4 - (ring->capacity >= 4))) == 0)
        sem_post(&rings.wake); /* a quarter more: the writer may sleep */
}

/* ---- Tapes --------------------------------------------------------------------------------------------- */

/* The reader needs the context before the marks. */
static bool put_context(struct tape *tape, struct ring *ring, uint64_t tail, uint64_t capacity)
{
    if (!ring->has_context)
        return true;
    if (tape->at + 2 - tail > capacity)
        return false;
    tape->marks[tape->at++ & tape->mask] = forms_context_mark(&ring->context);
    ring->has_context = false;
    atomic_fetch_add_explicit(&ring->contexts, 1, memory_order_relaxed);
    atomic_store_explicit(tape->head, tape->at, memory_order_release);
    return true;
}

/* Called at the places where the writer is to be woken, and where the tape was full at the last check. */
static bool find_room(struct tape *tape)
{
    struct ring *ring = tape->reader;
    const uint64_t capacity = tape->mask + 1, step = capacity / WAKES_A_TAPE;
    const uint64_t tail = atomic_load_explicit(&ring->marks_tail, memory_order_acquire);
    if (tape->at % step == 0 && ring->woke_at != tape->at) {
        ring->woke_at = tape->at;
        sem_post(&rings.wake);
    }
    if (tape->at - tail == capacity || !put_context(tape, ring, tail, capacity)) {
        atomic_fetch_add_explicit(&ring->dropped, 1, memory_order_relaxed);
        return false;
    }
    const uint64_t next_wake = (tape->at / step + 1) * step, full = tail + capacity;
    tape->limit = next_wake < full ? next_wake : full;
    return true;
}

bool ring_open_tape(struct tape *tape, const struct form_context *context)
{
    struct ring *ring = own_ring();
    if (!ring)
        return false;
    const size_t room = ring->capacity * MARKS_A_RECORD;
    pthread_mutex_lock(&rings.lock); /* the writer reads `marks` under it */
    if (!ring->marks)
        ring->marks = memory_resize(NULL, NULL, room, sizeof *ring->marks);
    pthread_mutex_unlock(&rings.lock);
    if (!ring->marks)
        return false;
    ring->context = *context;
    ring->has_context = true;
    tape->marks = ring->marks;
    tape->mask = room - 1;
    tape->at = tape->limit = atomic_load_explicit(&ring->marks_head, memory_order_relaxed);
    tape->head = &ring->marks_head;
    tape->more = find_room;
    tape->reader = ring;
    return true;
}

uint64_t ring_dropped(void)
{
    uint64_t sum = atomic_load(&rings.dropped_without_ring);
    pthread_mutex_lock(&rings.lock);
    for (struct ring *ring = rings.list; ring; ring = ring->next)
        sum += atomic_load(&ring->dropped);
    pthread_mutex_unlock(&rings.lock);
    return sum;
}

uint64_t ring_waited_ns(void)
{
    uint64_t sum = 0;
    pthread_mutex_lock(&rings.lock);
    for (struct ring *ring = rings.list; ring; ring = ring->next)
        sum += atomic_load(&ring->waited_ns);
    pthread_mutex_unlock(&rings.lock);
    return sum;
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

/* The next of a ring: a record, or a mark of its tape. */
struct coming {
    struct ring *ring;
    bool is_mark;
    uint64_t start_ticks, end_ticks;
};

static const struct record *next_record(const struct ring *ring)
{
    return &ring->records[ring->next_read & (ring->capacity - 1)];
}

static const struct tape_mark *next_mark(const struct ring *ring)
{
    return &ring->marks[ring->next_mark & (ring->capacity * MARKS_A_RECORD - 1)];
}

/* Does a come before b? What ends at the same tick and began later was inside. */
static bool comes_first(const struct coming *a, const struct coming *b)
{
    return !b->ring ||
           (a->end_ticks != b->end_ticks ? a->end_ticks < b->end_ticks : a->start_ticks > b->start_ticks);
}

/* `ring` NULL: there is nothing more. */
static struct coming earliest(struct ring *list)
{
    struct coming first = {0};
    for (struct ring *ring = list; ring; ring = ring->next) {
        if (ring->next_read != ring->end_read) {
            const struct record_head *head = &next_record(ring)->head;
            const struct coming coming = {ring, false, head->start_ticks, head->end_ticks};
            first = comes_first(&coming, &first) ? coming : first;
        }
        if (ring->next_mark != ring->end_mark) {
            const struct tape_mark *mark = next_mark(ring);
            const struct coming coming = {ring, true, tape_mark_start(mark), mark->end_ticks};
            first = comes_first(&coming, &first) ? coming : first;
        }
    }
    return first;
}

/* NULL for a context, which is no record. `room` holds what a mark is made into. */
static const struct record *take(const struct coming *coming, struct record *room)
{
    struct ring *ring = coming->ring;
    if (!coming->is_mark) {
        const struct record *record = next_record(ring);
        ring->next_read++;
        return record;
    }
    const struct tape_mark *mark = next_mark(ring);
    const uint64_t id = ((uint64_t)(ring->number + 1) << ID_BITS) + (ring->next_mark & ID_MASK);
    ring->next_mark++;
    if (forms_is_context(mark, &ring->read_context)) {
        ring->contexts_read++;
        return NULL;
    }
    forms_expand(mark, &ring->read_context, ring->number, id, room);
    return room;
}

/* Goes over the marks that are there; only contexts must be known later. */
static void skip_marks(struct ring *ring)
{
    if (ring->contexts_read == atomic_load_explicit(&ring->contexts, memory_order_relaxed))
        ring->next_mark = ring->end_mark;
    for (; ring->next_mark != ring->end_mark; ring->next_mark++)
        ring->contexts_read += forms_is_context(next_mark(ring), &ring->read_context);
    atomic_store_explicit(&ring->marks_tail, ring->next_mark, memory_order_release);
}

/* What lies in a ring and on its tape, as of one moment: what is there of one of them is not older than what
 * is not yet there of the other. */
static void read_ends(struct ring *ring)
{
    ring->next_read = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    ring->next_mark = atomic_load_explicit(&ring->marks_tail, memory_order_relaxed);
    for (int i = 0; i < READS_MOST; i++) {
        ring->end_read = atomic_load_explicit(&ring->head, memory_order_acquire);
        ring->end_mark = atomic_load_explicit(&ring->marks_head, memory_order_acquire);
        if (ring->end_read == atomic_load_explicit(&ring->head, memory_order_relaxed))
            return;
    }
}

/* What lies in the rings now. New rings are put at the front of the list and none is freed while the writer
 * runs, so that the list holds still from what this returns on. */
static struct ring *read_rings(void)
{
    const bool has_listener = rings.has_listener();
    pthread_mutex_lock(&rings.lock);
    struct ring *list = rings.list;
    pthread_mutex_unlock(&rings.lock);
    for (struct ring *ring = list; ring; ring = ring->next) {
        read_ends(ring);
        if (!has_listener && ring->next_mark != ring->end_mark)
            skip_marks(ring);
    }
    return list;
}

static void release(struct ring *list)
{
    for (struct ring *ring = list; ring; ring = ring->next) {
        atomic_store_explicit(&ring->tail, ring->next_read, memory_order_release);
        atomic_store_explicit(&ring->marks_tail, ring->next_mark, memory_order_release);
    }
}

/* Consumes what lies in the rings and ended at `until` or before; returns how many records. */
static size_t drain(uint64_t until)
{
    static struct record expanded[RING_BATCH]; /* the writer's */
    const struct record *batch[RING_BATCH];
    size_t count = 0, total = 0;
    struct ring *list = read_rings();
    for (;;) {
        const struct coming first = earliest(list);
        const bool more = first.ring && first.end_ticks <= until;
        if (more && (batch[count] = take(&first, &expanded[count])))
            count++;
        if (count > 0 && (!more || count == RING_BATCH)) {
            rings.consume(batch, count);
            release(list);
            total += count;
            count = 0;
        }
        if (!more)
            break;
    }
    release(list); /* contexts too */
    if (total > 0)
        rings.consume(NULL, 0);
    return total;
}

static void wait_for_records(long ns)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ns;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)sem_timedwait(&rings.wake, &until); /* early or late, for a signal or a set clock: no matter */
    while (sem_trywait(&rings.wake) == 0)
        ;
}

static void *write_records(void *unused)
{
    MACHINE_FLOATS;
    const uint64_t margin = (uint64_t)(MARGIN_NS / rings.timer->ns_per_tick);
    size_t count = 0;
    for (bool quit = false; !quit;) {
        if (count < RING_BATCH)
            wait_for_records(count ? POLL_BUSY_NS : POLL_IDLE_NS);
        pthread_mutex_lock(&rings.lock);
        uint64_t asked = rings.flushes_asked, done = rings.flushes_done;
        quit = rings.must_quit;
        pthread_mutex_unlock(&rings.lock);
        uint64_t now = machine_ticks(rings.timer);
        count = drain(quit ? UINT64_MAX : asked != done ? now : now - margin);
        pthread_mutex_lock(&rings.lock);
        rings.flushes_done = asked;
        pthread_cond_broadcast(&rings.drained);
        pthread_mutex_unlock(&rings.lock);
    }
    return unused;
}

/* ---- The writer's life --------------------------------------------------------------------------------- */

/* The writer takes no signals: a broken pipe is an error of write. */
static bool make_writer(void)
{
    return thread_start(&rings.writer, write_records, NULL);
}

/* Rings of threads that have ended; a thread that lives may be about to record. */
static void free_rings(void)
{
    for (struct ring **link = &rings.list; *link;) {
        struct ring *ring = *link;
        if (ring->is_taken)
            link = &ring->next;
        else {
            *link = ring->next;
            memory_free(NULL, ring->marks);
            memory_free(NULL, ring->block);
        }
    }
}

hx_status ring_start(const struct machine_timer *timer, size_t capacity, ring_consumer consume,
                     ring_has_listener has_listener)
{
    size_t rounded = CAPACITY_LEAST;
    while (rounded < capacity && rounded < CAPACITY_MOST)
        rounded *= 2;
    pthread_mutex_lock(&rings.lock);
    rings.has_wake = rings.has_wake || sem_init(&rings.wake, 0, 0) == 0;
    rings.has_key = rings.has_key || pthread_key_create(&rings.key, give_back) == 0;
    atomic_store(&rings.capacity, rounded);
    atomic_store(&rings.dropped_without_ring, 0);
    free_rings();
    for (struct ring *ring = rings.list; ring; ring = ring->next) {
        atomic_store(&ring->dropped, 0);
        atomic_store(&ring->waited_ns, 0);
        atomic_store(&ring->tail, atomic_load(&ring->head));
        atomic_store(&ring->marks_tail, atomic_load(&ring->marks_head));
        ring->contexts_read = atomic_load(&ring->contexts);
    }
    rings.timer = timer;
    rings.consume = consume;
    rings.has_listener = has_listener;
    rings.must_quit = false;
    rings.flushes_asked = rings.flushes_done = 0;
    rings.is_running = rings.has_wake && make_writer();
    atomic_store(&rings.may_wait, rings.is_running);
    hx_status status = rings.is_running ? HX_OK : HX_SYSTEM;
    pthread_mutex_unlock(&rings.lock);
    return status;
}

void ring_flush(void)
{
    pthread_mutex_lock(&rings.lock);
    uint64_t mine = ++rings.flushes_asked;
    if (rings.is_running)
        sem_post(&rings.wake);
    while (rings.is_running && rings.flushes_done < mine)
        pthread_cond_wait(&rings.drained, &rings.lock);
    pthread_mutex_unlock(&rings.lock);
}

void ring_stop(void)
{
    pthread_mutex_lock(&rings.lock);
    bool was_running = rings.is_running;
    rings.must_quit = true;
    atomic_store(&rings.may_wait, false);
    if (was_running)
        sem_post(&rings.wake);
    pthread_mutex_unlock(&rings.lock);
    if (!was_running)
        return;
    pthread_join(rings.writer, NULL);
    pthread_mutex_lock(&rings.lock);
    rings.is_running = false;
    pthread_cond_broadcast(&rings.drained);
    pthread_mutex_unlock(&rings.lock);
}
#endif
