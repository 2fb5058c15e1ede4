/* The device and its pool of worker threads.
 *
 * Threads are made once, with the device, and sleep between jobs. A job is offered by raising a generation
 * number; a thread takes part by counting itself in while the job is open. The caller works too, closes the
 * job when its own share is done, and then waits only for the threads that took part, not for those that woke
 * too late: a tiny grid costs no more than a call. */
#include "device/device.h"

#include "base/machine.h"
#include "base/thread.h"
#include "trace/registry.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

struct pool_thread {
    struct hx_device *device;
    pthread_t thread;
    uint32_t number;
    uint64_t seen;    /* the last job that it has woken for; guarded by the device's lock */
    bool is_kept_off; /* a core, until it wakes; `cores` are those that it may run on otherwise */
    cpu_set_t cores;
};

struct hx_device {
    const hx_allocator *allocator;
    struct device_memory memory;
    enum cpu_level level;
    uint32_t workers;
    atomic_bool interrupted;
    _Atomic(struct device_companion *) companion;
    pthread_mutex_t launching; /* device_lock */
#if HX_TRACING
    struct registry_number number;
#endif
    struct machine_timer timer; /* not calibrated while ns_per_tick is 0; guarded by lock */

    pthread_mutex_t listening; /* of the listeners; taken behind `launching` */
    LIST(const hx_listener *) listeners;
    hx_may_change_function may_change; /* NULL: nothing may */
    void *may_change_user;
    uint64_t stray_bytes; /* hx_device_allow_strays */

    pthread_mutex_t lock;
    pthread_cond_t offered, left;
    struct pool_thread *threads; /* workers - 1 of them */
    uint32_t thread_count;
    uint64_t generation; /* of jobs; guarded, as all below, by lock */
    bool open, quit;
    uint32_t wanted, running;
    uint64_t offered_ns, left_ns; /* the job, and when the last one was done that threads took part in */
    device_job job;
    void *job_user;
};

static void run_job(device_job job, void *user, uint32_t number)
{
    MACHINE_FLOATS; /* a listener may have changed them since the last job */
    job(user, number);
}

/* ---- Cores --------------------------------------------------------------------------------------------- */

/* Threads that have not woken then are late. */
#define LATE_NS UINT64_C(50000)
/* Threads that have slept for longer may find their cores switched off, above all on virtual machines. */
#define SLEPT_NS UINT64_C(500000)
/* More of them would take longer than what is gained; the system spreads the rest. */
#define KEPT_OFF_MOST 8u

/* The system may wake a thread on the caller's core, where it waits behind the caller for a tick or more,
 * though others are idle. So it is kept off that core until it wakes. */
static void keep_off(struct pool_thread *thread, int core)
{
    cpu_set_t others;
    if (thread->is_kept_off || core < 0 || core >= CPU_SETSIZE ||
        pthread_getaffinity_np(thread->thread, sizeof thread->cores, &thread->cores) != 0)
        return;
    others = thread->cores;
    CPU_CLR(core, &others);
    thread->is_kept_off = CPU_COUNT(&others) > 0 && CPU_COUNT(&others) < CPU_COUNT(&thread->cores) &&
                          pthread_setaffinity_np(thread->thread, sizeof others, &others) == 0;
}

static void allow_all(struct pool_thread *thread)
{
    if (thread->is_kept_off)
        (void)pthread_setaffinity_np(thread->thread, sizeof thread->cores, &thread->cores);
    thread->is_kept_off = false;
}

/* With the lock held. */
static void choose_cores(hx_device *device, uint32_t workers)
{
    device->offered_ns = machine_now_ns();
    if (device->offered_ns - device->left_ns < SLEPT_NS)
        return;
    const int core = sched_getcpu();
    for (uint32_t i = 0; i < device->thread_count && i + 1 < workers && i < KEPT_OFF_MOST; i++)
        keep_off(&device->threads[i], core);
}

bool device_call_late(hx_device *device)
{
    const int core = sched_getcpu();
    if (machine_now_ns() - device->offered_ns < LATE_NS)
        return false;
    pthread_mutex_lock(&device->lock);
    for (uint32_t i = 0; i < device->thread_count && i + 1 < device->wanted && i < KEPT_OFF_MOST; i++)
        if (device->threads[i].seen != device->generation)
            keep_off(&device->threads[i], core);
    pthread_mutex_unlock(&device->lock);
    return true;
}

/* ---- Jobs ---------------------------------------------------------------------------------------------- */

static void *thread_main(void *user)
{
    struct pool_thread *self = user;
    hx_device *device = self->device;
    pthread_mutex_lock(&device->lock);
    for (;;) {
        while (!device->quit && device->generation == self->seen)
            pthread_cond_wait(&device->offered, &device->lock);
        if (device->quit)
            break;
        self->seen = device->generation;
        allow_all(self);
        if (!device->open || self->number >= device->wanted)
            continue;
        device->running++;
        device_job job = device->job;
        void *job_user = device->job_user;
        pthread_mutex_unlock(&device->lock);
        run_job(job, job_user, self->number);
        pthread_mutex_lock(&device->lock);
        if (--device->running == 0)
            pthread_cond_signal(&device->left);
    }
    pthread_mutex_unlock(&device->lock);
    return NULL;
}

