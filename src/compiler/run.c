/* Running clang.
 *
 * It reads the program (input.c) from its standard input and writes PTX, or an object, to its standard
 * output. */
#include "base/crc32.h"
#include "base/disk_cache.h"
#include "base/process.h"
#include "compiler/parts.h"
#include "ptx/ptx.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIMIT_NS (120 * 1000000000ull)

hx_status compiler_run_clang(struct compiling *compiling, struct slice input, const char *const *last,
                             struct process_result *ret_result)
{
    struct compiler_words *words = &compiling->words;
    const size_t count = words->list.count;
    *ret_result = (struct process_result){0};
    for (const char *const *word = last; *word; word++)
        compiler_word(words, "%s", *word);
    if (words->failed || !LIST_PUSH(compiling->allocator, &words->list, NULL))
        return HX_NO_MEMORY;
    const struct process process = {.arguments = words->list.items,
                                    .input = input,
                                    .files = compiling->files.items,
                                    .file_count = compiling->files.count,
                                    .limit_ns = compiling->limit_ns ? compiling->limit_ns : LIMIT_NS};
    const hx_status status = process_run(&process, compiling->allocator, ret_result);
    words->list.count = count;
    return status;
}

/* What the program is linked to. Of each library comes what those before it lack. */
static void add_link(struct compiling *compiling)
{
    struct compiler_words *words = &compiling->words;
    char path[64];
    if (compiling->job->language != COMPILER_OPENCL || compiling->job->makes_object)
        return;
    for (size_t i = 0; i < compiling->job->object_count; i++) {
        snprintf(path, sizeof path, OBJECTS_AT "/%zu", i);
        compiler_front_word(words, "-mlink-bitcode-file");
        compiler_front_word(words, path);
    }
    if (compiling->is_precompiled) {
        const struct slice bytes = {compiling->functions.at, compiling->functions.length};
        snprintf(path, sizeof path, "/proc/self/fd/%zu", compiler_input_add_file(compiling, bytes));
        compiler_front_word(words, "-mlink-builtin-bitcode");
        compiler_front_word(words, path);
    }
    if (compiling->has_libclc) {
        compiler_front_word(words, "-mlink-builtin-bitcode");
        compiler_front_word(words, compiling->tools.libclc.at);
    }
}

/* What is behind that which is precompiled. */
static struct slice program_of(const struct compiling *compiling)
{
    const size_t before = compiling->prelude_bytes + compiling->functions_bytes;
    return (struct slice){compiling->input.at + before, compiling->input.length - before};
}

static hx_status run_linked(struct compiling *compiling, const char *const *last,
                            struct process_result *ret_result)
{
    const size_t count = compiling->words.list.count, files = compiling->files.count;
    const size_t before =
        compiling->is_precompiled ? compiling->prelude_bytes + compiling->functions_bytes : 0;
    const struct slice input = {compiling->input.at + before, compiling->input.length - before};
    add_link(compiling);
    const hx_status status = compiling->overlay.failed ? HX_NO_MEMORY
                             : compiling->is_precompiled
                                 ? compiler_run_precompiled(compiling, input, last, ret_result)
                                 : compiler_run_clang(compiling, input, last, ret_result);
    compiling->words.list.count = count;
    compiling->files.count = files;
    return status;
}

static bool is_code(const struct compiling *compiling, const struct text *text)
{
    if (compiling->job->makes_object) /* bitcode begins so */
        return text->length > 4 && memcmp(text->at, "BC\xc0\xde", 4) == 0;
    return ptx_is_text(text->at, text->length);
}

/* Where a program's exit status is not known, what it wrote tells. */
static bool has_succeeded(const struct compiling *compiling, const struct process_result *result)
{
    return result->end == PROCESS_EXITED
               ? result->code == 0
               : result->end == PROCESS_ENDED && is_code(compiling, &result->output);
}

/* The fastest way first. Should it fail with what is precompiled, as it does for a wrong program, it is done
 * without. */
