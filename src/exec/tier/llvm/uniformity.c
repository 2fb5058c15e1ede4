/* Which rows are the same in all lanes, or differ by a addend that is known.
 *
 * Takes blocks of micro-ops and what is live, leaves the form of each row where a block begins. A form is,
 * from the best guess to the last resort: not known yet; one number plus a addend; a number for each group
 * of lanes (a row of a block of threads, or part of one) plus a addend; varying. Forms only move down that
 * list, so going over the code until nothing changes ends.
 *
 * A form holds for the lanes that enter a block. There is one number of a row, for all lanes that it is known
 * to. So a row that lanes need which wait at another place varies where others write it: at first. Then it is
 * known which of those that wait take it for varying all the same, as behind a loop that lanes leave one
 * after the other with a counter: these have it in their lanes of the row's vector, and so it may be a number
 * to those in the loop. All is found once more with that.
 *
 * Where lanes may wait depends on which branches part lanes, and this on forms. At first no branch does;
 * those whose guards turn out to vary do, and all is found anew, until none is added. */
#include "exec/tier/llvm/graph.h"

#define VARYING ((struct row_form){.kind = FORM_VARIES})
#define UNIFORM ((struct row_form){.kind = FORM_ONE})

/* ---- Addends ------------------------------------------------------------------------------------------ */

/* The addend's index, which the form of that kind has; a varying form when there are too many. */
static struct row_form with_addend(struct graph *graph, enum row_form_kind kind, const struct addend *addend)
{
    for (uint32_t i = 0; i < graph->addend_count; i++)
        if (memcmp(&graph->addends[i], addend, sizeof *addend) == 0)
            return (struct row_form){.kind = (uint8_t)kind, .addend = (uint8_t)i};
    if (graph->addend_count == ADDENDS_MAX)
        return VARYING;
    graph->addends[graph->addend_count] = *addend;
    return (struct row_form){.kind = (uint8_t)kind, .addend = (uint8_t)graph->addend_count++};
}

struct row_form uniformity_in_groups(struct graph *graph, struct row_form form)
{
    struct addend addend = graph->addends[form.addend];
    if (form.kind != FORM_ONE)
        return form;
    for (uint32_t l = 0; l < TIER_LANES; l++)
        addend.by[l] -= graph->addends[form.addend].by[l - l % graph->group_lanes];
    return with_addend(graph, FORM_GROUPS, &addend);
}

