/* What lanes of a warp and threads of a block tell each other, for the reference interpreter.
 *
 * A thread that reaches such an instruction waits. When no lane of its warp can run any more, those at the
 * deepest call and then the lowest instruction do theirs together; with a mask, when all that it names are
 * there. PTX ISA: shfl.sync, vote.sync, match.sync, redux.sync. Written lane by lane from there. */
#include "reference_floats.h"
#include "reference_machine.h"

#include <math.h>
#include <string.h>

#define WARP 32u

/* ---- What a combination gives ----------------------------------------------------------------------------
 */

static bool is_float(hx_type type)
{
    return type == HX_TYPE_F32 || type == HX_TYPE_F64;
}

static int64_t as_signed(hx_type type, uint64_t bits)
{
    return type == HX_TYPE_I32 ? (int32_t)bits : (int64_t)bits;
}

static bool is_less(hx_type type, uint64_t a, uint64_t b)
{
    if (type == HX_TYPE_I32 || type == HX_TYPE_I64)
        return as_signed(type, a) < as_signed(type, b);
    return type == HX_TYPE_U32 ? (uint32_t)a < (uint32_t)b : a < b;
}

/* A NaN loses against a number; the zero with a sign is the lesser one. */
static uint64_t extreme(hx_type type, bool greatest, uint64_t a, uint64_t b)
{
    if (!is_float(type))
        return is_less(type, b, a) != greatest ? b : a;
    const double x = float_value(a, type), y = float_value(b, type);
    if (isnan(x) && isnan(y))
        return float_nan(type);
    if (isnan(x) || isnan(y))
        return isnan(x) ? b : a;
    const bool less = x == y ? signbit(y) && !signbit(x) : y < x;
    return less != greatest ? b : a;
}

static uint64_t combined(const char *operation, hx_type type, uint64_t a, uint64_t b)
{
    if (strncmp(operation, "add", 3) == 0)
        return is_float(type) ? float_compute(FLOAT_ADD, type, NEAREST_EVEN, a, b, 0) : a + b;
    if (strncmp(operation, "mul", 3) == 0)
        return is_float(type) ? float_compute(FLOAT_MULTIPLY, type, NEAREST_EVEN, a, b, 0) : a * b;
    if (strncmp(operation, "min", 3) == 0)
        return extreme(type, false, a, b);
    if (strncmp(operation, "max", 3) == 0)
        return extreme(type, true, a, b);
    if (strncmp(operation, "and", 3) == 0)
        return a & b;
    return strncmp(operation, "or", 2) == 0 ? a | b : a ^ b;
}

/* What changes nothing. */
static uint64_t neutral(const char *operation, hx_type type)
{
    const bool is_max = strncmp(operation, "max", 3) == 0, is_wide = hx_type_bytes(type) == 8;
    if (strncmp(operation, "add", 3) == 0)
        return 0;
    if (is_float(type))
        return float_bits(is_max ? -(double)INFINITY : (double)INFINITY, type, NEAREST_EVEN);
    const uint64_t top = UINT64_C(1) << (is_wide ? 63 : 31);
    if (type == HX_TYPE_I32 || type == HX_TYPE_I64)
        return is_max ? top : top - 1;
    return is_max ? 0 : UINT64_MAX;
}

/* ---- Lanes -----------------------------------------------------------------------------------------------
 */

struct group {
    const struct machine *machine;
    const struct step *step;
    struct thread *lanes;   /* of the warp */
    uint32_t here, present; /* a bit for each lane that waits there; that does the instruction */
};

static uint64_t source_of(const struct group *group, uint32_t lane, unsigned index)
{
    return reference_read(group->machine, &group->lanes[lane], &group->step->source[index]);
}

static bool is_left_out(const struct group *group, unsigned index)
{
    return index >= group->step->sources || group->step->source[index].kind == PLACE_NOTHING;
}

static uint32_t members_of(const struct group *group, uint32_t lane, unsigned mask)
{
    return is_left_out(group, mask) ? group->present
                                    : group->present & (uint32_t)source_of(group, lane, mask);
}

static void shuffle(const struct group *group, uint32_t lane, const char *mode, struct values *values)
{
    const uint32_t b = (uint32_t)source_of(group, lane, 1) & 31;
    const uint32_t c =
        is_left_out(group, 2) ? (strcmp(mode, "up") == 0 ? 0 : 31) : (uint32_t)source_of(group, lane, 2);
    const uint32_t bound = c & 31, segments = c >> 8 & 31;
    const int last = (int)((lane & segments) | (bound & ~segments)), first = (int)(lane & segments);
    int from = (int)(lane ^ b);
    bool in_range;
    if (strcmp(mode, "up") == 0) {
        from = (int)lane - (int)b;
        in_range = from >= last;
    } else {
        if (strcmp(mode, "down") == 0)
            from = (int)(lane + b);
        else if (strcmp(mode, "idx") == 0)
            from = first | (int)(b & ~segments);
        in_range = from <= last;
    }
    in_range = in_range && (members_of(group, lane, 3) >> from & 1);
    values->result[0] = source_of(group, in_range ? (uint32_t)from : lane, 0);
    values->result[1] = in_range;
}

