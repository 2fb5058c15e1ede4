/* Finds webs: liveness against the flow, then one walk along it that joins.
 *
 * Takes the flow graph, leaves webs. Elements of a union-find are made for each write, and for each register
 * that is live at the beginning of a block; a block's end joins what it holds with the beginnings that
 * follow. A write under a guard leaves the value in other lanes as it was, so it joins the web that it
 * overwrites. All of it is about one lane, which goes its way through the graph whatever the others do. */
#include "lower/webs.h"

#include <string.h>

struct joining {
    const struct flow *flow;
    const struct kernel *kernel;
    struct arena *arena;
    const hx_allocator *allocator;
    struct web_list *list;
    struct flow_set *kept;  /* for each instruction: what it may write and does not overwrite in every lane */
    LIST(uint32_t) parents; /* of elements; the first ones are the entries */
    LIST(struct web_reference) references;
    uint32_t current[FLOW_SET_BITS];
};

static void joining_done(struct joining *joining)
{
    LIST_DONE(joining->allocator, &joining->parents);
    LIST_DONE(joining->allocator, &joining->references);
}

/* ---- Liveness ------------------------------------------------------------------------------------------ */

/* When a register is read later: never, always, or LIVE_IF(p, v): if predicate p is v. */
enum { LIVE_NEVER, LIVE_ALWAYS, LIVE_CONDITIONS };
#define LIVE_IF(predicate, value) ((uint8_t)(LIVE_CONDITIONS + 2 * (predicate) + (value)))
struct liveness {
    uint8_t when[FLOW_SET_BITS];
};

static uint8_t either(uint8_t a, uint8_t b)
{
    return a == LIVE_NEVER || a == b ? b : b == LIVE_NEVER ? a : LIVE_ALWAYS;
}

/* Given that the predicate has the value. */
static uint8_t restrict_to(uint8_t when, int predicate, bool value)
{
    if (when == LIVE_IF(predicate, !value))
        return LIVE_NEVER;
    return when == LIVE_ALWAYS ? LIVE_IF(predicate, value) : when;
}

/* Before a predicate is written, nobody knows what it will be. */
static void forget_predicate(struct liveness *live, uint8_t predicate)
{
    for (uint32_t m = 0; m < FLOW_SET_BITS; m++)
        if (live->when[m] == LIVE_IF(predicate, false) || live->when[m] == LIVE_IF(predicate, true))
            live->when[m] = LIVE_ALWAYS;
}

static void write_back(const struct instruction *instruction, const struct operand_access *access,
                       struct liveness *live)
{
    for (unsigned r = 0; r < access->registers; r++) {
        uint8_t *when = &live->when[flow_member(access, r)];
        *when = instruction->guard < 0 ? LIVE_NEVER
                                       : restrict_to(*when, instruction->guard, instruction->guard_negated);
    }
}

static void read_back(const struct instruction *instruction, const struct operand_access *access,
                      struct liveness *live)
{
    const bool is_guard = access->predicate && access->first == instruction->guard;
    const uint8_t when = instruction->guard < 0 || is_guard
                             ? LIVE_ALWAYS
                             : LIVE_IF(instruction->guard, !instruction->guard_negated);
    for (unsigned r = 0; r < access->registers; r++)
        live->when[flow_member(access, r)] = either(live->when[flow_member(access, r)], when);
}

/* Against an instruction; *ret_kept: the members that are live before it even if it reads nothing. */
static void pass_back(const struct instruction *instruction, struct liveness *live, struct liveness *ret_kept)
{
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const size_t count = instruction_accesses(instruction, accesses);
    /* the guard is what its predicate was before, so conditions on what it is after go first */
    for (size_t i = 0; i < count; i++)
        if (accesses[i].writes && accesses[i].predicate)
            forget_predicate(live, accesses[i].first);
    for (size_t i = 0; i < count; i++)
        if (accesses[i].writes)
            write_back(instruction, &accesses[i], live);
    if (ret_kept)
        *ret_kept = *live;
    for (size_t i = 0; i < count; i++)
        if (accesses[i].reads)
            read_back(instruction, &accesses[i], live);
}

static void pass_node(void *user, uint32_t node, void *state)
{
    const struct joining *joining = user;
    for (uint32_t i = joining->flow->nodes[node].end; i-- > joining->flow->nodes[node].first;)
        pass_back(&joining->kernel->code[i], state, NULL);
}

/* Ways around calls are left out: what lives across a call must live through the subroutine too, so that it
 * has a row there that nobody else uses. */