/* a * by_a + b * by_b + c, of one kind; modulo 2^32 if it is narrow. */
static struct row_form combine(struct graph *graph, const struct row_form *forms, const int64_t *by,
                               bool is_narrow)
{
    struct addend sum;
    for (uint32_t l = 0; l < TIER_LANES; l++) {
        uint64_t value = 0;
        for (int i = 0; i < 3; i++)
            value += (uint64_t)graph->addends[forms[i].addend].by[l] * (uint64_t)by[i];
        sum.by[l] = is_narrow ? (int32_t)(uint32_t)value : (int64_t)value;
    }
    return with_addend(graph, (enum row_form_kind)forms[0].kind, &sum);
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

static uint64_t special_of(int special, const uint32_t *block, uint32_t warp_lanes, uint32_t thread)
{
    switch (special) {
    case SPECIAL_TID_X:
        return thread % block[0];
    case SPECIAL_TID_Y:
        return thread / block[0] % block[1];
    case SPECIAL_TID_Z:
        return thread / block[0] / block[1];
    case SPECIAL_LANEID:
        return thread % warp_lanes;
    case SPECIAL_WARPID:
        return thread / warp_lanes;
    default: /* gtid, but for the block's part */
        return thread;
    }
}

/* The form that the register has in every gang of a block. */
static struct row_form special_form(struct graph *graph, int special, const uint32_t *block,
                                    uint32_t warp_lanes)
{
    const uint32_t threads = block[0] * block[1] * block[2], lanes = graph->bound->gang_lanes;
    const bool is_known = (special >= SPECIAL_TID_X && special <= SPECIAL_TID_Z) ||
                          special == SPECIAL_LANEID || special == SPECIAL_WARPID || special == SPECIAL_GTID;
    struct addend addend = {0};
    if (!is_known || !warp_lanes)
        return VARYING;
    for (uint32_t l = 0; l < lanes; l++)
        addend.by[l] =
            (int64_t)(special_of(special, block, warp_lanes, l) - special_of(special, block, warp_lanes, 0));
    for (uint32_t t = 0; t < threads; t++)
        if ((int64_t)(special_of(special, block, warp_lanes, t) -
                      special_of(special, block, warp_lanes, t - t % lanes)) != addend.by[t % lanes])
            return VARYING;
    return with_addend(graph, FORM_ONE, &addend);
}

struct row_form uniformity_operand(struct graph *graph, const struct row_form *state, struct row row)
{
    const uint32_t number = graph_row(graph, row);
    if (number != TIER_NONE)
        return state[number];
    if (row.kind == ROW_SPECIAL_4 || row.kind == ROW_SPECIAL_8)
        return graph->specials[row.index];
    return row.kind == ROW_NONE || row.kind == ROW_UNIFORM_4 || row.kind == ROW_UNIFORM_8 ? UNIFORM : VARYING;
}

static bool is_number(const struct graph *graph, struct row row, int64_t *ret_number)
{
    if (row.kind != ROW_UNIFORM_4 && row.kind != ROW_UNIFORM_8)
        return false;
    const struct uniform *uniform = &graph->bound->lowered->uniforms[row.index];
    *ret_number = row.kind == ROW_UNIFORM_4 ? (int32_t)(uint32_t)uniform->bits : (int64_t)uniform->bits;
    return uniform->kind == UNIFORM_IMMEDIATE;
}

/* ---- Results ------------------------------------------------------------------------------------------- */

/* x & 0xffffffff is how compilers extend the low half of x. */
static bool is_low_half(const struct graph *graph, struct row row)
{
    int64_t number;
    return row.kind == ROW_UNIFORM_8 && is_number(graph, row, &number) && number == UINT32_MAX;
}

/* What the operands' addends are multiplied by to give the result's: false when that is not known. */
static bool find_factors(const struct graph *graph, const struct micro_op *op, const struct row_form *forms,
                         int64_t *by)
{
    int64_t a = 0, b = 0;
    const bool is_a = is_number(graph, op->a, &a), is_b = is_number(graph, op->b, &b);
    const bool has_a = forms[0].addend != 0, has_b = forms[1].addend != 0;
    by[0] = by[1] = by[2] = 1;
    switch (op->semantic) {
    case SEM_mov:
    case SEM_add:
        return true;
    case SEM_sub:
        by[1] = -1;
        return true;
    case SEM_shl:
        by[0] = is_b && b >= 0 && b < 32 ? INT64_C(1) << b : 0;
        by[1] = 0;
        return !has_b && (!has_a || by[0] != 0);
    case SEM_cvt:
    case SEM_cvta_global:
    case SEM_cvta_to_global:
        by[1] = 0;
        return true;
    case SEM_address:
        by[1] = op->immediate;
        return true;
    case SEM_and: /* the other operand has no addend */
        return is_low_half(graph, op->a) || is_low_half(graph, op->b);
    case SEM_mul:
    case SEM_mad:
    case SEM_mulw:
    case SEM_madw:
        by[0] = is_b ? b : 0;
        by[1] = is_a ? a : 0;
        return (!has_a || is_b) && (!has_b || is_a) && !(has_a && has_b);
    default:
        return false;
    }
}

static bool is_linear_type(enum hx_type type)
{
    return !type_is_float(type) && type_bits(type) >= 32;
}

/* Which operands are extended to 64 bits, as a set of their numbers. */
static unsigned extended_operands(const struct graph *graph, const struct micro_op *op)
{
    const bool is_narrow = type_bits((enum hx_type)op->type) == 32;
    switch (op->semantic) {
    case SEM_cvt:
        return op->d.kind == ROW_8 && type_bits((enum hx_type)op->source_type) == 32;
    case SEM_mulw:
    case SEM_madw:
        return is_narrow ? 3 : 0;
    case SEM_address:
        return is_narrow ? 2 : 0;
    case SEM_and:
        return is_low_half(graph, op->b) ? 1 : is_low_half(graph, op->a) ? 2 : 0;
    default:
        return 0;
    }
}

/* Can the instruction be done once more from its begin, in front of that micro-op? What has been done of it
 * has written nothing that it reads. */
static bool can_begin_again(const struct graph *graph, uint32_t at)
{
    uint32_t first = at;
    while (!(graph->ops[first].flags & MICRO_FIRST))
        first--;
    for (uint32_t i = first; i < at; i++)
        for (uint32_t k = first; k <= i; k++) {
            const struct row read[] = {graph->ops[k].a, graph->ops[k].b, graph->ops[k].c, graph->ops[k].f};
            for (size_t r = 0; r < HX_COUNT_OF(read); r++)
                if (read[r].kind != ROW_NONE &&
                    (row_is_equal(read[r], graph->ops[i].d) || row_is_equal(read[r], graph->ops[i].e)))
                    return false;
        }
    return true;
}

/* A function of operands whose forms are of one kind. */
static struct row_form function_form(struct graph *graph, const struct micro_op *op,
                                     const struct row_form *forms)
{
    int64_t by[3];
    const bool is_plain =
        forms[0].addend == 0 && forms[1].addend == 0 && forms[2].addend == 0 && forms[3].addend == 0;
    if (is_plain)
        return (struct row_form){.kind = forms[0].kind};
    const bool is_converted = op->semantic == SEM_cvt;
    if (!is_linear_type((enum hx_type)op->type) || forms[3].addend != 0 || op->e.kind != ROW_NONE ||
        (is_converted && !is_linear_type((enum hx_type)op->source_type)) ||
        !find_factors(graph, op, forms, by))
        return VARYING;
    for (unsigned i = 0; i < 2; i++)
        if (extended_operands(graph, op) >> i & 1 && forms[i].addend != 0 &&
            !can_begin_again(graph, (uint32_t)(op - graph->ops)))
            return VARYING;
    return combine(graph, forms, by, op->d.kind == ROW_4);
}

bool uniformity_is_near(const struct micro_op *op)
{
    const int64_t rest = (INT64_C(1) << op->align_log2) - 1;
    return op->align_log2 <= op->scale_log2 && !(op->immediate & rest) && op->immediate > INT32_MIN &&
           op->immediate < INT32_MAX;
}

/* What a load gives: elements at one place, or at one for each group. */
static struct row_form load_form(struct graph *graph, const struct row_form *state, uint32_t at)
{
    const struct micro_op *op = &graph->ops[at];
    const struct row index = op->source_type == HX_TYPE_NONE ? op->a : op->c;
    const struct row_form form = uniformity_operand(graph, state, index);
    if (graph_may_be_local(graph, at) || form.kind == FORM_VARIES ||
        (op->source_type != HX_TYPE_NONE && !uniformity_is_near(op)))
        return VARYING;
    if (form.kind == FORM_UNKNOWN || form.addend == 0)
        return form;
    const struct row_form groups = uniformity_in_groups(graph, form);
    return groups.kind == FORM_GROUPS && groups.addend == 0 ? groups : VARYING;
}

static struct row_form value_form(struct graph *graph, const struct row_form *state, uint32_t at)
{
    const struct micro_op *op = &graph->ops[at];
    const struct row rows[] = {op->a, op->b, op->c, op->f};
    struct row_form forms[HX_COUNT_OF(rows)];
    bool has_groups = false;
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        forms[i] = uniformity_operand(graph, state, rows[i]);
        if (forms[i].kind == FORM_VARIES)
            return VARYING;
        has_groups |= forms[i].kind == FORM_GROUPS;
    }
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++)
        if (forms[i].kind == FORM_UNKNOWN)
            return forms[i];
    if (!has_groups) {
        const struct row_form result = function_form(graph, op, forms);
        if (result.kind != FORM_VARIES)
            return result;
    }
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        forms[i] = uniformity_in_groups(graph, forms[i]);
        if (forms[i].kind == FORM_VARIES)
            return VARYING;
    }
    return function_form(graph, op, forms);
}

