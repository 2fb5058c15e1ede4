/* The verifier's warnings about what is allowed and mostly a slip: loops without an exit, shared arrays that
 * are never stored to, shuffles from lanes that the guard leaves out, arithmetic over another type than the
 * value's. Half of the rows must give none. */
#include "base/text.h"
#include "unit.h"
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

/* Rows leave out what is 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define HEAD                                                                                                 \
    "program: t\n"                                                                                           \
    "params:\n"                                                                                              \
    "  - {name: a, type: f32, value: 2.5}\n"                                                                 \
    "  - {name: n, type: i32, value: 7}\n"                                                                   \
    "  - {name: h, type: f16, value: 1}\n"                                                                   \
    "  - {name: w, type: f64, value: 1}\n"                                                                   \
    "buffers:\n"                                                                                             \
    "  - {name: x, type: f32, count: 64}\n"                                                                  \
    "  - {name: z, type: u32, count: 64}\n"                                                                  \
    "shared:\n"                                                                                              \
    "  - {name: tile, type: f32, count: 64}\n"                                                               \
    "  - {name: sums, type: u32, count: 64}\n"                                                               \
    "  - {name: left, type: u8, count: dynamic}\n"                                                           \
    "  - {name: right, type: u32, count: dynamic}\n"                                                         \
    "constants:\n"                                                                                           \
    "  - {name: lut, type: f32, values: [1, 2, 3]}\n"
#define HEAD_LINES 16

/* `code` is verified with one warning of the table's kind, at `line` of the code (from 1), or with none when
 * that is 0. Other kinds are not counted. */
struct scenario {
    const char *name, *code;
    int line, note_line; /* note_line 0: any */
    const char *text;    /* part of the message */
};
struct table {
    const struct scenario *rows;
    size_t count;
    int code;
    const char *launch; /* a line of the document */
};

