/* The context of this process in a trace of several: W3C Trace Context, https://www.w3.org/TR/trace-context/
 */
#pragma once

#include "base/text.h"

struct trace_context {
    char trace_id[33], parent_id[17]; /* lower-case hexadecimal; parent_id is empty without a parent */
    char root_id[17];                 /* of the span that stands for this process */
    bool is_sampled;
};

/* Reads a header `traceparent`: 00-<32 digits>-<16 digits>-<2 digits>; higher versions may go on after a
 * dash. False when it is none, or when an id is all zero. */
bool traceparent_parse(struct slice header, struct trace_context *ret_context);
/* A context without a parent, or below one that traceparent_parse has read: draws the ids that are missing.
 */
void traceparent_draw(struct trace_context *context);
