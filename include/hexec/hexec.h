/* hexec: an instrumented virtual GPU that runs on the CPU. This header includes the whole public API. */
#pragma once

#include "hexec/bench.h"
#include "hexec/builder.h"
#include "hexec/check.h"
#include "hexec/collector.h"
#include "hexec/compare.h"
#include "hexec/context.h"
#include "hexec/debug.h"
#include "hexec/device.h"
#include "hexec/explore.h"
#include "hexec/export.h"
#include "hexec/isa.h"
#include "hexec/lack.h"
#include "hexec/launch.h"
#include "hexec/listener.h"
#include "hexec/object.h"
#include "hexec/profile.h"
#include "hexec/program.h"
#include "hexec/progress.h"
#include "hexec/samples.h"
#include "hexec/schema.h"
#include "hexec/session.h"
#include "hexec/status.h"
#include "hexec/stream.h"
#include "hexec/system.h"
#include "hexec/test.h"
#include "hexec/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0". Static. */
HX_API const char *hx_version(void);

#ifdef __cplusplus
}
#endif
