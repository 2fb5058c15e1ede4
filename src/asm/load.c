/* Loading a program.
 *
 * Takes a file or its bytes, leaves a program whose arrays are laid out. Which form it has, YAML, binary, PTX
 * or a language that is compiled to PTX, follows from its first bytes and its name. */
#include "asm/asm.h"
#include "base/crc32.h"
#include "base/file.h"
#include "base/machine.h"
#include "compiler/compiler.h"
#include "hexec/object.h"
#include "ptx/ptx.h"

#include <string.h>

/* The options' parts as the compiler takes them; NULL: there are none, or there is no memory. */
static const struct compiler_part *parts_of(struct arena *arena, const hx_part *parts, size_t count)
{
    struct compiler_part *made = count ? ARENA_ARRAY(arena, struct compiler_part, count) : NULL;
    for (size_t i = 0; made && i < count; i++)
        made[i] = (struct compiler_part){parts[i].name, {parts[i].bytes, parts[i].size}};
    return made;
}

bool document_checks_indexes(const hx_source_options *options)
{
    return options && options->size > offsetof(hx_source_options, check_indexes) && options->check_indexes;
}

int document_for_debugging(const hx_source_options *options)
{
    return options && options->size > offsetof(hx_source_options, for_debugging) ? options->for_debugging : 0;
}

static hx_status set_options(struct compiler_job *job, const hx_source_options *options, struct arena *arena,
                             hx_diag *diag)
{
    job->options = options ? options->compiler_options : NULL;
    if (job->options) { /* messages show them as if they were a file */
        struct source *given = ARENA_NEW(arena, struct source);
        const char *text = arena_copy(arena, job->options, strlen(job->options));
        if (!given || !text)
            return diag_no_memory(diag);
        *given = (struct source){.name = "compiler options", .text = text, .bytes = strlen(text)};
        job->options_place = (struct place){given, 1, 1, 1};
    }
    job->no_cache = options && options->no_cache;
    job->check_indexes = document_checks_indexes(options);
    job->for_debugging = document_for_debugging(options);
    job->at_run_time =
        options && options->size > offsetof(hx_source_options, at_run_time) && options->at_run_time;
    if (!options ||
        options->size < offsetof(hx_source_options, may_be_empty)) /* of a caller that knows no parts */
        return HX_OK;
    for (size_t i = 0; i < options->header_count; i++)
        if (!options->headers[i].name || !options->headers[i].name[0])
            return diag_missing(diag, "hx_part", "name");
    job->headers = parts_of(arena, options->headers, options->header_count);
    job->objects = parts_of(arena, options->objects, options->object_count);
    job->header_count = options->header_count;
    job->object_count = options->object_count;
    const bool has_all = (job->headers || !job->header_count) && (job->objects || !job->object_count);
    return has_all ? HX_OK : diag_no_memory(diag);
}

static hx_status load(hx_program *program, const hx_source_options *options, hx_diag *diag)
{
    const struct slice text = {program->source.text, program->source.bytes};
    if (program->is_binary)
        return binary_load(program, diag);
    const bool is_ptx = ptx_is_text(text.at, text.length);
    const enum compiler_language language =
        is_ptx ? COMPILER_NONE : compiler_language_of(program->path, text);
    program->language = is_ptx ? LANGUAGE_PTX : document_language(language);
    if (is_ptx)
        return ptx_load(program, &program->source, diag);
    if (language == COMPILER_NONE)
        return document_load(program, options, diag);
    const struct source *ptx;
    struct compiler_job job = {
        .language = language, .source = &program->source, .directory = program->directory};
    hx_status status = set_options(&job, options, &program->arena, diag);
    if (status == HX_OK)
        status = document_compile_source(&job, &program->arena, diag, &ptx);
    return status == HX_OK ? ptx_load(program, ptx, diag) : status;
}

/* `job` has the language and what is made. */
static hx_status compile_to(struct compiler_job *job, const void *bytes, size_t size,
                            const hx_source_options *options, const hx_allocator *allocator, hx_diag *diag,
                            hx_write_function write, void *user, const char *name)
{
    const struct source source = {name, bytes ? bytes : "", size};
    struct text code HX_AUTO(text_done) = {.allocator = allocator};
    struct arena arena;
    job->source = &source;
    arena_init(&arena, allocator);
    hx_status status = set_options(job, options, &arena, diag);
    job->object_count = 0;
    if (status == HX_OK)
        status = compiler_run(job, allocator, diag, &code);
    arena_done(&arena);
    return status == HX_OK ? write(user, code.at, code.length) : status;
}

hx_status hx_object_compile(const char *name, const char *directory, const void *bytes, size_t size,
                            const hx_source_options *options, const hx_allocator *allocator, hx_diag *diag,
                            hx_write_function write, void *user)
{
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, write);
    if (!bytes && size > 0)
        return diag_missing(diag, __func__, "bytes");
    struct compiler_job job = {.language = COMPILER_OPENCL, .directory = directory, .makes_object = true};
    return compile_to(&job, bytes, size, options, allocator, diag, write, user, name);
}

