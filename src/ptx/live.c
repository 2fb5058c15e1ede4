/* Live intervals of virtual registers.
 *
 * Takes the ops of a kernel, leaves for each register the first and last place where it holds a value that is
 * read later, in the order of the ops. Only registers that are used in several basic blocks take part in the
 * data-flow problem; they are few, which keeps the sets small (Cooper and Torczon, Engineering a
 * Compiler, 8.6.1). */
#include "ptx/code.h"

#define NONE UINT32_MAX

struct block {
    uint32_t first, end;
};

struct liveness {
    const struct ptx_code *code;
    struct arena *scratch;
    struct block *blocks;
    uint32_t block_count;
    uint32_t *block_of;    /* of each op */
    uint32_t *shared;      /* of each register its number in the sets, or NONE */
    uint32_t *register_of; /* of each number */
    uint32_t shared_count, words;
    uint64_t *in, *gen, *kill; /* of block b: from b * words on */
    struct ptx_interval *intervals;
};

static bool find_blocks(struct liveness *live)
{
    const struct ptx_code *code = live->code;
    const uint32_t count = (uint32_t)code->ops.count;
    bool *leads = ARENA_ARRAY(live->scratch, bool, count + 1);
    live->block_of = ARENA_ARRAY(live->scratch, uint32_t, count + 1);
    if (!leads || !live->block_of)
        return false;
    leads[0] = true;
    for (size_t i = 0; i < code->labels.count; i++)
        leads[code->labels.items[i] < count ? code->labels.items[i] : count] = true;
    for (uint32_t i = 0; i < count; i++)
        leads[i + 1] |= ptx_op_ends_block(&code->ops.items[i]);
    for (uint32_t i = 0; i < count; i++)
        live->block_count += leads[i];
    live->blocks = ARENA_ARRAY(live->scratch, struct block, live->block_count + 1);
    for (uint32_t i = 0, block = NONE; live->blocks && i < count; i++) {
        if (leads[i])
            live->blocks[++block].first = i;
        live->blocks[block].end = i + 1;
        live->block_of[i] = block;
    }
    return live->blocks != NULL;
}

/* Numbers the registers that more than one block uses. */
static bool find_shared(struct liveness *live)
{
    const struct ptx_code *code = live->code;
    const size_t registers = code->registers.count;
    uint32_t *only = ARENA_ARRAY(live->scratch, uint32_t, registers + 1);
    live->shared = ARENA_ARRAY(live->scratch, uint32_t, registers + 1);
    live->register_of = ARENA_ARRAY(live->scratch, uint32_t, registers + 1);
    if (!only || !live->shared || !live->register_of)
        return false;
    for (size_t i = 0; i < registers; i++)
        only[i] = live->shared[i] = NONE;
    for (uint32_t i = 0; i < code->ops.count; i++) {
        struct ptx_use uses[PTX_USES_MAX];
        const unsigned count = ptx_code_uses(&code->ops.items[i], uses);
        for (unsigned k = 0; k < count; k++)
            for (uint32_t reg = uses[k].reg; reg < uses[k].reg + uses[k].members; reg++) {
                if (only[reg] != NONE && only[reg] != live->block_of[i] && live->shared[reg] == NONE) {
                    live->register_of[live->shared_count] = reg;
                    live->shared[reg] = live->shared_count++;
                }
                only[reg] = live->block_of[i];
            }
    }
    live->words = (live->shared_count + 63) / 64;
    return true;
}

static uint64_t *set_of(const struct liveness *live, uint64_t *sets, uint32_t block)
{
    return sets + (size_t)block * live->words;
}

static void gather(struct liveness *live, uint32_t block)
{
    uint64_t *gen = set_of(live, live->gen, block), *kill = set_of(live, live->kill, block);
    for (uint32_t i = live->blocks[block].end; i-- > live->blocks[block].first;) {
        struct ptx_use uses[PTX_USES_MAX];
        const unsigned count = ptx_code_uses(&live->code->ops.items[i], uses);
        for (int reading = 0; reading < 2; reading++)
            for (unsigned k = 0; k < count; k++)
                for (uint32_t reg = uses[k].reg; reg < uses[k].reg + uses[k].members; reg++) {
                    const uint32_t number = live->shared[reg];
                    if (number == NONE || !(reading ? uses[k].reads : uses[k].writes))
                        continue;
                    const uint64_t bit = 1ull << (number % 64);
                    gen[number / 64] = reading ? gen[number / 64] | bit : gen[number / 64] & ~bit;
                    if (!reading)
                        kill[number / 64] |= bit;
                }
    }
}

