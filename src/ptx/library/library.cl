/* The device library: what modules of PTX call and do not define (docs/ptx.md). */
#include "library.h"

#include "coefficients.cl"

#include "simple.cl"
#include "elementary.cl"
#include "parts.cl"
#include "special.cl"
#include "float.cl"
#include "bessel.cl"
#include "opencl.cl"
