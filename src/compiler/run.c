/* Running clang.
 *
 * It reads the program from its standard input and writes PTX to its standard output. What is added to the
 * program stands before it, and a line marker (GNU cpp, "Preprocessor Output") keeps its positions. Headers
 * are given as open files, which a table for clang (-ivfsoverlay) shows as a folder, so nothing is written to
 * the disk. */
#include "base/crc32.h"
#include "base/disk_cache.h"
#include "base/process.h"
#include "compiler/parts.h"
#include "ptx/ptx.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LIMIT_NS   (120 * 1000000000ull)
#define HEADERS_AT "/hexec/include"

/* One compilation. */
struct compiling {
    const struct compiler_job *job;
    const hx_allocator *allocator;
    hx_diag *diag;
    struct arena arena;
    struct compiler_tools tools;
    struct compiler_words words;
    struct text input, overlay;
    LIST(struct slice) files;
};

static const char *folder_of(enum compiler_language language)
{
    return language == COMPILER_CUDA ? "cuda/" : "opencl/";
}

/* --- what clang reads ----------------------------------------------------------------------------------- */

/* The language's prelude, and then the program. The prelude is marked as a system header (3): -Wall is about
 * the program. */
static void write_input(struct compiling *compiling)
{
    const struct compiler_job *job = compiling->job;
    struct text *input = &compiling->input;
    text_print(input, "# 1 \"" HEADERS_AT "/prelude\" 3\n");
    for (const struct compiler_file *file = compiler_files; file->name; file++) {
        const char *folder = folder_of(job->language);
        if (strncmp(file->name, folder, strlen(folder)) == 0 &&
            strncmp(file->name + strlen(folder), "prelude", 7) == 0)
            text_append(input, file->text, *file->bytes);
    }
    text_print(input, "\n# 1 ");
    text_print_json_string(input, job->source->name, strlen(job->source->name));
    text_append(input, "\n", 1);
    text_append(input, job->source->text, job->source->bytes);
}

/* A table in YAML (JSON is YAML, too) that shows the headers as a folder. */
static void write_overlay(struct compiling *compiling)
{
    const char *folder = folder_of(compiling->job->language);
    struct text *overlay = &compiling->overlay;
    text_print(overlay, "{\"version\":0,\"roots\":[{\"name\":\"" HEADERS_AT
                        "\",\"type\":\"directory\",\"contents\":[");
    for (const struct compiler_file *file = compiler_files; file->name; file++) {
        if (strncmp(file->name, folder, strlen(folder)) != 0 ||
            compiling->files.count + 1 >= PROCESS_FILES_MAX)
            continue;
        text_print(overlay, "%s{\"type\":\"file\",\"name\":", compiling->files.count ? "," : "");
        text_print_json_string(overlay, file->name + strlen(folder), strlen(file->name) - strlen(folder));
        text_print(overlay, ",\"external-contents\":\"/proc/self/fd/%zu\"}",
                   PROCESS_FIRST_FILE + compiling->files.count);
        if (!LIST_PUSH(compiling->allocator, &compiling->files, ((struct slice){file->text, *file->bytes})))
            overlay->failed = true;
    }
    text_print(overlay, "]}]}");
}

static bool has_option(const struct compiling *compiling, const char *part)
{
    return compiling->job->options && strstr(compiling->job->options, part);
}