/* out |= what is live where the block goes to. */
static void add_successors(const struct liveness *live, uint32_t block, uint64_t *out)
{
    const struct ptx_code *code = live->code;
    const uint32_t end = live->blocks[block].end;
    const struct ptx_op *last = &code->ops.items[end - 1];
    uint32_t first = ptx_op_target(code, last), count = first < code->ops.count;
    if (ptx_op_flow(last) == SEM_jump_table)
        for (unsigned i = 0; i < last->instruction.opcode->form_count; i++)
            if (last->instruction.opcode->forms[i].kind == FORM_SMALL)
                count = (uint32_t)last->instruction.operands[i].bits;
    for (uint32_t i = 0; i < count && first + i < code->ops.count; i++)
        for (uint32_t w = 0; w < live->words; w++)
            out[w] |= set_of(live, live->in, live->block_of[first + i])[w];
    for (uint32_t w = 0; ptx_op_falls_through(last) && end < code->ops.count && w < live->words; w++)
        out[w] |= set_of(live, live->in, live->block_of[end])[w];
}

static void extend(struct ptx_interval *interval, uint32_t at)
{
    if (at < interval->start)
        interval->start = at;
    if (at > interval->end)
        interval->end = at;
}

static bool solve(struct liveness *live)
{
    const size_t words = (size_t)live->block_count * live->words;
    live->in = ARENA_ARRAY(live->scratch, uint64_t, words + 1);
    live->gen = ARENA_ARRAY(live->scratch, uint64_t, words + 1);
    live->kill = ARENA_ARRAY(live->scratch, uint64_t, words + 1);
    uint64_t *out = ARENA_ARRAY(live->scratch, uint64_t, live->words + 1);
    if (!live->in || !live->gen || !live->kill || !out)
        return false;
    for (uint32_t block = 0; block < live->block_count; block++)
        gather(live, block);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t block = live->block_count; block-- > 0;) {
            memset(out, 0, live->words * sizeof *out);
            add_successors(live, block, out);
            for (uint32_t w = 0; w < live->words; w++) {
                const uint64_t in =
                    set_of(live, live->gen, block)[w] | (out[w] & ~set_of(live, live->kill, block)[w]);
                changed |= in != set_of(live, live->in, block)[w];
                set_of(live, live->in, block)[w] = in;
            }
        }
    }
    return true;
}

/* Registers that live into a block hold their value from its start, those that live out of it to its end. */
static bool extend_over_blocks(struct liveness *live)
{
    uint64_t *out = ARENA_ARRAY(live->scratch, uint64_t, live->words + 1);
    if (!out)
        return false;
    for (uint32_t block = 0; block < live->block_count; block++) {
        memset(out, 0, live->words * sizeof *out);
        add_successors(live, block, out);
        const uint64_t *in = set_of(live, live->in, block);
        for (uint32_t number = 0; number < live->shared_count; number++) {
            const uint32_t reg = live->register_of[number];
            if (in[number / 64] >> (number % 64) & 1)
                extend(&live->intervals[reg], 2 * live->blocks[block].first);
            if (out[number / 64] >> (number % 64) & 1)
                extend(&live->intervals[reg], 2 * live->blocks[block].end);
        }
    }
    return true;
}

/* With two results, a row that one of them is written to must not be a source's: which is written first is
 * open. */
static bool has_several_results(const struct ptx_use *uses, unsigned count)
{
    unsigned results = 0;
    for (unsigned i = 0; i < count; i++)
        results += uses[i].writes ? uses[i].members : 0u;
    return results > 1;
}

