/* Real registers for virtual ones.
 *
 * Takes ops and live intervals, leaves each virtual register with the number of a real one: a linear scan
 * (Poletto and Sarkar, 1999) over intervals without holes. When no register is free, the value that is needed
 * last is spilled: it gets a place in local memory, a predicate a register, and each use of it a register of
 * its own for that instruction. Then the scan is made anew; uses of spilled values are short, so that it
 * ends. */
#include "ptx/code.h"

#include <stdlib.h>

struct choice {
    struct ptx_code *code;
    const struct ptx_interval *intervals;
    uint32_t *order; /* the first members, by the start of their interval */
    uint32_t order_count;
    uint32_t holder[2][REGISTER_COUNT]; /* of predicates in [1] */
    uint32_t *spilled; /* of each register the one that holds it (predicates) or its slot + 1; 0: none */
    uint32_t spilled_count;
    uint32_t
        original; /* registers beyond this number are those of spilled uses, which are not spilled again */
};

#define EMPTY UINT32_MAX

static struct ptx_interval group_interval(const struct choice *choice, uint32_t first)
{
    struct ptx_interval all = choice->intervals[first];
    for (uint32_t i = 1; i < choice->code->registers.items[first].members; i++) {
        const struct ptx_interval one = choice->intervals[first + i];
        all.start = one.start < all.start ? one.start : all.start;
        all.end = one.end > all.end ? one.end : all.end;
    }
    return all;
}

static int by_start(const void *a, const void *b, void *user)
{
    const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    const uint32_t start = group_interval(user, one).start, second = group_interval(user, other).start;
    return start != second ? (start < second ? -1 : 1) : (one > other) - (one < other);
}

static bool is_free(const struct choice *choice, bool predicate, uint32_t real, uint32_t start)
{
    const uint32_t holder = choice->holder[predicate][real];
    return holder == EMPTY || choice->intervals[holder].end < start;
}

/* The first of `members` free ones in a row; EMPTY when there are none. */
static uint32_t find_free(const struct choice *choice, const struct ptx_register *reg, uint32_t start)
{
    const uint32_t limit = reg->is_predicate ? PREDICATE_COUNT : choice->code->register_limit;
    const uint32_t first = choice->code->keeps_values ? choice->code->kept[reg->is_predicate] : 0;
    for (uint32_t real = first, row = 0; real < limit; real++) {
        row = is_free(choice, reg->is_predicate, real, start) ? row + 1 : 0;
        if (row == reg->members)
            return real + 1 - row;
    }
    return EMPTY;
}

static bool may_spill(const struct choice *choice, uint32_t reg)
{
    return reg < choice->original && choice->code->registers.items[reg].members == 1 && !choice->spilled[reg];
}

static void spill(struct choice *choice, uint32_t reg)
{
    struct ptx_code *code = choice->code;
    choice->spilled_count++;
    if (!code->registers.items[reg].is_predicate) {
        choice->spilled[reg] = 1 + (uint32_t)code->spill_slots++;
        return;
    }
    const uint32_t holder = ptx_code_register(code, false, 1);
    choice->spilled[reg] = 1 + holder;
    if (code->status == HX_OK)
        code->registers.items[holder].bits = 32;
}

/* Of the values that are held now and the new one, the one that is needed last is spilled. */
static void spill_last(struct choice *choice, uint32_t reg)
{
    const bool predicate = choice->code->registers.items[reg].is_predicate;
    const uint32_t start = group_interval(choice, reg).start;
    uint32_t last = may_spill(choice, reg) ? reg : EMPTY, place = EMPTY;
    for (uint32_t real = 0; real < (predicate ? PREDICATE_COUNT : REGISTER_COUNT); real++) {
        const uint32_t held = choice->holder[predicate][real];
        if (held == EMPTY || choice->intervals[held].end < start || !may_spill(choice, held) ||
            (last != EMPTY && choice->intervals[held].end <= choice->intervals[last].end))
            continue;
        last = held;
        place = real;
    }
    if (last == EMPTY) {
        choice->code->status = HX_LIMIT;
        return;
    }
    spill(choice, last);
    if (place != EMPTY)
        choice->holder[predicate][place] = EMPTY;
}

static void scan(struct choice *choice)
{
    memset(choice->holder, 0xff, sizeof choice->holder);
    for (uint32_t i = 0; i < choice->order_count && choice->code->status == HX_OK; i++) {
        const uint32_t first = choice->order[i];
        struct ptx_register *reg = &choice->code->registers.items[first];
        const struct ptx_interval interval = group_interval(choice, first);
        uint32_t real;
        while ((real = find_free(choice, reg, interval.start)) == EMPTY && choice->code->status == HX_OK &&
               !choice->spilled[first]) {
            spill_last(choice, first);
            reg = &choice->code->registers.items[first]; /* the list may have moved */
        }
        for (uint32_t k = 0; real != EMPTY && !choice->spilled[first] && k < reg->members; k++) {
            choice->code->registers.items[first + k].real = (uint8_t)(real + k);
            choice->holder[reg->is_predicate][real + k] = first + k;
        }
    }
}

