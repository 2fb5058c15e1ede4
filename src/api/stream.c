/* Streams: work that is done in order by a thread of its own.
 *
 * A call makes a piece of work and hands it to the stream's list; the stream's thread takes one after the
 * other. Work is counted when it is given and when it is done: a thread that synchronizes waits for a number.
 * Events (event.c) are marks that work reaches and waits for. The streams of a device are its companion,
 * which ends them before the device's own threads go. */
#include "api/blocking.h"
#include "api/mark.h"

#include "base/diag.h"
#include "base/machine.h"
#include "base/thread.h"
#include "device/device.h"
#include "profile/spans.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN_MAX 16

enum work_kind { WORK_LAUNCH, WORK_COPY, WORK_FILL, WORK_CALLBACK, WORK_REACH, WORK_WAIT };

struct work {
    enum work_kind kind;
    struct work *next;
    union {
        struct {
            const hx_kernel *kernel;
            hx_launch_options options;
            hx_launch_result *ret_result; /* or NULL */
        } launch;
        struct {
            void *to;
            const void *from;
            size_t bytes;
            const char *direction;
        } copy;
        struct {
            char *to;
            size_t bytes, pattern_bytes;
            char pattern[PATTERN_MAX];
        } fill;
        struct {
            hx_stream_function function;
            void *user;
        } callback;
    } as;
    hx_buffer_event event; /* of WORK_COPY and WORK_FILL */
    struct mark *mark;     /* a reference, of WORK_REACH and WORK_WAIT; else NULL */
    uint64_t gathered[];   /* of a launch */
};

struct hx_stream {
    struct stream_set *set;
    uint32_t id;
    bool is_blocking;
    pthread_t thread;
    hx_diag *running; /* of the work that is being done: the thread's own */

    pthread_mutex_t lock;
    pthread_cond_t given, done;
    struct work *first, *last; /* not begun; guarded, as all below, by lock */
    uint64_t given_count, done_count;
    bool quit;
    hx_status status;
    hx_diag *failed; /* why status is not HX_OK */
};

/* The streams of a device. */
struct stream_set {
    struct device_companion companion;
    hx_device *device;
    pthread_mutex_t lock;
    LIST(hx_stream *) streams; /* in the order in which they were made; guarded, as all below, by lock */
    hx_stream *standard;       /* NULL: not used yet */
    uint32_t last_id;
};

/* ---- Doing the work ------------------------------------------------------------------------------------ */

static void work_free(const hx_allocator *allocator, struct work *work)
{
    mark_drop(work->mark);
    memory_free(allocator, work);
}

static hx_status do_launch(hx_stream *stream, struct work *work)
{
    hx_launch_result result = {.size = sizeof result}, *wanted = work->as.launch.ret_result;
    const struct spans_call call = {.device = stream->set->device,
                                    .kernel = work->as.launch.kernel,
                                    .options = &work->as.launch.options,
                                    .gathered = work->gathered,
                                    .stream = stream->id};
    const hx_status status = spans_launch(&call, stream->running, &result);
    if (wanted)
        memcpy(wanted, &result, wanted->size && wanted->size < sizeof result ? wanted->size : sizeof result);
    return status;
}

static void do_copy(const hx_stream *stream, const struct work *work)
{
    const uint64_t start = machine_now_ns();
    if (work->as.copy.bytes > 0)
        memmove(work->as.copy.to, work->as.copy.from, work->as.copy.bytes);
    hx_record_transfer(work->as.copy.bytes, work->as.copy.direction, machine_now_ns() - start);
    device_report_buffer(stream->set->device, &work->event);
}

/* The pattern, then what is there behind itself: each time twice as much. */
static void do_fill(const hx_stream *stream, const struct work *work)
{
    const uint64_t start = machine_now_ns();
    char *const to = work->as.fill.to;
    const size_t bytes = work->as.fill.bytes;
    size_t filled = bytes < work->as.fill.pattern_bytes ? bytes : work->as.fill.pattern_bytes;
    memcpy(to, work->as.fill.pattern, filled);
    while (filled < bytes) {
        const size_t more = filled < bytes - filled ? filled : bytes - filled;
        memcpy(to + filled, to, more);
        filled += more;
    }
    hx_record_throughput("fill", bytes / work->as.fill.pattern_bytes, machine_now_ns() - start);
    device_report_buffer(stream->set->device, &work->event);
}