static bool merge(void *user, const struct flow_edge *edge, const void *from, void *into)
{
    const struct liveness *source = from;
    struct liveness *target = into;
    bool changed = false, value = false;
    int predicate = 0;
    const bool known = verify_flow_guard(((const struct joining *)user)->flow, edge, &predicate, &value);
    for (uint32_t m = 0; m < FLOW_SET_BITS && edge->kind != EDGE_BYPASS; m++) {
        const uint8_t when = known ? restrict_to(source->when[m], predicate, value) : source->when[m];
        const uint8_t merged = either(target->when[m], when);
        changed |= merged != target->when[m];
        target->when[m] = merged;
    }
    return changed;
}

static struct flow_set set_of(const struct liveness *live)
{
    struct flow_set set = {{0}};
    for (uint32_t m = 0; m < FLOW_SET_BITS; m++)
        if (live->when[m] != LIVE_NEVER)
            flow_set_add(&set, m);
    return set;
}

static hx_status find_liveness(struct joining *joining, hx_diag *diag)
{
    const struct flow *flow = joining->flow;
    struct web_list *list = joining->list;
    const struct flow_problem problem = {.bytes = sizeof(struct liveness),
                                         .backward = true,
                                         .user = joining,
                                         .pass = pass_node,
                                         .merge = merge};
    HX_AUTO(arena_done) struct arena scratch = {.allocator = joining->allocator};
    struct liveness *ends = ARENA_ARRAY(&scratch, struct liveness, flow->node_count);
    list->live_before = ARENA_ARRAY(joining->arena, struct flow_set, flow->node_count);
    list->live_after = ARENA_ARRAY(joining->arena, struct flow_set, joining->kernel->code_count);
    joining->kept = ARENA_ARRAY(joining->arena, struct flow_set, joining->kernel->code_count);
    if (!ends || !list->live_before || !list->live_after || !joining->kept)
        return diag_no_memory(diag);
    hx_status status = verify_flow_solve(flow, &problem, joining->allocator, diag, ends);
    for (uint32_t n = 0; n < flow->node_count && status == HX_OK; n++) {
        for (uint32_t i = flow->nodes[n].end; i-- > flow->nodes[n].first;) {
            struct liveness kept;
            list->live_after[i] = set_of(&ends[n]);
            pass_back(&joining->kernel->code[i], &ends[n], &kept);
            joining->kept[i] = set_of(&kept);
        }
        list->live_before[n] = set_of(&ends[n]);
    }
    return status;
}

/* ---- Joining ------------------------------------------------------------------------------------------- */

static uint32_t find_root(struct joining *joining, uint32_t element)
{
    uint32_t *parents = joining->parents.items;
    while (parents[element] != element)
        element = parents[element] = parents[parents[element]];
    return element;
}

static void join(struct joining *joining, uint32_t a, uint32_t b)
{
    a = find_root(joining, a);
    b = find_root(joining, b);
    joining->parents.items[a > b ? a : b] = a > b ? b : a;
}

static bool make_entries(struct joining *joining)
{
    struct web_list *list = joining->list;
    uint32_t count = 0;
    list->entry = ARENA_ARRAY(joining->arena, uint32_t, joining->flow->node_count);
    if (!list->entry)
        return false;
    for (uint32_t n = 0; n < joining->flow->node_count; n++) {
        list->entry[n] = count;
        for (int w = 0; w < FLOW_SET_WORDS; w++)
            count += (uint32_t)__builtin_popcountll(list->live_before[n].words[w]);
    }
    list->entries = ARENA_ARRAY(joining->arena, uint32_t, count);
    if (!list->entries || !LIST_RESERVE(joining->allocator, &joining->parents, count))
        return false;
    for (uint32_t e = 0; e < count; e++)
        joining->parents.items[e] = e;
    joining->parents.count = count;
    return true;
}

static void enter(struct joining *joining, uint32_t node)
{
    const struct flow_set *live = &joining->list->live_before[node];
    uint32_t element = joining->list->entry[node];
    for (uint32_t m = flow_set_next(live, 0); m < FLOW_SET_BITS; m = flow_set_next(live, m + 1))
        joining->current[m] = element++;
}

/* The element that an access writes in member `m` of instruction `at`, whose references begin at `first`. */
static bool find_written(struct joining *joining, uint32_t at, size_t first, uint32_t m, bool in_place,
                         uint32_t *ret_element)
{
    for (size_t i = first; i < joining->references.count; i++)
        if (joining->references.items[i].writes && joining->references.items[i].member == m) {
            *ret_element = joining->references.items[i].web;
            return true;
        }
    if (in_place || flow_set_has(&joining->kept[at], m)) {
        *ret_element = joining->current[m];
        return true;
    }
    *ret_element = (uint32_t)joining->parents.count;
    return LIST_PUSH(joining->allocator, &joining->parents, *ret_element);
}

