/* The rows of src/semantics once more, for the compiled tier: row_add_U32(d, a, b, c, f, e, immediate) makes
 * the 64 cells of d from those of the operands, one_add_U32 one cell.
 *
 * Takes the same .def files and the same template as the interpreter's handlers: only the head of a body is
 * another one, so that a meaning is written once. clang makes bitcode of this file when hexec is built, for
 * each CPU level that compiled kernels run on. The plugin links the rows that a kernel uses to it and inlines
 * them. The loops over lanes are vectorised here, as one vector of 64 elements (src/CMakeLists.txt). */
#define HANDLER_LEVEL tier
#include "exec/handlers/template.h"

/* lanes are independent; nothing is left to be called */
#undef LANES
#define LANES IVDEP for (int l = 0; l < LANES_PER_CHUNK; l++)
#undef NOINLINE
#define NOINLINE inline __attribute__((always_inline))

#include "exec/handlers/lane_functions.h"

/* NaNs of results are made the canonical one by who calls, where their bits are seen (nans.c) */
#undef OUT_F32
#undef OUT_F64
#define OUT_F32(x) (x)
#define OUT_F64(x) (x)

#define ROW_FUNCTION(function, D)                                                                            \
    void function(cell_##D *restrict d_cells, const char *restrict at_a, const char *restrict at_b,          \
                  const char *restrict at_c, const char *restrict at_f, char *restrict at_e,                 \
                  uint64_t scale);                                                                           \
    __attribute__((always_inline)) void function(                                                            \
        cell_##D *restrict d_cells, const char *restrict at_a UNUSED, const char *restrict at_b UNUSED,      \
        const char *restrict at_c UNUSED, const char *restrict at_f UNUSED, char *restrict at_e UNUSED,      \
        uint64_t scale UNUSED)

