/* libnvrtc.so.12: programs in CUDA C become PTX while a program runs.
 *
 * Takes what NVRTC takes, and has clang compile it as hexec compiles .cu files, with the same headers. A
 * binary for a GPU (nvrtcGetCUBIN) is the PTX again, which hexec's cuModuleLoadData takes as well.
 *
 * A name expression, as kernel<float>, is given to a variable behind the program, so that clang makes the
 * kernel; the variable's line in the PTX says by which name, and is taken out. */
#include "devices/nvrtc/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "hexec_name_of_expression_"

struct expression {
    char *text, *lowered; /* lowered: NULL before it is compiled, and where it names nothing */
};

struct _nvrtcProgram {
    char *source, *name;
    hx_part *headers;
    size_t header_count;
    struct expression *expressions;
    size_t expression_count;
    struct growing ptx, log;
    bool is_compiled, is_for_gpu;
};

static const int architectures[] = {70, 72, 75, 80, 86};

/* ---- What there is ------------------------------------------------------------------------------------- */

const char *nvrtcGetErrorString(nvrtcResult result)
{
    switch (result) {
#define NAME_OF(name, number)                                                                                \
    case name:                                                                                               \
        return #name;
        NVRTC_RESULTS(NAME_OF)
    }
    return "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor)
        return NVRTC_ERROR_INVALID_INPUT;
    *major = NVRTC_MAJOR;
    *minor = NVRTC_MINOR;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    if (!count)
        return NVRTC_ERROR_INVALID_INPUT;
    *count = (int)(sizeof architectures / sizeof architectures[0]);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *ret)
{
    if (!ret)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(ret, architectures, sizeof architectures);
    return NVRTC_SUCCESS;
}

/* ---- Programs ------------------------------------------------------------------------------------------ */

static void free_program(nvrtcProgram program)
{
    for (size_t i = 0; i < program->header_count; i++) {
        free((void *)program->headers[i].name);
        free((void *)program->headers[i].bytes);
    }
    for (size_t i = 0; i < program->expression_count; i++) {
        free(program->expressions[i].text);
        free(program->expressions[i].lowered);
    }
    free(program->headers);
    free(program->expressions);
    growing_done(&program->ptx);
    growing_done(&program->log);
    free(program->source);
    free(program->name);
    free(program);
}

/* What messages call a program: by its end clang takes it for CUDA C. */
static char *name_of(const char *name)
{
    const char *is = name && name[0] ? name : "default_program";
    const size_t length = strlen(is);
    const bool has_end = length > 3 && strcmp(is + length - 3, ".cu") == 0;
    char *made = malloc(length + sizeof ".cu");
    if (made)
        snprintf(made, length + sizeof ".cu", "%s%s", is, has_end ? "" : ".cu");
    return made;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *ret_program, const char *source, const char *name,
                               int header_count, const char *const *headers, const char *const *header_names)
{
    if (!ret_program || !source || header_count < 0 || (header_count > 0 && (!headers || !header_names)))
        return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < header_count; i++)
        if (!headers[i] || !header_names[i] || !header_names[i][0])
            return NVRTC_ERROR_INVALID_INPUT;
    nvrtcProgram program = calloc(1, sizeof *program);
    if (!program)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    program->source = strdup(source);
    program->name = name_of(name);
    program->headers = calloc((size_t)header_count + 1, sizeof *program->headers);
    bool is_whole = program->source && program->name && program->headers;
    for (int i = 0; i < header_count && is_whole; i++) {
        hx_part *part = &program->headers[program->header_count++];
        *part = (hx_part){strdup(header_names[i]), strdup(headers[i]), strlen(headers[i])};
        is_whole = part->name && part->bytes;
    }
    if (!is_whole) {
        free_program(program);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    *ret_program = program;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    if (!program || !*program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    free_program(*program);
    *program = NULL;
    return NVRTC_SUCCESS;
}

/* ---- Names --------------------------------------------------------------------------------------------- */

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression)
{
    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression)
        return NVRTC_ERROR_INVALID_INPUT;
    if (program->is_compiled)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    const size_t count = program->expression_count;
    struct expression *grown = realloc(program->expressions, (count + 1) * sizeof *grown);
    if (!grown)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    program->expressions = grown;
    grown[count] = (struct expression){.text = strdup(expression)};
    if (!grown[count].text)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    program->expression_count++;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **lowered)
{
    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !lowered)
        return NVRTC_ERROR_INVALID_INPUT;
    if (!program->is_compiled)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (size_t i = 0; i < program->expression_count; i++)
        if (strcmp(program->expressions[i].text, expression) == 0 && program->expressions[i].lowered) {
            *lowered = program->expressions[i].lowered;
            return NVRTC_SUCCESS;
        }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* The program, and behind it what has its expressions compiled. */
