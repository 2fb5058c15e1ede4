/* What is known before a kernel runs is read where it is, integers made of immediates are computed, and what
 * nobody reads is not done: through small kernels whose last store shows what became of a register. */
#include "lower_unit.h"

#define NOT_KNOWN 0xff

/* The operand of the store that stands last in the code: the uniform that it is, or NOT_KNOWN. */
static struct uniform stored(const struct lowered_kernel *kernel)
{
    struct row row = {ROW_NONE, 0};
    for (uint32_t i = 0; i < kernel->general.op_count; i++)
        if (kernel->general.ops[i].semantic == SEM_store_global)
            row = kernel->general.ops[i].b;
    ck_assert_int_ne(row.kind, ROW_NONE);
    return row.kind == ROW_UNIFORM_4 || row.kind == ROW_UNIFORM_8 ? kernel->uniforms[row.index]
                                                                  : (struct uniform){.kind = NOT_KNOWN};
}

/* The code ends with a store of what is asked about. `what`: an immediate's bits, else the symbol. */
static void check_stored(const char *code, uint8_t kind, uint8_t width, uint64_t what)
{
    struct lowered lowered = lower(code);
    const struct uniform uniform = stored(lowered.kernel);
    ck_assert_msg(uniform.kind == kind, "%s\nstores a value of kind %u, not %u", code, uniform.kind, kind);
    if (kind != NOT_KNOWN) {
        ck_assert_uint_eq(uniform.width, width);
        ck_assert_uint_eq(kind == UNIFORM_IMMEDIATE ? uniform.bits : uniform.symbol, what);
    }
    done(&lowered);
}
#define CHECK_KNOWN(code, kind, width, what) check_stored(code "\nexit", UNIFORM_##kind, width, what)
#define CHECK_NOT_KNOWN(code)                check_stored(code "\nexit", NOT_KNOWN, 0, 0)

START_TEST(test_known)
{
    CHECK_KNOWN("mov.u32 r0, 5\nstg.u32 [$x], r0", IMMEDIATE, 4, 5);
    CHECK_KNOWN("mov.i32 r0, -1\nstg.u32 [$x], r0", IMMEDIATE, 4, UINT32_MAX);
    CHECK_KNOWN("mov.i64 r0, -1\nstg.u64 [$x], r0", IMMEDIATE, 8, UINT64_MAX);
    CHECK_KNOWN("mov.f32 r0, 1.5\nstg.f32 [$x], r0", IMMEDIATE, 4, 0x3fc00000);
    CHECK_KNOWN("mov.f64 r0, 1.5\nstg.f64 [$x], r0", IMMEDIATE, 8, 0x3ff8000000000000);
    CHECK_KNOWN("mov.u32 r0, $n\nstg.u32 [$x], r0", PARAMETER, 4, 0);
    CHECK_KNOWN("mov.u64 r0, $n\nstg.u64 [$x], r0", PARAMETER, 8, 0);
    CHECK_KNOWN("mov.u32 r0, %ctaid.x\nstg.u32 [$x], r0", SPECIAL, 4, SPECIAL_CTAID_X);
    CHECK_KNOWN("mov.u32 r0, %ntid.z\nmov.u32 r1, r0\nstg.u32 [$x], r1", SPECIAL, 4, SPECIAL_NTID_Z);
    /* where an array is, depends on its space */
    struct lowered lowered = lower("mov.u32 r0, bytes\nmov.u32 r1, lut\nstg.u32 [$x], r0\nexit");
    const struct uniform bytes = stored(lowered.kernel);
    ck_assert_int_eq(bytes.kind, UNIFORM_ARRAY);
    ck_assert_int_eq(bytes.space, SPACE_SHARED);
    ck_assert_uint_eq(bytes.symbol, 1);
    done(&lowered);
}
END_TEST

