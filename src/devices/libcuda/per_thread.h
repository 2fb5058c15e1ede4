/* Functions of programs whose default stream is one of each thread. */
#pragma once

#include <stdbool.h>

/* Is the copy or fill that is to be done now one for the stream of the calling thread? Asks once: what is
 * called within it is not. */
bool per_thread_is_asked(void);
/* The function that such a program calls in place of the one of this name; NULL: it is the same. */
void *per_thread_find(const char *name);
