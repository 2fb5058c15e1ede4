/* Lowering through small kernels: what instructions become, and that what they become is well formed. */
#include "lower_unit.h"

#define LANE "mov.u32 r0, %laneid\n"

/* `want`: the names of the micro-ops, with '|' before masked ones; MICRO_END comes last. */
static void check_names(const char *code, const char *want)
{
    uint32_t kept;
    struct lowered lowered = lower_kept(code, &kept);
    const struct lowered_kernel *kernel = lowered.kernel;
    struct text names;
    text_init(&names, NULL);
    for (uint32_t i = 0; i + 1 < kernel->general.op_count; i++) {
        const struct micro_op *op = &kernel->general.ops[i];
        const struct semantic *semantic = semantic_at(op->semantic);
        const char *name = semantic                            ? semantic->name
                           : op->semantic == MICRO_GUARD_BEGIN ? "guard_begin"
                           : op->semantic == MICRO_GUARD_END   ? "guard_end"
                                                               : "end";
        if (op->instruction < kept || op->instruction + 1 >= kernel->kernel->code_count)
            text_print(&names, "%s%s%s", names.length ? " " : "", op->flags & MICRO_MASKED ? "|" : "", name);
    }
    ck_assert_msg(strcmp(names.at, want) == 0, "%s: %s, not %s", code, names.at, want);
    ck_assert_int_eq(kernel->general.ops[kernel->general.op_count - 1].semantic, MICRO_END);
    text_done(&names);
    done(&lowered);
}

START_TEST(test_plain_instructions)
{
    check_names(LANE "add.u32 r1, r0, r0\nexit", "mov add exit");
    check_names("mov.u32 r0, %tid.x\nmov.u32 r1, %ctaid.x\nadd.u32 r1, r1, r0\nmov.u64 r2, $x\nadd.u64 r2, "
                "r2, 8\nmov.u32 r3, tile\nadd.u32 r3, r3, r0\nexit",
                "mov nop add nop add nop add exit");
    check_names("mov.u32 r0, %clock\nmov.u64 r1, %clock64\nexit", "clock mov clock64 mov exit");
    check_names("mov.u64 r0, %tid.x\nexit", "cvt mov exit");
    check_names(LANE "add.rm.f32 r1, r0, r0\ncvt.rp.f32.i32 r2, r0\ncvt.rni.i32.f32 r3, r0\nexit",
                "mov fadd_directed cvt_directed cvt_rni exit");
    check_names(LANE "add.sat.f32 r1, r0, r0\nexit", "mov fadd saturate exit");
    check_names("mov.i32 r0, %laneid\nadd.sat.i32 r1, r0, r0\nexit", "mov add_sat exit");
    check_names(LANE "mul.sat.ftz.f32 r1, r0, 2.0\nexit", "mov flush flush fmul saturate flush exit");
    check_names(LANE "setp.lt.u32 p0, r0, 2\naddc.u32 r1, p0, r0, r0, !p0\nexit",
                "mov setp_lt pnot addc exit");
    check_names("nop\nmemfence.block\nbar.sync 3\nexit", "nop fence barrier_sync exit");
}
END_TEST

START_TEST(test_comparisons)
{
    check_names(LANE "setp.lt.u32 p0, r0, 2\nsetp.eq.and.u32 p1, r0, 3, p0\nexit",
                "mov setp_lt setp_eq pand exit");
    check_names(LANE "setp.lt.u32 p0, r0, 2\nsetp.eq.xor.u32 p1, r0, 3, !p0\nexit",
                "mov setp_lt pnot setp_eq pxor exit");
    check_names(LANE "setp.lt.u32 p0|p1, r0, 2\nexit", "mov setp_lt pnot exit");
    check_names(LANE "setp.lt.u32 p0|_, r0, 2\nexit", "mov setp_lt exit");
    check_names(LANE "setp.lt.u32 p0, r0, 2\nsetp.eq.or.u32 p1|p2, r0, 3, p0\nexit",
                "mov setp_lt setp_eq pnot por por exit");
    check_names(LANE "set.gt.f32.f32 r1, r0, 2.0\nexit", "mov setp_gt sel exit");
    uint32_t kept;
    struct lowered lowered =
        lower_kept("mov.u32 r0, %laneid\nset.gt.f32.u32 r1, r0, 2\nset.gt.i32.u32 r2, r0, 2\nexit", &kept);
    const struct micro_op *floats = &lowered.kernel->general.ops[2],
                          *integers = &lowered.kernel->general.ops[4];
    ck_assert_uint_eq(lowered.kernel->uniforms[floats->a.index].bits, 0x3f800000u);
    ck_assert_uint_eq(lowered.kernel->uniforms[integers->a.index].bits, 0xffffffffu);
    ck_assert_uint_eq(lowered.kernel->uniforms[integers->b.index].bits, 0);
    ck_assert_int_eq(lowered.kernel->general.ops[1].type, HX_TYPE_U32);
    done(&lowered);
}
END_TEST

