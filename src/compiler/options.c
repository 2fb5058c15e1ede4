/* The words of a command line. */
#include "compiler/parts.h"

void compiler_word(struct compiler_words *words, const char *format, ...)
{
    struct text text HX_AUTO(text_done) = {.allocator = words->arena->allocator};
    va_list arguments;
    va_start(arguments, format);
    text_print_list(&text, format, arguments);
    va_end(arguments);
    const char *kept = text.failed ? NULL : arena_copy(words->arena, text.at ? text.at : "", text.length);
    if (!kept || !LIST_PUSH(words->arena->allocator, &words->list, kept))
        words->failed = true;
}

void compiler_front_word(struct compiler_words *words, const char *word)
{
    compiler_word(words, "-Xclang");
    compiler_word(words, "%s", word);
}

/* --- what a document may ask of clang ------------------------------------------------------------------- */

static bool begins_with_one_of(const char *word, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (strncmp(word, *beginnings, strlen(*beginnings)) == 0)
            return true;
    return false;
}

/* Options may say how a program is compiled. They may not write files, load code into clang, or name other
 * programs, since the author of a document need not be who runs it. */
static bool is_allowed(const char *word)
{
    static const char *const allowed[] = {"-D",
                                          "-U",
                                          "-I",
                                          "-isystem",
                                          "-iquote",
                                          "-include",
                                          "-O",
                                          "-W",
                                          "-w",
                                          "-pedantic",
                                          "-std=",
                                          "-cl-",
                                          "-f",
                                          "-g",
                                          "--cuda-gpu-arch=",
                                          "--offload-arch=",
                                          "-m",
                                          NULL};
    static const char *const refused[] = {
        "-fplugin",      "-fpass-plugin", "-ftime-trace", "-fsave-",   "-fmodule",
        "-fprofile",     "-fdiagnostics", "-fcoverage",   "-mllvm",    "-Wl,",
        "-Wa,",          "-Wp,",          "-fcrash",      "-gsplit",   "-foptimization-record",
        "-fstack-usage", "-fproc-stat",   "-fdump",       "-fthinlto", NULL};
    return begins_with_one_of(word, allowed) && !begins_with_one_of(word, refused);
}