START_TEST(test_not_known)
{
    CHECK_NOT_KNOWN("mov.u32 r0, %tid.x\nstg.u32 [$x], r0");
    CHECK_NOT_KNOWN("mov.u32 r0, %laneid\nstg.u32 [$x], r0");
    CHECK_NOT_KNOWN("mov.u64 r0, %gtid\nstg.u64 [$x], r0");
    CHECK_NOT_KNOWN("mov.u32 r0, %clock\nstg.u32 [$x], r0");
    CHECK_NOT_KNOWN("mov.u64 r0, %clock64\nstg.u64 [$x], r0");
    CHECK_NOT_KNOWN("mov.u64 r0, %globaltimer\nstg.u64 [$x], r0");
    /* its uniform row has no sign beyond its 8 bits */
    CHECK_NOT_KNOWN("mov.i32 r0, $tiny\nstg.u32 [$x], r0");
    CHECK_NOT_KNOWN("mov.i64 r0, $tiny\nstg.u64 [$x], r0");
    /* narrow types have results of their own width */
    CHECK_NOT_KNOWN("mov.i8 r0, -100\nstg.u32 [$x], r0");
    CHECK_NOT_KNOWN("mov.u16 r0, 5\nstg.u32 [$x], r0");
    CHECK_NOT_KNOWN("ldg.u32 r0, [$x]\nstg.u32 [$x], r0");
}
END_TEST

/* Bits that are known fit any width, zero-extended; of what is known only by name, rows have one width. */
START_TEST(test_widths)
{
    CHECK_KNOWN("mov.i32 r0, -2\nmov.u64 r1, r0\nstg.u64 [$x], r1", IMMEDIATE, 8, 0xfffffffe);
    CHECK_KNOWN("mov.u64 r0, 0x123456789\nmov.u32 r1, r0\nstg.u32 [$x], r1", IMMEDIATE, 4, 0x23456789);
    CHECK_KNOWN("mov.u64 r0, 0x123456789\nadd.u32 r1, r0, 1\nmov.u64 r2, r1\nstg.u64 [$x], r2", IMMEDIATE, 8,
                0x2345678a);
    CHECK_NOT_KNOWN("mov.u64 r0, $x\nmov.u32 r1, r0\nstg.u32 [$x], r1");
    CHECK_NOT_KNOWN("mov.u32 r0, $n\nmov.u64 r1, r0\nstg.u64 [$x], r1");
    /* read at another width, it is resized on the way */
    struct lowered lowered = lower("mov.u64 r0, $x\nstg.u32 [$x], r0\nexit");
    const struct micro_op *ops = lowered.kernel->general.ops;
    ck_assert_int_eq(ops[1].semantic, SEM_cvt);
    ck_assert_int_eq(ops[1].a.kind, ROW_UNIFORM_8);
    ck_assert_int_eq(ops[2].b.index, ops[1].d.index);
    done(&lowered);
}
END_TEST

/* Several writes, a write that some lanes leave out, a read that may come first, and counters. */
START_TEST(test_several_values)
{
    CHECK_NOT_KNOWN("mov.u32 r0, 5\n@p0 mov.u32 r0, 5\nstg.u32 [$x], r0");
    CHECK_NOT_KNOWN("@p0 mov.u32 r0, 5\nstg.u32 [$x], r0");
    CHECK_NOT_KNOWN("mov.u32 r0, 5\n@p0 bra join\nmov.u32 r0, 6\njoin: stg.u32 [$x], r0");
    CHECK_NOT_KNOWN("@p0 bra join\nmov.u32 r0, 6\njoin: stg.u32 [$x], r0");
    CHECK_NOT_KNOWN("again: stg.u32 [$x], r0\nmov.u32 r0, 5\nloop.u32 r1, again");
    CHECK_NOT_KNOWN("mov.u32 r0, 5\nagain: nop\nloop.u32 r0, again\nstg.u32 [$x], r0");
    CHECK_NOT_KNOWN("mov.u32 r0, 5\nagain: add.u32 r0, r0, 1\nloop.u32 r1, again\nstg.u32 [$x], r0");
    CHECK_NOT_KNOWN("mov.u32 r0, 5\natomg.add.u32 r0, [$x], r0\nstg.u32 [$x], r0");
    /* a register is a name for several values; each is known for itself */
    CHECK_KNOWN("mov.u32 r0, 5\nstg.u32 [$x], r0\nmov.u32 r0, 6\nstg.u32 [$x], r0", IMMEDIATE, 4, 6);
    CHECK_KNOWN("mov.u32 r0, 5\nagain: stg.u32 [$x], r0\nloop.u32 r1, again", IMMEDIATE, 4, 5);
    CHECK_KNOWN("@p0 bra out\nmov.u32 r0, 6\nstg.u32 [$x], r0\nout: nop", IMMEDIATE, 4, 6);
}
END_TEST

