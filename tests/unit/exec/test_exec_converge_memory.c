/* Memory in code for threads that stand together: arms of branches whose addresses are good only for those
 * that take them, faults in arms and behind parting, indices that are one value and a multiple of the
 * thread's place: strides, elements of all sizes, 32-bit indices that wrap. */
#include "converge_unit.h"

/* The first arm makes a value on its way (a parameter of 8 bits, extended) that all its threads share; the
 * second arm still needs one from in front of the branch. */
static uint32_t kept(uint32_t i)
{
    return i % block_size % 3 ? 10 : (uint32_t)-3;
}
CONVERGE_TEST(test_first_arm_leaves_what_the_second_needs, kept,
              THREAD_AND_10 "rem.u32 r3, r1, 3\nsetp.ne.u32 p0, r3, 0\n@p0 bra other\n"
                            "mov.u32 r6, $tiny\n"
                            "stg.u32 [$x + r0*4], r6\n"
                            "bra join\n"
                            "other: stg.u32 [$x + r0*4], r5\n"
                            "join: exit")

/* Both arms write one register and one predicate; one of them a register that the other does not. */
static uint32_t both(uint32_t i)
{
    const uint32_t thread = i % block_size, third = thread % 3;
    const uint32_t value = third ? 10 + 7 : 10 * thread, kept_or = third ? 500 : 600;
    return value * 1000 + kept_or + (third ? thread < 5 : 1);
}
CONVERGE_TEST(test_both_arms_write, both,
              THREAD_AND_10 "rem.u32 r3, r1, 3\nsetp.ne.u32 p0, r3, 0\n"
                            "mov.u32 r7, 500\n"
                            "@p0 bra other\n"
                            "mul.u32 r6, r5, r1\n"
                            "setp.eq.u32 p1, r5, 10\n"
                            "mov.u32 r7, 600\n"
                            "bra join\n"
                            "other: add.u32 r6, r5, 7\n"
                            "setp.lt.u32 p1, r1, 5\n"
                            "join: mad.u32 r6, r6, 1000, r7\n"
                            "@p1 add.u32 r6, r6, 1\n"
                            "stg.u32 [$x + r0*4], r6\nexit")

/* Accesses whose addresses are far outside for threads that do not take the arm: with an index, one address
 * for all, under a guard too, atomics, shared memory. */
static uint32_t inside(uint32_t i)
{
    const uint32_t thread = i % block_size;
    if (thread >= 12)
        return 1;
    return thread < 4 ? 10 + thread : 4 <= thread && thread < 8 ? 2 : 3;
}
CONVERGE_TEST(test_addresses_of_arms, inside,
              THREAD_AND_10 "mul.u32 r4, r1, 0x1000000\n"
                            "setp.ge.u32 p0, r1, 4\n"
                            "setp.ge.u32 p1, r1, 8\n"
                            "setp.ge.u32 p2, r1, 12\n"
                            "sel.u32 r4, r4, r1, p0\n"
                            "mov.u32 r6, 3\n"
                            "@p2 mov.u32 r6, 1\n"
                            "stg.u32 [$x + r0*4], r6\n"
                            "@p0 bra big\n"
                            "sts.u32 [tile + r4*4], r1\n"
                            "lds.u32 r7, [tile + r4*4]\n"
                            "add.u32 r7, r7, r5\n"
                            "stg.u32 [$x + r0*4], r7\n"
                            "bra join\n"
                            "big: @!p1 stg.u32 [$x + r0*4], r5\n"
                            "mov.u32 r9, 8\n"
                            "@!p1 atomg.sub.u32 r9, [$x + r0*4], r9\n"
                            "join: add.u32 r6, r6, 1\nexit")

