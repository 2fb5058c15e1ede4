/* What the converged code keeps once, through small kernels: registers that are the same in all threads,
 * those of which the same part is enough, and those that are needed lane by lane; how accesses get their
 * addresses; which branches run their arms under masks. */
#include "lower_unit.h"

static bool is_one_value(struct row row)
{
    return is_same(row) || row.kind == ROW_UNIFORM_4 || row.kind == ROW_UNIFORM_8 || row.kind == ROW_NONE;
}

/* How an access gets its address: [1] one element, [*] an address or index for each lane, [+1x+16y] the
 * same part of the index and its affine part. A comparison of a same part has the affine part, too. */
static void describe_access(struct text *text, const struct lowered_kernel *kernel, const struct micro_op *op)
{
    if (!op->affine_part) {
        text_print(text, is_one_value(op->a) && is_one_value(op->c) ? "[1]" : "[*]");
        return;
    }
    const struct lane_sum *sum = &kernel->affine_parts[op->affine_part - 1];
    text_print(text, "[");
    for (int i = 0; i < sum->count; i++) {
        text_print(text, "%+d%c", (int32_t)sum->terms[i].by, "xyztb"[sum->terms[i].basis]);
        if (sum->terms[i].factor)
            text_print(text, "*");
    }
    text_print(text, "]");
}

/* A word for each instruction: s, its result (or the same part of it) is kept once; b, the same part and the
 * vector; v, the vector; - no result. Then its access. `m`: under a mask. A branch that runs its arms under
 * masks is {, the jump between them |, and } ends the last instruction of the arms. */
static void describe(struct text *text, const struct lowered_kernel *kernel)
{
    const struct micro_code *code = &kernel->converged;
    for (uint32_t i = 0; i < kernel->kernel->code_count; i++) {
        bool has_vector = false, ends = false;
        const struct micro_op *op = NULL;
        for (uint32_t k = code->first_op[i]; k < code->first_op[i + 1]; k++) {
            const struct micro_op *at = &code->ops[k];
            op = at->flags & MICRO_PRIMARY ? at : op;
            has_vector |= at->b.kind == ROW_AFFINE;
            ends |= at->semantic == MICRO_ARM_END;
        }
        ck_assert_ptr_nonnull(op);
        const bool linear = has_vector;
        text_print(text, "%s", i ? " " : "");
        if (op->semantic == MICRO_ARM_BEGIN || op->semantic == MICRO_ARM_OTHER)
            text_print(text, op->semantic == MICRO_ARM_BEGIN ? "{" : "|");
        else
            text_print(text, "%s", op->d.kind == ROW_NONE ? "-" : linear ? "b" : is_same(op->d) ? "s" : "v");
        const struct semantic *semantic = semantic_at(op->semantic);
        if ((semantic && shape_is_memory(semantic->shape)) ||
            (op->affine_part && semantic && semantic->shape != SHAPE_FLOW))
            describe_access(text, kernel, op);
        text_print(text, "%s%s", op->flags & MICRO_MASKED ? "m" : "", ends ? "}" : "");
    }
}

/* Without a converged code the description is "". */
static void check_forms(const char *code, const char *want)
{
    struct lowered lowered = lower(code);
    struct text text;
    text_init(&text, NULL);
    text_print(&text, "%s", "");
    if (lowered.kernel->converged.op_count > 0)
        describe(&text, lowered.kernel);
    ck_assert_msg(strcmp(text.at ? text.at : "", want) == 0, "%s\nare %s\nnot %s", code, text.at, want);
    text_done(&text);
    done(&lowered);
}

/* Sums, differences and multiples of tid.x, y and z; and what is none: shifts by what is known only when the
 * kernel runs, shifts by 32, other types, saturation. Multiples that cancel leave what is the same in all. */