/* --- uses of spilled values ----------------------------------------------------------------------------- */

struct rewriting {
    struct choice *choice;
    const struct ptx_op *old;
    struct ptx_op op;
};

/* Narrow values are kept narrow: lanes that read a wide one would make the register wide in all of its uses.
 */
void ptx_code_push_slot(struct ptx_code *code, bool is_load, uint64_t slot, uint32_t reg,
                        const struct ptx_op *beside)
{
    static const char *const names[2][2] = {{"stl.u64", "stl.u32"}, {"ldl.u64", "ldl.u32"}};
    const uint8_t bits = code->registers.items[reg].bits;
    const unsigned address = is_load ? 1 : 0;
    struct ptx_op op;
    if (!ptx_op_make(code, names[is_load][bits > 0 && bits <= 32], beside->from, &op))
        return;
    ptx_op_register(&op, 1 - address, reg);
    if (code->is_function) {
        op.instruction.operands[address] =
            (struct operand){.kind = OPERAND_ADDRESS,
                             .base_kind = BASE_REGISTER,
                             .scale = 1,
                             .offset = (int32_t)(code->frame_bytes + 8 * slot)};
        op.regs[address] = ptx_code_fixed(code, PTX_FRAME_REGISTER);
    } else {
        ptx_op_array(&op, address, BASE_LOCAL, (uint16_t)code->spill_array, (int32_t)(8 * slot));
    }
    ptx_op_push(code, &op);
}

/* The predicate that a register holds as 0 or 1. */
static void push_predicate_load(struct ptx_code *code, uint32_t holder, uint32_t predicate,
                                const struct ptx_op *beside)
{
    struct ptx_op op;
    if (!ptx_op_make(code, "setp.ne.u32", beside->from, &op))
        return;
    ptx_op_predicate(&op, 0, predicate, false);
    op.instruction.operands[1].kind = OPERAND_SINK;
    ptx_op_register(&op, 2, holder);
    ptx_op_number(&op, 3, 0);
    ptx_op_push(code, &op);
}

static void push_predicate_store(struct ptx_code *code, uint32_t holder, uint32_t predicate,
                                 const struct ptx_op *beside)
{
    struct ptx_op op;
    for (int value = 0; value < 2; value++) {
        if (!ptx_op_make(code, "mov.u32", beside->from, &op))
            return;
        ptx_op_register(&op, 0, holder);
        ptx_op_number(&op, 1, (uint64_t)value);
        op.guard = value ? predicate : PTX_NO_REGISTER;
        ptx_op_push(code, &op);
    }
}

static void push_spill(struct rewriting *rewriting, uint32_t spilled, uint32_t temporary, bool is_load)
{
    struct ptx_code *code = rewriting->choice->code;
    const uint32_t where = rewriting->choice->spilled[spilled] - 1;
    if (!code->registers.items[spilled].is_predicate)
        ptx_code_push_slot(code, is_load, where, temporary, rewriting->old);
    else if (is_load)
        push_predicate_load(code, where, temporary, rewriting->old);
    else
        push_predicate_store(code, where, temporary, rewriting->old);
}

static void replace(struct ptx_op *op, uint32_t reg, uint32_t by)
{
    for (unsigned i = 0; i < op->instruction.opcode->form_count; i++) {
        const uint8_t kind = op->instruction.operands[i].kind;
        if ((kind == OPERAND_REGISTER || kind == OPERAND_PREDICATE || kind == OPERAND_ADDRESS) &&
            op->regs[i] == reg)
            op->regs[i] = by;
    }
    if (op->guard == reg)
        op->guard = by;
}

static void rewrite_op(struct rewriting *rewriting)
{
    struct ptx_use uses[PTX_USES_MAX];
    uint32_t regs[PTX_USES_MAX], temporaries[PTX_USES_MAX];
    bool writes[PTX_USES_MAX];
    unsigned found = 0;
    struct ptx_code *code = rewriting->choice->code;
    const unsigned count = ptx_code_uses(rewriting->old, uses);
    rewriting->op = *rewriting->old;
    for (unsigned i = 0; i < count; i++) {
        unsigned k = 0;
        if (uses[i].reg >= rewriting->choice->original || !rewriting->choice->spilled[uses[i].reg])
            continue;
        while (k < found && regs[k] != uses[i].reg)
            k++;
        if (k == found) {
            regs[found] = uses[i].reg;
            writes[found] = false;
            temporaries[found++] =
                ptx_code_register(code, code->registers.items[uses[i].reg].is_predicate, 1);
            code->registers.items[temporaries[k]].bits = code->registers.items[uses[i].reg].bits;
            push_spill(rewriting, regs[k], temporaries[k], true);
            replace(&rewriting->op, regs[k], temporaries[k]);
        }
        writes[k] |= uses[i].writes;
    }
    ptx_op_push(code, &rewriting->op);
    for (unsigned k = 0; k < found; k++)
        if (writes[k])
            push_spill(rewriting, regs[k], temporaries[k], false);
}

