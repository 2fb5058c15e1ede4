/* The shadow of values that go from lane to lane.
 *
 * Takes shuffles, votes, matches, redux, products of matrices, and reductions and scans over the block,
 * leaves the shadow of their results. A chunk's values are read before its first result is written, because
 * the result may be in the row of the operand. */
#include "check/init/init.h"

#include "exec/shuffles.h"
#include "semantics/types.h"

#include <string.h>

/* The lanes of a lane's warp, as bits of its chunk. */
static uint64_t warp_of(const struct init_step *step, uint32_t lane)
{
    const uint32_t lanes = step->event->state->gang.warp_lanes;
    const uint64_t all = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
    return all << (lane & ~(lanes - 1) & 63);
}

/* The active lanes that a lane names in its mask, as bits of its chunk. */
uint64_t init_members(const struct init_step *step, uint32_t lane, enum semantic_operand mask)
{
    const uint32_t lanes = step->event->state->gang.warp_lanes, first = lane & ~(lanes - 1) & 63;
    uint64_t named = (uint32_t)init_cell_value(step, mask, lane);
    named |= lanes == 64 ? named << 32 : 0;
    return step->lanes[lane / LANES_PER_CHUNK] & warp_of(step, lane) & named << first;
}

/* ---- Shuffles */

/* The lane of the chunk that a lane reads, itself where it reads none. */
uint32_t init_lane_read(const struct init_step *step, uint32_t at)
{
    const uint32_t warp = step->event->state->gang.warp_lanes, lane = at & (warp - 1);
    uint32_t from;
    const bool reads =
        shuffle_source(step->op->semantic, lane, (uint32_t)init_cell_value(step, OPERAND_B, at),
                       (uint32_t)init_cell_value(step, OPERAND_C, at), warp, &from);
    const uint32_t whole = at - lane + from;
    const bool is_member = init_members(step, at, OPERAND_F) >> (whole % LANES_PER_CHUNK) & 1;
    return reads && is_member ? whole : at;
}

static bool has_undefined(const struct init_step *step, uint32_t chunk)
{
    return init_undefined(step, OPERAND_A, chunk) || init_undefined(step, OPERAND_B, chunk) ||
           init_undefined(step, OPERAND_C, chunk);
}

static void define_chunk(struct init_step *step, uint32_t chunk)
{
    for (enum semantic_operand o = OPERAND_D; o <= OPERAND_E; o++) {
        step->gang->undefined[step->op->rows[o]][chunk] &= ~step->lanes[chunk];
        step->gang->unwritten[step->op->rows[o]][chunk] &= ~step->lanes[chunk];
    }
}

static uint64_t whole_cell(const struct init_step *step)
{
    return type_bits((enum hx_type)step->op->type) == 64 ? UINT64_MAX : UINT32_MAX;
}

/* One chunk, whose results are made before any is written. */
typedef void lanes_function(const struct init_step *step, uint32_t lane, struct init_value *ret_d,
                            struct init_value *ret_e);

static void each_chunk(struct init_step *step, lanes_function *function)
{
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++) {
        struct init_value d[LANES_PER_CHUNK] = {{0, 0}}, e[LANES_PER_CHUNK] = {{0, 0}};
        if (!has_undefined(step, chunk)) {
            define_chunk(step, chunk);
            continue;
        }
        for (uint64_t left = step->lanes[chunk]; left; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctzll(left);
            function(step, chunk * LANES_PER_CHUNK + lane, &d[lane], &e[lane]);
        }
        for (uint64_t left = step->lanes[chunk]; left; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctzll(left);
            init_set(step, OPERAND_D, chunk * LANES_PER_CHUNK + lane, d[lane]);
            init_set(step, OPERAND_E, chunk * LANES_PER_CHUNK + lane, e[lane]);
        }
    }
}

static void shuffle_lane(const struct init_step *step, uint32_t lane, struct init_value *ret_d,
                         struct init_value *ret_e)
{
    const struct init_value by = init_get(step, OPERAND_B, lane), bound = init_get(step, OPERAND_C, lane);
    if (by.bits || bound.bits) {
        const uint64_t origin = (by.bits ? by.origin : bound.origin) | INIT_COMPUTED;
        *ret_d = (struct init_value){whole_cell(step), origin};
        *ret_e = (struct init_value){1, origin};
        return;
    }
    *ret_d = init_get(step, OPERAND_A, init_lane_read(step, lane));
}

void init_step_shuffle(struct init_step *step)
{
    each_chunk(step, shuffle_lane);
}

/* ---- Votes, matches, redux */

/* What is undefined of a vote: a member whose predicate is defined may decide alone. */
static bool vote_is_open(const struct init_step *step, uint64_t members, uint32_t base)
{
    bool has_true = false, has_false = false, has_open = false;
    for (uint64_t left = members; left; left &= left - 1) {
        const uint32_t lane = base + (uint32_t)__builtin_ctzll(left);
        const bool value = init_cell_value(step, OPERAND_A, lane) & 1;
        if (init_get(step, OPERAND_A, lane).bits)
            has_open = true;
        else
            *(value ? &has_true : &has_false) = true;
    }
    switch (step->op->semantic) {
    case SEM_vote_all:
        return has_open && !has_false;
    case SEM_vote_any:
        return has_open && !has_true;
    default:
        return has_open && !(has_true && has_false);
    }
}

