/* Gangs that close up: threads that go round a loop a different number of times, in which few are left for
 * long. What lanes do in an order, stores to one place and atomics, they do in the order of their threads;
 * faults and prints tell the right thread; what is kept for each thread stays its own. And the places of
 * lanes, one step after the other. */
#include "exec/block.h"
#include "exec/fast/fast.h"
#include "exec/kernel.h"
#include "exec/launch.h"

#include "converge_unit.h"

/* r3: how often thread `of` goes round; few threads go round often, and they lie apart */
#define TRIPS_OF(of)                                                                                         \
    "mul.u32 r3, " of ", 37\n"                                                                               \
    "rem.u32 r3, r3, 101\nmul.u32 r3, r3, r3\ndiv.u32 r3, r3, 20\n"
#define TRIPS TRIPS_OF("r0")
static uint32_t trips(uint32_t i)
{
    const uint32_t part = i * 37 % 101;
    return part * part / 20;
}

/* Values of 64 and of 32 bits, predicates that live through the loop, a guard in it. */
static uint32_t mixed(uint32_t i)
{
    uint64_t wide = i + 1;
    uint32_t narrow = 0;
    for (uint32_t k = 0; k < trips(i); k++) {
        wide = wide * UINT64_C(6364136223846793005) + k;
        if (wide >> 63)
            narrow += k;
    }
    return (uint32_t)(wide >> 32) + narrow + (i % 3 == 0 ? 1000 : 0) + i % 200;
}
START_TEST(loops_of_different_length)
{
    check_shape(THREAD TRIPS "cvt.u64.u32 r4, r0\n"
                             "add.u64 r4, r4, 1\n"
                             "rem.u32 r5, r0, 3\nsetp.eq.u32 p0, r5, 0\n"
                             "mov.u32 r5, 0\nmov.u32 r6, 0\n"
                             "again: setp.ge.u32 p1, r6, r3\n@p1 bra out\n"
                             "mul.u64 r4, r4, 6364136223846793005\n"
                             "cvt.u64.u32 r7, r6\n"
                             "add.u64 r4, r4, r7\n"
                             "setp.lt.i64 p2, r4, 0\n"
                             "@p2 add.u32 r5, r5, r6\n"
                             "add.u32 r6, r6, 1\n"
                             "bra again\n"
                             "out: @p0 add.u32 r5, r5, 1000\n"
                             "shr.u64 r4, r4, 32\n"
                             "cvt.u32.u64 r8, r4\n"
                             "add.u32 r8, r8, r5\n"
                             "mov.u32 r2, %tid.x\n"
                             "add.u32 r8, r8, r2\n"
                             "stg.u32 [$x + r0*4], r8\nexit",
                3, (struct shape){200, 1, 1}, mixed);
}
END_TEST

/* A loop in a loop, and threads that exit in the inner one: the next block finds its thread numbers as they
 * were. */
static uint32_t leaving(uint32_t i)
{
    uint32_t sum = 0;
    for (uint32_t a = 0; a < i % 5; a++)
        for (uint32_t b = 0; b < trips(i + a); b++) {
            sum += a ^ b;
            if (sum > 5000)
                return sum + i % 256;
        }
    return sum + 7;
}
START_TEST(exits_in_nested_loops)
{
    check_shape(THREAD "mov.u32 r4, 0\nmov.u32 r5, 0\n"
                       "rem.u32 r10, r0, 5\n"
                       "outer: setp.ge.u32 p0, r5, r10\n@p0 bra out\n"
                       "add.u32 r3, r0, r5\n" TRIPS_OF("r3") "mov.u32 r6, 0\n"
                                                             "inner: setp.ge.u32 p0, r6, r3\n@p0 bra next\n"
                                                             "xor.u32 r7, r5, r6\n"
                                                             "add.u32 r4, r4, r7\n"
                                                             "setp.gt.u32 p1, r4, 5000\n"
                                                             "@p1 mov.u32 r8, %tid.x\n"
                                                             "@p1 add.u32 r8, r4, r8\n"
                                                             "@p1 stg.u32 [$x + r0*4], r8\n"
                                                             "@p1 exit\n"
                                                             "add.u32 r6, r6, 1\n"
                                                             "bra inner\n"
                                                             "next: add.u32 r5, r5, 1\n"
                                                             "bra outer\n"
                                                             "out: add.u32 r4, r4, 7\n"
                                                             "stg.u32 [$x + r0*4], r4\nexit",
                5, (struct shape){256, 1, 1}, leaving);
}
END_TEST