START_TEST(test_sums)
{
    check_forms("mov.u32 r0, %tid.x\n"
                "ldg.u32 r1, [$x + r0*4]\n"
                "exit",
                "s v[+1x] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "mov.u32 r1, %tid.y\n"
                "mov.u32 r2, %tid.z\n"
                "mul.u32 r3, r0, 3\n"
                "mad.u32 r3, r1, 16, r3\n"
                "shl.u32 r4, r2, 8\n"
                "sub.u32 r4, r3, r4\n"
                "add.i32 r4, r4, $n\n"
                "ldg.u32 r5, [$x + r4.i32*4]\n"
                "stg.u32 [$x + r4*4], r5\n"
                "exit",
                "s s s s s s s s v[+3x+16y-256z] -[+3x+16y-256z] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "mov.u32 r1, $n\n"
                "sub.u32 r2, r1, r0\n"
                "ldg.u32 r5, [$x + r2*4]\n"
                "exit",
                "s - s v[-1x] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "sub.u32 r2, r0, r0\n"
                "ldg.u32 r5, [$x + r2*4]\n"
                "exit",
                "v s s[1] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "mul.u32 r2, r0, 0x10000\n"
                "shl.u32 r2, r2, 16\n"
                "ldg.u32 r5, [$x + r2*4]\n"
                "exit",
                "v v s s[1] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "mov.u32 r1, %ntid.x\n"
                "mul.u32 r2, r0, r1\n"
                "ldg.u32 r5, [$x + r2*4]\n"
                "exit",
                "s - s v[+1x*] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "shl.u32 r2, r0, 32\n"
                "ldg.u32 r5, [$x + r2*4]\n"
                "exit",
                "");
    check_forms("mov.u32 r0, %tid.x\n"
                "mov.u32 r1, $n\n"
                "shl.u32 r2, r0, r1\n"
                "ldg.u32 r5, [$x + r2*4]\n"
                "exit",
                "v - v v[*] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "add.sat.u32 r2, r0, 1\n"
                "ldg.u32 r5, [$x + r2*4]\n"
                "exit",
                "");
    check_forms("mov.u32 r0, %tid.x\n"
                "add.u16 r2, r0, 1\n"
                "ldg.u32 r5, [$x + r2*4]\n"
                "exit",
                "");
}
END_TEST

/* Multiples by what is the same for all threads of a launch: sizes and parameters that are 32-bit integers,
 * one in a term; of 64 bits none, for nobody knows how large the product is. */
START_TEST(test_factors)
{
    check_forms("mov.u32 r0, %tid.x\n"
                "mov.u32 r1, %tid.y\n"
                "mov.u32 r4, %nctaid.x\n"
                "mad.u32 r2, r1, $n, r0\n"
                "add.u32 r2, r2, 1\n"
                "ldg.u32 r5, [$x + r2*4]\n"
                "mad.u32 r2, r4, r2, r1\n"
                "ldg.u32 r5, [$x + r2*4]\n"
                "exit",
                "s b - s b v[+1x+1y*] v v[*] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "mov.u32 r4, %ntid.x\n"
                "mul.u32 r1, r0, $n\n"
                "mul.u32 r2, r0, r4\n"
                "mad.u32 r2, r1, 3, r2\n"
                "mul.u32 r1, r1, 3\n"
                "sub.u32 r3, r2, r1\n"
                "ldg.u32 r5, [$x + r2*4]\n"
                "ldg.u32 r5, [$x + r3*4]\n"
                "exit",
                "s - s s s s s v[+3x*+1x*] v[+1x*] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "mov.u32 r3, %ctaid.x\n"
                "mov.u32 r4, %smid\n"
                "mul.u32 r1, r0, r3\n"
                "mul.u32 r2, r0, r4\n"
                "ldg.u32 r5, [$x + r1*4]\n"
                "ldg.u32 r5, [$x + r2*4]\n"
                "exit",
                "v - - v v v[*] v[*] -");
    check_forms("mov.u64 r0, %tid.x\n"
                "mov.u64 r4, %ntid.x\n"
                "mul.u64 r1, r0, r4\n"
                "ldg.u32 r3, [$x + r1*4]\n"
                "exit",
                "v - v v[*] -");
}
END_TEST

/* Registers whose lanes are needed as well: stored, read by other instructions than sums, in an access under
 * a guard; or needed only so. */
