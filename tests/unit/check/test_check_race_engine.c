/* The race engine against a reference: random traces of accesses and synchronization, and for each access the
 * question whether it races with an earlier one. The reference keeps all accesses, a full vector of times for
 * each thread, and each release, and shares no code with the engine. A word that had a race is not checked
 * again, since the engine forgets what a race has made known. Where only an atomic that has observed the
 * other access orders the two, the engine may find a race or not: it does not keep the order of all writes.
 */
#include "base/random.h"
#include "check/race/engine.h"
#include "unit.h"

#include <string.h>

#define THREADS_MAX 96
#define STEPS       160
#define OF_MANY     1000000 /* the instruction of accesses of several threads */
#define WORDS       8       /* 0 to 3: strong accesses of 4 bytes, mostly; 4 to 7: of any size, mostly weak */

struct vector {
    uint32_t of[THREADS_MAX];
};
struct write {
    uint32_t thread, bytes, access; /* access: its number */
    bool is_strong, is_atomic;
};
struct release {
    struct vector knows;
    uint32_t thread, write; /* the write that leaves it */
    bool is_wide;
    bool is_before; /* it is what was before fence.sc that come before the write; else what it releases */
};
/* Of fence.sc: what was before those that come before now; and before those behind which the writes are that
 * were read. */
struct fences_sc {
    struct vector before[2], read[2]; /* of the block, wide */
};
struct fence {
    struct vector knows;
    bool is_wide;
};
struct access {
    uint32_t thread, time, at, bytes;
    bool is_load, is_store, is_strong, is_wide;
    bool acquires, releases, observes;
};

/* One trace in the reference. */
struct model {
    uint32_t blocks, block_threads, warp_size, level;
    bool lockstep;
    uint32_t count; /* threads */
    struct vector now[THREADS_MAX];
    struct fences_sc fences_sc[THREADS_MAX];
    struct access accesses[STEPS * 4];
    bool observed[STEPS * 4][STEPS * 4];  /* by an access: an earlier one */
    bool is_before[STEPS * 4][STEPS * 4]; /* an access: an earlier one is ordered before it */
    uint32_t access_count;
    struct write writes[WORDS * 4][STEPS * 4]; /* of each byte address */
    uint32_t write_count[WORDS * 4];
    struct release releases[WORDS * 4][STEPS * 10];
    uint32_t release_count[WORDS * 4];
    struct fence fences[THREADS_MAX][STEPS];
    uint32_t fence_count[THREADS_MAX];
    struct release pending[THREADS_MAX][STEPS * 8];
    uint32_t pending_count[THREADS_MAX];
    bool is_poisoned[WORDS];
};

static void join(struct vector *to, const struct vector *from)
{
    for (int i = 0; i < THREADS_MAX; i++)
        to->of[i] = to->of[i] > from->of[i] ? to->of[i] : from->of[i];
}

static void join_fences(struct fences_sc *to, const struct fences_sc *from)
{
    for (int scope = 0; scope < 2; scope++) {
        join(&to->before[scope], &from->before[scope]);
        join(&to->read[scope], &from->read[scope]);
    }
}

static uint32_t block_of(const struct model *model, uint32_t thread)
{
    return thread / model->block_threads;
}

static uint32_t warp_of(const struct model *model, uint32_t thread)
{
    return block_of(model, thread) * 1000 + thread % model->block_threads / model->warp_size;
}

/* All that come know what those of `from` have done. */
static void model_sync(struct model *model, const bool *from, const bool *to)
{
    struct vector all = {0};
    struct fences_sc fences = {0};
    for (uint32_t t = 0; t < model->count; t++)
        if (from[t]) {
            join(&all, &model->now[t]);
            join_fences(&fences, &model->fences_sc[t]);
        }
    for (uint32_t t = 0; t < model->count; t++) {
        if (to[t]) {
            join(&model->now[t], &all);
            join_fences(&model->fences_sc[t], &fences);
        }
        if (from[t] || to[t])
            model->now[t].of[t]++;
    }
}

