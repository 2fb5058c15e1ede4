/* The JSON Schema of the profile document. */
#pragma once

#include "base/text.h"

void profile_schema_print(struct text *text);
