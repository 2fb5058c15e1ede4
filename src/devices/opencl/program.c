/* Programs: source or binary, and what it is built to.
 *
 * hexec compiles OpenCL C by clang and keeps the PTX in the user's cache, so the binary of a program is its
 * source with the options: it is built again wherever it is loaded. */
#include "devices/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

#define BINARY_HEAD "hexec OpenCL program 1\n"

/* ---- What a program is built to ------------------------------------------------------------------------ */

struct build *build_keep(struct build *build)
{
    atomic_fetch_add(&build->references, 1);
    return build;
}

/* The build's variable of this name and size; NULL: it has none. */
static hx_buffer *variable_of(const struct build *build, const char *name, uint64_t bytes)
{
    for (size_t i = 0; i < hx_program_buffer_count(build->program); i++)
        if (strcmp(hx_program_buffer_name(build->program, i), name) == 0 &&
            hx_buffer_bytes(build->buffers[i]) == bytes)
            return build->buffers[i];
    return NULL;
}

static bool is_of_base(const struct build *build, size_t index)
{
    const char *name = hx_program_buffer_name(build->program, index);
    hx_buffer *buffer = build->buffers[index];
    return build->base && variable_of(build->base, name, hx_buffer_bytes(buffer)) == buffer;
}

/* Launches of all variants change the same variables. */
static void share_variables(struct build *build, struct build *base)
{
    for (size_t i = 0; i < hx_program_buffer_count(build->program); i++) {
        const char *name = hx_program_buffer_name(build->program, i);
        hx_buffer *shared = variable_of(base, name, hx_buffer_bytes(build->buffers[i]));
        if (!shared)
            continue;
        hx_buffer_free(device_get(), build->buffers[i]);
        build->buffers[i] = shared;
    }
    build->base = build_keep(base);
}

void build_drop(struct build *build)
{
    if (!build || atomic_fetch_sub(&build->references, 1) > 1)
        return;
    const size_t count = hx_program_buffer_count(build->program);
    for (size_t i = 0; build->buffers && i < count; i++)
        if (!is_of_base(build, i))
            hx_buffer_free(device_get(), build->buffers[i]);
    build_drop(build->base);
    free(build->buffers);
    hx_program_free(build->program);
    free(build);
}

hx_status text_append(void *user, const char *bytes, size_t length)
{
    struct text *text = user;
    char *grown = realloc(text->bytes, text->length + length + 1);
    if (!grown)
        return HX_NO_MEMORY;
    memcpy(grown + text->length, bytes, length);
    text->bytes = grown;
    text->length += length;
    grown[text->length] = '\0';
    return HX_OK;
}

void text_add(struct text *text, const char *more)
{
    (void)text_append(text, more, strlen(more));
}

void text_add_messages(struct text *log, const hx_diag *diag)
{
    for (size_t i = 0; i < hx_diag_count(diag); i++)
        (void)hx_diagnostic_render(hx_diag_at(diag, i), NULL, text_append, log);
}

bool options_are_bad(const hx_diag *diag)
{
    for (size_t i = 0; i < hx_diag_count(diag); i++)
        if (hx_diag_at(diag, i)->code == 2114)
            return true;
    return false;
}

/* Kernels that will not run say so in the log, not only when they are launched. False: one names what
 * nothing defines, with which a program cannot be linked. */
static bool log_lacks(const hx_program *program, struct text *log)
{
    bool is_linked = true;
    for (size_t k = 0; k < hx_program_kernel_count(program); k++)
        for (size_t i = 0; i < hx_program_lack_count(program, k); i++) {
            hx_lack lack;
            if (hx_program_lack(program, k, i, &lack) != HX_OK)
                continue;
            is_linked &= !hx_lack_is_undefined(&lack);
            text_add(log, "kernel ");
            text_add(log, hx_program_kernel_name(program, k));
            text_add(log, " cannot run: ");
            text_add(log, lack.text);
            text_add(log, ": ");
            text_add(log, lack.why);
            text_add(log, "\n");
        }
    return is_linked;
}

