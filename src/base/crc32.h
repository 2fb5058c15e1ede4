/* CRC-32 (IEEE 802.3, as zlib and PNG have it): detects altered files. */
#pragma once

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of(const void *bytes, size_t size);
