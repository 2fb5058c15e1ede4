/* gzip, by zlib. Takes bytes, leaves a member without name and time, so that equal contents are equal files.
 * zlib's memory comes from the text's allocator, as all of hexec's does. */
#include "base/gzip.h"

#include <limits.h>
#include <zlib.h>

struct gzip {
    struct text *text;
    z_stream stream;
};

static void *allocate(void *user, unsigned count, unsigned size)
{
    return memory_allocate(user, count, size);
}

static void release(void *user, void *pointer)
{
    memory_free(user, pointer);
}

struct gzip *gzip_open(struct text *text)
{
    const int level = 6, window_bits = 15 + 16 /* with a gzip header */, memory_level = 8;
    struct gzip *gzip = memory_allocate(text->allocator, 1, sizeof *gzip);
    if (!gzip)
        return NULL;
    *gzip = (struct gzip){
        text, {.zalloc = allocate, .zfree = release, .opaque = (void *)(uintptr_t)text->allocator}};
    if (deflateInit2(&gzip->stream, level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY) == Z_OK)
        return gzip;
    memory_free(text->allocator, gzip);
    return NULL;
}

/* Puts what zlib has to say into the text, piece by piece, until it wants more input or has ended. */
static int drain(struct gzip *gzip, int flush)
{
    z_stream *stream = &gzip->stream;
    unsigned char piece[16384];
    int result;
    do {
        stream->next_out = piece;
        stream->avail_out = sizeof piece;
        result = deflate(stream, flush);
        text_append(gzip->text, (const char *)piece, sizeof piece - stream->avail_out);
    } while (result == Z_OK && (stream->avail_out == 0 || flush == Z_FINISH));
    return result;
}

void gzip_put(struct gzip *gzip, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    while (size > 0) {
        const unsigned some = size < UINT_MAX ? (unsigned)size : UINT_MAX;
        gzip->stream.next_in = (unsigned char *)(uintptr_t)at;
        gzip->stream.avail_in = some;
        (void)drain(gzip, Z_NO_FLUSH);
        at += some;
        size -= some;
    }
}

void gzip_close(struct gzip *gzip)
{
    if (drain(gzip, Z_FINISH) != Z_STREAM_END)
        gzip->text->failed = true;
    gzip_abandon(gzip);
}

void gzip_abandon(struct gzip *gzip)
{
    if (!gzip)
        return;
    (void)deflateEnd(&gzip->stream);
    memory_free(gzip->text->allocator, gzip);
}

void gzip_append(struct text *ret_text, const void *bytes, size_t size)
{
    struct gzip *gzip = gzip_open(ret_text);
    if (!gzip) {
        ret_text->failed = true;
        return;
    }
    gzip_put(gzip, bytes, size);
    gzip_close(gzip);
}