START_TEST(test_calls)
{
    check_stored("call f\nstg.u32 [$x], r0\nexit\nf: mov.u32 r0, 5\nret", UNIFORM_IMMEDIATE, 4, 5);
    check_stored("mov.u32 r0, 1\ncall f\ncall f\nexit\nf: stg.u32 [$x], r0\nret", UNIFORM_IMMEDIATE, 4, 1);
    check_stored("mov.u32 r0, 1\ncall f\nmov.u32 r0, 2\ncall f\nexit\nf: stg.u32 [$x], r0\nret", NOT_KNOWN, 0,
                 0);
    check_stored("mov.u32 r0, 1\ncall f\nstg.u32 [$x], r0\nexit\nf: @p0 mov.u32 r0, 1\nret", NOT_KNOWN, 0, 0);
}
END_TEST

/* Chains; what is made of more than immediates, of floats, or by an instruction with more to it. */
START_TEST(test_chains)
{
    CHECK_KNOWN("mov.u32 r0, 5\nadd.u32 r1, r0, 2\nmul.u32 r2, r1, r1\nshl.u32 r0, r2, r1\n"
                "sub.i32 r0, r0, r1\nstg.u32 [$x], r0",
                IMMEDIATE, 4, (49u << 7) - 7);
    /* known when an instruction that stands behind it in the code was seen */
    CHECK_KNOWN("bra last\nfirst: add.u32 r1, r0, 1\nstg.u32 [$x], r1\nbra out\nlast: mov.u32 r0, 5\n"
                "bra first\nout: nop",
                IMMEDIATE, 4, 6);
    CHECK_NOT_KNOWN("mov.u32 r0, $n\nadd.u32 r1, r0, 2\nstg.u32 [$x], r1");
    CHECK_NOT_KNOWN("mov.f32 r0, 1.0\nadd.f32 r1, r0, r0\nstg.f32 [$x], r1");
    CHECK_KNOWN("mov.i32 r0, 0x7fffffff\nadd.sat.i32 r1, r0, 1\nstg.u32 [$x], r1", IMMEDIATE, 4, 0x7fffffff);
    CHECK_KNOWN("mov.i64 r0, -7\nshr.i64 r1, r0, 1\nstg.u64 [$x], r1", IMMEDIATE, 8, UINT64_MAX - 3);
    CHECK_NOT_KNOWN("mov.u32 r0, 5\nlop3.u32 r1, r0, r0, r0, 1\nstg.u32 [$x], r1");
    CHECK_NOT_KNOWN("mov.u32 r0, 5\npopc.u32 r1, r0\nstg.u32 [$x], r1");
    CHECK_NOT_KNOWN("mov.u16 r0, 5\nmov.u32 r2, 6\nadd.u16 r1, r2, r2\nstg.u32 [$x], r1");
    CHECK_NOT_KNOWN("mov.u32 r0, 5\n@p0 add.u32 r1, r0, 2\nstg.u32 [$x], r1");
    CHECK_NOT_KNOWN("mov.u32 r0, 5\nmulw.u32 r1, r0, r0\nstg.u64 [$x], r1");
}
END_TEST

/* Is all that the instruction does, in both codes, to be counted? */
static bool is_dropped(const struct lowered_kernel *kernel, uint32_t at)
{
    const struct micro_code *codes[] = {&kernel->general, &kernel->converged};
    bool dropped[2] = {false, false};
    for (int c = 0; c < (kernel->converged.op_count ? 2 : 1); c++) {
        const struct micro_op *op = &codes[c]->ops[codes[c]->first_op[at]];
        const uint8_t wanted = MICRO_FIRST | MICRO_LAST | MICRO_PRIMARY;
        dropped[c] = codes[c]->first_op[at + 1] == codes[c]->first_op[at] + 1 && op->semantic == SEM_nop &&
                     (op->flags & wanted) == wanted;
    }
    ck_assert(!kernel->converged.op_count || dropped[0] == dropped[1]);
    return dropped[0];
}

