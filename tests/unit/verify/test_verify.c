/* The verifier through small kernels: which diagnostics come, for which lines, and which don't. */
#include "kernel_unit.h"
#include "verify/verify.h"

/* Rows leave out what is 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* `code` is verified with one diagnostic, none when `found` is 0, or two when there is `also_line`. Lines are
 * those of the code, from 1. */
struct scenario {
    const char *name, *code;
    int found, line, note_line; /* note_line 0: any */
    const char *text;           /* part of the message */
    int also_line;              /* 0, or a line that is unreachable too */
};
enum {
    FALLS_OFF = DIAG_VERIFY_FALLS_OFF,
    UNREACHABLE = DIAG_VERIFY_UNREACHABLE,
    WIDTH = DIAG_VERIFY_WIDTH,
    UNINITIALISED = DIAG_VERIFY_UNINITIALISED,
    DIVERGENT_BARRIER = DIAG_VERIFY_DIVERGENT_BARRIER,
    OUT_OF_RANGE = DIAG_VERIFY_OUT_OF_RANGE,
    MISALIGNED = DIAG_VERIFY_MISALIGNED,
    CALLS_TOO_DEEP = DIAG_VERIFY_CALLS_TOO_DEEP,
    ADDRESS_CUT = DIAG_VERIFY_ADDRESS_CUT,
    ENDLESS = DIAG_VERIFY_ENDLESS
};

static void check_scenario(const struct scenario *want, const char *launch)
{
    struct loaded_kernel loaded = kernel_load(launch, want->code);
    struct verified_kernel *verified = NULL;
    const bool is_error = want->found == FALLS_OFF || want->found == OUT_OF_RANGE ||
                          want->found == MISALIGNED || want->found == CALLS_TOO_DEEP;
    const size_t count = want->found == 0 ? 0 : want->also_line == 0 ? 1 : 2;
    const hx_status status = verify_kernel(loaded.program, loaded.kernel, NULL, loaded.diag, &verified);
    ck_assert_msg(status == (is_error ? HX_INVALID : HX_OK), "%s: status %d", want->name, status);
    for (size_t i = 0; i < hx_diag_count(loaded.diag); i++) {
        const hx_diagnostic *got = hx_diag_at(loaded.diag, i);
        const int line = got->line - kernel_line(0), note_line = got->note_line - kernel_line(0);
        ck_assert_msg(i < count, "%s: not expected: line %d: %s", want->name, line, got->message);
        ck_assert_msg(got->code == (i == 0 ? want->found : UNREACHABLE), "%s: HX%d: %s", want->name,
                      got->code, got->message);
        ck_assert_msg(line == (i == 0 ? want->line : want->also_line), "%s: line %d: %s", want->name, line,
                      got->message);
        if (want->note_line)
            ck_assert_msg(note_line == want->note_line, "%s: note of line %d", want->name, note_line);
        if (i == 0 && want->text)
            ck_assert_msg(strstr(got->message, want->text), "%s: %s", want->name, got->message);
    }
    ck_assert_msg(hx_diag_count(loaded.diag) == count, "%s: %zu diagnostics", want->name,
                  hx_diag_count(loaded.diag));
    verify_free(verified);
    kernel_unload(&loaded);
}
#define CHECK_SCENARIOS(list)                                                                                \
    for (size_t i = 0; i < HX_COUNT_OF(list); i++)                                                           \
    check_scenario(&(list)[i], "")