/* Barriers between the loops: each thread reads what another one made. */
static uint32_t phases(uint32_t i)
{
    uint32_t sum = 0;
    for (uint32_t phase = 0; phase < 4; phase++)
        sum += trips((i + 77 * (phase + 1)) % 256 + phase) * (phase + 1);
    return sum;
}
START_TEST(barriers_between_loops)
{
    const char *const code =
        "mov.u32 r0, %tid.x\n"
        "mov.u32 r9, 0\nmov.u32 r10, 0\nmov.u32 r12, 0\n"
        "phase: add.u32 r3, r0, r10\n" TRIPS_OF("r3") "mov.u32 r4, 0\n"
                                                      "again: setp.ge.u32 p0, r4, r3\n@p0 bra met\n"
                                                      "add.u32 r4, r4, 1\n"
                                                      "bra again\n"
                                                      "met: add.u32 r11, r10, 1\n"
                                                      "mul.u32 r4, r4, r11\n"
                                                      "stg.u32 [$x + r0*4 + 1024], r4\n"
                                                      "bar.sync 0\n"
                                                      "add.u32 r12, r12, 77\n"
                                                      "add.u32 r5, r0, r12\n"
                                                      "and.u32 r5, r5, 255\n"
                                                      "ldg.u32 r6, [$x + r5*4 + 1024]\n"
                                                      "add.u32 r9, r9, r6\n"
                                                      "bar.sync 0\n"
                                                      "add.u32 r10, r10, 1\n"
                                                      "setp.lt.u32 p1, r10, 4\n@p1 bra phase\n"
                                                      "stg.u32 [$x + r0*4], r9\nexit";
    uint32_t all[512];
    for (uint32_t i = 0; i < 256; i++) {
        all[i] = phases(i);
        all[256 + i] = trips(i + 3) * 4;
    }
    check_ways("", code, 1, (struct shape){256, 1, 1}, 512, NULL, all);
}
END_TEST

/* Calls, local memory and a stack of each thread's own, in the loop. */
static uint32_t called(uint32_t i)
{
    uint32_t sum = i;
    for (uint32_t k = 0; k < trips(i); k++)
        sum = sum % 2 ? 3 * sum + k : sum / 2 + i;
    return sum + trips(i);
}
START_TEST(calls_and_local_memory)
{
    const char *const code = THREAD TRIPS "stl.u32 [own], r0\n"
                                          "mov.u32 r4, 0\n"
                                          "again: setp.ge.u32 p0, r4, r3\n@p0 bra out\n"
                                          "ldl.u32 r5, [own]\n"
                                          "and.u32 r6, r5, 1\nsetp.eq.u32 p1, r6, 0\n"
                                          "@p1 call even\n"
                                          "@!p1 call odd\n"
                                          "stl.u32 [own], r5\n"
                                          "add.u32 r4, r4, 1\n"
                                          "bra again\n"
                                          "out: ldl.u32 r5, [own]\n"
                                          "add.u32 r5, r5, r3\n"
                                          "stg.u32 [$x + r0*4], r5\nexit\n"
                                          "even: mov.u32 r9, 8\n"
                                          "alloca.u32 r8, r9, 16\n"
                                          "cvt.u64.u32 r8, r8\n"
                                          "shr.u32 r5, r5, 1\n"
                                          "stl.u32 [r8], r5\n"
                                          "ldl.u32 r7, [r8]\n"
                                          "add.u32 r5, r7, r0\n"
                                          "ret\n"
                                          "odd: mad.u32 r5, r5, 3, r4\n"
                                          "ret";
    uint32_t all[400];
    for (uint32_t i = 0; i < 400; i++)
        all[i] = called(i);
    check_ways("local: [{name: own, type: u32, count: 1}]", code, 2, (struct shape){200, 1, 1}, 400, NULL,
               all);
}
END_TEST

