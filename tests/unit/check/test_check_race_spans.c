/* Spans of lanes against the same accesses one by one: random launches of whole warps, in two engines, of
 * which one is given spans first. Both must find the same pairs of instructions, for the same words. */
#include "base/random.h"
#include "check/race/engine.h"
#include "unit.h"

#include <string.h>

#define THREADS 96 /* of a block: three groups, the last chunk half full */
#define BLOCKS  3
#define WORDS   192
#define GLOBAL  4096u - 64u /* so that spans cross a page */
#define STEPS   120

struct found {
    uint64_t pairs[4096]; /* sorted before they are compared */
    size_t count;
};
struct trace {
    struct race_engine *engines[2];
    struct found found[2];
    uint64_t seed;
    bool is_wild, is_tame; /* tame: threads keep to words of their own, in shared memory */
    size_t in_spans, one_by_one, deferred, in_runs;
    struct race_op ops[6]; /* three loads, three stores */
};

static uint32_t draw(struct trace *trace, uint32_t below)
{
    return (uint32_t)(random_next(&trace->seed) % below);
}

static void on_pair(void *user, const struct race_pair *pair)
{
    struct found *found = user;
    const uint64_t key = (uint64_t)pair->kind << 60 | (uint64_t)pair->is_shared << 59 |
                         (uint64_t)pair->second.instruction << 29 | (uint64_t)pair->second.block << 24 |
                         (pair->word & 0xffffff);
    ck_assert_uint_lt(found->count, 4096);
    found->pairs[found->count++] = key;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* A pair counts once: where several lanes load one word, one of them or all may have been remembered. */
static void sort(struct found *found)
{
    size_t kept = 0;
    qsort(found->pairs, found->count, sizeof *found->pairs, compare);
    for (size_t i = 0; i < found->count; i++)
        if (i == 0 || found->pairs[i] != found->pairs[i - 1])
            found->pairs[kept++] = found->pairs[i];
    found->count = kept;
}

static void check_alike(struct trace *trace, uint64_t seed)
{
    sort(&trace->found[0]);
    sort(&trace->found[1]);
    const size_t count = trace->found[0].count;
    const bool same = count == trace->found[1].count &&
                      memcmp(trace->found[0].pairs, trace->found[1].pairs, count * sizeof(uint64_t)) == 0;
    ck_assert_msg(same, "trace %llu: %zu pairs in spans, %zu one by one", (unsigned long long)seed, count,
                  trace->found[1].count);
}

/* ---- Accesses ------------------------------------------------------------------------------------------ */

struct draw_of_op {
    struct race_op op;
    struct race_span span;
    uint64_t block, addresses[64];
    uint32_t stored[64];
};

/* Lanes that are next to each other; for a run that comes again, all. */
static uint64_t draw_lanes(struct trace *trace, uint32_t lanes, uint32_t *ret_first)
{
    const uint32_t first = draw(trace, 2) ? 0 : draw(trace, lanes);
    const uint32_t count = draw(trace, 2) ? lanes - first : 1 + draw(trace, lanes - first);
    *ret_first = first;
    return (count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1) << first;
}

static void draw_span(struct trace *trace, struct draw_of_op *drawn)
{
    struct race_span *span = &drawn->span;
    const uint32_t chunk = draw(trace, 2), lanes = chunk ? THREADS - 64 : 64,
                   way = trace->is_tame ? 3 : draw(trace, 4);
    uint32_t first;
    span->first = chunk * 64;
    span->lanes = draw_lanes(trace, lanes, &first);
    span->count = (uint32_t)__builtin_popcountll(span->lanes);
    if (way == 0 && drawn->op.is_load)
        span->count = 0;
    if (way == 1 && drawn->op.is_load) {
        span->lanes = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
        span->count = 16;
        first = 0;
    }
    span->lane = first;
    const uint32_t word = trace->is_wild ? draw(trace, WORDS - 64) : span->first + first;
    span->address = (span->is_shared ? 0 : GLOBAL) + 4 * (uint64_t)word;
    for (uint32_t lane = first; lane < 64; lane++)
        drawn->addresses[lane] = span->address + 4 * (uint64_t)(span->count == 0    ? 0
                                                                : span->count == 16 ? (lane - first) % 16
                                                                                    : lane - first);
}

static void draw_access(struct trace *trace)
{
    struct draw_of_op drawn = {.block = draw(trace, BLOCKS)};
    const bool is_load = draw(trace, trace->is_wild ? 2 : 4) != 0;
    drawn.op = (struct race_op){.instruction = draw(trace, 6),
                                .is_load = is_load,
                                .is_store = !is_load,
                                .element_bytes = 4,
                                .elements = 1};
    drawn.span.is_shared = trace->is_tame || draw(trace, 3) != 0;
    draw_span(trace, &drawn);
    for (uint32_t lane = 0; lane < 64; lane++)
        drawn.stored[lane] = draw(trace, 3);
    drawn.span.stored = is_load ? NULL : drawn.stored;
    const uint8_t *const stored = is_load ? NULL : (const uint8_t *)drawn.stored;
    struct race_lanes who = {drawn.block, drawn.span.first, drawn.span.lanes};
    race_access(trace->engines[1], &drawn.op, &who, drawn.span.is_shared, drawn.addresses, stored);
    struct race_spans spans;
    ck_assert(race_takes_spans(trace->engines[0], &drawn.op));
    ck_assert(race_spans_begin(trace->engines[0], &drawn.op, drawn.block, &spans));
    who.lanes = race_span_access(&spans, &drawn.span);
    ck_assert_uint_eq(who.lanes & ~drawn.span.lanes, 0);
    trace->in_spans += (size_t)__builtin_popcountll(drawn.span.lanes & ~who.lanes);
    trace->one_by_one += (size_t)__builtin_popcountll(who.lanes);
    if (who.lanes)
        race_access(trace->engines[0], &drawn.op, &who, drawn.span.is_shared, drawn.addresses, stored);
}

/* A run of lanes of a whole gang, in global memory. */
static void draw_run(struct trace *trace)
{
    const struct race_op *const op = &trace->ops[draw(trace, 6)];
    const uint64_t block = draw(trace, BLOCKS);
    const uint32_t lane = draw(trace, 2) ? 0 : draw(trace, THREADS);
    const uint32_t count = draw(trace, 2) ? THREADS - lane : 1 + draw(trace, THREADS - lane);
    const uint32_t word = draw(trace, 2) ? lane : draw(trace, WORDS - THREADS);
    uint32_t stored[128];
    uint64_t addresses[128] = {0}, lanes[2] = {0}, left[RACE_CHUNKS] = {0};
    struct race_spans spans;
    for (uint32_t l = 0; l < 128; l++)
        stored[l] = draw(trace, 3);
    for (uint32_t l = lane; l < lane + count; l++) {
        addresses[l] = GLOBAL + 4 * (uint64_t)(word + l - lane);
        lanes[l / 64] |= UINT64_C(1) << l % 64;
    }
    const struct race_span run = {
        .lane = lane, .count = count, .address = addresses[lane], .stored = op->is_store ? stored : NULL};
    ck_assert(race_spans_begin(trace->engines[0], op, block, &spans));
    ck_assert(race_run_access(&spans, &run, left));
    for (uint32_t chunk = 0; chunk < 2; chunk++) {
        struct race_lanes who = {block, chunk * 64, lanes[chunk]};
        const uint8_t *const of_lanes = op->is_store ? (const uint8_t *)&stored[chunk * 64] : NULL;
        ck_assert_uint_eq(left[chunk] & ~lanes[chunk], 0);
        race_access(trace->engines[1], op, &who, false, &addresses[chunk * 64], of_lanes);
        trace->in_runs += (size_t)__builtin_popcountll(lanes[chunk] & ~left[chunk]);
        who.lanes = left[chunk];
        if (who.lanes)
            race_access(trace->engines[0], op, &who, false, &addresses[chunk * 64], of_lanes);
    }
}

/* Groups of lanes that load one place each. */
static void draw_groups(struct trace *trace)
{
    const struct race_op op = {.instruction = 6, .is_load = true, .element_bytes = 4, .elements = 1};
    struct race_lanes who = {draw(trace, BLOCKS), 0, draw(trace, 2) ? UINT64_MAX : random_next(&trace->seed)};
    const bool is_shared = draw(trace, 2);
    uint64_t of_groups[4], addresses[64];
    struct race_spans spans;
    for (uint32_t lane = 0; lane < 64; lane++) {
        if (lane % 16 == 0)
            of_groups[lane / 16] = (is_shared ? 0 : GLOBAL) + 4 * (uint64_t)draw(trace, WORDS);
        addresses[lane] = of_groups[lane / 16];
    }
    race_access(trace->engines[1], &op, &who, is_shared, addresses, NULL);
    ck_assert(race_spans_begin(trace->engines[0], &op, who.block, &spans));
    who.lanes = race_groups_access(&spans, 0, who.lanes, is_shared, of_groups);
    if (who.lanes)
        race_access(trace->engines[0], &op, &who, is_shared, addresses, NULL);
}

/* Where groups of 16 lanes are: in one run, all in the same, apart, in part over each other. */
static const int32_t layouts[][8] = {
    {0, 16, 32, 48, 64, 80}, {0}, {0, 24, 48, 72, 96, 120}, {0, 8, 16, 24, 32, 40}};

static void draw_many_lanes(struct trace *trace, struct race_many *many, const int32_t *groups)
{
    uint32_t first;
    const uint32_t of_all = draw(trace, 4);
    many->lanes[0] = draw_lanes(trace, 64, &first);
    many->lanes[1] = draw_lanes(trace, THREADS - 64, &first);
    if (of_all < 2)
        many->lanes[of_all] = 0;
    many->chunks = 2;
    many->groups = groups;
    many->least = groups[0];
    many->most = groups[5] + (many->is_run ? 15 : 0);
    many->is_one_run = many->is_run && groups == layouts[0];
}

/* A whole gang in shared memory, which may be put off. */
static void draw_gang(struct trace *trace)
{
    const bool is_load = draw(trace, 4) != 0;
    const struct race_op *const op = &trace->ops[draw(trace, 3) + (is_load ? 0 : 3)];
    const uint64_t block = draw(trace, BLOCKS);
    const uint32_t word = trace->is_wild ? draw(trace, WORDS) : draw(trace, 3) * 48;
    struct race_many many = {.is_run = trace->is_tame || draw(trace, 3), .scale_log2 = 2};
    uint32_t stored[2][64];
    struct race_spans spans;
    draw_many_lanes(trace, &many, layouts[trace->is_tame ? 0 : draw(trace, HX_COUNT_OF(layouts))]);
    many.base = trace->is_tame ? 0 : 4 * (uint64_t)word;
    for (uint32_t lane = 0; lane < 128; lane++)
        stored[lane / 64][lane % 64] = draw(trace, 3);
    many.stored = stored[0];
    many.stored_step = 64;
    ck_assert(race_spans_begin(trace->engines[0], op, block, &spans));
    const bool is_deferred = race_defer(&spans, op, &many);
    trace->deferred += is_deferred;
    for (uint32_t chunk = 0; chunk < 2; chunk++) {
        const struct race_lanes who = {block, 64 * chunk, many.lanes[chunk]};
        const void *const values = is_load ? NULL : stored[chunk];
        uint64_t addresses[64];
        for (uint32_t lane = 0; lane < 64; lane++)
            addresses[lane] = many.base + 4 * ((uint64_t)many.groups[(64 * chunk + lane) / 16] +
                                               (many.is_run ? lane % 16 : 0));
        race_access(trace->engines[1], op, &who, true, addresses, values);
        if (!is_deferred)
            race_access(trace->engines[0], op, &who, true, addresses, values);
    }
}

/* Bytes, vectors and atomics, which are never in spans. */
static void draw_other(struct trace *trace)
{
    static const uint8_t sizes[] = {1, 2, 4, 8};
    struct race_op op = {
        .instruction = 8 + draw(trace, 3), .element_bytes = sizes[draw(trace, 4)], .elements = 1};
    const uint32_t way = draw(trace, 3);
    const bool is_shared = draw(trace, 2);
    op.is_load = way != 1;
    op.is_store = way != 0;
    op.is_strong = op.is_wide = way == 2;
    uint64_t addresses[64] = {(is_shared ? 0 : GLOBAL) + (uint64_t)draw(trace, WORDS) * 4};
    addresses[0] &= ~(uint64_t)(op.element_bytes - 1);
    const struct race_lanes who = {draw(trace, BLOCKS), draw(trace, THREADS), 1};
    for (int i = 0; i < 2; i++)
        race_access(trace->engines[i], &op, &who, is_shared, addresses, NULL);
}

static void run_trace(struct trace *trace, uint64_t seed)
{
    trace->seed = seed;
    trace->is_wild = seed % 3 == 1;
    trace->is_tame = seed % 3 == 2;
    for (uint32_t i = 0; i < HX_COUNT_OF(trace->ops); i++)
        trace->ops[i] = (struct race_op){
            .instruction = 20 + i, .is_load = i < 3, .is_store = i >= 3, .element_bytes = 4, .elements = 1};
    for (int i = 0; i < 2; i++) {
        const struct race_options options = {.blocks = BLOCKS + 1,
                                             .block_threads = THREADS,
                                             .shared_bytes = WORDS * 4 - 32, /* some spans end behind it */
                                             .warp_size = 32,
                                             .found = on_pair,
                                             .user = &trace->found[i]};
        trace->found[i].count = 0;
        ck_assert_int_eq(race_engine_new(&options, &trace->engines[i]), HX_OK);
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t kind = draw(trace, 16), block = draw(trace, BLOCKS);
        const bool has_run = kind == 10 && !trace->is_tame;
        const bool ends = kind == 15 && draw(trace, 8) == 0;
        if (has_run)
            draw_run(trace);
        else if (kind < 11 && seed % 2)
            draw_gang(trace);
        else if (kind < 11)
            draw_access(trace);
        else if (kind == 11 && !trace->is_tame)
            draw_groups(trace);
        else if (kind == 12 && trace->is_wild)
            draw_other(trace);
        for (int i = 0; kind >= 13 && i < 2; i++)
            (ends ? race_block_end : race_whole_block)(trace->engines[i], block);
    }
    check_alike(trace, seed);
    for (int i = 0; i < 2; i++)
        race_engine_free(trace->engines[i]);
}

START_TEST(test_same_pairs)
{
    struct trace *trace = calloc(1, sizeof *trace);
    size_t pairs = 0, clean = 0;
    ck_assert_ptr_nonnull(trace);
    for (uint64_t seed = 1; seed <= 400; seed++) {
        run_trace(trace, seed);
        pairs += trace->found[0].count;
        clean += trace->found[0].count == 0;
    }
    ck_assert_uint_gt(pairs, 10000);
    ck_assert_uint_gt(clean, 100);
    ck_assert_uint_gt(trace->in_spans, 3 * trace->one_by_one);
    ck_assert_uint_gt(trace->deferred, 1000);
    ck_assert_uint_gt(trace->in_runs, 10000);
    free(trace);
}
END_TEST

UNIT_MAIN("check_race_spans", test_same_pairs)
