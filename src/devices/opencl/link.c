/* Compiling and linking apart.
 *
 * clCompileProgram leaves an object, clang's bitcode; a library has several. clLinkProgram puts the objects
 * of its programs into a new one, which clang links when it is built, and each time that it is built again. A
 * binary of any of them has the objects. */
#include "devices/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS_HEAD "hexec OpenCL objects 1\n"

/* ---- Objects ------------------------------------------------------------------------------------------- */

cl_int objects_add(struct objects *objects, const void *bytes, size_t count)
{
    hx_part *grown = realloc(objects->parts, (objects->count + 1) * sizeof *grown);
    if (grown)
        objects->parts = grown;
    void *kept = grown ? malloc(count + 1) : NULL;
    if (!kept)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(kept, bytes, count);
    objects->parts[objects->count++] = (hx_part){NULL, kept, count};
    return CL_SUCCESS;
}

void objects_done(struct objects *objects)
{
    for (size_t i = 0; i < objects->count; i++)
        free((void *)objects->parts[i].bytes);
    free(objects->parts);
    *objects = (struct objects){0};
}

/* Three lines, the last of them the options, and behind them each object behind a line with its size. */
hx_status objects_write(const struct objects *objects, cl_program_binary_type type, const char *options,
                        struct text *text)
{
    char line[64];
    snprintf(line, sizeof line, "%u %zu %zu\n", (unsigned)type, objects->count, strlen(options));
    text_add(text, OBJECTS_HEAD);
    text_add(text, line);
    hx_status status = text_append(text, options, strlen(options));
    for (size_t i = 0; i < objects->count && status == HX_OK; i++) {
        snprintf(line, sizeof line, "%zu\n", objects->parts[i].size);
        text_add(text, line);
        status = text_append(text, objects->parts[i].bytes, objects->parts[i].size);
    }
    return status;
}

bool objects_are_in(const void *bytes, size_t count)
{
    const size_t head = strlen(OBJECTS_HEAD);
    return count >= head && memcmp(bytes, OBJECTS_HEAD, head) == 0;
}

/* A number and the character behind it, at *at, which is set behind them. */
static bool read_number(const char **at, const char *end, char behind, size_t *ret_number)
{
    size_t number = 0;
    const char *from = *at;
    while (*at < end && **at >= '0' && **at <= '9' && number < SIZE_MAX / 16)
        number = number * 10 + (size_t)(*(*at)++ - '0');
    *ret_number = number;
    return *at > from && *at < end && *(*at)++ == behind;
}

cl_int objects_read(const void *bytes, size_t count, struct objects *ret_objects,
                    cl_program_binary_type *ret_type, char **ret_options)
{
    const char *at = (const char *)bytes + strlen(OBJECTS_HEAD), *end = (const char *)bytes + count;
    size_t type, objects, length;
    struct text options = {0};
    if (!read_number(&at, end, ' ', &type) || !read_number(&at, end, ' ', &objects) ||
        !read_number(&at, end, '\n', &length) || length > (size_t)(end - at) || objects == 0 ||
        (type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT && type != CL_PROGRAM_BINARY_TYPE_LIBRARY &&
         type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE))
        return CL_INVALID_BINARY;
    if (text_append(&options, at, length) != HX_OK)
        return CL_OUT_OF_HOST_MEMORY;
    *ret_options = options.bytes;
    *ret_type = (cl_program_binary_type)type;
    at += length;
    for (size_t i = 0; i < objects; i++) {
        if (!read_number(&at, end, '\n', &length) || length > (size_t)(end - at))
            return CL_INVALID_BINARY;
        if (objects_add(ret_objects, at, length) != CL_SUCCESS)
            return CL_OUT_OF_HOST_MEMORY;
        at += length;
    }
    return at == end ? CL_SUCCESS : CL_INVALID_BINARY;
}

/* ---- Compiling ----------------------------------------------------------------------------------------- */