#define ROUNDS_MAX 501

/* As a gang does it, round for round: x[0..3] are stored to in the loop, x[4..7] behind it, x[8] is counted
 * in the loop and x[9] behind it, and each thread keeps what it has seen there. */
static void ordered(uint32_t *x)
{
    for (uint32_t round = 0; round < ROUNDS_MAX; round++)
        for (uint32_t i = 0; i < 256; i++)
            if (round < trips(i)) {
                x[i % 4] = round * 1000 + i;
                x[10 + i] = x[8]++;
            }
    for (uint32_t i = 0; i < 256; i++) {
        x[4 + i % 4] = i;
        x[10 + i] += x[9];
        x[9] += 100;
    }
}
static const char *const in_order = THREAD TRIPS "and.u32 r5, r0, 3\n"
                                                 "mov.u32 r4, 0\n"
                                                 "mov.u32 r7, 0\nmov.u32 r9, 1\nmov.u32 r10, 100\n"
                                                 "again: setp.ge.u32 p0, r4, r3\n@p0 bra out\n"
                                                 "mad.u32 r6, r4, 1000, r0\n"
                                                 "stg.u32 [$x + r5*4], r6\n"
                                                 "atomg.add.u32 r7, [$x + 32], r9\n"
                                                 "add.u32 r4, r4, 1\n"
                                                 "bra again\n"
                                                 "out: stg.u32 [$x + r5*4 + 16], r0\n"
                                                 "atomg.add.u32 r8, [$x + 36], r10\n"
                                                 "add.u32 r7, r7, r8\n"
                                                 "stg.u32 [$x + r0*4 + 40], r7\nexit";
START_TEST(stores_and_atomics_are_in_order)
{
    struct exec_unit unit = exec_unit_new(in_order, 266);
    uint32_t want[266] = {0};
    ordered(want);
    unit.options.gang_lanes = 256;
    for (size_t level = 0; level < HX_COUNT_OF(levels); level++)
        if (use_level(&unit, levels[level]))
            check_launch(&unit, 1, 256, NULL, want, in_order);
    exec_unit_done(&unit);
}
END_TEST

/* Thread 148 is reported: of those that are in the loop that long, it is the first that goes wrong. */
static void check_fault(const char *what, hx_fault_kind kind)
{
    struct text text;
    text_init(&text, NULL);
    text_print(&text,
               "%srem.u32 r3, r0, 29\n"
               "setp.ne.u32 p2, r3, 3\n"
               "mov.u32 r4, 0\n"
               "again: setp.ge.u32 p0, r4, 400\n"
               "setp.ge.and.u32 p1, r0, 120, p0\n"
               "%s\n"
               "add.u32 r4, r4, 1\n"
               "@p2 exit\n"
               "setp.lt.u32 p0, r4, 500\n@p0 bra again\n"
               "exit",
               "mov.u32 r1, %tid.y\nmov.u32 r0, %tid.x\nmad.u32 r0, r1, 16, r0\n", what);
    struct exec_unit unit = exec_unit_new(text.at, 4);
    for (size_t level = 0; level < HX_COUNT_OF(levels); level++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            if (!use_level(&unit, levels[level]))
                continue;
            unit.options.block[1] = 16;
            unit.options.gang_lanes = 256;
            unit.options.seed = seed;
            unit.options.turns = HX_TURNS_WHOLE;
            ck_assert_int_eq(exec_unit_launch(&unit, 1, 16), HX_FAULT);
            ck_assert_int_eq(unit.result.fault.kind, kind);
            ck_assert_uint_eq(unit.result.fault.thread[1] * 16 + unit.result.fault.thread[0], 148);
        }
    exec_unit_done(&unit);
    text_done(&text);
}
START_TEST(faults_tell_the_thread)
{
    check_fault("@p1 trap", HX_FAULT_TRAP);
    check_fault("mov.u64 r5, $x\n@p1 mov.u64 r5, 64\n@p1 ldg.u32 r6, [r5]", HX_FAULT_OUT_OF_RANGE);
    check_fault("@p1 call deep\nbra on\ndeep: call deep\nret\non: nop", HX_FAULT_CALL_DEPTH);
}
END_TEST

