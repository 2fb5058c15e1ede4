/* Help, man page and completion, all made from the table in options.def. Each function takes nothing but the
 * table and leaves text; that is why an option can be added in one place and is then known everywhere. */
#include "options.h"

#include "hexec/hexec.h"

#include <string.h>

#define HELP_WIDTH    100
#define OPTION_COLUMN 30

static const struct {
    int code;
    const char *meaning;
} exit_codes[] = {
    {0, "success"},
    {1, "the buffers differ from what --verify expects"},
    {2, "wrong usage or input"},
    {3, "the kernel did something that it must not: a fault"},
    {4, "a bound on time, instructions or memory was reached, or the run was interrupted"},
    {5, "a system error: files, memory, threads"},
};

static const struct {
    const char *name, *meaning;
} variables[] = {
    {"HEXEC_LOG", "which log lines are written, as in hexec=info,hexec::exec=debug"},
    {"HEXEC_TRACING_PROFILE", "local, ci or performance: presets of the three below"},
    {"HEXEC_TRACING_FORMAT", "pretty, compact or json: the form of log lines"},
    {"HEXEC_PERF_TRACING", "true or false: a span for each instruction that runs"},
    {"HEXEC_PERF_THRESHOLD_US", "spans shorter than this are not logged"},
    {"NO_COLOR", "when set, no colours unless --color=always"},
};

/* A line of words, up to its end, which comes back. One that begins with a space is code, and stays as it is.
 */
static const char *print_wrapped_line(struct text *out, const char *text, int column, int indent)
{
    const char *const end = text + strcspn(text, "\n");
    if (*text == ' ') {
        text_append(out, text, (size_t)(end - text));
        return end;
    }
    for (bool is_first = true; text < end; is_first = false) {
        const int length = (int)strcspn(text, " \n"), space = !is_first;
        if (column + space + length > HELP_WIDTH && column > indent) {
            text_print(out, "\n%*s", indent, "");
            column = indent;
        } else if (space) {
            text_append(out, " ", 1);
            column++;
        }
        text_print(out, "%.*s", length, text);
        column += length;
        text += length + (text[length] == ' ');
    }
    return end;
}

void text_print_wrapped(struct text *out, const char *text, int column, int indent)
{
    for (;;) {
        text = print_wrapped_line(out, text, column, indent);
        text_append(out, "\n", 1);
        if (*text++ == '\0')
            return;
        column = *text && *text != '\n' ? indent : 0;
        text_print(out, "%*s", column, "");
    }
}

static void print_option(struct text *out, const struct option_row *row)
{
    size_t start = out->length;
    if (row->letter)
        text_print(out, "  -%c, --%s", row->letter, row->name);
    else
        text_print(out, "      --%s", row->name);
    if (row->argument)
        text_print(out, row->alone ? "[=%s]" : " %s", row->argument);
    int column = (int)(out->length - start);
    if (column + 2 > OPTION_COLUMN) {
        text_print(out, "\n%*s", OPTION_COLUMN, "");
        column = OPTION_COLUMN;
    } else {
        text_print(out, "%*s", OPTION_COLUMN - column, "");
        column = OPTION_COLUMN;
    }
    text_print_wrapped(out, row->help, column, OPTION_COLUMN);
}

static void print_overview(struct text *out)
{
    text_print(out,
               "hexec %s: runs GPU kernels on the CPU and accounts for every opcode\n\n"
               "Usage: hexec PROGRAM [options]\n"
               "       hexec COMMAND [arguments] [options]\n\nCommands:\n",
               hx_version());
    for (int id = 0; id < COMMAND_COUNT; id++)
        text_print(out, "  %-8s %-14s %s\n", command_table[id].name, command_table[id].arguments,
                   command_table[id].summary);
    text_print(out, "\nhexec COMMAND --help shows the options of a command and examples.\n"
                    "Every option is also read from the environment: --workers from HEXEC_WORKERS.\n\n"
                    "Exit codes:\n");
    for (size_t i = 0; i < HX_COUNT_OF(exit_codes); i++)
        text_print(out, "  %d  %s\n", exit_codes[i].code, exit_codes[i].meaning);
}

void help_print(struct text *out, enum command_id command)
{
    if (command == COMMAND_COUNT) {
        print_overview(out);
        return;
    }
    const struct command_row *row = &command_table[command];
    text_print(out, "Usage: hexec %s%s%s [options]\n\n", row->name, *row->arguments ? " " : "",
               row->arguments);
    text_print_wrapped(out, row->text, 0, 0);
    text_print(out, "\nOptions:\n");
    for (int id = 0; id < OPTION_COUNT; id++)
        if (!option_table[id].hidden && (option_table[id].commands & 1u << command))
            print_option(out, &option_table[id]);
    text_print(out, "\nExamples:\n");
    for (const char *const *example = row->examples; *example; example += 2)
        text_print(out, "  %s\n      %s\n", example[0], example[1]);
}

/* Text for roff: '-' is a minus, a dot or quote at the start of a line is no request. */
static void print_roff(struct text *out, const char *text)
{
    for (const char *at = text; *at; at++) {
        if (*at == '-' || *at == '\\')
            text_append(out, "\\", 1);
        if ((*at == '.' || *at == '\'') && at == text)
            text_append(out, "\\&", 2);
        text_append(out, at, 1);
    }
}

