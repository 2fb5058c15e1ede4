/* Options of nvcc, and the words of clang that they become, so that a program is compiled with the options
 * that its build gives nvcc. An option has one dash or two, whichever name it is. */
#include "compiler/parts.h"

#include <stdlib.h>
#include <string.h>

/* What clang 14 knows, from where on warps go on thread by thread, as hexec's do. */
#define OLDEST_GPU 70
#define NEWEST_GPU 86

enum takes { NOTHING, A_VALUE, A_CHOICE };

enum meaning { DROPPED, WORDS, PREFIX, PAIR, ARCHITECTURE };

struct option {
    const char *name, *other;
    enum takes takes;
    enum meaning meaning;
    const char *words,
        *words_if_false; /* of clang; or what stands before the value, or is a word before it */
};

static const struct option options[] = {
#define OPTION(...) {__VA_ARGS__},
#include "compiler/nvcc.def"
#undef OPTION
};

static bool is_named(const char *name, size_t length, const char *option)
{
    return option && strlen(option) == length && memcmp(option, name, length) == 0;
}

/* The option of a word; *ret_value is what stands in the word behind '=', NULL: nothing. */
static const struct option *find(const char *word, const char **ret_value)
{
    const char *name = word + (word[0] == '-') + (word[0] == '-' && word[1] == '-');
    const size_t length = strcspn(name, "=");
    *ret_value = name[length] ? name + length + 1 : NULL;
    for (size_t i = 0; i < HX_COUNT_OF(options) && name > word; i++)
        if (is_named(name, length, options[i].name) || is_named(name, length, options[i].other))
            return &options[i];
    return NULL;
}

/* sm_80, compute_90a, or arch=compute_80,code=sm_80: clang takes one, and the last that is given counts.
 * Words without a number, such as native, leave it as it is. */
static void add_architecture(const char *value, struct compiler_words *words)
{
    const char *number = strchr(value, '_');
    const long is = number ? strtol(number + 1, NULL, 10) : 0;
    if (is < 10)
        return;
    compiler_word(words, "--no-cuda-gpu-arch=all");
    compiler_word(words, "--cuda-gpu-arch=sm_%ld",
                  is < OLDEST_GPU   ? OLDEST_GPU
                  : is > NEWEST_GPU ? NEWEST_GPU
                                    : is);
}

static bool is_architecture(const char *value)
{
    static const char *const beginnings[] = {"sm_", "compute_", "lto_", "arch=", "native", "all", NULL};
    for (const char *const *one = beginnings; *one; one++)
        if (strncmp(value, *one, strlen(*one)) == 0)
            return true;
    return false;
}

static bool is_choice(const char *value)
{
    return strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
}

static void add_each(const char *list, struct compiler_words *words)
{
    for (size_t length; list && *list; list += length + (list[length] == ' ')) {
        length = strcspn(list, " ");
        compiler_word(words, "%.*s", (int)length, list);
    }
}

size_t compiler_nvcc_option(const char *const *given, size_t count, struct compiler_words *words)
{
    const char *value = NULL;
    const struct option *option = find(given[0], &value);
    size_t taken = 1;
    if (!option || (option->takes == NOTHING && value))
        return 0;
    if (option->takes == A_VALUE && !value) {
        if (count < 2)
            return 0;
        value = given[1];
        taken = 2;
    }
    if (option->takes == A_CHOICE && !value && count > 1 && is_choice(given[1])) {
        value = given[1];
        taken = 2;
    }
    if (option->meaning == ARCHITECTURE && !is_architecture(value))
        return 0;
    const bool is_false = option->takes == A_CHOICE && value && strcmp(value, "false") == 0;
    if (option->takes == A_CHOICE && value && !is_choice(value))
        return 0;
    if (option->meaning == ARCHITECTURE)
        add_architecture(value, words);
    else if (option->meaning == PREFIX)
        compiler_word(words, "%s%s", option->words, value);
    else if (option->meaning == PAIR)
        compiler_word(words, "%s", option->words), compiler_word(words, "%s", value);
    else if (option->meaning == WORDS)
        add_each(is_false ? option->words_if_false : option->words, words);
    return taken;
}