/* `status`: the stream's before this work. */
static hx_status do_work(hx_stream *stream, struct work *work, hx_status status)
{
    switch (work->kind) {
    case WORK_LAUNCH:
        return status == HX_OK ? do_launch(stream, work) : status;
    case WORK_COPY:
        if (status == HX_OK)
            do_copy(stream, work);
        break;
    case WORK_FILL:
        if (status == HX_OK)
            do_fill(stream, work);
        break;
    case WORK_CALLBACK:
        work->as.callback.function(work->as.callback.user, status);
        break;
    case WORK_REACH:
        mark_reach(work->mark);
        break;
    case WORK_WAIT:
        mark_wait(work->mark);
        break;
    }
    return HX_OK;
}

static void *stream_main(void *user)
{
    hx_stream *stream = user;
    pthread_mutex_lock(&stream->lock);
    for (;;) {
        while (!stream->first && !stream->quit)
            pthread_cond_wait(&stream->given, &stream->lock);
        struct work *work = stream->first;
        if (!work)
            break;
        stream->first = work->next;
        const hx_status before = stream->status;
        pthread_mutex_unlock(&stream->lock);
        hx_diag_clear(stream->running);
        const hx_status status = do_work(stream, work, before);
        work_free(device_allocator(stream->set->device), work);
        pthread_mutex_lock(&stream->lock);
        if (before == HX_OK && status != HX_OK) { /* `failed` is empty: it changes hands without allocating */
            hx_diag *empty = stream->failed;
            stream->failed = stream->running;
            stream->running = empty;
            stream->status = status;
        }
        stream->done_count++;
        pthread_cond_broadcast(&stream->done);
    }
    pthread_mutex_unlock(&stream->lock);
    return NULL;
}

/* ---- Giving work --------------------------------------------------------------------------------------- */

static struct work *work_new(hx_stream *stream, enum work_kind kind, size_t gathered, hx_diag *diag)
{
    size_t bytes;
    struct work *work = NULL;
    if (size_multiply(gathered, sizeof work->gathered[0], &bytes) && size_add(bytes, sizeof *work, &bytes))
        work = memory_allocate(device_allocator(stream->set->device), 1, bytes);
    if (work) {
        work->kind = kind;
        return work;
    }
    diag_step(diag, "for an operation of a stream", NULL, sizeof *work, (struct place){0});
    diag_no_memory(diag);
    return NULL;
}

/* With the stream locked: waits until so much work is done. */
static hx_status wait_for(hx_stream *stream, uint64_t count, hx_diag *diag)
{
    while (stream->done_count < count)
        pthread_cond_wait(&stream->done, &stream->lock);
    if (stream->status != HX_OK)
        diag_append(diag, stream->failed);
    return stream->status;
}

/* Takes the work. */
static hx_status give(hx_stream *stream, struct work *work, hx_diag *diag)
{
    hx_status status = HX_OK;
    pthread_mutex_lock(&stream->lock);
    if (stream->first)
        stream->last->next = work;
    else
        stream->first = work;
    stream->last = work;
    const uint64_t number = ++stream->given_count;
    pthread_cond_signal(&stream->given);
    if (stream->is_blocking)
        status = wait_for(stream, number, diag);
    pthread_mutex_unlock(&stream->lock);
    return status;
}

hx_status hx_stream_launch(hx_stream *stream, const hx_kernel *kernel, const hx_launch_options *options,
                           hx_buffer *const *buffers, hx_diag *diag, hx_launch_result *ret_result)
{
    DIAG_REQUIRE(diag, stream);
    DIAG_REQUIRE(diag, kernel);
    DIAG_REQUIRE(diag, options);
    hx_launch_options taken = {.size = sizeof taken};
    exec_take_options(&taken, options);
    struct work *work = work_new(stream, WORK_LAUNCH, exec_gathered_count(kernel, &taken), diag);
    if (!work)
        return HX_NO_MEMORY;
    work->as.launch.kernel = kernel;
    work->as.launch.ret_result = ret_result;
    const hx_status status = exec_gather(stream->set->device, kernel, &taken, buffers, diag, work->gathered);
    work->as.launch.options = taken;
    if (status == HX_OK)
        return give(stream, work, diag);
    memory_free(device_allocator(stream->set->device), work);
    return status;
}

