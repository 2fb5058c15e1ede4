/* Finds micro-ops that exec may do in one go: leaves link_ops and links in the first of them.
 *
 * Loads and the multiply-adds behind them, in the converged code and in the plain one. A *link* is one load
 * or two and the multiply-add directly behind, which multiplies what they load and alone reads it; so that
 * need not be written to its row. A *chain* is links that add to one sum, each directly behind the one before
 * and equal to it but for offsets; so the sum need not be written in between. No path stops inside a chain,
 * because it lies within a basic block and no path stops in one; and nothing in it depends on what a load
 * before has loaded, so that all of its addresses are known when it begins. */
#include "lower/converged/inner.h"

#define LOADS_MAX 2

/* What is known of a link: its micro-ops are ops[at] to ops[at + loads], the last one is the sum. */
struct link {
    const struct micro_op *ops;
    uint32_t loads;   /* 0: there is no link */
    struct row other; /* with one load: the other factor */
};

/* Is the micro-op all that there is to its instruction, and done by all lanes? */
static bool is_alone(const struct micro_op *op)
{
    const uint8_t all = MICRO_FIRST | MICRO_LAST | MICRO_PRIMARY;
    return (op->flags & (all | MICRO_MASKED | MICRO_GUARDED | MICRO_DEFERRED_COMPARE)) == all;
}

/* A load of 32 bits whose lanes have one place, or places by an affine part; in plain code by indices. */
static bool is_load(const struct lowering *lowering, const struct micro_op *op)
{
    const bool is_common = op->semantic == SEM_load_global || op->semantic == SEM_load_shared ||
                           op->semantic == SEM_load_constant;
    if (!is_common || !is_alone(op) || hx_type_bytes((hx_type)op->type) != 4)
        return false;
    if (lowering->is_plain)
        return op->d.kind == ROW_4 && op->c.kind == ROW_4 && op->source_type != HX_TYPE_NONE &&
               hx_type_bytes((hx_type)op->source_type) == 4 && row_has_one_value(op->a);
    return op->affine_part ? op->d.kind == ROW_4 : micro_op_loads_one(op);
}

static bool is_sum(const struct micro_op *op)
{
    return op->semantic == SEM_ffma && op->type == HX_TYPE_F32 && op->rounding == 0 && is_alone(op) &&
           op->d.kind == ROW_4;
}

/* Does the load's address come from the row? */
static bool is_address_of(const struct micro_op *load, struct row row)
{
    return row_is_equal(load->a, row) || row_is_equal(load->f, row) ||
           (!load->affine_part && row_is_equal(load->c, row));
}

/* Is what instruction `at` writes read by nobody behind instruction `behind` of the same block? */
static bool ends_at(const struct lowering *lowering, uint32_t at, uint32_t behind)
{
    const struct web_list *list = &lowering->webs;
    for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++) {
        const uint32_t member = list->references[i].member;
        if (list->references[i].writes && flow_set_has(&list->live_after[behind], member) &&
            web_of(list, behind, member, true) == WEB_NONE)
            return false;
    }
    return true;
}

/* ops[0] and ops[1] load both factors. */
static bool has_both_factors(const struct micro_op *ops)
{
    const struct row x = ops[0].d, y = ops[1].d;
    const struct micro_op *sum = &ops[2];
    return !row_is_equal(x, y) && !is_address_of(&ops[1], x) && !row_is_equal(sum->c, x) &&
           !row_is_equal(sum->c, y) &&
           ((row_is_equal(sum->a, x) && row_is_equal(sum->b, y)) ||
            (row_is_equal(sum->a, y) && row_is_equal(sum->b, x)));
}

/* ops[0] loads one factor. */
static bool has_one_factor(const struct micro_op *ops, struct row *ret_other)
{
    const struct row x = ops[0].d;
    const struct micro_op *sum = &ops[1];
    const bool is_a = row_is_equal(sum->a, x), is_b = row_is_equal(sum->b, x);
    *ret_other = is_a ? sum->b : sum->a;
    return is_a != is_b && !row_is_equal(sum->c, x);
}

/* Do `count` micro-ops from ops[0] on belong to one block, and does nobody read behind the last one what the
 * others write? */
