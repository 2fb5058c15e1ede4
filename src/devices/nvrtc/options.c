/* Options of NVRTC.
 *
 * An option is --long-name or -short, with its value behind '=' or in the next word; -D, -U and -I also have
 * it behind the letter. What nvcc has, too, goes on with its long name to hexec's compiler, which knows what
 * it means (nvcc.def). What says how a GPU's code is made or shown, and changes nothing here, is dropped. */
#include "devices/nvrtc/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum takes { NOTHING, A_VALUE, A_CHOICE }; /* a choice is true or false, and may be left out: true */

enum meaning { DROPPED, PASSED, ARCHITECTURE, FOLDER, DEFAULT_DEVICE };

struct row {
    const char *name, *other; /* without dashes */
    enum takes takes;
    enum meaning meaning;
};

static const struct row rows[] = {
    {"gpu-architecture", "arch", A_VALUE, ARCHITECTURE},
    {"define-macro", "D", A_VALUE, PASSED},
    {"undefine-macro", "U", A_VALUE, PASSED},
    {"include-path", "I", A_VALUE, FOLDER},
    {"pre-include", "include", A_VALUE, PASSED},
    {"std", NULL, A_VALUE, PASSED},
    {"use_fast_math", NULL, NOTHING, PASSED},
    {"ftz", NULL, A_CHOICE, PASSED},
    {"fmad", NULL, A_CHOICE, PASSED},
    {"disable-warnings", "w", NOTHING, PASSED},
    {"device-as-default-execution-space", "default-device", NOTHING, DEFAULT_DEVICE},
    {"prec-div", NULL, A_CHOICE, DROPPED},
    {"prec-sqrt", NULL, A_CHOICE, DROPPED},
    {"relocatable-device-code", "rdc", A_CHOICE, DROPPED},
    {"builtin-initializer-list", NULL, A_CHOICE, DROPPED},
    {"builtin-move-forward", NULL, A_CHOICE, DROPPED},
    {"device-int128", NULL, NOTHING, DROPPED},
    {"modify-stack-limit", NULL, A_CHOICE, DROPPED},
    {"dlink-time-opt", "dlto", NOTHING, DROPPED},
    {"device-c", "dc", NOTHING, DROPPED},
    {"device-w", "dw", NOTHING, DROPPED},
    {"device-debug", "G", NOTHING, DROPPED},
    {"generate-line-info", "lineinfo", NOTHING, DROPPED},
    {"extensible-whole-program", "ewp", NOTHING, DROPPED},
    {"extra-device-vectorization", NULL, NOTHING, DROPPED},
    {"restrict", NULL, NOTHING, DROPPED},
    {"minimal", NULL, NOTHING, DROPPED},
    {"no-source-include", NULL, NOTHING, DROPPED},
    {"no-cache", NULL, NOTHING, DROPPED},
    {"display-error-number", "err-no", NOTHING, DROPPED},
    {"no-display-error-number", "no-err-no", NOTHING, DROPPED},
    {"maxrregcount", NULL, A_VALUE, DROPPED},
    {"ptxas-options", "Xptxas", A_VALUE, DROPPED},
    {"dopt", NULL, A_VALUE, DROPPED},
    {"brief-diagnostics", "brief-diag", A_CHOICE, DROPPED},
    {"diag-error", NULL, A_VALUE, DROPPED},
    {"diag-suppress", NULL, A_VALUE, DROPPED},
    {"diag-warn", NULL, A_VALUE, DROPPED},
    {"split-compile", NULL, A_VALUE, DROPPED},
    {"time", NULL, A_VALUE, DROPPED},
    {"optimization-info", "opt-info", A_VALUE, DROPPED},
    {"jump-table-density", "jtd", A_VALUE, DROPPED},
    {"device-stack-protector", NULL, A_CHOICE, DROPPED},
    {"gen-opt-lto", NULL, NOTHING, DROPPED},
    {"frandom-seed", NULL, A_VALUE, DROPPED},
    {"fdevice-syntax-only", NULL, NOTHING, DROPPED},
    {"fdevice-time-trace", NULL, A_VALUE, DROPPED},
    {"Ofast-compile", "Ofc", A_VALUE, DROPPED},
    {"version-ident", "dQ", A_CHOICE, DROPPED},
    {"pch", NULL, NOTHING, DROPPED},
    {"create-pch", NULL, A_VALUE, DROPPED},
    {"use-pch", NULL, A_VALUE, DROPPED},
    {"pch-dir", NULL, A_VALUE, DROPPED},
    {"pch-verbose", NULL, A_CHOICE, DROPPED},
    {"pch-messages", NULL, A_CHOICE, DROPPED},
    {"instantiate-templates-in-pch", NULL, A_CHOICE, DROPPED},
};

/* Macros by which hexec's headers and programs know of options, if these have the value; NULL: none */
static const struct {
    const char *option, *value, *macro;
} macros[] = {
    {"builtin-initializer-list", "false", "__HEXEC_NO_LIST"},
    {"builtin-move-forward", "false", "__HEXEC_NO_MOVE"},
    {"device-int128", NULL, "__CUDACC_RTC_INT128__"},
};

