/* What two threads access: a buffer, an array or argument in shared memory. */
#pragma once

#include "check/checks.h"
#include "program/regions.h"

struct race_object {
    bool is_shared;
    uint64_t address; /* of the access */
    uint32_t bytes;
    char name[64]; /* of the buffer or array; empty: there is none */
    bool is_given; /* shared memory that is an argument, whose number is the name */
    uint64_t low, size;
};

/* With is_shared, address and bytes there, finds the rest, in the launch that runs and has these regions. */
void race_object_find(hx_checks *checks, const struct shared_regions *regions, struct race_object *object);
void race_object_fill(hx_checks *checks, const struct race_object *object, struct check_words *to);
/* "element 3 of shared array 's'"; behind race_object_fill. */
void race_object_print(struct text *text, const struct race_object *object, const struct check_words *filled);