static void model_step(struct model *model, uint32_t thread)
{
    bool warp[THREADS_MAX] = {0};
    for (uint32_t t = 0; model->lockstep && t < model->count; t++)
        warp[t] = warp_of(model, t) == warp_of(model, thread);
    if (model->lockstep)
        model_sync(model, warp, warp);
}

static void model_fence(struct model *model, uint32_t thread, const struct race_op *op)
{
    const bool is_wide = op->is_wide;
    struct fences_sc *const sc = &model->fences_sc[thread];
    model_step(model, thread);
    for (int scope = 0; op->is_sc && scope <= is_wide; scope++)
        join(&model->now[thread], &sc->read[scope]);
    for (uint32_t i = 0; op->acquires && i < model->pending_count[thread]; i++) {
        const struct release *seen = &model->pending[thread][i];
        if (block_of(model, seen->thread) == block_of(model, thread) || (seen->is_wide && is_wide))
            join(&model->now[thread], &seen->knows);
    }
    for (int scope = 0; op->is_sc && scope <= is_wide; scope++)
        join(&sc->before[scope], &model->now[thread]);
    if (op->releases)
        model->fences[thread][model->fence_count[thread]++] = (struct fence){model->now[thread], is_wide};
    model->now[thread].of[thread]++;
}

static void model_read_before(struct model *model, uint32_t thread, const struct release *seen)
{
    struct fences_sc *const sc = &model->fences_sc[thread];
    if (seen->is_wide)
        join(&sc->read[1], &seen->knows);
    else if (block_of(model, seen->thread) == block_of(model, thread))
        join(&sc->read[0], &seen->knows);
}

/* What a strong read sees: the last write, and those before it as long as they are of one chain. */
static void model_read(struct model *model, const struct access *access)
{
    const struct write *writes = model->writes[access->at];
    for (uint32_t w = model->write_count[access->at]; w-- > 0;) {
        if (!writes[w].is_strong || writes[w].bytes != access->bytes)
            return;
        for (uint32_t i = 0; i < model->release_count[access->at]; i++) {
            struct release seen = model->releases[access->at][i];
            if (seen.write != w)
                continue;
            seen.is_wide = seen.is_wide && access->is_wide;
            if (seen.is_before) {
                model_read_before(model, access->thread, &seen);
                continue;
            }
            if (access->acquires &&
                (seen.is_wide || block_of(model, seen.thread) == block_of(model, access->thread)))
                join(&model->now[access->thread], &seen.knows);
            bool is_there = false;
            for (uint32_t k = 0; k < model->pending_count[access->thread] && !is_there; k++)
                is_there = memcmp(&model->pending[access->thread][k], &seen, sizeof seen) == 0;
            if (!is_there)
                model->pending[access->thread][model->pending_count[access->thread]++] = seen;
            ck_assert_uint_lt(model->pending_count[access->thread], STEPS * 8);
        }
        if (!writes[w].is_atomic && !(w > 0 && writes[w - 1].thread == writes[w].thread))
            return;
    }
}

static void model_write(struct model *model, const struct access *access)
{
    const uint32_t thread = access->thread, w = model->write_count[access->at]++;
    struct release *list = model->releases[access->at];
    uint32_t *count = &model->release_count[access->at];
    model->writes[access->at][w] =
        (struct write){thread, access->bytes, model->access_count, access->is_strong, access->is_load};
    if (!access->is_strong)
        return;
    ck_assert_uint_lt(*count + model->fence_count[thread] + 3, STEPS * 10);
    if (access->releases)
        list[(*count)++] = (struct release){model->now[thread], thread, w, access->is_wide, false};
    for (uint32_t i = 0; i < model->fence_count[thread]; i++)
        list[(*count)++] = (struct release){model->fences[thread][i].knows, thread, w,
                                            access->is_wide && model->fences[thread][i].is_wide, false};
    for (int scope = 0; scope <= access->is_wide; scope++)
        list[(*count)++] =
            (struct release){model->fences_sc[thread].before[scope], thread, w, scope == 1, true};
    model->now[thread].of[thread]++;
}

