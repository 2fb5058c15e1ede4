/* Programs as tests.
 *
 * Takes a program, leaves a point: it runs, under checks if there are any, and what it left is compared with
 * its `expect`. */
#include "base/machine.h"
#include "vectors/vectors.h"

#include <string.h>

#define MESSAGES_MAX 4 /* problems of a program that are spelled out */

static void add_program_coverage(struct file_run *run, const hx_program *program)
{
    for (size_t k = 0; k < program->kernel_count; k++)
        for (uint32_t i = 0; i < program->kernels[k].code_count; i++)
            coverage_add(&run->coverage, &program->kernels[k].code[i]);
}

static void print_problems(const hx_diag *diag, const char *path, struct text *text)
{
    size_t reported = 0;
    for (size_t i = 0; i < hx_diag_count(diag) && reported < MESSAGES_MAX; i++) {
        const hx_diagnostic *one = hx_diag_at(diag, i);
        if (one->severity == HX_ERROR)
            text_print(text, "%s%s:%d: %s", reported++ ? "\n" : "", path, one->line, one->message);
    }
}

/* Runs it, and compares. */
static hx_status run_and_compare(struct file_run *run, hx_context *context, hx_checks *checks, hx_diag *diag,
                                 struct text *message)
{
    hx_run_result result = {.size = sizeof result};
    size_t expectations = 0;
    hx_status status = vectors_run_context(run, context, checks, diag, &result);
    status = hx_context_verdict(context, status, &result, diag, &expectations);
    if (status == HX_OK && expectations == 0)
        text_print(message,
                   hx_context_program(context)->outcome_count > 0
                       ? "%s: the program has no `expect`, and its `outcomes` are those of many orders: "
                         "hexec run %s --explore 100 counts them"
                       : "%s: the program expects nothing: it has no `expect`",
                   run->path, run->path);
    else if (status == HX_OK)
        add_program_coverage(run, hx_context_program(context));
    return status;
}

/* What the checks found, into the point; an error among it is a failure of its own. */
static hx_status take_findings(hx_checks *checks, hx_diag *diag, struct text *document, struct text *message,
                               hx_test_point *point)
{
    static const hx_checks_render_options how = {.size = sizeof how};
    hx_status status = hx_checks_finish(checks, diag);
    if (status == HX_OK)
        status = hx_checks_export(checks, HX_CHECKS_JSON, text_write, document);
    point->found = hx_checks_finding_total(checks, &point->suppressed);
    point->findings = document->at;
    if (status != HX_OK || hx_checks_error_total(checks) == 0)
        return status;
    text_print(message, message->length ? "\n" : "");
    status = hx_checks_render(checks, &how, text_write, message);
    if (message->length > 0 && message->at[message->length - 1] == '\n')
        message->at[--message->length] = 0;
    return status == HX_OK ? HX_MISMATCH : status;
}

static hx_status test_program(struct file_run *run, hx_context *context, hx_checks *checks, hx_diag *diag)
{
    const uint64_t start = machine_now_ns();
    HX_AUTO(text_done) struct text message = {.allocator = run->options->allocator};
    HX_AUTO(text_done) struct text document = {.allocator = run->options->allocator};
    hx_status status = hx_context_load(context, run->path, diag);
    hx_test_point point = {.name = status == HX_OK ? hx_program_name(hx_context_program(context)) : run->path,
                           .line = 1};
    if (!vectors_wants(run, point.name))
        return HX_OK;
    if (status == HX_OK)
        status = run_and_compare(run, context, checks, diag, &message);
    if (status != HX_OK)
        print_problems(diag, run->path, &message);
    hx_status found = checks ? take_findings(checks, diag, &document, &message, &point) : HX_OK;
    if (status != HX_OK && message.length == 0)
        text_print(&message, "%s: %s", run->path, hx_status_sentence(status));
    run->programs++;
    point.failures = message.length > 0;
    point.message = message.length ? message.at : "";
    point.duration_ns = machine_now_ns() - start;
    if (message.failed || document.failed || status == HX_NO_MEMORY || found == HX_NO_MEMORY)
        return diag_no_memory(run->diag);
    vectors_add_point(run, point);
    return HX_OK;
}

void run_program(struct file_run *run)
{
    hx_diag *diag = NULL;
    hx_checks *checks = NULL;
    hx_context *context = vectors_new_context(run, run->isa);
    if (!context)
        return;
    run->status = hx_diag_new(run->options->allocator, &diag);
    if (run->status == HX_OK && run->options->checks)
        run->status = hx_checks_open(run->options->checks, run->diag, &checks);
    if (run->status == HX_OK)
        run->status = test_program(run, context, checks, diag);
    hx_checks_close(checks);
    hx_diag_free(diag);
    hx_context_free(context);
}