void device_run(hx_device *device, uint32_t workers, device_job job, void *user)
{
    bool alone = workers <= 1 || device->thread_count == 0;
    if (!alone) {
        pthread_mutex_lock(&device->lock);
        device->job = job;
        device->job_user = user;
        device->wanted = workers;
        device->open = true;
        device->generation++;
        choose_cores(device, workers);
        pthread_cond_broadcast(&device->offered);
        pthread_mutex_unlock(&device->lock);
    }
    job(user, 0);
    if (!alone) {
        pthread_mutex_lock(&device->lock);
        device->open = false;
        while (device->running > 0)
            pthread_cond_wait(&device->left, &device->lock);
        device->left_ns = machine_now_ns();
        pthread_mutex_unlock(&device->lock);
    }
}

/* Has this build handlers for the level? */
static bool is_built(enum cpu_level level)
{
    return level == CPU_LEVEL_PLAIN || HX_HANDLERS_X86;
}

/* "v3" and "x86-64-v3" name the same level; NULL is the best. Levels between two of them have the lower one's
 * code: v2 that of plain. */
static hx_status find_level(const char *name, hx_diag *diag, enum cpu_level *ret_level)
{
    enum cpu_level best = machine_cpu_level();
    while (best > CPU_LEVEL_PLAIN && !is_built(best))
        best--;
    *ret_level = best;
    if (!name)
        return HX_OK;
    if (strcmp(name, "v2") == 0 || strcmp(name, "x86-64-v2") == 0)
        name = cpu_level_name(CPU_LEVEL_PLAIN);
    for (enum cpu_level level = CPU_LEVEL_PLAIN; level < CPU_LEVEL_COUNT; level++) {
        const char *full = cpu_level_name(level);
        const char *tail = strrchr(full, '-');
        if (strcmp(name, full) != 0 && (!tail || strcmp(name, tail + 1) != 0))
            continue;
        *ret_level = level;
        if (level <= machine_cpu_level() && is_built(level))
            return HX_OK;
        return diag_report(diag, DIAG_CPU_LEVEL, (struct place){0}, NULL,
                           "this %s has no CPU level %s; the best it has is %s",
                           is_built(level) ? "machine" : "build", full, cpu_level_name(best));
    }
    return diag_report(diag, DIAG_CPU_LEVEL, (struct place){0},
                       "levels are plain, x86-64-v3, x86-64-v4 (or v3, v4)", "unknown CPU level '%s'", name);
}

static hx_status start_threads(hx_device *device, hx_diag *diag)
{
    device->threads = memory_allocate(device->allocator, device->workers, sizeof *device->threads);
    if (!device->threads)
        return diag_no_memory(diag);
    for (uint32_t i = 1; i < device->workers; i++) {
        struct pool_thread *thread = &device->threads[device->thread_count];
        *thread = (struct pool_thread){.device = device, .number = i};
        if (!thread_start(&thread->thread, thread_main, thread)) {
            diag_report(diag, DIAG_THREADS, (struct place){0}, "use fewer workers (--workers)",
                        "the system refused to make worker thread %u of %u", i + 1, device->workers);
            return HX_SYSTEM;
        }
        device->thread_count++;
    }
    return HX_OK;
}

#define WORKERS_MAX 1024u

hx_status hx_device_new(const hx_device_options *options, hx_diag *diag, hx_device **ret_device)
{
    DIAG_REQUIRE(diag, ret_device);
    diag_step(diag, "for a device", NULL, 0, (struct place){0});
    hx_device_options asked = {0};
    if (options)
        memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    enum cpu_level level;
    hx_status status = find_level(asked.cpu_level, diag, &level);
    if (status != HX_OK)
        return status;
    if (asked.workers > WORKERS_MAX)
        return diag_report(diag, DIAG_LAUNCH_SHAPE, (struct place){0}, NULL, "%u workers are more than %u",
                           asked.workers, WORKERS_MAX);
    hx_device *device = memory_allocate(asked.allocator, 1, sizeof *device);
    if (!device)
        return diag_no_memory(diag);
    device->allocator = asked.allocator;
    device->level = level;
    device->workers = asked.workers ? asked.workers : (uint32_t)machine_cores();
    atomic_init(&device->interrupted, false);
    atomic_init(&device->companion, NULL);
    pthread_mutex_init(&device->launching, NULL);
    pthread_mutex_init(&device->listening, NULL);
    pthread_mutex_init(&device->lock, NULL);
    pthread_cond_init(&device->offered, NULL);
    pthread_cond_init(&device->left, NULL);
    device_memory_init(&device->memory, asked.allocator, asked.max_memory_bytes, asked.unified);
#if HX_TRACING
    registry_take_number(&device->number);
#endif
    status = start_threads(device, diag);
    if (status != HX_OK) {
        hx_device_free(device);
        return status;
    }
    *ret_device = device;
    return HX_OK;
}

