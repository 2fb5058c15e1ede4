/* Threads of the program that give work to a driver, those of them that wait for it, and the driver's own. */
#include "devices/calls/threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int givers, waiting;
static pthread_once_t is_made = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* its value is not NULL for a thread that was counted */
static bool has_key;

static void leave(void *user)
{
    (void)user;
    atomic_fetch_sub(&givers, 1);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, leave) == 0;
}

void threads_join(void)
{
    pthread_once(&is_made, make_key);
    if (has_key && !pthread_getspecific(key) && pthread_setspecific(key, &key) == 0)
        atomic_fetch_add(&givers, 1);
}

void threads_wait_begin(void)
{
    threads_join();
    atomic_fetch_add(&waiting, 1);
}

void threads_wait_end(void)
{
    atomic_fetch_sub(&waiting, 1);
}

bool threads_all_wait(void)
{
    return has_key && atomic_load(&waiting) >= atomic_load(&givers);
}

bool threads_start(void *(*function)(void *user), void *user)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t blocked, before;
    pthread_t thread;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, &before); /* the new thread takes it over */
    const bool is_started = pthread_create(&thread, NULL, function, user) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_started)
        (void)pthread_detach(thread);
    return is_started;
}