static void print_man_option(struct text *out, const struct option_row *row)
{
    text_print(out, ".TP\n");
    if (row->letter)
        text_print(out, "\\fB\\-%c\\fR, ", row->letter);
    text_print(out, "\\fB");
    print_roff(out, "--");
    print_roff(out, row->name);
    text_print(out, "\\fR");
    if (row->argument) {
        text_print(out, row->alone ? "[=\\fI" : " \\fI");
        print_roff(out, row->argument);
        text_print(out, row->alone ? "\\fR]" : "\\fR");
    }
    text_print(out, "\n");
    print_roff(out, row->help);
    text_print(out, ".\n");
    if (row->words && !row->hidden) {
        text_print(out, "One of: ");
        print_roff(out, row->words);
        text_print(out, ".\n");
    }
}

static void print_man_command(struct text *out, enum command_id command)
{
    const struct command_row *row = &command_table[command];
    text_print(out, ".SS hexec %s%s", row->name, *row->arguments ? " " : "");
    print_roff(out, row->arguments);
    text_print(out, "\n");
    print_roff(out, row->text);
    text_print(out, "\n");
    for (int id = 0; id < OPTION_COUNT; id++)
        if (!option_table[id].hidden && option_table[id].commands & 1u << command &&
            option_table[id].commands != (1u << COMMAND_COUNT) - 1)
            print_man_option(out, &option_table[id]);
}

void help_print_man(struct text *out)
{
    text_print(out,
               ".\\\" Made by hexec --generate=man; the source is tools/hexec/options.def.\n"
               ".TH HEXEC 1 \"\" \"hexec %s\" \"User Commands\"\n.SH NAME\n"
               "hexec \\- run GPU kernels on the CPU and account for every opcode\n.SH SYNOPSIS\n"
               ".B hexec\n.RI [ COMMAND ]\n.RI [ arguments ]\n.RI [ options ]\n.SH COMMANDS\n",
               hx_version());
    for (int id = 0; id < COMMAND_COUNT; id++)
        print_man_command(out, (enum command_id)id);
    text_print(out, ".SH OPTIONS OF ALL COMMANDS\n");
    for (int id = 0; id < OPTION_COUNT; id++)
        if (!option_table[id].hidden && option_table[id].commands == (1u << COMMAND_COUNT) - 1)
            print_man_option(out, &option_table[id]);
    text_print(out,
               ".SH ENVIRONMENT\nEvery option that takes part in a run is also read from a variable of its "
               "name: \\-\\-dynamic\\-shared from HEXEC_DYNAMIC_SHARED. Switches take 1 or 0; options that "
               "may be given several times separate the values by commas. What stands on the command line "
               "wins.\n");
    for (size_t i = 0; i < HX_COUNT_OF(variables); i++) {
        text_print(out, ".TP\n.B %s\n", variables[i].name);
        print_roff(out, variables[i].meaning);
        text_print(out, ".\n");
    }
    text_print(out, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < HX_COUNT_OF(exit_codes); i++) {
        text_print(out, ".TP\n.B %d\n", exit_codes[i].code);
        print_roff(out, exit_codes[i].meaning);
        text_print(out, ".\n");
    }
    text_print(out, ".SH EXAMPLES\n");
    for (int id = 0; id < COMMAND_COUNT; id++)
        for (const char *const *example = command_table[id].examples; *example; example += 2) {
            text_print(out, ".TP\n.B ");
            print_roff(out, example[0]);
            text_print(out, "\n");
            print_roff(out, example[1]);
            text_print(out, ".\n");
        }
}

static void print_bash_options(struct text *out, uint32_t commands)
{
    for (int id = 0; id < OPTION_COUNT; id++)
        if (!option_table[id].hidden && (option_table[id].commands & commands))
            text_print(out, " --%s", option_table[id].name);
}

void help_print_bash(struct text *out)
{
    text_print(out,
               "# Made by hexec --generate=bash; the source is tools/hexec/options.def.\n"
               "_hexec() {\n"
               "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=run i\n"
               "    # bash makes a word of the = in --option=value\n"
               "    if [ \"$word\" = = ]; then word=; fi\n"
               "    if [ \"$before\" = = ] && [ \"$COMP_CWORD\" -ge 2 ]; then "
               "before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
               "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
               "        case ${COMP_WORDS[i]} in\n"
               "        ");
    for (int id = 0; id < COMMAND_COUNT; id++)
        text_print(out, "%s%s", id ? "|" : "", command_table[id].name);
    text_print(out, ") command=${COMP_WORDS[i]}; break ;;\n        esac\n    done\n    case $before in\n");
    for (int id = 0; id < OPTION_COUNT; id++) {
        const struct option_row *row = &option_table[id];
        if (row->hidden || row->kind == KIND_SWITCH)
            continue;
        text_print(out, "    --%s", row->name);
        if (row->letter)
            text_print(out, "|-%c", row->letter);
        if (row->kind == KIND_WORD)
            text_print(out, ") mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$word\"); return ;;\n",
                       row->words);
        else if (row->kind == KIND_FILE)
            text_print(out, ") mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return ;;\n");
        else
            text_print(out, ") COMPREPLY=(); return ;;\n");
    }
    text_print(out, "    esac\n    local options='' commands=''\n    case $command in\n");
    for (int id = 0; id < COMMAND_COUNT; id++) {
        text_print(out, "    %s) options='", command_table[id].name);
        print_bash_options(out, 1u << id);
        text_print(out, "' ;;\n");
    }
    text_print(out, "    esac\n    if [ \"$COMP_CWORD\" -eq 1 ]; then commands='");
    for (int id = 0; id < COMMAND_COUNT; id++)
        text_print(out, "%s%s", id ? " " : "", command_table[id].name);
    text_print(out, "'; fi\n"
                    "    case $word in\n"
                    "    -*) mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\") ;;\n"
                    "    *) mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$word\"; "
                    "compgen -f -- \"$word\") ;;\n"
                    "    esac\n}\ncomplete -o filenames -F _hexec hexec\n");
}
