/* The verifier's checks. Each reports what it finds (all of it) and returns HX_OK, HX_INVALID when something
 * that it found forbids to run the kernel, or HX_NO_MEMORY. */
#pragma once

#include "verify/verify.h"

/* Widths and initialisation of registers (widths.c). */
HX_MUST_CHECK hx_status verify_widths(const struct verified_kernel *verified, hx_diag *diag);
/* Falling off the end, unreachable code, call depth (verify.c); constant addresses (addresses.c). */
HX_MUST_CHECK hx_status verify_addresses(const struct verified_kernel *verified, hx_diag *diag);
/* Barriers that not every thread may come to (barriers.c). */
HX_MUST_CHECK hx_status verify_barriers(const struct verified_kernel *verified, hx_diag *diag);

/* The graver of two statuses: lack of memory, then HX_INVALID, then HX_OK. */
static inline hx_status verify_graver(hx_status a, hx_status b)
{
    return a == HX_NO_MEMORY || b == HX_OK ? a : b;
}
