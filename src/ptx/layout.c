/* The order of basic blocks.
 *
 * Takes the ops of a unit, leaves them so that a jump goes backwards to the head of its loop alone, and a
 * loop is not torn apart. Threads that part run on where the lowest of them stands, so they meet again where
 * their ways meet only if that place lies behind both ways. A compiler for GPUs need not care: clang puts the
 * end of a loop in front of its body, and then threads that leave the body early would go round without the
 * others.
 *
 * Blocks are in reverse postorder, those of a loop together. Dominators: Cooper, Harvey and Kennedy, A
 * Simple, Fast Dominance Algorithm. Code whose jumps go back to heads of loops already stays as it is, and so
 * does code with loops of several entries. */
#include "ptx/code.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct block {
    uint32_t first, end;    /* ops */
    uint32_t number;        /* in reverse postorder; NONE: it is never reached */
    uint32_t dominator;     /* the next one above; NONE of the first */
    uint32_t header, depth; /* of the innermost loop that it is in and not the head of; of how many loops */
    bool is_table, falls;   /* it ends with a table of jumps; goes on in the block behind it */
};

struct layout {
    struct ptx_code *code;
    struct arena *scratch;
    struct block *blocks;
    uint32_t count, reached;
    uint32_t *block_of;   /* of each op */
    uint32_t *edges_from; /* of block b successors edges_from[b] to edges_from[b + 1] - 1 */
    uint32_t *edges;      /* the highest block first */
    uint32_t *by_number;  /* blocks that are reached */
    uint32_t *order;      /* blocks as they are to come */
    uint32_t *moved;      /* of each op its new place */
    uint32_t *label_at;   /* of each op a label, or NONE */
};

/* ---- Blocks and edges ---------------------------------------------------------------------------------- */

/* Jumps of a table stand behind the instruction; how many. */
static uint32_t table_of(const struct ptx_op *op)
{
    const struct isa_opcode *opcode = op->instruction.opcode;
    for (unsigned i = 0; ptx_op_flow(op) == SEM_jump_table && i < opcode->form_count; i++)
        if (opcode->forms[i].kind == FORM_SMALL)
            return (uint32_t)op->instruction.operands[i].bits;
    return 0;
}

static bool find_blocks(struct layout *layout)
{
    const struct ptx_code *code = layout->code;
    const uint32_t count = (uint32_t)code->ops.count;
    bool *leads = ARENA_ARRAY(layout->scratch, bool, count + 1);
    layout->block_of = ARENA_ARRAY(layout->scratch, uint32_t, count + 1);
    if (!leads || !layout->block_of)
        return false;
    leads[0] = true;
    for (size_t i = 0; i < code->labels.count; i++)
        leads[code->labels.items[i] < count ? code->labels.items[i] : count] = true;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t table = table_of(&code->ops.items[i]);
        leads[i + 1] |= ptx_op_ends_block(&code->ops.items[i]);
        for (uint32_t k = 0; k < table && i + 1 < count; k++)
            leads[++i] = false;
        leads[i + 1] |= table > 0;
    }
    for (uint32_t i = 0; i < count; i++)
        layout->count += leads[i];
    layout->blocks = ARENA_ARRAY(layout->scratch, struct block, layout->count + 1);
    for (uint32_t i = 0, b = NONE; layout->blocks && i < count; i++) {
        if (leads[i])
            layout->blocks[++b] = (struct block){.first = i, .number = NONE, .header = NONE};
        struct block *const block = &layout->blocks[b];
        block->end = i + 1;
        block->is_table |= table_of(&code->ops.items[i]) > 0;
        block->falls = !block->is_table && ptx_op_falls_through(&code->ops.items[i]);
        layout->block_of[i] = b;
    }
    return layout->blocks != NULL;
}