#define ONE_LANE for (int l = 0; l < 1; l++)
#undef BODY_WITH
#define BODY_WITH(function, ...)                                                                             \
    BODY_OF_LANES(row_##function, LANES, __VA_ARGS__) BODY_OF_LANES(one_##function, ONE_LANE, __VA_ARGS__)
#define BODY_OF_LANES(function, EACH_LANE, M, FROM, D, A, B, C, F, ...)                                      \
    ROW_FUNCTION(function, D)                                                                                \
    {                                                                                                        \
        VIEW_##M(VIEW_DECLARE) VIEW_##FROM(VIEW_DECLARE_SOURCE) const uint32_t immediate UNUSED =            \
            (uint32_t)scale;                                                                                 \
        EACH_LANE                                                                                            \
        {                                                                                                    \
            const VALUE(A) a UNUSED = READ(A, a);                                                            \
            const VALUE(B) b UNUSED = READ(B, b);                                                            \
            const VALUE(C) c UNUSED = READ(C, c);                                                            \
            const VALUE(F) f UNUSED = READ(F, f);                                                            \
            __VA_ARGS__;                                                                                     \
        }                                                                                                    \
    }
#undef HANDLERS_BY
#define HANDLERS_BY(...)
#undef ROW
#define ROW(make, over, name, ...) SET_##over(make, SKIP, name, __VA_ARGS__)
#undef ROW_OF_BODIES
#define ROW_OF_BODIES ROW
#undef CONVERT
#define CONVERT(name, to, from, ...) SET_##to(MAKE_CONVERT_TO, SKIP, name, from, __VA_ARGS__)

/* below it is made another way */
#ifdef __AVX512DQ__
#define row_frsqrt_F32 by_root_and_quotient
#endif
#include "semantics/compare.def"
#include "semantics/convert.def"
#include "semantics/data.def"
#include "semantics/float.def"
#include "semantics/integer.def"
#include "semantics/logic.def"

#ifdef __AVX512DQ__
#undef row_frsqrt_F32
#include "exec/handlers/lane_roots.h"
ROW_FUNCTION(row_frsqrt_F32, F32)
{
    _Pragma("clang loop unroll(full)") for (size_t l = 0; l < LANES_PER_CHUNK; l += 16)
        _mm512_storeu_ps(d_cells + l, reciprocal_roots(_mm512_loadu_ps(at_a + l * sizeof(float))));
}
#endif

/* ---- Functions of 64 lanes at once */

#define MATH_ROW(name, view, T, of_lanes, second)                                                            \
    ROW_FUNCTION(row_##name##_##view, view)                                                                  \
    {                                                                                                        \
        _Alignas(64) T x[LANES_PER_CHUNK], y[LANES_PER_CHUNK] UNUSED;                                        \
        LANES x[l] = READ(view, a);                                                                          \
        second(view);                                                                                        \
        name##_of_##of_lanes(x, y, x);                                                                       \
        LANES d_cells[l] = OUT_##view(x[l]);                                                                 \
    }
#define NO_SECOND(view)                     (void)0
#define SECOND(view)                        LANES y[l] = READ(view, b)
#define MATH_ROW_F16(name, second)          MATH_ROW(name, F16, float, floats, second)
#define MATH_ROW_BF16(name, second)         MATH_ROW(name, BF16, float, floats, second)
#define MATH_ROW_F32(name, second)          MATH_ROW(name, F32, float, floats, second)
#define MATH_ROW_F64(name, second)          MATH_ROW(name, F64, double, doubles, second)
#define MATH_VIEW(view, type, name, second) MATH_ROW_##view(name, second)
#undef UNARY
#undef BINARY
#define UNARY(name, over, ...)  SET_##over(MATH_VIEW, SKIP, name, NO_SECOND)
#define BINARY(name, over, ...) SET_##over(MATH_VIEW, SKIP, name, SECOND)
#include "semantics/math.def"

/* ---- What an atomic leaves: d of the old value a, and b and f */

#include "exec/handlers/lane_pairs.h"

#undef OUT_F32
#undef OUT_F64
#define OUT_F32(x) canonical_float(x)
#define OUT_F64(x) canonical_double(x)

#define MAKE_LEFT(view, type, name, ...)                                                                     \
    ROW_FUNCTION(one_##name##_##view, view)                                                                  \
    {                                                                                                        \
        VIEW_##view(VIEW_DECLARE) const int l = 0;                                                           \
        const T old UNUSED = READ(view, a), b = READ(view, b), f UNUSED = READ(view, f);                     \
        d_cells[l] = (cell_##view)OUT_##view((T)(__VA_ARGS__));                                              \
    }
#define ATOMIC(name, space, over, ...) SET_##over(MAKE_LEFT, SKIP, name, __VA_ARGS__)
#define CAS                            ATOMIC
#include "semantics/atomic.def"

/* ---- Lanes of a warp: active lanes' cells of d and e are made */

typedef uint8_t byte_lanes __attribute__((vector_size(LANES_PER_CHUNK)));
typedef bool bit_lanes __attribute__((ext_vector_type(LANES_PER_CHUNK)));

/* Of `active`, those whose byte is 1. */
static NOINLINE uint64_t true_lanes(const uint8_t *bytes, uint64_t active)
{
    byte_lanes lanes;
    __builtin_memcpy(&lanes, bytes, sizeof lanes);
    return __builtin_bit_cast(uint64_t, __builtin_convertvector(lanes, bit_lanes)) & active;
}

/* d[l] = cells[from[l]] */
#ifdef __AVX512F__
static NOINLINE void choose_U32(uint32_t *d, const uint32_t *cells, const uint32_t *from)
{
    _Pragma("clang loop unroll(full)") for (size_t l = 0; l < LANES_PER_CHUNK; l += 16)
    {
        const __m512i at = _mm512_loadu_si512(from + l);
        const __m512i low =
            _mm512_permutex2var_epi32(_mm512_loadu_si512(cells), at, _mm512_loadu_si512(cells + 16));
        const __m512i high =
            _mm512_permutex2var_epi32(_mm512_loadu_si512(cells + 32), at, _mm512_loadu_si512(cells + 48));
        const __mmask16 is_high = _mm512_test_epi32_mask(at, _mm512_set1_epi32(32));
        _mm512_storeu_si512(d + l, _mm512_mask_blend_epi32(is_high, low, high));
    }
}
#else
static NOINLINE void choose_U32(uint32_t *d, const uint32_t *cells, const uint32_t *from)
{
    LANES d[l] = cells[(int)from[l]];
}
#endif
static NOINLINE void choose_U64(uint64_t *d, const uint64_t *cells, const uint32_t *from)
{
    LANES d[l] = cells[(int)from[l]];
}

#define WARP_LANES                         warp_lanes
#define EACH_LANE(l)                       IVDEP for (int l = 0; l < LANES_PER_CHUNK; l++)
#define ALL_LANES                          EACH_LANE
#define CHOOSE_CELLS(view, d, cells, from) choose_##view(d, cells, from)
#undef BY_CHUNKS
#define BY_CHUNKS(function)
#undef FIRST_CHUNK
#define FIRST_CHUNK(letter) at_##letter
#undef CHUNK_BODY
#define CHUNK_BODY(function)                                                                                 \
    void row_##function(char *restrict at_d, const char *restrict at_a, const char *restrict at_b,           \
                        const char *restrict at_c, const char *restrict at_f, char *restrict at_e,           \
                        uint64_t active, uint32_t warp_lanes);                                               \
    __attribute__((always_inline)) void row_##function(                                                      \
        char *restrict at_d, const char *restrict at_a UNUSED, const char *restrict at_b UNUSED,             \
        const char *restrict at_c UNUSED, const char *restrict at_f UNUSED, char *restrict at_e UNUSED,      \
        uint64_t active, uint32_t warp_lanes)
#define REDUCE(...)
#define SCAN(...)
#define SCAN_BEFORE(...)
#include "exec/handlers/lane_warps.h"
#include "semantics/warp.def"

/* Not 0 where one of `lanes` names a lane of its warp that is missing, or not itself. */
uint32_t warp_misses(const uint32_t *masks, uint64_t lanes, uint64_t missing, uint32_t warp_lanes);
__attribute__((always_inline)) uint32_t warp_misses(const uint32_t *masks, uint64_t lanes, uint64_t missing,
                                                    uint32_t warp_lanes)
{
    const uint32_t all = warp_lanes >= 32 ? UINT32_MAX : ((uint32_t)1 << warp_lanes) - 1;
    const uint32_t upper = (uint32_t)(missing >> 32), both = upper | (uint32_t)missing;
    uint32_t wrong = 0;
    LANES
    {
        const uint32_t lane = (uint32_t)l & 31, first = lane & ~(warp_lanes - 1);
        const uint32_t half = warp_lanes == 64 ? both : l & 32 ? upper : (uint32_t)missing;
        const uint32_t here = (uint32_t)(l & 32 ? lanes >> 32 : lanes) >> lane & 1;
        const uint32_t own = masks[l] >> (lane - first) & 1, named = masks[l] & half >> first & all;
        wrong |= here ? named | (own ^ 1) : 0;
    }
    return wrong;
}
