/* Names that are looked up or must differ: a sorted list of them, each with the number of what it names. */
#pragma once

#include "base/text.h"

struct name {
    struct slice text;
    uint32_t number;
};
/* Zeroed but for the allocator: an empty list. Borrows the texts. */
struct names {
    const hx_allocator *allocator;
    LIST(struct name) list;
};

/* False when memory ran out. */
HX_MUST_CHECK bool names_add(struct names *names, struct slice text, uint32_t number);
/* By text, then by number; before names_find and names_twice. */
void names_sort(struct names *names);
/* The first entry of this text, or NULL. */
const struct name *names_find(const struct names *names, struct slice text);
/* The first entry from `*at` on whose text the entry before it has too, NULL when there is none; *at is then
 * behind it. Entries of one text stand in order of their numbers. */
const struct name *names_twice(const struct names *names, size_t *at);
void names_done(struct names *names);
