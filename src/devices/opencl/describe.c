/* What a source says of its kernels and PTX does not have: sizes of groups, attributes, and the parameters'
 * names, types and qualifiers.
 *
 * The program's objects, or one that its source is compiled to, are written as LLVM's assembly. There a
 * kernel is a line, `define ... spir_kernel void @NAME(...) ... !kernel_arg_name !17 ... {`, and each of its
 * metadata another, `!17 = !{!"a", !"b"}`. */
#include "devices/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The assembly -------------------------------------------------------------------------------------- */

/* The line that begins with `head`, from `text` on; NULL: there is none. */
static const char *line_of(const char *text, const char *head)
{
    const size_t length = strlen(head);
    for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (strncmp(at, head, length) == 0)
            return at;
    return NULL;
}

/* The kernel's line; names with other characters than words have stand in quotes. */
static const char *kernel_line(const char *text, const char *kernel)
{
    const size_t length = strlen(kernel);
    for (const char *at = text; (at = line_of(at, "define ")) != NULL; at++) {
        const char *name = strstr(at, "spir_kernel void @"), *end = strchr(at, '\n');
        if (!name || !end || name > end)
            continue;
        name += strlen("spir_kernel void @");
        if (strncmp(name, kernel, length) == 0 && name[length] == '(')
            return at;
    }
    return NULL;
}

/* What stands between the braces of the kernel's metadata of this name, as text of its own; NULL: it has
 * none, or there is no memory. */
static char *metadata(const char *text, const char *kernel, const char *name)
{
    char key[64];
    const char *line = kernel_line(text, kernel), *end = line ? strchr(line, '\n') : NULL;
    snprintf(key, sizeof key, " !%s !", name);
    const char *at = line ? strstr(line, key) : NULL;
    if (!at || !end || at > end)
        return NULL;
    snprintf(key, sizeof key, "!%lu = !{", strtoul(at + strlen(key), NULL, 10));
    const char *values = line_of(line, key); /* behind the kernel, in its object */
    const char *values_end = values ? strchr(values, '\n') : NULL;
    if (!values_end)
        return NULL;
    values += strlen(key);
    while (values_end > values && values_end[-1] != '}')
        values_end--;
    return values_end > values ? strndup(values, (size_t)(values_end - values) - 1) : NULL;
}

/* Item `index` of a list of numbers, `i32 1, i32 3`; 0 beyond its end. */
static unsigned long number_at(const char *list, size_t index)
{
    for (; list && index > 0; index--)
        list = strstr(list, ", ") ? strstr(list, ", ") + 2 : NULL;
    const char *digits = list ? strchr(list, ' ') : NULL;
    return digits ? strtoul(digits, NULL, 10) : 0;
}

/* Item `index` of a list of texts, `!"a", !"b"`. */
static char *text_at(const char *list, size_t index)
{
    for (; list && (list = strstr(list, "!\"")) != NULL; index--) {
        list += 2;
        const char *end = strchr(list, '"');
        if (index == 0)
            return end ? strndup(list, (size_t)(end - list)) : NULL;
        list = end ? end + 1 : NULL;
    }
    return NULL;
}

/* ---- What it says -------------------------------------------------------------------------------------- */

static hx_status add_object(const void *bytes, size_t count, hx_diag *diag, struct text *text)
{
    text_add(text, "\n");
    return hx_object_text(bytes, count, NULL, diag, text_append, text);
}

/* All kernels of the program; with its lock. False: it is not known, as of PTX. */
static bool describe(cl_program program)
{
    const hx_source_options options = {.size = sizeof options, .compiler_options = program->options};
    struct text object = {0}, text = {0};
    hx_diag *diag = NULL;
    if (program->assembly)
        return true;
    hx_status status = hx_diag_new(NULL, &diag);
    if (status == HX_OK && program->source) {
        status = hx_object_compile("program.cl", NULL, program->source, program->source_bytes, &options, NULL,
                                   diag, text_append, &object);
        if (status == HX_OK)
            status = add_object(object.bytes, object.length, diag, &text);
    }
    for (size_t i = 0; i < program->objects.count && !program->source && status == HX_OK; i++)
        status = add_object(program->objects.parts[i].bytes, program->objects.parts[i].size, diag, &text);
    hx_diag_free(diag);
    free(object.bytes);
    if (status != HX_OK)
        free(text.bytes);
    else
        program->assembly = text.bytes;
    return program->assembly != NULL;
}

/* A program that never says the word has no need of the compiler. */
static bool may_say(const struct _cl_program *program, const char *word)
{
    return !program->source || strstr(program->source, word) || strstr(program->source, "include");
}

void describe_required(cl_program program, const char *kernel, uint32_t *required)
{
    if (required[0] || !may_say(program, "reqd_work_group_size") || !describe(program))
        return;
    char *list = metadata(program->assembly, kernel, "reqd_work_group_size");
    for (size_t i = 0; list && i < 3; i++)
        required[i] = (uint32_t)number_at(list, i);
    free(list);
}

size_t describe_sub_group(cl_program program, const char *kernel)
{
    size_t size = 0;
    pthread_mutex_lock(&program->lock);
    if (may_say(program, "intel_reqd_sub_group_size") && describe(program)) {
        char *list = metadata(program->assembly, kernel, "intel_reqd_sub_group_size");
        size = number_at(list, 0);
        free(list);
    }
    pthread_mutex_unlock(&program->lock);
    return size;
}

