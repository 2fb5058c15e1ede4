/* Captures: what streams are given becomes a graph instead of being done. */
#pragma once

#include "devices/libcuda/work.h"

#include <stdatomic.h>

/* Where a stream or an event stands in a capture: what comes next depends on these nodes. */
struct capture_point {
    struct capture *capture; /* NULL: it is in none */
    CUgraphNode *nodes;      /* owned */
    size_t count;
};
/* What a program sets and gets of a stream (cuStreamSetAttribute), and nothing depends on. */
struct stream_attributes {
    char window[40]; /* CUaccessPolicyWindow */
    int sync_policy; /* 0: none was set */
    unsigned char domains[2];
    bool has_domains;
    int domain;
};
struct CUstream_st {
    unsigned flags;
    int priority;
    struct stream_attributes attributes;
    unsigned long long number;
    CUcontext context;
    atomic_ullong last; /* ticket of the last work that it was given */
    struct capture_point point;
};
/* Handles that are no pointers, beside NULL. */
enum { STREAM_LEGACY = 1, STREAM_PER_THREAD = 2 };
/* The stream of a handle; of CU_STREAM_PER_THREAD that of the calling thread. NULL: the default stream. */
CUstream stream_of(CUstream handle);

/* Work becomes a node behind the point's nodes, and the point's only one. */
CUresult capture_add(struct capture_point *point, const struct work *work);
/* What comes next at `to` also depends on the nodes of `from`, whose capture it joins. */
CUresult capture_join(struct capture_point *to, const struct capture_point *from);
void capture_leave(struct capture_point *point);
/* Is it in a capture? One that has ended is left. */
bool capture_is_running(struct capture_point *point);
/* A call wants what no capture allows: the capture can only be ended, and makes no graph. Returns
 * CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, or CUDA_ERROR_STREAM_CAPTURE_INVALIDATED if it was spoiled before.
 */
CUresult capture_spoil(const struct capture_point *point);