static void check_fault(const char *code, struct shape shape, uint32_t thread, uint32_t instruction,
                        hx_fault_kind kind)
{
    static const uint32_t gangs[] = {1, 7, 32, 64, 256};
    struct exec_unit unit = exec_unit_new(code, 64);
    unit.options.block[1] = shape.y;
    unit.options.workers = 1;
    for (size_t level = 0; level < HX_COUNT_OF(levels); level++) {
        if (!use_level(&unit, levels[level]))
            continue;
        for (size_t g = 0; g < HX_COUNT_OF(gangs); g++) {
            unit.options.gang_lanes = gangs[g];
            const hx_status status = exec_unit_launch(&unit, 1, shape.x);
            const hx_fault *fault = &unit.result.fault;
            const uint32_t faulting = fault->thread[0] + shape.x * fault->thread[1];
            if (kind == HX_FAULT_NONE) {
                ck_assert_msg(status == HX_OK, "gangs of %u\n%s", gangs[g], code);
                continue;
            }
            ck_assert_msg(status == HX_FAULT && fault->kind == kind && faulting == thread &&
                              fault->instruction == instruction,
                          "%s, gangs of %u: %s in thread %u, instruction %u: %s\n%s", levels[level], gangs[g],
                          hx_fault_text(fault->kind), faulting, fault->instruction, fault->detail, code);
        }
    }
    exec_unit_done(&unit);
}

START_TEST(test_faults_in_arms)
{
    const struct shape block = {64, 0, 0};
    /* one place for all: the first thread that takes the arm, not thread 0 */
    check_fault("mov.u32 r1, %tid.x\nsetp.lt.u32 p0, r1, 40\n@p0 bra join\nldg.u32 r6, [$x + 4000000]\n"
                "stg.u32 [$x + r1*4], r6\njoin: exit",
                block, 40, 3, HX_FAULT_OUT_OF_RANGE);
    check_fault("mov.u32 r1, %tid.x\nmov.u32 r5, $n\nsetp.lt.u32 p0, r1, 40\n@p0 bra join\n"
                "ldg.u32 r6, [$x + r5*2]\nstg.u32 [$x + r1*4], r6\njoin: exit",
                block, 40, 4, HX_FAULT_MISALIGNED);
    check_fault(
        "mov.u32 r1, %tid.x\nmov.u32 r5, 20\nsetp.ge.u32 p0, r1, 40\n@p0 bra other\nmov.u32 r6, 1\nbra join\n"
        "other: lds.u32 r6, [tile + r5*4]\nsts.u32 [tile], r6\njoin: exit",
        block, 40, 6, HX_FAULT_OUT_OF_RANGE);
    /* an index of each thread, a guard within a arm, an atomic */
    check_fault("mov.u32 r1, %tid.x\nmul.u32 r4, r1, 2\nsetp.lt.u32 p0, r1, 20\n@p0 bra join\n"
                "stg.u32 [$x + r4*4], r1\njoin: exit",
                block, 32, 4, HX_FAULT_OUT_OF_RANGE);
    check_fault("mov.u32 r1, %tid.x\nmul.u32 r4, r1, 2\nsetp.lt.u32 p0, r1, 20\nsetp.lt.u32 p1, r1, 50\n"
                "@p0 bra join\n@!p1 ldg.u32 r6, [$x + r4*4]\njoin: exit",
                block, 50, 5, HX_FAULT_OUT_OF_RANGE);
    check_fault("mov.u32 r1, %tid.x\nmul.u32 r4, r1, 2\nsetp.ge.u32 p0, r1, 33\n@!p0 bra join\n"
                "redg.add.u32 [$x + r4*4], r1\njoin: exit",
                block, 33, 4, HX_FAULT_OUT_OF_RANGE);
}
END_TEST

