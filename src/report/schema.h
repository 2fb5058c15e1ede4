/* The JSON Schema of the profile document. */
#pragma once

#include "base/text.h"

void schema_print_profile(struct text *text);