START_TEST(test_vectors_beside)
{
    check_forms("mov.u32 r0, %tid.x\n"
                "ldg.u32 r1, [$x + r0*4]\n"
                "stg.u32 [$x + r0*4], r0\n"
                "exit",
                "b v[+1x] -[+1x] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "xor.u32 r1, r0, 1\n"
                "ldg.u32 r2, [$x + r0*4]\n"
                "stg.u32 [$x], r1\n"
                "exit",
                "b v v[+1x] -[1] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "add.u32 r1, r0, 4\n"
                "add.u32 r2, r1, 4\n"
                "ldg.u32 r3, [$x + r2*4]\n"
                "mul.f32 r4, r1, 2.0\n"
                "stg.f32 [$x], r4\n"
                "exit",
                "s b s v[+1x] v -[1] -");
    check_forms("mov.u32 r2, %tid.x\n"
                "setp.lt.u32 p0, r2, 3\n"
                "@p0 ldg.u32 r1, [$x + r2*4]\n"
                "ldg.u32 r1, [$x + r2*4]\n"
                "exit",
                "b v[+1x] v[*]m v[+1x] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "add.u32 r1, r0, r0\n"
                "stg.u32 [$x], r1\n"
                "exit",
                "");
}
END_TEST

/* Comparisons of 32-bit integers with one value take the same part; those of other types, with what varies,
 * under a guard, and those that are no order, the vector. */
START_TEST(test_comparisons)
{
    check_forms("mov.u32 r0, %tid.x\n"
                "add.i32 r0, r0, $n\n"
                "setp.ge.i32 p0, r0, $n\n"
                "setp.eq.or.u32 p1, r0, 3, p0\n"
                "mov.u32 r1, %laneid\n"
                "@p1 stg.u32 [$x], r1\n"
                "exit",
                "s s v[+1x] v[+1x] v -[1]m -");
    check_forms("mov.u32 r0, %tid.x\n"
                "set.lt.f32.u32 r1, r0, 7\n"
                "stg.f32 [$x], r1\n"
                "exit",
                "s v[+1x] -[1] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "mov.u32 r1, %tid.y\n"
                "setp.lt.u32 p0, r0, r1\n"
                "setp.lt.u32 p1, 5, r1\n"
                "setp.ltu.f32 p2, r0, 3.0\n"
                "mov.u32 r1, %laneid\n"
                "setp.lt.u32 p3, r0, r1\n"
                "@p0 stg.u32 [$x], r1\n"
                "@p1 stg.u32 [$x], r1\n"
                "@p2 stg.u32 [$x], r1\n"
                "@p3 stg.u32 [$x], r1\n"
                "exit",
                "");
    check_forms("mov.u32 r0, %tid.x\n"
                "mov.u32 r1, $n\n"
                "setp.lt.u32 p0, r1, 9\n"
                "@p0 setp.lt.u32 p1, r0, 7\n"
                "exit",
                "v - s vm -");
}
END_TEST

/* Addresses of 64 bits: an index, a base with or without an offset, gtid. What was 32 bits wide may have
 * wrapped; factors that are too large for 32 bits are none. */
START_TEST(test_wide_addresses)
{
    check_forms("mov.u64 r0, %gtid\n"
                "mul.u64 r1, r0, 4\n"
                "ldg.u64 r2, [$x + r1*8]\n"
                "add.u64 r1, r1, $x\n"
                "ldg.u32 r2, [r1 + 16]\n"
                "stg.u32 [r1], r2\n"
                "exit",
                "s s v[+4t] s v[+1t] -[+1t] -");
    check_forms("mov.u64 r0, %tid.x\n"
                "shl.u64 r0, r0, 4\n"
                "add.u64 r0, r0, $x\n"
                "ldg.v4.f32 r4, [r0]\n"
                "ldg.v2.f32 r4, [r0]\n"
                "exit",
                "s s s v[+1x] v[+2x] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "cvt.u64.u32 r1, r0\n"
                "ldg.u32 r2, [$x + r1*4]\n"
                "exit",
                "");
    check_forms("mov.u64 r0, %tid.x\n"
                "mul.u64 r1, r0, 0x40000\n"
                "mul.u64 r2, r1, 2\n"
                "ldg.u32 r3, [$x + r1]\n"
                "ldg.u32 r3, [$x + r2]\n"
                "exit",
                "s b v v[+262144x] v[*] -");
}
END_TEST

