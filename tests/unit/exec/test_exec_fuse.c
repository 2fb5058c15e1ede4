/* Multiply-adds that are done in one go with the loads of their factors, against the same instructions one by
 * one: a driver that tells of each issue is shown each, and a gang of a single lane has no groups. Random
 * code of all kinds of places, over floats of all kinds; faults in each load; counts. */
#include "fuse_unit.h"

#define TABLE   4096 /* elements of x that are loaded; those behind are for results */
#define RESULTS 6    /* of a thread */

static const struct shape shapes[] = {{256, 0, 0}, {16, 16, 0}, {32, 8, 0},  {8, 8, 4},  {64, 4, 0},
                                      {128, 0, 0}, {48, 4, 0},  {16, 5, 0},  {96, 0, 0}, {100, 2, 0},
                                      {16, 1, 0},  {16, 2, 8},  {160, 2, 0}, {64, 16, 0}};

/* r0 to r2: tid; r3: the number in the block, r4: in the grid; r5: 10 in all threads. r6 to r9: indices of
 * which each is a sum of multiples of tid; r10: one that is none. r20 to r23: sums; r24, r25: factors. */
static void print_head(struct text *text, const struct shape *shape)
{
    text_print(text,
               "mov.u32 r0, %%tid.x\nmov.u32 r1, %%tid.y\nmov.u32 r2, %%tid.z\nmov.u64 r4, %%gtid\n"
               "cvt.u32.u64 r4, r4\nmov.u32 r5, $n\nadd.u32 r5, r5, 3\n"
               "mad.u32 r3, r2, %u, r1\nmad.u32 r3, r3, %u, r0\nmov.u32 r6, r3\n",
               shape->y ? shape->y : 1, shape->x);
    for (int i = 7; i < 10; i++) {
        static const char *const sums[] = {
            "mov.u32 r%d, r0\n",         "mul.u32 r%d, r1, 16\n",     "mad.u32 r%d, r1, 32, r0\n",
            "add.u32 r%d, r0, r5\n",     "mul.u32 r%d, r0, 2\n",      "mad.u32 r%d, r1, 7, r5\n",
            "sub.u32 r%d, 1000, r0\n",   "mad.u32 r%d, r2, 64, r0\n", "add.u32 r%d, r3, r5\n",
            "mad.u32 r%d, r1, 16, r3\n", "mov.u32 r%d, r1\n",         "mul.u32 r%d, r2, 5\n"};
        text_print(text, sums[draw(HX_COUNT_OF(sums))], i);
    }
    text_print(text, "xor.u32 r10, r3, 5\n");
    for (int i = 20; i < 26; i++)
        text_print(text, "ldg.f32 r%d, [$x + r6*4 + %u]\n", i, 4 * draw(1000));
}

static void print_load(struct text *text, uint32_t to, uint32_t index, uint32_t offset)
{
    if (index == 11)
        text_print(text, "ldg.f32 r%u, [$x + %u]\n", to, 4 * offset);
    else if (index == 12)
        text_print(text, "lds.u32 r%u, [tile + %u]\n", to, 4 * (offset % 4));
    else
        text_print(text, "ldg.%s r%u, [$x + r%u*4 + %u]\n", offset % 5 ? "f32" : "u32", to, index,
                   4 * offset);
}

