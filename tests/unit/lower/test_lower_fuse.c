/* Which micro-ops are marked as one. Loads and multiply-adds: only where nobody else reads what they load,
 * and nothing in a chain reads what stands before it in the chain. Guarded instructions: alone, and two of
 * which each lane does one. */
#include "lower_unit.h"

#define HEAD                                                                                                 \
    "mov.u32 r0, %tid.x\nmov.u32 r1, %tid.y\nmul.u32 r1, r1, 16\ncvt.f32.u32 r8, r0\nmov.f32 r7, 1\n"        \
    "cvt.f32.u32 r9, r1\n"
#define HEAD_COUNT 6
#define END        "\nstg.f32 [$x + r0*4], r7\nexit"
#define ROW        "ldg.f32 r5, [$x + r0*4]\n"
#define COLUMN     "ldg.f32 r6, [$x + r1*4]\n"
#define SUM        "fma.f32 r7, r5, r6, r7\n"
#define ROW_NEXT   "ldg.f32 r5, [$x + r0*4 + 4]\n"
#define COLUMN_OFF "ldg.f32 r6, [$x + r1*4 - 64]\n"

/* Of the instruction behind the head. */
static const struct {
    const char *code;
    uint32_t at, link_ops, links;
} cases[] = {
    {ROW COLUMN SUM, 0, 3, 1},
    {COLUMN ROW "fma.f32 r7, r5, r6, r7\n", 0, 3, 1},
    {ROW "lds.u32 r6, [tile]\n" SUM, 0, 3, 1},
    {ROW "ldc.f32 r6, [lut]\n" SUM, 0, 3, 1},
    {ROW "fma.f32 r7, r5, 2, r8\n" ROW_NEXT "fma.f32 r7, 2, r5, r7\n", 0, 2, 2},
    {ROW "fma.f32 r7, r8, r5, r7\n", 0, 0, 0}, /* alone it is not worth it */
    /* chains */
    {ROW COLUMN SUM ROW_NEXT COLUMN_OFF SUM, 0, 3, 2},
    {ROW COLUMN SUM ROW_NEXT COLUMN_OFF SUM, 3, 3, 1},
    {ROW COLUMN SUM ROW COLUMN SUM ROW COLUMN SUM, 3, 3, 2},
    {ROW "fma.f32 r7, r5, r8, r7\n" ROW_NEXT "fma.f32 r7, r9, r5, r7\n", 0, 2, 2},
    {ROW COLUMN "fma.f32 r9, r5, r6, r7\n" ROW COLUMN "fma.f32 r7, r5, r6, r9\n", 0, 3, 2},
    /* other addresses, other sums, the sum in between read behind the chain */
    {ROW COLUMN SUM COLUMN ROW SUM, 0, 3, 1},
    {ROW COLUMN SUM ROW COLUMN "fma.f32 r8, r5, r6, r8\nadd.f32 r7, r7, r8\n", 0, 3, 1},
    {ROW COLUMN "fma.f32 r9, r5, r6, r7\n" ROW COLUMN "fma.f32 r7, r5, r6, r9\nadd.f32 r7, r7, r9\n", 0, 3,
     1},
    {ROW "fma.f32 r7, r5, r8, r7\n" ROW "fma.f32 r7, r5, r7, r7\n", 0, 0, 0},
    {ROW "fma.f32 r7, r5, r8, r7\n" ROW "fma.f32 r9, r5, r8, r8\nadd.f32 r7, r7, r9\n", 0, 0, 0},
    {ROW "fma.f32 r7, r5, r8, r7\n" ROW_NEXT "fma.f32 r7, r5, 2, r7\n", 0, 0, 0},
    /* what is loaded is read by others: later, twice, as an address, as what is added */
    {ROW COLUMN SUM "add.f32 r7, r7, r5\n", 0, 0, 0},
    {ROW COLUMN SUM "add.f32 r7, r7, r5\n", 1, 0, 0},
    {ROW COLUMN SUM "add.f32 r7, r7, r6\n", 0, 0, 0},
    {ROW "fma.f32 r7, r5, r5, r7\n", 0, 0, 0},
    {ROW "fma.f32 r7, r8, r7, r5\n", 0, 0, 0},
    {ROW COLUMN "fma.f32 r7, r5, r6, r5\n", 0, 0, 0},
    {"ldg.u32 r5, [$x]\nldg.f32 r6, [$x + r5*4]\nfma.f32 r7, r5, r6, r7\n", 0, 0, 0},
    /* not these: several operations, a guard, other types, what lies anyhow, something in between */
    {ROW COLUMN "fma.f32.sat r7, r5, r6, r7\n", 0, 0, 0},
    {ROW COLUMN "fma.f32.ftz r7, r5, r6, r7\n", 0, 0, 0},
    {ROW COLUMN "fma.f32.rz r7, r5, r6, r7\n", 0, 0, 0},
    {ROW COLUMN "mad.f32 r7, r5, r6, r7\n", 0, 0, 0},
    {ROW COLUMN "setp.lt.u32 p0, r0, 3\n" SUM, 0, 0, 0},
    {"setp.lt.u32 p0, r0, 3\n" ROW COLUMN "@p0 fma.f32 r7, r5, r6, r7\n", 1, 0, 0},
    {"xor.u32 r0, r0, 5\n" ROW "fma.f32 r7, r5, r8, r7\n", 1, 0, 0},
    {"ldg.f32.v2 r4, [$x + r0*8]\nfma.f32 r7, r5, r8, r7\n", 0, 0, 0},
    /* a place where paths meet */
    {"setp.lt.u32 p0, r0, 3\n@p0 bra in\n" ROW "in: fma.f32 r7, r5, r8, r7\n", 2, 0, 0},
    {ROW COLUMN SUM "again: " ROW COLUMN SUM "add.u32 r0, r0, 1\nsetp.lt.u32 p0, r0, 9\n@p0 bra again\n", 0,
     3, 1},
};

