/* Descriptors of images: what tex, suld and OpenCL's functions of images are given the address of. The device
 * library (src/ptx/library/images.cl) reads them; docs/ptx.md has the layout for programs that make their
 * own. */
#pragma once

#include <stdint.h>

struct image_descriptor {
    uint64_t data; /* the address of the first element */
    uint32_t width, height, depth,
        layers; /* 1 where there is no such dimension; layers: 0 when it is no array */
    uint32_t row_bytes, texel_bytes;
    uint64_t slice_bytes; /* of a layer, too */
    uint32_t type, order; /* as OpenCL numbers them: CL_FLOAT, CL_RGBA */
    uint32_t channels;
    uint32_t sampler; /* bits of sampler_t */
    uint64_t unused;
    float border[4];
};
/* Added to the address that coordinates beyond an end would have: no buffer has it (images.cl, OUTSIDE). */
#define IMAGE_OUTSIDE          (UINT64_C(1) << 62)
#define IMAGE_DESCRIPTOR_WORDS (sizeof(struct image_descriptor) / sizeof(uint64_t))