static int compare_down(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* What lies behind the last op has no edge. */
static void add_edge(struct layout *layout, uint32_t op, uint32_t *count)
{
    if (op < layout->code->ops.count)
        layout->edges[(*count)++] = layout->block_of[op];
}

static bool find_edges(struct layout *layout)
{
    const struct ptx_code *code = layout->code;
    uint32_t count = 0;
    layout->edges = ARENA_ARRAY(layout->scratch, uint32_t, 2 * code->ops.count + 1);
    layout->edges_from = ARENA_ARRAY(layout->scratch, uint32_t, layout->count + 1);
    if (!layout->edges || !layout->edges_from)
        return false;
    for (uint32_t b = 0; b < layout->count; b++) {
        const struct block *block = &layout->blocks[b];
        layout->edges_from[b] = count;
        for (uint32_t i = block->first; i < block->end; i++) {
            const uint32_t target =
                table_of(&code->ops.items[i]) ? NONE : ptx_op_target(code, &code->ops.items[i]);
            if (target != NONE)
                add_edge(layout, target, &count);
        }
        if (block->falls)
            add_edge(layout, block->end, &count);
        qsort(layout->edges + layout->edges_from[b], count - layout->edges_from[b], sizeof *layout->edges,
              compare_down);
    }
    layout->edges_from[layout->count] = count;
    return true;
}

/* ---- Order --------------------------------------------------------------------------------------------- */

/* Depth first, without recursion: a kernel may have many thousands of blocks. */
static bool number_blocks(struct layout *layout)
{
    uint32_t *stack = ARENA_ARRAY(layout->scratch, uint32_t, layout->count + 1);
    uint32_t *next = ARENA_ARRAY(layout->scratch, uint32_t, layout->count + 1);
    bool *seen = ARENA_ARRAY(layout->scratch, bool, layout->count + 1);
    layout->by_number = ARENA_ARRAY(layout->scratch, uint32_t, layout->count + 1);
    if (!stack || !next || !seen || !layout->by_number)
        return false;
    memcpy(next, layout->edges_from, layout->count * sizeof *next);
    uint32_t depth = 1, left = layout->count;
    seen[0] = true;
    while (depth > 0) {
        const uint32_t block = stack[depth - 1];
        if (next[block] == layout->edges_from[block + 1]) {
            layout->by_number[--left] = block;
            depth--;
            continue;
        }
        const uint32_t to = layout->edges[next[block]++];
        if (!seen[to]) {
            seen[to] = true;
            stack[depth++] = to;
        }
    }
    layout->reached = layout->count - left;
    memmove(layout->by_number, layout->by_number + left, layout->reached * sizeof *layout->by_number);
    for (uint32_t i = 0; i < layout->reached; i++)
        layout->blocks[layout->by_number[i]].number = i;
    return true;
}

static uint32_t common_dominator(const struct block *blocks, uint32_t a, uint32_t b)
{
    while (a != b)
        if (blocks[a].number > blocks[b].number)
            a = blocks[a].dominator;
        else
            b = blocks[b].dominator;
    return a;
}

static void find_dominators(struct layout *layout)
{
    struct block *blocks = layout->blocks;
    for (uint32_t i = 0; i < layout->reached; i++)
        blocks[layout->by_number[i]].dominator = i == 0 ? 0 : NONE;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < layout->reached; i++) {
            const uint32_t from = layout->by_number[i];
            if (blocks[from].dominator == NONE)
                continue;
            for (uint32_t e = layout->edges_from[from]; e < layout->edges_from[from + 1]; e++) {
                struct block *to = &blocks[layout->edges[e]];
                if (to->number == 0)
                    continue;
                const uint32_t now =
                    to->dominator == NONE ? from : common_dominator(blocks, to->dominator, from);
                changed |= now != to->dominator;
                to->dominator = now;
            }
        }
    }
}

static bool dominates(const struct block *blocks, uint32_t above, uint32_t below)
{
    while (blocks[below].number > blocks[above].number)
        below = blocks[below].dominator;
    return below == above;
}

/* Does a jump go back in this order to a block that is not the head of its loop? */
static bool goes_back_wrongly(const struct layout *layout, bool by_number)
{
    const struct block *blocks = layout->blocks;
    for (uint32_t i = 0; i < layout->reached; i++) {
        const uint32_t from = layout->by_number[i];
        for (uint32_t e = layout->edges_from[from]; e < layout->edges_from[from + 1]; e++) {
            const uint32_t to = layout->edges[e];
            const bool is_back = by_number ? blocks[to].number <= i : to <= from;
            if (is_back && !dominates(blocks, to, from))
                return true;
        }
    }
    return false;
}

