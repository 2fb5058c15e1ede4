/* Guarded instructions, each in one handler with its guard (lower/converged/fuse.c), for the CPU level
 * HANDLER_LEVEL: leaves handlers_guarded_LEVEL.
 *
 * Where each lane does one of two, as in `@p0 add ...` and `@!p0 sub ...`, both results are computed for all
 * lanes before any is stored, so that the second does not read what the first wrote. */
#include "exec/handlers/lane_masks.h"
#include "exec/handlers/lane_runs.h"
#include "exec/handlers/rows.h"

struct lanes {
    uint64_t bits[GANG_CHUNKS_MAX];
    uint8_t bytes[GANG_LANES_MAX]; /* if MASKS_AS_BYTES */
};

static inline void spread(struct lanes *lanes, uint32_t chunks)
{
    for (uint32_t chunk = 0; chunk < chunks && MASKS_AS_BYTES; chunk++)
        lane_bytes(lanes->bits[chunk], lanes->bytes + (size_t)chunk * LANES_PER_CHUNK);
}

/* The lanes of the mask that are to do the first, and the others. */
static inline void divide(const struct op *op, struct gang *gang, const char *rows, struct lanes *ret_ones,
                          struct lanes *ret_twos)
{
    const uint64_t negation = op->flags & MICRO_GUARD_NEGATED ? UINT64_MAX : 0;
    const uint8_t *predicate = (const uint8_t *)rows + op->c.at;
    uint32_t ones = 0, twos = 0;
    for (uint32_t chunk = 0; chunk < gang->chunks; chunk++, predicate += op->c.step) {
        const uint64_t bits = lane_bits(predicate) ^ negation;
        ret_ones->bits[chunk] = gang->mask_bits[chunk] & bits;
        ret_twos->bits[chunk] = gang->mask_bits[chunk] & ~bits;
        ones += (uint32_t)__builtin_popcountll(ret_ones->bits[chunk]);
        twos += (uint32_t)__builtin_popcountll(ret_twos->bits[chunk]);
    }
    gang->guarded[0] = ones;
    gang->guarded[1] = twos;
}

/* Inlined with each width that cells have. */
#define BY_WIDTH(function, cell_bytes, ...)                                                                  \
    switch (cell_bytes) {                                                                                    \
    case 1:                                                                                                  \
        function(__VA_ARGS__, 1);                                                                            \
        break;                                                                                               \
    case 4:                                                                                                  \
        function(__VA_ARGS__, 4);                                                                            \
        break;                                                                                               \
    default:                                                                                                 \
        function(__VA_ARGS__, 8);                                                                            \
    }

static NOINLINE void run_one(const struct op *op, const struct gang *gang, char *rows, struct lanes *lanes,
                             uint32_t count)
{
    if (count == gang->lanes) {
        op->body(op, rows, rows + op->d.at, op->d.step, 0, gang->chunks);
        return;
    }
    spread(lanes, gang->chunks);
    BY_WIDTH(run_lanes, op->d.step / LANES_PER_CHUNK, op, rows, op->body, gang->chunks, lanes->bits,
             lanes->bytes)
}

/* Two into one row. */
ALWAYS_INLINE void run_both_of(const struct op *one, const struct op *two, const struct gang *gang,
                               char *rows, const struct lanes *ones, const struct lanes *twos,
                               size_t cell_bytes)
{
    _Alignas(64) char first[GANG_LANES_MAX * sizeof(uint64_t)], second[GANG_LANES_MAX * sizeof(uint64_t)];
    const size_t chunk_bytes = LANES_PER_CHUNK * cell_bytes;
    for (uint32_t chunk = 0, end; chunk < gang->chunks; chunk = end) {
        uint64_t all;
        end = end_of_lanes(gang->mask_bits, chunk, gang->chunks, &all);
        if (!gang->mask_bits[chunk])
            continue;
        one->body(one, rows, first, chunk_bytes, chunk, end);
        two->body(two, rows, second, chunk_bytes, chunk, end);
        for (uint32_t i = chunk; i < end; i++) {
            const size_t at = (i - chunk) * chunk_bytes, byte = (size_t)i * LANES_PER_CHUNK;
            blend_two(rows + one->d.at + i * chunk_bytes, first + at, ones->bits[i], ones->bytes + byte,
                      second + at, twos->bits[i], twos->bytes + byte, cell_bytes);
        }
    }
}

static NOINLINE void run_both(const struct op *one, const struct op *two, const struct gang *gang, char *rows,
                              struct lanes *ones, struct lanes *twos)
{
    spread(ones, gang->chunks);
    spread(twos, gang->chunks);
    BY_WIDTH(run_both_of, one->d.step / LANES_PER_CHUNK, one, two, gang, rows, ones, twos)
}

const struct op *HANDLER_NAME(guarded)(const struct op *op, struct gang *gang, char *rows)
{
    const struct op *const one = op + 1, *const two = one + op->link_ops;
    struct lanes ones, twos;
    divide(op, gang, rows, &ones, &twos);
    if (op->links == 2 && gang->guarded[0] && gang->guarded[1] && one->d.at == two->d.at) {
        run_both(one, two, gang, rows, &ones, &twos);
        return op + 1 + op_chained(op);
    }
    if (gang->guarded[0])
        run_one(one, gang, rows, &ones, gang->guarded[0]);
    if (op->links == 2 && gang->guarded[1])
        run_one(two, gang, rows, &twos, gang->guarded[1]);
    return op + 1 + op_chained(op);
}
