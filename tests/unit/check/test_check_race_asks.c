/* Barriers whose threads want different memory ordered, lanes that meet, and barriers of parts of a block,
 * against a reference: random rounds of accesses and barriers in one block, and for each access the question
 * whether it races with an earlier one. The reference has for each kind of memory a vector of times for each
 * thread. A word that had a race is not used again. */
#include "base/random.h"
#include "check/race/engine.h"
#include "unit.h"

#include <string.h>

#define THREADS_MAX 70
#define WORDS       32
#define ROUNDS      12

struct access {
    uint32_t thread, time;
    bool is_store;
};
struct asks {
    uint32_t threads;
    uint32_t knows[2][THREADS_MAX]
                  [THREADS_MAX]; /* of global and shared memory: of each thread, of each other */
    uint32_t time[THREADS_MAX];
    struct access accesses[2][WORDS][ROUNDS * THREADS_MAX];
    uint32_t counts[2][WORDS];
    bool is_over[2][WORDS];
    uint32_t found, raced, clean;
    uint64_t state, drawn; /* drawn: values so far */
};

static uint32_t draw(struct asks *asks, uint32_t below)
{
    asks->drawn++;
    return (uint32_t)(random_next(&asks->state) % below);
}

static void on_pair(void *user, const struct race_pair *pair)
{
    struct asks *const asks = user;
    (void)pair;
    asks->found++;
}

static bool expects_race(const struct asks *asks, int of, uint32_t word, uint32_t thread, bool is_store)
{
    for (uint32_t i = 0; i < asks->counts[of][word]; i++) {
        const struct access *const then = &asks->accesses[of][word][i];
        if (then->thread != thread && (then->is_store || is_store) &&
            asks->knows[of][thread][then->thread] <= then->time)
            return true;
    }
    return false;
}

static void draw_access(struct asks *asks, struct race_engine *engine)
{
    const uint32_t thread = draw(asks, asks->threads), word = draw(asks, WORDS);
    const int of = (int)draw(asks, 2);
    const bool is_store = draw(asks, 4) == 0;
    const struct race_op op = {.is_load = !is_store, .is_store = is_store, .element_bytes = 4, .elements = 1};
    const struct race_lanes who = {.first = thread / 64 * 64, .lanes = UINT64_C(1) << thread % 64};
    const uint32_t value = (uint32_t)asks->drawn;
    uint8_t stored[64 * 4];
    uint64_t addresses[64];
    if (asks->is_over[of][word])
        return;
    for (uint32_t i = 0; i < 64; i++) {
        addresses[i] = 4 * (uint64_t)word;
        memcpy(stored + 4 * i, &value, sizeof value);
    }
    const bool races = expects_race(asks, of, word, thread, is_store);
    asks->found = 0;
    race_access(engine, &op, &who, of, addresses, is_store ? stored : NULL);
    ck_assert_msg((asks->found > 0) == races, "%u threads, draw %llu: found %u, expected %d", asks->threads,
                  (unsigned long long)asks->drawn, asks->found, races);
    asks->raced += races;
    asks->clean += !races;
    asks->is_over[of][word] = races;
    asks->accesses[of][word][asks->counts[of][word]++] =
        (struct access){thread, asks->time[thread], is_store};
}

/* Of one kind of memory, what the threads `from` know the threads `to` get to know. */
static void hand_on(struct asks *asks, int of, const bool from[THREADS_MAX], const bool to[THREADS_MAX])
{
    uint32_t all[THREADS_MAX] = {0};
    for (uint32_t t = 0; t < asks->threads; t++)
        for (uint32_t i = 0; i < asks->threads && from[t]; i++) {
            const uint32_t knows = i == t ? asks->time[t] + 1 : asks->knows[of][t][i];
            all[i] = all[i] > knows ? all[i] : knows;
        }
    for (uint32_t t = 0; t < asks->threads; t++)
        for (uint32_t i = 0; i < asks->threads && to[t]; i++)
            asks->knows[of][t][i] = all[i] > asks->knows[of][t][i] ? all[i] : asks->knows[of][t][i];
}

/* Those that want a memory ordered get to know what each of them knows of it. */
static void meet(struct asks *asks, int of, const uint32_t orders[THREADS_MAX])
{
    bool who[THREADS_MAX] = {0};
    for (uint32_t t = 0; t < asks->threads; t++)
        who[t] = orders[t] & (of ? RACE_ORDERS_SHARED : RACE_ORDERS_GLOBAL);
    hand_on(asks, of, who, who);
}

