/* Threads of the program that give work to a driver, and those of them that wait for it. */
#pragma once

#include <stdbool.h>

/* The calling thread is one, until it ends. Not for threads of the driver's own. */
void threads_join(void);
/* The calling thread, which is one, waits from now on, and until then. */
void threads_wait_begin(void);
void threads_wait_end(void);
/* Do all of them wait, so that the program writes no memory? */
bool threads_all_wait(void);