struct extension uniformity_extended(struct graph *graph, const struct row_form *state, uint32_t at)
{
    const struct micro_op *op = &graph->ops[at];
    const unsigned operands = extended_operands(graph, op);
    const struct row rows[] = {op->a, op->b, op->c, op->f};
    struct row_form forms[HX_COUNT_OF(rows)];
    int64_t by[3] = {0};
    struct extension extension = {
        .is_signed = type_is_signed((enum hx_type)(op->semantic == SEM_cvt ? op->source_type : op->type))};
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++)
        forms[i] = uniformity_operand(graph, state, rows[i]);
    (void)find_factors(graph, op, forms, by);
    for (unsigned i = 0; i < 2 && extension.row.kind == ROW_NONE; i++)
        if (operands >> i & 1 && forms[i].addend != 0)
            extension.row = rows[i], extension.factor = by[i];
    return extension;
}

struct row_form uniformity_result(struct graph *graph, const struct row_form *state, uint32_t at)
{
    const struct micro_op *op = &graph->ops[at];
    switch ((enum op_kind)graph->kinds[at]) {
    case OP_NOTHING:
        return op->flags & MICRO_DEFERRED_COMPARE ? value_form(graph, state, at) : VARYING;
    case OP_VALUE:
        return value_form(graph, state, at);
    case OP_MEMORY:
        return load_form(graph, state, at);
    case OP_LOOP: {
        const struct row_form form = uniformity_operand(graph, state, op->d);
        return form.addend == 0 && form.kind != FORM_GROUPS ? form : VARYING;
    }
    default:
        return VARYING;
    }
}