static void pass_time(struct asks *asks)
{
    for (uint32_t t = 0; t < asks->threads; t++)
        asks->time[t]++;
}

/* Some lanes of a warp meet, about one kind of memory or both. */
static void draw_meeting(struct asks *asks, struct race_engine *engine)
{
    const uint32_t first = draw(asks, (asks->threads + 31) / 32) * 32, orders = 1 + draw(asks, 3);
    struct race_lanes who = {.first = first};
    uint32_t wanted[THREADS_MAX] = {0};
    for (uint32_t lane = 0; lane < 32 && first + lane < asks->threads; lane++)
        if (draw(asks, 2)) {
            who.lanes |= UINT64_C(1) << lane;
            wanted[first + lane] = orders;
        }
    meet(asks, 0, wanted);
    meet(asks, 1, wanted);
    pass_time(asks);
    race_meet(engine, &who, orders);
}

/* A barrier of a part of the block, where some arrive and others wait, too. */
static void draw_part(struct asks *asks, struct race_engine *engine)
{
    bool from[THREADS_MAX] = {0}, to[THREADS_MAX] = {0};
    for (uint32_t t = 1; t < asks->threads; t++) { /* thread 0 is not there */
        const struct race_lanes who = {.first = t / 64 * 64, .lanes = UINT64_C(1) << t % 64};
        from[t] = draw(asks, 2);
        to[t] = from[t] && draw(asks, 2);
        if (from[t])
            race_arrive(engine, &who, 1, to[t]);
    }
    from[1] = to[1] = true;
    race_arrive(engine, &(struct race_lanes){.lanes = UINT64_C(1) << 1}, 1, true);
    hand_on(asks, 0, from, to);
    hand_on(asks, 1, from, to);
    pass_time(asks);
    race_complete(engine, 0, 1);
}

static void draw_barrier(struct asks *asks, struct race_engine *engine)
{
    const uint32_t kind = draw(asks, 4), one = draw(asks, 4);
    uint32_t orders[THREADS_MAX];
    for (uint32_t t = 0; t < asks->threads; t++) {
        const struct race_lanes who = {.first = t / 64 * 64, .lanes = UINT64_C(1) << t % 64};
        orders[t] = kind == 0 ? one : kind == 1 && draw(asks, 8) ? one : draw(asks, 4);
        race_ask(engine, &who, orders[t]);
    }
    meet(asks, 0, orders);
    meet(asks, 1, orders);
    pass_time(asks);
    race_complete(engine, 0, 0);
}

START_TEST(test_barriers_of_parts)
{
    uint32_t raced = 0, clean = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct asks *const asks = calloc(1, sizeof *asks);
        struct race_engine *engine;
        ck_assert_ptr_nonnull(asks);
        asks->state = seed;
        asks->threads = seed % 2 ? 2 + draw(asks, 6) : 2 + draw(asks, THREADS_MAX - 2);
        const struct race_options options = {.blocks = 1,
                                             .shared_bytes = 4 * WORDS,
                                             .block_threads = asks->threads,
                                             .warp_size = 32,
                                             .level = seed % 3 ? RACE_IN_BLOCK : RACE_ANYWHERE,
                                             .asks_apart = true,
                                             .found = on_pair,
                                             .user = asks};
        ck_assert_int_eq(race_engine_new(&options, &engine), HX_OK);
        for (int round = 0; round < ROUNDS; round++) {
            for (uint32_t i = draw(asks, THREADS_MAX); i > 0; i--)
                draw_access(asks, engine);
            const uint32_t what = draw(asks, 4);
            if (what == 0)
                draw_meeting(asks, engine);
            else if (what == 1)
                draw_part(asks, engine);
            else
                draw_barrier(asks, engine);
        }
        ck_assert(!race_engine_failed(engine));
        race_engine_free(engine);
        raced += asks->raced;
        clean += asks->clean;
        free(asks);
    }
    ck_assert_uint_gt(raced, 500);
    ck_assert_uint_gt(clean, 1500);
}
END_TEST

UNIT_MAIN("check_race_asks", test_barriers_of_parts)