/* Without the mark that some editors put before a text in UTF-8: what a variant has may stand before it. */
static hx_status append_source(cl_program program, struct text *text)
{
    static const char mark[] = {'\xEF', '\xBB', '\xBF'};
    const size_t skipped =
        program->source_bytes >= sizeof mark && memcmp(program->source, mark, sizeof mark) == 0 ? sizeof mark
                                                                                                : 0;
    return text_append(text, program->source + skipped, program->source_bytes - skipped);
}

static hx_status load(cl_program program, enum variant variant, const char *options, hx_diag *diag,
                      hx_program **ret_program)
{
    const struct objects *objects = &program->objects;
    const bool is_linked = !program->source && objects->count > 0;
    const hx_source_options source_options = {.size = sizeof source_options,
                                              .compiler_options = options,
                                              .objects = is_linked ? objects->parts : NULL,
                                              .object_count = is_linked ? objects->count : 0,
                                              .may_be_empty = true,
                                              .check_indexes = hx_session_has_checks(device_session())};
    if (!program->source && !is_linked)
        return hx_program_load_bytes("program", NULL, program->binary, program->binary_bytes, device_isa(),
                                     NULL, diag, ret_program);
    struct text text = {0};
    hx_status status = text_append(&text, "", 0);
    /* a name that no object's lines have */
    const char *name = is_linked ? "linked.cl" : "program.cl";
    if (status == HX_OK)
        status = variant_begin(variant, is_linked, &text);
    if (status == HX_OK && !is_linked)
        status = append_source(program, &text);
    if (status == HX_OK)
        status = hx_program_load_source_bytes(name, NULL, text.bytes, text.length, &source_options,
                                              device_isa(), NULL, diag, ret_program);
    free(text.bytes);
    return status;
}

/* NULL when it cannot be built, and then the log says why. */
static struct build *build_new(cl_program program, enum variant variant, const char *options,
                               struct text *log, bool *ret_options_are_bad)
{
    hx_diag *diag = NULL;
    struct build *build = calloc(1, sizeof *build);
    hx_status status = build ? hx_diag_new(NULL, &diag) : HX_NO_MEMORY;
    if (status == HX_OK)
        status = load(program, variant, options, diag, &build->program);
    if (status == HX_OK && !log_lacks(build->program, log))
        status = HX_INVALID;
    const size_t count = status == HX_OK ? hx_program_buffer_count(build->program) : 0;
    if (count > 0) {
        build->buffers = calloc(count, sizeof *build->buffers);
        status = build->buffers ? hx_program_make_buffers(build->program, device_get(), diag, build->buffers)
                                : HX_NO_MEMORY;
    }
    text_add_messages(log, diag);
    *ret_options_are_bad = options_are_bad(diag);
    hx_diag_free(diag);
    if (status == HX_OK) {
        atomic_init(&build->references, 1);
        return build;
    }
    if (build)
        hx_program_free(build->program);
    free(build ? build->buffers : NULL);
    free(build);
    return NULL;
}

struct build *program_variant(cl_program program, enum variant variant)
{
    pthread_mutex_lock(&program->lock);
    struct build **place = &program->variants[variant];
    if (!*place && program->build && (program->source || program->objects.count > 0)) {
        struct text log = {0};
        bool are_bad = false;
        *place = build_new(program, variant, program->options, &log, &are_bad);
        if (*place)
            share_variables(*place, program->build);
        free(log.bytes);
    }
    struct build *made = *place;
    pthread_mutex_unlock(&program->lock);
    return made;
}

/* ---- Making -------------------------------------------------------------------------------------------- */

cl_program program_new(cl_context context)
{
    cl_program program = object_new(OBJECT_PROGRAM, sizeof *program);
    if (!program)
        return NULL;
    static atomic_uint count;
    program->number = atomic_fetch_add(&count, 1) + 1;
    program->context = object_keep(context);
    program->devices = context->devices;
    program->status = CL_BUILD_NONE;
    pthread_mutex_init(&program->lock, NULL);
    return program;
}

