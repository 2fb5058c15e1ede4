/* What the converged code keeps once and what lane by lane, and how accesses get their addresses, as its
 * listing says it: the results are tested in exec. */
#include "lower_unit.h"

/* Parts of the converged code's listing, in this order; none: there is no converged code. */
struct listed_case {
    const char *code, *parts[9];
};

static const struct listed_case cases[] = {
    /* sums, differences and multiples of tid */
    {"mov.u32 r0, %tid.x\nmov.u32 r1, %tid.y\nmov.u32 r2, %tid.z\nmul.u32 r3, r0, 3\nmad.u32 r3, r1, 16, r3\n"
     "shl.u32 r4, r2, 8\nsub.u32 r4, r3, r4\nadd.i32 r4, r4, $n\nldg.u32 r5, [$x + r4.i32*4]\n"
     "stg.u32 [$x + r4*4], r5\nexit",
     {"(uw0 + {3 tid.x + 16 tid.y + -256 tid.z}).i32 * 4]",
      "(uw0 + {3 tid.x + 16 tid.y + -256 tid.z}) * 4]"}},
    {"mov.u32 r0, %tid.x\nsub.u32 r2, r0, r0\nldg.u32 r5, [$x + r2*4]\nstg.u32 [$x], r5\nexit",
     {"sub.u32  uw0 := w0, w0", "uw0 := [$x + uw0 * 4]  checks 4, one element"}},
    /* no affine part: a shift by a value of the launch, saturation, other types */
    {"mov.u32 r0, %tid.x\nmov.u32 r1, $n\nshl.u32 r2, r0, r1\nldg.u32 r5, [$x + r2*4]\nstg.u32 [$x], "
     "r5\nexit",
     {"shl.u32  w0 := w0, $n", "[$x + w0 * 4]  checks 4, gather"}},
    {"mov.u32 r0, %tid.x\nadd.sat.u32 r2, r0, 1\nldg.u32 r5, [$x + r2*4]\nexit", {NULL}},
    {"mov.u32 r0, %tid.x\nadd.u16 r2, r0, 1\nldg.u32 r5, [$x + r2*4]\nexit", {NULL}},
    {"mov.u32 r0, %tid.x\nmul.u32 r2, r0, 0x10000\nshl.u32 r2, r2, 16\nldg.u32 r5, [$x + r2*4]\nexit",
     {"shl.u32  uw0 := w0, 16", "one element"}},
    /* factors of the launch: 32-bit sizes and parameters, one in a term */
    {"mov.u32 r0, %tid.x\nmov.u32 r1, %tid.y\nmov.u32 r4, %nctaid.x\nmad.u32 r2, r1, $n, r0\n"
     "ldg.u32 r5, [$x + r2*4]\nmad.u32 r2, r4, r2, r1\nldg.u32 r6, [$x + r2*4]\nadd.u32 r5, r5, r6\n"
     "stg.u32 [$x], r5\nexit",
     {"(uw0 + {tid.x + $n tid.y}) * 4]  checks 4, contiguous along x", "[$x + w0 * 4]  checks 4, gather"}},
    {"mov.u32 r0, %tid.x\nmov.u32 r3, %ctaid.x\nmul.u32 r1, r0, r3\nldg.u32 r5, [$x + r1*4]\nexit",
     {"w0 := w0, %ctaid.x", "gather"}},
    {"mov.u64 r0, %tid.x\nmov.u64 r4, %ntid.x\nmul.u64 r1, r0, r4\nldg.u32 r3, [$x + r1*4]\nexit",
     {"d0 := d0, %ntid.x", "gather"}},
    /* the lanes are needed as well */
    {"mov.u32 r0, %tid.x\nadd.u32 r1, r0, 4\nadd.u32 r2, r1, 4\nldg.u32 r3, [$x + r2*4]\n"
     "mul.f32 r4, r1, 2.0\nstg.f32 [$x + r2*4], r4\nexit",
     {"uw0 := uw0, 4", "w0 := uw0, {tid.x}", "uw1 := uw0, 4", "[$x + (uw1 + {tid.x}) * 4]",
      "w0 := w0, 0x40000000"}},
    /* comparisons with one value, by another type, under a guard */
    {"mov.u32 r0, %tid.x\nadd.i32 r0, r0, $n\nsetp.ge.i32 p0, r0, $n\nmov.u32 r1, %laneid\n"
     "@p0 stg.u32 [$x], r1\nexit",
     {"q0 := (uw0 + {tid.x}), $n", "| store_global.u32 [$x], w0"}},
    {"mov.u32 r0, %tid.x\nsetp.ltu.f32 p2, r0, 3.0\n@p2 stg.u32 [$x], r0\nexit", {NULL}},
    /* 64 bits: gtid, a base; 32 bits may have wrapped before they were extended; a factor over 32 bits */
    {"mov.u64 r0, %gtid\nmul.u64 r1, r0, 4\nldg.u64 r2, [$x + r1*8]\nadd.u64 r1, r1, $x\n"
     "ldg.u32 r2, [r1 + 16]\nstg.u32 [r1], r2\nexit",
     {"[ud1 + (0 + {4 tid}).i32 * 8]  checks 8, strided", "[ud0 + (0 + {tid}).i32 * 4 + 16]",
      "[ud0 + (0 + {tid}).i32 * 4]"}},
    {"mov.u32 r0, %tid.x\ncvt.u64.u32 r1, r0\nldg.u32 r2, [$x + r1*4]\nexit", {NULL}},
    {"mov.u64 r0, %tid.x\nmul.u64 r1, r0, 0x40000\nmul.u64 r2, r1, 2\nldg.u32 r3, [$x + r1]\n"
     "ldg.u32 r3, [$x + r2]\nexit",
     {"[ud1 + (0 + {262144 tid.x}).i32 * 1]", "[d0]  checks 4, gather"}},
    {"mov.u64 r1, $x\nmov.u32 r2, 7\nmulw.u32 r4, r2, r2\nadd.u64 r1, r1, r4\nldg.u32 r3, [r1]\n"
     "mov.u64 r7, %tid.x\nldg.u32 r6, [r1 + r7*4]\nadd.u32 r6, r6, r3\nstg.u32 [$x + r7*4], r6\nexit",
     {"uw0 := [ud0]  checks 4, one element", "[ud2 + (0 + {tid.x}).i32 * 4]",
      "[ud0 + (0 + {tid.x}).i32 * 4]"}},
    /* loops: an affine part is kept where each round adds the same */
    {"mov.u32 r0, %tid.x\nmov.u32 r1, 0\nagain: ldg.u32 r3, [$x + r0*4]\nadd.u32 r0, r0, 32\n"
     "add.u32 r1, r1, 1\nsetp.lt.u32 p0, r1, $n\n@p0 bra again\nstg.u32 [$x], r3\nexit",
     {"[$x + (uw0 + {tid.x}) * 4]", "uw0 := uw0, 32", "uw1 := uw1, 1", "uq0 := uw1, $n", "@uq0 branch"}},
    {"mov.u32 r0, %tid.x\nmov.u32 r1, 9\nagain: ldg.u32 r3, [$x + r0*4]\nadd.u32 r0, r0, r0\n"
     "loop.u32 r1, again\nexit",
     {"[$x + w0 * 4]  checks 4, gather", "w0 := w0, w0", "loop.u32  uw0"}},
    /* one element for all lanes, also in shared memory; a generic address may be local; atomics */
    {"ldg.u32 r1, [$x]\nlds.u32 r2, [tile + r1*4]\nld.u32 r4, [$x]\nadd.u32 r5, r4, r2\nstg.u32 [$x], "
     "r5\nexit",
     {"uw0 := [$x]  checks 4, one element", "uw0 := [&tile + uw0 * 4]", "load_generic.u32  w1 := [$x]"}},
    {"mov.u32 r2, %tid.x\nldg.u32.v2 r4, [$x + r2*8]\nredg.add.u32 [$x + r2*4], r5\nexit",
     {"[$x + (uw0 + {tid.x}) * 8]", "[$x + (uw0 + {tid.x}) * 8 + 4]", "[$x + w0 * 4], w2  checks 4, gather"}},
    /* a guard makes lanes differ; unwritten registers, clocks, numbers of threads and atomics do, too */
    {"ldg.u32 r1, [$x]\nmov.u32 r2, %tid.x\nsetp.lt.u32 p0, r2, 3\n@p0 mov.u32 r1, 4\nadd.u32 r3, r1, 1\n"
     "stg.u32 [$x], r3\nexit",
     {"load_global.u32  w0 := [$x]", "(uw0 + {tid.x}), 3", "| mov.u32  w0 := 4", "w0 := w0, 1"}},
    {"add.u32 r1, r0, 1\nldg.u32 r2, [$x]\nadd.u32 r3, r2, r1\nstg.u32 [$x], r3\nexit",
     {"w1 := w0, 1", "uw0 := [$x]", "w1 := uw0, w1"}},
    {"mov.u32 r1, 1\natomg.add.u32 r2, [$x], r1\nadd.u32 r2, r2, 1\nredux.add.u32 r3, r1\nadd.u32 r2, r2, "
     "r3\n"
     "mov.u32 r4, %clock\nadd.u32 r2, r2, r4\nmov.u32 r5, %ctaid.x\nadd.u32 r5, r5, 1\nstg.u32 [$x], r2\n"
     "stg.u32 [$x], r5\nexit",
     {"w2 := [$x], 1", "w0 := w2, 1", "redux_add.u32  w1", "w2 := w2, w3", "uw0 := %ctaid.x, 1"}},
    /* arms: what only they need is kept once, what is read behind them is not; both arms; a barrier; a call
     */
    {"mov.u32 r0, %tid.x\nldg.u32 r3, [$x]\nsetp.lt.u32 p0, r0, 3\n@!p0 bra other\nadd.u32 r1, r3, 5\n"
     "add.u32 r2, r1, 1\nbra out\nother: add.u32 r1, r3, 5\nstg.u32 [$x + r0*4], r1\nadd.u32 r2, r1, 2\n"
     "out: stg.u32 [$x], r2\nexit",
     {"arm_begin", "uw2 := uw1, 5", "| add.u32  w0 := uw2, 1", "arm_other", "uw1 := uw1, 5",
      "| store_global.u32 [$x + (uw0 + {tid.x}) * 4], uw1", "| add.u32  w0 := uw1, 2", "arm_end"}},
    {"mov.u32 r2, %tid.x\nsetp.lt.u32 p0, r2, 3\nldg.u32 r5, [$x]\n@p0 bra out\nbar.sync 0\n"
     "out: add.u32 r3, r5, 1\nstg.u32 [$x], r3\nexit",
     {"uw0 := [$x]", "@q0 branch", "barrier_sync", "uw0 := uw0, 1"}},
    {"mov.u32 r2, %tid.x\nldg.u32 r5, [$x]\ncall f\nadd.u32 r6, r5, 1\nldg.u32 r3, [$x + r2*4]\n"
     "add.u32 r6, r6, r3\nstg.u32 [$x], r6\nexit\nf: add.u32 r5, r5, 1\nadd.u32 r2, r2, 1\nret\nexit",
     {"uw1 := [$x]", "call", "uw0 := uw1, 1", "[$x + (uw2 + {tid.x}) * 4]", "uw1 := uw1, 1",
      "uw2 := uw0, 1"}},
};

