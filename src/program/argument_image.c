/* Arguments that are textures, surfaces or images: --arg image:...
 *
 * Takes a word such as "image:f32x4:64x48,linear,wrap:iota", leaves a buffer with the elements, and one with
 * the descriptor, whose address the parameter gets. */
#include "program/argument.h"
#include "program/image.h"
#include "program/parts.h"

#include <string.h>

#define SIZE_MOST (UINT64_C(1) << 27) /* of a dimension: that of CUDA's textures over linear memory */

static const char cure[] =
    "image:TYPE:SIZES or image:TYPE:SIZES:FILL, such as image:f32x4:64x48,linear,wrap:iota";

/* OpenCL's numbers (OpenCL C specification, "image channel data type"). */
static const struct format {
    const char *name;
    enum hx_type type;
    uint32_t number;
} formats[] = {
    {"snorm8", HX_TYPE_I8, 0x10d0},   {"snorm16", HX_TYPE_I16, 0x10d1}, {"unorm8", HX_TYPE_U8, 0x10d2},
    {"unorm16", HX_TYPE_U16, 0x10d3}, {"i8", HX_TYPE_I8, 0x10d7},       {"i16", HX_TYPE_I16, 0x10d8},
    {"i32", HX_TYPE_I32, 0x10d9},     {"u8", HX_TYPE_U8, 0x10da},       {"u16", HX_TYPE_U16, 0x10db},
    {"u32", HX_TYPE_U32, 0x10dc},     {"f16", HX_TYPE_F16, 0x10dd},     {"f32", HX_TYPE_F32, 0x10de},
};
/* CL_R, CL_RG, none, CL_RGBA */
static const uint32_t orders[] = {0x10b0, 0x10b2, 0x10b4, 0x10b5};

/* Options, and the bits of sampler_t that they change. */
static const struct option {
    const char *name;
    uint32_t clears, sets;
} options[] = {
    {"nearest", 0x30, 0x10}, {"linear", 0x30, 0x20}, {"normalized", 1, 1}, {"clamp", 0xe, 2},
    {"border", 0xe, 4},      {"wrap", 0xe, 6},       {"mirror", 0xe, 8},
};

struct image {
    const struct format *format;
    struct image_descriptor descriptor;
    uint64_t count; /* elements of the buffer: numbers, of which a texel has one for each channel */
};

/* What stands before the first `end` of the rest; the rest begins behind it. */
static struct slice cut(struct slice *rest, char end)
{
    const char *found = rest->length ? memchr(rest->at, end, rest->length) : NULL;
    const struct slice first = {rest->at, found ? (size_t)(found - rest->at) : rest->length};
    const size_t taken = first.length + (found != NULL);
    *rest = (struct slice){rest->at + taken, rest->length - taken};
    return first;
}

/* "f32", "unorm8x4" */
static bool read_format(struct slice text, struct image *image)
{
    uint64_t channels = 1;
    const struct slice name = cut(&text, 'x');
    for (size_t i = 0; i < HX_COUNT_OF(formats); i++)
        if (slice_equal(name, formats[i].name))
            image->format = &formats[i];
    if (!image->format || (text.length > 0 && number_parse_u64(text, &channels) != NUMBER_OK) ||
        (channels != 1 && channels != 2 && channels != 4))
        return false;
    image->descriptor.type = image->format->number;
    image->descriptor.channels = (uint32_t)channels;
    image->descriptor.order = orders[channels - 1];
    image->descriptor.texel_bytes = (uint32_t)channels * type_bytes(image->format->type);
    return true;
}

static bool read_option(struct slice word, struct image_descriptor *descriptor, bool *ret_has_layers)
{
    *ret_has_layers |= slice_equal(word, "layers");
    for (size_t i = 0; i < HX_COUNT_OF(options); i++)
        if (slice_equal(word, options[i].name)) {
            descriptor->sampler = (descriptor->sampler & ~options[i].clears) | options[i].sets;
            return true;
        }
    return slice_equal(word, "layers");
}

