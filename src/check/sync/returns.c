/* Threads that return before a barrier, and threads that jump past it: what the code says.
 *
 * Takes two instructions, a barrier and an end. A return is a branch that leads to the end, and whose other
 * way leads to the barrier: its two ways meet at the end alone. A branch past the barrier has ways that meet
 * before, in code that all threads do. So a thread has returned if it took such a branch the way that does
 * not lead to the barrier.
 *
 * What stands in the braces of an if, at the end of a kernel, has such a branch, too. Where clang has not
 * optimized, as for checks, the word `return` has a jump of its own: a branch without one on its way to the
 * end is no return. */
#include "check/sync/returns.h"

#include "base/text.h"
#include "verify/flow.h"

#include <string.h>

#define CODE_MAX 1000 /* instructions; beyond that the search takes too long */

struct search {
    const struct kernel *code;
    uint32_t count, barrier, end;
    uint32_t brace;   /* what comes from there to the end belongs to the kernel's closing brace */
    bool *to_barrier; /* from this instruction */
    uint32_t *from;   /* the one before on a way; UINT32_MAX: not reached */
    uint32_t *queue;
};
struct finder {
    const hx_allocator *allocator;
    struct search search;
    uint32_t *way; /* room for one */
    struct return_ways *ways;
};

static bool is_open(const struct instruction *instruction)
{
    return instruction->guard >= 0;
}

static void add(const struct search *search, uint32_t to, uint32_t *ret_next, uint32_t *count, uint32_t room)
{
    if (*count < room && to < search->count)
        ret_next[(*count)++] = to;
}

#define WAYS_MAX 256

/* Where threads go from an instruction. */
static uint32_t find_next(const struct search *search, uint32_t at, uint32_t next[WAYS_MAX])
{
    const struct instruction *const instruction = &search->code->code[at];
    const uint32_t entries = verify_flow_table(instruction),
                   target = verify_flow_target(search->code, instruction);
    uint32_t count = 0;
    switch (verify_flow_semantic(instruction)) {
    case SEM_exit:
    case SEM_trap:
    case SEM_return:
        break;
    case SEM_branch:
        add(search, target, next, &count, WAYS_MAX);
        break;
    case SEM_jump_table:
        for (uint32_t i = 0; i < entries; i++)
            add(search, target + i, next, &count, WAYS_MAX);
        break;
    case SEM_loop:
        add(search, target, next, &count, WAYS_MAX);
        add(search, at + 1, next, &count, WAYS_MAX);
        break;
    default:
        add(search, at + 1, next, &count, WAYS_MAX);
        return count;
    }
    if (is_open(instruction))
        add(search, at + 1, next, &count, WAYS_MAX);
    return count;
}

static void find_ways_to_barrier(const struct search *search)
{
    uint32_t next[WAYS_MAX];
    search->to_barrier[search->barrier] = true;
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t at = search->count; at-- > 0;) {
            const uint32_t count = search->to_barrier[at] ? 0 : find_next(search, at, next);
            for (uint32_t i = 0; i < count && !search->to_barrier[at]; i++)
                changes |= search->to_barrier[at] = search->to_barrier[next[i]];
        }
    }
}

/* Finds a way from a branch to the end that leaves `without` out; search->from has it. */
static bool has_way(const struct search *search, uint32_t branch, uint32_t without)
{
    uint32_t next[WAYS_MAX], head = 0, tail = 0;
    memset(search->from, 0xff, search->count * sizeof *search->from);
    search->from[branch] = branch;
    search->queue[tail++] = branch;
    while (head < tail) {
        const uint32_t at = search->queue[head++], count = find_next(search, at, next);
        for (uint32_t i = 0; i < count; i++) {
            if (next[i] == without || search->from[next[i]] != UINT32_MAX)
                continue;
            search->from[next[i]] = at;
            if (next[i] == search->end)
                return true;
            search->queue[tail++] = next[i];
        }
    }
    return false;
}