static void member_lane(const struct init_step *step, uint32_t lane, struct init_value *ret_d,
                        struct init_value *ret_e)
{
    const enum semantic_shape shape = semantic_at(step->op->semantic)->shape;
    const uint32_t base = lane & ~(uint32_t)(LANES_PER_CHUNK - 1);
    const uint32_t first = lane & ~(step->event->state->gang.warp_lanes - 1) & 63;
    const uint64_t members = init_members(step, lane, OPERAND_B);
    uint64_t open = 0, origin = 0;
    for (uint64_t left = members ? members : UINT64_C(1) << (lane % LANES_PER_CHUNK); left;
         left &= left - 1) {
        const struct init_value value = init_get(step, OPERAND_A, base + (uint32_t)__builtin_ctzll(left));
        open |= value.bits ? left & -left : 0;
        origin = origin ? origin : value.origin;
    }
    if (!open)
        return;
    origin |= INIT_COMPUTED;
    *ret_e = (struct init_value){1, origin};
    if (shape == SHAPE_VOTE)
        *ret_d = (struct init_value){vote_is_open(step, members, base), origin};
    else if (shape == SHAPE_BALLOT)
        *ret_d = (struct init_value){init_cell((enum hx_type)step->op->type, open >> first), origin};
    else if (shape == SHAPE_REDUX)
        *ret_d = (struct init_value){whole_cell(step), origin};
    else
        *ret_d = (struct init_value){UINT32_MAX, origin};
}

void init_step_members(struct init_step *step)
{
    each_chunk(step, member_lane);
}

/* ---- Products of matrices: exec/handlers/matrix.c says which lanes have what */

#define MATRIX_LANES 32u

static void matrix_lane(const struct init_step *step, uint32_t lane, struct init_value *ret_d,
                        struct init_value *ret_e)
{
    const uint32_t warp = lane & ~(MATRIX_LANES - 1), l = lane % MATRIX_LANES;
    const uint32_t odd = (uint32_t)step->event->op->immediate;
    uint64_t origin = init_get(step, OPERAND_C, lane).origin;
    (void)ret_e;
    for (uint32_t t = 0; t < 4 && !origin; t++) {
        const uint32_t row = warp + l / 4 * 4 + t, column = warp + (2 * (l % 4) + odd) * 4 + t;
        const uint64_t active = step->lanes[lane / LANES_PER_CHUNK];
        if (active >> (row % LANES_PER_CHUNK) & 1)
            origin = init_get(step, OPERAND_A, row).origin;
        if (!origin && active >> (column % LANES_PER_CHUNK) & 1)
            origin = init_get(step, OPERAND_B, column).origin;
    }
    if (origin)
        *ret_d = (struct init_value){whole_cell(step), origin | INIT_COMPUTED};
}

void init_step_matrix(struct init_step *step)
{
    each_chunk(step, matrix_lane);
}

/* ---- Reductions and scans: gang by gang, in their order */

static void set_all(struct init_step *step, struct init_gang *gang, uint64_t origin)
{
    struct init_gang *const own = step->gang;
    step->gang = gang;
    for (uint32_t chunk = 0; chunk < GANG_CHUNKS_MAX; chunk++)
        for (uint64_t left = gang->collective[chunk]; left; left &= left - 1)
            init_set(step, OPERAND_D, chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(left),
                     (struct init_value){whole_cell(step), origin});
    step->gang = own;
}

static void scan_lane(struct init_step *step, uint32_t lane, enum semantic_shape shape)
{
    const uint64_t before = step->block->so_far_origin, here = init_get(step, OPERAND_A, lane).origin;
    const uint64_t after = before ? before : here ? here | INIT_COMPUTED : 0;
    const uint64_t result = shape == SHAPE_SCAN_BEFORE ? before : after;
    init_set(step, OPERAND_D, lane, (struct init_value){result ? whole_cell(step) : 0, result});
    step->block->so_far_origin = after;
}

void init_step_collective(struct init_step *step)
{
    const enum semantic_shape shape = semantic_at(step->op->semantic)->shape;
    struct init_block *block = step->block;
    if (step->event->state->number == 0)
        block->so_far_origin = 0;
    if (step->event->state->number == 0)
        for (uint32_t g = 0; g < block->gang_count; g++)
            memset(block->gangs[g].collective, 0, sizeof block->gangs[g].collective);
    memcpy(step->gang->collective, step->lanes, step->chunks * sizeof *step->lanes);
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++)
        for (uint64_t left = step->lanes[chunk]; left; left &= left - 1)
            scan_lane(step, chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(left), shape);
    if (shape == SHAPE_REDUCE && block->so_far_origin)
        for (uint32_t g = 0; g <= step->event->state->number; g++)
            set_all(step, &block->gangs[g], block->so_far_origin);
}
