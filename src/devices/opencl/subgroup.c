/* Sub-groups, which are the warps of hexec: what kernels tell of them.
 *
 * The work-items of a group are counted with the first dimension first, and each 32 of them are a sub-group;
 * the last may have fewer. */
#include "devices/opencl/opencl.h"

#include <string.h>

#define WARP          32
#define BLOCK_THREADS 1024

static size_t most_items(cl_kernel kernel)
{
    const uint32_t *required = kernel->info.required_block;
    return required[0] ? (size_t)required[0] * required[1] * required[2] : BLOCK_THREADS;
}

static size_t groups_of(size_t items)
{
    return (items + WARP - 1) / WARP;
}

/* How many work-items a group of this shape has; 0: it is none. */
static size_t items_of(size_t bytes, const void *shape)
{
    size_t sizes[3] = {1, 1, 1}, items = 1;
    if (!shape || bytes == 0 || bytes > sizeof sizes || bytes % sizeof *sizes != 0)
        return 0;
    memcpy(sizes, shape, bytes);
    for (size_t i = 0; i < 3; i++)
        if (__builtin_mul_overflow(items, sizes[i], &items))
            return 0;
    return items;
}

/* A shape of groups with so many sub-groups; zeros: there is none. */
static cl_int tell_shape(cl_kernel kernel, size_t bytes, const void *number, const struct answer *answer)
{
    size_t count = 0, shape[3] = {0};
    const uint32_t *required = kernel->info.required_block;
    const bool is_right = number && bytes == sizeof count && answer->room % sizeof *shape == 0 &&
                          answer->room <= sizeof shape && (answer->room > 0 || !answer->value);
    if (!is_right)
        return CL_INVALID_VALUE;
    memcpy(&count, number, sizeof count);
    if (required[0] && groups_of(most_items(kernel)) == count)
        for (size_t i = 0; i < 3; i++)
            shape[i] = required[i];
    else if (!required[0] && count > 0 && count <= BLOCK_THREADS / WARP) {
        shape[0] = count * WARP;
        shape[1] = shape[2] = 1;
    }
    return answer_bytes(answer, shape, answer->value ? answer->room : sizeof shape);
}

cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                           cl_kernel_sub_group_info name, size_t input_bytes,
                                           const void *input, size_t room, void *value, size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (!device_list_means(&kernel->program->devices, device))
        return CL_INVALID_DEVICE;
    const size_t items = items_of(input_bytes, input);
    switch (name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
        return items == 0 ? CL_INVALID_VALUE : ANSWER(&answer, size_t, items < WARP ? items : WARP);
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        return items == 0 ? CL_INVALID_VALUE : ANSWER(&answer, size_t, groups_of(items));
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
        return tell_shape(kernel, input_bytes, input, &answer);
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        return ANSWER(&answer, size_t, groups_of(most_items(kernel)));
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS: /* OpenCL C has no way to say it */
        return ANSWER(&answer, size_t, 0);
    case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL:
        return ANSWER(&answer, size_t, describe_sub_group(kernel->program, kernel->info.name));
    default:
        return CL_INVALID_VALUE;
    }
}