static hx_status run(struct compiling *compiling, const char *const *last, struct process_result *ret_result)
{
    const struct compiler_job *job = compiling->job;
    compiling->is_precompiled &= compiling->files.count + 2 <= PROCESS_FILES_MAX;
    compiling->has_libclc =
        !compiling->is_precompiled || job->object_count > 0 || compiler_names_libclc(program_of(compiling));
    hx_status status = run_linked(compiling, last, ret_result);
    if (status != HX_OK || !compiling->is_precompiled)
        return status;
    const struct slice code = {ret_result->output.at, ret_result->output.length};
    if (!compiling->has_libclc && !job->makes_object && has_succeeded(compiling, ret_result) &&
        ptx_may_lack_functions(code)) {
        process_result_done(ret_result);
        compiling->has_libclc = true;
        status = run_linked(compiling, last, ret_result);
    }
    if (status != HX_OK || has_succeeded(compiling, ret_result) || ret_result->end == PROCESS_TOO_LONG ||
        compiling->may_leave_out)
        return status;
    process_result_done(ret_result);
    compiling->is_precompiled = false;
    compiling->has_libclc = true;
    return run_linked(compiling, last, ret_result);
}

/* PTX by way of LLVM's assembly (assembly.c). *ret_result is of the step that fails, or of the last, with
 * what both of them said. */
static hx_status run_by_assembly(struct compiling *compiling, struct process_result *ret_result)
{
    static const char *const for_assembly[] = {"-S", "-emit-llvm", "-o-", "-", NULL};
    struct process_result first = {0};
    hx_status status = run(compiling, for_assembly, &first);
    const bool has_ended = first.end == PROCESS_EXITED || first.end == PROCESS_ENDED;
    if (status != HX_OK || !has_ended || first.code != 0 || first.output.length == 0) {
        *ret_result = first;
        return status;
    }
    status =
        compiler_run_assembly(compiling, (struct slice){first.output.at, first.output.length}, ret_result);
    text_append(&ret_result->errors, first.errors.at ? first.errors.at : "", first.errors.length);
    process_result_done(&first);
    return ret_result->errors.failed ? HX_NO_MEMORY : status;
}

static hx_status run_for_ptx(struct compiling *compiling, const char *const *last,
                             struct process_result *ret_result)
{
    if (compiling->job->check_indexes)
        return run_by_assembly(compiling, ret_result);
    const hx_status status = run(compiling, last, ret_result);
    const bool has_lost = status == HX_OK && compiling->job->for_debugging == 1 &&
                          has_succeeded(compiling, ret_result) && ret_result->output.at &&
                          compiler_passes_structures(slice_of(ret_result->output.at));
    if (status != HX_OK || (!has_lost && !compiler_lacks_bitcast(ret_result)))
        return status;
    process_result_done(ret_result);
    return run_by_assembly(compiling, ret_result);
}

void compiler_print_tools(const struct compiling *compiling, struct text *key)
{
    struct stat is;
    for (int i = 0; i < 2; i++) {
        const char *path = i ? compiling->tools.libclc.at : compiling->tools.clang.at;
        if (path[0] && stat(path, &is) == 0)
            text_print(key, "%s %lld %lld\n", path, (long long)is.st_size, (long long)is.st_mtime);
    }
}

/* What clang is, what it is called with, and all that it reads: the program, and where it includes files what
 * the preprocessor makes of it, with its warnings. False: there is no key. */
static bool make_key(struct compiling *compiling, struct text *key)
{
    const struct slice source = {compiling->job->source->text, compiling->job->source->bytes};
    const struct compiler_words *words = &compiling->words;
    /* What the entry has, and a number that changes when other code is made of what clang writes. */
    text_print(key, "messages, code, names of headers, 7\n");
    compiler_print_tools(compiling, key);
    for (size_t i = 0; i < words->list.count; i++)
        text_print(key, "%s\n", words->list.items[i]);
    for (size_t i = 1; i < compiling->files.count; i++) { /* the prelude is among them */
        const struct slice file = compiling->files.items[i];
        text_print(key, "%zu %08x\n", file.length, (unsigned)crc32_of(file.at, file.length));
    }
    for (size_t i = 0; i < compiling->job->object_count; i++)
        text_append(key, compiling->job->objects[i].bytes.at, compiling->job->objects[i].bytes.length);
    text_append(key, compiling->input.at, compiling->input.length);
    if (!memmem(source.at, source.length, "include", 7) && !memmem(source.at, source.length, "import", 6) &&
        !compiler_has_option(compiling, "-include"))
        return !key->failed;
    struct process_result result HX_AUTO(process_result_done) = {0};
    const bool is_right =
        compiler_preprocess(compiling, &result) == HX_OK && result.end == PROCESS_EXITED && result.code == 0;
    if (!is_right)
        return false;
    text_append(key, result.output.at, result.output.length);
    text_append(key, result.errors.at, result.errors.length);
    /* names of headers may be relative; in the entry they begin with the folder */
    char *const folder = getcwd(NULL, 0);
    text_print(key, "%s\n", folder ? folder : "");
    free(folder);
    return !key->failed;
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
                           "%s wrote no %s", clang, compiling->job->makes_object ? "object" : "PTX");
    const struct slice said = {result->errors.at ? result->errors.at : "", result->errors.length};
    const char *end = memchr(said.at, '\n', said.length);
    return diag_report(diag, DIAG_COMPILER_FAILED, place, NULL, "%s failed with status %d: %.*s", clang,
                       result->code, (int)(end ? (size_t)(end - said.at) : said.length), said.at);
}

