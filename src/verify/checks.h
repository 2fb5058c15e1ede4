/* The verifier's checks. Each reports what it finds (all of it) and returns HX_OK, HX_INVALID when something
 * that it found forbids to run the kernel, or HX_NO_MEMORY. */
#pragma once

#include "verify/verify.h"

/* Widths and initialisation of registers; leaves verified->unwritten_reads (widths.c). */
HX_MUST_CHECK hx_status verify_widths(struct verified_kernel *verified, hx_diag *diag);
/* Constant addresses (addresses.c). */
HX_MUST_CHECK hx_status verify_addresses(struct verified_kernel *verified, hx_diag *diag);
/* Barriers that not every thread may reach (barriers.c). */
HX_MUST_CHECK hx_status verify_barriers(struct verified_kernel *verified, hx_diag *diag);

/* The graver of two statuses: lack of memory, then HX_INVALID, then HX_OK. */
static inline hx_status verify_graver(hx_status a, hx_status b)
{
    return a == HX_NO_MEMORY || b == HX_OK ? a : b;
}
