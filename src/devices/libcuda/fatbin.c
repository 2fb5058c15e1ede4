/* Images of modules: text of PTX, and fat binaries that have some.
 *
 * A fat binary is a head and entries, each with a head of its own: PTX or machine code for one architecture,
 * as it is or compressed by LZ4 or zstd. The layout is what nvcc writes. The newest PTX is taken. */
#include "devices/libcuda/function.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAT_MAGIC     0xBA55ED50u
#define WRAPPER_MAGIC 0x466243B1u /* what a program has: a pointer to the fat binary stands behind it */
#define TEXT_MOST     ((size_t)1 << 30)

struct fat_head {
    uint32_t magic;
    uint16_t version, head_bytes;
    uint64_t bytes; /* of all entries */
};
struct fat_entry {
    uint16_t kind, version;
    uint32_t head_bytes;
    uint64_t bytes; /* to the next entry's head */
    uint32_t compressed_bytes, unused_1;
    uint32_t ptx_version, architecture;
    uint32_t unused_2, unused_3;
    uint64_t flags, unused_4;
    uint64_t text_bytes; /* of what is compressed */
};
enum { KIND_PTX = 1, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

/* A length of LZ4: 15 is followed by bytes to add, up to one that is not 255. */
static bool read_length(const unsigned char **at, const unsigned char *end, size_t *length)
{
    unsigned char more = 255;
    while (*length >= 15 && more == 255) {
        if (*at == end)
            return false;
        more = *(*at)++;
        *length += more;
    }
    return true;
}

/* A block of LZ4 (lz4_Block_format): literals, then a copy from what was written, and so on. */
static bool expand_lz4(const unsigned char *at, size_t bytes, char *to, size_t room)
{
    const unsigned char *end = at + bytes;
    size_t made = 0;
    while (at < end) {
        const unsigned token = *at++;
        size_t literals = token >> 4, copied = token & 15;
        if (!read_length(&at, end, &literals) || literals > (size_t)(end - at) || literals > room - made)
            return false;
        memcpy(to + made, at, literals);
        at += literals;
        made += literals;
        if (at == end)
            break;
        if (end - at < 2)
            return false;
        const size_t back = (size_t)at[0] | (size_t)at[1] << 8;
        at += 2;
        if (!read_length(&at, end, &copied) || back == 0 || back > made || copied + 4 > room - made)
            return false;
        for (copied += 4; copied > 0; copied--, made++)
            to[made] = to[made - back];
    }
    return made == room;
}

/* libzstd is loaded when a fat binary needs it. */
static bool expand_zstd(const unsigned char *at, size_t bytes, char *to, size_t room)
{
    void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    size_t (*decompress)(void *, size_t, const void *, size_t) = NULL;
    if (library)
        *(void **)&decompress = dlsym(library, "ZSTD_decompress");
    if (!decompress) {
        fprintf(stderr,
                "hexec: the fat binary is compressed by zstd, and libzstd.so.1 cannot be loaded; install "
                "libzstd1, or compile with --no-compress\n");
        return false;
    }
    return decompress(to, room, at, bytes) == room;
}

static CUresult expand(const struct fat_entry *entry, const unsigned char *payload, char **ret_text,
                       size_t *ret_length)
{
    const bool is_lz4 = entry->flags & FLAG_LZ4, is_zstd = entry->flags & FLAG_ZSTD;
    const size_t taken = is_lz4 || is_zstd ? entry->compressed_bytes : (size_t)entry->bytes;
    const size_t room = is_lz4 || is_zstd ? (size_t)entry->text_bytes : taken;
    if (taken > entry->bytes || room > TEXT_MOST)
        return CUDA_ERROR_INVALID_IMAGE;
    char *text = calloc(1, room + 1);
    if (!text)
        return CUDA_ERROR_OUT_OF_MEMORY;
    bool is_good = true;
    if (is_lz4)
        is_good = expand_lz4(payload, taken, text, room);
    else if (is_zstd)
        is_good = expand_zstd(payload, taken, text, room);
    else
        memcpy(text, payload, taken);
    if (!is_good) {
        free(text);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    *ret_text = text;
    *ret_length = strlen(text);
    return CUDA_SUCCESS;
}

static CUresult fat_text(const unsigned char *fat, char **ret_text, size_t *ret_length)
{
    struct fat_head head;
    struct fat_entry best = {0};
    const unsigned char *payload = NULL;
    memcpy(&head, fat, sizeof head);
    if (head.head_bytes < sizeof head)
        return CUDA_ERROR_INVALID_IMAGE;
    for (uint64_t at = 0; at + sizeof best <= head.bytes;) {
        struct fat_entry entry;
        memcpy(&entry, fat + head.head_bytes + at, sizeof entry);
        if (entry.head_bytes < sizeof entry || entry.head_bytes > head.bytes - at ||
            entry.bytes > head.bytes - at - entry.head_bytes)
            return CUDA_ERROR_INVALID_IMAGE;
        if (entry.kind == KIND_PTX && (!payload || entry.architecture >= best.architecture)) {
            best = entry;
            payload = fat + head.head_bytes + at + entry.head_bytes;
        }
        at += entry.head_bytes + entry.bytes;
    }
    if (!payload) {
        fprintf(stderr,
                "hexec: the fat binary has machine code alone, which only the GPU that it is for runs: "
                "compile with PTX, as by -gencode arch=compute_80,code=compute_80\n");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    return expand(&best, payload, ret_text, ret_length);
}

CUresult image_text(const void *image, char **ret_text, size_t *ret_length)
{
    uint32_t magic = 0;
    memcpy(&magic, image, strnlen(image, sizeof magic));
    if (magic == WRAPPER_MAGIC) {
        memcpy(&image, (const char *)image + 8, sizeof image);
        magic = FAT_MAGIC;
    }
    if (magic == FAT_MAGIC)
        return fat_text(image, ret_text, ret_length);
    if (memcmp(&magic, "\177ELF", sizeof magic) == 0) {
        fprintf(stderr,
                "hexec: the module is machine code, which only the GPU that it is for runs: load PTX\n");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    const unsigned char first = *(const unsigned char *)image; /* of PTX: of a word, or white space */
    if (first >= 0x7f || (first < ' ' && !strchr("\t\r\n", first)))
        return CUDA_ERROR_INVALID_IMAGE;
    *ret_text = strdup(image);
    *ret_length = *ret_text ? strlen(*ret_text) : 0;
    return *ret_text ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
