/* Lanes of a warp that meet at different instructions.
 *
 * Takes paths that wait at instructions of warps, leaves those of them ready whose masks name lanes that wait
 * at other ones. From sm_70 on lanes need not reach one and the same instruction: bar.warp.sync wants the
 * same mask of all, the others the same qualifiers, too (PTX ISA, "shfl.sync": "have executed shfl.sync with
 * the same qualifiers and same membermask value"). So a shuffle in each arm of a branch is one shuffle. What
 * they exchange is gathered from the rows of each instruction, done once, and given to the rows of each. Then
 * the paths go on, through their own instructions, which have nothing more to do. */
#include "exec/flow/flow.h"

#include <string.h>

#define CELL_BYTES_MOST 8
#define OPERANDS        6

struct meeting {
    uint32_t chunk, mask;
    uint64_t lanes;            /* of the chunk */
    const struct op *exchange; /* of one of the paths */
    uint32_t path_count;
    uint64_t of_path[GANG_LANES_MAX]; /* their lanes: a result may overwrite the mask that says so */
};

static const struct op *exchange_at(const struct gang_state *state, const struct path *path)
{
    return &ops_of(state)[warps_behind_wait(gang_launch(state)->bound, path->pc)];
}

static size_t cell_bytes(struct row row)
{
    switch ((enum row_kind)row.kind) {
    case ROW_NONE:
        return 0;
    case ROW_8:
    case ROW_SAME_8:
    case ROW_UNIFORM_8:
    case ROW_SPECIAL_8:
        return 8;
    case ROW_PREDICATE:
    case ROW_SAME_PREDICATE:
        return 1;
    default:
        return 4;
    }
}

/* Operand `i` of a micro-op and where it is bound; results are the first two. */
static struct row operand_of(const struct micro_op *op, int i)
{
    const struct row rows[OPERANDS] = {op->d, op->e, op->a, op->b, op->c, op->f};
    return rows[i];
}

static struct op_row *bound_of(struct op *op, int i)
{
    struct op_row *const rows[OPERANDS] = {&op->d, &op->e, &op->a, &op->b, &op->c, &op->f};
    return rows[i];
}

static bool is_alike(const struct gang_state *state, const struct op *one, const struct op *other)
{
    const struct micro_op *a = lowered_op(state, one), *b = lowered_op(state, other);
    bool are_same = a->semantic == b->semantic && a->type == b->type && a->immediate == b->immediate;
    for (int i = 0; i < OPERANDS && are_same; i++)
        are_same = cell_bytes(operand_of(a, i)) == cell_bytes(operand_of(b, i));
    return are_same;
}

static bool waits_with_mask(const struct gang_state *state, const struct path *path)
{
    const struct op *wait = &ops_of(state)[path->pc];
    return path->state == PATH_AT_WARP && warps_has_mask(state, wait);
}

static uint32_t mask_of(const struct gang_state *state, const struct path *path, uint32_t chunk,
                        uint32_t lane)
{
    const struct op_row masks = ops_of(state)[path->pc].a;
    uint32_t mask;
    memcpy(&mask, state->rows + masks.at + (size_t)chunk * masks.step + lane * sizeof mask, sizeof mask);
    return mask;
}

/* Of a path's lanes in `warp`, those that can be in the meeting. */
static uint64_t lanes_in(const struct gang_state *state, const struct path *path,
                         const struct meeting *meeting, uint64_t warp)
{
    uint64_t lanes = 0;
    if (!waits_with_mask(state, path) || !is_alike(state, exchange_at(state, path), meeting->exchange))
        return 0;
    for (uint64_t left = path->lanes[meeting->chunk] & warp; left; left &= left - 1)
        if (mask_of(state, path, meeting->chunk, (uint32_t)__builtin_ctzll(left)) == meeting->mask)
            lanes |= left & -left;
    return lanes;
}

/* ---- The exchange -------------------------------------------------------------------------------------- */

struct cells {
    _Alignas(64) char of[OPERANDS][LANES_PER_CHUNK * CELL_BYTES_MOST];
};

/* A path's lanes give their operands to the cells, or take their results from there. */
static void carry(struct gang_state *state, const struct path *path, const struct meeting *meeting,
                  uint64_t lanes, struct cells *cells, bool takes)
{
    enum { RESULTS = 2 };
    struct op op = *exchange_at(state, path);
    const struct micro_op *lowered = lowered_op(state, exchange_at(state, path));
    for (int i = takes ? 0 : RESULTS; i < (takes ? RESULTS : OPERANDS); i++) {
        const size_t bytes = cell_bytes(operand_of(lowered, i));
        const struct op_row row = *bound_of(&op, i);
        char *const chunk = state->rows + row.at + (size_t)meeting->chunk * row.step;
        for (uint64_t left = lanes; left && bytes; left &= left - 1) {
            const size_t at = (size_t)__builtin_ctzll(left) * bytes;
            memcpy(takes ? chunk + at : cells->of[i] + at, takes ? cells->of[i] + at : chunk + at, bytes);
        }
    }
}

/* Does the instruction once for all lanes of the meeting, over the cells. */
static void run_exchange(struct gang_state *state, const struct meeting *meeting, struct cells *cells)
{
    struct gang *gang = &state->gang;
    const struct gang before = *gang;
    const lane_set lanes = {meeting->lanes};
    uint8_t bytes[LANES_PER_CHUNK] = {0};
    struct op op = *meeting->exchange;
    for (uint32_t i = 0; i < OPERANDS; i++)
        *bound_of(&op, (int)i) = (struct op_row){i * (uint32_t)sizeof cells->of[0], 0};
    if (gang->masks->takes_bytes)
        (void)gang->masks->spread_lanes(lanes, 1, bytes);
    gang->mask_bits = lanes;
    gang->mask_bytes = bytes;
    gang->chunks = 1;
    gang->is_whole = false;
    (void)op.single(&op, gang, cells->of[0]);
    *gang = before;
}