/* A copy or fill of `bytes` of a buffer; the host has them at `host`. */
static hx_status check_range(const hx_stream *stream, const hx_buffer *buffer, uint64_t offset,
                             uint64_t bytes, const void *host, hx_diag *diag)
{
    if (!stream || (!host && bytes > 0))
        return diag_missing(diag, "a copy or fill", stream ? "the host's bytes" : "stream");
    const hx_status status =
        device_memory_check(device_memory(stream->set->device), buffer, "a copy or fill", diag);
    if (status != HX_OK)
        return status;
    const uint64_t size = hx_buffer_bytes(buffer);
    if (offset <= size && bytes <= size - offset)
        return HX_OK;
    return diag_report(diag, DIAG_FAULT_OUT_OF_RANGE, (struct place){0}, NULL,
                       "%llu bytes from offset %llu on are not in buffer '%s' of %llu bytes",
                       (unsigned long long)bytes, (unsigned long long)offset, buffer->name,
                       (unsigned long long)size);
}

/* The host's bytes at an offset; the API has constant buffers where it only reads. */
static char *bytes_at(const hx_buffer *buffer, uint64_t offset)
{
    return (char *)buffer->window.host + offset;
}

/* What listeners of the device get when work is done; they know whole buffers. */
static hx_buffer_event event_of(hx_buffer_change change, const hx_buffer *buffer, uint64_t offset,
                                uint64_t bytes)
{
    buffer = device_memory_whole(buffer, &offset);
    return (hx_buffer_event){.change = change, .buffer = buffer, .offset = offset, .bytes = bytes};
}

/* `event`: what listeners of the device get when the copy is done. */
static hx_status give_copy(hx_stream *stream, void *to, const void *from, const char *direction,
                           const hx_buffer_event *event, hx_diag *diag)
{
    struct work *work = work_new(stream, WORK_COPY, 0, diag);
    if (!work)
        return HX_NO_MEMORY;
    work->as.copy.to = to;
    work->as.copy.from = from;
    work->as.copy.bytes = event->bytes;
    work->as.copy.direction = direction;
    work->event = *event;
    return give(stream, work, diag);
}

hx_status hx_stream_write(hx_stream *stream, hx_buffer *to, uint64_t to_offset, const void *from,
                          uint64_t bytes, hx_diag *diag)
{
    const hx_status status = check_range(stream, to, to_offset, bytes, from, diag);
    const hx_buffer_event event = event_of(HX_BUFFER_COPIED_IN, to, to_offset, bytes);
    return status == HX_OK ? give_copy(stream, bytes_at(to, to_offset), from, "H2D", &event, diag) : status;
}

hx_status hx_stream_read(hx_stream *stream, const hx_buffer *from, uint64_t from_offset, void *to,
                         uint64_t bytes, hx_diag *diag)
{
    const hx_status status = check_range(stream, from, from_offset, bytes, to, diag);
    const hx_buffer_event event = event_of(HX_BUFFER_COPIED_OUT, from, from_offset, bytes);
    return status == HX_OK ? give_copy(stream, to, bytes_at(from, from_offset), "D2H", &event, diag) : status;
}

hx_status hx_stream_copy(hx_stream *stream, hx_buffer *to, uint64_t to_offset, const hx_buffer *from,
                         uint64_t from_offset, uint64_t bytes, hx_diag *diag)
{
    hx_status status = check_range(stream, to, to_offset, bytes, to, diag);
    if (status == HX_OK)
        status = check_range(stream, from, from_offset, bytes, from, diag);
    if (status != HX_OK)
        return status;
    hx_buffer_event event = event_of(HX_BUFFER_COPIED, to, to_offset, bytes);
    event.from_offset = from_offset;
    event.from = device_memory_whole(from, &event.from_offset);
    return give_copy(stream, bytes_at(to, to_offset), bytes_at(from, from_offset), "D2D", &event, diag);
}

hx_status hx_stream_fill(hx_stream *stream, hx_buffer *to, uint64_t to_offset, const void *pattern,
                         size_t pattern_bytes, uint64_t bytes, hx_diag *diag)
{
    const hx_status status = check_range(stream, to, to_offset, bytes, pattern, diag);
    if (status != HX_OK)
        return status;
    if (pattern_bytes == 0 || pattern_bytes > PATTERN_MAX || (pattern_bytes & (pattern_bytes - 1)) ||
        bytes % pattern_bytes != 0)
        return diag_report(diag, DIAG_FAULT_MISALIGNED, (struct place){0},
                           "a pattern has 1, 2, 4, 8 or 16 bytes, and the bytes to fill are a multiple of it",
                           "a pattern of %zu bytes does not fill %llu bytes of buffer '%s'", pattern_bytes,
                           (unsigned long long)bytes, to->name);
    struct work *work = work_new(stream, WORK_FILL, 0, diag);
    if (!work)
        return HX_NO_MEMORY;
    work->as.fill.to = bytes_at(to, to_offset);
    work->as.fill.bytes = bytes;
    work->as.fill.pattern_bytes = pattern_bytes;
    work->event = event_of(HX_BUFFER_FILLED, to, to_offset, bytes);
    memcpy(work->as.fill.pattern, pattern, pattern_bytes);
    return give(stream, work, diag);
}