START_TEST(test_flow)
{
    static const struct scenario scenarios[] = {
        {"ends with exit", "mov.u32 r0, 1\nexit"},
        {"falls off", "mov.u32 r0, 1", FALLS_OFF, 1},
        {"a guarded exit goes on", "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\n@p0 exit", FALLS_OFF, 3},
        {"ends with a jump back", "again: nop\nbra again", ENDLESS, 2, 1},
        {"ends with a guarded jump back", "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\nagain: nop\n@p0 bra again",
         FALLS_OFF, 4},
        {"ends with trap", "trap"},
        {"ends with ret", "ret"},
        {"a loop goes on", "mov.u32 r0, 1\nagain: loop.u32 r0, again", FALLS_OFF, 2},
        {"a call that returns goes on", "bra start\nf: ret\nstart: call f", FALLS_OFF, 3},
        {"a call that never returns ends it", "bra start\nf: exit\nstart: call f"},
        {"one unreachable run is one warning", "exit\nnop\nexit\nnop\nexit", UNREACHABLE, 2, 0,
         "4 instructions"},
        {"two runs are two", "bra b\nnop\na: exit\nnop\nb: bra a", UNREACHABLE, 2, 0, "this instruction", 4},
        {"behind a call that never returns", "call f\nnop\nexit\nf: trap", UNREACHABLE, 2, 0,
         "2 instructions"},
        {"behind a call that returns on one way",
         "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\ncall f\nexit\nf: @p0 ret\nexit"},
        {"a subroutine that nobody calls", "exit\nf: ret", UNREACHABLE, 2},
        {"unreachable code that calls does not make what is behind it reachable",
         "call f\nexit\ncall f\nnop\nexit\nf: ret", UNREACHABLE, 3, 0, "3 instructions"},
        {"recursion that ends",
         "mov.u32 r0, 3\ncall f\nexit\nf: setp.eq.u32 p0, r0, 0\n@p0 ret\nsub.u32 r0, r0, 1\ncall f\nret"},
        {"recursion that never ends", "call f\nexit\nf: call f\nret", UNREACHABLE, 2, 0, NULL, 4},
        {"a call by a table goes on when one of its subroutines returns",
         "mov.u32 r0, 1\ncallx r0, t, 2\nexit\nt: bra f\nbra g\nf: exit\ng: ret"},
        {"a call by a table from which nobody returns ends it",
         "mov.u32 r0, 1\ncallx r0, t, 2\nexit\nt: bra f\nbra f\nf: exit", UNREACHABLE, 3, 0,
         "this instruction"},
        {"subroutines that stand in no table",
         "mov.u32 r0, 1\ncallx r0, t, 1\nexit\nt: bra f\nbra g\nf: ret\ng: ret", UNREACHABLE, 5, 0, NULL, 7},
    };
    CHECK_SCENARIOS(scenarios);
}
END_TEST

