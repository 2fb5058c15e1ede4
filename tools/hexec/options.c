/* Reads the command line and the environment into values. It takes argv and leaves struct options, or every
 * mistake as a diagnostic. The idea behind its form: nothing here knows an option by name; the table in
 * options.def says what exists, values.c how each kind of value is read. */
#include "options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ON(id)  (1u << COMMAND_##id)
#define ON_RUNS (ON(RUN) | ON(PROFILE)) /* what says how to run a program */
#define ON_ALL  ((1u << COMMAND_COUNT) - 1)

const struct command_row command_table[COMMAND_COUNT] = {
#define COMMAND(id, text, ...) [COMMAND_##id] = {.name = text, __VA_ARGS__},
#define OPTION(...)
#include "options.def"
#undef COMMAND
#undef OPTION
};

const struct option_row option_table[OPTION_COUNT] = {
#define COMMAND(...)
#define OPTION(id, text, ...) [OPTION_##id] = {.name = text, __VA_ARGS__},
#include "options.def"
#undef COMMAND
#undef OPTION
};

/* The reading of one command line. */
struct parser {
    int argc;
    char **argv;
    int at;
    hx_diag *diag;
    struct options *options;
    const char **arguments;
};

static hx_status parse_word(struct parser *parser, const char *word);
static hx_status parse_long(struct parser *parser, const char *word);
static hx_status parse_letters(struct parser *parser, const char *word);
static hx_status find_command(struct parser *parser, bool report);
static hx_status check_commands(struct parser *parser);
static hx_status read_environment(struct parser *parser);
static hx_status check_arguments(const struct parser *parser);
static hx_status keep(hx_status sum, hx_status next);

hx_status options_parse(int argc, char **argv, hx_diag *diag, struct options *ret_options)
{
    *ret_options = (struct options){.command = COMMAND_RUN};
    arena_init(&ret_options->arena, NULL);
    struct parser parser = {.argc = argc, .argv = argv, .at = 1, .diag = diag, .options = ret_options};
    parser.arguments = ARENA_ARRAY(&ret_options->arena, const char *, (size_t)argc + 1);
    if (!parser.arguments)
        return diag_no_memory(diag);
    ret_options->arguments = parser.arguments;

    hx_status status = HX_OK;
    bool only_arguments = false;
    while (parser.at < argc) {
        const char *word = argv[parser.at++];
        if (!only_arguments && strcmp(word, "--") == 0)
            only_arguments = true;
        else if (!only_arguments && word[0] == '-' && word[1])
            status = keep(status, parse_word(&parser, word));
        else
            parser.arguments[ret_options->argument_count++] = word;
    }
    /* After a mistake an argument may be the value of an option that was misspelt: say no more about it. */
    bool clean = status == HX_OK;
    status = keep(status, find_command(&parser, clean));
    if (status == HX_OK)
        status = check_commands(&parser);
    status = keep(status, read_environment(&parser));
    return status == HX_OK ? check_arguments(&parser) : status;
}

void options_done(struct options *options)
{
    arena_done(&options->arena);
    memset(options, 0, sizeof *options);
}

bool option_is_on(const struct options *options, enum option_id id)
{
    const struct option_value *value = option_value(options, id);
    return value && value->number;
}

const struct option_value *option_value(const struct options *options, enum option_id id)
{
    const struct option_values *values = &options->values[id];
    return values->count ? &values->items[values->count - 1] : NULL;
}

uint64_t option_number(const struct options *options, enum option_id id, uint64_t otherwise)
{
    const struct option_value *value = option_value(options, id);
    return value ? value->number : otherwise;
}

const char *option_text(const struct options *options, enum option_id id)
{
    const struct option_value *value = option_value(options, id);
    return value ? value->text : NULL;
}

const char *option_variable(enum option_id id, char *buffer)
{
    size_t length = 0;
    for (const char *prefix = "HEXEC_"; *prefix; prefix++)
        buffer[length++] = *prefix;
    for (const char *at = option_table[id].name; *at && length < 63; at++)
        buffer[length++] = *at == '-' ? '_' : *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
    buffer[length] = 0;
    return buffer;
}