START_TEST(test_what_is_fused)
{
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        char code[1200];
        snprintf(code, sizeof code, "%s%s%s", HEAD, cases[i].code, END);
        struct lowered lowered = lower(code);
        const struct micro_code *const converged = &lowered.kernel->converged;
        const struct micro_op *op = &converged->ops[converged->first_op[HEAD_COUNT + cases[i].at]];
        ck_assert_msg(op->link_ops == cases[i].link_ops && op->links == cases[i].links, "%u of %u in\n%s",
                      op->links, op->link_ops, code);
        for (uint32_t k = 0; k < lowered.kernel->general.op_count; k++)
            ck_assert(lowered.kernel->general.ops[k].links == 0 ||
                      lowered.kernel->general.ops[k].semantic == MICRO_GUARD_BEGIN);
        done(&lowered);
    }
}
END_TEST

/* Of the first instruction behind `setp p0`, in both codes. */
static const struct {
    const char *code;
    uint32_t links;
} guards[] = {
    {"@p0 add.u32 r1, r1, 1\n", 1},
    {"@p0 add.u32 r1, r1, 1\n@!p0 sub.u32 r1, r1, 1\n", 2},
    {"@!p0 mov.u32 r1, r2\n@p0 mul.u32 r2, r1, r1\n", 2},
    {"@p0 add.u32 r1, r1, 1\n@!p1 sub.u32 r1, r1, 1\n", 1},
    {"@p0 add.u32 r1, r1, 1\nin: @!p0 sub.u32 r1, r1, 1\n@p1 bra in\n", 1}, /* paths meet in between */
    {"@p0 setp.lt.u32 p0, r1, r2\n@!p0 sub.u32 r1, r1, 1\n", 1},            /* another guard by then */
    {"@p0 setp.lt.u32 p1, r1, r2\n@!p0 setp.lt.u32 p0, r2, r1\n", 2},
    {"@p0 add.u32 r1, r1, 1\n@!p0 ldg.u32 r1, [$x]\n", 1},
    {"@p0 ldg.u32 r1, [$x]\n", 0},
    {"@p0 cvt.u32.u8 r1, r2\n", 0},
    {"@p0 addc.u32 r1, p2, r1, r2, p1\nsel.u32 r1, r1, r2, p2\n", 0},
    {"@p0 stg.u32 [$x], r1\n", 0},
    {"@p0 bra in\nin:\n", 0},
    {"@p0 add.u32 r1, r1, 1\n@p0 add.u32 r2, r2, 1\n", 0}, /* one mask for both */
};