START_TEST(test_widths)
{
    static const struct scenario scenarios[] = {
        {"32 read as 64", "mov.u32 r0, 1\nadd.u64 r1, r0, 1\nexit", WIDTH, 2, 1,
         "r0 holds 32 bits here (line 14), read as 64 bits"},
        {"64 read as 32", "mov.u64 r0, 1\nnop\nadd.u32 r1, r0, 1\nexit", WIDTH, 3, 1,
         "r0 holds 64 bits here (line 14), read as 32 bits"},
        {"twice in one instruction is one warning", "mov.u32 r0, 1\nadd.u64 r1, r0, r0\nexit", WIDTH, 2, 1},
        {"the same width", "mov.u32 r0, 1\nadd.i32 r1, r0, 1\nmov.f64 r2, 1.5\nxor.b64 r2, r2, 1\nexit"},
        {"narrow integers were extended to 32 bits", "mov.u8 r0, 1\nadd.u32 r1, r0, 1\nexit"},
        {"32 read as 8", "mov.u32 r0, 1\nadd.u8 r1, r0, 1\nexit", WIDTH, 2, 1, "32 bits here"},
        {"a store says what it takes", "mov.u32 r0, 1\nstg.u8 [$x], r0\nstg.u16 [$x], r0\nexit"},
        {"a store of 32 bits of 64", "mov.u64 r0, 1\nstg.u32 [$x], r0\nexit", WIDTH, 2, 1, "64 bits here"},
        {"half a float is none", "mov.f16 r0, 1.0\nadd.f32 r1, r0, r0\nexit", WIDTH, 2, 1, "16 bits here"},
        {"the bits of a half as a word", "mov.f16 r0, 1.0\nshl.u32 r1, r0, 16\nexit"},
        {"results of twice the width", "mov.u32 r0, 1\nmulw.u32 r1, r0, r0\nadd.u64 r1, r1, 1\nexit"},
        {"an index may have 32 bits", "mov.u32 r0, 1\nldg.u32 r1, [$x + r0*4]\nexit"},
        {"an index may have 64 bits", "mov.u64 r0, 1\nldg.u32 r1, [$x + r0*4]\nexit"},
        {"an index that says 32 may not have 64", "mov.u64 r0, 1\nldg.u32 r1, [$x + r0.i32*4]\nexit", WIDTH,
         2, 1},
        {"a base has 64 bits", "mov.u32 r0, $n\nldg.u32 r1, [r0]\nexit", WIDTH, 2, 1},
        {"a base in shared memory may have 32 bits",
         "mov.u32 r0, tile\nlds.u32 r1, [r0]\nsts.u32 [r0 + 4], r1\natoms.add.u32 r2, [r0], r1\nexit"},
        {"a base in constant memory too", "mov.u32 r0, lut\nldc.u32 r1, [r0]\nexit"},
        {"a base in shared memory has no 8 bits", "mov.u8 r0, 4\nlds.u32 r1, [r0]\nexit", WIDTH, 2, 1},
        {"a generic base has 64 bits", "mov.u32 r0, tile\nst.u32 [r0], r0\nexit", WIDTH, 2, 1},
        {"what a store to shared memory stores", "mov.u32 r0, tile\nsts.u64 [r0], r0\nexit", WIDTH, 2, 1},
        {"the nearest of several writers is named",
         "mov.u64 r0, 1\nmov.u32 r0, 2\nmov.u32 r0, 3\nadd.u64 r1, r0, 1\nexit", WIDTH, 4, 3},
        {"one way writes another width",
         "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\n@p0 bra skip\nmov.u64 r0, 2\nskip: add.u32 r1, r0, 1\nexit",
         WIDTH, 5, 4},
        {"the writer stands in another block, around a loop",
         "mov.u32 r0, 9\nmov.u32 r1, 3\nagain: add.u32 r2, r0, 1\nmov.u64 r0, 1\nloop.u32 r1, again\nexit",
         WIDTH, 3, 4},
        {"a guarded write leaves the width of before",
         "mov.u64 r0, 1\nmov.u32 r1, 1\nsetp.eq.u32 p0, r1, 1\n@p0 mov.u32 r0, 2\nadd.u32 r2, r0, 1\nexit",
         WIDTH, 5, 1},
        {"a subroutine leaves alone what it does not write",
         "mov.u32 r0, 1\ncall f\nadd.u32 r1, r0, 1\nmov.u64 r0, 1\ncall f\nadd.u64 r1, r0, 1\nexit\nf: ret"},
        {"what a subroutine writes is seen behind every call",
         "mov.u32 r0, 1\ncall f\nadd.u32 r1, r0, 1\nexit\nf: mov.u64 r0, 1\nret", WIDTH, 3, 5},
        {"the members of a vector", "ldg.u32.v2 r0, [$x]\nadd.u64 r2, r1, 1\nexit", WIDTH, 2, 1,
         "r1 holds 32 bits"},
    };
    CHECK_SCENARIOS(scenarios);
}
END_TEST

