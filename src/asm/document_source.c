/* Documents whose kernels are compiled: `source` or `ptx`, with `kernel`, `options` and `args`.
 *
 * Takes the document, in which all but kernels and launches has been read; leaves the kernels of the file,
 * with the arguments that the document has for them. */
#include "asm/reading.h"
#include "base/file.h"
#include "compiler/compiler.h"
#include "program/argument.h"
#include "program/sequence.h"
#include "ptx/ptx.h"

#include <string.h>

hx_status document_compile_source(const struct compiler_job *job, struct arena *arena, hx_diag *diag,
                                  const struct source **ret_ptx)
{
    struct text ptx HX_AUTO(text_done) = {.allocator = arena->allocator};
    const hx_status status = compiler_run(job, arena->allocator, diag, &ptx);
    if (status != HX_OK)
        return status;
    struct source *source = ARENA_NEW(arena, struct source);
    const char *name = arena_format(arena, "%s.ptx", job->source->name);
    const char *text = arena_copy(arena, ptx.at ? ptx.at : "", ptx.length);
    if (!source || !name || !text)
        return diag_no_memory(diag);
    *source = (struct source){name, text, ptx.length};
    *ret_ptx = source;
    return HX_OK;
}

/* --- the text ------------------------------------------------------------------------------------------- */

static void note_memory(struct reading *reading)
{
    reading_note(reading, diag_no_memory(reading->diag));
}

/* The text of `ptx: |` where it stands in the document, so that its places are right. */
static const struct source *inline_text(struct reading *reading, const struct yaml_node *node)
{
    struct arena *arena = &reading->program->arena;
    struct text text HX_AUTO(text_done) = {.allocator = arena->allocator};
    for (int line = 1; node->is_literal && line < node->literal_line; line++)
        text_append(&text, "\n", 1);
    for (size_t at = 0; at < node->text.length;) {
        const char *end = memchr(node->text.at + at, '\n', node->text.length - at);
        const size_t length = end ? (size_t)(end + 1 - node->text.at) - at : node->text.length - at;
        if (node->is_literal)
            text_print(&text, "%*s", node->literal_column - 1, "");
        text_append(&text, node->text.at + at, length);
        at += length;
    }
    struct source *source = ARENA_NEW(arena, struct source);
    const char *kept = text.failed ? NULL : arena_copy(arena, text.at ? text.at : "", text.length);
    if (!source || !kept) {
        note_memory(reading);
        return NULL;
    }
    *source = (struct source){reading->program->source.name, kept, text.length};
    return source;
}

/* The file that `source` names. */
static const struct source *read_file(struct reading *reading, const struct yaml_node *node)
{
    hx_program *program = reading->program;
    struct arena *arena = &program->arena;
    const bool is_as_written = node->text.at[0] == '/' || strcmp(program->directory, ".") == 0;
    const char *path =
        is_as_written ? node->text.at : arena_format(arena, "%s/%s", program->directory, node->text.at);
    struct source *source = ARENA_NEW(arena, struct source);
    char *bytes = NULL;
    size_t size = 0;
    if (!path || !source) {
        note_memory(reading);
        return NULL;
    }
    if (reading_note(reading, file_read(path, FILE_TEXT_LIMIT_BYTES, arena->allocator, reading->diag,
                                        node->place, &bytes, &size)) != HX_OK)
        return NULL;
    *source = (struct source){path, arena_copy(arena, bytes, size), size};
    memory_free(arena->allocator, bytes);
    program->source_path = path;
    if (!source->text)
        note_memory(reading);
    return source->text ? source : NULL;
}

enum program_language document_language(enum compiler_language language)
{
    return language == COMPILER_OPENCL ? LANGUAGE_OPENCL
           : language == COMPILER_CUDA ? LANGUAGE_CUDA
                                       : LANGUAGE_ASSEMBLY;
}

/* The document's options, and behind them those of the command line. */
static const char *options_of(struct reading *reading, const char *own)
{
    const char *given = reading->source ? reading->source->compiler_options : NULL;
    return own && given ? arena_format(&reading->program->arena, "%s %s", own, given) : own ? own : given;
}

