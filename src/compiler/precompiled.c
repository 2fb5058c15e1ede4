/* What stands before each program, precompiled.
 *
 * clang takes longer to read it, and the headers that it includes, than to compile most programs: 35 of 80 ms
 * in OpenCL C, 170 of 250 in CUDA C. A precompiled header (Clang, "Precompiled Header and Modules Internals")
 * is read where a program needs it, and of a library of bitcode that is linked to the program only those
 * functions are loaded that it calls. Both are kept in the cache for each set of options, without those that
 * are about the program alone: macros are text behind the prelude (options.c), and the folders of headers are
 * not the prelude's. Its macros, as text, stand in its place where a program is only preprocessed, for which
 * clang takes no precompiled header. */
#include "base/crc32.h"
#include "base/disk_cache.h"
#include "compiler/parts.h"

#include <stdio.h>
#include <string.h>

/* Debuggers and checkers compile a program as it is written, and seldom: for them it is not worth the proof
 * that positions and variables stay the same. */
static bool is_wanted(const struct compiler_job *job)
{
    return !job->no_cache && !job->for_debugging && !job->check_indexes && disk_cache_is_on();
}

/* Is it about the program's folders? `ret_takes_next`: so is the word behind it. */
static bool is_folder(const char *word, bool *ret_takes_next)
{
    static const char *const words[] = {"-I", "-iquote", "-isystem", "-working-directory="};
    *ret_takes_next = false;
    for (size_t i = 0; i < HX_COUNT_OF(words); i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(word, words[i], length) == 0) {
            *ret_takes_next = word[length] == '\0' && i < 3;
            return true;
        }
    }
    return false;
}

static void make_key(const struct compiling *compiling, struct text *key)
{
    const struct compiler_words *words = &compiling->words;
    const char *folder = compiler_folder(compiling->job->language);
    bool takes_next = false;
    compiler_print_tools(compiling, key);
    for (size_t i = 0; i < words->list.count; i++) {
        if (is_folder(words->list.items[i], &takes_next))
            i += takes_next;
        else
            text_print(key, "%s\n", words->list.items[i]);
    }
    for (const struct compiler_file *file = compiler_files; file->name; file++)
        if (strncmp(file->name, folder, strlen(folder)) == 0)
            text_print(key, "%s %zu %08x\n", file->name, *file->bytes,
                       (unsigned)crc32_of(file->text, *file->bytes));
}

hx_status compiler_run_precompiled(struct compiling *compiling, struct slice input, const char *const *last,
                                   struct process_result *ret_result)
{
    struct compiler_words *words = &compiling->words;
    const size_t count = words->list.count, files = compiling->files.count;
    const struct slice header = {compiling->prelude.at, compiling->prelude.length};
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%zu", compiler_input_add_file(compiling, header));
    compiler_front_word(words, "-include-pch");
    compiler_front_word(words, path);
    const hx_status status =
        compiling->overlay.failed ? HX_NO_MEMORY : compiler_run_clang(compiling, input, last, ret_result);
    words->list.count = count;
    compiling->files.count = files;
    return status;
}

/* The files' times are no part of it: they are others in each process. */
static hx_status make_prelude(struct compiling *compiling, struct process_result *ret_result)
{
    static const char *const last[] = {"-S",  "-Xclang", "-emit-pch", "-Xclang", "-fno-pch-timestamp",
                                       "-o-", "-",       NULL};
    return compiler_run_clang(compiling, (struct slice){compiling->input.at, compiling->prelude_bytes}, last,
                              ret_result);
}

static hx_status make_functions(struct compiling *compiling, struct process_result *ret_result)
{
    static const char *const last[] = {"-c",  "-emit-llvm", "-Xclang", "-disable-llvm-passes",
                                       "-o-", "-",          NULL};
    struct text input HX_AUTO(text_done) = {.allocator = compiling->allocator};
    text_print(&input, "#define __hexec_is_library 1\n");
    text_append(&input, compiling->input.at + compiling->prelude_bytes, compiling->functions_bytes);
    return input.failed ? HX_NO_MEMORY
                        : compiler_run_precompiled(compiling, (struct slice){input.at, input.length}, last,
                                                   ret_result);
}

typedef hx_status make_function(struct compiling *compiling, struct process_result *ret_result);

/* Bytes of the cache, or made and put there. They begin with `magic`; empty: clang could not make them. */
static hx_status get(struct compiling *compiling, const char *kind, struct slice key, const char *magic,
                     make_function *make, struct text *ret_bytes)
{
    struct process_result result HX_AUTO(process_result_done) = {0};
    if (disk_cache_get(kind, key, ret_bytes))
        return HX_OK;
    const hx_status status = make(compiling, &result);
    if (status != HX_OK || result.end != PROCESS_EXITED || result.code != 0 || result.output.length < 4 ||
        memcmp(result.output.at, magic, 4) != 0)
        return status;
    const struct slice bytes = {result.output.at, result.output.length};
    text_append(ret_bytes, bytes.at, bytes.length);
    disk_cache_put(kind, key, bytes, compiling->allocator);
    return ret_bytes->failed ? HX_NO_MEMORY : HX_OK;
}

static hx_status make_macros(struct compiling *compiling, struct process_result *ret_result)
{
    static const char *const last[] = {"-E", "-dM", "-o-", "-", NULL};
    const size_t bytes = compiling->prelude_bytes + compiling->functions_bytes;
    return compiler_run_clang(compiling, (struct slice){compiling->input.at, bytes}, last, ret_result);
}

hx_status compiler_preprocess(struct compiling *compiling, struct process_result *ret_result)
{
    static const char *const last[] = {"-E", "-o-", "-", NULL};
    struct text key HX_AUTO(text_done) = {.allocator = compiling->allocator};
    struct text input HX_AUTO(text_done) = {.allocator = compiling->allocator};
    const struct slice whole = {compiling->input.at, compiling->input.length};
    const size_t before = compiling->prelude_bytes + compiling->functions_bytes;
    if (!compiling->is_precompiled)
        return compiler_run_clang(compiling, whole, last, ret_result);
    make_key(compiling, &key);
    text_print(&input, "# 1 \"" HEADERS_AT "\" 3\n");
    const size_t head = input.length;
    const hx_status status = key.failed ? HX_NO_MEMORY
                                        : get(compiling, "macros", (struct slice){key.at, key.length}, "#def",
                                              make_macros, &input);
    const bool has_macros = input.length > head;
    text_append(&input, whole.at + before, whole.length - before);
    if (status != HX_OK || input.failed)
        return HX_NO_MEMORY;
    return compiler_run_clang(compiling, has_macros ? (struct slice){input.at, input.length} : whole, last,
                              ret_result);
}

hx_status compiler_precompile(struct compiling *compiling)
{
    struct text key HX_AUTO(text_done) = {.allocator = compiling->allocator};
    const bool has_functions = compiling->functions_bytes > 0;
    if (!is_wanted(compiling->job))
        return HX_OK;
    make_key(compiling, &key);
    const struct slice key_bytes = {key.at, key.length};
    hx_status status = key.failed
                           ? HX_NO_MEMORY
                           : get(compiling, "prelude", key_bytes, "CPCH", make_prelude, &compiling->prelude);
    if (status == HX_OK && compiling->prelude.length > 0 && has_functions)
        status = get(compiling, "functions", key_bytes, "BC\xc0\xde", make_functions, &compiling->functions);
    compiling->is_precompiled =
        compiling->prelude.length > 0 && (compiling->functions.length > 0 || !has_functions);
    return status;
}