struct headers {
    cl_uint count;
    const cl_program *programs;
    const char **names;
};

static cl_int check_headers(const struct headers *headers)
{
    if ((headers->count > 0) != (headers->programs != NULL) ||
        (headers->count > 0) != (headers->names != NULL))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < headers->count; i++) {
        if (!headers->names[i] || !headers->names[i][0])
            return CL_INVALID_VALUE;
        if (!object_is(headers->programs[i], OBJECT_PROGRAM) || !headers->programs[i]->source)
            return CL_INVALID_PROGRAM;
    }
    return CL_SUCCESS;
}

static cl_int compile_with(cl_program program, const hx_part *headers, size_t count, struct text *log)
{
    const hx_source_options options = {.size = sizeof options,
                                       .compiler_options = program->options,
                                       .headers = headers,
                                       .header_count = count,
                                       .check_indexes = hx_session_has_checks(device_session())};
    struct text object = {0};
    hx_diag *diag = NULL;
    char name[32]; /* in the lines of a linked program, which has lines of several */
    snprintf(name, sizeof name, "program%u.cl", (unsigned)program->number);
    hx_status status = hx_diag_new(NULL, &diag);
    if (status == HX_OK)
        status = hx_object_compile(name, NULL, program->source, program->source_bytes, &options, NULL, diag,
                                   text_append, &object);
    text_add_messages(log, diag);
    cl_int error = options_are_bad(diag) ? CL_INVALID_COMPILER_OPTIONS : CL_COMPILE_PROGRAM_FAILURE;
    hx_diag_free(diag);
    if (status == HX_OK)
        error = objects_add(&program->objects, object.bytes, object.length);
    free(object.bytes);
    return status == HX_NO_MEMORY ? CL_OUT_OF_HOST_MEMORY : error;
}

/* With the program's lock. */
static cl_int compile(cl_program program, const char *options, const struct headers *headers)
{
    struct text log = {0}, kept = {0};
    if (program->kernels > 0 || !program->source)
        return CL_INVALID_OPERATION;
    hx_part *parts = calloc(headers->count + 1, sizeof *parts);
    if (!parts || text_append(&kept, options ? options : "", options ? strlen(options) : 0) != HX_OK) {
        free(parts);
        return CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; i < headers->count; i++)
        parts[i] =
            (hx_part){headers->names[i], headers->programs[i]->source, headers->programs[i]->source_bytes};
    program_clear(program);
    program->options = kept.bytes;
    const cl_int error = compile_with(program, parts, headers->count, &log);
    free(parts);
    program->log = log.bytes;
    program->status = error == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    if (error == CL_SUCCESS)
        program_keep_objects(program, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    return error;
}

cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                    const char *options, cl_uint header_count,
                                    const cl_program *header_programs, const char **header_names,
                                    void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    const struct headers headers = {header_count, header_programs, header_names};
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    if ((count > 0) != (devices != NULL) || (!notify && user))
        return CL_INVALID_VALUE;
    if (devices && !device_list_has_all(&program->devices, count, devices))
        return CL_INVALID_DEVICE;
    cl_int error = check_headers(&headers);
    if (error != CL_SUCCESS)
        return error;
    pthread_mutex_lock(&program->lock);
    error = compile(program, options, &headers);
    pthread_mutex_unlock(&program->lock);
    if (notify && error != CL_INVALID_OPERATION)
        notify(program, user);
    return error;
}

/* ---- Linking ------------------------------------------------------------------------------------------- */

struct link_options {
    bool makes_library, enables;
};

