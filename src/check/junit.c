/* Findings as JUnit XML, which CI systems count and show.
 *
 * Takes finished checks, leaves one document: a case for each checker that ran, which fails if it found an
 * error, and one more for a run that ended with a fault or was stopped. Warnings and suppressed findings are
 * no failures: they are text beside it. */
#include "check/frame.h"

#include <inttypes.h>
#include <string.h>

static void print_line(const hx_finding *finding, struct text *out)
{
    struct text line HX_AUTO(text_done) = {.allocator = out->allocator};
    check_print_brief(finding, &line);
    if (finding->reason)
        text_print(&line, " (suppressed: %s)", finding->reason);
    text_print(&line, "\n");
    out->failed |= line.failed;
    if (!line.failed)
        text_print_xml(out, line.at);
}

/* The findings of one checker that are failures, or those that are none; returns how many there are. */
static uint64_t print_lines(const hx_checks *checks, uint32_t checker, bool failures, struct text *out)
{
    uint64_t count = 0;
    for (size_t i = 0; i < checks->finding_count + checks->suppressed_count; i++) {
        const hx_finding *finding = &checks->findings[i];
        if (finding->checker != checker || (!finding->reason && finding->severity == HX_ERROR) != failures)
            continue;
        count++;
        if (out)
            print_line(finding, out);
    }
    return count;
}

static void print_case(const hx_checks *checks, const char *program, const char *name, uint32_t checker,
                       struct text *out)
{
    const uint64_t failures = print_lines(checks, checker, true, NULL);
    const uint64_t others = print_lines(checks, checker, false, NULL);
    text_print(out, "    <testcase classname=\"");
    text_print_xml(out, program);
    text_print(out, "\" name=\"%s\"", name);
    if (failures + others == 0) {
        text_print(out, "/>\n");
        return;
    }
    text_print(out, ">\n");
    if (failures > 0) {
        text_print(out, "      <failure message=\"%" PRIu64 " finding%s\">", failures,
                   failures == 1 ? "" : "s");
        print_lines(checks, checker, true, out);
        text_print(out, "</failure>\n");
    }
    if (others > 0) {
        text_print(out, "      <system-out>");
        print_lines(checks, checker, false, out);
        text_print(out, "</system-out>\n");
    }
    text_print(out, "    </testcase>\n");
}

/* A run that ended early: what follows the end was not checked. */
static void print_failure(const hx_checks *checks, const char *program, struct text *out)
{
    const struct check_failure *failure = &checks->failure;
    text_print(out, "    <testcase classname=\"");
    text_print_xml(out, program);
    text_print(out, "\" name=\"run\">\n      <error message=\"");
    text_print_xml(out, failure->what);
    text_print(out, "\">");
    if (failure->has_place && failure->place.file) {
        text_print_xml(out, failure->place.file);
        text_print(out, ":%d:%d", failure->place.line, failure->place.column);
    }
    text_print(out, "</error>\n    </testcase>\n");
}

void check_print_junit(const hx_checks *checks, struct text *out)
{
    const char *name, *program = checks->codes.count > 0 ? checks->codes.items[0]->program : "hexec";
    const uint32_t errors = checks->failure.status != HX_OK;
    uint32_t checker, tests = errors, failures = 0;
    for (size_t i = 0; (name = hx_checks_name(i, &checker)); i++) {
        tests += (checks->options.kinds & checker) != 0;
        failures += print_lines(checks, checker, true, NULL) > 0;
    }
    text_print(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%u\" failures=\"%u\" "
               "errors=\"%u\">\n",
               tests, failures, errors);
    text_print(out, "  <testsuite name=\"");
    text_print_xml(out, program);
    text_print(out, "\" tests=\"%u\" failures=\"%u\" errors=\"%u\">\n", tests, failures, errors);
    for (size_t i = 0; (name = hx_checks_name(i, &checker)); i++)
        if (checks->options.kinds & checker)
            print_case(checks, program, name, checker, out);
    if (errors > 0)
        print_failure(checks, program, out);
    text_print(out, "  </testsuite>\n</testsuites>\n");
}