/* A load of one element for all, and one by a multiple of the thread's place, behind parting and in front. */
START_TEST(test_faults_of_affine_parts)
{
    check_fault("mov.u32 r1, %tid.x\nldg.u32 r6, [$x + r1*4 + 8]\nexit", (struct shape){62, 0, 0}, 0, 0,
                HX_FAULT_NONE);
    check_fault("mov.u32 r1, %tid.x\nldg.u32 r6, [$x + r1*4 + 8]\nexit", (struct shape){64, 0, 0}, 62, 1,
                HX_FAULT_OUT_OF_RANGE);
    check_fault("mov.u32 r1, %tid.x\nldg.u32 r6, [$x + r1.i32*4 - 8]\nexit", (struct shape){64, 0, 0}, 0, 1,
                HX_FAULT_OUT_OF_RANGE);
    check_fault(
        "mov.u32 r1, %tid.x\nmov.u32 r2, %tid.y\nmad.u32 r1, r2, 20, r1\nstg.u32 [$x + r1*4], r1\nexit",
        (struct shape){16, 4, 0}, 3 * 16 + 4, 3, HX_FAULT_OUT_OF_RANGE);
    check_fault("mov.u32 r1, %tid.x\nldg.u32 r6, [$x + r1*2]\nexit", (struct shape){64, 0, 0}, 1, 1,
                HX_FAULT_MISALIGNED);
    check_fault("mov.u32 r1, %tid.x\nldg.u32 r6, [$x + 256]\nexit", (struct shape){64, 0, 0}, 0, 1,
                HX_FAULT_OUT_OF_RANGE);
    check_fault("mov.u32 r1, %tid.x\nmul.u32 r2, r1, 4\nldg.u32.v4 r8, [$x + r2*4]\nexit",
                (struct shape){64, 0, 0}, 16, 2, HX_FAULT_OUT_OF_RANGE);
}
END_TEST

/* Indices of 32 bits: with sign they go below 0 and not beyond 2^31 - 1, without they end at 2^32 - 1. The
 * base lies so far from x that they meet it there. */
START_TEST(test_indices_wrap)
{
    const struct {
        const char *index, *away, *type; /* the same part; what is added to the base; of the index */
        uint32_t threads, fault;         /* which thread's index wraps; `threads`: none */
    } cases[] = {{"0xfffffffb", "20", "i32", 64, 64},
                 {"0xfffffffb", "16", "i32", 64, 0},
                 {"0xfffffffb", "20", "u32", 64, 0},
                 {"0xfffffff0", "0xfffffffc00000040", "u32", 16, 16},
                 {"0xfffffff0", "0xfffffffc00000040", "u32", 33, 16},
                 {"0x7ffffff8", "0xfffffffe00000020", "i32", 8, 8},
                 {"0x7ffffff8", "0xfffffffe00000020", "i32", 33, 8},
                 {"0x7ffffff8", "0xfffffffe00000020", "u32", 64, 64},
                 {"0x80000000", "8589934592", "i32", 64, 64},
                 {"0x80000000", "8589934588", "i32", 64, 0}};
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        char code[400];
        snprintf(
            code, sizeof code,
            "mov.u32 r1, %%tid.x\nmov.u32 r5, %s\nadd.u32 r2, r1, r5\nmov.u64 r3, $x\n"
            "mov.u64 r4, %s\nadd.u64 r3, r3, r4\nstg.u32 [r3 + r2.%s*4], r1\nldg.u32 r6, [r3 + r2.%s*4]\n"
            "setp.ne.u32 p0, r6, r1\n@p0 trap\nexit",
            cases[i].index, cases[i].away, cases[i].type, cases[i].type);
        const bool faults = cases[i].fault < cases[i].threads;
        check_fault(code, (struct shape){cases[i].threads, 0, 0}, cases[i].fault, 6,
                    faults ? HX_FAULT_OUT_OF_RANGE : HX_FAULT_NONE);
    }
    /* multiples that wrap: of 2^30, of 2^31, and of 2^32, which is 0 */
    check_fault("mov.u32 r1, %tid.x\nmul.u32 r1, r1, 0x40000000\nstg.u32 [$x + r1*4], r1\nexit",
                (struct shape){33, 0, 0}, 1, 2, HX_FAULT_OUT_OF_RANGE);
    check_fault("mov.u32 r1, %tid.x\nshl.u32 r1, r1, 31\nstg.u32 [$x + r1.i32*4], r1\nexit",
                (struct shape){33, 0, 0}, 1, 2, HX_FAULT_OUT_OF_RANGE);
    check_fault(
        "mov.u32 r1, %tid.x\nmul.u32 r1, r1, 0x10000\nshl.u32 r2, r1, 16\nldg.u32 r6, [$x + r2*4]\nexit",
        (struct shape){33, 0, 0}, 0, 0, HX_FAULT_NONE);
}
END_TEST

#define ELEMENTS 8192 /* of 32 bits that are read; the threads' results stand behind them */

struct reading {
    const char *type;
    uint32_t bytes, scale;
    int32_t x, y, from;
    struct shape shape;
};