/* The program as it is. */
static hx_status take_whole(struct compiling *compiling)
{
    compiling->program.at = NULL;
    compiling->replaced.count = 0;
    compiler_input_rewrite(compiling);
    return compiling->input.failed || compiling->overlay.failed ? HX_NO_MEMORY : HX_OK;
}

/* *result is of the program without what was left out: is that a program? */
static bool is_rest(const struct compiling *compiling, const struct process_result *result)
{
    return has_succeeded(compiling, result) && is_code(compiling, &result->output) &&
           memmem(result->output.at, result->output.length, ".entry", 6) != NULL;
}

/* What was left out, behind what clang said. */
static void tell(struct process_result *result, const struct text *note)
{
    text_print(&result->errors, "%s" COMPILER_LEFT_OUT "%s\n", result->errors.length > 0 ? "\n" : "",
               note->at ? note->at : "");
}

/* What a host does with a program is not what hexec runs: where that does not compile, it is left out, and
 * *result is that of the rest, or has the errors that remain. What clang says of the whole program stands
 * where nothing was to be left out or no kernel remains; it was compiled the fastest way alone so far. */
static hx_status leave_out(struct compiling *compiling, const char *const *last,
                           struct process_result *result)
{
    struct left_out out HX_AUTO(compiler_left_out_done) = {.note.allocator = compiling->allocator,
                                                           .launches.allocator = compiling->allocator,
                                                           .errors.allocator = compiling->allocator};
    const bool has_ended = result->end == PROCESS_EXITED || result->end == PROCESS_ENDED;
    if (!compiling->may_leave_out || !has_ended || has_succeeded(compiling, result))
        return HX_OK;
    compiling->may_leave_out = false;
    const struct slice said = {result->errors.at ? result->errors.at : "", result->errors.length};
    hx_status status = compiler_leave_out(compiling, said, &out);
    process_result_done(result);
    if (status == HX_OK && out.is_done)
        status = run_for_ptx(compiling, last, result);
    if (status != HX_OK)
        return status;
    if (out.is_done && is_rest(compiling, result)) {
        const struct slice launches = {out.launches.at ? out.launches.at : "", out.launches.length};
        tell(result, &out.note);
        compiler_warn_of_launches(result, launches);
        return result->errors.failed ? HX_NO_MEMORY : HX_OK;
    }
    process_result_done(result);
    status = take_whole(compiling);
    if (status != HX_OK || out.errors.length == 0)
        return status == HX_OK ? run_for_ptx(compiling, last, result) : status;
    *result =
        (struct process_result){.end = PROCESS_EXITED, .code = 1, .errors.allocator = compiling->allocator};
    text_append(&result->errors, out.errors.at, out.errors.length);
    tell(result, &out.note);
    return result->errors.failed ? HX_NO_MEMORY : HX_OK;
}

/* The code of a program whose headers are not all there, as it was compiled before without its host code.
 * `key` is what is known of it without them. */