static const struct source *compile(struct reading *reading, const struct yaml_program *from,
                                    const struct yaml_node *root, const struct source *text)
{
    hx_program *const program = reading->program;
    const struct yaml_node *node = yaml_get(root, "source"), *options = yaml_get(root, "options");
    const struct slice bytes = {text->text, text->bytes};
    const char *slash = strrchr(text->name, '/');
    const char *directory =
        slash ? arena_copy(&reading->program->arena, text->name, (size_t)(slash - text->name)) : ".";
    const struct compiler_job job = {.language = compiler_language_of(text->name, bytes),
                                     .source = text,
                                     .directory = directory && !directory[0] ? "/" : directory,
                                     .options = options_of(reading, from->options),
                                     .options_directory =
                                         strcmp(program->directory, ".") == 0 ? NULL : program->directory,
                                     .options_place = options ? options->place : node->place,
                                     .no_cache = reading->source && reading->source->no_cache,
                                     .check_indexes = document_checks_indexes(reading->source),
                                     .for_debugging = document_for_debugging(reading->source)};
    const struct source *ptx = NULL;
    program->language = document_language(job.language);
    if (!directory)
        note_memory(reading);
    else if (job.language == COMPILER_NONE)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_SOURCE, node->place,
                                          "a file that ends in .ptx, .cl or .cu",
                                          "'%s' is neither PTX nor OpenCL C nor CUDA C", node->text.at));
    else
        reading_note(reading, document_compile_source(&job, &reading->program->arena, reading->diag, &ptx));
    return ptx;
}

static const struct source *read_text(struct reading *reading, const struct yaml_program *from,
                                      const struct yaml_node *root)
{
    const struct source *text = from->ptx ? inline_text(reading, yaml_get(root, "ptx"))
                                          : read_file(reading, yaml_get(root, "source"));
    if (!text)
        return NULL;
    reading->program->origin = *text;
    reading->program->language = LANGUAGE_PTX;
    if (from->ptx || ptx_is_text(text->text, text->bytes))
        return text;
    return compile(reading, from, root, text);
}

/* --- arguments ------------------------------------------------------------------------------------------ */

static void note_count(struct reading *reading, const struct kernel *kernel, const struct yaml_node *args)
{
    reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_ARGUMENT, args->place,
                                      "one for each parameter, in order",
                                      "kernel '%s' has %zu parameters, and here are %zu arguments",
                                      kernel->name, kernel->formal_count, args->count));
}

static bool is_list(struct reading *reading, const struct kernel *kernel, const struct yaml_node *args)
{
    if (args->kind != YAML_SEQUENCE)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_ARGUMENT, args->place, NULL,
                                          "`args` is a list: [n, a, x, y]"));
    else if (args->count != kernel->formal_count)
        note_count(reading, kernel, args);
    return args->kind == YAML_SEQUENCE && args->count == kernel->formal_count;
}

void reading_arguments(struct reading *reading, const struct yaml_node *root)
{
    const struct yaml_node *args = yaml_get(root, "args");
    if (!args)
        return;
    struct argument argument = {.program = reading->program,
                                .kernel = &reading->program->kernels[reading->kernel],
                                .diag = reading->diag};
    if (!is_list(reading, argument.kernel, args))
        return;
    for (const struct yaml_node *node = args->first; node; node = node->next, argument.index++)
        reading_note(reading, argument_set_node(&argument, node));
}

/* What a launch sets a scalar to is read as an argument of the program is, and taken back from there. */
static void read_setting(struct reading *reading, struct argument *argument, const struct yaml_node *node,
                         struct launch_step *step)
{
    struct program_param *param = argument_scalar(argument);
    argument->text = node->text;
    argument->place = node->place;
    if (!param || node->kind != YAML_SCALAR) {
        reading_note(reading,
                     argument_complain(argument, "give the bytes of structures in the program's `args`",
                                       "a launch sets numbers, parameters and buffers"));
        return;
    }
    const struct program_param before = *param;
    const size_t buffers = reading->program->buffers.count;
    if (reading_note(reading, argument_set_node(argument, node)) == HX_OK) {
        const struct program_param *followed =
            param->follows ? &reading->program->params[param->follows - 1] : NULL;
        const bool is_expression = followed && setting_is_expression(followed->type, param->type);
        struct param_setting setting = {.from = is_expression ? 0 : param->follows,
                                        .bits = param->bits,
                                        .target = param->target,
                                        .text = is_expression ? followed->name : NULL,
                                        .place = node->place};
        for (size_t i = 0; i < step->setting_count; i++) /* which this launch sets */
            if (step->settings[i].param + 1 == param->follows)
                setting = step->settings[i];
        setting.param = (uint32_t)(param - reading->program->params);
        step->settings[step->setting_count++] = setting;
        if (reading->program->buffers.count > buffers)
            reading_note(reading, argument_complain(argument, "declare it in `buffers`",
                                                    "a launch cannot make a buffer"));
    }
    *param = before;
    param->has_value = true; /* by this launch */
}

