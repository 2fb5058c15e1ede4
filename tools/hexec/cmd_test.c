/* hexec test: runs vector files and programs with expectations; prints TAP or JSON, and writes JUnit. */
#include "base/file.h"
#include "progress.h"
#include "run.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct test {
    struct command *command;
    const hx_test_report *report;
    hx_test_coverage coverage;
    hx_checks_options checks; /* no kinds: none */
    size_t points, failed;
    bool wants_all; /* what nothing tried is a failure */
};

/* ---- TAP ----------------------------------------------------------------------------------------------- */

/* The message as a YAML block: a line of it may have anything in it. */
static void print_diagnostics(struct text *out, const char *message)
{
    text_print(out, "  ---\n  message: |\n");
    while (*message) {
        size_t length = 0;
        while (message[length] && message[length] != '\n')
            length++;
        text_print(out, "    %.*s\n", (int)length, message);
        message += length + (message[length] == '\n');
    }
    text_print(out, "  ...\n");
}

static void print_point(struct text *out, size_t number, const hx_test_point *point)
{
    text_print(out, "%s %zu - %s: %s", point->failures ? "not ok" : "ok", number, point->file, point->name);
    if (point->vectors)
        text_print(out, " (%zu vector%s)", point->vectors, point->vectors == 1 ? "" : "s");
    text_append(out, "\n", 1);
    if (point->failures)
        print_diagnostics(out, point->message);
}

static hx_status print_gap(void *user, const char *text, size_t bytes)
{
    text_print(user, "#   %.*s\n", (int)bytes, text);
    return HX_OK;
}

static void list_gaps(const struct test *test, int modified, hx_write_function write, struct text *out)
{
    if (hx_test_report_gaps(test->report, modified, write, out) != HX_OK)
        out->failed = true;
}

static void print_coverage(const struct test *test, struct text *out)
{
    const hx_test_coverage *coverage = &test->coverage;
    const bool lists = option_is_on(test->command->options, OPTION_GAPS);
    text_print(out, "# tried %zu of %zu opcodes x types, %zu of %zu with a modifier\n", coverage->forms_tried,
               coverage->forms, coverage->modified_tried, coverage->modified);
    if (coverage->forms_tried < coverage->forms && (lists || test->wants_all)) {
        text_print(out, "# not tried:\n");
        list_gaps(test, 0, print_gap, out);
    }
    if (coverage->modified_tried < coverage->modified && lists) {
        text_print(out, "# not tried with these modifiers:\n");
        list_gaps(test, 1, print_gap, out);
    }
}

/* "# 2 findings, 1 suppressed; checked: memory, race" */
static void print_findings(const struct test *test, struct text *out)
{
    uint64_t found = 0, suppressed = 0;
    for (size_t i = 0; i < test->points; i++) {
        const hx_test_point point = hx_test_point_at(test->report, i);
        found += point.found;
        suppressed += point.suppressed;
    }
    text_print(out, "# %llu finding%s", (unsigned long long)found, found == 1 ? "" : "s");
    if (suppressed > 0)
        text_print(out, ", %llu suppressed", (unsigned long long)suppressed);
    const char *name, *between = "; checked: ";
    uint32_t kind;
    for (size_t i = 0; (name = hx_checks_name(i, &kind)); i++)
        if (test->checks.kinds & kind) {
            text_print(out, "%s%s", between, name);
            between = ", ";
        }
    text_print(out, "\n");
}

