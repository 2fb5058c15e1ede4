/* hexec explain: what a diagnostic means and how to cure it, from the library's list. */
#include "command.h"

#include <string.h>

static hx_status explain_one(struct command *command, const char *word);

hx_status cmd_explain(struct command *command)
{
    const struct options *options = command->options;
    hx_status status = HX_OK;
    for (size_t i = 0; i < options->argument_count; i++)
        status = command_keep(status, explain_one(command, options->arguments[i]));
    if (options->argument_count)
        return status;
    for (size_t i = 0; hx_explain_code(i); i++)
        status = console_print(command->console, "HX%04d  %s\n", hx_explain_code(i),
                               hx_explain_title(hx_explain_code(i)));
    return status;
}

/* "HX1203", "hx1203" and "1203" all mean 1203; 0 for anything else. */
static int read_code(const char *word)
{
    struct slice text = slice_of(word);
    uint64_t number = 0;
    if (text.length > 2 && slice_equal_nocase((struct slice){text.at, 2}, "hx"))
        text = (struct slice){text.at + 2, text.length - 2};
    return number_parse_u64(text, &number) == NUMBER_OK && number < 10000 ? (int)number : 0;
}

static hx_status explain_one(struct command *command, const char *word)
{
    const int number = read_code(word), code = number ? number : hx_checks_kind_code(word);
    const char *title = code ? hx_explain_title(code) : NULL;
    if (!title)
        return diag_report(command->diag, DIAG_USAGE_NO_CODE, (struct place){0},
                           "hexec explain without a code lists them all", "%s: no such diagnostic", word);
    struct text out HX_AUTO(text_done) = {0};
    text_print(&out, "HX%04d: %s\n\n", code, title);
    text_print_wrapped(&out, hx_explain_text(code), 0, 0);
    return console_write_text(command->console, &out);
}