START_TEST(test_halves)
{
    check_names(LANE "pack.u64.u32 r1, r0, r0\nunpack.u32.u64 r2, r3, r1\nexit",
                "mov pack unpack_low unpack_high exit");
    check_names(LANE "pack.u64.u16 r1, r0, r0, r0, r0\nexit", "mov pack pack pack exit");
    check_names("mov.u64 r1, %gtid\nunpack.u16.u64 r2, _, _, r4, r1\nexit",
                "mov unpack_low unpack_high unpack_low unpack_high exit");
    check_names("mov.u32 r1, %laneid\nunpack.u16.u32 _, _, r1\nexit", "mov nop exit");
}
END_TEST

/* An instruction over a packed type is one over each half. The low half needs no taking apart. */
START_TEST(test_packed_types)
{
    check_names(LANE "mul.f16x2 r1, r0, r0\nexit", "mov fmul unpack_high unpack_high fmul pack exit");
    check_names(LANE "mul.rz.bf16x2 r1, r0, 0x3f803f80\nexit",
                "mov fmul_directed unpack_high fmul_directed pack exit");
    check_names(LANE "neg.ftz.f16x2 r0, r0\nexit",
                "mov flush fneg flush unpack_high flush fneg flush pack exit");
    check_names(LANE "max.nan.f16x2 r0, r0, $n\nexit",
                "mov fmax_nan unpack_high unpack_high fmax_nan pack exit");
    check_names(LANE "set.gt.u32.f16x2 r1, r0, r0\nexit",
                "mov setp_gt sel unpack_high unpack_high setp_gt sel pack exit");
    check_names(LANE "@p0 add.sat.f16x2 r0, r0, 0\nexit",
                "mov guard_begin |fadd |saturate |unpack_high |fadd |saturate |pack guard_end exit");
    check_names(LANE "redg.add.f16x2 [$x], r0\nexit", "mov atomic_add_global exit");
}
END_TEST

START_TEST(test_addresses)
{
    check_names("ldg.u32 r0, [$x + 8]\nexit", "load_global exit");
    check_names("mov.u32 r1, %laneid\nldg.u32 r0, [$x + r1*4]\nexit", "mov load_global exit");
    check_names("mov.u64 r1, %gtid\nldg.u32 r0, [$x + r1.i32*4]\nexit", "mov cvt load_global exit");
    check_names("mov.u64 r1, %gtid\nmov.u32 r2, %laneid\nldg.u32 r0, [r1 + r2*4]\nexit",
                "mov mov address load_global exit");
    check_names("mov.u32 r1, %laneid\nldg.u32 r0, [r1]\nexit", "mov cvt load_global exit");
    struct lowered lowered = lower("mov.u32 r1, %laneid\nmov.u64 r2, %gtid\nldg.u8 r0, [$x + r1.i32*8 - "
                                   "3]\nlds.u32 r3, [tile + r2*4]\nexit");
    const struct micro_op *ops = lowered.kernel->general.ops;
    ck_assert_int_eq(ops[2].source_type, HX_TYPE_I32);
    ck_assert_uint_eq(ops[2].scale_log2, 3);
    ck_assert_int_eq(ops[2].immediate, -3);
    ck_assert_uint_eq(ops[2].access_bytes, 1);
    ck_assert_int_eq(ops[3].type, HX_TYPE_U64);
    ck_assert_int_eq(ops[3].immediate, 4);
    const struct uniform *tile = &lowered.kernel->uniforms[ops[3].a.index];
    ck_assert_int_eq(tile->kind, UNIFORM_ARRAY);
    ck_assert_int_eq(tile->space, SPACE_SHARED);
    ck_assert_int_eq(ops[4].source_type, HX_TYPE_NONE);
    ck_assert_uint_eq(ops[4].align_log2, 2);
    done(&lowered);
}
END_TEST