hx_status hx_stream_callback(hx_stream *stream, hx_stream_function function, void *user, hx_diag *diag)
{
    DIAG_REQUIRE(diag, stream);
    DIAG_REQUIRE(diag, function);
    struct work *work = work_new(stream, WORK_CALLBACK, 0, diag);
    if (!work)
        return HX_NO_MEMORY;
    work->as.callback.function = function;
    work->as.callback.user = user;
    return give(stream, work, diag);
}

hx_status hx_event_record(hx_event *event, hx_stream *stream, hx_diag *diag)
{
    DIAG_REQUIRE(diag, event);
    DIAG_REQUIRE(diag, stream);
    struct mark *mark = mark_new(mark_allocator(event));
    if (!mark)
        return diag_no_memory(diag);
    struct work *work = work_new(stream, WORK_REACH, 0, diag);
    if (!work) {
        mark_drop(mark);
        return HX_NO_MEMORY;
    }
    work->mark = mark_keep(mark);
    const hx_status status = give(stream, work, diag);
    mark_put(event, mark); /* now: work that waits for a mark is behind the work that reaches it */
    mark_drop(mark);
    return status;
}

hx_status hx_stream_wait_event(hx_stream *stream, const hx_event *event, hx_diag *diag)
{
    DIAG_REQUIRE(diag, stream);
    DIAG_REQUIRE(diag, event);
    struct mark *mark = mark_of(event);
    if (!mark)
        return HX_OK;
    struct work *work = work_new(stream, WORK_WAIT, 0, diag);
    if (!work) {
        mark_drop(mark);
        return HX_NO_MEMORY;
    }
    work->mark = mark;
    return give(stream, work, diag);
}

/* ---- Waiting ------------------------------------------------------------------------------------------- */

hx_status hx_stream_synchronize(hx_stream *stream, hx_diag *diag)
{
    DIAG_REQUIRE(diag, stream);
    pthread_mutex_lock(&stream->lock);
    const hx_status status = wait_for(stream, stream->given_count, diag);
    stream->status = HX_OK;
    hx_diag_clear(stream->failed);
    pthread_mutex_unlock(&stream->lock);
    return status;
}

int hx_stream_query(hx_stream *stream)
{
    if (!stream)
        return 1;
    pthread_mutex_lock(&stream->lock);
    const bool is_done = stream->done_count == stream->given_count;
    pthread_mutex_unlock(&stream->lock);
    return is_done;
}

hx_status hx_device_synchronize(hx_device *device, hx_diag *diag)
{
    DIAG_REQUIRE(diag, device);
    struct stream_set *set = (struct stream_set *)device_companion(device);
    hx_status first = HX_OK;
    if (!set)
        return HX_OK;
    pthread_mutex_lock(&set->lock);
    for (size_t i = 0; i < set->streams.count; i++) {
        const hx_status status = hx_stream_synchronize(set->streams.items[i], diag);
        first = first == HX_OK ? status : first;
    }
    pthread_mutex_unlock(&set->lock);
    return first;
}

/* ---- Making and freeing -------------------------------------------------------------------------------- */

/* After its thread has ended, or was never made. */
static void release(hx_stream *stream)
{
    hx_diag_free(stream->running);
    hx_diag_free(stream->failed);
    pthread_cond_destroy(&stream->done);
    pthread_cond_destroy(&stream->given);
    pthread_mutex_destroy(&stream->lock);
    memory_free(device_allocator(stream->set->device), stream);
}

static void end_stream(hx_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    stream->quit = true;
    pthread_cond_signal(&stream->given);
    pthread_mutex_unlock(&stream->lock);
    pthread_join(stream->thread, NULL);
    release(stream);
}

static void end_set(struct device_companion *companion)
{
    struct stream_set *set = (struct stream_set *)companion;
    const hx_allocator *allocator = device_allocator(set->device);
    for (size_t i = 0; i < set->streams.count; i++)
        end_stream(set->streams.items[i]);
    LIST_DONE(allocator, &set->streams);
    pthread_mutex_destroy(&set->lock);
    memory_free(allocator, set);
}

