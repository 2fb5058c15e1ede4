/* Handlers of products of matrices, for the CPU level HANDLER_LEVEL. Takes the rows of matrix.def, leaves
 * handlers_matrix_LEVEL.
 *
 * 32 lanes hold matrices as PTX's mma does: lane 4 g + t has elements of row g of A and of column g of B, in
 * positions t parts to t parts + parts - 1 of the 4 parts that a step multiplies, and of row g of D those in
 * columns 2 t and 2 t + 1, in two registers; op->immediate says which. The products of a step are added to
 * the element of c in the order of positions. Lanes that are not active, and those behind the end of a
 * smaller warp, count as zeros in A and B. All of a chunk's sources are copied before anything is written. */
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

/* The elements of A's rows and B's columns, position by position, and then the sums. */
#define MAKE_MATRIX(view, type, name, words, parts, a_value, b_value, next)                                  \
    static NOINLINE void name##_##view##_group(const cell_##words *a_words, const cell_##words *b_words,     \
                                               cell_##view *sums, uint32_t odd)                              \
    {                                                                                                        \
        VIEW_##view(VIEW_DECLARE) T rows_of_a[4 * (parts)][8], columns_of_b[4 * (parts)][8];                 \
        for (uint32_t l = 0; l < MATRIX_LANES; l++)                                                          \
            for (unsigned i = 0; i < (parts); i++) {                                                         \
                const uint32_t at = l % 4 * (parts) + i;                                                     \
                cell_##words w = a_words[l];                                                                 \
                rows_of_a[at][l / 4] = (T)(a_value);                                                         \
                w = b_words[l];                                                                              \
                columns_of_b[at][l / 4] = (T)(b_value);                                                      \
            }                                                                                                \
        for (uint32_t l = 0; l < MATRIX_LANES; l++) {                                                        \
            T sum = IN_##view(sums[l]);                                                                      \
            for (uint32_t at = 0; at < 4 * (parts); at++) {                                                  \
                const T a = rows_of_a[at][l / 4], b = columns_of_b[at][l % 4 * 2 + odd];                     \
                sum = (T)(next);                                                                             \
            }                                                                                                \
            sums[l] = (cell_##view)OUT_##view(sum);                                                          \
        }                                                                                                    \
    }                                                                                                        \
    static NOINLINE void name##_##view(const struct op *op, const struct gang *gang, char *rows,             \
                                       uint32_t chunk, uint64_t active)                                      \
    {                                                                                                        \
        cell_##words a_words[LANES_PER_CHUNK], b_words[LANES_PER_CHUNK];                                     \
        cell_##view sums[LANES_PER_CHUNK], *const d = (cell_##view *)FIRST_CHUNK(d);                         \
        const uint32_t warp = gang->warp_lanes < MATRIX_LANES ? gang->warp_lanes : MATRIX_LANES;             \
        __builtin_memcpy(a_words, FIRST_CHUNK(a), sizeof a_words);                                           \
        __builtin_memcpy(b_words, FIRST_CHUNK(b), sizeof b_words);                                           \
        __builtin_memcpy(sums, FIRST_CHUNK(c), sizeof sums);                                                 \
        for (uint32_t l = 0; l < LANES_PER_CHUNK; l++)                                                       \
            if (!(active >> l & 1))                                                                          \
                a_words[l] = b_words[l] = 0;                                                                 \
        for (uint32_t first = 0; first < LANES_PER_CHUNK; first += warp) {                                   \
            cell_##words a_group[MATRIX_LANES] = {0}, b_group[MATRIX_LANES] = {0};                           \
            cell_##view group[MATRIX_LANES] = {0};                                                           \
            if (!(active >> first & (warp == 64 ? UINT64_MAX : (UINT64_C(1) << warp) - 1)))                  \
                continue;                                                                                    \
            __builtin_memcpy(a_group, a_words + first, warp * sizeof *a_group);                              \
            __builtin_memcpy(b_group, b_words + first, warp * sizeof *b_group);                              \
            __builtin_memcpy(group, sums + first, warp * sizeof *group);                                     \
            name##_##view##_group(a_group, b_group, group, (uint32_t)op->immediate);                         \
            __builtin_memcpy(sums + first, group, warp * sizeof *group);                                     \
        }                                                                                                    \
        ACTIVE_LANES(l)                                                                                      \
        d[l] = sums[l];                                                                                      \
    }                                                                                                        \
    BY_CHUNKS(name##_##view)

#define MATRIX(name, over, ...) ROW(MAKE_MATRIX, over, name, __VA_ARGS__)

#include "semantics/matrix.def"

#include "exec/handlers/list.h"

static const struct handler_row rows_here[] = {
#include "semantics/matrix.def"
};
HANDLER_LIST(matrix, rows_here)
