/* What the checker `race` learns of the order of streams. */
#pragma once

#include "devices/libcuda/work.h"

/* Work is given to a stream under this number, each greater than the one before; `event`: the number of the
 * record that it waits for, or 0. */
void order_give(uint64_t number, struct queue_stream stream, uint64_t event);
/* The order hangs on values that streams wait for: from now on all work counts as ordered. */
void order_stop(void);
/* The host has waited for all work, or for that which work of the default stream would come behind. */
void order_waited_for_all(void);
void order_waited_for_default(void);
