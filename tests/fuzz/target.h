/* What each fuzz target defines, and libFuzzer or replay.c calls. Included by the build into each of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Tries one input; returns 0. It must not crash, hang, or leave memory behind, whatever the bytes are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef FUZZ_CHANGES
/* Changes an input of `size` bytes where it lies, which has room for `most`; returns what it is long then.
 * The same seed makes the same change. libFuzzer calls it; replay.c does FUZZ_CHANGES times for each input.
 */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
#endif
