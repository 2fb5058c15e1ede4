/* Threads of the program that give work to a driver, those of them that wait for it, and the driver's own. */
#pragma once

#include <stdbool.h>

/* The calling thread is one, until it ends. Not for threads of the driver's own. */
void threads_join(void);
/* The calling thread, which is one, waits from now on, and until then. */
void threads_wait_begin(void);
void threads_wait_end(void);
/* Do all of them wait, so that the program writes no memory? */
bool threads_all_wait(void);

/* Starts a thread of the driver's, which ends with the process. It takes no signals that are sent to the
 * process: the program's handlers run on threads of the program. False when the system refuses. */
bool threads_start(void *(*function)(void *user), void *user);