static hx_program *load(const struct table *table, const struct scenario *row, hx_diag *diag)
{
    HX_AUTO(text_done) struct text text = {0};
    hx_program *program = NULL;
    text_print(&text, HEAD "%s\ncode: |2\n", table->launch);
    for (const char *at = row->code; *at;) {
        const size_t length = strcspn(at, "\n");
        text_print(&text, "  %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
    const hx_status status =
        hx_program_load_bytes("t.yaml", NULL, text.at, text.length, &isa_default, NULL, diag, &program);
    ck_assert_msg(status == HX_OK, "%s: %s", row->name,
                  hx_diag_count(diag) ? hx_diag_at(diag, 0)->message : "not loaded");
    return program;
}

static void check_row(const struct table *table, const struct scenario *row)
{
    hx_diag *diag = NULL;
    struct verified_kernel *verified = NULL;
    int found = 0;
    ck_assert_ok(hx_diag_new(NULL, &diag));
    hx_program *program = load(table, row, diag);
    ck_assert_ok(verify_kernel(program, &program->kernels[0], NULL, diag, &verified));
    for (size_t i = 0; i < hx_diag_count(diag); i++) {
        const hx_diagnostic *got = hx_diag_at(diag, i);
        const int line = got->line - HEAD_LINES - 2, note = got->note_line - HEAD_LINES - 2;
        if (got->code != table->code)
            continue;
        ck_assert_msg(++found == 1 && line == row->line, "%s: line %d: %s", row->name, line, got->message);
        ck_assert_msg(row->note_line == 0 || note == row->note_line, "%s: note of line %d", row->name, note);
        ck_assert_msg(!row->text || strstr(got->message, row->text), "%s: %s", row->name, got->message);
    }
    ck_assert_msg((found > 0) == (row->line > 0), "%s: %d warnings", row->name, found);
    verify_free(verified);
    hx_program_free(program);
    hx_diag_free(diag);
}

static void check_table(const struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        check_row(table, &table->rows[i]);
}
#define CHECK(list, kind, line)                                                                              \
    check_table(&(struct table){list, HX_COUNT_OF(list), DIAG_VERIFY_##kind, line})

START_TEST(test_loops)
{
    static const struct scenario rows[] = {
        {"one instruction", "a: bra a", 1},
        {"entered by a jump back",
         "bra c\nb: nop\nbra b\nc: mov.u32 r0, %tid.x\nsetp.eq.u32 p0, r0, 0\n@p0 bra b\nexit", 3},
        {"several", "mov.u32 r0, 1\na: add.u32 r0, r0, 1\nadd.u32 r0, r0, 2\nbra a", 4, 2},
        {"a guarded branch leads back", "a: setp.eq.u32 p0, r0, 1\n@p0 bra a\nexit"},
        {"a guarded exit", "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\na: @p0 exit\nbra a"},
        {"a guarded trap", "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\na: @p0 trap\nbra a"},
        {"a guarded branch leads out", "a: setp.eq.u32 p0, r0, 1\n@p0 bra b\nbra a\nb: exit"},
        {"loop has an end", "mov.u32 r0, 4\na: loop.u32 r0, a\nexit"},
        {"an inner loop ends, the outer does not", "a: mov.u32 r0, 4\nb: loop.u32 r0, b\nbra a", 3, 1},
        {"the outer one of two", "a: nop\nb: setp.eq.u32 p0, r0, 1\n@p0 bra b\nbra a", 4, 1},
        {"code that never runs", "exit\na: bra a"},
        {"a subroutine that exits", "a: call f\nbra a\nf: setp.eq.u32 p0, r0, 1\n@p0 exit\nret"},
        {"a subroutine that returns does not end the loop", "a: call f\nbra a\nf: ret", 2, 1},
        {"... nor if another caller ends",
         "setp.eq.u32 p0, r0, 1\n@p0 bra b\na: call f\nbra a\nb: call f\nexit\nf: ret", 4, 3},
        {"a loop in a subroutine", "call f\nexit\nf: nop\ng: bra g", 4},
        {"a subroutine that returns out of its loop",
         "call f\nexit\nf: setp.eq.u32 p0, r0, 1\n@p0 ret\nbra f"},
        {"ret at the top ends a thread", "a: setp.eq.u32 p0, r0, 1\n@p0 ret\nbra a"},
        {"a jump table", "mov.u32 r0, 0\na: brx r0, t, 2\nt: bra a\nbra b\nb: exit"},
        {"a jump table that leads nowhere", "mov.u32 r0, 0\na: brx r0, t, 2\nt: bra a\nbra b\nb: bra a", 5},
    };
    CHECK(rows, ENDLESS, "");
}
END_TEST

START_TEST(test_shared_arrays)
{
    static const struct scenario rows[] = {
        {"read alone", "lds.f32 r0, [tile]\nexit", 1, 0, "'tile' is read here, and nothing"},
        {"at its first load", "nop\nlds.f32 r0, [tile + 4]\nlds.f32 r1, [tile]\nexit", 2},
        {"another is stored", "mov.u32 r0, 1\nsts.u32 [sums], r0\nlds.f32 r0, [tile]\nexit", 3},
        {"a store", "mov.f32 r0, 1.0\nsts.f32 [tile], r0\nlds.f32 r1, [tile]\nexit"},
        {"a store behind the load", "lds.f32 r1, [tile]\nsts.f32 [tile], r1\nexit"},
        {"an atomic", "mov.u32 r0, 1\nreds.add.u32 [sums], r0\nlds.u32 r1, [sums]\nexit"},
        {"a store to an address that was taken",
         "mov.u32 r0, tile\nadd.u32 r1, r0, 8\nsts.u32 [r1], r0\nlds.f32 r2, [tile]\nexit"},
        {"a load of an address that was taken", "mov.u32 r0, tile\nlds.f32 r2, [r0 + 4]\nexit", 2},
        {"addresses of two arrays",
         "mov.u32 r0, %tid.x\nsetp.eq.u32 p0, r0, 1\nmov.u32 r1, tile\n@p0 mov.u32 r1, sums\n"
         "sts.u32 [r1], r0\nlds.f32 r2, [tile]\nlds.u32 r2, [sums]\nexit"},
        {"a load of one of two arrays is none of either",
         "mov.u32 r0, %tid.x\nsetp.eq.u32 p0, r0, 1\nmov.u32 r1, tile\n@p0 mov.u32 r1, sums\n"
         "lds.u32 r2, [r1]\nexit"},
        {"a pointer that walks in a loop",
         "mov.u32 r0, 4\nmov.u32 r1, tile\na: sts.u32 [r1], r0\nadd.u32 r1, r1, 4\nloop.u32 r0, a\n"
         "lds.f32 r2, [tile]\nexit"},
        {"a generic store", "mov.u32 r0, tile\ncvt.u64.u32 r1, r0\ncvta.shared.u64 r1, r1\nst.u32 [r1], r0\n"
                            "lds.f32 r2, [tile]\nexit"},
        {"a store somewhere", "mov.u32 r0, 4\nsts.u32 [r0], r0\nlds.f32 r2, [tile]\nexit"},
        {"a store to an address from memory", "ldg.u32 r0, [$z]\nsts.u32 [r0], r0\nlds.f32 r2, [tile]\nexit"},
        {"a store by a subroutine",
         "mov.u32 r0, tile\ncall f\nlds.f32 r2, [tile]\nexit\nf: sts.u32 [r0], r0\nret"},
        {"a load that never runs", "exit\nlds.f32 r0, [tile]\nexit"},
        {"dynamic arrays lie at one place", "mov.u32 r0, 1\nsts.u8 [left], r0\nlds.u32 r1, [right]\nexit"},
    };
    CHECK(rows, NEVER_STORED, "");
}
END_TEST

#define LANE "mov.u32 r0, %laneid\n"
START_TEST(test_shuffles)
{
    static const struct scenario rows[] = {
        {"the upper half", LANE "setp.lt.u32 p0, r0, 16\n@p0 shfl.down.u32 r1, r0, 16\nexit", 3, 0,
         "lane 0 reads lane 16, which guard p0"},
        {"without the guard", LANE "setp.lt.u32 p0, r0, 16\nshfl.down.u32 r1, r0, 16\nexit"},
        {"within the guard", LANE "setp.lt.u32 p0, r0, 16\n@p0 shfl.bfly.u32 r1, r0, 8\nexit"},
        {"the other half", LANE "setp.lt.u32 p0, r0, 16\n@!p0 shfl.down.u32 r1, r0, 8\nexit"},
        {"a negated guard", LANE "setp.ge.u32 p0, r0, 16\n@!p0 shfl.down.u32 r1, r0, 16\nexit", 3},
        {"up, out of the upper half", LANE "setp.ge.i32 p0, r0, 16\n@p0 shfl.up.u32 r1, r0, 1\nexit", 3, 0,
         "lane 16 reads lane 15"},
        {"one lane reads another", LANE "setp.eq.u32 p0, r0, 0\n@p0 shfl.idx.u32 r1, r0, 3\nexit", 3},
        {"one lane reads itself", LANE "setp.eq.u32 p0, r0, 3\n@p0 shfl.idx.u32 r1, r0, 3\nexit"},
        {"the lane computed",
         "mov.u32 r0, %tid.x\nand.u32 r2, r0, 31\nshr.u32 r3, r2, 4\nsetp.eq.u32 p0, r3, 0\n"
         "@p0 shfl.bfly.u32 r1, r0, 16\nexit",
         5},
        {"%tid.x of the first warp",
         "mov.u32 r0, %tid.x\nsetp.lt.u32 p0, r0, 32\n@p0 shfl.down.u32 r1, r0, 16\nexit"},
        {"segments of 8 lanes",
         LANE "mov.u32 r3, 0x181f\nsetp.lt.u32 p0, r0, 8\n@p0 shfl.down.u32 r1, r0, 4, r3\nexit"},
        {"a bound", LANE "mov.u32 r3, 15\nsetp.lt.u32 p0, r0, 16\n@p0 shfl.down.u32 r1, r0, 4, r3\nexit"},
        {"a guard that is not known",
         LANE "ldg.u32 r2, [$z]\nsetp.lt.u32 p0, r0, r2\n@p0 shfl.down.u32 r1, r0, 16\nexit"},
        {"a guard that is written twice",
         LANE "setp.lt.u32 p0, r0, 16\n@p0 setp.lt.u32 p0, r0, 64\n@p0 shfl.down.u32 r1, r0, 16\nexit"},
        {"a tree whose distance is the guard's bound",
         LANE "mov.u32 r2, 16\na: setp.lt.u32 p0, r0, r2\n@p0 shfl.down.u32 r1, r0, r2\nshr.u32 r2, r2, 1\n"
              "setp.gt.u32 p1, r2, 0\n@p1 bra a\nexit",
         4, 0, "so at every distance"},
        {"a distance that changes behind the comparison",
         LANE "mov.u32 r2, 16\na: setp.lt.u32 p0, r0, r2\nshr.u32 r2, r2, 1\n@p0 shfl.down.u32 r1, r0, r2\n"
              "setp.gt.u32 p1, r2, 0\n@p1 bra a\nexit"},
    };
    CHECK(rows, SHUFFLE, "launch: {grid: [1], block: [64]}");
}
END_TEST

START_TEST(test_blocks_of_short_rows)
{
    static const struct scenario rows[] = {
        {"%tid.x is not the lane",
         "mov.u32 r0, %tid.x\nsetp.lt.u32 p0, r0, 4\n@p0 shfl.down.u32 r1, r0, 8\nexit"},
    };
    CHECK(rows, SHUFFLE, "launch: {grid: [1], block: [8, 8]}");
}
END_TEST

START_TEST(test_types_that_contradict)
{
    static const struct scenario rows[] = {
        {"a parameter", "mov.u32 r0, 3\nmul.u32 r1, r0, $a\nexit", 2, 0, "'a' is f32, and is read as u32"},
        {"a parameter moved", "mov.f32 r0, $a\nmul.u32 r1, r0, 3\nexit", 2, 1,
         "r0 holds f32 here (line 19), and is read as u32"},
        {"a parameter moved as an integer", "mov.u32 r0, $a\nmul.u32 r1, r0, r0\nexit", 2, 1},
        {"a literal", "mov.f32 r0, 1.5\nadd.i32 r1, r0, 3\nexit", 2, 1},
        {"a loaded float", "ldg.f32 r0, [$z]\nadd.u32 r1, r0, 3\nexit", 2, 1},
        {"a vector of them", "ldg.f32.v2 r0, [$x]\nsub.u32 r2, r2, r1\nexit", 2, 1},
        {"loaded as an integer from a buffer of floats", "ldg.u32 r0, [$x]\nadd.u32 r1, r0, 3\nexit", 2, 1},
        {"a constant", "ldc.u32 r0, [lut]\nmad.u32 r1, r0, r0, 3\nexit", 2, 1},
        {"a sum of floats", "ldg.f32 r0, [$x]\nadd.f32 r0, r0, r0\nadd.u32 r1, r0, 3\nexit", 3, 2},
        {"a converted one", "mov.u32 r0, %tid.x\ncvt.f32.u32 r1, r0\nadd.u32 r1, r1, 3\nexit", 3, 2},
        {"over moves and shuffles",
         "ldg.f32 r0, [$x]\nmov.f32 r1, r0\nshfl.down.b32 r2, r1, 1\nsetp.eq.f32 p0, r0, r1\n"
         "sel.u32 r3, r2, r1, p0\nadd.u32 r4, r3, 1\nexit",
         6, 1},
        {"on both ways",
         "setp.eq.u32 p0, r9, 1\n@p0 bra b\nmov.f32 r0, 1.0\nbra c\nb: ldg.f32 r0, [$x]\n"
         "c: add.u32 r1, r0, 1\nexit",
         6},
        {"round a loop",
         "mov.u32 r0, 0\nmov.u32 r2, 4\na: add.f32 r0, r0, 1.0\nloop.u32 r2, a\nadd.u32 r1, r0, 1\nexit", 5,
         3},
        {"out of a subroutine", "call f\nadd.u32 r1, r0, 1\nexit\nf: mov.f32 r0, 1.0\nret", 2, 4},
        {"past a subroutine", "mov.f32 r0, 1.0\ncall f\nadd.u32 r1, r0, 1\nexit\nf: mov.u32 r2, 1\nret", 3,
         1},
        {"a sum over the block", "ldg.f32 r0, [$x]\nreduce.add.u32 r1, r0\nexit", 2, 1},
        {"an atomic's operand", "ldg.f32 r0, [$x]\nredg.add.u32 [$z], r0\nexit", 2, 1},
        {"an atomic's buffer", "mov.u32 r0, 1\nredg.add.u32 [$x], r0\nexit", 2, 0, "the buffer is f32"},
        {"a half", "mov.u16 r0, 1\nadd.u16 r1, r0, $h\nexit", 2},
        {"halves of two kinds", "mov.f16 r0, $h\nadd.bf16 r1, r0, 1.0\nexit", 2, 1},
        {"64 bits", "mov.f64 r0, $w\nadd.i64 r1, r0, 1\nexit", 2, 1},
        {"an integer's parameter", "mov.f32 r0, 1.0\nadd.f32 r1, r0, $n\nexit", 2, 0,
         "'n' is i32, and is read as f32"},
        {"an index", "mov.u32 r0, %tid.x\nmul.f32 r1, r0, 0.5\nexit", 2, 1, "r0 holds u32"},
        {"computed integers",
         "mov.u32 r0, %tid.x\nmad.u32 r0, r0, 4, r0\nand.u32 r1, r0, 31\nsqrt.f32 r1, r1\nexit", 4, 3},
        {"a truncated one", "ldg.f32 r0, [$x]\ncvt.i32.f32 r1, r0\nsub.f32 r2, r0, r1\nexit", 3, 2,
         "r1 holds i32"},
        {"an integer loaded", "ldg.u32 r0, [$z]\nadd.f32 r1, r0, 1.0\nexit", 2, 1},
        {"once for each value", "mov.f32 r0, 1.0\nadd.u32 r1, r0, 1\nadd.u32 r1, r0, 2\nexit", 2, 1},
    };
    CHECK(rows, TYPE, "");
}
END_TEST

START_TEST(test_types_that_do_not)
{
    static const struct scenario rows[] = {
        {"a parameter's bits", "mov.b32 r0, $a\nmul.u32 r1, r0, 3\nexit"},
        {"a float's bits", "ldg.f32 r0, [$x]\nmov.b32 r1, r0\nadd.u32 r1, r1, 1\nexit"},
        {"bits loaded", "ldg.b32 r0, [$x]\nadd.u32 r1, r0, 1\nexit"},
        {"under a guard", "setp.eq.u32 p0, r9, 1\n@p0 ldg.b32 r0, [$x]\n@p0 add.u32 r1, r0, 1\nexit"},
        {"the inverse square root",
         "ldg.f32 r0, [$x]\nmul.f32 r1, r0, 0.5\nmov.b32 r2, r0\nshr.u32 r2, r2, 1\n"
         "sub.u32 r2, 0x5f3759df, r2\nmul.f32 r3, r2, r2\nexit"},
        {"... without moves",
         "ldg.f32 r0, [$x]\nshr.u32 r2, r0, 1\nsub.u32 r2, 0x5f3759df, r2\nmul.f32 r3, r2, r2\nexit"},
        {"a power of two made from its exponent",
         "mov.u32 r0, %tid.x\nadd.u32 r0, r0, 127\nshl.u32 r0, r0, 23\nmul.f32 r1, r0, 0.5\nexit"},
        {"an exponent added", "ldg.f32 r0, [$x]\nadd.u32 r1, r0, 0x00800000\nmul.f32 r1, r1, r1\nexit"},
        {"random bits",
         "mov.u32 r0, %tid.x\nmul.u32 r0, r0, 0x9e3779b1\nxor.u32 r0, r0, 5\nadd.f32 r1, r0, 1.0\nexit"},
        {"a large literal", "mov.u32 r0, 0x3f800000\nadd.f32 r1, r0, 1.0\nexit"},
        {"zero is of every type",
         "mov.u32 r0, 0\nadd.f32 r0, r0, 1.0\nmov.f32 r1, 0.0\nadd.u32 r1, r1, 1\nexit"},
        {"converted", "mov.u32 r0, %tid.x\ncvt.f32.u32 r1, r0\nmul.f32 r1, r1, $a\nexit"},
        {"signs of integers", "mov.i32 r0, $n\nmul.u32 r1, r0, 3\nexit"},
        {"the register has a new value", "mov.f32 r0, 1.0\nmov.u32 r0, 1\nadd.u32 r1, r0, 1\nexit"},
        {"in one of two ways",
         "setp.eq.u32 p0, r9, 1\nmov.u32 r0, 1\n@p0 mov.f32 r0, 1.0\nadd.u32 r1, r0, 1\nexit"},
        {"integers compare as floats do",
         "ldg.f32 r0, [$x]\nmax.i32 r1, r0, 7\nsetp.lt.i32 p0, r0, r1\nexit"},
        {"a float exchanged by compare and swap",
         "ldg.u32 r1, [$z]\na: add.f32 r2, r1, $a\natomg.cas.u32 r3, [$z], r1, r2\n"
         "setp.ne.u32 p0, r3, r1\nmov.u32 r1, r3\n@p0 bra a\nexit"},
        {"a shared array for both",
         "mov.u32 r0, 1\nsts.u32 [tile], r0\nlds.u32 r1, [tile]\nadd.u32 r1, r1, 1\nexit"},
        {"pairs copied at once", "ldg.u64 r0, [$x]\ncvt.u32.u64 r1, r0\nadd.f32 r1, r1, 1.0\nexit"},
        {"another width is HX1503's", "mov.f32 r0, 1.0\nadd.u64 r1, r0, 1\nexit"},
        {"registers of matrices",
         "mov.f32 r0, 1.0\nmov.f32 r1, 1.0\nmov.f32 r2, 1.0\nmov.f32 r3, 1.0\nmov.f32 r4, 1.0\n"
         "mma.m16n8k4.f32.tf32xtf32 r8, r0, r2, r0\nexit"},
        {"code that never runs", "exit\nmov.f32 r0, 1.0\nadd.u32 r1, r0, 1\nexit"},
    };
    CHECK(rows, TYPE, "");
}
END_TEST

/* Each allocation fails once, in a kernel that has something of each kind. */
START_TEST(test_lack_of_memory)
{
    static const struct scenario row = {
        "",
        LANE "lds.f32 r1, [tile]\nadd.u32 r1, r1, 1\nsetp.lt.u32 p0, r0, 16\n@p0 shfl.down.u32 r1, r0, 16\n"
             "a: bra a"};
    const struct table table = {.launch = ""};
    hx_diag *loading = NULL;
    ck_assert_ok(hx_diag_new(NULL, &loading));
    hx_program *program = load(&table, &row, loading);
    hx_status status = HX_NO_MEMORY;
    for (size_t n = 1; status == HX_NO_MEMORY; n++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, n);
        hx_diag *diag = NULL;
        struct verified_kernel *verified = NULL;
        status = hx_diag_new(&failing.hook, &diag);
        if (status == HX_OK)
            status = verify_kernel(program, &program->kernels[0], &failing.hook, diag, &verified);
        ck_assert(status == HX_NO_MEMORY || (status == HX_OK && hx_diag_count(diag) == 4));
        verify_free(verified);
        hx_diag_free(diag);
        ck_assert_uint_eq(failing.live, 0);
    }
    hx_program_free(program);
    hx_diag_free(loading);
}
END_TEST

UNIT_MAIN("verify_slips", test_loops, test_shared_arrays, test_shuffles, test_blocks_of_short_rows,
          test_types_that_contradict, test_types_that_do_not, test_lack_of_memory)