static bool is_jump(const struct search *search, uint32_t at)
{
    return at < search->count && !is_open(&search->code->code[at]) &&
           verify_flow_semantic(&search->code->code[at]) == SEM_branch;
}

static bool has_place(const struct code_line *line, const struct place *place)
{
    return line->place.source == place->source && line->place.line == place->line &&
           line->place.column == place->column;
}

/* Where the code of the closing brace begins: destructors, which have lines of their own. */
static uint32_t find_brace(const struct search *search)
{
    const struct code_line *const lines = search->code->lines;
    const struct place *const end = &lines[search->end].place;
    uint32_t brace = search->end;
    for (uint32_t at = search->end; at-- > 0;) {
        const struct place *const place = &lines[at].place;
        if (has_place(&lines[at], end))
            brace = at;
        else if (place->source == end->source && place->line >= lines[0].place.line &&
                 place->line <= end->line)
            break;
    }
    return brace;
}

static bool is_of_brace(const struct search *search, uint32_t at)
{
    return at >= search->brace && at <= search->end;
}

/* Does nothing come from there to the end that other threads could see, or what the closing brace does?
 * Behind the code of a function that is in the kernel's there are such instructions. */
static bool is_tail(const struct search *search, uint32_t at)
{
    for (uint32_t steps = 0; steps < search->count && at < search->count && !is_of_brace(search, at);
         steps++) {
        const struct instruction *const instruction = &search->code->code[at];
        const enum semantic_shape shape = instruction->opcode->shape;
        const bool jumps = is_jump(search, at);
        if (!jumps && (shape == SHAPE_FLOW || shape_is_collective(shape) ||
                       (shape_is_memory(shape) && shape != SHAPE_LOAD)))
            return false;
        at = jumps ? verify_flow_target(search->code, instruction) : at + 1;
    }
    return is_of_brace(search, at);
}

/* Do the ways of a branch meet at the end alone, or in the tail before it? */
static bool meets_at_end(const struct search *search, uint32_t branch, uint32_t *way)
{
    uint32_t length = 0;
    if (!has_way(search, branch, UINT32_MAX))
        return false;
    for (uint32_t at = search->from[search->end]; at != branch; at = search->from[at])
        way[length++] = at;
    for (uint32_t i = 0; i < length; i++)
        if (!is_tail(search, way[i]) && !has_way(search, branch, way[i]))
            return false;
    return true;
}

/* ---- What the source says ------------------------------------------------------------------------------ */

/* The source from an instruction's place to the end of its line; empty: it is not there. */
static struct slice text_at(const struct kernel *code, uint32_t at)
{
    const struct place *const place = &code->lines[at].place;
    const struct slice line = place->source ? source_line(place->source, place->line) : (struct slice){0};
    const size_t from = place->column > 0 ? (size_t)place->column - 1 : 0;
    return from < line.length ? (struct slice){line.at + from, line.length - from} : (struct slice){0};
}

/* Clang has a jump for each of a branch's two ways, unless it optimizes. */
static bool is_unoptimized(const struct search *search, uint32_t branch)
{
    const struct place *const place = &search->code->lines[branch].place;
    const struct place *const next =
        branch + 1 < search->count ? &search->code->lines[branch + 1].place : NULL;
    return verify_flow_semantic(&search->code->code[branch]) == SEM_branch && is_jump(search, branch + 1) &&
           next->source == place->source && next->line == place->line && next->column == place->column;
}

/* The word there; empty: it is none. */
static struct slice word_at(const struct kernel *code, uint32_t at)
{
    struct slice word = text_at(code, at);
    size_t length = 0;
    while (length < word.length && text_is_word(word.at[length]))
        length++;
    word.length = length;
    return word;
}

