/* Handlers that exchange values between lanes of a warp and threads of a block, for the CPU level
 * HANDLER_LEVEL. Takes the rows of warp.def, leaves handlers_warp_LEVEL.
 *
 * What lanes of a warp do is in lane_warps.h. Reductions and scans go over one gang in the order of its
 * lanes, continue from gang->so_far and leave their result there: barriers.c calls them gang by gang when all
 * threads have arrived. */
#include "exec/handlers/template.h"

#define WARP_LANES                         gang->warp_lanes
#define EACH_LANE                          ACTIVE_LANES
#define ALL_LANES(l)                       for (int l = 0; l < LANES_PER_CHUNK; l++)
#define CHOOSE_CELLS(view, d, cells, from) ACTIVE_LANES(l) d[l] = cells[from[l]]

/* Of `active`, those whose byte is 1. */
static inline uint64_t true_lanes(const uint8_t *bytes, uint64_t active)
{
    uint64_t lanes = 0;
    ACTIVE_LANES(l) lanes |= (uint64_t)(bytes[l] & 1) << l;
    return lanes;
}

#include "exec/handlers/lane_warps.h"

/* ---- Blocks: `write` is what a thread gets while so_far goes by */

#define MAKE_BLOCK_SCAN(view, name, write_before, write_after, ...)                                          \
    static NOINLINE void name##_##view(const struct op *op, struct gang *gang, char *rows, uint32_t chunk,   \
                                       uint64_t active)                                                      \
    {                                                                                                        \
        VIEW_##view(VIEW_DECLARE) COPY_OF(cell_##view, cells, a);                                            \
        cell_##view *const d UNUSED = (cell_##view *)FIRST_CHUNK(d);                                         \
        T so_far;                                                                                            \
        __builtin_memcpy(&so_far, &gang->so_far, sizeof so_far);                                             \
        ACTIVE_LANES(l)                                                                                      \
        {                                                                                                    \
            const T a = IN_##view(cells[l]);                                                                 \
            write_before;                                                                                    \
            so_far = gang->has_so_far ? (T)OUT_##view((T)(__VA_ARGS__)) : a;                                 \
            gang->has_so_far = true;                                                                         \
            write_after;                                                                                     \
        }                                                                                                    \
        __builtin_memcpy(&gang->so_far, &so_far, sizeof so_far);                                             \
    }                                                                                                        \
    BY_CHUNKS(name##_##view)
#define MAKE_REDUCE(view, type, name, ...) MAKE_BLOCK_SCAN(view, name, , , __VA_ARGS__)
#define MAKE_SCAN(view, type, name, ...)   MAKE_BLOCK_SCAN(view, name, , d[l] = so_far, __VA_ARGS__)
#define MAKE_SCAN_BEFORE(view, type, name, sum, first)                                                       \
    MAKE_BLOCK_SCAN(view, name, d[l] = gang->has_so_far ? so_far : (T)(first), , sum)

#define REDUCE(name, over, ...)      ROW(MAKE_REDUCE, over, name, __VA_ARGS__)
#define SCAN(name, over, ...)        ROW(MAKE_SCAN, over, name, __VA_ARGS__)
#define SCAN_BEFORE(name, over, ...) ROW(MAKE_SCAN_BEFORE, over, name, __VA_ARGS__)

#include "semantics/warp.def"

#include "exec/handlers/list.h"

static const struct handler_row rows_here[] = {
#include "semantics/warp.def"
};
HANDLER_LIST(warp, rows_here)