/* What goes up by the same in each round keeps its affine part; a counter that is the same in all; what does
 * not.
 */
START_TEST(test_loops)
{
    check_forms("mov.u32 r0, %tid.x\n"
                "mov.u32 r1, 0\n"
                "again: ldg.u32 r3, [$x + r0*4]\n"
                "add.u32 r0, r0, 32\n"
                "add.u32 r1, r1, 1\n"
                "setp.lt.u32 p0, r1, $n\n"
                "@p0 bra again\n"
                "exit",
                "s s v[+1x] s s s - -");
    check_forms("mov.u32 r0, %tid.x\n"
                "mov.u32 r1, 9\n"
                "again: ldg.u32 r3, [$x + r0*4]\n"
                "add.u32 r0, r0, r0\n"
                "loop.u32 r1, again\n"
                "exit",
                "v s v[*] v s -");
    check_forms("again: ldg.u32 r3, [$x + 4]\n"
                "loop.u32 r3, again\n"
                "exit",
                "s[1] s -");
    check_forms("mov.u32 r0, %tid.x\n"
                "again: ldg.u32 r3, [$x + 4]\n"
                "add.u32 r0, r0, r3\n"
                "loop.u32 r0, again\n"
                "exit",
                "v s[1] v v -");
}
END_TEST

/* One element that all share; but a generic address may mean local memory, which each thread has for itself.
 * Vectors of elements; atomics have no affine parts. */
START_TEST(test_loads)
{
    check_forms("ldg.u32 r1, [$x]\n"
                "lds.u32 r2, [tile + r1*4]\n"
                "ldc.u32 r3, [lut + r2*4]\n"
                "ld.u32 r4, [$x]\n"
                "add.u32 r5, r4, r3\n"
                "stg.u32 [$x], r5\n"
                "exit",
                "s[1] s[1] s[1] v[1] v -[1] -");
    check_forms("mov.u32 r2, %tid.x\n"
                "ldg.u32.v2 r4, [$x + r2*8]\n"
                "ldg.u32.v4 r4, [$x + 16]\n"
                "redg.add.u32 [$x + r2*4], r5\n"
                "exit",
                "b v[+1x] s[1] v[*] -");
}
END_TEST

/* Lanes whose guard is false keep what they have. */
START_TEST(test_guards)
{
    check_forms("ldg.u32 r1, [$x]\n"
                "mov.u32 r2, %tid.x\n"
                "setp.lt.u32 p0, r2, 3\n"
                "@p0 mov.u32 r1, 4\n"
                "add.u32 r3, r1, 1\n"
                "stg.u32 [$x], r3\n"
                "exit",
                "v[1] s v[+1x] vm v -[1] -");
    check_forms("mov.u32 r1, 1\n"
                "setp.lt.u32 p0, r1, $n\n"
                "@p0 mov.u32 r1, 4\n"
                "add.u32 r3, r1, 1\n"
                "stg.u32 [$x], r3\n"
                "exit",
                "");
    check_forms("mov.u32 r0, %tid.x\n"
                "mov.u64 r7, 8\n"
                "setp.lt.u32 p0, r0, 3\n"
                "@p0 mov.u32 r7, 3\n"
                "add.u64 r7, r7, 1\n"
                "stg.u64 [$x], r7\n"
                "exit",
                "s v v[+1x] vm v -[1] -");
}
END_TEST