/* What follows the macro's name in its definition; empty: there is none in this file. */
static struct slice find_definition(const struct source *source, struct slice name)
{
    static const char define[] = "define";
    const char *const end = source->text + source->bytes;
    const char *at = source->text;
    while ((at = memmem(at, (size_t)(end - at), define, strlen(define)))) {
        at += strlen(define);
        while (at < end && text_is_blank(*at))
            at++;
        if ((size_t)(end - at) <= name.length || memcmp(at, name.at, name.length) != 0 ||
            text_is_word(at[name.length]))
            continue;
        const char *last = at + name.length;
        while (last < end && (*last != '\n' || last[-1] == '\\'))
            last++;
        return (struct slice){at + name.length, (size_t)(last - at) - name.length};
    }
    return (struct slice){0};
}

/* By custom the name of a macro has no small letters. */
static bool is_macro(const struct search *search, uint32_t at, struct slice word)
{
    bool has_small = false;
    for (size_t i = 0; i < word.length; i++)
        has_small |= word.at[i] >= 'a' && word.at[i] <= 'z';
    return !has_small || find_definition(search->code->lines[at].place.source, word).at;
}

/* A jump that is not one of a branch's two. */
static bool is_alone(const struct search *search, uint32_t at)
{
    return is_jump(search, at) && (at == 0 || !is_unoptimized(search, at - 1) || is_jump(search, at - 1));
}

/* The jump of a return: of the word, of a macro that may have it, or of what leads to the tail as a return
 * does: goto, break, what looks like a call (a macro of a header). */
static bool is_return(const struct search *search, uint32_t at)
{
    static const char *const others[] = {"if", "for", "while", "switch", "do", "else"};
    const struct slice text = text_at(search->code, at), word = word_at(search->code, at);
    bool is_other = false;
    if (text.length == 0)
        return true;
    for (size_t i = 0; i < HX_COUNT_OF(others); i++)
        is_other |= slice_equal(word, others[i]);
    if (word.length == 0 || is_other)
        return false;
    if (slice_equal(word, "return") || is_macro(search, at, word))
        return true;
    const bool leaves = slice_equal(word, "goto") || slice_equal(word, "break") ||
                        (text.length > word.length && text.at[word.length] == '(');
    return leaves && is_alone(search, at) && is_tail(search, at);
}

/* Is the branch of a macro that returns? */
static bool is_of_return(const struct search *search, uint32_t branch)
{
    static const char word[] = "return";
    const struct slice name = word_at(search->code, branch);
    const struct slice definition =
        name.length > 0 ? find_definition(search->code->lines[branch].place.source, name) : (struct slice){0};
    return definition.at && memmem(definition.at, definition.length, word, strlen(word));
}

/* The jump behind that of a return may have its place, too: where the ways of an if meet that ends in the
 * return. */
static bool is_behind_return(const struct search *search, uint32_t at)
{
    return at > 0 && is_jump(search, at - 1) && !(at > 1 && is_unoptimized(search, at - 2)) &&
           has_place(&search->code->lines[at - 1], &search->code->lines[at].place);
}

/* A return of the kernel itself, and not of a function whose code is in it. */
static bool is_own_return(const struct search *search, uint32_t at)
{
    const struct code_line *const lines = search->code->lines;
    const struct place *const place = &lines[at].place, *const end = &lines[search->end].place;
    return slice_equal(word_at(search->code, at), "return") && place->source == end->source &&
           place->line >= lines[0].place.line && place->line <= end->line;
}

/* A way is in the list once. */
static bool add_way(struct finder *finder, uint32_t branch, bool jumps)
{
    struct return_ways *const ways = finder->ways;
    for (size_t i = 0; i < ways->items.count; i++)
        if (ways->items.items[i].branch == branch && ways->items.items[i].jumps == jumps)
            return true;
    return LIST_PUSH(finder->allocator, &ways->items, (struct return_way){branch, jumps});
}

/* Such jumps that are on a way from the branch to the end that does not reach the barrier; to finder->way.
 * may_reach: those too from which there are ways to the barrier. */
