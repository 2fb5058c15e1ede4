/* Options of NVRTC, and the words of clang that they become.
 *
 * An option is --long-name or -short, with its value behind '=' or in the next word; -D, -U and -I also have
 * it behind the letter. What says how a GPU's code is made or shown, and changes nothing here, is dropped. */
#include "devices/nvrtc/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What clang 14 knows, from where on warps go on thread by thread, as hexec's do. */
#define OLDEST_GPU 70
#define NEWEST_GPU 86

enum takes { NOTHING, A_VALUE, A_CHOICE }; /* a choice is true or false, and may be left out: true */

enum meaning { DROPPED, WORD, PREFIX, ARCHITECTURE, FOLDER, DEFAULT_DEVICE };

struct row {
    const char *name, *other; /* without dashes */
    enum takes takes;
    enum meaning meaning;
    const char *word, *word_if_false; /* of clang: of a choice, or what stands before the value */
};

static const struct row rows[] = {
    {"gpu-architecture", "arch", A_VALUE, ARCHITECTURE, NULL, NULL},
    {"define-macro", "D", A_VALUE, PREFIX, "-D", NULL},
    {"undefine-macro", "U", A_VALUE, PREFIX, "-U", NULL},
    {"include-path", "I", A_VALUE, FOLDER, "-I", NULL},
    {"pre-include", "include", A_VALUE, PREFIX, "-include", NULL},
    {"std", NULL, A_VALUE, PREFIX, "-std=", NULL},
    {"use_fast_math", NULL, NOTHING, WORD, "-fcuda-flush-denormals-to-zero -fcuda-approx-transcendentals",
     NULL},
    {"ftz", NULL, A_CHOICE, WORD, "-fcuda-flush-denormals-to-zero", NULL},
    {"fmad", NULL, A_CHOICE, WORD, "-ffp-contract=fast", "-ffp-contract=off"},
    {"disable-warnings", "w", NOTHING, WORD, "-w", NULL},
    {"device-as-default-execution-space", "default-device", NOTHING, DEFAULT_DEVICE, NULL, NULL},
    {"prec-div", NULL, A_CHOICE, DROPPED, NULL, NULL},
    {"prec-sqrt", NULL, A_CHOICE, DROPPED, NULL, NULL},
    {"relocatable-device-code", "rdc", A_CHOICE, DROPPED, NULL, NULL},
    {"builtin-initializer-list", NULL, A_CHOICE, DROPPED, NULL, NULL},
    {"builtin-move-forward", NULL, A_CHOICE, DROPPED, NULL, NULL},
    {"modify-stack-limit", NULL, A_CHOICE, DROPPED, NULL, NULL},
    {"dlink-time-opt", "dlto", NOTHING, DROPPED, NULL, NULL},
    {"device-c", "dc", NOTHING, DROPPED, NULL, NULL},
    {"device-w", "dw", NOTHING, DROPPED, NULL, NULL},
    {"device-debug", "G", NOTHING, DROPPED, NULL, NULL},
    {"generate-line-info", "lineinfo", NOTHING, DROPPED, NULL, NULL},
    {"extensible-whole-program", "ewp", NOTHING, DROPPED, NULL, NULL},
    {"extra-device-vectorization", NULL, NOTHING, DROPPED, NULL, NULL},
    {"restrict", NULL, NOTHING, DROPPED, NULL, NULL},
    {"minimal", NULL, NOTHING, DROPPED, NULL, NULL},
    {"no-source-include", NULL, NOTHING, DROPPED, NULL, NULL},
    {"no-cache", NULL, NOTHING, DROPPED, NULL, NULL},
    {"display-error-number", "err-no", NOTHING, DROPPED, NULL, NULL},
    {"no-display-error-number", "no-err-no", NOTHING, DROPPED, NULL, NULL},
    {"maxrregcount", NULL, A_VALUE, DROPPED, NULL, NULL},
    {"ptxas-options", "Xptxas", A_VALUE, DROPPED, NULL, NULL},
    {"dopt", NULL, A_VALUE, DROPPED, NULL, NULL},
    {"brief-diagnostics", "brief-diag", A_CHOICE, DROPPED, NULL, NULL},
    {"diag-error", NULL, A_VALUE, DROPPED, NULL, NULL},
    {"diag-suppress", NULL, A_VALUE, DROPPED, NULL, NULL},
    {"diag-warn", NULL, A_VALUE, DROPPED, NULL, NULL},
    {"split-compile", NULL, A_VALUE, DROPPED, NULL, NULL},
    {"time", NULL, A_VALUE, DROPPED, NULL, NULL},
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

/* A word of clang, in quotes as a shell has them. */
static void add_word(struct growing *words, const char *prefix, const char *value)
{
    growing_add_text(words, " '");
    growing_add_text(words, prefix);
    for (const char *at = value; *at; at++)
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
    if (is < 10 || (!options->is_for_gpu && strncmp(value, "compute_", 8) != 0))
        return false;
    char word[32];
    snprintf(word, sizeof word, "--cuda-gpu-arch=sm_%ld",
             is < OLDEST_GPU   ? OLDEST_GPU
             : is > NEWEST_GPU ? NEWEST_GPU
                               : is);
    add_word(&options->words, word, "");
    return true;
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
    const bool is_false = row->takes == A_CHOICE && value && strcmp(value, "false") == 0;
    const char *word = is_false ? row->word_if_false : row->word;
    if (row->takes == A_CHOICE && value && !is_false && strcmp(value, "true") != 0)
        return false;
    switch (row->meaning) {
    case DROPPED:
        break;
    case WORD:
        if (word) {
            growing_add_text(&options->words, " ");
            growing_add_text(&options->words, word);
        }
        break;
    case PREFIX:
        if (strcmp(word, "-include") == 0) /* its value is a word of its own */
            growing_add_text(&options->words, " -include");
        add_word(&options->words, strcmp(word, "-include") == 0 ? "" : word, value);
        break;
    case ARCHITECTURE:
        return read_architecture(value, options);
    case FOLDER:
        if (!is_of_toolkit(value))
            add_word(&options->words, word, value);
        break;
    case DEFAULT_DEVICE:
        options->default_device = true;
        break;
    }
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
