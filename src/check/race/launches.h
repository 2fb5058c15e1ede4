/* Races between commands: launches and copies of different streams. */
#pragma once

#include "check/checks.h"
#include "check/race/engine.h"

struct race_launches;

/* NULL: no memory. */
struct race_launches *race_launches_new(hx_checks *checks);
void race_launches_free(struct race_launches *launches);
/* Is the launch that begins a command, which has to be compared with others? */
bool race_launches_begin(struct race_launches *launches, uint64_t command);
/* The launch has ended; its engine has what it accessed in global memory. */
void race_launches_end(struct race_launches *launches, struct race_engine *engine);
/* What was done to a buffer. */
void race_launches_buffer(struct race_launches *launches, const hx_buffer_event *event);
