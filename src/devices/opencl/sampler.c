/* Samplers: how coordinates become pixels. A kernel gets its bits by value. */
#include "devices/opencl/image.h"

#include <stdlib.h>
#include <string.h>

/* Bits of sampler_t (opencl-c-base.h of clang: CLK_...). */
enum {
    BIT_NORMALIZED = 1,
    BITS_EDGE = 2,
    BITS_BORDER = 4,
    BITS_REPEAT = 6,
    BITS_MIRROR = 8,
    BIT_NEAREST = 0x10,
    BIT_LINEAR = 0x20
};

static cl_sampler make(cl_context context, const struct _cl_sampler *wanted, cl_int error, cl_int *ret_error)
{
    cl_sampler sampler = NULL;
    if (!object_is(context, OBJECT_CONTEXT))
        error = CL_INVALID_CONTEXT;
    else if (error == CL_SUCCESS &&
             (wanted->is_normalized > CL_TRUE || wanted->addressing < CL_ADDRESS_NONE ||
              wanted->addressing > CL_ADDRESS_MIRRORED_REPEAT || wanted->filter < CL_FILTER_NEAREST ||
              wanted->filter > CL_FILTER_LINEAR))
        error = CL_INVALID_VALUE;
    if (error == CL_SUCCESS) {
        sampler = object_new(OBJECT_SAMPLER, sizeof *sampler);
        error = sampler ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (sampler) {
        const struct object object = sampler->object;
        memcpy(sampler, wanted, sizeof *sampler);
        sampler->object = object;
        sampler->context = object_keep(context);
    }
    if (ret_error)
        *ret_error = error;
    return sampler;
}

cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool is_normalized,
                                       cl_addressing_mode addressing, cl_filter_mode filter,
                                       cl_int *ret_error)
{
    const struct _cl_sampler wanted = {
        .is_normalized = is_normalized, .addressing = addressing, .filter = filter};
    return make(context, &wanted, CL_SUCCESS, ret_error);
}

cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *list,
                                                     cl_int *ret_error)
{
    struct _cl_sampler wanted = {
        .is_normalized = CL_TRUE, .addressing = CL_ADDRESS_CLAMP, .filter = CL_FILTER_NEAREST};
    cl_int error = CL_SUCCESS;
    unsigned had = 0; /* bits of the names: one that comes twice is wrong */
    size_t count = 0;
    for (; list && list[count] && error == CL_SUCCESS; count += 2) {
        const cl_sampler_properties name = list[count], value = list[count + 1];
        if (name == CL_SAMPLER_NORMALIZED_COORDS)
            wanted.is_normalized = value <= CL_TRUE ? (cl_bool)value : CL_TRUE + 1;
        else if (name == CL_SAMPLER_ADDRESSING_MODE)
            wanted.addressing = (cl_addressing_mode)(value <= UINT32_MAX ? value : 0);
        else if (name == CL_SAMPLER_FILTER_MODE)
            wanted.filter = (cl_filter_mode)(value <= UINT32_MAX ? value : 0);
        else
            error = CL_INVALID_VALUE;
        if (error == CL_SUCCESS && (had >> (name - CL_SAMPLER_NORMALIZED_COORDS) & 1))
            error = CL_INVALID_VALUE;
        had |= error == CL_SUCCESS ? 1u << (name - CL_SAMPLER_NORMALIZED_COORDS) : 0;
    }
    if (list && error == CL_SUCCESS) {
        wanted.list_count = count + 1; /* three names at most */
        memcpy(wanted.list, list, wanted.list_count * sizeof *list);
    }
    return make(context, &wanted, error, ret_error);
}

uint64_t sampler_bits(cl_sampler sampler)
{
    static const uint64_t addressing[] = {0, BITS_EDGE, BITS_BORDER, BITS_REPEAT, BITS_MIRROR};
    return (sampler->is_normalized ? BIT_NORMALIZED : 0) | addressing[sampler->addressing - CL_ADDRESS_NONE] |
           (sampler->filter == CL_FILTER_LINEAR ? BIT_LINEAR : BIT_NEAREST);
}

void sampler_drop(cl_sampler sampler)
{
    if (!object_drop(sampler))
        return;
    context_drop(sampler->context);
    sampler->object.kind = 0;
    free(sampler);
}

cl_int CL_API_CALL clRetainSampler(cl_sampler sampler)
{
    if (!object_is(sampler, OBJECT_SAMPLER))
        return CL_INVALID_SAMPLER;
    object_keep(sampler);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler)
{
    if (!object_is(sampler, OBJECT_SAMPLER))
        return CL_INVALID_SAMPLER;
    sampler_drop(sampler);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t room, void *value,
                                    size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    if (!object_is(sampler, OBJECT_SAMPLER))
        return CL_INVALID_SAMPLER;
    switch (name) {
    case CL_SAMPLER_REFERENCE_COUNT:
        return ANSWER(&answer, cl_uint, atomic_load(&sampler->object.references));
    case CL_SAMPLER_CONTEXT:
        return ANSWER(&answer, cl_context, sampler->context);
    case CL_SAMPLER_NORMALIZED_COORDS:
        return ANSWER(&answer, cl_bool, sampler->is_normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
        return ANSWER(&answer, cl_addressing_mode, sampler->addressing);
    case CL_SAMPLER_FILTER_MODE:
        return ANSWER(&answer, cl_filter_mode, sampler->filter);
    case CL_SAMPLER_PROPERTIES:
        return answer_bytes(&answer, sampler->list, sampler->list_count * sizeof *sampler->list);
    default:
        return CL_INVALID_VALUE;
    }
}