static void add_language(struct compiling *compiling)
{
    struct compiler_words *words = &compiling->words;
    if (compiling->job->language == COMPILER_CUDA) {
        compiler_word(words, "-xcuda");
        compiler_word(words, "--cuda-device-only");
        compiler_word(words, "-nocudainc");
        compiler_word(words, "-nocudalib");
        compiler_word(words, "-Wno-unknown-cuda-version");
        /* what nvcc takes, and gcc behind it: "%"PRIu64 in old programs, and narrower values in braces */
        compiler_word(words, "-Wno-reserved-user-defined-literal");
        compiler_word(words, "-Wno-c++11-narrowing");
        if (!has_option(compiling, "-arch="))
            compiler_word(words, "--cuda-gpu-arch=sm_70");
        if (!has_option(compiling, "-std="))
            compiler_word(words, "-std=c++17"); /* as nvcc does */
        return;
    }
    compiler_word(words, "-xcl");
    compiler_word(words, "-target");
    compiler_word(words, "nvptx64-unknown-nvcl");
    if (!has_option(compiling, "-march="))
        compiler_word(words, "-march=sm_70");
    /* What clang does not know of hexec: extensions and, of OpenCL C 3.0, features. The prelude has the
     * macros of those that only clang's functions need. */
    static const char *const extensions =
        "-cl-ext=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_fp16,+cl_khr_subgroups,"
        "+__opencl_c_subgroups,+__opencl_c_generic_address_space,+__opencl_c_program_scope_global_variables,"
        "+__opencl_c_atomic_order_acq_rel,+__opencl_c_atomic_order_seq_cst";
    const char *const for_front[] = {"-finclude-default-header", extensions, "-mlink-builtin-bitcode",
                                     compiling->tools.libclc.at};
    for (size_t i = 0; i < HX_COUNT_OF(for_front); i++) {
        compiler_word(words, "-Xclang");
        compiler_word(words, "%s", for_front[i]);
    }
    compiler_word(words, "-D__opencl_c_atomic_scope_device=1"); /* clang's header needs it */
    compiler_word(words, "-D__opencl_c_atomic_scope_all_devices=1");
    /* drivers of OpenCL have a body for each inline function, as C had before 1999 */
    if (!has_option(compiling, "-cl-std=clc++") && !has_option(compiling, "-cl-std=CLC++"))
        compiler_word(words, "-fgnu89-inline");
    compiler_word(words, "-Wno-linker-warnings"); /* of libclc's triple, nvidiacl in the place of nvcl */
}

static hx_status add_words(struct compiling *compiling)
{
    /* DWARF 2, as for CUDA C: with a later one clang 14 crashes on some calls of inline functions. */
    static const char *const at_first[] = {"-O2", "-gdwarf-2", "-gline-tables-only"};
    /* What messages.c reads, whatever the options before say. */
    static const char *const at_last[] = {"-fno-caret-diagnostics", "-fno-color-diagnostics",
                                          "-fno-crash-diagnostics", "-fshow-column",
                                          "-fshow-source-location", "-fmessage-length=0"};
    const struct compiler_job *job = compiling->job;
    struct compiler_words *words = &compiling->words;
    compiler_word(words, "%s", compiling->tools.clang.at);
    add_language(compiling);
    for (size_t i = 0; i < HX_COUNT_OF(at_first); i++)
        compiler_word(words, "%s", at_first[i]);
    const hx_status status = compiler_options_split(job, compiling->diag, words);
    if (status != HX_OK)
        return status;
    for (size_t i = 0; i < HX_COUNT_OF(at_last); i++)
        compiler_word(words, "%s", at_last[i]);
    const char *directory = job->directory ? job->directory : ".";
    char whole[PATH_MAX];
    if (job->options_directory) { /* which clang takes all paths to be relative to */
        compiler_word(words, "-working-directory=%s", job->options_directory);
        directory = realpath(directory, whole) ? whole : directory;
    }
    compiler_word(words, "-iquote%s", directory);
    compiler_word(words, "-I%s", directory);
    compiler_word(words, "-isystem" HEADERS_AT);
    compiler_word(words, "-ivfsoverlay/proc/self/fd/%zu", PROCESS_FIRST_FILE + compiling->files.count);
    return words->failed ? HX_NO_MEMORY : HX_OK;
}

/* --- running it ----------------------------------------------------------------------------------------- */

