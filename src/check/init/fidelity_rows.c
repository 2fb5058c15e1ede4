/* Inexact values in registers: which lanes of a row are, and since which instruction.
 *
 * Takes marks of lanes, leaves them with the row: one for a chunk as long as its lanes have the same, one for
 * each lane otherwise. What a block needs is made when its first inexact value is. */
#include "base/memory.h"
#include "check/init/init.h"

#include <string.h>

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static void free_gang(const hx_allocator *allocator, struct fidelity_gang *gang)
{
    memory_free(allocator, gang->lanes);
    memory_free(allocator, gang->marks);
    memory_free(allocator, gang->lane_marks);
    memory_free(allocator, gang->has);
    *gang = (struct fidelity_gang){0};
}

void fidelity_free_block(const hx_allocator *allocator, struct init_block *block)
{
    struct fidelity_block *const own = block->fidelity;
    if (!own)
        return;
    for (uint32_t g = 0; own->gangs && g < own->gang_count; g++)
        free_gang(allocator, &own->gangs[g]);
    for (uint32_t i = 0; own->locals && i < own->local_count; i++)
        memory_free(allocator, own->locals[i]);
    memory_free(allocator, own->gangs);
    memory_free(allocator, own->locals);
    memory_free(allocator, own->shared);
    memory_free(allocator, own);
    block->fidelity = NULL;
}

void fidelity_begin_block(struct init_block *block)
{
    struct fidelity_block *const own = block->fidelity;
    if (!own)
        return;
    for (uint32_t g = 0; g < own->gang_count; g++) {
        struct fidelity_gang *const gang = &own->gangs[g];
        if (gang->has_any) {
            memset(gang->has, 0, own->rows * sizeof *gang->has);
            memset(gang->lanes, 0, own->rows * sizeof *gang->lanes);
        }
        gang->has_any = false;
    }
    if (own->has_shared)
        memset(own->shared, 0, block->shared.bytes * sizeof *own->shared);
    for (uint32_t i = 0; own->has_local && i < own->local_count; i++) {
        memory_free(own->allocator, own->locals[i]);
        own->locals[i] = NULL;
    }
    own->has_shared = own->has_local = false;
    own->so_far = 0;
}

struct fidelity_block *fidelity_block_made(const struct init_step *step)
{
    struct init_block *const block = step->block;
    const hx_allocator *const allocator = step->init->allocator;
    if (block->fidelity)
        return block->fidelity;
    struct fidelity_block *const made = memory_allocate(allocator, 1, sizeof *made);
    if (made) {
        made->allocator = allocator;
        made->gangs = memory_allocate(allocator, block->gang_count, sizeof *made->gangs);
        made->locals = memory_allocate(allocator, block->local_count + 1, sizeof *made->locals);
        made->gang_count = block->gang_count;
        made->local_count = block->local_count;
        made->rows = block->rows;
    }
    block->fidelity = made;
    if (made && made->gangs && made->locals)
        return made;
    fidelity_free_block(allocator, block);
    atomic_store(&step->init->has_failed, true);
    return NULL;
}

struct fidelity_gang *fidelity_gang_of(const struct init_step *step)
{
    struct fidelity_block *const own = step->block->fidelity;
    struct fidelity_gang *const gang = own ? &own->gangs[step->event->state->number] : NULL;
    return gang && gang->has ? gang : NULL;
}

