/* hexec run --hot-lines: the lines in which compiled code spends its time.
 *
 * Takes the samples of a run, leaves lines of text, or a member of the JSON document. */
#include "base/text.h"
#include "hexec/samples.h"
#include "options.h"
#include "run.h"

#define LINES_SHOWN 12

hx_status hot_lines_prepare(struct run *run, hx_launch_options *launch)
{
    const struct options *options = run->command->options;
    if (!option_is_on(options, OPTION_HOT_LINES))
        return HX_OK;
    if (!option_value(options, OPTION_TIER))
        launch->tier = HX_TIER_COMPILED;
    const hx_status status = hx_samples_new(NULL, run->command->diag, &run->samples);
    launch->samples = run->samples;
    return status;
}

/* "hot      62.1 % (59.0 to 65.1)  collatz.yaml:31  mul.u32 r3, r3, 3" */
static void print_line(struct text *out, const hx_line_samples *line)
{
    text_print(out, "hot      %5.1f %% (%.1f to %.1f)  %s", 100 * line->share, 100 * line->share_least,
               100 * line->share_most, line->file ? line->file : line->kernel);
    if (line->line)
        text_print(out, ":%u", line->line);
    text_print(out, "%s%s\n", line->text[0] ? "  " : "", line->text);
}

void hot_lines_print(struct text *out, const struct run *run)
{
    const uint64_t compiled = hx_samples_compiled(run->samples);
    const uint64_t all = compiled + hx_samples_outside(run->samples);
    hx_line_samples line = {.size = sizeof line};
    if (!run->samples)
        return;
    if (compiled == 0) {
        text_print(
            out, "hot      no sample was in compiled code: the run %s (--verbose says which kernels were)\n",
            all ? "was interpreted" : "was too short, or interpreted");
        return;
    }
    size_t i = 0;
    for (; i < LINES_SHOWN && hx_samples_at(run->samples, i, &line) == HX_OK; i++)
        print_line(out, &line);
    if (hx_samples_at(run->samples, i, &line) == HX_OK)
        text_print(out, "hot      and lines with at most %.1f %% each\n", 100 * line.share);
    text_print(out, "hot      of ");
    text_print_grouped(out, compiled);
    text_print(out, " samples in compiled code; ");
    text_print_grouped(out, all - compiled);
    text_print(out, " were in the interpreter or between blocks\n");
}

void hot_lines_put(struct text *out, const struct run *run)
{
    hx_line_samples line = {.size = sizeof line};
    if (!run->samples)
        return;
    text_print_json_key(out, "hot_lines");
    text_print(out, "{");
    text_put_number(out, "compiled_samples", hx_samples_compiled(run->samples));
    text_put_number(out, "outside_samples", hx_samples_outside(run->samples));
    text_print_json_key(out, "lines");
    text_print(out, "[");
    for (size_t i = 0; hx_samples_at(run->samples, i, &line) == HX_OK; i++) {
        text_print(out, "%s{", i ? "," : "");
        text_put_string(out, "kernel", line.kernel);
        if (line.file)
            text_put_string(out, "file", line.file);
        text_put_number(out, "line", line.line);
        text_put_string(out, "text", line.text);
        text_put_number(out, "samples", line.samples);
        text_print_json_key(out, "share");
        text_print_f64(out, line.share);
        text_print_json_key(out, "share_least");
        text_print_f64(out, line.share_least);
        text_print_json_key(out, "share_most");
        text_print_f64(out, line.share_most);
        text_print(out, "}");
    }
    text_print(out, "]}");
}
