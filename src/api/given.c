/* Arrays of the host that runs of a context begin with.
 *
 * Takes pointers, which stay the host's, and checks them against the program's buffers: types when they are
 * given, numbers of elements when a run begins, as these may follow from parameters. */
#include "api/given.h"

#include "base/memory.h"
#include "base/text.h"
#include "device/device.h"

#include <string.h>

static const char *buffer_name(void *user, size_t index)
{
    return hx_program_buffer_name(user, index);
}

hx_status given_set(struct given *given, const hx_program *program, const char *name, hx_type type,
                    const struct given_array *array, const hx_allocator *allocator, hx_diag *diag)
{
    size_t index = 0;
    while (index < program->buffers.count && strcmp(program->buffers.items[index].name, name) != 0)
        index++;
    if (index == program->buffers.count)
        return diag_report(diag, DIAG_PROGRAM_BUFFER, (struct place){0},
                           text_suggest(slice_of(name), buffer_name, (void *)(uintptr_t)program),
                           "the program has no buffer '%s'", name);
    const struct array *buffer = &program->buffers.items[index];
    if (array->data && type != buffer->type)
        return diag_report(diag, DIAG_PROGRAM_BUFFER, buffer->place, NULL,
                           "buffer '%s' has elements of %s, and the array of %s", name,
                           hx_type_name(buffer->type), hx_type_name(type));
    if (!given->arrays)
        given->arrays = memory_allocate(allocator, program->buffers.count, sizeof *given->arrays);
    if (!given->arrays)
        return diag_no_memory(diag);
    given->arrays[index] = *array;
    return HX_OK;
}

hx_status given_find(const struct given *given, const hx_program *program, size_t index, hx_diag *diag,
                     const void **ret_data)
{
    const struct given_array none = {0}, *array = given->arrays ? &given->arrays[index] : &none;
    const struct array *buffer = &program->buffers.items[index];
    *ret_data = array->data;
    if (!array->data || array->count == buffer->count)
        return HX_OK;
    return diag_report(diag, DIAG_PROGRAM_BUFFER, buffer->count_place,
                       "give it as many, or set the parameters that `count` is made of",
                       "buffer '%s' has %llu elements, and the array that was given for it %llu",
                       buffer->name, (unsigned long long)buffer->count, (unsigned long long)array->count);
}

void given_done(struct given *given, const hx_allocator *allocator)
{
    memory_free(allocator, given->arrays);
    given->arrays = NULL;
}