static void write_source(const struct _nvrtcProgram *program, bool default_device, struct growing *source)
{
    char head[256];
    if (default_device) { /* clang has no option for it: functions without a space are of both */
        growing_add_text(source, "#pragma clang force_cuda_host_device begin\n# 1 \"");
        growing_add_text(source, program->name);
        growing_add_text(source, "\"\n");
    }
    growing_add_text(source, program->source);
    for (size_t i = 0; i < program->expression_count; i++) {
        snprintf(head, sizeof head,
                 "\n# %zu \"name expressions\"\nextern \"C\" { __device__ __attribute__((used)) "
                 "const void *" VARIABLE "%zu = (const void *)(",
                 i + 1, i);
        growing_add_text(source, head);
        growing_add_text(source, program->expressions[i].text);
        growing_add_text(source, "); }\n");
    }
}

/* Takes the line `.visible .global .align 8 .u64 VARIABLE0 = name;`, or `= generic(name);`, out of the PTX.
 * False: no memory. */
static bool take_name(struct growing *ptx, size_t number, struct expression *expression)
{
    char head[64];
    snprintf(head, sizeof head, " " VARIABLE "%zu = ", number);
    char *at = ptx->at ? strstr(ptx->at, head) : NULL;
    if (!at)
        return true;
    char *line = at, *name = at + strlen(head);
    while (line > ptx->at && line[-1] != '\n')
        line--;
    if (strncmp(name, "generic(", strlen("generic(")) == 0)
        name += strlen("generic(");
    const size_t length = strcspn(name, ");+\n");
    const char *end = name + strcspn(name, "\n");
    expression->lowered = strndup(name, length);
    memmove(line, end, strlen(end) + 1);
    ptx->length -= (size_t)(end - line);
    return expression->lowered != NULL;
}

/* ---- Compiling ----------------------------------------------------------------------------------------- */

static hx_status keep(void *user, const char *bytes, size_t count)
{
    struct growing *text = user;
    growing_add(text, bytes, count);
    return text->failed ? HX_NO_MEMORY : HX_OK;
}

static hx_status compile(nvrtcProgram program, const struct nvrtc_options *options, bool as_nvcc,
                         hx_diag *diag)
{
    struct growing source = {0};
    write_source(program, options->default_device, &source);
    const hx_source_options asked = {.size = sizeof asked,
                                     .compiler_options = options->words.at,
                                     .headers = program->headers,
                                     .header_count = program->header_count,
                                     .at_run_time = !as_nvcc};
    const hx_status status = source.failed
                                 ? HX_NO_MEMORY
                                 : hx_cuda_compile(program->name, NULL, source.at ? source.at : "",
                                                   source.length, &asked, NULL, diag, keep, &program->ptx);
    growing_done(&source);
    return status;
}

/* NVRTC has other words for a header that is not there; programs look for these in the log, to learn which
 * header they have to give (Jitify does): `NAME(LINE): catastrophic error: could not open source file "..."`.
 * The text begins with the place where the header is included, if that is another file than the program.
 * `warning` gets what is said in the place of that if the program is compiled nevertheless. */
static void log_missing_header(const hx_diagnostic *message, struct growing *log, struct growing *warning)
{
    static const char end[] = "' file not found";
    const char *text = message->message ? message->message : "", *quote = strchr(text, '\'');
    const size_t length = strlen(text);
    char line[32];
    if (!quote || length < sizeof end || strcmp(text + length - (sizeof end - 1), end) != 0)
        return;
    const char *colon = strchr(text, ':'); /* FILE:LINE:COLUMN: */
    const bool is_elsewhere = colon && colon < quote && atoi(colon + 1) > 0;
    const char *file = is_elsewhere ? text : message->file ? message->file : "";
    const size_t file_length = is_elsewhere ? (size_t)(colon - text) : strlen(file);
    const size_t name_length = (size_t)(text + length - (sizeof end - 1) - (quote + 1));
    snprintf(line, sizeof line, "(%d): ", is_elsewhere ? atoi(colon + 1) : message->line);
    for (int i = 0; i < 2; i++) {
        struct growing *to = i ? warning : log;
        growing_add(to, file, file_length);
        growing_add_text(to, line);
        growing_add_text(to, i ? "warning: NVRTC has no header \""
                               : "catastrophic error: could not open source file \"");
        growing_add(to, quote + 1, name_length);
        growing_add_text(to, i ? "\" and would refuse the program, which is compiled as nvcc does, with the "
                                 "headers of the host\n"
                               : "\" (no directories in search list)\n");
    }
}