START_TEST(test_initialisation)
{
    static const struct scenario scenarios[] = {
        {"never written", "add.u32 r0, r7, 1\nexit", UNINITIALISED, 1, 0, "r7 may be read"},
        {"the first read alone", "add.u32 r0, r7, 1\nadd.u32 r0, r7, 2\nexit", UNINITIALISED, 1},
        {"a predicate", "@p3 exit\nexit", UNINITIALISED, 1, 0, "p3 may be read"},
        {"on one way",
         "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\n@p0 bra skip\nmov.u32 r1, 2\nskip: add.u32 r2, r1, 1\nexit",
         UNINITIALISED, 5, 0, "r1"},
        {"in a loop that writes it at its end",
         "mov.u32 r0, 4\nagain: add.u32 r2, r1, 1\nmov.u32 r1, 1\nloop.u32 r0, again\nexit", UNINITIALISED, 2,
         0, "r1"},
        {"a guarded write is none without its guard",
         "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\n@p0 mov.u32 r1, 2\nadd.u32 r2, r1, 1\nexit", UNINITIALISED, 4,
         0, "r1"},
        {"but one under it",
         "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\n@p0 mov.u32 r1, 2\n@p0 add.u32 r2, r1, 1\nexit"},
        {"and not under the other one",
         "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\n@p0 mov.u32 r1, 2\n@!p0 add.u32 r2, r1, 1\nexit",
         UNINITIALISED, 4, 0, "r1"},
        {"a pair of guards is a write",
         "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\n@p0 mov.u32 r1, 2\n@!p0 mov.u32 r1, 3\nadd.u32 r2, r1, "
         "1\nexit"},
        {"not when the predicate changes between them",
         "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\n@p0 mov.u32 r1, 2\nsetp.eq.u32 p0, r0, 2\n"
         "@!p0 mov.u32 r1, 3\nadd.u32 r2, r1, 1\nexit",
         UNINITIALISED, 6, 0, "r1"},
        {"a branch and a guard on one predicate",
         "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\n@p0 bra skip\nmov.u32 r1, 2\nskip: @!p0 add.u32 r2, r1, "
         "1\nexit"},
        {"threads that exit do not count",
         "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\n@!p0 mov.u32 r1, 2\n@p0 exit\nadd.u32 r2, r1, 1\nexit"},
        {"written before a second call of a subroutine that does not touch it",
         "call f\nmov.u32 r1, 1\ncall f\nadd.u32 r2, r1, 1\nexit\nf: mov.u32 r9, 1\nret"},
        {"a subroutine that writes on one way",
         "mov.u32 r0, 1\nsetp.eq.u32 p0, r0, 1\ncall f\nadd.u32 r2, r1, 1\nexit\n"
         "f: @p0 ret\nmov.u32 r1, 1\nret",
         UNINITIALISED, 4, 0, "r1"},
        {"an argument that one caller forgets",
         "mov.u32 r1, 1\ncall f\ncall g\nexit\ng: call f\nret\nf: add.u32 r2, r3, r1\nret", UNINITIALISED, 7,
         0, "r3"},
        {"the members of a vector", "mov.u32 r0, 1\nstg.u32.v2 [$x], r0\nexit", UNINITIALISED, 2, 0, "r1"},
        {"code that never runs is not checked", "exit\nadd.u32 r0, r7, 1\nexit", UNREACHABLE, 2},
    };
    CHECK_SCENARIOS(scenarios);
}
END_TEST

