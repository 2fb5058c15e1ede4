/* Hints: what could be changed to make a kernel faster. */
#pragma once

#include "profile/profile.h"

/* Fills in profile->hints of a profile whose sums are made. False: no memory. */
HX_MUST_CHECK bool hints_make(hx_profile *profile);