const char *option_title(enum option_id id, const struct option_value *value, char *buffer)
{
    if (value && value->is_variable)
        return option_variable(id, buffer);
    size_t length = 0;
    buffer[length++] = '-';
    buffer[length++] = '-';
    for (const char *at = option_table[id].name; *at && length < 63; at++)
        buffer[length++] = *at;
    buffer[length] = 0;
    return buffer;
}

/* The first thing that went wrong is the status; lack of memory goes before all. */
static hx_status keep(hx_status sum, hx_status next)
{
    return next == HX_NO_MEMORY || sum == HX_OK ? next : sum;
}

static hx_status parse_word(struct parser *parser, const char *word)
{
    return word[1] == '-' ? parse_long(parser, word) : parse_letters(parser, word);
}

static const char *next_option_name(void *user, size_t index)
{
    (void)user;
    while (index < OPTION_COUNT && option_table[index].hidden)
        index++;
    return index < OPTION_COUNT ? option_table[index].name : NULL;
}

static hx_status unknown_option(struct parser *parser, struct slice name, const char *word)
{
    const char *meant = text_suggest(name, next_option_name, NULL);
    const char *hint = meant ? arena_format(&parser->options->arena, "did you mean --%s?", meant)
                             : "hexec COMMAND --help lists the options of a command";
    return diag_report(parser->diag, DIAG_USAGE_OPTION, (struct place){0}, hint, "%s: unknown option", word);
}

/* The value of an option is the text behind '=' or the next word. */
static hx_status take_value(struct parser *parser, enum option_id id, const char *behind, const char *word)
{
    const struct option_row *row = &option_table[id];
    if (row->kind == KIND_SWITCH) {
        if (behind)
            return diag_report(parser->diag, DIAG_USAGE_MISSING_VALUE, (struct place){0},
                               arena_format(&parser->options->arena, "write --%s alone", row->name),
                               "--%s takes no value", row->name);
        return value_parse(parser->options, id, "1", false, parser->diag);
    }
    if (!behind && row->alone)
        behind = row->alone;
    if (!behind) {
        if (parser->at >= parser->argc)
            return diag_report(
                parser->diag, DIAG_USAGE_MISSING_VALUE, (struct place){0},
                arena_format(&parser->options->arena, "write --%s %s", row->name, row->argument),
                "%s: the value is missing", word);
        behind = parser->argv[parser->at++];
    }
    return value_parse(parser->options, id, behind, false, parser->diag);
}

static hx_status parse_long(struct parser *parser, const char *word)
{
    const char *equals = strchr(word, '=');
    struct slice name = {word + 2, equals ? (size_t)(equals - word) - 2 : strlen(word) - 2};
    for (int id = 0; id < OPTION_COUNT; id++)
        if (slice_equal(name, option_table[id].name))
            return take_value(parser, (enum option_id)id, equals ? equals + 1 : NULL, word);
    return unknown_option(parser, name, word);
}

static hx_status parse_letters(struct parser *parser, const char *word)
{
    for (const char *at = word + 1; *at; at++) {
        int id = 0;
        while (id < OPTION_COUNT && option_table[id].letter != *at)
            id++;
        if (id == OPTION_COUNT) {
            struct slice name = slice_of(word + 1);
            return unknown_option(parser, name, word);
        }
        if (option_table[id].kind != KIND_SWITCH)
            return take_value(parser, (enum option_id)id, at[1] ? at + 1 : NULL, word);
        hx_status status = take_value(parser, (enum option_id)id, NULL, word);
        if (status != HX_OK)
            return status;
    }
    return HX_OK;
}

static const char *next_command_name(void *user, size_t index)
{
    (void)user;
    return index < COMMAND_COUNT ? command_table[index].name : NULL;
}