static void add_print(void *user, const char *text, size_t bytes)
{
    text_print(user, "%.*s", (int)bytes, text);
}

START_TEST(prints_tell_the_thread)
{
    struct exec_unit unit = exec_unit_new_with("  - {name: format, type: u8, text: \"%u: %u\\n\"}",
                                               THREAD TRIPS "mov.u32 r4, 0\n"
                                                            "again: setp.ge.u32 p0, r4, r3\n"
                                                            "@p0 bra out\n"
                                                            "rem.u32 r5, r4, 100\n"
                                                            "setp.eq.u32 p1, r5, 99\n"
                                                            "add.u32 r4, r4, 1\n"
                                                            "@p1 print.u32 format, r0, r4\n"
                                                            "bra again\n"
                                                            "out: exit",
                                               1);
    struct text want, printed;
    text_init(&want, NULL);
    for (uint32_t i = 0; i < 256; i++)
        for (uint32_t k = 100; k <= trips(i); k += 100)
            text_print(&want, "%u: %u\n", i, k);
    unit.options.print = add_print;
    unit.options.print_user = &printed;
    for (uint64_t seed = 0; seed < 3; seed++) {
        text_init(&printed, NULL);
        unit.options.seed = seed;
        unit.options.turns = HX_TURNS_WHOLE;
        ck_assert_ok(exec_unit_launch(&unit, 1, 256));
        ck_assert_str_eq(printed.at, want.at);
        text_done(&printed);
    }
    text_done(&want);
    exec_unit_done(&unit);
}
END_TEST

static void keep_counts(void *user, const hx_launch_end *event)
{
    memcpy(user, event->counts, event->instructions * sizeof *event->counts);
}

/* Each instruction's lanes, as in a plain launch, whose gangs are never compacted. */
START_TEST(counts_are_the_same)
{
    struct exec_unit unit = exec_unit_new(in_order, 266);
    hx_issue_counts closed[32], plain[32];
    hx_listener listener = {
        .size = sizeof listener, .events = HX_EVENT_COUNTS, .user = closed, .end = keep_counts};
    const hx_listener *const listeners[] = {&listener};
    const uint32_t count = hx_kernel_instructions(unit.kernel);
    ck_assert_uint_le(count, HX_COUNT_OF(closed));
    unit.options.listeners = listeners;
    unit.options.listener_count = 1;
    ck_assert_ok(exec_unit_launch(&unit, 1, 256));
    listener.user = plain;
    unit.options.plain = 1;
    ck_assert_ok(exec_unit_launch(&unit, 1, 256));
    for (uint32_t i = 0; i < count; i++)
        ck_assert_uint_eq(closed[i].lanes, plain[i].lanes);
    exec_unit_done(&unit);
}
END_TEST

/* A block of 256 threads in a kernel that is bound, but not run. */
struct stage {
    struct exec_unit unit;
    struct arena arena;
    uint64_t values[8];
    struct launch launch;
    struct worker worker;
    struct block *block;
    struct gang_state *state;
    const uint32_t *threads; /* the row of tid.x */
};

