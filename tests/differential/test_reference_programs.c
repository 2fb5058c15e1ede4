/* The reference interpreter runs every program of programs/ and must meet its expectations, which come from
 * formulas: what the executor is compared with is checked itself. */
#include "host_program.h"
#include "unit.h"

#include <glob.h>
#include <stdio.h>

static hx_isa *isa;
static hx_diag *diag;

static void setup(void)
{
    ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
    ck_assert_int_eq(hx_isa_load(NULL, NULL, diag, &isa), HX_OK);
}

static hx_status to_stderr(void *user, const char *text, size_t bytes)
{
    (void)user;
    fwrite(text, 1, bytes, stderr);
    return HX_OK;
}

static void print_diagnostics(void)
{
    for (size_t i = 0; i < hx_diag_count(diag); i++)
        hx_diagnostic_render(hx_diag_at(diag, i), NULL, to_stderr, NULL);
}

static void run_launches(const char *path, struct host_program *host)
{
    struct sequence sequence;
    enum sequence_event event = SEQUENCE_PASS;
    const struct launch_step *step;
    ck_assert(host_program_sequence(host, &sequence));
    while (event != SEQUENCE_END) {
        ck_assert_int_eq(sequence_next(&sequence, diag, &event, &step), HX_OK);
        if (!step)
            continue;
        struct reference_launch launch = host_program_launch(host, step);
        launch.values = sequence.taken;
        const struct reference_result result = reference_run(&launch);
        ck_assert_msg(result.end == REFERENCE_DONE, "%s: instruction %u: %s", path, result.instruction,
                      reference_end_text(result.end));
    }
    ck_assert_uint_eq(hx_diag_count(diag), 0);
    sequence_done(&sequence);
}

static void run_program(const char *path)
{
    hx_program *program = NULL;
    struct host_program host;
    bool right =
        hx_program_load(path, isa, NULL, diag, &program) == HX_OK && host_program_init(&host, program, diag);
    if (right)
        run_launches(path, &host);
    ck_assert_msg(!right || program->expectation_count > 0, "%s expects nothing", path);
    for (size_t e = 0; right && e < program->expectation_count; e++) {
        const struct expectation *expectation = &program->expectations[e];
        right = program_check_expectation(program, expectation, host.buffers[expectation->buffer].data, NULL,
                                          NULL, diag) == HX_OK;
    }
    if (!right)
        print_diagnostics();
    ck_assert_msg(right, "%s", path);
    host_program_done(&host);
    hx_program_free(program);
}

START_TEST(programs_meet_their_expectations)
{
    glob_t found;
    setup();
    ck_assert_int_eq(glob(HX_SOURCE_DIR "/programs/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        run_program(found.gl_pathv[i]);
    globfree(&found);
    hx_isa_free(isa);
    hx_diag_free(diag);
}
END_TEST

/* Clocks, and which lanes happen to be together: no two interpreters agree on them. */
static bool depends_on_schedule(const struct isa_opcode *opcode)
{
    return opcode->shape == SHAPE_SPECIAL || opcode->shape == SHAPE_MEMBERS;
}

/* An opcode that the reference does not know would never be tried by the differential tests. */
START_TEST(every_opcode_is_known)
{
    setup();
    for (size_t i = 0; i < isa->opcode_count; i++)
        ck_assert_msg(reference_knows(&isa->opcodes[i]) || depends_on_schedule(&isa->opcodes[i]),
                      "%s is unknown: add it to reference_values.h", isa->opcodes[i].mnemonic);
    hx_isa_free(isa);
    hx_diag_free(diag);
}
END_TEST

UNIT_MAIN("reference", programs_meet_their_expectations, every_opcode_is_known)