static bool is_masked(const struct graph *graph, uint32_t at)
{
    return (graph->ops[at].flags & (MICRO_MASKED | MICRO_GUARDED)) != 0 ||
           graph->made->guard_at[at] != TIER_NONE;
}

/* Lanes that wait at block `there` while those of `block` run need the row. */
static bool waits_for(const struct graph *graph, uint32_t block, uint32_t there, uint32_t row)
{
    return set_has(graph_waiting(graph, block), there) &&
           set_has(graph->live + (size_t)there * graph->row_words, row);
}

bool uniformity_is_shared(const struct graph *graph, uint32_t block, uint32_t at, struct row row)
{
    const uint32_t number = graph_row(graph, row);
    bool is_free = !is_masked(graph, at);
    for (uint32_t b = 0; is_free && b < graph->made->block_count; b++)
        is_free = !waits_for(graph, block, b, number) ||
                  set_has(graph->apart + (size_t)b * graph->row_words, number);
    return is_free;
}

void uniformity_step(struct graph *graph, uint32_t block, uint32_t at, struct row_form *state)
{
    const struct micro_op *op = &graph->ops[at];
    const uint32_t d = graph_row(graph, op->d), e = graph_row(graph, op->e);
    const enum op_kind kind = (enum op_kind)graph->kinds[at];
    const bool is_store = kind == OP_MEMORY && semantic_at(op->semantic)->shape == SHAPE_STORE;
    if (!op_kind_is_call(kind) && (op->semantic == SEM_call || op->semantic == SEM_call_table))
        for (uint32_t row = 0; row < graph->row_count; row++)
            state[row] = VARYING;
    if (is_store || kind == OP_NOTHING || kind == OP_GUARD)
        return;
    const struct row_form result = uniformity_result(graph, state, at);
    if (e != TIER_NONE)
        state[e] = VARYING;
    if (d != TIER_NONE)
        state[d] = e == TIER_NONE && uniformity_is_shared(graph, block, at, op->d) ? result : VARYING;
}

