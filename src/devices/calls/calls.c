/* Calls: the compiler has each function of the driver call two functions when it begins and ends
 * (-finstrument-functions). Without a trace they do nothing; else those that programs call are reported to
 * the session. */
#include "devices/calls/calls.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define UNSEEN __attribute__((no_instrument_function))

static _Atomic(hx_session *) watching; /* NULL: nobody wants to know */
static struct call *table;             /* by address; constant once it is watched */
static size_t table_count;

/* The outermost call of this thread: those that it makes itself are the driver's own. */
static _Thread_local struct {
    const struct call *call; /* NULL: there is none */
    unsigned depth;          /* of calls of the same function within it */
    uint64_t start_ns;
} outermost;

__attribute__((visibility("hidden"))) UNSEEN void __cyg_profile_func_enter(void *function, void *site);
__attribute__((visibility("hidden"))) UNSEEN void __cyg_profile_func_exit(void *function, void *site);
static const struct call *find(const void *function) UNSEEN;
static uint64_t now_ns(void) UNSEEN;

static int by_address(const void *a, const void *b) UNSEEN;

static int by_address(const void *a, const void *b)
{
    const uintptr_t first = (uintptr_t)((const struct call *)a)->function,
                    second = (uintptr_t)((const struct call *)b)->function;
    return (first > second) - (first < second);
}

void calls_watch(hx_session *session, struct call *functions, size_t count)
{
    if (!hx_session_has_trace(session))
        return;
    qsort(functions, count, sizeof *functions, by_address);
    table = functions;
    table_count = count;
    atomic_store(&watching, session);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static const struct call *find(const void *function)
{
    size_t low = 0, high = table_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uintptr_t)table[middle].function == (uintptr_t)function)
            return &table[middle];
        if ((uintptr_t)table[middle].function < (uintptr_t)function)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    if (__builtin_expect(!atomic_load_explicit(&watching, memory_order_acquire), 1))
        return;
    if (outermost.call) {
        outermost.depth += outermost.call->function == function;
        return;
    }
    const struct call *call = find(function);
    if (!call)
        return;
    outermost.start_ns = now_ns();
    outermost.call = call;
    outermost.depth = 0;
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)site;
    if (__builtin_expect(!atomic_load_explicit(&watching, memory_order_acquire), 1))
        return;
    if (!outermost.call || outermost.call->function != function)
        return;
    if (outermost.depth > 0) {
        outermost.depth--;
        return;
    }
    const struct call *call = outermost.call;
    outermost.call = NULL;
    hx_session_called(atomic_load(&watching), call->name, outermost.start_ns, now_ns());
}
