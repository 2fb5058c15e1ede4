/* Arms of branches that run one after the other under masks, against the same threads one by one. Random
 * code: elements that lie by a affine_part, also where lanes that are not there would be outside, of all
 * widths, into rows that the other arm needs and into such as it does not; values that are the same for all
 * threads, of which each arm makes some and takes some from before. */
#include "fuse_unit.h"

#define TABLE 4096 /* words of x that are loaded */
#define SLOTS 6    /* words of each thread, slot by slot */

static const struct shape shapes[] = {{256, 0, 0}, {64, 0, 0},  {16, 16, 0}, {100, 2, 0}, {33, 0, 0},
                                      {32, 4, 2},  {130, 0, 0}, {1, 0, 0},   {128, 0, 0}};

/* r0, r1: tid; r2: the thread's number in the grid; r3 to r6: indices below 1024; r7 to r9: the same for all
 * threads; r20 to r23: 32 bits; r30, r31: 64. */
static void print_head(struct text *text, const struct shape *shape)
{
    text_print(text,
               "mov.u32 r0, %%tid.x\nmov.u32 r1, %%tid.y\nmov.u32 r10, %%tid.z\nmov.u32 r11, %%ctaid.x\n"
               "mul.u32 r2, r10, %u\nmad.u32 r2, r1, %u, r2\nadd.u32 r2, r2, r0\nmad.u32 r2, r11, %u, r2\n"
               "add.u32 r3, r0, %u\nmad.u32 r4, r1, %u, r0\nmul.u32 r5, r0, 2\nxor.u32 r6, r0, %u\n"
               "mov.u32 r7, $n\nadd.u32 r8, r7, %u\nmov.u64 r9, $n\n",
               shape->x * (shape->y ? shape->y : 1), shape->x, shape_threads(*shape), draw(100), shape->x,
               draw(8), draw(50));
    for (int i = 20; i < 24; i++)
        text_print(text, "ldg.u32 r%d, [$x + r2*4 + %u]\n", i, 4 * draw(500));
    text_print(text, "cvt.u64.u32 r30, r20\nmul.u64 r31, r30, 0x123456789\n");
}

static uint32_t data(void)
{
    return 20 + draw(4);
}

/* `low`: what r0 is at least; r13 to r16 are the arm's own. */
static void print_statement(struct text *text, uint32_t low, uint32_t threads)
{
    static const char *const types[] = {"u32", "f32", "u8", "i16", "u16"};
    const uint32_t index = 3 + draw(4), own = 13 + draw(3);
    switch (draw(11)) {
    case 0:
    case 1:
        text_print(text, "ldg.%s r%u, [$x + r%u*4 + %u]\n", types[draw(HX_COUNT_OF(types))], data(), index,
                   4 * draw(1000));
        break;
    case 2: /* outside for lanes that are not here */
        text_print(text, "sub.u32 r%u, r0, %u\nldg.u32 r%u, [$x + r%u*4]\n", own, low, data(), own);
        break;
    case 3:
        text_print(text, "mad.u32 r%u, r1, 16, r%u\nldg.u32 r%u, [$x + r%u*4 + %u]\n", own, index, data(),
                   own, 4 * draw(100));
        break;
    case 4:
        text_print(text, "ldg.u64 r%u, [$x + r%u*8 + %u]\n", 30 + draw(2), index, 8 * draw(200));
        break;
    case 5:
        text_print(text, "ldg.u32.v2 r%u, [$x + r%u*8 + %u]\n", 20 + 2 * draw(2), index, 8 * draw(200));
        break;
    case 6: /* the same for all threads, made here or before */
        text_print(text, "add.u32 r%u, r%u, %u\nxor.u32 r%u, r%u, r%u\n", own, 7 + draw(2), draw(9), data(),
                   data(), own);
        break;
    case 7:
        text_print(text, "add.u64 r17, r9, %u\nldg.u32 r%u, [$x + r17*4]\nadd.u64 r30, r30, r17\n", draw(50),
                   data());
        break;
    case 8:
        text_print(text, "cvt.u64.u32 r17, r%u\nadd.u64 r17, r17, %u\nldg.u32 r%u, [$x + r17*4]\n", index,
                   draw(50), data());
        break;
    case 9: /* own words: a run; or every second one */
        text_print(text, "stg.%s [$x + r2*4 + %u], r%u\n", types[draw(HX_COUNT_OF(types))],
                   4 * (TABLE + draw(SLOTS) * threads), data());
        break;
    default:
        text_print(text, "add.u32 r%u, r%u, r%u\nxor.u64 r31, r31, r30\n", data(), data(), 7 + draw(2));
    }
}