/* All blocks from `end` back to `head` are in its loop. */
static void mark_loop(struct layout *layout, const uint32_t *sources_from, const uint32_t *sources,
                      uint32_t head, uint32_t end, uint32_t *stack, uint32_t *seen)
{
    struct block *blocks = layout->blocks;
    uint32_t depth = 0;
    if (end != head && seen[end] != head)
        stack[depth++] = end, seen[end] = head;
    while (depth > 0) {
        const uint32_t b = stack[--depth];
        if (blocks[b].header == NONE || blocks[head].number > blocks[blocks[b].header].number)
            blocks[b].header = head;
        for (uint32_t s = sources_from[b]; s < sources_from[b + 1]; s++) {
            const uint32_t from = sources[s];
            if (from != head && seen[from] != head)
                stack[depth++] = from, seen[from] = head;
        }
    }
}

static bool find_loops(struct layout *layout)
{
    const uint32_t count = layout->count, edge_count = layout->edges_from[count];
    struct block *blocks = layout->blocks;
    uint32_t *sources_from = ARENA_ARRAY(layout->scratch, uint32_t, count + 2);
    uint32_t *sources = ARENA_ARRAY(layout->scratch, uint32_t, edge_count + 1);
    uint32_t *stack = ARENA_ARRAY(layout->scratch, uint32_t, count + 1);
    uint32_t *seen = ARENA_ARRAY(layout->scratch, uint32_t, count + 1);
    if (!sources_from || !sources || !stack || !seen)
        return false;
    memset(seen, 0xff, (count + 1) * sizeof *seen);
    for (uint32_t b = 0; b < count; b++)
        for (uint32_t e = layout->edges_from[b]; e < layout->edges_from[b + 1] && blocks[b].number != NONE;
             e++)
            sources_from[layout->edges[e] + 2]++;
    for (uint32_t b = 0; b < count; b++)
        sources_from[b + 2] += sources_from[b + 1];
    for (uint32_t b = 0; b < count; b++)
        for (uint32_t e = layout->edges_from[b]; e < layout->edges_from[b + 1] && blocks[b].number != NONE;
             e++)
            sources[sources_from[layout->edges[e] + 1]++] = b;
    for (uint32_t i = 0; i < layout->reached; i++) {
        const uint32_t head = layout->by_number[i];
        for (uint32_t s = sources_from[head]; s < sources_from[head + 1]; s++)
            if (dominates(blocks, head, sources[s]))
                mark_loop(layout, sources_from, sources, head, sources[s], stack, seen);
    }
    for (uint32_t i = 0; i < layout->reached; i++) {
        struct block *block = &blocks[layout->by_number[i]];
        block->depth = block->header == NONE ? 0 : blocks[block->header].depth + 1;
    }
    return true;
}

/* Loops are compared by their heads, where both are in other ones. */
static int compare_blocks(const void *a, const void *b, void *user)
{
    const struct block *blocks = ((const struct layout *)user)->blocks;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int deeper = blocks[x].depth < blocks[y].depth ? -1 : blocks[x].depth > blocks[y].depth;
    while (blocks[x].depth > blocks[y].depth)
        x = blocks[x].header;
    while (blocks[y].depth > blocks[x].depth)
        y = blocks[y].header;
    if (x == y)
        return deeper;
    while (blocks[x].header != blocks[y].header)
        x = blocks[x].header, y = blocks[y].header;
    return blocks[x].number < blocks[y].number ? -1 : 1;
}

/* What is never reached comes last. */
static bool find_order(struct layout *layout)
{
    uint32_t count = layout->reached;
    layout->order = ARENA_ARRAY(layout->scratch, uint32_t, layout->count + 1);
    if (!layout->order || !find_loops(layout))
        return false;
    memcpy(layout->order, layout->by_number, count * sizeof *layout->order);
    qsort_r(layout->order, count, sizeof *layout->order, compare_blocks, layout);
    for (uint32_t b = 0; b < layout->count; b++)
        if (layout->blocks[b].number == NONE)
            layout->order[count++] = b;
    return true;
}