/* Runs clang with the words and `last`, whose words are taken away again. */
static hx_status run(struct compiling *compiling, const char *const *last, struct process_result *ret_result)
{
    struct compiler_words *words = &compiling->words;
    const size_t count = words->list.count, files = compiling->files.count;
    *ret_result = (struct process_result){0};
    for (const char *const *word = last; *word; word++)
        compiler_word(words, "%s", *word);
    if (words->failed || !LIST_PUSH(compiling->allocator, &words->list, NULL) ||
        !LIST_PUSH(compiling->allocator, &compiling->files,
                   ((struct slice){compiling->overlay.at, compiling->overlay.length})))
        return HX_NO_MEMORY;
    const struct process process = {.arguments = words->list.items,
                                    .input = {compiling->input.at, compiling->input.length},
                                    .files = compiling->files.items,
                                    .file_count = compiling->files.count,
                                    .limit_ns = LIMIT_NS};
    const hx_status status = process_run(&process, compiling->allocator, ret_result);
    words->list.count = count;
    compiling->files.count = files;
    return status;
}

/* What clang is, what it is called with, and all that it reads: a program that includes no file is read as it
 * is, others as they are behind the preprocessor. False: there is no key. */
static bool make_key(struct compiling *compiling, struct text *key)
{
    struct stat is;
    const struct slice source = {compiling->job->source->text, compiling->job->source->bytes};
    const struct compiler_words *words = &compiling->words;
    for (int i = 0; i < 2; i++) {
        const char *path = i ? compiling->tools.libclc.at : compiling->tools.clang.at;
        if (path[0] && stat(path, &is) == 0)
            text_print(key, "%s %lld %lld\n", path, (long long)is.st_size, (long long)is.st_mtime);
    }
    for (size_t i = 0; i < words->list.count; i++)
        text_print(key, "%s\n", words->list.items[i]);
    for (size_t i = 0; i < compiling->files.count; i++) { /* the prelude includes them, too */
        const struct slice file = compiling->files.items[i];
        text_print(key, "%zu %08x\n", file.length, (unsigned)crc32_of(file.at, file.length));
    }
    if (!memmem(source.at, source.length, "include", 7) && !memmem(source.at, source.length, "import", 6) &&
        !has_option(compiling, "-include")) {
        text_append(key, compiling->input.at, compiling->input.length);
        return !key->failed;
    }
    static const char *const last[] = {"-E", "-o-", "-", NULL};
    struct process_result result HX_AUTO(process_result_done) = {0};
    const bool is_right =
        run(compiling, last, &result) == HX_OK && result.end == PROCESS_EXITED && result.code == 0;
    if (is_right)
        text_append(key, result.output.at, result.output.length);
    return is_right && !key->failed;
}

static hx_status complain(const struct compiling *compiling, const struct process_result *result)
{
    hx_diag *diag = compiling->diag;
    const struct place place = {compiling->job->source, 0, 0, 0};
    const char *clang = compiling->tools.clang.at;
    if (result->end == PROCESS_TOO_LONG)
        return diag_report(diag, DIAG_COMPILER_FAILED, place, NULL,
                           "%s was ended: it took longer than %llu seconds", clang, LIMIT_NS / 1000000000);
    if (result->end == PROCESS_KILLED)
        return diag_report(diag, DIAG_COMPILER_FAILED, place, NULL, "%s was ended by signal %d", clang,
                           result->code);
    if (result->end != PROCESS_EXITED && result->end != PROCESS_ENDED)
        return diag_report(diag, DIAG_COMPILER_FAILED, place, NULL, "%s could not be started: %s", clang,
                           strerror(result->code));
    if (result->code == 0)
        return diag_report(diag, DIAG_COMPILER_FAILED, place,
                           "leave out options that want something else, such as -fsyntax-only or -flto",
                           "%s wrote no PTX", clang);
    const struct slice said = {result->errors.at ? result->errors.at : "", result->errors.length};
    const char *end = memchr(said.at, '\n', said.length);
    return diag_report(diag, DIAG_COMPILER_FAILED, place, NULL, "%s failed with status %d: %.*s", clang,
                       result->code, (int)(end ? (size_t)(end - said.at) : said.length), said.at);
}

