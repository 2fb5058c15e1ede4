/* Contexts. */
#include "devices/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

static void give_error(cl_int *ret_error, cl_int error)
{
    if (ret_error)
        *ret_error = error;
}

/* How many properties there are, with the 0 at the end; an error when one is not known. */
static cl_int check_properties(const cl_context_properties *properties, size_t *ret_count)
{
    size_t count = 0;
    bool has_platform = false, has_sync = false;
    for (; properties && properties[count]; count += 2) {
        const cl_context_properties name = properties[count], value = properties[count + 1];
        if (name == CL_CONTEXT_PLATFORM) {
            if (has_platform)
                return CL_INVALID_PROPERTY;
            if ((cl_platform_id)value != &opencl_platform)
                return CL_INVALID_PLATFORM;
            has_platform = true;
        } else {
            const bool is_sync =
                name == CL_CONTEXT_INTEROP_USER_SYNC && (value == CL_TRUE || value == CL_FALSE);
            if (!is_sync || has_sync)
                return CL_INVALID_PROPERTY;
            has_sync = true;
        }
    }
    *ret_count = properties ? count + 1 : 0;
    return CL_SUCCESS;
}

cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                                       const cl_device_id *devices,
                                       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                       void *user, cl_int *ret_error)
{
    size_t count = 0;
    cl_int error = check_properties(properties, &count);
    if (error == CL_SUCCESS && (!devices || num_devices == 0 || (!notify && user)))
        error = CL_INVALID_VALUE;
    if (error == CL_SUCCESS && !device_list_has_all(device_list_all(), num_devices, devices))
        error = CL_INVALID_DEVICE;
    if (error == CL_SUCCESS && !device_get())
        error = CL_DEVICE_NOT_AVAILABLE;
    cl_context context = error == CL_SUCCESS ? object_new(OBJECT_CONTEXT, sizeof *context) : NULL;
    if (context && count > 0) {
        context->properties = malloc(count * sizeof *properties);
        if (!context->properties) {
            free(context);
            context = NULL;
        } else {
            memcpy(context->properties, properties, count * sizeof *properties);
            context->property_count = count;
        }
    }
    if (error == CL_SUCCESS && !context)
        error = CL_OUT_OF_HOST_MEMORY;
    if (context) {
        context->notify = notify;
        context->notify_user = user;
        device_list_take(&context->devices, num_devices, devices);
    }
    give_error(ret_error, error);
    return context;
}

cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                               void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                                                         void *),
                                               void *user, cl_int *ret_error)
{
    cl_device_id found[DEVICES_MOST];
    cl_uint count;
    const cl_int error = clGetDeviceIDs(&opencl_platform, type, DEVICES_MOST, found, &count);
    if (error == CL_SUCCESS)
        return clCreateContext(properties, count, found, notify, user, ret_error);
    give_error(ret_error, error);
    return NULL;
}

void context_drop(cl_context context)
{
    if (!object_drop(context))
        return;
    while (context->destructors) {
        struct callback *callback = context->destructors;
        context->destructors = callback->next;
        ((void(CL_CALLBACK *)(cl_context, void *))callback->function)(context, callback->user);
        free(callback);
    }
    svm_free_all(context);
    free(context->properties);
    context->object.kind = 0;
    free(context);
}

cl_int CL_API_CALL clRetainContext(cl_context context)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    object_keep(context);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clReleaseContext(cl_context context)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    context_drop(context);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clSetContextDestructorCallback(cl_context context,
                                                  void(CL_CALLBACK *function)(cl_context, void *), void *user)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!function)
        return CL_INVALID_VALUE;
    return callback_add(&context->destructors, (void *)function, user, 0);
}

cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info name, size_t room, void *value,
                                    size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return ANSWER(&answer, cl_uint, atomic_load(&context->object.references));
    case CL_CONTEXT_NUM_DEVICES:
        return ANSWER(&answer, cl_uint, context->devices.count);
    case CL_CONTEXT_DEVICES:
        return answer_bytes(&answer, context->devices.items,
                            context->devices.count * sizeof *context->devices.items);
    case CL_CONTEXT_PROPERTIES:
        return answer_bytes(&answer, context->properties,
                            context->property_count * sizeof *context->properties);
    default:
        return CL_INVALID_VALUE;
    }
}