/* ---- Ops ----------------------------------------------------------------------------------------------- */

/* A label of an op that is where it was. */
static uint32_t label_of(struct layout *layout, uint32_t op)
{
    struct ptx_code *code = layout->code;
    if (layout->label_at[op] == NONE) {
        layout->label_at[op] = (uint32_t)code->labels.count;
        if (!LIST_PUSH(code->arena->allocator, &code->labels, op))
            code->status = HX_NO_MEMORY;
    }
    return layout->label_at[op];
}

static void set_target(struct ptx_op *op, uint32_t label)
{
    for (unsigned i = 0; i < op->instruction.opcode->form_count; i++)
        if (op->instruction.operands[i].kind == OPERAND_TARGET)
            op->instruction.operands[i].bits = label;
}

/* Its ops behind those of the blocks before it; `next` is the first op of the block that follows. */
static void move_block(struct layout *layout, uint32_t b, uint32_t next, const struct ptx_op *old)
{
    struct ptx_code *code = layout->code;
    const struct block *block = &layout->blocks[b];
    const struct ptx_op *last = &old[block->end - 1];
    const bool falls = block->falls && block->end != next;
    const bool is_jump = ptx_op_flow(last) == SEM_branch && ptx_op_target(code, last) == next;
    for (uint32_t i = block->first; i < block->end; i++) {
        layout->moved[i] = (uint32_t)code->ops.count;
        ptx_op_push(code, &old[i]);
    }
    struct ptx_op op;
    if (code->status != HX_OK)
        return;
    if (is_jump && falls) { /* the other way round */
        struct ptx_op *moved = &code->ops.items[code->ops.count - 1];
        moved->instruction.guard_negated = !moved->instruction.guard_negated;
        set_target(moved, label_of(layout, block->end));
    } else if (is_jump && last->guard == PTX_NO_REGISTER && !block->is_table) {
        code->ops.count--;
    } else if (falls && ptx_op_make(code, "bra", last->from, &op)) {
        op.call = last->call;
        op.instruction.operands[0] = (struct operand){.kind = OPERAND_TARGET};
        set_target(&op, label_of(layout, block->end));
        ptx_op_push(code, &op);
    }
}

static bool move_ops(struct layout *layout)
{
    struct ptx_code *code = layout->code;
    const uint32_t count = (uint32_t)code->ops.count;
    struct ptx_op *old = ARENA_ARRAY(layout->scratch, struct ptx_op, count);
    layout->moved = ARENA_ARRAY(layout->scratch, uint32_t, count + 1);
    layout->label_at = ARENA_ARRAY(layout->scratch, uint32_t, count + 1);
    if (!old || !layout->moved || !layout->label_at)
        return false;
    memset(layout->label_at, 0xff, (count + 1) * sizeof *layout->label_at);
    for (uint32_t i = 0; i < code->labels.count; i++)
        layout->label_at[code->labels.items[i] < count ? code->labels.items[i] : count] = i;
    memcpy(old, code->ops.items, count * sizeof *old);
    code->ops.count = 0;
    for (uint32_t i = 0; i < layout->count; i++) {
        const uint32_t next = i + 1 < layout->count ? layout->blocks[layout->order[i + 1]].first : count;
        move_block(layout, layout->order[i], next, old);
    }
    layout->moved[count] = (uint32_t)code->ops.count;
    for (size_t i = 0; i < code->labels.count; i++)
        code->labels.items[i] = layout->moved[code->labels.items[i] < count ? code->labels.items[i] : count];
    return true;
}

hx_status ptx_layout_blocks(struct ptx_code *code)
{
    HX_AUTO(arena_done) struct arena scratch = {.allocator = code->arena->allocator};
    struct layout layout = {.code = code, .scratch = &scratch};
    if (code->status != HX_OK || code->ops.count == 0)
        return code->status;
    if (!find_blocks(&layout) || !find_edges(&layout) || !number_blocks(&layout))
        return HX_NO_MEMORY;
    find_dominators(&layout);
    if (!goes_back_wrongly(&layout, false) || goes_back_wrongly(&layout, true))
        return HX_OK;
    return find_order(&layout) && move_ops(&layout) ? code->status : HX_NO_MEMORY;
}
