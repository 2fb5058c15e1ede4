/* What all objects of OpenCL have: a kind, references, callbacks; and how questions are answered. */
#include "devices/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

void *object_new(enum object_kind kind, size_t bytes)
{
    struct object *object = calloc(1, bytes);
    if (!object)
        return NULL;
    object->dispatch = &opencl_dispatch;
    object->kind = kind;
    atomic_init(&object->references, 1);
    return object;
}

bool object_is(const void *object, enum object_kind kind)
{
    const struct object *head = object;
    return head && head->kind == kind;
}

void *object_keep(void *object)
{
    atomic_fetch_add(&((struct object *)object)->references, 1);
    return object;
}

bool object_drop(void *object)
{
    return atomic_fetch_sub(&((struct object *)object)->references, 1) == 1;
}

cl_int callback_add(struct callback **list, void *function, void *user, cl_int status)
{
    struct callback *callback = malloc(sizeof *callback);
    if (!callback)
        return CL_OUT_OF_HOST_MEMORY;
    *callback = (struct callback){.next = *list, .function = function, .user = user, .status = status};
    *list = callback;
    return CL_SUCCESS;
}

cl_int answer_bytes(const struct answer *answer, const void *bytes, size_t count)
{
    if (answer->value && answer->room < count)
        return CL_INVALID_VALUE;
    if (answer->value && count > 0)
        memcpy(answer->value, bytes, count);
    if (answer->ret_bytes)
        *answer->ret_bytes = count;
    return CL_SUCCESS;
}

cl_int answer_text(const struct answer *answer, const char *text)
{
    return answer_bytes(answer, text ? text : "", text ? strlen(text) + 1 : 1);
}
