/* Statements that change what they read, such as x[0] += 1. */
#pragma once

#include "check/checks.h"

/* Are a load and a store, of one place in memory, those of one statement that changes it? */
bool race_is_update(const struct check_line *load, const struct check_line *store);