/* Atomics, warps, sums over the block, clocks, numbers of threads; the block's place is the same in all. */
START_TEST(test_results)
{
    check_forms("mov.u32 r1, 1\n"
                "atomg.add.u32 r2, [$x], r1\n"
                "add.u32 r2, r2, 1\n"
                "redux.add.u32 r3, r1\n"
                "add.u32 r3, r3, 1\n"
                "reduce.add.u32 r4, r1\n"
                "add.u32 r4, r4, 1\n"
                "add.u32 r9, r1, $n\n"
                "stg.u32 [$x], r2\n"
                "stg.u32 [$x], r3\n"
                "stg.u32 [$x], r4\n"
                "stg.u32 [$x], r9\n"
                "exit",
                "- v[1] v v v - v s -[1] -[1] -[1] -[1] -");
    check_forms("mov.u32 r1, %clock\n"
                "add.u32 r1, r1, 1\n"
                "mov.u32 r2, %laneid\n"
                "add.u32 r2, r2, 1\n"
                "mov.u64 r3, %gtid\n"
                "add.u64 r3, r3, 1\n"
                "mov.u32 r4, %ctaid.x\n"
                "add.u32 r4, r4, 1\n"
                "stg.u32 [$x], r1\n"
                "stg.u32 [$x], r2\n"
                "stg.u64 [$x], r3\n"
                "stg.u32 [$x], r4\n"
                "exit",
                "v v v v v v - s -[1] -[1] -[1] -[1] -");
}
END_TEST

/* What may be read before it is written is cleared lane by lane; local memory is each thread's own. */
START_TEST(test_unwritten)
{
    check_forms("add.u32 r1, r0, 1\n"
                "ldg.u32 r2, [$x]\n"
                "add.u32 r3, r2, r1\n"
                "stg.u32 [$x], r3\n"
                "exit",
                "v s[1] v -[1] -");
    check_forms("ldg.u32 r3, [$x]\n"
                "sel.u32 r4, r3, r3, p0\n"
                "setp.eq.u32 p0, r3, 5\n"
                "sel.u32 r5, r3, r3, p0\n"
                "addc.u32 r6, p1, r3, r3, p0\n"
                "ldl.u32 r7, [0]\n"
                "stl.u32 [0], r7\n"
                "stg.u32 [$x], r4\n"
                "stg.u32 [$x], r5\n"
                "stg.u32 [$x], r6\n"
                "exit",
                "s[1] v s s s v[1] -[1] -[1] -[1] -[1] -");
}
END_TEST

/* Bases and indices of 8 bytes. */
START_TEST(test_wide)
{
    check_forms("mov.u64 r1, $x\n"
                "mov.u32 r2, 7\n"
                "add.u64 r1, r1, 8\n"
                "mulw.u32 r4, r2, r2\n"
                "add.u64 r1, r1, r4\n"
                "ldg.u32 r3, [r1]\n"
                "mov.u32 r5, %tid.x\n"
                "ldg.u32 r6, [r1 + r5*4]\n"
                "mov.u64 r7, %tid.x\n"
                "ldg.u32 r6, [r1 + r7*4]\n"
                "exit",
                "- - s s s s[1] s v[+1x] s v[+1x] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "mov.u64 r1, $x\n"
                "add.u64 r2, r1, r0\n"
                "ldg.u32 r3, [r2 + r0*4]\n"
                "exit",
                "v - v v[*] -");
}
END_TEST

/* Arms of branches: what only they need is kept once; what is read behind them is not. Accesses under masks
 * have affine parts, comparisons do not. A branch that all take or leave, and one around a barrier, is a
 * branch.
 */
