/* The heap of threads: what malloc gave, what free took, and accesses that miss both. */
#pragma once

#include "check/checks.h"

struct heap;

/* No heap yet: heap_follow finds it. NULL: no memory. */
struct heap *heap_new(hx_checks *checks);
void heap_free(struct heap *heap);
/* A buffer of the device was made or freed, or the device is followed from now on: true if there is a heap.
 */
bool heap_buffer(struct heap *heap, const hx_buffer_event *event);
bool heap_follow(struct heap *heap);
/* From any thread. */
void heap_note(struct heap *heap, const hx_lanes_event *event);
void heap_access(struct heap *heap, const hx_access_event *event);
/* Is the instruction of the launch that runs one of malloc or free itself? */
bool heap_is_own(const struct heap *heap, uint32_t instruction);
/* The device is left: reports the blocks that nobody freed. */
void heap_leave(struct heap *heap);
