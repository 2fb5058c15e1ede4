/* Listeners: which calls a launch makes. A recorder writes a line for each call; tests compare the lines with
 * what the kernel must do, thread by thread. */
#include "exec_unit.h"

#include <stdarg.h>

static void record(void *user, const char *format, ...)
{
    struct text *lines = user;
    va_list arguments;
    va_start(arguments, format);
    text_print_list(lines, format, arguments);
    va_end(arguments);
    text_append(lines, "\n", 1);
}

static void record_lanes(void *user, const char *what, const hx_lanes_event *event)
{
    record(user, "%s %u: %llx of %llx", what, event->at.instruction, (unsigned long long)event->lanes,
           (unsigned long long)event->standing);
}

static hx_status on_begin(void *user, const hx_launch_begin *event)
{
    record(user, "begin, block %u, %u workers", event->options->block[0], event->workers);
    return HX_OK;
}
static void on_end(void *user, const hx_launch_end *event)
{
    record(user, "end, %llu blocks", (unsigned long long)event->result->blocks_done);
}
static void on_block(void *user, const hx_interval_event *event)
{
    record(user, "block %llu%s", (unsigned long long)event->block,
           event->start_ticks <= event->end_ticks ? "" : " ends before it begins");
}
static void on_step(void *user, const hx_lanes_event *event)
{
    record_lanes(user, "step", event);
}
static void on_branch(void *user, const hx_lanes_event *event)
{
    record(user, "branch %u: %llx of %llx to %u", event->at.instruction, (unsigned long long)event->lanes,
           (unsigned long long)event->standing, event->target);
}
static void on_call(void *user, const hx_lanes_event *event)
{
    record(user, "call %u: %llx to %u", event->at.instruction, (unsigned long long)event->lanes,
           event->target);
}
static void on_return(void *user, const hx_lanes_event *event)
{
    record_lanes(user, "return", event);
}
static void on_exit_lanes(void *user, const hx_lanes_event *event)
{
    record_lanes(user, "exit", event);
}
static void on_arrive(void *user, const hx_lanes_event *event)
{
    record(user, "arrive %u: %llx at %u", event->at.instruction, (unsigned long long)event->lanes,
           event->value);
}
static void on_release(void *user, const hx_release_event *event)
{
    record(user, "release %u: %u threads", event->barrier, event->threads);
}
static void on_fence(void *user, const hx_lanes_event *event)
{
    record(user, "fence %u: %llx, scope %u", event->at.instruction, (unsigned long long)event->lanes,
           event->value);
}
static void on_warp_sync(void *user, const hx_lanes_event *event)
{
    record_lanes(user, "warp_sync", event);
}
static void on_stack(void *user, const hx_lanes_event *event)
{
    record_lanes(user, "stack", event);
}
static int on_access(void *user, const hx_access_event *event, hx_refusal *refusal)
{
    (void)refusal;
    record(user, "%s%s %u: %llx, %u bytes in %d, first 0x%llx", event->is_load ? "load" : "",
           event->is_store ? "store" : "", event->at.instruction, (unsigned long long)event->lanes,
           event->lane_bytes, event->space,
           (unsigned long long)event->addresses[__builtin_ctzll(event->lanes)]);
    return 0;
}
static void on_atomic(void *user, const hx_atomic_event *event)
{
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const int lane = __builtin_ctzll(left);
        record(user, "atomic %u: lane %d, %llu to %llu", event->at.instruction, lane,
               (unsigned long long)event->old_values[lane], (unsigned long long)event->new_values[lane]);
    }
}
static void on_write(void *user, const hx_write_event *event)
{
    const int last = 63 - __builtin_clzll(event->lanes);
    record(user, "write %u: %llx, %c%u of %u bytes, last 0x%llx", event->at.instruction,
           (unsigned long long)event->lanes, event->is_predicate ? 'p' : 'r', event->number, event->bytes,
           (unsigned long long)event->values[last]);
}
static void on_print(void *user, const hx_print_event *event)
{
    record(user, "print %u: thread %u, %zu bytes from %d", event->at.instruction, event->at.first_thread,
           event->bytes, event->text[0]);
}
static void on_fault(void *user, const hx_fault_event *event)
{
    record(user, "fault: %s, thread %u", hx_fault_name(event->fault->kind), event->fault->thread[0]);
}

