/* Printing a profile: the request, rows in order, and the formats. */
#pragma once

#include "base/json.h"
#include "profile/profile.h"

struct print_request {
    uint32_t scope; /* hx_profile_scope; 0: all */
    uint32_t sort;  /* a metric; HX_PROFILE_NONE: the order of the source */
    size_t top;     /* 0: as the format likes */
    bool color;
};

/* Rows of one scope, in the order of the request. Labels are in `arena` or the profile. */
struct print_row {
    const char *label;
    const struct measure *measure;
    size_t index; /* in the profile */
    double key;
};
struct print_rows {
    struct arena arena;
    struct print_row *items;
    size_t count;
};
/* Makes the rows of a kernel, or of all launches. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status report_rows_make(const hx_profile *profile, const struct print_request *request,
                                         hx_profile_scope scope, size_t kernel, struct print_rows *ret_rows);
void report_rows_done(struct print_rows *rows);

/* The formats; `out` is what the text is appended to. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status report_text(const hx_profile *profile, const struct print_request *request,
                                    struct text *out);
HX_MUST_CHECK hx_status report_csv(const hx_profile *profile, const struct print_request *request,
                                   struct text *out);
/* The tracefile of lcov. */
HX_MUST_CHECK hx_status report_lcov(const hx_profile *profile, struct text *out);
HX_MUST_CHECK hx_status report_json(const hx_profile *profile, hx_write_function write, void *user);

/* Parts of these that are about one thing: a section of text, members of the document. model.c: a kernel on
 * the modelled GPU, "model" and "buffers". prediction.c: what costs predict, and the roofline of a kernel;
 * "prediction" and "host", null where they were not requested. */
void report_model(const hx_profile *profile, const struct profile_kernel *kernel, struct text *out);
void report_put_model(const hx_profile *profile, const struct profile_kernel *kernel, struct json *json);
void report_prediction(const hx_profile *profile, struct text *out);
void report_roofline(const hx_profile *profile, size_t kernel, struct text *out);
void report_put_prediction(const hx_profile *profile, struct json *json);
