/* The options that export a profile: --flamegraph, --pprof, --callgrind, --metrics, --otlp. */
#pragma once

#include "command.h"
#include "hexec/export.h"

/* Is any of them given? */
bool exports_wanted(const struct options *options);
/* Reports what is wrong with them, before anything runs. */
HX_MUST_CHECK hx_status exports_check(const struct command *command);
/* Writes all of them; one that fails does not keep the others from being written. `findings`, as JSON, are
 * shown in the page of --report; NULL: none. */
HX_MUST_CHECK hx_status exports_write(const struct command *command, const hx_profile *profile,
                                      const char *findings);