START_TEST(test_guards)
{
    for (size_t i = 0; i < HX_COUNT_OF(guards); i++) {
        char code[600];
        snprintf(code, sizeof code,
                 "mov.u32 r1, %%tid.x\nldg.u32 r2, [$x + r1*4]\nsetp.lt.u32 p1, r2, 3\n"
                 "setp.lt.u32 p0, r1, r2\n%ssel.u32 r1, r1, r2, p0\nsel.u32 r1, r1, r2, p1\n"
                 "stg.u32 [$x], r1\nexit",
                 guards[i].code);
        struct lowered lowered = lower(code);
        const struct micro_code *const codes[] = {&lowered.kernel->general, &lowered.kernel->converged};
        for (size_t k = 0; k < HX_COUNT_OF(codes); k++)
            if (codes[k]->op_count > 0)
                ck_assert_msg(codes[k]->ops[codes[k]->first_op[4]].links == guards[i].links,
                              "code %zu: %u in\n%s", k, codes[k]->ops[codes[k]->first_op[4]].links, code);
        done(&lowered);
    }
}
END_TEST

/* Long chains are cut. */
START_TEST(test_long_chains)
{
    struct text text;
    text_init(&text, NULL);
    text_print(&text, "%s", "mov.u32 r0, %tid.x\nmov.f32 r7, 1\nmov.f32 r8, 2\n");
    for (int i = 0; i < 40; i++)
        text_print(&text, "ldg.f32 r5, [$x + r0*4 + %d]\nfma.f32 r7, r5, r8, r7\n", 4 * i);
    text_print(&text, "stg.f32 [$x + r0*4], r7\nexit");
    struct lowered lowered = lower(text.at);
    const struct micro_code *const converged = &lowered.kernel->converged;
    for (uint32_t i = 0; i < 40; i++)
        ck_assert_uint_eq(converged->ops[converged->first_op[3 + 2 * i]].links,
                          i < 32 ? LINKS_MAX - i % LINKS_MAX : 40 - i);
    done(&lowered);
    text_done(&text);
}
END_TEST

START_TEST(test_listing)
{
    struct lowered lowered = lower(HEAD ROW COLUMN SUM ROW_NEXT COLUMN_OFF SUM END);
    struct text text;
    text_init(&text, NULL);
    ck_assert_int_eq(lower_print(lowered.kernel, NULL, append_text, &text), HX_OK);
    const char *const converged = strstr(text.at, "converged code");
    ck_assert_ptr_nonnull(converged);
    const char *const head = strstr(converged, "fused with the next 5\n");
    ck_assert_msg(head, "%s", converged);
    ck_assert_msg(strstr(head, "*+ load_global.f32"), "%s", converged);
    ck_assert_msg(strstr(head, "*+ ffma.f32"), "%s", converged);
    ck_assert_msg(strstr(head, "*  store_global.f32"), "%s", converged);
    ck_assert_ptr_null(strstr(head + 1, "fused"));
    text_done(&text);
    done(&lowered);
}
END_TEST

UNIT_MAIN("lower_fuse", test_what_is_fused, test_guards, test_long_chains, test_listing)
