/* Handlers of products of matrices, for the CPU level HANDLER_LEVEL. Takes the rows of matrix.def, leaves
 * handlers_matrix_LEVEL.
 *
 * 32 lanes hold matrices as PTX's mma does: lane 4 g + t has elements of row g of A and of column g of B, in
 * positions t parts to t parts + parts - 1 of the 4 parts that a step multiplies, and of row g of D those in
 * columns 2 t and 2 t + 1, in two registers; op->immediate says which. The products of a step are added to
 * the element of c in the order of positions. Lanes that are not active, and those behind the end of a
 * smaller warp, count as zeros in A and B. Sources of 32 lanes are copied before anything is written. */
#include "exec/handlers/template.h"

#define MATRIX_LANES 32u

LANE float half_at(uint32_t w, unsigned i)
{
    return float_of_f16(w >> 16 * i & 0xffff);
}
LANE int32_t signed_nibble(uint32_t w)
{
    return (int32_t)(w << 28) >> 28;
}

/* Position by position, for all elements of D at once: four lanes have those of a row of D. */
#define MAKE_MATRIX(view, type, name, words, parts, a_value, b_value, next)                                  \
    static NOINLINE void name##_##view##_group(const cell_##words *a_words, const cell_##words *b_words,     \
                                               cell_##view *sums, uint32_t odd)                              \
    {                                                                                                        \
        VIEW_##view(VIEW_DECLARE) T a_parts[parts][MATRIX_LANES], b_parts[parts][MATRIX_LANES];              \
        T made[MATRIX_LANES];                                                                                \
        for (unsigned i = 0; i < (parts); i++)                                                               \
            for (uint32_t l = 0; l < MATRIX_LANES; l++) {                                                    \
                cell_##words w = a_words[l];                                                                 \
                a_parts[i][l] = (T)(a_value);                                                                \
                w = b_words[l];                                                                              \
                b_parts[i][l] = (T)(b_value);                                                                \
            }                                                                                                \
        for (uint32_t l = 0; l < MATRIX_LANES; l++)                                                          \
            made[l] = IN_##view(sums[l]);                                                                    \
        for (unsigned at = 0; at < 4 * (parts); at++) {                                                      \
            const unsigned i = at % (parts), from = at / (parts);                                            \
            T columns[4];                                                                                    \
            for (uint32_t t = 0; t < 4; t++)                                                                 \
                columns[t] = b_parts[i][(2 * t + odd) * 4 + from];                                           \
            for (uint32_t l = 0; l < MATRIX_LANES; l++) {                                                    \
                const T a = a_parts[i][l / 4 * 4 + from], b = columns[l % 4], sum = made[l];                 \
                made[l] = (T)(next);                                                                         \
            }                                                                                                \
        }                                                                                                    \
        for (uint32_t l = 0; l < MATRIX_LANES; l++)                                                          \
            sums[l] = (cell_##view)OUT_##view(made[l]);                                                      \
    }                                                                                                        \
    CHUNK_BODY(name##_##view)                                                                                \
    {                                                                                                        \
        const uint32_t warp = gang->warp_lanes < MATRIX_LANES ? gang->warp_lanes : MATRIX_LANES;             \
        const uint64_t all = (UINT64_C(1) << warp) - 1;                                                      \
        for (uint32_t first = 0; first < LANES_PER_CHUNK; first += warp) {                                   \
            const uint64_t lanes = active >> first & all;                                                    \
            cell_##words a_words[MATRIX_LANES] = {0}, b_words[MATRIX_LANES] = {0};                           \
            cell_##view sums[MATRIX_LANES] = {0}, *const d = (cell_##view *)FIRST_CHUNK(d) + first;          \
            if (!lanes)                                                                                      \
                continue;                                                                                    \
            __builtin_memcpy(a_words, (const cell_##words *)FIRST_CHUNK(a) + first, warp * sizeof *a_words); \
            __builtin_memcpy(b_words, (const cell_##words *)FIRST_CHUNK(b) + first, warp * sizeof *b_words); \
            __builtin_memcpy(sums, (const cell_##view *)FIRST_CHUNK(c) + first, warp * sizeof *sums);        \
            for (uint32_t l = 0; lanes != all && l < warp; l++)                                              \
                if (!(lanes >> l & 1))                                                                       \
                    a_words[l] = b_words[l] = 0;                                                             \
            name##_##view##_group(a_words, b_words, sums, (uint32_t)op->immediate);                          \
            for (uint32_t l = 0; l < warp; l++)                                                              \
                d[l] = lanes >> l & 1 ? sums[l] : d[l];                                                      \
        }                                                                                                    \
    }                                                                                                        \
    BY_CHUNKS(name##_##view)

#define MATRIX(name, over, ...) ROW(MAKE_MATRIX, over, name, __VA_ARGS__)

#include "semantics/matrix.def"

#include "exec/handlers/list.h"

static const struct handler_row rows_here[] = {
#include "semantics/matrix.def"
};
HANDLER_LIST(matrix, rows_here)
