/* CRC-32 by zlib. */
#include "base/crc32.h"

#include <zlib.h>

uint32_t crc32_of(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uLong crc = crc32(0, NULL, 0);
    while (size > 0) { /* zlib counts in unsigned int */
        uInt piece = size < (1u << 30) ? (uInt)size : 1u << 30;
        crc = crc32(crc, at, piece);
        at += piece;
        size -= piece;
    }
    return (uint32_t)crc;
}