/* ---- Text ---------------------------------------------------------------------------------------------- */

void growing_add(struct growing *text, const char *bytes, size_t count)
{
    if (text->failed)
        return;
    if (count >= text->room - text->length) { /* a zero stands behind */
        const size_t room = 2 * text->room + count + 64;
        char *grown = room > count ? realloc(text->at, room) : NULL;
        text->failed = !grown;
        if (!grown)
            return;
        text->at = grown;
        text->room = room;
    }
    memcpy(text->at + text->length, bytes, count);
    text->length += count;
    text->at[text->length] = '\0';
}

void growing_add_text(struct growing *text, const char *string)
{
    growing_add(text, string, strlen(string));
}

void growing_done(struct growing *text)
{
    free(text->at);
    *text = (struct growing){0};
}

/* A word for the compiler, in quotes as a shell has them. */
static void add_word(struct growing *words, const char *name, const char *value)
{
    growing_add_text(words, " '--");
    growing_add_text(words, name);
    growing_add_text(words, value ? "=" : "");
    for (const char *at = value ? value : ""; *at; at++)
        growing_add_text(words, *at == '\'' ? "'\\''" : (const char[]){*at, '\0'});
    growing_add_text(words, "'");
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

/* The row of a word; *ret_value is what stands in it behind the name, NULL: nothing. */
static const struct row *find(const char *word, const char **ret_value)
{
    const char *name = word + (word[0] == '-') + (word[0] == '-' && word[1] == '-');
    const size_t length = strcspn(name, "=");
    *ret_value = name[length] ? name + length + 1 : NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && name > word; i++)
        for (int other = 0; other < 2; other++) {
            const char *is = other ? rows[i].other : rows[i].name;
            if (is && strlen(is) == length && memcmp(is, name, length) == 0)
                return &rows[i];
        }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && name == word + 1; i++)
        if (rows[i].other && strlen(rows[i].other) == 1 && rows[i].takes == A_VALUE &&
            name[0] == rows[i].other[0]) { /* -DNAME=VALUE */
            *ret_value = name + 1;
            return &rows[i];
        }
    return NULL;
}

/* sm_80 or compute_80; there may be letters behind the number. */
static bool read_architecture(const char *value, struct nvrtc_options *options)
{
    const char *number = strchr(value, '_');
    const long is = number ? strtol(number + 1, NULL, 10) : 0;
    options->is_for_gpu = strncmp(value, "sm_", 3) == 0;
    return is >= 10 && (options->is_for_gpu || strncmp(value, "compute_", 8) == 0);
}

/* A folder of a CUDA toolkit is left out: hexec has headers of its own, which clang 14 can read. */
static bool is_of_toolkit(const char *folder)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/cuda_fp16.h", folder);
    return length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0;
}

/* False: the value is wrong. */
static bool take(const struct row *row, const char *value, struct nvrtc_options *options)
{
    if (row->takes == A_CHOICE && value && strcmp(value, "false") != 0 && strcmp(value, "true") != 0)
        return false;
    if (row->meaning == ARCHITECTURE && !read_architecture(value, options))
        return false;
    options->default_device |= row->meaning == DEFAULT_DEVICE;
    const bool is_passed = row->meaning == PASSED || row->meaning == ARCHITECTURE ||
                           (row->meaning == FOLDER && !is_of_toolkit(value));
    if (is_passed)
        add_word(&options->words, row->name, value);
    for (size_t i = 0; i < sizeof macros / sizeof macros[0]; i++)
        if (strcmp(macros[i].option, row->name) == 0 &&
            (macros[i].value ? value && strcmp(macros[i].value, value) == 0 : !value))
            add_word(&options->words, "define-macro", macros[i].macro);
    return true;
}

nvrtcResult nvrtc_options_read(int count, const char *const *options, struct growing *log,
                               struct nvrtc_options *ret_options)
{
    *ret_options = (struct nvrtc_options){0};
    for (int i = 0; i < count; i++) {
        const char *value = NULL, *word = options[i] ? options[i] : "";
        const struct row *row = find(word, &value);
        const char *why = !row ? "there is no such option" : NULL;
        if (row && row->takes == A_VALUE && !value)
            value = ++i < count ? options[i] : NULL;
        if (row && (row->takes == A_VALUE) != (value != NULL) && row->takes != A_CHOICE)
            why = value ? "the option takes no value" : "a value is missing";
        else if (row && !take(row, value, ret_options))
            why = "no such value";
        if (!why)
            continue;
        growing_add_text(log, "hexec: option '");
        growing_add_text(log, word);
        growing_add_text(log, "': ");
        growing_add_text(log, why);
        growing_add_text(log, "\n");
        return log->failed ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_ERROR_INVALID_OPTION;
    }
    return ret_options->words.failed ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_SUCCESS;
}
