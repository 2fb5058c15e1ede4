/* What a program's kernels take, for callers of the library.
 *
 * Takes a program and numbers, leaves copies of what the program has. Parameters lie in a list of their own
 * (CUDA C++ Programming Guide, Driver API: kernel parameters): each at the next multiple of its alignment. */
#include "program/program.h"

#include <string.h>

uint64_t program_formal_bytes(const hx_program *program, const struct kernel_param *formal)
{
    if (!formal->is_constant)
        return hx_type_bytes(program->params[formal->index].type);
    const struct array *array = &program->constants.items[formal->index];
    return array->count * hx_type_bytes(array->type);
}

uint64_t program_formal_align(const hx_program *program, const struct kernel_param *formal)
{
    if (!formal->is_constant)
        return hx_type_bytes(program->params[formal->index].type);
    const struct array *array = &program->constants.items[formal->index];
    return array->align ? array->align : hx_type_bytes(array->type);
}

static void give(void *to, const void *from, size_t wanted, size_t bytes)
{
    memcpy(to, from, wanted && wanted < bytes ? wanted : bytes);
}

/* What stands at 0 for NULL, and gaps between arrays, are no memory of the program's. */
static uint64_t own_shared_bytes(const struct kernel *code)
{
    const size_t gaps = code->shared.count > 2 ? code->shared.count - 2 : 0;
    return code->shared.bytes - code->null_bytes - code->gap_bytes * (uint64_t)gaps;
}

hx_status hx_program_kernel_info(const hx_program *program, size_t kernel, hx_kernel_info *ret_info)
{
    if (!program || !ret_info || kernel >= program->kernel_count)
        return HX_INVALID;
    const struct kernel *code = &program->kernels[kernel];
    hx_kernel_info info = {.size = ret_info->size,
                           .name = code->symbol ? code->symbol : code->name,
                           .parameter_count = code->formal_count,
                           .shared_bytes = own_shared_bytes(code),
                           .local_bytes = code->local.bytes};
    memcpy(info.required_block, code->required_block, sizeof info.required_block);
    give(ret_info, &info, ret_info->size, sizeof info);
    return HX_OK;
}

hx_status hx_program_parameter(const hx_program *program, size_t kernel, size_t index,
                               hx_parameter *ret_parameter)
{
    if (!program || !ret_parameter || kernel >= program->kernel_count ||
        index >= program->kernels[kernel].formal_count)
        return HX_INVALID;
    const struct kernel *code = &program->kernels[kernel];
    hx_parameter parameter = {.size = ret_parameter->size};
    for (size_t i = 0; i <= index; i++) {
        const struct kernel_param *formal = &code->formals[i];
        const uint64_t end = parameter.offset + parameter.bytes;
        parameter.align = program_formal_align(program, formal);
        parameter.bytes = program_formal_bytes(program, formal);
        parameter.offset = (end + parameter.align - 1) / parameter.align * parameter.align;
        parameter.name = formal->name;
        parameter.is_pointer = formal->is_pointer;
        parameter.is_shared = formal->is_shared;
    }
    give(ret_parameter, &parameter, ret_parameter->size, sizeof parameter);
    return HX_OK;
}

size_t hx_program_buffer_count(const hx_program *program)
{
    return program ? program->buffers.count : 0;
}

const char *hx_program_buffer_name(const hx_program *program, size_t index)
{
    return program && index < program->buffers.count ? program->buffers.items[index].name : NULL;
}

size_t hx_program_constant_count(const hx_program *program)
{
    size_t count = 0;
    for (size_t i = 0; program && i < program->constants.count; i++)
        count += !program->constants.items[i].is_formal;
    return count;
}

const char *hx_program_constant_name(const hx_program *program, size_t index)
{
    for (size_t i = 0; program && i < program->constants.count; i++)
        if (!program->constants.items[i].is_formal && index-- == 0)
            return program->constants.items[i].name;
    return NULL;
}
