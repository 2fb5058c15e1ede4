/* How many launches a run has. */
#pragma once

#include "hexec/hexec.h"

/* Of the whole sequence. */
uint32_t launches_repeats(const hx_run_options *options);
/* 0: not known. */
uint64_t launches_count(const hx_program *program, const hx_run_options *options);