static void rewrite(struct choice *choice)
{
    struct ptx_code *code = choice->code;
    struct rewriting rewriting = {.choice = choice};
    const hx_allocator *allocator = code->arena->allocator;
    struct ptx_op *old = code->ops.items;
    const size_t count = code->ops.count;
    uint32_t *moved = memory_allocate(allocator, count + 1, sizeof *moved);
    code->ops.items = NULL;
    code->ops.count = code->ops.capacity = 0;
    for (size_t i = 0; moved && i < count && code->status == HX_OK; i++) {
        moved[i] = (uint32_t)code->ops.count;
        rewriting.old = &old[i];
        rewrite_op(&rewriting);
    }
    if (moved)
        moved[count] = (uint32_t)code->ops.count;
    else
        code->status = HX_NO_MEMORY;
    for (size_t i = 0; moved && code->status == HX_OK && i < code->labels.count; i++)
        code->labels.items[i] = moved[code->labels.items[i]];
    memory_free(allocator, moved);
    memory_free(allocator, old);
}

/* Each value keeps its register up to the end of the code. */
static void widen(const struct choice *choice, struct ptx_interval *intervals)
{
    for (uint32_t i = 0; i < choice->original; i++)
        if (intervals[i].start <= intervals[i].end)
            intervals[i].end = 2 * (uint32_t)choice->code->ops.count + 1;
}

/* There are too few registers: values share them. What the scan has made is forgotten. */
static void give_up_keeping(struct ptx_code *code, size_t register_count, uint64_t spill_slots)
{
    code->keeps_values = false;
    code->registers.count = register_count;
    code->spill_slots = spill_slots;
}

/* One scan; *ret_done says that all values have a register. */
static void choose(struct ptx_code *code, uint32_t original, bool *ret_done)
{
    HX_AUTO(arena_done) struct arena scratch = {.allocator = code->arena->allocator};
    struct choice choice = {.code = code, .original = original};
    const size_t count = code->registers.count;
    const uint64_t slots = code->spill_slots;
    struct ptx_interval *intervals = ptx_live_intervals(code, &scratch);
    if (intervals && code->keeps_values)
        widen(&choice, intervals);
    choice.intervals = intervals;
    choice.order = ARENA_ARRAY(&scratch, uint32_t, count + 1);
    choice.spilled = ARENA_ARRAY(&scratch, uint32_t, count + 1);
    if (!choice.intervals || !choice.order || !choice.spilled) {
        code->status = HX_NO_MEMORY;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (code->registers.items[i].members > 0 && !code->registers.items[i].is_fixed &&
            group_interval(&choice, i).start <= group_interval(&choice, i).end)
            choice.order[choice.order_count++] = i;
    qsort_r(choice.order, choice.order_count, sizeof *choice.order, by_start, &choice);
    scan(&choice);
    const bool is_short = choice.spilled_count > 0 || code->status == HX_LIMIT;
    *ret_done = !is_short;
    if (is_short && code->keeps_values) {
        code->status = code->status == HX_LIMIT ? HX_OK : code->status;
        give_up_keeping(code, count, slots);
    } else if (choice.spilled_count > 0 && code->status == HX_OK) {
        rewrite(&choice);
    }
}

/* Predicates cannot be stored: those that live across a call are in registers instead. */
static void spill_crossing_predicates(struct ptx_code *code)
{
    HX_AUTO(arena_done) struct arena scratch = {.allocator = code->arena->allocator};
    struct choice choice = {.code = code, .original = (uint32_t)code->registers.count};
    choice.spilled = ARENA_ARRAY(&scratch, uint32_t, code->registers.count + 1);
    if (!choice.spilled || !ptx_live_across_calls(code, &scratch)) {
        code->status = HX_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < code->crossings.count; i++) {
        const uint32_t reg = code->crossings.items[i].reg;
        if (code->registers.items[reg].is_predicate && !choice.spilled[reg])
            spill(&choice, reg);
    }
    if (choice.spilled_count > 0 && code->status == HX_OK)
        rewrite(&choice);
}

hx_status ptx_registers_choose(struct ptx_code *code)
{
    if (code->calls)
        spill_crossing_predicates(code);
    const uint32_t original = (uint32_t)code->registers.count;
    for (bool done = false; !done && code->status == HX_OK;)
        choose(code, original, &done);
    HX_AUTO(arena_done) struct arena scratch = {.allocator = code->arena->allocator};
    if (code->calls && code->status == HX_OK && !ptx_live_across_calls(code, &scratch))
        code->status = HX_NO_MEMORY;
    return code->status;
}