/* Options are words between blanks. Those of the compiler change nothing here: the objects have theirs. */
static bool read_options(const char *options, struct link_options *ret_options)
{
    static const char *const known[] = {"-cl-denorms-are-zero",          "-cl-no-signed-zeros",
                                        "-cl-unsafe-math-optimizations", "-cl-finite-math-only",
                                        "-cl-fast-relaxed-math",         "-cl-no-subgroup-ifp"};
    for (const char *at = options ? options : ""; *(at += strspn(at, " \t"));) {
        const size_t length = strcspn(at, " \t");
        bool is_known = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            is_known |= strlen(known[i]) == length && memcmp(at, known[i], length) == 0;
        if (length == strlen("-create-library") && memcmp(at, "-create-library", length) == 0)
            is_known = ret_options->makes_library = true;
        if (length == strlen("-enable-link-options") && memcmp(at, "-enable-link-options", length) == 0)
            is_known = ret_options->enables = true;
        if (!is_known)
            return false;
        at += length;
    }
    return !ret_options->enables || ret_options->makes_library;
}

static cl_int check_inputs(cl_context context, cl_uint count, const cl_program *programs)
{
    if (count == 0 || !programs)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!object_is(programs[i], OBJECT_PROGRAM) || programs[i]->context != context)
            return CL_INVALID_PROGRAM;
    return CL_SUCCESS;
}

static cl_int take_objects(cl_program from, struct objects *objects)
{
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&from->lock);
    if (from->type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT && from->type != CL_PROGRAM_BINARY_TYPE_LIBRARY)
        error = CL_INVALID_OPERATION;
    for (size_t i = 0; i < from->objects.count && error == CL_SUCCESS; i++)
        error = objects_add(objects, from->objects.parts[i].bytes, from->objects.parts[i].size);
    pthread_mutex_unlock(&from->lock);
    return error;
}

/* Fills in a new program, which no other thread knows. */
static cl_int link_into(cl_program program, const char *options, cl_uint count, const cl_program *programs)
{
    struct link_options read = {0};
    struct text kept = {0};
    if (!read_options(options, &read))
        return CL_INVALID_LINKER_OPTIONS;
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < count && error == CL_SUCCESS; i++)
        error = take_objects(programs[i], &program->objects);
    if (error != CL_SUCCESS)
        return error;
    if (!read.makes_library)
        error = program_build(program, "");
    if (error != CL_SUCCESS) {
        build_drop(program->build);
        program->build = NULL;
        program->type = CL_PROGRAM_BINARY_TYPE_NONE;
    }
    free(program->options);
    program->options = text_append(&kept, options ? options : "", options ? strlen(options) : 0) == HX_OK
                           ? kept.bytes
                           : NULL;
    program->status = error == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    if (read.makes_library)
        program_keep_objects(program, CL_PROGRAM_BINARY_TYPE_LIBRARY);
    return error == CL_SUCCESS ? CL_SUCCESS : CL_LINK_PROGRAM_FAILURE;
}

cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint count, const cl_device_id *devices,
                                     const char *options, cl_uint input_count, const cl_program *inputs,
                                     void(CL_CALLBACK *notify)(cl_program, void *), void *user,
                                     cl_int *ret_error)
{
    cl_program program = NULL;
    cl_int error = CL_SUCCESS;
    if (!object_is(context, OBJECT_CONTEXT))
        error = CL_INVALID_CONTEXT;
    else if ((count > 0) != (devices != NULL) || (!notify && user))
        error = CL_INVALID_VALUE;
    else if (devices && !device_list_has_all(&context->devices, count, devices))
        error = CL_INVALID_DEVICE;
    else
        error = check_inputs(context, input_count, inputs);
    if (error == CL_SUCCESS) {
        program = program_new(context);
        if (program && devices)
            device_list_take(&program->devices, count, devices);
        error = program ? link_into(program, options, input_count, inputs) : CL_OUT_OF_HOST_MEMORY;
    }
    if (program && error != CL_SUCCESS && error != CL_LINK_PROGRAM_FAILURE) { /* that one has a log */
        program_drop(program);
        program = NULL;
    }
    if (notify && program)
        notify(program, user);
    if (ret_error)
        *ret_error = error;
    return program;
}