/* A letter for each instruction: d, it is dropped (or a nop itself); - it is not. */
static void check_drops(const char *code, const char *want)
{
    struct lowered lowered = lower(code);
    ck_assert_uint_eq(lowered.kernel->kernel->code_count, strlen(want));
    for (uint32_t i = 0; want[i]; i++)
        ck_assert_msg(is_dropped(lowered.kernel, i) == (want[i] == 'd'), "instruction %u of\n%s", i, code);
    done(&lowered);
}

START_TEST(test_dead_code)
{
    check_drops("mov.u32 r0, %tid.x\nadd.u32 r1, r0, 1\nmul.u32 r2, r1, r0\nsetp.lt.u32 p0, r2, r1\nexit",
                "dddd-");
    check_drops("mov.u32 r0, %tid.x\nadd.u32 r1, r0, 1\nmul.u32 r2, r1, r0\nstg.u32 [$x], r1\nexit", "--d--");
    check_drops("mov.u32 r0, 5\nmov.u32 r1, r0\nadd.u32 r2, r1, r0\nstg.u32 [$x], r2\nexit", "ddd--");
    check_drops("mov.u32 r0, 5\nmov.u32 r0, 6\nmov.u32 r0, %tid.x\nstg.u32 [$x], r0\nexit", "dd---");
    check_drops("mov.u32 r0, %clock\nmov.u32 r1, %tid.x\ncvt.f32.u32 r2, r1\nexit", "ddd-");
    check_drops("mov.u32 r0, %tid.x\ndiv.u32 r1, r0, r0\nsel.u32 r2, r0, r1, p0\nexit", "ddd-");
    /* a chain against the order of the code */
    check_drops("mov.u32 r0, %tid.x\nbra c\na: add.u32 r3, r2, 1\nbra out\nb: add.u32 r2, r1, 1\nbra a\n"
                "c: add.u32 r1, r0, 1\nbra b\nout: exit",
                "d-d-d-d--");
}
END_TEST

/* One of two results is enough. */
START_TEST(test_two_results)
{
    const char *const head = "mov.u32 r0, %tid.x\nsetp.lt.u32 p0, r0, 9\naddc.u32 r1, p1, r0, r0, p0\n";
    static const struct {
        const char *tail, *want;
    } cases[] = {{"exit", "ddd-"},
                 {"stg.u32 [$x], r1\nexit", "-----"},
                 {"@p1 stg.u32 [$x], r0\nexit", "-----"},
                 {"add.u32 r2, r1, 1\nexit", "dddd-"}};
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        char code[300];
        snprintf(code, sizeof code, "%s%s", head, cases[i].tail);
        check_drops(code, cases[i].want);
    }
    check_drops("mov.u32 r0, %tid.x\nsetp.lt.u32 p0|p1, r0, 9\nexit", "dd-");
    check_drops("mov.u32 r0, %tid.x\nsetp.lt.u32 p0|p1, r0, 9\n@p1 stg.u32 [$x], r0\nexit", "----");
}
END_TEST

/* Under a guard a run of instructions shares its mask; the others do something beside their results. */
START_TEST(test_what_stays)
{
    check_drops("mov.u32 r0, %tid.x\n@p0 add.u32 r1, r0, 1\nexit", "---");
    check_drops("mov.u32 r0, %tid.x\nldg.u32 r1, [$x + r0*4]\nlds.u32 r2, [tile]\nldc.u32 r3, [lut]\n"
                "ldl.u32 r4, [0]\nld.u32 r5, [$x]\nexit",
                "-------");
    check_drops("mov.u32 r0, 1\natomg.add.u32 r1, [$x], r0\nredg.add.u32 [$x], r0\natomg.cas.u32 r1, [$x], "
                "r0, r0\nexit",
                "d----");
    check_drops("mov.u32 r0, %tid.x\nredux.add.u32 r1, r0\nreduce.add.u32 r2, r0\nshfl.idx.u32 r3, r0, r0, "
                "31\nexit",
                "-----");
    check_drops("mov.u32 r0, %tid.x\nagain: nop\nloop.u32 r0, again\nexit", "-d--");
    check_drops("nop\nbar.sync 0\nmemfence.block\nexit", "d---");
}
END_TEST