static void stage_init(struct stage *stage)
{
    *stage = (struct stage){.unit = exec_unit_new("mov.u32 r0, %tid.x\nadd.u32 r1, r1, r0\n"
                                                  "setp.lt.u32 p0, r1, 5\n@p0 bra out\nout: exit",
                                                  64)};
    struct bound_kernel *bound;
    const struct handler_set *handlers = handlers_at((int)device_level(stage->unit.device));
    hx_launch_options *options = &stage->unit.options;
    ck_assert_uint_le(exec_gathered_count(stage->unit.kernel, options), HX_COUNT_OF(stage->values));
    ck_assert_ok(
        exec_gather(stage->unit.device, stage->unit.kernel, options, &stage->unit.x, NULL, stage->values));
    const struct bind_request request = {.lowered = kernel_lowered(stage->unit.kernel),
                                         .handlers = handlers,
                                         .gang_lanes = 256,
                                         .threads = 256,
                                         .warp_lanes = 32};
    ck_assert_ok(bind_kernel(&request, &stage->arena, NULL, &bound));
    stage->launch = (struct launch){.device = stage->unit.device,
                                    .program = stage->unit.loaded.program,
                                    .bound = bound,
                                    .parameters = stage->values,
                                    .options = {.grid = {1, 1, 1}, .block = {256, 1, 1}, .warp_size = 32},
                                    .block_count = 1,
                                    .item_count = 1,
                                    .items_x = 1,
                                    .packed_blocks = 1,
                                    .threads_per_block = 256};
    stage->worker = (struct worker){.launch = &stage->launch};
    stage->block = block_new(&stage->worker);
    ck_assert_ptr_nonnull(stage->block);
    block_start(stage->block, 0);
    stage->state = &stage->block->gangs[0];
    stage->state->is_converged = false;
    stage->state->compaction.is_eager = false;
    stage->threads = (const uint32_t *)(const void *)(stage->state->rows + bound->special_at[SPECIAL_TID_X]);
}

static void stage_done(struct stage *stage)
{
    block_free(stage->block);
    arena_done(&stage->arena);
    exec_unit_done(&stage->unit);
}

/* Two paths: the threads that `every` divides, and the others. */
static void part_lanes(struct stage *stage, uint32_t every)
{
    struct path *paths = stage->state->paths;
    memset(paths, 0, 2 * sizeof *paths);
    paths[1].pc = 1;
    for (uint32_t l = 0; l < 256; l++)
        paths[gang_origin(stage->state, l) % every != 0].lanes[l / 64] |= UINT64_C(1) << (l % 64);
    stage->state->path_count = 2;
}

static void check_threads(const struct stage *stage)
{
    for (uint32_t l = 0; l < 256; l++)
        ck_assert_uint_eq(stage->threads[l], gang_thread(stage->state, l));
}

static void run_path(struct stage *stage, uint32_t path)
{
    stage->state->running = path;
    compact_run(stage->state);
    check_threads(stage);
}