void hx_device_free(hx_device *device)
{
    if (!device)
        return;
    struct device_companion *companion = device_companion(device);
    if (companion)
        companion->end(companion);
    pthread_mutex_lock(&device->lock);
    device->quit = true;
    pthread_cond_broadcast(&device->offered);
    pthread_mutex_unlock(&device->lock);
    for (uint32_t i = 0; i < device->thread_count; i++)
        pthread_join(device->threads[i].thread, NULL);
    pthread_cond_destroy(&device->left);
    pthread_cond_destroy(&device->offered);
    pthread_mutex_destroy(&device->lock);
    pthread_mutex_destroy(&device->listening);
    pthread_mutex_destroy(&device->launching);
    device_memory_done(&device->memory);
#if HX_TRACING
    registry_give_number_back(&device->number);
#endif
    LIST_DONE(device->allocator, &device->listeners);
    memory_free(device->allocator, device->threads);
    memory_free(device->allocator, device);
}

uint32_t hx_device_workers(const hx_device *device)
{
    if (!device)
        return 0;
    return device->workers;
}

enum cpu_level device_level(const hx_device *device)
{
    return device->level;
}

const char *hx_device_cpu_level(const hx_device *device)
{
    if (!device)
        return NULL;
    return cpu_level_name(device->level);
}

void hx_device_interrupt(hx_device *device)
{
    if (!device)
        return;
    atomic_store(&device->interrupted, true);
}

struct device_companion *device_companion(hx_device *device)
{
    return atomic_load(&device->companion);
}

struct device_companion *device_adopt(hx_device *device, struct device_companion *companion)
{
    struct device_companion *kept = NULL;
    return atomic_compare_exchange_strong(&device->companion, &kept, companion) ? companion : kept;
}

void device_lock(hx_device *device)
{
    pthread_mutex_lock(&device->launching);
}

void device_unlock(hx_device *device)
{
    pthread_mutex_unlock(&device->launching);
}

hx_status hx_device_listen(hx_device *device, const hx_listener *listener, hx_diag *diag)
{
    DIAG_REQUIRE(diag, device);
    DIAG_REQUIRE(diag, listener);
    device_lock(device); /* a launch has them as they were when it began */
    pthread_mutex_lock(&device->listening);
    const bool is_added = LIST_PUSH(device->allocator, &device->listeners, listener);
    pthread_mutex_unlock(&device->listening);
    device_unlock(device);
    return is_added ? HX_OK : diag_no_memory(diag);
}

void hx_device_may_change(hx_device *device, hx_may_change_function may_change, void *user)
{
    if (!device)
        return;
    device->may_change = may_change;
    device->may_change_user = user;
}

void hx_device_allow_strays(hx_device *device, uint64_t bytes)
{
    if (device)
        device->stray_bytes = bytes;
}

uint64_t device_stray_bytes(const hx_device *device)
{
    return device->stray_bytes;
}

bool device_may_change(const hx_device *device)
{
    return device->may_change && device->may_change(device->may_change_user);
}

void hx_device_unlisten(hx_device *device, const hx_listener *listener)
{
    if (!device)
        return;
    size_t kept = 0;
    device_lock(device);
    pthread_mutex_lock(&device->listening);
    for (size_t i = 0; i < device->listeners.count; i++)
        if (device->listeners.items[i] != listener)
            device->listeners.items[kept++] = device->listeners.items[i];
    device->listeners.count = kept;
    pthread_mutex_unlock(&device->listening);
    device_unlock(device);
}

const hx_listener *const *device_listeners(const hx_device *device, size_t *ret_count)
{
    *ret_count = device->listeners.count;
    return device->listeners.items;
}

void device_report_buffer(hx_device *device, const hx_buffer_event *event)
{
    pthread_mutex_lock(&device->listening);
    for (size_t i = 0; i < device->listeners.count; i++) {
        const hx_listener *listener = device->listeners.items[i];
        if ((listener->events & HX_EVENT_BUFFER) && listener->buffer)
            listener->buffer(listener->user, event);
    }
    pthread_mutex_unlock(&device->listening);
}

void device_report_unwritten(hx_device *device, const hx_buffer *buffer)
{
    const hx_buffer_event event = {
        .change = HX_BUFFER_UNWRITTEN, .buffer = buffer, .bytes = hx_buffer_bytes(buffer)};
    device_report_buffer(device, &event);
}

struct device_memory *device_memory(hx_device *device)
{
    return &device->memory;
}

const struct machine_timer *device_timer(hx_device *device)
{
    pthread_mutex_lock(&device->lock);
    if (device->timer.ns_per_tick == 0)
        machine_timer_calibrate(&device->timer);
    pthread_mutex_unlock(&device->lock);
    return &device->timer;
}

const hx_allocator *device_allocator(const hx_device *device)
{
    return device->allocator;
}

uint32_t device_number(const hx_device *device)
{
#if HX_TRACING
    return device->number.number;
#else
    (void)device;
    return 1;
#endif
}

atomic_bool *device_interrupted(hx_device *device)
{
    return &device->interrupted;
}