static bool is_equal(struct row a, struct row b)
{
    return a.kind == b.kind && a.index == b.index;
}

/* What is dropped, or known, has none. */
START_TEST(test_rows_saved)
{
    struct lowered lowered = lower("mov.u32 r0, 5\nmov.u32 r1, $n\nadd.u32 r2, r0, 9\nstg.u32 [$x], r2\n"
                                   "stg.u32 [$x], r1\nmov.u32 r3, %laneid\nadd.u32 r4, r3, r3\nexit");
    ck_assert_uint_eq(lowered.kernel->rows_4, 0);
    ck_assert_uint_eq(lowered.kernel->same_4, 0);
    done(&lowered);
    lowered = lower("mov.u64 r0, $x\nmov.u32 r1, 4\nldg.u32 r2, [r0 + r1*4]\nstg.u32 [r0], r2\nexit");
    ck_assert_uint_eq(lowered.kernel->rows_4, 1);
    ck_assert_uint_eq(lowered.kernel->rows_8, 0);
    done(&lowered);
}
END_TEST

/* What an instruction that stays writes, and nobody reads, must not fall on what others hold. */
START_TEST(test_rows_of_unread_results)
{
    static const char *const kernels[] = {
        "ldg.u32 r1, [$x]\nmov.u32 r2, %laneid\natomg.add.u32 r3, [$x], r2\nstg.u32 [$x], r1\n"
        "stg.u32 [$x], r2\nexit",
        "mov.u32 r1, %laneid\nmov.u32 r2, %tid.x\n@p0 add.u32 r3, r1, r1\nstg.u32 [$x], r1\n"
        "stg.u32 [$x], r2\nexit",
        "mov.u32 r1, %laneid\nmov.u32 r2, %tid.x\nldg.u32 r3, [$x + r2*4]\nstg.u32 [$x], r1\n"
        "stg.u32 [$x], r2\nexit",
        "mov.u32 r1, %laneid\nmov.u32 r2, %tid.x\naddc.u32 r3, p1, r1, r2, p1\nstg.u32 [$x], r1\n"
        "@p1 stg.u32 [$x], r2\nexit"};
    for (size_t k = 0; k < HX_COUNT_OF(kernels); k++) {
        struct lowered lowered = lower(kernels[k]);
        const struct micro_code *code = &lowered.kernel->general;
        struct row third = {ROW_NONE, 0};
        for (uint32_t i = code->first_op[2]; i < code->first_op[3]; i++)
            third = code->ops[i].flags & MICRO_PRIMARY ? code->ops[i].d : third;
        ck_assert_int_eq(third.kind, ROW_4);
        for (int i = 0; i < 2; i++)
            ck_assert_msg(!is_equal(third, code->ops[code->first_op[i]].d), "in\n%s", kernels[k]);
        done(&lowered);
    }
    /* the elements of a vector of which one is read */
    struct lowered lowered = lower("mov.u32 r0, %laneid\nldg.u32.v4 r4, [$x]\nadd.u32 r1, r0, r6\n"
                                   "stg.u32 [$x], r1\nexit");
    const struct micro_code *code = &lowered.kernel->general;
    for (uint32_t i = 1; i < 5; i++)
        for (uint32_t other = 0; other < i; other++)
            ck_assert(!is_equal(code->ops[i].d, code->ops[other].d));
    done(&lowered);
}
END_TEST

UNIT_MAIN("lower_simplify", test_known, test_not_known, test_widths, test_several_values, test_calls,
          test_chains, test_dead_code, test_two_results, test_what_stays, test_rows_saved,
          test_rows_of_unread_results)
