/* What clang reads.
 *
 * The prelude stands first, then functions that take the place of libclc's, macros of the options, and the
 * program; line markers (GNU cpp, "Preprocessor Output") keep its positions. Headers are given as open files,
 * which a table for clang (-ivfsoverlay) shows as folders, so nothing is written to the disk. */
#include "compiler/cpp.h"
#include "compiler/parts.h"

#include <stdio.h>
#include <string.h>

const char *compiler_folder(enum compiler_language language)
{
    return language == COMPILER_CUDA ? "cuda/" : "opencl/";
}

/* Marked as a system header (3): -Wall is about the program. */
static void write_include(struct compiling *compiling, const char *name)
{
    text_print(&compiling->input, "# 1 \"" HEADERS_AT "\" 3\n#include \"" HEADERS_AT "/%s\"\n", name);
}

static bool names(const struct compiler_job *job, const char *word)
{
    bool is_there = memmem(job->source->text, job->source->bytes, word, strlen(word)) != NULL;
    for (size_t i = 0; i < job->header_count; i++)
        is_there |=
            memmem(job->headers[i].bytes.at, job->headers[i].bytes.length, word, strlen(word)) != NULL;
    return is_there;
}

/* What nvcc knows without an include, and few programs name. Functions of __int128 could not be part of the
 * prelude: clang's calls of them appear when it is too late to take only those that are called. */
static void write_rare(struct compiling *compiling)
{
    static const char *const rare[][2] = {{"__int128", "cuda_int128.h"},
                                          {"__uint128_t", "cuda_int128.h"},
                                          {"__nv_atomic_", "cuda_nv_atomic.h"}};
    for (size_t i = 0; i < HX_COUNT_OF(rare); i++)
        if (compiling->job->language == COMPILER_CUDA && names(compiling->job, rare[i][0]))
            write_include(compiling, rare[i][1]);
}

/* A host finds `static __device__ float table[4];` by its name (cuModuleGetGlobal) and writes it, though no
 * function of the program does. clang's optimizer sees a variable of this program alone: it takes the first
 * value for the only one, and drops the variable. An annotation is a use that it knows nothing of. Unlike
 * "used" it brings no variable into the code that functions do not name: constants of the host stay out. */
static const char keep_variables[] =
    "# 1 \"" HEADERS_AT "\" 3\n"
    "#pragma clang attribute hexec.push(__attribute__((annotate(\"set by a host\"))), "
    "apply_to = variable(is_global))\n";

/* What stands for the pieces that host_code.c takes out. */
static void write_left_out(struct compiling *compiling)
{
    if (compiling->program.at)
        write_include(compiling, "cuda_left_out.h");
}

/* Behind the program; what is missing there is still reported where its last line ends. */
static void write_end(struct compiling *compiling, struct slice program)
{
    struct text *input = &compiling->input;
    unsigned line = 1;
    size_t begin = 0, end = program.length;
    while (end > 0 && strchr("\r\n", program.at[end - 1]))
        end--;
    for (size_t i = 0; i < end; i++)
        if (program.at[i] == '\n') {
            line++;
            begin = i + 1;
        }
    text_print(input, "\n# 1 \"" HEADERS_AT "\" 3\n#pragma clang attribute hexec.pop\n# %u ", line);
    text_print_json_string(input, compiling->job->source->name, strlen(compiling->job->source->name));
    text_print(input, "\n%*s", (int)(end - begin), "");
}

static void write_cuda(struct compiling *compiling, struct slice program)
{
    struct text *input = &compiling->input;
    const size_t before = input->length;
    text_append(input, program.at, program.length);
    if (!input->failed)
        input->failed =
            !cpp_correct_variables(input->at + before, input->length - before, compiling->allocator);
}

void compiler_input_write(struct compiling *compiling)
{
    const struct compiler_job *job = compiling->job;
    const struct text *macros = &compiling->macros;
    struct text *input = &compiling->input;
    write_include(compiling, job->language == COMPILER_CUDA ? "prelude.h" : "prelude.cl");
    compiling->prelude_bytes = input->length;
    if (job->language == COMPILER_OPENCL)
        write_include(compiling, "functions.cl");
    compiling->functions_bytes = input->length - compiling->prelude_bytes;
    write_rare(compiling);
    write_left_out(compiling);
    if (job->language == COMPILER_CUDA)
        text_print(input, "%s", keep_variables);
    if (macros->length > 0)
        text_print(input, "# 1 \"<command line>\"\n");
    text_append(input, macros->at ? macros->at : "", macros->length);
    text_print(input, "# 1 ");
    text_print_json_string(input, job->source->name, strlen(job->source->name));
    text_append(input, "\n", 1);
    const struct slice text = compiling->program.at ? compiling->program : source_behind_mark(job->source);
    if (job->language == COMPILER_CUDA) {
        write_cuda(compiling, text);
        write_end(compiling, text);
    } else {
        text_append(input, text.at, text.length);
    }
}