void reading_step_arguments(struct reading *reading, const struct yaml_node *args, struct launch_step *step)
{
    struct kernel *kernel = &reading->program->kernels[step->kernel->index];
    struct argument argument = {.program = reading->program, .kernel = kernel, .diag = reading->diag};
    if (!is_list(reading, kernel, args))
        return;
    struct param_setting *settings =
        reading_allocate(reading, step->setting_count + args->count, sizeof *settings);
    if (!settings)
        return;
    if (step->setting_count > 0)
        memcpy(settings, step->settings, step->setting_count * sizeof *settings);
    step->settings = settings;
    for (const struct yaml_node *node = args->first; node; node = node->next, argument.index++)
        read_setting(reading, &argument, node, step);
}

/* --- the program ---------------------------------------------------------------------------------------- */

static void check_keys(struct reading *reading, const struct yaml_node *root)
{
    static const char *const others[] = {"code", "kernels", "shared", "local", "lines", "origin"};
    const struct yaml_node *source = yaml_get(root, "source"), *ptx = yaml_get(root, "ptx");
    for (size_t i = 0; i < HX_COUNT_OF(others); i++)
        if (yaml_get(root, others[i]))
            reading_note(reading,
                         diag_report(reading->diag, DIAG_PROGRAM_SOURCE, yaml_get(root, others[i])->key_place,
                                     NULL, "`%s` does not go with `%s`", others[i],
                                     source ? "source" : "ptx"));
    if (source && ptx)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_SOURCE, ptx->key_place, NULL,
                                          "`ptx` does not go with `source`"));
    if (ptx && yaml_get(root, "options"))
        reading_note(reading,
                     diag_report(reading->diag, DIAG_PROGRAM_SOURCE, yaml_get(root, "options")->key_place,
                                 NULL, "`options` are for a compiler, and `ptx` has been compiled"));
}

static void choose_kernel(struct reading *reading, const struct yaml_node *root)
{
    const hx_program *program = reading->program;
    const struct yaml_node *node = yaml_get(root, "kernel"), *args = yaml_get(root, "args");
    if (node && hx_program_find_kernel(program, node->text.at, NULL, &reading->kernel) != HX_OK)
        reading_note(reading,
                     diag_report(reading->diag, DIAG_PROGRAM_KERNELS, node->place, program->kernels[0].name,
                                 "there is no kernel '%s'", node->text.at));
    else if (!node && program->kernel_count > 1 && (args || !yaml_get(root, "run")))
        reading_note(reading,
                     diag_report(reading->diag, DIAG_PROGRAM_SOURCE, args ? args->place : root->place,
                                 "add `kernel: NAME`, or `run` with a list of launches",
                                 "the file has %zu kernels: '%s', '%s'%s", program->kernel_count,
                                 program->kernels[0].name, program->kernels[1].name,
                                 program->kernel_count > 2 ? ", ..." : ""));
}

void reading_source(struct reading *reading, const struct yaml_program *from, const struct yaml_node *root)
{
    hx_program *program = reading->program;
    const size_t params = program->param_count, buffers = program->buffers.count;
    check_keys(reading, root);
    const struct source *text = reading->status == HX_OK ? read_text(reading, from, root) : NULL;
    if (!text || reading_note(reading, ptx_import(program, text, reading->diag)) != HX_OK)
        return;
    choose_kernel(reading, root);
    for (size_t i = 0; i < program->kernel_count; i++)
        if (!yaml_get(root, "args") || i != reading->kernel)
            argument_bind(program, &program->kernels[i], params, buffers);
}
