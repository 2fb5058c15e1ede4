/* Queues of commands, and commands that do nothing but wait. */
#include "devices/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

#define KNOWN_PROPERTIES (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
#define ALL_PROPERTIES   (KNOWN_PROPERTIES | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT)

static cl_command_queue make(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                             cl_int error, cl_int *ret_error)
{
    cl_command_queue queue = NULL;
    if (!object_is(context, OBJECT_CONTEXT))
        error = CL_INVALID_CONTEXT;
    else if (!device_list_has(&context->devices, device))
        error = CL_INVALID_DEVICE;
    else if (error == CL_SUCCESS && (properties & ~(cl_command_queue_properties)ALL_PROPERTIES))
        error = CL_INVALID_VALUE;
    else if (error == CL_SUCCESS && (properties & ~(cl_command_queue_properties)KNOWN_PROPERTIES))
        error = CL_INVALID_QUEUE_PROPERTIES;
    if (error == CL_SUCCESS) {
        queue = object_new(OBJECT_QUEUE, sizeof *queue);
        error = queue ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (queue) {
        queue->context = object_keep(context);
        queue->device = device;
        queue->properties = properties;
    }
    if (ret_error)
        *ret_error = error;
    return queue;
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties, cl_int *ret_error)
{
    return make(context, device, properties, CL_SUCCESS, ret_error);
}

cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                const cl_queue_properties *list,
                                                                cl_int *ret_error)
{
    cl_command_queue_properties properties = 0;
    cl_int error = CL_SUCCESS;
    size_t count = 0;
    for (; list && list[count] && error == CL_SUCCESS; count += 2) {
        if (list[count] == CL_QUEUE_PROPERTIES && count < 6)
            properties = list[count + 1];
        else
            error = list[count] == CL_QUEUE_SIZE ? CL_INVALID_QUEUE_PROPERTIES : CL_INVALID_VALUE;
    }
    cl_command_queue queue = make(context, device, properties, error, ret_error);
    if (queue && list) {
        queue->list_count = count + 1;
        memcpy(queue->list, list, queue->list_count * sizeof *list);
    }
    return queue;
}

void queue_drop(cl_command_queue queue)
{
    if (!object_drop(queue))
        return;
    context_drop(queue->context);
    queue->object.kind = 0;
    free(queue);
}

cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue)
{
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    object_keep(queue);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue)
{
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    queue_drop(queue);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t room,
                                         void *value, size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    switch (name) {
    case CL_QUEUE_CONTEXT:
        return ANSWER(&answer, cl_context, queue->context);
    case CL_QUEUE_DEVICE:
        return ANSWER(&answer, cl_device_id, queue->device);
    case CL_QUEUE_REFERENCE_COUNT:
        return ANSWER(&answer, cl_uint, atomic_load(&queue->object.references));
    case CL_QUEUE_PROPERTIES:
        return ANSWER(&answer, cl_command_queue_properties, queue->properties);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return answer_bytes(&answer, queue->list, queue->list_count * sizeof *queue->list);
    case CL_QUEUE_DEVICE_DEFAULT:
        return ANSWER(&answer, cl_command_queue, NULL);
    default: /* CL_QUEUE_SIZE is of queues on the device */
        return name == CL_QUEUE_SIZE ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties properties,
                                             cl_bool is_on, cl_command_queue_properties *ret_old)
{
    (void)properties, (void)is_on, (void)ret_old;
    return object_is(queue, OBJECT_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

/* Commands run as soon as they may: nothing is held back. */
cl_int CL_API_CALL clFlush(cl_command_queue queue)
{
    return object_is(queue, OBJECT_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
    return queue_finish(queue);
}

static cl_int give(const struct enqueue *enqueue)
{
    cl_event command = NULL;
    const cl_int error = command_new(enqueue, &command);
    return error == CL_SUCCESS ? command_give(enqueue, command) : error;
}

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *list,
                                               cl_event *ret_event)
{
    return give(&(const struct enqueue){queue, CL_COMMAND_MARKER, count, list, ret_event, false, true});
}

cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *list,
                                                cl_event *ret_event)
{
    return give(&(const struct enqueue){queue, CL_COMMAND_BARRIER, count, list, ret_event, false, true});
}

cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event *ret_event)
{
    if (object_is(queue, OBJECT_QUEUE) && !ret_event)
        return CL_INVALID_VALUE;
    return clEnqueueMarkerWithWaitList(queue, 0, NULL, ret_event);
}

cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue)
{
    return clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL);
}

cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *list)
{
    if (object_is(queue, OBJECT_QUEUE) && (count == 0 || !list))
        return CL_INVALID_VALUE;
    const cl_int error = clEnqueueBarrierWithWaitList(queue, count, list, NULL);
    return error == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : error;
}

static cl_int run_native(cl_event command)
{
    command->as.native.function(command->as.native.arguments);
    return CL_COMPLETE;
}

/* The function gets a copy of its arguments, in which buffers have become addresses of the host. */
cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *function)(void *),
                                         void *arguments, size_t bytes, cl_uint memory_count,
                                         const cl_mem *memories, const void **places, cl_uint count,
                                         const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = {queue, CL_COMMAND_NATIVE_KERNEL, count, list, ret_event, false, false};
    cl_event command = NULL;
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!function || (!arguments && (bytes > 0 || memory_count > 0)) || (arguments && bytes == 0) ||
        (memory_count > 0) != (memories && places))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < memory_count; i++)
        if (!object_is(memories[i], OBJECT_MEMORY))
            return CL_INVALID_MEM_OBJECT;
    const cl_int error = command_new(&enqueue, &command);
    if (error != CL_SUCCESS)
        return error;
    char *copy = bytes > 0 ? malloc(bytes) : NULL;
    if (bytes > 0 && !copy) {
        command_discard(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (copy)
        memcpy(copy, arguments, bytes);
    for (cl_uint i = 0; i < memory_count; i++)
        memcpy(copy + ((const char *)places[i] - (const char *)arguments), &memories[i]->data,
               sizeof(void *));
    command->run = run_native;
    command->as.native.function = function;
    command->as.native.arguments = command->allocated = copy;
    return command_give(&enqueue, command);
}
