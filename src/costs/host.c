/* The host's peaks.
 *
 * Takes loops that do as much as a core can, leaves how much that is a second: of arithmetic, and of each
 * level of memory, which is chosen by how many bytes a loop goes over. A peak is the best of many short
 * samples: what disturbs one only makes it slower. All cores at once are the threads of a device; they start
 * together, each on memory of its own. */
#include "base/machine.h"
#include "costs/loops.h"
#include "device/device.h"
#include "hexec/bench.h"

#include <stdatomic.h>
#include <string.h>

#define BUDGET_NS     600000000u
#define DRAM_BYTES    ((uint64_t)256 << 20)
#define DRAM_LEAST    ((uint64_t)64 << 20)
#define L1_DEFAULT    ((size_t)32 << 10)
#define L3_MOST       ((size_t)32 << 20)
#define SAMPLES       4         /* of each rate */
#define START_WAIT_NS 20000000u /* for threads that another process keeps from running */
#define FIRST_ROUNDS  512u
#define PIECE_BYTES   ((size_t)1 << 20)
#define CLOCK_BYTES   ((size_t)64 << 10)

/* One thing that is measured, on one thread or on all. */
struct measuring {
    const struct loops *loops;
    loops_arithmetic *arithmetic; /* NULL: memory */
    loops_pass *pass;
    char *memory;
    size_t bytes; /* of each thread, behind each other */
    uint32_t threads;
    uint64_t sample_ns;
    double *rates; /* of each thread: its best */
    atomic_uint ready;
};

static void wait_for_all(struct measuring *measuring)
{
    const uint64_t start = machine_now_ns();
    atomic_fetch_add(&measuring->ready, 1);
    while (atomic_load(&measuring->ready) < measuring->threads && machine_now_ns() - start < START_WAIT_NS) {
    }
}

/* So often that it takes about a sample: doubled until it takes an eighth of one, then scaled. */
static double sample_arithmetic(const struct measuring *measuring, uint64_t *rounds)
{
    for (;;) {
        const uint64_t start = machine_now_ns();
        const uint64_t done = measuring->arithmetic(*rounds);
        const uint64_t ns = machine_now_ns() - start;
        if (ns >= measuring->sample_ns / 8)
            return (double)done * 1e9 / (double)ns;
        *rounds *= 2;
    }
}

/* A piece at a time, round and round: a sample need not have gone over all of a large memory, but the next
 * one goes on where it stopped. */
static double sample_memory(const struct measuring *measuring, char *memory, size_t *at)
{
    const size_t piece = measuring->bytes < PIECE_BYTES ? measuring->bytes : PIECE_BYTES;
    const uint64_t start = machine_now_ns();
    uint64_t bytes = 0, ns;
    do {
        /* the clock is read once for about 64 KiB, so that it does not count in the first level */
        for (size_t done = 0; done < CLOCK_BYTES; done += piece, bytes += piece) {
            measuring->pass(memory + *at, piece);
            *at = *at + piece < measuring->bytes ? *at + piece : 0;
        }
        ns = machine_now_ns() - start;
    } while (ns < measuring->sample_ns);
    return (double)bytes * 1e9 / (double)ns;
}

static void measure_thread(void *user, uint32_t thread)
{
    struct measuring *measuring = user;
    char *memory = measuring->memory + thread * measuring->bytes;
    uint64_t rounds = FIRST_ROUNDS;
    size_t at = 0;
    if (!measuring->arithmetic && measuring->bytes <= L3_MOST)
        measuring->pass(memory, measuring->bytes); /* into the cache that it is about */
    wait_for_all(measuring);
    for (int i = 0; i < SAMPLES; i++) {
        const double rate = measuring->arithmetic ? sample_arithmetic(measuring, &rounds)
                                                  : sample_memory(measuring, memory, &at);
        if (rate > measuring->rates[thread])
            measuring->rates[thread] = rate;
    }
}

static double run(hx_device *device, struct measuring *measuring, uint32_t threads)
{
    double sum = 0;
    measuring->threads = threads;
    atomic_store(&measuring->ready, 0);
    memset(measuring->rates, 0, threads * sizeof *measuring->rates);
    device_run(device, threads, measure_thread, measuring);
    for (uint32_t i = 0; i < threads; i++)
        sum += measuring->rates[i];
    return sum;
}

static hx_host_rate run_both(hx_device *device, struct measuring *measuring)
{
    hx_host_rate rate = {.one = run(device, measuring, 1)};
    rate.all = hx_device_workers(device) > 1 ? run(device, measuring, hx_device_workers(device)) : rate.one;
    return rate;
}

/* In steps whose halves a copy can take; what is larger than a piece, in pieces. */
static size_t whole_steps(uint64_t bytes)
{
    const uint64_t step = bytes < PIECE_BYTES ? 2 * LOOPS_STEP : PIECE_BYTES;
    return (size_t)(bytes / step * step);
}

/* Half of a cache, so that what else is there does not throw it out; of one that cores share, half of a
 * core's part. 0: there is no such level, or it is too small to be distinguished from the one before. */
