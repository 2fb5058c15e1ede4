/* How many devices a program sees. */
#include "devices/calls/calls.h"

#include <stdio.h>
#include <stdlib.h>

unsigned calls_device_count(void)
{
    const char *text = getenv("HEXEC_DEVICES");
    char *end;
    if (!text || !*text)
        return 1;
    const long count = strtol(text, &end, 10);
    if (!*end && count >= 1 && count <= DEVICES_MOST)
        return (unsigned)count;
    fprintf(stderr, "hexec: HEXEC_DEVICES is '%s', which counts as 1: it is a number from 1 to %d\n", text,
            DEVICES_MOST);
    return 1;
}
