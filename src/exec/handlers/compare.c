/* Handlers of comparisons and predicates, for the CPU level HANDLER_LEVEL. Takes the rows of compare.def,
 * leaves handlers_compare_LEVEL, by template.h.
 *
 * Comparing a value that has an affine part with a uniform value takes no loop over lanes if the result is
 * the same for the lanes' minimum, maximum, and the value nearest to the uniform one. Most bounds checks are
 * of this kind: all blocks but the last ones are inside. */
#include "exec/handlers/template.h"

#if defined(__AVX512BW__) && defined(__AVX512DQ__)
#include "exec/handlers/lane_compare.h"
#endif

#include "semantics/compare.def"

/* The row d in all lanes that exist or not. */
static void fill_predicate(const struct op *op, const struct gang *gang, char *rows, bool value)
{
    __builtin_memset(rows + op->d.at, value, (size_t)gang->chunks * LANES_PER_CHUNK);
}

/* Where the sum of some lane wraps, the least and the greatest say nothing. */
#define AFFINE_OF(name, view, compare, ...)                                                                  \
    static NOINLINE void name##_##view##_lanes(const struct op *op, const struct gang *gang, char *rows)     \
    {                                                                                                        \
        const cell_##view b = *(const cell_##view *)(rows + op->b.at);                                       \
        const uint32_t same = *(const uint32_t *)(rows + op->a.at);                                          \
        const uint32_t *const steps = (const uint32_t *)__builtin_assume_aligned(rows + op->e.at, 64);       \
        uint8_t *const d = (uint8_t *)__builtin_assume_aligned(rows + op->d.at, 64);                         \
        const uint32_t lanes = gang->chunks * LANES_PER_CHUNK;                                               \
        IVDEP for (uint32_t l = 0; l < lanes; l++) d[l] = (cell_##view)(same + steps[l]) compare b;          \
    }                                                                                                        \
    HANDLER(name##_##view##_affine)                                                                          \
    {                                                                                                        \
        const struct affine_part *affine_part = &gang->affine_parts[op->affine_part - 1];                    \
        const int64_t b = *(const cell_##view *)(rows + op->b.at);                                           \
        const int64_t same = *(const cell_##view *)(rows + op->a.at);                                        \
        const int64_t low = same + affine_part->low, high = same + affine_part->high;                        \
        const int64_t near = b < low ? low : b > high ? high : b;                                            \
        const bool value = low compare b;                                                                    \
        const bool is_one = (cell_##view)low == low && (cell_##view)high == high &&                          \
                            (high compare b) == value && (near compare b) == value;                          \
        gang->decided = is_one ? (value ? DECIDED_TRUE : DECIDED_FALSE) : DECIDED_NOT;                       \
        if (is_one)                                                                                          \
            fill_predicate(op, gang, rows, value);                                                           \
        else                                                                                                 \
            name##_##view##_lanes(op, gang, rows);                                                           \
        return op + 1;                                                                                       \
    }
#define AFFINE(name, compare)                                                                                \
    AFFINE_OF(name, U32, compare, )                                                                          \
    AFFINE_OF(name, I32, compare, )                                                                          \
    static const struct handler_pair name##_affine[HX_TYPE_COUNT] = {                                        \
        [HX_TYPE_U32] = {name##_U32_affine, NULL}, [HX_TYPE_I32] = {name##_I32_affine, NULL}};
AFFINE(setp_eq, ==)
AFFINE(setp_ne, !=)
AFFINE(setp_lt, <)
AFFINE(setp_le, <=)
AFFINE(setp_gt, >)
AFFINE(setp_ge, >=)

#include "exec/handlers/list.h"

/* The comparisons that have this form too (lower/converged/affine.c). */
#define AFFINE_ROW(name) {SEM_##name, false, {[ACCESS_AFFINE] = name##_affine}, NULL},

static const struct handler_row rows_here[] = {
#include "semantics/compare.def"
    AFFINE_ROW(setp_eq) AFFINE_ROW(setp_ne) AFFINE_ROW(setp_lt) AFFINE_ROW(setp_le) AFFINE_ROW(setp_gt)
        AFFINE_ROW(setp_ge)};
HANDLER_LIST(compare, rows_here)