static hx_listener recorder(struct text *lines, uint32_t events)
{
    text_init(lines, NULL);
    return (hx_listener){.size = sizeof(hx_listener),
                         .events = events,
                         .user = lines,
                         .begin = on_begin,
                         .end = on_end,
                         .block = on_block,
                         .step = on_step,
                         .branch = on_branch,
                         .call = on_call,
                         .returned = on_return,
                         .exited = on_exit_lanes,
                         .arrive = on_arrive,
                         .release = on_release,
                         .fence = on_fence,
                         .warp_sync = on_warp_sync,
                         .stack = on_stack,
                         .access = on_access,
                         .atomic = on_atomic,
                         .write = on_write,
                         .print = on_print,
                         .fault = on_fault};
}

static void launch_with(struct exec_unit *unit, const hx_listener *const *listeners, size_t count,
                        uint32_t grid, uint32_t block, hx_status wanted)
{
    unit->options.listeners = listeners;
    unit->options.listener_count = count;
    unit->options.workers = 1;
    const hx_status status = exec_unit_launch(unit, grid, block);
    ck_assert_msg(status == wanted, "%s: %s", hx_status_name(status),
                  hx_diag_count(unit->loaded.diag) ? hx_diag_at(unit->loaded.diag, 0)->message : "");
}

static const struct known {
    const char *what, *more, *code;
    uint32_t events, block;
    const char *lines;
} known[] = {
    {"launch and blocks", "", "nop\nexit", HX_EVENT_LAUNCH | HX_EVENT_BLOCK, 4,
     "begin, block 4, 1 workers\nblock 0\nblock 1\nend, 2 blocks\n"},
    {"steps", "", "mov.u32 r0, %tid.x\nsetp.lt.u32 p0, r0, 2\n@p0 add.u32 r0, r0, 1\nexit", HX_EVENT_STEP, 4,
     "step 0: f of f\nstep 1: f of f\nstep 2: 3 of f\nstep 3: f of f\n"
     "step 0: f of f\nstep 1: f of f\nstep 2: 3 of f\nstep 3: f of f\n"},
    {"branches", "", "mov.u32 r0, %tid.x\nsetp.lt.u32 p0, r0, 3\n@p0 bra out\nbra out\nout: exit",
     HX_EVENT_BRANCH, 4,
     "branch 2: 7 of f to 4\nbranch 3: 8 of 8 to 4\nbranch 2: 7 of f to 4\nbranch 3: 8 of 8 to 4\n"},
    {"calls", "", "call f\nexit\nf: ret", HX_EVENT_CALL | HX_EVENT_RETURN | HX_EVENT_EXIT, 4,
     "call 0: f to 2\nreturn 2: f of f\nexit 1: f of f\ncall 0: f to 2\nreturn 2: f of f\nexit 1: f of f\n"},
    {"barriers", "", "bar.sync 3\nreduce.add.u32 r1, r1\nexit", HX_EVENT_BARRIER, 4,
     "arrive 0: f at 3\nrelease 3: 4 threads\narrive 1: f at 16\nrelease 16: 4 threads\n"
     "arrive 0: f at 3\nrelease 3: 4 threads\narrive 1: f at 16\nrelease 16: 4 threads\n"},
    {"fences and warps", "", "membar.device\nwarpsync\nvote.ballot.u32 r0, p0\nexit",
     HX_EVENT_FENCE | HX_EVENT_WARP_SYNC, 4,
     "fence 0: f, scope 2\nwarp_sync 1: f of f\nwarp_sync 2: f of f\n"
     "fence 0: f, scope 2\nwarp_sync 1: f of f\nwarp_sync 2: f of f\n"},
    {"stacks", "", "alloca.u64 r0, 16\nexit", HX_EVENT_STACK, 4, "stack 0: f of f\nstack 0: f of f\n"},
    {"accesses", "", "mov.u32 r0, %tid.x\nsts.u32 [tile + r0*4 + 4], r0\nlds.u32 r1, [tile + r0*4]\nexit",
     HX_EVENT_ACCESS, 4,
     "store 1: f, 4 bytes in 2, first 0x4\nload 2: f, 4 bytes in 2, first 0x0\n"
     "store 1: f, 4 bytes in 2, first 0x4\nload 2: f, 4 bytes in 2, first 0x0\n"},
    {"prints", "", "mov.u32 r0, %tid.x\nprint.u32 lut, r0\nexit", HX_EVENT_PRINT, 2,
     "print 1: thread 0, 1 bytes from 1\nprint 1: thread 1, 1 bytes from 1\n"
     "print 1: thread 0, 1 bytes from 1\nprint 1: thread 1, 1 bytes from 1\n"},
    {"atomics", "", "mov.u32 r0, %tid.x\natom.add.u32 r1, [$x], r0\nexit", HX_EVENT_ATOMIC, 3,
     "atomic 1: lane 0, 0 to 0\natomic 1: lane 1, 0 to 1\natomic 1: lane 2, 1 to 3\n"
     "atomic 1: lane 0, 3 to 3\natomic 1: lane 1, 3 to 4\natomic 1: lane 2, 4 to 6\n"},
    {"writes", "",
     "mov.u32 r0, %tid.x\nsetp.eq.u32 p1, r0, 2\n@p1 mov.u64 r2, 77\nbar.red.popc.u32 r3, 0, p1\nexit",
     HX_EVENT_WRITE, 3,
     "write 0: 7, r0 of 4 bytes, last 0x2\nwrite 1: 7, p1 of 1 bytes, last 0x1\n"
     "write 2: 4, r2 of 8 bytes, last 0x4d\nwrite 3: 7, r3 of 4 bytes, last 0x1\n"
     "write 0: 7, r0 of 4 bytes, last 0x2\nwrite 1: 7, p1 of 1 bytes, last 0x1\n"
     "write 2: 4, r2 of 8 bytes, last 0x4d\nwrite 3: 7, r3 of 4 bytes, last 0x1\n"},
};