static hx_status get_rest(struct compiling *compiling, struct text *key, struct text *ret_code,
                          bool *ret_is_there)
{
    struct text whole HX_AUTO(text_done) = {.allocator = compiling->allocator};
    char *const folder = getcwd(NULL, 0);
    text_print(key, "left out, %s\n", folder ? folder : "");
    free(folder);
    *ret_is_there = !key->failed && compiler_get_rest(compiling, (struct slice){key->at, key->length}) &&
                    make_key(compiling, &whole) &&
                    compiler_get_kept(compiling, "ptx", (struct slice){whole.at, whole.length}, ret_code);
    return *ret_is_there || !compiling->program.at ? HX_OK : take_whole(compiling);
}

/* The same, afterwards. */
static void keep_rest(struct compiling *compiling, const struct text *key, struct slice said,
                      const struct text *code)
{
    struct text whole HX_AUTO(text_done) = {.allocator = compiling->allocator};
    if (key->failed || !make_key(compiling, &whole))
        return;
    compiler_keep_rest(compiling, (struct slice){key->at, key->length});
    compiler_keep(compiling, "ptx", (struct slice){whole.at, whole.length}, said, code);
}

static hx_status compile(struct compiling *compiling, struct text *ret_code)
{
    /* What optimizes the program after it was linked gets an object as it was written. */
    static const char *const for_ptx[] = {"-S", "-o-", "-", NULL}, *const for_object[] = {
                                                                       "-c",
                                                                       "-emit-llvm",
                                                                       "-cl-kernel-arg-info",
                                                                       "-Xclang",
                                                                       "-disable-llvm-passes",
                                                                       "-o-",
                                                                       "-",
                                                                       NULL};
    const char *const *last = compiling->job->makes_object ? for_object : for_ptx;
    const char *kind = compiling->job->makes_object ? "bitcode" : "ptx";
    struct text key HX_AUTO(text_done) = {.allocator = compiling->allocator};
    const bool has_key = !compiling->job->no_cache && make_key(compiling, &key);
    const struct slice key_bytes = {key.at, key.length};
    if (has_key && compiler_get_kept(compiling, kind, key_bytes, ret_code))
        return ret_code->failed ? HX_NO_MEMORY : HX_OK;
    struct process_result result HX_AUTO(process_result_done) = {0};
    bool is_there = false;
    compiling->may_leave_out = compiling->job->language == COMPILER_CUDA && !compiling->job->has_no_host &&
                               !compiler_has_option(compiling, "__CUDACC_RTC__");
    const bool may_keep_rest = compiling->may_leave_out && !compiling->job->no_cache && !has_key;
    hx_status status = may_keep_rest ? get_rest(compiling, &key, ret_code, &is_there) : HX_OK;
    if (status != HX_OK || is_there)
        return ret_code->failed ? HX_NO_MEMORY : status;
    status =
        compiling->job->makes_object ? run(compiling, last, &result) : run_for_ptx(compiling, last, &result);
    if (status == HX_OK)
        status = leave_out(compiling, last, &result);
    if (status != HX_OK)
        return status;
    const struct slice said = {result.errors.at, result.errors.length};
    const size_t errors = compiler_messages_report(compiling->job, said, compiling->diag);
    const bool has_ended = result.end == PROCESS_EXITED || result.end == PROCESS_ENDED;
    if (has_ended && errors > 0)
        return HX_INVALID;
    if (!has_ended || result.code != 0 || !is_code(compiling, &result.output))
        return complain(compiling, &result);
    text_append(ret_code, result.output.at, result.output.length);
    if (ret_code->failed)
        return HX_NO_MEMORY;
    if (has_key && result.end == PROCESS_EXITED) /* else the output may be a part */
        compiler_keep(compiling, kind, key_bytes, said, &result.output);
    else if (may_keep_rest && compiling->program.at && result.end == PROCESS_EXITED)
        keep_rest(compiling, &key, said, &result.output);
    return HX_OK;
}

static hx_status prepare(struct compiling *compiling)
{
    hx_status status = compiler_add_words(compiling);
    if (status != HX_OK)
        return status;
    compiler_input_write(compiling);
    if (compiling->input.failed || compiling->overlay.failed)
        return HX_NO_MEMORY;
    return compiler_precompile(compiling);
}

static hx_status check_job(const struct compiling *compiling)
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
    if (compiling->has_too_many)
        return diag_report(compiling->diag, DIAG_COMPILER_FAILED, place,
                           "put several of the sources into one",
                           "the program has more than %d headers and objects", PROCESS_FILES_MAX - 8);
    return HX_OK;
}