/* From "converged code" on; NULL without one. */
static const char *list(const char *code, struct text *text)
{
    struct lowered lowered = lower(code);
    text_init(text, NULL);
    ck_assert_int_eq(lower_print(lowered.kernel, NULL, append_text, text), HX_OK);
    done(&lowered);
    return strstr(text->at, "converged code");
}

START_TEST(test_listed)
{
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        struct text text;
        const char *const listing = list(cases[i].code, &text), *at = listing;
        ck_assert_msg(!listing == !cases[i].parts[0], "%s", text.at);
        for (size_t k = 0; cases[i].parts[k]; k++) {
            at = strstr(at, cases[i].parts[k]);
            ck_assert_msg(at, "no '%s' in\n%s", cases[i].parts[k], listing);
            at += strlen(cases[i].parts[k]);
        }
        text_done(&text);
    }
}
END_TEST

/* There is room for 255 affine parts; registers that would have further ones are vectors. */
START_TEST(test_too_many_affine_parts)
{
    struct text code, text;
    unsigned affine = 0, accesses = 0;
    text_init(&code, NULL);
    text_print(&code, "mov.u32 r0, %%tid.x\n");
    for (unsigned i = 0; i < 300; i++)
        text_print(&code, "mul.u32 r1, r0, %u\nldg.u32 r2, [$x + r1*4]\n", i + 2);
    text_print(&code, "ldg.u32 r2, [$x + r0*4]\nexit");
    for (const char *at = list(code.at, &text); (at = strstr(at, ":= [")); accesses++) {
        at += strlen(":= [");
        affine += strcspn(at, "{") < strcspn(at, "\n");
    }
    ck_assert_uint_eq(accesses, 301);
    ck_assert_uint_eq(affine, LANE_SUMS_MAX);
    text_done(&code);
    text_done(&text);
}
END_TEST

UNIT_MAIN("lower_affine", test_listed, test_too_many_affine_parts)
