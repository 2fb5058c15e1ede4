/* Gives rows to webs by colouring.
 *
 * Takes webs, leaves their rows. Two webs are in each other's way when one is written while the other is live
 * (or by the same instruction); then they need different rows. Webs take the lowest row that no such web has,
 * in the order of the code, which is the best order for code without jumps and a good one for the rest. Webs
 * that may be read before they are written are live from the start: they have rows of their own, which exec
 * clears. */
#include "lower/converged/converged.h"
#include "lower/lowering.h"

#include <string.h>

struct conflict {
    uint32_t a, b;
    bool of_same_parts; /* and of nothing else */
};

/* A neighbour that is one of same parts alone. */
#define OF_SAME_PARTS ((uint32_t)1 << 31)

struct colouring {
    const struct web_list *list;
    struct web_plan *plans;
    const struct lowering *lowering;
    const hx_allocator *allocator;
    LIST(struct conflict) conflicts;
    struct arena arena;
    uint32_t *first, *neighbours; /* of each web */
};

static void colouring_done(struct colouring *colouring)
{
    LIST_DONE(colouring->allocator, &colouring->conflicts);
    arena_done(&colouring->arena);
}

static bool add_conflict(struct colouring *colouring, uint32_t a, uint32_t b, bool of_same_parts)
{
    const struct web *webs = colouring->list->webs;
    const struct web_plan *plans = colouring->plans;
    if (a == b || plans[a].is_unread || plans[b].is_unread || webs[a].kind != webs[b].kind ||
        webs[a].zeroed || webs[b].zeroed)
        return true;
    return LIST_PUSH(colouring->allocator, &colouring->conflicts, (struct conflict){a, b, of_same_parts});
}

/* An instruction with several results may write one before it has read everything: then what it reads is in
 * the way as well. */
static bool add_own_conflicts(struct colouring *colouring, uint32_t at)
{
    const struct web_list *list = colouring->list;
    const uint32_t first = list->first[at], end = list->first[at + 1];
    uint32_t results = 0;
    for (uint32_t i = first; i < end; i++)
        results += list->references[i].writes;
    for (uint32_t i = first; i < end && results > 1; i++)
        for (uint32_t other = first; other < end && list->references[i].writes; other++)
            if (!add_conflict(colouring, list->references[i].web, list->references[other].web, false))
                return false;
    return true;
}

/* In the converged code the second arm of a branch comes behind the first, and what has one value is written
 * without a mask: what the second arm needs is in the way of what the first one writes. */
static bool add_arm_conflicts(struct colouring *colouring, uint32_t at)
{
    const struct web_list *list = colouring->list;
    const uint32_t other = converged_second_arm(colouring->lowering, at);
    if (other == FLOW_NONE)
        return true;
    const uint32_t node = list->verified->flow.node_of[other];
    for (uint32_t r = list->first[at]; r < list->first[at + 1]; r++)
        for (uint32_t e = list->entry[node]; list->references[r].writes && e < list->entry[node + 1]; e++)
            if (!add_conflict(colouring, list->references[r].web, list->entries[e], true))
                return false;
    return true;
}

static bool find_conflicts(struct colouring *colouring)
{
    const struct web_list *list = colouring->list;
    const struct flow *flow = &list->verified->flow;
    struct web_cursor cursor = {.list = list};
    for (uint32_t n = 0; n < flow->block_count; n++) {
        web_cursor_enter(&cursor, n);
        for (uint32_t i = flow->nodes[n].first; i < flow->nodes[n].end; i++) {
            const struct flow_set *live = &list->live_after[i];
            web_cursor_pass(&cursor, i);
            for (uint32_t r = list->first[i]; r < list->first[i + 1]; r++)
                for (uint32_t m = flow_set_next(live, 0); list->references[r].writes && m < FLOW_SET_BITS;
                     m = flow_set_next(live, m + 1))
                    if (!add_conflict(colouring, list->references[r].web, cursor.current[m], false))
                        return false;
            if (!add_own_conflicts(colouring, i) || !add_arm_conflicts(colouring, i))
                return false;
        }
    }
    return true;
}

/* From a list of pairs to each web's neighbours. */
static bool sort_conflicts(struct colouring *colouring)
{
    const uint32_t count = colouring->list->web_count;
    const size_t pairs = colouring->conflicts.count;
    const struct conflict *conflicts = colouring->conflicts.items;
    colouring->first = ARENA_ARRAY(&colouring->arena, uint32_t, (size_t)count + 2);
    colouring->neighbours = ARENA_ARRAY(&colouring->arena, uint32_t, 2 * pairs);
    if (!colouring->first || !colouring->neighbours || pairs > UINT32_MAX / 2)
        return false;
    uint32_t *next = colouring->first + 1; /* while it fills: where the web's next neighbour goes */
    for (size_t i = 0; i < pairs; i++) {
        next[conflicts[i].a + 1]++;
        next[conflicts[i].b + 1]++;
    }
    for (uint32_t w = 0; w < count; w++)
        next[w + 1] += next[w];
    /* next[w] is where w begins, and ends where w + 1 begins: so first[w] is right when all are in */
    for (size_t i = 0; i < pairs; i++) {
        const uint32_t mark = conflicts[i].of_same_parts ? OF_SAME_PARTS : 0;
        colouring->neighbours[next[conflicts[i].a]++] = conflicts[i].b | mark;
        colouring->neighbours[next[conflicts[i].b]++] = conflicts[i].a | mark;
    }
    return true;
}