/* One to many multiply-adds of a kind; `how` is what there is besides the kind that may be fused. */
static void print_chain(struct text *text)
{
    const uint32_t links = draw(3) ? 1 + draw(5) : 1 + draw(40), x = 5 + draw(8), y = 5 + draw(8);
    const uint32_t offset_x = draw(300), offset_y = draw(300), step_x = draw(3), step_y = draw(40);
    const uint32_t how = draw(12), sum = 20 + draw(4), kind = draw(3);
    for (uint32_t i = 0; i < links; i++) {
        const uint32_t from = how == 0 && i > 0 ? 20 + draw(4) : sum, at = how == 1 && i == links / 2 ? 6 : x;
        const uint32_t to = how == 2 && i % 2 ? 20 + draw(4) : sum, row = how == 3 ? 20 + draw(6) : 24;
        print_load(text, 30, at, offset_x + i * step_x);
        if (how == 4 && i == links / 2) /* an address from what was loaded */
            text_print(text, "and.u32 r6, r30, 255\n");
        if (kind != 0)
            print_load(text, how == 5 ? 30 : 31, y, offset_y + i * step_y);
        if (kind == 0)
            text_print(text, "fma.f32 r%u, %s, r%u\n", to,
                       row == 24   ? "r30, r24"
                       : row == 23 ? "r23, r30"
                       : row == 22 ? "r30, 1.5"
                       : row == 21 ? "r30, r30"
                                   : "r20, r30",
                       from);
        else
            text_print(text, "fma.f32 r%u, %s, %s\n", to, kind == 1 ? "r30, r31" : "r31, r30",
                       how == 6 && i == 1 ? "r31"
                       : from == 20       ? "r20"
                       : from == 21       ? "r21"
                       : from == 22       ? "r22"
                                          : "r23");
        if (how == 7 && i == links / 2) /* what was loaded is wanted */
            text_print(text, "add.f32 r25, r25, r30\n");
        if (how == 8 && i == links / 2) /* and the sum in between */
            text_print(text, "mul.f32 r25, r%u, 0.5\n", to);
        if (how == 9 && i == links / 2)
            text_print(text, "fma.f32%s r%u, r24, r25, r%u\n", i % 2 ? ".ftz" : ".rz", to, to);
    }
}

/* Every two kinds of places, in both orders, and each with a row. */
static void print_pairs(struct text *text)
{
    static const uint32_t places[] = {5, 6, 7, 8, 9, 11, 12};
    text_print(text, "mov.u32 r7, r0\nmul.u32 r8, r1, 16\nadd.u32 r9, r3, r5\n");
    for (uint32_t pair = 0; pair < HX_COUNT_OF(places) * (HX_COUNT_OF(places) + 1); pair++) {
        const uint32_t x = pair % HX_COUNT_OF(places), y = pair / HX_COUNT_OF(places), sum = 20 + draw(4);
        for (uint32_t link = 0; link < 2; link++) {
            print_load(text, 30, places[x], pair + link);
            if (y < HX_COUNT_OF(places))
                print_load(text, 31, places[y], pair + 3 * link);
            text_print(text, "fma.f32 r%u, r30, r%u, r%u\n", sum, y < HX_COUNT_OF(places) ? 31 : 24 + x % 2,
                       sum);
        }
    }
}

static void print_end(struct text *text)
{
    text_print(text, "mul.u32 r4, r4, %u\n", RESULTS);
    for (uint32_t i = 0; i < RESULTS; i++)
        text_print(text, "stg.f32 [$x + r4*4 + %u], r%u\n", 4 * (TABLE + i), 20 + i);
    text_print(text, "exit");
}

static void check_random(uint32_t seed, bool has_pairs)
{
    random_state = seed * 77777u + 5;
    const struct shape *shape = &shapes[seed % HX_COUNT_OF(shapes)];
    const uint32_t elements = TABLE + 2 * shape_threads(*shape) * RESULTS;
    struct text text;
    text_init(&text, NULL);
    print_head(&text, shape);
    for (uint32_t i = 0; i < 4 && !has_pairs; i++)
        print_chain(&text);
    if (has_pairs)
        print_pairs(&text);
    print_end(&text);
    uint32_t *const start = calloc(elements, sizeof *start);
    for (uint32_t i = 0; i < TABLE; i++)
        start[i] = draw_float();
    check_all_ways(&text, shape, start, elements, seed);
    free(start);
    text_done(&text);
}

#define PROGRAMS 42
START_TEST(test_random_chains)
{
    for (uint32_t seed = 0; seed < PROGRAMS; seed++)
        check_random(seed, false);
}
END_TEST

START_TEST(test_all_places)
{
    for (uint32_t seed = 0; seed < HX_COUNT_OF(shapes); seed++)
        check_random(seed, true);
}
END_TEST

/* x has 64 elements; r1 is 16 in block (16, 16), row by row. A place outside is found one by one: by the same
 * instruction and thread, with the same words, after as many issues. */
