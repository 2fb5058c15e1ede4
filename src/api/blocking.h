/* Do calls of streams wait, as the environment says? */
#pragma once

#include "base/diag.h"

/* Of HEXEC_LAUNCH_BLOCKING, HOLOGRAM_LAUNCH_BLOCKING and CUDA_LAUNCH_BLOCKING the first that is set; false
 * when none is. A bad value is a warning, which is an error in strict lists. */
hx_status blocking_read(hx_diag *diag, bool *ret_is_blocking);