hx_status rows_too_many(const struct kernel *kernel, hx_diag *diag)
{
    hx_status status =
        diag_report(diag, DIAG_LOWER_TOO_MANY_ROWS, kernel->place, "split the kernel",
                    "kernel '%s' needs more than %u rows of one kind", kernel->name, ROW_COUNT_MAX);
    return status == HX_NO_MEMORY ? status : HX_LIMIT;
}

/* Rows that belong to one web each. */
static hx_status number_zeroed(struct colouring *colouring, hx_diag *diag, struct row_counts *counts)
{
    const struct web_list *list = colouring->list;
    for (uint32_t w = 0; w < list->web_count; w++) {
        uint32_t *count = &counts->zeroed[ROW_CLASS(colouring->plans[w].kind)];
        if (list->webs[w].zeroed && *count == ROW_COUNT_MAX)
            return rows_too_many(list->verified->kernel, diag);
        if (list->webs[w].zeroed)
            colouring->plans[w].row = (uint16_t)(*count)++;
    }
    memcpy(counts->used, counts->zeroed, sizeof counts->used);
    return HX_OK;
}

static uint16_t *row_of_plan(struct web_plan *plan, bool same)
{
    return same ? &plan->same_row : &plan->row;
}

/* Webs are given rows in three rounds: those that are live where paths may stop, the others, which have rows
 * of their own behind those of the first, and the same parts. */
enum round { ROUND_SETTLED, ROUND_PASSING, ROUND_SAME, ROUNDS };

static bool is_of_round(const struct web *web, const struct web_plan *plan, enum round round)
{
    if (plan->is_unread)
        return false;
    return round == ROUND_SAME ? (plan->form & WEB_SAME) != 0
                               : !web->zeroed && web->settled == (round == ROUND_SETTLED);
}

static hx_status colour(struct colouring *colouring, enum round round, hx_diag *diag,
                        struct row_counts *counts)
{
    const bool same = round == ROUND_SAME;
    uint32_t first_row[ROW_CLASSES];
    memcpy(first_row, round == ROUND_PASSING ? counts->settled : counts->zeroed, sizeof first_row);

    const struct web_list *list = colouring->list;
    struct arena scratch = {.allocator = colouring->allocator};
    /* taken[row] is 1 + the web for which a neighbour was found to have it */
    uint32_t *taken = ARENA_ARRAY(&scratch, uint32_t, (size_t)list->web_count + 1);
    bool *coloured = ARENA_ARRAY(&scratch, bool, list->web_count);
    hx_status status = taken && coloured ? HX_OK : diag_no_memory(diag);
    for (uint32_t w = 0; w < list->web_count && status == HX_OK; w++) {
        struct web_plan *plan = &colouring->plans[w];
        if (!is_of_round(&list->webs[w], plan, round))
            continue;
        for (uint32_t i = colouring->first[w]; i < colouring->first[w + 1]; i++) {
            const uint32_t neighbour = colouring->neighbours[i] & ~OF_SAME_PARTS;
            if (coloured[neighbour] && (same || neighbour == colouring->neighbours[i]))
                taken[*row_of_plan(&colouring->plans[neighbour], same)] = w + 1;
        }
        const int class = ROW_CLASS(same ? ROW_SAME_OF(plan->kind) : plan->kind);
        uint32_t row = first_row[class];
        while (row < ROW_COUNT_MAX && taken[row] == w + 1)
            row++;
        if (row == ROW_COUNT_MAX)
            status = rows_too_many(list->verified->kernel, diag);
        *row_of_plan(plan, same) = (uint16_t)row;
        coloured[w] = true;
        counts->used[class] = row + 1 > counts->used[class] ? row + 1 : counts->used[class];
    }
    arena_done(&scratch);
    if (round == ROUND_SETTLED)
        memcpy(counts->settled, counts->used, sizeof counts->settled);
    return status;
}

hx_status rows_assign(struct lowering *lowering, struct row_counts *ret_counts)
{
    HX_AUTO(colouring_done)
    struct colouring colouring = {.list = &lowering->webs,
                                  .plans = lowering->plans,
                                  .lowering = lowering,
                                  .allocator = lowering->allocator};
    hx_diag *diag = lowering->diag;
    arena_init(&colouring.arena, colouring.allocator);
    struct row_counts counts = {.used = {0}};
    if (!find_conflicts(&colouring) || !sort_conflicts(&colouring))
        return diag_no_memory(diag);
    hx_status status = number_zeroed(&colouring, diag, &counts);
    for (int round = 0; round < ROUNDS && status == HX_OK; round++)
        status = colour(&colouring, (enum round)round, diag, &counts);
    if (status == HX_OK)
        *ret_counts = counts;
    return status;
}
