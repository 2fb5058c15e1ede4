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

/* What is allowed, and mostly a slip. The last two want a kernel whose ends and jump tables are right. */
/* Loops without an exit (loops.c). */
HX_MUST_CHECK hx_status verify_loops(struct verified_kernel *verified, hx_diag *diag);
/* Arithmetic over another type than a value was made as (types.c). */
HX_MUST_CHECK hx_status verify_types(struct verified_kernel *verified, hx_diag *diag);
/* Shared arrays that are read and never stored (shared.c). */
HX_MUST_CHECK hx_status verify_shared(struct verified_kernel *verified, hx_diag *diag);
/* Shuffles from lanes that their own guard leaves out (shuffles.c). */
HX_MUST_CHECK hx_status verify_shuffles(struct verified_kernel *verified, hx_diag *diag);

/* The graver of two statuses: lack of memory, then HX_INVALID, then HX_OK. */
static inline hx_status verify_graver(hx_status a, hx_status b)
{
    return a == HX_NO_MEMORY || b == HX_OK ? a : b;
}