START_TEST(test_known)
{
    for (size_t i = 0; i < HX_COUNT_OF(known); i++) {
        struct exec_unit unit = exec_unit_new_with(known[i].more, known[i].code, 64);
        struct text lines;
        const hx_listener listener = recorder(&lines, known[i].events);
        const hx_listener *const list[] = {&listener};
        for (int plain = 0; plain < 2; plain++) {
            lines.length = 0;
            unit.options.plain = plain;
            exec_unit_x(&unit)[0] = 0;
            launch_with(&unit, list, 1, 2, known[i].block, HX_OK);
            ck_assert_msg(known[i].lines && strcmp(lines.at, known[i].lines) == 0, "%s, plain %d:\n%s",
                          known[i].what, plain, lines.at);
        }
        text_done(&lines);
        exec_unit_done(&unit);
    }
}
END_TEST

struct caller {
    int number;
    struct text *order;
};

static int append_number(void *user, const hx_access_event *event, hx_refusal *refusal)
{
    const struct caller *caller = user;
    (void)event, (void)refusal;
    text_print(caller->order, "%d", caller->number);
    return 0;
}

/* All of them, in their order: those of the launch, then those of the device. */
START_TEST(test_order)
{
    struct exec_unit unit = exec_unit_new("mov.u32 r0, 7\nstg.u32 [$x], r0\nexit", 1);
    struct text order;
    struct caller callers[3];
    hx_listener listeners[3];
    text_init(&order, NULL);
    for (int i = 0; i < 3; i++) {
        callers[i] = (struct caller){i, &order};
        listeners[i] = (hx_listener){.size = sizeof(hx_listener),
                                     .events = i == 1 ? HX_EVENT_LAUNCH : HX_EVENT_ACCESS,
                                     .user = &callers[i],
                                     .access = append_number};
    }
    const hx_listener *const list[] = {&listeners[0], &listeners[1], &listeners[0]};
    ck_assert_int_eq(hx_device_listen(unit.device, &listeners[2], NULL), HX_OK);
    launch_with(&unit, list, 3, 1, 1, HX_OK);
    ck_assert_str_eq(order.at, "002"); /* the one between has a function, but does not want the event */
    hx_device_unlisten(unit.device, &listeners[2]);
    launch_with(&unit, list, 1, 1, 1, HX_OK);
    ck_assert_str_eq(order.at, "0020");
    text_done(&order);
    exec_unit_done(&unit);
}
END_TEST