static bool races(const struct model *model, const struct access *a, const struct access *b)
{
    const bool overlap = a->at < b->at + b->bytes && b->at < a->at + a->bytes;
    const bool includes =
        block_of(model, a->thread) == block_of(model, b->thread) || (a->is_wide && b->is_wide);
    if (!overlap || !(a->is_store || b->is_store) || a->thread == b->thread)
        return false;
    if (a->is_strong && b->is_strong && includes && a->at == b->at && a->bytes == b->bytes)
        return false;
    return model->now[b->thread].of[a->thread] < a->time;
}

/* What an atomic observes: the last write, and those before it as long as they are atomics; and strong stores
 * that are ordered before one of those. */
static void model_observe(struct model *model, const struct access *access)
{
    const struct write *writes = model->writes[access->at];
    bool *const observed = model->observed[model->access_count];
    for (uint32_t w = model->write_count[access->at]; w-- > 0;) {
        const bool here = block_of(model, writes[w].thread) == block_of(model, access->thread);
        const struct access *const of = &model->accesses[writes[w].access];
        if (!writes[w].is_strong || writes[w].bytes != access->bytes ||
            !(here || (of->is_wide && access->is_wide)))
            return;
        observed[writes[w].access] = true;
        for (uint32_t i = 0; i < writes[w].access; i++)
            if (model->is_before[writes[w].access][i] && model->accesses[i].is_strong)
                observed[i] = true;
        if (!writes[w].is_atomic)
            return;
    }
}

/* Has an atomic observed the one, and is it ordered before the other? Where two accesses stand for all that
 * are like them, it may have observed those two alone. */
static bool is_observed(const struct model *model, uint32_t one, const struct access *other)
{
    for (uint32_t i = one + 1; i < model->access_count; i++) {
        const struct access *const by = &model->accesses[i];
        const bool is_like = model->level != RACE_ANYWHERE && model->accesses[one].is_strong &&
                             by->observes && by->at == model->accesses[one].at;
        if ((is_like || model->observed[i][one]) && model->now[other->thread].of[by->thread] >= by->time)
            return true;
    }
    return false;
}

/* Does an access race with an earlier one? */
enum answer { NO, PERHAPS, YES };

static enum answer model_access(struct model *model, struct access *access)
{
    enum answer found = NO;
    model_step(model, access->thread);
    if (access->is_strong && access->is_load)
        model_read(model, access);
    access->time = model->now[access->thread].of[access->thread];
    for (uint32_t i = 0; i < model->access_count; i++) {
        const struct access *const then = &model->accesses[i];
        const bool is_before = model->now[access->thread].of[then->thread] >= then->time;
        const bool is_known = !is_before && is_observed(model, i, access);
        const enum answer one = !races(model, then, access) ? NO : is_known ? PERHAPS : YES;
        found = one > found ? one : found;
        model->is_before[model->access_count][i] = is_before || is_known;
    }
    if (access->observes)
        model_observe(model, access);
    if (access->is_store)
        model_write(model, access);
    model->accesses[model->access_count++] = *access;
    return found;
}

/* ---- A trace */

struct trace {
    struct model model;
    struct race_engine *engine;
    uint64_t seed;
    bool is_group;       /* the access is of several threads */
    bool has_narrow;     /* strong accesses have scopes of one block */
    bool names_accesses; /* instructions are numbers of accesses */
    uint32_t found;
    uint64_t raced, clean, observed;
};

static uint32_t draw(struct trace *trace, uint32_t below)
{
    return (uint32_t)(random_next(&trace->seed) % below);
}