static uint32_t find_jumps(const struct finder *finder, uint32_t branch, bool may_reach,
                           bool (*is_wanted)(const struct search *search, uint32_t at))
{
    const struct search *const search = &finder->search;
    struct search all = *search;
    uint32_t count = 0;
    all.end = UINT32_MAX; /* does not stop there */
    (void)has_way(&all, branch, search->barrier);
    for (uint32_t at = 0; at < search->count; at++)
        if (search->from[at] != UINT32_MAX && (may_reach || !search->to_barrier[at]) && is_jump(search, at) &&
            !is_behind_return(search, at) && is_wanted(search, at))
            finder->way[count++] = at;
    return count;
}

/* Adds such jumps. Destructors that a return leads through may be those of threads that go on to the barrier:
 * of a return it is known that it does not. Threads that come from the barrier reach them by that branch
 * alone: what follows where its ways meet is behind it. */
static bool add_jumps(struct finder *finder, uint32_t branch,
                      bool (*is_wanted)(const struct search *search, uint32_t at))
{
    struct search all = finder->search;
    uint32_t count = find_jumps(finder, branch, is_wanted == is_own_return, is_wanted);
    bool is_added = true;
    if (count == 0)
        count = find_jumps(finder, branch, true, is_wanted);
    all.end = UINT32_MAX; /* does not stop there */
    if (count > 0)
        (void)has_way(&all, all.barrier, branch);
    for (uint32_t i = 0; i < count && is_added; i++)
        if (all.from[finder->way[i]] == UINT32_MAX)
            is_added = add_way(finder, finder->way[i], true);
    return is_added;
}

/* Adds the ways of a branch that do not lead to the barrier. */
static bool add_ways(struct finder *finder, uint32_t branch)
{
    const struct search *const search = &finder->search;
    const uint32_t target = verify_flow_target(search->code, &search->code->code[branch]);
    if (verify_flow_semantic(&search->code->code[branch]) == SEM_jump_table)
        finder->ways->is_open = true;
    else if (target < search->count && !search->to_barrier[target])
        return add_way(finder, branch, true);
    else if (branch + 1 < search->count && !search->to_barrier[branch + 1])
        return add_way(finder, branch, false);
    return true;
}

static bool look_at(struct finder *finder, uint32_t branch)
{
    const struct search *const search = &finder->search;
    if (!slice_starts_with(text_at(search->code, search->end), "}") || !is_unoptimized(search, branch))
        return !meets_at_end(search, branch, finder->way) || add_ways(finder, branch);
    return add_jumps(finder, branch, is_own_return) &&
           (!(meets_at_end(search, branch, finder->way) || is_of_return(search, branch)) ||
            add_jumps(finder, branch, is_return));
}

static bool look(struct finder *finder)
{
    struct search *const search = &finder->search;
    uint32_t next[WAYS_MAX];
    search->brace = find_brace(search);
    find_ways_to_barrier(search);
    for (uint32_t at = 0; at < search->count; at++)
        if (search->to_barrier[at] && find_next(search, at, next) > 1 && !look_at(finder, at))
            return false;
    return true;
}

struct return_ways returns_find(const hx_allocator *allocator, const struct kernel *code, uint32_t barrier,
                                uint32_t end)
{
    const size_t count = code->code_count;
    struct return_ways ways = {.is_open = count > CODE_MAX};
    struct finder finder = {
        .allocator = allocator,
        .ways = &ways,
        .search = {.code = code, .count = code->code_count, .barrier = barrier, .end = end}};
    struct search *const search = &finder.search;
    if (ways.is_open)
        return ways;
    search->to_barrier = memory_allocate(allocator, count, sizeof *search->to_barrier);
    search->from = memory_allocate(allocator, 3 * count, sizeof *search->from);
    search->queue = search->from ? search->from + count : NULL;
    finder.way = search->from ? search->from + 2 * count : NULL;
    if (!search->to_barrier || !search->from || !look(&finder))
        ways.is_open = true;
    memory_free(allocator, search->to_barrier);
    memory_free(allocator, search->from);
    return ways;
}

void returns_done(const hx_allocator *allocator, struct return_ways *ways)
{
    LIST_DONE(allocator, &ways->items);
}