static hx_status refuse_to_begin(void *user, const hx_launch_begin *event)
{
    (void)event;
    record(user, "no");
    return HX_LIMIT;
}

/* The launch does not run; only who has begun is ended. */
START_TEST(test_begin_that_fails)
{
    struct exec_unit unit = exec_unit_new("mov.u32 r0, 7\nstg.u32 [$x], r0\nexit", 1);
    struct text first, second;
    const hx_listener one = recorder(&first, HX_EVENT_LAUNCH);
    hx_listener other = recorder(&second, HX_EVENT_LAUNCH | HX_EVENT_COUNTS);
    const hx_listener *const list[] = {&one, &other};
    other.begin = refuse_to_begin;
    launch_with(&unit, list, 2, 1, 1, HX_LIMIT);
    ck_assert_str_eq(first.at, "begin, block 1, 1 workers\nend, 0 blocks\n");
    ck_assert_str_eq(second.at, "no\n");
    ck_assert_uint_eq(exec_unit_x(&unit)[0], 0);
    text_done(&first);
    text_done(&second);
    exec_unit_done(&unit);
}
END_TEST

static int refuse_third_lane(void *user, const hx_access_event *event, hx_refusal *refusal)
{
    (void)user;
    if (!(event->lanes >> 2 & 1))
        return 0;
    refusal->lane = 2;
    snprintf(refusal->detail, sizeof refusal->detail, "thread 2 may not");
    return 1;
}

START_TEST(test_refusal)
{
    struct exec_unit unit =
        exec_unit_new("mov.u32 r0, %tid.x\nmov.u32 r1, 7\nstg.u32 [$x + r0*4], r1\nexit", 4);
    struct text lines;
    const hx_listener refusing = {
        .size = sizeof refusing, .events = HX_EVENT_ACCESS, .access = refuse_third_lane};
    const hx_listener recording = recorder(&lines, HX_EVENT_FAULT | HX_EVENT_ACCESS);
    const hx_listener *const list[] = {&refusing, &recording};
    launch_with(&unit, list, 2, 1, 2, HX_OK);
    lines.length = 0;
    launch_with(&unit, list, 2, 1, 4, HX_FAULT);
    ck_assert_str_eq(lines.at, "fault: REFUSED, thread 2\n"); /* the access is not passed on */
    ck_assert_int_eq(unit.result.fault.kind, HX_FAULT_REFUSED);
    ck_assert_uint_eq(unit.result.fault.address, hx_buffer_address(unit.x) + 8);
    ck_assert_uint_eq(exec_unit_x(&unit)[2], 0); /* no lane has stored */
    exec_unit_check_message(&unit, 1663, "thread (2,0,0): store of 4 bytes", "thread 2 may not");
    text_done(&lines);
    exec_unit_done(&unit);
}
END_TEST

struct turns {
    uint64_t accesses;
    bool good;
};

/* Two loads of three warps: each warp's first, then each one's second, as they would reach a cache. */
static int follow_turns(void *user, const hx_access_event *event, hx_refusal *refusal)
{
    struct turns *turns = user;
    (void)refusal;
    turns->good &= event->at.worker == 0 && event->at.instruction == (turns->accesses / 3 % 2 == 0 ? 1 : 2);
    turns->good &=
        event->at.first_thread == turns->accesses % 3 * 32 && event->at.block == turns->accesses / 6;
    turns->accesses++;
    return 0;
}

