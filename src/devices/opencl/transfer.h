/* What commands that move bytes have in common: those of buffers, of images, and of ranges that are mapped.
 */
#pragma once

#include "devices/opencl/opencl.h"

/* What all these functions get besides their own: queue, count, list, ret_event. */
#define ENQUEUE(kind, waits)                                                                                 \
    {                                                                                                        \
        .queue = queue, .type = CL_COMMAND_##kind, .wait_count = count, .wait_list = list,                   \
        .ret_event = ret_event, .is_blocking = waits                                                         \
    }

/* A memory object that a command uses, and its range. */
struct use {
    cl_mem memory;
    size_t offset, bytes;
    cl_mem_flags forbidden; /* CL_INVALID_OPERATION when it has one of them */
    enum { USE_BUFFER, USE_IMAGE, USE_ANY } kind;
};

cl_int transfer_check_use(cl_command_queue queue, const struct use *use);
/* A command that uses one memory object, or two; `error` is what was found before, and comes behind errors of
 * the objects. */
cl_int transfer_new(const struct enqueue *enqueue, const struct use *a, const struct use *b, cl_int error,
                    cl_event *ret_command);
/* Makes the command a copy, and gives it to its queue. */
cl_int transfer_give(const struct enqueue *enqueue, cl_event command, const struct copy_command *copy);
cl_int transfer_run(cl_event command);
/* Where `origin` and `region` of an image are; CL_INVALID_VALUE. CL_SUCCESS of other objects, which have
 * errors of their own. */
cl_int image_rows(cl_mem memory, const size_t *origin, const size_t *region, struct rows *ret_rows);
