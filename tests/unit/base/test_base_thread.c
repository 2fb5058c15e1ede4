/* Threads of hexec: which signals they take. */
#include "unit.h"

#include "base/thread.h"

#include <signal.h>

static void *note_mask(void *user)
{
    pthread_sigmask(SIG_BLOCK, NULL, user);
    return NULL;
}

/* A program's handlers run on its own threads; what a thread brings about itself is not put off. */
START_TEST(test_signals)
{
    static const int blocked[] = {SIGALRM, SIGINT, SIGPROF, SIGTERM, SIGUSR1, SIGCHLD, SIGPIPE, SIGVTALRM};
    static const int open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t before, after, of_thread;
    pthread_t thread;
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    ck_assert(thread_start(&thread, note_mask, &of_thread));
    thread_wait(thread);
    for (size_t i = 0; i < HX_COUNT_OF(blocked); i++)
        ck_assert_msg(sigismember(&of_thread, blocked[i]) == 1, "signal %d is taken", blocked[i]);
    for (size_t i = 0; i < HX_COUNT_OF(open); i++)
        ck_assert_msg(sigismember(&of_thread, open[i]) == 0, "signal %d is put off", open[i]);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    for (int number = 1; number < 32; number++)
        ck_assert_int_eq(sigismember(&before, number), sigismember(&after, number));
}
END_TEST

UNIT_MAIN("base/thread", test_signals)
