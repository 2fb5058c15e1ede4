/* What the files of the checker `race` share. */
#pragma once

#include "check/checks.h"
#include "check/race/engine.h"

/* A finding for the pair, of the launch that runs. */
void race_report(hx_checks *checks, const struct race_pair *pair);
