/* Which lane a shuffle reads: the rows of warp.def, for one lane at a time. Takes a lane's operands, leaves
 * the number of the lane that it reads, for what reports on shuffles; handlers do all lanes at once. */
#include "exec/shuffles.h"

#include "semantics/semantics.h"

bool shuffle_source(int semantic, uint32_t lane, uint32_t step, uint32_t bounds, uint32_t warp_lanes,
                    uint32_t *ret_source)
{
    const uint32_t numbers = warp_lanes - 1, b = step & numbers;
    const uint32_t segment = bounds >> 8 & numbers, first = lane & segment;
    const uint32_t last = first | (bounds & numbers & ~segment);
    uint32_t source = lane;
    bool reads = false;
    switch (semantic) {
#define SHUFFLE(name, over, source_lane, in_range)                                                           \
    case SEM_##name:                                                                                         \
        reads = (in_range);                                                                                  \
        source = (source_lane)&numbers;                                                                      \
        break;
#define VOTE(...)
#define BALLOT(...)
#define MEMBERS(...)
#define MATCH(...)
#define MATCH_ALL(...)
#define REDUX(...)
#define REDUCE(...)
#define SCAN(...)
#define SCAN_BEFORE(...)
#include "semantics/warp.def"

#include "semantics/undefine.h"
    default:
        break;
    }
    *ret_source = source;
    return reads;
}
