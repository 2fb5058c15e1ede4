/* Which micro-ops are fused, as the listing says it. Loads and multiply-adds: only where no other instruction
 * reads what they load, and nothing in a chain reads what stands before it in the chain. That the results
 * stay the same is tested in exec. */
#include "lower_unit.h"

#define HEAD                                                                                                 \
    "mov.u32 r0, %tid.x\nmov.u32 r1, %tid.y\nmul.u32 r1, r1, 16\ncvt.f32.u32 r8, r0\nmov.f32 r7, 1\n"        \
    "cvt.f32.u32 r9, r1\n"
#define END        "\nstg.f32 [$x + r0*4], r7\nexit"
#define ROW        "ldg.f32 r5, [$x + r0*4]\n"
#define COLUMN     "ldg.f32 r6, [$x + r1*4]\n"
#define SUM        "fma.f32 r7, r5, r6, r7\n"
#define ROW_NEXT   "ldg.f32 r5, [$x + r0*4 + 4]\n"
#define COLUMN_OFF "ldg.f32 r6, [$x + r1*4 - 64]\n"
#define SIX        ROW COLUMN SUM ROW COLUMN SUM ROW COLUMN SUM ROW COLUMN SUM ROW COLUMN SUM ROW COLUMN SUM

struct fused_case {
    const char *code, *fused; /* "5 2": one is fused with the next 5, a later one with the next 2 */
};

static void check_listing(const char *listing, const char *want)
{
    static const char mark[] = "fused with the next ";
    struct text fused;
    text_init(&fused, NULL);
    text_print(&fused, "%s", "");
    for (const char *at = listing; (at = strstr(at, mark));) {
        at += strlen(mark);
        text_print(&fused, "%s%d", fused.length ? " " : "", atoi(at));
    }
    ck_assert_msg(strcmp(fused.at ? fused.at : "", want) == 0, "'%s', not '%s', in\n%s", fused.at, want,
                  listing);
    text_done(&fused);
}

static void check_fused(const struct fused_case *cases, size_t count, const char *head, const char *end)
{
    for (size_t i = 0; i < count; i++) {
        struct text code, listing;
        text_init(&code, NULL);
        text_init(&listing, NULL);
        text_print(&code, "%s%s%s", head, cases[i].code, end);
        struct lowered lowered = lower(code.at);
        ck_assert_int_eq(lower_print(lowered.kernel, NULL, append_text, &listing), HX_OK);
        char *const converged = strstr(listing.at, "converged code");
        ck_assert(converged);
        check_listing(converged, cases[i].fused);
        *converged = 0;
        check_listing(listing.at, "");
        text_done(&code);
        text_done(&listing);
        done(&lowered);
    }
}

static const struct fused_case chains[] = {
    {ROW COLUMN SUM, "2"},
    {COLUMN ROW "fma.f32 r7, r5, r6, r7\n", "2"},
    {ROW "lds.u32 r6, [tile]\n" SUM, "2"},
    {ROW "ldc.f32 r6, [lut]\n" SUM, "2"},
    {ROW "fma.f32 r7, r8, r5, r7\n", ""}, /* alone it is not worth it */
    {ROW "fma.f32 r7, r5, r8, r7\n" ROW_NEXT "fma.f32 r7, r9, r5, r7\n", "3"},
    {ROW COLUMN SUM ROW_NEXT COLUMN_OFF SUM, "5"},
    {ROW COLUMN "fma.f32 r9, r5, r6, r7\n" ROW COLUMN "fma.f32 r7, r5, r6, r9\n", "5"},
    /* two chains: other addresses, another sum, a sum that is read behind the chain */
    {ROW COLUMN SUM COLUMN ROW SUM, "2 2"},
    {ROW COLUMN SUM ROW COLUMN "fma.f32 r8, r5, r6, r8\nadd.f32 r7, r7, r8\n", "2 2"},
    {ROW COLUMN "fma.f32 r9, r5, r6, r7\n" ROW COLUMN "fma.f32 r7, r5, r6, r9\nadd.f32 r7, r7, r9\n", "2 2"},
    /* what is loaded is read by others: later, twice, as an address, as what is added */
    {ROW COLUMN SUM "add.f32 r7, r7, r5\n", ""},
    {ROW "fma.f32 r7, r5, r5, r7\n", ""},
    {ROW COLUMN "fma.f32 r7, r5, r6, r5\n", ""},
    {"ldg.u32 r5, [$x]\nldg.f32 r6, [$x + r5*4]\nfma.f32 r7, r5, r6, r7\n", ""},
    /* several operations, a guard, an address without layout, something or a label in between */
    {ROW COLUMN "fma.f32.sat r7, r5, r6, r7\n", ""},
    {ROW COLUMN "setp.lt.u32 p0, r0, 3\n" SUM, ""},
    {"setp.lt.u32 p0, r0, 3\n" ROW COLUMN "@p0 fma.f32 r7, r5, r6, r7\n", ""},
    {"xor.u32 r0, r0, 5\n" ROW "fma.f32 r7, r5, r8, r7\n", ""},
    {ROW COLUMN SUM "again: " ROW COLUMN SUM "add.u32 r0, r0, 1\nsetp.lt.u32 p0, r0, 9\n@p0 bra again\n",
     "2 2"},
    /* long chains are cut */
    {SIX SIX SIX, "47 5"},
};

START_TEST(test_chains)
{
    check_fused(chains, HX_COUNT_OF(chains), HEAD, END);
}
END_TEST

UNIT_MAIN("lower_fuse", test_chains)