size_t compiler_input_add_file(struct compiling *compiling, struct slice bytes)
{
    if (compiling->files.count >= PROCESS_FILES_MAX) {
        compiling->has_too_many = true;
        return 0;
    }
    if (!LIST_PUSH(compiling->allocator, &compiling->files, bytes))
        compiling->overlay.failed = true;
    return PROCESS_FIRST_FILE + compiling->files.count - 1;
}

/* A file of the table, which messages call by its name there. */
static void show_number(struct text *overlay, const char *name, size_t number)
{
    text_print(overlay, "{\"type\":\"file\",\"use-external-name\":false,\"name\":");
    text_print_json_string(overlay, name, strlen(name));
    text_print(overlay, ",\"external-contents\":\"/proc/self/fd/%zu\"},", number);
}

static void show_file(struct compiling *compiling, const char *name, struct slice bytes)
{
    const size_t number = compiler_input_add_file(compiling, bytes);
    show_number(&compiling->overlay, name, number);
}

/* One file with many names. */
static void show_toolkit(struct compiling *compiling)
{
    static const char text[] = "/* What this header has in the CUDA toolkit is there without it. */\n";
    static const char *const names[] = {
#define TOOLKIT(name) #name,
#include "compiler/cuda_toolkit.def"
#undef TOOLKIT
    };
    const size_t number = compiler_input_add_file(compiling, (struct slice){text, sizeof text - 1});
    for (size_t i = 0; i < HX_COUNT_OF(names); i++)
        show_number(&compiling->overlay, names[i], number);
}

static void show_given(struct compiling *compiling, const struct compiler_part *part)
{
    struct slice bytes = part->bytes;
    if (compiling->job->language == COMPILER_CUDA && bytes.length > 0) {
        char *copy = arena_copy(&compiling->arena, bytes.at, bytes.length);
        if (!copy || !cpp_correct_variables(copy, bytes.length, compiling->allocator))
            compiling->overlay.failed = true;
        else
            bytes.at = copy;
    }
    show_file(compiling, part->name, bytes);
}

static void begin_folder(struct text *overlay, const char *path)
{
    text_print(overlay, "{\"name\":\"%s\",\"type\":\"directory\",\"contents\":[", path);
}

/* The table is in YAML, in which a comma may stand behind the last of a list. */
void compiler_input_write_table(struct compiling *compiling)
{
    const struct compiler_job *job = compiling->job;
    const char *folder = compiler_folder(job->language);
    struct text *overlay = &compiling->overlay;
    compiler_input_add_file(compiling, (struct slice){0}); /* the table itself, when it is complete */
    text_print(overlay, "{\"version\":0,\"roots\":[");
    begin_folder(overlay, HEADERS_AT);
    for (const struct compiler_file *file = compiler_files; file->name; file++)
        if (strncmp(file->name, folder, strlen(folder)) == 0)
            show_file(compiling, file->name + strlen(folder), (struct slice){file->text, *file->bytes});
    if (job->language == COMPILER_CUDA)
        show_toolkit(compiling);
    text_print(overlay, "]},");
    begin_folder(overlay, GIVEN_AT);
    for (size_t i = 0; i < job->header_count; i++)
        show_given(compiling, &job->headers[i]);
    text_print(overlay, "]},");
    begin_folder(overlay, OBJECTS_AT);
    for (size_t i = 0; i < job->object_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "%zu", i);
        show_file(compiling, name, job->objects[i].bytes);
    }
    text_print(overlay, "]},");
    for (size_t i = 0; i < compiling->replaced.count; i++)
        show_file(compiling, compiling->replaced.items[i].name, compiling->replaced.items[i].bytes);
    text_print(overlay, "]}");
    if (compiling->files.count > 0)
        compiling->files.items[0] = (struct slice){overlay->at, overlay->length};
}

void compiler_input_rewrite(struct compiling *compiling)
{
    compiling->input.length = compiling->overlay.length = compiling->files.count = 0;
    compiler_input_write_table(compiling);
    compiler_input_write(compiling);
}