/* One try; `log` gets what there is to say of it, `warning` what log_missing_header has. */
static hx_status try_to_compile(nvrtcProgram program, const struct nvrtc_options *options, bool as_nvcc,
                                struct growing *log, struct growing *warning)
{
    hx_diag *diag = NULL;
    hx_status status = hx_diag_new(NULL, &diag);
    growing_done(&program->ptx);
    if (status == HX_OK)
        status = compile(program, options, as_nvcc, diag);
    for (size_t i = 0; i < hx_diag_count(diag); i++) {
        hx_diagnostic message = *hx_diag_at(diag, i);
        if (options->default_device) /* the text has lines before the program's own */
            message.source_line = NULL;
        log_missing_header(&message, log, warning);
        (void)hx_diagnostic_render(&message, NULL, keep, log);
    }
    hx_diag_free(diag);
    return status == HX_OK && (log->failed || warning->failed) ? HX_NO_MEMORY : status;
}

/* Once more, as nvcc does, whose log has the warning before it. A program that is wrong that way, too, keeps
 * the log of the first try. */
static hx_status try_with_host(nvrtcProgram program, const struct nvrtc_options *options,
                               struct growing *warning)
{
    struct growing other = {0};
    hx_status status = try_to_compile(program, options, true, warning, &other);
    if (status == HX_OK) {
        growing_done(&program->log);
        program->log = *warning;
        *warning = (struct growing){0};
    }
    growing_done(&other);
    return status;
}

/* As NVRTC does. A program that includes a header which only the host has is compiled as nvcc does; what else
 * NVRTC refuses would mean something else there, and stays refused. */
static nvrtcResult compile_with(nvrtcProgram program, const struct nvrtc_options *options)
{
    struct growing warning = {0};
    hx_status status = try_to_compile(program, options, false, &program->log, &warning);
    if (status == HX_INVALID && warning.length > 0 && !warning.failed)
        status = try_with_host(program, options, &warning);
    growing_done(&warning);
    for (size_t i = 0; i < program->expression_count && status == HX_OK; i++)
        if (!take_name(&program->ptx, i, &program->expressions[i]))
            status = HX_NO_MEMORY;
    program->is_for_gpu = options->is_for_gpu;
    program->is_compiled = status == HX_OK;
    return status == HX_OK                                 ? NVRTC_SUCCESS
           : status == HX_NO_MEMORY || program->log.failed ? NVRTC_ERROR_OUT_OF_MEMORY
                                                           : NVRTC_ERROR_COMPILATION;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (count < 0 || (count > 0 && !options))
        return NVRTC_ERROR_INVALID_INPUT;
    growing_done(&program->ptx);
    growing_done(&program->log);
    for (size_t i = 0; i < program->expression_count; i++) {
        free(program->expressions[i].lowered);
        program->expressions[i].lowered = NULL;
    }
    struct nvrtc_options asked;
    nvrtcResult result = nvrtc_options_read(count, options, &program->log, &asked);
    if (result == NVRTC_SUCCESS)
        result = compile_with(program, &asked);
    growing_done(&asked.words);
    return result;
}

/* ---- What came of it ----------------------------------------------------------------------------------- */

/* Sizes count the zero at the end. */
static nvrtcResult give_size(nvrtcProgram program, bool is_there, const struct growing *text, size_t *size)
{
    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!size)
        return NVRTC_ERROR_INVALID_INPUT;
    if (!is_there)
        return NVRTC_ERROR_INVALID_PROGRAM;
    *size = text->length + 1;
    return NVRTC_SUCCESS;
}

static nvrtcResult give_text(nvrtcProgram program, bool is_there, const struct growing *text, char *ret)
{
    size_t size = 0;
    const nvrtcResult result = give_size(program, is_there, text, ret ? &size : NULL);
    if (result == NVRTC_SUCCESS)
        memcpy(ret, text->at ? text->at : "", size);
    return result;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size)
{
    return give_size(program, program && program->is_compiled, program ? &program->ptx : NULL, size);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx)
{
    return give_text(program, program && program->is_compiled, program ? &program->ptx : NULL, ptx);
}

/* 0 for a virtual architecture, as compute_80, which has no binary. */
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
    const nvrtcResult result = nvrtcGetPTXSize(program, size);
    if (result == NVRTC_SUCCESS && !program->is_for_gpu)
        *size = 0;
    return result;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin)
{
    return give_text(program, program && program->is_compiled && program->is_for_gpu,
                     program ? &program->ptx : NULL, cubin);
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size)
{
    return give_size(program, program != NULL, program ? &program->log : NULL, size);
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    return give_text(program, program != NULL, program ? &program->log : NULL, log);
}