static bool are_spent(const struct lowering *lowering, const struct micro_op *ops, uint32_t count)
{
    const uint32_t *const node_of = lowering->verified->flow.node_of;
    const uint32_t last = ops[count - 1].instruction;
    for (uint32_t i = 0; i + 1 < count; i++)
        if (node_of[ops[i].instruction] != node_of[last] || !ends_at(lowering, ops[i].instruction, last))
            return false;
    return true;
}

/* The link that begins with micro-op `at`, if one does. */
static struct link find_link(const struct lowering *lowering, uint32_t at)
{
    const struct micro_op *const ops = lowering->code->ops + at;
    const uint32_t left = lowering->code->op_count - at;
    struct link link = {.ops = ops};
    if (left < 3 || !is_load(lowering, &ops[0])) /* behind the last instruction there is MICRO_END */
        return link;
    if (is_load(lowering, &ops[1]) && is_sum(&ops[2]) && has_both_factors(ops) && are_spent(lowering, ops, 3))
        link.loads = 2;
    else if (!lowering->is_plain && is_sum(&ops[1]) && has_one_factor(ops, &link.other) &&
             are_spent(lowering, ops, 2))
        link.loads = 1;
    return link;
}

/* Offsets of one chain lie within 2^30 bytes of the first one. */
#define OFFSETS_WITHIN ((uint64_t)1 << 30)

/* Do two loads differ in their offsets alone, by whole alignments? */
static bool is_alike(const struct micro_op *one, const struct micro_op *two)
{
    const uint64_t apart = (uint64_t)two->immediate - (uint64_t)one->immediate;
    const uint64_t align = ((uint64_t)1 << one->align_log2) - 1;
    return one->semantic == two->semantic && one->source_type == two->source_type &&
           one->align_log2 == two->align_log2 && one->access_bytes == two->access_bytes &&
           one->scale_log2 == two->scale_log2 && one->affine_part == two->affine_part &&
           row_is_equal(one->a, two->a) && row_is_equal(one->f, two->f) &&
           (one->affine_part || row_is_equal(one->c, two->c)) && (apart & align) == 0 &&
           apart + OFFSETS_WITHIN < 2 * OFFSETS_WITHIN;
}

/* Does link `two` go on where link `one` ends, in a chain whose first link is `first`? Rows that micro-ops of
 * a chain write are written by its last one, or not at all: so nothing behind may read them but the sum. */
static bool continues(const struct lowering *lowering, const struct link *first, const struct link *one,
                      const struct link *two)
{
    const struct micro_op *sum = &one->ops[one->loads], *next = &two->ops[two->loads];
    if (two->loads != one->loads || two->ops != sum + 1 || !row_is_equal(next->c, sum->d) ||
        two->other.kind != first->other.kind || !are_spent(lowering, sum, two->loads + 2))
        return false;
    for (uint32_t i = 0; i < two->loads; i++)
        if (!is_alike(&first->ops[i], &two->ops[i]))
            return false;
    for (const struct micro_op *op = first->ops; op < two->ops; op++) {
        if (two->other.kind != ROW_NONE && row_is_equal(two->other, op->d))
            return false;
        for (uint32_t i = 0; i < two->loads; i++)
            if (is_address_of(&two->ops[i], op->d))
                return false;
    }
    return true;
}

/* The chain that begins with micro-op `at`: marks its links. Returns where the search goes on. */
static uint32_t mark_chain(const struct lowering *lowering, uint32_t at)
{
    struct micro_op *const ops = lowering->code->ops;
    const struct link first = find_link(lowering, at);
    struct link last = first;
    if (first.loads == 0)
        return at + 1;
    const uint32_t link_ops = first.loads + 1;
    uint32_t links = 1, end = at + link_ops;
    while (links < LINKS_MAX) {
        const struct link next = find_link(lowering, end);
        if (next.loads == 0 || !continues(lowering, &first, &last, &next))
            break;
        last = next;
        links++;
        end += link_ops;
    }
    if (links == 1 && (first.loads == 1 || lowering->is_plain)) /* takes longer in one go than one by one */
        return at + 1;
    for (uint32_t i = at; i < end; i += link_ops) {
        ops[i].link_ops = (uint8_t)link_ops;
        ops[i].links = (uint8_t)((end - i) / link_ops);
    }
    return end;
}

void converged_fuse(const struct lowering *lowering)
{
    for (uint32_t at = 0; at < lowering->code->op_count;)
        at = mark_chain(lowering, at);
}