static bool walk_instruction(struct joining *joining, uint32_t at)
{
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const size_t count = instruction_accesses(&joining->kernel->code[at], accesses);
    const size_t first = joining->references.count;
    joining->list->first[at] = (uint32_t)first;
    for (size_t i = 0; i < count; i++)
        for (unsigned r = 0; accesses[i].reads && r < accesses[i].registers; r++) {
            uint16_t m = (uint16_t)flow_member(&accesses[i], r);
            if (!LIST_PUSH(joining->allocator, &joining->references,
                           (struct web_reference){.member = m, .web = joining->current[m]}))
                return false;
        }
    for (size_t i = 0; i < count; i++)
        for (unsigned r = 0; accesses[i].writes && r < accesses[i].registers; r++) {
            uint16_t m = (uint16_t)flow_member(&accesses[i], r);
            uint32_t element;
            if (!find_written(joining, at, first, m, accesses[i].reads, &element) ||
                !LIST_PUSH(joining->allocator, &joining->references,
                           (struct web_reference){.member = m, .writes = true, .web = element}))
                return false;
        }
    for (size_t i = first; i < joining->references.count; i++)
        if (joining->references.items[i].writes)
            joining->current[joining->references.items[i].member] = joining->references.items[i].web;
    return true;
}

static bool walk_node(struct joining *joining, uint32_t n)
{
    const struct flow_node *node = &joining->flow->nodes[n];
    enter(joining, n);
    for (uint32_t i = node->first; i < node->end; i++)
        if (!walk_instruction(joining, i))
            return false;
    /* what is read only on ways that this block cannot take, as its guard shows, is not live at its end */
    const struct flow_set *held =
        node->first == node->end ? &joining->list->live_before[n] : &joining->list->live_after[node->end - 1];
    for (uint32_t e = node->out; e < node->out + node->out_count; e++) {
        const struct flow_edge *edge = &joining->flow->edges[e];
        if (edge->kind == EDGE_BYPASS)
            continue;
        const struct flow_set *live = &joining->list->live_before[edge->to];
        uint32_t element = joining->list->entry[edge->to];
        for (uint32_t m = flow_set_next(live, 0); m < FLOW_SET_BITS;
             m = flow_set_next(live, m + 1), element++)
            if (flow_set_has(held, m))
                join(joining, joining->current[m], element);
    }
    return true;
}

/* ---- From elements to webs ----------------------------------------------------------------------------- */

/* Numbers the roots in the order in which instructions meet them, which is a good one to give rows in. */
static bool number_webs(struct joining *joining)
{
    struct web_list *list = joining->list;
    const size_t count = joining->references.count;
    const uint32_t entries = list->entry[joining->flow->node_count - 1];
    HX_AUTO(arena_done) struct arena scratch = {.allocator = joining->allocator};
    uint32_t *numbers = ARENA_ARRAY(&scratch, uint32_t, joining->parents.count);
    list->references = ARENA_ARRAY(joining->arena, struct web_reference, count);
    if (!numbers || !list->references)
        return false;
    for (size_t i = 0; i < count; i++) {
        list->references[i] = joining->references.items[i];
        uint32_t *number = &numbers[find_root(joining, list->references[i].web)];
        if (*number == 0)
            *number = ++list->web_count;
        list->references[i].web = *number - 1;
    }
    const struct flow_set *last = &list->live_before[joining->flow->node_count - 1];
    uint32_t end = entries;
    for (int w = 0; w < FLOW_SET_WORDS; w++)
        end += (uint32_t)__builtin_popcountll(last->words[w]);
    for (uint32_t e = 0; e < end; e++) {
        uint32_t *number = &numbers[find_root(joining, e)];
        if (*number == 0) /* live in code that never runs, where nothing comes from */
            *number = ++list->web_count;
        list->entries[e] = *number - 1;
    }
    list->webs = ARENA_ARRAY(joining->arena, struct web, list->web_count);
    return list->webs != NULL;
}