static void choose_sizes(hx_host_peaks *peaks, uint64_t dram_bytes)
{
    size_t before = 0;
    uint64_t largest = 0;
    for (int level = HX_HOST_L1; level <= HX_HOST_L3; level++) {
        hx_host_memory *memory = &peaks->memory[level];
        const size_t cache = machine_cache_bytes(level - HX_HOST_L1 + 1);
        size_t part = cache ? cache : level == HX_HOST_L1 ? L1_DEFAULT : 0;
        if (level == HX_HOST_L3)
            part = part / peaks->cores < L3_MOST ? part / peaks->cores : L3_MOST;
        memory->size_bytes = cache;
        memory->bytes = part / 2 > before ? whole_steps(part / 2) : 0;
        before = part > before ? part : before;
        largest = cache > largest ? cache : largest;
    }
    const uint64_t wanted = 4 * largest > DRAM_LEAST ? 4 * largest : DRAM_LEAST;
    const uint64_t all = wanted < dram_bytes ? wanted : dram_bytes;
    peaks->memory[HX_HOST_DRAM].bytes = whole_steps(all / peaks->cores);
    peaks->is_dram_cached = all < 2 * largest;
}

static void measure(hx_device *device, struct measuring *measuring, hx_host_peaks *peaks)
{
    measuring->arithmetic = measuring->loops->f32;
    peaks->f32_flops = run_both(device, measuring);
    measuring->arithmetic = measuring->loops->f64;
    peaks->f64_flops = run_both(device, measuring);
    measuring->arithmetic = NULL;
    loops_pass *const ways[HX_HOST_WAYS] = {[HX_HOST_READ] = measuring->loops->read,
                                            [HX_HOST_WRITE] = measuring->loops->write,
                                            [HX_HOST_COPY] = measuring->loops->copy};
    for (int level = 0; level < HX_HOST_LEVELS; level++)
        for (int way = 0; way < HX_HOST_WAYS && peaks->memory[level].bytes > 0; way++) {
            measuring->pass = ways[way];
            measuring->bytes = (size_t)peaks->memory[level].bytes;
            peaks->memory[level].rates[way] = run_both(device, measuring);
        }
}

static void free_device(hx_device **device)
{
    hx_device_free(*device);
}

hx_status hx_host_measure(const hx_host_options *options, hx_diag *diag, hx_host_peaks *ret_peaks)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, ret_peaks);
    const uint64_t start = machine_now_ns();
    hx_host_options asked = {0};
    if (options)
        memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    hx_host_peaks peaks = {.size = sizeof peaks, .cores = (uint32_t)machine_cores()};
    const hx_device_options wanted = {.size = sizeof wanted,
                                      .allocator = asked.allocator,
                                      .workers = peaks.cores,
                                      .cpu_level = asked.cpu_level};
    hx_device *device HX_AUTO(free_device) = NULL;
    hx_status status = hx_device_new(&wanted, diag, &device);
    if (status != HX_OK)
        return status;
    machine_cpu_name(peaks.cpu);
    memcpy(peaks.cpu_level, hx_device_cpu_level(device), strlen(hx_device_cpu_level(device)) + 1);
    choose_sizes(&peaks, asked.dram_bytes ? asked.dram_bytes : DRAM_BYTES);
    size_t bytes = 0;
    for (int level = 0; level < HX_HOST_LEVELS; level++)
        if (peaks.memory[level].bytes * peaks.cores > bytes)
            bytes = (size_t)peaks.memory[level].bytes * peaks.cores;
    struct measuring measuring = {.loops = loops_at(device_level(device)),
                                  .memory = memory_allocate_aligned(asked.allocator, bytes),
                                  .rates =
                                      memory_allocate(asked.allocator, peaks.cores, sizeof *measuring.rates),
                                  .sample_ns = (asked.budget_ns ? asked.budget_ns : BUDGET_NS) /
                                               (SAMPLES * 2 * (2 + (uint64_t)HX_HOST_LEVELS * HX_HOST_WAYS))};
    if (measuring.memory && measuring.rates)
        measure(device, &measuring, &peaks);
    else
        status = diag_no_memory(diag);
    memory_free_aligned(asked.allocator, measuring.memory);
    memory_free(asked.allocator, measuring.rates);
    peaks.duration_ns = machine_now_ns() - start;
    if (status == HX_OK)
        memcpy(ret_peaks, &peaks,
               ret_peaks->size && ret_peaks->size < sizeof peaks ? ret_peaks->size : sizeof peaks);
    return status;
}

const char *hx_host_level_name(hx_host_level level)
{
    static const char *const names[] = {"L1", "L2", "L3", "DRAM"};
    return (unsigned)level < HX_COUNT_OF(names) ? names[level] : "?";
}

const char *hx_host_way_name(hx_host_way way)
{
    static const char *const names[] = {"read", "write", "copy"};
    return (unsigned)way < HX_COUNT_OF(names) ? names[way] : "?";
}