static void on_pair(void *user, const struct race_pair *pair)
{
    struct trace *trace = user;
    const struct model *model = &trace->model;
    trace->found++;
    if (!trace->names_accesses || trace->is_group || pair->first.instruction == OF_MANY)
        return;
    /* what is named is a race: the second is the last access, which the model has already */
    const struct access *first = &model->accesses[pair->first.instruction];
    const struct access *second = &model->accesses[model->access_count - 1];
    const bool poisoned =
        model->is_poisoned[second->at / 4] || model->is_poisoned[(second->at + second->bytes - 1) / 4];
    ck_assert_uint_eq(pair->second.instruction, model->access_count - 1);
    ck_assert_uint_eq(pair->first.block * model->block_threads + pair->first.thread, first->thread);
    ck_assert_uint_eq(pair->second.block * model->block_threads + pair->second.thread, second->thread);
    ck_assert(poisoned || first->is_store || second->is_store);
    ck_assert(poisoned || first->thread != second->thread);
}

static struct race_lanes lanes_of(const struct model *model, uint32_t thread)
{
    const uint32_t in_block = thread % model->block_threads;
    return (struct race_lanes){block_of(model, thread), in_block / 64 * 64, UINT64_C(1) << in_block % 64};
}

static void check_access(struct trace *trace, struct access *access)
{
    struct model *model = &trace->model;
    const uint32_t first = access->at / 4, last = (access->at + access->bytes - 1) / 4;
    const bool skip = model->is_poisoned[first] || model->is_poisoned[last];
    const struct race_op op = {.instruction = trace->names_accesses ? model->access_count : 7,
                               .is_load = access->is_load,
                               .is_store = access->is_store,
                               .is_strong = access->is_strong,
                               .is_wide = access->is_wide,
                               .acquires = access->acquires,
                               .releases = access->releases,
                               .observes = access->observes,
                               .element_bytes = (uint8_t)access->bytes,
                               .elements = 1};
    const struct race_lanes who = lanes_of(model, access->thread);
    uint64_t addresses[64];
    uint8_t stored[64 * 8];
    for (int i = 0; i < 64; i++)
        addresses[i] = 4096 + access->at;
    memset(stored, (int)draw(trace, 2), sizeof stored);
    const enum answer expected = model_access(model, access);
    trace->found = 0;
    race_access(trace->engine, &op, &who, false, addresses, access->is_load ? NULL : stored);
    ck_assert_msg(skip || expected == PERHAPS || (trace->found > 0) == (expected == YES),
                  "level %u%s: access %u of thread %u at byte %u: %u pairs, expected %s", model->level,
                  model->lockstep ? " lockstep" : "", model->access_count - 1, access->thread, access->at,
                  trace->found, expected ? "some" : "none");
    if (skip || expected)
        model->is_poisoned[first] = model->is_poisoned[last] = true;
    trace->raced += !skip && expected == YES;
    trace->clean += !skip && expected == NO;
    trace->observed += !skip && expected == PERHAPS && trace->found == 0;
}

/* Several threads of a block load in one event: one place, or places beside each other. */
static void draw_loads(struct trace *trace)
{
    struct model *model = &trace->model;
    const bool one_place = draw(trace, 2), is_strong = draw(trace, 4) == 0;
    const bool is_wide = draw(trace, 2) || !trace->has_narrow;
    const bool acquires = model->level == RACE_ANYWHERE && is_strong && draw(trace, 2);
    const struct race_op op = {.instruction = OF_MANY,
                               .is_load = true,
                               .is_strong = is_strong,
                               .is_wide = is_strong && is_wide,
                               .acquires = acquires,
                               .element_bytes = 4,
                               .elements = 1};
    const uint32_t block = draw(trace, model->blocks), first = draw(trace, WORDS);
    struct race_lanes who = {.block = block};
    uint64_t addresses[64] = {0};
    bool skip = false;
    enum answer expected = NO;
    for (uint32_t i = 0; i < model->block_threads && model->access_count < STEPS * 3; i++) {
        struct access access = {.thread = block * model->block_threads + i,
                                .at = (one_place ? first : (first + i) % WORDS) * 4,
                                .bytes = 4,
                                .is_load = true,
                                .is_strong = is_strong,
                                .is_wide = op.is_wide,
                                .acquires = acquires};
        addresses[i] = 4096 + access.at;
        if (draw(trace, 4) == 0)
            continue;
        who.lanes |= UINT64_C(1) << i;
        skip = skip || model->is_poisoned[access.at / 4];
        const enum answer one = model_access(model, &access);
        expected = one > expected ? one : expected;
    }
    trace->found = 0;
    trace->is_group = true;
    race_access(trace->engine, &op, &who, false, addresses, NULL);
    trace->is_group = false;
    ck_assert_msg(skip || expected == PERHAPS || (trace->found > 0) == (expected == YES),
                  "level %u: threads of block %u: %u pairs, expected %s", model->level, block, trace->found,
                  expected ? "some" : "none");
    for (uint32_t i = 0; i < 64 && (skip || expected); i++)
        if (who.lanes >> i & 1)
            model->is_poisoned[(addresses[i] - 4096) / 4] = true;
}

