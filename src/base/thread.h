/* Threads that hexec starts. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread with a stack of its own size: that which `ulimit -s` gives may be too small, or so large
 * that many threads need more address space than there is. It takes no signals that are sent to the process.
 * False when the system refuses. */
bool thread_start(pthread_t *ret_thread, void *(*function)(void *user), void *user);
/* The same with a stack for code that is not hexec's and wants much of it. */
bool thread_start_large(pthread_t *ret_thread, void *(*function)(void *user), void *user);
/* Returns when it has ended. */
void thread_wait(pthread_t thread);
