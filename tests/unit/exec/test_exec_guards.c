/* Guarded instructions that are done in one go with their guards, against the same instructions one by one.
 * Random code: alone and in pairs of opposite guards, over rows of every width, reading what the other one
 * writes, in loops that threads leave at different times and on arms of branches. */
#include "fuse_unit.h"

#define RESULTS 12 /* words of a thread */

static const struct shape shapes[] = {{256, 0, 0}, {64, 0, 0},  {128, 2, 0}, {33, 0, 0},
                                      {100, 3, 0}, {16, 16, 0}, {1, 0, 0},   {192, 0, 0}};

/* r0: the thread in the grid; r1 to r6: 32 bits; r10 to r12: 64 bits; p0 to p3; r20 counts rounds. */
static void print_head(struct text *text)
{
    text_print(text, "mov.u64 r8, %%gtid\ncvt.u32.u64 r0, r8\nmul.u32 r7, r0, %u\n", RESULTS);
    for (int i = 1; i <= 6; i++)
        text_print(text, "ldg.u32 r%d, [$x + r7*4 + %d]\n", i, 4 * i);
    for (int i = 10; i <= 12; i++)
        text_print(text, "cvt.u64.u32 r%d, r%d\nmul.u64 r%d, r%d, 0x1234567%d9abcdef\n", i, i - 9, i, i,
                   i % 10);
    text_print(text,
               "setp.lt.u32 p0, r1, r2\nsetp.lt.u32 p1, r3, 0x40000000\nsetp.ge.u32 p2, r0, 0\n"
               "setp.eq.u32 p3, r0, 7\nand.u32 r20, r6, %u\n",
               1 + draw(12));
}

static uint32_t narrow(void)
{
    return 1 + draw(6);
}
static uint32_t wide(void)
{
    return 10 + draw(3);
}

/* An instruction under a guard; mostly one that is a single micro-op of values. */
static void print_guarded(struct text *text, uint32_t predicate, bool negated)
{
    static const char *const pairs[] = {"add.u32", "sub.i32", "xor.b32", "mul.u32", "min.i32",
                                        "shl.b32", "fma.f32", "add.f32", "max.f32", "mov.u32"};
    static const char *const wides[] = {"add.u64", "mul.u64", "xor.b64", "sub.u64", "max.i64"};
    const uint32_t kind = draw(12);
    text_print(text, "@%sp%u ", negated ? "!" : "", predicate);
    if (kind < 5) {
        const char *name = pairs[draw(HX_COUNT_OF(pairs))];
        text_print(text, "%s r%u, r%u", name, narrow(), narrow());
        if (strcmp(name, "mov.u32") != 0)
            text_print(text, ", r%u", narrow());
        text_print(text, strcmp(name, "fma.f32") == 0 ? ", r%u\n" : "\n", narrow());
    } else if (kind < 8) {
        text_print(text, "%s r%u, r%u, r%u\n", wides[draw(HX_COUNT_OF(wides))], wide(), wide(), wide());
    } else if (kind == 8) {
        text_print(text, "setp.%s.u32 p%u, r%u, r%u\n", draw(2) ? "lt" : "ne", draw(4), narrow(), narrow());
    } else if (kind == 9) {
        text_print(text, "shr.u64 r%u, r%u, r%u\n", wide(), wide(), narrow());
    } else if (kind == 10) { /* several micro-ops, or none of values */
        text_print(text, draw(2) ? "cvt.u32.u64 r%u, r%u\n" : "cvt.u32.u8 r%u, r%u\n", narrow(), wide());
    } else {
        text_print(text, "stg.u32 [$x + r7*4 + %u], r%u\n", 4 * (RESULTS - 1), narrow());
    }
}

static void print_guards(struct text *text)
{
    for (uint32_t i = 0, count = 4 + draw(12); i < count; i++) {
        const uint32_t predicate = draw(4), how = draw(6);
        const bool negated = draw(2);
        print_guarded(text, predicate, negated);
        if (how < 4) /* the other lanes, and sometimes the same once more */
            print_guarded(text, predicate, how == 3 ? negated : !negated);
        else if (how == 4)
            text_print(text, "setp.%s.u32 p%u, r%u, r%u\n", draw(2) ? "le" : "gt", draw(4), narrow(),
                       narrow());
        else
            text_print(text, "add.u32 r%u, r%u, 77\n", narrow(), narrow());
    }
}

/* Straight on, in a loop that is as long as r20 says, on the arms of a branch. */
static void print_part(struct text *text, uint32_t part)
{
    switch (draw(3)) {
    case 0:
        print_guards(text);
        break;
    case 1:
        text_print(text, "mov.u32 r21, r20\nloop%u:\n", part);
        print_guards(text);
        text_print(text, "setp.ne.u32 p4, r21, 0\n@p4 sub.u32 r21, r21, 1\n@p4 bra loop%u\n", part);
        break;
    default:
        text_print(text, "setp.lt.u32 p4, r%u, r%u\n@p4 bra other%u\n", narrow(), narrow(), part);
        print_guards(text);
        text_print(text, "bra behind%u\nother%u:\n", part, part);
        print_guards(text);
        text_print(text, "behind%u:\n", part);
    }
}

static void print_end(struct text *text)
{
    for (int i = 1; i <= 4; i++)
        text_print(text, "stg.u32 [$x + r7*4 + %d], r%d\n", 4 * (i - 1), i);
    for (int i = 10; i <= 12; i++)
        text_print(text, "stg.u64 [$x + r7*4 + %d], r%d\n", 16 + 8 * (i - 10), i);
    text_print(text, "sel.u32 r1, r5, r6, p0\nsel.u32 r1, r1, 12345, p1\nstg.u32 [$x + r7*4 + 40], r1\nexit");
}

#define PROGRAMS 48
START_TEST(test_random_guards)
{
    for (uint32_t seed = 0; seed < PROGRAMS; seed++) {
        random_state = seed * 99991u + 3;
        const struct shape *shape = &shapes[seed % HX_COUNT_OF(shapes)];
        const uint32_t elements = 2 * shape_threads(*shape) * RESULTS;
        struct text text;
        text_init(&text, NULL);
        print_head(&text);
        for (uint32_t part = 0; part < 4; part++)
            print_part(&text, part);
        print_end(&text);
        uint32_t *const start = calloc(elements, sizeof *start);
        for (uint32_t i = 0; i < elements; i++)
            start[i] = draw(8) ? draw(1u << 24) * 257 : draw_float();
        check_all_ways(&text, shape, start, elements, seed);
        free(start);
        text_done(&text);
    }
}
END_TEST

UNIT_MAIN("exec_guards", test_random_guards)