static void draw_access(struct trace *trace)
{
    struct access access = {.thread = draw(trace, trace->model.count)};
    const bool anywhere = trace->model.level == RACE_ANYWHERE;
    const bool is_flag = draw(trace, 3) == 0;
    access.bytes = is_flag && draw(trace, 20) ? 4 : 1u << draw(trace, 4);
    access.at = (is_flag ? 0 : 16) + draw(trace, 16 / access.bytes) * access.bytes;
    access.is_strong = is_flag ? draw(trace, 12) != 0 : draw(trace, 12) == 0;
    access.is_wide = access.is_strong && (draw(trace, 4) != 0 || !trace->has_narrow);
    const uint32_t kind = draw(trace, access.is_strong ? 3 : 2);
    access.is_load = kind != 0;
    access.is_store = kind != 1;
    access.observes = access.is_strong && access.is_load && access.is_store && draw(trace, 4);
    access.acquires = anywhere && access.is_strong && access.is_load && draw(trace, 3) == 0;
    access.releases = anywhere && access.is_strong && access.is_store && draw(trace, 3) == 0;
    check_access(trace, &access);
}

/* Threads count, and the last one, or another one, accesses the counter plainly. */
static void draw_count(struct trace *trace)
{
    const uint32_t at = draw(trace, 4) * 4;
    struct access access = {0};
    for (uint32_t i = 1 + draw(trace, 4); i > 0; i--) {
        access = (struct access){.thread = draw(trace, trace->model.count),
                                 .at = at,
                                 .bytes = 4,
                                 .is_load = draw(trace, 8) != 0,
                                 .is_store = true,
                                 .is_strong = true,
                                 .is_wide = draw(trace, 8) || !trace->has_narrow};
        access.observes = access.is_load && draw(trace, 8);
        check_access(trace, &access);
    }
    const uint32_t thread = draw(trace, 4) ? access.thread : draw(trace, trace->model.count);
    access = (struct access){.thread = thread, .at = at, .bytes = 4, .is_load = draw(trace, 2)};
    access.is_store = !access.is_load;
    check_access(trace, &access);
}

static void draw_meeting(struct trace *trace)
{
    struct model *model = &trace->model;
    const uint32_t one = draw(trace, model->count);
    struct race_lanes who = lanes_of(model, one);
    bool set[THREADS_MAX] = {0};
    const bool all = draw(trace, 2);
    for (uint32_t t = 0; t < model->count; t++) {
        set[t] = t == one || (warp_of(model, t) == warp_of(model, one) && (all || draw(trace, 2)));
        if (set[t])
            who.lanes |= lanes_of(model, t).lanes;
    }
    model_sync(model, set, set);
    race_meet(trace->engine, &who, RACE_ORDERS_SHARED | RACE_ORDERS_GLOBAL);
}

static void draw_barrier(struct trace *trace, bool whole)
{
    struct model *model = &trace->model;
    const uint32_t block = draw(trace, model->blocks), barrier = 1 + draw(trace, 3);
    bool from[THREADS_MAX] = {0}, to[THREADS_MAX] = {0}, any = whole;
    for (uint32_t t = 0; t < model->count; t++) {
        if (block_of(model, t) != block)
            continue;
        from[t] = whole || draw(trace, 2);
        any = any || from[t];
        to[t] = from[t] && (whole || draw(trace, 3));
        const struct race_lanes who = lanes_of(model, t);
        if (from[t] && !whole) {
            model_step(model, t);
            race_arrive(trace->engine, &who, barrier, to[t]);
        }
    }
    model_sync(model, from, to);
    if (whole)
        race_whole_block(trace->engine, block);
    else if (any)
        race_complete(trace->engine, block, barrier);
}