/* The first argument is a command's name; anything else that may be a file means run. */
static hx_status find_command(struct parser *parser, bool report)
{
    struct options *options = parser->options;
    if (options->argument_count == 0)
        return HX_OK;
    const char *word = options->arguments[0];
    options->has_command = true;
    for (int id = 0; id < COMMAND_COUNT; id++)
        if (strcmp(word, command_table[id].name) == 0) {
            options->command = (enum command_id)id;
            options->arguments++;
            options->argument_count--;
            return HX_OK;
        }
    if (!report || strpbrk(word, "/.") || access(word, F_OK) == 0)
        return HX_OK;
    const char *meant = text_suggest(slice_of(word), next_command_name, NULL);
    return diag_report(parser->diag, DIAG_USAGE_COMMAND, (struct place){0},
                       meant ? arena_format(&options->arena, "did you mean hexec %s?", meant)
                             : "hexec --help lists the commands",
                       "%s: no command of this name, and no file", word);
}

/* Each option must be one of the command's. */
static hx_status check_commands(struct parser *parser)
{
    struct options *options = parser->options;
    hx_status status = HX_OK;
    for (int id = 0; id < OPTION_COUNT; id++) {
        const struct option_row *row = &option_table[id];
        if (!options->values[id].count || (row->commands & 1u << options->command))
            continue;
        const char *owner = "";
        for (int command = COMMAND_COUNT - 1; command >= 0; command--)
            if (row->commands & 1u << command)
                owner = command_table[command].name;
        status = keep(status, diag_report(parser->diag, DIAG_USAGE_OPTION, (struct place){0},
                                          arena_format(&options->arena, "it is an option of hexec %s", owner),
                                          "--%s: hexec %s has no such option", row->name,
                                          command_table[options->command].name));
    }
    return status;
}

/* One with several values separates them by commas, as in HEXEC_PARAM=n=64,a=0.5. */
hx_status option_read_variable(struct options *options, enum option_id id, hx_diag *diag)
{
    char name[64];
    const char *text = option_table[id].no_variable ? NULL : getenv(option_variable(id, name));
    if (!text || !*text)
        return HX_OK;
    if (!option_table[id].many)
        return value_parse(options, id, text, true, diag);
    hx_status status = HX_OK;
    while (*text) {
        size_t length = strcspn(text, ",");
        const char *one = arena_copy(&options->arena, text, length);
        if (!one)
            return diag_no_memory(diag);
        status = keep(status, value_parse(options, id, one, true, diag));
        text += length + (text[length] == ',');
    }
    return status;
}

static hx_status read_environment(struct parser *parser)
{
    hx_status status = HX_OK;
    for (int id = 0; id < OPTION_COUNT; id++) {
        if (!parser->options->values[id].count && option_table[id].commands & 1u << parser->options->command)
            status = keep(status, option_read_variable(parser->options, (enum option_id)id, parser->diag));
    }
    return status;
}

static hx_status check_arguments(const struct parser *parser)
{
    const struct options *options = parser->options;
    if (option_is_on(options, OPTION_HELP) || option_is_on(options, OPTION_VERSION) ||
        option_value(options, OPTION_GENERATE) || !options->has_command)
        return HX_OK;
    const struct command_row *row = &command_table[options->command];
    const bool is_server = option_is_on(options, OPTION_DAP); /* whose client names the program */
    if (options->argument_count < row->fewest && !is_server)
        return diag_report(parser->diag, DIAG_USAGE_ARGUMENTS, (struct place){0},
                           arena_format(&parser->options->arena, "write hexec %s%s%s", row->name,
                                        *row->arguments ? " " : "", row->arguments),
                           "hexec %s: the program's file is missing", row->name);
    if (options->argument_count > row->most)
        return diag_report(parser->diag, DIAG_USAGE_ARGUMENTS, (struct place){0},
                           arena_format(&parser->options->arena, "write hexec %s%s%s", row->name,
                                        *row->arguments ? " " : "", row->arguments),
                           "%s: one argument too many", options->arguments[row->most]);
    return HX_OK;
}
