/* Threads that return before a barrier, and threads that jump past it: what the code says.
 *
 * Takes two instructions, a barrier and an end. A return is a branch that leads to the end, and whose other
 * way leads to the barrier: its two ways meet at the end alone. A branch past the barrier has ways that meet
 * before, in code that all threads do. So a thread has returned if it took such a branch the way that does
 * not lead to the barrier.
 *
 * What stands in the braces of an if, at the end of a kernel, has such a branch, too. Where clang has not
 * optimized, as for checks, the word `return` has a jump of its own: a branch without one on its way to the
 * end is no return. Where a compiler has optimized, the statement that a branch belongs to tells, if its
 * source is known: an arm that ends in a return, or one that has the barrier. */
#include "check/sync/returns.h"

#include "check/sync/return_source.h"
#include "check/sync/routes.h"
#include "verify/flow.h"

#define CODE_MAX 50000 /* instructions; beyond that the search takes too long */

/* What is known of an instruction, for each question that is asked of many branches. */
enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };
enum question { ASK_OWN_RETURN, ASK_RETURN, QUESTIONS };

struct finder {
    struct routes ways;
    struct source_macros macros;
    uint32_t brace; /* what comes from there to the end belongs to the kernel's closing brace */
    bool is_optimized;
    uint8_t *known;  /* at question * count + instruction */
    uint32_t *jumps; /* of one branch; room for one each */
    struct return_ways *found;
};

static const struct place *place_of(const struct finder *finder, uint32_t at)
{
    return &finder->ways.code->lines[at].place;
}

static bool has_place_of(const struct finder *finder, uint32_t at, uint32_t other)
{
    const struct place *const a = place_of(finder, at), *const b = place_of(finder, other);
    return a->source == b->source && a->line == b->line && a->column == b->column;
}

/* Where the code of the closing brace begins: destructors, which have lines of their own. */
static uint32_t find_brace(const struct finder *finder)
{
    const uint32_t end = finder->ways.end;
    uint32_t brace = end;
    for (uint32_t at = end; at-- > 0;) {
        if (has_place_of(finder, at, end))
            brace = at;
        else if (return_source_is_own(finder->ways.code, end, at))
            break;
    }
    return brace;
}

static bool is_of_brace(const struct finder *finder, uint32_t at)
{
    return at >= finder->brace && at <= finder->ways.end;
}

/* Does nothing come from there to the end that other threads could see, or what the closing brace does?
 * Behind the code of a function that is in the kernel's there are such instructions. */
static bool is_tail(const struct finder *finder, uint32_t at)
{
    const struct routes *const ways = &finder->ways;
    for (uint32_t steps = 0; steps < ways->count && at < ways->count && !is_of_brace(finder, at); steps++) {
        const struct instruction *const instruction = &ways->code->code[at];
        const enum semantic_shape shape = instruction->opcode->shape;
        const bool jumps = routes_is_jump(ways, at);
        if (!jumps && (shape == SHAPE_FLOW || shape_is_collective(shape) ||
                       (shape_is_memory(shape) && shape != SHAPE_LOAD)))
            return false;
        at = jumps ? verify_flow_target(ways->code, instruction) : at + 1;
    }
    return is_of_brace(finder, at);
}

/* Do the ways of a branch meet at the end alone, or in the tail before it, which has one way? */
static bool meets_at_end(const struct finder *finder, uint32_t branch)
{
    const uint32_t meet = finder->ways.meet[branch];
    return meet == finder->ways.end || (meet != ROUTES_NONE && is_tail(finder, meet));
}

/* Clang has a jump for each of a branch's two ways, unless it optimizes; nvcc has some. */
static bool is_unoptimized(const struct finder *finder, uint32_t branch)
{
    const struct routes *const ways = &finder->ways;
    return verify_flow_semantic(&ways->code->code[branch]) == SEM_branch &&
           routes_is_jump(ways, branch + 1) && place_of(finder, branch)->source &&
           has_place_of(finder, branch, branch + 1);
}

