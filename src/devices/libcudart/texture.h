/* What differs between versions of the API in what textures and surfaces are of. */
#pragma once

#include "devices/libcudart/cudart_array.h"

/* Fills what only later versions have behind the members of all. */
void resource_finish(cudaResourceDesc *resource);