static void vote(const struct group *group, uint32_t lane, const char *mode, struct values *values)
{
    uint32_t ballot = 0;
    const uint32_t members = members_of(group, lane, 1);
    for (uint32_t other = 0; other < WARP; other++)
        if (members >> other & 1)
            ballot |= (uint32_t)(source_of(group, other, 0) & 1) << other;
    if (strcmp(mode, "ballot") == 0)
        values->result[0] = ballot;
    else if (strcmp(mode, "all") == 0)
        values->result[0] = ballot == members;
    else if (strcmp(mode, "any") == 0)
        values->result[0] = ballot != 0;
    else
        values->result[0] = ballot == 0 || ballot == members;
}

static void match(const struct group *group, uint32_t lane, bool all, struct values *values)
{
    const uint64_t bits =
        hx_type_bytes((hx_type)group->step->instruction->type) == 8 ? UINT64_MAX : UINT32_MAX;
    const uint32_t members = members_of(group, lane, 1);
    uint32_t equal = 0;
    for (uint32_t other = 0; other < WARP; other++)
        if ((members >> other & 1) && ((source_of(group, other, 0) ^ source_of(group, lane, 0)) & bits) == 0)
            equal |= 1u << other;
    values->result[0] = all && equal != members ? 0 : equal;
    values->result[1] = equal == members;
}

static void reduce_members(const struct group *group, uint32_t lane, const char *operation,
                           struct values *values)
{
    const uint32_t members = members_of(group, lane, 1);
    bool any = false;
    uint64_t result = source_of(group, lane, 0);
    for (uint32_t other = 0; other < WARP; other++) {
        if (!(members >> other & 1))
            continue;
        const uint64_t value = source_of(group, other, 0);
        result = any ? combined(operation, (hx_type)group->step->instruction->type, result, value) : value;
        any = true;
    }
    values->result[0] = result;
}

static void evaluate(const struct group *group, uint32_t lane, struct values *values)
{
    const char *name = group->step->instruction->opcode->semantics_name, *mode = strchr(name, '_') + 1;
    switch (group->step->instruction->opcode->shape) {
    case SHAPE_SHUFFLE:
        shuffle(group, lane, mode, values);
        break;
    case SHAPE_VOTE:
    case SHAPE_BALLOT:
        vote(group, lane, mode, values);
        break;
    case SHAPE_MATCH:
    case SHAPE_MATCH_ALL:
        match(group, lane, strcmp(mode, "all") == 0, values);
        break;
    case SHAPE_REDUX:
        reduce_members(group, lane, mode, values);
        break;
    default:
        break; /* warpsync: nothing but the meeting */
    }
}

/* All results first, since a register may be source and result. */
static void run_group(struct machine *machine, const struct group *group, uint32_t gone)
{
    struct values values[WARP];
    const struct step *step = group->step;
    reference_note_group(machine, group->lanes, group->here, gone);
    if (step->instruction->opcode->shape == SHAPE_MATRIX) {
        reference_matrix(machine, group->lanes, group->present, step);
        for (uint32_t lane = 0; lane < WARP; lane++)
            if (group->here >> lane & 1)
                group->lanes[lane].state = THREAD_READY;
        return;
    }
    for (uint32_t lane = 0; lane < WARP; lane++)
        if (group->present >> lane & 1)
            evaluate(group, lane, &values[lane]);
    for (uint32_t lane = 0; lane < WARP; lane++) {
        if (group->here >> lane & 1)
            group->lanes[lane].state = THREAD_READY;
        if (!(group->present >> lane & 1))
            continue;
        for (unsigned i = 0; i < step->results; i++)
            reference_write(&group->lanes[lane], &step->result[i], values[lane].result[i],
                            instruction_operand_type(step->instruction, step->result_form[i]));
    }
}

/* ---- Who goes on -----------------------------------------------------------------------------------------
 */

static unsigned mask_index(const struct step *step)
{
    const unsigned last = step->instruction->opcode->form_count - 1u;
    if (step->instruction->opcode->shape == SHAPE_MATRIX)
        return UINT32_MAX;
    return step->instruction->operands[last].kind == OPERAND_ABSENT ? UINT32_MAX : step->sources - 1;
}

bool reference_meets(const struct step *step)
{
    return (step->meaning == MEANING_WARP || step->meaning == MEANING_WARP_SYNC) &&
           mask_index(step) == UINT32_MAX;
}

