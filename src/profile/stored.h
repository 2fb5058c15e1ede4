/* Profiles that were written as JSON, read back: the document of hx_profile_print_json. A mistake in the JSON
 * itself is reported with its line and column, a wrong value by its path, as in kernels[0].metrics.issues. */
#pragma once

#include "base/json_reader.h"

struct stored_profile {
    struct arena arena;
    char *bytes;
    struct source source;
    json_t *root;
};

/* What a metric's value is: a number, an estimate with its interval, or nothing. */
struct stored_value {
    double value, low, high; /* NaN: not known */
};

/* Reads a profile and checks that it is one: format, version, and the keys that every profile has, which are
 * then of the right kind. `path` is borrowed until stored_close. HX_INVALID, HX_IO, HX_NO_MEMORY. */
HX_MUST_CHECK hx_status stored_open(const char *path, const hx_allocator *allocator, hx_diag *diag,
                                    struct stored_profile *ret_profile);
/* Fine on a zeroed struct. */
void stored_close(struct stored_profile *profile);

/* Reads the numbers of an array of the profile; `ret_numbers` has room for them. HX_INVALID for anything
 * else.
 */
HX_MUST_CHECK hx_status stored_numbers_read(const struct stored_profile *profile, const json_t *list,
                                            hx_diag *diag, double *ret_numbers);
/* Reads a member of a `metrics` object of the profile. HX_INVALID for anything else. */
HX_MUST_CHECK hx_status stored_value_read(const struct stored_profile *profile, const json_t *metrics,
                                          const char *name, hx_diag *diag, struct stored_value *ret_value);
/* Percent, NaN when the profile has none. HX_INVALID for a value that is not above 0. */
HX_MUST_CHECK hx_status stored_threshold_read(const struct stored_profile *profile, hx_diag *diag,
                                              double *ret_percent);
/* Appends the profile's text with this threshold in it, in place of its own. */
HX_MUST_CHECK hx_status stored_print_with_threshold(const struct stored_profile *profile, double percent,
                                                    hx_diag *diag, struct text *text);