START_TEST(lanes_move_when_it_pays)
{
    struct stage stage;
    stage_init(&stage);
    struct gang_state *state = stage.state;
    part_lanes(&stage, 3);
    run_path(&stage, 0);
    ck_assert_uint_eq(state->running_active, 86);
    ck_assert_uint_eq(state->gang.chunks, 4);
    compact_jump(state, 1); /* too early */
    ck_assert_uint_eq(state->gang.chunks, 4);
    compact_jump(state, state->compaction.price);
    ck_assert_uint_eq(state->gang.chunks, 2);
    ck_assert_uint_eq(state->running_active, 86);
    check_threads(&stage);
    for (uint32_t l = 0; l < 256; l++) {
        ck_assert_uint_eq(gang_origin(state, l), l < 86 ? 3 * l : (l - 86) / 2 * 3 + (l - 86) % 2 + 1);
        ck_assert_uint_eq(state->paths[0].lanes[l / 64] >> (l % 64) & 1, l < 86);
        ck_assert_uint_eq(state->paths[1].lanes[l / 64] >> (l % 64) & 1, l >= 86);
        ck_assert_uint_eq(state->gang.mask_bits[l / 64 % 2] >> (l % 64) & 1, l % 128 < 86);
        if (state->gang.masks->takes_bytes)
            ck_assert_uint_eq(state->gang.mask_bytes[l % 128], l % 128 < 86);
    }
    /* fewer and fewer: moved again, and from where they were at first */
    part_lanes(&stage, 9);
    run_path(&stage, 0);
    ck_assert_uint_eq(state->gang.chunks, 2);
    compact_jump(state, state->compaction.price + 1);
    ck_assert_uint_eq(state->gang.chunks, 1);
    check_threads(&stage);
    ck_assert_uint_eq(gang_origin(state, 28), 252);
    ck_assert_uint_eq(gang_origin(state, 29), 1);
    stage_done(&stage);
}
END_TEST

START_TEST(lanes_go_back_for_order)
{
    struct stage stage;
    stage_init(&stage);
    struct gang_state *state = stage.state;
    part_lanes(&stage, 3);
    run_path(&stage, 0);
    compact_now(state);
    run_path(&stage, 1); /* all behind the front: in order as they are */
    ck_assert(state->compaction.is_moved);
    ck_assert_uint_eq(state->gang.chunks, 4);
    part_lanes(&stage, 2); /* some of the front, some not */
    run_path(&stage, 0);
    ck_assert(!state->compaction.is_moved);
    for (uint32_t l = 0; l < 256; l++) {
        ck_assert_uint_eq(gang_origin(state, l), l);
        ck_assert_uint_eq(state->paths[0].lanes[l / 64] >> (l % 64) & 1, l % 2 == 0);
    }
    /* threads 0 and 3 of the front, thread 254 behind it */
    part_lanes(&stage, 3);
    run_path(&stage, 0);
    compact_now(state);
    memset(state->paths[0].lanes, 0, sizeof state->paths[0].lanes);
    state->paths[0].lanes[0] = 3;
    state->paths[0].lanes[3] = UINT64_C(1) << 63;
    run_path(&stage, 0);
    ck_assert(state->compaction.is_moved);
    ck_assert_uint_eq(gang_origin(state, 255), 254);
    stage_done(&stage);
}
END_TEST

START_TEST(lanes_go_back_at_the_end)
{
    struct stage stage;
    stage_init(&stage);
    struct gang_state *state = stage.state;
    for (uint32_t waiting = 0; waiting <= 2; waiting += 2) {
        part_lanes(&stage, 3);
        run_path(&stage, 0);
        compact_now(state);
        compact_end(state, false); /* its turn only */
        ck_assert_uint_eq(state->gang.chunks, 4);
        ck_assert(state->compaction.is_moved);
        state->path_count = waiting;
        compact_end(state, true);
        ck_assert(!state->compaction.is_moved);
        for (uint32_t l = 0; l < 256; l++)
            ck_assert_uint_eq(stage.threads[l], l);
        for (uint32_t l = 0; l < 256; l++)
            ck_assert_uint_eq(gang_origin(state, l), l);
        ck_assert(waiting == 0 || (state->paths[0].lanes[0] & 15) == 9);
    }
    stage_done(&stage);
}
END_TEST

UNIT_MAIN("exec_compact", loops_of_different_length, exits_in_nested_loops, barriers_between_loops,
          calls_and_local_memory, stores_and_atomics_are_in_order, faults_tell_the_thread,
          prints_tell_the_thread, counts_are_the_same, lanes_move_when_it_pays, lanes_go_back_for_order,
          lanes_go_back_at_the_end)