#define THREAD "mov.u32 r0, %tid.x\nsetp.lt.u32 p0, r0, 16\n"
#define BLOCK  "mov.u32 r0, %ctaid.x\nsetp.lt.u32 p0, r0, 16\n"
START_TEST(test_barriers)
{
    static const struct scenario scenarios[] = {
        {"under a thread's guard", THREAD "@p0 bar.sync 0\nexit", DIVERGENT_BARRIER, 3, 0, "p0"},
        {"under a block's guard", BLOCK "@p0 bar.sync 0\nexit"},
        {"behind a thread's branch", THREAD "@p0 bra skip\nbar.sync 0\nskip: exit", DIVERGENT_BARRIER, 4, 3,
         "line 16"},
        {"behind a block's branch", BLOCK "@p0 bra skip\nbar.sync 0\nskip: exit"},
        {"where the ways have met again", THREAD "@p0 bra skip\nnop\nskip: bar.sync 0\nexit"},
        {"after the exit of some threads", THREAD "@p0 exit\nbar.sync 0\nexit"},
        {"in a loop that threads leave at different times",
         "mov.u32 r0, %tid.x\nagain: bar.sync 0\nloop.u32 r0, again\nexit", DIVERGENT_BARRIER, 2, 3},
        {"in a loop of one length", "mov.u32 r0, $n\nagain: bar.sync 0\nloop.u32 r0, again\nexit"},
        {"behind a loop that threads leave at different times",
         "mov.u32 r0, %tid.x\nagain: nop\nloop.u32 r0, again\nbar.sync 0\nexit"},
        {"on a value computed from the thread",
         "mov.u32 r0, %laneid\nadd.u32 r1, r0, 3\nmov.u32 r0, 0\nsetp.lt.u32 p1, r1, 4\n@p1 bar.sync 0\nexit",
         DIVERGENT_BARRIER, 5},
        {"on a value loaded by the thread",
         "mov.u32 r0, %tid.x\nldg.u32 r1, [$x + r0*4]\nsetp.lt.u32 p1, r1, 4\n@p1 bar.sync 0\nexit",
         DIVERGENT_BARRIER, 4},
        {"on a value that all load alike", "ldg.u32 r1, [$x]\nsetp.lt.u32 p1, r1, 4\n@p1 bar.sync 0\nexit"},
        {"on a value that some threads have changed",
         THREAD "mov.u32 r1, 0\n@p0 mov.u32 r1, 1\nsetp.eq.u32 p1, r1, 1\n@p1 bar.sync 0\nexit",
         DIVERGENT_BARRIER, 6, 0, "p1"},
        {"on a value that some threads have changed elsewhere",
         THREAD
         "mov.u32 r1, 0\n@p0 bra skip\nmov.u32 r1, 1\nskip: setp.eq.u32 p1, r1, 1\n@p1 bar.sync 0\nexit",
         DIVERGENT_BARRIER, 7, 0, "p1"},
        {"in a subroutine that some threads call", THREAD "@p0 call f\nexit\nf: bar.sync 0\nret",
         DIVERGENT_BARRIER, 5, 3},
        {"in a subroutine of a table that threads choose differently from",
         THREAD "and.u32 r0, r0, 1\ncallx r0, t, 2\nexit\nt: bra f\nbra g\nf: bar.sync 0\ng: ret",
         DIVERGENT_BARRIER, 8, 4},
        {"in a subroutine of a table that all choose alike",
         "mov.u32 r1, $n\ncallx r1, t, 2\nexit\nt: bra f\nbra g\nf: bar.sync 0\ng: ret"},
        {"in a subroutine called where some threads are",
         THREAD "@p0 bra skip\ncall f\nskip: exit\nf: bar.sync 0\nret", DIVERGENT_BARRIER, 6, 3},
        {"in a subroutine that all threads call", THREAD "call f\nexit\nf: bar.sync 0\nret"},
        {"behind a subroutine from which some threads return early",
         THREAD "call f\nbar.sync 0\nexit\nf: @p0 ret\nnop\nret"},
        {"behind an early return in a subroutine", THREAD "call f\nexit\nf: @p0 ret\nbar.sync 0\nret",
         DIVERGENT_BARRIER, 6, 5},
        {"in a branch of a branch",
         THREAD "mov.u32 r1, $n\nsetp.eq.u32 p1, r1, 1\n@p0 bra out\n@p1 bra out\nbar.sync 0\nout: exit",
         DIVERGENT_BARRIER, 7, 5},
    };
    CHECK_SCENARIOS(scenarios);
}
END_TEST

/* Something is stored to each shared array. */
#define STORED "mov.u32 r9, 1\nsts.u8 [tile], r9\nsts.u8 [bytes], r9\n"