/* A web is as wide as what is written to it; one that is never written is 0 at any width. */
static void find_kinds(struct web_list *list)
{
    const struct kernel *kernel = list->verified->kernel;
    for (uint32_t w = 0; w < list->web_count; w++)
        list->webs[w].kind = ROW_4;
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        struct operand_access accesses[ACCESS_COUNT_MAX];
        const size_t count = instruction_accesses(&kernel->code[i], accesses);
        const struct web_reference *reference = &list->references[list->first[i]];
        /* references stand in the order of accesses, reads first */
        for (int writes = 0; writes < 2; writes++)
            for (size_t a = 0; a < count; a++)
                for (unsigned r = 0;
                     (writes ? accesses[a].writes : accesses[a].reads) && r < accesses[a].registers;
                     r++, reference++) {
                    const enum row_kind kind = row_kind_of(accesses[a].type);
                    if (kind == ROW_PREDICATE || (writes && kind == ROW_8))
                        list->webs[reference->web].kind = (uint8_t)kind;
                }
    }
}

/* Liveness alone would ask for more: it does not tell a subroutine's callers apart. */
static void find_zeroed(struct web_list *list)
{
    for (uint32_t i = 0; i < list->verified->unwritten_read_count; i++) {
        const struct unwritten_read *read = &list->verified->unwritten_reads[i];
        for (uint32_t r = list->first[read->instruction]; r < list->first[read->instruction + 1]; r++)
            if (list->references[r].member == read->member && !list->references[r].writes)
                list->webs[list->references[r].web].zeroed = true;
    }
}

bool web_stops_at(const struct flow *flow, uint32_t at)
{
    const struct instruction *code = flow->kernel->code;
    if (flow->nodes[flow->node_of[at]].first == at)
        return true;
    const enum semantic_shape shapes[] = {code[at].opcode->shape, code[at - 1].opcode->shape};
    for (int i = 0; i < 2; i++)
        if (shapes[i] == SHAPE_FLOW || shape_gathers_warp(shapes[i]) || shape_is_collective(shapes[i]))
            return true;
    return false;
}

static void find_settled(struct web_list *list)
{
    const struct flow *flow = &list->verified->flow;
    struct web_cursor cursor = {.list = list};
    for (uint32_t n = 0; n < flow->block_count; n++) {
        web_cursor_enter(&cursor, n);
        for (uint32_t i = flow->nodes[n].first; i < flow->nodes[n].end; i++) {
            const struct flow_set *live =
                i == flow->nodes[n].first ? &list->live_before[n] : &list->live_after[i - 1];
            for (uint32_t m = flow_set_next(live, 0); web_stops_at(flow, i) && m < FLOW_SET_BITS;
                 m = flow_set_next(live, m + 1))
                list->webs[cursor.current[m]].settled = true;
            web_cursor_pass(&cursor, i);
        }
    }
}

hx_status web_list_make(const struct verified_kernel *verified, struct arena *arena, hx_diag *diag,
                        struct web_list *ret_list)
{
    const struct flow *flow = &verified->flow;
    struct web_list list = {.verified = verified};
    HX_AUTO(joining_done)
    struct joining joining = {.flow = flow,
                              .kernel = verified->kernel,
                              .arena = arena,
                              .allocator = arena->allocator,
                              .list = &list};
    list.first = ARENA_ARRAY(arena, uint32_t, (size_t)verified->kernel->code_count + 1);
    if (!list.first)
        return diag_no_memory(diag);
    hx_status status = find_liveness(&joining, diag);
    if (status != HX_OK)
        return status;
    bool fine = make_entries(&joining);
    for (uint32_t n = 0; n < flow->node_count && fine; n++)
        fine = walk_node(&joining, n);
    list.first[verified->kernel->code_count] = (uint32_t)joining.references.count;
    if (!fine || !number_webs(&joining))
        return diag_no_memory(diag);
    find_kinds(&list);
    find_zeroed(&list);
    find_settled(&list);
    *ret_list = list;
    return HX_OK;
}

struct web *web_of(const struct web_list *list, uint32_t at, uint32_t member, bool writes)
{
    for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++)
        if (list->references[i].member == member && list->references[i].writes == writes)
            return &list->webs[list->references[i].web];
    return NULL;
}

void web_cursor_enter(struct web_cursor *cursor, uint32_t node)
{
    const struct web_list *list = cursor->list;
    const struct flow_set *live = &list->live_before[node];
    uint32_t entry = list->entry[node];
    for (uint32_t m = flow_set_next(live, 0); m < FLOW_SET_BITS; m = flow_set_next(live, m + 1))
        cursor->current[m] = list->entries[entry++];
}

void web_cursor_pass(struct web_cursor *cursor, uint32_t instruction)
{
    const struct web_list *list = cursor->list;
    for (uint32_t i = list->first[instruction]; i < list->first[instruction + 1]; i++)
        if (list->references[i].writes)
            cursor->current[list->references[i].member] = list->references[i].web;
}