bool uniformity_is_uniform_guard(struct graph *graph, const struct row_form *state, uint32_t at)
{
    const struct micro_op *op = &graph->ops[at];
    if (graph->kinds[at] == OP_LOOP) {
        const struct row_form counter = uniformity_operand(graph, state, op->d);
        return !(op->flags & MICRO_GUARDED) &&
               (counter.kind == FORM_UNKNOWN || form_is_equal(counter, UNIFORM)) &&
               uniformity_is_shared(graph, graph_block_of(graph, at), at, op->d);
    }
    const bool is_table = op_kind_is_table((enum op_kind)graph->kinds[at]);
    if (is_table && (op->flags & MICRO_GUARDED))
        return false;
    const struct row_form form = op->flags & MICRO_DEFERRED_COMPARE ? value_form(graph, state, at - 1)
                                 : is_table                         ? uniformity_operand(graph, state, op->a)
                                                                    : uniformity_operand(graph, state, op->c);
    return form.kind == FORM_UNKNOWN || form_is_equal(form, UNIFORM);
}

/* ---- Over the code ------------------------------------------------------------------------------------- */

static bool merge(struct row_form *into, struct row_form other)
{
    if (other.kind == FORM_UNKNOWN || form_is_equal(*into, other))
        return false;
    const struct row_form before = *into;
    *into = into->kind == FORM_UNKNOWN ? other : VARYING;
    return !form_is_equal(before, *into);
}

static bool pass(struct graph *graph, struct row_form *state, uint32_t *next)
{
    bool changed = false;
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        if (!graph->is_emitted[b])
            continue;
        memcpy(state, graph_forms(graph, b), graph->row_count * sizeof *state);
        for (uint32_t i = graph_block(graph, b)->op; i < graph_block(graph, b)->end; i++)
            uniformity_step(graph, b, i, state);
        const uint32_t count = graph_places_behind(graph, b, next);
        for (uint32_t n = 0; n < count; n++) {
            struct row_form *const entry = graph_forms(graph, next[n]);
            for (uint32_t row = 0; row < graph->row_count; row++)
                changed |= merge(&entry[row], state[row]);
        }
    }
    return changed;
}

/* The row that is written varies for all lanes that wait at other blocks and need it. */
static bool varies_for_waiting(const struct graph *graph, uint32_t block, uint32_t row)
{
    for (uint32_t b = 0; b < graph->made->block_count; b++)
        if (waits_for(graph, block, b, row) && graph_forms(graph, b)[row].kind != FORM_VARIES)
            return false;
    return true;
}

/* graph->apart, from forms that were found without. */
static void find_apart(struct graph *graph)
{
    const struct tier_kernel *made = graph->made;
    for (uint32_t block = 0; block < made->block_count; block++)
        for (uint32_t i = graph_block(graph, block)->op; i < graph_block(graph, block)->end; i++) {
            const uint32_t row = graph_row(graph, graph->ops[i].d);
            if (!graph->is_emitted[block] || row == TIER_NONE || is_masked(graph, i) ||
                !varies_for_waiting(graph, block, row))
                continue;
            for (uint32_t b = 0; b < made->block_count; b++)
                if (waits_for(graph, block, b, row))
                    set_add(graph->apart + (size_t)b * graph->row_words, row);
        }
}

/* Forms, where lanes wait as it is known by now. */
static void find_forms(struct graph *graph, struct row_form *state, uint32_t *next)
{
    const size_t rows = graph->row_count + 1u, blocks = graph->made->block_count;
    memset(graph->forms, 0, rows * blocks * sizeof *graph->forms);
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t row = 0; row < graph->row_count; row++)
            if (b == 0 || graph->is_begin[b] || set_has(graph->apart + (size_t)b * graph->row_words, row))
                graph_forms(graph, b)[row] = VARYING;
    while (pass(graph, state, next))
        ;
}

/* Do branches part lanes of which that was not known? */
static bool find_parting(struct graph *graph, struct row_form *state)
{
    bool changed = false;
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        const uint32_t last = graph_block(graph, b)->end - 1;
        const bool may_part = graph_ends_with_choice(graph, b);
        if (!graph->is_emitted[b] || graph->parts[b] || !may_part)
            continue;
        memcpy(state, graph_forms(graph, b), graph->row_count * sizeof *state);
        for (uint32_t i = graph_block(graph, b)->op; i < last; i++)
            uniformity_step(graph, b, i, state);
        graph->parts[b] = !uniformity_is_uniform_guard(graph, state, last);
        changed |= graph->parts[b];
    }
    return changed;
}