hx_status hx_cuda_compile(const char *name, const char *directory, const void *bytes, size_t size,
                          const hx_source_options *options, const hx_allocator *allocator, hx_diag *diag,
                          hx_write_function write, void *user)
{
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, write);
    if (!bytes && size > 0)
        return diag_missing(diag, __func__, "bytes");
    struct compiler_job job = {.language = COMPILER_CUDA, .directory = directory, .has_no_host = true};
    return compile_to(&job, bytes, size, options, allocator, diag, write, user, name);
}

hx_status hx_object_text(const void *object, size_t size, const hx_allocator *allocator, hx_diag *diag,
                         hx_write_function write, void *user)
{
    DIAG_REQUIRE(diag, object);
    DIAG_REQUIRE(diag, write);
    struct text text HX_AUTO(text_done) = {.allocator = allocator};
    const hx_status status = compiler_object_text((struct slice){object, size}, allocator, diag, &text);
    return status == HX_OK ? write(user, text.at ? text.at : "", text.length) : status;
}

static bool is_imported(const hx_program *program)
{
    for (size_t i = 0; i < program->kernel_count; i++)
        if (program->kernels[i].is_imported)
            return true;
    return false;
}

static hx_status load_bytes(const char *name, const char *directory, const void *bytes, size_t size,
                            const hx_source_options *options, const hx_isa *isa,
                            const hx_allocator *allocator, hx_diag *diag, hx_program **ret_program)
{
    diag_step(diag, "while reading", name, 0, (struct place){0});
    hx_program *program = memory_allocate(allocator, 1, sizeof *program);
    if (!program)
        return diag_no_memory(diag);
    arena_init(&program->arena, allocator);
    program->isa = isa;
    program->crc = crc32_of(bytes, size);
    program->source.text = arena_copy(&program->arena, bytes, size);
    program->source.name = program->path = arena_copy(&program->arena, name, strlen(name));
    program->source.bytes = size;
    program->directory =
        arena_copy(&program->arena, directory ? directory : ".", strlen(directory ? directory : "."));
    program->is_binary = binary_is(bytes, size);
    if (options && options->size > offsetof(hx_source_options, level))
        program->level = options->level;
    program->for_debugging = document_for_debugging(options);
    program->for_checks = document_checks_indexes(options);
    program->may_be_empty =
        options && options->size > offsetof(hx_source_options, may_be_empty) && options->may_be_empty;
    hx_status status = HX_NO_MEMORY;
    if (program->source.text && program->source.name && program->directory)
        status = load(program, options, diag);
    if (status == HX_OK)
        status = program_layout(program, diag);
    if (status == HX_OK && program->level == HX_SOURCE_HEXEC && is_imported(program))
        status = disassemble_as_source(program);
    if (status != HX_OK) {
        hx_program_free(program);
        return status == HX_NO_MEMORY ? diag_no_memory(diag) : status;
    }
    *ret_program = program;
    return HX_OK;
}

hx_status hx_program_load_bytes(const char *name, const char *directory, const void *bytes, size_t size,
                                const hx_isa *isa, const hx_allocator *allocator, hx_diag *diag,
                                hx_program **ret_program)
{
    return hx_program_load_source_bytes(name, directory, bytes, size, NULL, isa, allocator, diag,
                                        ret_program);
}

hx_status hx_program_load_source_bytes(const char *name, const char *directory, const void *bytes,
                                       size_t size, const hx_source_options *options, const hx_isa *isa,
                                       const hx_allocator *allocator, hx_diag *diag, hx_program **ret_program)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, name);
    if (!bytes && size > 0)
        return diag_missing(diag, __func__, "bytes");
    DIAG_REQUIRE(diag, isa);
    DIAG_REQUIRE(diag, ret_program);
    return load_bytes(name, directory, bytes, size, options, isa, allocator, diag, ret_program);
}

hx_status hx_program_load(const char *path, const hx_isa *isa, const hx_allocator *allocator, hx_diag *diag,
                          hx_program **ret_program)
{
    return hx_program_load_source(path, NULL, isa, allocator, diag, ret_program);
}

hx_status hx_program_load_source(const char *path, const hx_source_options *options, const hx_isa *isa,
                                 const hx_allocator *allocator, hx_diag *diag, hx_program **ret_program)
{
    DIAG_REQUIRE(diag, path);
    DIAG_REQUIRE(diag, isa);
    DIAG_REQUIRE(diag, ret_program);
    diag_step(diag, "while reading", path, 0, (struct place){0});
    char *bytes;
    size_t size;
    hx_status status =
        file_read(path, FILE_TEXT_LIMIT_BYTES, allocator, diag, (struct place){0}, &bytes, &size);
    if (status != HX_OK)
        return status;
    HX_AUTO(text_done) struct text directory = {.allocator = allocator};
    const char *slash = strrchr(path, '/');
    text_append(&directory, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
    if (directory.length == 0)
        text_append(&directory, "/", 1);
    status = directory.failed ? diag_no_memory(diag)
                              : hx_program_load_source_bytes(path, directory.at, bytes, size, options, isa,
                                                             allocator, diag, ret_program);
    memory_free(allocator, bytes);
    return status;
}