/* What a thread reads, as bits extended to 64. */
static uint64_t element_of(const struct reading *access, const uint32_t *start, uint32_t thread)
{
    const int32_t x = (int32_t)(thread % access->shape.x), y = (int32_t)(thread / access->shape.x);
    const int32_t index = access->from + x * access->x + y * access->y;
    uint64_t bits = 0;
    memcpy(&bits, (const char *)start + (uint32_t)index * access->scale, access->bytes);
    if (strcmp(access->type, "i8") == 0)
        return (uint32_t)(int8_t)bits;
    return strcmp(access->type, "i16") == 0 ? (uint32_t)(int16_t)bits : bits;
}

/* Loads by the affine_part, adds 3, and stores where nobody reads: densely. */
static void check_access(const struct reading *access)
{
    const uint32_t threads = shape_threads(access->shape), words = access->bytes == 8 ? 2 : 1;
    const uint32_t elements = ELEMENTS + threads * words;
    const char *const wide = access->bytes == 8 ? "u64" : "u32";
    uint32_t *const start = calloc(elements, sizeof *start), *const want = calloc(elements, sizeof *want);
    char code[600];
    for (uint32_t i = 0; i < ELEMENTS; i++)
        start[i] = (i + 1) * 2654435761u;
    memcpy(want, start, elements * sizeof *want);
    for (uint32_t t = 0; t < threads; t++) {
        const uint64_t sum = element_of(access, start, t) + 3;
        memcpy(want + ELEMENTS + t * words, &sum, words * 4);
    }
    snprintf(code, sizeof code,
             "mov.i32 r1, %%tid.x\nmov.i32 r2, %%tid.y\nmul.i32 r3, r1, %d\nmad.i32 r3, r2, %d, r3\n"
             "mov.i32 r4, %d\nsub.i32 r4, r4, 5\nadd.i32 r3, r4, r3\n"
             "ldg.%s r6, [$x + r3.i32*%u + %u]\nadd.%s r6, r6, 3\n"
             "mov.u32 r7, %%tid.y\nmad.u32 r7, r7, %u, r1\nstg.%s [$x + r7*%u + %u], r6\nexit",
             access->x, access->y, access->from, access->type, access->scale, 5 * access->scale, wide,
             access->shape.x, wide, words * 4, ELEMENTS * 4);
    check_ways("", code, 1, access->shape, elements, start, want);
    free(start);
    free(want);
}

START_TEST(test_strides)
{
    static const struct {
        const char *type;
        uint32_t bytes;
    } types[] = {{"u8", 1}, {"i8", 1}, {"u16", 2}, {"i16", 2}, {"u32", 4}, {"f32", 4}, {"u64", 8}};
    static const struct shape shapes[] = {{33, 1, 0}, {16, 4, 0}, {32, 7, 0}, {250, 1, 0},
                                          {8, 30, 0}, {7, 9, 0},  {128, 2, 0}};
    static const int32_t strides[] = {1, 0, -1, 2, 16, 3};
    for (uint32_t t = 0; t < HX_COUNT_OF(types); t++)
        for (uint32_t s = 0; s < HX_COUNT_OF(strides); s++) {
            const bool by_bytes = (t + s) % 3 == 2;
            struct reading access = {.type = types[t].type,
                                     .bytes = types[t].bytes,
                                     .scale = by_bytes ? 1 : types[t].bytes,
                                     .x = strides[s] * (by_bytes ? (int32_t)types[t].bytes : 1),
                                     .from = strides[s] < 0 ? 2048 : 24,
                                     .shape = shapes[(t + 3 * s) % HX_COUNT_OF(shapes)]};
            access.y = (int32_t)(access.x * (int32_t)(s % 2 ? access.shape.x : 5));
            if (strcmp(types[t].type, "f32") == 0)
                access.type = "u32";
            check_access(&access);
        }
}
END_TEST

UNIT_MAIN("exec_converge_memory", test_first_arm_leaves_what_the_second_needs, test_both_arms_write,
          test_addresses_of_arms, test_faults_in_arms, test_faults_of_affine_parts, test_indices_wrap,
          test_strides)