static hx_status compile(struct compiling *compiling, struct text *ret_ptx)
{
    static const char *const last[] = {"-S", "-o-", "-", NULL};
    struct text key HX_AUTO(text_done) = {.allocator = compiling->allocator};
    const bool has_key = !compiling->job->no_cache && make_key(compiling, &key);
    const struct slice key_bytes = {key.at, key.length};
    if (has_key && disk_cache_get("ptx", key_bytes, ret_ptx))
        return HX_OK;
    struct process_result result HX_AUTO(process_result_done) = {0};
    hx_status status = run(compiling, last, &result);
    if (status != HX_OK)
        return status;
    const struct slice said = {result.errors.at, result.errors.length};
    const size_t errors = compiler_messages_report(compiling->job, said, compiling->diag);
    const bool has_ended = result.end == PROCESS_EXITED || result.end == PROCESS_ENDED;
    if (has_ended && errors > 0)
        return HX_INVALID;
    if (!has_ended || result.code != 0 || !ptx_is_text(result.output.at, result.output.length))
        return complain(compiling, &result);
    text_append(ret_ptx, result.output.at, result.output.length);
    if (ret_ptx->failed)
        return HX_NO_MEMORY;
    /* What clang warns of is said again in the next run. Of a program whose end is not known the PTX may be a
     * part. */
    if (has_key && said.length == 0 && result.end == PROCESS_EXITED)
        disk_cache_put("ptx", key_bytes, (struct slice){ret_ptx->at, ret_ptx->length}, compiling->allocator);
    return HX_OK;
}

static hx_status check_tools(const struct compiling *compiling)
{
    const struct place place = {compiling->job->source, 0, 0, 0};
    if (compiling->tools.clang.length == 0)
        return diag_report(compiling->diag, DIAG_COMPILER_MISSING, place,
                           "install clang-14 and libclc-14, or set HEXEC_CLANG to its path",
                           "'%s' must be compiled, and there is no clang", compiling->job->source->name);
    if (compiling->job->language == COMPILER_OPENCL && compiling->tools.libclc.length == 0)
        return diag_report(compiling->diag, DIAG_COMPILER_MISSING, place,
                           "install libclc-14, or set HEXEC_LIBCLC to the folder of nvptx64--nvidiacl.bc",
                           "'%s' must be compiled, and there is no libclc", compiling->job->source->name);
    return HX_OK;
}

hx_status compiler_run(const struct compiler_job *job, const hx_allocator *allocator, hx_diag *diag,
                       struct text *ret_ptx)
{
    struct compiling compiling = {.job = job,
                                  .allocator = allocator,
                                  .diag = diag,
                                  .words.arena = &compiling.arena,
                                  .input.allocator = allocator,
                                  .overlay.allocator = allocator};
    arena_init(&compiling.arena, allocator);
    hx_status status = compiler_find_tools(allocator, &compiling.tools);
    if (status == HX_OK) {
        status = check_tools(&compiling);
        write_input(&compiling);
        write_overlay(&compiling);
        if (status == HX_OK)
            status = add_words(&compiling);
        if (status == HX_OK)
            status = compiling.input.failed || compiling.overlay.failed ? HX_NO_MEMORY
                                                                        : compile(&compiling, ret_ptx);
        compiler_tools_done(&compiling.tools);
    }
    LIST_DONE(allocator, &compiling.files);
    LIST_DONE(allocator, &compiling.words.list);
    text_done(&compiling.input);
    text_done(&compiling.overlay);
    arena_done(&compiling.arena);
    return status == HX_NO_MEMORY ? diag_no_memory(diag) : status;
}