/* ---- Returns of unoptimized code ----------------------------------------------------------------------- */

/* A jump that is not one of a branch's two. */
static bool is_alone(const struct finder *finder, uint32_t at)
{
    return routes_is_jump(&finder->ways, at) &&
           (at == 0 || !is_unoptimized(finder, at - 1) || routes_is_jump(&finder->ways, at - 1));
}

/* The jump of a return: of the word, of a macro that may have it, or of what leads to the tail as a return
 * does: goto, break, what looks like a call (a macro of a header). */
static bool is_return(const struct finder *finder, uint32_t at)
{
    const enum source_word word = return_source_word(finder->ways.code, &finder->macros, at);
    return word == WORD_UNKNOWN || word == WORD_RETURN || word == WORD_MACRO ||
           (word == WORD_LEAVES && is_alone(finder, at) && is_tail(finder, at));
}

/* A return of the kernel itself, and not of a function whose code is in it. */
static bool is_own_return(const struct finder *finder, uint32_t at)
{
    return return_source_word(finder->ways.code, &finder->macros, at) == WORD_RETURN &&
           return_source_is_own(finder->ways.code, finder->ways.end, at);
}

/* The jump behind that of a return may have its place, too: where the ways of an if meet that ends in the
 * return. */
static bool is_behind_return(const struct finder *finder, uint32_t at)
{
    return at > 0 && routes_is_jump(&finder->ways, at - 1) && !(at > 1 && is_unoptimized(finder, at - 2)) &&
           has_place_of(finder, at - 1, at);
}

static bool is_jump_of(struct finder *finder, uint32_t at, enum question question)
{
    uint8_t *const known = &finder->known[(size_t)question * finder->ways.count + at];
    if (*known == ANSWER_UNKNOWN)
        *known = routes_is_jump(&finder->ways, at) && !is_behind_return(finder, at) &&
                         (question == ASK_OWN_RETURN ? is_own_return(finder, at) : is_return(finder, at))
                     ? ANSWER_YES
                     : ANSWER_NO;
    return *known == ANSWER_YES;
}

/* A way is in the list once. */
static bool add_way(const struct finder *finder, uint32_t branch, bool jumps)
{
    struct return_ways *const ways = finder->found;
    for (size_t i = 0; i < ways->items.count; i++)
        if (ways->items.items[i].branch == branch && ways->items.items[i].jumps == jumps)
            return true;
    return LIST_PUSH(finder->ways.allocator, &ways->items, (struct return_way){branch, jumps});
}

/* Such jumps that are on a way from the branch to the end that does not reach the barrier; to finder->jumps.
 * may_reach: those too from which there are ways to the barrier. */
static uint32_t find_jumps(struct finder *finder, uint32_t branch, bool may_reach, enum question question)
{
    struct routes *const ways = &finder->ways;
    uint32_t count = 0;
    routes_reach(ways, branch);
    for (uint32_t at = 0; at < ways->count; at++)
        if (ways->from[at] != ROUTES_NONE && (may_reach || !ways->leads[at]) &&
            is_jump_of(finder, at, question))
            finder->jumps[count++] = at;
    return count;
}

/* Adds such jumps. Destructors that a return leads through may be those of threads that go on to the barrier:
 * of a return it is known that it does not. Threads that come from the barrier reach them by that branch
 * alone: what follows where its ways meet is behind it. */
static bool add_jumps(struct finder *finder, uint32_t branch, enum question question)
{
    uint32_t count = find_jumps(finder, branch, question == ASK_OWN_RETURN, question);
    bool is_added = true;
    if (count == 0)
        count = find_jumps(finder, branch, true, question);
    if (count > 0)
        routes_reach_behind(&finder->ways, branch);
    for (uint32_t i = 0; i < count && is_added; i++)
        if (finder->ways.from[finder->jumps[i]] == ROUTES_NONE)
            is_added = add_way(finder, finder->jumps[i], true);
    return is_added;
}

/* ---- Both ---------------------------------------------------------------------------------------------- */

