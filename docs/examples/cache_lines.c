/* Counts the distinct cache lines of 128 bytes that a program touches in global memory.
 *
 *     $ cc cache_lines.c $(pkg-config --cflags --libs hexec) -o cache_lines
 *     $ ./cache_lines programs/transpose.yaml
 *     10800 accesses of threads to 338 cache lines */
#define _GNU_SOURCE /* tdestroy */
#include <hexec/hexec.h>

#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE_BYTES 128

struct counter {
    void *lines; /* a tree (search.h) of line numbers */
    uint64_t distinct, accesses;
};

static int by_number(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

static void touch(struct counter *counter, uint64_t line)
{
    uint64_t *number = malloc(sizeof *number);
    if (!number)
        abort();
    *number = line;
    uint64_t **found = tsearch(number, &counter->lines, by_number);
    if (!found)
        abort();
    if (*found == number)
        counter->distinct++;
    else
        free(number); /* it is there already */
}

/* Called before each load, store and atomic, with the addresses that the kernel is about to use. */
static int access_memory(void *user, const hx_access_event *event, hx_refusal *refusal)
{
    struct counter *counter = user;
    (void)refusal; /* every access is welcome */
    if (event->space != 1)
        return 0;
    for (int lane = 0; lane < 64; lane++) {
        if (!(event->lanes >> lane & 1))
            continue;
        const uint64_t first = event->addresses[lane] / LINE_BYTES;
        const uint64_t last = (event->addresses[lane] + event->lane_bytes - 1) / LINE_BYTES;
        counter->accesses++;
        touch(counter, first);
        if (last != first)
            touch(counter, last);
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct counter counter = {0};
    const hx_listener listener = {
        .size = sizeof listener, .events = HX_EVENT_ACCESS, .user = &counter, .access = access_memory};
    const hx_listener *const listeners[] = {&listener};
    hx_run_options options = {.size = sizeof options};
    hx_run_result result = {.size = sizeof result};
    hx_context *context = NULL;
    hx_diag *diag = NULL;
    if (argc != 2 || hx_diag_new(NULL, &diag) != HX_OK)
        return 2;
    options.launch.workers = 1; /* one thread calls: the counter needs no lock */
    options.launch.listeners = listeners;
    options.launch.listener_count = 1;
    hx_status status = hx_context_new(NULL, diag, &context);
    if (status == HX_OK)
        status = hx_context_load(context, argv[1], diag);
    if (status == HX_OK)
        status = hx_context_run(context, &options, diag, &result);
    if (status == HX_OK)
        printf("%llu accesses of threads to %llu cache lines\n", (unsigned long long)counter.accesses,
               (unsigned long long)counter.distinct);
    else
        fprintf(stderr, "%s: %s\n", argv[1],
                hx_diag_count(diag) ? hx_diag_at(diag, 0)->message : hx_status_name(status));
    hx_context_free(context);
    hx_diag_free(diag);
    tdestroy(counter.lines, free);
    return status == HX_OK ? 0 : 1;
}
