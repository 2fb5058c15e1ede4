/* The buffers of a program on a device, and those of its variables in constant memory.
 *
 * Takes a program, leaves its buffers, filled as it says. Elements that are addresses come last, when all
 * buffers have theirs. */
#include "base/machine.h"
#include "device/device.h"
#include "exec/kernel.h"
#include "program/address.h"
#include "program/parts.h"

#include <string.h>

hx_status exec_fill_buffer(hx_device *device, const hx_program *program, const struct array *array,
                           hx_buffer *buffer, const struct file_wait *wait, hx_diag *diag)
{
    const hx_status status = program_fill(program, array, &array->fill, hx_buffer_data(buffer), wait,
                                          program->arena.allocator, diag);
    if (fill_is_none(&array->fill))
        device_report_unwritten(device, buffer);
    return status;
}

static hx_status make_all(const hx_program *program, hx_device *device, hx_diag *diag, hx_buffer **buffers,
                          size_t *ret_made)
{
    hx_status status = HX_OK;
    for (size_t i = 0; status == HX_OK && i < program->buffers.count; i++) {
        const struct array *array = &program->buffers.items[i];
        const uint64_t bytes = array->count * hx_type_bytes(array->type);
        const hx_buffer_access access = (hx_buffer_access)array->access;
        status = array->is_managed
                     ? device_new_buffer_at_host(device, array->name, bytes, access, diag, &buffers[i])
                     : hx_buffer_new(device, array->name, bytes, access, diag, &buffers[i]);
        if (status != HX_OK)
            return status;
        ++*ret_made;
        status = exec_fill_buffer(device, program, array, buffers[i], NULL, diag);
    }
    return status;
}

hx_status hx_program_make_buffers(const hx_program *program, hx_device *device, hx_diag *diag,
                                  hx_buffer **ret_buffers)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, program);
    DIAG_REQUIRE(diag, device);
    DIAG_REQUIRE(diag, ret_buffers);
    HX_AUTO(arena_done) struct arena arena = {.allocator = program->arena.allocator};
    const size_t count = program->buffers.count;
    hx_buffer **buffers = ARENA_ARRAY(&arena, hx_buffer *, count + 1);
    uint64_t *addresses = ARENA_ARRAY(&arena, uint64_t, count + 1);
    size_t made = 0;
    if (!buffers || !addresses)
        return diag_no_memory(diag);
    const hx_status status = make_all(program, device, diag, buffers, &made);
    if (status != HX_OK) {
        while (made > 0)
            hx_buffer_free(device, buffers[--made]);
        return status;
    }
    for (size_t i = 0; i < count; i++)
        addresses[i] = hx_buffer_address(buffers[i]);
    for (size_t i = 0; i < count; i++) {
        address_fill(program, &program->buffers.items[i], hx_buffer_data(buffers[i]), addresses);
        ret_buffers[i] = buffers[i];
    }
    return HX_OK;
}

/* ---- Constants that the host changes ------------------------------------------------------------------- */

static uint64_t bytes_of(const struct array *array)
{
    return array->count * hx_type_bytes(array->type);
}

static hx_status make_constants(const hx_program *program, hx_device *device, hx_diag *diag,
                                hx_buffer **constants, size_t *ret_made)
{
    hx_status status = HX_OK;
    for (size_t i = 0; status == HX_OK && i < program->constants.count; i++) {
        const struct array *array = &program->constants.items[i];
        if (array->is_formal)
            continue;
        status = hx_buffer_new(device, array->name, bytes_of(array), HX_ACCESS_READWRITE, diag,
                               &constants[*ret_made]);
        if (status == HX_OK)
            status = program_fill(program, array, &array->fill, hx_buffer_data(constants[(*ret_made)++]),
                                  NULL, program->arena.allocator, diag);
    }
    return status;
}

hx_status hx_program_make_constants(const hx_program *program, hx_device *device, hx_buffer *const *buffers,
                                    hx_diag *diag, hx_buffer **ret_constants)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, program);
    DIAG_REQUIRE(diag, device);
    DIAG_REQUIRE(diag, ret_constants);
    HX_AUTO(arena_done) struct arena arena = {.allocator = program->arena.allocator};
    hx_buffer **constants = ARENA_ARRAY(&arena, hx_buffer *, program->constants.count + 1);
    uint64_t *addresses = ARENA_ARRAY(&arena, uint64_t, program->buffers.count + 1);
    size_t made = 0, at = 0;
    if (!constants || !addresses)
        return diag_no_memory(diag);
    hx_status status = HX_OK;
    for (size_t i = 0; i < program->buffers.count && status == HX_OK; i++) {
        status = device_memory_check(device_memory(device), buffers ? buffers[i] : NULL, __func__, diag);
        addresses[i] = status == HX_OK ? hx_buffer_address(buffers[i]) : 0;
    }
    if (status == HX_OK)
        status = make_constants(program, device, diag, constants, &made);
    if (status != HX_OK) {
        while (made > 0)
            hx_buffer_free(device, constants[--made]);
        return status;
    }
    for (size_t i = 0; i < program->constants.count; i++)
        if (!program->constants.items[i].is_formal) {
            ret_constants[at] = constants[at];
            address_fill(program, &program->constants.items[i], hx_buffer_data(constants[at++]), addresses);
        }
    return HX_OK;
}

hx_status exec_copy_constants(hx_device *device, const hx_program *program, hx_buffer *const *constants,
                              hx_diag *diag, char *place)
{
    size_t at = 0;
    for (size_t i = 0; i < program->constants.count; i++) {
        const struct array *array = &program->constants.items[i];
        if (array->is_formal)
            continue;
        hx_buffer *given = constants[at++];
        const hx_status status = device_memory_check(device_memory(device), given, "hx_launch", diag);
        if (status != HX_OK)
            return status;
        const uint64_t bytes = bytes_of(array);
        memcpy(place + array->offset, hx_buffer_data(given),
               hx_buffer_bytes(given) < bytes ? hx_buffer_bytes(given) : bytes);
    }
    return HX_OK;
}
