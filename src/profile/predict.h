/* What a cost file and the host's peaks say of a profile. */
#pragma once

#include "profile/profile.h"
#include "trace/json.h"

/* Keeps what looking up the costs of a kernel's instructions takes, while the kernel is there. Nothing
 * without costs. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status predict_take_kernel(hx_profile *profile, const hx_kernel *kernel,
                                            struct profile_kernel *to, hx_diag *diag);
/* When all else is finished: works the prediction out, and warns of costs that are not this machine's or this
 * instruction set's. */
void predict_finish(hx_profile *profile, hx_diag *diag);

/* A line for all of it, and a line for a kernel; nothing where nothing was asked for. */
void predict_print(const hx_profile *profile, struct text *out);
void predict_print_kernel(const hx_profile *profile, size_t kernel, struct text *out);
/* The keys "prediction" and "host" of the document: null where nothing was asked for. */
void predict_put(const hx_profile *profile, struct json *json);