static void draw_fence(struct trace *trace)
{
    const uint32_t thread = draw(trace, trace->model.count), kind = draw(trace, 6);
    const struct race_op op = {
        .is_wide = draw(trace, 4) != 0, .acquires = kind != 0, .releases = kind != 1, .is_sc = kind > 2};
    const struct race_lanes who = lanes_of(&trace->model, thread);
    model_fence(&trace->model, thread, &op);
    race_fence(trace->engine, &who, &op);
}

static void run_trace(struct trace *trace, uint32_t level, bool lockstep, uint64_t seed)
{
    struct model *model = &trace->model;
    memset(model, 0, sizeof *model);
    trace->seed = seed;
    trace->names_accesses = draw(trace, 2);
    trace->has_narrow = draw(trace, 2);
    model->level = level;
    model->lockstep = lockstep;
    model->blocks = 1 + draw(trace, 3);
    model->block_threads = draw(trace, 4) ? 1 + draw(trace, 4) : 1 + draw(trace, THREADS_MAX / 3);
    model->warp_size = 1u << draw(trace, level == RACE_BY_WARP ? 6 : 7);
    model->count = model->blocks * model->block_threads;
    for (uint32_t t = 0; t < model->count; t++)
        model->now[t].of[t] = 1;
    const struct race_options options = {.blocks = model->blocks,
                                         .block_threads = model->block_threads,
                                         .warp_size = model->warp_size,
                                         .level = (enum race_level)level,
                                         .has_narrow = true,
                                         .has_narrow_global = trace->has_narrow,
                                         .lockstep = lockstep,
                                         .found = on_pair,
                                         .user = trace};
    ck_assert_int_eq(race_engine_new(&options, &trace->engine), HX_OK);
    for (uint32_t i = 0; i < STEPS; i++) {
        const uint32_t kind = draw(trace, 20);
        if (kind == 0 && !lockstep)
            draw_loads(trace);
        else if (kind == 12 && trace->model.access_count < STEPS * 3)
            draw_count(trace);
        else if (kind < 13)
            draw_access(trace);
        else if (kind == 13)
            draw_barrier(trace, true);
        else if (kind == 14 && level >= RACE_IN_BLOCK)
            draw_barrier(trace, false);
        else if (kind == 15 && level >= RACE_BY_WARP)
            draw_meeting(trace);
        else if (kind > 15 && level == RACE_ANYWHERE)
            draw_fence(trace);
    }
    ck_assert(!race_engine_failed(trace->engine));
    race_engine_free(trace->engine);
}

static void run_traces(uint32_t level)
{
    struct trace *trace = calloc(1, sizeof *trace);
    ck_assert_ptr_nonnull(trace);
    for (uint64_t seed = 1; seed <= 300; seed++)
        run_trace(trace, level, seed % 4 == 0, seed * 4 + level);
    /* of both kinds there are many */
    ck_assert_uint_gt(trace->raced, 500);
    ck_assert_uint_gt(trace->clean, 1500);
    ck_assert_uint_gt(trace->observed, 20);
    free(trace);
}

START_TEST(test_whole_blocks)
{
    run_traces(RACE_BY_BLOCK);
}
END_TEST
START_TEST(test_warps)
{
    run_traces(RACE_BY_WARP);
}
END_TEST
START_TEST(test_parts_of_blocks)
{
    run_traces(RACE_IN_BLOCK);
}
END_TEST
START_TEST(test_fences)
{
    run_traces(RACE_ANYWHERE);
}
END_TEST

UNIT_MAIN("check_race_engine", test_whole_blocks, test_warps, test_parts_of_blocks, test_fences)