hx_status compiler_run(const struct compiler_job *job, const hx_allocator *allocator, hx_diag *diag,
                       struct text *ret_code)
{
    struct compiling compiling = {.job = job,
                                  .allocator = allocator,
                                  .diag = diag,
                                  .words.arena = &compiling.arena,
                                  .macros.allocator = allocator,
                                  .input.allocator = allocator,
                                  .prelude.allocator = allocator,
                                  .functions.allocator = allocator,
                                  .overlay.allocator = allocator};
    arena_init(&compiling.arena, allocator);
    hx_status status = compiler_find_tools(allocator, &compiling.tools);
    if (status == HX_OK) {
        compiler_input_write_table(&compiling);
        status = check_job(&compiling);
        if (status == HX_OK)
            status = prepare(&compiling);
        if (status == HX_OK)
            status = compile(&compiling, ret_code);
        compiler_tools_done(&compiling.tools);
    }
    if (status == HX_OK && !job->makes_object) {
        compiler_correct(ret_code);
        status = ret_code->failed ? HX_NO_MEMORY : HX_OK;
    }
    LIST_DONE(allocator, &compiling.files);
    LIST_DONE(allocator, &compiling.replaced);
    LIST_DONE(allocator, &compiling.words.list);
    text_done(&compiling.macros);
    text_done(&compiling.input);
    text_done(&compiling.prelude);
    text_done(&compiling.functions);
    text_done(&compiling.overlay);
    arena_done(&compiling.arena);
    return status == HX_NO_MEMORY ? diag_no_memory(diag) : status;
}

static hx_status write_assembly(struct compiling *compiling, struct text *ret_text)
{
    static const char *const last[] = {"-xir",       "-target", "nvptx64-unknown-nvcl", "-S",
                                       "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-o-",
                                       "-",          NULL};
    struct process_result result HX_AUTO(process_result_done) = {0};
    struct text key HX_AUTO(text_done) = {.allocator = compiling->allocator};
    compiler_print_tools(compiling, &key);
    text_append(&key, compiling->input.at, compiling->input.length);
    if (!key.failed && disk_cache_get("assembly", (struct slice){key.at, key.length}, ret_text))
        return HX_OK;
    compiler_word(&compiling->words, "%s", compiling->tools.clang.at);
    const struct slice object = {compiling->input.at, compiling->input.length};
    const hx_status status = compiler_run_clang(compiling, object, last, &result);
    if (status != HX_OK)
        return status;
    if (result.end > PROCESS_ENDED || result.code != 0)
        return complain(compiling, &result);
    text_append(ret_text, result.output.at, result.output.length);
    if (ret_text->failed)
        return HX_NO_MEMORY;
    if (!key.failed && result.end == PROCESS_EXITED)
        disk_cache_put("assembly", (struct slice){key.at, key.length},
                       (struct slice){ret_text->at, ret_text->length}, compiling->allocator);
    return HX_OK;
}

hx_status compiler_object_text(struct slice object, const hx_allocator *allocator, hx_diag *diag,
                               struct text *ret_text)
{
    const struct source source = {"object", object.at, object.length};
    const struct compiler_job job = {.language = COMPILER_OPENCL, .source = &source};
    struct compiling compiling = {.job = &job,
                                  .allocator = allocator,
                                  .diag = diag,
                                  .words.arena = &compiling.arena,
                                  .input.allocator = allocator};
    arena_init(&compiling.arena, allocator);
    hx_status status = compiler_find_tools(allocator, &compiling.tools);
    if (status == HX_OK) {
        text_append(&compiling.input, object.at, object.length);
        status = check_job(&compiling);
        if (status == HX_OK)
            status = compiling.input.failed ? HX_NO_MEMORY : write_assembly(&compiling, ret_text);
        compiler_tools_done(&compiling.tools);
    }
    LIST_DONE(allocator, &compiling.files);
    LIST_DONE(allocator, &compiling.words.list);
    text_done(&compiling.input);
    arena_done(&compiling.arena);
    return status == HX_NO_MEMORY ? diag_no_memory(diag) : status;
}
