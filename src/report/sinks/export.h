/* Exporters: sinks that are fed by a whole profile. One is a file with one `struct export_class` and a row in
 * the table of export.c.
 *
 * An exporter makes all bytes of its file in memory (they are few: a profile grows with the code, not with
 * the run), so writing, renaming and what can go wrong there stand once, in export.c. */
#pragma once

#include "report/flame.h"

struct export_request {
    const hx_profile *profile;
    const struct stacks *stacks;
    const char *program, *file; /* its name; where it was loaded from */
    enum figure weight;         /* of flame graphs: what a width means */
    uint64_t unix_ns;           /* when the profile was made */
    const char *findings;       /* a JSON document; NULL: none */
    const hx_allocator *allocator;
};
struct export_class {
    const char *name;   /* of hx_profile_export */
    const char *ending; /* of files of a flame graph; NULL: it is none */
    /* Appends the bytes of the file. HX_NO_MEMORY need not be reported for `out`, which keeps it itself. */
    hx_status (*print)(const struct export_request *request, struct text *out, hx_diag *diag);
    const char *left_out; /* not NULL: it was not built, for want of this library */
};
/* The bytes of a file as a class makes them; lack of memory for them is reported here. */
HX_MUST_CHECK hx_status export_print(const struct export_class *class, const struct export_request *request,
                                     struct text *out, hx_diag *diag);
