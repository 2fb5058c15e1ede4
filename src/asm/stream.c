/* The stream of the binary form. Reading checks each count, string and number before it is used: binary.c
 * says why. */
#include "asm/stream.h"

#include <string.h>

void visit_refuse(struct stream *stream, const char *why)
{
    if (stream->status == HX_OK) {
        stream->status = HX_INVALID;
        stream->why = why;
    }
}

void visit_no_memory(struct stream *stream)
{
    if (stream->status == HX_OK)
        stream->status = HX_NO_MEMORY;
}

void visit_bytes(struct stream *stream, void *bytes, size_t size)
{
    if (stream->status != HX_OK)
        return;
    if (!stream->reading) {
        text_append(&stream->out, bytes, size);
    } else if ((size_t)(stream->end - stream->at) < size) {
        visit_refuse(stream, "a table is cut off");
    } else if (size > 0) {
        memcpy(bytes, stream->at, size);
        stream->at += size;
    }
}

static void visit_sized(struct stream *stream, uint64_t *value, size_t size, uint64_t least, uint64_t most)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(*value >> (8 * i));
    visit_bytes(stream, bytes, size);
    if (!stream->reading || stream->status != HX_OK)
        return;
    *value = 0;
    for (size_t i = 0; i < size; i++)
        *value |= (uint64_t)bytes[i] << (8 * i);
    if (*value < least || *value > most) {
        stream->at -= size;
        visit_refuse(stream, "a number is out of range");
    }
}

void visit_number(struct stream *stream, uint64_t *value, uint64_t least, uint64_t most)
{
    const size_t size = most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : most <= UINT32_MAX ? 4 : 8;
    visit_sized(stream, value, size, least, most);
}

void visit_f64(struct stream *stream, double *value)
{
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    VISIT(stream, bits, 0, UINT64_MAX);
    if (stream->reading)
        memcpy(value, &bits, sizeof *value);
}

void *visit_allocate(struct stream *stream, size_t count, size_t size, size_t least)
{
    if (stream->status == HX_OK && count > (size_t)(stream->end - stream->at) / least)
        visit_refuse(stream, "a count is larger than the file");
    void *memory = stream->status == HX_OK ? arena_allocate(&stream->program->arena, count, size) : NULL;
    if (!memory)
        visit_no_memory(stream);
    return memory;
}

void visit_elements(struct stream *stream, const void **values, size_t *count, enum hx_type type)
{
    const size_t element = hx_type_bytes(type);
    VISIT(stream, *count, 0, UINT32_MAX);
    if (!stream->reading) {
        visit_bytes(stream, (void *)(uintptr_t)*values, *count * element);
        return;
    }
    void *copy = visit_allocate(stream, stream->status == HX_OK ? *count : 0, element, element);
    if (copy)
        visit_bytes(stream, copy, *count * element);
    *values = copy;
}

static void write_string(struct stream *stream, const char *string)
{
    uint64_t offset = stream->out_strings.length;
    text_append(&stream->out_strings, string, strlen(string) + 1);
    visit_number(stream, &offset, 0, UINT32_MAX);
}

static bool is_text(struct slice text)
{
    for (size_t length; text.length > 0; text.at += length, text.length -= length)
        if ((length = text_utf8_length(text.at, text.length, NULL)) == 0)
            return false;
    return true;
}

void visit_string(struct stream *stream, const char **string)
{
    if (!stream->reading) {
        write_string(stream, *string);
        return;
    }
    uint64_t offset = 0;
    visit_number(stream, &offset, 0, UINT32_MAX);
    if (stream->status != HX_OK)
        return;
    if (offset >= stream->string_bytes) {
        visit_refuse(stream, "a string is not where it should be");
        return;
    }
    const char *at = stream->strings + offset; /* the last of the strings ends with a NUL */
    const size_t length = strlen(at);
    if (!is_text((struct slice){at, length})) {
        visit_refuse(stream, "a string is not UTF-8");
        return;
    }
    *string = arena_copy(&stream->program->arena, at, length);
    if (!*string)
        visit_no_memory(stream);
}

void visit_name(struct stream *stream, const char **name)
{
    visit_string(stream, name);
    if (stream->reading && stream->status == HX_OK && !program_is_name(slice_of(*name)))
        visit_refuse(stream, "a name is no name");
}

void visit_bits(struct stream *stream, uint64_t *bits, enum hx_type type)
{
    const unsigned width = type_bits(type);
    VISIT(stream, *bits, 0, width > 0 && width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX);
}

void visit_type(struct stream *stream, enum hx_type *type)
{
    VISIT(stream, *type, 0, HX_TYPE_F64);
}
