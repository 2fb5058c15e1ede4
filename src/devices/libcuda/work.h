/* What streams do and graphs keep: launches, copies, fills, calls of the host.
 *
 * All streams give their work to one queue, which one thread empties (queue.c). */
#pragma once

#include "devices/libcuda/cuda_driver.h"
#include "hexec/hexec.h"

#include <stdbool.h>

/* An end of a copy: an address of the host's, or one of the device's. */
struct work_end {
    bool is_device;
    uint64_t address;
    size_t pitch, slice; /* bytes from row to row, from plane to plane */
    CUarray array;       /* that the program named; NULL: it named none */
};
struct launch_work {
    CUfunction function;
    unsigned grid[3], block[3], shared_bytes;
    char *values; /* of all parameters, each at its offset; owned. NULL: there are none */
    size_t value_bytes;
};
struct copy_work {
    struct work_end to, from;
    size_t width, height, depth; /* bytes of a row, rows of a plane, planes */
};
struct fill_work {
    CUdeviceptr to;
    size_t pitch, width, height; /* width: in elements */
    unsigned element;            /* its bytes: 1, 2 or 4 */
    uint32_t value;
};
struct host_work {
    void (*function)(void *user); /* or, if that is NULL: */
    void (*callback)(CUstream stream, CUresult status, void *user);
    CUstream stream;
    void *user;
};
/* Values that waits and writes of streams compare and store (cuStreamWaitValue). */
struct value_work {
    CUdeviceptr address;
    uint64_t value;
    unsigned bytes, flags;
};
struct graph_memory;
enum work_kind { /* all but the last have the numbers of CUgraphNodeType */
                 WORK_LAUNCH,
                 WORK_COPY,
                 WORK_FILL,
                 WORK_HOST,
                 WORK_LIST,
                 WORK_NOTHING,
                 WORK_WAIT_EVENT,
                 WORK_RECORD,
                 WORK_ALLOC = 10,
                 WORK_FREE,
                 WORK_WAIT_VALUE,
                 WORK_WRITE_VALUE
};
struct work {
    enum work_kind kind;
    union {
        struct launch_work launch;
        struct copy_work copy;
        struct fill_work fill;
        struct host_work host;
        struct value_work value;
        CUevent event;
        struct graph_memory *memory; /* WORK_ALLOC */
        struct {
            struct work *items; /* owned */
            size_t count;
        } list;
    } as;
};

/* A copy of it, with all that it owns, in *ret_copy. */
CUresult work_copy(const struct work *work, struct work *ret_copy);
/* Frees what it owns. */
void work_done(struct work *work);
/* Can it be done: are the addresses the device's, is the shape one that runs? */
CUresult work_check(const struct work *work);
/* Does it wait for a value that memory does not have yet? */
bool work_waits(const struct work *work);
/* Does it now, on this thread; no list, whose items the queue has one by one. */
CUresult work_run(const struct work *work);

/* Which stream the queue does work for. */
struct queue_stream {
    unsigned long long number; /* 0: the default stream */
    bool is_apart;             /* it neither waits for the default stream nor is waited for by that */
};
/* Gives a copy of the work to the queue, the items of a list one by one; the number of the last in
 * *ret_ticket (NULL: nobody asks). */
CUresult queue_give(const struct work *work, struct queue_stream stream, uint64_t *ret_ticket);
/* Waits until the work with this number is done. On a thread that does work of the queue nothing waits. */
void queue_wait(uint64_t ticket);
/* Waits for all work, or for that which work of the default stream would come behind. */
void queue_wait_for_all(void);
void queue_wait_for_default(void);
/* Work of the default stream that the calling thread does now, behind queue_wait_for_default: its number. */
uint64_t queue_begin_now(void);
bool queue_is_done(uint64_t ticket);
/* Is all done that work of the default stream would come behind? */
bool queue_default_is_done(void);
/* Work of the stream: is checked, and done later; kept by a graph while the stream is captured. */
CUresult stream_give(CUstream stream, const struct work *work);
/* CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED when the stream is captured. */
CUresult stream_check_uncaptured(CUstream stream);
/* ... and if it is, the capture is spoiled. */
CUresult stream_need_uncaptured(CUstream stream);

/* An event has come: its time is now. */
void event_reach(CUevent event);
/* The queue has got a record of it, or wants the number of the last one. */
void event_expect(CUevent event, uint64_t ticket);
uint64_t event_ticket(CUevent event);
/* Work that names an event keeps it. */
void event_keep(CUevent event);
void event_release(CUevent event);

/* modules and memory */
CUresult launch_check(const struct launch_work *launch);
CUresult launch_run(const struct launch_work *launch);
/* Packs the values of a launch (cuLaunchKernel: kernelParams, extra) into *ret_launch. */
CUresult launch_pack(CUfunction function, void **parameters, void **extra, struct launch_work *ret_launch);
/* The host's place of bytes of the device; NULL when they are not in one buffer, or in several that lie side
 * by side. */
char *memory_place(CUdeviceptr address, size_t bytes);
/* Is there so much memory left of the device's? */
bool memory_has_room(size_t bytes);
/* So many bytes are in use, or not any more, beside those of buffers. */
void memory_take(size_t bytes);
void memory_give_back(size_t bytes);
/* Tells the session what happened to bytes of the device, which are a copy of those at `from` if that is not
 * 0. */
void memory_changed(hx_buffer_change change, CUdeviceptr address, size_t bytes, CUdeviceptr from);
/* Is it an address that cuMemHostAlloc gave or cuMemHostRegister was given? */
CUresult memory_free(CUdeviceptr address);
bool memory_is_pinned(const void *host);
/* Do kernels reach all memory of the process (HEXEC_UNIFIED=1)? */
bool device_is_unified(void);
/* Is there memory that the host and kernels reach? */
bool memory_has_host_memory(void);
/* Does the address lie in a mapping (cuMemMap), which the calls that free memory do not free? */
bool virtual_has(CUdeviceptr address);

/* What a copy in three dimensions is. */
CUresult copy_of(const CUDA_MEMCPY3D *copy, struct work *ret_work);

/* What an operation of cuStreamBatchMemOp is, which must be one that can be done; WORK_NOTHING: a barrier, as
 * the queue keeps the order of all work. */
CUresult operation_of(const CUstreamBatchMemOpParams *operation, struct work *ret_work);
/* No more of them are in one list. */
enum { OPERATIONS_MOST = 256 };

/* graphs */
/* Adds a node; what it depends on must be nodes of the graph. */
CUresult graph_add(CUgraph graph, const CUgraphNode *needs, size_t need_count, const struct work *work,
                   CUgraphNode *ret_node);
CUresult graph_new(CUgraph *ret_graph);
