/* Handlers of the transcendental functions of f32, for the CPU level HANDLER_LEVEL. Takes the rows of
 * math.def, leaves handlers_math_LEVEL.
 *
 * A row names a function of SLEEF, which works on vectors, so its body gives each chunk to the widest form
 * that the level has. These are the u10 functions (within 1 ulp) in their `cinz` forms: compiled without FMA,
 * they give the same bits at every vector width, which the unit test compares. Without SLEEF the C library's
 * double functions are rounded to float: within 1 ulp too, but the last bit may differ from that of a build
 * with SLEEF. */
#include "exec/handler_template.h"

#if HX_SLEEF
#include <sleef.h>
#if defined(__AVX512F__)
#define VECTOR_LANES        16
#define VECTOR_FUNCTION(fn) Sleef_cinz_##fn##f16_u10avx512fnofma
#define VECTOR_LOAD         _mm512_load_ps
#define VECTOR_STORE        _mm512_store_ps
#elif defined(__AVX__)
#define VECTOR_LANES        8
#define VECTOR_FUNCTION(fn) Sleef_cinz_##fn##f8_u10avx
#define VECTOR_LOAD         _mm256_load_ps
#define VECTOR_STORE        _mm256_store_ps
#elif defined(__SSE2__)
#define VECTOR_LANES        4
#define VECTOR_FUNCTION(fn) Sleef_cinz_##fn##f4_u10sse2
#define VECTOR_LOAD         _mm_load_ps
#define VECTOR_STORE        _mm_store_ps
#else
#define VECTOR_LANES        1
#define VECTOR_FUNCTION(fn) Sleef_cinz_##fn##f1_u10purec
#define VECTOR_LOAD(x)      (*(x))
#define VECTOR_STORE(x, y)  (*(x) = (y))
#endif
#else
#define VECTOR_LANES        1
#define VECTOR_FUNCTION(fn) (float)fn
#define VECTOR_LOAD(x)      (*(x))
#define VECTOR_STORE(x, y)  (*(x) = (y))
#endif

/* The row's expression is the function's name and (a). */
#define MATH_ROW(name, over, function)                                                                       \
    static NOINLINE void name##_F32(const struct op *op, char *rows, char *to, size_t to_step,               \
                                    uint32_t chunk, uint32_t end)                                            \
    {                                                                                                        \
        for (; chunk < end; chunk++, to += to_step) {                                                        \
            const float *a = (const float *)__builtin_assume_aligned(FIRST_CHUNK(a), 64);                    \
            float *d = (float *)__builtin_assume_aligned(to, 64);                                            \
            for (int l = 0; l < LANES_PER_CHUNK; l += VECTOR_LANES)                                          \
                VECTOR_STORE(d + l, VECTOR_FUNCTION(function)(VECTOR_LOAD(a + l)));                          \
            LANES d[l] = canonical_float(d[l]);                                                              \
        }                                                                                                    \
    }                                                                                                        \
    HANDLERS_OF(name##_F32, F32)                                                                             \
    static const struct handler_pair name##_handlers[HX_TYPE_COUNT] = {SET_##over(ENTRY, ENTRY, name, )};

#define FUNCTION_exp2(a) exp2
#define FUNCTION_exp(a)  exp
#define FUNCTION_log2(a) log2
#define FUNCTION_log(a)  log
#define FUNCTION_sin(a)  sin
#define FUNCTION_cos(a)  cos
#undef UNARY
#define UNARY(name, over, call) MATH_ROW(name, over, FUNCTION_##call)
#include "semantics/math.def"

#include "exec/handler_list.h"

static const struct handler_row rows_here[] = {
#include "semantics/math.def"
};
HANDLER_LIST(math, rows_here)