static void print_tap(const struct test *test, struct text *out)
{
    const bool quiet = option_is_on(test->command->options, OPTION_QUIET);
    const size_t all = test->points + test->wants_all;
    text_print(out, "TAP version 14\n1..%zu\n", all);
    for (size_t i = 0; i < test->points; i++) {
        const hx_test_point point = hx_test_point_at(test->report, i);
        if (!quiet || point.failures)
            print_point(out, i + 1, &point);
    }
    if (test->wants_all)
        text_print(out, "%s %zu - every opcode and type has been tried\n",
                   test->coverage.forms_tried < test->coverage.forms ? "not ok" : "ok", all);
    text_print(out, "# %zu points, %zu vectors, %zu programs: %zu failed\n", test->points,
               test->coverage.vectors, test->coverage.programs, test->failed);
    print_coverage(test, out);
    if (test->checks.kinds)
        print_findings(test, out);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static hx_status put_gap(void *user, const char *text, size_t bytes)
{
    struct text *out = user;
    if (out->length && out->at[out->length - 1] != '[')
        text_append(out, ",", 1);
    text_print_json_string(out, text, bytes);
    return HX_OK;
}

static void print_json(const struct test *test, struct text *out)
{
    const hx_test_coverage *coverage = &test->coverage;
    text_append(out, "{", 1);
    text_put_number(out, "points", test->points);
    text_put_number(out, "failed", test->failed);
    text_put_number(out, "vectors", coverage->vectors);
    text_put_number(out, "programs", coverage->programs);
    text_print_json_key(out, "coverage");
    text_append(out, "{", 1);
    text_put_number(out, "forms", coverage->forms);
    text_put_number(out, "forms_tried", coverage->forms_tried);
    text_put_number(out, "modified", coverage->modified);
    text_put_number(out, "modified_tried", coverage->modified_tried);
    text_print_json_key(out, "not_tried");
    text_append(out, "[", 1);
    list_gaps(test, 0, put_gap, out);
    text_append(out, "]", 1);
    text_print_json_key(out, "not_tried_modified");
    text_append(out, "[", 1);
    list_gaps(test, 1, put_gap, out);
    text_append(out, "]}", 2);
    text_print_json_key(out, "results");
    text_append(out, "[", 1);
    for (size_t i = 0; i < test->points; i++) {
        const hx_test_point point = hx_test_point_at(test->report, i);
        text_print(out, i ? ",\n{" : "\n{");
        text_put_string(out, "file", point.file);
        text_put_string(out, "name", point.name);
        text_put_number(out, "line", (uint64_t)point.line);
        text_put_number(out, "vectors", point.vectors);
        text_put_number(out, "failures", point.failures);
        text_put_number(out, "duration_ns", point.duration_ns);
        if (point.failures)
            text_put_string(out, "message", point.message);
        if (point.findings) {
            text_print_json_key(out, "check");
            text_append(out, point.findings, strlen(point.findings));
        }
        text_append(out, "}", 1);
    }
    text_print(out, "]}\n");
}

/* ---- JUnit --------------------------------------------------------------------------------------------- */

static void print_junit_case(struct text *out, const hx_test_point *point)
{
    text_print(out, "    <testcase classname=\"");
    text_print_xml(out, point->file);
    text_print(out, "\" name=\"");
    text_print_xml(out, point->name);
    text_print(out, "\" file=\"");
    text_print_xml(out, point->file);
    text_print(out, "\" line=\"%d\" time=\"%.6f\"", point->line, (double)point->duration_ns * 1e-9);
    if (!point->failures) {
        text_print(out, "/>\n");
        return;
    }
    text_print(out, ">\n      <failure message=\"%zu failed\">", point->failures);
    text_print_xml(out, point->message);
    text_print(out, "</failure>\n    </testcase>\n");
}

/* A suite for each file. */
static hx_status write_junit(const struct test *test, const char *path)
{
    struct text out HX_AUTO(text_done) = {0};
    text_print(&out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%zu\" failures=\"%zu\">\n",
               test->points, test->failed);
    for (size_t i = 0; i < test->points;) {
        const hx_test_point first = hx_test_point_at(test->report, i);
        size_t end = i, failures = 0;
        while (end < test->points && hx_test_point_at(test->report, end).file == first.file)
            failures += hx_test_point_at(test->report, end++).failures > 0;
        text_print(&out, "  <testsuite name=\"");
        text_print_xml(&out, first.file);
        text_print(&out, "\" tests=\"%zu\" failures=\"%zu\">\n", end - i, failures);
        for (; i < end; i++) {
            const hx_test_point point = hx_test_point_at(test->report, i);
            print_junit_case(&out, &point);
        }
        text_print(&out, "  </testsuite>\n");
    }
    text_print(&out, "</testsuites>\n");
    return out.failed ? HX_NO_MEMORY : file_write(path, out.at, out.length, test->command->diag);
}

/* ---- The command --------------------------------------------------------------------------------------- */

static bool has_folder(const struct options *options)
{
    for (size_t i = 0; i < options->argument_count; i++) {
        struct stat about;
        if (stat(options->arguments[i], &about) == 0 && S_ISDIR(about.st_mode))
            return true;
    }
    return false;
}

static hx_status print_report(struct test *test)
{
    const struct options *options = test->command->options;
    struct text out HX_AUTO(text_done) = {0};
    test->coverage = hx_test_report_coverage(test->report);
    test->points = hx_test_point_count(test->report);
    for (size_t i = 0; i < test->points; i++)
        test->failed += hx_test_point_at(test->report, i).failures > 0;
    test->wants_all =
        has_folder(options) && test->coverage.vectors > 0 && !option_text(options, OPTION_FILTER);
    if (option_is_on(options, OPTION_JSON))
        print_json(test, &out);
    else
        print_tap(test, &out);
    diag_step(test->command->diag, "while printing the results", NULL, 0, (struct place){0});
    hx_status status = console_write_text(test->command->console, &out);
    if (option_text(options, OPTION_JUNIT))
        status = command_keep(status, write_junit(test, option_text(options, OPTION_JUNIT)));
    const bool incomplete = test->wants_all && test->coverage.forms_tried < test->coverage.forms;
    return command_keep(status, incomplete ? HX_MISMATCH : HX_OK);
}

static void free_report(hx_test_report **report)
{
    hx_test_report_free(*report);
}

static void free_suppressions(hx_suppressions **suppressions)
{
    hx_suppressions_free(*suppressions);
}

hx_status cmd_test(struct command *command)
{
    const struct options *options = command->options;
    hx_context *context HX_AUTO(command_close) = NULL;
    hx_status status = command_open(command, &context);
    if (status != HX_OK)
        return status;
    hx_checks_options checks;
    status = checks_wanted(command, &checks);
    hx_suppressions *suppressions HX_AUTO(free_suppressions) = checks.suppressions;
    if (status != HX_OK)
        return status;
    hx_test_report *report HX_AUTO(free_report) = NULL;
    struct progress_line *line = progress_start(command, PROGRESS_TEST);
    const hx_test_options wanted = {.size = sizeof wanted,
                                    .filter = option_text(options, OPTION_FILTER),
                                    .jobs = (uint32_t)option_number(options, OPTION_JOBS, 0),
                                    .cpu_level = option_cpu_level(options),
                                    .progress = line ? progress_files : NULL,
                                    .user = line,
                                    .launches = progress_of(line),
                                    .checks = checks.kinds ? &checks : NULL};
    status = hx_test_run(hx_context_isa(context), options->arguments, options->argument_count, &wanted,
                         command->diag, &report);
    progress_stop(line);
    if (!report)
        return status;
    struct test test = {.command = command, .report = report, .checks = checks};
    status = command_keep(status, print_report(&test));
    return suppressions ? command_keep(status, hx_suppressions_report(suppressions, command->diag)) : status;
}
