/* Finds webs: first liveness, against the flow, then one walk along it.
 *
 * Takes the flow graph, leaves webs. It is a union-find: an element is made for each write, and for each
 * register that is live at the beginning of a block; at a block's end its elements are united with those of
 * the blocks that follow. A write under a guard leaves the value in other lanes as it was, so it belongs to
 * the web that it overwrites. All of it is about one lane. */
#include "verify/webs.h"

#include <string.h>

struct search {
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

static void search_done(struct search *search)
{
    LIST_DONE(search->allocator, &search->parents);
    LIST_DONE(search->allocator, &search->references);
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

/* Before a predicate is written, its value is not known. */
static void forget_predicate(struct liveness *live, uint8_t predicate)
{
    for (uint32_t m = 0; m < FLOW_SET_BITS; m++)
        if (live->when[m] == LIVE_IF(predicate, false) || live->when[m] == LIVE_IF(predicate, true))
            live->when[m] = LIVE_ALWAYS;
}

static void write_back(const struct instruction *instruction, const struct operand_access *access,
                       struct liveness *live, struct flow_set *members)
{
    for (unsigned r = 0; r < access->registers; r++) {
        const uint32_t m = flow_member(access, r);
        uint8_t *when = &live->when[m];
        *when = instruction->guard < 0 ? LIVE_NEVER
                                       : restrict_to(*when, instruction->guard, instruction->guard_negated);
        if (members && *when == LIVE_NEVER)
            flow_set_remove(members, m);
    }
}

static void read_back(const struct instruction *instruction, const struct operand_access *access,
                      struct liveness *live, struct flow_set *members)
{
    const bool is_guard = access->predicate && access->first == instruction->guard;
    const uint8_t when = instruction->guard < 0 || is_guard
                             ? LIVE_ALWAYS
                             : LIVE_IF(instruction->guard, !instruction->guard_negated);
    for (unsigned r = 0; r < access->registers; r++) {
        const uint32_t m = flow_member(access, r);
        live->when[m] = either(live->when[m], when);
        if (members)
            flow_set_add(members, m);
    }
}

/* Backwards over an instruction. `members`, unless it is NULL, is kept to those that are live at some time;
 * *ret_kept: those that are live before it even if it reads nothing. */
static void pass_back(const struct instruction *instruction, struct liveness *live, struct flow_set *members,
                      struct flow_set *ret_kept)
{
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const size_t count = instruction_accesses(instruction, accesses);
    /* the guard is what its predicate was before, so conditions on what it is after go first */
    for (size_t i = 0; i < count; i++)
        if (accesses[i].writes && accesses[i].predicate)
            forget_predicate(live, accesses[i].first);
    for (size_t i = 0; i < count; i++)
        if (accesses[i].writes)
            write_back(instruction, &accesses[i], live, members);
    if (members)
        *ret_kept = *members;
    for (size_t i = 0; i < count; i++)
        if (accesses[i].reads)
            read_back(instruction, &accesses[i], live, members);
}

static void pass_node(void *user, uint32_t node, void *state)
{
    const struct search *search = user;
    for (uint32_t i = search->flow->nodes[node].end; i-- > search->flow->nodes[node].first;)
        pass_back(&search->kernel->code[i], state, NULL, NULL);
}

/* Edges around calls are left out: what is live across a call must be live in the subroutine too, so that
 * nothing there overwrites it. */
static bool merge(void *user, const struct flow_edge *edge, const void *from, void *into)
{
    const struct liveness *source = from;
    struct liveness *target = into;
    bool changed = false, value = false;
    int predicate = 0;
    const bool known = verify_flow_guard(((const struct search *)user)->flow, edge, &predicate, &value);
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

static hx_status find_liveness(struct search *search, hx_diag *diag)
{
    const struct flow *flow = search->flow;
    struct web_list *list = search->list;
    const struct flow_problem problem = {.bytes = sizeof(struct liveness),
                                         .backward = true,
                                         .user = search,
                                         .pass = pass_node,
                                         .merge = merge};
    HX_AUTO(arena_done) struct arena scratch = {.allocator = search->allocator};
    struct liveness *ends = ARENA_ARRAY(&scratch, struct liveness, flow->node_count);
    list->live_before = ARENA_ARRAY(search->arena, struct flow_set, flow->node_count);
    list->live_after = ARENA_ARRAY(search->arena, struct flow_set, search->kernel->code_count);
    search->kept = ARENA_ARRAY(search->arena, struct flow_set, search->kernel->code_count);
    if (!ends || !list->live_before || !list->live_after || !search->kept)
        return diag_no_memory(diag);
    hx_status status = verify_flow_solve(flow, &problem, search->allocator, diag, ends);
    for (uint32_t n = 0; n < flow->node_count && status == HX_OK; n++) {
        struct flow_set live = set_of(&ends[n]);
        for (uint32_t i = flow->nodes[n].end; i-- > flow->nodes[n].first;) {
            list->live_after[i] = live;
            pass_back(&search->kernel->code[i], &ends[n], &live, &search->kept[i]);
        }
        list->live_before[n] = live;
    }
    return status;
}

/* ---- Uniting elements ---------------------------------------------------------------------------------- */

static uint32_t find_root(struct search *search, uint32_t element)
{
    uint32_t *parents = search->parents.items;
    while (parents[element] != element)
        element = parents[element] = parents[parents[element]];
    return element;
}

static void unite(struct search *search, uint32_t a, uint32_t b)
{
    a = find_root(search, a);
    b = find_root(search, b);
    search->parents.items[a > b ? a : b] = a > b ? b : a;
}

static bool make_entries(struct search *search)
{
    struct web_list *list = search->list;
    uint32_t count = 0;
    list->entry = ARENA_ARRAY(search->arena, uint32_t, search->flow->node_count);
    if (!list->entry)
        return false;
    for (uint32_t n = 0; n < search->flow->node_count; n++) {
        list->entry[n] = count;
        for (int w = 0; w < FLOW_SET_WORDS; w++)
            count += (uint32_t)__builtin_popcountll(list->live_before[n].words[w]);
    }
    list->entries = ARENA_ARRAY(search->arena, uint32_t, count);
    if (!list->entries || !LIST_RESERVE(search->allocator, &search->parents, count))
        return false;
    for (uint32_t e = 0; e < count; e++)
        search->parents.items[e] = e;
    search->parents.count = count;
    return true;
}

static void enter(struct search *search, uint32_t node)
{
    const struct flow_set *live = &search->list->live_before[node];
    uint32_t element = search->list->entry[node];
    for (uint32_t m = flow_set_next(live, 0); m < FLOW_SET_BITS; m = flow_set_next(live, m + 1))
        search->current[m] = element++;
}

/* The element that an access writes in member `m` of instruction `at`, whose references begin at `first`. */
static bool find_written(struct search *search, uint32_t at, size_t first, uint32_t m, bool in_place,
                         uint32_t *ret_element)
{
    for (size_t i = first; i < search->references.count; i++)
        if (search->references.items[i].writes && search->references.items[i].member == m) {
            *ret_element = search->references.items[i].web;
            return true;
        }
    if (in_place || flow_set_has(&search->kept[at], m)) {
        *ret_element = search->current[m];
        return true;
    }
    *ret_element = (uint32_t)search->parents.count;
    return LIST_PUSH(search->allocator, &search->parents, *ret_element);
}

static bool walk_instruction(struct search *search, uint32_t at)
{
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const size_t count = instruction_accesses(&search->kernel->code[at], accesses);
    const size_t first = search->references.count;
    search->list->first[at] = (uint32_t)first;
    for (size_t i = 0; i < count; i++)
        for (unsigned r = 0; accesses[i].reads && r < accesses[i].registers; r++) {
            uint16_t m = (uint16_t)flow_member(&accesses[i], r);
            if (!LIST_PUSH(search->allocator, &search->references,
                           (struct web_reference){.member = m, .web = search->current[m]}))
                return false;
        }
    for (size_t i = 0; i < count; i++)
        for (unsigned r = 0; accesses[i].writes && r < accesses[i].registers; r++) {
            uint16_t m = (uint16_t)flow_member(&accesses[i], r);
            uint32_t element;
            if (!find_written(search, at, first, m, accesses[i].reads, &element) ||
                !LIST_PUSH(search->allocator, &search->references,
                           (struct web_reference){.member = m, .writes = true, .web = element}))
                return false;
        }
    for (size_t i = first; i < search->references.count; i++)
        if (search->references.items[i].writes)
            search->current[search->references.items[i].member] = search->references.items[i].web;
    return true;
}

static bool walk_node(struct search *search, uint32_t n)
{
    const struct flow_node *node = &search->flow->nodes[n];
    enter(search, n);
    for (uint32_t i = node->first; i < node->end; i++)
        if (!walk_instruction(search, i))
            return false;
    /* what is read only on paths that this block cannot take, as its guard shows, is not live at its end */
    const struct flow_set *held =
        node->first == node->end ? &search->list->live_before[n] : &search->list->live_after[node->end - 1];
    for (uint32_t e = node->out; e < node->out + node->out_count; e++) {
        const struct flow_edge *edge = &search->flow->edges[e];
        if (edge->kind == EDGE_BYPASS)
            continue;
        const struct flow_set *live = &search->list->live_before[edge->to];
        uint32_t element = search->list->entry[edge->to];
        for (uint32_t m = flow_set_next(live, 0); m < FLOW_SET_BITS;
             m = flow_set_next(live, m + 1), element++)
            if (flow_set_has(held, m))
                unite(search, search->current[m], element);
    }
    return true;
}

/* ---- From elements to webs ----------------------------------------------------------------------------- */

/* Numbers the roots in the order of the instructions, which is a good order to colour them in. */
static bool number_webs(struct search *search)
{
    struct web_list *list = search->list;
    const size_t count = search->references.count;
    const uint32_t entries = list->entry[search->flow->node_count - 1];
    HX_AUTO(arena_done) struct arena scratch = {.allocator = search->allocator};
    uint32_t *numbers = ARENA_ARRAY(&scratch, uint32_t, search->parents.count);
    list->references = ARENA_ARRAY(search->arena, struct web_reference, count);
    if (!numbers || !list->references)
        return false;
    for (size_t i = 0; i < count; i++) {
        list->references[i] = search->references.items[i];
        uint32_t *number = &numbers[find_root(search, list->references[i].web)];
        if (*number == 0)
            *number = ++list->web_count;
        list->references[i].web = *number - 1;
    }
    const struct flow_set *last = &list->live_before[search->flow->node_count - 1];
    uint32_t end = entries;
    for (int w = 0; w < FLOW_SET_WORDS; w++)
        end += (uint32_t)__builtin_popcountll(last->words[w]);
    for (uint32_t e = 0; e < end; e++) {
        uint32_t *number = &numbers[find_root(search, e)];
        if (*number == 0) /* live in code that never runs */
            *number = ++list->web_count;
        list->entries[e] = *number - 1;
    }
    list->webs = ARENA_ARRAY(search->arena, struct web, list->web_count);
    return list->webs != NULL;
}

/* A web is as wide as what is written to it; one that is never written is 0 at any width. */
static void find_kinds(struct web_list *list)
{
    const struct kernel *kernel = list->verified->kernel;
    for (uint32_t w = 0; w < list->web_count; w++)
        list->webs[w].kind = WEB_4_BYTES;
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
                    const enum web_kind kind = web_kind_of(accesses[a].type);
                    if (kind == WEB_PREDICATE || (writes && kind == WEB_8_BYTES))
                        list->webs[reference->web].kind = (uint8_t)kind;
                }
    }
}

/* Not from liveness: that does not tell a subroutine's callers apart, and would clear more. */
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
    HX_AUTO(search_done)
    struct search search = {.flow = flow,
                            .kernel = verified->kernel,
                            .arena = arena,
                            .allocator = arena->allocator,
                            .list = &list};
    list.first = ARENA_ARRAY(arena, uint32_t, (size_t)verified->kernel->code_count + 1);
    if (!list.first)
        return diag_no_memory(diag);
    hx_status status = find_liveness(&search, diag);
    if (status != HX_OK)
        return status;
    bool fine = make_entries(&search);
    for (uint32_t n = 0; n < flow->node_count && fine; n++)
        fine = walk_node(&search, n);
    list.first[verified->kernel->code_count] = (uint32_t)search.references.count;
    if (!fine || !number_webs(&search))
        return diag_no_memory(diag);
    find_kinds(&list);
    find_zeroed(&list);
    find_settled(&list);
    *ret_list = list;
    return HX_OK;
}

uint32_t web_of(const struct web_list *list, uint32_t at, uint32_t member, bool writes)
{
    for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++)
        if (list->references[i].member == member && list->references[i].writes == writes)
            return list->references[i].web;
    return WEB_NONE;
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
