/* Random programs: valid, without races, ending; as text that hexec loads and people can run. */
#pragma once

#include "isa/isa.h"

/* A line of code. What is not kept may be deleted: the program stays one whose result is determined, or stops
 * at a fault or bound that the reference finds. */
struct generated_line {
    char *text;
    bool kept;
};
struct generated {
    struct generated_line *lines;
    size_t count, room;
    uint32_t grid[3], block[3];
    uint32_t threads; /* that the buffers have room for */
    uint32_t slots;   /* u64 elements of `output` for each thread */
    uint64_t seed;
    char *data;  /* the YAML of parameters, input and constants */
    bool failed; /* out of memory */
};

/* The program of a seed, from the opcodes of an instruction set. The caller frees it with generated_done. */
void generated_init(struct generated *generated, const hx_isa *isa, uint64_t seed);
void generated_done(struct generated *generated);
/* The program as YAML, with `comment` on its first line; the caller frees it. NULL without memory. */
char *generated_text(const struct generated *generated, const char *comment);
