/* The micro-ops of the converged code: rows that hold what others need, instructions in the midst of which
 * lanes part, what goes from one code to the other, the listing. */
#include "lower_unit.h"

/* In the first arm a parameter is extended by way of a row of a single value, and kept in one: not that
 * which holds r5 for the second arm. */
START_TEST(test_temporaries_of_the_first_arm)
{
    struct lowered lowered =
        lower("mov.u32 r0, %tid.x\nmov.u32 r5, $n\nadd.u32 r5, r5, 1\nsetp.lt.u32 p0, r0, 3\n@p0 bra other\n"
              "mov.u32 r6, $tiny\nstg.u32 [$x], r6\nbra join\nother: mov.u32 r7, $tiny\nadd.u32 r7, r7, r5\n"
              "stg.u32 [$x], r7\njoin: exit");
    const struct micro_code *code = &lowered.kernel->converged;
    const struct row kept = code->ops[code->first_op[2]].d;
    ck_assert(is_same(kept));
    for (uint32_t i = code->first_op[5]; i < code->first_op[6]; i++) {
        ck_assert(is_same(code->ops[i].d));
        ck_assert(code->ops[i].d.kind != kept.kind || code->ops[i].d.index != kept.index);
    }
    for (uint32_t i = code->first_op[8]; i < code->first_op[10]; i++)
        ck_assert(is_same(code->ops[i].d));
    done(&lowered);
}
END_TEST

/* Where lanes may part inside an instruction, both codes make the same of its operands, in the same rows:
 * those that wait go on in the general one. */
static void check_waiting(const char *code, uint32_t at)
{
    struct lowered lowered = lower(code);
    const struct micro_code *general = &lowered.kernel->general, *converged = &lowered.kernel->converged;
    const uint32_t count = general->first_op[at + 1] - general->first_op[at];
    ck_assert_uint_eq(converged->first_op[at + 1] - converged->first_op[at], count);
    for (uint32_t i = 0; i < count; i++) {
        const struct micro_op *op = &converged->ops[converged->first_op[at] + i];
        const struct micro_op *other = &general->ops[general->first_op[at] + i];
        ck_assert_int_eq(op->semantic, other->semantic);
        ck_assert(op->d.kind == other->d.kind && op->d.index == other->d.index);
        ck_assert_int_eq(op->flags, other->flags);
    }
    ck_assert_uint_ne(lowered.kernel->transfer_at[at], 0); /* what it reads and is kept once */
    done(&lowered);
}
START_TEST(test_waiting_inside_instructions)
{
    const char *const head =
        "mov.u32 r0, %tid.x\nsetp.lt.u32 p0, r0, 3\nldg.u32 r5, [$x]\nldg.u64 r6, [$x]\nmov.u32 r4, 1\n";
    static const char *const instructions[] = {"@p0 reduce.add.u32 r4, r5", "@p0 reduce.add.u32 r4, r6",
                                               "@!p0 scan.add.incl.u32 r4, r5",
                                               "@p0 shfl.idx.u32 r4, r5, r0, 31, r6", "@p0 warpsync r6"};
    for (size_t i = 0; i < HX_COUNT_OF(instructions); i++) {
        char code[400];
        snprintf(code, sizeof code, "%s%s\nstg.u32 [$x + r0*4], r4\nexit", head, instructions[i]);
        check_waiting(code, 5);
    }
}
END_TEST

/* Where the code may change, each live register that is kept once has a transfer: an affine part is added on
 * the way, and what has a vector as well is only compared. */
