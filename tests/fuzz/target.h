/* What each fuzz target defines, and libFuzzer or replay.c calls. Included by the build into each of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Tries one input; returns 0. It must not crash, hang, or leave memory behind, whatever the bytes are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
