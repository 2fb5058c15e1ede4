/* The command line's table, and what the user wrote. */
#pragma once

#include "base/diag.h"

enum command_id {
#define COMMAND(id, ...) COMMAND_##id,
#define OPTION(...)
#include "options.def"
#undef COMMAND
#undef OPTION
    COMMAND_COUNT
};

enum option_id {
#define COMMAND(...)
#define OPTION(id, ...) OPTION_##id,
#include "options.def"
#undef COMMAND
#undef OPTION
    OPTION_COUNT
};

/* How the value of an option is read. */
enum option_kind {
    KIND_SWITCH,  /* none */
    KIND_TEXT,    /* anything but nothing */
    KIND_FILE,    /* the same; completed with file names */
    KIND_COUNT,   /* an integer from minimum to maximum */
    KIND_POWER,   /* the same, a power of two */
    KIND_BYTES,   /* the same, with KiB, MiB or GiB */
    KIND_SECONDS, /* a decimal number of seconds; minimum and maximum in nanoseconds and seconds */
    KIND_PERCENT, /* a decimal number above 0, at most `maximum` */
    KIND_SHAPE,   /* one to three integers */
    KIND_WORD,    /* one of `words` */
    KIND_PAIR,    /* name=text */
    KIND_RANGE,   /* name[:first[:count]] */
};

struct command_row {
    const char *name, *arguments, *summary, *text;
    const char *examples[12];
    uint32_t fewest, most; /* arguments */
};

struct option_row {
    const char *name, *argument, *words, *help;
    const char *alone; /* the value of an option that is written without one; NULL: it needs one, after '=' or
                          as the next word */
    uint64_t minimum, maximum;
    uint64_t maximum_yz, product; /* SHAPE: of the second and third number; of all together; 0: no bound */
    uint32_t commands;            /* a bit for each command_id that takes it */
    enum option_kind kind;
    char letter;
    bool many, hidden, no_variable;
    bool may_be_empty; /* TEXT */
};

extern const struct command_row command_table[COMMAND_COUNT];
extern const struct option_row option_table[OPTION_COUNT];

/* A value as it was given, read as its kind says. */
struct option_value {
    const char *text;  /* all of it */
    const char *name;  /* PAIR, RANGE: before '=' or ':' */
    const char *rest;  /* PAIR: behind '=' */
    uint64_t number;   /* COUNT, POWER, BYTES; SECONDS: nanoseconds; WORD: its index; RANGE: first */
    uint64_t count;    /* RANGE: how many, UINT64_MAX for all */
    double decimal;    /* PERCENT */
    uint32_t shape[3]; /* SHAPE; what was left out is 1 */
    bool is_variable;  /* came from the environment */
};

/* Values of one option, in the order given; options that are not `many` keep the last. */
struct option_values {
    struct option_value *items;
    size_t count, capacity;
};

struct options {
    enum command_id command;
    bool has_command; /* a command's name or a program was given */
    const char *const *arguments;
    size_t argument_count;
    struct option_values values[OPTION_COUNT];
    struct arena arena;
};

/* Reads the command line and the environment. Everything wrong goes to `diag`, all of it in one go; strings
 * are borrowed from `argv` and the environment until options_done. HX_INVALID, HX_NO_MEMORY. --help,
 * --version and
 * --generate make missing arguments fine. */
HX_MUST_CHECK hx_status options_parse(int argc, char **argv, hx_diag *diag, struct options *ret_options);
void options_done(struct options *options);

bool option_is_on(const struct options *options, enum option_id id);
/* The value, or NULL when the option was not given. */
const struct option_value *option_value(const struct options *options, enum option_id id);
uint64_t option_number(const struct options *options, enum option_id id, uint64_t otherwise);
const char *option_text(const struct options *options, enum option_id id);
/* How messages call an option: "--grid", or "HEXEC_GRID" when the value came from there. `buffer` holds 64.
 */
const char *option_title(enum option_id id, const struct option_value *value, char *buffer);
/* The option's variable: HEXEC_DYNAMIC_SHARED. `buffer` holds 64. */
const char *option_variable(enum option_id id, char *buffer);

/* Adds what the option's variable says, if it says anything. HX_INVALID with what is wrong in `diag`,
 * HX_NO_MEMORY. */
HX_MUST_CHECK hx_status option_read_variable(struct options *options, enum option_id id, hx_diag *diag);

/* Help of a command, or of hexec when `command` is COMMAND_COUNT; the man page; the completion of bash. */
void help_print(struct text *text, enum command_id command);
void help_print_man(struct text *text);
void help_print_bash(struct text *text);

/* The words of `words` from `column` on, in lines of 100 bytes; further lines are indented by `indent`. */
void text_print_wrapped(struct text *out, const char *words, int column, int indent);

/* Reads `text` as the option's kind says; reports what is wrong. In values.c. */
HX_MUST_CHECK hx_status value_parse(struct options *options, enum option_id id, const char *text,
                                    bool is_variable, hx_diag *diag);
