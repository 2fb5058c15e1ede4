/* What a cost file and the host's peaks say of a profile. */
#pragma once

#include "profile/profile.h"

/* Keeps what looking up the costs of a kernel's instructions takes, while the kernel is there. Nothing
 * without costs. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status predict_take_kernel(hx_profile *profile, const hx_kernel *kernel,
                                            struct profile_kernel *to, hx_diag *diag);
/* When all else is finished: works the prediction out, and warns of costs that are not this machine's or this
 * instruction set's. */
void predict_finish(hx_profile *profile, hx_diag *diag);