static void exchange(struct gang_state *state, const struct meeting *meeting)
{
    struct cells cells = {0};
    for (int takes = 0; takes < 2; takes++) {
        for (uint32_t i = 0; i < meeting->path_count; i++)
            if (meeting->of_path[i])
                carry(state, &state->paths[i], meeting, meeting->of_path[i], &cells, takes != 0);
        if (!takes)
            run_exchange(state, meeting, &cells);
    }
}

/* ---- Meetings ------------------------------------------------------------------------------------------ */

/* The lanes of a chunk that the mask of a warp from lane `shift` on names, and maybe more behind the warp. */
static uint64_t named_in(const struct gang_state *state, uint32_t mask, uint32_t shift)
{
    const uint64_t named = state->gang.warp_lanes == 64 ? (uint64_t)mask << 32 | mask : mask;
    return named << shift;
}

/* Of `lanes`, those that have the mask of the first of them. */
static uint64_t like_the_first(const struct gang_state *state, const struct path *path, uint32_t chunk,
                               uint64_t lanes, uint32_t *ret_mask)
{
    uint64_t like = 0;
    *ret_mask = mask_of(state, path, chunk, (uint32_t)__builtin_ctzll(lanes));
    for (; lanes; lanes &= lanes - 1)
        if (mask_of(state, path, chunk, (uint32_t)__builtin_ctzll(lanes)) == *ret_mask)
            like |= lanes & -lanes;
    return like;
}

/* Who waits with lanes of path `index` that have meeting->mask. False: not all that it names are there, or
 * all are at one instruction, where they wait for somebody else. */
static bool find_meeting(const struct gang_state *state, uint32_t index, uint32_t first, const lane_set live,
                         struct meeting *meeting)
{
    const uint64_t warp = warp_set(state, first);
    const uint64_t named =
        named_in(state, meeting->mask, first % LANES_PER_CHUNK) & warp & live[meeting->chunk];
    uint32_t paths = 0;
    meeting->exchange = exchange_at(state, &state->paths[index]);
    meeting->lanes = 0;
    meeting->path_count = state->path_count;
    for (uint32_t i = 0; i < state->path_count; i++) {
        const uint64_t lanes = lanes_in(state, &state->paths[i], meeting, warp);
        meeting->of_path[i] = lanes;
        meeting->lanes |= lanes;
        paths += lanes != 0;
    }
    return paths > 1 && !(named & ~meeting->lanes);
}

static void hold(struct gang_state *state, const struct meeting *meeting, uint64_t members)
{
    state->meetings += state->meetings == UINT16_MAX ? 2 : 1; /* 0 is none */
    if (lowered_op(state, meeting->exchange)->semantic != SEM_nop)
        exchange(state, meeting);
    for (uint32_t i = 0; i < meeting->path_count; i++) {
        lane_set lanes = {0};
        lanes[meeting->chunk] = meeting->of_path[i];
        if (meeting->of_path[i])
            warps_go_on(state, i, lanes, state->meetings, members);
    }
}

/* All meetings of lanes that path `index` has in the warp. */
static bool meet(struct gang_state *state, uint32_t index, uint32_t first, const lane_set live,
                 const lane_set waiting)
{
    struct meeting meeting = {.chunk = first / LANES_PER_CHUNK};
    const uint64_t warp = warp_set(state, first);
    uint64_t left =
        waits_with_mask(state, &state->paths[index]) ? state->paths[index].lanes[meeting.chunk] & warp : 0;
    bool have_met = false;
    while (left) {
        left &= ~like_the_first(state, &state->paths[index], meeting.chunk, left, &meeting.mask);
        const uint64_t named = named_in(state, meeting.mask, first % LANES_PER_CHUNK) & warp;
        if ((named & live[meeting.chunk] & ~waiting[meeting.chunk]) ||
            !find_meeting(state, index, first, live, &meeting))
            continue;
        hold(state, &meeting, (named & live[meeting.chunk]) >> first % LANES_PER_CHUNK);
        have_met = true;
    }
    return have_met;
}

bool warps_meet(struct gang_state *state, const lane_set live)
{
    lane_set waiting = {0};
    bool have_met = false;
    uint32_t paths = 0;
    for (uint32_t i = 0; i < state->path_count; i++)
        if (waits_with_mask(state, &state->paths[i])) {
            paths++;
            for (uint32_t chunk = 0; chunk < state->gang.chunks; chunk++)
                waiting[chunk] |= state->paths[i].lanes[chunk];
        }
    for (uint32_t first = 0; first < state->gang.lanes && paths > 1; first += state->gang.warp_lanes)
        for (uint32_t i = 0; i < state->path_count; i++)
            have_met |= meet(state, i, first, live, waiting);
    return have_met;
}

const struct op *warps_exchange(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    const uint16_t meeting = running_path(state)->meeting;
    if (!meeting)
        return op->single(op, gang, rows);
    running_path(state)->meeting = 0;
    for (uint32_t i = 0; i < state->path_count; i++)
        if (state->paths[i].meeting == meeting)
            state->paths[i].is_known = true;
    return op + 1;
}