static struct argument_class class_of(const char *type, const char *access)
{
    static const struct {
        const char *name;
        cl_mem_object_type image;
    } images[] = {{"image1d_t", CL_MEM_OBJECT_IMAGE1D},
                  {"image2d_t", CL_MEM_OBJECT_IMAGE2D},
                  {"image3d_t", CL_MEM_OBJECT_IMAGE3D},
                  {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY},
                  {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY},
                  {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER}};
    struct argument_class found = {0};
    if (type && strcmp(type, "sampler_t") == 0)
        found.kind = ARGUMENT_SAMPLER;
    for (size_t i = 0; type && i < sizeof images / sizeof *images; i++)
        if (strcmp(type, images[i].name) == 0)
            found = (struct argument_class){ARGUMENT_IMAGE, images[i].image, 0};
    if (found.kind == ARGUMENT_IMAGE && access)
        found.forbidden = strcmp(access, "read_only") == 0    ? CL_MEM_WRITE_ONLY
                          : strcmp(access, "write_only") == 0 ? CL_MEM_READ_ONLY
                                                              : 0;
    return found;
}

void describe_classes(cl_program program, const char *kernel, size_t count, struct argument_class *classes)
{
    if ((!may_say(program, "image") && !may_say(program, "sampler_t")) || !describe(program))
        return;
    char *types = metadata(program->assembly, kernel, "kernel_arg_base_type");
    char *accesses = metadata(program->assembly, kernel, "kernel_arg_access_qual");
    for (size_t i = 0; i < count; i++) {
        char *type = text_at(types, i), *access = text_at(accesses, i);
        classes[i] = class_of(type, access);
        free(type);
        free(access);
    }
    free(types);
    free(accesses);
}

static void add_sizes(struct text *text, const char *assembly, const char *kernel, const char *name,
                      size_t count)
{
    char size[64];
    char *list = metadata(assembly, kernel, name);
    if (list) {
        snprintf(size, sizeof size, count > 1 ? "(%lu,%lu,%lu)" : "(%lu)", number_at(list, 0),
                 number_at(list, 1), number_at(list, 2));
        text_add(text, text->length > 0 ? " " : "");
        text_add(text, name);
        text_add(text, size);
    }
    free(list);
}

/* "<4 x float> undef, i32 0": the type, and whether it has a sign. */
static void add_vector(struct text *text, const char *assembly, const char *kernel)
{
    static const char *const names[][3] = {{"i8", "uchar", "char"},       {"i16", "ushort", "short"},
                                           {"i32", "uint", "int"},        {"i64", "ulong", "long"},
                                           {"half", "half", "half"},      {"float", "float", "float"},
                                           {"double", "double", "double"}};
    char *list = metadata(assembly, kernel, "vec_type_hint");
    const char *type = list ? strchr(list, 'x') : NULL;
    const bool is_vector = list && list[0] == '<' && type;
    type = is_vector ? type + 2 : list;
    const size_t length = type ? strcspn(type, "> ") : 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && length > 0; i++) {
        char end[64];
        if (strlen(names[i][0]) != length || memcmp(names[i][0], type, length) != 0)
            continue;
        const char *width = is_vector ? list + 1 : "";
        snprintf(end, sizeof end, "vec_type_hint(%s%.*s)", names[i][1 + (number_at(list, 1) != 0)],
                 (int)strcspn(width, " "), width);
        text_add(text, text->length > 0 ? " " : "");
        text_add(text, end);
    }
    free(list);
}

char *describe_attributes(cl_program program, const char *kernel)
{
    struct text text = {0};
    pthread_mutex_lock(&program->lock);
    if (describe(program)) {
        add_sizes(&text, program->assembly, kernel, "reqd_work_group_size", 3);
        add_sizes(&text, program->assembly, kernel, "work_group_size_hint", 3);
        add_sizes(&text, program->assembly, kernel, "intel_reqd_sub_group_size", 1);
        add_vector(&text, program->assembly, kernel);
    }
    pthread_mutex_unlock(&program->lock);
    return text.bytes;
}

static char *text_of(cl_program program, const char *kernel, const char *name, size_t index)
{
    char *list = metadata(program->assembly, kernel, name), *text = text_at(list, index);
    free(list);
    return text;
}

bool describe_argument(cl_program program, const char *kernel, size_t index, struct argument_description *ret)
{
    *ret = (struct argument_description){0};
    pthread_mutex_lock(&program->lock);
    if (describe(program)) {
        char *spaces = metadata(program->assembly, kernel, "kernel_arg_addr_space");
        ret->space = number_at(spaces, index);
        free(spaces);
        ret->type = text_of(program, kernel, "kernel_arg_type", index);
        ret->qualifiers = text_of(program, kernel, "kernel_arg_type_qual", index);
        ret->name = text_of(program, kernel, "kernel_arg_name", index);
        ret->access = text_of(program, kernel, "kernel_arg_access_qual", index);
    }
    pthread_mutex_unlock(&program->lock);
    return ret->type && ret->qualifiers && ret->name;
}

void describe_done(struct argument_description *argument)
{
    free(argument->type);
    free(argument->qualifiers);
    free(argument->name);
    free(argument->access);
}
