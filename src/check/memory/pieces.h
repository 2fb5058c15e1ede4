/* Accesses that one access of the source became: those of vload4, or of a structure that is copied. */
#pragma once

#include "check/checks.h"

struct pieces {
    uint32_t count;         /* 1: it is one access */
    uint32_t *instructions; /* in the order in which threads reach them */
    int64_t *offsets;       /* from the first byte of all */
    uint64_t bytes;         /* of each */
};
struct pieces_cache;

/* For the launch that begins. NULL: no memory. */
struct pieces_cache *pieces_new(hx_checks *checks);
void pieces_free(struct pieces_cache *cache);
/* Those that the access of an instruction is one of, until pieces_free; from any thread. NULL: no memory. */
const struct pieces *pieces_of(struct pieces_cache *cache, uint32_t instruction);
