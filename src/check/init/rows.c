/* The shadow of registers.
 *
 * Takes a micro-op with a rule and the lanes that do it, leaves the shadow of its results. For each row there
 * is a set of the lanes that have an undefined bit: where no source has one, only the sets are read. What
 * the bits are and where they come from is looked up for the lanes of these sets only. */
#include "check/init/init.h"

#include <string.h>

uint64_t init_undefined(const struct init_step *step, enum semantic_operand letter, uint32_t chunk)
{
    return step->gang->undefined[step->op->rows[letter]][chunk] & step->lanes[chunk];
}

struct init_value init_get(const struct init_step *step, enum semantic_operand letter, uint32_t lane)
{
    const uint32_t row = step->op->rows[letter], chunk = lane / LANES_PER_CHUNK;
    const uint64_t bit = UINT64_C(1) << (lane % LANES_PER_CHUNK);
    if (!(step->gang->undefined[row][chunk] & bit))
        return (struct init_value){0, 0};
    if (step->gang->unwritten[row][chunk] & bit)
        return (struct init_value){UINT64_MAX, INIT_FROM_REGISTER |
                                                   (uint64_t)init_member(step, letter) << 32 |
                                                   step->event->op->instruction};
    return (struct init_value){step->gang->bits[row][lane], step->gang->origins[row][lane]};
}

void init_set(struct init_step *step, enum semantic_operand letter, uint32_t lane, struct init_value value)
{
    const uint32_t row = step->op->rows[letter], chunk = lane / LANES_PER_CHUNK;
    const uint64_t bit = UINT64_C(1) << (lane % LANES_PER_CHUNK);
    step->gang->unwritten[row][chunk] &= ~bit;
    if (!value.bits || row + 1 >= step->init->code.rows) {
        step->gang->undefined[row][chunk] &= ~bit;
        return;
    }
    step->gang->has_undefined = true;
    step->gang->undefined[row][chunk] |= bit;
    step->gang->bits[row][lane] = value.bits;
    step->gang->origins[row][lane] = value.origin;
}

void init_define(struct init_step *step, enum semantic_operand letter)
{
    const uint32_t row = step->op->rows[letter];
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++) {
        step->gang->undefined[row][chunk] &= ~step->lanes[chunk];
        step->gang->unwritten[row][chunk] &= ~step->lanes[chunk];
    }
}

void init_define_lane(struct init_step *step, enum semantic_operand letter, uint32_t lane)
{
    init_set(step, letter, lane, (struct init_value){0, 0});
}

static struct op_row row_of(const struct op *op, enum semantic_operand letter)
{
    switch (letter) {
    case OPERAND_D:
        return op->d;
    case OPERAND_E:
        return op->e;
    case OPERAND_A:
        return op->a;
    case OPERAND_B:
        return op->b;
    case OPERAND_C:
        return op->c;
    default:
        return op->f;
    }
}

static unsigned cell_bytes(const struct micro_op *micro, enum semantic_operand letter)
{
    const struct row rows[] = {micro->d, micro->e, micro->a, micro->b, micro->c, micro->f};
    switch (rows[letter].kind) {
    case ROW_NONE:
        return 0;
    case ROW_8:
    case ROW_UNIFORM_8:
    case ROW_SPECIAL_8:
        return 8;
    case ROW_PREDICATE:
        return 1;
    default:
        return 4;
    }
}

uint64_t init_cell_value(const struct init_step *step, enum semantic_operand letter, uint32_t lane)
{
    uint64_t value = 0;
    const unsigned bytes = cell_bytes(step->event->micro, letter);
    const struct op_row row = row_of(step->event->op, letter);
    const char *const cells = step->event->state->rows + row.at + (size_t)(lane / LANES_PER_CHUNK) * row.step;
    memcpy(&value, cells + (size_t)(lane % LANES_PER_CHUNK) * bytes, bytes); /* low bytes come first */
    return value;
}

uint64_t init_true_lanes(const struct init_step *step, enum semantic_operand letter, uint32_t chunk)
{
    const struct op_row row = row_of(step->event->op, letter);
    const char *const cells = step->event->state->rows + row.at + (size_t)chunk * row.step;
    const size_t bytes = cell_bytes(step->event->micro, letter);
    uint64_t lanes = 0;
    for (size_t l = 0; l < LANES_PER_CHUNK; l++)
        lanes |= (uint64_t)(cells[l * bytes] & 1) << l;
    return lanes & step->lanes[chunk];
}

uint32_t init_thread(const struct init_step *step, uint32_t lane)
{
    return gang_thread(step->event->state, lane);
}

/* Does the operand choose what is moved? Then its result is no copy of anything. */
static bool is_choice(enum semantic_shape shape, enum semantic_operand letter)
{
    return letter >= OPERAND_C || (letter == OPERAND_B && (shape == SHAPE_SHIFT || shape == SHAPE_FIELD));
}

static bool has_cut_byte(uint64_t bits)
{
    return bits != init_spread(init_gather(bits));
}

static bool is_whole_move(int semantic)
{
    return semantic == SEM_mov || semantic == SEM_cvt || semantic == SEM_pack || semantic == SEM_unpack_low ||
           semantic == SEM_unpack_high;
}

/* What is known of a result beside the origin of its undefined bits. */
static uint64_t nature(int semantic, uint64_t made, bool moves)
{
    return (moves ? 0 : INIT_COMPUTED) | (has_cut_byte(made) && !is_whole_move(semantic) ? INIT_CUT : 0);
}

/* The origin of the first source that is not all defined. */
static void apply(struct init_step *step, uint32_t lane)
{
    const struct init_op *op = step->op;
    struct init_operands operands = {
        .type = op->type, .source_type = op->source_type, .immediate = step->event->op->immediate};
    const enum semantic_shape shape = semantic_at(op->semantic)->shape;
    uint64_t origin = 0;
    bool moves = init_rule_moves(op->semantic);
    for (enum semantic_operand o = OPERAND_A; o < OPERAND_LETTERS; o++) {
        const struct init_value value = init_get(step, o, lane);
        operands.undefined[o] = value.bits;
        operands.value[o] = init_cell_value(step, o, lane);
        origin = origin ? origin : value.origin;
        moves &= !value.bits || !is_choice(shape, o);
    }
    const struct init_outcome made = init_apply_rule(op->semantic, &operands);
    origin |= nature(op->semantic, made.d, moves);
    init_set(step, OPERAND_D, lane, (struct init_value){made.d, origin});
    init_set(step, OPERAND_E, lane, (struct init_value){made.e, origin | INIT_COMPUTED});
}

void init_step_rule(struct init_step *step)
{
    const uint16_t *const rows = step->op->rows;
    uint64_t(*const undefined)[GANG_CHUNKS_MAX] = step->gang->undefined;
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++) {
        const uint64_t lanes = step->lanes[chunk];
        uint64_t any = (undefined[rows[OPERAND_A]][chunk] | undefined[rows[OPERAND_B]][chunk] |
                        undefined[rows[OPERAND_C]][chunk] | undefined[rows[OPERAND_F]][chunk]) &
                       lanes;
        if (step->op->is_cleared)
            any = 0;
        for (enum semantic_operand o = OPERAND_D; o <= OPERAND_E; o++) {
            undefined[rows[o]][chunk] &= ~(lanes & ~any);
            step->gang->unwritten[rows[o]][chunk] &= ~(lanes & ~any);
        }
        for (; any; any &= any - 1)
            apply(step, chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(any));
    }
}
