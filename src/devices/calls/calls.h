/* The calls that a program makes of a driver, for the trace of its session. */
#pragma once

#include "hexec/hexec.h"

/* A function that programs call. */
struct call {
    void *function;
    const char *name;
};
/* Tells the session of each call from outside of one of these functions from now on, if it wants to know.
 * They are sorted in place and stay where they are. Once in a process. */
void calls_watch(hx_session *session, struct call *functions, size_t count);

#define DEVICES_MOST 64
/* How many devices, which share one memory, HEXEC_DEVICES says: 1 when it says nothing, or something wrong,
 * which is reported on standard error. For the driver's start. */
unsigned calls_device_count(void);
