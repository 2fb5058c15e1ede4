/* Marks: points in a stream's work that others wait for. An event is a place for the mark that it got last.
 */
#pragma once

#include "base/memory.h"
#include "hexec/stream.h"

/* Counted references; the last one that is dropped frees it. */
struct mark;

/* Not reached, one reference; NULL when memory runs out. Borrows the allocator until it is freed. */
struct mark *mark_new(const hx_allocator *allocator);
struct mark *mark_keep(struct mark *mark);
void mark_drop(struct mark *mark); /* NULL is fine */
void mark_reach(struct mark *mark);
void mark_wait(struct mark *mark);
/* Is it reached, and when (of machine_now_ns)? */
bool mark_is_reached(struct mark *mark, uint64_t *ret_ns);

/* The event's mark from now on; keeps a reference of its own. */
void mark_put(hx_event *event, struct mark *mark);
/* The event's mark, with a reference for the caller; NULL when it was never recorded. */
struct mark *mark_of(const hx_event *event);
/* What the marks of an event are made with. */
const hx_allocator *mark_allocator(const hx_event *event);
