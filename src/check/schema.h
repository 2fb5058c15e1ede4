/* The JSON Schema of findings. */
#pragma once

#include "base/text.h"

void check_schema_print(struct text *text);