static const char *const faulty[] = {
    "ldg.f32 r5, [$x + r0*4 + 224]\nldg.f32 r6, [$x + r0*4]\nfma.f32 r7, r5, r6, r7\n",
    "ldg.f32 r5, [$x + r0*4]\nldg.f32 r6, [$x + r1*4]\nfma.f32 r7, r5, r6, r7\n",
    "ldg.f32 r5, [$x + r0*4]\nldg.f32 r6, [$x + r0*4]\nfma.f32 r7, r5, r6, r7\n"
    "ldg.f32 r5, [$x + r0*4 + 4]\nldg.f32 r6, [$x + r0*4 + 400]\nfma.f32 r7, r5, r6, r7\n",
    "ldg.f32 r5, [$x + r0*4]\nldg.f32 r6, [$x + r0*4 + 64]\nfma.f32 r7, r5, r6, r7\n"
    "ldg.f32 r5, [$x + r0*4 + 8]\nldg.f32 r6, [$x + r0*4 + 128]\nfma.f32 r7, r5, r6, r7\n"
    "ldg.f32 r5, [$x + r0*4 - 16]\nldg.f32 r6, [$x + r0*4 + 192]\nfma.f32 r7, r5, r6, r7\n",
    "ldg.f32 r5, [$x + r0*4]\nfma.f32 r7, r5, r8, r7\nldg.f32 r5, [$x + r0*4 + 196]\nfma.f32 r7, r5, r8, "
    "r7\n",
    "ldg.f32 r5, [$x + 256]\nldg.f32 r6, [$x + r0*4]\nfma.f32 r7, r5, r6, r7\n",
    "ldg.f32 r5, [$x + r0*4]\nldg.f32 r6, [$x + 2]\nfma.f32 r7, r5, r6, r7\n",
    "lds.f32 r5, [tile + r0*4]\nldg.f32 r6, [$x + r0*4]\nfma.f32 r7, r5, r6, r7\n",
    "ldg.f32 r5, [$x + r9*4]\nldg.f32 r6, [$x + r0*4]\nfma.f32 r7, r5, r6, r7\n"};

static void check_fault(const char *code)
{
    const struct shape block = {16, 16, 0};
    struct text text;
    text_init(&text, NULL);
    text_print(&text,
               "mov.u32 r0, %%tid.x\nmov.u32 r1, %%tid.y\nmul.u32 r1, r1, 16\nsub.u32 r9, r1, 8\n"
               "cvt.f32.u32 r8, r1\nmov.f32 r7, 1\nadd.u32 r2, r1, r0\n%sstg.f32 [$x], r7\nexit",
               code);
    struct exec_unit unit = exec_unit_new(text.at, 64);
    for (size_t level = 0; level < HX_COUNT_OF(levels); level++) {
        if (!use_level(&unit, levels[level]))
            continue;
        for (size_t g = 0; g < HX_COUNT_OF(gangs); g++) {
            ck_assert_int_eq(run(&unit, ONE_BY_ONE, &block, gangs[g]), HX_FAULT);
            const hx_launch_result want = unit.result;
            for (int way = SAMPLED; way <= PLAIN; way++) {
                ck_assert_int_eq(run(&unit, (enum way)way, &block, gangs[g]), HX_FAULT);
                const hx_fault *fault = &unit.result.fault;
                ck_assert_int_eq(fault->kind, want.fault.kind);
                ck_assert_uint_eq(fault->instruction, want.fault.instruction);
                ck_assert_mem_eq(fault->thread, want.fault.thread, sizeof fault->thread);
                ck_assert_uint_eq(fault->address, want.fault.address);
                ck_assert_str_eq(fault->nearest, want.fault.nearest);
                ck_assert_str_eq(fault->detail, want.fault.detail);
                if (way != PLAIN)
                    ck_assert_mem_eq(&unit.result.counts, &want.counts, sizeof want.counts);
            }
        }
    }
    exec_unit_done(&unit);
    text_done(&text);
}

START_TEST(test_faults)
{
    for (size_t i = 0; i < HX_COUNT_OF(faulty); i++)
        check_fault(faulty[i]);
}
END_TEST

UNIT_MAIN("exec_fuse", test_random_chains, test_all_places, test_faults)