START_TEST(test_turns)
{
    struct exec_unit unit = exec_unit_new("mov.u32 r0, %tid.x\n"
                                          "ldg.u32 r1, [$x + r0*4]\n"
                                          "ldg.u32 r2, [$x + r0*4 + 4]\n"
                                          "exit",
                                          97);
    struct turns turns = {.good = true};
    const hx_listener listener = {
        .size = sizeof listener, .events = HX_EVENT_ACCESS, .user = &turns, .access = follow_turns};
    const hx_listener *const list[] = {&listener};
    unit.options.turns = HX_TURNS_ACCESS;
    unit.options.gang_lanes = HX_GANG_OF_WARP;
    launch_with(&unit, list, 1, 40, 96, HX_OK);
    ck_assert(turns.good);
    ck_assert_uint_eq(turns.accesses, 40 * 6);
    exec_unit_done(&unit);
}
END_TEST

static void on_buffer(void *user, const hx_buffer_event *event)
{
    static const char *const changes[] = {"made", "freed", "filled", "copied in", "copied out", "copied"};
    record(user, "%s: %llu bytes", changes[event->change], (unsigned long long)event->bytes);
}

START_TEST(test_buffers)
{
    struct exec_unit unit = exec_unit_new("exit", 1);
    struct text lines;
    hx_listener listener = recorder(&lines, HX_EVENT_BUFFER);
    hx_buffer *buffer = NULL;
    listener.buffer = on_buffer;
    ck_assert_int_eq(hx_device_listen(unit.device, &listener, NULL), HX_OK);
    ck_assert_int_eq(hx_buffer_new(unit.device, "y", 24, HX_ACCESS_READWRITE, NULL, &buffer), HX_OK);
    hx_buffer_free(unit.device, buffer);
    ck_assert_str_eq(lines.at, "made: 24 bytes\nfreed: 24 bytes\n");
    hx_device_unlisten(unit.device, &listener);
    text_done(&lines);
    exec_unit_done(&unit);
}
END_TEST

struct seen_lanes {
    uint8_t times[200];
};

static int count_lanes(void *user, const hx_access_event *event, hx_refusal *refusal)
{
    struct seen_lanes *seen = user;
    (void)refusal;
    for (uint64_t left = event->lanes; left; left &= left - 1)
        seen->times[event->at.first_thread + (uint32_t)__builtin_ctzll(left)]++;
    return 0;
}

/* Each thread that stores is in one event, whatever the width of gangs; threads have parted before. */
START_TEST(test_wide_gangs)
{
    static const uint32_t gangs[] = {0, 1, 7, 64, 100, 256, HX_GANG_OF_WARP};
    struct exec_unit unit = exec_unit_new("mov.u32 r0, %tid.x\n"
                                          "again: add.u32 r1, r1, 7\n"
                                          "setp.lt.u32 p0, r1, r0\n"
                                          "@p0 bra again\n"
                                          "setp.lt.u32 p1, r0, 190\n"
                                          "@p1 stg.u32 [$x + r0*4], r1\n"
                                          "exit",
                                          200);
    for (size_t g = 0; g < HX_COUNT_OF(gangs); g++) {
        struct seen_lanes seen = {{0}};
        const hx_listener listener = {
            .size = sizeof listener, .events = HX_EVENT_ACCESS, .user = &seen, .access = count_lanes};
        const hx_listener *const list[] = {&listener};
        unit.options.gang_lanes = gangs[g];
        launch_with(&unit, list, 1, 1, 200, HX_OK);
        for (uint32_t t = 0; t < 200; t++) {
            ck_assert_uint_eq(seen.times[t], t < 190);
            ck_assert_uint_eq(exec_unit_x(&unit)[t], t >= 190 ? 0 : t <= 7 ? 7 : (t + 6) / 7 * 7);
        }
    }
    exec_unit_done(&unit);
}
END_TEST

UNIT_MAIN("exec_listener", test_known, test_order, test_begin_that_fails, test_refusal, test_turns,
          test_buffers, test_wide_gangs)