/* The device's set, made when it has none; NULL when memory runs out. */
static struct stream_set *set_of(hx_device *device)
{
    struct device_companion *kept = device_companion(device);
    if (kept)
        return (struct stream_set *)kept;
    struct stream_set *set = memory_allocate(device_allocator(device), 1, sizeof *set);
    if (!set)
        return NULL;
    set->companion.end = end_set;
    set->device = device;
    pthread_mutex_init(&set->lock, NULL);
    kept = device_adopt(device, &set->companion);
    if (kept != &set->companion) /* another thread was faster */
        end_set(&set->companion);
    return (struct stream_set *)kept;
}

/* With the set locked. */
static hx_status make(struct stream_set *set, uint32_t id, bool is_blocking, hx_diag *diag,
                      hx_stream **ret_stream)
{
    const hx_allocator *allocator = device_allocator(set->device);
    if (!LIST_RESERVE(allocator, &set->streams, 1))
        return diag_no_memory(diag);
    hx_stream *stream = memory_allocate(allocator, 1, sizeof *stream);
    if (!stream)
        return diag_no_memory(diag);
    stream->set = set;
    stream->id = id;
    stream->is_blocking = is_blocking;
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->given, NULL);
    pthread_cond_init(&stream->done, NULL);
    hx_status status = hx_diag_new(allocator, &stream->running);
    if (status == HX_OK)
        status = hx_diag_new(allocator, &stream->failed);
    if (status != HX_OK) {
        diag_no_memory(diag);
    } else if (!thread_start(&stream->thread, stream_main, stream)) {
        diag_report(diag, DIAG_THREADS, (struct place){0}, "free streams that are done with",
                    "the system refused to make the thread of stream %u", id);
        status = HX_SYSTEM;
    }
    if (status != HX_OK) {
        release(stream);
        return status;
    }
    set->streams.items[set->streams.count++] = stream; /* reserved above */
    *ret_stream = stream;
    return HX_OK;
}

hx_status hx_stream_new(hx_device *device, const hx_stream_options *options, hx_diag *diag,
                        hx_stream **ret_stream)
{
    DIAG_REQUIRE(diag, device);
    DIAG_REQUIRE(diag, ret_stream);
    diag_step(diag, "for a stream", NULL, 0, (struct place){0});
    hx_stream_options asked = {0};
    if (options)
        memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    bool is_blocking = asked.blocking > 0;
    hx_status status = asked.blocking == 0 ? blocking_read(diag, &is_blocking) : HX_OK;
    if (status != HX_OK)
        return status;
    struct stream_set *set = set_of(device);
    if (!set)
        return diag_no_memory(diag);
    pthread_mutex_lock(&set->lock);
    status = make(set, set->last_id + 1, is_blocking, diag, ret_stream);
    set->last_id += status == HX_OK;
    pthread_mutex_unlock(&set->lock);
    return status;
}

hx_status hx_stream_default(hx_device *device, hx_diag *diag, hx_stream **ret_stream)
{
    DIAG_REQUIRE(diag, device);
    DIAG_REQUIRE(diag, ret_stream);
    struct stream_set *set = set_of(device);
    bool is_blocking;
    hx_status status = HX_OK;
    if (!set)
        return diag_no_memory(diag);
    pthread_mutex_lock(&set->lock);
    if (!set->standard) {
        status = blocking_read(diag, &is_blocking);
        if (status == HX_OK)
            status = make(set, 0, is_blocking, diag, &set->standard);
    }
    if (status == HX_OK)
        *ret_stream = set->standard;
    pthread_mutex_unlock(&set->lock);
    return status;
}

void hx_stream_free(hx_stream *stream)
{
    if (!stream)
        return;
    struct stream_set *set = stream->set;
    pthread_mutex_lock(&set->lock);
    size_t at = 0;
    while (set->streams.items[at] != stream)
        at++;
    set->streams.count--;
    memmove(&set->streams.items[at], &set->streams.items[at + 1],
            (set->streams.count - at) * sizeof *set->streams.items);
    if (set->standard == stream)
        set->standard = NULL;
    pthread_mutex_unlock(&set->lock);
    end_stream(stream);
}

uint32_t hx_stream_id(const hx_stream *stream)
{
    if (!stream)
        return 0;
    return stream->id;
}