static void extend_over_uses(struct liveness *live)
{
    for (uint32_t i = 0; i < live->code->ops.count; i++) {
        struct ptx_use uses[PTX_USES_MAX];
        const unsigned count = ptx_code_uses(&live->code->ops.items[i], uses);
        const uint32_t last_read = 2 * i + has_several_results(uses, count);
        for (unsigned k = 0; k < count; k++)
            for (uint32_t reg = uses[k].reg; reg < uses[k].reg + uses[k].members; reg++) {
                if (uses[k].reads) {
                    extend(&live->intervals[reg], 2 * i);
                    extend(&live->intervals[reg], last_read);
                }
                if (uses[k].writes)
                    extend(&live->intervals[reg], 2 * i + 1);
            }
    }
}

struct ptx_interval *ptx_live_intervals(const struct ptx_code *code, struct arena *scratch)
{
    struct liveness live = {.code = code, .scratch = scratch};
    live.intervals = ARENA_ARRAY(scratch, struct ptx_interval, code->registers.count + 1);
    if (!live.intervals)
        return NULL;
    for (size_t i = 0; i < code->registers.count; i++)
        live.intervals[i] = (struct ptx_interval){UINT32_MAX, 0};
    if (code->ops.count == 0)
        return live.intervals;
    if (!find_blocks(&live) || !find_shared(&live) || !solve(&live) || !extend_over_blocks(&live))
        return NULL;
    extend_over_uses(&live);
    return live.intervals;
}

/* --- across calls --------------------------------------------------------------------------------------- */

/* Registers that are alive while a block is walked from its end. */
struct alive {
    uint32_t *list, *place; /* place: of each register 1 + where it is in the list; 0: it is not */
    uint32_t count;
};

static void set_alive(struct alive *alive, uint32_t reg, bool is_alive)
{
    const uint32_t place = alive->place[reg];
    if (is_alive && place == 0) {
        alive->list[alive->count++] = reg;
        alive->place[reg] = alive->count;
    } else if (!is_alive && place > 0) {
        const uint32_t last = alive->list[--alive->count];
        alive->list[place - 1] = last;
        alive->place[last] = place;
        alive->place[reg] = 0;
    }
}

static bool keep_crossings(struct ptx_code *code, const struct alive *alive, uint32_t call)
{
    for (uint32_t i = 0; i < alive->count; i++)
        if (!code->registers.items[alive->list[i]].is_fixed &&
            !LIST_PUSH(code->arena->allocator, &code->crossings,
                       ((struct ptx_crossing){call, alive->list[i]})))
            return false;
    return true;
}

static bool walk_block(const struct liveness *live, struct ptx_code *code, uint32_t block,
                       struct alive *alive)
{
    for (uint32_t i = live->blocks[block].end; i-- > live->blocks[block].first;) {
        struct ptx_use uses[PTX_USES_MAX];
        const unsigned count = ptx_code_uses(&code->ops.items[i], uses);
        if (ptx_op_calls(&code->ops.items[i]) && !keep_crossings(code, alive, i))
            return false;
        for (int reading = 0; reading < 2; reading++)
            for (unsigned k = 0; k < count; k++)
                for (uint32_t m = 0; m < uses[k].members; m++)
                    if (reading ? uses[k].reads : uses[k].writes)
                        set_alive(alive, uses[k].reg + m, reading);
    }
    return true;
}

bool ptx_live_across_calls(struct ptx_code *code, struct arena *scratch)
{
    struct liveness live = {.code = code, .scratch = scratch};
    const size_t registers = code->registers.count;
    struct alive alive = {ARENA_ARRAY(scratch, uint32_t, registers + 1),
                          ARENA_ARRAY(scratch, uint32_t, registers + 1), 0};
    code->crossings.count = 0;
    if (code->ops.count == 0)
        return true;
    if (!alive.list || !alive.place || !find_blocks(&live) || !find_shared(&live) || !solve(&live))
        return false;
    uint64_t *out = ARENA_ARRAY(scratch, uint64_t, live.words + 1);
    for (uint32_t block = live.block_count; out && block-- > 0;) {
        while (alive.count > 0)
            set_alive(&alive, alive.list[0], false);
        memset(out, 0, live.words * sizeof *out);
        add_successors(&live, block, out);
        for (uint32_t number = 0; number < live.shared_count; number++)
            if (out[number / 64] >> (number % 64) & 1)
                set_alive(&alive, live.register_of[number], true);
        if (!walk_block(&live, code, block, &alive))
            return false;
    }
    return out != NULL;
}