START_TEST(test_transfers)
{
    struct lowered lowered =
        lower("mov.u32 r0, %tid.x\nmul.u32 r1, r0, 3\nldg.u32 r2, [$x]\nldg.u64 r3, [$x + 8]\nsetp.lt.u32 "
              "p1, r2, 3\n"
              "again: ldg.u32 r4, [r3 + r1*4]\nadd.u32 r1, r1, r2\nsetp.lt.u32 p0, r4, 5\n@p0 bra again\n"
              "@p1 stg.u32 [r3], r0\nldg.u32 r4, [r3 + r0*4]\nexit");
    const struct lowered_kernel *kernel = lowered.kernel;
    ck_assert_uint_ne(kernel->transfer_at[5], 0);
    ck_assert_uint_eq(kernel->transfer_at[6], 0);
    ck_assert_uint_ne(kernel->transfer_at[9], 0);
    const struct {
        uint32_t at, count, affine_parts, back_only;
    } wanted[] = {{5, 5, 2, 1}, {9, 3, 1, 1}};
    for (size_t i = 0; i < HX_COUNT_OF(wanted); i++) {
        uint32_t count = 0, affine_parts = 0, back_only = 0;
        const struct transfer *transfer = &kernel->transfers[kernel->transfer_at[wanted[i].at] - 1];
        for (; transfer->same.kind != ROW_NONE; transfer++, count++) {
            ck_assert(is_same(transfer->same));
            ck_assert_int_eq(transfer->vector.kind + (ROW_SAME_4 - ROW_4), transfer->same.kind);
            affine_parts += transfer->affine_part != 0;
            back_only += transfer->back_only;
        }
        ck_assert_uint_eq(count, wanted[i].count);
        ck_assert_uint_eq(affine_parts, wanted[i].affine_parts);
        ck_assert_uint_eq(back_only, wanted[i].back_only);
    }
    done(&lowered);
}
END_TEST

START_TEST(test_listing)
{
    struct lowered lowered = lower("mov.u32 r0, %tid.x\nmov.u32 r1, %tid.y\nmad.u32 r2, r1, 16, r0\n"
                                   "ldg.u32 r3, [$x + r2*4 + 8]\nldg.u32 r4, [$x + r1.i32*4]\n"
                                   "ldg.u8 r5, [$x + r2*4]\nldg.u32 r6, [$x]\nsetp.lt.u32 p0, r3, r6\n"
                                   "@p0 bra other\nadd.u32 r4, r4, 1\nbra join\nother: stg.u32 [$x], r4\n"
                                   "join: exit");
    struct text text;
    text_init(&text, NULL);
    ck_assert_ok(lower_print(lowered.kernel, NULL, append_text, &text));
    static const char *const parts[] = {"converged code",
                                        " + {tid.x + 16 tid.y}) * 4 + 8]",
                                        "contiguous along x",
                                        "one element along x",
                                        ".i32 * 4]",
                                        "strided",
                                        "checks 4, one element\n",
                                        "arm_begin  -> ",
                                        "arm_other  -> ",
                                        "arm_end"};
    const char *const converged = strstr(text.at, parts[0]);
    ck_assert_ptr_nonnull(converged);
    for (size_t i = 0; i < HX_COUNT_OF(parts); i++)
        ck_assert_msg(strstr(converged, parts[i]), "no '%s' in\n%s", parts[i], converged);
    text_done(&text);
    done(&lowered);
}
END_TEST

START_TEST(test_lack_of_memory)
{
    struct loaded_kernel loaded =
        kernel_load("", "mov.u32 r0, %tid.x\nmov.u32 r1, $n\nagain: mad.u32 r2, r0, 4, r1\n"
                        "ldg.u32 r3, [$x + r2*4]\nsetp.lt.u32 p0, r3, 5\n@p0 bra skip\nadd.u32 r3, r3, 1\n"
                        "skip: loop.u32 r1, again\nexit");
    struct verified_kernel *verified = NULL;
    ck_assert_ok(verify_kernel(loaded.program, loaded.kernel, NULL, loaded.diag, &verified));
    hx_status status = HX_NO_MEMORY;
    for (size_t n = 1; status == HX_NO_MEMORY; n++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, n);
        struct lowered_kernel *kernel = NULL;
        status = lower_kernel(loaded.program, verified, &failing.hook, NULL, &kernel, NULL);
        ck_assert(status == HX_NO_MEMORY || status == HX_OK);
        ck_assert(status != HX_OK || kernel->converged.op_count > 0);
        lower_free(kernel);
        ck_assert_uint_eq(failing.live, 0);
    }
    verify_free(verified);
    kernel_unload(&loaded);
}
END_TEST

UNIT_MAIN("lower_converged", test_temporaries_of_the_first_arm, test_waiting_inside_instructions,
          test_transfers, test_listing, test_lack_of_memory)
