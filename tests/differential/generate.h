/* Random programs: valid, without races, ending; as text that hexec loads and people can run. */
#pragma once

#include "isa/isa.h"

/* What a line is for, and so when it may be deleted without making the result depend on chance. What the
 * program does then may be wrong in another way, which the reference finds. */
enum line_role {
    LINE_FREE,    /* always */
    LINE_MEETING, /* as long as threads read what others wrote: it lets all threads reach the same barriers
                   */
    LINE_FRAME    /* never: places that belong to one thread; labels, while something jumps there */
};
struct generated_line {
    char *text;
    enum line_role role;
};
/* Programs of seeds from here on are short: what compiles them takes as long as they are long. */
#define GENERATE_SHORT_SEEDS 1000000u

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
/* Does the line read what other threads wrote? */
bool generated_reads_others(const char *line);
/* The program as YAML, with `comment` on its first line; the caller frees it. NULL without memory. */
char *generated_text(const struct generated *generated, const char *comment);