bool uniformity_find(struct graph *graph, const uint32_t *block, uint32_t warp_lanes)
{
    const size_t rows = graph->row_count + 1u, blocks = graph->made->block_count;
    graph->addends = ARENA_ARRAY(graph->arena, struct addend, ADDENDS_MAX);
    graph->forms = ARENA_ARRAY(graph->arena, struct row_form, rows * blocks);
    graph->parts = ARENA_ARRAY(graph->arena, bool, blocks);
    struct row_form *state = ARENA_ARRAY(graph->arena, struct row_form, rows);
    uint32_t *next = ARENA_ARRAY(graph->arena, uint32_t, blocks);
    const size_t apart_bytes = blocks * graph->row_words * sizeof *graph->apart;
    graph->apart = ARENA_ARRAY(graph->arena, uint64_t, blocks * graph->row_words);
    if (!graph->addends || !graph->forms || !graph->parts || !graph->apart || !state || !next)
        return false;
    const uint32_t x = block[0];
    graph->group_lanes = x == 8 || x == 16 || x == 32 ? x : 16;
    graph->addend_count = 1;
    for (int special = 0; special < SPECIAL_COUNT; special++)
        graph->specials[special] = special_form(graph, special, block, warp_lanes);
    do {
        memset(graph->apart, 0, apart_bytes);
        if (!graph_find_waiting(graph))
            return false;
        find_forms(graph, state, next);
        find_apart(graph);
        find_forms(graph, state, next);
    } while (find_parting(graph, state));
    return true;
}

/* ---- Tables -------------------------------------------------------------------------------------------- */

static bool is_given(const struct graph *graph, uint32_t block, uint32_t row)
{
    return graph->is_emitted[block] && form_is_known(graph_forms(graph, block)[row]) &&
           set_has(graph->live + (size_t)block * graph->row_words, row);
}

/* Rows that are known anywhere get a slot each. */
static uint32_t give_slots(struct graph *graph, uint32_t *slots)
{
    uint32_t known = 0;
    for (uint32_t row = 0; row < graph->row_count; row++) {
        const uint32_t before = known;
        for (uint32_t b = 0; b < graph->made->block_count; b++)
            known += is_given(graph, b, row);
        if (known == before)
            continue;
        graph->row_of_slot[graph->made->number_slots] = row;
        slots[row] = graph->made->number_slots++;
    }
    return known;
}

static struct tier_known known_of(const struct graph *graph, uint32_t block, uint32_t row, uint32_t slot)
{
    const struct row_form form = graph_forms(graph, block)[row];
    const enum row_kind kind = graph_row_kind(graph, row);
    return (struct tier_known){.row_at = graph->row_at[row],
                               .cell_bytes = kind == ROW_8   ? 8
                                             : kind == ROW_4 ? 4
                                                             : 1,
                               .slot = slot,
                               .groups = form.kind == FORM_ONE ? 1 : graph->made->group_count,
                               .addend = graph->addends[form.addend].by};
}

bool uniformity_give(struct graph *graph)
{
    struct tier_kernel *made = graph->made;
    uint32_t *slots = ARENA_ARRAY(graph->arena, uint32_t, graph->row_count + 1u);
    graph->row_of_slot = ARENA_ARRAY(graph->arena, uint32_t, graph->row_count + 1u);
    made->group_count = TIER_LANES / graph->group_lanes;
    uint32_t *from = ARENA_ARRAY(graph->arena, uint32_t, made->block_count + 1u);
    if (!slots || !graph->row_of_slot || !from)
        return false;
    struct tier_known *known = ARENA_ARRAY(graph->arena, struct tier_known, give_slots(graph, slots) + 1u);
    uint32_t count = 0;
    if (!known)
        return false;
    for (uint32_t b = 0; b < made->block_count; b++) {
        from[b] = count;
        for (uint32_t row = 0; row < graph->row_count; row++)
            if (is_given(graph, b, row))
                known[count++] = known_of(graph, b, row, slots[row]);
    }
    from[made->block_count] = count;
    made->known = known;
    made->known_from = from;
    return true;
}
