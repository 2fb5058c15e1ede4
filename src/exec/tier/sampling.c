/* Samples of compiled code.
 *
 * Takes the instruction that each worker has noted, at random moments; leaves how often each line was met. */
#include "exec/tier/sampling.h"

#include "base/random.h"
#include "base/thread.h"
#include "exec/tier/tier.h"
#include "hexec/samples.h"
#include "program/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INTERVAL_NS UINT64_C(100000) /* at least half of it, at most one and a half */

struct hx_samples {
    const hx_allocator *allocator;
    pthread_mutex_t lock; /* of all below */
    struct arena arena;   /* texts */
    LIST(hx_line_samples) lines;
    uint64_t compiled, outside;
    bool has_lost;
};

struct tier_sampling {
    struct launch *launch;
    uint64_t *counts; /* of each instruction */
    uint64_t outside;
    pthread_t thread;
    _Atomic bool is_over;
};

hx_status hx_samples_new(const hx_allocator *allocator, hx_diag *diag, hx_samples **ret_samples)
{
    DIAG_REQUIRE(diag, ret_samples);
    hx_samples *samples = memory_allocate(allocator, 1, sizeof *samples);
    if (!samples)
        return diag_no_memory(diag);
    samples->allocator = allocator;
    arena_init(&samples->arena, allocator);
    pthread_mutex_init(&samples->lock, NULL);
    *ret_samples = samples;
    return HX_OK;
}

void hx_samples_free(hx_samples *samples)
{
    if (!samples)
        return;
    LIST_DONE(samples->allocator, &samples->lines);
    arena_done(&samples->arena);
    pthread_mutex_destroy(&samples->lock);
    memory_free(samples->allocator, samples);
}

/* ---- Taking them --------------------------------------------------------------------------------------- */

static void read_notes(struct tier_sampling *sampling)
{
    const struct launch *launch = sampling->launch;
    const uint32_t count = launch->bound->lowered->kernel->code_count;
    for (uint32_t i = 0; i < launch->workers; i++) {
        const struct worker *worker = &launch->worker_states[i];
        const uint32_t at = __atomic_load_n(&worker->tier_at, __ATOMIC_RELAXED);
        if (at < count)
            sampling->counts[at]++;
        else if (!atomic_load(&worker->stuck.is_done))
            sampling->outside++;
    }
}

static void *take(void *user)
{
    struct tier_sampling *sampling = user;
    for (uint64_t i = 0; !atomic_load(&sampling->is_over); i++) {
        const uint64_t drawn = random_seed(sampling->launch->start_ns, 0, i) % INTERVAL_NS;
        nanosleep(&(struct timespec){.tv_nsec = (long)(INTERVAL_NS / 2 + drawn)}, NULL);
        read_notes(sampling);
    }
    return NULL;
}

/* ---- Adding them up ------------------------------------------------------------------------------------ */

static const char *text_of(hx_samples *samples, struct place place)
{
    const struct slice text = place.source && place.line > 0
                                  ? slice_trim(source_line(place.source, place.line))
                                  : (struct slice){0};
    return arena_copy(&samples->arena, text.at, text.length);
}

/* With the lock held. NULL: no memory. */
static hx_line_samples *line_of(hx_samples *samples, const struct kernel *code, uint32_t instruction)
{
    const struct place place = code->lines[instruction].place;
    const char *const file = place.source && place.source->name ? place.source->name : "";
    const uint32_t line = place.line > 0 ? (uint32_t)place.line : 0;
    for (size_t i = 0; i < samples->lines.count; i++) {
        hx_line_samples *known = &samples->lines.items[i];
        if (known->line == line && strcmp(known->kernel, code->name) == 0 &&
            strcmp(known->file ? known->file : "", file) == 0)
            return known;
    }
    const hx_line_samples made = {.size = sizeof made,
                                  .kernel = arena_copy(&samples->arena, code->name, strlen(code->name)),
                                  .file = file[0] ? arena_copy(&samples->arena, file, strlen(file)) : NULL,
                                  .line = line,
                                  .text = text_of(samples, place)};
    if (!made.kernel || !made.text || (file[0] && !made.file) ||
        !LIST_PUSH(samples->allocator, &samples->lines, made))
        return NULL;
    return &samples->lines.items[samples->lines.count - 1];
}

static int by_samples(const void *a, const void *b)
{
    const hx_line_samples *x = a, *y = b;
    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    const int kernels = strcmp(x->kernel, y->kernel);
    return kernels ? kernels : (x->line > y->line) - (x->line < y->line);
}

static void lose(hx_samples *samples)
{
    pthread_mutex_lock(&samples->lock);
    samples->has_lost = true;
    pthread_mutex_unlock(&samples->lock);
}

struct tier_sampling *sampling_begin(struct launch *launch, struct arena *arena)
{
    const struct kernel *code = launch->bound->lowered->kernel;
    struct tier_sampling *sampling = NULL;
    if (!launch->options.samples)
        return NULL;
    sampling = ARENA_NEW(arena, struct tier_sampling);
    if (sampling) {
        sampling->launch = launch;
        sampling->counts = ARENA_ARRAY(arena, uint64_t, code->code_count);
    }
    if (sampling && sampling->counts && thread_start(&sampling->thread, take, sampling))
        return sampling;
    lose(launch->options.samples);
    return NULL;
}

void sampling_end(struct tier_sampling *sampling)
{
    if (!sampling)
        return;
    const struct kernel *code = sampling->launch->bound->lowered->kernel;
    hx_samples *samples = sampling->launch->options.samples;
    atomic_store(&sampling->is_over, true);
    thread_wait(sampling->thread);
    pthread_mutex_lock(&samples->lock);
    samples->outside += sampling->outside;
    for (uint32_t i = 0; i < code->code_count; i++) {
        if (!sampling->counts[i])
            continue;
        hx_line_samples *line = line_of(samples, code, i);
        samples->has_lost |= !line;
        if (!line)
            continue;
        line->samples += sampling->counts[i];
        samples->compiled += sampling->counts[i];
    }
    qsort(samples->lines.items, samples->lines.count, sizeof *samples->lines.items, by_samples);
    pthread_mutex_unlock(&samples->lock);
}

/* ---- Reading them -------------------------------------------------------------------------------------- */

/* E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference (1927). */
static void find_interval(double count, double all, hx_line_samples *line)
{
    const double z = 1.959964, share = count / all;
    const double scale = 1 / (1 + z * z / all), middle = share + z * z / (2 * all);
    const double reach = z * sqrt(share * (1 - share) / all + z * z / (4 * all * all));
    line->share = share;
    line->share_least = fmax(0, scale * (middle - reach));
    line->share_most = fmin(1, scale * (middle + reach));
}

hx_status hx_samples_at(const hx_samples *samples, size_t index, hx_line_samples *ret_line)
{
    if (!samples || !ret_line)
        return HX_INVALID;
    if (index >= samples->lines.count)
        return samples->has_lost ? HX_NO_MEMORY : HX_INVALID;
    hx_line_samples line = samples->lines.items[index];
    find_interval((double)line.samples, (double)samples->compiled, &line);
    memcpy(ret_line, &line, ret_line->size && ret_line->size < sizeof line ? ret_line->size : sizeof line);
    return HX_OK;
}

uint64_t hx_samples_compiled(const hx_samples *samples)
{
    return samples ? samples->compiled : 0;
}

uint64_t hx_samples_outside(const hx_samples *samples)
{
    return samples ? samples->outside : 0;
}