/* The lanes that wait at the place of `lane`. */
static struct group group_at(struct machine *machine, struct thread *lanes, uint32_t count, uint32_t lane)
{
    struct group group = {machine, lanes[lane].waits_for, lanes, 0, 0};
    for (uint32_t other = 0; other < count; other++)
        if (lanes[other].state == THREAD_AT_WARP && lanes[other].at == lanes[lane].at &&
            lanes[other].depth == lanes[lane].depth) {
            group.here |= 1u << other;
            group.present |= (uint32_t)lanes[other].takes_part << other;
        }
    return group;
}

static bool run_warp(struct machine *machine, struct thread *lanes, uint32_t count)
{
    int best = -1;
    uint32_t alive = 0;
    bool any_ready = false;
    for (uint32_t lane = 0; lane < count; lane++) {
        alive |= (uint32_t)(lanes[lane].state != THREAD_DONE) << lane;
        any_ready |= lanes[lane].state == THREAD_READY;
    }
    for (uint32_t lane = 0; lane < count; lane++) {
        if (lanes[lane].state != THREAD_AT_WARP)
            continue;
        const struct group group = group_at(machine, lanes, count, lane);
        const unsigned mask = mask_index(group.step);
        if (mask != UINT32_MAX) {
            uint32_t named = 0;
            for (uint32_t other = 0; other < count; other++)
                if (group.present >> other & 1)
                    named |= (uint32_t)source_of(&group, other, mask);
            if ((named & alive & ~group.present) == 0) {
                run_group(machine, &group, named & ~group.present);
                return true;
            }
        } else if (best < 0 || lanes[lane].depth > lanes[best].depth ||
                   (lanes[lane].depth == lanes[best].depth && lanes[lane].at < lanes[best].at)) {
            best = (int)lane;
        }
    }
    if (best < 0 || any_ready)
        return false;
    const struct group group = group_at(machine, lanes, count, (uint32_t)best);
    run_group(machine, &group, 0);
    return true;
}

bool reference_warps(struct machine *machine)
{
    bool any = false;
    for (uint32_t first = 0; first < machine->thread_count; first += WARP) {
        const uint32_t left = machine->thread_count - first;
        any |= run_warp(machine, machine->threads + first, left < WARP ? left : WARP);
    }
    return any;
}

/* ---- Blocks ----------------------------------------------------------------------------------------------
 */

void reference_collective(struct machine *machine)
{
    bool any = false;
    uint64_t sum = 0;
    for (uint32_t t = 0; t < machine->thread_count; t++) {
        struct thread *thread = &machine->threads[t];
        if (thread->state != THREAD_WAITS || thread->barrier != BARRIER_OF_BLOCK)
            continue;
        const struct step *step = thread->waits_for;
        const char *operation = strchr(step->instruction->opcode->semantics_name, '_') + 1;
        const hx_type type = (hx_type)step->instruction->type;
        const uint64_t value = reference_read(machine, thread, &step->source[0]);
        const uint64_t before = any ? sum : neutral(operation, type);
        sum = any ? combined(operation, type, sum, value) : value;
        any = true;
        if (step->instruction->opcode->shape != SHAPE_REDUCE)
            reference_write(thread, &step->result[0],
                            step->instruction->opcode->shape == SHAPE_SCAN ? sum : before, type);
    }
    for (uint32_t t = 0; t < machine->thread_count; t++) {
        struct thread *thread = &machine->threads[t];
        if (thread->state == THREAD_WAITS && thread->barrier == BARRIER_OF_BLOCK &&
            thread->waits_for->instruction->opcode->shape == SHAPE_REDUCE)
            reference_write(thread, &thread->waits_for->result[0], sum,
                            (hx_type)thread->waits_for->instruction->type);
    }
}

void reference_votes(struct machine *machine, uint32_t barrier)
{
    uint32_t ayes = 0, all = 0;
    for (uint32_t t = 0; t < machine->thread_count; t++) {
        const struct thread *thread = &machine->threads[t];
        if (thread->state != THREAD_WAITS || thread->barrier != barrier || thread->waits_for->results == 0)
            continue;
        ayes += (uint32_t)reference_read(machine, thread, &thread->waits_for->source[0]);
        all++;
    }
    for (uint32_t t = 0; t < machine->thread_count; t++) {
        struct thread *thread = &machine->threads[t];
        if (thread->state != THREAD_WAITS || thread->barrier != barrier || thread->waits_for->results == 0)
            continue;
        const struct step *step = thread->waits_for;
        const uint32_t value = step->meaning == MEANING_BARRIER_RED_POPC  ? ayes
                               : step->meaning == MEANING_BARRIER_RED_AND ? ayes == all
                                                                          : ayes > 0;
        reference_write(thread, &step->result[0], value,
                        step->meaning == MEANING_BARRIER_RED_POPC ? HX_TYPE_U32 : HX_TYPE_PRED);
    }
}