static cl_program give(cl_program program, cl_int error, cl_int *ret_error)
{
    if (program && error != CL_SUCCESS) {
        program_drop(program);
        program = NULL;
    }
    if (ret_error)
        *ret_error = error;
    return program;
}

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                                 const size_t *lengths, cl_int *ret_error)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return give(NULL, CL_INVALID_CONTEXT, ret_error);
    if (count == 0 || !strings)
        return give(NULL, CL_INVALID_VALUE, ret_error);
    for (cl_uint i = 0; i < count; i++)
        if (!strings[i])
            return give(NULL, CL_INVALID_VALUE, ret_error);
    cl_program program = program_new(context);
    struct text text = {0};
    hx_status status = program ? text_append(&text, "", 0) : HX_NO_MEMORY;
    for (cl_uint i = 0; i < count && status == HX_OK; i++)
        status = text_append(&text, strings[i], lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
    if (program) {
        program->source = text.bytes;
        program->source_bytes = text.length;
    }
    return give(program, status == HX_OK ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, ret_error);
}

/* A binary of this driver has objects, or options, a line's end and the source; any other bytes are for hexec
 * to load. */
static cl_int take_binary(cl_program program, const unsigned char *bytes, size_t count)
{
    struct text all = {0}, part = {0};
    hx_status status = text_append(&all, (const char *)bytes, count);
    const size_t head = strlen(BINARY_HEAD);
    if (status != HX_OK)
        return CL_OUT_OF_HOST_MEMORY;
    program->binary = (unsigned char *)all.bytes;
    program->binary_bytes = all.length;
    program->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    if (objects_are_in(bytes, count))
        return objects_read(bytes, count, &program->objects, &program->type, &program->options);
    if (count < head || memcmp(bytes, BINARY_HEAD, head) != 0)
        return CL_SUCCESS;
    const char *options = all.bytes + head, *end = strchr(options, '\n');
    if (!end)
        return CL_SUCCESS;
    status = text_append(&part, options, (size_t)(end - options));
    program->options = part.bytes;
    part = (struct text){0};
    if (status == HX_OK)
        status = text_append(&part, end + 1, (size_t)(all.bytes + all.length - (end + 1)));
    program->source = part.bytes;
    program->source_bytes = part.length;
    return status == HX_OK ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* A program is the same on all devices: so are their binaries. */
static cl_int check_binary(const size_t *lengths, const unsigned char **binaries, cl_uint i)
{
    if (lengths[i] == 0 || !binaries[i])
        return CL_INVALID_VALUE;
    const bool is_same =
        lengths[i] == lengths[0] && binaries[0] && memcmp(binaries[i], binaries[0], lengths[i]) == 0;
    return is_same ? CL_SUCCESS : CL_INVALID_BINARY;
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                 const cl_device_id *devices, const size_t *lengths,
                                                 const unsigned char **binaries, cl_int *ret_status,
                                                 cl_int *ret_error)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return give(NULL, CL_INVALID_CONTEXT, ret_error);
    if (!devices || count == 0 || !lengths || !binaries)
        return give(NULL, CL_INVALID_VALUE, ret_error);
    if (!device_list_has_all(&context->devices, count, devices))
        return give(NULL, CL_INVALID_DEVICE, ret_error);
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < count; i++) {
        const cl_int status = check_binary(lengths, binaries, i);
        if (ret_status)
            ret_status[i] = status;
        error = status == CL_SUCCESS ? error : status;
    }
    if (error != CL_SUCCESS)
        return give(NULL, error, ret_error);
    cl_program program = program_new(context);
    error = program ? take_binary(program, binaries[0], lengths[0]) : CL_OUT_OF_HOST_MEMORY;
    if (program)
        device_list_take(&program->devices, count, devices);
    for (cl_uint i = 0; ret_status && error == CL_INVALID_BINARY && i < count; i++)
        ret_status[i] = error;
    return give(program, error, ret_error);
}

cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count,
                                                         const cl_device_id *devices, const char *names,
                                                         cl_int *ret_error)
{
    cl_int error = CL_INVALID_VALUE; /* there are no built-in kernels, so no name is one of them */
    if (!object_is(context, OBJECT_CONTEXT))
        error = CL_INVALID_CONTEXT;
    else if (devices && count > 0 && names && !device_list_has_all(&context->devices, count, devices))
        error = CL_INVALID_DEVICE;
    return give(NULL, error, ret_error);
}

cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void *il, size_t bytes,
                                             cl_int *ret_error)
{
    (void)il, (void)bytes;
    return give(NULL, object_is(context, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT,
                ret_error);
}

void program_drop(cl_program program)
{
    if (!object_drop(program))
        return;
    program_clear(program);
    objects_done(&program->objects);
    free(program->source);
    free(program->binary);
    context_drop(program->context);
    pthread_mutex_destroy(&program->lock);
    program->object.kind = 0;
    free(program);
}

cl_int CL_API_CALL clRetainProgram(cl_program program)
{
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    object_keep(program);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clReleaseProgram(cl_program program)
{
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    program_drop(program);
    return CL_SUCCESS;
}

/* ---- Building ------------------------------------------------------------------------------------------ */

void program_clear(cl_program program)
{
    build_drop(program->build);
    for (size_t i = 0; i < VARIANT_COUNT; i++) {
        build_drop(program->variants[i]);
        program->variants[i] = NULL;
    }
    free(program->options);
    free(program->log);
    free(program->assembly);
    program->build = NULL;
    program->options = program->log = program->assembly = NULL;
    program->type = CL_PROGRAM_BINARY_TYPE_NONE;
    if (program->source)
        objects_done(&program->objects);
}

static void keep_binary(cl_program program, struct text *binary)
{
    free(program->binary);
    program->binary = (unsigned char *)binary->bytes;
    program->binary_bytes = binary->length;
}

void program_keep_objects(cl_program program, cl_program_binary_type type)
{
    struct text binary = {0};
    program->type = type;
    (void)objects_write(&program->objects, type, program->options ? program->options : "", &binary);
    keep_binary(program, &binary);
}

cl_int program_build(cl_program program, const char *options)
{
    struct text log = {0}, kept = {0}, binary = {0};
    bool are_bad = false;
    if (!options && program->status == CL_BUILD_NONE)
        options = program->options; /* that a binary has */
    (void)text_append(&kept, options ? options : "", options ? strlen(options) : 0);
    program_clear(program);
    struct build *made = build_new(program, VARIANT_PLAIN, kept.bytes, &log, &are_bad);
    program->build = made;
    program->options = kept.bytes;
    program->log = log.bytes;
    program->status = made ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    if (!made && !program->source && program->objects.count == 0)
        return CL_INVALID_BINARY;
    if (!made)
        return are_bad ? CL_INVALID_BUILD_OPTIONS : CL_BUILD_PROGRAM_FAILURE;
    program->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    if (!program->source) {
        if (program->objects.count > 0)
            program_keep_objects(program, program->type);
        return CL_SUCCESS;
    }
    text_add(&binary, BINARY_HEAD);
    text_add(&binary, kept.bytes ? kept.bytes : "");
    text_add(&binary, "\n");
    (void)text_append(&binary, program->source, program->source_bytes);
    keep_binary(program, &binary);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                  const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                  void *user)
{
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    if ((count > 0) != (devices != NULL) || (!notify && user))
        return CL_INVALID_VALUE;
    if (devices && !device_list_has_all(&program->devices, count, devices))
        return CL_INVALID_DEVICE;
    pthread_mutex_lock(&program->lock);
    const cl_int error = program->kernels > 0 ? CL_INVALID_OPERATION : program_build(program, options);
    pthread_mutex_unlock(&program->lock);
    if (notify && error != CL_INVALID_OPERATION)
        notify(program, user);
    return error;
}

/* ---- What a program is --------------------------------------------------------------------------------- */

static cl_int tell_names(cl_program program, const struct answer *answer)
{
    struct text names = {0};
    for (size_t k = 0; k < hx_program_kernel_count(program->build->program); k++) {
        hx_kernel_info info = {.size = sizeof info};
        if (hx_program_kernel_info(program->build->program, k, &info) != HX_OK)
            continue;
        if (k > 0)
            text_add(&names, ";");
        text_add(&names, info.name);
    }
    const cl_int error = answer_text(answer, names.bytes);
    free(names.bytes);
    return error;
}

/* All devices have the same binary. */
static cl_int tell_binary_sizes(cl_program program, const struct answer *answer)
{
    size_t sizes[DEVICES_MOST];
    for (cl_uint i = 0; i < program->devices.count; i++)
        sizes[i] = program->binary_bytes;
    return answer_bytes(answer, sizes, program->devices.count * sizeof *sizes);
}

/* The application brings room for each binary. */
static cl_int tell_binaries(cl_program program, const struct answer *answer)
{
    unsigned char **to = answer->value;
    const size_t count = program->devices.count;
    if (answer->value && answer->room < count * sizeof *to)
        return CL_INVALID_VALUE;
    for (size_t i = 0; to && i < count; i++)
        if (to[i] && program->binary_bytes > 0)
            memcpy(to[i], program->binary, program->binary_bytes);
    if (answer->ret_bytes)
        *answer->ret_bytes = count * sizeof *to;
    return CL_SUCCESS;
}

static cl_int tell(cl_program program, cl_program_info name, const struct answer *answer)
{
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return ANSWER(answer, cl_uint, atomic_load(&program->object.references));
    case CL_PROGRAM_CONTEXT:
        return ANSWER(answer, cl_context, program->context);
    case CL_PROGRAM_NUM_DEVICES:
        return ANSWER(answer, cl_uint, program->devices.count);
    case CL_PROGRAM_DEVICES:
        return answer_bytes(answer, program->devices.items,
                            program->devices.count * sizeof *program->devices.items);
    case CL_PROGRAM_SOURCE:
        return answer_text(answer, program->source);
    case CL_PROGRAM_IL:
        return answer_bytes(answer, NULL, 0);
    case CL_PROGRAM_BINARY_SIZES:
        return tell_binary_sizes(program, answer);
    case CL_PROGRAM_BINARIES:
        return tell_binaries(program, answer);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return ANSWER(answer, cl_bool, CL_FALSE);
    case CL_PROGRAM_NUM_KERNELS:
        return program->build ? ANSWER(answer, size_t, hx_program_kernel_count(program->build->program))
                              : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_KERNEL_NAMES:
        return program->build ? tell_names(program, answer) : CL_INVALID_PROGRAM_EXECUTABLE;
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info name, size_t room, void *value,
                                    size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    pthread_mutex_lock(&program->lock);
    const cl_int error = tell(program, name, &answer);
    pthread_mutex_unlock(&program->lock);
    return error;
}

static size_t variable_bytes(const struct build *build)
{
    size_t bytes = 0;
    for (size_t i = 0; build && i < hx_program_buffer_count(build->program); i++)
        bytes += hx_buffer_bytes(build->buffers[i]);
    return bytes;
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name,
                                         size_t room, void *value, size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!device_list_has(&program->devices, device))
        return CL_INVALID_DEVICE;
    cl_int error = CL_INVALID_VALUE;
    pthread_mutex_lock(&program->lock);
    if (name == CL_PROGRAM_BUILD_STATUS)
        error = ANSWER(&answer, cl_build_status, program->status);
    else if (name == CL_PROGRAM_BUILD_OPTIONS)
        error = answer_text(&answer, program->options);
    else if (name == CL_PROGRAM_BUILD_LOG)
        error = answer_text(&answer, program->log);
    else if (name == CL_PROGRAM_BINARY_TYPE)
        error = ANSWER(&answer, cl_program_binary_type, program->type);
    else if (name == CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)
        error = ANSWER(&answer, size_t, variable_bytes(program->build));
    pthread_mutex_unlock(&program->lock);
    return error;
}