/* Adds the ways of a branch that do not lead to the barrier. */
static bool add_ways(struct finder *finder, uint32_t branch)
{
    const struct routes *const ways = &finder->ways;
    if (verify_flow_semantic(&ways->code->code[branch]) == SEM_jump_table) {
        finder->found->is_open = true;
        return true;
    }
    for (uint32_t i = 0; i < routes_out(ways, branch); i++) {
        const uint32_t next = routes_next(ways, branch, i);
        if (next != ROUTES_NONE && !ways->leads[next])
            return add_way(finder, branch, i == 0);
    }
    return true;
}

static bool look_at(struct finder *finder, uint32_t branch)
{
    const struct routes *const ways = &finder->ways;
    const bool has_brace = return_source_has_brace(ways->code, ways->end),
               is_own = has_brace && return_source_is_own(ways->code, ways->end, branch);
    const enum source_arm arm =
        is_own ? return_source_arm(ways->code, &finder->macros, branch, ways->barrier) : ARM_UNKNOWN;
    const bool is_macro = is_own && return_source_macro_returns(ways->code, &finder->macros, branch);
    bool returns = arm == ARM_RETURNS || is_macro;
    if (has_brace && !finder->is_optimized && is_unoptimized(finder, branch)) {
        const bool may_return = is_macro || meets_at_end(finder, branch);
        if (!add_jumps(finder, branch, ASK_OWN_RETURN) ||
            (may_return && !add_jumps(finder, branch, ASK_RETURN)))
            return false;
    } else {
        returns |= arm == ARM_UNKNOWN && meets_at_end(finder, branch);
    }
    return !returns || add_ways(finder, branch);
}

/* Has the kernel returns, but none of their jumps? */
static bool is_optimized(struct finder *finder)
{
    const struct routes *const ways = &finder->ways;
    bool has_jump = false;
    for (uint32_t at = 0; at < ways->count && !has_jump; at++)
        has_jump = routes_is_jump(ways, at) && is_own_return(finder, at);
    return !has_jump && return_source_has_return(ways->code, ways->end);
}

static bool look(struct finder *finder)
{
    struct routes *const ways = &finder->ways;
    if (ways->code->code_count > CODE_MAX) {
        *finder->found = (struct return_ways){.is_behind = ways->end > ways->barrier, .is_open = true};
        return true;
    }
    if (!routes_make(ways))
        return false;
    const uint32_t place = routes_place(ways);
    finder->found->is_behind = place != ROUTES_NONE && place < ways->end;
    /* an end with a guard, behind which the barrier may come, is a return itself */
    finder->found->is_open = ways->leads[ways->end];
    if (!finder->found->is_behind || finder->found->is_open)
        return true;
    finder->brace = find_brace(finder);
    finder->is_optimized = is_optimized(finder);
    for (uint32_t at = 0; at < ways->count; at++)
        if (ways->leads[at] && routes_out(ways, at) > 1 && !look_at(finder, at))
            return false;
    return true;
}

struct return_ways returns_find(const hx_allocator *allocator, const struct kernel *code, uint32_t barrier,
                                uint32_t end)
{
    const size_t count = code->code_count;
    struct return_ways found = {0};
    struct finder finder = {.found = &found,
                            .ways = {.allocator = allocator, .code = code, .barrier = barrier, .end = end}};
    finder.known = memory_allocate(allocator, QUESTIONS * count, sizeof *finder.known);
    finder.jumps = memory_allocate(allocator, count, sizeof *finder.jumps);
    const struct source *const source = code->lines[end].place.source;
    if (!finder.known || !finder.jumps || !return_source_macros(allocator, source, &finder.macros) ||
        !look(&finder))
        found.is_behind = false;
    LIST_DONE(allocator, &finder.macros.items);
    memory_free(allocator, finder.known);
    memory_free(allocator, finder.jumps);
    routes_done(&finder.ways);
    return found;
}

void returns_done(const hx_allocator *allocator, struct return_ways *ways)
{
    LIST_DONE(allocator, &ways->items);
}