/* -D NAME: the word behind these belongs to them. */
static bool takes_next(const char *word)
{
    static const char *const words[] = {"-D", "-U", "-I", "-isystem", "-iquote", "-include"};
    for (size_t i = 0; i < HX_COUNT_OF(words); i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

/* Up to clang 16 the back end for PTX calls memset where size counts more than speed, and there is none.
 * OpenCL C 1.2 has all of 1.0 and 1.1, and static functions, which the prelude needs. Programs that do
 * without the progress of sub-groups have it, too, and get an option that clang is given anyway. */
static const char *word_that_compiles(const char *word)
{
    if (strcmp(word, "-Os") == 0 || strcmp(word, "-Oz") == 0)
        return "-O2";
    if (strcmp(word, "-cl-no-subgroup-ifp") == 0)
        return "-Wno-linker-warnings";
    return strcmp(word, "-cl-std=CL1.0") == 0 || strcmp(word, "-cl-std=CL1.1") == 0 ? "-cl-std=CL1.2" : word;
}

/* Where the word is that begins `offset` bytes behind the options' begin: in a line that has them as they
 * are, or with a quote before them. */
static struct place place_of(const struct compiler_job *job, const char *word, size_t offset)
{
    struct place place = job->options_place;
    const size_t length = strlen(word);
    if (!place.source || place.line == 0)
        return place;
    const struct slice line = source_line(place.source, place.line);
    for (size_t quote = 0; quote < 2; quote++) {
        const size_t at = (size_t)place.column - 1 + offset + quote;
        if (at + length > line.length || memcmp(line.at + at, word, length) != 0)
            continue;
        place.column = (int)(at + 1);
        place.length = (int)length;
        return place;
    }
    return place;
}

/* Checks the words from `first` on, and puts those of clang in their places. */
static hx_status check(const struct compiler_job *job, struct compiler_words *words, const size_t *offsets,
                       size_t first, hx_diag *diag)
{
    const size_t count = words->list.count - first;
    const char **given = ARENA_ARRAY(words->arena, const char *, count + 1);
    if (!given)
        return HX_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        given[i] = words->list.items[first + i];
    words->list.count = first;
    for (size_t i = 0, taken; i < count; i += taken) {
        const char *word = given[i];
        taken = job->language == COMPILER_CUDA ? compiler_nvcc_option(&given[i], count - i, words) : 0;
        if (taken > 0)
            continue;
        if (!is_allowed(word))
            return diag_report(diag, DIAG_COMPILER_OPTIONS, place_of(job, word, offsets[i]),
                               "-D, -U, -I, -include, -O, -W, -f, -m, -g, -std=, -cl-..., --cuda-gpu-arch=",
                               "'%s' is no option that says how the program is compiled", word);
        taken = takes_next(word) && i + 1 < count ? 2 : 1;
        if (strncmp(word, "--", 2) == 0) /* an architecture: clang takes one */
            compiler_word(words, "--no-cuda-gpu-arch=all");
        compiler_word(words, "%s", word_that_compiles(word));
        if (taken == 2)
            compiler_word(words, "%s", given[i + 1]);
    }
    return words->failed ? HX_NO_MEMORY : HX_OK;
}

/* Splits the options; `offsets` has room for where each word begins. */
static hx_status split(const struct compiler_job *job, hx_diag *diag, struct compiler_words *words,
                       size_t *offsets)
{
    struct text word HX_AUTO(text_done) = {.allocator = words->arena->allocator};
    const size_t first = words->list.count;
    bool is_word = false;
    char quote = 0;
    size_t begun = 0;
    for (const char *at = job->options; *at; at++) {
        if (!is_word)
            offsets[begun] = (size_t)(at - job->options);
        if (*at == quote) {
            quote = 0;
        } else if (!quote && (*at == '\'' || *at == '"')) {
            quote = *at;
            is_word = true;
        } else if (!quote && (text_is_blank(*at) || *at == '\n' || *at == '\r')) {
            if (is_word)
                compiler_word(words, "%s", word.at ? word.at : "");
            begun += is_word;
            text_done(&word);
            word = (struct text){.allocator = words->arena->allocator};
            is_word = false;
        } else {
            at += *at == '\\' && at[1] && quote != '\'';
            text_append(&word, at, 1);
            is_word = true;
        }
    }
    if (quote)
        return diag_report(diag, DIAG_COMPILER_OPTIONS, job->options_place, "close it",
                           "a quote, %c, is not closed in the compiler's options", quote);
    if (is_word)
        compiler_word(words, "%s", word.at ? word.at : "");
    return words->failed || word.failed ? HX_NO_MEMORY : check(job, words, offsets, first, diag);
}

hx_status compiler_options_split(const struct compiler_job *job, hx_diag *diag, struct compiler_words *words)
{
    if (!job->options)
        return words->failed ? HX_NO_MEMORY : HX_OK;
    size_t *offsets = ARENA_ARRAY(words->arena, size_t, strlen(job->options) + 1);
    return offsets ? split(job, diag, words, offsets) : HX_NO_MEMORY;
}

/* --- macros --------------------------------------------------------------------------------------------- */

/* A name that the prelude, or a header that it includes, may depend on: it stays an option. In CUDA C these
 * are the C library's headers, too. */
static bool is_for_prelude(const char *name, enum compiler_language language)
{
    if (language == COMPILER_OPENCL)
        return strncmp(name, "__opencl_c_", 11) == 0;
    return name[0] == '_' || strncmp(name, "NDEBUG", 6) == 0;
}

/* "NAME=VALUE" or "NAME", which is 1, up to the end of the line; NAME may have parameters. */
static void print_definition(const char *macro, struct text *text)
{
    const size_t length = strcspn(macro, "\r\n");
    const char *equal = memchr(macro, '=', length);
    const size_t name = equal ? (size_t)(equal - macro) : length;
    text_print(text, "#define %.*s %.*s\n", (int)name, macro, equal ? (int)(length - name - 1) : 1,
               equal ? equal + 1 : "1");
}

void compiler_options_take_macros(struct compiler_words *words, size_t first, enum compiler_language language,
                                  struct text *ret_text)
{
    static const char *const kinds[] = {"-D", "-U", "-include"};
    struct text files HX_AUTO(text_done) = {.allocator = words->arena->allocator};
    const char **items = words->list.items;
    size_t kept = first;
    for (size_t i = first; i < words->list.count; i++) {
        const char *word = items[i], *value = NULL;
        const bool is_alone = takes_next(word) && i + 1 < words->list.count;
        size_t kind = 0;
        while (kind < HX_COUNT_OF(kinds) && strncmp(word, kinds[kind], strlen(kinds[kind])) != 0)
            kind++;
        if (kind < HX_COUNT_OF(kinds))
            value = is_alone ? items[i + 1] : word + strlen(kinds[kind]);
        const bool is_taken = value && value[0] && (kind == 2 ? is_alone : !is_for_prelude(value, language));
        if (is_taken && kind == 0)
            print_definition(value, ret_text);
        else if (is_taken && kind == 1)
            text_print(ret_text, "#undef %.*s\n", (int)strcspn(value, "\r\n"), value);
        else if (is_taken)
            text_print(&files, "#include \"%s\"\n", value); /* behind all macros */
        for (size_t j = 0; !is_taken && j <= is_alone; j++)
            items[kept++] = items[i + j];
        i += is_alone;
    }
    words->list.count = kept;
    text_append(ret_text, files.at ? files.at : "", files.length);
    ret_text->failed |= files.failed;
}
