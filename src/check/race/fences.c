/* What fence.sc orders where it and the accesses that pass it on are of different threads: all threads of a
 * block store, fence and meet at a barrier, and one of them counts the block.
 *
 * Any two fence.sc whose scopes include each other have an order (PTX ISA, Memory Consistency Model,
 * Fence-SC). A write that comes behind one fence, and is read before another one, says what it is: were it
 * the other way round, the write would come behind the read of it. So what is before the first fence is
 * before what is behind the second. Each thread has what was before the fences that come before it, and what
 * was before the fences behind which the writes are that it has read; both pass on at barriers. */
#include "check/race/state.h"

enum { OF_BLOCK, WIDE };

static bool is_some(const struct race_fences *fences)
{
    return fences->before[OF_BLOCK] || fences->before[WIDE] || fences->read[OF_BLOCK] || fences->read[WIDE];
}

static void join_all(struct race_engine *engine, struct race_fences *to, const struct race_fences *from)
{
    for (int scope = OF_BLOCK; scope <= WIDE; scope++) {
        to->before[scope] = clock_join(&engine->clocks, to->before[scope], from->before[scope]);
        to->read[scope] = clock_join(&engine->clocks, to->read[scope], from->read[scope]);
    }
}

void race_fences_drop(struct race_engine *engine, struct race_fences *fences)
{
    for (int scope = OF_BLOCK; scope <= WIDE; scope++) {
        clock_drop(&engine->clocks, fences->before[scope]);
        clock_drop(&engine->clocks, fences->read[scope]);
    }
    *fences = (struct race_fences){0};
}

/* Adds what is before the thread's last fence, if that is not in its `fences` yet. It is not put there first:
 * where all threads of a block fence and meet, each would have a clock of its own. */
static struct clock *add_last(struct race_engine *engine, const struct race_block *block, uint32_t thread,
                              int scope, struct clock *all)
{
    const bool is_wanted = scope == WIDE || engine->options.has_narrow;
    return is_wanted && block->threads[thread].fence[scope].is_sc
               ? race_fenced(engine, block, thread, scope, all)
               : all;
}

void race_fences_settle(struct race_engine *engine, struct race_block *block, uint32_t thread, int scope)
{
    struct race_thread *const of = &block->threads[thread];
    of->fences.before[scope] = add_last(engine, block, thread, scope, of->fences.before[scope]);
    of->fence[scope].is_sc = false;
}

struct clock *race_fences_before(struct race_engine *engine, struct race_block *block, uint32_t thread,
                                 int scope)
{
    race_fences_settle(engine, block, thread, scope);
    struct clock *const own = clock_share(block->threads[thread].fences.before[scope]);
    return clock_join(&engine->clocks, own, block->fences.before[scope]);
}

void race_fences_read(struct race_engine *engine, struct race_block *block, uint32_t thread, int scope,
                      struct clock *what)
{
    struct race_fences *const of = &block->threads[thread].fences;
    of->read[scope] = clock_join(&engine->clocks, of->read[scope], what);
    block->has_fences = block->has_fences || what;
}

void race_fences_gather(struct race_engine *engine, struct race_block *block, const struct race_lanes *who,
                        struct race_fences *all)
{
    for (uint64_t left = block->has_fences ? who->lanes : 0; left; left &= left - 1) {
        const uint32_t thread = who->first + (uint32_t)__builtin_ctzll(left);
        for (int scope = OF_BLOCK; scope <= WIDE; scope++)
            all->before[scope] = add_last(engine, block, thread, scope, all->before[scope]);
        join_all(engine, all, &block->threads[thread].fences);
    }
}

void race_fences_give(struct race_engine *engine, struct race_block *block, const struct race_lanes *who,
                      const struct race_fences *all)
{
    for (uint64_t left = is_some(all) ? who->lanes : 0; left; left &= left - 1)
        join_all(engine, &block->threads[who->first + (uint32_t)__builtin_ctzll(left)].fences, all);
}

void race_fences_whole_block(struct race_engine *engine, struct race_block *block)
{
    for (uint32_t i = 0; block->has_fences && i < engine->options.block_threads; i++) {
        const struct race_lanes one = {.first = i, .lanes = 1};
        race_fences_gather(engine, block, &one, &block->fences);
        race_fences_drop(engine, &block->threads[i].fences);
        block->threads[i].fence[OF_BLOCK].is_sc = block->threads[i].fence[WIDE].is_sc = false;
    }
    block->has_fences = false;
}
