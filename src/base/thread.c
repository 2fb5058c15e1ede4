/* Threads. Takes a function, leaves a thread that runs it on a stack whose size does not depend on the limits
 * of the process. */
#include "base/thread.h"

#include <signal.h>
#include <stddef.h>

#define STACK_BYTES                                                                                          \
    ((size_t)1 << 20) /* hexec needs a twentieth of it; functions of the host run here too                   \
                       */

#define STACK_BYTES_LARGE ((size_t)16 << 20)

/* A signal that is sent to the process runs its handler on any thread that does not block it: the host's
 * handlers are for the host's threads. What a thread itself brings about (an invalid access) goes on as it
 * was. */
static void block_signals(sigset_t *ret_before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, ret_before);
}

static bool start(pthread_t *ret_thread, size_t stack_bytes, void *(*function)(void *user), void *user)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    sigset_t before;
    block_signals(&before); /* which the new thread takes over */
    const bool is_made = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
                         pthread_create(ret_thread, &attributes, function, user) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return is_made;
}

bool thread_start(pthread_t *ret_thread, void *(*function)(void *user), void *user)
{
    return start(ret_thread, STACK_BYTES, function, user);
}

bool thread_start_large(pthread_t *ret_thread, void *(*function)(void *user), void *user)
{
    return start(ret_thread, STACK_BYTES_LARGE, function, user);
}

void thread_wait(pthread_t thread)
{
    pthread_join(thread, NULL);
}