struct fidelity_gang *fidelity_gang_made(const struct init_step *step, struct fidelity_gang *gang)
{
    const hx_allocator *const allocator = step->init->allocator;
    const uint32_t rows = step->block->rows;
    if (gang->has)
        return gang;
    gang->lanes = memory_allocate(allocator, rows, sizeof *gang->lanes);
    gang->marks = memory_allocate(allocator, rows, sizeof *gang->marks);
    gang->lane_marks = memory_allocate(allocator, rows, sizeof *gang->lane_marks);
    gang->has = memory_allocate(allocator, rows, sizeof *gang->has);
    if (gang->lanes && gang->marks && gang->lane_marks && gang->has)
        return gang;
    free_gang(allocator, gang);
    atomic_store(&step->init->has_failed, true);
    return NULL;
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

uint64_t fidelity_lanes(const struct init_step *step, enum semantic_operand letter, uint32_t chunk)
{
    const struct fidelity_gang *const gang = fidelity_gang_of(step);
    const uint32_t row = step->op->rows[letter];
    return gang && gang->has[row] ? gang->lanes[row][chunk] & step->lanes[chunk] : 0;
}

fidelity_mark fidelity_get(const struct init_step *step, enum semantic_operand letter, uint32_t lane)
{
    const struct fidelity_gang *const gang = fidelity_gang_of(step);
    const uint32_t row = step->op->rows[letter], chunk = lane / LANES_PER_CHUNK;
    if (!gang || !(gang->lanes[row][chunk] >> (lane % LANES_PER_CHUNK) & 1))
        return 0;
    return gang->marks[row][chunk] ? gang->marks[row][chunk] : gang->lane_marks[row][lane];
}

/* Each lane of the chunk has its mark in lane_marks from now on. */
static void spread(struct fidelity_gang *gang, uint32_t row, uint32_t chunk)
{
    const fidelity_mark mark = gang->marks[row][chunk];
    for (uint64_t left = mark ? gang->lanes[row][chunk] : 0; left; left &= left - 1)
        gang->lane_marks[row][chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(left)] = mark;
    gang->marks[row][chunk] = 0;
}

static void count_row(struct fidelity_gang *gang, uint32_t row)
{
    uint64_t any = 0;
    for (uint32_t chunk = 0; chunk < GANG_CHUNKS_MAX; chunk++)
        any |= gang->lanes[row][chunk];
    gang->has[row] = any != 0;
    gang->has_any |= any != 0;
}

/* The gang that a result is kept in; NULL: nobody reads it, or all is exact anyway. */
static struct fidelity_gang *gang_for(const struct init_step *step, uint32_t row, bool is_inexact)
{
    struct fidelity_gang *gang = fidelity_gang_of(step);
    if (row + 1 >= step->init->code.rows)
        return NULL;
    if (!gang && is_inexact) {
        struct fidelity_block *const own = fidelity_block_made(step);
        gang = own ? fidelity_gang_made(step, &own->gangs[step->event->state->number]) : NULL;
    }
    return gang;
}

void fidelity_put(const struct init_step *step, enum semantic_operand letter, uint32_t chunk, uint64_t lanes,
                  fidelity_mark mark)
{
    const uint32_t row = step->op->rows[letter];
    struct fidelity_gang *const gang = gang_for(step, row, lanes != 0);
    if (!gang || (!lanes && !gang->has[row]))
        return;
    gang->lanes[row][chunk] &= ~step->lanes[chunk];
    if (lanes && !gang->lanes[row][chunk]) {
        gang->marks[row][chunk] = mark;
    } else if (lanes && gang->marks[row][chunk] != mark) {
        spread(gang, row, chunk);
        for (uint64_t left = lanes; left; left &= left - 1)
            gang->lane_marks[row][chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(left)] = mark;
    }
    gang->lanes[row][chunk] |= lanes;
    count_row(gang, row);
}

void fidelity_set(const struct init_step *step, enum semantic_operand letter, uint32_t lane,
                  fidelity_mark mark)
{
    struct init_step one = *step;
    const uint32_t chunk = lane / LANES_PER_CHUNK;
    one.lanes[chunk] = UINT64_C(1) << (lane % LANES_PER_CHUNK);
    fidelity_put(&one, letter, chunk, mark ? one.lanes[chunk] : 0, mark);
}

void fidelity_put_marks(const struct init_step *step, enum semantic_operand letter, uint32_t chunk,
                        const struct fidelity_marks *marks)
{
    fidelity_mark same = 0;
    uint64_t lanes = 0;
    bool differ = false;
    for (uint64_t left = step->lanes[chunk]; left; left &= left - 1) {
        const fidelity_mark mark = marks->of[__builtin_ctzll(left)];
        lanes |= mark ? left & -left : 0;
        differ |= same && mark && mark != same;
        same = mark ? mark : same;
    }
    if (!differ) {
        fidelity_put(step, letter, chunk, lanes, same);
        return;
    }
    for (uint64_t left = step->lanes[chunk]; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        fidelity_set(step, letter, chunk * LANES_PER_CHUNK + lane, marks->of[lane]);
    }
}

void fidelity_put_exact(const struct init_step *step, enum semantic_operand letter)
{
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++)
        fidelity_put(step, letter, chunk, 0, 0);
}

void fidelity_put_gang(const struct init_step *step, uint32_t number, fidelity_mark mark)
{
    struct fidelity_gang *const gang = &step->block->fidelity->gangs[number];
    const uint32_t row = step->op->rows[OPERAND_D];
    if (!fidelity_gang_made(step, gang) || row + 1 >= step->init->code.rows)
        return;
    for (uint32_t chunk = 0; chunk < GANG_CHUNKS_MAX; chunk++) {
        spread(gang, row, chunk);
        for (uint64_t left = gang->collective[chunk]; left; left &= left - 1)
            gang->lane_marks[row][chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(left)] = mark;
        gang->lanes[row][chunk] |= gang->collective[chunk];
    }
    count_row(gang, row);
}
