/* Integers that lowering computes because their operands are known, against the same instructions whose
 * operands are loaded when the kernel runs: all instructions of one integer result, over numbers at the ends
 * of their ranges. */
#include "exec_unit.h"

enum { U32 = 1, I32 = 2, U64 = 4, I64 = 8, BOTH_32 = U32 | I32, ALL = 15 };
static const char *const types[] = {"u32", "i32", "u64", "i64"};
static const struct {
    const char *name;
    unsigned operands, types;
} operations[] = {{"abs", 1, I32 | I64},
                  {"brev", 1, ALL},
                  {"neg", 1, ALL},
                  {"not", 1, ALL},
                  {"cnot", 1, ALL},
                  {"add", 2, ALL},
                  {"sub", 2, ALL},
                  {"mul", 2, ALL},
                  {"mulhi", 2, ALL},
                  {"div", 2, ALL},
                  {"rem", 2, ALL},
                  {"min", 2, ALL},
                  {"max", 2, ALL},
                  {"and", 2, ALL},
                  {"or", 2, ALL},
                  {"xor", 2, ALL},
                  {"shl", 2, ALL},
                  {"shr", 2, ALL},
                  {"add.sat", 2, ALL},
                  {"sub.sat", 2, ALL},
                  {"mul24.lo", 2, BOTH_32},
                  {"mul24.hi", 2, BOTH_32},
                  {"bmsk.wrap", 2, BOTH_32},
                  {"bmsk.clamp", 2, BOTH_32},
                  {"mad", 3, ALL},
                  {"madhi", 3, ALL},
                  {"sad", 3, ALL},
                  {"bfe", 3, ALL},
                  {"mad24.lo", 3, BOTH_32},
                  {"mad24.hi", 3, BOTH_32},
                  {"dp4a", 3, BOTH_32},
                  {"dp2a.lo", 3, BOTH_32},
                  {"dp2a.hi", 3, BOTH_32},
                  {"shf.l.wrap", 3, BOTH_32},
                  {"shf.l.clamp", 3, BOTH_32},
                  {"shf.r.wrap", 3, BOTH_32},
                  {"shf.r.clamp", 3, BOTH_32},
                  {"vabsdiff4.add", 3, BOTH_32}};

static const uint64_t numbers[] = {0,
                                   1,
                                   3,
                                   31,
                                   32,
                                   33,
                                   63,
                                   64,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   0x100000002,
                                   0x123456789abcdef,
                                   0x7fffffffffffffff,
                                   0x8000000000000000,
                                   0xffffffffffffffff};
#define NUMBERS HX_COUNT_OF(numbers)
#define CASES   (NUMBERS * NUMBERS)

/* The i-th case takes these numbers. */
static size_t number_of(size_t i, unsigned operand)
{
    const size_t places[] = {i / NUMBERS, i % NUMBERS, i * 7 % NUMBERS};
    return places[operand];
}

/* x holds the numbers, then for each case the result of known operands and that of loaded ones. */
static void print_cases(struct text *text, const char *name, unsigned operands, const char *type)
{
    static const char *const lists[] = {"", "r0", "r0, r1", "r0, r1, r2"};
    const char *const stored = strchr(type, '6') ? "u64" : "u32";
    for (size_t i = 0; i < CASES; i++)
        for (int loaded = 0; loaded < 2; loaded++) {
            for (unsigned o = 0; o < operands && loaded; o++)
                text_print(text, "ldg.u64 r%u, [$x + %zu]\n", o, 8 * number_of(i, o));
            for (unsigned o = 0; o < operands && !loaded; o++)
                text_print(text, "mov.u64 r%u, 0x%llx\n", o, (unsigned long long)numbers[number_of(i, o)]);
            text_print(text, "%s.%s r3, %s\nstg.%s [$x + %zu], r3\n", name, type, lists[operands], stored,
                       8 * (NUMBERS + 2 * i + (size_t)loaded));
        }
    text_print(text, "exit");
}

static void check_operation(const char *name, unsigned operands, const char *type)
{
    struct text text;
    text_init(&text, NULL);
    print_cases(&text, name, operands, type);
    struct exec_unit unit = exec_unit_new(text.at, 2 * (NUMBERS + 2 * CASES));
    uint64_t *const x = (uint64_t *)(void *)exec_unit_x(&unit);
    memcpy(x, numbers, sizeof numbers);
    ck_assert_ok(exec_unit_launch(&unit, 1, 1));
    for (size_t i = 0; i < CASES; i++)
        if (x[NUMBERS + 2 * i] != x[NUMBERS + 2 * i + 1])
            ck_abort_msg("%s.%s of %llx, %llx, %llx is %llx when they are known, else %llx", name, type,
                         (unsigned long long)numbers[number_of(i, 0)],
                         (unsigned long long)numbers[number_of(i, 1)],
                         (unsigned long long)numbers[number_of(i, 2)], (unsigned long long)x[NUMBERS + 2 * i],
                         (unsigned long long)x[NUMBERS + 2 * i + 1]);
    exec_unit_done(&unit);
    text_done(&text);
}

START_TEST(test_constants)
{
    for (size_t o = 0; o < HX_COUNT_OF(operations); o++)
        for (size_t t = 0; t < HX_COUNT_OF(types); t++)
            if (operations[o].types & 1u << t)
                check_operation(operations[o].name, operations[o].operands, types[t]);
}
END_TEST

UNIT_MAIN("exec_constants", test_constants)
