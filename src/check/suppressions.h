/* Which findings are known: what findings.c and the schemas need of suppressions.c. */
#pragma once

#include "check/frame.h"
#include "yaml/load.h"

/* The table that says what a file of suppressions may have. */
const cyaml_schema_value_t *check_suppressions_schema(void);
/* The reason of the first entry that a finding matches, which counts as used; NULL: there is none. Any
 * thread; good as long as the suppressions. */
const char *check_suppression_of(hx_suppressions *suppressions, const hx_finding *finding);