START_TEST(test_addresses)
{
    static const struct scenario scenarios[] = {
        {"the last element", STORED "lds.f32 r0, [tile + 12]\nexit"},
        {"one behind it", STORED "lds.f32 r0, [tile + 16]\nexit", OUT_OF_RANGE, 4, 0,
         "'tile', which has 16 bytes"},
        {"partly behind it", STORED "lds.u8 r0, [tile + 15]\nlds.f32.v2 r2, [tile + 12]\nexit", OUT_OF_RANGE,
         5, 0, "8 bytes at offset 12"},
        {"before it", STORED "lds.f32 r0, [tile - 4]\nexit", OUT_OF_RANGE, 4, 0, "offset -4"},
        {"a store", "mov.u32 r0, 1\nsts.u8 [bytes + 6], r0\nexit", OUT_OF_RANGE, 2, 0, "bytes"},
        {"a constant", "ldc.u32 r0, [lut + 8]\nldc.u32 r0, [lut + 12]\nexit", OUT_OF_RANGE, 2, 0,
         "'lut', which has 12 bytes"},
        {"what has an index is left to the run",
         STORED "mov.u32 r0, 1\nlds.f32 r0, [tile + r0*4 + 64]\nexit"},
        {"misaligned", STORED "lds.f32 r0, [tile + 2]\nexit", MISALIGNED, 4, 0, "4 bytes at offset 2"},
        {"a misaligned vector", STORED "lds.f32.v2 r0, [tile + 4]\nexit", MISALIGNED, 4, 0, "8 bytes"},
        {"misaligned whatever the index is", STORED "mov.u32 r0, 1\nlds.f32 r0, [tile + r0*4 + 2]\nexit",
         MISALIGNED, 5},
        {"aligned by some index", STORED "mov.u32 r0, 1\nlds.f32 r0, [tile + r0*2 + 2]\nexit"},
        {"code that never runs", "exit\nlds.f32 r0, [tile + 16]\nexit", UNREACHABLE, 2},
    };
    CHECK_SCENARIOS(scenarios);
    static const struct scenario dynamic = {"dynamic shared memory lies behind all arrays",
                                            STORED "lds.u8 r0, [bytes + 6]\nlds.u8 r0, [tile + 16]\nexit",
                                            OUT_OF_RANGE,
                                            5,
                                            0,
                                            "tile"};
    check_scenario(&dynamic, "launch: {dynamic_shared: 64}");
}
END_TEST

/* Code in which `depth` subroutines call each other in a chain. */
static char *chain_of_calls(int depth)
{
    struct text text;
    text_init(&text, NULL);
    text_print(&text, "call f1\nexit\n");
    for (int i = 1; i < depth; i++)
        text_print(&text, "f%d: call f%d\nret\n", i, i + 1);
    text_print(&text, "f%d: ret\n", depth);
    ck_assert(!text.failed);
    return text.at;
}

static void check_call_depth(const char *code, unsigned depth)
{
    struct loaded_kernel loaded = kernel_load("", code);
    struct verified_kernel *verified = NULL;
    ck_assert_ok(verify_kernel(loaded.program, loaded.kernel, NULL, loaded.diag, &verified));
    ck_assert_uint_eq(verified->call_depth, depth);
    ck_assert(depth == CALL_DEPTH_MAX || hx_diag_count(loaded.diag) == 0);
    verify_free(verified);
    kernel_unload(&loaded);
}

START_TEST(test_addresses_of_buffers)
{
    static const struct scenario scenarios[] = {
        {"64 bits", "mov.u64 r0, $x\nadd.u64 r0, r0, $x\ncvt.u32.u64 r1, $x\nexit"},
        {"32 of 64 bits", "mov.u32 r0, $x\nexit", ADDRESS_CUT, 1, 0, "buffer 'x' has 64 bits, of which 32"},
        {"as one of several sources", "mov.u32 r0, 1\nadd.u32 r1, r0, $x\nexit", ADDRESS_CUT, 2},
        {"a parameter is none", "mov.u32 r0, $n\nexit"},
        {"a shared array has 32 bits", "mov.u32 r0, tile\nexit"},
        {"where nothing runs", "exit\nmov.u32 r0, $x\nexit", UNREACHABLE, 2},
    };
    CHECK_SCENARIOS(scenarios);
}
END_TEST