static void print_arm(struct text *text, uint32_t low, uint32_t threads)
{
    for (uint32_t i = 0, count = 1 + draw(7); i < count; i++)
        print_statement(text, low, threads);
}

static void print_branch(struct text *text, uint32_t part, uint32_t threads)
{
    const uint32_t low = draw(3) ? draw(70) : 0, how = draw(3);
    if (draw(3))
        text_print(text, "setp.lt.u32 p0, r0, %u\n", low);
    else
        text_print(text, "setp.lt.u32 p1, r%u, 0x80000000\nsetp.lt.or.u32 p0, r0, %u, p1\n", data(), low);
    text_print(text, "@p0 bra %s%u\n", how ? "other" : "behind", part);
    print_arm(text, low, threads);
    if (how) {
        text_print(text, "bra behind%u\nother%u:\n", part, part);
        print_arm(text, 0, threads);
    }
    text_print(text, "behind%u:\n", part);
}

#define PROGRAMS 54
START_TEST(test_random_arms)
{
    for (uint32_t seed = 0; seed < PROGRAMS; seed++) {
        random_state = seed * 31337u + 11;
        const struct shape *shape = &shapes[seed % HX_COUNT_OF(shapes)];
        const uint32_t threads = 2 * shape_threads(*shape), elements = TABLE + (SLOTS + 6) * threads;
        struct text text;
        text_init(&text, NULL);
        print_head(&text, shape);
        for (uint32_t part = 0, parts = 1 + draw(4); part < parts; part++)
            print_branch(&text, part, threads);
        for (uint32_t i = 0; i < 4; i++)
            text_print(&text, "stg.u32 [$x + r2*4 + %u], r%u\n", 4 * (TABLE + (SLOTS + i) * threads), 20 + i);
        text_print(&text, "xor.u64 r30, r30, r31\nstg.u64 [$x + r2*8 + %u], r30\nexit",
                   4 * (TABLE + (SLOTS + 4) * threads));
        uint32_t *const start = calloc(elements, sizeof *start);
        for (uint32_t i = 0; i < elements; i++)
            start[i] = draw(1u << 24) * 257;
        check_all_ways(&text, shape, start, elements, seed);
        free(start);
        text_done(&text);
    }
}
END_TEST

/* A lane that is there, and outside: found, wherever the others are. */
START_TEST(test_faults)
{
    static const char *const code =
        "mov.u32 r0, %tid.x\nmov.u32 r1, %tid.y\nmov.u32 r5, 7\nsub.u32 r2, r0, 3\n"
        "setp.lt.u32 p0, r0, 2\n@p0 bra end\nldg.u32 r5, [$x + r2*4]\n"
        "end: stg.u32 [$x], r5\nexit";
    const struct shape block = {64, 0, 0};
    struct exec_unit unit = exec_unit_new(code, 64);
    for (size_t level = 0; level < HX_COUNT_OF(levels); level++) {
        if (!use_level(&unit, levels[level]))
            continue;
        for (int way = LANE_BY_LANE; way <= PLAIN; way++) {
            ck_assert_int_eq(run(&unit, (enum way)way, &block, 0), HX_FAULT);
            ck_assert_int_eq(unit.result.fault.kind, HX_FAULT_OUT_OF_RANGE);
            ck_assert_uint_eq(unit.result.fault.instruction, 6);
            ck_assert_uint_eq(unit.result.fault.thread[0], 2);
        }
    }
    exec_unit_done(&unit);
}
END_TEST

UNIT_MAIN("exec_arms", test_random_arms, test_faults)