START_TEST(test_vectors)
{
    check_names("ldg.u32.v4 r0, [$x]\nstg.u32.v2 [$x], r2\nexit",
                "load_global load_global load_global load_global store_global store_global exit");
    /* an element lands where the address is */
    check_names("mov.u64 r0, %gtid\nldg.u64.v2 r0, [r0]\nldg.u64.v2 r0, [r0]\nexit",
                "mov load_global load_global load_global load_global exit");
    struct lowered lowered = lower("mov.u64 r8, %gtid\nldg.f32.v4 r0, [r8 + 16]\nexit");
    for (unsigned i = 0; i < 4; i++) {
        const struct micro_op *op = &lowered.kernel->general.ops[1 + i];
        ck_assert_int_eq(op->immediate, 16 + 4 * (int)i);
        ck_assert_uint_eq(op->access_bytes, i == 0 ? 16 : 0);
        ck_assert_uint_eq(op->align_log2, i == 0 ? 4 : 0);
        ck_assert_int_eq(!!(op->flags & MICRO_PRIMARY), i == 0);
    }
    done(&lowered);
}
END_TEST

START_TEST(test_guards)
{
    check_names(LANE "setp.lt.u32 p0, r0, 2\n@p0 mov.u32 r1, %laneid\n@p0 add.u32 r1, r1, 1\nexit",
                "mov setp_lt guard_begin |mov |add guard_end exit");
    check_names(LANE "setp.lt.u32 p0, r0, 2\n@p0 mov.u32 r1, %laneid\n@!p0 mov.u32 r1, 2\nexit",
                "mov setp_lt guard_begin |mov guard_end guard_begin |mov guard_end exit");
    check_names(LANE "setp.lt.u32 p0, r0, 2\n@p0 setp.lt.u32 p0, r0, 1\n@p0 mov.u32 r1, 2\nexit",
                "mov setp_lt guard_begin |setp_lt guard_end guard_begin |mov guard_end exit");
    check_names(
        LANE "setp.lt.u32 p0, r0, 2\n@p0 mov.u32 r1, %laneid\nhere: @p0 mov.u32 r1, 2\n@!p0 bra here\nexit",
        "mov setp_lt guard_begin |mov guard_end guard_begin |mov guard_end branch exit");
    struct lowered lowered =
        lower("mov.u32 r0, %laneid\nsetp.lt.u32 p0, r0, 2\n@!p0 bar.sync 0\n@!p0 mov.u32 r1, %laneid\nexit");
    const struct micro_op *ops = lowered.kernel->general.ops;
    ck_assert_int_eq(ops[2].flags & (MICRO_GUARDED | MICRO_GUARD_NEGATED),
                     MICRO_GUARDED | MICRO_GUARD_NEGATED);
    ck_assert_int_eq(ops[2].c.kind, ROW_PREDICATE);
    ck_assert_int_eq(ops[3].flags & MICRO_GUARD_NEGATED, MICRO_GUARD_NEGATED);
    ck_assert_int_eq(ops[3].c.index, ops[1].d.index);
    done(&lowered);
}
END_TEST

START_TEST(test_flow)
{
    struct lowered lowered = lower("mov.u32 r0, 4\nagain: @p0 mov.u32 r1, %laneid\nloop.u32 r0, again\ncall "
                                   "f\nbar.sync 2, r1\nbra out\nf: ret\nout: exit");
    const struct lowered_kernel *kernel = lowered.kernel;
    const uint32_t *first = kernel->general.first_op;
    ck_assert_uint_eq(kernel->general.ops[first[2]].target, first[1]);
    ck_assert_int_eq(kernel->general.ops[first[1]].semantic, MICRO_GUARD_BEGIN);
    ck_assert_int_eq(kernel->general.ops[first[2]].d.kind, ROW_4);
    ck_assert_uint_eq(kernel->general.ops[first[3]].target, first[6]);
    ck_assert_int_eq(kernel->general.ops[first[4]].immediate, 2);
    ck_assert_int_eq(kernel->general.ops[first[4]].a.kind, ROW_4);
    ck_assert_uint_eq(kernel->general.ops[first[5]].target, first[7]);
    ck_assert_uint_eq(first[8] + 1, kernel->general.op_count);
    ck_assert_int_eq(kernel->barriers_used, 1);
    ck_assert_uint_eq(kernel->call_depth, 1);
    done(&lowered);
}
END_TEST

/* A register that holds 32 bits on one way and 64 on another is one web of 8 bytes. */
START_TEST(test_widths)
{
    check_names("mov.u64 r0, %gtid\nmov.u32 r1, %laneid\nsetp.lt.u32 p0, r1, 2\n@p0 mov.u32 r0, 2\nadd.u64 "
                "r2, r0, 1\nadd.u32 r3, r0, 1\nexit",
                "mov mov setp_lt guard_begin |mov |cvt guard_end add cvt add exit");
    check_names(LANE "add.u64 r1, r0, 1\nexit", "mov cvt add exit");
    /* a narrow parameter is extended by its sign, as a register would be */
    check_names("mov.u32 r0, $tiny\nmov.i8 r1, $tiny\nmov.u32 r2, $n\nexit", "mov mov mov nop exit");
}
END_TEST

