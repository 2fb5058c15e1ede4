/* Accesses that one access of the source became: those of vload4, or of a structure that is copied. */
#pragma once

#include "check/checks.h"

#define PIECES_MOST 32

struct pieces {
    uint32_t count;                     /* 1: it is one access */
    uint32_t instructions[PIECES_MOST]; /* in the order in which threads reach them */
    int64_t offsets[PIECES_MOST];       /* from the first byte of all */
    uint64_t bytes;                     /* of each */
};
/* Those that the access of an instruction is one of. */
void pieces_find(const hx_checks *checks, uint32_t instruction, struct pieces *ret_pieces);