/* "64x48", "64x48x3,layers,linear" */
static bool read_shape(struct slice text, struct image *image)
{
    struct image_descriptor *descriptor = &image->descriptor;
    struct slice sizes = cut(&text, ',');
    uint64_t size[3] = {1, 1, 1}, bytes = descriptor->texel_bytes;
    unsigned count = 0;
    bool has_layers = false;
    descriptor->sampler = 0x12; /* nearest, clamped to the edge */
    do {
        const struct slice number = cut(&sizes, 'x');
        if (count == 3 || number_parse_u64(number, &size[count]) != NUMBER_OK || size[count] == 0 ||
            size[count] > SIZE_MOST || __builtin_mul_overflow(bytes, size[count], &bytes) ||
            bytes > UINT64_C(1) << 40)
            return false;
        count++;
    } while (sizes.length > 0);
    while (text.length > 0)
        if (!read_option(cut(&text, ','), descriptor, &has_layers))
            return false;
    if (has_layers && count < 2)
        return false;
    descriptor->width = (uint32_t)size[0];
    descriptor->layers = has_layers ? (uint32_t)size[count - 1] : 0;
    descriptor->height = count > (has_layers ? 2u : 1u) ? (uint32_t)size[1] : 1;
    descriptor->depth = !has_layers ? (uint32_t)size[2] : 1;
    descriptor->row_bytes = descriptor->width * descriptor->texel_bytes;
    descriptor->slice_bytes = (uint64_t)descriptor->row_bytes * descriptor->height;
    descriptor->border[3] = descriptor->channels < 4; /* what has no alpha is opaque */
    image->count = bytes / type_bytes(image->format->type);
    return true;
}

/* The elements: a new buffer, or one of the document. */
static hx_status take_data(const struct argument *argument, const struct image *image, struct slice fill,
                           uint32_t *ret_index)
{
    hx_program *program = argument->program;
    for (size_t i = 0; i < program->buffers.count; i++)
        if (slice_equal(fill, program->buffers.items[i].name)) {
            *ret_index = (uint32_t)i;
            return type_bytes(program->buffers.items[i].type) == type_bytes(image->format->type)
                       ? HX_OK
                       : argument_complain(argument, "give the buffer the type of the image's elements",
                                           "the buffer has elements of another size");
        }
    struct array array = {.name = arena_format(&program->arena, "%zu", argument->index),
                          .type = image->format->type,
                          .count = image->count,
                          .count_text =
                              arena_format(&program->arena, "%llu", (unsigned long long)image->count),
                          .is_counted = true,
                          .access = ACCESS_READWRITE,
                          .fill = {.kind = FILL_ZERO}};
    if (!array.name || !array.count_text)
        return diag_no_memory(argument->diag);
    hx_status status = HX_OK;
    if (fill.length > 0)
        status = program_read_fill(program, fill, array.type, &array.fill, argument->diag);
    return status == HX_OK ? argument_add_buffer(argument, &array, ret_index) : status;
}

static hx_status add_descriptor(const struct argument *argument, const struct image *image, uint32_t data)
{
    struct arena *arena = &argument->program->arena;
    struct relocation *relocation = ARENA_NEW(arena, struct relocation);
    struct image_descriptor *values = ARENA_NEW(arena, struct image_descriptor);
    const char *name = arena_format(arena, "image_%zu", argument->index);
    if (!relocation || !values || !name)
        return diag_no_memory(argument->diag);
    *values = image->descriptor;
    *relocation = (struct relocation){0, {.target = {.kind = TARGET_BUFFER, .index = data}}};
    const struct array array = {.name = name,
                                .type = HX_TYPE_U64,
                                .count = IMAGE_DESCRIPTOR_WORDS,
                                .is_counted = true,
                                .align = 16,
                                .access = ACCESS_READ,
                                .fill = {.kind = FILL_VALUES,
                                         .values = values,
                                         .value_count = IMAGE_DESCRIPTOR_WORDS,
                                         .relocations = relocation,
                                         .relocation_count = 1}};
    uint32_t index;
    const hx_status status = argument_add_buffer(argument, &array, &index);
    return status == HX_OK ? argument_point_to(argument, index) : status;
}

hx_status argument_set_image(const struct argument *argument)
{
    struct slice rest = argument->text;
    struct image image = {0};
    uint32_t data = 0;
    cut(&rest, ':'); /* image */
    if (!read_format(cut(&rest, ':'), &image))
        return argument_complain(
            argument, cure, "this is no type of an image: u8, i16, f32, unorm8, ... alone, or with x2 or x4");
    if (!read_shape(cut(&rest, ':'), &image))
        return argument_complain(argument, cure,
                                 "these are no sizes of an image, with nearest, linear, normalized, clamp, "
                                 "border, wrap, mirror and layers behind them");
    const hx_status status = take_data(argument, &image, rest, &data);
    return status == HX_OK ? add_descriptor(argument, &image, data) : status;
}
