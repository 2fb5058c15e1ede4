/* Loads a little beside a buffer of global memory, which the host wants to be no faults
 * (hx_device_allow_strays). */
#pragma once

#include "exec/faults.h"

struct hx_kernel;

/* Is it such a load? It then gives 0, and is counted. */
bool stray_is_let_by(const struct gang_state *state, const struct op *op, hx_fault_kind kind,
                     const struct fault_target *target);
/* Warns of the first one of a launch, once for each kernel. */
void stray_report(const struct launch *launch, const struct hx_kernel *kernel, hx_diag *diag);
