/* gzip, by zlib. Takes bytes, leaves a member without name and time, so that equal contents are equal files.
 * zlib's memory comes from the text's allocator, as all of hexec's does. */
#include "base/gzip.h"

#include <limits.h>
#include <zlib.h>

static void *allocate(void *user, unsigned count, unsigned size)
{
    return memory_allocate(user, count, size);
}

static void release(void *user, void *pointer)
{
    memory_free(user, pointer);
}

/* Puts what zlib has to say into the text, piece by piece, until it wants more input or has ended. */
static int drain(z_stream *stream, int flush, struct text *text)
{
    unsigned char piece[16384];
    int result;
    do {
        stream->next_out = piece;
        stream->avail_out = sizeof piece;
        result = deflate(stream, flush);
        text_append(text, (const char *)piece, sizeof piece - stream->avail_out);
    } while (result == Z_OK && (stream->avail_out == 0 || flush == Z_FINISH));
    return result;
}

void gzip_append(struct text *ret_text, const void *bytes, size_t size)
{
    const int level = 6, window_bits = 15 + 16 /* with a gzip header */, memory_level = 8;
    z_stream stream = {.zalloc = allocate, .zfree = release, .opaque = (void *)ret_text->allocator};
    if (deflateInit2(&stream, level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY) != Z_OK) {
        ret_text->failed = true;
        return;
    }
    const unsigned char *at = bytes;
    while (size > UINT_MAX) {
        stream.next_in = (unsigned char *)at;
        stream.avail_in = UINT_MAX;
        (void)drain(&stream, Z_NO_FLUSH, ret_text);
        at += UINT_MAX;
        size -= UINT_MAX;
    }
    stream.next_in = (unsigned char *)at;
    stream.avail_in = (unsigned)size;
    if (drain(&stream, Z_FINISH, ret_text) != Z_STREAM_END)
        ret_text->failed = true;
    (void)deflateEnd(&stream);
}
