/* Arrays of the host that runs of a context begin with, in place of what the program fills buffers with. */
#pragma once

#include "hexec/context.h"
#include "program/program.h"

struct given_array {
    const void *data; /* the host's; NULL: the program says what the buffer begins with */
    uint64_t count;   /* elements */
};
struct given {
    struct given_array *arrays; /* one for each buffer of the program; NULL: none was given */
};

/* For a buffer of the program's. HX_INVALID: it has no such buffer, or one of another type. */
HX_MUST_CHECK hx_status given_set(struct given *given, const hx_program *program, const char *name,
                                  hx_type type, const struct given_array *array,
                                  const hx_allocator *allocator, hx_diag *diag);
/* What buffer `index` begins with: *ret_data is NULL if that is the program's business. HX_INVALID: it has
 * another number of elements than the buffer has now. */
HX_MUST_CHECK hx_status given_find(const struct given *given, const hx_program *program, size_t index,
                                   hx_diag *diag, const void **ret_data);
static inline bool given_has(const struct given *given, size_t index)
{
    return given->arrays && given->arrays[index].data;
}
void given_done(struct given *given, const hx_allocator *allocator);