START_TEST(test_call_depth)
{
    static const unsigned depths[] = {1, 3, 256};
    for (size_t i = 0; i < HX_COUNT_OF(depths); i++) {
        char *code = chain_of_calls((int)depths[i]);
        check_call_depth(code, depths[i]);
        free(code);
    }
    char *code = chain_of_calls(257);
    check_scenario(&(struct scenario){"257 calls", code, CALLS_TOO_DEEP, 1, 0, "257"}, "");
    free(code);
}
END_TEST

START_TEST(test_recursion_and_tables_of_calls)
{
    check_call_depth("call f\nexit\nf: call g\nret\ng: call f\nret", CALL_DEPTH_MAX);
    check_call_depth("mov.u32 r0, 1\ncallx r0, t, 2\nexit\n"
                     "t: bra f\nbra g\nf: ret\ng: call h\nret\nh: call f\nret",
                     3);
    check_call_depth("mov.u32 r0, 0\ncallx r0, t, 2\nexit\n"
                     "t: bra f\nbra g\nf: ret\ng: callx r0, t, 2\nret",
                     CALL_DEPTH_MAX);
}
END_TEST

START_TEST(test_strict_makes_warnings_errors)
{
    struct loaded_kernel loaded = kernel_load("", "add.u32 r0, r7, 1\nexit");
    struct verified_kernel *verified = NULL;
    hx_diag_set_strict(loaded.diag, 1);
    ck_assert_int_eq(verify_kernel(loaded.program, loaded.kernel, NULL, loaded.diag, &verified), HX_INVALID);
    ck_assert_uint_eq(hx_diag_count_of(loaded.diag, HX_ERROR), 1);
    kernel_unload(&loaded);
}
END_TEST

START_TEST(test_diag_may_be_null)
{
    struct loaded_kernel loaded = kernel_load("", "lds.f32 r0, [tile + 16]\nadd.u64 r1, r0, r7\nbar.sync 0");
    struct verified_kernel *verified = NULL;
    ck_assert_int_eq(verify_kernel(loaded.program, loaded.kernel, NULL, NULL, &verified), HX_INVALID);
    ck_assert_ptr_null(verified);
    kernel_unload(&loaded);
}
END_TEST

START_TEST(test_lack_of_memory)
{
    struct loaded_kernel loaded = kernel_load(
        "", THREAD "mov.u64 r1, 1\nadd.u32 r2, r1, r9\n@p0 bra skip\nbar.sync 0\ncall f\nskip: exit\nf: ret");
    hx_status status = HX_NO_MEMORY;
    for (size_t n = 1; status == HX_NO_MEMORY; n++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, n);
        hx_diag *diag = NULL;
        struct verified_kernel *verified = NULL;
        status = hx_diag_new(&failing.hook, &diag);
        if (status == HX_OK)
            status = verify_kernel(loaded.program, loaded.kernel, &failing.hook, diag, &verified);
        ck_assert(status == HX_NO_MEMORY || status == HX_OK);
        ck_assert(n > 3 || status == HX_NO_MEMORY);
        ck_assert(status != HX_OK || hx_diag_count(diag) == 3);
        verify_free(verified);
        hx_diag_free(diag);
        ck_assert_uint_eq(failing.live, 0);
    }
    kernel_unload(&loaded);
}
END_TEST

UNIT_MAIN("verify", test_flow, test_widths, test_initialisation, test_barriers, test_addresses,
          test_addresses_of_buffers, test_call_depth, test_recursion_and_tables_of_calls,
          test_strict_makes_warnings_errors, test_diag_may_be_null, test_lack_of_memory)