START_TEST(test_arms)
{
    check_forms("mov.u32 r0, %tid.x\n"
                "ldg.u32 r3, [$x]\n"
                "setp.lt.u32 p0, r0, 3\n"
                "@p0 bra join\n"
                "add.u32 r1, r3, 5\n"
                "add.u32 r2, r1, 1\n"
                "stg.u32 [$x + r0*4], r2\n"
                "join: exit",
                "s s[1] v[+1x] { s s -[+1x]m} -");
    check_forms("mov.u32 r0, %tid.x\n"
                "ldg.u32 r3, [$x]\n"
                "mov.u32 r2, 4\n"
                "setp.lt.u32 p0, r0, 3\n"
                "@p0 bra join\n"
                "add.u32 r1, r3, 5\n"
                "add.u32 r2, r1, 1\n"
                "join: stg.u32 [$x], r2\n"
                "exit",
                "s s[1] v v[+1x] { s vm} -[1] -");
    check_forms("mov.u32 r0, %tid.x\n"
                "ldg.u32 r3, [$x]\n"
                "setp.lt.u32 p0, r0, 3\n"
                "@!p0 bra other\n"
                "add.u32 r1, r3, 5\n"
                "add.u32 r2, r1, 1\n"
                "bra join\n"
                "other: add.u32 r1, r3, 5\n"
                "add.u32 r2, r1, 1\n"
                "join: stg.u32 [$x], r2\n"
                "exit",
                "s s[1] v[+1x] { s vm | s vm} -[1] -");
    check_forms("mov.u32 r0, $n\n"
                "mov.u32 r2, %tid.x\n"
                "setp.lt.u32 p0, r0, 3\n"
                "@p0 bra join\n"
                "mov.u32 r1, 5\n"
                "ldg.u32 r3, [$x + r2*4]\n"
                "join: ldg.u32 r3, [$x + r2*4]\n"
                "add.u32 r1, r1, 1\n"
                "stg.u32 [$x], r1\n"
                "exit",
                "- s s - v v[+1x] v[+1x] v -[1] -");
    check_forms("mov.u32 r2, %tid.x\n"
                "setp.lt.u32 p0, r2, 3\n"
                "@p0 bra join\n"
                "ldg.u32 r3, [$x + r2*4]\n"
                "ldg.u32 r4, [$x]\n"
                "join: ldg.u32 r3, [$x + r2*4]\n"
                "exit",
                "s v[+1x] { v[+1x]m s[1]} v[+1x] -");
    check_forms("mov.u32 r2, %tid.x\n"
                "setp.lt.u32 p0, r2, 3\n"
                "ldg.u32 r5, [$x]\n"
                "@p0 bra join\n"
                "bar.sync 0\n"
                "join: add.u32 r3, r5, 1\n"
                "stg.u32 [$x], r3\n"
                "exit",
                "s v[+1x] s[1] - - s -[1] -");
}
END_TEST

/* A function that changes what its caller reads. */
START_TEST(test_calls)
{
    check_forms("mov.u32 r2, %tid.x\n"
                "ldg.u32 r5, [$x]\n"
                "call f\n"
                "add.u32 r6, r5, 1\n"
                "ldg.u32 r3, [$x + r2*4]\n"
                "stg.u32 [$x], r6\n"
                "exit\n"
                "f: add.u32 r5, r5, 1\n"
                "add.u32 r2, r2, 1\n"
                "ret\n"
                "exit",
                "s s[1] - s v[+1x] -[1] - s s - -");
}
END_TEST

/* There is room for 255 affine_parts; registers that would have further ones are vectors. */
START_TEST(test_too_many_affine_parts)
{
    struct text code;
    text_init(&code, NULL);
    text_print(&code, "mov.u32 r0, %%tid.x\n");
    for (unsigned i = 0; i < 300; i++)
        text_print(&code, "mul.u32 r1, r0, %u\nldg.u32 r2, [$x + r1*4]\n", i + 2);
    text_print(&code, "ldg.u32 r2, [$x + r0*4]\nexit");
    struct lowered lowered = lower(code.at);
    unsigned accesses = 0, affine = 0;
    bool seen[LANE_SUMS_MAX + 1] = {false};
    for (uint32_t i = 0; i < lowered.kernel->converged.op_count; i++) {
        const struct micro_op *op = &lowered.kernel->converged.ops[i];
        accesses += op->semantic == SEM_load_global;
        affine += op->affine_part != 0;
        ck_assert_uint_le(op->affine_part, lowered.kernel->affine_count);
        ck_assert_msg(!op->affine_part || !seen[op->affine_part], "affine_part %u twice", op->affine_part);
        seen[op->affine_part] = true;
    }
    ck_assert_uint_eq(lowered.kernel->affine_count, LANE_SUMS_MAX);
    ck_assert_uint_eq(accesses, 301);
    ck_assert_uint_eq(affine, LANE_SUMS_MAX);
    text_done(&code);
    done(&lowered);
}
END_TEST

UNIT_MAIN("lower_affine", test_sums, test_factors, test_vectors_beside, test_comparisons, test_wide_addresses,
          test_loops, test_loads, test_guards, test_results, test_unwritten, test_wide, test_arms, test_calls,
          test_too_many_affine_parts)