START_TEST(test_rows_are_few)
{
    struct lowered lowered =
        lower("mov.u32 r0, %laneid\nadd.u32 r1, r0, 1\nadd.u32 r2, r1, 1\nadd.u32 r3, r2, 1\n"
              "ldg.u64 r4, [$x]\nstg.u32 [r4], r3\nexit");
    ck_assert_uint_eq(lowered.kernel->rows_4, 1);
    ck_assert_uint_eq(lowered.kernel->rows_8, 1);
    ck_assert_uint_eq(lowered.kernel->rows_predicate, 0);
    ck_assert_uint_eq(lowered.kernel->zero_row_count, 0);
    done(&lowered);
}
END_TEST

START_TEST(test_unwritten_registers_are_cleared)
{
    struct lowered lowered = lower("add.u32 r1, r0, 1\n@p0 mov.u32 r2, r1\nstg.u32 [$x], r2\nexit");
    const struct lowered_kernel *kernel = lowered.kernel;
    ck_assert_uint_eq(kernel->zero_row_count, 3);
    bool cleared[3] = {false, false, false};
    for (uint32_t i = 0; i < kernel->zero_row_count; i++) {
        const struct row row = kernel->zero_rows[i];
        const struct row reads[] = {kernel->general.ops[0].a, kernel->general.ops[1].c,
                                    kernel->general.ops[4].b};
        for (int r = 0; r < 3; r++)
            cleared[r] |= reads[r].kind == row.kind && reads[r].index == row.index;
    }
    ck_assert(cleared[0] && cleared[1] && cleared[2]);
    done(&lowered);
}
END_TEST

START_TEST(test_listing)
{
    struct lowered lowered =
        lower("mov.u32 r0, %tid.x\nsetp.lt.u32 p0, r0, $n\n@p0 ldg.u32 r1, [$x + r0*4 + 8]\n"
              "@p0 sts.u32 [tile], r1\n@!p0 bra out\nout: exit");
    struct text text;
    text_init(&text, NULL);
    ck_assert_ok(lower_print(lowered.kernel, NULL, append_text, &text));
    static const char *const parts[] = {"kernel t: 6 instructions",
                                        "mov.u32  w0 := %tid.x",
                                        "setp_lt.u32  q0 := w0, $n",
                                        "guard_begin",
                                        "[$x + w0 * 4 + 8]",
                                        "&tile",
                                        "@!q0 branch  -> ",
                                        "guard_end",
                                        "@p0 ldg.u32 r1, [$x + r0*4 + 8]"};
    for (size_t i = 0; i < HX_COUNT_OF(parts); i++)
        ck_assert_msg(strstr(text.at, parts[i]), "no '%s' in\n%s", parts[i], text.at);
    text_done(&text);
    done(&lowered);
}
END_TEST

START_TEST(test_lack_of_memory)
{
    struct loaded_kernel loaded =
        kernel_load("", "mov.u32 r0, %tid.x\nsetp.lt.u32 p0, r0, 5\n@p0 ldg.u32.v4 r4, [$x + r0*4]\n"
                        "again: add.u64 r4, r4, r9\nloop.u32 r0, again\nexit");
    struct verified_kernel *verified = NULL;
    ck_assert_ok(verify_kernel(loaded.program, loaded.kernel, NULL, loaded.diag, &verified));
    hx_status status = HX_NO_MEMORY;
    for (size_t n = 1; status == HX_NO_MEMORY; n++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, n);
        struct lowered_kernel *kernel = NULL;
        struct text text;
        text_init(&text, NULL);
        status = lower_kernel(loaded.program, verified, &failing.hook, NULL, &kernel, NULL);
        if (status == HX_OK)
            status = lower_print(kernel, NULL, append_text, &text);
        ck_assert(status == HX_NO_MEMORY || status == HX_OK);
        ck_assert(n > 3 || status == HX_NO_MEMORY);
        ck_assert(status != HX_OK || text.length > 100);
        lower_free(kernel);
        text_done(&text);
        ck_assert_uint_eq(failing.live, 0);
    }
    verify_free(verified);
    kernel_unload(&loaded);
}
END_TEST

UNIT_MAIN("lower", test_plain_instructions, test_comparisons, test_halves, test_packed_types, test_addresses,
          test_vectors, test_guards, test_flow, test_widths, test_rows_are_few,
          test_unwritten_registers_are_cleared, test_listing, test_lack_of_memory)
