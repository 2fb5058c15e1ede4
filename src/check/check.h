/* Listeners that are requested by name, as by `hexec run --listen NAME`: each writes lines of text about what
 * a launch does. listeners.def has a row for each; its file is src/check/NAME.c. */
#pragma once

#include "base/text.h"
#include "hexec/listener.h"

/* The events and functions of each; their `user` is for check_line and check_block_line. */
#define CHECK_LISTENER(name, summary) extern const hx_listener check_##name;
#include "check/listeners.def"
#undef CHECK_LISTENER

/* Writes "FILE:LINE: block 3, threads 0-31: " and the rest as printf does, as one line. lanes: as in events.
 * From any thread; lines of several workers do not mix. */
void check_line(void *user, const hx_event_place *at, uint64_t lanes, const char *format, ...)
    HX_PRINTF(4, 5);
/* The same for what has no instruction: "block 3: " and the rest. */
void check_block_line(void *user, uint64_t block, const char *format, ...) HX_PRINTF(3, 4);
